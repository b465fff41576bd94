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
    let m = lower;
    let floor = tolerance::REGULAR_PIVOT_REL * m[0][0].max(m[1][1]).max(m[2][2].max(m[3][3]));
    // By blocks of two: two divisions one after the other in place of four.
    let (a, b, c) = (m[0][0], m[1][0], m[1][1]);
    let first = a * c - b * b;
    // Written so that NaN ends it.
    if !(a > floor && first > floor * a) {
        return None;
    }
    let inverse = first.recip();
    let (a, b, c) = (a * inverse, b * inverse, c * inverse);
    // The first block's inverse times what stands below it, and times the right side.
    let (p0, p1) = (c * m[2][0] - b * m[2][1], a * m[2][1] - b * m[2][0]);
    let (q0, q1) = (c * m[3][0] - b * m[3][1], a * m[3][1] - b * m[3][0]);
    let (y0, y1) = (c * x[0] - b * x[1], a * x[1] - b * x[0]);
    let d = m[2][2] - (p0 * m[2][0] + p1 * m[2][1]);
    let e = m[3][2] - (p0 * m[3][0] + p1 * m[3][1]);
    let f = m[3][3] - (q0 * m[3][0] + q1 * m[3][1]);
    let second = d * f - e * e;
    if !(d > floor && second > floor * d) {
        return None;
    }
    let inverse = second.recip();
    let z2 = x[2] - (m[2][0] * y0 + m[2][1] * y1);
    let z3 = x[3] - (m[3][0] * y0 + m[3][1] * y1);
    x[2] = (f * z2 - e * z3) * inverse;
    x[3] = (d * z3 - e * z2) * inverse;
    x[0] = y0 - (p0 * x[2] + q0 * x[3]);
    x[1] = y1 - (p1 * x[2] + q1 * x[3]);
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
