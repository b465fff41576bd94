//! Surfaces with closed formulas: quadrics and tori.
//!
//! Each stands in its own frame (a [`Pose`]): the formulas below are in that frame's x, y, z. Angles are taken
//! as cosine and sine where speed matters (`jet_turned`).

use super::SurfaceJet;
use crate::curve::{Turn, finite, positive};
use crate::{Pose, ShapeError};
use glam::DVec3;

/// `(u, v, 0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    frame: Pose,
}

/// `radius · (cos v cos u, cos v sin u, sin v)`: longitude and latitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    frame: Pose,
    radius: f64,
}

/// `(a cos v cos u, b cos v sin u, c sin v)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    frame: Pose,
    radii: [f64; 3],
}

/// `(radius · cos u, radius · sin u, v)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    frame: Pose,
    radius: f64,
}

/// `(r cos u, r sin u, v)` with `r = radius + slope · v`; both nappes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    frame: Pose,
    radius: f64,
    slope: f64,
}

/// `(v cos u, v sin u, v² / 4 focal)`: v is the distance from the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paraboloid {
    frame: Pose,
    focal: f64,
}

/// `(r cos u, r sin u, minor · sin v)` with `r = major + minor · cos v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    frame: Pose,
    major: f64,
    minor: f64,
}

macro_rules! framed {
    ($($kind:ident),*) => {$(
        impl $kind {
            /// Origin and axes.
            pub const fn frame(&self) -> &Pose {
                &self.frame
            }

            /// The same surface moved.
            #[must_use]
            pub fn moved(&self, pose: &Pose) -> Self {
                Self { frame: *pose * self.frame, ..*self }
            }
        }
    )*};
}
framed!(Sphere, Ellipsoid, Cylinder, Cone, Paraboloid, Torus);

impl Plane {
    /// The frame's x–y plane; its normal is z.
    pub const fn new(frame: Pose) -> Self {
        Self { frame }
    }

    /// Origin and axes.
    pub const fn frame(&self) -> &Pose {
        &self.frame
    }

    /// The same plane moved.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        Self { frame: *pose * self.frame }
    }

    pub(crate) fn jet(&self, u: f64, v: f64) -> SurfaceJet {
        let axes = self.frame.rotation();
        SurfaceJet {
            point: self.frame.apply(DVec3::new(u, v, 0.0)),
            u: axes.x_axis,
            v: axes.y_axis,
            ..SurfaceJet::default()
        }
    }
}

impl Sphere {
    /// A sphere about the frame's origin.
    ///
    /// # Errors
    /// When the radius is not positive and finite.
    pub fn new(frame: Pose, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { frame, radius: positive("radius", radius)? })
    }

    /// Radius.
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// The jet by both angles, whose cosines and sines are given.
    #[inline]
    pub fn jet_turned(&self, u: Turn, v: Turn) -> SurfaceJet {
        ellipsoid_jet([self.radius; 3], u, v).moved(&self.frame)
    }
}

impl Ellipsoid {
    /// An ellipsoid with half-axes `radii` along the frame's axes.
    ///
    /// # Errors
    /// When a half-axis is not positive and finite.
    pub fn new(frame: Pose, radii: [f64; 3]) -> Result<Self, ShapeError> {
        for radius in radii {
            positive("radii", radius)?;
        }
        Ok(Self { frame, radii })
    }

    /// Half-axes.
    pub const fn radii(&self) -> [f64; 3] {
        self.radii
    }

    /// The jet by both angles, whose cosines and sines are given.
    #[inline]
    pub fn jet_turned(&self, u: Turn, v: Turn) -> SurfaceJet {
        ellipsoid_jet(self.radii, u, v).moved(&self.frame)
    }
}

#[inline]
fn ellipsoid_jet([a, b, c]: [f64; 3], u: Turn, v: Turn) -> SurfaceJet {
    let (across, along) = (DVec3::new(a * u.cos, b * u.sin, 0.0), DVec3::new(-a * u.sin, b * u.cos, 0.0));
    let point = across * v.cos + DVec3::new(0.0, 0.0, c * v.sin);
    SurfaceJet {
        point,
        u: along * v.cos,
        v: across * -v.sin + DVec3::new(0.0, 0.0, c * v.cos),
        uu: across * -v.cos,
        uv: along * -v.sin,
        vv: -point,
    }
}

