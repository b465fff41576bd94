//! The point of A − B nearest to the origin, by GJK on the vertex graphs.
//!
//! Source: Gilbert, Johnson and Keerthi (1988); hill climbing after Cameron (1997).
//! Differs: ends by its duality gap (the distance of the simplex against the separation along its
//! direction) or where rounding stops it, never by a small change; support points climb from where the last ones
//! stood, or from the table of start vertices where that is higher.
//! Ends because: each round either closes the gap, or adds a corner that lowers the distance, or stops;
//! rounds are counted against a budget.
//! Cost: a few rounds from corners about a good guess, about 20 without; a round is two climbs and one simplex.
//! Not promised: features, which `lift` names; a closed gap, which `proof` measures.

use super::ellipsoid::{self, Guess};
use super::simplex::{Corner, Simplex};
use crate::Work;
use crate::tolerance;
use clearance_geometry::{DVec3, Polytope, Pose, Tolerance, VertexId};

/// How the search ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The bodies are apart: `simplex` carries the nearest point `toward_a` = a − b.
    Apart {
        toward_a: DVec3,
        /// Whether the budget ended the search.
        limit: bool,
    },
    /// The origin lies in the simplex, or within the touching distance of it.
    Meeting,
    /// The separation along some direction exceeds the margin that was asked for.
    Clear {
        /// Proven separation, in plain arithmetic; a length.
        lower: f64,
    },
}

/// What the search may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) iterations: u32,
    /// Stop as soon as the separation is seen to exceed this; infinite: never.
    pub(crate) margin: f64,
}

/// Runs from the corners in `simplex` (their positions are recomputed), or from scratch if there are none.
pub(crate) fn nearest(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    simplex: &mut Simplex,
    tol: &Tolerance,
    limits: Limits,
    work: &mut Work,
) -> Outcome {
    if simplex.len == 0 {
        let first = -ellipsoid::direction(a, b, pose);
        simplex.push(support(a, b, pose, first, first.length(), None));
        work.supports += 1;
    } else {
        for corner in &mut simplex.corners[..simplex.len] {
            corner.w = a.vertex(VertexId(corner.a)) - pose.apply(b.vertex(VertexId(corner.b)));
        }
    }
    let touch = tol.length();
    let mut lower = f64::NEG_INFINITY;
    let mut last_sq = f64::INFINITY;
    let mut found = simplex.nearest();
    loop {
        let Some(nearest) = found else {
            return Outcome::Meeting;
        };
        let length_sq = nearest.length_squared();
        let length = length_sq.sqrt();
        // NaN cannot arise from finite bodies; if it did, it would end here as a meeting, not as a gap.
        if !(length > touch) {
            return Outcome::Meeting;
        }
        work.iterations += 1;
        // Rounding may make the simplex worse; then the bounds so far are all there is to have.
        let stuck = length_sq >= last_sq;
        last_sq = length_sq;
        let from = simplex.heaviest();
        let corner = support(a, b, pose, nearest, length, Some(from));
        work.supports += 1;
        lower = lower.max(nearest.dot(corner.w) / length);
        if lower > limits.margin {
            return Outcome::Clear { lower };
        }
        let gap = length - lower;
        let limit = work.iterations >= limits.iterations;
        if gap <= tol.gap(length) || stuck || limit || simplex.holds(corner.a, corner.b) {
            return Outcome::Apart { toward_a: nearest, limit };
        }
        simplex.push(corner);
        found = simplex.nearest_with_newest();
    }
}

/// Corners about the place where the nearest point is expected, without a climb.
pub(crate) fn bracket(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    guess: &Guess,
    simplex: &mut Simplex,
    work: &mut Work,
) {
    simplex.len = 0;
    for toward_b in guess.around {
        let vertex_a = a.support_rough(toward_b);
        let vertex_b = b.support_rough(-pose.rotate_inverse(toward_b));
        work.supports += 1;
        if !simplex.holds(vertex_a.0, vertex_b.0) {
            let w = a.vertex(vertex_a) - pose.apply(b.vertex(vertex_b));
            simplex.push(Corner { w, a: vertex_a.0, b: vertex_b.0 });
        }
    }
}

/// The corner of A − B least far along `direction` (of length `length`), near `from` if that is a good start.
#[inline]
pub(crate) fn support(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    direction: DVec3,
    length: f64,
    from: Option<Corner>,
) -> Corner {
    let toward_b = -direction;
    let toward_a = pose.rotate_inverse(direction);
    let (vertex_a, vertex_b) = match from {
        Some(corner) => (
            a.support_near(VertexId(corner.a), toward_b, length),
            b.support_near(VertexId(corner.b), toward_a, length),
        ),
        None => (a.support_far(toward_b, length), b.support_far(toward_a, length)),
    };
    Corner { w: a.vertex(vertex_a) - pose.apply(b.vertex(vertex_b)), a: vertex_a.0, b: vertex_b.0 }
}

/// Rounds after which a search gives up: several times what the longest need.
pub(crate) const MAX_ITERATIONS: u32 = 128;

/// Tolerance for coordinates of this pair: both reaches and the offset between the bodies.
#[inline]
pub(crate) fn tolerance_of(a: &Polytope, b: &Polytope, pose: &Pose) -> Tolerance {
    let offset = pose.translation().abs();
    Tolerance::for_size(a.reach() + b.reach() + offset.x + offset.y + offset.z)
}

/// A vector brought to unit length, at any scale.
#[inline]
pub(crate) fn unit(vector: DVec3) -> DVec3 {
    let length = vector.length();
    if length > tolerance::SMALLEST_LENGTH { vector / length } else { vector.normalize_or(DVec3::Z) }
}
