//! A plane that keeps two whole bodies apart: the shortest proof, where there is one.
//!
//! Source: no two points are closer than min n·q − max n·p over the bodies; for nearest points on both convex hulls their
//! own normal makes this the distance itself.
//! Differs: the greatest height of a body is bounded by subdivision: a cell goes where its control points stay below
//! the limit, where the height has a slope, or where it is concave, so that its value at one point tells of all.
//! Ends because: a budget of cells; a point above the limit ends it at once.
//! Cost: some twenty cells of each body, where the nearest points are on the hulls.
//! Not promised: a proof for bodies that reach around each other.

use super::derivatives::{Ball, Derivatives, steepest};
use super::evaluation::Lost;
use super::side::{Cell, Children, Part, Side};
use super::slab::spread;
use crate::tolerance::HEIGHT_ERROR_REL;
use clearance_geometry::pieces;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3};

/// Most parts of one body that are looked at.
const MOST_PARTS: u32 = 512;

/// Newton steps toward the highest point of a cell.
const STEPS: usize = 6;

/// The greatest height of a body along a unit direction, proven, with the gaps of its edges; `None` where a point above
/// `limit` shows up or the budget ends.
///
/// `spare` is what a height may be above its tangent plane over a cell that is flat along one parameter; a length.
pub(super) fn highest(
    side: &mut Side,
    along: DVec3,
    limit: f64,
    spare: f64,
    waiting: &mut Vec<Part>,
) -> Option<f64> {
    waiting.clear();
    waiting.push(Part::Node(0));
    highest_of(side, true, (along, limit, spare), MOST_PARTS, waiting, None)
}

/// As [`highest`], of a body whose pieces' heights were taken: the nodes above these are not asked for.
pub(super) fn highest_of_pieces(
    side: &mut Side,
    (along, limit, spare): (DVec3, f64, f64),
    waiting: &mut Vec<Part>,
) -> Option<f64> {
    waiting.clear();
    let (mut most, mut above) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for piece in 0..side.tree.leaves().len() as u32 {
        let height = side.surveyed_at(piece);
        if height <= limit {
            most = most.max(height);
            continue;
        }
        waiting.push(Part::Cell(side.root(piece)));
        // The highest for the next turn.
        let count = waiting.len();
        if count > 1 && above > height {
            waiting.swap(count - 1, count - 2);
        } else {
            above = height;
        }
    }
    highest_of(side, true, (along, limit, spare), MOST_PARTS, waiting, None).map(|height| height.max(most))
}

/// As [`highest`], of the parts that wait, which are all of the body if they are the `whole`; what settled it is noted.
pub(crate) fn highest_of(
    side: &mut Side,
    whole: bool,
    (along, limit, spare): (DVec3, f64, f64),
    most_parts: u32,
    waiting: &mut Vec<Part>,
    settled: Option<&mut Vec<Part>>,
) -> Option<f64> {
    let mut climb = Climb { along, limit, most: f64::NEG_INFINITY, waiting, settled };
    climb.begin(side);
    let mut left = most_parts;
    while let Some(part) = climb.waiting.pop() {
        left = left.checked_sub(1)?;
        if !side.can_cut(part) {
            return None;
        }
        match part {
            Part::Node(node) => match side.below(node) {
                Children::One(child) => climb.add(side, [child]),
                Children::Two(children) => climb.add(side, children),
            },
            Part::Cell(at) => match looked_at(side, at, (along, limit, spare), whole) {
                Outcome::Below(height) => climb.settle(part, height + side.cell(at).gap),
                Outcome::Above => return None,
                Outcome::Cut(axis) => {
                    let halves = side.halves(at, axis);
                    climb.add(side, halves.map(Part::Cell));
                }
            },
        }
    }
    Some(climb.most)
}

/// What is left of a body, and the greatest height of what is not.
struct Climb<'a> {
    along: DVec3,
    limit: f64,
    most: f64,
    waiting: &'a mut Vec<Part>,
    settled: Option<&'a mut Vec<Part>>,
}

