//! Pairs of parts that a direction keeps apart, watched while bodies move.
//!
//! Source: two parts are at least as far apart as their heights along any unit vector are.
//! Differs: the vector stays as one body sees it, so that the heights of that body's part stay too. The other part is taken for
//! the ball around it: its lowest point moves as the middle does, but for the turn of the vector as it sees it, times the
//! radius. So motion along the parts costs nothing, and one toward each other no more than the nearest points lose as well. The
//! clock of the motion, which charges both, tells when that has to be worked out again.
//! Ends because: one pass over the pairs.
//! Cost: one comparison for all pairs until the first of them is due; then one for a pair, and some forty operations more for
//! those whose clock ran out.
//! Not promised: the distance of the parts; that is looked at when this bound is not enough.

use super::front::{Held, Pairs};
use super::scene::Scene;
use crate::global::Demand;
use clearance_geometry::{Bound, DVec3, Pose};

/// How many times the pairs of a new front there may be, beside some, before it is made anew.
const GROWTH: usize = 4;

/// Pairs that there may be in any case.
const LEAST_PAIRS: usize = 64;

/// What is added to a reading of the clock for the rounding of keys.
const DUE_REL: f64 = 8.0 * f64::EPSILON;

/// A pair and what keeps it apart.
#[derive(Clone, Copy, Debug)]
struct Watch {
    held: Held,
    /// Which body sees the vector as it is.
    side: u8,
    /// Out of that body, in its frame.
    normal: DVec3,
    /// As the other body saw it.
    seen: DVec3,
    /// Ball around the other part, in the frame of its body.
    center: DVec3,
    radius: f64,
    /// How far they are apart, less the heights of that middle and of the other body's origin; a length.
    rest: f64,
    /// How far points could have moved by changes of shape before.
    shaped: f64,
}

impl Watch {
    /// A lower bound on the distance at new poses, rounding left aside. Where points may have moved by a change of shape,
    /// either part may be nearer by that, and the other one leave its ball by as much.
    #[inline]
    fn lower(&self, poses: &[Pose; 2], shaped: f64) -> f64 {
        let pose = &poses[usize::from(self.side)];
        let seen = pose.rotate_inverse(self.normal);
        let height = seen.dot(self.center) + self.normal.dot(pose.translation());
        let (turned, moved) = ((seen - self.seen).length(), shaped - self.shaped);
        self.rest + height - turned * (self.radius + moved) - moved
    }
}

/// All pairs that are watched.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pairs: Vec<Watch>,
    /// For each of them, the reading of the clock at which nothing is left of the bound that was worked out last.
    keys: Vec<f64>,
    /// None of the keys is less.
    first: f64,
    /// No pair of them is closer now.
    pub(super) least: f64,
    /// How many there were when the front was new.
    fresh: usize,
}

impl Watched {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            pairs: Vec::with_capacity(capacity),
            keys: Vec::with_capacity(capacity),
            first: f64::INFINITY,
            least: f64::INFINITY,
            fresh: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.keys.clear();
        (self.first, self.least, self.fresh) = (f64::INFINITY, f64::INFINITY, 0);
    }

    /// Keeps only some of them.
    pub(super) fn retain(&mut self, stays: &mut impl FnMut(&Held) -> bool) {
        let mut at = 0;
        while let Some(watch) = self.pairs.get(at) {
            if stays(&watch.held) {
                at += 1;
            } else {
                self.pairs.swap_remove(at);
                self.keys.swap_remove(at);
            }
        }
    }

    /// Takes note of how many a new front has.
    pub(super) fn note_new(&mut self) {
        self.fresh = self.pairs.len();
    }

    /// Whether there are so many more than at first that watching them costs more than making them anew.
    pub(super) fn is_worn(&self) -> bool {
        self.pairs.len() > GROWTH * self.fresh + LEAST_PAIRS
    }
}

impl Pairs {
    /// Lets all pairs that may have come too close wait for their turn in this frame.
    pub(super) fn watch(&mut self, scene: &Scene<'_>, demand: &Demand) {
        let enough = self.upper() - demand.max_error;
        let due = (enough + self.clock.motion()) * (1.0 + DUE_REL);
        // Written so that NaN is looked at.
        self.watched.least = if self.watched.first >= due {
            self.left_of(self.watched.first)
        } else {
            self.watch_all(scene, enough, due)
        };
    }

    /// What is left of the bound with a key.
    fn left_of(&self, key: f64) -> f64 {
        let left = Bound { lower: key, at_motion: 0.0 }.now(&self.clock);
        if key < f64::INFINITY { left } else { key }
    }

    /// Works the bounds of all pairs out again that are due; the least bound of all.
    fn watch_all(&mut self, scene: &Scene<'_>, enough: f64, due: f64) -> f64 {
        let shaped = scene.shaped();
        // The least key of those that are not due, the least new one, and the least bound.
        let (mut at, mut first, mut renewed, mut least) = (0, f64::INFINITY, f64::INFINITY, f64::INFINITY);
        while let Some(&key) = self.watched.keys.get(at) {
            if key >= due {
                first = if key < first { key } else { first };
            } else {
                // Once for this arithmetic, once for rotations that are so within rounding only.
                let lower = self.watched.pairs[at].lower(&scene.poses, shaped) - 2.0 * scene.round;
                if !(lower >= enough) {
                    self.watched.keys.swap_remove(at);
                    let Watch { mut held, side, normal, .. } = self.watched.pairs.swap_remove(at);
                    held.normal = if side == 0 { normal } else { -scene.poses[0].rotate(normal) };
                    // Parts that the direction no longer keeps apart are at least zero apart, but not along it.
                    held.along = lower >= 0.0;
                    self.push(held, lower.max(0.0));
                    continue;
                }
                let key = self.clock.bound(lower).expires_at();
                (renewed, least) = (renewed.min(key), least.min(lower));
                self.watched.keys[at] = key;
            }
            at += 1;
        }
        self.watched.first = first.min(renewed);
        least.min(self.left_of(first))
    }

    /// Lets a pair wait until its bound is not enough.
    pub(super) fn wait(&mut self, scene: &mut Scene<'_>, held: Held, lower: f64) {
        if !held.along || self.watched.pairs.len() == self.watched.pairs.capacity() {
            return self.hold(held, lower);
        }
        scene.renew(held.parts);
        let balls = [0, 1].map(|i: usize| scene.sides[i].ball(held.parts[i]));
        let side = usize::from(balls[0].1 < balls[1].1);
        let normal = if side == 0 { held.normal } else { -scene.poses[0].rotate_inverse(held.normal) };
        let (center, radius) = balls[1 - side];
        let pose = &scene.poses[side];
        let seen = pose.rotate_inverse(normal);
        // Rounded at this pose; what is rounded at later ones is taken off then.
        let rest = lower - 2.0 * scene.round - seen.dot(center) - normal.dot(pose.translation());
        let held = Held { sloped: false, fresh: false, ..held };
        let shaped = scene.shaped();
        self.watched.least = self.watched.least.min(lower);
        let key = self.clock.bound(lower).expires_at();
        self.watched.first = if key < self.watched.first { key } else { self.watched.first };
        self.watched.keys.push(key);
        self.watched.pairs.push(Watch { held, side: side as u8, normal, seen, center, radius, rest, shaped });
    }
}
