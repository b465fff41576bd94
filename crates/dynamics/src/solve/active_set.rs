//! The convex program by a dense dual active set.
//!
//! Source: Goldfarb and Idnani 1983, with the identity as Hessian; 002, (5.7).
//! Differs: DIFFERS: an exact cone is the family of its tangent planes u_n + μ d·u_t ≥ 0, ‖d‖ ≤ 1, of which the most
//! violated one is entered, made for the velocity at hand; so active rows are vectors, not numbers of given constraints.
//! Ends because: every full step raises the dual objective, partial steps drop a row; iterations are limited.
//! Cost: O(n·k) per change for n numbers of velocity and k active rows.
//! Not promised: unique impulses where contacts are redundant; the velocities are unique.

use super::{Ended, Solution, Solver};
use crate::program::{Demand, Line, Program};
use crate::tolerance;

/// Dense dual active set, for islands of up to some dozens of bodies.
#[derive(Clone, Debug, Default)]
pub struct ActiveSet {
    rows: Vec<Active>,
    /// Orthonormal basis of the active rows, and the triangle that gives them back, column by column.
    basis: Vec<Vec<f64>>,
    triangle: Vec<Vec<f64>>,
}

/// Where an active row comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// A tangent plane of a contact's cone.
    Contact { at: usize, direction: [f64; 2] },
    /// A scalar row, perhaps with its sign turned.
    Row { at: usize, sign: f64 },
}

#[derive(Clone, Copy, Debug)]
struct Active {
    origin: Origin,
    line: Line,
    multiplier: f64,
    /// Equalities keep any sign and never leave.
    equality: bool,
}

/// A violated constraint.
struct Violated {
    origin: Origin,
    line: Line,
    /// Negative.
    value: f64,
}

/// What entering a row came to.
enum Entered {
    Yes,
    /// It depends on rows that cannot leave.
    Impossible,
}

impl Solver for ActiveSet {
    fn solve(&mut self, program: &Program, _warm: Option<&Solution>) -> Solution {
        let tolerance = tolerance::VIOLATION_REL * program.scale();
        let mut dropped_motors: Vec<Option<f64>> = vec![None; program.rows.len()];
        let mut iterations = 0;
        loop {
            let solution = self.run(program, tolerance, &dropped_motors, &mut iterations);
            // A motor whose force is used up pushes with what it has; the rest is solved again without its row.
            let over = program.rows.iter().enumerate().find_map(|(at, row)| match row.demand {
                Demand::Within(most) if dropped_motors[at].is_none() && solution.rows[at].abs() > most => {
                    Some((at, most.copysign(solution.rows[at])))
                }
                _ => None,
            });
            match over {
                Some((at, force)) => dropped_motors[at] = Some(force),
                None => return Solution { iterations, ..solution },
            }
        }
    }
}

impl ActiveSet {
    fn run(
        &mut self,
        program: &Program,
        tolerance: f64,
        motors: &[Option<f64>],
        iterations: &mut usize,
    ) -> Solution {
        let mut ended = Ended::Converged;
        let mut pushed = vec![0.0; program.size()];
        let mut y = match self.resume(program) {
            Some(y) => y,
            None => {
                for (row, force) in program.rows.iter().zip(motors) {
                    if let Some(force) = force {
                        row.line.add_to(program.width, *force, &mut pushed);
                    }
                }
                let mut y = pushed.clone();
                if !self.enter_equalities(program, tolerance, motors, &mut y) {
                    ended = Ended::Infeasible;
                }
                *iterations += self.rows.len();
                y
            }
        };
        let most = 100 + 40 * (program.contacts.len() + program.rows.len());
        let mut spent = 0;
        while ended == Ended::Converged {
            let Some(violated) = most_violated(program, &y, tolerance) else { break };
            spent += 1;
            if spent > most {
                ended = Ended::Limit;
            } else if matches!(self.enter(program, &violated, &mut y, false), Entered::Impossible) {
                ended = Ended::Infeasible;
            }
        }
        *iterations += spent;
        self.solution(program, &pushed, motors, ended)
    }

    /// Starts afresh with the equalities; false where they contradict each other.
    fn enter_equalities(
        &mut self,
        program: &Program,
        tolerance: f64,
        motors: &[Option<f64>],
        y: &mut [f64],
    ) -> bool {
        self.rows.clear();
        self.basis.clear();
        self.triangle.clear();
        for (at, row) in program.rows.iter().enumerate() {
            if row.demand == Demand::NotNegative || motors[at].is_some() {
                continue;
            }
            let value = program.row_velocity(row, y);
            // Entered as u ≥ 0 from below, whichever side it is on.
            let sign = if value > 0.0 { -1.0 } else { 1.0 };
            let line = Line { slots: row.line.slots, ..Line::default() }.plus(sign, &row.line);
            let violated = Violated { origin: Origin::Row { at, sign }, line, value: -value.abs() };
            let impossible = matches!(self.enter(program, &violated, y, true), Entered::Impossible);
            if impossible && value.abs() > tolerance {
                return false;
            }
        }
        true
    }

