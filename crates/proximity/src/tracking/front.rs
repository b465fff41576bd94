//! The global minimum between two bodies that move: a front of pairs of parts that is kept from frame to frame.
//!
//! Source: 003's scheduling of pairs by the time until they can matter, made exact: a bound L proved when the clock of the
//! motion stood at m gives d ≥ L + m − s for ever, so that a heap with the constant keys L + m says which pairs need
//! another look. The pairs are those of the certified search (see `global`).
//! Differs: pairs without a slope-free point wait in a second heap, by the motion that their slope outlasts; pairs over which
//! the distance is convex keep their nearest points, so that one Newton step settles them again.
//! Ends because: every look settles a pair or halves a cell; looks, cells and pairs are limited, and a frame that runs
//! out of one of them says so by its lower bound.
//! Cost: one look for each pair whose bound ran out; most frames of smooth motion look at the nearest pair and a few others.
//! Not promised: that the bounds meet where the nearest points are a curve or an area.

use super::beyond::NO_MARK;
use super::border::Border;
use super::foot::{Foot, follow};
use super::look::FIRST_TRIES;
use super::scene::{Convex, Scene, Sizes};
use super::separate::Separation;
use super::watch::Watched;
use crate::global::descend::{Bounds, Value};
use crate::global::side::{Memory, Part, Side};
use crate::global::{Demand, NearPair, Prepared, SearchWork};
use clearance_geometry::{Bound, Clock, DVec2, DVec3, Pose, Ranked, motion_bounds};
use std::collections::BinaryHeap;

/// Pairs that a front may hold in each of its heaps.
pub(super) const MOST_PAIRS: usize = 1 << 15;

/// Cells of each body beside one for each of its pieces.
const MOST_CELLS: usize = 1 << 13;

/// Control points that a cell has on average at most.
const POINTS_PER_CELL: usize = 16;

/// Pairs that may keep their nearest points.
pub(super) const MOST_FEET: usize = 1 << 10;

/// Looks of a front, as a multiple of those it took when it was new, after which it is made anew.
const LOOKS_BEFORE_RESTART: u64 = 3;

/// Looks that a front is allowed at least before it is made anew.
const LEAST_LOOKS: u64 = 64;

/// Parts that may wait in a proof by a plane.
const MOST_WAITING: usize = 256;

/// No foot.
pub(super) const NONE: u32 = u32::MAX;

/// A pair of parts of the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) parts: [Part; 2],
    /// The direction that bounded it last.
    pub(super) normal: DVec3,
    /// Its nearest points, where they are kept.
    pub(super) foot: u32,
    /// Whether the plane across the nearest points proved it last.
    pub(super) flat: bool,
    /// Whether a slope settled it last.
    pub(super) sloped: bool,
    /// Whether its bound is how far its parts are apart along `normal`.
    pub(super) along: bool,
    /// Whether it was bounded in this frame.
    pub(super) fresh: bool,
    /// Whether edges and vertices around its parts are in the front by themselves.
    pub(super) bordered: [bool; 2],
    /// Of the part beyond that brought it: the mark and the body.
    pub(super) of: (u32, u8),
}

impl Held {
    /// All of both bodies.
    pub(super) const WHOLE: Self = Self {
        parts: [Part::Node(0), Part::Node(0)],
        normal: DVec3::ZERO,
        foot: NONE,
        flat: false,
        sloped: false,
        along: false,
        fresh: false,
        bordered: [true; 2],
        of: (NO_MARK, 0),
    };
}

pub(super) type Heap = BinaryHeap<Ranked<Held>>;

/// What a frame found.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameEnd {
    /// The nearest points; `None` where none at all were met within the budget.
    pub(super) nearest: Option<NearPair>,
    /// Proven: no two points are closer.
    pub(super) lower: f64,
    /// Whether the bounds met within the error asked for, the gaps of edges left aside.
    pub(super) proven: bool,
    pub(super) work: SearchWork,
}

/// The nearest points that are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) foot: Foot,
    pub(super) value: Value,
    /// Of both points; it is asked for again and again.
    pub(super) distance: f64,
}

impl Best {
    pub(super) fn new(foot: Foot, value: Value) -> Self {
        Self { foot, value, distance: value.distance() }
    }
}

/// What is kept of a pair over which the distance is convex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    /// Its nearest points.
    pub(super) foot: Foot,
    pub(super) convex: Convex,
    /// It is so until points have moved, and bodies have turned, by these.
    pub(super) until: [f64; 2],
}

/// The front of one pair of bodies.
#[derive(Clone, Debug)]
pub(super) struct Front {
    memory: [Memory; 2],
    borders: [Border; 2],
    /// What the edges of both bodies may be off their faces; a length.
    gaps: f64,
    sizes: Sizes,
    pairs: Pairs,
    /// B seen from A in the last frame, and A seen from B.
    pose: Option<[Pose; 2]>,
    /// What shapes have changed since then; a length.
    bent: f64,
    started: bool,
}

