//! Convex polytopes: vertices, edges and faces with their feature graph.
//!
//! One type serves points (one vertex), segments (two vertices, one edge) and solids, so that the
//! kernels have one code path. All coordinates here are *anchored*: relative to [`Polytope::anchor`],
//! a point of the body frame chosen so that the subtraction is exact. A body modelled a million
//! diameters from its origin therefore keeps all its digits.

mod assemble;
mod blunt;
mod build;
mod cloud;
mod given;
mod graph;
mod half_spaces;
mod hull;
mod kernel;
mod locality;
mod mass;
mod merge;
mod reduce;
mod start;
mod support;
mod twofold;
mod voronoi;

pub use mass::Mass;
pub use voronoi::VoronoiPlane;

use crate::{DMat3, DVec3, EdgeId, FaceId, Feature, Kind, Plane, VertexId};
use kernel::Kernel;
use start::StartTable;
use std::sync::Arc;

/// A convex polytope, immutable and cheap to clone.
///
/// ```
/// use clearance_geometry::{DVec3, Polytope};
/// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
/// assert_eq!((cube.vertex_count(), cube.edge_count(), cube.face_count()), (8, 12, 6));
/// # Ok::<(), clearance_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polytope {
    data: Arc<Data>,
    center: Center,
}

/// The interior point of the ratio metric, anchored, and what is measured from it. It stands outside
/// the shared data, so that another centre costs no copy.
#[derive(Clone, Copy, Debug)]
struct Center {
    point: DVec3,
    inradius: f64,
    radius: f64,
}

/// What was repaired or assumed while a body was built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// The faces were all inside-out and have been turned.
    Turned,
    /// Vertices that repeat another or are not corners were left out.
    DroppedVertices {
        /// Their indices in the input.
        vertices: Vec<u32>,
    },
    /// Coplanar faces were merged into polygons.
    MergedFaces {
        /// Number of input faces that went into another one.
        merged: usize,
    },
    /// Half-spaces that do not touch the body were left out.
    DroppedHalfSpaces {
        /// Their indices in the input.
        half_spaces: Vec<u32>,
    },
}

/// One way out of a vertex along an edge.
#[derive(Clone, Copy, Debug)]
pub struct Spoke {
    /// From the vertex to its neighbour; an exact difference where the two are close.
    pub vector: DVec3,
    /// Rounding of a product of this vector with a direction, per unit of that direction's length.
    pub slack: f32,
    /// The neighbour.
    pub vertex: VertexId,
}

/// The neighbourhood of a vertex, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub struct Ring<'a> {
    /// Ways to the neighbours.
    pub spokes: &'a [Spoke],
    /// Edge of each spoke.
    pub edges: &'a [EdgeId],
    /// Face between each spoke and the next.
    pub faces: &'a [FaceId],
}

/// An edge with its two faces.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Tail and head; the tail has the lower label.
    pub vertices: [VertexId; 2],
    /// Left and right face seen from outside with the head up; [`Edge::NO_FACE`] on a segment.
    pub faces: [FaceId; 2],
    /// Head minus tail.
    pub vector: DVec3,
    /// Unit vectors across the edge into the left and the right face; zero on a segment.
    pub inward: [DVec3; 2],
}

impl Edge {
    /// Stands where a segment has no face.
    pub const NO_FACE: FaceId = FaceId(u32::MAX);
}

/// One side of a face.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Unit vector in the face's plane, across the side, into the face.
    pub inward: DVec3,
    /// `inward · x ≥ offset` holds within the face.
    pub offset: f64,
    /// Where the side starts; the face lies to its left seen from outside.
    pub vertex: VertexId,
    /// Its edge.
    pub edge: EdgeId,
}

/// The sides of a face in counter-clockwise order seen from outside.
pub type Sides<'a> = &'a [Side];

/// Everything about a polytope; built once by `assemble`.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) kind: Kind,
    pub(crate) anchor: DVec3,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) vertex_labels: Vec<u32>,
    /// First spoke of each vertex, and the number of spokes.
    pub(crate) ring_starts: Vec<u32>,
    /// End of each vertex's ring; chords follow, which only a climb reads.
    pub(crate) ring_ends: Vec<u32>,
    pub(crate) spokes: Vec<Spoke>,
    /// Whether the spokes of each vertex are nearly in one plane.
    pub(crate) blunt: Vec<bool>,
    /// The largest slack of a spoke.
    pub(crate) most_slack: f64,
    pub(crate) spoke_edges: Vec<EdgeId>,
    pub(crate) spoke_faces: Vec<FaceId>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) planes: Vec<Plane>,
    pub(crate) edge_labels: Vec<u32>,
    pub(crate) face_labels: Vec<u32>,
    pub(crate) side_starts: Vec<u32>,
    pub(crate) sides: Vec<Side>,
    pub(crate) start: StartTable,
    pub(crate) spread: DMat3,
    pub(crate) oblong: bool,
    pub(crate) kernel: Kernel,
    pub(crate) reach: f64,
    pub(crate) mass: Mass,
    pub(crate) notes: Vec<Note>,
    pub(crate) fingerprint: u64,
}

impl Polytope {
    /// What the body was made as: a point, a segment, a box or a polytope.
    pub fn kind(&self) -> Kind {
        self.data.kind
    }

    /// The body-frame point that anchored coordinates count from.
    #[inline]
    pub fn anchor(&self) -> DVec3 {
        self.data.anchor
    }

    /// Number of vertices.
    #[inline]
    pub fn vertex_count(&self) -> usize {
        self.data.vertices.len()
    }

