//! Unevaluated sums of two f64, for the few places where one f64 loses the answer: the normal of a
//! sliver and the volume of a plate.
//!
//! Source: Dekker (1971) for sums and products, Shewchuk (1997) for their use in geometry.
//! Ends because: no loops.
//! Cost: about twenty operations per product.
//! Not promised: exactness; the error is a few units of 2⁻¹⁰⁴ of the largest term.

use crate::DVec3;
use std::ops::{Add, Mul, Sub};

/// `high + low`, with `low` below the last bit of `high`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    /// a − b without error.
    fn difference(a: f64, b: f64) -> Self {
        sum_of(a, -b)
    }

    /// The nearest f64.
    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }
}

impl Add for Twofold {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let sum = sum_of(self.high, other.high);
        ordered_sum(sum.high, sum.low + (self.low + other.low))
    }
}

impl Sub for Twofold {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Twofold {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = product_of(self.high, other.high);
        ordered_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

fn sum_of(a: f64, b: f64) -> Twofold {
    let high = a + b;
    let b_part = high - a;
    Twofold { high, low: (a - (high - b_part)) + (b - b_part) }
}

/// As `sum_of` for |a| ≥ |b|.
fn ordered_sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    Twofold { high, low: b - (high - a) }
}

fn product_of(a: f64, b: f64) -> Twofold {
    let high = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low;
    Twofold { high, low }
}

/// The upper and the lower half of the bits of a number.
fn split(a: f64) -> (f64, f64) {
    const HALF_THE_BITS: f64 = 134_217_729.0; // 2²⁷ + 1
    let shifted = HALF_THE_BITS * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

type Vector = [Twofold; 3];

fn vector(to: DVec3, from: DVec3) -> Vector {
    [Twofold::difference(to.x, from.x), Twofold::difference(to.y, from.y), Twofold::difference(to.z, from.z)]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Twice the area vector of a closed polygon: its length is twice the area, its direction the normal.
/// For a convex polygon that is flat to rounding ε the corners lie within a few ε of the plane with
/// this normal, however thin the polygon is.
pub(crate) fn area_vector(mut corners: impl Iterator<Item = DVec3>) -> DVec3 {
    let (Some(first), Some(second)) = (corners.next(), corners.next()) else {
        return DVec3::ZERO;
    };
    let mut before = vector(second, first);
    let mut sum = Vector::default();
    for corner in corners {
        let next = vector(corner, first);
        let part = cross(&before, &next);
        sum = [sum[0] + part[0], sum[1] + part[1], sum[2] + part[2]];
        before = next;
    }
    DVec3::new(sum[0].value(), sum[1].value(), sum[2].value())
}

/// A vector divided by its length, whatever its size; zero for zero. A multiple of an axis becomes that
/// axis.
pub(crate) fn unit(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest == 0.0 {
        return DVec3::ZERO;
    }
    let scaled = v / largest;
    scaled / scaled.length()
}

/// Six times the signed volume of a tetrahedron: (p − o) · (q − o) × (r − o).
pub(crate) fn six_volume(o: DVec3, [p, q, r]: [DVec3; 3]) -> Twofold {
    let (p, q, r) = (vector(p, o), vector(q, o), vector(r, o));
    let cross = cross(&q, &r);
    p[0] * cross[0] + p[1] * cross[1] + p[2] * cross[2]
}

/// a · b − c, rounded once.
pub(crate) fn dot_minus(a: DVec3, b: DVec3, c: f64) -> f64 {
    let products = product_of(a.x, b.x) + product_of(a.y, b.y) + product_of(a.z, b.z);
    (products - Twofold { high: c, low: 0.0 }).value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliver_normal_keeps_its_digits() {
        // Corners on the plane z = 0, tilted by exact binary steps, 2⁻⁴⁰ wide over a length of 1.
        let w = 2.0_f64.powi(-40);
        let corners = [DVec3::ZERO, DVec3::new(1.0, w, 1.0), DVec3::new(0.5, 1.5 * w, 0.5)];
        let normal = area_vector(corners.into_iter());
        assert_eq!(normal, DVec3::new(w * (0.5 - 1.5), 0.0, w * (1.5 - 0.5)));
    }

    #[test]
    fn thin_volume_keeps_its_digits() {
        let h = 2.0_f64.powi(-45);
        let third = 1.0 / 3.0;
        let corners = [DVec3::X, DVec3::Y, DVec3::new(third, third, h)];
        assert_eq!(six_volume(DVec3::ZERO, corners).value(), h);
    }

    #[test]
    fn dot_minus_survives_cancellation() {
        let a = DVec3::new(1e8 + 1.0, 1.0, 0.0);
        let b = DVec3::new(1e8 - 1.0, 1.0, 0.0);
        assert_eq!(dot_minus(a, b, 1e16), 0.0);
    }
}
