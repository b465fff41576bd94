//! The global minimum between an algebraic surface and another body, with a proven lower bound.
//!
//! Source: best-first branch and bound over pairs of parts, as between bodies made of pieces (`search.rs`); the parts of an
//! algebraic surface are boxes (Snyder 1992, without his normal form).
//! Differs: a box goes where its polynomial has no zero. Where it is a graph over two coordinates it is a cell as any other,
//! with slopes and convexity. Around points where the gradient vanishes, a point stands for the box.
//! Ends because: bounds meet within the error asked for, or a budget of pairs is used up, or cells cannot be cut any more.
//! Cost: some hundred to some thousand pairs for an isolated minimum, one or two microseconds each for a quadric.
//! Not promised: that an answer within its budget is as close as asked; its bounds say how close it is. Along a curve of
//! singular points the number of pairs grows as the inverse square root of the error.

use super::convexity;
use super::derivatives::Derivatives;
use super::descend::{Bounds, Value, descend};
use super::evaluation::Lost;
use super::flank::{Flank, On, Piecemeal};
use super::found::{Demand, Found, NearPair, SearchWork, note};
use super::proof::{ProofStep, Record};
use super::search::Waiting;
use super::side::{Cell, Children, Part};
use super::slab::Slab;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::{DVec3, Ranked};
use std::collections::BinaryHeap;

/// Descents from cells over which the distance is not known to be convex: at first, and one more for so many pairs.
const FIRST_TRIES: u32 = 12;
const PAIRS_PER_TRY: u64 = 16;

struct Search<'a, A, B> {
    a: &'a mut A,
    b: &'a mut B,
    demand: Demand,
    waiting: BinaryHeap<Ranked<Waiting>>,
    nearest: Option<NearPair>,
    ties: Vec<NearPair>,
    /// The least bound of what was put aside.
    aside: f64,
    work: SearchWork,
    turn: i64,
    tries: u32,
    record: Record,
}

/// Searches for the nearest points of two bodies in the frame of A.
pub(super) fn search_flanks<A: Flank, B: Flank>(a: &mut A, b: &mut B, demand: Demand) -> Found {
    let made = a.cells() + b.cells();
    // The nearest points first: a proof has no use for what finds them.
    let known = demand.proof.map(|_| search_flanks(a, b, Demand { proof: None, ..demand }));
    let (nearest, ties, work) =
        known.map_or_else(Default::default, |known| (known.nearest, known.ties, known.work));
    let mut search = Search {
        a,
        b,
        demand,
        waiting: BinaryHeap::new(),
        nearest,
        ties,
        aside: f64::INFINITY,
        work,
        turn: 0,
        tries: 0,
        record: Record::new(demand.proof.is_some()),
    };
    // What a proof says of an algebraic surface is about all of it: its walls are not told apart.
    let apart = demand.proof.is_none();
    for part_a in search.a.roots(apart) {
        for part_b in search.b.roots(apart) {
            search.push([part_a, part_b], None, 0);
        }
    }
    let mut found = search.run();
    found.work.cells = (a.cells() + b.cells()).saturating_sub(made) as u32;
    found
}

