//! A tight box around a face.
//!
//! Source: branch and bound: the box of the face's edges and of some of its points is reached; a rectangle of parameters
//! whose bound stays within it needs no closer look.
//! Differs: nothing to differ from.
//! Ends because: rectangles are halved at most [`DEPTH`] times, and at most [`MOST`] are looked at.
//! Cost: a few rectangles around each extreme point.
//! Not promised: the smallest box; the bound is wider by up to [`EXTENT_REL`] of the face's size.

use super::build::part_of_domain;
use super::{Face, Side, TiledEdge};
use crate::bound::{Aabb, ConvexBound};
use crate::curve::{Curve, ParametricCurve, Range, Rect};
use crate::surface::Surface;
use crate::tolerance::EXTENT_REL;
use glam::DVec2;

/// Halvings of the region's bounds.
const DEPTH: usize = 40;

/// Most rectangles looked at.
const MOST: usize = 20_000;

/// A box that holds the face, and little more.
pub(super) fn face_box(face: &Face, edges: &[TiledEdge]) -> Aabb<3> {
    let uses = face.loops.iter().flatten();
    let rim =
        uses.map(|used| edge_box(&edges[used.edge.index()])).fold(Aabb::EMPTY, |all, one| all.joined(&one));
    if matches!(face.surface, Surface::Plane(_)) && !rim.is_empty() {
        return rim;
    }
    let whole = face.region.bounds();
    let over = |rect: Rect| face.surface.aabb(part_of_domain(&face.surface, rect));
    let slack = EXTENT_REL * 2.0 * over(whole).half_extents().length();
    let mut reached = rim;
    let mut outer = rim;
    let mut waiting = vec![(whole, 0)];
    let mut looked = 0;
    while let Some((rect, depth)) = waiting.pop() {
        let bound = over(rect);
        if reached.inflated(slack).encloses(&bound) {
            outer = outer.joined(&bound);
            continue;
        }
        if face.region.misses(rect) {
            continue;
        }
        let middle = DVec2::new(rect.u.middle(), rect.v.middle());
        if face.side(middle) != Side::Outside {
            reached = reached.joined(&Aabb::from_points([face.point(middle)]));
        }
        looked += 1;
        if depth == DEPTH || looked > MOST {
            outer = outer.joined(&bound);
            continue;
        }
        let halves = if depth % 2 == 0 {
            rect.u.halves().map(|u| Rect::new(u, rect.v))
        } else {
            rect.v.halves().map(|v| Rect::new(rect.u, v))
        };
        waiting.extend(halves.map(|half| (half, depth + 1)));
    }
    outer
}

fn edge_box(edge: &TiledEdge) -> Aabb<3> {
    let domain = edge.curve.domain();
    let leaves = matches!(edge.curve, Curve::Nurbs(_)) && !domain.encloses(edge.range);
    edge.curve.aabb(if leaves { domain } else { Range::new(edge.range.low, edge.range.high) })
}
