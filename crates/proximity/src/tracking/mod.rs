//! Bodies that move a little between queries, at least one of them curved: the nearest points followed, and still proven.
//!
//! `foot` follows one pair of features; `separate` keeps both bodies apart by one plane or sphere, of which `crest` is one
//! body's half, `sight` what it asks of one part, `summit` where that is farthest, `known` what it keeps of the answer and `beyond` what it leaves to pairs.
//! For those `scene` proves things about pairs of parts, `front` keeps them from frame to frame, `watch` those of them that a
//! direction keeps apart, and `look` settles one of them again; `hull` knows how high parts are. `course` is a body whose
//! shape changes. [`CurvedTracker`] puts them together with the tracker of convex bodies.

mod beyond;
mod border;
mod course;
mod crest;
mod foot;
mod front;
mod hull;
mod known;
mod look;
mod scene;
mod separate;
mod sight;
mod summit;
mod tracker;
mod watch;

pub use tracker::CurvedTracker;
pub(crate) use tracker::UPDATE_PAIRS;
