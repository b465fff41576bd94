//! The convex program by projected sweeps over its contacts.
//!
//! Source: block Gauss–Seidel on the cone complementarity problem (Tasora and Anitescu 2011).
//! Differs: with exact cones the sweeps are accelerated; on facets and for springs each contact takes a step with its own
//! diagonal block's trace and is projected on its cone.
//! Ends because: sweeps are limited.
//! Cost: linear in the contacts per sweep.
//! Not promised: more digits than the residual says; tall stacks take hundreds of sweeps.

use super::packed::Packed;
use super::sweeps::{self, Law};
use super::{Ended, Solution, Solver};
use crate::friction::project;
use crate::program::{Contact, Demand, Line, Program};
use crate::tolerance;

/// Projected block sweeps, started from the last impulses.
#[derive(Clone, Debug)]
pub struct Block {
    /// Most sweeps.
    pub sweeps: usize,
    /// Compliance that turns the constraints into springs: the velocity that is left per impulse; 0 for hard ones.
    pub compliance: f64,
}

impl Default for Block {
    fn default() -> Self {
        Self { sweeps: 500, compliance: 0.0 }
    }
}

impl Block {
    /// A method for programs that have no solution: constraints give way in proportion to their impulses.
    pub fn elastic(program: &Program) -> Self {
        let contacts = program.contacts.iter().map(|contact| contact.lines[0].square());
        let squares: Vec<f64> = contacts.chain(program.rows.iter().map(|row| row.line.square())).collect();
        let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
        Self { compliance: tolerance::ELASTIC_REL * mean, ..Self::default() }
    }
}

impl Solver for Block {
    fn solve(&mut self, program: &Program, warm: Option<&Solution>) -> Solution {
        if self.compliance > 0.0 || program.has_facets() {
            return self.sweep(program, warm);
        }
        self.accelerated(program, warm, Law::Relaxed)
    }

    fn solve_coulomb(&mut self, program: &Program, warm: Option<&Solution>) -> Option<Solution> {
        (!program.has_facets()).then(|| self.accelerated(program, warm, Law::Coulomb))
    }
}

impl Block {
    fn accelerated(&self, program: &Program, warm: Option<&Solution>, law: Law) -> Solution {
        let enough = tolerance::BLOCK_RESIDUAL_REL * program.scale();
        sweeps::sweep(&Packed::new(program), warm, law, enough, self.sweeps, None)
    }

    /// Plain sweeps until nothing moves: for facets, and for springs.
    fn sweep(&self, program: &Program, warm: Option<&Solution>) -> Solution {
        let fits = |warm: &&Solution| {
            warm.contacts.len() == program.contacts.len() && warm.rows.len() == program.rows.len()
        };
        let mut solution = warm.filter(fits).cloned().unwrap_or_else(|| Solution {
            contacts: vec![[0.0; 3]; program.contacts.len()],
            rows: vec![0.0; program.rows.len()],
            ..Solution::default()
        });
        let directions = match program.cone {
            crate::Cone::Facets(_) if !program.is_planar() => program.cone.directions(false),
            _ => Vec::new(),
        };
        // On facets each contact's impulse is kept as the multipliers of its planes.
        let mut planes = vec![0.0; directions.len() * program.contacts.len()];
        if !directions.is_empty() {
            solution.contacts.iter_mut().for_each(|impulse| *impulse = [0.0; 3]);
        }
        let mut y = program.response(&solution.contacts, &solution.rows);
        let enough = tolerance::BLOCK_RESIDUAL_REL * program.scale();
        solution.ended = Ended::Limit;
        solution.iterations = self.sweeps;
        for sweep in 0..self.sweeps {
            let mut moved = self.rows(program, &mut solution.rows, &mut y);
            for (at, contact) in program.contacts.iter().enumerate() {
                let impulse = &mut solution.contacts[at];
                let planes = &mut planes[directions.len() * at..directions.len() * (at + 1)];
                moved = moved.max(if directions.is_empty() {
                    self.cone(program, contact, impulse, &mut y)
                } else {
                    self.facets(program, contact, &directions, planes, impulse, &mut y)
                });
            }
            if moved <= enough {
                solution.ended = Ended::Converged;
                solution.iterations = sweep + 1;
                break;
            }
        }
        solution.y = y;
        solution
    }

    /// One sweep over the scalar rows; the largest change, as a velocity.
    fn rows(&self, program: &Program, impulses: &mut [f64], y: &mut [f64]) -> f64 {
        let mut moved = 0.0_f64;
        for (row, impulse) in program.rows.iter().zip(impulses) {
            let size = row.line.square() + self.compliance;
            if !(size > 0.0) {
                continue;
            }
            let u = program.row_velocity(row, y) + self.compliance * *impulse;
            let wanted = *impulse - u / size;
            let next = match row.demand {
                Demand::Zero => wanted,
                Demand::NotNegative => wanted.max(0.0),
                Demand::Within(most) => wanted.clamp(-most, most),
            };
            row.line.add_to(program.width, next - *impulse, y);
            moved = moved.max((next - *impulse).abs() * size);
            *impulse = next;
        }
        moved
    }

    fn cone(&self, program: &Program, contact: &Contact, impulse: &mut [f64; 3], y: &mut [f64]) -> f64 {
        let size = contact.lines.iter().map(Line::square).fold(0.0, f64::max) * 2.0 + self.compliance;
        if !(size > 0.0) {
            return 0.0;
        }
        let mut u = program.velocity(contact, y);
        u[0] += self.compliance * impulse[0];
        let stepped: [f64; 3] = std::array::from_fn(|i| impulse[i] - u[i] / size);
        let next = project(contact.friction, stepped);
        let mut moved = 0.0_f64;
        for ((line, next), impulse) in contact.lines.iter().zip(next).zip(impulse.iter_mut()) {
            line.add_to(program.width, next - *impulse, y);
            moved = moved.max((next - *impulse).abs() * size);
            *impulse = next;
        }
        moved
    }

    fn facets(
        &self,
        program: &Program,
        contact: &Contact,
        directions: &[[f64; 2]],
        planes: &mut [f64],
        impulse: &mut [f64; 3],
        y: &mut [f64],
    ) -> f64 {
        let mut moved = 0.0_f64;
        for (direction, multiplier) in directions.iter().zip(planes) {
            let [x, z] = direction.map(|d| contact.friction * d);
            let line = contact.lines[0].plus(x, &contact.lines[1]).plus(z, &contact.lines[2]);
            let size = line.square() + self.compliance;
            if !(size > 0.0) {
                continue;
            }
            let start = contact.start[0] + contact.bias + x * contact.start[1] + z * contact.start[2];
            let u = start + line.dot(program.width, y) + self.compliance * *multiplier;
            let change = (*multiplier - u / size).max(0.0) - *multiplier;
            line.add_to(program.width, change, y);
            *multiplier += change;
            impulse[0] += change;
            impulse[1] += change * x;
            impulse[2] += change * z;
            moved = moved.max(change.abs() * size);
        }
        moved
    }
}
