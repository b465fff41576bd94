//! Pairs with a curved body, or several: the one place where their kernels meet.

use crate::contact::{Contact, Overlap, TraceDemand, classify, overlap};
use crate::convex::ConvexTracker;
use crate::global::{
    Demand, Minima, Nearest, ONE_SHOT_PAIRS, Prepared, Ready, ReadyMemory, SearchMemory, minima, nearest_of,
    proximity_of,
};
use crate::tracking::CurvedTracker;
use crate::{Ended, Proximity, QueryError, State, containment};
use clearance_geometry::{Body, DVec3, Pose};

/// What may be asked of the distance of curved bodies beyond the answer itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Precision {
    /// How far the proven lower bound may be below the distance; a length. By default
    /// [`CERTIFIED_REL`](crate::tolerance::CERTIFIED_REL) of the size of both bodies.
    pub max_error: Option<f64>,
    /// Most pairs of parts that a search may look at; [`ONE_SHOT_PAIRS`] by default.
    pub max_pairs: Option<u64>,
    /// Whether to keep the proof, and by which margin its slopes are to hold: 2 is enough for nearly every checker.
    pub proof: Option<f64>,
}

/// The nearest points of the boundaries of A and of B at `pose_ab`, with all that is proven, and both bodies as they were
/// made ready, which a certificate speaks of.
///
/// # Errors
/// [`QueryError::UnsupportedPair`] for half-spaces and algebraic surfaces (see [`nearest_points_of`]),
/// [`QueryError::NoPieces`] for surfaces swept by a helix, [`QueryError::BadArgument`] for a `max_error` that is not positive.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::{Precision, nearest_points};
/// let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
/// let pin = Body::from(TiledBody::cylinder(0.25, 6.0)?);
/// // The pin stands off the middle of the ring.
/// let pose_ab = Pose::from_translation(DVec3::X * 0.25)?;
/// let (nearest, _) = nearest_points(&ring, &pin, &pose_ab, &Precision::default())?;
/// assert!((nearest.proximity.distance - 1.0).abs() < 1e-9);
/// assert!(nearest.proximity.distance - nearest.lower < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nearest_points(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    precision: &Precision,
) -> Result<(Nearest, [Prepared; 2]), QueryError> {
    let unsupported = QueryError::UnsupportedPair { a: a.kind(), b: b.kind() };
    match nearest_points_of(a, b, pose_ab, precision)? {
        (nearest, [Ready::Pieces(of_a), Ready::Pieces(of_b)]) => Ok((nearest, [of_a, of_b])),
        _ => Err(unsupported),
    }
}

/// As [`nearest_points`], for bodies of any kind: algebraic surfaces and half-spaces too.
///
/// # Errors
/// [`QueryError::UnsupportedPair`] for two half-spaces, and as [`nearest_points`].
pub fn nearest_points_of(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    precision: &Precision,
) -> Result<(Nearest, [Ready; 2]), QueryError> {
    let mut pair = CurvedPair::default();
    let nearest = pair.nearest(a, b, pose_ab, precision)?;
    let [Some(of_a), Some(of_b)] = pair.ready else {
        return Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() });
    };
    Ok((nearest, [of_a, of_b]))
}

/// An answer, and what the search for it met and proved on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The answer.
    pub proximity: Proximity,
    /// Proven: no two points of the boundaries are closer. `None` where no search over boundaries was made.
    pub lower: Option<f64>,
    /// All pairs of points as near as the nearest, within the error asked for, as far as they were met; empty where none
    /// were looked for.
    pub ties: Vec<Proximity>,
}

impl From<Proximity> for Findings {
    fn from(proximity: Proximity) -> Self {
        Self { proximity, lower: None, ties: Vec::new() }
    }
}

