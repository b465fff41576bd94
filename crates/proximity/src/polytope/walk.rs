//! From a feature pair that is not the closest one to a neighbouring pair that is nearer.
//!
//! Source: 003 chapter 3: each failed applicability test names the neighbour to step to.
//! Differs: DIFFERS: the step goes to the most violated test of one body at a time and on over that body's features
//! until they are nearest to the other's vertex, an edge under a face goes on to its lower end, and no decrease is
//! checked: the tracker takes a few steps and then leaves the search to GJK, so a cycle costs time and nothing else.
//! Ends because: one step, within which the features passed are counted; the caller counts the steps.
//! Cost: as `settle`, for each feature passed.
//! Not promised: a nearer pair.

use super::edges::{self, EdgePair};
use super::settle::{MANY_SIDES, side_beyond};
use crate::tolerance;
use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};

/// The pair to try after `features` failed to settle; `None` where the walk does not know.
pub(crate) fn next_pair(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    features: [Feature; 2],
) -> Option<[Feature; 2]> {
    match features {
        [Feature::Vertex(va), Feature::Vertex(vb)] => {
            let near_a = nearest(a, features[0], pose.apply(b.vertex(vb)))?.0;
            if near_a != features[0] {
                return Some([near_a, features[1]]);
            }
            let near_b = nearest(b, features[1], pose.apply_inverse(a.vertex(va)))?.0;
            (near_b != features[1]).then_some([features[0], near_b])
        }
        [Feature::Vertex(va), on_b] => {
            let point = pose.apply_inverse(a.vertex(va));
            let (near_b, foot) = nearest(b, on_b, point)?;
            if near_b != on_b {
                return Some([features[0], near_b]);
            }
            let (near_a, near_b) =
                beyond_vertex(a, va, b, on_b, |v| pose.rotate(v), |v| pose.rotate_inverse(v), foot, point)?;
            Some([near_a, near_b])
        }
        [on_a, Feature::Vertex(vb)] => {
            let point = pose.apply(b.vertex(vb));
            let (near_a, foot) = nearest(a, on_a, point)?;
            if near_a != on_a {
                return Some([near_a, features[1]]);
            }
            let (near_b, near_a) =
                beyond_vertex(b, vb, a, on_a, |v| pose.rotate_inverse(v), |v| pose.rotate(v), foot, point)?;
            Some([near_a, near_b])
        }
        [Feature::Edge(ea), Feature::Edge(eb)] => beside_edges(a, b, pose, ea, eb),
        [Feature::Edge(ea), Feature::Face(fb)] => {
            let normal = pose.rotate(b.plane(fb).normal);
            Some([Feature::Vertex(lower_end(a.edge(ea), normal)), features[1]])
        }
        [Feature::Face(fa), Feature::Edge(eb)] => {
            let normal = pose.rotate_inverse(a.plane(fa).normal);
            Some([features[0], Feature::Vertex(lower_end(b.edge(eb), normal))])
        }
        [Feature::Face(_), Feature::Face(_)] => None,
    }
}

/// The pair after a vertex of one body and the feature of the other that is nearest to it, where the vertex is not
/// nearest to the feature: the first feature is of the vertex's body. `turn` takes vectors of the feature's body to
/// the vertex's, `back` the other way; `foot` and `point`, the vertex, are seen from the feature's body.
#[expect(clippy::too_many_arguments, reason = "one step of the walk, the same for both bodies")]
fn beyond_vertex(
    body: &Polytope,
    vertex: VertexId,
    other: &Polytope,
    feature: Feature,
    turn: impl Fn(DVec3) -> DVec3,
    back: impl Fn(DVec3) -> DVec3,
    foot: DVec3,
    point: DVec3,
) -> Option<(Feature, Feature)> {
    let spoke = rising(body, vertex, turn(foot - point))?;
    let edge = Feature::Edge(body.ring(vertex).edges[spoke]);
    let Feature::Face(face) = feature else { return Some((edge, feature)) };
    let along = back(body.spokes(vertex)[spoke].vector);
    Some(match exit_side(other, face, point, along) {
        Some(side) => (edge, Feature::Edge(side)),
        None => (Feature::Vertex(body.spokes(vertex)[spoke].vertex), feature),
    })
}

