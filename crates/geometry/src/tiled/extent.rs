//! The tight box of a body.
//!
//! Source: a coordinate is largest on a face either on its edges, at a pole, or where both its derivatives vanish.
//! Differs: parts of all edges and faces wait in one queue, those that reach farthest beyond what is known to be reached
//! first, so that what lies inside is never looked at closely.
//! Ends because: parts are halved at most [`DEPTH`] times, and at most [`MOST`] are looked at.
//! Cost: a few parts around each extreme point; those in which a derivative cannot vanish are dropped.
//! Not promised: the smallest box; it is wider by up to [`EXTENT_REL`] of the size, or more where [`MOST`] is reached.

use super::trace::wrapped_jet;
use super::{Face, Side, TiledBody, TiledEdge};
use crate::bound::{Aabb, ConvexBound, DerivativeBound, SurfaceSpeeds};
use crate::curve::{Break, Curve, Direction, ParametricCurve, Range, Rect};
use crate::surface::home::{home, home_parts, part_of_domain};
use crate::surface::{Pole, Surface, SurfaceJet};
use crate::tolerance::{CLOSED_FORM_ERROR_REL, EXTENT_REL, POLE_STEP_REL, SMOOTH_EDGE_RAD};
use crate::{Ranked, VertexId};
use glam::{DVec2, DVec3};
use std::collections::BinaryHeap;

/// Halvings of a part.
const DEPTH: usize = 40;

/// Most parts looked at.
const MOST: usize = 10_000;

/// Samples of an edge from which the search starts.
const STARTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Part of an edge or of a face.
#[derive(Clone, Copy, Debug)]
enum Part {
    Edge(usize, Range),
    Face(usize, Rect),
}

/// A part that waits, with a box around it.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    depth: usize,
    part: Part,
    bound: Aabb<3>,
}

/// The search for a body's box.
struct Search<'a> {
    body: &'a TiledBody,
    creases: Vec<Option<bool>>,
    /// Known points of the body lie in it and touch it.
    reached: Aabb<3>,
    /// By how far the box is beyond what was reached when it was put here.
    waiting: BinaryHeap<Ranked<Waiting>>,
    slack: f64,
    turn: i64,
}

/// A box that holds the body, and little more.
pub(super) fn body_box(body: &TiledBody) -> Aabb<3> {
    let mut search = Search {
        body,
        creases: vec![None; body.face_count()],
        reached: Aabb::EMPTY,
        waiting: BinaryHeap::new(),
        slack: 0.0,
        turn: 0,
    };
    search.start();
    search.run()
}

/// A box around the hulls of a body's faces and edges, at the cost of one bound for each.
pub(super) fn hull_box(body: &TiledBody) -> Aabb<3> {
    // A face that is within its edges may be off them by their gaps.
    let edges = body.edges().iter().map(|edge| edge_box(edge).inflated(edge.gap));
    let curved = body.faces().iter().filter(|face| !is_within_edges(body, face));
    let tips =
        body.faces().iter().flat_map(|face| &face.tips).map(|tip| Aabb::from_points([body.vertex(*tip)]));
    edges.chain(tips).chain(curved.map(face_box)).fold(Aabb::EMPTY, |all, bound| all.joined(&bound))
}

/// A box around an edge, at little cost.
pub(crate) fn edge_box(edge: &TiledEdge) -> Aabb<3> {
    let range = whole(edge);
    let circle = match &edge.curve {
        Curve::Circle(circle) => circle,
        Curve::Line(line) => {
            let ends = [line.jet(range.low).point, line.jet(range.high).point];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let size = ends[0].length() + ends[1].length() + line.origin().length();
            // Rounding of the sums is less than what is added.
            let lost = 2.0 * CLOSED_FORM_ERROR_REL * size;
            let bound = Aabb { low: (low - lost).to_array(), high: (high + lost).to_array() };
            return if size.is_finite() { bound } else { Aabb::ENTIRE };
        }
        Curve::Nurbs(spline) => return spline.control_box(range),
        curve => return curve.aabb(range),
    };
    let (center, radius) = (circle.frame().translation(), circle.radius());
    let size = center.length() + radius;
    if !size.is_finite() {
        return Aabb::ENTIRE;
    }
    let lost = CLOSED_FORM_ERROR_REL * size;
    let ends = [range.low, range.high].map(|t| edge.curve.jet(t).point);
    if range.width() <= std::f64::consts::PI {
        // An arc is no farther from its chord than its middle is.
        let rise = radius * (1.0 - (0.5 * range.width()).cos());
        return Aabb::from_points(ends).inflated(rise + lost);
    }
    let axes = circle.frame().rotation();
    let half = (axes.x_axis * axes.x_axis + axes.y_axis * axes.y_axis).map(f64::sqrt) * radius;
    Aabb::from_points([center - half, center + half]).inflated(lost)
}

