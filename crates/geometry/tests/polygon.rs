//! Planar poses and polygons: what is accepted, what is refused, and what is computed from them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_geometry::{
    DVec2, EdgeId, Feature, Note, PlanarPose, Polygon, PolytopeError, PoseError, VertexId,
};
use common::Random;
use std::f64::consts::TAU;

fn points(list: &[[f64; 2]]) -> Vec<DVec2> {
    list.iter().map(|&p| DVec2::from_array(p)).collect()
}

fn regular(count: usize, radius: f64, shift: DVec2) -> Vec<DVec2> {
    (0..count).map(|i| shift + radius * DVec2::from_angle(TAU * i as f64 / count as f64)).collect()
}

fn labels(polygon: &Polygon) -> Vec<u32> {
    let label = |i: u32| polygon.label(Feature::Vertex(VertexId(i))).number();
    (0..polygon.vertex_count() as u32).map(label).collect()
}

#[test]
fn pose_inverse_and_between_undo_each_other() {
    let mut random = Random(21);
    for _ in 0..1000 {
        let pose = |random: &mut Random| {
            let t = DVec2::new(random.range(-9.0, 9.0), random.range(-9.0, 9.0));
            PlanarPose::new(random.range(-9.0, 9.0), t).unwrap()
        };
        let (a, b) = (pose(&mut random), pose(&mut random));
        let x = DVec2::new(random.range(-9.0, 9.0), random.range(-9.0, 9.0));
        let near = |p: DVec2, q: DVec2| (p - q).length() < 1e-13;
        assert!(near(a.inverse().apply(a.apply(x)), x) && near(a.apply_inverse(a.apply(x)), x));
        assert!(near(PlanarPose::between(&a, &b).apply(x), a.apply_inverse(b.apply(x))));
        assert!(near((a * b).apply(x), a.apply(b.apply(x))));
        assert!(near(a.rotate_inverse(a.rotate(x)), x));
        let again = PlanarPose::new(a.angle(), a.translation()).unwrap();
        assert!(near(again.apply(x), a.apply(x)) && near(a.renormalized().apply(x), a.apply(x)));
    }
}

#[test]
fn pose_refuses_bad_numbers() {
    assert_eq!(PlanarPose::new(f64::NAN, DVec2::ZERO), Err(PoseError::NotFinite));
    assert_eq!(PlanarPose::from_degrees(f64::INFINITY, DVec2::ZERO), Err(PoseError::NotFinite));
    assert_eq!(PlanarPose::from_translation(DVec2::NAN), Err(PoseError::NotFinite));
    assert_eq!(PlanarPose::from_cos_sin(f64::NAN, 0.0, DVec2::ZERO), Err(PoseError::NotFinite));
    assert_eq!(PlanarPose::from_cos_sin(3.0, 4.0, DVec2::ZERO), Err(PoseError::NotUnit { length: 5.0 }));
    assert!(PlanarPose::from_cos_sin(0.6, 0.8000001, DVec2::ZERO).is_ok());
}

#[test]
fn pose_from_degrees_is_exact_at_quarter_turns() {
    let turns =
        [(0.0, DVec2::X), (90.0, DVec2::Y), (-180.0, -DVec2::X), (270.0, -DVec2::Y), (1e6 * 360.0, DVec2::X)];
    for (degrees, expected) in turns {
        let pose = PlanarPose::from_degrees(degrees, DVec2::ZERO).unwrap();
        assert_eq!(pose.rotate(DVec2::X), expected, "{degrees}");
    }
    for degrees in [-721.0, -135.0, -0.5, 33.0, 44.9, 45.1, 134.9, 359.0] {
        let one = PlanarPose::from_degrees(degrees, DVec2::ZERO).unwrap();
        let other = PlanarPose::new(f64::to_radians(degrees), DVec2::ZERO).unwrap();
        assert!((one.rotate(DVec2::X) - other.rotate(DVec2::X)).length() < 1e-14, "{degrees}");
    }
}

#[test]
fn outline_keeps_its_numbers() {
    let square = Polygon::from_points(&points(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])).unwrap();
    assert_eq!(labels(&square), [0, 1, 2, 3]);
    assert!(square.notes().is_empty());
    // Edges are numbered by (low, high) corner: 01, 03, 12, 23.
    let edges: Vec<u32> = (0..4).map(|i| square.label(Feature::Edge(EdgeId(i))).number()).collect();
    assert_eq!(edges, [0, 2, 3, 1]);
    assert_eq!(square.edge(EdgeId(0)).normal, -DVec2::Y);
}

#[test]
fn clockwise_outline_is_turned_and_noted() {
    let square = Polygon::from_points(&points(&[[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0]])).unwrap();
    assert_eq!(square.notes(), [Note::Turned]);
    assert_eq!(labels(&square), [0, 3, 2, 1]);
    assert_eq!(square.mass().area, 4.0);
}

