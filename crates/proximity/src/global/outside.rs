//! First points where descents end beside a trimmed face.
//!
//! Source: none.
//! Differs: on the patch that a trimmed face is cut from, the nearest point may be outside the face, however far the patch is cut.
//! Edges belong to the body: one that begins near there has points that count.
//! Ends because: a descent along an edge is tried once for each body.
//! Cost: a pass over all pieces and a descent, once in a search.
//! Not promised: points that are nearly the nearest ones.

use super::search::Search;
use super::side::Side;
use clearance_geometry::{DVec2, DVec3};

impl Side<'_> {
    /// The piece of an edge that begins nearest to a point; `None` for bodies without edges.
    fn edge_near(&self, point: DVec3) -> Option<u32> {
        let local = self.pose.apply_inverse(point);
        let mut found = (f64::INFINITY, None);
        for (at, piece) in self.tree.leaves().iter().enumerate() {
            if piece.dimension != 1 {
                continue;
            }
            let first = piece.net[0];
            let off = (first.truncate() / first.w).distance_squared(local);
            if off < found.0 {
                found = (off, Some(at as u32));
            }
        }
        found.1
    }
}

impl Search<'_> {
    /// While no points are known: descends from an edge, where points between two pieces are outside a trimmed face.
    pub(super) fn try_edges(
        &mut self,
        held: [bool; 2],
        points: [DVec3; 2],
        pieces: [u32; 2],
        local: [DVec2; 2],
    ) {
        if self.nearest.is_some() || self.record.is_kept() {
            return;
        }
        let (mut pieces, mut local) = (pieces, local);
        for i in 0..2 {
            if held[i] {
                continue;
            }
            let side = if i == 0 { &self.a } else { &self.b };
            let Some(edge) = side.edge_near(points[1 - i]) else { return };
            (pieces[i], local[i]) = (edge, DVec2::ZERO);
        }
        let (a, b) = (self.a.root(pieces[0]), self.b.root(pieces[1]));
        let roots = [*self.a.cell(a), *self.b.cell(b)];
        self.descend_from(&roots, [local[0].x, local[0].y, local[1].x, local[1].y], f64::INFINITY);
    }
}
