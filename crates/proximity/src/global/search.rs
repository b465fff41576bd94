//! The global minimum between two bodies, with a proven lower bound.
//!
//! Source: best-first branch and bound over pairs of parts (Johnson and Cohen's lower and upper bounds, over Bézier pieces
//! as in 003 §4.1–4.2): nodes of both trees, then pieces, then their halves.
//! Differs: every feature is searched without its boundary, which has pieces of its own. So a pair of cells goes where a
//! slab keeps it away, where no critical pair of points can be inside it, where it is outside its face, or where half the
//! squared distance is convex over it, so that the nearest points found by descent close it.
//! Ends because: bounds meet within the error asked for, or a budget of pairs is used up, or cells cannot be cut any more.
//! Cost: some hundred pairs for an isolated minimum, each about a microsecond. Where nearest points are not isolated the
//! number grows as the inverse square root of the error for a curve of them, as its inverse for an area.
//! Not promised: that an answer within its budget is as close as asked; its bounds say how close it is.

use super::convexity;
use super::derivatives::Derivatives;
use super::descend::{Bounds, Shape, Value, descend};
use super::free;
use super::plane;
use super::proof::{ProofStep, Record};
use super::side::{Cell, Children, Memory, Part, Side};
use super::slab::{Slab, slab};
use crate::tolerance::{HEIGHT_ERROR_REL, SAME_PLACE_REL};
use clearance_geometry::pieces::{self, PieceTree};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{Body, DVec2, DVec3, DVec4, Pose, Ranked};
use std::collections::BinaryHeap;

/// What a search is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// How far the lower bound may be below the distance; a length.
    pub max_error: f64,
    /// Points this close are in contact, and the search ends; a length.
    pub contact: f64,
    /// Most pairs of parts that are looked at.
    pub max_pairs: u64,
    /// Whether to keep the proof, and by which margin its slopes are to hold; the search is longer then.
    pub proof: Option<f64>,
}

/// Work of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchWork {
    /// Pairs of parts looked at.
    pub pairs: u64,
    /// Newton steps.
    pub newton: u32,
    /// Cells made of both bodies.
    pub cells: u32,
}

/// A pair of points, one on each body, that no neighbours come closer than.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// Their distance.
    pub distance: f64,
    /// The points, in the frame of A.
    pub points: [DVec3; 2],
    /// The pieces that they are on, by their place in each tree.
    pub pieces: [u32; 2],
    /// Local parameters on the pieces.
    pub local: [DVec2; 2],
}

impl NearPair {
    /// Whether another pair is at the same place, within a length for both points together.
    pub(super) fn is_near(&self, other: &Self, near: f64) -> bool {
        let apart = |i: usize| self.points[i].distance(other.points[i]);
        apart(0) + apart(1) <= near
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The nearest pair; `None` where nothing at all was found within the budget.
    pub nearest: Option<NearPair>,
    /// Proven: no two points are closer. Where edges do not lie on their faces, that gap is taken off.
    pub lower: f64,
    /// Pairs as near as the nearest, within the error asked for, at different places; the nearest first.
    pub ties: Vec<NearPair>,
    /// Whether the bounds met within the error asked for, the gaps of edges left aside.
    pub proven: bool,
    /// Work done.
    pub work: SearchWork,
    /// The proof of the lower bound, where it was asked for.
    pub proof: Option<Vec<ProofStep>>,
}

/// A pair of parts that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) slab: Slab,
    pub(super) parts: [Part; 2],
    /// Its place in the proof.
    pub(super) mark: u32,
}

impl Waiting {
    /// The least bound first; of equal ones the later, so that the search goes down first.
    pub(super) fn ranked(self, turn: i64) -> Ranked<Self> {
        Ranked { rank: -self.slab.lower, turn, item: self }
    }
}

/// Memory of a search, kept for the next.
#[derive(Clone, Debug, Default)]
pub struct SearchMemory {
    pub(super) sides: [Memory; 2],
    waiting: BinaryHeap<Ranked<Waiting>>,
    parts: Vec<Part>,
}

/// A cell as a surface over 0 … 1.
pub(super) struct Over<'a> {
    pub(super) degrees: [usize; 2],
    pub(super) net: &'a [DVec4],
}

impl Shape for Over<'_> {
    fn jet(&self, local: DVec2) -> SurfaceJet {
        pieces::jet(self.degrees, self.net, local)
    }
}

