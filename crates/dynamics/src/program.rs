//! The convex program of one step, in coordinates in which the mass matrix is the identity.
//!
//! Source: 002, (5.7): min ½ vᵀMv − (Mv⁰ + hk)ᵀv under the contact and joint constraints.
//! Differs: DIFFERS: with y = M^½ (v − v̂), v̂ the velocity without constraints, it is the projection of 0 on a convex set.
//! DIFFERS: besides 002's facets the exact cone u_n ≥ μ‖u_t‖ of Anitescu 2006.
//! Ends because: assignments.
//! Cost: twelve numbers per line.
//! Not promised: that the set is not empty; solvers say so.

use crate::solve::Solution;

/// A row of the constraint matrix times M^−½: up to two bodies, up to six numbers each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// The bodies by slot; none for one that does not move.
    pub slots: [Option<usize>; 2],
    /// The numbers of each.
    pub values: [[f64; 6]; 2],
}

impl Line {
    /// The product with a vector of all slots.
    #[inline]
    pub fn dot(&self, width: usize, y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (slot, values) in self.slots.iter().zip(&self.values) {
            let Some(slot) = slot else { continue };
            let part = &y[slot * width..(slot + 1) * width];
            // Out of the plane, all six at once.
            sum += match part.first_chunk::<6>() {
                Some(part) => product(part, values),
                None => part.iter().zip(values).map(|(y, value)| y * value).sum(),
            };
        }
        sum
    }

    /// Adds a multiple of the line to a vector of all slots.
    #[inline]
    pub fn add_to(&self, width: usize, times: f64, y: &mut [f64]) {
        for (slot, values) in self.slots.iter().zip(&self.values) {
            let Some(slot) = slot else { continue };
            let part = &mut y[slot * width..(slot + 1) * width];
            match part.first_chunk_mut::<6>() {
                Some(part) => part.iter_mut().zip(values).for_each(|(y, value)| *y += times * value),
                None => part.iter_mut().zip(values).for_each(|(y, value)| *y += times * value),
            }
        }
    }

    /// The square of its length.
    pub fn square(&self) -> f64 {
        let of = |at: usize| -> f64 {
            if self.slots[at].is_some() { product(&self.values[at], &self.values[at]) } else { 0.0 }
        };
        of(0) + of(1)
    }

    /// This line plus a multiple of another between the same bodies.
    #[must_use]
    pub fn plus(&self, times: f64, other: &Self) -> Self {
        let mut sum = *self;
        for (to, from) in sum.values.iter_mut().zip(&other.values) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += times * from);
        }
        sum
    }
}

/// The product of the numbers of a body, in two sums that do not wait for each other.
#[inline]
pub(crate) fn product(one: &[f64; 6], two: &[f64; 6]) -> f64 {
    let even = one[0] * two[0] + one[2] * two[2] + one[4] * two[4];
    even + (one[1] * two[1] + one[3] * two[3] + one[5] * two[5])
}

/// One contact: u = line · y + start must satisfy u_n + bias ≥ μ‖u_t‖, or its facets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Normal and two tangents; in the plane the second tangent is zero.
    pub lines: [Line; 3],
    /// Velocities along them without constraints.
    pub start: [f64; 3],
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Γ + Δ of 002, a velocity.
    pub bias: f64,
}

/// What a scalar row demands of u = line · y + start + bias, with its multiplier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// u = 0.
    Zero,
    /// u ≥ 0.
    NotNegative,
    /// u = 0 as far as a multiplier of this size allows.
    Within(f64),
}

impl Demand {
    /// By how much, as a velocity, a multiplier misses what is demanded at a velocity; `size` is the square of its line.
    pub(crate) fn missed(self, impulse: f64, u: f64, size: f64) -> f64 {
        match self {
            Self::Zero => u.abs(),
            Self::NotNegative => (impulse * size).min(u).abs(),
            Self::Within(most) => {
                ((impulse * size - u).clamp(-most * size, most * size) - impulse * size).abs()
            }
        }
    }
}

/// A scalar row: a joint, a limit of one, or a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Its line.
    pub line: Line,
    /// Velocity along it without constraints.
    pub start: f64,
    /// Υ of 002, a velocity.
    pub bias: f64,
    /// What is demanded.
    pub demand: Demand,
}

/// The shape of the friction cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cone {
    /// The second-order cone.
    #[default]
    Exact,
    /// 002's polyhedral cone with this many directions, an even number (two in the plane).
    Facets(usize),
}

impl Cone {
    /// The directions of a polyhedral cone in the two tangents.
    pub fn directions(self, planar: bool) -> Vec<[f64; 2]> {
        match self {
            _ if planar => vec![[1.0, 0.0], [-1.0, 0.0]],
            Self::Exact => Vec::new(),
            Self::Facets(count) => {
                let half = count.div_ceil(2).max(2);
                let turn = |i: usize| std::f64::consts::PI * i as f64 / half as f64;
                let one = |i: usize| [turn(i).cos(), turn(i).sin()];
                // In opposite pairs to the bit: 002's balance (4.5), without which Λ(v) could be negative.
                (0..half).map(one).chain((0..half).map(|i| one(i).map(|x| -x))).collect()
            }
        }
    }

