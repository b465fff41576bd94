//! Rigid motions of the plane.

use crate::{PoseError, tolerance};
use glam::DVec2;
use std::ops::Mul;

/// A rigid motion of the plane x ↦ R x + t, stored as the cosine and sine of its angle.
///
/// `pose_ab` is everywhere the pose of B in the frame of A.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarPose};
/// let a = PlanarPose::from_translation(DVec2::X)?;
/// let b = PlanarPose::from_degrees(90.0, DVec2::new(3.0, 0.0))?;
/// let pose_ab = PlanarPose::between(&a, &b);
/// assert_eq!(pose_ab.apply(DVec2::X), DVec2::new(2.0, 1.0));
/// # Ok::<(), clearance_geometry::PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarPose {
    cos: f64,
    sin: f64,
    translation: DVec2,
}

impl Default for PlanarPose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl PlanarPose {
    /// No motion.
    pub const IDENTITY: Self = Self { cos: 1.0, sin: 0.0, translation: DVec2::ZERO };

    /// From an angle in radians, counter-clockwise, and a translation.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn new(radians: f64, translation: DVec2) -> Result<Self, PoseError> {
        if !radians.is_finite() || !translation.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let (sin, cos) = radians.sin_cos();
        Ok(Self { cos, sin, translation })
    }

    /// From an angle in degrees, counter-clockwise, and a translation. Quarter turns are exact.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn from_degrees(degrees: f64, translation: DVec2) -> Result<Self, PoseError> {
        if !degrees.is_finite() {
            return Err(PoseError::NotFinite);
        }
        // The remainder is exact, so only an angle within 45° of a quarter turn meets a sine.
        let within = degrees % 360.0;
        let quarter = (within / 90.0).round();
        let rest = Self::new((within - 90.0 * quarter).to_radians(), translation)?;
        let (cos, sin) = match quarter.rem_euclid(4.0) as u8 {
            0 => (rest.cos, rest.sin),
            1 => (-rest.sin, rest.cos),
            2 => (-rest.cos, -rest.sin),
            _ => (rest.sin, -rest.cos),
        };
        Ok(Self { cos, sin, translation })
    }

    /// From the cosine and sine of the angle and a translation. A pair that is of unit length only to
    /// input accuracy is normalised; one that is so to rounding keeps its bits.
    ///
    /// # Errors
    /// When a number is not finite or the length is off 1 by more than
    /// [`tolerance::UNIT_INPUT_REL`].
    pub fn from_cos_sin(cos: f64, sin: f64, translation: DVec2) -> Result<Self, PoseError> {
        if !cos.is_finite() || !sin.is_finite() || !translation.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let length = cos.hypot(sin);
        let off = (length - 1.0).abs();
        if off <= tolerance::ROTATION_ROUNDING_REL {
            Ok(Self { cos, sin, translation })
        } else if off <= tolerance::UNIT_INPUT_REL {
            Ok(Self { cos: cos / length, sin: sin / length, translation })
        } else {
            Err(PoseError::NotUnit { length })
        }
    }

    /// A translation alone.
    ///
    /// # Errors
    /// When it is not finite.
    pub fn from_translation(translation: DVec2) -> Result<Self, PoseError> {
        Self::new(0.0, translation)
    }

    /// The pose of B in the frame of A, from both poses in the world.
    #[inline]
    pub fn between(pose_a: &Self, pose_b: &Self) -> Self {
        Self {
            cos: pose_a.cos * pose_b.cos + pose_a.sin * pose_b.sin,
            sin: pose_a.cos * pose_b.sin - pose_a.sin * pose_b.cos,
            translation: pose_a.rotate_inverse(pose_b.translation - pose_a.translation),
        }
    }

    /// The angle in radians, counter-clockwise, from −π to π.
    pub fn angle(&self) -> f64 {
        self.sin.atan2(self.cos)
    }

    /// Cosine of the angle.
    #[inline]
    pub const fn cos(&self) -> f64 {
        self.cos
    }

    /// Sine of the angle.
    #[inline]
    pub const fn sin(&self) -> f64 {
        self.sin
    }

    /// The translation.
    #[inline]
    pub const fn translation(&self) -> DVec2 {
        self.translation
    }

    /// The motion that undoes this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        Self { cos: self.cos, sin: -self.sin, translation: -self.rotate_inverse(self.translation) }
    }

    /// Moves a point.
    #[inline]
    pub fn apply(&self, point: DVec2) -> DVec2 {
        self.rotate(point) + self.translation
    }

    /// Turns a vector.
    #[inline]
    pub fn rotate(&self, vector: DVec2) -> DVec2 {
        DVec2::new(self.cos * vector.x - self.sin * vector.y, self.sin * vector.x + self.cos * vector.y)
    }

    /// Moves a point back.
    #[inline]
    pub fn apply_inverse(&self, point: DVec2) -> DVec2 {
        self.rotate_inverse(point - self.translation)
    }

    /// Turns a vector back.
    #[inline]
    pub fn rotate_inverse(&self, vector: DVec2) -> DVec2 {
        DVec2::new(self.cos * vector.x + self.sin * vector.y, self.cos * vector.y - self.sin * vector.x)
    }

    /// The same rotation made orthonormal again, for motions composed many times.
    #[must_use]
    pub fn renormalized(&self) -> Self {
        let length = self.cos.hypot(self.sin);
        Self { cos: self.cos / length, sin: self.sin / length, translation: self.translation }
    }

    /// This motion with another translation.
    #[inline]
    #[must_use]
    pub fn with_translation(&self, translation: DVec2) -> Self {
        Self { translation, ..*self }
    }
}

/// `a * b` moves by `b` first.
impl Mul for PlanarPose {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self {
            cos: self.cos * other.cos - self.sin * other.sin,
            sin: self.sin * other.cos + self.cos * other.sin,
            translation: self.apply(other.translation),
        }
    }
}
