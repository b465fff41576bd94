//! Tracked answers of curved bodies are those of the certified search, frame by frame.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod tracking_common;

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, Proximity, State, distance, nearest_points};
use clearance_testkit::Random;
use clearance_testkit::data::skip;
use clearance_testkit::generate::Wander;
use std::f64::consts::TAU;
use tracking_common::{bowl, pen, sheet, teapot, torus, union};

/// A tracked answer against one from scratch; its lower bound against both.
fn check(name: &str, tracker: &CurvedTracker, answer: &Proximity, bodies: [&Body; 2], pose: &Pose) {
    let (truth, _) = nearest_points(bodies[0], bodies[1], pose, &Precision::default()).unwrap();
    let (expected, size) = (truth.proximity.distance, 20.0);
    assert!(tracker.lower() <= expected + 1e-12 * size, "{name}: {} above {expected}", tracker.lower());
    let apart = answer.witnesses[1].point.distance(answer.witnesses[0].point);
    if answer.state == State::Separated {
        assert!((answer.distance - expected).abs() <= 2e-9 * size, "{name}: {answer:?} against {expected}");
        assert!((apart - answer.distance).abs() <= 1e-12 * size, "{name}: {answer:?}");
        assert!(matches!(answer.ended, Ended::Certified(_)), "{name}: {answer:?}");
        assert!(answer.distance - tracker.lower() <= 2e-9 * size, "{name}: {answer:?} {}", tracker.lower());
    } else {
        assert!(distance(bodies[0], bodies[1], pose).unwrap().state == answer.state, "{name}: {answer:?}");
    }
}

/// Tracks smooth motions of three speeds; how many frames were apart, and how often the features changed.
fn sweep(name: &str, a: &Body, b: &Body, [near, far]: [f64; 2], frames: usize) -> [usize; 2] {
    let mut count = [0; 2];
    for (seed, degrees) in [(1, 0.1), (2, 1.0), (3, 5.0)] {
        let mut tracker = CurvedTracker::new(a, b).unwrap();
        let mut last = None;
        for pose in Wander::new(seed, degrees, near, far).take(frames) {
            let answer = tracker.update(&pose).unwrap();
            check(name, &tracker, &answer, [a, b], &pose);
            count[0] += usize::from(answer.state == State::Separated);
            let features = answer.witnesses.map(|witness| (witness.leaf, witness.feature));
            count[1] += usize::from(last.is_some_and(|last| last != features));
            last = Some(features);
        }
    }
    count
}

#[test]
fn tracked_tori_are_those_of_the_search() {
    let [apart, switches] = sweep("tori", &torus(), &torus(), [5.0, 7.0], 60);
    assert!(apart > 150 && switches == 0, "{apart} apart, {switches} switches");
}

#[test]
fn tracked_pen_and_bowl_are_those_of_the_search() {
    let [apart, switches] = sweep("pen and bowl", &bowl(), &pen(), [6.0, 14.0], 60);
    assert!(apart > 120 && switches > 5, "{apart} apart, {switches} switches");
}

#[test]
fn tracked_unions_are_those_of_the_search() {
    let [apart, switches] = sweep("unions", &union(), &union(), [3.5, 6.0], 60);
    assert!(apart > 120 && switches > 5, "{apart} apart, {switches} switches");
}

#[test]
fn tracked_sheets_are_those_of_the_search() {
    let [apart, switches] = sweep("sheets", &sheet(0.3), &sheet(1.7), [3.0, 5.0], 90);
    assert!(apart > 180 && switches > 5, "{apart} apart, {switches} switches");
}

#[test]
fn tracked_teapots_are_those_of_the_search() {
    let Some(pot) = teapot() else {
        return skip("tracked_teapots_are_those_of_the_search", "no teapot");
    };
    let [apart, switches] = sweep("teapots", &pot, &pot, [7.0, 9.0], 20);
    assert!(apart > 40 && switches > 0, "{apart} apart, {switches} switches");
}

