//! What tests are made of: seeded randomness, bodies and motions aimed at trouble, bodies with planted
//! answers, independent oracles, and the one checker that every answer goes through.
//!
//! Not published. Oracles take plain arrays, so that unit tests of any crate can use them;
//! [`check_proximity`] needs the product's types and is called from `tests/` folders.
// A test tool stops loudly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod allocation;
mod check;
mod check_curved;
mod check_nearest;
mod check_planar;
pub mod conformance;
pub mod data;
pub mod generate;
pub mod oracle;
pub mod planted;
mod random;
mod shape;
#[cfg(feature = "certificates")]
pub mod tamper;

pub use allocation::{CountingAllocator, allocations, counts_allocations};
pub use check::{
    CHECK_ROUNDINGS, Margins, assert_proximity, check_mirror, check_proximity, check_query, check_tolerance,
};
pub use check_curved::{check_curve_bounds, check_surface_bounds};
pub use check_nearest::check_nearest;
pub use check_planar::check_planar;
pub use random::Random;
pub use shape::{excess_of_point, faces_of};
