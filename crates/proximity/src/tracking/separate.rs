//! Two bodies kept apart by one plane or sphere across their nearest points, but for parts that reach beyond it.
//!
//! Source: 004's walk to the features next to the nearest ones; the separating plane of convex bodies.
//! Differs: bodies need not be convex. The plane may be a sphere, curved as the features at the nearest points allow; parts
//! of a body that are beyond it are paired with all of the other body, in the heaps of the front. Where a point next to the
//! nearest one is beyond, the nearest points on its feature are followed: features are entered and left by that.
//! Ends because: walks lower the distance and are counted; each look has a budget.
//! Cost: that of both crests (see `crest`); nothing for the pairs of all parts that are not beyond.
//! Not promised: that there is such a sphere.

use super::crest::{Crest, Verdict};
use super::foot::{Foot, followed};
use super::front::{Best, Held, NONE, Pairs};
use super::look::PLANE_SHARE;
use super::scene::Scene;
use super::sight::{BendRange, bend_between};
use crate::global::Demand;
use crate::global::descend::Bounds;
use clearance_geometry::DVec2;

/// Features that a frame may walk to.
const MOST_WALKS: u32 = 6;

/// Frames after which bodies without a sphere between them try again: at first, and at most after some tries in vain.
const FRAMES_PER_TRY: [u64; 2] = [4, 128];

/// Frames of a sphere before its cost is judged.
const FRAMES_TO_JUDGE: u64 = 16;

/// What one look at a pair of parts costs, in looks at a part of one body.
const LOOKS_PER_PAIR: f64 = 6.0;

/// Looks at parts of one body that a frame may take for each pair that a new front of all pairs took: together they cost less
/// than that front.
const LOOKS_BESIDE_PAIR: f64 = 2.5;

/// The share of a new frame in the mean cost of frames.
const NEW_SHARE: f64 = 1.0 / 16.0;

/// A sphere that costs so many times what the pairs of all parts do is given up.
const TOO_DEAR: f64 = 1.5;

/// Frames after which the proof may begin from whole bodies again: parts that were cut stay cut until then.
const FRAMES_PER_PROOF: u64 = 64;

/// How far a sphere may turn before it is asked again whether it fits between the features, in radians: one that does not
/// any more costs looks, and no proof.
const TURN_PER_FIT: f64 = 0.01;

/// The sphere that keeps two bodies apart, and what is known of both.
#[derive(Clone, Debug)]
pub(super) struct Separation {
    /// The curvature, as A sees it; `None` while there is no such sphere.
    bend: Option<f64>,
    crests: [Crest; 2],
    /// How far it had turned when it was last asked whether it fits.
    fitted: f64,
    /// Frames since it began, and parts that were known in the first of them.
    frames: u64,
    fresh: usize,
    /// Frames until the next try, and how many there are to be after the next one in vain.
    pause: u64,
    patience: u64,
    /// What a frame costs on average with a sphere, and what without one, where that is known; in looks at parts.
    costs: [Option<f64>; 2],
}

/// How one try ended.
enum Try {
    Apart,
    Nearer,
    Failed,
}

impl Separation {
    pub(super) fn new() -> Self {
        Self {
            bend: None,
            crests: [Crest::new(), Crest::new()],
            fitted: 0.0,
            frames: 0,
            fresh: 0,
            pause: 0,
            patience: FRAMES_PER_TRY[0],
            costs: [None; 2],
        }
    }

    /// Whether there is such a sphere now.
    pub(super) const fn is_on(&self) -> bool {
        self.bend.is_some()
    }

    /// Forgets it.
    pub(super) fn give_up(&mut self) {
        self.bend = None;
    }

    /// To try again at once.
    pub(super) fn reset(&mut self) {
        (self.bend, self.pause, self.patience, self.costs) = (None, 0, FRAMES_PER_TRY[0], [None; 2]);
    }

    /// Takes note of what a frame cost; the first one of either kind is no measure.
    pub(super) fn count(&mut self, pairs: u64, is_new: bool) {
        let looks: u64 = self.crests.iter_mut().map(|crest| std::mem::take(&mut crest.looks)).sum();
        if is_new || self.frames == 1 {
            return;
        }
        let cost = looks as f64 + LOOKS_PER_PAIR * pairs as f64;
        let mean = &mut self.costs[usize::from(self.bend.is_none())];
        *mean = Some(mean.map_or(cost, |mean| mean + NEW_SHARE * (cost - mean)));
    }

