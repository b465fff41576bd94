//! The catalogue of degenerate positions: a test each, at three scales, near the origin and a million
//! sizes away from it. Every answer goes through the checker, both ways round.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::{Body, DMat3, DVec3, Polytope, Pose};
use clearance_proximity::{Proximity, State, distance};
use clearance_testkit::generate::Solid;
use clearance_testkit::{Random, check_query, check_tolerance};
use std::f64::consts::{FRAC_PI_3, FRAC_PI_4};

/// What a degenerate position must give, at unit scale.
#[derive(Clone, Copy)]
struct Expected {
    state: State,
    signed_distance: f64,
}

fn apart(signed_distance: f64) -> Expected {
    Expected { state: State::Separated, signed_distance }
}

fn touching() -> Expected {
    Expected { state: State::Touching, signed_distance: 0.0 }
}

fn deep(depth: f64) -> Expected {
    Expected { state: State::Penetrating, signed_distance: -depth }
}

/// Runs one position at all scales, with the bodies modelled at their origin and far from it, and in
/// two orientations of the world.
fn check(a: &Solid, b: &Solid, pose_ab: Pose, expected: Expected) {
    let mut random = Random::new(77);
    for scale in [1e-6, 1.0, 1e6] {
        for far in [0.0, 1e6] {
            for turn in [DMat3::IDENTITY, random.rotation()] {
                // Both bodies are modelled in turned frames, which rounds them; the pose takes it back.
                let offset = random.direction() * far;
                let seen = |solid: &Solid| {
                    let solid = solid.turned(&turn).shifted(offset).stretched(DVec3::splat(scale));
                    Body::from(Polytope::from_points(&solid.vertices).unwrap())
                };
                let rotation = turn * pose_ab.rotation() * turn.transpose();
                let translation = turn * pose_ab.translation() + offset - rotation * offset;
                let pose = Pose::from_matrix(rotation, scale * translation).unwrap();
                check_one(&seen(a), &seen(b), &pose, scale, expected);
            }
        }
    }
}

fn check_one(a: &Body, b: &Body, pose: &Pose, scale: f64, expected: Expected) {
    let (p, _) = check_query(a, b, pose, |a, b, pose| distance(a, b, pose).unwrap())
        .unwrap_or_else(|fault| panic!("scale {scale:e}: {fault}\npose {pose:?}"));
    // The turned bodies are themselves rounded: as much again.
    let tolerance = 2.0 * check_tolerance(a, b, pose, expected.signed_distance * scale);
    let off = (p.signed_distance - expected.signed_distance * scale).abs();
    assert!(off <= tolerance, "scale {scale:e}: off by {:.2} tolerances, {p:?}", off / tolerance);
    assert!(
        right_state(&p, expected, scale, tolerance),
        "scale {scale:e}: {:?} expected, {p:?}",
        expected.state
    );
}

/// Contact, and being inside flush with the boundary, are decided by rounding.
fn right_state(p: &Proximity, expected: Expected, scale: f64, tolerance: f64) -> bool {
    let contact = expected.signed_distance.abs() * scale <= tolerance;
    p.state == expected.state || contact
}

