//! Contact and proven crossing, told apart.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::contact::{Contact, ContactKind, classify};
use clearance_proximity::global::Prepared;

const TOLERANCE: f64 = 1e-9;

fn ready(body: impl Into<Body>) -> Prepared {
    Prepared::new(&body.into()).unwrap()
}

fn turned(axis: [f64; 3], degrees: f64, to: DVec3) -> Pose {
    Pose::from_axis_angle(DVec3::from_array(axis).normalize(), degrees.to_radians(), to).unwrap()
}

fn kind(a: &Prepared, b: &Prepared, pose: &Pose) -> &'static str {
    let found = classify(a, b, pose, TOLERANCE * (a.radius() + b.radius()));
    match found {
        Contact::Apart { .. } => "apart",
        Contact::Touching { kind: ContactKind::Tangential, .. } => "tangential",
        Contact::Touching { kind: ContactKind::Boundary, .. } => "boundary",
        Contact::Crossing(_) => "crossing",
        Contact::Overlapping { kind: ContactKind::Tangential, .. } => "tangential overlap",
        Contact::Overlapping { kind: ContactKind::Boundary, .. } => "boundary overlap",
        Contact::Open { .. } => "open",
    }
}

#[test]
fn a_gap_a_touch_and_an_overlap_are_told_apart() {
    for scale in [1e-6, 1.0, 1e6] {
        let (ball, ring) = (
            ready(TiledBody::sphere(scale).unwrap()),
            ready(TiledBody::torus(2.0 * scale, 0.5 * scale).unwrap()),
        );
        let out = DVec3::new(0.6, 0.8, 0.0);
        for (extra, expected) in [
            (1e-3, "apart"),
            (1e-6, "apart"),
            (0.0, "tangential"),
            (-1e-7, "crossing"),
            (-1e-6, "crossing"),
            (-1e-3, "crossing"),
        ] {
            let pose = turned([0.3, 0.2, 1.0], 25.0, out * (3.5 + extra) * scale);
            assert_eq!(kind(&ring, &ball, &pose), expected, "{scale} {extra}");
        }
    }
}

#[test]
fn edges_and_vertices_touch_at_the_boundary() {
    let cube = ready(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    let ball = ready(TiledBody::sphere(1.0).unwrap());
    let rod = ready(TiledBody::cylinder(1.0, 2.0).unwrap());
    // A vertex on the sphere; an edge; a face.
    let corner = DVec3::splat(1.0 + 1.0 / 3.0_f64.sqrt());
    assert_eq!(kind(&cube, &ball, &turned([1.0, 2.0, 0.5], 30.0, corner)), "boundary");
    let edge = DVec3::new(1.0 + 0.5_f64.sqrt(), 1.0 + 0.5_f64.sqrt(), 0.2);
    assert_eq!(kind(&cube, &ball, &turned([1.0, 2.0, 0.5], 30.0, edge)), "boundary");
    assert_eq!(kind(&cube, &ball, &turned([1.0, 2.0, 0.5], 30.0, DVec3::new(0.1, 2.0, 0.2))), "tangential");
    // The rim of a tilted cylinder on a face.
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let low = sin + cos;
    assert_eq!(
        kind(&cube, &rod, &turned([1.0, 0.0, 0.0], 30.0, DVec3::new(0.1, 0.0, 1.0 + low))),
        "boundary"
    );
    assert_eq!(
        kind(&cube, &rod, &turned([1.0, 0.0, 0.0], 30.0, DVec3::new(0.1, 0.0, 1.0 + low - 1e-4))),
        "crossing"
    );
    // Two crossed edges.
    let crossed = turned([0.0, 0.0, 1.0], 45.0, DVec3::new(0.0, 0.0, 0.0));
    let pose = Pose::from_matrix(
        crossed.rotation() * turned([1.0, 0.0, 0.0], 45.0, DVec3::ZERO).rotation(),
        DVec3::new(0.0, 0.0, 1.0 + 2.0_f64.sqrt()),
    )
    .unwrap();
    assert_eq!(kind(&cube, &cube, &pose), "boundary");
}

#[test]
fn a_body_inside_another_is_apart() {
    let (large, small) = (ready(TiledBody::sphere(2.0).unwrap()), ready(TiledBody::sphere(1.0).unwrap()));
    assert_eq!(kind(&large, &small, &turned([1.0, 0.0, 0.0], 10.0, DVec3::new(0.2, 0.3, 0.1))), "apart");
    assert_eq!(
        kind(&large, &small, &turned([1.0, 0.0, 0.0], 10.0, DVec3::new(0.0, 1.0, 0.0))),
        "tangential overlap"
    );
}

#[test]
fn points_and_segments_touch_or_pierce() {
    let ball = ready(TiledBody::sphere(1.0).unwrap());
    let point = ready(Polytope::point());
    let needle = ready(Polytope::segment([DVec3::new(0.0, 0.0, -2.0), DVec3::new(0.1, 0.2, 0.3)]).unwrap());
    assert_eq!(kind(&ball, &point, &Pose::from_translation(DVec3::X * 1.5).unwrap()), "apart");
    assert_eq!(kind(&ball, &point, &Pose::from_translation(DVec3::new(0.6, 0.0, 0.8)).unwrap()), "boundary");
    assert_eq!(kind(&ball, &needle, &Pose::IDENTITY), "crossing");
    assert_eq!(kind(&needle, &ball, &Pose::IDENTITY), "crossing");
    assert_eq!(kind(&ball, &needle, &Pose::from_translation(DVec3::Z * 0.5).unwrap()), "crossing");
    assert_eq!(kind(&needle, &needle, &Pose::from_translation(DVec3::Z * 5.0).unwrap()), "apart");
    // Along the tangent at a pole.
    let beam = ready(Polytope::segment([DVec3::new(-2.0, 0.0, 1.0), DVec3::new(2.0, 0.3, 1.0)]).unwrap());
    assert_eq!(kind(&ball, &beam, &Pose::from_translation(DVec3::Y * -0.15).unwrap()), "boundary");
}
