//! Tight boxes around edges and faces.
//!
//! Source: a coordinate is largest on a face either on its edges, at a pole, or where both its derivatives vanish.
//! Differs: nothing to differ from.
//! Ends because: pieces are halved at most [`DEPTH`] times, and at most [`MOST`] are looked at.
//! Cost: a few pieces around each extreme point; those in which a derivative cannot vanish are dropped.
//! Not promised: the smallest box; it is wider by up to [`EXTENT_REL`] of the size, or more where [`MOST`] is reached.

use super::build::part_of_domain;
use super::trace::wrapped_jet;
use super::{Face, Side, TiledEdge};
use crate::bound::{Aabb, ConvexBound, DerivativeBound};
use crate::curve::{Break, Curve, ParametricCurve, Range, Rect};
use crate::surface::Surface;
use crate::tolerance::{CLOSED_FORM_ERROR_REL, EXTENT_REL, POLE_STEP_REL, SMOOTH_EDGE_RAD};
use glam::{DVec2, DVec3};
use std::collections::VecDeque;

/// Halvings of a piece.
const DEPTH: usize = 40;

/// Most pieces looked at.
const MOST: usize = 1_000;

/// A box that holds an edge, and little more.
pub(super) fn edge_box(edge: &TiledEdge) -> Aabb<3> {
    let domain = edge.curve.domain();
    let spline = matches!(edge.curve, Curve::Nurbs(_));
    let range = if spline && !domain.encloses(edge.range) { domain } else { edge.range };
    let mut reached = Aabb::from_points([range.low, range.high].map(|t| edge.point(t)));
    let slack = EXTENT_REL * 2.0 * edge.curve.aabb(range).half_extents().length();
    let mut outer = reached;
    let mut waiting = VecDeque::from([(range, 0)]);
    let mut looked = 0;
    while let Some((part, depth)) = waiting.pop_front() {
        let bound = range_box(&edge.curve, part);
        looked += 1;
        if reached.inflated(slack).encloses(&bound) || depth == DEPTH || looked > MOST {
            outer = outer.joined(&bound);
            continue;
        }
        reached = reached.joined(&Aabb::from_points([edge.point(part.middle())]));
        waiting.extend(part.halves().map(|half| (half, depth + 1)));
    }
    outer
}

