//! The one-sided ratio against a body that keeps its size (remark 2.18 of 002).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod ratio_common;

use clearance_geometry::{Body, DVec3, HalfSpace, Polytope, Pose};
use clearance_proximity::Ended;
use clearance_proximity::ratio::{self, RatioError, Smoothness};
use ratio_common::*;

/// r̂ = max n·(q − x₀) minimised over the corners q of the fixed body, over h(n), over all candidates.
fn oracle(a: &Polytope, fixed: &Polytope, pose_ab: &Pose) -> f64 {
    let p = centred(a, &Pose::IDENTITY);
    let d = between(a, fixed, pose_ab);
    let q: Vec<DVec3> = centred(fixed, pose_ab).into_iter().map(|v| v + d).collect();
    let ratio = |n: DVec3| {
        let reach = p.iter().map(|v| v.dot(n)).fold(f64::MIN, f64::max);
        q.iter().map(|v| v.dot(n)).fold(f64::MAX, f64::min) / reach
    };
    candidate_normals(a, fixed, pose_ab).into_iter().map(ratio).fold(0.0, f64::max)
}

/// A grown by the ratio meets the fixed body in the point.
fn check(a: &Polytope, fixed: &Polytope, pose_ab: &Pose, growth: &ratio::Growth) {
    let x = growth.point - a.anchor() - a.center();
    let size = x.length() + between(a, fixed, pose_ab).length() + a.radius() + fixed.radius();
    for plane in a.planes() {
        assert!(plane.normal.dot(x) + growth.ratio * plane.distance(a.center()) < 1e-12 * size);
    }
    let at = pose_ab.apply_inverse(growth.point) - fixed.anchor();
    for plane in fixed.planes() {
        assert!(plane.distance(at) < 1e-12 * size, "{growth:?}");
    }
    if fixed.face_count() == 0 {
        let (p, q) = (fixed.vertices()[0], fixed.vertices()[fixed.vertex_count() - 1]);
        let e = q - p;
        let u = if e == DVec3::ZERO { 0.0 } else { ((at - p).dot(e) / e.dot(e)).clamp(0.0, 1.0) };
        assert!(at.distance(p + e * u) < 1e-12 * size, "{growth:?}");
    }
}

#[test]
fn one_sided_ratio_agrees_with_all_candidate_normals() {
    let mut random = Random(41);
    let (mut positive, mut inside, mut escapes) = ([0; 3], 0, 0);
    for case in 0..9000 {
        let scale = [1.0, 1e-6, 1e6][case / 3 % 3];
        let a = random_solid(&mut random, 0.7, scale).build();
        let fixed = match case % 3 {
            0 => Polytope::point(),
            1 => Polytope::segment([random.direction() * scale, random.direction() * 2.0 * scale]).unwrap(),
            _ => random_solid(&mut random, 0.7, scale).build(),
        };
        let place = random.direction() * scale * random.range(0.05, 4.0);
        let pose_ab = Pose::new(random.rotation(), place).unwrap();
        let growth = ratio::growth_against(&a, &Body::from(fixed.clone()), &pose_ab).unwrap();
        let expected = oracle(&a, &fixed, &pose_ab);
        let error = (growth.ratio - expected).abs();
        assert!(error <= 1e-11 * expected, "{case}: {expected} {growth:?}");
        assert_eq!(growth.ended, Ended::Converged, "{case}: {growth:?}");
        escapes += growth.work.escapes;
        if growth.ratio > 0.0 {
            check(&a, &fixed, &pose_ab, &growth);
            positive[case % 3] += 1;
        } else {
            assert_eq!(growth.rho, None);
            inside += 1;
        }
    }
    println!("{positive:?} positive, {inside} centres inside, {escapes} to the LP");
    assert!(positive.iter().all(|&n| n > 1500) && inside > 50);
}

