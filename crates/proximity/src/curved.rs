//! Pairs with a curved body, or several: the one place where their kernels meet.

use crate::global::{Demand, Nearest, Ready, ReadyMemory, nearest_of};
use crate::{Proximity, QueryError};
use clearance_geometry::{Body, Pose};

/// What is kept between queries of one pair: both bodies made ready, and the memory of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct CurvedPair {
    ready: [Option<Ready>; 2],
    memory: ReadyMemory,
}

impl CurvedPair {
    /// The answer for B at `pose_ab` in the frame of A.
    pub(crate) fn update(&mut self, a: &Body, b: &Body, pose_ab: &Pose) -> Result<Proximity, QueryError> {
        Ok(self.nearest(a, b, pose_ab, |_| {})?.proximity)
    }

    /// The nearest points of both boundaries; `ask` may change what is asked for.
    pub(crate) fn nearest(
        &mut self,
        a: &Body,
        b: &Body,
        pose_ab: &Pose,
        ask: impl FnOnce(&mut Demand),
    ) -> Result<Nearest, QueryError> {
        if !(a.is_bounded() || b.is_bounded()) {
            return Err(QueryError::UnsupportedPair { a: a.kind(), b: b.kind() });
        }
        let Self { ready: [of_a, of_b], memory } = self;
        let (of_a, of_b) = (ready(of_a, a)?, ready(of_b, b)?);
        let mut demand = of_a.demand(of_b, pose_ab);
        ask(&mut demand);
        nearest_of([of_a, of_b], pose_ab, &demand, memory)
    }
}

/// The body made ready, from the last query if it was about the same body.
fn ready<'a>(known: &'a mut Option<Ready>, body: &Body) -> Result<&'a Ready, QueryError> {
    if known.as_ref().is_none_or(|known| !known.body().is_same(body)) {
        *known = None;
    }
    match known {
        Some(known) => Ok(known),
        none => Ok(none.insert(Ready::new(body)?)),
    }
}
