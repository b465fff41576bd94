//! Events of two planar bodies, one of them at least bounded by curves.
//!
//! Source: 001 §III and §V.B for the bodies and their nearest points; 002, section 3.3, for the features around them.
//! Differs: DIFFERS: corners, ends of straight sides and the lowest points of curved ones over the straight sides of the other
//! body, and corners over its curved sides, are all looked at; only where none of these has the gap of the pair do its nearest
//! points count. Where bodies overlap or nearly touch, one is drawn back until they are apart, along the way of the depth where
//! both are convex, else along the last normal; the gap is that of the points found there, back in place, whose normal
//! is exact.
//! Ends because: each drawing doubles, and they are counted.
//! Cost: one to three searches, some tens of microseconds each, and a pass over the samples for each straight side and corner.
//! Not promised: all places where curved sides that are not convex meet at once; they gather over the steps.

use super::convex::{into_world, ratio};
use super::kept::{KeptPairs, Near};
use super::outline::{Corner, FlatSide, Outline, Toward};
use super::{Event, EventId, EventKind, Limits, PairEvents, tidy};
use crate::tolerance::{EVENT_DRAW_REL, EVENT_KEEP, EVENT_LEAN_RAD, EVENT_SLIDE_REL};
use clearance_geometry::{DVec2, Feature, PlanarPose, Pose};
use clearance_proximity::global::SearchMemory;
use clearance_proximity::planar::{PlanarNearest, nearest_with};
use clearance_proximity::{Ended, State};

/// How often bodies are drawn apart by twice as much.
const DRAWINGS: usize = 14;

/// What is kept of a pair from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutlineMemory {
    search: SearchMemory,
    /// The normal of the last step in the frame of A, and its gap.
    last: Option<(DVec2, f64)>,
    kept: KeptPairs,
}

/// The events of two planar bodies, in the world; `poses` in the plane and in space are the same.
pub(crate) fn outline_events(
    bodies: [&Outline; 2],
    poses: [&PlanarPose; 2],
    space: [&Pose; 2],
    limits: &Limits,
    known: &[EventId],
    memory: &mut OutlineMemory,
) -> PairEvents {
    let [a, b] = bodies;
    let pose_ab = PlanarPose::between(poses[0], poses[1]);
    let size = a.radius.min(b.radius);
    let Some(near) = memory.nearest(bodies, &pose_ab, limits, size) else { return PairEvents::none() };
    let normal = near.normal.truncate();
    let between = normal.dot(pose_ab.apply(b.center) - a.center);
    let mut pair = PairEvents { gap: near.gap, rho: ratio(near.gap, between), events: Vec::new() };
    if !(near.gap <= limits.margin * EVENT_KEEP) {
        memory.kept.clear();
        return pair;
    }
    let convex = a.convex && b.convex;
    // Bodies that are not convex may be deeper in each other elsewhere.
    let least = if convex { near.gap } else { near.gap.min(0.0) - EVENT_SLIDE_REL * size };
    let look = Look { limits, known, least, lean: convex.then_some(normal) };
    let back = pose_ab.inverse();
    look.over([a, b], &pose_ab, false, &mut pair.events);
    let first = pair.events.len();
    let turned = Look { lean: look.lean.map(|normal| -pose_ab.rotate_inverse(normal)), ..look };
    turned.over([b, a], &back, true, &mut pair.events);
    for event in &mut pair.events[first..] {
        event.point = pose_ab.apply(event.point.truncate()).extend(0.0);
        event.normal = -pose_ab.rotate(event.normal.truncate()).extend(0.0);
    }
    let id = EventId::new(EventKind::Witness, near.features);
    let lacks = limits.lacks(&pair.events, near.gap, Limits::slack(known, &id));
    if !convex {
        let pose_ab = Pose::between(space[0], space[1]);
        pair.events.extend(memory.kept.refresh(&near, lacks, &pose_ab, limits, size));
    } else if lacks {
        let point = (near.points[0] + near.points[1]) / 2.0;
        pair.events.push(Event { id, point, normal: near.normal, gap: near.gap });
    }
    tidy(&mut pair.events, size);
    into_world(&mut pair, space[0]);
    pair
}

impl OutlineMemory {
    /// The nearest points of two bodies, signed; none where no way apart is found.
    fn nearest(
        &mut self,
        [a, b]: [&Outline; 2],
        pose_ab: &PlanarPose,
        limits: &Limits,
        size: f64,
    ) -> Option<Near> {
        let least = EVENT_DRAW_REL * size;
        let found = self.search([a, b], pose_ab)?;
        if is_apart(&found) && found.distance > least {
            let far = found.distance > limits.margin * EVENT_KEEP;
            let near = signed(&found, DVec2::ZERO)?;
            self.last = Some((near.normal.truncate(), near.gap));
            // What is too far for events is known to be so by the lower bound.
            return Some(if far { Near { gap: found.lower.max(0.0).min(near.gap), ..near } } else { near });
        }
        let across = (pose_ab.apply(b.center) - a.center).normalize_or(DVec2::Y);
        let depth = found.signed_distance.filter(|_| a.convex && b.convex);
        let (mut along, gap) = match (depth, found.normal.and_then(DVec2::try_normalize)) {
            (Some(depth), Some(normal)) => (normal, depth),
            _ => self.last.unwrap_or((across, 0.0)),
        };
        let mut draw = least + if depth.is_some() { -gap.min(0.0) } else { (-2.0 * gap).max(0.0) };
        for _ in 0..DRAWINGS {
            if let Some(near) = self.drawn([a, b], pose_ab, along * draw) {
                along = near.normal.truncate();
                // Along its own normal the points of the drawn bodies are those of the bodies as they are.
                let again = self.drawn([a, b], pose_ab, along * (least - near.gap.min(0.0)));
                let near = again.unwrap_or(near);
                self.last = Some((near.normal.truncate(), near.gap));
                return Some(near);
            }
            draw *= 2.0;
        }
        None
    }

