//! Where body B stands, in intervals.

use crate::interval::{Interval, Vector, dot, vector};
use crate::model::Pose;

/// Where body B stands, in intervals.
pub(crate) struct Placement {
    pub(crate) rotation: [Vector; 3],
    pub(crate) translation: Vector,
}

impl Placement {
    pub(crate) fn new(pose: &Pose) -> Self {
        Self { rotation: pose.rotation.map(vector), translation: vector(pose.translation) }
    }

    pub(crate) fn point(&self, at: &Vector) -> Vector {
        self.homogeneous(at, Interval::ONE)
    }

    pub(crate) fn homogeneous(&self, at: &Vector, weight: Interval) -> Vector {
        std::array::from_fn(|k| dot(&self.rotation[k], at) + self.translation[k] * weight)
    }

    /// A direction in the frame of B.
    pub(crate) fn turned_back(&self, direction: &Vector) -> Vector {
        let column = |k: usize| [self.rotation[0][k], self.rotation[1][k], self.rotation[2][k]];
        std::array::from_fn(|k| dot(&column(k), direction))
    }
}
