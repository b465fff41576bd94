//! Polynomials in x, y, z: arithmetic, derivatives, bounds on a box.
//!
//! Source: Bernstein coefficients over a box bound a polynomial (Cargo and Shisha 1966).
//! Differs: coefficients are intervals, so that the bound holds in floating point.
//! Ends because: loops run over coefficients.
//! Cost: value with derivatives O(terms); a bound O(coefficients · degree) interval operations.
//! Not promised: the exact range; the bound tightens with the square of the box's size.

use super::PolynomialError;
use crate::Interval;
use crate::bound::Aabb;
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Largest total degree.
pub(crate) const MOST_DEGREE: u32 = 16;

/// A polynomial in x, y, z, in expanded form.
///
/// ```
/// use clearance_geometry::{DVec3, algebraic::Polynomial};
/// let sphere: Polynomial = "x^2 + y^2 + z^2 - 1".parse()?;
/// let jet = sphere.jet(DVec3::new(2.0, 0.0, 0.0));
/// assert_eq!((jet.value, jet.gradient), (3.0, DVec3::new(4.0, 0.0, 0.0)));
/// assert_eq!(sphere.degree(), 2);
/// # Ok::<(), clearance_geometry::algebraic::PolynomialError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    /// Coefficients that are not zero, by exponents of x, y, z in ascending order.
    terms: Vec<([u8; 3], f64)>,
}

/// Value, gradient and second derivatives at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialJet {
    /// Value.
    pub value: f64,
    /// First derivatives.
    pub gradient: DVec3,
    /// Second derivatives; symmetric.
    pub hessian: DMat3,
}

impl Polynomial {
    /// Largest total degree.
    pub const MOST_DEGREE: u32 = MOST_DEGREE;

    fn from_map(map: BTreeMap<[u8; 3], f64>) -> Result<Self, PolynomialError> {
        if map.values().any(|c| !c.is_finite()) {
            return Err(PolynomialError::NotFinite);
        }
        let polynomial = Self { terms: map.into_iter().filter(|&(_, c)| c != 0.0).collect() };
        let degree = polynomial.degree();
        if degree > MOST_DEGREE {
            return Err(PolynomialError::DegreeTooHigh { degree, most: MOST_DEGREE });
        }
        Ok(polynomial)
    }

    pub(crate) fn of_constant(value: f64) -> Result<Self, PolynomialError> {
        Self::from_map(BTreeMap::from([([0; 3], value)]))
    }

    pub(crate) fn variable(axis: usize) -> Self {
        let mut exponents = [0; 3];
        exponents[axis] = 1;
        Self { terms: vec![(exponents, 1.0)] }
    }

    /// The value, if it is the same everywhere.
    pub fn constant(&self) -> Option<f64> {
        match self.terms[..] {
            [] => Some(0.0),
            [([0, 0, 0], value)] => Some(value),
            _ => None,
        }
    }

    /// Exponents of x, y, z and the coefficient of each term.
    pub fn terms(&self) -> &[([u8; 3], f64)] {
        &self.terms
    }

    /// Largest sum of exponents.
    pub fn degree(&self) -> u32 {
        self.terms.iter().map(|(e, _)| e.iter().map(|&n| u32::from(n)).sum()).max().unwrap_or(0)
    }

    pub(crate) fn plus(&self, other: &Self, factor: f64) -> Result<Self, PolynomialError> {
        let mut map: BTreeMap<[u8; 3], f64> = self.terms.iter().copied().collect();
        for &(exponents, coefficient) in &other.terms {
            *map.entry(exponents).or_insert(0.0) += factor * coefficient;
        }
        Self::from_map(map)
    }

    pub(crate) fn scaled(&self, factor: f64) -> Result<Self, PolynomialError> {
        Self::from_map(self.terms.iter().map(|&(e, c)| (e, c * factor)).collect())
    }

    pub(crate) fn divided(&self, divisor: f64) -> Result<Self, PolynomialError> {
        Self::from_map(self.terms.iter().map(|&(e, c)| (e, c / divisor)).collect())
    }

