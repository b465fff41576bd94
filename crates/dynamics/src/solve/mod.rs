//! Solvers of the convex program, behind one trait.

mod active_set;
mod block;
mod equalities;
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
pub use lemke::Lemke;
pub use sparse::Sparse;

pub(crate) use equalities::Equalities;

use crate::error::DynamicsError;
use crate::patience::Patience;
use crate::program::{Cone, Program};
use crate::tolerance;
use equalities::Holder;
use packed::Packed;
use std::str::FromStr;
use sweeps::Law;

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

impl Solution {
    /// Between this and another solution of the same program, at a share of the way.
    pub(crate) fn mixed(&self, other: &Self, share: f64) -> Self {
        let mix = |(from, to): (&f64, &f64)| from + share * (to - from);
        let contacts = self.contacts.iter().zip(&other.contacts);
        Self {
            y: self.y.iter().zip(&other.y).map(mix).collect(),
            contacts: contacts.map(|(from, to)| std::array::from_fn(|i| mix((&from[i], &to[i])))).collect(),
            rows: self.rows.iter().zip(&other.rows).map(mix).collect(),
            ended: other.ended,
            iterations: other.iterations,
        }
    }
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
    /// The active set for small islands; for larger ones sweeps, and where they do not end the sparse factor while it is cheap.
    #[default]
    Auto,
    /// The dense dual active set.
    ActiveSet,
    /// Multipliers with a sparse factor.
    Sparse,
    /// The projected block method.
    Block,
    /// Lemke's pivots on the complementarity problem: the oracle for small groups, cones with facets or in the plane.
    Lemke,
    /// The interior-point reference; in builds with the feature `reference`.
    Clarabel,
}

impl FromStr for SolverChoice {
    type Err = DynamicsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|(_, name)| *name == text);
        known.map(|(choice, _)| choice).ok_or_else(|| DynamicsError::UnknownSolver { name: text.to_owned() })
    }
}

impl SolverChoice {
    /// All of them with their names in scenes.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Auto, "auto"),
        (Self::ActiveSet, "active_set"),
        (Self::Sparse, "sparse"),
        (Self::Block, "block"),
        (Self::Lemke, "lemke"),
        (Self::Clarabel, "clarabel"),
    ];

    /// The names of all, as messages list them.
    pub fn names() -> String {
        Self::ALL.map(|(_, name)| name).join(", ")
    }

    /// What it is called in scenes.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(choice, _)| *choice == self).map_or("", |(_, name)| name)
    }

    /// Refuses solvers that this build does not have, or that cannot do with the cones of a world.
    ///
    /// # Errors
    /// [`DynamicsError::SolverCannot`] with the reason.
    pub fn check(self, cone: Cone, planar: bool) -> Result<(), DynamicsError> {
        let reason = match self {
            Self::Clarabel if !cfg!(feature = "reference") => {
                "this build is without it; the feature `reference` adds it".to_owned()
            }
            Self::Lemke if !planar && cone == Cone::Exact => {
                "its cones need facets: `cone = { facets = 8 }`".to_owned()
            }
            _ => return Ok(()),
        };
        Err(DynamicsError::SolverCannot { name: self.name(), reason })
    }

    /// Refuses groups that are too large for it.
    pub(crate) fn check_size(
        self,
        cone: Cone,
        planar: bool,
        contacts: usize,
        rows: usize,
    ) -> Result<(), DynamicsError> {
        let unknowns = Lemke::unknowns(contacts, cone.directions(planar).len(), rows);
        if self != Self::Lemke || unknowns <= Lemke::MOST {
            return Ok(());
        }
        let reason = format!(
            "{contacts} contacts and {rows} rows of joints in one group make {unknowns} unknowns, and it takes {}",
            Lemke::MOST
        );
        Err(DynamicsError::SolverCannot { name: self.name(), reason })
    }

    /// Numbers of velocity above which `Auto` leaves the active set.
    pub(crate) const LARGE: usize = 60;

    /// Sweeps that `Auto` takes before it asks for the sparse factor, and Newton steps that it takes then. At rest the impulses
    /// of the last step need one or two sweeps.
    const SWEEPS: usize = 20;
    const NEWTON: usize = 60;

    /// How many times as many sweeps it takes more where these leave too much, and how many times that at most where there are fewer
    /// contacts than so many: what is left of a small heap costs little to take out.
    const MORE: usize = 6;
    const PATIENT: usize = 6;
    const MANY: usize = 2000;

    /// Products of blocks per factor and constraint above which `Auto` keeps to sweeps: a Newton step then costs as much as
    /// ten or more of them.
    const FULL: usize = 1;

    /// The same for groups with few constraints.
    const FULL_AT_LEAST: usize = 1000;

    /// The chosen method; where the active set gives up, the sparse method goes on from there, and where Lemke's pivots do, the active
    /// set. One that this build is without is the block method: [`SolverChoice::check`] tells.
    pub fn solver(self) -> impl Solver {
        self.chosen(Patience::default())
    }

    /// The same; without Newton steps where they are not worth it and `Auto` can do without.
    pub(crate) fn chosen(self, patience: Patience) -> Chosen {
        Chosen {
            worth: patience.is_over(),
            calm: patience.is_calm(),
            newton: None,
            guess: None,
            choice: self,
            active_set: ActiveSet::default(),
            joints: Equalities::default(),
            holder: None,
            sparse: Sparse::with_steps(self.newton()),
            block: Block { sweeps: self.sweeps(), ..Block::default() },
        }
    }

    fn sweeps(self) -> usize {
        if self == Self::Auto { Self::SWEEPS } else { Block::default().sweeps }
    }

    fn newton(self) -> usize {
        if self == Self::Auto { Self::NEWTON } else { Sparse::STEPS }
    }
}

