//! Gradients against central differences, loci against membership.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::{Body, DQuat, DVec2, DVec3, HalfSpace, PlanarPose, Polygon, Polytope, Pose};
use clearance_proximity::{NoGradient, Place, State, distance, gradient, locate_point, locus, planar};
use clearance_testkit::{Random, assert_proximity};

fn hull(random: &mut Random, scale: f64) -> Body {
    let points: Vec<DVec3> = (0..12).map(|_| random.in_ball() * scale).collect();
    Polytope::from_points(&points).unwrap().into()
}

fn turned(pose: &Pose, axis: DVec3, angle: f64) -> Pose {
    let turn = Pose::new(DQuat::from_axis_angle(axis, angle), DVec3::ZERO).unwrap();
    let about_origin = turn * pose.with_translation(DVec3::ZERO);
    about_origin.with_translation(pose.translation())
}

fn moved(pose: &Pose, by: DVec3) -> Pose {
    pose.with_translation(pose.translation() + by)
}

/// Right and left difference quotients of the signed distance.
fn quotients(step: f64, at: impl Fn(f64) -> f64) -> [f64; 2] {
    let middle = at(0.0);
    [(at(step) - middle) / step, (middle - at(-step)) / step]
}

#[test]
fn gradient_agrees_with_central_differences() {
    let mut random = Random::new(5);
    let (mut apart, mut deep, mut skipped) = (0, 0, 0);
    for round in 0..400 {
        let scale = [1e-6, 1.0, 1e6][round % 3];
        let (a, b) = (hull(&mut random, scale), hull(&mut random, scale));
        let offset = random.direction() * (scale * random.uniform(0.8, 2.5));
        let pose_ab = Pose::new(random.quaternion(), offset).unwrap();
        let answer = distance(&a, &b, &pose_ab).unwrap();
        assert_proximity(&a, &b, &pose_ab, &answer);
        let Ok(found) = gradient(&a, &b, &pose_ab, &answer).unwrap() else {
            skipped += 1;
            continue;
        };
        let value = |pose: &Pose| distance(&a, &b, pose).unwrap().signed_distance;
        let (axis, step) = (random.direction(), 1e-7);
        // Moving A is moving B back, seen from A.
        let inverse = |pose_a: &Pose| Pose::between(pose_a, &pose_ab);
        let cases: [(f64, [f64; 2]); 4] = [
            (
                found.velocity_b.dot(axis),
                quotients(step, |s| value(&moved(&pose_ab, axis * (s * scale))) / scale),
            ),
            (
                found.angular_b.dot(axis) / scale,
                quotients(step, |s| value(&turned(&pose_ab, axis, s)) / scale),
            ),
            (
                found.velocity_a.dot(axis),
                quotients(step, |s| value(&inverse(&moved(&Pose::IDENTITY, axis * (s * scale)))) / scale),
            ),
            (
                found.angular_a.dot(axis) / scale,
                quotients(step, |s| value(&inverse(&turned(&Pose::IDENTITY, axis, s))) / scale),
            ),
        ];
        if cases.iter().any(|(_, [right, left])| (right - left).abs() > 1e-5) {
            // A kink of the distance lies within the step.
            skipped += 1;
            continue;
        }
        for (derivative, [right, left]) in cases {
            let central = 0.5 * (right + left);
            assert!((derivative - central).abs() < 1e-5, "round {round}: {derivative} is not {central}");
        }
        if answer.state == State::Separated { apart += 1 } else { deep += 1 }
    }
    assert!(apart > 100 && deep > 100 && skipped < 80, "{apart} apart, {deep} deep, {skipped} skipped");
}

