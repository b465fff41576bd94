//! Exterior Voronoi cells: for each feature the points outside the body that are nearest to it.
//!
//! Source: 003, section 3.2.
//! Differs: the planes are read from the stored edges and sides as they are asked for, so that no
//! second table goes out of step; a face's prism has no bottom, since only the outside is meant.
//! Ends because: no loops but over a feature's own boundary and coboundary.
//! Cost: one plane per neighbour; no allocation.
//! Not promised: constant size; a vertex of degree n has n planes, a face of n sides too.

use super::twofold::unit;
use super::{Edge, Polytope};
use crate::{DVec3, EdgeId, FaceId, Feature, Plane, VertexId};

/// One wall of a cell. A point is on the cell's side when `plane.distance(point) <= 0`; beyond it,
/// `neighbor` is nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoronoiPlane {
    /// The wall, anchored, its normal pointing into the neighbour's cell.
    pub plane: Plane,
    /// The feature on the other side; its dimension is one less or one more.
    pub neighbor: Feature,
}

impl Polytope {
    /// The walls of a feature's exterior Voronoi cell: of a vertex one per edge, of an edge two at its
    /// ends and one towards each face, of a face one per side. A point outside the body lies within all
    /// walls of the feature nearest to it.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, FaceId, Feature, Polytope};
    /// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
    /// let above = DVec3::new(0.2, 0.3, 5.0);
    /// let top = Feature::Face(FaceId(5));
    /// assert!(cube.voronoi_cell(top).all(|wall| wall.plane.distance(above) <= 0.0));
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn voronoi_cell(&self, feature: Feature) -> impl ExactSizeIterator<Item = VoronoiPlane> + '_ {
        let walls = match feature {
            Feature::Vertex(vertex) => self.spokes(vertex).len(),
            Feature::Edge(edge) if self.edge(edge).faces[0] == Edge::NO_FACE => 2,
            Feature::Edge(_) => 4,
            Feature::Face(face) => self.sides(face).len(),
        };
        (0..walls).map(move |wall| match feature {
            Feature::Vertex(vertex) => self.vertex_wall(vertex, wall),
            Feature::Edge(edge) => self.edge_wall(edge, wall),
            Feature::Face(face) => self.face_wall(face, wall),
        })
    }

    fn vertex_wall(&self, vertex: VertexId, wall: usize) -> VoronoiPlane {
        let ring = self.ring(vertex);
        let normal = unit(ring.spokes[wall].vector);
        through(normal, self.vertex(vertex), Feature::Edge(ring.edges[wall]))
    }

    fn edge_wall(&self, id: EdgeId, wall: usize) -> VoronoiPlane {
        let edge = self.edge(id);
        let [tail, head] = edge.vertices;
        let along = unit(edge.vector);
        match wall {
            0 => through(-along, self.vertex(tail), Feature::Vertex(tail)),
            1 => through(along, self.vertex(head), Feature::Vertex(head)),
            _ => through(edge.inward[wall - 2], self.vertex(tail), Feature::Face(edge.faces[wall - 2])),
        }
    }

    fn face_wall(&self, face: FaceId, wall: usize) -> VoronoiPlane {
        let side = self.sides(face)[wall];
        let plane = Plane { normal: -side.inward, offset: -side.offset };
        VoronoiPlane { plane, neighbor: Feature::Edge(side.edge) }
    }
}

fn through(normal: DVec3, point: DVec3, neighbor: Feature) -> VoronoiPlane {
    VoronoiPlane { plane: Plane { normal, offset: normal.dot(point) }, neighbor }
}
