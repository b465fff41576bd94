//! One body below a plane or a sphere across the nearest points, proven for parts of it that last for many frames.
//!
//! Source: no two points are closer than two parallel planes, or two spheres around one middle, that keep the bodies apart.
//! Differs: with n the normal at p and κ the curvature of the sphere, ψ(x) = n·(x − p) + κ/2 |x − p|² says how far x is
//! beyond it. When n and p move, ψ changes by no more than |n′ − n + κ(p − p′)| |x − p| and a constant, so every part
//! comes with the turning that it outlasts: parts near p, whose ψ is the square of how far they are, last as long as their
//! distance from p asks for. Around p itself ψ is concave, and the Newton step that found p bounds it.
//! Ends because: a budget of parts for each frame; parts get smaller.
//! Cost: a few operations for each part that is known, one pass over control points for those that ran out.
//! Not promised: a sphere where the distance has a minimum that is nearly none, or one across a saddle.

use super::foot::Foot;
use crate::global::derivatives::{Ball, Derivatives};
use crate::global::side::{Cell, Children, Part, Side};
use crate::global::slab::spread;
use clearance_geometry::pieces;
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::tiled::Cover;
use clearance_geometry::{DVec2, DVec3};

/// Parts of one body that a frame may look at.
const MOST_LOOKS: u32 = 384;

/// Parts of each body that are kept.
const MOST_KNOWN: usize = 384;

/// Parts of each body that may be beyond.
const MOST_BEYOND: usize = 32;

/// Frames of the last turning for which a part is meant to last.
const AHEAD: f64 = 4.0;

/// A part is next to the nearest point where that is within so many of its radii.
const NEXT_TO: f64 = 2.0;

/// The share of its curvature that a sphere may gain or lose while parts are known.
const BENDING: f64 = 1.0 / 16.0;

/// Newton steps toward the point of a part that is farthest beyond.
const STEPS: usize = 4;

/// A plane or a sphere through a nearest point, as its body sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// The unit normal, out of the body.
    pub(super) normal: DVec3,
    pub(super) point: DVec3,
    /// The curvature: positive for a ball that holds the body, negative for one that is kept free of it.
    pub(super) bend: f64,
    /// What points may be beyond; a length.
    pub(super) share: f64,
    /// What rounding may take off; a length.
    pub(super) round: f64,
    /// Where the point is on its piece, and the derivatives there.
    pub(super) piece: u32,
    pub(super) at: DVec2,
    pub(super) jet: SurfaceJet,
}

impl Sight {
    /// How far a point is beyond.
    fn beyond(&self, x: DVec3) -> f64 {
        let y = x - self.point;
        self.normal.dot(y) + 0.5 * self.bend * y.length_squared()
    }

    /// The derivative of that.
    fn slope_at(&self, x: DVec3) -> DVec3 {
        self.normal + self.bend * (x - self.point)
    }
}

/// Why a part is not beyond.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// Its control points are not.
    Below,
    /// It has a slope, so that other parts are farther beyond.
    Sloped,
    /// It is concave, by at least so much along each parameter; the nearest point tells of all of it.
    Concave([f64; 2]),
}

/// A part that is not beyond.
#[derive(Clone, Copy, Debug)]
struct Known {
    part: Part,
    reason: Reason,
    /// What it was seen by.
    normal: DVec3,
    point: DVec3,
    bend: f64,
    /// What it is below by, or the turning that it outlasts.
    margin: f64,
    /// The most that a point of it is away from the nearest one.
    reach: f64,
}

impl Known {
    fn new(part: Part, reason: Reason, sight: &Sight, margin: f64, reach: f64) -> Self {
        let Sight { normal, point, bend, .. } = *sight;
        Self { part, reason, normal, point, bend, margin, reach }
    }

    /// Whether it still is not beyond; of a concave part, whether it still is concave.
    fn lasts(&self, now: &Sight) -> bool {
        let moved = self.point - now.point;
        let turned = (now.normal - self.normal + now.bend * moved).length();
        let bent = now.bend - self.bend;
        match self.reason {
            Reason::Below => {
                let farther = now.normal.dot(moved) + 0.5 * now.bend * moved.length_squared();
                let far = turned + 0.5 * bent.max(0.0) * self.reach;
                far * self.reach + farther <= self.margin + now.share
            }
            Reason::Sloped => turned + bent.abs() * self.reach < self.margin,
            Reason::Concave(_) => {
                turned + bent.abs() * self.reach <= self.margin && bent.abs() <= BENDING * self.bend.abs()
            }
        }
    }
}

