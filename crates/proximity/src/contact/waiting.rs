//! Parts of surfaces that wait to be cut: the largest key first, and of equal ones the one that came first.

use super::cell::Cell;
use std::cmp::Ordering;

/// A part that waits.
pub(super) struct Waiting {
    pub(super) key: f64,
    pub(super) order: usize,
    pub(super) cell: Cell,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(other.order.cmp(&self.order))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}
