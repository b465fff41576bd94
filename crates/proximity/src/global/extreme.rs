//! The lowest point of a body over a plane, with a proven lower bound: a half-space against any bounded body.
//!
//! Source: best-first branch and bound over the parts of one body; the signed distance is the least height of the body over
//! the plane, above it and below.
//! Differs: a cell goes where its heights have a slope everywhere, and closes where they are convex, so that one descent
//! finds the lowest.
//! Ends because: bounds meet within the error asked for, or a budget of parts is used up, or cells cannot be cut any more.
//! Cost: some ten parts for an isolated minimum.
//! Not promised: which of several lowest points is the witness.

use super::derivatives::Derivatives;
use super::flank::{Flank, Piecemeal};
use super::found::{Demand, SearchWork};
use super::level_search::PAIRS_WHEN_STUCK;
use super::proof::{ProofStep, Record};
use super::search::Waiting;
use super::side::{Cell, Children, Part};
use super::slab::Slab;
use crate::tolerance::{DESCENT_GAIN_REL, HEIGHT_ERROR_REL};
use clearance_geometry::{DVec2, DVec3, Ranked};
use std::collections::BinaryHeap;

/// Steps of a descent.
const STEPS: usize = 40;

/// Halvings of a step.
const HALVINGS: usize = 40;

/// Descents from cells that are not known to be convex: at first, and one more for so many parts.
const FIRST_TRIES: u64 = 8;
const PARTS_PER_TRY: u64 = 8;

/// The lowest point found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    pub(super) height: f64,
    pub(super) point: DVec3,
    pub(super) place: (u32, DVec2),
}

/// What a search for the lowest point found.
#[derive(Debug)]
pub(super) struct Extreme {
    pub(super) lowest: Option<Lowest>,
    /// Proven: no point is lower.
    pub(super) lower: f64,
    pub(super) proven: bool,
    pub(super) work: SearchWork,
    pub(super) proof: Option<Vec<ProofStep>>,
}

/// A plane in the frame of A, with what its place may be off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub(super) normal: DVec3,
    pub(super) offset: f64,
    pub(super) slack: f64,
}

struct Search<'a, F> {
    flank: &'a mut F,
    plane: Level,
    /// Which body it is.
    side: usize,
    /// The search ends where a point is lower than this.
    goal: f64,
    demand: Demand,
    waiting: BinaryHeap<Ranked<Waiting>>,
    lowest: Option<Lowest>,
    aside: f64,
    work: SearchWork,
    turn: i64,
    tries: u64,
    record: Record,
}

/// Searches for the lowest point of a body over a plane; ends early at a point below `goal`.
pub(super) fn lowest<F: Flank>(
    flank: &mut F,
    plane: Level,
    side: usize,
    goal: f64,
    demand: Demand,
) -> Extreme {
    // The lowest point first: a proof has no use for what finds it.
    let known = demand.proof.map(|_| lowest(flank, plane, side, goal, Demand { proof: None, ..demand }));
    let mut search = Search {
        flank,
        plane,
        side,
        goal,
        demand,
        waiting: BinaryHeap::new(),
        lowest: known.as_ref().and_then(|known| known.lowest),
        aside: f64::INFINITY,
        work: known.map_or_else(SearchWork::default, |known| known.work),
        turn: 0,
        tries: 0,
        record: Record::new(demand.proof.is_some()),
    };
    for part in search.flank.roots(demand.proof.is_none()) {
        search.push(part, f64::NEG_INFINITY, 0);
    }
    search.run()
}

