//! The point of a body's boundary nearest to a given point, with a proven lower bound.
//!
//! Source: branch and bound over the boxes of the body's pieces, then over their cells (as `search`, with a point for the
//! other body), the nearer half first.
//! Differs: cells are kept from point to point with the bounds of their derivatives. A first descent over a whole piece gives
//! a point before anything is bounded, and the largest cell around it that has nothing nearer is settled at once. A cell goes
//! where its box keeps it away, where the distance has a slope all over it, where Taylor's terms at its middle are large enough
//! all over it, or where the tangent plane of half the squared distance at one place of it is below the function all over it
//! (`point_bowl`); a descent ends as soon as that shows that the cell has nothing nearer.
//! Ends because: parts are counted.
//! Cost: some tens of parts for a point with one nearest point, each some hundred instructions, and evaluations on some of
//! them. A field for many points holds the cells of a small body against a point row by row, without a tree (`point_sweep`);
//! at the 32nd point it makes all of them, as far as their number is limited. Which cells there are, and so every answer, is
//! decided by the body alone, whatever was asked before.
//! Not promised: an answer where many points are nearly equally near (around a focal point): then there is none, and the
//! search between two bodies is asked.

use super::answer::Prepared;
use super::evaluation::Lost;
use super::found::{Demand, Found, NearPair, SearchWork};
use super::point_away::{apart, has_slope, tangent_bound};
use super::point_bowl::Cubics;
use super::point_cells::{PointCell, PointCells};
use super::point_sweep::{Place, Rounding};
use super::point_value::{Value, local_on, most_of, newton_step, solve};
use crate::tolerance::{DESCENT_GAIN_REL, HEIGHT_ERROR_REL};
use clearance_geometry::bound::Obb;
use clearance_geometry::tiled;
use clearance_geometry::{Below, DVec2, DVec3};

/// Most parts looked at.
const MOST_PARTS: u64 = 3_000;

/// Newton steps, and halvings of one.
const STEPS: usize = 24;
const HALVINGS: usize = 12;

/// A descent goes on while so many times what a step promises at first would lead to something nearer.
const HOPEFUL: f64 = 4.0;

/// Points after which cells that are usually asked for are made at once: about as many as cost as much as these do.
const ASKED_OFTEN: u32 = 32;

/// Most cuts to the cell around the nearest point that is settled first.
const DEEPEST_CLOSED: usize = 12;
const STEADY_CLOSED: u32 = 3;

/// Most parts on the way to the first point.
const DEEPEST: usize = 64;

/// Descents on cells over which the distance is not known to be convex: at first, and one more for so many parts.
const FIRST_TRIES: u64 = 1;
const PARTS_PER_TRY: u64 = 32;

#[derive(Clone, Copy, Debug)]
enum Part {
    Node(u32),
    Cell(u32),
}

/// The cells of one body for points, kept from point to point. It must always be asked about the same body.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointField {
    cells: PointCells,
    /// Parts with their bounds; the last is next.
    waiting: Vec<(f64, Part)>,
    /// Entries of rows that are near.
    near: Vec<u32>,
    /// How many points were asked about.
    asked: u32,
    /// Whether small bodies are swept over: decided once, so that no answer depends on what was asked before.
    sweeps: bool,
}

/// The nearest point found, with the cell it was found on.
#[derive(Clone, Copy, Debug)]
struct Best {
    piece: u32,
    /// By the parameters of the whole piece.
    value: Value,
    /// What cutting may have moved the cell that it was evaluated on.
    drift: f64,
}

/// A rectangle of a piece that is settled.
#[derive(Clone, Copy, Debug)]
struct Closed {
    piece: u32,
    low: DVec2,
    high: DVec2,
}

impl Closed {
    fn holds(&self, piece: u32, low: DVec2, high: DVec2) -> bool {
        self.piece == piece && low.cmpge(self.low).all() && high.cmple(self.high).all()
    }
}

struct Search<'a> {
    ready: &'a Prepared,
    point: DVec3,
    demand: &'a Demand,
    field: &'a mut PointField,
    /// The largest coordinate of the point.
    reach: f64,
    /// The distance from which on points do not matter.
    below: f64,
    nearest: Option<NearPair>,
    /// What is known at the nearest point.
    best: Option<Best>,
    closed: Option<Closed>,
    aside: f64,
    stuck: f64,
    tries: u64,
    work: SearchWork,
}

impl PointField {
    /// For many points: cells of a small body are made beforehand, each where points come near to it.
    pub(crate) fn for_many() -> Self {
        Self { sweeps: true, ..Self::default() }
    }

