//! Points, rays and containment against formulas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod parts;
mod patches;
mod points;
mod rays;
mod shapes;
