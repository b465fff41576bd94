//! Rigid bodies with contact, joints and friction, stepped in time without stopping for collisions.
//!
//! Every step linearises the contacts that may bind ([`Event`]), solves one convex program per group of touching bodies
//! ([`Program`], [`Solver`]) and moves on; overlap stays of second order in the step. The source is 002, chapters 3 to 7.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod admit;
mod bend;
mod body;
mod broad;
mod coupler;
mod elastic;
mod error;
mod events;
mod flush;
mod friction;
mod impact;
mod islands;
mod joint;
mod overlooked;
mod parts;
mod patience;
mod program;
mod report;
mod rotation;
mod seen;
mod settings;
mod sleep;
mod solve;
mod solved;
mod step;
mod still;
mod threads;
pub mod tolerance;
mod world;

pub use admit::MOST_FRICTION;
pub use body::{BodySpec, MassOf, RigidBody, Shape, Twist};
pub use coupler::{Coupler, CouplerSettings, Device, MOST_TOUCHES, Pull, Touch};
pub use error::DynamicsError;
pub use events::{
    Event, EventId, EventKind, Limits, PairEvents, events_between, half_space_events, planar_events,
    solid_events,
};
pub use friction::{Settled, natural_residual, project, settle};
pub use joint::{JointEnds, JointKind, JointSpec, Motor};
pub use program::{Cone, Contact, Demand, Line, Program, Row};
pub use report::{StepReport, WorldEvent};
pub use settings::{Settings, Shake};
pub use sleep::Sleep;
#[cfg(feature = "reference")]
pub use solve::Interior;
pub use solve::{ActiveSet, Block, Ended, Lemke, Solution, Solver, SolverChoice, Sparse};
pub use world::World;