/// The methods that a choice may use.
pub(crate) struct Chosen {
    /// Whether Newton steps are tried.
    worth: bool,
    /// Whether the last step took the impulses of the one before it.
    calm: bool,
    /// Whether they came nearer to the solution, where they were tried; not, where the factor would cost too much.
    pub(crate) newton: Option<bool>,
    /// Impulses of contacts to start from, besides those given.
    pub(crate) guess: Option<Vec<[f64; 3]>>,
    choice: SolverChoice,
    active_set: ActiveSet,
    /// For joints alone.
    pub(crate) joints: Equalities,
    /// For joints beside contacts.
    holder: Option<Holder>,
    sparse: Sparse,
    block: Block,
}

impl Chosen {
    fn is_small(&self, program: &Program) -> bool {
        match self.choice {
            SolverChoice::ActiveSet => true,
            SolverChoice::Auto => program.size() <= SolverChoice::LARGE,
            _ => false,
        }
    }

    /// As [`Chosen::usual`]; what is left far from a solution goes on, so that it is none for the step after either.
    fn large(&mut self, program: &Program, warm: Option<&Solution>, law: Law) -> Solution {
        let scale = program.scale();
        let (mut best, packed) = self.usual(program, warm, law, tolerance::LARGE_RESIDUAL_REL * scale);
        let Some(packed) = packed.filter(|_| best.ended == Ended::Limit) else { return best };
        let fewer = (SolverChoice::MANY / packed.contacts.len().max(1)).clamp(1, SolverChoice::PATIENT);
        let rough = tolerance::ROUGH_RESIDUAL_REL * scale / (fewer * fewer) as f64;
        let mut least = off(&packed, &best, law);
        for round in 0..SolverChoice::MORE * fewer {
            if !(least > rough) {
                break;
            }
            // The first of them begins anew: impulses that are far off may take longer to be undone than none to be found.
            let start = if round == 0 { None } else { Some(&best) };
            let next = sweeps::sweep(&packed, start, law, 0.0, self.block.sweeps, self.holder.as_mut());
            let left = off(&packed, &next, law);
            let iterations = best.iterations + next.iterations;
            best = Solution { iterations, ended: Ended::Limit, ..if left < least { next } else { best } };
            least = least.min(left);
        }
        self.quieted(&packed, best)
    }

