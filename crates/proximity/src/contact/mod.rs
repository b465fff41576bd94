//! Contact and overlap of two bodies: whether they touch or are proven to cross, along which curves their surfaces cross,
//! where their nearest points are not unique, and how deep each part of an overlap is.

mod branches;
mod cell;
mod classify;
mod crossing;
mod field;
mod gauge;
mod inner;
mod inside;
mod intersection;
mod join;
mod locus;
mod march;
mod net;
mod overlap;
mod patches;
mod proof;
mod scene;
mod seeds;
mod shape;
mod summit;
mod waiting;

pub use classify::{Contact, ContactKind, classify};
pub(crate) use classify::{Patience, classify_met, classify_within};
pub use crossing::Unresolved;
pub use intersection::{CurvePoint, Intersection, IntersectionCurve, Stretch, TraceDemand, intersection};
pub use locus::{Locus, Region, RegionKind, locus};
pub use overlap::{DEEPEST_POINT, Overlap, OverlapRegion, overlap};
pub use proof::CrossingProof;
pub(crate) use scene::{is_whole, lost};
