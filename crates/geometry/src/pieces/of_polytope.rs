//! Polytopes as bilinear patches, segments and points.

use super::{Piece, Span};
use crate::tolerance::UNIT_ROUNDOFF_REL;
use crate::{DVec3, EdgeId, FaceId, Feature, Polytope, VertexId};

pub(super) fn pieces(body: &Polytope) -> Vec<Piece> {
    let slack = UNIT_ROUNDOFF_REL * (body.reach() + body.anchor().abs().max_element());
    let piece = |feature: Feature, degrees: [usize; 2], corners: &[VertexId]| Piece {
        feature,
        leaf: 0,
        dimension: feature.dimension(),
        degrees,
        net: corners.iter().map(|&v| at(body, v).extend(1.0)).collect(),
        slack,
        gap: 0.0,
        span: Span::POINT,
        is_flat: true,
        trimmed: false,
    };
    let mut all = Vec::new();
    for face in (0..body.face_count() as u32).map(FaceId) {
        let ring: Vec<VertexId> = body.sides(face).iter().map(|side| side.vertex).collect();
        // Four corners at a time; a triangle has one of them twice.
        for first in (1..ring.len() - 1).step_by(2) {
            let last = (first + 2).min(ring.len() - 1);
            let corners = [ring[0], ring[last], ring[first], ring[first + 1]];
            all.push(piece(Feature::Face(face), [1, 1], &corners));
        }
    }
    for (at, edge) in body.edges().iter().enumerate() {
        all.push(piece(Feature::Edge(EdgeId(at as u32)), [1, 0], &edge.vertices));
    }
    for vertex in (0..body.vertex_count() as u32).map(VertexId) {
        all.push(piece(Feature::Vertex(vertex), [0, 0], &[vertex]));
    }
    all
}

fn at(body: &Polytope, vertex: VertexId) -> DVec3 {
    body.vertex(vertex) + body.anchor()
}
