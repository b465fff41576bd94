//! Questions about two shapes in the world, handed to the kernels of their dimension.

use crate::answer::{Answer, Coordinates, GradientAnswer, LocusAnswer};
use crate::flat::PlanarPair;
use crate::{AnyBody, AnyPose, Error, ErrorKind, Request, Shape};
use clearance_geometry::{Body, DVec3, Feature, Kind, PlanarPose, Polygon, Pose, tolerance};
use clearance_proximity::planar::{self, PlanarProximity};
use clearance_proximity::ratio::{Growth, RatioError, growth_of_bodies};
use clearance_proximity::{
    Certificate, Ended, Locus, Proximity, QueryError, State, Tracker, certify, distance, gradient, locus,
};

/// Answers a question about two bodies.
///
/// # Errors
/// `dimension_mismatch` for a planar body against a solid one, `unsupported_pair` where nothing is defined
/// between the two.
///
/// ```
/// use clearance_formats::{AnyPose, Context, Request, Shape, answer};
/// let context = Context::default();
/// let cube = Shape::from_json(r#"{"kind": "box", "size": [2, 2, 2]}"#, &context)?;
/// let beside = AnyPose::from_json(r#"{"translation": [5, 0, 0]}"#, false, &context)?;
/// let answer = answer(&Request::new(&cube, AnyPose::identity(false), &cube, beside))?;
/// assert_eq!(answer.distance, 3.0);
/// # Ok::<(), clearance_formats::Error>(())
/// ```
pub fn answer(request: &Request<'_>) -> Result<Answer, Error> {
    answer_with(request, distance, planar::distance)
}

/// What is kept between updates of one pair of shapes.
#[derive(Clone, Debug, Default)]
pub struct PairTracker {
    solid: Tracker,
    planar: planar::Tracker,
}

impl PairTracker {
    /// Knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`answer`], starting from the last answer for the same two shapes.
    ///
    /// # Errors
    /// As [`answer`].
    pub fn answer(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        let Self { solid, planar } = self;
        answer_with(
            request,
            |a, b, pose_ab| solid.update(a, b, pose_ab),
            |a, b, pose_ab| planar.update(a, b, pose_ab),
        )
    }
}

/// Answers by the kernel that fits the bodies.
fn answer_with(
    request: &Request<'_>,
    solid: impl FnOnce(&Body, &Body, &Pose) -> Result<Proximity, QueryError>,
    planar: impl FnOnce(&Polygon, &Polygon, &PlanarPose) -> PlanarProximity,
) -> Result<Answer, Error> {
    check_kinds(request)?;
    let mut answer = match (&request.a.body, &request.b.body, request.pose_a, request.pose_b) {
        (AnyBody::Solid(a), AnyBody::Solid(b), AnyPose::Solid(pose_a), AnyPose::Solid(pose_b)) => {
            let pair = SolidPair { a, b, pose_a, pose_ab: Pose::between(&pose_a, &pose_b) };
            check_range(pair.pose_ab.translation().abs().max_element())?;
            pair.answer(solid(a, b, &pair.pose_ab)?, request)?
        }
        (AnyBody::Planar(a), AnyBody::Planar(b), AnyPose::Planar(pose_a), AnyPose::Planar(pose_b)) => {
            let pair = PlanarPair { a, b, pose_a, pose_ab: PlanarPose::between(&pose_a, &pose_b) };
            check_range(pair.pose_ab.translation().abs().max_element())?;
            pair.answer(planar(a, b, &pair.pose_ab), request)?
        }
        _ => return Err(mismatch(request)),
    };
    answer.warnings = warnings(request.a, request.b);
    Ok(answer)
}

