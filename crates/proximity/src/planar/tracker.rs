//! Distance, witnesses, features and depth of two polygons, tracked from pose to pose.
//!
//! Source: 003 chapter 3 for the idea that the closest features seldom change; GJK for the search when
//! they do (`gjk`), the separating-axis theorem for the depth (`depth`).
//! Ends because: each stage does; they are tried in order, and the search is started over once at most.
//! Cost: O(1) when the features stay; O(log n) per round of a search; O(n + m) in overlap.
//! Not promised: a feature, when several are equally near. The distance is unaffected.

use super::depth::{self, Deepest};
use super::gjk::{self, Limits, Outcome};
use super::settle::{self, Settled};
use super::simplex::{Corner, Simplex};
use super::{PlanarProximity, PlanarWitness, frame};
use crate::{Closer, Ended, QueryError, State, Work};
use clearance_geometry::{DVec2, Feature, PlanarPose, Polygon, Tolerance, VertexId};

/// What is kept between two updates of one pair of polygons: names of corners, nothing measured.
///
/// It may change the cost of the next answer, never the answer beyond ties: what it remembers is
/// verified against the bodies at hand.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, Polygon};
/// use clearance_proximity::planar::Tracker;
/// let square = Polygon::rectangle(DVec2::ONE)?;
/// let mut tracker = Tracker::new();
/// for step in 0..10 {
///     let pose_ab = PlanarPose::from_translation(DVec2::new(2.0 + 0.1 * f64::from(step), 0.0))?;
///     let answer = tracker.update(&square, &square, &pose_ab);
///     assert!((answer.distance - 1.0 - 0.1 * f64::from(step)).abs() < 1e-15);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tracker {
    simplex: Simplex,
    /// Whether the first corner was next to the closest points of two separated bodies.
    settled: bool,
    /// The side along whose normal the way out of the last overlap was shortest.
    way_out: depth::Hint,
    max_iterations: u32,
}

impl Default for Tracker {
    fn default() -> Self {
        Self::new()
    }
}

impl Tracker {
    /// A tracker that knows nothing yet.
    pub fn new() -> Self {
        Self {
            simplex: Simplex::default(),
            settled: false,
            way_out: None,
            max_iterations: gjk::MAX_ITERATIONS,
        }
    }

    /// Forgets what was tracked.
    pub fn reset(&mut self) {
        self.simplex.clear();
        self.settled = false;
        self.way_out = None;
    }

    /// Sets the most rounds a single search may take; one that needs more ends in [`Ended::Limit`].
    pub fn set_max_iterations(&mut self, iterations: u32) {
        self.max_iterations = iterations.max(1);
    }

    /// Suggests corners near the closest points; a wrong or impossible suggestion only costs time.
    pub fn suggest(&mut self, vertices: [VertexId; 2]) {
        self.remember(vertices);
    }

    /// The answer for B at `pose_ab` in the frame of A. Allocates nothing.
    #[inline]
    pub fn update(&mut self, a: &Polygon, b: &Polygon, pose_ab: &PlanarPose) -> PlanarProximity {
        let pose = frame::anchored(a, b, pose_ab);
        let tol = frame::tolerance(a, b, &pose);
        self.forget_strangers(a, b);
        if self.settled {
            let settled = settle::around(a, b, &pose, self.simplex.corners()[0].vertices(), tol.length());
            if settled.distance > tol.length() && settle::residual(a, b, &pose, &settled) <= tol.length() {
                let work = Work { iterations: 1, supports: 1, ..Work::default() };
                return self.separated(a, &settled, Ended::Converged, work);
            }
        }
        self.search(a, b, &pose, &tol)
    }