/// The feature of a body nearest to a point, walking from `from`, and the point's foot on it; `None` for a point
/// under a face, or far away.
fn nearest(body: &Polytope, from: Feature, point: DVec3) -> Option<(Feature, DVec3)> {
    let mut at = from;
    for _ in 0..MAX_SLIDE {
        at = match at {
            Feature::Vertex(vertex) => match toward_point(body, vertex, point) {
                Feature::Vertex(vertex) => return Some((Feature::Vertex(vertex), body.vertex(vertex))),
                next => next,
            },
            Feature::Edge(edge) => match beside_edge(body, edge, point) {
                Ok(next) => next,
                Err(foot) => return Some((at, foot)),
            },
            Feature::Face(face) => match beside_face(body, face, point)? {
                Some(edge) => Feature::Edge(edge),
                None => {
                    let plane = body.plane(face);
                    return Some((at, point - plane.normal * plane.distance(point)));
                }
            },
        };
    }
    None
}

/// The vertex or edge near `from` that is nearest to a point, going from vertex to vertex while that helps.
fn toward_point(body: &Polytope, from: VertexId, point: DVec3) -> Feature {
    let mut vertex = from;
    for _ in 0..MAX_SLIDE {
        let across = point - body.vertex(vertex);
        let Some(spoke) = rising(body, vertex, across) else { break };
        let ahead = &body.spokes(vertex)[spoke];
        if ahead.vector.dot(across) < ahead.vector.length_squared() {
            return Feature::Edge(body.ring(vertex).edges[spoke]);
        }
        vertex = ahead.vertex;
    }
    Feature::Vertex(vertex)
}

/// Features passed in one step of the walk, and sides cut off a way over a face; a tuning constant.
const MAX_SLIDE: u32 = 16;

/// The spoke of a vertex that gains most along a direction, if any does.
#[inline]
fn rising(body: &Polytope, vertex: VertexId, direction: DVec3) -> Option<usize> {
    let (mut best, mut at) = (0.0, None);
    for (index, spoke) in body.spokes(vertex).iter().enumerate() {
        let gain = spoke.vector.dot(direction);
        if gain > best {
            (best, at) = (gain, Some(index));
        }
    }
    at
}

/// The neighbour of an edge in whose region a point lies, or the point's foot if it is the edge's own.
fn beside_edge(body: &Polytope, edge: EdgeId, point: DVec3) -> Result<Feature, DVec3> {
    let edge = body.edge(edge);
    let tail = body.vertex(edge.vertices[0]);
    let along = (point - tail).dot(edge.vector);
    let size = edge.vector.length_squared();
    if along < 0.0 {
        return Ok(Feature::Vertex(edge.vertices[0]));
    }
    if along > size {
        return Ok(Feature::Vertex(edge.vertices[1]));
    }
    let foot = tail + edge.vector * (along / size);
    match rising_face(edge, point - foot) {
        Some(face) => Ok(Feature::Face(face)),
        None => Err(foot),
    }
}

/// The face of an edge that rises more along a direction, if any does.
fn rising_face(edge: &Edge, direction: DVec3) -> Option<FaceId> {
    let [left, right] = edge.inward.map(|inward| inward.dot(direction));
    if left.max(right) > 0.0 { Some(edge.faces[usize::from(right > left)]) } else { None }
}

/// The edge of a face that a point lies farthest beyond: `Some(None)` over the face itself, `None` under it.
fn beside_face(body: &Polytope, face: FaceId, point: DVec3) -> Option<Option<EdgeId>> {
    if !(body.plane(face).distance(point) > 0.0) {
        return None;
    }
    if body.sides(face).len() > MANY_SIDES {
        return Some(side_beyond(body, face, point).map(|side| side.edge));
    }
    let (mut worst, mut edge) = (0.0, None);
    for side in body.sides(face) {
        let beyond = side.offset - side.inward.dot(point);
        if beyond > worst {
            (worst, edge) = (beyond, Some(side.edge));
        }
    }
    Some(edge)
}