    /// Number of edges.
    #[inline]
    pub fn edge_count(&self) -> usize {
        self.data.edges.len()
    }

    /// Number of faces; 0 for points and segments.
    #[inline]
    pub fn face_count(&self) -> usize {
        self.data.planes.len()
    }

    /// All vertices, anchored.
    #[inline]
    pub fn vertices(&self) -> &[DVec3] {
        &self.data.vertices
    }

    /// A vertex, anchored.
    #[inline]
    pub fn vertex(&self, vertex: VertexId) -> DVec3 {
        self.data.vertices[vertex.index()]
    }

    /// A vertex in the body frame, with the bits it was given.
    pub fn body_vertex(&self, vertex: VertexId) -> DVec3 {
        self.vertex(vertex) + self.data.anchor
    }

    /// The neighbourhood of a vertex (its coboundary and what lies beyond).
    #[inline]
    pub fn ring(&self, vertex: VertexId) -> Ring<'_> {
        let range =
            self.data.ring_starts[vertex.index()] as usize..self.data.ring_ends[vertex.index()] as usize;
        Ring {
            spokes: &self.data.spokes[range.clone()],
            edges: &self.data.spoke_edges[range.clone()],
            faces: self.data.spoke_faces.get(range).unwrap_or(&[]),
        }
    }

    /// The ways out of a vertex along its edges, in the order of its ring.
    #[inline]
    pub fn spokes(&self, vertex: VertexId) -> &[Spoke] {
        let start = self.data.ring_starts[vertex.index()] as usize;
        let end = self.data.ring_ends[vertex.index()] as usize;
        &self.data.spokes[start..end]
    }

    /// What a climb reads: the spokes, then chords across faces that are flat only to rounding. With
    /// these, a vertex that none of them leaves upward is highest; with the spokes alone it may lie
    /// below the far end of such a face by more than rounding.
    #[inline]
    pub fn climb_spokes(&self, vertex: VertexId) -> &[Spoke] {
        self.data.climb_spokes(vertex)
    }

    /// An edge.
    #[inline]
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.data.edges[edge.index()]
    }

    /// All edges.
    pub fn edges(&self) -> &[Edge] {
        &self.data.edges
    }

    /// The edge between two vertices, if there is one.
    #[inline]
    pub fn edge_between(&self, tail: VertexId, head: VertexId) -> Option<EdgeId> {
        let ring = self.ring(tail);
        let at = ring.spokes.iter().position(|spoke| spoke.vertex == head)?;
        Some(ring.edges[at])
    }

    /// The plane of a face, anchored, normal outward.
    #[inline]
    pub fn plane(&self, face: FaceId) -> &Plane {
        &self.data.planes[face.index()]
    }

    /// The planes of all faces, anchored.
    #[inline]
    pub fn planes(&self) -> &[Plane] {
        &self.data.planes
    }

    /// Whether the other is a clone of this one, with the same centre.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// The sides of a face (its boundary), counter-clockwise seen from outside.
    #[inline]
    pub fn sides(&self, face: FaceId) -> Sides<'_> {
        let start = self.data.side_starts[face.index()] as usize;
        let end = self.data.side_starts[face.index() + 1] as usize;
        &self.data.sides[start..end]
    }

    /// The feature under its input number: vertices and faces as they were numbered in the input
    /// (see `formats.md`), edges in the order of their vertices' labels.
    pub fn label(&self, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(v) => Feature::Vertex(VertexId(self.data.vertex_labels[v.index()])),
            Feature::Edge(e) => Feature::Edge(EdgeId(self.data.edge_labels[e.index()])),
            Feature::Face(f) => Feature::Face(FaceId(self.data.face_labels[f.index()])),
        }
    }

    /// The interior point of the ratio metric, anchored: the mass centre unless one was given.
    #[inline]
    pub fn center(&self) -> DVec3 {
        self.center.point
    }

    /// Distance from the centre to the nearest face; 0 for points and segments.
    #[inline]
    pub fn inradius(&self) -> f64 {
        self.center.inradius
    }

    /// Largest distance of a vertex from the centre.
    #[inline]
    pub fn radius(&self) -> f64 {
        self.center.radius
    }

    /// The ellipsoid `x·spread⁻¹x = 1` that a body with such a scatter of vertices resembles, about its
    /// vertices' mean: the squares of its half axes. Singular for points, segments and flat clouds.
    #[inline]
    pub fn spread(&self) -> &DMat3 {
        &self.data.spread
    }

    /// Whether that ellipsoid is clearly not a ball.
    #[inline]
    pub fn is_oblong(&self) -> bool {
        self.data.oblong
    }

    /// Largest distance of a vertex from the anchor.
    #[inline]
    pub fn reach(&self) -> f64 {
        self.data.reach
    }

    /// Volume, mass centre and inertia at unit density.
    pub fn mass(&self) -> &Mass {
        &self.data.mass
    }

    /// What was repaired or assumed while the body was built.
    pub fn notes(&self) -> &[Note] {
        &self.data.notes
    }

    /// A number computed from all vertices and faces: equal bodies have equal ones, and two different
    /// bodies the same one with probability 2⁻⁶⁴. Trackers use it to notice a changed body.
    #[inline]
    pub fn fingerprint(&self) -> u64 {
        self.data.fingerprint
    }

    /// A vertex far out in `direction`, from a table over directions: where a climb starts after a jump.
    #[inline]
    pub fn start_vertex(&self, direction: DVec3) -> VertexId {
        self.data.start.vertex(direction)
    }
}
