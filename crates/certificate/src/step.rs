//! The steps of a proof, each a JSON list that begins with a word.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// One of the two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The body that stands still.
    A,
    /// The body that the pose moves.
    B,
}

/// A parameter of a patch, or a coordinate of the box of a level set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// First parameter of a patch, or that of a curve.
    U,
    /// Second parameter of a patch.
    V,
    /// First coordinate of a box.
    X,
    /// Second coordinate.
    Y,
    /// Third coordinate.
    Z,
}

/// One step: what is done to the pair of nodes whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A group falls apart into its children, or a cell is halved across an axis; the proofs of the parts follow.
    Split {
        /// Whose node.
        side: Side,
        /// None for a group.
        axis: Option<Axis>,
    },
    /// Between the nodes there is a slab across this direction, from A toward B, as wide as the bound.
    Slab {
        /// Of any length.
        direction: [f64; 3],
    },
    /// Moving in a cell along `alpha` S_u + `beta` S_v always brings its points closer to the other node, or always
    /// farther away. The parameters u and v run from 0 to 1 over the cell.
    Free {
        /// Whose cell moves.
        side: Side,
        /// Along the first parameter.
        alpha: f64,
        /// Along the second, for a patch; none for a curve.
        beta: Option<f64>,
    },
    /// The cell lies outside the trimmed region of its face.
    Outside {
        /// Whose cell.
        side: Side,
    },
    /// The polynomial of a level set has no zero in the cell.
    Empty {
        /// Whose cell.
        side: Side,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Split,
    Slab,
    Free,
    Outside,
    Empty,
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Split { side, axis: None } => (Word::Split, side).serialize(serializer),
            Self::Split { side, axis: Some(axis) } => (Word::Split, side, axis).serialize(serializer),
            Self::Slab { direction: [x, y, z] } => (Word::Slab, x, y, z).serialize(serializer),
            Self::Free { side, alpha, beta: None } => (Word::Free, side, alpha).serialize(serializer),
            Self::Free { side, alpha, beta: Some(beta) } => {
                (Word::Free, side, alpha, beta).serialize(serializer)
            }
            Self::Outside { side } => (Word::Outside, side).serialize(serializer),
            Self::Empty { side } => (Word::Empty, side).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StepVisitor)
    }
}

struct StepVisitor;

impl<'de> Visitor<'de> for StepVisitor {
    type Value = Step;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a step, a list that begins with split, slab, free, outside or empty")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Step, A::Error> {
        let step = match need(&mut list)? {
            Word::Split => Step::Split { side: need(&mut list)?, axis: list.next_element()? },
            Word::Slab => Step::Slab { direction: [need(&mut list)?, need(&mut list)?, need(&mut list)?] },
            Word::Free => {
                Step::Free { side: need(&mut list)?, alpha: need(&mut list)?, beta: list.next_element()? }
            }
            Word::Outside => Step::Outside { side: need(&mut list)? },
            Word::Empty => Step::Empty { side: need(&mut list)? },
        };
        // The JSON reader refuses whatever is left in the list.
        Ok(step)
    }
}

fn need<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(list: &mut A) -> Result<T, A::Error> {
    list.next_element()?.ok_or_else(|| A::Error::custom("a step ends too early"))
}