    pub(crate) fn times(&self, other: &Self) -> Result<Self, PolynomialError> {
        let degree = self.degree() + other.degree();
        if degree > MOST_DEGREE {
            return Err(PolynomialError::DegreeTooHigh { degree, most: MOST_DEGREE });
        }
        let mut map = BTreeMap::new();
        for &(a, x) in &self.terms {
            for &(b, y) in &other.terms {
                *map.entry([a[0] + b[0], a[1] + b[1], a[2] + b[2]]).or_insert(0.0) += x * y;
            }
        }
        Self::from_map(map)
    }

    /// The polynomial whose zero set is this one's enlarged by `factor` about the origin: p(x / factor).
    ///
    /// # Errors
    /// [`PolynomialError::NotFinite`] where a coefficient leaves the range of numbers.
    pub fn enlarged(&self, factor: f64) -> Result<Self, PolynomialError> {
        let degree = |exponents: &[u8; 3]| exponents.iter().map(|&n| i32::from(n)).sum::<i32>();
        Self::from_map(self.terms.iter().map(|&(e, c)| (e, c / factor.powi(degree(&e)))).collect())
    }

    /// The derivative by x (0), y (1) or z (2).
    #[must_use]
    pub fn derivative(&self, axis: usize) -> Self {
        let derive = |&(mut exponents, c): &([u8; 3], f64)| {
            let n = exponents[axis];
            (n > 0).then(|| {
                exponents[axis] = n - 1;
                (exponents, c * f64::from(n))
            })
        };
        let mut terms: Vec<_> = self.terms.iter().filter_map(derive).collect();
        terms.sort_by_key(|&(exponents, _)| exponents);
        Self { terms }
    }

    /// The value at a point.
    pub fn value(&self, point: DVec3) -> f64 {
        let powers = Powers::new(self, point);
        self.terms
            .iter()
            .fold(0.0, |sum, &(e, c)| sum + c * powers.of(0, e[0]) * powers.of(1, e[1]) * powers.of(2, e[2]))
    }

    /// The value at a point, the derivative by one coordinate, and the sum of the sizes of all terms, which rounding goes by.
    pub fn value_and_slope(&self, point: DVec3, axis: usize) -> [f64; 3] {
        let powers = Powers::new(self, point);
        let [other, third] = [(axis + 1) % 3, (axis + 2) % 3];
        let (mut value, mut slope, mut size) = (0.0, 0.0, 0.0);
        for &(e, c) in &self.terms {
            let rest = c * powers.of(other, e[other]) * powers.of(third, e[third]);
            let [power, first, _] = powers.derivatives(axis, e[axis]);
            value += rest * power;
            slope += rest * first;
            size += (rest * power).abs();
        }
        [value, slope, size]
    }