    /// Λ(v) of 002, (5.9): the speed of sliding as the cone measures it.
    pub fn sliding(self, planar: bool, tangential: [f64; 2]) -> f64 {
        match self {
            _ if planar => tangential[0].abs(),
            Self::Exact => (tangential[0] * tangential[0] + tangential[1] * tangential[1]).sqrt(),
            Self::Facets(_) => {
                let along = |d: &[f64; 2]| d[0] * tangential[0] + d[1] * tangential[1];
                self.directions(planar).iter().map(along).fold(0.0, f64::max)
            }
        }
    }
}

/// The convex program of one step: the y of least length that satisfies all contacts and rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Numbers per body: 6, in the plane 3.
    pub width: usize,
    /// Bodies that move.
    pub slots: usize,
    /// Contacts.
    pub contacts: Vec<Contact>,
    /// Joints, limits, motors.
    pub rows: Vec<Row>,
    /// The shape of the friction cones.
    pub cone: Cone,
}

impl Program {
    /// Whether it is one of the plane.
    pub const fn is_planar(&self) -> bool {
        self.width == 3
    }

    /// Whether its cones have facets; in the plane every cone is exact.
    pub const fn has_facets(&self) -> bool {
        matches!(self.cone, Cone::Facets(_)) && !self.is_planar()
    }

    /// Length of y.
    pub const fn size(&self) -> usize {
        self.width * self.slots
    }

    /// The largest velocity in the data: what violations are compared with.
    pub fn scale(&self) -> f64 {
        let contacts = self.contacts.iter().flat_map(|c| c.start.into_iter().chain([c.bias.min(0.0)]));
        let rows = self.rows.iter().flat_map(|row| [row.start, row.bias]);
        contacts.chain(rows).map(f64::abs).fold(0.0, f64::max)
    }

    /// The energy that the impulses of a solution put in, but for those of motors: they act on the mean of the velocities before
    /// and after.
    pub(crate) fn work(&self, solution: &Solution) -> f64 {
        let mean = |line: &Line, start: f64| start + line.dot(self.width, &solution.y) / 2.0;
        let contacts = self.contacts.iter().zip(&solution.contacts);
        let of_contacts = contacts.map(|(contact, impulse)| {
            (0..3).map(|i| impulse[i] * mean(&contact.lines[i], contact.start[i])).sum::<f64>()
        });
        let rows = self.rows.iter().zip(&solution.rows);
        let rows = rows.filter(|(row, _)| !matches!(row.demand, Demand::Within(_)));
        of_contacts.chain(rows.map(|(row, impulse)| impulse * mean(&row.line, row.start))).sum()
    }

    /// The energy that motors put in.
    pub(crate) fn motor_work(&self, solution: &Solution) -> f64 {
        let rows = self.rows.iter().zip(&solution.rows);
        let motors = rows.filter(|(row, _)| matches!(row.demand, Demand::Within(_)));
        motors.map(|(row, by)| by * (row.start + row.line.dot(self.width, &solution.y) / 2.0)).sum()
    }

    /// μΛ(v) of a contact with these velocities.
    pub(crate) fn sliding(&self, contact: &Contact, u: [f64; 3]) -> f64 {
        contact.friction * self.cone.sliding(self.is_planar(), [u[1], u[2]])
    }

    /// Normal and tangential velocities of a contact, the bias in the normal one.
    #[inline]
    pub fn velocity(&self, contact: &Contact, y: &[f64]) -> [f64; 3] {
        let mut u = contact.start;
        for (u, line) in u.iter_mut().zip(&contact.lines).take(if self.is_planar() { 2 } else { 3 }) {
            *u += line.dot(self.width, y);
        }
        u[0] += contact.bias;
        u
    }

    /// The first of them.
    #[inline]
    pub(crate) fn normal_velocity(&self, contact: &Contact, y: &[f64]) -> f64 {
        contact.start[0] + contact.lines[0].dot(self.width, y) + contact.bias
    }

    /// Velocity along a row, its bias included.
    #[inline]
    pub fn row_velocity(&self, row: &Row, y: &[f64]) -> f64 {
        row.start + row.bias + row.line.dot(self.width, y)
    }

    /// y that belongs to impulses.
    pub fn response(&self, contacts: &[[f64; 3]], rows: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.size()];
        for (contact, impulse) in self.contacts.iter().zip(contacts) {
            for (line, &part) in contact.lines.iter().zip(impulse) {
                if part != 0.0 {
                    line.add_to(self.width, part, &mut y);
                }
            }
        }
        for (row, &impulse) in self.rows.iter().zip(rows) {
            row.line.add_to(self.width, impulse, &mut y);
        }
        y
    }
}
