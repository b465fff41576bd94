//! The one error of this crate: what went wrong, where, and a stable code for it.

mod convert;

use clearance_geometry::PolytopeError;
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error as ThisError;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, ThisError)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A line that is not one JSON object, or a NaN literal in it.
    #[error("not valid JSON: {reason}")]
    BadJson {
        /// What the parser found.
        reason: String,
    },
    /// A scene that is not TOML.
    #[error("not valid TOML: {reason}")]
    BadToml {
        /// What the parser found.
        reason: String,
    },
    /// A kind of shape that does not exist.
    #[error("unknown kind of shape `{kind}`; kinds are {known}")]
    UnknownKind {
        /// The word found.
        kind: String,
        /// The words that would do.
        known: String,
    },
    /// A part of a file that the format knows and this version cannot use.
    #[error("{what} is known but not supported yet")]
    UnsupportedFeature {
        /// Section, option or content.
        what: String,
    },
    /// A key that has no meaning here.
    #[error("unknown key `{key}`; keys here are {known}")]
    UnknownKey {
        /// The key found.
        key: String,
        /// The keys that would do.
        known: String,
    },
    /// A name that nothing was given.
    #[error("no {what} is named `{name}`")]
    UnknownName {
        /// Shape or body, or the names that there are.
        what: Cow<'static, str>,
        /// The name found.
        name: String,
    },
    /// A name given twice.
    #[error("{reason}")]
    DuplicateName {
        /// What the parser found.
        reason: String,
    },
    /// A field that must be there.
    #[error("the field `{field}` is missing")]
    MissingField {
        /// Its name.
        field: String,
    },
    /// A value of another type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What would do.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A value of the right type that cannot be used.
    #[error("{reason}")]
    BadValue {
        /// Why not.
        reason: String,
    },
    /// A unit that does not exist.
    #[error("unknown units `{units}`; units are m, mm, cm, in")]
    UnknownUnits {
        /// The word found.
        units: String,
    },
    /// A number too large for double precision.
    #[error("the number {number} is out of range")]
    NumberOutOfRange {
        /// As written, where known.
        number: String,
    },
    /// NaN or infinity.
    #[error("{what} is not finite")]
    NotFinite {
        /// The offender.
        what: String,
    },
    /// No points, or all points in one plane.
    #[error("{0}")]
    FlatPolytope(PolytopeError),
    /// A body that is not convex.
    #[error("{reason}")]
    NotConvex {
        /// The offender.
        reason: String,
    },
    /// A surface that is not closed, or of several pieces.
    #[error("{reason}")]
    NotManifold {
        /// The offender.
        reason: String,
    },
    /// Faces that disagree about inside and outside.
    #[error("{reason}")]
    InconsistentOrientation {
        /// The offender.
        reason: String,
    },
    /// A profile whose segments do not join, disagree with their ends, or cross the axis.
    #[error("{reason}")]
    InconsistentProfile {
        /// The offender.
        reason: String,
    },
    /// Knots that decrease, are too many or too few, or leave no domain.
    #[error("{reason}")]
    BadKnots {
        /// The offender.
        reason: String,
    },
    /// A weight that is not positive, or not one weight for each point.
    #[error("{reason}")]
    BadWeight {
        /// The offender.
        reason: String,
    },
    /// A polynomial that cannot be read.
    #[error("{reason}")]
    BadPolynomial {
        /// What is wrong with it.
        reason: String,
    },
    /// A zero set that is empty, has a vanishing gradient everywhere, or could not be found.
    #[error("{reason}")]
    NoSurface {
        /// Which of these.
        reason: String,
    },
    /// Half-spaces that do not enclose a body.
    #[error("{0}")]
    Unbounded(PolytopeError),
    /// A centre that is not inside.
    #[error("{0}")]
    CenterOutside(PolytopeError),
    /// Two rotations, or a matrix beside other fields.
    #[error("a pose takes one rotation: {found} stand together")]
    PoseConflict {
        /// The fields found.
        found: String,
    },
    /// A rotation that is none.
    #[error("{reason}")]
    BadRotation {
        /// Why not.
        reason: String,
    },
    /// Planar and solid things mixed.
    #[error("{reason}")]
    DimensionMismatch {
        /// What meets what.
        reason: String,
    },
    /// A wish that does not exist.
    #[error("unknown want `{want}`; wants are {known}")]
    UnknownWant {
        /// The word found.
        want: String,
        /// The words that would do.
        known: String,
    },
    /// Two bodies that cannot be compared, or not in the way asked for.
    #[error("{reason}")]
    UnsupportedPair {
        /// Which and why.
        reason: String,
    },
    /// A file that is not there or cannot be opened.
    #[error("cannot read the file: {reason}")]
    FileNotFound {
        /// What the system said.
        reason: String,
    },
    /// A file whose content is not what its name says.
    #[error("{reason}")]
    BadFile {
        /// What is wrong with it.
        reason: String,
    },
    /// A line longer than the stream accepts.
    #[error("the line is longer than {limit} bytes")]
    LineTooLong {
        /// The limit.
        limit: usize,
    },
    /// A result larger than what would read it accepts.
    #[error("{what}: too large; `clearance view RECORDING.jsonl --every N` shows every Nth frame")]
    TooLarge {
        /// What is too large.
        what: String,
    },
    /// A result that could not be written.
    #[error("cannot write: {reason}")]
    WriteFailed {
        /// What the system said.
        reason: String,
    },
}

