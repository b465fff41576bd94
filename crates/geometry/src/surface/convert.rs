//! Surfaces as rational splines, exactly.
//!
//! Source: a surface of revolution is a rational circle times its profile.
//! Differs: every round quadric and the torus go through the same product: a profile in the x–z plane turned
//! about z, then mapped into place.
//! Ends because: loops run over control points.
//! Cost: nine control points per quarter turn and profile arc.
//! Not promised: the same parameters inside an arc; see the curves.

use super::{NurbsSurface, Surface};
use crate::Pose;
use crate::curve::{
    Arcs, Circle, ConvertError, Curve, Direction, Knots, NurbsCurve, Range, Rect, arcs, checked_width, xyz,
};
use glam::{DMat3, DVec3, DVec4};

impl Surface {
    /// The part over `rect` as a rational spline: the same points, and the same parameters along the sides of
    /// every arc (for planes, extruded and plain splines everywhere).
    ///
    /// ```
    /// use clearance_geometry::{Pose, surface::{ParametricSurface, Surface, Torus}};
    /// let torus = Surface::from(Torus::new(Pose::IDENTITY, 3.0, 1.0)?);
    /// let spline = torus.to_nurbs(torus.domain())?;
    /// assert_eq!(spline.is_closed(), [true, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For surfaces of a helix, and for a rectangle that is not finite, not in order, or outside a spline's
    /// domain.
    pub fn to_nurbs(&self, rect: Rect) -> Result<NurbsSurface, ConvertError> {
        let place = |frame: &Pose, profile: Profile, stretch: DVec3| {
            let unit = revolve(&profile.spline(rect.v)?, DVec3::ZERO, DVec3::Z, rect.u)?;
            Ok(unit.transformed(&(frame.rotation() * DMat3::from_diagonal(stretch)), frame.translation()))
        };
        checked_width(rect.v, Direction::V)?;
        match self {
            Self::Plane(plane) => flat(plane.frame(), rect),
            Self::Sphere(sphere) => place(sphere.frame(), Profile::Meridian, DVec3::splat(sphere.radius())),
            Self::Ellipsoid(ellipsoid) => {
                place(ellipsoid.frame(), Profile::Meridian, DVec3::from_array(ellipsoid.radii()))
            }
            Self::Cylinder(cylinder) => {
                place(cylinder.frame(), Profile::Line(cylinder.radius(), 0.0), DVec3::ONE)
            }
            Self::Cone(cone) => place(cone.frame(), Profile::Line(cone.radius(), cone.slope()), DVec3::ONE),
            Self::Paraboloid(paraboloid) => {
                place(paraboloid.frame(), Profile::Parabola(paraboloid.focal()), DVec3::ONE)
            }
            Self::Torus(torus) => {
                place(torus.frame(), Profile::Tube(torus.major(), torus.minor()), DVec3::ONE)
            }
            Self::Revolution(revolution) => {
                let profile = revolution.curve().to_nurbs(rect.v)?;
                revolve(&profile, revolution.origin(), revolution.axis(), rect.u)
            }
            Self::Extrusion(extrusion) => {
                let curve = extrusion.curve().to_nurbs(rect.u)?;
                extrude(&curve, extrusion.direction(), rect.v)
            }
            Self::Nurbs(nurbs) => Ok(nurbs.restricted(rect)?),
        }
    }
}

/// What is turned about z, in the x–z plane.
enum Profile {
    /// (cos v, sin v).
    Meridian,
    /// Radius at v = 0 and its growth.
    Line(f64, f64),
    /// (v, v² / 4 focal).
    Parabola(f64),
    /// (major + minor cos v, minor sin v).
    Tube(f64, f64),
}

impl Profile {
    fn spline(&self, v: Range) -> Result<NurbsCurve, ConvertError> {
        let Range { low, high } = v;
        let polynomial = |points: &[DVec3]| {
            let knots = [vec![low; points.len()], vec![high; points.len()]].concat();
            Ok(NurbsCurve::new(points.len() - 1, knots, points, None)?)
        };
        match *self {
            Self::Meridian => round(DVec3::ZERO, 1.0, v),
            Self::Tube(major, minor) => round(DVec3::X * major, minor, v),
            Self::Line(radius, slope) => {
                polynomial(&[low, high].map(|z| DVec3::new(radius + slope * z, 0.0, z)))
            }
            Self::Parabola(focal) => {
                let at = |s: f64, t: f64| DVec3::new(0.5 * (s + t), 0.0, 0.25 * s * t / focal);
                polynomial(&[at(low, low), at(low, high), at(high, high)])
            }
        }
    }
}

/// An arc in the x–z plane.
fn round(center: DVec3, radius: f64, v: Range) -> Result<NurbsCurve, ConvertError> {
    // x stays, y goes to z.
    let axes = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y);
    let frame = Pose::from_matrix(axes, center).unwrap_or_default();
    // The radius was checked when the surface was made.
    let Ok(circle) = Circle::new(frame, radius) else {
        return Err(ConvertError::BadRange { direction: Direction::V, low: v.low, high: v.high });
    };
    Curve::from(circle).to_nurbs(v)
}

fn flat(frame: &Pose, rect: Rect) -> Result<NurbsSurface, ConvertError> {
    checked_width(rect.u, Direction::U)?;
    let ends = |range: Range| vec![range.low, range.low, range.high, range.high];
    let at = |u: f64, v: f64| frame.apply(DVec3::new(u, v, 0.0));
    let row = |u: f64| vec![at(u, rect.v.low), at(u, rect.v.high)];
    let net = [row(rect.u.low), row(rect.u.high)];
    Ok(NurbsSurface::new([1, 1], [ends(rect.u), ends(rect.v)], &net, None)?)
}

fn revolve(profile: &NurbsCurve, origin: DVec3, axis: DVec3, u: Range) -> Result<NurbsSurface, ConvertError> {
    let Arcs { knots, points } = arcs(u, false, Direction::U)?;
    let mut net = Vec::with_capacity(points.len() * profile.homogeneous_points().len());
    for [x, y, weight] in &points {
        for p in profile.homogeneous_points() {
            let d = xyz(*p) - origin * p.w;
            let along = axis * axis.dot(d);
            let turned = (along + origin * p.w) * *weight + (d - along) * *x + axis.cross(d) * *y;
            net.push(turned.extend(p.w * weight));
        }
    }
    let knots = Knots::new(2, knots, points.len(), Direction::U)?;
    Ok(NurbsSurface::from_homogeneous([knots, profile.knots().clone()], net)?)
}

fn extrude(curve: &NurbsCurve, direction: DVec3, v: Range) -> Result<NurbsSurface, ConvertError> {
    let moved = |p: &DVec4| [v.low, v.high].map(|t| (xyz(*p) + direction * (t * p.w)).extend(p.w));
    let net = curve.homogeneous_points().iter().flat_map(moved).collect();
    let knots = Knots::new(1, vec![v.low, v.low, v.high, v.high], 2, Direction::V)?;
    Ok(NurbsSurface::from_homogeneous([curve.knots().clone(), knots], net)?)
}
