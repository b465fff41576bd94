//! Eigenvalues of a real matrix, and the eigenvector of a real one.
//!
//! Source: balancing (Osborne 1960), reduction to Hessenberg form by reflections, Francis' implicit double shifts (1961);
//! inverse iteration (Wielandt) for vectors. Golub and Van Loan, chapter 7.
//! Differs: no Schur vectors are kept: only real eigenvalues need a vector, and one factorisation each gives it with a
//! small residual.
//! Ends because: each eigenvalue has a limit of steps; beyond it the call fails with how many are left.
//! Cost: about 10 n³ operations for the values, n³/3 more for each vector; 36 rows take a fraction of a millisecond.
//! Not promised: digits of eigenvalues that are nearly multiple: a k-fold one moves by the k-th root of rounding.

use crate::matrix::{apply, reflect};
use crate::tolerance::DEFLATION_REL;
use crate::{Matrix, RootsError};

/// Steps for one eigenvalue; three are usual.
const MOST_STEPS: usize = 60;

/// Every so many steps without a result, the shift is an arbitrary one.
const ODD_SHIFT: usize = 10;

/// Rounds of balancing; it settles in three or four.
const MOST_ROUNDS: usize = 20;

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// Real part.
    pub real: f64,
    /// Imaginary part.
    pub imaginary: f64,
}

/// All eigenvalues of a square matrix, conjugate pairs side by side.
///
/// ```
/// use clearance_roots::{Matrix, eigenvalues};
/// let turn = Matrix::from_fn(2, 2, |i, j| if i == j { 0.0 } else { j as f64 - i as f64 });
/// let pair = eigenvalues(turn)?;
/// assert!(pair.iter().all(|value| value.real == 0.0 && value.imaginary.abs() == 1.0));
/// # Ok::<(), clearance_roots::RootsError>(())
/// ```
///
/// # Errors
/// [`RootsError::NotFinite`]; [`RootsError::NoConvergence`] where the iteration does not settle.
pub fn eigenvalues(mut matrix: Matrix) -> Result<Vec<Complex>, RootsError> {
    if !matrix.is_finite() {
        return Err(RootsError::NotFinite);
    }
    balance(&mut matrix);
    reduce(&mut matrix);
    francis(matrix)
}

/// The eigenvector of a real eigenvalue, of unit length, by inverse iteration.
pub fn eigenvector(matrix: &Matrix, value: f64) -> Vec<f64> {
    let n = matrix.rows();
    let mut shifted = matrix.clone();
    for i in 0..n {
        shifted[(i, i)] -= value;
    }
    let factors = shifted.factors();
    // A start without pattern: a vector of ones is orthogonal to too many eigenvectors of symmetric problems.
    let mut x: Vec<f64> = (0..n).map(|i| (0.7 + 1.3 * i as f64).sin() + 0.2).collect();
    for _ in 0..3 {
        factors.solve(&mut x);
        let largest = x.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            break;
        }
        x.iter_mut().for_each(|c| *c /= largest);
        let length = x.iter().map(|c| c * c).sum::<f64>().sqrt();
        x.iter_mut().for_each(|c| *c /= length);
    }
    x
}

/// Scales rows against columns by powers of two until they are of like size.
fn balance(matrix: &mut Matrix) {
    let n = matrix.rows();
    for _ in 0..MOST_ROUNDS {
        let mut settled = true;
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let row: f64 = others().map(|j| matrix[(i, j)].abs()).sum();
            let column: f64 = others().map(|j| matrix[(j, i)].abs()).sum();
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let factor = 2.0_f64.powi((0.5 * (row / column).log2()).round() as i32);
            if column * factor + row / factor < 0.95 * (column + row) {
                settled = false;
                for j in 0..n {
                    matrix[(i, j)] /= factor;
                    matrix[(j, i)] *= factor;
                }
            }
        }
        if settled {
            break;
        }
    }
}