#[test]
fn collinear_and_repeated_corners_are_dropped_and_noted() {
    let list =
        [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 1.0], [0.0, 0.0]];
    let square = Polygon::from_points(&points(&list)).unwrap();
    assert_eq!(labels(&square), [0, 2, 4, 5]);
    assert_eq!(square.notes(), [Note::DroppedVertices { vertices: vec![1, 3, 6, 7] }]);
    // Straight edges survive being turned by an arbitrary angle.
    for turn in 0..200 {
        let pose = PlanarPose::new(0.1 + f64::from(turn), DVec2::new(3.0, -7.0)).unwrap();
        let turned: Vec<DVec2> = points(&list).into_iter().map(|p| pose.apply(p)).collect();
        let polygon = Polygon::from_points(&turned).unwrap();
        assert!((4..=6).contains(&polygon.vertex_count()), "{:?}", polygon.vertices());
    }
}

#[test]
fn bad_outlines_name_the_offender() {
    let refuse = |list: &[[f64; 2]]| Polygon::from_points(&points(list)).unwrap_err();
    assert_eq!(refuse(&[]), PolytopeError::Empty);
    let nan = refuse(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]);
    assert_eq!(nan, PolytopeError::NotFinite { point: 1 });
    let dart = refuse(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]]);
    assert_eq!(dart, PolytopeError::ReflexCorner { corner: 2 });
    let bow_tie = refuse(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]);
    assert!(matches!(bow_tie, PolytopeError::ReflexCorner { .. }), "{bow_tie:?}");
    let spike = refuse(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    assert_eq!(spike, PolytopeError::ReflexCorner { corner: 2 });
    let star: Vec<DVec2> = (0..5).map(|i| DVec2::from_angle(2.0 * TAU * f64::from(i) / 5.0)).collect();
    assert!(matches!(Polygon::from_points(&star), Err(PolytopeError::ReflexCorner { .. })));
    let twice: Vec<DVec2> = regular(4, 1.0, DVec2::ZERO).repeat(2);
    assert!(matches!(Polygon::from_points(&twice), Err(PolytopeError::ReflexCorner { .. })));
    for flat in
        [&[[1.0, 1.0]][..], &[[0.0, 0.0], [1.0, 1.0]], &[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [5.0, 5.0]]]
    {
        assert!(matches!(refuse(flat), PolytopeError::Flat { .. }), "{flat:?}");
    }
    assert!(matches!(refuse(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1e-15]]), PolytopeError::Flat { .. }));
    assert!(matches!(refuse(&[[0.0, 0.0], [1e99, 0.0], [0.0, 1e99]]), PolytopeError::OutOfRange { .. }));
    assert!(matches!(refuse(&[[0.0, 0.0], [1e-99, 0.0], [0.0, 1e-99]]), PolytopeError::OutOfRange { .. }));
    assert!(matches!(Polygon::segment([DVec2::ONE; 2]), Err(PolytopeError::NoLength)));
    assert!(matches!(Polygon::segment([DVec2::ONE, DVec2::NAN]), Err(PolytopeError::NotFinite { point: 1 })));
    assert!(Polygon::rectangle(DVec2::new(1.0, -1.0)).is_err());
}

#[test]
fn hull_has_every_point_inside_and_turns_left() {
    let mut random = Random(22);
    for round in 0..2000 {
        let size = 10f64.powi(random.below(13) as i32 - 6);
        let thin = [1.0, 1e-3, 1e-6][random.below(3)];
        let count = 3 + random.below(60);
        // A coarse grid makes duplicates and collinear points common.
        let grid = if random.below(2) == 0 { 4.0 } else { 1e9 };
        let list: Vec<DVec2> = (0..count)
            .map(|_| {
                let x = (random.range(-1.0, 1.0) * grid).round() / grid;
                let y = (random.range(-1.0, 1.0) * grid).round() / grid;
                size * DVec2::new(x, thin * y)
            })
            .collect();
        let Ok(hull) = Polygon::hull_of(&list) else { continue };
        let diameter = 2.0 * hull.radius();
        for side in hull.sides() {
            for &p in &list {
                let over = side.normal.dot(p - hull.anchor()) - side.offset;
                assert!(over <= 1e-14 * diameter, "round {round}: {over:e} over");
            }
        }
        for (i, label) in labels(&hull).into_iter().enumerate() {
            assert_eq!(hull.body_vertex(VertexId(i as u32)), list[label as usize]);
        }
        // Its own outline is accepted, either way round, as it is.
        let outline: Vec<DVec2> =
            (0..hull.vertex_count()).map(|i| hull.body_vertex(VertexId(i as u32))).collect();
        assert_eq!(Polygon::from_points(&outline).unwrap().vertices(), hull.vertices());
        let backward: Vec<DVec2> = outline.into_iter().rev().collect();
        let turned = Polygon::from_points(&backward).unwrap();
        assert_eq!((turned.vertex_count(), turned.notes()), (hull.vertex_count(), &[Note::Turned][..]));
    }
}

