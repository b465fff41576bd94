//! Polynomials in up to three parameters over [0, 1]³ by their Bernstein coefficients, each an interval.
//!
//! Source: Farin, *Curves and Surfaces for CAGD* (2002): halving and evaluation after de Casteljau, differences, products.
//! Differs: products are left in the *scaled* form, each coefficient times its binomials, in which a product is a
//! convolution. The factors are positive, so that signs are the same.
//! Ends because: loops run over the coefficients.
//! Cost: O(coefficients × degree) to halve; O(product of the coefficients) to multiply.
//! Not promised: the exact range; the coefficients enclose it.

use crate::interval::Interval;

/// With K coordinates; a parameter that does not occur has degree 0. The index of the last parameter runs fastest.
#[derive(Clone, Debug)]
pub(crate) struct Bernstein<const K: usize> {
    pub(crate) degree: [usize; 3],
    pub(crate) values: Vec<[Interval; K]>,
}

impl<const K: usize> Bernstein<K> {
    /// Where the coefficients along `axis` stand: the first of each line, and the step within a line.
    fn lines(degree: [usize; 3], axis: usize) -> (Vec<usize>, usize) {
        let step: usize = degree[axis + 1..].iter().map(|n| n + 1).product();
        let all: usize = degree.iter().map(|n| n + 1).product();
        let first = |&at: &usize| (at / step).is_multiple_of(degree[axis] + 1);
        ((0..all).filter(first).collect(), step)
    }

    /// Over the lower and the upper half of the parameter `axis`.
    pub(crate) fn halved(&self, axis: usize) -> [Self; 2] {
        let (mut low, mut high) = (self.clone(), self.clone());
        let n = self.degree[axis];
        let (starts, step) = Self::lines(self.degree, axis);
        for start in starts {
            // What is left of the triangle of de Casteljau in the end are the coefficients of the upper half.
            for round in 1..=n {
                for j in 0..=n - round {
                    let at = start + j * step;
                    high.values[at] = middle(&high.values[at], &high.values[at + step]);
                }
                low.values[start + round * step] = high.values[start];
            }
        }
        [low, high]
    }

    /// The value at parameters in [0, 1].
    pub(crate) fn at(&self, parameters: [f64; 3]) -> [Interval; K] {
        let mut values = self.values.clone();
        for (axis, &t) in parameters.iter().enumerate() {
            let rest = Interval::ONE - Interval::point(t);
            let n = self.degree[axis];
            let (starts, step) = Self::lines(self.degree, axis);
            for start in starts {
                for round in 1..=n {
                    for j in 0..=n - round {
                        let at = start + j * step;
                        let next = values[at + step];
                        let mut k = 0;
                        values[at] = values[at].map(|value| {
                            k += 1;
                            value * rest + next[k - 1] * t
                        });
                    }
                }
            }
        }
        values[0]
    }

    /// The derivative by the parameter `axis`, whose degree is not 0.
    pub(crate) fn derivative(&self, axis: usize) -> Self {
        let n = self.degree[axis];
        let mut degree = self.degree;
        degree[axis] -= 1;
        let (starts, step) = Self::lines(self.degree, axis);
        let (targets, _) = Self::lines(degree, axis);
        let mut values = vec![[Interval::ZERO; K]; self.values.len() / (n + 1) * n];
        for (start, target) in starts.into_iter().zip(targets) {
            for j in 0..n {
                let [one, next] = [start + j * step, start + (j + 1) * step].map(|at| self.values[at]);
                values[target + j * step] = std::array::from_fn(|k| (next[k] - one[k]) * n as f64);
            }
        }
        Self { degree, values }
    }

    /// In scaled form.
    pub(crate) fn scaled(mut self) -> Self {
        for axis in 0..3 {
            let n = self.degree[axis];
            let (starts, step) = Self::lines(self.degree, axis);
            for start in starts {
                for j in 0..=n {
                    let at = start + j * step;
                    self.values[at] = self.values[at].map(|value| value * binomial(n, j));
                }
            }
        }
        self
    }

    /// The product of two polynomials in scaled form.
    pub(crate) fn times(&self, other: &Bernstein<1>) -> Self {
        let degree = std::array::from_fn(|axis| self.degree[axis] + other.degree[axis]);
        let mut values = vec![[Interval::ZERO; K]; degree.iter().map(|n| n + 1).product()];
        for (one, value) in self.values.iter().enumerate() {
            let [i, j, k] = split(one, self.degree);
            for (two, &[factor]) in other.values.iter().enumerate() {
                let [x, y, z] = split(two, other.degree);
                let at = ((i + x) * (degree[1] + 1) + j + y) * (degree[2] + 1) + k + z;
                for (sum, &coordinate) in values[at].iter_mut().zip(value) {
                    *sum = *sum + coordinate * factor;
                }
            }
        }
        Self { degree, values }
    }

    /// What it is combined with another of the same degree, value by value.
    pub(crate) fn with(mut self, other: &Self, combine: impl Fn(Interval, Interval) -> Interval) -> Self {
        for (one, other) in self.values.iter_mut().zip(&other.values) {
            *one = std::array::from_fn(|k| combine(one[k], other[k]));
        }
        self
    }
}

fn middle<const K: usize>(a: &[Interval; K], b: &[Interval; K]) -> [Interval; K] {
    std::array::from_fn(|k| a[k].middle(b[k]))
}

/// The three indices of a coefficient.
fn split(at: usize, degree: [usize; 3]) -> [usize; 3] {
    let (rest, k) = (at / (degree[2] + 1), at % (degree[2] + 1));
    [rest / (degree[1] + 1), rest % (degree[1] + 1), k]
}

/// Exact for all degrees that are allowed: nothing on the way comes near 2⁵³.
pub(crate) fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}
