//! Pairs of parts that a direction keeps apart, watched while bodies move.
//!
//! Source: two parts are at least as far apart as their heights along any unit vector are.
//! Differs: the vector stays as one body sees it, so that the heights of that body's part stay too. The other part is taken for
//! the ball around it: its lowest point moves as the middle does, but for the turn of the vector as it sees it, times the
//! radius. So motion along the parts costs nothing, and one toward each other no more than the nearest points lose as well.
//! What the middle does is in turn bounded by how the middle of its whole body moves along the vector, which is a product of
//! two vectors, and by how much that body has turned.
//! Ends because: one pass over the pairs.
//! Cost: one comparison for all pairs until the clock of the motion says that the first of them may be due; then some ten
//! operations for a pair, and some forty more for those of which these are not enough.
//! Not promised: the distance of the parts; that is looked at when this bound is not enough.

use super::front::{Held, Pairs};
use super::scene::Scene;
use crate::global::Demand;
use clearance_geometry::{Bound, Clock, DVec3, Pose};

/// How many times the pairs of a new front there may be, beside some, before it is made anew.
const GROWTH: usize = 4;

/// Pairs that there may be in any case.
const LEAST_PAIRS: usize = 64;

/// What is added to a reading of the clock for the rounding of keys.
const DUE_REL: f64 = 8.0 * f64::EPSILON;

/// What is added to how far points are from the middle of their body for the rounding of that and of what is read of it.
const LINE_REL: f64 = 8.0 * f64::EPSILON;

/// What a change of shape takes off a bound, over how far it moves points: both parts may be nearer by that, and twice that
/// where the direction has been reversed meanwhile.
const SHAPE_CHARGE: f64 = 4.0;

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

/// A lower bound of a pair that is linear in what both bodies do.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The direction, in the frame of the body that sees it as it is.
    along: DVec3,
    /// How far points of the other part are from the middle of their body at most.
    reach: f64,
    /// What is left where the other body's middle is at the origin, nothing has turned and no shape has changed.
    rest: f64,
    side: usize,
}

/// Where both bodies are, as far as lines ask for it.
struct Places {
    /// The middle of the other body, seen from each.
    middles: [DVec3; 2],
    turned: f64,
    shaped: f64,
    /// What rounding may take off a bound; a length.
    lost: f64,
}

impl Line {
    /// A bound that holds at `places`, for all that follow.
    fn new(watch: &Watch, middle: DVec3, places: &Places, lower: f64) -> Self {
        let reach = (watch.center.distance(middle) + watch.radius) * (1.0 + LINE_REL);
        let side = usize::from(watch.side);
        let now = Self { along: watch.normal, reach, rest: 0.0, side }.lower(places);
        Self { along: watch.normal, reach, rest: lower - now, side }
    }

    #[inline]
    fn lower(&self, places: &Places) -> f64 {
        let height = self.along.dot(places.middles[self.side]);
        self.rest + height - places.turned * self.reach - SHAPE_CHARGE * places.shaped
    }
}

/// All pairs that are watched.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pairs: Vec<Watch>,
    /// For each of them, the bound that was worked out last.
    lines: Vec<Line>,
    /// The reading of the clock before which none of them is closer than nothing.
    first: f64,
    /// No pair of them is closer now.
    pub(super) least: f64,
    /// How much either body has turned, seen from the other.
    pub(super) turns: Clock,
    /// How many there were when the front was new.
    fresh: usize,
}

