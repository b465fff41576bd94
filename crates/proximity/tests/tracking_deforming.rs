//! Tracked answers of bodies that change their shape are those of the certified search on the shape frozen at that time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod tracking_common;

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{NurbsSurface, Sphere, Surface};
use clearance_geometry::tiled::{DeformingPatch, Patch, TiledBody};
use clearance_geometry::{
    Body, DMat3, DQuat, DVec2, DVec3, DeformingBody, DeformingFace, FaceId, Feature, HalfSpace, Pose,
};
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, Proximity, State, Tracker, distance, nearest_points};
use clearance_testkit::Random;
use clearance_testkit::generate::Wander;
use std::f64::consts::{FRAC_PI_2, TAU};
use tracking_common::{bowl, sheet, torus};

/// A body by time: patches whose control points go along given ways.
struct Living {
    patches: Vec<NurbsSurface>,
    way: fn(DVec3, f64) -> DVec3,
}

impl Living {
    /// The body at a time, with the velocities that it has about then.
    fn at(&self, time: f64) -> DeformingBody {
        let faces = self.patches.iter().map(|patch| {
            let [_, columns] = patch.point_counts();
            let points: Vec<DVec3> = patch.homogeneous_points().iter().map(|p| p.truncate() / p.w).collect();
            let weights: Vec<f64> = patch.homogeneous_points().iter().map(|p| p.w).collect();
            let rows = |at: &dyn Fn(DVec3) -> DVec3| -> Vec<Vec<DVec3>> {
                points.chunks(columns).map(|row| row.iter().map(|&p| at(p)).collect()).collect()
            };
            let now = rows(&|p| (self.way)(p, time));
            let velocity = rows(&|p| ((self.way)(p, time + 0.05) - (self.way)(p, time - 0.05)) / 0.1);
            let weights: Vec<Vec<f64>> = weights.chunks(columns).map(<[f64]>::to_vec).collect();
            let knots = patch.knots().clone().map(|knots| knots.values().to_vec());
            let shape = NurbsSurface::new(patch.degrees(), knots, &now, Some(&weights)).unwrap();
            DeformingFace::moving(DeformingPatch::new(shape, &velocity).unwrap(), false)
        });
        DeformingBody::new(faces.collect(), None).unwrap()
    }
}

fn ends(degree: usize) -> Vec<f64> {
    [vec![0.0; degree + 1], vec![1.0; degree + 1]].concat()
}

/// A bicubic sheet that waves.
fn flag() -> Living {
    let row = |i: usize| (0..4).map(|j| DVec3::new(i as f64 - 1.5, j as f64 - 1.5, 0.0)).collect();
    let net: Vec<Vec<DVec3>> = (0..4).map(row).collect();
    let way = |p: DVec3, t: f64| {
        p + DVec3::new(
            0.1 * (p.y + t).sin(),
            0.0,
            0.8 * (1.7 * p.x + 2.0 * t).sin() + 0.4 * (p.y - 3.0 * t).cos(),
        )
    };
    Living { patches: vec![NurbsSurface::new([3, 3], [ends(3), ends(3)], &net, None).unwrap()], way }
}

/// The same sheet with two knots, along which it may fold.
fn folding() -> Living {
    let row =
        |i: usize| (0..6).map(|j| DVec3::new(0.6 * i as f64 - 1.5, 0.6 * j as f64 - 1.5, 0.0)).collect();
    let net: Vec<Vec<DVec3>> = (0..6).map(row).collect();
    let knots = || vec![0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0];
    let way = |p: DVec3, t: f64| {
        p + DVec3::new(
            0.0,
            0.2 * (2.0 * p.x - t).sin(),
            0.6 * (2.0 * p.x + 2.0 * t).sin() * (1.3 * p.y - t).cos(),
        )
    };
    Living { patches: vec![NurbsSurface::new([2, 2], [knots(), knots()], &net, None).unwrap()], way }
}

