//! Small linear systems that may be singular.
//!
//! Source: Gauss elimination, with complete pivoting where a pivot is small.
//! Differs: unknowns left without a pivot stay 0, so that parallel features keep their witnesses where they are.
//! Ends because: loops run over rows and columns.
//! Cost: n³/3 products; n is at most 6.
//! Not promised: the shortest of several solutions.

use crate::tolerance;

/// Most unknowns.
pub(crate) const MOST: usize = 6;

/// Rows of a system with its right side in the last column.
pub(crate) type System = [[f64; MOST + 1]; MOST];

/// The solution of the first `n` rows and columns: pivots below `least` times the largest entry count as none.
#[inline]
pub(crate) fn solve(rows: &System, n: usize, least: f64) -> [f64; MOST] {
    let regular = match n {
        2 => solve_regular::<2>(rows),
        3 => solve_regular::<3>(rows),
        4 => solve_regular::<4>(rows),
        5 => solve_regular::<5>(rows),
        6 => solve_regular::<6>(rows),
        _ => None,
    };
    regular.unwrap_or_else(|| solve_singular(*rows, n, least).0)
}

/// With pivots by columns, as long as none is so small that rounding could have made it.
fn solve_regular<const N: usize>(rows: &System) -> Option<[f64; MOST]> {
    let mut right: [f64; N] = std::array::from_fn(|i| rows[i][MOST]);
    let mut left: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| rows[i][j]));
    let largest = left.iter().flatten().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    let floor = tolerance::REGULAR_PIVOT_REL * largest;
    for k in 0..N {
        let mut best = k;
        for i in k + 1..N {
            best = if left[i][k].abs() > left[best][k].abs() { i } else { best };
        }
        left.swap(k, best);
        right.swap(k, best);
        let pivot = left[k];
        if !(pivot[k].abs() > floor) {
            return None;
        }
        let inverse = pivot[k].recip();
        for i in k + 1..N {
            let factor = left[i][k] * inverse;
            for j in k + 1..N {
                left[i][j] -= factor * pivot[j];
            }
            right[i] -= factor * right[k];
        }
    }
    let mut found = [0.0; MOST];
    for i in (0..N).rev() {
        let mut sum = right[i];
        for j in i + 1..N {
            sum -= left[i][j] * found[j];
        }
        found[i] = sum / left[i][i];
    }
    Some(found)
}

/// Replaces the right side by the solution of a symmetric system given by its lower half; `None`, with the right side as it
/// was, unless it is positive definite with pivots that rounding cannot have made.
#[inline]
pub(crate) fn solve_definite(lower: &[[f64; 4]; 4], x: &mut [f64; 4]) -> Option<()> {
    let largest = (0..4).fold(0.0_f64, |most, i| most.max(lower[i][i]));
    let floor = tolerance::REGULAR_PIVOT_REL * largest;
    // L D Lᵀ, written out: `l` are entries of L, `s` those of L D.
    let m = lower;
    let d0 = m[0][0];
    let i0 = d0.recip();
    let (l10, l20, l30) = (m[1][0] * i0, m[2][0] * i0, m[3][0] * i0);
    let d1 = m[1][1] - l10 * m[1][0];
    let i1 = d1.recip();
    let (s21, s31) = (m[2][1] - l20 * m[1][0], m[3][1] - l30 * m[1][0]);
    let (l21, l31) = (s21 * i1, s31 * i1);
    let d2 = m[2][2] - l20 * m[2][0] - l21 * s21;
    let i2 = d2.recip();
    let s32 = m[3][2] - l30 * m[2][0] - l31 * s21;
    let l32 = s32 * i2;
    let d3 = m[3][3] - l30 * m[3][0] - l31 * s31 - l32 * s32;
    // Written so that NaN ends it.
    if !(d0 > floor && d1 > floor && d2 > floor && d3 > floor) {
        return None;
    }
    let y1 = x[1] - l10 * x[0];
    let y2 = x[2] - l20 * x[0] - l21 * y1;
    let y3 = x[3] - l30 * x[0] - l31 * y1 - l32 * y2;
    x[3] = y3 / d3;
    x[2] = y2 * i2 - l32 * x[3];
    x[1] = y1 * i1 - l21 * x[2] - l31 * x[3];
    x[0] = x[0] * i0 - l10 * x[1] - l20 * x[2] - l30 * x[3];
    Some(())
}

