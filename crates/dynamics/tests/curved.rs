//! Bodies with curved faces: how they rest, rock and roll.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{EventKind, Settings, Shape, World};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Pose};
use common::{at, body, cuboid, fixed, on_floor, turned};
use std::f64::consts::PI;

fn curved(body: TiledBody) -> Shape {
    Shape::Body(Body::Tiled(body))
}

/// A world with a box whose top is the plane z = 0 as body 0.
fn on_table(settings: Settings) -> World {
    let mut world = World::new(settings).unwrap();
    world.add_body(fixed(cuboid(DVec3::new(8.0, 8.0, 1.0)), at(DVec3::new(0.0, 0.0, -0.5)))).unwrap();
    world
}

/// Runs for some seconds; the most and the fewest events of the second half.
fn run(world: &mut World, seconds: f64) -> [usize; 2] {
    let steps = (seconds / world.settings().step).round() as usize;
    let (mut most, mut fewest) = (0, usize::MAX);
    for step in 0..steps {
        let report = world.step().unwrap();
        assert!(report.elastic.is_none(), "{report:?}");
        assert!(report.kinetic.is_finite());
        if 2 * step > steps {
            most = most.max(world.events().len());
            fewest = fewest.min(world.events().len());
        }
    }
    [most, fewest]
}

fn rests(mut world: World, seconds: f64, least: usize) {
    let start = world.bodies()[1].pose();
    let [most, fewest] = run(&mut world, seconds);
    let end = world.bodies()[1].pose();
    let moved = end.translation().distance(start.translation());
    let turned = (end.rotation() * start.rotation().transpose() - clearance_geometry::DMat3::IDENTITY)
        .to_cols_array()
        .into_iter()
        .fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(moved < 1e-9 && turned < 1e-9, "moved {moved:e}, turned {turned:e}");
    assert!(fewest >= least && most <= 16, "{fewest} to {most} events");
    assert!(world.report().infeasibility < 1e-12, "{:?}", world.report());
}

#[test]
fn cylinder_rests_on_its_side_with_two_events() {
    for make in [on_floor, on_table] {
        let mut world = make(Settings::default());
        let pose = turned(DVec3::X, 90.0, DVec3::new(0.1, 0.2, 0.5));
        world.add_body(body(curved(TiledBody::cylinder(0.5, 2.0).unwrap()), pose)).unwrap();
        rests(world, 10.0, 2);
    }
}

#[test]
fn cylinder_rests_on_its_cap_with_three_events() {
    for make in [on_floor, on_table] {
        let mut world = make(Settings::default());
        let can = TiledBody::cylinder(0.5, 2.0).unwrap();
        let pose = turned(DVec3::Z, 20.0, DVec3::new(0.1, 0.2, 1.0));
        world.add_body(body(curved(can), pose)).unwrap();
        rests(world, 10.0, 3);
    }
}

#[test]
fn torus_rests_flat() {
    for make in [on_floor, on_table] {
        let mut world = make(Settings::default());
        world.add_body(body(curved(TiledBody::torus(1.0, 0.25).unwrap()), at(DVec3::Z * 0.25))).unwrap();
        rests(world, 5.0, 3);
    }
}

#[test]
fn tilted_cylinder_falls_flat() {
    for make in [on_floor, on_table] {
        let mut world = make(Settings::default());
        let can = TiledBody::cylinder(0.5, 1.0).unwrap();
        world.add_body(body(curved(can), turned(DVec3::X, 15.0, DVec3::new(0.1, 0.2, 0.65)))).unwrap();
        run(&mut world, 4.0);
        let up = world.bodies()[1].pose().rotate(DVec3::Z).z;
        assert!(up > 1.0 - 1e-9, "{up}");
        assert!(world.report().kinetic < 1e-9, "{:?}", world.report());
    }
}

/// Energy of the rolling body at the end over that at the start, less 1, and its height's change.
fn roll(world: &mut World, seconds: f64) -> (f64, f64) {
    world.start();
    let (before, height) = (world.report().kinetic, world.bodies()[1].position().z);
    run(world, seconds);
    (world.report().kinetic / before - 1.0, world.bodies()[1].position().z - height)
}

