//! Whether one overlapping body lies wholly inside the other.
//!
//! Source: none; a body inside another cannot leave it by less than its own least width.
//! Ends because: one pass over the faces of the outer body.
//! Cost: one comparison when the depth is small, else one climb per face until one is crossed.
//! Not promised: a strict inside. A body that touches the outer one from inside is inside.

use crate::State;
use clearance_geometry::{Polytope, Pose, VertexId};

/// The state of two overlapping bodies whose penetration depth is `depth`.
#[inline]
pub(crate) fn overlap_state(a: &Polytope, b: &Polytope, pose: &Pose, depth: f64, touch: f64) -> State {
    // To leave B, A must travel at least its own width, which is twice its inradius or more.
    if depth + touch >= 2.0 * a.inradius() && lies_inside(a, b, pose, touch) {
        State::AInsideB
    } else if depth + touch >= 2.0 * b.inradius() && lies_inside(b, a, &pose.inverse(), touch) {
        State::BInsideA
    } else {
        State::Penetrating
    }
}

/// Whether no vertex of `inner` lies beyond a face of `outer`; `pose` is that of `outer` seen from `inner`.
fn lies_inside(inner: &Polytope, outer: &Polytope, pose: &Pose, touch: f64) -> bool {
    let mut at = VertexId(0);
    outer.face_count() > 0
        && outer.planes().iter().all(|plane| {
            let normal = pose.rotate(plane.normal);
            at = inner.climb(at, normal, 1.0);
            normal.dot(inner.vertex(at) - pose.translation()) - plane.offset <= touch
        })
}
