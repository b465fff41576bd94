//! Surfaces of a STEP file.

use super::Fault;
use super::curves::{KnotForm, curve};
use super::placement::{axis, frame, point, raw_vector};
use super::source::Record;
use super::units::Scales;
use clearance_geometry::Pose;
use clearance_geometry::curve::Curve;
use clearance_geometry::surface::{
    Cone, Cylinder, Extrusion, NurbsSurface, Plane, Revolution, Sphere, Surface, Torus,
};
use std::f64::consts::FRAC_PI_2;
use std::fmt::Display;

/// Surfaces that refer to surfaces are followed this far; longer chains are taken for circles.
const DEEPEST_SURFACE: usize = 16;

/// A surface as this engine has it.
#[derive(Clone)]
pub(super) struct Read {
    /// Without bounds.
    pub(super) surface: Surface,
    /// Whether its normal is against that of the record.
    pub(super) flipped: bool,
    /// What one unit of the record's u and v is in the surface's; `None` where parameters do not carry over.
    pub(super) parameters: Option<[f64; 2]>,
}

/// A surface without bounds.
pub(super) fn surface(record: Record<'_>, scales: &Scales, warnings: &mut Vec<Fault>) -> Result<Read, Fault> {
    surface_at(record, scales, warnings, 0)
}

fn surface_at(
    record: Record<'_>,
    scales: &Scales,
    warnings: &mut Vec<Fault>,
    depth: usize,
) -> Result<Read, Fault> {
    if depth > DEEPEST_SURFACE {
        return Err(record.fault("refers to itself"));
    }
    let fields = record.fields();
    match record.simple_kind() {
        "RECTANGULAR_TRIMMED_SURFACE" => {
            // The face's own loops lie within the rectangle, so it adds nothing but a sense.
            let inner = surface_at(fields.link(1)?, scales, warnings, depth + 1)?;
            let turned = fields.flag(6)? != fields.flag(7)?;
            Ok(Read { flipped: inner.flipped != turned, parameters: None, ..inner })
        }
        "CURVE_BOUNDED_SURFACE" => surface_at(fields.link(1)?, scales, warnings, depth + 1),
        "OFFSET_SURFACE" => {
            let inner = surface_at(fields.link(1)?, scales, warnings, depth + 1)?;
            let by = scales.length(fields.real(2)?);
            let surface = offset(record, &inner.surface, if inner.flipped { -by } else { by })?;
            Ok(Read { surface, parameters: None, ..inner })
        }
        _ => elementary(record, scales, warnings),
    }
}

fn elementary(record: Record<'_>, scales: &Scales, warnings: &mut Vec<Fault>) -> Result<Read, Fault> {
    let fields = record.fields();
    let length = scales.length(1.0);
    let place = || frame(fields.link(1)?, scales);
    let size = |index| Ok::<f64, Fault>(scales.length(fields.real(index)?));
    let refused = |error: &dyn Display| record.fault(format!("is no surface: {error}"));
    let (surface, parameters): (Surface, _) = match record.simple_kind() {
        "PLANE" => (Plane::new(place()?).into(), [length, length]),
        "CYLINDRICAL_SURFACE" => {
            (Cylinder::new(place()?, size(2)?).map_err(|e| refused(&e))?.into(), [scales.angle, length])
        }
        "CONICAL_SURFACE" => {
            let semi_angle = fields.real(3)? * scales.angle;
            if !(semi_angle.abs() < FRAC_PI_2) {
                return Err(record.fault(format!("has the semi-angle {semi_angle} rad")));
            }
            if semi_angle == 0.0 {
                warnings.push(record.fault("has the semi-angle 0 and is taken for a cylinder"));
                (Cylinder::new(place()?, size(2)?).map_err(|e| refused(&e))?.into(), [scales.angle, length])
            } else {
                let cone = Cone::new(place()?, size(2)?, semi_angle.tan()).map_err(|e| refused(&e))?;
                (cone.into(), [scales.angle, length])
            }
        }
        "SPHERICAL_SURFACE" => {
            let sphere = Sphere::new(place()?, size(2)?).map_err(|e| refused(&e))?;
            (sphere.into(), [scales.angle, scales.angle])
        }
        "TOROIDAL_SURFACE" | "DEGENERATE_TOROIDAL_SURFACE" => {
            let torus = Torus::new(place()?, size(2)?, size(3)?).map_err(|e| refused(&e))?;
            (torus.into(), [scales.angle, scales.angle])
        }
        "SURFACE_OF_REVOLUTION" => {
            let (origin, along) = axis(fields.link(2)?, scales)?;
            let (swept, reversed) = curve(fields.link(1)?, scales)?;
            let parameters = (!reversed).then(|| [scales.angle, unit_along(&swept, scales)]);
            let surface = Revolution::new(swept, origin, along).map_err(|e| refused(&e))?;
            return Ok(Read { surface: surface.into(), flipped: reversed, parameters });
        }
        "SURFACE_OF_LINEAR_EXTRUSION" => {
            let (along, magnitude) = raw_vector(fields.link(2)?)?;
            let (swept, reversed) = curve(fields.link(1)?, scales)?;
            let surface = Extrusion::new(swept, along * scales.length(magnitude)).map_err(|e| refused(&e))?;
            return Ok(Read { surface: surface.into(), flipped: reversed, parameters: None });
        }
        _ if is_spline(record) => (spline(record, scales)?.into(), [1.0, 1.0]),
        _ => return Err(record.unsupported("a surface")),
    };
    Ok(Read { surface, flipped: false, parameters: Some(parameters) })
}

