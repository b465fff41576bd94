//! From vertices that carry a witness to the feature that they span.
//!
//! Source: none; the boundary and coboundary of the feature graph.
//! Differs: where rounding left vertices without a common feature, the face that misses the witness least.
//! Ends because: one pass over the faces around the vertices, or over all faces.
//! Cost: the degrees of the vertices; linear where a witness lies on none of their faces.
//! Not promised: which feature, when several hold the witness.

use super::proof;
use crate::tolerance;
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};

/// The smallest feature whose closure holds all given vertices (one to four different ones) and, of several,
/// the one that holds `point` best. Where rounding gave vertices of no common face, `point` decides alone.
pub(crate) fn spanned(body: &Polytope, vertices: &[u32], point: DVec3) -> Feature {
    match *vertices {
        [v] => Feature::Vertex(VertexId(v)),
        [v, w] => match body.edge_between(VertexId(v), VertexId(w)) {
            Some(edge) => Feature::Edge(edge),
            None => common_face(body, vertices, point),
        },
        _ => common_face(body, vertices, point),
    }
}

/// The only face around all of the vertices, else the face around any of them that `point` misses least.
fn common_face(body: &Polytope, vertices: &[u32], point: DVec3) -> Feature {
    let around = |vertex: u32| body.ring(VertexId(vertex)).faces;
    let holds_all = |face: &&FaceId| vertices[1..].iter().all(|&vertex| around(vertex).contains(face));
    let mut common = around(vertices[0]).iter().filter(holds_all);
    match (common.next(), common.next()) {
        (Some(&face), None) => Feature::Face(face),
        _ => face_under(body, vertices, point),
    }
}

/// The given feature if the point lies on it within `touch`, else the face of the whole body (of a segment, the
/// edge) that it misses least.
pub(crate) fn on_boundary(body: &Polytope, feature: Feature, point: DVec3, touch: f64) -> Feature {
    let miss = |feature: Feature| proof::distance_off(body, feature, point);
    if miss(feature) <= touch {
        return feature;
    }
    let faces = (0..body.face_count() as u32).map(|face| Feature::Face(FaceId(face)));
    let thin = if body.face_count() == 0 { body.edge_count() as u32 } else { 0 };
    let edges = (0..thin).map(|edge| Feature::Edge(EdgeId(edge)));
    faces.chain(edges).chain([feature]).min_by(|&f, &g| miss(f).total_cmp(&miss(g))).unwrap_or(feature)
}

/// [`on_boundary`] for a pair of features and their points in the frame of A.
pub(crate) fn both_on_boundary(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    features: [Feature; 2],
    points: [DVec3; 2],
    touch: f64,
) -> [Feature; 2] {
    [
        on_boundary(a, features[0], points[0], touch),
        on_boundary(b, features[1], pose.apply_inverse(points[1]), touch),
    ]
}

/// The face around the vertices that `point` misses least.
fn face_under(body: &Polytope, vertices: &[u32], point: DVec3) -> Feature {
    let mut best: Option<(f64, FaceId)> = None;
    for &vertex in vertices {
        for &face in body.ring(VertexId(vertex)).faces {
            let miss = proof::distance_off(body, Feature::Face(face), point);
            if best.is_none_or(|(least, _)| miss < least) {
                best = Some((miss, face));
            }
        }
    }
    best.map_or(Feature::Vertex(VertexId(vertices[0])), |(_, face)| Feature::Face(face))
}

/// The different entries of up to four vertices whose weight is more than rounding.
pub(crate) fn distinct(entries: impl Iterator<Item = (u32, f64)>) -> ([u32; 4], usize) {
    let (mut list, mut len) = ([0; 4], 0);
    for (vertex, weight) in entries {
        if weight > tolerance::TOUCH_REL && len < 4 && !list[..len].contains(&vertex) {
            list[len] = vertex;
            len += 1;
        }
    }
    (list, len)
}