fn cube() -> Solid {
    Solid::cuboid(DVec3::splat(2.0))
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn turned(axis: DVec3, radians: f64, translation: DVec3) -> Pose {
    Pose::from_axis_angle(axis, radians, translation).unwrap()
}

#[test]
fn parallel_faces() {
    for (x, expected) in [(5.0, apart(3.0)), (2.0, touching()), (1.5, deep(0.5)), (2.0 + 1e-9, apart(1e-9))] {
        check(&cube(), &cube(), shift(x, 0.25, -0.5), expected);
        // Turned about the common normal, so that nothing but the faces is parallel.
        check(&cube(), &cube(), turned(DVec3::X, 0.3, DVec3::new(x, 0.25, -0.5)), expected);
    }
}

#[test]
fn parallel_faces_that_only_share_an_edge_or_corner() {
    check(&cube(), &cube(), shift(5.0, 2.0, 0.0), apart(3.0));
    check(&cube(), &cube(), shift(5.0, 2.0, 2.0), apart(3.0));
    check(&cube(), &cube(), shift(2.0, 2.0, 0.0), touching());
    check(&cube(), &cube(), shift(2.0, 2.0, 2.0), touching());
}

#[test]
fn parallel_edges() {
    // B stands on its edge: the roof edge, along y, faces a face, an edge and the outside of a face of A.
    let roof = |x: f64, z: f64| turned(DVec3::Y, FRAC_PI_4, DVec3::new(x, 0.5, z));
    let half = 2.0_f64.sqrt();
    for (gap, expected) in [(1.0, apart(1.0)), (0.0, touching()), (-0.25, deep(0.25)), (1e-9, apart(1e-9))] {
        check(&cube(), &cube(), roof(0.25, 1.0 + half + gap), expected);
    }
    // Edge against edge: both turned.
    let wedge = Solid { faces: Vec::new(), ..cube() }.turned(&DMat3::from_rotation_y(FRAC_PI_4));
    for (gap, expected) in [(1.0, apart(1.0)), (0.0, touching())] {
        check(&wedge, &wedge, shift(0.0, 0.5, 2.0 * half + gap), expected);
    }
}

#[test]
fn vertex_on_edge() {
    // A cube on its corner above an edge of a cube on its edge.
    let wedge = Solid { faces: Vec::new(), ..cube() }.turned(&DMat3::from_rotation_y(FRAC_PI_4));
    let onto_corner = DMat3::from_cols(
        DVec3::new(1.0, -1.0, 0.0).normalize(),
        DVec3::new(1.0, 1.0, -2.0).normalize(),
        DVec3::ONE.normalize(),
    )
    .transpose();
    let diamond = Solid { faces: Vec::new(), ..cube() }.turned(&onto_corner);
    let (half, tip) = (2.0_f64.sqrt(), 3.0_f64.sqrt());
    for (gap, expected) in [(1.0, apart(1.0)), (0.0, touching()), (1e-9, apart(1e-9))] {
        check(&wedge, &diamond, shift(0.0, 0.25, half + tip + gap), expected);
        // On the very end of the edge.
        check(&wedge, &diamond, shift(0.0, 1.0, half + tip + gap), expected);
    }
}

#[test]
fn vertex_on_face() {
    let spike = Solid {
        vertices: vec![
            DVec3::ZERO,
            DVec3::new(1.0, 0.0, 2.0),
            DVec3::new(-1.0, 1.0, 2.0),
            DVec3::new(-1.0, -1.0, 2.0),
        ],
        faces: Vec::new(),
    };
    for (gap, expected) in [(1.0, apart(1.0)), (0.0, touching()), (-0.25, deep(0.25)), (1e-12, apart(1e-12))]
    {
        for (x, y) in [(0.0, 0.0), (0.5, 0.25), (1.0, 0.5), (1.0, 1.0)] {
            // Over a side or a corner, a deep spike may slip out sideways.
            if gap < 0.0 && x == 1.0 {
                continue;
            }
            check(&cube(), &spike, shift(x, y, 1.0 + gap), expected);
        }
    }
}

#[test]
fn edges_that_cross() {
    let lying = Solid { faces: Vec::new(), ..cube() }.turned(&DMat3::from_rotation_y(FRAC_PI_4));
    let half = 2.0_f64.sqrt();
    for (gap, expected) in [(1.0, apart(1.0)), (0.0, touching()), (-0.125, deep(0.125)), (1e-9, apart(1e-9))]
    {
        let across = turned(DVec3::Z, FRAC_PI_3, DVec3::new(0.0, 0.0, 2.0 * half + gap));
        check(&lying, &lying, across, expected);
    }
}

#[test]
fn edges_off_parallel_by_a_few_roundings() {
    let lying = Solid { faces: Vec::new(), ..cube() }.turned(&DMat3::from_rotation_y(FRAC_PI_4));
    let half = 2.0_f64.sqrt();
    for ulps in [1.0, 3.0, 100.0, 1e6] {
        let nearly = turned(DVec3::Z, ulps * f64::EPSILON, DVec3::new(0.0, 0.25, 2.0 * half + 1.0));
        check(&lying, &lying, nearly, apart(1.0));
    }
}

#[test]
fn identical_bodies() {
    let mut random = Random::new(5);
    let solids = [cube(), Solid::icosphere(1), Solid::prism(7, 1.0), Solid::on_sphere(20, &mut random)];
    for solid in solids {
        for scale in [1e-6, 1.0, 1e6] {
            let body =
                Body::from(Polytope::from_points(&solid.stretched(DVec3::splat(scale)).vertices).unwrap());
            for shift in [DVec3::ZERO, DVec3::X * 1e-15, DVec3::new(1e-9, 1e-12, 0.0)] {
                let pose = Pose::from_translation(shift * scale).unwrap();
                let (p, _) = check_query(&body, &body, &pose, |a, b, pose| distance(a, b, pose).unwrap())
                    .unwrap_or_else(|fault| panic!("{fault}"));
                assert!(p.state.overlaps(), "{p:?}");
                // As deep as the smallest width, which for these is at least 1.
                assert!(p.signed_distance <= -0.9 * scale, "{p:?}");
            }
        }
    }
    let pose = Pose::IDENTITY;
    let body = Body::from(cube().polytope().unwrap());
    assert_eq!(distance(&body, &body, &pose).unwrap().signed_distance, -2.0);
}

#[test]
fn touching_at_one_point() {
    // Corner to corner, along the diagonal: the touching point is known, the normal is not.
    for gap in [0.0, 1e-9, 1.0] {
        let along = DVec3::splat(2.0 + gap / 3.0_f64.sqrt());
        let expected = if gap == 0.0 { touching() } else { apart(gap) };
        check(&cube(), &cube(), Pose::from_translation(along).unwrap(), expected);
    }
    let a = Body::from(cube().polytope().unwrap());
    let p = distance(&a, &a, &shift(2.0, 2.0, 2.0)).unwrap();
    assert_eq!(p.state, State::Touching);
    assert_eq!(p.witnesses.map(|w| w.point), [DVec3::ONE; 2]);
}

#[test]
fn slivers() {
    // Plates and needles a million times thinner than long, face to face and end to end.
    let plate = Solid::cuboid(DVec3::new(2.0, 2.0, 2e-6));
    let needle = Solid::cuboid(DVec3::new(2e-6, 2e-6, 2.0));
    for (gap, expected) in [(1e-3, apart(1e-3)), (0.0, touching())] {
        check(&plate, &plate, shift(0.5, 0.25, 2e-6 + gap), expected);
        check(&plate, &needle, shift(0.5, 0.25, 1.0 + 1e-6 + gap), expected);
        check(&needle, &needle, shift(0.0, 0.0, 2.0 + gap), expected);
    }
    check(&plate, &needle, shift(0.5, 0.25, 0.0), deep(0.5 + 1e-6));
    check(&needle, &needle, shift(1e-6, 0.0, 0.5), deep(1e-6));
}

#[test]
fn one_inside_the_other() {
    let inner = Solid::icosphere(1).stretched(DVec3::splat(0.25));
    for scale in [1e-6, 1.0, 1e6] {
        let body = |solid: &Solid| Body::from(solid.stretched(DVec3::splat(scale)).polytope().unwrap());
        let (outer, inner) = (body(&cube()), body(&inner));
        for place in [DVec3::ZERO, DVec3::new(0.5, 0.0, 0.1), DVec3::splat(-0.7)] {
            let pose = Pose::from_translation(scale * place).unwrap();
            let ask = |a: &Body, b: &Body, pose: &Pose| distance(a, b, pose).unwrap();
            let (p, _) = check_query(&outer, &inner, &pose, ask).unwrap_or_else(|fault| panic!("{fault}"));
            assert_eq!(p.state, State::BInsideA, "{p:?}");
            let (p, _) =
                check_query(&inner, &outer, &pose.inverse(), ask).unwrap_or_else(|fault| panic!("{fault}"));
            assert_eq!(p.state, State::AInsideB, "{p:?}");
        }
        let through = Pose::from_translation(scale * DVec3::new(0.9, 0.0, 0.0)).unwrap();
        assert_eq!(distance(&outer, &inner, &through).unwrap().state, State::Penetrating);
    }
}

#[test]
fn points_and_segments_in_contact() {
    let point = Polytope::point();
    let segment = Polytope::segment([DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0)]).unwrap();
    let across = Polytope::segment([DVec3::new(0.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)]).unwrap();
    let cube = cube().polytope().unwrap();
    let ask = |a: &Body, b: &Body, pose: &Pose| distance(a, b, pose).unwrap();
    let contacts = [
        (&point, &point, shift(0.0, 0.0, 0.0)),
        (&segment, &point, shift(1.0, 0.0, 0.0)),
        (&segment, &point, shift(2.0, 0.0, 0.0)),
        (&segment, &across, shift(1.0, 0.25, 0.0)),
        (&segment, &segment, shift(0.5, 0.0, 0.0)),
        (&segment, &segment, shift(2.0, 0.0, 0.0)),
        (&cube, &point, shift(1.0, 0.0, 0.0)),
        (&cube, &point, shift(1.0, 1.0, 1.0)),
        (&cube, &segment, shift(1.0, 0.0, 0.0)),
        (&cube, &segment, shift(-1.0, 1.0, 0.5)),
    ];
    for (a, b, pose) in contacts {
        let (a, b) = (Body::from(a.clone()), Body::from(b.clone()));
        let (p, _) = check_query(&a, &b, &pose, ask).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(p.state, State::Touching, "{p:?} at {pose:?}");
    }
}
