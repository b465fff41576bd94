//! A polytope against a half-space.
//!
//! Source: none; the support point along the inward normal decides everything.
//! Ends because: one climb.
//! Cost: one climb and one transformation.
//! Not promised: a unique witness when a face or an edge is parallel to the plane.

use crate::{Ended, Proximity, State, Witness, Work};
use clearance_geometry::{FaceId, Feature, HalfSpace, Polytope, Pose, Tolerance, VertexId};

/// A half-space A against a polytope B, in the frame of A; climbs from `start`.
pub(crate) fn against(half: &HalfSpace, b: &Polytope, pose_ab: &Pose, start: VertexId) -> Proximity {
    let plane = half.plane();
    let lowest = b.climb(start, -pose_ab.rotate_inverse(plane.normal), 1.0);
    // Heights of the anchor and of the vertex above it are summed apart, so that a far anchor does not
    // take the digits of a small body.
    let anchor = pose_ab.apply(b.anchor());
    let height = plane.distance(anchor) + plane.normal.dot(pose_ab.rotate(b.vertex(lowest)));
    let size = b.reach() + anchor.abs().max_element() + plane.offset.abs();
    let touch = Tolerance::for_size(size).length();
    let state = if height > touch {
        State::Separated
    } else if height >= -touch {
        State::Touching
    } else if is_below(half, b, pose_ab, lowest, touch) {
        State::BInsideA
    } else {
        State::Penetrating
    };
    let signed_distance = if state == State::Touching { 0.0 } else { height };
    let point_b = pose_ab.apply(b.body_vertex(lowest));
    Proximity {
        state,
        distance: signed_distance.max(0.0),
        signed_distance,
        witnesses: [
            Witness::flat(point_b - plane.normal * signed_distance, Feature::Face(FaceId(0))),
            Witness::flat(point_b, Feature::Vertex(lowest)),
        ],
        normal: plane.normal,
        ended: Ended::Converged,
        work: Work { iterations: 1, supports: 1, ..Work::default() },
    }
}

/// Whether B's highest vertex is within the half-space too.
fn is_below(half: &HalfSpace, b: &Polytope, pose_ab: &Pose, start: VertexId, touch: f64) -> bool {
    let plane = half.plane();
    let highest = b.climb(start, pose_ab.rotate_inverse(plane.normal), 1.0);
    plane.distance(pose_ab.apply(b.body_vertex(highest))) <= touch
}
