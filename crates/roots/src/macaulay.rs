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

use crate::tolerance::{NEAR_REAL_REL, NEGLIGIBLE_REL, RANK_REL};
use crate::{Bivariate, Matrix, RootsError, Shape, eigenvalues, eigenvector};

/// Coefficients of the two linear forms (of 1, s, t, s t): numbers without meaning, so that zeros of meaningful
/// systems are not on them.
pub(crate) const FORMS: [[f64; 4]; 2] =
    [[0.5377, 0.3188, -0.4336, 0.2426], [-0.2049, 0.7254, 0.6715, -0.5147]];

/// Weight of a unit of one against the coefficients.
const UNIT_WEIGHT: f64 = 0.001;

/// A common zero that is real, or nearly so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The first variable is `s[0] / s[1]`; the second number is 0 at infinity.
    pub s: [f64; 2],
    /// The second variable is `t[0] / t[1]`. For shapes of total degree `t[1]` is `s[1]`, and the three numbers are
    /// a point of the projective plane, so that a direction is known at infinity too.
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
    let units = scales([f, g]);
    let columns = macaulay([&scaled(f, units), &scaled(g, units)], whole);
    let rank = whole.count() - size;
    let factored = columns.orthogonal(true, usize::MAX);
    let condition = factored.ratio(rank);
    if !(condition > RANK_REL) {
        return Err(RootsError::NotIsolated);
    }
    let null = factored.rest(rank);
    let [below, above] = FORMS.map(|form| times_form(&null, whole, part, form));
    candidates(below, &above, condition, |vector, imaginary| {
        let mut candidate = read(&null.times(vector), whole, imaginary);
        candidate.s[0] *= units[0];
        candidate.t[0] *= units[1];
        candidate
    })
}

/// The eigenvalues λ of `above` v = λ `below` v, and what is read from the eigenvectors of those that are nearly real.
pub(crate) fn candidates(
    below: Matrix,
    above: &Matrix,
    condition: f64,
    read: impl Fn(&[f64], f64) -> Candidate,
) -> Result<Solved, RootsError> {
    let size = above.columns();
    let basis = below.orthogonal(true, usize::MAX);
    let condition = condition.min(basis.ratio(size));
    if !(condition > RANK_REL) {
        return Err(RootsError::NotIsolated);
    }
    let mut multiplication = Matrix::zero(size, size);
    for j in 0..size {
        let right: Vec<f64> = (0..above.rows()).map(|i| above[(i, j)]).collect();
        for (i, x) in basis.solve(&right).into_iter().enumerate() {
            multiplication[(i, j)] = x;
        }
    }
    let mut candidates = Vec::new();
    for value in eigenvalues(multiplication.clone())? {
        let imaginary = value.imaginary.abs() / (1.0 + value.real.abs());
        // Of a conjugate pair, once.
        if imaginary <= NEAR_REAL_REL && value.imaginary >= 0.0 {
            candidates.push(read(&eigenvector(&multiplication, value.real), imaginary));
        }
    }
    Ok(Solved { candidates, size, condition })
}

/// The polynomial with its variables measured in other units.
pub(crate) fn scaled(p: &Bivariate, [along, across]: [f64; 2]) -> Bivariate {
    let factor = |i: usize, j: usize| along.powi(i as i32) * across.powi(j as i32);
    Bivariate::from_fn(p.shape(), |i, j| p.coefficient(i, j) * factor(i, j))
}

