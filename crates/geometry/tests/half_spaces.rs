//! Polytopes from half-spaces.
#![allow(clippy::unwrap_used, clippy::panic)]
mod common;

use clearance_geometry::{DVec3, FaceId, Feature, Note, Polytope, PolytopeError};
use common::{Random, check_polytope, check_support, cylinder, icosphere, random_sphere};

/// The planes of a body in the body frame.
fn planes(p: &Polytope) -> Vec<(DVec3, f64)> {
    p.planes().iter().map(|plane| (plane.normal, plane.offset + plane.normal.dot(p.anchor()))).collect()
}

fn cube() -> Vec<(DVec3, f64)> {
    [DVec3::X, DVec3::Y, DVec3::Z].iter().flat_map(|&n| [(-n, 0.0), (n, 1.0)]).collect()
}

/// Every vertex of one body has a vertex of the other within `error` of the size.
fn assert_same_vertices(a: &Polytope, b: &Polytope, error: f64) {
    assert_eq!(a.vertex_count(), b.vertex_count());
    let shift = a.anchor() - b.anchor();
    for &v in a.vertices() {
        let near = b.vertices().iter().map(|w| w.distance(v + shift)).fold(f64::INFINITY, f64::min);
        assert!(near <= error * a.radius(), "{:e} apart", near / a.radius());
    }
}

#[test]
fn planes_of_a_hull_give_its_vertices_back() {
    let mut random = Random(21);
    for round in 0..45 {
        let scale = [1e-6, 1.0, 1e6][round % 3];
        let rotation = random.rotation();
        let (points, error) = match round % 5 {
            0 => (random_sphere(&mut random, 4 + round), 1e-9),
            1 => (cylinder(3 + 2 * round, 1.0, 1.0), 1e-11),
            2 => (cylinder(3 + round, 1.0, 1e-4), 1e-11),
            3 => (icosphere(2), 1e-11),
            _ => ((0..30).map(|_| random.in_cube() * DVec3::new(1.0, 0.1, 1e-2)).collect(), 1e-8),
        };
        let points: Vec<DVec3> = points.iter().map(|&p| rotation * p * scale).collect();
        let hull = Polytope::from_points(&points).unwrap();
        let center = hull.center() + hull.anchor();
        let back = Polytope::from_half_spaces(&planes(&hull), center)
            .unwrap_or_else(|e| panic!("round {round}: {e}"));
        check_polytope(&back, 256.0);
        check_support(&back, &mut random, 10);
        assert_same_vertices(&hull, &back, error);
        assert_eq!(back.face_count(), hull.face_count(), "round {round}");
        assert!(back.notes().is_empty(), "{:?}", back.notes());
        assert!((back.center() + back.anchor()).distance(center) <= 1e-15 * hull.reach());
        for f in 0..back.face_count() as u32 {
            assert_eq!(back.label(Feature::Face(FaceId(f))), Feature::Face(FaceId(f)));
            assert!(back.plane(FaceId(f)).normal.dot(hull.plane(FaceId(f)).normal) > 1.0 - 1e-9);
        }
    }
}

#[test]
fn pyramid_with_many_sides_has_one_apex() {
    let sides = 1000;
    let mut half_spaces = vec![(-DVec3::Z, 0.0)];
    for i in 0..sides {
        let angle = std::f64::consts::TAU * i as f64 / sides as f64;
        half_spaces.push((DVec3::new(angle.cos(), angle.sin(), 1.0), 1.0));
    }
    let body = Polytope::from_half_spaces(&half_spaces, DVec3::new(0.0, 0.0, 0.1)).unwrap();
    assert_eq!((body.vertex_count(), body.face_count()), (sides + 1, sides + 1));
    check_polytope(&body, 256.0);
}

#[test]
fn redundant_half_spaces_are_noted() {
    let mut half_spaces = cube();
    // Far away, a repeat in other units, and one that touches an edge only.
    half_spaces.extend([(DVec3::ONE, 9.0), (2.0 * DVec3::X, 2.0), (DVec3::new(1.0, 1.0, 0.0), 2.0)]);
    let body = Polytope::from_half_spaces(&half_spaces, DVec3::splat(0.25)).unwrap();
    check_polytope(&body, 8.0);
    assert_eq!((body.vertex_count(), body.face_count()), (8, 6));
    assert_eq!(body.notes(), [Note::DroppedHalfSpaces { half_spaces: vec![6, 7, 8] }]);
    assert_eq!(body.center() + body.anchor(), DVec3::splat(0.25));
    assert!((body.inradius() - 0.25).abs() < 1e-15);
}

