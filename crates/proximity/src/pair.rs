//! Any two bodies: the one place where the kinds meet.

use crate::curved::{CurvedPair, Findings, Precision};
use crate::{PolytopeTracker, Proximity, QueryError, half_space};
use clearance_geometry::{Body, Feature, Pose, VertexId};

/// What is kept between updates of one pair of bodies.
///
/// ```
/// use clearance_geometry::{Body, DVec3, HalfSpace, Polytope, Pose};
/// use clearance_proximity::Tracker;
/// let floor = Body::from(HalfSpace::new(DVec3::Z, 0.0)?);
/// let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0))?);
/// let mut tracker = Tracker::new();
/// let answer = tracker.update(&floor, &cube, &Pose::from_translation(DVec3::new(0.0, 0.0, 1.5))?)?;
/// assert_eq!(answer.distance, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tracker {
    pub(crate) polytopes: PolytopeTracker,
    vertex: u32,
    curved: Box<CurvedPair>,
}

impl Default for Tracker {
    fn default() -> Self {
        Self { polytopes: PolytopeTracker::default(), vertex: 0, curved: Box::new(CurvedPair::following()) }
    }
}

impl Tracker {
    /// A tracker that knows nothing yet, with its memory in place.
    pub fn new() -> Self {
        Self::default()
    }

    /// A tracker whose memory grows with use, for depth searches of up to `corners` support points.
    pub(crate) fn growing(corners: usize) -> Self {
        Self { polytopes: PolytopeTracker::growing(corners), vertex: 0, curved: Box::default() }
    }

    /// Forgets what was tracked, keeping the memory.
    pub fn reset(&mut self) {
        self.polytopes.reset();
        self.curved.reset();
        self.vertex = 0;
    }

    /// Sets the most rounds that the search of an update for the distance may take; one that needs more ends in
    /// [`Ended::Limit`](crate::Ended::Limit). A depth is limited by the memory for it instead.
    pub fn set_max_iterations(&mut self, iterations: u32) {
        self.polytopes.set_max_iterations(iterations);
    }