#[test]
fn gradient_is_refused_where_there_is_none() {
    let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    let small = Body::from(Polytope::cuboid(DVec3::splat(0.5)).unwrap());
    let point = Body::from(Polytope::point());
    let reason = |a: &Body, b: &Body, x: [f64; 3], turn: f64| {
        let pose_ab = Pose::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), turn, DVec3::from_array(x)).unwrap();
        let answer = distance(a, b, &pose_ab).unwrap();
        gradient(a, b, &pose_ab, &answer).unwrap().err()
    };
    assert_eq!(reason(&cube, &cube, [5.0, 0.0, 0.0], 0.0), Some(NoGradient::ClosestPointsNotUnique));
    assert_eq!(reason(&cube, &small, [0.1, 0.0, 0.0], 0.0), Some(NoGradient::ClosestPointsNotUnique));
    assert_eq!(reason(&cube, &point, [1.0, 1.0, 1.0], 0.0), Some(NoGradient::NormalNotUnique));
    assert_eq!(reason(&cube, &point, [1.0, 1.0, 0.0], 0.0), Some(NoGradient::NormalNotUnique));
    assert_eq!(reason(&cube, &point, [1.0, 0.5, 0.3], 0.0), None, "a point on a face");
    assert_eq!(reason(&cube, &point, [0.0, 0.0, 0.0], 0.0), Some(NoGradient::DepthNotUnique));
    assert_eq!(reason(&cube, &point, [0.5, 0.5, 0.0], 0.0), Some(NoGradient::DepthNotUnique));
    assert_eq!(reason(&cube, &point, [0.5, 0.3, 0.0], 0.0), None);
    assert_eq!(reason(&point, &point, [0.0; 3], 0.0), Some(NoGradient::NormalNotUnique));
    assert_eq!(reason(&point, &point, [1.0, 2.0, 3.0], 0.0), None);
}

/// Out of a half-space there is one way, whatever its normal rounds to.
#[test]
fn points_inside_half_spaces_have_a_gradient() {
    let mut random = Random::new(61);
    let point = Body::from(Polytope::point());
    for _ in 0..40 {
        let half = Body::from(HalfSpace::new(random.direction(), 0.3).unwrap());
        let pose_ab = Pose::from_translation(random.direction() * 0.25).unwrap();
        for (a, b, pose) in [(&half, &point, pose_ab), (&point, &half, pose_ab.inverse())] {
            let answer = distance(a, b, &pose).unwrap();
            assert!(answer.signed_distance < 0.0, "{answer:?}");
            let found = gradient(a, b, &pose, &answer).unwrap();
            assert_eq!(found.map(|found| found.velocity_b), Ok(answer.normal), "{answer:?}");
        }
    }
}

#[test]
fn planar_gradient_is_refused_where_there_is_none() {
    let square = Polygon::rectangle(DVec2::splat(2.0)).unwrap();
    let point = Polygon::point();
    let reason = |x: f64, y: f64, b: &Polygon| {
        let pose_ab = PlanarPose::from_translation(DVec2::new(x, y)).unwrap();
        planar::gradient(&square, b, &pose_ab, &planar::distance(&square, b, &pose_ab)).err()
    };
    assert_eq!(reason(5.0, 0.0, &square), Some(NoGradient::ClosestPointsNotUnique));
    assert_eq!(reason(1.0, 1.0, &point), Some(NoGradient::NormalNotUnique));
    assert_eq!(reason(1.0, 0.3, &point), None);
    assert_eq!(reason(0.0, 0.0, &point), Some(NoGradient::DepthNotUnique));
    assert_eq!(reason(0.5, 0.3, &point), None);
}

/// Every pair of a locus is a closest pair.
fn assert_closest_pairs(a: &Body, b: &Body, pose_ab: &Pose, count: usize) {
    let answer = distance(a, b, pose_ab).unwrap();
    assert_proximity(a, b, pose_ab, &answer);
    let found = locus(a, b, pose_ab, &answer);
    assert_eq!(found.pairs.len(), count, "{found:?}");
    let size = 1.0 + pose_ab.translation().length();
    for [on_a, on_b] in &found.pairs {
        assert!((*on_b - *on_a - answer.normal * answer.signed_distance).length() < 1e-12 * size);
        // Nudged into the body they are inside: they are on its boundary.
        let depth = 1e-9 * size;
        let local = pose_ab.apply_inverse(*on_b);
        let inward = pose_ab.rotate_inverse(answer.normal);
        for (body, point, inward) in [(a, *on_a, -answer.normal), (b, local, inward)] {
            let shifted = point + inward * depth;
            // A corner's neighbourhood along the normal may leave the body sideways by the nudge only.
            let near =
                distance(body, &Body::from(Polytope::point()), &Pose::from_translation(shifted).unwrap());
            assert!(near.unwrap().distance <= 2.0 * depth, "{on_a} {on_b}");
            assert_ne!(locate_point(body, point - inward * depth).unwrap(), Place::Inside);
        }
    }
}

