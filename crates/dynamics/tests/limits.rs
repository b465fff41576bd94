//! Limits and motors of every kind of joint: reached, driven, counted over whole turns, and led back to where they are broken
//! at the start.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{
    DynamicsError, JointEnds, JointKind, JointSpec, MOST_FRICTION, MassOf, Motor, Settings, World,
};
use clearance_geometry::{DMat3, DVec2, DVec3, Pose};
use common::{at, body, cuboid, planar_floor, rectangle};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn weightless() -> World {
    World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap()
}

fn about(kind: JointKind, b: usize, axis: DVec3) -> JointSpec {
    JointSpec { anchor: Some(DVec3::ZERO), axis: Some(axis), ..JointSpec::new(kind, [None, Some(b)]) }
}

fn motor(velocity: f64, max_force: f64) -> Option<Motor> {
    Some(Motor { velocity, max_force })
}

/// A body alone on one joint.
fn held(mut world: World, size: DVec3, place: DVec3, spec: impl Fn(usize) -> JointSpec) -> World {
    let only = world.add_body(body(cuboid(size), at(place))).unwrap();
    world.add_joint(&spec(only)).unwrap();
    world
}

/// Runs, and keeps the largest kinetic energy and the largest infeasibility after the first step.
fn run(world: &mut World, steps: usize) -> [f64; 2] {
    let mut most = [0.0_f64; 2];
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.elastic.is_none(), "{report:?}");
        most = [most[0].max(report.kinetic), most[1].max(report.infeasibility)];
    }
    most
}

fn ends(world: &World) -> JointEnds {
    world.joint_ends().next().unwrap()
}

#[test]
fn slider_that_starts_outside_its_limits_is_led_to_them() {
    for (limits, arrives) in [([1.0, 2.0], 1.0), ([-2.0, -1.0], -1.0)] {
        let mut world = held(weightless(), DVec3::ONE, DVec3::ZERO, |b| JointSpec {
            limits: Some(limits),
            ..about(JointKind::Slider, b, DVec3::Z)
        });
        let strayed: Vec<_> = world.strayed_joints().collect();
        assert_eq!(strayed, [(0, 1.0, false)]);
        let first = world.step().unwrap();
        assert!(first.infeasibility > 0.9 && first.capped == 1, "{first:?}");
        let [kinetic, _] = run(&mut world, 600);
        let place = ends(&world).place.unwrap();
        // No faster than the radius in a second without gravity: not the 100 m/s of a whole correction in a step.
        assert!(kinetic < 0.5 * 1000.0 * 0.9 * 0.9, "{kinetic}");
        assert!(
            (place - arrives).abs() < 1e-5 && world.report().kinetic < 1e-6,
            "{place} {:?}",
            world.report()
        );
        assert_eq!(world.strayed_joints().count(), 0);
        assert!(world.report().infeasibility < 1e-5);
    }
}

#[test]
fn hinge_that_starts_outside_its_limits_is_led_to_the_nearer() {
    let mut world = held(weightless(), DVec3::new(1.0, 0.1, 0.1), DVec3::X * 0.5, |b| JointSpec {
        limits: Some([FRAC_PI_2, 2.0]),
        ..about(JointKind::Hinge, b, DVec3::Z)
    });
    assert_eq!(world.strayed_joints().collect::<Vec<_>>(), [(0, FRAC_PI_2, true)]);
    let [kinetic, _] = run(&mut world, 800);
    let angle = ends(&world).angle.unwrap();
    assert!((angle - FRAC_PI_2).abs() < 1e-5 && kinetic < 10.0, "{angle} {kinetic}");
    assert!(world.report().kinetic < 1e-6);
}

#[test]
fn pull_towards_limits_is_a_choice() {
    let fast = Settings { gravity: DVec3::ZERO, correction: Some(10.0), ..Settings::default() };
    let mut world = held(World::new(fast).unwrap(), DVec3::ONE, DVec3::ZERO, |b| JointSpec {
        limits: Some([1.0, 2.0]),
        ..about(JointKind::Slider, b, DVec3::Z)
    });
    world.step().unwrap();
    assert!((world.velocity(0).z - 10.0).abs() < 1e-9, "{}", world.velocity(0));
}