/// Six faces of a cube, each a grid of control points.
fn cube(degree: usize) -> Vec<NurbsSurface> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let face = |k: usize| {
        let (normal, u, v) = (axes[k % 3], axes[(k + 1) % 3], axes[(k + 2) % 3]);
        let (normal, u, v) = if k < 3 { (normal, u, v) } else { (-normal, v, u) };
        let at = |i: usize| 2.0 * i as f64 / degree as f64 - 1.0;
        let row = |i: usize| (0..=degree).map(|j| normal + u * at(i) + v * at(j)).collect();
        let net: Vec<Vec<DVec3>> = (0..=degree).map(row).collect();
        NurbsSurface::new([degree, degree], [ends(degree), ends(degree)], &net, None).unwrap()
    };
    (0..6).map(face).collect()
}

/// A box that is stretched and sheared: convex at all times.
fn block() -> Living {
    Living { patches: cube(1), way: stretched }
}

fn stretched(p: DVec3, t: f64) -> DVec3 {
    let shear = DMat3::from_cols(
        DVec3::new(1.0 + 0.3 * t.sin(), 0.2 * (1.3 * t).sin(), 0.1 * (0.7 * t).cos()),
        DVec3::new(0.3 * (0.9 * t).sin(), 1.0 + 0.2 * (1.1 * t).cos(), 0.0),
        DVec3::new(0.0, 0.2 * (1.7 * t).sin(), 0.8 + 0.3 * (0.6 * t).cos()),
    );
    shear * p
}

/// A ball of rational patches that becomes ellipsoids: convex at all times.
fn drop() -> Living {
    let ball = Surface::from(Sphere::new(Pose::IDENTITY, 1.2).unwrap());
    let octant = |k: usize| {
        let (low, bottom) = (FRAC_PI_2 * (k % 4) as f64, if k < 4 { -FRAC_PI_2 } else { 0.0 });
        let rect = Rect::new(Range::new(low, low + FRAC_PI_2), Range::new(bottom, bottom + FRAC_PI_2));
        ball.to_nurbs(rect).unwrap()
    };
    Living { patches: (0..8).map(octant).collect(), way: stretched }
}

/// A solid with dents that come and go: not convex.
fn jelly() -> Living {
    let way = |p: DVec3, t: f64| {
        let wave = |x: f64, y: f64| 0.7 * (2.0 * x + 2.0 * t).sin() * (1.5 * y - t).cos();
        p * (1.0 + 0.25 * (wave(p.x, p.y) + wave(p.y, p.z) + wave(p.z, p.x)))
    };
    Living { patches: cube(3), way }
}

/// A tracked answer against one from scratch; its lower bound against both.
fn check(name: &str, lower: f64, answer: &Proximity, bodies: [&Body; 2], pose: &Pose) {
    let (truth, _) = nearest_points(bodies[0], bodies[1], pose, &Precision::default()).unwrap();
    let (expected, size) = (truth.proximity.distance, 10.0);
    assert!(lower <= expected + 1e-12 * size, "{name}: {lower} above {expected}");
    let apart = answer.witnesses[1].point.distance(answer.witnesses[0].point);
    if answer.state == State::Separated {
        assert!((answer.distance - expected).abs() <= 2e-9 * size, "{name}: {answer:?} against {expected}");
        assert!((apart - answer.distance).abs() <= 1e-12 * size, "{name}: {answer:?}");
        assert!(matches!(answer.ended, Ended::Certified(_)), "{name}: {answer:?}");
        assert!(answer.distance - lower <= 2e-9 * size, "{name}: {answer:?} {lower}");
    } else {
        assert!(distance(bodies[0], bodies[1], pose).unwrap().state == answer.state, "{name}: {answer:?}");
    }
}

