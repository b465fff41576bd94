//! What bodies are: poses, convex polytopes and planar polygons with their feature graphs; curves and surfaces
//! with their bounds; tolerances, outward-rounded intervals.
//!
//! A body never changes once it is built and is cheap to clone. Constructors check their input and
//! name the offender; a body that exists is valid.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod algebraic;
pub mod bound;
pub mod convex;
pub mod curve;
pub mod pieces;
pub mod surface;
pub mod tiled;

mod angle;
mod body;
mod deforming;
mod error;
mod feature;
mod half_space;
mod interval;
mod motion;
mod planar;
mod plane;
mod polytope;
mod pose;
mod ranked;
pub mod tolerance;
mod tree;

pub use angle::angle;
pub use body::{Body, Kind};
pub use deforming::{DeformingBody, DeformingFace};
pub use error::{PolytopeError, PoseError, ShapeError};
pub use feature::{EdgeId, FaceId, Feature, VertexId};
pub use glam::{DMat3, DQuat, DVec2, DVec3, DVec4};
pub use half_space::HalfSpace;
pub use interval::Interval;
pub use motion::{Bound, Clock, motion_bound, motion_bounds, relative_motion_bound};
pub use planar::{
    PlanarConvexity, PlanarCorner, PlanarEdge, PlanarMass, PlanarPose, PlanarSide, PlanarTiled, Polygon,
};
pub use plane::Plane;
pub use polytope::{Edge, Mass, Note, Polytope, Ring, Side, Sides, Spoke, VoronoiPlane};
pub use pose::Pose;
pub use ranked::Ranked;
pub use tolerance::Tolerance;
pub use tree::{Below, BoxTree, LeafShape, Part, PartLeaf, PartTree, PatchLeaf, PatchTree, TreeNode};
