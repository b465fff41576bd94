//! Two bodies: how far apart, where, which features are closest, how deep they overlap.
//!
//! Kernels take `pose_ab`, the pose of B in the frame of A, and answer in the frame of A.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod answer;
mod frame;
mod polytope;
pub mod ratio;

pub use answer::{Certificate, Ended, Proximity, State, Witness, Work};
pub use polytope::lin_canny;
