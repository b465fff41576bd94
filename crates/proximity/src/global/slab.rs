//! A lower bound on the distance of two parts: a slab between them.
//!
//! Source: for a unit direction n, no two points are closer than min n·q − max n·p over the control points of both.
//! Differs: the direction starts from the middles and follows Frank–Wolfe's steps toward the closest points of the two
//! hulls. A bound holds for every direction, so that a few steps do. Of a whole convex body the farthest points are its own,
//! not those of its box. Where cells may touch, the directions across both are tried too: hulls that overlap have none between them.
//! Ends because: at most [`WHOLE_STEPS`] steps.
//! Cost: one pass over both sets of control points per step.
//! Not promised: the distance of the hulls.

use super::columns::Heights;
use super::side::{Part, Side};
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::DVec3;

/// Steps of the direction.
const STEPS: usize = 6;

/// Steps of the direction where one of the parts is a whole convex body: it turns farther.
const WHOLE_STEPS: usize = 12;

/// A share of the distance of two hulls: when bound and distance are this close, the direction is good enough.
const CLOSE: f64 = 1.0 / 4096.0;

/// A lower bound with the direction that shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slab {
    pub(crate) lower: f64,
    pub(crate) normal: DVec3,
}

/// A lower bound; `enough` is what is asked of it: a better one is not looked for.
pub(super) fn slab(a: &Side, b: &Side, parts: [Part; 2], enough: f64) -> Slab {
    let (center_a, radius_a) = a.ball(parts[0]);
    let (center_b, radius_b) = b.ball(parts[1]);
    let between = center_b - center_a;
    let distance = between.length();
    let normal = if distance > 0.0 { between / distance } else { DVec3::Z };
    let reach = center_a.abs().max_element() + center_b.abs().max_element();
    let round = HEIGHT_ERROR_REL * (reach + distance);
    let balls = distance - radius_a - radius_b - round;
    if balls >= enough || distance == 0.0 {
        return Slab { lower: balls, normal };
    }
    let mut best = Slab { lower: balls, normal };
    if let [Part::Cell(cell_a), Part::Cell(cell_b)] = parts {
        let (cell_a, cell_b) = (a.cell(cell_a), b.cell(cell_b));
        let slack = cell_a.slack + cell_b.slack + round;
        toward(&a.columns(cell_a), &b.columns(cell_b), between, slack, enough, &mut best);
        // Something is asked of hulls that overlap only where the nearest points are closer than the error.
        if best.lower < enough && enough <= 0.0 {
            for (side, cell) in [(a, cell_a), (b, cell_b)].into_iter().filter(|(_, cell)| cell.dimension == 2)
            {
                let normal = across(cell.degrees, side.points(cell));
                along_both_ways(a.points(cell_a), b.points(cell_b), normal, slack, &mut best);
            }
        }
        return best;
    }
    let along = |normal: DVec3| {
        let (high, slack_a) = a.height(parts[0], normal);
        let (low, slack_b) = b.height(parts[1], -normal);
        -low - high - slack_a - slack_b - round
    };
    let lower = along(normal);
    if lower > best.lower {
        best = Slab { lower, normal };
    }
    if best.lower >= enough {
        return best;
    }
    if a.is_convex_whole(parts[0]) || b.is_convex_whole(parts[1]) {
        let start = b.farthest(parts[1], -normal) - a.farthest(parts[0], normal);
        if let Some(normal) = turned([a, b], parts, start, enough) {
            let lower = along(normal);
            if lower > best.lower {
                best = Slab { lower, normal };
            }
        }
    }
    best
}

