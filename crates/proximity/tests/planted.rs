//! Bodies built so that the answer is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::Body;
use clearance_proximity::{State, distance};
use clearance_testkit::planted::{Stand, Tip, plant, possible};
use clearance_testkit::{CHECK_ROUNDINGS, Random, check_query};

fn check_planted(stand: Stand) {
    let mut random = Random::new(200 + stand as u64);
    for tips in possible(stand) {
        for size in [1e-6, 1.0, 1e6] {
            for case in 0..20 {
                let planted = plant(tips, stand, size, &mut random);
                let (a, b) = (Body::from(planted.a.clone()), Body::from(planted.b.clone()));
                let answer =
                    check_query(&a, &b, &planted.pose_ab, |a, b, pose| distance(a, b, pose).unwrap());
                let (p, _) =
                    answer.unwrap_or_else(|fault| panic!("{stand:?} {tips:?} {size} {case}: {fault}"));
                let slack = CHECK_ROUNDINGS * f64::EPSILON * planted.scale;
                let off = (p.signed_distance - planted.signed_distance).abs();
                assert!(off <= slack, "{stand:?} {tips:?} {size} {case}: off by {off:e}, {p:?}");
                let state = match stand {
                    Stand::Separated => p.state == State::Separated,
                    // Planted contact is contact within the rounding of the plant.
                    Stand::Touching => p.signed_distance.abs() <= slack,
                    Stand::Penetrating => p.state == State::Penetrating,
                };
                assert!(state, "{stand:?} {tips:?} {size} {case}: {p:?}");
                check_witnesses(&planted, &p, slack);
            }
        }
    }
}

/// Where the closest points are unique and well conditioned, they are the planted ones on the planted features.
fn check_witnesses(
    planted: &clearance_testkit::planted::Planted,
    p: &clearance_proximity::Proximity,
    slack: f64,
) {
    let Some(expected) = planted.witnesses else { return };
    // Contact has many normals and features unless a face or two edges decide it.
    if planted.signed_distance <= 0.0 && planted.tips[0] as usize + planted.tips[1] as usize != 2 {
        return;
    }
    // A corner or a crossing is displaced by the slack over the steepness of its cone.
    let blunt = 1e3 * slack;
    for (witness, expected) in p.witnesses.iter().zip(expected) {
        assert!(
            (witness.point - expected).length() <= blunt.max(1e-7 * planted.scale),
            "{:?} {p:?}",
            planted.tips
        );
    }
    if planted.signed_distance > 0.0 {
        for (witness, tip) in p.witnesses.iter().zip(planted.tips) {
            assert_eq!(witness.feature.dimension(), tip as usize, "{:?} {p:?}", planted.tips);
        }
    }
}

#[test]
fn planted_separated_is_found() {
    check_planted(Stand::Separated);
}

#[test]
fn planted_touching_is_found() {
    check_planted(Stand::Touching);
}

#[test]
fn planted_penetrating_is_found() {
    check_planted(Stand::Penetrating);
}

#[test]
fn every_pair_of_features_is_planted() {
    assert_eq!(possible(Stand::Separated).len(), 9);
    assert_eq!(possible(Stand::Penetrating).len(), 6);
    assert!(!possible(Stand::Penetrating).contains(&[Tip::Vertex, Tip::Edge]));
}
