//! The command `clearance`, as a library so that tests and figures elsewhere can use its parts.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod plot;
