//! What a step says about itself.

use crate::events::Event;
use clearance_geometry::DVec3;

/// The state of a world after a step, and how the step went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Steps taken.
    pub frame: u64,
    /// Seconds since the start.
    pub time: f64,
    /// I(q) of 002, (6.3), as a length: the deepest overlap of a pair along the plane of the ratio metric, or the largest
    /// error of a joint (angles in radians).
    pub infeasibility: f64,
    /// The same of the overlaps alone as ρ of 002.
    pub infeasibility_rho: f64,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy in the field of gravity.
    pub potential: f64,
    /// Energy that the constraints of the step added; negative where they took some out, as friction and impacts do.
    /// Positive only where overlaps are pushed apart, joints are corrected or driven, or bodies bounce: (5.20) of 002.
    pub constraint_work: f64,
    /// Linear momentum of all bodies.
    pub momentum: DVec3,
    /// Angular momentum of all bodies about the origin.
    pub angular_momentum: DVec3,
    /// Natural residual of the complementarity problem, a velocity: the largest of all islands.
    pub residual: f64,
    /// Whether some island holds only the convex relaxation.
    pub relaxed: bool,
    /// The largest velocity by which a constraint gave way, where a program had no solution, or one that throws bodies about; none where all had one.
    pub elastic: Option<f64>,
    /// Whether that was so because a program had no solution: constraints contradict each other.
    pub jammed: bool,
    /// Whether that was so because a solution had more energy than pushing overlaps apart can need.
    pub thrown: bool,
    /// Events, and rows of joints, whose correction was slowed down to the fastest allowed.
    pub capped: usize,
    /// Bodies asleep.
    pub asleep: usize,
    /// Islands with constraints.
    pub islands: usize,
    /// Convex programs solved.
    pub sweeps: usize,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Events that the step was made with.
    pub events: usize,
}

impl StepReport {
    /// Kinetic and potential energy.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// An event with the bodies it belongs to and what it did in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldEvent {
    /// The bodies A and B.
    pub bodies: [usize; 2],
    /// The event, in the world.
    pub event: Event,
    /// Impulse of the last step along the normal and two tangents.
    pub impulse: [f64; 3],
    /// What the next step's impulse is looked for from.
    pub(crate) guess: [f64; 3],
}

impl WorldEvent {
    /// Takes the impulse of a step. The mean of two steps is the better guess: what one step gives too much, the next takes back,
    /// so that bodies at rest would be kicked to and fro by impulses that are taken over as they are.
    pub(crate) fn take(&mut self, impulse: [f64; 3]) {
        let fresh = self.impulse == [0.0; 3];
        let last = std::mem::replace(&mut self.impulse, impulse);
        self.guess = if fresh { impulse } else { std::array::from_fn(|i| (last[i] + impulse[i]) / 2.0) };
    }
}