#[test]
fn hinge_counts_whole_turns() {
    // Half a turn a second against limits of three quarters of a turn either way, both ways.
    for way in [1.0, -1.0] {
        let mut world = held(weightless(), DVec3::new(1.0, 0.1, 0.1), DVec3::X * 0.5, |b| JointSpec {
            limits: Some([-1.5 * PI, 1.5 * PI]),
            motor: motor(way * PI, 1000.0),
            ..about(JointKind::Hinge, b, DVec3::Z)
        });
        run(&mut world, 120);
        assert!((ends(&world).angle.unwrap() - way * 1.2 * PI).abs() < 0.1);
        run(&mut world, 480);
        assert!((ends(&world).angle.unwrap() - way * 1.5 * PI).abs() < 1e-6, "{:?}", ends(&world));
    }
    // One turn and three quarters in a step, about its mass centre.
    let rate = 1.75 * TAU / 0.01;
    let mut world = held(weightless(), DVec3::ONE, DVec3::ZERO, |b| JointSpec {
        motor: motor(rate, 1e9),
        ..about(JointKind::Hinge, b, DVec3::Z)
    });
    run(&mut world, 100);
    assert!((ends(&world).angle.unwrap() / TAU - 175.0).abs() < 1e-6, "{:?}", ends(&world));
    // As fast from the start, where nothing has turned yet.
    let mut world = weightless();
    let mut wheel = body(cuboid(DVec3::ONE), Pose::IDENTITY);
    wheel.angular_velocity = DVec3::Z * rate;
    let wheel = world.add_body(wheel).unwrap();
    world.add_joint(&about(JointKind::Hinge, wheel, DVec3::Z)).unwrap();
    world.start();
    assert_eq!(ends(&world).angle, Some(0.0));
    run(&mut world, 4);
    assert!((ends(&world).angle.unwrap() / TAU - 7.0).abs() < 1e-6, "{:?}", ends(&world));
}

#[test]
fn hinge_motor_turns_as_far_as_its_torque_reaches() {
    // A level rod weighs 10 kg · 9.81 · 0.5 m on its hinge.
    let weight = 10.0 * 9.81 * 0.5;
    for (torque, lifts) in [(1.1 * weight, true), (0.9 * weight, false)] {
        let mut world = held(
            World::new(Settings { step: 0.002, ..Settings::default() }).unwrap(),
            DVec3::new(1.0, 0.1, 0.1),
            DVec3::X * 0.5,
            |b| JointSpec { motor: motor(-0.5, torque), ..about(JointKind::Hinge, b, DVec3::Y) },
        );
        run(&mut world, 300);
        let angle = ends(&world).angle.unwrap();
        assert!(if lifts { angle < -0.15 } else { angle > 0.15 }, "{torque}: {angle}");
    }
}

#[test]
fn slider_stops_at_either_limit() {
    for (gravity, stops) in [(DVec3::Z * -9.81, -0.5), (DVec3::Z * 9.81, 0.25)] {
        let mut world = held(
            World::new(Settings { gravity, ..Settings::default() }).unwrap(),
            DVec3::ONE,
            DVec3::ZERO,
            |b| JointSpec { limits: Some([-0.5, 0.25]), ..about(JointKind::Slider, b, DVec3::Z) },
        );
        let [_, off] = run(&mut world, 100);
        assert!((ends(&world).place.unwrap() - stops).abs() < 1e-9 && off < 1e-9, "{off} {:?}", ends(&world));
    }
}

