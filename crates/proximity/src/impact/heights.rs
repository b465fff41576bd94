//! The lowest point of a body along any direction, proven.
//!
//! Source: supports of convex bodies; for all others the search for the lowest point over a plane.
//! Differs: the plane is put below the body, so that the search has no second side to look at.
//! Ends because: both do.
//! Cost: a support function, or some tens of parts.
//! Not promised: a sharp bound where the search ends early; it is never too high.

use crate::QueryError;
use crate::convex::solid::Solid;
use crate::global::{Demand, Prepared, Ready, ReadyMemory, nearest_of};
use crate::tolerance::SUPPORT_ROUNDING_REL;
use clearance_geometry::{Body, DVec3, HalfSpace, Pose};

/// A body asked for its heights.
#[derive(Debug)]
pub(super) struct Heights {
    source: Source,
    memory: ReadyMemory,
    /// No point is farther from the origin of its frame.
    reach: f64,
}

#[derive(Debug)]
enum Source {
    /// A convex body with a support function.
    Convex(Body),
    /// Points whose hull it is.
    Corners(Vec<DVec3>),
    /// Made ready when it is first needed.
    Other(Body),
    Ready(Ready),
}

impl Heights {
    pub(super) fn of_body(body: &Body, reach: f64) -> Self {
        let convex = Solid::of(body).is_some();
        let source = if convex { Source::Convex(body.clone()) } else { Source::Other(body.clone()) };
        Self { source, memory: ReadyMemory::default(), reach }
    }

    pub(super) fn of_corners(corners: Vec<DVec3>, reach: f64) -> Self {
        Self { source: Source::Corners(corners), memory: ReadyMemory::default(), reach }
    }

    pub(super) fn of_pieces(pieces: Prepared, reach: f64) -> Self {
        Self { source: Source::Ready(Ready::Pieces(pieces)), memory: ReadyMemory::default(), reach }
    }

    /// No point of the body is lower along the unit vector `up` of its frame; within about `max_error` of the lowest.
    pub(super) fn lowest(&mut self, up: DVec3, max_error: f64) -> Result<f64, QueryError> {
        if let Source::Other(body) = &self.source {
            self.source = Source::Ready(Ready::new(body)?);
        }
        let height = match &self.source {
            Source::Convex(body) => Solid::of(body).map_or(f64::NEG_INFINITY, |solid| {
                up.dot(solid.anchor()) - solid.height_above(-up) - solid.radius()
            }),
            Source::Corners(corners) => corners.iter().map(|p| p.dot(up)).fold(f64::INFINITY, f64::min),
            Source::Ready(ready) => {
                searched(ready, up, 2.0 * self.reach.max(max_error), max_error, &mut self.memory)?
            }
            Source::Other(_) => f64::NEG_INFINITY,
        };
        Ok(height - 2.0 * SUPPORT_ROUNDING_REL * self.reach)
    }
}

/// The lowest height, found over a plane that is `below` the origin by more than the body reaches.
fn searched(
    ready: &Ready,
    up: DVec3,
    below: f64,
    max_error: f64,
    memory: &mut ReadyMemory,
) -> Result<f64, QueryError> {
    let plane = HalfSpace::new(up, -below).map_err(|_| QueryError::BadArgument { field: "normal" })?;
    let floor = Ready::HalfSpace(Body::from(plane), plane);
    let usual = floor.demand(ready, &Pose::IDENTITY);
    let demand = Demand { max_error: max_error.max(usual.max_error), ..usual };
    let found = nearest_of([&floor, ready], &Pose::IDENTITY, &demand, memory)?;
    Ok(found.lower - below)
}