/// The first side of a face that is crossed from above the face at `point` on the way `along`.
fn exit_side(body: &Polytope, face: FaceId, point: DVec3, along: DVec3) -> Option<EdgeId> {
    if body.sides(face).len() > MANY_SIDES {
        return exit_of_many(body, face, point, along);
    }
    let (mut first, mut edge) = (1.0, None);
    for side in body.sides(face) {
        let (inside, rate) = (side.inward.dot(point) - side.offset, side.inward.dot(along));
        // Crossed at −inside/rate of the way; a comparison of products spares the division.
        if rate < 0.0 && inside < -rate * first {
            (first, edge) = (inside / -rate, Some(side.edge));
        }
    }
    edge
}

/// As above: the way is cut off at a side beyond which its end lies, until its end lies within the face.
fn exit_of_many(body: &Polytope, face: FaceId, point: DVec3, along: DVec3) -> Option<EdgeId> {
    let (mut first, mut edge) = (1.0, None);
    for _ in 0..MAX_SLIDE {
        let Some(side) = side_beyond(body, face, point + along * first) else { break };
        let (inside, rate) = (side.inward.dot(point) - side.offset, side.inward.dot(along));
        // Rounding at the end: the last side is the one.
        if !(rate < 0.0 && inside < -rate * first) {
            break;
        }
        (first, edge) = (inside / -rate, Some(side.edge));
    }
    edge
}

/// The pair after two edges: an end of the one whose foot lies farther outside; else, where the other edge dips below
/// a face of this one, that face or its side beyond.
fn beside_edges(a: &Polytope, b: &Polytope, pose: &Pose, ea: EdgeId, eb: EdgeId) -> Option<[Feature; 2]> {
    let (edge_a, edge_b) = (a.edge(ea), b.edge(eb));
    let pair = EdgePair::new(edge_a, edge_b, pose, tolerance::PARALLEL_EDGES_SQ)?;
    let EdgePair { along_a, along_b, common, .. } = pair;
    let [tail_a, tail_b] = edges::tails(a, b, pose, edge_a, edge_b);
    let between = tail_b - tail_a;
    let [at_a, at_b] = pair.feet(between).map(|foot| foot / pair.common_sq);
    let over = |t: f64| (-t).max(t - 1.0);
    if over(at_a).max(over(at_b)) > 0.0 {
        // Leave the edge whose foot lies farther outside.
        return Some(if over(at_a) >= over(at_b) {
            [Feature::Vertex(edge_a.vertices[usize::from(at_a > 0.5)]), Feature::Edge(eb)]
        } else {
            [Feature::Edge(ea), Feature::Vertex(edge_b.vertices[usize::from(at_b > 0.5)])]
        });
    }
    let across = if between.dot(common) > 0.0 { common } else { -common };
    if let Some(face) = rising_face(edge_a, across) {
        let foot = tail_a + between + along_b * at_b;
        let down = along_b.dot(a.plane(face).normal) < 0.0;
        let rest = if down { along_b * (1.0 - at_b) } else { along_b * -at_b };
        return Some(match exit_side(a, face, foot, rest) {
            Some(side) if side != ea => [Feature::Edge(side), Feature::Edge(eb)],
            _ => [Feature::Face(face), Feature::Vertex(edge_b.vertices[usize::from(down)])],
        });
    }
    let face = rising_face(edge_b, -pose.rotate_inverse(across))?;
    let foot = pose.apply_inverse(tail_a + along_a * at_a);
    let along = pose.rotate_inverse(along_a);
    let down = along.dot(b.plane(face).normal) < 0.0;
    let rest = if down { along * (1.0 - at_a) } else { along * -at_a };
    Some(match exit_side(b, face, foot, rest) {
        Some(side) if side != eb => [Feature::Edge(ea), Feature::Edge(side)],
        _ => [Feature::Vertex(edge_a.vertices[usize::from(down)]), Feature::Face(face)],
    })
}

/// The end of an edge that lies lower along a normal.
fn lower_end(edge: &Edge, normal: DVec3) -> VertexId {
    edge.vertices[usize::from(edge.vector.dot(normal) < 0.0)]
}