/// The direction that Frank–Wolfe's steps from a difference of two points of the parts lead to; `None` where they are
/// closer than what is asked for.
fn turned([a, b]: [&Side; 2], parts: [Part; 2], start: DVec3, enough: f64) -> Option<DVec3> {
    let mut x = start;
    let mut best: Option<(f64, DVec3)> = None;
    for _ in 0..WHOLE_STEPS {
        let length = x.length();
        if !(length > 0.0) || length < enough {
            break;
        }
        let normal = x / length;
        let vertex = b.farthest(parts[1], -normal) - a.farthest(parts[0], normal);
        let lower = vertex.dot(normal);
        if best.is_none_or(|best| lower > best.0) {
            best = Some((lower, normal));
        }
        if length - lower <= CLOSE * length || lower > enough + CLOSE * length {
            break;
        }
        let step = x - vertex;
        let share = (x.dot(step) / step.length_squared()).clamp(0.0, 1.0);
        if !(share > 0.0) {
            break;
        }
        x -= step * share;
    }
    best.map(|best| best.1)
}

/// Frank–Wolfe's steps from the difference of two points of the hulls; none after points that are closer than what is asked
/// for, as no direction will do then. Without an end to what is asked for, the best is looked for.
pub(crate) fn toward<H: Heights + ?Sized>(
    a: &H,
    b: &H,
    start: DVec3,
    slack: f64,
    enough: f64,
    best: &mut Slab,
) {
    let mut x = start;
    for step in 0..STEPS {
        let length = x.length();
        // The first direction says something of the pair all the same.
        if !(length > 0.0) || (step > 0 && length < enough && enough.is_finite()) {
            return;
        }
        let normal = x / length;
        let (low, high) = (b.least(normal), a.least(-normal));
        let lower = low + high;
        if lower - slack > best.lower {
            *best = Slab { lower: lower - slack, normal };
        }
        if best.lower >= enough || length - lower <= CLOSE * length {
            return;
        }
        let vertex = b.lowest(normal, low) - a.lowest(-normal, high);
        let step = x - vertex;
        let square = step.length_squared();
        let share = (x.dot(step) / square).clamp(0.0, 1.0);
        if !(share > 0.0) {
            return;
        }
        x -= step * share;
    }
}

/// The bounds along a direction and against it, where one is better.
pub(super) fn along_both_ways(a: &[DVec3], b: &[DVec3], normal: DVec3, slack: f64, best: &mut Slab) {
    for normal in [normal, -normal] {
        let lower = b.least(normal) + a.least(-normal) - slack;
        // Without a normal this is 0, and no bound.
        if normal != DVec3::ZERO && lower > best.lower {
            *best = Slab { lower, normal };
        }
    }
}

/// A unit vector across a patch, from its diagonals; zero where they do not span a plane.
pub(crate) fn across([p, q]: [usize; 2], points: &[DVec3]) -> DVec3 {
    let at = |i: usize, j: usize| points[i * (q + 1) + j];
    (at(p, q) - at(0, 0)).cross(at(0, q) - at(p, 0)).normalize_or_zero()
}

/// How much the control points of a cell vary along a direction, by each of its parameters: along the first, the middle
/// and the last row and column.
pub(crate) fn spread(side: &Side, at: u32, along: DVec3) -> [f64; 2] {
    let cell = side.cell(at);
    let [p, q] = cell.degrees;
    let points = side.points(cell);
    let range = |start: usize, stride: usize, count: usize| {
        let first = points[start].dot(along);
        let (mut low, mut high) = (first, first);
        for k in 1..count {
            let height = points[start + k * stride].dot(along);
            low = if height < low { height } else { low };
            high = if height > high { height } else { high };
        }
        high - low
    };
    let most = |a: f64, b: f64, c: f64| a.max(b).max(c);
    let along_u = |j: usize| range(j, q + 1, p + 1);
    let along_v = |i: usize| range(i * (q + 1), 1, q + 1);
    [
        if p > 0 { most(along_u(0), along_u(q / 2), along_u(q)) } else { 0.0 },
        if q > 0 { most(along_v(0), along_v(p / 2), along_v(p)) } else { 0.0 },
    ]
}
