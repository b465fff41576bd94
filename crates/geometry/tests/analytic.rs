//! Closed formulas against numbers that carry their derivatives; conversion to splines and back.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::curve::{
    Circle, ConvertError, Curve, Direction, Ellipse, Helix, Hyperbola, Line, Parabola, ParametricCurve,
    Range, Rect, Turn,
};
use clearance_geometry::surface::{
    Cone, Cylinder, Ellipsoid, Extrusion, Paraboloid, ParametricSurface, Plane, Revolution, Sphere, Surface,
    Torus,
};
use clearance_geometry::{DVec3, Pose, ShapeError};
use clearance_testkit::oracle::{Dual, Number};
use clearance_testkit::{Random, generate};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

type D = Dual<f64>;

fn c(value: f64) -> D {
    D::of(value)
}

/// R x + t on numbers with derivatives.
fn placed(frame: &Pose, local: [D; 3]) -> [D; 3] {
    let (r, t) = (frame.rotation(), frame.translation());
    [0, 1, 2].map(|i| (0..3).fold(c(t[i]), |sum, k| sum + c(r.col(k)[i]) * local[k].clone()))
}

fn entry(point: &[D; 3], which: usize) -> DVec3 {
    DVec3::new(point[0].0[which], point[1].0[which], point[2].0[which])
}

fn near(found: DVec3, expected: DVec3, size: f64, what: &str) {
    assert!((found - expected).length() <= 1e-14 * size, "{what}: {found} instead of {expected}");
}

#[test]
fn curve_derivatives_agree_with_automatic_ones() {
    let mut random = Random::new(61);
    for _ in 0..40 {
        let frame = Pose::new(random.quaternion(), random.in_ball()).unwrap();
        let t0 = random.uniform(-3.0, 3.0);
        let t = || D::variable(t0, 0);
        let cases: [(Curve, [D; 3]); 5] = [
            (Circle::new(frame, 2.0).unwrap().into(), [c(2.0) * t().cos(), c(2.0) * t().sin(), c(0.0)]),
            (
                Ellipse::new(frame, [3.0, 0.5]).unwrap().into(),
                [c(3.0) * t().cos(), c(0.5) * t().sin(), c(0.0)],
            ),
            (Parabola::new(frame, 0.7).unwrap().into(), [c(0.7) * t() * t(), c(1.4) * t(), c(0.0)]),
            (
                Hyperbola::new(frame, [1.5, 2.5]).unwrap().into(),
                [c(1.5) * t().cosh(), c(2.5) * t().sinh(), c(0.0)],
            ),
            (
                Helix::new(frame, 2.0, -3.0).unwrap().into(),
                [c(2.0) * t().cos(), c(2.0) * t().sin(), c(-3.0 / TAU) * t()],
            ),
        ];
        for (curve, local) in cases {
            let expected = placed(&frame, local);
            let jet = curve.jet(t0);
            for (which, found) in [(0, jet.point), (1, jet.first), (3, jet.second)] {
                near(found, entry(&expected, which), 30.0, "curve");
            }
        }
    }
}

/// (r cos u, r sin u, z).
fn round(r: D, z: D, u: D) -> [D; 3] {
    [r.clone() * u.cos(), r * u.sin(), z]
}

