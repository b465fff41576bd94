//! Ours.

use crate::candidate::{Answer, Candidate, MeanWork};
use crate::shape::Shape;
use crate::stream::PosePair;
use clearance_geometry::{Body, Feature, Polytope, Pose};
use clearance_proximity::{PolytopeTracker, Proximity, Scratch};
use std::ops::Range;

/// `shape` as a polytope of ours.
pub fn polytope(shape: &Shape) -> Polytope {
    let polytope = Polytope::from_faces(&shape.points, &shape.faces);
    polytope.unwrap_or_else(|error| panic!("{}: {error}", shape.name))
}

/// The answer in the world, with its features packed.
pub fn answer(pose_a: &Pose, proximity: &Proximity) -> Answer {
    let [a, b] = &proximity.witnesses;
    Answer {
        distance: proximity.signed_distance,
        a: pose_a.apply(a.point).to_array(),
        b: pose_a.apply(b.point).to_array(),
        features: packed(a.feature) << 32 | packed(b.feature),
    }
}

fn packed(feature: Feature) -> u64 {
    u64::from(feature.number()) << 2 | feature.dimension() as u64
}

/// Mean work of some answers.
pub fn mean(answers: impl ExactSizeIterator<Item = Proximity>) -> MeanWork {
    let each = 1.0 / answers.len() as f64;
    let mut mean = MeanWork::default();
    for Proximity { work, .. } in answers {
        mean.iterations += each * f64::from(work.iterations);
        mean.supports += each * f64::from(work.supports);
        mean.moves += each * f64::from(work.moves);
    }
    mean
}

/// The tracker, which carries the last answer on.
pub struct Tracked {
    bodies: [Polytope; 2],
    tracker: PolytopeTracker,
    poses: Vec<PosePair>,
}

impl Tracked {
    /// Two copies of `shape`.
    pub fn new(shape: &Shape) -> Self {
        let bodies = [polytope(shape), polytope(shape)];
        Self { bodies, tracker: PolytopeTracker::new(), poses: Vec::new() }
    }
}

impl Candidate for Tracked {
    fn name(&self) -> &'static str {
        "clearance"
    }

    fn load(&mut self, poses: &[PosePair]) {
        self.poses = poses.to_vec();
    }

    fn run(&mut self, range: Range<usize>, answers: &mut [Answer]) {
        let [a, b] = &self.bodies;
        for ([pose_a, pose_b], place) in self.poses[range].iter().zip(answers) {
            let proximity = self.tracker.update(a, b, &Pose::between(pose_a, pose_b));
            *place = answer(pose_a, &proximity);
        }
    }

    fn work(&mut self, range: Range<usize>) -> Option<MeanWork> {
        let [a, b] = &self.bodies;
        let tracker = &mut self.tracker;
        let poses = self.poses[range].iter();
        Some(mean(poses.map(|[pose_a, pose_b]| tracker.update(a, b, &Pose::between(pose_a, pose_b)))))
    }
}

/// The one-shot query, which remembers nothing.
pub struct OneShot {
    bodies: [Body; 2],
    scratch: Scratch,
    poses: Vec<PosePair>,
}

impl OneShot {
    /// Two copies of `shape`.
    pub fn new(shape: &Shape) -> Self {
        let bodies = [polytope(shape).into(), polytope(shape).into()];
        Self { bodies, scratch: Scratch::new(), poses: Vec::new() }
    }
}

fn ask(scratch: &mut Scratch, [a, b]: &[Body; 2], [pose_a, pose_b]: &PosePair) -> Proximity {
    let proximity = scratch.distance(a, b, &Pose::between(pose_a, pose_b));
    proximity.expect("polytopes are supported")
}

impl Candidate for OneShot {
    fn name(&self) -> &'static str {
        "clearance, one-shot"
    }

    fn load(&mut self, poses: &[PosePair]) {
        self.poses = poses.to_vec();
    }

    fn run(&mut self, range: Range<usize>, answers: &mut [Answer]) {
        for (poses, place) in self.poses[range].iter().zip(answers) {
            *place = answer(&poses[0], &ask(&mut self.scratch, &self.bodies, poses));
        }
    }

    fn work(&mut self, range: Range<usize>) -> Option<MeanWork> {
        let scratch = &mut self.scratch;
        Some(mean(self.poses[range].iter().map(|poses| ask(scratch, &self.bodies, poses))))
    }
}
