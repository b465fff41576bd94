//! Events of two bodies part by part.

use super::convex::convex_events;
use super::half_space::half_space_events;
use super::part::{Form, Part};
use super::ring::ring_events;
use super::seam::{Placed, is_ghost};
use super::skin::{SkinMemory, skin_events};
use super::solid::solid_events;
use super::{EventId, Limits, PairEvents, turned};
use crate::tolerance::EVENT_KEEP;
use clearance_geometry::Pose;
use clearance_proximity::convex::ConvexTracker;
use clearance_proximity::ratio;
use std::collections::BTreeMap;

/// What is kept of each pair of parts from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartMemories {
    pairs: BTreeMap<[usize; 2], PartMemory>,
}

#[derive(Clone, Debug, Default)]
struct PartMemory {
    solid: ratio::Tracker,
    convex: ConvexTracker,
    skin: Option<Box<SkinMemory>>,
}

/// The events of two bodies given by their parts, in the world; poses are those of the bodies.
pub(crate) fn part_events(
    bodies: [&[Part]; 2],
    poses: [&Pose; 2],
    limits: &Limits,
    known: &[EventId],
    memories: &mut PartMemories,
) -> PairEvents {
    let placed = [Placed::all(bodies[0], poses[0]), Placed::all(bodies[1], poses[1])];
    let mut all = PairEvents::none();
    for (i, a) in bodies[0].iter().enumerate() {
        let pose_a = *poses[0] * a.pose;
        for (j, b) in bodies[1].iter().enumerate() {
            let pose_b = *poses[1] * b.pose;
            let least = apart([a, b], [&pose_a, &pose_b]);
            if least > limits.margin * EVENT_KEEP {
                memories.pairs.remove(&[i, j]);
                all.gap = all.gap.min(least);
                continue;
            }
            let parts = [i as u32, j as u32];
            let own: Vec<EventId> = known
                .iter()
                .filter(|id| id.parts == parts)
                .map(|id| EventId { parts: [0; 2], ..*id })
                .collect();
            let memory = memories.pairs.entry([i, j]).or_default();
            let mut found = two_parts([a, b], [&pose_a, &pose_b], limits, &own, memory);
            let centers = [pose_b.apply(b.center), pose_a.apply(a.center)];
            for (side, own, sign) in [(0, i, 1.0), (1, j, -1.0)] {
                if bodies[side].len() > 1 {
                    found.events.retain(|event| {
                        let outward = event.normal * sign;
                        let point = event.point - outward * (event.gap / 2.0);
                        !is_ghost(&placed[side], own, point, outward, centers[side], limits)
                    });
                }
            }
            for mut event in found.events {
                event.id.parts = parts;
                all.events.push(event);
            }
            all.gap = all.gap.min(found.gap);
            all.rho = all.rho.min(found.rho);
        }
    }
    all.events.sort_by_key(|event| event.id);
    all
}

/// A lower bound of the distance of two parts.
fn apart([a, b]: [&Part; 2], [pose_a, pose_b]: [&Pose; 2]) -> f64 {
    match (&a.form, &b.form) {
        (Form::HalfSpace(half), _) => {
            half.plane().distance(pose_a.apply_inverse(pose_b.apply(b.center))) - b.radius
        }
        (_, Form::HalfSpace(_)) => apart([b, a], [pose_b, pose_a]),
        _ => pose_a.apply(a.center).distance(pose_b.apply(b.center)) - a.radius - b.radius,
    }
}

/// The events of two parts at their poses.
fn two_parts(
    parts: [&Part; 2],
    poses: [&Pose; 2],
    limits: &Limits,
    known: &[EventId],
    memory: &mut PartMemory,
) -> PairEvents {
    let [a, b] = parts;
    if a.form.rank() > b.form.rank() {
        return two_parts([b, a], [poses[1], poses[0]], limits, &turned(known), memory).swapped();
    }
    match (&a.form, &b.form) {
        (Form::HalfSpace(_), Form::HalfSpace(_)) => PairEvents::none(),
        (Form::HalfSpace(p), Form::Polytope(q)) => half_space_events(p, q, poses[0], poses[1], limits, known),
        (Form::Polytope(p), Form::Polytope(q)) => {
            // Parts without an inside have been refused.
            solid_events(p, q, poses[0], poses[1], limits, known, &mut memory.solid)
                .unwrap_or_else(|_| PairEvents::none())
        }
        (_, Form::Skin(skin)) => {
            let memory = memory.skin.get_or_insert_with(Box::default);
            skin_events(parts, skin, poses, limits, known, memory)
        }
        (_, Form::Ring(ring)) => ring_events(parts, ring, poses, limits, known, &mut memory.convex),
        _ => convex_events(parts, poses, limits, known, &mut memory.convex),
    }
}
