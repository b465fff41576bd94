//! Joints beside contacts: chains, loops and dolls that fall on a table and on themselves stay together.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{JointKind, JointSpec, Settings, World};
use clearance_geometry::{DQuat, DVec3, Pose};
use common::{body, cuboid, on_floor};

/// How far apart the points of the joints are at most.
fn open(world: &World) -> f64 {
    world.joint_ends().map(|ends| ends.points[0].distance(ends.points[1])).fold(0.0, f64::max)
}

/// What is seen of a run.
#[derive(Debug, Default)]
struct Seen {
    /// The most that joints are open by, and the deepest overlap.
    open: f64,
    deepest: f64,
    /// Steps with bodies near each other, and with contacts that push.
    near: usize,
    touched: usize,
}

fn run(mut world: World, seconds: f64) -> Seen {
    let mut seen = Seen::default();
    for _ in 0..(seconds / world.settings().step).round() as usize {
        world.step().unwrap();
        seen.open = seen.open.max(open(&world));
        seen.deepest = world.overlaps().map(|(_, depth, _)| depth).fold(seen.deepest, f64::max);
        seen.near += usize::from(!world.events().is_empty());
        seen.touched += usize::from(world.events().iter().any(|event| event.impulse[0] > 0.0));
    }
    seen
}

/// Links between points, a ball joint at each but the first and the last; of a loop, there too.
fn links(world: &mut World, points: &[DVec3], thick: f64, is_loop: bool) {
    let first = world.bodies().len();
    for pair in points.windows(2) {
        let along = pair[1] - pair[0];
        let turn = DQuat::from_rotation_arc(DVec3::X, along.normalize());
        let shape = cuboid(DVec3::new(along.length(), thick, thick));
        world.add_body(body(shape, Pose::new(turn, (pair[0] + pair[1]) / 2.0).unwrap())).unwrap();
    }
    let last = world.bodies().len() - 1;
    let ball = |world: &mut World, bodies: [usize; 2], anchor: DVec3| {
        let spec = JointSpec { anchor: Some(anchor), ..JointSpec::new(JointKind::Ball, bodies.map(Some)) };
        world.add_joint(&spec).unwrap();
    };
    (first..last).for_each(|at| ball(world, [at, at + 1], points[at + 1 - first]));
    if is_loop {
        ball(world, [last, first], points[0]);
    }
}

/// A hundred links to and fro above the floor, eight to a row.
fn folded(step: f64) -> World {
    let mut world = on_floor(Settings { step, ..Settings::default() });
    let point = |at: usize| {
        let (row, place) = (at / 9, at % 9);
        let x = if row % 2 == 0 { place } else { 8 - place } as f64;
        DVec3::new(x, 0.3 * (row % 3) as f64, 0.4 + 0.45 * row as f64 + 0.02 * place as f64)
    };
    links(&mut world, &(0..=100).map(point).collect::<Vec<_>>(), 0.1, false);
    world
}

/// A ring of eight links that stands on its edge, a little off the upright.
fn ring(step: f64) -> World {
    let mut world = on_floor(Settings { step, ..Settings::default() });
    let point = |at: usize| {
        let angle = (at % 8) as f64 * std::f64::consts::FRAC_PI_4 + 0.2;
        DVec3::new(angle.cos(), 0.1 * angle.sin(), 1.4 + angle.sin())
    };
    links(&mut world, &(0..=8).map(point).collect::<Vec<_>>(), 0.1, true);
    world
}

/// A trunk with a head, arms and legs of two parts each, dropped on its side.
fn doll(step: f64) -> World {
    let mut world = on_floor(Settings { step, ..Settings::default() });
    let tilt = Pose::new(DQuat::from_rotation_y(1.0), DVec3::new(0.0, 0.0, 1.2)).unwrap();
    let add = |world: &mut World, size: DVec3, place: DVec3| {
        let pose = Pose::new(DQuat::from_rotation_y(1.0), tilt.apply(place)).unwrap();
        world.add_body(body(cuboid(size), pose)).unwrap()
    };
    let ball = |world: &mut World, bodies: [usize; 2], place: DVec3| {
        let anchor = Some(tilt.apply(place));
        world.add_joint(&JointSpec { anchor, ..JointSpec::new(JointKind::Ball, bodies.map(Some)) }).unwrap();
    };
    let trunk = add(&mut world, DVec3::new(0.25, 0.4, 0.6), DVec3::ZERO);
    let head = add(&mut world, DVec3::splat(0.2), DVec3::Z * 0.45);
    ball(&mut world, [trunk, head], DVec3::Z * 0.33);
    for side in [-1.0, 1.0] {
        for (top, y, length) in [(0.25, 0.3, 0.3), (-0.35, 0.12, 0.4)] {
            let place = |down: f64| DVec3::new(0.0, side * y, top - down);
            let size = DVec3::new(0.1, 0.1, length - 0.04);
            let upper = add(&mut world, size, place(length / 2.0));
            let lower = add(&mut world, size, place(1.5 * length));
            ball(&mut world, [trunk, upper], place(0.0));
            ball(&mut world, [upper, lower], place(length));
        }
    }
    world
}

#[test]
fn a_chain_of_a_hundred_links_lies_down_on_itself() {
    let seen = run(folded(0.01), 1.5);
    assert!(seen.touched > 100, "{seen:?}");
    // In steps as a whole, with joints swept over one by one, it opened by 7e-3.
    assert!(seen.open < 2e-4, "{seen:?}");
    assert!(seen.deepest < 0.03, "{seen:?}");
}

#[test]
fn a_chain_of_a_hundred_links_that_whips_past_itself_holds() {
    for step in [0.005, 0.02] {
        let mut world = World::new(Settings { step, ..Settings::default() }).unwrap();
        links(&mut world, &(0..=100).map(|at| DVec3::X * f64::from(at)).collect::<Vec<_>>(), 0.2, false);
        let held = JointSpec::new(JointKind::Ball, [None, Some(0)]);
        world.add_joint(&JointSpec { anchor: Some(DVec3::ZERO), ..held }).unwrap();
        let seen = run(world, 5.0);
        // As soon as links come near each other the group is one with contacts: at 0.005 it opened by 5e-2 then.
        assert!(seen.near > 0, "{seen:?}");
        assert!(seen.open < 1e-6, "{seen:?}");
        assert!(seen.deepest < 1e-3, "{seen:?}");
    }
}

#[test]
fn joints_beside_contacts_are_open_by_second_order_in_the_step() {
    for step in [0.02, 0.01, 0.005] {
        for (name, world) in [("ring", ring(step)), ("doll", doll(step))] {
            let seen = run(world, 2.0);
            assert!(seen.touched as f64 > 0.5 / step, "{name} in steps of {step}: {seen:?}");
            assert!(seen.open < 0.1 * step * step, "{name} in steps of {step}: {seen:?}");
        }
    }
}
