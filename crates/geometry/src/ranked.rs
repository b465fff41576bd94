//! What waits in a heap for its turn.

use std::cmp::Ordering;

/// An item in a [`BinaryHeap`](std::collections::BinaryHeap): the greatest rank comes first, of equal ranks the greatest
/// turn. Whoever wants the least bound first ranks by its negative.
///
/// ```
/// use clearance_geometry::Ranked;
/// use std::collections::BinaryHeap;
/// let mut waiting = BinaryHeap::from([
///     Ranked { rank: -2.0, turn: 1, item: "far" },
///     Ranked { rank: -0.5, turn: 2, item: "near" },
///     Ranked { rank: -0.5, turn: 3, item: "near and later" },
/// ]);
/// assert_eq!(waiting.pop().map(|first| first.item), Some("near and later"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ranked<T> {
    /// How early it comes; not-a-number comes before all else.
    pub rank: f64,
    /// Decides between equal ranks, so that the order is always the same.
    pub turn: i64,
    /// What waits.
    pub item: T,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.total_cmp(&other.rank).then(self.turn.cmp(&other.turn))
    }
}
