//! Ranges of numbers, widened by what each operation may round.
//!
//! Source: interval arithmetic (Moore 1966).
//! Differs: every end moves outward by a share of itself and the least normal number, whether or not the operation was exact:
//! cheaper than [`Interval`](clearance_geometry::Interval), and never narrower.
//! Ends because: there are no loops.
//! Cost: two or four products, and two more to widen.
//! Not promised: the narrowest range.

use std::ops::{Add, Div, Mul, Neg};

/// All numbers between two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    low: f64,
    high: f64,
}

impl Range {
    pub(super) fn new(low: f64, high: f64) -> Self {
        let down = |x: f64| x - f64::EPSILON * x.abs() - f64::MIN_POSITIVE;
        Self { low: down(low), high: -down(-high) }
    }

    pub(super) const fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// Whether 0 is in it, or nothing is known of it.
    pub(super) fn contains_zero(self) -> bool {
        !(self.low > 0.0 || self.high < 0.0)
    }

    pub(super) fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// Half its width, rounded up.
    pub(super) fn half_width(self) -> f64 {
        let middle = self.middle();
        (self.high - middle).max(middle - self.low) * (1.0 + f64::EPSILON)
    }

    pub(super) fn square(self) -> Self {
        let (one, other) = (self.low * self.low, self.high * self.high);
        let least = if self.contains_zero() { 0.0 } else { one.min(other) };
        Self::new(least, one.max(other))
    }
}

impl Neg for Range {
    type Output = Self;

    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Add for Range {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }
}

impl Mul for Range {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let products =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        if !products.iter().all(|x| x.is_finite()) {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let low = products.iter().fold(f64::INFINITY, |least, x| least.min(*x));
        let high = products.iter().fold(f64::NEG_INFINITY, |most, x| most.max(*x));
        Self::new(low, high)
    }
}

/// The divisor must not contain 0.
impl Div for Range {
    type Output = Self;

    fn div(self, divisor: Self) -> Self {
        self * Self::new(
            (1.0 / divisor.high).min(1.0 / divisor.low),
            (1.0 / divisor.low).max(1.0 / divisor.high),
        )
    }
}
