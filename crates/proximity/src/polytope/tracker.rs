//! Distance, witnesses, features and depth of two polytopes, tracked from pose to pose.
//!
//! Source: 003 chapter 3 for the idea that the closest features seldom change; GJK for the search when
//! they do (`gjk`), a growing shell for the depth when the bodies overlap (`shell`).
//! Ends because: each stage does; they are tried in order.
//! Cost: O(1) when the features stay: one closed form and its optimality test (`settle`).
//! Not promised: a feature, when several are equally near. The distance is unaffected.

use super::facet::{self, Facet};
use super::gjk::{self, Limits, Outcome};
use super::shell::{Depth, Shell, Trouble};
use super::simplex::Simplex;
use super::{containment, deepest, lift, settle, walk};
use crate::{Ended, Proximity, State, Witness, Work, frame};
use clearance_geometry::{DVec3, Feature, Polytope, Pose, Tolerance, VertexId};

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
    features: Option<[Feature; 2]>,
    simplex: Simplex,
    shell: Shell,
    bodies: [u64; 2],
    max_iterations: u32,
    patience: u32,
    /// Whether the features are those of an overlap.
    deep: bool,
}

impl Default for PolytopeTracker {
    fn default() -> Self {
        Self::new()
    }
}

/// Corners of the depth shell that a tracker has room for unless told otherwise: ten times what
/// shallow overlap of large hulls needs.
const SHELL_CORNERS: usize = 256;

/// Steps that the walk over feature pairs takes before the search starts: a tuning constant.
const WALK_STEPS: u32 = 12;

/// Corners after which a tracked shell is built anew, so that it does not collect old ones.
const SHELL_REFRESH: usize = 64;

impl PolytopeTracker {
    /// A tracker that knows nothing yet, with its memory in place.
    pub fn new() -> Self {
        Self::with_shell_capacity(SHELL_CORNERS)
    }

