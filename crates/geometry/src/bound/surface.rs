//! Bounds of surfaces with closed formulas, by evaluating the formulas over intervals; of sweeps, from the bounds
//! of their curve.
//!
//! Source: interval evaluation (Moore 1966).
//! Differs: normals of round surfaces are (cos φ cos u, cos φ sin u, sin φ) with φ monotone in v, so their cone is
//! that of a rectangle on the unit sphere, in closed form.
//! Ends because: loops run over corners, arcs and pieces of a range.
//! Cost: a few trigonometric functions per side of the rectangle.
//! Not promised: the smallest box or cone.

use super::curve::hull_of_box;
use super::direction_cone::angle_between;
use super::interval_jet::{SurfaceBox, Vector, corners, longest};
use super::{ConvexBound, DerivativeBound, DirectionCone, Hull, NormalCone, SurfaceSpeeds, trig};
use crate::curve::{Arcs, Direction, ParametricCurve, Range, Rect, arcs};
use crate::surface::{Cone, Ellipsoid, Extrusion, Paraboloid, ParametricSurface, Revolution, Surface, Torus};
use crate::tolerance::{CLOSED_FORM_ERROR_REL, CONE_ROUNDING_RAD};
use crate::{Interval, Pose};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Pieces per turn into which a rectangle is cut where a cone is taken from boxes.
const PIECES_PER_TURN: f64 = 32.0;

/// Roundings of a torus's distance from its axis where the tube meets itself, of an angle that was cut there.
const TORUS_SIDE_ROUNDINGS: f64 = 64.0;

/// Most pieces along one parameter.
const MOST_PIECES: f64 = 32.0;

/// `(r cos u, r sin u, z)` over ranges, from r and z with their derivatives by v.
fn round_box(r: [Interval; 3], z: [Interval; 3], u: Interval) -> SurfaceBox {
    let (c, s) = (trig::cos(u), trig::sin(u));
    let out = |k: usize| [r[k] * c, r[k] * s, z[k]];
    let along = |k: usize| [-(r[k] * s), r[k] * c, Interval::ZERO];
    SurfaceBox {
        point: out(0),
        u: along(0),
        v: out(1),
        uu: [-(r[0] * c), -(r[0] * s), Interval::ZERO],
        uv: along(1),
        vv: out(2),
    }
}

fn ellipsoid_box(radii: [f64; 3], u: Interval, v: Interval) -> SurfaceBox {
    let [a, b, c] = radii.map(Interval::point);
    let ((cu, su), (cv, sv)) = ((trig::cos(u), trig::sin(u)), (trig::cos(v), trig::sin(v)));
    let zero = Interval::ZERO;
    let point = [a * cu * cv, b * su * cv, c * sv];
    SurfaceBox {
        point,
        u: [-(a * su * cv), b * cu * cv, zero],
        v: [-(a * cu * sv), -(b * su * sv), c * cv],
        uu: [-(a * cu * cv), -(b * su * cv), zero],
        uv: [a * su * sv, -(b * cu * sv), zero],
        vv: point.map(|x| -x),
    }
}

/// The surface over a rectangle in its own frame, and that frame; sweeps and splines have none.
fn local_box(surface: &Surface, rect: Rect) -> Option<(SurfaceBox, Pose)> {
    let [u, v] = [rect.u, rect.v].map(|range| Interval::between(range.low, range.high));
    let (zero, one) = (Interval::ZERO, Interval::point(1.0));
    Some(match surface {
        Surface::Plane(plane) => {
            let flat = [zero; 3];
            let jet = SurfaceBox {
                point: [u, v, zero],
                u: [one, zero, zero],
                v: [zero, one, zero],
                uu: flat,
                uv: flat,
                vv: flat,
            };
            (jet, *plane.frame())
        }
        Surface::Sphere(sphere) => (ellipsoid_box([sphere.radius(); 3], u, v), *sphere.frame()),
        Surface::Ellipsoid(ellipsoid) => (ellipsoid_box(ellipsoid.radii(), u, v), *ellipsoid.frame()),
        Surface::Cylinder(cylinder) => {
            let r = Interval::point(cylinder.radius());
            (round_box([r, zero, zero], [v, one, zero], u), *cylinder.frame())
        }
        Surface::Cone(cone) => (cone_box(cone, u, v), *cone.frame()),
        Surface::Paraboloid(paraboloid) => (paraboloid_box(paraboloid, u, v), *paraboloid.frame()),
        Surface::Torus(torus) => (torus_box(torus, u, v), *torus.frame()),
        Surface::Revolution(_) | Surface::Extrusion(_) | Surface::Nurbs(_) => return None,
    })
}

