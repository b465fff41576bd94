//! Common zeros of two polynomials in two variables, from the Bézout matrix in one with the other hidden.
//!
//! Source: Bézout's matrix in Cayley's form; the hidden variable and eigenvalues: Manocha 1992, which 003 cites.
//! Differs: the other variable is read from real roots of both equations at the hidden one, besides the null vector: it
//! is not one where zeros share the hidden variable.
//! Ends because: one eigenproblem, and root finding in one variable.
//! Cost: an eigenproblem of size max(a, c) · (b + d) for degrees (a, b) and (c, d).
//! Not promised: zeros where the hidden variable is infinite.

use crate::tolerance::NEAR_REAL_REL;
use crate::{Bivariate, Candidate, Matrix, MatrixPolynomial, Polynomial, RootsError, Shape, eigenvector};

/// Candidates for the common zeros of `f` and `g`, the second variable hidden: every real zero is near one of them,
/// not every one of them is near a zero.
///
/// # Errors
/// As for [`crate::solve_pair`].
pub fn solve_hidden(f: &Bivariate, g: &Bivariate) -> Result<Vec<Candidate>, RootsError> {
    if f.coefficients().iter().chain(g.coefficients()).any(|c| !c.is_finite()) {
        return Err(RootsError::NotFinite);
    }
    let degrees = |shape| match shape {
        Shape::Total(d) => (d, d),
        Shape::Box(a, b) => (a, b),
    };
    let ((a, b), (c, d)) = (degrees(f.shape()), degrees(g.shape()));
    let n = a.max(c);
    if n == 0 || b + d == 0 {
        return Err(RootsError::BadSystem);
    }
    if f.norm() == 0.0 || g.norm() == 0.0 {
        return Err(RootsError::NotIsolated);
    }
    let bezout = MatrixPolynomial::new(bezout(f, g, n, b, d));
    let mut candidates = Vec::new();
    for point in bezout.singular_points()? {
        if point.imaginary.abs() > NEAR_REAL_REL || point.imaginary < 0.0 || point.weight == 0.0 {
            continue;
        }
        let t = point.value / point.weight;
        let mut add = |s: f64| {
            candidates.push(Candidate { s: [s, 1.0], t: [t, 1.0], imaginary: point.imaginary });
        };
        let vector = eigenvector(&bezout.value(t), 0.0);
        if n > 1 && vector[0] != 0.0 {
            add(vector[1] / vector[0]);
        }
        for (p, degree) in [(f, a), (g, c)] {
            let at_t = |i: usize| (0..=b.max(d)).rev().fold(0.0, |sum, j| sum * t + p.coefficient(i, j));
            let univariate = Polynomial::new((0..=degree).map(at_t).collect())?;
            if let Ok(roots) = univariate.real_roots() {
                roots.iter().for_each(|root| add(root.value));
            }
        }
    }
    Ok(candidates)
}

/// Coefficients, by powers of t, of the matrix of (f(s) g(r) − f(r) g(s)) / (s − r) in the powers of s and r.
fn bezout(f: &Bivariate, g: &Bivariate, n: usize, b: usize, d: usize) -> Vec<Matrix> {
    let mut powers = vec![Matrix::zero(n, n); b + d + 1];
    // s^k r^l − s^l r^k, k > l, divided by s − r: the sum over m of s^(l + m) r^(k − 1 − m).
    for k in 1..=n {
        for l in 0..k {
            for p in 0..=b {
                for q in 0..=d {
                    let bracket =
                        f.coefficient(k, p) * g.coefficient(l, q) - f.coefficient(l, p) * g.coefficient(k, q);
                    if bracket != 0.0 {
                        for m in 0..k - l {
                            powers[p + q][(l + m, k - 1 - m)] += bracket;
                        }
                    }
                }
            }
        }
    }
    powers
}