/// Tracks smooth motions and changes of shape of three speeds: how many frames were apart, how often the features changed,
/// and pairs of parts that were looked at in the slowest motion, tracked and from scratch.
fn sweep(name: &str, a: &dyn Fn(f64) -> Body, b: &dyn Fn(f64) -> Body, [near, far]: [f64; 2]) -> [u64; 4] {
    let mut count = [0; 4];
    for (seed, degrees) in [(1, 0.1), (2, 1.0), (3, 5.0)] {
        let mut tracker = CurvedTracker::new(&a(0.0), &b(0.0)).unwrap();
        let mut last = None;
        for (frame, pose) in Wander::new(seed, degrees, near, far).take(150).enumerate() {
            let time = 0.02 * degrees * frame as f64;
            let (a, b) = (a(time), b(time));
            assert!(tracker.reshape(&a, &b).unwrap(), "{name}: {frame}");
            let answer = tracker.update(&pose).unwrap();
            check(&format!("{name} {degrees} {frame}"), tracker.lower(), &answer, [&a, &b], &pose);
            count[0] += u64::from(answer.state == State::Separated);
            let features = answer.witnesses.map(|witness| (witness.leaf, witness.feature));
            count[1] += u64::from(last.is_some_and(|last| last != features));
            last = Some(features);
            let (truth, _) = nearest_points(&a, &b, &pose, &Precision::default()).unwrap();
            if answer.state == State::Separated && frame > 0 && degrees < 1.0 {
                count[2] += u64::from(answer.work.iterations);
                count[3] += truth.work.pairs;
            }
        }
    }
    count
}

#[test]
fn tracked_flags_are_those_of_the_search() {
    let (flag, bent) = (flag(), folding());
    let still = sheet(0.3);
    let found = sweep("flag and sheet", &|t| flag.at(t).into(), &|_| still.clone(), [3.0, 5.0]);
    assert!(found[2] < found[3] && found[0] > 350 && found[1] > 5, "{found:?}");
    let found = sweep("flags", &|t| bent.at(t).into(), &|t| flag.at(t + 1.0).into(), [3.0, 5.0]);
    assert!(found[2] < found[3] && found[0] > 350 && found[1] > 5, "{found:?}");
}

#[test]
fn tracked_convex_bodies_that_are_stretched_are_those_of_the_search() {
    let (block, drop, ring) = (block(), drop(), torus());
    let ball = Body::from(TiledBody::ellipsoid([0.9, 0.6, 0.4]).unwrap());
    let found = sweep("block and egg", &|t| block.at(t).into(), &|_| ball.clone(), [3.0, 5.0]);
    assert!(found[2] < found[3] && found[0] > 350 && found[1] > 3, "{found:?}");
    let found = sweep("blocks", &|t| block.at(t).into(), &|t| block.at(2.0 - t).into(), [3.5, 5.0]);
    assert!(found[0] > 350 && found[1] > 10, "{found:?}");
    let found = sweep("ring and drop", &|_| ring.clone(), &|t| drop.at(t).into(), [4.0, 6.0]);
    assert!(found[2] < found[3] && found[0] > 350, "{found:?}");
}

#[test]
fn tracked_solids_with_dents_are_those_of_the_search() {
    let (jelly, bowl) = (jelly(), bowl());
    let found = sweep("jelly and bowl", &|t| jelly.at(t).into(), &|_| bowl.clone(), [6.5, 9.0]);
    assert!(found[2] < found[3] && found[0] > 350 && found[1] > 10, "{found:?}");
    let found = sweep("jellies", &|t| jelly.at(t).into(), &|t| jelly.at(1.0 + t).into(), [3.5, 5.0]);
    assert!(found[2] < found[3] && found[0] > 350 && found[1] > 10, "{found:?}");
}

