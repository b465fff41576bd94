//! An angle as its cosine and sine.

/// The cosine and sine of an angle: what evaluators of round shapes take in place of the angle, so that a
/// step along a tracked parameter costs a few products and no trigonometric function.
///
/// ```
/// use clearance_geometry::curve::Turn;
/// let quarter = Turn::from_angle(std::f64::consts::FRAC_PI_2);
/// let half = quarter.turned(quarter);
/// assert!((half.cos + 1.0).abs() < 1e-15 && half.sin.abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Cosine.
    pub cos: f64,
    /// Sine.
    pub sin: f64,
}

impl Turn {
    /// The angle 0.
    pub const ZERO: Self = Self { cos: 1.0, sin: 0.0 };

    /// Of an angle in radians.
    #[inline]
    pub fn from_angle(radians: f64) -> Self {
        let (sin, cos) = radians.sin_cos();
        Self { cos, sin }
    }

    /// The angle in (−π, π], in radians.
    #[inline]
    pub fn angle(self) -> f64 {
        self.sin.atan2(self.cos)
    }

    /// The sum of both angles. Each call adds a rounding error to the length; see [`Turn::normalized`].
    #[inline]
    #[must_use]
    pub fn turned(self, by: Self) -> Self {
        Self { cos: self.cos * by.cos - self.sin * by.sin, sin: self.sin * by.cos + self.cos * by.sin }
    }

    /// The same angle with cos² + sin² = 1 again, by one Newton step: for pairs that are off by rounding
    /// only.
    #[inline]
    #[must_use]
    pub fn normalized(self) -> Self {
        let factor = 1.5 - 0.5 * (self.cos * self.cos + self.sin * self.sin);
        Self { cos: self.cos * factor, sin: self.sin * factor }
    }
}
