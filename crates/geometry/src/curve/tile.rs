//! One polynomial piece: powers about its middle, or Bernstein form for high degrees.
//!
//! Source: nested multiplication (Horner) with derivatives; products of powers for the Bernstein polynomials, and
//! two rounds of de Casteljau's triangle for their derivatives.
//! Differs: coefficients are homogeneous, (x·w, y·w, z·w, w) side by side, so that a rational piece costs one
//! division more than a polynomial one. DIFFERS: above [`POWER_DEGREE`] one form serves every degree:
//! the Bernstein polynomials are positive products, each right to a few roundings at any degree.
//! Ends because: loops run over coefficients.
//! Cost: 6 four-lane products per cubic; about seven scalar ones per degree in Bernstein form.
//! Not promised: accuracy far outside −½ … ½.

use crate::tolerance::POWER_DEGREE;
use glam::DVec4;

/// Value, first derivative and half the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taylor {
    pub(crate) value: DVec4,
    pub(crate) first: DVec4,
    pub(crate) half_second: DVec4,
}

/// Whether pieces of this degree are kept as powers.
#[inline]
pub(crate) const fn has_powers(degree: usize) -> bool {
    degree <= POWER_DEGREE
}

/// Value and derivatives of Σ c_k x^k.
#[inline(always)]
pub(crate) fn horner(c: &[DVec4], x: f64) -> Taylor {
    let n = c.len();
    if n < 3 {
        let last = c[n - 1];
        let (value, first) = if n == 2 { (last * x + c[0], last) } else { (last, DVec4::ZERO) };
        return Taylor { value, first, half_second: DVec4::ZERO };
    }
    // The first two rounds, with what is zero left out.
    let mut half_second = c[n - 1];
    let mut first = half_second * x + c[n - 2];
    let mut value = first * x + c[n - 3];
    first += half_second * x;
    for k in (0..n - 3).rev() {
        half_second = half_second * x + first;
        first = first * x + value;
        value = value * x + c[k];
    }
    Taylor { value, first, half_second }
}

/// Value and first derivative of Σ c_k x^k.
#[inline(always)]
pub(crate) fn horner_first(c: &[DVec4], x: f64) -> [DVec4; 2] {
    let n = c.len();
    if n < 2 {
        return [c[0], DVec4::ZERO];
    }
    let mut first = c[n - 1];
    let mut value = first * x + c[n - 2];
    for k in (0..n - 2).rev() {
        first = first * x + value;
        value = value * x + c[k];
    }
    [value, first]
}

/// Σ c_k x^k.
#[inline(always)]
pub(crate) fn horner_value(c: &[DVec4], x: f64) -> DVec4 {
    let n = c.len();
    let mut value = c[n - 1];
    for k in (0..n - 1).rev() {
        value = value * x + c[k];
    }
    value
}

/// A sum of two vectors that is kept as such: what rounding would lose stays in `low`.
#[derive(Clone, Copy, Debug)]
struct Doubled {
    high: DVec4,
    low: DVec4,
}

impl Doubled {
    fn new(high: DVec4) -> Self {
        Self { high, low: DVec4::ZERO }
    }

    fn plus(self, other: Self, sign: f64) -> Self {
        let (a, b) = (self.high, other.high * sign);
        let sum = a + b;
        let from_b = sum - a;
        let error = (a - (sum - from_b)) + (b - from_b);
        Self { high: sum, low: error + (self.low + other.low * sign) }
    }

    fn halved(self) -> Self {
        Self { high: self.high * 0.5, low: self.low * 0.5 }
    }
}

/// The powers about the middle of Bézier points, in place: c_k = C(p, k) · 2^(k − p) · Σ_j C(p − k, j) Δᵏb_j.
/// Sums are doubled, since differences of nearly equal points are what high powers are made of.
///
/// `stride` apart in `points`, starting at `start`.
pub(crate) fn powers_in_place(points: &mut [DVec4], start: usize, stride: usize, degree: usize) {
    match degree {
        1 => powers_of::<2>(points, start, stride, 1),
        2 => powers_of::<3>(points, start, stride, 2),
        3 => powers_of::<4>(points, start, stride, 3),
        _ => powers_of::<{ POWER_DEGREE + 1 }>(points, start, stride, degree),
    }
}

