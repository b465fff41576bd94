//! Points, directions, frames and the motions between frames.

use super::Fault;
use super::source::Record;
use super::units::Scales;
use clearance_geometry::{DMat3, DVec3, Pose};

/// A point of space or of a parameter plane, its lengths converted.
pub(super) fn point(record: Record<'_>, scales: &Scales) -> Result<DVec3, Fault> {
    let raw = raw_point(record)?;
    let point = DVec3::new(scales.length(raw.x), scales.length(raw.y), scales.length(raw.z));
    if point.is_finite() { Ok(point) } else { Err(record.fault("is out of range")) }
}

/// A point as it is written.
pub(super) fn raw_point(record: Record<'_>) -> Result<DVec3, Fault> {
    if !record.is("CARTESIAN_POINT") {
        return Err(record.unsupported("a point"));
    }
    Ok(DVec3::from_array(record.own_or_all("CARTESIAN_POINT").triple(1)?))
}

/// A direction of unit length.
pub(super) fn direction(record: Record<'_>) -> Result<DVec3, Fault> {
    if !record.is("DIRECTION") {
        return Err(record.unsupported("a direction"));
    }
    let raw = DVec3::from_array(record.fields().triple(1)?);
    raw.try_normalize().ok_or_else(|| record.fault("has length zero"))
}

/// Direction and length of a `VECTOR`, the length as written.
pub(super) fn raw_vector(record: Record<'_>) -> Result<(DVec3, f64), Fault> {
    if !record.is("VECTOR") {
        return Err(record.unsupported("a vector"));
    }
    Ok((direction(record.fields().link(1)?)?, record.fields().real(2)?))
}

/// Origin and axis of an `AXIS1_PLACEMENT`.
pub(super) fn axis(record: Record<'_>, scales: &Scales) -> Result<(DVec3, DVec3), Fault> {
    if !record.is("AXIS1_PLACEMENT") {
        return Err(record.unsupported("an axis"));
    }
    let fields = record.fields();
    let along = fields.link_if_set(2)?.map_or(Ok(DVec3::Z), direction)?;
    Ok((point(fields.link(1)?, scales)?, along))
}

/// The frame of an `AXIS2_PLACEMENT_3D`, or of an `AXIS2_PLACEMENT_2D` in the plane z = 0.
pub(super) fn frame(record: Record<'_>, scales: &Scales) -> Result<Pose, Fault> {
    let fields = record.fields();
    let (z, toward) = match record.simple_kind() {
        "AXIS2_PLACEMENT_3D" => {
            (fields.link_if_set(2)?.map_or(Ok(DVec3::Z), direction)?, fields.link_if_set(3)?)
        }
        "AXIS2_PLACEMENT_2D" => (DVec3::Z, fields.link_if_set(2)?),
        _ => return Err(record.unsupported("a frame")),
    };
    let toward = match toward {
        Some(record) => direction(record)?,
        None => default_toward(z),
    };
    // The standard's projection; where the reference is parallel to the axis it has no meaning and the
    // default stands in, as other readers do.
    let x = across(toward, z).or_else(|| across(default_toward(z), z));
    let Some(x) = x else { return Err(record.fault("has no axes")) };
    let axes = DMat3::from_cols(x, z.cross(x), z);
    let origin = point(fields.link(1)?, scales)?;
    Pose::from_matrix(axes, origin).map_err(|error| record.fault(format!("is no frame: {error}")))
}

fn default_toward(z: DVec3) -> DVec3 {
    if z.x.abs() < 1.0 - f64::EPSILON { DVec3::X } else { DVec3::Y }
}

/// The unit vector towards `toward` perpendicular to `z`, unless they are parallel.
fn across(toward: DVec3, z: DVec3) -> Option<DVec3> {
    let off = toward - z * toward.dot(z);
    let once =
        if off.length() > clearance_geometry::tolerance::UNIT_INPUT_REL { off.try_normalize() } else { None };
    // Once more, for what cancellation left over along z.
    once.and_then(|x| (x - z * x.dot(z)).try_normalize())
}

/// The rigid motion of a frame or of a transformation operator.
pub(super) fn motion(record: Record<'_>, scales: &Scales) -> Result<Pose, Fault> {
    if !record.is("CARTESIAN_TRANSFORMATION_OPERATOR_3D") {
        return frame(record, scales);
    }
    // (name, description, name) come first in the simple form; the attributes are the last of the record.
    let chain = [
        ("REPRESENTATION_ITEM", 1),
        ("FUNCTIONALLY_DEFINED_TRANSFORMATION", 2),
        ("CARTESIAN_TRANSFORMATION_OPERATOR", 4),
        ("CARTESIAN_TRANSFORMATION_OPERATOR_3D", 1),
    ];
    let fields = record.own("CARTESIAN_TRANSFORMATION_OPERATOR", &chain)?;
    let third = record.own("CARTESIAN_TRANSFORMATION_OPERATOR_3D", &chain)?;
    if !fields.is_unset(3) && fields.real(3)? != 1.0 {
        return Err(record.fault("scales, which a rigid motion cannot"));
    }
    let z = third.link_if_set(0)?.map_or(Ok(DVec3::Z), direction)?;
    let toward = fields.link_if_set(0)?.map_or_else(|| Ok(default_toward(z)), direction)?;
    let Some(x) = across(toward, z) else { return Err(record.fault("has no axes")) };
    let y = z.cross(x);
    if let Some(given) = fields.link_if_set(1)?
        && direction(given)?.dot(y) < 0.0
    {
        return Err(record.fault("mirrors, which a rigid motion cannot"));
    }
    Pose::from_matrix(DMat3::from_cols(x, y, z), point(fields.link(2)?, scales)?)
        .map_err(|error| record.fault(format!("is no motion: {error}")))
}