#[test]
fn tracked_primitives_are_those_of_the_search() {
    let bodies: Vec<Body> = vec![
        TiledBody::sphere(1.0).unwrap().into(),
        TiledBody::cylinder(0.7, 2.0).unwrap().into(),
        TiledBody::cone(1.0, 2.0, None).unwrap().into(),
        TiledBody::ellipsoid([1.2, 0.8, 0.5]).unwrap().into(),
        TiledBody::capsule(0.5, 1.5).unwrap().into(),
    ];
    let mut total = [0; 2];
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i..] {
            let [apart, switches] = sweep("primitives", a, b, [3.0, 5.0], 12);
            total = [total[0] + apart, total[1] + switches];
        }
    }
    assert!(total[0] > 400 && total[1] > 10, "{total:?}");
}

/// Poses that have nothing to do with each other: a tracker is right from any start.
#[test]
fn jumps_change_nothing_but_the_cost() {
    let mut random = Random::new(11);
    for (name, a, b) in
        [("tori", torus(), torus()), ("pen and bowl", bowl(), pen()), ("unions", union(), union())]
    {
        let mut tracker = CurvedTracker::new(&a, &b).unwrap();
        for _ in 0..15 {
            let place = random.direction() * random.uniform(6.0, 12.0);
            let pose = Pose::new(random.quaternion(), place).unwrap();
            let answer = tracker.update(&pose).unwrap();
            check(name, &tracker, &answer, [&a, &b], &pose);
        }
    }
}

#[test]
fn poisoned_hints_change_nothing_but_the_cost() {
    let (a, b) = (bowl(), pen());
    let mut random = Random::new(5);
    let mut tracker = CurvedTracker::new(&a, &b).unwrap();
    for pose in Wander::new(9, 1.0, 6.0, 12.0).take(40) {
        let features = [0, 1].map(|_| Feature::Face(FaceId(random.index(5) as u32)));
        let wild = |random: &mut Random| DVec2::new(random.uniform(-1e3, 1e3), random.uniform(-1e3, 1e3));
        let parameters = [wild(&mut random), DVec2::new(f64::NAN, f64::INFINITY)];
        tracker.hint(features, if random.index(2) == 0 { parameters } else { [wild(&mut random); 2] });
        let answer = tracker.update(&pose).unwrap();
        check("poisoned", &tracker, &answer, [&a, &b], &pose);
    }
}

/// A frame whose budget ends says so, with bounds that hold.
#[test]
fn budgets_end_in_honest_limits() {
    let (a, b) = (sheet(0.3), sheet(1.7));
    let mut tracker = CurvedTracker::new(&a, &b).unwrap();
    let precision = Precision { max_pairs: Some(3), ..Precision::default() };
    let mut limits = 0;
    for pose in Wander::new(4, 5.0, 4.0, 6.0).take(60) {
        let found = tracker.find(&pose, &precision).unwrap();
        let (truth, _) = nearest_points(&a, &b, &pose, &Precision::default()).unwrap();
        let expected = truth.proximity.distance;
        assert!(found.lower.unwrap() <= expected + 1e-12 && found.proximity.distance >= expected - 1e-9);
        limits += usize::from(found.proximity.ended == Ended::Limit);
    }
    assert!(limits > 0, "every budget was enough");
}

/// Bodies that part after a budget ended while they met: what was known then is no distance.
#[test]
fn bounds_of_budgets_that_ended_in_contact_stay_honest() {
    let pairs = [(sheet(0.3), sheet(1.7)), (union(), union()), (bowl(), pen())];
    for (number, (a, b)) in pairs.iter().enumerate() {
        let (mut limits, mut met, mut apart) = (0, 0, 0);
        for seed in 0..6 {
            let mut tracker = CurvedTracker::new(a, b).unwrap();
            let far = if number == 2 { 10.0 } else { 4.0 };
            for (frame, pose) in Wander::new(50 + seed, 5.0, 0.0, far).take(120).enumerate() {
                let max_pairs = [Some(3), Some(40), None][frame / 4 % 3];
                let found = tracker.find(&pose, &Precision { max_pairs, ..Precision::default() }).unwrap();
                let (truth, _) = nearest_points(a, b, &pose, &Precision::default()).unwrap();
                let expected = truth.proximity.distance;
                let lower = found.lower.unwrap_or(0.0);
                assert!(lower <= expected + 1e-12, "{number} {seed} {frame}: {lower} above {expected}");
                limits += usize::from(found.proximity.ended == Ended::Limit);
                met += usize::from(truth.proximity.state != State::Separated);
                apart += usize::from(truth.proximity.state == State::Separated);
            }
        }
        assert!(limits > 20 && met > 50 && apart > 100, "{number}: {limits} {met} {apart}");
    }
}

