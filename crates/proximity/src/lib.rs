//! Two bodies: how far apart, where, which features are closest, how deep they overlap.
//!
//! Kernels take `pose_ab`, the pose of B in the frame of A, and answer in the frame of A.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod algebraic;
mod analytic;
mod answer;
mod certify;
pub mod contact;
pub mod convex;
mod curved;
mod double;
mod error;
mod frame;
pub mod global;
mod gradient;
mod half_space;
pub mod impact;
mod inside;
mod locus;
mod met;
mod nearest_all;
mod pair;
pub mod planar;
mod polytope;
pub mod published;
mod query;
pub mod ratio;
mod relief;
pub mod tolerance;
pub mod tracking;

pub use answer::{Certificate, Ended, Parameters, Proximity, State, Witness, Work};
pub use certify::certify;
pub use curved::{
    Findings, Precision, nearest_points, nearest_points_of, overlap_regions, overlap_regions_until,
};
pub use error::QueryError;
pub use gradient::{Gradient, NoGradient, gradient};
pub use inside::{PointDistance, Probe, containment};
pub use locus::{Locus, concentric_balls, locus};
pub use nearest_all::{local_minima, local_minima_within, nearest_sets};
pub use pair::{Closer, Tracker};
pub use polytope::{PolytopeTracker, lin_canny};
pub use query::{
    LocalDepth, Place, RayHit, Scratch, cast_ray, closer_than, contains_point, depth_exact, depth_local,
    distance, locate_point,
};