/// Pairs of parts by when they need another look.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// By the reading of `clock` at which their bound has run out.
    pub(super) by_bound: Heap,
    /// Those apart along a direction, watched while bodies move.
    pub(super) watched: Watched,
    /// By the reading of `turning` at which their slope may be gone.
    pub(super) by_slope: Heap,
    /// Those of this frame, least bound first.
    pub(super) now: Heap,
    /// How much nearer points can have come.
    pub(super) clock: Clock,
    /// How far points of either body can have moved, seen from the other.
    pub(super) turning: Clock,
    /// Those that cannot be cut any more, until the next frame; with their bounds.
    pub(super) stuck: Vec<(Held, f64)>,
    pub(super) feet: Vec<Settled>,
    pub(super) free_feet: Vec<u32>,
    pub(super) best: Option<Best>,
    pub(super) turn: i64,
    /// Whether a limit was met, so that the front starts anew.
    pub(super) full: bool,
    /// Looks that the front took when it was new; 0 before.
    pub(super) fresh: u64,
    /// Looks since then.
    pub(super) looks: u64,
    pub(super) frames: u64,
    /// What keeps both bodies apart, but for the pairs in the heaps.
    pub(super) separation: Separation,
    /// Parts that wait in a proof by a plane.
    pub(super) waiting: Vec<Part>,
    /// Motion of this frame, a length; and what it turns of the unit ball.
    pub(super) step: f64,
    pub(super) spin: f64,
    /// Distances that differ by less are the same; a length.
    pub(super) tie: f64,
    pub(super) tries: u32,
    pub(super) work: SearchWork,
}

impl Front {
    pub(super) fn new(bodies: [&Prepared; 2]) -> Self {
        let memory = bodies.map(|body| {
            let leaves = body.tree().leaves();
            let points: usize = leaves.iter().map(|piece| piece.net.len()).sum();
            let cells = leaves.len() + MOST_CELLS;
            Memory::with_capacity(cells, points + MOST_CELLS * POINTS_PER_CELL, leaves.len())
        });
        let sizes = Sizes::of(bodies.map(Prepared::tree));
        Self {
            memory,
            borders: bodies.map(Border::of),
            gaps: gaps(bodies),
            sizes,
            pairs: Pairs::new(),
            pose: None,
            bent: 0.0,
            started: false,
        }
    }

    /// Takes note of another shape of one body, none of whose points has moved by more than `moved` in its own frame. What
    /// was proven of pairs stays, less that; cells are made anew when they are looked at.
    pub(super) fn reshape(&mut self, side: usize, bodies: [&Prepared; 2], moved: f64) {
        (self.gaps, self.sizes) = (gaps(bodies), Sizes::of(bodies.map(Prepared::tree)));
        if moved > 0.0 {
            self.memory[side].reshape(moved);
            self.pairs.clock.advance(moved);
            self.pairs.turning.advance(moved);
            self.bent += moved;
        }
    }

    /// How far points can have moved by all changes of shape so far, those of both bodies together; a length.
    pub(super) fn shaped(&self) -> f64 {
        (self.memory[0].shape().1 + self.memory[1].shape().1).next_up()
    }

    /// Forgets what was tracked.
    pub(super) fn reset(&mut self) {
        self.pose = None;
        self.pairs.best = None;
        self.pairs.separation.reset();
    }

    /// The nearest points for B at a pose.
    pub(super) fn update(&mut self, bodies: [&Prepared; 2], pose_ab: &Pose, demand: &Demand) -> FrameEnd {
        let Self { memory: [of_a, of_b], borders, gaps, sizes, pairs, pose, bent, started } = self;
        let bent = std::mem::take(bent);
        let poses = [*pose_ab, pose_ab.inverse()];
        let moved = pose.as_ref().map(|last| motion(bodies, last, &poses));
        match moved {
            Some(moved) if !(pairs.is_worn() || of_a.is_half_full() || of_b.is_half_full()) => {
                pairs.advance(&moved);
            }
            moved => {
                // Cells do not depend on poses; they go when there are too many.
                if !*started || pairs.full || of_a.is_half_full() || of_b.is_half_full() {
                    of_a.clear(bodies[0].tree());
                    of_b.clear(bodies[1].tree());
                }
                pairs.restart();
                (pairs.step, pairs.spin) = moved.map_or((0.0, 0.0), |moved| (moved.farthest, moved.turn));
            }
        }
        pairs.step += bent;
        *started = true;
        *pose = Some(poses);
        let sides = [
            Side::kept(bodies[0].body(), bodies[0].tree(), of_a),
            Side::kept(bodies[1].body(), bodies[1].tree(), of_b),
        ];
        let mut scene = Scene::new(sides, poses, sizes, [&borders[0], &borders[1]]);
        let mut end = pairs.frame(&mut scene, demand);
        end.lower = (end.lower - *gaps).max(0.0);
        end
    }
}

