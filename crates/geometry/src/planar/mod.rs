//! Planar bodies and poses. (in work)

use glam::DVec2;

/// A rigid motion of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarPose {
    /// Translation.
    pub translation: DVec2,
    /// Angle in radians.
    pub angle: f64,
}

/// A convex polygon. (in work)
#[derive(Clone, Debug)]
pub struct Polygon {
    /// Corners, counter-clockwise.
    pub points: Vec<DVec2>,
}