#[test]
fn surface_derivatives_agree_with_automatic_ones() {
    let mut random = Random::new(62);
    for _ in 0..40 {
        let frame = Pose::new(random.quaternion(), random.in_ball()).unwrap();
        let at = [random.uniform(-3.0, 3.0), random.uniform(-1.5, 1.5)];
        let (u, v) = (|| D::variable(at[0], 0), || D::variable(at[1], 1));
        let circle = Circle::new(frame, 0.7).unwrap();
        let on_circle = |t: D| placed(&frame, [c(0.7) * t.cos(), c(0.7) * t.sin(), c(0.0)]);
        let direction = random.direction();
        let moved: [D; 3] = {
            let p = on_circle(u());
            [0, 1, 2].map(|i| p[i].clone() + c(direction[i]) * v())
        };
        let cases: [(Surface, [D; 3]); 8] = [
            (Plane::new(frame).into(), placed(&frame, [u(), v(), c(0.0)])),
            (
                Sphere::new(frame, 2.0).unwrap().into(),
                placed(&frame, round(c(2.0) * v().cos(), c(2.0) * v().sin(), u())),
            ),
            (
                Ellipsoid::new(frame, [2.0, 3.0, 0.5]).unwrap().into(),
                placed(
                    &frame,
                    [c(2.0) * v().cos() * u().cos(), c(3.0) * v().cos() * u().sin(), c(0.5) * v().sin()],
                ),
            ),
            (Cylinder::new(frame, 1.5).unwrap().into(), placed(&frame, round(c(1.5), v(), u()))),
            (
                Cone::new(frame, 1.5, -0.4).unwrap().into(),
                placed(&frame, round(c(1.5) - c(0.4) * v(), v(), u())),
            ),
            (
                Paraboloid::new(frame, 0.8).unwrap().into(),
                placed(&frame, round(v(), v() * v() / c(3.2), u())),
            ),
            (
                Torus::new(frame, 3.0, 1.0).unwrap().into(),
                placed(&frame, round(c(3.0) + v().cos(), v().sin(), u())),
            ),
            (Extrusion::new(circle.into(), direction).unwrap().into(), moved),
        ];
        for (surface, expected) in cases {
            let jet = surface.jet(at[0], at[1]);
            for (which, found) in [jet.point, jet.u, jet.v, jet.uu, jet.uv, jet.vv].into_iter().enumerate() {
                near(found, entry(&expected, which), 20.0, "surface");
            }
            let normal = surface.normal(at[0], at[1]).unwrap();
            near(normal, jet.cross().normalize(), 100.0, "normal");
        }
    }
}

#[test]
fn revolutions_agree_with_the_surfaces_they_are() {
    let mut random = Random::new(63);
    for _ in 0..40 {
        let frame = Pose::new(random.quaternion(), random.in_ball()).unwrap();
        let axes = frame.rotation();
        let (origin, axis) = (frame.translation(), axes.z_axis * 5.0);
        let line = Line::new(frame.apply(DVec3::X * 1.5), frame.rotate(DVec3::new(-0.4, 0.0, 1.0))).unwrap();
        let upright = Pose::from_matrix(
            clearance_geometry::DMat3::from_cols(axes.x_axis, axes.z_axis, -axes.y_axis),
            frame.apply(DVec3::X * 3.0),
        )
        .unwrap();
        let circle = Circle::new(upright, 1.0).unwrap();
        let pairs: [(Surface, Surface); 2] = [
            (
                Revolution::new(line.into(), origin, axis).unwrap().into(),
                Cone::new(frame, 1.5, -0.4).unwrap().into(),
            ),
            (
                Revolution::new(circle.into(), origin, axis).unwrap().into(),
                Torus::new(frame, 3.0, 1.0).unwrap().into(),
            ),
        ];
        for (made, known) in pairs {
            let (u, v) = (random.uniform(0.0, TAU), random.uniform(0.0, 3.0));
            let (a, b) = (made.jet(u, v), known.jet(u, v));
            for (x, y) in
                [(a.point, b.point), (a.u, b.u), (a.v, b.v), (a.uu, b.uu), (a.uv, b.uv), (a.vv, b.vv)]
            {
                near(x, y, 50.0, "revolution");
            }
        }
        assert_eq!(pairs_pole(origin, axis, line), vec![3.75]);
    }
}

fn pairs_pole(origin: DVec3, axis: DVec3, line: Line) -> Vec<f64> {
    let surface = Surface::from(Revolution::new(line.into(), origin, axis).unwrap());
    surface.poles().iter().map(|pole| (pole.at * 1e9).round() / 1e9).collect()
}

#[test]
fn cosine_and_sine_serve_in_place_of_the_angle() {
    let sphere = Sphere::new(Pose::IDENTITY, 2.0).unwrap();
    let step = Turn::from_angle(0.01);
    let mut turn = Turn::from_angle(0.3);
    for k in 1..=1000 {
        turn = turn.turned(step).normalized();
        let by_turn = sphere.jet_turned(turn, Turn::from_angle(0.5));
        let by_angle = Surface::from(sphere).jet(0.3 + 0.01 * f64::from(k), 0.5);
        near(by_turn.uv, by_angle.uv, 500.0, "turned");
    }
    assert!((turn.cos.hypot(turn.sin) - 1.0).abs() < 1e-15);
}

