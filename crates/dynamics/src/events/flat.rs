//! What of a convex body may touch next along a direction: a point, a straight line or a flat face.
//!
//! Source: none; the supporting faces of 002, chapter 3, taken within a lean of the direction.
//! Differs: DIFFERS: of round faces the straight line that faces the direction counts as an edge, and a round outline is cut
//! into a few corners, the first of which is the farthest.
//! Ends because: loops over faces and edges.
//! Cost: linear in the faces.
//! Not promised: faces that are flat without being planes.

use super::part::{Form, Part};
use crate::tolerance::{EVENT_LEAN_RAD, EVENT_LEVEL};
use clearance_geometry::curve::{Curve, Range};
use clearance_geometry::surface::Surface;
use clearance_geometry::tiled::{Face, Side, TiledBody, TiledEdge};
use clearance_geometry::{DVec2, DVec3, EdgeId, FaceId, Feature, Polytope, Pose};
use std::f64::consts::TAU;

/// Corners that stand for a round outline: a share of 8 % of the radius lies beyond them, but for the farthest point, which
/// is one of them.
const CORNERS: usize = 8;

/// The part of a body that may touch next.
#[derive(Clone, Debug)]
pub(crate) struct Flat {
    /// None for a half-space, one point, two ends, or the corners of a convex polygon in order.
    pub(crate) points: Vec<DVec3>,
    /// The outward normal of a flat face, and a point of its plane.
    pub(crate) plane: Option<(DVec3, DVec3)>,
    /// What it is.
    pub(crate) feature: Feature,
}

impl Flat {
    /// What faces `direction`, a unit vector out of the part, which stands at `pose`.
    pub(crate) fn of(part: &Part, pose: &Pose, direction: DVec3, witness: (Feature, DVec3)) -> Self {
        let local = pose.rotate_inverse(direction);
        let found = match &part.form {
            Form::HalfSpace(half) => {
                let plane = half.plane();
                let plane = Some((plane.normal, plane.normal * plane.offset));
                Some(Self { points: Vec::new(), plane, feature: Feature::Face(FaceId(0)) })
            }
            Form::Polytope(polytope) => of_polytope(polytope, local),
            Form::Convex(tiled) => of_tiled(tiled, local),
            Form::Ring(_) | Form::Skin(_) => None,
        };
        let Some(mut flat) = found else {
            return Self { points: vec![witness.1], plane: None, feature: witness.0 };
        };
        flat.points.iter_mut().for_each(|point| *point = pose.apply(*point));
        flat.plane = flat.plane.map(|(normal, point)| (pose.rotate(normal), pose.apply(point)));
        flat
    }

    /// An edge of a polytope, in its own frame; none for other features and bodies.
    pub(crate) fn of_edge(part: &Part, feature: Feature) -> Option<Self> {
        let (Form::Polytope(polytope), Feature::Edge(edge)) = (&part.form, feature) else { return None };
        let points = polytope.edge(edge).vertices.map(|vertex| polytope.body_vertex(vertex)).to_vec();
        Some(Self { points, plane: None, feature })
    }
}

/// The face of a polytope that leans least from a direction, or the edge that does where no face is near.
fn of_polytope(polytope: &Polytope, direction: DVec3) -> Option<Flat> {
    let lean = |at: usize| polytope.planes()[at].normal.dot(direction);
    let best = (0..polytope.face_count()).max_by(|&one, &two| lean(one).total_cmp(&lean(two)))?;
    let face = FaceId(best as u32);
    let place = |vertex| polytope.body_vertex(vertex);
    if lean(best) >= EVENT_LEAN_RAD.cos() {
        let points: Vec<DVec3> = polytope.sides(face).iter().map(|side| place(side.vertex)).collect();
        let plane = points.first().map(|&point| (polytope.planes()[best].normal, point));
        return Some(Flat { points, plane, feature: Feature::Face(face) });
    }
    let ring = polytope.ring(polytope.support(direction));
    let slope = |edge: &EdgeId| {
        let vector = polytope.edge(*edge).vector;
        (vector.dot(direction) / vector.length()).abs()
    };
    let edge = *ring.edges.iter().min_by(|one, two| slope(one).total_cmp(&slope(two)))?;
    let points = polytope.edge(edge).vertices.map(place).to_vec();
    (slope(&edge) <= EVENT_LEAN_RAD.sin()).then_some(Flat {
        points,
        plane: None,
        feature: Feature::Edge(edge),
    })
}

