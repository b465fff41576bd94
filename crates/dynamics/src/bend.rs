//! Joints at the end of a step: their rows are solved for once more, with what the first solution leaves open.
//!
//! Source: Newton's method on the joints' own equations with the gradients of the start: the SHAKE of Ryckaert, Ciccotti and
//! Berendsen 1977, which is symplectic with kicks at the start of a step and free motion through it, so that pendulums keep their
//! energy over as many swings as one looks at.
//! Differs: DIFFERS from (4.14) of 002, which linearises joints at the start of the step and so leaves them open by second order
//! in it, and the next step closes them with energy that no force put in: what is open at the end is added to Υ.
//! Ends because: rounds are counted; bodies with contacts have one.
//! Cost: a program per round for islands with joints, started from the last solution; two or three where bodies turn by a tenth of a
//! radian.
//! Not promised: a correction where bodies turn by more than half a radian in a step; there the first solution stays.

use crate::islands::Island;
use crate::joint::is_turn;
use crate::program::Demand;
use crate::solve::Solution;
use crate::step::{Constraints, Moving, split};
use crate::tolerance;
use crate::world::World;
use clearance_geometry::DVec3;

/// Radians in a step above which a body's joints are not corrected: Newton's method may not come nearer.
const MOST_TURN: f64 = 0.5;

/// Rounds at most.
pub(crate) const ROUNDS: usize = 8;

impl World {
    /// Adds to the rows of joints what they are open by at the end of the step, with changes of angular momentum that are there
    /// without them; the bodies that this concerns.
    pub(crate) fn bend(
        &self,
        islands: &[(&Island, &Solution)],
        constraints: &mut Constraints,
        moving: &[Option<Moving>],
        kicks: &[DVec3],
    ) -> Vec<bool> {
        let (h, width) = (self.settings.step, self.width());
        let mut bodies = self.bodies.clone();
        let mut turns = vec![f64::INFINITY; bodies.len()];
        for (island, solution) in islands {
            for (slot, &at) in island.bodies.iter().enumerate() {
                let Some(moving) = &moving[at] else { continue };
                let (linear, angular) = split(&solution.y[slot * width..(slot + 1) * width]);
                let turned = self.bodies[at].turned_freely(kicks[at] + self.kick(at, angular), h);
                bodies[at].position += (moving.free.linear + linear * moving.inverse_root_mass) * h;
                bodies[at].orientation = turned.orientation;
                turns[at] = turned.way;
            }
        }
        let left = 1.0 - self.settings.stabilization;
        let mut open = vec![false; bodies.len()];
        let mut next = 0;
        for (number, joint) in self.joints.iter().enumerate() {
            let first = next;
            next += constraints.rows[first..].partition_point(|(_, _, origin)| origin[0] <= number);
            let moved = || joint.bodies.iter().flatten().filter(|&&body| moving[body].is_some());
            if first == next || moved().any(|&body| !(turns[body] <= MOST_TURN)) {
                continue;
            }
            let size = moved().map(|&body| self.bodies[body].radius).fold(f64::INFINITY, f64::min);
            let (before, after) = (joint.rows(&self.bodies), joint.rows(&bodies));
            for (row, _, [_, at]) in &mut constraints.rows[first..next] {
                if let (Demand::Zero, Some(before), Some(after)) =
                    (row.demand, before.get(*at), after.get(*at))
                {
                    let off = after.value - left * before.value;
                    let unit = if is_turn(&before.twists) { 1.0 } else { size };
                    if off.abs() > tolerance::BEND_REL * unit {
                        row.bias += off / h;
                        moved().for_each(|&body| open[body] = true);
                    }
                }
            }
        }
        open
    }
}
