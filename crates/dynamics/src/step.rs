//! One step: constraints linearised, one convex program per island, positions moved with the new velocities.
//!
//! Source: 002, algorithm 6.5 with (4.14)–(4.17) and (5.7).
//! Differs: DIFFERS: positions move with the new velocity (6.17), where the algorithm is misprinted. DIFFERS: Δ takes each
//! event's own gap (4.17), not the pair's, which would freeze tilted bodies. DIFFERS: twists and unit quaternions; angular
//! momentum is kept in the world and bodies turn freely through the step (`rotation`), so that spinning keeps momentum to the bit
//! and energy to rounding, and impulses change it as the program says, however slender a body is.
//! DIFFERS: velocities start half a kick of gravity back, which makes free flight exact. DIFFERS: overlaps are pushed apart
//! no faster than a limit, and bodies that close bounce first (`impact`).
//! DIFFERS: a step that makes bodies faster than was foreseen, and so leads them into others unseen, is made again with the
//! events that it overlooked.
//! Ends because: a few passes; programs without a solution end in an elastic step.
//! Cost: that of the events and of the programs.
//! Not promised: feasibility: it is held to second order in the step, as long as events are seen in time.

use crate::body::{RigidBody, Twist};
use crate::error::DynamicsError;
use crate::friction::settle;
use crate::impact::Impacts;
use crate::islands::{Island, islands, slots};
use crate::joint::is_turn;
use crate::patience::Patience;
use crate::program::{Contact, Demand, Line, Program, Row};
use crate::report::{StepReport, WorldEvent};
use crate::solve::{Ended, Solution};
use crate::solved::SolvedIsland;
use crate::threads;
use crate::tolerance;
use crate::world::World;
use clearance_geometry::{DMat3, DQuat, DVec3};

/// One body's share of a program.
pub(crate) struct Moving {
    /// Velocity without constraints.
    pub(crate) free: Twist,
    pub(crate) inverse_root_mass: f64,
    /// From angular rows in world axes to the program's coordinates.
    pub(crate) whiten: DMat3,
}

/// The number of an event, its contact, and its bodies.
pub(crate) type EventContact = (usize, Contact, [usize; 2]);

/// The constraints of the whole world, before they are split.
pub(crate) struct Constraints {
    pub(crate) contacts: Vec<EventContact>,
    /// In the order of the joints.
    pub(crate) rows: Vec<JointLine>,
    pub(crate) capped: usize,
}

/// A row of a joint.
pub(crate) struct JointLine {
    pub(crate) row: Row,
    /// The bodies of the joint, and its number.
    pub(crate) bodies: [Option<usize>; 2],
    pub(crate) joint: usize,
    /// Which of the joint's rows it is; none where it need not end the step closed.
    pub(crate) place: Option<usize>,
    /// What it is open by at the start of the step, and whether that is an angle.
    pub(crate) value: f64,
    pub(crate) is_turn: bool,
    /// The part of its bias that closes it at the end of the step.
    pub(crate) bend: f64,
}

/// What a step comes to with the events that are known.
pub(crate) struct Attempt {
    before: Vec<Option<Twist>>,
    pub(crate) constraints: Constraints,
    impacts: Impacts,
    pub(crate) islands: Vec<Island>,
    pub(crate) solved: Vec<SolvedIsland>,
    pub(crate) next: Vec<Option<Twist>>,
    /// Changes of angular momentum.
    pub(crate) kicks: Vec<DVec3>,
    /// What programs changed of velocities and, as the angular part, of spins; impacts are no part of it.
    pub(crate) changes: Vec<Twist>,
    /// Where bodies end that took the step in parts.
    pub(crate) ends: Vec<Option<End>>,
}

/// Where a body ends, and how far its points have moved at most on their way.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) position: DVec3,
    pub(crate) orientation: DQuat,
    pub(crate) travel: f64,
}

