//! An ellipsoid inside a polytope, and how far a ray runs inside.
//!
//! Source: own. An ellipsoid x·Sx = 1 reaches √(n·S⁻¹n) along a unit normal n, so the largest one of given
//! proportions within the faces is found by one division per face; what is in it is in the body.
//! Differs: it is made smaller by `KERNEL_REL`, for rounding; slender bodies, whose S is rounding, have none.
//! Ends because: one pass over the faces.
//! Cost: linear, once per body; a ray takes one quadratic equation, or one division per face where these are few.
//! Not promised: where the ray leaves the body. Of a body with many faces only a part of the way is seen.

use super::Polytope;
use crate::{DMat3, DVec3, Plane, tolerance};

/// Nearly the largest ellipsoid within the faces that has the proportions of the vertices' spread, about their mean:
/// `(x − center)·form·(x − center) ≤ 1`. Anchored.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    center: DVec3,
    /// Symmetric; NaN where there is no ellipsoid.
    form: DMat3,
}

impl Kernel {
    /// About the mean of the vertices, with the proportions of their spread.
    pub(crate) fn new(center: DVec3, spread: &DMat3, planes: &[Plane]) -> Self {
        let share_sq = |plane: &Plane| {
            let height = -plane.distance(center);
            height * height.abs() / plane.normal.dot(*spread * plane.normal)
        };
        let share_sq = planes.iter().map(share_sq).fold(f64::INFINITY, f64::min);
        // A little smaller, for the rounding of all this.
        let spread = *spread * (share_sq * (1.0 - tolerance::KERNEL_REL));
        let form = spread.inverse();
        let size = |matrix: &DMat3| matrix.x_axis.length() + matrix.y_axis.length() + matrix.z_axis.length();
        // Across a needle the form would be rounding; written so that NaN counts as one.
        let sound = size(&spread) * size(&form) <= tolerance::KERNEL_ASPECT_SQ;
        Self { center, form: if share_sq > 0.0 && sound { form } else { DMat3::NAN } }
    }

    /// Where a ray leaves the ellipsoid, if it meets it.
    fn leave(&self, from: DVec3, direction: DVec3) -> Option<f64> {
        let start = from - self.center;
        let (along, beside) = (self.form * direction, self.form * start);
        let (square, half, rest) = (direction.dot(along), start.dot(along), start.dot(beside) - 1.0);
        let root = half * half - square * rest;
        (root >= 0.0 && square > 0.0).then(|| (root.sqrt() - half) / square).filter(|&at| at > 0.0)
    }
}

/// Faces up to which all of them are looked at; a tuning constant.
const FEW_FACES: usize = 32;

impl Polytope {
    /// How far one may at least go from a point of the boundary along a unit direction, anchored, and still be in
    /// the body: all the way where the body has few faces, part of it where there are many; 0 if nothing is known.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Polytope};
    /// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
    /// let top = DVec3::new(0.3, 0.4, 1.0) - cube.anchor();
    /// assert!((cube.reach_inside(top, -DVec3::Z) - 2.0).abs() < 1e-12);
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn reach_inside(&self, from: DVec3, direction: DVec3) -> f64 {
        if self.face_count() > FEW_FACES {
            return self.data.kernel.leave(from, direction).unwrap_or(0.0);
        }
        let mut reach = if self.face_count() == 0 { 0.0 } else { f64::INFINITY };
        for plane in &self.data.planes {
            let rate = plane.normal.dot(direction);
            if rate > 0.0 {
                reach = reach.min(-plane.distance(from) / rate);
            }
        }
        reach.max(0.0)
    }
}