    /// Allows looks for as long as they cost less than a new front, which took so many pairs. One that holds only what is beyond a
    /// sphere is no measure.
    pub(super) fn allow_beside(&mut self, pairs: u64) {
        if self.bend.is_none() {
            let looks = (LOOKS_BESIDE_PAIR * pairs as f64) as usize;
            self.crests.iter_mut().for_each(|crest| crest.allow(looks));
        }
    }

    fn parts(&self) -> usize {
        self.crests.iter().map(Crest::count).sum()
    }

    /// Whether so many parts were cut that it is better to begin with whole bodies again.
    fn is_worn(&self) -> bool {
        self.frames >= FRAMES_PER_PROOF && 2 * self.parts() > 3 * self.fresh
    }

    fn is_too_dear(&self) -> bool {
        let [Some(with), Some(without)] = self.costs else { return false };
        self.bend.is_some() && self.frames >= FRAMES_TO_JUDGE && with > TOO_DEAR * without
    }

    fn begin(&mut self, bend: f64) {
        self.bend = Some(bend);
        self.crests.iter_mut().for_each(Crest::begin);
        (self.frames, self.fitted) = (0, 0.0);
    }
}

impl Pairs {
    /// A lower bound on the distance of all pairs of points but those in the heaps: infinite where all are there.
    pub(super) fn separate(&mut self, scene: &mut Scene<'_>, demand: &Demand) -> f64 {
        let was = self.separation.bend.is_some();
        let tries = self.separation.pause == 0 && !self.separation.is_too_dear();
        let found = if tries { self.separated(scene, demand) } else { None };
        if let Some(lower) = found {
            self.separation.patience = FRAMES_PER_TRY[0];
            self.pair(scene);
            return lower;
        }
        let separation = &mut self.separation;
        separation.bend = None;
        if separation.pause > 0 {
            separation.pause -= 1;
        } else if self.best.is_some() {
            separation.pause = separation.patience;
            separation.patience = (2 * separation.patience).min(FRAMES_PER_TRY[1]);
        }
        // Nothing is in the heaps but what was beyond, or nothing at all.
        if was || self.is_empty() {
            self.clear();
            self.push(Held::WHOLE, 0.0);
        }
        f64::INFINITY
    }

    /// Walks and looks until both bodies are apart or it is clear that no sphere shows it.
    fn separated(&mut self, scene: &mut Scene<'_>, demand: &Demand) -> Option<f64> {
        let share = PLANE_SHARE * demand.max_error;
        let mut began = false;
        if self.separation.is_worn() {
            self.separation.bend = None;
        }
        let mut walks = 0;
        loop {
            if let Some(bend) = self.separation.bend {
                if walks > 0 || self.separation.crests[0].turned() > self.separation.fitted + TURN_PER_FIT {
                    self.bend_anew(scene, demand, bend);
                }
            } else {
                if began {
                    return None;
                }
                let range = self.bend(scene, demand)?;
                self.separation.begin(range.best);
                began = true;
            }
            match self.attempt(scene, demand, share, walks < MOST_WALKS) {
                Try::Apart => break,
                Try::Nearer => {
                    walks += 1;
                    // The new features may need another sphere.
                    if began {
                        (self.separation.bend, began) = (None, walks >= MOST_WALKS);
                    }
                }
                Try::Failed => self.separation.bend = None,
            }
        }
        self.separation.frames += 1;
        if began {
            self.clear();
        }
        // Parts that a new proof takes as they are, are cut in its first frames.
        if self.separation.frames <= FRAMES_TO_JUDGE {
            self.separation.fresh = self.separation.parts();
        }
        // Of two spheres the share of the outer one counts up to twice.
        let lower = self.upper() - 3.0 * share - scene.round;
        (lower >= self.upper() - demand.max_error).then_some(lower)
    }

    /// The curvatures of spheres between the nearest points.
    fn bend(&self, scene: &Scene<'_>, demand: &Demand) -> Option<BendRange> {
        let (normal, upper) = (self.normal(), self.upper());
        let Best { foot, .. } = self.best.as_ref().filter(|_| upper > demand.contact)?;
        let range =
            bend_between(foot, [normal, -scene.poses[0].rotate_inverse(normal)], upper, scene.largest)?;
        (range.best.abs() * demand.max_error < PLANE_SHARE).then_some(range)
    }

