//! Impacts: restitution, one pair of bodies after the other.
//!
//! Source: Newton's law of restitution; 002 has none.
//! Differs: DIFFERS: where friction turns Newton's law into a gain of energy, which Kane 1984 showed it may, bodies bounce by as much
//! less as keeps the energy. DIFFERS: where bodies touch in a chain, impulses pass along it pair by pair, the fastest first, all within a step,
//! as if there were gaps between them: n balls of a cradle in, n out. All events of a pair act together, so that a box that
//! lands flat does not turn, and joints to bodies that are not of the pair hold.
//! Ends because: impacts are counted; what still closes then is left to the program of the step, which stops it.
//! Cost: a small program for each impact.
//! Not promised: the order of impacts that are truly simultaneous; a wedge between two bodies is hit by one of them first.

use crate::elastic::tempered;
use crate::friction::settle;
use crate::program::{Demand, Line, Program, Row};
use crate::solve::{Ended, Solution};
use crate::step::{Constraints, JointLine, Moving, split};
use crate::tolerance;
use crate::world::World;

/// Impacts for each event of a step, at most.
const ROUNDS: usize = 16;

/// What impacts did.
pub(crate) struct Impacts {
    /// Changes of the bodies' velocities in the coordinates of programs.
    pub(crate) changes: Vec<[f64; 6]>,
    /// Impulses of each contact.
    pub(crate) impulses: Vec<[f64; 3]>,
}

impl World {
    /// Lets bodies bounce that would meet within the step, and takes the constraints along.
    pub(crate) fn bounce(&self, constraints: &mut Constraints, moving: &mut [Option<Moving>]) -> Impacts {
        let mut impacts = Impacts {
            changes: vec![[0.0; 6]; moving.len()],
            impulses: vec![[0.0; 3]; constraints.contacts.len()],
        };
        let mut rounds = ROUNDS * constraints.contacts.len();
        while let Some(pair) = self.hardest(constraints).filter(|_| rounds > 0) {
            rounds -= 1;
            let Some(change) = self.collide(pair, constraints, &mut impacts.impulses) else { break };
            for (body, change) in pair.into_iter().zip(change) {
                let sum = &mut impacts.changes[body];
                sum.iter_mut().zip(change).for_each(|(sum, part)| *sum += part);
            }
            follow(constraints, pair, change, self.is_planar());
        }
        for (moving, change) in moving.iter_mut().zip(&impacts.changes) {
            if let Some(moving) = moving {
                let (linear, angular) = split(&change[..self.width()]);
                moving.free.linear += linear * moving.inverse_root_mass;
                moving.free.angular += moving.whiten.transpose() * angular;
            }
        }
        impacts
    }

    /// By how much an event closes, where it is an impact: faster than gravity explains, and met within the step.
    fn impact(&self, constraints: &Constraints, at: usize) -> Option<f64> {
        let (event, contact, pair) = &constraints.contacts[at];
        let h = self.settings.step;
        let closing = contact.start[0];
        let jolt = self.gravity.length() * h;
        let meets = self.events[*event].event.gap + h * closing < 0.0;
        let bounces = self.restitution_of(pair[0], pair[1]) > 0.0;
        (bounces && meets && closing < -2.0 * jolt).then_some(closing)
    }

    /// The pair that closes fastest of those that bounce.
    fn hardest(&self, constraints: &Constraints) -> Option<[usize; 2]> {
        let mut best: Option<(f64, [usize; 2])> = None;
        for (at, (_, _, pair)) in constraints.contacts.iter().enumerate() {
            if let Some(closing) = self.impact(constraints, at)
                && best.is_none_or(|(least, _)| closing < least)
            {
                best = Some((closing, *pair));
            }
        }
        best.map(|(_, pair)| pair)
    }

    /// What half a step of gravity adds to the velocity along a line.
    fn half_kick(&self, line: &Line) -> f64 {
        let kick = (self.gravity * (self.settings.step / 2.0)).to_array();
        let numbers = if self.is_planar() { 2 } else { 3 };
        let of = |(body, values): (&Option<usize>, &[f64; 6])| {
            let root = body.map_or(0.0, |body| self.bodies[body].mass.sqrt());
            (0..numbers).map(|i| values[i] * kick[i]).sum::<f64>() * root
        };
        line.slots.iter().zip(&line.values).map(of).sum()
    }

