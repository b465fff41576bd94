//! An edge in the parameters of a face: the projection of its curve onto the surface, piece by piece.
//!
//! Source: Hermite interpolation of exact points and derivatives, refined where it is not close.
//! Differs: the cubics are a guide only; [`TrimPiece::exact`] projects the edge's own curve, so that nothing depends on
//! parameter curves that a file may leave out or get wrong.
//! Ends because: pieces are halved at most [`DEPTH`] times.
//! Cost: about eight projections per quarter of a turn or piece of a spline.
//! Not promised: a curve that runs around the surface more than once within one of the first steps is followed the
//! wrong way.

use super::draft::ParameterCurve;
use super::invert::{invert_jet, pulled_back, rect_around};
use crate::EdgeId;
use crate::curve::{Curve, CurveJet, Direction, ParametricCurve, Range, Rect};
use crate::surface::home::jet;
use crate::surface::{ParametricSurface, Pole, Surface, SurfaceJet};
use crate::tolerance::{POLE_STEP_REL, STRAIGHT_REL, TRACE_REL};
use glam::{DVec2, DVec3};

/// Fewest steps along an edge: below half a turn each, for a full circle.
const STEPS: usize = 8;

/// Halvings of a step.
const DEPTH: usize = 10;

/// The part of an edge next to a pole from which the direction of approach is taken.
const APPROACH: f64 = 1.0 / 1024.0;

/// A point of an edge in the parameters of a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot {
    pub(super) t: f64,
    pub(super) at: DVec2,
    /// By t.
    pub(super) slope: DVec2,
    /// Distance of the edge from the surface here; a length.
    off: f64,
}

/// An edge in the parameters of a face, in the direction of the edge.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub(super) knots: Vec<Knot>,
    /// Greatest distance of the points looked at from the surface; a length.
    pub(super) off: f64,
    /// Whether all of it is a straight line at constant speed.
    pub(super) straight: bool,
    /// How far each step's cubic is off, in parameters.
    slack: Vec<DVec2>,
    /// How far the cubics are off; a length.
    worst: f64,
}

struct Tracer<'a> {
    surface: &'a Surface,
    poles: &'a [Pole],
    curve: &'a Curve,
    range: Range,
    hint: Option<&'a ParameterCurve>,
    tolerance: f64,
}

/// Follows `curve` over `range`. Within `tolerance` (a length) of a pole the curve is at the pole.
pub(super) fn trace(
    surface: &Surface,
    poles: &[Pole],
    curve: &Curve,
    range: Range,
    hint: Option<&ParameterCurve>,
    tolerance: f64,
) -> Trace {
    let tracer = Tracer { surface, poles, curve, range, hint, tolerance };
    let steps = tracer.steps();
    let middle = steps.len() / 2;
    let first = tracer.knot(steps[middle], None);
    let mut knots = vec![first];
    for &t in &steps[middle + 1..] {
        let near = knots[knots.len() - 1].at;
        knots.push(tracer.knot(t, Some(near)));
    }
    knots.reverse();
    for &t in steps[..middle].iter().rev() {
        let near = knots[knots.len() - 1].at;
        knots.push(tracer.knot(t, Some(near)));
    }
    knots.reverse();
    tracer.end_at_pole(&mut knots, 0);
    let last = knots.len() - 1;
    tracer.end_at_pole(&mut knots, last);
    tracer.refined(&knots)
}

