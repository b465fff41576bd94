//! Cells of level sets: boxes with the Bernstein coefficients of their polynomial.
//!
//! Source: where f(x) = 0, n·x = n·x − μ f(x) for any number μ, so that the greatest coefficient of the right side bounds
//! how far the zeros reach along n.
//! Differs: μ makes the slope of the right side along the mean gradient of f vanish. A bad μ gives a weak bound, never a
//! false one, and the box bounds as well.
//! Ends because: loops run over the coefficients.
//! Cost: one dot product for each coefficient to reach.
//! Not promised: anything about zeros at which the gradient vanishes, but that they are in the box.

use crate::bernstein::{Bernstein, binomial};
use crate::interval::{Interval, Vector, dot, union, vector};
use crate::model::Level;
use crate::placement::Placement;
use crate::tolerance::MAX_DEPTH;

/// The zeros of a polynomial in a box, in the frame of their own body.
#[derive(Clone, Debug)]
pub(crate) struct LevelCell {
    pub(crate) piece: usize,
    polynomial: Bernstein<1>,
    low: Vector,
    high: Vector,
    depth: [u32; 3],
}

impl LevelCell {
    /// The whole of a piece, whose form has been checked.
    pub(crate) fn new(piece: usize, level: &Level) -> Self {
        let [low, high] = level.within.map(vector);
        let mut degree = [0; 3];
        for &(_, i, j, k) in &level.terms {
            degree = [degree[0].max(i), degree[1].max(j), degree[2].max(k)];
        }
        let at = |i: usize, j: usize, k: usize| (i * (degree[1] + 1) + j) * (degree[2] + 1) + k;
        let mut values = vec![[Interval::ZERO]; degree.iter().map(|n| n + 1).product()];
        for &(factor, i, j, k) in &level.terms {
            let sum = &mut values[at(i, j, k)][0];
            *sum = *sum + Interval::point(factor);
        }
        // From powers to Bernstein coefficients, one coordinate at a time.
        for axis in 0..3 {
            let table = monomials(degree[axis], low[axis], high[axis]);
            let step: usize = degree[axis + 1..].iter().map(|n| n + 1).product();
            let none = vec![[Interval::ZERO]; values.len()];
            let powers = std::mem::replace(&mut values, none);
            for (place, value) in values.iter_mut().enumerate() {
                let index = place / step % (degree[axis] + 1);
                let first = place - index * step;
                for (i, row) in table.iter().enumerate() {
                    value[0] = value[0] + powers[first + i * step][0] * row[index];
                }
            }
        }
        Self { piece, polynomial: Bernstein { degree, values }, low, high, depth: [0; 3] }
    }

    /// Its halves across a coordinate; none where it is too small.
    pub(crate) fn halved(&self, axis: usize) -> Option<[Self; 2]> {
        if self.depth[axis] >= MAX_DEPTH {
            return None;
        }
        let middle = self.low[axis].middle(self.high[axis]);
        let [mut low, mut high] = self.polynomial.halved(axis).map(|polynomial| {
            let mut half = Self { polynomial, ..*self };
            half.depth[axis] += 1;
            half
        });
        low.high[axis] = middle;
        high.low[axis] = middle;
        Some([low, high])
    }

    /// Whether the polynomial has one sign, so that nothing is in the cell.
    pub(crate) fn is_empty(&self) -> bool {
        let values = || self.polynomial.values.iter().map(|value| value[0]);
        values().all(Interval::is_positive) || values().all(|value| (-value).is_positive())
    }

    fn own_bounds(&self) -> Vector {
        union(&self.low, &self.high)
    }

    pub(crate) fn bounds(&self, placement: Option<&Placement>) -> Vector {
        placement.map_or(self.own_bounds(), |placement| placement.point(&self.own_bounds()))
    }

    pub(crate) fn reach(&self, direction: &Vector, placement: Option<&Placement>) -> f64 {
        let Some(placement) = placement else { return self.own_reach(direction) };
        let reach = Interval { low: f64::MIN, high: self.own_reach(&placement.turned_back(direction)) };
        (reach + dot(direction, &placement.translation)).high
    }