/// The connected parts of the overlap of A with B at `pose_ab`, the deepest first, and the curves along which their
/// surfaces cross. Bodies without an inside have no parts.
///
/// # Errors
/// As [`nearest_points`].
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::overlap_regions;
/// let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
/// let pin = Body::from(TiledBody::cylinder(0.25, 6.0)?);
/// // Along the x axis the pin goes through the tube twice.
/// let pose_ab = Pose::from_axis_angle(DVec3::Y, std::f64::consts::FRAC_PI_2, DVec3::ZERO)?;
/// assert_eq!(overlap_regions(&ring, &pin, &pose_ab)?.regions.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap_regions(a: &Body, b: &Body, pose_ab: &Pose) -> Result<Overlap, QueryError> {
    let (a, b) = (prepared(a, b)?, prepared(b, a)?);
    Ok(overlap(&a, &b, pose_ab, &TraceDemand::for_bodies(&a, &b)))
}

/// All local minima of the distance from A to B at `pose_ab`, nearest first, and whether these are all.
///
/// # Errors
/// As [`nearest_points`].
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::local_minima;
/// let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
/// let ball = Body::from(TiledBody::sphere(0.25)?);
/// let (minima, complete) = local_minima(&ring, &ball, &Pose::from_translation(DVec3::X * 0.5)?)?;
/// assert!(complete && minima.len() == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn local_minima(a: &Body, b: &Body, pose_ab: &Pose) -> Result<(Vec<Proximity>, bool), QueryError> {
    local_minima_within(a, b, pose_ab, MINIMA_PAIRS)
}

/// As [`local_minima`], looking at no more than `max_pairs` pairs of parts.
///
/// # Errors
/// As [`nearest_points`].
pub fn local_minima_within(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    max_pairs: u64,
) -> Result<(Vec<Proximity>, bool), QueryError> {
    let (of_a, of_b) = (prepared(a, b)?, prepared(b, a)?);
    let demand = of_a.demand(&of_b, pose_ab);
    let mut memory = SearchMemory::default();
    let trees = [of_a.tree(), of_b.tree()];
    let demand = Demand { max_pairs: max_pairs.min(MINIMA_PAIRS), ..demand };
    let Minima { pairs, complete } = minima([a, b], trees, pose_ab, demand, &mut memory);
    let answer = |pair| proximity_of(trees, pair, demand.contact, Ended::Converged);
    Ok((pairs.iter().map(answer).collect(), complete))
}

/// Pairs of parts that a search for all minima may look at: about a minute.
const MINIMA_PAIRS: u64 = 8 * ONE_SHOT_PAIRS;

/// A body made ready, or that it cannot be compared with the other.
fn prepared(body: &Body, other: &Body) -> Result<Prepared, QueryError> {
    if body.is_bounded() && other.is_bounded() {
        Ok(Prepared::new(body)?)
    } else {
        Err(QueryError::UnsupportedPair { a: body.kind(), b: other.kind() })
    }
}

/// What is kept between queries of one pair: both bodies made ready, and the memory of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct CurvedPair {
    /// Whether poses follow each other; if not, every query begins from scratch.
    follows: bool,
    tracker: Option<Box<CurvedTracker>>,
    convex: ConvexTracker,
    ready: [Option<Ready>; 2],
    memory: ReadyMemory,
}

impl CurvedPair {
    /// For poses that follow each other.
    pub(crate) fn following() -> Self {
        Self { follows: true, ..Self::default() }
    }

    /// Forgets what was tracked, keeping the memory and the bodies made ready.
    pub(crate) fn reset(&mut self) {
        if let Some(tracker) = &mut self.tracker {
            tracker.reset();
        }
        self.convex.reset();
    }

    /// The answer for B at `pose_ab` in the frame of A.
    pub(crate) fn update(&mut self, a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
        Ok(self.find(a, b, pose_ab, &Precision::default())?.proximity)
    }