/// The boundary alone of a body that changes its shape is followed as well, and what is inside it is not inside anything.
#[test]
fn boundaries_change_their_shape_too() {
    let jelly = jelly();
    let ball = Body::from(TiledBody::sphere(0.2).unwrap());
    let (mut shell, mut solid) = (Tracker::new(), Tracker::new());
    for frame in 0..40 {
        let time = 0.03 * f64::from(frame);
        let body = Body::from(jelly.at(time));
        let at = DVec3::new(0.1, 0.05 * f64::from(frame), 0.2);
        let pose = Pose::from_translation(at).unwrap();
        let found = shell.find(&body.boundary(), &ball.boundary(), &pose, &Precision::default()).unwrap();
        let expected = distance(&body.boundary(), &ball.boundary(), &pose).unwrap();
        assert_eq!(found.proximity.state, expected.state, "{frame}");
        assert!(
            (found.proximity.distance - expected.distance).abs() < 1e-8,
            "{frame}: {found:?} {expected:?}"
        );
        let state = solid.update(&body, &ball, &pose).unwrap().state;
        assert_eq!(state, distance(&body, &ball, &pose).unwrap().state, "{frame}");
    }
}

/// Nothing moves and no shape changes: nothing is looked at but the nearest points.
#[test]
fn frames_without_motion_cost_next_to_nothing() {
    let (jelly, flag) = (jelly(), flag());
    let (a, b) = (Body::from(jelly.at(0.4)), Body::from(flag.at(0.7)));
    let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.7, DVec3::new(2.5, 2.0, 2.0))
        .unwrap();
    let mut tracker = CurvedTracker::new(&a, &b).unwrap();
    let first = tracker.update(&pose).unwrap();
    let mut looks = 0;
    for frame in 0..20 {
        // The same shapes, made anew.
        assert!(tracker.reshape(&Body::from(jelly.at(0.4)), &Body::from(flag.at(0.7))).unwrap());
        let answer = tracker.update(&pose).unwrap();
        check("rest", tracker.lower(), &answer, [&a, &b], &pose);
        assert!((answer.distance - first.distance).abs() < 1e-12, "{frame}: {answer:?} {first:?}");
        // The first frames make a front with the nearest points at hand, or a sphere.
        looks += if frame > 8 { answer.work.iterations } else { 0 };
    }
    assert!(looks <= 12, "{looks}");
}

/// Jumps of pose and of shape, and hints that are wrong in every way: answers are right.
#[test]
fn jumps_and_poisoned_hints_change_nothing_but_the_cost() {
    let (jelly, flag) = (jelly(), flag());
    let mut random = Random::new(11);
    let mut tracker = CurvedTracker::new(&Body::from(jelly.at(0.0)), &Body::from(flag.at(0.0))).unwrap();
    let mut apart = 0;
    for frame in 0..60 {
        let times = [random.uniform(0.0, 9.0), random.uniform(0.0, 9.0)];
        let (a, b) = (Body::from(jelly.at(times[0])), Body::from(flag.at(times[1])));
        let place = random.direction() * random.uniform(3.5, 6.0);
        let pose = Pose::new(random.quaternion(), place).unwrap();
        if frame % 2 == 0 {
            let wild = |random: &mut Random| DVec2::new(random.uniform(-1e3, 1e3), random.uniform(-1.0, 2.0));
            let features = [Feature::Face(FaceId(random.index(9) as u32)), Feature::Face(FaceId(0))];
            tracker.hint(features, [wild(&mut random), DVec2::new(f64::NAN, f64::INFINITY)]);
        }
        assert!(tracker.reshape(&a, &b).unwrap());
        if frame % 3 == 0 {
            tracker.hint([Feature::Face(FaceId(2)); 2], [DVec2::splat(0.3); 2]);
        }
        let answer = tracker.update(&pose).unwrap();
        check("poisoned", tracker.lower(), &answer, [&a, &b], &pose);
        apart += usize::from(answer.state == State::Separated);
    }
    assert!(apart > 40, "{apart}");
}

