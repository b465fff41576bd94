//! Whether a point of a face, edge or vertex is a local minimum of the distance to a point, seen from the faces around.
//!
//! Source: at a constrained minimum no direction into a face shortens the distance, and none leads into a solid.
//! Differs: directions are sampled around the point, inside the trimmed face, so that every kind of corner is one case.
//! Ends because: [`DIRECTIONS`] for each face.
//! Cost: one projection and some evaluations for each face around.
//! Not promised: slopes below [`PROBE_SLOPE`], and faces narrower than the angle between two directions.

use super::side::Side;
use crate::tolerance::{PROBE_REL, PROBE_SLOPE};
use clearance_geometry::pieces::Piece;
use clearance_geometry::surface::ParametricSurface;
use clearance_geometry::tiled::{Side as FaceSide, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Feature, LeafShape, Polytope};

/// Directions around a point.
const DIRECTIONS: usize = 32;

/// Whether no point near the first, which lies on a piece of a side, is closer to the second; both in the frame of A.
pub(super) fn is_minimum_on(side: &Side, piece: &Piece, points: [DVec3; 2], size: f64) -> bool {
    if piece.dimension == 2 {
        return true;
    }
    let pose = side.pose_of(piece);
    let [own, toward] = points.map(|point| pose.apply_inverse(point));
    if let Some(tiled) = piece.tiled(side.body) {
        return on_tiled(tiled, piece.feature, own, toward, size);
    }
    match side.body.whole() {
        Body::Polytope(polytope) => on_polytope(polytope, piece.feature, toward - own),
        Body::Union(parts) => match &parts.leaves()[piece.leaf as usize].shape {
            LeafShape::Polytope(polytope) => on_polytope(polytope, piece.feature, toward - own),
            LeafShape::Tiled(_) => true,
        },
        _ => true,
    }
}

/// Whether the part of a body with an inside that a piece is of has one itself: unions may have open parts.
pub(super) fn has_inside(body: &Body, piece: &Piece) -> bool {
    match body.whole() {
        Body::Union(parts) => !parts.leaves()[piece.leaf as usize].is_surface_only(),
        _ => true,
    }
}

/// Whether the way from a point of a face or an edge of a solid, which has these local parameters, to another leads into the
/// solid: what is critical there is seen through it. The points are in the frame of A.
pub(super) fn is_behind(side: &Side, piece: &Piece, local: DVec2, [own, toward]: [DVec3; 2]) -> bool {
    if !has_inside(side.body, piece) {
        return false;
    }
    let pose = side.pose_of(piece);
    let between = pose.rotate_inverse(toward - own);
    let is_against = |normal: DVec3| normal.dot(between) < -PROBE_SLOPE * normal.length() * between.length();
    if piece.dimension == 2 {
        let jet = piece.jet(local);
        let reversed = piece.face(side.body).is_some_and(|face| face.reversed);
        let outward = jet.u.cross(jet.v) * if reversed { -1.0 } else { 1.0 };
        // Pieces are in the frame of the whole body.
        return is_against(pose.rotate_inverse(side.pose.rotate(outward)));
    }
    // An edge where faces go on smoothly, or that is reflex. Polytopes have no such edges.
    let (Some(edge), Some(tiled)) = (piece.edge(side.body), piece.tiled(side.body)) else { return false };
    let point = pose.apply_inverse(own);
    let faces = || edge.faces.into_iter().flatten().map(|id| tiled.face(id));
    faces().count() == 2
        && faces().all(|face| {
            let near = face.surface.locate(point, face.region.bounds(), None).parameters;
            face.normal(near).is_some_and(is_against)
        })
}

fn on_polytope(body: &Polytope, feature: Feature, between: DVec3) -> bool {
    let slope = PROBE_SLOPE * between.length();
    match feature {
        Feature::Face(_) => true,
        Feature::Edge(edge) => body.edge(edge).inward.iter().all(|inward| inward.dot(between) <= slope),
        Feature::Vertex(vertex) => {
            let from = body.vertex(vertex);
            let edges = body.edges().iter().filter(|edge| edge.vertices.contains(&vertex));
            edges.into_iter().all(|edge| {
                let other = edge.vertices[usize::from(edge.vertices[0] == vertex)];
                (body.vertex(other) - from).normalize_or_zero().dot(between) <= slope
            })
        }
    }
}

fn on_tiled(body: &TiledBody, feature: Feature, own: DVec3, toward: DVec3, size: f64) -> bool {
    let distance = own.distance(toward);
    let step = PROBE_REL * size;
    let closer = |point: DVec3| {
        let (gain, moved) = (distance - point.distance(toward), point.distance(own));
        // The end of an edge at the point itself is off it by rounding.
        moved > 0.5 * step && gain > PROBE_SLOPE * moved
    };
    body.coboundary(feature).into_iter().all(|around| match around {
        Feature::Vertex(_) => true,
        Feature::Edge(edge) => {
            let edge = body.edge(edge);
            let near = edge.curve.locate(own, edge.range, None).parameters;
            let speed = edge.jet(near).first.length().max(f64::MIN_POSITIVE);
            let ends = [near - step / speed, near + step / speed].map(|t| edge.range.clamp(t));
            !ends.into_iter().any(|t| closer(edge.point(t)))
        }
        Feature::Face(id) => {
            let face = body.face(id);
            let near = face.surface.locate(own, face.region.bounds(), None).parameters;
            let Some(normal) = face.surface.normal(near.x, near.y) else { return true };
            let (across, up) = normal.any_orthonormal_pair();
            !(0..DIRECTIONS).any(|k| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / DIRECTIONS as f64).sin_cos();
                let target = own + step * (across * cos + up * sin);
                let at = face.surface.locate(target, face.region.bounds(), Some(near));
                // Only where the face really goes on that way.
                at.distance <= 0.25 * step
                    && face.side(at.parameters) != FaceSide::Outside
                    && closer(at.point)
            })
        }
    })
}