#[test]
fn pivot_has_limits_and_motors_of_both_its_freedoms() {
    let spec = |b| JointSpec {
        limits: Some([-0.1, 0.3]),
        motor: motor(0.5, 1e6),
        turn_limits: Some([-1.0, 2.5 * PI]),
        turn_motor: motor(TAU, 1e6),
        ..about(JointKind::Pivot, b, DVec3::Y)
    };
    let mut world = held(weightless(), DVec3::ONE, DVec3::ZERO, spec);
    run(&mut world, 50);
    let (angle, place) = (ends(&world).angle.unwrap(), ends(&world).place.unwrap());
    assert!((place - 0.25).abs() < 1e-6 && (angle - PI).abs() < 1e-4, "{angle} {place}");
    run(&mut world, 150);
    let (angle, place) = (ends(&world).angle.unwrap(), ends(&world).place.unwrap());
    assert!((place - 0.3).abs() < 1e-6 && (angle - 2.5 * PI).abs() < 1e-6, "{angle} {place}");
    // Each without the other.
    let only = |b| JointSpec { turn_limits: Some([-0.5, 0.5]), ..about(JointKind::Pivot, b, DVec3::Y) };
    let mut world = weightless();
    let mut block = body(cuboid(DVec3::ONE), Pose::IDENTITY);
    (block.velocity, block.angular_velocity) = (DVec3::Y, DVec3::Y * -3.0);
    let block = world.add_body(block).unwrap();
    world.add_joint(&only(block)).unwrap();
    run(&mut world, 100);
    let (angle, place) = (ends(&world).angle.unwrap(), ends(&world).place.unwrap());
    assert!((place - 1.0).abs() < 1e-6 && (angle + 0.5).abs() < 1e-6, "{angle} {place}");
}

#[test]
fn rope_hangs_at_its_length_and_is_slack_before() {
    let rope = |limits, motor| {
        move |b| JointSpec {
            anchor: Some(DVec3::ZERO),
            limits: Some(limits),
            motor,
            ..JointSpec::new(JointKind::Distance, [None, Some(b)])
        }
    };
    let world = || World::new(Settings::default()).unwrap();
    let size = DVec3::splat(0.2);
    let mut slack = held(world(), size, DVec3::Z * -0.5, rope([0.0, 2.0], None));
    run(&mut slack, 20);
    // Half a kick aside, it falls freely.
    assert!((ends(&slack).place.unwrap() - 0.5 - 9.81 * 0.02).abs() < 1e-2, "{:?}", ends(&slack));
    let [_, off] = run(&mut slack, 200);
    assert!((ends(&slack).place.unwrap() - 2.0).abs() < 1e-9 && off < 1e-9, "{off} {:?}", ends(&slack));
    // The other side: a bar that holds off.
    let mut bar = held(world(), size, DVec3::Z * 1.5, rope([1.0, 2.0], None));
    run(&mut bar, 200);
    assert!((ends(&bar).place.unwrap() - 1.0).abs() < 1e-6, "{:?}", ends(&bar));
    // A winch draws up what it can carry: 8 kg.
    for (force, length) in [(100.0, 0.5), (50.0, 2.0)] {
        let mut winch = held(world(), size, DVec3::Z * -1.5, rope([0.5, 2.0], motor(-0.5, force)));
        run(&mut winch, 400);
        assert!((ends(&winch).place.unwrap() - length).abs() < 1e-6, "{force}: {:?}", ends(&winch));
    }
    // One that starts wound up to nothing, and one far too long, which is drawn in.
    let mut wound = held(world(), size, DVec3::ZERO, rope([0.0, 1.0], None));
    run(&mut wound, 200);
    assert!((ends(&wound).place.unwrap() - 1.0).abs() < 1e-6);
    let mut long = held(world(), size, DVec3::Z * -3.0, rope([0.0, 1.0], None));
    assert_eq!(long.strayed_joints().collect::<Vec<_>>(), [(0, 2.0, false)]);
    run(&mut long, 400);
    assert!((ends(&long).place.unwrap() - 1.0).abs() < 1e-5 && long.report().kinetic < 1e-6);
}