fn cone_box(cone: &Cone, u: Interval, v: Interval) -> SurfaceBox {
    let slope = Interval::point(cone.slope());
    let radius = Interval::point(cone.radius()) + slope * v;
    round_box([radius, slope, Interval::ZERO], [v, Interval::point(1.0), Interval::ZERO], u)
}

fn paraboloid_box(paraboloid: &Paraboloid, u: Interval, v: Interval) -> SurfaceBox {
    let half = Interval::point(0.5) / Interval::point(paraboloid.focal());
    round_box([v, Interval::point(1.0), Interval::ZERO], [half * v.square() * 0.5, half * v, half], u)
}

fn torus_box(torus: &Torus, u: Interval, v: Interval) -> SurfaceBox {
    let minor = Interval::point(torus.minor());
    let (x, z) = (minor * trig::cos(v), minor * trig::sin(v));
    round_box([Interval::point(torus.major()) + x, -z, -x], [z, x, -z], u)
}

impl ConvexBound for Surface {
    type Part = Rect;

    fn hull(&self, rect: Rect) -> Hull {
        match (self, local_box(self, rect)) {
            (_, Some((local, frame))) => hull_of_box(local.point, &frame),
            (Self::Revolution(revolution), _) => revolution_hull(revolution, rect),
            (Self::Extrusion(extrusion), _) => extrusion_hull(extrusion, rect),
            (Self::Nurbs(nurbs), _) => nurbs.hull(rect),
            (_, None) => Hull::unknown(),
        }
    }
}

/// Every hull point of the curve turned: an arc lies in the hull of its rational control points.
fn revolution_hull(surface: &Revolution, rect: Rect) -> Hull {
    let profile = surface.curve().hull(rect.v);
    let turn = if rect.u.width() < TAU { rect.u } else { Range::TURN };
    let arcs = arcs(widened(turn), false, Direction::U);
    let (Ok(Arcs { points: arcs, .. }), true) = (arcs, profile.slack.is_finite()) else {
        return Hull::unknown();
    };
    let mut points = Vec::with_capacity(arcs.len() * profile.points.len());
    let mut size = surface.origin().length();
    for p in &profile.points {
        let d = *p - surface.origin();
        let along = surface.axis() * surface.axis().dot(d);
        let (out, across) = (d - along, surface.axis().cross(d));
        size = size.max(p.length() + d.length());
        points.extend(arcs.iter().map(|[x, y, w]| surface.origin() + along + (out * *x + across * *y) / *w));
    }
    Hull::checked(points, profile.slack * (1.0 + CLOSED_FORM_ERROR_REL) + CLOSED_FORM_ERROR_REL * size)
}

/// A range of angles with a little room, so that it has a length and its ends are inside.
fn widened(range: Range) -> Range {
    let by = CONE_ROUNDING_RAD * (1.0 + range.low.abs().max(range.high.abs()));
    Range::new(range.low - by, range.high + by)
}

fn extrusion_hull(surface: &Extrusion, rect: Rect) -> Hull {
    let profile = surface.curve().hull(rect.u);
    let ends = [rect.v.low, rect.v.high].map(|v| surface.direction() * v);
    let points: Vec<DVec3> = profile.points.iter().flat_map(|p| ends.map(|end| *p + end)).collect();
    let size = points.iter().fold(0.0_f64, |most, p| most.max(p.length()));
    let size = ends.iter().fold(size, |most, end| most.max(end.length()));
    Hull::checked(points, profile.slack + CLOSED_FORM_ERROR_REL * size)
}

impl DerivativeBound for Surface {
    type Part = Rect;
    type Speeds = SurfaceSpeeds;

    fn derivative_bounds(&self, rect: Rect) -> SurfaceSpeeds {
        // Axes are of unit length up to rounding, and the formulas are evaluated in f64.
        let long = |v: Vector| longest(v) * (1.0 + CLOSED_FORM_ERROR_REL);
        match (self, local_box(self, rect)) {
            (_, Some((b, _))) => {
                SurfaceSpeeds { u: long(b.u), v: long(b.v), uu: long(b.uu), uv: long(b.uv), vv: long(b.vv) }
            }
            (Self::Revolution(surface), _) => revolution_speeds(surface, rect.v),
            (Self::Extrusion(surface), _) => {
                let curve = surface.curve().derivative_bounds(rect.u);
                let v = surface.direction().length() * (1.0 + CLOSED_FORM_ERROR_REL);
                SurfaceSpeeds { u: curve.first, v, uu: curve.second, uv: 0.0, vv: 0.0 }
            }
            (Self::Nurbs(nurbs), _) => nurbs.derivative_bounds(rect),
            (_, None) => SurfaceSpeeds {
                u: f64::INFINITY,
                v: f64::INFINITY,
                uu: f64::INFINITY,
                uv: f64::INFINITY,
                vv: f64::INFINITY,
            },
        }
    }
}

