//! Bodies of the plane: poses and convex polygons.

mod build;
mod mass;
mod polygon;
mod pose;
mod support;

pub use mass::PlanarMass;
pub use polygon::{PlanarEdge, Polygon};
pub use pose::PlanarPose;