/// A box that holds the face, and little more, from those of all edges.
pub(super) fn face_box(face: &Face, boxes: &[Aabb<3>]) -> Aabb<3> {
    let uses = face.loops.iter().flatten();
    let rim = uses.map(|used| boxes[used.edge.index()]).fold(Aabb::EMPTY, |all, one| all.joined(&one));
    if matches!(face.surface, Surface::Plane(_)) && !rim.is_empty() {
        return rim;
    }
    let whole = face.region.bounds();
    let slack =
        EXTENT_REL * 2.0 * face.surface.aabb(part_of_domain(&face.surface, whole)).half_extents().length();
    let poles = face.surface.poles();
    let mut reached = rim.joined(&Aabb::from_points(poles.iter().map(|pole| pole.point).filter(|p| {
        // A pole that is not part of the face must not widen its box.
        let at = super::invert::invert(&face.surface, *p, None);
        face.side(at) != Side::Outside
    })));
    let mut outer = reached;
    let crease = has_crease(face);
    // Corners of a trimmed face's rectangles may lie on its boundary, where the side of a point takes long to tell.
    let samples = [[0.5, 0.5], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
    let asked = if face.region.rect().is_some() { samples.len() } else { 1 };
    let mut waiting: VecDeque<(Rect, usize)> = smooth_parts(face).into_iter().map(|rect| (rect, 0)).collect();
    let mut looked = 0;
    while let Some((rect, depth)) = waiting.pop_front() {
        let bound = rect_box(face, rect);
        if reached.inflated(slack).encloses(&bound) {
            outer = outer.joined(&bound);
            continue;
        }
        if !(crease || may_be_extreme(face, rect, &bound, &reached.inflated(slack)))
            || face.region.misses(rect)
        {
            continue;
        }
        for &[s, t] in &samples[..asked] {
            let at = DVec2::new(rect.u.at(s), rect.v.at(t));
            if face.side(at) != Side::Outside {
                reached = reached.joined(&Aabb::from_points([face.point(at)]));
            }
        }
        looked += 1;
        if depth == DEPTH || looked > MOST {
            outer = outer.joined(&bound);
            continue;
        }
        let halves = if wider_along_u(face, rect, &bound, &reached.inflated(slack)) {
            rect.u.halves().map(|u| Rect::new(u, rect.v))
        } else {
            rect.v.halves().map(|v| Rect::new(rect.u, v))
        };
        waiting.extend(halves.map(|half| (half, depth + 1)));
    }
    outer.joined(&reached)
}

/// Whether the normals of a spline jump across one of its knots.
fn has_crease(face: &Face) -> bool {
    let bounds = face.region.bounds();
    let jumps = |at: &Break, along: Range, place: &dyn Fn(f64, f64) -> DVec2| {
        let step = POLE_STEP_REL * (1.0 + at.at.abs()).min(along.width());
        at.continuity <= 0
            && [0.1, 0.3, 0.5, 0.7, 0.9].iter().any(|&s| {
                let sides = [at.at - step, at.at + step].map(|t| face.normal(place(t, along.at(s))));
                let [Some(one), Some(other)] = sides else { return true };
                one.cross(other).length() > SMOOTH_EDGE_RAD || one.dot(other) < 0.0
            })
    };
    let [u, v] = face.surface.breaks();
    u.iter().any(|at| jumps(at, bounds.v, &|t, s| DVec2::new(t, s)))
        || v.iter().any(|at| jumps(at, bounds.u, &|t, s| DVec2::new(s, t)))
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
    cut(along, &u).into_iter().flat_map(|u| across.iter().map(move |v| Rect::new(u, *v))).collect()
}

/// Whether both derivatives of a coordinate may vanish in the rectangle, for one of those in which its bound exceeds what
/// is reached.
fn may_be_extreme(face: &Face, rect: Rect, bound: &Aabb<3>, reached: &Aabb<3>) -> bool {
    if part_of_domain(&face.surface, rect) != rect {
        return true;
    }
    let speeds = face.surface.derivative_bounds(rect);
    let (du, dv) = (0.5 * rect.u.width(), 0.5 * rect.v.width());
    let jet = face.jet(DVec2::new(rect.u.middle(), rect.v.middle()));
    let slack = [(jet.u, speeds.uu * du + speeds.uv * dv), (jet.v, speeds.uv * du + speeds.vv * dv)];
    (0..3).any(|i| {
        let exceeds = bound.low[i] < reached.low[i] || bound.high[i] > reached.high[i];
        // Written so that NaN may be extreme.
        exceeds
            && !slack
                .iter()
                .any(|(tangent, change)| tangent[i].abs() > *change * (1.0 + CLOSED_FORM_ERROR_REL))
    })
}

/// Whether more of a bound's excess comes from the rectangle's extent along u. Along the ridge of a cylinder none does, and
/// a few rectangles across it are enough.
fn wider_along_u(face: &Face, rect: Rect, bound: &Aabb<3>, reached: &Aabb<3>) -> bool {
    let part = part_of_domain(&face.surface, rect);
    let speeds = face.surface.derivative_bounds(part);
    let (du, dv) = (0.5 * rect.u.width(), 0.5 * rect.v.width());
    let jet = face.jet(DVec2::new(rect.u.middle(), rect.v.middle()));
    let exceeding = (0..3).filter(|&i| bound.low[i] < reached.low[i] || bound.high[i] > reached.high[i]);
    let share = |tangent: DVec3, half: f64, second: f64| {
        let first = exceeding.clone().map(|i| tangent[i].abs()).fold(0.0, f64::max);
        (first + 0.5 * second * half) * half
    };
    share(jet.u, du, speeds.uu) >= share(jet.v, dv, speeds.vv)
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

/// The same for a surface.
fn rect_box(face: &Face, rect: Rect) -> Aabb<3> {
    let part = part_of_domain(&face.surface, rect);
    let hull = face.surface.aabb(part);
    if part != rect {
        return hull;
    }
    let speeds = face.surface.derivative_bounds(part);
    let (du, dv) = (0.5 * rect.u.width(), 0.5 * rect.v.width());
    let jet = face.jet(DVec2::new(rect.u.middle(), rect.v.middle()));
    let rest = 0.5 * (speeds.uu * du * du + speeds.vv * dv * dv) + speeds.uv * du * dv;
    let size = jet.point.length() + (speeds.u + speeds.uu * du) * du + (speeds.v + speeds.vv * dv) * dv;
    common(&hull, jet.point, (jet.u * du).abs() + (jet.v * dv).abs(), rest, size)
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
