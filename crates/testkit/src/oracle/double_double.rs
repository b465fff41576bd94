//! Numbers of about 106 bits as unevaluated sums of two f64, and vectors of them.
//!
//! Source: Dekker (1971), Knuth (TwoSum), Hida, Li and Bailey (2001) for the sums.
//! Cost: 10 to 40 f64 operations each; no fused multiply-add, which is a call on generic x86-64.
//! Not promised: correct rounding; relative errors stay below 2⁻¹⁰⁰ away from under- and overflow.

use glam::{DMat3, DVec3};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with twice the digits of f64.
///
/// ```
/// use clearance_testkit::oracle::Double;
/// let third = Double::from(1.0) / Double::from(3.0);
/// assert!((third * Double::from(3.0) - Double::from(1.0)).value().abs() < 1e-31);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Double {
    high: f64,
    low: f64,
}

/// a + b = sum + error, exactly, whatever the sizes.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// As [`two_sum`] for |a| ≥ |b|.
#[inline]
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Upper 26 bits and the rest.
#[inline]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2²⁷ + 1
    let t = SPLITTER * a;
    let high = t - (t - a);
    (high, a - high)
}

/// a · b = product + error, exactly.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let (ah, al) = split(a);
    let (bh, bl) = split(b);
    (product, ((ah * bh - product) + ah * bl + al * bh) + al * bl)
}

impl Double {
    /// Zero.
    pub const ZERO: Self = Self { high: 0.0, low: 0.0 };

    /// The nearest f64.
    #[inline]
    pub const fn value(self) -> f64 {
        self.high
    }

    /// The exact product of two f64.
    #[inline]
    pub fn product(a: f64, b: f64) -> Self {
        let (high, low) = two_product(a, b);
        Self { high, low }
    }

    /// Square root; zero for negative numbers, which here are roundings of zero.
    pub fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::ZERO;
        }
        // One Newton step on the f64 root doubles its digits.
        let root = Self::from(self.high.sqrt());
        root + (self - root * root) / Self::from(2.0 * root.high)
    }

    /// Absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        if self < Self::ZERO { -self } else { self }
    }

    /// The smaller of two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The larger of two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// Within [0, 1].
    #[must_use]
    pub fn clamp_unit(self) -> Self {
        self.max(Self::ZERO).min(Self::from(1.0))
    }
}

impl From<f64> for Double {
    #[inline]
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

impl Neg for Double {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for Double {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let (s, e) = two_sum(self.high, other.high);
        let (t, f) = two_sum(self.low, other.low);
        let (s, e) = quick_two_sum(s, e + t);
        let (high, low) = quick_two_sum(s, e + f);
        Self { high, low }
    }
}

impl Sub for Double {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (p, e) = two_product(self.high, other.high);
        let (high, low) = quick_two_sum(p, e + (self.high * other.low + self.low * other.high));
        Self { high, low }
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        let (high, low) = quick_two_sum(first, second);
        Self { high, low } + Self::from(rest.high / other.high)
    }
}

/// A vector of [`Double`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Double3 {
    /// First coordinate.
    pub x: Double,
    /// Second coordinate.
    pub y: Double,
    /// Third coordinate.
    pub z: Double,
}

impl Double3 {
    /// The origin.
    pub const ZERO: Self = Self { x: Double::ZERO, y: Double::ZERO, z: Double::ZERO };

    /// Inner product.
    #[inline]
    pub fn dot(self, other: Self) -> Double {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Cross product.
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// Euclidean length.
    pub fn length(self) -> Double {
        self.dot(self).sqrt()
    }

    /// The nearest vector of f64.
    pub const fn value(self) -> DVec3 {
        DVec3::new(self.x.value(), self.y.value(), self.z.value())
    }

    /// R v with the entries of R taken as they are.
    pub fn turned(rotation: &DMat3, v: Self) -> Self {
        let row = |i: usize| Self::from(rotation.row(i)).dot(v);
        Self { x: row(0), y: row(1), z: row(2) }
    }

    /// Rᵀ v.
    pub fn turned_back(rotation: &DMat3, v: Self) -> Self {
        let column = |i: usize| Self::from(rotation.col(i)).dot(v);
        Self { x: column(0), y: column(1), z: column(2) }
    }
}

impl From<DVec3> for Double3 {
    #[inline]
    fn from(v: DVec3) -> Self {
        Self { x: v.x.into(), y: v.y.into(), z: v.z.into() }
    }
}

impl Add for Double3 {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Double3 {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Neg for Double3 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl Mul<Double> for Double3 {
    type Output = Self;
    #[inline]
    fn mul(self, factor: Double) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn products_and_sums_lose_nothing() {
        let mut random = Random::new(11);
        for _ in 0..2000 {
            let a = random.uniform(-1.0, 1.0) * random.log_uniform(-8.0, 8.0);
            let b = random.uniform(-1.0, 1.0) * random.log_uniform(-8.0, 8.0);
            // (a + b)² − (a − b)² = 4ab holds to 2⁻¹⁰⁰ of the largest square.
            let (s, d) = (Double::from(a) + Double::from(b), Double::from(a) - Double::from(b));
            let off = s * s - d * d - Double::product(4.0 * a, b);
            assert!(off.value().abs() <= 1e-29 * (a.abs() + b.abs()).powi(2));
        }
    }

    #[test]
    fn roots_and_quotients_invert() {
        let mut random = Random::new(12);
        for _ in 0..2000 {
            let a =
                Double::from(random.log_uniform(-9.0, 9.0)) + Double::from(random.log_uniform(-25.0, -20.0));
            let b = Double::from(random.log_uniform(-9.0, 9.0));
            assert!((a.sqrt() * a.sqrt() - a).value().abs() <= 1e-30 * a.value());
            assert!((a / b * b - a).value().abs() <= 1e-30 * a.value());
        }
    }

    #[test]
    fn cancellation_is_seen() {
        let (a, b) = (DVec3::new(1.0, 1e-20, 0.0), DVec3::new(1.0, 0.0, 0.0));
        let cross = Double3::from(a).cross(b.into());
        assert_eq!(cross.value(), DVec3::new(0.0, 0.0, -1e-20));
    }
}
