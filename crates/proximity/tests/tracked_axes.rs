//! Bodies about one axis, one of them not convex, whose nearest points are circles or areas: every tracked frame is proven, and
//! its points stay near the last ones. The truth is the distance of profiles in the half-plane, in closed form.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::{Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Pose};
use clearance_proximity::{Ended, Precision, State, Tracker};

/// A tube from radius 1 to 1.5, as high as 2.
fn tube() -> Body {
    let corners = [(1.0, -1.0), (1.5, -1.0), (1.5, 1.0), (1.0, 1.0)].map(|(r, z)| DVec2::new(r, z));
    let line = |k: usize| Segment::Line { from: corners[k], to: corners[(k + 1) % 4] };
    TiledBody::revolve(&(0..4).map(line).collect::<Vec<Segment>>()).unwrap().into()
}

/// Tracks 60 frames in axes that are turned in the world; the pose and the distance of a frame.
fn follow(name: &str, a: &Body, b: &Body, frame: impl Fn(f64) -> (Pose, f64)) {
    let mut tracker = Tracker::new();
    let mut last: Option<[DVec3; 2]> = None;
    for step in 0..60 {
        let (pose_ab, truth) = frame(f64::from(step));
        let found = tracker.find(a, b, &pose_ab, &Precision::default()).unwrap();
        let answer = found.proximity;
        assert_eq!(answer.state, State::Separated, "{name} {step}");
        assert!((answer.distance - truth).abs() < 1e-12, "{name} {step}: {} not {truth}", answer.distance);
        assert!(matches!(answer.ended, Ended::Certified(_)), "{name} {step}: {:?}", answer.ended);
        let lower = found.lower.unwrap();
        assert!(lower <= truth + 1e-12 && truth - lower < 1e-8, "{name} {step}: {lower} of {truth}");
        let points = answer.witnesses.map(|witness| witness.point);
        assert!((points[0].distance(points[1]) - truth).abs() < 1e-12, "{name} {step}");
        if let Some(last) = last {
            let jump = [0, 1].map(|i: usize| points[i].distance(last[i]));
            assert!(jump[0].max(jump[1]) < 0.1, "{name} {step}: {jump:?}");
        }
        last = Some(points);
    }
}

#[test]
fn pins_that_turn_in_tubes_are_proven_in_every_frame() {
    let pin = Body::from(TiledBody::cylinder(0.5, 3.0).unwrap());
    follow("pin", &tube(), &pin, |step| {
        let place = DVec3::Z * (0.005 * step);
        (Pose::from_axis_angle(DVec3::Z, 0.02 * step, place).unwrap(), 0.5)
    });
}

#[test]
fn balls_on_the_axes_of_tubes_are_proven_in_every_frame() {
    let ball = Body::from(TiledBody::sphere(2.0).unwrap());
    follow("ball", &ball, &tube(), |step| {
        let height = 4.0 - 0.015 * step;
        // The inner rim below is nearest.
        (Pose::from_translation(DVec3::Z * height).unwrap(), 1.0_f64.hypot(height - 1.0) - 2.0)
    });
}

#[test]
fn balls_within_spheres_are_proven_through_the_middle() {
    let shell = Body::from(TiledBody::sphere(2.0).unwrap()).boundary();
    let ball = Body::from(TiledBody::sphere(0.5).unwrap());
    for past in [0.0, 1e-7, 1e-5] {
        let mut tracker = Tracker::new();
        for step in -30..30 {
            let place = DVec3::new(0.01 * f64::from(step), past, 0.0);
            let pose_ab = Pose::from_translation(place).unwrap();
            let found = tracker.find(&shell, &ball, &pose_ab, &Precision::default()).unwrap();
            let truth = 1.5 - place.length();
            assert!(
                (found.proximity.distance - truth).abs() < 1e-9,
                "{past} {step}: {}",
                found.proximity.distance
            );
            assert!(matches!(found.proximity.ended, Ended::Certified(_)), "{past} {step}: {found:?}");
        }
    }
}
