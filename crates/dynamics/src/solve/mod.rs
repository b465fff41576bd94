//! Solvers of the convex program, behind one trait.

mod active_set;
mod block;
mod factor;
#[cfg(feature = "reference")]
mod interior;
mod lemke;
mod packed;
mod sparse;
mod sweeps;

pub use active_set::ActiveSet;
pub use block::Block;
#[cfg(feature = "reference")]
pub use interior::Interior;
pub use lemke::solve_complementarity;
pub use sparse::Sparse;

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
    /// The active set for small islands, the sparse factor for larger ones while it is cheap, the block method beyond.
    #[default]
    Auto,
    /// The dense dual active set.
    ActiveSet,
    /// Multipliers with a sparse factor.
    Sparse,
    /// The projected block method.
    Block,
}

impl FromStr for SolverChoice {
    type Err = crate::DynamicsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "active_set" => Ok(Self::ActiveSet),
            "sparse" => Ok(Self::Sparse),
            "block" => Ok(Self::Block),
            _ => Err(crate::DynamicsError::UnknownSolver { name: text.to_owned() }),
        }
    }
}

impl SolverChoice {
    /// Numbers of velocity above which `Auto` leaves the active set.
    const LARGE: usize = 180;

    /// Products of blocks per factor above which `Auto` leaves the sparse factor.
    const FULL: usize = 20_000;

    /// The chosen method; where the active set gives up, the block method goes on from there.
    pub fn solver(self) -> impl Solver {
        Chosen {
            choice: self,
            active_set: ActiveSet::default(),
            sparse: Sparse::default(),
            block: Block::default(),
        }
    }
}

struct Chosen {
    choice: SolverChoice,
    active_set: ActiveSet,
    sparse: Sparse,
    block: Block,
}

impl Chosen {
    /// What stands for `Auto` on this program.
    fn choice(&mut self, program: &Program) -> SolverChoice {
        if self.choice != SolverChoice::Auto {
            return self.choice;
        }
        if program.size() <= SolverChoice::LARGE {
            SolverChoice::ActiveSet
        } else if self.sparse.prepare(program) <= SolverChoice::FULL {
            SolverChoice::Sparse
        } else {
            SolverChoice::Block
        }
    }
}

impl Solver for Chosen {
    fn solve_coulomb(&mut self, program: &Program, warm: Option<&Solution>) -> Option<Solution> {
        match self.choice(program) {
            SolverChoice::Block => self.block.solve_coulomb(program, warm),
            _ => None,
        }
    }

    fn solve(&mut self, program: &Program, warm: Option<&Solution>) -> Solution {
        match self.choice(program) {
            SolverChoice::Block => return self.block.solve(program, warm),
            SolverChoice::Sparse => return self.sparse.solve(program, warm),
            SolverChoice::ActiveSet | SolverChoice::Auto => {}
        }
        let solution = self.active_set.solve(program, warm);
        if solution.ended != Ended::Limit {
            return solution;
        }
        let after = self.block.solve(program, Some(&solution));
        Solution { iterations: solution.iterations + after.iterations, ..after }
    }
}
