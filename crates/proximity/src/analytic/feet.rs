//! The point of a body's boundary nearest to a given point, where every face and edge has a closed formula.
//!
//! Source: the nearest point of a body is a nearest point of one of its features, each without its boundary. Off its axis a
//! plane, sphere, cylinder, cone nappe or torus has one point that no neighbour is nearer than, so that a trimmed face
//! has this one or none; on the axis a whole circle of them, of which a trim leaves all, none, or ends on an edge.
//! Differs: nothing to differ from.
//! Ends because: one pass over the features.
//! Cost: some tens of nanoseconds for each feature that is not farther away by its box.
//! Not promised: bodies with other surfaces or curves; they have no `Feet`.

use super::form::{Form, LocalFoot, Strand};
use crate::Parameters;
use crate::tolerance::{CLOSED_FORM_ERROR_REL, CUSP_RAD, TRIM_BOUNDARY_REL};
use clearance_geometry::bound::{Aabb, ConvexBound};
use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{ParametricSurface, Surface};
use clearance_geometry::tiled::{Face, Side, TiledBody, is_turn};
use clearance_geometry::{DVec2, DVec3, EdgeId, FaceId, Feature, VertexId};

/// Most features of a body that are looked at one by one.
const MOST_FEATURES: usize = 256;

/// A body whose features have closed formulas.
#[derive(Clone, Debug)]
pub(crate) struct Feet {
    body: TiledBody,
    faces: Vec<FaceForm>,
    edges: Vec<EdgeForm>,
    /// The largest coordinate.
    reach: f64,
    /// Half the diagonal of its box.
    size: f64,
    /// The largest gap between an edge and its faces.
    gap: f64,
    /// Whether faces fold back on each other at some edge: then they are too close together for a normal to tell a side.
    folded: bool,
}

#[derive(Clone, Copy, Debug)]
struct FaceForm {
    form: Form,
    trim: Trim,
    bound: Aabb<3>,
}

#[derive(Clone, Copy, Debug)]
struct EdgeForm {
    strand: Strand,
    gap: f64,
    bound: Aabb<3>,
}

/// Which feet belong to a face.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trim {
    Whole,
    /// Those with z in a range.
    Band(Range),
    /// Those of a plane within a circle: its centre and the square of its radius.
    Disc(DVec2, f64),
    /// What the face's region says.
    Region,
}

/// A nearest point of a boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foot {
    pub(crate) distance: f64,
    pub(crate) point: DVec3,
    pub(crate) feature: Feature,
    /// Proven: no boundary point is closer.
    pub(crate) lower: f64,
    local: Option<LocalFoot>,
}

impl Feet {
    /// `None` for bodies with other surfaces or curves, or with too many.
    pub(crate) fn of(body: &TiledBody) -> Option<Self> {
        if body.face_count() + body.edge_count() + body.vertex_count() > MOST_FEATURES {
            return None;
        }
        let face = |face: &Face| {
            let form = Form::of(&face.surface)?;
            let rect = face.region.bounds();
            if form.has_apex_within(rect.v) {
                return None;
            }
            Some(FaceForm { form, trim: Trim::of(body, face), bound: face.surface.aabb(rect) })
        };
        let faces = body.faces().iter().map(face).collect::<Option<Vec<_>>>()?;
        let edge = |edge: &clearance_geometry::tiled::TiledEdge| {
            let strand = Strand::of(&edge.curve, edge.range, edge.is_closed())?;
            Some(EdgeForm { strand, gap: edge.gap, bound: edge.curve.aabb(edge.range) })
        };
        let edges = body.edges().iter().map(edge).collect::<Option<Vec<_>>>()?;
        let bounds = body.aabb();
        let reach = bounds.low.iter().chain(&bounds.high).fold(0.0_f64, |most, x| most.max(x.abs()));
        let gap = edges.iter().fold(0.0_f64, |most, edge| most.max(edge.gap));
        let folded = body.edges().iter().any(|edge| edge.angles.iter().any(|angle| angle.abs() > CUSP_RAD));
        let size = bounds.half_extents().length();
        Some(Self { body: body.clone(), faces, edges, reach, size, gap, folded })
    }

    /// Half the diagonal of its box.
    pub(crate) const fn size(&self) -> f64 {
        self.size
    }

