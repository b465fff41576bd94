//! Events of bodies that are not convex: the places that face a plane, and nearest points kept from step to step.
//!
//! Source: 001 and 004, tracked nearest points.
//! Differs: DIFFERS: where bodies overlap, which has no depth for bodies that are not convex, one is drawn back along the last
//! normal until they are apart; the gap is that of the points found there, back in place. Other pairs of points than the
//! nearest come from earlier steps while they stay near.
//! Ends because: each drawing doubles, and they are counted.
//! Cost: one tracked query, some millions of instructions where faces touch along lines and roll, and a pass over samples.
//! Not promised: all local minima between two curved bodies at once; they gather over the steps.

use super::convex::{into_world, ratio};
use super::kept::{KeptPairs, Near};
use super::lowest::lowest;
use super::part::{Form, Part};
use super::surface::Skin;
use super::{Event, EventId, EventKind, Limits, PairEvents, tidy};
use crate::tolerance::{EVENT_DRAW_REL, EVENT_KEEP, EVENT_LEAN_RAD};
use clearance_geometry::{DVec3, FaceId, Feature, Pose};
use clearance_proximity::{Ended, Precision, State, Tracker, Witness};

/// Most events over one plane.
const MOST_OVER: usize = 24;

/// How often bodies are drawn apart by twice as much.
const DRAWINGS: usize = 14;

/// What is kept of a pair with a body that is not convex.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkinMemory {
    tracker: Tracker,
    last: Option<Last>,
    kept: KeptPairs,
}

/// The nearest points of the last step.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// In the frame of A, in that of B.
    points: [DVec3; 2],
    /// In the frame of A.
    normal: DVec3,
    pose_ab: Pose,
}

impl Last {
    /// The gap of these points at a pose, less what turning may take of it: points that roll onto each other come nearer by the
    /// square of the turn.
    fn gap_at(&self, pose_ab: &Pose, size: f64) -> f64 {
        let [p, q] = [self.points[0], pose_ab.apply(self.points[1])];
        let turned = (pose_ab.rotation() - self.pose_ab.rotation()).to_cols_array();
        let square: f64 = turned.into_iter().map(|x| x * x).sum();
        self.normal.dot(q - p) - square * size
    }
}

impl SkinMemory {
    /// The nearest points of two parts, signed.
    fn nearest(&mut self, [a, b]: [&Part; 2], pose_ab: &Pose, size: f64) -> Option<Near> {
        let across = || (pose_ab.apply(b.center) - a.center).normalize_or(DVec3::Z);
        let along = self.last.map_or_else(across, |last| last.normal);
        // Asked of bodies that meet, a query tells how, which costs a thousand times as much, and is not wanted here: so they are drawn
        // apart where they are about to.
        let gap = self.last.map_or(f64::INFINITY, |last| last.gap_at(pose_ab, size));
        let least = EVENT_DRAW_REL * size;
        // Where several places are as near as this, any of them will do: each is found exactly. Over the planes of a polytope places are
        // looked for besides, with room for as much.
        let places = if matches!(a.form, Form::Polytope(_)) { 0.5 } else { 0.1 };
        let precision = Precision { max_error: Some(places * least), ..Precision::default() };
        // Poses follow each other all the same.
        let is_first = self.last.is_none();
        let mut draw = if gap > least && !is_first { 0.0 } else { least.max(-2.0 * gap) };
        for _ in 0..DRAWINGS {
            let drawn = pose_ab.with_translation(pose_ab.translation() + along * draw);
            let found = self.tracker.find(&a.body, &b.body, &drawn, &precision).ok()?.proximity;
            let signed = matches!(a.form, Form::HalfSpace(_)) && found.normal != DVec3::ZERO;
            // A search whose budget ended has points that may be far from the nearest, as where bodies cross.
            let apart = found.state == State::Separated && found.ended != Ended::Limit;
            if apart || signed {
                let normal = found.normal.normalize_or(along);
                let [on_a, on_b] = found.witnesses.map(|witness: Witness| witness.point);
                let points = [on_a, on_b - along * draw];
                let features = found.witnesses.map(|witness| witness.feature);
                let gap = normal.dot(points[1] - points[0]);
                let own = [points[0], pose_ab.apply_inverse(points[1])];
                self.last = Some(Last { points: own, normal, pose_ab: *pose_ab });
                let near = Near { gap, normal, points, features };
                // Drawn along a guess, they are looked at again along their normal.
                return if is_first {
                    self.nearest([a, b], pose_ab, size).or(Some(near))
                } else {
                    Some(near)
                };
            }
            draw = (2.0 * draw).max(least);
        }
        None
    }
}

