//! Bodies of the plane: poses and convex polygons.

mod build;
mod mass;
mod polygon;
mod pose;
mod support;
mod tiled;

pub use mass::PlanarMass;
pub use polygon::{PlanarEdge, Polygon};
pub use pose::PlanarPose;
pub use tiled::{PlanarConvexity, PlanarCorner, PlanarSide, PlanarTiled};
