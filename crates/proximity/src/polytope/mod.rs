//! Convex polytopes against each other.

mod containment;
mod deepest;
mod facet;
mod gjk;
mod lift;
pub mod lin_canny;
mod local_depth;
mod settle;
mod shell;
mod simplex;
mod tracker;
mod walk;

pub(crate) use local_depth::depth_local_from;
pub use tracker::PolytopeTracker;
