//! What a pair with a node is replaced by.
//!
//! Source: the trees of Johnson and Cohen's bounds: the larger of two nodes is opened.
//! Differs: a whole convex body is opened last, when what is left of the other one is small. A cell that is much larger than the
//! whole body beside it is cut first: a small body would else be opened to its last piece before the face is. A node that a cell
//! slopes against throughout is not opened at all.
//! Ends because: nodes have children, and cells are cut only as long as they are larger than the other body.
//! Cost: a look at two children, or one cut.
//! Not promised: the order that takes the fewest pairs.

use super::free::is_sloped_beside;
use super::proof::ProofStep;
use super::search::{Search, Waiting};
use super::side::{Children, Part, Side};
use clearance_geometry::tiled::Cover;

/// Times the size of a body: a larger cell is cut before the body is opened. Of nodes below, which may be as small as a point, this
/// would make cells as small.
const MUCH_LARGER: f64 = 8.0;

/// Pieces of a body that is worth it: one of few is soon opened, and a point has no size at all.
const MANY_PIECES: usize = 32;

/// The same beside a flat cell across the rim of its face: nearest points on its plane may be outside the face, and that is found
/// out for each piece on its own, down to small cells.
const SOME_PIECES: usize = 8;

impl Search<'_> {
    /// Replaces a node by what is below it: the larger of two. A whole convex body is opened last: what is left of the other
    /// one by then is small.
    pub(super) fn open(&mut self, pair: &Waiting) {
        let Waiting { parts, mark, .. } = *pair;
        if let Some(slab) = self.between_planes(parts)
            && slab.lower >= self.enough()
        {
            self.set_aside(parts, &slab, mark);
            return;
        }
        let whole = [self.a.is_convex_whole(parts[0]), self.b.is_convex_whole(parts[1])];
        if !(whole[0] || whole[1]) && self.halve_beside_body(pair) {
            return;
        }
        if !(whole[0] || whole[1]) && self.is_sloped_beside_node(pair.parts) {
            return;
        }
        let size = |radius: f64, part: Part| if matches!(part, Part::Node(_)) { radius } else { -1.0 };
        let first = match (whole, parts) {
            ([true, _], [_, Part::Cell(at)]) => {
                if self.is_done_beside(0, at, pair) {
                    return;
                }
                true
            }
            ([_, true], [Part::Cell(at), _]) => {
                if self.is_done_beside(1, at, pair) {
                    return;
                }
                false
            }
            ([true, _], _) => false,
            ([_, true], _) => true,
            _ => size(self.a.ball(parts[0]).1, parts[0]) >= size(self.b.ball(parts[1]).1, parts[1]),
        };
        let opened = match (first, parts) {
            (true, [Part::Node(node), _]) => self.a.below(node),
            (_, [_, Part::Node(node)]) => self.b.below(node),
            _ => return,
        };
        let with = |child: Part| if first { [child, parts[1]] } else { [parts[0], child] };
        match opened {
            Children::One(child) => self.push(with(child), Some(&pair.slab), mark),
            Children::Two([one, other]) => {
                let below = self.record.divide(mark, ProofStep::Open { side: usize::from(!first) });
                self.push(with(one), Some(&pair.slab), below);
                self.push(with(other), Some(&pair.slab), self.record.next(below));
            }
        }
    }

    /// Whether a cell has a slope against all of the node beside it, so that what is below that need not be looked at. A checker
    /// knows slopes of pairs of cells alone.
    fn is_sloped_beside_node(&mut self, parts: [Part; 2]) -> bool {
        let (most, is_kept) = (self.upper(), self.record.is_kept());
        let (own, other, at, node) = match parts {
            [Part::Cell(at), Part::Node(node)] => (&mut self.a, &self.b, at, node),
            [Part::Node(node), Part::Cell(at)] => (&mut self.b, &self.a, at, node),
            _ => return false,
        };
        if is_kept || own.cell(at).dimension == 0 || other.is_leaf(node) {
            return false;
        }
        let first = own.first(at);
        is_sloped_beside(own, other, own.cell(at), node, &first, most)
    }

    /// Cuts a cell that is much larger than the whole body beside it, whether it did: all of that is about as near to the cell. A
    /// checker opens nodes first.
    pub(super) fn halve_beside_body(&mut self, pair: &Waiting) -> bool {
        let (side, at) = match pair.parts {
            [Part::Cell(at), Part::Node(0)] => (0, at),
            [Part::Node(0), Part::Cell(at)] => (1, at),
            _ => return false,
        };
        let other = if side == 0 { self.b.tree } else { self.a.tree };
        let own = if side == 0 { self.a.cell(at) } else { self.b.cell(at) };
        let reaches_over = own.cover == Cover::Unknown && (own.degrees[0] <= 1 && own.degrees[1] <= 1);
        let least = if reaches_over { SOME_PIECES } else { MANY_PIECES };
        if other.leaves().len() < least {
            return false;
        }
        let radii = [self.a.ball(pair.parts[0]).1, self.b.ball(pair.parts[1]).1];
        if self.record.is_kept() || !(radii[side] > MUCH_LARGER * radii[1 - side]) {
            return false;
        }
        let own = if side == 0 { &mut self.a } else { &mut self.b };
        let first = own.first(at);
        let scores = Side::scores_of(own.cell(at), &first, pair.slab.normal);
        let axis = usize::from(scores[1] > scores[0]);
        if !(scores[axis] > 0.0) {
            return false;
        }
        for half in own.halves(at, axis) {
            let own = if side == 0 { &self.a } else { &self.b };
            if own.cell(half).cover == Cover::Outside {
                continue;
            }
            let mut parts = pair.parts;
            parts[side] = Part::Cell(half);
            self.push(parts, Some(&pair.slab), pair.mark);
        }
        true
    }
}
