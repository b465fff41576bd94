//! The ratio metric of polygons: asked once, tracked, by the linear program, or against a fixed polygon.

use super::active_set::{Outcome, Pair, PlaneId, Sided, Start};
use super::answer::{RatioError, Smoothness};
use super::lowest::lowest_along;
use super::planar_faces::{PlanarCentred, PlanarPair};
use super::space::MOST_PLANES;
use super::touch::Touch;
use crate::{Ended, Work};
use clearance_geometry::{DVec2, EdgeId, Feature, PlanarPose, Polygon, VertexId};

/// Derivatives of the ratio with respect to one polygon's pose, in the axes of A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanarGradient {
    /// With respect to the translation; per length.
    pub translation: DVec2,
    /// With respect to the angle, about the body's frame origin; per radian.
    pub rotation: f64,
}

/// A side that holds the optimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveSide {
    /// 0 for A, 1 for B.
    pub body: usize,
    /// The edge in that body.
    pub edge: EdgeId,
    /// Its multiplier, per length, as that of [`ActivePlane`](super::ActivePlane).
    pub weight: f64,
}

/// The ratio metric of two polygons, in the frame of A; as [`Growth`](super::Growth) in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarGrowth {
    /// r(P₁, P₂): above 1 when disjoint, below when overlapping.
    pub ratio: f64,
    /// ρ = (r − 1)/r; none when the ratio is 0.
    pub rho: Option<f64>,
    /// Where the scaled polygons touch; the middle of the contact when it is not one point.
    pub point: DVec2,
    /// Unit normal of a line that separates the scaled polygons, from A to B.
    pub normal: DVec2,
    /// Derivatives of `ratio` with respect to the poses of A and B.
    pub gradients: [PlanarGradient; 2],
    /// Whether the gradients exist.
    pub smoothness: Smoothness,
    /// What touches what, on A and on B; none when the ratio is 0.
    pub features: Option<[Feature; 2]>,
    /// The sides that hold the optimum; none when the ratio is 0 or the other body is a point or segment.
    pub sides: Option<[ActiveSide; 3]>,
    /// A lower and an upper bound on the ratio, in plain arithmetic.
    pub bounds: [f64; 2],
    /// How the query ended; a residual is a difference of ratios.
    pub ended: Ended,
    /// Work done; iterations are pivots.
    pub work: Work,
}

impl PlanarGrowth {
    /// The same answer in the frame in which A stands at `pose_a`.
    #[must_use]
    pub fn in_world(&self, pose_a: &PlanarPose) -> Self {
        Self {
            point: pose_a.apply(self.point),
            normal: pose_a.rotate(self.normal),
            gradients: self
                .gradients
                .map(|g| PlanarGradient { translation: pose_a.rotate(g.translation), ..g }),
            ..*self
        }
    }
}

/// Names to start a planar query from; any values are allowed, bad ones only cost time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanarHint {
    /// Body (0 or 1) and edge of each side of the basis.
    pub sides: [(usize, EdgeId); 3],
    /// A support corner of each polygon.
    pub vertices: [VertexId; 2],
}

impl PlanarHint {
    fn from_start(start: &Start) -> Self {
        let side = |i: usize| (usize::from(start.basis[i].of_b), EdgeId(start.basis[i].face));
        Self { sides: [side(0), side(1), side(2)], vertices: start.vertices.map(VertexId) }
    }

    fn to_start(self) -> Start {
        let mut basis = [PlaneId { of_b: false, face: 0 }; MOST_PLANES];
        for (slot, (body, edge)) in basis.iter_mut().zip(self.sides) {
            *slot = PlaneId { of_b: body != 0, face: edge.0 };
        }
        Start { basis, vertices: self.vertices.map(|vertex| vertex.0) }
    }
}

/// The state kept for one pair of polygons between queries. An update allocates nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanarTracker {
    hint: Option<PlanarHint>,
}

