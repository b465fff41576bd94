//! Joints at once: the multipliers of equalities through a sparse factor of their products, alone and beside contacts.
//!
//! Source: Baraff 1996, who solves for the multipliers of chains and trees of joints in linear time.
//! Differs: DIFFERS: the rows' products with each other are factored, joint by joint, in place of the larger matrix that has the
//! bodies in it as well; where many joints share a body it fills, and is left to the general method. DIFFERS: closed loops
//! are no special case: a row that depends on those before it gets no multiplier, and holds of itself.
//! Ends because: one factor and a few rounds of refinement.
//! Cost: linear in the joints of a chain.
//! Not promised: an answer for joints alone: there is none where a limit binds, a motor pulls, or rows contradict each other.

use super::factor::{Block, Factor, Part, Pattern, SIDE};
use super::packed::Packed;
use super::{Ended, Solution, SolverChoice};
use crate::friction::{natural_residual, worse};
use crate::program::{Demand, Program, Row};
use crate::tolerance;
use std::ops::Range;
use std::sync::Arc;

/// Solutions with the factor at most: the first, and what refines it where rows are nearly dependent.
const ROUNDS: usize = 4;

/// What is kept from one program to the next with the same lines, whatever their velocities and biases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equalities {
    made: Option<Made>,
    /// Of other lines, whose pattern may be the same.
    before: Option<Made>,
}

/// The factor, for rows taken by three or by six.
#[derive(Clone, Debug)]
enum Made {
    Threes(Arc<Ready<3>>),
    Sixes(Arc<Ready<SIDE>>),
}

#[derive(Debug)]
struct Ready<const N: usize> {
    runs: Vec<Range<usize>>,
    pattern: Pattern,
    factor: Factor<N>,
}

impl Equalities {
    /// The same for other lines: the factor is made anew, where the same bodies are tied with the pattern that is there.
    pub(crate) fn outdated(&self) -> Self {
        Self { made: None, before: self.made.clone() }
    }

    /// The solution of a program without contacts whose inequalities hold of themselves within `enough`, a velocity; none
    /// where it is another, or where a factor would take more than `most` products of blocks.
    pub(crate) fn solve(&mut self, program: &Program, most: usize, enough: f64) -> Option<Solution> {
        if !program.contacts.is_empty() {
            return None;
        }
        match self.prepare(program, most)? {
            Made::Threes(ready) => ready.solve(program, enough),
            Made::Sixes(ready) => ready.solve(program, enough),
        }
    }

    /// Makes the factor, unless it is there; none where it would take more than `most` products of blocks.
    fn prepare(&mut self, program: &Program, most: usize) -> Option<&Made> {
        if self.made.is_none() {
            // Balls, and all joints of the plane, have three rows at most, and eight such blocks are as much work as one of six.
            let rows = &program.rows;
            let short = runs(rows, 3).all(|run| run.end == rows.len() || !goes_on(rows, run.end));
            self.made = Some(if short {
                let before = match &self.before {
                    Some(Made::Threes(ready)) => Some(&ready.pattern),
                    _ => None,
                };
                Made::Threes(Arc::new(Ready::new(program, most, before)?))
            } else {
                let before = match &self.before {
                    Some(Made::Sixes(ready)) => Some(&ready.pattern),
                    _ => None,
                };
                Made::Sixes(Arc::new(Ready::new(program, most, before)?))
            });
        }
        self.made.as_ref()
    }

    /// The energy that the biases of a program's equalities take, were its bodies at rest and nothing else in their way; none where
    /// the factor is too dear.
    pub(crate) fn energy(&mut self, program: &Program) -> Option<f64> {
        match self.prepare(program, most_products(program))? {
            Made::Threes(ready) => Some(ready.energy(program)),
            Made::Sixes(ready) => Some(ready.energy(program)),
        }
    }

    /// What holds the joints of a program beside its contacts; none where it has none, or where the factor is too dear.
    pub(crate) fn holder(&mut self, program: &Program, most: usize) -> Option<Holder> {
        if !program.rows.iter().any(|row| row.demand == Demand::Zero) {
            return None;
        }
        let made = self.prepare(program, most)?.clone();
        Some(Holder { made, scratch: Scratch::default() })
    }
}

/// Holds all joints at once, whatever else acts on their bodies.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    made: Made,
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    threes: (Vec<[f64; 3]>, Vec<[f64; 3]>),
    sixes: (Vec<Part>, Vec<Part>),
}

