//! The tracker of a pair of bodies, at least one of them curved.
//!
//! Source: `convex::ConvexTracker` for convex bodies, the front of pairs for all others.
//! Differs: nothing.
//! Ends because: both do.
//! Cost: theirs. Whether one body is inside the other is asked anew only after a motion that is not shorter than the distance.
//! Not promised: updates without allocation where bodies that are not convex meet: what kind of contact it is, is found
//! out from scratch.

use super::front::{FrameEnd, Front};
use crate::analytic::RingTracker;
use crate::convex::{ConvexTracker, is_convex};
use crate::curved::{Findings, Precision, is_enough, is_told_apart, met, near_pair, without_depth};
use crate::global::answer::{first_points, normal_of};
use crate::global::{Demand, Nearest, Prepared, SearchMemory, nearest_with, proximity_of};
use crate::inside::Containment;
use crate::published::Carrier;
use crate::{Certificate, Ended, Proximity, QueryError, State};
use clearance_geometry::pieces::Piece;
use clearance_geometry::{Body, DVec2, DVec3, Feature, Pose, motion_bound};

/// Pairs of parts that an update may look at unless something else is asked: some hundredths of a second.
pub(super) const UPDATE_PAIRS: u64 = 1 << 16;

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
    bodies: [Prepared; 2],
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
        match self.find_quick(pose_ab, &Precision::default()) {
            Some(answer) => Ok(answer),
            None => Ok(self.find_other(pose_ab, &Precision::default())?.proximity),
        }
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
    #[inline]
    fn find_quick(&mut self, pose_ab: &Pose, precision: &Precision) -> Option<Proximity> {
        let [a, b] = &self.bodies;
        let answer = if let Some(convex) = &mut self.convex {
            convex.update(a, b, pose_ab).filter(|answer| is_enough(answer, precision))?
        } else {
            self.rings.as_mut()?.update(a, b, pose_ab, precision)?
        };
        self.lower = if let Ended::Certified(proof) = answer.ended { proof.lower } else { 0.0 };
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
        let bodies = [Prepared::new(&bodies[0])?, Prepared::new(&bodies[1])?];
        let front = Front::new([&bodies[0], &bodies[1]]);
        Ok(Box::new(Self { bodies, front, apart: None, containment: None, search: SearchMemory::default() }))
    }

    fn find(&mut self, pose_ab: &Pose, precision: &Precision) -> Result<Findings, QueryError> {
        let [a, b] = &self.bodies;
        let usual = a.demand(b, pose_ab);
        let demand = precision.refined(Demand { max_pairs: UPDATE_PAIRS, ..usual });
        let demand = Demand { proof: None, ..demand };
        let end = self.front.update([a, b], pose_ab, &demand);
        let proximity = answer(a, b, pose_ab, &demand, &end);
        if end.lower <= demand.contact && (end.proven || proximity.state != State::Separated) {
            // Close to contact what counts is not the error asked for but whether they touch.
            let nearest = nearest_with(a, b, pose_ab, &demand, &mut self.search);
            return self.settled(nearest, pose_ab);
        }
        let mut found = Findings { proximity, lower: Some(end.lower), ties: Vec::new() };
        if let Some(state) = self.inside(pose_ab, end.lower)? {
            found.proximity = without_depth(&found.proximity, state);
        }
        Ok(found)
    }

    /// What a search came to for bodies that nearly touch.
    fn settled(&mut self, nearest: Nearest, pose_ab: &Pose) -> Result<Findings, QueryError> {
        let [a, b] = &self.bodies;
        let (places, lower) = (nearest.places, nearest.lower);
        let mut found = Findings::from(nearest);
        if !is_told_apart(&found.proximity) {
            let near = near_pair(&found.proximity, places);
            met(&mut found, [a, b], near, pose_ab);
        }
        if found.proximity.state != State::Separated {
            self.apart = None;
        } else if let Some(state) = self.inside(pose_ab, lower)? {
            found.proximity = without_depth(&found.proximity, state);
        }
        Ok(found)
    }

    /// Which body is inside the other; boundaries are apart by at least `lower`.
    fn inside(&mut self, pose: &Pose, lower: f64) -> Result<Option<State>, QueryError> {
        let [a, b] = &self.bodies;
        if a.body().is_surface_only() && b.body().is_surface_only() {
            return Ok(None);
        }
        let state = match &self.apart {
            // A point that moves less than the boundary is away does not cross it.
            Some(last) if is_short(a, b, last, pose) => last.inside,
            _ => match &mut self.containment {
                Some(known) => known.find(pose, None)?,
                none => none.insert(Containment::new(a.body(), b.body())?).find(pose, None)?,
            },
        };
        self.apart = Some(Apart { pose: *pose, lower, inside: state });
        Ok(state)
    }

    fn hint(&mut self, features: [Feature; 2], parameters: [DVec2; 2]) {
        let [a, b] = &self.bodies;
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

/// Whether no point has moved as far as the boundaries were apart.
fn is_short(a: &Prepared, b: &Prepared, last: &Apart, pose: &Pose) -> bool {
    let of_b = motion_bound(&last.pose, pose, b.tree().root().bound.center, b.radius());
    of_b < last.lower
        || motion_bound(&last.pose.inverse(), &pose.inverse(), a.tree().root().bound.center, a.radius())
            < last.lower
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
