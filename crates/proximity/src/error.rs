//! Why a query could not be answered.

use clearance_geometry::Kind;
use thiserror::Error;

/// A question that has no answer.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// No distance is defined between these two, or none can be computed: two half-spaces, or a curved body.
    #[error("no distance can be computed between {a} and {b}")]
    UnsupportedPair {
        /// Kind of A.
        a: Kind,
        /// Kind of B.
        b: Kind,
    },
    /// A question about one body that is answered for polytopes and half-spaces only.
    #[error("this cannot be answered for {kind}")]
    UnsupportedBody {
        /// Kind of the body.
        kind: Kind,
    },
    /// A curved body that cannot be cut into rational pieces.
    #[error("{reason}")]
    NoPieces {
        /// Which feature, and why.
        reason: String,
    },
    /// A ray, a margin or a point that is not finite, or a direction of length zero.
    #[error("`{field}` is not finite or has no direction")]
    BadArgument {
        /// Name of the argument.
        field: &'static str,
    },
    /// A question that a budget did not suffice to answer: a ray that runs along a curved face, all but touching it.
    #[error("undecided: the budget for {what} ran out")]
    Undecided {
        /// What it was for.
        what: &'static str,
    },
    /// Input and output slices of a batch differ in length.
    #[error("{poses} poses but room for {answers} answers")]
    BatchLength {
        /// Number of poses.
        poses: usize,
        /// Number of places for answers.
        answers: usize,
    },
}

impl QueryError {
    /// Nothing if an argument holds what it must, else its name.
    pub(crate) fn demand(holds: bool, field: &'static str) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::BadArgument { field }) }
    }
}
