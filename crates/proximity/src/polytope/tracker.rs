//! Distance, witnesses, features and depth of two polytopes, tracked from pose to pose.
//!
//! Source: 003 chapter 3 for the idea that the closest features seldom change (`settle`, `walk`); GJK for the
//! search when they change by more (`gjk`); facets of A − B and a growing shell for the depth (`facet`, `shell`).
//! Differs: a closed form is tried before anything else; `search` orders the rest.
//! Ends because: each stage does; they are tried in order.
//! Cost: O(1) when the features stay: one closed form and its optimality test (`settle`).
//! Not promised: a feature, when several are equally near. The distance is unaffected.

use super::facet::Facet;
use super::gjk::{self, Limits, Outcome};
use super::search::Pair;
use super::settle;
use super::shell::Shell;
use super::simplex::Simplex;
use crate::{Ended, Proximity, State, Witness, Work, frame};
use clearance_geometry::{DVec3, Feature, Polytope, Pose};

/// What is kept between two updates of one pair of polytopes.
///
/// It may change the cost of the next answer, never the answer beyond ties: what it remembers is
/// verified against the bodies at hand.
///
/// ```
/// use clearance_geometry::{DVec3, Polytope, Pose};
/// use clearance_proximity::PolytopeTracker;
/// let cube = Polytope::cuboid(DVec3::ONE)?;
/// let mut tracker = PolytopeTracker::new();
/// for step in 0..10 {
///     let pose_ab = Pose::from_translation(DVec3::new(2.0 + 0.1 * f64::from(step), 0.0, 0.0))?;
///     let answer = tracker.update(&cube, &cube, &pose_ab);
///     assert!((answer.distance - 1.0 - 0.1 * f64::from(step)).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolytopeTracker {
    pub(super) features: Option<[Feature; 2]>,
    pub(super) simplex: Simplex,
    pub(super) shell: Shell,
    /// A facet found in this search whose depth is not proved.
    pub(super) facet: Option<Facet>,
    bodies: [u64; 2],
    pub(super) max_iterations: u32,
    /// Mean cost of searches that begin with a walk from the last features, and of those that do not.
    pub(super) costs: [f32; 2],
    /// The last answer's, to see whether the motion is smooth.
    pub(super) normal: DVec3,
    /// Whether the last answer's normal was far from the one before.
    pub(super) jumps: bool,
    /// Whether the features are those of an overlap.
    pub(super) deep: bool,
}

impl Default for PolytopeTracker {
    fn default() -> Self {
        Self::new()
    }
}

/// Corners of the depth shell that a tracker has room for unless told otherwise: ten times what
/// shallow overlap of large hulls needs.
const SHELL_CORNERS: usize = 256;

impl PolytopeTracker {
    /// A tracker that knows nothing yet, with its memory in place.
    pub fn new() -> Self {
        Self::with_shell_capacity(SHELL_CORNERS)
    }

    /// A tracker whose depth search may hold `corners` support points (about 250 bytes each). A search
    /// that needs more goes on by enumeration, and ends in [`Ended::Limit`] where the bodies are too large for that.
    pub fn with_shell_capacity(corners: usize) -> Self {
        Self {
            features: None,
            simplex: Simplex::default(),
            shell: Shell::with_capacity(corners.max(4)),
            facet: None,
            bodies: [0; 2],
            max_iterations: gjk::MAX_ITERATIONS,
            costs: [0.0; 2],
            normal: DVec3::ZERO,
            jumps: false,
            deep: false,
        }
    }

    /// A tracker whose depth search takes memory only when it needs some, up to `corners` support points.
    pub(crate) fn growing(corners: usize) -> Self {
        Self { shell: Shell::growing(corners), ..Self::with_shell_capacity(0) }
    }

