//! The cells of a small body in rows of balls, each held against a point in one pass.
//!
//! Source: a ball around a cell keeps it away; of a few of them none is found faster by going down a tree of pairs.
//! Differs: one row of blocks for all of the body, then rows of the cells three cuts below those that are near. The nearest
//! middles lead to where a search begins.
//! Ends because: rows are counted.
//! Cost: some ten operations for a ball, without a branch. Rows are made when they are first asked for; which cells these have
//! is decided by the body alone.
//! Not promised: rows for bodies of many pieces; those are searched by their tree.

use clearance_geometry::bound::Obb;
use clearance_geometry::{DVec2, DVec3};

/// Blocks at most. More: going down the tree takes less than the pass. Fewer: bodies of several patches are left out, of whose
/// tree most nodes are opened anyway.
pub(super) const MOST_BLOCKS: usize = 64;

/// Cells of other rows at most.
pub(super) const MOST_IN_A_ROW: usize = 8;

/// A row that was not made yet, and that of a cell which has none.
const NOT_MADE: Row = Row { start: u32::MAX, end: u32::MAX };
const NO_ROW: Row = Row { start: u32::MAX, end: 0 };

/// Some entries that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    start: u32,
    end: u32,
}

/// A cell in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) cell: u32,
    /// Cuts that it is from being fine enough once it is steady.
    pub(super) more: u32,
    /// Rows that may be below it.
    pub(super) rows: u32,
    below: Row,
}

/// Where a cell is: kept row by row, since most cells of a row are looked at no closer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) bound: Obb,
    /// What its feature may be off its neighbours; a length.
    pub(super) gap: f64,
    pub(super) piece: u32,
    /// Its rectangle of the piece's parameters.
    pub(super) low: DVec2,
    pub(super) high: DVec2,
}

/// Lengths that rounding may take: absolutely, and of the length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    pub(super) lost: f64,
    pub(super) error: f64,
}

/// Cells by the balls around them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    radius: Vec<f64>,
    entries: Vec<Entry>,
    places: Vec<Place>,
    blocks: u32,
    /// The widest gap of their features; a length.
    gap: f64,
}

impl Sweep {
    pub(super) fn clear(&mut self) {
        for list in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius] {
            list.clear();
        }
        self.entries.clear();
        self.places.clear();
        (self.blocks, self.gap) = (0, 0.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// The widest gap of the features; a length.
    pub(super) fn gap(&self) -> f64 {
        self.gap
    }

    /// The row of blocks.
    pub(super) fn blocks(&self) -> Row {
        Row { start: 0, end: self.blocks }
    }

    /// Adds a block.
    pub(super) fn add_block(&mut self, entry: Entry, place: Place, radius: f64) {
        self.gap = self.gap.max(place.gap);
        self.push(entry, place, radius);
        self.blocks += 1;
    }

    /// Adds a cell to the end of all rows.
    pub(super) fn push(&mut self, entry: Entry, place: Place, radius: f64) {
        let center = place.bound.center;
        self.places.push(place);
        self.x.push(center.x);
        self.y.push(center.y);
        self.z.push(center.z);
        self.radius.push(radius);
        self.entries.push(entry);
    }

    /// How many entries there are.
    pub(super) fn count(&self) -> u32 {
        self.entries.len() as u32
    }

    #[inline]
    pub(super) fn entry(&self, at: u32) -> &Entry {
        &self.entries[at as usize]
    }

    /// Where the cell of an entry is.
    #[inline]
    pub(super) fn place(&self, at: u32) -> &Place {
        &self.places[at as usize]
    }

    /// Makes all that was added from one entry on the row below another.
    pub(super) fn close_row(&mut self, below: u32, start: u32) -> Row {
        let row = Row { start, end: self.count() };
        self.entries[below as usize].below = row;
        row
    }

    /// The entry of a row whose middle is nearest.
    #[inline]
    pub(super) fn nearest_of(&self, row: Row, point: DVec3) -> Option<u32> {
        let mut squares = [f64::INFINITY; MOST_BLOCKS];
        let count = self.squares(row, point, &mut squares);
        let mut best = (f64::INFINITY, None);
        for (at, square) in squares[..count].iter().enumerate() {
            best = if *square < best.0 { (*square, Some(row.start + at as u32)) } else { best };
        }
        best.1
    }

    /// Takes note of the entries of a row that may have points nearer than a length.
    #[inline]
    pub(super) fn gather_near(
        &self,
        row: Row,
        point: DVec3,
        length: f64,
        rounding: Rounding,
        near: &mut Vec<u32>,
    ) {
        let range = row.start as usize..row.end as usize;
        let (x, y, z) = (&self.x[range.clone()], &self.y[range.clone()], &self.z[range.clone()]);
        let (radii, length) = (&self.radius[range], length + rounding.lost);
        // Without a branch: every entry is written down, and stays where it is near.
        let mut count = near.len();
        near.resize(count + x.len() + 1, 0);
        for (at, (((x, y), z), radius)) in (row.start..).zip(x.iter().zip(y).zip(z).zip(radii)) {
            let (x, y, z) = (point.x - x, point.y - y, point.z - z);
            let limit = (length + radius) * (1.0 + rounding.error);
            // Written so that NaN is near.
            let is_far = x * x + y * y + z * z >= limit * limit;
            near[count] = at;
            count += usize::from(!is_far);
        }
        near.truncate(count);
    }

    /// The squares of the ways from a point to the middles of a row.
    #[inline]
    fn squares(&self, row: Row, point: DVec3, squares: &mut [f64; MOST_BLOCKS]) -> usize {
        let range = row.start as usize..row.end.max(row.start) as usize;
        let (x, y, z) = (&self.x[range.clone()], &self.y[range.clone()], &self.z[range]);
        for (((square, x), y), z) in squares.iter_mut().zip(x).zip(y).zip(z) {
            let (x, y, z) = (point.x - x, point.y - y, point.z - z);
            *square = x * x + y * y + z * z;
        }
        x.len().min(MOST_BLOCKS)
    }
}

impl Entry {
    /// Of a cell with a row below it that is not made yet, or with none.
    pub(super) const fn new(cell: u32, more: u32, rows: u32, is_fine: bool) -> Self {
        Self { cell, more, rows, below: if is_fine || rows == 0 { NO_ROW } else { NOT_MADE } }
    }

