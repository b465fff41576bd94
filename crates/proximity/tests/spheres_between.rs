//! Bodies that no plane keeps apart but often a sphere: their distance is that of a search that keeps its proof and knows of no
//! spheres.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec3, Pose};
use clearance_proximity::{Precision, nearest_points};
use clearance_testkit::Random;
use clearance_testkit::generate::nurbs_torus;

/// An open sheet over a square, bent like a ball of a radius, with small waves.
fn dish(size: f64, radius: f64, wave: f64, scale: f64) -> Body {
    let knots = || vec![0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0];
    let point = |i: usize, j: usize| {
        let (x, y) = (size * (0.5 * i as f64 - 1.0), size * (0.5 * j as f64 - 1.0));
        let waves = wave * f64::from((i * 7 + j * 5) as u32 % 3);
        DVec3::new(x, y, 0.5 * (x * x + y * y) / radius + waves) * scale
    };
    let net: Vec<Vec<DVec3>> = (0..5).map(|i| (0..5).map(|j| point(i, j)).collect()).collect();
    let sheet = NurbsSurface::new([3, 3], [knots(), knots()], &net, None).unwrap();
    TiledBody::from_patches(&[Patch::new(sheet)], None).unwrap().into()
}

/// Answers at one pose with and without a proof that is kept; how many pairs the first one took.
fn compared(a: &Body, b: &Body, pose: &Pose, size: f64, what: &str) -> Option<u32> {
    let (nearest, _) = nearest_points(a, b, pose, &Precision::default()).unwrap();
    let slow = Precision { max_error: Some(1e-4 * size), proof: Some(2.0), ..Precision::default() };
    let (kept, _) = nearest_points(a, b, pose, &slow).unwrap();
    let (upper, other) = (nearest.proximity.distance, kept.proximity.distance);
    assert!(nearest.lower <= other * (1.0 + 1e-12) + 1e-12 * size, "{what}: {} {other}", nearest.lower);
    assert!(kept.lower <= upper + 1e-12 * size, "{what}: {} {upper}", kept.lower);
    let is_proven = upper > 0.0 && nearest.lower >= upper - 1e-8 * size;
    assert!(is_proven || upper < 1e-6 * size, "{what}: {} {upper}", nearest.lower);
    is_proven.then_some(nearest.proximity.work.iterations)
}

#[test]
fn a_sphere_keeps_a_ring_and_a_dish_apart() {
    for scale in [1e-6, 1.0, 1e6] {
        let mut random = Random::new(313);
        let ring = Body::from(nurbs_torus(scale, 0.3 * scale));
        let dishes = [dish(1.5, 2.0, 0.0, scale), dish(1.0, -3.0, 0.1, scale), dish(2.0, 6.0, 0.05, scale)];
        let (mut at_once, mut all) = (0, 0);
        for (k, dish) in dishes.iter().enumerate() {
            for round in 0..16 {
                let away = random.direction() * random.uniform(1.0, 3.0) * scale;
                let pose = Pose::new(random.quaternion(), away).unwrap();
                let what = format!("{scale:e} {k} {round}");
                for (a, b, pose) in [(&ring, dish, pose), (dish, &ring, pose.inverse())] {
                    let pairs = compared(a, b, &pose, 4.0 * scale, &what);
                    all += usize::from(pairs.is_some());
                    at_once += usize::from(pairs == Some(0));
                }
            }
        }
        assert!(4 * at_once > all, "{scale:e}: {at_once} of {all}");
    }
}

/// One dish in another: both bend the same way, and the plane across the nearest points cuts the outer one all around.
#[test]
fn a_dish_in_a_dish_has_the_distance_that_is_proven_without_spheres() {
    let (outer, inner) = (dish(2.0, 2.5, 0.0, 1.0), dish(1.0, 1.0, 0.0, 1.0));
    for turn in 0..24 {
        let axis = DVec3::new(0.3, f64::from(turn), 1.0).normalize();
        let shift = DVec3::new(0.05, 0.02, 0.4 + 0.02 * f64::from(turn));
        let pose = Pose::from_axis_angle(axis, 0.01 * f64::from(turn), shift).unwrap();
        assert!(compared(&outer, &inner, &pose, 4.0, &turn.to_string()).is_some(), "{turn}");
    }
}
