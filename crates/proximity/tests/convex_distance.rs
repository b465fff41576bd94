//! Distances of convex bodies with curved faces against closed forms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod convex_common;

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Feature, HalfSpace, Polytope, Pose};
use clearance_proximity::{Ended, State, convex};
use clearance_testkit::Random;
use clearance_testkit::generate::Wander;
use convex_common::{bodies, check, pose, separation};
use std::collections::BTreeMap;

/// Which features were met: kind by kind.
fn met(counts: &mut BTreeMap<String, usize>, name: &str, feature: Feature) {
    *counts.entry(format!("{name} {feature}")).or_default() += 1;
}

#[test]
fn distances_are_proved_by_witnesses_and_normal() {
    let all = bodies(1.0);
    let mut counts = BTreeMap::new();
    let mut separated = 0;
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            let mut random = Random::for_case(41, (i * 16 + j) as u64);
            for _ in 0..150 {
                let pose = pose(&mut random, 1.6, 6.0);
                let answer = convex::distance(&a.body, &b.body, &pose).unwrap();
                if answer.signed_distance < 0.0 {
                    continue;
                }
                separated += 1;
                check(a, b, &pose, &answer).unwrap();
                met(&mut counts, a.name, answer.witnesses[0].feature);
                met(&mut counts, b.name, answer.witnesses[1].feature);
            }
        }
    }
    assert!(separated > 10_000, "{separated}");
    for expected in [
        "cylinder face:0",
        "cylinder face:1",
        "cylinder edge:0",
        "cone vertex:0",
        "cone face:0",
        "cone face:1",
        "cone edge:0",
        "capsule face:0",
        "capsule face:1",
        "capsule face:2",
        "box vertex:3",
        "pill face:0",
        "pill face:1",
        "bowl face:0",
        "bowl face:1",
        "bowl edge:0",
        "frustum edge:1",
        "frustum face:2",
    ] {
        let count = counts.get(expected).copied().unwrap_or(0);
        assert!(count > 10, "{expected} was met {count} times: {counts:?}");
    }
}

#[test]
fn distances_scale_with_the_bodies() {
    for scale in [1e-6, 1e6] {
        let all = bodies(scale);
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let mut random = Random::for_case(42, (i * 16 + j) as u64);
                for _ in 0..10 {
                    let pose = pose(&mut random, 3.0 * scale, 6.0 * scale);
                    check(a, b, &pose, &convex::distance(&a.body, &b.body, &pose).unwrap()).unwrap();
                }
            }
        }
    }
}

#[test]
fn bodies_of_different_sizes_have_their_distance() {
    let (small, large) = (bodies(1e-3), bodies(1e3));
    let mut random = Random::new(43);
    for a in &small {
        for b in &large {
            for _ in 0..10 {
                let pose = pose(&mut random, 2.5e3, 6e3);
                check(a, b, &pose, &convex::distance(&a.body, &b.body, &pose).unwrap()).unwrap();
            }
        }
    }
}

#[test]
fn exchanging_the_bodies_mirrors_the_answer() {
    let all = bodies(1.0);
    let mut random = Random::new(44);
    for a in &all {
        for b in &all {
            for _ in 0..20 {
                let pose = pose(&mut random, 2.0, 5.0);
                let one = convex::distance(&a.body, &b.body, &pose).unwrap();
                let pose_ba = pose.inverse();
                let two = convex::distance(&b.body, &a.body, &pose_ba).unwrap().swapped(&pose_ba);
                assert!((one.signed_distance - two.signed_distance).abs() < 1e-13);
                // The way out of an overlap may be one of several; a distance has one direction only.
                if one.signed_distance > 1e-3 {
                    assert!(one.normal.distance(two.normal) < 1e-11, "{one:?} {two:?}");
                }
            }
        }
    }
}

#[test]
fn bodies_brought_together_touch() {
    let all = bodies(1.0);
    let mut random = Random::new(45);
    let mut touching = 0;
    for a in &all {
        for b in &all {
            for _ in 0..10 {
                let pose = pose(&mut random, 3.0, 5.0);
                let before = convex::distance(&a.body, &b.body, &pose).unwrap();
                let shift = pose.translation() - before.normal * before.signed_distance;
                let there = pose.with_translation(shift);
                let answer = convex::distance(&a.body, &b.body, &there).unwrap();
                assert!(answer.signed_distance.abs() < 1e-12, "{answer:?}");
                touching += usize::from(answer.state == State::Touching);
                // A little apart and a little into each other the same normal holds.
                for by in [1e-3, 1e-6, 1e-9, -1e-9, -1e-6, -1e-3] {
                    let moved = there.with_translation(shift + before.normal * by);
                    let answer = convex::distance(&a.body, &b.body, &moved).unwrap();
                    // Where the normal of the contact is not unique, another may lead out of the overlap sooner.
                    let sooner = by < 0.0 && answer.signed_distance > by;
                    assert!(
                        sooner || (answer.signed_distance - by).abs() < 1e-12,
                        "{by:e} {} {} {answer:?}",
                        a.name,
                        b.name
                    );
                    check(a, b, &moved, &answer).unwrap();
                }
            }
        }
    }
    assert!(touching > 600, "{touching}");
}

