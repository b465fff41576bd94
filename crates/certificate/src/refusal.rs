//! Why a certificate is not accepted.

use crate::step::Side;
use std::fmt;

/// Why a certificate is not accepted. Steps and pieces are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The bytes are not a certificate.
    #[error("not a certificate: {reason}")]
    Unreadable {
        /// With the line, where there is one.
        reason: String,
    },
    /// A file of another version.
    #[error("a certificate of version {found}; this checker knows version 1")]
    Version {
        /// As written.
        found: u32,
    },
    /// Longer than the checker is made for.
    #[error("too large: {reason}")]
    TooLarge {
        /// What there is too much of.
        reason: &'static str,
    },
    /// The bodies or the pose are not those that were sealed.
    #[error("the digest does not belong to these bodies and this pose")]
    Digest,
    /// A body is described badly.
    #[error("body {side}{}: {reason}", piece.map_or_else(String::new, |piece| format!(", piece {piece}")))]
    Body {
        /// Which body.
        side: Side,
        /// Which piece, if it is one.
        piece: Option<usize>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A witness is no point of its body.
    #[error("witness {side}: {reason}")]
    Witness {
        /// Of which body.
        side: Side,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The distance is not that of the witnesses.
    #[error("the distance {stated} is not that of the witnesses, which are between {low} and {high} apart")]
    Distance {
        /// As written.
        stated: f64,
        /// Lower end of what it may be.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// A lower bound above the distance.
    #[error("the lower bound {bound} is above the distance {distance}")]
    Bound {
        /// As written.
        bound: f64,
        /// As written.
        distance: f64,
    },
    /// A step proves nothing.
    #[error("step {step}: {reason}")]
    Step {
        /// Which step.
        step: usize,
        /// Why not.
        reason: Fault,
    },
    /// The proof ends before all pairs are dealt with.
    #[error("step {step} is missing: the proof ends with {open} pairs left")]
    Incomplete {
        /// Where the next step would stand.
        step: usize,
        /// How many pairs wait.
        open: usize,
    },
    /// All pairs are dealt with before the proof ends.
    #[error("step {step}: nothing is left to prove")]
    Surplus {
        /// The first step too many.
        step: usize,
    },
}

/// Why a step proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The slab is narrower than the bound.
    #[error("the slab is {width} wide at least, not {needed}")]
    Narrow {
        /// What could be shown; NaN where nothing could.
        width: f64,
        /// The bound.
        needed: f64,
    },
    /// A direction has no length, or a number is not finite.
    #[error("no direction")]
    NoDirection,
    /// The derivative changes its sign, or could not be shown to keep it.
    #[error("the derivative may vanish")]
    NotFree,
    /// The cell meets the boundary of its region.
    #[error("the cell meets the boundary of the trimmed region")]
    MeetsBoundary,
    /// The cell lies inside its region.
    #[error("the cell is not outside the trimmed region")]
    NotOutside,
    /// The polynomial may have a zero.
    #[error("the polynomial may vanish in the cell")]
    MayVanish,
    /// The step does not go with what the node is.
    #[error("{0}")]
    Mismatch(&'static str),
}

impl Refusal {
    /// The step that it is about.
    pub const fn step(&self) -> Option<usize> {
        match self {
            Self::Step { step, .. } | Self::Incomplete { step, .. } | Self::Surplus { step } => Some(*step),
            _ => None,
        }
    }

    /// Whether the file could not even be read as a certificate.
    pub const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable { .. } | Self::Version { .. })
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "a",
            Self::B => "b",
        })
    }
}
