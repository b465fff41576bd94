//! Pairs and points that have closed formulas, or nearly: no branch and bound over patches is needed for them.
//!
//! A ring (the solid of a torus) is every point within its minor radius of a circle. So its distance to a body that stays
//! off this circle by more than that radius is the distance of the circle, less the radius: one parameter in place of two.
//! [`Feet`] has the nearest boundary points of bodies of planes, spheres, cylinders, cones and tori.

mod ball;
mod core;
pub(crate) mod egg;
mod feet;
mod form;
mod ring;
mod ring_convex;
mod ring_follow;
mod ring_ring;
mod target;

pub(crate) use core::{ball_of, witness_on_ball};
pub(crate) use feet::Feet;
pub(crate) use ring_follow::RingTracker;

use crate::curved::{Findings, Precision};
use crate::global::Prepared;
use crate::tolerance::{CERTIFIED_REL, CONTACT_REL, SUPPORT_ROUNDING_REL};
use crate::{Certificate, Ended, Proximity, State, Witness, Work};
use clearance_geometry::{Body, DVec2, DVec3, Feature, Pose, VertexId};
use core::CoreMemory;
use ring::{Circle, Ring};
use ring_convex::{ArcMemory, Sample};
use ring_ring::RingMemory;
use target::{Near, Target, TargetMemory};

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

    /// The side of the body beside a ball, of two that were asked about last, where it has no core itself.
    pub(crate) fn beside_ball(&self) -> Option<usize> {
        self.cores.beside_ball()
    }

    /// Whether nearly all features of one of two bodies that were asked about last have formulas, so that it is asked by feet
    /// every time.
    pub(crate) fn has_formulas(&mut self, side: usize) -> bool {
        self.cores.has_formulas(side)
    }

    /// As [`AnalyticMemory::by_cores`], for a ball and a body that was not made ready.
    pub(crate) fn by_feet(&self, pose_ab: &Pose, precision: &Precision) -> Option<Findings> {
        self.cores.by_feet(pose_ab, precision)
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

/// The nearest boundary points of a ring and a ball inside it, or of their boundaries alone: their boundaries are apart, and what
/// that makes of the bodies is another question. `None` for other bodies and where the ball is not inside.
pub(crate) fn find_within(
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
    let (ring, pose_ring, body, pose_body, ring_first) = match [Ring::of(a), Ring::of(b)] {
        [Some(ring), None] => (ring, still, b, *pose_ab, true),
        [None, Some(ring)] => (ring, *pose_ab, a, still, false),
        _ => return None,
    };
    let target = Target::new(body.whole(), &mut memory.target)?;
    let pair = Pair { ring, pose_ring, pose_body, ring_first };
    let (answer, lower) = pair.ball_within(&target, precision)?;
    findings([answer].into_iter(), lower)
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

/// Two rings, in the frame of the first.
struct TwoRings<'a> {
    rings: [Ring<'a>; 2],
    circles: [Circle; 2],
    pose: &'a Pose,
    max_error: f64,
    contact: f64,
    /// What rounding may take off; a length.
    slack: f64,
}

impl<'a> TwoRings<'a> {
    fn new(rings: [Ring<'a>; 2], pose: &'a Pose, precision: &Precision) -> Self {
        let circles = [rings[0].circle(), rings[1].circle().moved(pose)];
        let apart = circles[0].center.length() + circles[1].center.length();
        let sizes = [rings[0].size(), rings[1].size()];
        let (max_error, contact) = demand(sizes, apart, precision);
        let slack = SUPPORT_ROUNDING_REL * (sizes[0] + sizes[1] + apart);
        Self { rings, circles, pose, max_error, contact, slack }
    }

    /// The nearest points for a direction on the first circle.
    fn cores(&self, at: DVec2) -> Cores {
        let one = self.circles[0].point(at);
        let other = self.circles[1].point(self.circles[1].toward(one));
        let distance = one.distance(other);
        Cores { points: [one, other], normal: (other - one) / distance, distance }
    }

    /// How far the circles are apart along the line between two points.
    fn across(&self, cores: &Cores) -> f64 {
        let n = cores.normal;
        let [first, second] = &self.circles;
        let high = n.dot(first.center) + first.radius * first.along(n).length();
        n.dot(second.center) - second.radius * second.along(n).length() - high
    }

    /// The lower bound of the distance that one of the circles' comes to; `None` where that proves too little.
    fn proven(&self, best: &Cores, lower: f64) -> Option<f64> {
        let radii = self.rings[0].radius() + self.rings[1].radius();
        let lower = lower.min(best.distance) - radii - self.slack;
        let distance = best.distance - radii;
        (distance > self.contact && lower >= distance - self.max_error).then_some(lower.max(0.0))
    }

    fn answer(&self, cores: &Cores, lower: f64, rounds: u32) -> Proximity {
        let [first, second] = &self.rings;
        let points = [
            cores.points[0] + cores.normal * first.radius(),
            cores.points[1] - cores.normal * second.radius(),
        ];
        let witnesses = [first.witness(points[0], &Pose::IDENTITY), second.witness(points[1], self.pose)];
        let distance = cores.distance - first.radius() - second.radius();
        answer(witnesses, cores.normal, distance, lower, rounds)
    }
}

/// Two rings.
fn rings(
    rings: [Ring; 2],
    pose_ab: &Pose,
    precision: &Precision,
    memory: &mut RingMemory,
) -> Option<Findings> {
    let two = TwoRings::new(rings, pose_ab, precision);
    let found = ring_ring::nearest(&two.circles[0], &two.circles[1], two.max_error, memory)?;
    let lower = two.proven(&two.cores(found.at), found.lower)?;
    findings(memory.nearest().map(|at| two.answer(&two.cores(at), lower, found.arcs)), lower)
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
        let (circle, found, lower) = self.nearest(target, precision, memory)?;
        let one = |sample: &Sample| self.answer(target, &circle, sample, lower, found.samples);
        findings(memory.ties.iter().map(one), lower)
    }

    /// The nearest boundary points of a ball inside the ring: a point within the tube is as far from the torus as it is nearer to
    /// the circle than the minor radius.
    fn ball_within(&self, target: &Target, precision: &Precision) -> Option<(Proximity, f64)> {
        let solid = target.solid();
        if !target.is_point() {
            return None;
        }
        let (center, circle) = (
            self.pose_body.apply(target.middle() + solid.anchor()),
            self.ring.circle().moved(&self.pose_ring),
        );
        let at = circle.toward(center);
        let (core, outward) = (circle.point(at), circle.x * at.x + circle.y * at.y);
        let off = center - core;
        let size = center.length() + circle.center.length() + self.ring.size() + solid.radius();
        let slack = SUPPORT_ROUNDING_REL * size;
        let (max_error, contact) = demand([self.ring.size(), solid.radius()], size, precision);
        let gap = self.ring.radius() - off.length() - solid.radius();
        // An error within rounding is not to be had by a formula.
        if !(gap > contact && max_error > 2.0 * slack) {
            return None;
        }
        // On the circle itself every way across it is as short.
        let way = if off.length() > slack { off.normalize() } else { outward };
        let (on_ring, on_ball) = (core + way * self.ring.radius(), center + way * solid.radius());
        let local = self.pose_body.rotate_inverse(way);
        let near = Near { point: target.middle(), feature: Feature::Vertex(VertexId(0)) };
        let (feature, parameters) = target.witness(&near, local);
        let of_ball = Witness { point: on_ball, feature, leaf: 0, parameters };
        let of_ring = self.ring.witness(on_ring, &self.pose_ring);
        let witnesses = if self.ring_first { [of_ring, of_ball] } else { [of_ball, of_ring] };
        let apart = witnesses[1].point - witnesses[0].point;
        let distance = apart.length();
        let lower = (gap - slack).min(distance);
        Some((answer(witnesses, apart / distance, distance, lower, 1), lower))
    }

    /// The nearest points, with the circle in the anchored frame of the body and the lower bound of the distance.
    fn nearest(
        &self,
        target: &mut Target,
        precision: &Precision,
        memory: &mut ArcMemory,
    ) -> Option<(Circle, ring_convex::Nearest, f64)> {
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
        Some((circle, found, lower.max(0.0)))
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
