//! Tiled bodies whose patches change their shape.
//!
//! Source: 001 §I, control points with velocities; [`DeformingPatch`] has the motion of one patch.
//! Differs: nothing to differ from.
//! Ends because: there are no loops but those over patches.
//! Cost: an advance tiles the patches anew.
//! Not promised: that features keep their numbers where patches come apart or meet.

use crate::tiled::{DeformingPatch, Patch, TiledBody, TiledError};
use crate::{DVec2, DVec3, FaceId};
use std::sync::Arc;

/// Patches tiled together, some of which have moving control points; immutable and cheap to clone.
///
/// ```
/// use clearance_geometry::{DVec3, DeformingBody, DeformingFace, surface::NurbsSurface, tiled::DeformingPatch};
/// let ends = || vec![0.0, 0.0, 1.0, 1.0];
/// let net = [vec![DVec3::ZERO, DVec3::Y], vec![DVec3::X, DVec3::X + DVec3::Y]];
/// let sheet = NurbsSurface::new([1, 1], [ends(), ends()], &net, None)?;
/// // All of it rises, and grows along x.
/// let motion = [vec![DVec3::Z; 2], vec![DVec3::new(1.0, 0.0, 1.0); 2]];
/// let face = DeformingFace::moving(DeformingPatch::new(sheet, &motion)?, false);
/// let body = DeformingBody::new(vec![face], None)?;
/// let later = body.advance(2.0)?;
/// assert!((later.shape().mass().area - 3.0).abs() < 1e-12);
/// assert!(body.motion_bound(1.0) >= 2_f64.sqrt());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeformingBody {
    data: Arc<Data>,
}

#[derive(Debug)]
struct Data {
    faces: Vec<DeformingFace>,
    max_gap: Option<f64>,
    shape: TiledBody,
}

/// A face of a deforming body.
#[derive(Clone, Debug)]
pub struct DeformingFace {
    patch: Patch,
    motion: Option<DeformingPatch>,
}

impl DeformingFace {
    /// A patch at rest.
    pub const fn still(patch: Patch) -> Self {
        Self { patch, motion: None }
    }

    /// A patch that changes its shape; `reversed` where its outward normal is against S_u × S_v.
    pub fn moving(motion: DeformingPatch, reversed: bool) -> Self {
        let mut patch = Patch::new(motion.shape().clone());
        patch.reversed = reversed;
        Self { patch, motion: Some(motion) }
    }

    /// The patch as it is now.
    pub const fn patch(&self) -> &Patch {
        &self.patch
    }

    /// Whether it changes its shape.
    pub const fn is_moving(&self) -> bool {
        self.motion.is_some()
    }

    fn advance(&self, dt: f64) -> Result<Self, TiledError> {
        let Some(motion) = &self.motion else { return Ok(self.clone()) };
        let moved = Self::moving(motion.advance(dt)?, self.patch.reversed);
        Ok(Self { patch: moved.patch.over(self.patch.rect), motion: moved.motion })
    }

    /// Cut where it folds, or where it may come to fold if it moves.
    fn parts(&self) -> Result<Vec<Self>, TiledError> {
        let parts = if self.is_moving() { self.patch.foldable_parts()? } else { self.patch.parts()? };
        Ok(parts.into_iter().map(|patch| Self { patch, motion: self.motion.clone() }).collect())
    }
}

impl DeformingBody {
    /// Tiles the patches together as [`TiledBody::from_patches`] does. Patches that move are cut along all knots at
    /// which they might fold, so that faces keep their numbers.
    ///
    /// # Errors
    /// As [`TiledBody::from_patches`].
    pub fn new(faces: Vec<DeformingFace>, max_gap: Option<f64>) -> Result<Self, TiledError> {
        let mut parts = Vec::with_capacity(faces.len());
        let mut source = Vec::with_capacity(faces.len());
        for (at, face) in faces.iter().enumerate() {
            let cut = face.parts()?;
            source.extend(std::iter::repeat_n(FaceId(at as u32), cut.len()));
            parts.extend(cut);
        }
        Self::of_parts(parts, max_gap)
            .map_err(|error| error.with_faces(|part| source.get(part.index()).copied().unwrap_or(part)))
    }

    fn of_parts(faces: Vec<DeformingFace>, max_gap: Option<f64>) -> Result<Self, TiledError> {
        let patches: Vec<Patch> = faces.iter().map(|face| face.patch.clone()).collect();
        let shape = TiledBody::from_patches(&patches, max_gap)?;
        Ok(Self { data: Arc::new(Data { faces, max_gap, shape }) })
    }

    /// The body as it is now.
    pub fn shape(&self) -> &TiledBody {
        &self.data.shape
    }

    /// Its faces, by id.
    pub fn faces(&self) -> &[DeformingFace] {
        &self.data.faces
    }

    /// The body `dt` later.
    ///
    /// # Errors
    /// When a control point leaves the range of numbers, or the patches no longer make a body.
    pub fn advance(&self, dt: f64) -> Result<Self, TiledError> {
        let faces = self.data.faces.iter().map(|face| face.advance(dt)).collect::<Result<_, _>>()?;
        Self::of_parts(faces, self.data.max_gap)
    }

    /// The velocity of the point (u, v) of a face, by the change of shape alone.
    pub fn velocity(&self, face: FaceId, at: DVec2) -> DVec3 {
        let motion = &self.data.faces[face.index()].motion;
        motion.as_ref().map_or(DVec3::ZERO, |motion| motion.velocity(at.x, at.y))
    }

    /// How a face moves; `None` for one at rest.
    pub(crate) fn motion_of(&self, face: FaceId) -> Option<&DeformingPatch> {
        self.data.faces[face.index()].motion.as_ref()
    }

    /// How far a point of the body moves at most within `dt`, by the change of shape; a length, rounded up.
    pub fn motion_bound(&self, dt: f64) -> f64 {
        let motions = self.data.faces.iter().filter_map(|face| face.motion.as_ref());
        motions.map(|motion| motion.motion_bound(dt)).fold(0.0, f64::max)
    }
}
