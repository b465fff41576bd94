//! How far a ray runs inside a body, against the planes themselves.
#![allow(clippy::unwrap_used, clippy::panic)]
mod common;

use clearance_geometry::{DVec3, FaceId, Polytope};
use common::{Random, cylinder, random_sphere};

/// The end of the way must not be beyond any plane; the share of rays with a way is returned.
fn check(p: &Polytope, random: &mut Random, rays: usize) -> f64 {
    let mut found = 0;
    for _ in 0..rays {
        let face = FaceId(random.below(p.face_count()) as u32);
        let corners: Vec<DVec3> = p.sides(face).iter().map(|side| p.vertex(side.vertex)).collect();
        let from = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let direction = (random.direction() * 0.5 - p.plane(face).normal).normalize();
        let reach = p.reach_inside(from, direction);
        assert!(reach >= 0.0);
        found += u32::from(reach > 0.0);
        let end = from + direction * reach;
        for face in 0..p.face_count() as u32 {
            let beyond = p.plane(FaceId(face)).distance(end);
            assert!(beyond <= 1e-12 * p.radius(), "{beyond} beyond face {face} after {reach}");
        }
    }
    f64::from(found) / rays as f64
}

#[test]
fn reach_ends_inside() {
    let mut random = Random(5);
    for scale in [1e-6, 1.0, 1e6] {
        for (aspect, least) in [(1.0, 0.6), (10.0, 0.6), (100.0, 0.4), (1e3, 0.0), (1e5, 0.0)] {
            for count in [8, 100, 400] {
                let turn = random.rotation();
                let slender = DVec3::new(scale, scale / aspect, scale / aspect);
                let far = random.direction() * 1e3 * scale;
                let points: Vec<DVec3> = random_sphere(&mut random, count);
                let points: Vec<DVec3> = points.iter().map(|&p| turn * (p * slender) + far).collect();
                let Ok(p) = Polytope::from_points(&points) else { continue };
                let share = check(&p, &mut random, 200);
                assert!(count < 100 || share >= least, "{share} of the rays at {aspect}");
            }
        }
    }
    let p = Polytope::from_points(&cylinder(100, 1.0, 3.0)).unwrap();
    assert!(check(&p, &mut random, 300) > 0.5);
}

#[test]
fn reach_is_exact_for_few_faces() {
    let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
    let along = DVec3::new(0.6, 0.0, -0.8);
    assert!((cube.reach_inside(DVec3::new(-1.0, 0.0, 1.0), along) - 2.5).abs() < 1e-12);
    let segment = Polytope::segment([DVec3::ZERO, DVec3::X]).unwrap();
    assert_eq!(segment.reach_inside(DVec3::ZERO, DVec3::X), 0.0);
}
