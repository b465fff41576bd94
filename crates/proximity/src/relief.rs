//! What a tracker's budget leaves unproven, proven by a search from scratch.
//!
//! Source: 003's scheduling: what came to nothing is tried less and less often.
//! Differs: nothing.
//! Ends because: a frame takes at most two budgets of the tracker and one of the search.
//! Cost: where nearest points are a curve or an area about an axis that both bodies have in common, that of the search, which
//! has formulas for them, while the front of the tracker would cut ever smaller parts.
//! Not promised: a proof; where neither has one the better bound is kept.

use crate::curved::{Findings, Precision};
use crate::tolerance::CERTIFIED_REL;
use crate::tracking::UPDATE_PAIRS;
use crate::{Certificate, Ended, State};

/// Who proves the frames of a pair whose tracker runs out of its budget.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Relief {
    turn: Turn,
    /// Frames until the turn ends.
    left: u32,
    /// How long the last turn was.
    length: u32,
    /// Whether the tracker alone is asked.
    suspended: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Turn {
    /// The tracker, and where it fails the search.
    #[default]
    Either,
    /// The search; the tracker finds the points alone.
    Search,
    /// The tracker: the search has failed as well.
    Tracker,
}

/// Frames of the first turn, and of the longest; each is twice as long as the last.
const SHORTEST: u32 = 8;
const LONGEST: u32 = 1024;

/// Pairs of parts that a tracker may look at to find the nearest points where it does not have to prove them.
const FINDING_PAIRS: u64 = 512;

/// Pairs after which a tracker that has not proven a frame waits until a search from scratch was asked.
const PROVING_PAIRS: u64 = 8192;

impl Relief {
    /// From now on the tracker alone is asked.
    pub(crate) fn suspend(&mut self) {
        self.suspended = true;
    }

    /// From now on the search is asked too, unless the budget is smaller than any search takes.
    pub(crate) fn resume(&mut self, precision: &Precision) {
        self.suspended = budget(precision) < FINDING_PAIRS;
    }

    /// What the tracker is asked first.
    pub(crate) fn first(&mut self, precision: &Precision) -> Precision {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.turn = Turn::Either;
        }
        let most = match self.turn {
            _ if self.suspended => return *precision,
            Turn::Tracker => return *precision,
            Turn::Search => FINDING_PAIRS,
            Turn::Either => PROVING_PAIRS,
        };
        Precision { max_pairs: Some(most.min(budget(precision))), ..*precision }
    }

    /// Whether a tracker has proven what it was asked; if so, nothing else is to be done.
    pub(crate) fn is_done(&mut self, tracked: &Findings) -> bool {
        let done = tracked.proximity.ended != Ended::Limit;
        if done && self.turn != Turn::Tracker {
            *self = Self { suspended: self.suspended, ..Self::default() };
        }
        done
    }

    /// What a search from scratch is asked where the tracker has failed; `None` where that is not worth while.
    pub(crate) fn second(&self, precision: &Precision) -> Option<Precision> {
        (self.turn != Turn::Tracker && !self.suspended)
            .then(|| Precision { max_pairs: Some(budget(precision)), ..*precision })
    }

    /// Takes note of what the search came to; whether the tracker is to be asked again, for all that it can.
    pub(crate) fn note(&mut self, searched: &Findings) -> bool {
        let proves = proves(searched);
        let was = self.turn;
        let turn = if proves { Turn::Search } else { Turn::Tracker };
        if was != turn {
            self.length =
                if was == Turn::Either { (self.length * 2).clamp(SHORTEST, LONGEST) } else { SHORTEST };
            (self.turn, self.left) = (turn, self.length);
        }
        !proves && was != Turn::Tracker
    }
}

/// Most pairs of parts that either may look at.
fn budget(precision: &Precision) -> u64 {
    precision.max_pairs.unwrap_or(UPDATE_PAIRS)
}

/// Whether a search came to an end of its own.
fn proves(found: &Findings) -> bool {
    matches!(found.proximity.ended, Ended::Certified(_) | Ended::Converged)
}

/// What is proven of the distance of boundaries.
fn bound(found: &Findings) -> f64 {
    let of_ended = if let Ended::Certified(proof) = found.proximity.ended { proof.lower } else { 0.0 };
    found.lower.unwrap_or(0.0).max(of_ended)
}

/// One answer of both: the tracker's points where they are as near, since they go on from the last ones, and the better bound.
pub(crate) fn joined(tracked: Findings, searched: Findings, precision: &Precision) -> Findings {
    let is_apart = |found: &Findings| found.proximity.state == State::Separated;
    let proves = proves(&searched);
    if !(is_apart(&tracked) && is_apart(&searched)) {
        return if proves { searched } else { tracked };
    }
    let near = tracked.proximity.distance;
    let lower = bound(&tracked).max(bound(&searched));
    let is_as_near = near - searched.proximity.distance <= CERTIFIED_REL * near;
    let is_close = precision.max_error.is_none_or(|max_error| near - lower <= max_error);
    if !is_as_near || (proves && !is_close) {
        let lower = lower.min(searched.proximity.distance);
        return Findings { lower: Some(lower), ..searched };
    }
    let lower = lower.min(near);
    let mut found = Findings { lower: Some(lower), ties: searched.ties, ..tracked };
    if proves {
        let normal = found.proximity.normal;
        found.proximity.ended = Ended::Certified(Certificate { lower, normal });
    }
    found
}
