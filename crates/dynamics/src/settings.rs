//! What a simulation is run with.

use crate::admit::{check_friction, check_restitution};
use crate::error::{DynamicsError, at_least, finite};
use crate::program::Cone;
use crate::sleep::Sleep;
use crate::solve::SolverChoice;
use crate::tolerance;
use clearance_geometry::DVec3;

/// What a simulation is run with; every field has a value that works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Seconds per step.
    pub step: f64,
    /// Acceleration of free bodies.
    pub gravity: DVec3,
    /// Coulomb's coefficient where bodies have none of their own.
    pub friction: f64,
    /// Share of the closing speed that is given back, where bodies have none of their own.
    pub restitution: f64,
    /// γ of 002: the share of a constraint's error that a step makes good. 0 lets it drift.
    pub stabilization: f64,
    /// The shape of friction cones.
    pub cone: Cone,
    /// Which solver is used.
    pub solver: SolverChoice,
    /// Most convex programs per step: one is 002's relaxation, more go on to Coulomb's law.
    pub sweeps: usize,
    /// Fastest speed at which overlaps are pushed apart and joints drawn together; none for a speed made from gravity and the
    /// bodies' sizes.
    pub correction: Option<f64>,
    /// ε_x of 002 over the smaller radius of a pair; none for the tolerance's.
    pub outside: Option<f64>,
    /// When groups of bodies at rest fall asleep; none for never.
    pub sleep: Option<Sleep>,
    /// How all that is fixed is shaken; none for not at all.
    pub shake: Option<Shake>,
}

/// All that is fixed swings about its place: by amplitude · sin(2π · frequency · time). Poses and velocities are those in the
/// axes that swing with it, in which the acceleration of the axes is a part of gravity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shake {
    /// A length along each axis.
    pub amplitude: DVec3,
    /// Swings per second.
    pub frequency: f64,
}

impl Shake {
    /// What it adds to gravity at a time.
    pub fn acceleration(&self, time: f64) -> DVec3 {
        let rate = std::f64::consts::TAU * self.frequency;
        self.amplitude * (rate * rate * (rate * time).sin())
    }

    fn check(&self) -> Result<(), DynamicsError> {
        at_least("shake.frequency", self.frequency, 0.0)?;
        if !self.amplitude.is_finite() {
            return Err(DynamicsError::NotFinite { field: "shake.amplitude" });
        }
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: 0.01,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            friction: 0.5,
            restitution: 0.0,
            stabilization: 1.0,
            cone: Cone::Exact,
            solver: SolverChoice::Auto,
            sweeps: 30,
            correction: None,
            outside: None,
            sleep: None,
            shake: None,
        }
    }
}

impl Settings {
    /// How fast overlaps are pushed apart and joints drawn together: as fast as a fall over a size, or by a share of the speed that
    /// bodies have.
    pub(crate) fn fastest_correction(&self, size: f64, speed: f64) -> f64 {
        let fall = (2.0 * self.gravity.length() * size).sqrt();
        let usual = if fall > 0.0 { fall } else { size };
        self.correction.unwrap_or(usual.max(tolerance::CORRECTION_SPEED_REL * speed))
    }

    /// Refuses what cannot be run.
    pub(crate) fn check(&self) -> Result<(), DynamicsError> {
        finite("step", self.step)?;
        if !(self.step > 0.0) {
            return Err(DynamicsError::OutOfRange { field: "step", value: self.step, wanted: "positive" });
        }
        if !self.gravity.is_finite() {
            return Err(DynamicsError::NotFinite { field: "gravity" });
        }
        check_friction("friction", self.friction)?;
        check_restitution(self.restitution)?;
        at_least("stabilization", self.stabilization, 0.0)?;
        self.correction.map_or(Ok(0.0), |speed| at_least("correction", speed, 0.0))?;
        self.outside.map_or(Ok(0.0), |outside| at_least("outside", outside, 0.0))?;
        self.sleep.map_or(Ok(()), |sleep| sleep.check())?;
        self.shake.map_or(Ok(()), |shake| shake.check())?;
        if let Cone::Facets(count) = self.cone
            && (count < 4 || count % 2 == 1)
        {
            let (field, wanted) = ("cone.facets", "an even number from 4");
            return Err(DynamicsError::OutOfRange { field, value: count as f64, wanted });
        }
        // What it can do with the bodies is asked when there are some.
        self.solver.check(self.cone, true)?;
        if self.sweeps == 0 {
            return Err(DynamicsError::OutOfRange { field: "sweeps", value: 0.0, wanted: "at least 1" });
        }
        Ok(())
    }
}
