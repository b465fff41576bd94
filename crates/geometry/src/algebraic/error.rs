//! Why a polynomial could not be read, or its zero set not found.

use thiserror::Error;

/// Text that is not a polynomial in x, y and z.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PolynomialError {
    /// A character that cannot stand there.
    #[error("`{found}` at position {at} is not expected")]
    Unexpected {
        /// The character.
        found: char,
        /// Its position in characters, from 0.
        at: usize,
    },
    /// The text ends too early.
    #[error("the polynomial ends too early")]
    Ends,
    /// Digits that are not a finite number.
    #[error("the number at position {at} is not a finite number")]
    BadNumber {
        /// Position of its first character.
        at: usize,
    },
    /// An exponent that is not a whole number, or too large.
    #[error("the exponent at position {at} is not a whole number up to {most}")]
    BadExponent {
        /// Position.
        at: usize,
        /// Largest degree allowed.
        most: u32,
    },
    /// A divisor that is not a number, or zero.
    #[error("the divisor at position {at} is not a number other than zero")]
    BadDivisor {
        /// Position.
        at: usize,
    },
    /// Total degree above what is supported.
    #[error("the degree {degree} is above {most}")]
    DegreeTooHigh {
        /// Degree found.
        degree: u32,
        /// Largest degree allowed.
        most: u32,
    },
    /// Parentheses within parentheses beyond any use.
    #[error("parentheses are nested deeper than {most}")]
    TooDeep {
        /// Largest depth.
        most: usize,
    },
    /// A coefficient overflows.
    #[error("a coefficient is not finite")]
    NotFinite,
}

/// A zero set that is no surface.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AlgebraicError {
    /// The polynomial could not be read.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
    /// A box with an end that is not finite, or no extent.
    #[error("the box has no extent along axis {axis}, or is not finite")]
    BadBox {
        /// 0, 1 or 2.
        axis: usize,
    },
    /// Proved: the polynomial has no zero in the box.
    #[error("the polynomial has no zero inside the box")]
    Empty,
    /// Every zero found has a vanishing gradient: a point, a curve, or a surface counted twice.
    #[error("the polynomial is zero at {at:?}, but its gradient vanishes there: no surface")]
    Singular {
        /// One of the zeros.
        at: [f64; 3],
    },
    /// No zero was found, and none excluded, within the search's limit.
    #[error("no zero was found, and {cells} cells are undecided")]
    Undecided {
        /// Cells that may hold a zero.
        cells: usize,
    },
}
