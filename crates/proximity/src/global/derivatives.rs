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
    /// How far it was moved: coordinates of this size went into its rounding.
    pub(crate) far: f64,
}

/// A ball of the coefficients of a derivative, with its weights as a middle and half a width.
type Coefficients = (Ball, [f64; 2]);

impl Derivatives {
    /// As [`steepest`], of the first derivatives.
    pub(crate) fn steepest(&self, dimension: usize, toward: DVec3) -> Option<[f64; 2]> {
        steepest(&self.first, dimension, toward)
    }

    pub(super) fn over(cell: &Cell, net: &[DVec4], far: f64) -> Self {
        Self::of_net(&Patch::of(cell, far), net)
    }

    /// Of a net within a ball.
    pub(crate) fn of_net(patch: &Patch, net: &[DVec4]) -> Self {
        if patch.dimension == 0 {
            return Self::default();
        }
        let slopes = Slopes::new(patch, net);
        Self { first: slopes.rounded(slopes.first), second: slopes.rounded(slopes.second()) }
    }
}

/// Balls around the first derivatives of a cell alone, as [`Derivatives::over`] has them.
pub(super) fn first_over(cell: &Cell, net: &[DVec4], far: f64) -> [Ball; 2] {
    if cell.dimension == 0 {
        return Default::default();
    }
    let patch = Patch::of(cell, far);
    let slopes = Slopes::new(&patch, net);
    slopes.rounded(slopes.first)
}

impl Patch {
    fn of(cell: &Cell, far: f64) -> Self {
        let Cell { dimension, degrees, center, radius, .. } = *cell;
        Self { dimension, degrees, center, radius, far }
    }
}

/// The first derivatives of a net but for rounding, and what the second ones need of them.
struct Slopes<'a> {
    patch: &'a Patch,
    net: &'a [DVec4],
    /// Makes the mean of the weights 1.
    scale: f64,
    /// The range of 1 / W.
    inverse: [f64; 2],
    first: [Ball; 2],
    /// First derivatives of W.
    weights: [[f64; 2]; 2],
}

impl<'a> Slopes<'a> {
    fn new(patch: &'a Patch, net: &'a [DVec4]) -> Self {
        let (mut least, mut most, mut sum) = (f64::INFINITY, 0.0_f64, 0.0);
        for p in net {
            (least, most, sum) = (least.min(p.w), most.max(p.w), sum + p.w);
        }
        let scale = net.len() as f64 / sum;
        let inverse = [1.0 / (most * scale), 1.0 / (least * scale)];
        let mut found =
            Self { patch, net, scale, inverse, first: Default::default(), weights: [[0.0; 2]; 2] };
        for (axis, orders) in [[1, 0], [0, 1]].into_iter().enumerate().take(patch.dimension) {
            let (ball, weight) = coefficients(patch, net, scale, orders);
            found.first[axis] = found.quotient(ball, weight);
            found.weights[axis] = weight;
        }
        found
    }

    /// Second derivatives: uu, uv, vv.
    fn second(&self) -> [Ball; 3] {
        let second = |orders: [usize; 2], axes: [usize; 2]| {
            let (ball, weight) = coefficients(self.patch, self.net, self.scale, orders);
            let [one, other] = axes;
            let less = ball.minus(&self.first[one], self.weights[other]);
            self.quotient(less.minus(&self.first[other], self.weights[one]), weight)
        };
        let mut found = [Ball::default(); 3];
        found[0] = second([2, 0], [0, 0]);
        if self.patch.dimension == 2 {
            (found[1], found[2]) = (second([1, 1], [0, 1]), second([0, 2], [1, 1]));
        }
        found
    }

    /// Less a vector from the middle of the cell to a point of it times a derivative of W, over W.
    fn quotient(&self, ball: Ball, [middle, half]: [f64; 2]) -> Ball {
        ball.widened(self.patch.radius * (middle.abs() + half)).divided(self.inverse)
    }

    /// What the coefficients may have lost to rounding, times the largest degree's factors.
    fn rounded<const N: usize>(&self, balls: [Ball; N]) -> [Ball; N] {
        let Patch { degrees, center, radius, far, .. } = self.patch;
        let degree = degrees[0].max(degrees[1]) as f64;
        let lost = DERIVATIVE_ROUNDING_REL * degree * degree * (center.abs().max_element() + radius + far);
        balls.map(|ball| ball.widened(lost + DERIVATIVE_ROUNDING_REL * ball.center.length()))
    }
}

