//! Bounds on the derivatives of a cell, as balls of vectors.
//!
//! Source: differences of Bernstein coefficients; S − c = M / W with M = N − c W for a point c of the cell, so that
//! S_u = (M_u − (S − c) W_u) / W, and on in the same way.
//! Differs: every term of a rational patch is centred on the cell, so that its balls shrink as those of a polynomial one.
//! Ends because: loops run over control points.
//! Cost: five passes over the control points; nine with third derivatives.
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
        self.dot_of_lengths(self.center.length(), other, other.center.length())
    }

    /// The same where the lengths of both middles are known.
    #[inline]
    pub(super) fn dot_of_lengths(&self, own: f64, other: &Self, others: f64) -> [f64; 2] {
        let off = own * other.radius + others * self.radius + self.radius * other.radius;
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

    /// Of a cell whose first derivatives are known.
    pub(super) fn over(cell: &Cell, net: &[DVec4], far: f64, slopes: &Slopes) -> Self {
        if cell.dimension == 0 {
            return Self::default();
        }
        slopes.with_second(&Patch::of(cell, far), net)
    }

    /// Of a net within a ball.
    pub(crate) fn of_net(patch: &Patch, net: &[DVec4]) -> Self {
        if patch.dimension == 0 {
            return Self::default();
        }
        Slopes::new(patch, net).with_second(patch, net)
    }
}

impl Patch {
    pub(super) fn of(cell: &Cell, far: f64) -> Self {
        let Cell { dimension, degrees, center, radius, .. } = *cell;
        Self { dimension, degrees, center, radius, far }
    }

    /// What the coefficients may have lost to rounding, times the largest degree's factors.
    fn rounded(&self, ball: Ball) -> Ball {
        let degree = self.degrees[0].max(self.degrees[1]) as f64;
        let reach = self.center.abs().max_element() + self.radius + self.far;
        let lost = DERIVATIVE_ROUNDING_REL * degree * degree * reach;
        ball.widened(lost + DERIVATIVE_ROUNDING_REL * ball.center.length())
    }
}

/// The first derivatives of a net but for rounding, and what the second ones need of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slopes {
    /// Makes the mean of the weights 1.
    scale: f64,
    /// The range of 1 / W.
    inverse: [f64; 2],
    /// Whether all weights are 1.
    is_polynomial: bool,
    first: [Ball; 2],
    /// First derivatives of W.
    weights: [[f64; 2]; 2],
}

impl Slopes {
    pub(super) fn new(patch: &Patch, net: &[DVec4]) -> Self {
        if patch.dimension == 0 {
            return Self::default();
        }
        let (mut least, mut most, mut sum) = (f64::INFINITY, 0.0_f64, 0.0);
        for p in net {
            least = if p.w < least { p.w } else { least };
            most = if p.w > most { p.w } else { most };
            sum += p.w;
        }
        let scale = net.len() as f64 / sum;
        let inverse = [1.0 / (most * scale), 1.0 / (least * scale)];
        let is_polynomial = least == 1.0 && most == 1.0;
        let mut found = Self { scale, inverse, is_polynomial, ..Self::default() };
        for axis in 0..patch.dimension {
            let (ball, weight) = found.coefficients(patch, net, [1 - axis, axis]);
            found.first[axis] = found.quotient(patch, ball, weight);
            found.weights[axis] = weight;
        }
        found
    }

    /// The first derivatives.
    pub(super) fn rounded(&self, patch: &Patch) -> [Ball; 2] {
        if patch.dimension == 0 {
            return Default::default();
        }
        [patch.rounded(self.first[0]), patch.rounded(self.first[1])]
    }

    /// First and second derivatives.
    pub(super) fn with_second(&self, patch: &Patch, net: &[DVec4]) -> Derivatives {
        if patch.dimension == 0 {
            return Derivatives::default();
        }
        Derivatives { first: self.rounded(patch), second: self.second(patch, net).0 }
    }

