//! Algebraic surfaces: the real zero sets of polynomials in x, y, z.

mod error;
mod parse;
mod polynomial;
mod sheets;

pub use error::{AlgebraicError, PolynomialError};
pub use polynomial::{Polynomial, PolynomialJet};
pub use sheets::{AlgebraicSurface, Sheet};
