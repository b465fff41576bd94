//! One analytic patch.

use super::{AnyBody, primitive, size};
use crate::fields::At;
use crate::{Context, Error, ErrorKind};
use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{
    Cone, Cylinder, Ellipsoid, Paraboloid, ParametricSurface as _, Plane, Sphere, Surface, Torus,
};
use clearance_geometry::tiled::{Patch, TiledBody, goes_around, is_turn};
use clearance_geometry::{Body, DVec2, ShapeError};
use std::f64::consts::TAU;

pub(super) const KEYS: [&str; 13] = [
    "surface",
    "radius",
    "radii",
    "height",
    "top_radius",
    "major",
    "minor",
    "focal",
    "u",
    "v",
    "pose",
    "trim",
    "reversed",
];

/// How a parameter is written.
#[derive(Clone, Copy)]
enum Measure {
    Degrees,
    Length,
}

/// A surface as given, with what its parameters mean.
struct Given {
    surface: Surface,
    measures: [Measure; 2],
    /// Ranges that hold unless others are given.
    natural: [Option<Range>; 2],
    reversed: bool,
}

pub(super) fn surface(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let given = given(at, context)?;
    let body = match at.get("trim") {
        None => {
            let patch = patch(at, given, context)?;
            TiledBody::from_patches(&[patch], None).map_err(|error| at.place(error.into()))
        }
        Some(field) => {
            let loops = loops(at, &field, &given, context)?;
            let body = TiledBody::from_trim(given.surface, given.reversed, &loops);
            body.map_err(|error| field.place(error.into()))
        }
    };
    body.map(|body| AnyBody::Solid(Body::Tiled(body)))
}

/// A patch that is to be tiled together with others.
pub(super) fn face(at: &At<'_>, context: &Context) -> Result<Patch, Error> {
    let given = given(at, context)?;
    let Some(field) = at.get("trim") else { return patch(at, given, context) };
    let loops = loops(at, &field, &given, context)?;
    let patch = Patch::new(given.surface).trimmed(loops);
    Ok(if given.reversed { patch.reversed() } else { patch })
}

fn patch(at: &At<'_>, given: Given, context: &Context) -> Result<Patch, Error> {
    let rect = Rect::new(range(at, 0, &given, context)?, range(at, 1, &given, context)?);
    let patch = Patch::new(given.surface).over(rect);
    Ok(if given.reversed { patch.reversed() } else { patch })
}

fn given(at: &At<'_>, context: &Context) -> Result<Given, Error> {
    use Measure::{Degrees, Length};
    let field = at.need("surface")?;
    let frame = super::solid_pose(at, context)?;
    let need = |key: &str| size(&at.need(key)?, context);
    let made = |error: ShapeError| at.place(error.into());
    let (sizes, surface, measures): (&[&str], Surface, _) = match field.text()? {
        "plane" => (&[], Plane::new(frame).into(), [Length; 2]),
        "sphere" => {
            let sphere = Sphere::new(frame, need("radius")?).map_err(made)?;
            (&["radius"], sphere.into(), [Degrees; 2])
        }
        "ellipsoid" => {
            let radii = primitive::radii(&at.need("radii")?, context)?;
            (&["radii"], Ellipsoid::new(frame, radii).map_err(made)?.into(), [Degrees; 2])
        }
        "cylinder" => {
            let cylinder = Cylinder::new(frame, need("radius")?).map_err(made)?;
            (&["radius"], cylinder.into(), [Degrees, Length])
        }
        "cone" => {
            let [radius, height, top] = primitive::cone_sizes(at, context)?;
            let cone = Cone::new(frame, radius, (top - radius) / height).map_err(made)?;
            (&["radius", "height", "top_radius"], cone.into(), [Degrees, Length])
        }
        "torus" => {
            let torus = Torus::new(frame, need("major")?, need("minor")?).map_err(made)?;
            (&["major", "minor"], torus.into(), [Degrees; 2])
        }
        "paraboloid" => {
            let paraboloid = Paraboloid::new(frame, need("focal")?).map_err(made)?;
            (&["focal"], paraboloid.into(), [Degrees, Length])
        }
        other => {
            let known = "plane, sphere, cylinder, cone, torus, ellipsoid, paraboloid";
            let reason = format!("no surface is called `{other}`; surfaces are {known}");
            return Err(field.error(ErrorKind::BadValue { reason }));
        }
    };
    let others = ["kind", "surface", "u", "v", "pose", "trim", "reversed", "surface_only"];
    at.check_keys(&[&others, sizes].concat())?;
    let domain = surface.domain();
    let bounded = |range: Range| range.is_bounded().then_some(range);
    let mut natural = [bounded(domain.u), bounded(domain.v)];
    if let Surface::Cone(_) = surface {
        natural[1] = Some(Range::new(0.0, need("height")?));
    }
    let reversed = at.get("reversed").map_or(Ok(false), |field| field.bool())?;
    Ok(Given { surface, measures, natural, reversed })
}

