//! Physics that must hold.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Cone, Settings, Shake, Shape, World};
use clearance_geometry::{DVec2, DVec3, Polygon, Pose};
use common::{at, body, cuboid, fixed, on_floor, planar_floor, rectangle, turned};

#[test]
fn free_flight_is_exact() {
    let settings = Settings { step: 0.02, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let mut thrown = body(cuboid(DVec3::ONE), at(DVec3::new(1.0, 2.0, 3.0)));
    thrown.velocity = DVec3::new(3.0, -1.0, 5.0);
    world.add_body(thrown).unwrap();
    world.start();
    let before = world.report().energy();
    for step in 1..=200 {
        world.step().unwrap();
        let t = f64::from(step) * 0.02;
        let expected =
            DVec3::new(1.0, 2.0, 3.0) + DVec3::new(3.0, -1.0, 5.0) * t - DVec3::Z * (9.81 * t * t / 2.0);
        let off = world.bodies()[0].position().distance(expected);
        assert!(off < 1e-11, "{off} at {t}");
        let velocity = world.velocity(0) - (DVec3::new(3.0, -1.0, 5.0) - DVec3::Z * (9.81 * t));
        assert!(velocity.length() < 1e-11);
        assert!((world.report().energy() - before).abs() < 1e-9 * before.abs());
    }
}

#[test]
fn torque_free_spinning_keeps_its_momentum() {
    let run = |step: f64| {
        let settings = Settings { step, gravity: DVec3::ZERO, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        let mut card = body(cuboid(DVec3::new(1.0, 2.0, 3.0)), Pose::IDENTITY);
        // About the middle axis, with a little of the others: it turns over again and again.
        card.angular_velocity = DVec3::new(0.01, 4.0, 0.02);
        world.add_body(card).unwrap();
        world.start();
        let (momentum, energy) = (world.report().angular_momentum, world.report().energy());
        let mut drift = 0.0_f64;
        for _ in 0..(10.0 / step) as usize {
            world.step().unwrap();
            assert_eq!(world.report().angular_momentum, momentum);
            drift = drift.max((world.report().energy() / energy - 1.0).abs());
        }
        drift
    };
    for step in [0.1, 0.02] {
        let drift = run(step);
        assert!(drift < 1e-12, "{drift} at {step}");
    }
}

#[test]
fn sliding_block_stops_at_v_squared_over_2_mu_g() {
    for cone in [Cone::Exact, Cone::Facets(8)] {
        for solid in [true, false] {
            let settings = Settings { step: 0.002, friction: 0.3, cone, ..Settings::default() };
            let mut world = if solid { on_floor(settings) } else { planar_floor(settings) };
            let (shape, pose) = if solid {
                (cuboid(DVec3::new(1.0, 1.0, 0.4)), at(DVec3::new(0.0, 0.0, 0.2)))
            } else {
                (rectangle(DVec2::new(1.0, 0.4)), at(DVec3::new(0.0, 0.2, 0.0)))
            };
            let mut block = body(shape, pose);
            block.velocity = DVec3::X * 2.0;
            world.add_body(block).unwrap();
            for _ in 0..500 {
                world.step().unwrap();
                assert!(!world.report().relaxed, "{cone:?} {solid}: {:?}", world.report());
            }
            let expected = 2.0 * 2.0 / (2.0 * 0.3 * 9.81);
            let place = world.bodies()[1].position();
            assert!((place.x - expected).abs() < 0.005, "{cone:?} {solid}: {} not {expected}", place.x);
            assert!(world.velocity(1).length() < 1e-9);
        }
    }
}

#[test]
fn slope_holds_below_the_angle_of_friction_alone() {
    for (degrees, holds) in [(20.0, true), (24.0, false)] {
        // tan 22° = 0.404
        let settings = Settings { friction: 22_f64.to_radians().tan(), ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        let slope = turned(DVec3::Y, degrees, DVec3::ZERO);
        let ramp = cuboid(DVec3::new(40.0, 10.0, 1.0));
        world.add_body(fixed(ramp, slope)).unwrap();
        let on_it = slope.apply(DVec3::new(0.0, 0.0, 0.5 + 0.25));
        world.add_body(body(cuboid(DVec3::new(1.0, 1.0, 0.5)), turned(DVec3::Y, degrees, on_it))).unwrap();
        for _ in 0..100 {
            world.step().unwrap();
        }
        let moved = world.bodies()[1].position().distance(on_it);
        if holds {
            assert!(moved < 1e-6, "{moved}");
        } else {
            let rad = f64::to_radians(degrees);
            let expected = 9.81 * (rad.sin() - settings.friction * rad.cos()) / 2.0;
            assert!((moved / expected - 1.0).abs() < 0.03, "{moved} not {expected}");
        }
    }
}

#[test]
fn stack_of_ten_boxes_stands() {
    let mut world = on_floor(Settings::default());
    for floor in 0..10 {
        let pose = at(DVec3::new(0.0, 0.0, 0.5 + f64::from(floor)));
        world.add_body(body(cuboid(DVec3::ONE), pose)).unwrap();
    }
    for _ in 0..100 {
        world.step().unwrap();
        assert!(world.report().elastic.is_none());
    }
    for floor in 0..10 {
        let off = world.bodies()[floor + 1].position() - DVec3::new(0.0, 0.0, 0.5 + floor as f64);
        assert!(off.length() < 1e-8, "{floor}: {off}");
    }
    assert!(world.report().infeasibility < 1e-10, "{:?}", world.report());
}

#[test]
fn relaxed_scheme_hovers_and_the_fixed_point_does_not() {
    for gamma in [1.0, 0.5] {
        for sweeps in [1, 30] {
            let (mu, speed, h) = (0.2, 4.0, 0.005);
            let settings =
                Settings { step: h, friction: mu, stabilization: gamma, sweeps, ..Settings::default() };
            let mut world = on_floor(settings);
            let mut block = body(cuboid(DVec3::new(2.0, 2.0, 0.2)), at(DVec3::new(0.0, 0.0, 0.1)));
            block.velocity = DVec3::X * speed;
            world.add_body(block).unwrap();
            for _ in 0..100 {
                world.step().unwrap();
            }
            let gap = world.bodies()[1].position().z - 0.1;
            let sliding = world.velocity(1).x;
            let expected = if sweeps == 1 { h * mu * sliding / gamma } else { 0.0 };
            assert!(sliding > 2.0);
            assert!((gap - expected).abs() < 0.03 * h * mu * speed, "γ {gamma}, {sweeps}: {gap} {expected}");
        }
    }
}

#[test]
fn tilted_box_falls_flat() {
    let mut world = on_floor(Settings::default());
    let pose = turned(DVec3::Y, 10.0, DVec3::new(0.0, 0.0, 0.59));
    world.add_body(body(cuboid(DVec3::ONE), pose)).unwrap();
    for _ in 0..200 {
        world.step().unwrap();
    }
    let up = world.bodies()[1].pose().rotate(DVec3::Z).z;
    assert!(up > 1.0 - 1e-9, "{up}");
    assert!(world.report().kinetic < 1e-12, "{:?}", world.report());
}

#[test]
fn deep_overlap_resolves_without_explosion() {
    let mut world = on_floor(Settings::default());
    world.add_body(body(cuboid(DVec3::ONE), at(DVec3::new(0.0, 0.0, 0.2)))).unwrap();
    world.add_body(body(cuboid(DVec3::ONE), at(DVec3::new(0.1, 0.0, 0.8)))).unwrap();
    let mut fastest = 0.0_f64;
    for _ in 0..300 {
        world.step().unwrap();
        fastest = fastest.max(world.velocity(1).length()).max(world.velocity(2).length());
    }
    assert!(fastest < 10.0, "{fastest}");
    assert!(world.report().infeasibility < 1e-6, "{:?}", world.report());
    assert!(world.report().kinetic < 1e-9, "{:?}", world.report());
}

#[test]
fn planar_pyramid_stands() {
    let mut world = planar_floor(Settings::default());
    for row in 0..4 {
        for place in 0..4 - row {
            let x = f64::from(place) * 1.1 + f64::from(row) * 0.55;
            let pose = at(DVec3::new(x, 0.3 + 0.6 * f64::from(row), 0.0));
            world.add_body(body(rectangle(DVec2::new(1.0, 0.6)), pose)).unwrap();
        }
    }
    let before: Vec<DVec3> = world.bodies().iter().map(|b| b.position()).collect();
    for _ in 0..200 {
        world.step().unwrap();
    }
    for (body, before) in world.bodies().iter().zip(before) {
        assert!(body.position().distance(before) < 1e-8);
    }
}

#[test]
fn restitution_gives_back_its_share() {
    let settings = Settings { restitution: 0.8, step: 0.001, ..Settings::default() };
    let mut world = on_floor(settings);
    world.add_body(body(cuboid(DVec3::ONE), at(DVec3::new(0.0, 0.0, 1.5)))).unwrap();
    let (mut highest, mut bounced) = (0.0_f64, false);
    for _ in 0..1000 {
        world.step().unwrap();
        bounced |= world.velocity(1).z > 0.1;
        if bounced {
            highest = highest.max(world.bodies()[1].position().z - 0.5);
        }
    }
    assert!((highest - 0.64).abs() < 0.02, "{highest}");
}

#[test]
fn runs_repeat_to_the_bit() {
    let run = || {
        let mut world = on_floor(Settings { friction: 0.4, ..Settings::default() });
        for i in 0..4 {
            let axis = DVec3::new(1.0, 0.3 * f64::from(i), 0.2).normalize();
            let place = DVec3::new(0.2 * f64::from(i), 0.1, 1.0 + 1.3 * f64::from(i));
            world.add_body(body(cuboid(DVec3::ONE), turned(axis, 25.0 * f64::from(i), place))).unwrap();
        }
        (0..60).for_each(|_| {
            world.step().unwrap();
        });
        world.bodies().iter().map(|b| (b.position(), b.orientation())).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

/// Nine dominoes and the triangle that pushes the first: mean infeasibility over three seconds.
fn dominoes(step: f64) -> f64 {
    let mut world = planar_floor(Settings { step, friction: 0.2, ..Settings::default() });
    let corners = [DVec2::new(-0.9, 0.0), DVec2::ZERO, DVec2::new(0.3, 0.95)];
    let triangle = Shape::Planar(Polygon::from_points(&corners).unwrap());
    let mut pusher = body(triangle, at(DVec3::new(-0.6, 0.0, 0.0)));
    pusher.velocity = DVec3::X * 3.0;
    world.add_body(pusher).unwrap();
    for place in 0..9 {
        let pose = at(DVec3::new(0.2 + 0.5 * f64::from(place), 0.5, 0.0));
        world.add_body(body(rectangle(DVec2::new(0.2, 1.0)), pose)).unwrap();
    }
    let steps = (3.0 / step).round() as usize;
    let sum: f64 = (0..steps).map(|_| world.step().unwrap().infeasibility).sum();
    let down = world.bodies()[10].orientation().z.abs();
    assert!(down > 0.5, "the last domino falls too: {down}");
    sum / steps as f64
}

#[test]
fn infeasibility_is_of_second_order() {
    let (coarse, fine) = (dominoes(0.02), dominoes(0.01));
    let slope = (coarse / fine).log2();
    assert!((1.8..2.3).contains(&slope), "{slope}: {coarse:e} {fine:e}");
}

#[test]
fn constraints_add_no_energy_unless_they_correct() {
    // (5.20) of 002 without its last term.
    let mut world = on_floor(Settings { friction: 0.3, ..Settings::default() });
    for i in 0..3 {
        let place = DVec3::new(0.1 * f64::from(i), 0.05, 0.8 + 1.4 * f64::from(i));
        let axis = DVec3::new(1.0, f64::from(i), 0.5).normalize();
        world.add_body(body(cuboid(DVec3::ONE), turned(axis, 20.0 + 30.0 * f64::from(i), place))).unwrap();
    }
    world.start();
    let mut checked = 0;
    for _ in 0..200 {
        let overlapped = world.events().iter().any(|event| event.event.gap < 0.0);
        world.step().unwrap();
        if !overlapped && world.report().events > 0 {
            let (work, kinetic) = (world.report().constraint_work, world.report().kinetic);
            assert!(work <= 1e-9 * kinetic.max(1.0), "{work} of {kinetic}");
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn pushing_an_overlap_apart_reports_the_energy_it_adds() {
    let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
    for z in [0.0, 0.996] {
        world.add_body(body(cuboid(DVec3::ONE), at(DVec3::Z * z))).unwrap();
    }
    let report = world.step().unwrap().clone();
    // Each body takes half of the overlap back within the step.
    let mass = world.bodies()[0].mass();
    let speed = 0.004 / 2.0 / world.settings().step;
    assert!((report.kinetic - mass * speed * speed).abs() < 1e-6 * report.kinetic, "{report:?}");
    assert!((report.constraint_work - report.kinetic).abs() < 1e-9 * report.kinetic, "{report:?}");
}

#[test]
fn painleves_rod_ends_with_a_report() {
    // A slender rod that slides on its end with much friction, in the position in which rigid friction has no or many
    // solutions: whatever comes out is finite and reported.
    let mut world = planar_floor(Settings { friction: 1.6, step: 0.005, ..Settings::default() });
    let angle = 72_f64.to_radians();
    let place = DVec3::new(0.0, angle.sin() + 0.02, 0.0);
    let mut rod = body(rectangle(DVec2::new(2.0, 0.02)), turned(DVec3::Z, 72.0, place));
    rod.velocity = DVec3::new(-6.0, 0.0, 0.0);
    world.add_body(rod).unwrap();
    for _ in 0..200 {
        let report = world.step().unwrap();
        assert!(report.residual.is_finite() && report.kinetic.is_finite());
        assert!(report.infeasibility < 0.05, "{report:?}");
    }
}

#[test]
fn struck_body_does_not_run_into_the_wall_behind_it() {
    for step in [0.02, 0.01, 0.005] {
        let settings = Settings { step, friction: 0.0, gravity: DVec3::ZERO, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        world.add_body(fixed(cuboid(DVec3::ONE), Pose::IDENTITY)).unwrap();
        // At rest, closer to the wall than the blow throws it in a step.
        world.add_body(body(cuboid(DVec3::ONE), at(DVec3::X * (1.0 + 2.0 * step)))).unwrap();
        let mut ram = body(cuboid(DVec3::splat(3.0)), at(DVec3::X * 3.5));
        ram.velocity = DVec3::X * -4.0;
        world.add_body(ram).unwrap();
        let mut met = false;
        for _ in 0..200 {
            let report = world.step().unwrap();
            assert!(report.infeasibility < 1e-9, "{step}: {report:?}");
            met |= world.velocity(1).x < -0.5;
        }
        assert!(met, "the blow was missed");
    }
}

#[test]
fn shaken_axes_are_those_of_the_box() {
    let shake = Shake { amplitude: DVec3::Z * 0.1, frequency: 2.0 };
    let mut world = World::new(Settings { step: 0.001, shake: Some(shake), ..Settings::default() }).unwrap();
    world.add_body(body(cuboid(DVec3::ONE), at(DVec3::Z))).unwrap();
    world.start();
    for step in 1..=500 {
        world.step().unwrap();
        // Let go at rest in the world's axes but for the speed of the box, it falls, while the box swings.
        let t = f64::from(step) * 0.001;
        let rate = std::f64::consts::TAU * shake.frequency;
        let swing = 0.1 * ((rate * t).sin() - rate * t);
        let expected = 1.0 - 9.81 * t * t / 2.0 - swing;
        let off = world.bodies()[0].position().z - expected;
        assert!(off.abs() < 1e-4, "{off} at {t}");
    }
}
