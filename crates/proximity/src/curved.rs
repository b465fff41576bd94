//! Pairs with a curved body, or several: the one place where their kernels meet.

use crate::analytic::{self, AnalyticMemory};
use crate::contact::{DEEPEST_POINT, Overlap, OverlapRegion, TraceDemand, overlap};
use crate::convex::{ConvexTracker, parts};
use crate::global::{
    Demand, Nearest, Prepared, Ready, ReadyMemory, Uncut, nearest_of, nearest_with, that_matter,
};
use crate::inside::{Containment, is_apart};
use crate::met::{is_told_apart, met, near_pair, without_depth};
use crate::relief::{Relief, joined};
use crate::tracking::CurvedTracker;
use crate::{Ended, Proximity, QueryError, State};
use clearance_geometry::bound::Aabb;
use clearance_geometry::pieces::FaceGroups;
use clearance_geometry::{Body, DVec2, Pose};
use std::time::Instant;

/// What may be asked of the distance of curved bodies beyond the answer itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Precision {
    /// How far the proven lower bound may be below the distance; a length. By default
    /// [`CERTIFIED_REL`](crate::tolerance::CERTIFIED_REL) of the size of both bodies.
    pub max_error: Option<f64>,
    /// Most pairs of parts that a search may look at; [`ONE_SHOT_PAIRS`](crate::global::ONE_SHOT_PAIRS) by default.
    pub max_pairs: Option<u64>,
    /// Whether to keep the proof, and by which margin its slopes are to hold: 2 is enough for nearly every checker.
    pub proof: Option<f64>,
    /// When a search ends with what it has, if not before.
    pub deadline: Option<Instant>,
}

impl Precision {
    /// What is asked of a search, where the usual is asked otherwise.
    pub(crate) fn refined(&self, usual: Demand) -> Demand {
        Demand {
            max_error: self.max_error.unwrap_or(usual.max_error),
            max_pairs: self.max_pairs.unwrap_or(usual.max_pairs),
            proof: self.proof,
            deadline: self.deadline,
            ..usual
        }
    }
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

impl From<Nearest> for Findings {
    fn from(nearest: Nearest) -> Self {
        let Nearest { proximity, lower, ties, .. } = nearest;
        Self { proximity, lower: Some(lower), ties }
    }
}

impl From<Proximity> for Findings {
    fn from(proximity: Proximity) -> Self {
        Self { proximity, lower: None, ties: Vec::new() }
    }
}

/// The connected parts of the overlap of A with B at `pose_ab`, the deepest first, and the curves along which their
/// surfaces cross. Surfaces without an inside have no parts; of a segment those points count that are inside the other body.
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
    overlap_regions_until(a, b, pose_ab, None)
}

/// As [`overlap_regions`], ended soon after a time with what was found by then, which [`Overlap::is_late`] says.
///
/// # Errors
/// As [`nearest_points`].
pub fn overlap_regions_until(
    a: &Body,
    b: &Body,
    pose_ab: &Pose,
    deadline: Option<Instant>,
) -> Result<Overlap, QueryError> {
    let (of_a, of_b) = (prepared(a, b)?, prepared(b, a)?);
    let demand = TraceDemand { deadline, ..TraceDemand::for_bodies(&of_a, &of_b) };
    let mut found = overlap(&of_a, &of_b, pose_ab, &demand);
    if found.regions.is_empty() {
        found.regions.extend(shallow(a, b, pose_ab));
    }
    Ok(found)
}

/// The one part of the overlap of convex bodies so little into each other that its curve is lost in the floor of the
/// trace: there the shortest way apart is from the deepest point.
fn shallow(a: &Body, b: &Body, pose_ab: &Pose) -> Option<OverlapRegion> {
    let answer = ConvexTracker::default().update(a, b, pose_ab)?;
    (answer.state == State::Penetrating && answer.signed_distance < 0.0).then(|| OverlapRegion {
        points: answer.witnesses.map(|witness| witness.point),
        normal: answer.normal,
        depth: -answer.signed_distance,
        // The depth of a point is no more than the way out.
        upper: -answer.signed_distance,
        witnesses: answer.witnesses,
        definition: DEEPEST_POINT,
        curves: Vec::new(),
    })
}

