//! The global minimum between two bodies, with a proven lower bound.
//!
//! Source: best-first branch and bound over pairs of parts (Johnson and Cohen's lower and upper bounds, over Bézier pieces
//! as in 003 §4.1–4.2): nodes of both trees, then pieces, then their halves.
//! Differs: every feature is searched without its boundary, which has pieces of its own. So a pair of cells goes where a
//! slab keeps it away, where no critical pair of points can be inside it, where it is outside its face, or where half the
//! squared distance is convex over it, so that the nearest points found by descent close it. Until points are known the
//! search goes straight down to some; a plane across the nearest ones may prove them for both bodies at once, and
//! if not, heights of all control points along its normal bound pairs of nodes. A convex body stays whole until what is left
//! of the other is small (see `beside`).
//! Ends because: bounds meet within the error asked for, or within rounding where that is more, or a budget of pairs or the time
//! is used up, or cells cannot be cut any more.
//! Cost: some tens of pairs where one plane proves the first points found, else some hundred for an isolated minimum. Where
//! nearest points are not isolated the number grows with a power of the inverse of the error.
//! Not promised: that an answer within its budget is as close as asked; its bounds say how close it is.

use super::convexity;
use super::derivatives::Ball;
use super::descend::{Bounds, Parameters, Shape, Value, descend, descend_below};
use super::evaluation::Lost;
use super::few::Whole;
use super::found::{Demand, Found, NearPair, SearchWork, note};
use super::free;
use super::proof::{ProofStep, Record};
use super::side::{Cell, Memory, Part, Side};
use super::slab::{Slab, slab};
use super::symmetric;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::pieces::{self, Piece, PieceTree};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{Body, DVec2, DVec3, DVec4, Pose, Ranked};
use std::collections::BinaryHeap;

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
    few: [Vec<Whole>; 2],
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

pub(super) struct Search<'a> {
    pub(super) a: Side<'a>,
    pub(super) b: Side<'a>,
    pub(super) demand: Demand,
    waiting: &'a mut BinaryHeap<Ranked<Waiting>>,
    pub(super) nearest: Option<NearPair>,
    ties: Vec<NearPair>,
    /// The least bound of what was put aside.
    pub(super) aside: f64,
    pub(super) work: SearchWork,
    /// How far bounds may stay below the distance: what was asked for, or what rounding allows.
    pub(super) error: f64,
    turn: i64,
    pub(super) record: Record,
    /// The least bound of pairs that could not be cut any more.
    pub(super) stuck: f64,
    /// Whether the nearest points were found after the last try to prove them by a plane.
    pub(super) untried: bool,
    /// Memory for that.
    pub(super) parts: &'a mut Vec<Part>,
    /// Whether it began with all pairs of pieces, and knows of no nodes.
    pub(super) is_of_few: bool,
    /// Memory for balls around all pieces of both bodies.
    pub(super) few: &'a mut [Vec<Whole>; 2],
    /// The direction across the nearest points, once the heights of all nodes along it are known.
    pub(super) surveyed: Option<DVec3>,
    /// While no points are known: the most promising pair, before all that wait.
    ahead: Option<(f64, Waiting)>,
    /// The number of pairs from which on a descent from anywhere is tried again, and how long the next wait is.
    pub(super) next_try: u64,
    patience: u64,
    /// Looks at profiles about common axes.
    pub(super) turned_looks: u64,
}

