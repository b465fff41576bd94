//! Common zeros of two polynomials in two variables, but for zeros that both have twice by construction.
//!
//! Source: the eigenvalues of multiplication, as in [`crate::solve_pair`], on the projective plane blown up at the zeros
//! that are to be left out.
//! Differs: both equations lie in the square of an ideal whose generators are given. Multiples of them by polynomials in
//! the ideal, among polynomials in its cube, have exactly the other zeros left: no fourfold zero disturbs the eigenvalues
//! of the rest, and the eigenproblem is smaller.
//! Ends because: five factorisations and one eigenvalue problem.
//! Cost: for total degree d and z points left out, an eigenproblem of size d² − 4z.
//! Not promised: as for [`crate::solve_pair`].

use crate::macaulay::{FORMS, candidates, longest, scaled, scales, weight};
use crate::matrix::dot;
use crate::tolerance::{BASE_RANK_REL, RANK_REL};
use crate::{Bivariate, Candidate, Matrix, RootsError, Shape, Solved, solve_pair};

/// All common zeros of `f` and `g`, of one total degree, outside the common zeros of `base`: polynomials of one lower
/// total degree such that `f` and `g` are combinations of their products in pairs.
///
/// ```
/// use clearance_roots::{Bivariate, Shape, solve_outside};
/// // Two conics of lines through the origin, s² = t² and s² = 4 t² + s t, meet there alone: four times.
/// let conic = |a: f64, b: f64, c: f64| {
///     Bivariate::from_fn(Shape::Total(2), move |i, j| match (i, j) {
///         (2, 0) => a,
///         (1, 1) => b,
///         (0, 2) => c,
///         _ => 0.0,
///     })
/// };
/// let line = |s: f64, t: f64| Bivariate::from_fn(Shape::Total(1), move |i, j| i as f64 * s + j as f64 * t);
/// let zeros = solve_outside(&conic(1.0, 0.0, -1.0), &conic(1.0, -1.0, -4.0), &[line(1.0, 0.0), line(0.0, 1.0)])?;
/// assert_eq!(zeros.size, 0);
/// # Ok::<(), clearance_roots::RootsError>(())
/// ```
///
/// # Errors
/// As for [`crate::solve_pair`].
pub fn solve_outside(f: &Bivariate, g: &Bivariate, base: &[Bivariate]) -> Result<Solved, RootsError> {
    let (Shape::Total(d), Shape::Total(other)) = (f.shape(), g.shape()) else {
        return Err(RootsError::BadSystem);
    };
    let Some(Shape::Total(e)) = base.first().map(Bivariate::shape) else { return solve_pair(f, g) };
    if d != other || d == 0 || 2 * e > d {
        return Err(RootsError::BadSystem);
    }
    let all = || f.coefficients().iter().chain(g.coefficients());
    if e == 0 || all().any(|c| !c.is_finite()) {
        return solve_pair(f, g);
    }
    let units = scales([f, g]);
    let [f, g] = [f, g].map(|p| scaled(p, units));
    if f.norm() == 0.0 || g.norm() == 0.0 {
        return Err(RootsError::NotIsolated);
    }
    let base: Vec<Bivariate> = base.iter().map(|p| scaled(p, units)).collect();
    outside([&f, &g], &span(&base, None)?.0, [d, e], units)
}