/// The plane face of a convex body that leans least from a direction, or the straight line of a round one that faces it.
fn of_tiled(body: &TiledBody, direction: DVec3) -> Option<Flat> {
    let mut best: Option<(f64, usize)> = None;
    for (at, face) in body.faces().iter().enumerate() {
        let lean = match &face.surface {
            Surface::Plane(_) => face.normal(DVec2::ZERO).map_or(-1.0, |normal| normal.dot(direction)),
            // A line gives way to a face that leans as little.
            surface => facing_line(surface, direction).map_or(-1.0, |(lean, _)| lean - EVENT_LEVEL),
        };
        if lean >= EVENT_LEAN_RAD.cos() && best.is_none_or(|(most, _)| lean > most) {
            best = Some((lean, at));
        }
    }
    let (_, at) = best?;
    let face = &body.faces()[at];
    let feature = Feature::Face(FaceId(at as u32));
    if let Surface::Plane(_) = &face.surface {
        let normal = face.normal(DVec2::ZERO)?;
        let points = outline(body, face, direction);
        let plane = points.first().map(|&point| (normal, point));
        return (points.len() > 2).then_some(Flat { points, plane, feature });
    }
    let (_, angle) = facing_line(&face.surface, direction)?;
    let across = face.region.rect()?.v;
    let inside = face.side(DVec2::new(angle, across.middle())) != Side::Outside;
    let ends = [across.low, across.high].map(|v| face.point(DVec2::new(angle, v)));
    inside.then(|| Flat { points: ends.to_vec(), plane: None, feature })
}

/// The cosine between a direction and the normal of the straight line of a cylinder or cone that faces it, and the angle at
/// which that line lies.
fn facing_line(surface: &Surface, direction: DVec3) -> Option<(f64, f64)> {
    let (frame, slope) = match surface {
        Surface::Cylinder(cylinder) => (cylinder.frame(), 0.0),
        Surface::Cone(cone) => (cone.frame(), cone.slope()),
        _ => return None,
    };
    let local = frame.rotate_inverse(direction);
    let across = local.truncate().length();
    (across > EVENT_LEVEL).then(|| {
        let lean = (across - slope * local.z) / slope.hypot(1.0);
        (lean, local.y.atan2(local.x))
    })
}

/// Corners of a plane face, in order.
fn outline(body: &TiledBody, face: &Face, direction: DVec3) -> Vec<DVec3> {
    let mut points = Vec::new();
    for used in face.loops.first().into_iter().flatten() {
        let edge = body.edge(used.edge);
        let mut corners = corners(edge, direction);
        if used.reversed {
            corners.reverse();
        }
        // The last corner is the first of the next edge; a closed edge has none twice.
        if edge.vertices.is_some() {
            corners.pop();
        }
        points.extend(corners);
    }
    points
}

/// Points along an edge: its ends, and some between where it is curved. A whole circle starts at its farthest point.
pub(crate) fn corners(edge: &TiledEdge, direction: DVec3) -> Vec<DVec3> {
    let Range { low, high } = edge.range;
    match &edge.curve {
        Curve::Line(_) => vec![edge.point(low), edge.point(high)],
        Curve::Circle(circle) if edge.vertices.is_none() => {
            let local = circle.frame().rotate_inverse(direction).truncate();
            let first = if local.length() > EVENT_LEVEL { local.y.atan2(local.x) } else { 0.0 };
            (0..CORNERS).map(|k| edge.point(first + TAU * k as f64 / CORNERS as f64)).collect()
        }
        _ if edge.vertices.is_none() => {
            (0..CORNERS).map(|k| edge.point(edge.range.at(k as f64 / CORNERS as f64))).collect()
        }
        _ => (0..=CORNERS).map(|k| edge.point(edge.range.at(k as f64 / CORNERS as f64))).collect(),
    }
}
