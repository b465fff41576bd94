//! The nearest facet of A − B from inside, by walking from facet to facet.
//!
//! Source: the facets of a Minkowski difference and their adjacency on the Gauss map (Gregorius, GDC 2013).
//! A facet is a face of one body with a vertex of the other, or an edge of each.
//! Differs: the walk follows the foot of the origin: where it falls beyond a side of the facet, the facet
//! across that side lies nearer, because the foot is outside the convex A − B.
//! Ends because: steps are counted; each lowers the depth or moves within one plane.
//! Cost: O(degree) per step; tracked, no step or one.
//! Not promised: the nearest of all facets; `depth_proof` tells whether it is.

use super::edges::{self, EdgePair};
use super::shell::Candidate;
use super::simplex::Corner;
use crate::tolerance;
use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};

/// A facet of A − B with the foot of the origin on it, anchored frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) features: [Feature; 2],
    /// Unit, from A to B.
    pub(crate) normal: DVec3,
    /// Distance of the facet's plane from the origin, which is inside.
    pub(crate) depth: f64,
    /// The points of A and of B whose difference is the foot.
    pub(crate) points: [DVec3; 2],
    /// Distance of the foot from the facet's rim.
    pub(crate) margin: f64,
}

/// What a look at a facet gives: the foot is inside, or beyond a side that leads to another facet.
enum Look {
    Inside(Facet),
    Beyond([Feature; 2]),
}

/// Steps after which the walk gives up; a tuning constant.
const MAX_STEPS: u32 = 24;

/// Walks from the pair `start` to a facet that holds its foot, if the pair is a facet at all and the
/// origin stays more than `touch` inside. Returns the steps taken too. With `mend`, a start that is no facet is
/// replaced by one nearby.
pub(crate) fn nearest_facet(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    start: [Feature; 2],
    touch: f64,
    mend: bool,
) -> Option<(Facet, u32)> {
    let mut features = start;
    for step in 0..MAX_STEPS {
        features = match look(a, b, pose, features, touch) {
            Some(Look::Inside(facet)) => return Some((facet, step)),
            Some(Look::Beyond(next)) => next,
            None if mend && step == 0 => restart(a, b, pose, start)?,
            None => return None,
        };
    }
    None
}

/// A facet near a pair that is none: a face of it with the other body's vertex opposite.
fn restart(a: &Polytope, b: &Polytope, pose: &Pose, pair: [Feature; 2]) -> Option<[Feature; 2]> {
    match pair {
        [Feature::Vertex(vertex), Feature::Face(face)] => {
            let toward = -pose.rotate(b.plane(face).normal);
            Some([Feature::Vertex(a.climb(vertex, toward, 1.0)), pair[1]])
        }
        [Feature::Face(face), Feature::Vertex(vertex)] => {
            let toward = -pose.rotate_inverse(a.plane(face).normal);
            Some([pair[0], Feature::Vertex(b.climb(vertex, toward, 1.0))])
        }
        [Feature::Edge(ea), Feature::Edge(eb)] => {
            let face = a.edge(ea).faces[0];
            if face == Edge::NO_FACE {
                return None;
            }
            let toward = -pose.rotate_inverse(a.plane(face).normal);
            Some([Feature::Face(face), Feature::Vertex(b.climb(b.edge(eb).vertices[0], toward, 1.0))])
        }
        _ => None,
    }
}

/// A facet near the direction `normal`, from A to B, along which `vertex` of A is farthest.
pub(crate) fn facet_at(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    vertex: VertexId,
    normal: DVec3,
) -> Option<[Feature; 2]> {
    let steepest = |face: &&FaceId| a.plane(**face).normal.dot(normal);
    let face = *a.ring(vertex).faces.iter().max_by(|f, g| steepest(f).total_cmp(&steepest(g)))?;
    let opposite = b.support(-pose.rotate_inverse(a.plane(face).normal));
    Some([Feature::Face(face), Feature::Vertex(opposite)])
}