impl Tracer<'_> {
    fn steps(&self) -> Vec<f64> {
        let pieces = match self.curve {
            Curve::Nurbs(nurbs) => nurbs.knots().piece_count(),
            _ => 1,
        };
        let count = STEPS.max(2 * pieces);
        let mut steps: Vec<f64> = (0..=count).map(|k| self.range.at(k as f64 / count as f64)).collect();
        if let Curve::Nurbs(nurbs) = self.curve {
            // The range may leave the domain of a closed spline by up to a period, across its seam.
            let turns: &[f64] = if nurbs.period().is_some() { &[-1.0, 0.0, 1.0, 2.0] } else { &[0.0] };
            let period = nurbs.period().unwrap_or(0.0);
            let low = |i: usize| nurbs.knots().piece(i).low;
            let inner = turns.iter().flat_map(|turn| (0..pieces).map(move |i| low(i) + turn * period));
            steps.extend(inner.filter(|&t| self.range.low < t && t < self.range.high));
            steps.sort_by(f64::total_cmp);
            steps.dedup();
        }
        steps
    }

    fn pole_at(&self, point: DVec3) -> Option<&Pole> {
        self.poles.iter().find(|pole| pole.point.distance(point) <= self.tolerance)
    }

    /// A point of the edge from the derivatives of its curve and of the surface.
    fn knot_at(&self, t: f64, along: &CurveJet, at: DVec2, there: &SurfaceJet) -> Knot {
        let slope = pulled_back(self.surface, at, there, along.first).unwrap_or(DVec2::NAN);
        Knot { t, at, slope, off: there.point.distance(along.point) }
    }

    /// The curve at `t`, with its parameters wrapped where it is periodic.
    fn knot(&self, t: f64, near: Option<DVec2>) -> Knot {
        let along = wrapped_jet(self.curve, t);
        let guide = self.hint.map(|hint| hint.at((t - self.range.low) / self.range.width()));
        let guide = guide.filter(|guide| guide.is_finite());
        let (at, there) = invert_jet(self.surface, along.point, guide.or(near));
        self.knot_at(t, &along, at, &there)
    }

    /// An end in a pole takes the direction in which the edge comes to it.
    fn end_at_pole(&self, knots: &mut [Knot], end: usize) {
        let point = wrapped_jet(self.curve, knots[end].t).point;
        let pole = self.pole_at(point);
        let beside = if end == 0 { 1 } else { end - 1 };
        if let Some(pole) = pole {
            let step = APPROACH * (knots[beside].t - knots[end].t);
            let near = self.knot(knots[end].t + step, Some(knots[beside].at)).at;
            let far = self.knot(knots[end].t + 2.0 * step, Some(knots[beside].at)).at;
            let mut at = 2.0 * near - far;
            // Along a meridian rounding next to the pole must not tilt the line.
            let run = if pole.direction == Direction::U { 1 } else { 0 };
            let (across, wide) = (at[run] - knots[beside].at[run], self.width(run));
            if across.abs() <= POLE_STEP_REL * wide {
                at[run] = knots[beside].at[run];
            }
            match pole.direction {
                Direction::U => at.x = pole.at,
                Direction::V => at.y = pole.at,
            }
            let off = jet(self.surface, at).point.distance(point);
            knots[end] = Knot { at, slope: (near - at) / step, off, ..knots[end] };
        } else if !knots[end].slope.is_finite() {
            let step = APPROACH * (knots[beside].t - knots[end].t);
            let near = self.knot(knots[end].t + step, Some(knots[beside].at)).at;
            knots[end].slope = (near - knots[end].at) / step;
        }
    }

    /// Extent of the surface's domain along a parameter.
    fn width(&self, axis: usize) -> f64 {
        let Rect { u, v } = self.surface.domain();
        let width = if axis == 0 { u.width() } else { v.width() };
        if width.is_finite() { width } else { 1.0 }
    }

    fn refined(&self, knots: &[Knot]) -> Trace {
        let points = || knots.iter().map(|k| wrapped_jet(self.curve, k.t).point);
        let (low, high) = points().fold((DVec3::MAX, DVec3::MIN), |(l, h), p| (l.min(p), h.max(p)));
        let size = (high - low).length();
        // Of coordinates, in which rounding is measured.
        let far = points().fold(size, |most, p| most.max(p.length()));
        let off = knots.iter().map(|knot| knot.off).fold(0.0, f64::max);
        let mut trace = Trace { knots: vec![knots[0]], off, straight: false, slack: Vec::new(), worst: 0.0 };
        for pair in knots.windows(2) {
            self.refine(pair[0], pair[1], size, DEPTH, &mut trace);
        }
        // What a straight line leaves out counts as distance.
        if let Some(off) = self.straight(&trace, far) {
            trace.straight = true;
            trace.off += off;
        }
        trace
    }

    fn refine(&self, from: Knot, to: Knot, size: f64, depth: usize, trace: &mut Trace) {
        let step = to.t - from.t;
        let piece = Cubic::new(from.at, to.at, [from.slope * step, to.slope * step]);
        let (mut worst, mut slack) = (0.0_f64, DVec2::ZERO);
        let mut sampled = |s: f64| {
            let guess = piece.at(s);
            let along = wrapped_jet(self.curve, from.t + s * step);
            let (exact, there) = invert_jet(self.surface, along.point, Some(guess));
            let off = guess - exact;
            let knot = self.knot_at(from.t + s * step, &along, exact, &there);
            trace.off = trace.off.max(knot.off);
            worst = worst.max((there.u * off.x + there.v * off.y).length());
            slack = slack.max(off.abs());
            knot
        };
        let [_, middle, _] = [0.25, 0.5, 0.75].map(&mut sampled);
        // NaN, from a curve that leaves the range of numbers, ends here too.
        if worst > TRACE_REL * size && depth > 0 && size > 0.0 {
            // A parameter curve says on which side of a seam the edge lies.
            let middle = if self.hint.is_some() { self.knot(middle.t, Some(piece.at(0.5))) } else { middle };
            if middle.slope.is_finite() {
                self.refine(from, middle, size, depth - 1, trace);
                self.refine(middle, to, size, depth - 1, trace);
                return;
            }
        }
        trace.knots.push(to);
        trace.slack.push(slack);
        trace.worst = trace.worst.max(worst);
    }

    /// How far the trace is from a straight line at constant speed, if it is one.
    fn straight(&self, trace: &Trace, far: f64) -> Option<f64> {
        if trace.worst > STRAIGHT_REL * far {
            return None;
        }
        let (first, last) = (trace.knots[0], trace.knots[trace.knots.len() - 1]);
        let slope = (last.at - first.at) / (last.t - first.t);
        // Measured in space: next to a pole parameters are noise.
        let off = |knot: &Knot| {
            let off = first.at + slope * (knot.t - first.t) - knot.at;
            let there = jet(self.surface, knot.at);
            (there.u * off.x + there.v * off.y).length()
        };
        let most = trace.knots.iter().map(off).fold(trace.worst, f64::max);
        (most <= STRAIGHT_REL * far).then_some(most)
    }
}

