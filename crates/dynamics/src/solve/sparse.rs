//! The convex program by multipliers, with Newton steps through a sparse factor.
//!
//! Source: the method of multipliers (Hestenes 1969; Powell 1969; Rockafellar 1976) on the cones of Anitescu 2006; its inner
//! problem by a semismooth Newton method, as Castro, Permenter and Han 2022 do for compliant contact.
//! Differs: DIFFERS from the latter: the springs that make the inner problem smooth carry the multipliers of the round before,
//! so that nothing is left of them in the end and contacts are rigid.
//! Ends because: the inner problem is convex and every step lowers it; rounds and steps are limited.
//! Cost: that of the factor per step, which is linear for chains; rounds and steps hardly grow with the number of bodies.
//! Not promised: unique impulses where contacts are redundant; the velocities are unique.

use super::factor::{Factor, Part, Pattern, SIDE, inner};
use super::packed::{Packed, PackedContact};
use super::sweeps::Law;
use super::{Ended, Solution, Solver};
use crate::program::Program;
use crate::tolerance;

/// Rounds of multipliers at most.
const ROUNDS: usize = 40;

/// Newton steps per round at most.
const STEPS: usize = 40;

/// Trials of a line search at most.
const TRIALS: usize = 20;

/// Multipliers with sparse Newton steps, for islands of hundreds of bodies.
#[derive(Clone, Debug)]
pub struct Sparse {
    /// Most Newton steps.
    most: usize,
    pattern: Pattern,
    /// The matrix, and its factor.
    matrix: Factor<SIDE>,
    factor: Factor<SIDE>,
    scratch: Vec<Part>,
}

impl Default for Sparse {
    fn default() -> Self {
        Self::with_steps(Self::STEPS)
    }
}

impl Solver for Sparse {
    fn solve(&mut self, program: &Program, warm: Option<&Solution>) -> Solution {
        if program.has_facets() {
            return super::Block::default().solve(program, warm);
        }
        self.prepare(program, usize::MAX);
        let enough = tolerance::SPARSE_RESIDUAL_REL * program.scale();
        self.run(program, &Packed::new(program), Law::Relaxed, [enough; 2], warm)
    }

    fn solve_coulomb(&mut self, program: &Program, warm: Option<&Solution>) -> Option<Solution> {
        if program.has_facets() {
            return None;
        }
        self.prepare(program, usize::MAX);
        let enough = tolerance::FRICTION_RESIDUAL_REL * program.scale() / 2.0;
        Some(self.run(program, &Packed::new(program), Law::Coulomb, [enough; 2], warm))
    }
}

impl Sparse {
    /// Newton steps at most, unless told otherwise.
    pub(crate) const STEPS: usize = 400;

    /// With at most so many Newton steps.
    pub(crate) fn with_steps(most: usize) -> Self {
        let (matrix, factor) = (Factor::default(), Factor::default());
        Self { most, pattern: Pattern::default(), matrix, factor, scratch: Vec::new() }
    }