    /// The row below, if it has one and that was made; whether it must be made.
    pub(super) fn below(&self) -> (Option<Row>, bool) {
        match self.below {
            NOT_MADE => (None, true),
            NO_ROW => (None, false),
            row => (Some(row), false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_geometry::DMat3;
    use clearance_testkit::Random;

    fn around(center: DVec3, gap: f64) -> Place {
        let bound = Obb { center, axes: DMat3::IDENTITY, half: DVec3::ONE };
        Place { bound, gap, piece: 0, low: DVec2::ZERO, high: DVec2::ONE }
    }

    /// Entries that are left out are as far as was asked for, the others are not, and the nearest middle is found.
    #[test]
    fn rows_leave_out_what_is_far_and_nothing_else() {
        let mut random = Random::new(5);
        let rounding = Rounding { lost: 1e-9, error: 1e-15 };
        for _ in 0..500 {
            let count = 1 + random.index(MOST_BLOCKS);
            let balls: Vec<(DVec3, f64)> =
                (0..count).map(|_| (random.in_ball() * 3.0, random.uniform(0.0, 0.5))).collect();
            let mut sweep = Sweep::default();
            for (at, (center, radius)) in balls.iter().enumerate() {
                sweep.add_block(
                    Entry::new(at as u32, 0, 1, false),
                    around(*center, 0.01 * at as f64),
                    *radius,
                );
            }
            assert!(!sweep.is_empty() && sweep.gap() == 0.01 * (count - 1) as f64);
            let (point, length) = (random.in_ball() * 4.0, random.uniform(0.0, 4.0));
            let middle = |at: u32| balls[at as usize].0.distance(point);
            let nearest = (0..count as u32).min_by(|one, other| middle(*one).total_cmp(&middle(*other)));
            assert_eq!(sweep.nearest_of(sweep.blocks(), point).map(middle), nearest.map(middle));
            let mut near = vec![7];
            sweep.gather_near(sweep.blocks(), point, length, rounding, &mut near);
            assert_eq!(near.remove(0), 7);
            for at in 0..count as u32 {
                let over = middle(at) - balls[at as usize].1 - length;
                assert!(over < 1e-8 || !near.contains(&at));
                assert!(over >= 0.0 || near.contains(&at));
            }
        }
    }

    #[test]
    fn rows_below_are_made_once() {
        let mut sweep = Sweep::default();
        sweep.add_block(Entry::new(3, 2, 1, false), around(DVec3::ZERO, 0.0), 1.0);
        assert_eq!(sweep.entry(0).below(), (None, true));
        let start = sweep.count();
        sweep.push(Entry::new(4, 0, 0, false), around(DVec3::X, 0.0), 0.5);
        let row = sweep.close_row(0, start);
        assert_eq!(sweep.entry(0).below(), (Some(row), false));
        assert_eq!(sweep.entry(1).below(), (None, false));
        assert_eq!(sweep.nearest_of(row, DVec3::ZERO), Some(1));
        sweep.clear();
        assert!(sweep.is_empty() && sweep.nearest_of(sweep.blocks(), DVec3::X).is_none());
    }
}
