//! Where B stands in the frame of A, as plain numbers.

use super::double_double::Double3;
use clearance_geometry::Pose;
use glam::{DMat3, DVec3};

/// x ↦ R x + t with the entries of R taken as they are, rounding and all: this is the motion that the
/// oracles hold an answer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// R.
    pub rotation: DMat3,
    /// t.
    pub translation: DVec3,
}

impl Placement {
    /// No motion.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A translation alone.
    pub const fn shift(translation: DVec3) -> Self {
        Self { rotation: DMat3::IDENTITY, translation }
    }

    /// Moves a point, to about 106 bits.
    pub fn apply(&self, point: DVec3) -> Double3 {
        Double3::turned(&self.rotation, point.into()) + self.translation.into()
    }
}

impl From<&Pose> for Placement {
    fn from(pose: &Pose) -> Self {
        Self { rotation: pose.rotation(), translation: pose.translation() }
    }
}