/// The angle of a rational arc at the parameter `t`: linear in the tangent of half the angle within each arc.
fn arc_angle(range: Range, t: f64, step: f64, hyperbolic: bool) -> f64 {
    let count = (range.width() / step * (1.0 - 1e-12)).ceil().max(1.0);
    let half = 0.5 * range.width() / count;
    let arc = ((t - range.low) / (2.0 * half)).floor().min(count - 1.0);
    let middle = range.low + (2.0 * arc + 1.0) * half;
    let s = (t - middle) / half;
    if hyperbolic {
        middle + 2.0 * ((0.5 * half).tanh() * s).atanh()
    } else {
        middle + 2.0 * ((0.5 * half).tan() * s).atan()
    }
}

fn curve_parameter(curve: &Curve, range: Range, t: f64) -> f64 {
    match curve {
        Curve::Circle(_) | Curve::Ellipse(_) => arc_angle(range, t, FRAC_PI_2, false),
        Curve::Hyperbola(_) => arc_angle(range, t, 2.0, true),
        _ => t,
    }
}

#[test]
fn curves_survive_conversion() {
    let mut random = Random::new(64);
    for case in 0..140 {
        let kind = case % 7;
        let (curve, part) = generate::curve(&mut random, kind);
        if generate::CURVE_KINDS[kind] == "helix" {
            assert_eq!(curve.to_nurbs(part).unwrap_err(), ConvertError::NotRational);
            continue;
        }
        let spline = curve.to_nurbs(part).unwrap_or_else(|e| panic!("{curve:?} {part:?}: {e}"));
        assert_eq!(spline.domain(), part);
        for _ in 0..20 {
            let t = part.at(random.unit());
            let point = curve.point(curve_parameter(&curve, part, t));
            let size = point.length() + curve.jet(t).first.length() * t.abs();
            near(spline.point(t), point, 100.0 * size, "conversion");
        }
    }
}

#[test]
fn surfaces_survive_conversion() {
    let mut random = Random::new(65);
    let mut converted = 0;
    for case in 0..220 {
        let kind = case % generate::SURFACE_KINDS.len();
        let (surface, part) = generate::surface(&mut random, kind);
        let spline = match surface.to_nurbs(part) {
            Ok(spline) => spline,
            Err(ConvertError::NotRational) => continue,
            Err(error) => panic!("{surface:?} {part:?}: {error}"),
        };
        converted += 1;
        assert_eq!(spline.domain(), part);
        for _ in 0..20 {
            let (u, v) = (part.u.at(random.unit()), part.v.at(random.unit()));
            let arc = |range, t| arc_angle(range, t, FRAC_PI_2, false);
            let (s, t) = match &surface {
                Surface::Plane(_) | Surface::Nurbs(_) => (u, v),
                Surface::Sphere(_) | Surface::Ellipsoid(_) | Surface::Torus(_) => {
                    (arc(part.u, u), arc(part.v, v))
                }
                Surface::Cylinder(_) | Surface::Cone(_) | Surface::Paraboloid(_) => (arc(part.u, u), v),
                Surface::Revolution(r) => (arc(part.u, u), curve_parameter(r.curve(), part.v, v)),
                Surface::Extrusion(e) => (curve_parameter(e.curve(), part.u, u), v),
            };
            let jet = surface.jet(s, t);
            let size = jet.point.length() + jet.u.length() * s.abs() + jet.v.length() * t.abs();
            near(spline.point(u, v), jet.point, 200.0 * size, generate::SURFACE_KINDS[kind]);
        }
    }
    assert!(converted > 180, "{converted}");
}

#[test]
fn full_period_surfaces_close_as_splines() {
    let torus = Surface::from(Torus::new(Pose::IDENTITY, 3.0, 1.0).unwrap());
    assert_eq!(torus.to_nurbs(torus.domain()).unwrap().is_closed(), [true, true]);
    let ball = Surface::from(Sphere::new(Pose::IDENTITY, 3.0).unwrap());
    let spline = ball.to_nurbs(ball.domain()).unwrap();
    assert_eq!(spline.is_closed(), [true, false]);
    let poles = spline.poles();
    assert_eq!(poles.len(), 2);
    for (pole, z) in poles.iter().zip([-1.0, 1.0]) {
        assert_eq!(pole.direction, Direction::V);
        near(pole.point, DVec3::Z * (3.0 * z), 10.0, "pole");
        near(pole.normal.unwrap(), DVec3::Z * z, 10.0, "normal at the pole");
    }
}

