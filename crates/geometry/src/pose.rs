//! Rigid motions: where a body stands.

use crate::{PoseError, tolerance};
use glam::{DMat3, DQuat, DVec3};
use std::ops::Mul;

/// A rigid motion x ↦ R x + t, stored as a rotation matrix so that queries need no conversion.
///
/// `pose_ab` is everywhere the pose of B in the frame of A.
///
/// ```
/// use clearance_geometry::{DVec3, Pose};
/// let a = Pose::from_translation(DVec3::X)?;
/// let b = Pose::from_axis_angle(DVec3::Z, 90_f64.to_radians(), DVec3::new(3.0, 0.0, 0.0))?;
/// let pose_ab = Pose::between(&a, &b);
/// assert!((pose_ab.apply(DVec3::X) - DVec3::new(2.0, 1.0, 0.0)).length() < 1e-15);
/// # Ok::<(), clearance_geometry::PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: DMat3,
    translation: DVec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// No motion.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// From a quaternion (scalar last) and a translation. The quaternion is normalised.
    ///
    /// # Errors
    /// When a number is not finite or the quaternion's length is off 1 by more than
    /// [`tolerance::UNIT_INPUT_REL`].
    pub fn new(rotation: DQuat, translation: DVec3) -> Result<Self, PoseError> {
        if !rotation.is_finite() || !translation.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let length = rotation.length();
        check_unit(length)?;
        Ok(Self { rotation: DMat3::from_quat(rotation / length), translation })
    }

    /// From an axis (unit within [`tolerance::UNIT_INPUT_REL`]), an angle in radians and a translation.
    ///
    /// # Errors
    /// As [`Pose::new`].
    pub fn from_axis_angle(axis: DVec3, radians: f64, translation: DVec3) -> Result<Self, PoseError> {
        if !axis.is_finite() || !radians.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let length = axis.length();
        check_unit(length)?;
        Self::new(DQuat::from_axis_angle(axis / length, radians), translation)
    }

    /// A translation alone.
    ///
    /// # Errors
    /// When it is not finite.
    pub fn from_translation(translation: DVec3) -> Result<Self, PoseError> {
        Self::new(DQuat::IDENTITY, translation)
    }

    /// From a rotation matrix and a translation. A matrix that is a rotation only to input accuracy
    /// is replaced by the nearest quaternion's; one that is a rotation to rounding keeps its bits.
    ///
    /// # Errors
    /// When a number is not finite, or RᵀR is off the identity by more than
    /// [`tolerance::UNIT_INPUT_REL`], or the determinant is negative.
    pub fn from_matrix(rotation: DMat3, translation: DVec3) -> Result<Self, PoseError> {
        if !rotation.is_finite() || !translation.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let off = (rotation.transpose() * rotation - DMat3::IDENTITY).to_cols_array();
        let by = off.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        if rotation.determinant() < 0.0 {
            return Err(PoseError::NotRotation { by: 2.0 });
        }
        if by > tolerance::UNIT_INPUT_REL {
            return Err(PoseError::NotRotation { by });
        }
        if by <= tolerance::ROTATION_ROUNDING_REL {
            return Ok(Self { rotation, translation });
        }
        Self::new(DQuat::from_mat3(&rotation).normalize(), translation)
    }

    /// The pose of B in the frame of A, from both poses in the world.
    #[inline]
    pub fn between(pose_a: &Self, pose_b: &Self) -> Self {
        let back = pose_a.rotation.transpose();
        Self {
            rotation: back * pose_b.rotation,
            translation: back * (pose_b.translation - pose_a.translation),
        }
    }

    /// The rotation matrix.
    #[inline]
    pub const fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The translation.
    #[inline]
    pub const fn translation(&self) -> DVec3 {
        self.translation
    }

    /// The rotation as a unit quaternion, scalar last, w ≥ 0.
    pub fn quaternion(&self) -> DQuat {
        let q = DQuat::from_mat3(&self.rotation).normalize();
        if q.w < 0.0 { -q } else { q }
    }

    /// The motion that undoes this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Moves a point.
    #[inline]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Turns a vector.
    #[inline]
    pub fn rotate(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// Moves a point back.
    #[inline]
    pub fn apply_inverse(&self, point: DVec3) -> DVec3 {
        self.rotate_inverse(point - self.translation)
    }

    /// Turns a vector back.
    #[inline]
    pub fn rotate_inverse(&self, vector: DVec3) -> DVec3 {
        DVec3::new(
            self.rotation.x_axis.dot(vector),
            self.rotation.y_axis.dot(vector),
            self.rotation.z_axis.dot(vector),
        )
    }

    /// The same rotation made orthonormal again, for motions composed many times.
    pub fn renormalized(&self) -> Self {
        Self { rotation: DMat3::from_quat(self.quaternion()), translation: self.translation }
    }

    /// This motion with another translation.
    #[inline]
    pub fn with_translation(&self, translation: DVec3) -> Self {
        Self { rotation: self.rotation, translation }
    }
}

/// `a * b` moves by `b` first.
impl Mul for Pose {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self { rotation: self.rotation * other.rotation, translation: self.apply(other.translation) }
    }
}

fn check_unit(length: f64) -> Result<(), PoseError> {
    // Written so that NaN is refused.
    if (length - 1.0).abs() <= tolerance::UNIT_INPUT_REL {
        Ok(())
    } else {
        Err(PoseError::NotUnit { length })
    }
}
