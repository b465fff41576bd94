//! Velocities at the time of the poses: those that steps carry on are half a step older.
//!
//! Source: the velocity half of RATTLE (Andersen 1983) for joints; where the next impulses are not known yet, those of the last step.
//! Differs: DIFFERS from 002, whose velocities and poses are of one time only up to first order in the step: a recorded energy would
//! be off by m·g·v·h/2, and would jump where a body passes between flight and contact.
//! Ends because: one program per island of joints alone; sums for all else.
//! Cost: that program, which has one right side where the step had several; the next step starts with its factor.
//! Not promised: velocities of one time with the poses right after an impact: it is no measure of the impulses to come.

use crate::body::{RigidBody, Twist};
use crate::islands::{Island, slots};
use crate::joint::JointRow;
use crate::patience::Patience;
use crate::program::{Demand, Line, Program, Row};
use crate::solve::{Ended, Equalities, Solver as _};
use crate::step::{Attempt, Constraints, Moving, renumber, split, start_of};
use crate::threads;
use crate::tolerance;
use crate::world::World;
use clearance_geometry::DVec3;

/// The factor of an island's joints at the present poses, which the next step starts with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factored {
    /// The first body of the island; none where the rows are not those of joints that hold alone.
    first: Option<usize>,
    lines: Vec<Line>,
    joints: Equalities,
}

impl World {
    /// The velocity of a body's mass centre at the time of its pose.
    pub fn velocity(&self, body: usize) -> DVec3 {
        self.shown(body).linear
    }

    /// The angular velocity of a body at the time of its pose, in radians per second and world axes.
    pub fn angular_velocity(&self, body: usize) -> DVec3 {
        self.bodies.get(body).map_or(DVec3::ZERO, |at| at.turns_with(self.shown(body).angular))
    }

    /// Velocity and angular momentum at the time of the pose.
    fn shown(&self, body: usize) -> Twist {
        let seen = self.seen(body);
        let driven = self.bodies.get(body).map_or(Twist::default(), |body| body.driven);
        Twist { linear: seen.linear + driven.linear, angular: seen.angular + driven.angular }
    }

    /// The same but for what motors add: those act anew in every part of a step, whatever its length.
    pub(crate) fn seen(&self, body: usize) -> Twist {
        let Some(at) = self.bodies.get(body) else { return Twist::default() };
        let now = Twist { linear: at.velocity, angular: at.spin };
        if !self.started || !self.is_awake(body) {
            return now;
        }
        let half = self.gravity * (self.settings.step / 2.0);
        Twist { linear: now.linear + half + at.ahead.linear, angular: now.angular + at.ahead.angular }
    }

    /// Energy, momentum and the errors of joints at the present state.
    pub(crate) fn measure(&mut self) {
        let passed = if self.report.frame > 0 { self.settings.step } else { 0.0 };
        self.joints.iter_mut().for_each(|joint| joint.follow(&self.bodies, passed));
        let (mut kinetic, mut potential) = (0.0, 0.0);
        let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (at, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.moves()) {
            let shown = self.shown(at);
            let Twist { linear: velocity, angular: spin } = shown;
            kinetic += body.kinetic(shown);
            potential -= body.mass * self.settings.gravity.dot(body.position);
            momentum += body.mass * velocity;
            angular += body.position.cross(body.mass * velocity) + spin;
        }
        let (mut off, mut rows) = (self.report.infeasibility, Vec::new());
        for joint in &self.joints {
            joint.rows_into(&self.bodies, &mut rows);
            off = rows.iter().map(JointRow::off).fold(off, f64::max);
        }
        let report = &mut self.report;
        (report.kinetic, report.potential, report.infeasibility) = (kinetic, potential, off);
        (report.momentum, report.angular_momentum) = (momentum, angular);
    }

    /// What constraints add until the time of the poses, if they go on as in the step that led here. What changes a velocity by more
    /// than a fall does is an impact, which does not: then all velocities of its island are seen as they were half a step ago, so
    /// that what one body gives another takes, but for what gravity adds along them.
    pub(crate) fn foresee(&mut self, tried: &Attempt) {
        let fall = self.gravity * self.settings.step;
        let most = fall.length() * (1.0 + f64::EPSILON.sqrt());
        // In the first step half a kick acts.
        let share = if self.report.frame > 1 { 0.5 } else { 1.0 };
        self.bodies.iter_mut().for_each(RigidBody::forget_ahead);
        for island in &tried.islands {
            let goes_on = island.bodies.iter().all(|&at| {
                let (body, change) = (&self.bodies[at], tried.changes[at]);
                let turns = change.angular.length() <= body.mass * most * body.radius;
                turns && (fall + change.linear).length() <= most
            });
            for &body in &island.bodies {
                let Twist { linear, angular } = tried.changes[body];
                self.bodies[body].ahead = if goes_on {
                    Twist { linear: linear * share, angular: angular * share }
                } else {
                    let along = fall.project_onto_normalized(self.bodies[body].velocity.normalize_or_zero());
                    Twist { linear: (along - fall) / 2.0, angular: DVec3::ZERO }
                };
            }
        }
    }

