//! The ordinary cells of a small body in one list, to be held against a point in one pass.
//!
//! Source: a ball around a cell keeps it away; of a few dozen of them none is found faster by going down a tree.
//! Differs: the nearest middle is where a search begins.
//! Ends because: one pass over a list.
//! Cost: some ten operations for a cell, without a branch.
//! Not promised: a list for bodies of many cells; those are searched by their tree.

use clearance_geometry::DVec3;

/// Cells that are listed at most. More: going down the tree takes less than the pass. Fewer: bodies of several patches are left
/// out, of whose tree most nodes are opened anyway.
const MOST_CELLS: usize = 64;

/// Cells by the balls around them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    radius: Vec<f64>,
    cells: Vec<u32>,
    /// The widest gap of their features; a length.
    gap: f64,
    /// How far each is at least, of the last pass.
    lower: Vec<f64>,
}

impl Sweep {
    pub(super) fn clear(&mut self) {
        for list in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius, &mut self.lower] {
            list.clear();
        }
        self.cells.clear();
        self.gap = 0.0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Adds a cell; whether there was room.
    pub(super) fn push(&mut self, cell: u32, center: DVec3, radius: f64, gap: f64) -> bool {
        if self.cells.len() == MOST_CELLS {
            return false;
        }
        self.x.push(center.x);
        self.y.push(center.y);
        self.z.push(center.z);
        self.radius.push(radius);
        self.cells.push(cell);
        self.lower.push(0.0);
        self.gap = self.gap.max(gap);
        true
    }

    /// Works out how far each cell is at least, where rounding takes `lost` of a length and more in proportion to `error`; the
    /// cell whose middle is nearest.
    pub(super) fn pass(&mut self, point: DVec3, lost: f64, error: f64) -> Option<u32> {
        let Self { x, y, z, radius, lower, .. } = self;
        let share = 1.0 - error;
        for ((((lower, x), y), z), radius) in lower.iter_mut().zip(x).zip(y).zip(z).zip(&*radius) {
            let (x, y, z) = (point.x - *x, point.y - *y, point.z - *z);
            *lower = (x * x + y * y + z * z).sqrt() * share - radius - lost;
        }
        let middles = self.lower.iter().zip(&self.radius).map(|(lower, radius)| lower + radius);
        let mut best = (f64::INFINITY, None);
        for (middle, cell) in middles.zip(&self.cells) {
            best = if middle < best.0 { (middle, Some(*cell)) } else { best };
        }
        best.1
    }

    /// Cells that are not known to be so far, by the last pass.
    pub(super) fn nearer_than(&self, enough: f64) -> impl Iterator<Item = u32> + '_ {
        self.lower
            .iter()
            .zip(&self.cells)
            .filter(move |(lower, _)| !(**lower >= enough))
            .map(|(_, cell)| *cell)
    }

    /// The least bound of the others, less the gap of their features; infinite where there are none.
    pub(super) fn least_beyond(&self, enough: f64) -> f64 {
        // Four at a time, so that one comparison need not wait for the last.
        let mut least = [f64::INFINITY; 4];
        for four in self.lower.chunks(4) {
            for (least, lower) in least.iter_mut().zip(four) {
                let lower = if *lower >= enough { *lower } else { f64::INFINITY };
                *least = if lower < *least { lower } else { *least };
            }
        }
        least.into_iter().fold(f64::INFINITY, f64::min) - self.gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    /// Bounds are those of the balls, less what was asked for, and every cell is either near or in the least of the others.
    #[test]
    fn balls_are_bounded_and_none_is_forgotten() {
        let mut random = Random::new(5);
        for round in 0..500 {
            let count = 1 + random.index(MOST_CELLS);
            let balls: Vec<(DVec3, f64)> =
                (0..count).map(|_| (random.in_ball() * 3.0, random.uniform(0.0, 0.5))).collect();
            let gap = if round % 2 == 0 { 0.0 } else { 0.01 };
            let mut sweep = Sweep::default();
            for (at, (center, radius)) in balls.iter().enumerate() {
                assert!(sweep.push(at as u32, *center, *radius, if at == 0 { gap } else { 0.0 }));
            }
            let (point, enough) = (random.in_ball() * 4.0, random.uniform(0.0, 4.0));
            let first = sweep.pass(point, 1e-9, 0.0);
            let middle = |at: u32| balls[at as usize].0.distance(point);
            let nearest = (0..count as u32).min_by(|one, other| middle(*one).total_cmp(&middle(*other)));
            assert_eq!(first.map(middle), nearest.map(middle));
            let lower = |at: u32| middle(at) - balls[at as usize].1 - 1e-9;
            let near: Vec<u32> = sweep.nearer_than(enough).collect();
            assert!((0..count as u32).all(|at| near.contains(&at) == (lower(at) < enough)));
            let others = (0..count as u32).filter(|at| !near.contains(at));
            let least = others.map(lower).fold(f64::INFINITY, f64::min) - gap;
            assert!(
                least == sweep.least_beyond(enough) || (least - sweep.least_beyond(enough)).abs() < 1e-15
            );
        }
    }

    #[test]
    fn long_lists_are_refused() {
        let mut sweep = Sweep::default();
        assert!((0..MOST_CELLS as u32).all(|at| sweep.push(at, DVec3::ZERO, 1.0, 0.0)));
        assert!(!sweep.push(0, DVec3::ZERO, 1.0, 0.0));
        sweep.clear();
        assert!(sweep.is_empty() && sweep.pass(DVec3::X, 0.0, 0.0).is_none());
    }
}