#[test]
fn bad_ranges_are_refused() {
    let circle = Curve::from(Circle::new(Pose::IDENTITY, 1.0).unwrap());
    let line = Curve::from(Line::new(DVec3::ZERO, DVec3::X).unwrap());
    for (low, high) in [(0.0, 0.0), (1.0, 0.0), (0.0, f64::INFINITY), (f64::NAN, 1.0), (0.0, 1e9)] {
        assert!(matches!(circle.to_nurbs(Range::new(low, high)), Err(ConvertError::BadRange { .. })));
    }
    assert!(matches!(line.to_nurbs(line.domain()), Err(ConvertError::BadRange { .. })));
    let plane = Surface::from(Plane::new(Pose::IDENTITY));
    assert!(matches!(plane.to_nurbs(plane.domain()), Err(ConvertError::BadRange { .. })));
    let unit = Range::new(0.0, 1.0);
    let back = Rect::new(unit, Range::new(1.0, 0.0));
    assert!(matches!(plane.to_nurbs(back), Err(ConvertError::BadRange { direction: Direction::V, .. })));
}

#[test]
fn bad_sizes_are_named() {
    let frame = Pose::IDENTITY;
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let is = |found: Option<ShapeError>, name: &str| {
            let found = found.unwrap_or_else(|| panic!("{name} {bad} is accepted"));
            let named = match &found {
                ShapeError::BadSize { field, .. } | ShapeError::NotFinite { field } => field == &name,
                _ => false,
            };
            assert!(named, "{found}");
        };
        is(Circle::new(frame, bad).err(), "radius");
        is(Ellipse::new(frame, [1.0, bad]).err(), "radii");
        is(Parabola::new(frame, bad).err(), "focal");
        is(Hyperbola::new(frame, [bad, 1.0]).err(), "radii");
        is(Helix::new(frame, bad, 1.0).err(), "radius");
        is(Sphere::new(frame, bad).err(), "radius");
        is(Ellipsoid::new(frame, [1.0, bad, 1.0]).err(), "radii");
        is(Cylinder::new(frame, bad).err(), "radius");
        is(Paraboloid::new(frame, bad).err(), "focal");
        is(Torus::new(frame, bad, 1.0).err(), "major");
        is(Torus::new(frame, 1.0, bad).err(), "minor");
    }
    assert!(Helix::new(frame, 1.0, f64::NAN).is_err());
    assert!(Cone::new(frame, 0.0, 1.0).is_ok());
    for (radius, slope) in [(-1.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
        assert!(Cone::new(frame, radius, slope).is_err());
    }
    assert!(matches!(Line::new(DVec3::ZERO, DVec3::ZERO), Err(ShapeError::NoDirection { .. })));
    assert!(matches!(Line::new(DVec3::NAN, DVec3::X), Err(ShapeError::NotFinite { .. })));
    let curve = Curve::from(Line::new(DVec3::ZERO, DVec3::X).unwrap());
    assert!(matches!(Extrusion::new(curve.clone(), DVec3::ZERO), Err(ShapeError::NoDirection { .. })));
    assert!(matches!(Revolution::new(curve, DVec3::ZERO, DVec3::ZERO), Err(ShapeError::NoDirection { .. })));
}

#[test]
fn poles_of_closed_formulas_have_limits() {
    let frame = Pose::new(Random::new(66).quaternion(), DVec3::ONE).unwrap();
    let surfaces: [Surface; 5] = [
        Sphere::new(frame, 2.0).unwrap().into(),
        Ellipsoid::new(frame, [1.0, 2.0, 3.0]).unwrap().into(),
        Cone::new(frame, 1.0, 0.5).unwrap().into(),
        Paraboloid::new(frame, 0.5).unwrap().into(),
        Torus::new(frame, 1.0, 1.5).unwrap().into(),
    ];
    for surface in surfaces {
        let poles = surface.poles();
        assert!(!poles.is_empty());
        for pole in poles {
            for u in [0.0, 1.0, PI] {
                let jet = surface.jet(u, pole.at);
                near(jet.point, pole.point, 100.0, "the line collapses");
                assert!(jet.is_degenerate());
                let limit = surface.normal(u, pole.at).unwrap();
                let step = if pole.at > 1.0 { -1e-6 } else { 1e-6 };
                let beside = surface.jet(u, pole.at + step).normal().unwrap();
                assert!(limit.cross(beside).length() < 1e-5, "{surface:?} {limit} {beside}");
                if let Some(normal) = pole.normal {
                    near(limit, normal, 100.0, "one normal");
                }
            }
        }
    }
}
