//! What a tracker does when its features no longer settle: walk, guess, search, and prove.
//!
//! Source: 003 for the walk, GJK for the search, `ellipsoid` for where it starts, `facet`, `shell` and `deepest` for
//! the depth.
//! Differs: whether to walk from the last features or to leap to the guess is learned from what either cost of late.
//! Ends because: each stage does, and they are tried in order; an answer that does not prove itself
//! (`proof`) goes on to the next, more careful stage.
//! Cost: a few steps after a small motion, one search after a jump; doubled precision for slivers and contacts.
//! Not promised: a converged end. What the last stage leaves is reported as the residual.

use super::facet::{self, Facet};
use super::gjk::{self, Limits, Outcome};
use super::proof::{self, Claim, Residual};
use super::settle::{self, Settled};
use super::shell::{Candidate, Depth, Trouble};
use super::simplex::Simplex;
use super::tracker::{PolytopeTracker, apart, witnesses};
use super::{careful, containment, deepest, depth_proof, ellipsoid, lift, walk};
use crate::tolerance;
use crate::{Ended, Proximity, State, Work};
use clearance_geometry::{DVec3, Feature, Polytope, Pose, Tolerance, VertexId};

/// Two bodies in their anchored frames.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) a: &'a Polytope,
    pub(super) b: &'a Polytope,
    /// B seen from A, anchored.
    pub(super) pose: Pose,
    pub(super) tol: Tolerance,
}

/// Triangles above which a tracked shell is built anew, so that it does not collect old corners.
const SHELL_REFRESH: usize = 48;

/// Edge pairs up to which slender bodies are enumerated before a shell is tried; a tuning constant.
const SLENDER_EDGE_PAIRS: usize = 1 << 16;

/// Cosine of the turn of the normal from one answer to the next up to which a motion counts as smooth; a tuning
/// constant.
const SMOOTH_COSINE: f64 = 0.999;

/// The same, below which the last features of an overlap are not worth mending; a tuning constant.
const JUMP_COSINE: f64 = 0.9;

/// Share of the last cost in the mean, and of the mean that is forgotten at each search that goes the other way;
/// tuning constants.
const LEARN_SHARE: f32 = 0.25;
const FORGET_SHARE: f32 = 0.01;

/// Steps of the walk from the last features; a tuning constant.
const WALK_STEPS: u32 = 16;

/// Steps of the walk after a leap; a tuning constant.
const LEAP_STEPS: u32 = 8;

impl PolytopeTracker {
    /// The answer where the last features do not settle. Out of line, so that the way of those that do stays short.
    #[inline(never)]
    pub(super) fn search(&mut self, pair: &Pair<'_>) -> Proximity {
        let mut work = Work::default();
        self.facet = None;
        let start = self.features.filter(|_| !self.deep && self.costs[0] <= self.costs[1]);
        let walked = start.and_then(|features| self.walk_from(pair, features, WALK_STEPS, &mut work));
        let answer = walked.unwrap_or_else(|| self.searched(pair, work));
        self.learn(start.is_some(), &answer);
        answer
    }

    /// Keeps the mean cost of searches that began with a walk from the last features, and of those that did not.
    fn learn(&mut self, walks: bool, answer: &Proximity) {
        let cost = (answer.work.iterations + answer.work.supports) as f32;
        let [this, other] = if walks { [0, 1] } else { [1, 0] };
        self.costs[this] += LEARN_SHARE * (cost - self.costs[this]);
        // What is not tried is forgotten by and by, so that it is tried again.
        self.costs[other] *= 1.0 - FORGET_SHARE;
        let turned = answer.normal.dot(self.normal);
        self.jumps = turned < JUMP_COSINE;
        if turned > SMOOTH_COSINE {
            // After so small a motion the walk is the way.
            self.costs[0] = 0.0;
        }
        self.normal = answer.normal;
    }

    /// Without the last features, unless they are those of an overlap: leap, then search.
    fn searched(&mut self, pair: &Pair<'_>, mut work: Work) -> Proximity {
        if self.deep
            && let Some(answer) = self.still_deep(pair, &mut work)
        {
            return answer;
        }
        if let Some(answer) = self.leap(pair, &mut work) {
            return answer;
        }
        match self.gjk(pair, &mut work) {
            Outcome::Apart { toward_a, limit } => self.separated(pair, toward_a, limit, work),
            Outcome::Meeting | Outcome::Clear { .. } => self.meeting(pair, work),
        }
    }

