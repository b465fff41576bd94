//! Running a simulation, and what it came to.

use super::Simulation;
use crate::{AnyPose, Error, ErrorKind};
use clearance_dynamics::tolerance::{BROKEN_REL, UNSOLVED_RATIO};
use clearance_dynamics::{DynamicsError, World};
use std::ops::ControlFlow;

/// One frame of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its number, from 0.
    pub index: u64,
    /// Its time in seconds.
    pub time: f64,
    /// The world as it stands.
    pub world: &'a World,
}

impl Frame<'_> {
    /// Where a body stands.
    pub fn pose(&self, body: usize) -> AnyPose {
        let body = &self.world.bodies()[body];
        if body.is_planar() { AnyPose::Planar(body.planar_pose()) } else { AnyPose::Solid(body.pose()) }
    }
}

/// How a simulation went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimulationSummary {
    /// Steps taken.
    pub steps: u64,
    /// Mean and largest infeasibility over the run, a length.
    pub infeasibility: [f64; 2],
    /// Kinetic energy at the end.
    pub kinetic: f64,
    /// Most events of a step.
    pub events: usize,
    /// Steps in which friction was only relaxed.
    pub relaxed: u64,
    /// Steps in which a program had no solution, or one that throws bodies about, and constraints gave way.
    pub elastic: u64,
    /// Those of them in which a program had none, and those in which one had one that throws bodies about.
    pub gave_way: GaveWay,
    /// Steps that were not solved: their residual is larger than ten times any velocity before or after them, and the fastest
    /// correction.
    pub unsolved: u64,
    /// Steps in which overlaps or joints were made good more slowly than a step could.
    pub capped: u64,
    /// Largest natural residual, a velocity.
    pub residual: f64,
    /// The largest share of a body by which a pair overlaps at the end, or of its reach by which a joint is off.
    pub left: f64,
}

/// Why constraints gave way: in how many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GaveWay {
    /// They contradict each other.
    pub jammed: u64,
    /// Bodies would have been thrown about.
    pub thrown: u64,
}

impl SimulationSummary {
    /// Whether constraints gave way, were not solved for, or are broken at the end.
    pub fn is_broken(&self) -> bool {
        self.elastic > 0 || self.unsolved > 0 || self.is_left_broken()
    }

    /// Whether constraints are broken at the end.
    pub fn is_left_broken(&self) -> bool {
        !(self.left <= BROKEN_REL)
    }

    /// Takes in a step, before which nothing was faster than `fastest`.
    fn add(&mut self, world: &World, fastest: f64) {
        let report = world.report();
        self.steps += 1;
        self.infeasibility[0] += report.infeasibility;
        self.infeasibility[1] = self.infeasibility[1].max(report.infeasibility);
        self.events = self.events.max(report.events);
        self.relaxed += u64::from(report.relaxed);
        self.elastic += u64::from(report.elastic.is_some());
        self.gave_way.jammed += u64::from(report.jammed);
        self.gave_way.thrown += u64::from(report.thrown);
        self.capped += u64::from(report.capped > 0);
        // The relaxation of 002 does not try to bring it down.
        let asked = world.settings().sweeps > 1;
        let scale = UNSOLVED_RATIO * fastest.max(world.fastest());
        self.unsolved += u64::from(asked && !(report.residual <= scale));
        self.residual = self.residual.max(report.residual);
        self.kinetic = report.kinetic;
    }

    fn end(&mut self, world: &World) {
        self.infeasibility[0] /= self.steps.max(1) as f64;
        let overlaps = world.overlaps().map(|(_, _, share)| share);
        self.left = overlaps.fold(world.joints_off(), f64::max);
    }
}

/// Runs a simulation and hands every frame to `on_frame`, the start first. It can break off; the summary is of what was
/// run.
///
/// # Errors
/// `not_finite`, with the file and the body, when a step or its energy outgrows double precision, `bad_value` at the solver's name
/// when bodies come together that are too many for it, and whatever `on_frame`
/// returns, at which the run stops.
pub fn run_simulation(
    simulation: &Simulation,
    mut on_frame: impl FnMut(&Frame<'_>) -> Result<ControlFlow<()>, Error>,
) -> Result<SimulationSummary, Error> {
    let mut world = simulation.world.clone();
    let mut summary = SimulationSummary::default();
    world.start();
    for index in 0..simulation.frames {
        if index > 0 {
            let fastest = world.fastest();
            let outgrown = match world.step() {
                Ok(report) => !report.energy().is_finite() || !report.residual.is_finite(),
                Err(DynamicsError::Diverged { body }) => return Err(simulation.diverged(body, index)),
                Err(error) => return Err(simulation.refused(error)),
            };
            if outgrown {
                return Err(simulation.diverged(fastest_body(&world), index));
            }
            summary.add(&world, fastest);
        }
        let time = index as f64 * world.settings().step;
        if on_frame(&Frame { index, time, world: &world })?.is_break() {
            break;
        }
    }
    summary.end(&world);
    Ok(summary)
}

/// The body that moves fastest; one whose speed is not a number before all others.
fn fastest_body(world: &World) -> usize {
    let speed = |body: usize| {
        let speed = world.velocity(body).length() + world.bodies()[body].angular_velocity().length();
        if speed.is_nan() { f64::INFINITY } else { speed }
    };
    (0..world.bodies().len()).max_by(|&a, &b| speed(a).total_cmp(&speed(b))).unwrap_or(0)
}

impl Simulation {
    /// Says that the numbers of a body have outgrown double precision.
    fn diverged(&self, body: usize, frame: u64) -> Error {
        let (name, line) = self.names.get(body).cloned().unwrap_or_default();
        let time = frame as f64 * self.world.settings().step;
        let what = format!("the step of `{name}` to frame {frame} (at {time:.6} s)");
        let error = Error::new(ErrorKind::NotFinite { what }).at_key(format!("body.{name}"));
        self.place(match line {
            Some(line) => error.on_line(line),
            None => error,
        })
    }

    /// Says what a solver cannot do, at its name.
    fn refused(&self, error: DynamicsError) -> Error {
        let at_solver = error.field() == Some("solver");
        let error = Error::from(error);
        self.place(match self.solver_line.filter(|_| at_solver) {
            Some(line) => error.at_key("simulation.solver".to_owned()).on_line(line),
            None => error,
        })
    }

    fn place(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => error.in_file(file),
            None => error,
        }
    }
}
