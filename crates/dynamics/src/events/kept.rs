//! Nearest points of bodies that are not convex, kept from earlier steps while they stay near.
//!
//! Source: 001 and 004, tracked nearest points.
//! Differs: nothing to differ from.
//! Ends because: loops over what is kept, which is bounded.
//! Cost: a product for each pair that is kept.
//! Not promised: all local minima between two curved bodies at once; they gather over the steps.

use super::spread::spread;
use super::{Event, EventId, EventKind, Limits};
use crate::tolerance::{EVENT_KEEP, EVENT_SLIDE_REL};
use clearance_geometry::{DVec3, Feature, Pose};

/// Most events of one pair of parts that are kept from earlier steps.
const MOST: usize = 8;

/// Nearest points, or those of drawn bodies back in place; in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) gap: f64,
    pub(super) normal: DVec3,
    pub(super) points: [DVec3; 2],
    pub(super) features: [Feature; 2],
}

/// What is kept of a pair.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptPairs {
    pairs: Vec<Kept>,
    count: u32,
}

/// Two points that were nearest in some step.
#[derive(Clone, Copy, Debug)]
struct Kept {
    id: EventId,
    /// In the frame of A, in that of B.
    points: [DVec3; 2],
    /// In the frame of A.
    normal: DVec3,
}

impl Kept {
    /// Its event at the present pose, and how far its points have slid.
    fn event(&self, pose_ab: &Pose) -> (Event, f64) {
        let (p, q) = (self.points[0], pose_ab.apply(self.points[1]));
        let gap = self.normal.dot(q - p);
        let event = Event { id: self.id, point: (p + q) / 2.0, normal: self.normal, gap };
        (event, (q - p - self.normal * gap).length())
    }
}

impl KeptPairs {
    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Those that still hold at the present pose; with `add`, the nearest points among them.
    pub(super) fn refresh(
        &mut self,
        near: &Near,
        add: bool,
        pose_ab: &Pose,
        limits: &Limits,
        size: f64,
    ) -> Vec<Event> {
        let slide = EVENT_SLIDE_REL * size;
        let middle = (near.points[0] + near.points[1]) / 2.0;
        self.pairs.retain(|kept| {
            let (event, slid) = kept.event(pose_ab);
            let holds = event.gap <= limits.margin * EVENT_KEEP && event.gap >= near.gap - limits.below;
            holds && slid <= slide && event.point.distance(middle) > slide
        });
        if add {
            self.count = (self.count + 1) % (1 << 30);
            let id = EventId { index: self.count, ..EventId::new(EventKind::Witness, near.features) };
            let local = [near.points[0], pose_ab.apply_inverse(near.points[1])];
            self.pairs.push(Kept { id, points: local, normal: near.normal });
        }
        let events = spread(self.pairs.iter().map(|kept| kept.event(pose_ab).0).collect(), MOST);
        self.pairs.retain(|kept| events.iter().any(|event| event.id == kept.id));
        events
    }
}
