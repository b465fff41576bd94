//! Planted poses: aligned, touching, overlapping and leaning bodies, mostly from every pair of features.

use crate::body::{
    Body, INTERIOR, SEARCH, check, cube, every_start, expect, off_feature, shift, turned, walk,
};
use crate::oracle::{Rng, bipyramid, cuboid, icosphere, prism, truth};
use clearance_geometry::{DMat3, DQuat, DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};
use clearance_proximity::Ended;
use clearance_proximity::lin_canny::{Options, Relation};

/// From every pair of features, with both escapes.
fn expect_from_everywhere(a: &Body, b: &Body, pose: &Pose, distance: f64, slack: f64) {
    for start in every_start(a, b) {
        expect(a, b, pose, Some(start), distance, slack);
    }
    expect(a, b, pose, None, distance, slack);
}

fn expect_relation(a: &Body, b: &Body, pose: &Pose, wanted: &str) {
    for start in every_start(a, b) {
        for options in [SEARCH, INTERIOR] {
            let found = walk(a, b, pose, Some(start), options);
            check(a, b, pose, &found, 1e-12).unwrap();
            let name = match found.relation {
                Relation::Separated => "separated",
                Relation::Touching => "touching",
                Relation::Overlapping { .. } => "overlapping",
            };
            assert_eq!(name, wanted, "from {start:?}: {found:?}");
        }
    }
}

#[test]
fn parallel_faces_from_every_start() {
    for scale in [1e-6, 1.0, 1e6] {
        let (a, b) = (cube(2.0 * scale), cube(scale));
        let pose = shift(4.0 * scale, 0.25 * scale, -0.5 * scale);
        expect_from_everywhere(&a, &b, &pose, 2.5 * scale, 1e-14 * scale);
    }
    let found = expect(&cube(2.0), &cube(1.0), &shift(4.0, 0.25, 0.0), None, 2.5, 0.0);
    assert_eq!(found.normal, DVec3::X);
}

#[test]
fn parallel_edges_from_every_start() {
    let (a, b) = (cube(2.0), cube(2.0));
    // B stands on its edge along z, facing A's edge along z, and reaches half a length beyond it.
    let pose = turned(DVec3::Z, 0.0, 4.0, 4.0, 1.0);
    expect_from_everywhere(&a, &b, &pose, 8.0_f64.sqrt(), 1e-14);
}

#[test]
fn edge_over_face_from_every_start() {
    let pose = turned(DVec3::Z, 45.0, 4.0, 0.25, 0.5);
    expect_from_everywhere(&cube(2.0), &cube(2.0), &pose, 3.0 - 2.0_f64.sqrt(), 1e-14);
}

#[test]
fn vertex_over_edge_and_vertex_over_vertex() {
    let (a, b) = (cube(2.0), cube(2.0));
    expect_from_everywhere(&a, &b, &shift(5.0, 5.0, 5.0), 27.0_f64.sqrt(), 1e-14);
    let corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::new(-1.0, -1.0, 0.0).normalize());
    let pose = Pose::new(corner, DVec3::new(4.0, 4.0, 0.25)).unwrap();
    expect_from_everywhere(&a, &b, &pose, 18.0_f64.sqrt() - 3.0_f64.sqrt(), 1e-14);
}

#[test]
fn touching_bodies_touch() {
    let (a, b) = (cube(2.0), cube(2.0));
    for offset in [(2.0, 0.0, 0.0), (2.0, 0.5, 0.0), (2.0, 2.0, 0.0), (2.0, 2.0, 2.0), (2.0, 2.0, 0.7)] {
        expect_relation(&a, &b, &shift(offset.0, offset.1, offset.2), "touching");
    }
    let reach = 1.0 + 2.0_f64.sqrt();
    expect_relation(&a, &b, &turned(DVec3::Z, 45.0, reach, 0.3, 0.2), "touching");
    let crossed = turned(DVec3::X, 90.0, 0.0, 0.0, 0.0) * turned(DVec3::Z, 45.0, 0.0, 0.0, 0.0);
    let pose = crossed.with_translation(DVec3::new(reach, 0.0, 0.0));
    expect_relation(&a, &b, &pose, "touching");
    let tip = DQuat::from_rotation_arc(DVec3::ONE.normalize(), -DVec3::X);
    let pose = Pose::new(tip, DVec3::new(1.0 + 3.0_f64.sqrt(), 0.5, 0.1)).unwrap();
    expect_relation(&a, &b, &pose, "touching");
}