#[test]
fn closed_forms_agree() {
    let ball = |r: f64| Body::from(TiledBody::sphere(r).unwrap());
    let rod = |r: f64, h: f64| Body::from(TiledBody::capsule(r, h).unwrap());
    let segment =
        |h: f64| Body::from(Polytope::segment([DVec3::Z * (-0.5 * h), DVec3::Z * (0.5 * h)]).unwrap());
    let mut random = Random::new(46);
    for _ in 0..300 {
        let pose = pose(&mut random, 3.0, 6.0);
        let found = |a: &Body, b: &Body| convex::distance(a, b, &pose).unwrap().signed_distance;
        let length = pose.translation().length();
        assert!((found(&ball(0.3), &ball(0.5)) - (length - 0.8)).abs() < 1e-14);
        // Capsules are segments with a radius, which the polytope kernel measures.
        let axes = clearance_proximity::distance(&segment(1.0), &segment(2.0), &pose).unwrap().distance;
        assert!((found(&rod(0.2, 1.0), &rod(0.3, 2.0)) - (axes - 0.5)).abs() < 1e-13);
        // A ball against a capped cylinder: the distance of a point from a rectangle, turned.
        let p = pose.translation();
        let off = DVec3::new(p.x.hypot(p.y) - 0.5, p.z.abs() - 1.0, 0.0).max(DVec3::ZERO).length();
        let can = Body::from(TiledBody::cylinder(0.5, 2.0).unwrap());
        assert!((found(&can, &ball(0.25)) - (off - 0.25)).abs() < 1e-13);
    }
}

#[test]
fn parallel_features_have_their_distance() {
    let can = Body::from(TiledBody::cylinder(1.0, 4.0).unwrap());
    let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    let cone = Body::from(TiledBody::cone(1.0, 1.0, None).unwrap());
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let quarter = std::f64::consts::FRAC_PI_2;
    let cases = [
        // Side along side, cap over cap, cap over side, coaxial, rim over cap.
        (&can, &can, at(3.0, 0.0, 1.0), 1.0),
        (&can, &can, at(0.5, 0.0, 6.0), 2.0),
        (&can, &can, at(0.0, 0.0, 5.0), 1.0),
        (&can, &can, Pose::from_axis_angle(DVec3::X, quarter, DVec3::Z * 5.0).unwrap(), 2.0),
        (&can, &cube, at(4.0, 0.0, 0.0), 2.0),
        (&can, &cube, at(0.0, 0.0, 5.0), 2.0),
        (&cube, &can, at(0.0, 0.0, 4.0), 1.0),
        (&cone, &cube, at(0.0, 0.0, 3.0), 1.0),
        (&cone, &can, at(0.0, 0.0, -3.0), 1.0),
        (&cone, &cone, Pose::from_axis_angle(DVec3::X, 2.0 * quarter, DVec3::Z * 3.0).unwrap(), 1.0),
    ];
    for (a, b, pose, expected) in cases {
        let answer = convex::distance(a, b, &pose).unwrap();
        assert!((answer.distance - expected).abs() < 1e-14, "{expected} {answer:?}");
        let Ended::Certified(proof) = answer.ended else { panic!("{answer:?}") };
        assert!(expected - proof.lower < 1e-12);
    }
}

#[test]
fn half_spaces_see_the_lowest_point() {
    let all = bodies(1.0);
    let mut random = Random::new(47);
    for known in &all {
        for _ in 0..50 {
            let normal = random.direction();
            let half = HalfSpace::new(normal, random.uniform(-1.0, 1.0)).unwrap();
            let pose = pose(&mut random, 0.0, 3.0);
            let answer = convex::distance(&half.into(), &known.body, &pose).unwrap();
            let lowest = normal.dot(pose.translation()) - known.support(-pose.rotate_inverse(normal));
            let expected = lowest - half.plane().offset;
            assert!(
                (answer.signed_distance - expected).abs() < 1e-14,
                "{}: {expected} {answer:?}",
                known.name
            );
            let Ended::Certified(proof) = answer.ended else { panic!("{answer:?}") };
            assert!(proof.lower <= expected && expected - proof.lower < 1e-12);
            let other = convex::distance(&known.body, &half.into(), &pose.inverse()).unwrap();
            assert!((other.signed_distance - expected).abs() < 1e-14);
        }
    }
}

#[test]
fn nothing_is_nearer_than_the_certificate() {
    // Independent of supports: samples of both boundaries.
    let all = bodies(1.0);
    let mut random = Random::new(48);
    for a in &all {
        for b in &all {
            let pose = pose(&mut random, 2.5, 5.0);
            let answer = convex::distance(&a.body, &b.body, &pose).unwrap();
            let best =
                (0..2000).map(|_| separation(a, b, &pose, random.direction())).fold(f64::MIN, f64::max);
            assert!(best <= answer.signed_distance + 1e-12, "{best} {answer:?}");
        }
    }
}

#[test]
fn tracked_answers_are_those_from_scratch() {
    let all = bodies(1.0);
    let mut tracked = 0;
    for a in &all {
        for b in &all {
            let mut tracker = convex::ConvexTracker::new();
            for pose in Wander::new(49, 5.0, 2.0, 5.0).take(60) {
                let (one, two) = (
                    tracker.update(&a.body, &b.body, &pose).unwrap(),
                    convex::distance(&a.body, &b.body, &pose).unwrap(),
                );
                assert!((one.signed_distance - two.signed_distance).abs() < 1e-12, "{one:?} {two:?}");
                check(a, b, &pose, &one).unwrap();
                tracked += usize::from(one.work.moves == 0);
            }
        }
    }
    assert!(tracked > 2500, "{tracked}");
}
