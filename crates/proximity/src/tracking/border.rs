//! Which edges and vertices of a body are asked for only where a slope leads to them.
//!
//! Source: a point of an edge belongs to the closed face beside it, so that a bound on all of a cell of that face holds for it too.
//! Differs: a slope alone says nothing of the side that it leads to. One that leads nowhere out of its face, or along its
//! sides, holds for these as well; where none does, the edges around the cell are asked for then, and the vertices at the ends of
//! a cell of an edge in the same way.
//! Ends because: loops over features.
//! Cost: one pass over the features of a body when its front is made.
//! Not promised: that faces are without a boundary inside their rectangle: the edges of trimmed ones are asked for with all others.

use crate::global::Prepared;
use crate::global::derivatives::Ball;
use crate::global::side::{Cell, Part, Side};
use clearance_geometry::curve::Rect;
use clearance_geometry::pieces::{Piece, PieceTree};
use clearance_geometry::tiled::{Face, TiledBody};
use clearance_geometry::{Below, Body, DVec2, DVec3, Feature};

/// What is known of the boundaries of a body's features.
#[derive(Clone, Debug, Default)]
pub(super) struct Border {
    /// By nodes of the tree: whether all below is in the closure of features that are not.
    spare: Vec<bool>,
    /// By pieces: whether that is so of them.
    spare_pieces: Vec<bool>,
    /// By pieces: where those of the boundary of their feature are in `around`.
    ends: Vec<[u32; 2]>,
    around: Vec<u32>,
    /// By pieces: which of their sides may be sides of the feature, at the low and the high end of both parameters.
    closed: Vec<[[bool; 2]; 2]>,
}

impl Border {
    pub(super) fn of(body: &Prepared) -> Self {
        let Body::Tiled(tiled) = body.body().whole() else { return Self::default() };
        let leaves = body.tree().leaves();
        let places = Places::of(tiled, leaves);
        let mut border = Self {
            spare: Vec::new(),
            spare_pieces: vec![false; leaves.len()],
            ends: vec![[0; 2]; leaves.len()],
            around: Vec::new(),
            closed: vec![[[false; 2]; 2]; leaves.len()],
        };
        for (face, own) in tiled.faces().iter().zip(&places.faces) {
            let trimmed = own.iter().any(|&at| leaves[at as usize].trimmed);
            if face.region.rect().is_some() && !trimmed && !own.is_empty() {
                border.add_face(tiled, face, &places, own, leaves);
            }
        }
        border.spare = spare_nodes(body.tree(), &border.spare_pieces);
        border
    }

    /// Takes note of a face without a boundary inside its rectangle.
    fn add_face(&mut self, tiled: &TiledBody, face: &Face, places: &Places, own: &[u32], leaves: &[Piece]) {
        let mut edges: Vec<usize> = face.loops.iter().flatten().map(|along| along.edge.0 as usize).collect();
        edges.sort_unstable();
        edges.dedup();
        let tips = face.tips.iter().map(|tip| &places.vertices[tip.0 as usize]);
        let around = edges.iter().map(|&edge| &places.edges[edge]).chain(tips);
        self.surround(own, around, leaves);
        for edge in edges {
            let ends = tiled.edges()[edge].vertices.iter().flatten();
            let ends = ends.map(|vertex| &places.vertices[vertex.0 as usize]);
            self.surround(&places.edges[edge], ends, leaves);
        }
    }

