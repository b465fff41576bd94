//! Numbers of twice the precision of f64, for the few pairs that plain arithmetic cannot settle.
//!
//! Source: Dekker (1971) and Knuth for the exact sum and product of two floats; Hida, Li and Bailey (2001)
//! for the arithmetic on pairs.
//! Differs: products are split in halves (Veltkamp) instead of fused; the square root takes one step of Newton's.
//! Ends because: there are no loops.
//! Cost: 10 to 40 operations for one.
//! Not promised: the last digits, a few units of 2⁻¹⁰⁴ per operation; anything near the ends of the range of f64.

use clearance_geometry::{DVec3, Pose};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, with |low| at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(crate) struct Double {
    pub(crate) high: f64,
    low: f64,
}

impl Double {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    pub(crate) fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::ZERO;
        }
        // One Newton step from the plain root doubles its digits.
        let root = Self::from(self.high.sqrt());
        let rest = self - root * root;
        root + Self::from(rest.high / (2.0 * root.high))
    }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

fn exact_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let shadow = high - a;
    Double { high, low: (a - (high - shadow)) + (b - shadow) }
}

fn renormalized(high: f64, low: f64) -> Double {
    let sum = high + low;
    Double { high: sum, low: low - (sum - high) }
}

/// Split into halves of 26 bits, since a fused multiplication is a slow call on plain x86-64.
fn exact_product(a: f64, b: f64) -> Double {
    let high = a * b;
    let halves = |x: f64| {
        let scaled = x * 134_217_729.0;
        let upper = scaled - (scaled - x);
        (upper, x - upper)
    };
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    Double { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = exact_sum(self.high, other.high);
        let rest = exact_sum(self.low, other.low);
        let first = renormalized(sum.high, sum.low + rest.high);
        renormalized(first.high, first.low + rest.low)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = exact_product(self.high, other.high);
        renormalized(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        renormalized(first, second) + Self::from(rest.high / other.high)
    }
}

/// A vector of [`Double`]s.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Double3(pub(crate) [Double; 3]);

impl From<DVec3> for Double3 {
    fn from(v: DVec3) -> Self {
        Self(v.to_array().map(Double::from))
    }
}

impl Double3 {
    pub(crate) fn high(self) -> DVec3 {
        DVec3::from_array(self.0.map(|x| x.high))
    }

    pub(crate) fn dot(self, other: Self) -> Double {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    pub(crate) fn cross(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Self([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    }

    pub(crate) fn times(self, factor: Double) -> Self {
        Self(self.0.map(|x| x * factor))
    }

    pub(crate) fn length(self) -> Double {
        self.dot(self).sqrt()
    }

    /// R v, with R as its numbers state it.
    pub(crate) fn rotated(self, pose: &Pose) -> Self {
        Self(std::array::from_fn(|i| Self::from(pose.rotation().row(i)).dot(self)))
    }

    /// Rᵀ v.
    pub(crate) fn rotated_back(self, pose: &Pose) -> Self {
        Self(std::array::from_fn(|i| Self::from(pose.rotation().col(i)).dot(self)))
    }

    /// R p + t.
    pub(crate) fn moved(self, pose: &Pose) -> Self {
        self.rotated(pose) + Self::from(pose.translation())
    }
}

impl Add for Double3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl Sub for Double3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl Neg for Double3 {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_and_roots_have_thirty_digits() {
        let third = Double::from(1.0) / Double::from(3.0);
        let one = third + third + third;
        assert!((one - Double::from(1.0)).high.abs() < 1e-31);
        let root = Double::from(2.0).sqrt();
        assert!((root * root - Double::from(2.0)).high.abs() < 1e-30);
    }

    #[test]
    fn cancellation_keeps_the_rest() {
        let a = Double::from(1e16) + Double::from(1.0);
        assert_eq!((a - Double::from(1e16)).high, 1.0);
        let p = Double::from(1.0 + f64::EPSILON);
        assert_eq!(
            (p * p - Double::from(1.0) - Double::from(2.0 * f64::EPSILON)).high,
            f64::EPSILON * f64::EPSILON
        );
    }
}