#[test]
fn ball_rolls_without_loss() {
    for make in [on_floor, on_table] {
        let mut world = make(Settings::default());
        let mut ball = body(curved(TiledBody::sphere(0.5).unwrap()), at(DVec3::new(-3.0, 0.0, 0.5)));
        ball.velocity = DVec3::X * 2.0;
        ball.angular_velocity = DVec3::Y * 4.0;
        world.add_body(ball).unwrap();
        let (energy, height) = roll(&mut world, 2.0);
        assert!(energy.abs() < 1e-12 && height.abs() < 1e-12, "{energy:e} {height:e}");
        assert!((world.bodies()[1].position().x - 1.0).abs() < 1e-9);
    }
}

#[test]
fn cylinder_rolls_straight_over_the_edge_of_a_table() {
    let mut world = on_table(Settings { friction: 0.3, ..Settings::default() });
    let start = turned(DVec3::X, 90.0, DVec3::new(3.9, 0.1, 0.25));
    let mut can = body(curved(TiledBody::cylinder(0.25, 0.6).unwrap()), start);
    can.velocity = DVec3::X * 0.3;
    world.add_body(can).unwrap();
    for _ in 0..120 {
        let report = world.step().unwrap();
        assert!(report.infeasibility < 1e-6, "{report:?}");
    }
    let pose = world.bodies()[1].pose();
    assert!(pose.translation().z < -0.3, "{pose:?}");
    assert!((pose.translation().y - 0.1).abs() < 1e-7 && pose.rotate(DVec3::Z).x.abs() < 1e-7, "{pose:?}");
}

#[test]
fn torus_rolls_on_its_edge() {
    for make in [on_floor, on_table] {
        let mut world = make(Settings::default());
        let mut ring = body(
            curved(TiledBody::torus(0.75, 0.25).unwrap()),
            turned(DVec3::X, 90.0, DVec3::new(-3.0, 0.0, 1.0)),
        );
        ring.velocity = DVec3::X * 2.0;
        ring.angular_velocity = DVec3::Y * 2.0;
        world.add_body(ring).unwrap();
        let (energy, height) = roll(&mut world, 2.0);
        assert!(energy.abs() < 1e-9 && height.abs() < 1e-9, "{energy:e} {height:e}");
        assert!((world.bodies()[1].position().x - 1.0).abs() < 1e-6);
    }
}

#[test]
fn ellipsoid_rocks_at_its_frequency() {
    let (a, c) = (1.0, 0.6);
    let degrees: f64 = 4.0;
    let mut losses = Vec::new();
    for step in [0.01, 0.005] {
        let mut world = on_floor(Settings { friction: 10.0, step, ..Settings::default() });
        let egg = curved(TiledBody::ellipsoid([a, a, c]).unwrap());
        // The lowest point of the tilted ellipsoid.
        let rad = degrees.to_radians();
        let height = (c * rad.cos()).hypot(a * rad.sin());
        world.add_body(body(egg, turned(DVec3::Y, degrees, DVec3::Z * height))).unwrap();
        world.start();
        let tilt = |world: &World| world.bodies()[1].pose().rotate(DVec3::X).z;
        let (mut last, mut crossings, mut energies) = (tilt(&world), Vec::new(), Vec::new());
        for k in 1..=(6.0 / step) as usize {
            world.step().unwrap();
            let now = tilt(&world);
            if last < 0.0 && now >= 0.0 {
                crossings.push((k as f64 - now / (now - last)) * step);
            }
            last = now;
            energies.push(world.report().energy());
        }
        let period = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
        let radius = a * a / c;
        let square = 9.81 * (radius - c) / ((a * a + c * c) / 5.0 + c * c);
        let expected = 2.0 * PI / square.sqrt();
        assert!((period / expected - 1.0).abs() < 0.02, "{period} not {expected}");
        let rest = 1000.0 * 4.0 / 3.0 * PI * a * a * c * 9.81 * c;
        // Over the same phases of the first and of the last swing.
        let swing = (period / step).round() as usize;
        let mean = |from: usize| energies[from..from + swing].iter().sum::<f64>() / swing as f64 - rest;
        losses.push(mean(energies.len() - swing) / mean(0) - 1.0);
    }
    assert!(losses[1].abs() < 0.01, "{losses:?}");
}