/// What a look at a body came to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verdict {
    /// No point is beyond, but for those of the parts that are said to be.
    Below,
    /// A point next to the nearest one is: of a piece, at its parameters.
    Beyond(u32, DVec2),
    /// Not known within the budget.
    Unknown,
}

/// What became of one part.
enum Outcome {
    Known(Known),
    Beyond(DVec2),
    Cut(usize),
    Open,
}

/// What is known of one body.
#[derive(Clone, Debug)]
pub(super) struct Crest {
    known: Vec<Known>,
    /// Parts to look at, and whether they were known before.
    waiting: Vec<(Part, bool)>,
    /// Parts with points beyond.
    pub(super) beyond: Vec<Part>,
    /// Looks so far.
    pub(super) looks: u64,
    /// The turning of the last frame.
    step: f64,
    last: Option<(DVec3, DVec3)>,
}

impl Crest {
    pub(super) fn new() -> Self {
        Self {
            known: Vec::with_capacity(MOST_KNOWN + 2),
            waiting: Vec::with_capacity(2 * MOST_KNOWN),
            beyond: Vec::with_capacity(MOST_BEYOND),
            looks: 0,
            step: 0.0,
            last: None,
        }
    }

    /// Begins with all of the body.
    pub(super) fn begin(&mut self) {
        self.known.clear();
        self.waiting.clear();
        self.beyond.clear();
        self.waiting.push((Part::Node(0), false));
    }

    /// Takes note of how far the normal has turned since the last frame.
    pub(super) fn turn(&mut self, now: &Sight) {
        if let Some((normal, point)) = self.last.replace((now.normal, now.point)) {
            let step = (now.normal - normal + now.bend * (point - now.point)).length();
            self.step = if step > 0.0 { step } else { self.step };
        }
    }

    /// Looks at all that is not known any more. Where points next to the nearest one are beyond, it says so if it `may`, and
    /// cuts their parts otherwise.
    pub(super) fn check(&mut self, side: &mut Side<'_>, now: &Sight, may_say: bool) -> Verdict {
        let core = self.core(side, now);
        let mut at = 0;
        while at < self.known.len() {
            let known = &self.known[at];
            let lasts = known.lasts(now)
                && match (known.reason, known.part) {
                    (Reason::Concave(bends), Part::Cell(cell)) => {
                        core.as_ref().is_some_and(|core| self.is_in_core(side, core, cell, now))
                            || top(side, cell, now, bends).0 <= now.share
                    }
                    _ => true,
                };
            if lasts {
                at += 1;
            } else {
                self.waiting.push((known.part, true));
                self.known.swap_remove(at);
            }
        }
        let mut left = MOST_LOOKS;
        while let Some((part, again)) = self.waiting.pop() {
            if left == 0 || !side.can_cut(part) || self.known.len() + self.waiting.len() >= MOST_KNOWN {
                return Verdict::Unknown;
            }
            left -= 1;
            self.looks += 1;
            match (self.look(side, part, now, again), part) {
                (Outcome::Known(known), _) => self.known.push(known),
                (Outcome::Open, Part::Node(node)) => match side.below(node) {
                    Children::One(child) => self.waiting.push((child, false)),
                    Children::Two(children) => self.waiting.extend(children.map(|child| (child, false))),
                },
                (Outcome::Cut(axis), Part::Cell(cell)) => self.cut(side, cell, axis),
                (Outcome::Beyond(local), Part::Cell(cell)) => {
                    let whole = *side.cell(cell);
                    let near = whole.center.distance(now.point) <= NEXT_TO * whole.radius;
                    if near && may_say {
                        self.waiting.push((part, again));
                        return Verdict::Beyond(whole.piece, local);
                    }
                    let axis = if near { axis_of(side, cell, now) } else { None };
                    match axis {
                        Some(axis) => self.cut(side, cell, axis),
                        None if near || self.beyond.len() == MOST_BEYOND => return Verdict::Unknown,
                        None => self.set_aside(part),
                    }
                }
                _ => return Verdict::Unknown,
            }
        }
        Verdict::Below
    }