impl Attempt {
    /// Whether no contact of an island pushes.
    pub(crate) fn is_untouched(&self, at: usize) -> bool {
        let pushes = |impulse: &[f64; 3]| *impulse != [0.0; 3];
        let struck = self.islands[at].contacts.iter().any(|&contact| pushes(&self.impacts.impulses[contact]));
        !struck && !self.solved[at].solution.contacts.iter().any(pushes)
    }
}

/// How often a step is made again with events that it had overlooked.
const SECOND_LOOKS: usize = 3;

impl World {
    /// Takes one step.
    ///
    /// # Errors
    /// [`DynamicsError::Diverged`] when a number outgrows double precision; the bodies are then as they were.
    pub fn step(&mut self) -> Result<&StepReport, DynamicsError> {
        self.start();
        self.wake_touched();
        let mut tried = self.attempt();
        for _ in 0..SECOND_LOOKS {
            if !self.overlooked(&tried.next) {
                break;
            }
            self.spare = tried.constraints.contacts;
            tried = self.attempt();
        }
        self.check_sizes(&tried.islands)?;
        let report = self.accept(&tried)?;
        self.put_to_sleep(&tried.islands);
        let asleep = (0..self.bodies.len()).filter(|&body| self.is_asleep(body)).count();
        self.report = StepReport { asleep, ..report };
        self.foresee(&tried);
        self.gravity = self.gravity_at(self.report.time);
        self.foresee_joints(&tried);
        self.find_events();
        self.measure();
        self.spare = tried.constraints.contacts;
        Ok(&self.report)
    }

    /// What the events at hand lead to.
    fn attempt(&mut self) -> Attempt {
        let mut tried = self.attempt_whole();
        self.take_parts(&mut tried);
        tried
    }

    /// The same with the step as a whole for all.
    pub(crate) fn attempt_whole(&mut self) -> Attempt {
        let spare = std::mem::take(&mut self.spare);
        let h = self.settings.step;
        let mut moving: Vec<Option<Moving>> = (0..self.bodies.len()).map(|body| self.free(body, h)).collect();
        let before: Vec<Option<Twist>> = moving.iter().map(|m| m.as_ref().map(|m| m.free)).collect();
        let mut constraints = self.constraints(&moving, spare);
        let impacts = self.bounce(&mut constraints, &mut moving);
        let mut next: Vec<Option<Twist>> = moving.iter().map(|m| m.as_ref().map(|m| m.free)).collect();
        let width = self.width();
        let turns = impacts.changes.iter().map(|change| split(&change[..width]).1);
        let mut kicks: Vec<DVec3> = turns.enumerate().map(|(body, turn)| self.kick(body, turn)).collect();
        let mut changes = vec![Twist::default(); self.bodies.len()];
        let islands = self.islands(&constraints);
        let solved = self.solve_islands(&islands, &mut constraints, &moving, &kicks);
        for (island, solved) in islands.iter().zip(&solved) {
            for (slot, &body) in island.bodies.iter().enumerate() {
                let (Some(moving), Some(twist)) = (&moving[body], &mut next[body]) else { continue };
                let part = &solved.solution.y[slot * width..(slot + 1) * width];
                let (linear, angular) = split(part);
                let change =
                    Twist { linear: linear * moving.inverse_root_mass, angular: self.kick(body, angular) };
                twist.linear += change.linear;
                twist.angular += moving.whiten.transpose() * angular;
                kicks[body] += change.angular;
                changes[body] = change;
            }
        }
        self.hold_still(&islands, &mut next, &mut kicks, &mut changes);
        let ends = vec![None; self.bodies.len()];
        Attempt { before, constraints, impacts, islands, solved, next, kicks, changes, ends }
    }

