//! The point of a body's boundary nearest to a given point, with a proven lower bound.
//!
//! Source: branch and bound over the boxes of the body's pieces, then over their cells (as `search`, with a point for the
//! other body), the nearer half first.
//! Differs: cells are kept from point to point with the bounds of their derivatives. A cell goes where its box keeps it away,
//! where the distance has a slope all over it, where some direction bends down all over it, or where half the squared
//! distance is convex over it (its two-by-two second derivatives are positive for all entries within their bounds), so that
//! one descent closes it; the descent ends as soon as its tangent plane shows that the cell has nothing nearer.
//! Ends because: parts are counted.
//! Cost: some tens of parts for a point with one nearest point, each some hundred instructions.
//! Not promised: an answer where many points are nearly equally near (around a focal point): then there is none, and the
//! search between two bodies is asked.

use super::answer::Prepared;
use super::derivatives::Ball;
use super::descend::HOPEFUL;
use super::found::{Demand, Found, NearPair, SearchWork};
use super::point_cells::{PointCell, PointCells};
use crate::tolerance::{DESCENT_GAIN_REL, HEIGHT_ERROR_REL};
use clearance_geometry::bound::Obb;
use clearance_geometry::pieces;
use clearance_geometry::tiled;
use clearance_geometry::{Below, DVec2, DVec3};

/// Most parts looked at.
const MOST_PARTS: u64 = 3_000;

/// Newton steps, and halvings of one.
const STEPS: usize = 24;
const HALVINGS: usize = 12;

/// Descents on cells over which the distance is not known to be convex: at first, and one more for so many parts.
const FIRST_TRIES: u64 = 2;
const PARTS_PER_TRY: u64 = 32;

#[derive(Clone, Copy, Debug)]
enum Part {
    Node(u32),
    Cell(u32),
}

/// How half the squared distance bends over a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bend {
    /// Strictly convex.
    Up,
    /// Everywhere down in some direction: no minimum is inside.
    Down,
    Unknown,
}

/// The cells of one body for points, kept from point to point. It must always be asked about the same body.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointField {
    cells: PointCells,
    /// Parts with their bounds; the last is next.
    waiting: Vec<(f64, Part)>,
}

/// Half the squared distance at a point of a cell.
#[derive(Clone, Copy, Debug)]
struct Value {
    at: DVec2,
    foot: DVec3,
    half_square: f64,
    gradient: DVec2,
    /// Second derivatives uu, uv, vv, and the metric's.
    bend: [f64; 3],
    metric: [f64; 3],
}

struct Search<'a> {
    ready: &'a Prepared,
    point: DVec3,
    demand: &'a Demand,
    field: &'a mut PointField,
    nearest: Option<NearPair>,
    aside: f64,
    stuck: f64,
    tries: u64,
    work: SearchWork,
}

impl PointField {
    /// The nearest boundary point; `None` where it takes too long.
    pub(crate) fn nearest(&mut self, ready: &Prepared, point: DVec3, demand: &Demand) -> Option<Found> {
        self.cells.make_ready(ready.tree().leaves().len());
        self.waiting.clear();
        let search = Search {
            ready,
            point,
            demand,
            field: self,
            nearest: None,
            aside: f64::INFINITY,
            stuck: f64::INFINITY,
            tries: 0,
            work: SearchWork::default(),
        };
        let lower = search.apart(&ready.tree().root().bound);
        search.field.waiting.push((lower, Part::Node(0)));
        search.run()
    }
}

