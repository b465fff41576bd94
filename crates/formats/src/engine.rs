//! Questions about two shapes in the world, handed to the kernels of their dimension.

use crate::answer::Answer;
use crate::events::events;
use crate::flat::PlanarPair;
use crate::flat_curved::{CurvedPlanarPair, OutlineMemory};
use crate::solid::SolidPair;
use crate::{AnyBody, AnyPose, Error, ErrorKind, Request, Shape};
use clearance_geometry::{Body, Kind, PlanarPose, Polygon, Pose, tolerance};
use clearance_proximity::planar::{self, PlanarProximity};
use clearance_proximity::ratio::RatioError;
use clearance_proximity::{Findings, Precision, QueryError, Scratch, Tracker};

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
    let solid = |a: &Body, b: &Body, pose_ab: &Pose, precision: &Precision| {
        Scratch::new().find(a, b, pose_ab, precision)
    };
    answer_with(request, solid, planar::distance, &mut OutlineMemory::default())
}

/// What is kept between updates of one pair of shapes.
#[derive(Clone, Debug, Default)]
pub struct PairTracker {
    solid: Tracker,
    planar: planar::Tracker,
    outlines: OutlineMemory,
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
        let Self { solid, planar, outlines } = self;
        answer_with(
            request,
            |a, b, pose_ab, precision| solid.find(a, b, pose_ab, precision),
            |a, b, pose_ab| planar.update(a, b, pose_ab),
            outlines,
        )
    }
}

/// Answers by the kernel that fits the bodies.
fn answer_with(
    request: &Request<'_>,
    solid: impl FnOnce(&Body, &Body, &Pose, &Precision) -> Result<Findings, QueryError>,
    planar: impl FnOnce(&Polygon, &Polygon, &PlanarPose) -> PlanarProximity,
    outlines: &mut OutlineMemory,
) -> Result<Answer, Error> {
    let mut answer = match (&request.a.body, &request.b.body, request.pose_a, request.pose_b) {
        (AnyBody::Solid(a), AnyBody::Solid(b), AnyPose::Solid(pose_a), AnyPose::Solid(pose_b)) => {
            let pair = SolidPair::new([a, b], [pose_a, pose_b]);
            check_range(pair.pose_ab().translation().abs().max_element())?;
            pair.answer(&solid(a, b, pair.pose_ab(), &pair.precision(request))?, request)?
        }
        (AnyBody::Planar(a), AnyBody::Planar(b), AnyPose::Planar(pose_a), AnyPose::Planar(pose_b)) => {
            let pair = PlanarPair { a, b, pose_a, pose_ab: PlanarPose::between(&pose_a, &pose_b) };
            check_range(pair.pose_ab.translation().abs().max_element())?;
            check_planar(request)?;
            pair.answer(planar(a, b, &pair.pose_ab), request)?
        }
        (a, b, AnyPose::Planar(pose_a), AnyPose::Planar(pose_b)) => {
            let pair = CurvedPlanarPair::new([a, b], [pose_a, pose_b]).ok_or_else(|| mismatch(request))?;
            check_range(pair.pose_ab().translation().abs().max_element())?;
            check_planar(request)?;
            pair.answer(request, outlines)?
        }
        _ => return Err(mismatch(request)),
    };
    answer.events = request.wants.events.then(|| events(request, &answer)).transpose()?;
    answer.warnings.splice(..0, warnings(request.a, request.b));
    Ok(answer)
}

/// Refuses the boundaries of planar bodies, which no kernel compares yet.
fn check_planar(request: &Request<'_>) -> Result<(), Error> {
    if request.a.surface_only || request.b.surface_only {
        return Err(not_yet(request, "boundaries of planar bodies"));
    }
    Ok(())
}

fn not_yet(request: &Request<'_>, what: &str) -> Error {
    let [a, b] = [request.a.kind, request.b.kind];
    let reason =
        format!("no distance between `{a}` and `{b}` in this version: {what} cannot be compared yet");
    ErrorKind::UnsupportedPair { reason }.into()
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
            QueryError::BadArgument { field: "motion" } => {
                return ErrorKind::NotFinite { what: "a motion".to_owned() }.into();
            }
            QueryError::UnsupportedPair { a: Kind::HalfSpace, b: Kind::HalfSpace } => {
                "no distance is defined between two half-spaces".to_owned()
            }
            other => other.to_string(),
        };
        ErrorKind::UnsupportedPair { reason }.into()
    }
}