/// A facet as something for the shell to prove, with up to four of its corners.
pub(crate) fn candidate(a: &Polytope, b: &Polytope, pose: &Pose, facet: &Facet) -> Candidate {
    let mut guess = Candidate { depth: facet.depth, ..Candidate::NONE };
    let mut push = |va: VertexId, vb: VertexId| {
        guess.corners[guess.len] = Corner { w: a.vertex(va) - pose.apply(b.vertex(vb)), a: va.0, b: vb.0 };
        guess.len += 1;
    };
    // Of a face with many sides, four corners about it.
    let spaced = |count: usize| (0..count.min(4)).map(move |i| i * count / count.min(4));
    match facet.features {
        [Feature::Face(face), Feature::Vertex(vertex)] => {
            let sides = a.sides(face);
            spaced(sides.len()).for_each(|at| push(sides[at].vertex, vertex));
        }
        [Feature::Vertex(vertex), Feature::Face(face)] => {
            let sides = b.sides(face);
            spaced(sides.len()).for_each(|at| push(vertex, sides[at].vertex));
        }
        [Feature::Edge(ea), Feature::Edge(eb)] => {
            for va in a.edge(ea).vertices {
                b.edge(eb).vertices.into_iter().for_each(|vb| push(va, vb));
            }
        }
        _ => {}
    }
    guess
}

fn look(a: &Polytope, b: &Polytope, pose: &Pose, features: [Feature; 2], touch: f64) -> Option<Look> {
    match features {
        [Feature::Face(face), Feature::Vertex(vertex)] => {
            let point = pose.apply(b.vertex(vertex));
            let turn = |v: DVec3| pose.rotate_inverse(v);
            let found = over_face(a, face, b, vertex, point, turn, touch)?;
            Some(match found {
                OverFace::Inside { depth, margin } => {
                    let normal = a.plane(face).normal;
                    let points = [point + normal * depth, point];
                    Look::Inside(Facet { features, normal, depth, points, margin })
                }
                OverFace::Beyond(next) => Look::Beyond(next),
            })
        }
        [Feature::Vertex(vertex), Feature::Face(face)] => {
            let point = a.vertex(vertex);
            let turn = |v: DVec3| pose.rotate(v);
            let found = over_face(b, face, a, vertex, pose.apply_inverse(point), turn, touch)?;
            Some(match found {
                OverFace::Inside { depth, margin } => {
                    let normal = -pose.rotate(b.plane(face).normal);
                    let points = [point, point - normal * depth];
                    Look::Inside(Facet { features, normal, depth, points, margin })
                }
                OverFace::Beyond([owner, other]) => Look::Beyond([other, owner]),
            })
        }
        [Feature::Edge(ea), Feature::Edge(eb)] => over_edges(a, b, pose, ea, eb, touch),
        _ => None,
    }
}

/// A look at a face of `owner` with a vertex of `other`; pairs are (owner, other).
enum OverFace {
    Inside { depth: f64, margin: f64 },
    Beyond([Feature; 2]),
}

/// `point` is the vertex in the frame of `owner`; `turn` takes directions from there to `other`'s frame.
#[inline]
fn over_face(
    owner: &Polytope,
    face: FaceId,
    other: &Polytope,
    vertex: VertexId,
    point: DVec3,
    turn: impl Fn(DVec3) -> DVec3,
    touch: f64,
) -> Option<OverFace> {
    let plane = owner.plane(face);
    let depth = -plane.distance(point);
    let against = -turn(plane.normal);
    let supports = |spoke: &clearance_geometry::Spoke| spoke.vector.dot(against) <= f64::from(spoke.slack);
    if !(depth > touch && other.climb_spokes(vertex).iter().all(supports)) {
        return None;
    }
    let (mut margin, mut nearest) = (f64::INFINITY, EdgeId(0));
    for side in owner.sides(face) {
        let inside = side.inward.dot(point) - side.offset;
        if inside < margin {
            (margin, nearest) = (inside, side.edge);
        }
    }
    if margin >= 0.0 {
        return Some(OverFace::Inside { depth, margin });
    }
    let edge = owner.edge(nearest);
    let beyond = edge.faces[usize::from(edge.faces[0] == face)];
    Some(OverFace::Beyond(slide(owner, nearest, beyond, other, vertex, plane.normal, turn)))
}

