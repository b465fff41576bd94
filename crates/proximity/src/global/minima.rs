//! All local minima of the distance between two bodies.
//!
//! Source: subdivision of all pairs of features until each pair of cells has no critical pair of points, none that is a
//! minimum, or exactly one (Elber and Kim; Hanniel and Elber).
//! Differs: a pair goes where it has a slope, where its second derivatives have a negative direction everywhere, or where
//! half the squared distance is convex, so that one descent finds its only minimum. A critical pair on an edge or vertex is
//! then held against the faces around.
//! Ends because: cells are halved down to a share of the bodies' size, and a budget of pairs, of memory or of time ends it.
//! Cost: proportional to all pairs of pieces; far more than the one search for the nearest points.
//! Not promised: minima that are not isolated; they make the list incomplete, and it says so. Minima at first order
//! on edges and at vertices that bend down to second order on a face beside them.

use super::convexity;
use super::descend::{Bounds, Value, descend};
use super::found::{Demand, NearPair};
use super::free;
use super::local::{is_behind, is_minimum_on};
use super::poles::{AtPole, Poles};
use super::search::{Over, SearchMemory, piece_local};
use super::side::{Cell, Children, Part, Side};
use super::slab::slab;
use crate::tolerance::{COARSEST_CELL_REL, CRITICAL_SLOPE_REL, SAME_PLACE_REL, SMALLEST_CELL_REL};
use clearance_geometry::pieces::PieceTree;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{Body, DVec3, Pose};

/// The local minima of a pair of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Minima {
    /// Pairs of points, nearest first.
    pub pairs: Vec<NearPair>,
    /// Whether these are all: no budget ended the search, and no minima were found that are not isolated.
    pub complete: bool,
}

struct Collector<'a> {
    a: Side<'a>,
    b: Side<'a>,
    poles: Poles<'a>,
    bodies: [&'a Body; 2],
    pose_ab: Pose,
    size: f64,
    waiting: Vec<[Part; 2]>,
    found: Minima,
    /// Cells smaller than this are not cut; a length.
    floor: f64,
    /// Pairs of cells that were not cut since the list is known not to be complete.
    open: u32,
}

/// After as many of them larger cells are left: along a curve of minima smaller ones tell nothing more.
const OPEN_PAIRS: u32 = 16;

/// All local minima of the distance from A to B at `pose_ab`.
pub fn minima(
    bodies: [&Body; 2],
    trees: [&PieceTree; 2],
    pose_ab: &Pose,
    demand: Demand,
    memory: &mut SearchMemory,
) -> Minima {
    let [of_a, of_b] = &mut memory.sides;
    let size = trees[0].root().bound.half.length() + trees[1].root().bound.half.length();
    let a = Side::new(bodies[0], trees[0], Pose::IDENTITY, of_a);
    let b = Side::new(bodies[1], trees[1], *pose_ab, of_b);
    let mut collector = Collector {
        poles: Poles::new([&a, &b], size),
        a,
        b,
        bodies,
        pose_ab: *pose_ab,
        size,
        waiting: vec![[Part::Node(0), Part::Node(0)]],
        found: Minima { pairs: Vec::new(), complete: true },
        floor: SMALLEST_CELL_REL * size,
        open: 0,
    };
    let mut pairs = 0;
    while let Some(parts) = collector.waiting.pop() {
        if demand.is_spent(pairs) || collector.a.is_full() || collector.b.is_full() {
            collector.found.complete = false;
            break;
        }
        pairs += 1;
        match parts {
            [Part::Cell(a), Part::Cell(b)] => collector.visit(a, b),
            parts => collector.open(parts),
        }
    }
    collector.found.pairs.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    collector.found
}

