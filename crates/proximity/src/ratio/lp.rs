//! Linear programs with a fixed, small number of variables: Seidel's incremental method.
//!
//! Source: Seidel (1991), small-dimensional linear programming made easy; named by 002, section 2.1,
//! as the reason why the ratio metric costs O(n + m).
//! Differs: rows are met in the order of a fixed multiplicative permutation instead of a random one,
//! so that the same input gives the same bits, and rows are projected when they are read, so that
//! nothing is allocated. A violation below its own rounding is passed over; an interval that rounding
//! has emptied is replaced by its middle. DIFFERS from 002, which only cites linear time (Megiddo).
//! Ends because: the recursion drops one variable each time, and each level reads its rows once.
//! Cost: expected O(K! · rows) for a random order in K variables; no allocation.
//! Not promised: which optimum, where several are optimal; the bound on the cost for an order that
//! happens to be bad.
//!
//! Symbols: `z` the variables, a row `(a, β)` stands for `a·z ≤ β`, and the last variable is minimised.

use crate::tolerance;

/// Most variables: three coordinates and the growth.
pub(super) const MOST_VARIABLES: usize = 4;

/// `coefficients · z ≤ bound`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) coefficients: [f64; MOST_VARIABLES],
    pub(super) bound: f64,
}

/// The optimum and the rows that hold it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Optimum {
    pub(super) z: [f64; MOST_VARIABLES],
    /// Rows met with equality, in the order in which they were found; `usize::MAX` where a bound of
    /// the box took the place of a row.
    pub(super) tight: [usize; MOST_VARIABLES],
    /// Rows read.
    pub(super) reads: u32,
}

/// A variable removed by a row held with equality.
#[derive(Clone, Copy, Debug, Default)]
struct Elimination {
    row: Row,
    column: usize,
}

/// A row removed a variable on each level above the present one.
#[derive(Clone, Copy, Debug, Default)]
struct Levels {
    eliminations: [Elimination; MOST_VARIABLES],
    count: usize,
}

struct Program<'a, F> {
    row: &'a F,
    variables: usize,
    /// Every variable stays within plus or minus this.
    box_bounds: [f64; MOST_VARIABLES],
    order: Order,
    reads: u32,
    tight: [usize; MOST_VARIABLES],
}

/// Minimises the last of `variables` variables under `count` rows, within the box |z| ≤ `box_bounds`.
/// The rows should have coefficients of length about 1, and the optimum should lie inside the box.
pub(super) fn minimise_last<F: Fn(usize) -> Row>(
    row: &F,
    count: usize,
    variables: usize,
    box_bounds: [f64; MOST_VARIABLES],
) -> Optimum {
    let order = Order::new(count);
    let mut program =
        Program { row, variables, box_bounds, order, reads: 0, tight: [usize::MAX; MOST_VARIABLES] };
    let z = program.solve(&Levels::default(), count);
    Optimum { z, tight: program.tight, reads: program.reads }
}

impl<F: Fn(usize) -> Row> Program<'_, F> {
    /// The optimum over the first `count` rows of the order, on the flat where all eliminated rows
    /// hold with equality.
    fn solve(&mut self, levels: &Levels, count: usize) -> [f64; MOST_VARIABLES] {
        if levels.count + 1 == self.variables {
            return self.solve_line(levels, count);
        }
        let mut z = self.corner(levels);
        // The walls of the eliminated variables bound the others. Deeper levels see all of them anyway.
        for wall in 0..2 * levels.count {
            let row = self.wall(levels, wall);
            if violated(&row, &z)
                && let Some(deeper) = levels.with(&row)
            {
                z = self.solve(&deeper, 0);
            }
        }
        for position in 0..count {
            let index = self.order.row(position);
            let row = self.read(levels, index);
            if !violated(&row, &z) {
                continue;
            }
            let Some(deeper) = levels.with(&row) else { continue };
            self.tight = [usize::MAX; MOST_VARIABLES];
            z = self.solve(&deeper, position);
            self.tight[levels.count] = index;
        }
        levels.restore(z)
    }

    /// One variable left: an interval.
    fn solve_line(&mut self, levels: &Levels, count: usize) -> [f64; MOST_VARIABLES] {
        let column = (0..self.variables).find(|c| !levels.has(*c)).unwrap_or(0);
        let mut interval = (-self.box_bounds[column], self.box_bounds[column]);
        let mut ends = [usize::MAX; 2];
        for position in 0..count {
            let index = self.order.row(position);
            let row = self.read(levels, index);
            narrow(&mut interval, &mut ends, &row, column, index);
        }
        for wall in 0..2 * levels.count {
            narrow(&mut interval, &mut ends, &self.wall(levels, wall), column, usize::MAX);
        }
        let slope = levels.objective(self.variables)[column];
        let (low, high) = interval;
        let mut z = [0.0; MOST_VARIABLES];
        let end = usize::from(slope < 0.0);
        z[column] = if low > high { 0.5 * (low + high) } else { [low, high][end] };
        self.tight[levels.count] = ends[end];
        levels.restore(z)
    }

    /// The corner of the box where the objective is least.
    fn corner(&self, levels: &Levels) -> [f64; MOST_VARIABLES] {
        let objective = levels.objective(self.variables);
        let mut z = [0.0; MOST_VARIABLES];
        for column in (0..self.variables).filter(|c| !levels.has(*c)) {
            let wall = self.box_bounds[column];
            z[column] = if objective[column] < 0.0 { wall } else { -wall };
        }
        z
    }

    fn read(&mut self, levels: &Levels, index: usize) -> Row {
        self.reads += 1;
        levels.project((self.row)(index))
    }

    /// A bound of the box on an eliminated variable, as a row on the others.
    fn wall(&self, levels: &Levels, wall: usize) -> Row {
        let column = levels.eliminations[wall / 2].column;
        let mut row = Row { bound: self.box_bounds[column], ..Row::default() };
        row.coefficients[column] = if wall.is_multiple_of(2) { 1.0 } else { -1.0 };
        levels.project(row)
    }
}

