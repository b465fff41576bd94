//! Planar bodies bounded by curves: how they roll, rock, rest and meet.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{EventKind, Settings, Shape, World};
use clearance_geometry::curve::{PlanarCurve, Range};
use clearance_geometry::{DVec2, DVec3, PlanarPose, PlanarTiled, Polygon};
use clearance_proximity::planar::{PlanarBody, nearest};
use clearance_testkit::Random;
use clearance_testkit::generate::planar_body;
use common::{at, body, fixed, planar_floor, rectangle, turned};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const G: f64 = 9.81;

fn ellipse(radii: [f64; 2]) -> Shape {
    let curve = PlanarCurve::ellipse(DVec2::ZERO, radii, 0.0, false).unwrap();
    Shape::PlanarCurved(PlanarTiled::new(vec![(curve, Range::new(0.0, TAU))]).unwrap())
}

fn disc(radius: f64) -> Shape {
    let curve = PlanarCurve::circle(DVec2::ZERO, radius, 0.0, false).unwrap();
    Shape::PlanarCurved(PlanarTiled::new(vec![(curve, Range::new(0.0, TAU))]).unwrap())
}

fn segment(from: DVec2, to: DVec2) -> (PlanarCurve, Range) {
    (PlanarCurve::segment(from, to).unwrap(), Range::new(0.0, 1.0))
}

fn arc(center: DVec2, radius: f64, from: f64, to: f64) -> (PlanarCurve, Range) {
    (PlanarCurve::circle(center, radius, 0.0, false).unwrap(), Range::new(from, to))
}

/// A rectangle whose corners are quarters of circles.
fn rounded(size: DVec2, radius: f64) -> Shape {
    let [x, y] = [size.x / 2.0 - radius, size.y / 2.0 - radius];
    let [w, h] = [size.x / 2.0, size.y / 2.0];
    let corner = |x: f64, y: f64, k: f64| arc(DVec2::new(x, y), radius, k * FRAC_PI_2, (k + 1.0) * FRAC_PI_2);
    let curves = vec![
        segment(DVec2::new(-x, -h), DVec2::new(x, -h)),
        corner(x, -y, 3.0),
        segment(DVec2::new(w, -y), DVec2::new(w, y)),
        corner(x, y, 0.0),
        segment(DVec2::new(x, h), DVec2::new(-x, h)),
        corner(-x, y, 1.0),
        segment(DVec2::new(-w, y), DVec2::new(-w, -y)),
        corner(-x, -y, 2.0),
    ];
    Shape::PlanarCurved(PlanarTiled::new(curves).unwrap())
}

/// The lower half of a disc; its flat side is up and its mass centre 4r/3π below it.
fn half_disc(radius: f64) -> Shape {
    let side = segment(DVec2::new(radius, 0.0), DVec2::new(-radius, 0.0));
    Shape::PlanarCurved(PlanarTiled::new(vec![arc(DVec2::ZERO, radius, PI, TAU), side]).unwrap())
}

/// A block with a round trough cut out of its top: its lip is at y = 0 and its bottom at −radius.
fn bowl(radius: f64) -> Shape {
    let (w, d) = (1.5 * radius, 1.5 * radius);
    // Run clockwise, the half circle is hollow.
    let hollow = PlanarCurve::circle(DVec2::ZERO, radius, PI, true).unwrap();
    let hollow = PlanarTiled::new(vec![
        segment(DVec2::new(-w, 0.0), DVec2::new(-w, -d)),
        segment(DVec2::new(-w, -d), DVec2::new(w, -d)),
        segment(DVec2::new(w, -d), DVec2::new(w, 0.0)),
        segment(DVec2::new(w, 0.0), DVec2::new(radius, 0.0)),
        (hollow, Range::new(PI, TAU)),
        segment(DVec2::new(-radius, 0.0), DVec2::new(-w, 0.0)),
    ]);
    Shape::PlanarCurved(hollow.unwrap())
}

fn run(world: &mut World, seconds: f64, mut each: impl FnMut(&World)) {
    let steps = (seconds / world.settings().step).round() as usize;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.elastic.is_none() && report.kinetic.is_finite(), "{report:?}");
        each(world);
    }
}