    /// The nearest points with B drawn away, back in place; none where the bodies still meet.
    fn drawn(&mut self, bodies: [&Outline; 2], pose_ab: &PlanarPose, way: DVec2) -> Option<Near> {
        let found = self.search(bodies, &pose_ab.with_translation(pose_ab.translation() + way))?;
        is_apart(&found).then(|| signed(&found, way)).flatten()
    }

    fn search(&mut self, [a, b]: [&Outline; 2], pose_ab: &PlanarPose) -> Option<PlanarNearest> {
        nearest_with(&a.prepared, &b.prepared, pose_ab, None, &mut self.search).ok()
    }
}

/// Whether nearest points are those of bodies apart: a search whose budget ended may have others.
fn is_apart(found: &PlanarNearest) -> bool {
    found.state == State::Separated && found.ended != Ended::Limit
}

/// Nearest points of bodies apart, B taken back by the way that it was drawn.
fn signed(found: &PlanarNearest, way: DVec2) -> Option<Near> {
    let normal = found.normal?.try_normalize()?;
    let points = [found.witnesses[0].point, found.witnesses[1].point - way];
    Some(Near {
        gap: normal.dot(points[1] - points[0]),
        normal: normal.extend(0.0),
        points: points.map(|point| point.extend(0.0)),
        features: found.witnesses.map(|witness| witness.feature),
    })
}

/// One look at a pair, in the frame of the body under the other.
#[derive(Clone, Copy)]
struct Look<'a> {
    limits: &'a Limits,
    known: &'a [EventId],
    /// The least gap of an event.
    least: f64,
    /// The normal of two convex bodies, which events may lean from by little; none where one is not convex.
    lean: Option<DVec2>,
}

impl Look<'_> {
    /// Adds what of the body on top, at a pose, is over the straight sides of the one under it, and its corners over curved sides.
    fn over(&self, [under, on]: [&Outline; 2], pose: &PlanarPose, swapped: bool, events: &mut Vec<Event>) {
        for flat in under.flats.iter().filter(|flat| self.leans(flat.normal)) {
            let side = Feature::Edge(flat.edge);
            for corner in &on.corners {
                if self.faces(corner, pose, flat.normal) {
                    let ids = (EventKind::CornerFace, side, Feature::Vertex(corner.vertex), 0);
                    events.extend(self.at(flat, pose.apply(corner.point), ids, swapped));
                }
            }
            for place in on.facing(Toward::Direction(-pose.rotate_inverse(flat.normal))) {
                let ids = (EventKind::Locus, side, place.feature, place.index);
                events.extend(self.at(flat, pose.apply(place.point), ids, swapped));
            }
        }
        for corner in &on.corners {
            let point = pose.apply(corner.point);
            for foot in under.facing(Toward::Point(point)) {
                if self.leans(foot.normal) && self.faces(corner, pose, foot.normal) {
                    let gap = foot.normal.dot(point - foot.point);
                    let ids = (EventKind::Locus, foot.feature, Feature::Vertex(corner.vertex), foot.index);
                    events.extend(self.event(gap, point, foot.normal, ids, swapped));
                }
            }
        }
    }

    /// Whether a normal is near that of two convex bodies.
    fn leans(&self, normal: DVec2) -> bool {
        self.lean.is_none_or(|lean| normal.dot(lean) >= EVENT_LEAN_RAD.cos())
    }

    /// Whether a corner points against a normal, but for the lean; of convex bodies the nearest one decides.
    fn faces(&self, corner: &Corner, pose: &PlanarPose, normal: DVec2) -> bool {
        let [before, after] = corner.normals;
        let down = -pose.rotate_inverse(normal);
        let slack = -EVENT_LEAN_RAD.sin();
        self.lean.is_some()
            || (before.perp_dot(down) >= slack
                && down.perp_dot(after) >= slack
                && down.dot(before + after) > 0.0)
    }

    /// The event of a point over a straight side, where it is one.
    fn at(
        &self,
        flat: &FlatSide,
        point: DVec2,
        ids: (EventKind, Feature, Feature, u32),
        swapped: bool,
    ) -> Option<Event> {
        let place = flat.along.dot(point - flat.start);
        let beyond = (-place).max(place - flat.length);
        let gap = flat.normal.dot(point - flat.start);
        let event = self.event(gap, point, flat.normal, ids, swapped)?;
        let slack = Limits::slack(self.known, &event.id);
        (beyond <= self.limits.outside * slack).then_some(event)
    }

    /// An event of a feature under another, with a gap along a normal, where it is near enough.
    fn event(
        &self,
        gap: f64,
        point: DVec2,
        normal: DVec2,
        (kind, under, on, index): (EventKind, Feature, Feature, u32),
        swapped: bool,
    ) -> Option<Event> {
        let features = if swapped { [on, under] } else { [under, on] };
        let id = EventId { index, ..EventId::new(kind, features) };
        let slack = Limits::slack(self.known, &id);
        let point = (point - normal * (gap / 2.0)).extend(0.0);
        self.limits.holds(gap, self.least, slack).then(|| Event {
            id,
            point,
            normal: normal.extend(0.0),
            gap,
        })
    }
}