    /// Value, gradient and second derivatives at a point.
    pub fn jet(&self, point: DVec3) -> PolynomialJet {
        let powers = Powers::new(self, point);
        let mut jet = PolynomialJet { value: 0.0, gradient: DVec3::ZERO, hessian: DMat3::ZERO };
        let mut second = [[0.0; 3]; 3];
        for &(e, c) in &self.terms {
            // Value, first and second derivative of each factor.
            let f: [[f64; 3]; 3] = std::array::from_fn(|i| powers.derivatives(i, e[i]));
            let product = |d: [usize; 3]| c * f[0][d[0]] * f[1][d[1]] * f[2][d[2]];
            jet.value += product([0, 0, 0]);
            jet.gradient += DVec3::new(product([1, 0, 0]), product([0, 1, 0]), product([0, 0, 1]));
            for (i, row) in second.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    let mut d = [0; 3];
                    d[i] += 1;
                    d[j] += 1;
                    *entry += product(d);
                }
            }
        }
        jet.hessian = DMat3::from_cols_array_2d(&second);
        jet
    }

    /// Bernstein coefficients of a bound.
    pub(crate) fn coefficient_count(&self) -> usize {
        let most = |i: usize| self.terms.iter().map(|(e, _)| usize::from(e[i]) + 1).max().unwrap_or(1);
        most(0) * most(1) * most(2)
    }

    /// An interval that holds every value over the box.
    ///
    /// ```
    /// use clearance_geometry::{algebraic::Polynomial, bound::Aabb};
    /// let p: Polynomial = "x^2 - y".parse()?;
    /// let range = p.range(&Aabb { low: [1.0, 0.0, 0.0], high: [2.0, 0.5, 1.0] });
    /// assert!(range.low() > 0.49 && range.high() < 4.01);
    /// # Ok::<(), clearance_geometry::algebraic::PolynomialError>(())
    /// ```
    pub fn range(&self, within: &Aabb<3>) -> Interval {
        self.bernstein(within).1.into_iter().reduce(Interval::hull).unwrap_or(Interval::ZERO)
    }

    /// The degrees in x, y and z, and intervals around the Bernstein coefficients over a box; the index of z runs fastest.
    pub fn bernstein(&self, within: &Aabb<3>) -> ([usize; 3], Vec<Interval>) {
        let n: [usize; 3] =
            std::array::from_fn(|i| self.terms.iter().map(|(e, _)| usize::from(e[i])).max().unwrap_or(0));
        let strides = [(n[1] + 1) * (n[2] + 1), n[2] + 1, 1];
        let mut c = vec![Interval::ZERO; (n[0] + 1) * strides[0]];
        for &(e, value) in &self.terms {
            c[(0..3).map(|i| usize::from(e[i]) * strides[i]).sum::<usize>()] = Interval::point(value);
        }
        for axis in 0..3 {
            let low = Interval::point(within.low[axis]);
            let width = Interval::point(within.high[axis]) - low;
            for start in 0..c.len() {
                if (start / strides[axis]).is_multiple_of(n[axis] + 1) {
                    bernstein_line(&mut c, start, strides[axis], n[axis], low, width);
                }
            }
        }
        (n, c)
    }
}

/// Turns the powers along one line of coefficients into Bernstein coefficients over low … low + width.
fn bernstein_line(c: &mut [Interval], start: usize, stride: usize, n: usize, low: Interval, width: Interval) {
    let at = |i: usize| start + i * stride;
    // Powers of (t − low), by repeated division.
    for k in 0..n {
        for i in (k..n).rev() {
            c[at(i)] = c[at(i)] + low * c[at(i + 1)];
        }
    }
    // Powers of s = (t − low) / width over C(n, i).
    let mut scale = Interval::point(1.0);
    for i in 1..=n {
        scale = scale * width;
        let binomial = Interval::point(crate::curve::binomial(n, i));
        c[at(i)] = c[at(i)] * scale / binomial;
    }
    // Bernstein coefficients are repeated sums of those.
    for k in 1..=n {
        for i in (k..=n).rev() {
            c[at(i)] = c[at(i)] + c[at(i - 1)];
        }
    }
}

/// The powers of the coordinates of a point.
struct Powers {
    values: [[f64; MOST_DEGREE as usize + 1]; 3],
}

impl Powers {
    fn new(polynomial: &Polynomial, point: DVec3) -> Self {
        let values = [0, 1, 2].map(|i| {
            let most = polynomial.terms.iter().map(|(e, _)| e[i]).max().unwrap_or(0);
            let mut powers = [1.0; MOST_DEGREE as usize + 1];
            for k in 0..usize::from(most) {
                powers[k + 1] = powers[k] * point[i];
            }
            powers
        });
        Self { values }
    }

    fn of(&self, axis: usize, exponent: u8) -> f64 {
        self.values[axis][usize::from(exponent)]
    }

    fn derivatives(&self, axis: usize, exponent: u8) -> [f64; 3] {
        let (x, n) = (&self.values[axis], usize::from(exponent));
        let first = if n > 0 { n as f64 * x[n - 1] } else { 0.0 };
        let second = if n > 1 { (n * (n - 1)) as f64 * x[n - 2] } else { 0.0 };
        [x[n], first, second]
    }
}
