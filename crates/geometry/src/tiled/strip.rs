//! Strips of parameters under pieces of a region's boundary, between knots.
//!
//! Source: Green's theorem: a region is the signed sum of the strips between its boundary and a line v = const.
//! Differs: nothing to differ from.
//! Ends because: pieces and knots are counted; a crossing is found in [`BISECTIONS`] steps.
//! Cost: O(pieces of the boundary × knots).
//! Not promised: that a curved piece crosses a knot exactly at the end of its strip; its guiding cubic does.

use super::majorant::ComplexBox;
use super::region::Region;
use super::trace::TrimPiece;
use crate::curve::{Curve, ParametricCurve, Range, Rect};
use crate::surface::{Surface, Torus};
use crate::{DVec2, DVec3};
use glam::Vec2Swizzles;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Bisections by which a knot is found on a piece.
const BISECTIONS: usize = 50;

/// Where a surface may fail to be analytic along each parameter, and the longest step along it.
struct Grain {
    cuts: [Vec<f64>; 2],
    steps: [f64; 2],
}

/// Where a strip ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Top {
    /// In the piece of the boundary.
    Piece,
    /// At a knot below it.
    Level(f64),
}

/// The parameters between a part of a piece of the boundary, or a knot below it, and the line y = `low`. Here (x, y) is
/// (u, v), or (v, u) where there are fewer knots along u to cross.
pub(super) struct Strip<'a> {
    pub(super) number: usize,
    pub(super) piece_number: usize,
    region: &'a Region,
    piece: &'a TrimPiece,
    /// The part of the piece.
    part: Range,
    pub(super) low: f64,
    pub(super) top: Top,
    steps: [f64; 2],
    /// Whether x is v.
    pub(super) swapped: bool,
}

fn swapped(at: DVec2, swap: bool) -> DVec2 {
    if swap { at.yx() } else { at }
}

/// All strips of a region.
pub(super) fn strips(region: &Region) -> Vec<Strip<'_>> {
    let mut grain = grain(region.surface());
    let spline = matches!(region.surface(), Surface::Nurbs(_));
    let swap = spline && grain.cuts[0].len() < grain.cuts[1].len();
    if swap {
        grain.cuts.swap(0, 1);
        grain.steps.swap(0, 1);
    }
    let low = if swap { region.bounds().u.low } else { region.bounds().v.low };
    let mut found: Vec<Strip> = Vec::new();
    for (piece_number, piece) in region.chains().iter().flatten().enumerate() {
        let (from, to) = (swapped(piece.from(), swap), swapped(piece.to(), swap));
        let flat = piece.curve.is_none();
        // Nothing over a line along y, and nothing below the lowest line.
        if flat && (from.x == to.x || (from.y == low && to.y == low)) {
            continue;
        }
        for part in parts(piece, &grain, swap) {
            let highest = swapped(piece.cubic.at(part.middle()), swap).y;
            let mut bottom = low;
            let mut add = |low: f64, top: Top| {
                let number = found.len();
                let steps = grain.steps;
                found.push(Strip {
                    number,
                    piece_number,
                    region,
                    piece,
                    part,
                    low,
                    top,
                    steps,
                    swapped: swap,
                });
            };
            for &cut in grain.cuts[1].iter().filter(|cut| low < **cut && **cut < highest) {
                add(bottom, Top::Level(cut));
                bottom = cut;
            }
            add(bottom, Top::Piece);
        }
    }
    found
}

fn grain(surface: &Surface) -> Grain {
    let of_curve = |curve: &Curve| match curve {
        Curve::Nurbs(nurbs) => {
            let pieces = nurbs.knots().piece_count();
            let ends = (0..pieces).flat_map(|i| [nurbs.knots().piece(i).low, nurbs.knots().piece(i).high]);
            let cuts: Vec<f64> = ends.collect();
            let period = nurbs.period();
            (with_copies(cuts, period), f64::INFINITY)
        }
        Curve::Line(_) | Curve::Parabola(_) => (Vec::new(), f64::INFINITY),
        _ => (Vec::new(), FRAC_PI_2),
    };
    let turn = || (Vec::new(), FRAC_PI_2);
    let free = || (Vec::new(), f64::INFINITY);
    let [u, v] = match surface {
        Surface::Plane(_) => [free(), free()],
        Surface::Sphere(_) | Surface::Ellipsoid(_) => [turn(), turn()],
        // A tube that meets itself changes its side there.
        Surface::Torus(torus) if torus.major() < torus.minor() => {
            [turn(), (with_copies(tube_crossings(torus).to_vec(), Some(TAU)), FRAC_PI_2)]
        }
        Surface::Torus(_) => [turn(), turn()],
        Surface::Cone(cone) => [turn(), (vec![cone.apex()], f64::INFINITY)],
        Surface::Cylinder(_) | Surface::Paraboloid(_) => [turn(), free()],
        Surface::Revolution(revolution) => [turn(), of_curve(revolution.curve())],
        Surface::Extrusion(extrusion) => [of_curve(extrusion.curve()), free()],
        Surface::Nurbs(nurbs) => [0, 1].map(|i| {
            let knots = &nurbs.knots()[i];
            let ends = (0..knots.piece_count()).flat_map(|k| [knots.piece(k).low, knots.piece(k).high]);
            let period = nurbs.is_closed()[i].then(|| knots.domain().width());
            (with_copies(ends.collect(), period), f64::INFINITY)
        }),
    };
    Grain { cuts: [u.0, v.0], steps: [u.1, v.1] }
}

