//! The greatest height of a part along a direction, by the control points of its pieces.
//!
//! Source: a body is below the highest of its pieces; boxes tell which of them need not be asked.
//! Differs: nothing.
//! Ends because: it goes down a tree, and no farther than to a number of its nodes; the boxes of those that are left count then.
//! Cost: one way down the tree as a rule, and a pass over the control points of one or two pieces.
//! Not promised: the hull of a node of which too many pieces are about as high.

use crate::global::columns::Heights;
use crate::global::side::{Children, Part, Side};
use clearance_geometry::DVec3;

/// Nodes that one height may open.
const MOST_OPENED: u32 = 24;

/// Nodes that may wait: one for each level, and more levels than any tree has.
const MOST_WAITING: usize = 48;

/// The top of a part along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    pub(super) height: f64,
    /// What rounding may have lost of it.
    pub(super) lost: f64,
    /// Where it is.
    pub(super) point: DVec3,
}

/// The top of a part along a unit vector, in the frame of its body.
pub(super) fn top_of(side: &mut Side<'_>, part: Part, along: DVec3) -> Top {
    match part {
        Part::Cell(at) => top_of_cell(side, at, along),
        Part::Node(node) => top_of_node(side, node, along),
    }
}

fn top_of_cell(side: &Side<'_>, at: u32, along: DVec3) -> Top {
    let cell = side.cell(at);
    let columns = side.columns(cell);
    let least = columns.least(-along);
    Top { height: -least, lost: cell.slack, point: columns.lowest(-along, least) }
}

fn top_of_node(side: &mut Side<'_>, node: u32, along: DVec3) -> Top {
    let part = Part::Node(node);
    let (height, lost) = side.height(part, along);
    let mut best = Top { height: f64::NEG_INFINITY, lost, point: side.ball(part).0 };
    let mut waiting = [(0, 0.0); MOST_WAITING];
    waiting[0] = (node, height);
    let (mut count, mut left) = (1, MOST_OPENED);
    while count > 0 {
        count -= 1;
        let (node, height) = waiting[count];
        if height <= best.height {
            continue;
        }
        if left == 0 || count + 2 > MOST_WAITING || !side.can_cut(Part::Node(node)) {
            best.height = height;
            continue;
        }
        left -= 1;
        match side.below(node) {
            Children::One(child) => {
                let top = top_of(side, child, along);
                best.lost = best.lost.max(top.lost);
                if top.height > best.height {
                    (best.height, best.point) = (top.height, top.point);
                }
            }
            Children::Two(children) => {
                let mut found = children.map(|child| (child, side.height(child, along)));
                if found[0].1.0 > found[1].1.0 {
                    found.swap(0, 1);
                }
                for (child, (height, lost)) in found {
                    best.lost = best.lost.max(lost);
                    if let Part::Node(child) = child {
                        waiting[count] = (child, height);
                        count += 1;
                    }
                }
            }
        }
    }
    // All that is convex may know better.
    Top { height: best.height.min(height), ..best }
}

/// A node with one piece only is that piece.
pub(super) fn without_leaf(side: &mut Side<'_>, part: Part) -> Part {
    match part {
        Part::Node(node) if side.is_leaf(node) && side.can_cut(part) => match side.below(node) {
            Children::One(child) => child,
            Children::Two(_) => part,
        },
        _ => part,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::global::Prepared;
    use crate::global::side::Memory;
    use clearance_geometry::Body;
    use clearance_geometry::tiled::TiledBody;
    use clearance_testkit::Random;

    /// No control point of a node is above its top, and the top is one of them unless too many nodes were opened.
    #[test]
    fn tops_are_those_of_all_control_points() {
        let mut random = Random::new(3);
        let bodies = [
            TiledBody::torus(2.0, 0.5).unwrap(),
            TiledBody::cylinder(0.7, 2.0).unwrap(),
            TiledBody::cone(1.0, 2.0, Some(0.0)).unwrap(),
        ];
        let (mut sharp, mut all) = (0, 0);
        for body in bodies.map(Body::from) {
            let ready = Prepared::new(&body).unwrap();
            let leaves = ready.tree().leaves();
            let points: Vec<DVec3> =
                leaves.iter().flat_map(|piece| piece.net.iter().map(|p| p.truncate() / p.w)).collect();
            let mut memory = Memory::with_capacity(64 * leaves.len(), 64 * points.len(), leaves.len());
            memory.clear(ready.tree());
            let mut side = Side::kept(&body, ready.tree(), &mut memory);
            for _ in 0..200 {
                let along = random.direction();
                let highest = points.iter().map(|p| p.dot(along)).fold(f64::NEG_INFINITY, f64::max);
                let top = top_of(&mut side, Part::Node(0), along);
                let of_box = side.height(Part::Node(0), along).0;
                assert!(top.height + top.lost >= highest && top.height <= of_box, "{top:?}, {highest}");
                sharp += usize::from(top.height - highest < 1e-12);
                all += 1;
            }
        }
        assert!(4 * sharp > 3 * all, "{sharp} of {all} sharp");
    }
}