impl Climb<'_> {
    fn settle(&mut self, part: Part, height: f64) {
        self.most = self.most.max(height);
        if let Some(settled) = &mut self.settled {
            settled.push(part);
        }
    }

    /// Settles a part that is below the limit; else how high it is.
    fn above(&mut self, side: &Side, part: Part) -> Option<f64> {
        let (height, slack) = side.height(part, self.along);
        if height + slack > self.limit {
            return Some(height);
        }
        let gap = if let Part::Cell(at) = part { side.cell(at).gap } else { 0.0 };
        self.settle(part, height + slack + gap);
        None
    }

    /// Settles what it can of the parts that wait at first.
    fn begin(&mut self, side: &Side) {
        for at in (0..self.waiting.len()).rev() {
            if self.above(side, self.waiting[at]).is_none() {
                self.waiting.swap_remove(at);
            }
        }
    }

    /// Takes parts into account: what is above the limit waits, the highest for the next turn, so that a point above the
    /// limit is met soon.
    fn add<const N: usize>(&mut self, side: &Side, parts: [Part; N]) {
        let mut above = f64::NEG_INFINITY;
        for part in parts {
            if matches!(part, Part::Cell(at) if side.cell(at).cover == Cover::Outside) {
                continue;
            }
            let Some(height) = self.above(side, part) else { continue };
            self.waiting.push(part);
            let count = self.waiting.len();
            if above > height {
                self.waiting.swap(count - 1, count - 2);
            } else {
                above = height;
            }
        }
    }
}

enum Outcome {
    /// No point of the cell is above this height, or its highest points are on the boundary of its feature.
    Below(f64),
    /// A point of the body is above the limit.
    Above,
    /// The cell must be cut along a parameter.
    Cut(usize),
}

fn looked_at(side: &mut Side, at: u32, (along, limit, spare): (DVec3, f64, f64), whole: bool) -> Outcome {
    if side.is_outside(at) {
        return Outcome::Below(f64::NEG_INFINITY);
    }
    let cell = *side.cell(at);
    if cell.dimension == 0 {
        return Outcome::Above;
    }
    if side.has_corner_above(&cell, along, limit) {
        return Outcome::Above;
    }
    // Where the height has a slope the highest points are elsewhere, on the same body.
    if whole && has_slope(&cell, &side.first(at), along) {
        return Outcome::Below(f64::NEG_INFINITY);
    }
    let derivatives = side.derivatives(at);
    if let Some(bend) = concave(&cell, &derivatives, along, spare) {
        let (height, point) = top(side, &cell, along, &bend, limit);
        if height <= limit {
            return Outcome::Below(height);
        }
        // A point of the body itself above the limit: there is no such plane.
        let local = cell.low + (cell.high - cell.low) * point;
        let there = pieces::jet(cell.degrees, side.net(&cell), point).point;
        if there.dot(along) > limit && side.holds(&cell, local) {
            return Outcome::Above;
        }
    }
    // Cut where heights vary: along a ridge they do not.
    let heights = spread(side, at, along);
    if heights[0].max(heights[1]) <= cell.slack {
        return Outcome::Above;
    }
    Outcome::Cut(usize::from(cell.dimension == 2 && heights[1] > heights[0]))
}

/// Whether some tangent direction rises everywhere over a cell.
fn has_slope(cell: &Cell, first: &[Ball; 2], along: DVec3) -> bool {
    let [u, v] = first;
    let rises = |weights: [f64; 2]| {
        let sum = u.center * weights[0] + v.center * weights[1];
        sum.dot(along) > weights[0].abs() * u.radius + weights[1].abs() * v.radius
    };
    steepest(first, cell.dimension, along).is_some_and(rises)
}

/// How far a cell rises along a direction.
pub(super) enum Rise {
    /// No farther than this.
    Most(f64),
    /// Its height may be concave over parts of it.
    Unknown,
    /// Its height bends up in the middle of it: no part around that is concave.
    Up,
}

/// How far a cell rises along a direction, as far as `limit` asks for it; `spare` as for [`highest`].
pub(super) fn rise(side: &mut Side, at: u32, along: DVec3, limit: f64, spare: f64) -> Rise {
    let cell = *side.cell(at);
    if cell.dimension == 0 {
        let (height, slack) = side.height(Part::Cell(at), along);
        return Rise::Most(height + slack);
    }
    let derivatives = side.derivatives(at);
    match concave(&cell, &derivatives, along, spare) {
        Some(bend) => match top(side, &cell, along, &bend, limit).0 {
            height if height <= limit => Rise::Most(height),
            _ => Rise::Unknown,
        },
        None => {
            let up = |ball: &Ball| ball.center.dot(along) > ball.radius;
            let [uu, _, vv] = &derivatives.second;
            if up(uu) || cell.dimension == 2 && up(vv) { Rise::Up } else { Rise::Unknown }
        }
    }
}

/// A height that is concave over a cell, or nearly.
struct Concave {
    /// Its second derivatives at the middle.
    second: [f64; 3],
    /// Whether it is so along both parameters.
    strictly: bool,
    /// What it may be above its tangent planes; a length.
    above: f64,
}