#[test]
fn half_space_has_its_closed_form() {
    let mut random = Random(42);
    for case in 0..2000 {
        let a = random_solid(&mut random, 0.7, 1.0).build();
        let normal = random.direction();
        let half_space = HalfSpace::new(normal, random.range(-1.0, 1.0)).unwrap();
        let pose_ab = Pose::new(random.rotation(), random.direction() * 3.0).unwrap();
        let growth = ratio::growth_against(&a, &Body::from(half_space), &pose_ab).unwrap();
        let n = -pose_ab.rotate(half_space.plane().normal);
        let center = a.anchor() + a.center();
        let way = n.dot(pose_ab.translation() - center) - half_space.plane().offset;
        let reach = centred(&a, &Pose::IDENTITY).iter().map(|v| v.dot(n)).fold(f64::MIN, f64::max);
        let expected = (way / reach).max(0.0);
        assert!((growth.ratio - expected).abs() < 1e-12 * (1.0 + expected), "{case} {growth:?}");
        if growth.ratio > 0.0 {
            let at = pose_ab.apply_inverse(growth.point);
            assert!(half_space.plane().distance(at).abs() < 1e-12 * (1.0 + expected));
        }
    }
    // A face on the floor touches in its middle.
    let cube = Polytope::cuboid(DVec3::new(2.0, 4.0, 2.0)).unwrap();
    let floor = Body::from(HalfSpace::new(DVec3::Z, -2.0).unwrap());
    let growth = ratio::growth_against(&cube, &floor, &Pose::IDENTITY).unwrap();
    assert_eq!((growth.ratio, growth.rho), (2.0, Some(0.5)));
    assert!((growth.point - DVec3::new(0.0, 0.0, -2.0)).length() < 1e-14);
    assert_eq!(growth.smoothness, Smoothness::PointNotUnique);
}

#[test]
fn segment_along_a_face_touches_in_the_middle() {
    let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
    let segment = Polytope::segment([DVec3::new(-1.0, 0.0, 0.0), DVec3::new(7.0, 0.0, 0.0)]).unwrap();
    let pose_ab = Pose::from_translation(DVec3::new(0.0, 0.5, 3.0)).unwrap();
    let growth = ratio::growth_against(&cube, &Body::from(segment.clone()), &pose_ab).unwrap();
    assert_eq!(growth.ratio, 3.0);
    assert!((growth.point - DVec3::new(1.0, 0.5, 3.0)).length() < 1e-14, "{growth:?}");
    assert_eq!(growth.smoothness, Smoothness::PointNotUnique);
    // Through the centre nothing needs to grow.
    let growth = ratio::growth_against(&cube, &Body::from(segment), &Pose::IDENTITY).unwrap();
    assert_eq!((growth.ratio, growth.rho), (0.0, None));
}

#[test]
fn only_the_growing_body_needs_an_interior() {
    let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
    let error = ratio::growth_against(&Polytope::point(), &Body::from(cube), &Pose::IDENTITY);
    assert_eq!(error, Err(RatioError::NoInterior { body: 0 }));
}

#[test]
fn tracked_against_fixed_equals_one_shot() {
    let mut random = Random(43);
    for _ in 0..20 {
        let a = random_solid(&mut random, 0.5, 1.0).build();
        let fixed = random_solid(&mut random, 0.5, 1.0).build();
        let mut tracker = ratio::Tracker::new();
        let axis = random.direction();
        for step in 0..100 {
            let turn = clearance_geometry::DQuat::from_axis_angle(axis, 0.05 * f64::from(step)).normalize();
            let pose_ab = Pose::new(turn, turn * DVec3::new(1.5, 1.0, 0.01 * f64::from(step))).unwrap();
            let tracked = tracker.update_against(&a, &fixed, &pose_ab).unwrap();
            let fresh = ratio::growth_against(&a, &Body::from(fixed.clone()), &pose_ab).unwrap();
            assert!((tracked.ratio - fresh.ratio).abs() <= 1e-12 * fresh.ratio);
        }
    }
}
