//! The direction in which two convex polygons are closest, by descent over B − A.
//!
//! Source: Gilbert, Johnson and Keerthi (1988), ended by the duality gap; Cameron (1997) for climbing.
//! Differs: the search only finds the corners around the closest features. DIFFERS: distance and
//! witnesses come from the features themselves (`settle`), free of the cancellation in B − A.
//! Ends because: every round shortens the distance of the simplex by more than nothing and there are
//! finitely many simplices; a round that does not ends the search. Rounds are limited besides.
//! Cost: one or two rounds tracked, O(log n) supports each; few more cold.
//! Not promised: a closed gap, when the distance is of the size of the rounding.

use super::simplex::{Corner, Simplex};
use crate::Work;
use clearance_geometry::{DVec2, PlanarPose, Polygon, Tolerance, VertexId};

/// Rounds of one search unless told otherwise: several times what needles of aspect 1e6 need.
pub(super) const MAX_ITERATIONS: u32 = 128;

/// When a search may stop early.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Rounds.
    pub(super) iterations: u32,
    /// A lower bound above this answers the question; a length.
    pub(super) margin: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The simplex carries the nearest point, as far as rounding shows.
    Apart {
        /// The corners that face each other most along the last direction.
        facing: [VertexId; 2],
        /// Whether the limit cut the search short.
        limit: bool,
    },
    /// The origin lies in the simplex or within rounding of it.
    Meeting,
    /// Separated by more than the margin.
    Clear {
        /// Lower bound on the distance.
        lower: f64,
    },
}

/// The point of B − A under two corners.
#[inline]
pub(super) fn difference(a: &Polygon, b: &Polygon, pose: &PlanarPose, vertices: [VertexId; 2]) -> Corner {
    let w = pose.apply(b.vertex(vertices[1])) - a.vertex(vertices[0]);
    Corner { w, a: vertices[0].0, b: vertices[1].0 }
}

/// The corners of A and B that face each other most along `toward_b`, climbing from `from`.
#[inline]
pub(super) fn support(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    toward_b: DVec2,
    length: f64,
    from: [VertexId; 2],
) -> [VertexId; 2] {
    [a.climb(from[0], toward_b, length), b.climb(from[1], -pose.rotate_inverse(toward_b), length)]
}

/// Descends from the corners in `simplex`, or from the facing corners if it has none.
pub(super) fn search(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    simplex: &mut Simplex,
    tol: &Tolerance,
    limits: Limits,
    work: &mut Work,
) -> Outcome {
    if simplex.corners().is_empty() {
        simplex.push(first_corner(a, b, pose));
        work.supports += 1;
    }
    for corner in simplex.corners_mut() {
        *corner = difference(a, b, pose, corner.vertices());
    }
    let mut shortest = f64::INFINITY;
    let mut facing = simplex.corners()[0].vertices();
    for _ in 0..limits.iterations {
        work.iterations += 1;
        let Some(nearest) = simplex.nearest() else {
            return Outcome::Meeting;
        };
        let length = nearest.length();
        if length <= tol.length() {
            return Outcome::Meeting;
        }
        if length >= shortest {
            return Outcome::Apart { facing, limit: false };
        }
        shortest = length;
        facing = support(a, b, pose, nearest, length, facing);
        let corner = difference(a, b, pose, facing);
        work.supports += 1;
        let lower = nearest.dot(corner.w) / length;
        if lower > limits.margin {
            return Outcome::Clear { lower };
        }
        if length - lower <= tol.length() || simplex.holds(&corner) {
            return Outcome::Apart { facing, limit: false };
        }
        simplex.push(corner);
    }
    Outcome::Apart { facing, limit: true }
}

/// Facing corners along the line of the centres.
fn first_corner(a: &Polygon, b: &Polygon, pose: &PlanarPose) -> Corner {
    let toward_b = pose.apply(b.center()) - a.center();
    let vertices = [a.support(toward_b), b.support(-pose.rotate_inverse(toward_b))];
    difference(a, b, pose, vertices)
}
