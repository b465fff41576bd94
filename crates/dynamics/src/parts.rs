//! Steps in parts: mechanisms that a whole step is too long for.
//!
//! Source: SHAKE is stable while h·ω < 2, and a light body held under tension swings across it with ω² = T·r/J, however exactly its
//! rows are solved for. Velocities pass from one length of part to another at the time of the poses, on the joints' rows: RATTLE.
//! Differs: DIFFERS from 002, whose step is one: a mechanism sees no body within the step but those that it has events with, so that it
//! may take as many parts of it as its joints ask for. Errors are made good over the whole step, or short parts would throw bodies.
//! Where such a part gains energy, as where a chain snaps tight, it is halved as well.
//! Ends because: parts are halved so often at most, and not for joints that stay as open in shorter ones.
//! Cost: a step of the mechanism for each part; nothing but sums where a whole step will do.
//! Not promised: less than a thousandth of a step, or than a sixteenth of it for large groups that contacts act on.

use crate::body::{RigidBody, Twist};
use crate::error::DynamicsError;
use crate::islands::Island;
use crate::joint::{Joint, JointKind};
use crate::program::Demand;
use crate::seen::joints_of;
use crate::settings::Settings;
use crate::solved::SolvedIsland;
use crate::step::{Attempt, Constraints, End};
use crate::tolerance;
use crate::world::World;
use clearance_geometry::{DMat3, DQuat, DVec3};

/// How often a step is halved at most.
const HALVINGS: u32 = 10;

/// The same where contacts act, which are found anew in each part; and in larger groups than so many bodies, whose parts are dear.
const BESIDE_CONTACTS: u32 = 8;
const FEW_BODIES: usize = 64;
const OF_MANY: u32 = 4;

/// How often it is halved at once: what a step that is far too long says of its joints is too much.
const AT_ONCE: u32 = 3;

/// How often joints may stay as open in parts half as long.
const HOPE: u32 = 8;

/// How a body stands and moves.
struct State {
    position: DVec3,
    orientation: DQuat,
    velocity: DVec3,
    spin: DVec3,
    travel: f64,
}

/// What is left of a step's halvings and hopes.
#[derive(Clone, Copy)]
struct Plan {
    left: u32,
    hope: u32,
    /// What joints were left open by in parts twice as long.
    open: f64,
    /// Whether contacts act.
    touches: bool,
}

/// What asks for shorter parts.
#[derive(Default)]
struct Asked {
    /// How many times as short they have to be for what turns fast, and for what swings fast under tension.
    times: f64,
    /// What joints are left open by.
    open: f64,
}

impl Asked {
    fn or(self, other: Self) -> Self {
        Self { times: self.times.max(other.times), open: self.open.max(other.open) }
    }
}

impl World {
    /// Takes again, in parts, what islands of joints alone did in a step that is too long for them.
    pub(crate) fn take_parts(&self, tried: &mut Attempt) {
        for at in 0..tried.islands.len() {
            // What is led back to its limits is so by a share in each step, which parts would make faster.
            let joints = joints_of(&tried.islands[at], &tried.constraints);
            let led = joints.iter().any(|&number| self.joints[number].is_led());
            if led || tried.islands[at].rows.is_empty() {
                continue;
            }
            let asked = self.asked(tried, at);
            if asked.times > 1.0 || asked.open > tolerance::OPEN_REL || self.may_gain(tried, at) {
                self.take_parts_of(tried, at, &joints);
            }
        }
    }