    /// The search, begun from the simplex.
    fn gjk(&mut self, pair: &Pair<'_>, work: &mut Work) -> Outcome {
        let limits = Limits { iterations: self.max_iterations, margin: f64::INFINITY };
        gjk::nearest(pair.a, pair.b, &pair.pose, &mut self.simplex, &pair.tol, limits, work)
    }

    /// The bodies overlapped before: the facet first, then the shell if there is one.
    fn still_deep(&mut self, pair: &Pair<'_>, work: &mut Work) -> Option<Proximity> {
        if let Some(features) = self.features
            && let Some(answer) = self.through_facet(pair, features, !self.jumps, work)
        {
            return Some(answer);
        }
        self.deep = false;
        if self.jumps {
            // A shell from so far away would only fold.
            self.shell.clear();
        }
        if self.shell.is_built() {
            self.shell.carry(pair.b, &pair.pose);
            if self.shell.size() <= SHELL_REFRESH
                && let Ok(proved) = self.shell.depth(pair.a, pair.b, &pair.tol, self.candidate(pair), work)
                && let Some(answer) = self.proved(pair, &proved, false, *work)
            {
                return Some(answer);
            }
            self.shell.clear();
        }
        None
    }

    /// A walk from the vertices that two ellipsoids point to, over facets where these overlap; where it does not
    /// arrive, corners about that place for the search to start from.
    fn leap(&mut self, pair: &Pair<'_>, work: &mut Work) -> Option<Proximity> {
        let Pair { a, b, pose, tol } = pair;
        let guess = ellipsoid::guess(a, b, pose);
        let vertex_a = a.support_far(guess.middle, 1.0);
        let vertex_b = b.support_far(-pose.rotate_inverse(guess.middle), 1.0);
        work.supports += 1;
        work.iterations += 1;
        let features = [Feature::Vertex(vertex_a), Feature::Vertex(vertex_b)];
        if !((pose.apply(b.vertex(vertex_b)) - a.vertex(vertex_a)).dot(guess.middle) > 0.0) {
            // No gap along this direction, so probably none along any.
            if let Some(facet) = facet::facet_at(a, b, pose, vertex_a, guess.middle)
                && let Some(answer) = self.through_facet(pair, facet, false, work)
            {
                return Some(answer);
            }
        } else if let Some(settled) = settle::settle(a, b, pose, features, tol.length()) {
            return Some(self.arrived(pair, features, settled, *work));
        }
        let answer = self.walk_from(pair, features, LEAP_STEPS, work);
        if answer.is_none() {
            gjk::bracket(a, b, pose, &guess, &mut self.simplex, work);
        }
        answer
    }

    /// A few steps over neighbouring feature pairs, which is all that a small motion asks for.
    fn walk_from(
        &mut self,
        pair: &Pair<'_>,
        start: [Feature; 2],
        steps: u32,
        work: &mut Work,
    ) -> Option<Proximity> {
        let Pair { a, b, pose, tol } = pair;
        let mut features = start;
        for _ in 0..steps {
            features = walk::next_pair(a, b, pose, features)?;
            work.moves += 1;
            work.iterations += 1;
            if let Some(settled) = settle::settle(a, b, pose, features, tol.length()) {
                return Some(self.arrived(pair, features, settled, *work));
            }
        }
        None
    }

    fn arrived(
        &mut self,
        pair: &Pair<'_>,
        features: [Feature; 2],
        settled: Settled,
        work: Work,
    ) -> Proximity {
        self.features = Some(features);
        // The simplex no longer belongs to these features; a later search starts afresh.
        self.simplex.len = 0;
        apart(pair.a, features, settled, Ended::Converged, work)
    }