    /// Takes note of the pieces of a feature's boundary.
    fn surround<'a>(&mut self, own: &[u32], around: impl Iterator<Item = &'a Vec<u32>>, leaves: &[Piece]) {
        let start = self.around.len() as u32;
        self.around.extend(around.flatten());
        let end = self.around.len() as u32;
        self.around[start as usize..].iter().for_each(|&at| self.spare_pieces[at as usize] = true);
        let rects = || own.iter().map(|&at| leaves[at as usize].span.rect);
        let (low, high) = rects().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), rect| {
            (low.min(DVec2::new(rect.u.low, rect.v.low)), high.max(DVec2::new(rect.u.high, rect.v.high)))
        });
        for &at in own {
            self.ends[at as usize] = [start, end];
            self.closed[at as usize] = sides_of(leaves[at as usize].span.rect, low, high);
        }
    }

    /// Whether a part need not be asked for, since others say as much of it.
    pub(super) fn is_spare(&self, side: &Side<'_>, part: Part) -> bool {
        match part {
            Part::Node(node) => self.spare.get(node as usize).is_some_and(|spare| *spare),
            Part::Cell(_) if self.spare_pieces.is_empty() => false,
            Part::Cell(at) => self.spare_pieces.get(side.cell(at).piece as usize).is_some_and(|spare| *spare),
        }
    }

    /// The pieces of the boundary of a piece's feature that are not asked for before.
    pub(super) fn around(&self, piece: u32) -> &[u32] {
        self.ends.get(piece as usize).map_or(&[], |[start, end]| &self.around[*start as usize..*end as usize])
    }

    /// A direction by which no point of a cell leaves its feature, as near to a steepest one as can be; `None` where all of
    /// those that are tried do.
    pub(super) fn within(
        &self,
        cell: &Cell,
        first: &[Ball; 2],
        toward: DVec3,
        weights: [f64; 2],
    ) -> Option<[f64; 2]> {
        let closed = self.closed.get(cell.piece as usize).copied().unwrap_or_default();
        let leaves = |i: usize, weight: f64| {
            weight < 0.0 && closed[i][0] && cell.low[i] <= 0.0
                || weight > 0.0 && closed[i][1] && cell.high[i] >= 1.0
        };
        let stays = |weights: [f64; 2]| !leaves(0, weights[0]) && !leaves(1, weights[1]);
        if stays(weights) {
            return Some(weights);
        }
        if cell.dimension < 2 {
            return None;
        }
        let alone = |i: usize| first[i].center.dot(toward) / first[i].center.length_squared();
        [[0.0, alone(1)], [alone(0), 0.0]].into_iter().find(|&weights| stays(weights))
    }
}

/// Where the pieces of features are.
struct Places {
    faces: Vec<Vec<u32>>,
    edges: Vec<Vec<u32>>,
    vertices: Vec<Vec<u32>>,
}

impl Places {
    fn of(tiled: &TiledBody, leaves: &[Piece]) -> Self {
        let [mut faces, mut edges, mut vertices] =
            [tiled.face_count(), tiled.edge_count(), tiled.vertex_count()]
                .map(|count| vec![Vec::new(); count]);
        for (at, piece) in leaves.iter().enumerate() {
            let number = piece.feature.number() as usize;
            match piece.feature {
                Feature::Face(_) => faces[number].push(at as u32),
                Feature::Edge(_) => edges[number].push(at as u32),
                Feature::Vertex(_) => vertices[number].push(at as u32),
            }
        }
        Self { faces, edges, vertices }
    }
}

/// Which sides of a piece may be sides of all pieces of its feature: those that are not half the width of the piece inside.
fn sides_of(rect: Rect, low: DVec2, high: DVec2) -> [[bool; 2]; 2] {
    let sides = |own: clearance_geometry::curve::Range, low: f64, high: f64| {
        // Written so that NaN is a side.
        [!(own.low - low > 0.5 * own.width()), !(high - own.high > 0.5 * own.width())]
    };
    [sides(rect.u, low.x, high.x), sides(rect.v, low.y, high.y)]
}

