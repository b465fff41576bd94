//! Questions about two bodies of space in the world.

use crate::answer::{Answer, Coordinates, GradientAnswer, LocusAnswer};
use crate::kink::has_kink;
use crate::{Error, Request, Units, witness};
use clearance_geometry::{Body, DVec3, Pose, tolerance};
use clearance_proximity::convex::is_convex;
use clearance_proximity::ratio::{Growth, growth_of_bodies};
use clearance_proximity::{
    Certificate, Ended, Findings, Gradient, Locus, Precision, Proximity, State, Witness, certify,
    concentric_balls, gradient, local_minima_within, locus,
};

/// Two solid bodies and their poses.
pub(crate) struct SolidPair<'a> {
    pub(crate) a: &'a Body,
    pub(crate) b: &'a Body,
    pub(crate) pose_a: Pose,
    pose_ab: Pose,
    /// How far B was taken out of a half-space, or a half-space off A, along the normal; in the frame of A.
    lift: DVec3,
}

impl<'a> SolidPair<'a> {
    pub(crate) fn new([a, b]: [&'a Body; 2], [pose_a, pose_b]: [Pose; 2]) -> Self {
        Self { a, b, pose_a, pose_ab: Pose::between(&pose_a, &pose_b), lift: DVec3::ZERO }
    }

    /// The pose of B in the frame of A.
    pub(crate) const fn pose_ab(&self) -> &Pose {
        &self.pose_ab
    }

    /// What a list of minima beside an answer is asked for.
    pub(crate) fn few_pairs(&self, request: &Request<'_>) -> Precision {
        let most = request.max_pairs.unwrap_or(TIE_PAIRS).min(TIE_PAIRS);
        Precision { max_pairs: Some(most), ..self.precision(request) }
    }

    /// What a search is asked for, so that its bound keeps the error that the request allows.
    pub(crate) fn precision(&self, request: &Request<'_>) -> Precision {
        let slack = self.slack();
        let max_error = request.max_error.map(|error| (error - slack).max(0.5 * error));
        Precision { max_error, max_pairs: request.max_pairs, proof: None, deadline: request.deadline }
    }

    /// What composing the poses of the world may have rounded away of a bound; a length.
    pub(crate) fn slack(&self) -> f64 {
        tolerance::TOUCH_REL * (self.pose_ab.translation().length() + reach(self.a) + reach(self.b))
    }

    /// How large both are together; a length.
    pub(crate) fn size(&self) -> f64 {
        radius(self.a) + radius(self.b)
    }

    /// Whether both have flat faces and are convex, so that one direction proves their distance.
    fn is_flat(&self) -> bool {
        let is_flat = |body: &Body| matches!(body, Body::Polytope(_) | Body::HalfSpace(_));
        is_flat(self.a) && is_flat(self.b)
    }

    /// Whether both are convex solids.
    pub(crate) fn is_convex(&self) -> bool {
        is_convex(self.a) && is_convex(self.b)
    }

    /// Turns what the kernels found, in the frame of A, into the world's and adds what is wanted.
    pub(crate) fn answer(&self, findings: &Findings, request: &Request<'_>) -> Result<Answer, Error> {
        let (wants, found) = (request.wants, &findings.proximity);
        let growth = if wants.ratio { Some(self.growth()?) } else { None };
        let (ended, lower_bound) = self.proven(findings, request)?;
        let mut answer = self.in_world(found, ended, request.units);
        answer.ratio = growth.map(|growth| growth.ratio);
        answer.rho = growth.and_then(|growth| growth.rho);
        answer.lower_bound = lower_bound;
        if self.is_convex() {
            answer.gradient = wants.gradient.then(|| self.convex_gradient(found)).transpose()?;
            answer.locus = wants.locus.then(|| self.convex_locus(found));
        } else if wants.gradient || wants.locus {
            let (ties, locus) = match self.lifted(found) {
                Some((pair, findings)) => pair.not_unique(&findings, request)?,
                None => self.not_unique(findings, request)?,
            };
            answer.gradient = wants.gradient.then(|| self.curved_gradient(found, &ties));
            answer.locus = locus;
        }
        let overlap = if found.normal == DVec3::ZERO { self.overlaps(found.state, request) } else { None };
        let region = |region| self.region(region);
        answer.regions = overlap.as_ref().map(|overlap| overlap.regions.iter().map(region).collect());
        if overlap.as_ref().is_some_and(|overlap| overlap.is_late) {
            answer.warnings.push(LATE_REGIONS.to_owned());
        } else if let Some(overlap) = overlap.as_ref().filter(|overlap| overlap.regions.is_empty()) {
            answer.warnings.push(if overlap.is_flush { FLUSH } else { NO_REGION }.to_owned());
        }
        let regions = overlap.map(|overlap| overlap.regions);
        if wants.all_minima {
            let (all, warning) = match &regions {
                Some(regions) if !regions.is_empty() => self.all_overlaps(found, regions, request.units),
                _ => self.all_minima(&answer, request)?,
            };
            answer.all = Some(all);
            answer.warnings.extend(warning);
        }
        Ok(answer)
    }

    /// Whether closest points of bodies that are not both convex are unique, and, if that is wanted, where they are not.
    fn not_unique(
        &self,
        findings: &Findings,
        request: &Request<'_>,
    ) -> Result<(Ties, Option<Option<LocusAnswer>>), Error> {
        let (wants, found) = (request.wants, &findings.proximity);
        let sets = if wants.locus { self.curved_locus(found, request) } else { None };
        // Several pairs that are known to be nearest need no other test.
        let ties = match &sets {
            Some(Some(_)) => Ties { pairs: Vec::new(), unique: false },
            Some(None) if !wants.gradient => Ties { pairs: Vec::new(), unique: true },
            // Which pairs they are matters for a locus alone.
            _ => self.ties(findings, request, wants.locus && sets.is_none())?,
        };
        let met = || (!ties.unique).then(|| LocusAnswer::new("points", self.samples(&ties.pairs)));
        let locus = wants.locus.then(|| sets.unwrap_or_else(met));
        Ok((ties, locus))
    }

    /// A body with a depth in a half-space, taken out of it along the normal: what was deepest is nearest then, and what was
    /// equally deep equally near.
    fn lifted(&self, found: &Proximity) -> Option<(Self, Findings)> {
        let is_half_space = |body: &Body| matches!(body.whole(), Body::HalfSpace(_));
        if !found.state.overlaps() || !(is_half_space(self.a) || is_half_space(self.b)) {
            return None;
        }
        let body = if is_half_space(self.a) { self.b } else { self.a };
        let distance = size(body);
        let lift = found.normal * (distance - found.signed_distance);
        let pose_ab = self.pose_ab.with_translation(self.pose_ab.translation() + lift);
        let [on_a, on_b] = found.witnesses;
        let on_b = Witness { point: on_b.point + lift, ..on_b };
        let proximity = Proximity {
            state: State::Separated,
            distance,
            signed_distance: distance,
            witnesses: [on_a, on_b],
            ..*found
        };
        let findings = Findings { proximity, lower: Some(distance), ties: Vec::new() };
        Some((Self { pose_ab, lift, ..*self }, findings))
    }

    /// An answer in the world, without what is added on demand.
    pub(crate) fn in_world(&self, found: &Proximity, ended: Ended, units: Units) -> Answer {
        let world = found.in_world(&self.pose_a);
        let near = |body: &Body| tolerance::CONTACT_REL * reach(body);
        let [on_a, on_b] = [
            &witness::lowest(self.a, &found.witnesses[0], near(self.a)),
            &witness::lowest(self.b, &found.witnesses[1], near(self.b)),
        ];
        // A normal of length zero says that no signed distance is defined.
        let defined = found.normal != DVec3::ZERO;
        Answer {
            state: found.state,
            distance: found.distance,
            signed_distance: defined.then_some(found.signed_distance),
            points: world.witnesses.map(|witness| solid(witness.point)),
            normal: defined.then(|| solid(world.normal)),
            features: [witness::feature(self.a, on_a), witness::feature(self.b, on_b)],
            parameters: [witness::parameters(self.a, on_a), witness::parameters(self.b, on_b)],
            ended,
            work: found.work,
            ..Answer::blank(units)
        }
    }

    /// How the answer ended, and the bound that is wanted.
    fn proven(
        &self,
        findings: &Findings,
        request: &Request<'_>,
    ) -> Result<(Ended, Option<Option<f64>>), Error> {
        let found = &findings.proximity;
        let wanted = request.wants.certificate;
        if !self.is_flat() {
            let lower = self.curved_bound(findings);
            let ended = match (found.ended, lower) {
                (Ended::Certified(proof), Some(lower)) => {
                    judged(found, Certificate { lower, ..proof }, request.max_error)
                }
                (ended, _) => ended,
            };
            return Ok((ended, wanted.then_some(lower)));
        }
        if !wanted && request.max_error.is_none() {
            return Ok((found.ended, None));
        }
        let proof = certify(self.a, self.b, &self.pose_ab, found)?;
        let proof = Certificate { lower: proof.lower - self.slack(), ..proof };
        Ok((judged(found, proof, request.max_error), wanted.then_some(Some(proof.lower))))
    }

    /// The proven bound for the poses as given.
    fn curved_bound(&self, findings: &Findings) -> Option<f64> {
        let found = &findings.proximity;
        let of_ended = match found.ended {
            Ended::Certified(proof) => Some(proof.lower),
            _ => None,
        };
        match found.state {
            // Without a depth the bound is about the distance, which is never negative.
            _ if found.normal == DVec3::ZERO => Some(0.0),
            State::Separated => findings.lower.or(of_ended).map(|lower| (lower - self.slack()).max(0.0)),
            State::Touching => findings.lower.or(of_ended).map(|lower| lower - self.slack()),
            // A bound on the distance of the boundaries says nothing about a depth.
            _ => of_ended.map(|lower| lower - self.slack()),
        }
    }

    fn growth(&self) -> Result<Growth, Error> {
        Ok(growth_of_bodies(self.a, self.b, &self.pose_ab)?)
    }

    fn curved_gradient(&self, found: &Proximity, ties: &Ties) -> GradientAnswer {
        match no_gradient(found, ties) {
            Some(reason) => GradientAnswer::Missing(reason.to_owned()),
            None => self.twists(&self.envelope(found)),
        }
    }

    fn convex_gradient(&self, found: &Proximity) -> Result<GradientAnswer, Error> {
        Ok(match gradient(self.a, self.b, &self.pose_ab, found)? {
            Ok(gradient) => self.twists(&gradient),
            Err(reason) => GradientAnswer::Missing(reason.to_string()),
        })
    }

    /// The derivative where closest points and normal are unique: moving a body changes the signed distance as it moves
    /// that point along the normal.
    fn envelope(&self, found: &Proximity) -> Gradient {
        let [point_a, point_b] = found.witnesses.map(|witness| witness.point);
        let normal = found.normal;
        Gradient {
            velocity_a: -normal,
            angular_a: -point_a.cross(normal),
            velocity_b: normal,
            angular_b: (point_b - self.pose_ab.translation()).cross(normal),
        }
    }

    fn twists(&self, gradient: &Gradient) -> GradientAnswer {
        let turn = |linear: DVec3, angular: DVec3| {
            let (linear, angular) = (self.pose_a.rotate(linear), self.pose_a.rotate(angular));
            [linear.to_array(), angular.to_array()].concat()
        };
        GradientAnswer::Twists([
            turn(gradient.velocity_a, gradient.angular_a),
            turn(gradient.velocity_b, gradient.angular_b),
        ])
    }

    fn convex_locus(&self, found: &Proximity) -> Option<LocusAnswer> {
        if let Some(pairs) = concentric_balls(self.a, self.b, &self.pose_ab, found) {
            return Some(LocusAnswer::new("area", self.samples(&pairs)));
        }
        let Locus { pairs, .. } = locus(self.a, self.b, &self.pose_ab, found);
        let kind = match pairs.len() {
            0 | 1 => return None,
            2 => "curve",
            _ => "area",
        };
        Some(LocusAnswer::new(kind, self.samples(&pairs)))
    }

    /// Pairs of points in the world.
    pub(crate) fn samples(&self, pairs: &[[DVec3; 2]]) -> Vec<[Coordinates; 2]> {
        let in_world = |point: DVec3| solid(self.pose_a.apply(point));
        pairs.iter().map(|[on_a, on_b]| [in_world(*on_a), in_world(*on_b - self.lift)]).collect()
    }

    /// Whether curved bodies have several pairs of nearest points; with `all`, these pairs, as far as they can be found.
    fn ties(&self, findings: &Findings, request: &Request<'_>, all: bool) -> Result<Ties, Error> {
        let found = &findings.proximity;
        let points = |tie: &Proximity| tie.witnesses.map(|witness| witness.point);
        let mut pairs = vec![points(found)];
        let size = reach(self.a) + reach(self.b);
        // A half-space turns about its frame's origin, off which A stands.
        let arm = match self.b.whole() {
            Body::HalfSpace(_) => self.pose_ab.translation().length() + reach(self.a),
            _ => reach(self.b),
        };
        let sizes = [size, arm];
        if found.state != State::Separated
            || !has_kink([self.a, self.b], &self.pose_ab, found.distance, sizes, request.max_pairs)?
        {
            return Ok(Ties { pairs, unique: true });
        }
        if !all {
            return Ok(Ties { pairs, unique: false });
        }
        let error = findings.lower.map_or(0.0, |lower| found.distance - lower) + self.slack();
        let few = self.few_pairs(request);
        // Half-spaces and algebraic surfaces have no list of minima.
        let minima =
            local_minima_within(self.a, self.b, &self.pose_ab, &few).map_or(Vec::new(), |(minima, _)| minima);
        for tie in findings.ties.iter().chain(&minima) {
            let [p, q] = points(tie);
            let apart = |[r, s]: &[DVec3; 2]| p.distance(*r) + q.distance(*s);
            let is_new = pairs.iter().all(|known| apart(known) > tolerance::SAME_PLACE_REL * size);
            if is_new && tie.distance <= found.distance + error {
                pairs.push([p, q]);
            }
        }
        Ok(Ties { pairs, unique: false })
    }
}

/// Pairs of points that are nearest.
struct Ties {
    pairs: Vec<[DVec3; 2]>,
    /// Whether there is no other than the first.
    unique: bool,
}

/// What is said where the time was up.
const LATE_REGIONS: &str = "the time was up before all of the overlap was looked at: regions may be missing, in parts, or \
                            deeper than is said";

/// What is said where bodies overlap and no region is listed.
const NO_REGION: &str = "the bodies overlap, but no region of the overlap was found";
const FLUSH: &str = "the bodies overlap, but no point of either surface was found inside the other body: faces coincide, and \
                     by its definition the depth of a region is zero";

/// Pairs of parts that a search for ties may look at.
pub(crate) const TIE_PAIRS: u64 = 200_000;

/// Why the distance of curved bodies has no derivative; nothing where it has one.
fn no_gradient(found: &Proximity, ties: &Ties) -> Option<&'static str> {
    if found.state.overlaps() && found.normal == DVec3::ZERO {
        return Some("no signed distance is defined for overlaps of bodies that are not convex");
    }
    if found.normal == DVec3::ZERO {
        return Some("no signed distance is defined where boundaries meet or cross");
    }
    if found.state == State::Touching {
        return Some("the bodies touch where the normal may not be unique");
    }
    (!ties.unique).then_some(if found.state.overlaps() {
        "several points are equally deep"
    } else {
        "the closest points are not unique"
    })
}

