//! From points of a surface to their parameters, on the branch that continues a walk.
//!
//! Source: closed formulas for round surfaces; [`Surface::locate`] for sweeps and splines.
//! Differs: a search that ends farther from the surface than a point of it should be goes on everywhere.
//! Ends because: there are no loops but those of `locate`.
//! Cost: one arctangent or two for round surfaces; a few evaluations for the rest when a neighbour is given, a search
//! everywhere otherwise or where that leads nowhere.
//! Not promised: the nearest point of a point far from the surface.

use crate::curve::{Range, Rect};
use crate::surface::home::{jet, wrapped};
use crate::surface::{Found, ParametricSurface, Surface, SurfaceJet};
use crate::tolerance::{EDGE_OFF_REL, MATCH_REL};
use glam::{DVec2, DVec3};

/// A place with less than this share of the distance of another is taken in its stead.
const JUMP_SHARE: f64 = 0.5;

/// The parameters of `target`, a point on `surface` or close to it: those nearest to `near`, or else those in the
/// domain. At a pole the parameter that is not defined is that of `near`.
pub(super) fn invert(surface: &Surface, target: DVec3, near: Option<DVec2>) -> DVec2 {
    let found =
        closed_form(surface, target, near).unwrap_or_else(|| search(surface, target, near).0.parameters);
    branch(surface, found, near)
}

/// The same with the derivatives there.
pub(super) fn invert_jet(surface: &Surface, target: DVec3, near: Option<DVec2>) -> (DVec2, SurfaceJet) {
    if let Some(found) = closed_form(surface, target, near) {
        let at = branch(surface, found, near);
        return (at, jet(surface, at));
    }
    let (found, there) = search(surface, target, near);
    let at = branch(surface, found.parameters, near);
    // On another branch it may be the other side of a seam.
    (at, if at == found.parameters { there } else { jet(surface, at) })
}

/// The copy of parameters that is nearest to `near`, or in the domain.
fn branch(surface: &Surface, found: DVec2, near: Option<DVec2>) -> DVec2 {
    let near = near.unwrap_or_else(|| wrapped(surface, found));
    let periods = surface.periods();
    let nearest = |t: f64, near: f64, period: Option<f64>| match period {
        Some(period) => t + period * ((near - t) / period).round(),
        None => t,
    };
    DVec2::new(nearest(found.x, near.x, periods[0]), nearest(found.y, near.y, periods[1]))
}

fn closed_form(surface: &Surface, target: DVec3, near: Option<DVec2>) -> Option<DVec2> {
    let angle = |x: f64, y: f64| {
        if x == 0.0 && y == 0.0 { near.map_or(0.0, |near| near.x) } else { y.atan2(x) }
    };
    Some(match surface {
        Surface::Plane(plane) => plane.frame().apply_inverse(target).truncate(),
        Surface::Sphere(sphere) => {
            let p = sphere.frame().apply_inverse(target);
            DVec2::new(angle(p.x, p.y), p.z.atan2(p.x.hypot(p.y)))
        }
        Surface::Ellipsoid(ellipsoid) => {
            let p = ellipsoid.frame().apply_inverse(target) / DVec3::from_array(ellipsoid.radii());
            DVec2::new(angle(p.x, p.y), p.z.atan2(p.x.hypot(p.y)))
        }
        Surface::Cylinder(cylinder) => {
            let p = cylinder.frame().apply_inverse(target);
            DVec2::new(angle(p.x, p.y), p.z)
        }
        Surface::Cone(cone) => {
            let (p, slope) = (cone.frame().apply_inverse(target), cone.slope());
            // On the far nappe the radius is negative and the angle the opposite one.
            let side = if cone.radius() + slope * p.z < 0.0 { -1.0 } else { 1.0 };
            let out = side * p.x.hypot(p.y) - cone.radius();
            DVec2::new(angle(side * p.x, side * p.y), (p.z + slope * out) / (1.0 + slope * slope))
        }
        Surface::Paraboloid(paraboloid) => {
            let p = paraboloid.frame().apply_inverse(target);
            DVec2::new(angle(p.x, p.y), p.x.hypot(p.y))
        }
        Surface::Torus(torus) => {
            let p = torus.frame().apply_inverse(target);
            let out = p.x.hypot(p.y);
            // The inner sheet of a tube that meets itself lies across the axis.
            let off = |out: f64| ((out - torus.major()).hypot(p.z) - torus.minor()).abs();
            let side = if torus.minor() > torus.major() && off(-out) < off(out) { -1.0 } else { 1.0 };
            DVec2::new(angle(side * p.x, side * p.y), p.z.atan2(side * out - torus.major()))
        }
        Surface::Revolution(_) | Surface::Extrusion(_) | Surface::Nurbs(_) => return None,
    })
}