#[test]
fn kinds_settle_on_each_other() {
    let kinds = || {
        [
            curved(TiledBody::sphere(0.4).unwrap()),
            curved(TiledBody::capsule(0.3, 0.8).unwrap()),
            curved(TiledBody::ellipsoid([0.5, 0.4, 0.3]).unwrap()),
            curved(TiledBody::cylinder(0.4, 0.6).unwrap()),
            curved(TiledBody::cone(0.5, 0.8, None).unwrap()),
            curved(TiledBody::cone(0.5, 0.6, Some(0.2)).unwrap()),
            curved(TiledBody::torus(0.5, 0.2).unwrap()),
            cuboid(DVec3::splat(0.6)),
        ]
    };
    for (i, lower) in kinds().into_iter().enumerate() {
        // Every second pair, each kind on itself among them.
        for (j, upper) in kinds().into_iter().enumerate().filter(|(j, _)| (i + j) % 2 == 0) {
            let mut world = on_table(Settings::default());
            world.add_body(body(lower.clone(), turned(DVec3::X, 12.0, DVec3::new(0.0, 0.0, 0.8)))).unwrap();
            let above = turned(DVec3::new(0.6, 0.8, 0.0), 25.0, DVec3::new(0.05, 0.1, 2.4));
            world.add_body(body(upper, above)).unwrap();
            world.start();
            let (mut deepest, before) = (0.0_f64, world.report().energy());
            for _ in 0..120 {
                let report = world.step().unwrap();
                deepest = deepest.max(report.infeasibility);
                assert!(report.energy() < 1.001 * before, "{j} on {i}: {report:?}");
            }
            assert!(deepest < 0.01, "{j} on {i}: {deepest}");
            for body in &world.bodies()[1..] {
                assert!(body.position().z > 0.1, "{j} on {i}: {}", body.position());
            }
        }
    }
}