    /// First, second and third derivatives: uuu, uuv, uvv, vvv.
    pub(super) fn with_third(&self, patch: &Patch, net: &[DVec4]) -> (Derivatives, [Ball; 4]) {
        if patch.dimension == 0 {
            return Default::default();
        }
        let (second, weights) = self.second(patch, net);
        let ([u, v], [w_u, w_v]) = (&self.first, self.weights);
        let ([uu, uv, vv], [w_uu, w_uv, w_vv]) = (&second, weights);
        let third = |orders: [usize; 2], terms: [(&Ball, [f64; 2]); 5]| {
            let (ball, weight) = self.coefficients(patch, net, orders);
            let found = if self.is_polynomial {
                ball
            } else {
                self.quotient(patch, terms.iter().fold(ball, |less, (ball, w)| less.minus(ball, *w)), weight)
            };
            // Differences of one more order lose as much again for each of the degree's factors.
            let rounded = patch.rounded(found);
            let degree = patch.degrees[0].max(patch.degrees[1]) as f64;
            Ball { radius: found.radius + degree * (rounded.radius - found.radius), ..found }
        };
        let double = |[middle, half]: [f64; 2]| [2.0 * middle, 2.0 * half];
        let triple = |[middle, half]: [f64; 2]| [3.0 * middle, 3.0 * half];
        let none = (&Ball::default(), [0.0; 2]);
        let mut found = [Ball::default(); 4];
        found[0] = third([3, 0], [(uu, triple(w_u)), (u, triple(w_uu)), none, none, none]);
        if patch.dimension == 2 {
            let mixed = [(uv, double(w_u)), (uu, w_v), (u, double(w_uv)), (v, w_uu), none];
            found[1] = third([2, 1], mixed);
            let mixed = [(uv, double(w_v)), (vv, w_u), (v, double(w_uv)), (u, w_vv), none];
            found[2] = third([1, 2], mixed);
            found[3] = third([0, 3], [(vv, triple(w_v)), (v, triple(w_vv)), none, none, none]);
        }
        (Derivatives { first: self.rounded(patch), second }, found)
    }

    /// The second derivatives, and those of W.
    fn second(&self, patch: &Patch, net: &[DVec4]) -> ([Ball; 3], [[f64; 2]; 3]) {
        let second = |orders: [usize; 2], one: usize, other: usize| {
            let (ball, weight) = self.coefficients(patch, net, orders);
            if self.is_polynomial {
                return (patch.rounded(ball), weight);
            }
            let less = ball.minus(&self.first[one], self.weights[other]);
            let less = less.minus(&self.first[other], self.weights[one]);
            (patch.rounded(self.quotient(patch, less, weight)), weight)
        };
        let none = (patch.rounded(Ball::default()), [0.0; 2]);
        let uu = second([2, 0], 0, 0);
        let (uv, vv) =
            if patch.dimension == 2 { (second([1, 1], 0, 1), second([0, 2], 1, 1)) } else { (none, none) };
        ([uu.0, uv.0, vv.0], [uu.1, uv.1, vv.1])
    }

    fn coefficients(&self, patch: &Patch, net: &[DVec4], orders: [usize; 2]) -> Coefficients {
        if self.is_polynomial {
            coefficients::<true>(patch, net, 1.0, orders)
        } else {
            coefficients::<false>(patch, net, self.scale, orders)
        }
    }