/// Rings beside each other, before each other's faces, through each other, and around balls: against many points of one circle,
/// each with its distance to the other body's core in closed form.
#[test]
fn rings_are_followed_to_the_least_of_many_samples() {
    let ring = |radius: f64| Body::from(TiledBody::torus(radius, 0.2).unwrap());
    let on_circle = |radius: f64, p: DVec3| DVec2::new(p.truncate().length() - radius, p.z).length();
    let ball = Body::from(TiledBody::sphere(0.3).unwrap());
    let rod = Body::from(TiledBody::capsule(0.3, 2.0).unwrap());
    type Core = Box<dyn Fn(DVec3) -> f64>;
    let cases: [(Body, f64, Core, f64); 3] = [
        (ring(1.5), 0.2, Box::new(move |p| on_circle(1.5, p)), 4.5),
        (ball, 0.3, Box::new(|p: DVec3| p.length()), 4.0),
        (rod, 0.3, Box::new(|p: DVec3| p.distance(DVec3::Z * p.z.clamp(-1.0, 1.0))), 4.5),
    ];
    let (mut apart, mut linked, mut by_formulas) = (0, 0, 0);
    for (number, (b, radius, core, far)) in cases.iter().enumerate() {
        for (a, b, swapped) in [(&ring(2.0), b, false), (b, &ring(2.0), true)] {
            let mut tracker = CurvedTracker::new(a, b).unwrap();
            for pose in Wander::new(20 + number as u64, 2.0, 0.2, *far).take(250) {
                let answer = tracker.update(&pose).unwrap();
                if answer.state != State::Separated {
                    continue;
                }
                let seen = if swapped { pose } else { pose.inverse() };
                let least = (0..2000).fold(f64::INFINITY, |least, k| {
                    let (sin, cos) = (TAU * f64::from(k) / 2000.0).sin_cos();
                    least.min(core(seen.apply(DVec3::new(2.0 * cos, 2.0 * sin, 0.0))))
                });
                let least = least - 0.2 - radius;
                let lower = tracker.lower();
                assert!(lower <= answer.distance && answer.distance - lower < 2e-8, "{answer:?} {lower}");
                assert!(
                    answer.distance <= least + 1e-12 && answer.distance > least - 1e-4,
                    "{answer:?} {least}"
                );
                let between = answer.witnesses[1].point - answer.witnesses[0].point;
                assert!((between - answer.normal * answer.distance).length() < 1e-9, "{answer:?}");
                apart += 1;
                linked += usize::from(pose.translation().length() < 2.0);
                // The general search descends.
                by_formulas += usize::from(answer.work.newton == 0);
            }
        }
    }
    assert!(apart > 900 && linked > 200, "{apart} apart, {linked} of them within a ring");
    assert!(by_formulas > apart * 9 / 10, "{by_formulas} of {apart} by formulas");
}

