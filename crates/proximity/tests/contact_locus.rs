//! Nearest points that are not unique, against closed forms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::contact::{Locus, RegionKind, locus};
use clearance_proximity::global::{Demand, Prepared, SearchMemory, search};

fn ready(body: impl Into<Body>) -> Prepared {
    Prepared::new(&body.into()).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn turned(axis: [f64; 3], degrees: f64, to: [f64; 3]) -> Pose {
    Pose::from_axis_angle(DVec3::from_array(axis).normalize(), degrees.to_radians(), to.into()).unwrap()
}

/// The set of nearest pairs of surfaces, whose distance must be `distance`.
fn set(a: &Prepared, b: &Prepared, pose: &Pose, distance: f64) -> Locus {
    let size = a.radius() + b.radius();
    let (max_error, contact) = (1e-6 * size, 1e-9 * size);
    let demand = Demand { max_error, contact, max_pairs: 10_000, proof: None, deadline: None };
    let surfaces = [a.body().boundary(), b.body().boundary()];
    let found = search(
        [&surfaces[0], &surfaces[1]],
        [a.tree(), b.tree()],
        pose,
        demand,
        &mut SearchMemory::default(),
    );
    let near = found.nearest.unwrap();
    assert!((near.distance - distance).abs() < 1e-8 * size, "{} is not {distance}", near.distance);
    let set = locus(a, b, pose, &near, 1e-8 * size);
    for sample in set.regions.iter().flat_map(|region| &region.samples) {
        assert!(sample[0].distance(sample[1]) <= near.distance + 1e-7 * size);
    }
    set
}

fn kinds(set: &Locus) -> Vec<RegionKind> {
    set.regions.iter().map(|region| region.kind).collect()
}

#[test]
fn isolated_contacts_are_points() {
    let ball = ready(TiledBody::sphere(1.0).unwrap());
    let ring = ready(TiledBody::torus(2.0, 0.5).unwrap());
    let cube = ready(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    assert_eq!(
        kinds(&set(
            &ball,
            &ball,
            &turned([1.0, 2.0, 3.0], 20.0, [2.5, 0.3, 0.1]),
            (2.5_f64 * 2.5 + 0.1).sqrt() - 2.0
        )),
        [RegionKind::Point]
    );
    assert_eq!(kinds(&set(&ball, &ball, &at(0.0, 1.2, 1.6), 0.0)), [RegionKind::Point]);
    assert_eq!(kinds(&set(&ring, &ball, &at(2.1, 2.8, 0.0), 0.0)), [RegionKind::Point]);
    assert_eq!(kinds(&set(&cube, &ball, &at(0.1, 0.2, 2.0), 0.0)), [RegionKind::Point]);
    // Two places at once.
    let found = set(
        &ready(Polytope::cuboid(DVec3::new(6.0, 6.0, 1.0)).unwrap()),
        &ready(TiledBody::capsule(0.5, 0.0001).unwrap()),
        &at(0.0, 0.0, 1.5),
        0.49995,
    );
    assert!(!found.regions.is_empty());
}

#[test]
fn curves_of_nearest_points_are_followed_from_end_to_end() {
    let rod = ready(TiledBody::cylinder(1.0, 4.0).unwrap());
    let plate = ready(Polytope::cuboid(DVec3::new(8.0, 8.0, 1.0)).unwrap());
    let ball = ready(TiledBody::sphere(0.5).unwrap());
    let ring = ready(TiledBody::torus(2.0, 0.5).unwrap());
    // A cylinder lying over a plate: a segment of its length.
    for gap in [0.25, 0.0] {
        let found = set(&plate, &rod, &turned([1.0, 0.0, 0.0], 90.0, [0.0, 0.0, 1.5 + gap]), gap);
        assert_eq!(kinds(&found), [RegionKind::Curve]);
        let region = &found.regions[0];
        assert!(!region.closed);
        let ends = [region.samples[0][0], region.samples[region.samples.len() - 1][0]];
        assert!((ends[0].distance(ends[1]) - 4.0).abs() < 1e-6);
        // In order.
        for pair in region.samples.windows(2) {
            assert!(pair[0][0].distance(pair[1][0]) <= 2.5 * found.spacing);
        }
    }
    // Parallel cylinders, shifted along each other.
    let found = set(&rod, &rod, &at(0.0, 3.0, 1.0), 1.0);
    assert_eq!(kinds(&found), [RegionKind::Curve]);
    let zs: Vec<f64> = found.regions[0].samples.iter().map(|s| s[0].z).collect();
    let (low, high) = zs.iter().fold((9.0, -9.0), |(l, h), z| (z.min(l), z.max(h)));
    assert!((low + 1.0_f64).abs() < 1e-6 && (high - 2.0_f64).abs() < 1e-6);
    // A ring on a plate: a circle.
    for gap in [0.3, 0.0] {
        let found = set(&plate, &ring, &at(0.0, 0.0, 1.0 + gap), gap);
        assert_eq!(kinds(&found), [RegionKind::Curve]);
        assert!(found.regions[0].closed);
        for sample in &found.regions[0].samples {
            assert!((sample[0].truncate().length() - 2.0).abs() < 1e-3);
        }
    }
    // A ball in the middle of the ring.
    let found = set(&ring, &ball, &at(0.0, 0.0, 0.0), 1.0);
    assert_eq!(kinds(&found), [RegionKind::Curve]);
    assert!(found.regions[0].closed);
    // A cylinder standing beside a disc's rim: both rims around.
    let found = set(&rod, &ready(TiledBody::cylinder(0.5, 1.0).unwrap()), &at(0.0, 0.0, 4.0), 1.5);
    assert_eq!(kinds(&found), [RegionKind::Area]);
}

#[test]
fn areas_of_nearest_points_reach_to_their_corners() {
    let cube = ready(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    for gap in [0.5, 0.0] {
        let found = set(&cube, &cube, &at(0.5, -0.25, 2.0 + gap), gap);
        assert_eq!(kinds(&found), [RegionKind::Area]);
        for corner in [(-0.5, -1.0), (1.0, -1.0), (1.0, 0.75), (-0.5, 0.75)] {
            let corner = DVec3::new(corner.0, corner.1, 1.0);
            assert!(found.regions[0].samples.iter().any(|s| s[0].distance(corner) < 1e-9), "{corner}");
        }
    }
    // A turned one: the corners of an octagon.
    let found = set(&cube, &cube, &turned([0.0, 0.0, 1.0], 45.0, [0.0, 0.0, 2.5]), 0.5);
    assert_eq!(kinds(&found), [RegionKind::Area]);
    let corner = DVec3::new(1.0, 2.0_f64.sqrt() - 1.0, 1.0);
    assert!(found.regions[0].samples.iter().any(|s| s[0].distance(corner) < 1e-9));
    // A pin in a hole of the same axis, a ball in a ball.
    let tube = |r: f64, z: f64| TiledBody::cylinder(r, z).unwrap();
    let found = set(&ready(tube(2.0, 8.0)), &ready(tube(1.5, 2.0)), &at(0.0, 0.0, 0.5), 0.5);
    assert_eq!(kinds(&found), [RegionKind::Area]);
    let found = set(
        &ready(TiledBody::sphere(2.0).unwrap()),
        &ready(TiledBody::sphere(1.0).unwrap()),
        &at(0.0, 0.0, 0.0),
        1.0,
    );
    assert_eq!(kinds(&found), [RegionKind::Area]);
}

#[test]
fn separate_places_are_separate_regions() {
    // A dumb-bell over a plate.
    let plate = ready(Polytope::cuboid(DVec3::new(8.0, 8.0, 1.0)).unwrap());
    let ring = ready(TiledBody::torus(2.0, 0.5).unwrap());
    // Two rings linked at right angles, centred on each other: nearest at two places.
    let found = set(&ring, &ring, &turned([1.0, 0.0, 0.0], 90.0, [2.0, 0.0, 0.0]), 1.0);
    assert!(found.complete && !found.regions.is_empty());
    let found = set(&plate, &ring, &turned([1.0, 0.0, 0.0], 90.0, [0.0, 0.0, 3.5]), 0.5);
    assert_eq!(kinds(&found), [RegionKind::Point]);
}
