//! Bodies tiled from curved faces: their surfaces, trimmed regions, edges and vertices.
//!
//! A [`TiledBody`] has the same feature graph as a polytope: faces are bounded by edges, edges by vertices
//! ([`TiledBody::boundary`], [`TiledBody::coboundary`]; 004 §2, 001 §IV). An edge may be a closed curve without a vertex;
//! a face may be a whole sphere without an edge.

mod build;
mod chain;
mod classify;
mod clip;
mod convexity;
mod cover;
mod crease;
mod deform;
mod draft;
mod error;
mod extent;
mod fold;
mod growth;
mod integral;
mod invert;
mod majorant;
mod mass;
mod matching;
mod nice;
mod orient;
mod outline;
mod patch;
mod primitive;
mod region;
mod revolve;
mod rule;
mod strip;
mod trace;
mod trimmed;

pub use clip::HalfPlane;
pub use convexity::{Convexity, Hollow};
pub use cover::Cover;
pub use deform::DeformingPatch;
pub use draft::{Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, ParameterCurve};
pub use error::TiledError;
pub use mass::TiledMass;
pub use nice::NicePatch;
pub use patch::Patch;
pub use region::{Region, Side};
pub use revolve::Segment;
pub use trimmed::{goes_around, is_turn};

pub(crate) use extent::{edge_box, face_box, is_within_edges};
pub(crate) use integral::{Integrands, over_region};
pub(crate) use majorant::Reach;

use crate::bound::Aabb;
use crate::convex::ConvexShape;
use crate::curve::{Curve, ParametricCurve, Range};
use crate::surface::home;
use crate::surface::{ParametricSurface, Surface, SurfaceJet};
use crate::{DVec2, DVec3, EdgeId, FaceId, Feature, VertexId};
use std::sync::{Arc, OnceLock};

/// A body with curved faces, immutable and cheap to clone.
///
/// ```
/// use clearance_geometry::tiled::{EdgeKind, TiledBody};
/// let pin = TiledBody::cylinder(1.0, 3.0)?;
/// assert_eq!((pin.face_count(), pin.edge_count(), pin.vertex_count()), (3, 2, 0));
/// assert!(pin.is_closed());
/// assert!(pin.edges().iter().all(|rim| rim.kind == EdgeKind::Convex));
/// assert!((pin.mass().volume - 3.0 * std::f64::consts::PI).abs() < 1e-12);
/// # Ok::<(), clearance_geometry::tiled::TiledError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TiledBody {
    data: Arc<Data>,
}

#[derive(Debug)]
struct Data {
    faces: Vec<Face>,
    edges: Vec<TiledEdge>,
    vertices: Vec<DVec3>,
    /// Edges at each vertex, and faces that touch it.
    vertex_edges: Vec<Vec<EdgeId>>,
    vertex_faces: Vec<Vec<FaceId>>,
    /// How far the ends of its edges may be from each vertex.
    vertex_gaps: Vec<f64>,
    /// The shell of each face.
    shells: Vec<u32>,
    open: Vec<OpenEdge>,
    notes: Vec<TiledNote>,
    bounds: OnceLock<Aabb<3>>,
    /// A box around the hulls of its features, on first use.
    hull: OnceLock<Aabb<3>>,
    tolerance: f64,
    mass: OnceLock<TiledMass>,
    convexity: OnceLock<(Vec<Convexity>, Convexity)>,
    nice: OnceLock<Vec<NicePatch>>,
    convex: OnceLock<Option<ConvexShape>>,
}

impl TiledBody {
    /// Whether the other is a clone of this one.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }
}

/// A face: the part of a surface over a region of its parameters.
#[derive(Clone, Debug)]
pub struct Face {
    /// The surface.
    pub surface: Surface,
    /// Whether the outward normal is against S_u × S_v.
    pub reversed: bool,
    /// The parameters that belong to it.
    pub region: Region,
    /// Its bounds: edges head to tail, the face on their left seen from outside.
    pub loops: Vec<Vec<EdgeUse>>,
    /// Vertices that are not on one of its edges: an apex or a pole.
    pub tips: Vec<VertexId>,
}

/// An edge as a loop runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeUse {
    /// The edge.
    pub edge: EdgeId,
    /// Whether the loop runs against the edge's parameter.
    pub reversed: bool,
}

/// An edge of a tiled body.
#[derive(Clone, Debug)]
pub struct TiledEdge {
    /// The curve.
    pub curve: Curve,
    /// The piece of it.
    pub range: Range,
    /// Where it begins and ends; none for a closed curve without a vertex.
    pub vertices: Option<[VertexId; 2]>,
    /// The face that runs along it and the one that runs against it; both are one face on a seam.
    pub faces: [Option<FaceId>; 2],
    /// How the faces meet.
    pub kind: EdgeKind,
    /// The angles between the outward normals of its faces, positive where convex: the least and the greatest of some
    /// samples; radians, both 0 on an open edge.
    pub angles: [f64; 2],
    /// How far the sides of its two faces are apart; a length.
    pub gap: f64,
}

