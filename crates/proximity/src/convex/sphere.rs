//! Cells of directions: spherical triangles with a lower bound each, halved best first.
//!
//! Source: the support function of a convex set is h(n) = max s·n over its points s, so that any mixture c of points
//! of the set bounds it from below by c·n; over a spherical triangle on which c·n is not negative, c·n is least at a
//! corner.
//! Differs: the best mixture of the corners' own farthest points is the value of a 3 × 3 matrix game, solved by
//! enumeration.
//! Ends because: halvings are counted by the caller.
//! Cost: about a hundred products a cell; the gap to the true minimum falls with the square of a cell's width.
//! Not promised: a tight bound on wide cells.

use clearance_geometry::{DVec3, Ranked};

/// A spherical triangle of directions, by the numbers of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) corners: [u32; 3],
    pub(crate) lower: f64,
    pub(crate) level: u32,
}

impl Cell {
    /// The least bound first; of equal ones the one of the later corner, so that the order is always the same.
    pub(crate) fn ranked(self) -> Ranked<Self> {
        let turn = self.corners.iter().fold(0, |turn, corner| (turn << 21) | i64::from(*corner));
        Ranked { rank: -self.lower, turn, item: self }
    }
}

/// The directions of an octahedron and its eight cells.
pub(crate) const AXES: [DVec3; 6] = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];

/// Its faces.
pub(crate) const OCTANTS: [[u32; 3]; 8] =
    [[0, 2, 4], [0, 2, 5], [0, 3, 4], [0, 3, 5], [1, 2, 4], [1, 2, 5], [1, 3, 4], [1, 3, 5]];

/// The side of a cell that subtends most, as positions of its ends, and the position opposite.
pub(crate) fn longest_side(directions: [DVec3; 3]) -> (usize, usize, usize) {
    let [p, q, r] = directions;
    // Cosines would all be 1 in cells narrower than 1e-8, and a side of no length be halved for ever.
    let length = |from: DVec3, to: DVec3| from.distance_squared(to);
    let sides = [(length(p, q), 0, 1, 2), (length(q, r), 1, 2, 0), (length(r, p), 2, 0, 1)];
    let (_, i, j, k) =
        sides.into_iter().fold((0.0, 0, 1, 2), |best, side| if side.0 > best.0 { side } else { best });
    (i, j, k)
}

/// max over mixtures of rows of the least entry: the value of the game with this matrix, or less.
pub(crate) fn game(m: &[[f64; 3]; 3]) -> f64 {
    let value = |weights: [f64; 3]| {
        (0..3)
            .map(|j| weights[0] * m[0][j] + weights[1] * m[1][j] + weights[2] * m[2][j])
            .fold(f64::INFINITY, f64::min)
    };
    let mut best = f64::NEG_INFINITY;
    for i in 0..3 {
        let mut pure = [0.0; 3];
        pure[i] = 1.0;
        best = best.max(value(pure));
    }
    // All three columns even.
    let across = |j: usize| DVec3::new(m[0][j] - m[0][0], m[1][j] - m[1][0], m[2][j] - m[2][0]);
    let even = across(1).cross(across(2));
    let sum = even.x + even.y + even.z;
    let even = even / sum;
    if even.is_finite() && even.min_element() >= 0.0 {
        best = best.max(value(even.to_array()));
    }
    for (i, k) in [(0, 1), (1, 2), (2, 0)] {
        for (j, l) in [(0, 1), (1, 2), (2, 0)] {
            let w = (m[k][l] - m[k][j]) / ((m[i][j] - m[k][j]) - (m[i][l] - m[k][l]));
            if w > 0.0 && w < 1.0 {
                let mut mixed = [0.0; 3];
                mixed[i] = w;
                mixed[k] = 1.0 - w;
                best = best.max(value(mixed));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value by a fine grid of mixtures.
    fn by_grid(m: &[[f64; 3]; 3]) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for i in 0..=100 {
            for k in 0..=100 - i {
                let w = [f64::from(i) / 100.0, f64::from(k) / 100.0, f64::from(100 - i - k) / 100.0];
                let column = |j: usize| w[0] * m[0][j] + w[1] * m[1][j] + w[2] * m[2][j];
                best = best.max(column(0).min(column(1)).min(column(2)));
            }
        }
        best
    }

    #[test]
    fn longest_side_is_found_in_cells_narrower_than_cosines_tell() {
        for width in [1e-3, 1e-8, 1e-10, 1e-14] {
            let near = DVec3::new(width * 1e-3, 0.0, 1.0);
            let far = DVec3::new(0.0, width, 1.0);
            for directions in [[DVec3::Z, near, far], [far, DVec3::Z, near], [near, far, DVec3::Z]] {
                let (i, j, k) = longest_side(directions);
                assert!(directions[i] == far || directions[j] == far, "{width}: {i} {j} {k}");
                assert_eq!(i + j + k, 3);
            }
        }
    }

    #[test]
    fn game_is_not_below_any_mixture_of_a_grid() {
        let mut state = 5_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..300 {
            let m: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| random()));
            let (found, grid) = (game(&m), by_grid(&m));
            assert!(found >= grid - 1e-12 && found <= grid + 0.03, "{found} {grid} {m:?}");
        }
    }
}