    fn take_parts_of(&self, tried: &mut Attempt, at: usize, joints: &[usize]) {
        let island = &tried.islands[at];
        let (mut part, numbers) = self.mechanism(island, joints, &tried.constraints, tried.is_untouched(at));
        let mut passed = SolvedIsland::default();
        let h = self.settings.step;
        let touches = !island.contacts.is_empty();
        let left = match island.bodies.len() {
            _ if !touches => HALVINGS,
            0..=FEW_BODIES => BESIDE_CONTACTS,
            _ => OF_MANY,
        };
        let plan = Plan { left, hope: HOPE, open: f64::INFINITY, touches };
        // What outgrows double precision ends the step in an error of its own.
        if part.pass(h, plan, &mut passed).is_err() {
            return;
        }
        let back = self.gravity * (h / 2.0);
        for (slot, &body) in numbers.iter().enumerate() {
            let ended = &part.bodies[slot];
            if let Some(next) = &mut tried.next[body] {
                *next = Twist { linear: ended.velocity - back, angular: ended.angular_velocity() };
                tried.kicks[body] = ended.spin - self.bodies[body].spin;
                let (position, orientation) = (ended.position, ended.orientation);
                tried.ends[body] = Some(End { position, orientation, travel: part.travel[slot] });
            }
        }
        let solved = &mut tried.solved[at];
        (solved.residual, solved.relaxed, solved.elastic) = (passed.residual, passed.relaxed, passed.elastic);
        solved.sweeps += passed.sweeps;
        solved.iterations += passed.iterations;
    }

    /// A world of an island's bodies and joints alone, with velocities at the time of the poses, and which bodies they are.
    fn mechanism(
        &self,
        island: &Island,
        joints: &[usize],
        constraints: &Constraints,
        untouched: bool,
    ) -> (Self, Vec<usize>) {
        let held = joints.iter().flat_map(|&number| self.joints[number].bodies).flatten();
        let touched = island.contacts.iter().flat_map(|&contact| constraints.contacts[contact].2);
        let mut numbers: Vec<usize> = island.bodies.iter().copied().chain(held).chain(touched).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut part = Self::empty(Settings { sleep: None, shake: None, ..self.settings });
        (part.started, part.gravity, part.whole) = (true, self.gravity, Some(self.settings.step));
        for &number in &numbers {
            let mut body = self.bodies[number].clone();
            if untouched {
                let seen = self.seen(number);
                (body.velocity, body.spin) = (seen.linear, seen.angular);
            } else if body.moves() {
                body.velocity += self.gravity * (self.settings.step / 2.0);
            }
            part.push_body(body);
        }
        for (slot, &number) in numbers.iter().enumerate() {
            (part.rests[slot], part.patience[slot]) = (self.rests[number], self.patience[number]);
        }
        let number = |body: usize| numbers.binary_search(&body).ok();
        part.ignored = self.ignored.iter().filter_map(|&[a, b]| Some([number(a)?, number(b)?])).collect();
        let friction = self.pair_friction.iter();
        part.pair_friction =
            friction.filter_map(|(&[a, b], &mu)| Some(([number(a)?, number(b)?], mu))).collect();
        part.joints = joints.iter().map(|&number| self.joints[number].clone()).collect();
        for joint in &mut part.joints {
            joint.bodies = joint.bodies.map(|body| number(body?));
            joint.forget_bends();
        }
        if !island.contacts.is_empty() {
            part.find_events();
        }
        (part, numbers)
    }

    /// Passes through a time that is too long in shorter ones.
    fn halve(
        &mut self,
        time: f64,
        plan: Plan,
        asked: &Asked,
        passed: &mut SolvedIsland,
    ) -> Result<(), DynamicsError> {
        let halvings = (asked.times.log2().ceil().max(1.0) as u32).min(AT_ONCE).min(plan.left);
        let count = 1_u32 << halvings;
        let plan = Plan { left: plan.left - halvings, open: asked.open, ..plan };
        for _ in 0..count {
            self.pass(time / f64::from(count), plan, passed)?;
        }
        Ok(())
    }