#[test]
fn ball_swings_within_its_cone() {
    let limit = 0.4;
    // Hung out level, it falls; thrown any way, it stays within.
    for step in [0.01, 0.0025] {
        for (k, way) in [DVec3::X, DVec3::Y, -DVec3::X, DVec3::new(-0.6, -0.8, 0.0)].into_iter().enumerate() {
            let mut world = World::new(Settings { step, ..Settings::default() }).unwrap();
            let mut rod = body(cuboid(DVec3::new(0.1, 0.1, 1.0)), at(DVec3::Z * 0.5));
            rod.velocity = way * 2.0;
            rod.angular_velocity = DVec3::Z.cross(way) * 4.0;
            let rod = world.add_body(rod).unwrap();
            world
                .add_joint(&JointSpec { limits: Some([0.0, limit]), ..about(JointKind::Ball, rod, DVec3::Z) })
                .unwrap();
            let mut most = 0.0_f64;
            for _ in 0..(2.0 / step) as usize {
                world.step().unwrap();
                most = most.max(ends(&world).angle.unwrap());
            }
            let last = ends(&world).angle.unwrap();
            assert!(most < limit + 20.0 * step * step, "{k}: {most}");
            assert!((last - limit).abs() < 1e-5, "{k}: it lies on its cone: {last}");
        }
    }
    // It starts outside, and turns about its own axis as it is driven.
    let mut world = held(weightless(), DVec3::ONE, DVec3::ZERO, |b| JointSpec {
        limits: Some([0.3, 1.0]),
        motor: motor(2.0, 1e6),
        ..about(JointKind::Ball, b, DVec3::Z)
    });
    assert_eq!(world.strayed_joints().count(), 1);
    run(&mut world, 400);
    let swung = ends(&world).angle.unwrap();
    assert!(swung > 0.3 - 1e-4 && swung < 1.0, "{swung}");
    assert!((world.bodies()[0].angular_velocity().z - 2.0).abs() < 1e-6);
}

#[test]
fn ball_of_the_plane_swings_within_its_limit() {
    let mut world = planar_floor(Settings::default());
    let rod = world.add_body(body(rectangle(DVec2::new(1.0, 0.1)), at(DVec3::new(0.5, 3.0, 0.0)))).unwrap();
    let spec = JointSpec {
        anchor: Some(DVec3::Y * 3.0),
        axis: Some(DVec3::X),
        limits: Some([0.0, 0.5]),
        ..JointSpec::new(JointKind::Ball, [None, Some(rod)])
    };
    world.add_joint(&spec).unwrap();
    run(&mut world, 200);
    assert!((ends(&world).angle.unwrap() - 0.5).abs() < 1e-6, "{:?}", ends(&world));
    assert!(world.bodies()[rod].position().y < 3.0);
}

