//! Solvers of the convex program, behind one trait.

mod active_set;
mod block;
#[cfg(feature = "reference")]
mod interior;
mod lemke;

pub use active_set::ActiveSet;
pub use block::Block;
#[cfg(feature = "reference")]
pub use interior::Interior;
pub use lemke::solve_complementarity;

use crate::program::Program;
use std::str::FromStr;

/// How a solver ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// All constraints hold within the solver's tolerance.
    #[default]
    Converged,
    /// Out of iterations; what is given is the best there is.
    Limit,
    /// No velocity satisfies all constraints.
    Infeasible,
}

/// What a solver answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// The solution in the program's coordinates: the change of velocity.
    pub y: Vec<f64>,
    /// Impulses of each contact: normal, two tangents.
    pub contacts: Vec<[f64; 3]>,
    /// Multipliers of each row.
    pub rows: Vec<f64>,
    /// How it ended.
    pub ended: Ended,
    /// Work done: changes of the active set, sweeps, or interior-point steps.
    pub iterations: usize,
}

/// A method for the convex program (5.7) of 002. Starting from an earlier solution may change its cost, not its meaning.
pub trait Solver {
    /// Solves `program`.
    fn solve(&mut self, program: &Program, warm: Option<&Solution>) -> Solution;

    /// Solves the complementarity problem (5.1)–(5.2) at once, for a program whose biases are Δ alone; none for methods that
    /// need the fixed point around them.
    fn solve_coulomb(&mut self, _program: &Program, _warm: Option<&Solution>) -> Option<Solution> {
        None
    }
}

/// Which solver a simulation uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolverChoice {
    /// The active set for small islands, the block method for large ones.
    #[default]
    Auto,
    /// The dense dual active set.
    ActiveSet,
    /// The projected block method.
    Block,
}

impl FromStr for SolverChoice {
    type Err = crate::DynamicsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "active_set" => Ok(Self::ActiveSet),
            "block" => Ok(Self::Block),
            _ => Err(crate::DynamicsError::UnknownSolver { name: text.to_owned() }),
        }
    }
}

impl SolverChoice {
    /// Numbers of velocity above which `Auto` takes the block method.
    const LARGE: usize = 180;

    /// Solves with the chosen method; where the active set gives up, the block method goes on from there.
    pub fn solver(self) -> impl Solver {
        Chosen { choice: self, active_set: ActiveSet::default(), block: Block::default() }
    }
}

struct Chosen {
    choice: SolverChoice,
    active_set: ActiveSet,
    block: Block,
}

impl Chosen {
    fn takes_block(&self, program: &Program) -> bool {
        let large = program.size() > SolverChoice::LARGE;
        self.choice == SolverChoice::Block || (self.choice == SolverChoice::Auto && large)
    }
}

impl Solver for Chosen {
    fn solve_coulomb(&mut self, program: &Program, warm: Option<&Solution>) -> Option<Solution> {
        if self.takes_block(program) { self.block.solve_coulomb(program, warm) } else { None }
    }

    fn solve(&mut self, program: &Program, warm: Option<&Solution>) -> Solution {
        if self.takes_block(program) {
            return self.block.solve(program, warm);
        }
        let solution = self.active_set.solve(program, warm);
        if solution.ended != Ended::Limit {
            return solution;
        }
        let after = self.block.solve(program, Some(&solution));
        Solution { iterations: solution.iterations + after.iterations, ..after }
    }
}