/// The events of a part (A) and one that is not convex (B); poses are those of the parts. In the world.
pub(crate) fn skin_events(
    parts: [&Part; 2],
    skin: &Skin,
    poses: [&Pose; 2],
    limits: &Limits,
    known: &[EventId],
    memory: &mut SkinMemory,
) -> PairEvents {
    let [a, b] = parts;
    let pose_ab = Pose::between(poses[0], poses[1]);
    let size = a.radius.min(b.radius);
    let Some(near) = memory.nearest(parts, &pose_ab, size) else { return PairEvents::none() };
    let between = near.normal.dot(pose_ab.apply(b.center) - a.center);
    let mut pair = PairEvents { gap: near.gap, rho: ratio(near.gap, between), events: Vec::new() };
    if !(near.gap <= limits.margin * EVENT_KEEP) {
        memory.kept.clear();
        return pair;
    }
    let over = Over { skin, pose_ab: &pose_ab, limits, known, gap: near.gap - EVENT_DRAW_REL * size };
    match &a.form {
        Form::HalfSpace(half) => {
            let plane = half.plane();
            over.plane(plane.normal, plane.normal * plane.offset, FaceId(0), |_| true, &mut pair.events);
        }
        Form::Polytope(polytope) => {
            for (at, plane) in polytope.planes().iter().enumerate() {
                if plane.normal.dot(near.normal) >= EVENT_LEAN_RAD.cos() {
                    let face = FaceId(at as u32);
                    let sides = polytope.sides(face);
                    let on = plane.normal * plane.offset + polytope.anchor();
                    let within = |point: DVec3| {
                        let local = point - polytope.anchor();
                        sides.iter().all(|side| side.inward.dot(local) >= side.offset - limits.outside)
                    };
                    over.plane(plane.normal, on, face, within, &mut pair.events);
                }
            }
        }
        _ => pair.events = memory.kept.refresh(&near, true, &pose_ab, limits, size),
    }
    // Another place may be nearer, by less than the nearest points were asked for.
    pair.gap = pair.events.iter().map(|event| event.gap).fold(pair.gap, f64::min);
    let id = EventId::new(EventKind::Witness, near.features);
    if limits.lacks(&pair.events, near.gap, Limits::slack(known, &id)) {
        let point = (near.points[0] + near.points[1]) / 2.0;
        pair.events.push(Event { id, point, normal: near.normal, gap: near.gap });
    }
    tidy(&mut pair.events, size);
    into_world(&mut pair, poses[0]);
    pair
}

/// The places of a body over planes of another, in the frame of the other.
struct Over<'a> {
    skin: &'a Skin,
    pose_ab: &'a Pose,
    limits: &'a Limits,
    known: &'a [EventId],
    gap: f64,
}

impl Over<'_> {
    /// Adds the places near a plane through a point that are over its face, as far as they can bind.
    fn plane(
        &self,
        normal: DVec3,
        on: DVec3,
        face: FaceId,
        within: impl Fn(DVec3) -> bool,
        events: &mut Vec<Event>,
    ) {
        let down = -self.pose_ab.rotate_inverse(normal);
        let height = normal.dot(self.pose_ab.translation() - on);
        let least = height - self.limits.margin * EVENT_KEEP;
        let mut found = Vec::new();
        for spot in self.skin.facing(down, least) {
            let point = self.pose_ab.apply(spot.point);
            let gap = normal.dot(point - on);
            let features = [Feature::Face(face), spot.feature];
            let id = EventId { index: spot.index, ..EventId::new(EventKind::Locus, features) };
            if within(point) && self.limits.holds(gap, self.gap, Limits::slack(self.known, &id)) {
                found.push(Event { id, point: point - normal * (gap / 2.0), normal, gap });
            }
        }
        events.extend(lowest(found, self.limits.below, MOST_OVER));
    }
}
