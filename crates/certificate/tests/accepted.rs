//! Certificates of scenes with known answers are accepted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod writer;

use clearance_certificate::{Certificate, Pose, Refusal, Shape, Side, Step, check, check_certificate};
use writer::scenes::{NAMES, scene};
use writer::{Random, V};

#[test]
fn every_scene_is_accepted_at_every_scale() {
    let mut random = Random(1);
    for name in NAMES {
        for scale in [1e-6, 1.0, 1e6] {
            for round in 0..2 {
                let certificate = scene(name, scale, &mut random);
                let json = certificate.to_json();
                let verdict = check(json.as_bytes())
                    .unwrap_or_else(|refusal| panic!("{name} at {scale}, {round}: {refusal}"));
                assert!(verdict.leaves > 0 && verdict.error() < 0.06 * scale);
                assert_eq!(
                    Certificate::from_json(json.as_bytes()).unwrap(),
                    certificate,
                    "the file is the data"
                );
            }
        }
    }
}

/// The same proof with the bodies exchanged, so that what stood still is moved.
fn swapped(certificate: &Certificate) -> Certificate {
    let mut other = certificate.clone();
    other.bodies.reverse();
    other.witnesses.reverse();
    let Pose { rotation, translation } = certificate.pose;
    let back = |v: V| [0, 1, 2].map(|k| (0..3).map(|row| rotation[row][k] * v[row]).sum::<f64>());
    let column = |k: usize| [rotation[0][k], rotation[1][k], rotation[2][k]];
    other.pose =
        Pose { rotation: [column(0), column(1), column(2)], translation: back(translation).map(|x| -x) };
    let turned = |side: Side| if side == Side::A { Side::B } else { Side::A };
    for step in &mut other.proof {
        *step = match *step {
            Step::Split { side, axis } => Step::Split { side: turned(side), axis },
            Step::Slab { direction } => Step::Slab { direction: back(direction).map(|x| -x) },
            Step::Free { side, alpha, beta } => Step::Free { side: turned(side), alpha, beta },
            Step::Outside { side } => Step::Outside { side: turned(side) },
            Step::Empty { side } => Step::Empty { side: turned(side) },
        };
    }
    other.seal();
    other
}

#[test]
fn swapped_scenes_are_accepted() {
    let mut random = Random(21);
    for name in NAMES {
        let certificate = scene(name, 1.0, &mut random);
        let verdict =
            check_certificate(&swapped(&certificate)).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert_eq!(verdict.steps, certificate.proof.len());
    }
}

#[test]
fn scenes_far_from_the_origin_are_accepted() {
    let mut random = Random(22);
    let far = [1e3, -2e3, 500.0];
    for name in NAMES.iter().filter(|name| !name.contains("level") && !name.contains("half")) {
        let mut certificate = scene(name, 1.0, &mut random);
        for piece in &mut certificate.bodies[0].pieces {
            let Shape::Patch(patch) = &mut piece.shape else { continue };
            patch.points.iter_mut().for_each(|p| (0..3).for_each(|k| p[k] += far[k] * p[3]));
        }
        (0..3).for_each(|k| certificate.pose.translation[k] += far[k]);
        certificate.seal();
        check_certificate(&certificate).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    }
}

/// A witness in the rectangle of a trim part is accepted, and said to be on the boundary.
#[test]
fn witness_on_a_boundary_is_told() {
    let mut certificate = scene("hole", 1.0, &mut Random(23));
    let edge = 0.5 + 0.25 * std::f64::consts::FRAC_1_SQRT_2;
    certificate.witnesses[0] = clearance_certificate::Witness { piece: 0, at: vec![edge, edge] };
    assert_eq!(check_certificate(&certificate).unwrap().on_boundary, [true, false]);
    certificate.witnesses[0].at = vec![edge - 0.05, edge - 0.05];
    assert!(matches!(check_certificate(&certificate), Err(Refusal::Witness { .. })));
}

/// One slab along the normal settles two curved patches, though their hulls overlap it.
#[test]
fn slabs_of_curved_patches_are_proven_by_their_parts() {
    let mut random = Random(24);
    for scale in [1e-6, 1.0, 1e6] {
        for _ in 0..5 {
            let mut certificate = scene("spheres", scale, &mut random);
            // Spheres are convex: the direction of their centres suffices for all 64 pairs of octants.
            let direction = certificate.pose.translation;
            let groups = |side: Side| Step::Split { side, axis: None };
            let leaf = vec![Step::Slab { direction }];
            let all = |side: Side, below: &[Step]| {
                let mut steps = vec![groups(side)];
                for _ in 0..2 {
                    steps.push(groups(side));
                    (0..4).for_each(|_| steps.extend(below));
                }
                steps
            };
            certificate.proof = all(Side::A, &all(Side::B, &leaf));
            certificate.lower_bound = certificate.distance - 1e-9 * scale;
            let verdict = check_certificate(&certificate).unwrap();
            assert_eq!(verdict.leaves, 64);
            certificate.lower_bound = certificate.distance + 1e-13 * scale;
            assert!(matches!(check_certificate(&certificate), Err(Refusal::Step { .. })));
        }
    }
}
