//! A program laid out for methods that pass over its constraints many times: six numbers per body, bodies that do not move
//! in a slot of their own that stays zero, the products of each contact's lines beside it.

use super::Solution;
use super::factor::{Part, SIDE};
use super::sweeps::Law;
use crate::friction::{project, worse};
use crate::program::{Demand, Line, Program, product as dot};
use crate::tolerance;

/// One contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedContact {
    pub(crate) slots: [usize; 2],
    pub(crate) lines: [[Part; 2]; 3],
    /// Velocities without constraints, the bias in the normal one.
    pub(crate) start: [f64; 3],
    /// Products of its lines with each other.
    pub(crate) block: [[f64; 3]; 3],
    /// The inverse of the block, where it has one.
    pub(crate) inverse: Option<[[f64; 3]; 3]>,
    pub(crate) friction: f64,
    /// Bound on the eigenvalues of the block, and of its tangential part.
    pub(crate) size: f64,
    pub(crate) size_across: f64,
}

/// One scalar row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedRow {
    pub(crate) slots: [usize; 2],
    pub(crate) line: [Part; 2],
    pub(crate) start: f64,
    pub(crate) square: f64,
    pub(crate) demand: Demand,
}

/// All of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    /// Bodies that move; the slot after the last is that of all others.
    pub(crate) slots: usize,
    pub(crate) width: usize,
    pub(crate) contacts: Vec<PackedContact>,
    pub(crate) rows: Vec<PackedRow>,
}

impl Packed {
    pub(crate) fn new(program: &Program) -> Self {
        let slots = program.slots;
        let contacts = program.contacts.iter().map(|contact| {
            let packed = contact.lines.map(|line| packed(&line, slots));
            let mut block = [[0.0; 3]; 3];
            for i in 0..3 {
                for j in 0..=i {
                    block[i][j] = product(&packed[i].1, &packed[j].1);
                    block[j][i] = block[i][j];
                }
            }
            let mut start = contact.start;
            start[0] += contact.bias;
            PackedContact {
                slots: packed[0].0,
                lines: packed.map(|(_, line)| line),
                start,
                block,
                inverse: inverse(&block),
                friction: contact.friction,
                size: block[0][0] + block[1][1] + block[2][2],
                size_across: larger_eigenvalue(block[1][1], block[1][2], block[2][2]),
            }
        });
        let rows = program.rows.iter().map(|row| {
            let (at, line) = packed(&row.line, slots);
            let square = product(&line, &line);
            PackedRow { slots: at, line, start: row.start + row.bias, square, demand: row.demand }
        });
        Self { slots, width: program.width, contacts: contacts.collect(), rows: rows.collect() }
    }

    /// A vector of all slots, zero.
    pub(crate) fn zeros(&self) -> Vec<Part> {
        vec![[0.0; SIDE]; self.slots + 1]
    }

    /// y that belongs to impulses.
    pub(crate) fn response(&self, contacts: &[[f64; 3]], rows: &[f64]) -> Vec<Part> {
        let mut y = self.zeros();
        for (contact, impulse) in self.contacts.iter().zip(contacts) {
            // Most of a heap's do not push, and their lines need not be looked at.
            if *impulse != [0.0; 3] {
                contact.push(*impulse, &mut y);
            }
        }
        for (row, impulse) in self.rows.iter().zip(rows) {
            row.push(*impulse, &mut y);
        }
        y
    }

    /// Impulses to start from, where they fit.
    pub(crate) fn started(&self, warm: Option<&Solution>) -> (Vec<[f64; 3]>, Vec<f64>) {
        let fits = |warm: &&Solution| {
            warm.contacts.len() == self.contacts.len() && warm.rows.len() == self.rows.len()
        };
        warm.filter(fits).map_or_else(
            || (vec![[0.0; 3]; self.contacts.len()], vec![0.0; self.rows.len()]),
            |warm| (warm.contacts.clone(), warm.rows.clone()),
        )
    }

    /// y of a solution, in this layout.
    pub(crate) fn repacked(&self, y: &[f64]) -> Vec<Part> {
        let mut parts = self.zeros();
        for (to, from) in parts.iter_mut().zip(y.chunks_exact(self.width)) {
            to[..self.width].copy_from_slice(from);
        }
        parts
    }

    /// The natural residual of impulses and the y that belongs to them, as [`crate::natural_residual`] has it, under a law.
    pub(crate) fn residual(&self, contacts: &[[f64; 3]], rows: &[f64], y: &[Part], law: Law) -> f64 {
        let mut worst = 0.0_f64;
        for (contact, impulse) in self.contacts.iter().zip(contacts) {
            // One that parts and does not push misses nothing.
            let parts = law == Law::Coulomb && *impulse == [0.0; 3] && contact.normal_velocity(y) >= 0.0;
            if !parts {
                worst = worse(worst, contact.missed(*impulse, contact.velocity(y), law));
            }
        }
        for (row, impulse) in self.rows.iter().zip(rows) {
            worst = worse(worst, row.missed(*impulse, row.velocity(y)));
        }
        worst
    }

