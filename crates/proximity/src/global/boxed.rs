//! Bounds on the derivatives of two cells as boxes along the line between them.
//!
//! Source: differences of Bernstein coefficients, as in `derivatives`.
//! Differs: balls know nothing of directions. Of cells that face each other tangents lie across the line between them while they
//! turn along it, and second derivatives lie along it while the cells extend across it: products of boxes whose axes follow that
//! line are off by the square of a cell's size, where products of balls are off by its size.
//! Ends because: loops run over control points.
//! Cost: some two thousand instructions for a pair of bicubic cells, for one line between them.
//! Not promised: cells of more than [`MOST_POINTS`] control points.

use super::side::Cell;
use crate::tolerance::DERIVATIVE_ROUNDING_REL;
use clearance_geometry::{DVec3, DVec4};

/// Most control points of a cell.
const MOST_POINTS: usize = 16;

/// What the turn to the axes of a box loses beside the differences themselves, in units of these.
const TURNED: f64 = 2.0;

/// Unit vectors across each other; the last is along the line between two cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes([DVec3; 3]);

impl Axes {
    /// With the last axis along a unit vector.
    pub(super) fn along(normal: DVec3) -> Self {
        let across = normal.any_orthonormal_vector();
        Self([across, normal.cross(across), normal])
    }

    pub(super) fn of(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.0[0].dot(v), self.0[1].dot(v), self.0[2].dot(v))
    }
}

/// A box of vectors along the axes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) center: DVec3,
    pub(super) half: DVec3,
}

impl Extent {
    /// Middle and half the width of the dot product with another.
    pub(super) fn dot(&self, other: &Self) -> [f64; 2] {
        let off = self.center.abs().dot(other.half) + self.half.dot(other.center.abs() + other.half);
        [self.center.dot(other.center), off]
    }

    /// The same of its square.
    pub(super) fn square(&self) -> [f64; 2] {
        let (mut middle, mut off) = (0.0, 0.0);
        for k in 0..3 {
            let (center, half) = (self.center[k].abs(), self.half[k]);
            let most = center + half;
            let least = if center > half { center - half } else { 0.0 };
            middle += 0.5 * (most * most + least * least);
            off += 0.5 * (most - least) * (most + least);
        }
        [middle, off]
    }

    fn widened(mut self, by: f64) -> Self {
        self.half += by;
        self
    }

    /// Minus a box times a number known up to an error.
    fn minus(self, other: &Self, [middle, half]: [f64; 2]) -> Self {
        Self {
            center: self.center - other.center * middle,
            half: self.half + other.center.abs() * half + other.half * (middle.abs() + half),
        }
    }

    /// Divided by a positive number known up to an interval of its inverse.
    fn divided(self, [least, most]: [f64; 2]) -> Self {
        let (middle, half) = (0.5 * (least + most), 0.5 * (most - least));
        Self { center: self.center * middle, half: self.half * most + self.center.abs() * half }
    }
}

/// Boxes around a cell and its derivatives by its own parameters, which run from 0 to 1 over it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Boxed {
    /// Its points, from the middle of its ball.
    pub(super) points: Extent,
    /// First derivatives.
    pub(super) first: [Extent; 2],
    /// Second derivatives: uu, uv, vv.
    pub(super) second: [Extent; 3],
}

/// Ranges of coefficients in space and of their weights.
type Coefficients = (Extent, [f64; 2]);

impl Boxed {
    /// Of a cell with its net; `far` as for [`Patch`](super::derivatives::Patch). `None` of large nets.
    pub(super) fn of(cell: &Cell, net: &[DVec4], far: f64, axes: &Axes) -> Option<Self> {
        if net.len() > MOST_POINTS || cell.dimension == 0 {
            let points = Extent { center: DVec3::ZERO, half: DVec3::splat(cell.slack) };
            return (cell.dimension == 0).then_some(Self { points, ..Self::default() });
        }
        let (mut least, mut most, mut sum) = (f64::INFINITY, 0.0_f64, 0.0);
        for p in net {
            least = if p.w < least { p.w } else { least };
            most = if p.w > most { p.w } else { most };
            sum += p.w;
        }
        let is_polynomial = least == 1.0 && most == 1.0;
        let scale = if is_polynomial { 1.0 } else { net.len() as f64 / sum };
        let mut turned = [DVec4::ZERO; MOST_POINTS];
        for (to, p) in turned.iter_mut().zip(net) {
            *to = (axes.of(p.truncate() - cell.center * p.w)).extend(p.w) * scale;
        }
        let turned = &turned[..net.len()];
        let degree = cell.degrees[0].max(cell.degrees[1]) as f64;
        let reach = cell.center.abs().max_element() + cell.radius + far;
        let lost = TURNED * DERIVATIVE_ROUNDING_REL * degree * degree * reach;
        let rational = (!is_polynomial).then(|| [1.0 / (most * scale), 1.0 / (least * scale)]);
        let ranges = match cell.degrees {
            [3, 3] => Ranges::of::<3, 3>(turned, [3, 3]),
            [3, 0] => Ranges::of::<3, 0>(turned, [3, 0]),
            degrees => Ranges::of::<0, 0>(turned, degrees),
        };
        Some(ranges.derivatives(turned, rational, cell.slack, lost))
    }
}

/// The coefficients of first and second derivatives.
struct Ranges {
    first: [Coefficients; 2],
    second: [Coefficients; 3],
}

