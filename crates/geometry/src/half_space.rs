//! The half-space `normal · x ≤ offset`.

use crate::{Plane, ShapeError};
use glam::DVec3;

/// All x with `normal · x ≤ offset`: an unbounded body with one face, `face:0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    plane: Plane,
}

impl HalfSpace {
    /// Normalises `normal` and `offset` together.
    ///
    /// # Errors
    /// When a number is not finite or the normal has length zero.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, HalfSpace};
    /// let floor = HalfSpace::new(DVec3::new(0.0, 0.0, 2.0), 1.0)?;
    /// assert_eq!(floor.plane().offset, 0.5);
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn new(normal: DVec3, offset: f64) -> Result<Self, ShapeError> {
        if !normal.is_finite() {
            return Err(ShapeError::NotFinite { field: "normal" });
        }
        if !offset.is_finite() {
            return Err(ShapeError::NotFinite { field: "offset" });
        }
        // Divide by the largest entry first, so that neither tiny nor huge normals lose their length.
        let largest = normal.abs().max_element();
        if largest == 0.0 {
            return Err(ShapeError::NoDirection { field: "normal" });
        }
        let scaled = normal / largest;
        let length = scaled.length();
        let offset = offset / largest / length;
        if !offset.is_finite() {
            return Err(ShapeError::NotFinite { field: "offset" });
        }
        Ok(Self { plane: Plane { normal: scaled / length, offset } })
    }

    /// The boundary, its normal pointing out of the body.
    #[inline]
    pub const fn plane(&self) -> Plane {
        self.plane
    }
}