/// The jet of a curve, a periodic spline's parameter brought into its domain.
pub(super) fn wrapped_jet(curve: &Curve, t: f64) -> CurveJet {
    let domain = curve.domain();
    match (curve, curve.period()) {
        (Curve::Nurbs(_), Some(period)) if !domain.contains(t) => {
            curve.jet(domain.clamp(t - period * ((t - domain.low) / period).floor()))
        }
        _ => curve.jet(t),
    }
}

impl Trace {
    /// The pieces in the direction of the loop, moved by `shift`; `curve` is the edge's place among the region's curves.
    pub(super) fn pieces(&self, edge: EdgeId, curve: u32, reversed: bool, shift: DVec2) -> Vec<TrimPiece> {
        if self.straight {
            let (from, to) = (self.knots[0], self.knots[self.knots.len() - 1]);
            let ends = [from.at + shift, to.at + shift];
            let piece = TrimPiece::side(edge, Range::new(from.t, to.t), ends);
            return vec![if reversed { piece.reversed() } else { piece }];
        }
        let piece = |(i, pair): (usize, &[Knot])| {
            let step = pair[1].t - pair[0].t;
            let cubic = Cubic::new(
                pair[0].at + shift,
                pair[1].at + shift,
                [pair[0].slope * step, pair[1].slope * step],
            );
            let piece = TrimPiece {
                edge: Some(edge),
                curve: Some(curve),
                along: [pair[0].t, pair[1].t],
                slack: self.slack[i] * 2.0,
                cubic,
            };
            if reversed { piece.reversed() } else { piece }
        };
        let mut pieces: Vec<TrimPiece> = self.knots.windows(2).enumerate().map(piece).collect();
        if reversed {
            pieces.reverse();
        }
        pieces
    }
}

/// A cubic in the plane of parameters, over 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cubic {
    pub(super) ends: [DVec2; 2],
    slopes: [DVec2; 2],
}

impl Cubic {
    fn new(from: DVec2, to: DVec2, slopes: [DVec2; 2]) -> Self {
        Self { ends: [from, to], slopes }
    }

    pub(super) fn at(&self, s: f64) -> DVec2 {
        let r = 1.0 - s;
        let [from, to] = self.ends;
        let [out, back] = self.slopes;
        from * (r * r * (1.0 + 2.0 * s))
            + to * (s * s * (1.0 + 2.0 * r))
            + out * (s * r * r)
            + back * (-s * s * r)
    }

    pub(super) fn derivative(&self, s: f64) -> DVec2 {
        let [from, to] = self.ends;
        let [out, back] = self.slopes;
        (to - from) * (6.0 * s * (1.0 - s))
            + out * ((1.0 - s) * (1.0 - 3.0 * s))
            + back * (s * (3.0 * s - 2.0))
    }

    /// Its Bézier points.
    pub(super) fn bezier_points(&self) -> [DVec2; 4] {
        let [from, to] = self.ends;
        let [out, back] = self.slopes;
        [from, from + out / 3.0, to - back / 3.0, to]
    }