/// A box around a face, at little cost.
pub(crate) fn face_box(face: &Face) -> Aabb<3> {
    let part = part_of_domain(&face.surface, face.region.bounds());
    match &face.surface {
        Surface::Nurbs(spline) => spline.control_box(part),
        surface => surface.aabb(part),
    }
}

/// Whether a face is within the hull of its edges and tips: through each of its points there is a straight line in it that
/// ends on them.
pub(crate) fn is_within_edges(body: &TiledBody, face: &Face) -> bool {
    let bounds = face.region.bounds();
    let known = match &face.surface {
        Surface::Plane(_) | Surface::Cylinder(_) => true,
        // An apex that is no vertex is the end of its lines and nothing else.
        Surface::Cone(_) => {
            let has = |pole: &Pole| match pole.direction {
                Direction::U => bounds.u.contains(pole.at),
                Direction::V => bounds.v.contains(pole.at),
            };
            let is_apex =
                |tip: &VertexId, pole: &Pole| body.vertex(*tip).distance(pole.point) <= body.tolerance();
            let known = |pole: &Pole| face.tips.iter().any(|tip| is_apex(tip, pole));
            face.surface.poles().iter().all(|pole| !has(pole) || known(pole))
        }
        _ => false,
    };
    known && !face.loops.is_empty()
}

impl Search<'_> {
    fn reach(&mut self, point: DVec3) {
        self.reached = self.reached.joined(&Aabb::from_points([point]));
    }

    /// How far a box is beyond what is reached, NaN counting as infinitely far.
    fn excess(&self, bound: &Aabb<3>) -> f64 {
        let beyond = |i: usize| {
            let by = (self.reached.low[i] - bound.low[i]).max(bound.high[i] - self.reached.high[i]);
            if by.is_nan() || bound.low[i].is_nan() || bound.high[i].is_nan() { f64::INFINITY } else { by }
        };
        (0..3).map(beyond).fold(f64::NEG_INFINITY, f64::max)
    }

    fn push(&mut self, part: Part, depth: usize) {
        let bound = match part {
            Part::Edge(at, range) => range_box(&self.body.edges()[at].curve, range),
            Part::Face(at, rect) => rect_box(&self.body.faces()[at], rect).0,
        };
        // Parts put here earlier go first among equals.
        self.turn -= 1;
        let rank = self.excess(&bound);
        self.waiting.push(Ranked { rank, turn: self.turn, item: Waiting { depth, part, bound } });
    }

    fn start(&mut self) {
        let body = self.body;
        for edge in body.edges() {
            for s in STARTS {
                self.reach(edge.point(whole(edge).at(s)));
            }
        }
        for face in body.faces() {
            for pole in face.surface.poles() {
                // A pole that is not part of the face must not widen its box.
                let at = super::invert::invert(&face.surface, pole.point, None);
                if face.side(at) != Side::Outside {
                    self.reach(pole.point);
                }
            }
            if face.loops.is_empty() {
                let Rect { u, v } = face.region.bounds();
                for (s, t) in [(0.25, 0.5), (0.5, 0.5), (0.75, 0.5), (0.5, 0.25), (0.5, 0.75), (0.0, 0.5)] {
                    let at = DVec2::new(u.at(s), v.at(t));
                    if face.side(at) != Side::Outside {
                        self.reach(face.point(at));
                    }
                }
            }
        }
        for (at, edge) in body.edges().iter().enumerate() {
            self.push(Part::Edge(at, whole(edge)), 0);
        }
        for (at, face) in body.faces().iter().enumerate() {
            let flat = matches!(face.surface, Surface::Plane(_)) && !face.loops.is_empty();
            if !flat {
                for rect in smooth_parts(face) {
                    self.push(Part::Face(at, rect), 0);
                }
            }
        }
    }

    fn run(&mut self) -> Aabb<3> {
        let mut outer = Aabb::EMPTY;
        let mut looked = 0;
        while let Some(Ranked { rank, turn, item: next }) = self.waiting.pop() {
            self.slack = EXTENT_REL * 2.0 * self.reached.half_extents().length();
            let excess = self.excess(&next.bound);
            if excess <= self.slack || next.depth == DEPTH || looked > MOST {
                outer = outer.joined(&next.bound);
                continue;
            }
            if excess < rank {
                self.waiting.push(Ranked { rank: excess, turn, item: next });
                continue;
            }
            looked += 1;
            self.look(&next);
        }
        outer.joined(&self.reached)
    }

    fn look(&mut self, next: &Waiting) {
        let body = self.body;
        match next.part {
            Part::Edge(at, range) => {
                self.reach(body.edges()[at].point(range.middle()));
                for half in range.halves() {
                    self.push(Part::Edge(at, half), next.depth + 1);
                }
            }
            Part::Face(at, rect) => {
                let face = &body.faces()[at];
                let crease = *self.creases[at].get_or_insert_with(|| has_crease(face));
                let close = rect_box(face, rect).1;
                let known = self.reached.inflated(self.slack);
                let may = crease || close.as_ref().is_none_or(|c| c.may_be_extreme(&next.bound, &known));
                if !may || face.region.misses(rect) {
                    return;
                }
                // Corners of a trimmed face's rectangles may lie on its boundary, where the side of a point takes
                // long to tell.
                let samples = [[0.5, 0.5], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
                let asked = if face.region.rect().is_some() { samples.len() } else { 1 };
                for &[s, t] in &samples[..asked] {
                    let at = DVec2::new(rect.u.at(s), rect.v.at(t));
                    // Asked only of points that would widen the box.
                    let point = face.point(at);
                    if !self.reached.contains(point.to_array()) && face.side(at) != Side::Outside {
                        self.reach(point);
                    }
                }
                let along_u = close.map_or_else(
                    || rect.u.width() >= rect.v.width(),
                    |c| c.wider_along_u(&next.bound, &known),
                );
                let halves = if along_u {
                    rect.u.halves().map(|u| Rect::new(u, rect.v))
                } else {
                    rect.v.halves().map(|v| Rect::new(rect.u, v))
                };
                for half in halves {
                    self.push(Part::Face(at, half), next.depth + 1);
                }
            }
        }
    }
}