/// Turns the normal from `from` along the arc of an edge towards its face `to`, both outward of `owner`, and
/// tells which facet is met first: that face with the vertex, or the edge with an edge of the vertex.
fn slide(
    owner: &Polytope,
    edge: EdgeId,
    to: FaceId,
    other: &Polytope,
    vertex: VertexId,
    from: DVec3,
    turn: impl Fn(DVec3) -> DVec3,
) -> [Feature; 2] {
    let (start, end) = (-turn(from), -turn(owner.plane(to).normal));
    let ring = other.ring(vertex);
    let (mut first, mut met) = (f64::INFINITY, None);
    for (spoke, &spoke_edge) in ring.spokes.iter().zip(ring.edges) {
        let rise = spoke.vector.dot(end);
        if rise > f64::from(spoke.slack) {
            let fall = -spoke.vector.dot(start).min(0.0);
            let at = fall / (fall + rise);
            if at < first {
                (first, met) = (at, Some(spoke_edge));
            }
        }
    }
    match met {
        Some(spoke_edge) => [Feature::Edge(edge), Feature::Edge(spoke_edge)],
        None => [Feature::Face(to), Feature::Vertex(vertex)],
    }
}

/// A look at an edge of each body.
fn over_edges(a: &Polytope, b: &Polytope, pose: &Pose, ea: EdgeId, eb: EdgeId, touch: f64) -> Option<Look> {
    let (edge_a, edge_b) = (a.edge(ea), b.edge(eb));
    let pair = EdgePair::new(edge_a, edge_b, pose, tolerance::FACET_EDGES_SQ)?;
    let EdgePair { along_a, along_b, .. } = pair;
    let length = pair.common_sq.sqrt();
    let unit = pair.common / length;
    // Of the two directions, the one that leaves A through this edge.
    let outward = (edge_a.inward[0] + edge_a.inward[1]).dot(unit) <= 0.0;
    let normal = if outward { unit } else { -unit };
    let seen_b = -pose.rotate_inverse(normal);
    if !(supports(edge_a, normal) && supports(edge_b, seen_b)) {
        return None;
    }
    let [tail_a, tail_b] = edges::tails(a, b, pose, edge_a, edge_b);
    let between = tail_b - tail_a;
    let depth = -normal.dot(between);
    if !(depth > touch && pair.is_square(unit, touch)) {
        return None;
    }
    let [at_a, at_b] = pair.feet(between).map(|foot| foot / pair.common_sq);
    // Distances of the foot from the rim: across A's edge its ends, across B's edge its own.
    let (to_end_a, to_end_b) = (at_a.min(1.0 - at_a), at_b.min(1.0 - at_b));
    let margin = (to_end_a * length / pair.sizes[1].sqrt()).min(to_end_b * length / pair.sizes[0].sqrt());
    if margin >= 0.0 {
        let point_a = tail_a + along_a * at_a;
        let point_b = tail_b + along_b * at_b;
        let points = [point_a, point_a - normal * depth];
        if !((point_b - points[1]).abs().max_element() <= touch) {
            return None;
        }
        return Some(Look::Inside(Facet {
            features: [Feature::Edge(ea), Feature::Edge(eb)],
            normal,
            depth,
            points,
            margin,
        }));
    }
    Some(Look::Beyond(if to_end_a < to_end_b {
        // Beyond an end of A's edge: B's edge goes on with that vertex of A.
        let vertex = edge_a.vertices[usize::from(at_a > 0.5)];
        let leave = if at_a > 0.5 { along_a } else { -along_a };
        let seen = pose.rotate_inverse(leave);
        let to = edge_b.faces[usize::from(b.plane(edge_b.faces[0]).normal.dot(seen) > 0.0)];
        let [owner, other] = slide(b, eb, to, a, vertex, seen_b, |v| pose.rotate(v));
        [other, owner]
    } else {
        let vertex = edge_b.vertices[usize::from(at_b > 0.5)];
        let leave = if at_b > 0.5 { along_b } else { -along_b };
        let to = edge_a.faces[usize::from(a.plane(edge_a.faces[0]).normal.dot(leave) > 0.0)];
        slide(a, ea, to, b, vertex, normal, |v| pose.rotate_inverse(v))
    }))
}

/// Whether a direction perpendicular to an edge leaves its body there.
fn supports(edge: &Edge, direction: DVec3) -> bool {
    let slack = tolerance::CLIMB_REL;
    edge.faces[0] != Edge::NO_FACE
        && edge.inward[0].dot(direction) <= slack
        && edge.inward[1].dot(direction) <= slack
}
