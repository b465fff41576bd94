//! What a run counted.

use crate::options::{Options, Run};
use clearance_proximity::{Ended, Proximity, State};
use clearance_testkit::Margins;
use clearance_testkit::generate::CurvedFamily;
use clearance_testkit::tamper::TAMPERINGS;
use std::collections::BTreeMap;

/// A failed case.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) case: u64,
    pub(crate) group: String,
    /// Of several failures of a group the simplest is kept.
    pub(crate) complexity: u64,
    pub(crate) fault: String,
    pub(crate) repeat: String,
}

/// Counts and worst values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    pub(crate) states: BTreeMap<String, u64>,
    pub(crate) groups: BTreeMap<String, u64>,
    pub(crate) ended: BTreeMap<String, u64>,
    /// Where nearest points are and whether they are the only ones.
    pub(crate) minima: BTreeMap<String, u64>,
    /// Worst value of each measure, with its case.
    pub(crate) worst: BTreeMap<&'static str, (f64, u64)>,
    pub(crate) failed_groups: BTreeMap<String, u64>,
    /// Every failed case, to be repeated with `--only`.
    pub(crate) failed: Vec<u64>,
    /// The simplest failure of each group.
    pub(crate) kept: BTreeMap<String, Failure>,
}

impl Tally {
    /// Counts an answer.
    pub(crate) fn answer(&mut self, p: &Proximity) {
        *self.states.entry(format!("{:?}", p.state)).or_default() += 1;
        self.ended(p.ended);
    }

    /// Counts how an answer ended.
    pub(crate) fn ended(&mut self, ended: Ended) {
        let ended = match ended {
            Ended::Certified(_) => "certified",
            Ended::Converged => "converged",
            Ended::Stalled { .. } => "stalled",
            Ended::Limit => "limit",
        };
        *self.ended.entry(ended.to_string()).or_default() += 1;
    }

    /// Counts a case of a group.
    pub(crate) fn case(&mut self, group: String) {
        self.cases += 1;
        *self.groups.entry(group).or_default() += 1;
    }

    /// Counts a minimum of a kind.
    pub(crate) fn minimum(&mut self, kind: String) {
        *self.minima.entry(kind).or_default() += 1;
    }

    /// Keeps the worst of a measure.
    pub(crate) fn measure(&mut self, name: &'static str, value: f64, case: u64) {
        let worst = self.worst.entry(name).or_insert((0.0, case));
        if value > worst.0 {
            *worst = (value, case);
        }
    }

    pub(crate) fn margins(&mut self, margins: &Margins, case: u64) {
        self.measure("gap", margins.gap, case);
        self.measure("vector", margins.vector, case);
        self.measure("feature", margins.feature, case);
    }

    pub(crate) fn fail(&mut self, failure: Failure) {
        *self.failed_groups.entry(failure.group.clone()).or_default() += 1;
        self.failed.push(failure.case);
        self.keep(failure);
    }

    fn keep(&mut self, failure: Failure) {
        let rank = |f: &Failure| (f.complexity, f.case);
        match self.kept.get(&failure.group) {
            Some(known) if rank(known) <= rank(&failure) => {}
            _ => {
                self.kept.insert(failure.group.clone(), failure);
            }
        }
    }

    pub(crate) fn failures(&self) -> u64 {
        self.failed_groups.values().sum()
    }

    pub(crate) fn merged(mut self, other: Self) -> Self {
        self.cases += other.cases;
        for (mine, theirs) in [
            (&mut self.states, other.states),
            (&mut self.groups, other.groups),
            (&mut self.ended, other.ended),
            (&mut self.minima, other.minima),
            (&mut self.failed_groups, other.failed_groups),
        ] {
            for (key, count) in theirs {
                *mine.entry(key).or_default() += count;
            }
        }
        self.failed.extend(other.failed);
        self.failed.sort_unstable();
        for (name, (value, case)) in other.worst {
            self.measure(name, value, case);
        }
        for failure in other.kept.into_values() {
            self.keep(failure);
        }
        self
    }

