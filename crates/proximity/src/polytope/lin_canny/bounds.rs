//! A lower bound on the distance from the farthest points along a direction, and the direction that shows most.
//!
//! Source: the separating planes of convex bodies; 003 has no such check.
//! Differs: DIFFERS, in that an answer is taken for the closest pair only when this bound meets its distance.
//! Ends because: a climb never meets a vertex twice.
//! Cost: two climbs per direction, usually the neighbours of two vertices.
//! Not promised: rigour; the bound is in plain arithmetic.

use super::pair::{Near, Pair};
use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, VertexId};

/// Edge pairs around two features beyond which their cross products are not tried as directions.
const CROSSINGS: usize = 1024;

/// What a direction proves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Lower bound on the signed distance.
    pub(super) lower: f64,
    /// Unit vector from A to B.
    pub(super) direction: DVec3,
    /// Vertices farthest along it and against it.
    pub(super) supports: [VertexId; 2],
}

/// The bound along one direction, climbing from the corners of `features`.
pub(super) fn along(pair: &Pair, direction: DVec3, features: [Feature; 2]) -> Bound {
    let a = pair.bodies[0].climb(pair.corner(0, features[0]), direction, 1.0);
    let b = pair.bodies[1].climb(pair.corner(1, features[1]), -pair.turned(0, direction), 1.0);
    let lower = direction.dot(pair.in_a(1, pair.vertex(1, b)) - pair.vertex(0, a));
    Bound { lower, direction, supports: [a, b] }
}

/// The best bound found for a pair: along its own direction and, where that does not meet the distance, along
/// the normals of the faces and the common perpendiculars of the edges around both features.
pub(super) fn best(pair: &Pair, near: &Near, features: [Feature; 2]) -> Bound {
    let mut best = along(pair, near.direction, features);
    if near.direction == DVec3::ZERO {
        best.lower = f64::NEG_INFINITY;
    }
    let enough = near.distance - pair.tolerance.gap(near.distance);
    if best.lower >= enough {
        return best;
    }
    let mut offer = |direction: DVec3| {
        if direction != DVec3::ZERO && !(best.lower >= enough) {
            let bound = along(pair, direction, features);
            if bound.lower > best.lower {
                best = bound;
            }
        }
    };
    let (edges, faces): (Vec<_>, Vec<_>) = (0..2).map(|side| around(pair, side, features[side])).unzip();
    for face in &faces[0] {
        offer(pair.bodies[0].plane(*face).normal);
    }
    for face in &faces[1] {
        offer(-pair.pose.rotate(pair.bodies[1].plane(*face).normal));
    }
    let vector = |side: usize, edge: EdgeId| {
        pair.turned_to_a(side, pair.bodies[side].edge(edge).vector).normalize_or_zero()
    };
    for (side, list) in edges.iter().enumerate() {
        for &edge in list {
            offer(super::nearest::perpendicular(near.direction, vector(side, edge)));
        }
    }
    if edges[0].len() * edges[1].len() <= CROSSINGS {
        for &a in &edges[0] {
            for &b in &edges[1] {
                let normal = vector(0, a).cross(vector(1, b)).normalize_or_zero();
                offer(normal);
                offer(-normal);
            }
        }
    }
    best
}

/// Edges and faces that a feature belongs to or is bounded by.
pub(super) fn around(pair: &Pair, side: usize, feature: Feature) -> (Vec<EdgeId>, Vec<FaceId>) {
    let body = pair.bodies[side];
    match feature {
        Feature::Vertex(v) => (body.ring(v).edges.to_vec(), body.ring(v).faces.to_vec()),
        Feature::Edge(e) => {
            let faces = body.edge(e).faces.into_iter().filter(|&f| f != Edge::NO_FACE);
            (vec![e], faces.collect())
        }
        Feature::Face(f) => (body.sides(f).iter().map(|side| side.edge).collect(), vec![f]),
    }
}
