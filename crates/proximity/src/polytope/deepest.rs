//! Depth and touching normal by enumeration of the facets of A − B, in doubled precision.
//!
//! Source: the candidate normals of the Minkowski difference: faces of A, faces of B, and edge pairs whose
//! arcs cross on the Gauss map (Gregorius, GDC 2013).
//! Differs: normals and heights of the candidates that matter are computed in doubled precision from the
//! vertices, so that slivers and contacts of a few roundings keep their normal; the bodies are pushed apart along
//! the best one to see where they touch, and whether a direction beside it is shorter.
//! Ends because: the candidates are finite; their number decides before the search whether all are taken
//! or only those around the vertices where the bodies meet; pushes are counted.
//! Cost: one climb per face and edge pair that passes the arc test; milliseconds for a hundred faces.
//! Not promised: the least depth of two large bodies; `complete` says whether every facet was looked at.

use super::simplex::{Corner, Simplex};
use super::{careful, lift, proof};
use crate::Work;
use crate::double::{Double, Double3};
use crate::tolerance;
use clearance_geometry::{DVec3, Edge, EdgeId, FaceId, Feature, Polytope, Pose, Tolerance, VertexId};

/// The nearest facet of A − B, anchored frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    pub(crate) features: [Feature; 2],
    /// Unit, from A to B.
    pub(crate) normal: DVec3,
    /// Height of A − B along the normal; negative: the normal separates the bodies.
    pub(crate) depth: f64,
    pub(crate) points: [DVec3; 2],
    /// Whether all facets were looked at.
    pub(crate) complete: bool,
}

/// Edge pairs up to which all facets are looked at.
const MAX_EDGE_PAIRS: usize = 1 << 20;

/// The nearest facet: of all, or of those around the given vertices of both bodies where there are too many.
pub(crate) fn nearest_facet(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    around: [&[u32]; 2],
    tol: &Tolerance,
) -> Option<Deepest> {
    let complete = a.edge_count().max(1) * b.edge_count().max(1) <= MAX_EDGE_PAIRS;
    let mut search = Search { a, b, pose, tol, least: None, best: None };
    for face in faces_in(a, around[0], complete) {
        search.face_of_a(face);
    }
    for face in faces_in(b, around[1], complete) {
        search.face_of_b(face);
    }
    for edge_a in edges_in(a, around[0], complete) {
        for edge_b in edges_in(b, around[1], complete) {
            search.edges(edge_a, edge_b);
        }
    }
    let least = search.least?;
    // Equally deep facets of one contact differ by rounding; the one that holds its foot has the witnesses.
    let (found, holds) = match search.best {
        Some((best, _)) if best.depth <= least.depth + tol.length() => (best, true),
        _ => (least, false),
    };
    Some(Deepest { complete, ..search.settled(found, holds) })
}

/// The facet that a feature pair forms near the direction `toward`, in doubled precision, if it is one.
pub(crate) fn polished(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    features: [Feature; 2],
    toward: DVec3,
    tol: &Tolerance,
) -> Option<Deepest> {
    let mut search = Search { a, b, pose, tol, least: None, best: None };
    match features {
        [Feature::Face(face), _] => search.face_of_a(face),
        [_, Feature::Face(face)] => search.face_of_b(face),
        [Feature::Edge(ea), Feature::Edge(eb)] => search.edges_along(ea, eb, toward),
        _ => {}
    }
    search.best.map(|(found, _)| found)
}

/// All faces, or those around some vertices, perhaps more than once.
fn faces_in<'a>(body: &'a Polytope, around: &'a [u32], all: bool) -> impl Iterator<Item = FaceId> + 'a {
    let (count, near) = if all { (body.face_count() as u32, &[][..]) } else { (0, around) };
    (0..count).map(FaceId).chain(near.iter().flat_map(|&v| body.ring(VertexId(v)).faces.iter().copied()))
}

/// All edges, or those around some vertices, perhaps more than once.
fn edges_in<'a>(body: &'a Polytope, around: &'a [u32], all: bool) -> impl Iterator<Item = EdgeId> + 'a {
    let (count, near) = if all { (body.edge_count() as u32, &[][..]) } else { (0, around) };
    (0..count).map(EdgeId).chain(near.iter().flat_map(|&v| body.ring(VertexId(v)).edges.iter().copied()))
}

struct Search<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    pose: &'a Pose,
    tol: &'a Tolerance,
    /// The least height, whether or not its facet holds its foot.
    least: Option<Deepest>,
    /// The best facet that holds its foot, and how far inside.
    best: Option<(Deepest, f64)>,
}

