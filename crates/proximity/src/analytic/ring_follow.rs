//! Rings that move: against a ring, a ball, or another convex body.
//!
//! Source: the closed forms of `ring_ring` and `ring_convex`, begun where the last frame ended.
//! Differs: of two circles, the last nearest point starts Newton's method; one plane across the new ones, or arcs of halving
//! lengths around them, prove that no others are nearer. The angles of these arcs are always the same, so that nothing is asked
//! but products and roots.
//! Ends because: steps and arcs are counted; where they are not enough the search from scratch follows.
//! Cost: a few dozen products for a ball; three values of a function and one plane, or some ten values, for a ring.
//! Not promised: an answer where the bodies are not apart, and where the search from scratch has none.

use super::ring::Ring;
use super::ring_ring::{self, Half, Jet, RingMemory, Width};
use super::target::{Target, TargetMemory};
use super::{ArcMemory, Cores, Pair, TwoRings, answer, demand};
use crate::convex::solid::Solid;
use crate::curved::Precision;
use crate::tolerance::{RING_LAST_STEP_RAD, SUPPORT_ROUNDING_REL};
use crate::{Proximity, Witness};
use clearance_geometry::{Body, DVec2, DVec3, Feature, Pose, VertexId};
use std::f64::consts::PI;

/// Newton steps.
const STEPS: usize = 5;

/// The longest of them; radians.
const LONGEST: f64 = 0.5;

/// Arcs that a circle is cut into at first.
const FIRST_ARCS: usize = 6;

/// Halvings of an arc.
const LEVELS: usize = 7;

/// Most arcs of one proof.
const MOST_ARCS: u32 = 48;

/// What is kept between updates of a ring and a body that is a ring or convex.
#[derive(Clone, Debug)]
pub(crate) struct RingTracker {
    pairing: Pairing,
    /// Direction of the last nearest point from the centre of the first ring.
    at: Option<DVec2>,
    widths: [Width; LEVELS],
    rings: RingMemory,
    arcs: ArcMemory,
    target: TargetMemory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pairing {
    Rings,
    /// Which body is the ring.
    Ball(usize),
    Convex(usize),
}

/// An arc to be proven.
#[derive(Clone, Copy, Debug)]
struct Arc {
    middle: DVec2,
    level: usize,
    /// Whether the nearest point is at its beginning (-1), its end (1), or not next to it (0).
    beside: i8,
}

impl RingTracker {
    /// `None` for other bodies.
    pub(crate) fn new(a: &Body, b: &Body) -> Option<Self> {
        let is_round = |body: &Body| matches!(Solid::of(body), Some(Solid::Round(_)));
        let is_ball = |body: &Body| match Solid::of(body) {
            Some(Solid::Round(shape)) => shape.counts()[0] == 1 && !shape.is_own_core(),
            _ => false,
        };
        let pairing = match [Ring::of(a), Ring::of(b)] {
            [Some(_), Some(_)] => Pairing::Rings,
            [Some(_), None] if is_ball(b) => Pairing::Ball(0),
            [None, Some(_)] if is_ball(a) => Pairing::Ball(1),
            [Some(_), None] if is_round(b) => Pairing::Convex(0),
            [None, Some(_)] if is_round(a) => Pairing::Convex(1),
            _ => return None,
        };
        Some(Self {
            pairing,
            at: None,
            widths: std::array::from_fn(|level| Width::new(PI / (FIRST_ARCS << level) as f64)),
            rings: RingMemory::with_room(),
            arcs: ArcMemory::with_room(),
            target: TargetMemory::default(),
        })
    }

    /// Forgets the last nearest points.
    pub(crate) fn reset(&mut self) {
        self.at = None;
    }

