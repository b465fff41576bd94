//! The degenerate catalogue of the ratio metric.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod ratio_common;

use clearance_geometry::{Body, DQuat, DVec3, HalfSpace, Polytope, Pose};
use clearance_proximity::Ended;
use clearance_proximity::ratio::{self, EventKind, RatioError, Smoothness};
use ratio_common::*;

fn cube() -> Polytope {
    Polytope::cuboid(DVec3::splat(2.0)).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

#[test]
fn parallel_faces_touch_in_the_middle() {
    let growth = ratio::growth(&cube(), &cube(), &at(4.0, 1.0, 0.0)).unwrap();
    assert_eq!(growth.ratio, 2.0);
    // Scaled by 2, the faces at x = 2 are y ∈ [−2, 2] and [−1, 3].
    assert!((growth.point - DVec3::new(2.0, 0.5, 0.0)).length() < 1e-14, "{growth:?}");
    assert_eq!(growth.smoothness, Smoothness::PointNotUnique);
    assert_eq!(growth.event(), Some(EventKind::Several));
    assert_eq!(growth.ended, Ended::Converged);
}

#[test]
fn edge_on_face_touches_in_the_middle() {
    let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let pose_ab = Pose::new(quarter, DVec3::new(4.0, 0.25, 0.5)).unwrap();
    let growth = ratio::growth(&cube(), &cube(), &pose_ab).unwrap();
    let r = 4.0 / (1.0 + 2.0_f64.sqrt());
    assert!((growth.ratio - r).abs() < 1e-14);
    let z = 0.5 * ((0.5 - r).max(-r) + (0.5 + r).min(r));
    assert!((growth.point - DVec3::new(r, 0.25, z)).length() < 1e-13, "{growth:?}");
    assert_eq!(growth.smoothness, Smoothness::PointNotUnique);
}

#[test]
fn corner_on_corner_has_no_gradient() {
    let growth = ratio::growth(&cube(), &cube(), &at(2.5, 2.5, 2.5)).unwrap();
    assert_eq!(growth.ratio, 1.25);
    assert!((growth.point - DVec3::splat(1.25)).length() < 1e-14);
    assert_eq!(growth.smoothness, Smoothness::NormalNotUnique);
    let growth = ratio::growth(&cube(), &cube(), &at(2.5, 2.5, 0.0)).unwrap();
    assert_eq!(growth.ratio, 1.25);
    assert!((growth.point - DVec3::new(1.25, 1.25, 0.0)).length() < 1e-14, "{growth:?}");
    assert_eq!(growth.smoothness, Smoothness::NeitherUnique);
}

#[test]
fn near_parallel_edges_keep_the_ratio() {
    let mut random = Random(11);
    for case in 0..2000 {
        // Two boxes edge to edge, the edges turned against each other by next to nothing.
        let quarter = std::f64::consts::FRAC_PI_4;
        let tilt = 10.0_f64.powi(-(case % 16));
        let turn = DQuat::from_axis_angle(random.direction(), tilt);
        let a = cuboid(DVec3::new(2.0, 2.0, 5.0)).turned(DQuat::from_rotation_z(quarter)).build();
        let pose_ab = Pose::new(
            (turn * DQuat::from_rotation_z(quarter)).normalize(),
            DVec3::new(random.range(2.0, 4.0), random.range(-1e-3, 1e-3), random.range(-1.0, 1.0)),
        )
        .unwrap();
        let growth = ratio::growth(&a, &cube(), &pose_ab).unwrap();
        let expected = oracle_ratio(&a, &cube(), &pose_ab);
        assert!((growth.ratio - expected).abs() < 1e-12 * expected, "{case} {expected} {growth:?}");
        assert_eq!(growth.ended, Ended::Converged, "{case} {growth:?}");
    }
}

#[test]
fn nearly_parallel_faces_keep_the_ratio() {
    let mut random = Random(12);
    let mut escapes = 0;
    for case in 0..4000 {
        let tilt = if case % 17 == 0 { 0.0 } else { 10.0_f64.powi(-(case % 17)) };
        let turn = DQuat::from_axis_angle(random.direction(), tilt).normalize();
        let way = DVec3::new(random.range(1.0, 4.0), random.range(-2.0, 2.0), random.range(-2.0, 2.0));
        let pose_ab = Pose::new(turn, way).unwrap();
        let other = prism(12).build();
        let b = if case % 2 == 0 { &cube() } else { &other };
        let growth = ratio::growth(&cube(), b, &pose_ab).unwrap();
        let expected = oracle_ratio(&cube(), b, &pose_ab);
        assert!((growth.ratio - expected).abs() < 1e-12 * expected, "{case} {expected} {growth:?}");
        assert_eq!(growth.ended, Ended::Converged, "{case} {growth:?}");
        let inside = growth.point.abs().max_element() <= growth.ratio * (1.0 + 1e-13);
        assert!(inside, "{growth:?}");
        escapes += growth.work.escapes;
    }
    println!("{escapes} to the LP");
}

#[test]
fn identical_bodies_and_shared_centres() {
    let growth = ratio::growth(&cube(), &cube(), &Pose::IDENTITY).unwrap();
    assert_eq!((growth.ratio, growth.rho), (0.0, None));
    assert_eq!((growth.smoothness, growth.features), (Smoothness::Concentric, None));
    assert_eq!(ratio::growth_by_lp(&cube(), &cube(), &Pose::IDENTITY).unwrap().ratio, 0.0);
    let growth = ratio::growth(&cube(), &cube(), &at(1e-12, 0.0, 0.0)).unwrap();
    assert_eq!(growth.ratio, 5e-13);
    assert!((growth.rho.unwrap() - (1.0 - 2e12)).abs() < 1e-2);
    // Far from the origin the same centre is only the same within rounding.
    let mut random = Random(13);
    for _ in 0..200 {
        let offset = random.direction() * 1e6;
        let a = icosahedron().shifted(offset).hull();
        let turn = random.rotation();
        let center = a.anchor() + a.center();
        let pose_ab = Pose::new(turn, center - turn * center).unwrap();
        let growth = ratio::growth(&a, &a, &pose_ab).unwrap();
        assert!(growth.ratio < 1e-8, "{growth:?}");
    }
}

#[test]
fn bodies_without_interior_are_refused() {
    let segment = Polytope::segment([DVec3::ZERO, DVec3::X]).unwrap();
    for (body, flat) in [(0, Polytope::point()), (0, segment.clone())] {
        let error = RatioError::NoInterior { body };
        assert_eq!(ratio::growth(&flat, &cube(), &at(3.0, 0.0, 0.0)), Err(error));
        assert_eq!(ratio::growth_by_lp(&flat, &cube(), &at(3.0, 0.0, 0.0)), Err(error));
    }
    let error = RatioError::NoInterior { body: 1 };
    assert_eq!(ratio::growth(&cube(), &segment, &at(3.0, 0.0, 0.0)), Err(error));
    let half_space = Body::from(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let error = ratio::growth_of_bodies(&Body::from(cube()), &half_space, &Pose::IDENTITY);
    assert_eq!(error, Err(RatioError::Unbounded { body: 1 }));
    let far = Pose::from_translation(DVec3::splat(f64::MAX)).unwrap();
    assert_eq!(ratio::growth(&cube(), &cube(), &far), Err(RatioError::NotFinite));
}

#[test]
fn tracked_update_does_not_depend_on_history_through_a_concentric_pose() {
    let mut tracker = ratio::Tracker::new();
    for x in [2.0, 1.0, 0.0, -1.0, -2.0] {
        let tracked = tracker.update(&cube(), &cube(), &at(x, 0.1 * x, 0.0)).unwrap();
        assert_eq!(tracked.ratio, 0.5 * x.abs());
    }
}
