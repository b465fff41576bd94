//! What of a cell belongs to its face, and which cells are parts of which.
//!
//! Source: none.
//! Differs: where bodies move, the boundary of a face is asked for only when nothing else settles a cell.
//! Ends because: it goes down a tree of cells, and asks a region a few times.
//! Cost: a region close to its boundary costs as much as dozens of looks at a cell.
//! Not promised: that a cell whose cover is unknown meets the boundary.

use super::side::{Cell, NONE, Side};
use crate::tolerance::TRIM_MARGIN_REL;
use clearance_geometry::DVec2;
use clearance_geometry::curve::Rect;
use clearance_geometry::tiled::{Cover, Region};

impl Side<'_> {
    /// How much of a cell belongs to its face; unknown next to the boundary, which a checker knows by rectangles.
    pub(super) fn cover(&self, cell: &Cell, of: impl Fn(&Region, Rect) -> Cover) -> Cover {
        let piece = self.piece(cell);
        let margin = DVec2::splat(TRIM_MARGIN_REL);
        let part = piece.span.part(cell.low - margin, cell.high + margin);
        self.face(piece).map_or(Cover::Inside, |face| of(&face.region, part))
    }

    /// Whether a point of a piece belongs to its face.
    pub(crate) fn holds(&self, cell: &Cell, local: DVec2) -> bool {
        self.holds_on(cell.piece, local)
    }

    /// Whether a point of a piece, by its place in the tree, belongs to its face.
    pub(crate) fn holds_on(&self, piece: u32, local: DVec2) -> bool {
        let piece = &self.tree.leaves()[piece as usize];
        !piece.trimmed
            || self.face(piece).is_none_or(|face| {
                face.side(piece.span.parameters(local)) != clearance_geometry::tiled::Side::Outside
            })
    }

    /// Whether one cell is a part of another, by their parameters: they may be of older shapes of the body.
    pub(crate) fn has(&self, whole: u32, part: u32) -> bool {
        let [whole, part] = [whole, part].map(|at| &self.memory.cells[at as usize]);
        whole.piece == part.piece && part.low.cmpge(whole.low).all() && part.high.cmple(whole.high).all()
    }

    /// Whether no point of a cell belongs to its face, found out now if it was not asked for before. Faces have the same
    /// boundary by their parameters in all shapes of a body, so that what was found out stays.
    pub(crate) fn is_outside(&mut self, at: u32) -> bool {
        let cell = &self.memory.cells[at as usize];
        if cell.asked {
            return cell.cover == Cover::Outside;
        }
        // Next to the boundary a point tells at less cost than the rectangle that some of it belongs to the face.
        let mut cover = self.cover(cell, Region::rough_cover);
        if cover == Cover::Unknown && !self.holds(cell, 0.5 * (cell.low + cell.high)) {
            cover = self.cover(cell, Region::cover);
        }
        let cell = &mut self.memory.cells[at as usize];
        (cell.cover, cell.asked) = (cover, true);
        cover == Cover::Outside
    }

    /// The largest cell around a cell, among those that were made, that fits; the cell itself where no other does. It is of
    /// the shape that the body has now.
    pub(crate) fn largest_around(&mut self, at: u32, fits: impl Fn(&Cell) -> bool) -> u32 {
        let mut around = self.root_of(self.cell(at));
        loop {
            // Halves along the other parameter need not be those that the cell came from.
            self.renew(around);
            let cell = self.cell(around);
            if around == at || fits(cell) {
                return around;
            }
            let mut halves = cell.halves.as_flattened().iter();
            match halves.find(|&&half| half != NONE && self.has(half, at)) {
                Some(&half) => around = half,
                None => return at,
            }
        }
    }
}
