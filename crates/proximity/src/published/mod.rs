//! The methods of the source documents as published, callable by name, so that their figures can be reproduced.
//!
//! They are not what a tracker should use: none of them knows whether it has found the nearest points. [`Method`] names
//! them, [`Settings`] holds their numbers, [`Controller`] runs one on a pair of features, [`TopDown`] is the search
//! of 004, [`Automaton`] records what switched when.

mod automaton;
mod controller;
mod couple;
mod feature;
mod find_min;
mod gains;
mod hybrid;
mod outline;
mod settings;
mod small;

pub use automaton::{Automaton, Switch};
pub use controller::{Controller, Hold, Stepped};
pub use couple::{Couple, Four, Moment, State, Velocity};
pub use feature::{Carrier, CarrierJet};
pub use find_min::{Frame, ITERATIONS, SecondOrder, Solution, TopDown};
pub use gains::{GainLimits, gain_limits, printed_lowest_gain};
pub use hybrid::{FeatureGraph, Hybrid};
pub use outline::OutlineTracker;
pub use settings::{Diagram, GainRule, Integrator, Method, Settings, UnknownName};