impl Holder {
    /// Lets the equalities hold by a change of their multipliers alone; the largest velocity that they had.
    pub(crate) fn hold(&mut self, packed: &Packed, rows: &mut [f64], y: &mut [Part]) -> f64 {
        match &self.made {
            Made::Threes(ready) => ready.hold(packed, rows, y, &mut self.scratch.threes),
            Made::Sixes(ready) => ready.hold(packed, rows, y, &mut self.scratch.sixes),
        }
    }
}

impl<const N: usize> Ready<N> {
    /// With a pattern that was made before, where it fits.
    fn new(program: &Program, most: usize, before: Option<&Pattern>) -> Option<Self> {
        let runs: Vec<Range<usize>> = runs(&program.rows, N).collect();
        let ends = ends(&program.rows, &runs);
        let pairs = pairs(&ends, most)?;
        let same = before.filter(|before| before.is_of(runs.len(), &pairs) && before.is_within(most));
        let pattern = same.cloned().map_or_else(|| Pattern::within(runs.len(), pairs, most), Some)?;
        let factor = factor::<N>(program, &runs, &ends, &pattern);
        Some(Self { runs, pattern, factor })
    }

    fn solve(&self, program: &Program, enough: f64) -> Option<Solution> {
        let Self { runs, pattern, factor } = self;
        let mut solution = Solution {
            y: vec![0.0; program.size()],
            rows: vec![0.0; program.rows.len()],
            ended: Ended::Converged,
            ..Solution::default()
        };
        let (mut changes, mut scratch) = (vec![[0.0; N]; runs.len()], Vec::new());
        let mut last = f64::INFINITY;
        let good = tolerance::SPARSE_RESIDUAL_REL * program.scale();
        // What equalities alone are left with is known where the last round found nothing more to do.
        let alone = runs.iter().map(Range::len).sum::<usize>() == program.rows.len();
        let mut left = None;
        while solution.iterations < ROUNDS {
            let mut most = 0.0_f64;
            for (change, run) in changes.iter_mut().zip(runs) {
                for (change, row) in change.iter_mut().zip(&program.rows[run.clone()]) {
                    *change = -program.row_velocity(row, &solution.y);
                    most = worse(most, change.abs());
                }
            }
            if !(most < last) || most <= good && solution.iterations > 0 {
                left = Some(most).filter(|_| alone);
                break;
            }
            last = most;
            factor.solve(pattern, &mut changes, &mut scratch);
            for (change, run) in changes.iter().zip(runs) {
                for (&change, at) in change.iter().zip(run.clone()) {
                    solution.rows[at] += change;
                    program.rows[at].line.add_to(program.width, change, &mut solution.y);
                }
            }
            solution.iterations += 1;
        }
        let left = left.unwrap_or_else(|| natural_residual(program, &solution, &[]));
        (left <= enough).then_some(solution)
    }

    fn energy(&self, program: &Program) -> f64 {
        let mut parts = vec![[0.0; N]; self.runs.len()];
        for (part, run) in parts.iter_mut().zip(&self.runs) {
            part.iter_mut().zip(&program.rows[run.clone()]).for_each(|(to, row)| *to = row.bias);
        }
        let biases = parts.clone();
        self.factor.solve(&self.pattern, &mut parts, &mut Vec::new());
        biases.iter().flatten().zip(parts.iter().flatten()).map(|(bias, impulse)| bias * impulse / 2.0).sum()
    }

    fn hold(
        &self,
        packed: &Packed,
        rows: &mut [f64],
        y: &mut [Part],
        (changes, scratch): &mut (Vec<[f64; N]>, Vec<[f64; N]>),
    ) -> f64 {
        let mut most = 0.0_f64;
        changes.clear();
        changes.resize(self.runs.len(), [0.0; N]);
        for (change, run) in changes.iter_mut().zip(&self.runs) {
            for (change, row) in change.iter_mut().zip(&packed.rows[run.clone()]) {
                *change = -row.velocity(y);
                most = most.max(change.abs());
            }
        }
        self.factor.solve(&self.pattern, changes, scratch);
        for (change, run) in changes.iter().zip(&self.runs) {
            for (&change, at) in change.iter().zip(run.clone()) {
                rows[at] += change;
                packed.rows[at].push(change, y);
            }
        }
        most
    }
}