    /// The answer for two bodies that are apart, the same ones every time.
    pub(crate) fn update(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Option<Proximity> {
        let still = Pose::IDENTITY;
        match self.pairing {
            Pairing::Rings => {
                let two = TwoRings::new([Ring::known(a)?, Ring::known(b)?], pose_ab, precision);
                self.two_rings(&two)
            }
            Pairing::Ball(side) | Pairing::Convex(side) => {
                let (ring, body) = if side == 0 { (a, b) } else { (b, a) };
                let (pose_ring, pose_body) = if side == 0 { (still, *pose_ab) } else { (*pose_ab, still) };
                let pair = Pair { ring: Ring::known(ring)?, pose_ring, pose_body, ring_first: side == 0 };
                if matches!(self.pairing, Pairing::Ball(_)) {
                    return self.ball(&pair, body, precision);
                }
                let mut target = Target::new(body, &mut self.target)?;
                let (circle, found, lower) = pair.nearest(&mut target, precision, &mut self.arcs)?;
                Some(pair.answer(&target, &circle, &found.best, lower, found.samples))
            }
        }
    }

    /// A ring and a ball: the point of a circle nearest to a point.
    fn ball(&mut self, pair: &Pair, body: &Body, precision: &Precision) -> Option<Proximity> {
        let Solid::Round(shape) = Solid::of(body)? else { return None };
        let middle = Feature::Vertex(VertexId(0));
        let center = pair.pose_body.apply(shape.point(middle, DVec3::ZERO) + shape.anchor());
        let circle = pair.ring.circle().moved(&pair.pose_ring);
        let size = shape.reach() + shape.radius() + center.length() + circle.center.length() + circle.radius;
        let slack = 4.0 * SUPPORT_ROUNDING_REL * size;
        let sizes = [pair.ring.size(), 0.5 * (shape.reach() + shape.radius())];
        let (max_error, contact) = demand(sizes, circle.center.length() + center.length(), precision);
        let along = circle.along(center - circle.center);
        // From the axis all points are as near; the last one stays.
        let at = if along.length_squared() > slack * slack {
            along.normalize_or(DVec2::X)
        } else {
            self.at.unwrap_or(DVec2::X)
        };
        self.at = Some(at);
        let on_circle = circle.point(at);
        let apart = center - on_circle;
        let cores = apart.length();
        let distance = cores - pair.ring.radius() - shape.radius();
        if !(distance > contact && max_error > 4.0 * slack) {
            return None;
        }
        let toward = apart / cores;
        let of_ring = pair.ring.witness(on_circle + toward * pair.ring.radius(), &pair.pose_ring);
        let solid = Solid::Round(shape);
        let (feature, parameters) =
            solid.witness(middle, DVec3::ZERO, pair.pose_body.rotate_inverse(-toward));
        let of_body = Witness { point: center - toward * shape.radius(), feature, leaf: 0, parameters };
        // The point that stays may be farther by twice the distance from the axis.
        let lower = (distance - 3.0 * slack).max(0.0);
        Some(if pair.ring_first {
            answer([of_ring, of_body], toward, distance, lower, 1)
        } else {
            answer([of_body, of_ring], -toward, distance, lower, 1)
        })
    }

    fn two_rings(&mut self, two: &TwoRings) -> Option<Proximity> {
        let [first, second] = &two.circles;
        let half = Half::new(first, second);
        let start = self.at.unwrap_or_else(|| first.toward(second.center));
        if let Some((at, cores, lower, arcs)) = self.quick(two, &half, start) {
            self.at = Some(at);
            return Some(two.answer(&cores, lower, arcs));
        }
        let found = ring_ring::nearest(first, second, two.max_error, &mut self.rings)?;
        let cores = two.cores(found.at);
        let lower = two.proven(&cores, found.lower)?;
        self.at = Some(found.at);
        Some(two.answer(&cores, lower, found.arcs))
    }

    /// The nearest points next to those of the last frame, if they prove to be the nearest of all.
    fn quick(&self, two: &TwoRings, half: &Half, start: DVec2) -> Option<(DVec2, Cores, f64, u32)> {
        let mut from = start;
        let mut steps = 0;
        let (jet, at) = loop {
            let jet = half.jet(from);
            let step = -jet.slope / jet.bend;
            // Written so that NaN ends it.
            if !(jet.bend > 0.0 && step.abs() < LONGEST) || steps == STEPS {
                return None;
            }
            let next = (from + from.perp() * step).normalize_or(from);
            if step.abs() <= RING_LAST_STEP_RAD {
                break (jet, next);
            }
            steps += 1;
            from = next;
        };
        let cores = two.cores(at);
        if let Some(lower) = two.proven(&cores, two.across(&cores)) {
            return Some((at, cores, lower, 1));
        }
        let (lower, arcs) = self.around(two, half, from, &jet, &cores)?;
        let lower = two.proven(&cores, lower)?;
        Some((at, cores, lower, arcs))
    }

    /// A lower bound on the distance of two circles by arcs around a direction of the first; `None` where it proves too
    /// little.
    fn around(&self, two: &TwoRings, half: &Half, at: DVec2, jet: &Jet, cores: &Cores) -> Option<(f64, u32)> {
        let least = cores.distance - two.max_error + 2.0 * two.slack;
        let enough = 0.5 * least * least;
        let bounds = self.widths.iter().map(|width| half.bound(jet, width)).enumerate();
        let (widest, mut lower) = bounds.into_iter().find(|(_, bound)| *bound >= enough)?;
        let mut waiting = [Arc { middle: at, level: 0, beside: 0 }; FIRST_ARCS + LEVELS];
        let mut count = 0;
        let push = |waiting: &mut [Arc], arc: Arc, count: &mut usize| {
            waiting[*count] = arc;
            *count += 1;
        };
        let first = self.widths[0];
        for _ in 1..FIRST_ARCS {
            let last = if count == 0 { at } else { waiting[count - 1].middle };
            let middle = first.turned(first.turned(last, 1.0), 1.0);
            push(&mut waiting, Arc { middle, level: 0, beside: 0 }, &mut count);
        }
        if widest > 0 {
            for (sign, beside) in [(-1.0, 1), (1.0, -1)] {
                let middle = self.widths[1].turned(at, sign);
                push(&mut waiting, Arc { middle, level: 1, beside }, &mut count);
            }
        }
        let mut arcs = 0;
        while count > 0 {
            count -= 1;
            let Arc { middle, level, beside } = waiting[count];
            // Next to the nearest point its own bound has told.
            if beside != 0 && level > widest {
                continue;
            }
            arcs += 1;
            let bound = half.bound(&half.jet(middle), &self.widths[level]);
            if bound >= enough {
                lower = lower.min(bound);
                continue;
            }
            if arcs == MOST_ARCS || level + 1 == LEVELS {
                return None;
            }
            for (sign, side) in [(-1.0, -1), (1.0, 1)] {
                let middle = self.widths[level + 1].turned(middle, sign);
                let beside = if beside == side { beside } else { 0 };
                push(&mut waiting, Arc { middle, level: level + 1, beside }, &mut count);
            }
        }
        Some(((2.0 * lower.max(0.0)).sqrt(), arcs))
    }
}

impl Width {
    /// A direction turned by it.
    #[inline]
    fn turned(&self, at: DVec2, sign: f64) -> DVec2 {
        let sin = sign * self.most;
        DVec2::new(at.x * self.cos - at.y * sin, at.y * self.cos + at.x * sin)
    }
}
