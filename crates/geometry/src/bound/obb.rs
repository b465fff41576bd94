//! Boxes along chosen axes.
//!
//! Source: the least and greatest heights of points along each axis.
//! Differs: three slabs, not a rotated box, so that axes may be orthonormal up to rounding alone.
//! Ends because: loops run over points and axes.
//! Cost: O(points).
//! Not promised: the smallest box; the axes are the caller's.

use super::Aabb;
use crate::Interval;
use crate::interval::add_up;
use crate::tolerance::HEIGHT_ERROR_REL;
use glam::{DMat3, DVec3};

/// The set of x with |axis_i · (x − center)| ≤ half_i for three axes that are orthonormal up to rounding: three
/// slabs, so that the statement is exact whatever the axes' last bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Middle.
    pub center: DVec3,
    /// Axes, the columns.
    pub axes: DMat3,
    /// Half-widths along the axes.
    pub half: DVec3,
}

/// Axes of a box around something that goes along a unit vector and another one: the unit vector, one within the plane of both,
/// and one across it. At a pole two corners of a patch are one point but for rounding, and the product of the ways there is a
/// vector of any direction: then any plane will do.
#[inline]
pub fn upright_axes(along: DVec3, within: DVec3) -> DMat3 {
    let normal = along.cross(within);
    let across = if normal.length_squared() > LEAST_TURN * within.length_squared() {
        let across = normal.normalize();
        // Of ways nearly along each other the product leans by what it lost.
        (across - along * along.dot(across)).normalize()
    } else {
        along.any_orthonormal_vector()
    };
    DMat3::from_cols(along, across.cross(along), across)
}

/// The square of the sine of the least angle between ways that span a plane.
const LEAST_TURN: f64 = 1.0 / 65_536.0;

impl Obb {
    /// The smallest box with these axes around points, each with a ball of radius `slack` about it.
    pub fn around(points: &[DVec3], axes: DMat3, slack: f64) -> Self {
        let reference = points.first().copied().unwrap_or(DVec3::ZERO);
        // Heights over a point of the set itself, so that far from the origin they stay small.
        let to_axes = axes.transpose();
        let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
        for &p in points {
            let height = to_axes * (p - reference);
            (low, high) = (low.min(height), high.max(height));
        }
        let center = reference + axes * (0.5 * low + 0.5 * high);
        let (mut half, mut reach) = (DVec3::ZERO, 0.0_f64);
        for &p in points {
            let from_center = p - center;
            half = half.max((to_axes * from_center).abs());
            reach = reach.max(from_center.length());
        }
        // A difference and three products with their sum lose at most five roundings of the distance; |axis| may
        // exceed 1 by as little.
        let widened = |h: f64| add_up(h, add_up(slack * (1.0 + HEIGHT_ERROR_REL), reach * HEIGHT_ERROR_REL));
        let half = half.to_array().map(widened);
        Self { center, axes, half: DVec3::from_array(half) }
    }

    /// Whether a point lies in it, decided so that a point of the box is never refused.
    pub fn contains(&self, point: DVec3) -> bool {
        let columns = [self.axes.x_axis, self.axes.y_axis, self.axes.z_axis];
        (0..3).all(|i| exact_height(columns[i], point, self.center).abs().low() <= self.half[i])
    }

    /// A box along the coordinate axes around it.
    pub fn aabb(&self) -> Aabb<3> {
        // x − c = axes⁻ᵀ · heights; the inverse of nearly orthonormal axes is the transpose, up to a part of the
        // heights that is allowed for below.
        let rows = [self.axes.row(0), self.axes.row(1), self.axes.row(2)];
        let off = self.axes.transpose() * self.axes - DMat3::IDENTITY;
        let defect = off.to_cols_array().iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        let defect = Interval::point(defect) * 3.0 + Interval::point(8.0 * f64::EPSILON);
        let size = self.half.to_array().iter().fold(Interval::ZERO, |sum, &h| sum + Interval::point(h));
        let along = |i: usize| {
            let reach = (0..3).fold(size * defect, |sum, k| {
                sum + Interval::point(rows[i][k].abs()) * Interval::point(self.half[k])
            });
            let reach = Interval::between(-reach.high(), reach.high());
            Interval::point(self.center[i]) + reach
        };
        Aabb::from_intervals([along(0), along(1), along(2)])
    }
}

/// axis · (point − from).
fn exact_height(axis: DVec3, point: DVec3, from: DVec3) -> Interval {
    let difference: [Interval; 3] =
        std::array::from_fn(|i| Interval::point(point[i]) - Interval::point(from[i]));
    Interval::dot(&axis.to_array().map(Interval::point), &difference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    #[test]
    fn axes_are_upright_however_little_sides_turn() {
        let mut random = Random::new(3);
        for _ in 0..10_000 {
            let along = random.direction();
            let side =
                along * random.uniform(-2.0, 2.0) + random.direction() * random.log_uniform(-18.0, 0.0);
            let axes = upright_axes(along, side);
            let off = axes.transpose() * axes - DMat3::IDENTITY;
            let most = off.to_cols_array().into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(most <= 8.0 * f64::EPSILON, "{along} {side}: {most:e}");
        }
    }
}
