//! Closed formulas against the general search, dense sampling and known distances.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod balls;
mod points;
mod rings;
