//! What is measured: a library that answers a stream of poses.

use crate::stream::PosePair;
use std::ops::Range;

/// One answer, in world coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Answer {
    /// Distance, or minus the depth.
    pub distance: f64,
    /// Witness point on A.
    pub a: [f64; 3],
    /// Witness point on B.
    pub b: [f64; 3],
    /// Both closest features, packed; 0 from libraries that do not tell.
    pub features: u64,
}

/// Mean work per query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanWork {
    /// Rounds of the main loop.
    pub iterations: f64,
    /// Support points computed.
    pub supports: f64,
    /// Steps from a feature pair to another.
    pub moves: f64,
}

/// A library with one of its settings, on one pair of bodies.
pub trait Candidate {
    /// Name in the tables.
    fn name(&self) -> &'static str;

    /// Whether a row's ratio is taken against it: the peers that answer as exactly as ours does.
    fn counts(&self) -> bool {
        true
    }

    /// Takes a stream, converted to its own pose type.
    fn load(&mut self, poses: &[PosePair]);

    /// Answers the poses in `range`, carrying its memory on from the last one answered.
    fn run(&mut self, range: Range<usize>, answers: &mut [Answer]);

    /// Work per query over `range`, where it is told.
    fn work(&mut self, _range: Range<usize>) -> Option<MeanWork> {
        None
    }
}
