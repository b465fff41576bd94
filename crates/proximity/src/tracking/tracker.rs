//! The tracker of a pair of bodies, at least one of them curved.
//!
//! Source: `convex::ConvexTracker` for convex bodies, the front of pairs for all others.
//! Differs: nothing.
//! Ends because: both do.
//! Cost: theirs. Whether one body is inside the other is asked anew only after a motion that is not shorter than the distance.
//! A body that has changed its shape keeps what was proven of it, less how far its points have moved.
//! Not promised: updates without allocation where bodies that are not convex meet: what kind of contact it is, is found
//! out from scratch.

use super::course::{Change, Subject};
use super::front::{FrameEnd, Front};
use crate::analytic::RingTracker;
use crate::convex::{ConvexTracker, Pair, is_convex};
use crate::curved::{Findings, Precision, is_enough};
use crate::global::answer::{first_points, normal_of};
use crate::global::{Demand, Nearest, Prepared, SearchMemory, nearest_with, proximity_of};
use crate::inside::Containment;
use crate::met::{is_told_apart, met, near_pair, without_depth};
use crate::published::Carrier;
use crate::{Certificate, Ended, Proximity, QueryError, State};
use clearance_geometry::pieces::Piece;
use clearance_geometry::{Body, DVec2, DVec3, Feature, Pose, motion_bound};

/// Pairs of parts that an update may look at unless something else is asked: some hundredths of a second.
pub(crate) const UPDATE_PAIRS: u64 = 1 << 16;

/// What is kept between updates of two bodies, at least one of them curved. All its memory is in place when it is made, or
/// after the first update of convex bodies.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::{Ended, tracking::CurvedTracker};
/// let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
/// let mut tracker = CurvedTracker::new(&ring, &ring)?;
/// for step in 0..10 {
///     let beside = DVec3::new(6.0, 0.0, 0.0);
///     let pose_ab = Pose::from_axis_angle(DVec3::Z, 0.01 * f64::from(step), beside)?;
///     let answer = tracker.update(&pose_ab)?;
///     assert!((answer.distance - 1.0).abs() < 1e-9 && matches!(answer.ended, Ended::Certified(_)));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CurvedTracker {
    bodies: [Body; 2],
    convex: Option<ConvexTracker>,
    /// For a ring and a body that is a ring or convex.
    rings: Option<RingTracker>,
    /// In place from the start unless both bodies are convex.
    follower: Option<Box<Follower>>,
    lower: f64,
}

/// The tracker of bodies of which one at least is not convex.
#[derive(Clone, Debug)]
struct Follower {
    subjects: [Subject; 2],
    front: Front,
    /// How the bodies stood to each other in the last frame, where their boundaries were apart.
    apart: Option<Apart>,
    /// What tells whether one body is inside the other, once it was asked.
    containment: Option<Containment>,
    /// For poses close to contact.
    search: SearchMemory,
}

/// Boundaries that were apart.
#[derive(Clone, Copy, Debug)]
struct Apart {
    pose: Pose,
    /// Proven: no two points of them were closer.
    lower: f64,
    /// Which body was inside the other.
    inside: Option<State>,
    /// How far points could have moved by changes of shape before.
    shaped: f64,
}

impl CurvedTracker {
    /// A tracker for two bodies. Making one costs more than a query.
    ///
    /// # Errors
    /// [`QueryError::UnsupportedPair`] for half-spaces and algebraic surfaces, [`QueryError::NoPieces`] for surfaces swept by
    /// a helix.
    pub fn new(a: &Body, b: &Body) -> Result<Self, QueryError> {
        let convex = is_convex(a) && is_convex(b) && a.is_bounded() && b.is_bounded();
        let bodies = [a.clone(), b.clone()];
        let follower = if convex { None } else { Some(Follower::new(&bodies)?) };
        let rings = RingTracker::new(a, b);
        Ok(Self { bodies, convex: convex.then(ConvexTracker::new), rings, follower, lower: 0.0 })
    }

