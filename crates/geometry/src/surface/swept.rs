//! Surfaces swept by a curve: of revolution and of extrusion.

use super::SurfaceJet;
use super::jet::unit;
use crate::curve::{Curve, CurveJet, ParametricCurve, Turn};
use crate::{Pose, ShapeError};
use glam::DVec3;

/// A curve turned about an axis: u is the angle, v the curve's parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Revolution {
    curve: Curve,
    origin: DVec3,
    axis: DVec3,
}

/// A curve moved along a direction: `curve(u) + v · direction`.
#[derive(Clone, Debug, PartialEq)]
pub struct Extrusion {
    curve: Curve,
    direction: DVec3,
}

impl Revolution {
    /// `curve` turned about the line through `origin` along `axis` (any length but zero).
    ///
    /// # Errors
    /// When a number is not finite or the axis has length zero.
    pub fn new(curve: Curve, origin: DVec3, axis: DVec3) -> Result<Self, ShapeError> {
        if !origin.is_finite() {
            return Err(ShapeError::NotFinite { field: "origin" });
        }
        if !axis.is_finite() {
            return Err(ShapeError::NotFinite { field: "axis" });
        }
        let axis = unit(axis).ok_or(ShapeError::NoDirection { field: "axis" })?;
        Ok(Self { curve, origin, axis })
    }

    /// The curve that is turned.
    pub const fn curve(&self) -> &Curve {
        &self.curve
    }

    /// A point of the axis.
    pub const fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Unit vector along the axis.
    pub const fn axis(&self) -> DVec3 {
        self.axis
    }

    /// The same surface moved.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self { curve: self.curve.moved(pose), origin: pose.apply(self.origin), axis: pose.rotate(self.axis) }
    }

    /// The jet from the angle's cosine and sine and the curve's jet at v.
    #[inline]
    pub fn jet_turned(&self, u: Turn, v: &CurveJet) -> SurfaceJet {
        // Of a vector: its parts along the axis, away from it and across both.
        let parts = |d: DVec3| {
            let along = self.axis * self.axis.dot(d);
            (along, d - along, self.axis.cross(d))
        };
        let turned = |(along, out, across): (DVec3, DVec3, DVec3)| along + out * u.cos + across * u.sin;
        let first = |(_, out, across): (DVec3, DVec3, DVec3)| across * u.cos - out * u.sin;
        let (p, d) = (parts(v.point - self.origin), parts(v.first));
        SurfaceJet {
            point: self.origin + turned(p),
            u: first(p),
            v: turned(d),
            uu: -(p.1 * u.cos + p.2 * u.sin),
            uv: first(d),
            vv: turned(parts(v.second)),
        }
    }
}

impl Extrusion {
    /// `curve` moved along `direction`; v = 1 is its length.
    ///
    /// # Errors
    /// When a number is not finite or the direction has length zero.
    pub fn new(curve: Curve, direction: DVec3) -> Result<Self, ShapeError> {
        if !direction.is_finite() {
            return Err(ShapeError::NotFinite { field: "direction" });
        }
        if direction == DVec3::ZERO {
            return Err(ShapeError::NoDirection { field: "direction" });
        }
        Ok(Self { curve, direction })
    }

    /// The curve that is moved.
    pub const fn curve(&self) -> &Curve {
        &self.curve
    }

    /// Derivative by v.
    pub const fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The same surface moved.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self { curve: self.curve.moved(pose), direction: pose.rotate(self.direction) }
    }

    #[inline]
    pub(crate) fn jet(&self, u: f64, v: f64) -> SurfaceJet {
        let jet = self.curve.jet(u);
        SurfaceJet {
            point: jet.point + v * self.direction,
            u: jet.first,
            v: self.direction,
            uu: jet.second,
            ..SurfaceJet::default()
        }
    }
}
