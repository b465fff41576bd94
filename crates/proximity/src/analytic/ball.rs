//! The boundary point nearest to the middle of a ball, of a body that is asked about for the first time, or nearly all of whose
//! features have formulas.
//!
//! Source: as `feet`: the nearest point of a body is a nearest point of one of its features, most of which have formulas.
//! Differs: nothing is made ready. Vertices come first, then edges, then faces, nearest first, so that only a trim or two are
//! asked for. Features without a formula are cut into pieces and searched where their boxes are nearer than all the others.
//! Ends because: one pass over the features, and at most one search.
//! Cost: some hundred instructions for each feature; of the few without a formula, a box, and seldom a search.
//! Not promised: bodies of which many features have no formula, and those that all but touch: they have no answer here.

use super::feet::Trim;
use super::form::{Form, LocalFoot, Strand};
use crate::global::{Demand, PointField, Prepared, witness};
use crate::tolerance::CLOSED_FORM_ERROR_REL;
use crate::{Parameters, Witness};
use clearance_geometry::bound::Aabb;
use clearance_geometry::pieces;
use clearance_geometry::tiled::{Face, TiledBody, TiledEdge};
use clearance_geometry::{Body, DVec3, EdgeId, FaceId, Feature, LeafShape, Pose, VertexId};

/// Features for each that has no formula, at least: where there are fewer, all are cut into pieces.
const LEAST_SHARE: usize = 3;

/// Features for each that has no formula, where the body is asked about feature by feature every time. Fewer: the features that
/// are left are near most often, and cut again and again. More: cells are kept of bodies whose feet are found faster.
const NEARLY_ALL: usize = 8;

/// The nearest point of a body's boundary.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearFoot {
    pub(super) distance: f64,
    /// In the body's frame.
    pub(super) witness: Witness,
    /// Proven: no boundary point is closer.
    pub(super) lower: f64,
}

/// A part of a body that stands in its frame.
struct Part<'a> {
    leaf: u32,
    body: &'a TiledBody,
    pose: Pose,
    /// The point asked about, in the part's frame.
    point: DVec3,
}

/// What is nearest so far, by its part.
#[derive(Clone, Copy)]
struct Best {
    distance: f64,
    part: usize,
    feature: Feature,
    point: DVec3,
    parameters: Parameters,
}

/// A foot on the surface of a face that may be outside its trims.
struct Candidate {
    distance: f64,
    part: usize,
    face: FaceId,
    form: Form,
    local: LocalFoot,
}

struct Search<'a> {
    parts: Vec<Part<'a>>,
    best: Option<Best>,
    lower: f64,
    candidates: Vec<Candidate>,
    /// Features without a formula, by their part.
    left: Vec<(usize, Feature)>,
    /// Numbers of this size went into feet.
    reach: f64,
}

/// The nearest point of the boundary of a body of curved faces, or of a union of such, to a point in its frame. `demand` is
/// for the search of features that have no formula.
pub(super) fn nearest(body: &Body, point: DVec3, demand: &Demand) -> Option<NearFoot> {
    let mut search = Search {
        parts: parts(body, point)?,
        best: None,
        lower: f64::INFINITY,
        candidates: Vec::new(),
        left: Vec::new(),
        reach: point.abs().max_element(),
    };
    let count: usize = search.parts.iter().map(|part| part.body.face_count() + part.body.edge_count()).sum();
    for at in 0..search.parts.len() {
        search.look_at_vertices(at);
        search.look_at_edges(at);
    }
    for at in 0..search.parts.len() {
        search.look_at_faces(at);
    }
    if LEAST_SHARE * search.left.len() > count {
        return None;
    }
    search.settle();
    search.found(body, point, demand)
}

/// Whether nearly all features of a body have formulas: then it is never cut as a whole for a ball, however often it is asked
/// about.
pub(super) fn has_formulas(body: &Body) -> bool {
    let Some(parts) = parts(body, DVec3::ZERO) else { return false };
    let (mut count, mut left) = (0, 0);
    for Part { body, .. } in &parts {
        count += body.face_count() + body.edge_count();
        let has_none = |edge: &&TiledEdge| Strand::of(&edge.curve, edge.range, edge.is_closed()).is_none();
        left += body.edges().iter().filter(has_none).count();
        left += body.faces().iter().filter(|face| form_of(face).is_none()).count();
    }
    NEARLY_ALL * left <= count
}

/// The form of a face, if it has one all over.
fn form_of(face: &Face) -> Option<Form> {
    Form::of(&face.surface).filter(|form| !form.has_apex_within(face.region.bounds().v))
}

/// The parts of a body; `None` where one has no curved faces.
fn parts(body: &Body, point: DVec3) -> Option<Vec<Part<'_>>> {
    match body.whole() {
        Body::Tiled(body) => Some(vec![Part { leaf: 0, body, pose: Pose::IDENTITY, point }]),
        Body::Union(tree) => {
            let leaves = tree.leaves().iter().enumerate();
            let part = leaves.map(|(at, leaf)| match &leaf.shape {
                LeafShape::Tiled(body) => {
                    let point = leaf.pose.apply_inverse(point);
                    Some(Part { leaf: at as u32, body, pose: leaf.pose, point })
                }
                LeafShape::Polytope(_) => None,
            });
            part.collect()
        }
        _ => None,
    }
}