    /// Less a vector from the middle of the cell to a point of it times a derivative of W, over W.
    fn quotient(&self, patch: &Patch, ball: Ball, [middle, half]: [f64; 2]) -> Ball {
        if self.is_polynomial {
            return ball;
        }
        ball.widened(patch.radius * (middle.abs() + half)).divided(self.inverse)
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

/// The Bernstein coefficients of a derivative of M and W; of one whose weights are all 1, those of M alone.
fn coefficients<const POLYNOMIAL: bool>(
    cell: &Patch,
    net: &[DVec4],
    scale: f64,
    orders: [usize; 2],
) -> Coefficients {
    let [p, q] = cell.degrees;
    if orders[0] > p || orders[1] > q {
        return (Ball::default(), [0.0; 2]);
    }
    let width = q + 1;
    let size = [p + 1 - orders[0], width - orders[1], width];
    let falling = |degree: usize, order: usize| match order {
        0 => 1.0,
        1 => degree as f64,
        2 => (degree * (degree - 1)) as f64,
        _ => (degree * (degree - 1) * (degree - 2)) as f64,
    };
    let factor = falling(p, orders[0]) * falling(q, orders[1]) * scale;
    let center = cell.center;
    let w = width;
    match orders {
        [1, 0] => extent::<POLYNOMIAL, 2>(net, [0, w], size, center, |[a, b]| b - a),
        [0, 1] => extent::<POLYNOMIAL, 2>(net, [0, 1], size, center, |[a, b]| b - a),
        [2, 0] => extent::<POLYNOMIAL, 3>(net, [0, w, 2 * w], size, center, second),
        [0, 2] => extent::<POLYNOMIAL, 3>(net, [0, 1, 2], size, center, second),
        [1, 1] => {
            extent::<POLYNOMIAL, 4>(net, [0, 1, w, w + 1], size, center, |[a, b, c, d]| (d - c) - (b - a))
        }
        // Third ones: three along one parameter, or two along one and one along the other.
        [3, 0] => extent::<POLYNOMIAL, 6>(net, thrice([w, w]), size, center, third),
        [0, 3] => extent::<POLYNOMIAL, 6>(net, thrice([1, 1]), size, center, third),
        [2, 1] => extent::<POLYNOMIAL, 6>(net, thrice([w, 1]), size, center, third),
        _ => extent::<POLYNOMIAL, 6>(net, thrice([1, w]), size, center, third),
    }
    .times(factor)
}

/// The difference of two differences.
#[inline(always)]
fn second([a, b, c]: [DVec4; 3]) -> DVec4 {
    (c - b) - (b - a)
}

/// Where the points are whose difference is taken twice along one stride and once along another.
fn thrice([step, last]: [usize; 2]) -> [usize; 6] {
    [0, step, 2 * step, last, last + step, last + 2 * step]
}

#[inline(always)]
fn third([a, b, c, d, e, f]: [DVec4; 6]) -> DVec4 {
    second([d, e, f]) - second([a, b, c])
}

/// Most differences that are kept between two looks at them; of higher degrees they are taken twice.
const MOST_DIFFERENCES: usize = 16;

/// What differences of a net reach, rows and columns of them: a ball around those of M, the range of those of W. Each is of
/// the points at some places from its own on; the last of `size` is the row's length in the net.
#[inline(always)]
fn extent<const POLYNOMIAL: bool, const TAPS: usize>(
    net: &[DVec4],
    places: [usize; TAPS],
    [rows, columns, width]: [usize; 3],
    center: DVec3,
    difference: impl Fn([DVec4; TAPS]) -> DVec4,
) -> Reach {
    // The last lane is that of the weights, which no center is taken off.
    let center = center.extend(0.0);
    let less = |d: DVec4| if POLYNOMIAL { d } else { d - center * d.w };
    // Loops over arrays: closures over them are not always made one with what is around.
    let taps = |row: usize| {
        let mut rows = [net; TAPS];
        for k in 0..TAPS {
            rows[k] = &net[row * width + places[k]..][..columns];
        }
        rows
    };
    let at = |taps: &[&[DVec4]; TAPS], column: usize| {
        let mut points = [DVec4::ZERO; TAPS];
        for k in 0..TAPS {
            points[k] = taps[k][column];
        }
        less(difference(points))
    };
    let mut kept = [DVec4::ZERO; MOST_DIFFERENCES];
    let (mut low, mut high) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
    let mut count = 0;
    for row in 0..rows {
        let taps = taps(row);
        for column in 0..columns {
            let m = at(&taps, column);
            let lanes = m.to_array();
            for k in 0..4 {
                low[k] = if lanes[k] < low[k] { lanes[k] } else { low[k] };
                high[k] = if lanes[k] > high[k] { lanes[k] } else { high[k] };
            }
            if let Some(entry) = kept.get_mut(count) {
                *entry = m;
            }
            count += 1;
        }
    }
    let (low, high) = (DVec4::from_array(low), DVec4::from_array(high));
    let middle = 0.5 * (low + high);
    let mut square = 0.0;
    let mut add = |m: &DVec4| {
        let off = m.truncate().distance_squared(middle.truncate());
        square = if off > square { off } else { square };
    };
    if count <= MOST_DIFFERENCES {
        kept[..count].iter().for_each(add);
    } else {
        for row in 0..rows {
            let taps = taps(row);
            (0..columns).for_each(|column| add(&at(&taps, column)));
        }
    }
    let weights = if POLYNOMIAL { [0.0; 2] } else { [middle.w, 0.5 * (high.w - low.w)] };
    Reach { middle: middle.truncate(), square, weights }
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