/// Searches for the nearest points of the boundaries of A and of B at `pose_ab`.
pub fn search(
    bodies: [&Body; 2],
    trees: [&PieceTree; 2],
    pose_ab: &Pose,
    demand: Demand,
    memory: &mut SearchMemory,
) -> Found {
    let SearchMemory { sides: [of_a, of_b], waiting, parts, few } = memory;
    waiting.clear();
    waiting.reserve(FIRST_WAITING);
    // A checker knows the frame of A alone.
    let origin = if demand.proof.is_none() { origin_near(trees) } else { DVec3::ZERO };
    let from_origin = |pose: &Pose| pose.with_translation(pose.translation() - origin);
    let mut search = Search {
        a: Side::new(bodies[0], trees[0], from_origin(&Pose::IDENTITY), of_a),
        b: Side::new(bodies[1], trees[1], from_origin(pose_ab), of_b),
        demand,
        waiting,
        nearest: None,
        ties: Vec::new(),
        aside: f64::INFINITY,
        work: SearchWork::default(),
        error: demand.max_error,
        turn: 0,
        record: Record::new(demand.proof.is_some()),
        stuck: f64::INFINITY,
        untried: false,
        parts,
        is_of_few: false,
        few,
        surveyed: None,
        ahead: None,
        next_try: 0,
        patience: 1,
        turned_looks: 0,
    };
    // A checker knows of pieces alone.
    if demand.proof.is_none() {
        search.keep_convex_whole();
    }
    if !search.begin_with_few() {
        search.push([Part::Node(0), Part::Node(0)], None, 0);
    }
    let mut found = search.run();
    if origin != DVec3::ZERO {
        for pair in found.nearest.iter_mut().chain(&mut found.ties) {
            pair.points = pair.points.map(|point| point + origin);
        }
    }
    found
}

/// The middle of A where it is far from the origin of its frame beside the size of both bodies, else that origin: bounds lose to
/// rounding as much as coordinates are large.
fn origin_near(trees: [&PieceTree; 2]) -> DVec3 {
    let [a, b] = trees.map(PieceTree::whole);
    let size = a.half.length() + b.half.length();
    if a.center.abs().max_element() > FAR_SIZES * size { a.center } else { DVec3::ZERO }
}