    /// Moves the bodies with the velocities of an attempt, and remembers its impulses.
    fn accept(&mut self, tried: &Attempt) -> Result<StepReport, DynamicsError> {
        let h = self.settings.step;
        let mut report = StepReport {
            events: self.events.len(),
            capped: tried.constraints.capped,
            frame: self.report.frame + 1,
            constraint_work: self.constraint_work(&tried.before, &tried.next),
            ..StepReport::default()
        };
        report.time = report.frame as f64 * h;
        self.advance(tried)?;
        self.learn(tried);
        for (island, solved) in tried.islands.iter().zip(&tried.solved) {
            solved.add_to(&mut report);
            let pushed = solved.solution.contacts.iter().any(|impulse| *impulse != [0.0; 3]);
            let closed = !pushed && solved.elastic.is_none() && solved.open <= tolerance::OPEN_REL;
            for line in island.rows.iter().map(|&at| &tried.constraints.rows[at]) {
                if let Some(place) = line.place {
                    self.joints[line.joint].bent(place, closed.then_some(line.bend / h));
                }
            }
            for (&at, impulse) in island.contacts.iter().zip(&solved.solution.contacts) {
                self.events[tried.constraints.contacts[at].0].take(*impulse);
            }
        }
        for ((at, _, _), impulse) in tried.constraints.contacts.iter().zip(&tried.impacts.impulses) {
            self.events[*at].impulse.iter_mut().zip(impulse).for_each(|(sum, part)| *sum += part);
        }
        Ok(report)
    }

    /// Makes ready for the first step: sets velocities half a kick back and finds the first events.
    pub fn start(&mut self) {
        if self.started {
            return;
        }
        self.started = true;
        let back = self.gravity * (self.settings.step / 2.0);
        for body in self.bodies.iter_mut().filter(|body| body.moves()) {
            body.velocity -= back;
        }
        self.find_events();
        self.measure();
    }

    /// A body's velocity after a time without constraints; none where it does not move or sleeps.
    pub(crate) fn free(&self, body: usize, time: f64) -> Option<Moving> {
        if !self.is_awake(body) {
            return None;
        }
        let body = &self.bodies[body];
        let rotation = DMat3::from_quat(body.orientation);
        Some(Moving {
            free: Twist { linear: body.velocity + self.gravity * time, angular: body.angular_velocity() },
            inverse_root_mass: 1.0 / body.mass.sqrt(),
            whiten: body.inverse_root * rotation.transpose(),
        })
    }

    /// The change of angular momentum that belongs to a part of the program's solution.
    pub(crate) fn kick(&self, body: usize, angular: DVec3) -> DVec3 {
        let body = &self.bodies[body];
        body.orientation * (body.root * angular)
    }

    /// All constraints, with those of contacts in place of what a vector holds.
    fn constraints(&self, moving: &[Option<Moving>], mut contacts: Vec<EventContact>) -> Constraints {
        contacts.clear();
        let rows = Vec::with_capacity(3 * self.joints.len());
        let mut constraints = Constraints { contacts, rows, capped: 0 };
        constraints.contacts.reserve(self.events.len());
        for (at, event) in self.events.iter().enumerate() {
            let (contact, capped) = self.contact(event, moving);
            constraints.capped += usize::from(capped);
            constraints.contacts.push((at, contact, event.bodies));
        }
        let h = self.settings.step;
        let mut rows = Vec::new();
        for (number, joint) in self.joints.iter().enumerate() {
            joint.rows_into(&self.bodies, &mut rows);
            for (place, row) in rows.iter().enumerate() {
                let line = self.line(joint.bodies, row.twists, moving);
                if !(line.square() > 0.0) {
                    continue;
                }
                let demand = match row.demand {
                    Demand::Within(force) => Demand::Within(force * h),
                    other => other,
                };
                let start = start_of(joint.bodies, row.twists, moving);
                let (correction, slowed) = self.correction(joint, row);
                constraints.capped += usize::from(slowed);
                let bends = demand == Demand::Zero && !slowed;
                let bend = if bends { joint.bend(place, h) } else { 0.0 };
                constraints.rows.push(JointLine {
                    row: Row { line, start, bias: correction - row.velocity + bend, demand },
                    bodies: joint.bodies,
                    joint: number,
                    place: bends.then_some(place),
                    value: row.value,
                    is_turn: is_turn(&row.twists),
                    bend,
                });
            }
        }
        constraints
    }

