//! Convex polygons, segments and points of the plane against each other: the questions of the solid
//! modules, with poses and answers of two dimensions.

mod answer;
mod careful;
mod certify;
mod depth;
mod frame;
mod gjk;
mod gradient;
mod locus;
mod query;
mod settle;
mod simplex;
mod tracker;

pub use answer::{PlanarProximity, PlanarWitness};
pub use certify::certify;
pub use gradient::{PlanarGradient, gradient};
pub use locus::{PlanarLocus, locus};
pub use query::{PlanarRayHit, cast_ray, closer_than, contains_point, distance, distances, locate_point};
pub use tracker::Tracker;
