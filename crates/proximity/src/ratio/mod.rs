//! The ratio metric: by how much two bodies must grow or shrink about their centres to just touch.
//!
//! Source: 002, chapter 2 (there called new; it is the growth distance of Ong and Gilbert 1996).
//! Differs: DIFFERS from theorem 2.16 as printed, which is false for bodies that nearly share a centre.
//! With Rᵢ the inradius of body i about its centre, D the distance of the centres and s the distance
//! or penetration depth: s/D ≤ ρ ≤ s/(R₁+R₂+s) when disjoint, and −s/(R₁+R₂−s) ≤ ρ ≤ −s/D when
//! overlapping with s < R₁+R₂.
//! Ends because: pivots are limited, and the linear program behind them ends.
//! Cost: a few small systems tracked; expected linear in the number of faces at worst.
//! Not promised: independence of the centre. r and ρ belong to the bodies with their centres; the
//! signed distance does not.
//!
//! ```
//! use clearance_geometry::{DVec3, Polytope, Pose};
//! use clearance_proximity::ratio;
//! let cube = Polytope::cuboid(DVec3::splat(2.0))?;
//! let pose_ab = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
//! let growth = ratio::growth(&cube, &cube, &pose_ab)?;
//! assert_eq!(growth.ratio, 1.5);
//! assert_eq!(growth.point, DVec3::new(1.5, 0.0, 0.0));
//! assert_eq!(growth.gradients[1].translation, DVec3::new(0.5, 0.0, 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod active_set;
mod answer;
mod careful;
mod contact;
mod faces;
mod fallback;
mod fixed;
mod lowest;
mod lp;
mod planar;
mod planar_faces;
mod solid;
mod solid_touch;
mod space;
mod touch;

pub use answer::{ActivePlane, ActivePlanes, EventKind, Growth, PoseGradient, RatioError, Smoothness};
pub use fixed::growth_against;
pub use planar::{
    ActiveSide, PlanarGradient, PlanarGrowth, PlanarHint, PlanarTracker, planar_growth,
    planar_growth_against, planar_growth_by_lp,
};
pub use solid::{Hint, Tracker, growth, growth_by_lp, growth_of_bodies};