#[test]
fn center_close_to_a_face_costs_no_digits() {
    for gap in [1e-3, 1e-9, 1e-14] {
        let center = DVec3::new(gap, 0.5, 0.5);
        let body = Polytope::from_half_spaces(&cube(), center).unwrap();
        check_polytope(&body, 16.0);
        assert_eq!((body.vertex_count(), body.face_count()), (8, 6));
        assert!((body.mass().volume - 1.0).abs() < 1e-14);
        assert!((body.inradius() - gap).abs() < 1e-15);
    }
}

#[test]
fn open_half_spaces_name_a_direction() {
    let mut random = Random(22);
    let mut cases: Vec<Vec<(DVec3, f64)>> = vec![Vec::new()];
    for left_out in 0..6 {
        let mut open = cube();
        open.remove(left_out);
        cases.push(open);
    }
    cases.push(cube()[..2].to_vec());
    cases.push(cube()[..4].to_vec());
    cases.push(cube()[..1].to_vec());
    for _ in 0..100 {
        // Normals on one side of a plane.
        let up = random.direction();
        let normals = (0..12).map(|_| random.direction()).map(|n| if n.dot(up) < 0.0 { -n } else { n });
        cases.push(normals.map(|n| (n, 1.0)).collect());
    }
    let center = DVec3::splat(0.5);
    for case in cases {
        let shifted: Vec<_> = case.iter().map(|&(n, b)| (n, b.max(n.dot(center) + 0.1))).collect();
        let error = Polytope::from_half_spaces(&shifted, center).unwrap_err();
        let PolytopeError::Unbounded { direction } = error else { panic!("{error}") };
        let direction = DVec3::from(direction);
        assert!((direction.length() - 1.0).abs() < 1e-12);
        for (normal, _) in shifted {
            assert!(normal.normalize().dot(direction) < 1e-13, "{direction} leaves {normal}");
        }
    }
}

#[test]
fn bad_half_spaces_name_the_offender() {
    let with = |i: usize, h: (DVec3, f64), center: DVec3| {
        let mut half_spaces = cube();
        half_spaces[i] = h;
        Polytope::from_half_spaces(&half_spaces, center).unwrap_err()
    };
    let inside = DVec3::splat(0.5);
    assert_eq!(with(2, (DVec3::ZERO, 1.0), inside), PolytopeError::NoNormal { half_space: 2 });
    assert_eq!(with(3, (DVec3::NAN, 1.0), inside), PolytopeError::NoNormal { half_space: 3 });
    assert_eq!(with(4, (DVec3::Z, f64::INFINITY), inside), PolytopeError::NoNormal { half_space: 4 });
    assert_eq!(with(0, cube()[0], DVec3::NAN), PolytopeError::NotFinite { point: 0 });
    let outside = with(0, cube()[0], DVec3::new(0.5, 1.25, 0.5));
    assert_eq!(outside, PolytopeError::CenterOutside { face: 3, by: 0.25 });
    let on = with(0, cube()[0], DVec3::new(0.0, 0.5, 0.5));
    assert_eq!(on, PolytopeError::CenterOutside { face: 0, by: 0.0 });
}

#[test]
fn center_may_be_moved_within() {
    let body = Polytope::from_half_spaces(&cube(), DVec3::splat(0.5)).unwrap();
    let moved = body.with_center(DVec3::new(0.25, 0.5, 0.5)).unwrap();
    assert_eq!((body.inradius(), moved.inradius()), (0.5, 0.25));
    assert!(moved.radius() > body.radius());
    assert_eq!(moved.vertices().as_ptr(), body.vertices().as_ptr(), "the tables are shared");
    let error = body.with_center(DVec3::new(0.5, 0.5, 1.5)).unwrap_err();
    assert_eq!(error, PolytopeError::CenterOutside { face: 5, by: 0.5 });
    assert!(body.with_center(DVec3::new(0.5, 0.5, 1.0)).is_err());
    assert!(body.with_center(DVec3::NAN).is_err());
    assert!(Polytope::point().with_center(DVec3::ZERO).is_err());
}
