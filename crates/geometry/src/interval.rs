//! Intervals that round outward: the arithmetic of certificates.
//!
//! Source: Moore, *Interval Analysis* (1966); the error-free transformations of Knuth (sum) and of
//! the fused multiply-add (product, quotient, root).
//! Differs: no rounding mode is switched. DIFFERS: the sign of the exact rounding error says on
//! which side of the computed value the truth lies, so an end moves by one step only where it must;
//! where the error itself could underflow or overflow, the end moves always.
//! Ends because: there are no loops.
//! Cost: a few additions for a sum; a fused multiply-add per end for a product.
//! Not promised: the tightest enclosure of an expression in which a variable stands twice.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A closed interval of reals that contains the exact result of the operations that made it.
///
/// Neither end is ever NaN, `low ≤ high` always. An end beyond the largest f64 is infinite and means
/// "unbounded on that side"; infinity itself is not a member.
///
/// ```
/// use clearance_geometry::Interval;
/// let third = Interval::point(1.0) / Interval::point(3.0);
/// assert!(third.low() < third.high());
/// let one = third * 3.0;
/// assert!(one.contains(1.0) && one.width() < 1e-15);
/// assert_eq!(Interval::point(0.5) + Interval::point(0.25), Interval::point(0.75));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// All reals: what is known of a result when nothing is known.
    pub const ENTIRE: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The interval of the number 0.
    pub const ZERO: Self = Self { low: 0.0, high: 0.0 };

    /// The interval of one number. An infinite one stands for a number too large to write down,
    /// NaN for any number at all.
    pub const fn point(value: f64) -> Self {
        if value.is_nan() {
            Self::ENTIRE
        } else if value == f64::INFINITY {
            Self { low: f64::MAX, high: value }
        } else if value == f64::NEG_INFINITY {
            Self { low: value, high: f64::MIN }
        } else {
            Self { low: value, high: value }
        }
    }

    /// All numbers between two, in either order; NaN makes it [`Interval::ENTIRE`].
    pub fn between(one: f64, other: f64) -> Self {
        Self::point(one).hull(Self::point(other))
    }

    /// Lower end.
    #[inline]
    pub const fn low(self) -> f64 {
        self.low
    }

    /// Upper end.
    #[inline]
    pub const fn high(self) -> f64 {
        self.high
    }

    /// Whether `value` is a member.
    #[inline]
    pub fn contains(self, value: f64) -> bool {
        value.is_finite() && self.low <= value && value <= self.high
    }

    /// Whether every member of `other` is a member.
    #[inline]
    pub fn encloses(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Distance between the ends, rounded up.
    #[inline]
    pub fn width(self) -> f64 {
        add_up(self.high, -self.low)
    }

    /// Largest absolute value of a member.
    #[inline]
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The smallest interval that encloses both.
    #[inline]
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The smaller of a member of each.
    #[inline]
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// The larger of a member of each.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// Absolute values.
    #[inline]
    #[must_use]
    pub fn abs(self) -> Self {
        if self.low >= 0.0 {
            self
        } else if self.high <= 0.0 {
            -self
        } else {
            Self { low: 0.0, high: self.magnitude() }
        }
    }

    /// Squares; never negative, unlike the product of an interval with itself.
    #[inline]
    #[must_use]
    pub fn square(self) -> Self {
        let size = self.abs();
        Self { low: mul_down(size.low, size.low), high: mul_up(size.high, size.high) }
    }

    /// Square roots, negative members taken as 0: a square that rounding pushed below zero.
    #[inline]
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self { low: sqrt_down(self.low.max(0.0)), high: sqrt_up(self.high.max(0.0)) }
    }

    /// The sum of products of matching entries.
    ///
    /// ```
    /// use clearance_geometry::Interval;
    /// let point = |x: [f64; 3]| x.map(Interval::point);
    /// let dot = Interval::dot(&point([0.1, 0.2, 0.3]), &point([3.0, 2.0, 1.0]));
    /// assert!(dot.contains(1.0) && dot.width() < 1e-15);
    /// ```
    #[inline]
    pub fn dot<const N: usize>(left: &[Self; N], right: &[Self; N]) -> Self {
        left.iter().zip(right).fold(Self::ZERO, |sum, (&l, &r)| sum + l * r)
    }

    /// The sum of products of matching numbers, as if computed in twice the precision: for sums
    /// whose terms cancel.
    ///
    /// ```
    /// use clearance_geometry::Interval;
    /// let tiny = 0.5_f64.powi(60);
    /// let sum = Interval::sum_of_products(&[1e6, tiny, -1e6], &[1e6, 1.0, 1e6]);
    /// assert_eq!(sum, Interval::point(tiny));
    /// ```
    pub fn sum_of_products(left: &[f64], right: &[f64]) -> Self {
        let mut head = 0.0;
        let mut tail = Self::ZERO;
        for (&l, &r) in left.iter().zip(right) {
            let product = l * r;
            let (sum, error) = two_sum(head, product);
            if !error.is_finite() || !product_error_is_exact(l, r, product) {
                // The plain sum stays correct where the transformation does not hold.
                return left
                    .iter()
                    .zip(right)
                    .fold(Self::ZERO, |sum, (&l, &r)| sum + Self::point(l) * Self::point(r));
            }
            tail = tail + Self::point(error) + Self::point(l.mul_add(r, -product));
            head = sum;
        }
        Self::point(head) + tail
    }
}