impl Search<'_> {
    fn face_of_a(&mut self, face: FaceId) {
        let normal = face_normal(self.a, face);
        let lowest = careful::climb(self.b, 0, -normal.rotated_back(self.pose));
        let point = Double3::from(self.b.vertex(VertexId(lowest))).moved(self.pose);
        let depth = self.height(normal, self.a.sides(face)[0].vertex.0, lowest);
        let margin = margin_in(self.a, face, point.high());
        let features = [Feature::Face(face), Feature::Vertex(VertexId(lowest))];
        let points = [(point + normal.times(depth)).high(), point.high()];
        self.take(features, normal, depth, points, margin);
    }

    fn face_of_b(&mut self, face: FaceId) {
        let normal = -face_normal(self.b, face).rotated(self.pose);
        let highest = careful::climb(self.a, 0, normal);
        let point = Double3::from(self.a.vertex(VertexId(highest)));
        let depth = self.height(normal, highest, self.b.sides(face)[0].vertex.0);
        let margin = margin_in(self.b, face, self.pose.apply_inverse(point.high()));
        let features = [Feature::Vertex(VertexId(highest)), Feature::Face(face)];
        let points = [point.high(), (point - normal.times(depth)).high()];
        self.take(features, normal, depth, points, margin);
    }

    fn edges(&mut self, ea: EdgeId, eb: EdgeId) {
        let (edge_a, edge_b) = (self.a.edge(ea), self.b.edge(eb));
        let along_b = self.pose.rotate(edge_b.vector);
        let common = edge_a.vector.cross(along_b);
        let size_sq = edge_a.vector.length_squared() * along_b.length_squared();
        if !(common.length_squared() > tolerance::COLLINEAR_SQ * size_sq) {
            return;
        }
        let unit = common.normalize_or_zero();
        for normal in [unit, -unit] {
            // A generous test in plain arithmetic; the heights decide.
            let seen_b = -self.pose.rotate_inverse(normal);
            if arc_holds(edge_a, normal)
                && arc_holds(edge_b, seen_b)
                && self.may_be_best(edge_a, edge_b, normal)
            {
                self.edges_along(ea, eb, normal);
            }
        }
    }

    /// Whether the height along a normal, in plain arithmetic, comes near the least so far.
    fn may_be_best(&self, edge_a: &Edge, edge_b: &Edge, normal: DVec3) -> bool {
        let Some(best) = &self.least else { return true };
        let top = self.a.vertex(edge_a.vertices[0]);
        let bottom = self.pose.apply(self.b.vertex(edge_b.vertices[0]));
        // The edge itself bounds the height from below; nearly parallel edges leave their normal to rounding.
        normal.dot(top - bottom) <= best.depth + tolerance::CANDIDATE_REL * self.tol.scale()
    }

    fn edges_along(&mut self, ea: EdgeId, eb: EdgeId, toward: DVec3) {
        let (edge_a, edge_b) = (self.a.edge(ea), self.b.edge(eb));
        let ends = |body: &Polytope, edge: &Edge| edge.vertices.map(|v| Double3::from(body.vertex(v)));
        let [tail_a, head_a] = ends(self.a, edge_a);
        let [tail_b, head_b] = ends(self.b, edge_b).map(|p| p.moved(self.pose));
        let (along_a, along_b) = (head_a - tail_a, head_b - tail_b);
        let common = along_a.cross(along_b);
        let length = common.length();
        if !(length.high > 0.0) {
            return;
        }
        let unit = common.times(Double::from(1.0) / length);
        let normal = if unit.high().dot(toward) > 0.0 { unit } else { -unit };
        let depth = self.height(normal, edge_a.vertices[0].0, edge_b.vertices[0].0);
        let between = tail_b - tail_a;
        // Edges that do not carry the height of A − B are no facet.
        if !((depth + normal.dot(between)).high <= TIE_SHARE * self.tol.length()) {
            return;
        }
        let size = common.dot(common);
        let at_a = between.cross(along_b).dot(common) / size;
        let at_b = between.cross(along_a).dot(common) / size;
        let inside = |at: Double| at.high.min(1.0 - at.high);
        let margin = (inside(at_a) * along_a.length().high).min(inside(at_b) * along_b.length().high);
        let points = [(tail_a + along_a.times(at_a)).high(), (tail_b + along_b.times(at_b)).high()];
        self.take([Feature::Edge(ea), Feature::Edge(eb)], normal, depth, points, margin);
    }

    /// Height of A − B along a unit normal, climbing from a vertex of either body.
    fn height(&self, normal: Double3, from_a: u32, from_b: u32) -> Double {
        let highest = careful::climb(self.a, from_a, normal);
        let lowest = careful::climb(self.b, from_b, -normal.rotated_back(self.pose));
        let top = Double3::from(self.a.vertex(VertexId(highest)));
        normal.dot(top - Double3::from(self.b.vertex(VertexId(lowest))).moved(self.pose))
    }

    /// The facet with its foot, by pushing the bodies apart along its normal: then they touch where the foot lies.
    /// A facet between parallel faces, or edges parallel within rounding, is larger than each face with one
    /// vertex, so that none of its parts may hold the foot. Where the bodies are even apart, the direction between
    /// them is nearer than any face: the corners of a small face lie in one plane only within rounding, which
    /// leaves its normal uncertain by more than a large body beside it allows.
    fn settled(&self, facet: Deepest, holds: bool) -> Deepest {
        let Self { a, b, pose, tol, .. } = *self;
        let mut facet = facet;
        for round in 0..PUSHES {
            if !(facet.depth > tol.length()) {
                break;
            }
            let from =
                [proof::some_vertex(a, facet.features[0]).0, proof::some_vertex(b, facet.features[1]).0];
            let mut start = Simplex::default();
            start.push(Corner { a: from[0], b: from[1], ..Corner::default() });
            let push = facet.normal * facet.depth;
            let apart = pose.with_translation(pose.translation() + push);
            let Some(found) = careful::nearest(a, b, &apart, &start, tol, &mut Work::default()) else {
                break;
            };
            if found.meets && round == 0 && holds {
                break;
            }
            let points = [found.points[0], found.points[1] - push];
            facet.points = points;
            facet.features = lift::both_on_boundary(a, b, pose, facet.features, points, tol.length());
            if found.meets {
                break;
            }
            let height = self.height(Double3::from(found.normal), from[0], from[1]).high;
            if !(height < facet.depth) {
                break;
            }
            (facet.normal, facet.depth) = (found.normal, height);
        }
        facet
    }

    /// Keeps the least depth and, of the facets that hold their foot, the least deep with the widest hold.
    fn take(
        &mut self,
        features: [Feature; 2],
        normal: Double3,
        depth: Double,
        points: [DVec3; 2],
        margin: f64,
    ) {
        let found = Deepest { features, normal: normal.high(), depth: depth.high, points, complete: false };
        if self.least.as_ref().is_none_or(|least| found.depth < least.depth) {
            self.least = Some(found);
        }
        if !(margin >= -self.tol.length()) {
            return;
        }
        let tie = TIE_SHARE * self.tol.length();
        let better = self.best.as_ref().is_none_or(|(best, held)| {
            found.depth < best.depth - tie || (found.depth <= best.depth + tie && margin > *held)
        });
        if better {
            self.best = Some((found, margin));
        }
    }
}

