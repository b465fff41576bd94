//! Round shapes given by their sizes.

use super::{AnyBody, size};
use crate::fields::At;
use crate::{Context, Error, ErrorKind};
use clearance_geometry::tiled::{TiledBody, TiledError};
use clearance_geometry::{Body, tolerance};

fn built(at: &At<'_>, body: Result<TiledBody, TiledError>) -> Result<AnyBody, Error> {
    body.map(|body| AnyBody::Solid(Body::Tiled(body))).map_err(|error| at.place(error.into()))
}

fn needed(at: &At<'_>, key: &str, context: &Context) -> Result<f64, Error> {
    size(&at.need(key)?, context)
}

pub(super) fn sphere(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    built(at, TiledBody::sphere(needed(at, "radius", context)?))
}

pub(super) fn ellipsoid(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    built(at, TiledBody::ellipsoid(radii(&at.need("radii")?, context)?))
}

/// Three positive lengths.
pub(super) fn radii(field: &At<'_>, context: &Context) -> Result<[f64; 3], Error> {
    let radii = super::place::<3>(field, context)?;
    if let Some(bad) = radii.iter().find(|radius| **radius <= 0.0) {
        return Err(field.error(ErrorKind::BadValue { reason: format!("must be positive, not {bad}") }));
    }
    if let Some(small) = radii.iter().find(|radius| **radius < tolerance::SMALLEST_EXTENT) {
        return Err(field.error(ErrorKind::NumberOutOfRange { number: format!("{small:e} (a size)") }));
    }
    Ok(radii)
}

pub(super) fn cylinder(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    built(at, TiledBody::cylinder(needed(at, "radius", context)?, needed(at, "height", context)?))
}

pub(super) fn cone(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let [radius, height, top] = cone_sizes(at, context)?;
    built(at, TiledBody::cone(radius, height, Some(top)))
}

/// Radius, height and the radius at the top, which may be 0.
pub(super) fn cone_sizes(at: &At<'_>, context: &Context) -> Result<[f64; 3], Error> {
    let top = match at.get("top_radius") {
        Some(field) if field.number()? == 0.0 => 0.0,
        Some(field) => size(&field, context)?,
        None => 0.0,
    };
    Ok([needed(at, "radius", context)?, needed(at, "height", context)?, top])
}

pub(super) fn capsule(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    built(at, TiledBody::capsule(needed(at, "radius", context)?, needed(at, "height", context)?))
}

pub(super) fn torus(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let (major, minor) = (needed(at, "major", context)?, needed(at, "minor", context)?);
    if !(minor < major) {
        let reason = format!("`minor` must be less than `major`, {major}, lest the tube meet itself");
        return Err(at.need("minor")?.error(ErrorKind::BadValue { reason }));
    }
    built(at, TiledBody::torus(major, minor))
}