/// What one unit of a curve's parameter in the file is here.
fn unit_along(curve: &Curve, scales: &Scales) -> f64 {
    if matches!(curve, Curve::Circle(_) | Curve::Ellipse(_)) { scales.angle } else { 1.0 }
}

/// The surface at a distance along the normals of another, for the kinds where it is one of the same kind.
fn offset(record: Record<'_>, surface: &Surface, by: f64) -> Result<Surface, Fault> {
    let refused = |error: &dyn Display| record.fault(format!("is no surface: {error}"));
    Ok(match surface {
        Surface::Plane(plane) => {
            let pose = plane.frame();
            let moved = pose.translation() + pose.rotation().z_axis * by;
            Plane::new(pose.with_translation(moved)).into()
        }
        Surface::Cylinder(cylinder) => {
            Cylinder::new(*cylinder.frame(), cylinder.radius() + by).map_err(|e| refused(&e))?.into()
        }
        Surface::Sphere(sphere) => {
            Sphere::new(*sphere.frame(), sphere.radius() + by).map_err(|e| refused(&e))?.into()
        }
        Surface::Torus(torus) => {
            Torus::new(*torus.frame(), torus.major(), torus.minor() + by).map_err(|e| refused(&e))?.into()
        }
        Surface::Cone(cone) => {
            // The normal is (1, −slope)/√(1 + slope²) in (r, z); the frame stays and the radius at z = 0 grows.
            let grown = cone.radius() + by * cone.slope().hypot(1.0);
            let pose: &Pose = cone.frame();
            Cone::new(*pose, grown, cone.slope()).map_err(|e| refused(&e))?.into()
        }
        _ => return Err(record.fault("offsets a free-form surface, which has no exact form here")),
    })
}

/// Attributes of B-spline surfaces, ancestors first.
const SPLINE: [(&str, usize); 3] =
    [("REPRESENTATION_ITEM", 1), ("B_SPLINE_SURFACE", 7), ("B_SPLINE_SURFACE_WITH_KNOTS", 5)];

fn is_spline(record: Record<'_>) -> bool {
    let kinds = [
        "B_SPLINE_SURFACE_WITH_KNOTS",
        "B_SPLINE_SURFACE",
        "BEZIER_SURFACE",
        "UNIFORM_SURFACE",
        "QUASI_UNIFORM_SURFACE",
        "RATIONAL_B_SPLINE_SURFACE",
    ];
    kinds.iter().any(|kind| record.is(kind))
}

fn spline(record: Record<'_>, scales: &Scales) -> Result<NurbsSurface, Fault> {
    let own = record.own("B_SPLINE_SURFACE", &SPLINE)?;
    let degrees = [own.count(0)?, own.count(1)?];
    let rows = own.link_rows(2)?;
    let read = |row: Vec<Record<'_>>| row.into_iter().map(|p| point(p, scales)).collect();
    let points = rows.into_iter().map(read).collect::<Result<Vec<Vec<_>>, Fault>>()?;
    let counts = [points.len(), points.first().map_or(0, Vec::len)];
    let forms = if record.is("B_SPLINE_SURFACE_WITH_KNOTS") {
        let own = record.own("B_SPLINE_SURFACE_WITH_KNOTS", &SPLINE)?;
        [KnotForm::Given(own.counts(0)?, own.reals(2)?), KnotForm::Given(own.counts(1)?, own.reals(3)?)]
    } else {
        [KnotForm::of(record, "SURFACE")?, KnotForm::of(record, "SURFACE")?]
    };
    let knots =
        [forms[0].knots(record, degrees[0], counts[0])?, forms[1].knots(record, degrees[1], counts[1])?];
    let weights = if record.is("RATIONAL_B_SPLINE_SURFACE") {
        let chain = [("REPRESENTATION_ITEM", 1), ("B_SPLINE_SURFACE", 7), ("RATIONAL_B_SPLINE_SURFACE", 1)];
        Some(record.own("RATIONAL_B_SPLINE_SURFACE", &chain)?.real_rows(0)?)
    } else {
        None
    };
    NurbsSurface::new(degrees, knots, &points, weights.as_deref())
        .map_err(|error| record.fault(format!("is no surface: {error}")))
}
