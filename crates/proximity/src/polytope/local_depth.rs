//! A local penetration depth by descent over the faces and edge pairs of A − B.
//!
//! Source: the Gauss map of the Minkowski difference (Gregorius, GDC 2013); descent as in 003's walks.
//! Ends because: each step lowers the depth by more than rounding, and the candidates are finite.
//! Cost: O(degree of A's vertex × degree of B's vertex) per step, a handful of steps.
//! Not promised: the least depth. It is an upper bound on the exact one, whose function has many valleys.

use super::gjk::support;
use crate::frame;
use crate::tolerance;
use clearance_geometry::{DVec3, Polytope, Pose, Tolerance, VertexId};

/// Depth and normal reached from the unit direction `start`.
pub(crate) fn depth_local_from(a: &Polytope, b: &Polytope, pose_ab: &Pose, start: DVec3) -> (f64, DVec3) {
    let pose = frame::anchored(a, b, pose_ab);
    let tol: Tolerance = super::gjk::tolerance_of(a, b, &pose);
    let mut corner = support(a, b, &pose, -start, 1.0, None);
    let mut best = (start.dot(corner.w), start);
    loop {
        let (before, normal) = best;
        let at = corner;
        let mut consider = |normal: DVec3| {
            let found = support(a, b, &pose, -normal, 1.0, Some(at));
            let height = normal.dot(found.w);
            if height < best.0 {
                best = (height, normal);
                corner = found;
            }
        };
        for &face in a.ring(VertexId(at.a)).faces {
            consider(a.plane(face).normal);
        }
        for &face in b.ring(VertexId(at.b)).faces {
            consider(-pose.rotate(b.plane(face).normal));
        }
        for spoke_a in a.spokes(VertexId(at.a)) {
            for spoke_b in b.spokes(VertexId(at.b)) {
                let along_b = pose.rotate(spoke_b.vector);
                let common = spoke_a.vector.cross(along_b);
                let size_sq = spoke_a.vector.length_squared() * along_b.length_squared();
                if common.length_squared() > tolerance::PARALLEL_EDGES_SQ * size_sq {
                    let unit = common.normalize();
                    consider(if unit.dot(normal) >= 0.0 { unit } else { -unit });
                }
            }
        }
        if !(best.0 < before - tol.length()) {
            return best;
        }
    }
}
