//! What a walk does with a pair that does not carry its own claim: one search in doubled precision.
//!
//! Source: 003 has no such check. DIFFERS throughout: the search is the one of `polytope::careful`, which
//! shares nothing with the walk but the bodies; its answer is held to the same bounds as that of a walk.
//! Ends because: the search counts its rounds.
//! Cost: the two features; some tens of microseconds where they do not suffice, about one pair in two thousand of
//! the soak runs.
//! Not promised: that the search agrees with the walk; it replaces it.

use super::bounds;
use super::pair::{Near, Pair};
use super::settle::Best;
use crate::polytope::simplex::{Corner, Simplex};
use crate::polytope::{careful, lift, proof};
use crate::{Ended, Work};
use clearance_geometry::{DVec3, Feature, VertexId};

/// What the doubled search found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// A distance, and whether it proves itself.
    Apart(Best, Ended),
    /// A point of both bodies within rounding; the direction is left open.
    Meeting(Best),
}

/// Whether the points of a pair lie on its features, and their difference along its direction.
pub(super) fn carries(pair: &Pair, best: &Best) -> bool {
    residual(pair, best) <= pair.touch()
}

/// How far the points of a pair are from its features, or their difference from its direction; a length.
pub(super) fn residual(pair: &Pair, best: &Best) -> f64 {
    let Best { near, features } = best;
    let between = near.points[1] - near.points[0];
    // A contact claims no distance beyond what its points say.
    let signed = if near.distance <= pair.touch() { between.dot(near.direction) } else { near.distance };
    let aside = (between - near.direction * signed).length();
    let local = [near.points[0], pair.across(0, near.points[1])];
    let off = |side: usize| proof::distance_off(pair.bodies[side], features[side], local[side]);
    aside.max(off(0)).max(off(1))
}

/// The nearest points of both bodies in doubled precision, searched for from `features`.
pub(super) fn nearest(pair: &Pair, features: [Feature; 2], work: &mut Work) -> Option<Found> {
    let [a, b] = pair.bodies;
    let mut start = Simplex::default();
    let [corner_a, corner_b] = [pair.corner(0, features[0]), pair.corner(1, features[1])];
    start.push(Corner { a: corner_a.0, b: corner_b.0, ..Corner::default() });
    let found = careful::nearest(a, b, &pair.pose, &start, &pair.tolerance, work)?;
    let near = Near { points: found.points, direction: found.normal, distance: found.distance };
    let local = [near.points[0], pair.across(0, near.points[1])];
    let features = [0, 1].map(|side| {
        let corners = [found.simplex.corners[0].a, found.simplex.corners[0].b];
        let corner = Feature::Vertex(VertexId(corners[side]));
        let under = lift::on_boundary(pair.bodies[side], corner, local[side], pair.touch());
        let met = bounds::met(pair, side, under, near.points[side]);
        // Near the line of a side, at an acute corner, is not near the side.
        let holds = proof::distance_off(pair.bodies[side], met, local[side]) <= pair.touch();
        if holds { met } else { under }
    });
    if found.meets {
        let near = Near { direction: DVec3::ZERO, ..near };
        return Some(Found::Meeting(Best { near, features }));
    }
    let best = Best { near, features };
    let bound = bounds::along(pair, near.direction, features);
    let gap = found.gap.max(near.distance - bound.lower);
    let proved = gap <= pair.tolerance.gap(near.distance) && carries(pair, &best);
    let ended =
        if proved { Ended::Converged } else { Ended::Stalled { residual: gap.max(residual(pair, &best)) } };
    Some(Found::Apart(best, ended))
}
