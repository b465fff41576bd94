//! Pairs and points that have closed formulas, or nearly: no branch and bound over patches is needed for them.
//!
//! A ring (the solid of a torus) is every point within its minor radius of a circle. So its distance to a body that stays
//! off this circle by more than that radius is the distance of the circle, less the radius: one parameter in place of two.
//! [`Feet`] has the nearest boundary points of bodies of planes, spheres, cylinders, cones and tori.

mod core;
mod feet;
mod form;
mod ring;
mod ring_convex;
mod ring_ring;
mod target;

pub(crate) use feet::Feet;

use crate::curved::{Findings, Precision};
use crate::global::Prepared;
use crate::tolerance::{CERTIFIED_REL, CONTACT_REL, SUPPORT_ROUNDING_REL};
use crate::{Certificate, Ended, Proximity, State, Witness, Work};
use clearance_geometry::{Body, DVec3, Pose};
use core::CoreMemory;
use ring::{Circle, Ring};
use ring_convex::{ArcMemory, Sample};
use ring_ring::RingMemory;
use target::{Target, TargetMemory};

/// What is kept between queries.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnalyticMemory {
    target: TargetMemory,
    arcs: ArcMemory,
    rings: RingMemory,
    cores: CoreMemory,
}

impl AnalyticMemory {
    /// Whether one of two bodies is a ball, a capsule or a ring, so that [`AnalyticMemory::by_cores`] may be asked.
    pub(crate) fn have_core(&mut self, a: &Body, b: &Body) -> bool {
        self.cores.meet([a, b])
    }

    /// The nearest boundary points of two bodies, one of them a ball, a capsule or a ring, by the search for its core; their
    /// boundaries are apart, but one may be inside the other. What has a core is given as [`AnalyticMemory::stand_in`] has
    /// it. `None` where they are not apart, and where the search did not end.
    pub(crate) fn by_cores(
        &mut self,
        ready: [&Prepared; 2],
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Option<Findings> {
        self.cores.nearest(ready, pose_ab, precision)
    }

    /// The core of one of two bodies that were asked about last.
    pub(crate) fn stand_in(&self, side: usize) -> Option<&Prepared> {
        self.cores.stand_in(side)
    }
}

/// Two nearest points of cores, from the core of A to that of B, with what is proven.
struct Cores {
    /// In the frame of A.
    points: [DVec3; 2],
    normal: DVec3,
    distance: f64,
}

/// The answer for two bodies that are apart, one of them a ring, the other a ring or convex. `None` for other bodies,
/// where they are not apart, where a proof is to be kept, and where this takes too long: then the general search is asked.
pub(crate) fn find(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    precision: &Precision,
    memory: &mut AnalyticMemory,
) -> Option<Findings> {
    if precision.proof.is_some() {
        return None;
    }
    let still = Pose::IDENTITY;
    match [Ring::of(a), Ring::of(b)] {
        [Some(first), Some(second)] => rings([first, second], pose_ab, precision, &mut memory.rings),
        [Some(ring), None] => {
            let mut target = Target::new(b, &mut memory.target)?;
            let pair = Pair { ring, pose_ring: still, pose_body: *pose_ab, ring_first: true };
            pair.find(&mut target, precision, &mut memory.arcs)
        }
        [None, Some(ring)] => {
            let mut target = Target::new(a, &mut memory.target)?;
            let pair = Pair { ring, pose_ring: *pose_ab, pose_body: still, ring_first: false };
            pair.find(&mut target, precision, &mut memory.arcs)
        }
        [None, None] => None,
    }
}

/// What is asked of the answer: an error, and a distance that is contact.
fn demand(sizes: [f64; 2], apart: f64, precision: &Precision) -> (f64, f64) {
    let size = sizes[0] + sizes[1];
    (precision.max_error.unwrap_or(CERTIFIED_REL * size), CONTACT_REL * (size + apart))
}

/// The answer for two witnesses that are apart.
fn answer(witnesses: [Witness; 2], normal: DVec3, distance: f64, lower: f64, rounds: u32) -> Proximity {
    Proximity {
        state: State::Separated,
        distance,
        signed_distance: distance,
        witnesses,
        normal,
        ended: Ended::Certified(Certificate { lower, normal }),
        work: Work { iterations: rounds, ..Work::default() },
    }
}

/// All answers, the nearest first.
fn findings(all: impl Iterator<Item = Proximity>, lower: f64) -> Option<Findings> {
    let mut ties: Vec<Proximity> = all.collect();
    ties.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    Some(Findings { proximity: *ties.first()?, lower: Some(lower), ties })
}

/// Two rings.
fn rings(
    [first, second]: [Ring; 2],
    pose_ab: &Pose,
    precision: &Precision,
    memory: &mut RingMemory,
) -> Option<Findings> {
    let circles = [first.circle(), second.circle().moved(pose_ab)];
    let apart = circles[0].center.length() + circles[1].center.length();
    let sizes = [first.size(), second.size()];
    let (max_error, contact) = demand(sizes, apart, precision);
    let found = ring_ring::nearest(&circles[0], &circles[1], max_error, memory)?;
    let radii = first.radius() + second.radius();
    let core = |at| {
        let one = circles[0].point(at);
        let other = circles[1].point(circles[1].toward(one));
        let distance = one.distance(other);
        Cores { points: [one, other], normal: (other - one) / distance, distance }
    };
    let best = core(*found.at.first()?);
    let lower = found.lower.min(best.distance) - radii - SUPPORT_ROUNDING_REL * (sizes[0] + sizes[1] + apart);
    let distance = best.distance - radii;
    if !(distance > contact && lower >= distance - max_error) {
        return None;
    }
    let one = |cores: Cores| {
        let points = [
            cores.points[0] + cores.normal * first.radius(),
            cores.points[1] - cores.normal * second.radius(),
        ];
        let witnesses = [first.witness(points[0], &Pose::IDENTITY), second.witness(points[1], pose_ab)];
        answer(witnesses, cores.normal, cores.distance - radii, lower.max(0.0), found.arcs)
    };
    findings(found.at.iter().map(|at| one(core(*at))), lower.max(0.0))
}

/// A ring and a convex body, in the frame of A.
struct Pair<'a> {
    ring: Ring<'a>,
    pose_ring: Pose,
    pose_body: Pose,
    /// Whether the ring is A.
    ring_first: bool,
}