/// Where a tube that is wider than its ring meets itself, as angles about the tube.
pub(super) fn tube_crossings(torus: &Torus) -> [f64; 2] {
    let meets = (-torus.major() / torus.minor()).acos();
    [meets, TAU - meets]
}

/// Parameters with their copies a period before and behind, in order.
pub(super) fn with_copies(mut cuts: Vec<f64>, period: Option<f64>) -> Vec<f64> {
    if let Some(period) = period {
        let copies = |shift: f64| cuts.iter().map(move |t| t + shift).collect::<Vec<f64>>();
        let (below, above) = (copies(-period), copies(period));
        cuts.extend(below.into_iter().chain(above));
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    cuts
}

/// The piece in parts between the surface's knots along x and y.
fn parts(piece: &TrimPiece, grain: &Grain, swap: bool) -> Vec<Range> {
    let mut ends: Vec<f64> = vec![0.0, 1.0];
    for axis in [0, 1] {
        let at = |s: f64| swapped(piece.cubic.at(s), swap)[axis];
        let (from, to) = (swapped(piece.from(), swap)[axis], swapped(piece.to(), swap)[axis]);
        for &knot in &grain.cuts[axis] {
            if (from < knot) == (to < knot) || from == knot || to == knot {
                continue;
            }
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (low + high);
                if (at(middle) < knot) == (from < knot) { low = middle } else { high = middle }
            }
            ends.push(low);
        }
    }
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    ends.windows(2).map(|pair| Range::new(pair[0], pair[1])).collect()
}