#[test]
fn mass_of_known_shapes() {
    for (scale, shift) in [(1.0, 0.0), (1e-6, 1.0), (1e6, -1e10)] {
        let shift = DVec2::splat(shift);
        let list: Vec<DVec2> =
            points(&[[0.0, 0.0], [6.0, 0.0], [0.0, 3.0]]).into_iter().map(|p| scale * p + shift).collect();
        let triangle = Polygon::from_points(&list).unwrap();
        let mass = triangle.mass();
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-9 * y.abs();
        assert!(near(mass.area, 9.0 * scale * scale), "{mass:?}");
        let center = (mass.center + triangle.anchor() - shift) / scale;
        assert!((center - DVec2::new(2.0, 1.0)).length() < 1e-3 && triangle.center() == mass.center);
        // b h (b² + h²) / 36 about the centroid of a right triangle.
        assert!(near(mass.second_moment, 18.0 * 45.0 / 36.0 * scale.powi(4)), "{mass:?}");
    }
    let square = Polygon::rectangle(DVec2::splat(2.0)).unwrap();
    assert_eq!((square.inradius(), square.radius()), (1.0, 2f64.sqrt()));
    let circle = Polygon::from_points(&regular(1000, 1.0, DVec2::ZERO)).unwrap();
    assert!((circle.mass().area - TAU / 2.0).abs() < 1e-4 && (circle.inradius() - 1.0).abs() < 1e-5);
}

#[test]
fn points_and_segments_are_polygons_without_area() {
    let dot = Polygon::point();
    assert_eq!((dot.dimension(), dot.vertex_count(), dot.edge_count()), (0, 1, 0));
    let stick = Polygon::segment([DVec2::ZERO, DVec2::new(0.0, 4.0)]).unwrap();
    assert_eq!((stick.dimension(), stick.vertex_count(), stick.edge_count()), (1, 2, 1));
    assert_eq!((stick.center() + stick.anchor(), stick.mass().area), (DVec2::new(0.0, 2.0), 0.0));
    assert_eq!(stick.label(Feature::Edge(EdgeId(0))), Feature::Edge(EdgeId(0)));
    assert_eq!(dot.support(DVec2::X), VertexId(0));
    assert_eq!(stick.support(DVec2::new(1.0, -0.1)), VertexId(0));
    assert_eq!(stick.support(DVec2::new(1.0, 0.1)), VertexId(1));
}

#[test]
fn center_must_be_strictly_inside() {
    let square = Polygon::from_points(&points(&[[4.0, 4.0], [6.0, 4.0], [6.0, 6.0], [4.0, 6.0]])).unwrap();
    let moved = square.with_center(DVec2::new(4.5, 5.0)).unwrap();
    assert_eq!((moved.center() + moved.anchor(), moved.inradius()), (DVec2::new(4.5, 5.0), 0.5));
    for bad in [DVec2::new(4.0, 5.0), DVec2::ZERO, DVec2::NAN] {
        assert!(matches!(square.with_center(bad), Err(PolytopeError::CenterOutside { .. })), "{bad}");
    }
    assert_eq!(
        square.with_center(DVec2::new(7.0, 5.0)).unwrap_err(),
        PolytopeError::CenterOutside { face: 2, by: 1.0 }
    );
}

#[test]
fn support_equals_scan() {
    let mut random = Random(23);
    for count in [3, 4, 7, 64, 1000] {
        for thin in [1.0, 1e-3, 1e-6] {
            for shift in [DVec2::ZERO, DVec2::new(1e4, -3e4)] {
                let list: Vec<DVec2> = regular(count, 1.0, DVec2::ZERO)
                    .into_iter()
                    .map(|p| p * DVec2::new(1.0, thin) + shift)
                    .collect();
                let Ok(body) = Polygon::hull_of(&list) else { continue };
                let mut warm = VertexId(0);
                for step in 0..500 {
                    let angle = if step % 2 == 0 { random.range(0.0, TAU) } else { 0.01 * f64::from(step) };
                    let direction = DVec2::from_angle(angle) * 10f64.powi(random.below(7) as i32 - 3);
                    let height = |v: VertexId| body.vertex(v).dot(direction);
                    let highest = height(body.support_by_scan(direction));
                    let slack = 1e-14 * direction.length() * body.reach();
                    assert!(height(body.support(direction)) >= highest - slack);
                    warm = body.climb(warm, direction, direction.length());
                    assert!(height(warm) >= highest - slack, "{count} {thin} {angle}");
                }
            }
        }
    }
    let square = Polygon::rectangle(DVec2::ONE).unwrap();
    for bad in [DVec2::NAN, DVec2::ZERO, DVec2::INFINITY] {
        assert!(square.support(bad).index() < 4 && square.climb(VertexId(2), bad, bad.length()).index() < 4);
    }
}

#[test]
fn anchoring_is_exact_far_from_the_origin() {
    let list = regular(7, 1.0, DVec2::new(1e6, -4e6));
    let body = Polygon::from_points(&list).unwrap();
    assert!(body.reach() < 2.0, "{}", body.reach());
    for (i, &p) in list.iter().enumerate() {
        assert_eq!(body.body_vertex(VertexId(i as u32)), p);
    }
}