    /// The solution of an impact's program, where it has one.
    fn struck(&self, program: &mut Program) -> Option<Solution> {
        let settled = settle(program, &mut self.settings.solver.solver(), self.settings.sweeps, None);
        (settled.solution.ended != Ended::Infeasible).then_some(settled.solution)
    }

    /// The impact of a pair: the changes of both velocities; none where it has no solution.
    fn collide(
        &self,
        pair: [usize; 2],
        constraints: &Constraints,
        impulses: &mut [[f64; 3]],
    ) -> Option<[[f64; 6]; 2]> {
        let (mut program, numbers) = self.impact_program(pair, constraints);
        let bounced = self.struck(&mut program)?;
        let closing = program.contacts.iter().zip(&bounced.contacts).map(|(c, i)| (c.start[0] * i[0]).abs());
        let rounding = tolerance::WORK_REL * closing.sum::<f64>();
        let solution = if program.work(&bounced) > rounding {
            program.contacts.iter_mut().for_each(|contact| contact.bias = 0.0);
            let stopped = self.struck(&mut program)?;
            tempered(&program, &stopped, &bounced, 0.0)
        } else {
            bounced
        };
        for (at, impulse) in numbers.into_iter().zip(&solution.contacts) {
            impulses[at].iter_mut().zip(impulse).for_each(|(sum, part)| *sum += part);
        }
        let mut changes = [[0.0; 6]; 2];
        let width = self.width();
        for (slot, change) in changes.iter_mut().enumerate() {
            change[..width].copy_from_slice(&solution.y[slot * width..(slot + 1) * width]);
        }
        Some(changes)
    }

    /// The events at which a pair closes, to be left by Newton's law, with the joints of these two alone; and the events' numbers.
    fn impact_program(&self, pair: [usize; 2], constraints: &Constraints) -> (Program, Vec<usize>) {
        let place = |body: usize| pair.iter().position(|&at| at == body);
        let local = |line: &Line| {
            let slots = line.slots.map(|body| body.and_then(place));
            Line { slots, ..*line }
        };
        let mut program =
            Program { width: self.width(), slots: 2, cone: self.settings.cone, ..Program::default() };
        let mut numbers = Vec::new();
        for (at, (_, contact, bodies)) in constraints.contacts.iter().enumerate() {
            if *bodies == pair && contact.start[0] < self.half_kick(&contact.lines[0]) {
                let mut own = *contact;
                own.lines = contact.lines.map(|line| local(&line));
                // Bodies bounce with the velocities at the start of the step, half a kick of gravity before those of the program: with
                // these they would gain a whole kick.
                for (start, line) in own.start.iter_mut().zip(&contact.lines) {
                    *start -= self.half_kick(line);
                }
                own.bias = self.restitution_of(pair[0], pair[1]) * own.start[0];
                program.contacts.push(own);
                numbers.push(at);
            }
        }
        for JointLine { row, bodies, .. } in &constraints.rows {
            let of_pair =
                bodies.iter().flatten().all(|&body| place(body).is_some() || !self.bodies[body].moves());
            let touches = bodies.iter().flatten().any(|&body| place(body).is_some());
            if of_pair && touches && row.demand == Demand::Zero {
                // It keeps the velocity that it has, whatever that is.
                program.rows.push(Row { line: local(&row.line), bias: -row.start, ..*row });
            }
        }
        (program, numbers)
    }
}

/// Velocities along all lines after two bodies changed theirs.
fn follow(constraints: &mut Constraints, pair: [usize; 2], change: [[f64; 6]; 2], planar: bool) {
    let width = if planar { 3 } else { 6 };
    let along = |line: &Line| {
        let mut sum = 0.0;
        for (slot, values) in line.slots.iter().zip(&line.values) {
            if let Some(at) = slot.and_then(|body| pair.iter().position(|&own| own == body)) {
                sum += values.iter().zip(&change[at]).take(width).map(|(x, y)| x * y).sum::<f64>();
            }
        }
        sum
    };
    for (_, contact, _) in &mut constraints.contacts {
        for (start, line) in contact.start.iter_mut().zip(&contact.lines) {
            *start += along(line);
        }
    }
    for JointLine { row, .. } in &mut constraints.rows {
        row.start += along(&row.line);
    }
}
