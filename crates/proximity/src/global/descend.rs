//! The nearest points of two cells, found locally.
//!
//! Source: Newton's method on half the squared distance, on the parameters that are not held at an end (004; active set).
//! Differs: where the second derivatives make no descent, a growing share of the Gauss–Newton metric is added
//! (Levenberg–Marquardt); every step is halved until it lowers the distance; a parameter that moves no point, as the angle at
//! an apex, is held, and so is one at an end that a step would leave, though its slope leads back.
//! Ends because: accepted steps lower the distance, and at most [`STEPS`] of them leave more than a quarter of its square.
//! Cost: two evaluations and a small Cholesky factorisation per step; three to five steps near a minimum.
//! Not promised: the least of several minima.

use crate::tolerance::{COLLAPSED_METRIC_REL, DESCENT_GAIN_REL, LEVENBERG_REL};
use clearance_geometry::surface::SurfaceJet;
use clearance_geometry::{DVec2, DVec3};

/// Newton steps that gain little.
const STEPS: u32 = 24;

/// What a step leaves of the squared distance if it gains more than little. Toward a point where bodies touch along a common
/// tangent plane each step leaves a fifth, however long it goes on.
const GOOD_STEP: f64 = 0.25;

/// A descent with a goal goes on while so many times what a step promises at first would lead to it; near a minimum a step
/// gains half of that.
const HOPEFUL: f64 = 2.0;

/// Halvings of a step.
const HALVINGS: u32 = 12;

/// Times the metric is strengthened.
const STRENGTHENINGS: usize = 12;

/// Parameters of both cells: u, v of A, then u, v of B.
pub(crate) type Parameters = [f64; 4];

/// A function from parameters to a jet.
pub(crate) trait Shape {
    fn jet(&self, local: DVec2) -> SurfaceJet;
}

/// Half the squared distance at a pair of points, with its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Value {
    pub(crate) at: Parameters,
    pub(crate) points: [DVec3; 2],
    pub(crate) half_square: f64,
    pub(crate) gradient: [f64; 4],
    pub(crate) hessian: [[f64; 4]; 4],
    pub(crate) metric: [f64; 4],
}

impl Value {
    /// The distance of both points.
    pub(crate) fn distance(&self) -> f64 {
        (2.0 * self.half_square).sqrt()
    }

    pub(crate) fn at(a: &impl Shape, b: &impl Shape, at: Parameters) -> Self {
        Self::of_jets(&a.jet(DVec2::new(at[0], at[1])), &b.jet(DVec2::new(at[2], at[3])), at)
    }

    /// From the jets of both shapes at these parameters.
    pub(crate) fn of_jets(f: &SurfaceJet, g: &SurfaceJet, at: Parameters) -> Self {
        let r = g.point - f.point;
        let tangents = [-f.u, -f.v, g.u, g.v];
        let mut hessian = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in i..4 {
                hessian[i][j] = tangents[i].dot(tangents[j]);
            }
        }
        let metric = [hessian[0][0], hessian[1][1], hessian[2][2], hessian[3][3]];
        hessian[0][0] -= r.dot(f.uu);
        hessian[0][1] -= r.dot(f.uv);
        hessian[1][1] -= r.dot(f.vv);
        hessian[2][2] += r.dot(g.uu);
        hessian[2][3] += r.dot(g.uv);
        hessian[3][3] += r.dot(g.vv);
        Self {
            at,
            points: [f.point, g.point],
            half_square: 0.5 * r.length_squared(),
            gradient: [tangents[0].dot(r), tangents[1].dot(r), tangents[2].dot(r), tangents[3].dot(r)],
            hessian,
            metric,
        }
    }
}

impl Value {
    /// What half the squared distance may lose to rounding, of itself and of the points' coordinates.
    fn rounding(&self) -> f64 {
        let [p, q] = self.points.map(|point| point.abs().max_element());
        DESCENT_GAIN_REL * (self.half_square + self.distance() * p.max(q))
    }

    /// The slope of the distance in space along the parameters that count, times the distance.
    pub(super) fn steepness(&self, counts: Parameters) -> f64 {
        let along = |i: usize| {
            if counts[i] > 0.0 {
                self.gradient[i].abs() / self.metric[i].sqrt().max(f64::MIN_POSITIVE)
            } else {
                0.0
            }
        };
        (0..4).map(along).fold(0.0, f64::max)
    }
}

/// The box of parameters that a search may not leave; a parameter that does not count has width zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: Parameters,
    pub(crate) high: Parameters,
}

impl Bounds {
    /// All of two cells of these dimensions: 0 to 1 for the parameters that they have.
    pub(crate) fn whole(dimensions: [usize; 2]) -> Self {
        let high = [0, 1, 2, 3].map(|i: usize| f64::from(u8::from(dimensions[i / 2] > i % 2)));
        Self { low: [0.0; 4], high }
    }

