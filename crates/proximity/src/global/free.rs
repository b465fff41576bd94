//! Pairs of cells without a critical pair of points.
//!
//! Source: at a nearest pair of points the vector between them is orthogonal to both features (001, 004); where some
//! tangent direction has a component along that vector of one sign over both cells, no nearest pair is inside.
//! Differs: the tangent direction is the steepest one at the middle of the cell, held fixed in parameters; next to an apex
//! one of the two tangents alone.
//! Ends because: closed formulas.
//! Cost: two passes over the control points of both cells, once their derivatives are known.
//! Not promised: that every pair of cells without a critical pair is recognised.

use super::columns::{Columns, Heights as _};
use super::derivatives::{Ball, steepest};
use super::side::{Cell, Part, Side};
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::DVec3;

/// The direction, in a cell's own parameters, along which the distance falls or rises everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slope(pub(super) [f64; 2]);

/// Whether the distance from cell `a` to cell `b` has a slope along `a`, by a margin on the error of its derivatives; of
/// pairs of points that are farther apart than `most` nothing is asked.
pub(super) fn slope(
    a: &Side,
    b: &Side,
    cell_a: &Cell,
    cell_b: &Cell,
    first: &[Ball; 2],
    margin: f64,
    most: f64,
) -> Option<Slope> {
    let toward = cell_b.center - cell_a.center;
    let longest = toward.length() + cell_a.radius + cell_b.radius;
    let other = b.columns(cell_b);
    let low = |along: DVec3| (other.least(along), cell_b.slack);
    Span { cell: cell_a, points: a.columns(cell_a), low: &low, toward, longest, most }.slope(first, margin)
}

/// The same of a cell of `a` against the whole of a convex body, which stands along `toward` from it.
pub(super) fn slope_beside(
    a: &Side,
    whole: &Side,
    cell: &Cell,
    first: &[Ball; 2],
    toward: DVec3,
    most: f64,
) -> Option<Slope> {
    let (center, radius) = whole.ball(Part::Node(0));
    let longest = center.distance(cell.center) + radius + cell.radius;
    let low = |along: DVec3| {
        let length = along.length();
        let (height, slack) = whole.height(Part::Node(0), -along / length);
        (-height * length, slack)
    };
    // A line that matters is no longer than the nearest points known are apart.
    let toward = toward * most.min(longest);
    Span { cell, points: a.columns(cell), low: &low, toward, longest, most }.slope(first, 1.0)
}

/// Whether the distance from a cell of `a` to all of a node of another body has a slope along the cell.
pub(super) fn is_sloped_beside(
    a: &Side,
    other: &Side,
    cell: &Cell,
    node: u32,
    first: &[Ball; 2],
    most: f64,
) -> bool {
    let (center, radius) = other.ball(Part::Node(node));
    let toward = center - cell.center;
    let longest = toward.length() + radius + cell.radius;
    let low = |along: DVec3| {
        let length = along.length();
        let (height, slack) = other.height(Part::Node(node), -along / length);
        (-height * length, slack)
    };
    Span { cell, points: a.columns(cell), low: &low, toward, longest, most }
        .slope(first, 1.0)
        .is_some_and(|slope| !cell.is_left_along(slope.0))
}

/// The share of a tangent that it may vary by over a cell on which it is taken along.
const SHRINKING: f64 = 0.5;

/// A cell and what is opposite, and how they lie.
struct Span<'a> {
    cell: &'a Cell,
    points: Columns<'a>,
    /// The least height of what is opposite along a vector, and how far its points may be from what that was taken of.
    low: &'a dyn Fn(DVec3) -> (f64, f64),
    toward: DVec3,
    longest: f64,
    /// The longest line that matters.
    most: f64,
}

impl Span<'_> {
    fn slope(&self, first: &[Ball; 2], margin: f64) -> Option<Slope> {
        let mut out = None;
        if let Some(weights) = steepest(first, self.cell.dimension, self.toward)
            && self.rises(first, weights, margin)
        {
            if !self.cell.is_left_along(weights) {
                return Some(Slope(weights));
            }
            out = Some(Slope(weights));
        }
        // Next to an apex, where one tangent shrinks to nothing, nothing is known of slopes but along the other. A slope that
        // leads out of the feature may do so along one parameter alone.
        let shrinks = |ball: &Ball| ball.radius > SHRINKING * ball.center.length();
        if self.cell.dimension < 2 || !(out.is_some() || first.iter().any(shrinks)) {
            return out;
        }
        let [u, v] = first.each_ref().map(|ball| ball.center.dot(self.toward).signum());
        for weights in [[0.0, v], [u, 0.0]] {
            let leaves = self.cell.is_left_along(weights);
            if (leaves && out.is_some()) || !self.rises(first, weights, margin) {
                continue;
            }
            out = Some(Slope(weights));
            if !leaves {
                break;
            }
        }
        out
    }

    /// Whether a fixed combination of the first derivatives of the one makes one sign with all lines to the other.
    fn rises(&self, [u, v]: &[Ball; 2], weights: [f64; 2], margin: f64) -> bool {
        let along = u.center * weights[0] + v.center * weights[1];
        let longest = self.longest.min(self.most);
        let error = margin * longest * (weights[0].abs() * u.radius + weights[1].abs() * v.radius);
        // At the middles the slope is steeper than at its least, mostly.
        if !(along.dot(self.toward) > error) {
            return false;
        }
        let (low, slack) = (self.low)(along);
        let high = -self.points.least(-along);
        let reach = self.cell.center.abs().max_element() + self.longest;
        let lost = self.cell.slack + slack + HEIGHT_ERROR_REL * reach;
        low - high - along.length() * lost > error
    }
}