    fn own_reach(&self, direction: &Vector) -> f64 {
        let size: Vector = std::array::from_fn(|k| self.high[k] - self.low[k]);
        // Slope of the polynomial along each coordinate, about the middle: from the first to the last coefficient.
        let Bernstein { degree, values } = &self.polynomial;
        let step = |axis: usize| degree[axis + 1..].iter().map(|n| n + 1).product::<usize>();
        let slope = |axis: usize| {
            let count = degree[axis] + 1;
            let ends = values.iter().enumerate().map(|(place, value)| {
                let index = place / step(axis) % count;
                value[0].center()
                    * (f64::from(u8::from(index + 1 == count)) - f64::from(u8::from(index == 0)))
            });
            ends.sum::<f64>() * count as f64 / (values.len() as f64 * size[axis].center())
        };
        let slopes = [slope(0), slope(1), slope(2)];
        let along: f64 = (0..3).map(|k| slopes[k] * direction[k].center()).sum();
        let mu = Interval::point(along / slopes.iter().map(|x| x * x).sum::<f64>());
        let corner = |index: usize, axis: usize| {
            let share = Interval::point(index as f64) / Interval::point(degree[axis].max(1) as f64);
            self.low[axis] + size[axis] * share
        };
        let mut greatest = f64::NEG_INFINITY;
        for (place, value) in values.iter().enumerate() {
            let mut at = [0; 3];
            (0..3).for_each(|axis| at[axis] = place / step(axis) % (degree[axis] + 1));
            // A coordinate of which the polynomial does not depend runs over the whole side.
            let point = std::array::from_fn(|axis| {
                if degree[axis] == 0 { self.low[axis].hull(self.high[axis]) } else { corner(at[axis], axis) }
            });
            greatest = greatest.max((dot(direction, &point) - value[0] * mu).high);
        }
        greatest.min(dot(direction, &self.own_bounds()).high)
    }
}

/// Bernstein coefficients of 1, x, …, xⁿ over [low, high], in degree n: elementary symmetric functions of the ends.
fn monomials(n: usize, low: Interval, high: Interval) -> Vec<Vec<Interval>> {
    let powers = |base: Interval| {
        let next = |power: &Interval| Some(*power * base);
        std::iter::successors(Some(Interval::ONE), next).take(n + 1).collect::<Vec<_>>()
    };
    let (low, high) = (powers(low), powers(high));
    let coefficient = |i: usize, j: usize| {
        let mut sum = Interval::ZERO;
        for m in i.saturating_sub(n - j)..=i.min(j) {
            sum = sum + high[m] * low[i - m] * (binomial(j, m) * binomial(n - j, i - m));
        }
        sum / Interval::point(binomial(n, i))
    };
    (0..=n).map(|i| (0..=n).map(|j| coefficient(i, j)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A torus about z, of radii 2 and 0.5: (x² + y² + z² + 3.75)² = 16 (x² + y²).
    fn torus() -> Level {
        let mut terms = Vec::new();
        for i in 0..3 {
            for j in 0..3 {
                let mut powers = [0; 3];
                powers[i] += 2;
                powers[j] += 2;
                terms.push((1.0, powers[0], powers[1], powers[2]));
            }
        }
        terms.extend([(7.5 - 16.0, 2, 0, 0), (7.5 - 16.0, 0, 2, 0), (7.5, 0, 0, 2), (3.75 * 3.75, 0, 0, 0)]);
        Level { terms, within: [[-3.0, -3.0, -1.0], [3.0, 3.0, 1.0]] }
    }

    fn on_torus(a: f64, b: f64) -> [f64; 3] {
        let r = 2.0 + 0.5 * b.cos();
        [r * a.cos(), r * a.sin(), 0.5 * b.sin()]
    }

    /// No point of the torus is in an empty cell or beyond the reach of its cell, and small cells are tight.
    #[test]
    fn cells_contain_the_zeros() {
        let n = [0.4, -0.2, 0.9];
        let mut empty = 0;
        for k in 0..400 {
            let at = on_torus(0.37 * f64::from(k), 1.91 * f64::from(k));
            let mut cell = LevelCell::new(0, &torus());
            for round in 0..18 {
                let axis = round % 3;
                let [low, high] = cell.halved(axis).unwrap();
                let (inside, beside) = if at[axis] <= low.high[axis].low { (low, high) } else { (high, low) };
                empty += usize::from(beside.is_empty());
                assert!(!inside.is_empty(), "{at:?}");
                let along: f64 = (0..3).map(|k| n[k] * at[k]).sum();
                let reach = inside.reach(&vector(n), None);
                assert!(reach >= along - 1e-12, "{at:?} is beyond");
                cell = inside;
            }
        }
        assert!(empty > 400, "{empty}");
    }

    #[test]
    fn reach_is_of_second_order() {
        // At the top the normal is z, and the box is a cube about a point there.
        let slack = |half: f64| {
            let mut level = torus();
            level.within = [[2.0 - half, -half, 0.5 - half], [2.0 + half, half, 0.5 + half]];
            LevelCell::new(0, &level).reach(&vector([0.0, 0.0, 1.0]), None) - 0.5
        };
        let [coarse, fine] = [slack(1.0 / 32.0), slack(1.0 / 64.0)];
        assert!(fine > 0.0 && coarse / fine > 3.5, "{coarse} {fine}");
        assert!(coarse < 0.02);
    }
}
