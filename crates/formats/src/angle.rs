//! Angles in degrees, as files have them.

use clearance_geometry::{DMat3, DVec3};

/// Sine and cosine of an angle in degrees, exact at multiples of 90: a body turned by a quarter stays
/// parallel to one that is not.
pub(crate) fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turn = degrees % 360.0;
    let quarter = (turn / 90.0).round();
    let (sin, cos) = (turn - 90.0 * quarter).to_radians().sin_cos();
    match (quarter as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The rotation about a unit axis (Rodrigues' formula).
pub(crate) fn rotation(axis: DVec3, degrees: f64) -> DMat3 {
    let (sin, cos) = sin_cos_degrees(degrees);
    let across = axis * (1.0 - cos);
    let turned = axis * sin;
    DMat3::from_cols(
        axis * across.x + DVec3::new(cos, turned.z, -turned.y),
        axis * across.y + DVec3::new(-turned.z, cos, turned.x),
        axis * across.z + DVec3::new(turned.y, -turned.x, cos),
    )
}