impl Watched {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            pairs: Vec::with_capacity(capacity),
            lines: Vec::with_capacity(capacity),
            first: f64::INFINITY,
            least: f64::INFINITY,
            turns: Clock::default(),
            fresh: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.lines.clear();
        (self.first, self.least, self.fresh) = (f64::INFINITY, f64::INFINITY, 0);
        self.turns = Clock::default();
    }

    /// Keeps only some of them.
    pub(super) fn retain(&mut self, stays: &mut impl FnMut(&Held) -> bool) {
        let mut at = 0;
        while let Some(watch) = self.pairs.get(at) {
            if stays(&watch.held) {
                at += 1;
            } else {
                self.pairs.swap_remove(at);
                self.lines.swap_remove(at);
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
            self.watch_all(scene, enough)
        };
    }

    /// What is left of the bound with a key.
    fn left_of(&self, key: f64) -> f64 {
        let left = Bound { lower: key, at_motion: 0.0 }.now(&self.clock);
        if key < f64::INFINITY { left } else { key }
    }

    /// Reads the bounds of all pairs, and works those out again that are not enough; the least bound of all.
    fn watch_all(&mut self, scene: &Scene<'_>, enough: f64) -> f64 {
        let places = self.places(scene);
        let lost = places.lost;
        let (mut at, mut least) = (0, f64::INFINITY);
        while let Some(line) = self.watched.lines.get(at) {
            let mut lower = line.lower(&places) - lost;
            // Written so that NaN is worked out again.
            if !(lower >= enough) {
                lower = self.watched.pairs[at].lower(&scene.poses, places.shaped) - lost;
                if !(lower >= enough) {
                    self.watched.lines.swap_remove(at);
                    let Watch { mut held, side, normal, .. } = self.watched.pairs.swap_remove(at);
                    held.normal = if side == 0 { normal } else { -scene.poses[0].rotate(normal) };
                    // Parts that the direction no longer keeps apart are at least zero apart, but not along it.
                    held.along = lower >= 0.0;
                    self.push(held, lower.max(0.0));
                    continue;
                }
                let watch = &self.watched.pairs[at];
                self.watched.lines[at] = Line::new(watch, middle_beside(scene, watch.side), &places, lower);
            }
            least = if lower < least { lower } else { least };
            at += 1;
        }
        self.watched.first =
            if least < f64::INFINITY { self.clock.bound(least).expires_at() } else { f64::INFINITY };
        least
    }

    fn places(&self, scene: &Scene<'_>) -> Places {
        let middles = [0, 1].map(|side: usize| scene.poses[side].apply(middle_beside(scene, side as u8)));
        let (turned, shaped) = (self.watched.turns.motion(), scene.shaped());
        // Points are no farther from the middle of their body than four radii of the larger one.
        let charged = 4.0 * scene.largest * turned + SHAPE_CHARGE * shaped;
        // Twice for the arithmetic of pairs and lines, once for rotations that are so within rounding only.
        Places { middles, turned, shaped, lost: 3.0 * scene.round + LINE_REL * charged }
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
        let watch =
            Watch { held, side: side as u8, normal, seen, center, radius, rest, shaped: scene.shaped() };
        self.watched.least = self.watched.least.min(lower);
        let key = self.clock.bound(lower).expires_at();
        self.watched.first = if key < self.watched.first { key } else { self.watched.first };
        let line = Line::new(&watch, middle_beside(scene, watch.side), &self.places(scene), lower);
        self.watched.lines.push(line);
        self.watched.pairs.push(watch);
    }
}

/// The middle of the body that one body sees.
fn middle_beside(scene: &Scene<'_>, side: u8) -> DVec3 {
    scene.sides[1 - usize::from(side)].tree.root().bound.center
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use clearance_geometry::{DQuat, motion_bounds};
    use clearance_testkit::Random;

    /// No point of a part is lower along the direction than the line of its pair says, wherever the other body goes.
    #[test]
    fn lines_stay_below_all_points_of_their_part() {
        let mut random = Random::new(5);
        let mut tight = f64::INFINITY;
        for round in 0..2000_u32 {
            let side = (round % 2) as u8;
            let (center, radius) = (random.in_ball() * 2.0, random.uniform(0.0, 0.5));
            let points: Vec<DVec3> = (0..8).map(|_| center + radius * random.in_ball()).collect();
            let (normal, middle) = (random.direction(), random.in_ball());
            let pose_of = |rotation: DQuat, translation: DVec3| {
                let pose = Pose::new(rotation, translation).unwrap();
                if side == 0 { [pose, pose.inverse()] } else { [pose.inverse(), pose] }
            };
            let (mut rotation, mut translation) = (
                DQuat::from_axis_angle(random.direction(), random.uniform(0.0, 3.0)),
                random.direction() * 3.0,
            );
            let mut poses = pose_of(rotation, translation);
            let lowest = |poses: &[Pose; 2]| {
                let pose = &poses[usize::from(side)];
                points.iter().map(|x| normal.dot(pose.apply(*x))).fold(f64::INFINITY, f64::min)
            };
            let places = |poses: &[Pose; 2], turned: f64| Places {
                middles: [poses[0].apply(middle), poses[1].apply(middle)],
                turned,
                shaped: 0.0,
                lost: 0.0,
            };
            let watch = Watch {
                held: Held::WHOLE,
                side,
                normal,
                seen: DVec3::ZERO,
                center,
                radius,
                rest: 0.0,
                shaped: 0.0,
            };
            let mut turned = random.uniform(0.0, 5.0);
            let line = Line::new(&watch, middle, &places(&poses, turned), lowest(&poses));
            let pace = 0.1_f64.powf(random.uniform(0.0, 4.0));
            for _ in 0..16 {
                let before = poses;
                let turn = DQuat::from_axis_angle(random.direction(), pace * random.uniform(0.0, 1.0));
                rotation = (turn * rotation).normalize();
                translation += pace * random.in_ball();
                poses = pose_of(rotation, translation);
                turned += motion_bounds(&before, &poses, [(DVec3::ZERO, 1.0); 2]).1;
                let (lower, truth) = (line.lower(&places(&poses, turned)), lowest(&poses));
                assert!(lower <= truth + 1e-12, "{line:?}: {lower} {truth}");
                tight = tight.min(truth - lower);
            }
        }
        assert!(tight < 1e-3, "{tight}");
    }
}