#[test]
fn overlapping_bodies_overlap() {
    let (a, b) = (cube(2.0), cube(2.0));
    expect_relation(&a, &b, &Pose::IDENTITY, "overlapping");
    expect_relation(&a, &b, &shift(1.9, 0.0, 0.0), "overlapping");
    expect_relation(&a, &b, &shift(1.9, 1.9, 1.9), "overlapping");
    expect_relation(&a, &b, &shift(1.0, 1.0, 0.0), "overlapping");
    expect_relation(&a, &b, &turned(DVec3::Z, 45.0, 2.4, 0.0, 0.0), "overlapping");
    expect_relation(&a, &cube(0.5), &shift(0.3, 0.1, 0.0), "overlapping");
    expect_relation(&cube(0.5), &a, &shift(0.3, 0.1, 0.0), "overlapping");
    // Crossed bars: edges pierce faces, no vertex is inside.
    let bar = |x, y, z| Body::new(Polytope::cuboid(DVec3::new(x, y, z)).unwrap());
    expect_relation(&bar(10.0, 1.0, 1.0), &bar(1.0, 10.0, 1.0), &shift(0.1, 0.2, 0.3), "overlapping");
    let pose = turned(DVec3::ONE, 50.0, 0.1, 0.2, 0.9);
    expect_relation(&bar(10.0, 1.0, 1.0), &bar(1.0, 10.0, 1.0), &pose, "overlapping");
}

#[test]
fn identical_bodies_overlap_wherever_they_share_space() {
    for solid in [icosphere(1), prism(12, 1.0, 2.0), bipyramid(9, 1.0, 2.0)] {
        let body = Body::of(&solid);
        for x in [0.0, 1e-9, 0.5, 1.0] {
            for start in every_start(&body, &body).into_iter().step_by(37) {
                let found = walk(&body, &body, &shift(x, 0.0, 0.0), Some(start), INTERIOR);
                check(&body, &body, &shift(x, 0.0, 0.0), &found, 1e-13).unwrap();
                assert!(matches!(found.relation, Relation::Overlapping { .. }), "{found:?}");
            }
        }
    }
}

