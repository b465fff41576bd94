//! The place of a surface nearest to a point, whatever other sheets of it are near.
//!
//! Source: branch and bound over rectangles of parameters, the one whose hull is nearest first.
//! Differs: a search by Newton's method within every rectangle that comes up is what the others are held against; rectangles
//! about the place that it ended in are done once the surface bends little over them.
//! Ends because: a rectangle ends where its hull is no nearer than a share of the best distance, or where numbers end; and there
//! are at most [`CELLS`] of them besides the pieces.
//! Cost: a hull of each polynomial piece; two hulls and a search within for each rectangle that is cut: some tens where other
//! sheets are well apart.
//! Not promised: places nearer by less than the share, such as another on the sphere whose middle the point is; anything of
//! unbounded rectangles.

use super::locate::{Found, descend};
use super::{ParametricSurface, Surface, SurfaceJet};
use crate::bound::{ConvexBound, DerivativeBound, Hull};
use crate::curve::{Curve, Range, Rect};
use crate::ranked::Ranked;
use glam::{DVec2, DVec3};
use std::collections::BinaryHeap;

/// Most rectangles that are cut.
const CELLS: usize = 2048;

/// A surface of whose parts bounds are known.
pub(super) trait Bounded: ParametricSurface {
    /// A hull around a part of one polynomial piece.
    fn hull_over(&self, part: Rect) -> Hull;

    /// Bounds of the second derivatives over a part of one polynomial piece, by u twice, mixed, and by v twice.
    fn bends(&self, part: Rect) -> [f64; 3];

    /// The polynomial piece of a parameter, u for axis 0, that a value is in; `None` where there are no pieces.
    fn piece(&self, axis: usize, at: f64) -> Option<Range>;
}

impl Bounded for Surface {
    fn hull_over(&self, part: Rect) -> Hull {
        match self {
            Self::Nurbs(nurbs) => nurbs.hull_within(nurbs.tile_of(part), part),
            _ => self.hull(part),
        }
    }

    fn bends(&self, part: Rect) -> [f64; 3] {
        let speeds = match self {
            Self::Nurbs(nurbs) => nurbs.speeds_within(nurbs.tile_of(part), part),
            _ => self.derivative_bounds(part),
        };
        [speeds.uu, speeds.uv, speeds.vv]
    }

    fn piece(&self, axis: usize, at: f64) -> Option<Range> {
        match (self, axis) {
            (Self::Nurbs(nurbs), _) => {
                let knots = &nurbs.knots()[axis];
                Some(knots.piece(knots.find(at)))
            }
            (Self::Revolution(surface), 1) => piece_of(surface.curve(), at),
            (Self::Extrusion(surface), 0) => piece_of(surface.curve(), at),
            _ => None,
        }
    }
}

pub(super) fn piece_of(curve: &Curve, at: f64) -> Option<Range> {
    let Curve::Nurbs(nurbs) = curve else { return None };
    Some(nurbs.knots().piece(nurbs.knots().find(at)))
}

/// What waits to be cut.
struct Cell {
    part: Rect,
    /// What leads from its parameters to those that were asked for, on a periodic surface.
    shift: DVec2,
}

/// What was found, unless there is a place within the parts whose distance from `target` is less than `share` of that; then one
/// such that no other's is less than `share` of its own. The parameters of each part are shifted as said.
pub(super) fn nearer<S: Bounded>(
    surface: &S,
    target: DVec3,
    parts: impl IntoIterator<Item = (Rect, DVec2)>,
    found: Found,
    share: f64,
) -> Found {
    let mut best = found;
    let mut turn = 0;
    let mut waiting = BinaryHeap::new();
    let mut add = |waiting: &mut BinaryHeap<Ranked<Cell>>, cell: Cell, below: f64| {
        let least = height(surface, target, cell.part);
        // Written so that NaN is left out.
        if least < below {
            turn -= 1;
            waiting.push(Ranked { rank: -least, turn, item: cell });
        }
    };
    for (part, shift) in parts {
        if part.is_bounded() && part.u.low <= part.u.high && part.v.low <= part.v.high {
            let along = spans(surface, 1, part.v);
            for u in spans(surface, 0, part.u) {
                for v in &along {
                    add(&mut waiting, Cell { part: Rect::new(u, *v), shift }, share * best.0.distance);
                }
            }
        }
    }
    for _ in 0..CELLS {
        let Some(Ranked { rank, item: Cell { part, shift }, .. }) = waiting.pop() else { break };
        if !(-rank < share * best.0.distance) {
            break;
        }
        if is_settled(surface, target, part, (best.0.parameters - shift, &best.1), share) {
            continue;
        }
        let middle = DVec2::new(part.u.middle(), part.v.middle());
        let mut next = descend(surface, target, part, middle);
        if next.0.distance < share * best.0.distance {
            next.0.parameters += shift;
            best = next;
            if best.0.is_on(target, &best.1) {
                break;
            }
        }
        for part in halves(surface, part) {
            add(&mut waiting, Cell { part, shift }, share * best.0.distance);
        }
    }
    best
}