    /// Makes the pattern of a program, unless it is that of the last one; false where a factor would take more than `most`
    /// products of blocks.
    pub(crate) fn prepare(&mut self, program: &Program, most: usize) -> bool {
        let of_contacts = program.contacts.iter().map(|contact| contact.lines[0].slots);
        let of_rows = program.rows.iter().map(|row| row.line.slots);
        let mut pairs: Vec<[u32; 2]> = of_contacts
            .chain(of_rows)
            .filter_map(|slots| match slots {
                [Some(a), Some(b)] if a != b => Some([a.min(b) as u32, a.max(b) as u32]),
                _ => None,
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        if self.pattern.is_of(program.slots, &pairs) {
            return true;
        }
        let pattern = Pattern::within(program.slots, pairs, most);
        let cheap = pattern.is_some();
        self.pattern = pattern.unwrap_or_default();
        cheap
    }
}

impl Sparse {
    /// Solves a program whose pattern has been prepared: to the first of two velocities, and on to the second while that is
    /// cheap.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        packed: &Packed,
        law: Law,
        [enough, fine]: [f64; 2],
        warm: Option<&Solution>,
    ) -> Solution {
        let mut rounds = Rounds::new(self, packed, law, warm);
        let ended = rounds.run(enough, program.scale());
        if ended == Ended::Converged && fine < enough {
            rounds.refine(fine, program.scale());
        }
        rounds.solution(ended)
    }
}

impl Sparse {
    /// Springs in place of constraints, for programs that have no solution: they give way in proportion to their impulses.
    pub(crate) fn elastic(program: &Program) -> Solution {
        let mut solver = Self::default();
        solver.prepare(program, usize::MAX);
        let packed = Packed::new(program);
        let mut springs = Rounds::new(&mut solver, &packed, Law::Relaxed, None);
        springs.stiffness = 1.0 / tolerance::ELASTIC_REL;
        let scale = program.scale();
        let balanced = springs.newton(tolerance::SPARSE_RESIDUAL_REL * scale);
        springs.take_multipliers();
        springs.solution(if balanced { Ended::Converged } else { Ended::Limit })
    }
}

/// The state of a solution under way.
struct Rounds<'a> {
    solver: &'a mut Sparse,
    packed: &'a Packed,
    /// Multipliers that the springs start from.
    contacts: Vec<[f64; 3]>,
    rows: Vec<f64>,
    y: Vec<Part>,
    /// Velocities at y, and what a step along the direction at hand changes in them.
    velocities: Vec<[f64; 3]>,
    row_velocities: Vec<f64>,
    changes: Vec<[f64; 3]>,
    row_changes: Vec<f64>,
    /// Γ of 002: by how much the sliding raises each normal velocity; zero for the relaxation.
    raised: Vec<f64>,
    law: Law,
    steps: usize,
    /// How far the constraints were from being held after the last round.
    left: f64,
    stiffness: f64,
    /// The largest square of a contact's or a row's lines: from y to velocities.
    largest: f64,
    /// What the factor was made for.
    made: Option<Stand>,
}

/// How springs stand: what the factor depends on besides the program.
#[derive(Clone, Debug, PartialEq)]
struct Stand {
    stiffness: f64,
    /// The slope of each contact's projection; none where it does not push.
    contacts: Vec<Option<[[f64; 3]; 3]>>,
    /// Whether each row pushes.
    rows: Vec<bool>,
}

impl<'a> Rounds<'a> {
    fn new(solver: &'a mut Sparse, packed: &'a Packed, law: Law, warm: Option<&Solution>) -> Self {
        let (contacts, rows) = packed.started(warm);
        let y = packed.response(&contacts, &rows);
        let changes = vec![[0.0; 3]; contacts.len()];
        let row_changes = vec![0.0; rows.len()];
        let mut rounds = Self {
            solver,
            packed,
            contacts,
            rows,
            y,
            velocities: changes.clone(),
            row_velocities: row_changes.clone(),
            raised: vec![0.0; changes.len()],
            changes,
            row_changes,
            law,
            steps: 0,
            left: f64::INFINITY,
            stiffness: tolerance::SPRING_REL,
            largest: packed
                .contacts
                .iter()
                .map(|contact| contact.size)
                .chain(packed.rows.iter().map(|row| row.square))
                .fold(0.0, f64::max),
            made: None,
        };
        rounds.refresh();
        rounds
    }

