//! Vectors of intervals, and jets of them: closed formulas evaluated over whole ranges.

use super::Aabb;
use crate::{Interval, Pose};
use glam::DVec3;

/// A vector whose entries are known up to intervals.
pub(crate) type Vector = [Interval; 3];

pub(crate) const ZERO: Vector = [Interval::ZERO; 3];

pub(crate) fn vector(v: DVec3) -> Vector {
    v.to_array().map(Interval::point)
}

pub(crate) fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

pub(crate) fn scaled(a: Vector, factor: Interval) -> Vector {
    a.map(|x| x * factor)
}

/// An upper bound of the length.
pub(crate) fn longest(a: Vector) -> f64 {
    (a[0].square() + a[1].square() + a[2].square()).sqrt().high()
}

/// A local vector turned into place.
pub(crate) fn rotated(pose: &Pose, a: Vector) -> Vector {
    let axes = pose.rotation();
    std::array::from_fn(|i| Interval::dot(&axes.row(i).to_array().map(Interval::point), &a))
}

/// A local point moved into place.
pub(crate) fn moved(pose: &Pose, a: Vector) -> Vector {
    plus(rotated(pose, a), vector(pose.translation()))
}

/// The corners of the box of a vector; `None` where it is unbounded.
pub(crate) fn corners(a: Vector) -> Option<[DVec3; 8]> {
    let bounded = a.iter().all(|x| x.low().is_finite() && x.high().is_finite());
    let end = |x: Interval, high: bool| if high { x.high() } else { x.low() };
    bounded.then(|| {
        std::array::from_fn(|k| {
            DVec3::new(end(a[0], k & 1 != 0), end(a[1], k & 2 != 0), end(a[2], k & 4 != 0))
        })
    })
}

pub(crate) fn aabb(a: Vector) -> Aabb<3> {
    Aabb::from_intervals(a)
}

/// A curve's point and derivatives over a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CurveBox {
    pub(crate) point: Vector,
    pub(crate) first: Vector,
    pub(crate) second: Vector,
}

/// A surface's point and derivatives over a rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceBox {
    pub(crate) point: Vector,
    pub(crate) u: Vector,
    pub(crate) v: Vector,
    pub(crate) uu: Vector,
    pub(crate) uv: Vector,
    pub(crate) vv: Vector,
}
