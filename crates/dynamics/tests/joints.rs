//! Joints hold, their limits and motors act, and what cannot be is refused.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{
    BodySpec, DynamicsError, JointKind, JointSpec, MassOf, Motor, Settings, Shape, SolverChoice, World,
};
use clearance_geometry::{DMat3, DVec2, DVec3, HalfSpace, Polytope, Pose};
use common::{at, body, cuboid, on_floor, planar_floor, rectangle};

fn joint(kind: JointKind, a: Option<usize>, b: usize, anchor: DVec3, axis: DVec3) -> JointSpec {
    JointSpec { anchor: Some(anchor), axis: Some(axis), ..JointSpec::new(kind, [a, Some(b)]) }
}

fn world(step: f64) -> World {
    World::new(Settings { step, ..Settings::default() }).unwrap()
}

/// A rod that hangs off a hinge at the origin, held out level: its largest joint error over a second.
fn pendulum(step: f64, kind: JointKind) -> f64 {
    let mut world = world(step);
    let rod = world.add_body(body(cuboid(DVec3::new(1.0, 0.1, 0.1)), at(DVec3::X * 0.5))).unwrap();
    world.add_joint(&joint(kind, None, rod, DVec3::ZERO, DVec3::Y)).unwrap();
    let mut worst = 0.0_f64;
    for _ in 0..(1.0 / step) as usize {
        world.step().unwrap();
        worst = worst.max(world.report().infeasibility);
    }
    worst
}

#[test]
fn joints_hold_at_the_end_of_every_step() {
    for kind in [JointKind::Ball, JointKind::Hinge] {
        for step in [0.05, 0.01, 0.0025] {
            let open = pendulum(step, kind);
            assert!(open < 1e-10, "{kind:?} at {step}: {open}");
        }
    }
}

#[test]
fn each_kind_leaves_free_what_it_should() {
    for (kind, moves, turns) in [
        (JointKind::Fixed, false, false),
        (JointKind::Slider, true, false),
        (JointKind::Pivot, true, true),
        (JointKind::Hinge, false, true),
    ] {
        let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
        let mut block = body(cuboid(DVec3::ONE), Pose::IDENTITY);
        block.velocity = DVec3::new(1.0, 0.5, 0.25);
        block.angular_velocity = DVec3::new(1.0, 0.5, 0.25);
        let block = world.add_body(block).unwrap();
        world.add_joint(&joint(kind, None, block, DVec3::ZERO, DVec3::X)).unwrap();
        for _ in 0..50 {
            world.step().unwrap();
        }
        let place = world.bodies()[block].position();
        let turn = world.bodies()[block].orientation().to_scaled_axis();
        assert!((place.x - if moves { 0.5 } else { 0.0 }).abs() < 1e-6, "{kind:?} {place}");
        assert!(place.y.abs() < 1e-6 && place.z.abs() < 1e-6, "{kind:?} {place}");
        assert!((turn.x - if turns { 0.5 } else { 0.0 }).abs() < 1e-6, "{kind:?} {turn}");
        assert!(turn.y.abs() < 1e-6 && turn.z.abs() < 1e-6, "{kind:?} {turn}");
    }
}

#[test]
fn distance_is_kept() {
    let mut world = world(0.005);
    let bob = world.add_body(body(cuboid(DVec3::splat(0.2)), at(DVec3::X * 2.0))).unwrap();
    world.add_joint(&joint(JointKind::Distance, None, bob, DVec3::ZERO, DVec3::ZERO)).unwrap();
    for _ in 0..300 {
        world.step().unwrap();
        assert!((world.bodies()[bob].position().length() - 2.0).abs() < 3e-3);
    }
}

#[test]
fn closed_loop_holds() {
    // A square of four rods hinged at their ends, one hinge of the loop being redundant, hung at a corner.
    let worst = |step: f64| {
        let mut world = world(step);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.0, -1.0), DVec3::new(0.0, 0.0, -1.0)];
        let mut rods = Vec::new();
        for i in 0..4 {
            let along = corners[(i + 1) % 4] - corners[i];
            let size = along.abs() + DVec3::splat(0.1);
            let middle = (corners[i] + corners[(i + 1) % 4]) / 2.0;
            rods.push(world.add_body(body(cuboid(size), at(middle))).unwrap());
        }
        for (a, b) in [(0, 2), (1, 3)] {
            world.ignore(rods[a], rods[b]);
        }
        world.add_joint(&joint(JointKind::Hinge, None, rods[0], corners[0], DVec3::Y)).unwrap();
        for i in 0..4 {
            let (a, b) = (rods[(i + 3) % 4], rods[i]);
            world.add_joint(&joint(JointKind::Hinge, Some(a), b, corners[i], DVec3::Y)).unwrap();
        }
        let mut worst = 0.0_f64;
        for _ in 0..(0.5 / step) as usize {
            world.step().unwrap();
            assert!(world.report().elastic.is_none(), "{:?}", world.report());
            worst = worst.max(world.report().infeasibility);
        }
        worst
    };
    for step in [0.01, 0.0025] {
        let open = worst(step);
        assert!(open < 1e-9, "{step}: {open}");
    }
}