/// Which nodes have spare pieces only.
fn spare_nodes(tree: &PieceTree, pieces: &[bool]) -> Vec<bool> {
    let mut spare = vec![false; tree.nodes().len()];
    // In a post-order of its own: nothing is said of where children stand.
    let mut waiting = vec![(0_u32, false)];
    while let Some((node, seen)) = waiting.pop() {
        match tree.nodes()[node as usize].below {
            Below::Leaf(piece) => spare[node as usize] = pieces[piece as usize],
            Below::Nodes(children) if seen => {
                spare[node as usize] = children.iter().all(|&child| spare[child as usize]);
            }
            Below::Nodes([one, other]) => waiting.extend([(node, true), (one, false), (other, false)]),
        }
    }
    spare
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::global::side::Memory;
    use clearance_geometry::surface::NurbsSurface;
    use clearance_geometry::tiled::{Patch, TiledBody};
    use clearance_testkit::Random;

    /// A spline of three by three pieces.
    fn spline() -> Body {
        let mut random = Random::new(21);
        let knots = || vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0];
        let row = |random: &mut Random, x: f64| {
            (0..6).map(|j| DVec3::new(x, f64::from(j), random.uniform(-0.5, 0.5))).collect::<Vec<_>>()
        };
        let net: Vec<_> = (0..6).map(|i| row(&mut random, f64::from(i))).collect();
        let surface = NurbsSurface::new([3, 3], [knots(), knots()], &net, None).unwrap();
        TiledBody::from_patches(&[Patch::new(surface)], None).unwrap().into()
    }

    #[test]
    fn edges_of_whole_faces_are_spare_and_those_of_trimmed_ones_are_not() {
        let spline = Prepared::new(&spline()).unwrap();
        let border = Border::of(&spline);
        for (at, piece) in spline.tree().leaves().iter().enumerate() {
            assert_eq!(border.spare_pieces[at], piece.dimension < 2, "{piece:?}");
            // Vertices, the ends of an edge, and the pieces of four edges.
            assert_eq!(border.around(at as u32).len(), [0, 2, 12][piece.dimension], "{piece:?}");
        }
        // The rim of a cylinder is that of its side, its lids are trimmed.
        let cylinder = Prepared::new(&TiledBody::cylinder(1.0, 2.0).unwrap().into()).unwrap();
        let border = Border::of(&cylinder);
        for (at, piece) in cylinder.tree().leaves().iter().enumerate() {
            assert_eq!(border.spare_pieces[at], piece.dimension < 2, "{piece:?}");
            assert!(!piece.trimmed || border.around(at as u32).is_empty(), "{piece:?}");
        }
        assert!(!border.spare[0]);
    }

    /// No point of a cell leaves the face along what is said to stay in it; and each point of the face's boundary is within
    /// an edge that the cell around it knows of.
    #[test]
    fn directions_within_lead_nowhere_out_of_the_face() {
        let mut random = Random::new(22);
        let body = spline();
        let ready = Prepared::new(&body).unwrap();
        let border = Border::of(&ready);
        let leaves = ready.tree().leaves();
        let mut memory = Memory::with_capacity(8192, 1 << 18, leaves.len());
        memory.clear(ready.tree());
        let mut side = Side::kept(&body, ready.tree(), &mut memory);
        let (mut kept, mut turned, mut refused) = (0, 0, 0);
        for _ in 0..2000 {
            let piece = random.index(leaves.len()) as u32;
            let mut at = side.root(piece);
            for _ in 0..random.index(5) {
                let axis = if leaves[piece as usize].dimension == 2 { random.index(2) } else { 0 };
                let half = random.index(2);
                at = if leaves[piece as usize].dimension == 0 { at } else { side.halves(at, axis)[half] };
            }
            let (cell, derivatives) = (*side.cell(at), side.derivatives(at));
            let toward = random.direction();
            let Some(steepest) = derivatives.steepest(cell.dimension, toward) else { continue };
            let Some(weights) = border.within(&cell, &derivatives.first, toward, steepest) else {
                refused += 1;
                continue;
            };
            (kept, turned) = if weights == steepest { (kept + 1, turned) } else { (kept, turned + 1) };
            let whole = &leaves[piece as usize];
            let ends = |i: usize| [0.0, if cell.dimension > i { 3.0 } else { 0.0 }];
            for corner in [cell.low, cell.high] {
                let place = whole.span.parameters(corner);
                for i in 0..cell.dimension {
                    let out = place[i] == ends(i)[0] && weights[i] < 0.0
                        || place[i] == ends(i)[1] && weights[i] > 0.0;
                    assert!(!out, "{cell:?}: {weights:?}");
                }
            }
        }
        assert!(kept > 500 && turned > 20 && refused > 20, "{kept} {turned} {refused}");
    }
}