/// How an answer ended, given a proof: certified when the proof leaves no more than the error accepted.
///
/// A lower bound proves a distance from below, its witnesses from above. A depth has no such second side
/// here, so an overlapping answer keeps the kernel's word.
fn judged(found: &Proximity, proof: Certificate, max_error: Option<f64>) -> Ended {
    if found.state.overlaps() {
        return found.ended;
    }
    by_error(found.signed_distance, proof, max_error)
}

/// Certified, unless the proof leaves more than the error accepted.
pub(crate) fn by_error(signed_distance: f64, proof: Certificate, max_error: Option<f64>) -> Ended {
    let gap = signed_distance - proof.lower;
    match max_error {
        Some(max_error) if gap > max_error => Ended::Stalled { residual: gap },
        _ => Ended::Certified(proof),
    }
}

pub(crate) fn solid(vector: DVec3) -> Coordinates {
    vector.to_array().into()
}

/// Half the diagonal of a box around a body, or a length of that order; 1 for what has none.
fn size(body: &Body) -> f64 {
    let size = radius(body);
    if size > 0.0 { size } else { 1.0 }
}

/// The same; 0 for what has none.
pub(crate) fn radius(body: &Body) -> f64 {
    let of_corners = |low: [f64; 3], high: [f64; 3]| 0.5 * DVec3::from(low).distance(DVec3::from(high));
    match body.whole() {
        Body::Polytope(polytope) => polytope.radius(),
        Body::Tiled(tiled) => of_corners(tiled.aabb().low, tiled.aabb().high),
        Body::Deforming(deforming) => of_corners(deforming.shape().aabb().low, deforming.shape().aabb().high),
        Body::Algebraic(surface) => of_corners(surface.within().low, surface.within().high),
        Body::Union(parts) => parts.root().bound.half.length(),
        Body::HalfSpace(_) | Body::Boundary(_) => 0.0,
    }
}

/// Largest distance of a body's point from its frame's origin; of a half-space that of its plane.
fn reach(body: &Body) -> f64 {
    let of_corners =
        |low: [f64; 3], high: [f64; 3]| DVec3::from(low).abs().max(DVec3::from(high).abs()).length();
    match body.whole() {
        Body::Polytope(polytope) => polytope.anchor().length() + polytope.reach(),
        Body::HalfSpace(half_space) => half_space.plane().offset.abs(),
        Body::Tiled(tiled) => of_corners(tiled.aabb().low, tiled.aabb().high),
        Body::Deforming(deforming) => of_corners(deforming.shape().aabb().low, deforming.shape().aabb().high),
        Body::Algebraic(surface) => of_corners(surface.within().low, surface.within().high),
        Body::Union(parts) => {
            let bound = &parts.root().bound;
            bound.center.length() + bound.half.length()
        }
        Body::Boundary(_) => f64::INFINITY,
    }
}
