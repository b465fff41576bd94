//! Restitution: chains of bodies that touch, and what impacts keep.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{JointKind, JointSpec, MassOf, Settings, Shape, World};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, HalfSpace};
use common::{at, body, cuboid, fixed, on_floor};

fn ball(radius: f64) -> Shape {
    Shape::Body(Body::Tiled(TiledBody::sphere(radius).unwrap()))
}

/// A row of touching balls, the first `moving` of which fly in along x at unit speed; the speeds a while after.
fn row(count: usize, moving: usize, restitution: f64) -> Vec<f64> {
    let settings = Settings { gravity: DVec3::ZERO, restitution, friction: 0.0, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    for k in 0..count {
        let gap = if k < moving { -0.205 } else { 0.0 };
        let mut ball = body(ball(0.5), at(DVec3::X * (k as f64 + gap)));
        ball.velocity = DVec3::X * if k < moving { 1.0 } else { 0.0 };
        world.add_body(ball).unwrap();
    }
    world.start();
    let (momentum, energy) = (world.report().momentum.x, world.report().kinetic);
    for _ in 0..100 {
        world.step().unwrap();
        assert!((world.report().momentum.x / momentum - 1.0).abs() < 1e-12);
        assert!(world.report().kinetic < energy * (1.0 + 1e-12));
    }
    (0..count).map(|at| world.velocity(at).x).collect()
}

#[test]
fn row_of_balls_lets_out_as_many_as_come_in() {
    for moving in 1..=4 {
        let speeds = row(5, moving, 1.0);
        for (k, speed) in speeds.iter().enumerate() {
            let expected = if k >= 5 - moving { 1.0 } else { 0.0 };
            assert!((speed - expected).abs() < 1e-12, "{moving}: {speeds:?}");
        }
    }
}

#[test]
fn row_of_dull_balls_keeps_momentum_and_loses_energy() {
    let speeds = row(5, 1, 0.5);
    assert!(speeds.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12), "{speeds:?}");
    assert!((speeds.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // Each impact passes on (1 + e)/2 of the speed.
    assert!((speeds[4] - 0.75_f64.powi(4)).abs() < 1e-12, "{speeds:?}");
}

#[test]
fn cradle_swings_to_the_height_it_came_from() {
    let settings = Settings { restitution: 1.0, friction: 0.0, step: 0.002, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let start = 30_f64.to_radians();
    for k in 0..5 {
        let hang = DVec3::new(0.2 * f64::from(k), 0.0, 0.0);
        let drawn = if k < 2 { DVec3::new(-start.sin(), 0.0, 1.0 - start.cos()) } else { DVec3::ZERO };
        let ball = world.add_body(body(ball(0.1), at(hang + drawn))).unwrap();
        for side in [-0.5, 0.5] {
            let thread = JointSpec {
                anchor: Some(hang + DVec3::new(0.0, side, 1.0)),
                ..JointSpec::new(JointKind::Distance, [None, Some(ball)])
            };
            world.add_joint(&thread).unwrap();
        }
    }
    world.start();
    let before = world.report().energy();
    let drawn = world.bodies()[0].position().z;
    // A period is about 2 s: after half a second the last two swing out, after one they are highest.
    let (mut highest, mut stir) = ([0.0_f64; 5], 0.0_f64);
    for step in 0..500 {
        world.step().unwrap();
        for (highest, body) in highest.iter_mut().zip(world.bodies()) {
            *highest = if step > 300 { highest.max(body.position().z) } else { 0.0 };
        }
        if (300..450).contains(&step) {
            stir = stir.max((0..3).map(|at| world.velocity(at).length()).fold(0.0, f64::max));
        }
    }
    assert!(
        (highest[4] / drawn - 1.0).abs() < 0.02 && (highest[3] / drawn - 1.0).abs() < 0.02,
        "{highest:?} of {drawn}"
    );
    assert!(highest[..3].iter().all(|height| *height < 0.01 * drawn), "{highest:?}");
    assert!((world.report().energy() - before).abs() < 0.02 * drawn * 9.81 * 2.0 * world.bodies()[0].mass());
    assert!(stir < 0.2, "{stir}");
}

#[test]
fn billiard_break_keeps_momentum_and_gains_no_energy() {
    let settings = Settings { restitution: 0.95, friction: 0.0, step: 0.001, ..Settings::default() };
    let mut world = on_floor(settings);
    let radius = 0.0286;
    let mut cue = body(ball(radius), at(DVec3::new(-0.3, 0.003, radius)));
    cue.velocity = DVec3::X * 7.0;
    world.add_body(cue).unwrap();
    for line in 0..5 {
        for place in 0..=line {
            let x = f64::from(line) * radius * 3_f64.sqrt();
            let y = (2.0 * f64::from(place) - f64::from(line)) * radius;
            world.add_body(body(ball(radius), at(DVec3::new(x, y, radius)))).unwrap();
        }
    }
    world.start();
    let (momentum, mut energy) = (world.report().momentum, world.report().energy());
    for _ in 0..400 {
        let report = world.step().unwrap();
        let off = (report.momentum - momentum).truncate().length();
        assert!(off < 1e-9 * momentum.length(), "{off}");
        assert!(report.energy() < energy + 1e-9 * energy.abs(), "{} after {energy}", report.energy());
        energy = report.energy();
        assert!(report.infeasibility < 1e-3 * radius, "{report:?}");
    }
    let moved = (1..=16).filter(|&at| world.velocity(at).length() > 0.05).count();
    assert!(moved >= 12, "{moved}");
}

/// A heavy cube strikes a light one before a wall, which the light one could not have reached by itself.
#[test]
fn struck_bodies_do_not_run_into_what_is_behind_them() {
    let (step, speed) = (0.01, 10.0);
    for restitution in [0.0, 0.5, 1.0] {
        for (gap, share, aside) in [0.0, 0.005, 0.02].into_iter().flat_map(|gap| {
            [0.5, 1.05, 1.5, 1.9, 2.5]
                .into_iter()
                .flat_map(move |share| [(gap, share, 0.0), (gap, share, 0.3)])
        }) {
            let settings = Settings { step, gravity: DVec3::ZERO, restitution, ..Settings::default() };
            let mut world = World::new(settings).unwrap();
            let wall = HalfSpace::new(-DVec3::X, -(1.0 + share * step * speed + gap)).unwrap();
            world.add_body(fixed(Shape::HalfSpace(wall), at(DVec3::ZERO))).unwrap();
            let mut light = body(cuboid(DVec3::ONE), at(DVec3::X * (0.5 + gap)));
            light.mass = MassOf::Density(1.0);
            world.add_body(light).unwrap();
            let mut heavy = body(cuboid(DVec3::ONE), at(DVec3::new(-0.5, aside, 0.0)));
            heavy.velocity = DVec3::X * speed;
            world.add_body(heavy).unwrap();
            for _ in 0..6 {
                world.step().unwrap();
                let overlap = world.report().infeasibility;
                assert!(overlap < 1e-3, "{overlap} of restitution {restitution}, {gap} {share} {aside}");
            }
        }
    }
}
