//! A lower bound on the distance from the farthest points along a direction, and the direction that shows most.
//!
//! Source: the separating planes of convex bodies; 003 has no such check.
//! Differs: DIFFERS, in that an answer is taken for the closest pair only when this bound meets its distance.
//! Ends because: a climb never meets a vertex twice.
//! Cost: two climbs per direction, usually the neighbours of two vertices.
//! Not promised: rigour; the bound is in plain arithmetic.

use super::nearest;
use super::pair::{Near, Pair};
use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, Side, VertexId};

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
    let direction = direction.normalize_or_zero();
    let a = pair.bodies[0].climb(pair.corner(0, features[0]), direction, 1.0);
    let b = pair.bodies[1].climb(pair.corner(1, features[1]), -pair.turned(0, direction), 1.0);
    let lower = if direction == DVec3::ZERO {
        f64::NEG_INFINITY
    } else {
        direction.dot(pair.in_a(1, pair.vertex(1, b)) - pair.vertex(0, a))
    };
    Bound { lower, direction, supports: [a, b] }
}

/// The best bound found for a pair: along its own direction and, where that does not meet the distance, along
/// the normals of the faces and the common perpendiculars of the edges around both features.
pub(super) fn best(pair: &Pair, near: &Near, features: [Feature; 2]) -> Bound {
    let mut best = along(pair, near.direction, features);
    let enough = enough(pair, near);
    if best.lower >= enough {
        return best;
    }
    let mut offer = |direction: DVec3| {
        if direction != DVec3::ZERO && best.lower < enough {
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
            offer(nearest::perpendicular(near.direction, vector(side, edge)));
        }
    }
    // Points and segments may touch with no face to show how.
    if faces[0].is_empty() && faces[1].is_empty() {
        for axis in DVec3::AXES {
            offer(axis);
            for (side, list) in edges.iter().enumerate() {
                for &edge in list {
                    offer(nearest::perpendicular(axis, vector(side, edge)));
                }
            }
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

/// The smallest feature in the closure of `feature` that holds `point` (in A's frame) within rounding.
pub(super) fn met(pair: &Pair, side: usize, feature: Feature, point: DVec3) -> Feature {
    let local = if side == 0 { point } else { pair.across(0, point) };
    let body = pair.bodies[side];
    let is_met = |v: VertexId| body.vertex(v).distance(local) <= pair.touch();
    let edges = match feature {
        Feature::Vertex(_) => return feature,
        Feature::Edge(e) => vec![e],
        Feature::Face(f) => {
            let along = |s: &&Side| s.inward.dot(local) - s.offset <= pair.touch();
            body.sides(f).iter().filter(along).map(|s| s.edge).collect()
        }
    };
    let vertex = edges.iter().flat_map(|&e| body.edge(e).vertices).find(|&v| is_met(v));
    vertex.map(Feature::Vertex).or(edges.first().map(|&e| Feature::Edge(e))).unwrap_or(feature)
}

/// The lower bound that makes a pair the closest one.
pub(super) fn enough(pair: &Pair, near: &Near) -> f64 {
    near.distance - pair.tolerance.gap(near.distance)
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
