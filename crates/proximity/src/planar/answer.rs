//! What a planar query answers.

use crate::{Certificate, Ended, State, Work};
use clearance_geometry::{DVec2, DVec3, Feature, PlanarPose};

/// A point on a feature of one polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarWitness {
    /// Where, in the frame of A.
    pub point: DVec2,
    /// A corner or edge whose closure contains the point.
    pub feature: Feature,
}

/// The answer to a planar query, in the frame of A.
///
/// Always `witnesses[1].point − witnesses[0].point = signed_distance × normal` within rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarProximity {
    /// How the bodies stand to each other.
    pub state: State,
    /// Distance; 0 unless separated.
    pub distance: f64,
    /// Distance, or minus the penetration depth when overlapping.
    pub signed_distance: f64,
    /// Closest points when separated, the ends of the penetration vector otherwise.
    pub witnesses: [PlanarWitness; 2],
    /// Unit vector from A to B.
    pub normal: DVec2,
    /// How the query ended. A certificate's normal has z = 0.
    pub ended: Ended,
    /// Work done.
    pub work: Work,
}

impl PlanarProximity {
    /// The same answer with the bodies exchanged, in the frame of B.
    #[must_use]
    pub fn swapped(&self, pose_ab: &PlanarPose) -> Self {
        let turn = |w: PlanarWitness| PlanarWitness { point: pose_ab.apply_inverse(w.point), ..w };
        Self {
            state: self.state.swapped(),
            witnesses: [turn(self.witnesses[1]), turn(self.witnesses[0])],
            normal: -pose_ab.rotate_inverse(self.normal),
            ended: turned(self.ended, |normal| -pose_ab.rotate_inverse(normal)),
            ..*self
        }
    }

    /// The same answer in the frame in which A stands at `pose_a`.
    #[must_use]
    pub fn in_world(&self, pose_a: &PlanarPose) -> Self {
        let turn = |w: PlanarWitness| PlanarWitness { point: pose_a.apply(w.point), ..w };
        Self {
            witnesses: [turn(self.witnesses[0]), turn(self.witnesses[1])],
            normal: pose_a.rotate(self.normal),
            ended: turned(self.ended, |normal| pose_a.rotate(normal)),
            ..*self
        }
    }
}

fn turned(ended: Ended, turn: impl Fn(DVec2) -> DVec2) -> Ended {
    match ended {
        Ended::Certified(c) => {
            Ended::Certified(Certificate { normal: turn(c.normal.truncate()).extend(0.0), ..c })
        }
        other => other,
    }
}

/// A planar direction among those of space.
pub(super) fn flat(normal: DVec2) -> DVec3 {
    normal.extend(0.0)
}
