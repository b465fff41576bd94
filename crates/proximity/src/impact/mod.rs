//! When two moving bodies first touch: an interval of time that contains the first contact, or a proof that there is none.
//!
//! [`Motion`] says how a body moves; `rates` bounds its speeds and accelerations over an interval; `pair` asks the kernels
//! for the distance at one moment; `advance` puts them together.

mod advance;
mod closing;
mod heights;
mod motion;
mod pair;
mod planar;
mod rates;

pub use advance::{Impact, ImpactDemand, ImpactEnd, ImpactWork, Seen};
pub use motion::{Motion, Move, shortest_arc};
pub use pair::time_of_impact;
pub use planar::planar_time_of_impact;