/// Angles and lengths are parameters of the same features; neither decides for the other what is small.
#[test]
fn small_and_large_bodies_are_followed_as_easily() {
    let mut steps = [0; 3];
    for (easily, scale) in steps.iter_mut().zip([1.0, 1e-6, 1e6]) {
        let cylinder = || Body::from(TiledBody::cylinder(0.7 * scale, 2.0 * scale).unwrap());
        let capsule = Body::from(TiledBody::capsule(0.3 * scale, 2.0 * scale).unwrap());
        let cone = Body::from(TiledBody::cone(scale, 2.0 * scale, None).unwrap());
        for (a, b) in [(cylinder(), cylinder()), (capsule, cylinder()), (cone, cylinder())] {
            let mut tracker = CurvedTracker::new(&a, &b).unwrap();
            for pose in Wander::new(9, 0.5, 2.5, 4.0).take(400) {
                let pose = pose.with_translation(pose.translation() * scale);
                let answer = tracker.update(&pose).unwrap();
                *easily += usize::from(answer.work.iterations == 1 && answer.work.supports == 1);
            }
        }
    }
    assert!(steps.iter().all(|easily| *easily > 600 && easily.abs_diff(steps[0]) < 60), "{steps:?}");
}

/// Around the axis of a body of revolution, witnesses go round with the other body and come back; parameters wrap.
#[test]
fn periodic_parameters_wrap() {
    let (a, ball) = (torus(), Body::from(TiledBody::sphere(0.3).unwrap()));
    let mut tracker = CurvedTracker::new(&a, &ball).unwrap();
    for step in 0..=180 {
        let angle = TAU * f64::from(step) / 90.0 + 0.01;
        let pose = Pose::from_translation(4.0 * DVec3::new(angle.cos(), angle.sin(), 0.0)).unwrap();
        let answer = tracker.update(&pose).unwrap();
        assert!((answer.distance - 1.2).abs() < 1e-9, "{answer:?}");
        let expected = 2.5 * DVec3::new(angle.cos(), angle.sin(), 0.0);
        assert!(answer.witnesses[0].point.distance(expected) < 1e-6, "{answer:?}");
    }
}

/// Where many pairs of points are equally near, the witnesses move no more than the bodies do, but for a share of it.
fn check_steady(name: &str, a: &Body, b: &Body, start: &Pose, step: DVec3, expected: f64) {
    let mut tracker = CurvedTracker::new(a, b).unwrap();
    let precision = Precision { max_pairs: Some(500), ..Precision::default() };
    let mut last: Option<[DVec3; 2]> = None;
    for frame in 0..12 {
        let place = start.translation() + step * f64::from(frame);
        let pose = start.with_translation(place);
        let found = tracker.find(&pose, &precision).unwrap();
        let answer = found.proximity;
        assert!((answer.distance - expected).abs() < 1e-7, "{name}: {answer:?}");
        assert!(tracker.lower() <= expected + 1e-12, "{name}: {}", tracker.lower());
        let points = answer.witnesses.map(|witness| witness.point);
        if let Some(last) = last {
            let moved = points[0].distance(last[0]).max(points[1].distance(last[1]));
            assert!(moved <= 8.0 * step.length() + 1e-6, "{name}: {frame} {moved}");
        }
        last = Some(points);
    }
}

#[test]
fn witnesses_stay_where_the_nearest_points_are_many() {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let can = Body::from(TiledBody::cylinder(1.0, 2.0).unwrap());
    let small = Body::from(TiledBody::cylinder(0.5, 2.0).unwrap());
    let block = Body::from(Polytope::cuboid(DVec3::new(6.0, 6.0, 1.0)).unwrap());
    let along = DVec3::X * 0.01;
    check_steady("coaxial cylinders", &can, &small, &at(0.0, 0.0, 3.0), along, 1.0);
    check_steady("cylinders side by side", &can, &small, &at(2.0, 0.0, 0.0), DVec3::Z * 0.01, 0.5);
    check_steady("parallel planes", &block, &block, &at(0.0, 0.0, 2.0), along, 1.0);
    let lying = Pose::from_axis_angle(DVec3::X, TAU / 4.0, DVec3::Z * 2.5).unwrap();
    check_steady("plane and cylinder", &block, &can, &lying, along, 1.0);
    // The tip of the pen goes down through the middle of the sphere that the bowl is hollowed by.
    check_steady("pen on the axis", &bowl(), &pen(), &at(0.0, 0.0, 7.0), DVec3::ZERO, 5.0);
}

