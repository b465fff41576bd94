//! Friction: projection on the cone, and the fixed point from the convex program to the complementarity problem.
//!
//! Source: 002, chapter 5: Γ ← μΛ(v(Γ)), the map χ₂ of (5.17); lemma 5.1 (at its fixed point the solution is one of
//! (5.1)–(5.2)).
//! Differs: DIFFERS: it stops by the natural residual of the complementarity problem, not by the change of Γ; halved steps
//! where the residual grows, since the map contracts for small μ only.
//! Ends because: sweeps are limited.
//! Cost: one convex program per sweep.
//! Not promised: convergence for large μ; what is reached is reported as relaxed.

use crate::program::{Contact, Line, Program};
use crate::solve::{Ended, Solution, Solver, SolverChoice};
use crate::tolerance;

/// Rounds of the fixed point in a large group that may bring nothing, and what of the least residual is nothing.
const PATIENCE: usize = 3;
const GAIN: f64 = 0.9;

/// The nearest impulse with ‖tangential‖ ≤ μ·normal.
pub fn project(friction: f64, impulse: [f64; 3]) -> [f64; 3] {
    let [n, x, y] = impulse;
    let tangential = (x * x + y * y).sqrt();
    if tangential <= friction * n {
        return impulse;
    }
    // Below the polar cone nothing is left; between the two the nearest ray of the boundary.
    let along = (n + friction * tangential) / (1.0 + friction * friction);
    // Written so that what is no number stays none.
    if along <= 0.0 {
        return [0.0; 3];
    }
    let share = if tangential > 0.0 { friction * along / tangential } else { 0.0 };
    [along, x * share, y * share]
}

/// How a program was solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The impulses and velocities.
    pub solution: Solution,
    /// Natural residual of the complementarity problem (5.1)–(5.2), a velocity.
    pub residual: f64,
    /// Whether it is a solution of the convex relaxation only.
    pub relaxed: bool,
    /// Convex programs solved.
    pub sweeps: usize,
    /// Iterations of the solver, over all of them.
    pub iterations: usize,
}

/// Solves a program whose biases are Δ alone, with at most `sweeps` convex programs: one gives 002's relaxation (Γ = 0).
pub fn settle(
    program: &mut Program,
    solver: &mut dyn Solver,
    sweeps: usize,
    warm: Option<&Solution>,
) -> Settled {
    let delta: Vec<f64> = program.contacts.iter().map(|contact| contact.bias).collect();
    let enough = tolerance::FRICTION_RESIDUAL_REL * program.scale();
    if sweeps > 1
        && let Some(solution) = solver.solve_coulomb(program, warm)
    {
        let residual = coulomb_residual(program, &solution);
        // A method for large groups may stop a little earlier.
        let stops = if solution.ended == Ended::Converged { tolerance::LARGE_RESIDUAL_REL } else { 0.0 };
        let relaxed = !(residual <= enough.max(stops * program.scale()));
        let iterations = solution.iterations;
        return Settled { solution, residual, relaxed, sweeps: 1, iterations };
    }
    // The exact cone in space leaves directions uncertain.
    let is_sharp = program.has_facets() || program.is_planar();
    let is_large = program.size() > SolverChoice::LARGE;
    let aim = if is_sharp && !is_large { tolerance::FACET_RESIDUAL_REL * program.scale() } else { enough };
    // Large groups are not solved so well that the rest of the rounds would help.
    let patience = if is_large { PATIENCE } else { sweeps };
    let mut in_vain = 0;
    let mut gamma = vec![0.0; delta.len()];
    let mut best: Option<(f64, Solution)> = None;
    let (mut iterations, mut count, mut share, mut last) = (0, 0, 1.0, f64::INFINITY);
    while count < sweeps.max(1) {
        for ((contact, delta), gamma) in program.contacts.iter_mut().zip(&delta).zip(&gamma) {
            contact.bias = delta + gamma;
        }
        let start = best.as_ref().map(|(_, solution)| solution).or(warm);
        let solution = solver.solve(program, start);
        iterations += solution.iterations;
        count += 1;
        let wanted = sliding(program, &solution);
        restore(program, &delta);
        let residual = natural_residual(program, &solution, &wanted);
        let infeasible = matches!(solution.ended, Ended::Infeasible);
        share = if residual > last { f64::max(share / 2.0, 0.25) } else { share };
        last = residual;
        let least = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
        in_vain = if residual < GAIN * least { 0 } else { in_vain + 1 };
        if best.as_ref().is_none_or(|(least, _)| residual < *least) {
            best = Some((residual, solution));
        }
        if infeasible || residual <= aim || in_vain >= patience {
            break;
        }
        for (gamma, wanted) in gamma.iter_mut().zip(&wanted) {
            *gamma += share * (wanted - *gamma);
        }
    }
    restore(program, &delta);
    let (residual, solution) = best.unwrap_or_default();
    Settled { relaxed: !(residual <= enough), solution, residual, sweeps: count, iterations }
}

