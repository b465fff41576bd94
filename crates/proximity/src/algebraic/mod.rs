//! The algebraic route: all critical points of the distance, as the real solutions of polynomial systems.
//!
//! A pair of points is critical when the line between them is normal to both curves or surfaces: the nearest points
//! are among them, and so are the farthest and the saddles. Every function here returns *all* real ones, nearest
//! first, with residuals: roots of one polynomial where the problem reduces to that, else eigenvalues of a resultant
//! matrix. Surfaces are whole (unbounded quadrics, full tori); a patch is bounded by its parameters.
//!
//! Source: 003, sections 4.2 and 4.3, which asks for resultants and eigenvalues; the formulations are chosen here, see
//! `docs/algebraic-route.md`.

mod circles;
mod collect;
mod contact;
mod patch;
mod point;
mod polish;
mod quadric;
mod quadrics;
mod torus;

pub use circles::{circle_circle, line_circle};
pub use collect::{Critical, CriticalSet, Isolation};
pub use contact::{EllipsoidRelation, TangentContact, ellipsoid_relation, tangent_contacts};
pub use patch::{PatchCritical, PatchPlace, point_patch};
pub use point::{point_circle, point_ellipse, point_quadric, point_torus};
pub use quadric::{Quadric, QuadricError};
pub use quadrics::quadric_quadric;
pub use torus::{quadric_circle, quadric_torus};

use clearance_roots::RootsError;
use thiserror::Error;

/// Why critical points could not be listed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RouteError {
    /// A coordinate is not a finite number.
    #[error("`{what}` is not finite")]
    NotFinite {
        /// Which argument.
        what: &'static str,
    },
    /// A patch of a degree for which this route is not practical.
    #[error("the patch has degrees {degrees:?}; this route is practical up to {most} in each")]
    DegreeTooHigh {
        /// Degrees along u and v.
        degrees: [usize; 2],
        /// Largest degree.
        most: usize,
    },
    /// The eigenvalue iteration failed, or the equations vanish identically.
    #[error(transparent)]
    Roots(#[from] RootsError),
}
