//! The complementarity problem of contact with facets, by Lemke's pivots.
//!
//! Source: 002, (5.1)–(5.2); Cottle, Pang and Stone 1992, section 4.4 (Lemke's method with an artificial variable).
//! Differs: velocities and joints are eliminated first, since they carry no sign. Motors, whose multipliers are bounded both ways, are
//! counted from their lower bound and take a slack each. The convex program (5.7) is solved by the same pivots.
//! Ends because: pivots are limited.
//! Cost: cubic in the number of unknowns, which is contacts times (facets + 2); for small problems, as an oracle.
//! Not promised: a solution; a ray or joints that contradict each other end in none.

use super::{Ended, Solution, Solver};
use crate::program::{Contact, Demand, Line, Program};
use crate::tolerance;

/// Lemke's method as a solver, of programs whose cones have facets or are of the plane, with [`Lemke::MOST`] unknowns at most: the
/// complementarity problem at once, without a fixed point. Others end in [`Ended::Limit`] with nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lemke;

impl Lemke {
    /// Most unknowns. A solution of as many takes about a second.
    pub const MOST: usize = 1000;

    /// The unknowns of a program with so many contacts and rows, whose cones have so many facets.
    pub(crate) const fn unknowns(contacts: usize, facets: usize, rows: usize) -> usize {
        contacts * (facets + 2) + 2 * rows
    }
}

impl Solver for Lemke {
    /// The convex program (5.7); [`Ended::Infeasible`] where pivots end on a ray.
    fn solve(&mut self, program: &Program, _warm: Option<&Solution>) -> Solution {
        solved(program, Law::Relaxed).unwrap_or_else(|ended| Solution {
            y: vec![0.0; program.size()],
            contacts: vec![[0.0; 3]; program.contacts.len()],
            rows: vec![0.0; program.rows.len()],
            ended,
            iterations: 0,
        })
    }

    fn solve_coulomb(&mut self, program: &Program, _warm: Option<&Solution>) -> Option<Solution> {
        solved(program, Law::Coulomb).ok()
    }
}

/// Which problem is made of a contact.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Law {
    /// (5.7): a row for each facet.
    Relaxed,
    /// (5.1)–(5.2): a row for the normal, one for each direction, and one for the cone.
    Coulomb,
}

/// The problem w = Mz + q under construction; a row without a line has its entries alone.
struct Build {
    /// Lines in the coordinates of y, without what joints take of them.
    dense: Vec<Vec<f64>>,
    q: Vec<f64>,
    /// Entries of M besides the products of lines.
    entries: Vec<(usize, usize, f64)>,
}

impl Build {
    /// Adds a line with its velocity without constraints, joints aside; its number.
    fn push(&mut self, joints: &Joints, width: usize, line: &Line, start: f64) -> usize {
        let mut row = vec![0.0; joints.start.len()];
        line.add_to(width, 1.0, &mut row);
        self.q.push(start + dot(&row, &joints.start));
        joints.project(&mut row);
        self.dense.push(row);
        self.q.len() - 1
    }

    /// Adds a row without a line.
    fn push_bare(&mut self, joints: &Joints, q: f64) -> usize {
        self.q.push(q);
        self.dense.push(vec![0.0; joints.start.len()]);
        self.q.len() - 1
    }

    fn contact(
        &mut self,
        joints: &Joints,
        program: &Program,
        contact: &Contact,
        law: Law,
        directions: &[[f64; 2]],
    ) {
        let width = program.width;
        let normal = contact.start[0] + contact.bias;
        let along = |d: &[f64; 2]| d[0] * contact.start[1] + d[1] * contact.start[2];
        if law == Law::Relaxed {
            for d in directions {
                let [x, y] = d.map(|d| contact.friction * d);
                let line = contact.lines[0].plus(x, &contact.lines[1]).plus(y, &contact.lines[2]);
                self.push(joints, width, &line, normal + contact.friction * along(d));
            }
            return;
        }
        let first = self.push(joints, width, &contact.lines[0], normal);
        for d in directions {
            let none = Line { slots: contact.lines[1].slots, ..Line::default() };
            let line = none.plus(d[0], &contact.lines[1]).plus(d[1], &contact.lines[2]);
            self.push(joints, width, &line, along(d));
        }
        let last = self.push_bare(joints, 0.0);
        self.entries.push((last, first, contact.friction));
        for at in first + 1..last {
            self.entries.extend([(last, at, -1.0), (at, last, 1.0)]);
        }
    }

    /// Limits, and motors as their impulse from the lower bound up: 0 ≤ a ⟂ u + s ≥ 0, 0 ≤ s ⟂ 2·most − a ≥ 0.
    fn row(&mut self, joints: &Joints, program: &Program, line: &Line, start: f64, demand: Demand) {
        let at = self.push(joints, program.width, line, start);
        if let Demand::Within(most) = demand {
            let slack = self.push_bare(joints, 2.0 * most);
            self.entries.extend([(at, slack, 1.0), (slack, at, -1.0)]);
        }
    }

