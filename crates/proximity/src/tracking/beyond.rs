//! Parts of one body that are beyond a plane or sphere, each with a mark that its pairs in the front carry.
//!
//! Source: none; a list.
//! Differs: a part that is not beyond any more goes back to those that the sphere is known to keep apart, and its pairs with it:
//! a sphere that moves on does not fill up with what it once left behind.
//! Ends because: loops over a list of fixed length.
//! Cost: a few operations.
//! Not promised: that all parts of it are beyond still.

use crate::global::side::Part;

/// Parts of each body that may be beyond.
const MOST_BEYOND: usize = 32;

/// The mark of pairs that no part beyond has brought.
pub(super) const NO_MARK: u32 = u32::MAX;

/// A part with points beyond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) part: Part,
    mark: u32,
    /// Whether its pairs are in the front.
    paired: bool,
}

/// Parts with points beyond.
#[derive(Clone, Debug)]
pub(super) struct Beyond {
    entries: Vec<Entry>,
    /// How many of them have no pairs yet.
    fresh: usize,
    /// The marks of those that had pairs and went back.
    back: Vec<u32>,
    next: u32,
}

impl Beyond {
    pub(super) fn new() -> Self {
        let [entries, back] = [0, 1].map(|_| MOST_BEYOND);
        Self { entries: Vec::with_capacity(entries), fresh: 0, back: Vec::with_capacity(back), next: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.back.clear();
        (self.fresh, self.next) = (0, 0);
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        self.entries.iter().map(|entry| entry.part)
    }

    /// Whether no other part fits in, or there is no other mark.
    pub(super) fn is_full(&self) -> bool {
        self.entries.len() == MOST_BEYOND || self.next == NO_MARK
    }

    pub(super) fn has_any(&self, is: impl Fn(Part) -> bool) -> bool {
        self.parts().any(is)
    }

    /// Adds a part, unless it is full.
    pub(super) fn push(&mut self, part: Part) {
        if !self.is_full() {
            self.entries.push(Entry { part, mark: self.next, paired: false });
            self.fresh += 1;
            self.next += 1;
        }
    }

    /// Takes a part out, to be put back or let go.
    pub(super) fn take(&mut self, at: usize) -> Entry {
        self.entries.swap_remove(at)
    }

    /// Puts a part back that was taken out, in the place of the last one.
    pub(super) fn put_back(&mut self, at: usize, entry: Entry) {
        self.entries.push(entry);
        let last = self.entries.len() - 1;
        self.entries.swap(at, last);
    }

    /// Lets a part go that was taken out.
    pub(super) fn let_go(&mut self, entry: Entry) {
        if entry.paired {
            self.back.push(entry.mark);
        } else {
            self.fresh -= 1;
        }
    }

    /// Lets all parts go that another one stands for.
    pub(super) fn let_go_all(&mut self, is_gone: impl Fn(Part) -> bool) {
        let mut at = 0;
        while let Some(entry) = self.entries.get(at) {
            if is_gone(entry.part) {
                let entry = self.take(at);
                self.let_go(entry);
            } else {
                at += 1;
            }
        }
    }

    /// A part without pairs, which are made now, and their mark.
    pub(super) fn next_fresh(&mut self) -> Option<(Part, u32)> {
        if self.fresh == 0 {
            return None;
        }
        let entry = self.entries.iter_mut().find(|entry| !entry.paired)?;
        entry.paired = true;
        self.fresh -= 1;
        Some((entry.part, entry.mark))
    }

    /// The marks of parts that had pairs and went back.
    pub(super) fn back(&self) -> &[u32] {
        &self.back
    }

    /// Forgets them, when their pairs are gone.
    pub(super) fn forget_back(&mut self) {
        self.back.clear();
    }
}
