//! Cells of patches, curves and points: halves of halves, how far they reach in a direction, and their derivatives.
//!
//! Source: Farin, *Curves and Surfaces for CAGD* (2002): a rational Bézier patch lies in the hull of its control points.
//! Differs: derivatives are those of the patch moved to its middle, so that no large terms cancel.
//! Ends because: loops run over the control points.
//! Cost: one dot product for each control point to reach; one product of two nets for a derivative.
//! Not promised: the reach of the patch itself; what is bounded is its control points.

use crate::bernstein::Bernstein;
use crate::interval::{Interval, Vector, dot, minus, union, vector};
use crate::model::Patch;
use crate::placement::Placement;
use crate::tolerance::MAX_DEPTH;

/// A part of a patch, curve or point, in the frame of A.
#[derive(Clone, Debug)]
pub(crate) struct PatchCell {
    pub(crate) piece: usize,
    /// 2 for a patch, 1 for a curve, 0 for a point.
    pub(crate) parameters: usize,
    /// (X, Y, Z, W).
    pub(crate) net: Bernstein<4>,
    /// Whether W is 1 everywhere.
    pub(crate) polynomial: bool,
    /// Control points (X, Y, Z)/W.
    pub(crate) hull: Vec<Vector>,
    /// Corners of its rectangle of parameters, exact.
    pub(crate) low: [f64; 2],
    pub(crate) high: [f64; 2],
    depth: [u32; 2],
}

impl PatchCell {
    /// The whole of a piece, whose form has been checked.
    pub(crate) fn new(piece: usize, patch: &Patch, placement: Option<&Placement>) -> Self {
        let polynomial = patch.points.iter().all(|point| point[3] == patch.points[0][3]);
        let moved = |&[x, y, z, w]: &[f64; 4]| {
            let (mut at, mut weight) = (vector([x, y, z]), Interval::point(w));
            if polynomial && w != 1.0 {
                at = at.map(|x| x / weight);
            }
            if polynomial {
                weight = Interval::ONE;
            }
            let [x, y, z] = placement.map_or(at, |placement| placement.homogeneous(&at, weight));
            [x, y, z, weight]
        };
        let of = |axis: usize| patch.degree.get(axis).copied().unwrap_or(0);
        let net = Bernstein { degree: [of(0), of(1), 0], values: patch.points.iter().map(moved).collect() };
        Self {
            piece,
            parameters: patch.degree.len(),
            hull: hull(&net, polynomial),
            net,
            polynomial,
            low: [0.0; 2],
            high: [1.0; 2],
            depth: [0; 2],
        }
    }

    /// Its halves across a parameter; none where it has no such parameter or is too small.
    pub(crate) fn halved(&self, axis: usize) -> Option<[Self; 2]> {
        if axis >= self.parameters || self.depth[axis] >= MAX_DEPTH {
            return None;
        }
        let middle = 0.5 * (self.low[axis] + self.high[axis]);
        let [low, high] = self.net.halved(axis).map(|mut net| {
            if self.polynomial {
                net.values.iter_mut().for_each(|value| value[3] = Interval::ONE);
            }
            let hull = hull(&net, self.polynomial);
            let mut half = Self { net, hull, ..*self };
            half.depth[axis] += 1;
            half
        });
        let (mut low, mut high) = (low, high);
        low.high[axis] = middle;
        high.low[axis] = middle;
        Some([low, high])
    }

    pub(crate) fn reach(&self, direction: &Vector) -> f64 {
        self.hull.iter().map(|point| dot(direction, point).high).fold(f64::NEG_INFINITY, f64::max)
    }

    /// As [`Self::reach`], from a point instead of from the origin.
    pub(crate) fn reach_from(&self, from: &Vector, direction: &Vector) -> f64 {
        let along = |point: &Vector| dot(direction, &minus(point, from)).high;
        self.hull.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
    }

    /// A point of its hull.
    pub(crate) fn center(&self) -> Vector {
        vector(self.hull[self.hull.len() / 2].map(Interval::center))
    }

