//! Polynomials in one variable, as sums of powers.
//!
//! Source: Horner's scheme with a running bound on its rounding (Adams 1967).
//! Differs: the bound is a sum of sizes, which is looser and needs no extra pass.
//! Ends because: loops run over coefficients.
//! Cost: O(degree) for a value, O(degree²) for a shift or product.
//! Not promised: that leading coefficients which should cancel are zero; [`Polynomial::trimmed`] drops what rounding
//! explains only if told how large that is.

use crate::tolerance::VALUE_ROUNDING_REL;
use crate::{Bernstein, Root, RootsError, isolate};

/// A polynomial c₀ + c₁ t + c₂ t² + …
///
/// ```
/// use clearance_roots::Polynomial;
/// let p = Polynomial::new(vec![-6.0, 11.0, -6.0, 1.0])?; // (t − 1)(t − 2)(t − 3)
/// let roots: Vec<f64> = p.real_roots()?.iter().map(|root| root.value).collect();
/// assert!(roots.iter().zip([1.0, 2.0, 3.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-13));
/// # Ok::<(), clearance_roots::RootsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    coefficients: Vec<f64>,
}

impl Polynomial {
    /// From coefficients, lowest power first. Leading zeros are dropped; no coefficient at all is zero.
    ///
    /// # Errors
    /// [`RootsError::NotFinite`].
    pub fn new(mut coefficients: Vec<f64>) -> Result<Self, RootsError> {
        if coefficients.iter().any(|c| !c.is_finite()) {
            return Err(RootsError::NotFinite);
        }
        while coefficients.len() > 1 && coefficients.last() == Some(&0.0) {
            coefficients.pop();
        }
        if coefficients.is_empty() {
            coefficients.push(0.0);
        }
        Ok(Self { coefficients })
    }

    /// Coefficients, lowest power first; at least one.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Highest power.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Whether every coefficient is zero.
    pub fn is_zero(&self) -> bool {
        self.coefficients.iter().all(|&c| c == 0.0)
    }

    /// The value at `t`.
    pub fn value(&self, t: f64) -> f64 {
        self.coefficients.iter().rev().fold(0.0, |sum, &c| sum * t + c)
    }

    /// Value, first derivative, and how far rounding may have moved the value.
    pub fn jet(&self, t: f64) -> (f64, f64, f64) {
        let (mut value, mut slope, mut size) = (0.0_f64, 0.0, 0.0);
        for &c in self.coefficients.iter().rev() {
            slope = slope * t + value;
            value = value * t + c;
            size = size * t.abs() + c.abs();
        }
        (value, slope, VALUE_ROUNDING_REL * self.coefficients.len() as f64 * size)
    }

    /// The derivative.
    #[must_use]
    pub fn derivative(&self) -> Self {
        let derived = self.coefficients.iter().enumerate().skip(1).map(|(n, c)| c * n as f64);
        let mut coefficients: Vec<f64> = derived.collect();
        if coefficients.is_empty() {
            coefficients.push(0.0);
        }
        Self { coefficients }
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut coefficients = vec![0.0; self.coefficients.len() + other.coefficients.len() - 1];
        for (i, a) in self.coefficients.iter().enumerate() {
            for (j, b) in other.coefficients.iter().enumerate() {
                coefficients[i + j] += a * b;
            }
        }
        Self { coefficients }
    }

    /// This plus `factor` times `other`.
    #[must_use]
    pub fn plus(&self, other: &Self, factor: f64) -> Self {
        let mut coefficients = self.coefficients.clone();
        coefficients.resize(coefficients.len().max(other.coefficients.len()), 0.0);
        for (sum, c) in coefficients.iter_mut().zip(&other.coefficients) {
            *sum += factor * c;
        }
        Self { coefficients }
    }

    /// p(factor · t).
    #[must_use]
    pub fn stretched(&self, factor: f64) -> Self {
        let mut power = 1.0;
        let stretch = |c: &f64| {
            let stretched = c * power;
            power *= factor;
            stretched
        };
        Self { coefficients: self.coefficients.iter().map(stretch).collect() }
    }

    /// p(t + by).
    #[must_use]
    pub fn shifted(&self, by: f64) -> Self {
        let mut coefficients = self.coefficients.clone();
        let n = coefficients.len();
        for first in 0..n {
            for at in (first..n - 1).rev() {
                coefficients[at] += by * coefficients[at + 1];
            }
        }
        Self { coefficients }
    }

    /// tⁿ p(1/t): the reciprocals of the roots.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { coefficients: self.coefficients.iter().rev().copied().collect() }
    }

    /// Without leading coefficients whose size is at most `noise`.
    #[must_use]
    pub fn trimmed(mut self, noise: f64) -> Self {
        while self.coefficients.len() > 1 && self.coefficients.last().is_some_and(|c| c.abs() <= noise) {
            self.coefficients.pop();
        }
        self
    }

    /// Its Bernstein coefficients over an interval.
    pub fn bernstein(&self, low: f64, high: f64) -> Bernstein {
        Bernstein::of(self, low, high)
    }

    /// All real roots from `low` to `high`, ascending; clusters are one [`Root`] that says how many it may stand for.
    ///
    /// # Errors
    /// [`RootsError::Zero`] if every number is a root; [`RootsError::NotFinite`], [`RootsError::BadInterval`].
    pub fn roots_in(&self, low: f64, high: f64) -> Result<Vec<Root>, RootsError> {
        isolate::roots_in(self, low, high)
    }

    /// All real roots, ascending.
    ///
    /// # Errors
    /// [`RootsError::Zero`] if every number is a root; [`RootsError::NotFinite`].
    pub fn real_roots(&self) -> Result<Vec<Root>, RootsError> {
        isolate::real_roots(self)
    }
}
