//! Two textbook ways to evaluate a bicubic spline with its derivatives, written plainly: what one would write
//! first, without allocation.

use crate::bicubic::Jet;

const DEGREE: usize = 3;

/// A bicubic spline with equal knots along both parameters; points are (x·w, y·w, z·w, w), row by row.
#[derive(Clone, Debug)]
pub struct Net {
    /// Control points along each parameter.
    pub count: usize,
    /// Knots along each parameter.
    pub knots: Vec<f64>,
    /// Row by row; a row runs along v.
    pub points: Vec<[f64; 4]>,
}

/// A tensor-product spline of any low degrees.
#[derive(Clone, Debug)]
struct Spline {
    degrees: [usize; 2],
    knots: [Vec<f64>; 2],
    columns: usize,
    points: Vec<[f64; 4]>,
}

/// De Boor's algorithm on the surface and on its five derivative surfaces, whose control points are differences.
#[derive(Clone, Debug)]
pub struct DeBoor {
    splines: [Spline; 6],
}

impl DeBoor {
    /// Prepares the control points of the derivatives.
    pub fn new(net: &Net) -> Self {
        let s = Spline {
            degrees: [DEGREE; 2],
            knots: [net.knots.clone(), net.knots.clone()],
            columns: net.count,
            points: net.points.clone(),
        };
        let (u, v) = (s.derivative(0), s.derivative(1));
        let (uu, uv, vv) = (u.derivative(0), u.derivative(1), v.derivative(1));
        Self { splines: [s, u, v, uu, uv, vv] }
    }

    /// Point and derivatives.
    pub fn jet(&self, u: f64, v: f64) -> Jet {
        quotient(self.splines.each_ref().map(|spline| spline.value(u, v)))
    }
}

impl Spline {
    fn derivative(&self, along: usize) -> Self {
        let p = self.degrees[along];
        let rows = self.points.len() / self.columns;
        let counts = [rows, self.columns];
        let knots = &self.knots[along];
        let at = |i: usize, j: usize| self.points[i * self.columns + j];
        let mut degrees = self.degrees;
        degrees[along] -= 1;
        let mut new_counts = counts;
        new_counts[along] -= 1;
        let mut points = Vec::new();
        for i in 0..new_counts[0] {
            for j in 0..new_counts[1] {
                let (next, k) = if along == 0 { (at(i + 1, j), i) } else { (at(i, j + 1), j) };
                let here = at(i, j);
                let factor = p as f64 / (knots[k + p + 1] - knots[k + 1]);
                points.push([0, 1, 2, 3].map(|x| factor * (next[x] - here[x])));
            }
        }
        let mut all = self.knots.clone();
        all[along] = knots[1..knots.len() - 1].to_vec();
        Self { degrees, knots: all, columns: new_counts[1], points }
    }

    fn value(&self, u: f64, v: f64) -> [f64; 4] {
        let [p, q] = self.degrees;
        let (k, l) = (span(&self.knots[0], p, u), span(&self.knots[1], q, v));
        let mut rows = [[0.0; 4]; DEGREE + 1];
        for (i, row) in rows.iter_mut().take(p + 1).enumerate() {
            let start = (k - p + i) * self.columns + l - q;
            *row = de_boor(&self.knots[1], q, l, v, &self.points[start..=start + q]);
        }
        de_boor(&self.knots[0], p, k, u, &rows[..=p])
    }
}

fn span(knots: &[f64], degree: usize, t: f64) -> usize {
    let inner = &knots[degree + 1..knots.len() - degree - 1];
    degree + inner.partition_point(|&knot| knot <= t)
}

fn de_boor(knots: &[f64], p: usize, k: usize, t: f64, points: &[[f64; 4]]) -> [f64; 4] {
    let mut d = [[0.0; 4]; DEGREE + 1];
    d[..=p].copy_from_slice(points);
    for r in 1..=p {
        for i in (r..=p).rev() {
            let low = knots[i + k - p];
            let a = (t - low) / (knots[i + 1 + k - r] - low);
            d[i] = [0, 1, 2, 3].map(|x| (1.0 - a) * d[i - 1][x] + a * d[i][x]);
        }
    }
    d[p]
}