impl Default for Interval {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<f64> for Interval {
    fn from(value: f64) -> Self {
        Self::point(value)
    }
}

impl Neg for Interval {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Add for Interval {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { low: add_down(self.low, other.low), high: add_up(self.high, other.high) }
    }
}

impl Sub for Interval {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        // Turn both so that each is non-negative or contains negative and positive numbers.
        if self.low < 0.0 && self.high <= 0.0 {
            return -(-self * other);
        }
        if other.low < 0.0 && other.high <= 0.0 {
            return -(self * -other);
        }
        match (self.low >= 0.0, other.low >= 0.0) {
            (true, true) => Self { low: mul_down(self.low, other.low), high: mul_up(self.high, other.high) },
            (true, false) => {
                Self { low: mul_down(self.high, other.low), high: mul_up(self.high, other.high) }
            }
            (false, true) => {
                Self { low: mul_down(self.low, other.high), high: mul_up(self.high, other.high) }
            }
            (false, false) => Self {
                low: mul_down(self.low, other.high).min(mul_down(self.high, other.low)),
                high: mul_up(self.low, other.low).max(mul_up(self.high, other.high)),
            },
        }
    }
}

impl Mul<f64> for Interval {
    type Output = Self;

    #[inline]
    fn mul(self, factor: f64) -> Self {
        self * Self::point(factor)
    }
}

/// A divisor that contains 0 gives [`Interval::ENTIRE`].
impl Div for Interval {
    type Output = Self;

    #[inline]
    fn div(self, divisor: Self) -> Self {
        if divisor.low <= 0.0 && divisor.high >= 0.0 {
            return Self::ENTIRE;
        }
        if divisor.high < 0.0 {
            return -self / -divisor;
        }
        // Smallest divisor where the quotient grows away from zero, largest where it shrinks.
        let under_low = if self.low >= 0.0 { divisor.high } else { divisor.low };
        let under_high = if self.high >= 0.0 { divisor.low } else { divisor.high };
        Self { low: div_down(self.low, under_low), high: div_up(self.high, under_high) }
    }
}

/// Smallest size of a product, dividend or square whose rounding error is itself an f64: 2⁻¹⁰²² is
/// the smallest number of full precision, and the error of a product reaches 106 bits below its
/// leading one.
const EXACT_ERROR_FROM: f64 = f64::MIN_POSITIVE / f64::EPSILON / f64::EPSILON;

/// `one + other` and its rounding error, exact unless a step overflows (then the error is not finite).
#[inline]
pub(crate) fn two_sum(one: f64, other: f64) -> (f64, f64) {
    let sum = one + other;
    let from_other = sum - one;
    let error = (one - (sum - from_other)) + (other - from_other);
    (sum, error)
}