    fn run(&mut self, enough: f64, scale: f64) -> Ended {
        let mut history: Vec<f64> = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            // Rounding in the velocities, times the springs, is what the inner problem can be solved to.
            let rounding = 8.0 * f64::EPSILON * self.stiffness * scale;
            let inner = self.newton(enough.max(rounding));
            if !inner && self.steps >= self.solver.most {
                // Springs that are not in balance say nothing about impulses.
                return Ended::Limit;
            }
            let violation = self.take_multipliers();
            let raised = self.raise();
            self.left = violation.max(raised);
            if inner && self.left <= enough {
                return Ended::Converged;
            }
            if raised > violation / 4.0 {
                // The sliding still settles, which says nothing about the constraints.
                history.clear();
                continue;
            }
            let slow = history.last().is_some_and(|&before| violation > before / 4.0);
            if slow {
                self.stiffness = (10.0 * self.stiffness).min(tolerance::SPRING_MOST_REL);
            }
            history.push(violation);
            if stalls(&history, enough) {
                return Ended::Infeasible;
            }
        }
        Ended::Limit
    }

    /// More rounds, as long as each leaves a tenth of what the one before it left; the last that came nearer counts.
    fn refine(&mut self, enough: f64, scale: f64) {
        let rounding = 8.0 * f64::EPSILON * self.stiffness * scale;
        while self.left > enough.max(rounding) {
            let (contacts, rows, y, left) =
                (self.contacts.clone(), self.rows.clone(), self.y.clone(), self.left);
            let inner = self.newton(enough.max(rounding));
            self.left = if inner { self.take_multipliers().max(self.raise()) } else { f64::INFINITY };
            if self.left > left {
                (self.contacts, self.rows, self.y) = (contacts, rows, y);
            }
            if self.left > left / 10.0 {
                break;
            }
        }
    }

    fn solution(self, ended: Ended) -> Solution {
        Solution {
            y: self.packed.unpacked(&self.y),
            contacts: self.contacts,
            rows: self.rows,
            ended,
            iterations: self.steps,
        }
    }

    /// Velocities at y.
    fn refresh(&mut self) {
        for (at, contact) in self.packed.contacts.iter().enumerate() {
            self.velocities[at] = contact.velocity(&self.y);
            self.velocities[at][0] += self.raised[at];
        }
        for (u, row) in self.row_velocities.iter_mut().zip(&self.packed.rows) {
            *u = row.velocity(&self.y);
        }
    }

    /// Raises the normal velocities by μ times the sliding, as Coulomb's law has it; the largest change.
    fn raise(&mut self) -> f64 {
        if self.law == Law::Relaxed {
            return 0.0;
        }
        let mut most = 0.0_f64;
        for (at, contact) in self.packed.contacts.iter().enumerate() {
            let [_, x, y] = self.velocities[at];
            let wanted = contact.friction * (x * x + y * y).sqrt();
            let change = wanted - self.raised[at];
            self.raised[at] = wanted;
            self.velocities[at][0] += change;
            most = most.max(change.abs());
        }
        most
    }

    /// The multipliers become what the springs push with; the largest change, as a velocity: how far the constraints are
    /// from being held.
    fn take_multipliers(&mut self) -> f64 {
        let mut most = 0.0_f64;
        for at in 0..self.contacts.len() {
            let contact = &self.packed.contacts[at];
            let spring = self.stiffness / contact.size;
            if !spring.is_finite() {
                continue;
            }
            let next = projected(contact.friction, stretched(self.contacts[at], self.velocities[at], spring));
            for (old, new) in self.contacts[at].iter().zip(next) {
                most = most.max((new - old).abs() / spring);
            }
            self.contacts[at] = next;
        }
        for at in 0..self.rows.len() {
            let row = &self.packed.rows[at];
            let spring = self.stiffness / row.square;
            if !spring.is_finite() {
                continue;
            }
            let next = row.allowed(self.rows[at] - spring * self.row_velocities[at]);
            most = most.max((next - self.rows[at]).abs() / spring);
            self.rows[at] = next;
        }
        most
    }

    /// Minimises ½|y|² with the springs; whether it got as far as rounding lets it.
    fn newton(&mut self, enough: f64) -> bool {
        let (mut down, mut length) = self.gradient();
        for _ in 0..STEPS.min(self.solver.most.saturating_sub(self.steps)) {
            self.steps += 1;
            if length * self.largest.sqrt() <= enough {
                return true;
            }
            if !self.factorise() {
                return false;
            }
            let solver = &mut *self.solver;
            let mut direction = down.clone();
            let slots = self.packed.slots;
            solver.factor.solve(&solver.pattern, &mut direction[..slots], &mut solver.scratch);
            let slope = inner(&direction, &down);
            if !(slope > 0.0) {
                return false;
            }
            // All of the way, unless the slope has turned by then.
            let from = self.y.clone();
            self.go(&from, &direction, 1.0);
            (down, length) = self.gradient();
            let turned = -inner(&direction, &down);
            if turned > LEVEL * slope {
                self.go(&from, &direction, 0.0);
                for (change, contact) in self.changes.iter_mut().zip(&self.packed.contacts) {
                    *change = contact.change(&direction);
                }
                for (change, row) in self.row_changes.iter_mut().zip(&self.packed.rows) {
                    *change = row.change(&direction);
                }
                let share = self.line_search(&direction, slope, turned);
                self.go(&from, &direction, share);
                (down, length) = self.gradient();
            }
        }
        false
    }

    /// Goes to a share of a direction.
    fn go(&mut self, from: &[Part], direction: &[Part], share: f64) {
        for ((y, from), d) in self.y.iter_mut().zip(from).zip(direction) {
            (0..SIDE).for_each(|i| y[i] = from[i] + share * d[i]);
        }
        self.refresh();
    }

    /// The opposite of the gradient, and its largest part.
    fn gradient(&self) -> (Vec<Part>, f64) {
        let mut down = self.packed.zeros();
        for (at, contact) in self.packed.contacts.iter().enumerate() {
            let spring = self.stiffness / contact.size;
            if spring.is_finite() {
                let push =
                    projected(contact.friction, stretched(self.contacts[at], self.velocities[at], spring));
                contact.push(push, &mut down);
            }
        }
        for (at, row) in self.packed.rows.iter().enumerate() {
            let spring = self.stiffness / row.square;
            if spring.is_finite() {
                row.push(row.allowed(self.rows[at] - spring * self.row_velocities[at]), &mut down);
            }
        }
        let mut most = 0.0_f64;
        for (down, y) in down.iter_mut().zip(&self.y) {
            for (down, y) in down.iter_mut().zip(y) {
                *down -= y;
                most = most.max(down.abs());
            }
        }
        (down, most)
    }

    /// How the springs stand at the present velocities.
    fn stand(&self) -> Stand {
        let contacts = self.packed.contacts.iter().enumerate().map(|(at, contact)| {
            let spring = self.stiffness / contact.size;
            let push = stretched(self.contacts[at], self.velocities[at], spring);
            if spring.is_finite() { projection_slope(contact.friction, push) } else { None }
        });
        let rows = self.packed.rows.iter().enumerate().map(|(at, row)| {
            let spring = self.stiffness / row.square;
            let push = self.rows[at] - spring * self.row_velocities[at];
            spring.is_finite() && row.allowed(push) == push
        });
        Stand { stiffness: self.stiffness, contacts: contacts.collect(), rows: rows.collect() }
    }

    /// Makes the factor of the identity and of all springs that push; false where there is none. Where all stand as they did
    /// when it was last made, it is made already.
    fn factorise(&mut self) -> bool {
        let stand = self.stand();
        if self.made.as_ref() == Some(&stand) {
            return true;
        }
        let Sparse { pattern, matrix, factor, .. } = &mut *self.solver;
        // What has changed since it was last made: most contacts stick, or part, from step to step.
        let before = self.made.take().filter(|made| made.stiffness == self.stiffness);
        if before.is_none() {
            matrix.reset(pattern);
        }
        let slots = self.packed.slots;
        for (at, contact) in self.packed.contacts.iter().enumerate() {
            let (old, new) = (before.as_ref().and_then(|before| before.contacts[at]), stand.contacts[at]);
            if old != new {
                let spring = self.stiffness / contact.size;
                let [old, new] = [old, new].map(Option::unwrap_or_default);
                let change =
                    std::array::from_fn(|i| std::array::from_fn(|j| spring * (new[i][j] - old[i][j])));
                add_contact(matrix, pattern, contact, &change, slots);
            }
        }
        for (at, row) in self.packed.rows.iter().enumerate() {
            let pushed = before.as_ref().is_some_and(|before| before.rows[at]);
            if pushed == stand.rows[at] {
                continue;
            }
            let spring = self.stiffness / row.square * if pushed { -1.0 } else { 1.0 };
            let scaled = row.line.map(|part| part.map(|x| x * spring));
            for [i, j] in [[0, 0], [1, 1], [0, 1]] {
                if row.slots[i] < slots && row.slots[j] < slots {
                    matrix.add(pattern, [row.slots[i], row.slots[j]], &[row.line[i]], &[scaled[j]]);
                }
            }
        }
        factor.copy_from(matrix);
        let positive = factor.factorise(pattern);
        self.made = positive.then_some(stand);
        positive
    }

    /// How far to go: where the slope along the direction, which has turned at its end, has all but vanished.
    fn line_search(&self, direction: &[Part], slope: f64, turned: f64) -> f64 {
        let along = inner(direction, &self.y);
        let square = inner(direction, direction);
        let slope_at = |share: f64| {
            let mut sum = along + share * square;
            for (at, contact) in self.packed.contacts.iter().enumerate() {
                let spring = self.stiffness / contact.size;
                if spring.is_finite() {
                    let u: [f64; 3] =
                        std::array::from_fn(|i| self.velocities[at][i] + share * self.changes[at][i]);
                    let push = projected(contact.friction, stretched(self.contacts[at], u, spring));
                    sum -= (0..3).map(|i| push[i] * self.changes[at][i]).sum::<f64>();
                }
            }
            for (at, row) in self.packed.rows.iter().enumerate() {
                let spring = self.stiffness / row.square;
                if spring.is_finite() {
                    let u = self.row_velocities[at] + share * self.row_changes[at];
                    sum -= row.allowed(self.rows[at] - spring * u) * self.row_changes[at];
                }
            }
            sum
        };
        // The slope rises along the line from −slope; false position with halving finds its zero.
        let (mut low, mut high) = ((0.0, -slope), (1.0, turned));
        let mut share = 1.0;
        for trial in 0..TRIALS {
            share = if trial % 3 == 2 {
                (low.0 + high.0) / 2.0
            } else {
                low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1)
            };
            let found = slope_at(share);
            if found.abs() <= LEVEL * slope {
                break;
            }
            if found < 0.0 { low = (share, found) } else { high = (share, found) }
        }
        share
    }
}

