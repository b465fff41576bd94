//! The ratio metric of two polytopes: asked once, tracked, or by the linear program alone.

use super::active_set::{Pair, PlaneId, Start};
use super::answer::{ActivePlane, ActivePlanes, Growth, PoseGradient, RatioError, Smoothness};
use super::faces::{Centred, Still, Turned};
use super::fallback::Found;
use super::solid_touch::SolidPair;
use super::space::{MOST_PLANES, Vector};
use super::touch::Touch;
use crate::{Ended, Work, frame};
use clearance_geometry::{Body, DVec3, FaceId, Polytope, Pose, VertexId};

/// Names to start a query from: the planes and support vertices of an earlier answer.
///
/// Any values are allowed. A bad hint costs time and changes nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Body (0 or 1) and face of each plane of the basis.
    pub planes: [(usize, FaceId); MOST_PLANES],
    /// A support vertex of each body.
    pub vertices: [VertexId; 2],
}

impl Hint {
    fn from_start(start: &Start) -> Self {
        Self {
            planes: start.basis.map(|plane| (usize::from(plane.of_b), FaceId(plane.face))),
            vertices: start.vertices.map(VertexId),
        }
    }

    fn to_start(self) -> Start {
        Start {
            basis: self.planes.map(|(body, face)| PlaneId { of_b: body != 0, face: face.0 }),
            vertices: self.vertices.map(|vertex| vertex.0),
        }
    }
}

/// The state kept for one pair of polytopes between queries: the planes of the last event.
///
/// An update allocates nothing.
///
/// ```
/// use clearance_geometry::{DVec3, Polytope, Pose};
/// use clearance_proximity::ratio;
/// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
/// let mut tracker = ratio::Tracker::new();
/// for step in 0..10 {
///     let pose_ab = Pose::from_translation(DVec3::new(3.0, 0.0, 0.1 * f64::from(step)))?;
///     assert_eq!(tracker.update(&cube, &cube, &pose_ab)?.ratio, 1.5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tracker {
    hint: Option<Hint>,
}

impl Tracker {
    /// A tracker without memory.
    pub const fn new() -> Self {
        Self { hint: None }
    }

    /// A tracker that starts from `hint`.
    pub const fn from_hint(hint: Hint) -> Self {
        Self { hint: Some(hint) }
    }

    /// What the last update left behind.
    pub const fn hint(&self) -> Option<Hint> {
        self.hint
    }