    /// The nearest boundary point; `None` where it takes too long.
    pub(crate) fn nearest(&mut self, ready: &Prepared, point: DVec3, demand: &Demand) -> Option<Found> {
        self.nearest_below(ready, point, demand, f64::INFINITY)
    }

    /// As [`PointField::nearest`], of points closer than a distance: where there are none, only the bound is found, which is no
    /// more than that distance.
    pub(crate) fn nearest_below(
        &mut self,
        ready: &Prepared,
        point: DVec3,
        demand: &Demand,
        below: f64,
    ) -> Option<Found> {
        self.cells.make_ready(ready.tree().leaves().len());
        let is_swept = self.sweeps && self.cells.is_small(ready);
        self.asked = self.asked.saturating_add(1);
        if is_swept && self.asked == ASKED_OFTEN {
            self.cells.prepare(ready);
        }
        self.waiting.clear();
        let mut search = Search {
            ready,
            point,
            demand,
            field: self,
            reach: point.abs().max_element(),
            below,
            nearest: None,
            best: None,
            closed: None,
            aside: f64::INFINITY,
            stuck: f64::INFINITY,
            tries: 0,
            work: SearchWork::default(),
        };
        if is_swept {
            search.sweep();
        } else {
            let lower = search.apart(&ready.tree().root().bound);
            search.dive();
            search.field.waiting.push((lower, Part::Node(0)));
        }
        search.run()
    }
}

