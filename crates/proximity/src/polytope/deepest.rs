//! Depth without a shell: exact by enumeration where rounding folded it, honest bounds where it is full.
//!
//! Source: the candidate normals of the Minkowski difference: faces of A, faces of B, and edge pairs whose
//! arcs cross on the Gauss map (Gregorius, GDC 2013).
//! Ends because: the candidates are finite, and their number is checked before the search.
//! Cost: one climb per face and, at most, one per pair of edges.
//! Not promised: the depth of two large bodies; then the best candidate is an upper bound and `gap` says so.

use super::gjk::support;
use super::shell::{Depth, Trouble};
use super::simplex::{Corner, Simplex};
use crate::Work;
use clearance_geometry::{DVec3, Feature, Polytope, Pose, Tolerance, tolerance};

/// Edge pairs up to which the enumeration is complete.
const MAX_EDGE_PAIRS: usize = 1 << 20;

/// The depth by enumeration of candidate normals; from the simplex alone when A − B is flat.
pub(crate) fn without_shell(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    simplex: &Simplex,
    trouble: Trouble,
    tol: &Tolerance,
    work: &mut Work,
) -> Depth {
    if trouble == Trouble::Flat && a.face_count() + b.face_count() == 0 {
        return flat(a, b, simplex);
    }
    let mut search = Candidates { a, b, pose, best: None, work };
    for plane in a.planes() {
        search.consider(plane.normal);
    }
    for plane in b.planes() {
        search.consider(-pose.rotate(plane.normal));
    }
    let complete = a.edge_count() * b.edge_count() <= MAX_EDGE_PAIRS;
    if complete {
        search.consider_edge_pairs();
    }
    match search.best {
        Some((depth, normal, corner)) => {
            let simplex = facet_simplex(a, b, pose, normal, corner, tol);
            let gap = if complete && trouble != Trouble::Full { 0.0 } else { depth };
            Depth { normal, depth: depth.max(0.0), gap, simplex }
        }
        None => flat(a, b, simplex),
    }
}

/// Two bodies without faces that meet: nothing overlaps, any common perpendicular is a normal.
fn flat(a: &Polytope, b: &Polytope, simplex: &Simplex) -> Depth {
    let _ = (a, b);
    let corner = |i: usize| simplex.corners[i].w;
    let normal = match simplex.len {
        2 => (corner(1) - corner(0)).any_orthogonal_vector(),
        3.. => (corner(1) - corner(0)).cross(corner(2) - corner(0)),
        _ => DVec3::Z,
    };
    let mut simplex = *simplex;
    if simplex.len == 4 {
        simplex.len = 3;
    }
    Depth { normal: normal.normalize_or(DVec3::Z), depth: 0.0, gap: 0.0, simplex }
}

struct Candidates<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    pose: &'a Pose,
    best: Option<(f64, DVec3, Corner)>,
    work: &'a mut Work,
}

impl Candidates<'_> {
    /// The height of A − B along a unit direction, if it is the least so far.
    fn consider(&mut self, normal: DVec3) {
        let from = self.best.map(|(_, _, corner)| corner);
        let corner = support(self.a, self.b, self.pose, -normal, 1.0, from);
        self.work.supports += 1;
        let height = normal.dot(corner.w);
        if self.best.is_none_or(|(least, ..)| height < least) {
            self.best = Some((height, normal, corner));
        }
    }

    fn consider_edge_pairs(&mut self) {
        for edge_a in self.a.edges() {
            for edge_b in self.b.edges() {
                let along_b = self.pose.rotate(edge_b.vector);
                let common = edge_a.vector.cross(along_b);
                let size_sq = edge_a.vector.length_squared() * along_b.length_squared();
                if !(common.length_squared() > tolerance::PARALLEL_EDGES_SQ * size_sq) {
                    continue;
                }
                let unit = common.normalize();
                for normal in [unit, -unit] {
                    let seen_b = -self.pose.rotate_inverse(normal);
                    let slack = tolerance::GAP_REL;
                    let supported = edge_a.inward.iter().all(|i| i.dot(normal) <= slack)
                        && edge_b.inward.iter().all(|i| i.dot(seen_b) <= slack);
                    if supported {
                        self.consider(normal);
                    }
                }
            }
        }
    }
}

/// Corners of A − B that carry the point `normal × depth`: the closest point of the touching bodies once
/// A has been moved out of B.
fn facet_simplex(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    normal: DVec3,
    corner: Corner,
    tol: &Tolerance,
) -> Simplex {
    // Move B out along the normal, a little farther than needed, and ask for the nearest points.
    let clear = normal.dot(corner.w) + tolerance::CLEAR_REL * (a.radius() + b.radius());
    let moved = pose.with_translation(pose.translation() + normal * clear);
    let mut simplex = Simplex::default();
    let limits = super::gjk::Limits { iterations: super::gjk::MAX_ITERATIONS, margin: f64::INFINITY };
    super::gjk::nearest(a, b, &moved, &mut simplex, tol, limits, &mut Work::default());
    if simplex.len == 4 {
        simplex.len = 3;
    }
    simplex
}

/// Normal and depth recomputed from the features themselves, where they are a vertex and a face or two
/// edges: free of the rounding of the corners' differences.
pub(crate) fn polished(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    features: [Feature; 2],
    depth: &Depth,
    tol: &Tolerance,
) -> (DVec3, f64) {
    let candidate = match features {
        [Feature::Face(face), Feature::Vertex(vertex)] => {
            let plane = a.plane(face);
            Some((plane.normal, -plane.distance(pose.apply(b.vertex(vertex)))))
        }
        [Feature::Vertex(vertex), Feature::Face(face)] => {
            let plane = b.plane(face);
            let height = plane.distance(pose.apply_inverse(a.vertex(vertex)));
            Some((-pose.rotate(plane.normal), -height))
        }
        _ => None,
    };
    match candidate {
        // A face that only nearly spans the corners is not the facet that was proved.
        Some((normal, deep)) if (deep - depth.depth).abs() <= tol.gap(deep) + depth.gap => {
            (normal, deep.max(0.0))
        }
        _ => (depth.normal, depth.depth),
    }
}