/// Products of blocks that a factor may take.
pub(super) fn most_products(program: &Program) -> usize {
    SolverChoice::FULL * (program.contacts.len() + program.rows.len()) + SolverChoice::FULL_AT_LEAST
}

/// Equalities that stand side by side and tie the same bodies, at most so many at a time.
fn runs(rows: &[Row], most: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += rows[at..].iter().position(|row| row.demand == Demand::Zero)?;
        let start = at;
        at += 1;
        while at < rows.len() && at - start < most && goes_on(rows, at) {
            at += 1;
        }
        Some(start..at)
    })
}

/// Whether a row goes on with the run that the row before it belongs to.
fn goes_on(rows: &[Row], at: usize) -> bool {
    let (before, row) = (&rows[at - 1], &rows[at]);
    row.demand == Demand::Zero && before.demand == Demand::Zero && row.line.slots == before.line.slots
}

/// The bodies that runs are tied to: slot, run, and which end of its rows; sorted.
fn ends(rows: &[Row], runs: &[Range<usize>]) -> Vec<(usize, u32, usize)> {
    let mut ends = Vec::with_capacity(2 * runs.len());
    for (number, run) in (0..).zip(runs) {
        let slots = rows[run.start].line.slots;
        ends.extend((0..2).filter_map(|end| slots[end].map(|slot| (slot, number, end))));
    }
    ends.sort_unstable();
    ends
}

