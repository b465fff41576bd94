//! Hulls of points.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]
mod common;

use clearance_geometry::{DVec3, Polytope};
use common::{Random, check_polytope, check_support, cube_grid, cylinder, icosphere, random_sphere};

#[test]
fn cube_grid_becomes_a_cube() {
    let mut random = Random(1);
    for n in [2, 3, 5, 9] {
        for scale in [1e-6, 1.0, 1e6] {
            let rotation = random.rotation();
            for turned in [false, true] {
                let points: Vec<DVec3> =
                    cube_grid(n).iter().map(|&p| if turned { rotation * p } else { p } * scale).collect();
                let cube = Polytope::from_points(&points).unwrap();
                assert_eq!((cube.vertex_count(), cube.edge_count(), cube.face_count()), (8, 12, 6));
                check_polytope(&cube, 128.0);
                check_support(&cube, &mut random, 100);
            }
        }
    }
}

#[test]
fn cylinder_caps_are_one_face() {
    let mut random = Random(2);
    for sides in [3, 4, 5, 17, 100, 1000] {
        for scale in [1e-6, 1.0, 1e6] {
            for height in [1e-3, 1.0, 100.0] {
                let rotation = random.rotation();
                let shift = random.in_cube();
                let points: Vec<DVec3> =
                    cylinder(sides, 1.0, height).iter().map(|&p| (rotation * p + shift) * scale).collect();
                let body = Polytope::from_points(&points).unwrap();
                assert_eq!(
                    (body.vertex_count(), body.edge_count(), body.face_count()),
                    (2 * sides, 3 * sides, sides + 2),
                    "{sides} sides, scale {scale}, height {height}"
                );
                check_polytope(&body, 128.0);
                check_support(&body, &mut random, 20);
            }
        }
    }
}

#[test]
fn sphere_keeps_every_point() {
    let mut random = Random(3);
    for n in [4, 5, 20, 1000, 20_000] {
        let body = Polytope::from_points(&random_sphere(&mut random, n)).unwrap();
        assert_eq!(body.vertex_count(), n);
        check_polytope(&body, 16.0);
        check_support(&body, &mut random, 100);
    }
    for level in 0..4 {
        let points = icosphere(level);
        let body = Polytope::from_points(&points).unwrap();
        assert_eq!(body.vertex_count(), points.len());
        assert_eq!(body.face_count(), 20 << (2 * level));
        check_polytope(&body, 16.0);
    }
}

#[test]
fn big_sphere_is_built_in_seconds() {
    let points = random_sphere(&mut Random(4), if cfg!(debug_assertions) { 20_000 } else { 100_000 });
    let start = std::time::Instant::now();
    let body = Polytope::from_points(&points).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(body.vertex_count(), points.len());
    // Many times what it takes on a quiet machine, so that a busy one passes and O(n²) does not.
    assert!(seconds < 20.0, "{seconds} s");
    eprintln!("{} points: {seconds:.2} s", points.len());
}