impl PlanarTracker {
    /// A tracker without memory.
    pub const fn new() -> Self {
        Self { hint: None }
    }

    /// A tracker that starts from `hint`.
    pub const fn from_hint(hint: PlanarHint) -> Self {
        Self { hint: Some(hint) }
    }

    /// What the last update left behind.
    pub const fn hint(&self) -> Option<PlanarHint> {
        self.hint
    }

    /// The ratio metric at a new pose; as [`planar_growth`], started from the last answer.
    ///
    /// # Errors
    /// As [`planar_growth`].
    pub fn update(
        &mut self,
        a: &Polygon,
        b: &Polygon,
        pose_ab: &PlanarPose,
    ) -> Result<PlanarGrowth, RatioError> {
        let query = PlanarQuery::both(a, b, pose_ab)?;
        Ok(if query.pair.is_concentric() { query.concentric() } else { query.answer(&mut self.hint) })
    }
}

/// The ratio metric of two polygons, in the frame of A.
///
/// # Errors
/// [`RatioError::NoInterior`] for points and segments; [`RatioError::NotFinite`] when the pose takes
/// the centres out of range.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, Polygon};
/// use clearance_proximity::ratio;
/// let square = Polygon::rectangle(DVec2::splat(2.0))?;
/// let pose_ab = PlanarPose::from_translation(DVec2::new(3.0, 0.0))?;
/// assert_eq!(ratio::planar_growth(&square, &square, &pose_ab)?.ratio, 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn planar_growth(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose) -> Result<PlanarGrowth, RatioError> {
    PlanarTracker::new().update(a, b, pose_ab)
}

/// As [`planar_growth`], by the linear program on all sides: slower, and the oracle of the other.
///
/// # Errors
/// As [`planar_growth`].
pub fn planar_growth_by_lp(
    a: &Polygon,
    b: &Polygon,
    pose_ab: &PlanarPose,
) -> Result<PlanarGrowth, RatioError> {
    let query = PlanarQuery::both(a, b, pose_ab)?;
    if query.pair.is_concentric() {
        return Ok(query.concentric());
    }
    let found = query.pair.find_by_lp([0; 2], Work::default(), |outcome| query.pair.touch(outcome));
    Ok(found.map_or_else(
        || query.concentric(),
        |found| query.growth(Some(&found.outcome), &found.touch, found.work),
    ))
}

/// The smallest t at which A, scaled by t about its centre, meets the point, segment or polygon
/// `fixed`, which keeps its size (remark 2.18 of 002); 0 if the centre is in it.
///
/// # Errors
/// [`RatioError::NoInterior`] when A is a point or a segment; [`RatioError::NotFinite`] when the pose
/// is out of range.
pub fn planar_growth_against(
    a: &Polygon,
    fixed: &Polygon,
    pose_ab: &PlanarPose,
) -> Result<PlanarGrowth, RatioError> {
    check_interior(a, 0)?;
    let query = PlanarQuery::new(a, fixed, pose_ab, false)?;
    if fixed.dimension() < 2 {
        return Ok(query.against_segment());
    }
    check_interior(fixed, 1)?;
    Ok(if query.pair.b_holds_center() { query.concentric() } else { query.answer(&mut None) })
}

/// One question, in anchored frames.
struct PlanarQuery<'a> {
    pair: PlanarPair<'a>,
    pose_ab: &'a PlanarPose,
}

impl<'a> PlanarQuery<'a> {
    fn both(a: &'a Polygon, b: &'a Polygon, pose_ab: &'a PlanarPose) -> Result<Self, RatioError> {
        check_interior(a, 0)?;
        check_interior(b, 1)?;
        Self::new(a, b, pose_ab, true)
    }

