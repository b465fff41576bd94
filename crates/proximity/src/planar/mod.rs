//! Convex polygons, segments and points of the plane against each other, and bodies of curves: the questions of the
//! solid modules, with poses and answers of two dimensions.

mod answer;
mod careful;
mod certify;
mod curved;
mod curved_depth;
mod depth;
mod frame;
mod gjk;
mod gradient;
mod locus;
mod minima;
mod outline_pair;
mod query;
mod settle;
mod simplex;
mod tracker;

pub use answer::{PlanarProximity, PlanarWitness};
pub use certify::certify;
pub use curved::{
    CurveWitness, PlanarBody, PlanarNearest, PlanarPrepared, nearest, nearest_with, proven_nearest,
};
pub use gradient::{PlanarGradient, gradient};
pub use locus::{PlanarLocus, locus};
pub use minima::{PlanarMinimum, local_minima};
pub use outline_pair::OutlinePair;
pub use query::{PlanarRayHit, cast_ray, closer_than, contains_point, distance, distances, locate_point};
pub use tracker::Tracker;
