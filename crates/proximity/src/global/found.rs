//! What searches are asked for, and what they find.

use super::proof::ProofStep;
use crate::tolerance::SAME_PLACE_REL;
use clearance_geometry::{DVec2, DVec3};
use std::time::Instant;

/// Most pairs of points kept as equally near.
const MOST_TIES: usize = 64;

/// What a search is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// How far the lower bound may be below the distance; a length.
    pub max_error: f64,
    /// Points this close are in contact, and the search ends; a length.
    pub contact: f64,
    /// Most pairs of parts that are looked at.
    pub max_pairs: u64,
    /// Whether to keep the proof, and by which margin its slopes are to hold; the search is longer then.
    pub proof: Option<f64>,
    /// When the search ends with what it has, if not before.
    pub deadline: Option<Instant>,
}

/// Work of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchWork {
    /// Pairs of parts looked at.
    pub pairs: u64,
    /// Newton steps.
    pub newton: u32,
    /// Cells made of both bodies.
    pub cells: u32,
}

/// A pair of points, one on each body, that no neighbours come closer than.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// Their distance.
    pub distance: f64,
    /// The points, in the frame of A.
    pub points: [DVec3; 2],
    /// The pieces that they are on, by their place in each tree.
    pub pieces: [u32; 2],
    /// Local parameters on the pieces.
    pub local: [DVec2; 2],
}

impl NearPair {
    /// Whether another pair is at the same place, within a length for both points together.
    pub(super) fn is_near(&self, other: &Self, near: f64) -> bool {
        let apart = |i: usize| self.points[i].distance(other.points[i]);
        apart(0) + apart(1) <= near
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The nearest pair; `None` where nothing at all was found within the budget.
    pub nearest: Option<NearPair>,
    /// Proven: no two points are closer. Where edges do not lie on their faces, that gap is taken off.
    pub lower: f64,
    /// Pairs as near as the nearest, within the error asked for, at different places; the nearest first.
    pub ties: Vec<NearPair>,
    /// Whether the bounds met within the error asked for, the gaps of edges left aside.
    pub proven: bool,
    /// Whether the budget of pairs or the time was used up.
    pub spent: bool,
    /// Work done.
    pub work: SearchWork,
    /// The proof of the lower bound, where it was asked for.
    pub proof: Option<Vec<ProofStep>>,
}

/// Keeps a pair of points as a tie, once for each place; ties farther apart than `limit` are none any more.
pub(super) fn note(ties: &mut Vec<NearPair>, pair: NearPair, limit: f64) {
    let size = pair.points[0].abs().max(pair.points[1].abs()).max_element();
    ties.retain(|tie| tie.distance <= limit);
    match ties.iter().position(|tie| tie.is_near(&pair, SAME_PLACE_REL * size)) {
        Some(at) if pair.distance < ties[at].distance => ties[at] = pair,
        None if ties.len() < MOST_TIES => ties.push(pair),
        _ => {}
    }
}