    /// What is left far from a solution may push what parts already, and so throw a heap about. Sweeps over the convex relaxation, which
    /// has a solution whatever friction is, take that out: they lower its dual, and without impulses that is zero.
    fn quieted(&mut self, packed: &Packed, mut best: Solution) -> Solution {
        for round in 1..=SolverChoice::MORE {
            let [surplus, changed] = packed.surplus(&best);
            // Written so that NaN is left to those who look for it.
            if !(surplus > tolerance::SURPLUS_SHARE * changed) {
                break;
            }
            let start = if round < SolverChoice::MORE { Some(&best) } else { None };
            let most = self.block.sweeps;
            let next = sweeps::sweep(packed, start, Law::Relaxed, 0.0, most, self.holder.as_mut());
            best = Solution { iterations: best.iterations + next.iterations, ended: Ended::Limit, ..next };
        }
        best
    }

    /// At once where there are joints alone, else iterated to `enough`, a velocity; with the layout that was made for it.
    fn usual(
        &mut self,
        program: &Program,
        warm: Option<&Solution>,
        law: Law,
        enough: f64,
    ) -> (Solution, Option<Packed>) {
        let most = equalities::most_products(program);
        if let Some(solution) = self.joints.solve(program, most, enough * tolerance::STILL_SHARE) {
            return (solution, None);
        }
        self.holder = self.joints.holder(program, most);
        let packed = Packed::new(program);
        (self.iterated(program, &packed, warm, law, enough), Some(packed))
    }

    /// Newton steps where the factor is cheap, else sweeps.
    fn iterated(
        &mut self,
        program: &Program,
        packed: &Packed,
        warm: Option<&Solution>,
        law: Law,
        enough: f64,
    ) -> Solution {
        let most = equalities::most_products(program);
        let mut start = self.start(packed, warm, law, enough);
        if self.worth || program.contacts.is_empty() {
            // After a step that went without the factor this one will too, as a rule, and the pattern is not even asked for.
            let mut cheap = self.calm || self.sparse.prepare(program, most);
            if cheap {
                start = self.rest(packed, start, law, enough);
                if start.0.ended == Ended::Converged {
                    return start.0;
                }
                cheap = !self.calm || self.sparse.prepare(program, most);
            }
            if cheap {
                return self.stack(program, packed, start, law, enough);
            }
            self.newton = Some(false);
        }
        let most = self.block.sweeps;
        let solution = sweeps::sweep(packed, Some(&start.0), law, enough, most, self.holder.as_mut());
        let holds = off(packed, &solution, law) <= enough;
        Solution { ended: if holds { Ended::Converged } else { Ended::Limit }, ..solution }
    }

    /// Impulses to start from, with the y that belongs to them, and what is left of them: those given, the other guess, or none,
    /// whichever is nearest to a solution. After an impact those given are far from one, and what they would lead to in a few
    /// sweeps would be worse still for the step after.
    fn start(&mut self, packed: &Packed, warm: Option<&Solution>, law: Law, enough: f64) -> (Solution, f64) {
        let holder = &mut self.holder;
        let mut of = |contacts: Vec<[f64; 3]>, mut rows: Vec<f64>| {
            let mut y = packed.response(&contacts, &rows);
            holder.iter_mut().for_each(|joints| _ = joints.hold(packed, &mut rows, &mut y));
            let left = packed.residual(&contacts, &rows, &y, law);
            (Solution { y: packed.unpacked(&y), contacts, rows, ..Solution::default() }, left)
        };
        let (contacts, rows) = packed.started(warm);
        let guess = self.guess.take().filter(|guess| guess.len() == contacts.len());
        let none = vec![[0.0; 3]; contacts.len()];
        let other = guess.filter(|guess| *guess != contacts).map(|guess| of(guess, rows.clone()));
        let mut best = of(contacts, rows.clone());
        if let Some(other) = other.filter(|other| other.1 < best.1) {
            best = other;
        }
        if best.1 > enough {
            let none = of(none, rows);
            if none.1 * tolerance::STALE_RATIO < best.1 {
                best = none;
            }
        }
        best
    }

