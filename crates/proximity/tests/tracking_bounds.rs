//! Motions that led trackers into bounds that do not hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DQuat, DVec3, Part, PartTree, Pose};
use clearance_proximity::Ended;
use clearance_proximity::tracking::CurvedTracker;
use clearance_testkit::Random;

/// A ball goes across from above one ball of a union to above the other: the second one's top comes through the plane across
/// the nearest points, on a piece that is not that of the nearest point but has the same parameters.
#[test]
fn second_ball_is_seen_when_it_comes_nearer() {
    let mut random = Random::new(7);
    let ball = || TiledBody::sphere(1.0).unwrap();
    let mut switches = 0;
    for case in 0..24 {
        // The same turn for both, so that their pieces have the same places.
        let turn = random.quaternion();
        let centers = [DVec3::new(-1.3, 0.0, 0.0), DVec3::new(1.3, 0.0, 0.0)];
        let parts = centers.map(|center| (Part::Tiled(ball()), Pose::new(turn, center).unwrap()));
        let both = Body::from(PartTree::of_parts(parts.to_vec()).unwrap());
        let small = Body::from(TiledBody::sphere(0.5).unwrap());
        let mut tracker = CurvedTracker::new(&both, &small).unwrap();
        let (height, aside) = (random.uniform(2.5, 6.0), random.uniform(-0.5, 0.5));
        let mut last = None;
        for step in 0..=60 {
            let place = DVec3::new(-0.6 + 0.02 * f64::from(step), aside, height);
            let pose = Pose::new(DQuat::IDENTITY, place).unwrap();
            let answer = tracker.update(&pose).unwrap();
            let away = centers.map(|center| place.distance(center) - 1.5);
            let exact = away[0].min(away[1]);
            let lower = tracker.lower();
            assert!(lower <= exact + 1e-12, "case {case}, step {step}: {lower} above {exact}");
            assert!((answer.distance - exact).abs() < 1e-8, "case {case}, step {step}: {answer:?}, {exact}");
            assert!(matches!(answer.ended, Ended::Certified(_)), "case {case}, step {step}: {answer:?}");
            let leaf = answer.witnesses[0].leaf;
            switches += usize::from(last.replace(leaf).is_some_and(|last| last != leaf));
        }
    }
    assert!(switches >= 24, "{switches} switches");
}
