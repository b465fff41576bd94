//! The derivative of the signed distance of two polygons by their poses.
//!
//! Source: as the solid one, by the envelope theorem on the separating-line bound.
//! Differs: where normal or closest points are not unique the derivative is refused with a reason.
//! Ends because: one locus, and one more query when the bodies overlap.
//! Cost: O(corners).
//! Not promised: a derivative within `SUPPORT_TIE_REL` of a place where there is none.

use super::{PlanarProximity, distance, locus};
use crate::tolerance;
use crate::{NoGradient, State};
use clearance_geometry::{DVec2, PlanarPose, Polygon};

/// How the signed distance changes with the motion of each body, in the frame of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarGradient {
    /// By the velocity of A.
    pub velocity_a: DVec2,
    /// By the angular velocity of A about its frame's origin, per radian.
    pub angular_a: f64,
    /// By the velocity of B.
    pub velocity_b: DVec2,
    /// By the angular velocity of B about its frame's origin, per radian.
    pub angular_b: f64,
}

/// The derivative that goes with an answer for B at `pose_ab`.
///
/// # Errors
/// Why there is none.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, Polygon};
/// use clearance_proximity::planar;
/// let (square, point) = (Polygon::rectangle(DVec2::ONE)?, Polygon::point());
/// let pose_ab = PlanarPose::from_translation(DVec2::new(3.0, 0.1))?;
/// let answer = planar::distance(&square, &point, &pose_ab);
/// let gradient = planar::gradient(&square, &point, &pose_ab, &answer).unwrap();
/// assert_eq!(gradient.velocity_b, DVec2::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gradient(
    a: &Polygon,
    b: &Polygon,
    pose_ab: &PlanarPose,
    answer: &PlanarProximity,
) -> Result<PlanarGradient, NoGradient> {
    let found = locus(a, b, pose_ab, answer);
    if found.pairs.len() > 1 {
        return Err(NoGradient::ClosestPointsNotUnique);
    }
    match answer.state {
        State::Separated => {}
        // A contact fixes its normal when a corner lies inside an edge.
        State::Touching if found.dimensions == [0, 0] || !found.is_interior => {
            return Err(NoGradient::NormalNotUnique);
        }
        State::Touching => {}
        _ if is_depth_tied(a, b, pose_ab, answer) => return Err(NoGradient::DepthNotUnique),
        _ => {}
    }
    let [point_a, point_b] = answer.witnesses.map(|witness| witness.point);
    let normal = answer.normal;
    Ok(PlanarGradient {
        velocity_a: -normal,
        angular_a: -point_a.perp_dot(normal),
        velocity_b: normal,
        angular_b: (point_b - pose_ab.translation()).perp_dot(normal),
    })
}

/// Whether another way out is as short: pushed a little deeper along the normal, the depth grows by the
/// push unless another direction takes over.
fn is_depth_tied(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose, answer: &PlanarProximity) -> bool {
    let size = [a, b]
        .into_iter()
        .map(|body| if body.radius() > 0.0 { body.radius() } else { f64::INFINITY })
        .fold(f64::INFINITY, f64::min);
    let push = tolerance::TIE_PROBE_REL * size;
    let deeper = pose_ab.with_translation(pose_ab.translation() - answer.normal * push);
    let grown = answer.signed_distance - distance(a, b, &deeper).signed_distance;
    grown < push * (1.0 - tolerance::TIE_GROWTH_REL)
}
