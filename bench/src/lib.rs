//! `clearance` beside parry and Coal: same bodies, same poses, one run.
//!
//! Everyone gets the poses of both bodies in the world in its own type, made beforehand, and must
//! give the distance (or depth) and both witness points in the world; ours gives the features too.

pub mod bicubic;
pub mod candidate;
pub mod certified;
pub mod clock;
#[cfg(coal)]
pub mod coal;
pub mod counts;
#[cfg(feature = "dynamics")]
pub mod dynamics;
pub mod figure_003;
pub mod lineup;
pub mod measure;
pub mod ours;
pub mod parry;
pub mod plot;
pub mod random;
pub mod reference;
pub mod report;
pub mod shape;
#[cfg(feature = "step")]
pub mod step;
pub mod stream;
pub mod textbook;
pub mod tracking;
pub mod walking;