/// Runs that share a body, lower first, sorted; none where there are more than `most`.
fn pairs(ends: &[(usize, u32, usize)], most: usize) -> Option<Vec<[u32; 2]>> {
    let mut pairs = Vec::with_capacity(ends.len());
    for group in ends.chunk_by(|one, two| one.0 == two.0) {
        for (at, &(_, one, _)) in group.iter().enumerate() {
            let others = group[at + 1..].iter().map(|&(_, two, _)| [one, two]);
            pairs.extend(others.filter(|pair| pair[0] != pair[1]));
            // A body with many joints has the square of their number.
            if pairs.len() > most {
                return None;
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Some(pairs)
}

/// The factor of the products of all rows.
fn factor<const N: usize>(
    program: &Program,
    runs: &[Range<usize>],
    ends: &[(usize, u32, usize)],
    pattern: &Pattern,
) -> Factor<N> {
    // The numbers of each end, row beside row.
    let columns: Vec<[[f64; N]; SIDE]> = ends
        .iter()
        .map(|&(_, run, end)| {
            let mut columns = [[0.0; N]; SIDE];
            for (at, row) in program.rows[runs[run as usize].clone()].iter().enumerate() {
                columns.iter_mut().zip(row.line.values[end]).for_each(|(column, x)| column[at] = x);
            }
            columns
        })
        .collect();
    let mut factor = Factor::default();
    factor.reset(pattern);
    for (number, run) in runs.iter().enumerate() {
        let mut block: Block<N> = [[0.0; N]; N];
        (run.len()..N).for_each(|i| block[i][i] = 1.0);
        factor.set_diagonal(pattern, number, block);
    }
    let mut first = 0;
    for group in ends.chunk_by(|one, two| one.0 == two.0) {
        for at in 0..group.len() {
            for other in at..group.len() {
                let [one, two] = [at, other].map(|at| group[at].1 as usize);
                factor.add(pattern, [one, two], &columns[first + at], &columns[first + other]);
            }
        }
        first += group.len();
    }
    factor.factorise_dependent(pattern, tolerance::DEPENDENT_PIVOT_REL);
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Line;
    use crate::solve::{ActiveSet, Solver as _};
    use clearance_testkit::Random;

    /// Joints of up to `most` rows between given bodies, with random lines.
    fn program(random: &mut Random, slots: usize, ties: &[[Option<usize>; 2]], most: usize) -> Program {
        let mut rows = Vec::new();
        for &slots in ties {
            for _ in 0..=random.index(most) {
                let mut values = [[0.0; 6]; 2];
                for (values, _) in values.iter_mut().zip(slots).filter(|(_, slot)| slot.is_some()) {
                    *values = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
                }
                let [start, bias] = [random.uniform(-1.0, 1.0), random.uniform(-0.1, 0.1)];
                rows.push(Row { line: Line { slots, values }, start, bias, demand: Demand::Zero });
            }
        }
        Program { width: 6, slots, rows, ..Program::default() }
    }

    fn chain(slots: usize) -> Vec<[Option<usize>; 2]> {
        (0..slots).map(|at| [at.checked_sub(1), Some(at)]).collect()
    }

    #[test]
    fn answers_are_those_of_the_active_set() {
        let mut random = Random::new(71);
        for round in 0..60 {
            let slots = 2 + random.index(12);
            let mut ties = chain(slots);
            if round % 3 == 0 {
                // A tree in place of the chain, and a loop.
                ties.iter_mut().skip(1).for_each(|tie| tie[0] = tie[1].map(|at| random.index(at.max(1))));
                ties.push([Some(0), Some(slots - 1)]);
            }
            let most = if round % 2 == 0 { 3 } else { 5 };
            let mut program = program(&mut random, slots, &ties, most);
            let at = random.index(program.rows.len());
            if round % 4 == 0 {
                // A row once more: it depends on the first.
                let again = program.rows[at];
                program.rows.insert(random.index(program.rows.len()), again);
            }
            let enough = 1e-9 * program.scale();
            let solution = Equalities::default().solve(&program, usize::MAX, enough);
            let expected = ActiveSet::default().solve(&program, None);
            if expected.ended == Ended::Infeasible {
                assert!(solution.is_none(), "round {round}");
                continue;
            }
            let solution = solution.unwrap();
            for (got, expected) in solution.y.iter().zip(&expected.y) {
                assert!((got - expected).abs() < 1e-8, "round {round}: {got} {expected}");
            }
            let response = program.response(&[], &solution.rows);
            assert!(response.iter().zip(&solution.y).all(|(one, two)| (one - two).abs() < 1e-9));
        }
    }

    #[test]
    fn joints_hold_beside_whatever_acts() {
        let mut random = Random::new(73);
        for round in 0..20 {
            let slots = 3 + random.index(9);
            let most = if round % 2 == 0 { 3 } else { 5 };
            let mut program = program(&mut random, slots, &chain(slots), most);
            let packed = Packed::new(&program);
            let mut joints = Equalities::default();
            let mut holder = joints.holder(&program, usize::MAX).unwrap();
            // Other impulses, and multipliers that were there before.
            let mut y = packed.zeros();
            y[..slots].iter_mut().flatten().for_each(|part| *part = random.uniform(-1.0, 1.0));
            let (others, mut rows) = (y.clone(), vec![0.5; program.rows.len()]);
            let had = packed.rows.iter().map(|row| row.velocity(&y).abs()).fold(0.0, f64::max);
            assert_eq!(holder.hold(&packed, &mut rows, &mut y), had);
            assert!(packed.rows.iter().all(|row| row.velocity(&y).abs() < 1e-9), "round {round}");
            let change: Vec<f64> = rows.iter().map(|row| row - 0.5).collect();
            let response = packed.response(&[], &change);
            for ((y, other), response) in y.iter().zip(&others).zip(&response) {
                assert!((0..SIDE).all(|i| (y[i] - other[i] - response[i]).abs() < 1e-9));
            }
            // From rest, what the biases take is what the solution has.
            program.rows.iter_mut().for_each(|row| row.start = 0.0);
            let expected = ActiveSet::default().solve(&program, None);
            let square: f64 = expected.y.iter().map(|x| x * x / 2.0).sum();
            let energy = joints.energy(&program).unwrap();
            assert!((energy - square).abs() < 1e-8 * (1.0 + square), "round {round}: {energy} {square}");
        }
    }

    #[test]
    fn limits_that_bind_are_left_to_others() {
        let mut random = Random::new(72);
        let mut program = program(&mut random, 4, &chain(4), 3);
        let free = Equalities::default().solve(&program, usize::MAX, 1e-9).unwrap();
        let mut limit = program.rows[0];
        limit.line.values = [[0.5; 6]; 2];
        limit.demand = Demand::NotNegative;
        let speed = program.row_velocity(&limit, &free.y);
        for (room, holds) in [(0.1, true), (-0.1, false)] {
            let bias = limit.bias - speed + room;
            program.rows.push(Row { bias, ..limit });
            let found = Equalities::default().solve(&program, usize::MAX, 1e-9);
            assert_eq!(found.is_some(), holds);
            program.rows.pop();
        }
        // Rows that contradict each other.
        let row = program.rows[0];
        program.rows.push(Row { bias: row.bias + 1.0, ..row });
        assert!(Equalities::default().solve(&program, usize::MAX, 1e-9).is_none());
    }
}
