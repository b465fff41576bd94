//! Bodies that move a little between queries, at least one of them curved: the nearest points followed, and still proven.
//!
//! `foot` follows one pair of features; `separate` keeps both bodies apart by one plane or sphere, of which `crest` is one
//! body's half and `sight` what it asks of one part; for what is beyond it `scene` proves things about pairs of parts,
//! `front` keeps those pairs from frame to frame, `watch` those of them that a direction keeps apart, and `look` settles one of them again; `course` is a body whose shape changes; [`CurvedTracker`] puts them together with the tracker of convex bodies.

mod course;
mod crest;
mod foot;
mod front;
mod look;
mod scene;
mod separate;
mod sight;
mod tracker;
mod watch;

pub use tracker::CurvedTracker;
