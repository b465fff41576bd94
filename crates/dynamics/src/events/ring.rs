//! Events of rings (solids of tori) against half-spaces, polytopes, convex curved bodies and rings.
//!
//! Source: a ring is every point within its minor radius of a circle, so that each of the circle's points is the centre of a
//! ball of which the other body must stay clear.
//! Differs: DIFFERS: the events are balls: those nearest to the other body, and others spread around the circle where the ring
//! lies flat. The gap of a ball is the signed distance of its centre less its radius; its gradient is exact.
//! Ends because: a fixed number of samples, then a fixed number of halvings for each minimum.
//! Cost: about a hundred distances of a point; three products against a half-space.
//! Not promised: minima closer together than the samples.

use super::convex::{into_world, ratio};
use super::part::{Form, Part, Ring};
use super::{Event, EventId, EventKind, Limits, PairEvents, tidy};
use crate::tolerance::{EVENT_KEEP, EVENT_LEVEL};
use clearance_geometry::{Body, DVec3, FaceId, Feature, Polytope, Pose};
use clearance_proximity::convex::ConvexTracker;
use std::f64::consts::{FRAC_PI_4, PI, TAU};

/// Places around the circle at which minima are looked for.
const SAMPLES: usize = 24;

/// Every so many samples may become an event of its own, eight in all.
const SPREAD: usize = 3;

/// Halvings of the arc between samples.
const HALVINGS: usize = 40;

/// Events this near to a minimum, in radians, say nothing new.
const APART: f64 = 0.9 * FRAC_PI_4;

/// The other body as the centres of balls see it, in its own frame.
pub(crate) struct Target<'a> {
    part: &'a Part,
    /// A point, to ask for its distance.
    probe: Body,
    tracker: &'a mut ConvexTracker,
}

/// A ball of the ring.
#[derive(Clone, Copy)]
struct Ball {
    angle: f64,
    center: DVec3,
    /// Signed distance of the ball.
    gap: f64,
    /// Out of the other body.
    normal: DVec3,
    feature: Feature,
}

impl<'a> Target<'a> {
    pub(crate) fn new(part: &'a Part, tracker: &'a mut ConvexTracker) -> Self {
        Self { part, probe: Body::from(Polytope::point()), tracker }
    }

    /// Signed distance of a point, the direction away from the body, and its nearest feature.
    fn distance(&mut self, point: DVec3) -> Option<(f64, DVec3, Feature)> {
        match &self.part.form {
            Form::HalfSpace(half) => {
                Some((half.plane().distance(point), half.plane().normal, Feature::Face(FaceId(0))))
            }
            Form::Ring(ring) => {
                let (distance, away) = ring.off_circle(point);
                Some((distance - ring.minor, away, Feature::Face(FaceId(0))))
            }
            _ => {
                let pose = Pose::from_translation(point).ok()?;
                let found = self.tracker.update(&self.part.body, &self.probe, &pose)?;
                Some((found.signed_distance, found.normal, found.witnesses[0].feature))
            }
        }
    }

    fn ball(&mut self, ring: &Ring, angle: f64) -> Option<Ball> {
        let center = ring.point(angle);
        let (distance, normal, feature) = self.distance(center)?;
        Some(Ball { angle, center, gap: distance - ring.minor, normal, feature })
    }

    /// The balls that are local minima, and those of the samples.
    fn balls(&mut self, ring: &Ring) -> Option<(Vec<Ball>, Vec<Ball>)> {
        if let Form::HalfSpace(half) = &self.part.form {
            let lowest = ring.farthest(-half.plane().normal);
            let others = [0.5, 1.0, 1.5].map(|turn| self.ball(ring, lowest + turn * PI));
            return Some((vec![self.ball(ring, lowest)?], others.into_iter().flatten().collect()));
        }
        let angle = |k: usize| TAU * k as f64 / SAMPLES as f64;
        let samples: Vec<Ball> =
            (0..SAMPLES).map(|k| self.ball(ring, angle(k))).collect::<Option<Vec<Ball>>>()?;
        let level = EVENT_LEVEL * ring.major;
        let mut minima = Vec::new();
        for (k, ball) in samples.iter().enumerate() {
            let before = samples[(k + SAMPLES - 1) % SAMPLES].gap;
            let after = samples[(k + 1) % SAMPLES].gap;
            // Of equal neighbours the first counts; where all are level there is no minimum.
            if ball.gap + level < before && ball.gap <= after + level {
                minima.extend(self.lowest(ring, ball.angle));
            }
        }
        Some((minima, samples.into_iter().step_by(SPREAD).collect()))
    }

    /// The minimum next to a sample, by halving where the gap falls.
    fn lowest(&mut self, ring: &Ring, near: f64) -> Option<Ball> {
        let step = TAU / SAMPLES as f64;
        let (mut low, mut high) = (near - step, near + step);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            let ball = self.ball(ring, middle)?;
            let rise = ball.normal.dot(ring.tangent(middle));
            if rise > 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        self.ball(ring, f64::midpoint(low, high))
    }
}

/// The events of a part (A) and a ring (B); poses are those of the parts. In the world.
pub(crate) fn ring_events(
    parts: [&Part; 2],
    ring: &Ring,
    poses: [&Pose; 2],
    limits: &Limits,
    known: &[EventId],
    tracker: &mut ConvexTracker,
) -> PairEvents {
    let pose_ab = Pose::between(poses[0], poses[1]);
    let ring = ring.moved(&pose_ab);
    let Some((minima, spread)) = Target::new(parts[0], tracker).balls(&ring) else {
        return PairEvents::none();
    };
    let all = || minima.iter().chain(&spread);
    let Some(nearest) = all().min_by(|one, two| one.gap.total_cmp(&two.gap)) else {
        return PairEvents::none();
    };
    let between = nearest.normal.dot(ring.center - parts[0].center);
    let mut pair = PairEvents { gap: nearest.gap, rho: ratio(nearest.gap, between), events: Vec::new() };
    if !(nearest.gap <= limits.margin * EVENT_KEEP) {
        return pair;
    }
    let mut add = |kind: EventKind, index: usize, ball: &Ball| {
        let features = [ball.feature, Feature::Face(FaceId(0))];
        let id = EventId { index: index as u32, ..EventId::new(kind, features) };
        let point = ball.center - ball.normal * (ring.minor + ball.gap / 2.0);
        if ball.gap <= limits.margin * Limits::slack(known, &id) {
            pair.events.push(Event { id, point, normal: ball.normal, gap: ball.gap });
        }
    };
    for (index, ball) in minima.iter().enumerate() {
        add(EventKind::Witness, index, ball);
    }
    let apart = |one: f64, two: f64| ((one - two + PI).rem_euclid(TAU) - PI).abs() > APART;
    for (index, ball) in spread.iter().enumerate() {
        if minima.iter().all(|minimum| apart(minimum.angle, ball.angle)) {
            add(EventKind::Locus, index, ball);
        }
    }
    tidy(&mut pair.events, ring.minor.min(parts[0].radius));
    into_world(&mut pair, poses[0]);
    pair
}
