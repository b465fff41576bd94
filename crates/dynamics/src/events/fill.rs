//! Corners of the common outline of two polytopes that no corner and no crossing stands for.
//!
//! Source: none; 002 assumes general position.
//! Differs: nothing to differ from. Seen along the contact's normal, what the bodies have in common there is a point, a segment or
//! a polygon, and its corners hold it. Each is a corner over a face or a crossing of edges; but where edges lie along each
//! other, or cross within rounding or ε_x of an end, none of these may hold along its own normal, and the bodies could turn into
//! each other there.
//! Ends because: loops over the features that are near.
//! Cost: a few products for each pair of edges near the contact.
//! Not promised: that what it adds is needed.

use super::solid::{Lean, Look, crossing_of};
use super::{Event, EventId, EventKind, Limits};
use crate::tolerance;
use clearance_geometry::{DVec3, Feature};

/// A share of the margin: places whose gap exceeds the pair's by more are left to the events of features that lean.
const LEVEL: f64 = 0.25;

impl Look<'_> {
    /// Adds the places where edges cross or end along each other, seen along the contact's normal, where no event stands for
    /// them.
    pub(super) fn fill(&self, facing: Vec<[Lean; 2]>, events: &mut Vec<Event>) {
        let far = 2.0 * self.limits.outside;
        let least = tolerance::EVENT_TURN_RAD.cos();
        let of = |[one, two]: [Lean; 2]| self.along(&one, &two, 0.0);
        let mut places: Vec<Event> = facing.into_iter().filter_map(of).flatten().flatten().collect();
        // The nearest stand for the others, whichever body is the first.
        places.sort_by(|one, two| one.gap.total_cmp(&two.gap));
        for place in places {
            let stands = |event: &Event| {
                event.point.distance(place.point) <= far
                    && event.normal.dot(self.normal) >= least
                    && event.gap <= place.gap + tolerance::EVENT_TURN_RAD * far
            };
            if !events.iter().any(stands) {
                events.push(place);
            }
        }
    }

    /// Where two edges have something in common, seen along the contact's normal, up to ε_x beyond their ends: their crossing, or
    /// the ends of what lies along each other; with some room, also where they nearly have.
    pub(super) fn along(&self, one: &Lean, two: &Lean, room: f64) -> Option<[Option<Event>; 2]> {
        let sine = one.vector.cross(two.vector).length() / (one.vector.length() * two.vector.length());
        let places = if sine >= tolerance::EVENT_CROSSING {
            let [s, t] = crossing_of(one, two, self.normal)?;
            let near = |share: f64, vector: DVec3| {
                let beyond = (self.limits.outside + room / sine) / vector.length();
                share >= -beyond && share <= 1.0 + beyond
            };
            if !(near(s, one.vector) && near(t, two.vector)) {
                return None;
            }
            let point = |edge: &Lean, share: f64| edge.start + edge.vector * share.clamp(0.0, 1.0);
            [Some([point(one, s), point(two, t)]), None]
        } else if self.lies_on(one, two, room) {
            // Its corners and its other sides say as much.
            return None;
        } else {
            shared(one, two, self.normal, self.limits.outside + room)?.map(Some)
        };
        let events = [0, 1].map(|at| self.between(one, two, places[at]?, at as u32 + 1, room));
        events.iter().any(Option::is_some).then_some(events)
    }

    /// Whether a face beside one of two edges faces the contact, with room for how it turns.
    fn lies_on(&self, one: &Lean, two: &Lean, room: f64) -> bool {
        let more = if room > 0.0 { tolerance::EVENT_ROOM_RAD } else { 0.0 };
        let least = (tolerance::EVENT_TURN_RAD - more).cos();
        one.face(self.normal).dot(self.normal) >= least || -two.face(-self.normal).dot(self.normal) >= least
    }

    /// The event of two points of edges, along the contact's normal.
    fn between(&self, one: &Lean, two: &Lean, [p, q]: [DVec3; 2], index: u32, room: f64) -> Option<Event> {
        let gap = self.normal.dot(q - p);
        let aside = (q - p).distance(self.normal * gap);
        let features = [Feature::Edge(one.id), Feature::Edge(two.id)];
        let id = EventId { index, ..EventId::new(EventKind::Growth, features) };
        let slack = if room > 0.0 { tolerance::EVENT_KEEP } else { Limits::slack(self.known, &id) };
        let holds = aside <= 2.0 * self.limits.outside * slack + room
            && self.limits.holds_within(gap, self.gap, slack, room)
            && gap <= self.gap + LEVEL * self.limits.margin * slack + room;
        holds.then(|| Event { id, point: (p + q) / 2.0, normal: self.normal, gap })
    }
}

/// The ends of what two edges that are all but parallel have in common, no more than `outside` beside each other seen along a
/// normal, on each of them.
fn shared(one: &Lean, two: &Lean, normal: DVec3, outside: f64) -> Option<[[DVec3; 2]; 2]> {
    let length = one.vector.length();
    let along = one.vector / length;
    let start = (two.start - one.start).dot(along);
    let reach = two.vector.dot(along);
    let ends = [start.min(start + reach).max(0.0), start.max(start + reach).min(length)];
    let at = |place: f64| {
        [one.start + along * place, two.start + two.vector * ((place - start) / reach).clamp(0.0, 1.0)]
    };
    // How far they lie beside each other changes evenly along them.
    let across = normal.cross(along);
    let [low, high] = ends.map(|place| {
        let [p, q] = at(place);
        across.dot(q - p)
    });
    let inner = |from: f64, to: f64| {
        let share = (from.abs() - outside) / (from - to).abs();
        if from.abs() <= outside { 0.0 } else { share }
    };
    let (first, last) = (inner(low, high), 1.0 - inner(high, low));
    let between = |share: f64| at(ends[0] + (ends[1] - ends[0]) * share);
    (ends[0] <= ends[1] + outside && first <= last).then(|| [between(first), between(last)])
}