#[test]
fn locus_is_the_overlap_of_parallel_features() {
    for scale in [1e-6, 1.0, 1e6] {
        let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0 * scale)).unwrap());
        let rod = Polytope::segment([DVec3::new(0.0, 0.0, -9.0) * scale, DVec3::new(0.0, 0.0, 9.0) * scale]);
        let rod = Body::from(rod.unwrap());
        let at = |x: f64, y: f64, degrees: f64| {
            Pose::from_axis_angle(DVec3::X, degrees.to_radians(), DVec3::new(x, y, 0.0) * scale).unwrap()
        };
        let scaled = |a: &Body, b: &Body, pose: &Pose, count| {
            if scale == 1.0 {
                assert_closest_pairs(a, b, pose, count)
            }
            let answer = distance(a, b, pose).unwrap();
            assert_eq!(locus(a, b, pose, &answer).pairs.len(), count, "scale {scale}");
        };
        scaled(&cube, &cube, &at(5.0, 0.5, 0.0), 4);
        scaled(&cube, &cube, &at(5.0, 0.0, 45.0), 8);
        scaled(&cube, &cube, &at(1.9, 0.5, 0.0), 4);
        scaled(&cube, &cube, &at(5.0, 2.0, 0.0), 2);
        scaled(&cube, &cube, &at(5.0, 4.0, 0.0), 2);
        scaled(&cube, &rod, &at(3.0, 0.0, 0.0), 2);
        scaled(&cube, &rod, &at(3.0, 0.0, 30.0), 2);
        scaled(&rod, &rod, &at(3.0, 0.0, 0.0), 2);
        scaled(&rod, &rod, &at(3.0, 0.0, 1.0), 1);
        scaled(&rod, &cube, &at(-3.0, 0.0, 0.0), 2);
    }
}

#[test]
fn locus_area_is_that_of_the_overlap() {
    let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    // Two unit-inradius squares turned by 45 degrees meet in a regular octagon.
    let pose_ab = Pose::from_axis_angle(DVec3::Z, 45_f64.to_radians(), DVec3::new(0.0, 0.0, 3.0)).unwrap();
    let answer = distance(&cube, &cube, &pose_ab).unwrap();
    let pairs = locus(&cube, &cube, &pose_ab, &answer).pairs;
    let corners: Vec<DVec2> = pairs.iter().map(|pair| pair[0].truncate()).collect();
    let twice: f64 = (0..corners.len()).map(|i| corners[i].perp_dot(corners[(i + 1) % corners.len()])).sum();
    let octagon = 8.0 * (2_f64.sqrt() - 1.0);
    assert!((twice.abs() / 2.0 - octagon).abs() < 1e-12, "{twice}");
}

#[test]
fn planar_gradient_agrees_with_central_differences() {
    let mut random = Random::new(9);
    let polygon = |random: &mut Random| {
        let points: Vec<DVec2> = (0..7).map(|_| random.in_ball().truncate()).collect();
        Polygon::hull_of(&points).unwrap()
    };
    let (mut apart, mut deep, mut skipped) = (0, 0, 0);
    for round in 0..400 {
        let (a, b) = (polygon(&mut random), polygon(&mut random));
        let offset = random.direction().truncate() * random.uniform(0.3, 2.5);
        let angle = random.uniform(-3.0, 3.0);
        let pose_ab = PlanarPose::new(angle, offset).unwrap();
        let answer = planar::distance(&a, &b, &pose_ab);
        let Ok(found) = planar::gradient(&a, &b, &pose_ab, &answer) else {
            skipped += 1;
            continue;
        };
        let value = |pose: &PlanarPose| planar::distance(&a, &b, pose).signed_distance;
        let (axis, step) = (DVec2::from_angle(random.uniform(0.0, 6.0)), 1e-7);
        let pose = |angle: f64, translation: DVec2| PlanarPose::new(angle, translation).unwrap();
        let inverse = |pose_a: &PlanarPose| PlanarPose::between(pose_a, &pose_ab);
        let cases = [
            (found.velocity_b.dot(axis), quotients(step, |s| value(&pose(angle, offset + axis * s)))),
            (found.angular_b, quotients(step, |s| value(&pose(angle + s, offset)))),
            (found.velocity_a.dot(axis), quotients(step, |s| value(&inverse(&pose(0.0, axis * s))))),
            (found.angular_a, quotients(step, |s| value(&inverse(&pose(s, DVec2::ZERO))))),
        ];
        if cases.iter().any(|(_, [right, left])| (right - left).abs() > 1e-5) {
            skipped += 1;
            continue;
        }
        for (derivative, [right, left]) in cases {
            let central = 0.5 * (right + left);
            assert!((derivative - central).abs() < 1e-5, "round {round}: {derivative} is not {central}");
        }
        if answer.state == State::Separated { apart += 1 } else { deep += 1 }
    }
    assert!(apart > 100 && deep > 100 && skipped < 80, "{apart} apart, {deep} deep, {skipped} skipped");
}
