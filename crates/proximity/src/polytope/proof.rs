//! The check that every searched answer goes through before it leaves: does it prove itself?
//!
//! Source: none; the normal's own separation bounds the distance from below, the witnesses from above.
//! Ends because: two climbs and two features.
//! Cost: about one round of GJK; answers from closed forms have passed equivalent tests already.
//! Not promised: rigour. `certify` does the same over all vertices with outward rounding.

use crate::tolerance;
use clearance_geometry::{DVec3, EdgeId, Feature, Polytope, Pose, Side, Tolerance, VertexId};

/// A candidate answer, anchored frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) features: [Feature; 2],
    pub(crate) points: [DVec3; 2],
    pub(crate) normal: DVec3,
    pub(crate) signed: f64,
}

/// How far a claim is from proving itself; lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual {
    /// Between the signed distance and the separation along the normal.
    pub(crate) gap: f64,
    /// Of the witnesses from their features.
    pub(crate) off: f64,
}

impl Residual {
    /// Whether the claim proves itself within the tolerance.
    pub(crate) fn is_small(&self, claim: &Claim, tol: &Tolerance) -> bool {
        // A depth is the height of a facet, exact but for rounding; a distance is the end of an iteration.
        let allowed = if claim.signed > 0.0 { tol.gap(claim.signed) } else { tol.length() };
        self.gap <= allowed && self.off <= tol.length()
    }
}

/// Measures a claim.
pub(crate) fn residual(a: &Polytope, b: &Polytope, pose: &Pose, claim: &Claim) -> Residual {
    let seen_b = -pose.rotate_inverse(claim.normal);
    let highest = a.climb(some_vertex(a, claim.features[0]), claim.normal, 1.0);
    let lowest = b.climb(some_vertex(b, claim.features[1]), seen_b, 1.0);
    let separation = claim.normal.dot(pose.apply(b.vertex(lowest)) - a.vertex(highest));
    let off_a = distance_off(a, claim.features[0], claim.points[0]);
    let off_b = distance_off(b, claim.features[1], pose.apply_inverse(claim.points[1]));
    Residual { gap: (claim.signed - separation).abs(), off: off_a.max(off_b) }
}

/// Whether the claim proves itself within the tolerance.
pub(crate) fn holds(a: &Polytope, b: &Polytope, pose: &Pose, claim: &Claim, tol: &Tolerance) -> bool {
    residual(a, b, pose, claim).is_small(claim, tol)
}

/// Any vertex of a feature.
pub(crate) fn some_vertex(body: &Polytope, feature: Feature) -> VertexId {
    match feature {
        Feature::Vertex(vertex) => vertex,
        Feature::Edge(edge) => body.edge(edge).vertices[0],
        Feature::Face(face) => body.sides(face)[0].vertex,
    }
}

/// Distance of a point from a closed feature, or more by some rounding of the body's size.
pub(crate) fn distance_off(body: &Polytope, feature: Feature, point: DVec3) -> f64 {
    match feature {
        Feature::Vertex(vertex) => body.vertex(vertex).distance(point),
        Feature::Edge(edge) => off_edge(body, edge, point),
        Feature::Face(face) => {
            let height = body.plane(face).distance(point).abs();
            // Beyond a side the nearest point is on one: at the acute corner of a needle's face a point may be
            // far off although it lies beyond no side by more than rounding, or by none that rounding shows.
            let slack = tolerance::FLARE_REL * body.reach();
            let near = |side: &&Side| side.inward.dot(point) < side.offset + slack;
            let sides = body.sides(face).iter().filter(near);
            let aside = sides.map(|side| off_edge(body, side.edge, point)).fold(f64::INFINITY, f64::min);
            if aside < f64::INFINITY { aside } else { height }
        }
    }
}

fn off_edge(body: &Polytope, edge: EdgeId, point: DVec3) -> f64 {
    let edge = body.edge(edge);
    let tail = body.vertex(edge.vertices[0]);
    let at = ((point - tail).dot(edge.vector) / edge.vector.length_squared()).clamp(0.0, 1.0);
    (tail + edge.vector * at).distance(point)
}
