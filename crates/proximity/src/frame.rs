//! Anchored frames: kernels see each body relative to its anchor, so that numbers stay small.

use clearance_geometry::{Polytope, Pose};

/// `pose_ab` between the anchored frames of both bodies.
#[inline]
pub(crate) fn anchored(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Pose {
    pose_ab.with_translation(pose_ab.apply(b.anchor()) - a.anchor())
}
