//! Events: corner-on-face and edge-on-edge contacts that may bind within the next step.
//!
//! Source: 002, chapter 3: events (definition 3.2), nearly active events (section 3.3), compatibility (algorithm 3.14).
//! Differs: DIFFERS from (4.12): the gap of an event is a length, (1 − 1/t)·(n·d) with a unit normal, which for t the
//! solution of the event's own equations is the distance of its two features along the normal; so that multipliers are
//! impulses. DIFFERS from algorithm 3.14: its second condition is printed with the wrong sign; ε_t acts on the event's own
//! gap as a length. DIFFERS from algorithm 3.15: features are taken within a lean of the normal of the contact of the grown
//! bodies, not from the multipliers, which miss features when the contact is not one point. DIFFERS from algorithm 3.14: whether
//! features stand over each other is asked of the bodies as they are, along the event's normal, not of the grown ones.
//! Ends because: loops over features.
//! Cost: linear in the vertices, edges and faces of both bodies, and the product of those that lean towards the contact.
//! Not promised: that every event is needed; redundant ones are the rule where faces meet.

mod clip;
mod convex;
mod flat;
mod half_space;
mod kept;
mod lowest;
mod outline;
mod outline_pair;
mod pair;
mod part;
mod planar;
mod ring;
mod round;
mod seam;
mod skin;
mod solid;
mod spread;
mod surface;
mod union;

pub use half_space::half_space_events;
pub use pair::events_between;
pub use planar::planar_events;
pub use solid::solid_events;

pub(crate) use outline::Outline;
pub(crate) use pair::PairMemory;
pub(crate) use part::Part;
pub(crate) use seam::{Placed, is_seam};

use crate::tolerance;
use clearance_geometry::{DVec3, Feature};

/// What meets what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventKind {
    /// A corner of one body on a face (in the plane: an edge) of the other.
    CornerFace,
    /// Two edges that cross.
    EdgeEdge,
    /// The contact of the grown bodies itself, where no event of the other kinds was found.
    Growth,
    /// A point of the line or the area along which two bodies may meet, one of them curved.
    Locus,
    /// The nearest points of two bodies, one of them curved, or the ends of their depth.
    Witness,
}

/// Which event of a pair it is; the same from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId {
    /// What meets what.
    pub kind: EventKind,
    /// The features of A and of B; of a planar body a face is an edge.
    pub features: [Feature; 2],
    /// The parts of A and of B that they belong to; 0 but for unions.
    pub parts: [u32; 2],
    /// Which of several events of these features it is; 0 where there is one.
    pub index: u32,
}

impl EventId {
    /// The only event of its kind between two features of bodies of one part.
    pub const fn new(kind: EventKind, features: [Feature; 2]) -> Self {
        Self { kind, features, parts: [0; 2], index: 0 }
    }

    /// The same event with the bodies exchanged.
    #[must_use]
    pub(crate) const fn swapped(self) -> Self {
        let ([a, b], [part_a, part_b]) = (self.features, self.parts);
        Self { features: [b, a], parts: [part_b, part_a], ..self }
    }
}

/// A contact that may bind within the next step, in the frame in which the poses are given.
///
/// The gap changes by `normal · (velocity of B − velocity of A)`, both taken at `point`: its gradient is the unit force
/// along the normal there, on B, and its opposite on A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Its name.
    pub id: EventId,
    /// Between its two features; the gradient acts here.
    pub point: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// The distance of its features along the normal; a length, negative when they overlap.
    pub gap: f64,
}

/// What the events of a pair are measured by; lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The largest gap of an event: ε_t of 002.
    pub margin: f64,
    /// How far outside a face's outline a corner may stand: ε_x of 002.
    pub outside: f64,
    /// How far below the pair's gap an event's own may lie: ε₀ of 002.
    pub below: f64,
}

impl Limits {
    /// Whether an event with this gap is wanted, at `slack` times the thresholds.
    fn holds(&self, gap: f64, pair_gap: f64, slack: f64) -> bool {
        gap <= self.margin * slack && gap >= pair_gap - self.below * slack
    }

    /// As [`Limits::holds`], with some room on both sides.
    fn holds_within(&self, gap: f64, pair_gap: f64, slack: f64, room: f64) -> bool {
        gap <= self.margin * slack + room && gap >= pair_gap - self.below * slack - room
    }

    /// Whether the pair is within the margin and none of the events has its gap.
    fn misses(&self, events: &[Event], pair_gap: f64) -> bool {
        self.lacks(events, pair_gap, 1.0)
    }

    /// As [`Limits::misses`], at `slack` times the margin.
    fn lacks(&self, events: &[Event], pair_gap: f64, slack: f64) -> bool {
        let near = pair_gap + self.below;
        pair_gap <= self.margin * slack && !events.iter().any(|event| event.gap <= near)
    }

    fn slack(known: &[EventId], id: &EventId) -> f64 {
        if known.binary_search(id).is_ok() { tolerance::EVENT_KEEP } else { 1.0 }
    }
}

/// Sorts events by name and drops those that say what one before them says.
fn tidy(events: &mut Vec<Event>, size: f64) {
    events.sort_unstable_by_key(|event| event.id);
    let near = tolerance::EVENT_SAME_REL * size;
    let mut kept = 0;
    for at in 0..events.len() {
        let event = events[at];
        let same = |other: &Event| {
            other.point.distance_squared(event.point) <= near * near
                && other.normal.distance_squared(event.normal) <= tolerance::EVENT_SAME_REL.powi(2)
        };
        if !events[..kept].iter().any(same) {
            events[kept] = event;
            kept += 1;
        }
    }
    events.truncate(kept);
}

/// The events of a pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairEvents {
    /// The gap of the pair by the ratio metric as a length: of the plane that separates the grown bodies.
    pub gap: f64,
    /// ρ of 002; minus infinity where the centres coincide.
    pub rho: f64,
    /// The events, sorted by name; at least one where the gap is within the margin.
    pub events: Vec<Event>,
}

impl PairEvents {
    /// No events: the pair is too far apart to have any.
    pub(crate) const fn none() -> Self {
        Self { gap: f64::INFINITY, rho: 1.0, events: Vec::new() }
    }

    /// The same events with the bodies exchanged.
    #[must_use]
    pub(crate) fn swapped(mut self) -> Self {
        for event in &mut self.events {
            event.normal = -event.normal;
            event.id = event.id.swapped();
        }
        self.events.sort_by_key(|event| event.id);
        self
    }
}

/// Known events with the bodies exchanged.
pub(crate) fn turned(known: &[EventId]) -> Vec<EventId> {
    let mut ids: Vec<EventId> = known.iter().map(|id| id.swapped()).collect();
    ids.sort_unstable();
    ids
}
