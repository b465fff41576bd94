//! Large groups that stand still: their bodies keep their places to the last bit.
//!
//! Source: our own.
//! The solver of a large group stops at a residual, and what it leaves moves bodies at rest a little: velocities that nothing
//! takes away while the impulses of the last step are taken over, and gaps that have to be made good again. Where all bodies
//! of a group begin and end a step slower than what the solver leaves, they stay where they are. The next step then finds the
//! same gaps, takes over the same impulses, and need not look at pairs neither of which has moved.
//! Ends because: there are no rounds.
//! Cost: a comparison per body.
//! Not promised: motion with accelerations below [`tolerance::STILL_SHARE`] of the solver's tolerance times gravity. Small groups, which
//! are solved to rounding, and groups with joints, which may be driven slowly, are left alone.

use crate::body::Twist;
use crate::islands::Island;
use crate::program::Program;
use crate::solve::SolverChoice;
use crate::tolerance;
use crate::world::World;
use clearance_geometry::DVec3;

impl World {
    /// Gaps that a group which stands still would close or open more slowly than what the solver leaves count as none. They need
    /// not fit together: contacts that stick hold bodies in more ways than they can move.
    pub(crate) fn forget_small_gaps(&self, island: &Island, program: &mut Program) {
        let least = self.left_by_solver();
        if self.may_stand_still(island) {
            let small = program.contacts.iter_mut().filter(|contact| contact.bias.abs() <= least);
            small.for_each(|contact| contact.bias = 0.0);
        }
    }

    /// Leaves the bodies of groups that stand still where they are, without any speed.
    pub(crate) fn hold_still(
        &self,
        islands: &[Island],
        next: &mut [Option<Twist>],
        kicks: &mut [DVec3],
        changes: &mut [Twist],
    ) {
        let least = self.left_by_solver();
        for island in islands.iter().filter(|island| self.may_stand_still(island)) {
            let ends = |&at: &usize| next[at].is_some_and(|twist| self.bodies[at].speed_with(twist) <= least);
            if island.bodies.iter().all(ends) {
                for &body in &island.bodies {
                    next[body] = next[body].map(|_| Twist::default());
                    kicks[body] = -self.bodies[body].spin;
                    changes[body] =
                        Twist { linear: -self.gravity * self.settings.step, angular: kicks[body] };
                }
            }
        }
    }

    /// Whether a group is large, without joints, and begins the step slower than what the solver leaves.
    fn may_stand_still(&self, island: &Island) -> bool {
        let least = self.left_by_solver();
        let is_large = island.bodies.len() * self.width() > SolverChoice::LARGE;
        is_large
            && island.rows.is_empty()
            && island.bodies.iter().all(|&body| self.bodies[body].speed() <= least)
    }

    /// The velocity below which the solver takes over the impulses of the last step, for groups that gravity holds together.
    fn left_by_solver(&self) -> f64 {
        let fall = self.gravity.length() * self.settings.step;
        tolerance::LARGE_RESIDUAL_REL * tolerance::STILL_SHARE * fall
    }
}
