//! The proven global minimum between any two bodies: branch and bound over their Bézier pieces.

mod answer;
mod convexity;
pub(crate) mod derivatives;
pub(crate) mod descend;
mod free;
mod proof;
mod search;
mod side;
pub(crate) mod slab;

pub use answer::{Nearest, ONE_SHOT_PAIRS, Prepared, nearest, nearest_with};
pub use proof::ProofStep;
pub use search::{Demand, Found, NearPair, SearchMemory, SearchWork, search};