/// What the edges of both bodies may be off their faces.
fn gaps(bodies: [&Prepared; 2]) -> f64 {
    let widest =
        |body: &Prepared| body.tree().leaves().iter().fold(0.0_f64, |most, piece| most.max(piece.gap));
    widest(bodies[0]) + widest(bodies[1])
}

/// What two bodies have done between two frames.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    /// How much nearer points can have come; a length.
    nearer: f64,
    /// How far points can have moved, seen from the other body; a length.
    farthest: f64,
    /// How far the turn moves a point of the unit ball around what it turns about.
    turn: f64,
}

fn motion(bodies: [&Prepared; 2], before: &[Pose; 2], after: &[Pose; 2]) -> Moved {
    if before[0] == after[0] {
        return Moved::default();
    }
    // As B moves seen from A, and A seen from B.
    let [a, b] = bodies.map(|body| (body.tree().root().bound.center, body.radius()));
    let ([from_a, from_b], turn) = motion_bounds(before, after, [b, a]);
    Moved { nearer: from_a.min(from_b), farthest: from_a.max(from_b), turn }
}

impl Pairs {
    fn new() -> Self {
        Self {
            by_bound: BinaryHeap::with_capacity(MOST_PAIRS),
            watched: Watched::with_capacity(MOST_PAIRS),
            by_slope: BinaryHeap::with_capacity(MOST_PAIRS),
            now: BinaryHeap::with_capacity(MOST_PAIRS),
            clock: Clock::default(),
            turning: Clock::default(),
            stuck: Vec::with_capacity(MOST_PAIRS),
            feet: Vec::with_capacity(MOST_FEET),
            free_feet: Vec::with_capacity(MOST_FEET),
            best: None,
            turn: 0,
            full: false,
            fresh: 0,
            looks: 0,
            frames: 0,
            separation: Separation::new(),
            waiting: Vec::with_capacity(MOST_WAITING),
            step: 0.0,
            spin: 0.0,
            tie: 0.0,
            tries: 0,
            work: SearchWork::default(),
        }
    }

    /// Whether the front has taken so many looks since it was new that making it anew costs little beside them.
    fn is_worn(&self) -> bool {
        self.full || self.looks > LOOKS_BEFORE_RESTART * self.fresh.max(LEAST_LOOKS) || self.watched.is_worn()
    }

    /// Forgets all pairs.
    pub(super) fn restart(&mut self) {
        self.separation.give_up();
        self.clear();
    }

    /// Forgets all pairs of the heaps.
    pub(super) fn clear(&mut self) {
        for heap in [&mut self.by_bound, &mut self.by_slope, &mut self.now] {
            heap.clear();
        }
        self.watched.clear();
        self.stuck.clear();
        self.feet.clear();
        self.free_feet.clear();
        (self.clock, self.turning) = (Clock::default(), Clock::default());
        (self.full, self.fresh, self.looks) = (false, 0, 0);
    }

    fn advance(&mut self, moved: &Moved) {
        self.clock.advance(moved.nearer);
        self.turning.advance(moved.farthest);
        self.watched.turns.advance(moved.turn);
        (self.step, self.spin) = (moved.farthest, moved.turn);
    }

