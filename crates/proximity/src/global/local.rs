//! Whether a point of a face, edge or vertex is a local minimum of the distance to a point, seen from the faces around.
//!
//! Source: at a constrained minimum no direction into a face shortens the distance, and none leads into a solid.
//! Differs: what is critical on an edge or at a vertex, and does not fall at first order along any edge or into any face around,
//! counts as one.
//! Ends because: the edges and faces around a point are counted.
//! Cost: [`falls`] for each of them.
//! Not promised: slopes below [`PROBE_SLOPE`].

use super::falls;
use crate::tolerance::PROBE_SLOPE;
use clearance_geometry::pieces::Piece;
use clearance_geometry::tiled::{Face, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, EdgeId, Feature, LeafShape, Polytope, Pose, VertexId};

/// Whether no point near one of a piece of a body, given by local parameters, is closer to a point `between` away from it; in the
/// frame of the body.
pub(super) fn is_minimum_on(body: &Body, piece: &Piece, local: DVec2, between: DVec3) -> bool {
    if piece.dimension == 2 {
        return true;
    }
    let way = between.normalize_or_zero();
    match body.whole() {
        Body::Polytope(polytope) => on_polytope(polytope, piece.feature, way),
        Body::Tiled(tiled) => on_tiled(tiled, piece, local, way),
        Body::Deforming(deforming) => on_tiled(deforming.shape(), piece, local, way),
        Body::Union(parts) => {
            let leaf = &parts.leaves()[piece.leaf as usize];
            let way = leaf.pose.rotate_inverse(way);
            match &leaf.shape {
                LeafShape::Polytope(polytope) => on_polytope(polytope, piece.feature, way),
                LeafShape::Tiled(tiled) => on_tiled(tiled, piece, local, way),
            }
        }
        Body::HalfSpace(_) | Body::Algebraic(_) | Body::Boundary(_) => true,
    }
}

/// Whether the part of a body with an inside that a piece is of has one itself: unions may have open parts.
pub(super) fn has_inside(body: &Body, piece: &Piece) -> bool {
    match body.whole() {
        Body::Union(parts) => !parts.leaves()[piece.leaf as usize].is_surface_only(),
        _ => true,
    }
}

/// Whether the way from a point of a face or an edge of a solid, given by local parameters, leads into the solid: what is
/// critical there is seen through it. `between` is the way in the frame of the body.
pub(super) fn is_behind(body: &Body, piece: &Piece, local: DVec2, between: DVec3) -> bool {
    if !has_inside(body, piece) {
        return false;
    }
    let is_against = |normal: DVec3| normal.dot(between) < -PROBE_SLOPE * normal.length() * between.length();
    if piece.dimension == 2 {
        let jet = piece.jet(local);
        let reversed = piece.face(body).is_some_and(|face| face.reversed);
        return is_against(jet.u.cross(jet.v) * if reversed { -1.0 } else { 1.0 });
    }
    // An edge where faces go on smoothly, or that is reflex. Polytopes have no such edges.
    let (Feature::Edge(edge), Some(tiled)) = (piece.feature, piece.tiled(body)) else { return false };
    let pose = match body.whole() {
        Body::Union(parts) => parts.leaves()[piece.leaf as usize].pose,
        _ => Pose::IDENTITY,
    };
    let t = piece.span.parameters(local).x;
    let normals = || sides_of(tiled, edge, t).map(|(face, at)| face.normal(at));
    normals().count() == 2
        && normals().all(|normal| normal.is_some_and(|normal| is_against(pose.rotate(normal))))
}

fn on_polytope(body: &Polytope, feature: Feature, way: DVec3) -> bool {
    match feature {
        Feature::Face(_) => true,
        Feature::Edge(edge) => body.edge(edge).inward.iter().all(|inward| inward.dot(way) <= PROBE_SLOPE),
        Feature::Vertex(vertex) => {
            let from = body.vertex(vertex);
            let edges = body.edges().iter().filter(|edge| edge.vertices.contains(&vertex));
            edges.into_iter().all(|edge| {
                let other = edge.vertices[usize::from(edge.vertices[0] == vertex)];
                (body.vertex(other) - from).normalize_or_zero().dot(way) <= PROBE_SLOPE
            })
        }
    }
}

/// The places of an edge on its faces: its parameters there, once for each of both sides, which are one face on a seam.
fn sides_of(body: &TiledBody, id: EdgeId, t: f64) -> impl Iterator<Item = (&Face, DVec2)> {
    let faces = body.edge(id).faces;
    [false, true].into_iter().filter_map(move |against| {
        let face = faces[usize::from(against)]?;
        Some((body.face(face), body.parameters(face, id, t, against)))
    })
}

fn on_tiled(body: &TiledBody, piece: &Piece, local: DVec2, way: DVec3) -> bool {
    match piece.feature {
        Feature::Face(_) => true,
        Feature::Edge(id) => {
            let off = body.edge(id).gap + body.tolerance();
            let t = piece.span.parameters(local).x;
            !sides_of(body, id, t).any(|(face, at)| falls::into_face(face, at, off, way))
        }
        Feature::Vertex(id) => {
            let off = body.vertex_gap(id) + body.tolerance();
            !body.coboundary(piece.feature).into_iter().any(|around| match around {
                Feature::Vertex(_) => false,
                Feature::Face(face) => falls::from_tip(body.face(face), body.vertex(id), off, way),
                Feature::Edge(edge) => falls_beside(body, edge, id, off, way),
            })
        }
    }
}

/// Whether the distance falls from a vertex along an edge, or into a face beside its end there.
fn falls_beside(body: &TiledBody, id: EdgeId, vertex: VertexId, off: f64, way: DVec3) -> bool {
    let edge = body.edge(id);
    let ends = [edge.range.low, edge.range.high];
    let is_here = |end: &usize| edge.vertices.is_some_and(|vertices| vertices[*end] == vertex);
    (0..2).filter(is_here).any(|end| {
        falls::along_edge(edge, end, way)
            || sides_of(body, id, ends[end]).any(|(face, at)| falls::into_face(face, at, off, way))
    })
}