impl Search<'_> {
    fn distance(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |best| best.distance)
    }

    /// Takes a point of a feature into account, from whose neighbours it may be off by a gap.
    fn offer(&mut self, best: Best, gap: f64) {
        self.lower = self.lower.min(best.distance - gap);
        if best.distance < self.distance() {
            self.best = Some(best);
        }
    }

    fn look_at_vertices(&mut self, at: usize) {
        let (body, point) = (self.parts[at].body, self.parts[at].point);
        self.reach = self.reach.max(point.abs().max_element());
        for (index, vertex) in body.vertices().iter().enumerate() {
            let (id, distance) = (VertexId(index as u32), point.distance(*vertex));
            self.reach = self.reach.max(vertex.abs().max_element());
            let feature = Feature::Vertex(id);
            let best = Best { distance, part: at, feature, point: *vertex, parameters: Parameters::None };
            self.offer(best, body.vertex_gap(id));
        }
    }

    fn look_at_edges(&mut self, at: usize) {
        let (body, point) = (self.parts[at].body, self.parts[at].point);
        for (index, edge) in body.edges().iter().enumerate() {
            let feature = Feature::Edge(EdgeId(index as u32));
            let Some(strand) = Strand::of(&edge.curve, edge.range, edge.is_closed()) else {
                self.left.push((at, feature));
                continue;
            };
            self.reach = self.reach.max(strand.reach());
            let foot = strand.foot_around(point);
            let distance = point.distance(foot);
            // Written so that NaN is looked at.
            if distance >= self.distance() && distance - edge.gap >= self.lower || !strand.has_foot(point) {
                continue;
            }
            let parameters = Parameters::Curve(strand.parameter(point));
            self.offer(Best { distance, part: at, feature, point: foot, parameters }, edge.gap);
        }
    }

    /// Feet on the surfaces of faces that are nearer than what is known.
    fn look_at_faces(&mut self, at: usize) {
        let (body, point) = (self.parts[at].body, self.parts[at].point);
        for (index, face) in body.faces().iter().enumerate() {
            let id = FaceId(index as u32);
            let Some(form) = form_of(face) else {
                self.left.push((at, Feature::Face(id)));
                continue;
            };
            self.reach = self.reach.max(form.reach());
            let Some(local) = form.foot(point) else { continue };
            let distance = local.away.length();
            if !(distance >= self.distance()) {
                self.candidates.push(Candidate { distance, part: at, face: id, form, local });
            }
        }
    }

    /// Takes the nearest foot on a surface that belongs to its face.
    fn settle(&mut self) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_by(|one, other| one.distance.total_cmp(&other.distance));
        for Candidate { distance, part, face: id, form, local } in candidates {
            if distance >= self.distance() {
                break;
            }
            let body = self.parts[part].body;
            let face = body.face(id);
            if Trim::of(body, face).holds(face, &form, &local) {
                let at = form.parameters(&local);
                let parameters = Parameters::Surface(face.region.wrapped(at.x, at.y));
                let feature = Feature::Face(id);
                self.offer(Best { distance, part, feature, point: form.outside(local.at), parameters }, 0.0);
            }
        }
    }

    /// The answer, with what is left searched where its boxes may be nearer.
    fn found(mut self, body: &Body, point: DVec3, demand: &Demand) -> Option<NearFoot> {
        let some = self.distance();
        let is_near = |(part, feature): &(usize, Feature)| {
            let part = &self.parts[*part];
            // Written so that NaN is near.
            !(beyond(&part.body.feature_box(*feature), part.point) > some)
        };
        let near: Vec<(u32, Feature)> =
            self.left.iter().filter(|left| is_near(left)).map(|(at, f)| (self.parts[*at].leaf, *f)).collect();
        let rounding = CLOSED_FORM_ERROR_REL * 2.0 * self.reach;
        self.lower -= rounding;
        let own = self.best.map(|best| {
            let part = &self.parts[best.part];
            let Best { feature, parameters, .. } = best;
            let witness =
                Witness { point: part.pose.apply(best.point), feature, leaf: part.leaf, parameters };
            (best.distance, witness)
        });
        if near.is_empty() {
            let (distance, witness) = own?;
            return Some(NearFoot { distance, witness, lower: self.lower });
        }
        let tree = pieces::of_features(body, |leaf, feature| near.contains(&(leaf, feature))).ok()?;
        let bound = tree.root().bound;
        let ready = Prepared::of_part(body, tree, (bound.center, bound.half.length()));
        let found = PointField::default().nearest_below(&ready, point, demand, some)?;
        let searched = found.nearest.map(|near| {
            let piece = &ready.tree().leaves()[near.pieces[0] as usize];
            (near.distance, witness(piece, near.local[0], near.points[0]))
        });
        let (distance, witness) = searched.or(own).filter(|_| found.proven)?;
        Some(NearFoot { distance, witness, lower: self.lower.min(found.lower) })
    }
}

/// How far a point is outside a box, at least.
fn beyond(bound: &Aabb<3>, point: DVec3) -> f64 {
    let (low, high) = (DVec3::from_array(bound.low), DVec3::from_array(bound.high));
    let off = (low - point).max(point - high).max(DVec3::ZERO);
    off.length() * (1.0 - CLOSED_FORM_ERROR_REL)
}