impl Collector<'_> {
    fn open(&mut self, parts: [Part; 2]) {
        let (opened, first) = match parts {
            [Part::Node(node), _] => (self.a.below(node), true),
            [_, Part::Node(node)] => (self.b.below(node), false),
            _ => return,
        };
        let with = |child: Part| if first { [child, parts[1]] } else { [parts[0], child] };
        match opened {
            Children::One(child) => self.waiting.push(with(child)),
            Children::Two(children) => self.waiting.extend(children.map(with)),
        }
    }

    fn visit(&mut self, a: u32, b: u32) {
        let cells = [*self.a.cell(a), *self.b.cell(b)];
        let derivatives = [self.a.derivatives(a), self.b.derivatives(b)];
        let [cell_a, cell_b] = &cells;
        let slopes = |one: &Side, other: &Side, i: usize| {
            cells[i].dimension > 0
                && free::slope(
                    one,
                    other,
                    &cells[i],
                    &cells[1 - i],
                    &derivatives[i].first,
                    1.0,
                    f64::INFINITY,
                )
                .is_some()
        };
        if slopes(&self.a, &self.b, 0)
            || slopes(&self.b, &self.a, 1)
            || self.a.is_turned_away(cell_a, &derivatives[0], cell_b)
            || self.b.is_turned_away(cell_b, &derivatives[1], cell_a)
        {
            return;
        }
        match convexity::bend([cell_a, cell_b], &derivatives) {
            convexity::Bend::Convex => self.settle(cells),
            convexity::Bend::Saddle => {}
            convexity::Bend::Unknown => self.cut(a, b, cells),
        }
    }

    /// The only minimum over two cells, if it is a critical pair of points.
    fn settle(&mut self, cells: [Cell; 2]) {
        let [a, b] = &cells;
        let over_a = Over { degrees: a.degrees, net: self.a.net(a) };
        let over_b = Over { degrees: b.degrees, net: self.b.net(b) };
        let bounds = Bounds::whole([a.dimension, b.dimension]);
        let mut steps = 0;
        let value = descend(&over_a, &over_b, bounds.middle(), &bounds, &mut steps);
        let distance = value.distance();
        if value.steepness(bounds.high) > CRITICAL_SLOPE_REL * (distance + a.radius + b.radius) {
            return;
        }
        self.offer(&cells, &value, distance);
    }

    fn offer(&mut self, cells: &[Cell; 2], value: &Value, distance: f64) {
        let [a, b] = cells;
        let local = [piece_local(a, &value.at[..2]), piece_local(b, &value.at[2..])];
        if !(self.a.holds(a, local[0]) && self.b.holds(b, local[1])) {
            return;
        }
        let pair = NearPair { distance, points: value.points, pieces: [a.piece, b.piece], local };
        self.keep(cells, pair);
    }

    /// Adds a pair to the list, if no face around comes closer and it is not there.
    fn keep(&mut self, [a, b]: &[Cell; 2], pair: NearPair) {
        let between = pair.points[1] - pair.points[0];
        let in_b = self.pose_ab.rotate_inverse(-between);
        if !is_minimum_on(self.bodies[0], self.a.piece(a), pair.local[0], between)
            || !is_minimum_on(self.bodies[1], self.b.piece(b), pair.local[1], in_b)
            || self.is_behind(&pair)
        {
            return;
        }
        let same = |other: &NearPair| other.is_near(&pair, SAME_PLACE_REL * self.size);
        match self.found.pairs.iter().position(same) {
            Some(at) if pair.distance < self.found.pairs[at].distance => self.found.pairs[at] = pair,
            Some(_) => {}
            None => self.found.pairs.push(pair),
        }
    }

    /// Whether one of both points looks through its own body; of bodies in contact none does.
    fn is_behind(&self, pair: &NearPair) -> bool {
        if pair.distance <= SAME_PLACE_REL * self.size {
            return false;
        }
        let [p, q] = pair.points;
        let looks = |side: &Side, i: usize, way: DVec3| {
            let piece = &side.tree.leaves()[pair.pieces[i] as usize];
            side.solid && is_behind(self.bodies[i], piece, pair.local[i], side.pose.rotate_inverse(way))
        };
        looks(&self.a, 0, q - p) || looks(&self.b, 1, p - q)
    }

    /// Whether it is known what is at the pole of one of two small cells; a minimum there is added to the list.
    fn is_settled_at_pole(&mut self, cells: &[Cell; 2]) -> bool {
        let found = self.poles.at([&self.a, &self.b], [&cells[0], &cells[1]]);
        if let AtPole::Minimum(pair) = found {
            self.keep(cells, pair);
        }
        !matches!(found, AtPole::Unknown)
    }

    /// Two cells with a minimum that is not isolated, or with nothing proven of them: the list is not complete. They
    /// are not left without a look for a minimum unlike those that are known.
    fn leave_open(&mut self, cells: [Cell; 2]) {
        self.found.complete = false;
        let from = self.found.pairs.len();
        self.settle(cells);
        let alike = |one: &NearPair, other: &NearPair| {
            (one.distance - other.distance).abs() <= SAME_PLACE_REL * self.size
        };
        if let [before @ .., last] = &self.found.pairs[..]
            && before.len() == from
            && before.iter().any(|other| alike(last, other))
        {
            self.found.pairs.pop();
        }
    }

    fn cut(&mut self, a: u32, b: u32, cells: [Cell; 2]) {
        if self.is_settled_at_pole(&cells) {
            return;
        }
        let (radius_a, radius_b) = (cells[0].radius, cells[1].radius);
        if radius_a.max(radius_b) < self.floor {
            // In contact, or one of a whole curve of nearest points; at a pole the face's normal decides.
            let near = slab(&self.a, &self.b, [Part::Cell(a), Part::Cell(b)], f64::INFINITY);
            let between = cells[1].center - cells[0].center;
            let leans = self.a.leans(&cells[0], between) || self.b.leans(&cells[1], between);
            if !(near.lower <= 0.0 || leans) {
                self.leave_open(cells);
            }
            if !self.found.complete {
                self.open += 1;
                if self.open.is_multiple_of(OPEN_PAIRS) {
                    self.floor = (4.0 * self.floor).min(COARSEST_CELL_REL * self.size);
                }
            }
            return;
        }
        let first = radius_a >= radius_b && cells[0].dimension > 0 || cells[1].dimension == 0;
        let (side, at, cell) = if first { (&mut self.a, a, cells[0]) } else { (&mut self.b, b, cells[1]) };
        if cell.dimension == 0 {
            return;
        }
        let lengths = super::scores::lengths(cell.degrees, side.points(&cell));
        let axis = usize::from(cell.dimension == 2 && lengths[1] > lengths[0]);
        for half in side.halves(at, axis) {
            if side.cell(half).cover != Cover::Outside {
                let parts =
                    if first { [Part::Cell(half), Part::Cell(b)] } else { [Part::Cell(a), Part::Cell(half)] };
                self.waiting.push(parts);
            }
        }
    }
}