    /// Passes through a time, in parts where it is too long; velocities are those at the time of the poses, before and after.
    fn pass(&mut self, time: f64, mut plan: Plan, passed: &mut SolvedIsland) -> Result<(), DynamicsError> {
        self.settings.step = time;
        let half = self.gravity * (time / 2.0);
        let before = (self.states(), self.joints.clone(), self.energies());
        let owed = self.owed();
        self.bodies.iter_mut().filter(|body| body.moves()).for_each(|body| body.velocity -= half);
        let tried = self.attempt_whole();
        self.learn(&tried);
        let asked =
            (0..tried.islands.len()).map(|at| self.asked(&tried, at)).fold(Asked::default(), Asked::or);
        plan.hope = if asked.open < plan.open / 2.0 { HOPE } else { plan.hope.saturating_sub(1) };
        let opens = asked.open > tolerance::OPEN_REL && plan.hope > 0;
        let mut cut = plan.left > 0 && (asked.times > 1.0 || opens);
        if !cut {
            self.advance(&tried)?;
            self.joints.iter_mut().for_each(|joint| joint.follow(&self.bodies, time));
            self.bodies.iter_mut().for_each(RigidBody::forget_ahead);
            self.foresee_joints(&tried);
            self.catch_up();
            let [kinetic, sum] = self.energies();
            let fall: f64 = self.bodies.iter().map(|body| self.fall(body)).sum();
            let share = time / self.whole.unwrap_or(time);
            let most = tolerance::GAIN_REL * share * (kinetic + fall) + owed + f64::EPSILON * sum.abs();
            let gained = (sum - before.2[1]) / most;
            cut = plan.left > 0 && self.may_not_gain(&tried, gained);
            if plan.touches && !cut {
                self.find_events();
            }
        }
        if cut {
            self.return_to(&before.0);
            self.joints = before.1;
            return self.halve(time, plan, &asked, passed);
        }
        tried.solved.iter().for_each(|solved| passed.join(solved));
        Ok(())
    }

    fn states(&self) -> Vec<State> {
        let of = |(body, &travel): (&RigidBody, &f64)| State {
            position: body.position,
            orientation: body.orientation,
            velocity: body.velocity,
            spin: body.spin,
            travel,
        };
        self.bodies.iter().zip(&self.travel).map(of).collect()
    }

    fn return_to(&mut self, states: &[State]) {
        for ((body, travel), state) in self.bodies.iter_mut().zip(&mut self.travel).zip(states) {
            (body.position, body.orientation) = (state.position, state.orientation);
            (body.velocity, body.spin, *travel) = (state.velocity, state.spin, state.travel);
        }
    }

    /// Lets velocities be those at the time of the poses.
    fn catch_up(&mut self) {
        let seen: Vec<Twist> = (0..self.bodies.len()).map(|body| self.seen(body)).collect();
        for (body, seen) in self.bodies.iter_mut().zip(seen) {
            (body.velocity, body.spin, body.ahead) = (seen.linear, seen.angular, Twist::default());
        }
    }

    /// Kinetic energy, and its sum with that in the field of gravity, of velocities at the time of the poses.
    fn energies(&self) -> [f64; 2] {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for body in self.bodies.iter().filter(|body| body.moves()) {
            kinetic += body.kinetic(Twist { linear: body.velocity, angular: body.spin });
            potential -= body.mass * self.gravity.dot(body.position);
        }
        [kinetic, kinetic + potential]
    }

    /// The energy that making good what joints are off by now may take: all bodies at that speed, and as much again.
    fn owed(&self) -> f64 {
        let mass: f64 = self.bodies.iter().map(|body| body.mass).sum();
        let speed = self.made_good() / self.settings.step;
        let of = |joint: &Joint| joint.off(&self.bodies) * speed;
        mass * self.joints.iter().map(of).map(|speed| speed * speed).sum::<f64>()
    }

    /// Whether a mechanism has no right to gain so many times the energy that it may be off by: no motor drives it, and nothing is
    /// drawn together; nor to lose it: nothing pushes it, and it has no motors and no limits.
    fn may_not_gain(&self, tried: &Attempt, gained: f64) -> bool {
        let alone = || (0..tried.islands.len()).all(|at| tried.is_untouched(at));
        let keeps = || tried.constraints.rows.iter().all(|line| line.row.demand == Demand::Zero) && alone();
        let drives = || self.joints.iter().any(Joint::drives);
        tried.constraints.capped == 0 && (gained > 1.0 && !drives() || gained < -1.0 && keeps())
    }

