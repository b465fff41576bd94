//! Independent answers, computed from plain arrays of points with methods that share no code with
//! the kernels: slow, simple, in double-double where it matters.

mod bounds;
mod brute;
mod closest;
mod depth;
mod double_double;
mod growth;
mod multistart;
mod placement;
#[cfg(feature = "qp")]
mod qp;
mod sampling;
mod small_hull;
mod spline;

pub use bounds::{exact_separation, scale, separation};
pub use brute::{Surface, feature_distance};
pub use closest::{on_segment, point_polygon, segment_segment};
pub use depth::{FacetSeparation, Standing, excess, facet_separation, standing};
pub use double_double::{Double, Double3};
pub use growth::growth_bounds;
pub use multistart::{Effort, multistart};
pub use placement::Placement;
#[cfg(feature = "qp")]
pub use qp::qp_distance;
pub use sampling::sampled_separation;
pub use small_hull::SmallHull;
pub use spline::{Dual, Number, curve_point, de_boor, difference, span, surface_point};
