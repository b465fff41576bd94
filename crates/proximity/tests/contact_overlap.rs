//! Connected parts of overlaps, and their depths.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DMat3, DQuat, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::contact::{DEEPEST_POINT, Overlap, TraceDemand, overlap};
use clearance_proximity::global::Prepared;
use clearance_proximity::{overlap_regions, overlap_regions_until};
use std::time::Instant;

fn ready(body: impl Into<Body>) -> Prepared {
    Prepared::new(&body.into()).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn turned(axis: [f64; 3], degrees: f64, to: [f64; 3]) -> Pose {
    Pose::from_axis_angle(DVec3::from_array(axis).normalize(), degrees.to_radians(), to.into()).unwrap()
}

fn parts(a: &Prepared, b: &Prepared, pose: &Pose) -> Overlap {
    let found = overlap(a, b, pose, &TraceDemand::for_bodies(a, b));
    for region in &found.regions {
        let between = region.points[1] - region.points[0] + region.normal * region.depth;
        assert!(between.length() < 1e-6 * (a.radius() + b.radius()));
        assert_eq!(region.definition, DEEPEST_POINT);
    }
    found
}

#[test]
fn a_cap_is_as_deep_as_it_enters() {
    for scale in [1e-6, 1.0, 1e6] {
        let (ball, ring) = (
            ready(TiledBody::sphere(scale).unwrap()),
            ready(TiledBody::torus(2.0 * scale, 0.5 * scale).unwrap()),
        );
        for depth in [0.3, 1e-2, 1e-4] {
            let out = DVec3::new(0.6, 0.8, 0.0) * (3.5 - depth) * scale;
            let found = parts(&ring, &ball, &Pose::from_translation(out).unwrap());
            assert_eq!(found.regions.len(), 1);
            assert!((found.regions[0].depth / scale - depth).abs() < 1e-6, "{}", found.regions[0].depth);
            assert!(found.regions[0].normal.distance(out.normalize()) < 1e-3);
            assert_eq!(found.regions[0].curves.len(), 1);
        }
    }
}

#[test]
fn a_rod_through_a_ring_overlaps_it_in_two_parts() {
    let ring = ready(TiledBody::torus(2.0, 0.5).unwrap());
    let rod = ready(TiledBody::cylinder(0.3, 8.0).unwrap());
    let found = parts(&ring, &rod, &turned([0.0, 1.0, 0.0], 90.0, [0.0, 0.05, 0.02]));
    assert_eq!(found.intersection.curves.len(), 4);
    assert_eq!(found.regions.len(), 2);
    for region in &found.regions {
        assert_eq!(region.curves.len(), 2);
    }
    // Through one side only.
    let found = parts(&ring, &rod, &turned([0.0, 1.0, 0.0], 90.0, [4.0, 0.05, 0.02]));
    assert_eq!(found.regions.len(), 1);
}

#[test]
fn a_plate_on_the_ring_cuts_two_or_one() {
    let ring = ready(TiledBody::torus(2.0, 0.5).unwrap());
    let slab = ready(Polytope::cuboid(DVec3::new(1.0, 8.0, 3.0)).unwrap());
    assert_eq!(parts(&ring, &slab, &at(0.0, 0.1, 0.0)).regions.len(), 2);
    assert_eq!(parts(&ring, &slab, &at(2.2, 0.1, 0.0)).regions.len(), 1);
    // Two balls of a union dip into a plate.
    let ball = TiledBody::sphere(0.5).unwrap();
    let pair = vec![(Part::Tiled(ball.clone()), at(-1.0, 0.0, 0.0)), (Part::Tiled(ball), at(1.0, 0.0, 0.1))];
    let bell = ready(PartTree::of_parts(pair).unwrap());
    let plate = ready(Polytope::cuboid(DVec3::new(6.0, 6.0, 1.0)).unwrap());
    let found = parts(&plate, &bell, &at(0.0, 0.0, 0.8));
    assert_eq!(found.regions.len(), 2);
    assert!((found.regions[0].depth - 0.2).abs() < 1e-6 && (found.regions[1].depth - 0.1).abs() < 1e-6);
}

#[test]
fn boxes_overlap_as_deep_as_their_corners() {
    let cube = ready(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    let found = parts(&cube, &cube, &at(1.5, 1.25, 1.0));
    assert_eq!(found.regions.len(), 1);
    assert!((found.regions[0].depth - 0.5).abs() < 1e-6);
}

#[test]
fn nothing_overlaps_where_nothing_meets() {
    let (large, small) = (ready(TiledBody::sphere(2.0).unwrap()), ready(TiledBody::sphere(0.5).unwrap()));
    assert!(parts(&large, &small, &at(3.0, 0.0, 0.0)).regions.is_empty());
    // Wholly inside: one part without a curve.
    let found = parts(&large, &small, &at(0.5, 0.0, 0.0));
    assert_eq!(found.regions.len(), 1);
    assert!((found.regions[0].depth - 2.0).abs() < 1e-3 && found.regions[0].curves.is_empty());
}

/// The rim of a cylinder a millionth of the size inside a cap: the curve is smaller than the trace resolves.
#[test]
fn a_rim_that_barely_enters_has_its_region() {
    let can = Body::from(TiledBody::cylinder(0.153_069_550_808, 1.121_494_832_254).unwrap());
    let pill = Body::from(TiledBody::capsule(0.050_150_111_097, 0.443_224_799_558).unwrap());
    let rim = DVec3::new(0.153_069_550_808 * 0.6, 0.153_069_550_808 * 0.8, 0.560_747_416_127);
    let out = DVec3::new(0.45, 0.6, 0.66).normalize();
    for depth in [1e-3, 1e-5, 1e-6, 1e-7] {
        // The ball at the lower end of the pill, which points away from the can.
        let turn = Pose::from_matrix(DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, out)), DVec3::ZERO)
            .unwrap();
        let end = rim + out * (0.050_150_111_097 - depth);
        let pose = turn.with_translation(end + out * 0.221_612_399_779);
        let found = overlap_regions(&can, &pill, &pose).unwrap();
        assert_eq!(found.regions.len(), 1, "{depth}");
        let region = &found.regions[0];
        assert!((region.depth - depth).abs() < 0.1 * depth, "{} at {depth}", region.depth);
        let between = region.points[1] - region.points[0] + region.normal * region.depth;
        assert!(between.length() < 1e-6);
    }
}

#[test]
fn regions_end_with_their_time() {
    let ring = Body::from(TiledBody::torus(2.0, 0.5).unwrap());
    let can = Body::from(TiledBody::cylinder(1.0, 3.0).unwrap());
    let pose = turned([1.0, 0.3, 0.1], 40.0, [1.4, 0.2, 0.3]);
    let all = overlap_regions_until(&ring, &can, &pose, None).unwrap();
    assert!(!all.is_late && !all.regions.is_empty());
    // The time is up before it began: what is there then is said not to be all.
    let late = overlap_regions_until(&ring, &can, &pose, Some(Instant::now())).unwrap();
    assert!(late.is_late);
    let deepest = all.regions[0].upper;
    assert!(late.regions.iter().all(|region| region.depth <= deepest + 1e-9));
}