/// Cox–de Boor basis functions with their derivatives, then one sum over the 16 points.
#[derive(Clone, Debug)]
pub struct BasisFunctions {
    net: Net,
}

impl BasisFunctions {
    /// Takes the net as it is.
    pub fn new(net: &Net) -> Self {
        Self { net: net.clone() }
    }

    /// Point and derivatives.
    #[allow(clippy::needless_range_loop, reason = "the tables have the derivative as their first index")]
    pub fn jet(&self, u: f64, v: f64) -> Jet {
        let knots = &self.net.knots;
        let (k, l) = (span(knots, DEGREE, u), span(knots, DEGREE, v));
        let (bu, bv) = (basis(knots, k, u), basis(knots, l, v));
        let mut sums = [[0.0; 4]; 6];
        for i in 0..=DEGREE {
            for j in 0..=DEGREE {
                let point = self.net.points[(k - DEGREE + i) * self.net.count + l - DEGREE + j];
                let factors = [
                    bu[0][i] * bv[0][j],
                    bu[1][i] * bv[0][j],
                    bu[0][i] * bv[1][j],
                    bu[2][i] * bv[0][j],
                    bu[1][i] * bv[1][j],
                    bu[0][i] * bv[2][j],
                ];
                for (sum, factor) in sums.iter_mut().zip(factors) {
                    for x in 0..4 {
                        sum[x] += factor * point[x];
                    }
                }
            }
        }
        quotient(sums)
    }
}

/// The four cubic basis functions of a span with first and second derivatives.
fn basis(knots: &[f64], k: usize, t: f64) -> [[f64; DEGREE + 1]; 3] {
    // lower[d] holds the functions of degree d that live on the span, right-aligned.
    let mut lower = [[0.0; DEGREE + 1]; DEGREE + 1];
    lower[0][0] = 1.0;
    for d in 1..=DEGREE {
        for i in 0..=d {
            let first = k + i - d;
            let left = if i > 0 { lower[d - 1][i - 1] / (knots[first + d] - knots[first]) } else { 0.0 };
            let right = if i < d { lower[d - 1][i] / (knots[first + d + 1] - knots[first + 1]) } else { 0.0 };
            lower[d][i] = (t - knots[first]) * left + (knots[first + d + 1] - t) * right;
        }
    }
    let derive = |from: &[f64; DEGREE + 1], d: usize| {
        let mut out = [0.0; DEGREE + 1];
        for (i, out) in out.iter_mut().take(d + 1).enumerate() {
            let first = k + i - d;
            let left = if i > 0 { from[i - 1] / (knots[first + d] - knots[first]) } else { 0.0 };
            let right = if i < d { from[i] / (knots[first + d + 1] - knots[first + 1]) } else { 0.0 };
            *out = d as f64 * (left - right);
        }
        out
    };
    let first = derive(&lower[DEGREE - 1], DEGREE);
    let second = derive(&derive(&lower[DEGREE - 2], DEGREE - 1), DEGREE);
    [lower[DEGREE], first, second]
}

/// From homogeneous derivatives to derivatives in space.
fn quotient(h: [[f64; 4]; 6]) -> Jet {
    let over = 1.0 / h[0][3];
    let mut jet = [[0.0; 3]; 6];
    for x in 0..3 {
        let point = h[0][x] * over;
        let u = (h[1][x] - point * h[1][3]) * over;
        let v = (h[2][x] - point * h[2][3]) * over;
        jet[0][x] = point;
        jet[1][x] = u;
        jet[2][x] = v;
        jet[3][x] = (h[3][x] - 2.0 * u * h[1][3] - point * h[3][3]) * over;
        jet[4][x] = (h[4][x] - u * h[2][3] - v * h[1][3] - point * h[4][3]) * over;
        jet[5][x] = (h[5][x] - 2.0 * v * h[2][3] - point * h[5][3]) * over;
    }
    jet
}
