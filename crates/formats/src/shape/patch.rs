//! Spline patches, and patches tiled together.

use super::{AnyBody, Shape, place, read_text, surface};
use crate::fields::At;
use crate::{Context, Error, ErrorKind, Value};
use clearance_geometry::curve::{Direction, NurbsError};
use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{DeformingPatch, Patch, TiledBody, TiledError};
use clearance_geometry::{Body, DVec3, DeformingBody, DeformingFace, tolerance};

pub(super) const NURBS_KEYS: [&str; 6] = ["degree", "knots", "points", "weights", "velocities", "reversed"];

pub(super) fn nurbs(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    tile(vec![nurbs_face(at, context)?], None).map(AnyBody::Solid).map_err(|error| at.place(error.into()))
}

/// Tiles faces together: a deforming body where one of them moves.
fn tile(faces: Vec<DeformingFace>, max_gap: Option<f64>) -> Result<Body, TiledError> {
    if faces.iter().any(DeformingFace::is_moving) {
        return DeformingBody::new(faces, max_gap).map(Body::from);
    }
    let patches: Vec<Patch> = faces.into_iter().map(|face| face.patch().clone()).collect();
    TiledBody::from_patches(&patches, max_gap).map(Body::from)
}

fn nurbs_face(at: &At<'_>, context: &Context) -> Result<DeformingFace, Error> {
    let field = at.need("degree")?;
    let degree = field.vector::<2>()?;
    if degree.iter().any(|degree| !(degree.fract() == 0.0 && *degree >= 1.0)) {
        let reason = format!("degrees must be whole and at least 1, not {degree:?}");
        return Err(field.error(ErrorKind::BadValue { reason }));
    }
    let field = at.need("knots")?;
    let lists = field.items()?;
    let [along_u, along_v] = lists.as_slice() else {
        let found = format!("{} lists", lists.len());
        return Err(field.error(ErrorKind::WrongType { expected: "two lists of knots".to_owned(), found }));
    };
    let knots = [along_u.numbers()?, along_v.numbers()?];
    let net = net(&at.need("points")?, context)?;
    let weights = match at.get("weights") {
        Some(field) => Some(field.items()?.iter().map(At::numbers).collect::<Result<Vec<_>, _>>()?),
        None => None,
    };
    let shape = NurbsSurface::new(degree.map(|degree| degree as usize), knots, &net, weights.as_deref())
        .map_err(|error| spline_error(at, error))?;
    let reversed = at.get("reversed").map_or(Ok(false), |field| field.bool())?;
    let Some(field) = at.get("velocities") else { return Ok(still(shape, reversed)) };
    let rows = field.items()?;
    let velocities = rows.iter().map(|row| points(row, context)).collect::<Result<Vec<_>, _>>()?;
    let motion = DeformingPatch::new(shape, &velocities).map_err(|error| field.place(error.into()))?;
    Ok(DeformingFace::moving(motion, reversed))
}

fn still(shape: NurbsSurface, reversed: bool) -> DeformingFace {
    let mut patch = Patch::new(shape);
    patch.reversed = reversed;
    DeformingFace::still(patch)
}

/// Control points, the outer list along u; refused where they have no extent that can be worked with.
fn net(field: &At<'_>, context: &Context) -> Result<Vec<Vec<DVec3>>, Error> {
    let rows = field.items()?;
    let net = rows.iter().map(|row| points(row, context)).collect::<Result<Vec<_>, _>>()?;
    let (low, high) =
        net.iter().flatten().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| {
            (low.min(*point), high.max(*point))
        });
    let extent = (high - low).max_element();
    if extent > 0.0 && extent < tolerance::SMALLEST_EXTENT {
        let number = format!("{extent:e} (the extent of a patch)");
        return Err(field.error(ErrorKind::NumberOutOfRange { number }));
    }
    Ok(net)
}

fn points(row: &At<'_>, context: &Context) -> Result<Vec<DVec3>, Error> {
    row.items()?.iter().map(|point| place::<3>(point, context).map(DVec3::from_array)).collect()
}

/// The error at the list that is at fault.
pub(super) fn spline_error(at: &At<'_>, error: NurbsError) -> Error {
    use NurbsError as N;
    let (key, row) = match error {
        N::KnotCount { direction, .. }
        | N::KnotNotFinite { direction, .. }
        | N::KnotsDecrease { direction, .. }
        | N::Multiplicity { direction, .. }
        | N::KnotSpacing { direction, .. }
        | N::EmptyDomain { direction } => ("knots", Some(usize::from(direction == Direction::V))),
        N::WeightCount { .. } | N::BadWeight { .. } => ("weights", None),
        N::DegreeZero { .. } => ("degree", None),
        N::RaggedNet { row, .. } => ("points", Some(row)),
        _ => ("points", None),
    };
    let Some(field) = at.get(key) else { return at.place(error.into()) };
    // The knots of a curve are one list, those of a surface two.
    match (row, field.items()) {
        (Some(row), Ok(lists)) if row < lists.len() => lists[row].place(error.into()),
        _ => field.place(error.into()),
    }
}