#[test]
fn limits_stop_and_motors_drive() {
    let mut world = world(0.005);
    let rod = world.add_body(body(cuboid(DVec3::new(1.0, 0.1, 0.1)), at(DVec3::X * 0.5))).unwrap();
    let mut hinge = joint(JointKind::Hinge, None, rod, DVec3::ZERO, DVec3::Y);
    hinge.limits = Some([-0.5, 0.5]);
    world.add_joint(&hinge).unwrap();
    for _ in 0..400 {
        world.step().unwrap();
    }
    let angle = world.bodies()[rod].orientation().to_scaled_axis().y;
    assert!((angle - 0.5).abs() < 1e-6, "{angle}");

    for (force, expected) in [(1e6, 2.0), (0.0, 0.0)] {
        let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
        let block = world.add_body(body(cuboid(DVec3::ONE), Pose::IDENTITY)).unwrap();
        let mut slider = joint(JointKind::Slider, None, block, DVec3::ZERO, DVec3::X);
        slider.motor = Some(Motor { velocity: 2.0, max_force: force });
        world.add_joint(&slider).unwrap();
        world.step().unwrap();
        assert!((world.velocity(block).x - expected).abs() < 1e-9);
    }
}

/// What is lifted, turned or held against a limit by a motor under gravity has the velocity with which its poses move.
#[test]
fn velocities_of_driven_bodies_are_those_of_their_poses() {
    for step in [0.01, 0.05] {
        let mut lifted = world(step);
        let block = lifted.add_body(body(cuboid(DVec3::new(1.0, 0.1, 0.1)), Pose::IDENTITY)).unwrap();
        let mut slider = joint(JointKind::Slider, None, block, DVec3::ZERO, DVec3::Z);
        slider.motor = Some(Motor { velocity: 1.0, max_force: 1e4 });
        lifted.add_joint(&slider).unwrap();
        let mut turned = world(step);
        let rod = turned.add_body(body(cuboid(DVec3::new(1.0, 0.1, 0.1)), at(DVec3::X * 0.5))).unwrap();
        let mut hinge = joint(JointKind::Hinge, None, rod, DVec3::ZERO, DVec3::Y);
        hinge.motor = Some(Motor { velocity: -0.2, max_force: 1e4 });
        turned.add_joint(&hinge).unwrap();
        for _ in 0..10 {
            lifted.step().unwrap();
            turned.step().unwrap();
            let (speed, rate) = (lifted.velocity(block).z, turned.angular_velocity(rod).y);
            assert!((speed - 1.0).abs() < 1e-9, "{step}: {speed}");
            assert!((rate + 0.2).abs() < 1e-6, "{step}: {rate}");
        }
        let kinetic = lifted.report().kinetic;
        assert!((kinetic - 5.0).abs() < 1e-8, "{step}: {kinetic}");
        // Too weak to lift it: it falls as its poses do, as much slower as the force says.
        let mut falls = world(step);
        let block = falls.add_body(body(cuboid(DVec3::new(1.0, 0.1, 0.1)), Pose::IDENTITY)).unwrap();
        slider.motor = Some(Motor { velocity: 1.0, max_force: 40.0 });
        falls.add_joint(&slider).unwrap();
        let mut heights = Vec::new();
        let mut speeds = Vec::new();
        for _ in 0..10 {
            falls.step().unwrap();
            heights.push(falls.bodies()[block].position().z);
            speeds.push(falls.velocity(block).z);
        }
        for at in 1..9 {
            let expected = (heights[at + 1] - heights[at - 1]) / (2.0 * step);
            assert!((speeds[at] - expected).abs() < 1e-9, "{step}: {}, not {expected}", speeds[at]);
        }
        let slower = (speeds[9] - speeds[0]) / (9.0 * step);
        assert!((slower - (4.0 - 9.81)).abs() < 1e-9, "{step}: {slower}");
        // Strong enough: it rests against the limit above.
        slider.limits = Some([-1.0, 0.02]);
        slider.motor = Some(Motor { velocity: 1.0, max_force: 200.0 });
        let mut held = world(step);
        let block = held.add_body(body(cuboid(DVec3::new(1.0, 0.1, 0.1)), Pose::IDENTITY)).unwrap();
        held.add_joint(&slider).unwrap();
        for _ in 0..100 {
            held.step().unwrap();
        }
        let (place, speed) = (held.bodies()[block].position().z, held.velocity(block).z);
        assert!((place - 0.02).abs() < 1e-9 && speed.abs() < 1e-9, "{step}: {place}, {speed}");
    }
}