impl Search<'_> {
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
        self.nearest.is_some().then_some(Found {
            nearest: self.nearest,
            lower,
            // A point asks for one nearest point; nothing is allocated for others.
            ties: Vec::new(),
            proven,
            work: self.work,
            proof: None,
        })
    }

    fn upper(&self) -> f64 {
        self.nearest.map_or(f64::INFINITY, |near| near.distance)
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
            let lower = self.apart(match part {
                Part::Node(at) => &self.ready.tree().nodes()[at as usize].bound,
                Part::Cell(at) => &self.field.cells.cell(at).bound,
            });
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
        let off = self.point - bound.center;
        let local = bound.axes.transpose() * off;
        let beyond = (local.abs() - bound.half).max(DVec3::ZERO).length();
        let reach = self.point.abs().max_element() + bound.center.abs().max_element();
        beyond - 2.0 * HEIGHT_ERROR_REL * reach
    }

    /// Looks at a cell: it is settled or cut.
    fn visit(&mut self, at: u32, lower: f64) {
        let Some(cell) = self.field.cells.look_at(self.ready, at) else { return };
        let rough = cell.rough;
        if !rough && self.has_slope(self.field.cells.cell(at)) {
            return;
        }
        let mut bend = Bend::Unknown;
        if !rough {
            self.field.cells.look_closer_at(at);
            bend = self.bend(self.field.cells.cell(at));
        }
        if bend == Bend::Down {
            return;
        }
        let convex = bend == Bend::Up;
        let may = self.tries < FIRST_TRIES + self.work.pairs / PARTS_PER_TRY
            && self.point.distance(self.field.cells.cell(at).bound.center) < self.upper();
        if convex || may {
            self.tries += u64::from(!convex);
            let cell = *self.field.cells.cell(at);
            let value = self.descend(&cell, convex);
            self.offer(&cell, &value);
            let bound = self.tangent_bound(&cell, &value);
            if convex && bound >= self.enough() {
                self.set_aside(Part::Cell(at), bound);
                return;
            }
        }
        match self.field.cells.halves(at) {
            Some(halves) => self.push(halves.map(|half| half.map(Part::Cell))),
            None => {
                self.stuck = self.stuck.min(lower);
                self.set_aside(Part::Cell(at), lower);
            }
        }
    }

    /// Whether the distance has a slope along one direction of the parameters everywhere on a cell.
    fn has_slope(&self, cell: &PointCell) -> bool {
        let off = self.point - cell.bound.center;
        let Some([a, b]) = cell.derivatives.steepest(cell.dimension, off) else { return false };
        let [u, v] = &cell.derivatives.first;
        let along = u.center * a + v.center * b;
        let error = a.abs() * u.radius + b.abs() * v.radius;
        // The box has the slack of its cell.
        let highest = cell.bound.half.dot((cell.bound.axes.transpose() * along).abs());
        let longest = off.length() + cell.radius;
        let reach = cell.bound.center.abs().max_element() + self.point.abs().max_element() + longest;
        off.dot(along) - highest - along.length() * 2.0 * HEIGHT_ERROR_REL * reach > error * longest
    }

    /// How half the squared distance bends over a cell.
    fn bend(&self, cell: &PointCell) -> Bend {
        let off = self.point - cell.bound.center;
        let length = off.length();
        let [u, v] = &cell.derivatives.first;
        let second = |at: usize| {
            let second = &cell.derivatives.second[at];
            let error = length * second.radius + cell.radius * (second.center.length() + second.radius);
            (off.dot(second.center), error)
        };
        // A second derivative along one parameter: at least, at most.
        let range = |first: &Ball, at: usize| {
            let (value, error) = second(at);
            let middle = first.center.length();
            let (short, long) = ((middle - first.radius).max(0.0), middle + first.radius);
            [short * short - value - error, long * long - value + error]
        };
        let one = |low: f64, high: f64| {
            if low > 0.0 {
                Bend::Up
            } else if high < 0.0 {
                Bend::Down
            } else {
                Bend::Unknown
            }
        };
        match cell.dimension {
            0 => Bend::Up,
            1 => {
                let [low, high] = range(u, 0);
                one(low, high)
            }
            _ => {
                let ([low_u, high_u], [low_v, high_v]) = (range(u, 0), range(v, 2));
                if high_u < 0.0 || high_v < 0.0 {
                    return Bend::Down;
                }
                let (value, error) = second(1);
                let [dot, wide] = u.dot(v);
                let (mixed, off) = ((dot - value).abs(), wide + error);
                let (most, least) = (mixed + off, (mixed - off).max(0.0));
                if low_u > 0.0 && low_v > 0.0 && low_u * low_v > most * most {
                    Bend::Up
                } else if high_u * high_v < least * least {
                    Bend::Down
                } else {
                    Bend::Unknown
                }
            }
        }
    }

    /// Half the squared distance at parameters of a cell.
    fn value(&self, cell: &PointCell, at: DVec2) -> Value {
        let jet = pieces::jet(cell.degrees, self.field.cells.net(cell), at);
        let r = jet.point - self.point;
        let metric = [jet.u.length_squared(), jet.u.dot(jet.v), jet.v.length_squared()];
        let bend = [metric[0] + r.dot(jet.uu), metric[1] + r.dot(jet.uv), metric[2] + r.dot(jet.vv)];
        Value {
            at,
            foot: jet.point,
            half_square: 0.5 * r.length_squared(),
            gradient: DVec2::new(r.dot(jet.u), r.dot(jet.v)),
            bend,
            metric,
        }
    }

    /// A lower bound on the distance over a cell on which half its square is convex, from its tangent plane at a point.
    fn tangent_bound(&self, cell: &PointCell, value: &Value) -> f64 {
        let fall = |at: f64, slope: f64| (-at * slope).min((1.0 - at) * slope);
        let along_u = if cell.dimension > 0 { fall(value.at.x, value.gradient.x) } else { 0.0 };
        let along_v = if cell.dimension > 1 { fall(value.at.y, value.gradient.y) } else { 0.0 };
        let distance = (2.0 * value.half_square).sqrt();
        let tangents = [value.metric[0], value.metric[2]];
        let lost = cell.lost.of_half_square(distance, tangents.into_iter().take(cell.dimension));
        (2.0 * (value.half_square + along_u + along_v - lost)).max(0.0).sqrt() - cell.slack
    }

    /// The nearest point of a cell to be found from where its tangent plane is nearest; on a convex cell no farther than it
    /// takes to see that it does not matter.
    fn descend(&mut self, cell: &PointCell, convex: bool) -> Value {
        let most =
            DVec2::new(f64::from(u8::from(cell.dimension > 0)), f64::from(u8::from(cell.dimension > 1)));
        let clamped = |at: DVec2| at.max(DVec2::ZERO).min(most);
        let toward = cell.derivatives.steepest(cell.dimension, self.point - cell.bound.center);
        let start = match (cell.dimension, toward) {
            (2, Some([a, b])) => 0.5 * most + DVec2::new(a, b),
            _ => 0.5 * most,
        };
        let mut here = self.value(cell, clamped(start));
        for _ in 0..STEPS {
            if cell.dimension == 0 || convex && self.tangent_bound(cell, &here) >= self.enough() {
                break;
            }
            self.work.newton += 1;
            let step = newton_step(&here, most);
            let gain = |at: DVec2| here.gradient.dot(here.at - at);
            // Toward another minimum than the nearest.
            let missing = here.half_square - 0.5 * self.upper() * self.upper();
            if !convex && HOPEFUL * gain(clamped(here.at + step)) < missing {
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
        }
    }
}