/// The parts of a range that the polynomial pieces of a parameter cut it into.
fn spans<S: Bounded>(surface: &S, axis: usize, range: Range) -> Vec<Range> {
    let mut spans = Vec::new();
    let mut low = range.low;
    while let Some(piece) = surface.piece(axis, low) {
        if !(low < piece.high && piece.high < range.high) {
            break;
        }
        spans.push(Range::new(low, piece.high));
        low = piece.high;
    }
    spans.push(Range::new(low, range.high));
    spans
}

/// No point of a part is nearer than this, but for rounding.
fn height<S: Bounded>(surface: &S, target: DVec3, part: Rect) -> f64 {
    let hull = surface.hull_over(part);
    if hull.points.is_empty() {
        return 0.0;
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in &hull.points {
        let off = *p - target;
        (low, high) = (low.min(off), high.max(off));
    }
    let outside = low.max(-high).max(DVec3::ZERO).length();
    // A plane across the way to the middle is closer to a sheet than a box.
    let way = (0.5 * (low + high)).normalize_or_zero();
    let along = hull.points.iter().map(|p| (*p - target).dot(way)).fold(f64::INFINITY, f64::min);
    outside.max(along)
}

/// Whether the squared distance of no point of a part is less than `share` of that of a place in it or next to it: so near a
/// minimum the surface leaves a point that is not farther than it bends.
fn is_settled<S: Bounded>(
    surface: &S,
    target: DVec3,
    part: Rect,
    (at, jet): (DVec2, &SurfaceJet),
    share: f64,
) -> bool {
    let joined = |range: Range, t: f64| Range::new(range.low.min(t), range.high.max(t));
    let whole = Rect::new(joined(part.u, at.x), joined(part.v, at.y));
    let (wide, long) = (whole.u.width(), whole.v.width());
    // The derivatives are those of one polynomial.
    let is_smooth = |axis: usize, range: Range, t: f64| {
        surface.piece(axis, t).is_none_or(|piece| piece.low <= range.low && range.high <= piece.high)
    };
    let is_beside = wide <= 2.0 * part.u.width() && long <= 2.0 * part.v.width();
    if !is_beside || !is_smooth(0, whole.u, at.x) || !is_smooth(1, whole.v, at.y) {
        return false;
    }
    // By parameters x from 0 to 1, at most √2 from the place: with the metric at least σ² and second derivatives up to M,
    // points are at least σ|x| − M|x|²/2 off the place. The squared distance from the target falls by at most dM|x|² and the
    // slope's share, and grows by the square of that.
    let (u, v, rest) = (jet.u * wide, jet.v * long, jet.point - target);
    let (e, f, g) = (u.length_squared(), u.dot(v), v.length_squared());
    let least = if long == 0.0 { e } else { 0.5 * (e + g - (e - g).hypot(2.0 * f)) };
    let fall = |slope: f64, range: Range, t: f64| {
        let ways =
            [t - range.low, range.high - t].map(|way| if way > 0.0 { way / range.width() } else { 0.0 });
        (slope * ways[0]).max(-slope * ways[1]).max(0.0)
    };
    let falls = 2.0 * (fall(rest.dot(u), whole.u, at.x) + fall(rest.dot(v), whole.v, at.y));
    if !(least > 0.0 && falls <= (1.0 - share) * rest.length_squared()) {
        return false;
    }
    let [uu, uv, vv] = surface.bends(whole);
    let bend = (uu * wide * wide).max(vv * long * long) + uv * wide * long;
    bend * (4.0 * rest.length()).max((2.0 * least).sqrt()) <= least
}

/// A part cut across its longer side; none where numbers end.
fn halves<S: Bounded>(surface: &S, part: Rect) -> Vec<Rect> {
    let jet = surface.jet(part.u.middle(), part.v.middle());
    let length = |first: DVec3, second: DVec3, range: Range| {
        let wide = range.width();
        (first.length() * wide).max(0.5 * second.length() * wide * wide)
    };
    let lengths = [length(jet.u, jet.uu, part.u), length(jet.v, jet.vv, part.v)];
    let longer = usize::from(lengths[1] > lengths[0]);
    let cut = |axis: usize| {
        let range = [part.u, part.v][axis];
        let at = Some(range.middle()).filter(|t| range.low < *t && *t < range.high)?;
        let halves = [Range::new(range.low, at), Range::new(at, range.high)];
        Some(halves.map(|half| if axis == 0 { Rect::new(half, part.v) } else { Rect::new(part.u, half) }))
    };
    cut(longer).or_else(|| cut(1 - longer)).into_iter().flatten().collect()
}
