//! The proven global minimum between any two bodies: branch and bound over their Bézier pieces.

pub(crate) mod answer;
pub(crate) mod convexity;
pub(crate) mod derivatives;
pub(crate) mod descend;
mod evaluation;
mod extreme;
mod flank;
mod found;
mod free;
mod halve;
mod level;
mod level_chart;
mod level_range;
mod level_search;
mod local;
mod minima;
pub(crate) mod plane;
mod point;
mod point_cells;
mod poles;
mod proof;
mod ray;
mod ready;
mod search;
pub(crate) mod side;
pub(crate) mod slab;
mod symmetric;

pub use answer::{Nearest, ONE_SHOT_PAIRS, Prepared, nearest, nearest_with};
pub(crate) use answer::{proximity_of, witness};
pub use found::{Demand, Found, NearPair, SearchWork};
pub use minima::{Minima, minima};
pub(crate) use point::PointField;
pub use proof::ProofStep;
pub(crate) use ray::{Cast, RayMemory, cast};
pub use ready::{Ready, ReadyMemory, nearest_of};
pub use search::{SearchMemory, search};