/// The events of two bodies that stand still.
fn events_of(lower: &Shape, upper: &Shape, pose: Pose) -> Vec<clearance_dynamics::Event> {
    let settings = Settings { step: 0.1, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    world.add_body(fixed(lower.clone(), Pose::IDENTITY)).unwrap();
    world.add_body(body(upper.clone(), pose)).unwrap();
    world.start();
    world.events().iter().map(|event| event.event).collect()
}

#[test]
fn witness_gaps_change_as_their_gradient_says() {
    let shapes = [
        curved(TiledBody::cylinder(0.5, 1.0).unwrap()),
        curved(TiledBody::ellipsoid([0.5, 0.4, 0.3]).unwrap()),
        curved(TiledBody::torus(0.5, 0.2).unwrap()),
        curved(TiledBody::cone(0.5, 0.6, Some(0.2)).unwrap()),
        curved(TiledBody::capsule(0.3, 0.8).unwrap()),
        cuboid(DVec3::splat(0.6)),
    ];
    let mut random = clearance_testkit::Random::new(7);
    let mut checked = 0;
    for lower in &shapes {
        for upper in shapes.iter().take(5) {
            for _ in 0..20 {
                let axis = random.direction();
                let pose =
                    turned(axis, random.uniform(0.0, 360.0), random.direction() * random.uniform(0.6, 1.1));
                let (linear, angular) = (random.direction(), random.direction());
                let small = 1e-6;
                let moved = |share: f64| {
                    let turn = clearance_geometry::DQuat::from_scaled_axis(angular * (small * share));
                    Pose::new(
                        (turn * pose.quaternion()).normalize(),
                        pose.translation() + linear * (small * share),
                    )
                    .unwrap()
                };
                let before = events_of(lower, upper, moved(-1.0));
                let after = events_of(lower, upper, moved(1.0));
                for event in events_of(lower, upper, pose) {
                    let same = |events: &[clearance_dynamics::Event]| {
                        events.iter().find(|other| other.id == event.id).map(|other| other.gap)
                    };
                    // Deep overlaps have several ways out that are as short.
                    if event.id.kind != EventKind::Witness || event.gap < -0.05 {
                        continue;
                    }
                    let [Some(low), Some(high)] = [same(&before), same(&after)] else { continue };
                    let arm = event.point - pose.translation();
                    let expected = event.normal.dot(linear + angular.cross(arm));
                    let found = (high - low) / (2.0 * small);
                    assert!((found - expected).abs() < 1e-4, "{found} {expected} {event:?}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn curved_events_scale_with_the_bodies_wherever_they_stand() {
    let make = |scale: f64, place: DVec3, turn: f64| {
        let settings = Settings { gravity: DVec3::Z * (-9.81 * scale), ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        world.add_body(fixed(cuboid(DVec3::new(4.0, 4.0, 1.0) * scale), at(place))).unwrap();
        let can = curved(TiledBody::cylinder(0.5 * scale, scale).unwrap());
        let ring = curved(TiledBody::torus(0.5 * scale, 0.2 * scale).unwrap());
        let can_at = place + DVec3::new(-1.0, 0.3, 1.0) * scale;
        world.add_body(body(can, turned(DVec3::X, turn, can_at))).unwrap();
        let ring_at = place + DVec3::new(1.0, -0.2, 0.7) * scale;
        world.add_body(body(ring, turned(DVec3::Z, turn, ring_at))).unwrap();
        world.start();
        let events = world.events().iter();
        events.map(|event| (event.event.gap / scale, (event.event.point - place) / scale)).collect::<Vec<_>>()
    };
    for turn in [0.0, 90.0] {
        let expected = make(1.0, DVec3::ZERO, turn);
        assert!(expected.len() >= 7, "{}", expected.len());
        for (scale, far) in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e6), (1e-6, 1.0)] {
            let found = make(scale, DVec3::new(far, -far, far), turn);
            assert_eq!(found.len(), expected.len(), "{scale} {far}");
            let off = |one: &(f64, DVec3), two: &(f64, DVec3)| (one.0 - two.0).abs() + one.1.distance(two.1);
            for event in &expected {
                let nearest = found.iter().map(|other| off(event, other)).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-9 + 1e-15 * far / scale, "{scale} {far}: {nearest:e}");
            }
        }
    }
}

/// The deepest overlap of a body thrown at a cube at 5 m/s without gravity, and the most energy over that at the start.
fn thrown(shape: &Shape, step: f64) -> [f64; 2] {
    let settings = Settings { step, gravity: DVec3::ZERO, friction: 0.0, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    world.add_body(body(cuboid(DVec3::splat(0.1)), at(DVec3::X * 0.5))).unwrap();
    let axis = DVec3::new(0.6, 0.8, 0.0);
    let mut flying = body(shape.clone(), turned(axis, 20.0, DVec3::new(-0.5, 0.01, 0.02)));
    flying.velocity = DVec3::X * 5.0;
    world.add_body(flying).unwrap();
    world.start();
    let start = world.report().energy();
    let (mut deepest, mut most) = (0.0_f64, 0.0_f64);
    for _ in 0..(0.3 / step) as usize {
        let report = world.step().unwrap();
        deepest = deepest.max(report.infeasibility);
        most = most.max(report.energy() / start);
    }
    [deepest, most]
}

#[test]
fn overlap_of_what_is_struck_fast_is_of_second_order() {
    let shapes = [TiledBody::torus(0.2, 0.05).unwrap(), TiledBody::ellipsoid([0.2, 0.1, 0.15]).unwrap()];
    for shape in shapes.map(curved) {
        let [coarse, fine] = [0.0025, 0.0003].map(|step| {
            let [deepest, energy] = thrown(&shape, step);
            assert!(energy <= 1.0 + 1e-9, "{energy}");
            deepest
        });
        let slope = (coarse / fine).ln() / (0.0025_f64 / 0.0003).ln();
        assert!(slope > 1.7, "{slope}: {coarse} {fine}");
    }
}