/// Every code an [`Error`] can carry, in alphabetical order.
pub const CODES: [&str; 34] = [
    "bad_file",
    "bad_json",
    "bad_knots",
    "bad_polynomial",
    "bad_rotation",
    "bad_toml",
    "bad_value",
    "bad_weight",
    "center_outside",
    "dimension_mismatch",
    "duplicate_name",
    "file_not_found",
    "flat_polytope",
    "inconsistent_orientation",
    "inconsistent_profile",
    "line_too_long",
    "missing_field",
    "no_surface",
    "not_convex",
    "not_finite",
    "not_manifold",
    "number_out_of_range",
    "pose_conflict",
    "too_large",
    "unbounded",
    "unknown_key",
    "unknown_kind",
    "unknown_name",
    "unknown_units",
    "unknown_want",
    "unsupported_feature",
    "unsupported_pair",
    "write_failed",
    "wrong_type",
];

impl ErrorKind {
    /// The stable code: the only place where kinds become codes.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::BadJson { .. } => "bad_json",
            Self::BadToml { .. } => "bad_toml",
            Self::UnknownKind { .. } => "unknown_kind",
            Self::UnsupportedFeature { .. } => "unsupported_feature",
            Self::UnknownKey { .. } => "unknown_key",
            Self::UnknownName { .. } => "unknown_name",
            Self::DuplicateName { .. } => "duplicate_name",
            Self::MissingField { .. } => "missing_field",
            Self::WrongType { .. } => "wrong_type",
            Self::BadValue { .. } => "bad_value",
            Self::UnknownUnits { .. } => "unknown_units",
            Self::NumberOutOfRange { .. } => "number_out_of_range",
            Self::NotFinite { .. } => "not_finite",
            Self::FlatPolytope(_) => "flat_polytope",
            Self::NotConvex { .. } => "not_convex",
            Self::NotManifold { .. } => "not_manifold",
            Self::InconsistentOrientation { .. } => "inconsistent_orientation",
            Self::InconsistentProfile { .. } => "inconsistent_profile",
            Self::BadKnots { .. } => "bad_knots",
            Self::BadWeight { .. } => "bad_weight",
            Self::BadPolynomial { .. } => "bad_polynomial",
            Self::NoSurface { .. } => "no_surface",
            Self::Unbounded(_) => "unbounded",
            Self::CenterOutside(_) => "center_outside",
            Self::PoseConflict { .. } => "pose_conflict",
            Self::BadRotation { .. } => "bad_rotation",
            Self::DimensionMismatch { .. } => "dimension_mismatch",
            Self::UnknownWant { .. } => "unknown_want",
            Self::UnsupportedPair { .. } => "unsupported_pair",
            Self::FileNotFound { .. } => "file_not_found",
            Self::BadFile { .. } => "bad_file",
            Self::LineTooLong { .. } => "line_too_long",
            Self::TooLarge { .. } => "too_large",
            Self::WriteFailed { .. } => "write_failed",
        }
    }
}

/// What went wrong and where.
///
/// ```
/// use clearance_formats::{Context, Shape};
/// let error = Shape::from_json(r#"{"kind": "box", "size": [1, 2, 3], "colour": 4}"#, &Context::default())
///     .unwrap_err();
/// assert_eq!(error.code(), "unknown_key");
/// assert_eq!(error.key(), Some("colour"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    // Boxed, so that a Result stays small.
    inside: Box<Inside>,
}

#[derive(Clone, Debug, PartialEq)]
struct Inside {
    kind: ErrorKind,
    file: Option<PathBuf>,
    line: Option<usize>,
    key: Option<String>,
    named_file: Option<PathBuf>,
}

impl Error {
    /// An error that stands nowhere yet.
    pub fn new(kind: ErrorKind) -> Self {
        Self { inside: Box::new(Inside { kind, file: None, line: None, key: None, named_file: None }) }
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.inside.kind
    }

    /// The stable code, one of [`CODES`].
    pub fn code(&self) -> &'static str {
        self.inside.kind.code()
    }

    /// The file, where one was read.
    pub fn file(&self) -> Option<&Path> {
        self.inside.file.as_deref()
    }

    /// The line, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.inside.line
    }

    /// The path of keys to the offender, as in `body.pen.pose.rotation`.
    pub fn key(&self) -> Option<&str> {
        self.inside.key.as_deref()
    }

    /// What went wrong and under which key, without file and line.
    pub fn message(&self) -> String {
        let key = self.key().map(|key| format!("{key}: ")).unwrap_or_default();
        let file = self.named_file().map(|file| format!("{}: ", file.display())).unwrap_or_default();
        format!("{key}{file}{}", self.kind())
    }

    /// The file that the input names under [`Error::key`] and that is at fault, such as a mesh.
    pub fn named_file(&self) -> Option<&Path> {
        self.inside.named_file.as_deref()
    }

    /// The same error about a file that the input names; the first file named stays.
    #[must_use]
    pub fn about_file(mut self, file: &Path) -> Self {
        self.inside.named_file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// The same error in a file; the first file named stays.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        self.inside.file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// The same error on a line; the first line named stays.
    #[must_use]
    pub fn on_line(mut self, line: usize) -> Self {
        self.inside.line.get_or_insert(line);
        self
    }

    /// The same error under a key; the first key named stays.
    #[must_use]
    pub fn at_key(mut self, key: impl Into<String>) -> Self {
        self.inside.key.get_or_insert_with(|| key.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = self.file() {
            write!(f, "{}:", file.display())?;
        }
        match (self.file(), self.line()) {
            (Some(_), Some(line)) => write!(f, "{line}: ")?,
            (Some(_), None) => write!(f, " ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        write!(f, "{}", self.message())
    }
}

impl std::error::Error for Error {}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}
