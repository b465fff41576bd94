//! The reference kernel against brute force over all feature pairs, from planted and from random poses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod body;
mod oracle;
mod placed;
mod random;