    /// The concave part that the nearest point is in, if no concave part of its piece can be beyond together with it.
    fn core(&self, side: &Side<'_>, now: &Sight) -> Option<[DVec2; 2]> {
        let slopes = DVec2::new(now.normal.dot(now.jet.u), now.normal.dot(now.jet.v));
        let (mut least, mut found) = (DVec2::INFINITY, None);
        for known in &self.known {
            let (Reason::Concave(bends), Part::Cell(at)) = (known.reason, known.part) else { continue };
            let cell = side.cell(at);
            if cell.piece != now.piece || !known.lasts(now) {
                continue;
            }
            let size = cell.high - cell.low;
            least = least.min(DVec2::from(bends) / (size * size).max(DVec2::splat(f64::MIN_POSITIVE)));
            if now.at.cmpge(cell.low).all() && now.at.cmple(cell.high).all() {
                found = Some([cell.low, cell.high]);
            }
        }
        let rise = |slope: f64, bend: f64| if slope == 0.0 { 0.0 } else { 0.5 * slope * slope / bend };
        let rises = rise(slopes.x, least.x) + rise(slopes.y, least.y);
        let reach = (now.point.abs().max_element() + now.jet.u.length() + now.jet.v.length()) * f64::EPSILON;
        (rises + 2.0 * now.round + reach <= now.share).then_some(found).flatten()
    }

    /// Whether the way from the core to a concave cell is concave as well: concave cells fill the box around both.
    fn is_in_core(&self, side: &Side<'_>, [low, high]: &[DVec2; 2], at: u32, now: &Sight) -> bool {
        let own = *side.cell(at);
        if own.piece != now.piece {
            return false;
        }
        let (low, high) = (low.min(own.low), high.max(own.high));
        let area = |low: DVec2, high: DVec2| {
            let size = (high - low).max(DVec2::ZERO);
            if own.dimension == 1 { size.x } else { size.x * size.y }
        };
        let mut filled = 0.0;
        for known in &self.known {
            if let (Reason::Concave(_), Part::Cell(at)) = (known.reason, known.part) {
                let cell = side.cell(at);
                if cell.piece == own.piece && known.lasts(now) {
                    filled += area(low.max(cell.low), high.min(cell.high));
                }
            }
        }
        // Corners of cells are sums of a few powers of two: areas are exact.
        filled == area(low, high)
    }

    fn cut(&mut self, side: &mut Side<'_>, cell: u32, axis: usize) {
        for half in side.halves(cell, axis) {
            if side.cell(half).cover != Cover::Outside {
                self.waiting.push((Part::Cell(half), false));
            }
        }
    }

    /// Notes a part that is beyond. Slopes say nothing any more: they may lead into it.
    fn set_aside(&mut self, part: Part) {
        if self.beyond.is_empty() {
            let Self { known, waiting, .. } = self;
            known.retain(|known| {
                let stays = !matches!(known.reason, Reason::Sloped);
                if !stays {
                    waiting.push((known.part, true));
                }
                stays
            });
        }
        self.beyond.push(part);
    }

    fn look(&self, side: &mut Side<'_>, part: Part, now: &Sight, again: bool) -> Outcome {
        let (most, reach) = farthest(side, part, now);
        let wanted = AHEAD * self.step;
        let below = Known::new(part, Reason::Below, now, -most, reach);
        if most <= now.share && (!again || -most >= wanted * reach) {
            return Outcome::Known(below);
        }
        let Part::Cell(at) = part else {
            return if most <= now.share { Outcome::Known(below) } else { Outcome::Open };
        };
        let cell = *side.cell(at);
        if cell.dimension > 0 && self.beyond.is_empty() {
            let margin = slope(&cell, &side.derivatives(at), now);
            if margin > 0.0 && margin * reach > -most {
                return Outcome::Known(Known::new(part, Reason::Sloped, now, margin, reach));
            }
        }
        if most <= now.share {
            // Around the nearest point a part that is concave lasts longer.
            if cell.dimension > 0 && cell.piece == now.piece {
                let derivatives = side.derivatives(at);
                if let Some(bends) = concave(&cell, &derivatives, now, wanted) {
                    return Outcome::Known(Known::new(part, Reason::Concave(bends), now, wanted, reach));
                }
            }
            return Outcome::Known(below);
        }
        self.look_closer(side, at, cell, now, reach)
    }

    /// At a cell whose control points are beyond.
    fn look_closer(&self, side: &mut Side<'_>, at: u32, cell: Cell, now: &Sight, reach: f64) -> Outcome {
        if cell.dimension == 0 {
            return Outcome::Beyond(DVec2::ZERO);
        }
        if let Some(local) = corner_beyond(side, &cell, now) {
            return Outcome::Beyond(local);
        }
        let derivatives = side.derivatives(at);
        for margin in [AHEAD * self.step, 0.0] {
            let Some(bends) = concave(&cell, &derivatives, now, margin) else { continue };
            let (most, point) = top(side, at, now, bends);
            if most <= now.share {
                let known = Known::new(Part::Cell(at), Reason::Concave(bends), now, margin, reach);
                return Outcome::Known(known);
            }
            let local = cell.low + (cell.high - cell.low) * point;
            let there = pieces::jet(cell.degrees, side.net(&cell), point).point;
            if now.beyond(there) > now.share && side.holds(&cell, local) {
                return Outcome::Beyond(local);
            }
            break;
        }
        axis_of(side, at, now).map_or(Outcome::Beyond(0.5 * (cell.low + cell.high)), Outcome::Cut)
    }
}