/// A budget that ends says so, with bounds that hold while shapes change.
#[test]
fn budgets_end_in_honest_limits() {
    let (jelly, flag) = (jelly(), flag());
    let mut tracker = CurvedTracker::new(&Body::from(jelly.at(0.0)), &Body::from(flag.at(0.0))).unwrap();
    let mut limits = 0;
    for (frame, pose) in Wander::new(4, 5.0, 3.5, 6.0).take(80).enumerate() {
        let time = 0.05 * frame as f64;
        let (a, b) = (Body::from(jelly.at(time)), Body::from(flag.at(time)));
        assert!(tracker.reshape(&a, &b).unwrap());
        let max_pairs = [Some(3), Some(20), None][frame / 4 % 3];
        let found = tracker.find(&pose, &Precision { max_pairs, ..Precision::default() }).unwrap();
        let (truth, _) = nearest_points(&a, &b, &pose, &Precision::default()).unwrap();
        let expected = truth.proximity.distance;
        assert!(found.lower.unwrap_or(0.0) <= expected + 1e-12, "{frame}: {found:?} {expected}");
        assert!(found.proximity.state != State::Separated || found.proximity.distance >= expected - 1e-8);
        limits += usize::from(found.proximity.ended == Ended::Limit);
    }
    assert!(limits > 3, "every budget was enough");
}

/// Patches that come apart are other pieces: the tracker says so, and `Tracker` begins anew with them.
#[test]
fn patches_that_come_apart_are_begun_anew() {
    let quad = |x: f64| {
        let net = [0.0, 1.0].map(|i| [0.0, 1.0].map(|j| DVec3::new(x + i, j, 0.0)).to_vec());
        NurbsSurface::new([1, 1], [ends(1), ends(1)], &net, None).unwrap()
    };
    let away = |v: DVec3| vec![vec![v; 2]; 2];
    let faces = [(0.0, DVec3::ZERO), (1.0, DVec3::X)]
        .map(|(x, v)| DeformingFace::moving(DeformingPatch::new(quad(x), &away(v)).unwrap(), false));
    let body = DeformingBody::new(faces.to_vec(), None).unwrap();
    let ball = Body::from(TiledBody::sphere(0.1).unwrap());
    let over = Pose::from_translation(DVec3::new(1.1, 0.5, 0.3)).unwrap();
    let mut tracker = CurvedTracker::new(&Body::from(body.clone()), &ball).unwrap();
    assert!(!tracker.reshape(&Body::from(body.advance(0.5).unwrap()), &ball).unwrap());
    let mut pair = Tracker::new();
    for step in 0..20 {
        let time = 0.02 * f64::from(step);
        let answer = pair.update(&Body::from(body.advance(time).unwrap()), &ball, &over).unwrap();
        // The edges that part are at x = 1 and 1 + time.
        let beside = 0.1_f64.min((time - 0.1).max(0.0));
        assert!((answer.distance - (beside.hypot(0.3) - 0.1)).abs() < 1e-9, "{time}: {answer:?}");
    }
}

/// A ball over a sheet that rises evenly, in closed form, with whole turns of the sheet between.
#[test]
fn distances_to_a_rising_sheet_are_those_of_the_formula() {
    let flat = |p: DVec3, t: f64| p + DVec3::Z * t;
    let rising = Living { way: flat, ..flag() };
    let ball = Body::from(TiledBody::sphere(0.5).unwrap());
    let mut tracker = CurvedTracker::new(&rising.at(0.0).into(), &ball).unwrap();
    for step in 0..100 {
        let time = 0.03 * f64::from(step);
        let angle = TAU * f64::from(step) / 40.0;
        let pose = Pose::from_translation(DVec3::new(angle.cos(), angle.sin(), 4.0)).unwrap();
        assert!(tracker.reshape(&rising.at(time).into(), &ball).unwrap());
        let answer = tracker.update(&pose).unwrap();
        assert!((answer.distance - (3.5 - time)).abs() < 1e-9, "{answer:?}");
        assert!(answer.distance - tracker.lower() < 1e-8 && tracker.lower() <= 3.5 - time + 1e-12);
    }
}

