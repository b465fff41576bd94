//! Surfaces: closed formulas, sweeps, rational Bézier patches and B-splines.

mod analytic;
mod bezier;
mod branch_and_bound;
mod convert;
pub(crate) mod home;
mod iso;
mod jet;
mod locate;
mod nurbs;
mod pole;
mod reach;
mod refine;
mod start;
mod swept;
mod tile;
mod traits;

pub use analytic::{Cone, Cylinder, Ellipsoid, Paraboloid, Plane, Sphere, Torus};
pub use bezier::BezierPatch;
pub use jet::SurfaceJet;
pub use locate::Located;
pub use nurbs::{NurbsSurface, SurfaceHint};
pub use pole::Pole;
pub use swept::{Extrusion, Revolution};
pub use traits::ParametricSurface;

pub(crate) use jet::unit;
pub(crate) use locate::Found;
pub(crate) use tile::{bernstein_jet, power_jet};

use crate::Pose;
use crate::curve::{Break, Curve, ParametricCurve, Range, Rect, Turn};
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// A surface of any kind; cheap to clone. Its normal is S_u × S_v: outward for spheres, cylinders, cones and
/// tori, away from the axis of a paraboloid, z of a plane.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, surface::{ParametricSurface, Sphere, Surface}};
/// let ball = Surface::from(Sphere::new(Pose::IDENTITY, 2.0)?);
/// assert_eq!(ball.point(0.0, 0.0), DVec3::new(2.0, 0.0, 0.0));
/// // The north pole has a normal although S_u vanishes there.
/// let north = ball.domain().v.high;
/// assert!((ball.normal(1.0, north).unwrap() - DVec3::Z).length() < 1e-15);
/// # Ok::<(), clearance_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// Unbounded in u and v.
    Plane(Plane),
    /// u: longitude, v: latitude.
    Sphere(Sphere),
    /// u: longitude, v: latitude of the sphere it is stretched from.
    Ellipsoid(Ellipsoid),
    /// u: angle, v: height; unbounded in v.
    Cylinder(Cylinder),
    /// u: angle, v: height; unbounded in v.
    Cone(Cone),
    /// u: angle, v ≥ 0: distance from the axis.
    Paraboloid(Paraboloid),
    /// u: angle about the axis, v: angle about the tube.
    Torus(Torus),
    /// u: angle, v: the curve's parameter.
    Revolution(Arc<Revolution>),
    /// u: the curve's parameter, v: multiples of the direction; unbounded in v.
    Extrusion(Arc<Extrusion>),
    /// A rational B-spline.
    Nurbs(Arc<NurbsSurface>),
}

macro_rules! from {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Surface {
            fn from(surface: $kind) -> Self {
                Self::$kind(surface)
            }
        }
    )*};
}
from!(Plane, Sphere, Ellipsoid, Cylinder, Cone, Paraboloid, Torus);

macro_rules! from_shared {
    ($($kind:ident => $variant:ident),*) => {$(
        impl From<$kind> for Surface {
            fn from(surface: $kind) -> Self {
                Self::$variant(Arc::new(surface))
            }
        }
    )*};
}
from_shared!(Revolution => Revolution, Extrusion => Extrusion, NurbsSurface => Nurbs);

impl Surface {
    /// Whether it is swept by a helix, so that no rational spline is the same.
    pub(crate) fn is_swept_by_helix(&self) -> bool {
        let curve = match self {
            Self::Revolution(swept) => swept.curve(),
            Self::Extrusion(swept) => swept.curve(),
            _ => return false,
        };
        matches!(curve, Curve::Helix(_))
    }

    /// The same surface moved; parameters stay.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        match self {
            Self::Plane(plane) => plane.moved(pose).into(),
            Self::Sphere(sphere) => sphere.moved(pose).into(),
            Self::Ellipsoid(ellipsoid) => ellipsoid.moved(pose).into(),
            Self::Cylinder(cylinder) => cylinder.moved(pose).into(),
            Self::Cone(cone) => cone.moved(pose).into(),
            Self::Paraboloid(paraboloid) => paraboloid.moved(pose).into(),
            Self::Torus(torus) => torus.moved(pose).into(),
            Self::Revolution(revolution) => revolution.moved(pose).into(),
            Self::Extrusion(extrusion) => extrusion.moved(pose).into(),
            Self::Nurbs(nurbs) => nurbs.moved(pose).into(),
        }
    }

    /// The parameters along u and v at which the surface may be less than twice continuously differentiable:
    /// feature boundaries.
    pub fn breaks(&self) -> [Vec<Break>; 2] {
        match self {
            Self::Revolution(revolution) => [Vec::new(), revolution.curve().breaks()],
            Self::Extrusion(extrusion) => [extrusion.curve().breaks(), Vec::new()],
            Self::Nurbs(nurbs) => nurbs.breaks(),
            _ => [Vec::new(), Vec::new()],
        }
    }
}