fn search(surface: &Surface, target: DVec3, near: Option<DVec2>) -> Found {
    let domain = surface.domain();
    let (found, off) = match near {
        Some(near) => (continued(surface, target, domain, wrapped(surface, near)), EDGE_OFF_REL),
        // Points of edges are off their faces by as much as they are said to match.
        None => (surface.located_near(target, domain), MATCH_REL),
    };
    let off = off * extent(domain, &found.1);
    // The first end stays unless another is much nearer: an edge off its surface must not jump. Without an extent, as of the
    // sweep of a line, nothing is known to be far.
    if found.0.distance > off && off > 0.0 {
        surface.nearer(target, domain, found, JUMP_SHARE)
    } else {
        found
    }
}

/// A search that goes on from the other side of a seam where it ends there.
fn continued(surface: &Surface, target: DVec3, domain: Rect, start: DVec2) -> Found {
    let mut best = surface.locate_jet(target, domain, Some(start));
    for (axis, period) in surface.periods().into_iter().enumerate() {
        let range = if axis == 0 { domain.u } else { domain.v };
        let (at, Some(_)) = (best.0.parameters[axis], period) else { continue };
        let other = if at == range.low {
            range.high
        } else if at == range.high {
            range.low
        } else {
            continue;
        };
        let mut start = best.0.parameters;
        start[axis] = other;
        let found = surface.locate_jet(target, domain, Some(start));
        if found.0.distance < best.0.distance {
            best = found;
        }
    }
    best
}

/// How far a surface reaches along its parameters, as its derivatives at one place have it; a length.
fn extent(domain: Rect, jet: &SurfaceJet) -> f64 {
    let reach =
        |speed: DVec3, range: Range| if range.is_bounded() { speed.length() * range.width() } else { 0.0 };
    reach(jet.u, domain.u).max(reach(jet.v, domain.v))
}

/// The derivatives of the parameters of a curve on the surface, at parameters with this jet, from its derivative in
/// space; `None` at a pole.
pub(super) fn pulled_back(surface: &Surface, at: DVec2, jet: &SurfaceJet, tangent: DVec3) -> Option<DVec2> {
    if jet.per_extents(surface.extents(at, jet)).is_degenerate() {
        return None;
    }
    let (e, f, g) = (jet.u.length_squared(), jet.u.dot(jet.v), jet.v.length_squared());
    let (a, b) = (jet.u.dot(tangent), jet.v.dot(tangent));
    Some(DVec2::new(g * a - f * b, e * b - f * a) / (e * g - f * f))
}

/// A rectangle around points.
pub(super) fn rect_around(points: impl IntoIterator<Item = DVec2>) -> Rect {
    let mut low = DVec2::splat(f64::INFINITY);
    let mut high = DVec2::splat(f64::NEG_INFINITY);
    for p in points {
        (low, high) = (low.min(p), high.max(p));
    }
    Rect::new(Range::new(low.x, high.x), Range::new(low.y, high.y))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Pose;
    use crate::curve::{Curve, Ellipse};
    use crate::surface::{Extrusion, Revolution};

    /// Surfaces whose two sides are near each other: from the wrong one the nearest point of that side is found.
    fn thin() -> [Surface; 3] {
        let flat = Curve::from(Ellipse::new(Pose::IDENTITY, [1.0, 0.2]).unwrap());
        let spline = Curve::from(flat.to_nurbs(Range::TURN).unwrap());
        let wall = Surface::from(Extrusion::new(spline.clone(), DVec3::Z).unwrap());
        let part = Rect::new(wall.domain().u, Range::new(0.0, 2.0));
        let upright = Pose::from_axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2, DVec3::X * 3.0).unwrap();
        let ring = Revolution::new(spline.moved(&upright), DVec3::ZERO, DVec3::Z).unwrap();
        [wall.to_nurbs(part).unwrap().into(), wall, ring.into()]
    }

    #[test]
    fn bad_starts_are_left_for_better_ones() {
        let (mut wrong, mut count) = (0, 0);
        for surface in thin() {
            let axis = if matches!(surface, Surface::Revolution(_)) { 1 } else { 0 };
            for k in 0..40 {
                let mut at = DVec2::new(0.7, 0.7);
                at[axis] = std::f64::consts::TAU * (f64::from(k) + 0.5) / 40.0;
                let target = jet(&surface, at).point;
                let mut near = at;
                near[axis] = std::f64::consts::TAU - at[axis];
                let alone = surface.locate(target, surface.domain(), Some(near)).distance;
                wrong += u32::from(alone > 1e-6);
                count += 1;
                let found = invert(&surface, target, Some(near));
                let off = jet(&surface, found).point.distance(target);
                assert!(off < 1e-9, "{k} of {surface:?}: {off}");
            }
        }
        assert!(wrong > count / 2, "{wrong} of {count} starts were bad");
    }

    #[test]
    fn points_off_the_surface_stay_where_the_walk_is() {
        let [spline, wall, _] = thin();
        for surface in [spline, wall] {
            let at = DVec2::new(1.0, 0.5);
            // Halfway to the other side, and a bit nearer to it.
            let there = jet(&surface, at);
            let target = there.point - surface.normal(at.x, at.y).unwrap() * there.point.y * 1.05;
            let found = invert(&surface, target, Some(at));
            assert!((found - at).length() < 0.2, "{found}");
        }
    }
}