    /// Whether it is a tracker of these two bodies.
    pub fn is_for(&self, a: &Body, b: &Body) -> bool {
        self.bodies[0].is_same(a) && self.bodies[1].is_same(b)
    }

    /// Takes over other shapes of its bodies: deforming bodies cut into the same pieces, as one is after
    /// [`DeformingBody::advance`](clearance_geometry::DeformingBody::advance) while no patches come apart or meet, and trimmed
    /// as before. What was tracked stays, less how far points have moved. Whether it could; if not, these bodies need a tracker of their own.
    ///
    /// # Errors
    /// [`QueryError::NoPieces`] as [`CurvedTracker::new`].
    ///
    /// ```
    /// use clearance_geometry::{Body, DVec3, DeformingBody, DeformingFace, Pose};
    /// use clearance_geometry::{surface::NurbsSurface, tiled::{DeformingPatch, TiledBody}};
    /// use clearance_proximity::tracking::CurvedTracker;
    /// let ends = || vec![0.0, 0.0, 1.0, 1.0];
    /// let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::X + DVec3::Y]];
    /// let sheet = NurbsSurface::new([1, 1], [ends(), ends()], &net, None)?;
    /// let rising = DeformingPatch::new(sheet, &[vec![DVec3::Z; 2], vec![DVec3::Z; 2]])?;
    /// let sheet = DeformingBody::new(vec![DeformingFace::moving(rising, false)], None)?;
    /// let ball = Body::from(TiledBody::sphere(1.0)?);
    /// let over = Pose::from_translation(DVec3::new(0.5, 0.5, 3.0))?;
    /// let mut tracker = CurvedTracker::new(&Body::from(sheet.clone()), &ball)?;
    /// for step in 0..10 {
    ///     let time = 0.1 * f64::from(step);
    ///     assert!(tracker.reshape(&Body::from(sheet.advance(time)?), &ball)?);
    ///     assert!((tracker.update(&over)?.distance - 2.0 + time).abs() < 1e-9);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reshape(&mut self, a: &Body, b: &Body) -> Result<bool, QueryError> {
        for (side, body) in [a, b].into_iter().enumerate() {
            if self.bodies[side].is_same(body) {
                if let Some(follower) = &mut self.follower {
                    follower.set_time(side, 0.0)?;
                }
                continue;
            }
            let (Some(follower), true) = (&mut self.follower, is_other_shape(&self.bodies[side], body))
            else {
                return Ok(false);
            };
            if !follower.reshape(side, body)? {
                return Ok(false);
            }
            self.bodies[side] = body.clone();
        }
        Ok(true)
    }

    /// Brings the shapes of deforming bodies to a time after that of the bodies as they were given, by the velocities of
    /// their control points; others stay as they are. Allocates nothing as long as sides of patches that lie on each other
    /// move alike; where they come apart the body is tiled anew.
    ///
    /// # Errors
    /// [`QueryError::NoPieces`], with what is wrong, where a control point leaves the range of numbers or the patches no
    /// longer make a body; [`QueryError::BadArgument`] for a time that is not finite.
    ///
    /// ```
    /// use clearance_geometry::{Body, DVec3, DeformingBody, DeformingFace, Pose};
    /// use clearance_geometry::{surface::NurbsSurface, tiled::{DeformingPatch, TiledBody}};
    /// use clearance_proximity::tracking::CurvedTracker;
    /// let ends = || vec![0.0, 0.0, 1.0, 1.0];
    /// let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::X + DVec3::Y]];
    /// let sheet = NurbsSurface::new([1, 1], [ends(), ends()], &net, None)?;
    /// let rising = DeformingPatch::new(sheet, &[vec![DVec3::Z; 2], vec![DVec3::Z; 2]])?;
    /// let sheet = DeformingBody::new(vec![DeformingFace::moving(rising, false)], None)?;
    /// let ball = Body::from(TiledBody::sphere(1.0)?);
    /// let over = Pose::from_translation(DVec3::new(0.5, 0.5, 3.0))?;
    /// let mut tracker = CurvedTracker::new(&Body::from(sheet), &ball)?;
    /// for step in 0..10 {
    ///     let time = 0.1 * f64::from(step);
    ///     tracker.set_time(time)?;
    ///     assert!((tracker.update(&over)?.distance - 2.0 + time).abs() < 1e-9);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_time(&mut self, time: f64) -> Result<(), QueryError> {
        QueryError::demand(time.is_finite(), "time")?;
        let Some(follower) = &mut self.follower else { return Ok(()) };
        (0..2).try_for_each(|side| follower.set_time(side, time))
    }

    /// Forgets what was tracked, keeping the memory.
    pub fn reset(&mut self) {
        if let Some(convex) = &mut self.convex {
            convex.reset();
        }
        if let Some(rings) = &mut self.rings {
            rings.reset();
        }
        if let Some(follower) = &mut self.follower {
            follower.front.reset();
            follower.apart = None;
        }
    }

    /// The answer for B at `pose_ab` in the frame of A. One that ends in [`Ended::Limit`] has its distance above and
    /// [`CurvedTracker::lower`] below the truth.
    ///
    /// # Errors
    /// [`QueryError::Undecided`] where rays do not tell whether one body is inside the other.
    pub fn update(&mut self, pose_ab: &Pose) -> Result<Proximity, QueryError> {
        // Answers are made where they go: they are long, and copies of them are seen in what an update of two balls takes.
        let [a, b] = &self.bodies;
        if let Some(convex) = &mut self.convex
            && let Some(pair) = Pair::of(a, b, pose_ab)
        {
            if let Some((contact, lower, memory)) = convex.follow(&pair)
                && pair.certifies(contact, lower)
            {
                self.lower = lower;
                return Ok(contact.answer(&pair, lower, memory));
            }
            let answer = convex.search(&pair);
            // What is not proven is left to the front.
            if is_enough(&answer, &Precision::default()) {
                self.lower = proven(&answer);
                return Ok(answer);
            }
        }
        let precision = Precision::default();
        if let Some(rings) = &mut self.rings
            && let Some(answer) = rings.update(a, b, pose_ab, &precision)
        {
            self.lower = proven(&answer);
            return Ok(answer);
        }
        if let Some(follower) = &mut self.follower {
            let (demand, end) = follower.frame(pose_ab, &precision);
            if follower.stays_apart(pose_ab, &demand, &end) {
                self.lower = end.lower;
                let [a, b] = ready(&follower.subjects);
                return Ok(answer(a, b, pose_ab, &demand, &end));
            }
            let found = follower.find_from(pose_ab, &precision, &demand, &end)?;
            self.lower = found.lower.unwrap_or(0.0);
            return Ok(found.proximity);
        }
        Ok(self.find_other(pose_ab, &precision)?.proximity)
    }

    /// Proven in the last update: no two points of the boundaries are closer than this.
    pub const fn lower(&self) -> f64 {
        self.lower
    }

    /// As [`CurvedTracker::update`], as precisely as asked, with the lower bound.
    ///
    /// # Errors
    /// As [`CurvedTracker::update`], and [`QueryError::BadArgument`] for a `max_error` that is not positive.
    pub fn find(&mut self, pose_ab: &Pose, precision: &Precision) -> Result<Findings, QueryError> {
        // Written so that NaN is refused.
        QueryError::demand(precision.max_error.is_none_or(|error| error > 0.0), "max_error")?;
        match self.find_quick(pose_ab, precision) {
            Some(answer) => {
                Ok(Findings { lower: self.convex.is_none().then_some(self.lower), ..answer.into() })
            }
            None => self.find_other(pose_ab, precision),
        }
    }

    /// The answer for bodies that need no front: convex ones, and rings apart from what they are followed beside.
    fn find_quick(&mut self, pose_ab: &Pose, precision: &Precision) -> Option<Proximity> {
        let [a, b] = &self.bodies;
        let answer = match &mut self.convex {
            Some(convex) => convex.update(a, b, pose_ab).filter(|found| is_enough(found, precision)),
            None => self.rings.as_mut()?.update(a, b, pose_ab, precision),
        }?;
        self.lower = proven(&answer);
        Some(answer)
    }

    fn find_other(&mut self, pose_ab: &Pose, precision: &Precision) -> Result<Findings, QueryError> {
        let follower = match &mut self.follower {
            Some(follower) => follower,
            none => none.insert(Follower::new(&self.bodies)?),
        };
        let found = follower.find(pose_ab, precision)?;
        self.lower = found.lower.unwrap_or(0.0);
        Ok(found)
    }

    /// Replaces what is known of the nearest points by a guess, right or wrong: features of A and of B, and parameters of
    /// them. It changes the cost of the next update, not its answer. Bodies that are rounded cores take no notice of it.
    pub fn hint(&mut self, features: [Feature; 2], parameters: [DVec2; 2]) {
        let [a, b] = &self.bodies;
        if let Some(convex) = &mut self.convex
            && let Some(on_a) = point_of(a, features[0], parameters[0])
            && let Some(on_b) = point_of(b, features[1], parameters[1])
        {
            convex.hint(a, b, features, [on_a, on_b]);
        }
        if let Some(follower) = &mut self.follower {
            follower.hint(features, parameters);
        }
    }
}