/// Refuses what no kernel compares yet, by the names that the input uses.
fn check_kinds(request: &Request<'_>) -> Result<(), Error> {
    let [a, b] = [request.a, request.b];
    if a.body.is_planar() != b.body.is_planar() {
        return Ok(());
    }
    let hindrance = |shape: &Shape| match &shape.body {
        _ if shape.surface_only && is_flat(&shape.body) => Some("`surface_only`"),
        body if is_flat(body) => None,
        AnyBody::Solid(Body::Union(_)) => Some("unions"),
        _ => Some("curved bodies"),
    };
    let Some(what) = hindrance(a).or_else(|| hindrance(b)) else { return Ok(()) };
    let reason = format!(
        "no distance between `{}` and `{}` in this version: {what} cannot be compared yet",
        a.kind, b.kind
    );
    Err(ErrorKind::UnsupportedPair { reason }.into())
}

/// Whether a body has straight features alone.
fn is_flat(body: &AnyBody) -> bool {
    match body {
        AnyBody::Solid(body) => matches!(body.whole(), Body::Polytope(_) | Body::HalfSpace(_)),
        AnyBody::Planar(_) => true,
        AnyBody::PlanarTiled(_) => false,
    }
}

/// Refuses poses so far apart that squares of the distance leave double precision.
fn check_range(apart: f64) -> Result<(), Error> {
    let most = tolerance::LARGEST_EXTENT;
    // Written so that NaN is refused.
    if apart <= most {
        return Ok(());
    }
    Err(ErrorKind::NumberOutOfRange { number: format!("{apart:e} (the distance of the poses)") }.into())
}

fn mismatch(request: &Request<'_>) -> Error {
    let dimension = |planar: bool| if planar { "planar" } else { "solid" };
    let side = |name: &str, shape: &Shape, pose: &AnyPose| {
        let (body, pose) = (dimension(shape.body.is_planar()), dimension(pose.is_planar()));
        format!("{name} is a {body} {} at a {pose} pose", shape.kind)
    };
    let reason =
        format!("{}, {}", side("a", request.a, &request.pose_a), side("b", request.b, &request.pose_b));
    ErrorKind::DimensionMismatch { reason }.into()
}

/// The warnings of both shapes, each under the name of its side.
fn warnings(a: &Shape, b: &Shape) -> Vec<String> {
    let named = |name: &'static str, shape: &Shape| {
        let lines: Vec<String> = shape.warnings.iter().map(|line| format!("{name}: {line}")).collect();
        lines
    };
    [named("a", a), named("b", b)].concat()
}

impl From<RatioError> for Error {
    fn from(error: RatioError) -> Self {
        let side = |body: usize| if body == 0 { "a" } else { "b" };
        let why = match error {
            RatioError::NoInterior { body } => format!("{} has no interior point to grow from", side(body)),
            RatioError::Unbounded { body } => format!("{} is unbounded and cannot grow", side(body)),
            RatioError::Curved { body } => format!("{} is not a polytope", side(body)),
            other => other.to_string(),
        };
        let reason = format!("the ratio metric is not defined here: {why}");
        ErrorKind::UnsupportedPair { reason }.into()
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Self {
        let reason = match error {
            QueryError::UnsupportedPair { a: Kind::HalfSpace, b: Kind::HalfSpace } => {
                "no distance is defined between two half-spaces".to_owned()
            }
            other => other.to_string(),
        };
        ErrorKind::UnsupportedPair { reason }.into()
    }
}

/// Two solid bodies and their poses.
struct SolidPair<'a> {
    a: &'a Body,
    b: &'a Body,
    pose_a: Pose,
    pose_ab: Pose,
}

