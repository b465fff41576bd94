//! How much of a rectangle of parameters a face covers.
//!
//! Source: subdivision of the boundary's cubics until their boxes miss the rectangle or are inside it.
//! Differs: where a cubic is no closer to its edge than the rectangle is wide, the edge itself is halved.
//! Ends because: cubics are halved at most [`CUBIC_DEPTH`] times, edges at most [`EDGE_DEPTH`] times, or [`BOUNDARY_DEPTH`] for
//! those who ask for the boundary itself; what is left counts as met.
//! Cost: one box test for each piece of the boundary; a few halvings for those close to the rectangle.
//! Not promised: that the boundary runs through a rectangle whose cover is unknown.

use super::trace::TrimPiece;
use super::{Region, Side};
use crate::curve::{Range, Rect};
use crate::surface::ParametricSurface;
use crate::tolerance::TRIM_BOUNDARY_REL;
use glam::DVec2;

/// Halvings of a cubic.
const CUBIC_DEPTH: usize = 12;

/// Halvings of an edge's piece.
const EDGE_DEPTH: usize = 24;

/// Halvings of an edge's piece where a rough answer will do.
const ROUGH_DEPTH: usize = 1;

/// Halvings of a part of the boundary: the last ones are about as short as numbers are dense.
const BOUNDARY_DEPTH: usize = 52;

/// Parts of a boundary beyond which none is halved.
const MOST_PARTS: usize = 1 << 16;

/// How much of a rectangle of parameters a face covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// All of it.
    Inside,
    /// Nothing of it.
    Outside,
    /// The boundary of the face may run through it.
    Unknown,
}

/// Whether a range is longer than a period, beyond rounding: its points come more than once.
fn is_longer(range: Range, period: f64) -> bool {
    range.width() > period * (1.0 + TRIM_BOUNDARY_REL)
}

impl Region {
    /// How much of a rectangle within [`Region::bounds`] belongs to the face.
    pub fn cover(&self, rect: Rect) -> Cover {
        self.cover_within(rect, EDGE_DEPTH)
    }

    /// The same at less cost, unknown for rectangles close to the boundary too.
    pub fn rough_cover(&self, rect: Rect) -> Cover {
        self.cover_within(rect, ROUGH_DEPTH)
    }

    fn cover_within(&self, rect: Rect, depth: usize) -> Cover {
        if self.rect().is_some() {
            return Cover::Inside;
        }
        let met = |rect: Rect| self.chains().iter().flatten().any(|piece| self.meets(piece, rect, depth));
        if self.copies(rect).any(met) {
            return Cover::Unknown;
        }
        match self.side(rect.u.middle(), rect.v.middle()) {
            Side::Inside => Cover::Inside,
            Side::Outside => Cover::Outside,
            Side::Boundary => Cover::Unknown,
        }
    }

    /// The bounds, or the first turn of them where they are longer: what is beyond has the same points once more, and a
    /// rectangle within one turn is covered by all of them.
    pub(crate) fn first_turn(&self) -> Rect {
        let [u, v] = self.surface().periods();
        let turn = |bounds: Range, period: Option<f64>| match period {
            Some(period) if is_longer(bounds, period) => Range::new(bounds.low, bounds.low + period),
            _ => bounds,
        };
        Rect::new(turn(self.bounds().u, u), turn(self.bounds().v, v))
    }

    /// The rectangle, and where the bounds are longer than a period its copies within them: the boundary is stored once.
    fn copies(&self, rect: Rect) -> impl Iterator<Item = Rect> {
        let moved = |range: Range, by: f64| Range::new(range.low + by, range.high + by);
        let bounds = self.bounds();
        let copies = self.shifts().map(move |by| Rect::new(moved(rect.u, by.x), moved(rect.v, by.y)));
        copies.filter(move |copy| *copy == rect || copy.intersection(bounds).is_some())
    }

    /// Whether parameters come more than once within its bounds.
    pub(super) fn goes_around_twice(&self) -> bool {
        let [u, v] = self.surface().periods();
        let longer =
            |bounds: Range, period: Option<f64>| period.is_some_and(|period| is_longer(bounds, period));
        longer(self.bounds().u, u) || longer(self.bounds().v, v)
    }

