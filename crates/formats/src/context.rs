//! What numbers and file names in an input refer to.

use crate::{Scale, Units};
use std::path::{Path, PathBuf};

/// What the reader of a shape or pose must know about its surroundings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    directory: PathBuf,
    units: Units,
    answers: Units,
    planar: bool,
}

impl Context {
    /// Lengths are in `units`, and so are the answers; file names count from `directory`.
    pub fn new(directory: impl Into<PathBuf>, units: Units) -> Self {
        Self { directory: directory.into(), units, answers: units, planar: false }
    }

    /// The same with answers in another unit: lengths are converted while they are read.
    #[must_use]
    pub fn with_answers_in(mut self, units: Units) -> Self {
        self.answers = units;
        self
    }

    /// The same with lengths and answers in `units`.
    #[must_use]
    pub fn in_units(&self, units: Units) -> Self {
        Self { units, answers: units, ..self.clone() }
    }

    /// The same with points and segments taken as planar unless they say otherwise.
    #[must_use]
    pub const fn with_planar(mut self, planar: bool) -> Self {
        self.planar = planar;
        self
    }

    /// The unit of the numbers read.
    pub const fn units(&self) -> Units {
        self.units
    }

    /// The unit of what is built.
    pub const fn answer_units(&self) -> Units {
        self.answers
    }

    /// Whether points and segments are planar unless they say otherwise.
    pub const fn is_planar(&self) -> bool {
        self.planar
    }

    pub(crate) const fn scale(&self) -> Scale {
        self.units.to(self.answers)
    }

    pub(crate) fn in_directory(&self, directory: PathBuf) -> Self {
        Self { directory, ..self.clone() }
    }

    pub(crate) fn resolve(&self, file: &str) -> PathBuf {
        self.directory.join(Path::new(file))
    }
}
