//! Common curves of crossing surfaces against closed forms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::contact::{Intersection, TraceDemand, intersection};
use clearance_proximity::global::Prepared;
use std::f64::consts::TAU;

fn ready(body: impl Into<Body>) -> Prepared {
    Prepared::new(&body.into()).unwrap()
}

fn trace(a: &Prepared, b: &Prepared, pose: &Pose) -> Intersection {
    intersection(a, b, pose, &TraceDemand::for_bodies(a, b))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn turned(axis: [f64; 3], degrees: f64, to: [f64; 3]) -> Pose {
    Pose::from_axis_angle(DVec3::from_array(axis).normalize(), degrees.to_radians(), to.into()).unwrap()
}

fn assert_close(value: f64, expected: f64, relative: f64) {
    assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
}

fn one_closed(found: &Intersection) -> f64 {
    assert!(found.complete, "{:?}", found.unresolved.first());
    assert!(found.proof.is_some());
    assert_eq!(found.curves.len(), 1);
    assert!(found.curves[0].closed);
    found.curves[0].length
}

#[test]
fn spheres_cross_in_a_circle() {
    let (a, b) = (ready(TiledBody::sphere(1.0).unwrap()), ready(TiledBody::sphere(0.7).unwrap()));
    for pose in [
        at(1.0, 0.3, 0.2),
        at(1.2, 0.0, 0.0),
        at(0.0, 0.0, 1.1),
        at(0.0, 0.9, 0.0),
        at(0.5, 0.5, 0.5),
        at(1.699, 0.0, 0.01),
        turned([1.0, 2.0, 3.0], 40.0, [0.8, 0.1, -0.4]),
        turned([1.0, 2.0, 3.0], 40.0, [0.31, 0.1, 0.0]),
    ] {
        let d = pose.translation().length();
        let x = (d * d + 1.0 - 0.49) / (2.0 * d);
        let found = trace(&a, &b, &pose);
        let length = one_closed(&found);
        assert_close(length, TAU * (1.0 - x * x).sqrt(), 1e-4);
        let n = pose.translation() / d;
        for p in found.curves[0].points() {
            assert!((p.point.dot(n) - x).abs() < 1e-10 && (p.point.length() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_thin_cylinder_pierces_a_thick_one_in_two_loops() {
    let (a, b) =
        (ready(TiledBody::cylinder(1.0, 4.0).unwrap()), ready(TiledBody::cylinder(0.5, 4.0).unwrap()));
    for pose in [
        turned([1.0, 0.0, 0.0], 90.0, [0.0, 0.0, 0.0]),
        turned([1.0, 0.1, 0.0], 70.0, [0.1, 0.02, 0.3]),
        turned([1.0, 0.0, 0.0], 90.0, [0.45, 0.0, 0.3]),
    ] {
        let found = trace(&a, &b, &pose);
        assert!(found.complete && found.proof.is_some());
        assert_eq!(found.curves.len(), 2);
        assert!(found.curves.iter().all(|curve| curve.closed));
        for p in found.curves.iter().flat_map(|c| c.points()) {
            assert!((p.point.truncate().length() - 1.0).abs() < 1e-12);
            assert!((pose.apply_inverse(p.point).truncate().length() - 0.5).abs() < 1e-12);
        }
    }
}

#[test]
fn a_plate_cuts_a_torus() {
    let ring = ready(TiledBody::torus(2.0, 0.5).unwrap());
    let plate = ready(Polytope::cuboid(DVec3::new(8.0, 8.0, 1.0)).unwrap());
    // The upper side of the plate at z = 0.2 cuts in two circles around the axis.
    let found = trace(&ring, &plate, &at(0.0, 0.0, -0.3));
    assert!(found.complete);
    let mut lengths: Vec<f64> = found.curves.iter().map(|c| c.length).collect();
    lengths.sort_by(f64::total_cmp);
    let w = (0.25_f64 - 0.04).sqrt();
    assert_eq!(lengths.len(), 2);
    assert_close(lengths[0], TAU * (2.0 - w), 1e-4);
    assert_close(lengths[1], TAU * (2.0 + w), 1e-4);
    // Upright through the axis: four half discs, two circles of the tube for each side of the plate.
    let found = trace(&ring, &plate, &turned([1.0, 0.0, 0.0], 90.0, [0.0, 0.13, 0.0]));
    assert!(found.complete);
    assert_eq!(found.curves.len(), 4);
    // A plane that touches the ring twice cuts it in Villarceau's circles, of the major radius.
    let tilt = (0.5_f64 / 2.0).asin();
    let pose = Pose::from_axis_angle(DVec3::X, tilt, DVec3::ZERO).unwrap();
    let down = Pose::from_axis_angle(DVec3::X, tilt, pose.rotate(DVec3::Z * -0.5)).unwrap();
    let found = trace(&ring, &plate, &down);
    assert!(!found.complete && !found.unresolved.is_empty());
    assert_eq!(found.curves.len(), 2);
    for curve in &found.curves {
        assert!(curve.closed);
        assert_close(curve.length, TAU * 2.0, 1e-3);
    }
}

#[test]
fn boxes_cross_in_a_polygon() {
    let a = ready(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    let found = trace(&a, &a, &at(1.0, 1.2, 0.9));
    assert_close(one_closed(&found), 2.0 * (1.0 + 0.8 + 1.1), 1e-9);
    let found = trace(&a, &a, &turned([1.0, 0.3, 0.2], 33.0, [1.1, 0.9, 1.2]));
    one_closed(&found);
    // Flush sides: said, not guessed.
    let found = trace(&a, &a, &at(1.0, 0.5, 0.0));
    assert!(!found.complete && !found.coincident.is_empty());
}

#[test]
fn a_sphere_in_a_cylinder_touches_or_crosses() {
    let tube = ready(TiledBody::cylinder(1.0, 4.0).unwrap());
    let found = trace(&tube, &ready(TiledBody::sphere(1.2).unwrap()), &at(0.0, 0.0, 0.1));
    assert_eq!(found.curves.len(), 2);
    assert!(found.complete);
    for curve in &found.curves {
        assert_close(curve.length, TAU, 1e-4);
    }
    // The same radius: a whole circle of tangency, nothing proven.
    let found = trace(&tube, &ready(TiledBody::sphere(1.0).unwrap()), &at(0.0, 0.0, 0.1));
    assert!(!found.complete && found.proof.is_none());
}

#[test]
fn caps_and_sides_share_one_curve() {
    let (a, b) = (ready(TiledBody::cylinder(1.0, 2.0).unwrap()), ready(TiledBody::sphere(0.5).unwrap()));
    // Over the rim: the curve runs on the side and on the top, one component.
    let found = trace(&a, &b, &at(1.03, 0.1, 1.02));
    one_closed(&found);
    let faces: std::collections::BTreeSet<_> =
        found.curves[0].stretches.iter().map(|s| s.features[0].number()).collect();
    assert_eq!(faces.len(), 2);
    let found = trace(&a, &b, &at(0.1, 0.2, 1.1));
    assert_close(one_closed(&found), TAU * (0.25_f64 - 0.01).sqrt(), 1e-4);
    // A pole of the sphere on the side, and its equator in the top.
    let found = trace(&a, &b, &at(1.0, 0.0, 1.0));
    assert_eq!(found.curves.len(), 1);
    assert!(found.curves[0].closed);
}

#[test]
fn a_plane_through_the_poles_cuts_a_great_circle() {
    let ball = ready(TiledBody::sphere(1.0).unwrap());
    let plate = ready(Polytope::cuboid(DVec3::new(0.9, 4.0, 4.0)).unwrap());
    for degrees in [0.0, 20.0, 45.0_f64] {
        let out = DVec3::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0) * 0.45;
        let pose = Pose::from_axis_angle(DVec3::Z, degrees.to_radians(), out).unwrap();
        let found = trace(&ball, &plate, &pose);
        assert!(found.complete);
        assert_eq!(found.curves.len(), 2);
        assert!(found.curves.iter().all(|curve| curve.closed));
        let longest = found.curves.iter().fold(0.0, |most, curve| curve.length.max(most));
        assert_close(longest, TAU, 1e-4);
    }
}
