//! Curves in space and in the plane: closed formulas, rational Bézier curves and B-splines.

mod analytic;
mod bezier;
mod convert;
mod error;
mod jet;
mod knots;
mod nurbs;
mod planar;
mod range;
mod refine;
mod tile;
mod traits;
mod turn;

pub use analytic::{Circle, Ellipse, Helix, Hyperbola, Line, Parabola};
pub use bezier::Bezier;
pub use error::{ConvertError, Direction, NurbsError};
pub use jet::CurveJet;
pub use knots::{Break, Knots, SpanHint};
pub use nurbs::NurbsCurve;
pub use planar::PlanarCurve;
pub use range::{Range, Rect};
pub use traits::{ParametricCurve, Subdivide};
pub use turn::Turn;

pub(crate) use analytic::{finite, positive};
pub(crate) use bezier::{Keep, blend_strided};
pub(crate) use convert::{Arcs, arcs, checked_width};
pub(crate) use nurbs::{check_homogeneous, homogeneous, project, xyz};
pub(crate) use refine::{Spline, elevate, insert, restrict};
pub(crate) use tile::{
    bernstein_of, binomial, has_powers, horner, horner_first, horner_value, powers_in_place, with_bernstein,
};

use crate::Pose;
use glam::{DMat3, DVec3, DVec4};
use std::sync::Arc;

/// A curve in space, of any kind; cheap to clone.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, curve::{Circle, Curve, ParametricCurve}};
/// let circle = Curve::from(Circle::new(Pose::IDENTITY, 2.0)?);
/// assert_eq!(circle.jet(0.0).first, DVec3::new(0.0, 2.0, 0.0));
/// assert_eq!(circle.period(), Some(std::f64::consts::TAU));
/// # Ok::<(), clearance_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// A line; unbounded.
    Line(Line),
    /// A circle; period 2π.
    Circle(Circle),
    /// An ellipse; period 2π.
    Ellipse(Ellipse),
    /// A parabola; unbounded.
    Parabola(Parabola),
    /// A branch of a hyperbola; unbounded.
    Hyperbola(Hyperbola),
    /// A helix; unbounded.
    Helix(Helix),
    /// A rational B-spline.
    Nurbs(Arc<NurbsCurve>),
}

macro_rules! from {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Curve {
            fn from(curve: $kind) -> Self {
                Self::$kind(curve)
            }
        }
    )*};
}
from!(Line, Circle, Ellipse, Parabola, Hyperbola, Helix);

impl From<NurbsCurve> for Curve {
    fn from(curve: NurbsCurve) -> Self {
        Self::Nurbs(Arc::new(curve))
    }
}

impl Curve {
    /// The same curve moved; parameters stay.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        match self {
            Self::Line(line) => line.moved(pose).into(),
            Self::Circle(circle) => circle.moved(pose).into(),
            Self::Ellipse(ellipse) => ellipse.moved(pose).into(),
            Self::Parabola(parabola) => parabola.moved(pose).into(),
            Self::Hyperbola(hyperbola) => hyperbola.moved(pose).into(),
            Self::Helix(helix) => helix.moved(pose).into(),
            Self::Nurbs(nurbs) => nurbs.moved(pose).into(),
        }
    }

    /// The parameters at which the curve may be less than twice continuously differentiable.
    pub fn breaks(&self) -> Vec<Break> {
        match self {
            Self::Nurbs(curve) => curve.breaks(),
            _ => Vec::new(),
        }
    }
}

impl ParametricCurve for Curve {
    type Vector = DVec3;

    #[inline]
    fn jet(&self, t: f64) -> CurveJet {
        match self {
            Self::Line(line) => line.jet(t),
            Self::Circle(circle) => circle.jet_turned(Turn::from_angle(t)),
            Self::Ellipse(ellipse) => ellipse.jet_turned(Turn::from_angle(t)),
            Self::Parabola(parabola) => parabola.jet(t),
            Self::Hyperbola(hyperbola) => hyperbola.jet(t),
            Self::Helix(helix) => helix.jet_turned(t, Turn::from_angle(t)),
            Self::Nurbs(nurbs) => nurbs.jet(t),
        }
    }

    fn domain(&self) -> Range {
        match self {
            Self::Circle(_) | Self::Ellipse(_) => Range::TURN,
            Self::Nurbs(nurbs) => nurbs.domain(),
            _ => Range::UNBOUNDED,
        }
    }

    fn period(&self) -> Option<f64> {
        match self {
            Self::Circle(_) | Self::Ellipse(_) => Some(std::f64::consts::TAU),
            Self::Nurbs(nurbs) => nurbs.period(),
            _ => None,
        }
    }
}

/// The affine map x ↦ linear · x + offset on (x·w, y·w, z·w, w).
pub(crate) fn mapped(point: DVec4, linear: &DMat3, offset: DVec3) -> DVec4 {
    (*linear * xyz(point) + offset * point.w).extend(point.w)
}
