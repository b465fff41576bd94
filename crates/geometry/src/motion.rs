//! Bounds on how far points of two bodies can have moved towards each other. (in work)

use crate::Pose;

/// How far any point within `radius` of the frame's origin can have moved between two poses.
pub fn motion_bound(before: &Pose, after: &Pose, radius: f64) -> f64 {
    let turn = after.rotation() - before.rotation();
    let norm =
        (turn.x_axis.length_squared() + turn.y_axis.length_squared() + turn.z_axis.length_squared()).sqrt();
    (after.translation() - before.translation()).length() + norm * radius
}