    /// Shares that a run promises; a run that has drifted into one state tests nothing.
    pub(crate) fn mix_complaints(&self, options: &Options) -> Vec<String> {
        let overlapping = [State::Penetrating, State::AInsideB, State::BInsideA].map(|s| format!("{s:?}"));
        let count = |names: &[String]| names.iter().filter_map(|n| self.states.get(n)).sum::<u64>();
        let total = self.states.values().sum::<u64>().max(1) as f64;
        let apart = count(&[format!("{:?}", State::Separated)]) as f64 / total;
        let touching = count(&[format!("{:?}", State::Touching)]) as f64 / total;
        let deep = count(&overlapping) as f64 / total;
        let inside = count(&overlapping[1..]) as f64 / total;
        let cones = count(&["cone of normals".to_string()]) as f64 / total;
        let limits: &[(&str, f64, f64, f64)] = match options.run {
            Run::Distance => &[
                ("separated", apart, 0.35, 0.70),
                ("touching", touching, 0.02, 0.25),
                ("overlapping", deep, 0.20, 0.55),
                ("one inside the other", inside, 0.02, 0.30),
            ],
            Run::LinCanny => &[("separated", apart, 0.35, 0.70), ("touching", touching, 0.02, 0.25)],
            Run::Ratio => &[("separated", apart, 0.35, 0.75), ("overlapping", deep, 0.25, 0.65)],
            Run::Planar => &[
                ("separated", apart, 0.30, 0.65),
                ("touching", touching, 0.02, 0.40),
                ("overlapping", deep, 0.15, 0.55),
            ],
            Run::Depth => &[("overlapping", deep, 0.40, 1.0)],
            Run::Qp => &[("separated", apart, 0.3, 0.95)],
            Run::Certified => &[
                ("separated", apart, 0.35, 0.75),
                ("overlapping", deep, 0.08, 0.50),
                ("one inside the other", inside, 0.01, 0.30),
            ],
            Run::Contact => &[
                ("separated", apart, 0.35, 0.80),
                ("overlapping", deep, 0.08, 0.50),
                ("one inside the other", inside, 0.01, 0.30),
            ],
            Run::Certificates | Run::Dynamics => &[],
            Run::Tracking => &[("separated", apart, 0.6, 0.99)],
            Run::Curved => &[("cones that say something", cones, 0.3, 0.6)],
        };
        let mut complaints: Vec<String> = limits
            .iter()
            .filter(|(_, share, low, high)| !(low..=high).contains(&share))
            .map(|(name, share, low, high)| format!("{name}: share {share:.3} is outside {low}..{high}"))
            .collect();
        match options.run {
            Run::Certified => complaints.extend(self.minima_complaints()),
            Run::Certificates => complaints.extend(self.certificate_complaints()),
            Run::Tracking if self.minima.values().sum::<u64>() < self.cases / 20 => {
                complaints.push("features hardly ever switch".to_string());
            }
            _ => {}
        }
        complaints
    }

    /// Whether most certificates of every kind of pair proved something, and every tampering was tried.
    fn certificate_complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for (group, count) in &self.groups {
            let of_group = |kind: &&String| kind.starts_with(&format!("{group}: proved"));
            let proved: u64 = self.minima.keys().filter(of_group).map(|kind| self.minima[kind]).sum();
            let share = proved as f64 / *count as f64;
            if share < 0.3 {
                complaints.push(format!("{group}, proved: share {share:.3} is below 0.3"));
            }
        }
        let refused = |what: &&str| self.ended.contains_key(&format!("{what}: refused"));
        let missing = TAMPERINGS.iter().filter(|what| !refused(what));
        complaints.extend(missing.map(|what| format!("{what}: never tried")));
        complaints
    }

    /// Whether every family had minima of every kind that it can have.
    fn minima_complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for family in CurvedFamily::ALL {
            let count = |kinds: &[&str]| -> u64 {
                kinds.iter().filter_map(|kind| self.minima.get(&format!("{family:?}: {kind}"))).sum()
            };
            let places = ["on two faces", "on an edge", "on a vertex"];
            let apart = count(&places).max(1) as f64;
            let mut demand = |name: &str, kinds: &[&str], least: f64| {
                let share = count(kinds) as f64 / apart;
                if share < least {
                    complaints.push(format!("{family:?}, {name}: share {share:.4} is below {least}"));
                }
            };
            demand("on two faces", &places[..1], 0.02);
            demand("not unique", &["a tie", "a set of nearest points"], 0.005);
            if !matches!(family, CurvedFamily::Ellipsoids | CurvedFamily::Tori) {
                demand("on an edge or vertex", &places[1..], 0.1);
            }
        }
        complaints
    }
}