impl Search<'_> {
    fn run(mut self) -> Found {
        let (mut proven, mut spent) = (true, false);
        while let Some(next) = self.next() {
            self.allow_for_rounding();
            let met = next.slab.lower >= self.enough() || self.upper() <= self.demand.contact;
            spent = !met && (self.demand.is_spent(self.work.pairs) || self.a.is_full() || self.b.is_full());
            if met || spent {
                proven = met;
                self.set_aside(next.parts, &next.slab, next.mark);
                break;
            }
            self.work.pairs += 1;
            match next.parts {
                [Part::Cell(a), Part::Cell(b)] => self.visit(a, b, &next),
                _ => self.open(&next),
            }
            if let Some(lower) = self.plane().filter(|lower| *lower >= self.enough()) {
                // Nothing that waits can be closer.
                self.waiting.clear();
                self.ahead = None;
                (self.aside, self.stuck) = (lower, lower);
                break;
            }
        }
        while let Some(rest) = self.next() {
            self.set_aside(rest.parts, &rest.slab, rest.mark);
        }
        self.polish();
        // Naming may move the points apart by rounding; no bound is above those that were found.
        let found = self.upper();
        self.name_rims();
        self.name_vertices();
        let upper = self.upper();
        proven &= self.stuck >= self.enough() || upper <= self.demand.contact;
        let lower = self.aside.min(found).min(upper).max(0.0);
        // Bounds that met within rounding alone are not what was asked for.
        proven &= upper <= self.demand.contact
            || self.error == self.demand.max_error
            || lower >= upper - self.demand.max_error;
        self.work.cells = (self.a.cell_count() + self.b.cell_count()) as u32;
        self.ties.retain(|tie| tie.distance <= upper + self.demand.max_error);
        self.ties.sort_by(|one, other| one.distance.total_cmp(&other.distance));
        let proof = self.record.steps();
        Found { nearest: self.nearest, lower, ties: self.ties, proven, spent, work: self.work, proof }
    }

    /// Descends once more from the nearest points, which may have been left as near as was asked for.
    fn polish(&mut self) {
        let Some(near) = self.nearest else { return };
        let [a, b] = [self.a.root(near.pieces[0]), self.b.root(near.pieces[1])];
        let roots = [*self.a.cell(a), *self.b.cell(b)];
        let [p, q] = near.local;
        self.descend_from(&roots, [p.x, p.y, q.x, q.y], f64::INFINITY);
        if let Some(near) = self.nearest {
            self.cross(&near);
        }
    }

    /// Names the nearest points that are vertices so, whichever piece they were found on the rim of.
    fn name_vertices(&mut self) {
        let Some(near) = &mut self.nearest else { return };
        for (i, side) in [&self.a, &self.b].into_iter().enumerate() {
            let leaves = side.tree.leaves();
            let own = &leaves[near.pieces[i] as usize];
            let is_end = |t: f64| t == 0.0 || t == 1.0;
            if own.dimension == 0 || !(0..own.dimension).all(|axis| is_end(near.local[i][axis])) {
                continue;
            }
            let is_vertex = |piece: &Piece| piece.dimension == 0 && piece.leaf == own.leaf;
            for (at, piece) in leaves.iter().enumerate().filter(|(_, piece)| is_vertex(piece)) {
                let mut points = near.points;
                points[i] = side.pose.apply(piece.point(DVec2::ZERO));
                let distance = points[0].distance(points[1]);
                // Of points that are as near, but for rounding.
                let size = points[i].abs().max_element();
                let moved = points[i].distance(near.points[i]);
                if moved <= 4.0 * HEIGHT_ERROR_REL * size && distance <= near.distance + self.demand.contact {
                    (near.points, near.distance) = (points, distance);
                    (near.pieces[i], near.local[i]) = (at as u32, DVec2::ZERO);
                    break;
                }
            }
        }
    }

    /// Descends over two whole pieces, as long as it may lead to points closer than `goal`.
    pub(super) fn descend_from(&mut self, [a, b]: &[Cell; 2], start: Parameters, goal: f64) {
        let over_a = Over { degrees: a.degrees, net: self.a.net(a) };
        let over_b = Over { degrees: b.degrees, net: self.b.net(b) };
        let bounds = Bounds::whole([a.dimension, b.dimension]);
        let goal = 0.5 * goal * goal;
        let value = descend_below(&over_a, &over_b, start, &bounds, goal, &mut self.work.newton);
        self.offer(a, b, &value);
    }

    /// The pair to look at: the one with the least bound, or while no points are known the one that leads to some soonest.
    fn next(&mut self) -> Option<Waiting> {
        if let Some((_, ahead)) = self.ahead.take() {
            if self.nearest.is_none() {
                return Some(ahead);
            }
            self.wait(ahead);
        }
        self.waiting.pop().map(|ranked| ranked.item)
    }

    fn wait(&mut self, pair: Waiting) {
        self.turn += 1;
        self.waiting.push(pair.ranked(self.turn));
    }

    /// A pair of parts that no two points of come closer than a bound, but for the gaps of their features.
    pub(super) fn set_aside(&mut self, parts: [Part; 2], slab: &Slab, mark: u32) {
        self.record.leaf(mark, ProofStep::Slab { normal: slab.normal.to_array() });
        self.take_off(parts, slab.lower);
    }

    /// A bound on a pair of parts that is settled, but for the gaps of their features.
    pub(super) fn take_off(&mut self, parts: [Part; 2], lower: f64) {
        let gap = |side: &Side, part: Part| if let Part::Cell(at) = part { side.cell(at).gap } else { 0.0 };
        self.aside = self.aside.min(lower - gap(&self.a, parts[0]) - gap(&self.b, parts[1]));
    }

    /// Bounds a pair of parts and lets it wait, unless it does not matter.
    pub(super) fn push(&mut self, parts: [Part; 2], above: Option<&Slab>, mark: u32) {
        let known = self.between_planes(parts);
        let mut found = match known {
            Some(slab) if slab.lower >= self.enough() => slab,
            _ => slab(&self.a, &self.b, parts, self.enough()),
        };
        for slab in known.iter().chain(above) {
            if slab.lower > found.lower {
                found = *slab;
            }
        }
        if found.lower >= self.enough() {
            self.set_aside(parts, &found, mark);
            return;
        }
        let pair = Waiting { slab: found, parts, mark };
        if self.nearest.is_some() {
            self.wait(pair);
            return;
        }
        let apart = self.a.ball(parts[0]).0.distance(self.b.ball(parts[1]).0);
        let promise = found.lower.max(0.0) + MIDDLE_SHARE * apart;
        match self.ahead.replace((promise, pair)) {
            Some(best) if best.0 <= promise => {
                self.ahead = Some(best);
                self.wait(pair);
            }
            Some((_, other)) => self.wait(other),
            None => {}
        }
    }

    /// Looks at a pair of cells: it is settled or cut.
    fn visit(&mut self, a: u32, b: u32, pair: &Waiting) {
        let (cell_a, cell_b) = (*self.a.cell(a), *self.b.cell(b));
        let pair = self.sharpened([&cell_a, &cell_b], *pair);
        let pair = &self.clipped([a, b], pair);
        if pair.slab.lower >= self.enough() {
            // Nothing nearer is in it, but a tie may be.
            if pair.slab.lower <= self.upper() + self.demand.max_error {
                let value = self.descend(&cell_a, &cell_b, Steps::All);
                self.offer(&cell_a, &cell_b, &value);
            }
            self.take_off(pair.parts, pair.slab.lower);
            return;
        }
        if self.is_turned_apart([&cell_a, &cell_b], &pair.slab) {
            self.take_off(pair.parts, self.enough());
            return;
        }
        let first = [self.a.first(a), self.b.first(b)];
        if let Some((side, weights)) = self.slope([&cell_a, &cell_b], &first) {
            self.record.leaf(pair.mark, ProofStep::Slope { side, weights });
            self.push_rims(side, weights, pair);
            return;
        }
        let is_steady = |most| is_steady(&cell_a, &first[0], most) && is_steady(&cell_b, &first[1], most);
        let steady = is_steady(STEADY);
        let convex = !self.record.is_kept()
            && is_steady(CONVEX)
            && convexity::is_convex([&cell_a, &cell_b], &[self.a.derivatives(a), self.b.derivatives(b)]);
        let near = self.nearest_within([&cell_a, &cell_b]);
        if !convex && near.is_none() && self.is_promising(&cell_a, &cell_b) {
            let roots = [*self.a.cell(self.a.root_of(&cell_a)), *self.b.cell(self.b.root_of(&cell_b))];
            let middle = |cell: &Cell| 0.5 * (cell.low + cell.high);
            let (one, other) = (middle(&cell_a), middle(&cell_b));
            self.explore(roots, [one.x, one.y, other.x, other.y]);
        }
        let cells = [&cell_a, &cell_b];
        // Where the nearest points known are in both, these are the minimum, or next to it.
        let mut settles = |steps| self.is_settled(cells, pair, steps);
        let settled = convex
            && match near {
                Some(near) => settles(Steps::From(near)),
                None => settles(Steps::None) || settles(Steps::All),
            };
        if settled || self.work.pairs > WEAK_AFTER && steady && self.is_nearly_settled([a, b], pair) {
            return;
        }
        self.cut(a, b, pair);
    }

    /// A pair of whole pieces with the bound that a common axis or direction gives them, which their parts inherit.
    fn sharpened(&self, cells: [&Cell; 2], mut pair: Waiting) -> Waiting {
        // A checker knows of no axes.
        if !self.record.is_kept() && cells.iter().all(|cell| cell.is_whole()) {
            let lower = symmetric::lower_bound([&self.a, &self.b], cells);
            // Written so that NaN is no bound.
            if lower > pair.slab.lower {
                pair.slab.lower = lower;
            }
        }
        pair
    }

    /// Whether a pair of cells next to a curve of nearest points is settled: there the distance is convex only nearly.
    fn is_nearly_settled(&mut self, [a, b]: [u32; 2], pair: &Waiting) -> bool {
        if self.record.is_kept() {
            return false;
        }
        let (cell_a, cell_b) = (*self.a.cell(a), *self.b.cell(b));
        let cells = [&cell_a, &cell_b];
        let derivatives = &[self.a.derivatives(a), self.b.derivatives(b)];
        let first = self.descend(cells[0], cells[1], Steps::None);
        let lost = self.lost(cells);
        if convexity::weak_lower_bound(cells, derivatives, &first, lost) < 0.5 * self.upper() {
            return false;
        }
        let value = self.descend(cells[0], cells[1], Steps::All);
        self.offer(cells[0], cells[1], &value);
        let lower = convexity::weak_lower_bound(cells, derivatives, &value, lost);
        let settled = lower >= self.enough();
        if settled {
            self.take_off(pair.parts, lower);
        }
        settled
    }

    /// Whether the distance of two cells has a slope everywhere along one of them.
    fn slope(&self, cells: [&Cell; 2], first: &[[Ball; 2]; 2]) -> Option<(usize, [f64; 2])> {
        let sides = [&self.a, &self.b];
        // A checker bounds derivatives in its own way.
        let margin = self.demand.proof.unwrap_or(1.0);
        let most = if self.record.is_kept() { f64::INFINITY } else { self.upper() };
        let mut out = None;
        for side in 0..2 {
            if cells[side].dimension == 0 {
                continue;
            }
            let other = 1 - side;
            let found =
                free::slope(sides[side], sides[other], cells[side], cells[other], &first[side], margin, most);
            let Some(free::Slope(weights)) = found else { continue };
            if !cells[side].is_left_along(weights) {
                return Some((side, weights));
            }
            out = out.or(Some((side, weights)));
        }
        out
    }

    /// Whether a pair of cells over which the distance is convex is settled by its value at one point. What a descent
    /// finds is offered as the nearest pair.
    fn is_settled(&mut self, cells: [&Cell; 2], pair: &Waiting, steps: Steps) -> bool {
        let value = self.descend(cells[0], cells[1], steps);
        if steps != Steps::None {
            self.offer(cells[0], cells[1], &value);
        }
        let lower = convexity::lower_bound(cells, &value, self.lost(cells));
        let settled = lower >= self.enough();
        if settled {
            self.take_off(pair.parts, lower);
        }
        settled
    }

    /// Where the nearest points known are in two cells, by the parameters of these; `None` where they are elsewhere.
    fn nearest_within(&self, cells: [&Cell; 2]) -> Option<Parameters> {
        let near = self.nearest.as_ref()?;
        let mut found = [0.0; 4];
        for (i, cell) in cells.into_iter().enumerate() {
            let at = near.local[i];
            if near.pieces[i] != cell.piece || !(at.cmpge(cell.low).all() && at.cmple(cell.high).all()) {
                return None;
            }
            for axis in 0..cell.dimension {
                let along = cell.parameter(axis);
                found[2 * i + axis] = (at[along] - cell.low[along]) / (cell.high[along] - cell.low[along]);
            }
        }
        Some(found)
    }

    /// Whether a descent from the middle of two cells that the nearest points known are not in may find something nearer: the
    /// less often the longer none was found.
    fn is_promising(&self, a: &Cell, b: &Cell) -> bool {
        let apart = a.center.distance(b.center);
        self.work.pairs >= self.next_try && apart - 0.25 * (a.radius + b.radius) < self.upper()
    }

    /// Descends over two whole pieces, and waits the longer for the next time the less it found.
    pub(super) fn explore(&mut self, roots: [Cell; 2], start: Parameters) {
        let before = self.upper();
        // What is as near as the nearest points known is a tie.
        self.descend_from(&roots, start, before + self.demand.max_error);
        self.patience = if self.upper() < before { 1 } else { (2 * self.patience).min(PATIENCE) };
        self.next_try = self.work.pairs + self.patience;
    }

    /// What evaluating two cells may lose.
    fn lost(&self, [a, b]: [&Cell; 2]) -> Lost {
        Lost::of_cell(a, self.a.net(a)).with(Lost::of_cell(b, self.b.net(b)))
    }

    fn descend(&mut self, a: &Cell, b: &Cell, steps: Steps) -> Value {
        let over_a = Over { degrees: a.degrees, net: self.a.net(a) };
        let over_b = Over { degrees: b.degrees, net: self.b.net(b) };
        let bounds = Bounds::whole([a.dimension, b.dimension]);
        let middle = bounds.middle();
        match steps {
            Steps::None => Value::at(&over_a, &over_b, middle),
            Steps::All => descend(&over_a, &over_b, middle, &bounds, &mut self.work.newton),
            Steps::From(start) => descend(&over_a, &over_b, start, &bounds, &mut self.work.newton),
        }
    }

    /// Takes a pair of points into account, if they are on both bodies.
    pub(super) fn offer(&mut self, a: &Cell, b: &Cell, value: &Value) {
        let distance = (2.0 * value.half_square).sqrt();
        if !(distance <= self.upper() + self.demand.max_error) {
            return;
        }
        let local = [piece_local(a, &value.at[..2]), piece_local(b, &value.at[2..])];
        let held = [self.a.holds(a, local[0]), self.b.holds(b, local[1])];
        if held != [true; 2] {
            return self.try_edges(held, value.points, [a.piece, b.piece], local);
        }
        let pair = NearPair { distance, points: value.points, pieces: [a.piece, b.piece], local };
        if distance < self.upper() {
            self.untried |= distance < self.upper() - self.demand.max_error;
            self.nearest = self.touching(&pair).or(Some(pair));
        }
        let limit = self.upper() + self.demand.max_error;
        note(&mut self.ties, pair, limit);
    }

    /// Cuts one of two cells in the middle.
    fn cut(&mut self, a: u32, b: u32, pair: &Waiting) {
        let above = &pair.slab;
        let first = [self.a.first(a), self.b.first(b)];
        let scores = [
            Side::scores_of(self.a.cell(a), &first[0], above.normal),
            Side::scores_of(self.b.cell(b), &first[1], above.normal),
        ];
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
            // Nothing left to cut: two points, or cells at the end of numbers. They may be the nearest.
            let cells = [*self.a.cell(a), *self.b.cell(b)];
            let value = self.descend(&cells[0], &cells[1], Steps::All);
            self.offer(&cells[0], &cells[1], &value);
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

/// Whether the first derivatives of a cell vary by less than a share of them.
pub(super) fn is_steady(cell: &Cell, first: &[Ball; 2], share: f64) -> bool {
    first[..cell.dimension].iter().all(|ball| ball.radius < share * ball.center.length())
}

/// Sizes of both bodies that the first is away from the origin of its frame where another origin is chosen.
const FAR_SIZES: f64 = 8.0;

/// Pairs that memory for those that wait begins with.
const FIRST_WAITING: usize = 64;

/// Whether a descent goes on from its start.
#[derive(Clone, Copy, PartialEq)]
enum Steps {
    None,
    All,
    /// From elsewhere than the middle.
    From(Parameters),
}

/// Most pairs between two descents from cells over which the distance is not known to be convex.
const PATIENCE: u64 = 64;

/// The share of the distance of two middles that counts beside a bound while no points are known.
pub(super) const MIDDLE_SHARE: f64 = 0.25;

/// Share of a first derivative that it may vary by over a cell on which the distance may be convex.
pub(super) const STEADY: f64 = 0.5;

/// The same where second derivatives are looked at: of pairs whose first ones vary more, next to none is convex.
const CONVEX: f64 = 0.25;

/// Pairs after which nearest points are taken to be a curve or an area.
const WEAK_AFTER: u64 = 2_000;

/// Parameters of a cell as those of its piece.
pub(super) fn piece_local(cell: &Cell, at: &[f64]) -> DVec2 {
    let at = if cell.is_turned { DVec2::new(at[1], at[0]) } else { DVec2::new(at[0], at[1]) };
    cell.low + (cell.high - cell.low) * at
}
