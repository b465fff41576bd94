//! Convex polygons: corners, edges, the numbers they carry in the input.
//!
//! One type serves points (one corner), segments (two) and polygons, so that the kernels have one
//! code path. Coordinates are *anchored* as those of [`crate::Polytope`]: relative to
//! [`Polygon::anchor`], by a subtraction without rounding.

use super::PlanarMass;
use crate::{EdgeId, Feature, Note, VertexId};
use glam::DVec2;
use std::sync::Arc;

/// A convex polygon, immutable and cheap to clone.
///
/// Corners run counter-clockwise; edge `i` runs from corner `i` to the next. [`Polygon::label`] gives
/// the numbers of the input.
///
/// ```
/// use clearance_geometry::{DVec2, Polygon};
/// let square = Polygon::rectangle(DVec2::splat(2.0))?;
/// assert_eq!((square.vertex_count(), square.edge_count()), (4, 4));
/// assert_eq!(square.mass().area, 4.0);
/// # Ok::<(), clearance_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polygon {
    pub(super) data: Arc<Data>,
}

/// An edge, run counter-clockwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarEdge {
    /// Tail and head.
    pub vertices: [VertexId; 2],
    /// Head minus tail.
    pub vector: DVec2,
    /// Length of `vector`.
    pub length: f64,
    /// Unit normal, outward.
    pub normal: DVec2,
    /// `normal · x ≤ offset` holds within the body, anchored.
    pub offset: f64,
}

/// Everything about a polygon; built once.
#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) anchor: DVec2,
    pub(super) vertices: Vec<DVec2>,
    pub(super) vertex_labels: Vec<u32>,
    pub(super) sides: Vec<PlanarEdge>,
    pub(super) edge_labels: Vec<u32>,
    pub(super) center: DVec2,
    pub(super) inradius: f64,
    pub(super) radius: f64,
    pub(super) reach: f64,
    pub(super) mass: PlanarMass,
    pub(super) notes: Vec<Note>,
}

impl Polygon {
    /// 0 for a point, 1 for a segment, 2 for a polygon.
    #[inline]
    pub fn dimension(&self) -> usize {
        self.vertex_count().min(3) - 1
    }

    /// The body-frame point that anchored coordinates count from.
    #[inline]
    pub fn anchor(&self) -> DVec2 {
        self.data.anchor
    }

    /// Number of corners.
    #[inline]
    pub fn vertex_count(&self) -> usize {
        self.data.vertices.len()
    }

    /// Number of edges: none for a point, one for a segment.
    #[inline]
    pub fn edge_count(&self) -> usize {
        if self.dimension() == 1 { 1 } else { self.data.sides.len() }
    }

    /// All corners, anchored, counter-clockwise.
    #[inline]
    pub fn vertices(&self) -> &[DVec2] {
        &self.data.vertices
    }

    /// A corner, anchored.
    #[inline]
    pub fn vertex(&self, vertex: VertexId) -> DVec2 {
        self.data.vertices[vertex.index()]
    }

    /// A corner in the body frame, with the bits it was given.
    #[inline]
    pub fn body_vertex(&self, vertex: VertexId) -> DVec2 {
        self.vertex(vertex) + self.data.anchor
    }

    /// The next corner counter-clockwise; the other one of a segment.
    #[inline]
    pub fn next(&self, vertex: VertexId) -> VertexId {
        let next = vertex.index() + 1;
        VertexId(if next == self.vertex_count() { 0 } else { next as u32 })
    }

    /// The corner before this one, counter-clockwise.
    #[inline]
    pub fn previous(&self, vertex: VertexId) -> VertexId {
        VertexId(if vertex.0 == 0 { self.vertex_count() as u32 - 1 } else { vertex.0 - 1 })
    }

    /// An edge.
    #[inline]
    pub fn edge(&self, edge: EdgeId) -> &PlanarEdge {
        &self.data.sides[edge.index()]
    }

    /// Where the boundary runs: side `i` from corner `i` to the next. A segment has two, out and back
    /// along its one edge; a point has none.
    #[inline]
    pub fn sides(&self) -> &[PlanarEdge] {
        &self.data.sides
    }

    /// The edge under a side: the same number, but on a segment always edge 0.
    #[inline]
    pub fn edge_of_side(&self, side: usize) -> EdgeId {
        EdgeId(if self.dimension() == 1 { 0 } else { side as u32 })
    }

    /// The feature under its input number: corners by their index in the input, edges in the order of
    /// their (low, high) corner numbers.
    pub fn label(&self, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(v) => Feature::Vertex(VertexId(self.data.vertex_labels[v.index()])),
            Feature::Edge(e) => Feature::Edge(EdgeId(self.data.edge_labels[e.index()])),
            Feature::Face(_) => feature,
        }
    }

    /// The interior point of the ratio metric, anchored: the centroid unless one was given.
    #[inline]
    pub fn center(&self) -> DVec2 {
        self.data.center
    }

    /// Distance from the centre to the nearest edge; 0 for points and segments.
    #[inline]
    pub fn inradius(&self) -> f64 {
        self.data.inradius
    }

    /// Largest distance of a corner from the centre.
    #[inline]
    pub fn radius(&self) -> f64 {
        self.data.radius
    }

    /// Largest distance of a corner from the anchor.
    #[inline]
    pub fn reach(&self) -> f64 {
        self.data.reach
    }

    /// Area, centroid and second moment at unit density.
    pub fn mass(&self) -> &PlanarMass {
        &self.data.mass
    }

    /// What was repaired or assumed while the body was built.
    pub fn notes(&self) -> &[Note] {
        &self.data.notes
    }
}
