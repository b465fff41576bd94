//! Events that a step overlooked: bodies that it makes faster than was foreseen may run into what they had no event with.
//!
//! Source: none; 002 takes ε̂ large enough for the fastest body.
//! Differs: events reach as far as bodies may come at the speeds that they have and those of what is about to touch them; a body that
//! is struck may be faster, and its pairs alone are looked at again.
//! Ends because: one look at those pairs.
//! Cost: a comparison per body; where some are faster, their pairs.
//! Not promised: events that would overlap by less than a thousandth of the smallest body after the step.

use crate::body::{RigidBody, Twist};
use crate::report::WorldEvent;
use crate::tolerance;
use crate::world::World;

impl World {
    /// Whether bodies that were made faster than was foreseen would run into something that they had no event with; these
    /// events are there then.
    pub(crate) fn overlooked(&mut self, next: &[Option<Twist>]) -> bool {
        let speed =
            |(body, twist): (&RigidBody, &Option<Twist>)| twist.map_or(0.0, |twist| body.speed_with(twist));
        let speeds: Vec<f64> = self.bodies.iter().zip(next).map(speed).collect();
        // As much faster as would lead them, both together, by what counts beyond the events that there are.
        let moving = self.bodies.iter().filter(|body| body.moves());
        let least = moving.map(|body| body.radius).fold(f64::INFINITY, f64::min);
        let more = tolerance::OVERLOOKED_REL * least / (2.0 * self.settings.step);
        // Written so that NaN is not looked at again: the step ends in an error of its own.
        let fast: Vec<bool> =
            speeds.iter().zip(&self.reach).map(|(speed, reach)| *speed > reach + more).collect();
        if !fast.contains(&true) {
            return false;
        }
        let reach = self.reach.clone();
        self.reach.iter_mut().zip(&speeds).for_each(|(reach, speed)| *reach = reach.max(*speed));
        let is_new = |event: &WorldEvent| {
            let start = self.events.partition_point(|known| known.bodies < event.bodies);
            let mut of_pair = self.events[start..].iter().take_while(|known| known.bodies == event.bodies);
            of_pair.all(|known| known.event.id != event.event.id)
        };
        let found = self.events_of(&fast);
        let passed = found.iter().filter(|event| is_new(event) && self.is_passed(event, next));
        let struck: Vec<usize> = passed.flat_map(|event| event.bodies).collect();
        if struck.is_empty() {
            self.reach = reach;
            return false;
        }
        self.find_events_of(Some(&fast));
        // Asleep, what they run into would be a wall.
        for body in struck {
            if self.is_asleep(body) {
                self.wake(body);
            }
        }
        true
    }

    /// Whether bodies overlap at an event after a step with these velocities.
    fn is_passed(&self, WorldEvent { bodies, event, .. }: &WorldEvent, next: &[Option<Twist>]) -> bool {
        let [of_a, of_b] = bodies.map(|at| {
            let arm = event.point - self.bodies[at].position;
            next[at].map_or(0.0, |twist| Twist::at(event.normal, arm).dot(twist))
        });
        event.gap + self.settings.step * (of_b - of_a) < -tolerance::OVERLOOKED_REL * self.size(*bodies)
    }
}
