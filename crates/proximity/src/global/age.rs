//! Cells that are kept while the shape of their body changes.
//!
//! Source: a cell is made of the control points of its piece by halving alone, so that it is made anew by the same halvings.
//! Differs: a change of shape touches no cell. Each knows which shape it is of, and is made anew when it is looked at, its
//! ancestors with it; most cells of a tracked body are not looked at in most frames.
//! Ends because: an ancestor is larger, and the largest is a piece.
//! Cost: one halving for each ancestor that is out of date; nothing for cells of the shape as it is. No memory is taken:
//! what was known of the old cell makes room for what will be known of the new one.
//! Not promised: cells of a body whose pieces are others; those are forgotten.

use super::columns::Columns;
use super::halve::halve_into;
use super::side::{Cell, Memory, NONE, Part, Side};
use crate::tolerance::BLEND_ERROR_REL;
use clearance_geometry::Body;

/// What is kept beside a cell where it may be stored again: its first derivatives, and all of them.
pub(super) const FIRST: usize = 0;
pub(super) const DERIVATIVES: usize = 1;

/// Which shape of its body each cell is of; empty where shapes do not change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ages {
    all: Vec<Age>,
    /// The shape as it is now, by number.
    shape: u32,
    /// How far points can have moved in all changes so far; a length, rounded up.
    moved: f64,
}

#[derive(Clone, Copy, Debug)]
struct Age {
    shape: u32,
    /// What it is a half of, and along which parameter; [`NONE`] for a whole piece.
    parent: u32,
    axis: u8,
    /// Places of what was known of it by an older shape.
    spare: [u32; 2],
}

impl Ages {
    pub(super) fn with_capacity(cells: usize) -> Self {
        Self { all: Vec::with_capacity(cells), shape: 0, moved: 0.0 }
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// Whether a cell is of the shape as it is.
    #[inline]
    pub(super) fn is_current(&self, cell: u32) -> bool {
        self.all.get(cell as usize).is_none_or(|age| age.shape == self.shape)
    }

    /// A place of what was known of a cell, to be used once.
    pub(super) fn spare(&mut self, cell: u32, which: usize) -> Option<u32> {
        let slot = std::mem::replace(&mut self.all.get_mut(cell as usize)?.spare[which], NONE);
        (slot != NONE).then_some(slot)
    }
}

impl Memory {
    /// Takes note of another shape of the body, none of whose points is farther than `moved` from where it was.
    pub(crate) fn reshape(&mut self, moved: f64) {
        self.ages.shape = self.ages.shape.wrapping_add(1);
        self.ages.moved = (self.ages.moved + moved).next_up();
        self.boxes.clear();
        self.placed.fill(NONE);
    }

    /// The shape as it is now, by number, and how far points can have moved in all changes so far.
    pub(crate) const fn shape(&self) -> (u32, f64) {
        (self.ages.shape, self.ages.moved)
    }
}

impl Side<'_> {
    /// The shape of the body, by number, and how far its points can have moved in all changes of it so far; a length.
    pub(crate) fn shape(&self) -> (u32, f64) {
        self.memory.shape()
    }

    /// Whether the body may change its shape.
    pub(crate) fn is_pliant(&self) -> bool {
        matches!(self.body.whole(), Body::Deforming(_))
    }

    /// How much a derivative of a cell can change at most where no point of its piece moves by more than 1, along a direction
    /// of its own parameters. With d the ways of control points, D_u = p Σ B_i (w_{i+1} (d_{i+1} − D) − w_i (d_i − D)) / W:
    /// p |d_{i+1} − d_i| where weights are equal.
    pub(crate) fn yielding(&self, cell: &Cell, along: [f64; 2]) -> f64 {
        let weights = || self.piece(cell).net.iter().map(|p| p.w);
        let (least, most) = weights().fold((f64::INFINITY, 0.0_f64), |(a, b), w| (a.min(w), b.max(w)));
        let factor = if least == most { 2.0 } else { 4.0 * most / least };
        let size = cell.high - cell.low;
        let rate = |axis: usize| along[axis].abs() * cell.degrees[axis] as f64 * size[axis];
        // Up by more than a few roundings.
        factor * (rate(0) + rate(1)) * (1.0 + BLEND_ERROR_REL)
    }

    /// Takes note of what a new cell is a half of.
    #[inline]
    pub(super) fn note_birth(&mut self, cell: u32, parent: Option<(u32, usize)>) {
        if !self.memory.fixed {
            return;
        }
        let (parent, axis) = parent.unwrap_or((NONE, 0));
        let ages = &mut self.memory.ages;
        debug_assert_eq!(
            ages.all.len(),
            cell as usize,
            "cells are noted in the order in which they are made"
        );
        ages.all.push(Age { shape: ages.shape, parent, axis: axis as u8, spare: [NONE; 2] });
    }

    /// Brings a part to the shape that its body has now; nodes always have it.
    #[inline]
    pub(crate) fn renew_part(&mut self, part: Part) {
        if let Part::Cell(cell) = part {
            self.renew(cell);
        }
    }

    /// Brings a cell to the shape that its body has now.
    #[inline]
    pub(super) fn renew(&mut self, cell: u32) {
        if !self.memory.ages.is_current(cell) {
            self.remake(cell);
        }
    }

    fn remake(&mut self, at: u32) {
        let Age { parent, axis, .. } = self.memory.ages.all[at as usize];
        if parent == NONE {
            let cell = self.memory.cells[at as usize];
            let piece = self.piece(&cell);
            let start = cell.start as usize;
            self.memory.net[start..start + piece.net.len()].copy_from_slice(&piece.net);
            return self.measure(at, piece.slack + 2.0 * BLEND_ERROR_REL * self.far(), piece.gap, 1);
        }
        self.renew(parent);
        let whole = self.memory.cells[parent as usize];
        let halves = whole.halves[usize::from(axis)];
        let to = self.memory.cells[halves[0] as usize].start as usize;
        let degree =
            halve_into(&mut self.memory.net, whole.start as usize, to, whole.degrees, usize::from(axis));
        halves.into_iter().for_each(|half| self.measure(half, whole.slack, whole.gap, degree));
    }

    /// Sets all that follows from a cell's new control points.
    fn measure(&mut self, at: u32, slack: f64, gap: f64, blends: usize) {
        let memory = &mut *self.memory;
        let mut cell = memory.cells[at as usize];
        memory.project(&cell);
        (cell.slack, cell.gap) = (slack, gap);
        let columns = &memory.columns[3 * cell.start as usize..];
        cell.surround(&Columns::new(columns, cell.count as usize), blends);
        let age = &mut memory.ages.all[at as usize];
        age.shape = memory.ages.shape;
        for (which, known) in [&mut cell.first, &mut cell.derivatives].into_iter().enumerate() {
            if *known != NONE {
                age.spare[which] = std::mem::replace(known, NONE);
            }
        }
        memory.cells[at as usize] = cell;
    }
}
