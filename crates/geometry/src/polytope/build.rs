//! Constructors of polytopes and their checks.

use super::Polytope;
use super::assemble::{Boundary, assemble};
use super::cloud::{Cloud, check_extent};
use crate::{DVec3, Kind, PolytopeError, ShapeError};

impl Polytope {
    /// A point at the origin.
    pub fn point() -> Self {
        let boundary =
            Boundary { vertices: vec![DVec3::ZERO], vertex_labels: vec![0], ..Boundary::default() };
        assemble(Kind::Point, boundary, None)
    }

    /// The segment between two different points.
    ///
    /// # Errors
    /// When a point is not finite or out of range, or the two coincide.
    pub fn segment(points: [DVec3; 2]) -> Result<Self, PolytopeError> {
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(PolytopeError::NotFinite { point });
        }
        if points[0] == points[1] {
            return Err(PolytopeError::NoLength);
        }
        let reach = points[0].abs().max(points[1].abs()).max_element();
        check_extent(reach, (points[1] - points[0]).abs().max_element())?;
        let boundary =
            Boundary { vertices: points.to_vec(), vertex_labels: vec![0, 1], ..Boundary::default() };
        Ok(assemble(Kind::Segment, boundary, None))
    }

    /// A box of the given sizes, centred at the origin; faces −x, +x, −y, +y, −z, +z.
    ///
    /// # Errors
    /// When a size is not positive and finite, or out of range.
    pub fn cuboid(size: DVec3) -> Result<Self, ShapeError> {
        for value in size.to_array() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ShapeError::BadSize { field: "size", value });
            }
        }
        check_extent(size.max_element(), size.max_element())?;
        let half = 0.5 * size;
        let vertices = (0..8)
            .map(|i| {
                let sign = |bit: u32| if i & bit != 0 { 1.0 } else { -1.0 };
                half * DVec3::new(sign(1), sign(2), sign(4))
            })
            .collect();
        let loops = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let boundary = Boundary {
            vertices,
            vertex_labels: (0..8).collect(),
            loops: loops.iter().map(|face| face.to_vec()).collect(),
            face_labels: (0..6).collect(),
            ..Boundary::default()
        };
        Ok(assemble(Kind::Box, boundary, None))
    }

    /// The convex hull of points. Coplanar parts of the boundary become one polygon; points that are
    /// not corners are left out and noted. Vertices keep their input numbers, faces sort by their
    /// vertex lists.
    ///
    /// # Errors
    /// When there are no points, one is not finite, the extent is out of range, or they are flat
    /// within [`crate::tolerance::FLAT_REL`] of their extent.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Feature, FaceId, Polytope, VertexId};
    /// let points = [DVec3::ZERO, DVec3::splat(0.1), DVec3::X, DVec3::Y, DVec3::Z];
    /// let hull = Polytope::from_points(&points)?;
    /// assert_eq!((hull.vertex_count(), hull.face_count()), (4, 4));
    /// assert_eq!(hull.label(Feature::Vertex(VertexId(1))), Feature::Vertex(VertexId(2)));
    /// # Ok::<(), clearance_geometry::PolytopeError>(())
    /// ```
    pub fn from_points(points: &[DVec3]) -> Result<Self, PolytopeError> {
        Cloud::new(points)?.polytope(points)
    }
}
