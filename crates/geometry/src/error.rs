//! Why a body or a pose could not be made; every variant names the offender.

use crate::tolerance::{LARGEST_EXTENT, SMALLEST_EXTENT};
use thiserror::Error;

/// A pose that is not a rigid motion.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PoseError {
    /// A component is NaN or infinite.
    #[error("the pose has a component that is not finite")]
    NotFinite,
    /// The quaternion or axis is further from unit length than the format allows.
    #[error("the rotation has length {length}, not 1")]
    NotUnit {
        /// Length found.
        length: f64,
    },
    /// The matrix is not a rotation.
    #[error("the rotation matrix is off a rotation by {by}")]
    NotRotation {
        /// Largest entry of |RᵀR − 1|, or 2 where the determinant is negative.
        by: f64,
    },
}

/// A convex polytope or polygon that could not be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PolytopeError {
    /// No point at all.
    #[error("no points given")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("point {point} is not finite")]
    NotFinite {
        /// Index of the point in the input.
        point: usize,
    },
    /// A coordinate or an extent leaves the range in which the predicates are exact.
    #[error("the extent {extent:e} is outside the supported range {SMALLEST_EXTENT:e} to {LARGEST_EXTENT:e}")]
    OutOfRange {
        /// Largest extent found.
        extent: f64,
    },
    /// A segment from a point to itself.
    #[error("both ends of the segment are one point")]
    NoLength,
    /// All points lie in a plane, on a line or in one point, within rounding.
    #[error("the points are flat: thickness {thickness:e} over a diameter of {diameter:e}")]
    Flat {
        /// Extent across the flattest direction.
        thickness: f64,
        /// Largest extent.
        diameter: f64,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} names vertex {vertex}, which does not exist")]
    NoSuchVertex {
        /// Face in the input.
        face: usize,
        /// The number it names.
        vertex: usize,
    },
    /// A face with fewer than three different vertices.
    #[error("face {face} has fewer than three different vertices")]
    DegenerateFace {
        /// Face in the input.
        face: usize,
    },
    /// An edge that does not have exactly two faces.
    #[error("edge {vertices:?} has {faces} faces where a closed surface has two (face {face} is one)")]
    NotClosed {
        /// Its vertices in the input.
        vertices: [usize; 2],
        /// How many faces it has.
        faces: usize,
        /// One of them.
        face: usize,
    },
    /// Neighbouring faces run their common edge in the same direction.
    #[error("faces {faces:?} disagree about the direction of edge {vertices:?}")]
    InconsistentOrientation {
        /// Faces in the input.
        faces: [usize; 2],
        /// The edge between them.
        vertices: [usize; 2],
    },
    /// A vertex lies outside a face's plane.
    #[error("not convex: vertex {vertex} lies {by:e} outside face {face}")]
    NotConvex {
        /// Face in the input.
        face: usize,
        /// Vertex in the input.
        vertex: usize,
        /// Distance outside the face's plane.
        by: f64,
    },
    /// The boundary falls into several closed pieces.
    #[error("the surface has {pieces} separate pieces")]
    SeveralPieces {
        /// Number of connected pieces.
        pieces: usize,
    },
    /// A half-space with a normal of length zero or a number that is not finite.
    #[error("half-space {half_space} has no direction")]
    NoNormal {
        /// Index in the input.
        half_space: usize,
    },
    /// The given centre is not strictly inside.
    #[error("the centre is outside half-space or face {face} by {by:e}")]
    CenterOutside {
        /// Half-space or face in the input.
        face: usize,
        /// Distance outside; 0 on the boundary.
        by: f64,
    },
    /// The half-spaces do not enclose a bounded body.
    #[error("the half-spaces leave the direction {direction:?} unbounded")]
    Unbounded {
        /// A direction in which the body has no end.
        direction: [f64; 3],
    },
    /// An outline that is not convex.
    #[error("not convex: corner {corner} turns inward")]
    ReflexCorner {
        /// Corner in the input.
        corner: usize,
    },
}

/// A simple shape with bad sizes.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is zero, negative or not finite.
    #[error("`{field}` must be positive and finite, not {value}")]
    BadSize {
        /// Name of the field.
        field: &'static str,
        /// Value found.
        value: f64,
    },
    /// A vector is not finite.
    #[error("`{field}` is not finite")]
    NotFinite {
        /// Name of the field.
        field: &'static str,
    },
    /// A direction of length zero.
    #[error("`{field}` has length zero")]
    NoDirection {
        /// Name of the field.
        field: &'static str,
    },
    /// The polytope behind the shape could not be built.
    #[error(transparent)]
    Polytope(#[from] PolytopeError),
}