    /// The answer for B at `pose_ab` in the frame of A. Allocates nothing for polytopes and half-spaces,
    /// nor for other bodies that are apart, after their first update (see [`CurvedTracker`](crate::tracking::CurvedTracker)).
    ///
    /// # Errors
    /// [`QueryError::UnsupportedPair`] for two half-spaces.
    #[inline]
    pub fn update(&mut self, a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
        match (a, b) {
            (Body::Polytope(a), Body::Polytope(b)) => Ok(self.polytopes.update(a, b, pose_ab)),
            (Body::HalfSpace(half), Body::Polytope(b)) => {
                let start = VertexId(if (self.vertex as usize) < b.vertex_count() { self.vertex } else { 0 });
                let answer = half_space::against(half, b, pose_ab, start);
                if let Feature::Vertex(vertex) = answer.witnesses[1].feature {
                    self.vertex = vertex.0;
                }
                Ok(answer)
            }
            (Body::Polytope(_), Body::HalfSpace(_)) => {
                let pose_ba = pose_ab.inverse();
                Ok(self.update(b, a, &pose_ba)?.swapped(&pose_ba))
            }
            (Body::HalfSpace(_), Body::HalfSpace(_)) => {
                Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() })
            }
            _ => self.curved.update(a, b, pose_ab),
        }
    }

    /// As [`Tracker::update`], with all that a search for curved bodies found, as precisely as asked. Polytopes and
    /// half-spaces have one answer, whatever is asked. Where an update would end in [`Ended::Limit`](crate::Ended::Limit), a search
    /// from scratch is asked as well, which allocates.
    ///
    /// # Errors
    /// As [`Tracker::update`], and [`QueryError::BadArgument`] for a `max_error` that is not positive.
    ///
    /// ```
    /// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
    /// use clearance_proximity::{Precision, Tracker};
    /// let ring = Body::from(TiledBody::torus(2.0, 0.5)?);
    /// let pose_ab = Pose::from_translation(DVec3::X * 6.0)?;
    /// let precision = Precision { max_error: Some(1e-6), ..Precision::default() };
    /// let found = Tracker::new().find(&ring, &ring, &pose_ab, &precision)?;
    /// assert!(found.lower.is_some_and(|lower| found.proximity.distance - lower <= 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Result<Findings, QueryError> {
        let is_flat = |body: &Body| matches!(body, Body::Polytope(_) | Body::HalfSpace(_));
        if is_flat(a) && is_flat(b) {
            return Ok(self.update(a, b, pose_ab)?.into());
        }
        self.curved.find(a, b, pose_ab, precision)
    }

    /// As [`Tracker::find`], for shapes `time` later than those given: deforming bodies are followed from one time to the next
    /// without being tiled anew. Other bodies are as they are.
    ///
    /// # Errors
    /// As [`Tracker::find`], [`QueryError::NoPieces`] where a control point leaves the range of numbers or patches no longer
    /// make a body, and [`QueryError::BadArgument`] for a time that is not finite.
    pub fn find_at(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        precision: &Precision,
        time: f64,
    ) -> Result<Findings, QueryError> {
        let is_flat = |body: &Body| matches!(body, Body::Polytope(_) | Body::HalfSpace(_));
        if is_flat(a) && is_flat(b) {
            return self.find(a, b, pose_ab, precision);
        }
        self.curved.find_at(a, b, pose_ab, precision, time)
    }

    /// Whether B at `pose_ab` is closer to A than `margin` (a length, negative: overlaps by more).
    /// Ends as soon as a separating direction shows that it is not.
    ///
    /// # Errors
    /// As [`Tracker::update`], and [`QueryError::BadArgument`] for a margin that is NaN.
    ///
    /// ```
    /// use clearance_geometry::{Body, DVec3, Polytope, Pose};
    /// let cube = Body::from(Polytope::cuboid(DVec3::ONE)?);
    /// let mut tracker = clearance_proximity::Tracker::new();
    /// let near = tracker.closer_than(&cube, &cube, &Pose::from_translation(DVec3::X * 3.0)?, 0.5)?;
    /// assert!(!near.closer && near.lower > 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closer_than(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        margin: f64,
    ) -> Result<Closer, QueryError> {
        if margin.is_nan() {
            return Err(QueryError::BadArgument { field: "margin" });
        }
        if let (Body::Polytope(a), Body::Polytope(b)) = (a, b)
            && margin >= 0.0
            && let Some(lower) = self.polytopes.separation_beyond(a, b, pose_ab, margin)
        {
            return Ok(Closer { closer: false, lower });
        }
        let answer = self.update(a, b, pose_ab)?;
        Ok(Closer { closer: answer.signed_distance < margin, lower: answer.signed_distance })
    }

    /// Answers for a slice of poses in order, each tracked from the one before.
    ///
    /// # Errors
    /// As [`Tracker::update`], and [`QueryError::BatchLength`] when the slices differ in length;
    /// nothing is written then.
    pub fn update_all(
        &mut self,
        a: &Body,
        b: &Body,
        poses_ab: &[Pose],
        answers: &mut [Proximity],
    ) -> Result<(), QueryError> {
        if poses_ab.len() != answers.len() {
            return Err(QueryError::BatchLength { poses: poses_ab.len(), answers: answers.len() });
        }
        for (pose_ab, answer) in poses_ab.iter().zip(answers) {
            *answer = self.update(a, b, pose_ab)?;
        }
        Ok(())
    }
}

/// The answer to "closer than this margin?".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closer {
    /// Whether the signed distance is below the margin.
    pub closer: bool,
    /// A lower bound on the signed distance, in plain arithmetic; the distance itself when `closer`.
    pub lower: f64,
}
