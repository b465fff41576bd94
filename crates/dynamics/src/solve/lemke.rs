//! The complementarity problem of contact with facets, by Lemke's pivots.
//!
//! Source: 002, (5.1)–(5.2); Cottle, Pang and Stone 1992, section 4.4 (Lemke's method with an artificial variable).
//! Differs: velocities and joints are eliminated first, since they carry no sign.
//! Ends because: pivots are limited.
//! Cost: cubic in the number of unknowns, which is contacts times (facets + 2); for small problems, as an oracle.
//! Not promised: a solution; a ray, dependent joints or limits of joints end in none.

use super::{Ended, Solution};
use crate::program::{Demand, Line, Program};
use crate::tolerance;

/// Solves (5.1)–(5.2) for a program with a polyhedral cone whose biases are Δ: exact friction without a fixed point.
///
/// The multipliers of joints are left at zero. None where Lemke's method ends on a ray or out of pivots, or the program has
/// limits or motors.
pub fn solve_complementarity(program: &Program) -> Option<Solution> {
    let directions = program.cone.directions(program.is_planar());
    if directions.is_empty() || program.rows.iter().any(|row| row.demand != Demand::Zero) {
        return None;
    }
    let joints = Joints::new(program)?;
    let per = directions.len() + 2;
    let size = program.contacts.len() * per;
    // The lines of c_n and of every β, and the velocities along them without contacts.
    let mut lines = Vec::with_capacity(size);
    for contact in &program.contacts {
        let normal = (contact.lines[0], contact.start[0] + contact.bias);
        let along = directions.iter().map(|d| {
            let none = Line { slots: contact.lines[1].slots, ..Line::default() };
            let line = none.plus(d[0], &contact.lines[1]).plus(d[1], &contact.lines[2]);
            (line, d[0] * contact.start[1] + d[1] * contact.start[2])
        });
        lines.push(Some(normal));
        lines.extend(along.map(Some));
        lines.push(None);
    }
    let mut dense = Vec::with_capacity(size);
    let mut q = vec![0.0; size];
    for (line, q) in lines.iter().zip(&mut q) {
        let mut row = vec![0.0; program.size()];
        if let Some((line, start)) = line {
            line.add_to(program.width, 1.0, &mut row);
            *q = start + dot(&row, &joints.start);
            joints.project(&mut row);
        }
        dense.push(row);
    }
    let mut matrix: Vec<Vec<f64>> =
        dense.iter().map(|row| dense.iter().map(|column| dot(row, column)).collect()).collect();
    for (at, contact) in program.contacts.iter().enumerate() {
        let first = at * per;
        let last = first + per - 1;
        matrix[last][first] = contact.friction;
        matrix[last][first + 1..last].fill(-1.0);
        matrix[first + 1..last].iter_mut().for_each(|row| row[last] = 1.0);
    }
    let (z, iterations) = lemke(&matrix, &q)?;
    let mut y = joints.start;
    for (row, &z) in dense.iter().zip(&z) {
        y.iter_mut().zip(row).for_each(|(y, row)| *y += z * row);
    }
    let contacts = z.chunks(per).map(|part| impulse(part, &directions)).collect();
    Some(Solution { y, contacts, rows: vec![0.0; program.rows.len()], ended: Ended::Converged, iterations })
}

/// Normal and tangential impulse from c_n and β.
fn impulse(part: &[f64], directions: &[[f64; 2]]) -> [f64; 3] {
    let mut impulse = [part[0], 0.0, 0.0];
    for (d, beta) in directions.iter().zip(&part[1..]) {
        impulse[1] += beta * d[0];
        impulse[2] += beta * d[1];
    }
    impulse
}

/// The joints of a program: an orthonormal basis of their rows, and the shortest y that satisfies them.
struct Joints {
    basis: Vec<Vec<f64>>,
    start: Vec<f64>,
}

impl Joints {
    fn new(program: &Program) -> Option<Self> {
        let mut joints = Self { basis: Vec::new(), start: vec![0.0; program.size()] };
        for row in &program.rows {
            let mut line = vec![0.0; program.size()];
            row.line.add_to(program.width, 1.0, &mut line);
            let missing = -(row.start + row.bias) - dot(&line, &joints.start);
            joints.project(&mut line);
            let square = dot(&line, &line);
            if square > tolerance::DEPENDENT_ROW_SQ * row.line.square() {
                let length = square.sqrt();
                joints.start.iter_mut().zip(&line).for_each(|(y, x)| *y += missing / square * x);
                joints.basis.push(line.iter().map(|x| x / length).collect());
            } else if missing.abs() > tolerance::VIOLATION_REL * program.scale() {
                return None;
            }
        }
        Some(joints)
    }

    fn project(&self, row: &mut [f64]) {
        for _ in 0..2 {
            for direction in &self.basis {
                let part = dot(row, direction);
                row.iter_mut().zip(direction).for_each(|(x, d)| *x -= part * d);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// z ≥ 0 with Mz + q ≥ 0 and complementarity, and the pivots it took.
fn lemke(matrix: &[Vec<f64>], q: &[f64]) -> Option<(Vec<f64>, usize)> {
    let size = q.len();
    if q.iter().all(|&q| q >= 0.0) {
        return Some((vec![0.0; size], 0));
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
    let mut leaving = (0..size).min_by(|&a, &b| q[a].total_cmp(&q[b]))?;
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
            return Some((z, pivots));
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
        leaving = best?.1;
    }
    None
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