    /// Another curvature where that of the sphere hardly fits between the features any more: what is known of parts goes on.
    fn bend_anew(&mut self, scene: &Scene<'_>, demand: &Demand, bend: f64) {
        self.separation.fitted = self.separation.crests[0].turned();
        if let Some(range) = self.bend(scene, demand).filter(|range| !range.has_well(bend)) {
            self.separation.bend = Some(range.best);
            self.separation.crests.iter_mut().for_each(Crest::doubt_beyond);
        }
    }

    /// One look at both bodies.
    fn attempt(&mut self, scene: &mut Scene<'_>, demand: &Demand, share: f64, may_walk: bool) -> Try {
        let (normal, upper) = (self.normal(), self.upper());
        let (Some(Best { foot, .. }), Some(bend)) = (&self.best, self.separation.bend) else {
            return Try::Failed;
        };
        if !(upper > demand.contact && 1.0 + bend * upper > 0.0) {
            return Try::Failed;
        }
        let sights = scene.sights(foot, normal, upper, bend, share);
        for (side, sight) in sights.iter().enumerate() {
            let crest = &mut self.separation.crests[side];
            crest.turn(sight);
            let mut verdict = crest.check(&mut scene.sides[side], sight, may_walk);
            if let Verdict::Beyond(piece, local) = verdict {
                if self.walk(scene, side, piece, local) {
                    return Try::Nearer;
                }
                verdict = self.separation.crests[side].check(&mut scene.sides[side], sight, false);
            }
            if !matches!(verdict, Verdict::Below) {
                return Try::Failed;
            }
        }
        Try::Apart
    }

    /// Follows the nearest points from a place on another piece of one body; whether they are nearer.
    fn walk(&mut self, scene: &Scene<'_>, side: usize, piece: u32, local: DVec2) -> bool {
        let Some(Best { foot, .. }) = &self.best else { return false };
        let (mut pieces, mut at) = (foot.pieces, foot.at);
        pieces[side] = piece;
        (at[2 * side], at[2 * side + 1]) = (local.x, local.y);
        let shapes = scene.pieces(pieces);
        let bounds = Bounds::whole(shapes.map(|piece| piece.dimension));
        let mut foot = Foot::new(shapes, pieces, bounds.clamped(at));
        let value = followed(shapes, &scene.poses[0], &mut foot, &bounds, &mut self.work.newton);
        let upper = self.upper();
        self.offer(scene, foot, value);
        self.upper() < upper
    }

    /// Puts pairs of all that is newly beyond into the heaps, and takes those of what is not any more out of them.
    fn pair(&mut self, scene: &Scene<'_>) {
        self.drop_back();
        for side in 0..2 {
            while let Some((part, mark)) = self.separation.crests[side].beyond.next_fresh() {
                // All of it is in the closure of others that are beyond, since no slope holds next to it.
                if scene.borders[side].is_spare(&scene.sides[side], part) {
                    continue;
                }
                let mut held = Held { of: (mark, side as u8), bordered: [false; 2], ..Held::WHOLE };
                held.parts[side] = part;
                self.push(held, 0.0);
            }
        }
    }

    /// Takes pairs of parts that are not beyond any more out of the heaps.
    fn drop_back(&mut self) {
        let Self { separation, by_bound, by_slope, watched, free_feet, .. } = self;
        if separation.crests.iter().all(|crest| crest.beyond.back().is_empty()) {
            return;
        }
        let mut stays = |held: &Held| {
            let gone = separation.crests[usize::from(held.of.1)].beyond.back().contains(&held.of.0);
            if gone && held.foot != NONE {
                free_feet.push(held.foot);
            }
            !gone
        };
        by_bound.retain(|waits| stays(&waits.item));
        by_slope.retain(|waits| stays(&waits.item));
        watched.retain(&mut stays);
        separation.crests.iter_mut().for_each(|crest| crest.beyond.forget_back());
    }

    fn is_empty(&self) -> bool {
        self.by_bound.is_empty() && self.by_slope.is_empty() && self.now.is_empty() && self.watched.len() == 0
    }
}
