//! Depths of bodies with more faces than the enumeration of the other tests takes: there a depth may be proved by a
//! single facet, an ellipsoid inside each body and a ring of four points. Every facet normal is tried here, in plain arithmetic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::{Body, DQuat, DVec3, Polytope, Pose};
use clearance_proximity::{Proximity, Scratch, Tracker};
use clearance_testkit::generate::{Solid, Wander};
use clearance_testkit::{Random, check_query, check_tolerance};

/// Height of A − B along a unit vector: no direction gives less than the depth.
fn height(a: &[DVec3], b: &[DVec3], normal: DVec3) -> f64 {
    let highest = a.iter().map(|v| normal.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
    let lowest = b.iter().map(|v| normal.dot(*v)).fold(f64::INFINITY, f64::min);
    highest - lowest
}

/// The least height over the normals of all faces and of all edge pairs.
fn depth_by_enumeration(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> f64 {
    let points = |body: &Polytope, pose: &Pose| -> Vec<DVec3> {
        body.vertices().iter().map(|v| pose.apply(*v + body.anchor())).collect()
    };
    let (points_a, points_b) = (points(a, &Pose::IDENTITY), points(b, pose_ab));
    let mut least = f64::INFINITY;
    let mut look = |normal: DVec3| least = least.min(height(&points_a, &points_b, normal));
    a.planes().iter().for_each(|plane| look(plane.normal));
    b.planes().iter().for_each(|plane| look(-pose_ab.rotate(plane.normal)));
    for edge_a in a.edges() {
        for edge_b in b.edges() {
            if let Some(normal) = edge_a.vector.cross(pose_ab.rotate(edge_b.vector)).try_normalize() {
                look(normal);
                look(-normal);
            }
        }
    }
    least
}

/// What was looked at.
#[derive(Debug, Default)]
struct Tally {
    overlapping: u32,
    /// Depths that took no shell: one support point of the guess, then facets alone.
    by_facet: u32,
}

fn check(a: &Polytope, b: &Polytope, pose: &Pose, p: &Proximity, tally: &mut Tally) {
    if !p.state.overlaps() {
        return;
    }
    tally.overlapping += 1;
    tally.by_facet += u32::from(p.work.supports <= 1);
    let exact = depth_by_enumeration(a, b, pose);
    let tolerance = 2.0 * check_tolerance(&a.clone().into(), &b.clone().into(), pose, 0.0);
    let off = -p.signed_distance - exact;
    assert!(off.abs() <= tolerance, "{:.2} tolerances, {exact:e}, {p:?} at {pose:?}", off / tolerance);
}

/// Hulls of 20 to 60 points on ellipsoids, of proportions to one in twenty.
fn ellipsoidal(random: &mut Random) -> Polytope {
    let count = 20 + random.index(41);
    let sizes = DVec3::new(1.0, random.uniform(0.05, 1.0), random.uniform(0.05, 1.0));
    Solid::on_sphere(count, random).stretched(sizes).polytope().unwrap()
}

#[test]
fn one_shot_depths_of_larger_bodies_equal_enumeration() {
    let mut random = Random::new(31);
    let mut scratch = Scratch::new();
    let mut tally = Tally::default();
    for case in 0..250 {
        let (a, b) = (ellipsoidal(&mut random), ellipsoidal(&mut random));
        let pose = Pose::new(random.quaternion(), random.direction() * random.uniform(0.0, 1.5)).unwrap();
        let mut ask = |a: &Body, b: &Body, pose: &Pose| scratch.distance(a, b, pose).unwrap();
        let mut look = |pose: &Pose| {
            let (p, _) = check_query(&a.clone().into(), &b.clone().into(), pose, &mut ask)
                .unwrap_or_else(|fault| panic!("case {case}: {fault}"));
            check(&a, &b, pose, &p, &mut tally);
            p
        };
        // As it comes, then moved along the normal until the overlap is shallow.
        let p = look(&pose);
        let shift = p.normal * (-p.signed_distance - random.uniform(0.001, 0.05));
        look(&pose.with_translation(pose.translation() + shift));
    }
    assert!(tally.overlapping > 400 && tally.by_facet > 100, "{tally:?}");
}

#[test]
fn tracked_depths_of_larger_bodies_equal_enumeration() {
    let mut random = Random::new(32);
    let mut tally = Tally::default();
    for course in 0..10 {
        let (a, b) = (ellipsoidal(&mut random), ellipsoidal(&mut random));
        let (body_a, body_b) = (Body::from(a.clone()), Body::from(b.clone()));
        let mut tracker = Tracker::new();
        for pose in Wander::new(course, 1.0, 0.1, 1.2).take(30) {
            let p = tracker.update(&body_a, &body_b, &pose).unwrap();
            check(&a, &b, &pose, &p, &mut tally);
        }
    }
    assert!(tally.overlapping > 100 && tally.by_facet > 50, "{tally:?}");
}

/// Drums of 24 to 60 sides, whose facets are narrow and long.
fn drum(random: &mut Random) -> Polytope {
    let (sides, height) = (24 + random.index(37), random.uniform(0.1, 2.0));
    let points: Vec<DVec3> = (0..sides)
        .flat_map(|i| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / sides as f64).sin_cos();
            [DVec3::new(cos, sin, -height), DVec3::new(cos, sin, height)]
        })
        .collect();
    Polytope::from_points(&points).unwrap()
}

/// Shallow overlap, turned a little from step to step and now and then all the way, so that the facet where the
/// search begins is often a wrong one: a proof must never hold for that.
#[test]
fn tracked_depths_of_drums_equal_enumeration() {
    let mut random = Random::new(33);
    let (mut tally, mut by_ring) = (Tally::default(), 0);
    for course in 0..20 {
        let (a, b) = match course % 3 {
            0 => (drum(&mut random), drum(&mut random)),
            1 => (drum(&mut random), ellipsoidal(&mut random)),
            _ => (ellipsoidal(&mut random), drum(&mut random)),
        };
        let (body_a, body_b) = (Body::from(a.clone()), Body::from(b.clone()));
        let mut tracker = Tracker::new();
        let mut pose = Pose::new(random.quaternion(), random.direction()).unwrap();
        for step in 0..30 {
            let angle = if step % 8 == 7 { 1.5 } else { 0.02 };
            let turn = DQuat::from_axis_angle(random.direction(), angle) * pose.quaternion();
            pose = Pose::new(turn, pose.translation()).unwrap();
            let p = tracker.update(&body_a, &body_b, &pose).unwrap();
            check(&a, &b, &pose, &p, &mut tally);
            by_ring += u32::from(p.state.overlaps() && p.work.supports == 4);
            // On to another shallow overlap.
            let shift = p.normal * (-p.signed_distance - random.uniform(0.001, 0.05));
            pose = pose.with_translation(pose.translation() + shift);
        }
    }
    assert!(tally.overlapping > 400 && tally.by_facet > 100 && by_ring > 50, "{tally:?}, {by_ring}");
}