fn restore(program: &mut Program, delta: &[f64]) {
    program.contacts.iter_mut().zip(delta).for_each(|(contact, delta)| contact.bias = *delta);
}

/// μΛ(v) of every contact.
pub(crate) fn sliding(program: &Program, solution: &Solution) -> Vec<f64> {
    let of = |contact: &Contact| program.sliding(contact, program.velocity(contact, &solution.y));
    program.contacts.iter().map(of).collect()
}

/// By how much, as a velocity, impulses and velocities miss Coulomb's law with non-penetration: the distance of each
/// impulse from the projection of a step along its own velocity, with the normal velocity raised by μΛ(v).
pub fn natural_residual(program: &Program, solution: &Solution, sliding: &[f64]) -> f64 {
    let mut raised = sliding.iter();
    residual(program, solution, |_, _| false, |_, _| raised.next().copied().unwrap_or(0.0))
}

/// The same with the sliding that the velocities have.
fn coulomb_residual(program: &Program, solution: &Solution) -> f64 {
    // One that parts and does not push misses nothing.
    let parts = |contact: &Contact, impulse: [f64; 3]| {
        impulse == [0.0; 3] && program.normal_velocity(contact, &solution.y) >= 0.0
    };
    residual(program, solution, parts, |contact, u| program.sliding(contact, u))
}

/// The same with a rule for contacts that are passed over, and one for what raises the normal velocity of each other.
fn residual(
    program: &Program,
    solution: &Solution,
    passed: impl Fn(&Contact, [f64; 3]) -> bool,
    mut sliding: impl FnMut(&Contact, [f64; 3]) -> f64,
) -> f64 {
    let mut worst = 0.0_f64;
    for (contact, impulse) in program.contacts.iter().zip(&solution.contacts) {
        if passed(contact, *impulse) {
            continue;
        }
        let u = program.velocity(contact, &solution.y);
        let raised = [u[0] + sliding(contact, u), u[1], u[2]];
        let size: f64 = contact.lines.iter().map(Line::square).sum();
        if size > 0.0 {
            worst = worse(worst, missed(program, contact, *impulse, raised, size));
        }
    }
    for (row, impulse) in program.rows.iter().zip(&solution.rows) {
        let u = program.row_velocity(row, &solution.y);
        worst = worse(worst, row.demand.missed(*impulse, u, row.line.square()));
    }
    worst
}

/// The larger of two residuals; one that is no number stays, where `max` would drop it and call what is lost solved.
#[inline]
pub(crate) fn worse(one: f64, two: f64) -> f64 {
    if one >= two || one.is_nan() { one } else { two }
}

/// By how much an impulse misses its law at a velocity whose normal part has been raised.
fn missed(program: &Program, contact: &Contact, impulse: [f64; 3], raised: [f64; 3], size: f64) -> f64 {
    if program.has_facets() {
        // On a polyhedral cone: complementarity of each facet's own row.
        let directions = program.cone.directions(false);
        let along = |d: &[f64; 2]| raised[0] + contact.friction * (d[0] * raised[1] + d[1] * raised[2]);
        let least = directions.iter().map(along).fold(f64::INFINITY, f64::min);
        (-least).max(0.0).max((impulse[0] * size).min(least.max(0.0)))
    } else {
        let stepped: [f64; 3] = std::array::from_fn(|i| impulse[i] - raised[i] / size);
        let back = project(contact.friction, stepped);
        let off: f64 = (0..3).map(|i| (impulse[i] - back[i]).powi(2)).sum();
        off.sqrt() * size
    }
}
