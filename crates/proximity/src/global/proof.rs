//! The proof of a lower bound: what became of every pair of parts, as a tree.
//!
//! Source: the search's own tree; each leaf says why its pair of parts does not matter.
//! Differs: leaves are a slab, a slope, a cell outside its face, or a box without a zero; what convexity would close is cut on until one of
//! these does, so that a checker needs control points alone.
//! Ends because: the tree is finite.
//! Cost: O(pairs).
//! Not promised: the shortest proof.

/// A step of a proof; the steps of a tree stand in prefix order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProofStep {
    /// A node of one body's tree is replaced by the two below it.
    Open {
        /// 0 for A, 1 for B.
        side: usize,
    },
    /// A cell is halved; its low half comes first.
    Halve {
        /// 0 for A, 1 for B.
        side: usize,
        /// 0 for u, 1 for v; 0, 1, 2 for the coordinates of a box around an algebraic surface.
        axis: usize,
    },
    /// A direction along which the two parts are at least the lower bound apart; in the frame of A.
    Slab {
        /// The direction, from A to B.
        normal: [f64; 3],
    },
    /// A derivative of one cell that keeps its sign along the vector between the cells.
    Slope {
        /// 0 for A, 1 for B.
        side: usize,
        /// Weights of the derivatives by the cell's parameters.
        weights: [f64; 2],
    },
    /// The cell is outside its face.
    Outside {
        /// 0 for A, 1 for B.
        side: usize,
    },
    /// The polynomial of an algebraic surface has no zero in the box.
    Empty {
        /// 0 for A, 1 for B.
        side: usize,
    },
}

/// A place in the tree.
#[derive(Clone, Copy, Debug)]
enum Place {
    Open,
    Leaf(ProofStep),
    /// The step, and where its two subtrees are.
    Inner(ProofStep, u32),
}

/// The tree of a search while it grows; nothing is kept unless a proof was asked for.
#[derive(Debug, Default)]
pub(super) struct Record {
    places: Vec<Place>,
    kept: bool,
}

impl Record {
    pub(super) fn new(kept: bool) -> Self {
        Self { places: if kept { vec![Place::Open] } else { Vec::new() }, kept }
    }

    pub(super) fn is_kept(&self) -> bool {
        self.kept
    }

    /// Ends a branch.
    pub(super) fn leaf(&mut self, at: u32, step: ProofStep) {
        if self.kept {
            self.places[at as usize] = Place::Leaf(step);
        }
    }

    /// Divides a branch in two; where the first of them is.
    pub(super) fn divide(&mut self, at: u32, step: ProofStep) -> u32 {
        if !self.kept {
            return 0;
        }
        let first = self.places.len() as u32;
        self.places.extend([Place::Open, Place::Open]);
        self.places[at as usize] = Place::Inner(step, first);
        first
    }

    /// The second of two branches, after the first.
    pub(super) fn next(&self, first: u32) -> u32 {
        if self.kept { first + 1 } else { 0 }
    }

    /// All steps in prefix order; `None` where none were kept or a branch is open.
    pub(super) fn steps(&self) -> Option<Vec<ProofStep>> {
        if !self.kept {
            return None;
        }
        let mut steps = Vec::with_capacity(self.places.len());
        let mut waiting = vec![0];
        while let Some(at) = waiting.pop() {
            match self.places[at as usize] {
                Place::Open => return None,
                Place::Leaf(step) => steps.push(step),
                Place::Inner(step, first) => {
                    steps.push(step);
                    waiting.extend([first + 1, first]);
                }
            }
        }
        Some(steps)
    }
}
