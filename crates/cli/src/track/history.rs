//! What a pair of bodies went through.

use clearance_geometry::Feature;
use clearance_proximity::{State, Work};

/// A pair at one frame.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) time: f64,
    pub(crate) signed_distance: f64,
    pub(crate) state: State,
    pub(crate) features: [Feature; 2],
    /// Middle of the two witnesses, in the world.
    pub(crate) place: Vec<f64>,
    pub(crate) work: Work,
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

    /// The sample with the least signed distance.
    pub(crate) fn least(&self) -> Option<&Sample> {
        self.samples.iter().min_by(|a, b| a.signed_distance.total_cmp(&b.signed_distance))
    }

    pub(crate) fn count(&self, accept: impl Fn(State) -> bool) -> usize {
        self.samples.iter().filter(|sample| accept(sample.state)).count()
    }

    /// How often the closest features changed from one frame to the next.
    pub(crate) fn feature_changes(&self) -> usize {
        self.runs(|sample| sample.features).len().saturating_sub(1)
    }

    /// Mean of a count of work per frame.
    pub(crate) fn mean_work(&self, count: impl Fn(&Work) -> u32) -> f64 {
        let sum: f64 = self.samples.iter().map(|sample| f64::from(count(&sample.work))).sum();
        sum / self.samples.len().max(1) as f64
    }

    /// The samples cut where `key` changes.
    pub(crate) fn runs<K: PartialEq>(&self, key: impl Fn(&Sample) -> K) -> Vec<Run> {
        let mut at = 0;
        self.samples
            .chunk_by(|a, b| key(a) == key(b))
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