/// As if the floor sloped down to the right.
fn sloping(angle: f64, friction: f64) -> World {
    let gravity = DVec3::new(G * angle.sin(), -G * angle.cos(), 0.0);
    let mut world = World::new(Settings { gravity, friction, ..Settings::default() }).unwrap();
    world.add_body(fixed(rectangle(DVec2::new(60.0, 2.0)), at(DVec3::new(0.0, -1.0, 0.0)))).unwrap();
    world
}

#[test]
fn disc_rolls_without_loss() {
    for friction in [0.0, 0.5] {
        let mut world = planar_floor(Settings { friction, ..Settings::default() });
        let mut wheel = body(disc(0.5), at(DVec3::new(-3.0, 0.5, 0.0)));
        wheel.velocity = DVec3::X * 2.0;
        wheel.angular_velocity = DVec3::Z * -4.0;
        world.add_body(wheel).unwrap();
        world.start();
        let before = world.report().kinetic;
        run(&mut world, 2.0, |world| assert_eq!(world.events().len(), 1));
        let wheel = &world.bodies()[1];
        assert!((world.report().kinetic / before - 1.0).abs() < 1e-12, "{:?}", world.report());
        assert!((wheel.position() - DVec3::new(1.0, 0.5, 0.0)).length() < 1e-9, "{}", wheel.position());
    }
}

#[test]
fn disc_rolls_down_a_slope_at_two_thirds_and_slips_above_three_times_friction() {
    let friction = 0.2;
    // tan θ = 3 μ is where it begins to slip.
    for (tangent, rolls) in [(0.3, true), (0.58, true), (0.62, false), (1.0, false)] {
        let angle = f64::atan(tangent);
        let mut world = sloping(angle, friction);
        world.add_body(body(disc(0.5), at(DVec3::new(-20.0, 0.5, 0.0)))).unwrap();
        let seconds = 2.0;
        run(&mut world, seconds, |_| {});
        let wheel = &world.bodies()[1];
        let slip = world.velocity(1).x + wheel.angular_velocity().z * 0.5;
        let expected =
            if rolls { G * angle.sin() * 2.0 / 3.0 } else { G * (angle.sin() - friction * angle.cos()) };
        let speed = world.velocity(1).x;
        // Velocities are kept half a kick of gravity back.
        assert!(
            (speed / (expected * seconds) - 1.0).abs() < 5e-3,
            "{tangent}: {speed} {}",
            expected * seconds
        );
        assert_eq!(slip.abs() < 1e-2 * speed, rolls, "{tangent}: slips by {slip} at {speed}");
        assert!((wheel.position().y - 0.5).abs() < 1e-6, "{tangent}: {}", wheel.position().y);
    }
}

#[test]
fn ellipse_rocks_with_the_period_of_the_linear_theory() {
    let [a, b] = [0.6, 0.4];
    for friction in [0.0, 2.0] {
        let mut world = planar_floor(Settings { friction, step: 0.005, ..Settings::default() });
        world.add_body(body(ellipse([a, b]), turned(DVec3::Z, 2.0, DVec3::new(0.0, b, 0.0)))).unwrap();
        // Its centre is above the lowest point, which is at the radius of curvature's arm from where it rests.
        let inertia = (a * a + b * b) / 4.0 + if friction > 0.0 { b * b } else { 0.0 };
        let period = TAU * (inertia / (G * (a * a / b - b))).sqrt();
        let angle = |world: &World| world.bodies()[1].planar_pose().angle();
        let (mut crossings, mut last) = (Vec::new(), angle(&world));
        let mut time = 0.0;
        run(&mut world, 8.0 * period, |world| {
            time += world.settings().step;
            let now = angle(world);
            if last > 0.0 && now <= 0.0 {
                crossings.push(time - world.settings().step * now / (now - last));
            }
            last = now;
        });
        let seen = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        assert!(crossings.len() >= 6 && (seen / period - 1.0).abs() < 0.01, "{friction}: {seen} {period}");
    }
}

#[test]
fn ellipse_rests_on_its_flat_side() {
    let mut world = planar_floor(Settings::default());
    world.add_body(body(ellipse([0.6, 0.4]), at(DVec3::new(0.3, 0.4, 0.0)))).unwrap();
    run(&mut world, 5.0, |_| {});
    let pose = world.bodies()[1].planar_pose();
    assert!(
        pose.translation().distance(DVec2::new(0.3, 0.4)) < 1e-9 && pose.angle().abs() < 1e-9,
        "{pose:?}"
    );
}

