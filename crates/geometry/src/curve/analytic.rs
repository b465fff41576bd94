//! Curves with closed formulas: lines, conics, helices.
//!
//! Each stands in its own frame (a [`Pose`]): the formulas below are in that frame's x, y, z.

use super::{CurveJet, Turn};
use crate::{Pose, ShapeError};
use glam::DVec3;

/// `origin + t · direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    origin: DVec3,
    direction: DVec3,
}

/// `radius · (cos t, sin t, 0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    frame: Pose,
    radius: f64,
}

/// `(a cos t, b sin t, 0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    frame: Pose,
    radii: [f64; 2],
}

/// `focal · (t², 2t, 0)`: apex at the origin, opening along x, `focal` from apex to focus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parabola {
    frame: Pose,
    focal: f64,
}

/// `(a cosh t, b sinh t, 0)`: one branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hyperbola {
    frame: Pose,
    radii: [f64; 2],
}

/// `(radius · cos t, radius · sin t, pitch · t / 2π)`; a negative pitch is left-handed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helix {
    frame: Pose,
    radius: f64,
    pitch: f64,
}

pub(crate) fn positive(field: &'static str, value: f64) -> Result<f64, ShapeError> {
    // NaN fails both.
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(ShapeError::BadSize { field, value }) }
}

pub(crate) fn finite(field: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value.is_finite() { Ok(value) } else { Err(ShapeError::NotFinite { field }) }
}

macro_rules! moved {
    ($($kind:ident),*) => {$(
        impl $kind {
            /// The same curve moved.
            #[must_use]
            pub fn moved(&self, pose: &Pose) -> Self {
                Self { frame: *pose * self.frame, ..*self }
            }
        }
    )*};
}
moved!(Circle, Ellipse, Parabola, Hyperbola, Helix);

impl Line {
    /// A line through `origin`; one unit of t is the length of `direction`.
    ///
    /// # Errors
    /// When a number is not finite or the direction has length zero.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Self, ShapeError> {
        if !origin.is_finite() {
            return Err(ShapeError::NotFinite { field: "origin" });
        }
        if !direction.is_finite() {
            return Err(ShapeError::NotFinite { field: "direction" });
        }
        if direction == DVec3::ZERO {
            return Err(ShapeError::NoDirection { field: "direction" });
        }
        Ok(Self { origin, direction })
    }

    /// The point at t = 0.
    pub const fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Derivative by t.
    pub const fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The same line moved.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self { origin: pose.apply(self.origin), direction: pose.rotate(self.direction) }
    }

    pub(crate) fn jet(&self, t: f64) -> CurveJet {
        CurveJet { point: self.origin + t * self.direction, first: self.direction, second: DVec3::ZERO }
    }
}

impl Circle {
    /// A circle in the frame's x–y plane.
    ///
    /// # Errors
    /// When the radius is not positive and finite.
    pub fn new(frame: Pose, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { frame, radius: positive("radius", radius)? })
    }

    /// Centre and axes.
    pub const fn frame(&self) -> &Pose {
        &self.frame
    }

    /// Radius.
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// The jet by t at the angle whose cosine and sine are given.
    #[inline]
    pub fn jet_turned(&self, t: Turn) -> CurveJet {
        ellipse_jet(self.radius, self.radius, t).moved(&self.frame)
    }
}

impl Ellipse {
    /// An ellipse with half-axes `radii` along the frame's x and y.
    ///
    /// # Errors
    /// When a half-axis is not positive and finite.
    pub fn new(frame: Pose, radii: [f64; 2]) -> Result<Self, ShapeError> {
        Ok(Self { frame, radii: [positive("radii", radii[0])?, positive("radii", radii[1])?] })
    }

    /// Centre and axes.
    pub const fn frame(&self) -> &Pose {
        &self.frame
    }

    /// Half-axes along x and y.
    pub const fn radii(&self) -> [f64; 2] {
        self.radii
    }

    /// The jet by t at the angle whose cosine and sine are given.
    #[inline]
    pub fn jet_turned(&self, t: Turn) -> CurveJet {
        ellipse_jet(self.radii[0], self.radii[1], t).moved(&self.frame)
    }
}

#[inline]
fn ellipse_jet(a: f64, b: f64, t: Turn) -> CurveJet {
    let point = DVec3::new(a * t.cos, b * t.sin, 0.0);
    CurveJet { point, first: DVec3::new(-a * t.sin, b * t.cos, 0.0), second: -point }
}

impl Parabola {
    /// A parabola with its apex at the frame's origin.
    ///
    /// # Errors
    /// When the focal length is not positive and finite.
    pub fn new(frame: Pose, focal: f64) -> Result<Self, ShapeError> {
        Ok(Self { frame, focal: positive("focal", focal)? })
    }

    /// Apex and axes.
    pub const fn frame(&self) -> &Pose {
        &self.frame
    }

    /// Distance from the apex to the focus.
    pub const fn focal(&self) -> f64 {
        self.focal
    }

    pub(crate) fn jet(&self, t: f64) -> CurveJet {
        let f = self.focal;
        CurveJet {
            point: DVec3::new(f * t * t, 2.0 * f * t, 0.0),
            first: DVec3::new(2.0 * f * t, 2.0 * f, 0.0),
            second: DVec3::new(2.0 * f, 0.0, 0.0),
        }
        .moved(&self.frame)
    }
}

impl Hyperbola {
    /// The branch towards +x of the hyperbola with half-axes `radii`.
    ///
    /// # Errors
    /// When a half-axis is not positive and finite.
    pub fn new(frame: Pose, radii: [f64; 2]) -> Result<Self, ShapeError> {
        Ok(Self { frame, radii: [positive("radii", radii[0])?, positive("radii", radii[1])?] })
    }

    /// Centre and axes.
    pub const fn frame(&self) -> &Pose {
        &self.frame
    }

    /// Half-axes along x and y.
    pub const fn radii(&self) -> [f64; 2] {
        self.radii
    }

    pub(crate) fn jet(&self, t: f64) -> CurveJet {
        let [a, b] = self.radii;
        let (cosh, sinh) = (t.cosh(), t.sinh());
        let point = DVec3::new(a * cosh, b * sinh, 0.0);
        CurveJet { point, first: DVec3::new(a * sinh, b * cosh, 0.0), second: point }.moved(&self.frame)
    }
}

impl Helix {
    /// A helix about the frame's z axis that rises by `pitch` per turn.
    ///
    /// # Errors
    /// When the radius is not positive and finite or the pitch is not finite.
    pub fn new(frame: Pose, radius: f64, pitch: f64) -> Result<Self, ShapeError> {
        Ok(Self { frame, radius: positive("radius", radius)?, pitch: finite("pitch", pitch)? })
    }

    /// Axis and start.
    pub const fn frame(&self) -> &Pose {
        &self.frame
    }

    /// Radius.
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// Rise per turn.
    pub const fn pitch(&self) -> f64 {
        self.pitch
    }

    /// Rise per radian.
    pub(crate) fn slope(&self) -> f64 {
        self.pitch / std::f64::consts::TAU
    }

    /// The jet by t at the angle `t`, whose cosine and sine are given too.
    #[inline]
    pub fn jet_turned(&self, t: f64, turn: Turn) -> CurveJet {
        let mut jet = ellipse_jet(self.radius, self.radius, turn);
        jet.point.z = self.slope() * t;
        jet.first.z = self.slope();
        jet.moved(&self.frame)
    }
}