struct Search<'a> {
    a: Side<'a>,
    b: Side<'a>,
    demand: Demand,
    waiting: &'a mut BinaryHeap<Ranked<Waiting>>,
    nearest: Option<NearPair>,
    ties: Vec<NearPair>,
    /// The least bound of what was put aside.
    aside: f64,
    work: SearchWork,
    turn: i64,
    tries: u32,
    record: Record,
    /// The least bound of pairs that could not be cut any more.
    stuck: f64,
    /// Whether the nearest points were found after the last try to prove them by a plane.
    untried: bool,
    /// Memory for that.
    parts: &'a mut Vec<Part>,
}

/// Searches for the nearest points of the boundaries of A and of B at `pose_ab`.
pub fn search(
    bodies: [&Body; 2],
    trees: [&PieceTree; 2],
    pose_ab: &Pose,
    demand: Demand,
    memory: &mut SearchMemory,
) -> Found {
    let SearchMemory { sides: [of_a, of_b], waiting, parts } = memory;
    waiting.clear();
    let mut search = Search {
        a: Side::new(bodies[0], trees[0], Pose::IDENTITY, of_a),
        b: Side::new(bodies[1], trees[1], *pose_ab, of_b),
        demand,
        waiting,
        nearest: None,
        ties: Vec::new(),
        aside: f64::INFINITY,
        work: SearchWork::default(),
        turn: 0,
        tries: 0,
        record: Record::new(demand.proof.is_some()),
        stuck: f64::INFINITY,
        untried: false,
        parts,
    };
    search.push([Part::Node(0), Part::Node(0)], None, 0);
    search.run()
}