/// Directions that a facet may be exchanged for; a tuning constant, for the first is the last but in nests of
/// nearly parallel faces.
const PUSHES: usize = 8;

/// Share of the touching distance within which two facets are equally deep; a tuning constant.
const TIE_SHARE: f64 = 1.0 / 16.0;

/// Whether a direction perpendicular to an edge may leave its body there, with slack for slivers.
fn arc_holds(edge: &Edge, direction: DVec3) -> bool {
    edge.inward.iter().all(|inward| inward.dot(direction) <= tolerance::ARC_REL)
}

/// The unit normal of a face from its widest triangle, in doubled precision.
fn face_normal(body: &Polytope, face: FaceId) -> Double3 {
    let sides = body.sides(face);
    let corner = |i: usize| body.vertex(sides[i].vertex);
    let first = corner(0);
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        (1..sides.len()).max_by(|&i, &j| measure(corner(i)).total_cmp(&measure(corner(j)))).unwrap_or(0)
    };
    let second = farthest(&|p| p.distance_squared(first));
    let third = farthest(&|p| (p - first).cross(corner(second) - first).length_squared());
    let [p, q, r] = [first, corner(second), corner(third)].map(Double3::from);
    let normal = (q - p).cross(r - p);
    let length = normal.length();
    if !(length.high > 0.0) {
        return Double3::from(body.plane(face).normal);
    }
    let unit = normal.times(Double::from(1.0) / length);
    if unit.high().dot(body.plane(face).normal) > 0.0 { unit } else { -unit }
}

/// How far inside the sides of a face a point projects.
fn margin_in(body: &Polytope, face: FaceId, point: DVec3) -> f64 {
    let inside = body.sides(face).iter().map(|side| side.inward.dot(point) - side.offset);
    inside.fold(f64::INFINITY, f64::min)
}

/// Two bodies without faces that meet: nothing overlaps, and any common perpendicular separates them.
pub(crate) fn thin_normal(a: &Polytope, b: &Polytope, pose: &Pose) -> DVec3 {
    let along = |body: &Polytope| body.edges().first().map(|edge| edge.vector);
    match (along(a), along(b).map(|v| pose.rotate(v))) {
        (Some(v), Some(w)) => {
            let (v, w) = (v.normalize_or_zero(), w.normalize_or_zero());
            let common = v.cross(w);
            let crossing = common.length_squared() > tolerance::PARALLEL_EDGES_SQ;
            let normal = if crossing { common } else { v.any_orthonormal_vector() };
            normal.normalize_or(DVec3::Z)
        }
        (Some(v), None) | (None, Some(v)) => v.normalize_or(DVec3::X).any_orthonormal_vector(),
        (None, None) => DVec3::Z,
    }
}
