//! The suite of tests that every tracker passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::{Body, Polytope, Pose};
use clearance_proximity::{PolytopeTracker, Proximity, Tracker};
use clearance_testkit::{CountingAllocator, tracker_tests};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

tracker_tests!(polytope_tracker, PolytopeTracker::new, PolytopeTracker::update);

fn by_body(tracker: &mut Tracker, a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Proximity {
    tracker.update(&Body::from(a.clone()), &Body::from(b.clone()), pose_ab).expect("polytopes are supported")
}

tracker_tests!(body_tracker, Tracker::new, by_body);