    /// Whether B at `pose_ab` is closer to A than `margin` (a length, negative: overlaps by more).
    /// Ends as soon as a separating direction shows that it is not.
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] for a margin that is NaN.
    pub fn closer_than(
        &mut self,
        a: &Polygon,
        b: &Polygon,
        pose_ab: &PlanarPose,
        margin: f64,
    ) -> Result<Closer, QueryError> {
        QueryError::demand(!margin.is_nan(), "margin")?;
        if margin >= 0.0 {
            let pose = frame::anchored(a, b, pose_ab);
            let tol = frame::tolerance(a, b, &pose);
            self.forget_strangers(a, b);
            let limits = Limits { iterations: self.max_iterations, margin };
            let outcome = gjk::search(a, b, &pose, &mut self.simplex, &tol, limits, &mut Work::default());
            self.settled = false;
            if let Outcome::Clear { lower } = outcome {
                return Ok(Closer { closer: false, lower });
            }
        }
        let answer = self.update(a, b, pose_ab);
        Ok(Closer { closer: answer.signed_distance < margin, lower: answer.signed_distance })
    }

    /// Answers for a slice of poses in order, each tracked from the one before.
    ///
    /// # Errors
    /// [`QueryError::BatchLength`] when the slices differ in length; nothing is written then.
    pub fn update_all(
        &mut self,
        a: &Polygon,
        b: &Polygon,
        poses_ab: &[PlanarPose],
        answers: &mut [PlanarProximity],
    ) -> Result<(), QueryError> {
        if poses_ab.len() != answers.len() {
            return Err(QueryError::BatchLength { poses: poses_ab.len(), answers: answers.len() });
        }
        for (pose_ab, answer) in poses_ab.iter().zip(answers) {
            *answer = self.update(a, b, pose_ab);
        }
        Ok(())
    }

    fn search(&mut self, a: &Polygon, b: &Polygon, pose: &PlanarPose, tol: &Tolerance) -> PlanarProximity {
        let mut work = Work::default();
        let limits = Limits { iterations: self.max_iterations, margin: f64::INFINITY };
        let mut started_over = false;
        loop {
            let outcome = gjk::search(a, b, pose, &mut self.simplex, tol, limits, &mut work);
            let Outcome::Apart { facing, limit } = outcome else {
                return self.meeting(a, b, pose, tol, work);
            };
            let nearest = self.nearest_to_simplex(a, b, pose, Some(facing), tol, &mut work);
            let (mut settled, mut residual) = settle::proved(a, b, pose, nearest, tol, &mut work);
            if started_over && residual > tol.gap(settled.distance) {
                (settled, residual) = self.rescued(a, b, pose, (settled, residual), tol, &mut work);
            }
            if settled.distance <= tol.length() {
                return self.meeting(a, b, pose, tol, work);
            }
            let ended = if residual <= tol.gap(settled.distance) {
                Ended::Converged
            } else if limit {
                Ended::Limit
            } else if started_over {
                Ended::Stalled { residual }
            } else {
                // Rounding of an old simplex can stop the search early: start over once.
                self.simplex.clear();
                work.escapes += 1;
                started_over = true;
                continue;
            };
            return self.separated(a, &settled, ended, work);
        }
    }

    /// A pair nearer or better proved at the side that separates best, where corners that almost coincide
    /// have stopped both the search and the walk.
    fn rescued(
        &self,
        a: &Polygon,
        b: &Polygon,
        pose: &PlanarPose,
        (settled, residual): (Settled, f64),
        tol: &Tolerance,
        work: &mut Work,
    ) -> (Settled, f64) {
        let Some(deepest) = depth::deepest(a, b, pose, self.way_out, work) else {
            return (settled, residual);
        };
        let other = settle::walk(a, b, pose, deepest.vertices(a, b), tol.length(), work);
        let (other, residual_there) = settle::proved(a, b, pose, other, tol, work);
        if residual_there < residual { (other, residual_there) } else { (settled, residual) }
    }

    /// The nearest features around the corners of the simplex and around those that face each other.
    /// The latter are next to the closest points, but where corners almost coincide no simplex need be.
    fn nearest_to_simplex(
        &self,
        a: &Polygon,
        b: &Polygon,
        pose: &PlanarPose,
        facing: Option<[VertexId; 2]>,
        tol: &Tolerance,
        work: &mut Work,
    ) -> Settled {
        let mut corners = self.simplex.corners().iter().map(Corner::vertices).chain(facing);
        let first = settle::walk(a, b, pose, corners.next().unwrap_or([VertexId(0); 2]), tol.length(), work);
        corners.fold(first, |best, vertices| {
            let other = settle::walk(a, b, pose, vertices, tol.length(), work);
            if other.distance < best.distance { other } else { best }
        })
    }

    /// The bodies touch or overlap, as far as the search could tell.
    fn meeting(
        &mut self,
        a: &Polygon,
        b: &Polygon,
        pose: &PlanarPose,
        tol: &Tolerance,
        mut work: Work,
    ) -> PlanarProximity {
        let deepest = depth::deepest(a, b, pose, self.way_out, &mut work);
        self.way_out = deepest.map(|deepest| deepest.hint());
        if let Some(deepest) = deepest
            && -deepest.separation > tol.length()
        {
            return self.overlapping(a, b, pose, deepest, tol, work);
        }
        let nearest = self.nearest_to_simplex(a, b, pose, None, tol, &mut work);
        let (settled, residual) = settle::proved(a, b, pose, nearest, tol, &mut work);
        if settled.distance - residual > tol.length() {
            let proved = residual <= tol.gap(settled.distance);
            let ended = if proved { Ended::Converged } else { Ended::Stalled { residual } };
            return self.separated(a, &settled, ended, work);
        }
        self.touching(a, b, pose, deepest, &settled, tol, work)
    }

    fn overlapping(
        &mut self,
        a: &Polygon,
        b: &Polygon,
        pose: &PlanarPose,
        deepest: Deepest,
        tol: &Tolerance,
        work: Work,
    ) -> PlanarProximity {
        let touch = tol.length();
        let deepest = deepest.slid(a, b, pose, touch);
        let (points, features) = deepest.witnesses(a, b, pose, touch);
        if self.simplex.corners().is_empty() {
            self.remember(deepest.vertices(a, b));
        }
        self.settled = false;
        PlanarProximity {
            state: depth::overlap_state(a, b, pose, -deepest.separation, touch),
            distance: 0.0,
            signed_distance: deepest.separation,
            witnesses: witnesses(a, points, features),
            normal: deepest.normal,
            ended: Ended::Converged,
            work,
        }
    }

    /// One point for both witnesses, at the nearest features where the search found them; the normal of
    /// the edge that separates best, since the direction between two equal points says nothing.
    #[expect(clippy::too_many_arguments, reason = "the pieces of one outcome")]
    fn touching(
        &mut self,
        a: &Polygon,
        b: &Polygon,
        pose: &PlanarPose,
        deepest: Option<Deepest>,
        settled: &Settled,
        tol: &Tolerance,
        work: Work,
    ) -> PlanarProximity {
        let normal = deepest.map_or(settled.normal, |d| d.normal);
        let (points, features) = match deepest {
            Some(deepest) if settled.distance > tol.length() => {
                deepest.slid(a, b, pose, tol.length()).witnesses(a, b, pose, tol.length())
            }
            _ => (settled.points, settled.features),
        };
        let apart = deepest.map_or(0.0, |deepest| deepest.separation);
        let ended = if settled.distance <= tol.length() || apart <= 0.0 {
            Ended::Converged
        } else {
            // Separated by less than noise, and no pair of points found that is as near.
            Ended::Stalled { residual: settled.distance - apart }
        };
        self.remember(settled.vertices);
        self.settled = false;
        PlanarProximity {
            state: State::Touching,
            distance: 0.0,
            signed_distance: 0.0,
            witnesses: witnesses(a, points, features),
            normal,
            ended,
            work,
        }
    }

    fn separated(&mut self, a: &Polygon, settled: &Settled, ended: Ended, work: Work) -> PlanarProximity {
        self.remember(settled.vertices);
        PlanarProximity {
            state: State::Separated,
            distance: settled.distance,
            signed_distance: settled.distance,
            witnesses: witnesses(a, settled.points, settled.features),
            normal: settled.normal,
            ended,
            work,
        }
    }

    fn remember(&mut self, vertices: [VertexId; 2]) {
        self.simplex.clear();
        self.simplex.push(Corner { w: DVec2::ZERO, a: vertices[0].0, b: vertices[1].0 });
        self.settled = true;
    }

    /// Drops corners that the bodies at hand do not have.
    #[inline]
    fn forget_strangers(&mut self, a: &Polygon, b: &Polygon) {
        let counts = [a.vertex_count(), b.vertex_count()].map(|n| n as u32);
        if self.simplex.corners().iter().any(|c| c.a >= counts[0] || c.b >= counts[1]) {
            self.reset();
        }
    }
}

#[inline]
fn witnesses(a: &Polygon, points: [DVec2; 2], features: [Feature; 2]) -> [PlanarWitness; 2] {
    let witness = |i: usize| PlanarWitness { point: points[i] + a.anchor(), feature: features[i] };
    [witness(0), witness(1)]
}