/// The range of an edge, all of a spline's domain where it is left.
fn whole(edge: &TiledEdge) -> Range {
    let domain = edge.curve.domain();
    let spline = matches!(edge.curve, Curve::Nurbs(_));
    if spline && !domain.encloses(edge.range) { domain } else { edge.range }
}

/// Whether the normals of a spline jump across one of its knots.
fn has_crease(face: &Face) -> bool {
    let bounds = face.region.bounds();
    let jumps = |at: &Break, [across, along]: [Range; 2], place: &dyn Fn(f64, f64) -> DVec2| {
        let step = POLE_STEP_REL * across.width();
        at.continuity <= 0
            && [0.1, 0.3, 0.5, 0.7, 0.9].iter().any(|&s| {
                let sides = [at.at - step, at.at + step].map(|t| face.normal(place(t, along.at(s))));
                let [Some(one), Some(other)] = sides else { return true };
                one.cross(other).length() > SMOOTH_EDGE_RAD || one.dot(other) < 0.0
            })
    };
    let [u, v] = face.surface.breaks();
    u.iter().any(|at| jumps(at, [bounds.u, bounds.v], &|t, s| DVec2::new(t, s)))
        || v.iter().any(|at| jumps(at, [bounds.v, bounds.u], &|t, s| DVec2::new(s, t)))
}

/// The bounds of the region cut at knots across which first derivatives may jump.
fn smooth_parts(face: &Face) -> Vec<Rect> {
    let [u, v] = face.surface.breaks();
    let Rect { u: along, v: across } = face.region.bounds();
    let cut = |range: Range, breaks: &[Break]| {
        let inner = breaks.iter().filter(|at| at.continuity <= 0 && range.low < at.at && at.at < range.high);
        let mut ends = vec![range.low];
        ends.extend(inner.map(|at| at.at));
        ends.push(range.high);
        ends.windows(2).map(|pair| Range::new(pair[0], pair[1])).collect::<Vec<Range>>()
    };
    let across = cut(across, &v);
    let parts = cut(along, &u).into_iter().flat_map(|u| across.iter().map(move |v| Rect::new(u, *v)));
    parts.flat_map(|part| home_parts(&face.surface, part)).collect()
}