/// The same for at most `ROOM` points: a compiler that knows their number keeps them out of memory.
#[inline(always)]
fn powers_of<const ROOM: usize>(points: &mut [DVec4], start: usize, stride: usize, degree: usize) {
    let p = degree;
    let at = |i: usize| start + i * stride;
    let mut difference = [Doubled::new(DVec4::ZERO); ROOM];
    for i in 0..=p {
        difference[i] = Doubled::new(points[at(i)]);
    }
    for k in 0..=p {
        // `difference` holds Δᵏb; its value at the middle comes from repeated halving.
        let mut mean = difference;
        for round in (1..=p - k).rev() {
            for j in 0..round {
                mean[j] = mean[j].plus(mean[j + 1], 1.0).halved();
            }
        }
        points[at(k)] = (mean[0].high + mean[0].low) * binomial(p, k);
        for j in 0..p - k {
            difference[j] = difference[j + 1].plus(difference[j], -1.0);
        }
    }
}

/// C(n, k) as f64.
pub(crate) fn binomial(n: usize, k: usize) -> f64 {
    (0..k.min(n - k)).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64)
}

/// Room for the Bernstein polynomials of ordinary degrees without allocation.
const INLINE: usize = 32;

/// Calls `use_them` with the Bernstein polynomials of `degree` at t in [0, 1], their first derivatives and
/// half their second derivatives.
pub(crate) fn with_bernstein<R>(
    degree: usize,
    t: f64,
    use_them: impl FnOnce(&[f64], &[f64], &[f64]) -> R,
) -> R {
    let n = degree + 1;
    let mut inline = [0.0; 3 * INLINE];
    let mut heap = Vec::new();
    let room = if n <= INLINE {
        &mut inline[..3 * n]
    } else {
        heap.resize(3 * n, 0.0);
        &mut heap[..]
    };
    let (value, rest) = room.split_at_mut(n);
    let (first, second) = rest.split_at_mut(n);
    bernstein(t, value, first, second);
    use_them(value, first, second)
}

/// As [`with_bernstein`], for a degree of `N` − 1.
#[inline(always)]
pub(crate) fn bernstein_of<const N: usize>(t: f64) -> [[f64; N]; 3] {
    let [mut value, mut first, mut second] = [[0.0; N]; 3];
    bernstein(t, &mut value, &mut first, &mut second);
    [value, first, second]
}

/// The Bernstein polynomials C(n, i) tⁱ (1 − t)ⁿ⁻ⁱ.
#[inline(always)]
fn bernstein_products(t: f64, value: &mut [f64]) {
    let degree = value.len() - 1;
    let (mut choose, mut power) = (1.0, 1.0);
    for (i, entry) in value.iter_mut().enumerate() {
        *entry = choose * power;
        choose = choose * (degree - i) as f64 / (i + 1) as f64;
        power *= t;
    }
    let mut power = 1.0;
    for entry in value.iter_mut().rev() {
        *entry *= power;
        power *= 1.0 - t;
    }
}

#[inline(always)]
fn bernstein(t: f64, value: &mut [f64], first: &mut [f64], half_second: &mut [f64]) {
    let degree = value.len() - 1;
    if degree < 2 {
        bernstein_products(t, value);
        if let [low, high] = first {
            (*low, *high) = (-1.0, 1.0);
        }
        return;
    }
    // Derivatives are differences of lower degrees: B′_i,p = p (B_{i−1,p−1} − B_{i,p−1}),
    // ½B″_i,p = ½p(p−1)(B_{i−2} − 2B_{i−1} + B_i) of degree p − 2, which go into `half_second` with zeros behind them.
    bernstein_products(t, &mut half_second[..degree - 1]);
    let (slope, bend) = (degree as f64, 0.5 * (degree * (degree - 1)) as f64);
    let (mut lower, mut before) = ([0.0; 2], 0.0);
    for ((value, first), half_second) in value.iter_mut().zip(first).zip(half_second) {
        let low = *half_second;
        // Of degree p − 1.
        let here = (1.0 - t) * low + t * lower[1];
        *half_second = bend * (lower[0] - 2.0 * lower[1] + low);
        *first = slope * (before - here);
        *value = (1.0 - t) * here + t * before;
        (lower, before) = ([lower[1], low], here);
    }
}

/// Value and derivatives of a Bézier curve at t in [0, 1].
pub(crate) fn bezier_taylor(points: &[DVec4], t: f64) -> Taylor {
    with_bernstein(points.len() - 1, t, |value, first, second| {
        let sum = |basis: &[f64]| points.iter().zip(basis).fold(DVec4::ZERO, |sum, (&c, &b)| sum + c * b);
        Taylor { value: sum(value), first: sum(first), half_second: sum(second) }
    })
}
