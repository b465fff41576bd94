//! An oriented plane.

use glam::DVec3;

/// The plane `normal · x = offset`; `normal` has unit length and points outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal, outward.
    pub normal: DVec3,
    /// Signed distance of the plane from the frame's origin along the normal.
    pub offset: f64,
}

impl Plane {
    /// Signed distance of `point` from the plane, positive outside.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Plane};
    /// let floor = Plane { normal: DVec3::Z, offset: 1.0 };
    /// assert_eq!(floor.distance(DVec3::new(5.0, 0.0, 3.0)), 2.0);
    /// ```
    #[inline]
    pub fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}
