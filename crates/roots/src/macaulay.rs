//! All common zeros of two polynomials in two variables, from the null space of their Macaulay matrix.
//!
//! Source: Macaulay 1902 for the matrix; Auzinger and Stetter 1988 for eigenvalues of multiplication; its form on null
//! spaces: Telen, Mourrain and Van Barel 2018. 003, section 2.3, asks for resultants and eigenvalues in general.
//! Differs: the form whose values are the eigenvalues is a quotient of two arbitrary linear forms, so that zeros at
//! infinity are as good as others, and zeros that share a coordinate (every symmetric configuration) still have
//! different eigenvalues. A resultant with one variable hidden has neither property; see [`crate::solve_hidden`].
//! Ends because: two factorisations and one eigenvalue problem.
//! Cost: for total degrees m and n an eigenproblem of size m n and factorisations of (m + n)²/2 rows; for degrees (a, b)
//! and (c, d), size a d + b c and (a + c + 1)(b + d + 1) rows.
//! Not promised: digits of multiple zeros. Candidates are to be polished on the equations they came from.

use crate::tolerance::{NEAR_REAL_REL, RANK_REL};
use crate::{Bivariate, Matrix, RootsError, Shape, eigenvalues, eigenvector};

/// Coefficients of the two linear forms (of 1, s, t, s t): numbers without meaning, so that zeros of meaningful
/// systems are not on them.
const FORMS: [[f64; 4]; 2] = [[0.5377, 0.3188, -0.4336, 0.2426], [-0.2049, 0.7254, 0.6715, -0.5147]];

/// A common zero that is real, or nearly so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The first variable is `s[0] / s[1]`; the second number is 0 at infinity.
    pub s: [f64; 2],
    /// The second variable is `t[0] / t[1]`.
    pub t: [f64; 2],
    /// Relative size of the imaginary part of its eigenvalue.
    pub imaginary: f64,
}

/// What a system came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The zeros that are real, or so nearly that a multiple zero may be behind them.
    pub candidates: Vec<Candidate>,
    /// Zeros in all, complex and infinite ones included.
    pub size: usize,
    /// Smallest over largest pivot on the way: near zero where the zeros are nearly not isolated.
    pub condition: f64,
}

/// All common zeros of `f` and `g`, both over a triangle or both over a rectangle of powers.
///
/// ```
/// use clearance_roots::{Bivariate, Shape, solve_pair};
/// // A circle and a line: (3/5, 4/5) and (−3/5, −4/5).
/// let circle = Bivariate::from_fn(Shape::Total(2), |i, j| [[-1.0, 0.0, 1.0], [0.0; 3], [1.0, 0.0, 0.0]][i][j]);
/// let line = Bivariate::from_fn(Shape::Total(1), |i, j| [[0.0, 3.0], [-4.0, 0.0]][i][j]);
/// let zeros = solve_pair(&circle, &line)?;
/// assert_eq!(zeros.candidates.len(), 2);
/// assert!(zeros.candidates.iter().all(|z| ((z.s[0] / z.s[1]).abs() - 0.6).abs() < 1e-12));
/// # Ok::<(), clearance_roots::RootsError>(())
/// ```
///
/// # Errors
/// [`RootsError::NotIsolated`] where the two have a common factor, or one is zero; [`RootsError::BadSystem`] for shapes
/// of different kinds or a constant; [`RootsError::NotFinite`], [`RootsError::NoConvergence`].
pub fn solve_pair(f: &Bivariate, g: &Bivariate) -> Result<Solved, RootsError> {
    if f.coefficients().iter().chain(g.coefficients()).any(|c| !c.is_finite()) {
        return Err(RootsError::NotFinite);
    }
    let (whole, part, size) = shapes(f.shape(), g.shape()).ok_or(RootsError::BadSystem)?;
    if f.norm() == 0.0 || g.norm() == 0.0 {
        return Err(RootsError::NotIsolated);
    }
    let columns = macaulay([f, g], whole);
    let rank = whole.count() - size;
    let factored = columns.orthogonal(true);
    let pivot = factored.diagonal.get(rank.wrapping_sub(1)).copied().unwrap_or(0.0).abs();
    let mut condition = pivot / factored.diagonal[0].abs();
    if !(condition > RANK_REL) {
        return Err(RootsError::NotIsolated);
    }
    let null = factored.rest(rank);
    let [below, above] = FORMS.map(|form| times_form(&null, whole, part, form));
    let basis = below.orthogonal(true);
    condition = condition.min(basis.diagonal[size - 1].abs() / basis.diagonal[0].abs());
    if !(condition > RANK_REL) {
        return Err(RootsError::NotIsolated);
    }
    let mut multiplication = Matrix::zero(size, size);
    for j in 0..size {
        let right: Vec<f64> = (0..part.count()).map(|i| above[(i, j)]).collect();
        for (i, x) in basis.solve(&right).into_iter().enumerate() {
            multiplication[(i, j)] = x;
        }
    }
    let mut candidates = Vec::new();
    for value in eigenvalues(multiplication.clone())? {
        let imaginary = value.imaginary.abs() / (1.0 + value.real.abs());
        // Of a conjugate pair, once.
        if imaginary <= NEAR_REAL_REL && value.imaginary >= 0.0 {
            let powers = null.times(&eigenvector(&multiplication, value.real));
            candidates.push(read(&powers, whole, imaginary));
        }
    }
    Ok(Solved { candidates, size, condition })
}

