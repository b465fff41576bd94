//! Numbers that are none, and parts that are none: nothing panics, and a bound of them says nothing.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::bound::{ConvexBound, DerivativeBound, NormalCone};
use clearance_geometry::curve::{Direction, NurbsCurve, ParametricCurve, Range, Rect};
use clearance_geometry::surface::{NurbsSurface, ParametricSurface};
use clearance_geometry::{DVec2, DVec3};
use clearance_testkit::Random;
use clearance_testkit::generate::{CURVE_KINDS, SURFACE_KINDS, curve, surface};

const ODD: [f64; 9] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 5e-324, 0.0, -1.0, 1e17];

#[test]
fn odd_parameters_of_curves_do_no_harm() {
    let mut random = Random::new(81);
    for kind in 0..CURVE_KINDS.len() {
        for _ in 0..10 {
            let (curve, part) = curve(&mut random, kind);
            for a in ODD {
                assert!(!a.is_nan() || curve.jet(a).point.is_nan() || kind == 0);
                assert!(curve.locate(DVec3::splat(a), part, Some(a)).parameters >= part.low);
                for b in ODD {
                    let range = Range::new(a, b);
                    let (hull, aabb) = (curve.hull(range), curve.aabb(range));
                    if a.is_nan()
                        && b.is_nan()
                        && ["line", "parabola", "hyperbola"].contains(&CURVE_KINDS[kind])
                    {
                        assert!(hull.slack.is_infinite(), "{curve:?}");
                        assert!(aabb.contains([0.0; 3]) && aabb.contains([1e300; 3]), "{curve:?} {aabb:?}");
                    }
                    curve.obb(range);
                    curve.derivative_bounds(range);
                    if let Ok(spline) = curve.to_nurbs(range) {
                        assert!(spline.domain() == range);
                    }
                }
            }
        }
    }
}

#[test]
fn odd_parameters_of_surfaces_do_no_harm() {
    let mut random = Random::new(82);
    for kind in 0..SURFACE_KINDS.len() {
        let (surface, part) = surface(&mut random, kind);
        for a in ODD {
            for b in ODD {
                let jet = surface.jet(a, b);
                assert!(!a.is_nan() || !b.is_nan() || jet.point.is_nan() || jet.normal().is_none());
                surface.normal(a, b);
                surface.iso_curve(Direction::U, a, Range::new(a, b));
                surface.iso_curve(Direction::V, b, Range::new(b, a));
                surface.locate(DVec3::new(a, b, 0.0), part, Some(DVec2::new(a, b)));
                for rect in [
                    Rect::new(Range::new(a, b), part.v),
                    Rect::new(part.u, Range::new(a, b)),
                    Rect::new(Range::new(a, b), Range::new(b, a)),
                ] {
                    let hull = surface.hull(rect);
                    assert!(hull.slack.is_infinite() || hull.points.iter().all(|p| p.is_finite()));
                    assert!(!hull.support(DVec3::X).is_nan());
                    surface.obb(rect);
                    surface.derivative_bounds(rect);
                    surface.normal_cone(rect);
                    let _ = surface.to_nurbs(rect);
                }
            }
        }
    }
}

#[test]
fn random_input_never_panics() {
    let mut random = Random::new(83);
    let mut made = 0;
    for _ in 0..3000 {
        let number = |random: &mut Random| {
            if random.chance(0.02) { *random.pick(&ODD) } else { random.uniform(-1.0, 1.0) }
        };
        let n = 1 + random.index(6);
        let degree = random.index(4);
        let mut knots: Vec<f64> = (0..n + degree + random.index(3)).map(|_| number(&mut random)).collect();
        if random.chance(0.8) {
            knots.sort_by(f64::total_cmp);
        }
        let points: Vec<DVec3> = (0..n)
            .map(|_| DVec3::new(number(&mut random), number(&mut random), number(&mut random)))
            .collect();
        let weights: Vec<f64> = (0..n).map(|_| number(&mut random).abs()).collect();
        let weights = random.chance(0.5).then_some(&weights[..]);
        if let Ok(curve) = NurbsCurve::new(degree, knots.clone(), &points, weights) {
            made += 1;
            let domain = curve.domain();
            curve.jet(domain.at(0.3));
            curve.hull(domain);
            curve.derivative_bounds(domain);
            let _ = curve.elevated();
            let _ = curve.with_knot(domain.middle());
            let _ = curve.restricted(domain);
        }
        let net: Vec<Vec<DVec3>> = points.iter().map(|_| points.clone()).collect();
        if let Ok(surface) = NurbsSurface::new([degree; 2], [knots.clone(), knots], &net, None) {
            let domain = surface.domain();
            surface.jet(domain.u.at(0.7), domain.v.at(0.2));
            surface.normal_cone(domain);
            surface.poles();
            let _ = surface.elevated(Direction::V);
        }
    }
    assert!(made > 100, "{made}");
}