/// A step that descends along the parameters that are free to move.
fn newton_step(value: &Value, most: DVec2) -> DVec2 {
    let free = |at: f64, most: f64, slope: f64| {
        most > 0.0 && !(at <= 0.0 && slope >= 0.0) && !(at >= most && slope <= 0.0)
    };
    let u = free(value.at.x, most.x, value.gradient.x);
    let v = free(value.at.y, most.y, value.gradient.y);
    let (g, [uu, uv, vv], [e, f, h]) = (value.gradient, value.bend, value.metric);
    let single = |slope: f64, bend: f64, metric: f64| -slope / if bend > 0.0 { bend } else { metric };
    match (u, v) {
        (false, false) => DVec2::ZERO,
        (true, false) => DVec2::new(single(g.x, uu, e), 0.0),
        (false, true) => DVec2::new(0.0, single(g.y, vv, h)),
        (true, true) => {
            let solve = |[uu, uv, vv]: [f64; 3]| {
                let area = uu * vv - uv * uv;
                let step = DVec2::new(uv * g.y - vv * g.x, uv * g.x - uu * g.y) / area;
                (uu > 0.0 && area > f64::EPSILON * uu * vv && step.is_finite()).then_some(step)
            };
            solve([uu, uv, vv])
                .or_else(|| solve([e, f, h]))
                .unwrap_or_else(|| DVec2::new(single(g.x, 0.0, e), single(g.y, 0.0, h)))
        }
    }
}