    /// GJK left a simplex at a distance.
    fn separated(&mut self, pair: &Pair<'_>, toward_a: DVec3, limit: bool, mut work: Work) -> Proximity {
        let Pair { a, b, pose, tol } = pair;
        let points = weighted(a, b, pose, &self.simplex);
        let features = span(a, b, pose, &self.simplex, points);
        work.moves += u32::from(self.features != Some(features));
        self.features = Some(features);
        if let Some(settled) = settle::settle(a, b, pose, features, tol.length()) {
            // The closed form passed its own optimality test, whatever stopped the search.
            return apart(a, features, settled, Ended::Converged, work);
        }
        let signed = toward_a.length();
        let normal = -gjk::unit(toward_a);
        let points = agree(points, features, normal, signed);
        let claim = Claim { features, points, normal, signed };
        if proof::holds(a, b, pose, &claim, tol) {
            return self.claimed(pair, claim, Ended::Converged, work);
        }
        if limit {
            return self.claimed(pair, claim, Ended::Limit, work);
        }
        work.escapes += 1;
        match careful::nearest(a, b, pose, &self.simplex, tol, &mut work) {
            Some(found) if found.is_apart() => self.carefully(pair, &found, work),
            Some(_) => self.meeting(pair, work),
            None => {
                let residual = proof::residual(a, b, pose, &claim);
                self.claimed(pair, claim, ended(residual, &claim, tol), work)
            }
        }
    }

    /// The search in doubled precision found a distance.
    fn carefully(&mut self, pair: &Pair<'_>, found: &careful::Nearest, work: Work) -> Proximity {
        let Pair { a, b, pose, tol } = pair;
        let spanned = span(a, b, pose, &found.simplex, found.points);
        // Corners of a cap that rounding broke into triangles may have none of them in common.
        let features = lift::both_on_boundary(a, b, pose, spanned, found.points, tol.length());
        self.simplex = found.simplex;
        let claim = Claim { features, points: found.points, normal: found.normal, signed: found.distance };
        let mut residual = proof::residual(a, b, pose, &claim);
        residual.gap = residual.gap.max(found.gap);
        let ended = ended(residual, &claim, tol);
        self.claimed(pair, claim, ended, work)
    }

    /// The bodies touch or overlap, as far as the search can tell.
    fn meeting(&mut self, pair: &Pair<'_>, mut work: Work) -> Proximity {
        let Pair { a, b, .. } = pair;
        if a.face_count() + b.face_count() == 0 {
            return self.thin_touching(pair, work);
        }
        if (is_slender(a) || is_slender(b)) && a.edge_count() * b.edge_count() <= SLENDER_EDGE_PAIRS {
            let simplex = self.simplex;
            let answer = self.enumerated(pair, false, work);
            if answer.ended == Ended::Converged {
                return answer;
            }
            self.simplex = simplex;
        }
        let mut depth = self.grown(pair, &mut work);
        if depth.as_ref().err() == Some(&Trouble::Folded) {
            // A shell that folds was begun from an unlucky simplex: once more from another.
            self.simplex.len = 0;
            self.gjk(pair, &mut work);
            depth = self.grown(pair, &mut work);
        }
        if let Ok(proved) = &depth
            && let Some(answer) = self.proved(pair, proved, false, work)
        {
            return answer;
        }
        self.shell.clear();
        let full = depth.as_ref().err() == Some(&Trouble::Full);
        let answer = self.enumerated(pair, full, work);
        if answer.ended != Ended::Converged
            && let Ok(proved) = &depth
            && let Some(carried) = self.proved(pair, proved, true, answer.work)
        {
            return carried;
        }
        answer
    }

    /// The depth by a shell around the origin, begun from the simplex.
    fn grown(&mut self, pair: &Pair<'_>, work: &mut Work) -> Result<Option<Depth>, Trouble> {
        let Pair { a, b, pose, tol } = pair;
        self.shell.start(a, b, pose, &self.simplex, tol, work)?;
        self.shell.depth(a, b, tol, self.candidate(pair), work)
    }

    /// The facet that was found but not proved, for the shell to prove.
    fn candidate(&self, pair: &Pair<'_>) -> Candidate {
        self.facet.map_or(Candidate::NONE, |facet| facet::candidate(pair.a, pair.b, &pair.pose, &facet))
    }