    /// Goes on from the rows of the last program, where this one has the same rows with other biases: drops those that pull,
    /// which leaves a point that is optimal for the rest. None where it is another program.
    fn resume(&mut self, program: &Program) -> Option<Vec<f64>> {
        let has_motors = program.rows.iter().any(|row| matches!(row.demand, Demand::Within(_)));
        if self.rows.is_empty() || has_motors {
            return None;
        }
        if self.basis.iter().any(|direction| direction.len() != program.size()) {
            return None;
        }
        let mut starts = Vec::with_capacity(self.rows.len());
        for active in &self.rows {
            let (line, start) = current(program, active.origin)?;
            if line != active.line {
                return None;
            }
            starts.push(start);
        }
        loop {
            let mut across: Vec<f64> = Vec::with_capacity(starts.len());
            for (column, start) in self.triangle.iter().zip(&starts) {
                let known: f64 = column.iter().zip(&across).map(|(r, w)| r * w).sum();
                across.push((-start - known) / column[across.len()]);
            }
            let multipliers = self.back_substituted(&across);
            let pulls =
                self.rows.iter().zip(&multipliers).map(|(row, m)| if row.equality { 0.0 } else { *m });
            match pulls.enumerate().filter(|(_, m)| *m < 0.0).min_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((at, _)) => {
                    self.leave(at);
                    starts.remove(at);
                }
                None => {
                    self.rows.iter_mut().zip(&multipliers).for_each(|(row, m)| row.multiplier = *m);
                    let mut y = vec![0.0; program.size()];
                    for (direction, w) in self.basis.iter().zip(&across) {
                        y.iter_mut().zip(direction).for_each(|(y, d)| *y += w * d);
                    }
                    return Some(y);
                }
            }
        }
    }

    /// Enters a violated row: steps along the dual until it holds, dropping rows whose multipliers reach zero.
    fn enter(&mut self, program: &Program, violated: &Violated, y: &mut [f64], equality: bool) -> Entered {
        let mut row = vec![0.0; y.len()];
        violated.line.add_to(program.width, 1.0, &mut row);
        let square = violated.line.square();
        let (mut value, mut multiplier) = (violated.value, 0.0);
        loop {
            let (shares, rest) = self.split(&row);
            let left: f64 = rest.iter().map(|x| x * x).sum();
            let independent = left > tolerance::DEPENDENT_ROW_SQ * square;
            let full = if independent { -value / left } else { f64::INFINITY };
            let change = self.back_substituted(&shares);
            let mut partial = (f64::INFINITY, None);
            for (at, (active, change)) in self.rows.iter().zip(&change).enumerate() {
                if !active.equality && *change > 0.0 && active.multiplier / change < partial.0 {
                    partial = (active.multiplier / change, Some(at));
                }
            }
            let step = full.min(partial.0);
            if step == f64::INFINITY {
                return Entered::Impossible;
            }
            for (active, change) in self.rows.iter_mut().zip(&change) {
                active.multiplier -= step * change;
            }
            multiplier += step;
            if independent {
                y.iter_mut().zip(&rest).for_each(|(y, rest)| *y += step * rest);
                value += step * left;
            }
            match partial.1 {
                Some(at) if partial.0 < full => self.leave(at),
                _ => {
                    let length = left.sqrt();
                    self.basis.push(rest.into_iter().map(|x| x / length).collect());
                    let mut column = shares;
                    column.push(length);
                    self.triangle.push(column);
                    let active =
                        Active { origin: violated.origin, line: violated.line, multiplier, equality };
                    self.rows.push(active);
                    return Entered::Yes;
                }
            }
        }
    }

    /// The row's coordinates in the basis, and what is left of it; projected twice, since once loses digits.
    fn split(&self, row: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut rest = row.to_vec();
        let mut shares = vec![0.0; self.basis.len()];
        for _ in 0..2 {
            for (share, direction) in shares.iter_mut().zip(&self.basis) {
                let part: f64 = direction.iter().zip(&rest).map(|(d, r)| d * r).sum();
                *share += part;
                rest.iter_mut().zip(direction).for_each(|(r, d)| *r -= part * d);
            }
        }
        (shares, rest)
    }

    fn back_substituted(&self, shares: &[f64]) -> Vec<f64> {
        let mut solution = shares.to_vec();
        for at in (0..solution.len()).rev() {
            let column = &self.triangle[at];
            solution[at] /= column[at];
            let value = solution[at];
            for (to, factor) in solution[..at].iter_mut().zip(column) {
                *to -= value * factor;
            }
        }
        solution
    }

    /// Removes an active row and makes the triangle one again by rotations.
    fn leave(&mut self, at: usize) {
        self.rows.remove(at);
        self.triangle.remove(at);
        for column in at..self.triangle.len() {
            let (above, below) = (self.triangle[column][column], self.triangle[column][column + 1]);
            let length = above.hypot(below);
            let (cos, sin) = if length > 0.0 { (above / length, below / length) } else { (1.0, 0.0) };
            for later in &mut self.triangle[column..] {
                let (p, q) = (later[column], later[column + 1]);
                later[column] = cos * p + sin * q;
                later[column + 1] = cos * q - sin * p;
            }
            self.triangle[column].truncate(column + 1);
            let (head, tail) = self.basis.split_at_mut(column + 1);
            for (p, q) in head[column].iter_mut().zip(tail[0].iter_mut()) {
                (*p, *q) = (cos * *p + sin * *q, cos * *q - sin * *p);
            }
        }
        self.basis.pop();
    }

    fn solution(&self, program: &Program, pushed: &[f64], motors: &[Option<f64>], ended: Ended) -> Solution {
        let mut contacts = vec![[0.0; 3]; program.contacts.len()];
        let mut rows: Vec<f64> = motors.iter().map(|force| force.unwrap_or(0.0)).collect();
        let mut y = pushed.to_vec();
        for active in &self.rows {
            active.line.add_to(program.width, active.multiplier, &mut y);
            match active.origin {
                Origin::Contact { at, direction } => {
                    let sideways = active.multiplier * program.contacts[at].friction;
                    contacts[at][0] += active.multiplier;
                    contacts[at][1] += sideways * direction[0];
                    contacts[at][2] += sideways * direction[1];
                }
                Origin::Row { at, sign } => rows[at] += sign * active.multiplier,
            }
        }
        Solution { y, contacts, rows, ended, iterations: 0 }
    }
}

