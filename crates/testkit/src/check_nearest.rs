//! Checks of answers about curved bodies: witnesses on their features, distance reproduced, first-order conditions.

use clearance_geometry::curve::CurveJet;
use clearance_geometry::surface::ParametricSurface;
use clearance_geometry::tiled::{Side, TiledBody};
use clearance_geometry::{Body, DVec3, Feature, LeafShape, Pose};
use clearance_proximity::{Ended, Parameters, Proximity, State, Witness};

/// Checks an answer about two bodies in the frame of A, `size` being that of both together.
///
/// # Errors
/// A sentence that says which claim is false and by how much.
pub fn check_nearest(a: &Body, b: &Body, pose_ab: &Pose, p: &Proximity, size: f64) -> Result<(), String> {
    let numbers = [p.distance, p.signed_distance, p.normal.x, p.normal.y, p.normal.z];
    if numbers.iter().any(|x| !x.is_finite()) {
        return Err(format!("not finite: {p:?}"));
    }
    let [one, other] = p.witnesses;
    let reach =
        one.point.abs().max(other.point.abs()).max_element() + pose_ab.translation().abs().max_element();
    let rounding = 256.0 * f64::EPSILON * (reach + size);
    let between = other.point - one.point;
    if p.state == State::Separated && (between - p.normal * p.distance).length() > rounding {
        return Err(format!("the witnesses differ from distance × normal: {between} {p:?}"));
    }
    if p.state == State::Touching && between.length() > rounding {
        return Err(format!("touching at different points: {between} {p:?}"));
    }
    let told = DISTANCE_ROUNDINGS * f64::EPSILON * (reach + size);
    let settled = p.ended != Ended::Limit;
    let limits = Limits { rounding, told, size, apart: p.distance.max(f64::MIN_POSITIVE), settled };
    on_feature(a, &one, one.point, p.normal, &limits).map_err(|why| format!("a: {why}"))?;
    let point = pose_ab.apply_inverse(other.point);
    let normal = -pose_ab.rotate_inverse(p.normal);
    on_feature(b, &other, point, normal, &limits).map_err(|why| format!("b: {why}"))
}

/// How far a normal may lean from that of a feature; a sine.
const LEAN: f64 = 1e-6;

/// Units in the last place of coordinates by which the distance of two of them may be off.
const DISTANCE_ROUNDINGS: f64 = 8.0;

/// What an answer is held to; lengths.
struct Limits {
    /// What points may be off by.
    rounding: f64,
    /// What a distance may be off by.
    told: f64,
    size: f64,
    /// The distance.
    apart: f64,
    /// Whether the points claim to be the nearest; those of a search that ended early may be any.
    settled: bool,
}

impl Limits {
    /// How far the normal may lean on a feature of this curvature; a sine.
    ///
    /// A short normal is rounded as much as the points are. And where the distance bends by k, a normal that leans by s is
    /// s² / 2k from the least distance, which cannot be told from it where that is less than rounding; k is the curvature
    /// of the feature and that of a circle around the other point.
    fn lean(&self, curvature: f64) -> f64 {
        if !self.settled {
            return 1.0;
        }
        let bend = curvature + 1.0 / self.apart;
        LEAN + self.rounding / self.apart + (2.0 * self.told * bend).sqrt()
    }
}

fn on_feature(
    body: &Body,
    witness: &Witness,
    point: DVec3,
    outward: DVec3,
    limits: &Limits,
) -> Result<(), String> {
    match body.whole() {
        Body::Tiled(tiled) => on_tiled(tiled, witness, point, outward, limits),
        Body::Deforming(deforming) => on_tiled(deforming.shape(), witness, point, outward, limits),
        Body::Union(parts) => {
            let leaf = &parts.leaves()[witness.leaf as usize];
            match &leaf.shape {
                LeafShape::Tiled(tiled) => {
                    let (point, outward) =
                        (leaf.pose.apply_inverse(point), leaf.pose.rotate_inverse(outward));
                    on_tiled(tiled, witness, point, outward, limits)
                }
                LeafShape::Polytope(_) => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn on_tiled(
    body: &TiledBody,
    witness: &Witness,
    point: DVec3,
    outward: DVec3,
    limits: &Limits,
) -> Result<(), String> {
    // Where a parameter runs a thousand times the size, rounding of it moves the point as far.
    let near = |there: DVec3| {
        let off = there.distance(point);
        if off <= limits.rounding.max(1e-11 * limits.size) {
            Ok(())
        } else {
            Err(format!("off by {off:e}: {witness:?}"))
        }
    };
    let level = |jet: CurveJet, what: &str| {
        let lean = jet.first.normalize_or_zero().dot(outward).abs();
        let allowed =
            limits.lean(jet.second.dot(outward).abs() / jet.first.length_squared().max(f64::MIN_POSITIVE));
        if lean <= allowed {
            Ok(())
        } else {
            Err(format!("the normal leans by {lean:e}, not {allowed:e}, along {what}: {witness:?}"))
        }
    };
    match (witness.feature, witness.parameters) {
        (Feature::Vertex(vertex), Parameters::None) => near(body.vertex(vertex)),
        (Feature::Edge(edge), Parameters::Curve(t)) => {
            let jet = body.edge(edge).jet(t);
            near(jet.point)?;
            let inside = body.edge(edge).range;
            let end = (t - inside.low).min(inside.high - t) <= 1e-9 * inside.width();
            if end { Ok(()) } else { level(jet, "the edge") }
        }
        (Feature::Face(id), Parameters::Surface(at)) => {
            let face = body.face(id);
            near(face.point(at))?;
            let side = face.side(at);
            if side == Side::Outside {
                return Err(format!("outside its face: {witness:?}"));
            }
            let Some(normal) = face.surface.normal(at.x, at.y) else { return Ok(()) };
            let lean = normal.cross(outward).length();
            let jet = face.surface.jet(at.x, at.y);
            let bends = |second: DVec3, first: DVec3| {
                second.dot(normal).abs() / first.length_squared().max(f64::MIN_POSITIVE)
            };
            let allowed = limits.lean(bends(jet.uu, jet.u) + bends(jet.vv, jet.v));
            if outward == DVec3::ZERO || side == Side::Boundary || lean <= allowed {
                return Ok(());
            }
            Err(format!("the normal leans by {lean:e}, not {allowed:e}, on a face: {witness:?}"))
        }
        _ => Err(format!("parameters do not go with the feature: {witness:?}")),
    }
}
