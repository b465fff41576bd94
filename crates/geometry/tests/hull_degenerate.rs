//! Hulls of input that is thin, noisy, tiny, far away or wrong.
#![allow(clippy::unwrap_used, clippy::panic)]
mod common;

use clearance_geometry::{DVec3, Note, Polytope, PolytopeError, ShapeError, VertexId};
use common::{
    Random, check_encloses, check_polytope, check_support, cube_grid, cylinder, icosphere, random_sphere,
};

/// What a body of points must be, whatever its faces.
fn check(points: &[DVec3], random: &mut Random) -> Polytope {
    let body = Polytope::from_points(points).unwrap();
    check_polytope(&body, 400.0);
    check_encloses(&body, points, 400.0);
    check_support(&body, random, 40);
    body
}

fn boxes(half: DVec3) -> Vec<DVec3> {
    cube_grid(2).iter().map(|&p| p * half).collect()
}

#[test]
fn plates_and_needles_keep_their_faces() {
    let mut random = Random(41);
    for thin in [1e-3, 1e-6, 1e-9, 1e-12] {
        for half in
            [DVec3::new(1.0, 1.0, thin), DVec3::new(1.0, thin, thin), DVec3::new(1.0, 0.3, 0.5 * thin)]
        {
            for scale in [1e-6, 1.0, 1e6] {
                for _ in 0..3 {
                    let rotation = random.rotation();
                    let straight: Vec<DVec3> = boxes(half).iter().map(|&p| p * scale).collect();
                    let turned: Vec<DVec3> = straight.iter().map(|&p| rotation * p).collect();
                    for points in [straight, turned] {
                        let body = check(&points, &mut random);
                        assert_eq!((body.vertex_count(), body.face_count()), (8, 6), "{half} {scale}");
                        // Rounding of the corners is a share of the thickness.
                        let exact = 8.0 * half.x * half.y * half.z * scale.powi(3);
                        let error = (body.mass().volume / exact - 1.0).abs();
                        assert!(error < 64.0 * f64::EPSILON / thin, "{half}: volume off by {error:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn thin_clouds_are_enclosed() {
    let mut random = Random(42);
    for round in 0..200 {
        let thin = 10.0_f64.powf(random.range(-13.0, 0.0));
        let thinner = thin * 10.0_f64.powf(random.range(-13.0 - thin.log10(), 0.0));
        let n = 4 + random.below(60);
        let rotation = random.rotation();
        let points: Vec<DVec3> =
            (0..n).map(|_| rotation * (random.in_cube() * DVec3::new(1.0, thin, thinner))).collect();
        match Polytope::from_points(&points) {
            Ok(_) => drop(check(&points, &mut random)),
            Err(PolytopeError::Flat { .. }) => {
                assert!(thinner < 1e-11 || n < 8, "round {round}: {thinner:e}")
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn noisy_flats_give_valid_bodies() {
    // Noise below, at and above the slack, on shapes with large flats and straight edges.
    let mut random = Random(43);
    for exponent in -18..-7 {
        for round in 0..12 {
            let noise = 10.0_f64.powi(exponent) * random.range(0.3, 3.0);
            let rotation = random.rotation();
            let shape = match round % 4 {
                0 => cube_grid(4 + round / 2),
                1 => cylinder(20 * (round + 1), 1.0, 1.0),
                2 => cylinder(12, 1.0, 1e-3),
                _ => (0..300)
                    .map(|_| DVec3::new(random.unit(), random.unit(), (random.bits() % 2) as f64))
                    .collect(),
            };
            let points: Vec<DVec3> = shape.iter().map(|&p| rotation * p + noise * random.in_cube()).collect();
            check(&points, &mut random);
        }
    }
}

#[test]
fn near_duplicates_give_valid_bodies() {
    let mut random = Random(44);
    for exponent in -17..-8 {
        for round in 0..12 {
            let noise = 10.0_f64.powi(exponent);
            let corners = match round % 3 {
                0 => random_sphere(&mut random, 12),
                1 => cube_grid(2),
                _ => cylinder(30, 1.0, 2.0),
            };
            let mut points = corners.clone();
            for _ in 0..3 {
                points.extend(corners.iter().map(|&p| p + noise * random.in_cube()));
            }
            let body = check(&points, &mut random);
            assert!(body.vertex_count() >= corners.len(), "{} of {}", body.vertex_count(), corners.len());
        }
    }
}

#[test]
fn shallow_bends_give_valid_bodies() {
    // Prisms with a ridge, a fan and a dome so shallow that they are next to flat.
    let mut random = Random(45);
    for exponent in -17..-4 {
        let height = 10.0_f64.powi(exponent);
        for round in 0..10 {
            let mut points = boxes(DVec3::ONE);
            for _ in 0..(5 + 5 * round) {
                let (x, y) = (random.range(-1.0, 1.0), random.range(-1.0, 1.0));
                let rise = match round % 3 {
                    0 => 1.0 - x.abs(),
                    1 => 1.0 - x * x,
                    _ => 2.0 - x * x - y * y,
                };
                points.push(DVec3::new(x, y, 1.0 + height * rise));
            }
            let rotation = random.rotation();
            let turned: Vec<DVec3> = points.iter().map(|&p| rotation * p).collect();
            check(&points, &mut random);
            check(&turned, &mut random);
        }
    }
}

#[test]
fn far_bodies_keep_their_digits() {
    let mut random = Random(46);
    for round in 0..30 {
        let shape = match round % 3 {
            0 => cylinder(3 + 11 * round, 0.5, 1.0),
            1 => random_sphere(&mut random, 100),
            _ => icosphere(1),
        };
        let offset = 10.0_f64.powi(round as i32 / 5) * random.direction() * 2.0;
        let scale = [1e-6, 1.0, 1e6][round % 3];
        let points: Vec<DVec3> = shape.iter().map(|&p| (p + offset) * scale).collect();
        let body = check(&points, &mut random);
        for v in 0..body.vertex_count() as u32 {
            let v = clearance_geometry::VertexId(v);
            assert_eq!(body.body_vertex(v), points[common::label(&body, v) as usize]);
        }
        // Caps that are exactly level stay level under any shift.
        if round % 3 == 0 {
            let level = body.planes().iter().filter(|plane| plane.normal.abs() == DVec3::Z).count();
            assert_eq!(level, 2, "round {round}");
            assert!(body.face_count() >= shape.len() / 2 + 2);
        }
    }
}

#[test]
fn mixed_magnitudes_do_not_confuse_the_predicates() {
    let mut random = Random(47);
    for round in 0..200 {
        let mut points = boxes(DVec3::ONE);
        for _ in 0..40 {
            let mut p = random.in_cube();
            for axis in 0..3 {
                if random.below(2) == 0 {
                    p[axis] *= 10.0_f64.powf(random.range(-320.0, 0.0));
                }
            }
            points.push(p);
        }
        if round % 2 == 0 {
            points.drain(..8);
        }
        check(&points, &mut random);
    }
}

#[test]
fn equal_and_inner_points_are_noted() {
    let mut points = boxes(DVec3::ONE);
    points.extend(boxes(DVec3::ONE));
    points.extend([DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::new(-0.0, 0.0, 0.0)]);
    let body = check(&points, &mut Random(48));
    assert_eq!(body.notes(), [Note::DroppedVertices { vertices: (8..20).collect() }]);
    points.reverse();
    let body = check(&points, &mut Random(48));
    let labels: Vec<u32> = (0..8).map(|v| common::label(&body, clearance_geometry::VertexId(v))).collect();
    assert_eq!(labels, (4..12).collect::<Vec<u32>>(), "of equal points the first stays");
}

#[test]
fn order_of_points_does_not_change_the_body() {
    let mut random = Random(49);
    for _ in 0..20 {
        let rotation = random.rotation();
        let mut points: Vec<DVec3> = cube_grid(4).iter().map(|&p| rotation * p).collect();
        let before = Polytope::from_points(&points).unwrap();
        for i in (1..points.len()).rev() {
            points.swap(i, random.below(i + 1));
        }
        let after = Polytope::from_points(&points).unwrap();
        assert_eq!(before.face_count(), after.face_count());
        let volume = before.mass().volume;
        assert!((after.mass().volume - volume).abs() < 1e-14 * volume);
    }
}

#[test]
fn bad_points_are_refused() {
    let refused = |points: &[DVec3]| Polytope::from_points(points).unwrap_err();
    let cube = boxes(DVec3::ONE);
    assert_eq!(refused(&[]), PolytopeError::Empty);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut points = cube.clone();
        points[5].y = bad;
        assert_eq!(refused(&points), PolytopeError::NotFinite { point: 5 });
    }
    for n in 1..4 {
        assert!(matches!(refused(&cube[..n]), PolytopeError::Flat { thickness: 0.0, .. }));
    }
    assert_eq!(refused(&[DVec3::ONE; 9]), PolytopeError::Flat { thickness: 0.0, diameter: 0.0 });
    for size in [1e-300, 1e-100, 1e100, 1e300] {
        let scaled: Vec<DVec3> = cube.iter().map(|&p| p * size).collect();
        assert!(matches!(refused(&scaled), PolytopeError::OutOfRange { .. }), "{size:e}");
    }
    for size in [1e-19, 1e49] {
        let scaled: Vec<DVec3> = cube.iter().map(|&p| p * size).collect();
        assert_eq!(Polytope::from_points(&scaled).unwrap().face_count(), 6);
    }
}

#[test]
fn flat_points_are_refused_in_every_direction() {
    let mut random = Random(50);
    for round in 0..100 {
        let scale = [1e-6, 1.0, 1e6][round % 3];
        let rotation = random.rotation();
        let flat = match round % 3 {
            0 => DVec3::new(1.0, 1.0, 0.0),
            1 => DVec3::new(1.0, 0.0, 0.0),
            _ => DVec3::new(1.0, 1e-6, 0.0),
        };
        let points: Vec<DVec3> = (0..50).map(|_| rotation * (random.in_cube() * flat) * scale).collect();
        let error = Polytope::from_points(&points).unwrap_err();
        let PolytopeError::Flat { thickness, diameter } = error else { panic!("{error}") };
        assert!(thickness <= 1e-14 * diameter && diameter > 0.5 * scale);
    }
}

/// Points on a sphere, more than are looked at one by one.
fn ball(size: f64) -> Polytope {
    let points: Vec<DVec3> = (0..80)
        .map(|i| {
            let (height, turn) = (1.0 - (2.0 * f64::from(i) + 1.0) / 80.0, 2.4 * f64::from(i));
            let around = (1.0 - height * height).sqrt();
            DVec3::new(around * turn.cos(), around * turn.sin(), height) * size
        })
        .collect();
    Polytope::from_points(&points).unwrap()
}

#[test]
fn support_is_right_at_every_accepted_size() {
    for exponent in -19..=49 {
        let body = ball(10_f64.powi(exponent));
        for i in 0..200 {
            let turn = 0.7 * f64::from(i);
            let direction = DVec3::new(turn.cos(), (1.3 * turn).sin(), (0.4 * turn).cos());
            let height = |vertex| body.vertex(vertex).dot(direction) / body.reach();
            let (climbed, scanned) = (body.support(direction), body.support_by_scan(direction));
            assert!((height(climbed) - height(scanned)).abs() < 1e-12, "size 1e{exponent}, direction {i}");
            assert_eq!(height(body.climb(VertexId(0), direction, direction.length())), height(climbed));
        }
    }
}

#[test]
fn climb_ends_in_directions_that_are_none() {
    let body = ball(1.0);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 0.0] {
        for direction in [DVec3::splat(bad), DVec3::new(bad, 1.0, -bad), DVec3::new(0.0, bad, 0.0)] {
            let found = [body.support(direction), body.climb(VertexId(3), direction, direction.length())];
            assert!(found.iter().all(|vertex| vertex.index() < body.vertex_count()));
        }
    }
}

#[test]
fn boxes_and_segments_out_of_range_are_refused() {
    for size in [1e-21, 1e51, f64::MAX] {
        let out_of_range = |error| matches!(error, PolytopeError::OutOfRange { .. });
        assert!(out_of_range(Polytope::segment([DVec3::ZERO, DVec3::X * size]).unwrap_err()), "{size:e}");
        let Err(ShapeError::Polytope(error)) = Polytope::cuboid(DVec3::splat(size)) else {
            panic!("{size:e}")
        };
        assert!(out_of_range(error));
    }
    assert!(Polytope::cuboid(DVec3::new(1.0, 1.0, 1e-30)).is_ok());
}
