//! The parameters of an unbounded surface or curve whose points can be within a distance of a point.
//!
//! Source: a coordinate in the shape's frame that grows with the parameter alone.
//! Differs: nothing.
//! Ends because: closed formulas.
//! Cost: a few operations.
//! Not promised: a bound where an unbounded curve is extruded, or a helix does not rise.

use super::Surface;
use crate::bound::ConvexBound;
use crate::curve::{Curve, Range, Rect};
use glam::DVec3;

fn around(middle: f64, by: f64) -> Range {
    Range::new(middle - by, middle + by)
}

/// What a range has in common with another; the nearest end where that is nothing.
fn clipped(range: Range, to: Range) -> Range {
    Range::new(range.clamp(to.low), range.clamp(to.high))
}

impl Surface {
    /// The part of `within` outside which no point of the surface is within `distance` of `target`.
    pub(super) fn reached(&self, within: Rect, target: DVec3, distance: f64) -> Rect {
        if within.is_bounded() {
            return within;
        }
        let free = Range::UNBOUNDED;
        let (u, v) = match self {
            Self::Plane(plane) => {
                let p = plane.frame().apply_inverse(target);
                (around(p.x, distance), around(p.y, distance))
            }
            Self::Cylinder(cylinder) => (free, around(cylinder.frame().apply_inverse(target).z, distance)),
            Self::Cone(cone) => (free, around(cone.frame().apply_inverse(target).z, distance)),
            Self::Paraboloid(paraboloid) => {
                let p = paraboloid.frame().apply_inverse(target);
                (free, around(0.0, p.x.hypot(p.y) + distance))
            }
            Self::Revolution(revolution) => {
                // Turned points keep their distance from the origin.
                let from = revolution.origin();
                (free, revolution.curve().reached(within.v, from, from.distance(target) + distance))
            }
            Self::Extrusion(extrusion) if within.u.is_bounded() => {
                let (profile, along) = (extrusion.curve().hull(within.u), extrusion.direction());
                let heights =
                    profile.points.iter().map(|p| (target - *p).dot(along) / along.length_squared());
                let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), height| {
                    (low.min(height), high.max(height))
                });
                let more = (distance + profile.slack) / along.length();
                (free, Range::new(low - more, high + more))
            }
            _ => (free, free),
        };
        Rect::new(clipped(within.u, u), clipped(within.v, v))
    }
}

impl Curve {
    /// The part of `within` outside which no point of the curve is within `distance` of `target`.
    pub(super) fn reached(&self, within: Range, target: DVec3, distance: f64) -> Range {
        if within.is_bounded() {
            return within;
        }
        let reached = match self {
            Self::Line(line) => {
                let along = line.direction();
                let middle = (target - line.origin()).dot(along) / along.length_squared();
                around(middle, distance / along.length())
            }
            Self::Parabola(parabola) => {
                let (y, twice) = (parabola.frame().apply_inverse(target).y, 2.0 * parabola.focal());
                around(y / twice, distance / twice)
            }
            Self::Hyperbola(hyperbola) => {
                let (y, b) = (hyperbola.frame().apply_inverse(target).y, hyperbola.radii()[1]);
                Range::new(((y - distance) / b).asinh(), ((y + distance) / b).asinh())
            }
            Self::Helix(helix) if helix.slope() != 0.0 => {
                let rise = helix.slope();
                around(helix.frame().apply_inverse(target).z / rise, distance / rise.abs())
            }
            _ => Range::UNBOUNDED,
        };
        clipped(within, reached)
    }
}
