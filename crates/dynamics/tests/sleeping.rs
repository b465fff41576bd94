//! Groups at rest fall asleep and wake when they should.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{JointKind, JointSpec, Motor, Settings, Sleep, World};
use clearance_geometry::DVec3;
use common::{at, body, cuboid, on_floor};

fn stack(sleep: Option<Sleep>) -> World {
    let mut world = on_floor(Settings { sleep, ..Settings::default() });
    for floor in 0..3 {
        let pose = at(DVec3::new(0.0, 0.0, 0.5 + f64::from(floor)));
        world.add_body(body(cuboid(DVec3::ONE), pose)).unwrap();
    }
    world
}

fn steps(world: &mut World, count: usize) {
    (0..count).for_each(|_| {
        world.step().unwrap();
    });
}

#[test]
fn stack_sleeps_after_its_time() {
    let mut world = stack(Some(Sleep::default()));
    steps(&mut world, 45);
    assert_eq!(world.report().asleep, 0);
    steps(&mut world, 15);
    assert_eq!(world.report().asleep, 3);
    let before: Vec<DVec3> = world.bodies().iter().map(|body| body.position()).collect();
    let events = world.events().to_vec();
    assert!(events.len() >= 12);
    steps(&mut world, 20);
    assert_eq!(world.bodies().iter().map(|body| body.position()).collect::<Vec<_>>(), before);
    assert_eq!(world.events(), events);
    assert_eq!(world.report().iterations, 0);
    assert_eq!(world.report().kinetic, 0.0);

    let mut never = stack(None);
    steps(&mut never, 80);
    assert_eq!(never.report().asleep, 0);
}

#[test]
fn falling_box_wakes_what_it_hits() {
    let mut world = stack(Some(Sleep::default()));
    let high = at(DVec3::new(0.2, 0.1, 12.0));
    let falling = world.add_body(body(cuboid(DVec3::ONE), high)).unwrap();
    let mut slept = false;
    let mut woken = false;
    for _ in 0..180 {
        world.step().unwrap();
        slept |= world.report().asleep == 3;
        woken |= slept && world.report().asleep == 0;
        assert!(world.report().infeasibility < 1e-2, "{:?}", world.report());
    }
    assert!(slept && woken);
    assert!(world.bodies()[falling].position().z > 0.4);
}

#[test]
fn pushes_and_gravity_wake() {
    let mut world = stack(Some(Sleep::default()));
    steps(&mut world, 80);
    assert_eq!(world.report().asleep, 3);
    world.push(3, DVec3::X * 800.0).unwrap();
    assert!((1..=3).all(|body| !world.is_asleep(body)));
    steps(&mut world, 30);
    assert!(world.bodies()[3].position().x > 0.02);
    steps(&mut world, 120);
    assert_eq!(world.report().asleep, 3);
    world.set_gravity(DVec3::new(0.0, 0.0, 1.0)).unwrap();
    steps(&mut world, 10);
    assert_eq!(world.report().asleep, 0);
    assert!(world.push(1, DVec3::splat(f64::NAN)).is_err());
    assert!(world.set_gravity(DVec3::splat(f64::INFINITY)).is_err());
}

#[test]
fn motors_and_free_flight_stay_awake() {
    let slow = Sleep { speed: Some(10.0), after: 0.1 };
    let mut world =
        World::new(Settings { gravity: DVec3::ZERO, sleep: Some(slow), ..Settings::default() }).unwrap();
    let driven = world.add_body(body(cuboid(DVec3::ONE), at(DVec3::ZERO))).unwrap();
    let free = world.add_body(body(cuboid(DVec3::ONE), at(DVec3::X * 5.0))).unwrap();
    let spec = JointSpec {
        anchor: Some(DVec3::ZERO),
        axis: Some(DVec3::Y),
        motor: Some(Motor { velocity: 0.01, max_force: 1e4 }),
        ..JointSpec::new(JointKind::Slider, [None, Some(driven)])
    };
    world.add_joint(&spec).unwrap();
    steps(&mut world, 50);
    assert!(!world.is_asleep(driven) && !world.is_asleep(free));
    assert!((world.bodies()[driven].position().y - 0.005).abs() < 1e-6);
}

/// A row of boxes on ice: the first two, struck, run into the third, which sleeps by itself, within the same step.
#[test]
fn sleeping_box_is_no_wall_for_one_that_is_struck() {
    let mut world =
        on_floor(Settings { friction: 0.0, sleep: Some(Sleep::default()), ..Settings::default() });
    for x in [0.0, 1.0, 2.05] {
        world.add_body(body(cuboid(DVec3::ONE), at(DVec3::new(x, 0.0, 0.5)))).unwrap();
    }
    let mut striker = body(cuboid(DVec3::ONE), at(DVec3::new(-11.0, 0.0, 0.5)));
    striker.velocity = DVec3::X * 10.0;
    let striker = world.add_body(striker).unwrap();
    let momentum = world.bodies()[striker].mass() * 10.0;
    let mut slept = 0;
    for step in 0..150 {
        world.step().unwrap();
        slept = slept.max(world.report().asleep);
        let now = world.report().momentum.x;
        assert!((now / momentum - 1.0).abs() < 1e-9, "{step}: {now} of {momentum}");
    }
    assert_eq!(slept, 3);
    assert!(world.velocity(3).x > 2.0, "{}", world.velocity(3));
}
