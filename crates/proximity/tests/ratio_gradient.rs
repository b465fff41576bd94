//! Gradients of the ratio by central differences, and the balance of the two wrenches.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod ratio_common;

use clearance_geometry::{Body, DQuat, DVec2, DVec3, HalfSpace, PlanarPose, Polygon, Polytope, Pose};
use clearance_proximity::ratio::{self, Growth, PlanarGrowth, Smoothness};
use ratio_common::*;

/// Smallest feature size of the contact that a step may use.
const STEP: f64 = 1e-6;

/// Moves a body in the world by a small twist about its own origin.
fn nudged(pose: &Pose, component: usize, by: f64) -> Pose {
    let axis = [DVec3::X, DVec3::Y, DVec3::Z][component % 3];
    if component < 3 {
        pose.with_translation(pose.translation() + axis * by)
    } else {
        let turn = DQuat::from_axis_angle(axis, by).normalize();
        Pose::new((turn * pose.quaternion()).normalize(), pose.translation()).unwrap()
    }
}

/// Largest difference between the gradients in the world and central differences, over the size of the
/// gradient; none where the event changes within the step.
fn gradient_error(poses: [Pose; 2], ask: impl Fn(&Pose) -> Growth) -> Option<f64> {
    let growth = ask(&Pose::between(&poses[0], &poses[1])).in_world(&poses[0]);
    if growth.smoothness != Smoothness::Differentiable {
        return None;
    }
    let gradients = growth.gradients.map(|g| {
        let (t, r) = (g.translation.to_array(), g.rotation.to_array());
        [t[0], t[1], t[2], r[0], r[1], r[2]]
    });
    let size = gradients.iter().flatten().fold(0.0_f64, |most, g| most.max(g.abs()));
    let mut worst = 0.0_f64;
    for body in 0..2 {
        for (component, gradient) in gradients[body].into_iter().enumerate() {
            let at = |by: f64| {
                let mut moved = poses;
                moved[body] = nudged(&poses[body], component, by);
                ask(&Pose::between(&moved[0], &moved[1]))
            };
            let (before, after) = (at(-STEP), at(STEP));
            if before.features != growth.features || after.features != growth.features {
                return None;
            }
            let difference = (after.ratio - before.ratio) / (2.0 * STEP);
            worst = worst.max((difference - gradient).abs() / size);
        }
    }
    Some(worst)
}

fn world_poses(random: &mut Random, reach: f64) -> [Pose; 2] {
    let place = random.direction() * random.range(0.0, 2.0);
    let a = Pose::new(random.rotation(), place).unwrap();
    let b = Pose::new(random.rotation(), place + random.direction() * reach * random.range(0.3, 1.5));
    [a, b.unwrap()]
}

#[test]
fn gradient_matches_central_differences() {
    let mut random = Random(21);
    let (mut compared, mut skipped, mut worst) = (0, 0, 0.0_f64);
    let mut events = [0; 2];
    for _ in 0..1500 {
        let a = random_solid(&mut random, 0.3, 1.0).build();
        let b = random_solid(&mut random, 0.3, 1.0).shifted(DVec3::new(0.3, -0.2, 0.5)).build();
        let poses = world_poses(&mut random, a.radius() + b.radius());
        let ask = |pose_ab: &Pose| ratio::growth(&a, &b, pose_ab).unwrap();
        match gradient_error(poses, ask) {
            Some(error) => {
                assert!(error < 1e-7, "{error}");
                worst = worst.max(error);
                compared += 1;
                let event = ask(&Pose::between(&poses[0], &poses[1])).event();
                events[usize::from(event == Some(ratio::EventKind::EdgeOnEdge))] += 1;
            }
            None => skipped += 1,
        }
    }
    println!("{compared} compared, worst {worst:.1e}, {skipped} change within the step, events {events:?}");
    assert!(compared > 1400 && events.iter().all(|&n| n > 200));
}

