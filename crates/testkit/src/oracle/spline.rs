//! Splines by de Boor's algorithm over any field: exact rational numbers, and numbers that carry their
//! derivatives. Shares no code with the library.

use glam::DVec4;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::ops::{Add, Div, Mul, Sub};

/// A field.
pub trait Number:
    Clone + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The number that an f64 is.
    fn of(value: f64) -> Self;
    /// The nearest f64, or close to it.
    fn near(&self) -> f64;
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn near(&self) -> f64 {
        *self
    }
}

impl Number for BigRational {
    fn of(value: f64) -> Self {
        Self::from_float(value).unwrap()
    }
    fn near(&self) -> f64 {
        self.to_f64().unwrap()
    }
}

/// `exact − value`, rounded once.
pub fn difference(exact: &BigRational, value: f64) -> f64 {
    let difference = exact - BigRational::of(value);
    if difference.is_zero() { 0.0 } else { difference.to_f64().unwrap() }
}

/// A number with its derivatives by two variables up to the second: value, u, v, uu, uv, vv.
#[derive(Clone)]
pub struct Dual<T>(pub [T; 6]);

impl<T: Number> Dual<T> {
    /// A number that does not change.
    pub fn constant(value: T) -> Self {
        let zero = || T::of(0.0);
        Self([value, zero(), zero(), zero(), zero(), zero()])
    }

    /// The variable u (0) or v (1).
    pub fn variable(value: T, which: usize) -> Self {
        let mut dual = Self::constant(value);
        dual.0[1 + which] = T::of(1.0);
        dual
    }

    fn map(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        let [a, b, c, d, e, g] = self.0;
        let [h, i, j, k, l, m] = other.0;
        Self([f(a, h), f(b, i), f(c, j), f(d, k), f(e, l), f(g, m)])
    }
}

impl Dual<f64> {
    /// A function of this number, from its value and first two derivatives here.
    #[must_use]
    pub fn through(&self, [value, first, second]: [f64; 3]) -> Self {
        let [_, u, v, uu, uv, vv] = self.0;
        Self([
            value,
            first * u,
            first * v,
            second * u * u + first * uu,
            second * u * v + first * uv,
            second * v * v + first * vv,
        ])
    }

    /// Cosine.
    #[must_use]
    pub fn cos(&self) -> Self {
        let (sin, cos) = self.0[0].sin_cos();
        self.through([cos, -sin, -cos])
    }

    /// Sine.
    #[must_use]
    pub fn sin(&self) -> Self {
        let (sin, cos) = self.0[0].sin_cos();
        self.through([sin, cos, -sin])
    }

    /// Hyperbolic cosine.
    #[must_use]
    pub fn cosh(&self) -> Self {
        let x = self.0[0];
        self.through([x.cosh(), x.sinh(), x.cosh()])
    }

    /// Hyperbolic sine.
    #[must_use]
    pub fn sinh(&self) -> Self {
        let x = self.0[0];
        self.through([x.sinh(), x.cosh(), x.sinh()])
    }
}

impl<T: Number> Add for Dual<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.map(other, |a, b| a + b)
    }
}

impl<T: Number> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.map(other, |a, b| a - b)
    }
}

impl<T: Number> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let [a, au, av, auu, auv, avv] = self.0;
        let [b, bu, bv, buu, buv, bvv] = other.0;
        let two = || T::of(2.0);
        let c = |x: &T| x.clone();
        Self([
            c(&a) * c(&b),
            c(&au) * c(&b) + c(&a) * c(&bu),
            c(&av) * c(&b) + c(&a) * c(&bv),
            auu * c(&b) + two() * c(&au) * c(&bu) + c(&a) * buu,
            auv * c(&b) + c(&au) * c(&bv) + c(&av) * c(&bu) + c(&a) * buv,
            avv * c(&b) + two() * av * bv + a * bvv,
        ])
    }
}