/// How the height bends where it is strictly concave over the cell, or no more than `spare` above its tangent planes: along a
/// cylinder it is neither convex nor concave.
fn concave(cell: &Cell, derivatives: &Derivatives, along: DVec3, spare: f64) -> Option<Concave> {
    let entry = |ball: &Ball| (ball.center.dot(along), ball.radius);
    let [(uu, e_uu), (uv, e_uv), (vv, e_vv)] = derivatives.second.each_ref().map(entry);
    if cell.dimension == 1 {
        let bend = Concave { second: [uu, 0.0, -1.0], strictly: true, above: 0.0 };
        return (uu + e_uu < 0.0).then_some(bend);
    }
    let least = (-uu - e_uu, -vv - e_vv);
    let mixed = uv.abs() + e_uv;
    if least.0 > 0.0 && least.1 > 0.0 && least.0 * least.1 > mixed * mixed {
        return Some(Concave { second: [uu, uv, vv], strictly: true, above: 0.0 });
    }
    // Half the greatest second derivative times the square of the longest way within the cell, which is 2.
    let above = greatest_bend(least, mixed).max(0.0) * (1.0 + HEIGHT_ERROR_REL);
    (above <= spare).then_some(Concave { second: [uu, uv, vv], strictly: false, above })
}

/// The greatest second derivative along any direction, rounded up, where those along the parameters are at most the opposites
/// of `least`. Large ones cancel.
fn greatest_bend(least: (f64, f64), mixed: f64) -> f64 {
    let apart = least.0 - least.1;
    let greatest = 0.5 * ((apart * apart + 4.0 * mixed * mixed).sqrt() - (least.0 + least.1));
    greatest + 4.0 * f64::EPSILON * (least.0.abs() + least.1.abs() + mixed)
}

/// A bound on a concave height from its tangent plane near its top, and where that is, in the cell's own parameters; no
/// better than `limit` asks for.
fn top(side: &Side, cell: &Cell, along: DVec3, bend: &Concave, limit: f64) -> (f64, DVec2) {
    let [uu, uv, vv] = bend.second;
    let high = DVec2::new(1.0, if cell.dimension == 2 { 1.0 } else { 0.0 });
    let mut at = 0.5 * high;
    let net = side.net(cell);
    let mut best = (f64::INFINITY, at);
    // The point, its slopes over the cell, and the products with the direction.
    let rounding = Lost::of_cell(cell, net);
    let reach = cell.center.abs().max_element() + cell.radius;
    let lost = cell.slack + rounding.point + 2.0 * rounding.tangent + HEIGHT_ERROR_REL * reach + bend.above;
    for _ in 0..STEPS {
        let jet = pieces::jet(cell.degrees, net, at);
        let slope = DVec2::new(jet.u.dot(along), jet.v.dot(along));
        let rise = |g: f64, t: f64, high: f64| (g * (high - t)).max(-g * t).max(0.0);
        let bound = jet.point.dot(along) + rise(slope.x, at.x, high.x) + rise(slope.y, at.y, high.y);
        if bound < best.0 {
            best = (bound, at);
        }
        if bound + lost <= limit {
            break;
        }
        // Newton with the second derivatives at the middle; the cell is small.
        let step = if cell.dimension == 2 && bend.strictly {
            DVec2::new(vv * slope.x - uv * slope.y, uu * slope.y - uv * slope.x) / (uu * vv - uv * uv)
        } else if cell.dimension == 1 || uu <= vv {
            DVec2::new(slope.x / uu, 0.0)
        } else {
            DVec2::new(0.0, slope.y / vv)
        };
        let next = (at - step).clamp(DVec2::ZERO, high);
        // Written so that NaN ends it.
        if !(next != at && next.is_finite()) {
            break;
        }
        at = next;
    }
    (best.0 + lost, best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_bend_is_not_lost_beside_a_large_one() {
        // The product of both eigenvalues is −1, and the large one is −2⁶⁰ but for rounding.
        let large = 2.0_f64.powi(60);
        assert!(greatest_bend((large, 0.0), 1.0) >= 1.0 / large);
        for power in 0..40 {
            let large = 1.5_f64.powi(power);
            // −large and 0: the matrix of (1, 1) with a small bend across it.
            let greatest = greatest_bend((0.5 * large, 0.5 * large), 0.5 * large);
            assert!(greatest >= 0.0 && greatest <= 8.0 * f64::EPSILON * large, "{greatest}");
        }
    }
}
