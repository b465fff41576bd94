//! From vertices that carry a witness to the feature that they span.

use clearance_geometry::{FaceId, Feature, Polytope, VertexId, tolerance};

/// The smallest feature whose closure holds all given vertices (one to three different ones), or the
/// nearest to it: where rounding gave vertices of no common face, the face they miss least.
pub(crate) fn spanned(body: &Polytope, vertices: &[u32]) -> Feature {
    match *vertices {
        [v] => Feature::Vertex(VertexId(v)),
        [v, w] => match body.edge_between(VertexId(v), VertexId(w)) {
            Some(edge) => Feature::Edge(edge),
            None => face_through(body, vertices),
        },
        _ => face_through(body, vertices),
    }
}

/// The face around the first vertex that the others miss least.
fn face_through(body: &Polytope, vertices: &[u32]) -> Feature {
    let first = VertexId(vertices[0]);
    let mut best: Option<(f64, FaceId)> = None;
    for &face in body.ring(first).faces {
        let plane = body.plane(face);
        let miss =
            vertices[1..].iter().map(|&v| plane.distance(body.vertex(VertexId(v))).abs()).fold(0.0, f64::max);
        if best.is_none_or(|(least, _)| miss < least) {
            best = Some((miss, face));
        }
    }
    best.map_or(Feature::Vertex(first), |(_, face)| Feature::Face(face))
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