/// The tangent direction, as weights of the first derivatives, along which a cell of a dimension comes closest to a vector;
/// `None` for points, and where the tangents are parallel.
pub(super) fn steepest([u, v]: &[Ball; 2], dimension: usize, toward: DVec3) -> Option<[f64; 2]> {
    match dimension {
        0 => None,
        1 => Some([u.center.dot(toward).signum(), 0.0]),
        _ => {
            // The inverse of the tangent plane's metric times the slopes.
            let (uu, uv, vv) = (u.center.length_squared(), u.center.dot(v.center), v.center.length_squared());
            let (along_u, along_v) = (u.center.dot(toward), v.center.dot(toward));
            let area = uu * vv - uv * uv;
            let weights = [(vv * along_u - uv * along_v) / area, (uu * along_v - uv * along_u) / area];
            (area > 0.0).then_some(weights)
        }
    }
}

/// The Bernstein coefficients of a derivative of M and W.
fn coefficients(cell: &Patch, net: &[DVec4], scale: f64, orders: [usize; 2]) -> Coefficients {
    let [p, q] = cell.degrees;
    if orders[0] > p || orders[1] > q {
        return (Ball::default(), [0.0; 2]);
    }
    let width = q + 1;
    let size = [p + 1 - orders[0], width - orders[1]];
    let falling = |degree: usize, order: usize| (0..order).map(|k| (degree - k) as f64).product::<f64>();
    let factor = falling(p, orders[0]) * falling(q, orders[1]) * scale;
    let center = cell.center;
    let once = |[a, b]: [DVec4; 2]| b - a;
    let twice = |[a, b, c]: [DVec4; 3]| (c - b) - (b - a);
    let crossed = |[a, b, c, d]: [DVec4; 4]| (d - c) - (b - a);
    match orders {
        [1, 0] => extent(net, width, size, center, [0, width], once),
        [0, 1] => extent(net, width, size, center, [0, 1], once),
        [2, 0] => extent(net, width, size, center, [0, width, 2 * width], twice),
        [0, 2] => extent(net, width, size, center, [0, 1, 2], twice),
        _ => extent(net, width, size, center, [0, 1, width, width + 1], crossed),
    }
    .times(factor)
}

/// What differences of a net reach: a ball around those of M, the range of those of W. Each is made of the points at some
/// offsets from its own place.
#[inline(always)]
fn extent<const N: usize>(
    net: &[DVec4],
    width: usize,
    [rows, columns]: [usize; 2],
    center: DVec3,
    offsets: [usize; N],
    difference: impl Fn([DVec4; N]) -> DVec4,
) -> Reach {
    let at = |place: usize| difference(offsets.map(|offset| net[place + offset]));
    let (mut low, mut high) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
    for row in 0..rows {
        for place in row * width..row * width + columns {
            let d = at(place);
            let m = d - center.extend(0.0) * d.w;
            for (k, value) in m.to_array().into_iter().enumerate() {
                low[k] = if value < low[k] { value } else { low[k] };
                high[k] = if value > high[k] { value } else { high[k] };
            }
        }
    }
    let (low, high) = (DVec4::from(low), DVec4::from(high));
    let middle = (0.5 * (low + high)).truncate();
    let mut square = 0.0;
    for row in 0..rows {
        for place in row * width..row * width + columns {
            let d = at(place);
            let off = (d.truncate() - center * d.w).distance_squared(middle);
            square = if off > square { off } else { square };
        }
    }
    Reach { middle, square, weights: [0.5 * (low.w + high.w), 0.5 * (high.w - low.w)] }
}

/// A ball, by the square of its radius, and a range of weights, by its middle and half its width.
struct Reach {
    middle: DVec3,
    square: f64,
    weights: [f64; 2],
}

impl Reach {
    fn times(self, factor: f64) -> Coefficients {
        let ball = Ball { center: self.middle * factor, radius: self.square.sqrt() * factor };
        (ball, self.weights.map(|w| w * factor))
    }
}