    fn new(
        a: &'a Polygon,
        b: &'a Polygon,
        pose_ab: &'a PlanarPose,
        both_grow: bool,
    ) -> Result<Self, RatioError> {
        let shift = pose_ab.apply(b.anchor()) - a.anchor();
        let between = shift + pose_ab.rotate(b.center()) - a.center();
        let size = shift.length() + a.reach() + b.reach();
        if !between.is_finite() || !size.is_finite() {
            return Err(RatioError::NotFinite);
        }
        let a = PlanarCentred { polygon: a, pose: PlanarPose::IDENTITY };
        let b = PlanarCentred { polygon: b, pose: *pose_ab };
        Ok(Self { pair: Pair { a, b, between, both_grow, size }, pose_ab })
    }

    fn answer(&self, hint: &mut Option<PlanarHint>) -> PlanarGrowth {
        let found = self.pair.find(hint.map(PlanarHint::to_start), |outcome| self.pair.touch(outcome));
        *hint = Some(PlanarHint::from_start(&found.start()));
        self.growth(Some(&found.outcome), &found.touch, found.work)
    }

    /// Against a body without sides.
    fn against_segment(&self) -> PlanarGrowth {
        let (a, b) = (&self.pair.a, &self.pair.b);
        let last = VertexId(b.vertex_count() - 1);
        let ends = [VertexId(0), last].map(|vertex| self.pair.between + b.vertex(vertex));
        let Some(lowest) = lowest_along(a, ends, a.polygon.radius()) else { return self.concentric() };
        let mut normal = lowest.pull.normalize_or_zero();
        if let [(_, first), (_, second)] = lowest.shares
            && first > 0.0
            && second > 0.0
        {
            // Two sides carry: a corner of A on the segment, whose own normal is exact.
            let across = (ends[1] - ends[0]).perp().normalize_or_zero();
            normal = if across.dot(normal) < 0.0 { -across } else { across };
        }
        let vertices = [a.support(a.start(normal).1, normal), b.support(0, -normal)];
        let mut touch = self.pair.touch_along(normal, vertices);
        let other = touch.t;
        self.pair.bound_above_by_a(&mut touch, lowest.shares[0].0, other, f64::INFINITY);
        self.growth(None, &touch, Work { iterations: lowest.rounds, ..Work::default() })
    }

    fn growth(&self, outcome: Option<&Outcome<DVec2>>, touch: &Touch<DVec2>, work: Work) -> PlanarGrowth {
        let a = self.pair.a.polygon;
        let sides = outcome.map(|outcome| {
            [0, 1, 2].map(|i| {
                let PlaneId { of_b, face } = outcome.basis[i];
                ActiveSide { body: usize::from(of_b), edge: EdgeId(face), weight: outcome.weights[i] }
            })
        });
        let point = a.anchor() + (a.center() + touch.x);
        let pull = touch.normal * touch.per_length;
        let arm = point - self.pose_ab.translation();
        let gradients = [
            PlanarGradient { translation: -pull, rotation: -point.perp_dot(pull) },
            PlanarGradient { translation: pull, rotation: arm.perp_dot(pull) },
        ];
        PlanarGrowth {
            ratio: touch.t,
            rho: touch.finite_rho(),
            point,
            normal: touch.normal,
            gradients,
            smoothness: touch.smoothness,
            features: Some(touch.features),
            sides,
            bounds: [touch.t, touch.upper],
            ended: touch.ended(),
            work,
        }
    }

    /// Ratio 0: A's centre is B's, or lies in the polygon that keeps its size.
    fn concentric(&self) -> PlanarGrowth {
        let a = self.pair.a.polygon;
        PlanarGrowth {
            ratio: 0.0,
            rho: None,
            point: a.anchor() + a.center(),
            normal: DVec2::ZERO,
            gradients: [PlanarGradient::default(); 2],
            smoothness: Smoothness::Concentric,
            features: None,
            sides: None,
            bounds: [0.0; 2],
            ended: Ended::Converged,
            work: Work::default(),
        }
    }
}

fn check_interior(polygon: &Polygon, body: usize) -> Result<(), RatioError> {
    RatioError::unless_interior(polygon.dimension() == 2, polygon.inradius(), body)
}
