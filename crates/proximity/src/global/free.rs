//! Pairs of cells without a critical pair of points.
//!
//! Source: at a nearest pair of points the vector between them is orthogonal to both features (001, 004); where some
//! tangent direction has a component along that vector of one sign over both cells, no nearest pair is inside.
//! Differs: the tangent direction is the steepest one at the middle of the cell, held fixed in parameters.
//! Ends because: closed formulas.
//! Cost: two passes over the control points of both cells, once their derivatives are known.
//! Not promised: that every pair of cells without a critical pair is recognised.

use super::derivatives::Derivatives;
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
    derivatives: &Derivatives,
    margin: f64,
) -> Option<Slope> {
    let between = cell_b.center - cell_a.center;
    let [u, v] = &derivatives.first;
    let try_along = |weights: [f64; 2]| {
        let along = u.center * weights[0] + v.center * weights[1];
        let error = weights[0].abs() * u.radius + weights[1].abs() * v.radius;
        let longest = between.length() + cell_a.radius + cell_b.radius;
        let low = least(b.points(cell_b), along);
        let high = -least(a.points(cell_a), -along);
        let reach = cell_a.center.abs().max_element() + longest;
        let lost = cell_a.slack + cell_b.slack + HEIGHT_ERROR_REL * reach;
        (low - high - along.length() * lost > margin * error * longest).then_some(Slope(weights))
    };
    derivatives.steepest(cell_a.dimension, between).and_then(try_along)
}

fn least(points: &[DVec3], along: DVec3) -> f64 {
    points.iter().fold(f64::INFINITY, |least, p| least.min(p.dot(along)))
}
