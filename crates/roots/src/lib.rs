//! Polynomials and their roots; no geometry.
//!
//! One variable: [`Polynomial`], all real roots by Bernstein isolation ([`Polynomial::roots_in`],
//! [`Polynomial::real_roots`]) and, sharing no code with it, all roots by the eigenvalues of the companion matrix
//! ([`companion_roots`]). Two variables: [`Bivariate`], all isolated solutions of two equations from the null space of
//! their Macaulay matrix ([`solve_pair`]), or from the Bézout matrix with one variable hidden ([`solve_hidden`]). Dense
//! matrices of the sizes that occur there: [`Matrix`], [`eigenvalues`].
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bernstein;
mod bivariate;
mod companion;
mod direct;
mod eigen;
mod error;
mod hidden;
mod isolate;
mod macaulay;
mod matrix;
mod polynomial;
mod saturated;
mod symmetric;
pub mod tolerance;

pub use bernstein::Bernstein;
pub use bivariate::{Bivariate, Shape};
pub use companion::{MatrixPolynomial, companion_roots};
pub use direct::{cubic_roots, quadratic_roots, quartic_roots};
pub use eigen::{Complex, eigenvalues, eigenvector};
pub use error::RootsError;
pub use hidden::solve_hidden;
pub use isolate::Root;
pub use macaulay::{Candidate, Solved, solve_pair};
pub use matrix::{Factors, Matrix};
pub use polynomial::Polynomial;
pub use saturated::solve_outside;
pub use symmetric::symmetric_eigen;
