//! Bounds on the derivatives of a cell, as balls of vectors.
//!
//! Source: differences of Bernstein coefficients; S − c = M / W with M = N − c W for a point c of the cell, so that
//! S_u = (M_u − (S − c) W_u) / W, and on in the same way.
//! Differs: every term of a rational patch is centred on the cell, so that its balls shrink as those of a polynomial one.
//! Ends because: loops run over control points.
//! Cost: five passes over the control points.
//! Not promised: the smallest balls.

use super::side::Cell;
use crate::tolerance::DERIVATIVE_ROUNDING_REL;
use clearance_geometry::{DVec3, DVec4};

/// All vectors within a distance of one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ball {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

impl Ball {
    /// A bound on the dot product with another: its middle and half its width.
    pub(crate) fn dot(&self, other: &Self) -> [f64; 2] {
        let off = self.center.length() * other.radius
            + other.center.length() * self.radius
            + self.radius * other.radius;
        [self.center.dot(other.center), off]
    }

    fn widened(mut self, by: f64) -> Self {
        self.radius += by;
        self
    }

    /// Divided by a positive number known up to an interval of its inverse.
    fn divided(self, inverse: [f64; 2]) -> Self {
        let (middle, half) = (0.5 * (inverse[0] + inverse[1]), 0.5 * (inverse[1] - inverse[0]));
        Self { center: self.center * middle, radius: self.radius * inverse[1] + self.center.length() * half }
    }

    /// Minus a ball times a number known up to an error.
    fn minus(self, other: &Self, [middle, half]: [f64; 2]) -> Self {
        Self {
            center: self.center - other.center * middle,
            radius: self.radius + other.center.length() * half + other.radius * (middle.abs() + half),
        }
    }
}

/// Balls around the derivatives of a cell by its own parameters, which run from 0 to 1 over it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Derivatives {
    /// First derivatives.
    pub(crate) first: [Ball; 2],
    /// Second derivatives: uu, uv, vv.
    pub(crate) second: [Ball; 3],
}

/// What is known of a net beside its control points: a ball around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    pub(crate) dimension: usize,
    pub(crate) degrees: [usize; 2],
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

/// A ball of the coefficients of a derivative, with its weights as a middle and half a width.
type Coefficients = (Ball, [f64; 2]);

impl Derivatives {
    /// The tangent direction, as weights of the first derivatives, along which a cell of a dimension comes closest to a vector;
    /// `None` for points, and where the tangents are parallel.
    pub(crate) fn steepest(&self, dimension: usize, toward: DVec3) -> Option<[f64; 2]> {
        let [u, v] = &self.first;
        match dimension {
            0 => None,
            1 => Some([u.center.dot(toward).signum(), 0.0]),
            _ => {
                // The inverse of the tangent plane's metric times the slopes.
                let (uu, uv, vv) =
                    (u.center.length_squared(), u.center.dot(v.center), v.center.length_squared());
                let (along_u, along_v) = (u.center.dot(toward), v.center.dot(toward));
                let area = uu * vv - uv * uv;
                let weights = [(vv * along_u - uv * along_v) / area, (uu * along_v - uv * along_u) / area];
                (area > 0.0).then_some(weights)
            }
        }
    }

    pub(super) fn over(cell: &Cell, net: &[DVec4]) -> Self {
        Self::of_net(
            &Patch {
                dimension: cell.dimension,
                degrees: cell.degrees,
                center: cell.center,
                radius: cell.radius,
            },
            net,
        )
    }

    /// Of a net within a ball.
    pub(crate) fn of_net(cell: &Patch, net: &[DVec4]) -> Self {
        let mut found = Self::default();
        if cell.dimension == 0 {
            return found;
        }
        let scale = net.len() as f64 / net.iter().map(|p| p.w).sum::<f64>();
        let (least, most) =
            net.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), p| (l.min(p.w * scale), h.max(p.w * scale)));
        let inverse = [1.0 / most, 1.0 / least];
        let coefficients = |orders: [usize; 2]| coefficients(cell, net, scale, orders);
        let reach = cell.radius;
        let magnitude = |[middle, half]: [f64; 2]| f64::abs(middle) + half;
        let first = |orders: [usize; 2]| {
            let (ball, weight) = coefficients(orders);
            (ball.widened(reach * magnitude(weight)).divided(inverse), weight)
        };
        let (u, weight_u) = first([1, 0]);
        let second = |orders: [usize; 2], terms: &[(&Ball, [f64; 2])]| {
            let (ball, weight) = coefficients(orders);
            let sum = terms.iter().fold(ball, |sum, (vector, number)| sum.minus(vector, *number));
            sum.widened(reach * magnitude(weight)).divided(inverse)
        };
        let twice = |[middle, half]: [f64; 2]| [2.0 * middle, 2.0 * half];
        found.first[0] = u;
        found.second[0] = second([2, 0], &[(&u, twice(weight_u))]);
        if cell.dimension == 2 {
            let (v, weight_v) = first([0, 1]);
            found.first[1] = v;
            found.second[1] = second([1, 1], &[(&u, weight_v), (&v, weight_u)]);
            found.second[2] = second([0, 2], &[(&v, twice(weight_v))]);
        }
        // What the coefficients may have lost to rounding, times the largest degree's factors.
        let degree = cell.degrees[0].max(cell.degrees[1]) as f64;
        let lost = DERIVATIVE_ROUNDING_REL * degree * degree * (cell.center.abs().max_element() + reach);
        for ball in found.first.iter_mut().chain(&mut found.second) {
            ball.radius += lost + DERIVATIVE_ROUNDING_REL * ball.center.length();
        }
        found
    }
}

/// The Bernstein coefficients of a derivative of M and W.
fn coefficients(cell: &Patch, net: &[DVec4], scale: f64, orders: [usize; 2]) -> Coefficients {
    let [p, q] = cell.degrees;
    if orders[0] > p || orders[1] > q {
        return (Ball::default(), [0.0; 2]);
    }
    let at = |i: usize, j: usize| {
        let point = net[i * (q + 1) + j];
        ((point.truncate() - cell.center * point.w) * scale).extend(point.w * scale)
    };
    let falling = |degree: usize, order: usize| (0..order).map(|k| (degree - k) as f64).product::<f64>();
    let factor = falling(p, orders[0]) * falling(q, orders[1]);
    let value = |i: usize, j: usize| match orders {
        [1, 0] => at(i + 1, j) - at(i, j),
        [0, 1] => at(i, j + 1) - at(i, j),
        [2, 0] => at(i + 2, j) - 2.0 * at(i + 1, j) + at(i, j),
        [0, 2] => at(i, j + 2) - 2.0 * at(i, j + 1) + at(i, j),
        _ => at(i + 1, j + 1) - at(i + 1, j) - at(i, j + 1) + at(i, j),
    };
    let (rows, columns) = (p + 1 - orders[0], q + 1 - orders[1]);
    let all = || (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let (mut low, mut high) = (DVec4::INFINITY, DVec4::NEG_INFINITY);
    for (i, j) in all() {
        let c = value(i, j);
        (low, high) = (low.min(c), high.max(c));
    }
    let middle = 0.5 * (low + high);
    let square =
        all().fold(0.0_f64, |most, (i, j)| most.max((value(i, j) - middle).truncate().length_squared()));
    let ball = Ball { center: middle.truncate() * factor, radius: square.sqrt() * factor };
    (ball, [middle.w * factor, 0.5 * (high.w - low.w) * factor])
}