impl Cylinder {
    /// A cylinder about the frame's z axis.
    ///
    /// # Errors
    /// When the radius is not positive and finite.
    pub fn new(frame: Pose, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { frame, radius: positive("radius", radius)? })
    }

    /// Radius.
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// The jet by angle and height; the angle's cosine and sine are given.
    #[inline]
    pub fn jet_turned(&self, u: Turn, v: f64) -> SurfaceJet {
        round_jet([self.radius, 0.0, 0.0], [v, 1.0, 0.0], u).moved(&self.frame)
    }
}

impl Cone {
    /// A cone about the frame's z axis with this radius at z = 0, growing by `slope` per unit of z.
    ///
    /// # Errors
    /// When the radius is negative or the slope zero, or either is not finite.
    pub fn new(frame: Pose, radius: f64, slope: f64) -> Result<Self, ShapeError> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(ShapeError::BadSize { field: "radius", value: radius });
        }
        if !(slope != 0.0 && slope.is_finite()) {
            return Err(ShapeError::BadSize { field: "slope", value: slope });
        }
        Ok(Self { frame, radius, slope })
    }

    /// Radius at z = 0.
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// Growth of the radius per unit of z.
    pub const fn slope(&self) -> f64 {
        self.slope
    }

    /// The z (and v) of the apex.
    pub fn apex(&self) -> f64 {
        -self.radius / self.slope
    }

    /// The jet by angle and height; the angle's cosine and sine are given.
    #[inline]
    pub fn jet_turned(&self, u: Turn, v: f64) -> SurfaceJet {
        let radius = self.radius + self.slope * v;
        round_jet([radius, self.slope, 0.0], [v, 1.0, 0.0], u).moved(&self.frame)
    }
}

impl Paraboloid {
    /// A paraboloid about the frame's z axis, its apex at the origin, `focal` from apex to focus.
    ///
    /// # Errors
    /// When the focal length is not positive and finite.
    pub fn new(frame: Pose, focal: f64) -> Result<Self, ShapeError> {
        Ok(Self { frame, focal: positive("focal", focal)? })
    }

    /// Distance from the apex to the focus.
    pub const fn focal(&self) -> f64 {
        self.focal
    }

    /// The jet by angle and distance from the axis; the angle's cosine and sine are given.
    #[inline]
    pub fn jet_turned(&self, u: Turn, v: f64) -> SurfaceJet {
        let half = 0.5 / self.focal;
        round_jet([v, 1.0, 0.0], [0.5 * half * v * v, half * v, half], u).moved(&self.frame)
    }
}

impl Torus {
    /// A torus about the frame's z axis. `minor` may exceed `major`: then it crosses itself on the axis.
    ///
    /// # Errors
    /// When a radius is not positive and finite.
    pub fn new(frame: Pose, major: f64, minor: f64) -> Result<Self, ShapeError> {
        let finite_major = finite("major", major)?;
        Ok(Self { frame, major: positive("major", finite_major)?, minor: positive("minor", minor)? })
    }

    /// Distance from the axis to the centre of the tube.
    pub const fn major(&self) -> f64 {
        self.major
    }

    /// Radius of the tube.
    pub const fn minor(&self) -> f64 {
        self.minor
    }

    /// The jet by both angles, whose cosines and sines are given.
    #[inline]
    pub fn jet_turned(&self, u: Turn, v: Turn) -> SurfaceJet {
        let (x, z) = (self.minor * v.cos, self.minor * v.sin);
        round_jet([self.major + x, -z, -x], [z, x, -z], u).moved(&self.frame)
    }
}

/// The surface `(r cos u, r sin u, z)` from r and z with their derivatives by v.
#[inline]
fn round_jet(r: [f64; 3], z: [f64; 3], u: Turn) -> SurfaceJet {
    let (out, along) = (DVec3::new(u.cos, u.sin, 0.0), DVec3::new(-u.sin, u.cos, 0.0));
    let at = |k: usize| out * r[k] + DVec3::new(0.0, 0.0, z[k]);
    SurfaceJet { point: at(0), u: along * r[0], v: at(1), uu: out * -r[0], uv: along * r[1], vv: at(2) }
}