#[test]
fn small_worlds_have_joints_too() {
    let tiny = 1e-10;
    let settings = Settings { gravity: DVec3::Z * -9.81 * tiny, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let bob = world.add_body(body(cuboid(DVec3::splat(0.1 * tiny)), at(DVec3::Z * -tiny))).unwrap();
    let spec =
        JointSpec { anchor: Some(DVec3::ZERO), ..JointSpec::new(JointKind::Distance, [None, Some(bob)]) };
    world.add_joint(&spec).unwrap();
    run(&mut world, 50);
    assert!((world.bodies()[bob].position().length() / tiny - 1.0).abs() < 1e-6);
}

#[test]
fn joints_that_cannot_be_say_which_field() {
    let mut world = weightless();
    let block = world.add_body(body(cuboid(DVec3::ONE), at(DVec3::X))).unwrap();
    let of = |kind| about(kind, block, DVec3::X);
    let limits = |kind, limits| JointSpec { limits: Some(limits), ..of(kind) };
    let driven = |kind, force| JointSpec { motor: motor(1.0, force), ..of(kind) };
    use JointKind::{Ball, Distance, Fixed, Hinge, Pivot, Slider};
    let turned = JointSpec { turn_limits: Some([0.0, 1.0]), ..of(Hinge) };
    let cases = [
        (limits(Distance, [-2.0, -1.0]), "limits"),
        (limits(Distance, [-0.1, 1.0]), "limits"),
        (limits(Ball, [-0.1, 1.0]), "limits"),
        (limits(Ball, [0.0, 4.0]), "limits"),
        (limits(Fixed, [0.0, 1.0]), "limits"),
        (limits(Slider, [1.0, 0.0]), "limits"),
        (JointSpec { axis: None, ..limits(Ball, [0.0, 1.0]) }, "axis"),
        (JointSpec { axis: None, ..of(Hinge) }, "axis"),
        (JointSpec { axis: Some(DVec3::ZERO), ..of(Slider) }, "axis"),
        (driven(Fixed, 1.0), "motor"),
        (driven(Distance, 1.0), "motor"),
        (driven(Slider, -1.0), "motor.max_force"),
        (JointSpec { turn_motor: motor(f64::NAN, 1.0), ..of(Pivot) }, "turn_motor.velocity"),
        (JointSpec { turn_limits: Some([1.0, 0.0]), ..of(Pivot) }, "turn_limits"),
        (turned, "turn_limits"),
        (JointSpec { anchor: Some(DVec3::X), ..of(Distance) }, "anchor"),
    ];
    for (spec, field) in cases {
        let error = world.add_joint(&spec).unwrap_err();
        assert_eq!(error.field(), Some(field), "{spec:?}: {error}");
    }
    let mut flat = planar_floor(Settings::default());
    let plate = flat.add_body(body(rectangle(DVec2::ONE), at(DVec3::Y * 3.0))).unwrap();
    for (kind, axis) in
        [(Slider, None), (Slider, Some(DVec3::Z)), (Hinge, Some(DVec3::X)), (Pivot, Some(DVec3::Z))]
    {
        let error = flat.add_joint(&JointSpec { axis, ..about(kind, plate, DVec3::X) }).unwrap_err();
        assert_eq!(error.field(), Some(if kind == Pivot { "kind" } else { "axis" }), "{error}");
    }
}

#[test]
fn what_no_body_has_is_refused() {
    let refused = |settings: Settings| World::new(settings).unwrap_err().field();
    let usual = Settings::default();
    assert_eq!(refused(Settings { friction: 2.0 * MOST_FRICTION, ..usual }), Some("friction"));
    assert_eq!(refused(Settings { restitution: 2.0, ..usual }), Some("restitution"));
    assert_eq!(refused(Settings { sweeps: 0, ..usual }), Some("sweeps"));
    let mut world = weightless();
    let block = || body(cuboid(DVec3::ONE), Pose::IDENTITY);
    let mut heavy = block();
    heavy.mass = MassOf::Given { mass: 1.0, inertia: DMat3::from_diagonal(DVec3::new(1.0, 1.0, 10.0)) };
    assert_eq!(world.add_body(heavy), Err(DynamicsError::NoInertia));
    let mut rough = block();
    rough.friction = Some(1e7);
    assert_eq!(world.add_body(rough).unwrap_err().field(), Some("friction"));
    let mut springy = block();
    springy.restitution = Some(1.5);
    assert_eq!(world.add_body(springy).unwrap_err().field(), Some("restitution"));
    let two = [0, 1].map(|_| world.add_body(block()).unwrap());
    assert!(world.set_friction(two[0], two[1], MOST_FRICTION).is_ok());
    assert!(world.set_friction(two[0], two[1], 1e3).is_err());
}

#[test]
fn largest_friction_lets_bodies_come_to_rest() {
    for (friction, way) in [(MOST_FRICTION, DVec3::X), (MOST_FRICTION, DVec3::new(0.6, 0.8, 0.0))] {
        let mut world = common::on_floor(Settings { friction, ..Settings::default() });
        let mut block = body(cuboid(DVec3::ONE), at(DVec3::Z * 0.5));
        block.velocity = way * 3.0;
        let block = world.add_body(block).unwrap();
        for _ in 0..300 {
            let report = world.step().unwrap();
            assert!(report.infeasibility < 5e-3, "{report:?}");
        }
        assert!(world.report().kinetic < 1e-12 && world.bodies()[block].position().length() < 2.0);
    }
}
