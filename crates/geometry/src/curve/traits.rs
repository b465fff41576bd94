//! What algorithms ask of curves.

use super::{CurveJet, Range};

/// A curve that can be evaluated with its first and second derivatives in one call.
pub trait ParametricCurve {
    /// Type of points and derivatives: [`crate::DVec3`], or [`crate::DVec2`] for planar curves.
    type Vector: Copy;

    /// Point, first and second derivative at `t`. Outside the domain the curve is continued (its formula or
    /// its outermost polynomial piece); NaN gives NaN.
    fn jet(&self, t: f64) -> CurveJet<Self::Vector>;

    /// The parameters that the curve covers; unbounded for a line.
    fn domain(&self) -> Range;

    /// The period, for a curve that returns to its start.
    fn period(&self) -> Option<f64> {
        None
    }

    /// The point alone.
    #[inline]
    fn point(&self, t: f64) -> Self::Vector {
        self.jet(t).point
    }
}

/// Shapes that can be cut in two at a parameter.
pub trait Subdivide: Sized {
    /// The parts before and after `t`, each with its own parameters running from 0 to 1 as before.
    fn split(&self, t: f64) -> [Self; 2];
}