/// Whatever features a tracker of convex bodies begins with, back faces of thin slabs included, it ends at the nearest ones.
#[test]
fn convex_trackers_converge_from_any_start() {
    let coin = Body::from(TiledBody::cylinder(1.5, 0.03).unwrap());
    let cone = Body::from(TiledBody::cone(1.0, 2.0, None).unwrap());
    let egg = Body::from(TiledBody::ellipsoid([1.2, 0.8, 0.5]).unwrap());
    let slab = Body::from(Polytope::cuboid(DVec3::new(3.0, 2.0, 0.02)).unwrap());
    let ball = Body::from(TiledBody::sphere(0.8).unwrap());
    let rod = Body::from(TiledBody::capsule(0.4, 2.0).unwrap());
    let mut random = Random::new(17);
    for (name, a, b) in [
        ("coins", &coin, &coin),
        ("slab and cone", &slab, &cone),
        ("cone and egg", &cone, &egg),
        ("ball and coin", &ball, &coin),
        ("rods", &rod, &rod),
    ] {
        let mut tracker = CurvedTracker::new(a, b).unwrap();
        for _ in 0..12 {
            let place = random.direction() * random.uniform(2.5, 5.0);
            let pose = Pose::new(random.quaternion(), place).unwrap();
            let truth = distance(a, b, &pose).unwrap();
            for _ in 0..40 {
                let features = [0, 1].map(|_| match random.index(3) {
                    0 => Feature::Face(FaceId(random.index(6) as u32)),
                    1 => Feature::Edge(EdgeId(random.index(12) as u32)),
                    _ => Feature::Vertex(VertexId(random.index(8) as u32)),
                });
                let wild =
                    |random: &mut Random| DVec2::new(random.uniform(-4.0, 4.0), random.uniform(-4.0, 4.0));
                tracker.hint(features, [wild(&mut random), wild(&mut random)]);
                let answer = tracker.update(&pose).unwrap();
                let off = (answer.signed_distance - truth.signed_distance).abs();
                assert!(
                    off < 1e-9 && answer.state == truth.state,
                    "{name}: {features:?} {answer:?} {truth:?}"
                );
            }
        }
    }
}

/// An arch whose two lowest points are in the middles of two sides, over a dome: as it rocks, the nearest points go from one
/// side to the other, and both are as near to within rounding in between.
#[test]
fn sides_that_are_equally_near_are_those_of_the_search() {
    let knots = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let patch = |height: fn(f64, f64) -> f64| {
        let at = |i: i32| f64::from(i) - 1.5;
        let row = |i: i32| (0..4).map(|j| DVec3::new(at(i), at(j), height(at(i), at(j)))).collect::<Vec<_>>();
        let net: Vec<_> = (0..4).map(row).collect();
        let surface = NurbsSurface::new([3, 3], [knots(), knots()], &net, None).unwrap();
        Body::from(TiledBody::from_patches(&[Patch::new(surface)], None).unwrap())
    };
    let arch = patch(|x, y| -0.3 * x * x + 0.15 * y * y);
    let dome = patch(|x, y| -0.05 * (x * x + y * y));
    let mut tracker = CurvedTracker::new(&arch, &dome).unwrap();
    let mut sides = [0; 2];
    for step in 0..200 {
        // Still in some frames, so that both sides are as near.
        let angle = if step % 50 < 10 { 0.0 } else { 0.004 * (0.3 * f64::from(step)).sin() };
        let pose = Pose::from_axis_angle(DVec3::Y, angle, DVec3::Z * -2.0).unwrap();
        let answer = tracker.update(&pose).unwrap();
        check("arch", &tracker, &answer, [&arch, &dome], &pose);
        assert!(answer.work.iterations < 4000, "{step}: {:?}", answer.work);
        let [on_arch, _] = answer.witnesses;
        assert_eq!(on_arch.feature.dimension(), 1, "{step}: {on_arch:?}");
        sides[usize::from(on_arch.point.x > 0.0)] += 1;
    }
    assert!(sides.iter().all(|count| *count > 40), "{sides:?}");
}