    /// A tracker whose depth search may hold `corners` support points (about 250 bytes each). A search
    /// that needs more ends in [`Ended::Limit`].
    pub fn with_shell_capacity(corners: usize) -> Self {
        Self {
            features: None,
            simplex: Simplex::default(),
            shell: Shell::with_capacity(corners.max(4)),
            bodies: [0; 2],
            max_iterations: gjk::MAX_ITERATIONS,
            patience: WALK_STEPS,
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

    /// Sets the most rounds a single update may take; one that needs more ends in [`Ended::Limit`].
    pub fn set_max_iterations(&mut self, iterations: u32) {
        self.max_iterations = iterations.max(1);
    }

    /// Forgets what was tracked, keeping the memory.
    pub fn reset(&mut self) {
        self.features = None;
        self.simplex.len = 0;
        self.shell.clear();
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
            self.patience = WALK_STEPS;
            return apart(a, features, settled, Ended::Converged, work);
        }
        self.search(a, b, &pose, &tol)
    }

    #[cold]
    fn meet_new_bodies(&mut self, a: &Polytope, b: &Polytope, bodies: [u64; 2]) {
        let first = self.bodies == [0; 2];
        self.bodies = bodies;
        let suggested = self.features.filter(|f| first && exists(a, f[0]) && exists(b, f[1]));
        self.reset();
        self.features = suggested;
    }

    #[inline(never)]
    fn search(&mut self, a: &Polytope, b: &Polytope, pose: &Pose, tol: &Tolerance) -> Proximity {
        let mut work = Work::default();
        if self.deep
            && let Some(features) = self.features
            && let Some(answer) = self.through_facet(a, b, pose, features, tol, &mut work)
        {
            return answer;
        }
        self.deep = false;
        if self.shell.is_built() {
            if self.shell.size() > 2 * SHELL_REFRESH {
                self.shell.clear();
            } else {
                self.shell.carry(b, pose);
                if let Ok(depth) = self.shell.depth(a, b, tol, &mut work)
                    && depth.depth > tol.length()
                {
                    return self.overlapping(a, b, pose, depth, tol, work);
                }
                self.shell.clear();
            }
        }
        if let Some(answer) = self.walk(a, b, pose, tol, &mut work) {
            return answer;
        }
        let limits = Limits { iterations: self.max_iterations, margin: f64::INFINITY };
        let mut outcome = gjk::nearest(a, b, pose, &mut self.simplex, tol, limits, &mut work);
        if let Outcome::Apart { toward_a, gap, limit: false } = outcome
            && gap > tol.gap(toward_a.length())
        {
            // Rounding of an old simplex can stop the search early: start over once.
            self.simplex.len = 0;
            work.escapes += 1;
            outcome = gjk::nearest(a, b, pose, &mut self.simplex, tol, limits, &mut work);
        }
        match outcome {
            Outcome::Apart { toward_a, gap, limit } => {
                self.separated(a, b, pose, toward_a, gap, limit, tol, work)
            }
            Outcome::Meeting | Outcome::Clear { .. } => self.meeting(a, b, pose, tol, work),
        }
    }

    /// The depth by the facet of A − B near `features`, if it is proved to be the nearest one.
    fn through_facet(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose: &Pose,
        features: [Feature; 2],
        tol: &Tolerance,
        work: &mut Work,
    ) -> Option<Proximity> {
        let (facet, steps) = facet::nearest_facet(a, b, pose, features, tol.length())?;
        work.iterations += 1 + steps;
        work.moves += steps;
        if !facet::is_deepest(a, b, pose, &facet) {
            return None;
        }
        let Facet { features, normal, depth, points, .. } = facet;
        self.features = Some(features);
        self.deep = true;
        self.shell.clear();
        self.simplex.len = 0;
        Some(Proximity {
            state: containment::overlap_state(a, b, pose, depth, tol.length()),
            distance: 0.0,
            signed_distance: -depth,
            witnesses: witnesses(a, features, points),
            normal,
            ended: Ended::Converged,
            work: *work,
        })
    }

    /// A few steps over neighbouring feature pairs, which is all that a small motion asks for.
    fn walk(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose: &Pose,
        tol: &Tolerance,
        work: &mut Work,
    ) -> Option<Proximity> {
        let mut features = self.features?;
        // After a jump the walk is given less time, until the motion is seen to be smooth again.
        let steps = self.patience;
        self.patience = (steps / 2).max(1);
        for _ in 0..steps {
            features = walk::next_pair(a, b, pose, features)?;
            work.moves += 1;
            work.iterations += 1;
            if let Some(settled) = settle::settle(a, b, pose, features, tol.length()) {
                self.features = Some(features);
                self.patience = WALK_STEPS;
                // The simplex no longer belongs to these features; a later search starts afresh.
                self.simplex.len = 0;
                return Some(apart(a, features, settled, Ended::Converged, *work));
            }
        }
        None
    }

    #[expect(clippy::too_many_arguments, reason = "the pieces of one outcome")]
    fn separated(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose: &Pose,
        toward_a: DVec3,
        gap: f64,
        limit: bool,
        tol: &Tolerance,
        mut work: Work,
    ) -> Proximity {
        let features = span(a, b, &self.simplex);
        work.moves += u32::from(self.features != Some(features));
        self.features = Some(features);
        let ended = if limit {
            Ended::Limit
        } else if gap > tol.gap(toward_a.length()) {
            Ended::Stalled { residual: gap }
        } else {
            Ended::Converged
        };
        if let Some(settled) = settle::settle(a, b, pose, features, tol.length()) {
            // The closed form passed its own optimality test, whatever stopped the search.
            return apart(a, features, settled, Ended::Converged, work);
        }
        let distance = toward_a.length();
        let normal = -gjk::unit(toward_a);
        let points = weighted(a, b, pose, &self.simplex);
        let points = agree(points, features, normal, distance);
        apart(a, features, settle::Settled { points, normal, distance }, ended, work)
    }

    /// The bodies touch or overlap: the simplex holds the origin.
    fn meeting(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose: &Pose,
        tol: &Tolerance,
        mut work: Work,
    ) -> Proximity {
        let toward_b = pose.apply(b.center()) - a.center();
        if let Some(features) = facet::facet_toward(a, b, pose, toward_b)
            && let Some(answer) = self.through_facet(a, b, pose, features, tol, &mut work)
        {
            return answer;
        }
        let started = self.shell.start(a, b, pose, &self.simplex, tol, &mut work);
        let depth = started.and_then(|()| self.shell.depth(a, b, tol, &mut work));
        match depth {
            Ok(depth) => self.overlapping(a, b, pose, depth, tol, work),
            Err(trouble) => {
                self.shell.clear();
                let answer = deepest::without_shell(a, b, pose, &self.simplex, trouble, tol, &mut work);
                self.overlapping_or_limit(a, b, pose, answer, tol, trouble, work)
            }
        }
    }

    fn overlapping_or_limit(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose: &Pose,
        depth: Depth,
        tol: &Tolerance,
        trouble: Trouble,
        work: Work,
    ) -> Proximity {
        let mut answer = self.overlapping(a, b, pose, depth, tol, work);
        if trouble == Trouble::Full {
            answer.ended = Ended::Limit;
        }
        self.shell.clear();
        self.simplex.len = 0;
        answer
    }

    fn overlapping(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        pose: &Pose,
        depth: Depth,
        tol: &Tolerance,
        mut work: Work,
    ) -> Proximity {
        let features = span(a, b, &depth.simplex);
        work.moves += u32::from(self.features != Some(features));
        self.features = Some(features);
        self.deep = true;
        self.simplex = depth.simplex;
        let touch = tol.length();
        let (normal, deep) = deepest::polished(a, b, pose, features, &depth, tol);
        let ended =
            if depth.gap > tol.gap(deep) { Ended::Stalled { residual: depth.gap } } else { Ended::Converged };
        let (state, signed_distance) = if deep > touch {
            (containment::overlap_state(a, b, pose, deep, touch), -deep)
        } else {
            self.shell.clear();
            self.deep = false;
            (State::Touching, 0.0)
        };
        let points = weighted(a, b, pose, &depth.simplex);
        let points = agree(points, features, normal, signed_distance);
        Proximity {
            state,
            distance: 0.0,
            signed_distance,
            witnesses: witnesses(a, features, points),
            normal,
            ended,
            work,
        }
    }
}

fn exists(body: &Polytope, feature: Feature) -> bool {
    let count = [body.vertex_count(), body.edge_count(), body.face_count()][feature.dimension()];
    (feature.number() as usize) < count
}

/// The features that a simplex's corners span on either body.
fn span(a: &Polytope, b: &Polytope, simplex: &Simplex) -> [Feature; 2] {
    let weighted = || simplex.corners().iter().zip(simplex.weights);
    let (list_a, len_a) = lift::distinct(weighted().map(|(corner, weight)| (corner.a, weight)));
    let (list_b, len_b) = lift::distinct(weighted().map(|(corner, weight)| (corner.b, weight)));
    [lift::spanned(a, &list_a[..len_a.max(1)]), lift::spanned(b, &list_b[..len_b.max(1)])]
}

/// The points of both bodies under the simplex's weights.
fn weighted(a: &Polytope, b: &Polytope, pose: &Pose, simplex: &Simplex) -> [DVec3; 2] {
    let mut points = [DVec3::ZERO; 2];
    let total: f64 = simplex.weights[..simplex.len].iter().map(|w| w.max(0.0)).sum();
    for (corner, weight) in simplex.corners().iter().zip(simplex.weights) {
        let weight = weight.max(0.0) / total;
        points[0] += a.vertex(VertexId(corner.a)) * weight;
        points[1] += b.vertex(VertexId(corner.b)) * weight;
    }
    [points[0], pose.apply(points[1])]
}

/// Makes the second point follow from the first, keeping exact vertices exact.
fn agree(points: [DVec3; 2], features: [Feature; 2], normal: DVec3, signed: f64) -> [DVec3; 2] {
    let across = normal * signed;
    match features {
        [Feature::Vertex(_), _] => [points[0], points[0] + across],
        [_, Feature::Vertex(_)] => [points[1] - across, points[1]],
        _ => {
            let middle = 0.5 * (points[0] + points[1]);
            [middle - 0.5 * across, middle + 0.5 * across]
        }
    }
}

#[inline]
fn witnesses(a: &Polytope, features: [Feature; 2], points: [DVec3; 2]) -> [Witness; 2] {
    let anchor = a.anchor();
    [
        Witness { point: points[0] + anchor, feature: features[0] },
        Witness { point: points[1] + anchor, feature: features[1] },
    ]
}

#[inline]
fn apart(
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