/// Bodies by their own velocities, from one time to another and back, moved in place; against the body tiled at that time.
fn timed(name: &str, a: &Body, b: &Body, [near, far]: [f64; 2], span: f64) -> [usize; 2] {
    let later = |body: &Body, time: f64| match body.whole() {
        Body::Deforming(deforming) => Body::from(deforming.advance(time).unwrap()),
        _ => body.clone(),
    };
    let mut count = [0; 2];
    for (seed, degrees) in [(5, 0.1), (6, 1.0), (7, 5.0)] {
        let mut tracker = CurvedTracker::new(a, b).unwrap();
        let mut last = None;
        for (frame, pose) in Wander::new(seed, degrees, near, far).take(100).enumerate() {
            let time = span * (0.02 * degrees * frame as f64).sin();
            tracker.set_time(time).unwrap();
            let answer = tracker.update(&pose).unwrap();
            let (a, b) = (later(a, time), later(b, time));
            check(&format!("{name} {degrees} {frame}"), tracker.lower(), &answer, [&a, &b], &pose);
            count[0] += usize::from(answer.state == State::Separated);
            let features = answer.witnesses.map(|witness| (witness.leaf, witness.feature));
            count[1] += usize::from(last.is_some_and(|last| last != features));
            last = Some(features);
        }
    }
    count
}

#[test]
fn shapes_set_to_a_time_are_those_of_the_search() {
    let ball = Body::from(TiledBody::ellipsoid([0.9, 0.6, 0.4]).unwrap());
    let [flag, jelly, block, drop, bent] =
        [flag(), jelly(), block(), drop(), folding()].map(|living| Body::from(living.at(0.3)));
    let pairs = [
        ("flag and bent", &flag, &bent, [2.5, 4.5], 0.5),
        ("jelly and egg", &jelly, &ball, [2.0, 4.0], 0.4),
        ("jelly and flag", &jelly, &flag, [3.0, 5.0], 0.4),
        ("block and drop", &block, &drop, [2.5, 5.0], 0.7),
        ("drop and ring", &drop, &torus(), [3.0, 5.0], 0.7),
    ];
    let mut total = [0; 2];
    for (name, a, b, within, span) in pairs {
        let [apart, switches] = timed(name, a, b, within, span);
        assert!(apart > 100 && apart <= 300, "{name}: {apart}");
        total = [total[0] + apart, total[1] + switches];
    }
    assert!(total[0] < 1500 && total[1] > 40, "{total:?}");
}

/// Whatever comes of an update, it is not the time that was set before.
#[test]
fn times_out_of_range_are_refused_and_change_nothing() {
    let (flag, ball) = (Body::from(flag().at(0.0)), Body::from(TiledBody::sphere(0.5).unwrap()));
    let over = Pose::from_translation(DVec3::Z * 4.0).unwrap();
    let mut tracker = CurvedTracker::new(&flag, &ball).unwrap();
    tracker.set_time(0.25).unwrap();
    let before = tracker.update(&over).unwrap();
    for time in [f64::NAN, f64::INFINITY, 1e308, -1e308] {
        let error = tracker.set_time(time).unwrap_err().to_string();
        assert!(error.contains("time"), "{error}");
    }
    assert!((tracker.update(&over).unwrap().distance - before.distance).abs() < 1e-12);
    // Bodies that keep their shape have no time.
    let mut still = CurvedTracker::new(&ball, &torus()).unwrap();
    still.set_time(3.0).unwrap();
}