/// The parameter along which to cut a cell; `None` where it is too small.
fn axis_of(side: &Side<'_>, at: u32, now: &Sight) -> Option<usize> {
    let cell = side.cell(at);
    let heights = spread(side, at, now.slope_at(cell.center));
    let small = cell.dimension == 0 || heights[0].max(heights[1]) <= cell.slack;
    (!small).then_some(usize::from(cell.dimension == 2 && heights[1] > heights[0]))
}

/// The most that a point of a part can be beyond, and be away from the nearest point.
fn farthest(side: &Side<'_>, part: Part, now: &Sight) -> (f64, f64) {
    let (center, radius) = side.ball(part);
    let reach = center.distance(now.point) + radius;
    let steep = 1.0 + now.bend.abs() * reach;
    if let (Part::Cell(at), true) = (part, now.bend > 0.0) {
        // A convex function is greatest at control points.
        let cell = side.cell(at);
        let most = side.points(cell).iter().fold(f64::NEG_INFINITY, |most, &p| {
            let beyond = now.beyond(p);
            if beyond > most { beyond } else { most }
        });
        return (most + steep * (cell.slack + now.round), reach);
    }
    let along = now.slope_at(center);
    let (height, lost) = side.height(part, along);
    let bulge = 0.5 * now.bend.max(0.0) * radius * radius;
    (now.beyond(center) + (height - along.dot(center)) + bulge + steep * (lost + now.round), reach)
}

/// A corner of a cell that belongs to the body and is beyond, by the parameters of its piece.
fn corner_beyond(side: &Side<'_>, cell: &Cell, now: &Sight) -> Option<DVec2> {
    if cell.cover != Cover::Inside {
        return None;
    }
    let points = side.points(cell);
    let (last, width) = (points.len() - 1, cell.degrees[1]);
    let corners = [
        (0, cell.low),
        (width, DVec2::new(cell.low.x, cell.high.y)),
        (last - width, DVec2::new(cell.high.x, cell.low.y)),
        (last, cell.high),
    ];
    let beyond = |&(i, _): &(usize, DVec2)| now.beyond(points[i]) - cell.slack > now.share;
    corners.into_iter().find(beyond).map(|(_, local)| local)
}

/// The turning that the slope of a cell outlasts; not positive where it has none.
fn slope(cell: &Cell, derivatives: &Derivatives, now: &Sight) -> f64 {
    let toward = now.slope_at(cell.center);
    let Some(weights) = derivatives.steepest(cell.dimension, toward) else { return 0.0 };
    let [u, v] = &derivatives.first;
    let along = u.center * weights[0] + v.center * weights[1];
    let error = weights[0].abs() * u.radius + weights[1].abs() * v.radius;
    let size = along.length();
    let rise = along.dot(toward) - error * toward.length() - now.bend.abs() * cell.radius * (size + error);
    rise / (size + error)
}

/// By how much a cell is at least concave along each parameter, for all turnings up to `margin`.
fn concave(cell: &Cell, derivatives: &Derivatives, now: &Sight, margin: f64) -> Option<[f64; 2]> {
    let slope = Ball { center: now.slope_at(cell.center), radius: now.bend.abs() * cell.radius + margin };
    let [u, v] = &derivatives.first;
    let entry = |second: &Ball, one: &Ball, other: &Ball| {
        let [bend, off] = slope.dot(second);
        let [metric, wide] = one.dot(other);
        let size = (one.center.length() + one.radius) * (other.center.length() + other.radius);
        (bend + now.bend * metric, off + now.bend.abs() * (wide + BENDING * size))
    };
    let [uu, uv, vv] = &derivatives.second;
    let (along_u, error_u) = entry(uu, u, u);
    let least_u = -along_u - error_u;
    if cell.dimension == 1 {
        return (least_u > 0.0).then_some([least_u, 0.0]);
    }
    let (along_v, error_v) = entry(vv, v, v);
    let (mixed, error) = entry(uv, u, v);
    let least_v = -along_v - error_v;
    // A matrix with these diagonal entries at least and this mixed one at most is above a diagonal one.
    let share = 1.0 - (mixed.abs() + error) / (least_u * least_v).sqrt();
    (least_u > 0.0 && least_v > 0.0 && share > 0.0).then_some([share * least_u, share * least_v])
}