    /// What the shell proved, as an answer: a depth, or the facet's.
    fn proved(
        &mut self,
        pair: &Pair<'_>,
        proved: &Option<Depth>,
        trust_weights: bool,
        work: Work,
    ) -> Option<Proximity> {
        match (proved, self.facet) {
            (None, Some(facet)) => Some(self.claimed(pair, claim_of(&facet), Ended::Converged, work)),
            (Some(depth), _) if depth.depth > pair.tol.length() => {
                self.overlapping(pair, depth, trust_weights, work)
            }
            _ => None,
        }
    }

    /// The depth by the facet of A − B near `features`, if it is proved to be the nearest one.
    fn through_facet(
        &mut self,
        pair: &Pair<'_>,
        features: [Feature; 2],
        mend: bool,
        work: &mut Work,
    ) -> Option<Proximity> {
        let Pair { a, b, pose, tol } = pair;
        let (facet, steps) = facet::nearest_facet(a, b, pose, features, tol.length(), mend)?;
        work.iterations += 1 + steps;
        work.moves += steps;
        if !depth_proof::is_deepest(a, b, pose, &facet, tol.length(), work) {
            self.facet = Some(facet);
            return None;
        }
        self.simplex.len = 0;
        Some(self.claimed(pair, claim_of(&facet), Ended::Converged, *work))
    }

    /// The shell proved a depth: the answer in terms of the features that carry it, if that proves itself too.
    fn overlapping(
        &mut self,
        pair: &Pair<'_>,
        depth: &Depth,
        trust_weights: bool,
        mut work: Work,
    ) -> Option<Proximity> {
        let Pair { a, b, pose, tol } = pair;
        let points = weighted(a, b, pose, &depth.simplex);
        let features = span(a, b, pose, &depth.simplex, points);
        work.moves += u32::from(self.features != Some(features));
        let near = |claim: &Claim| (claim.signed + depth.depth).abs() <= depth.gap + tol.gap(depth.depth);
        let closed =
            facet::nearest_facet(a, b, pose, features, tol.length(), false).map(|(f, _)| claim_of(&f));
        let polished = || {
            let found = deepest::polished(a, b, pose, features, depth.normal, tol)?;
            let points = agree(found.points, found.features, found.normal, -found.depth);
            Some(Claim { features: found.features, points, normal: found.normal, signed: -found.depth })
        };
        // Weights of a slender triangle are the last thing to trust.
        let carried = || {
            let points = agree(points, features, depth.normal, -depth.depth);
            let claim = Claim { features, points, normal: depth.normal, signed: -depth.depth };
            (trust_weights || depth.simplex.is_wide()).then_some(claim)
        };
        let claim = closed.filter(near).or_else(|| polished().filter(near)).or_else(carried)?;
        if depth.gap > tol.length() || !proof::holds(a, b, pose, &claim, tol) {
            return None;
        }
        self.simplex = depth.simplex;
        Some(self.claimed(pair, claim, Ended::Converged, work))
    }

    /// The last resort: the facets of A − B one by one, in doubled precision.
    fn enumerated(&mut self, pair: &Pair<'_>, full: bool, mut work: Work) -> Proximity {
        let Pair { a, b, pose, tol } = pair;
        let corners = self.simplex.corners;
        let len = self.simplex.len.clamp(1, 4);
        let (around_a, around_b) = (corners.map(|c| c.a), corners.map(|c| c.b));
        let around = [&around_a[..len], &around_b[..len]];
        work.escapes += 1;
        let Some(found) = deepest::nearest_facet(a, b, pose, around, tol) else {
            return self.thin_touching(pair, work);
        };
        if found.depth <= tol.length()
            && let Some(nearest) = careful::nearest(a, b, pose, &self.simplex, tol, &mut work)
            && (nearest.meets || nearest.is_apart())
        {
            return if nearest.meets {
                self.touching(pair, &nearest, found.normal, work)
            } else {
                // The search was wrong: a facet separates the bodies.
                self.carefully(pair, &nearest, work)
            };
        }
        let signed = if found.depth > tol.length() { -found.depth } else { 0.0 };
        let points = agree(found.points, found.features, found.normal, signed);
        let claim = Claim { features: found.features, points, normal: found.normal, signed };
        let residual = proof::residual(a, b, pose, &claim);
        let ended = match ended(residual, &claim, tol) {
            _ if full && !found.complete => Ended::Limit,
            Ended::Converged if !found.complete => Ended::Stalled { residual: found.depth },
            ended => ended,
        };
        self.simplex.len = 0;
        self.claimed(pair, claim, ended, work)
    }

