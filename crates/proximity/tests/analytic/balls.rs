//! A ball against bodies that are asked about once, by the feet of its middle, beside the search between surfaces.

use super::points::analytic;
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Part, PartTree, Pose};
use clearance_proximity::global::{Prepared, nearest};
use clearance_proximity::{Ended, Precision, Scratch, State};
use clearance_testkit::Random;

/// All bodies with formulas, and as many ellipsoids as asked for, which have none, at random places in one union.
fn union(random: &mut Random, ellipsoids: usize) -> Body {
    let others = (0..ellipsoids).map(|_| TiledBody::ellipsoid([0.9, 0.5, 0.4]).unwrap());
    let parts = analytic().into_iter().chain(others).map(|body| {
        let axis = random.direction();
        let place = random.direction() * random.uniform(0.0, 4.0);
        let pose = Pose::from_axis_angle(axis, random.uniform(-3.0, 3.0), place).unwrap();
        (Part::Tiled(body), pose)
    });
    // Without an inside: a ball within a part would have no distance.
    Body::from(PartTree::of_parts(parts.collect()).unwrap()).boundary()
}

#[test]
fn feet_of_balls_agree_with_the_search_between_surfaces() {
    let mut random = Random::new(77);
    let [mut by_feet, mut on_others, mut faces, mut edges] = [0; 4];
    for round in 0..120 {
        let radius = random.uniform(0.05, 0.6);
        let (body, ball) = (union(&mut random, round % 4), Body::from(TiledBody::sphere(radius).unwrap()));
        let place = random.direction() * random.uniform(0.0, 6.0);
        let pose_ab = Pose::from_axis_angle(random.direction(), random.uniform(-3.0, 3.0), place).unwrap();
        let ready = [Prepared::new(&body).unwrap(), Prepared::new(&ball).unwrap()];
        let known = nearest(&ready[0], &ready[1], &pose_ab, &ready[0].demand(&ready[1], &pose_ab));
        if known.proximity.state != State::Separated {
            continue;
        }
        let size = ready[0].radius() + ready[1].radius();
        let found = Scratch::new().find(&body, &ball, &pose_ab, &Precision::default()).unwrap();
        let swapped = Scratch::new().find(&ball, &body, &pose_ab.inverse(), &Precision::default()).unwrap();
        for (found, pose, flipped) in [(&found, &Pose::IDENTITY, false), (&swapped, &pose_ab, true)] {
            let answer = &found.proximity;
            let lower = found.lower.unwrap();
            assert!((answer.distance - known.proximity.distance).abs() < 2e-9 * size, "{round}: {answer:?}");
            assert!(lower <= known.proximity.distance && lower > answer.distance - 2e-9 * size, "{round}");
            let [p, q] = answer.witnesses.map(|witness| pose.apply(witness.point));
            assert!((p.distance(q) - answer.distance).abs() < 1e-12 * size, "{round}: {answer:?}");
            let center = pose_ab.apply(DVec3::ZERO);
            let on_ball = if flipped { p } else { q };
            assert!((on_ball.distance(center) - radius).abs() < 1e-12 * size, "{round}: {answer:?}");
            assert!(matches!(answer.ended, Ended::Certified(_)));
            by_feet += usize::from(answer.work.iterations == 1);
            let own = &answer.witnesses[usize::from(flipped)];
            on_others += usize::from(own.leaf as usize >= analytic().len());
            faces += usize::from(matches!(own.feature, clearance_geometry::Feature::Face(_)));
            edges += usize::from(matches!(own.feature, clearance_geometry::Feature::Edge(_)));
        }
    }
    let counts = [by_feet, on_others, faces, edges];
    assert!(by_feet >= 100 && on_others >= 8 && faces >= 60 && edges >= 10, "{counts:?}");
}

/// A body all of whose features have formulas is never made ready for a ball: what was asked before tells nothing.
#[test]
fn feet_of_balls_are_the_same_bits_however_often_they_are_asked_for() {
    let mut random = Random::new(78);
    let mut apart = 0;
    for _ in 0..6 {
        let (body, ball) = (union(&mut random, 0), Body::from(TiledBody::sphere(0.3).unwrap()));
        let mut used = Scratch::new();
        for _ in 0..20 {
            let place = random.direction() * random.uniform(0.0, 6.0);
            let pose = Pose::from_axis_angle(random.direction(), random.uniform(-3.0, 3.0), place).unwrap();
            let again = used.find(&body, &ball, &pose, &Precision::default()).unwrap();
            let fresh = Scratch::new().find(&body, &ball, &pose, &Precision::default()).unwrap();
            if fresh.proximity.state == State::Separated && fresh.proximity.work.iterations == 1 {
                assert_eq!(again, fresh);
                apart += 1;
            }
        }
    }
    assert!(apart > 60, "{apart}");
}
