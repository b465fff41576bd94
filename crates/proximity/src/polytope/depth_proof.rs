//! A proof that a facet of A − B is the nearest to the origin, which is inside.
//!
//! Source: own; what an expanding polytope knows when it ends, from a few well-placed points.
//! Along every direction A − B must reach as far as the facet does along its normal, δ. Let φ be the angle to the
//! normal and T = tan(φ/2). The facet itself, whose rim is r or more away from the foot of the origin, reaches δ
//! for T ≤ r/δ. Beyond some T₀ either the ball of both inradii about the difference of the centres reaches δ, or the
//! far end of the chord through the foot and the origin. Between the two, a point of A − B that lies σ below the
//! facet's plane and t beside the foot reaches δ along all directions whose azimuth is within ω of its own,
//! t·cos ω = δT + σ(1/T − T)/2: the right side is convex in T, so what holds at both ends of a stretch holds within.
//! Four such points whose azimuths overlap prove the stretch.
//! Differs: no shell is kept; the four are support points about the facet's normal, found from its own corners.
//! Ends because: there is no loop.
//! Cost: a few dozen products without the ring of points, four supports with it.
//! Not promised: a proof. Where the foot comes near the facet's rim, or the bodies curve much more in one direction
//! than in the other, four points are too few, and `shell` goes on.

use super::facet::Facet;
use super::gjk::support;
use super::simplex::Corner;
use crate::Work;
use crate::tolerance;
use clearance_geometry::{DVec2, DVec3, Feature, Polytope, Pose, VertexId};

/// Tilt of the ring's directions, as a share of the tilt up to which the facet proves; a tuning constant.
const TILT: f64 = 0.7;

/// Whether no other facet of A − B is nearer to the origin, by more than `touch`.
pub(crate) fn is_deepest(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    facet: &Facet,
    touch: f64,
    work: &mut Work,
) -> bool {
    let slack = 1.0 + tolerance::FACET_PROOF_REL;
    let proved = (facet.margin - touch) / facet.depth;
    let by_ball = beyond_ball(a, b, pose, facet) * slack;
    if proved > by_ball {
        return true;
    }
    let needed = by_ball.min(beyond_chord(a, b, pose, facet) * slack);
    proved > needed
        || (proved > 0.0
            && needed.is_finite()
            && ring_proves(a, b, pose, facet, [proved, needed], touch, work))
}

/// The T beyond which the far end of the chord through the foot and the origin, D beyond the origin, proves: it has
/// height δ in every direction within ψ of it, D·cos ψ ≥ δ, ψ + φ = π.
fn beyond_chord(a: &Polytope, b: &Polytope, pose: &Pose, facet: &Facet) -> f64 {
    let reach_a = a.reach_inside(facet.points[0], -facet.normal);
    let seen = pose.apply_inverse(facet.points[1]);
    let reach_b = b.reach_inside(seen, pose.rotate_inverse(facet.normal));
    let beyond = reach_a + reach_b - facet.depth;
    if beyond > facet.depth {
        ((beyond + facet.depth) / (beyond - facet.depth)).sqrt()
    } else {
        f64::INFINITY
    }
}

/// The T beyond which the ball of both inradii about the difference of the centres proves.
fn beyond_ball(a: &Polytope, b: &Polytope, pose: &Pose, facet: &Facet) -> f64 {
    let center = a.center() - pose.apply(b.center());
    let distance_sq = center.length_squared();
    let kappa_length = a.inradius() + b.inradius() - facet.depth;
    let along = -center.dot(facet.normal);
    if !(kappa_length > 0.0 && distance_sq > kappa_length * kappa_length && along > 0.0) {
        return f64::INFINITY;
    }
    // It begins at φ₀ = β + acos κ, with β the angle between the centre and the facet's normal; in tangents of half
    // angles, which keep their digits where the bodies are thin and φ₀ comes near π.
    let distance = distance_sq.sqrt();
    let half_beta = center.cross(facet.normal).length() / (distance + along);
    let half_acos = ((distance - kappa_length) / (distance + kappa_length)).sqrt();
    let below = 1.0 - half_beta * half_acos;
    if below > 0.0 { (half_beta + half_acos) / below } else { f64::INFINITY }
}

/// Whether four support points about the facet's normal prove a stretch of T.
fn ring_proves(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    facet: &Facet,
    stretch: [f64; 2],
    touch: f64,
    work: &mut Work,
) -> bool {
    let foot = facet.points[0] - facet.points[1];
    let (across, aside) = facet.normal.any_orthonormal_pair();
    let from = a_corner(a, b, facet);
    let tilt = TILT * stretch[0];
    let (upward, sideward) = (1.0 - tilt * tilt, 2.0 * tilt);
    work.supports += 4;
    // Azimuth, and cos ω and sin ω at the worse end.
    let spans = [across, aside, -across, -aside].map(|side| {
        let direction = facet.normal * upward + side * sideward;
        let off = support(a, b, pose, -direction, 1.0 + tilt * tilt, Some(from)).w - foot;
        let azimuth = DVec2::new(off.dot(across), off.dot(aside));
        let sag = touch - off.dot(facet.normal).min(0.0);
        let [short, long] = stretch.map(|t| facet.depth * t + sag * 0.5 * (1.0 / t - t));
        let length = azimuth.length();
        let cosine = (short.max(long) + touch) / length * (1.0 + tolerance::FACET_PROOF_REL);
        // NaN where the point proves nothing.
        (azimuth / length, DVec2::new(cosine, (1.0 - cosine * cosine).sqrt()))
    });
    let nexts = [spans[1], spans[2], spans[3], spans[0]];
    spans.into_iter().zip(nexts).all(|((azimuth, span), (next, next_span))| {
        // What both spans lack of a half turn, less than a quarter turn together, must leave room for what the next
        // azimuth, to the left, lacks of one. In sines, which see small differences where cosines do not.
        let lack = span.x * next_span.y + span.y * next_span.x;
        let room = azimuth.perp_dot(next);
        span.y * next_span.y >= span.x * next_span.x
            && room > 0.0
            && (lack <= room || azimuth.dot(next) >= 0.0)
    })
}

/// A corner of a facet, to climb from.
fn a_corner(a: &Polytope, b: &Polytope, facet: &Facet) -> Corner {
    let vertex = |body: &Polytope, feature| match feature {
        Feature::Vertex(vertex) => vertex,
        Feature::Edge(edge) => body.edge(edge).vertices[0],
        Feature::Face(face) => body.sides(face).first().map_or(VertexId(0), |side| side.vertex),
    };
    let [on_a, on_b] = facet.features;
    Corner { w: DVec3::ZERO, a: vertex(a, on_a).0, b: vertex(b, on_b).0 }
}
