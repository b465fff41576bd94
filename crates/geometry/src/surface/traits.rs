//! What algorithms ask of surfaces.

use super::SurfaceJet;
use super::jet::unit;
use crate::curve::{Range, Rect};
use crate::tolerance::POLE_STEP_REL;
use glam::DVec3;

/// A surface that can be evaluated with its first and second derivatives in one call.
pub trait ParametricSurface {
    /// Point, first and second derivatives at (u, v). Outside the domain the surface is continued (its formula
    /// or its outermost polynomial piece); NaN gives NaN.
    fn jet(&self, u: f64, v: f64) -> SurfaceJet;

    /// The parameters that the surface covers; a plane's are unbounded.
    fn domain(&self) -> Rect;

    /// Periods along u and v.
    fn periods(&self) -> [Option<f64>; 2] {
        [None, None]
    }

    /// The point alone.
    #[inline]
    fn point(&self, u: f64, v: f64) -> DVec3 {
        self.jet(u, v).point
    }

    /// The unit normal S_u × S_v; at a pole its limit from inside the domain along the parameter line that
    /// does not collapse. `None` where there is no limit.
    fn normal(&self, u: f64, v: f64) -> Option<DVec3> {
        let jet = self.jet(u, v);
        jet.normal().or_else(|| limit_normal(self, &jet, u, v))
    }
}

/// The direction of S_u × S_v a step inside the domain, by its first derivative; where that vanishes too, by a
/// real step.
fn limit_normal<S: ParametricSurface + ?Sized>(
    surface: &S,
    jet: &SurfaceJet,
    u: f64,
    v: f64,
) -> Option<DVec3> {
    let domain = surface.domain();
    let (mut a, mut b) = (inward(domain.u, u), inward(domain.v, v));
    // Leave a collapsed line across, not along.
    let (long_u, long_v) = (jet.u.length_squared(), jet.v.length_squared());
    if long_u * POLE_STEP_REL > long_v {
        b = 0.0;
    } else if long_v * POLE_STEP_REL > long_u {
        a = 0.0;
    }
    let grown = SurfaceJet { u: a * jet.uu + b * jet.uv, v: a * jet.uv + b * jet.vv, ..*jet };
    let turning = grown.u.cross(jet.v) + jet.u.cross(grown.v);
    let sizes = (grown.u.length() + jet.u.length()) * (grown.v.length() + jet.v.length());
    if turning.length() > POLE_STEP_REL * sizes {
        return unit(turning);
    }
    let step = |range: Range, sign: f64| {
        let width = range.width();
        sign * POLE_STEP_REL * if width.is_finite() { width } else { 1.0 }
    };
    surface.jet(u + step(domain.u, a), v + step(domain.v, b)).normal()
}

/// Which way the middle of a range lies.
fn inward(range: Range, t: f64) -> f64 {
    if range.is_bounded() && t > range.middle() { -1.0 } else { 1.0 }
}
