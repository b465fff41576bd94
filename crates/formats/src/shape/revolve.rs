//! Profiles turned about z.

use super::{AnyBody, length, place};
use crate::fields::At;
use crate::{Context, Error, ErrorKind};
use clearance_geometry::tiled::{Segment, TiledBody, TiledError};
use clearance_geometry::{Body, DVec2};

pub(super) fn revolve(at: &At<'_>, context: &Context) -> Result<AnyBody, Error> {
    let field = at.need("profile")?;
    let items = field.items()?;
    let profile = items.iter().map(|item| segment(item, context)).collect::<Result<Vec<_>, _>>()?;
    TiledBody::revolve(&profile).map(|body| AnyBody::Solid(Body::Tiled(body))).map_err(|error| {
        let at_fault = match error {
            TiledError::InconsistentProfile { segment, .. }
            | TiledError::CrossesAxis { segment }
            | TiledError::AlongAxis { segment } => items.get(segment),
            _ => None,
        };
        at_fault.unwrap_or(&field).place(error.into())
    })
}

fn segment(at: &At<'_>, context: &Context) -> Result<Segment, Error> {
    at.check_keys(&["line", "arc", "parabola"])?;
    let entries = at.entries()?;
    let [(key, field)] = entries.as_slice() else {
        let reason = "a segment is one of `line`, `arc`, `parabola`".to_owned();
        return Err(at.error(ErrorKind::BadValue { reason }));
    };
    match *key {
        "line" => {
            let items = field.items()?;
            let [from, to] = items.as_slice() else {
                let found = format!("{} points", items.len());
                let expected = "two points".to_owned();
                return Err(field.error(ErrorKind::WrongType { expected, found }));
            };
            Ok(Segment::Line { from: point(from, context)?, to: point(to, context)? })
        }
        "arc" => {
            field.check_keys(&["center", "from", "to", "ccw"])?;
            Ok(Segment::Arc {
                center: point(&field.need("center")?, context)?,
                from: point(&field.need("from")?, context)?,
                to: point(&field.need("to")?, context)?,
                ccw: field.need("ccw")?.bool()?,
            })
        }
        _ => {
            field.check_keys(&["from", "to", "focal"])?;
            let focal = match field.get("focal") {
                Some(focal) => Some(length(&focal, focal.number()?, context)?),
                None => None,
            };
            Ok(Segment::Parabola {
                from: point(&field.need("from")?, context)?,
                to: point(&field.need("to")?, context)?,
                focal,
            })
        }
    }
}

fn point(field: &At<'_>, context: &Context) -> Result<DVec2, Error> {
    place::<2>(field, context).map(DVec2::from_array)
}
