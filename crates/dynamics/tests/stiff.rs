//! Mechanisms that a whole step is too long for: heavy bodies on light links, and what turns fast.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{BodySpec, JointKind, JointSpec, MassOf, Motor, Settings, World};
use clearance_geometry::{DMat3, DVec3};
use common::{at, cuboid};

/// A box of a size with a mass.
fn weighing(mass: f64, size: DVec3, place: DVec3) -> BodySpec {
    let s = size * size;
    let inertia = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 12.0);
    BodySpec::new(cuboid(size), at(place), MassOf::Given { mass, inertia: DMat3::from_diagonal(inertia) })
}

fn world(gravity: f64) -> World {
    let settings = Settings { step: 0.01, gravity: DVec3::Z * -gravity, ..Settings::default() };
    World::new(settings).unwrap()
}

/// So many links of length 0.2 with a bob at their end, let go level: the most that joints are open by, over their length, and the
/// least and the most energy, over what the bob can fall by.
fn chain(links: usize, ratio: f64, seconds: f64, collide: bool) -> [f64; 3] {
    let mut world = world(9.81);
    for at in 0..=links {
        let is_bob = at == links;
        let size = if is_bob { DVec3::splat(0.16) } else { DVec3::new(0.2, 0.02, 0.02) };
        let place = DVec3::X * (0.2 * at as f64 + 0.1);
        world.add_body(weighing(if is_bob { ratio } else { 1.0 }, size, place)).unwrap();
        let bodies = [at.checked_sub(1), Some(at)];
        let anchor = Some(DVec3::X * (0.2 * at as f64));
        world.add_joint(&JointSpec { anchor, ..JointSpec::new(JointKind::Ball, bodies) }).unwrap();
    }
    for one in (0..=links).filter(|_| !collide) {
        (0..one).for_each(|two| world.ignore(one, two));
    }
    let (length, mut found) = (0.2 * (links as f64 + 0.5), [0.0_f64, 0.0, 0.0]);
    for _ in 0..(seconds / 0.01) as usize {
        let report = world.step().unwrap();
        let energy = report.energy() / (ratio * 9.81 * length);
        found = [found[0].max(report.infeasibility / length), found[1].min(energy), found[2].max(energy)];
    }
    found
}

#[test]
fn heavy_bobs_on_light_links_stay_on_them() {
    // Two links fold and snap tight, which takes the most parts.
    for (links, ratio, seconds) in
        [(1, 1e6, 1.0), (2, 10.0, 3.0), (2, 1e3, 3.0), (3, 1e6, 0.7), (10, 1e4, 1.0)]
    {
        let [open, least, most] = chain(links, ratio, seconds, false);
        assert!(open < 1e-8, "{links} links, 1:{ratio}: open by {open}");
        assert!(least > -0.02 && most < 0.01, "{links} links, 1:{ratio}: energy {least} to {most}");
    }
}

#[test]
fn chains_whose_links_may_touch_hold_too() {
    for (links, ratio, seconds) in [(2, 1e3, 3.0), (10, 10.0, 3.0), (10, 100.0, 4.5), (10, 1e4, 0.5)] {
        let [open, _, most] = chain(links, ratio, seconds, true);
        assert!(open < 1e-3, "{links} links, 1:{ratio}: open by {open}");
        assert!(most < 0.01, "{links} links, 1:{ratio}: energy {most}");
    }
}

#[test]
fn a_light_body_between_a_heavy_one_and_the_world_gains_nothing() {
    let mut world = world(9.81);
    let small = world.add_body(weighing(0.5, DVec3::splat(0.1), DVec3::X)).unwrap();
    let big = world.add_body(weighing(500.0, DVec3::splat(0.5), DVec3::X * 2.0)).unwrap();
    world.ignore(small, big);
    let held = JointSpec::new(JointKind::Distance, [None, Some(small)]);
    world.add_joint(&JointSpec { anchor: Some(DVec3::ZERO), ..held }).unwrap();
    world.add_joint(&JointSpec::new(JointKind::Distance, [Some(small), Some(big)])).unwrap();
    for _ in 0..500 {
        let report = world.step().unwrap();
        let energy = report.energy() / (500.0 * 9.81 * 2.0);
        assert!(energy.abs() < 0.02, "{energy} after {} s", report.time);
        assert!(report.infeasibility < 1e-9, "{report:?}");
    }
}

fn hinge(bodies: [Option<usize>; 2], anchor: DVec3, axis: DVec3) -> JointSpec {
    JointSpec { anchor: Some(anchor), axis: Some(axis), ..JointSpec::new(JointKind::Hinge, bodies) }
}

#[test]
fn joints_hold_what_turns_fast() {
    // An arm driven at up to three radians in a step, with a rod hinged to its end that swings about.
    for speed in [40.0, 100.0, 300.0] {
        let mut world = world(9.81);
        let arm = world.add_body(weighing(1.0, DVec3::new(1.0, 0.1, 0.1), DVec3::X * 0.5)).unwrap();
        let rod = world.add_body(weighing(1.0, DVec3::new(1.0, 0.1, 0.1), DVec3::X * 1.5)).unwrap();
        let motor = Some(Motor { velocity: speed, max_force: 500.0 });
        world.add_joint(&JointSpec { motor, ..hinge([None, Some(arm)], DVec3::ZERO, DVec3::Y) }).unwrap();
        world.add_joint(&hinge([Some(arm), Some(rod)], DVec3::X, DVec3::Z)).unwrap();
        for _ in 0..200 {
            let report = world.step().unwrap();
            assert!(report.infeasibility < 1e-7, "{speed} rad/s: {report:?}");
        }
        let reached = world.angular_velocity(arm).dot(DVec3::Y);
        assert!((reached / speed - 1.0).abs() < 0.1, "{reached} of {speed} rad/s");
    }
}

#[test]
fn spinning_double_pendulums_keep_their_energy() {
    for speed in [20.0, 40.0, 100.0] {
        let mut world = world(0.0);
        let mut rods = Vec::new();
        for (at, sign) in [(0.5, 1.0), (1.5, -1.0)] {
            let mut rod = weighing(1.0, DVec3::new(1.0, 0.1, 0.1), DVec3::X * at);
            rod.velocity = DVec3::Z * (-speed / 2.0);
            rod.angular_velocity = DVec3::Y * (sign * speed);
            rods.push(world.add_body(rod).unwrap());
        }
        world.add_joint(&hinge([None, Some(rods[0])], DVec3::ZERO, DVec3::Y)).unwrap();
        world.add_joint(&hinge([Some(rods[0]), Some(rods[1])], DVec3::X, DVec3::Y)).unwrap();
        world.start();
        let before = world.report().energy();
        for _ in 0..300 {
            let report = world.step().unwrap();
            let energy = report.energy() / before;
            assert!((energy - 1.0).abs() < 0.03, "{speed} rad/s: {energy} at {} s", report.time);
            assert!(report.infeasibility < 1e-7, "{speed} rad/s: {report:?}");
        }
    }
}