impl Strip<'_> {
    /// The first cells, in s and t: steps of at most a quarter of a turn.
    pub(super) fn cells(&self) -> Vec<(Range, Range)> {
        let [from, to] = [self.part.low, self.part.high].map(|s| self.guide(s));
        let steps = |length: f64, step: f64| (length.abs() / step).ceil().clamp(1.0, 64.0) as usize;
        let along = steps(to.x - from.x, self.steps[0]);
        let top = self.ends(0.5 * (from + to))[1];
        let across = steps(top - self.low, self.steps[1]);
        let cut = |range: Range, count: usize| {
            (0..count).map(move |k| {
                Range::new(range.at(k as f64 / count as f64), range.at((k + 1) as f64 / count as f64))
            })
        };
        cut(self.part, along).flat_map(|s| cut(Range::new(0.0, 1.0), across).map(move |t| (s, t))).collect()
    }

    /// (x, y) of the guiding cubic.
    fn guide(&self, s: f64) -> DVec2 {
        swapped(self.piece.cubic.at(s), self.swapped)
    }

    /// (x, y) of the guiding cubic, and its derivative: the boundary to [`TRACE_REL`](crate::tolerance::TRACE_REL),
    /// without a search on the surface.
    pub(super) fn guided(&self, s: f64) -> (DVec2, DVec2) {
        (self.guide(s), self.turned(self.piece.cubic.derivative(s)))
    }

    /// (u, v) of (x, y), or the other way around.
    pub(super) fn turned(&self, at: DVec2) -> DVec2 {
        swapped(at, self.swapped)
    }

    fn turned_rect(&self, rect: Rect) -> Rect {
        if self.swapped { Rect::new(rect.v, rect.u) } else { rect }
    }

    /// Of the term of Green's theorem: du dv is −dy dx or dx dy.
    pub(super) fn sign(&self) -> f64 {
        if self.swapped { 1.0 } else { -1.0 }
    }

    /// (x, y) of the boundary at `s`, and its derivative.
    pub(super) fn exact(&self, s: f64) -> (DVec2, DVec2) {
        let (at, slope) = self.piece.exact(self.region.surface(), self.region.curves(), s);
        (self.turned(at), self.turned(slope))
    }

    /// The ends of the strip below a point of the boundary.
    pub(super) fn ends(&self, at: DVec2) -> [f64; 2] {
        match self.top {
            Top::Piece => [self.low, at.y],
            Top::Level(top) => [self.low, top],
        }
    }

    /// Whether the boundary's parameters are a straight line.
    pub(super) fn is_straight(&self) -> bool {
        self.piece.curve.is_none()
    }

    /// Whether y is constant along it.
    pub(super) fn is_level(&self) -> bool {
        self.is_straight() && self.turned(self.piece.from()).y == self.turned(self.piece.to()).y
    }

    /// Whether its parameters are known for complex s too: straight ones, and any curve on a plane.
    pub(super) fn is_known(&self) -> bool {
        self.is_straight() || matches!(self.region.surface(), Surface::Plane(_))
    }

    /// The curve on a plane, its parameter at s = 0, and by how much that grows until s = 1.
    pub(super) fn plane_curve(&self) -> Option<(&Curve, Range, f64)> {
        let curve = self.piece.curve?;
        let [from, to] = self.piece.along;
        Some((&self.region.curves()[curve as usize], Range::new(from, to), to - from))
    }

    /// A point of the strip's lower line in space.
    pub(super) fn foot(&self, surface: &Surface, s: Range) -> DVec3 {
        let at = self.guide(s.middle());
        crate::surface::home::jet(surface, self.turned(DVec2::new(at.x, self.low))).point
    }

    /// (u, v) in the middle of a cell, by the guiding cubic.
    pub(super) fn middle(&self, s: Range, t: Range) -> DVec2 {
        let at = self.guide(s.middle());
        let [low, high] = self.ends(at);
        self.turned(DVec2::new(at.x, low + (high - low) * t.middle()))
    }

    /// The (u, v) of a rectangle of (x, y).
    pub(super) fn params(&self, rect: Rect) -> Rect {
        self.turned_rect(rect)
    }

    /// A rectangle of (x, y) around a cell, as far as the ends of its part tell.
    pub(super) fn cell_bounds(&self, s: Range, t: Range) -> Rect {
        let [from, to] = [s.low, s.high].map(|s| self.guide(s));
        let sorted = |a: f64, b: f64| Range::new(a.min(b), a.max(b));
        let slack = if self.is_straight() { DVec2::ZERO } else { self.turned(self.piece.slack) };
        let mut v = Range::new(f64::INFINITY, f64::NEG_INFINITY);
        for at in [from, to] {
            let [low, high] = self.ends(at);
            for end in [t.low, t.high] {
                let here = low + (high - low) * end;
                v = Range::new(v.low.min(here), v.high.max(here));
            }
        }
        let u = sorted(from.x, to.x);
        Rect::new(
            Range::new(u.low - slack.x, u.high + slack.x),
            Range::new(v.low - slack.y, v.high + slack.y),
        )
    }

    /// The largest |x′| by s, and the largest height of the strip, for a cell with (x, y) in `around`.
    pub(super) fn real_factors(&self, s: Range, around: Rect) -> (f64, f64) {
        let height = match self.top {
            Top::Level(top) => (top - self.low).abs(),
            Top::Piece => {
                let ends = [s.low, s.high].map(|s| (self.guide(s).y - self.low).abs());
                ends[0].max(ends[1]).max(if self.is_straight() {
                    0.0
                } else {
                    around_height(around, self.low)
                })
            }
        };
        let slope = if self.is_straight() {
            self.slope().abs()
        } else {
            // Twice the mean is enough for pieces that turn by little.
            2.0 * around.u.width() / s.width()
        };
        (slope, height)
    }

    /// dx/ds of a straight piece.
    pub(super) fn slope(&self) -> f64 {
        self.turned(self.piece.to() - self.piece.from()).x
    }

    /// A box of (u, v) from one of (x, y).
    pub(super) fn complex_box(&self, re: Rect, im: DVec2) -> ComplexBox {
        ComplexBox { re: self.turned_rect(re), im: self.turned(im) }
    }

    /// (u, v) for complex s and real t over a straight piece, and the largest height.
    pub(super) fn complex(&self, re: Range, im: f64, t: Range) -> (ComplexBox, f64) {
        let from = self.turned(self.piece.from());
        let d = self.turned(self.piece.to()) - from;
        let [a, b] = [re.low, re.high].map(|s| from + d * s);
        let sorted = |a: f64, b: f64| Range::new(a.min(b), a.max(b));
        let u = sorted(a.x, b.x);
        match self.top {
            Top::Level(top) => {
                let v = [t.low, t.high].map(|t| self.low + (top - self.low) * t);
                let re = Rect::new(u, sorted(v[0], v[1]));
                let over = self.complex_box(re, DVec2::new(d.x.abs() * im, 0.0));
                (over, (top - self.low).abs())
            }
            Top::Piece => {
                let mut v = Range::new(f64::INFINITY, f64::NEG_INFINITY);
                for high in [a.y, b.y] {
                    for t in [t.low, t.high] {
                        let here = self.low + (high - self.low) * t;
                        v = Range::new(v.low.min(here), v.high.max(here));
                    }
                }
                let im_v = d.y.abs() * im;
                let height = (a.y - self.low).abs().max((b.y - self.low).abs()) + im_v;
                let over = self.complex_box(Rect::new(u, v), DVec2::new(d.x.abs() * im, im_v * t.high));
                (over, height)
            }
        }
    }
}

fn around_height(around: Rect, low: f64) -> f64 {
    (around.v.high - low).abs().max((around.v.low - low).abs())
}