/// How two faces meet in an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EdgeKind {
    /// The material makes an angle of less than 180°.
    Convex,
    /// More than 180°.
    Reflex,
    /// 180°, along all of the edge.
    Smooth,
    /// Convex in one place and reflex in another.
    Mixed,
    /// It has one face only.
    Open,
}

/// An edge with one face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenEdge {
    /// The edge.
    pub edge: EdgeId,
    /// Distance to the nearest other open edge, the greatest along this one; infinite where there is none. A length.
    pub gap: f64,
}

/// What was repaired or assumed while a tiled body was built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TiledNote {
    /// The body was inside-out and has been turned.
    Turned,
    /// Faces that looked the other way than their neighbours have been turned.
    TurnedFaces {
        /// The faces.
        faces: Vec<FaceId>,
    },
    /// Loops that went around what is not the face, with its seam in that, have been turned.
    TurnedLoops {
        /// The faces.
        faces: Vec<FaceId>,
    },
    /// Edges are farther from the surfaces of their faces than the tolerance.
    LooseEdges {
        /// How many uses of edges.
        count: usize,
        /// The farthest; a length.
        gap: f64,
    },
    /// Sides of patches that are single points became vertices.
    CollapsedSides {
        /// How many.
        count: usize,
    },
    /// Sides of patches that were not exactly equal were joined.
    JoinedSides {
        /// How many edges.
        count: usize,
        /// The widest distance; a length.
        gap: f64,
    },
    /// Faces fold, or may be torn, along a knot of their surface without an edge there.
    FoldedFaces {
        /// The faces.
        faces: Vec<FaceId>,
    },
}

/// The region that closed curves of the plane z = 0 enclose, each loop with it on its left.
pub(crate) fn planar_region(
    edges: &[DraftEdge],
    loops: &[DraftLoop],
    gap: f64,
) -> Result<Region, TiledError> {
    let plane = crate::surface::Plane::new(crate::Pose::IDENTITY).into();
    let builder = chain::Builder::new(FaceId(0), &plane, false, edges, [gap, gap]);
    builder.region(loops, None).map(|found| found.region)
}

impl Face {
    /// The point at (u, v); parameters of a periodic surface may leave the domain.
    pub fn point(&self, at: DVec2) -> DVec3 {
        home::jet(&self.surface, at).point
    }

    /// The point with its derivatives.
    pub fn jet(&self, at: DVec2) -> SurfaceJet {
        home::jet(&self.surface, at)
    }

    /// The unit normal that points out of the body; `None` at an apex.
    pub fn normal(&self, at: DVec2) -> Option<DVec3> {
        let at = home::wrapped(&self.surface, at);
        let normal = self.surface.normal(at.x, at.y)?;
        Some(if self.reversed { -normal } else { normal })
    }

    /// Whether (u, v) belongs to the face.
    pub fn side(&self, at: DVec2) -> Side {
        self.region.side(at.x, at.y)
    }
}

impl TiledEdge {
    /// The point at `t`.
    pub fn point(&self, t: f64) -> DVec3 {
        trace::wrapped_jet(&self.curve, t).point
    }

    /// The point at `t` with its derivatives.
    pub fn jet(&self, t: f64) -> crate::curve::CurveJet {
        trace::wrapped_jet(&self.curve, t)
    }

    /// Whether it returns to its start.
    pub fn is_closed(&self) -> bool {
        self.vertices.is_none_or(|[from, to]| from == to)
    }

    /// Whether both sides belong to the same face.
    pub fn is_seam(&self) -> bool {
        self.faces[0].is_some() && self.faces[0] == self.faces[1]
    }

    /// Whether the curve covers the range, periodic ones up to their period.
    fn covers_range(&self) -> bool {
        let domain = self.curve.domain();
        self.range.is_bounded() && (self.curve.period().is_some() || domain.encloses(self.range))
    }
}

