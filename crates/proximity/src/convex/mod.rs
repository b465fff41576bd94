//! Convex bodies with curved faces against each other, against polytopes and against half-spaces.

mod beside;
mod containment;
mod depth;
mod facing;
mod newton;
pub(crate) mod parts;
mod query;
mod search;
mod slide;
pub(crate) mod solid;
pub(crate) mod solve;
mod sphere;
mod tracker;

pub use depth::{depths, ways_out};
pub(crate) use newton::Pair;
pub(crate) use query::certify;
pub use query::{distance, is_convex};
pub use tracker::ConvexTracker;
