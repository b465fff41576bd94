//! The place of a surface nearest to a point, whatever other sheets of it are near.
//!
//! Source: branch and bound over rectangles of parameters, the one whose hull is nearest first.
//! Differs: a search by Newton's method within every rectangle that comes up is what the others are held against.
//! Ends because: a rectangle ends where its hull is no nearer than a share of the best distance, or where numbers end; and there
//! are at most [`CELLS`] of them.
//! Cost: two hulls and a search within for each rectangle: some tens where other sheets are well apart.
//! Not promised: places nearer by less than the share, such as another on the sphere whose middle the point is; anything of
//! unbounded rectangles.

use super::locate::{Found, descend};
use super::{ParametricSurface, Surface};
use crate::bound::{ConvexBound, Hull};
use crate::curve::{Curve, Range, Rect};
use crate::ranked::Ranked;
use glam::{DVec2, DVec3};
use std::collections::BinaryHeap;

/// Most rectangles that are cut.
const CELLS: usize = 2048;

/// A surface of whose parts bounds are known.
pub(super) trait Bounded: ParametricSurface {
    /// A hull around a part.
    fn hull_over(&self, part: Rect) -> Hull;

    /// The polynomial piece of a parameter, u for axis 0, that a value is in; `None` where there are no pieces.
    fn piece(&self, axis: usize, at: f64) -> Option<Range>;
}

impl Bounded for Surface {
    fn hull_over(&self, part: Rect) -> Hull {
        self.hull(part)
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
            add(&mut waiting, Cell { part, shift }, share * best.0.distance);
        }
    }
    for _ in 0..CELLS {
        let Some(Ranked { rank, item: Cell { part, shift }, .. }) = waiting.pop() else { break };
        if !(-rank < share * best.0.distance) {
            break;
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

/// A part cut across its longer side, at a knot if there is one within; none where numbers end.
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
        let inside = |t: &f64| range.low < *t && *t < range.high;
        let middle = range.middle();
        let knots = surface.piece(axis, middle).map(|piece| [piece.low, piece.high]);
        let nearest = |a: &f64, b: &f64| (a - middle).abs().total_cmp(&(b - middle).abs());
        let knot = knots.into_iter().flatten().filter(inside).min_by(nearest);
        let at = knot.or_else(|| Some(middle).filter(inside))?;
        let halves = [Range::new(range.low, at), Range::new(at, range.high)];
        Some(halves.map(|half| if axis == 0 { Rect::new(half, part.v) } else { Rect::new(part.u, half) }))
    };
    cut(longer).or_else(|| cut(1 - longer)).into_iter().flatten().collect()
}
