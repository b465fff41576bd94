//! The proven global minimum between any two bodies: branch and bound over their Bézier pieces.

mod answer;
mod convexity;
mod derivatives;
mod descend;
mod free;
mod local;
mod minima;
mod plane;
mod proof;
mod ray;
mod search;
mod side;
mod slab;

pub(crate) use answer::proximity_of;
pub use answer::{Nearest, ONE_SHOT_PAIRS, Prepared, nearest, nearest_with};
pub use minima::{Minima, minima};
pub use proof::ProofStep;
pub(crate) use ray::{Cast, RayMemory, cast};
pub use search::{Demand, Found, NearPair, SearchMemory, SearchWork, search};
