//! The degenerate catalogue of the ratio metric.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod ratio_common;

use clearance_geometry::{Body, DMat3, DQuat, DVec3, HalfSpace, Polytope, Pose};
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

/// The ratio both ways round, with bounds that meet and agree.
fn assert_settled(a: &Polytope, b: &Polytope, pose_ab: &Pose, slack: f64) {
    let (there, back) = (ratio::growth(a, b, pose_ab), ratio::growth(b, a, &pose_ab.inverse()));
    let (there, back) = (there.unwrap(), back.unwrap());
    assert!((there.ratio - back.ratio).abs() <= slack, "{there:?} {back:?}");
    for (found, pose, bodies) in [(there, *pose_ab, [a, b]), (back, pose_ab.inverse(), [b, a])] {
        assert_eq!(found.ended, Ended::Converged);
        // No plane is farther out than the upper bound says.
        let points = [found.point, pose.apply_inverse(found.point)];
        for (body, point) in bodies.into_iter().zip(points) {
            let center = body.center();
            let from_center = point - body.anchor() - center;
            for plane in body.planes() {
                let grown = plane.normal.dot(from_center) / -plane.distance(center);
                assert!(grown <= found.ratio + slack, "{grown} {found:?}");
            }
        }
    }
}

/// Pair of a long random run: the box's sides are triangles that rounding cannot order.
#[test]
fn faces_nearly_in_one_plane_do_not_stop_the_walk() {
    let v = DVec3::new;
    let brick = Polytope::from_points(&[
        v(-474048152.8997952, 627648554.4322888, 429122140.89436984),
        v(-474276174.61302614, 627053261.4019326, 429101177.1926704),
        v(-472490149.385739, 627070353.4128375, 428594581.7051805),
        v(-472718171.09897006, 626475060.3824815, 428573618.00348115),
        v(-473602126.3941895, 627422600.080423, 430687003.9781929),
        v(-473830148.1074205, 626827307.050067, 430666040.27649355),
        v(-472044122.8801334, 626844399.0609719, 430159444.7890037),
        v(-472272144.59336436, 626249106.0306157, 430138481.08730423),
    ])
    .unwrap();
    assert_eq!(brick.face_count(), 12, "the sides are triangles, or the test tests nothing");
    let wedge = Polytope::from_points(&[
        v(-52979012707.79687, 3922729147.12783, -14336059403.192461),
        v(-52978804168.79407, 3922368738.037441, -14336081779.806314),
        v(-52978973542.95717, 3923630603.2203035, -14337277494.300053),
        v(-52977478025.9849, 3922908500.387993, -14336949670.045027),
    ])
    .unwrap();
    let turn = DMat3::from_cols(
        v(0.4284360431872336, -0.882185240930597, -0.19542711578051702),
        v(0.8187989292829532, 0.28758646614842087, 0.49685243070085977),
        v(-0.3821136876678935, -0.37288500261137864, 0.8455447383340255),
    );
    let at = v(13532994437.06093, -52582509117.35443, 249311645.1728646);
    // Coordinates of 5e10 round to 1e-5, which is 2e-10 of the inradius.
    assert_settled(&brick, &wedge, &Pose::from_matrix(turn, at).unwrap(), 1e-8);
}

/// The plane of a sliver's face is known only to rounding over its width; its vertices are exact.
#[test]
fn twin_slivers_have_the_ratio_of_their_vertices() {
    let v = DVec3::new;
    let sliver = Polytope::from_points(&[
        v(-0.15909225011251463, -0.09772392210400044, 0.5311159309619339),
        v(-0.1590891703360504, -0.09772411243191063, 0.5311168184589862),
        v(0.1590905439775044, 0.09772559577281234, -0.5311161340673092),
        v(0.15909087647106063, 0.09772243876309873, -0.5311166153536109),
    ])
    .unwrap();
    let shift = v(-3.0574737909178233e-6, -1.7741395089656313e-7, -9.4848485372248e-7);
    assert_settled(&sliver, &sliver, &Pose::from_translation(shift).unwrap(), 1e-8);
}
