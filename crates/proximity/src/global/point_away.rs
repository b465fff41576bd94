//! How far a cell is from a point at least, by its box, its tangents, or the tangent plane of half the squared distance.
//!
//! Source: the slabs of a box; a direction along which the distance falls all over a cell, so that its nearest point is on its
//! rim; a convex function is above its tangent planes.
//! Differs: nothing to differ from.
//! Ends because: closed formulas.
//! Cost: some fifty operations each.
//! Not promised: the best of them; they are asked from the cheapest on.

use super::evaluation::Lost;
use super::point_cells::PointCell;
use super::point_value::Value;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::DVec3;
use clearance_geometry::bound::Obb;

/// How far a box is at least from a point, no coordinate of which is above `reach`.
#[inline]
pub(super) fn apart(bound: &Obb, point: DVec3, reach: f64) -> f64 {
    let off = point - bound.center;
    let mut square = 0.0;
    for (axis, half) in
        [bound.axes.x_axis, bound.axes.y_axis, bound.axes.z_axis].into_iter().zip(bound.half.to_array())
    {
        let beyond = axis.dot(off).abs() - half;
        square += if beyond > 0.0 { beyond * beyond } else { 0.0 };
    }
    // The middle of the box is no farther from the origin than the point and what lies between them.
    let reach = 2.0 * reach + (off.x.abs() + off.y.abs() + off.z.abs());
    square.sqrt() - 2.0 * HEIGHT_ERROR_REL * reach
}

/// Whether the distance has a slope along one direction of the parameters everywhere on a cell, from whose middle the
/// point is `off`; none of its coordinates is above `reach`.
pub(super) fn has_slope(cell: &PointCell, off: DVec3, length: f64, reach: f64) -> bool {
    let [u, v] = &cell.first;
    let (a, b) = (cell.dual[0].dot(off), cell.dual[1].dot(off));
    let along = u.center * a + v.center * b;
    let slope = off.dot(along);
    let longest = length + cell.radius;
    let error = (a.abs() * u.radius + b.abs() * v.radius) * longest;
    // Most cells fail already here, before their boxes are looked at.
    if !(slope > error) {
        return false;
    }
    // The box has the slack of its cell.
    let highest = cell.bound.half.dot((cell.bound.axes.transpose() * along).abs());
    let reach = 2.0 * reach + 2.0 * length + longest;
    slope - highest - along.length() * 2.0 * HEIGHT_ERROR_REL * reach > error
}

/// A lower bound on the distance over a cell on which half its square is convex, from its tangent plane at a point.
pub(super) fn tangent_bound(cell: &PointCell, lost: &Lost, value: &Value) -> f64 {
    let fall = |at: f64, slope: f64| (-at * slope).min((1.0 - at) * slope);
    let along_u = if cell.dimension > 0 { fall(value.at.x, value.gradient.x) } else { 0.0 };
    let along_v = if cell.dimension > 1 { fall(value.at.y, value.gradient.y) } else { 0.0 };
    let distance = (2.0 * value.half_square).sqrt();
    let tangents = [value.metric[0], value.metric[2]];
    let lost = lost.of_half_square(distance, tangents.into_iter().take(cell.dimension));
    (2.0 * (value.half_square + along_u + along_v - lost)).max(0.0).sqrt() - cell.slack
}