impl Follower {
    fn new(bodies: &[Body; 2]) -> Result<Box<Self>, QueryError> {
        let subjects = [Subject::new(&bodies[0])?, Subject::new(&bodies[1])?];
        let front = Front::new(ready(&subjects));
        let search = SearchMemory::default();
        Ok(Box::new(Self { subjects, front, apart: None, containment: None, search }))
    }

    /// Takes over another shape of one body; whether it could.
    fn reshape(&mut self, side: usize, body: &Body) -> Result<bool, QueryError> {
        let moved = self.subjects[side].reshape(body)?;
        if let Some(moved) = moved {
            self.note(side, Change::Moved(moved));
        }
        Ok(moved.is_some())
    }

    /// Brings the shape of one body to a time.
    fn set_time(&mut self, side: usize, time: f64) -> Result<(), QueryError> {
        let change = self.subjects[side].set_time(time)?;
        self.note(side, change);
        Ok(())
    }

    /// Takes note of a change of shape.
    fn note(&mut self, side: usize, change: Change) {
        match change {
            Change::Moved(moved) => {
                if moved > 0.0 {
                    // Rays were made ready for the shape as it was.
                    self.containment = None;
                }
                self.front.reshape(side, ready(&self.subjects), moved);
            }
            Change::Other => {
                self.front = Front::new(ready(&self.subjects));
                (self.containment, self.apart) = (None, None);
            }
        }
    }