/// Units of s and t, powers of two, in which the coefficients of both are of like size: least squares of their
/// logarithms (Morgan 1987).
pub(crate) fn scales(pair: [&Bivariate; 2]) -> [f64; 2] {
    let mut rows: Vec<[f64; 5]> = Vec::new();
    for (at, p) in pair.iter().enumerate() {
        let most = p.coefficients().iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        for ((i, j), c) in p.shape().powers().into_iter().zip(p.coefficients()) {
            if c.abs() > NEGLIGIBLE_REL * most {
                let [one, other] = if at == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
                rows.push([i as f64, j as f64, one, other, -c.abs().log2()]);
            }
        }
    }
    // Rows that hold the units where the coefficients say nothing of them.
    for k in 0..4 {
        let mut row = [0.0; 5];
        row[k] = UNIT_WEIGHT;
        rows.push(row);
    }
    let matrix = Matrix::from_fn(rows.len(), 4, |i, j| rows[i][j]);
    let right: Vec<f64> = rows.iter().map(|row| row[4]).collect();
    let logarithms = matrix.least_squares(&right);
    [0, 1].map(|k| 2.0_f64.powi(logarithms[k].round().clamp(-60.0, 60.0) as i32))
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

/// The root of the multinomial coefficient of a power: with powers times these for a basis, the vector of all powers at a
/// point of the unit sphere has unit length wherever the point is (Bombieri's norm), so that zeros near and far are
/// equally well determined.
pub(crate) fn weight(shape: Shape, i: usize, j: usize) -> f64 {
    let binomial = |n: usize, k: usize| (0..k).fold(1.0, |b, l| b * (n - l) as f64 / (l + 1) as f64);
    match shape {
        Shape::Total(d) => (binomial(d, i) * binomial(d - i, j)).sqrt(),
        Shape::Box(a, b) => (binomial(a, i) * binomial(b, j)).sqrt(),
    }
}

/// All multiples of both polynomials that fit the shape, one in each column.
fn macaulay(pair: [&Bivariate; 2], whole: Shape) -> Matrix {
    let rests = pair.map(|p| whole.minus(p.shape()));
    let multiples: Vec<(usize, (usize, usize))> = rests
        .iter()
        .enumerate()
        .filter_map(|(at, rest)| Some((at, (*rest)?)))
        .flat_map(|(at, rest)| rest.powers().into_iter().map(move |power| (at, power)))
        .collect();
    let mut matrix = Matrix::zero(whole.count(), multiples.len());
    for (column, &(at, (k, l))) in multiples.iter().enumerate() {
        let norm = pair[at].norm();
        let factor = rests[at].map_or(0.0, |rest| weight(rest, k, l)) / norm;
        for ((i, j), &c) in pair[at].shape().powers().into_iter().zip(pair[at].coefficients()) {
            let (i, j) = (i + k, j + l);
            matrix[(whole.index(i, j), column)] = factor * c / weight(whole, i, j);
        }
    }
    matrix
}

/// The rows of the null space at all powers of `part` times a linear form.
fn times_form(null: &Matrix, whole: Shape, part: Shape, form: [f64; 4]) -> Matrix {
    let mut result = Matrix::zero(part.count(), null.columns());
    for (row, (i, j)) in part.powers().into_iter().enumerate() {
        let own = weight(part, i, j);
        let mut add = |factor: f64, i: usize, j: usize| {
            let factor = factor * own / weight(whole, i, j);
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

/// Both variables from the weighted values of all powers at a zero: ratios where the values are largest.
fn read(powers: &[f64], whole: Shape, imaginary: f64) -> Candidate {
    let at = |i: usize, j: usize| powers[whole.index(i, j)] / weight(whole, i, j);
    match whole {
        Shape::Total(d) => {
            let triples =
                Shape::Total(d - 1).powers().into_iter().map(|(i, j)| [at(i + 1, j), at(i, j + 1), at(i, j)]);
            let [s, t, weight] = longest(triples);
            Candidate { s: [s, weight], t: [t, weight], imaginary }
        }
        Shape::Box(a, b) => {
            let along = Shape::Box(a - 1, b).powers().into_iter().map(|(i, j)| [at(i + 1, j), at(i, j)]);
            let across = Shape::Box(a, b - 1).powers().into_iter().map(|(i, j)| [at(i, j + 1), at(i, j)]);
            Candidate { s: longest(along), t: longest(across), imaginary }
        }
    }
}

/// The longest of some vectors, made of unit length.
pub(crate) fn longest<const N: usize>(vectors: impl Iterator<Item = [f64; N]>) -> [f64; N] {
    let square = |v: &[f64; N]| v.iter().map(|x| x * x).sum::<f64>();
    let best = vectors.fold([0.0; N], |best, v| if square(&v) > square(&best) { v } else { best });
    let length = square(&best).sqrt();
    if length > 0.0 { best.map(|x| x / length) } else { best }
}
