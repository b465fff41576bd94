//! Boundaries in contact, or so near that they may be: whether they touch, cross, or are apart after all.
//!
//! Source: `contact` tells crossing from touching; the certified search tells how far apart surfaces are.
//! Differs: the error asked for is one of the distance; whether surfaces that are nearer than it meet is searched for beyond it,
//! half of what is left at a time.
//! Ends because: pairs of parts are counted.
//! Cost: one classification of the contact; up to [`TELLING_PAIRS`] pairs where surfaces without an inside nearly meet.
//! Not promised: which of the two it is where the budget ends first; the answer is then `limit`.

use crate::contact::{Contact, Patience, classify_met, classify_within, is_whole, lost};
use crate::curved::{Findings, Precision};
use crate::global::{Demand, NearPair, Prepared, SearchMemory, nearest_with, proximity_of};
use crate::{Certificate, Ended, Proximity, State};
use clearance_geometry::{DVec2, DVec3, Pose};

/// Pairs of parts that may be looked at to tell surfaces apart.
const TELLING_PAIRS: u64 = 1 << 16;

/// The points of an answer with their places on pieces.
pub(crate) fn near_pair(found: &Proximity, places: [(u32, DVec2); 2]) -> NearPair {
    let points = found.witnesses.map(|witness| witness.point);
    let distance = points[0].distance(points[1]);
    NearPair {
        distance,
        points,
        pieces: places.map(|(piece, _)| piece),
        local: places.map(|(_, local)| local),
    }
}

/// An answer that bodies overlap for which no depth is defined. That a point is inside is told by rays, which are no proof.
pub(crate) fn without_depth(found: &Proximity, state: State) -> Proximity {
    let ended = if found.ended == Ended::Limit { Ended::Limit } else { Ended::Converged };
    Proximity { state, distance: 0.0, signed_distance: 0.0, normal: DVec3::ZERO, ended, ..*found }
}

/// Whether boundaries are apart by more than the error that was asked for. Others may cross within it.
pub(crate) fn is_told_apart(found: &Proximity) -> bool {
    let crossing = matches!(found.ended, Ended::Certified(proof) if proof.lower <= 0.0);
    found.state == State::Separated && !crossing
}

/// Boundaries in contact, or not [told apart](is_told_apart): tells whether points of one body are inside the other.
pub(crate) fn met(
    findings: &mut Findings,
    [a, b]: [&Prepared; 2],
    near: NearPair,
    pose_ab: &Pose,
    precision: &Precision,
) {
    // Surfaces without an inside touch where they cross something.
    if a.body().is_surface_only() || b.body().is_surface_only() {
        return tell_apart(findings, [a, b], pose_ab, precision);
    }
    let found = &mut findings.proximity;
    let tolerance = a.demand(b, pose_ab).contact;
    let was_apart = found.state == State::Separated;
    let patience = Patience::of(precision);
    let contact = if was_apart {
        classify_within(a, b, pose_ab, tolerance, &patience)
    } else {
        classify_met(a, b, pose_ab, near, tolerance, &patience)
    };
    match contact {
        Contact::Crossing(proof) => {
            let is_whole =
                |body: &Prepared, piece: u32| is_whole(body, &body.tree().leaves()[piece as usize]);
            // An open part of a union touches what it crosses.
            if is_whole(a, proof.pieces[0]) && is_whole(b, proof.pieces[1]) {
                *found = Proximity { ended: found.ended, ..without_depth(found, State::Penetrating) };
            }
        }
        Contact::Overlapping { state, .. } => *found = without_depth(found, state),
        Contact::Touching { pair, settled, .. } => {
            // What the budget left open may still be an overlap.
            let ended = if settled { found.ended } else { Ended::Limit };
            if was_apart {
                // Points may touch that are apart by rounding of their own.
                let contact = tolerance.max(pair.distance);
                let touching = proximity_of([a.tree(), b.tree()], &pair, contact, ended);
                *found = Proximity { work: found.work, ..touching };
            }
            found.ended = ended;
        }
        Contact::Open { spent: true, .. } => found.ended = Ended::Limit,
        Contact::Open { lower, .. } => found.ended = stalled(found.distance, lower),
        Contact::Apart { lower } => {
            let lower = lower.min(found.distance);
            if let Ended::Certified(proof) = &mut found.ended {
                proof.lower = lower;
            }
            findings.lower = Some(lower);
        }
    }
}

/// The end of a search that rounding stopped.
fn stalled(distance: f64, lower: f64) -> Ended {
    Ended::Stalled { residual: (distance - lower).max(0.0) }
}

/// Surfaces that are apart as far as is known, but may cross within the error asked for: whether they do is no matter of that
/// error. Each search asks for half of what the last one left, and either shows a gap or finds points less than half as far apart.
fn tell_apart(findings: &mut Findings, [a, b]: [&Prepared; 2], pose_ab: &Pose, precision: &Precision) {
    let usual = Demand { deadline: precision.deadline, ..a.demand(b, pose_ab) };
    let (ended, mut memory) = (findings.proximity.ended, SearchMemory::default());
    let mut left = precision.max_pairs.map_or(TELLING_PAIRS, |most| most.min(TELLING_PAIRS));
    while findings.proximity.state == State::Separated && left > 0 {
        let demand = Demand { max_error: 0.5 * findings.proximity.distance, max_pairs: left, ..usual };
        let nearest = nearest_with(a, b, pose_ab, &demand, &mut memory);
        left = left.saturating_sub(nearest.work.pairs.max(1));
        if nearest.proximity.distance < findings.proximity.distance {
            findings.proximity = nearest.proximity;
        }
        if nearest.lower > 0.0 {
            let lower = nearest.lower.min(findings.proximity.distance);
            let normal = findings.proximity.normal;
            findings.proximity.ended = Ended::Certified(Certificate { lower, normal });
            findings.lower = Some(lower);
            return;
        }
        match nearest.proximity.ended {
            Ended::Certified(_) => {}
            Ended::Stalled { .. } => {
                let pair = near_pair(&nearest.proximity, nearest.places);
                let found = &mut findings.proximity;
                if pair.distance <= usual.contact + lost([a, b], &pair, pose_ab) {
                    let contact = usual.contact.max(pair.distance);
                    let touching = proximity_of([a.tree(), b.tree()], &pair, contact, ended);
                    *found = Proximity { work: found.work, ..touching };
                } else {
                    found.ended = stalled(found.distance, nearest.lower);
                }
                return;
            }
            _ => {
                // The budget ended before it was clear.
                findings.proximity.ended = Ended::Limit;
                return;
            }
        }
    }
}