    /// The ratio metric at a new pose; as [`growth`], started from the last answer.
    ///
    /// # Errors
    /// As [`growth`].
    pub fn update(&mut self, a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Result<Growth, RatioError> {
        let query = Query::both(a, b, pose_ab)?;
        Ok(query.answer(&mut self.hint))
    }

    /// As [`growth_against`](super::growth_against) a polytope that keeps its size.
    ///
    /// # Errors
    /// As [`growth_against`](super::growth_against).
    pub fn update_against(
        &mut self,
        a: &Polytope,
        fixed: &Polytope,
        pose_ab: &Pose,
    ) -> Result<Growth, RatioError> {
        super::fixed::against_polytope(a, fixed, pose_ab, &mut self.hint)
    }
}

/// The ratio metric of two polytopes, in the frame of A.
///
/// # Errors
/// [`RatioError::NoInterior`] for points, segments and bodies flat within rounding;
/// [`RatioError::NotFinite`] when the pose takes the centres out of range.
pub fn growth(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Result<Growth, RatioError> {
    Tracker::new().update(a, b, pose_ab)
}

/// The ratio metric of two bodies of any kind.
///
/// # Errors
/// As [`growth`], [`RatioError::Unbounded`] for half-spaces and [`RatioError::Curved`] for curved bodies.
pub fn growth_of_bodies(a: &Body, b: &Body, pose_ab: &Pose) -> Result<Growth, RatioError> {
    match (a, b) {
        (Body::Polytope(a), Body::Polytope(b)) => growth(a, b, pose_ab),
        (Body::HalfSpace(_), _) => Err(RatioError::Unbounded { body: 0 }),
        (_, Body::HalfSpace(_)) => Err(RatioError::Unbounded { body: 1 }),
        (Body::Polytope(_), _) => Err(RatioError::Curved { body: 1 }),
        _ => Err(RatioError::Curved { body: 0 }),
    }
}

/// As [`growth`], by the linear program on all planes: slower, and the oracle of the other.
///
/// # Errors
/// As [`growth`].
pub fn growth_by_lp(a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Result<Growth, RatioError> {
    let query = Query::both(a, b, pose_ab)?;
    if query.pair.is_concentric() {
        return Ok(query.concentric());
    }
    let found = query.pair.find_by_lp([0; 2], Work::default(), |outcome| query.pair.touch(outcome));
    Ok(found.map_or_else(|| query.concentric(), |found| query.growth(&found)))
}

/// One question, in anchored frames.
pub(super) struct Query<'a> {
    pub(super) pair: SolidPair<'a>,
    pub(super) pose_ab: &'a Pose,
}

impl<'a> Query<'a> {
    pub(super) fn both(a: &'a Polytope, b: &'a Polytope, pose_ab: &'a Pose) -> Result<Self, RatioError> {
        check_interior(a, 0)?;
        check_interior(b, 1)?;
        Self::new(a, b, pose_ab, true)
    }

    pub(super) fn new(
        a: &'a Polytope,
        b: &'a Polytope,
        pose_ab: &'a Pose,
        both_grow: bool,
    ) -> Result<Self, RatioError> {
        let pose = frame::anchored(a, b, pose_ab);
        let between = pose.apply(b.center()) - a.center();
        let size = pose.translation().length() + a.reach() + b.reach();
        if !between.is_finite() || !size.is_finite() {
            return Err(RatioError::NotFinite);
        }
        let a = Centred { polytope: a, turn: Still };
        let b = Centred { polytope: b, turn: Turned(pose.rotation()) };
        Ok(Self { pair: Pair { a, b, between, both_grow, size }, pose_ab })
    }

    /// From the hint to the answer, leaving the next hint.
    pub(super) fn answer(&self, hint: &mut Option<Hint>) -> Growth {
        if self.pair.is_concentric() {
            return self.concentric();
        }
        let mut found = self.pair.find(hint.map(Hint::to_start), |outcome| self.pair.touch(outcome));
        *hint = Some(Hint::from_start(&found.start()));
        if !found.touch.is_tight()
            && let Some(careful) = self.pair.careful_touch(found.touch.vertices, found.outcome.pierced)
        {
            found.work.escapes += 1;
            if careful.is_better_than(&found.touch) {
                found.touch = careful;
            }
        }
        self.growth(&found)
    }

    fn growth(&self, found: &Found<DVec3>) -> Growth {
        let mut planes = ActivePlanes::NONE;
        for i in 0..DVec3::PLANES {
            let PlaneId { of_b, face } = found.outcome.basis[i];
            let weight = found.outcome.weights[i];
            planes.push(ActivePlane { body: usize::from(of_b), face: FaceId(face), weight });
        }
        self.growth_with(planes, &found.touch, found.work)
    }

    /// The answer in A's body frame.
    pub(super) fn growth_with(&self, planes: ActivePlanes, touch: &Touch<DVec3>, work: Work) -> Growth {
        let a = self.pair.a.polytope;
        let point = a.anchor() + (a.center() + touch.x);
        let pull = touch.normal * touch.per_length;
        Growth {
            ratio: touch.t,
            rho: touch.finite_rho(),
            point,
            normal: touch.normal,
            gradients: pose_gradients(point, pull, self.pose_ab.translation()),
            smoothness: touch.smoothness,
            features: Some(touch.features),
            planes,
            bounds: [touch.t, touch.upper],
            ended: touch.ended(),
            work,
        }
    }

    /// Ratio 0: A's centre is B's, or lies in the body that keeps its size.
    pub(super) fn concentric(&self) -> Growth {
        let a = self.pair.a.polytope;
        concentric(a.anchor() + a.center())
    }
}

/// The answer when nothing needs to grow.
pub(super) fn concentric(point: DVec3) -> Growth {
    Growth {
        ratio: 0.0,
        rho: None,
        point,
        normal: DVec3::ZERO,
        gradients: [PoseGradient::default(); 2],
        smoothness: Smoothness::Concentric,
        features: None,
        planes: ActivePlanes::NONE,
        bounds: [0.0; 2],
        ended: Ended::Converged,
        work: Work::default(),
    }
}

/// The gradients of a ratio that changes by `pull` per motion of B: both wrenches act at `point`.
pub(super) fn pose_gradients(point: DVec3, pull: DVec3, origin_b: DVec3) -> [PoseGradient; 2] {
    [
        PoseGradient { translation: -pull, rotation: -point.cross(pull) },
        PoseGradient { translation: pull, rotation: (point - origin_b).cross(pull) },
    ]
}

/// Refuses bodies whose centre is not strictly inside every plane.
pub(super) fn check_interior(polytope: &Polytope, body: usize) -> Result<(), RatioError> {
    RatioError::unless_interior(polytope.face_count() > 0, polytope.inradius(), body)
}