fn converted(number: f64, measure: Measure, field: &At<'_>, context: &Context) -> Result<f64, Error> {
    match measure {
        // Quarter turns are exact this way.
        Measure::Degrees => Ok(number / 360.0 * TAU),
        Measure::Length => super::length(field, number, context),
    }
}

/// The range of u (0) or v (1).
fn range(at: &At<'_>, axis: usize, given: &Given, context: &Context) -> Result<Range, Error> {
    let key = ["u", "v"][axis];
    let Some(field) = at.get(key) else {
        let missing = || at.error(ErrorKind::MissingField { field: key.to_owned() });
        return given.natural[axis].ok_or_else(missing);
    };
    let [low, high] = field.vector::<2>()?;
    let [from, to] = [
        converted(low, given.measures[axis], &field, context)?,
        converted(high, given.measures[axis], &field, context)?,
    ];
    let wrong = |reason: String| Err(field.error(ErrorKind::BadValue { reason }));
    if !(from < to) {
        return wrong(format!("{low} is not below {high}"));
    }
    let (domain, period) = (given.surface.domain(), given.surface.periods()[axis]);
    let domain = if axis == 0 { domain.u } else { domain.v };
    match period {
        Some(period) if to - from > period && !is_turn(to - from, Some(period)) => {
            wrong("more than a whole turn".to_owned())
        }
        None if !domain.encloses(Range::new(from, to)) => {
            wrong(format!("{low} to {high} leaves what the surface has"))
        }
        _ => Ok(Range::new(from, to)),
    }
}

/// The loops of a trim; where all of them are holes, the rectangle of u and v is the outer one.
fn loops(at: &At<'_>, field: &At<'_>, given: &Given, context: &Context) -> Result<Vec<Vec<DVec2>>, Error> {
    let mut loops = Vec::new();
    for item in field.items()? {
        let mut corners = Vec::new();
        for corner in item.items()? {
            let [u, v] = corner.vector::<2>()?;
            corners.push(DVec2::new(
                converted(u, given.measures[0], &corner, context)?,
                converted(v, given.measures[1], &corner, context)?,
            ));
        }
        if doubled_area(&corners) == 0.0 && !goes_around(&given.surface, &corners) {
            let reason = "the loop bounds nothing".to_owned();
            return Err(item.error(ErrorKind::BadValue { reason }));
        }
        loops.push(corners);
    }
    if loops.is_empty() {
        return Err(field.error(ErrorKind::BadValue { reason: "there are no loops".to_owned() }));
    }
    if at.get("u").is_none() && at.get("v").is_none() {
        return Ok(loops);
    }
    let rect = Rect::new(range(at, 0, given, context)?, range(at, 1, given, context)?);
    if loops.iter().flatten().any(|corner| !rect.contains(corner.x, corner.y)) {
        let reason = "a corner lies outside `u` and `v`".to_owned();
        return Err(field.error(ErrorKind::BadValue { reason }));
    }
    if loops.iter().all(|corners| doubled_area(corners) < 0.0) {
        let periods = given.surface.periods();
        let around = [is_turn(rect.u.width(), periods[0]), is_turn(rect.v.width(), periods[1])];
        loops.splice(0..0, outer(rect, around));
    }
    Ok(loops)
}

/// The bounds of a rectangle: its sides, but for those at which the surface closes on itself.
fn outer(Rect { u, v }: Rect, around: [bool; 2]) -> Vec<Vec<DVec2>> {
    let p = DVec2::new;
    match around {
        [false, false] => {
            vec![vec![p(u.low, v.low), p(u.high, v.low), p(u.high, v.high), p(u.low, v.high)]]
        }
        [true, false] => {
            vec![vec![p(u.low, v.low), p(u.high, v.low)], vec![p(u.high, v.high), p(u.low, v.high)]]
        }
        [false, true] => {
            vec![vec![p(u.high, v.low), p(u.high, v.high)], vec![p(u.low, v.high), p(u.low, v.low)]]
        }
        [true, true] => Vec::new(),
    }
}

/// Twice the area to the left of a polygon.
fn doubled_area(corners: &[DVec2]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum()
}
