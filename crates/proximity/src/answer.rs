//! What a query answers.

use clearance_geometry::{DVec2, DVec3, Feature, Pose};

/// How two bodies stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A positive distance apart.
    Separated,
    /// In contact without overlap, within rounding.
    Touching,
    /// Overlapping, and neither is inside the other.
    Penetrating,
    /// A lies wholly inside B.
    AInsideB,
    /// B lies wholly inside A.
    BInsideA,
}

impl State {
    /// Whether the bodies share interior points.
    pub const fn overlaps(self) -> bool {
        matches!(self, Self::Penetrating | Self::AInsideB | Self::BInsideA)
    }

    /// The state seen with the bodies exchanged.
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::AInsideB => Self::BInsideA,
            Self::BInsideA => Self::AInsideB,
            other => other,
        }
    }
}

/// Where on its feature a witness lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Parameters {
    /// A vertex, or a flat feature of a polytope or half-space: the point says it all.
    #[default]
    None,
    /// The parameter of an edge's curve.
    Curve(f64),
    /// The parameters of a face's surface.
    Surface(DVec2),
}

/// A point on a feature of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// Where, in the frame of A.
    pub point: DVec3,
    /// A feature whose closure contains the point.
    pub feature: Feature,
    /// The leaf of a union that the feature belongs to; 0 for other bodies.
    pub leaf: u32,
    /// Its parameters there, on curved bodies.
    pub parameters: Parameters,
}

impl Witness {
    /// A witness without parameters.
    #[inline]
    pub const fn flat(point: DVec3, feature: Feature) -> Self {
        Self { point, feature, leaf: 0, parameters: Parameters::None }
    }
}

/// Work done; filled always, whatever the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// Rounds of the main loop: GJK iterations, Lin–Canny feature pairs, pivots.
    pub iterations: u32,
    /// Support points computed.
    pub supports: u32,
    /// Steps from a feature pair to another.
    pub moves: u32,
    /// Escapes from a local minimum under a face, and other restarts.
    pub escapes: u32,
    /// Newton steps.
    pub newton: u32,
}

/// A proof of a lower bound on the signed distance: no point of B is nearer than `lower` beyond
/// A's farthest point along `normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Proven lower bound on the signed distance, rounded down.
    pub lower: f64,
    /// The direction that proves it, in the frame of A; need not have exactly unit length.
    pub normal: DVec3,
}

/// How a query ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ended {
    /// With a proof.
    Certified(Certificate),
    /// By its own bounds, computed in plain arithmetic.
    Converged,
    /// Rounding stopped it; the answer is within `residual` of the truth by its own bounds.
    Stalled {
        /// Difference of the bounds; a length.
        residual: f64,
    },
    /// A budget ran out; the witnesses are valid points, the distance an upper bound.
    Limit,
}

/// The answer to a query, in the frame of A.
///
/// Where `normal` is not zero, `witnesses[1].point − witnesses[0].point = signed_distance × normal` within rounding. It is
/// zero where no signed distance is defined: surfaces that cross each other, and overlaps of bodies that are not convex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// How the bodies stand to each other.
    pub state: State,
    /// Distance; 0 unless separated.
    pub distance: f64,
    /// Distance, or minus the penetration depth when overlapping; 0 where `normal` is zero.
    pub signed_distance: f64,
    /// Closest points when separated, the ends of the penetration vector otherwise.
    pub witnesses: [Witness; 2],
    /// Unit vector from A to B, or zero.
    pub normal: DVec3,
    /// How the query ended.
    pub ended: Ended,
    /// Work done.
    pub work: Work,
}

impl Proximity {
    /// The same answer with the bodies exchanged, in the frame of B.
    #[must_use]
    pub fn swapped(&self, pose_ab: &Pose) -> Self {
        let turn = |w: Witness| Witness { point: pose_ab.apply_inverse(w.point), ..w };
        let ended = match self.ended {
            Ended::Certified(c) => {
                Ended::Certified(Certificate { normal: -pose_ab.rotate_inverse(c.normal), ..c })
            }
            other => other,
        };
        Self {
            state: self.state.swapped(),
            witnesses: [turn(self.witnesses[1]), turn(self.witnesses[0])],
            normal: -pose_ab.rotate_inverse(self.normal),
            ended,
            ..*self
        }
    }

    /// The same answer in the frame in which A stands at `pose_a`.
    #[must_use]
    pub fn in_world(&self, pose_a: &Pose) -> Self {
        let turn = |w: Witness| Witness { point: pose_a.apply(w.point), ..w };
        let ended = match self.ended {
            Ended::Certified(c) => Ended::Certified(Certificate { normal: pose_a.rotate(c.normal), ..c }),
            other => other,
        };
        Self {
            witnesses: [turn(self.witnesses[0]), turn(self.witnesses[1])],
            normal: pose_a.rotate(self.normal),
            ended,
            ..*self
        }
    }
}