/// `one + other`, rounded up. Infinite operands must not have opposite signs.
#[inline]
pub(crate) fn add_up(one: f64, other: f64) -> f64 {
    let (sum, error) = two_sum(one, other);
    if sum.is_infinite() {
        return round_infinite_up(sum, one.is_infinite() || other.is_infinite());
    }
    // NaN: the transformation overflowed, and the error may have either sign.
    if error <= 0.0 && error.is_finite() { sum } else { sum.next_up() }
}

/// `one + other`, rounded down. Infinite operands must not have opposite signs.
#[inline]
pub(crate) fn add_down(one: f64, other: f64) -> f64 {
    -add_up(-one, -other)
}

/// `one · other`, rounded up; 0 times an unbounded end is 0.
#[inline]
pub(crate) fn mul_up(one: f64, other: f64) -> f64 {
    if one == 0.0 || other == 0.0 {
        return 0.0;
    }
    let product = one * other;
    if product.is_infinite() {
        return round_infinite_up(product, one.is_infinite() || other.is_infinite());
    }
    if product.abs() >= EXACT_ERROR_FROM {
        return if one.mul_add(other, -product) <= 0.0 { product } else { product.next_up() };
    }
    // A negative product is at most 0 even where it underflows.
    if (one < 0.0) == (other < 0.0) { product.next_up() } else { product.next_up().min(0.0) }
}

/// `one · other`, rounded down.
#[inline]
pub(crate) fn mul_down(one: f64, other: f64) -> f64 {
    -mul_up(-one, other)
}

/// `dividend / divisor`, rounded up, for `divisor > 0`, at most one of the two infinite.
#[inline]
fn div_up(dividend: f64, divisor: f64) -> f64 {
    if dividend == 0.0 || divisor.is_infinite() {
        return 0.0;
    }
    let quotient = dividend / divisor;
    if quotient.is_infinite() {
        return round_infinite_up(quotient, dividend.is_infinite());
    }
    if dividend.abs() >= EXACT_ERROR_FROM && quotient.abs() >= f64::MIN_POSITIVE {
        // dividend − quotient · divisor is exact and has the sign of the missing part.
        let missing = (-quotient).mul_add(divisor, dividend);
        return if missing <= 0.0 { quotient } else { quotient.next_up() };
    }
    if dividend > 0.0 { quotient.next_up() } else { quotient.next_up().min(0.0) }
}

/// `dividend / divisor`, rounded down, for `divisor > 0`.
#[inline]
fn div_down(dividend: f64, divisor: f64) -> f64 {
    -div_up(-dividend, divisor)
}

/// The square root of a number that is not negative, rounded up.
#[inline]
pub(crate) fn sqrt_up(square: f64) -> f64 {
    let root = square.sqrt();
    if root.is_infinite() || square == 0.0 {
        return root;
    }
    let exact = square >= EXACT_ERROR_FROM && (-root).mul_add(root, square) <= 0.0;
    if exact { root } else { root.next_up() }
}

/// The square root of a number that is not negative, rounded down.
#[inline]
fn sqrt_down(square: f64) -> f64 {
    let root = square.sqrt();
    if root.is_infinite() || square == 0.0 {
        return root.min(f64::MAX);
    }
    let exact = square >= EXACT_ERROR_FROM && (-root).mul_add(root, square) >= 0.0;
    if exact { root } else { root.next_down().max(0.0) }
}

/// An infinite result rounded up: overflow of finite numbers downward stops at the lowest f64.
#[inline]
fn round_infinite_up(value: f64, unbounded: bool) -> f64 {
    if unbounded || value > 0.0 { value } else { f64::MIN }
}

#[inline]
fn product_error_is_exact(one: f64, other: f64, product: f64) -> bool {
    (product.is_finite() && product.abs() >= EXACT_ERROR_FROM) || one == 0.0 || other == 0.0
}