    /// A lower bound on the distance above `margin`, if a search finds one before it knows the distance.
    pub(crate) fn separation_beyond(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose_ab: &Pose,
        margin: f64,
    ) -> Option<f64> {
        let pose = frame::anchored(a, b, pose_ab);
        let tol = gjk::tolerance_of(a, b, &pose);
        let bodies = [a.fingerprint(), b.fingerprint()];
        if bodies != self.bodies {
            self.meet_new_bodies(a, b, bodies);
        }
        let limits = Limits { iterations: self.max_iterations, margin };
        let outcome = gjk::nearest(a, b, &pose, &mut self.simplex, &tol, limits, &mut Work::default());
        // Whatever the search left is a start for the next one, but no longer the features' own corners.
        self.features = None;
        if self.simplex.len == 4 {
            self.simplex.len = 0;
        }
        match outcome {
            Outcome::Clear { lower } => Some(lower),
            Outcome::Apart { .. } | Outcome::Meeting => None,
        }
    }

    /// Sets the most rounds that the search of an update for the distance may take; one that needs more ends in
    /// [`Ended::Limit`]. A depth is limited by the memory for it instead.
    pub fn set_max_iterations(&mut self, iterations: u32) {
        self.max_iterations = iterations.max(1);
    }

    /// Forgets what was tracked, keeping the memory.
    pub fn reset(&mut self) {
        self.features = None;
        self.simplex.len = 0;
        self.shell.clear();
        self.costs = [0.0; 2];
        self.normal = DVec3::ZERO;
        self.jumps = false;
        self.deep = false;
    }

    /// Suggests the closest features; a wrong or impossible suggestion only costs time.
    pub fn suggest(&mut self, features: [Feature; 2]) {
        self.reset();
        self.features = Some(features);
    }

    /// The closest features of the last update, if there was one.
    pub fn features(&self) -> Option<[Feature; 2]> {
        self.features
    }

    /// The answer for B at `pose_ab` in the frame of A. Allocates nothing.
    #[inline]
    pub fn update(&mut self, a: &Polytope, b: &Polytope, pose_ab: &Pose) -> Proximity {
        let pose = frame::anchored(a, b, pose_ab);
        let tol = gjk::tolerance_of(a, b, &pose);
        let bodies = [a.fingerprint(), b.fingerprint()];
        if bodies != self.bodies {
            self.meet_new_bodies(a, b, bodies);
        }
        if !self.deep
            && let Some(features) = self.features
            && let Some(settled) = settle::settle(a, b, &pose, features, tol.length())
        {
            let work = Work { iterations: 1, ..Work::default() };
            self.normal = settled.normal;
            return apart(a, features, settled, Ended::Converged, work);
        }
        self.search(&Pair { a, b, pose, tol })
    }

    #[cold]
    fn meet_new_bodies(&mut self, a: &Polytope, b: &Polytope, bodies: [u64; 2]) {
        let first = self.bodies == [0; 2];
        self.bodies = bodies;
        let suggested = self.features.filter(|f| first && exists(a, f[0]) && exists(b, f[1]));
        self.reset();
        self.features = suggested;
    }
}

fn exists(body: &Polytope, feature: Feature) -> bool {
    let count = [body.vertex_count(), body.edge_count(), body.face_count()][feature.dimension()];
    (feature.number() as usize) < count
}

#[inline]
pub(super) fn witnesses(a: &Polytope, features: [Feature; 2], points: [DVec3; 2]) -> [Witness; 2] {
    let anchor = a.anchor();
    [Witness::flat(points[0] + anchor, features[0]), Witness::flat(points[1] + anchor, features[1])]
}

#[inline]
pub(super) fn apart(
    a: &Polytope,
    features: [Feature; 2],
    settled: settle::Settled,
    ended: Ended,
    work: Work,
) -> Proximity {
    Proximity {
        state: State::Separated,
        distance: settled.distance,
        signed_distance: settled.distance,
        witnesses: witnesses(a, features, settled.points),
        normal: settled.normal,
        ended,
        work,
    }
}
