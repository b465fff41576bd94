//! Polynomials by their Bernstein coefficients over an interval.
//!
//! Source: de Casteljau's triangle; the coefficients change sign at least as often as the polynomial (Schoenberg).
//! Differs: each coefficient carries what rounding may have made of it, so that a sign can be left undecided.
//! Ends because: loops run over coefficients.
//! Cost: O(degree²) for a conversion or a split.
//! Not promised: signs of coefficients below their rounding.

use crate::Polynomial;
use crate::tolerance::VALUE_ROUNDING_REL;

/// A polynomial over an interval.
///
/// ```
/// use clearance_roots::Polynomial;
/// let b = Polynomial::new(vec![0.0, 0.0, 1.0])?.bernstein(-1.0, 1.0);
/// assert_eq!((b.coefficients(), b.value(0.0)), (&[1.0, -1.0, 1.0][..], 0.0));
/// # Ok::<(), clearance_roots::RootsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bernstein {
    low: f64,
    high: f64,
    coefficients: Vec<f64>,
    /// What rounding may have done to any of them.
    noise: f64,
}

impl Bernstein {
    /// From its coefficients over `low` to `high`.
    pub fn new(low: f64, high: f64, coefficients: Vec<f64>) -> Self {
        let size = coefficients.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        Self { low, high, noise: VALUE_ROUNDING_REL * size, coefficients }
    }

    pub(crate) fn of(polynomial: &Polynomial, low: f64, high: f64) -> Self {
        let shifted = polynomial.shifted(low).stretched(high - low);
        let reach = low.abs() + (high - low).abs();
        let size = polynomial.coefficients().iter().rev().fold(0.0, |sum, c| sum * reach + c.abs());
        let n = polynomial.degree();
        let mut coefficients = shifted.coefficients().to_vec();
        // c_k / C(n, k), then sums up the triangle: b_i = Σ_k C(i, k) / C(n, k) c_k.
        let mut binomial = 1.0;
        for (k, c) in coefficients.iter_mut().enumerate() {
            *c /= binomial;
            binomial = binomial * (n - k) as f64 / (k + 1) as f64;
        }
        for level in 1..=n {
            for at in (level..=n).rev() {
                coefficients[at] += coefficients[at - 1];
            }
        }
        Self { low, high, coefficients, noise: VALUE_ROUNDING_REL * (n + 1) as f64 * size }
    }

    /// Ends of the interval.
    pub const fn interval(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Coefficients from the lower end to the upper.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// How far rounding may have moved a coefficient.
    pub const fn noise(&self) -> f64 {
        self.noise
    }

    /// The value at `t`.
    pub fn value(&self, t: f64) -> f64 {
        let share = (t - self.low) / (self.high - self.low);
        let mut b = self.coefficients.clone();
        for last in (1..b.len()).rev() {
            for at in 0..last {
                b[at] += share * (b[at + 1] - b[at]);
            }
        }
        b.first().copied().unwrap_or(0.0)
    }

    /// Both halves of a cut in the middle.
    pub fn halves(&self) -> [Self; 2] {
        let n = self.coefficients.len();
        let mut right = self.coefficients.clone();
        let mut left = Vec::with_capacity(n);
        for last in (0..n).rev() {
            left.push(right[0]);
            for at in 0..last {
                right[at] = 0.5 * (right[at] + right[at + 1]);
            }
        }
        let middle = 0.5 * (self.low + self.high);
        let part = |low, high, coefficients| Self { low, high, coefficients, noise: self.noise };
        [part(self.low, middle, left), part(middle, self.high, right)]
    }

    /// The most roots that the signs of the coefficients allow, coefficients within rounding of zero taking the sign
    /// that allows more; and whether every coefficient is within rounding of zero.
    pub fn variations(&self) -> (usize, bool) {
        // most[s]: the most changes so far if the last sign is negative (0) or positive (1); None where it cannot be.
        let mut most = [None, None];
        let mut flat = true;
        for (at, &b) in self.coefficients.iter().enumerate() {
            let may = [b <= self.noise, b >= -self.noise];
            flat &= may[0] && may[1];
            let step = |sign: usize| -> Option<usize> {
                let reach = if at == 0 { Some(0) } else { most[sign].max(most[1 - sign].map(|n| n + 1)) };
                reach.filter(|_| may[sign])
            };
            most = [step(0), step(1)];
        }
        (most[0].max(most[1]).unwrap_or(0), flat)
    }
}
