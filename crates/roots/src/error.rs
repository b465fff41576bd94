//! Why roots could not be found.

use thiserror::Error;

/// An equation, or a pair of them, whose roots cannot be listed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RootsError {
    /// A coefficient is not a finite number.
    #[error("a coefficient is not a finite number")]
    NotFinite,
    /// Every coefficient is zero: every number is a root.
    #[error("the polynomial is zero everywhere")]
    Zero,
    /// An interval whose ends are not finite or not in order.
    #[error("the interval {low} to {high} is empty or not finite")]
    BadInterval {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The iteration for eigenvalues did not settle.
    #[error("{left} of {size} eigenvalues did not settle")]
    NoConvergence {
        /// Eigenvalues not found.
        left: usize,
        /// Size of the matrix.
        size: usize,
    },
    /// The two equations share a factor, or so nearly that rounding hides the difference: their common zeros are not
    /// isolated.
    #[error("the common zeros are not isolated")]
    NotIsolated,
    /// The two polynomials are not of one kind of shape, or constant.
    #[error("the two polynomials do not make a system")]
    BadSystem,
}
