//! Questions about two planar bodies in the world.

use crate::answer::{Answer, Coordinates, GradientAnswer, LocusAnswer};
use crate::solid::by_error;
use crate::{Error, PartFeature, Request};
use clearance_geometry::{DVec2, Feature, PlanarPose, Polygon, tolerance};
use clearance_proximity::planar::{PlanarProximity, certify, gradient, locus};
use clearance_proximity::ratio::planar_growth;
use clearance_proximity::{Certificate, Ended};

/// Two planar bodies and their poses.
pub(crate) struct PlanarPair<'a> {
    pub(crate) a: &'a Polygon,
    pub(crate) b: &'a Polygon,
    pub(crate) pose_a: PlanarPose,
    pub(crate) pose_ab: PlanarPose,
}

impl PlanarPair<'_> {
    /// Turns the kernel's answer, in the frame of A, into the world's and adds what is wanted.
    pub(crate) fn answer(&self, found: PlanarProximity, request: &Request<'_>) -> Result<Answer, Error> {
        let wants = request.wants;
        let (ended, lower_bound) = self.proven(&found, request);
        let growth = if wants.ratio { Some(planar_growth(self.a, self.b, &self.pose_ab)?) } else { None };
        let world = found.in_world(&self.pose_a);
        let features = [self.a.label(found.witnesses[0].feature), self.b.label(found.witnesses[1].feature)];
        let mut answer = Answer {
            state: found.state,
            distance: found.distance,
            signed_distance: Some(found.signed_distance),
            points: world.witnesses.map(|witness| flat(witness.point)),
            normal: Some(flat(world.normal)),
            parameters: features.map(straight_parameters),
            features: features.map(PartFeature::from),
            ended,
            work: found.work,
            ratio: growth.map(|growth| growth.ratio),
            rho: growth.and_then(|growth| growth.rho),
            lower_bound: lower_bound.map(Some),
            gradient: wants.gradient.then(|| self.gradient(&found)),
            locus: wants.locus.then(|| self.locus(&found)),
            ..Answer::blank(request.units)
        };
        // Convex bodies have one minimum.
        answer.all = wants.all_minima.then(|| vec![answer.clone()]);
        Ok(answer)
    }

    /// How the answer ended and the bound it carries; see the solid pair for what is taken off.
    fn proven(&self, found: &PlanarProximity, request: &Request<'_>) -> (Ended, Option<f64>) {
        if !request.wants.certificate && request.max_error.is_none() {
            return (found.ended, None);
        }
        let proof = certify(self.a, self.b, &self.pose_ab, found);
        let reach = |body: &Polygon| body.anchor().length() + body.reach();
        let size = self.pose_ab.translation().length() + reach(self.a) + reach(self.b);
        let lower = proof.lower - tolerance::TOUCH_REL * size;
        let proof = Certificate { lower, ..proof };
        let ended = if found.state.overlaps() {
            found.ended
        } else {
            by_error(found.signed_distance, proof, request.max_error)
        };
        (ended, request.wants.certificate.then_some(lower))
    }

    fn gradient(&self, found: &PlanarProximity) -> GradientAnswer {
        let twist = |velocity: DVec2, angular: f64| {
            let velocity = self.pose_a.rotate(velocity);
            vec![velocity.x, velocity.y, angular]
        };
        match gradient(self.a, self.b, &self.pose_ab, found) {
            Ok(g) => {
                GradientAnswer::Twists([twist(g.velocity_a, g.angular_a), twist(g.velocity_b, g.angular_b)])
            }
            Err(reason) => GradientAnswer::Missing(reason.to_string()),
        }
    }

    fn locus(&self, found: &PlanarProximity) -> Option<LocusAnswer> {
        let pairs = locus(self.a, self.b, &self.pose_ab, found).pairs;
        if pairs.len() < 2 {
            return None;
        }
        let samples =
            pairs.into_iter().map(|pair| pair.map(|point| flat(self.pose_a.apply(point)))).collect();
        Some(LocusAnswer::new("curve", samples))
    }
}

/// A vertex has no parameters, and straight sides have none worth naming.
fn straight_parameters(feature: Feature) -> Option<Vec<f64>> {
    matches!(feature, Feature::Vertex(_)).then(Vec::new)
}

fn flat(vector: DVec2) -> Coordinates {
    vector.to_array().into()
}
