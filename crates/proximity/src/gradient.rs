//! The derivative of the signed distance by the poses of both bodies.
//!
//! Source: the envelope theorem on φ = max over unit n of min_B n·b − max_A n·a: where the best n and its
//! supporting points are unique, moving a body changes φ as it moves that point along n.
//! Differs: where they are not unique the derivative is refused with a reason, never guessed.
//! Ends because: one locus, and one more query when the bodies overlap.
//! Cost: O(vertices).
//! Not promised: a derivative within `SUPPORT_TIE_REL` of a place where there is none.

use crate::tolerance;
use crate::{Locus, Proximity, QueryError, State, convex, distance, locus};
use clearance_geometry::{Body, DVec3, Pose};
use std::fmt;

/// How the signed distance changes with the motion of each body, in the frame of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// By the velocity of A.
    pub velocity_a: DVec3,
    /// By the angular velocity of A about its frame's origin, per radian.
    pub angular_a: DVec3,
    /// By the velocity of B.
    pub velocity_b: DVec3,
    /// By the angular velocity of B about its frame's origin, per radian.
    pub angular_b: DVec3,
}

/// Why there is no derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoGradient {
    /// Parallel features: a turn moves the closest points by a jump.
    ClosestPointsNotUnique,
    /// The bodies touch at a vertex or edge that leaves the normal open.
    NormalNotUnique,
    /// There are several equally short ways out of the overlap.
    DepthNotUnique,
}

impl fmt::Display for NoGradient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClosestPointsNotUnique => "the closest points are not unique: parallel features",
            Self::NormalNotUnique => "the bodies touch where the normal is not unique",
            Self::DepthNotUnique => "there are several equally short ways out of the overlap",
        })
    }
}

/// The derivative that goes with an answer for B at `pose_ab`, or why there is none.
///
/// # Errors
/// As [`distance`].
///
/// ```
/// use clearance_geometry::{Body, DVec3, Polytope, Pose};
/// use clearance_proximity::{distance, gradient};
/// let cube = Body::from(Polytope::cuboid(DVec3::ONE)?);
/// let point = Body::from(Polytope::point());
/// let pose_ab = Pose::from_translation(DVec3::new(3.0, 0.1, 0.2))?;
/// let answer = distance(&cube, &point, &pose_ab)?;
/// let gradient = gradient(&cube, &point, &pose_ab, &answer)?.unwrap();
/// assert_eq!(gradient.velocity_b, DVec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gradient(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    answer: &Proximity,
) -> Result<Result<Gradient, NoGradient>, QueryError> {
    let found = locus(a, b, pose_ab, answer);
    if !found.is_unique() {
        return Ok(Err(NoGradient::ClosestPointsNotUnique));
    }
    match answer.state {
        State::Separated => {}
        State::Touching if leaves_normal_open(&found, [a, b], answer) => {
            return Ok(Err(NoGradient::NormalNotUnique));
        }
        State::Touching => {}
        _ if is_depth_tied(a, b, pose_ab, answer)? => return Ok(Err(NoGradient::DepthNotUnique)),
        _ => {}
    }
    let [point_a, point_b] = answer.witnesses.map(|witness| witness.point);
    let normal = answer.normal;
    Ok(Ok(Gradient {
        velocity_a: -normal,
        angular_a: -point_a.cross(normal),
        velocity_b: normal,
        angular_b: (point_b - pose_ab.translation()).cross(normal),
    }))
}

/// A contact fixes its normal when the two flats span the plane, vertex on face or edge across edge, and it
/// lies inside both. A curved feature has its own tangents there, whatever lies in the supporting plane.
fn leaves_normal_open(locus: &Locus, bodies: [&Body; 2], answer: &Proximity) -> bool {
    let tangents = |i: usize| match bodies[i] {
        Body::Tiled(_) => answer.witnesses[i].feature.dimension().max(locus.dimensions[i]),
        _ => locus.dimensions[i],
    };
    tangents(0) + tangents(1) < 2 || !locus.is_interior
}

/// Whether another way out is as short: pushed a little deeper along the normal, the depth grows by the
/// push unless another direction takes over.
fn is_depth_tied(a: &Body, b: &Body, pose_ab: &Pose, answer: &Proximity) -> Result<bool, QueryError> {
    if [a, b].into_iter().any(|body| matches!(body.whole(), Body::HalfSpace(_))) {
        // Out of a half-space there is one way. A point in it has no size to push it by.
        return Ok(false);
    }
    let size = [a, b].into_iter().map(radius).fold(f64::INFINITY, f64::min);
    let push = tolerance::TIE_PROBE_REL * size;
    let deeper = pose_ab.with_translation(pose_ab.translation() - answer.normal * push);
    let grown = answer.signed_distance - asked_again(a, b, &deeper)?.signed_distance;
    Ok(grown < push * (1.0 - tolerance::TIE_GROWTH_REL))
}

fn asked_again(a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
    match (a, b) {
        (Body::Tiled(_), _) | (_, Body::Tiled(_)) => convex::distance(a, b, pose_ab)
            .ok_or_else(|| QueryError::UnsupportedPair { a: a.kind(), b: b.kind() }),
        _ => distance(a, b, pose_ab),
    }
}

/// Size of a bounded body; infinite for a half-space. A point takes the other's.
fn radius(body: &Body) -> f64 {
    match body {
        Body::Polytope(polytope) if polytope.radius() > 0.0 => polytope.radius(),
        Body::Tiled(tiled) => tiled.aabb().half_extents().length(),
        _ => f64::INFINITY,
    }
}
