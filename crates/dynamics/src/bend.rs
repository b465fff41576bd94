//! Joints at the end of a step: their rows are solved for once more, with what the first solution leaves open.
//!
//! Source: one step of Newton's method on the joints' own equations.
//! Differs: DIFFERS from (4.14) of 002, which linearises joints at the start of the step and so leaves them open by second order
//! in it: the curvature of the way that bodies take is added to Υ.
//! Ends because: one correction.
//! Cost: a second program for islands with joints, started from the first solution.
//! Not promised: a correction where bodies turn by more than half a radian in a step; there the first solution stays.

use crate::islands::Island;
use crate::program::Demand;
use crate::solve::Solution;
use crate::step::{Constraints, Moving, split, turned};
use crate::world::World;

/// Radians in a step above which a body's joints are not corrected: Newton's method may not come nearer.
const MOST_TURN: f64 = 0.5;

impl World {
    /// Adds to the rows of joints what they are open by at the end of the step; whether there is any.
    pub(crate) fn bend(
        &self,
        islands: &[Island],
        solutions: &[&Solution],
        constraints: &mut Constraints,
        moving: &[Option<Moving>],
    ) -> bool {
        if self.joints.is_empty() {
            return false;
        }
        let (h, width) = (self.settings.step, self.width());
        let mut bodies = self.bodies.clone();
        let mut turns = vec![0.0; bodies.len()];
        let jointed = islands.iter().zip(solutions).filter(|(island, _)| !island.rows.is_empty());
        for (island, solution) in jointed {
            for (slot, &at) in island.bodies.iter().enumerate() {
                let Some(moving) = &moving[at] else { continue };
                let (linear, angular) = split(&solution.y[slot * width..(slot + 1) * width]);
                let angular = moving.free.angular + moving.whiten.transpose() * angular;
                bodies[at].position += (moving.free.linear + linear * moving.inverse_root_mass) * h;
                bodies[at].orientation = turned(bodies[at].orientation, angular * h);
                turns[at] = angular.length() * h;
            }
        }
        let left = 1.0 - self.settings.stabilization;
        let (mut any, mut next) = (false, 0);
        for (number, joint) in self.joints.iter().enumerate() {
            let first = next;
            next += constraints.rows[first..].partition_point(|(_, _, origin)| origin[0] <= number);
            if first == next || joint.bodies.iter().flatten().any(|&body| !(turns[body] <= MOST_TURN)) {
                continue;
            }
            let (before, after) = (joint.rows(&self.bodies), joint.rows(&bodies));
            for (row, _, [_, at]) in &mut constraints.rows[first..next] {
                if let (Demand::Zero, Some(before), Some(after)) =
                    (row.demand, before.get(*at), after.get(*at))
                {
                    row.bias += (after.value - left * before.value) / h;
                    any = true;
                }
            }
        }
        any
    }
}
