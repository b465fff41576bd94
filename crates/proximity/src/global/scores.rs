//! Along which parameter a cell is better cut.

use super::derivatives::Ball;
use super::search::{LENGTH_SHARE, lengths};
use super::side::{Cell, Side};
use super::slab::spread;
use clearance_geometry::DVec3;

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
                && cell.high[axis] - cell.low[axis] > f64::EPSILON
                && length > 4.0 * cell.slack;
            // A derivative that turns by its radius about a level one makes a hump of a quarter of it.
            let height = center.dot(normal).abs() + 0.25 * radius;
            if wide { height + LENGTH_SHARE * center.length() } else { 0.0 }
        };
        [score(0), score(1)]
    }
}
