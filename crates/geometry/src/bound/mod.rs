//! Bounds on parts of curves and surfaces: hulls, boxes, cones of normals, derivatives. Each contains what it
//! bounds in exact arithmetic, rounding included.

mod aabb;
mod bezier;
mod curve;
mod direction_cone;
mod form;
mod interval_jet;
mod net;
mod nurbs;
mod obb;
mod surface;
mod traits;
mod trig;

pub use aabb::Aabb;
pub use direction_cone::DirectionCone;
pub use obb::{Obb, upright_axes};
pub use traits::{ConvexBound, CurveSpeeds, DerivativeBound, Hull, NormalCone, SurfaceSpeeds};

pub(crate) use form::{Bend, bend_of};