fn revolution_speeds(surface: &Revolution, v: Range) -> SurfaceSpeeds {
    let up = 1.0 + CLOSED_FORM_ERROR_REL;
    let (hull, curve) = (surface.curve().hull(v), surface.curve().derivative_bounds(v));
    let out = |p: &DVec3| surface.axis().cross(*p - surface.origin()).length();
    let far = hull.points.iter().map(out).fold(0.0, f64::max);
    let size = hull.points.iter().fold(surface.origin().length(), |most, p| most.max(p.length()));
    // The distance from the axis is convex, so a hull point is farthest.
    let far = far * up + hull.slack + CLOSED_FORM_ERROR_REL * size;
    SurfaceSpeeds { u: far, v: curve.first * up, uu: far, uv: curve.first * up, vv: curve.second * up }
}

impl NormalCone for Surface {
    fn normal_cone(&self, rect: Rect) -> DirectionCone {
        let round = |frame: &Pose, phi: Range| {
            let cone = sphere_rect_cone(rect.u, phi);
            DirectionCone { axis: frame.rotate(cone.axis), ..cone }
        };
        let same_side = |low: f64, high: f64| low >= 0.0 && high >= 0.0;
        match self {
            Self::Plane(plane) => DirectionCone::new(plane.frame().rotation().z_axis, CONE_ROUNDING_RAD),
            Self::Sphere(sphere) => round(sphere.frame(), rect.v),
            Self::Ellipsoid(ellipsoid) => ellipsoid_cone(ellipsoid, rect),
            Self::Cylinder(cylinder) => round(cylinder.frame(), Range::new(0.0, 0.0)),
            Self::Cone(cone) => {
                let ends = [rect.v.low, rect.v.high].map(|v| cone.radius() + cone.slope() * v);
                let tilt = -cone.slope().atan();
                // A rounding at the apex belongs to the nappe of the rest.
                let size = CLOSED_FORM_ERROR_REL * cone.radius();
                one_side(ends, size).map_or(DirectionCone::FULL, |outward| {
                    let cone = round(cone.frame(), Range::new(tilt, tilt));
                    if outward { cone } else { cone.reversed() }
                })
            }
            Self::Paraboloid(paraboloid) => {
                if !same_side(rect.v.low, rect.v.high) {
                    return DirectionCone::FULL;
                }
                let tilt = |v: f64| (-1.0_f64).atan2(0.5 * v / paraboloid.focal());
                round(paraboloid.frame(), Range::new(tilt(rect.v.low), tilt(rect.v.high)))
            }
            Self::Torus(torus) => {
                let found = round(torus.frame(), rect.v);
                match torus_side(torus, rect.v) {
                    Some(true) => found,
                    Some(false) => found.reversed(),
                    None => DirectionCone::FULL,
                }
            }
            Self::Revolution(_) | Self::Extrusion(_) => converted_cone(self, rect),
            Self::Nurbs(nurbs) => nurbs.normal_cone(rect),
        }
    }
}

/// Whether numbers between two are positive, or negative, give or take `slack`; none where they may be both.
fn one_side([one, other]: [f64; 2], slack: f64) -> Option<bool> {
    if one >= -slack && other >= -slack {
        return Some(true);
    }
    (one <= slack && other <= slack).then_some(false)
}

/// Whether a torus is outside its axis over a range of v: of a tube that meets itself the inner part has its normals
/// turned.
fn torus_side(torus: &Torus, v: Range) -> Option<bool> {
    if torus.minor() <= torus.major() {
        return Some(true);
    }
    let radius = Interval::point(torus.major())
        + Interval::point(torus.minor()) * trig::cos(Interval::between(v.low, v.high));
    one_side([radius.low(), radius.high()], TORUS_SIDE_ROUNDINGS * f64::EPSILON * torus.minor())
}