/// A body made ready, or that it cannot be compared with the other.
fn prepared(body: &Body, other: &Body) -> Result<Prepared, QueryError> {
    if body.is_bounded() && other.is_bounded() {
        Ok(Prepared::new(body)?)
    } else {
        Err(QueryError::UnsupportedPair { a: body.kind(), b: other.kind() })
    }
}

/// Pairs of parts that bodies of splines which may be convex are asked about before that is proven: most that are apart take
/// some tens. Where nearest points form a line, it takes a plane that touches all of it to tell.
const SHORT_SEARCH: u64 = 512;

/// What is kept between queries of one pair: both bodies made ready, and the memory of searches and rays.
#[derive(Clone, Debug, Default)]
pub(crate) struct CurvedPair {
    /// Whether poses follow each other; if not, every query begins from scratch.
    follows: bool,
    tracker: Option<Box<CurvedTracker>>,
    convex: ConvexTracker,
    relief: Relief,
    ready: [Option<Ready>; 2],
    memory: ReadyMemory,
    inside: Option<Containment>,
    analytic: AnalyticMemory,
    /// The bodies that were last asked about by their faces.
    asked: Option<[Body; 2]>,
    /// Boxes around the leaves of the bodies at hand, where they were not cut as a whole.
    boxes: [Vec<Aabb<3>>; 2],
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
        self.relief = Relief::default();
    }

    /// The answer for B at `pose_ab` in the frame of A; what a tracker's budget leaves open stays so, since a search from
    /// scratch allocates.
    pub(crate) fn update(&mut self, a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
        self.relief.suspend();
        Ok(self.find_next(a, b, pose_ab, &Precision::default())?.proximity)
    }

    /// The answer with what was found on the way.
    pub(crate) fn find(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Findings, QueryError> {
        self.relief.resume(precision);
        self.find_next(a, b, pose_ab, precision)
    }

    fn find_next(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Findings, QueryError> {
        // Written so that NaN is refused.
        QueryError::demand(precision.max_error.is_none_or(|error| error > 0.0), "max_error")?;
        let may_be_convex = may_be_convex(a) && may_be_convex(b);
        if may_be_convex && !self.follows && precision.proof.is_none() && [a, b].into_iter().any(has_splines)
        {
            let most = precision.max_pairs.map_or(SHORT_SEARCH, |most| most.min(SHORT_SEARCH));
            let short = Precision { max_pairs: Some(most), ..*precision };
            if let Some(found) = self.find_apart(a, b, pose_ab, &short)? {
                return Ok(found);
            }
        }
        if may_be_convex
            && let Some(answer) = self.convex.update(a, b, pose_ab)
            && is_enough(&answer, precision)
        {
            return Ok(answer.into());
        }
        if self.follows && precision.proof.is_none() && [a, b].into_iter().all(is_followed) {
            return self.find_followed(a, b, pose_ab, precision);
        }
        self.find_by_parts(a, b, pose_ab, precision)
    }

    /// The answer of the tracker; what its budget leaves open is searched for from scratch.
    fn find_followed(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Findings, QueryError> {
        let first = self.relief.first(precision);
        let tracked = self.tracker(a, b)?.find(pose_ab, &first)?;
        if self.relief.is_done(&tracked) {
            return Ok(tracked);
        }
        let Some(second) = self.relief.second(precision) else { return Ok(tracked) };
        let Ok(searched) = self.find_by_parts(a, b, pose_ab, &second) else { return Ok(tracked) };
        let again = self.relief.note(&searched);
        let tracked = if again { self.tracker(a, b)?.find(pose_ab, precision)? } else { tracked };
        Ok(joined(tracked, searched, precision))
    }

    /// The answer for bodies of any kind, asked once.
    fn find_by_parts(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Findings, QueryError> {
        if let Some(found) = self.find_by_formulas(a, b, pose_ab, precision) {
            return Ok(found);
        }
        let (mut found, places) = self.find_nearest(a, b, pose_ab, precision)?;
        if !is_told_apart(&found.proximity)
            && let [Some(Ready::Pieces(a)), Some(Ready::Pieces(b))] = &self.ready
        {
            let near = near_pair(&found.proximity, places);
            met(&mut found, [a, b], near, pose_ab, precision);
        }
        if found.proximity.state == State::Separated
            && let Some(state) = self.state_inside(a, b, pose_ab, &found.proximity, precision)?
        {
            found.proximity = without_depth(&found.proximity, state);
        }
        Ok(found)
    }

    /// The same where it proves that the bodies are apart, `None` elsewhere.
    fn find_apart(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Option<Findings>, QueryError> {
        let proves = |found: &Findings| {
            matches!(found.proximity.ended, Ended::Certified(_)) && is_told_apart(&found.proximity)
        };
        if let Some(found) = self.find_by_formulas(a, b, pose_ab, precision) {
            return Ok(Some(found).filter(proves));
        }
        let (found, _) = self.find_nearest(a, b, pose_ab, precision)?;
        let outside =
            proves(&found) && self.state_inside(a, b, pose_ab, &found.proximity, precision)?.is_none();
        Ok(outside.then_some(found))
    }

    fn find_by_formulas(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Option<Findings> {
        analytic::find(a, b, pose_ab, precision, &mut self.analytic)
            .or_else(|| parts::find(a, b, pose_ab, precision))
    }

    /// The nearest points of the boundaries, with their places where these were searched as wholes.
    fn find_nearest(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<(Findings, [(u32, DVec2); 2]), QueryError> {
        let mut apart = analytic::find_within(a, b, pose_ab, precision, &mut self.analytic);
        if apart.is_none() {
            apart = self.by_faces(a, b, pose_ab, precision)?;
        }
        if apart.is_none() {
            apart = self.by_cores(a, b, pose_ab, precision)?;
        }
        match apart.filter(|found| is_told_apart(&found.proximity)) {
            Some(found) => Ok((found, Default::default())),
            None => {
                let nearest = self.nearest(a, b, pose_ab, precision)?;
                let places = nearest.places;
                Ok((nearest.into(), places))
            }
        }
    }

    /// Boundaries apart: one body may still be inside the other. Points that are nearest but for a large error may have a
    /// boundary between them and tell nothing.
    fn state_inside(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        answer: &Proximity,
        precision: &Precision,
    ) -> Result<Option<State>, QueryError> {
        let telling = precision.max_error.is_none().then_some(answer);
        if telling.is_some_and(|answer| is_apart(a, b, answer, pose_ab)) {
            return Ok(None);
        }
        self.inside(a, b)?.find(pose_ab, telling, answer.distance)
    }

    /// As [`CurvedPair::find`], for shapes `time` later than those given.
    pub(crate) fn find_at(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
        time: f64,
    ) -> Result<Findings, QueryError> {
        QueryError::demand(time.is_finite(), "time")?;
        if ![a, b].into_iter().any(deforms) {
            return self.find(a, b, pose_ab, precision);
        }
        if self.follows && precision.proof.is_none() && [a, b].into_iter().all(is_followed) {
            if self.tracker.as_ref().is_none_or(|known| !known.is_for(a, b)) {
                self.tracker(a, b)?;
            }
            if let Some(tracker) = &mut self.tracker {
                tracker.set_time(time)?;
                return tracker.find(pose_ab, precision);
            }
        }
        self.find(&later(a, time)?, &later(b, time)?, pose_ab, precision)
    }

    /// Which body is inside the other, kept from the last query if it was about the same bodies.
    fn inside(&mut self, a: &Body, b: &Body) -> Result<&mut Containment, QueryError> {
        if self.inside.as_ref().is_some_and(|known| !known.is_for(a, b)) {
            self.inside = None;
        }
        let known = match &mut self.inside {
            Some(known) => known,
            none => none.insert(Containment::new(a, b)?),
        };
        known.lend(self.ready.each_ref().map(|ready| ready.as_ref()?.pieces()));
        known.lend_boxes(&self.boxes);
        Ok(known)
    }

    /// The nearest points of both boundaries where a body of many faces is asked about for the first time: only those that can
    /// matter are cut into pieces. `None` for others, and where they are not known to be apart.
    fn by_faces(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Option<Findings>, QueryError> {
        self.boxes = Default::default();
        if precision.proof.is_some() || ![a, b].into_iter().all(has_faces) {
            return Ok(None);
        }
        // A body that comes again will come more often.
        let asked = self.asked.replace([a.clone(), b.clone()]);
        let is_new = |body: &Body| !asked.iter().flatten().any(|known| known.is_same(body));
        let has_core = self.analytic.have_core(a, b);
        let Self { ready: [of_a, of_b], analytic, memory, boxes, .. } = self;
        let is_uncut = |known: &Option<Ready>, body: &Body| {
            is_new(body) && !known.as_ref().is_some_and(|known| known.body().is_same(body))
        };
        if has_core
            && let Some(side) = analytic.beside_ball()
            // Whatever was asked before, where that is quickest for any question.
            && ([is_uncut(of_a, a), is_uncut(of_b, b)][side] || analytic.has_formulas(side))
            && let Some(found) = analytic.by_feet(pose_ab, precision)
        {
            let body = [a, b][side];
            // Of a union, each part may hold the ball: their boxes tell first.
            if matches!(body.whole(), Body::Union(_)) {
                boxes[side] = FaceGroups::of(body).map_or_else(Vec::new, |groups| groups.leaf_boxes());
            }
            return Ok(Some(found));
        }
        let groups = |known: &Option<Ready>, body: &Body| {
            if is_uncut(known, body) { FaceGroups::of(body) } else { None }
        };
        let (groups_a, groups_b) = (groups(of_a, a), groups(of_b, b));
        if groups_a.is_none() && groups_b.is_none() {
            return Ok(None);
        }
        *boxes = [&groups_a, &groups_b]
            .map(|groups| groups.as_ref().map_or_else(Vec::new, FaceGroups::leaf_boxes));
        let core = |side: usize| analytic.stand_in(side).filter(|_| has_core);
        let (Some(one), Some(other)) =
            (uncut(core(0), &groups_a, of_a, a)?, uncut(core(1), &groups_b, of_b, b)?)
        else {
            return Ok(None);
        };
        // A face may have no pieces of its own, and a body that cannot be cut says so when it is.
        let Ok(Some([of_a, of_b])) =
            that_matter([one, other], pose_ab, precision.max_error, memory.of_pieces())
        else {
            return Ok(None);
        };
        let found = if has_core {
            analytic.by_cores([&of_a, &of_b], pose_ab, precision)
        } else {
            let demand = precision.refined(of_a.demand(&of_b, pose_ab));
            Some(nearest_with(&of_a, &of_b, pose_ab, &demand, memory.of_pieces()).into())
        };
        Ok(found.filter(|found| found.proximity.state == State::Separated))
    }

    /// The nearest points of both boundaries by way of a core, where one body has one and no proof is to be kept.
    fn by_cores(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Option<Findings>, QueryError> {
        if precision.proof.is_some() || !self.analytic.have_core(a, b) {
            return Ok(None);
        }
        let Self { ready: [of_a, of_b], analytic, .. } = self;
        // A body with a core need not be cut into pieces.
        let known = |side: usize, known: &mut Option<Ready>, body: &Body| match analytic.stand_in(side) {
            Some(core) => Ok(Some(core.clone())),
            None => Ok::<_, QueryError>(ready(known, body)?.pieces().cloned()),
        };
        let (Some(of_a), Some(of_b)) = (known(0, of_a, a)?, known(1, of_b, b)?) else { return Ok(None) };
        Ok(analytic.by_cores([&of_a, &of_b], pose_ab, precision))
    }

    /// The tracker of these bodies, or of those of which they are another shape.
    fn tracker(&mut self, a: &Body, b: &Body) -> Result<&mut CurvedTracker, QueryError> {
        let stays = match &mut self.tracker {
            Some(known) if known.is_for(a, b) => known.set_time(0.0).map(|()| true)?,
            Some(known) => known.reshape(a, b)?,
            None => false,
        };
        if !stays {
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
        let demand = precision.refined(of_a.demand(of_b, pose_ab));
        nearest_of([of_a, of_b], pose_ab, &demand, memory)
    }
}

/// A body before a search: its core, its faces, or all of it made ready; `None` where it is not made of pieces.
fn uncut<'a>(
    core: Option<&'a Prepared>,
    groups: &'a Option<FaceGroups>,
    known: &'a mut Option<Ready>,
    body: &'a Body,
) -> Result<Option<Uncut<'a>>, QueryError> {
    Ok(match (core, groups) {
        (Some(core), _) => Some(Uncut::Ready(core)),
        (None, Some(groups)) => Some(Uncut::Groups(body, groups)),
        (None, None) => ready(known, body)?.pieces().map(Uncut::Ready),
    })
}

/// Whether a body is one that a tracker follows; half-spaces and algebraic surfaces are searched in every frame.
fn is_followed(body: &Body) -> bool {
    !matches!(body.whole(), Body::HalfSpace(_) | Body::Algebraic(_))
}

/// Whether a body may be asked about by its faces alone.
fn has_faces(body: &Body) -> bool {
    is_followed(body) && !deforms(body)
}

/// Whether a body changes its shape.
fn deforms(body: &Body) -> bool {
    matches!(body.whole(), Body::Deforming(_))
}

/// A body `time` later: another shape where it deforms.
fn later(body: &Body, time: f64) -> Result<Body, QueryError> {
    let Body::Deforming(deforming) = body.whole() else { return Ok(body.clone()) };
    let later =
        deforming.advance(time).map_err(|error| QueryError::NoPieces { reason: error.to_string() })?;
    let later = Body::from(later);
    Ok(if matches!(body, Body::Boundary(_)) { later.boundary() } else { later })
}

/// Whether [`ConvexTracker`] may take a body, as far as that is told without a look at its faces.
fn may_be_convex(body: &Body) -> bool {
    match body {
        Body::Polytope(_) | Body::HalfSpace(_) => true,
        Body::Tiled(tiled) => tiled.may_be_convex(),
        _ => false,
    }
}

/// Whether it takes a proof to tell that a body is convex.
fn has_splines(body: &Body) -> bool {
    matches!(body, Body::Tiled(tiled) if tiled.has_splines())
}

/// Whether an answer about convex bodies is as precise as asked; a depth is as precise as it gets. A distance that was not
/// proven is left to the search, whatever is asked.
pub(crate) fn is_enough(answer: &Proximity, precision: &Precision) -> bool {
    match answer.ended {
        _ if answer.state.overlaps() => true,
        Ended::Certified(proof) => {
            precision.max_error.is_none_or(|max_error| answer.signed_distance - proof.lower <= max_error)
        }
        Ended::Converged => precision.max_error.is_none(),
        Ended::Stalled { .. } | Ended::Limit => {
            answer.state == State::Touching && precision.max_error.is_none()
        }
    }
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
