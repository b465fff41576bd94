//! Questions about planar bodies of curves in the world.

use crate::answer::{Answer, Coordinates, GradientAnswer, LocusAnswer};
use crate::solid::by_error;
use crate::witness::curve_parameter;
use crate::{AnyBody, Error, ErrorKind, PartFeature, Request};
use clearance_geometry::{DVec2, Feature, PlanarPose, PlanarTiled, tolerance};
use clearance_proximity::planar::{CurveWitness, OutlinePair, PlanarBody, PlanarNearest, nearest};
use clearance_proximity::{Certificate, Ended, QueryError, State, Work};

/// A planar body as the kernels have it; `None` for a solid one.
pub(crate) fn planar_body(body: &AnyBody) -> Option<PlanarBody> {
    match body {
        AnyBody::Planar(polygon) => Some(polygon.clone().into()),
        AnyBody::PlanarTiled(tiled) => Some(tiled.clone().into()),
        AnyBody::Solid(_) => None,
    }
}

/// The outlines of two planar bodies, kept from one question to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutlineMemory {
    known: Option<(PlanarBody, PlanarBody, Box<OutlinePair>)>,
}

impl OutlineMemory {
    /// Those of these bodies; cut anew where they are others than last time.
    fn of(&mut self, a: &PlanarBody, b: &PlanarBody) -> Result<&mut OutlinePair, QueryError> {
        if self.known.as_ref().is_some_and(|(of_a, of_b, _)| !(is_same(of_a, a) && is_same(of_b, b))) {
            self.known = None;
        }
        let known = match &mut self.known {
            Some(known) => known,
            none => none.insert((a.clone(), b.clone(), Box::new(OutlinePair::new(a, b)?))),
        };
        Ok(&mut known.2)
    }
}

/// Whether two planar bodies are clones of one.
fn is_same(one: &PlanarBody, other: &PlanarBody) -> bool {
    match (one, other) {
        (PlanarBody::Polygon(one), PlanarBody::Polygon(other)) => {
            std::ptr::eq(one.vertices(), other.vertices())
        }
        (PlanarBody::Tiled(one), PlanarBody::Tiled(other)) => std::ptr::eq(one.sides(), other.sides()),
        _ => false,
    }
}

/// Two planar bodies, at least one of them bounded by curves, and their poses.
pub(crate) struct CurvedPlanarPair {
    a: PlanarBody,
    b: PlanarBody,
    pose_a: PlanarPose,
    pose_ab: PlanarPose,
}

impl CurvedPlanarPair {
    /// `None` where one of them is no planar body.
    pub(crate) fn new([a, b]: [&AnyBody; 2], [pose_a, pose_b]: [PlanarPose; 2]) -> Option<Self> {
        let pose_ab = PlanarPose::between(&pose_a, &pose_b);
        Some(Self { a: planar_body(a)?, b: planar_body(b)?, pose_a, pose_ab })
    }

    /// The pose of B in the frame of A.
    pub(crate) const fn pose_ab(&self) -> &PlanarPose {
        &self.pose_ab
    }

    /// Both bodies.
    pub(crate) const fn bodies(&self) -> [&PlanarBody; 2] {
        [&self.a, &self.b]
    }

    /// The error that a search may have so that the answer keeps to the one asked for.
    pub(crate) fn error_asked(&self, request: &Request<'_>) -> Option<f64> {
        request.max_error.map(|error| (error - self.slack()).max(0.5 * error))
    }

    /// The answer in the world, with what is wanted.
    pub(crate) fn answer(&self, request: &Request<'_>, memory: &mut OutlineMemory) -> Result<Answer, Error> {
        let wants = request.wants;
        if wants.ratio {
            let reason = "the ratio metric is not defined here: a body of curves is no polygon".to_owned();
            return Err(ErrorKind::UnsupportedPair { reason }.into());
        }
        let found = memory.of(&self.a, &self.b)?.update(&self.pose_ab, self.error_asked(request))?;
        let (ended, lower) = self.proven(&found, request.max_error);
        let mut answer = self.in_world(&found, ended, request);
        answer.lower_bound = wants.certificate.then_some(lower);
        if wants.gradient || wants.locus {
            let kinked = found.state != State::Touching
                && found.signed_distance.is_some()
                && self.has_kink(found.distance)?;
            answer.gradient = wants.gradient.then(|| self.gradient(&found, kinked));
            let samples = vec![answer.points];
            answer.locus = wants.locus.then(|| kinked.then(|| LocusAnswer::new("points", samples)));
        }
        if wants.all_minima {
            answer.all = Some(vec![answer.clone()]);
            if !(self.a.is_convex() && self.b.is_convex()) {
                answer.warnings.push("`all` has the nearest pair alone: planar bodies of curves".to_owned());
            }
        }
        Ok(answer)
    }

