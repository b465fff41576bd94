//! Along which parameter a cell is better cut.

use super::derivatives::Ball;
use super::side::{Cell, Side};
use super::slab::spread;
use clearance_geometry::DVec3;

/// The share of a cell's length that counts beside the spread of its heights.
pub(super) const LENGTH_SHARE: f64 = 0.25;

impl Side<'_> {
    /// What is gained by halving a cell along u and along v: 0 where that cannot be done.
    pub(crate) fn scores(&self, at: u32, normal: DVec3) -> [f64; 2] {
        let cell = self.cell(at);
        if cell.dimension == 0 {
            return [0.0; 2];
        }
        let heights = spread(self, at, normal);
        let lengths = lengths(cell.degrees, self.points(cell));
        // A cell narrower than its own rounding is not cut.
        let score = |axis: usize| {
            let wide = cell.high[axis] - cell.low[axis] > f64::EPSILON && lengths[axis] > 4.0 * cell.slack;
            if wide { heights[axis] + LENGTH_SHARE * lengths[axis] } else { 0.0 }
        };
        [score(0), if cell.dimension == 1 { 0.0 } else { score(1) }]
    }

    /// As [`Side::scores`], from what is known of its first derivatives: some ten instructions.
    pub(super) fn scores_of(cell: &Cell, first: &[Ball; 2], normal: DVec3) -> [f64; 2] {
        let score = |axis: usize| {
            let Ball { center, radius } = first[axis];
            // The radius counts rounding too, which the slack outgrows after as many cuts as the degree.
            let length = center.length() + radius;
            let wide = cell.dimension > axis
                && cell.high[cell.parameter(axis)] - cell.low[cell.parameter(axis)] > f64::EPSILON
                && length > 4.0 * cell.slack;
            // A derivative that turns by its radius about a level one makes a hump of a quarter of it.
            let height = center.dot(normal).abs() + 0.25 * radius;
            if wide { height + LENGTH_SHARE * center.length() } else { 0.0 }
        };
        [score(0), score(1)]
    }
}

/// How long a cell is along u and along v: from end to end of its first, middle and last row and column.
pub(super) fn lengths([p, q]: [usize; 2], points: &[DVec3]) -> [f64; 2] {
    let at = |i: usize, j: usize| points[i * (q + 1) + j];
    let most = |a: f64, b: f64, c: f64| a.max(b).max(c).sqrt();
    let along_u = |j: usize| at(0, j).distance_squared(at(p, j));
    let along_v = |i: usize| at(i, 0).distance_squared(at(i, q));
    [most(along_u(0), along_u(q / 2), along_u(q)), most(along_v(0), along_v(p / 2), along_v(p))]
}
