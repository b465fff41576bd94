//! Closest points of one feature pair in closed form, and the test that they are globally closest.
//!
//! Source: 003, appendix A for the closest points and section 3.2 for the applicability tests.
//! Differs: a feature's Voronoi region is tested through directions (does the other body lie behind
//! the supporting plane?) instead of through constraint planes, so that one test bounds the duality gap;
//! an edge pair is solved through its common normal (`edges`), which keeps the direction of a tiny gap. DIFFERS:
//! parallel pairs (edge–face, face–face, parallel edges) are left to the walk and the search.
//! Ends because: there is no loop beyond the neighbours of the two features.
//! Cost: one point transformation and 4 to 20 products of vectors.
//! Not promised: an answer. `None` says only that this pair, as given, is not seen to be closest.

use super::edges::{self, EdgePair};
use crate::tolerance;
use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, Polytope, Pose, Side, VertexId};

/// Closest points of a feature pair, anchored frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled {
    pub(crate) points: [DVec3; 2],
    /// Unit, from A to B.
    pub(crate) normal: DVec3,
    /// Positive.
    pub(crate) distance: f64,
}

/// The closest points of the pair if it is the closest pair of both bodies and more than `touch` apart.
///
/// By convexity it is, as soon as the plane across the shortest segment at either end has all of that
/// body's neighbouring vertices behind it.
#[inline]
pub(crate) fn settle(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    features: [Feature; 2],
    touch: f64,
) -> Option<Settled> {
    match features {
        [Feature::Vertex(va), Feature::Vertex(vb)] => vertex_vertex(a, b, pose, va, vb, touch),
        [Feature::Vertex(va), Feature::Edge(eb)] => vertex_edge(a, b, pose, va, eb, touch),
        [Feature::Edge(ea), Feature::Vertex(vb)] => edge_vertex(a, b, pose, ea, vb, touch),
        [Feature::Vertex(va), Feature::Face(fb)] => vertex_face(a, b, pose, va, fb, touch),
        [Feature::Face(fa), Feature::Vertex(vb)] => face_vertex(a, b, pose, fa, vb, touch),
        [Feature::Edge(ea), Feature::Edge(eb)] => edge_edge(a, b, pose, ea, eb, touch),
        _ => None,
    }
}

#[inline]
fn vertex_vertex(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    va: VertexId,
    vb: VertexId,
    touch: f64,
) -> Option<Settled> {
    let (point_a, point_b) = (a.vertex(va), pose.apply(b.vertex(vb)));
    let across = point_b - point_a;
    let length = across.length();
    (length > touch
        && vertex_supports(a, va, across, length)
        && vertex_supports(b, vb, -pose.rotate_inverse(across), length))
    .then(|| Settled { points: [point_a, point_b], normal: across / length, distance: length })
}

#[inline]
fn vertex_edge(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    va: VertexId,
    eb: EdgeId,
    touch: f64,
) -> Option<Settled> {
    let point_a = a.vertex(va);
    let seen = pose.apply_inverse(point_a);
    let edge = b.edge(eb);
    let across_b = -across_edge(b, edge, seen)?;
    let length = across_b.length();
    if !(length > touch && edge_supports(edge, -across_b, length)) {
        return None;
    }
    let across = pose.rotate(across_b);
    vertex_supports(a, va, across, length).then(|| Settled {
        points: [point_a, point_a + across],
        normal: across / length,
        distance: length,
    })
}

#[inline]
fn edge_vertex(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    ea: EdgeId,
    vb: VertexId,
    touch: f64,
) -> Option<Settled> {
    let point_b = pose.apply(b.vertex(vb));
    let edge = a.edge(ea);
    let across = across_edge(a, edge, point_b)?;
    let length = across.length();
    (length > touch
        && edge_supports(edge, across, length)
        && vertex_supports(b, vb, -pose.rotate_inverse(across), length))
    .then(|| Settled { points: [point_b - across, point_b], normal: across / length, distance: length })
}

#[inline]
fn vertex_face(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    va: VertexId,
    fb: FaceId,
    touch: f64,
) -> Option<Settled> {
    let point_a = a.vertex(va);
    let height = height_over_face(b, fb, pose.apply_inverse(point_a), touch)?;
    let normal = -pose.rotate(b.plane(fb).normal);
    vertex_supports(a, va, normal, 1.0).then(|| Settled {
        points: [point_a, point_a + normal * height],
        normal,
        distance: height,
    })
}

#[inline]
fn face_vertex(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    fa: FaceId,
    vb: VertexId,
    touch: f64,
) -> Option<Settled> {
    let point_b = pose.apply(b.vertex(vb));
    let height = height_over_face(a, fa, point_b, touch)?;
    let normal = a.plane(fa).normal;
    vertex_supports(b, vb, -pose.rotate_inverse(normal), 1.0).then(|| Settled {
        points: [point_b - normal * height, point_b],
        normal,
        distance: height,
    })
}

