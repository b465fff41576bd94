//! Bodies gain no energy: slender ones that fall, pendulums that swing for long, bodies that bounce with friction, bodies that
//! are jammed.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{BodySpec, JointKind, JointSpec, Settings, Shape, World};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DMat3, DVec3, Pose};
use clearance_testkit::Random;
use common::{at, body, cuboid, fixed, on_floor};
use std::f64::consts::FRAC_PI_6;

/// The largest energy of a run.
fn most_energy(world: &mut World, steps: usize) -> f64 {
    (0..steps).map(|_| world.step().unwrap().energy()).fold(f64::NEG_INFINITY, f64::max)
}

/// What the energy of a body may be off by where velocities are known half a step from the poses.
fn half_a_kick(spec: &BodySpec, mass: f64, step: f64, height: f64) -> f64 {
    let fastest = spec.velocity.length() + (2.0 * 9.81 * height).sqrt();
    mass * 9.81 * fastest * step / 2.0
}

#[test]
fn slender_bodies_that_fall_gain_nothing() {
    let mut random = Random::new(61);
    for case in 0..24 {
        let thin = [0.1, 0.03, 0.01, 0.003][case % 4];
        let size = if case % 3 == 0 { DVec3::new(1.0, 0.5, thin) } else { DVec3::new(1.0, thin, thin) };
        let step = [0.01, 0.005][case % 2];
        let mut world = on_floor(Settings { step, ..Settings::default() });
        let pose = Pose::from_matrix(random.rotation(), DVec3::Z).unwrap();
        let mut thrown = body(cuboid(size), pose);
        thrown.velocity = DVec3::X * random.uniform(-1.0, 1.0);
        thrown.angular_velocity = random.direction() * random.uniform(0.0, 10.0);
        let slack = 0.1 * half_a_kick(&thrown, 1000.0 * size.element_product(), step, 1.0);
        world.add_body(thrown).unwrap();
        world.start();
        let before = world.report().energy();
        let most = most_energy(&mut world, (3.0 / step) as usize);
        assert!(most <= before + slack, "case {case}, {size}: {most} after {before}");
    }
}

