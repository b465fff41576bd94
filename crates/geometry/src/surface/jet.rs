//! A point of a surface with its derivatives.

use crate::Pose;
use crate::tolerance::{DEGENERATE_SQ, SMALLEST_LENGTH};
use glam::{DVec2, DVec3};

/// A point of a surface with all first and second derivatives by its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceJet {
    /// The point.
    pub point: DVec3,
    /// First derivative by u.
    pub u: DVec3,
    /// First derivative by v.
    pub v: DVec3,
    /// Second derivative by u.
    pub uu: DVec3,
    /// Mixed derivative.
    pub uv: DVec3,
    /// Second derivative by v.
    pub vv: DVec3,
}

impl SurfaceJet {
    /// The jet of the surface moved by `pose`.
    #[inline]
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self {
            point: pose.apply(self.point),
            u: pose.rotate(self.u),
            v: pose.rotate(self.v),
            uu: pose.rotate(self.uu),
            uv: pose.rotate(self.uv),
            vv: pose.rotate(self.vv),
        }
    }

    /// The jet by parameters that count in multiples of `extents`: derivatives become lengths, which can be held
    /// against each other whatever the units of u and v are.
    #[inline]
    #[must_use]
    pub fn per_extents(&self, extents: DVec2) -> Self {
        let DVec2 { x, y } = extents;
        Self {
            point: self.point,
            u: self.u * x,
            v: self.v * y,
            uu: self.uu * (x * x),
            uv: self.uv * (x * y),
            vv: self.vv * (y * y),
        }
    }

    /// `u × v`: not of unit length, zero at a pole.
    #[inline]
    pub fn cross(&self) -> DVec3 {
        self.u.cross(self.v)
    }

    /// Whether both tangents fail to span a plane: one of them vanishes or they are parallel. The measure, EG − F²
    /// against (E + G)², is free of scale where u and v have the same unit; elsewhere ask it of
    /// [`per_extents`](Self::per_extents).
    #[inline]
    pub fn is_degenerate(&self) -> bool {
        // Fourth powers of lengths leave the range of f64 long before the lengths do.
        let largest = self.u.abs().max_element().max(self.v.abs().max_element());
        let (u, v) = (self.u / largest, self.v / largest);
        let sum = u.length_squared() + v.length_squared();
        // Written so that NaN is degenerate.
        !(u.cross(v).length_squared() > DEGENERATE_SQ * sum * sum)
    }

    /// The unit normal u × v, unless the tangents are [degenerate](Self::is_degenerate).
    #[inline]
    pub fn normal(&self) -> Option<DVec3> {
        if self.is_degenerate() { None } else { unit(self.cross()) }
    }
}

/// A vector of length 1, however long it was; `None` for zero and what is not finite.
pub(crate) fn unit(vector: DVec3) -> Option<DVec3> {
    let largest = vector.abs().max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    if largest > SMALLEST_LENGTH && largest < 1.0 / SMALLEST_LENGTH {
        return Some(vector / vector.length());
    }
    let scaled = vector / largest;
    Some(scaled / scaled.length())
}