impl TiledBody {
    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.data.faces.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.data.edges.len()
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.data.vertices.len()
    }

    /// All faces, by id.
    pub fn faces(&self) -> &[Face] {
        &self.data.faces
    }

    /// All edges, by id.
    pub fn edges(&self) -> &[TiledEdge] {
        &self.data.edges
    }

    /// All vertices, by id.
    pub fn vertices(&self) -> &[DVec3] {
        &self.data.vertices
    }

    /// A face.
    pub fn face(&self, face: FaceId) -> &Face {
        &self.data.faces[face.index()]
    }

    /// An edge.
    pub fn edge(&self, edge: EdgeId) -> &TiledEdge {
        &self.data.edges[edge.index()]
    }

    /// A vertex.
    pub fn vertex(&self, vertex: VertexId) -> DVec3 {
        self.data.vertices[vertex.index()]
    }

    /// How far the ends of its edges may be from a vertex, with the gaps of the edges themselves and rounding; a length.
    pub fn vertex_gap(&self, vertex: VertexId) -> f64 {
        self.data.vertex_gaps[vertex.index()]
    }

    /// A box around a feature and all that its gap allows for, larger than needed, at little cost.
    pub fn feature_box(&self, feature: Feature) -> Aabb<3> {
        let (around, gap) = match feature {
            Feature::Face(face) => (face_box(self.face(face)), 0.0),
            Feature::Edge(edge) => (edge_box(self.edge(edge)), self.edge(edge).gap),
            Feature::Vertex(vertex) => (Aabb::from_points([self.vertex(vertex)]), self.vertex_gap(vertex)),
        };
        around.inflated(gap + self.tolerance())
    }

    /// A box around the body, hardly larger than needed; computed on first use.
    pub fn aabb(&self) -> Aabb<3> {
        *self.data.bounds.get_or_init(|| extent::body_box(self))
    }

    /// A box around the body, larger than needed, at little cost; computed on first use.
    pub fn hull_box(&self) -> Aabb<3> {
        *self.data.hull.get_or_init(|| extent::hull_box(self))
    }

    /// The body prepared for support queries, on first use; `None` unless it is known to be convex and every face has a
    /// support function.
    pub fn convex_shape(&self) -> Option<&ConvexShape> {
        self.data.convex.get_or_init(|| ConvexShape::of_body(self)).as_ref()
    }

    /// How far apart points may be that count as one; a length.
    pub fn tolerance(&self) -> f64 {
        self.data.tolerance
    }

    /// What was repaired or assumed.
    pub fn notes(&self) -> &[TiledNote] {
        &self.data.notes
    }

    /// Whether every edge has two faces.
    pub fn is_closed(&self) -> bool {
        self.data.open.is_empty()
    }

    /// The edges with one face.
    pub fn open_edges(&self) -> &[OpenEdge] {
        &self.data.open
    }

    /// Nothing for a closed body.
    ///
    /// # Errors
    /// [`TiledError::OpenEdge`] with the first open edge.
    pub fn check_closed(&self) -> Result<(), TiledError> {
        self.data
            .open
            .first()
            .map_or(Ok(()), |open| Err(TiledError::OpenEdge { edge: open.edge, gap: open.gap }))
    }

    /// Number of connected pieces of the surface.
    pub fn shell_count(&self) -> usize {
        self.data.shells.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// The connected piece that a face belongs to.
    pub fn shell(&self, face: FaceId) -> usize {
        self.data.shells[face.index()] as usize
    }

    /// The features one dimension lower on the boundary of this one: edges of a face (and its apex or pole, if it has
    /// one), vertices of an edge. Each once, in ascending order.
    pub fn boundary(&self, feature: Feature) -> Vec<Feature> {
        let mut found = match feature {
            Feature::Face(face) => {
                let face = self.face(face);
                let edges = face.loops.iter().flatten().map(|used| Feature::Edge(used.edge));
                edges.chain(face.tips.iter().map(|&tip| Feature::Vertex(tip))).collect()
            }
            Feature::Edge(edge) => {
                let ends = self.edge(edge).vertices;
                ends.into_iter().flatten().map(Feature::Vertex).collect()
            }
            Feature::Vertex(_) => Vec::new(),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The features that this one bounds: faces of an edge, edges of a vertex (and the faces of which it is the apex or
    /// pole). Each once, in ascending order.
    pub fn coboundary(&self, feature: Feature) -> Vec<Feature> {
        let mut found: Vec<Feature> = match feature {
            Feature::Face(_) => Vec::new(),
            Feature::Edge(edge) => self.edge(edge).faces.into_iter().flatten().map(Feature::Face).collect(),
            Feature::Vertex(vertex) => {
                let edges = self.data.vertex_edges[vertex.index()].iter().map(|&e| Feature::Edge(e));
                let faces = self.data.vertex_faces[vertex.index()].iter().map(|&f| Feature::Face(f));
                edges.chain(faces).collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The parameters on `face` of the point of `edge` at `t`; of a seam those on the side that the face runs along
    /// (`against` false) or against. Meaningless for a face that the edge does not belong to.
    pub fn parameters(&self, face: FaceId, edge: EdgeId, t: f64, against: bool) -> DVec2 {
        let (face, point) = (self.face(face), self.edge(edge).point(t));
        // Chains of a reversed face run against its loops.
        face.region.parameters_of(edge, t, point, against != face.reversed)
    }
}