impl Search<'_> {
    /// A first point from the cell that the nearest middles lead to, then all cells that are not too far to matter, the nearest
    /// last.
    fn sweep(&mut self) {
        let point = self.point;
        if let Some(first) = self.nearest_middle() {
            self.descend_bent(first);
            self.close_around_best();
        }
        // Of the difference of two coordinates, and of its length.
        let rounding = Rounding { lost: 4.0 * HEIGHT_ERROR_REL * self.reach, error: 8.0 * HEIGHT_ERROR_REL };
        let (length, enough) = (self.upper() + self.field.cells.sweep.gap(), self.enough());
        let PointField { cells, waiting, near, .. } = &mut *self.field;
        near.clear();
        cells.sweep.gather_near(cells.sweep.blocks(), point, length, rounding, near);
        while let Some(entry) = near.pop() {
            let Place { bound, gap, piece, low, high } = cells.sweep.place(entry);
            let lower = apart(bound, point, self.reach);
            if lower >= enough {
                let known = lower - *gap;
                self.aside = if known < self.aside { known } else { self.aside };
                continue;
            }
            if self.closed.as_ref().is_some_and(|closed| closed.holds(*piece, *low, *high)) {
                continue;
            }
            let at = cells.sweep.entry(entry).cell;
            if let Some(row) = cells.row_below(self.ready, entry) {
                cells.sweep.gather_near(row, point, length, rounding, near);
            } else {
                let before = waiting.partition_point(|(other, _)| *other > lower);
                waiting.insert(before, (lower, Part::Cell(at)));
            }
        }
        // The others are that far and more, gaps included.
        self.aside = self.aside.min(self.upper());
    }

    /// The cell that the nearest middles lead to, row by row.
    fn nearest_middle(&mut self) -> Option<u32> {
        let cells = &mut self.field.cells;
        let mut row = cells.sweep.blocks();
        loop {
            let entry = cells.sweep.nearest_of(row, self.point)?;
            match cells.row_below(self.ready, entry) {
                Some(below) => row = below,
                None => return Some(cells.sweep.entry(entry).cell),
            }
        }
    }

    /// Finds the largest cell around the best point that has nothing nearer by the tangent plane there.
    fn close_around_best(&mut self) {
        let Some(best) = self.best else { return };
        let mut at = self.field.cells.root(self.ready, best.piece);
        let mut left = STEADY_CLOSED;
        for _ in 0..DEEPEST_CLOSED {
            let Some(cell) = self.field.cells.look_at(self.ready, at) else { return };
            if !cell.rough {
                let off = self.point - cell.bound.center;
                let (_, bowl) = self.field.cells.look_closer_at(self.ready, at);
                let cubics = bowl.cubics(off, off.length());
                let cell = self.field.cells.cell(at);
                let lost = self.field.cells.lost(cell);
                let known = self.best_on(cell, &lost);
                if let Some((value, lost)) = known
                    && let Some(bound) = self.proven(cell, &value, &lost, Some(&cubics))
                {
                    self.closed = Some(Closed { piece: cell.piece, low: cell.low, high: cell.high });
                    self.set_aside(Part::Cell(at), bound);
                    return;
                }
                left -= 1;
                if left == 0 {
                    return;
                }
            }
            let Some(halves) = self.field.cells.halves(self.ready, at) else { return };
            let holds = |half: &u32| {
                let cell = self.field.cells.cell(*half);
                best.value.at.cmpge(cell.low).all() && best.value.at.cmple(cell.high).all()
            };
            match halves.into_iter().flatten().find(holds) {
                Some(half) => at = half,
                None => return,
            }
        }
    }

    /// A first point: on the cell that is reached by going to the nearer half, until tangents are known well.
    fn dive(&mut self) {
        let mut part = Part::Node(0);
        for _ in 0..DEEPEST {
            let halves = match part {
                Part::Node(node) => match self.ready.tree().nodes()[node as usize].below {
                    Below::Nodes(pair) => pair.map(|child| Some(Part::Node(child))),
                    Below::Leaf(piece) => [Some(Part::Cell(self.field.cells.root(self.ready, piece))), None],
                },
                Part::Cell(at) => match self.field.cells.look_at(self.ready, at) {
                    Some(cell) if cell.rough => match self.field.cells.halves(self.ready, at) {
                        Some(halves) => halves.map(|half| half.map(Part::Cell)),
                        None => return,
                    },
                    Some(_) => return self.descend_whole(at),
                    None => return,
                },
            };
            let nearer = halves.into_iter().flatten().map(|half| (self.apart(self.bound(half)), half));
            match nearer.min_by(|one, other| one.0.total_cmp(&other.0)) {
                Some((_, half)) => part = half,
                None => return,
            }
        }
    }

    /// Descends over all of a piece from where a cell of it promises most.
    fn descend_whole(&mut self, at: u32) {
        let cell = self.field.cells.cell(at);
        let start = start_on(cell, None, self.point - cell.bound.center);
        self.descend_from(at, start);
    }

    /// As [`Search::descend_whole`], from where second derivatives at the middle of the cell lead.
    fn descend_bent(&mut self, at: u32) {
        if !self.field.cells.look_at(self.ready, at).is_some_and(|cell| !cell.rough && cell.dimension == 2) {
            return self.descend_whole(at);
        }
        let (_, bowl) = self.field.cells.look_closer_at(self.ready, at);
        let terms = bowl.terms(self.point);
        match solve(terms.gradient, terms.bend) {
            Some(step) => {
                self.descend_from(at, (DVec2::splat(0.5) + step).max(DVec2::ZERO).min(DVec2::ONE));
            }
            None => self.descend_whole(at),
        }
    }

    /// Descends over all of a piece from parameters of a cell of it.
    fn descend_from(&mut self, at: u32, start: DVec2) {
        let cell = self.field.cells.cell(at);
        let (most, start) = (most_of(cell), cell.low + (cell.high - cell.low) * start);
        let root = self.field.cells.root(self.ready, cell.piece);
        let whole = *self.field.cells.cell(root);
        self.field.cells.make_evaluable(self.ready, whole.piece);
        let value = self.descend(&whole, None, start, most);
        self.offer(&whole, &value);
        self.tries += 1;
    }

    fn bound(&self, part: Part) -> &Obb {
        match part {
            Part::Node(at) => &self.ready.tree().nodes()[at as usize].bound,
            Part::Cell(at) => &self.field.cells.cell(at).bound,
        }
    }

    fn run(mut self) -> Option<Found> {
        while let Some((lower, part)) = self.field.waiting.pop() {
            if lower >= self.enough() || self.upper() <= self.demand.contact {
                self.set_aside(part, lower);
                continue;
            }
            self.work.pairs += 1;
            if self.work.pairs > MOST_PARTS {
                return None;
            }
            match part {
                Part::Node(node) => match self.ready.tree().nodes()[node as usize].below {
                    Below::Nodes(pair) => self.push(pair.map(|child| Some(Part::Node(child)))),
                    Below::Leaf(piece) => {
                        let cell = self.field.cells.root(self.ready, piece);
                        self.push([Some(Part::Cell(cell)), None]);
                    }
                },
                Part::Cell(at) => self.visit(at, lower),
            }
        }
        let upper = self.upper();
        let proven = self.stuck >= self.enough() || upper <= self.demand.contact;
        let lower = self.aside.min(upper).max(0.0);
        (self.nearest.is_some() || self.below.is_finite()).then_some(Found {
            nearest: self.nearest,
            lower,
            // A point asks for one nearest point; nothing is allocated for others.
            ties: Vec::new(),
            proven,
            spent: !proven && self.demand.is_spent(self.work.pairs),
            work: self.work,
            proof: None,
        })
    }

    fn upper(&self) -> f64 {
        self.nearest.map_or(self.below, |near| near.distance)
    }

    /// The lower bound from which on a part does not matter.
    fn enough(&self) -> f64 {
        self.upper() - self.demand.max_error
    }

    /// A bound on a part that is settled, but for the gap of its feature.
    fn set_aside(&mut self, part: Part, lower: f64) {
        let gap = if let Part::Cell(at) = part { self.field.cells.cell(at).gap } else { 0.0 };
        self.aside = self.aside.min(lower - gap);
    }

    /// Bounds parts and lets those wait that matter, the nearest last.
    fn push(&mut self, parts: [Option<Part>; 2]) {
        let [one, other] = parts.map(|part| {
            let part = part?;
            let lower = self.apart(self.bound(part));
            if lower >= self.enough() {
                self.set_aside(part, lower);
                return None;
            }
            Some((lower, part))
        });
        let first_is_nearer = one.zip(other).is_some_and(|(one, other)| one.0 < other.0);
        let (far, near) = if first_is_nearer { (other, one) } else { (one, other) };
        self.field.waiting.extend(far.into_iter().chain(near));
    }

    /// How far a box is at least.
    #[inline]
    fn apart(&self, bound: &Obb) -> f64 {
        apart(bound, self.point, self.reach)
    }

    /// Looks at a cell: it is settled or cut.
    fn visit(&mut self, at: u32, lower: f64) {
        let Some(cell) = self.field.cells.look_at(self.ready, at) else { return };
        let rough = cell.rough;
        let mut cubics = None;
        if !rough {
            let off = self.point - cell.bound.center;
            let length = off.length();
            if has_slope(cell, off, length, self.reach) {
                return;
            }
            let (_, bowl) = self.field.cells.look_closer_at(self.ready, at);
            let (bounds, terms) = (bowl.cubics(off, length), bowl.terms(self.point));
            let (cell, bowl) = self.field.cells.known_closer(at);
            let least = bowl.least(cell.dimension, &terms, &bounds, &self.field.cells.lost(cell));
            let bound = (2.0 * least).max(0.0).sqrt() - cell.slack;
            if bound >= self.enough() {
                return self.set_aside(Part::Cell(at), bound);
            }
            let start = start_on(cell, self.best.as_ref(), off);
            cubics = bowl.is_likely(cell.dimension, &terms, start, &bounds).then_some(bounds);
        }
        if (cubics.is_some() || self.may_try(at, rough)) && self.settle(at, cubics.as_ref()) {
            return;
        }
        match self.field.cells.halves(self.ready, at) {
            Some(halves) => self.push(halves.map(|half| half.map(Part::Cell))),
            None => {
                self.stuck = self.stuck.min(lower);
                self.set_aside(Part::Cell(at), lower);
            }
        }
    }

    /// Descends on a cell; whether its tangent plane shows that the cell has nothing nearer, which takes bounds on third
    /// derivatives.
    fn settle(&mut self, at: u32, cubics: Option<&Cubics>) -> bool {
        self.tries += u64::from(cubics.is_none());
        let cell = *self.field.cells.cell(at);
        self.field.cells.make_evaluable(self.ready, cell.piece);
        let lost = self.field.cells.lost(&cell);
        let most = most_of(&cell);
        let mut bound = None;
        let start = match self.best_on(&cell, &lost) {
            // Most often all is known there.
            Some((value, lost)) => {
                bound = self.proven(&cell, &value, &lost, cubics);
                let is_flat = tangent_bound(&cell, &lost, &value) >= self.enough();
                (bound.is_none() && !is_flat).then_some(value.at)
            }
            None => Some(start_on(&cell, self.best.as_ref(), self.point - cell.bound.center)),
        };
        if let Some(start) = start {
            let value = self.descend(&cell, cubics.map(|cubics| (cubics, &lost)), start, most);
            self.offer(&cell, &value);
            bound = self.proven(&cell, &value, &lost, cubics);
        }
        if let Some(bound) = bound {
            self.set_aside(Part::Cell(at), bound);
        }
        bound.is_some()
    }

    /// The bound that the tangent plane at a value gives for its cell, where it is one and enough.
    fn proven(&self, cell: &PointCell, value: &Value, lost: &Lost, cubics: Option<&Cubics>) -> Option<f64> {
        let bound = tangent_bound(cell, lost, value);
        let is_enough = bound >= self.enough();
        (is_enough && cubics?.is_proven(cell.dimension, value, lost)).then_some(bound)
    }

    /// Whether to descend on a cell that is not known to be convex: a rough one, whose middle says little, only when
    /// nothing else gave a point.
    fn may_try(&self, at: u32, rough: bool) -> bool {
        let earned = self.work.pairs / PARTS_PER_TRY;
        self.tries < FIRST_TRIES + earned
            && (!rough || earned > 0 && self.nearest.is_none())
            && self.point.distance(self.field.cells.cell(at).bound.center) < self.upper()
    }

    /// Half the squared distance at parameters of a cell.
    fn value(&self, cell: &PointCell, at: DVec2) -> Value {
        self.field.cells.value(cell, self.point, at)
    }

    /// The best point so far by the parameters of a cell of the same piece that has it.
    fn best_on(&self, cell: &PointCell, lost: &Lost) -> Option<(Value, Lost)> {
        let best = self.best.filter(|best| best.piece == cell.piece)?;
        let (at, width) = (local_on(cell, best.value.at), cell.high - cell.low);
        let inside = at == at.max(DVec2::ZERO).min(most_of(cell));
        // Two nets of one piece differ by what cutting them may have lost.
        inside.then(|| (best.value.scaled(at, width), lost.off_by(best.drift + cell.drift)))
    }

    /// The nearest point of a cell to be found from a start, no farther than it takes to see that the cell does not matter.
    fn descend(
        &mut self,
        cell: &PointCell,
        cubics: Option<(&Cubics, &Lost)>,
        start: DVec2,
        most: DVec2,
    ) -> Value {
        let clamped = |at: DVec2| at.max(DVec2::ZERO).min(most);
        let mut here = self.value(cell, start);
        for _ in 0..STEPS {
            let is_proven =
                cubics.is_some_and(|(cubics, lost)| self.proven(cell, &here, lost, Some(cubics)).is_some());
            if cell.dimension == 0 || is_proven {
                break;
            }
            self.work.newton += 1;
            let step = newton_step(&here, most);
            let gain = |at: DVec2| here.gradient.dot(here.at - at);
            // Toward another minimum than the nearest.
            let missing = here.half_square - 0.5 * self.upper() * self.upper();
            if HOPEFUL * gain(clamped(here.at + step)) < missing {
                break;
            }
            let mut share = 1.0;
            let mut next = None;
            for _ in 0..HALVINGS {
                let at = clamped(here.at + step * share);
                if !(gain(at) > DESCENT_GAIN_REL * here.half_square) {
                    break;
                }
                let there = self.value(cell, at);
                if there.half_square < here.half_square {
                    next = Some(there);
                    break;
                }
                share *= 0.5;
            }
            match next {
                Some(there) => here = there,
                None => {
                    // No gain to be had: the whole step makes the gradient smaller.
                    let there = self.value(cell, clamped(here.at + step));
                    let close = there.half_square <= here.half_square * (1.0 + DESCENT_GAIN_REL);
                    return if close { there } else { here };
                }
            }
        }
        here
    }

    /// Takes a point of a cell into account, if it is on the body.
    fn offer(&mut self, cell: &PointCell, value: &Value) {
        let distance = (2.0 * value.half_square).sqrt();
        if !(distance < self.upper()) {
            return;
        }
        let local = cell.low + (cell.high - cell.low) * value.at;
        let piece = &self.ready.tree().leaves()[cell.piece as usize];
        let on_face = !piece.trimmed
            || piece
                .face(self.ready.body())
                .is_none_or(|face| face.side(piece.span.parameters(local)) != tiled::Side::Outside);
        if on_face {
            let (points, pieces) = ([value.foot, self.point], [cell.piece, 0]);
            self.nearest = Some(NearPair { distance, points, pieces, local: [local, DVec2::ZERO] });
            let width = cell.high - cell.low;
            let along = |axis: usize| if cell.dimension > axis { 1.0 / width[axis] } else { 1.0 };
            let value = value.scaled(local, DVec2::new(along(0), along(1)));
            self.best = Some(Best { piece: cell.piece, value, drift: cell.drift });
        }
    }
}

/// Where a descent on a cell begins: as near to the best point of the same piece as parameters go, else where the tangent
/// plane at the middle, from which the point is `off`, is nearest.
fn start_on(cell: &PointCell, best: Option<&Best>, off: DVec3) -> DVec2 {
    let most = most_of(cell);
    let start = match best {
        Some(best) if best.piece == cell.piece => local_on(cell, best.value.at),
        _ if cell.dimension == 2 => 0.5 * most + DVec2::new(cell.dual[0].dot(off), cell.dual[1].dot(off)),
        _ => 0.5 * most,
    };
    start.max(DVec2::ZERO).min(most)
}
