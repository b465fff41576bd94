//! Where parameters run.

/// The parameters from `low` to `high`; either end may be infinite. Not outward-rounded: an unrounded
/// pair of numbers, unlike [`crate::Interval`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Range {
    /// All parameters.
    pub const UNBOUNDED: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// One full turn, in radians.
    pub const TURN: Self = Self { low: 0.0, high: std::f64::consts::TAU };

    /// From `low` to `high`.
    #[inline]
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// `high − low`.
    #[inline]
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// The parameter at the fraction `s` of the way; 0 and 1 give the ends exactly.
    ///
    /// ```
    /// use clearance_geometry::curve::Range;
    /// assert_eq!(Range::new(2.0, 4.0).at(0.25), 2.5);
    /// ```
    #[inline]
    pub fn at(self, s: f64) -> f64 {
        if s == 1.0 { self.high } else { self.low + s * (self.high - self.low) }
    }

    /// Halfway.
    #[inline]
    pub fn middle(self) -> f64 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Whether `t` lies in it, ends included; NaN lies nowhere.
    #[inline]
    pub fn contains(self, t: f64) -> bool {
        self.low <= t && t <= self.high
    }

    /// Whether all of `other` lies in it.
    #[inline]
    pub fn encloses(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The nearest member; `low` for NaN.
    #[inline]
    pub fn clamp(self, t: f64) -> f64 {
        // `max` first: it turns NaN into `low`.
        t.max(self.low).min(self.high)
    }

    /// Whether both ends are finite and in order.
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite() && self.low <= self.high
    }

    /// The common part, if there is one.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let both = Self::new(self.low.max(other.low), self.high.min(other.high));
        (both.low <= both.high).then_some(both)
    }

    /// Both halves.
    pub fn halves(self) -> [Self; 2] {
        let middle = self.middle();
        [Self::new(self.low, middle), Self::new(middle, self.high)]
    }
}

/// A rectangle of the parameters of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Along u.
    pub u: Range,
    /// Along v.
    pub v: Range,
}

impl Rect {
    /// The rectangle `u` × `v`.
    #[inline]
    pub const fn new(u: Range, v: Range) -> Self {
        Self { u, v }
    }

    /// Whether a point lies in it, sides included.
    #[inline]
    pub fn contains(self, u: f64, v: f64) -> bool {
        self.u.contains(u) && self.v.contains(v)
    }

    /// Whether both ranges are bounded.
    pub fn is_bounded(self) -> bool {
        self.u.is_bounded() && self.v.is_bounded()
    }

    /// The common part, if there is one.
    pub fn intersection(self, other: Self) -> Option<Self> {
        Some(Self::new(self.u.intersection(other.u)?, self.v.intersection(other.v)?))
    }
}
