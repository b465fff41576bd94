//! Patches that change their shape: control points with velocities.
//!
//! Source: a point of a spline is a mean of its control points with fixed factors; so is its velocity of theirs.
//! Differs: nothing to differ from.
//! Ends because: there are no loops but those over control points.
//! Cost: O(control points) per advance.
//! Not promised: velocities that change with time; set new ones by making the patch anew.

use super::{Patch, TiledBody, TiledError};
use crate::DVec3;
use crate::curve::project;
use crate::interval::mul_up;
use crate::surface::{NurbsSurface, ParametricSurface};

/// A spline patch whose control points move, each with its own velocity.
///
/// ```
/// use clearance_geometry::{DVec3, surface::{NurbsSurface, ParametricSurface}, tiled::DeformingPatch};
/// let ends = || vec![0.0, 0.0, 1.0, 1.0];
/// let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::X + DVec3::Y]];
/// let sheet = NurbsSurface::new([1, 1], [ends(), ends()], &net, None)?;
/// // One corner rises.
/// let lifted = DeformingPatch::new(sheet, &[vec![DVec3::ZERO; 2], vec![DVec3::ZERO, DVec3::Z]])?;
/// let later = lifted.advance(0.5)?;
/// assert_eq!(later.shape().point(1.0, 1.0).z, 0.5);
/// assert_eq!(lifted.velocity(0.5, 0.5).z, 0.25);
/// assert!(lifted.motion_bound(0.5) >= 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeformingPatch {
    shape: NurbsSurface,
    /// The same knots and weights, velocities in place of points.
    velocity: NurbsSurface,
    fastest: f64,
}

impl DeformingPatch {
    /// A patch and the velocities of its control points, in the same layout.
    ///
    /// # Errors
    /// When there is not one finite velocity for each control point.
    pub fn new(shape: NurbsSurface, velocities: &[Vec<DVec3>]) -> Result<Self, TiledError> {
        let [rows, columns] = shape.point_counts();
        let found: usize = velocities.iter().map(Vec::len).sum();
        if velocities.len() != rows || velocities.iter().any(|row| row.len() != columns) {
            return Err(TiledError::VelocityCount { expected: rows * columns, found });
        }
        let knots = shape.knots().clone();
        let weights = shape.homogeneous_points().iter().map(|p| p.w);
        let flat = velocities.iter().flatten();
        let points = flat.zip(weights).map(|(v, w)| (*v * w).extend(w)).collect();
        let velocity = NurbsSurface::from_homogeneous(knots, points)?;
        let fastest = velocities.iter().flatten().map(|v| v.length()).fold(0.0, f64::max);
        Ok(Self { shape, velocity, fastest: fastest.next_up() })
    }

    /// The patch as it is now.
    pub const fn shape(&self) -> &NurbsSurface {
        &self.shape
    }

    /// The velocities of its points, as a patch with the same knots and weights.
    pub(crate) const fn velocities(&self) -> &NurbsSurface {
        &self.velocity
    }

    /// The velocity of the point at (u, v), by the change of shape alone.
    pub fn velocity(&self, u: f64, v: f64) -> DVec3 {
        self.velocity.point(u, v)
    }

    /// The patch `dt` later.
    ///
    /// # Errors
    /// When a control point leaves the range of numbers.
    pub fn advance(&self, dt: f64) -> Result<Self, TiledError> {
        let now = self.shape.homogeneous_points().iter();
        let moved = now.zip(self.velocity.homogeneous_points());
        // Points, not products with their weights, so that a point at rest keeps its bits.
        let points = moved.map(|(p, v)| ((project(*p) + project(*v) * dt) * p.w).extend(p.w)).collect();
        let shape = NurbsSurface::from_homogeneous(self.shape.knots().clone(), points)?;
        Ok(Self { shape, velocity: self.velocity.clone(), fastest: self.fastest })
    }

    /// How far a point of the patch moves at most within `dt`, by the change of shape; a length, rounded up. Control
    /// points that all move alike reach it.
    pub fn motion_bound(&self, dt: f64) -> f64 {
        mul_up(self.fastest, dt.abs())
    }

    /// Patches tiled together as they are now; see [`TiledBody::from_patches`].
    ///
    /// # Errors
    /// As [`TiledBody::from_patches`].
    pub fn tiled(patches: &[Self], max_gap: Option<f64>) -> Result<TiledBody, TiledError> {
        let patches: Vec<Patch> = patches.iter().map(|patch| Patch::new(patch.shape.clone())).collect();
        TiledBody::from_patches(&patches, max_gap)
    }
}