impl ParametricSurface for Surface {
    #[inline]
    fn jet(&self, u: f64, v: f64) -> SurfaceJet {
        let turn = Turn::from_angle;
        match self {
            Self::Plane(plane) => plane.jet(u, v),
            Self::Sphere(sphere) => sphere.jet_turned(turn(u), turn(v)),
            Self::Ellipsoid(ellipsoid) => ellipsoid.jet_turned(turn(u), turn(v)),
            Self::Cylinder(cylinder) => cylinder.jet_turned(turn(u), v),
            Self::Cone(cone) => cone.jet_turned(turn(u), v),
            Self::Paraboloid(paraboloid) => paraboloid.jet_turned(turn(u), v),
            Self::Torus(torus) => torus.jet_turned(turn(u), turn(v)),
            Self::Revolution(revolution) => revolution.jet_turned(turn(u), &revolution.curve().jet(v)),
            Self::Extrusion(extrusion) => extrusion.jet(u, v),
            Self::Nurbs(nurbs) => nurbs.jet(u, v),
        }
    }

    fn domain(&self) -> Rect {
        let free = Range::UNBOUNDED;
        match self {
            Self::Plane(_) => Rect::new(free, free),
            Self::Sphere(_) | Self::Ellipsoid(_) => Rect::new(Range::TURN, Range::new(-FRAC_PI_2, FRAC_PI_2)),
            Self::Cylinder(_) | Self::Cone(_) => Rect::new(Range::TURN, free),
            Self::Paraboloid(_) => Rect::new(Range::TURN, Range::new(0.0, f64::INFINITY)),
            Self::Torus(_) => Rect::new(Range::TURN, Range::TURN),
            Self::Revolution(revolution) => Rect::new(Range::TURN, revolution.curve().domain()),
            Self::Extrusion(extrusion) => Rect::new(extrusion.curve().domain(), free),
            Self::Nurbs(nurbs) => nurbs.domain(),
        }
    }

    fn periods(&self) -> [Option<f64>; 2] {
        match self {
            Self::Plane(_) => [None, None],
            Self::Torus(_) => [Some(TAU), Some(TAU)],
            Self::Revolution(revolution) => [Some(TAU), revolution.curve().period()],
            Self::Extrusion(extrusion) => [extrusion.curve().period(), None],
            Self::Nurbs(nurbs) => nurbs.periods(),
            _ => [Some(TAU), None],
        }
    }

    fn extents(&self, at: DVec2, jet: &SurfaceJet) -> DVec2 {
        // What an angle is held against is a length of the surface itself: heights have no natural end.
        let tall = match self {
            Self::Plane(_) | Self::Sphere(_) | Self::Ellipsoid(_) | Self::Torus(_) => 1.0,
            Self::Cylinder(cylinder) => cylinder.radius(),
            Self::Cone(cone) => (cone.radius() + (cone.slope() * at.y).abs()) / 1.0_f64.hypot(cone.slope()),
            Self::Paraboloid(paraboloid) => paraboloid.focal(),
            Self::Revolution(revolution) => {
                let along = revolution.curve().domain();
                let far = jet.point.distance(revolution.origin());
                if along.is_bounded() { along.width() } else { far / jet.v.length() }
            }
            Self::Extrusion(extrusion) => {
                let along = extrusion.curve().domain();
                let wide =
                    traits::extent(if along.is_bounded() { along.width() } else { 1.0 / jet.u.length() });
                // Where the curve stands still its second derivative says how far it goes.
                let far = (jet.u.length() * wide).max(jet.uu.length() * wide * wide);
                return DVec2::new(wide, traits::extent(far / jet.v.length()));
            }
            Self::Nurbs(nurbs) => return nurbs.extents(at, jet),
        };
        DVec2::new(1.0, traits::extent(tall))
    }

    fn normal(&self, u: f64, v: f64) -> Option<DVec3> {
        pole::normal(self, u, v)
    }
}
