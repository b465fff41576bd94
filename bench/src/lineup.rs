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

/// Ours first, then the peers, each called the way that suits it best.
pub fn lineup(shape: &Shape, scene: Scene, pace: Pace) -> Vec<Box<dyn Candidate>> {
    let ours: Box<dyn Candidate> =
        if pace == Pace::Cold { Box::new(OneShot::new(shape)) } else { Box::new(Tracked::new(shape)) };
    let mut all = vec![ours, Box::new(Parry::new(shape, scene, Call::Query))];
    if pace != Pace::Cold {
        all.push(Box::new(Parry::new(shape, scene, Call::WarmDirection)));
    }
    #[cfg(coal)]
    for exactness in [Exactness::Tight, Exactness::Loose] {
        if pace == Pace::Cold || scene == Scene::Overlapping {
            all.push(Box::new(Coal::new(shape, scene, Guess::Default, exactness)));
        }
        if pace == Pace::Cold {
            all.push(Box::new(Coal::new(shape, scene, Guess::Boxes, exactness)));
        } else {
            all.push(Box::new(Coal::new(shape, scene, Guess::Cached, exactness)));
        }
    }
    all
}