    /// Whether the impulses of an island of joints alone could add to its energy: what they put into velocities on their rows
    /// at the start of the step they should take out again at its end.
    fn may_gain(&self, tried: &Attempt, at: usize) -> bool {
        let island = &tried.islands[at];
        let is_held = tried.is_untouched(at) && tried.solved[at].elastic.is_none();
        if !is_held || tried.constraints.capped > 0 {
            return false;
        }
        let (mut put, mut had) = (0.0, 0.0);
        for &body in &island.bodies {
            let (at, change) = (&self.bodies[body], tried.changes[body]);
            let linear = change.linear - at.ahead.linear;
            put += at.kinetic(Twist { linear, angular: change.angular - at.ahead.angular });
            had += at.kinetic(self.seen(body)) + self.fall(at);
        }
        put > tolerance::GAIN_REL * had
    }

    /// The energy of a body that falls over its radius: gains are no gains beside that.
    fn fall(&self, body: &RigidBody) -> f64 {
        body.mass * self.gravity.length() * body.radius
    }

    /// What an island of joints alone asks of the length of the step that was tried; nothing of others.
    fn asked(&self, tried: &Attempt, at: usize) -> Asked {
        let (island, solved) = (&tried.islands[at], &tried.solved[at]);
        if island.rows.is_empty() || solved.elastic.is_some() {
            return Asked::default();
        }
        let h = self.settings.step;
        let turns = island.bodies.iter().map(|&body| self.bodies[body].turns_by(tried.kicks[body], h));
        let turn = turns.fold(0.0, f64::max) / tolerance::BEND_TURN_RAD;
        let is_alone = self.whole.is_none() && island.contacts.is_empty();
        let most = if is_alone { tolerance::STIFF_TURN_RAD } else { tolerance::STIFF_PART_RAD };
        let swing = self.stiffness(island, solved, &tried.constraints).sqrt() / most;
        // Beside contacts that push, what is open is what they leave, in parts as well.
        let open = if tried.is_untouched(at) { solved.open } else { 0.0 };
        Asked { times: turn.max(swing), open }
    }

    /// The largest (h·ω)² with which a body of an island would swing across the forces of its joints, were it alone.
    fn stiffness(&self, island: &Island, solved: &SolvedIsland, constraints: &Constraints) -> f64 {
        let mut all = vec![(DMat3::ZERO, 0.0); island.bodies.len()];
        let rows: Vec<(usize, f64)> =
            island.rows.iter().copied().zip(solved.solution.rows.iter().copied()).collect();
        for of_joint in
            rows.chunk_by(|one, two| constraints.rows[one.0].joint == constraints.rows[two.0].joint)
        {
            let joint = &self.joints[constraints.rows[of_joint[0].0].joint];
            let ends = joint.ends(&self.bodies);
            for (end, body) in ends.bodies.into_iter().enumerate() {
                let slot = body.and_then(|body| island.bodies.binary_search(&body).ok());
                let (Some(body), Some(slot)) = (body, slot) else { continue };
                let mut force = DVec3::ZERO;
                for &(row, impulse) in of_joint {
                    let values = constraints.rows[row].row.line.values[end];
                    let out = if self.is_planar() { 0.0 } else { values[2] };
                    force += DVec3::new(values[0], values[1], out) * impulse;
                }
                let root = self.bodies[body].mass.sqrt();
                if ends.kind == JointKind::Distance {
                    let length = ends.points[0].distance(ends.points[1]);
                    all[slot].1 += if length > 0.0 { force.length() / (root * length) } else { 0.0 };
                }
                let force = force * root;
                let arm = ends.points[end] - self.bodies[body].position;
                let outer = DMat3::from_cols(arm * force.x, arm * force.y, arm * force.z);
                all[slot].0 +=
                    DMat3::from_diagonal(DVec3::splat(arm.dot(force))) - (outer + outer.transpose()) * 0.5;
            }
        }
        let of = |(&body, (turning, across)): (&usize, &(DMat3, f64))| {
            let at = &self.bodies[body];
            let whiten = at.inverse_root * DMat3::from_quat(at.orientation).transpose();
            let turning = whiten * *turning * whiten.transpose();
            let square: f64 = turning.to_cols_array().iter().map(|x| x * x).sum();
            square.sqrt() + across
        };
        self.settings.step * island.bodies.iter().zip(&all).map(of).fold(0.0, f64::max)
    }
}