    /// The bodies meet in a point that the doubled search found, and `normal` keeps them apart there.
    fn touching(
        &mut self,
        pair: &Pair<'_>,
        nearest: &careful::Nearest,
        normal: DVec3,
        work: Work,
    ) -> Proximity {
        let Pair { a, b, pose, tol } = pair;
        let spanned = span(a, b, pose, &nearest.simplex, nearest.points);
        let points = agree(nearest.points, spanned, normal, 0.0);
        // A search that ends within the touching distance may have chords in its simplex.
        let features = lift::both_on_boundary(a, b, pose, spanned, points, tol.length());
        let claim = Claim { features, points, normal, signed: 0.0 };
        let residual = proof::residual(a, b, pose, &claim);
        self.simplex.len = 0;
        self.claimed(pair, claim, ended(residual, &claim, tol), work)
    }

    /// Two points or segments that meet.
    fn thin_touching(&mut self, pair: &Pair<'_>, mut work: Work) -> Proximity {
        let Pair { a, b, pose, tol } = pair;
        let normal = deepest::thin_normal(a, b, pose);
        match careful::nearest(a, b, pose, &self.simplex, tol, &mut work) {
            Some(nearest) if !nearest.meets => self.carefully(pair, &nearest, work),
            Some(nearest) => self.touching(pair, &nearest, normal, work),
            None => {
                let points = weighted(a, b, pose, &self.simplex);
                let features = span(a, b, pose, &self.simplex, points);
                let points = agree(points, features, normal, 0.0);
                let claim = Claim { features, points, normal, signed: 0.0 };
                let residual = proof::residual(a, b, pose, &claim);
                self.claimed(pair, claim, ended(residual, &claim, tol), work)
            }
        }
    }

    /// Remembers a claim and states it as the answer.
    fn claimed(&mut self, pair: &Pair<'_>, claim: Claim, ended: Ended, work: Work) -> Proximity {
        let Claim { features, points, normal, signed } = claim;
        self.features = Some(features);
        self.deep = signed < 0.0;
        if signed > 0.0 {
            return apart(pair.a, features, Settled { points, normal, distance: signed }, ended, work);
        }
        let state = if signed < 0.0 {
            containment::overlap_state(pair.a, pair.b, &pair.pose, -signed, pair.tol.length())
        } else {
            State::Touching
        };
        let witnesses = witnesses(pair.a, features, points);
        Proximity { state, distance: 0.0, signed_distance: signed, witnesses, normal, ended, work }
    }
}

/// Whether a solid is so thin that triangles of the shell cannot tell its faces apart in plain arithmetic.
fn is_slender(body: &Polytope) -> bool {
    body.face_count() > 0 && body.inradius() < tolerance::SLENDER_REL * body.radius()
}

fn claim_of(facet: &Facet) -> Claim {
    Claim { features: facet.features, points: facet.points, normal: facet.normal, signed: -facet.depth }
}

fn ended(residual: Residual, claim: &Claim, tol: &Tolerance) -> Ended {
    if residual.is_small(claim, tol) {
        Ended::Converged
    } else {
        Ended::Stalled { residual: residual.gap.max(residual.off) }
    }
}

/// The features that a simplex's corners span on either body, under the points that they carry.
fn span(a: &Polytope, b: &Polytope, pose: &Pose, simplex: &Simplex, points: [DVec3; 2]) -> [Feature; 2] {
    let weighted = || simplex.corners().iter().zip(simplex.weights);
    let (list_a, len_a) = lift::distinct(weighted().map(|(corner, weight)| (corner.a, weight)));
    let (list_b, len_b) = lift::distinct(weighted().map(|(corner, weight)| (corner.b, weight)));
    [
        lift::spanned(a, &list_a[..len_a.max(1)], points[0]),
        lift::spanned(b, &list_b[..len_b.max(1)], pose.apply_inverse(points[1])),
    ]
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