    fn in_world(&self, found: &PlanarNearest, ended: Ended, request: &Request<'_>) -> Answer {
        let flat = |vector: DVec2| Coordinates::from(vector.to_array());
        let [on_a, on_b] = &found.witnesses;
        let mut work = Work::default();
        work.iterations = u32::try_from(found.work.pairs).unwrap_or(u32::MAX);
        work.newton = found.work.newton;
        let defined = found.signed_distance.is_some();
        Answer {
            state: found.state,
            distance: found.distance,
            signed_distance: found.signed_distance,
            points: found.witnesses.map(|witness| flat(self.pose_a.apply(witness.point))),
            normal: found.normal.filter(|_| defined).map(|normal| flat(self.pose_a.rotate(normal))),
            features: [PartFeature::from(on_a.feature), PartFeature::from(on_b.feature)],
            parameters: [parameters(&self.a, on_a), parameters(&self.b, on_b)],
            ended,
            work,
            ..Answer::blank(request.units)
        }
    }

    /// How it ended and what is proven, for the poses as given.
    fn proven(&self, found: &PlanarNearest, max_error: Option<f64>) -> (Ended, Option<f64>) {
        let Some(signed) = found.signed_distance else { return (found.ended, Some(0.0)) };
        let lower = match found.state {
            State::Separated => (found.lower - self.slack()).max(0.0),
            // The outline is no farther than the point of it that was found, so that no depth is larger.
            state if state.overlaps() => signed - self.slack(),
            _ => found.lower - self.slack(),
        };
        let ended = match found.ended {
            Ended::Certified(proof) if !found.state.overlaps() => {
                by_error(signed, Certificate { lower, ..proof }, max_error)
            }
            other => other,
        };
        (ended, Some(lower))
    }

    /// What composing the two poses may have rounded away.
    pub(crate) fn slack(&self) -> f64 {
        tolerance::TOUCH_REL * (self.pose_ab.translation().length() + reach(&self.a) + reach(&self.b))
    }

    fn gradient(&self, found: &PlanarNearest, kinked: bool) -> GradientAnswer {
        let reason = match (found.signed_distance, found.normal) {
            (Some(_), Some(_)) if found.state == State::Touching => {
                "the bodies touch where the normal may not be unique"
            }
            (Some(_), Some(_)) if kinked => "the closest points are not unique",
            (Some(_), Some(normal)) => {
                let [at_a, at_b] = found.witnesses.map(|witness| witness.point);
                let twist = |velocity: DVec2, angular: f64| {
                    let velocity = self.pose_a.rotate(velocity);
                    vec![velocity.x, velocity.y, angular]
                };
                let arm = at_b - self.pose_ab.translation();
                return GradientAnswer::Twists([
                    twist(-normal, -at_a.perp_dot(normal)),
                    twist(normal, arm.perp_dot(normal)),
                ]);
            }
            _ => "no signed distance is defined where outlines meet or cross",
        };
        GradientAnswer::Missing(reason.to_owned())
    }

    /// Whether the signed distance has a kink here; the way of [`crate::kink`] in the plane.
    fn has_kink(&self, distance: f64) -> Result<bool, QueryError> {
        let size = reach(&self.a) + reach(&self.b);
        let least = if distance > 0.0 { distance.min(size) } else { size };
        let step = tolerance::KINK_PROBE_REL * least;
        let error = Some(tolerance::KINK_ERROR_REL * step);
        let arm = reach(&self.b);
        let at = |step: f64| -> Result<f64, QueryError> {
            let angle = if arm > 0.0 { step / arm } else { 0.0 };
            let way = DVec2::new(0.618_034, 0.786_151) * step;
            let pose = PlanarPose::new(self.pose_ab.angle() + angle, self.pose_ab.translation() + way);
            let found = nearest(&self.a, &self.b, &pose.unwrap_or(self.pose_ab), error)?;
            Ok(found.signed_distance.unwrap_or(found.distance))
        };
        let bend = at(step)? + at(-step)? - 2.0 * at(0.0)?;
        Ok(bend.abs() > tolerance::KINK_REL * step)
    }
}

fn parameters(body: &PlanarBody, witness: &CurveWitness) -> Option<Vec<f64>> {
    match (body, witness.feature) {
        (_, Feature::Vertex(_)) => Some(Vec::new()),
        (PlanarBody::Tiled(tiled), Feature::Edge(edge)) => {
            curve_parameter(tiled.sides()[edge.index()].curve.curve(), witness.parameter?)
        }
        _ => None,
    }
}

/// Half the diagonal of a box around a body.
pub(crate) fn radius(body: &PlanarTiled) -> f64 {
    let bounds = body.sides().iter().map(|side| side.curve.aabb(side.range));
    let whole = bounds.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), bound| {
        (low.min(DVec2::from(bound.low)), high.max(DVec2::from(bound.high)))
    });
    0.5 * whole.0.distance(whole.1)
}

/// Largest distance of a body's point from its frame's origin.
fn reach(body: &PlanarBody) -> f64 {
    match body {
        PlanarBody::Polygon(polygon) => polygon.anchor().length() + polygon.reach(),
        PlanarBody::Tiled(tiled) => tiled.sides().iter().fold(0.0, |most, side| {
            let bound = side.curve.aabb(side.range);
            let corner = DVec2::from(bound.low).abs().max(DVec2::from(bound.high).abs());
            corner.length().max(most)
        }),
    }
}