#[test]
fn planar_hinge_swings() {
    let mut world = planar_floor(Settings::default());
    let rod = world.add_body(body(rectangle(DVec2::new(1.0, 0.1)), at(DVec3::new(0.5, 3.0, 0.0)))).unwrap();
    world.add_joint(&joint(JointKind::Hinge, None, rod, DVec3::Y * 3.0, DVec3::Z)).unwrap();
    let mut lowest = 3.0_f64;
    for _ in 0..100 {
        world.step().unwrap();
        assert!((world.bodies()[rod].position().distance(DVec3::Y * 3.0) - 0.5).abs() < 3e-3);
        lowest = lowest.min(world.bodies()[rod].position().y);
    }
    assert!(lowest < 2.51, "{lowest}");
}

#[test]
fn contradicting_joints_end_in_an_elastic_step() {
    let mut world = world(0.01);
    let block = world.add_body(body(cuboid(DVec3::ONE), Pose::IDENTITY)).unwrap();
    let mut slider = joint(JointKind::Slider, None, block, DVec3::ZERO, DVec3::X);
    slider.limits = Some([1.0, 2.0]);
    world.add_joint(&slider).unwrap();
    world.add_joint(&joint(JointKind::Ball, None, block, DVec3::ZERO, DVec3::X)).unwrap();
    for _ in 0..10 {
        world.step().unwrap();
        assert!(world.report().elastic.is_some() && world.report().jammed && !world.report().thrown);
        assert!(world.bodies()[block].position().is_finite());
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let mut world = on_floor(Settings::default());
    let cube = || Shape::Solid(Polytope::cuboid(DVec3::ONE).unwrap());
    let block = world.add_body(body(cube(), at(DVec3::Z * 5.0))).unwrap();
    let given = |mass: f64| MassOf::Given { mass, inertia: DMat3::IDENTITY };
    for mass in [MassOf::Density(0.0), MassOf::Density(-1.0), given(0.0)] {
        let refused = world.add_body(BodySpec::new(cube(), Pose::IDENTITY, mass));
        assert_eq!(refused, Err(DynamicsError::NoMass));
    }
    let nan = world.add_body(BodySpec::new(cube(), Pose::IDENTITY, MassOf::Density(f64::NAN)));
    assert_eq!(nan, Err(DynamicsError::NotFinite { field: "mass" }));
    let half = Shape::HalfSpace(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let moving = world.add_body(BodySpec::new(half, Pose::IDENTITY, MassOf::Density(1.0)));
    assert_eq!(moving, Err(DynamicsError::CannotMove));
    let flat = world.add_body(body(rectangle(DVec2::ONE), Pose::IDENTITY));
    assert_eq!(flat, Err(DynamicsError::MixedDimensions));
    let point = world.add_body(body(Shape::Solid(Polytope::point()), Pose::IDENTITY));
    assert_eq!(point, Err(DynamicsError::NoMass));
    for bodies in [[None, None], [Some(block), Some(block)], [Some(9), Some(block)], [Some(0), None]] {
        let spec = JointSpec { bodies, ..joint(JointKind::Ball, None, block, DVec3::ZERO, DVec3::X) };
        assert_eq!(world.add_joint(&spec), Err(DynamicsError::BadJointBodies));
    }
    let no_axis = joint(JointKind::Hinge, None, block, DVec3::ZERO, DVec3::ZERO);
    assert!(matches!(world.add_joint(&no_axis), Err(DynamicsError::BadJoint { .. })));
    let crossed =
        JointSpec { limits: Some([1.0, 0.0]), ..joint(JointKind::Hinge, None, block, DVec3::ZERO, DVec3::X) };
    assert!(matches!(world.add_joint(&crossed), Err(DynamicsError::BadJoint { .. })));
    assert!("simplex".parse::<SolverChoice>().is_err());
    for settings in [
        Settings { step: 0.0, ..Settings::default() },
        Settings { step: f64::NAN, ..Settings::default() },
        Settings { friction: -0.1, ..Settings::default() },
        Settings { gravity: DVec3::splat(f64::INFINITY), ..Settings::default() },
    ] {
        assert!(World::new(settings).is_err());
    }
}