    /// The nearest parameters within them.
    pub(crate) fn clamped(&self, x: Parameters) -> Parameters {
        let mut within = x;
        for i in 0..4 {
            // Written so that NaN becomes the low end.
            let above = if x[i] > self.low[i] { x[i] } else { self.low[i] };
            within[i] = if above < self.high[i] { above } else { self.high[i] };
        }
        within
    }

    /// The parameters that are not held at an end by their slope.
    pub(crate) fn free(&self, value: &Value) -> [bool; 4] {
        let mut free = [false; 4];
        for (i, free) in free.iter_mut().enumerate() {
            *free = self.is_free(i, value.at[i], value.gradient[i]);
        }
        free
    }

    /// Whether one of them is not, at a place with a slope.
    #[inline]
    pub(crate) fn is_free(&self, i: usize, at: f64, slope: f64) -> bool {
        self.low[i] < self.high[i]
            && !(at <= self.low[i] && slope >= 0.0)
            && !(at >= self.high[i] && slope <= 0.0)
    }

    /// A parameter at an end that a step leaves there.
    #[inline]
    fn left_at_once(&self, from: &Parameters, step: &Parameters) -> Option<usize> {
        (0..4).find(|&i| step[i] < 0.0 && from[i] <= self.low[i] || step[i] > 0.0 && from[i] >= self.high[i])
    }

    /// Where a step from within them first meets an end, and its share until then; `None` where it meets none.
    fn first_end(&self, from: &Parameters, step: &Parameters) -> Option<(f64, Parameters)> {
        let mut first: Option<(f64, usize, f64)> = None;
        for i in 0..4 {
            let end = if step[i] < 0.0 { self.low[i] } else { self.high[i] };
            let share = (end - from[i]) / step[i];
            if share < first.map_or(1.0, |(least, ..)| least) {
                first = Some((share, i, end));
            }
        }
        let (share, i, end) = first?;
        let mut x = self.clamped(along(from, step, share));
        x[i] = end;
        Some((share, x))
    }

    /// The middle of them.
    pub(crate) fn middle(&self) -> [f64; 4] {
        [0, 1, 2, 3].map(|i| 0.5 * (self.low[i] + self.high[i]))
    }
}

/// Descends from `start` within `bounds`; counts steps in `work`.
pub(crate) fn descend(
    a: &impl Shape,
    b: &impl Shape,
    start: Parameters,
    bounds: &Bounds,
    work: &mut u32,
) -> Value {
    descend_below(a, b, start, bounds, f64::INFINITY, work)
}

/// As [`descend`], as long as half the squared distance may come below `goal`: not where a step's slope promises less than
/// half of what is missing.
pub(crate) fn descend_below(
    a: &impl Shape,
    b: &impl Shape,
    start: Parameters,
    bounds: &Bounds,
    goal: f64,
    work: &mut u32,
) -> Value {
    let clamped = |x: Parameters| bounds.clamped(x);
    let mut here = Value::at(a, b, clamped(start));
    let mut left = STEPS;
    while left > 0 {
        *work += 1;
        let mut free = bounds.free(&here);
        let Some(mut step) = newton_step(&here, free) else { return here };
        // The slope of a parameter may lead back from its end while the step leads out there, because the others move as well. Cut
        // off alone, such a step may lead up however short it is: those that stay take theirs without it.
        while let Some(i) = bounds.left_at_once(&here.at, &step) {
            free[i] = false;
            match newton_step(&here, free) {
                Some(rest) => step = rest,
                None => step[i] = 0.0,
            }
        }
        let rounding = here.rounding();
        let gain = |x: &Parameters| {
            let along = |i: usize| here.gradient[i] * (here.at[i] - x[i]);
            along(0) + along(1) + along(2) + along(3)
        };
        if HOPEFUL * gain(&clamped(along(&here.at, &step, 1.0))) < here.half_square - goal {
            return here;
        }
        let mut share = 1.0;
        let mut x = clamped(along(&here.at, &step, share));
        let mut next = None;
        for _ in 0..HALVINGS {
            if gain(&x) > rounding {
                let there = Value::at(a, b, x);
                if there.half_square < here.half_square {
                    next = Some(there);
                    break;
                }
            } else if share < 1.0 {
                break;
            }
            // Where features nearly touch, a step with one parameter stopped at an end may lead up; it ends there first.
            (share, x) = match bounds.first_end(&here.at, &step) {
                Some(end) if share == 1.0 => end,
                _ => (0.5 * share, clamped(along(&here.at, &step, 0.5 * share))),
            };
        }
        let Some(there) = next else {
            // No gain to be had: take the whole step if it makes the gradient smaller, which costs nothing.
            let x = clamped(along(&here.at, &step, 1.0));
            let there = Value::at(a, b, x);
            let steep = |value: &Value| {
                (0..4)
                    .filter(|&i| free[i])
                    .map(|i| value.gradient[i].powi(2) / value.metric[i].max(f64::MIN_POSITIVE))
                    .sum::<f64>()
            };
            let close = there.half_square <= here.half_square + rounding;
            return if close && steep(&there) < steep(&here) { there } else { here };
        };
        // Written so that NaN counts as little.
        let good = there.half_square <= GOOD_STEP * here.half_square && there.half_square > 0.0;
        left -= u32::from(!good);
        here = there;
    }
    here
}