impl Pair<'_> {
    fn find(&self, target: &mut Target, precision: &Precision, memory: &mut ArcMemory) -> Option<Findings> {
        let anchor = target.solid().anchor();
        let mut circle = self.ring.circle().moved(&self.pose_ring).seen_from(&self.pose_body);
        circle.center -= anchor;
        // No box around the body has a shorter half-diagonal.
        let sizes = [self.ring.size(), 0.5 * (target.solid().reach() + target.solid().radius())];
        let (max_error, contact) = demand(sizes, circle.center.length() + anchor.length(), precision);
        let radii = self.ring.radius() + target.solid().radius();
        let found = ring_convex::nearest(circle, target, max_error, memory)?;
        let lower = found.lower - radii;
        let distance = found.best.distance - radii;
        if !(distance > contact && lower >= distance - max_error) {
            return None;
        }
        let one = |sample: &Sample| self.answer(target, &circle, sample, lower.max(0.0), found.samples);
        findings(found.ties.iter().map(one), lower.max(0.0))
    }

    fn answer(
        &self,
        target: &Target,
        circle: &Circle,
        sample: &Sample,
        lower: f64,
        rounds: u32,
    ) -> Proximity {
        let radii = [target.solid().radius(), self.ring.radius()];
        let anchor = target.solid().anchor();
        let outside = |point: DVec3| self.pose_body.apply(point + anchor);
        let n = sample.normal;
        let (feature, parameters) = target.witness(&sample.near, n);
        let on_body = outside(sample.near.point + n * radii[0]);
        let on_ring = outside(circle.point(sample.at) - n * radii[1]);
        let of_body = Witness { point: on_body, feature, leaf: 0, parameters };
        let of_ring = self.ring.witness(on_ring, &self.pose_ring);
        let (witnesses, sign) =
            if self.ring_first { ([of_ring, of_body], -1.0) } else { ([of_body, of_ring], 1.0) };
        let normal = self.pose_body.rotate(n) * sign;
        answer(witnesses, normal, sample.distance - radii[0] - radii[1], lower, rounds)
    }
}
