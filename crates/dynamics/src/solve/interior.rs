//! The convex program by an interior-point method: the reference.
//!
//! Source: Clarabel (Goulart and Chen 2024), on (5.7) of 002 with exact or polyhedral cones.
//! Differs: motors, whose multipliers are bounded, take a slack variable each.
//! Ends because: its iterations are limited.
//! Cost: a sparse factorisation per iteration, about twenty of them; no warm start.
//! Not promised: multipliers to more digits than its tolerance.

use super::{Ended, Solution, Solver};
use crate::program::{Demand, Line, Program};
use crate::tolerance;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// Clarabel as a solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interior;

/// Rows `b − A x ∈ K` under construction.
struct Build {
    columns: usize,
    entries: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Build {
    /// Adds `line · y + start` as the next row of a cone.
    fn push(&mut self, width: usize, line: &Line, times: f64, start: f64) {
        let row = self.right.len();
        for (slot, values) in line.slots.iter().zip(&line.values) {
            if let Some(slot) = slot {
                for (at, value) in values.iter().take(width).enumerate() {
                    self.entries.push((row, slot * width + at, -times * value));
                }
            }
        }
        self.right.push(times * start);
    }

    fn matrix(&self) -> CscMatrix<f64> {
        let rows = self.entries.iter().map(|e| e.0).collect();
        let columns = self.entries.iter().map(|e| e.1).collect();
        let values = self.entries.iter().map(|e| e.2).collect();
        CscMatrix::new_from_triplets(self.right.len(), self.columns, rows, columns, values)
    }
}

impl Solver for Interior {
    fn solve(&mut self, program: &Program, _warm: Option<&Solution>) -> Solution {
        let motors = program.rows.iter().filter(|row| matches!(row.demand, Demand::Within(_))).count();
        let size = program.size();
        let mut build =
            Build { columns: size + motors, entries: Vec::new(), right: Vec::new(), cones: Vec::new() };
        let linear = rows(program, &mut build, size);
        let directions = program.cone.directions(program.is_planar());
        contacts(program, &mut build, &directions);
        let mut quadratic: Vec<f64> = vec![1.0; size];
        quadratic.extend(vec![0.0; motors]);
        let diagonal = CscMatrix::new_from_triplets(
            size + motors,
            size + motors,
            (0..size).collect(),
            (0..size).collect(),
            quadratic[..size].to_vec(),
        );
        let mut cost = vec![0.0; size];
        cost.extend(linear);
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tolerance::INTERIOR_GAP,
            tol_gap_rel: tolerance::INTERIOR_GAP,
            ..DefaultSettings::default()
        };
        let solver =
            DefaultSolver::new(&diagonal, &cost, &build.matrix(), &build.right, &build.cones, settings);
        let nothing = || Solution {
            y: vec![0.0; size],
            contacts: vec![[0.0; 3]; program.contacts.len()],
            rows: vec![0.0; program.rows.len()],
            ended: Ended::Infeasible,
            iterations: 0,
        };
        let Ok(mut solver) = solver else { return nothing() };
        solver.solve();
        let found = &solver.solution;
        let ended = match found.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => Ended::Converged,
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => return nothing(),
            _ => Ended::Limit,
        };
        multipliers(program, &found.x[..size], &found.z, &directions, ended, found.iterations as usize)
    }
}

/// The scalar rows; the costs of the motors' slacks.
fn rows(program: &Program, build: &mut Build, size: usize) -> Vec<f64> {
    let mut costs = Vec::new();
    for row in &program.rows {
        let start = row.start + row.bias;
        match row.demand {
            Demand::Zero => {
                build.push(program.width, &row.line, 1.0, start);
                build.cones.push(SupportedConeT::ZeroConeT(1));
            }
            Demand::NotNegative => {
                build.push(program.width, &row.line, 1.0, start);
                build.cones.push(SupportedConeT::NonnegativeConeT(1));
            }
            Demand::Within(most) => {
                // |u| ≤ s at the cost most · s.
                let slack = size + costs.len();
                for times in [1.0, -1.0] {
                    let at = build.right.len();
                    build.push(program.width, &row.line, times, start);
                    build.entries.push((at, slack, -1.0));
                }
                build.cones.push(SupportedConeT::NonnegativeConeT(2));
                costs.push(most);
            }
        }
    }
    costs
}

fn contacts(program: &Program, build: &mut Build, directions: &[[f64; 2]]) {
    for contact in &program.contacts {
        let normal = contact.start[0] + contact.bias;
        if directions.is_empty() {
            build.push(program.width, &contact.lines[0], 1.0, normal);
            for at in [1, 2] {
                build.push(program.width, &contact.lines[at], contact.friction, contact.start[at]);
            }
            build.cones.push(SupportedConeT::SecondOrderConeT(3));
        } else {
            for direction in directions {
                let [x, y] = direction.map(|d| contact.friction * d);
                let line = contact.lines[0].plus(x, &contact.lines[1]).plus(y, &contact.lines[2]);
                let start = normal + x * contact.start[1] + y * contact.start[2];
                build.push(program.width, &line, 1.0, start);
            }
            build.cones.push(SupportedConeT::NonnegativeConeT(directions.len()));
        }
    }
}

/// Impulses from the dual variables, in the order in which rows were pushed.
fn multipliers(
    program: &Program,
    y: &[f64],
    dual: &[f64],
    directions: &[[f64; 2]],
    ended: Ended,
    iterations: usize,
) -> Solution {
    let mut duals = dual.iter().copied();
    let mut next = || duals.next().unwrap_or(0.0);
    let mut rows = Vec::with_capacity(program.rows.len());
    for row in &program.rows {
        rows.push(match row.demand {
            Demand::Zero | Demand::NotNegative => next(),
            Demand::Within(_) => next() - next(),
        });
    }
    let mut impulses = Vec::with_capacity(program.contacts.len());
    for contact in &program.contacts {
        let mut impulse = [0.0; 3];
        if directions.is_empty() {
            impulse = [next(), contact.friction * next(), contact.friction * next()];
        } else {
            for direction in directions {
                let multiplier = next();
                impulse[0] += multiplier;
                impulse[1] += multiplier * contact.friction * direction[0];
                impulse[2] += multiplier * contact.friction * direction[1];
            }
        }
        impulses.push(impulse);
    }
    Solution { y: y.to_vec(), contacts: impulses, rows, ended, iterations }
}