/// `Tracker` takes a time as well; patches that come apart are then tiled anew, and half-spaces are asked from scratch.
#[test]
fn trackers_of_any_pair_take_a_time() {
    let quad = |x: f64| {
        let net = [0.0, 1.0].map(|i| [0.0, 1.0].map(|j| DVec3::new(x + i, j, 0.0)).to_vec());
        NurbsSurface::new([1, 1], [ends(1), ends(1)], &net, None).unwrap()
    };
    let faces = [(0.0, DVec3::ZERO), (1.0, DVec3::X)].map(|(x, v)| {
        DeformingFace::moving(DeformingPatch::new(quad(x), &vec![vec![v; 2]; 2]).unwrap(), false)
    });
    let body = Body::from(DeformingBody::new(faces.to_vec(), None).unwrap());
    let ball = Body::from(TiledBody::sphere(0.1).unwrap());
    let over = Pose::from_translation(DVec3::new(1.1, 0.5, 0.3)).unwrap();
    let mut tracker = Tracker::new();
    for step in (0..20).chain((5..15).rev()) {
        let time = 0.02 * f64::from(step);
        let found = tracker.find_at(&body, &ball, &over, &Precision::default(), time).unwrap();
        let beside = 0.1_f64.min((time - 0.1).max(0.0));
        assert!((found.proximity.distance - (beside.hypot(0.3) - 0.1)).abs() < 1e-9, "{time}: {found:?}");
    }
    let wall = Body::from(HalfSpace::new(-DVec3::X, -4.0).unwrap());
    for time in [0.0, 0.5, 1.5] {
        let found = tracker.find_at(&body, &wall, &Pose::IDENTITY, &Precision::default(), time).unwrap();
        assert!((found.proximity.distance - (2.0 - time)).abs() < 1e-9, "{time}: {found:?}");
    }
    assert!(tracker.find_at(&body, &wall, &over, &Precision::default(), f64::NAN).is_err());
}

/// Nothing moves but the shapes: what was proven of pairs is charged for that alone.
#[test]
fn standing_bodies_change_their_shape() {
    let pairs = [(flag(), folding(), 2.8), (jelly(), flag(), 3.3), (block(), jelly(), 3.6)];
    let mut random = Random::new(3);
    let (mut apart, mut switches) = (0, 0);
    for (number, (a, b, far)) in pairs.iter().enumerate() {
        for speed in [0.004, 0.03, 0.1] {
            let pose = Pose::new(random.quaternion(), random.direction() * *far).unwrap();
            let mut tracker = CurvedTracker::new(&a.at(0.0).into(), &b.at(0.0).into()).unwrap();
            let mut last = None;
            for frame in 0..150 {
                let time = speed * f64::from(frame);
                let (a, b) = (Body::from(a.at(time)), Body::from(b.at(time)));
                assert!(tracker.reshape(&a, &b).unwrap());
                let answer = tracker.update(&pose).unwrap();
                check(&format!("{number} {speed} {frame}"), tracker.lower(), &answer, [&a, &b], &pose);
                apart += usize::from(answer.state == State::Separated);
                let features = answer.witnesses.map(|witness| witness.feature);
                switches += usize::from(last.is_some_and(|last| last != features));
                last = Some(features);
            }
        }
    }
    assert!(apart > 900 && switches > 20, "{apart} apart, {switches} switches");
}

/// A body that grows around another, all at once, and shrinks back: its boundary has passed it.
#[test]
fn what_grows_around_a_body_contains_it() {
    let grows = Living { way: |p, t| p * (1.0 + t), ..block() };
    let (a, ball) = (Body::from(grows.at(0.0)), Body::from(TiledBody::sphere(0.3).unwrap()));
    let beside = Pose::from_translation(DVec3::new(2.5, 0.4, 0.2)).unwrap();
    let mut tracker = CurvedTracker::new(&a, &ball).unwrap();
    for (time, state) in [
        (0.0, State::Separated),
        (0.2, State::Separated),
        (5.0, State::BInsideA),
        (5.1, State::BInsideA),
        (0.3, State::Separated),
        (1.3, State::Penetrating),
        (9.0, State::BInsideA),
        (0.0, State::Separated),
    ] {
        tracker.set_time(time).unwrap();
        let answer = tracker.update(&beside).unwrap();
        assert_eq!(answer.state, state, "{time}: {answer:?}");
        if state == State::Separated {
            assert!((answer.distance - (1.2 - time)).abs() < 1e-9, "{time}: {answer:?}");
        }
    }
}

