//! Algebraic surfaces with points where the gradient vanishes: the distance is right, and what is not proven is told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::{Body, DVec3, HalfSpace, Polytope, Pose};
use clearance_proximity::global::{Nearest, Ready, ReadyMemory, nearest_of};
use clearance_proximity::{Ended, QueryError, State, distance};
use clearance_testkit::Random;

fn algebraic(text: &str) -> Body {
    let within = Aabb { low: [-1.0; 3], high: [1.0; 3] };
    AlgebraicSurface::new(text.parse().unwrap(), within).unwrap().into()
}

fn to_point(body: &Body, p: DVec3, max_pairs: u64) -> Nearest {
    let ready = [Ready::new(body).unwrap(), Ready::new(&Polytope::point().into()).unwrap()];
    let pose = Pose::from_translation(p).unwrap();
    let mut demand = ready[0].demand(&ready[1], &pose);
    demand.max_pairs = max_pairs;
    nearest_of([&ready[0], &ready[1]], &pose, &demand, &mut ReadyMemory::default()).unwrap()
}

#[test]
fn double_cone_is_two_lines_turned() {
    let cone = algebraic("x^2 + y^2 - z^2");
    let mut random = Random::new(12);
    for _ in 0..60 {
        let p = random.direction() * random.uniform(0.1, 3.0);
        let got = to_point(&cone, p, 100_000);
        // On the meridian: the segment from the apex to (1, 1), and its mirror image.
        let (radius, height) = (p.x.hypot(p.y), p.z.abs());
        let along = (0.5 * (radius + height)).clamp(0.0, 1.0);
        let want = (radius - along).hypot(height - along);
        assert!((got.proximity.distance - want).abs() <= 1e-9, "{p} {want} {got:?}");
        assert!(got.lower <= want && got.lower >= want - 1e-7, "{p} {want} {got:?}");
    }
}

#[test]
fn crossing_planes_are_both_found() {
    let cross = algebraic("x*y");
    let mut random = Random::new(13);
    for _ in 0..60 {
        let p = random.direction() * random.uniform(0.1, 3.0);
        let got = to_point(&cross, p, 100_000);
        let off = |v: DVec3| (v - v.clamp(DVec3::NEG_ONE, DVec3::ONE)).length_squared();
        let to_plane = |axis: usize| {
            let mut beside = p;
            beside[axis] = 0.0;
            (p[axis] * p[axis] + off(beside)).sqrt()
        };
        let want = to_plane(0).min(to_plane(1));
        assert!((got.proximity.distance - want).abs() <= 1e-9, "{p} {want} {got:?}");
        assert!(matches!(got.proximity.ended, Ended::Certified(_)) && got.lower <= want + 1e-15, "{got:?}");
    }
}

/// The nearest points are on a cuspidal edge, where nothing is smooth: the gap is told, and is small.
#[test]
fn cuspidal_edge_ends_with_its_gap() {
    let cusp = algebraic("y^2 - x^3");
    for p in [DVec3::new(-0.5, 0.0, 0.2), DVec3::new(-1.5, 0.1, 0.7), DVec3::new(-0.3, -0.05, -0.4)] {
        let got = to_point(&cusp, p, 20_000);
        let want = p.x.hypot(p.y);
        assert!(got.lower <= want && got.proximity.distance >= want - 1e-12, "{want} {got:?}");
        assert!(got.proximity.distance - got.lower < 1e-4, "{want} {got:?}");
        let proven = matches!(got.proximity.ended, Ended::Certified(_));
        assert!(proven == (got.proximity.distance - got.lower <= 1.8e-9), "{got:?}");
    }
}

#[test]
fn a_budget_ends_with_bounds() {
    let torus = algebraic("(x^2 + y^2 + z^2 + 0.2)^2 - (x^2 + y^2)");
    for pairs in [0, 1, 5, 20] {
        let got = to_point(&torus, DVec3::new(2.0, 1.0, 0.5), pairs);
        assert!(matches!(got.proximity.ended, Ended::Limit), "{got:?}");
        assert!(got.lower >= 0.0 && got.lower <= got.proximity.distance && got.work.pairs <= pairs);
    }
}

#[test]
fn two_half_spaces_have_no_distance() {
    let floor = Body::from(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let refused = QueryError::UnsupportedPair { a: floor.kind(), b: floor.kind() };
    assert_eq!(distance(&floor, &floor, &Pose::IDENTITY).unwrap_err(), refused);
    assert_eq!(distance(&floor.boundary(), &floor, &Pose::IDENTITY).unwrap_err(), refused);
}

/// A cone upside down over a plane: its apex is the lowest point.
#[test]
fn apex_over_a_plane() {
    let cone = algebraic("4*(x^2 + y^2) - (z + 0.5)^2");
    let got = distance(&HalfSpace::new(DVec3::Z, -2.0).unwrap().into(), &cone, &Pose::IDENTITY).unwrap();
    // The other sheet ends at the wall below.
    assert!((got.distance - 1.0).abs() < 1e-9 && got.state == State::Separated, "{got:?}");
}