impl<F: Flank> Search<'_, F> {
    fn run(mut self) -> Extreme {
        let mut ended = true;
        let mut most_parts = self.demand.max_pairs;
        while let Some(Ranked { item: next, .. }) = self.waiting.pop() {
            if self.aside < self.enough() && next.slab.lower >= self.aside {
                // Rounding keeps the bounds apart; a while longer, lest lower points were missed.
                most_parts = most_parts.min(2 * self.work.pairs + PAIRS_WHEN_STUCK);
            }
            let met = next.slab.lower >= self.enough() || self.upper() < self.goal;
            if met || self.work.pairs >= most_parts {
                ended = met;
                self.set_aside(next.parts[0], next.slab.lower, next.mark);
                break;
            }
            self.work.pairs += 1;
            match next.parts[0] {
                Part::Cell(at) => self.visit(at, &next),
                Part::Node(node) => self.open(node, next.mark),
            }
        }
        while let Some(Ranked { item: rest, .. }) = self.waiting.pop() {
            self.set_aside(rest.parts[0], rest.slab.lower, rest.mark);
        }
        let proven = ended && (self.aside >= self.enough() || self.upper() < self.goal);
        self.work.cells = self.flank.cells() as u32;
        Extreme {
            lowest: self.lowest,
            lower: self.aside.min(self.upper()),
            proven,
            work: self.work,
            proof: self.record.steps(),
        }
    }

    fn upper(&self) -> f64 {
        self.lowest.map_or(f64::INFINITY, |low| low.height)
    }

    fn enough(&self) -> f64 {
        self.upper() - self.demand.max_error
    }

    fn set_aside(&mut self, part: Part, lower: f64, mark: u32) {
        self.record.leaf(mark, self.step());
        self.take_off(part, lower);
    }

    /// The slab between the half-space and a part, from A to B.
    fn step(&self) -> ProofStep {
        let normal = if self.side == 1 { self.plane.normal } else { -self.plane.normal };
        ProofStep::Slab { normal: normal.to_array() }
    }

    fn take_off(&mut self, part: Part, lower: f64) {
        self.aside = self.aside.min(lower - self.flank.gap(part));
    }

    fn push(&mut self, part: Part, above: f64, mark: u32) {
        let (high, lost) = self.flank.height(part, -self.plane.normal);
        let (center, radius) = self.flank.ball(part);
        let reach = center.abs().max_element() + radius + self.plane.offset.abs();
        let lower = -high - lost - self.plane.offset - self.plane.slack - HEIGHT_ERROR_REL * reach;
        let lower = lower.max(above);
        if lower >= self.enough() {
            self.set_aside(part, lower, mark);
            return;
        }
        self.turn += 1;
        let slab = Slab { lower, normal: self.plane.normal };
        self.waiting.push(Waiting { slab, parts: [part; 2], mark }.ranked(self.turn));
    }

    fn open(&mut self, node: u32, mark: u32) {
        match self.flank.below(node) {
            Children::One(child) => self.push(child, f64::NEG_INFINITY, mark),
            Children::Two([one, other]) => {
                let below = self.record.divide(mark, ProofStep::Open { side: self.side });
                self.push(one, f64::NEG_INFINITY, below);
                self.push(other, f64::NEG_INFINITY, self.record.next(below));
            }
        }
    }

    fn visit(&mut self, at: u32, part: &Waiting) {
        let (cell, near) = self.flank.cell(at);
        if let Some(weights) = near.and_then(|near| self.slope(&cell, &near)) {
            // A checker knows the derivatives of pieces only.
            if !self.record.is_kept() || cell.degrees != [0; 2] {
                self.record.leaf(part.mark, ProofStep::Slope { side: self.side, weights });
                return;
            }
        }
        let derivatives = if self.record.is_kept() { None } else { self.flank.derivatives(at) };
        let convex = derivatives.is_some_and(|found| self.is_convex(&cell, &found));
        let may = self.tries < FIRST_TRIES + self.work.pairs / PARTS_PER_TRY;
        if convex || may {
            self.tries += 1;
            let (value, local, gradient) = self.descend(at, &cell, convex);
            self.offer(at, value, local);
            if convex {
                let fall: f64 = (0..cell.dimension)
                    .map(|i| f64::min(-local[i] * gradient[i], (1.0 - local[i]) * gradient[i]))
                    .sum();
                let reach = cell.center.abs().max_element() + cell.radius + self.plane.offset.abs();
                let lost = cell.slack + self.plane.slack + HEIGHT_ERROR_REL * reach;
                let lower = self.over(value) + fall - lost;
                if lower >= self.enough() {
                    self.take_off(Part::Cell(at), lower);
                    return;
                }
            }
        }
        self.cut(at, part);
    }

    /// A tangent along which the heights of a cell have one slope.
    fn slope(&self, cell: &Cell, near: &Derivatives) -> Option<[f64; 2]> {
        let weights = near.steepest(cell.dimension, self.plane.normal)?;
        let [u, v] = &near.first;
        let along = u.center * weights[0] + v.center * weights[1];
        let error = weights[0].abs() * u.radius + weights[1].abs() * v.radius;
        let rounding = HEIGHT_ERROR_REL * along.length();
        // A checker bounds derivatives in its own way.
        let margin = self.demand.proof.unwrap_or(1.0);
        (self.plane.normal.dot(along).abs() > margin * error + rounding).then_some(weights)
    }

    /// Whether the heights of a cell are strictly convex; those of a point are.
    fn is_convex(&self, cell: &Cell, derivatives: &Derivatives) -> bool {
        let bend = |i: usize| {
            let ball = &derivatives.second[i];
            let rounding = HEIGHT_ERROR_REL * ball.center.length();
            (self.plane.normal.dot(ball.center), ball.radius + rounding)
        };
        let least = |i: usize| bend(i).0 - bend(i).1;
        match cell.dimension {
            0 => true,
            1 => least(0) > 0.0,
            _ => {
                let mixed = bend(1).0.abs() + bend(1).1;
                least(0) > 0.0
                    && least(2) > 0.0
                    && least(0) * least(2) > mixed * mixed * (1.0 + HEIGHT_ERROR_REL)
            }
        }
    }

    fn over(&self, point: DVec3) -> f64 {
        self.plane.normal.dot(point) - self.plane.offset
    }

    /// The lowest point that descending finds, its parameters, and the slopes there.
    fn descend(&mut self, at: u32, cell: &Cell, strict: bool) -> (DVec3, DVec2, [f64; 2]) {
        let n = self.plane.normal;
        let mut local = DVec2::splat(0.5);
        for axis in cell.dimension..2 {
            local[axis] = 0.0;
        }
        let [low, high] = if strict { [DVec2::ZERO, DVec2::ONE] } else { self.flank.room(at) };
        let mut jet = self.flank.jet(at, local, strict);
        for _ in 0..STEPS {
            self.work.newton += 1;
            let gradient = [n.dot(jet.u), n.dot(jet.v)];
            let free = [0, 1].map(|i| {
                i < cell.dimension
                    && !(local[i] <= low[i] && gradient[i] >= 0.0)
                    && !(local[i] >= high[i] && gradient[i] <= 0.0)
            });
            let bends = [n.dot(jet.uu), n.dot(jet.uv), n.dot(jet.vv)];
            let step = newton(gradient, bends, free);
            let mut share = 1.0;
            let mut better = None;
            for _ in 0..HALVINGS {
                let next = (local + step * share).clamp(low, high);
                let gain = gradient[0] * (local.x - next.x) + gradient[1] * (local.y - next.y);
                if !(gain > DESCENT_GAIN_REL * cell.radius) {
                    break;
                }
                let there = self.flank.jet(at, next, strict);
                if n.dot(there.point - jet.point) < 0.0 {
                    better = Some((next, there));
                    break;
                }
                share *= 0.5;
            }
            let Some((next, there)) = better else { break };
            (local, jet) = (next, there);
        }
        (jet.point, local, [n.dot(jet.u), n.dot(jet.v)])
    }

    fn offer(&mut self, at: u32, point: DVec3, local: DVec2) {
        let height = self.over(point);
        if height < self.upper() && self.flank.holds(at, local, point) {
            self.lowest = Some(Lowest { height, point, place: self.flank.place(at, local) });
        }
    }

    fn cut(&mut self, at: u32, part: &Waiting) {
        let scores = self.flank.scores(at, self.plane.normal);
        let axis = (0..3).fold(0, |best, axis| if scores[axis] > scores[best] { axis } else { best });
        if !(scores[axis] > 0.0) {
            self.set_aside(part.parts[0], part.slab.lower, part.mark);
            return;
        }
        let halves = self.flank.cut(at, axis);
        let below = self.record.divide(part.mark, ProofStep::Halve { side: self.side, axis });
        for (half, mark) in halves.into_iter().zip([below, self.record.next(below)]) {
            match half {
                Piecemeal::Gone(why) => self.record.leaf(mark, why(self.side)),
                Piecemeal::Cell(cell) => self.push(Part::Cell(cell), part.slab.lower, mark),
            }
        }
    }
}

/// Newton's step along the parameters that are free; where heights are not convex, down the slope across the cell.
fn newton(gradient: [f64; 2], [uu, uv, vv]: [f64; 3], free: [bool; 2]) -> DVec2 {
    let down = |g: f64, bend: f64| if bend > 0.0 { -g / bend } else { -g.signum() };
    match free {
        [false, false] => DVec2::ZERO,
        [true, false] => DVec2::new(down(gradient[0], uu), 0.0),
        [false, true] => DVec2::new(0.0, down(gradient[1], vv)),
        [true, true] => {
            let area = uu * vv - uv * uv;
            if uu > 0.0 && area > 0.0 {
                let step =
                    DVec2::new(vv * gradient[0] - uv * gradient[1], uu * gradient[1] - uv * gradient[0]);
                return -step / area;
            }
            -DVec2::from_array(gradient).normalize_or_zero()
        }
    }
}