impl SolidPair<'_> {
    /// Turns the kernel's answer, in the frame of A, into the world's and adds what is wanted.
    fn answer(&self, found: Proximity, request: &Request<'_>) -> Result<Answer, Error> {
        let wants = request.wants;
        let growth = if wants.ratio { Some(self.growth()?) } else { None };
        let mut ended = found.ended;
        let mut lower_bound = None;
        if wants.certificate || request.max_error.is_some() {
            let proof = self.proof(&found)?;
            lower_bound = wants.certificate.then_some(proof.lower);
            ended = judged(found.state, found.signed_distance, found.ended, proof, request.max_error);
        }
        let world = found.in_world(&self.pose_a);
        let points = world.witnesses.map(|witness| solid(witness.point));
        Ok(Answer {
            state: found.state,
            distance: found.distance,
            signed_distance: found.signed_distance,
            points,
            normal: solid(world.normal),
            features: [label(self.a, found.witnesses[0].feature), label(self.b, found.witnesses[1].feature)],
            ended,
            work: found.work,
            warnings: Vec::new(),
            units: request.units,
            ratio: growth.map(|growth| growth.ratio),
            rho: growth.and_then(|growth| growth.rho),
            lower_bound,
            gradient: if wants.gradient { Some(self.gradient(&found)?) } else { None },
            locus: wants.locus.then(|| self.locus(&found)),
            all_minima: wants.all_minima,
        })
    }

    /// The proof for the poses as given: what composing them may have rounded away is taken off.
    fn proof(&self, found: &Proximity) -> Result<Certificate, Error> {
        let proof = certify(self.a, self.b, &self.pose_ab, found)?;
        let size = self.pose_ab.translation().length() + reach(self.a) + reach(self.b);
        Ok(Certificate { lower: proof.lower - tolerance::TOUCH_REL * size, ..proof })
    }

    fn growth(&self) -> Result<Growth, Error> {
        Ok(growth_of_bodies(self.a, self.b, &self.pose_ab)?)
    }

    fn gradient(&self, found: &Proximity) -> Result<GradientAnswer, Error> {
        let turn = |linear: DVec3, angular: DVec3| {
            let (linear, angular) = (self.pose_a.rotate(linear), self.pose_a.rotate(angular));
            [linear.to_array(), angular.to_array()].concat()
        };
        Ok(match gradient(self.a, self.b, &self.pose_ab, found)? {
            Ok(g) => {
                GradientAnswer::Twists([turn(g.velocity_a, g.angular_a), turn(g.velocity_b, g.angular_b)])
            }
            Err(reason) => GradientAnswer::Missing(reason.to_string()),
        })
    }

    fn locus(&self, found: &Proximity) -> Option<LocusAnswer> {
        let Locus { pairs, .. } = locus(self.a, self.b, &self.pose_ab, found);
        let kind = match pairs.len() {
            0 | 1 => return None,
            2 => "curve",
            _ => "area",
        };
        let samples =
            pairs.into_iter().map(|pair| pair.map(|point| solid(self.pose_a.apply(point)))).collect();
        Some(LocusAnswer { kind, samples })
    }
}

/// How an answer ended, given a proof: certified when the proof leaves no more than the error accepted.
///
/// A lower bound proves a distance from below, its witnesses from above. A depth has no such second side
/// here, so an overlapping answer keeps the kernel's word.
pub(crate) fn judged(
    state: State,
    signed_distance: f64,
    ended: Ended,
    proof: Certificate,
    max_error: Option<f64>,
) -> Ended {
    if state.overlaps() {
        return ended;
    }
    let gap = signed_distance - proof.lower;
    match max_error {
        Some(max_error) if gap > max_error => Ended::Stalled { residual: gap },
        _ => Ended::Certified(proof),
    }
}

fn solid(vector: DVec3) -> Coordinates {
    vector.to_array().into()
}

/// The feature in the numbering of the input.
fn label(body: &Body, feature: Feature) -> Feature {
    match body {
        Body::Polytope(polytope) => polytope.label(feature),
        _ => feature,
    }
}

/// Largest distance of a polytope's vertex from its frame's origin; of a half-space that of its plane. There are no proofs
/// for the other kinds.
fn reach(body: &Body) -> f64 {
    match body {
        Body::Polytope(polytope) => polytope.anchor().length() + polytope.reach(),
        Body::HalfSpace(half_space) => half_space.plane().offset.abs(),
        _ => f64::INFINITY,
    }
}