/// The cone of the directions (cos φ cos u, cos φ sin u, sin φ).
fn sphere_rect_cone(u: Range, phi: Range) -> DirectionCone {
    let (half_u, half_phi) = (0.5 * u.width(), 0.5 * phi.width());
    let slack = CONE_ROUNDING_RAD * (1.0 + u.low.abs().max(u.high.abs()) + phi.low.abs().max(phi.high.abs()));
    let mut best = DirectionCone::FULL;
    let mut offer = |axis: DVec3, angle: f64| {
        if angle + slack < best.angle {
            best = DirectionCone::new(axis, angle + slack);
        }
    };
    // About the middle. Within a quarter turn of it the angle is largest at a corner: hav θ = hav Δφ +
    // cos φ₀ cos φ hav Δu.
    if half_u <= FRAC_PI_2 && half_phi <= FRAC_PI_2 {
        let (u0, phi0) = (u.middle(), phi.middle());
        let haversine = |end: f64| {
            let (a, b) = ((0.5 * (end - phi0)).sin(), (0.5 * half_u).sin());
            a * a + phi0.cos() * end.cos() * b * b
        };
        let most = haversine(phi.low).max(haversine(phi.high)).clamp(0.0, 1.0);
        let axis = DVec3::new(phi0.cos() * u0.cos(), phi0.cos() * u0.sin(), phi0.sin());
        offer(axis, 2.0 * most.sqrt().asin());
    }
    // About the poles.
    if phi.low >= -FRAC_PI_2 - slack && phi.high <= FRAC_PI_2 + slack {
        offer(DVec3::Z, FRAC_PI_2 - phi.low);
        offer(DVec3::NEG_Z, FRAC_PI_2 + phi.high);
    }
    best
}

/// From boxes of the gradient over pieces of the rectangle.
fn ellipsoid_cone(ellipsoid: &Ellipsoid, rect: Rect) -> DirectionCone {
    let [a, b, c] = ellipsoid.radii().map(|r| Interval::point(1.0) / Interval::point(r));
    let pieces = |range: Range| {
        let count = (range.width().abs() / TAU * PIECES_PER_TURN).ceil().clamp(1.0, MOST_PIECES);
        (0..count as usize).map(move |i| {
            let ends = [i, i + 1].map(|k| range.at(k as f64 / count));
            Interval::between(ends[0], ends[1])
        })
    };
    let mut found = Vec::new();
    for u in pieces(rect.u) {
        for v in pieces(rect.v) {
            let cv = trig::cos(v);
            let normal = [a * trig::cos(u) * cv, b * trig::sin(u) * cv, c * trig::sin(v)];
            let Some(ends) = corners(normal) else { return DirectionCone::FULL };
            found.extend(ends);
        }
    }
    // A rectangle that is not a number has no pieces.
    if found.is_empty() {
        return DirectionCone::FULL;
    }
    let sum = found.iter().fold(DVec3::ZERO, |sum, n| sum + n.normalize_or_zero());
    let axis = DirectionCone::new(sum, 0.0).axis;
    let angle = found.iter().map(|n| angle_between(axis, *n)).fold(0.0, f64::max);
    // A box is in a cone narrower than a half-space once its corners are.
    if angle + CONE_ROUNDING_RAD < FRAC_PI_2 {
        DirectionCone::new(ellipsoid.frame().rotate(axis), angle + CONE_ROUNDING_RAD)
    } else {
        DirectionCone::FULL
    }
}

/// The cone of the spline that a sweep is: other parameters, the same normals.
fn converted_cone(surface: &Surface, rect: Rect) -> DirectionCone {
    let spline = match surface {
        Surface::Revolution(s) => {
            s.curve().domain().intersection(rect.v).and_then(|v| surface.to_nurbs(Rect::new(rect.u, v)).ok())
        }
        Surface::Extrusion(s) => s.curve().domain().intersection(rect.u).and_then(|u| {
            // How far it is extruded changes no normal: as far as the curve is large, so that neither is lost in the
            // rounding of the other.
            let size = s.curve().aabb(u).half_extents().length();
            let step = s.direction() * (size / s.direction().length());
            let same = Surface::from(Extrusion::new(s.curve().clone(), step).ok()?);
            same.to_nurbs(Rect::new(u, Range::new(0.0, 1.0))).ok()
        }),
        _ => None,
    };
    let cone = spline.map_or(DirectionCone::FULL, |spline| spline.normal_cone(spline.domain()));
    // A spline that rounding has made a point says nothing of the surface.
    if cone.is_empty() { DirectionCone::FULL } else { cone }
}
