//! Symmetric systems of up to four unknowns.

use super::Four;
use crate::tolerance::NEWTON_PIVOT_REL;

/// Solves `matrix · x = right` over the unknowns that `free` names; the others are 0. `None` where it is singular: a
/// pivot is rounding beside its own row.
pub(super) fn solve(matrix: &[Four; 4], right: &Four, free: [bool; 4], count: usize) -> Option<Four> {
    let chosen: Vec<usize> = (0..count).filter(|&k| free[k]).collect();
    let n = chosen.len();
    let mut rows = [[0.0; 5]; 4];
    for (i, &k) in chosen.iter().enumerate() {
        for (j, &l) in chosen.iter().enumerate() {
            rows[i][j] = matrix[k][l];
        }
        rows[i][4] = right[k];
    }
    let scale: Vec<f64> =
        (0..n).map(|i| rows[i][..n].iter().fold(0.0_f64, |most, v| most.max(v.abs()))).collect();
    let mut scale = scale;
    for pivot in 0..n {
        let share = |i: usize| rows[i][pivot].abs() / scale[i];
        let best = (pivot..n).max_by(|&i, &j| share(i).total_cmp(&share(j)))?;
        // Written so that NaN is singular.
        if !(rows[best][pivot].abs() > NEWTON_PIVOT_REL * scale[best]) {
            return None;
        }
        rows.swap(pivot, best);
        scale.swap(pivot, best);
        let top = rows[pivot];
        for row in rows.iter_mut().take(n).skip(pivot + 1) {
            let factor = row[pivot] / top[pivot];
            for (value, above) in row.iter_mut().zip(top) {
                *value -= factor * above;
            }
        }
    }
    let mut solution = [0.0; 4];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * solution[chosen[j]]).sum();
        solution[chosen[i]] = (rows[i][4] - known) / rows[i][i];
    }
    solution.iter().all(|v| v.is_finite()).then_some(solution)
}

/// Whether the symmetric matrix over the unknowns that `free` names is positive definite: all pivots of its elimination
/// without exchange are clearly positive.
pub(super) fn is_positive(matrix: &[Four; 4], free: [bool; 4], count: usize) -> bool {
    let chosen: Vec<usize> = (0..count).filter(|&k| free[k]).collect();
    let n = chosen.len();
    let mut rows = [[0.0; 4]; 4];
    for i in 0..n {
        for j in 0..n {
            rows[i][j] = matrix[chosen[i]][chosen[j]];
        }
    }
    for pivot in 0..n {
        if !(rows[pivot][pivot] > NEWTON_PIVOT_REL * matrix[chosen[pivot]][chosen[pivot]].abs()) {
            return false;
        }
        let top = rows[pivot];
        for row in rows.iter_mut().take(n).skip(pivot + 1) {
            let factor = row[pivot] / top[pivot];
            for (value, above) in row.iter_mut().zip(top) {
                *value -= factor * above;
            }
        }
    }
    true
}

/// The largest eigenvalue of a symmetric positive matrix, by its powers.
pub(super) fn largest_eigenvalue(matrix: &[Four; 4], count: usize) -> f64 {
    let mut vector = [1.0, 0.7, 0.4, 0.2];
    let mut value = 0.0;
    for _ in 0..POWERS {
        let mut image = [0.0; 4];
        for i in 0..count {
            image[i] = (0..count).map(|j| matrix[i][j] * vector[j]).sum();
        }
        value = image.iter().map(|v| v * v).sum::<f64>().sqrt();
        if !(value > 0.0) {
            return 0.0;
        }
        vector = image.map(|v| v / value);
    }
    value
}

/// Enough for three digits of the eigenvalue, and a gain limit needs no more.
const POWERS: usize = 200;
