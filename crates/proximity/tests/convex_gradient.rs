//! Gradients, loci and certificates of convex bodies with curved faces.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod convex_common;

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, HalfSpace, Polytope, Pose};
use clearance_proximity::{NoGradient, certify, convex, gradient, locus};
use clearance_testkit::Random;
use convex_common::{bodies, pose};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn signed(a: &Body, b: &Body, pose: &Pose) -> f64 {
    convex::distance(a, b, pose).unwrap().signed_distance
}

/// The pose of B after small motions of B about its origin, and of A about its own.
fn moved(pose: &Pose, velocity: DVec3, spin: DVec3, of_b: bool) -> Pose {
    let turn = if spin == DVec3::ZERO {
        Pose::IDENTITY
    } else {
        Pose::from_axis_angle(spin.normalize(), spin.length(), DVec3::ZERO).unwrap()
    };
    let turned = turn.with_translation(velocity);
    if of_b {
        let shift = pose.translation();
        (turn * pose.with_translation(DVec3::ZERO)).with_translation(shift + velocity)
    } else {
        turned.inverse() * *pose
    }
}

#[test]
fn gradients_are_those_of_differences() {
    let all = bodies(1.0);
    let mut random = Random::new(71);
    let (mut apart, mut deep) = (0, 0);
    let h = 1e-6;
    for a in &all {
        for b in &all {
            for k in 0..8 {
                let shift = if k < 5 { (2.0, 5.0) } else { (0.3, 1.2) };
                let pose = pose(&mut random, shift.0, shift.1);
                let answer = convex::distance(&a.body, &b.body, &pose).unwrap();
                let Ok(found) = gradient(&a.body, &b.body, &pose, &answer).unwrap() else { continue };
                if answer.signed_distance.abs() < 1e-3 {
                    continue;
                }
                apart += usize::from(answer.signed_distance > 0.0);
                deep += usize::from(answer.signed_distance < 0.0);
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let slope = |motion: &dyn Fn(f64) -> Pose| {
                        (signed(&a.body, &b.body, &motion(h)) - signed(&a.body, &b.body, &motion(-h)))
                            / (2.0 * h)
                    };
                    let zero = DVec3::ZERO;
                    let cases = [
                        (slope(&|t| moved(&pose, axis * t, zero, true)), found.velocity_b.dot(axis)),
                        (slope(&|t| moved(&pose, zero, axis * t, true)), found.angular_b.dot(axis)),
                        (slope(&|t| moved(&pose, axis * t, zero, false)), found.velocity_a.dot(axis)),
                        (slope(&|t| moved(&pose, zero, axis * t, false)), found.angular_a.dot(axis)),
                    ];
                    for (index, (measured, claimed)) in cases.into_iter().enumerate() {
                        assert!(
                            (measured - claimed).abs() < 2e-4,
                            "{} {} case {index}: {measured} {claimed} {answer:?}",
                            a.name,
                            b.name
                        );
                    }
                }
            }
        }
    }
    assert!(apart > 250 && deep > 100, "{apart} {deep}");
}

#[test]
fn missing_gradients_have_their_reason() {
    let can = Body::from(TiledBody::cylinder(1.0, 4.0).unwrap());
    let ball = Body::from(TiledBody::sphere(1.0).unwrap());
    let cone = Body::from(TiledBody::cone(1.0, 1.0, None).unwrap());
    let point = Body::from(Polytope::point());
    let reason = |a: &Body, b: &Body, pose: &Pose| {
        gradient(a, b, pose, &convex::distance(a, b, pose).unwrap()).unwrap().err()
    };
    assert_eq!(reason(&can, &can, &at(3.0, 0.0, 1.0)), Some(NoGradient::ClosestPointsNotUnique));
    assert_eq!(reason(&can, &can, &at(0.0, 0.0, 5.0)), Some(NoGradient::ClosestPointsNotUnique));
    assert_eq!(reason(&ball, &ball, &at(0.0, 0.0, 0.0)), Some(NoGradient::DepthNotUnique));
    assert_eq!(reason(&cone, &point, &at(0.0, 0.0, 1.0)), Some(NoGradient::NormalNotUnique));
    assert_eq!(reason(&ball, &ball, &at(2.0, 0.0, 0.0)), None);
    assert_eq!(reason(&ball, &can, &at(2.0, 0.0, 0.0)), None);
    assert_eq!(reason(&ball, &ball, &at(1.0, 0.0, 0.0)), None);
}

#[test]
fn loci_are_points_segments_and_areas() {
    let can = Body::from(TiledBody::cylinder(1.0, 4.0).unwrap());
    let ball = Body::from(TiledBody::sphere(1.0).unwrap());
    let cone = Body::from(TiledBody::cone(1.0, 2.0, None).unwrap());
    let cube = Body::from(Polytope::cuboid(DVec3::splat(1.0)).unwrap());
    let floor = Body::from(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let found = |a: &Body, b: &Body, pose: &Pose| locus(a, b, pose, &convex::distance(a, b, pose).unwrap());
    let lengths = |pairs: &[[DVec3; 2]]| pairs[0][0].distance(pairs[1][0]);
    // Side along side, shifted by 1: the common part of both rulings.
    let line = found(&can, &can, &at(3.0, 0.0, 1.0));
    assert_eq!(line.pairs.len(), 2);
    assert!((lengths(&line.pairs) - 3.0).abs() < 1e-12, "{line:?}");
    // Cap over cap: a lens; over a smaller cube: its face.
    let lens = found(&can, &can, &at(0.5, 0.0, 5.0));
    assert!(lens.pairs.len() > 20 && lens.dimensions == [2, 2], "{lens:?}");
    assert!(
        lens.pairs.iter().all(|[p, q]| (q.z - p.z - 1.0).abs() < 1e-12 && p.truncate().length() < 1.0 + 1e-9)
    );
    assert_eq!(found(&can, &cube, &at(0.0, 0.0, 4.0)).pairs.len(), 4);
    // A cylinder and a cone lying on a plane touch it along a ruling.
    let quarter = std::f64::consts::FRAC_PI_2;
    let lying = Pose::from_axis_angle(DVec3::X, quarter, DVec3::Z * 1.5).unwrap();
    assert!((lengths(&found(&floor, &can, &lying).pairs) - 4.0).abs() < 1e-12);
    let tipped = Pose::from_axis_angle(DVec3::X, quarter + (0.5_f64).atan(), DVec3::Z * 1.5).unwrap();
    assert!((lengths(&found(&floor, &cone, &tipped).pairs) - 5.0_f64.sqrt()).abs() < 1e-9);
    // Round places are points.
    for (a, b) in [(&can, &ball), (&ball, &ball), (&cube, &ball), (&ball, &cone)] {
        assert!(found(a, b, &at(2.5, 0.1, 0.2)).is_unique());
    }
}

#[test]
fn certify_proves_what_was_answered() {
    let all = bodies(1.0);
    let mut random = Random::new(72);
    for a in &all {
        for b in &all {
            let pose = pose(&mut random, 2.5, 5.0);
            let answer = convex::distance(&a.body, &b.body, &pose).unwrap();
            let proof = certify(&a.body, &b.body, &pose, &answer).unwrap();
            let loss = answer.signed_distance - proof.lower;
            assert!((0.0..1e-12).contains(&loss), "{loss:e}");
        }
    }
}
