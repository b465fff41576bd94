//! Nodes and weights of Gauss's rules.
//!
//! Source: the zeros of Legendre's polynomials by Newton's method from Tricomi's approximation, cos π(k − 1/4)/(n + 1/2).
//! Differs: nothing to differ from.
//! Ends because: Newton's steps are counted.
//! Cost: once per process and number of nodes.
//! Not promised: numbers of nodes other than 2, 4, 8, 16 and 32.

use crate::curve::Range;
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Numbers of nodes.
const COUNTS: [usize; 5] = [2, 4, 8, 16, 32];

/// Nodes where the degree of what is integrated is not known.
pub(super) const USUAL: usize = 8;

/// Newton's steps; four reach the last bit.
const STEPS: usize = 8;

/// Nodes by which polynomials of this degree are integrated exactly, if there are enough, and not fewer than `least`.
pub(super) fn count_for(degree: Option<usize>, least: usize) -> usize {
    let fits = |count: &&usize| degree.is_some_and(|d| **count >= least && d < 2 * **count);
    COUNTS.iter().find(fits).copied().unwrap_or(least.max(USUAL))
}

/// Legendre's polynomial of a degree, and its derivative.
pub(super) fn legendre(degree: usize, x: f64) -> [f64; 2] {
    let (mut last, mut this) = (1.0, x);
    if degree == 0 {
        return [1.0, 0.0];
    }
    for j in 1..degree {
        let j = j as f64;
        (last, this) = (this, ((2.0 * j + 1.0) * x * this - j * last) / (j + 1.0));
    }
    [this, degree as f64 * (last - x * this) / (1.0 - x * x)]
}

fn table(count: usize) -> Vec<(f64, f64)> {
    let node = |k: usize| {
        let mut x = -(PI * (k as f64 + 0.75) / (count as f64 + 0.5)).cos();
        for _ in 0..STEPS {
            let [value, slope] = legendre(count, x);
            x -= value / slope;
        }
        let slope = legendre(count, x)[1];
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..count).map(node).collect()
}

/// The nodes and weights of a rule on a range.
pub(super) fn gauss(count: usize, range: Range) -> impl Iterator<Item = (f64, f64)> {
    static TABLES: [OnceLock<Vec<(f64, f64)>>; 5] = [const { OnceLock::new() }; 5];
    let at = COUNTS.iter().position(|&has| has == count).unwrap_or(2);
    let table = TABLES[at].get_or_init(|| table(COUNTS[at]));
    let (middle, half) = (range.middle(), 0.5 * range.width());
    table.iter().map(move |(x, w)| (middle + half * x, half * w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_exact_for_polynomials_of_their_degree() {
        for count in COUNTS {
            for degree in 0..2 * count {
                let sum: f64 =
                    gauss(count, Range::new(0.0, 1.0)).map(|(x, w)| w * x.powi(degree as i32)).sum();
                let exact = 1.0 / (degree as f64 + 1.0);
                assert!((sum - exact).abs() < 32.0 * f64::EPSILON, "{count} {degree}: {sum}");
            }
        }
    }
}
