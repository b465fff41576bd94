//! Planar bodies bounded by curves.

use super::AnyBody;
use super::patch::spline_error;
use crate::fields::At;
use crate::{Context, Error};
use clearance_geometry::curve::{ParametricCurve as _, PlanarCurve, Range};
use clearance_geometry::tiled::TiledError;
use clearance_geometry::{DVec2, PlanarTiled};

const CURVE_KEYS: [&str; 4] = ["degree", "knots", "points", "weights"];

pub(super) fn planar_tiled(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("curves")?;
    let items = field.items()?;
    let curves = items.iter().map(|item| curve(item, context)).collect::<Result<Vec<_>, _>>()?;
    PlanarTiled::new(curves).map(AnyBody::PlanarTiled).map_err(|error| {
        let at_fault = match error {
            TiledError::OutlineGap { curve, .. } => items.get(curve),
            TiledError::NotFinite { index, .. } => items.get(index),
            _ => None,
        };
        at_fault.unwrap_or(&field).place(error.into())
    })
}

fn curve(at: &At<'_>, context: &Context) -> Result<(PlanarCurve, Range), Error> {
    at.check_keys(&CURVE_KEYS)?;
    let degree = at.need("degree")?.count(u32::MAX)? as usize;
    let knots = at.need("knots")?.numbers()?;
    let field = at.need("points")?;
    let items = field.items()?;
    let points = items.iter().map(|item| super::place::<2>(item, context).map(DVec2::from_array));
    let points = points.collect::<Result<Vec<_>, _>>()?;
    let weights = at.get("weights").map(|field| field.numbers()).transpose()?;
    let curve = PlanarCurve::nurbs(degree, knots, &points, weights.as_deref());
    let curve = curve.map_err(|error| spline_error(at, error))?;
    let range = curve.domain();
    Ok((curve, range))
}
