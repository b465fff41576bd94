//! The curves along which the surfaces of two bodies cross.
//!
//! Source: marching from seeds that every component has (algorithms §6; Sederberg and Meyers 1988).
//! Differs: curves are followed in one pair of Bézier pieces at a time and joined at the rims, so that every stretch knows
//! its faces. Between two closed bodies every component is closed; one that is not says that something was missed.
//! Ends because: every pair of pieces is looked at once, with a budget of parts for all of them.
//! Cost: some ten microseconds for each point, and those of the search for seeds.
//! Not promised: components where surfaces touch without crossing; the places are listed. A stretch that leaves a trimmed
//! face and comes back within one step may be taken for one that stays.

use super::branches::{Branch, branches, is_on};
use super::crossing::Unresolved;
use super::join::{joined, without_doubles};
use super::march::Step;
use super::proof::{CrossingProof, prove_on};
use super::scene::Scene;
use crate::global::Prepared;
use crate::tolerance::TRACE_FLOOR_REL;
use clearance_geometry::{DVec2, DVec3, Feature, Pose};
use std::time::Instant;

/// What is asked of a search for common curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceDemand {
    /// Parts of surfaces are not cut below this radius; closed curves smaller than that may be missed, and are then within
    /// a place listed as unresolved. A length.
    pub floor: f64,
    /// Most pairs of parts that are looked at.
    pub max_pairs: u64,
    /// Whether to stop at the first proven crossing.
    pub first_only: bool,
    /// When to stop with what was found, if not before.
    pub deadline: Option<Instant>,
}

impl TraceDemand {
    /// A floor of [`TRACE_FLOOR_REL`] of the size of both bodies.
    pub fn for_bodies(a: &Prepared, b: &Prepared) -> Self {
        let floor = TRACE_FLOOR_REL * (a.radius() + b.radius());
        Self { floor, max_pairs: MOST_PAIRS, first_only: false, deadline: None }
    }
}

/// Pairs of parts that a search may look at unless asked otherwise.
const MOST_PAIRS: u64 = 200_000;

/// One pair of pieces may take this part of them.
const PAIR_SHARE: u64 = 32;

/// A point of a common curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Where, in the frame of A.
    pub point: DVec3,
    /// Unit tangent in the direction in which the points follow each other.
    pub tangent: DVec3,
    /// Parameters on the face of A and on that of B; local ones of the piece where a face is flat.
    pub parameters: [DVec2; 2],
}

/// A part of a common curve on one face of each body.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// The faces of A and of B.
    pub features: [Feature; 2],
    /// The parts of unions that they belong to.
    pub leaves: [u32; 2],
    /// The pieces, by their place in the bodies' trees.
    pub pieces: [u32; 2],
    /// Its points in order, the ends included.
    pub points: Vec<CurvePoint>,
    /// Its length, to fourth order in the steps.
    pub length: f64,
}

/// A connected common curve.
#[derive(Clone, Debug, PartialEq)]
pub struct IntersectionCurve {
    /// Its parts, head to tail.
    pub stretches: Vec<Stretch>,
    /// Whether it ends where it begins.
    pub closed: bool,
    /// Its length.
    pub length: f64,
}

impl IntersectionCurve {
    /// All points in order; where stretches meet, both of them.
    pub fn points(&self) -> impl Iterator<Item = &CurvePoint> {
        self.stretches.iter().flat_map(|stretch| &stretch.points)
    }
}

/// The curves along which two surfaces cross.
#[derive(Clone, Debug, PartialEq)]
pub struct Intersection {
    /// All components that were found.
    pub curves: Vec<IntersectionCurve>,
    /// A point at which the surfaces are proven to cross.
    pub proof: Option<CrossingProof>,
    /// Places where surfaces touch, or nearly so: there may be more there.
    pub unresolved: Vec<Unresolved>,
    /// Faces that lie on one surface and may overlap in it.
    pub coincident: Vec<[Feature; 2]>,
    /// Whether all components were found: nothing is unresolved, no faces coincide, no curve ended early.
    pub complete: bool,
    /// Whether a budget was used up somewhere.
    pub limited: bool,
    /// Whether the time was up before all pairs of pieces were looked at.
    pub late: bool,
    /// Pairs of parts looked at.
    pub pairs: u64,
}

/// Finds the curves along which the surfaces of A and of B at `pose_ab` cross, in the frame of A.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::contact::{TraceDemand, intersection};
/// use clearance_proximity::global::Prepared;
/// let ball = Prepared::new(&Body::from(TiledBody::sphere(1.0)?))?;
/// let beside = Pose::from_translation(DVec3::new(1.0, 0.3, 0.2))?;
/// let found = intersection(&ball, &ball, &beside, &TraceDemand::for_bodies(&ball, &ball));
/// assert!(found.complete && found.proof.is_some());
/// assert_eq!(found.curves.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn intersection(a: &Prepared, b: &Prepared, pose_ab: &Pose, demand: &TraceDemand) -> Intersection {
    trace(&Scene::new(a, b, pose_ab), demand)
}

