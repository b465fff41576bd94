//! Small linear systems that may be singular.
//!
//! Source: Gauss elimination with complete pivoting.
//! Differs: unknowns left without a pivot stay 0, so that parallel features keep their witnesses where they are.
//! Ends because: loops run over rows and columns.
//! Cost: n³/3 products and as many comparisons; n is at most 6.
//! Not promised: the shortest of several solutions.

/// Most unknowns.
pub(crate) const MOST: usize = 6;

/// Rows of a system with its right side in the last column.
pub(crate) type System = [[f64; MOST + 1]; MOST];

/// The solution of the first `n` rows and columns, and how many unknowns were left open: pivots below `least` times the
/// largest entry count as none.
pub(crate) fn solve(mut rows: System, n: usize, least: f64) -> ([f64; MOST], usize) {
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
        let (x, open) = solve(rows, 3, 1e-12);
        assert_eq!(open, 0);
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{x:?}");
        }
    }

    #[test]
    fn singular_systems_leave_unknowns_at_zero() {
        let mut rows = [[0.0; MOST + 1]; MOST];
        rows[0] = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        rows[1] = [2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 4.0];
        let (x, open) = solve(rows, 2, 1e-12);
        assert_eq!(open, 1);
        assert!(x[..2].contains(&0.0) && x[..2].contains(&2.0), "{x:?}");
    }
}