    /// A rectangle around it: the hull of its Bézier points.
    fn bounds(&self) -> Rect {
        rect_around(self.bezier_points())
    }
}

/// A piece of a closed chain of parameters: part of an edge, or a line drawn to close the chain.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TrimPiece {
    /// None for a line along a pole or across a surface that closes on itself.
    pub(super) edge: Option<EdgeId>,
    /// The curve that it is exactly, unless it is straight.
    pub(super) curve: Option<u32>,
    /// The edge's parameters at both ends.
    pub(super) along: [f64; 2],
    pub(super) slack: DVec2,
    pub(super) cubic: Cubic,
}

impl TrimPiece {
    pub(super) fn straight(from: DVec2, to: DVec2) -> Self {
        let cubic = Cubic::new(from, to, [to - from; 2]);
        Self { edge: None, curve: None, along: [0.0, 1.0], slack: DVec2::ZERO, cubic }
    }

    /// A straight piece that is an edge, in the direction of the edge.
    pub(super) fn side(edge: EdgeId, range: Range, [from, to]: [DVec2; 2]) -> Self {
        Self { edge: Some(edge), along: [range.low, range.high], ..Self::straight(from, to) }
    }

    pub(super) fn reversed(mut self) -> Self {
        self.cubic.ends.swap(0, 1);
        self.cubic.slopes = [-self.cubic.slopes[1], -self.cubic.slopes[0]];
        self.along.swap(0, 1);
        self
    }

    pub(super) fn from(&self) -> DVec2 {
        self.cubic.ends[0]
    }

    pub(super) fn to(&self) -> DVec2 {
        self.cubic.ends[1]
    }

    pub(super) fn set_from(&mut self, from: DVec2) {
        self.cubic.ends[0] = from;
        if self.curve.is_none() {
            self.cubic.slopes = [self.to() - from; 2];
        }
    }

    pub(super) fn set_to(&mut self, to: DVec2) {
        self.cubic.ends[1] = to;
        if self.curve.is_none() {
            self.cubic.slopes = [to - self.from(); 2];
        }
    }

    /// Both parts of a straight piece, cut at the fraction `s`.
    pub(super) fn cut(&self, s: f64) -> [Self; 2] {
        let (middle, [a, b]) = (self.cubic.at(s), self.along);
        let (mut one, mut other) = (self.clone(), self.clone());
        one.set_to(middle);
        other.set_from(middle);
        one.along[1] = a + s * (b - a);
        other.along[0] = one.along[1];
        [one, other]
    }

    pub(super) fn moved(mut self, shift: DVec2) -> Self {
        self.cubic.ends = self.cubic.ends.map(|end| end + shift);
        self
    }

    /// A rectangle that holds the piece.
    pub(super) fn bounds(&self) -> Rect {
        let Rect { u, v } = self.cubic.bounds();
        let wide = |range: Range, by: f64| Range::new(range.low - by, range.high + by);
        Rect::new(wide(u, self.slack.x), wide(v, self.slack.y))
    }

    /// Where the edge itself is at the fraction `s` of the piece, and its derivative by s.
    pub(super) fn exact(&self, surface: &Surface, curves: &[Curve], s: f64) -> (DVec2, DVec2) {
        let guess = self.cubic.at(s);
        let Some(curve) = self.curve else { return (guess, self.to() - self.from()) };
        let step = self.along[1] - self.along[0];
        let along = wrapped_jet(&curves[curve as usize], self.along[0] + s * step);
        let (at, there) = invert_jet(surface, along.point, Some(guess));
        match pulled_back(surface, at, &there, along.first) {
            Some(slope) => (at, slope * step),
            None => (guess, self.to() - self.from()),
        }
    }

    /// Both halves, cut where the edge itself is.
    pub(super) fn halves(&self, surface: &Surface, curves: &[Curve]) -> [Self; 2] {
        let (middle, slope) = self.exact(surface, curves, 0.5);
        let t = 0.5 * (self.along[0] + self.along[1]);
        let [from, to] = self.cubic.ends;
        let [out, back] = self.cubic.slopes;
        // The error of a cubic falls by 16 with each halving; by 4 is sure even next to a pole.
        let slack = self.slack / 4.0;
        let half = |ends: [DVec2; 2], slopes: [DVec2; 2], along: [f64; 2]| Self {
            cubic: Cubic { ends, slopes: slopes.map(|slope| slope * 0.5) },
            along,
            slack,
            ..self.clone()
        };
        [
            half([from, middle], [out, slope], [self.along[0], t]),
            half([middle, to], [slope, back], [t, self.along[1]]),
        ]
    }
}
