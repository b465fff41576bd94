//! Common curves of real bodies: closed, on both surfaces, and at one with the classification.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_formats::{Units, step::StepModel};
use clearance_geometry::surface::ParametricSurface;
use clearance_geometry::{Body, DVec2, DVec3, Feature, Pose};
use clearance_proximity::contact::{Contact, IntersectionCurve, TraceDemand, classify, intersection};
use clearance_proximity::global::Prepared;
use clearance_testkit::{Random, data};

const NAMES: [&str; 6] = ["abc-0000", "abc-0006", "abc-0008", "abc-0035", "occt-torus", "screw"];

fn load(name: &str) -> Option<Prepared> {
    let path = data::data_or_skip("step_contact", &format!("step/{name}.step"))?;
    let model = StepModel::read(&path, Units::Millimetre).unwrap();
    let body = model.bodies.first().unwrap().to_tiled().unwrap();
    Some(Prepared::new(&Body::from(body)).unwrap())
}

/// How far the points of a curve are from the surfaces that it names, evaluated at the parameters that it gives.
fn off(curve: &IntersectionCurve, bodies: [&Prepared; 2], pose_ab: &Pose) -> f64 {
    let mut most = 0.0_f64;
    for stretch in &curve.stretches {
        for p in &stretch.points {
            for (side, body) in bodies.iter().enumerate() {
                let (Body::Tiled(tiled), Feature::Face(face)) = (body.body(), stretch.features[side]) else {
                    panic!("a face of a tiled body");
                };
                let at = p.parameters[side];
                let local = tiled.face(face).surface.point(at.x, at.y);
                let there = if side == 0 { local } else { pose_ab.apply(local) };
                most = most.max(there.distance(p.point));
            }
        }
    }
    most
}

/// The mean of the middles of a body's pieces.
fn middle(body: &Prepared) -> DVec3 {
    let leaves = body.tree().leaves();
    let sum: DVec3 = leaves.iter().map(|piece| piece.point(DVec2::splat(0.5))).sum();
    sum / leaves.len() as f64
}

#[test]
fn curves_of_real_bodies_close_and_lie_on_both() {
    let bodies: Vec<Prepared> = NAMES.iter().filter_map(|name| load(name)).collect();
    let (mut pairs, mut crossing, mut apart) = (0, 0, 0);
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i..] {
            let (large, small) = (a.radius().max(b.radius()), a.radius().min(b.radius()));
            if large > 10.0 * small {
                continue;
            }
            for angle in [0.7_f64, 1.7] {
                let axis = DVec3::new(0.3, 0.8, 0.52).normalize();
                let turn = Pose::from_axis_angle(axis, angle, DVec3::ZERO).unwrap();
                let out = DVec3::new((3.0 * angle).cos(), (3.0 * angle).sin(), 0.3).normalize();
                let to = middle(a) + out * (0.5 * small + 0.15 * large) - turn.rotate(middle(b));
                let pose = Pose::from_axis_angle(axis, angle, to).unwrap();
                let found = intersection(a, b, &pose, &TraceDemand::for_bodies(a, b));
                assert!(found.complete, "{:?}", found.unresolved.first());
                assert!(found.curves.iter().all(|curve| curve.closed));
                for curve in &found.curves {
                    assert!(off(curve, [a, b], &pose) <= 1e-9 * (a.radius() + b.radius()));
                }
                match classify(a, b, &pose, 1e-9 * (a.radius() + b.radius())) {
                    Contact::Crossing(_) => assert!(!found.curves.is_empty()),
                    Contact::Apart { .. } => assert!(found.curves.is_empty()),
                    other => panic!("{other:?}"),
                }
                pairs += 1;
                crossing += usize::from(!found.curves.is_empty());
                apart += usize::from(found.curves.is_empty());
            }
        }
    }
    if bodies.len() == NAMES.len() {
        assert!(pairs >= 20 && crossing >= 15 && apart >= 2, "{pairs} {crossing} {apart}");
    }
}

#[test]
fn curves_of_real_bodies_close_at_random_poses() {
    let bodies: Vec<Prepared> = NAMES.iter().filter_map(|name| load(name)).collect();
    let mut random = Random::new(8);
    let mut crossing = 0;
    for _ in 0..if bodies.is_empty() { 0 } else { 400 } {
        let (a, b) = (random.pick(&bodies).clone(), random.pick(&bodies).clone());
        let (large, small) = (a.radius().max(b.radius()), a.radius().min(b.radius()));
        if large > 10.0 * small {
            continue;
        }
        let turn = random.quaternion();
        let to = middle(&a) + random.direction() * (0.5 * small + 0.15 * large) - turn * middle(&b);
        let pose = Pose::new(turn, to).unwrap();
        let found = intersection(&a, &b, &pose, &TraceDemand::for_bodies(&a, &b));
        assert!(found.complete && found.curves.iter().all(|curve| curve.closed), "{pose:?}");
        crossing += usize::from(!found.curves.is_empty());
    }
    assert!(bodies.len() < NAMES.len() || crossing >= 100, "{crossing}");
}
