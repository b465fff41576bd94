//! Convex polytopes against each other.

mod careful;
mod containment;
mod deepest;
mod depth_proof;
mod edges;
mod ellipsoid;
mod facet;
mod gjk;
mod lift;
pub mod lin_canny;
mod local_depth;
mod proof;
mod search;
mod settle;
mod shell;
mod simplex;
mod tetrahedron;
mod tracker;
mod walk;

pub(crate) use local_depth::depth_local_from;
pub(crate) use simplex::{Corner, Simplex};
pub use tracker::PolytopeTracker;
