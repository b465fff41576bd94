//! That neither of two bodies is inside the other, as far as their nearest points show it.
//!
//! Source: nothing is between nearest points, so that each is on the side of the other boundary that the normal there tells, and
//! with it all of a connected boundary that does not meet the other.
//! Differs: on an edge the sum of both faces' normals decides (Bærentzen and Aanæs); a convex body keeps out what is beyond a
//! plane on it.
//! Ends because: closed formulas.
//! Cost: a normal for each body, or two of them, or one farthest point.
//! Not promised: an answer at vertices, on rims of faces and for bodies of several shells; of a union, more than of the one part
//! that has the nearest point.

use super::side::is_behind_edge;
use crate::answer::Parameters;
use crate::convex::solid::Solid;
use crate::tolerance::FOOT_REL;
use crate::{Ended, Proximity, Witness};
use clearance_geometry::tiled::{Side, TiledBody};
use clearance_geometry::{Body, DVec3, Feature, LeafShape, Pose};

/// Whether the nearest points of bodies whose boundaries are apart show that neither is inside the other. They must be nearest
/// but for the error that is usual: a slit narrower than that is not seen.
pub(crate) fn is_apart(a: &Body, b: &Body, found: &Proximity, pose_ab: &Pose) -> bool {
    let [p, q] = found.witnesses.map(|witness| witness.point);
    let away = pose_ab.rotate_inverse(-found.normal);
    // Points that are not known to be nearest may have a boundary between them.
    matches!(found.ended, Ended::Certified(_))
        && is_connected(a)
        && is_connected(b)
        && keeps_out(a, found, 0, q, found.normal)
        && keeps_out(b, found, 1, pose_ab.apply_inverse(p), away)
}

/// Leaves of unions, of A and of B, that have the nearest points: where a body's one shows that the other's is outside its leaf.
pub(crate) fn leaves_apart(a: &Body, b: &Body, found: &Proximity, pose_ab: &Pose) -> [Option<u32>; 2] {
    if !matches!(found.ended, Ended::Certified(_)) {
        return [None, None];
    }
    let away = [found.normal, pose_ab.rotate_inverse(-found.normal)];
    let keeps_out = |body: &Body, side: usize| {
        let Body::Union(tree) = body.whole() else { return None };
        let witness = &found.witnesses[side];
        let leaf = tree.leaves().get(witness.leaf as usize)?;
        let LeafShape::Tiled(tiled) = &leaf.shape else { return None };
        let away = leaf.pose.rotate_inverse(away[side]);
        (!tiled.is_closed() || is_off_feature(tiled, witness, away)).then_some(witness.leaf)
    };
    [keeps_out(a, 0), keeps_out(b, 1)]
}

/// Whether the boundary is in one piece.
fn is_connected(body: &Body) -> bool {
    match body {
        Body::Tiled(tiled) => tiled.shell_count() == 1,
        Body::Polytope(_) => true,
        _ => false,
    }
}

/// Whether the other's nearest point, which lies along `away` from its own, is outside a body; all in the body's frame.
fn keeps_out(body: &Body, found: &Proximity, side: usize, other: DVec3, away: DVec3) -> bool {
    // Whether a body is convex may take longer to decide than what its normal there says.
    if let Body::Tiled(tiled) = body
        && (!tiled.is_closed() || is_off_feature(tiled, &found.witnesses[side], away))
    {
        return true;
    }
    Solid::of(body)
        .is_some_and(|solid| away.dot(other - solid.anchor()) > solid.height_above(away) + solid.radius())
}

/// Whether a point that lies along `away` from its nearest point on a closed body, its witness, is outside.
fn is_off_feature(body: &TiledBody, witness: &Witness, away: DVec3) -> bool {
    match (witness.feature, witness.parameters) {
        (Feature::Face(face), Parameters::Surface(at)) => {
            let face = body.face(face);
            let is_along = |normal: DVec3| normal.dot(away) > 0.0 && normal.cross(away).length() < FOOT_REL;
            // On a rim the normal of one face tells nothing.
            face.side(at) == Side::Inside && face.normal(at).is_some_and(is_along)
        }
        (Feature::Edge(edge), Parameters::Curve(t)) => is_off_edge(body, edge, t, away),
        _ => false,
    }
}

/// Whether a point beside an edge is outside. Next to its ends other edges decide.
fn is_off_edge(body: &TiledBody, id: clearance_geometry::EdgeId, t: f64, away: DVec3) -> bool {
    let range = body.edge(id).range;
    let margin = FOOT_REL * range.width();
    let inner = body.edge(id).is_closed() || (t > range.low + margin && t < range.high - margin);
    inner && is_behind_edge(body, id, t, away, FOOT_REL) == Some(false)
}