/// The same with an orthonormal base, in units in which the coefficients are of like size.
fn outside(
    pair: [&Bivariate; 2],
    base: &[Bivariate],
    [d, e]: [usize; 2],
    units: [f64; 2],
) -> Result<Solved, RootsError> {
    let left_out = Shape::Total(e).count() - base.len();
    let Some(size) = (d * d).checked_sub(4 * left_out) else { return Err(RootsError::NotIsolated) };
    if size == 0 {
        return Ok(Solved { candidates: Vec::new(), size, condition: 1.0 });
    }
    let whole = cubes(base, e, 2 * d - 1, left_out)?;
    let part = cubes(base, e, 2 * d - 2, left_out)?;
    let times = times_powers(base, d - 1 - e);
    let multipliers = span(&times, Some(Shape::Total(d - 1).count() - left_out))?;
    let mut condition = whole.1.min(part.1).min(multipliers.1);
    // Coordinates in the orthonormal basis of the cubes.
    let shape = Shape::Total(2 * d - 1);
    let table = weights(shape);
    let axes =
        Matrix::from_fn(whole.0.len(), shape.count(), |k, at| whole.0[k].coefficients()[at] / table[at]);
    let coordinates = |p: &Bivariate| {
        axes.times(&p.coefficients().iter().zip(&table).map(|(c, w)| c / w).collect::<Vec<f64>>())
    };
    let multiples: Vec<Vec<f64>> =
        pair.iter().flat_map(|p| multipliers.0.iter().map(|u| unit(coordinates(&p.times(u))))).collect();
    let rank = whole.0.len() - size;
    if rank > multiples.len() {
        return Err(RootsError::NotIsolated);
    }
    let columns = Matrix::from_fn(whole.0.len(), multiples.len(), |i, j| multiples[j][i]);
    let factored = columns.orthogonal(true, usize::MAX);
    condition = condition.min(factored.ratio(rank));
    if !(condition > RANK_REL) {
        return Err(RootsError::NotIsolated);
    }
    let null = factored.rest(rank);
    let coordinate = [(1, 0), (0, 1), (0, 0)].map(|(k, l)| {
        let shifted = |u: &Bivariate| {
            Bivariate::from_fn(shape, |i, j| {
                let fits = i >= k && j >= l && i + j < 2 * d - 1 + k + l;
                if fits { u.coefficient(i - k, j - l) } else { 0.0 }
            })
        };
        let rows: Vec<Vec<f64>> = part.0.iter().map(|u| coordinates(&shifted(u))).collect();
        Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]).product(&null)
    });
    let form = |weights: [f64; 4]| {
        Matrix::from_fn(coordinate[0].rows(), size, |i, j| {
            let at = |k: usize| coordinate[k][(i, j)];
            weights[0] * at(2) + weights[1] * at(0) + weights[2] * at(1)
        })
    };
    let read = |vector: &[f64], imaginary: f64| {
        let [s, t, w] = [0, 1, 2].map(|k| coordinate[k].times(vector));
        let [s, t, weight] = longest((0..s.len()).map(|i| [s[i], t[i], w[i]]));
        Candidate { s: [s * units[0], weight], t: [t * units[1], weight], imaginary }
    };
    candidates(form(FORMS[0]), &form(FORMS[1]), condition, read)
}

fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    let length = dot(&vector, &vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

/// The weights of all powers, in order: coefficients over these are in the basis in which Bombieri's norm is the length.
fn weights(shape: Shape) -> Vec<f64> {
    shape.powers().into_iter().map(|(i, j)| weight(shape, i, j)).collect()
}

/// An orthonormal basis of what some polynomials span, of a known rank or of the rank they are seen to have; and the
/// smallest pivot over the largest.
fn span(polynomials: &[Bivariate], rank: Option<usize>) -> Result<(Vec<Bivariate>, f64), RootsError> {
    let Some(shape) = polynomials.first().map(Bivariate::shape) else { return Err(RootsError::NotIsolated) };
    let table = weights(shape);
    let count = polynomials.len();
    let matrix = Matrix::from_fn(shape.count(), count, |at, j| polynomials[j].coefficients()[at] / table[at]);
    if rank.is_some_and(|rank| rank > count || rank > shape.count()) {
        return Err(RootsError::NotIsolated);
    }
    let factored = matrix.orthogonal(true, rank.unwrap_or(usize::MAX));
    let seen = (1..=factored.diagonal.len()).take_while(|&r| factored.ratio(r) > BASE_RANK_REL).count();
    let rank = rank.unwrap_or(seen);
    let basis = factored.first(rank);
    let polynomial =
        |k: usize| Bivariate::from_fn(shape, |i, j| basis[(shape.index(i, j), k)] * weight(shape, i, j));
    Ok(((0..rank).map(polynomial).collect(), factored.ratio(rank)))
}

/// All products with powers of this total degree.
fn times_powers(polynomials: &[Bivariate], degree: usize) -> Vec<Bivariate> {
    let shape = Shape::Total(degree);
    let powers = shape.powers();
    let power = |&(k, l): &(usize, usize)| {
        Bivariate::from_fn(shape, |i, j| if (i, j) == (k, l) { weight(shape, i, j) } else { 0.0 })
    };
    let monomials: Vec<Bivariate> = powers.iter().map(power).collect();
    polynomials.iter().flat_map(|p| monomials.iter().map(move |m| p.times(m))).collect()
}

/// A basis of the polynomials of a degree in the cube of the ideal.
fn cubes(
    base: &[Bivariate],
    e: usize,
    degree: usize,
    left_out: usize,
) -> Result<(Vec<Bivariate>, f64), RootsError> {
    let mut products = Vec::new();
    for (i, a) in base.iter().enumerate() {
        for (j, b) in base.iter().enumerate().skip(i) {
            let ab = a.times(b);
            products.extend(base.iter().skip(j).map(|c| ab.times(c)));
        }
    }
    let Some(rest) = degree.checked_sub(3 * e) else { return Err(RootsError::NotIsolated) };
    span(&times_powers(&products, rest), (Shape::Total(degree).count()).checked_sub(6 * left_out))
}
