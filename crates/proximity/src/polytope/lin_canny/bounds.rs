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

/// Edge pairs around two features beyond which their common perpendiculars are not tried.
const CROSSINGS: usize = 4096;

/// What a direction proves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Lower bound on the signed distance.
    pub(super) lower: f64,
    /// Unit vector from A to B.
    pub(super) direction: DVec3,
    /// Vertices farthest along it and against it.
    pub(super) supports: [VertexId; 2],
    /// Whether all directions were tried that can separate what lies around the features.
    pub(super) exhaustive: bool,
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
    Bound { lower, direction, supports: [a, b], exhaustive: false }
}

/// The best bound found for a pair: along its own direction and, where that does not meet the distance, along
/// the normals of the faces and the common perpendiculars of the edges around both features; with `wide`, of
/// all that is in their closed neighbourhoods.
pub(super) fn best(pair: &Pair, near: &Near, features: [Feature; 2], wide: bool) -> Bound {
    let own = along(pair, near.direction, features);
    let enough = enough(pair, near);
    if own.lower >= enough {
        return own;
    }
    let stars = [0, 1].map(|side| {
        if wide { Star::of(pair, side, features[side]) } else { Star::open(pair, side, features[side]) }
    });
    let mut best = own;
    let exhaustive = directions(pair, near.direction, &stars, |direction| {
        if direction != DVec3::ZERO && best.lower < enough {
            let bound = along(pair, direction, features);
            if bound.lower > best.lower {
                best = bound;
            }
        }
    });
    Bound { exhaustive, ..best }
}

/// Offers directions that may separate two neighbourhoods; whether it was all of them.
fn directions(pair: &Pair, own: DVec3, stars: &[Star; 2], mut offer: impl FnMut(DVec3)) -> bool {
    for face in &stars[0].faces {
        offer(pair.bodies[0].plane(*face).normal);
    }
    for face in &stars[1].faces {
        offer(-pair.pose.rotate(pair.bodies[1].plane(*face).normal));
    }
    let along = |side: usize| {
        let vector = move |&edge: &EdgeId| pair.bodies[side].edge(edge).vector;
        stars[side].edges.iter().map(vector).map(move |v| pair.turned_to_a(side, v).normalize_or_zero())
    };
    let thin = stars.iter().all(|star| star.faces.is_empty());
    for edge in along(0).chain(along(1)) {
        offer(nearest::perpendicular(own, edge));
        if thin {
            DVec3::AXES.into_iter().for_each(|axis| offer(nearest::perpendicular(axis, edge)));
        }
    }
    if thin {
        // Points and segments may touch with no face to show how.
        DVec3::AXES.into_iter().for_each(&mut offer);
    }
    if stars[0].edges.len() * stars[1].edges.len() > CROSSINGS {
        return false;
    }
    for a in along(0) {
        for b in along(1) {
            let normal = a.cross(b).normalize_or_zero();
            offer(normal);
            offer(-normal);
        }
    }
    true
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

/// Vertices, edges and faces around a feature.
pub(super) struct Star {
    pub(super) vertices: Vec<VertexId>,
    pub(super) edges: Vec<EdgeId>,
    pub(super) faces: Vec<FaceId>,
}

impl Star {
    /// What the feature belongs to, and the sides of a face.
    fn open(pair: &Pair, side: usize, feature: Feature) -> Self {
        let body = pair.bodies[side];
        let (edges, faces) = match feature {
            Feature::Vertex(v) => (body.ring(v).edges.to_vec(), body.ring(v).faces.to_vec()),
            Feature::Edge(e) => {
                let faces = body.edge(e).faces.into_iter().filter(|&f| f != Edge::NO_FACE);
                (vec![e], faces.collect())
            }
            Feature::Face(f) => (body.sides(f).iter().map(|side| side.edge).collect(), vec![f]),
        };
        Self { vertices: Vec::new(), edges, faces }
    }

    /// The closed neighbourhood: with the boundaries of all faces.
    pub(super) fn of(pair: &Pair, side: usize, feature: Feature) -> Self {
        let body = pair.bodies[side];
        let Self { mut vertices, mut edges, faces } = Self::open(pair, side, feature);
        edges.extend(faces.iter().flat_map(|&f| body.sides(f).iter().map(|side| side.edge)));
        edges.sort_unstable();
        edges.dedup();
        vertices.extend(edges.iter().flat_map(|&e| body.edge(e).vertices));
        vertices.push(pair.corner(side, feature));
        vertices.sort_unstable();
        vertices.dedup();
        Self { vertices, edges, faces }
    }
}
