//! Bodies, pairs of bodies and motions: ordinary ones, and those aimed at trouble.

mod motion;
mod pair;
mod pool;
mod solid;
mod trouble;

pub use motion::{Tumble, Wander};
pub use pair::{Arrangement, Pair, arrange};
pub use pool::{Family, Member, Pool};
pub use solid::Solid;
pub use trouble::{Trouble, troubled_pair};