    /// The rows of an event, and whether its correction was slowed down.
    fn contact(&self, at: &WorldEvent, moving: &[Option<Moving>]) -> (Contact, bool) {
        let bodies = at.bodies.map(Some);
        let arms = at.bodies.map(|body| at.event.point - self.bodies[body].position);
        let normal = at.event.normal;
        let tangents = if self.is_planar() {
            [DVec3::new(-normal.y, normal.x, 0.0), DVec3::ZERO]
        } else {
            let first = normal.any_orthonormal_vector();
            [first, normal.cross(first)]
        };
        let mut contact =
            Contact { friction: self.friction_of(at.bodies[0], at.bodies[1]), ..Contact::default() };
        for (i, direction) in [normal, tangents[0], tangents[1]].into_iter().enumerate() {
            let twists = [Twist::at(direction, arms[0]).reversed(), Twist::at(direction, arms[1])];
            contact.lines[i] = self.line(bodies, twists, moving);
            contact.start[i] = start_of(bodies, twists, moving);
        }
        let share = if at.event.gap < 0.0 { self.made_good() } else { self.settings.stabilization };
        let wanted = share * at.event.gap / self.settings.step;
        let fastest = self.fastest_correction(at.bodies, moving);
        contact.bias = wanted.max(-fastest);
        (contact, wanted < -fastest)
    }

    /// The share of an error that is made good: γ of 002, in a part of a step as much less as it is shorter.
    pub(crate) fn made_good(&self) -> f64 {
        let h = self.settings.step;
        self.settings.stabilization * (h / self.whole.unwrap_or(h))
    }

    /// How fast overlaps of a pair may be pushed apart: as fast as a fall over the size of the smaller body, or by a share of how fast
    /// they move against each other, since what moves fast overlaps by as much as it bends away from its tangents in a step.
    fn fastest_correction(&self, pair: [usize; 2], moving: &[Option<Moving>]) -> f64 {
        let [a, b] = pair.map(|at| &self.bodies[at]);
        let turning = |at: usize| {
            let body = moving[at].as_ref();
            body.map_or(0.0, |moving| moving.free.angular.length() * self.bodies[at].radius)
        };
        let against = (a.velocity - b.velocity).length() + turning(pair[0]) + turning(pair[1]);
        self.settings.fastest_correction(self.size(pair), against)
    }