/// A bound on how far points of a concave cell are beyond, no better than asked for, and where, in the cell's own parameters.
fn top(side: &Side<'_>, at: u32, now: &Sight, bends: [f64; 2]) -> (f64, DVec2) {
    let cell = side.cell(at);
    let high = DVec2::new(1.0, if cell.dimension == 2 { 1.0 } else { 0.0 });
    let lost =
        (cell.slack + now.round) * (1.0 + now.bend.abs() * (cell.center.distance(now.point) + cell.radius));
    let (mut local, mut jet) = (0.5 * high, None);
    if cell.piece == now.piece {
        let size = cell.high - cell.low;
        let own = (now.at - cell.low) / size.max(DVec2::splat(f64::MIN_POSITIVE));
        local = own.clamp(DVec2::ZERO, high);
        jet = (now.at.cmpge(cell.low).all() && now.at.cmple(cell.high).all()).then(|| within(&now.jet, size));
    }
    let mut best = (f64::INFINITY, local);
    for _ in 0..STEPS {
        let there = jet.take().unwrap_or_else(|| pieces::jet(cell.degrees, side.net(cell), local));
        let slope = now.slope_at(there.point);
        let rises = DVec2::new(slope.dot(there.u), slope.dot(there.v));
        let most = now.beyond(there.point)
            + rise(rises.x, bends[0], local.x, high.x)
            + rise(rises.y, bends[1], local.y, high.y)
            + lost;
        if most < best.0 {
            best = (most, local);
        }
        if most <= now.share {
            break;
        }
        let next = (local + newton(&there, slope, now.bend, rises, cell.dimension)).clamp(DVec2::ZERO, high);
        if next == local || !next.is_finite() {
            break;
        }
        local = next;
    }
    best
}

/// The most that a function rises from a place in 0 … `high` whose slope is known and which bends down by `bend` at least.
fn rise(slope: f64, bend: f64, at: f64, high: f64) -> f64 {
    let room = if slope > 0.0 { high - at } else { at };
    let way = (slope.abs() / bend.max(f64::MIN_POSITIVE)).min(room);
    (slope.abs() - 0.5 * bend * way) * way
}

/// A Newton step toward the point of a cell that is farthest beyond.
fn newton(jet: &SurfaceJet, slope: DVec3, bend: f64, rises: DVec2, dimension: usize) -> DVec2 {
    let uu = slope.dot(jet.uu) + bend * jet.u.length_squared();
    if dimension == 1 {
        return DVec2::new(-rises.x / uu, 0.0);
    }
    let uv = slope.dot(jet.uv) + bend * jet.u.dot(jet.v);
    let vv = slope.dot(jet.vv) + bend * jet.v.length_squared();
    DVec2::new(uv * rises.y - vv * rises.x, uv * rises.x - uu * rises.y) / (uu * vv - uv * uv)
}

/// A jet by the parameters of a part of a piece, as wide as `size`.
fn within(jet: &SurfaceJet, size: DVec2) -> SurfaceJet {
    SurfaceJet {
        u: jet.u * size.x,
        v: jet.v * size.y,
        uu: jet.uu * (size.x * size.x),
        uv: jet.uv * (size.x * size.y),
        vv: jet.vv * (size.y * size.y),
        ..*jet
    }
}

/// The curvature of a sphere that may keep both features apart at their nearest points, as A sees it; `None` where none does.
/// `radius` is that of the larger body: spheres that are flatter than both bodies are preferred.
pub(super) fn bend_between(foot: &Foot, normals: [DVec3; 2], distance: f64, radius: f64) -> Option<f64> {
    // A is below a sphere of less than this curvature; B is above one of more than that.
    let most = -foot.bulge(0, normals[0]);
    let bulge = foot.bulge(1, normals[1]);
    let least = if bulge == f64::NEG_INFINITY { -1.0 / distance } else { bulge / (1.0 - bulge * distance) };
    if !(bulge * distance < 1.0 && least < most) {
        return None;
    }
    let flat = FLATNESS / (radius + distance);
    let (low, high) = if least >= flat {
        (least, most.min(STEEPEST * least))
    } else if most <= -flat {
        (least.max(STEEPEST * most), most)
    } else {
        (least.max(-flat), most.min(flat))
    };
    Some(0.5 * (low + high))
}

/// The curvature that needs no better reason, over that of a ball around the larger body and the gap.
const FLATNESS: f64 = 0.5;

/// How much more than the least curvature that will do is thought of.
const STEEPEST: f64 = 3.0;
