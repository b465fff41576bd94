//! Balls inside a convex body.
//!
//! Source: a convex body holds what lies within the convex solids of all its faces: a point outside is beyond the tangent
//! plane of a face next to its nearest point.
//! Differs: an ellipsoid's own face holds balls of its least radius of curvature (Blaschke's rolling theorem).
//! Ends because: one pass over the faces.
//! Cost: a few products and a root for each face.
//! Not promised: an answer for bodies with splines and sweeps.

use super::{ConvexShape, Sheet};
use crate::{DVec3, FaceId, Feature};

impl ConvexShape {
    /// How far the ball of a radius that touches the core from inside at `point`, on `feature`, where the outward normal is
    /// `n`, sticks out of the core at most; infinite where that is not known.
    pub fn ball_sticks_out(&self, feature: Feature, point: DVec3, n: DVec3, radius: f64) -> f64 {
        if !self.is_own_core() {
            return f64::INFINITY;
        }
        let center = point - n * radius;
        let mut most = 0.0_f64;
        for (at, face) in self.faces.iter().enumerate() {
            let is_own = feature == Feature::Face(FaceId(at as u32));
            let off = match &face.sheet {
                Sheet::Plane { origin, x, y } => x.cross(*y).dot(center - *origin) * face.side + radius,
                Sheet::Tube { origin, axes, radius: wide, slope } => {
                    let local = axes.transpose() * (center - *origin);
                    let room = wide + slope * local.z - local.x.hypot(local.y);
                    radius - room / (1.0 + slope * slope).sqrt()
                }
                Sheet::Ball { center: middle, axes, inverse } => {
                    let radii = DVec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
                    let (least, longest) = (radii.min_element(), radii.max_element());
                    if is_own && radius * longest <= least * least {
                        0.0
                    } else {
                        radius - least * (1.0 - (*inverse * (center - *middle)).length())
                    }
                }
                Sheet::Other(_) => f64::INFINITY,
            };
            most = most.max(off);
        }
        most
    }
}