/// With complete pivoting; also how many unknowns were left open.
#[cold]
fn solve_singular(mut rows: System, n: usize, least: f64) -> ([f64; MOST], usize) {
    let mut column_of = [0, 1, 2, 3, 4, 5];
    let mut rank = 0;
    let mut floor = 0.0;
    while rank < n {
        let (mut best, mut at) = (0.0, (rank, rank));
        for (i, row) in rows.iter().enumerate().take(n).skip(rank) {
            for (j, entry) in row.iter().enumerate().take(n).skip(rank) {
                if entry.abs() > best {
                    (best, at) = (entry.abs(), (i, j));
                }
            }
        }
        if rank == 0 {
            floor = best * least;
        }
        // Written so that NaN ends it.
        if !(best > floor) {
            break;
        }
        rows.swap(rank, at.0);
        column_of.swap(rank, at.1);
        for row in &mut rows[..n] {
            row.swap(rank, at.1);
        }
        let pivot_row = rows[rank];
        let inverse = pivot_row[rank].recip();
        for row in &mut rows[rank + 1..n] {
            let factor = row[rank] * inverse;
            if factor != 0.0 {
                for k in rank + 1..n {
                    row[k] -= factor * pivot_row[k];
                }
                row[MOST] -= factor * pivot_row[MOST];
            }
        }
        rank += 1;
    }
    let mut found = [0.0; MOST];
    let mut by_column = [0.0; MOST];
    for i in (0..rank).rev() {
        let sum: f64 = (i + 1..rank).map(|k| rows[i][k] * found[k]).sum();
        found[i] = (rows[i][MOST] - sum) / rows[i][i];
        by_column[column_of[i]] = found[i];
    }
    (by_column, n - rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_systems_are_solved() {
        let mut rows = [[0.0; MOST + 1]; MOST];
        rows[0] = [0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 7.0];
        rows[1] = [1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 10.0];
        rows[2] = [4.0, 1.0, 0.0, 0.0, 0.0, 0.0, 6.0];
        let (x, open) = solve_singular(rows, 3, 1e-12);
        assert_eq!(x, solve(&rows, 3, 1e-12));
        assert_eq!(open, 0);
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{x:?}");
        }
    }

    #[test]
    fn definite_systems_are_solved_and_others_are_not() {
        let lower = [[4.0, 0.0, 0.0, 0.0], [1.0, 5.0, 0.0, 0.0], [-1.0, 2.0, 6.0, 0.0], [0.5, 0.0, 1.0, 3.0]];
        let truth = [1.0, -2.0, 3.0, -4.0];
        let entry = |i: usize, j: usize| lower[i.max(j)][i.min(j)];
        let mut x = [0, 1, 2, 3].map(|i| (0..4).map(|j| entry(i, j) * truth[j]).sum::<f64>());
        assert!(solve_definite(&lower, &mut x).is_some());
        assert!((0..4).all(|i| (x[i] - truth[i]).abs() < 1e-14), "{x:?}");
        let mut indefinite = lower;
        indefinite[2][2] = -6.0;
        assert!(solve_definite(&indefinite, &mut [1.0; 4]).is_none());
        indefinite[2][2] = f64::NAN;
        assert!(solve_definite(&indefinite, &mut [1.0; 4]).is_none());
    }

    #[test]
    fn singular_systems_leave_unknowns_at_zero() {
        let mut rows = [[0.0; MOST + 1]; MOST];
        rows[0] = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        rows[1] = [2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 4.0];
        let (x, open) = solve_singular(rows, 2, 1e-12);
        assert_eq!(x, solve(&rows, 2, 1e-12));
        assert_eq!(open, 1);
        assert!(x[..2].contains(&0.0) && x[..2].contains(&2.0), "{x:?}");
    }
}
