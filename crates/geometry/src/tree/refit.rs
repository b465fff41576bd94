//! Boxes of a tree fitted anew to leaves that have changed a little.
//!
//! Source: 003 §4.1's bounds of what is below a node, taken from the two below it.
//! Differs: nodes stay where they are and keep the axes of the whole, so that what is known of them stays theirs; only the
//! sizes of boxes follow. Each box holds those of its children, rounded outward at every level.
//! Ends because: one pass over leaves and one over nodes.
//! Cost: some hundred operations for each node; no memory but for a tree that others share, which is copied once.
//! Not promised: the tree that would be grown for the leaves as they are now.

use super::{Below, BoxTree};
use crate::bound::Obb;
use crate::tolerance::HEIGHT_ERROR_REL;
use crate::{DMat3, DVec3};
use std::sync::Arc;

impl<L: Clone> BoxTree<L> {
    /// Changes leaves in place, by their places, and fits all boxes to them. Hulls are dropped.
    pub(crate) fn refit(&mut self, mut change: impl FnMut(usize, &mut L), bound: impl Fn(&L) -> Obb) {
        if Arc::get_mut(&mut self.data).is_none() {
            self.data = Arc::new(self.data.with_leaves(self.data.leaves.clone()));
        }
        self.nodes();
        let Some(data) = Arc::get_mut(&mut self.data) else { return };
        let Some(nodes) = data.nodes.get_mut() else { return };
        data.hulls.clear();
        data.note.take();
        data.leaves.iter_mut().enumerate().for_each(|(at, leaf)| change(at, leaf));
        let axes = nodes[0].bound.axes;
        // Children come after their parents.
        for at in (0..nodes.len()).rev() {
            nodes[at].bound = match nodes[at].below {
                Below::Leaf(leaf) => {
                    let leaf = leaf as usize;
                    data.bounds[leaf] = bound(&data.leaves[leaf]);
                    data.bounds[leaf]
                }
                Below::Nodes([one, other]) => {
                    around(axes, [&nodes[one as usize].bound, &nodes[other as usize].bound])
                }
            };
        }
        data.whole = nodes[0].bound;
    }
}

/// A box with given axes around two.
fn around(axes: DMat3, boxes: [&Obb; 2]) -> Obb {
    let to_axes = axes.transpose();
    let reference = boxes[0].center;
    let (mut low, mut high, mut reach) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0_f64);
    for bound in boxes {
        let from = bound.center - reference;
        let middle = to_axes * from;
        let half =
            (0..3).fold(DVec3::ZERO, |sum, i| sum + (to_axes * bound.axes.col(i)).abs() * bound.half[i]);
        (low, high) = (low.min(middle - half), high.max(middle + half));
        reach = reach.max(from.abs().element_sum() + bound.half.element_sum());
    }
    let center = reference + axes * (0.5 * (low + high));
    // Heights of middles and of half axes, the slabs' leaning, and the middle, each a few roundings.
    let far = reach + reference.abs().max_element() + center.abs().max_element();
    Obb { center, axes, half: 0.5 * (high - low) + 4.0 * HEIGHT_ERROR_REL * far }
}
