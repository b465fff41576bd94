//! What the ratio metric answers.

use crate::{Ended, Work};
use clearance_geometry::{DVec3, FaceId, Feature, Pose};
use thiserror::Error;

/// Why a pair has no ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RatioError {
    /// A growing body has no interior: a point, a segment, or a body flat within rounding.
    #[error("body {body} has no interior point to grow from")]
    NoInterior {
        /// 0 for A, 1 for B.
        body: usize,
    },
    /// A growing body has no centre because it has no bounds.
    #[error("body {body} is unbounded and cannot grow")]
    Unbounded {
        /// 0 for A, 1 for B.
        body: usize,
    },
    /// A body is not a polytope.
    #[error("body {body} has no flat faces to grow by")]
    Curved {
        /// 0 for A, 1 for B.
        body: usize,
    },
    /// The pose brings in numbers too large to compute with.
    #[error("the distance of the centres is not finite")]
    NotFinite,
}

impl RatioError {
    /// Refuses a body whose centre is not strictly inside every plane.
    pub(super) fn unless_interior(has_inside: bool, inradius: f64, body: usize) -> Result<(), Self> {
        // Written so that NaN is refused.
        if has_inside && inradius > 0.0 { Ok(()) } else { Err(Self::NoInterior { body }) }
    }
}

/// Derivatives of the ratio with respect to one body's pose, in the axes of A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseGradient {
    /// With respect to the translation; per length.
    pub translation: DVec3,
    /// With respect to a rotation vector about the body's frame origin; per radian.
    pub rotation: DVec3,
}

/// Whether the ratio has a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Smoothness {
    /// Normal and touching point are unique: the gradient exists.
    Differentiable,
    /// The grown bodies touch in one point with several separating planes (a corner on a corner or on
    /// an edge): the gradient given is that of one of them.
    NormalNotUnique,
    /// They touch along a segment or a polygon: the gradient with respect to the translations exists,
    /// that with respect to the rotations does not; the one given acts at the middle of the contact.
    PointNotUnique,
    /// Both: they touch along a segment with several separating planes.
    NeitherUnique,
    /// The ratio is 0, where it has a corner like that of |x|. Normal and gradient are zero.
    Concentric,
}

/// What touches what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A corner of one body on a face of the other (CoF in 002).
    CornerOnFace,
    /// Two edges that cross (EoE in 002).
    EdgeOnEdge,
    /// A contact made of several events: along a segment or a polygon, or at a corner or edge of both.
    Several,
}

/// A plane that holds the optimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActivePlane {
    /// 0 for A, 1 for B.
    pub body: usize,
    /// The face in that body.
    pub face: FaceId,
    /// Its multiplier, per length: Σ weight · normal = 0, and Σ weight · (distance of the growing
    /// body's centre from the plane) = 1.
    pub weight: f64,
}

/// The planes that hold the optimum: at most four.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActivePlanes {
    planes: [ActivePlane; 4],
    count: usize,
}

impl ActivePlanes {
    pub(super) const NONE: Self =
        Self { planes: [ActivePlane { body: 0, face: FaceId(0), weight: 0.0 }; 4], count: 0 };

    pub(super) fn push(&mut self, plane: ActivePlane) {
        if let Some(slot) = self.planes.get_mut(self.count) {
            *slot = plane;
            self.count += 1;
        }
    }

    /// The planes.
    pub fn as_slice(&self) -> &[ActivePlane] {
        &self.planes[..self.count]
    }
}

/// The ratio metric of two bodies, in the frame of A.
///
/// Both bodies, scaled about their centres by `ratio`, just touch at `point`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// r(P₁, P₂) of 002, definition 2.12: above 1 when disjoint, below when overlapping.
    pub ratio: f64,
    /// ρ = (r − 1)/r, computed without the cancellation; none when the ratio is 0.
    pub rho: Option<f64>,
    /// Where the scaled bodies touch; the middle of the contact when it is not one point.
    pub point: DVec3,
    /// Unit normal of a plane that separates the scaled bodies, from A to B.
    pub normal: DVec3,
    /// Derivatives of `ratio` with respect to the poses of A and B; those of ρ are these over ratio².
    pub gradients: [PoseGradient; 2],
    /// Whether the gradients exist.
    pub smoothness: Smoothness,
    /// What touches what, on A and on B; none when the ratio is 0.
    pub features: Option<[Feature; 2]>,
    /// The planes that hold the optimum, with their multipliers.
    pub planes: ActivePlanes,
    /// A lower and an upper bound on the ratio, in plain arithmetic.
    pub bounds: [f64; 2],
    /// How the query ended; a residual is a difference of ratios.
    pub ended: Ended,
    /// Work done; iterations are pivots.
    pub work: Work,
}

impl Growth {
    /// Which kind of event the features are; none when the ratio is 0.
    pub fn event(&self) -> Option<EventKind> {
        let spread = matches!(self.smoothness, Smoothness::PointNotUnique | Smoothness::NeitherUnique);
        Some(match self.features? {
            [Feature::Vertex(_), Feature::Face(_)] | [Feature::Face(_), Feature::Vertex(_)] => {
                EventKind::CornerOnFace
            }
            [Feature::Edge(_), Feature::Edge(_)] if !spread => EventKind::EdgeOnEdge,
            _ => EventKind::Several,
        })
    }

    /// The same answer in the frame in which A stands at `pose_a`; the gradients are then those with
    /// respect to translations and rotation vectors in that frame, each about its body's origin.
    #[must_use]
    pub fn in_world(&self, pose_a: &Pose) -> Self {
        Self {
            point: pose_a.apply(self.point),
            normal: pose_a.rotate(self.normal),
            gradients: self.gradients.map(|g| PoseGradient {
                translation: pose_a.rotate(g.translation),
                rotation: pose_a.rotate(g.rotation),
            }),
            ..*self
        }
    }

    /// The same answer with the bodies exchanged, in the frame of B. Only for bodies that both grow.
    #[must_use]
    pub fn swapped(&self, pose_ab: &Pose) -> Self {
        let turned = self.in_world(&pose_ab.inverse());
        let mut planes = self.planes;
        planes.planes.iter_mut().for_each(|plane| plane.body = 1 - plane.body);
        Self {
            normal: -turned.normal,
            gradients: [turned.gradients[1], turned.gradients[0]],
            features: self.features.map(|[a, b]| [b, a]),
            planes,
            ..turned
        }
    }
}
