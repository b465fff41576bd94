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
            let of = planes.chunks_exact_mut(directions.len());
            for ((contact, impulse), planes) in program.contacts.iter().zip(&mut solution.contacts).zip(of) {
                *impulse = split_on_facets(&directions, contact.friction, *impulse, planes);
            }
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

/// Multipliers of a cone's planes that make up an impulse: two neighbours for the part along the plane, and what is left of the normal
/// part equally on all, which cancels along the plane. An impulse beyond the cone is brought back to it; what they make up.
fn split_on_facets(
    directions: &[[f64; 2]],
    friction: f64,
    [normal, x, y]: [f64; 3],
    planes: &mut [f64],
) -> [f64; 3] {
    planes.fill(0.0);
    if !(normal > 0.0) {
        return [0.0; 3];
    }
    let count = directions.len();
    // The neighbours that have it between them; none without friction.
    let shares = (0..count).find_map(|at| {
        let (one, two) = (directions[at], directions[(at + 1) % count]);
        let area = friction * (one[0] * two[1] - one[1] * two[0]);
        let by = [(x * two[1] - y * two[0]) / area, (one[0] * y - one[1] * x) / area];
        (by.iter().all(|by| *by >= 0.0 && by.is_finite()) && by[0] + by[1] > 0.0).then_some((at, by))
    });
    let mut rest = normal;
    if let Some((at, by)) = shares {
        let back = (normal / (by[0] + by[1])).min(1.0);
        (planes[at], planes[(at + 1) % count]) = (by[0] * back, by[1] * back);
        rest = (normal - (by[0] + by[1]) * back).max(0.0);
    }
    planes.iter_mut().for_each(|plane| *plane += rest / count as f64);
    let sum = |of: &dyn Fn(&[f64; 2]) -> f64| -> f64 {
        planes.iter().zip(directions).map(|(plane, direction)| plane * of(direction)).sum()
    };
    [sum(&|_| 1.0), friction * sum(&|d| d[0]), friction * sum(&|d| d[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cone;
    use clearance_testkit::Random;

    /// Impulses within the cone come back; those beyond it along the plane are shortened.
    #[test]
    fn impulses_are_split_on_facets() {
        let mut random = Random::new(8);
        let (mut inner, mut beyond) = (0, 0);
        for round in 0..2_000 {
            let directions = Cone::Facets(*random.pick(&[4, 6, 8, 16])).directions(false);
            let friction = if round % 10 == 0 { 0.0 } else { random.uniform(0.1, 2.0) };
            let turn = random.uniform(0.0, std::f64::consts::TAU);
            let (normal, length) = (random.uniform(0.0, 2.0), random.uniform(0.0, 1.5));
            let impulse =
                [normal, normal * friction * length * turn.cos(), normal * friction * length * turn.sin()];
            let mut planes = vec![f64::NAN; directions.len()];
            let found = split_on_facets(&directions, friction, impulse, &mut planes);
            assert!(planes.iter().all(|plane| *plane >= 0.0));
            assert!((found[0] - normal).abs() < 1e-12);
            let made = |axis: usize| -> f64 {
                planes.iter().zip(&directions).map(|(plane, d)| friction * plane * d[axis]).sum()
            };
            assert!((made(0) - found[1]).abs() < 1e-12 && (made(1) - found[2]).abs() < 1e-12);
            let share =
                if friction > 0.0 { found[1].hypot(found[2]) / (normal * friction * length) } else { 1.0 };
            let along = found[1] * turn.sin() - found[2] * turn.cos();
            assert!(along.abs() < 1e-12 && share < 1.0 + 1e-12, "{found:?}");
            // The polygon of four directions has its sides nearest, at the root of a half.
            if length < 0.5_f64.sqrt() {
                assert!((share - 1.0).abs() < 1e-9 || normal * friction * length < 1e-12, "{share}");
                inner += 1;
            } else if length > 1.0 && friction > 0.0 {
                assert!(share < 1.0);
                beyond += 1;
            }
        }
        assert!(inner > 500 && beyond > 300, "{inner} {beyond}");
    }
}