#[test]
fn free_spinning_of_slender_bodies_keeps_energy() {
    for (size, speed) in [(0.01, 10.0), (0.01, 50.0), (0.001, 50.0), (0.3, 200.0)] {
        let settings = Settings { step: 0.01, gravity: DVec3::ZERO, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        let mut rod = body(cuboid(DVec3::new(1.0, size, size * 0.9)), Pose::IDENTITY);
        rod.angular_velocity = DVec3::new(0.5, 0.8, 0.3) * speed;
        world.add_body(rod).unwrap();
        world.start();
        let (before, momentum) = (world.report().energy(), world.report().angular_momentum);
        for _ in 0..1000 {
            let energy = world.step().unwrap().energy();
            assert!((energy / before - 1.0).abs() < 1e-8, "{size} {speed}: {energy} of {before}");
            assert_eq!(world.report().angular_momentum, momentum);
        }
    }
}

/// So many rods of length 1 that hang from each other by joints, let go level.
fn pendulum(kind: JointKind, count: usize, step: f64) -> World {
    let mut world = World::new(Settings { step, ..Settings::default() }).unwrap();
    for link in 0..count {
        let place = DVec3::X * (link as f64 + 0.5);
        let number = world.add_body(body(cuboid(DVec3::new(1.0, 0.1, 0.1)), at(place))).unwrap();
        let before = number.checked_sub(1);
        let spec = JointSpec {
            anchor: Some(DVec3::X * link as f64),
            axis: Some(DVec3::Y),
            ..JointSpec::new(kind, [before, Some(number)])
        };
        world.add_joint(&spec).unwrap();
        if let Some(before) = before {
            world.ignore(before, number);
        }
    }
    world.start();
    world
}

#[test]
fn pendulums_swing_for_long_without_gaining() {
    for (kind, count, seconds) in [(JointKind::Hinge, 2, 200.0), (JointKind::Ball, 3, 60.0)] {
        for step in [0.01, 0.005] {
            let mut world = pendulum(kind, count, step);
            // Of the energy that one link has to fall by, 98 J: no more than velocities half a step away may show.
            let weight = 98.1 * count as f64;
            let steps = (seconds / step) as usize;
            let first = most_energy(&mut world, steps / 10);
            let last = most_energy(&mut world, steps - steps / 10);
            assert!(first < 2.0 * weight * step, "{count} links, {step}: {first}");
            assert!(last < 2.0 * weight * step, "{count} links, {step}: {last} after {first}");
            assert!(world.report().infeasibility < 1e-6, "{:?}", world.report().infeasibility);
        }
    }
}

#[test]
fn bouncing_with_friction_gains_nothing() {
    let mut random = Random::new(62);
    let mut bounces = 0;
    for case in 0..40 {
        let restitution = [1.0, 0.9, 0.8, 0.5][case % 4];
        let settings = Settings { step: 0.01, friction: 0.5, restitution, ..Settings::default() };
        let mut world = on_floor(settings);
        let pose = Pose::from_matrix(random.rotation(), DVec3::Z * 3.0).unwrap();
        let mut thrown = body(cuboid(DVec3::new(1.0, 0.3, 2.0)), pose);
        thrown.velocity = random.direction() - DVec3::Z * 3.0;
        thrown.angular_velocity = random.direction() * random.uniform(0.0, 10.0);
        let slack = 0.1 * half_a_kick(&thrown, 600.0, 0.01, 4.0);
        world.add_body(thrown).unwrap();
        world.start();
        let mut before = world.report().energy();
        let mut rising = false;
        for _ in 0..400 {
            let energy = world.step().unwrap().energy();
            assert!(energy <= before + 2.0 * slack, "case {case}: {energy} after {before}");
            before = before.min(energy);
            let up = world.velocity(1).z > 0.0;
            bounces += usize::from(up && !rising);
            rising = up;
        }
    }
    assert!(bounces > 100, "{bounces}");
}

#[test]
fn a_ball_that_overlaps_a_ring_all_around_is_not_thrown() {
    let shape = |body: TiledBody| Shape::Body(Body::Tiled(body));
    let mut thrown = 0;
    for (major, minor) in [(0.7, 0.25), (0.6, 0.2), (0.5, 0.1)] {
        let mut world = World::new(Settings { step: 0.01, ..Settings::default() }).unwrap();
        world.add_body(fixed(cuboid(DVec3::new(8.0, 8.0, 1.0)), at(-DVec3::Z / 2.0))).unwrap();
        world.add_body(body(shape(TiledBody::sphere(0.5).unwrap()), at(DVec3::Z * 0.6))).unwrap();
        let ring = shape(TiledBody::torus(major, minor).unwrap());
        world.add_body(body(ring, at(DVec3::new(0.02, 0.03, 0.65)))).unwrap();
        let mut fastest = 0.0_f64;
        for _ in 0..200 {
            let report = world.step().unwrap();
            assert_eq!(report.elastic.is_some(), report.thrown || report.jammed);
            thrown += usize::from(report.thrown);
            fastest = fastest.max((1..3).map(|at| world.velocity(at).length()).fold(0.0, f64::max));
        }
        // A few times the fall over the larger body's size.
        assert!(fastest < 15.0, "{major} {minor}: {fastest}");
    }
    assert!(thrown > 0);
}

/// A slope of 30 degrees without friction, or with more than a ball needs to roll; what falls on it from a little above.
fn on_slope(friction: f64, shape: Shape, above: f64) -> World {
    let mut world = World::new(Settings { friction, ..Settings::default() }).unwrap();
    let turn = DMat3::from_rotation_y(FRAC_PI_6);
    let slope = Pose::from_matrix(turn, turn * DVec3::Z * -0.5).unwrap();
    world.add_body(fixed(cuboid(DVec3::new(200.0, 4.0, 1.0)), slope)).unwrap();
    let place = turn * (DVec3::Z * (0.25 + above));
    world.add_body(body(shape, Pose::from_matrix(turn, place).unwrap())).unwrap();
    world.start();
    world
}

#[test]
fn recorded_energy_has_no_steps() {
    let ball = || Shape::Body(Body::Tiled(TiledBody::sphere(0.25).unwrap()));
    for (friction, shape) in [(0.0, cuboid(DVec3::splat(0.5))), (0.8, ball())] {
        // From rest on the slope, which has no impact: it starts to move and goes on for 20 m.
        let mut world = on_slope(friction, shape.clone(), 0.0);
        let start = world.report().energy();
        for step in 0..250 {
            let report = world.step().unwrap();
            let off = (report.energy() - start).abs() / report.kinetic.max(1.0);
            assert!(off < 1e-4, "{friction}, step {step}: {} of {start}", report.energy());
        }
        assert!(world.velocity(1).length() > 8.0, "{}", world.velocity(1));
        // From above: free fall, one impact, sliding or rolling.
        let mut world = on_slope(friction, shape, 1.0);
        let mut before = world.report().energy();
        let mut lost = 0.0;
        for step in 0..250 {
            let report = world.step().unwrap();
            let change = report.energy() - before;
            assert!(change < 1e-4 * report.kinetic.max(1.0), "{friction}, step {step}: by {change}");
            lost += f64::from(u8::from(change < -1e-3 * report.kinetic));
            before = report.energy();
        }
        assert!(lost > 0.0 && lost < 6.0, "{lost} steps with an impact");
    }
}
