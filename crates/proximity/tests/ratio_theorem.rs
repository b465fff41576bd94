//! Theorem 2.16 of 002: the ratio metric and the signed distance bound each other.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod ratio_common;

use clearance_geometry::{DVec3, FaceId, Polytope, Pose};
use clearance_proximity::ratio;
use ratio_common::*;

/// Distance of two disjoint bodies by looking at every corner–face and edge–edge pair.
fn oracle_distance(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> f64 {
    let d = between(a, b, pose_ab);
    let place_a = |v: DVec3| v - a.center();
    let place_b = |v: DVec3| pose_ab.rotate(v - b.center()) + d;
    let faces = |body: &Polytope, place: &dyn Fn(DVec3) -> DVec3| -> Vec<Vec<DVec3>> {
        let corners = |f: u32| body.sides(FaceId(f)).iter().map(|s| place(body.vertex(s.vertex))).collect();
        (0..body.face_count() as u32).map(corners).collect()
    };
    let (faces_a, faces_b) = (faces(a, &place_a), faces(b, &place_b));
    let mut best = f64::INFINITY;
    for v in b.vertices().iter().map(|v| place_b(*v)) {
        faces_a.iter().for_each(|face| best = best.min(point_face(v, face)));
    }
    for v in a.vertices().iter().map(|v| place_a(*v)) {
        faces_b.iter().for_each(|face| best = best.min(point_face(v, face)));
    }
    for e in a.edges() {
        let p = e.vertices.map(|v| place_a(a.vertex(v)));
        for f in b.edges() {
            let q = f.vertices.map(|v| place_b(b.vertex(v)));
            best = best.min(segment_segment(p, q));
        }
    }
    best
}

/// Distance of a point from a face where its projection falls inside; the rims are edges' business.
fn point_face(v: DVec3, face: &[DVec3]) -> f64 {
    let n = (face[1] - face[0]).cross(face[2] - face[0]).normalize();
    let inside = (0..face.len()).all(|i| {
        let (p, q) = (face[i], face[(i + 1) % face.len()]);
        n.dot((q - p).cross(v - p)) >= 0.0
    });
    if inside { n.dot(v - face[0]).abs() } else { f64::INFINITY }
}

fn segment_segment([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    let point = |v: DVec3, p: DVec3, q: DVec3| {
        let e = q - p;
        v.distance(p + e * ((v - p).dot(e) / e.dot(e)).clamp(0.0, 1.0))
    };
    let mut best = point(p, r, s).min(point(q, r, s)).min(point(r, p, q)).min(point(s, p, q));
    let (e, f, w) = (q - p, s - r, r - p);
    let n = e.cross(f);
    if n.length_squared() > 1e-20 {
        let u = w.cross(f).dot(n) / n.length_squared();
        let v = w.cross(e).dot(n) / n.length_squared();
        if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
            best = best.min((p + e * u).distance(r + f * v));
        }
    }
    best
}

#[test]
fn theorem_2_16_corrected_bounds_hold() {
    let mut random = Random(31);
    let mut counts = [0; 3];
    for _ in 0..6000 {
        let a = random_solid(&mut random, 0.7, 1.0).build();
        let b = random_solid(&mut random, 0.7, 1.0).build();
        let reach = (a.radius() + b.radius()) * random.range(0.01, 1.5);
        let pose_ab = Pose::new(random.rotation(), random.direction() * reach).unwrap();
        let rho = ratio::growth(&a, &b, &pose_ab).unwrap().rho.unwrap();
        let d = between(&a, &b, &pose_ab).length();
        let inradii = a.inradius() + b.inradius();
        let slack = 1e-10 * (1.0 + rho.abs());
        let separation = oracle_separation(&a, &b, &pose_ab);
        if separation > 0.0 {
            let s = oracle_distance(&a, &b, &pose_ab);
            assert!(s >= separation - 1e-12, "the oracle itself");
            assert!(s / d <= rho + slack && rho <= s / (inradii + s) + slack, "{s} {d} {rho}");
            counts[0] += 1;
        } else {
            let s = -separation;
            assert!(rho <= -s / d + slack, "{s} {d} {rho}");
            if s < inradii {
                assert!(-s / (inradii - s) - slack <= rho, "{s} {d} {rho}");
                counts[1] += 1;
            } else {
                counts[2] += 1;
            }
        }
    }
    println!("{counts:?}: disjoint, overlapping, deeper than the inradii");
    assert!(counts[0] > 1500 && counts[1] > 1000, "{counts:?}");
}

#[test]
fn theorem_2_16_as_printed_fails_near_a_common_centre() {
    // Printed: −s/ε ≤ ρ whenever the depth s is at most ε. Two unit cubes, centres 1e-3 apart: the
    // depth is 2 − 1e-3, and ε = 2 allows it, but ρ is about −2000.
    let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
    let pose_ab = Pose::from_translation(DVec3::new(1e-3, 0.0, 0.0)).unwrap();
    let rho = ratio::growth(&cube, &cube, &pose_ab).unwrap().rho.unwrap();
    let s = -oracle_separation(&cube, &cube, &pose_ab);
    let epsilon = 2.0;
    assert!(s <= epsilon);
    assert!(rho < -s / epsilon, "{rho} {s}");
    assert!((rho + 1999.0).abs() < 1e-9);
    // The corrected bound allows it: the inradii sum to 2, so −s/(2 − s) = −1999.
    assert!((rho + s / (2.0 - s)).abs() < 1e-9);
}
