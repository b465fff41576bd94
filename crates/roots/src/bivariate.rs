//! Polynomials in two variables.
//!
//! Source: dense coefficients over a triangle (total degree) or a rectangle (a degree for each variable).
//! Differs: nothing.
//! Ends because: loops run over coefficients.
//! Cost: O(coefficients) for a value, their product for a product.
//! Not promised: anything about coefficients that should cancel.

/// Which powers s^i t^j a polynomial may have; also the projective plane, or the product of two projective lines, on
/// which its zeros at infinity are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// i + j up to this.
    Total(usize),
    /// i up to the first, j up to the second.
    Box(usize, usize),
}

impl Shape {
    /// Number of powers.
    pub const fn count(self) -> usize {
        match self {
            Self::Total(d) => (d + 1) * (d + 2) / 2,
            Self::Box(a, b) => (a + 1) * (b + 1),
        }
    }

    /// Where the coefficient of s^i t^j stands.
    pub const fn index(self, i: usize, j: usize) -> usize {
        match self {
            Self::Total(_) => (i + j) * (i + j + 1) / 2 + j,
            Self::Box(_, b) => i * (b + 1) + j,
        }
    }

    /// All powers, in the order of their indices.
    pub fn powers(self) -> Vec<(usize, usize)> {
        match self {
            Self::Total(d) => (0..=d).flat_map(|n| (0..=n).map(move |j| (n - j, j))).collect(),
            Self::Box(a, b) => (0..=a).flat_map(|i| (0..=b).map(move |j| (i, j))).collect(),
        }
    }

    /// The shape of a product; none for shapes of different kinds.
    pub const fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Total(a), Self::Total(b)) => Some(Self::Total(a + b)),
            (Self::Box(a, b), Self::Box(c, d)) => Some(Self::Box(a + c, b + d)),
            _ => None,
        }
    }

    /// What a polynomial of shape `other` must be multiplied with to reach this shape; none if it does not fit.
    pub const fn minus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Total(a), Self::Total(b)) if a >= b => Some(Self::Total(a - b)),
            (Self::Box(a, b), Self::Box(c, d)) if a >= c && b >= d => Some(Self::Box(a - c, b - d)),
            _ => None,
        }
    }
}

/// A polynomial in s and t.
#[derive(Clone, Debug, PartialEq)]
pub struct Bivariate {
    shape: Shape,
    coefficients: Vec<f64>,
}

impl Bivariate {
    /// Zero.
    pub fn zero(shape: Shape) -> Self {
        Self { shape, coefficients: vec![0.0; shape.count()] }
    }

    /// From the coefficient of each s^i t^j.
    ///
    /// ```
    /// use clearance_roots::{Bivariate, Shape};
    /// let circle = Bivariate::from_fn(Shape::Total(2), |i, j| match (i, j) {
    ///     (2, 0) | (0, 2) => 1.0,
    ///     (0, 0) => -1.0,
    ///     _ => 0.0,
    /// });
    /// assert_eq!(circle.jet(3.0, 4.0), [24.0, 6.0, 8.0]);
    /// ```
    pub fn from_fn(shape: Shape, coefficient: impl Fn(usize, usize) -> f64) -> Self {
        Self { shape, coefficients: shape.powers().into_iter().map(|(i, j)| coefficient(i, j)).collect() }
    }

    /// Which powers it may have.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Coefficients in the order of [`Shape::powers`].
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The coefficient of s^i t^j; zero for powers it does not have.
    pub fn coefficient(&self, i: usize, j: usize) -> f64 {
        let has = match self.shape {
            Shape::Total(d) => i + j <= d,
            Shape::Box(a, b) => i <= a && j <= b,
        };
        if has { self.coefficients[self.shape.index(i, j)] } else { 0.0 }
    }

    /// Value and both first derivatives.
    pub fn jet(&self, s: f64, t: f64) -> [f64; 3] {
        let power = |x: f64, n: usize| x.powi(n as i32);
        let mut jet = [0.0; 3];
        for ((i, j), &c) in self.shape.powers().into_iter().zip(&self.coefficients) {
            jet[0] += c * power(s, i) * power(t, j);
            if i > 0 {
                jet[1] += c * i as f64 * power(s, i - 1) * power(t, j);
            }
            if j > 0 {
                jet[2] += c * j as f64 * power(s, i) * power(t, j - 1);
            }
        }
        jet
    }

    /// The value at (s : t : weight), every term brought to the degree of the shape; for [`Shape::Total`].
    pub fn homogeneous(&self, s: f64, t: f64, weight: f64) -> f64 {
        let degree = match self.shape {
            Shape::Total(d) => d,
            Shape::Box(a, b) => a + b,
        };
        let power = |x: f64, n: usize| x.powi(n as i32);
        let terms = self.shape.powers().into_iter().zip(&self.coefficients);
        terms.map(|((i, j), c)| c * power(s, i) * power(t, j) * power(weight, degree - i - j)).sum()
    }

    /// The product of two polynomials whose shapes are of one kind; zero for shapes of different kinds.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let Some(shape) = self.shape.plus(other.shape) else { return Self::zero(self.shape) };
        let mut product = Self::zero(shape);
        let others = other.shape.powers();
        for ((i, j), &a) in self.shape.powers().into_iter().zip(&self.coefficients) {
            if a != 0.0 {
                for (&(k, l), &b) in others.iter().zip(&other.coefficients) {
                    product.coefficients[shape.index(i + k, j + l)] += a * b;
                }
            }
        }
        product
    }

    /// Adds `factor` times `other`, powers that this one does not have left out.
    pub fn add(&mut self, other: &Self, factor: f64) {
        for ((i, j), &c) in other.shape.powers().into_iter().zip(&other.coefficients) {
            let has = match self.shape {
                Shape::Total(d) => i + j <= d,
                Shape::Box(a, b) => i <= a && j <= b,
            };
            if has {
                self.coefficients[self.shape.index(i, j)] += factor * c;
            }
        }
    }

    /// Size of the coefficients: the root of the sum of their squares.
    pub fn norm(&self) -> f64 {
        self.coefficients.iter().map(|c| c * c).sum::<f64>().sqrt()
    }
}
