//! When the bounds of a search are good enough.
//!
//! Source: forward error analysis of the bounds (`evaluation`, `slab`).
//! Differs: an error asked for that is below what the bounds themselves may lose to rounding is not chased for ever: after
//! some times [`CHASED_PAIRS`] pairs the search ends with bounds as close as rounding allows, and says so.
//! Ends because: closed formulas.
//! Cost: some ten operations for so many pairs.
//! Not promised: the closest bounds that rounding allows.

use super::evaluation::Lost;
use super::found::Demand;
use super::search::Search;
use crate::tolerance::{HEIGHT_ERROR_REL, SEARCH_ROUNDINGS};
use std::time::Instant;

/// Pairs after which an error is compared with rounding, and after as many again.
const CHASED_PAIRS: u64 = 1 << 11;

/// Looks after which all of [`SEARCH_ROUNDINGS`] are allowed for, in even steps: bounds that come close while they are chased are
/// closer than those.
const PATIENT_LOOKS: f64 = 4.0;

/// Pairs between two looks at the clock; a power of two.
const PAIRS_PER_LOOK: u64 = 1 << 6;

impl Demand {
    /// Whether the budget is used up after so many pairs, or the time.
    pub(super) fn is_spent(&self, pairs: u64) -> bool {
        let late = |deadline: Instant| pairs.is_multiple_of(PAIRS_PER_LOOK) && Instant::now() >= deadline;
        pairs >= self.max_pairs || self.deadline.is_some_and(late)
    }
}

impl Search<'_> {
    pub(super) fn upper(&self) -> f64 {
        self.nearest.map_or(f64::INFINITY, |near| near.distance)
    }

    /// The lower bound from which on a pair of parts does not matter.
    pub(super) fn enough(&self) -> f64 {
        self.upper() - self.error
    }

    /// From time to time: an error below what bounds beside the nearest points lose to rounding is not to be had.
    pub(super) fn allow_for_rounding(&mut self) {
        if self.work.pairs == 0 || !self.work.pairs.is_multiple_of(CHASED_PAIRS) {
            return;
        }
        let Some(near) = self.nearest else { return };
        let (a, b) = (self.a.root(near.pieces[0]), self.b.root(near.pieces[1]));
        let (cell_a, cell_b) = (self.a.cell(a), self.b.cell(b));
        let lost = Lost::of_cell(cell_a, self.a.net(cell_a)).with(Lost::of_cell(cell_b, self.b.net(cell_b)));
        let reach = near.points[0].abs().max_element() + near.points[1].abs().max_element();
        let rounding = cell_a.slack + cell_b.slack + lost.point + HEIGHT_ERROR_REL * (reach + near.distance);
        let share = ((self.work.pairs / CHASED_PAIRS) as f64 / PATIENT_LOOKS).min(1.0);
        self.error = self.demand.max_error.max(share * SEARCH_ROUNDINGS * rounding);
    }
}