    /// Brings the bodies themselves to the time of their pieces, for what is asked of more than these; whether these stay.
    fn tile(&mut self) -> Result<bool, QueryError> {
        let mut stays = true;
        for side in 0..2 {
            let change = self.subjects[side].tile()?;
            if change == Change::Other {
                self.note(side, change);
                stays = false;
            }
        }
        Ok(stays)
    }

    fn find(&mut self, pose_ab: &Pose, precision: &Precision) -> Result<Findings, QueryError> {
        let (demand, end) = self.frame(pose_ab, precision);
        self.find_from(pose_ab, precision, &demand, &end)
    }

    /// The nearest points among the pieces as they are, and what was asked of them.
    fn frame(&mut self, pose_ab: &Pose, precision: &Precision) -> (Demand, FrameEnd) {
        let [a, b] = ready(&self.subjects);
        let usual = a.demand(b, pose_ab);
        let demand = precision.refined(Demand { max_pairs: UPDATE_PAIRS, ..usual });
        let demand = Demand { proof: None, ..demand };
        let end = self.front.update([a, b], pose_ab, &demand);
        (demand, end)
    }

    /// Whether a frame is all that is to be said: the bodies are not close to contact, and none is inside the other as none
    /// was before.
    fn stays_apart(&mut self, pose_ab: &Pose, demand: &Demand, end: &FrameEnd) -> bool {
        if !(end.lower > demand.contact) {
            return false;
        }
        let [a, b] = ready(&self.subjects);
        if a.body().is_surface_only() && b.body().is_surface_only() {
            return true;
        }
        let shaped = self.front.shaped();
        let stays = |last: &&mut Apart| last.inside.is_none() && is_short(a, b, last, pose_ab, shaped);
        let Some(last) = self.apart.as_mut().filter(stays) else { return false };
        (last.pose, last.lower, last.shaped) = (*pose_ab, end.lower, shaped);
        true
    }

