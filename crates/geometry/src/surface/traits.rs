//! What algorithms ask of surfaces.

use super::SurfaceJet;
use super::jet::unit;
use crate::curve::{Range, Rect};
use crate::tolerance::POLE_STEP_REL;
use glam::{DVec2, DVec3};

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

    /// How far u and v reach about a point with this jet, so that derivatives times extents are lengths of the same
    /// order. The widths of the domain; a parameter without an end reaches as far as the other does. Positive, finite.
    fn extents(&self, _at: DVec2, jet: &SurfaceJet) -> DVec2 {
        let Rect { u, v } = self.domain();
        let (long_u, long_v) = (jet.u.length(), jet.v.length());
        let (u, v) = match (u.is_bounded(), v.is_bounded()) {
            (true, true) => (u.width(), v.width()),
            (true, false) => (u.width(), u.width() * long_u / long_v),
            (false, true) => (v.width() * long_v / long_u, v.width()),
            (false, false) => (1.0 / long_u, 1.0 / long_v),
        };
        DVec2::new(extent(u), extent(v))
    }

    /// The unit normal S_u × S_v; at a pole its limit from inside the domain along the parameter line that
    /// does not collapse. `None` where there is no limit.
    fn normal(&self, u: f64, v: f64) -> Option<DVec3> {
        let jet = self.jet(u, v);
        let extents = self.extents(DVec2::new(u, v), &jet);
        let jet = jet.per_extents(extents);
        jet.normal().or_else(|| limit_normal(self, &jet, extents, u, v))
    }
}

/// An extent, or one unit where nothing tells how far a parameter reaches.
pub(super) fn extent(found: f64) -> f64 {
    if found > 0.0 && found.is_finite() { found } else { 1.0 }
}

/// The direction of S_u × S_v a step inside the domain, by its first derivative; where that vanishes too, by a
/// real step. The jet is that [per extents](SurfaceJet::per_extents).
fn limit_normal<S: ParametricSurface + ?Sized>(
    surface: &S,
    jet: &SurfaceJet,
    extents: DVec2,
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
    let step = POLE_STEP_REL * extents * DVec2::new(a, b);
    surface.jet(u + step.x, v + step.y).per_extents(extents).normal()
}

/// Which way the middle of a range lies.
fn inward(range: Range, t: f64) -> f64 {
    if range.is_bounded() && t > range.middle() { -1.0 } else { 1.0 }
}
