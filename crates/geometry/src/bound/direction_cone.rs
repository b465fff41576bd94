//! Cones of directions.
//!
//! Source: a cone narrower than a half-space is closed under addition, so that it holds every positive combination of
//! the vectors in it.
//! Differs: nothing to differ from.
//! Ends because: loops run over vectors.
//! Cost: O(vectors).
//! Not promised: the narrowest cone; its axis is the mean of the directions.

use crate::surface::unit;
use crate::tolerance::CONE_ROUNDING_RAD;
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};

/// All directions within an angle of an axis.
///
/// ```
/// use clearance_geometry::{DVec3, bound::DirectionCone};
/// let one = DirectionCone::new(DVec3::Z, 0.1);
/// let two = DirectionCone::new(DVec3::X, 0.2);
/// let both = one.joined(&two);
/// assert!(both.contains(DVec3::Z) && both.contains(DVec3::X) && both.angle < 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionCone {
    /// Unit axis; zero for the empty cone.
    pub axis: DVec3,
    /// Half-angle in radians: π means every direction, a negative one none.
    pub angle: f64,
}

impl DirectionCone {
    /// Every direction: nothing is known.
    pub const FULL: Self = Self { axis: DVec3::Z, angle: PI };

    /// No direction.
    pub const EMPTY: Self = Self { axis: DVec3::ZERO, angle: -1.0 };

    /// Directions within `angle` of `axis`, which need not be of unit length; an axis without a direction, or an
    /// angle that is NaN, gives the full cone.
    pub fn new(axis: DVec3, angle: f64) -> Self {
        match unit(axis) {
            // Written so that NaN is full.
            Some(axis) if angle < PI => Self { axis, angle: angle.max(0.0) },
            _ => Self::FULL,
        }
    }

    /// Whether every direction is in it.
    pub fn is_full(&self) -> bool {
        !(self.angle < PI)
    }

    /// Whether no direction is in it.
    pub fn is_empty(&self) -> bool {
        self.angle < 0.0
    }

    /// Whether all directions lie in an open half-space: the "nice" patches.
    pub fn is_within_hemisphere(&self) -> bool {
        self.angle < FRAC_PI_2
    }

    /// Whether a direction (of any length) is in it, give or take rounding in its favour. A zero vector is in
    /// every cone.
    pub fn contains(&self, direction: DVec3) -> bool {
        direction == DVec3::ZERO
            || self.is_full()
            || (!self.is_empty() && angle_between(self.axis, direction) <= self.angle + CONE_ROUNDING_RAD)
    }

    /// The cone of the opposite directions.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { axis: -self.axis, angle: self.angle }
    }

    /// Whether some direction of one is in the other, give or take rounding in favour of yes.
    pub fn meets(&self, other: &Self) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        let apart = angle_between(self.axis, other.axis);
        apart <= self.angle + other.angle + CONE_ROUNDING_RAD
    }

    /// A cone around both.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_full() {
            return *other;
        }
        if other.is_empty() || self.is_full() {
            return *self;
        }
        let apart = angle_between(self.axis, other.axis);
        if apart + other.angle <= self.angle {
            return *self;
        }
        if apart + self.angle <= other.angle {
            return *other;
        }
        let angle = 0.5 * (self.angle + other.angle + apart);
        // Turn the axis towards the other one until both rims are at the same angle.
        let turn = angle - self.angle;
        let across = other.axis - self.axis * self.axis.dot(other.axis);
        match unit(across) {
            Some(across) => {
                Self::new(self.axis * turn.cos() + across * turn.sin(), angle + CONE_ROUNDING_RAD)
            }
            // Parallel axes: the wider of the two; opposite ones: everything.
            None if self.axis.dot(other.axis) > 0.0 => {
                Self::new(self.axis, self.angle.max(other.angle) + CONE_ROUNDING_RAD)
            }
            None => Self::FULL,
        }
    }

    /// The cone of all positive combinations of vectors, each known up to an error of the given length. Vectors
    /// that are exactly zero do not count; one that could be zero makes the cone full.
    pub(crate) fn of_combinations(vectors: &[(DVec3, f64)]) -> Self {
        let axis = vectors.iter().filter_map(|(vector, _)| unit(*vector)).fold(DVec3::ZERO, |sum, n| sum + n);
        let Some(axis) = unit(axis) else {
            return if vectors.iter().all(|v| *v == (DVec3::ZERO, 0.0)) { Self::EMPTY } else { Self::FULL };
        };
        let mut widest = 0.0_f64;
        for &(vector, error) in vectors {
            if vector == DVec3::ZERO && error == 0.0 {
                continue;
            }
            let length = vector.length();
            // NaN and vectors lost in their error end here.
            if !(length > error) {
                return Self::FULL;
            }
            widest = widest.max(angle_between(axis, vector) + (error / length).asin());
        }
        let angle = widest + CONE_ROUNDING_RAD;
        // Only a cone narrower than a half-space is closed under addition.
        if angle < FRAC_PI_2 { Self::new(axis, angle) } else { Self::FULL }
    }
}

/// The angle between two directions, accurate for small angles too.
pub(crate) fn angle_between(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}
