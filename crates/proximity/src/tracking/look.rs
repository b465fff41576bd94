//! One look at a pair of parts of the front.
//!
//! Source: the tests of the certified search (see `global`), in the order of their cost.
//! Differs: what settled a pair last is tried first; a plane across the nearest points may settle parts of any size around them.
//! Ends because: a look settles the pair or replaces it by smaller ones.
//! Cost: a few passes over control points; a plane takes some dozens of them.
//! Not promised: the reason that lasts longest.

use super::foot::{Foot, followed};
use super::front::{Best, Held, MOST_FEET, MOST_PAIRS, NONE, Pairs, Settled};
use super::hull::without_leaf;
use super::scene::{Bend, Convex, Scene};
use super::sight::BENDING;
use crate::global::Demand;
use crate::global::descend::{Bounds, Value};
use crate::global::side::{Children, Part, Side};
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3};

/// Descents from pairs over which the distance is not known to be convex: at first, and one more for so many looks.
pub(super) const FIRST_TRIES: u32 = 12;
const LOOKS_PER_TRY: u64 = 16;

/// A share of the error asked for, taken by each side of a proof by a plane.
pub(super) const PLANE_SHARE: f64 = 0.25;

/// Frames of the last motion for which a slope and the bound of a new pair are meant to last.
const AHEAD: f64 = 2.0;

/// Frames of the last motion for which the distance of a pair is to stay convex: for some frames one look at it is less than
/// half of what the proof costs.
const CONVEX_AHEAD: f64 = 8.0;

/// Frames of the last motion for which a bound of a known direction is to last: another direction costs more than a look.
const SOON: f64 = 1.0;

/// The part of a piece's parameters that is so narrow that the edges around it are asked for rather than a half of it: in a
/// frame without looks, and for each of these more.
const NARROW: [f64; 2] = [1.0 / 128.0, 1.0 / 4096.0];

/// Places of an edge from which the nearest points on it are looked for.
const STARTS: [f64; 4] = [0.125, 0.375, 0.625, 0.875];

impl Pairs {
    /// Looks at a pair again: it is settled or cut.
    pub(super) fn look(&mut self, scene: &mut Scene<'_>, demand: &Demand, mut held: Held, lower: f64) {
        scene.renew(held.parts);
        let cells = match held.parts {
            [Part::Cell(a), Part::Cell(b)] => Some([a, b]),
            _ => None,
        };
        if let Some(cells) = cells
            && held.sloped
        {
            let outlasts = self.slope(scene, &held, cells);
            if outlasts > self.step {
                return self.hold_slope(held, outlasts);
            }
        }
        if held.flat && self.is_flat(scene, demand, &mut held) {
            return;
        }
        if let Some(cells) = cells
            && held.foot != NONE
            && self.settle(scene, demand, &mut held, cells)
        {
            return;
        }
        self.forget(&mut held);
        let enough = self.upper() - demand.max_error;
        let ask = enough + SOON * self.step * scene.lever(held.parts);
        let mut lower = lower;
        // A pair that was bounded in this frame is not bounded again.
        if !std::mem::take(&mut held.fresh) {
            let slab = scene.slab(held.parts, [held.normal, self.normal()], ask);
            if slab.lower >= lower {
                (held.normal, held.along) = (slab.normal, true);
            }
            lower = slab.lower.max(lower);
        }
        if lower >= ask && lower >= enough {
            return self.wait(scene, held, lower);
        }
        let Some(cells) = cells else {
            if lower >= enough {
                self.wait(scene, held, lower);
            } else if !self.is_flat(scene, demand, &mut held) {
                self.open(scene, held, lower);
            }
            return;
        };
        let outlasts = self.slope(scene, &held, cells);
        if outlasts > 0.0 && outlasts > lower - enough {
            return self.hold_slope(held, outlasts);
        }
        if lower >= enough {
            return self.wait(scene, held, lower);
        }
        if let Some(outlasts) = self.border(scene, &mut held, cells) {
            return self.hold_slope(held, outlasts);
        }
        if self.is_flat(scene, demand, &mut held) {
            return;
        }
        let bend = scene.bend(cells);
        if self.settle_with(scene, demand, &mut held, cells, &bend) {
            return;
        }
        // Where a trimmed face runs is asked for only now: it costs more than all that was tried before.
        if !(0..2).any(|i| scene.sides[i].is_outside(cells[i])) {
            self.cut(scene, held, cells, lower);
        }
    }