    /// The boundary point nearest to a point.
    #[inline]
    pub(crate) fn nearest(&self, point: DVec3) -> Foot {
        let nothing = Feature::Vertex(VertexId(0));
        let mut best =
            Foot { distance: f64::INFINITY, point, feature: nothing, lower: f64::INFINITY, local: None };
        for (at, face) in self.faces.iter().enumerate() {
            if self.faces.len() > 1 && beyond(&face.bound, point, best.distance) {
                continue;
            }
            let Some(local) = face.form.foot(point) else { continue };
            let distance = local.away.length();
            if distance < best.distance && face.trim.holds(&self.body.faces()[at], &face.form, &local) {
                best = Foot {
                    distance,
                    point: face.form.outside(local.at),
                    feature: Feature::Face(FaceId(at as u32)),
                    lower: distance,
                    local: Some(local),
                };
            }
        }
        for (at, edge) in self.edges.iter().enumerate() {
            if beyond(&edge.bound, point, best.distance.max(best.lower + self.gap)) {
                continue;
            }
            let Some(foot) = edge.strand.foot(point) else { continue };
            let (distance, feature) = (point.distance(foot), Feature::Edge(EdgeId(at as u32)));
            offer(&mut best, distance, edge.gap, foot, feature);
        }
        for (at, vertex) in self.body.vertices().iter().enumerate() {
            let feature = Feature::Vertex(VertexId(at as u32));
            offer(&mut best, point.distance(*vertex), self.gap, *vertex, feature);
        }
        let rounding = CLOSED_FORM_ERROR_REL * (self.reach + point.abs().max_element());
        best.lower = (best.lower - rounding).max(0.0);
        best
    }

    /// The parameters of a foot on its feature.
    pub(crate) fn parameters(&self, foot: &Foot) -> Parameters {
        match (foot.feature, &foot.local) {
            (Feature::Face(face), Some(local)) => {
                let at = self.faces[face.index()].form.parameters(local);
                Parameters::Surface(self.body.face(face).region.wrapped(at.x, at.y))
            }
            (Feature::Edge(edge), _) => {
                Parameters::Curve(self.edges[edge.index()].strand.parameter(foot.point))
            }
            _ => Parameters::None,
        }
    }

    /// Whether the point of a foot is on the side of the outward normal; `None` on edges and vertices, and for bodies with
    /// cusps.
    pub(crate) fn is_outside(&self, foot: &Foot) -> Option<bool> {
        if self.folded {
            return None;
        }
        let (Feature::Face(face), Some(local)) = (foot.feature, &foot.local) else { return None };
        let height = self.faces[face.index()].form.height(local);
        Some((height > 0.0) != self.body.face(face).reversed)
    }
}

#[inline]
fn offer(best: &mut Foot, distance: f64, gap: f64, point: DVec3, feature: Feature) {
    let lower = best.lower.min(distance - gap);
    if distance < best.distance {
        *best = Foot { distance, point, feature, lower, local: None };
    }
    best.lower = lower;
}

/// Whether a box is at least so far away.
#[inline]
fn beyond(bound: &Aabb<3>, point: DVec3, distance: f64) -> bool {
    let (low, high) = (DVec3::from_array(bound.low), DVec3::from_array(bound.high));
    let off = (low - point).max(point - high).max(DVec3::ZERO);
    off.length_squared() >= distance * distance
}

impl Trim {
    /// Whether a foot belongs to its face.
    #[inline]
    pub(super) fn holds(&self, face: &Face, form: &Form, local: &LocalFoot) -> bool {
        match self {
            Self::Whole => true,
            Self::Band(range) => range.contains(local.at.z),
            Self::Disc(center, square) => local.at.truncate().distance_squared(*center) <= *square,
            Self::Region => face.side(form.parameters(local)) != Side::Outside,
        }
    }

    pub(super) fn of(body: &TiledBody, face: &Face) -> Self {
        let domain = face.surface.domain();
        let turns = |range: Range, at: usize| is_turn(range.width(), face.surface.periods()[at]);
        if let Some(Rect { u, v }) = face.region.rect() {
            let slack = v.width() * TRIM_BOUNDARY_REL;
            match &face.surface {
                Surface::Sphere(_) if turns(u, 0) && v == domain.v => return Self::Whole,
                Surface::Torus(_) if turns(u, 0) && turns(v, 1) => return Self::Whole,
                Surface::Cylinder(_) | Surface::Cone(_) if turns(u, 0) => {
                    return Self::Band(Range::new(v.low - slack, v.high + slack));
                }
                _ => {}
            }
        }
        Self::disc(body, face).unwrap_or(Self::Region)
    }

    /// A flat face within one full circle.
    fn disc(body: &TiledBody, face: &Face) -> Option<Self> {
        let (Surface::Plane(plane), [only]) = (&face.surface, face.loops.as_slice()) else { return None };
        let [used] = only.as_slice() else { return None };
        let edge = body.edge(used.edge);
        let Strand::Round { center, x, y, radius, range: None } =
            Strand::of(&edge.curve, edge.range, edge.is_closed())?
        else {
            return None;
        };
        let center = plane.frame().apply_inverse(center);
        let normal = plane.frame().rotate_inverse(x.cross(y));
        let level = center.z.abs() <= TRIM_BOUNDARY_REL * radius
            && normal.truncate().length() <= TRIM_BOUNDARY_REL
            && face.tips.is_empty();
        let radius = radius * (1.0 + TRIM_BOUNDARY_REL);
        level.then_some(Self::Disc(center.truncate(), radius * radius))
    }
}
