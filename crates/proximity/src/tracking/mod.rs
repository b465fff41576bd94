//! Bodies that move a little between queries, at least one of them curved: the nearest points followed, and still proven.
//!
//! `foot` follows one pair of features; `scene` proves things about pairs of parts; `front` keeps those pairs from frame to
//! frame, and `look` settles one of them again; [`CurvedTracker`] puts them together with the tracker of convex bodies.

mod foot;
mod front;
mod look;
mod scene;
mod tracker;

pub use tracker::CurvedTracker;