/// As [`intersection`], of bodies made ready.
pub(super) fn trace(scene: &Scene, demand: &TraceDemand) -> Intersection {
    let mut trace = Trace::default();
    let mut budget = demand.max_pairs;
    let mut pairs = scene.pairs(true, 0.0);
    // A crossing of what is closed tells more than one with an open part of a union.
    pairs.sort_by_key(|pieces| !scene.are_whole(*pieces));
    for pieces in pairs {
        if demand.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            (trace.spent, trace.late) = (true, true);
            break;
        }
        // One pair of pieces that touch all over does not use up what the others need.
        let share = (demand.max_pairs / PAIR_SHARE).max(1).min(budget);
        let mut left = share;
        trace.add(scene, pieces, demand.floor, &mut left);
        trace.spent |= left == 0;
        budget -= share - left;
        if demand.first_only && trace.proof.is_some() {
            break;
        }
    }
    let solid = scene.bodies.iter().all(|body| !body.body().is_surface_only());
    trace.finish(scene, solid, demand.max_pairs - budget)
}

/// What was found so far.
#[derive(Default)]
struct Trace {
    branches: Vec<Branch>,
    proof: Option<CrossingProof>,
    tangent: Vec<Unresolved>,
    along_rim: Vec<Unresolved>,
    coincident: Vec<[Feature; 2]>,
    /// Whether a budget was used up.
    spent: bool,
    /// Whether the time was up.
    late: bool,
}

impl Trace {
    fn add(&mut self, scene: &Scene, pieces: [u32; 2], floor: f64, budget: &mut u64) {
        let (found, seeds) = branches(scene, pieces, floor, budget);
        if self.proof.is_none() {
            self.proof = found.iter().find_map(|branch| prove_on(scene, branch));
        }
        self.branches.extend(found);
        self.tangent.extend(seeds.tangent);
        self.along_rim.extend(seeds.along_rim);
        if seeds.coincident {
            let pair = [0, 1].map(|i| scene.piece(i, pieces[i]).feature);
            if !self.coincident.contains(&pair) {
                self.coincident.push(pair);
            }
        }
    }

    fn finish(self, scene: &Scene, solid: bool, pairs: u64) -> Intersection {
        let near = scene.join_distance();
        let kept = without_doubles(self.branches, near);
        let stuck = kept.iter().any(|branch| branch.stuck);
        let mut unresolved = self.along_rim;
        unresolved.retain(|place| !kept.iter().any(|branch| is_on(place, branch)));
        unresolved.extend(self.tangent);
        let curves: Vec<IntersectionCurve> = joined(&kept, [scene.rounding_distance(), near])
            .into_iter()
            .map(|(order, closed)| curve(scene, &kept, &order, closed))
            .collect();
        let all_closed = curves.iter().all(|curve| curve.closed);
        let complete = unresolved.is_empty()
            && self.coincident.is_empty()
            && !stuck
            && !self.spent
            && (all_closed || !solid);
        Intersection {
            curves,
            proof: self.proof,
            unresolved,
            coincident: self.coincident,
            complete,
            limited: self.spent,
            late: self.late,
            pairs,
        }
    }
}

/// The distance of a point from a segment.
pub(super) fn to_segment(point: DVec3, [tail, head]: [DVec3; 2]) -> f64 {
    let along = head - tail;
    let share = ((point - tail).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (tail + along * share).distance(point)
}

fn curve(scene: &Scene, all: &[Branch], order: &[(usize, bool)], closed: bool) -> IntersectionCurve {
    let stretches: Vec<Stretch> =
        order.iter().map(|&(at, reversed)| stretch(scene, &all[at], reversed)).collect();
    let length = stretches.iter().map(|stretch| stretch.length).sum();
    IntersectionCurve { stretches, closed, length }
}

fn stretch(scene: &Scene, branch: &Branch, reversed: bool) -> Stretch {
    let owners = [0, 1].map(|i| scene.piece(i, branch.pieces[i]));
    let point = |step: &Step| {
        let local = [DVec2::new(step.at[0], step.at[1]), DVec2::new(step.at[2], step.at[3])];
        let parameters =
            [0, 1].map(|i| if owners[i].is_flat { local[i] } else { owners[i].span.parameters(local[i]) });
        let tangent = if reversed { -step.tangent } else { step.tangent };
        CurvePoint { point: step.point, tangent, parameters }
    };
    let mut points: Vec<CurvePoint> = branch.steps.iter().map(point).collect();
    if reversed {
        points.reverse();
    }
    let length = points.windows(2).map(|pair| arc(&pair[0], &pair[1])).sum();
    Stretch {
        features: owners.map(|piece| piece.feature),
        leaves: owners.map(|piece| piece.leaf),
        pieces: branch.pieces,
        points,
        length,
    }
}

/// The length of an arc between two points with tangents.
fn arc(from: &CurvePoint, to: &CurvePoint) -> f64 {
    let half = 0.5 * from.tangent.dot(to.tangent).clamp(-1.0, 1.0).acos();
    let chord = from.point.distance(to.point);
    // Half an angle that is lost in the rounding of its cosine is none.
    if half * half <= f64::EPSILON { chord } else { chord * half / half.sin() }
}