impl Search<'_> {
    fn run(mut self) -> Found {
        let mut proven = true;
        while let Some(Ranked { item: next, .. }) = self.waiting.pop() {
            let met = next.slab.lower >= self.enough() || self.upper() <= self.demand.contact;
            if met || self.work.pairs >= self.demand.max_pairs {
                proven = met;
                self.set_aside(next.parts, &next.slab, next.mark);
                break;
            }
            self.work.pairs += 1;
            match next.parts {
                [Part::Cell(a), Part::Cell(b)] => self.visit(a, b, &next),
                parts => self.open(parts, next.mark),
            }
            if let Some(lower) = self.plane()
                && lower >= self.enough()
            {
                // Nothing that waits can be closer.
                self.waiting.clear();
                (self.aside, self.stuck) = (lower, lower);
                break;
            }
        }
        while let Some(Ranked { item: rest, .. }) = self.waiting.pop() {
            self.set_aside(rest.parts, &rest.slab, rest.mark);
        }
        let upper = self.upper();
        proven &= self.stuck >= self.enough() || upper <= self.demand.contact;
        let lower = self.aside.min(upper).max(0.0);
        self.work.cells = (self.a.cell_count() + self.b.cell_count()) as u32;
        self.ties.retain(|tie| tie.distance <= upper + self.demand.max_error);
        self.ties.sort_by(|one, other| one.distance.total_cmp(&other.distance));
        let proof = self.record.steps();
        Found { nearest: self.nearest, lower, ties: self.ties, proven, work: self.work, proof }
    }

    /// A proven lower bound as good as is asked for, from a plane across the nearest points found so far; tried once for
    /// each of them.
    fn plane(&mut self) -> Option<f64> {
        let near = self.nearest.filter(|near| self.untried && near.distance > self.demand.contact)?;
        self.untried = false;
        if self.record.is_kept() {
            return None;
        }
        let normal = (near.points[1] - near.points[0]) / near.distance;
        let share = 0.25 * self.demand.max_error;
        let limit = [near.points[0].dot(normal) + share, -near.points[1].dot(normal) + share];
        let high = plane::highest(&mut self.a, normal, limit[0], self.parts)?;
        let low = plane::highest(&mut self.b, -normal, limit[1], self.parts)?;
        // The normal is of unit length but for rounding.
        let reach = near.points[0].abs().max(near.points[1].abs()).max_element();
        Some(-low - high - 8.0 * HEIGHT_ERROR_REL * reach)
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

    /// A bound on a pair of parts that is settled, but for the gaps of their features.
    fn take_off(&mut self, parts: [Part; 2], lower: f64) {
        let gap = |side: &Side, part: Part| if let Part::Cell(at) = part { side.cell(at).gap } else { 0.0 };
        self.aside = self.aside.min(lower - gap(&self.a, parts[0]) - gap(&self.b, parts[1]));
    }

    /// Bounds a pair of parts and lets it wait, unless it does not matter.
    fn push(&mut self, parts: [Part; 2], above: Option<&Slab>, mark: u32) {
        let mut found = slab(&self.a, &self.b, parts, self.enough());
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

    /// Replaces a node by what is below it: the larger of two.
    fn open(&mut self, parts: [Part; 2], mark: u32) {
        let size = |radius: f64, part: Part| if matches!(part, Part::Node(_)) { radius } else { -1.0 };
        let first = size(self.a.ball(parts[0]).1, parts[0]) >= size(self.b.ball(parts[1]).1, parts[1]);
        let opened = match (first, parts) {
            (true, [Part::Node(node), _]) => self.a.below(node),
            (_, [_, Part::Node(node)]) => self.b.below(node),
            _ => return,
        };
        let with = |child: Part| if first { [child, parts[1]] } else { [parts[0], child] };
        match opened {
            Children::One(child) => self.push(with(child), None, mark),
            Children::Two([one, other]) => {
                let below = self.record.divide(mark, ProofStep::Open { side: usize::from(!first) });
                self.push(with(one), None, below);
                self.push(with(other), None, self.record.next(below));
            }
        }
    }

    /// Looks at a pair of cells: it is settled or cut.
    fn visit(&mut self, a: u32, b: u32, pair: &Waiting) {
        let (cell_a, cell_b) = (*self.a.cell(a), *self.b.cell(b));
        let derivatives = [self.a.derivatives(a), self.b.derivatives(b)];
        if let Some(step) = self.slope([&cell_a, &cell_b], &derivatives) {
            self.record.leaf(pair.mark, step);
            return;
        }
        let convex = !self.record.is_kept() && convexity::is_convex([&cell_a, &cell_b], &derivatives);
        if convex && self.is_settled([&cell_a, &cell_b], pair, Steps::None)
            || (convex || self.is_promising(&cell_a, &cell_b))
                && self.is_settled([&cell_a, &cell_b], pair, Steps::All(convex))
            || self.work.pairs > WEAK_AFTER && self.is_nearly_settled([&cell_a, &cell_b], &derivatives, pair)
        {
            return;
        }
        self.cut(a, b, pair);
    }

    /// Whether a pair of cells next to a curve of nearest points is settled: there the distance is convex only nearly.
    fn is_nearly_settled(
        &mut self,
        cells: [&Cell; 2],
        derivatives: &[Derivatives; 2],
        pair: &Waiting,
    ) -> bool {
        if self.record.is_kept() {
            return false;
        }
        let first = self.descend(cells[0], cells[1], Steps::None);
        if convexity::weak_lower_bound(cells, derivatives, &first) < 0.5 * self.upper() {
            return false;
        }
        let value = self.descend(cells[0], cells[1], Steps::All(false));
        self.offer(cells[0], cells[1], &value);
        let lower = convexity::weak_lower_bound(cells, derivatives, &value);
        let settled = lower >= self.enough();
        if settled {
            self.take_off(pair.parts, lower);
        }
        settled
    }

    /// Whether the distance of two cells has a slope everywhere along one of them.
    fn slope(&self, cells: [&Cell; 2], derivatives: &[Derivatives; 2]) -> Option<ProofStep> {
        let sides = [&self.a, &self.b];
        // A checker bounds derivatives in its own way.
        let margin = self.demand.proof.unwrap_or(1.0);
        (0..2).find_map(|side| {
            if cells[side].dimension == 0 {
                return None;
            }
            let other = 1 - side;
            let found = free::slope(
                sides[side],
                sides[other],
                cells[side],
                cells[other],
                &derivatives[side],
                margin,
            )?;
            Some(ProofStep::Slope { side, weights: found.0 })
        })
    }

    /// Whether a pair of cells over which the distance is convex is settled by its value at one point. What a descent
    /// finds is offered as the nearest pair.
    fn is_settled(&mut self, cells: [&Cell; 2], pair: &Waiting, steps: Steps) -> bool {
        let value = self.descend(cells[0], cells[1], steps);
        let convex = match steps {
            Steps::None => true,
            Steps::All(convex) => {
                self.offer(cells[0], cells[1], &value);
                convex
            }
        };
        let lower = convexity::lower_bound(cells, &value);
        let settled = convex && lower >= self.enough();
        if settled {
            self.take_off(pair.parts, lower);
        }
        settled
    }

    /// Whether a descent from the middle of two cells may find something nearer.
    fn is_promising(&mut self, a: &Cell, b: &Cell) -> bool {
        let apart = a.center.distance(b.center);
        let may = self.tries < FIRST_TRIES + (self.work.pairs / PAIRS_PER_TRY) as u32;
        let promising = may && apart - 0.25 * (a.radius + b.radius) < self.upper();
        self.tries += u32::from(promising);
        promising
    }

    fn descend(&mut self, a: &Cell, b: &Cell, steps: Steps) -> Value {
        let over_a = Over { degrees: a.degrees, net: self.a.net(a) };
        let over_b = Over { degrees: b.degrees, net: self.b.net(b) };
        let bounds = Bounds::whole([a.dimension, b.dimension]);
        let middle = bounds.middle();
        match steps {
            Steps::None => Value::at(&over_a, &over_b, middle),
            Steps::All(_) => descend(&over_a, &over_b, middle, &bounds, &mut self.work.newton),
        }
    }

    /// Takes a pair of points into account, if they are on both bodies.
    fn offer(&mut self, a: &Cell, b: &Cell, value: &Value) {
        let distance = (2.0 * value.half_square).sqrt();
        if !(distance <= self.upper() + self.demand.max_error) {
            return;
        }
        let local = [piece_local(a, &value.at[..2]), piece_local(b, &value.at[2..])];
        if !(self.a.holds(a, local[0]) && self.b.holds(b, local[1])) {
            return;
        }
        let pair = NearPair { distance, points: value.points, pieces: [a.piece, b.piece], local };
        if distance < self.upper() {
            self.untried |= distance < self.upper() - self.demand.max_error;
            self.nearest = Some(pair);
        }
        let limit = self.upper() + self.demand.max_error;
        note(&mut self.ties, pair, limit);
    }

    /// Cuts one of two cells in the middle.
    fn cut(&mut self, a: u32, b: u32, pair: &Waiting) {
        let above = &pair.slab;
        let scores = [self.a.scores(a, above.normal), self.b.scores(b, above.normal)];
        let mut best = (f64::NEG_INFINITY, 0, 0);
        for (side, scores) in scores.iter().enumerate() {
            for (axis, score) in scores.iter().enumerate() {
                if *score > best.0 {
                    best = (*score, side, axis);
                }
            }
        }
        let (score, side, axis) = best;
        if !(score > 0.0) {
            // Nothing left to cut: two points, or cells at the end of numbers.
            self.stuck = self.stuck.min(above.lower);
            self.set_aside(pair.parts, above, pair.mark);
            return;
        }
        let halves = if side == 0 { self.a.halves(a, axis) } else { self.b.halves(b, axis) };
        let below = self.record.divide(pair.mark, ProofStep::Halve { side, axis });
        for (half, mark) in halves.into_iter().zip([below, self.record.next(below)]) {
            let owner = if side == 0 { &self.a } else { &self.b };
            if owner.cell(half).cover == Cover::Outside {
                self.record.leaf(mark, ProofStep::Outside { side });
                continue;
            }
            let parts =
                if side == 0 { [Part::Cell(half), Part::Cell(b)] } else { [Part::Cell(a), Part::Cell(half)] };
            self.push(parts, Some(above), mark);
        }
    }
}

/// Whether a descent goes on from its start; if so, whether the distance is convex over the cells.
#[derive(Clone, Copy)]
enum Steps {
    None,
    All(bool),
}

/// Descents from cells over which the distance is not known to be convex: at first, and one more for so many pairs.
pub(super) const FIRST_TRIES: u32 = 12;
pub(super) const PAIRS_PER_TRY: u64 = 16;

/// Pairs after which nearest points are taken to be a curve or an area.
const WEAK_AFTER: u64 = 2_000;

/// Most pairs of points kept as equally near.
const MOST_TIES: usize = 64;

/// The share of a cell's length that counts beside the spread of its heights.
pub(super) const LENGTH_SHARE: f64 = 0.25;

/// Keeps a pair of points as a tie, once for each place; ties farther apart than `limit` are none any more.
pub(super) fn note(ties: &mut Vec<NearPair>, pair: NearPair, limit: f64) {
    let size = pair.points[0].abs().max(pair.points[1].abs()).max_element();
    ties.retain(|tie| tie.distance <= limit);
    match ties.iter().position(|tie| tie.is_near(&pair, SAME_PLACE_REL * size)) {
        Some(at) if pair.distance < ties[at].distance => ties[at] = pair,
        None if ties.len() < MOST_TIES => ties.push(pair),
        _ => {}
    }
}

/// The longest row of control points along u and along v.
pub(super) fn lengths([p, q]: [usize; 2], points: &[DVec3]) -> [f64; 2] {
    let at = |i: usize, j: usize| points[i * (q + 1) + j];
    let along_u = (0..=q).fold(0.0_f64, |most, j| most.max(at(0, j).distance(at(p, j))));
    let along_v = (0..=p).fold(0.0_f64, |most, i| most.max(at(i, 0).distance(at(i, q))));
    [along_u, along_v]
}

/// Parameters of a cell as those of its piece.
pub(super) fn piece_local(cell: &Cell, at: &[f64]) -> DVec2 {
    cell.low + (cell.high - cell.low) * DVec2::new(at[0], at[1])
}
