//! Who takes part in which benchmark.

use crate::candidate::Candidate;
#[cfg(coal)]
use crate::coal::{Coal, Exactness, Guess};
use crate::ours::{OneShot, Tracked};
use crate::parry::{Call, Parry};
use crate::shape::Shape;
use crate::stream::{Pace, Scene};

/// Whether Coal was found when the benchmarks were built.
pub const HAS_COAL: bool = cfg!(coal);

/// A library with one of its settings, not built yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Our tracker.
    Tracked,
    /// Our one-shot query.
    OneShot,
    /// parry.
    Parry(Call),
    /// Coal.
    #[cfg(coal)]
    Coal(Guess, Exactness),
}

impl Entry {
    /// On two copies of `shape`.
    pub fn build(self, shape: &Shape, scene: Scene) -> Box<dyn Candidate> {
        match self {
            Self::Tracked => Box::new(Tracked::new(shape)),
            Self::OneShot => Box::new(OneShot::new(shape)),
            Self::Parry(call) => Box::new(Parry::new(shape, scene, call)),
            #[cfg(coal)]
            Self::Coal(guess, exactness) => Box::new(Coal::new(shape, scene, guess, exactness)),
        }
    }
}

/// Ours first, then the peers in all the ways that could suit them.
#[cfg_attr(not(coal), expect(unused_variables, reason = "only Coal is called differently by scene"))]
pub fn entries(scene: Scene, pace: Pace) -> Vec<Entry> {
    let cold = pace == Pace::Cold;
    let mut all = vec![if cold { Entry::OneShot } else { Entry::Tracked }, Entry::Parry(Call::Query)];
    if !cold {
        all.push(Entry::Parry(Call::WarmDirection));
    }
    #[cfg(coal)]
    for exactness in [Exactness::Tight, Exactness::Loose] {
        if cold || scene == Scene::Overlapping {
            all.push(Entry::Coal(Guess::Default, exactness));
        }
        let guess = if cold { Guess::Boxes } else { Guess::Cached };
        all.push(Entry::Coal(guess, exactness));
    }
    all
}

/// All of [`entries`], built.
pub fn lineup(shape: &Shape, scene: Scene, pace: Pace) -> Vec<Box<dyn Candidate>> {
    entries(scene, pace).into_iter().map(|entry| entry.build(shape, scene)).collect()
}