/// What an active row is in a program: its line, and the velocity along it without constraints, bias included.
fn current(program: &Program, origin: Origin) -> Option<(Line, f64)> {
    match origin {
        Origin::Contact { at, direction } => {
            let contact = program.contacts.get(at)?;
            let [x, z] = direction.map(|d| contact.friction * d);
            let line = contact.lines[0].plus(x, &contact.lines[1]).plus(z, &contact.lines[2]);
            let start = contact.start[0] + contact.bias + x * contact.start[1] + z * contact.start[2];
            Some((line, start))
        }
        Origin::Row { at, sign } => {
            let row = program.rows.get(at)?;
            let line = Line { slots: row.line.slots, ..Line::default() }.plus(sign, &row.line);
            Some((line, sign * (row.start + row.bias)))
        }
    }
}

/// The constraint that is violated most, if any is.
fn most_violated(program: &Program, y: &[f64], tolerance: f64) -> Option<Violated> {
    let mut worst: Option<Violated> = None;
    let mut least = -tolerance;
    let directions = match program.cone {
        crate::Cone::Exact => Vec::new(),
        facets => facets.directions(program.is_planar()),
    };
    for (at, contact) in program.contacts.iter().enumerate() {
        let u = program.velocity(contact, y);
        let (value, direction) = steepest(&directions, contact.friction, u);
        if value < least {
            least = value;
            let line = contact.lines[0]
                .plus(contact.friction * direction[0], &contact.lines[1])
                .plus(contact.friction * direction[1], &contact.lines[2]);
            worst = Some(Violated { origin: Origin::Contact { at, direction }, line, value });
        }
    }
    for (at, row) in program.rows.iter().enumerate() {
        let value = program.row_velocity(row, y);
        if row.demand == Demand::NotNegative && value < least {
            least = value;
            let line = Line { slots: row.line.slots, ..Line::default() }.plus(1.0, &row.line);
            worst = Some(Violated { origin: Origin::Row { at, sign: 1.0 }, line, value });
        }
    }
    worst
}

/// The least of u_n + μ d·u_t over the directions of the cone, all of them where none are listed.
fn steepest(directions: &[[f64; 2]], friction: f64, u: [f64; 3]) -> (f64, [f64; 2]) {
    if directions.is_empty() {
        let sliding = u[1].hypot(u[2]);
        let direction = if sliding > 0.0 { [-u[1] / sliding, -u[2] / sliding] } else { [0.0; 2] };
        return (u[0] - friction * sliding, direction);
    }
    let mut best = (f64::INFINITY, [0.0; 2]);
    for direction in directions {
        let value = u[0] + friction * (direction[0] * u[1] + direction[1] * u[2]);
        if value < best.0 {
            best = (value, *direction);
        }
    }
    best
}