impl<A: Flank, B: Flank> Search<'_, A, B> {
    fn run(mut self) -> Found {
        let (mut proven, mut spent) = (true, false);
        let mut most_pairs = self.demand.max_pairs;
        while let Some(Ranked { item: next, .. }) = self.waiting.pop() {
            if self.aside < self.enough() && next.slab.lower >= self.aside {
                // Rounding keeps the bounds apart; a while longer, lest nearer points were missed.
                most_pairs = most_pairs.min(2 * self.work.pairs + PAIRS_WHEN_STUCK);
            }
            let met = next.slab.lower >= self.enough() || self.upper() <= self.demand.contact;
            spent = !met && self.demand.is_spent(self.work.pairs);
            if met || spent || self.work.pairs >= most_pairs {
                proven = met;
                self.set_aside(next.parts, &next.slab, next.mark);
                break;
            }
            self.work.pairs += 1;
            match next.parts {
                [Part::Cell(a), Part::Cell(b)] => self.visit([a, b], &next),
                parts => self.open(parts, next.mark),
            }
        }
        while let Some(Ranked { item: rest, .. }) = self.waiting.pop() {
            self.set_aside(rest.parts, &rest.slab, rest.mark);
        }
        let upper = self.upper();
        // Cells that could not be cut any more may have left a gap.
        proven &= upper <= self.demand.contact || self.aside >= self.enough();
        let lower = self.aside.min(upper).max(0.0);
        self.ties.retain(|tie| tie.distance <= upper + self.demand.max_error);
        self.ties.sort_by(|one, other| one.distance.total_cmp(&other.distance));
        let proof = self.record.steps();
        Found { nearest: self.nearest, lower, ties: self.ties, proven, spent, work: self.work, proof }
    }

    fn upper(&self) -> f64 {
        self.nearest.map_or(f64::INFINITY, |near| near.distance)
    }

    /// The lower bound from which on a pair of parts does not matter.
    fn enough(&self) -> f64 {
        self.upper() - self.demand.max_error
    }

    /// A pair of parts that no two points of come closer than a bound, but for the gaps of their features.
    fn set_aside(&mut self, parts: [Part; 2], slab: &Slab, mark: u32) {
        self.record.leaf(mark, ProofStep::Slab { normal: slab.normal.to_array() });
        self.take_off(parts, slab.lower);
    }

    fn take_off(&mut self, parts: [Part; 2], lower: f64) {
        self.aside = self.aside.min(lower - self.a.gap(parts[0]) - self.b.gap(parts[1]));
    }

    /// Bounds a pair of parts and lets it wait, unless it does not matter.
    fn push(&mut self, parts: [Part; 2], above: Option<&Slab>, mark: u32) {
        let mut found = slab(self.a, self.b, parts, self.enough());
        if let Some(above) = above
            && above.lower > found.lower
        {
            found = *above;
        }
        if found.lower >= self.enough() {
            self.set_aside(parts, &found, mark);
            return;
        }
        self.turn += 1;
        self.waiting.push(Waiting { slab: found, parts, mark }.ranked(self.turn));
    }

    /// Replaces a node by what is below it: the larger of two. A box larger than a node of several pieces is cut instead, so
    /// that both sides shrink together.
    fn open(&mut self, parts: [Part; 2], mark: u32) {
        let sizes = [self.a.ball(parts[0]).1, self.b.ball(parts[1]).1];
        let side = match parts {
            [Part::Node(_), Part::Node(_)] => usize::from(sizes[1] > sizes[0]),
            [Part::Node(_), Part::Cell(_)] => 0,
            _ => 1,
        };
        let opened = match (side, parts) {
            (0, [Part::Node(node), _]) => self.a.below(node),
            (_, [_, Part::Node(node)]) => self.b.below(node),
            _ => return,
        };
        let with = |child: Part| if side == 0 { [child, parts[1]] } else { [parts[0], child] };
        let other = 1 - side;
        match (opened, parts[other]) {
            (Children::One(child), _) => self.push(with(child), None, mark),
            (_, Part::Cell(at)) if sizes[other] > sizes[side] && self.cut_one(other, at, parts, mark) => {}
            (Children::Two([one, other]), _) => {
                let below = self.record.divide(mark, ProofStep::Open { side });
                self.push(with(one), None, below);
                self.push(with(other), None, self.record.next(below));
            }
        }
    }

    /// Cuts one cell across its most promising coordinate; false where it cannot be cut.
    fn cut_one(&mut self, side: usize, at: u32, parts: [Part; 2], mark: u32) -> bool {
        let between = self.b.middle(parts[1]) - self.a.middle(parts[0]);
        let along = between.try_normalize().unwrap_or(DVec3::Z);
        let scores = if side == 0 { self.a.scores(at, along) } else { self.b.scores(at, along) };
        let (score, axis) = best_of(&scores);
        if !(score > 0.0) {
            return false;
        }
        self.halve(side, at, axis, parts, None, mark);
        true
    }

    /// Looks at a pair of cells: it is settled or cut.
    fn visit(&mut self, at: [u32; 2], pair: &Waiting) {
        let (cell_a, near_a) = self.a.cell(at[0]);
        let (cell_b, near_b) = self.b.cell(at[1]);
        let cells = [&cell_a, &cell_b];
        if let Some(step) = self.slope(pair.parts, cells, [near_a, near_b]) {
            self.record.leaf(pair.mark, step);
            return;
        }
        let convex = !self.record.is_kept() && self.is_convex(at, cells);
        if convex && self.is_settled(at, cells, pair, Steps::None)
            || (convex || self.is_promising(cells)) && self.is_settled(at, cells, pair, Steps::All(convex))
        {
            return;
        }
        // Where the distance is convex, what a point stands for is all that keeps the bounds apart; if it cannot be cut, this
        // is how they stay.
        let wide = |cell: &Cell| if convex && cell.is_stand_in() { cell.slack } else { 0.0 };
        let wide = [wide(&cell_a), wide(&cell_b)];
        let cut_a = best_of(&self.a.scores(at[0], pair.slab.normal)).0 > 0.0;
        let cut_b = best_of(&self.b.scores(at[1], pair.slab.normal)).0 > 0.0;
        if wide[0] + wide[1] > 0.0 && !(cut_a && wide[0] > 0.0 || cut_b && wide[1] > 0.0) {
            let value = self.descend(at, cells, Steps::All(true));
            let lower = convexity::lower_bound(cells, &value, self.lost(cells));
            if lower >= pair.slab.lower {
                self.take_off(pair.parts, lower);
                return;
            }
        }
        self.cut(at, pair, wide);
    }

    fn is_convex(&mut self, at: [u32; 2], cells: [&Cell; 2]) -> bool {
        let derivatives = (self.a.derivatives(at[0]), self.b.derivatives(at[1]));
        let (Some(a), Some(b)) = derivatives else { return false };
        convexity::is_convex(cells, &[a, b])
    }

    /// Whether the distance of two cells has a slope everywhere along one of them.
    fn slope(
        &self,
        parts: [Part; 2],
        cells: [&Cell; 2],
        near: [Option<Derivatives>; 2],
    ) -> Option<ProofStep> {
        let between = self.b.middle(parts[1]) - self.a.middle(parts[0]);
        let balls = [self.a.ball(parts[0]), self.b.ball(parts[1])];
        let longest = balls[0].0.distance(balls[1].0) + balls[0].1 + balls[1].1;
        // A checker bounds derivatives in its own way.
        let margin = self.demand.proof.unwrap_or(1.0);
        for side in 0..2 {
            // What a checker can follow: pieces have derivatives, algebraic surfaces have none.
            if self.record.is_kept() && cells[side].degrees == [0; 2] {
                continue;
            }
            let Some(near) = near[side].as_ref() else { continue };
            let toward = if side == 0 { between } else { -between };
            let Some(weights) = near.steepest(cells[side].dimension, toward) else { continue };
            let [u, v] = &near.first;
            let along = u.center * weights[0] + v.center * weights[1];
            let error = weights[0].abs() * u.radius + weights[1].abs() * v.radius;
            let length = along.length();
            let Some(unit) = along.try_normalize() else { continue };
            let forward = if side == 0 { unit } else { -unit };
            let (high, lost) = self.a.height(parts[0], forward);
            let (low, lost_too) = self.b.height(parts[1], -forward);
            let reach = balls[0].0.abs().max_element() + longest;
            let apart = -low - high - lost - lost_too - HEIGHT_ERROR_REL * reach;
            if apart * length > margin * error * longest {
                return Some(ProofStep::Slope { side, weights });
            }
        }
        None
    }

    /// Whether a pair of cells over which the distance is convex is settled by its value at one point. What a descent
    /// finds is offered as the nearest pair.
    fn is_settled(&mut self, at: [u32; 2], cells: [&Cell; 2], pair: &Waiting, steps: Steps) -> bool {
        let value = self.descend(at, cells, steps);
        let convex = match steps {
            Steps::None => true,
            Steps::All(convex) => {
                self.offer(at, &value);
                convex
            }
        };
        let lower = convexity::lower_bound(cells, &value, self.lost(cells));
        let settled = convex && lower >= self.enough();
        if settled {
            self.take_off(pair.parts, lower);
        }
        settled
    }

    /// What evaluating two cells may lose.
    fn lost(&self, [a, b]: [&Cell; 2]) -> Lost {
        self.a.lost(a).with(self.b.lost(b))
    }

    /// Whether a descent from the middle of two cells may find something nearer.
    fn is_promising(&mut self, [a, b]: [&Cell; 2]) -> bool {
        let apart = a.center.distance(b.center);
        let may = self.tries < FIRST_TRIES + (self.work.pairs / PAIRS_PER_TRY) as u32;
        let promising = may && apart - 0.25 * (a.radius + b.radius) - a.slack - b.slack < self.upper();
        self.tries += u32::from(promising);
        promising
    }

    fn descend(&mut self, at: [u32; 2], [a, b]: [&Cell; 2], steps: Steps) -> Value {
        let mut bounds = Bounds::whole([a.dimension, b.dimension]);
        let middle = bounds.middle();
        let strict = matches!(steps, Steps::None | Steps::All(true));
        if !strict {
            let ([low_a, high_a], [low_b, high_b]) = (self.a.room(at[0]), self.b.room(at[1]));
            let (low, high) =
                ([low_a.x, low_a.y, low_b.x, low_b.y], [high_a.x, high_a.y, high_b.x, high_b.y]);
            for i in (0..4).filter(|&i| middle[i] > 0.0) {
                (bounds.low[i], bounds.high[i]) = (low[i], high[i]);
            }
        }
        let on_a = On { flank: &*self.a, at: at[0], strict };
        let on_b = On { flank: &*self.b, at: at[1], strict };
        match steps {
            Steps::None => Value::at(&on_a, &on_b, middle),
            Steps::All(_) => descend(&on_a, &on_b, middle, &bounds, &mut self.work.newton),
        }
    }

    /// Takes a pair of points into account, if they are on both bodies.
    fn offer(&mut self, at: [u32; 2], value: &Value) {
        let distance = (2.0 * value.half_square).sqrt();
        // Written so that NaN is refused.
        if !(distance <= self.upper() + self.demand.max_error) {
            return;
        }
        let [u, v, s, t] = value.at;
        let (in_a, in_b) = ([u, v].into(), [s, t].into());
        if !(self.a.holds(at[0], in_a, value.points[0]) && self.b.holds(at[1], in_b, value.points[1])) {
            return;
        }
        let (place_a, place_b) = (self.a.place(at[0], in_a), self.b.place(at[1], in_b));
        let pair = NearPair {
            distance,
            points: value.points,
            pieces: [place_a.0, place_b.0],
            local: [place_a.1, place_b.1],
        };
        if distance < self.upper() {
            self.nearest = Some(pair);
        }
        let limit = self.upper() + self.demand.max_error;
        note(&mut self.ties, pair, limit);
    }

    /// Cuts one of two cells in the middle; the one whose width is known to matter where there is one.
    fn cut(&mut self, at: [u32; 2], pair: &Waiting, wide: [f64; 2]) {
        let above = &pair.slab;
        let (score_a, axis_a) = best_of(&self.a.scores(at[0], above.normal));
        let (score_b, axis_b) = best_of(&self.b.scores(at[1], above.normal));
        let matters = [score_a > 0.0 && wide[0] > 0.0, score_b > 0.0 && wide[1] > 0.0];
        let first = match matters {
            [true, true] => wide[0] >= wide[1],
            [false, false] => score_a >= score_b,
            [first, _] => first,
        };
        let (side, axis) = if first { (0, axis_a) } else { (1, axis_b) };
        if !(score_a.max(score_b) > 0.0) {
            // Nothing left to cut: two points, or cells at the end of numbers.
            self.set_aside(pair.parts, above, pair.mark);
            return;
        }
        self.halve(side, at[side], axis, pair.parts, Some(above), pair.mark);
    }

    fn halve(
        &mut self,
        side: usize,
        at: u32,
        axis: usize,
        parts: [Part; 2],
        above: Option<&Slab>,
        mark: u32,
    ) {
        let halves = if side == 0 { self.a.cut(at, axis) } else { self.b.cut(at, axis) };
        let below = self.record.divide(mark, ProofStep::Halve { side, axis });
        for (half, mark) in halves.into_iter().zip([below, self.record.next(below)]) {
            match half {
                Piecemeal::Gone(why) => self.record.leaf(mark, why(side)),
                Piecemeal::Cell(cell) => {
                    let cell = Part::Cell(cell);
                    let parts = if side == 0 { [cell, parts[1]] } else { [parts[0], cell] };
                    self.push(parts, above, mark);
                }
            }
        }
    }
}

