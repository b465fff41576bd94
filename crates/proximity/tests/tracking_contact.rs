//! Surfaces without an inside that cross: they touch, tracked and from scratch.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod tracking_common;

use clearance_geometry::Body;
use clearance_geometry::tiled::TiledBody;
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, Scratch, State, distance};
use clearance_testkit::generate::Wander;
use tracking_common::sheet;

/// Nearest points within the error asked for are not enough to say that surfaces are apart: whether they touch does not
/// depend on that error, nor on what was tracked before.
#[test]
fn crossing_surfaces_touch_tracked_and_from_scratch() {
    let ball = Body::from(TiledBody::sphere(1.0).unwrap());
    let pairs = [(sheet(0.3), sheet(1.7)), (sheet(2.0), sheet(4.0)), (sheet(0.3), ball.boundary())];
    let mut states = [0; 2];
    for (number, (a, b)) in pairs.iter().enumerate() {
        for (seed, max_error) in [(0, None), (1, Some(1e-6)), (2, Some(1e-2)), (3, Some(0.3)), (4, Some(2.0))]
        {
            let precision = Precision { max_error, ..Precision::default() };
            let mut tracker = CurvedTracker::new(a, b).unwrap();
            let mut scratch = Scratch::new();
            for (frame, pose) in Wander::new(70 + seed, 2.0, 0.2, 4.0).take(300).enumerate() {
                let expected = distance(a, b, &pose).unwrap();
                let tracked = tracker.find(&pose, &precision).unwrap();
                let once = scratch.find(a, b, &pose, &precision).unwrap();
                for (found, how) in [(tracked, "tracked"), (once, "once")] {
                    let answer = found.proximity;
                    let place = format!("{number} {max_error:?} {frame} {how}: {answer:?} {expected:?}");
                    assert_eq!(answer.state, expected.state, "{place}");
                    assert!(matches!(answer.ended, Ended::Certified(_)), "{place}");
                    let error = max_error.unwrap_or(1e-8) + 1e-12;
                    assert!((answer.distance - expected.distance).abs() <= error, "{place}");
                    assert!(found.lower.unwrap() <= expected.distance + 1e-12, "{place}");
                }
                states[usize::from(expected.state == State::Separated)] += 1;
            }
        }
    }
    assert!(states.iter().all(|count| *count > 800), "{states:?}");
}