/// To Hessenberg form: zeros below the subdiagonal.
fn reduce(matrix: &mut Matrix) {
    let n = matrix.rows();
    for k in 0..n.saturating_sub(2) {
        let below: Vec<f64> = (k + 1..n).map(|i| matrix[(i, k)]).collect();
        let (reflector, top) = reflect(&below);
        matrix[(k + 1, k)] = top;
        for i in k + 2..n {
            matrix[(i, k)] = 0.0;
        }
        // From the left, row by row: rows += −2 v (vᵀ rows).
        let mut sums = vec![0.0; n];
        for (v, i) in reflector.iter().zip(k + 1..n) {
            for (sum, x) in sums[k + 1..].iter_mut().zip(&matrix.row(i)[k + 1..]) {
                *sum += v * x;
            }
        }
        for (v, i) in reflector.iter().zip(k + 1..n) {
            for (sum, x) in sums[k + 1..].iter().zip(&mut matrix.row_mut(i)[k + 1..]) {
                *x -= 2.0 * v * sum;
            }
        }
        for i in 0..n {
            apply(&reflector, &mut matrix.row_mut(i)[k + 1..]);
        }
    }
}

fn francis(mut h: Matrix) -> Result<Vec<Complex>, RootsError> {
    let n = h.rows();
    let mut values = Vec::with_capacity(n);
    let mut end = n;
    let mut steps = 0;
    while end > 0 {
        let last = end - 1;
        let first = split_at(&mut h, last);
        if first == last {
            values.push(Complex { real: h[(last, last)], imaginary: 0.0 });
            (end, steps) = (last, 0);
        } else if first + 1 == last {
            let block = [[h[(first, first)], h[(first, last)]], [h[(last, first)], h[(last, last)]]];
            values.extend(of_block(block));
            (end, steps) = (first, 0);
        } else {
            steps += 1;
            if steps > MOST_STEPS {
                return Err(RootsError::NoConvergence { left: end, size: n });
            }
            sweep(&mut h, first, last, steps % ODD_SHIFT == 0);
        }
    }
    Ok(values)
}

/// The first row of the last block that has not come apart.
fn split_at(h: &mut Matrix, last: usize) -> usize {
    for k in (1..=last).rev() {
        let mut size = h[(k - 1, k - 1)].abs() + h[(k, k)].abs();
        if size == 0.0 {
            size = h.row(k).iter().map(|x| x.abs()).sum();
        }
        if h[(k, k - 1)].abs() <= DEFLATION_REL * size {
            h[(k, k - 1)] = 0.0;
            return k;
        }
    }
    0
}

fn of_block([[a, b], [c, d]]: [[f64; 2]; 2]) -> [Complex; 2] {
    let (middle, half) = (0.5 * (a + d), 0.5 * (a - d));
    let discriminant = half * half + b * c;
    if discriminant < 0.0 {
        let imaginary = (-discriminant).sqrt();
        return [imaginary, -imaginary].map(|imaginary| Complex { real: middle, imaginary });
    }
    let far = half + discriminant.sqrt().copysign(half);
    let near = if far == 0.0 { d } else { d - b * c / far };
    [d + far, near].map(|real| Complex { real, imaginary: 0.0 })
}

/// One implicit double step on the rows `first` to `last`.
fn sweep(h: &mut Matrix, first: usize, last: usize, odd: bool) {
    let (mut trace, mut determinant) = {
        let [a, b] = [h[(last - 1, last - 1)], h[(last - 1, last)]];
        let [c, d] = [h[(last, last - 1)], h[(last, last)]];
        (a + d, a * d - b * c)
    };
    if odd {
        let size = h[(last, last - 1)].abs() + h[(last - 1, last - 2)].abs();
        (trace, determinant) = (1.5 * size, size * size);
    }
    let [a, b] = [h[(first, first)], h[(first, first + 1)]];
    let [c, d] = [h[(first + 1, first)], h[(first + 1, first + 1)]];
    let start = [a * (a - trace) + determinant + b * c, c * (a + d - trace), c * h[(first + 2, first + 1)]];
    let mut bulge = start.to_vec();
    for k in first..last {
        let width = bulge.len();
        let (reflector, top) = reflect(&bulge);
        if k > first {
            h[(k, k - 1)] = top;
            for i in 1..width {
                h[(k + i, k - 1)] = 0.0;
            }
        }
        for j in k..=last {
            let twice: f64 = 2.0 * (0..width).map(|i| reflector[i] * h[(k + i, j)]).sum::<f64>();
            for (i, v) in reflector.iter().enumerate() {
                h[(k + i, j)] -= twice * v;
            }
        }
        for i in first..=last.min(k + 3) {
            apply(&reflector, &mut h.row_mut(i)[k..k + width]);
        }
        bulge = (k + 1..=last.min(k + 3)).map(|i| h[(i, k)]).collect();
    }
}