#[inline]
fn edge_edge(a: &Polytope, b: &Polytope, pose: &Pose, ea: EdgeId, eb: EdgeId, touch: f64) -> Option<Settled> {
    let (edge_a, edge_b) = (a.edge(ea), b.edge(eb));
    let pair = EdgePair::new(edge_a, edge_b, pose, tolerance::PARALLEL_EDGES_SQ)?;
    let [tail_a, tail_b] = edges::tails(a, b, pose, edge_a, edge_b);
    let between = tail_b - tail_a;
    let common_sq = pair.common_sq;
    let [at_a, at_b] = pair.feet(between);
    if !(at_a >= 0.0 && at_a <= common_sq && at_b >= 0.0 && at_b <= common_sq) {
        return None;
    }
    let length = common_sq.sqrt();
    let unit = pair.common / length;
    let height = between.dot(unit);
    let (normal, distance) = if height > 0.0 { (unit, height) } else { (-unit, -height) };
    let point_a = tail_a + pair.along_a * (at_a / common_sq);
    let point_b = tail_b + pair.along_b * (at_b / common_sq);
    // Nearly parallel edges leave their common normal and their feet to rounding: both must agree.
    let disagree = (point_b - point_a - normal * distance).abs().max_element();
    if !(distance > touch
        && disagree <= touch
        && pair.is_square(unit, touch)
        && edge_supports(edge_a, normal, 1.0)
        && edge_supports(edge_b, -pose.rotate_inverse(normal), 1.0))
    {
        return None;
    }
    Some(Settled { points: [point_a, point_a + normal * distance], normal, distance })
}

/// No neighbour of the vertex lies farther along `direction`, of length `length`.
#[inline]
fn vertex_supports(body: &Polytope, vertex: VertexId, direction: DVec3, length: f64) -> bool {
    body.climb_spokes(vertex)
        .iter()
        .all(|spoke| spoke.vector.dot(direction) <= f64::from(spoke.slack) * length)
}

/// Neither face of the edge rises along `direction`, which is perpendicular to the edge.
#[inline]
fn edge_supports(edge: &Edge, direction: DVec3, length: f64) -> bool {
    let slack = tolerance::CLIMB_REL * length;
    edge.inward[0].dot(direction) <= slack && edge.inward[1].dot(direction) <= slack
}

/// The vector to a point from its foot on an edge, perpendicular to the edge.
#[inline]
fn across_edge(body: &Polytope, edge: &Edge, point: DVec3) -> Option<DVec3> {
    let beside = point - body.vertex(edge.vertices[0]);
    let along = beside.dot(edge.vector);
    let size = edge.vector.length_squared();
    if !(along >= 0.0 && along <= size) {
        return None;
    }
    let across = beside - edge.vector * (along / size);
    // Once more: the first difference may lean along a long edge by as much as a small gap is wide.
    Some(across - edge.vector * (across.dot(edge.vector) / size))
}

/// Height of a point above a face that it projects into; `None` elsewhere.
#[inline]
fn height_over_face(body: &Polytope, face: FaceId, point: DVec3, touch: f64) -> Option<f64> {
    let height = body.plane(face).distance(point);
    (height > touch && projects_into(body, face, point)).then_some(height)
}

/// Whether a point projects into a closed face.
#[inline]
pub(crate) fn projects_into(body: &Polytope, face: FaceId, point: DVec3) -> bool {
    let sides = body.sides(face);
    if sides.len() <= MANY_SIDES {
        return sides.iter().all(|side| side.inward.dot(point) >= side.offset);
    }
    side_beyond(body, face, point).is_none()
}

/// A side of a many-sided face that a point projects beyond, by bisection over the fan from the first corner.
pub(crate) fn side_beyond(body: &Polytope, face: FaceId, point: DVec3) -> Option<&Side> {
    let sides = body.sides(face);
    let apex = body.vertex(sides[0].vertex);
    // Turning from the apex: corner `low` lies to the right of the point, corner `high` to its left.
    let toward = body.plane(face).normal.cross(point - apex);
    let left_of = |corner: usize| toward.dot(body.vertex(sides[corner].vertex) - apex) >= 0.0;
    let (mut low, mut high) = (1, sides.len() - 1);
    let beyond = |side: &&Side| side.inward.dot(point) < side.offset;
    if left_of(low) || !left_of(high) {
        // Beyond the first or the last side, or on one of them.
        return [&sides[0], &sides[high]].into_iter().find(beyond).or_else(|| sides.iter().find(beyond));
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if left_of(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(&sides[low]).filter(beyond)
}

/// Sides from which bisection beats a scan; a tuning constant without influence on the answer.
pub(crate) const MANY_SIDES: usize = 12;