    /// The answer with what was found on the way.
    pub(crate) fn find(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Findings, QueryError> {
        if self.follows && precision.proof.is_none() && [a, b].into_iter().all(is_followed) {
            return self.tracker(a, b)?.find(pose_ab, precision);
        }
        if let Some(answer) = self.convex.update(a, b, pose_ab)
            && is_enough(&answer, precision)
        {
            return Ok(answer.into());
        }
        let Nearest { proximity: answer, lower, ties, .. } = self.nearest(a, b, pose_ab, precision)?;
        let found = Findings { proximity: answer, lower: Some(lower), ties };
        if answer.state != State::Separated {
            return Ok(match &self.ready {
                [Some(Ready::Pieces(a)), Some(Ready::Pieces(b))] => crossed(found, a, b, pose_ab),
                _ => found,
            });
        }
        // Boundaries apart: one body may still be inside the other.
        Ok(inside(found, containment(a, b, pose_ab)?))
    }

    /// The tracker of these bodies.
    fn tracker(&mut self, a: &Body, b: &Body) -> Result<&mut CurvedTracker, QueryError> {
        if self.tracker.as_ref().is_none_or(|known| !known.is_for(a, b)) {
            self.tracker = None;
        }
        match &mut self.tracker {
            Some(known) => Ok(known),
            none => Ok(none.insert(Box::new(CurvedTracker::new(a, b)?))),
        }
    }

    /// The nearest points of both boundaries.
    fn nearest(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Nearest, QueryError> {
        if !(a.is_bounded() || b.is_bounded()) {
            return Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() });
        }
        // Written so that NaN is refused.
        QueryError::demand(precision.max_error.is_none_or(|error| error > 0.0), "max_error")?;
        let Self { ready: [of_a, of_b], memory, .. } = self;
        let (of_a, of_b) = (ready(of_a, a)?, ready(of_b, b)?);
        let usual = of_a.demand(of_b, pose_ab);
        let demand = Demand {
            max_error: precision.max_error.unwrap_or(usual.max_error),
            max_pairs: precision.max_pairs.unwrap_or(usual.max_pairs),
            proof: precision.proof,
            ..usual
        };
        nearest_of([of_a, of_b], pose_ab, &demand, memory)
    }
}

/// Boundaries in contact: of two solids that cross each other it is proven that they overlap.
pub(crate) fn crossed(mut found: Findings, a: &Prepared, b: &Prepared, pose_ab: &Pose) -> Findings {
    if a.body().is_surface_only() || b.body().is_surface_only() {
        return found;
    }
    let contact = a.demand(b, pose_ab).contact;
    if let Contact::Crossing(_) = classify(a, b, pose_ab, contact) {
        found.proximity.state = State::Penetrating;
    }
    found
}

/// Boundaries apart, where one body may be inside the other: there is no distance then.
pub(crate) fn inside(found: Findings, state: Option<State>) -> Findings {
    let Some(state) = state else { return found };
    let proximity = Proximity {
        state,
        distance: 0.0,
        signed_distance: 0.0,
        normal: DVec3::ZERO,
        ended: Ended::Converged,
        ..found.proximity
    };
    Findings { proximity, ..found }
}

/// Whether a body is one that a tracker follows; half-spaces, algebraic surfaces and what changes its shape are searched in
/// every frame.
fn is_followed(body: &Body) -> bool {
    !matches!(body.whole(), Body::HalfSpace(_) | Body::Algebraic(_) | Body::Deforming(_))
}

/// Whether an answer about convex bodies is as precise as asked; a depth is as precise as it gets.
pub(crate) fn is_enough(answer: &Proximity, precision: &Precision) -> bool {
    let error = match answer.ended {
        Ended::Certified(proof) => answer.signed_distance - proof.lower,
        _ => f64::INFINITY,
    };
    answer.state.overlaps() || precision.max_error.is_none_or(|max_error| error <= max_error)
}

/// The body made ready, from the last query if it was about the same body.
fn ready<'a>(known: &'a mut Option<Ready>, body: &Body) -> Result<&'a Ready, QueryError> {
    if known.as_ref().is_none_or(|known| !known.body().is_same(body)) {
        *known = None;
    }
    match known {
        Some(known) => Ok(known),
        none => Ok(none.insert(Ready::new(body)?)),
    }
}