    /// How far its corners go, about.
    pub(crate) fn touched(&self, direction: &Vector) -> f64 {
        let [p, q, _] = self.net.degree;
        let corners = [0, q, p * (q + 1), self.hull.len() - 1];
        let along = corners.map(|at| dot(direction, &self.hull[at]).center());
        along.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// An interval for each coordinate.
    pub(crate) fn bounds(&self) -> Vector {
        self.hull[1..].iter().fold(self.hull[0], |all, point| union(&all, point))
    }

    /// Positive multiples of the coefficients of α S_u + β S_v, times the square of the weight; u and v run over the cell.
    pub(crate) fn derivatives(&self, along: [f64; 2]) -> Option<Vec<Vector>> {
        let center = self.hull[self.hull.len() / 2].map(Interval::center);
        let all = |pick: &dyn Fn(&[Interval; 4]) -> Vector| Bernstein {
            degree: self.net.degree,
            values: self.net.values.iter().map(pick).collect(),
        };
        // M = N − c W, so that S = c + M/W and W² S_u = M_u W − M W_u has no large terms that cancel.
        let offset = all(&|value| std::array::from_fn(|k| value[k] - value[3] * center[k]));
        let weight =
            Bernstein { degree: self.net.degree, values: self.net.values.iter().map(|v| [v[3]]).collect() };
        let both = along.iter().all(|&factor| factor != 0.0);
        let mut sum: Option<Bernstein<3>> = None;
        for (axis, &factor) in along.iter().enumerate() {
            if factor == 0.0 || self.net.degree[axis] == 0 {
                continue;
            }
            let mut one = offset.derivative(axis).scaled();
            if !self.polynomial {
                let slope = weight.derivative(axis).scaled();
                let turning = offset.clone().scaled().times(&slope);
                one = one.times(&weight.clone().scaled()).with(&turning, |a, b| a - b);
            }
            if both && self.net.degree[1 - axis] > 0 {
                let mut degree = [0; 3];
                degree[axis] = 1;
                one = one.times(&Bernstein { degree, values: vec![[Interval::ONE]; 2] });
            }
            one.values.iter_mut().for_each(|value| *value = value.map(|x| x * factor));
            sum = Some(match sum {
                None => one,
                Some(other) => one.with(&other, |a, b| a + b),
            });
        }
        sum.map(|sum| sum.values)
    }
}

fn hull(net: &Bernstein<4>, polynomial: bool) -> Vec<Vector> {
    let point = |&[x, y, z, w]: &[Interval; 4]| if polynomial { [x, y, z] } else { [x / w, y / w, z / w] };
    net.values.iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wavy(weights: bool) -> Patch {
        let mut points = Vec::new();
        for i in 0..4 {
            for j in 0..3 {
                let [u, v] = [f64::from(i), f64::from(j)];
                let w = if weights { 1.0 + 0.3 * (u * 2.0 + v).sin() } else { 2.0 };
                let p = [u + 0.2 * (v * 3.0).sin(), v + 0.1 * u * u, (u - v * 1.3).cos()];
                points.push([p[0] * w, p[1] * w, p[2] * w, w]);
            }
        }
        Patch { degree: vec![3, 2], points, trim: None }
    }

    fn point(cell: &PatchCell, u: f64, v: f64) -> [f64; 3] {
        let [x, y, z, w] = cell.net.at([u, v, 0.0]);
        [x / w, y / w, z / w].map(|range| {
            assert!(range.width() < 1e-12);
            range.center()
        })
    }

    #[test]
    fn halves_are_parts_of_the_whole() {
        for weights in [true, false] {
            let whole = PatchCell::new(0, &wavy(weights), None);
            let [_, right] = whole.halved(0).unwrap();
            let [part, _] = right.halved(1).unwrap();
            assert_eq!((part.low, part.high), ([0.5, 0.0], [1.0, 0.5]));
            for (u, v) in [(0.0, 0.0), (0.3, 0.7), (1.0, 1.0)] {
                let (one, other) = (point(&whole, 0.5 + 0.5 * u, 0.5 * v), point(&part, u, v));
                assert!((0..3).all(|k| (one[k] - other[k]).abs() < 1e-13));
            }
            assert!(whole.halved(2).is_none());
        }
    }

    /// Wherever the coefficients say that the derivative has a sign, differences have it.
    #[test]
    fn derivatives_agree_with_differences() {
        let mut said = 0;
        for weights in [true, false] {
            let mut cell = PatchCell::new(0, &wavy(weights), None);
            for axis in [0, 1, 1, 0] {
                cell = cell.halved(axis).unwrap()[axis].clone();
            }
            for along in [[1.0, 0.0], [0.0, -2.0], [0.7, 0.4], [-1.0, 3.0]] {
                let derivatives = cell.derivatives(along).unwrap();
                for n in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, -1.0, 0.2], [-1.0, 0.4, 1.0]] {
                    let values = || derivatives.iter().map(|d| dot(&vector(n), d));
                    let sign =
                        match (values().all(Interval::is_positive), values().all(|x| (-x).is_positive())) {
                            (true, _) => 1.0,
                            (_, true) => -1.0,
                            _ => continue,
                        };
                    said += 1;
                    for place in 0..25 {
                        let [u, v] = [f64::from(place % 5), f64::from(place / 5)].map(|x| 0.1 + 0.2 * x);
                        let step = 1e-4;
                        let there = point(&cell, u + step * along[0], v + step * along[1]);
                        let back = point(&cell, u - step * along[0], v - step * along[1]);
                        let rise: f64 = (0..3).map(|k| n[k] * (there[k] - back[k])).sum();
                        assert!(rise * sign > 0.0, "{weights} {along:?} {n:?}");
                    }
                }
            }
        }
        assert!(said > 15, "{said}");
    }
}
