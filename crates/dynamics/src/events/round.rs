//! Round edges of a body: circles and parts of them, and the corners where they end.
//!
//! Source: none.
//! Differs: DIFFERS from other edges: the points of a circle that count are its farthest along a direction and others spread from
//! there, not points that are marked on it. A wheel that rolls would catch on these, since a point that comes down on the floor
//! does so faster than its velocity at the start of the step says.
//! Ends because: a fixed number of points.
//! Cost: an angle and eight points for each circle.
//! Not promised: corners between circles that are nearly one.

use crate::tolerance::{EVENT_LEVEL, EVENT_SAME_REL, EVENT_SHARP_RAD};
use clearance_geometry::DVec3;
use clearance_geometry::curve::Curve;
use clearance_geometry::surface::Surface;
use clearance_geometry::tiled::{EdgeKind, TiledBody, TiledEdge};
use std::f64::consts::TAU;

/// Points around a circle.
const CORNERS: usize = 8;

/// The points of a round edge that may touch along `direction`, by number: the farthest of its circle, and others from there on;
/// those that are on the edge.
pub(crate) fn around(edge: &TiledEdge, direction: DVec3) -> impl Iterator<Item = (usize, DVec3)> {
    let circle = if let Curve::Circle(circle) = &edge.curve { Some(circle) } else { None };
    let first = circle.map(|circle| {
        let local = circle.frame().rotate_inverse(direction).truncate();
        if local.length() > EVENT_LEVEL { local.y.atan2(local.x) } else { 0.0 }
    });
    first.into_iter().flat_map(move |first| {
        (0..CORNERS).filter_map(move |k| {
            let angle = first + TAU * k as f64 / CORNERS as f64;
            let place = edge.range.low + (angle - edge.range.low).rem_euclid(TAU);
            (place <= edge.range.high).then(|| (k, edge.point(place)))
        })
    })
}

/// Whether a vertex is a corner, where edges that may touch meet in it: not where a circle goes on through it.
pub(crate) fn is_corner(body: &TiledBody, edges: &[usize]) -> bool {
    let mut edges = edges.iter().map(|&at| &body.edges()[at]).filter(|edge| !is_ruling(body, edge));
    let Some(first) = edges.next() else { return false };
    let rest: Vec<&TiledEdge> = edges.collect();
    rest.is_empty() || !rest.iter().all(|edge| is_same_circle(first, edge))
}

/// Whether an edge is a straight line within a round surface.
fn is_ruling(body: &TiledBody, edge: &TiledEdge) -> bool {
    let smooth = edge.kind != EdgeKind::Open && edge.angles[1] <= EVENT_SHARP_RAD;
    let round = |surface: &Surface| matches!(surface, Surface::Cylinder(_) | Surface::Cone(_));
    let within = edge.faces.into_iter().flatten().all(|face| round(&body.face(face).surface));
    smooth && within && matches!(edge.curve, Curve::Line(_))
}

fn is_same_circle(one: &TiledEdge, two: &TiledEdge) -> bool {
    let (Curve::Circle(one), Curve::Circle(two)) = (&one.curve, &two.curve) else { return false };
    let near = EVENT_SAME_REL * one.radius();
    let axes = [one, two].map(|circle| circle.frame().rotate(DVec3::Z));
    one.frame().translation().distance(two.frame().translation()) <= near
        && (one.radius() - two.radius()).abs() <= near
        && axes[0].cross(axes[1]).length() <= EVENT_SAME_REL
}
