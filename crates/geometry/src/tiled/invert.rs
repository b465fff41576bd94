//! From points of a surface to their parameters, on the branch that continues a walk.
//!
//! Source: closed formulas for round surfaces; [`Surface::locate`] for sweeps and splines.
//! Differs: nothing to differ from.
//! Ends because: there are no loops but those of `locate`.
//! Cost: one arctangent or two for round surfaces; a few evaluations for the rest when a neighbour is given, a grid of
//! them otherwise.
//! Not promised: the nearest point of a point far from the surface.

use crate::curve::{ParametricCurve, Range, Rect};
use crate::surface::{ParametricSurface, Surface, SurfaceJet};
use glam::{DVec2, DVec3};

/// Samples of a sweep's curve from which a search starts.
const SWEEP_STARTS: usize = 32;

/// The jet at any parameters: those of a periodic surface are brought into its domain first.
pub(crate) fn jet(surface: &Surface, at: DVec2) -> SurfaceJet {
    let at = wrapped(surface, at);
    surface.jet(at.x, at.y)
}

/// Parameters of the same point within the domain.
pub(crate) fn wrapped(surface: &Surface, at: DVec2) -> DVec2 {
    let (domain, periods) = (surface.domain(), surface.periods());
    DVec2::new(wrap(at.x, domain.u, periods[0]), wrap(at.y, domain.v, periods[1]))
}

fn wrap(t: f64, range: Range, period: Option<f64>) -> f64 {
    match period {
        Some(period) if !range.contains(t) => range.clamp(t - period * ((t - range.low) / period).floor()),
        _ => t,
    }
}

/// The parameters of `target`, a point on `surface` or close to it: those nearest to `near`, or else those in the
/// domain. At a pole the parameter that is not defined is that of `near`.
pub(super) fn invert(surface: &Surface, target: DVec3, near: Option<DVec2>) -> DVec2 {
    let found = closed_form(surface, target, near).unwrap_or_else(|| search(surface, target, near));
    let near = near.unwrap_or_else(|| wrapped(surface, found));
    let periods = surface.periods();
    let branch = |t: f64, near: f64, period: Option<f64>| match period {
        Some(period) => t + period * ((near - t) / period).round(),
        None => t,
    };
    DVec2::new(branch(found.x, near.x, periods[0]), branch(found.y, near.y, periods[1]))
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

fn search(surface: &Surface, target: DVec3, near: Option<DVec2>) -> DVec2 {
    let (domain, periods) = (surface.domain(), surface.periods());
    let start = near.map(|near| wrapped(surface, near)).or_else(|| sweep_start(surface, target));
    let mut best = surface.locate(target, domain, start);
    // A search that ends on a seam may have to go on from its other side.
    for (axis, period) in periods.into_iter().enumerate() {
        let range = if axis == 0 { domain.u } else { domain.v };
        let (at, Some(_)) = (best.parameters[axis], period) else { continue };
        let other = if at == range.low {
            range.high
        } else if at == range.high {
            range.low
        } else {
            continue;
        };
        let mut start = best.parameters;
        start[axis] = other;
        let found = surface.locate(target, domain, Some(start));
        if found.distance < best.distance {
            best = found;
        }
    }
    best.parameters
}

/// The nearest of some samples of a sweep, whose domain may be unbounded; `None` for other surfaces.
fn sweep_start(surface: &Surface, target: DVec3) -> Option<DVec2> {
    let samples = |range: Range, far: f64| {
        let low = if range.low.is_finite() { range.low } else { -far };
        let high = if range.high.is_finite() { range.high } else { far };
        (0..=SWEEP_STARTS).map(move |k| Range::new(low, high).at(k as f64 / SWEEP_STARTS as f64))
    };
    let candidates: Vec<DVec2> = match surface {
        Surface::Extrusion(extrusion) => {
            let (curve, along) = (extrusion.curve(), extrusion.direction());
            let far = target.length() + curve.point(0.0).length() + 1.0;
            let height = |u: f64| (target - curve.point(u)).dot(along) / along.length_squared();
            samples(curve.domain(), far).map(|u| DVec2::new(u, height(u))).collect()
        }
        Surface::Revolution(revolution) => {
            let (curve, axis) = (revolution.curve(), revolution.axis());
            let from_axis = |p: DVec3| {
                let d = p - revolution.origin();
                d - axis * axis.dot(d)
            };
            let far = target.length() + curve.point(0.0).length() + 1.0;
            let out = from_axis(target);
            let turn = |v: f64| {
                let from = from_axis(curve.point(v));
                from.cross(out).dot(axis).atan2(from.dot(out))
            };
            samples(curve.domain(), far).map(|v| DVec2::new(turn(v), v)).collect()
        }
        _ => return None,
    };
    let off = |p: &DVec2| surface.point(p.x, p.y).distance_squared(target);
    let best = candidates.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
    Some(wrapped(surface, best))
}

/// The derivatives of the parameters of a curve on the surface from its derivative in space; `None` at a pole.
pub(super) fn pulled_back(jet: &SurfaceJet, tangent: DVec3) -> Option<DVec2> {
    if jet.is_degenerate() {
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
