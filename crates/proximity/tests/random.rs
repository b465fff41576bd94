//! Random pairs of all families, scales and offsets, every answer verified by its own bounds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::{Body, DVec3, HalfSpace, Polytope, Pose};
use clearance_proximity::{Ended, Proximity, Scratch, State, Tracker, certify, distance};
use clearance_testkit::data::{data_or_skip, obj_points};
use clearance_testkit::generate::{Pool, Wander, arrange};
use clearance_testkit::oracle::{Placement, SmallHull, standing};
use clearance_testkit::{Random, check_proximity, check_query, check_tolerance};
use std::collections::BTreeMap;

const SEED: u64 = 20;

fn count(counts: &BTreeMap<String, u32>, states: &[State]) -> f64 {
    let total: u32 = counts.values().sum();
    let hits: u32 = states.iter().filter_map(|s| counts.get(&format!("{s:?}"))).sum();
    f64::from(hits) / f64::from(total)
}

#[test]
fn random_pairs_are_right() {
    let pool = Pool::new(SEED, 6, 162);
    let mut scratch = Scratch::new();
    let mut ask = |a: &Body, b: &Body, pose: &Pose| scratch.distance(a, b, pose).unwrap();
    let mut states: BTreeMap<String, u32> = BTreeMap::new();
    for case in 0..20_000 {
        let mut random = Random::for_case(SEED, case);
        let (a, b) = pool.two(&mut random);
        let pair = arrange(a, b, &mut random);
        let (a, b) = (Body::from(pair.a.body.clone()), Body::from(pair.b.body.clone()));
        let (p, _) = check_query(&a, &b, &pair.pose_ab, &mut ask)
            .unwrap_or_else(|fault| panic!("case {case}, {:?}: {fault}", pair.arrangement));
        *states.entry(format!("{:?}", p.state)).or_default() += 1;
    }
    assert!((0.35..0.70).contains(&count(&states, &[State::Separated])), "{states:?}");
    assert!((0.02..0.25).contains(&count(&states, &[State::Touching])), "{states:?}");
    assert!((0.10..0.40).contains(&count(&states, &[State::Penetrating])), "{states:?}");
    assert!((0.02..0.30).contains(&count(&states, &[State::AInsideB, State::BInsideA])), "{states:?}");
}

#[test]
fn random_depths_equal_enumeration() {
    let pool = Pool::new(SEED, 3, 16);
    let mut overlapping = 0;
    for case in 0..2000 {
        let mut random = Random::for_case(SEED + 1, case);
        let (a, b) = pool.two(&mut random);
        let pair = arrange(a, b, &mut random);
        let (a, b) = (Body::from(pair.a.body.clone()), Body::from(pair.b.body.clone()));
        let p = distance(&a, &b, &pair.pose_ab).unwrap();
        if !p.state.overlaps() {
            continue;
        }
        overlapping += 1;
        let hulls = [pair.a, pair.b].map(|m| SmallHull::new(&m.vertices));
        let exact = standing(&hulls[0], &hulls[1], &Placement::from(&pair.pose_ab)).separation;
        let tolerance = check_tolerance(&a, &b, &pair.pose_ab, 0.0);
        let off = (p.signed_distance - exact).abs();
        assert!(off <= tolerance, "case {case}: {:.2} tolerances, {exact:e}, {p:?}", off / tolerance);
    }
    assert!(overlapping > 400, "{overlapping}");
}

#[test]
fn random_certificates_are_proofs() {
    let pool = Pool::new(SEED, 4, 42);
    let mut stalled = 0;
    let mut states: BTreeMap<String, u32> = BTreeMap::new();
    for case in 0..3000 {
        let mut random = Random::for_case(SEED + 2, case);
        let (a, b) = pool.two(&mut random);
        let pair = arrange(a, b, &mut random);
        let (a, b) = (Body::from(pair.a.body.clone()), Body::from(pair.b.body.clone()));
        let mut p = distance(&a, &b, &pair.pose_ab).unwrap();
        let certificate = certify(&a, &b, &pair.pose_ab, &p).unwrap();
        if let Ended::Stalled { residual } = p.ended {
            // An answer that says how far it may be off is held to that, and must be rare.
            stalled += 1;
            assert!(certificate.lower <= p.signed_distance + residual, "case {case}: {p:?}");
            continue;
        }
        *states.entry(format!("{:?}", p.state)).or_default() += 1;
        p.ended = Ended::Certified(certificate);
        if let Err(fault) = check_proximity(&a, &b, &pair.pose_ab, &p) {
            panic!("case {case}: {fault}");
        }
    }
    assert!(stalled <= 3, "{stalled} of 3000 stalled");
    assert!((0.35..0.70).contains(&count(&states, &[State::Separated])), "{states:?}");
    assert!((0.10..0.40).contains(&count(&states, &[State::Penetrating])), "{states:?}");
}

#[test]
fn random_half_spaces_are_right() {
    let pool = Pool::new(SEED, 3, 162);
    let ask = |a: &Body, b: &Body, pose: &Pose| -> Proximity { distance(a, b, pose).unwrap() };
    let mut states: BTreeMap<String, u32> = BTreeMap::new();
    for case in 0..2000 {
        let mut random = Random::for_case(SEED + 3, case);
        let member = pool.one(&mut random);
        let size = member.radius;
        let floor = HalfSpace::new(random.direction(), size * random.uniform(-3.0, 3.0)).unwrap();
        let rotation = random.quaternion();
        let place = floor.plane().normal * floor.plane().offset + 3.0 * size * random.in_ball()
            - rotation * member.middle;
        let pose = Pose::new(rotation, place).unwrap();
        let (a, b) = (Body::from(floor), Body::from(member.body.clone()));
        let (p, _) = check_query(&a, &b, &pose, ask).unwrap_or_else(|fault| panic!("case {case}: {fault}"));
        *states.entry(format!("{:?}", p.state)).or_default() += 1;
    }
    assert!((0.2..0.6).contains(&count(&states, &[State::Separated])), "{states:?}");
    assert!((0.05..0.5).contains(&count(&states, &[State::Penetrating])), "{states:?}");
    assert!((0.1..0.6).contains(&count(&states, &[State::BInsideA])), "{states:?}");
}

/// Hulls of scanned and modelled objects, tumbling past and into each other.
#[test]
fn hulls_of_real_meshes_are_right() {
    let names = ["meshes/ycb-power-drill.obj", "meshes/ycb-banana.obj", "meshes/bunny-small.obj"];
    let mut bodies = Vec::new();
    for name in names {
        let Some(file) = data_or_skip("hulls_of_real_meshes_are_right", name) else { return };
        let points = obj_points(&file);
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        let size = points.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        let unit: Vec<DVec3> = points.iter().map(|&p| (p - middle) / size).collect();
        bodies.push(Body::from(Polytope::from_points(&unit).unwrap()));
    }
    let mut apart = 0;
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies.iter().enumerate() {
            let mut tracker = Tracker::new();
            let mut ask = |a: &Body, b: &Body, pose: &Pose| tracker.update(a, b, pose).unwrap();
            for (step, pose) in Wander::new((3 * i + j) as u64, 5.0, 0.3, 2.2).take(60).enumerate() {
                let (p, _) = check_query(a, b, &pose, &mut ask)
                    .unwrap_or_else(|fault| panic!("{} and {}, step {step}: {fault}", names[i], names[j]));
                apart += usize::from(p.state == State::Separated);
            }
        }
    }
    assert!((100..440).contains(&apart), "{apart} of 540 apart");
}