    fn matrix(&self) -> Vec<Vec<f64>> {
        let product = |row: &Vec<f64>| self.dense.iter().map(|column| dot(row, column)).collect();
        let mut matrix: Vec<Vec<f64>> = self.dense.iter().map(product).collect();
        for &(row, column, value) in &self.entries {
            matrix[row][column] += value;
        }
        matrix
    }
}

/// Whether a row has no sign, so that it is eliminated.
fn is_joint(demand: Demand) -> bool {
    match demand {
        Demand::Zero => true,
        Demand::Within(most) => !most.is_finite(),
        Demand::NotNegative => false,
    }
}

/// A solution of a program under a law, or how it ended.
fn solved(program: &Program, law: Law) -> Result<Solution, Ended> {
    let directions = program.cone.directions(program.is_planar());
    let unknowns = Lemke::unknowns(program.contacts.len(), directions.len(), program.rows.len());
    if (directions.is_empty() && !program.contacts.is_empty()) || unknowns > Lemke::MOST {
        return Err(Ended::Limit);
    }
    let mut joints = Joints::new(program).ok_or(Ended::Infeasible)?;
    joints.start_motors(program);
    let mut build = Build { dense: Vec::new(), q: Vec::new(), entries: Vec::new() };
    for contact in &program.contacts {
        build.contact(&joints, program, contact, law, &directions);
    }
    let count = build.q.len();
    for row in program.rows.iter().filter(|row| !is_joint(row.demand)) {
        build.row(&joints, program, &row.line, row.start + row.bias, row.demand);
    }
    let (z, iterations) = lemke(&build.matrix(), &build.q)?;
    let mut y = joints.start.clone();
    for (row, &z) in build.dense.iter().zip(&z) {
        y.iter_mut().zip(row).for_each(|(y, row)| *y += z * row);
    }
    let per = count / program.contacts.len().max(1);
    let of = |(part, contact): (&[f64], &Contact)| impulse(part, contact.friction, law, &directions);
    let contacts: Vec<[f64; 3]> = z[..count].chunks(per.max(1)).zip(&program.contacts).map(of).collect();
    let rows = joints.multipliers(program, &y, &contacts, &z[count..]);
    Ok(Solution { y, contacts, rows, ended: Ended::Converged, iterations })
}

/// Normal and tangential impulse from c_n and β, or from the multipliers of facets.
fn impulse(part: &[f64], friction: f64, law: Law, directions: &[[f64; 2]]) -> [f64; 3] {
    let (normal, along, times) = match law {
        Law::Relaxed => (part.iter().sum(), part, friction),
        Law::Coulomb => (part[0], &part[1..], 1.0),
    };
    let mut impulse = [normal, 0.0, 0.0];
    for (d, beta) in directions.iter().zip(along) {
        impulse[1] += times * beta * d[0];
        impulse[2] += times * beta * d[1];
    }
    impulse
}

/// The joints of a program: an orthonormal basis of their rows, and the shortest y that satisfies them.
struct Joints {
    basis: Vec<Vec<f64>>,
    /// The rows that the basis is made of, and each of them in it, as far as its own direction.
    made_of: Vec<(usize, Vec<f64>)>,
    start: Vec<f64>,
}

impl Joints {
    /// None where they contradict each other.
    fn new(program: &Program) -> Option<Self> {
        let start = vec![0.0; program.size()];
        let mut joints = Self { basis: Vec::new(), made_of: Vec::new(), start };
        for (at, row) in program.rows.iter().enumerate().filter(|(_, row)| is_joint(row.demand)) {
            let mut line = vec![0.0; program.size()];
            row.line.add_to(program.width, 1.0, &mut line);
            let missing = -(row.start + row.bias) - dot(&line, &joints.start);
            let mut parts: Vec<f64> = joints.basis.iter().map(|direction| dot(&line, direction)).collect();
            joints.project(&mut line);
            let square = dot(&line, &line);
            if square > tolerance::DEPENDENT_ROW_SQ * row.line.square() {
                let length = square.sqrt();
                joints.start.iter_mut().zip(&line).for_each(|(y, x)| *y += missing / square * x);
                joints.basis.push(line.iter().map(|x| x / length).collect());
                parts.push(length);
                joints.made_of.push((at, parts));
            } else if missing.abs() > tolerance::VIOLATION_REL * program.scale() {
                return None;
            }
        }
        Some(joints)
    }

