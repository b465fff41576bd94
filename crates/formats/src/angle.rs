//! Rotations by angles in degrees, as files have them.

use clearance_geometry::{DMat3, DVec2, DVec3, PlanarPose};

/// The rotation about a unit axis (Rodrigues' formula); quarter turns about a coordinate axis are exact.
pub(crate) fn rotation(axis: DVec3, degrees: f64) -> DMat3 {
    // The planar pose reduces the angle exactly; a number that is not finite was refused while reading.
    let turn = PlanarPose::from_degrees(degrees, DVec2::ZERO).unwrap_or(PlanarPose::IDENTITY);
    let (cos, sin) = (turn.cos(), turn.sin());
    let across = axis * (1.0 - cos);
    let turned = axis * sin;
    DMat3::from_cols(
        axis * across.x + DVec3::new(cos, turned.z, -turned.y),
        axis * across.y + DVec3::new(-turned.z, cos, turned.x),
        axis * across.z + DVec3::new(turned.y, -turned.x, cos),
    )
}
