//! The command `clearance`, as a library so that figures elsewhere can use its plots.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod arguments;
mod check;
mod check_certificate;
mod describe;
mod distance;
mod failure;
mod impact;
mod interrupt;
mod json;
pub mod plot;
mod query;
mod reproduce;
mod run;
mod schema;
mod simulate;
mod source;
mod terminal;
mod track;
mod view;

pub use run::run;