#[test]
fn one_sided_gradient_matches_central_differences() {
    let mut random = Random(22);
    let mut compared = [0; 4];
    for case in 0..2000 {
        let a = random_solid(&mut random, 0.3, 1.0).shifted(DVec3::new(0.3, -0.2, 0.5)).build();
        let corner = random.direction();
        let fixed = match case % 4 {
            0 => Body::from(HalfSpace::new(random.direction(), 0.3).unwrap()),
            1 => Body::from(Polytope::point()),
            2 => Body::from(Polytope::segment([corner, -2.0 * random.direction()]).unwrap()),
            _ => Body::from(random_solid(&mut random, 0.3, 1.0).build()),
        };
        let poses = world_poses(&mut random, 2.5);
        let ask = |pose_ab: &Pose| ratio::growth_against(&a, &fixed, pose_ab).unwrap();
        if let Some(error) = gradient_error(poses, ask) {
            assert!(error < 1e-7, "{case} {error}");
            compared[case % 4] += 1;
        }
    }
    println!("{compared:?} compared");
    assert!(compared.iter().all(|&n| n > 150), "{compared:?}");
}

#[test]
fn both_wrenches_act_at_the_same_point() {
    let mut random = Random(23);
    for _ in 0..500 {
        let a = random_solid(&mut random, 0.5, 1.0).build();
        let b = random_solid(&mut random, 0.5, 1.0).build();
        let poses = world_poses(&mut random, a.radius() + b.radius());
        let growth = ratio::growth(&a, &b, &Pose::between(&poses[0], &poses[1])).unwrap().in_world(&poses[0]);
        let [one, other] = growth.gradients;
        // Forces cancel, and so do the moments about any common point.
        assert!((one.translation + other.translation).length() <= 1e-15 * one.translation.length());
        let moment =
            |g: ratio::PoseGradient, pose: &Pose| g.rotation + pose.translation().cross(g.translation);
        let sum = moment(one, &poses[0]) + moment(other, &poses[1]);
        let size = one.translation.length() * (1.0 + growth.ratio) * 10.0;
        assert!(sum.length() < 1e-14 * size, "{sum}");
        let arm = growth.point - poses[1].translation();
        assert!((other.rotation - arm.cross(other.translation)).length() < 1e-14 * size);
    }
}

fn random_polygon(random: &mut Random) -> Polygon {
    let count = 3 + random.below(8);
    let mut corner = || {
        let v = random.direction();
        DVec2::new(v.x, 0.6 * v.y + 0.1) + DVec2::new(0.2, 0.1)
    };
    loop {
        let points: Vec<DVec2> = (0..count).map(|_| corner()).collect();
        if let Ok(polygon) = Polygon::hull_of(&points)
            && polygon.dimension() == 2
            && polygon.inradius() > 0.05
        {
            return polygon;
        }
    }
}

#[test]
fn planar_gradient_matches_central_differences() {
    let mut random = Random(24);
    let (mut compared, mut worst) = (0, 0.0_f64);
    for _ in 0..2000 {
        let (a, b) = (random_polygon(&mut random), random_polygon(&mut random));
        let mut place = || DVec2::new(random.range(-2.0, 2.0), random.range(-2.0, 2.0));
        let places = [place(), place()];
        let poses = places.map(|place| PlanarPose::new(random.range(0.0, 7.0), place).unwrap());
        let ask = |poses: [PlanarPose; 2]| {
            ratio::planar_growth(&a, &b, &PlanarPose::between(&poses[0], &poses[1])).unwrap()
        };
        let growth: PlanarGrowth = ask(poses).in_world(&poses[0]);
        if growth.smoothness != Smoothness::Differentiable {
            continue;
        }
        let size = growth.gradients.iter().map(|g| g.translation.length()).fold(0.0, f64::max);
        let mut changes = false;
        for body in 0..2 {
            let gradient = growth.gradients[body];
            let expected = [gradient.translation.x, gradient.translation.y, gradient.rotation];
            for (component, expected) in expected.into_iter().enumerate() {
                let at = |by: f64| {
                    let mut moved = poses;
                    let pose = poses[body];
                    moved[body] = match component {
                        2 => PlanarPose::new(pose.angle() + by, pose.translation()).unwrap(),
                        c => pose.with_translation(pose.translation() + [DVec2::X, DVec2::Y][c] * by),
                    };
                    ask(moved)
                };
                let (before, after) = (at(-STEP), at(STEP));
                changes |= before.features != growth.features || after.features != growth.features;
                if !changes {
                    let difference = (after.ratio - before.ratio) / (2.0 * STEP);
                    let error = (difference - expected).abs() / (size * (1.0 + growth.ratio));
                    assert!(error < 1e-7, "{error} {growth:?}");
                    worst = worst.max(error);
                }
            }
        }
        compared += u32::from(!changes);
    }
    println!("{compared} compared, worst {worst:.1e}");
    assert!(compared > 1800, "{compared}");
}