impl Levels {
    fn has(&self, column: usize) -> bool {
        self.eliminations[..self.count].iter().any(|e| e.column == column)
    }

    /// Substitutes the eliminated variables into a row. Entries that are only rounding become zero.
    fn project(&self, mut row: Row) -> Row {
        for elimination in &self.eliminations[..self.count] {
            let pivot = &elimination.row;
            let factor = row.coefficients[elimination.column] / pivot.coefficients[elimination.column];
            for (value, other) in row.coefficients.iter_mut().zip(pivot.coefficients) {
                let moved = factor * other;
                let left = *value - moved;
                let noise = tolerance::LP_NOISE_REL * (value.abs() + moved.abs());
                *value = if left.abs() <= noise { 0.0 } else { left };
            }
            row.coefficients[elimination.column] = 0.0;
            row.bound -= factor * pivot.bound;
        }
        row
    }

    /// One level deeper, on `row` with equality; none where the row has no direction left.
    fn with(&self, row: &Row) -> Option<Self> {
        let mut column = 0;
        for (index, value) in row.coefficients.iter().enumerate() {
            if value.abs() > row.coefficients[column].abs() {
                column = index;
            }
        }
        if row.coefficients[column] == 0.0 {
            return None;
        }
        let mut deeper = *self;
        deeper.eliminations[self.count] = Elimination { row: *row, column };
        deeper.count += 1;
        Some(deeper)
    }

    /// The last variable in terms of those left.
    fn objective(&self, variables: usize) -> [f64; MOST_VARIABLES] {
        let mut row = Row::default();
        row.coefficients[variables - 1] = 1.0;
        self.project(row).coefficients
    }

    /// Fills in the eliminated variables, last first.
    fn restore(&self, mut z: [f64; MOST_VARIABLES]) -> [f64; MOST_VARIABLES] {
        for Elimination { row, column } in self.eliminations[..self.count].iter().rev() {
            z[*column] = 0.0;
            let rest: f64 = row.coefficients.iter().zip(z).map(|(a, z)| a * z).sum();
            z[*column] = (row.bound - rest) / row.coefficients[*column];
        }
        z
    }
}

/// Whether `z` breaks the row by more than the rounding of the sum that shows it.
fn violated(row: &Row, z: &[f64; MOST_VARIABLES]) -> bool {
    let mut sum = -row.bound;
    let mut size = row.bound.abs();
    for (a, z) in row.coefficients.iter().zip(z) {
        sum += a * z;
        size += (a * z).abs();
    }
    sum > tolerance::LP_NOISE_REL * size
}

/// Cuts the interval of the one variable left by a row, and notes which row made each end.
fn narrow(interval: &mut (f64, f64), ends: &mut [usize; 2], row: &Row, column: usize, index: usize) {
    let slope = row.coefficients[column];
    if slope == 0.0 {
        return;
    }
    let at = row.bound / slope;
    if slope > 0.0 && at < interval.1 {
        interval.1 = at;
        ends[1] = index;
    } else if slope < 0.0 && at > interval.0 {
        interval.0 = at;
        ends[0] = index;
    }
}

/// A fixed permutation of 0..count that needs no memory: position ↦ position · step + shift.
#[derive(Clone, Copy, Debug)]
struct Order {
    count: usize,
    step: usize,
    shift: usize,
}

impl Order {
    /// The step is near the golden section of the count, which spreads neighbours far apart, and has
    /// no factor in common with it.
    fn new(count: usize) -> Self {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let mut step = ((count as f64 * GOLDEN) as usize).max(1);
        while common_factor(step, count) > 1 {
            step += 1;
        }
        Self { count, step, shift: count / 3 }
    }

    #[inline]
    fn row(&self, position: usize) -> usize {
        // u64 arithmetic, so that large counts do not overflow on narrow machines.
        ((position as u64 * self.step as u64 + self.shift as u64) % self.count as u64) as usize
    }
}

fn common_factor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_a_permutation() {
        for count in [1, 2, 3, 5, 6, 8, 12, 97, 120, 1000] {
            let order = Order::new(count);
            let mut seen = vec![false; count];
            (0..count).for_each(|i| seen[order.row(i)] = true);
            assert!(seen.iter().all(|s| *s), "{count}");
        }
    }

    #[test]
    fn planted_vertex_is_found() {
        // z₂ ≥ |z₀ − 0.3| + |z₁ + 0.2| + 0.1, many times over.
        let row = |i: usize| {
            let (s, t) = ([1.0, -1.0][i & 1], [1.0, -1.0][(i >> 1) & 1]);
            let slack = 0.01 * (i / 4) as f64;
            let coefficients = [s / 2.0, t / 2.0, -0.5, 0.0];
            Row { coefficients, bound: 0.5 * (s * 0.3 - t * 0.2 - 0.1 + slack) }
        };
        let optimum = minimise_last(&row, 400, 3, [10.0; 4]);
        for (found, planted) in optimum.z.iter().zip([0.3, -0.2, 0.1]) {
            assert!((found - planted).abs() < 1e-14, "{optimum:?}");
        }
        assert!(optimum.tight[..3].iter().all(|row| *row < 4));
    }
}
