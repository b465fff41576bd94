//! Convex bodies that move a little between queries.
//!
//! Source: 004's tracking of the closest features, 001's Newton step on them.
//! Differs: the last features, states and normal, carried on as they came, start Newton's method, on the normal where features have
//! formulas for it (see `facing`), on their points elsewhere; the separation along the new normal proves that the features are still
//! the closest, or a search from scratch begins.
//! Ends because: one run of Newton's method, then at most one search.
//! Cost: two or three evaluations of each feature and one farthest point of each body while the features stay.
//! Not promised: the depth of overlapping cores by tracking; it is searched for every time.

use super::depth::Memory;
use super::newton::{Contact, Pair};
use super::query::{apart_by, between, distance, separation_at};
use super::solid::Solid;
use crate::tolerance;
use crate::{Proximity, Work};
use clearance_geometry::{Body, DVec3, Feature, Pose};

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
    /// That of the contact before the last one, where it was of the same features.
    before: Option<Place>,
    memory: Memory,
}

/// Where on its features a contact was.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [DVec3; 2],
    normal: DVec3,
}

impl ConvexTracker {
    /// A tracker that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets what was tracked, keeping the memory.
    pub fn reset(&mut self) {
        (self.last, self.before) = (None, None);
    }

    /// Replaces what was tracked by a guess, right or wrong: features of both cores, and a point near each in its own frame. It
    /// changes the cost of the next update, not its answer; features that the cores do not have are left aside.
    pub fn hint(&mut self, a: &Body, b: &Body, features: [Feature; 2], points: [DVec3; 2]) {
        let (Some(one), Some(other)) = (Solid::of(a), Solid::of(b)) else { return };
        if !one.has(features[0]) || !other.has(features[1]) || points.iter().any(|point| !point.is_finite()) {
            return;
        }
        let normal = DVec3::Z;
        let at = [
            one.near(features[0], points[0] - one.anchor(), normal),
            other.near(features[1], points[1] - other.anchor(), -normal),
        ];
        self.last = Some(Contact { features, at, points, normal, signed: 0.0 });
        self.before = None;
    }

    /// The answer for B at `pose_ab` in the frame of A; `None` as for [`distance`].
    pub fn update(&mut self, a: &Body, b: &Body, pose_ab: &Pose) -> Option<Proximity> {
        if matches!(a, Body::HalfSpace(_)) || matches!(b, Body::HalfSpace(_)) {
            return distance(a, b, pose_ab);
        }
        let pair = Pair::of(a, b, pose_ab)?;
        Some(match self.follow(&pair) {
            Some((contact, lower, memory)) => contact.answer(&pair, lower, memory),
            None => self.search(&pair),
        })
    }

    /// The contact of the last features with the separation that proves it, if they are still the closest ones; what an answer
    /// may take beside it.
    #[inline(always)]
    pub(crate) fn follow(&mut self, pair: &Pair<'_>) -> Option<(&Contact, f64, &mut Memory)> {
        let last = self.last.as_mut()?;
        let before = self.before.replace(Place { at: last.at, normal: last.normal });
        let lower = pair.follow(before.as_ref(), last)?;
        Some((last, lower, &mut self.memory))
    }

    /// The answer from scratch.
    #[inline(never)]
    pub(crate) fn search(&mut self, pair: &Pair<'_>) -> Proximity {
        let (answer, contact) = between(pair, &mut self.memory);
        (self.last, self.before) = (contact, None);
        answer
    }
}

impl Contact {
    /// The answer for a contact that was followed.
    #[inline(always)]
    pub(crate) fn answer(&self, pair: &Pair<'_>, lower: f64, memory: &mut Memory) -> Proximity {
        let work = Work { iterations: 1, supports: 1, ..Work::default() };
        apart_by(pair, self, lower, false, memory, work)
    }
}

impl Pair<'_> {
    /// Replaces the last contact by that of the same features if they are still the closest ones; the separation that proves it.
    #[inline]
    fn follow(&self, before: Option<&Place>, last: &mut Contact) -> Option<f64> {
        // Another body may have come.
        if !self.a.has(last.features[0]) || !self.b.has(last.features[1]) {
            return None;
        }
        if last.signed > self.apart() {
            let normal = before.map_or(last.normal, |before| 2.0 * last.normal - before.normal);
            let found = self.face(last.features, normal).or_else(|| self.slide_on(before, last));
            if let Some(contact) = found {
                if !self.is_within(&contact) {
                    return None;
                }
                let lower = separation_at(self, &contact);
                if self.is_close(&contact, lower) {
                    *last = contact;
                    return Some(lower);
                }
            }
        }
        let (contact, lower) = self.follow_signed(before, last)?;
        *last = contact;
        Some(lower)
    }

    /// Where the last states would go if they went on as they came.
    #[inline]
    fn ahead(&self, before: &Place, last: &Contact) -> [DVec3; 2] {
        [
            self.a.ahead(last.features[0], before.at[0], last.at[0]),
            self.b.ahead(last.features[1], before.at[1], last.at[1]),
        ]
    }

    /// By points on both features, where their normals have no formula.
    #[inline(never)]
    fn slide_on(&self, before: Option<&Place>, last: &Contact) -> Option<Contact> {
        self.slide(last.features, before.map_or(last.at, |before| self.ahead(before, last)))
    }

    /// The same by the signed system, which does not mind contact.
    #[cold]
    #[inline(never)]
    fn follow_signed(&self, before: Option<&Place>, last: &Contact) -> Option<(Contact, f64)> {
        let ahead = before.and_then(|before| {
            let normal = (2.0 * last.normal - before.normal).normalize_or(last.normal);
            self.tracked(last.features, &Place { at: self.ahead(before, last), normal })
        });
        ahead.or_else(|| self.tracked(last.features, &Place { at: last.at, normal: last.normal }))
    }

    fn tracked(&self, features: [Feature; 2], from: &Place) -> Option<(Contact, f64)> {
        let contact = self.polish(features, from.at, from.normal, true)?;
        let apart = contact.signed > -tolerance::CURVED_GAP_REL * self.scale;
        if !(apart && self.is_within(&contact)) {
            return None;
        }
        let lower = separation_at(self, &contact);
        // The bound of a spline's height is rougher than its farthest point.
        (self.is_close(&contact, lower) || self.proves(&contact)).then_some((contact, lower))
    }

    /// Whether the separation is the distance: more than that would mean points off their bodies.
    #[inline]
    fn is_close(&self, contact: &Contact, lower: f64) -> bool {
        (contact.signed - self.rounding() - lower).abs() <= tolerance::CURVED_GAP_REL * self.scale
    }
}
