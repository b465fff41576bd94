//! Parameters of points on and near curves and surfaces.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::Pose;
use clearance_geometry::curve::{Direction, ParametricCurve, Range};
use clearance_geometry::surface::{ParametricSurface, Sphere, Surface};
use clearance_testkit::Random;
use clearance_testkit::generate::{CURVE_KINDS, SURFACE_KINDS, curve, surface};

#[test]
fn points_of_curves_are_found_again() {
    let mut random = Random::new(71);
    for case in 0..280 {
        let kind = case % CURVE_KINDS.len();
        let (curve, part) = curve(&mut random, kind);
        let t = part.at(random.unit());
        let target = curve.point(t);
        let start = if case % 2 == 0 { Some(part.at(random.unit())) } else { None };
        let found = curve.locate(target, part, start);
        assert!(part.contains(found.parameters));
        // From a random start a local minimum may be all there is.
        if start.is_none() {
            let size = target.length() + curve.jet(t).first.length() * t.abs();
            assert!(
                found.distance <= 1e-13 * size,
                "{} {case}: {:e}",
                CURVE_KINDS[kind],
                found.distance / size
            );
        }
    }
}

#[test]
fn points_of_surfaces_are_found_again() {
    let mut random = Random::new(72);
    for case in 0..440 {
        let kind = case % SURFACE_KINDS.len();
        let (surface, part) = surface(&mut random, kind);
        let (u, v) = (part.u.at(random.unit()), part.v.at(random.unit()));
        let jet = surface.jet(u, v);
        let found = surface.locate(jet.point, part, None);
        assert!(part.contains(found.parameters.x, found.parameters.y));
        assert_eq!(found.point, surface.point(found.parameters.x, found.parameters.y));
        let size = jet.point.length() + jet.u.length() * u.abs() + jet.v.length() * v.abs();
        assert!(
            found.distance <= 1e-13 * size,
            "{} {case}: {:e}",
            SURFACE_KINDS[kind],
            found.distance / size
        );
    }
}

#[test]
fn iso_curves_keep_the_parameter() {
    let mut random = Random::new(73);
    for case in 0..440 {
        let kind = case % SURFACE_KINDS.len();
        let (surface, part) = surface(&mut random, kind);
        for constant in [Direction::U, Direction::V] {
            let (fixed, along) = if constant == Direction::U { (part.u, part.v) } else { (part.v, part.u) };
            let at = fixed.at(random.unit());
            let name = SURFACE_KINDS[kind];
            let curve = surface.iso_curve(constant, at, along).unwrap_or_else(|| panic!("{name} {case}"));
            for _ in 0..10 {
                let t = along.at(random.unit());
                let jet = if constant == Direction::U { surface.jet(at, t) } else { surface.jet(t, at) };
                let found = curve.jet(t);
                let speed = if constant == Direction::U { jet.v } else { jet.u };
                let size = jet.point.length() + speed.length() * t.abs() + jet.u.length() + jet.v.length();
                assert!((found.point - jet.point).length() <= 1e-11 * size, "{name} {case} {constant}");
                assert!((found.first - speed).length() <= 1e-8 * size, "{name} {case} {constant}");
            }
        }
    }
    let ball = Surface::from(Sphere::new(Pose::IDENTITY, 1.0).unwrap());
    assert_eq!(ball.iso_curve(Direction::V, ball.domain().v.high, Range::TURN), None);
}
