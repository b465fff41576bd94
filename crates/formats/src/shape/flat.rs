//! Shapes with flat faces: points, segments, boxes, half-spaces, polytopes, polygons.

use super::AnyBody;
use crate::fields::At;
use crate::{Context, Error, ErrorKind};
use clearance_geometry::{DVec2, DVec3, HalfSpace, Polygon, Polytope, PolytopeError};

fn is_planar(at: &At<'_>, context: &Context) -> Result<bool, Error> {
    at.get("planar").map_or(Ok(context.is_planar()), |field| field.bool())
}

pub(super) fn point(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    if is_planar(at, context)? {
        return Ok(AnyBody::Planar(Polygon::point()));
    }
    Ok(AnyBody::Solid(Polytope::point().into()))
}

pub(super) fn segment(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("points")?;
    if is_planar(at, context)? {
        let ends = two_points(&field, planar_points(&field, context)?)?;
        let segment = Polygon::segment(ends).map_err(|error| field.place(error.into()))?;
        return Ok(AnyBody::Planar(segment));
    }
    let ends = two_points(&field, solid_points(&field, context)?)?;
    let segment = Polytope::segment(ends).map_err(|error| field.place(error.into()))?;
    Ok(AnyBody::Solid(segment.into()))
}

fn two_points<T>(field: &At<'_>, points: Vec<T>) -> Result<[T; 2], Error> {
    <[T; 2]>::try_from(points).map_err(|points| {
        let found = format!("{} points", points.len());
        field.error(ErrorKind::WrongType { expected: "two points".to_owned(), found })
    })
}

pub(super) fn cuboid(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("size")?;
    let size = DVec3::from_array(context.scale().apply_all(field.vector::<3>()?));
    let cuboid = Polytope::cuboid(size).map_err(|error| field.place(error.into()))?;
    Ok(AnyBody::Solid(cuboid.into()))
}

pub(super) fn half_space(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let normal = DVec3::from_array(at.need("normal")?.vector::<3>()?);
    let offset = context.scale().apply(at.need("offset")?.number()?);
    let half_space = HalfSpace::new(normal, offset).map_err(|error| at.place(error.into()))?;
    Ok(AnyBody::Solid(half_space.into()))
}

pub(super) fn polygon(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("points")?;
    let outline = planar_points(&field, context)?;
    let polygon = Polygon::from_points(&outline).map_err(|error| field.place(error.into()))?;
    let Some(field) = at.get("center") else { return Ok(AnyBody::Planar(polygon)) };
    let center = DVec2::from_array(context.scale().apply_all(field.vector::<2>()?));
    polygon.with_center(center).map(AnyBody::Planar).map_err(|error| field.place(error.into()))
}

pub(super) fn polytope(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let given: Vec<&str> =
        ["points", "vertices", "halfspaces"].into_iter().filter(|key| at.get(key).is_some()).collect();
    let one_form = given.len() <= 1 && (at.get("faces").is_none() || given == ["vertices"]);
    if !one_form {
        let reason = "a polytope takes `points`, or `vertices` and `faces`, or `halfspaces` and `center`";
        return Err(at.error(ErrorKind::BadValue { reason: reason.to_owned() }));
    }
    let center = match at.get("center") {
        Some(field) => Some(DVec3::from_array(context.scale().apply_all(field.vector::<3>()?))),
        None => None,
    };
    let place = |error: PolytopeError| at.place(error.into());
    let built = match given.first() {
        Some(&"vertices") => {
            let vertices = solid_points(&at.need("vertices")?, context)?;
            let faces = at.need("faces")?.index_lists()?;
            Polytope::from_faces(&vertices, &faces).map_err(place)?
        }
        Some(&"halfspaces") => {
            let rows = at.need("halfspaces")?.vectors::<4>()?;
            let half_spaces: Vec<(DVec3, f64)> = rows
                .into_iter()
                .map(|[a, b, c, d]| (DVec3::new(a, b, c), context.scale().apply(d)))
                .collect();
            let Some(center) = center else {
                return Err(at.error(ErrorKind::MissingField { field: "center".to_owned() }));
            };
            return Polytope::from_half_spaces(&half_spaces, center)
                .map(|polytope| AnyBody::Solid(polytope.into()))
                .map_err(place);
        }
        _ => Polytope::from_points(&solid_points(&at.need("points")?, context)?).map_err(place)?,
    };
    let built = match center {
        Some(center) => built.with_center(center).map_err(place)?,
        None => built,
    };
    Ok(AnyBody::Solid(built.into()))
}

pub(super) fn solid_points(field: &At<'_>, context: &Context) -> Result<Vec<DVec3>, Error> {
    let scale = context.scale();
    let points = field.vectors::<3>()?;
    Ok(points.into_iter().map(|point| DVec3::from_array(scale.apply_all(point))).collect())
}

pub(super) fn planar_points(field: &At<'_>, context: &Context) -> Result<Vec<DVec2>, Error> {
    let scale = context.scale();
    let points = field.vectors::<2>()?;
    Ok(points.into_iter().map(|point| DVec2::from_array(scale.apply_all(point))).collect())
}
