//! Eigenvalues and eigenvectors of a small symmetric matrix.
//!
//! Source: Jacobi 1846: rotations that make one entry off the diagonal zero at a time.
//! Differs: nothing.
//! Ends because: sweeps are limited; each lowers the sum of squares off the diagonal, the last ones quadratically.
//! Cost: about six sweeps of n²/2 rotations.
//! Not promised: speed beyond ten rows.

use crate::Matrix;

/// Sweeps; six are usual.
const MOST_SWEEPS: usize = 30;

/// Eigenvalues in ascending order, and a matrix with the eigenvectors as columns in the same order. Only the upper
/// triangle is read.
///
/// ```
/// use clearance_roots::{Matrix, symmetric_eigen};
/// let (values, vectors) = symmetric_eigen(&Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 }));
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// assert!((vectors[(0, 1)] - vectors[(1, 1)]).abs() < 1e-15);
/// ```
pub fn symmetric_eigen(matrix: &Matrix) -> (Vec<f64>, Matrix) {
    let n = matrix.rows();
    let mut a = Matrix::from_fn(n, n, |i, j| matrix[(i.min(j), i.max(j))]);
    let mut v = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    for _ in 0..MOST_SWEEPS {
        let mut settled = true;
        for p in 0..n {
            for q in p + 1..n {
                let off = a[(p, q)];
                if off.abs() <= f64::EPSILON * f64::EPSILON * (a[(p, p)].abs() + a[(q, q)].abs()) {
                    continue;
                }
                settled = false;
                let theta = 0.5 * (a[(q, q)] - a[(p, p)]) / off;
                let t = 1.0_f64.copysign(theta) / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                turn(&mut a, &mut v, (p, q), (c, t * c));
            }
        }
        if settled {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[(i, i)].total_cmp(&a[(j, j)]));
    let vectors = Matrix::from_fn(n, n, |i, j| v[(i, order[j])]);
    (order.into_iter().map(|i| a[(i, i)]).collect(), vectors)
}

fn turn(a: &mut Matrix, v: &mut Matrix, (p, q): (usize, usize), (c, s): (f64, f64)) {
    let n = a.rows();
    for k in 0..n {
        let (x, y) = (a[(k, p)], a[(k, q)]);
        (a[(k, p)], a[(k, q)]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (a[(p, k)], a[(q, k)]);
        (a[(p, k)], a[(q, k)]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (v[(k, p)], v[(k, q)]);
        (v[(k, p)], v[(k, q)]) = (c * x - s * y, s * x + c * y);
    }
    (a[(p, q)], a[(q, p)]) = (0.0, 0.0);
}