impl<T: Number> Div for Dual<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        // 1/b and its derivatives.
        let [b, bu, bv, buu, buv, bvv] = other.0;
        let c = |x: &T| x.clone();
        let i = T::of(1.0) / b;
        let (i2, two) = (c(&i) * c(&i), T::of(2.0));
        let i3 = c(&i2) * c(&i);
        let inverse = Self([
            i,
            T::of(0.0) - c(&bu) * c(&i2),
            T::of(0.0) - c(&bv) * c(&i2),
            c(&two) * c(&bu) * c(&bu) * c(&i3) - buu * c(&i2),
            c(&two) * c(&bu) * c(&bv) * c(&i3) - buv * c(&i2),
            two * c(&bv) * bv * i3 - bvv * i2,
        ]);
        self * inverse
    }
}

impl<T: Number> Number for Dual<T> {
    fn of(value: f64) -> Self {
        Self::constant(T::of(value))
    }
    fn near(&self) -> f64 {
        self.0[0].near()
    }
}

/// The span that `t` lies in, right-continuous, closed at the end of the domain.
pub fn span(degree: usize, knots: &[f64], t: f64) -> usize {
    let n = knots.len() - degree - 1;
    let last = (degree..n).rev().find(|&k| knots[k] < knots[k + 1]).unwrap();
    (degree..last)
        .rev()
        .chain([last])
        .filter(|&k| knots[k] < knots[k + 1])
        .fold(last, |found, k| if k != last && t < knots[k + 1] { k } else { found })
}

/// De Boor's algorithm on one coordinate; `t` lies in the span `k`, on which the `acting` degree + 1 points act.
pub fn de_boor<T: Number>(degree: usize, knots: &[f64], k: usize, acting: &[T], t: &T) -> T {
    let mut d: Vec<T> = acting.to_vec();
    for r in 1..=degree {
        for i in (r..=degree).rev() {
            let low = T::of(knots[i + k - degree]);
            let high = T::of(knots[i + 1 + k - r]);
            let a = (t.clone() - low.clone()) / (high - low);
            d[i] = (T::of(1.0) - a.clone()) * d[i - 1].clone() + a * d[i].clone();
        }
    }
    d[degree].clone()
}

fn lane(p: &DVec4, i: usize) -> f64 {
    p.to_array()[i]
}

/// The point of a rational curve at `t`.
pub fn curve_point<T: Number>(degree: usize, knots: &[f64], points: &[DVec4], t: f64, at: &T) -> [T; 3] {
    let k = span(degree, knots, t);
    let coordinate = |i: usize| {
        let c: Vec<T> = points[k - degree..=k].iter().map(|p| T::of(lane(p, i))).collect();
        de_boor(degree, knots, k, &c, at)
    };
    let w = coordinate(3);
    [0, 1, 2].map(|i| coordinate(i) / w.clone())
}

/// The point of a rational surface at (u, v); the net is row by row.
pub fn surface_point<T: Number>(
    degrees: [usize; 2],
    knots: [&[f64]; 2],
    net: &[DVec4],
    at: [f64; 2],
    parameters: &[T; 2],
) -> [T; 3] {
    let columns = knots[1].len() - degrees[1] - 1;
    let ks = [0, 1].map(|i| span(degrees[i], knots[i], at[i]));
    let coordinate = |i: usize| {
        let rows = net.chunks_exact(columns).skip(ks[0] - degrees[0]).take(degrees[0] + 1).map(|row| {
            let acting = &row[ks[1] - degrees[1]..=ks[1]];
            let c: Vec<T> = acting.iter().map(|p| T::of(lane(p, i))).collect();
            de_boor(degrees[1], knots[1], ks[1], &c, &parameters[1])
        });
        let rows: Vec<T> = rows.collect();
        de_boor(degrees[0], knots[0], ks[0], &rows, &parameters[0])
    };
    let w = coordinate(3);
    [0, 1, 2].map(|i| coordinate(i) / w.clone())
}