    /// The motion that the better of two slopes outlasts; the second is not looked for where the first lasts.
    fn slope(&self, scene: &mut Scene<'_>, held: &Held, cells: [u32; 2]) -> f64 {
        let along = |scene: &mut Scene<'_>, side: usize| {
            let may = may_leave(scene, held, side, cells[side]);
            scene.slope(side, cells, self.upper(), may)
        };
        let first = along(scene, 0);
        if first > AHEAD * self.step { first } else { first.max(along(scene, 1)) }
    }

    /// The motion that a slope outlasts which leads out of the feature of one of two narrow cells, once the edges or vertices
    /// that it leads to are in the front; `None` where there is no such slope. Wider cells are cut instead, which takes fewer pairs.
    fn border(&mut self, scene: &mut Scene<'_>, held: &mut Held, cells: [u32; 2]) -> Option<f64> {
        let narrow = NARROW[0] + NARROW[1] * self.work.pairs as f64;
        for side in 0..2 {
            let own = scene.cell(side, cells[side]);
            if (own.high - own.low).max_element() > narrow || may_leave(scene, held, side, cells[side]) {
                continue;
            }
            let outlasts = scene.slope(side, cells, self.upper(), true);
            if outlasts > self.step {
                self.add_border(scene, held, side, cells[side])?;
                held.bordered[side] = true;
                return Some(outlasts);
            }
        }
        None
    }

    /// Puts pairs of the boundary around a cell with the other part into the front; `None` where there is no room.
    fn add_border(&mut self, scene: &mut Scene<'_>, held: &Held, side: usize, cell: u32) -> Option<()> {
        let own = *scene.cell(side, cell);
        let border = scene.borders[side];
        for &piece in border.around(own.piece) {
            if !self.has_room(&scene.sides[side], held.parts[side]) {
                return None;
            }
            let body = &mut scene.sides[side];
            let is_near = |body: &Side<'_>, at: u32| {
                let other = body.cell(at);
                // Edges of files stand off their faces.
                let reach = (own.radius + other.radius) * (1.0 + BENDING) + other.gap;
                own.center.distance(other.center) <= reach
            };
            let mut at = body.root(piece);
            if !is_near(body, at) {
                continue;
            }
            while body.cell(at).radius > own.radius && body.cell(at).dimension > 0 {
                let room = body.can_cut(held.parts[side]);
                let halves = if room { body.halves(at, 0) } else { break };
                match halves.map(|half| is_near(body, half)) {
                    [true, false] => at = halves[0],
                    [false, true] => at = halves[1],
                    _ => break,
                }
            }
            let mut beside = Held { flat: false, sloped: false, foot: NONE, ..*held };
            beside.parts[side] = Part::Cell(at);
            beside.bordered[side] = false;
            self.enter(scene, beside, 0.0);
        }
        Some(())
    }

    /// The direction between the nearest points; zero where none are known.
    pub(super) fn normal(&self) -> DVec3 {
        let between = |best: &Best| {
            let over = best.distance.recip();
            let [a, b] = best.value.points;
            if over.is_finite() { (b - a) * over } else { DVec3::ZERO }
        };
        self.best.as_ref().map_or(DVec3::ZERO, between)
    }

    /// Whether the plane across the nearest points settles a pair of parts around them. Beside a sphere none does: its pairs
    /// are those of parts that are beyond. It is asked for in new fronts, and where it did before: it costs as much as a dozen looks.
    fn is_flat(&mut self, scene: &mut Scene<'_>, demand: &Demand, held: &mut Held) -> bool {
        if self.separation.is_on() || self.fresh > 0 && !held.flat {
            held.flat = false;
            return false;
        }
        let found = self.plane(scene, demand, held);
        held.flat = found.is_some();
        if let Some(lower) = found {
            self.hold(*held, lower);
        }
        found.is_some()
    }

    /// A bound from the plane across the nearest points on a pair of parts around them, if it is as good as asked.
    fn plane(&mut self, scene: &mut Scene<'_>, demand: &Demand, held: &Held) -> Option<f64> {
        let (normal, upper) = (self.normal(), self.upper());
        let Best { foot, value, .. } = self.best.as_ref().filter(|_| upper > demand.contact)?;
        let around = |side: usize| {
            let (center, radius) = scene.ball(side, held.parts[side]);
            value.points[side].distance(center) <= radius
        };
        if !(around(0) && around(1) && foot.is_crest(&scene.poses[0], normal, upper)) {
            return None;
        }
        let share = PLANE_SHARE * demand.max_error;
        let found = scene.plane(held.parts, normal, foot.points(), share, &mut self.waiting);
        found.filter(|lower| *lower >= upper - demand.max_error)
    }

    /// Whether a pair over which the distance was convex is settled by its nearest points. It is not asked again whether it is
    /// convex as long as that is known.
    fn settle(&mut self, scene: &mut Scene<'_>, demand: &Demand, held: &mut Held, cells: [u32; 2]) -> bool {
        let Settled { convex, until, .. } = self.feet[held.foot as usize];
        let stays = self.turning.motion() < until[0] && self.watched.turns.motion() < until[1];
        // What it says holds for motions of bodies that keep their shape.
        if stays && !scene.is_pliant() {
            let convex = convex.with_lost(scene.lost(cells));
            return self.settle_by(scene, demand, held, cells, Some((convex, until)));
        }
        let bend = scene.bend(cells);
        self.settle_with(scene, demand, held, cells, &bend)
    }

    fn settle_with(
        &mut self,
        scene: &Scene<'_>,
        demand: &Demand,
        held: &mut Held,
        cells: [u32; 2],
        bend: &Bend,
    ) -> bool {
        let [motion, turn] = [CONVEX_AHEAD * self.step, CONVEX_AHEAD * self.spin];
        let until = [self.turning.motion() + motion, self.watched.turns.motion() + turn];
        let convex = bend.convex(motion, turn);
        let convex = convex.map(|(convex, stays)| (convex, if stays { until } else { [0.0; 2] }));
        if convex.is_none() && !self.is_promising(scene, cells) {
            return false;
        }
        self.settle_by(scene, demand, held, cells, convex)
    }

    fn settle_by(
        &mut self,
        scene: &Scene<'_>,
        demand: &Demand,
        held: &mut Held,
        cells: [u32; 2],
        convex: Option<(Convex, [f64; 2])>,
    ) -> bool {
        let pieces = [scene.cell(0, cells[0]).piece, scene.cell(1, cells[1]).piece];
        let shapes = scene.pieces(pieces);
        let bounds = scene.bounds(cells);
        // The nearest points of all were followed in this frame.
        let best = self
            .best
            .as_ref()
            .filter(|Best { foot, .. }| foot.pieces == pieces && bounds.clamped(foot.at) == foot.at);
        if let (Some(Best { foot, value, distance }), Some((convex, until))) = (best, convex) {
            let lower = convex.lower_bound(&bounds, value);
            if lower >= distance - demand.max_error {
                let settled = Settled { foot: *foot, convex, until };
                self.keep(held, settled);
                self.hold(*held, lower);
                return true;
            }
        }
        let mut foot = match (&self.best, held.foot) {
            (Some(Best { foot, .. }), _) if foot.pieces == pieces && bounds.clamped(foot.at) == foot.at => {
                *foot
            }
            (_, known) if known != NONE => {
                let mut foot = self.feet[known as usize].foot;
                foot.reshape(shapes, scene.pliant);
                foot
            }
            (Some(Best { foot, .. }), _) if foot.pieces == pieces => *foot,
            _ => Foot::new(shapes, pieces, bounds.middle()),
        };
        let value = followed(shapes, &scene.poses[0], &mut foot, &bounds, &mut self.work.newton);
        self.offer(scene, foot, value);
        let Some((convex, until)) = convex else { return false };
        let lower = convex.lower_bound(&bounds, &value);
        if !(lower >= self.upper() - demand.max_error) {
            return false;
        }
        self.keep(held, Settled { foot, convex, until });
        self.hold(*held, lower);
        true
    }

    /// Whether a descent from the middle of two cells may find something nearer.
    fn is_promising(&mut self, scene: &Scene<'_>, cells: [u32; 2]) -> bool {
        let [(a, radius_a), (b, radius_b)] = [0, 1].map(|i| scene.ball(i, Part::Cell(cells[i])));
        let may = self.tries < FIRST_TRIES + (self.work.pairs / LOOKS_PER_TRY) as u32;
        let promising = may && a.distance(b) - 0.25 * (radius_a + radius_b) < self.upper();
        self.tries += u32::from(promising);
        promising
    }

    /// Takes a pair of points into account, if they are on both bodies.
    pub(super) fn offer(&mut self, scene: &Scene<'_>, foot: Foot, value: Value) {
        let distance = value.distance();
        // Among equally near points the last ones stay.
        if !(distance < self.upper() - self.tie) || !scene.holds(foot.pieces, [foot.local(0), foot.local(1)])
        {
            return;
        }
        self.best = Some(Best { foot, value, distance });
        for side in 0..2 {
            self.go_to_border(scene, side);
        }
    }

    /// Says of nearest points at the end of a face that they are on the edge there, which may be in no pair by itself.
    fn go_to_border(&mut self, scene: &Scene<'_>, side: usize) {
        let Some(Best { foot, distance, .. }) = &self.best else { return };
        let (local, piece) = (foot.local(side), foot.pieces[side]);
        let is_inside = |x: f64| x > 0.0 && x < 1.0;
        let around = scene.borders[side].around(piece);
        if around.is_empty() || is_inside(local.x) && is_inside(local.y) {
            return;
        }
        let (pose, place, bound) = (&scene.poses[0], foot.jet(side).point, distance + self.tie);
        let mut nearest: Option<(f64, u32, f64)> = None;
        for &piece in around {
            let whole = &scene.sides[side].tree.leaves()[piece as usize];
            for start in STARTS.into_iter().filter(|_| whole.dimension == 1) {
                let away = whole.point(DVec2::new(start, 0.0)).distance_squared(place);
                if nearest.is_none_or(|(least, ..)| away < least) {
                    nearest = Some((away, piece, start));
                }
            }
        }
        let Some((_, piece, start)) = nearest else { return };
        let (mut pieces, mut at) = (foot.pieces, foot.at);
        pieces[side] = piece;
        (at[2 * side], at[2 * side + 1]) = (start, 0.0);
        let shapes = scene.pieces(pieces);
        let bounds = Bounds::whole(shapes.map(|piece| piece.dimension));
        let mut foot = Foot::new(shapes, pieces, bounds.clamped(at));
        let value = followed(shapes, pose, &mut foot, &bounds, &mut self.work.newton);
        let distance = value.distance();
        if distance <= bound && scene.holds(foot.pieces, [foot.local(0), foot.local(1)]) {
            self.best = Some(Best { foot, value, distance });
        }
    }

    /// Keeps the nearest points of a pair.
    fn keep(&mut self, held: &mut Held, settled: Settled) {
        if held.foot != NONE {
            self.feet[held.foot as usize] = settled;
        } else if let Some(free) = self.free_feet.pop() {
            self.feet[free as usize] = settled;
            held.foot = free;
        } else if self.feet.len() < MOST_FEET {
            held.foot = self.feet.len() as u32;
            self.feet.push(settled);
        }
    }

    fn forget(&mut self, held: &mut Held) {
        if held.foot != NONE {
            self.free_feet.push(held.foot);
            held.foot = NONE;
        }
    }

    /// Whether two more pairs fit in, and what a part would be replaced by.
    fn has_room(&mut self, side: &Side<'_>, part: Part) -> bool {
        let held = self.by_bound.len().max(self.by_slope.len()).max(self.watched.len());
        let most = held + self.now.len() + self.stuck.len() + 2;
        self.full |= most > MOST_PAIRS || !side.can_cut(part);
        !self.full
    }

    /// Replaces a node by what is below it: the larger of two.
    fn open(&mut self, scene: &mut Scene<'_>, held: Held, lower: f64) {
        let size = |side: usize| match held.parts[side] {
            Part::Node(_) => scene.ball(side, held.parts[side]).1,
            Part::Cell(_) => -1.0,
        };
        let side = usize::from(size(1) > size(0));
        let Part::Node(node) = held.parts[side] else { return };
        if !self.has_room(&scene.sides[side], held.parts[side]) {
            return self.wait(scene, held, lower);
        }
        let with = |child: Part| {
            let mut below = Held { flat: false, ..held };
            below.parts[side] = child;
            below
        };
        match scene.sides[side].below(node) {
            Children::One(child) => self.enter(scene, with(child), lower),
            Children::Two(children) => {
                for child in children {
                    // Cells that have it in their closure say as much of it.
                    if !held.bordered[side] && scene.borders[side].is_spare(&scene.sides[side], child) {
                        continue;
                    }
                    let child = without_leaf(&mut scene.sides[side], child);
                    self.enter(scene, with(child), lower);
                }
            }
        }
    }

    /// Bounds a new pair, which lies in one that was bounded by `above`, and lets it wait.
    fn enter(&mut self, scene: &mut Scene<'_>, mut held: Held, above: f64) {
        let ask = self.upper() + AHEAD * self.step * scene.lever(held.parts);
        let slab = scene.slab(held.parts, [held.normal, self.normal()], ask);
        if slab.lower > above {
            (held.normal, held.along) = (slab.normal, true);
        }
        held.fresh = true;
        self.push(held, slab.lower.max(above));
    }

    /// Cuts one of two cells in the middle.
    fn cut(&mut self, scene: &mut Scene<'_>, held: Held, cells: [u32; 2], lower: f64) {
        let mut best = (0.0, 0, 0);
        for (side, &cell) in cells.iter().enumerate() {
            let normal = if side == 0 { held.normal } else { scene.poses[0].rotate_inverse(held.normal) };
            for (axis, score) in scene.sides[side].scores(cell, normal).into_iter().enumerate() {
                if score > best.0 {
                    best = (score, side, axis);
                }
            }
        }
        let (score, side, axis) = best;
        if !(score > 0.0) {
            // Two points, or cells at the end of numbers: the bound is what it is.
            self.stuck.push((held, lower));
            self.full |= self.stuck.len() == MOST_PAIRS;
            return;
        }
        if !self.has_room(&scene.sides[side], held.parts[side]) {
            return self.wait(scene, held, lower);
        }
        for half in scene.sides[side].halves(cells[side], axis) {
            if scene.cell(side, half).cover == Cover::Outside {
                continue;
            }
            let mut below = Held { flat: false, ..held };
            below.parts[side] = Part::Cell(half);
            self.enter(scene, below, lower);
        }
        self.work.cells += 2;
    }
}

/// Whether a slope along a cell may lead out of its feature: nothing is there, or it is in the front by itself.
fn may_leave(scene: &Scene<'_>, held: &Held, side: usize, cell: u32) -> bool {
    held.bordered[side] || scene.borders[side].around(scene.cell(side, cell).piece).is_empty()
}
