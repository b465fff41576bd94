//! Pairs of cells over which half the squared distance is a convex function of the parameters: one point tells of all.
//!
//! Source: a matrix known up to an error entry by entry is positive definite if, in the coordinates that make its
//! middle the identity, the error's largest row sum is below 1.
//! Differs: the entries come from balls around the derivatives of both cells.
//! Ends because: closed formulas.
//! Cost: a factorisation of order at most 4 and its inverse.
//! Not promised: that every convex pair of cells is recognised.

use super::derivatives::{Ball, Derivatives};
use super::descend::{Cholesky, Value};
use super::evaluation::Lost;
use super::side::Cell;
use crate::tolerance::LEVENBERG_REL;

/// How half the squared distance bends over both cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bend {
    /// Strictly convex.
    Convex,
    /// Some direction has a negative second derivative everywhere: no minimum is inside.
    Saddle,
    /// Neither is known.
    Unknown,
}

/// Whether half the squared distance is strictly convex over both cells.
pub(crate) fn is_convex(cells: [&Cell; 2], derivatives: &[Derivatives; 2]) -> bool {
    let (middle, error) = hessian(cells, derivatives);
    is_positive(&middle, &error)
}

/// How half the squared distance bends over both cells.
pub(crate) fn bend(cells: [&Cell; 2], derivatives: &[Derivatives; 2]) -> Bend {
    let (middle, error) = hessian(cells, derivatives);
    if is_positive(&middle, &error) {
        return Bend::Convex;
    }
    let counts =
        [cells[0].dimension > 0, cells[0].dimension > 1, cells[1].dimension > 0, cells[1].dimension > 1];
    if (0..4).any(|i| counts[i] && middle[i][i] + error[i][i] < 0.0) || falls(&middle, &error) {
        return Bend::Saddle;
    }
    Bend::Unknown
}

/// Whether the direction of least curvature at the middle has a negative one everywhere.
fn falls(middle: &[[f64; 4]; 4], error: &[[f64; 4]; 4]) -> bool {
    let full = |i: usize, j: usize| middle[i.min(j)][i.max(j)];
    // In units in which the diagonal is 1; power iteration on a shifted matrix finds the least eigenvalue's vector.
    let scale = [0, 1, 2, 3].map(|i| 1.0 / middle[i][i].abs().sqrt().max(f64::MIN_POSITIVE));
    let mut x = [1.0, -0.7, 0.5, 0.3];
    for _ in 0..LEAST_ITERATIONS {
        let product = [0, 1, 2, 3]
            .map(|i| 4.0 * x[i] - (0..4).map(|j| scale[i] * full(i, j) * scale[j] * x[j]).sum::<f64>());
        let length = product.iter().map(|y| y * y).sum::<f64>().sqrt();
        if !(length > 0.0) {
            return false;
        }
        x = product.map(|y| y / length);
    }
    let v = [0, 1, 2, 3].map(|i| scale[i] * x[i]);
    let mut sum = 0.0;
    for i in 0..4 {
        for j in 0..4 {
            sum += v[i] * full(i, j) * v[j] + (v[i] * v[j]).abs() * error[i][j];
        }
    }
    sum < 0.0
}

/// Steps of the power iteration.
const LEAST_ITERATIONS: usize = 16;

/// The second derivatives at the middle, and what they may be off over the cells.
pub(crate) fn hessian(cells: [&Cell; 2], derivatives: &[Derivatives; 2]) -> ([[f64; 4]; 4], [[f64; 4]; 4]) {
    let between =
        Ball { center: cells[1].center - cells[0].center, radius: cells[0].radius + cells[1].radius };
    let firsts = [
        &derivatives[0].first[0],
        &derivatives[0].first[1],
        &derivatives[1].first[0],
        &derivatives[1].first[1],
    ];
    let counts =
        [cells[0].dimension > 0, cells[0].dimension > 1, cells[1].dimension > 0, cells[1].dimension > 1];
    // The length of each vector is asked for several times.
    let far = between.center.length();
    let mut long = [0.0; 4];
    for i in 0..4 {
        long[i] = firsts[i].center.length();
    }
    let mut middle = [[0.0; 4]; 4];
    let mut error = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in i..4 {
            if !(counts[i] && counts[j]) {
                middle[i][j] = if i == j { 1.0 } else { 0.0 };
                continue;
            }
            let [mut value, mut off] = firsts[i].dot_of_lengths(long[i], firsts[j], long[j]);
            let side = i / 2;
            if side == j / 2 {
                let bending = &derivatives[side].second[i % 2 + j % 2];
                let [bend, wide] = between.dot_of_lengths(far, bending, bending.center.length());
                value += if side == 0 { -bend } else { bend };
                off += wide;
            } else {
                value = -value;
            }
            (middle[i][j], error[i][j], error[j][i]) = (value, off, off);
        }
    }
    (middle, error)
}