    /// What follows from a frame.
    fn find_from(
        &mut self,
        pose_ab: &Pose,
        precision: &Precision,
        demand: &Demand,
        end: &FrameEnd,
    ) -> Result<Findings, QueryError> {
        if let Some(found) = self.find_among(pose_ab, demand, end)? {
            return Ok(found);
        }
        // Other pieces now, of bodies that are tiled.
        let (demand, end) = self.frame(pose_ab, precision);
        self.find_among(pose_ab, &demand, &end)?.ok_or(QueryError::Undecided { what: "a tiling" })
    }

    /// What is found among the pieces as they are; `None` where the bodies are cut into others by now.
    fn find_among(
        &mut self,
        pose_ab: &Pose,
        demand: &Demand,
        end: &FrameEnd,
    ) -> Result<Option<Findings>, QueryError> {
        let [a, b] = ready(&self.subjects);
        let proximity = answer(a, b, pose_ab, demand, end);
        if end.lower <= demand.contact && (end.proven || proximity.state != State::Separated) {
            // Close to contact what counts is not the error asked for but whether they touch.
            if !self.tile()? {
                return Ok(None);
            }
            let [a, b] = ready(&self.subjects);
            let nearest = nearest_with(a, b, pose_ab, demand, &mut self.search);
            return self.settled(nearest, pose_ab).map(Some);
        }
        let mut found = Findings { proximity, lower: Some(end.lower), ties: Vec::new() };
        if !self.knows_inside(pose_ab) && !self.tile()? {
            return Ok(None);
        }
        if let Some(state) = self.inside(pose_ab, end.lower)? {
            found.proximity = without_depth(&found.proximity, state);
        }
        Ok(Some(found))
    }

    /// What a search came to for bodies that nearly touch.
    fn settled(&mut self, nearest: Nearest, pose_ab: &Pose) -> Result<Findings, QueryError> {
        let [a, b] = ready(&self.subjects);
        let (places, lower) = (nearest.places, nearest.lower);
        let mut found = Findings::from(nearest);
        if !is_told_apart(&found.proximity) {
            let near = near_pair(&found.proximity, places);
            met(&mut found, [a, b], near, pose_ab, &Precision::default());
        }
        if found.proximity.state != State::Separated {
            self.apart = None;
        } else if let Some(state) = self.inside(pose_ab, lower)? {
            found.proximity = without_depth(&found.proximity, state);
        }
        Ok(found)
    }

    /// Whether the bodies themselves need not be asked which is inside the other.
    fn knows_inside(&self, pose: &Pose) -> bool {
        let [a, b] = ready(&self.subjects);
        let shaped = self.front.shaped();
        a.body().is_surface_only() && b.body().is_surface_only()
            || self.apart.as_ref().is_some_and(|last| is_short(a, b, last, pose, shaped))
    }

    /// Which body is inside the other; boundaries are apart by at least `lower`.
    fn inside(&mut self, pose: &Pose, lower: f64) -> Result<Option<State>, QueryError> {
        let [a, b] = ready(&self.subjects);
        if a.body().is_surface_only() && b.body().is_surface_only() {
            return Ok(None);
        }
        let shaped = self.front.shaped();
        let state = match &self.apart {
            // A point that moves less than the boundary is away does not cross it.
            Some(last) if is_short(a, b, last, pose, shaped) => last.inside,
            _ => match &mut self.containment {
                Some(known) => known.find(pose, None, lower)?,
                none => none.insert(Containment::new(a.body(), b.body())?).find(pose, None, lower)?,
            },
        };
        self.apart = Some(Apart { pose: *pose, lower, inside: state, shaped });
        Ok(state)
    }

