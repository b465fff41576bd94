//! The nearest facet of A − B from inside, by walking from facet to facet, and a proof that it is the nearest.
//!
//! Source: the facets of a Minkowski difference and their adjacency on the Gauss map (Gregorius, GDC 2013).
//! A facet is a face of one body with a vertex of the other, or an edge of each.
//! Differs: the walk follows the foot of the origin: where it falls beyond a side of the facet, the facet
//! across that side lies nearer, because the foot is outside the convex A − B. The proof needs no other
//! facet: with the foot a distance r inside its facet at depth δ, every direction within φ of the facet's
//! normal, tan(φ/2) ≤ r/δ, has height δ or more by the facet alone; every direction beyond some φ₀ has it by
//! the ball of both inradii about the difference of the centres. If φ₀ ≤ φ, the depth is δ.
//! Ends because: steps are counted; each lowers the depth or moves within one plane.
//! Cost: O(degree) per step; tracked, no step or one.
//! Not promised: a proof. Deep overlap of elongated bodies, and feet on the rim of a facet, are left to `shell`.

use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, Polytope, Pose, VertexId, tolerance};

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
    margin: f64,
}

/// What a look at a facet gives: the foot is inside, or beyond a side that leads to another facet.
enum Look {
    Inside(Facet),
    Beyond([Feature; 2]),
}

/// Steps after which the walk gives up; a tuning constant.
const MAX_STEPS: u32 = 24;

/// Walks from the pair `start` to a facet that holds its foot, if the pair is a facet at all and the
/// origin stays more than `touch` inside. Returns the steps taken too.
pub(crate) fn nearest_facet(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    start: [Feature; 2],
    touch: f64,
) -> Option<(Facet, u32)> {
    let mut features = start;
    for step in 0..MAX_STEPS {
        match look(a, b, pose, features, touch)? {
            Look::Inside(facet) => return Some((facet, step)),
            Look::Beyond(next) => features = next,
        }
    }
    None
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

/// Whether no other facet of A − B is nearer to the origin.
pub(crate) fn is_deepest(a: &Polytope, b: &Polytope, pose: &Pose, facet: &Facet) -> bool {
    let center = a.center() - pose.apply(b.center());
    let distance_sq = center.length_squared();
    let kappa_length = a.inradius() + b.inradius() - facet.depth;
    if !(kappa_length > 0.0 && distance_sq > kappa_length * kappa_length) {
        return false;
    }
    // The ball's proof begins at φ₀ = β + acos κ, with β the angle between the centre and the facet's normal;
    // in tangents of half angles, which keep their digits where the bodies are thin and φ₀ comes near π.
    let distance = distance_sq.sqrt();
    let along = -center.dot(facet.normal);
    if !(along > 0.0) {
        return false;
    }
    let half_beta = center.cross(facet.normal).length() / (distance + along);
    let half_acos = ((distance - kappa_length) / (distance + kappa_length)).sqrt();
    let below = 1.0 - half_beta * half_acos;
    // The facet's proof ends at φ with tan(φ/2) = margin / depth.
    facet.margin * below > facet.depth * (half_beta + half_acos) * (1.0 + tolerance::CLEAR_REL)
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

fn over_edges(a: &Polytope, b: &Polytope, pose: &Pose, ea: EdgeId, eb: EdgeId, touch: f64) -> Option<Look> {
    let (edge_a, edge_b) = (a.edge(ea), b.edge(eb));
    let along_a = edge_a.vector;
    let along_b = pose.rotate(edge_b.vector);
    let common = along_a.cross(along_b);
    let common_sq = common.length_squared();
    let (size_a, size_b) = (along_a.length_squared(), along_b.length_squared());
    if !(common_sq > tolerance::FACET_EDGES_SQ * size_a * size_b) {
        return None;
    }
    let length = common_sq.sqrt();
    let unit = common / length;
    // Of the two directions, the one that leaves A through this edge.
    let outward = (edge_a.inward[0] + edge_a.inward[1]).dot(unit) <= 0.0;
    let normal = if outward { unit } else { -unit };
    let seen_b = -pose.rotate_inverse(normal);
    if !(supports(edge_a, normal) && supports(edge_b, seen_b)) {
        return None;
    }
    let tail_a = a.vertex(edge_a.vertices[0]);
    let tail_b = pose.apply(b.vertex(edge_b.vertices[0]));
    let between = tail_b - tail_a;
    let depth = -normal.dot(between);
    // As in `settle`: nearly parallel edges leave their common normal to rounding.
    if !(depth > touch && unit.dot(along_a).abs() <= touch && unit.dot(along_b).abs() <= touch) {
        return None;
    }
    let at_a = between.cross(along_b).dot(common) / common_sq;
    let at_b = between.cross(along_a).dot(common) / common_sq;
    // Distances of the foot from the rim: across A's edge its ends, across B's edge its own.
    let (to_end_a, to_end_b) = (at_a.min(1.0 - at_a), at_b.min(1.0 - at_b));
    let margin = (to_end_a * length / size_b.sqrt()).min(to_end_b * length / size_a.sqrt());
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

fn supports(edge: &Edge, direction: DVec3) -> bool {
    let slack = tolerance::CLIMB_REL;
    edge.faces[0] != Edge::NO_FACE
        && edge.inward[0].dot(direction) <= slack
        && edge.inward[1].dot(direction) <= slack
}