#[test]
fn rounded_box_and_half_disc_come_to_rest_on_their_flat_sides() {
    for (shape, low) in [(rounded(DVec2::new(1.0, 0.6), 0.1), 0.3), (half_disc(0.5), 0.5 - 2.0 / (3.0 * PI))]
    {
        for degrees in [0.0, 8.0] {
            let mut world = planar_floor(Settings { friction: 0.4, ..Settings::default() });
            let round = low > 0.28 && low < 0.29;
            let upright = if round { 180.0 } else { 0.0 };
            let pose = turned(DVec3::Z, upright + degrees, DVec3::new(0.0, 0.6, 0.0));
            world.add_body(body(shape.clone(), pose)).unwrap();
            run(&mut world, 4.0, |_| {});
            let report = world.report().clone();
            assert!(report.kinetic < 1e-9 && report.infeasibility < 1e-9, "{degrees}: {report:?}");
            assert!(world.events().len() >= 2, "{degrees}: {:?}", world.events());
            let angle = world.bodies()[1].planar_pose().angle().to_degrees();
            let off = (angle - upright).rem_euclid(360.0);
            assert!(off.min(360.0 - off) < 1e-6, "{degrees}: {angle}");
        }
    }
}

#[test]
fn discs_that_collide_obey_newtons_law() {
    // Centres 1 apart at an angle when they meet; no friction, so that nothing turns.
    let settings =
        Settings { gravity: DVec3::ZERO, friction: 0.0, restitution: 0.8, step: 1e-3, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let normal = DVec2::from_angle(0.5);
    let mut one = body(disc(0.4), at((-normal - DVec2::X * 0.3).extend(0.0)));
    one.velocity = DVec3::X * 2.0;
    world.add_body(one).unwrap();
    world.add_body(body(disc(0.6), at(DVec3::ZERO))).unwrap();
    run(&mut world, 0.5, |_| {});
    let [m, n] = [0.4_f64.powi(2), 0.6_f64.powi(2)];
    let impulse = 1.8 * (m * n / (m + n)) * 2.0 * normal.x;
    let [first, second] = [0, 1].map(|at| world.velocity(at).truncate());
    // The normal is that of the step in which they meet.
    assert!(first.distance(DVec2::X * 2.0 - normal * (impulse / m)) < 5e-3, "{first}");
    assert!(second.distance(normal * (impulse / n)) < 5e-3, "{second}");
    assert!(world.bodies().iter().all(|disc| disc.angular_velocity().length() < 1e-9));
}

#[test]
fn disc_rolls_off_the_edge_of_a_box_and_around_its_corner() {
    let mut world =
        World::new(Settings { gravity: DVec3::NEG_Y * G, friction: 1.0, ..Settings::default() }).unwrap();
    world.add_body(fixed(rectangle(DVec2::new(2.0, 1.0)), at(DVec3::new(0.0, -0.5, 0.0)))).unwrap();
    let mut wheel = body(disc(0.3), at(DVec3::new(0.9, 0.3, 0.0)));
    wheel.velocity = DVec3::X * 0.2;
    wheel.angular_velocity = DVec3::Z * (-0.2 / 0.3);
    world.add_body(wheel).unwrap();
    let mut deepest = 0.0_f64;
    run(&mut world, 1.5, |world| {
        let center = world.bodies()[1].position().truncate();
        let beyond = DVec2::new((center.x - 1.0).max(0.0), center.y.max(0.0));
        if center.y > 0.0 {
            deepest = deepest.max(0.3 - beyond.length());
        }
    });
    let end = world.bodies()[1].position();
    assert!(end.x > 1.2 && end.y < -0.5, "{end}");
    assert!(deepest < 2e-3, "{deepest}");
}

#[test]
fn overlap_is_pushed_apart_without_a_jump() {
    let mut world = planar_floor(Settings::default());
    world.add_body(body(ellipse([0.6, 0.4]), at(DVec3::new(0.0, 0.25, 0.0)))).unwrap();
    world.add_body(body(disc(0.3), at(DVec3::new(0.1, 0.8, 0.0)))).unwrap();
    let mut fastest = 0.0_f64;
    run(&mut world, 5.0, |world| {
        fastest = (1..3).map(|at| world.velocity(at).length()).fold(fastest, f64::max);
    });
    // Each pair no faster than a fall over its smaller radius, and one stands on the other.
    let most = (2.0 * G * 0.6).sqrt() + (2.0 * G * 0.3).sqrt() + 0.6;
    assert!(fastest < most, "{fastest} {most}");
    assert!(world.report().infeasibility < 1e-4, "{:?}", world.report());
}

#[test]
fn rod_in_a_bowl_comes_to_rest_on_both_ends() {
    let mut world =
        World::new(Settings { gravity: DVec3::NEG_Y * G, friction: 0.2, ..Settings::default() }).unwrap();
    world.add_body(fixed(bowl(1.0), at(DVec3::ZERO))).unwrap();
    let rod = rectangle(DVec2::new(1.2, 0.1));
    world.add_body(body(rod, turned(DVec3::Z, 10.0, DVec3::new(0.05, -0.5, 0.0)))).unwrap();
    run(&mut world, 6.0, |_| {});
    let report = world.report().clone();
    assert!(report.kinetic < 1e-8 && report.infeasibility < 1e-6, "{report:?}");
    let ends = world.events().iter().filter(|event| event.impulse[0] > 0.0).count();
    assert_eq!(ends, 2, "{:?}", world.events());
}

#[test]
fn disc_rolls_in_a_bowl_with_the_period_of_the_linear_theory() {
    let (large, small) = (1.0, 0.2);
    let mut world =
        World::new(Settings { gravity: DVec3::NEG_Y * G, friction: 1.0, step: 0.005, ..Settings::default() })
            .unwrap();
    world.add_body(fixed(bowl(large), at(DVec3::ZERO))).unwrap();
    let start = DVec2::from_angle(-FRAC_PI_2 + 0.1) * (large - small);
    world.add_body(body(disc(small), at(start.extend(0.0)))).unwrap();
    let period = TAU * (1.5 * (large - small) / G).sqrt();
    let (mut crossings, mut last, mut time) = (Vec::new(), start.x, 0.0);
    run(&mut world, 5.0 * period, |world| {
        time += world.settings().step;
        let now = world.bodies()[1].position().x;
        if last > 0.0 && now <= 0.0 {
            crossings.push(time - world.settings().step * now / (now - last));
        }
        last = now;
    });
    let seen = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!(crossings.len() >= 4 && (seen / period - 1.0).abs() < 0.01, "{seen} {period}");
}

#[test]
fn infeasibility_of_tumbling_ellipses_is_of_second_order() {
    let mean = |step: f64| {
        let mut world = planar_floor(Settings { step, friction: 0.5, ..Settings::default() });
        let mut first = body(ellipse([0.6, 0.3]), turned(DVec3::Z, 70.0, DVec3::new(0.0, 0.7, 0.0)));
        first.velocity = DVec3::X * 1.5;
        first.angular_velocity = DVec3::Z * -3.0;
        world.add_body(first).unwrap();
        world.add_body(body(ellipse([0.5, 0.35]), at(DVec3::new(1.8, 0.35, 0.0)))).unwrap();
        let (mut sum, mut count) = (0.0, 0.0);
        run(&mut world, 4.0, |world| {
            sum += world.report().infeasibility;
            count += 1.0;
        });
        sum / count
    };
    let steps = [0.02, 0.014, 0.01, 0.007, 0.005, 0.0035, 0.0025, 0.00175];
    let logs: Vec<[f64; 2]> = steps.iter().map(|&h: &f64| [h.ln(), mean(h).ln()]).collect();
    let n = logs.len() as f64;
    let [x, y] = [0, 1].map(|k| logs.iter().map(|log| log[k]).sum::<f64>() / n);
    let (top, bottom) = logs.iter().fold((0.0, 0.0), |(top, bottom), log| {
        (top + (log[0] - x) * (log[1] - y), bottom + (log[0] - x).powi(2))
    });
    let slope: f64 = top / bottom;
    assert!((1.8..=2.3).contains(&slope), "{slope}: {logs:?}");
}

#[test]
fn events_have_the_gap_of_the_certified_query_and_its_gradient() {
    let mut random = Random::new(11);
    let (mut near, mut deep, mut curved) = (0, 0, 0);
    for round in 0..300 {
        let [p, q] = [0, 1].map(|k| planar_body(1.0, 2 + (round / (1 + 3 * k)) % 4, &mut random));
        let pose = PlanarPose::new(
            random.uniform(-PI, PI),
            DVec2::from_angle(random.uniform(-PI, PI)) * random.uniform(0.8, 2.4),
        )
        .unwrap();
        let shape = |body: &PlanarBody| match body {
            PlanarBody::Polygon(polygon) => Shape::Planar(polygon.clone()),
            PlanarBody::Tiled(tiled) => Shape::PlanarCurved(tiled.clone()),
        };
        if matches!([&p, &q], [PlanarBody::Polygon(_), PlanarBody::Polygon(_)]) {
            continue;
        }
        let exact = nearest(&p, &q, &pose, None).unwrap();
        let Some(signed) = exact.signed_distance else { continue };
        let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
        world.add_body(fixed(shape(&p), at(DVec3::ZERO))).unwrap();
        let turn = turned(DVec3::Z, pose.angle().to_degrees(), pose.translation().extend(0.0));
        let mut on = body(shape(&q), turn);
        // A fast one, so that its events reach far.
        on.velocity = DVec3::new(random.uniform(-60.0, 60.0), random.uniform(-60.0, 60.0), 0.0);
        world.add_body(on).unwrap();
        world.start();
        let margin = 0.01 * world.velocity(1).length();
        if signed > margin {
            continue;
        }
        let least = world.events().iter().map(|event| event.event.gap).fold(f64::INFINITY, f64::min);
        let both = p.is_convex() && q.is_convex();
        if both || signed > 0.0 {
            assert!((least - signed).abs() < 2e-6, "{round}: {least} {signed}");
            near += 1;
            deep += usize::from(signed < 0.0);
            curved +=
                usize::from(world.events().iter().any(|event| event.event.id.kind == EventKind::Witness));
        }
        // The gap of the nearest event changes as its gradient says.
        let Some(event) = world.events().iter().find(|event| event.event.gap < signed + 1e-6) else {
            continue;
        };
        let normal = event.event.normal.truncate();
        for step in [1e-6, -1e-6] {
            let moved = PlanarPose::new(pose.angle(), pose.translation() + normal * step).unwrap();
            if let Some(there) = nearest(&p, &q, &moved, Some(1e-10)).unwrap().signed_distance
                && signed.abs() > 1e-4
            {
                assert!((there - signed - step).abs() < 2e-9, "{round}: {} {step}", there - signed);
            }
        }
    }
    assert!(near > 60 && deep > 15 && curved > 15, "{near} {deep} {curved}");
}

#[test]
fn mass_is_that_of_the_area() {
    let (a, b) = (0.6, 0.4);
    let mut world = planar_floor(Settings::default());
    world.add_body(body(ellipse([a, b]), at(DVec3::new(0.0, 1.0, 0.0)))).unwrap();
    let wheel = &world.bodies()[1];
    let mass = 1000.0 * PI * a * b;
    assert!((wheel.mass() / mass - 1.0).abs() < 1e-12);
    let mut spinning = body(ellipse([a, b]), at(DVec3::new(0.0, 5.0, 0.0)));
    spinning.angular_velocity = DVec3::Z * 2.0;
    world.add_body(spinning).unwrap();
    let spin = world.bodies()[2].spin().z / 2.0;
    assert!((spin / (mass * (a * a + b * b) / 4.0) - 1.0).abs() < 1e-12, "{spin}");
}

#[test]
fn polygons_meet_outlines_of_straight_sides_as_polygons() {
    // A square written as curves falls on a corner and topples like the polygon.
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(DVec2::from);
    let curves = (0..4).map(|k| segment(corners[k], corners[(k + 1) % 4])).collect();
    let curved = Shape::PlanarCurved(PlanarTiled::new(curves).unwrap());
    let plain = Shape::Planar(Polygon::from_points(&corners).unwrap());
    let end = |shape: Shape| {
        let mut world = planar_floor(Settings { friction: 0.3, ..Settings::default() });
        world.add_body(body(shape, turned(DVec3::Z, 30.0, DVec3::new(0.0, 1.0, 0.0)))).unwrap();
        run(&mut world, 2.0, |_| {});
        world.bodies()[1].planar_pose()
    };
    let [one, two] = [end(curved), end(plain)];
    assert!(one.translation().distance(two.translation()) < 1e-6, "{one:?} {two:?}");
    assert!((one.angle() - two.angle()).abs() < 1e-6, "{one:?} {two:?}");
}
