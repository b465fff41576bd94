//! Joints at the end of a step: their rows are solved for again, with what the last solution leaves open.
//!
//! Source: Newton's method on the joints' own equations with the gradients of the start: the SHAKE of Ryckaert, Ciccotti and
//! Berendsen 1977, which is symplectic with kicks at the start of a step and free motion through it, so that pendulums keep their
//! energy over as many swings as one looks at.
//! Differs: DIFFERS from (4.14) of 002, which linearises joints at the start of the step and so leaves them open by second order
//! in it, and the next step closes them with energy that no force put in: what is open at the end is added to Υ.
//! Ends because: rounds are counted; bodies that contacts push have three; a round that leaves joints more open than the last is taken back.
//! Cost: a program per round for islands with joints, with the factor of the first. What the last two steps bent by is the first guess,
//! so that a chain that swings has two rounds where it had four.
//! Not promised: a correction where bodies turn by more than half a radian in a step: `parts` takes shorter ones.

use crate::body::RigidBody;
use crate::islands::Island;
use crate::solve::Solution;
use crate::solved::SolvedIsland;
use crate::step::{Constraints, Moving, split};
use crate::threads;
use crate::tolerance;
use crate::world::World;
use clearance_geometry::DVec3;

/// Rounds at most, and of bodies that contacts push: there each is a program of its own.
const ROUNDS: usize = 8;
const BESIDE_CONTACTS: usize = 3;

/// Whether contacts push.
fn pushes(solved: &SolvedIsland) -> bool {
    solved.solution.contacts.iter().any(|impulse| *impulse != [0.0; 3])
}

impl World {
    /// Solves islands with joints again until these are closed at the end of the step, as long as that comes nearer.
    pub(crate) fn close(
        &self,
        solved: &mut [(&Island, SolvedIsland)],
        slots: &[Option<usize>],
        constraints: &mut Constraints,
        moving: &[Option<Moving>],
        kicks: &[DVec3],
    ) {
        // What each was left open by, nothing where no more is to be done, and the solution before.
        let mut last: Vec<(f64, Option<SolvedIsland>)> =
            solved.iter().map(|_| (f64::INFINITY, None)).collect();
        // As they are at the end of the step, once they are asked for.
        let mut ended: Vec<RigidBody> = Vec::new();
        for round in 0..ROUNDS {
            for ((island, solved), last) in solved.iter().zip(&mut last) {
                let most = if pushes(solved) { BESIDE_CONTACTS } else { ROUNDS };
                if island.rows.is_empty() || round >= most || solved.elastic.is_some() {
                    last.0 = 0.0;
                }
            }
            let goes_on = solved.iter().zip(&last).filter(|(_, last)| last.0 > 0.0);
            let bent: Vec<(&Island, &Solution)> =
                goes_on.map(|((island, solved), _)| (*island, &solved.solution)).collect();
            if bent.is_empty() {
                return;
            }
            if ended.is_empty() {
                ended.clone_from(&self.bodies);
            }
            let open = self.bend(&bent, constraints, moving, kicks, &mut ended);
            let mut both: Vec<_> = solved.iter_mut().zip(&mut last).collect();
            threads::each(&mut both, 1, |((island, solved), last)| {
                if last.0 == 0.0 {
                    return;
                }
                let off = island.bodies.iter().map(|&body| open[body]).fold(0.0, f64::max);
                if off == 0.0 || pushes(solved) && off <= tolerance::BESIDE_REL {
                    solved.open = off;
                    last.0 = 0.0;
                    return;
                }
                again(off, solved, last, |first| {
                    self.solve_island(island, slots, constraints, moving, first)
                });
            });
        }
    }

    /// Adds to the rows of joints what they are open by at the end of the step, with changes of angular momentum that are there
    /// without them; how far those of each body are, over their size, where that is too much, else 0. `bodies` are left as they are then.
    fn bend(
        &self,
        islands: &[(&Island, &Solution)],
        constraints: &mut Constraints,
        moving: &[Option<Moving>],
        kicks: &[DVec3],
        bodies: &mut [RigidBody],
    ) -> Vec<f64> {
        let (h, width) = (self.settings.step, self.width());
        let mut turns = vec![f64::INFINITY; bodies.len()];
        for (island, solution) in islands {
            for (slot, &at) in island.bodies.iter().enumerate() {
                let Some(moving) = &moving[at] else { continue };
                let (linear, angular) = split(&solution.y[slot * width..(slot + 1) * width]);
                let start = &self.bodies[at];
                let turned = start.turned_freely(kicks[at] + self.kick(at, angular), h);
                bodies[at].position =
                    start.position + (moving.free.linear + linear * moving.inverse_root_mass) * h;
                bodies[at].orientation = turned.orientation;
                turns[at] = turned.way;
            }
        }
        let left = 1.0 - self.made_good();
        let mut open = vec![0.0_f64; bodies.len()];
        let (mut next, mut after) = (0, Vec::new());
        for (number, joint) in self.joints.iter().enumerate() {
            let first = next;
            next += constraints.rows[first..].partition_point(|line| line.joint <= number);
            let moved = || joint.bodies.iter().flatten().filter(|&&body| moving[body].is_some());
            if first == next || moved().any(|&body| !(turns[body] <= tolerance::BEND_TURN_RAD)) {
                continue;
            }
            let size = moved().map(|&body| self.bodies[body].radius).fold(f64::INFINITY, f64::min);
            joint.rows_into(bodies, &mut after);
            for line in &mut constraints.rows[first..next] {
                if let Some(after) = line.place.and_then(|place| after.get(place)) {
                    let off = after.value - left * line.value;
                    let unit = if line.is_turn { 1.0 } else { size };
                    if off.abs() > tolerance::BEND_REL * unit {
                        line.row.bias += off / h;
                        line.bend += off / h;
                        moved().for_each(|&body| open[body] = open[body].max(off.abs() / unit));
                    }
                }
            }
        }
        open
    }
}

/// Solves an island again that is open by `off`, unless the last round led away.
fn again(
    off: f64,
    solved: &mut SolvedIsland,
    last: &mut (f64, Option<SolvedIsland>),
    solve: impl FnOnce(SolvedIsland) -> SolvedIsland,
) {
    let before = std::mem::replace(&mut last.0, off);
    if !(off < before) {
        // It leads away: what was there before stays, and is not looked at again.
        if let Some(best) = last.1.take() {
            let (iterations, sweeps) = (solved.iterations, solved.sweeps);
            *solved = SolvedIsland { iterations, sweeps, open: before, ..best };
        }
        last.0 = 0.0;
        return;
    }
    let first = solved.clone();
    *solved = solve(std::mem::take(solved));
    solved.iterations += first.iterations;
    solved.sweeps += first.sweeps;
    solved.open = off;
    // Joints that contacts keep from closing stay open by as much.
    if solved.elastic.is_some() {
        let (iterations, sweeps) = (solved.iterations, solved.sweeps);
        *solved = SolvedIsland { iterations, sweeps, ..first };
        *last = (0.0, None);
    } else {
        last.1 = Some(first);
    }
}