/// A face about the middle of a rectangle, with bounds of its derivatives.
struct Close {
    jet: SurfaceJet,
    speeds: SurfaceSpeeds,
    /// Half the rectangle's extents.
    half: DVec2,
}

impl Close {
    /// Whether both derivatives of a coordinate may vanish in the rectangle, for one of those in which its bound exceeds
    /// what is reached.
    fn may_be_extreme(&self, bound: &Aabb<3>, reached: &Aabb<3>) -> bool {
        let (speeds, half) = (&self.speeds, self.half);
        let slack = [
            (self.jet.u, speeds.uu * half.x + speeds.uv * half.y),
            (self.jet.v, speeds.uv * half.x + speeds.vv * half.y),
        ];
        (0..3).any(|i| {
            let exceeds = bound.low[i] < reached.low[i] || bound.high[i] > reached.high[i];
            // Written so that NaN may be extreme.
            exceeds
                && !slack
                    .iter()
                    .any(|(tangent, change)| tangent[i].abs() > *change * (1.0 + CLOSED_FORM_ERROR_REL))
        })
    }

    /// Whether more of a bound's excess comes from the rectangle's extent along u. Along the ridge of a cylinder none
    /// does, and a few rectangles across it are enough.
    fn wider_along_u(&self, bound: &Aabb<3>, reached: &Aabb<3>) -> bool {
        let exceeding = (0..3).filter(|&i| bound.low[i] < reached.low[i] || bound.high[i] > reached.high[i]);
        let share = |tangent: DVec3, half: f64, second: f64| {
            let first = exceeding.clone().map(|i| tangent[i].abs()).fold(0.0, f64::max);
            (first + 0.5 * second * half) * half
        };
        share(self.jet.u, self.half.x, self.speeds.uu) >= share(self.jet.v, self.half.y, self.speeds.vv)
    }
}

/// The common part of the box of the curve's hull and that of its first-order expansion about the middle with a bound
/// of the rest, which shrinks with the square of the range.
fn range_box(curve: &Curve, part: Range) -> Aabb<3> {
    let (hull, speeds) = (curve.aabb(part), curve.derivative_bounds(part));
    let half = 0.5 * part.width();
    let jet = wrapped_jet(curve, part.middle());
    let rest = 0.5 * speeds.second * half * half;
    let size = jet.point.length() + (speeds.first + speeds.second * half) * half;
    common(&hull, jet.point, (jet.first * half).abs(), rest, size)
}

/// The same for a face, with what was found out on the way; nothing more than the box where the rectangle leaves a
/// spline's domain.
fn rect_box(face: &Face, rect: Rect) -> (Aabb<3>, Option<Close>) {
    let Some(part) = home(&face.surface, rect) else {
        return (face.surface.aabb(part_of_domain(&face.surface, rect)), None);
    };
    let hull = face.surface.aabb(part);
    let speeds = face.surface.derivative_bounds(part);
    let half = DVec2::new(0.5 * rect.u.width(), 0.5 * rect.v.width());
    let jet = face.jet(DVec2::new(rect.u.middle(), rect.v.middle()));
    let rest =
        0.5 * (speeds.uu * half.x * half.x + speeds.vv * half.y * half.y) + speeds.uv * half.x * half.y;
    let size = jet.point.length()
        + (speeds.u + speeds.uu * half.x) * half.x
        + (speeds.v + speeds.vv * half.y) * half.y;
    let linear = (jet.u * half.x).abs() + (jet.v * half.y).abs();
    (common(&hull, jet.point, linear, rest, size), Some(Close { jet, speeds, half }))
}

fn common(hull: &Aabb<3>, middle: DVec3, linear: DVec3, rest: f64, size: f64) -> Aabb<3> {
    let reach = linear + rest + CLOSED_FORM_ERROR_REL * size;
    if !reach.is_finite() {
        return *hull;
    }
    let (low, high) = (middle - reach, middle + reach);
    Aabb {
        low: std::array::from_fn(|i| hull.low[i].max(low[i])),
        high: std::array::from_fn(|i| hull.high[i].min(high[i])),
    }
}