impl Ranges {
    /// By degrees that are known beforehand, or by those given.
    #[inline(always)]
    fn of<const P: usize, const Q: usize>(net: &[DVec4], degrees: [usize; 2]) -> Self {
        let [p, q] = if P > 0 { [P, Q] } else { degrees };
        let w = q + 1;
        let net = &net[..(p + 1) * w];
        let second =
            |at: usize, step: usize| (net[at + 2 * step] - net[at + step]) - (net[at + step] - net[at]);
        let mixed = |at: usize| (net[at + w + 1] - net[at + w]) - (net[at + 1] - net[at]);
        Self {
            first: [
                range([p, w, w], p, |at| net[at + w] - net[at]),
                range([p + 1, q, w], q, |at| net[at + 1] - net[at]),
            ],
            second: [
                range([p.saturating_sub(1), w, w], p * p.saturating_sub(1), |at| second(at, w)),
                range([p, q, w], p * q, mixed),
                range([p + 1, q.saturating_sub(1), w], q * q.saturating_sub(1), |at| second(at, 1)),
            ],
        }
    }

    /// Those of the quotient, of a net with weights whose inverse is within a range.
    fn derivatives(&self, net: &[DVec4], rational: Option<[f64; 2]>, slack: f64, lost: f64) -> Boxed {
        let mut points = Reach::NONE;
        for p in net {
            points.add(if rational.is_some() { *p * (1.0 / p.w) } else { *p });
        }
        let points = points.coefficients().0.widened(slack + lost);
        let rounded = |mut extent: Extent| {
            extent.half += lost + DERIVATIVE_ROUNDING_REL * extent.center.abs();
            extent
        };
        let Some(inverse) = rational else {
            let first = self.first.map(|(extent, _)| rounded(extent));
            return Boxed { points, first, second: self.second.map(|(extent, _)| rounded(extent)) };
        };
        let first = self.first.map(|(extent, weight)| extent.minus(&points, weight).divided(inverse));
        let [w_u, w_v] = [self.first[0].1, self.first[1].1];
        let second = |k: usize, terms: [(usize, [f64; 2]); 2]| {
            let (extent, weight) = self.second[k];
            let less = terms.iter().fold(extent, |less, (one, w)| less.minus(&first[*one], *w));
            rounded(less.minus(&points, weight).divided(inverse))
        };
        let second = [
            second(0, [(0, w_u), (0, w_u)]),
            second(1, [(0, w_v), (1, w_u)]),
            second(2, [(1, w_v), (1, w_v)]),
        ];
        Boxed { points, first: first.map(rounded), second }
    }
}

/// What differences of a net reach, rows and columns of them; the last of `size` is the row's length in the net.
#[inline(always)]
fn range(
    [rows, columns, width]: [usize; 3],
    factor: usize,
    difference: impl Fn(usize) -> DVec4,
) -> Coefficients {
    if rows * columns == 0 {
        return Coefficients::default();
    }
    let mut reach = Reach::NONE;
    for row in 0..rows {
        for column in 0..columns {
            reach.add(difference(row * width + column));
        }
    }
    let (extent, weight) = reach.coefficients();
    let factor = factor as f64;
    (Extent { center: extent.center * factor, half: extent.half * factor }, weight.map(|w| w * factor))
}

/// Least and greatest coordinates.
struct Reach {
    low: [f64; 4],
    high: [f64; 4],
}

impl Reach {
    const NONE: Self = Self { low: [f64::INFINITY; 4], high: [f64::NEG_INFINITY; 4] };

    #[inline(always)]
    fn add(&mut self, p: DVec4) {
        for (k, x) in p.to_array().into_iter().enumerate() {
            self.low[k] = if x < self.low[k] { x } else { self.low[k] };
            self.high[k] = if x > self.high[k] { x } else { self.high[k] };
        }
    }

    #[inline(always)]
    fn coefficients(&self) -> Coefficients {
        let (low, high) = (DVec4::from_array(self.low), DVec4::from_array(self.high));
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        (Extent { center: middle.truncate(), half: half.truncate() }, [middle.w, half.w])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clearance_geometry::DVec2;
    use clearance_geometry::pieces::jet;
    use clearance_testkit::Random;

    /// Points and derivatives at random places are within their boxes, of polynomial cells and of rational ones.
    #[test]
    fn boxes_hold_what_they_say() {
        let mut random = Random::new(9);
        for round in 0..400 {
            let degrees = [[3, 3], [3, 0], [2, 3], [1, 1], [2, 0], [3, 1]][round % 6];
            let count = (degrees[0] + 1) * (degrees[1] + 1);
            let net: Vec<DVec4> = (0..count)
                .map(|_| {
                    let w = if round % 4 < 2 { 1.0 } else { 0.5 + random.unit() };
                    (random.direction() * w).extend(w)
                })
                .collect();
            let dimension = if degrees[1] > 0 { 2 } else { 1 };
            let center = random.direction() * 0.25;
            let cell = Cell { degrees, ..Cell::around(center, 2.0, dimension, 0.0) };
            let axes = Axes::along(random.direction());
            let boxed = Boxed::of(&cell, &net, 0.0, &axes).unwrap();
            for _ in 0..8 {
                let at = DVec2::new(random.unit(), if dimension == 2 { random.unit() } else { 0.0 });
                let jet = jet(degrees, &net, at);
                let is_in = |extent: &Extent, v: DVec3| {
                    ((axes.of(v) - extent.center).abs() - extent.half).max_element() <= 1e-12
                };
                assert!(is_in(&boxed.points, jet.point - center), "{degrees:?}: points");
                for (extent, v) in boxed.first.iter().zip([jet.u, jet.v]).take(dimension) {
                    assert!(is_in(extent, v), "{degrees:?}: first");
                }
                for (k, v) in [jet.uu, jet.uv, jet.vv].into_iter().enumerate() {
                    assert!(k > 0 && dimension == 1 || is_in(&boxed.second[k], v), "{degrees:?}: second {k}");
                }
            }
        }
    }
}
