//! What a pair of bodies went through.

use clearance_formats::PartFeature;
use clearance_proximity::{State, Work};

/// A pair at one frame.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) time: f64,
    /// None where no depth is defined.
    pub(crate) signed_distance: Option<f64>,
    pub(crate) distance: f64,
    pub(crate) state: State,
    pub(crate) features: [PartFeature; 2],
    /// Middle of the two witnesses, in the world.
    pub(crate) place: Vec<f64>,
    pub(crate) work: Work,
    /// The distance by a published method, and how often it has changed features.
    pub(crate) method: Option<(f64, usize)>,
    /// What a device feels, what contacts push with, and the energy of the tool that it pulls.
    pub(crate) coupler: Option<Felt>,
}

/// What a device feels at a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Felt {
    pub(crate) force: f64,
    pub(crate) contact: f64,
    pub(crate) energy: f64,
}

impl Sample {
    /// By how much a published method is off; only where bodies are apart, or a depth is what both have.
    pub(crate) fn method_error(&self) -> Option<f64> {
        let (found, _) = self.method?;
        let signed = self.signed_distance?;
        (self.state == State::Separated || found < 0.0).then(|| (found - signed).abs())
    }

    /// The signed distance, or the distance where no depth is defined.
    pub(crate) fn nearness(&self) -> f64 {
        self.signed_distance.unwrap_or(self.distance)
    }

    /// Whether both have the same closest features.
    pub(crate) fn same_features(&self, other: &Self) -> bool {
        self.features == other.features
    }
}

/// How far a published method was off; lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Off {
    pub(crate) most: f64,
    pub(crate) last: f64,
    /// How often it changed features.
    pub(crate) switches: usize,
}

/// A pair over all frames.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub(crate) names: [String; 2],
    pub(crate) samples: Vec<Sample>,
}

/// Consecutive samples with something in common, by index: `from` to before `to`.
pub(crate) type Run = std::ops::Range<usize>;

impl History {
    pub(crate) fn label(&self) -> String {
        let [a, b] = &self.names;
        // A line break or an escape in a name would break the table and the plot.
        format!("{a} – {b}").replace(char::is_control, "\u{fffd}")
    }

    /// The sample at which the bodies are nearest, or deepest.
    pub(crate) fn least(&self) -> Option<&Sample> {
        self.samples.iter().min_by(|a, b| a.nearness().total_cmp(&b.nearness()))
    }

    pub(crate) fn count(&self, accept: impl Fn(State) -> bool) -> usize {
        self.samples.iter().filter(|sample| accept(sample.state)).count()
    }

    /// How often the closest features changed from one frame to the next.
    pub(crate) fn feature_changes(&self) -> usize {
        self.runs(Sample::same_features).len().saturating_sub(1)
    }

    /// How far a published method was off; `None` where none was run.
    pub(crate) fn method_off(&self) -> Option<Off> {
        let errors = || self.samples.iter().filter_map(Sample::method_error);
        let switches = self.samples.last()?.method?.1;
        Some(Off { most: errors().fold(0.0, f64::max), last: errors().next_back().unwrap_or(0.0), switches })
    }

    /// Mean of a count of work per frame.
    pub(crate) fn mean_work(&self, count: impl Fn(&Work) -> u32) -> f64 {
        let sum: f64 = self.samples.iter().map(|sample| f64::from(count(&sample.work))).sum();
        sum / self.samples.len().max(1) as f64
    }

    /// The samples cut where two that follow each other are not the `same`.
    pub(crate) fn runs(&self, same: impl Fn(&Sample, &Sample) -> bool) -> Vec<Run> {
        let mut at = 0;
        self.samples
            .chunk_by(same)
            .map(|chunk| {
                at += chunk.len();
                at - chunk.len()..at
            })
            .collect()
    }

    /// The time a run takes up on an axis: half a frame beyond its first and last sample.
    pub(crate) fn interval(&self, run: &Run) -> (f64, f64) {
        let time = |at: usize| self.samples[at].time;
        let last = self.samples.len() - 1;
        let from = if run.start == 0 { time(0) } else { (time(run.start - 1) + time(run.start)) / 2.0 };
        let to = if run.end > last { time(last) } else { (time(run.end - 1) + time(run.end)) / 2.0 };
        (from, to)
    }
}

/// A state in a word.
pub(crate) const fn state_word(state: State) -> &'static str {
    match state {
        State::Separated => "separated",
        State::Touching => "touching",
        State::Penetrating => "penetrating",
        State::AInsideB | State::BInsideA => "containing",
    }
}