    /// The start, or one sweep more, which is enough at rest: it says so then.
    fn rest(&mut self, packed: &Packed, start: (Solution, f64), law: Law, enough: f64) -> (Solution, f64) {
        let still = enough * if self.calm { tolerance::STILL_SHARE } else { tolerance::STILLER_SHARE };
        let (mut best, mut least) = start;
        if least > still {
            best = sweeps::sweep(packed, Some(&best), law, enough, 1, self.holder.as_mut());
            least = off(packed, &best, law);
        }
        best.ended = if least <= still { Ended::Converged } else { Ended::Limit };
        (best, least)
    }

    /// Newton steps, and sweeps where these did not end; the better of all.
    fn stack(
        &mut self,
        program: &Program,
        packed: &Packed,
        (mut best, mut least): (Solution, f64),
        law: Law,
        enough: f64,
    ) -> Solution {
        for newton in [true, false] {
            let next = if newton {
                let ends = [enough * tolerance::STILL_SHARE / 2.0, enough * tolerance::FINE_SHARE];
                self.sparse.run(program, packed, law, ends, Some(&best))
            } else {
                sweeps::sweep(packed, Some(&best), law, enough, self.block.sweeps, self.holder.as_mut())
            };
            let iterations = best.iterations + next.iterations;
            let left = off(packed, &next, law);
            if newton {
                self.newton = Some(left < least || next.ended != Ended::Limit);
            }
            if left <= enough || newton && next.ended != Ended::Limit {
                let ended = if left <= enough { Ended::Converged } else { next.ended };
                return Solution { iterations, ended, ..next };
            }
            best = Solution { iterations, ..if left < least { next } else { best } };
            least = least.min(left);
        }
        Solution { ended: Ended::Limit, ..best }
    }
}

/// The natural residual of a solution under a law.
fn off(packed: &Packed, solution: &Solution, law: Law) -> f64 {
    packed.residual(&solution.contacts, &solution.rows, &packed.repacked(&solution.y), law)
}

impl Solver for Chosen {
    fn solve_coulomb(&mut self, program: &Program, warm: Option<&Solution>) -> Option<Solution> {
        if self.is_small(program) || (program.has_facets() && self.choice != SolverChoice::Lemke) {
            return None;
        }
        match self.choice {
            SolverChoice::Block => self.block.solve_coulomb(program, warm),
            SolverChoice::Sparse => self.sparse.solve_coulomb(program, warm),
            SolverChoice::Clarabel => None,
            SolverChoice::Lemke => Lemke.solve_coulomb(program, warm),
            SolverChoice::ActiveSet | SolverChoice::Auto => Some(self.large(program, warm, Law::Coulomb)),
        }
    }

    fn solve(&mut self, program: &Program, warm: Option<&Solution>) -> Solution {
        match self.choice {
            _ if self.is_small(program) => {}
            SolverChoice::Sparse => return self.sparse.solve(program, warm),
            #[cfg(feature = "reference")]
            SolverChoice::Clarabel => return Interior.solve(program, warm),
            SolverChoice::Lemke => {
                let solution = Lemke.solve(program, warm);
                // Out of pivots nothing is known; the active set is asked then.
                if solution.ended != Ended::Limit {
                    return solution;
                }
            }
            SolverChoice::Auto if !program.has_facets() => return self.large(program, warm, Law::Relaxed),
            _ => return Block::default().solve(program, warm),
        }
        let solution = self.active_set.solve(program, warm);
        if solution.ended == Ended::Converged || program.has_facets() {
            return solution;
        }
        // It may have lost its way among nearly dependent rows.
        let after = Sparse::default().solve(program, Some(&solution));
        Solution { iterations: solution.iterations + after.iterations, ..after }
    }
}
