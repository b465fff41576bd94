//! Events of convex bodies, one of them curved: the corners of what their supporting faces have in common, or their nearest
//! points.
//!
//! Source: 001 and 004, tracked nearest points; 002, section 3.3, for the faces around them.
//! Differs: DIFFERS: round faces contribute the line that faces the other body. The gap of the nearest points is the signed
//! distance, whose gradient is exact: its points move along the surfaces, which does not change it to first order.
//! Ends because: one query and one clipping.
//! Cost: a few microseconds while features stay.
//! Not promised: more than one event where round places meet; there is no more than one.

use super::clip::{common, seen_along};
use super::flat::Flat;
use super::part::Part;
use super::{Event, EventId, EventKind, Limits, PairEvents, tidy};
use crate::tolerance::EVENT_KEEP;
use clearance_geometry::Pose;
use clearance_proximity::convex::ConvexTracker;

/// The events of two convex parts, A a half-space, a polytope or curved, B curved; poses are those of the parts. In the world.
pub(crate) fn convex_events(
    parts: [&Part; 2],
    poses: [&Pose; 2],
    limits: &Limits,
    known: &[EventId],
    tracker: &mut ConvexTracker,
) -> PairEvents {
    let [a, b] = parts;
    let pose_ab = Pose::between(poses[0], poses[1]);
    let Some(found) = tracker.update(&a.body, &b.body, &pose_ab) else { return PairEvents::none() };
    let gap = found.signed_distance;
    let normal = found.normal.normalize_or_zero();
    let between = pose_ab.apply(b.center) - a.center;
    let mut pair = PairEvents { gap, rho: ratio(gap, normal.dot(between)), events: Vec::new() };
    if !(gap <= limits.margin * EVENT_KEEP) || normal == clearance_geometry::DVec3::ZERO {
        return pair;
    }
    let [near_a, near_b] = found.witnesses.map(|witness| (witness.feature, witness.point));
    let mut flat_a = Flat::of(a, &Pose::IDENTITY, normal, near_a);
    let mut flat_b = Flat::of(b, &pose_ab, -normal, near_b);
    let (seen, side) = seen_along(&flat_a, &flat_b, normal);
    // What of the other faces the plane: beyond the plane's outline the nearest points face another way, and of a round face
    // another line.
    match side {
        Some(0) => flat_b = Flat::of(b, &pose_ab, -seen, near_b),
        Some(_) => flat_a = Flat::of(a, &Pose::IDENTITY, seen, near_a),
        None => {}
    }
    let (mut seen, mut corners) = (seen, common(&flat_a, &flat_b, seen, limits.outside));
    // Over the edge of a polytope a round body may lie along it.
    if corners.is_empty()
        && let Some(edge) = Flat::of_edge(a, near_a.0)
    {
        (seen, flat_a, flat_b) = (normal, edge, Flat::of(b, &pose_ab, -normal, near_b));
        corners = common(&flat_a, &flat_b, seen, limits.outside);
    }
    let features = [flat_a.feature, flat_b.feature];
    for corner in corners {
        let id = EventId { index: corner.index, ..EventId::new(EventKind::Locus, features) };
        let [on_a, on_b] = corner.points;
        let own = seen.dot(on_b - on_a);
        if limits.holds(own, gap, Limits::slack(known, &id)) {
            pair.events.push(Event { id, point: (on_a + on_b) / 2.0, normal: seen, gap: own });
        }
    }
    let id = EventId::new(EventKind::Witness, [near_a.0, near_b.0]);
    if limits.lacks(&pair.events, gap, Limits::slack(known, &id)) {
        pair.events.push(Event { id, point: (near_a.1 + near_b.1) / 2.0, normal, gap });
    }
    tidy(&mut pair.events, a.radius.min(b.radius));
    into_world(&mut pair, poses[0]);
    pair
}

/// ρ of 002 that belongs to a gap, for centres that are `between` apart along the normal.
pub(crate) fn ratio(gap: f64, between: f64) -> f64 {
    if between > 0.0 { gap / between } else { f64::NEG_INFINITY }
}

/// Events from the frame of A, which stands at a pose, to the world.
pub(crate) fn into_world(pair: &mut PairEvents, pose: &Pose) {
    for event in &mut pair.events {
        event.point = pose.apply(event.point);
        event.normal = pose.rotate(event.normal);
    }
}
