//! What is done where a program has no solution, or only one that throws bodies about: constraints give way.
//!
//! Source: none; 002 assumes that its programs have solutions.
//! Differs: springs in place of constraints may push bodies out of what jams them as fast as they like, since what one contact
//! wants another denies; a ball that overlaps a ring all around has a solution along its axis, at a hundred times the speed; and
//! links folded onto each other part at any speed for an overlap that is hardly one. So two solutions are mixed: one that only stops
//! what closes, and the one that pushes, of which as much is taken as the energy of pushing allows.
//! Ends because: two programs, and one quadratic equation.
//! Cost: that of both; nothing but a sum where pushing costs no more than it should.
//! Not promised: that the overlap is less after the step.

use crate::body::Twist;
use crate::islands::Island;
use crate::program::{Demand, Program};
use crate::solve::{Block, Equalities, Solution, Solver as _, Sparse};
use crate::step::{Moving, split};
use crate::tolerance;
use crate::world::World;

impl World {
    /// The energy that corrections may put into an island; less where they only close what the step would leave open.
    pub(crate) fn allowance(
        &self,
        island: &Island,
        program: &Program,
        closing: Option<&mut Equalities>,
    ) -> f64 {
        let alone = |bias: f64, square: f64| if square > 0.0 { bias * bias / (2.0 * square) } else { 0.0 };
        let contacts = program.contacts.iter().map(|c| alone(c.bias.min(0.0), c.lines[0].square()));
        let rows = program.rows.iter().map(|row| match row.demand {
            Demand::Zero => alone(row.bias, row.line.square()),
            Demand::NotNegative => alone(row.bias.min(0.0), row.line.square()),
            Demand::Within(_) => 0.0,
        });
        let (contacts, rows): (f64, f64) = (contacts.sum(), rows.sum());
        // A light body may have to move all others.
        let masses = || island.bodies.iter().map(|&at| self.bodies[at].mass);
        let heavier = masses().sum::<f64>() / masses().fold(f64::INFINITY, f64::min);
        // Joints reach farther than their bodies, and their speeds are their own.
        let rows = match closing {
            Some(joints) => {
                tolerance::FASTER_RATIO * joints.energy(program).map_or(rows, |all| all.max(rows))
            }
            None => tolerance::TOGETHER_RATIO * heavier * rows,
        };
        (tolerance::TOGETHER_RATIO * heavier * contacts).min(tolerance::FASTER_RATIO * self.at_speed(island))
            + rows
    }

    /// Whether the velocities of a solution have more energy than those without constraints, what is allowed, what motors do or is
    /// done against them, and rounding.
    pub(crate) fn is_thrown(
        &self,
        island: &Island,
        program: &Program,
        solution: &Solution,
        moving: &[Option<Moving>],
        allowed: f64,
    ) -> bool {
        let width = self.width();
        let (mut gained, mut had) = (0.0, 0.0);
        for (slot, &at) in island.bodies.iter().enumerate() {
            let (Some(moving), body) = (&moving[at], &self.bodies[at]) else { continue };
            let (linear, angular) = split(&solution.y[slot * width..(slot + 1) * width]);
            let turning = body.root.transpose() * (body.orientation.conjugate() * moving.free.angular);
            let before = moving.free.linear / moving.inverse_root_mass;
            had += (before.length_squared() + turning.length_squared()) / 2.0;
            gained += (before + linear / 2.0).dot(linear) + (turning + angular / 2.0).dot(angular);
        }
        gained > allowed + 2.0 * program.motor_work(solution).abs() + tolerance::WORK_REL * had
    }

    /// What an island's bodies have at the speed at which overlaps are pushed apart.
    fn at_speed(&self, island: &Island) -> f64 {
        let speed = island.bodies.iter().map(|&at| self.bodies[at].speed()).fold(0.0, f64::max);
        let of = |&at: &usize| {
            let body = &self.bodies[at];
            body.mass * self.settings.fastest_correction(body.radius, speed).powi(2) / 2.0
        };
        island.bodies.iter().map(of).sum()
    }

    /// What an island's bodies have.
    fn kinetic(&self, island: &Island) -> f64 {
        let bodies = island.bodies.iter().map(|&at| &self.bodies[at]);
        bodies.map(|body| body.kinetic(Twist { linear: body.velocity, angular: body.spin })).sum()
    }

    /// The impulses and velocities of an island whose program has no solution, or one whose work is beyond what is allowed.
    pub(crate) fn give_way(&self, island: &Island, program: &Program, allowed: f64) -> Solution {
        let pushed = by_springs(program);
        let mut calm = program.clone();
        calm.contacts.iter_mut().for_each(|contact| contact.bias = contact.bias.max(0.0));
        for row in &mut calm.rows {
            row.bias = match row.demand {
                Demand::Zero => 0.0,
                Demand::NotNegative => row.bias.max(0.0),
                Demand::Within(_) => row.bias,
            };
        }
        let stopped = by_springs(&calm);
        // What pushes in one step after the other adds up to no more than that speed either.
        let room = (self.at_speed(island) - self.kinetic(island)).max(0.0);
        let most = program.work(&stopped).max(0.0) + allowed.min(room);
        let iterations = stopped.iterations + pushed.iterations;
        Solution { iterations, ..tempered(program, &stopped, &pushed, most) }
    }
}

fn by_springs(program: &Program) -> Solution {
    if program.has_facets() { Block::elastic(program).solve(program, None) } else { Sparse::elastic(program) }
}

/// The most of the way from one solution to another along which constraints put no more than `most` energy in; at its start they
/// do not. The energy is a square of the way's share.
pub(crate) fn tempered(program: &Program, from: &Solution, to: &Solution, most: f64) -> Solution {
    let off = |share: f64| program.work(&from.mixed(to, share)) - most;
    let [zero, half, one] = [0.0, 0.5, 1.0].map(off);
    if one <= 0.0 {
        return to.clone();
    }
    let (square, slope) = (2.0 * (one - 2.0 * half + zero), 4.0 * half - one - 3.0 * zero);
    // Its larger root, written for a slope of either sign.
    let root = (slope * slope - 4.0 * square * zero.min(0.0)).max(0.0).sqrt();
    let share = if slope > 0.0 { -2.0 * zero / (slope + root) } else { (root - slope) / (2.0 * square) };
    from.mixed(to, if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 })
}