    /// The energy that impulses put in beyond what their constraints ask for, and that of the velocities which they change. At a solution
    /// the first is not positive: what pushes is at rest in the end, but for the overlap that it makes good, and friction only takes.
    pub(crate) fn surplus(&self, solution: &Solution) -> [f64; 2] {
        let y = self.repacked(&solution.y);
        let contacts = self.contacts.iter().zip(&solution.contacts).filter(|(_, by)| **by != [0.0; 3]);
        let of_contacts = contacts.map(|(contact, impulse)| {
            let u = contact.velocity(&y);
            impulse[0] * u[0] + impulse[1] * u[1] + impulse[2] * u[2]
        });
        let rows = self.rows.iter().zip(&solution.rows);
        let rows = rows.filter(|(row, _)| !matches!(row.demand, Demand::Within(_)));
        let of_rows = rows.map(|(row, impulse)| impulse * row.velocity(&y));
        let changed = solution.y.iter().map(|y| y * y).sum::<f64>() / 2.0;
        [of_contacts.sum::<f64>() + of_rows.sum::<f64>(), changed]
    }

    /// y in the program's own layout.
    pub(crate) fn unpacked(&self, y: &[Part]) -> Vec<f64> {
        y[..self.slots].iter().flat_map(|part| part[..self.width].iter().copied()).collect()
    }
}

impl PackedContact {
    /// Its velocities.
    #[inline]
    pub(crate) fn velocity(&self, y: &[Part]) -> [f64; 3] {
        let change = self.change(y);
        std::array::from_fn(|i| self.start[i] + change[i])
    }

    /// The first of its velocities.
    #[inline]
    pub(crate) fn normal_velocity(&self, y: &[Part]) -> f64 {
        let [one, two] = &self.lines[0];
        self.start[0] + dot(one, &y[self.slots[0]]) + dot(two, &y[self.slots[1]])
    }

    /// Its velocities less those without constraints.
    #[inline]
    pub(crate) fn change(&self, y: &[Part]) -> [f64; 3] {
        let (a, b) = (&y[self.slots[0]], &y[self.slots[1]]);
        self.lines.map(|[one, two]| dot(&one, a) + dot(&two, b))
    }

    /// Adds an impulse.
    #[inline]
    pub(crate) fn push(&self, impulse: [f64; 3], y: &mut [Part]) {
        for end in 0..2 {
            let part = &mut y[self.slots[end]];
            for (k, to) in part.iter_mut().enumerate() {
                *to += impulse[0] * self.lines[0][end][k]
                    + impulse[1] * self.lines[1][end][k]
                    + impulse[2] * self.lines[2][end][k];
            }
        }
    }
}

impl PackedContact {
    /// By how much, as a velocity, an impulse misses what its law wants at a velocity.
    fn missed(&self, impulse: [f64; 3], u: [f64; 3], law: Law) -> f64 {
        if !(self.size > 0.0) {
            return 0.0;
        }
        let sliding = match law {
            Law::Coulomb => self.friction * (u[1] * u[1] + u[2] * u[2]).sqrt(),
            Law::Relaxed => 0.0,
        };
        let raised = [u[0] + sliding, u[1], u[2]];
        let stepped: [f64; 3] = std::array::from_fn(|i| impulse[i] - raised[i] / self.size);
        let back = project(self.friction, stepped);
        let off: f64 = (0..3).map(|i| (impulse[i] - back[i]).powi(2)).sum();
        off.sqrt() * self.size
    }
}

impl PackedRow {
    /// By how much, as a velocity, a multiplier misses what is demanded at a velocity.
    fn missed(&self, impulse: f64, u: f64) -> f64 {
        self.demand.missed(impulse, u, self.square)
    }

    /// Its velocity.
    #[inline]
    pub(crate) fn velocity(&self, y: &[Part]) -> f64 {
        self.start + self.change(y)
    }

    /// Its velocity less that without constraints.
    #[inline]
    pub(crate) fn change(&self, y: &[Part]) -> f64 {
        dot(&self.line[0], &y[self.slots[0]]) + dot(&self.line[1], &y[self.slots[1]])
    }

    /// Adds an impulse.
    #[inline]
    pub(crate) fn push(&self, impulse: f64, y: &mut [Part]) {
        for (slot, line) in self.slots.iter().zip(&self.line) {
            y[*slot].iter_mut().zip(line).for_each(|(to, entry)| *to += impulse * entry);
        }
    }

    /// The nearest multiplier that its demand allows.
    #[inline]
    pub(crate) fn allowed(&self, impulse: f64) -> f64 {
        match self.demand {
            Demand::Zero => impulse,
            Demand::NotNegative => impulse.max(0.0),
            Demand::Within(most) => impulse.clamp(-most, most),
        }
    }
}

fn packed(line: &Line, slots: usize) -> ([usize; 2], [Part; 2]) {
    let at = |end: usize| line.slots[end].filter(|&slot| slot < slots);
    let values = |end: usize| if at(end).is_some() { line.values[end] } else { [0.0; SIDE] };
    ([0, 1].map(|end| at(end).unwrap_or(slots)), [0, 1].map(values))
}

fn product(one: &[Part; 2], two: &[Part; 2]) -> f64 {
    dot(&one[0], &two[0]) + dot(&one[1], &two[1])
}

fn larger_eigenvalue(a: f64, b: f64, d: f64) -> f64 {
    (a + d + (a - d).hypot(2.0 * b)) / 2.0
}

/// The inverse of a symmetric positive matrix; none where it is singular, as in the plane.
fn inverse(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let [[a, b, c], [_, d, e], [_, _, f]] = *m;
    let (p, q, r) = (d * f - e * e, c * e - b * f, b * e - c * d);
    let determinant = a * p + b * q + c * r;
    if !(determinant > tolerance::STICK_DETERMINANT_REL * a * d * f) {
        return None;
    }
    let (s, t, w) = (a * f - c * c, b * c - a * e, a * d - b * b);
    Some([[p, q, r], [q, s, t], [r, t, w]].map(|row| row.map(|entry| entry / determinant)))
}