/// Whether every symmetric matrix within the error of a middle one is positive definite.
fn is_positive(middle: &[[f64; 4]; 4], error: &[[f64; 4]; 4]) -> bool {
    // One of them has these entries, and an entry that is not positive is the shortest answer.
    for i in 0..4 {
        if !(middle[i][i] > error[i][i]) {
            return false;
        }
    }
    let Some(factor) = Cholesky::new(middle, LEVENBERG_REL) else { return false };
    let mut inverse = inverse(&factor.lower);
    // Row sums of |L⁻¹| E |L⁻ᵀ|, as vectors. Entries above the diagonal of L⁻¹ are zero.
    let mut sums = [0.0; 4];
    for row in &mut inverse {
        for (entry, sum) in row.iter_mut().zip(&mut sums) {
            *entry = entry.abs();
            *sum += *entry;
        }
    }
    let mut spread = [0.0; 4];
    for i in 0..4 {
        spread[i] =
            error[i][0] * sums[0] + error[i][1] * sums[1] + error[i][2] * sums[2] + error[i][3] * sums[3];
    }
    let [first, second, third, fourth] = &inverse;
    first[0] * spread[0] < 1.0
        && second[0] * spread[0] + second[1] * spread[1] < 1.0
        && third[0] * spread[0] + third[1] * spread[1] + third[2] * spread[2] < 1.0
        && fourth[0] * spread[0] + fourth[1] * spread[1] + fourth[2] * spread[2] + fourth[3] * spread[3] < 1.0
}

/// The inverse of a lower triangular matrix.
pub(crate) fn inverse(lower: &[[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let [l0, l1, l2, l3] = lower;
    let d = [1.0 / l0[0], 1.0 / l1[1], 1.0 / l2[2], 1.0 / l3[3]];
    let m10 = -(l1[0] * d[0]) / l1[1];
    let m20 = -(l2[0] * d[0] + l2[1] * m10) / l2[2];
    let m30 = -(l3[0] * d[0] + l3[1] * m10 + l3[2] * m20) / l3[3];
    let m21 = -(l2[1] * d[1]) / l2[2];
    let m31 = -(l3[1] * d[1] + l3[2] * m21) / l3[3];
    let m32 = -(l3[2] * d[2]) / l3[3];
    [[d[0], 0.0, 0.0, 0.0], [m10, d[1], 0.0, 0.0], [m20, m21, d[2], 0.0], [m30, m31, m32, d[3]]]
}

/// A lower bound on the distance over cells on which half its square is nearly convex, as it is along a curve of nearest
/// points: its tangent plane at a point, less what the least curvature may take off over the cells.
pub(crate) fn weak_lower_bound(
    cells: [&Cell; 2],
    derivatives: &[Derivatives; 2],
    value: &Value,
    lost: Lost,
) -> f64 {
    let (middle, error) = hessian(cells, derivatives);
    let counts = |i: usize| cells[i / 2].dimension > i % 2;
    let metric = [0, 1, 2, 3]
        .map(|i| if counts(i) { derivatives[i / 2].first[i % 2].center.length_squared() } else { 0.0 });
    let scale = metric.map(|m| if m > 0.0 { 1.0 / m.sqrt() } else { 0.0 });
    let mut scaled = [[0.0; 4]; 4];
    for (i, row) in scaled.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = if counts(i) && counts(j) {
                scale[i] * middle[i.min(j)][i.max(j)] * scale[j]
            } else {
                f64::from(u8::from(i == j))
            };
        }
    }
    let off =
        (0..4).map(|i| (0..4).map(|j| scale[i] * error[i][j] * scale[j]).sum::<f64>()).fold(0.0, f64::max);
    let bend = (least_eigenvalue(scaled) - off).min(0.0);
    let taken: f64 = (0..4).map(|i| metric[i] * value.at[i].max(1.0 - value.at[i]).powi(2)).sum();
    bound_of(cells, value, lost, 0.5 * bend * taken)
}

/// The least eigenvalue of a symmetric matrix, by Jacobi's rotations, rounded down.
fn least_eigenvalue(mut m: [[f64; 4]; 4]) -> f64 {
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * m[p][q]).atan2(m[q][q] - m[p][p]);
            let (sin, cos) = angle.sin_cos();
            for row in &mut m {
                (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
            }
            let (row_p, row_q) = (m[p], m[q]);
            m[p] = [0, 1, 2, 3].map(|k| cos * row_p[k] - sin * row_q[k]);
            m[q] = [0, 1, 2, 3].map(|k| sin * row_p[k] + cos * row_q[k]);
        }
    }
    // What is left off the diagonal shifts an eigenvalue by no more than its row's sum.
    let least = |i: usize| m[i][i] - (0..4).filter(|&j| j != i).map(|j| m[i][j].abs()).sum::<f64>();
    (0..4).map(least).fold(f64::INFINITY, f64::min) - 64.0 * f64::EPSILON
}

/// Sweeps of Jacobi's rotations.
const SWEEPS: usize = 5;

/// A lower bound on the distance over cells on which half its square is convex, from its tangent plane at a point whose
/// parameters run from 0 to 1 over the cells.
pub(crate) fn lower_bound(cells: [&Cell; 2], value: &Value, lost: Lost) -> f64 {
    bound_of(cells, value, lost, 0.0)
}

/// The least distance on the tangent plane of half its square, lowered by `bend` and by what evaluating it may have lost.
fn bound_of(cells: [&Cell; 2], value: &Value, lost: Lost, bend: f64) -> f64 {
    let counts = |i: usize| cells[i / 2].dimension > i % 2;
    let fall = |i: usize| {
        let (down, up) = (-value.at[i] * value.gradient[i], (1.0 - value.at[i]) * value.gradient[i]);
        if counts(i) { down.min(up) } else { 0.0 }
    };
    let distance = (2.0 * value.half_square).sqrt();
    let rounding = lost.of_half_square(distance, (0..4).filter(|&i| counts(i)).map(|i| value.metric[i]));
    let fall = (0..4).map(fall).sum::<f64>();
    let least = (2.0 * (value.half_square + fall + bend - rounding)).max(0.0).sqrt();
    least - cells[0].slack - cells[1].slack
}
