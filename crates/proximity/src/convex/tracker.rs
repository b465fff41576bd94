//! Convex bodies that move a little between queries.
//!
//! Source: 004's tracking of the closest features, 001's Newton step on them.
//! Differs: the last features, states and normal start Newton's method; the separation along the new normal proves
//! that the features are still the closest, or a search from scratch begins.
//! Ends because: one run of Newton's method, then at most one search.
//! Cost: two or three evaluations of each feature and one farthest point of each body while the features stay.
//! Not promised: the depth of overlapping cores by tracking; it is searched for every time.

use super::depth::Memory;
use super::newton::{Contact, Pair};
use super::query::{apart, between, distance};
use super::solid::Solid;
use crate::tolerance;
use crate::{Proximity, Work};
use clearance_geometry::{Body, Pose};

/// What is kept between updates of one pair of convex bodies, at least one of them curved.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::convex::ConvexTracker;
/// let can = Body::from(TiledBody::cylinder(1.0, 4.0)?);
/// let mut tracker = ConvexTracker::new();
/// for step in 0..10 {
///     let pose_ab = Pose::from_translation(DVec3::new(3.0 + 0.1 * f64::from(step), 0.0, 1.0))?;
///     let answer = tracker.update(&can, &can, &pose_ab).unwrap();
///     assert!((answer.distance - 1.0 - 0.1 * f64::from(step)).abs() < 1e-14);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConvexTracker {
    last: Option<Contact>,
    memory: Memory,
}

impl ConvexTracker {
    /// A tracker that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets what was tracked, keeping the memory.
    pub fn reset(&mut self) {
        self.last = None;
    }

    /// The answer for B at `pose_ab` in the frame of A; `None` as for [`distance`].
    pub fn update(&mut self, a: &Body, b: &Body, pose_ab: &Pose) -> Option<Proximity> {
        if matches!(a, Body::HalfSpace(_)) || matches!(b, Body::HalfSpace(_)) {
            return distance(a, b, pose_ab);
        }
        let pair = Pair::new(Solid::of(a)?, Solid::of(b)?, pose_ab);
        if let Some(contact) = self.last.and_then(|last| pair.tracked(&last)) {
            self.last = Some(contact);
            let work = Work { iterations: 1, supports: 1, ..Work::default() };
            return Some(apart(&pair, &contact, false, &mut self.memory, work));
        }
        let (answer, contact) = between(&pair, &mut self.memory);
        self.last = contact;
        Some(answer)
    }
}

impl Pair<'_> {
    /// The contact of the same features, if they are still the closest ones.
    fn tracked(&self, last: &Contact) -> Option<Contact> {
        // Another body may have come.
        if !self.a.has(last.features[0]) || !self.b.has(last.features[1]) {
            return None;
        }
        let contact = self.polish(last.features, last.at, last.normal)?;
        let apart = contact.signed > -tolerance::CURVED_GAP_REL * self.scale;
        (apart && self.is_within(&contact) && self.proves(&contact)).then_some(contact)
    }
}
