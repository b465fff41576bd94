//! Tracked growth: large bodies, no allocation, degenerate motions through the linear program as well.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod ratio_common;

use clearance_geometry::{DQuat, DVec2, DVec3, PlanarPose, Polygon, Polytope, Pose};
use clearance_proximity::{Ended, ratio};
use clearance_testkit::{CountingAllocator, allocations, counts_allocations};
use ratio_common::*;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn tracked_growth_allocates_nothing() {
    assert!(counts_allocations());
    let mut random = Random(61);
    let solids = [cuboid(DVec3::new(2.0, 1.0, 1.0)).build(), prism(60).build(), icosphere(2).build()];
    for a in &solids {
        for b in &solids {
            let mut tracker = ratio::Tracker::new();
            let mut poses = Vec::new();
            for _ in 0..50 {
                poses.push(Pose::new(random.rotation(), random.direction() * 2.0).unwrap());
                // Parallel faces take the way through the middle of the contact.
                poses.push(Pose::from_translation(random.direction() * 3.0).unwrap());
            }
            let count = allocations(|| {
                for pose_ab in &poses {
                    tracker.update(a, b, pose_ab).unwrap();
                    tracker.update_against(a, b, pose_ab).unwrap();
                }
                // Neither does the linear program behind it.
                ratio::growth_by_lp(a, b, &poses[0]).unwrap();
            });
            assert_eq!(count, 0);
        }
    }
    let polygon = Polygon::rectangle(DVec2::new(2.0, 1.0)).unwrap();
    let mut tracker = ratio::PlanarTracker::new();
    let count = allocations(|| {
        for i in 0..100 {
            let pose = PlanarPose::new(0.1 * f64::from(i), DVec2::new(2.0, 0.5)).unwrap();
            tracker.update(&polygon, &polygon, &pose).unwrap();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn large_bodies_agree_with_the_lp() {
    let mut random = Random(62);
    let cloud: Vec<DVec3> = (0..400).map(|_| random.direction() * DVec3::new(1.0, 0.6, 0.3)).collect();
    let bodies = [
        icosphere(3).build(),
        prism(200).build(),
        prism(37).stretched(DVec3::new(1.0, 0.2, 3.0)).build(),
        Polytope::from_points(&cloud).unwrap(),
    ];
    let mut escapes = 0;
    for a in &bodies {
        for b in &bodies {
            let mut tracker = ratio::Tracker::new();
            let axis = random.direction();
            for step in 0..30 {
                let turn = DQuat::from_axis_angle(axis, 0.2 * f64::from(step)).normalize();
                let place = turn * DVec3::new(1.0 + 0.1 * f64::from(step), 0.3, -0.2);
                let pose_ab = Pose::new(turn, place).unwrap();
                let tracked = tracker.update(a, b, &pose_ab).unwrap();
                assert_eq!(tracked.ended, Ended::Converged, "{tracked:?}");
                escapes += tracked.work.escapes;
                if step % 10 == 0 {
                    let by_lp = ratio::growth_by_lp(a, b, &pose_ab).unwrap();
                    let error = (tracked.ratio - by_lp.ratio).abs();
                    assert!(error < 1e-12 * by_lp.ratio, "{tracked:?} {by_lp:?}");
                }
            }
        }
    }
    println!("{escapes} to the LP");
    assert!(escapes < 5);
}

#[test]
fn lp_agrees_on_parallel_faces() {
    let mut random = Random(63);
    let bodies = [cuboid(DVec3::splat(2.0)).build(), prism(6).build(), prism(4).build()];
    let mut same = 0;
    for case in 0..600 {
        let (a, b) = (&bodies[random.below(3)], &bodies[random.below(3)]);
        let quarter = std::f64::consts::FRAC_PI_2 * f64::from(case % 4);
        let mut step = || f64::from(random.below(9) as u32) * 0.5 - 2.0;
        let place = DVec3::new(step(), step(), step());
        let pose_ab = Pose::new(DQuat::from_rotation_z(quarter), place).unwrap();
        let growth = ratio::growth(a, b, &pose_ab).unwrap();
        let by_lp = ratio::growth_by_lp(a, b, &pose_ab).unwrap();
        let expected = if place == DVec3::ZERO { 0.0 } else { oracle_ratio(a, b, &pose_ab) };
        assert!((growth.ratio - expected).abs() <= 1e-13 * expected, "{expected} {growth:?}");
        assert!((by_lp.ratio - expected).abs() <= 1e-13 * expected, "{place} {expected} {by_lp:?}");
        assert_eq!((growth.ended, by_lp.ended), (Ended::Converged, Ended::Converged));
        // The middle of the contact does not depend on the way there.
        if growth.smoothness == by_lp.smoothness && (growth.normal - by_lp.normal).length() < 1e-12 {
            assert!((growth.point - by_lp.point).length() < 1e-12, "{growth:?} {by_lp:?}");
            same += 1;
        }
    }
    assert!(same > 200, "{same} of 600 have the same normal");
}
