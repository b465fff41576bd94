//! The deepest point of a region.
//!
//! Source: best-first branch and bound on the parts of both surfaces that a region consists of, with the bounds of [`Cell`].
//! Differs: edges and vertices are parts of their own, so that corners and rims are met exactly.
//! Ends because: a budget of questions.
//! Cost: some ten parts for each halving of the error where the summit is one point; more along ridges of one depth.
//! Not promised: an error, where the budget ends or parts of a union cover each other; the bound says what is left.

use super::cell::{Cell, Surveyor};
use super::waiting::Waiting;
use crate::tolerance::CERTIFIED_REL;
use std::collections::BinaryHeap;

/// What was found of a region: the part whose middle is deepest, and how deep the region is at most.
pub(super) struct Summit {
    pub(super) cell: Cell,
    pub(super) upper: f64,
}

/// The deepest point of the parts of a region, with no more than a number of questions; `None` where none is inside.
pub(super) fn summit(surveyor: &mut Surveyor, cells: Vec<Cell>, questions: usize) -> Option<Summit> {
    // Edges first: along the rim of a trimmed face its own parts reach beyond it, and their bounds with them.
    let (faces, edges): (Vec<Cell>, Vec<Cell>) = cells.into_iter().partition(|cell| cell.net.dimension == 2);
    let last = surveyor.field.asked + questions;
    let mut best = None;
    let of_edges = climb(surveyor, edges, &mut best, last - questions / 2);
    let of_faces = climb(surveyor, faces, &mut best, last);
    let cell: Cell = best?;
    Some(Summit { upper: of_edges.max(of_faces).max(cell.depth), cell })
}

/// Halves parts until none can be deeper than the best that is known, or the last question was asked. Returns how deep they are
/// at most.
fn climb(surveyor: &mut Surveyor, cells: Vec<Cell>, best: &mut Option<Cell>, last: usize) -> f64 {
    let error = CERTIFIED_REL * surveyor.scene.size;
    let mut upper = 0.0_f64;
    let mut order = 0;
    let mut waiting: BinaryHeap<Waiting> = BinaryHeap::with_capacity(cells.len());
    let mut next = cells;
    loop {
        for cell in next.drain(..) {
            if cell.is_sample() && best.as_ref().is_none_or(|best| cell.depth > best.depth) {
                *best = Some(cell.clone());
            }
            order += 1;
            waiting.push(Waiting { key: cell.upper, order, cell });
        }
        let Some(Waiting { cell, .. }) = waiting.pop() else { return upper };
        let depth = best.as_ref().map_or(0.0, |best| best.depth);
        if cell.upper <= depth + error || surveyor.field.is_over(last) {
            return upper.max(cell.upper);
        }
        // A vertex, and what is too small to be halved.
        if cell.net.dimension == 0 || cell.radius <= error {
            if cell.is_real || cell.net.dimension > 0 {
                upper = upper.max(cell.upper);
            }
            continue;
        }
        next.extend(surveyor.halves(&cell).into_iter().flatten());
    }
}
