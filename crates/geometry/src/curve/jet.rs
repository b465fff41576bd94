//! A point of a curve with its derivatives.

use crate::Pose;
use glam::{DVec2, DVec3};
use std::ops::{Add, Mul};

/// A point of a curve with the first and second derivatives by the parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CurveJet<V = DVec3> {
    /// The point.
    pub point: V,
    /// First derivative.
    pub first: V,
    /// Second derivative.
    pub second: V,
}

impl CurveJet<DVec3> {
    /// The jet of the curve moved by `pose`.
    #[inline]
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self {
            point: pose.apply(self.point),
            first: pose.rotate(self.first),
            second: pose.rotate(self.second),
        }
    }

    /// The x and y entries.
    #[inline]
    pub fn flat(&self) -> CurveJet<DVec2> {
        CurveJet {
            point: self.point.truncate(),
            first: self.first.truncate(),
            second: self.second.truncate(),
        }
    }
}

impl<V: Copy + Add<Output = V> + Mul<f64, Output = V>> CurveJet<V> {
    /// The curve's second-order Taylor polynomial, `dt` further on.
    #[inline]
    pub fn extrapolated(&self, dt: f64) -> V {
        self.point + (self.first + self.second * (0.5 * dt)) * dt
    }
}