    /// Lets motors push with all they have against their lines; what they push less is counted from there.
    fn start_motors(&mut self, program: &Program) {
        for row in program.rows.iter().filter(|row| !is_joint(row.demand)) {
            if let Demand::Within(most) = row.demand {
                let mut line = vec![0.0; program.size()];
                row.line.add_to(program.width, 1.0, &mut line);
                self.project(&mut line);
                self.start.iter_mut().zip(&line).for_each(|(y, x)| *y -= most * x);
            }
        }
    }

    fn project(&self, row: &mut [f64]) {
        for _ in 0..2 {
            for direction in &self.basis {
                let part = dot(row, direction);
                row.iter_mut().zip(direction).for_each(|(x, d)| *x -= part * d);
            }
        }
    }

    /// The multipliers of all rows: those of limits and motors as found, those of joints from what is left of y.
    fn multipliers(&self, program: &Program, y: &[f64], contacts: &[[f64; 3]], found: &[f64]) -> Vec<f64> {
        let mut rows = vec![0.0; program.rows.len()];
        let mut left = y.to_vec();
        for (contact, impulse) in program.contacts.iter().zip(contacts) {
            for (line, impulse) in contact.lines.iter().zip(impulse) {
                line.add_to(program.width, -impulse, &mut left);
            }
        }
        let mut found = found.iter();
        let mut next = || found.next().copied().unwrap_or(0.0);
        for (row, multiplier) in program.rows.iter().zip(&mut rows).filter(|(row, _)| !is_joint(row.demand)) {
            *multiplier = next();
            if let Demand::Within(most) = row.demand {
                *multiplier -= most;
                next();
            }
            row.line.add_to(program.width, -*multiplier, &mut left);
        }
        // Each row has a part along its own direction and the ones before it: from the last one back.
        let mut parts: Vec<f64> = self.basis.iter().map(|direction| dot(&left, direction)).collect();
        for (own, (at, made_of)) in self.made_of.iter().enumerate().rev() {
            rows[*at] = parts[own] / made_of[own];
            parts.iter_mut().zip(made_of).for_each(|(part, made_of)| *part -= rows[*at] * made_of);
        }
        rows
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// z ≥ 0 with Mz + q ≥ 0 and complementarity, and the pivots it took; or whether it ended on a ray or out of pivots.
fn lemke(matrix: &[Vec<f64>], q: &[f64]) -> Result<(Vec<f64>, usize), Ended> {
    let size = q.len();
    if q.iter().all(|&q| q >= 0.0) {
        return Ok((vec![0.0; size], 0));
    }
    // Columns: w, z, the artificial variable, the right-hand side; w − Mz − a = q.
    let (artificial, right) = (2 * size, 2 * size + 1);
    let mut rows: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let mut row = vec![0.0; 2 * size + 2];
            row[i] = 1.0;
            (0..size).for_each(|j| row[size + j] = -matrix[i][j]);
            row[artificial] = -1.0;
            row[right] = q[i];
            row
        })
        .collect();
    let mut basis: Vec<usize> = (0..size).collect();
    let mut leaving = (0..size).min_by(|&a, &b| q[a].total_cmp(&q[b])).ok_or(Ended::Limit)?;
    let mut entering = artificial;
    for pivots in 1..=50 * size + 100 {
        pivot(&mut rows, leaving, entering);
        let left = std::mem::replace(&mut basis[leaving], entering);
        if left == artificial {
            let mut z = vec![0.0; size];
            for (row, &name) in rows.iter().zip(&basis) {
                if (size..2 * size).contains(&name) {
                    z[name - size] = row[right].max(0.0);
                }
            }
            return Ok((z, pivots));
        }
        entering = if left < size { left + size } else { left - size };
        let most = rows.iter().map(|row| row[entering].abs()).fold(0.0, f64::max);
        let mut best: Option<(f64, usize)> = None;
        for (at, row) in
            rows.iter().enumerate().filter(|(_, row)| row[entering] > tolerance::PIVOT_REL * most)
        {
            let ratio = row[right] / row[entering];
            // Ties go to the artificial variable, then to the lowest name.
            let better = best.is_none_or(|(least, held)| {
                ratio < least - tolerance::PIVOT_REL * least.abs()
                    || (ratio <= least + tolerance::PIVOT_REL * least.abs()
                        && basis[held] != artificial
                        && (basis[at] == artificial || basis[at] < basis[held]))
            });
            if better {
                best = Some((ratio, at));
            }
        }
        leaving = best.ok_or(Ended::Infeasible)?.1;
    }
    Err(Ended::Limit)
}

fn pivot(rows: &mut [Vec<f64>], at: usize, column: usize) {
    let factor = rows[at][column];
    rows[at].iter_mut().for_each(|x| *x /= factor);
    let pivot_row = rows[at].clone();
    for (i, row) in rows.iter_mut().enumerate() {
        let factor = row[column];
        if i != at && factor != 0.0 {
            row.iter_mut().zip(&pivot_row).for_each(|(x, p)| *x -= factor * p);
        }
    }
}