/// Pairs that a search still looks at when rounding keeps its bounds apart, beside as many as it has.
pub(super) const PAIRS_WHEN_STUCK: u64 = 1024;

/// Whether a descent goes on from its start; if so, whether the distance is convex over the cells.
#[derive(Clone, Copy)]
enum Steps {
    None,
    All(bool),
}

fn best_of(scores: &[f64; 3]) -> (f64, usize) {
    let best = (0..3).fold(0, |best, axis| if scores[axis] > scores[best] { axis } else { best });
    (scores[best], best)
}

/// A lower bound on the distance of two parts; `enough` is what is asked of it: a better one is not looked for.
fn slab(a: &impl Flank, b: &impl Flank, parts: [Part; 2], enough: f64) -> Slab {
    let ((center_a, radius_a), (center_b, radius_b)) = (a.ball(parts[0]), b.ball(parts[1]));
    let between = center_b - center_a;
    let distance = between.length();
    let reach = center_a.abs().max_element() + center_b.abs().max_element();
    let round = HEIGHT_ERROR_REL * (reach + distance);
    let first = between.try_normalize().unwrap_or(DVec3::Z);
    let mut best = Slab { lower: distance - radius_a - radius_b - round, normal: first };
    let middles = (b.middle(parts[1]) - a.middle(parts[0])).try_normalize();
    let normals = [a.normal(parts[0]), b.normal(parts[1])];
    let normals = normals.map(|normal| normal.map(|n| if n.dot(between) < 0.0 { -n } else { n }));
    for normal in [middles, normals[0], normals[1]].into_iter().flatten() {
        if best.lower >= enough {
            break;
        }
        let (high, lost) = a.height(parts[0], normal);
        let (low, lost_too) = b.height(parts[1], -normal);
        let lower = -low - high - lost - lost_too - round;
        if lower > best.lower {
            best = Slab { lower, normal };
        }
    }
    best
}