/// A plate of size 4 that does not move, with a hole around a place of its parameters.
fn plate(hole: DVec2) -> Body {
    let net = [0.0, 4.0].map(|x| [0.0, 4.0].map(|y| DVec3::new(x, y, 0.0)).to_vec());
    let surface = NurbsSurface::new([1, 1], [ends(1), ends(1)], &net, None).unwrap();
    let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    let around = [DVec2::X, -DVec2::Y, -DVec2::X, DVec2::Y].map(|way| hole + 0.1875 * way);
    let patch = Patch::new(surface).trimmed(vec![corners.to_vec(), around.to_vec()]);
    DeformingBody::new(vec![DeformingFace::still(patch)], None).unwrap().into()
}

/// A hole that is elsewhere in the next shape leaves a face where there was none: what was known to be cut out does not stay so.
#[test]
fn holes_that_move_are_no_holes_where_they_were() {
    let ball = Body::from(TiledBody::sphere(0.1).unwrap());
    for far in [0.5, 0.5625, 0.75] {
        let plates = [DVec2::splat(0.25), DVec2::new(far, 0.25)].map(plate);
        let mut tracker = CurvedTracker::new(&plates[0], &ball).unwrap();
        for frame in 0..120 {
            let body = &plates[usize::from((40..80).contains(&frame))];
            if !tracker.reshape(body, &ball).unwrap() {
                tracker = CurvedTracker::new(body, &ball).unwrap();
            }
            let place = DVec3::new(1.0 + 0.004 * f64::from(frame % 40), 1.02, 0.3);
            let pose = Pose::from_translation(place).unwrap();
            let answer = tracker.update(&pose).unwrap();
            check(&format!("hole at {far}, frame {frame}"), tracker.lower(), &answer, [body, &ball], &pose);
        }
    }
}

/// Waving sheets rock to and fro: bumps come through the sphere between them and go back again, by motion and by shape, and
/// what is known of cells around them is that of the shape as it is.
#[test]
fn waving_sheets_rock_to_and_fro() {
    let mut random = Random::new(29);
    let mut apart = 0;
    for case in 0..8 {
        let sheets = [flag(), folding()];
        let starts = [0, 1].map(|_| random.uniform(0.0, 6.0));
        let speeds = [0, 1].map(|_| if random.chance(0.25) { 0.0 } else { random.uniform(0.0, 0.02) });
        let at = |frame: i32, i: usize| Body::from(sheets[i].at(starts[i] + speeds[i] * f64::from(frame)));
        let mut tracker = CurvedTracker::new(&at(0, 0), &at(0, 1)).unwrap();
        let (start, axis) = (random.quaternion(), random.direction());
        let place = random.direction() * random.uniform(2.5, 4.0);
        let widest = random.uniform(0.1, 0.6);
        for frame in 0..150 {
            // The shapes rest now and then, and the motion at other times.
            let (shape, motion) =
                (frame - (frame / 8) % 2 * (frame % 8), frame - (frame / 12) % 2 * (frame % 12));
            let bodies = [at(shape, 0), at(shape, 1)];
            assert!(tracker.reshape(&bodies[0], &bodies[1]).unwrap());
            let turn = DQuat::from_axis_angle(axis, widest * (0.13 * f64::from(motion)).sin()) * start;
            let pose = Pose::new(turn.normalize(), place).unwrap();
            let answer = tracker.update(&pose).unwrap();
            let name = format!("case {case}, frame {frame}");
            check(&name, tracker.lower(), &answer, [&bodies[0], &bodies[1]], &pose);
            apart += u32::from(answer.state == State::Separated);
        }
    }
    assert!(apart > 600, "{apart} apart");
}
