//! Along which parameter a cell is better cut.
//!
//! Source: the cut that lowers the spread of heights along a slab's normal most, as bounds are heights.
//! Differs: next to an apex, where a cell is long along one parameter and shrinks to nothing along the other, heights hardly
//! depend on the other. There the slope away from the apex settles a cell, and that is known only where the tangents along
//! the first differ little: so the second is cut too, from time to time.
//! Ends because: closed formulas.
//! Cost: some ten instructions where derivatives are known.
//! Not promised: the cut that takes the fewest pairs.

use super::derivatives::Ball;
use super::side::{Cell, Side};
use super::slab::spread;
use clearance_geometry::DVec3;

/// The share of a cell's length that counts beside the spread of its heights.
pub(super) const LENGTH_SHARE: f64 = 0.25;

/// Widths along the tangents of a fan in one across them, before that is cut.
const FAN_CUTS: f64 = 4.0;

/// The share of the tangent across a fan that it varies by at least, going to nothing at the apex.
const FAN_SHRINKS: f64 = 0.9;

/// The share of the tangent along a fan by which it differs at least.
const FAN_SPREAD: f64 = 0.1;

/// The share of the tangent along a fan that is along the normal: less is no slope, as about the pole of a ball.
const FAN_RISE: f64 = 0.2;

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
        let mut scores = [score(0), score(1)];
        if cell.dimension == 2
            && let Some(axis) = fanned(cell, first, normal)
            && scores[axis] > 0.0
        {
            // Before the other.
            scores[axis] += scores[1 - axis];
        }
        scores
    }
}

/// The parameter across the tangents of a cell that go apart like a fan from an apex, where there are such, and they rise or
/// fall along the normal.
fn fanned(cell: &Cell, first: &[Ball; 2], normal: DVec3) -> Option<usize> {
    let [wide_u, wide_v] = (cell.high - cell.low).to_array();
    let axis = usize::from(wide_v > wide_u);
    let (width, other) = if axis == 0 { (wide_u, wide_v) } else { (wide_v, wide_u) };
    let [short, long] = [first[axis], first[1 - axis]];
    let length = long.center.length();
    (width > FAN_CUTS * other
        && short.radius > FAN_SHRINKS * short.center.length()
        && long.radius > FAN_SPREAD * length
        && long.center.dot(normal).abs() > FAN_RISE * length)
        .then_some(axis)
}

/// How long a cell is along u and along v: from end to end of its first, middle and last row and column.
pub(super) fn lengths([p, q]: [usize; 2], points: &[DVec3]) -> [f64; 2] {
    let at = |i: usize, j: usize| points[i * (q + 1) + j];
    let most = |a: f64, b: f64, c: f64| a.max(b).max(c).sqrt();
    let along_u = |j: usize| at(0, j).distance_squared(at(p, j));
    let along_v = |i: usize| at(i, 0).distance_squared(at(i, q));
    [most(along_u(0), along_u(q / 2), along_u(q)), most(along_v(0), along_v(p / 2), along_v(p))]
}
