//! What is known of an island's solution, and what a step reports of it.

use crate::report::StepReport;
use crate::solve::{Equalities, Solution};

/// How an island was solved.
#[derive(Clone, Default)]
pub(crate) struct SolvedIsland {
    pub(crate) solution: Solution,
    pub(crate) residual: f64,
    pub(crate) relaxed: bool,
    pub(crate) sweeps: usize,
    pub(crate) iterations: usize,
    /// By how much its constraints gave way, where they could not all be held.
    pub(crate) elastic: Option<f64>,
    /// Whether they could, at speeds that throw bodies about.
    pub(crate) thrown: bool,
    /// What its joints were left open by, over their sizes.
    pub(crate) open: f64,
    /// Whether Newton steps came nearer to the solution, where they were tried.
    pub(crate) newton: Option<bool>,
    /// What the next program with the same joints can use.
    pub(crate) joints: Equalities,
}

impl SolvedIsland {
    /// Takes the parts of a step together.
    pub(crate) fn join(&mut self, next: &Self) {
        self.residual = self.residual.max(next.residual);
        self.relaxed |= next.relaxed;
        self.sweeps += next.sweeps;
        self.iterations += next.iterations;
        self.elastic = most_given(self.elastic, next.elastic);
    }

    pub(crate) fn add_to(&self, report: &mut StepReport) {
        report.islands += 1;
        report.sweeps += self.sweeps;
        report.iterations += self.iterations;
        report.residual = report.residual.max(self.residual);
        report.relaxed |= self.relaxed;
        report.elastic = most_given(report.elastic, self.elastic);
        report.thrown |= self.elastic.is_some() && self.thrown;
        report.jammed |= self.elastic.is_some() && !self.thrown;
    }
}

/// The larger of what constraints gave way by, where any did.
fn most_given(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}