    fn hint(&mut self, features: [Feature; 2], parameters: [DVec2; 2]) {
        let [a, b] = ready(&self.subjects);
        let found = [(a, 0), (b, 1)].map(|(body, i)| {
            let leaves = body.tree().leaves();
            let inside = |at: DVec2, piece: &Piece| {
                let rect = &piece.span.rect;
                rect.u.contains(at.x) && (piece.dimension < 2 || rect.v.contains(at.y))
            };
            let on = |piece: &Piece| piece.feature == features[i];
            let at = leaves
                .iter()
                .position(|piece| on(piece) && inside(parameters[i], piece))
                .or_else(|| leaves.iter().position(on))?;
            Some((at as u32, leaves[at].span.local(parameters[i]).clamp(DVec2::ZERO, DVec2::ONE)))
        });
        let [Some(first), Some(second)] = found else { return };
        self.front.hint([a, b], [first.0, second.0], [first.1, second.1]);
    }
}

/// A point of a feature of a convex body; `None` where there is no such feature.
fn point_of(body: &Body, feature: Feature, at: DVec2) -> Option<DVec3> {
    match body {
        Body::Polytope(polytope) => Some(polytope.center() + polytope.anchor()),
        Body::Tiled(tiled) => {
            let counts = [tiled.vertex_count(), tiled.edge_count(), tiled.face_count()];
            if feature.number() as usize >= counts[feature.dimension()] {
                return None;
            }
            let carrier = Carrier::of(tiled, feature);
            let within = [0, 1].map(|i| carrier.home(i).clamp(at[i]));
            Some(carrier.jet(within).point)
        }
        _ => None,
    }
}

/// The lower bound that an answer of [`CurvedTracker::find_quick`] has proven.
fn proven(answer: &Proximity) -> f64 {
    if let Ended::Certified(proof) = answer.ended { proof.lower } else { 0.0 }
}

/// Both bodies as they were made ready.
fn ready(subjects: &[Subject; 2]) -> [&Prepared; 2] {
    subjects.each_ref().map(|subject| &subject.ready)
}

/// Whether a body may be another shape of one that is tracked.
fn is_other_shape(known: &Body, body: &Body) -> bool {
    let is_boundary = |body: &Body| matches!(body, Body::Boundary(_));
    matches!((known.whole(), body.whole()), (Body::Deforming(_), Body::Deforming(_)))
        && is_boundary(known) == is_boundary(body)
        // A sheet that closes gets an inside.
        && known.is_surface_only() == body.is_surface_only()
}

/// Whether no point has moved as far as the boundaries were apart, by its body's motion and by changes of shape.
fn is_short(a: &Prepared, b: &Prepared, last: &Apart, pose: &Pose, shaped: f64) -> bool {
    let left = last.lower - (shaped - last.shaped).next_up();
    let of_b = motion_bound(&last.pose, pose, b.tree().root().bound.center, b.radius());
    of_b < left
        || motion_bound(&last.pose.inverse(), &pose.inverse(), a.tree().root().bound.center, a.radius())
            < left
}

/// What a frame found, as an answer.
fn answer(a: &Prepared, b: &Prepared, pose: &Pose, demand: &Demand, end: &FrameEnd) -> Proximity {
    // A frame that found nothing has not left its first pair: any two points will do.
    let best = end.nearest.unwrap_or_else(|| first_points(a, b, pose));
    let ended = if end.proven {
        Ended::Certified(Certificate { lower: end.lower, normal: normal_of(&best) })
    } else {
        Ended::Limit
    };
    Proximity { work: end.work.into(), ..proximity_of([a.tree(), b.tree()], &best, demand.contact, ended) }
}