    pub(super) fn upper(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.distance)
    }

    /// One frame.
    fn frame(&mut self, scene: &mut Scene<'_>, demand: &Demand) -> FrameEnd {
        self.work = SearchWork::default();
        self.tie = demand.contact;
        self.follow_best(scene);
        let warm = self.best.is_some();
        self.frames += 1;
        let apart = self.separate(scene, demand);
        self.tries = if self.fresh == 0 || self.best.is_none() { 0 } else { FIRST_TRIES };
        while let Some(first) = self.by_slope.peek()
            && !(-first.rank > self.turning.motion())
            && let Some(Ranked { item, .. }) = self.by_slope.pop()
        {
            self.push(item, 0.0);
        }
        self.watch(scene, demand);
        while let Some((held, lower)) = self.next() {
            let met = lower >= self.upper() - demand.max_error || self.upper() <= demand.contact;
            if met || self.full || self.work.pairs >= demand.max_pairs {
                self.wait(scene, held, lower);
                break;
            }
            self.work.pairs += 1;
            self.look(scene, demand, held, lower);
        }
        while let Some(Ranked { rank, item, .. }) = self.now.pop() {
            self.wait(scene, item, -rank);
        }
        while let Some((held, lower)) = self.stuck.pop() {
            self.hold(held, lower);
        }
        self.looks += self.work.pairs;
        self.separation.count(self.work.pairs, self.fresh == 0);
        if self.fresh == 0 {
            // A front that began without nearest points is cut finer than need be.
            self.full |= !warm;
            self.fresh = self.work.pairs.max(1);
            self.separation.allow_beside(self.fresh);
            self.watched.note_new();
            self.looks = 0;
        }
        self.end(demand, apart)
    }

    fn end(&self, demand: &Demand, apart: f64) -> FrameEnd {
        let upper = self.upper();
        let least = self.by_bound.peek().map_or(f64::INFINITY, |first| self.left(first));
        let least = least.min(self.watched.least).min(apart);
        let proven = least >= upper - demand.max_error || upper <= demand.contact;
        let nearest = self.best.as_ref().map(|Best { foot, value, .. }| NearPair {
            distance: upper,
            points: value.points,
            pieces: foot.pieces,
            local: [foot.local(0), foot.local(1)],
        });
        FrameEnd { nearest, lower: least.min(upper).max(0.0), proven, work: self.work }
    }

    /// The last nearest points on their features at the new pose and in the new shapes.
    fn follow_best(&mut self, scene: &Scene<'_>) {
        let Some(Best { foot, value, distance }) = &mut self.best else { return };
        let known = (0..2).all(|i| (foot.pieces[i] as usize) < scene.sides[i].tree.leaves().len());
        if !known || foot.at.iter().any(|x| !x.is_finite()) {
            self.best = None;
            return;
        }
        let (pieces, before) = (foot.pieces, foot.at);
        let shapes = scene.pieces(pieces);
        foot.reshape(shapes, scene.pliant);
        let bounds = Bounds::whole(shapes.map(|piece| piece.dimension));
        follow(shapes, &scene.poses[0], foot, &bounds, value, &mut self.work.newton);
        *distance = value.distance();
        // Written so that NaN is refused.
        if value.half_square < f64::INFINITY && scene.holds(pieces, [foot.local(0), foot.local(1)]) {
            return;
        }
        // They have left their face; their neighbours begin from the last ones.
        self.best = None;
        let foot = Foot::new(shapes, pieces, before);
        self.offer(scene, foot, foot.value(&scene.poses[0]));
    }

    /// What is left of the bound of a pair that waits, rounded down.
    fn left(&self, waits: &Ranked<Held>) -> f64 {
        Bound { lower: -waits.rank, at_motion: 0.0 }.now(&self.clock)
    }

    /// The pair with the least bound, of this frame or of those that wait.
    fn next(&mut self) -> Option<(Held, f64)> {
        let waits = self.by_bound.peek().map(|first| self.left(first));
        let is_now = match (self.now.peek(), waits) {
            (None, None) => return None,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(first), Some(lower)) => -first.rank <= lower,
        };
        if is_now {
            self.now.pop().map(|first| (first.item, -first.rank))
        } else {
            self.by_bound.pop().map(|first| (first.item, self.left(&first)))
        }
    }

    /// Lets a pair wait for its turn in this frame.
    pub(super) fn push(&mut self, held: Held, lower: f64) {
        self.turn += 1;
        self.now.push(Ranked { rank: -lower, turn: self.turn, item: held });
    }

    /// Lets a pair wait until its bound runs out.
    pub(super) fn hold(&mut self, held: Held, lower: f64) {
        self.turn += 1;
        let key = self.clock.bound(lower).expires_at();
        let item = Held { sloped: false, along: false, fresh: false, ..held };
        self.by_bound.push(Ranked { rank: -key, turn: self.turn, item });
    }

    /// Lets a pair wait until its slope may be gone.
    pub(super) fn hold_slope(&mut self, held: Held, motion: f64) {
        self.turn += 1;
        let key = self.turning.bound(motion).expires_at();
        let item = Held { sloped: true, along: false, fresh: false, ..held };
        self.by_slope.push(Ranked { rank: -key, turn: self.turn, item });
    }
}

impl Front {
    /// Replaces what is known of the last nearest points, right or wrong.
    pub(super) fn hint(&mut self, bodies: [&Prepared; 2], pieces: [u32; 2], local: [DVec2; 2]) {
        let known = (0..2).all(|i| (pieces[i] as usize) < bodies[i].tree().leaves().len());
        if !known {
            self.pairs.best = None;
            return;
        }
        let shapes = [0, 1].map(|i| &bodies[i].tree().leaves()[pieces[i] as usize]);
        let at = [local[0].x, local[0].y, local[1].x, local[1].y];
        let foot = Foot::new(shapes, pieces, at);
        self.pairs.best = Some(Best::new(foot, foot.value(&Pose::IDENTITY)));
    }
}