/// The shape of the matrix's columns, the shape one linear form below it, and the number of zeros.
fn shapes(f: Shape, g: Shape) -> Option<(Shape, Shape, usize)> {
    match (f, g) {
        (Shape::Total(m), Shape::Total(n)) if m * n > 0 => {
            Some((Shape::Total(m + n - 1), Shape::Total(m + n - 2), m * n))
        }
        (Shape::Box(a, b), Shape::Box(c, d)) if a * d + b * c > 0 => {
            Some((Shape::Box(a + c, b + d), Shape::Box(a + c - 1, b + d - 1), a * d + b * c))
        }
        _ => None,
    }
}

/// All multiples of both polynomials that fit the shape, one in each column, of unit size.
fn macaulay(pair: [&Bivariate; 2], whole: Shape) -> Matrix {
    let multiples: Vec<(usize, (usize, usize))> = pair
        .iter()
        .enumerate()
        .filter_map(|(at, p)| Some((at, whole.minus(p.shape())?)))
        .flat_map(|(at, rest)| rest.powers().into_iter().map(move |power| (at, power)))
        .collect();
    let mut matrix = Matrix::zero(whole.count(), multiples.len());
    for (column, &(at, (k, l))) in multiples.iter().enumerate() {
        let norm = pair[at].norm();
        for ((i, j), &c) in pair[at].shape().powers().into_iter().zip(pair[at].coefficients()) {
            matrix[(whole.index(i + k, j + l), column)] = c / norm;
        }
    }
    matrix
}

/// The rows of the null space at all powers of `part` times a linear form.
fn times_form(null: &Matrix, whole: Shape, part: Shape, form: [f64; 4]) -> Matrix {
    let mut result = Matrix::zero(part.count(), null.columns());
    for (row, (i, j)) in part.powers().into_iter().enumerate() {
        let mut add = |factor: f64, i: usize, j: usize| {
            for (sum, x) in result.row_mut(row).iter_mut().zip(null.row(whole.index(i, j))) {
                *sum += factor * x;
            }
        };
        add(form[0], i, j);
        add(form[1], i + 1, j);
        add(form[2], i, j + 1);
        if matches!(whole, Shape::Box(..)) {
            add(form[3], i + 1, j + 1);
        }
    }
    result
}

/// Both variables from the values of all powers at a zero: ratios where the values are largest.
fn read(powers: &[f64], whole: Shape, imaginary: f64) -> Candidate {
    let at = |i: usize, j: usize| powers[whole.index(i, j)];
    let best = |neighbours: &dyn Fn(usize, usize) -> Option<[f64; 2]>| {
        let mut most = [0.0, 0.0];
        let mut size = -1.0;
        for (i, j) in whole.powers() {
            if let Some(pair) = neighbours(i, j) {
                let length = pair[0] * pair[0] + pair[1] * pair[1];
                if length > size {
                    (most, size) = (pair, length);
                }
            }
        }
        let length = size.max(0.0).sqrt();
        if length > 0.0 { most.map(|x| x / length) } else { most }
    };
    let fits = |i: usize, j: usize| match whole {
        Shape::Total(d) => i + j <= d,
        Shape::Box(a, b) => i <= a && j <= b,
    };
    let s = best(&|i, j| fits(i + 1, j).then(|| [at(i + 1, j), at(i, j)]));
    let t = best(&|i, j| fits(i, j + 1).then(|| [at(i, j + 1), at(i, j)]));
    Candidate { s, t, imaginary }
}
