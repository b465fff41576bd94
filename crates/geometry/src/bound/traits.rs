//! What algorithms ask of bounds.

use super::{Aabb, DirectionCone, Obb};
use crate::curve::Rect;
use glam::{DMat3, DVec3};

/// Points such that every point of the bounded part lies within `slack` of their convex hull.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// The points; none where nothing is known.
    pub points: Vec<DVec3>,
    /// A length; infinite where nothing is known.
    pub slack: f64,
}

impl Hull {
    /// Nothing known.
    pub fn unknown() -> Self {
        Self { points: Vec::new(), slack: f64::INFINITY }
    }

    /// Unknown where a number is not finite.
    pub(crate) fn checked(points: Vec<DVec3>, slack: f64) -> Self {
        if slack.is_finite() && points.iter().all(|p| p.is_finite()) {
            Self { points, slack }
        } else {
            Self::unknown()
        }
    }

    /// The box along the axes around it.
    pub fn aabb(&self) -> Aabb<3> {
        if self.slack.is_finite() {
            Aabb::from_points(self.points.iter().copied()).inflated(self.slack)
        } else {
            Aabb::ENTIRE
        }
    }

    /// The box around it along axes fitted to the points.
    pub fn obb(&self) -> Obb {
        Obb::around(&self.points, fitted_axes(&self.points), self.slack)
    }

    /// The largest height of the bounded part along a direction is at most this.
    pub fn support(&self, direction: DVec3) -> f64 {
        if !self.slack.is_finite() {
            return f64::INFINITY;
        }
        let highest = self.points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        let size = self.points.iter().fold(0.0_f64, |most, p| most.max(p.length()));
        let rounding = 4.0 * f64::EPSILON * (size + self.slack);
        highest + direction.length() * (self.slack + rounding)
    }
}

/// Axes along the longest difference from the first point, then the longest across.
fn fitted_axes(points: &[DVec3]) -> DMat3 {
    let Some(&first) = points.first() else { return DMat3::IDENTITY };
    let farthest = |measure: &dyn Fn(DVec3) -> DVec3| {
        let longest = |best: DVec3, p: &DVec3| {
            let d = measure(*p - first);
            if d.length_squared() > best.length_squared() { d } else { best }
        };
        points.iter().fold(DVec3::ZERO, longest)
    };
    let Some(x) = crate::surface::unit(farthest(&|d| d)) else { return DMat3::IDENTITY };
    let across = farthest(&|d| d - x * x.dot(d));
    let y = crate::surface::unit(across - x * x.dot(across)).unwrap_or_else(|| x.any_orthonormal_vector());
    let z = x.cross(y);
    let z = z / z.length();
    DMat3::from_cols(x, z.cross(x), z)
}

/// A shape whose parts have convex bounds. `Part` is a range of a curve's parameters or a rectangle of a
/// surface's; what lies outside the domain is bounded by the nearest part inside for splines, by the formula
/// otherwise.
pub trait ConvexBound {
    /// What is bounded.
    type Part: Copy;

    /// Points whose hull holds the part.
    fn hull(&self, part: Self::Part) -> Hull;

    /// A box along the axes around the part.
    fn aabb(&self, part: Self::Part) -> Aabb<3> {
        self.hull(part).aabb()
    }

    /// A box along fitted axes around the part.
    fn obb(&self, part: Self::Part) -> Obb {
        self.hull(part).obb()
    }
}

/// A surface whose normals over a rectangle lie in a known cone.
pub trait NormalCone {
    /// A cone around every S_u × S_v over the rectangle that is not zero; full where nothing is known.
    fn normal_cone(&self, rect: Rect) -> DirectionCone;
}

/// Upper bounds of the lengths of a curve's derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveSpeeds {
    /// Of the first.
    pub first: f64,
    /// Of the second.
    pub second: f64,
}

/// Upper bounds of the lengths of a surface's derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSpeeds {
    /// By u.
    pub u: f64,
    /// By v.
    pub v: f64,
    /// By u twice.
    pub uu: f64,
    /// Mixed.
    pub uv: f64,
    /// By v twice.
    pub vv: f64,
}

impl CurveSpeeds {
    pub(crate) const ZERO: Self = Self { first: 0.0, second: 0.0 };

    pub(crate) fn joined(self, other: Self) -> Self {
        Self { first: self.first.max(other.first), second: self.second.max(other.second) }
    }
}

impl SurfaceSpeeds {
    pub(crate) const ZERO: Self = Self { u: 0.0, v: 0.0, uu: 0.0, uv: 0.0, vv: 0.0 };

    pub(crate) fn joined(self, other: Self) -> Self {
        Self {
            u: self.u.max(other.u),
            v: self.v.max(other.v),
            uu: self.uu.max(other.uu),
            uv: self.uv.max(other.uv),
            vv: self.vv.max(other.vv),
        }
    }

    /// The better of two bounds of the same thing.
    pub(crate) fn least(self, other: Self) -> Self {
        Self {
            u: self.u.min(other.u),
            v: self.v.min(other.v),
            uu: self.uu.min(other.uu),
            uv: self.uv.min(other.uv),
            vv: self.vv.min(other.vv),
        }
    }
}

/// A shape whose derivatives over a part are bounded.
pub trait DerivativeBound {
    /// What is bounded.
    type Part: Copy;
    /// [`CurveSpeeds`] or [`SurfaceSpeeds`].
    type Speeds;

    /// Upper bounds of the lengths of all first and second derivatives over the part, one-sided ones at knots
    /// included.
    fn derivative_bounds(&self, part: Self::Part) -> Self::Speeds;
}