    /// A row in the program's coordinates; slots are body numbers until it is split into islands.
    pub(crate) fn line(
        &self,
        bodies: [Option<usize>; 2],
        twists: [Twist; 2],
        moving: &[Option<Moving>],
    ) -> Line {
        let mut line = Line::default();
        for at in 0..2 {
            let Some(body) = bodies[at] else { continue };
            let Some(mass) = &moving[body] else { continue };
            line.slots[at] = Some(body);
            let linear = twists[at].linear * mass.inverse_root_mass;
            let angular = mass.whiten * twists[at].angular;
            line.values[at] = if self.is_planar() {
                [linear.x, linear.y, angular.z, 0.0, 0.0, 0.0]
            } else {
                [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
            };
        }
        line
    }

    fn islands(&self, constraints: &Constraints) -> Vec<Island> {
        let moves: Vec<bool> = (0..self.bodies.len()).map(|body| self.is_awake(body)).collect();
        let contacts: Vec<_> = constraints.contacts.iter().map(|(_, _, pair)| pair.map(Some)).collect();
        let rows: Vec<_> = constraints.rows.iter().map(|line| line.bodies).collect();
        islands(&moves, &contacts, &rows)
    }

    /// Numbers of velocity per body.
    pub(crate) fn width(&self) -> usize {
        if self.is_planar() { 3 } else { 6 }
    }

    /// Solves the programs of all islands, at once where there are threads; those with joints again, for the end of the step.
    fn solve_islands(
        &self,
        islands: &[Island],
        constraints: &mut Constraints,
        moving: &[Option<Moving>],
        kicks: &[DVec3],
    ) -> Vec<SolvedIsland> {
        let slots = slots(islands, self.bodies.len());
        let mut solved: Vec<(&Island, SolvedIsland)> =
            islands.iter().map(|island| (island, SolvedIsland::default())).collect();
        threads::each(&mut solved, 1, |(island, solved)| {
            *solved = self.solve_island(island, &slots, constraints, moving, SolvedIsland::default());
        });
        self.close(&mut solved, &slots, constraints, moving, kicks);
        solved.into_iter().map(|(_, solved)| solved).collect()
    }

    /// Solves an island's program, from what was found for it before, if anything; where it has no solution, by springs.
    pub(crate) fn solve_island(
        &self,
        island: &Island,
        slots: &[Option<usize>],
        constraints: &Constraints,
        moving: &[Option<Moving>],
        first: SolvedIsland,
    ) -> SolvedIsland {
        let mut program = self.program(island, slots, constraints);
        self.forget_small_gaps(island, &mut program);
        // Newton steps that ended nowhere in one round do not in the next.
        let patience = self.patience_of(island);
        let failed = first.newton.filter(|reached| !reached);
        let patience = if failed.is_some() { patience.after(failed) } else { patience };
        let mut solver = self.settings.solver.chosen(patience);
        let is_bent = first.sweeps > 0;
        solver.joints = if is_bent { first.joints } else { self.factored(island, &program) };
        let warm = if is_bent {
            first.solution
        } else {
            solver.guess = Some(self.impulses(island, constraints, |event| event.guess));
            let contacts = self.impulses(island, constraints, |event| event.impulse);
            Solution { contacts, rows: vec![0.0; program.rows.len()], ..Solution::default() }
        };
        let settled = settle(&mut program, &mut solver, self.settings.sweeps, Some(&warm));
        let (mut residual, mut relaxed, sweeps) = (settled.residual, settled.relaxed, settled.sweeps);
        let (mut iterations, mut solution, mut elastic) = (settled.iterations, settled.solution, None);
        let (lost, mut thrown) = (solution.ended == Ended::Infeasible, false);
        // Joints alone are closed, not pushed.
        let pushes = solution.contacts.iter().any(|impulse| *impulse != [0.0; 3]);
        let mut allowance = || self.allowance(island, &program, is_bent.then_some(&mut solver.joints));
        let allowed = if lost || pushes { allowance() } else { 0.0 };
        if lost || pushes && self.is_thrown(island, &program, &solution, moving, allowed) {
            solution = self.give_way(island, &program, allowed);
            iterations += solution.iterations;
            let gave = violation(&program, &solution);
            (residual, relaxed, elastic, thrown) = (gave, true, Some(gave), !lost);
        }
        SolvedIsland {
            solution,
            residual,
            relaxed,
            sweeps,
            iterations,
            elastic,
            thrown,
            open: 0.0,
            newton: solver.newton.or(failed),
            joints: solver.joints,
        }
    }

    /// An island's program.
    fn program(&self, island: &Island, slots: &[Option<usize>], constraints: &Constraints) -> Program {
        let mut program = Program {
            width: self.width(),
            slots: island.bodies.len(),
            contacts: Vec::with_capacity(island.contacts.len()),
            rows: Vec::with_capacity(island.rows.len()),
            cone: self.settings.cone,
        };
        for &at in &island.contacts {
            let mut contact = constraints.contacts[at].1;
            contact.lines.iter_mut().for_each(|line| renumber(line, slots));
            program.contacts.push(contact);
        }
        for &at in &island.rows {
            let mut row = constraints.rows[at].row;
            renumber(&mut row.line, slots);
            program.rows.push(row);
        }
        program
    }

    /// Remembers of each island whether Newton steps were worth it.
    pub(crate) fn learn(&mut self, tried: &Attempt) {
        for (island, solved) in tried.islands.iter().zip(&tried.solved) {
            let learnt = self.patience_of(island).after(solved.newton);
            island.bodies.iter().for_each(|&body| self.patience[body] = learnt);
        }
    }

    /// What was learnt about Newton steps of the bodies of an island.
    fn patience_of(&self, island: &Island) -> Patience {
        island.bodies.first().map_or_else(Patience::default, |&body| self.patience[body])
    }

    /// Impulses of an island's contacts to start from: those of the last step, or the mean of the last two.
    fn impulses(
        &self,
        island: &Island,
        constraints: &Constraints,
        of: impl Fn(&WorldEvent) -> [f64; 3],
    ) -> Vec<[f64; 3]> {
        island.contacts.iter().map(|&at| of(&self.events[constraints.contacts[at].0])).collect()
    }

    /// Kinetic energy with the constraints less that without, both at the poses of the start.
    fn constraint_work(&self, before: &[Option<Twist>], next: &[Option<Twist>]) -> f64 {
        let of = |body: &RigidBody, twist: &Twist| {
            let turning = twist.angular.dot(body.inertia() * twist.angular);
            (body.mass * twist.linear.length_squared() + turning) / 2.0
        };
        let mut work = 0.0;
        for ((body, before), next) in self.bodies.iter().zip(before).zip(next) {
            if let (Some(before), Some(next)) = (before, next) {
                work += of(body, next) - of(body, before);
            }
        }
        work
    }

    /// Moves the bodies, all or none.
    pub(crate) fn advance(&mut self, tried: &Attempt) -> Result<(), DynamicsError> {
        let h = self.settings.step;
        let moved: Vec<Option<End>> = (0..self.bodies.len())
            .map(|at| {
                let (body, twist) = (&self.bodies[at], tried.next[at]?);
                let freely = || {
                    let turned = body.turned_freely(tried.kicks[at], h);
                    let travel = h * twist.linear.length() + turned.way * body.radius;
                    End {
                        position: body.position + twist.linear * h,
                        orientation: turned.orientation,
                        travel,
                    }
                };
                Some(tried.ends[at].unwrap_or_else(freely))
            })
            .collect();
        for (body, moved) in moved.iter().enumerate() {
            let lost = |end: &End| {
                !end.position.is_finite() || !end.orientation.is_finite() || !end.travel.is_finite()
            };
            if moved.as_ref().is_some_and(lost) {
                return Err(DynamicsError::Diverged { body });
            }
        }
        for (at, body) in self.bodies.iter_mut().enumerate() {
            let (Some(end), Some(twist)) = (moved[at], tried.next[at]) else { continue };
            self.travel[at] += end.travel;
            self.moved[at] = end.position != body.position || end.orientation != body.orientation;
            (body.position, body.orientation) = (end.position, end.orientation);
            body.velocity = twist.linear;
            body.spin += tried.kicks[at];
        }
        Ok(())
    }
}

pub(crate) fn renumber(line: &mut Line, slots: &[Option<usize>]) {
    line.slots = line.slots.map(|body| body.and_then(|body| slots[body]));
}

/// Velocity along a row without constraints.
pub(crate) fn start_of(bodies: [Option<usize>; 2], twists: [Twist; 2], moving: &[Option<Moving>]) -> f64 {
    let of = |at: usize| {
        let body = bodies[at].and_then(|body| moving[body].as_ref());
        body.map_or(0.0, |body| twists[at].dot(body.free))
    };
    of(0) + of(1)
}

/// Linear and angular part of a body's numbers.
pub(crate) fn split(part: &[f64]) -> (DVec3, DVec3) {
    match *part {
        [x, y, turn] => (DVec3::new(x, y, 0.0), DVec3::new(0.0, 0.0, turn)),
        [x, y, z, a, b, c] => (DVec3::new(x, y, z), DVec3::new(a, b, c)),
        _ => (DVec3::ZERO, DVec3::ZERO),
    }
}

/// By how much, as a velocity, a constraint of the relaxation is violated at most.
fn violation(program: &Program, solution: &Solution) -> f64 {
    let contacts = program.contacts.iter().map(|contact| {
        let u = program.velocity(contact, &solution.y);
        program.sliding(contact, u) - u[0]
    });
    let rows = program.rows.iter().map(|row| {
        let u = program.row_velocity(row, &solution.y);
        match row.demand {
            Demand::Zero => u.abs(),
            Demand::NotNegative => -u,
            Demand::Within(_) => 0.0,
        }
    });
    contacts.chain(rows).fold(0.0, f64::max)
}
