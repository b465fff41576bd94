//! Pairs of cells without a critical pair of points.
//!
//! Source: at a nearest pair of points the vector between them is orthogonal to both features (001, 004); where some
//! tangent direction has a component along that vector of one sign over both cells, no nearest pair is inside.
//! Differs: the tangent direction is the steepest one at the middle of the cell, held fixed in parameters; next to an apex
//! one of the two tangents alone.
//! Ends because: closed formulas.
//! Cost: two passes over the control points of both cells, once their derivatives are known.
//! Not promised: that every pair of cells without a critical pair is recognised.

use super::derivatives::{Ball, steepest};
use super::side::{Cell, Side};
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::DVec3;

/// The direction, in a cell's own parameters, along which the distance falls or rises everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slope(pub(super) [f64; 2]);

/// Whether the distance from cell `a` to cell `b` has a slope along `a`, by a margin on the error of its derivatives.
pub(super) fn slope(
    a: &Side,
    b: &Side,
    cell_a: &Cell,
    cell_b: &Cell,
    first: &[Ball; 2],
    margin: f64,
) -> Option<Slope> {
    let toward = cell_b.center - cell_a.center;
    let longest = toward.length() + cell_a.radius + cell_b.radius;
    let span =
        Span { cells: [cell_a, cell_b], points: [a.points(cell_a), b.points(cell_b)], toward, longest };
    if let Some(weights) = steepest(first, cell_a.dimension, toward)
        && span.rises(first, weights, margin)
    {
        return Some(Slope(weights));
    }
    // Next to an apex, where one tangent shrinks to nothing, nothing is known of slopes but along the other.
    let shrinks = |ball: &Ball| ball.radius > SHRINKING * ball.center.length();
    if cell_a.dimension < 2 || !first.iter().any(shrinks) {
        return None;
    }
    let [u, v] = first.each_ref().map(|ball| ball.center.dot(toward).signum());
    [[0.0, v], [u, 0.0]].into_iter().find(|weights| span.rises(first, *weights, margin)).map(Slope)
}

/// The share of a tangent that it may vary by over a cell on which it is taken along.
const SHRINKING: f64 = 0.5;

/// Two cells, and how they lie.
struct Span<'a> {
    cells: [&'a Cell; 2],
    points: [&'a [DVec3]; 2],
    toward: DVec3,
    longest: f64,
}

impl Span<'_> {
    /// Whether a fixed combination of the first derivatives of the one makes one sign with all lines to the other.
    fn rises(&self, [u, v]: &[Ball; 2], weights: [f64; 2], margin: f64) -> bool {
        let along = u.center * weights[0] + v.center * weights[1];
        let error = margin * self.longest * (weights[0].abs() * u.radius + weights[1].abs() * v.radius);
        // At the middles the slope is steeper than at its least, mostly.
        if !(along.dot(self.toward) > error) {
            return false;
        }
        let [a, b] = self.cells;
        let low = least(self.points[1], along);
        let high = -least(self.points[0], -along);
        let reach = a.center.abs().max_element() + self.longest;
        let lost = a.slack + b.slack + HEIGHT_ERROR_REL * reach;
        low - high - along.length() * lost > error
    }
}

fn least(points: &[DVec3], along: DVec3) -> f64 {
    points.iter().fold(f64::INFINITY, |least, p| {
        let height = p.dot(along);
        if height < least { height } else { least }
    })
}