/// Patches tiled together: given one by one, as Bézier nets, or by a file of these.
pub(super) fn tiled(at: &At<'_>, context: &Context) -> Result<Shape, Error> {
    let given: Vec<&str> =
        ["faces", "patches", "file"].into_iter().filter(|key| at.get(key).is_some()).collect();
    match given.as_slice() {
        ["file"] => {
            let field = at.need("file")?;
            let path = context.resolve(field.text()?);
            let given = max_gap(at, context)?;
            let read = || {
                let value = Value::from_json(&read_text(&path)?)?;
                let shape = patch_file(&At::root(&value, ""), given, context)?;
                Ok(Shape { source: Some(path.clone()), ..shape })
            };
            read().map_err(|error: Error| {
                let inside = error.message();
                match error.key() {
                    // A key of the other file would be taken for one of this.
                    Some(_) => field.error(ErrorKind::BadFile { reason: inside }).about_file(&path),
                    None => field.place(error.about_file(&path)),
                }
            })
        }
        ["patches"] => bezier_patches(at, max_gap(at, context)?, context),
        ["faces"] => {
            let field = at.need("faces")?;
            let items = field.items()?;
            let faces = items.iter().map(|item| face(item, context)).collect::<Result<Vec<_>, _>>()?;
            built(&field, &items, faces, max_gap(at, context)?)
        }
        [] => Err(at.error(ErrorKind::MissingField { field: "faces".to_owned() })),
        _ => {
            let reason = "a tiled body takes one of `faces`, `patches`, `file`".to_owned();
            Err(at.error(ErrorKind::BadValue { reason }))
        }
    }
}

fn max_gap(at: &At<'_>, context: &Context) -> Result<Option<f64>, Error> {
    at.get("match").map(|field| super::size(&field, context)).transpose()
}

fn built(
    field: &At<'_>,
    items: &[At<'_>],
    faces: Vec<DeformingFace>,
    max_gap: Option<f64>,
) -> Result<Shape, Error> {
    let body = tile(faces, max_gap).map_err(|error| {
        let face = match &error {
            TiledError::NoExtent { face }
            | TiledError::Unbounded { face }
            | TiledError::LoopTurned { face }
            | TiledError::LoopGap { face, .. }
            | TiledError::EdgeOffSurface { face, .. } => Some(face.index()),
            TiledError::NotFinite { what: "face", index } => Some(*index),
            _ => None,
        };
        let at_fault = face.and_then(|face| items.get(face)).unwrap_or(field);
        at_fault.place(error.into())
    })?;
    Ok(Shape::new("tiled", AnyBody::Solid(body)))
}

fn face(at: &At<'_>, context: &Context) -> Result<DeformingFace, Error> {
    let kind = at.need("kind")?;
    match kind.text()? {
        "nurbs" => {
            check_face_keys(at, &NURBS_KEYS)?;
            nurbs_face(at, context)
        }
        "surface" => {
            check_face_keys(at, &surface::KEYS)?;
            surface::face(at, context).map(DeformingFace::still)
        }
        other => Err(kind.error(ErrorKind::UnknownKind {
            kind: other.to_owned(),
            known: "nurbs, surface (as faces of a tiled body)".to_owned(),
        })),
    }
}

/// A face has no inside that `surface_only` could take away.
fn check_face_keys(at: &At<'_>, keys: &[&str]) -> Result<(), Error> {
    at.check_keys(&[&["kind"], keys].concat())
}

/// The content of a file of Bézier patches.
pub(super) fn loose_patches(at: &At<'_>, context: &Context) -> Result<Shape, Error> {
    patch_file(at, None, context)
}

/// The content of a file of Bézier patches; what is given beside the file goes before what it says itself.
fn patch_file(at: &At<'_>, given: Option<f64>, context: &Context) -> Result<Shape, Error> {
    at.check_keys(&["about", "patches", "match"])?;
    let own = max_gap(at, context)?;
    bezier_patches(at, given.or(own), context)
}

/// Bézier patches, each a net of control points whose outer list runs along u.
fn bezier_patches(at: &At<'_>, max_gap: Option<f64>, context: &Context) -> Result<Shape, Error> {
    let field = at.need("patches")?;
    let items = field.items()?;
    let faces = items.iter().map(|item| bezier(item, context)).collect::<Result<Vec<_>, _>>()?;
    built(&field, &items, faces, max_gap)
}

fn bezier(item: &At<'_>, context: &Context) -> Result<DeformingFace, Error> {
    let net = net(item, context)?;
    let degree = [net.len(), net.first().map_or(0, Vec::len)].map(|count| count.saturating_sub(1));
    let knots = degree.map(|degree| [vec![0.0; degree + 1], vec![1.0; degree + 1]].concat());
    let shape = NurbsSurface::new(degree, knots, &net, None).map_err(|error| item.place(error.into()))?;
    Ok(still(shape, false))
}
