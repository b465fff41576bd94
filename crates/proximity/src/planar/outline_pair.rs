//! Two planar bodies, at least one of them bounded by curves, followed from pose to pose, outside and inside.
//!
//! Source: 001 §V.B: outside, the witness goes from curve to corner to curve; inside, it jumps across the medial axis from
//! curve to curve, and the distance keeps its sign until the outline is crossed.
//! Differs: DIFFERS: the nearest points are not followed but searched and proven in every frame, over outlines that were cut
//! into pieces once, so that no jump is missed.
//! Ends because: the search has a budget.
//! Cost: a search, some tens of microseconds.
//! Not promised: a depth of bodies that are not convex, unless one is a point.

use super::curved::{PlanarBody, PlanarNearest, PlanarPrepared, nearest_with};
use crate::QueryError;
use crate::global::SearchMemory;
use clearance_geometry::PlanarPose;

/// What is kept between updates of two planar bodies.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose, PlanarTiled, Polygon, curve::{PlanarCurve, Range}};
/// use clearance_proximity::planar::OutlinePair;
/// let circle = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false)?;
/// let disk = PlanarTiled::new(vec![(circle, Range::new(0.0, std::f64::consts::TAU))])?;
/// let mut pair = OutlinePair::new(&disk.into(), &Polygon::point().into())?;
/// // A point that goes through the disk: its signed distance goes through zero twice.
/// for step in 0..=40 {
///     let x = -2.0 + 0.1 * f64::from(step);
///     let answer = pair.update(&PlanarPose::from_translation(DVec2::new(x, 0.05))?, None)?;
///     let exact = x.hypot(0.05) - 1.0;
///     assert!((answer.signed_distance.unwrap() - exact).abs() < 1e-9);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OutlinePair {
    bodies: [PlanarPrepared; 2],
    memory: SearchMemory,
}

impl OutlinePair {
    /// Cuts both outlines into pieces.
    ///
    /// # Errors
    /// [`QueryError::NoPieces`] for a curve that is no rational spline.
    pub fn new(a: &PlanarBody, b: &PlanarBody) -> Result<Self, QueryError> {
        let bodies = [PlanarPrepared::new(a)?, PlanarPrepared::new(b)?];
        Ok(Self { bodies, memory: SearchMemory::default() })
    }

    /// The answer for B at `pose_ab` in the frame of A, within `max_error` (a length).
    ///
    /// # Errors
    /// [`QueryError::BadArgument`] for an error that is not positive.
    pub fn update(
        &mut self,
        pose_ab: &PlanarPose,
        max_error: Option<f64>,
    ) -> Result<PlanarNearest, QueryError> {
        let [a, b] = &self.bodies;
        nearest_with(a, b, pose_ab, max_error, &mut self.memory)
    }
}