/// A share of the first slope at which a line search stops.
const LEVEL: f64 = 0.1;

/// Whether rounds no longer come nearer to holding the constraints: then nothing holds them.
fn stalls(history: &[f64], enough: f64) -> bool {
    const BACK: usize = 8;
    let Some(&last) = history.last() else { return false };
    let earlier = history.len().checked_sub(1 + BACK).map(|at| history[at]);
    last > tolerance::STALL_REL * enough && earlier.is_some_and(|earlier| last > earlier / 2.0)
}

/// What a spring pushes with, before it is projected.
#[inline]
fn stretched(from: [f64; 3], u: [f64; 3], spring: f64) -> [f64; 3] {
    std::array::from_fn(|i| from[i] - spring * u[i])
}

#[inline]
fn projected(friction: f64, impulse: [f64; 3]) -> [f64; 3] {
    crate::friction::project(friction, impulse)
}

/// The derivative of the projection on the cone; none where it is zero.
fn projection_slope(friction: f64, impulse: [f64; 3]) -> Option<[[f64; 3]; 3]> {
    let [n, x, y] = impulse;
    let tangential = (x * x + y * y).sqrt();
    if tangential <= friction * n {
        return Some([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }
    let along = (n + friction * tangential) / (1.0 + friction * friction);
    if !(along > 0.0) {
        return None;
    }
    // On the side of the cone: along its ray, and round the cone in proportion to the distance from the axis.
    let unit = if tangential > 0.0 { [x / tangential, y / tangential] } else { [0.0; 2] };
    let ray = [1.0, friction * unit[0], friction * unit[1]];
    let round = [0.0, -unit[1], unit[0]];
    let weight = if tangential > 0.0 { friction * along / tangential } else { 0.0 };
    let share = 1.0 / (1.0 + friction * friction);
    Some(std::array::from_fn(|i| {
        std::array::from_fn(|j| share * ray[i] * ray[j] + weight * round[i] * round[j])
    }))
}

fn add_contact(
    factor: &mut Factor<SIDE>,
    pattern: &Pattern,
    contact: &PackedContact,
    slope: &[[f64; 3]; 3],
    slots: usize,
) {
    let [a, b] = contact.slots;
    let of = |end: usize| contact.lines.map(|line| line[end]);
    let scaled = |lines: &[Part; 3]| -> [Part; 3] {
        std::array::from_fn(|i| {
            std::array::from_fn(|k| (0..3).map(|j| slope[i][j] * lines[j][k]).sum::<f64>())
        })
    };
    let (one, two) = (of(0), of(1));
    if a < slots {
        factor.add(pattern, [a, a], &one, &scaled(&one));
    }
    if b < slots {
        let scaled = scaled(&two);
        factor.add(pattern, [b, b], &two, &scaled);
        if a < slots {
            factor.add(pattern, [a, b], &one, &scaled);
        }
    }
}
