//! Motions that led trackers into bounds that do not hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod tracking_common;

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DQuat, DVec2, DVec3, FaceId, Feature, Part, PartTree, Pose};
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, State, nearest_points};
use clearance_testkit::Random;
use tracking_common::{bowl, pen, sheet};

/// A ball goes across from above one ball of a union to above the other: the second one, which was farther, is nearest in the
/// frame in which it is. (That the pieces of one are not taken for those of the other is tested beside the crest itself.)
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

/// Two sheets tumble about a corner that is nearest: what is known of the parts around a corner that stays must go as soon as an
/// edge or the middle of the sheet swings past it.
#[test]
fn sheets_swing_past_their_corners() {
    let mut random = Random::new(19);
    let (mut corners, mut left, mut apart) = (0, 0, 0);
    for case in 0..12 {
        let sheets = [0, 1].map(|_| sheet(random.uniform(0.0, 6.0)));
        let mut tracker = CurvedTracker::new(&sheets[0], &sheets[1]).unwrap();
        // A corner of B stays above a place of A, all of B above it at first, while B turns about it.
        let corner = DVec3::new(1.5, 1.5, 0.0);
        let above =
            DVec3::new(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(1.0, 2.0));
        let upright = DQuat::from_rotation_arc(-corner.normalize(), DVec3::Z);
        let mut turn = DQuat::from_rotation_z(random.uniform(0.0, 6.0)) * upright;
        let step = DQuat::from_axis_angle(random.direction(), random.uniform(0.005, 0.03));
        let mut was = false;
        for frame in 0..120 {
            turn = (step * turn).normalize();
            let pose = Pose::new(turn, above - turn * corner).unwrap();
            let answer = tracker.update(&pose).unwrap();
            if answer.state != State::Separated {
                continue;
            }
            let (truth, _) = nearest_points(&sheets[0], &sheets[1], &pose, &Precision::default()).unwrap();
            let expected = truth.proximity.distance;
            let lower = tracker.lower();
            assert!(lower <= expected + 1e-12, "case {case}, frame {frame}: {lower} above {expected}");
            assert!(
                (answer.distance - expected).abs() < 1e-7,
                "case {case}, frame {frame}: {answer:?}, {expected}"
            );
            let is = is_corner(&sheets[1], pose.inverse().apply(answer.witnesses[1].point));
            corners += usize::from(is);
            left += usize::from(was && !is);
            (was, apart) = (is, apart + 1);
        }
    }
    assert!(apart > 500 && corners > 200 && left > 3, "{apart} apart, {corners} at corners, {left} left");
}

/// Whether a point is a corner of its body.
fn is_corner(body: &Body, point: DVec3) -> bool {
    let Body::Tiled(tiled) = body else { return false };
    tiled.vertices().iter().any(|corner| corner.distance(point) < 1e-9)
}

/// Sheets rock to and fro: bumps come through the sphere between them and go back again, and what the parts beyond had brought
/// goes with them.
#[test]
fn sheets_rock_to_and_fro() {
    let mut random = Random::new(23);
    let mut apart = 0;
    for case in 0..8 {
        let sheets = [0, 1].map(|_| sheet(random.uniform(0.0, 6.0)));
        let mut tracker = CurvedTracker::new(&sheets[0], &sheets[1]).unwrap();
        let (start, axis) = (random.quaternion(), random.direction());
        let place = random.direction() * random.uniform(2.5, 4.0);
        let widest = random.uniform(0.1, 0.6);
        for frame in 0..200 {
            let angle = widest * (0.13 * f64::from(frame)).sin();
            let turn = DQuat::from_axis_angle(axis, angle) * start;
            let pose = Pose::new(turn.normalize(), place).unwrap();
            let answer = tracker.update(&pose).unwrap();
            if answer.state != State::Separated {
                continue;
            }
            apart += 1;
            let (truth, _) = nearest_points(&sheets[0], &sheets[1], &pose, &Precision::default()).unwrap();
            let (expected, lower) = (truth.proximity.distance, tracker.lower());
            assert!(lower <= expected + 1e-12, "case {case}, frame {frame}: {lower} above {expected}");
            let is_near = (answer.distance - expected).abs() < 1e-7;
            assert!(is_near, "case {case}, frame {frame}: {answer:?}, {expected}");
            assert!(matches!(answer.ended, Ended::Certified(_)), "case {case}, frame {frame}: {answer:?}");
        }
    }
    assert!(apart > 800, "{apart} apart");
}

/// The tip of a pen is nearest to a bowl, and is followed on the face around it: one parameter goes nowhere there, and still a
/// plane keeps both apart, so that hardly a pair of parts is looked at.
#[test]
fn tip_of_a_pen_needs_no_pairs() {
    let (bowl, pen) = (bowl(), pen());
    let mut tracker = CurvedTracker::new(&bowl, &pen).unwrap();
    // The pen stands below the bowl, its tip up.
    let turn = DQuat::from_rotation_x(std::f64::consts::PI + 0.05);
    let place = DVec3::new(1.5, 0.3, -2.0);
    let pose = Pose::new(turn, place).unwrap();
    let first = tracker.update(&pose).unwrap();
    let on_bowl = first.witnesses[0].feature;
    for face in 0..3 {
        for end in [-1e3, 1e3] {
            tracker.reset();
            let features = [on_bowl, Feature::Face(FaceId(face))];
            tracker.hint(features, [DVec2::new(0.3, 0.3), DVec2::new(1.0, end)]);
            let answer = tracker.update(&pose).unwrap();
            assert!(answer.witnesses[1].point.distance(place) < 1e-9, "{answer:?}");
            assert!(answer.work.iterations < 100, "face {face}, end {end}: {answer:?}");
        }
    }
}
