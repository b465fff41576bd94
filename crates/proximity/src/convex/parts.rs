//! Unions of convex parts, pair of parts by pair of parts.
//!
//! Source: the distance of unions is the least one of their parts; Quinlan's balls around parts tell which pairs can have it.
//! Differs: a pair of parts is one of convex bodies, so that a plane proves its distance at once. A search over pieces
//! cuts cells again and again where a rim comes close to a round part, since a cell across the rim reaches beyond it.
//! Ends because: every pair of parts is looked at once at most.
//! Cost: a few operations for each pair of parts, and a convex query for those whose balls come nearer than the nearest
//! points known.
//! Not promised: an answer for parts that touch or overlap, for those that are not convex, and for very many.

use super::depth::Memory;
use super::newton::Pair;
use super::query::between;
use super::solid::Solid;
use crate::tolerance::{BLEND_ERROR_REL, CERTIFIED_REL};
use crate::{Certificate, Ended, Findings, Precision, Proximity, State, Work};
use clearance_geometry::{Body, DVec3, LeafShape, Pose};

/// Most pairs of parts.
const MOST_PAIRS: usize = 1 << 12;

/// Blends that placing a part counts for: its pose, that of its body, and the way back.
const PLACINGS: f64 = 12.0;

/// A convex part, placed in the frame of A.
struct Placed<'a> {
    solid: Solid<'a>,
    pose: Pose,
    middle: DVec3,
    radius: f64,
}

/// The parts of a body in the frame of A; `None` where one is not known to be convex.
fn parts<'a>(body: &'a Body, pose: &Pose) -> Option<Vec<Placed<'a>>> {
    let placed = |solid: Solid<'a>, pose: Pose| {
        let radius = solid.reach() + solid.radius();
        Placed { solid, pose, middle: pose.apply(solid.anchor()), radius }
    };
    let Body::Union(tree) = body else { return Some(vec![placed(Solid::of(body)?, *pose)]) };
    let leaves = tree.leaves().iter().map(|leaf| {
        let solid = match &leaf.shape {
            LeafShape::Polytope(polytope) => Solid::Polytope(polytope),
            LeafShape::Tiled(tiled) => Solid::Round(tiled.convex_shape()?),
        };
        (!leaf.is_surface_only()).then(|| placed(solid, *pose * leaf.pose))
    });
    leaves.collect()
}

/// A pair of parts by its numbers, and the gap between the balls around them.
struct Candidate {
    lower: f64,
    parts: [usize; 2],
}

/// The nearest points of A and of B at `pose_ab`, one of them a union, where all parts are convex and apart by a proof as close
/// as asked for.
pub(crate) fn find(a: &Body, b: &Body, pose_ab: &Pose, precision: &Precision) -> Option<Findings> {
    if precision.proof.is_some() || ![a, b].iter().any(|body| matches!(body, Body::Union(_))) {
        return None;
    }
    let (of_a, of_b) = (parts(a, &Pose::IDENTITY)?, parts(b, pose_ab)?);
    if of_a.len() * of_b.len() > MOST_PAIRS {
        return None;
    }
    let reach = |parts: &[Placed<'_>]| {
        parts
            .iter()
            .map(|part| part.middle.length() + part.radius)
            .fold(pose_ab.translation().length(), f64::max)
    };
    let size = reach(&of_a) + reach(&of_b);
    let lost = PLACINGS * BLEND_ERROR_REL * size;
    let error = precision.max_error.unwrap_or(CERTIFIED_REL * size);
    let mut memory = Memory::default();
    let mut near: Vec<Proximity> = Vec::new();
    let (mut least, mut lower, mut work) = (f64::INFINITY, f64::INFINITY, Work::default());
    for candidate in candidates(&of_a, &of_b, lost) {
        // Written so that NaN is looked at.
        if candidate.lower > least + error {
            lower = lower.min(candidate.lower);
            break;
        }
        let [i, j] = candidate.parts;
        let (one, other) = (&of_a[i], &of_b[j]);
        let pair = Pair::new(one.solid, other.solid, &Pose::between(&one.pose, &other.pose));
        let (answer, _) = between(&pair, &mut memory);
        let Ended::Certified(proof) = answer.ended else { return None };
        if answer.state != State::Separated || proof.lower - lost <= 0.0 {
            return None;
        }
        work = sum(work, answer.work);
        lower = lower.min(proof.lower - lost);
        least = least.min(answer.distance);
        let mut answer = answer.in_world(&one.pose);
        answer.witnesses[0].leaf = i as u32;
        answer.witnesses[1].leaf = j as u32;
        near.push(answer);
    }
    near.retain(|answer| answer.distance <= least + error);
    near.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    let nearest = *near.first()?;
    let lower = lower.min(nearest.distance);
    let ended = Ended::Certified(Certificate { lower, normal: nearest.normal });
    let enough = nearest.distance - lower <= error;
    enough.then_some(Findings {
        proximity: Proximity { ended, work, ..nearest },
        lower: Some(lower),
        ties: near,
    })
}

/// All pairs of parts, those first that may be nearest.
fn candidates(of_a: &[Placed<'_>], of_b: &[Placed<'_>], lost: f64) -> Vec<Candidate> {
    let mut all = Vec::with_capacity(of_a.len() * of_b.len());
    for (i, one) in of_a.iter().enumerate() {
        all.extend(of_b.iter().enumerate().map(|(j, other)| Candidate {
            lower: one.middle.distance(other.middle) - one.radius - other.radius - lost,
            parts: [i, j],
        }));
    }
    all.sort_by(|one, other| one.lower.total_cmp(&other.lower));
    all
}

fn sum(one: Work, other: Work) -> Work {
    Work {
        iterations: one.iterations + other.iterations,
        supports: one.supports + other.supports,
        moves: one.moves + other.moves,
        escapes: one.escapes + other.escapes,
        newton: one.newton + other.newton,
    }
}