    /// The same of bodies that joints alone hold: what keeps their rows at rest at the poses.
    pub(crate) fn foresee_joints(&mut self, tried: &Attempt) {
        let (islands, constraints) = (&tried.islands, &tried.constraints);
        let is_held = |at: &usize| tried.is_untouched(*at) && !islands[*at].rows.is_empty();
        let held: Vec<&Island> = (0..islands.len()).filter(is_held).map(|at| &islands[at]).collect();
        let before = std::mem::take(&mut self.factored);
        if held.is_empty() {
            return;
        }
        let mut moving: Vec<Option<Moving>> = (0..self.bodies.len()).map(|_| None).collect();
        for &body in held.iter().flat_map(|island| &island.bodies) {
            moving[body] = self.free(body, self.settings.step / 2.0);
        }
        let slots = slots(islands, self.bodies.len());
        let mut found: Vec<(&Island, Vec<Twist>, Vec<Twist>, Factored)> =
            held.into_iter().map(|at| (at, Vec::new(), Vec::new(), Factored::default())).collect();
        threads::each(&mut found, 1, |(island, ahead, driven, factored)| {
            let joints = joints_of(island, constraints);
            (*ahead, *factored) = self.ahead(island, &joints, &slots, &moving, &before, false);
            if joints.iter().any(|&number| self.joints[number].is_driven()) {
                *driven = self.ahead(island, &joints, &slots, &moving, &[], true).0;
            }
        });
        for (island, ahead, driven, factored) in found {
            for (&body, ahead) in island.bodies.iter().zip(&ahead) {
                self.bodies[body].ahead = *ahead;
            }
            for ((&body, driven), ahead) in island.bodies.iter().zip(driven).zip(ahead) {
                let (linear, angular) = (driven.linear - ahead.linear, driven.angular - ahead.angular);
                self.bodies[body].driven = Twist { linear, angular };
            }
            self.factored.push(factored);
        }
    }

    /// The factor of an island's joints, where the last step made it for these lines and no others.
    pub(crate) fn factored(&self, island: &Island, program: &Program) -> Equalities {
        let first = island.bodies.first().copied();
        let same = |one: &&Factored| {
            let rows = program.rows.iter();
            one.first == first
                && program.contacts.is_empty()
                && one.lines.len() == program.rows.len()
                && rows.zip(&one.lines).all(|(row, line)| row.demand == Demand::Zero && row.line == *line)
        };
        self.factored.iter().find(same).map(|one| one.joints.clone()).unwrap_or_default()
    }

    /// What an island's joints add to its bodies' velocities and spins to be at rest along their rows, and the factor that says so;
    /// with its motors where these are asked for.
    fn ahead(
        &self,
        island: &Island,
        joints: &[usize],
        slots: &[Option<usize>],
        moving: &[Option<Moving>],
        before: &[Factored],
        driven: bool,
    ) -> (Vec<Twist>, Factored) {
        let width = self.width();
        let (mut rows, mut of_joint) = (Vec::with_capacity(island.rows.len()), Vec::new());
        for joint in joints.iter().map(|&number| &self.joints[number]) {
            joint.rows_into(&self.bodies, &mut of_joint);
            for row in &of_joint {
                let binds = match row.demand {
                    Demand::Zero => true,
                    Demand::NotNegative => row.value <= tolerance::STRAYED_REL * joint.unit(row),
                    // A motor that is strong enough holds its velocity at the poses too.
                    Demand::Within(_) => driven,
                };
                let mut line = self.line(joint.bodies, row.twists, moving);
                // What is led or drawn to where it should be goes on to be.
                let bias = Some(self.correction(joint, row)).filter(|(_, slowed)| *slowed);
                let demand = match row.demand {
                    Demand::Within(force) => Demand::Within(force * self.settings.step / 2.0),
                    other => other,
                };
                if binds && line.square() > 0.0 {
                    let start = start_of(joint.bodies, row.twists, moving);
                    renumber(&mut line, slots);
                    rows.push(Row {
                        line,
                        start,
                        bias: bias.map_or(0.0, |(speed, _)| speed) - row.velocity,
                        demand,
                    });
                }
            }
        }
        let program = Program {
            width,
            slots: island.bodies.len(),
            rows,
            cone: self.settings.cone,
            ..Program::default()
        };
        let mut solver = self.settings.solver.chosen(Patience::default());
        let first = island.bodies.first().copied();
        if let Some(before) = before.iter().find(|before| before.first == first) {
            solver.joints = before.joints.outdated();
        }
        let solution = solver.solve(&program, None);
        if solution.ended == Ended::Infeasible {
            return (vec![Twist::default(); island.bodies.len()], Factored::default());
        }
        let are_equal = program.rows.iter().all(|row| row.demand == Demand::Zero);
        let factored = Factored {
            first: first.filter(|_| are_equal),
            lines: program.rows.iter().map(|row| row.line).collect(),
            joints: solver.joints,
        };
        let of = |(part, &body): (&[f64], &usize)| {
            let (linear, angular) = split(part);
            Twist { linear: linear / self.bodies[body].mass.sqrt(), angular: self.kick(body, angular) }
        };
        (solution.y.chunks_exact(width).zip(&island.bodies).map(of).collect(), factored)
    }
}

/// The joints of an island by number.
pub(crate) fn joints_of(island: &Island, constraints: &Constraints) -> Vec<usize> {
    let mut joints: Vec<usize> = island.rows.iter().map(|&row| constraints.rows[row].joint).collect();
    joints.dedup();
    joints
}