    /// By what copies of the region are moved that may share parameters with it: by periods that its bounds are longer than.
    fn shifts(&self) -> impl DoubleEndedIterator<Item = DVec2> {
        const TURNS: [f64; 5] = [0.0, -1.0, 1.0, -2.0, 2.0];
        let [along_u, along_v] = self.surface().periods();
        let bounds = self.bounds();
        let turns = |bounds: Range, period: Option<f64>| match period {
            Some(period) if is_longer(bounds, period) => (period, TURNS.len()),
            _ => (0.0, 1),
        };
        let (across, count) = turns(bounds.v, along_v);
        let (along, lines) = turns(bounds.u, along_u);
        let shift = move |k: usize| DVec2::new(TURNS[k / count] * along, TURNS[k % count] * across);
        (0..lines * count).map(shift)
    }

    /// Whether a rectangle within the bounds is known to have no point of the face.
    pub(crate) fn misses(&self, rect: Rect) -> bool {
        self.cover(rect) == Cover::Outside
    }

    /// The boundary as parts: where each runs from and to, and a rectangle that holds it; the face is on its left seen
    /// with S_u × S_v toward the eye. Where the region is longer than a period its copies are listed too. Parts are halved
    /// as long as `is_coarse` says so of their ends and rectangle, about as far as numbers go.
    pub fn boundary(&self, is_coarse: impl Fn([DVec2; 2], Rect) -> bool) -> Vec<([DVec2; 2], Rect)> {
        let mut parts = Vec::new();
        let mut waiting: Vec<(TrimPiece, usize)> = Vec::new();
        for shift in self.shifts().rev() {
            let moved = |piece: &TrimPiece| (piece.clone().moved(shift), BOUNDARY_DEPTH);
            waiting.extend(self.chains().iter().flatten().rev().map(moved));
        }
        while let Some((piece, depth)) = waiting.pop() {
            let (ends, bounds) = ([piece.from(), piece.to()], piece.bounds());
            if depth == 0 || parts.len() + waiting.len() > MOST_PARTS || !is_coarse(ends, bounds) {
                parts.push((ends, bounds));
                continue;
            }
            let [one, other] = piece.halves(self.surface(), self.curves());
            waiting.extend([(other, depth - 1), (one, depth - 1)]);
        }
        parts
    }

    /// Whether a piece of the boundary may run through a rectangle.
    fn meets(&self, piece: &TrimPiece, rect: Rect, depth: usize) -> bool {
        if piece.bounds().intersection(rect).is_none() {
            return false;
        }
        if piece.curve.is_none() {
            return segment_meets(piece.from(), piece.to(), rect);
        }
        if [piece.from(), piece.to()].iter().any(|p| rect.contains(p.x, p.y)) {
            return true;
        }
        if !is_cubic_near(piece, rect) {
            return false;
        }
        let coarse = piece.slack.x > 0.25 * rect.u.width() || piece.slack.y > 0.25 * rect.v.width();
        if !coarse || depth == 0 {
            return true;
        }
        let halves = piece.halves(self.surface(), self.curves());
        halves.iter().any(|half| self.meets(half, rect, depth - 1))
    }
}

/// Whether a piece's cubic, known up to its slack, may run through a rectangle.
pub(super) fn is_cubic_near(piece: &TrimPiece, rect: Rect) -> bool {
    cubic_meets(piece.cubic.bezier_points(), piece.slack, rect, CUBIC_DEPTH)
}

/// Whether a segment runs through a rectangle: it does unless the rectangle is on one side of it.
pub(super) fn segment_meets(from: DVec2, to: DVec2, Rect { u, v }: Rect) -> bool {
    let along = to - from;
    let side = |x: f64, y: f64| along.perp_dot(DVec2::new(x, y) - from);
    let sides = [side(u.low, v.low), side(u.high, v.low), side(u.low, v.high), side(u.high, v.high)];
    !(sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0))
}

/// Whether a cubic, known up to a slack, may run through a rectangle.
fn cubic_meets(points: [DVec2; 4], slack: DVec2, rect: Rect, depth: usize) -> bool {
    let low = points.iter().fold(DVec2::INFINITY, |low, p| low.min(*p)) - slack;
    let high = points.iter().fold(DVec2::NEG_INFINITY, |high, p| high.max(*p)) + slack;
    let bounds = Rect::new(Range::new(low.x, high.x), Range::new(low.y, high.y));
    if bounds.intersection(rect).is_none() {
        return false;
    }
    let [a, b, c, d] = points;
    let (ab, bc, cd) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + d));
    let (abc, bcd) = (0.5 * (ab + bc), 0.5 * (bc + cd));
    let middle = 0.5 * (abc + bcd);
    if depth == 0 || rect.contains(middle.x, middle.y) {
        return true;
    }
    cubic_meets([a, ab, abc, middle], slack, rect, depth - 1)
        || cubic_meets([middle, bcd, cd, d], slack, rect, depth - 1)
}
