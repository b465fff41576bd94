//! Tracked convex bodies, whose contacts are found by their common normal, beside the search from scratch on their points.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::{Ellipsoid, Surface};
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DQuat, DVec3, Polytope, Pose};
use clearance_proximity::convex::{self, ConvexTracker};
use clearance_proximity::{Ended, State};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A body that turns about a wandering axis and goes round the origin as fast, as far away as asked.
fn wander(seed: u64, degrees: f64, range: [f64; 2], frames: usize) -> Vec<Pose> {
    let mut random = Random::new(seed);
    let angle = degrees.to_radians();
    let (mut rotation, mut place) = (random.quaternion(), random.direction());
    let (mut axis, mut heading) = (random.direction(), random.direction());
    (0..frames)
        .map(|frame| {
            axis = (axis + 0.1 * random.in_ball()).normalize();
            heading = (heading + 0.1 * random.in_ball()).normalize();
            rotation = (DQuat::from_axis_angle(axis, angle) * rotation).normalize();
            let about = place.cross(heading).try_normalize().unwrap_or(axis);
            place = (DQuat::from_axis_angle(about, angle) * place).normalize();
            let swing = 0.5 + 0.5 * (0.3 * angle * frame as f64).sin();
            Pose::new(rotation, place * (range[0] + (range[1] - range[0]) * swing)).unwrap()
        })
        .collect()
}

/// How many of the frames were apart.
fn compare(name: &str, a: &Body, b: &Body, poses: &[Pose]) -> usize {
    let mut tracker = ConvexTracker::new();
    let mut apart = 0;
    for pose in poses {
        let tracked = tracker.update(a, b, pose).unwrap();
        let asked = convex::distance(a, b, pose).unwrap();
        if asked.state != State::Separated {
            continue;
        }
        apart += 1;
        let off = (tracked.signed_distance - asked.signed_distance).abs();
        assert!(off < 2e-12, "{name}: {off:e} {tracked:?} {asked:?} {pose:?}");
        let Ended::Certified(proof) = tracked.ended else { panic!("{name}: {tracked:?}") };
        assert!(proof.lower <= asked.signed_distance + 1e-15 && tracked.distance - proof.lower < 1e-11);
        let [p, q] = tracked.witnesses.map(|witness| witness.point);
        let between = q - p - tracked.normal * tracked.signed_distance;
        assert!(between.length() < 1e-13, "{name}: {:e}", between.length());
        // Parallel edges have many nearest points; their normal is one.
        let turned = (tracked.normal - asked.normal).length() * asked.distance;
        assert!(turned < 1e-6, "{name}: {turned:e} {tracked:?} {asked:?}");
    }
    apart
}

/// An ellipsoid of rational splines, one for each octant.
fn spline_ellipsoid(radii: [f64; 3]) -> Body {
    let surface = Surface::from(Ellipsoid::new(Pose::IDENTITY, radii).unwrap());
    let mut patches = Vec::new();
    for quarter in 0..4 {
        for v in [[-FRAC_PI_2, 0.0], [0.0, FRAC_PI_2]] {
            let u = Range::new(0.25 * TAU * f64::from(quarter), 0.25 * TAU * f64::from(quarter + 1));
            patches.push(Patch::new(surface.to_nurbs(Rect::new(u, Range::new(v[0], v[1]))).unwrap()));
        }
    }
    Body::from(TiledBody::from_patches(&patches, None).unwrap())
}

#[test]
fn tracked_round_bodies_have_the_distances_of_a_search() {
    let round = |body: TiledBody| Body::from(body);
    let bodies = [
        ("cylinder", round(TiledBody::cylinder(0.7, 2.0).unwrap())),
        ("cone", round(TiledBody::cone(1.0, 2.0, None).unwrap())),
        ("frustum", round(TiledBody::cone(1.0, 1.5, Some(0.4)).unwrap())),
        ("capsule", round(TiledBody::capsule(0.5, 1.5).unwrap())),
        ("ellipsoid", round(TiledBody::ellipsoid([1.2, 0.8, 0.5]).unwrap())),
        ("needle", round(TiledBody::ellipsoid([1.5, 0.05, 0.1]).unwrap())),
        ("sphere", round(TiledBody::sphere(1.0).unwrap())),
        ("box", Body::from(Polytope::cuboid(DVec3::new(1.0, 0.7, 1.4)).unwrap())),
    ];
    let mut apart = 0;
    for (i, (one, a)) in bodies.iter().enumerate() {
        for (j, (other, b)) in bodies.iter().enumerate() {
            if i == 7 && j == 7 {
                continue;
            }
            for (k, degrees) in [0.1, 1.0, 8.0].into_iter().enumerate() {
                let seed = (100 * i + 10 * j + k) as u64;
                // From clearly apart to closer than the sizes of the bodies.
                let poses = wander(seed, degrees, [2.2, 4.0], 120);
                apart += compare(&format!("{one}-{other} {degrees}"), a, b, &poses);
            }
        }
    }
    assert!(apart > 15_000, "{apart}");
}

#[test]
fn tracked_spline_ellipsoids_are_ellipsoids() {
    let spline = spline_ellipsoid([1.2, 0.8, 0.5]);
    assert!(convex::is_convex(&spline));
    let exact = Body::from(TiledBody::ellipsoid([1.2, 0.8, 0.5]).unwrap());
    for degrees in [0.1, 1.0] {
        let poses = wander(7, degrees, [3.0, 5.0], 150);
        assert_eq!(compare("splines", &spline, &spline, &poses), 150);
        let mut tracker = ConvexTracker::new();
        for pose in &poses {
            let found = tracker.update(&spline, &spline, pose).unwrap().distance;
            let expected = convex::distance(&exact, &exact, pose).unwrap().distance;
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}

/// Heights from a known point, right or wrong, are never below a sample, and close to the farthest point where it is right.
#[test]
fn heights_from_known_points_are_heights() {
    let Body::Tiled(body) = spline_ellipsoid([1.2, 0.8, 0.5]) else { panic!() };
    let shape = body.convex_shape().unwrap();
    let radii = DVec3::new(1.2, 0.8, 0.5);
    let mut random = Random::new(63);
    for _ in 0..400 {
        let n = random.direction();
        let height = (radii * n).length();
        let far = shape.farthest(n);
        let above = shape.height_above_known(n, (far.feature, far.at, far.point));
        assert!(above >= height - 1e-15 && above - height < 1e-12, "{n} {:e}", above - height);
        let wrong = shape.farthest(random.direction());
        let above = shape.height_above_known(n, (wrong.feature, wrong.at, wrong.point));
        assert!(above >= height - 1e-15, "{n} {above} {height}");
    }
}
