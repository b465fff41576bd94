//! Our Lin–Canny kernel, for the figure of 003. Not in the tables: it is the reference, not the product.

use crate::candidate::{Answer, Candidate, MeanWork};
use crate::ours::{answer, mean, polytope};
use crate::random::Random;
use crate::shape::Shape;
use crate::stream::PosePair;
use clearance_geometry::{Feature, Polytope, Pose, VertexId};
use clearance_proximity::Proximity;
use clearance_proximity::lin_canny::{Cells, Options, closest_features};
use std::ops::Range;

/// Where a walk starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the last closest features.
    Last,
    /// At two random vertices: without initialisation, in the words of 003.
    Anywhere,
}

/// The walk between the features of two copies of a body.
pub struct Walking {
    start: Start,
    body: Polytope,
    cells: Cells,
    last: Option<[Feature; 2]>,
    random: Random,
    poses: Vec<PosePair>,
}

impl Walking {
    /// Two copies of `shape`.
    pub fn new(shape: &Shape, start: Start) -> Self {
        let body = polytope(shape);
        let cells = Cells::new(&body);
        let random = Random::named(&shape.name);
        Self { start, body, cells, last: None, random, poses: Vec::new() }
    }

    fn ask(&mut self, at: usize) -> Proximity {
        let [pose_a, pose_b] = &self.poses[at];
        let start = match self.start {
            Start::Last => self.last,
            Start::Anywhere => {
                let count = self.body.vertex_count() as u64;
                Some([0; 2].map(|_| Feature::Vertex(VertexId((self.random.bits() % count) as u32))))
            }
        };
        let body = (&self.body, &self.cells);
        let walk = closest_features(body, body, &Pose::between(pose_a, pose_b), start, Options::default());
        self.last = Some(walk.features);
        walk.proximity().expect("the bodies of the figure are apart")
    }
}

impl Candidate for Walking {
    fn name(&self) -> &'static str {
        match self.start {
            Start::Last => "Lin–Canny",
            Start::Anywhere => "Lin–Canny without initialisation",
        }
    }

    fn load(&mut self, poses: &[PosePair]) {
        self.poses = poses.to_vec();
    }

    fn run(&mut self, range: Range<usize>, answers: &mut [Answer]) {
        for (at, place) in range.zip(answers) {
            let proximity = self.ask(at);
            *place = answer(&self.poses[at][0], &proximity);
        }
    }

    fn work(&mut self, range: Range<usize>) -> Option<MeanWork> {
        Some(mean(range.map(|at| self.ask(at))))
    }
}