/// A share of a step from somewhere.
fn along(from: &Parameters, step: &Parameters, share: f64) -> Parameters {
    let mut x = *from;
    for i in 0..4 {
        x[i] += share * step[i];
    }
    x
}

/// A step that descends along the free parameters; `None` where the gradient vanishes along them.
pub(crate) fn newton_step(value: &Value, mut free: [bool; 4]) -> Option<Parameters> {
    let mut rhs = [0.0; 4];
    for i in 0..4 {
        // A parameter that moves no point leaves the matrix without a pivot, whatever is added of its metric.
        free[i] &= value.metric[i] > COLLAPSED_METRIC_REL * value.metric[i ^ 1];
        rhs[i] = if free[i] { -value.gradient[i] } else { 0.0 };
    }
    if rhs.iter().all(|x| *x == 0.0) {
        return None;
    }
    let mut share = 0.0;
    for _ in 0..STRENGTHENINGS {
        let mut matrix = value.hessian;
        for i in 0..4 {
            matrix[i][i] += share * value.metric[i];
            if !free[i] {
                for j in 0..4 {
                    matrix[i.min(j)][i.max(j)] = 0.0;
                }
                matrix[i][i] = 1.0;
            }
        }
        if let Some(factor) = Cholesky::new(&matrix, LEVENBERG_REL) {
            return Some(factor.solve(rhs));
        }
        share = if share == 0.0 { 1.0 / 64.0 } else { 4.0 * share };
    }
    // Down the slope, each parameter in its own measure.
    Some([0, 1, 2, 3].map(|i| if value.metric[i] > 0.0 { rhs[i] / value.metric[i] } else { 0.0 }))
}

/// A Cholesky factor of a symmetric matrix, given by its upper half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cholesky {
    pub(crate) lower: [[f64; 4]; 4],
}

impl Cholesky {
    /// `None` where a pivot is not above a share of its diagonal entry.
    pub(crate) fn new(upper: &[[f64; 4]; 4], least: f64) -> Option<Self> {
        // Written out: loops within loops of four are not always unrolled.
        let [u0, u1, u2, u3] = upper;
        let pivot = |rest: f64, whole: f64| (rest > least * whole.abs() && rest > 0.0).then(|| rest.sqrt());
        let l00 = pivot(u0[0], u0[0])?;
        let l10 = u0[1] / l00;
        let l11 = pivot(u1[1] - l10 * l10, u1[1])?;
        let l20 = u0[2] / l00;
        let l21 = (u1[2] - l20 * l10) / l11;
        let l22 = pivot(u2[2] - (l20 * l20 + l21 * l21), u2[2])?;
        let l30 = u0[3] / l00;
        let l31 = (u1[3] - l30 * l10) / l11;
        let l32 = (u2[3] - (l30 * l20 + l31 * l21)) / l22;
        let l33 = pivot(u3[3] - (l30 * l30 + l31 * l31 + l32 * l32), u3[3])?;
        let lower = [[l00, 0.0, 0.0, 0.0], [l10, l11, 0.0, 0.0], [l20, l21, l22, 0.0], [l30, l31, l32, l33]];
        Some(Self { lower })
    }

    pub(crate) fn solve(&self, rhs: Parameters) -> Parameters {
        let [l0, l1, l2, l3] = &self.lower;
        let y0 = rhs[0] / l0[0];
        let y1 = (rhs[1] - l1[0] * y0) / l1[1];
        let y2 = (rhs[2] - (l2[0] * y0 + l2[1] * y1)) / l2[2];
        let y3 = (rhs[3] - (l3[0] * y0 + l3[1] * y1 + l3[2] * y2)) / l3[3];
        let x3 = y3 / l3[3];
        let x2 = (y2 - l3[2] * x3) / l2[2];
        let x1 = (y1 - (l2[1] * x2 + l3[1] * x3)) / l1[1];
        let x0 = (y0 - (l1[0] * x1 + l2[0] * x2 + l3[0] * x3)) / l0[0];
        [x0, x1, x2, x3]
    }
}
