//! What stands in the file of a certificate: plain data, the same names as its JSON. Unknown keys are errors.
//!
//! Nothing here is checked but the form; [`check()`](crate::check()) does the rest.

use crate::step::Step;
use serde::{Deserialize, Serialize};

/// The version of the file that this crate reads and writes.
pub const VERSION: u32 = 1;

/// A distance between two bodies and the proof of its lower bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of the file, [`VERSION`].
    pub certificate: u32,
    /// The unit of all lengths; informative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
    /// Body A, which stands still, and body B, which the pose moves.
    pub bodies: [BodyDescription; 2],
    /// From the frame of B to the frame of A.
    pub pose: Pose,
    /// Distance of the two witnesses: an upper bound.
    pub distance: f64,
    /// No two points of the bodies are nearer than this.
    pub lower_bound: f64,
    /// A point of each body.
    pub witnesses: [Witness; 2],
    /// A tree in prefix order that begins with the pair of both roots. May be empty where the bound is not positive.
    pub proof: Vec<Step>,
    /// SHA-256 of the bodies and the pose, in hexadecimal.
    pub digest: String,
}

/// A map x ↦ R x + t, taken as it is written: nothing asks R to be a rotation to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pose {
    /// R, row by row.
    pub rotation: [[f64; 3]; 3],
    /// t.
    pub translation: [f64; 3],
}

impl Pose {
    /// The pose that leaves everything where it is.
    pub const IDENTITY: Self =
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };
}

/// A body: the pieces of its faces, edges and vertices, and a tree over them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyDescription {
    /// Informative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the body is the union of.
    pub pieces: Vec<Piece>,
    /// The first is the root. A child `c ≥ 0` is piece `c`, a child `c < 0` is group `−c`. Every piece and every other
    /// group has exactly one place in the tree.
    pub groups: Vec<Vec<i64>>,
}

/// A piece of a face, edge or vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PieceKeys", into = "PieceKeys")]
pub struct Piece {
    /// Which face, edge or vertex it belongs to; informative.
    pub feature: String,
    /// Every point of the true piece is within this length of the described one.
    pub slack: f64,
    /// What it is.
    pub shape: Shape,
}

/// The geometry of a piece.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A rational Bézier patch, a curve or a point.
    Patch(Patch),
    /// A part of an algebraic surface.
    Level(Level),
    /// All of one side of a plane; only as the one piece of a body.
    HalfSpace(HalfSpace),
}

/// A rational Bézier patch (two degrees), curve (one) or point (none).
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// One for each parameter.
    pub degree: Vec<usize>,
    /// `[X, Y, Z, W]` of the point (X, Y, Z)/W with W > 0; the index of the second parameter runs fastest.
    pub points: Vec<[f64; 4]>,
    /// The boundary of the part of a patch that belongs to the body; none, or an empty list, is the whole patch.
    pub trim: Option<Vec<TrimPart>>,
}

/// A part of the boundary of a trimmed region, with material on the left of its way, in the parameters of the patch,
/// which run from 0 to 1. Each coordinate is clamped to [−0.5, 1.5]. Parts that are not under or over the patch are left
/// out, and those over it may be. Where a part ends within 0 < u < 1, v ≤ 1, the next begins with the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 8]", into = "[f64; 8]")]
pub struct TrimPart {
    /// Where it begins.
    pub from: [f64; 2],
    /// Where it ends.
    pub to: [f64; 2],
    /// Lower corner of a rectangle around all of it.
    pub low: [f64; 2],
    /// Upper corner.
    pub high: [f64; 2],
}

impl From<[f64; 8]> for TrimPart {
    fn from([a, b, c, d, e, f, g, h]: [f64; 8]) -> Self {
        Self { from: [a, b], to: [c, d], low: [e, f], high: [g, h] }
    }
}

impl From<TrimPart> for [f64; 8] {
    fn from(part: TrimPart) -> Self {
        let TrimPart { from, to, low, high } = part;
        [from[0], from[1], to[0], to[1], low[0], low[1], high[0], high[1]]
    }
}

/// The zeros of a polynomial in a box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// `(c, i, j, k)` for each c xⁱ yʲ zᵏ.
    pub terms: Vec<(f64, usize, usize, usize)>,
    /// Lower and upper corner.
    #[serde(rename = "box")]
    pub within: [[f64; 3]; 2],
}

/// All x with normal·x ≤ offset. The normal has any length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HalfSpace {
    /// Points out.
    pub normal: [f64; 3],
    /// In units of the normal.
    pub offset: f64,
}

/// A point of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The piece that it is on.
    pub piece: usize,
    /// The parameters of a patch or curve; none for a point, and for a half-space, whose witness is the foot of the
    /// other one; x, y and z in the frame of the body for a level set.
    pub at: Vec<f64>,
}

/// A piece with the keys of its JSON.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PieceKeys {
    feature: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    degree: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    points: Option<Vec<[f64; 4]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    level: Option<Level>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    half_space: Option<HalfSpace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slack: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trim: Option<Vec<TrimPart>>,
}

impl TryFrom<PieceKeys> for Piece {
    type Error = &'static str;

    fn try_from(keys: PieceKeys) -> Result<Self, Self::Error> {
        let PieceKeys { feature, degree, points, level, half_space, slack, trim } = keys;
        let shape = match (degree, points, level, half_space) {
            (Some(degree), Some(points), None, None) => Shape::Patch(Patch { degree, points, trim }),
            (None, None, Some(level), None) if trim.is_none() => Shape::Level(level),
            (None, None, None, Some(half)) if trim.is_none() && slack.is_none() => Shape::HalfSpace(half),
            _ => return Err("a piece has `degree` and `points`, or `level`, or `half_space`"),
        };
        Ok(Self { feature, slack: slack.unwrap_or(0.0), shape })
    }
}

impl From<Piece> for PieceKeys {
    fn from(piece: Piece) -> Self {
        let Piece { feature, slack, shape } = piece;
        let (mut degree, mut points, mut level, mut half_space, mut trim) = (None, None, None, None, None);
        let mut written = Some(slack);
        match shape {
            Shape::Patch(patch) => {
                (degree, points, trim) = (Some(patch.degree), Some(patch.points), patch.trim)
            }
            Shape::Level(it) => level = Some(it),
            Shape::HalfSpace(it) => (half_space, written) = (Some(it), None),
        }
        Self { feature, degree, points, level, half_space, slack: written, trim }
    }
}
