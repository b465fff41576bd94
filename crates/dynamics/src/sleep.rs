//! Sleep: groups of bodies at rest are left alone until something touches them.
//!
//! A group, tied together by contacts and joints, falls asleep when all of its bodies have been slower than a limit for a
//! while. It wakes as a whole when a body faster than that limit comes within the margin of an event, when it is pushed or
//! told to wake, and when gravity changes. Groups with a motor that wants to move stay awake, and so do bodies in free flight.

use crate::body::RigidBody;
use crate::error::{DynamicsError, finite};
use crate::islands::Island;
use crate::tolerance;
use crate::world::World;
use clearance_geometry::DVec3;

/// When groups of bodies fall asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleep {
    /// The limit of the speed of a body's points; none for a hundredth of the speed of a fall over the body's radius.
    pub speed: Option<f64>,
    /// Seconds below it.
    pub after: f64,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { speed: None, after: 0.5 }
    }
}

impl Sleep {
    pub(crate) fn check(&self) -> Result<(), DynamicsError> {
        finite("sleep.after", self.after)?;
        self.speed.map_or(Ok(0.0), |speed| crate::error::at_least("sleep.speed", speed, 0.0))?;
        crate::error::at_least("sleep.after", self.after, 0.0).map(|_| ())
    }

    /// The limit for a body.
    fn limit(&self, body: &RigidBody, gravity: f64) -> f64 {
        let fall = (2.0 * gravity * body.radius).sqrt();
        let usual = tolerance::SLEEP_SPEED_REL * if fall > 0.0 { fall } else { body.radius };
        self.speed.unwrap_or(usual)
    }
}

/// How a body rests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rest {
    /// Seconds below the limit.
    quiet: f64,
    /// The group it sleeps in, by the number of its first body; none while it is awake.
    group: Option<usize>,
}

impl World {
    /// Whether a body sleeps.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.rests.get(body).is_some_and(|rest| rest.group.is_some())
    }

    /// Wakes a body and all that sleep with it.
    pub fn wake(&mut self, body: usize) {
        let Some(rest) = self.rests.get(body) else { return };
        match rest.group {
            None => self.rests[body].quiet = 0.0,
            Some(group) => {
                let same = self.rests.iter_mut().filter(|rest| rest.group == Some(group));
                same.for_each(|rest| *rest = Rest::default());
            }
        }
    }

    /// Pushes a body: adds an impulse at its mass centre, and wakes it.
    ///
    /// # Errors
    /// When the impulse is not finite.
    pub fn push(&mut self, body: usize, impulse: DVec3) -> Result<(), DynamicsError> {
        if !impulse.is_finite() {
            return Err(DynamicsError::NotFinite { field: "impulse" });
        }
        self.wake(body);
        if let Some(body) = self.bodies.get_mut(body).filter(|body| body.moves()) {
            body.velocity += impulse / body.mass;
        }
        Ok(())
    }

    /// Changes gravity, and wakes all bodies. In the axes of a box that is shaken, its acceleration is one.
    ///
    /// # Errors
    /// When it is not finite.
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), DynamicsError> {
        if !gravity.is_finite() {
            return Err(DynamicsError::NotFinite { field: "gravity" });
        }
        self.settings.gravity = gravity;
        self.gravity = self.gravity_at(self.report.time);
        self.rests.iter_mut().for_each(|rest| *rest = Rest::default());
        Ok(())
    }

    /// Gravity at a time, with what shaking adds.
    pub(crate) fn gravity_at(&self, time: f64) -> DVec3 {
        let shake = self.settings.shake.map_or(DVec3::ZERO, |shake| shake.acceleration(time));
        self.settings.gravity + shake
    }

    /// Whether a body moves and does not sleep.
    pub(crate) fn is_awake(&self, body: usize) -> bool {
        self.bodies[body].moves() && self.rests[body].group.is_none()
    }

    /// Wakes the groups that a body faster than its limit is about to touch.
    pub(crate) fn wake_touched(&mut self) {
        let Some(sleep) = self.settings.sleep else { return };
        let gravity = self.settings.gravity.length();
        let fast =
            |at: usize| self.is_awake(at) && self.bodies[at].speed() > sleep.limit(&self.bodies[at], gravity);
        let touched: Vec<usize> = self
            .events
            .iter()
            .flat_map(|event| [event.bodies, [event.bodies[1], event.bodies[0]]])
            .filter(|&[one, two]| self.is_asleep(one) && fast(two))
            .map(|[one, _]| one)
            .collect();
        touched.into_iter().for_each(|body| self.wake(body));
    }

    /// Counts how long bodies have been quiet, and puts groups to sleep.
    pub(crate) fn put_to_sleep(&mut self, islands: &[Island]) {
        let Some(sleep) = self.settings.sleep.filter(|_| self.settings.shake.is_none()) else { return };
        let gravity = self.settings.gravity.length();
        for at in 0..self.bodies.len() {
            if self.is_awake(at) {
                let quiet = self.bodies[at].speed() <= sleep.limit(&self.bodies[at], gravity);
                let rest = &mut self.rests[at];
                rest.quiet = if quiet { rest.quiet + self.settings.step } else { 0.0 };
            }
        }
        let mut driven = vec![false; self.bodies.len()];
        for joint in self.joints.iter().filter(|joint| joint.drives()) {
            joint.bodies.iter().flatten().for_each(|&body| driven[body] = true);
        }
        for island in islands {
            let rests = |&body: &usize| self.rests[body].quiet >= sleep.after && !driven[body];
            if island.bodies.iter().all(rests) {
                for &body in &island.bodies {
                    self.rests[body].group = island.bodies.first().copied();
                    self.bodies[body].velocity = DVec3::ZERO;
                    self.bodies[body].spin = DVec3::ZERO;
                }
            }
        }
    }
}