#[test]
fn points_and_segments_have_no_faces() {
    let point = Body::new(Polytope::point());
    let segment =
        Body::new(Polytope::segment([DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0)]).unwrap());
    let a = cube(2.0);
    expect_from_everywhere(&point, &point, &shift(3.0, 4.0, 0.0), 5.0, 1e-15);
    expect_from_everywhere(&point, &segment, &shift(0.5, 2.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&segment, &point, &shift(4.0, 4.0, 0.0), 5.0, 1e-15);
    expect_from_everywhere(&segment, &segment, &shift(0.5, 2.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&segment, &segment, &turned(DVec3::Z, 90.0, 0.2, 0.0, 2.0), 2.0, 1e-15);
    expect_from_everywhere(&a, &point, &shift(0.5, 3.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&a, &segment, &shift(0.5, 3.0, 0.0), 2.0, 1e-15);
    expect_from_everywhere(&a, &segment, &turned(DVec3::Z, 90.0, 0.0, 3.0, 0.0), 1.0, 1e-15);
    expect_relation(&point, &point, &Pose::IDENTITY, "touching");
    expect_relation(&segment, &segment, &turned(DVec3::Z, 90.0, 0.0, 0.0, 0.0), "touching");
    expect_relation(&point, &segment, &shift(0.5, 0.0, 0.0), "touching");
    expect_relation(&a, &point, &shift(0.2, 0.3, 0.4), "overlapping");
    expect_relation(&a, &point, &shift(1.0, 0.3, 0.4), "touching");
    expect_relation(&a, &segment, &shift(1.5, 0.3, 0.4), "overlapping");
    expect_relation(&a, &segment, &shift(0.0, 1.0, 0.4), "touching");
    let long = Body::new(Polytope::segment([DVec3::new(-9.0, 0.0, 0.0), DVec3::new(9.0, 0.0, 0.0)]).unwrap());
    expect_relation(&a, &long, &shift(0.5, 0.3, 0.4), "overlapping");
    expect_relation(&long, &a, &turned(DVec3::ONE, 20.0, 0.5, 0.3, 0.4), "overlapping");
}

#[test]
fn leaning_faces_keep_the_lowest_corner() {
    // B leans toward A by ever smaller angles; the true distance is that of its lowest corner or edge.
    let (a, b) = (cuboid(DVec3::splat(4.0)), cuboid(DVec3::splat(2.0)));
    let (body_a, body_b) = (Body::of(&a), Body::of(&b));
    for axis in [DVec3::Y, DVec3::new(0.0, 1.0, 0.7)] {
        for exponent in 1..17 {
            for gap in [1.0, 1e-3, 1e-6, 1e-9, 1e-12] {
                let angle = 10.0_f64.powi(-exponent);
                let pose = Pose::from_axis_angle(axis.normalize(), angle, DVec3::new(3.0, 0.1, 0.2)).unwrap();
                let lowest = b.vertices.iter().map(|&v| pose.apply(v).x).fold(f64::INFINITY, f64::min);
                let pose = pose.with_translation(pose.translation() + DVec3::X * (2.0 + gap - lowest));
                let wanted = truth(&a, &b, &pose).distance;
                for start in every_start(&body_a, &body_b).into_iter().step_by(7) {
                    expect(&body_a, &body_b, &pose, Some(start), wanted, 2e-14);
                }
            }
        }
    }
}

#[test]
fn leaning_edges_keep_the_nearest_end() {
    // Edge to edge, nearly parallel, with gaps down to rounding.
    let b = cuboid(DVec3::splat(2.0)).map(DMat3::from_rotation_z(0.25 * std::f64::consts::PI), DVec3::ZERO);
    let body = Body::of(&b);
    for axis in [DVec3::X, DVec3::Y, DVec3::new(1.0, 2.0, 0.0)] {
        for exponent in 1..17 {
            for gap in [1.0, 1e-3, 1e-6, 1e-9, 1e-12] {
                let angle = 10.0_f64.powi(-exponent);
                let offset = DVec3::new(2.0 * 2.0_f64.sqrt() + gap, 0.0, 0.4);
                let pose = Pose::from_axis_angle(axis.normalize(), angle, offset).unwrap();
                let known = truth(&b, &b, &pose);
                if known.separation < 1e-13 {
                    continue;
                }
                for start in every_start(&body, &body).into_iter().step_by(7) {
                    expect(&body, &body, &pose, Some(start), known.distance, 2e-14);
                }
            }
        }
    }
}

#[test]
fn needles_and_plates() {
    let needle = Body::new(Polytope::cuboid(DVec3::new(1.0, 1e-6, 1e-6)).unwrap());
    let plate = Body::new(Polytope::cuboid(DVec3::new(1.0, 1.0, 1e-6)).unwrap());
    expect_from_everywhere(&needle, &plate, &shift(0.2, 0.3, 0.5), 0.5 - 1e-6, 1e-15);
    expect_from_everywhere(&needle, &needle, &turned(DVec3::Z, 90.0, 0.2, 0.1, 1e-3), 1e-3 - 1e-6, 1e-15);
    expect_from_everywhere(&plate, &plate, &shift(0.2, 0.3, 3e-6), 2e-6, 1e-15);
    expect_from_everywhere(&plate, &needle, &turned(DVec3::Y, 90.0, 0.2, 0.3, 0.6), 0.1 - 0.5e-6, 1e-15);
    expect_relation(&plate, &needle, &turned(DVec3::Y, 90.0, 0.2, 0.3, 0.2), "overlapping");
    expect_relation(&needle, &needle, &turned(DVec3::Z, 90.0, 0.2, 0.1, 0.5e-6), "overlapping");
}

#[test]
fn cylinders_of_a_thousand_sides() {
    let (a, b) = (Body::of(&prism(1000, 1.0, 2.0)), Body::of(&prism(1000, 1.0, 2.0)));
    assert!(a.cells.largest() <= 5);
    let mut rng = Rng(5);
    for _ in 0..300 {
        let start = Some([a.feature(&mut rng), b.feature(&mut rng)]);
        expect(&a, &b, &shift(0.3, 0.4, 3.0), start, 1.0, 1e-14);
        expect(&a, &b, &shift(5.0, 0.0, 0.5), start, 3.0, 1e-14);
        let cap = expect(&a, &b, &turned(DVec3::X, 90.0, 0.0, 0.0, 2.5), start, 0.5, 1e-14);
        assert!(cap.work.iterations < 2500, "{cap:?}");
        let found = walk(&a, &b, &shift(0.1, 0.2, 0.3), start, INTERIOR);
        assert!(matches!(found.relation, Relation::Overlapping { .. }), "{found:?}");
    }
}

#[test]
fn vertices_of_a_thousand_edges_have_small_cells() {
    let (a, b) = (Body::of(&bipyramid(1000, 1.0, 1.0)), Body::of(&bipyramid(1000, 1.0, 0.5)));
    assert!(a.cells.largest() <= 5 && b.cells.largest() <= 5);
    let mut rng = Rng(6);
    for _ in 0..300 {
        let start = Some([a.feature(&mut rng), b.feature(&mut rng)]);
        let found = expect(&a, &b, &shift(0.1, 0.2, 3.0), start, (0.05_f64 + 2.25).sqrt(), 1e-14);
        assert_eq!(found.features.map(Feature::dimension), [0, 0]);
    }
}

#[test]
fn bodies_far_from_their_origins() {
    let far = f64::from(1_u32 << 20);
    let solid = cuboid(DVec3::ONE);
    let moved = Body::of(&solid.map(DMat3::IDENTITY, DVec3::new(far, -far, far)));
    let plain = cube(1.0);
    // The input vertices are rounded when they are moved; the pose is exact.
    let pose = shift(3.0 - far, far + 0.25, -far);
    expect_from_everywhere(&plain, &moved, &pose, 2.0, 4.0 * far * f64::EPSILON);
    // A million diameters apart.
    let pose = shift(1e6, 0.25, 0.0);
    expect_from_everywhere(&plain, &plain, &pose, 1e6 - 1.0, 1e-9);
}

#[test]
fn escapes_are_taken_and_counted() {
    // A bar over a plate: from most far sides the walk comes to lie beneath a face.
    let a = Body::new(Polytope::cuboid(DVec3::new(4.0, 4.0, 1.0)).unwrap());
    let b = Body::new(Polytope::cuboid(DVec3::new(1.0, 0.5, 2.0)).unwrap());
    let pose = turned(DVec3::new(1.0, 2.0, 0.5), 40.0, 0.3, 0.4, 3.0);
    let known = walk(&a, &b, &pose, None, SEARCH).distance;
    for options in [SEARCH, INTERIOR] {
        let mut escaped = 0;
        for start in every_start(&a, &b) {
            let found = walk(&a, &b, &pose, Some(start), options);
            check(&a, &b, &pose, &found, 1e-14).unwrap();
            assert!((found.distance - known).abs() < 1e-14);
            assert!(found.work.escapes <= 2, "{found:?}");
            escaped += found.work.escapes;
        }
        println!("{:?}: {escaped} escapes from {} starts", options.escape, every_start(&a, &b).len());
        assert!(escaped > 20);
    }
}

#[test]
fn a_budget_ends_with_limit_and_a_valid_upper_bound() {
    let body = Body::of(&icosphere(2));
    let pose = shift(3.0, 0.1, 0.2);
    let full = walk(&body, &body, &pose, None, SEARCH);
    let start = Some([Feature::Face(FaceId(0)), Feature::Face(FaceId(0))]);
    let cut = walk(&body, &body, &pose, start, Options { max_pairs: 2, ..SEARCH });
    assert_eq!(cut.ended, Ended::Limit);
    assert!(cut.distance >= full.distance);
    let off = [(0, cut.points[0]), (1, pose.apply_inverse(cut.points[1]))]
        .map(|(i, p)| off_feature(&body.polytope, cut.features[i], p));
    assert!(off[0] < 1e-14 && off[1] < 1e-14);
}

#[test]
fn a_start_that_does_not_exist_is_no_start() {
    let (a, b) = (cube(2.0), Body::new(Polytope::point()));
    for bad in [Feature::Vertex(VertexId(99)), Feature::Edge(EdgeId(u32::MAX)), Feature::Face(FaceId(7))] {
        expect(&a, &b, &shift(3.0, 0.0, 0.0), Some([bad, bad]), 2.0, 0.0);
    }
}
