//! Roots as eigenvalues: of the companion matrix of a polynomial, and of a polynomial whose coefficients are matrices.
//!
//! Source: Frobenius' companion matrix; its block form; Manocha 1992 for resultants.
//! Differs: a matrix polynomial may have a singular leading coefficient. Instead of a generalised eigenproblem, the
//! variable is turned on the projective line until the leading coefficient is well conditioned.
//! Ends because: a fixed number of turns is tried, and the eigenvalue iteration is limited.
//! Cost: 10 (size · degree)³ operations.
//! Not promised: digits of multiple roots.

use crate::tolerance::RANK_REL;
use crate::{Complex, Matrix, Polynomial, RootsError, eigenvalues};
use std::f64::consts::PI;

/// Turns of the projective line that are tried.
const TURNS: usize = 7;

/// All complex roots of a polynomial.
///
/// ```
/// use clearance_roots::{Polynomial, companion_roots};
/// let roots = companion_roots(&Polynomial::new(vec![1.0, 0.0, 1.0])?)?;
/// assert!(roots.iter().all(|root| root.real.abs() < 1e-15 && (root.imaginary.abs() - 1.0).abs() < 1e-15));
/// # Ok::<(), clearance_roots::RootsError>(())
/// ```
///
/// # Errors
/// [`RootsError::Zero`], [`RootsError::NotFinite`], [`RootsError::NoConvergence`].
pub fn companion_roots(polynomial: &Polynomial) -> Result<Vec<Complex>, RootsError> {
    if polynomial.is_zero() {
        return Err(RootsError::Zero);
    }
    let c = polynomial.coefficients();
    let n = polynomial.degree();
    eigenvalues(Matrix::from_fn(n, n, |i, j| match (i, j) {
        (0, j) => -c[n - 1 - j] / c[n],
        (i, j) if i == j + 1 => 1.0,
        _ => 0.0,
    }))
}

/// A polynomial M₀ + M₁ t + … whose coefficients are square matrices of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixPolynomial {
    coefficients: Vec<Matrix>,
}

/// A point of the projective line at which a matrix polynomial is singular.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Singular {
    /// The root is `value / weight`; a weight of zero is infinity.
    pub(crate) value: f64,
    pub(crate) weight: f64,
    /// Imaginary part on the turned line, where all finite and infinite roots are of like size.
    pub(crate) imaginary: f64,
}

impl MatrixPolynomial {
    /// From coefficients, lowest power first.
    pub fn new(coefficients: Vec<Matrix>) -> Self {
        Self { coefficients }
    }

    /// The matrix at `t`.
    pub fn value(&self, t: f64) -> Matrix {
        self.homogeneous(t, 1.0)
    }

    fn homogeneous(&self, value: f64, weight: f64) -> Matrix {
        let degree = self.coefficients.len() - 1;
        let n = self.coefficients[0].rows();
        let mut sum = Matrix::zero(n, n);
        for (k, c) in self.coefficients.iter().enumerate() {
            let factor = value.powi(k as i32) * weight.powi((degree - k) as i32);
            for i in 0..n {
                for (s, x) in sum.row_mut(i).iter_mut().zip(c.row(i)) {
                    *s += factor * x;
                }
            }
        }
        sum
    }

    /// All t, infinity included, at which the matrix is singular.
    ///
    /// # Errors
    /// [`RootsError::NotIsolated`] where it is singular everywhere; [`RootsError::NoConvergence`],
    /// [`RootsError::NotFinite`].
    pub(crate) fn singular_points(&self) -> Result<Vec<Singular>, RootsError> {
        let degree = self.coefficients.len() - 1;
        let n = self.coefficients[0].rows();
        // t = (c u + s) / (−s u + c): u = ∞ is t = −c / s.
        let turn = |k: usize| ((k as f64 + 0.37) * PI / TURNS as f64).sin_cos();
        let ratio = |k: &usize| {
            let (s, c) = turn(*k);
            self.homogeneous(c, -s).factors().ratio()
        };
        let best = (0..TURNS).map(|k| (k, ratio(&k))).fold((0, -1.0), |b, x| if x.1 > b.1 { x } else { b });
        if !(best.1 > RANK_REL) {
            return Err(RootsError::NotIsolated);
        }
        let (s, c) = turn(best.0);
        let turned = self.turned(s, c);
        let lead = turned[degree].clone().factors();
        let mut companion = Matrix::zero(n * degree, n * degree);
        for (k, block) in turned.iter().take(degree).enumerate() {
            for j in 0..n {
                let mut column: Vec<f64> = (0..n).map(|i| -block[(i, j)]).collect();
                lead.solve(&mut column);
                for (i, x) in column.into_iter().enumerate() {
                    companion[(i, (degree - 1 - k) * n + j)] = x;
                }
            }
        }
        for i in n..n * degree {
            companion[(i, i - n)] = 1.0;
        }
        let of = |u: Complex| Singular {
            value: c * u.real + s,
            weight: c - s * u.real,
            imaginary: u.imaginary / (1.0 + u.real.abs()),
        };
        Ok(eigenvalues(companion)?.into_iter().map(of).collect())
    }

    /// Coefficients in u of Σ M_k (c u + s)^k (−s u + c)^(degree − k).
    fn turned(&self, s: f64, c: f64) -> Vec<Matrix> {
        let degree = self.coefficients.len() - 1;
        let n = self.coefficients[0].rows();
        let mut turned = vec![Matrix::zero(n, n); degree + 1];
        for (k, block) in self.coefficients.iter().enumerate() {
            let mut weights = vec![1.0];
            for factor in (0..degree).map(|at| if at < k { [s, c] } else { [c, -s] }) {
                let mut next = vec![0.0; weights.len() + 1];
                for (at, w) in weights.iter().enumerate() {
                    next[at] += factor[0] * w;
                    next[at + 1] += factor[1] * w;
                }
                weights = next;
            }
            for (sum, w) in turned.iter_mut().zip(weights) {
                for i in 0..n {
                    for (x, y) in sum.row_mut(i).iter_mut().zip(block.row(i)) {
                        *x += w * y;
                    }
                }
            }
        }
        turned
    }
}
