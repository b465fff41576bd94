//! Intervals that round outward: all that the checker computes with.
//!
//! Source: Moore, *Interval Analysis* (1966).
//! Differs: no rounding mode is switched; each end moves by one float, which covers the half unit that rounding to the
//! nearest may have lost, also at both ends of the range of floats.
//! Ends because: there are no loops.
//! Cost: a few nanoseconds per operation.
//! Not promised: tight ends. What cannot be told is [`Interval::ENTIRE`], never NaN, so comparisons fail as they should.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// All reals from `low` to `high`; `low ≤ high` always.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A vector of intervals.
pub(crate) type Vector = [Interval; 3];

impl Interval {
    pub(crate) const ENTIRE: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
    pub(crate) const ZERO: Self = Self { low: 0.0, high: 0.0 };
    pub(crate) const ONE: Self = Self { low: 1.0, high: 1.0 };

    /// One number.
    pub(crate) const fn point(value: f64) -> Self {
        if value.is_finite() { Self { low: value, high: value } } else { Self::ENTIRE }
    }

    /// Of two computed ends, each off by half a unit at most.
    fn outward(low: f64, high: f64) -> Self {
        // False where an end is NaN.
        if low <= high { Self { low: low.next_down(), high: high.next_up() } } else { Self::ENTIRE }
    }

    /// The middle of a member of each.
    pub(crate) fn middle(self, other: Self) -> Self {
        // Either the sum is exact, or it is so large that halving is.
        Self::outward(0.5 * (self.low + other.low), 0.5 * (self.high + other.high))
    }

    pub(crate) fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// A number within, or near it.
    pub(crate) fn center(self) -> f64 {
        let center = 0.5 * (self.low + self.high);
        if center.is_finite() { center } else { 0.0 }
    }

    pub(crate) fn width(self) -> f64 {
        (self.high - self.low).next_up()
    }

    pub(crate) fn square(self) -> Self {
        let [one, other] = [self.low.abs(), self.high.abs()];
        let least = if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { one.min(other) };
        let most = one.max(other);
        let Self { low, high } = Self::outward(least * least, most * most);
        Self { low: low.max(0.0), high }
    }

    /// Of the members that are not negative.
    pub(crate) fn sqrt(self) -> Self {
        let Self { low, high } = Self::outward(self.low.max(0.0).sqrt(), self.high.max(0.0).sqrt());
        Self { low: low.max(0.0), high }
    }

    /// Whether no member is zero or negative.
    pub(crate) fn is_positive(self) -> bool {
        self.low > 0.0
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::outward(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::outward(self.low - other.high, self.high - other.low)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let [a, b] = [self.low * other.low, self.low * other.high];
        let [c, d] = [self.high * other.low, self.high * other.high];
        // The least and the greatest pass over NaN; a sum does not.
        if (a + b + c + d).is_nan() {
            return Self::ENTIRE;
        }
        Self::outward(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

impl Mul<f64> for Interval {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        if !factor.is_finite() {
            return Self::ENTIRE;
        }
        let [a, b] = [self.low * factor, self.high * factor];
        if factor >= 0.0 { Self::outward(a, b) } else { Self::outward(b, a) }
    }
}

impl Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if !(other.low > 0.0 || other.high < 0.0) {
            return Self::ENTIRE;
        }
        let [a, b] = [self.low / other.low, self.low / other.high];
        let [c, d] = [self.high / other.low, self.high / other.high];
        if (a + b + c + d).is_nan() {
            return Self::ENTIRE;
        }
        Self::outward(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

pub(crate) fn vector(values: [f64; 3]) -> Vector {
    values.map(Interval::point)
}

pub(crate) fn dot(a: &Vector, b: &Vector) -> Interval {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn minus(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn length(a: &Vector) -> Interval {
    (a[0].square() + a[1].square() + a[2].square()).sqrt()
}

/// The smallest box around two.
pub(crate) fn union(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k].hull(b[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xorshift.
    fn next(state: &mut u64) -> i64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        // Of very different sizes, and exact as a float.
        (*state as i64 >> 11) >> (*state % 50)
    }

    /// Integers, so that what is exact can be known.
    #[track_caller]
    fn holds(interval: Interval, exact: i128) {
        // An end of this size is an integer itself, or within one of one.
        let (low, high) = (interval.low.floor() as i128, interval.high.ceil() as i128);
        assert!(low <= exact && exact <= high, "{exact} is not in {interval:?}");
        assert!(interval.low < interval.high, "{interval:?} is not rounded");
    }

    #[test]
    fn sums_and_products_contain_the_exact_ones() {
        let mut state = 88_172_645_463_325_252;
        for _ in 0..1_000_000 {
            let [a, b, c] = [0; 3].map(|_| next(&mut state));
            let [x, y, z] = [a, b, c].map(|i| Interval::point(i as f64));
            let [a, b, c] = [a, b, c].map(i128::from);
            holds(x + y, a + b);
            holds(x - y, a - b);
            holds(x * y, a * b);
            holds(x.square(), a * a);
            // Ends on both sides of zero, and on one.
            let wide = x.hull(y);
            holds(wide * z, a * c);
            holds(wide * z, b * c);
            holds(wide.square(), b * b);
            holds(x.middle(y) * 2.0, a + b);
            if b != 0 {
                holds(x / y * y, a);
                holds((y.square()).sqrt(), b.abs());
            }
        }
    }

    #[test]
    fn what_cannot_be_told_is_everything() {
        let (zero, huge) = (Interval::ZERO, Interval::point(f64::MAX));
        assert_eq!(Interval::ENTIRE * zero, Interval::ENTIRE);
        assert_eq!(Interval::ONE / zero, Interval::ENTIRE);
        assert_eq!(Interval::point(f64::NAN), Interval::ENTIRE);
        assert_eq!(Interval::point(f64::INFINITY), Interval::ENTIRE);
        assert_eq!(Interval::ONE * f64::INFINITY, Interval::ENTIRE);
        assert_eq!(huge + huge, Interval { low: f64::MAX, high: f64::INFINITY });
        assert_eq!((huge + huge) - (huge + huge), Interval::ENTIRE);
        let tiny = Interval::point(f64::MIN_POSITIVE) * Interval::point(f64::MIN_POSITIVE);
        assert!(tiny.low < 0.0 && tiny.high > 0.0);
    }
}
