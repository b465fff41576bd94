//! Dense matrices of the sizes that resultants lead to (up to about 150 rows), and their factorisations.
//!
//! Source: Gaussian elimination with partial pivoting; Householder reflections with column pivoting (Golub and Van Loan).
//! Differs: written here, not taken from a library: the few routines needed are some hundred lines, while a general
//! linear algebra library would triple the crates of a default build.
//! Ends because: loops run over rows and columns.
//! Cost: O(n³).
//! Not promised: speed beyond a few hundred rows; there is no blocking.

use crate::tolerance::PIVOT_REL;

/// A dense matrix, stored row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// All zero.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![0.0; rows * columns] }
    }

    /// From a function of row and column.
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zero(rows, columns);
        for i in 0..rows {
            for j in 0..columns {
                matrix.entries[i * columns + j] = entry(i, j);
            }
        }
        matrix
    }

    /// Number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.columns..(i + 1) * self.columns]
    }

    /// One row, to be written.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.columns..(i + 1) * self.columns]
    }

    /// Size of the largest entry.
    pub fn largest(&self) -> f64 {
        self.entries.iter().fold(0.0, |most, x| most.max(x.abs()))
    }

    /// Whether every entry is a finite number.
    pub fn is_finite(&self) -> bool {
        self.entries.iter().all(|x| x.is_finite())
    }

    /// The product with a vector.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| dot(self.row(i), vector)).collect()
    }

    /// The product.
    #[must_use]
    pub fn product(&self, other: &Self) -> Self {
        let mut result = Self::zero(self.rows, other.columns);
        for i in 0..self.rows {
            for (k, &a) in self.row(i).iter().enumerate() {
                let row = &mut result.entries[i * other.columns..(i + 1) * other.columns];
                for (sum, b) in row.iter_mut().zip(other.row(k)) {
                    *sum += a * b;
                }
            }
        }
        result
    }

    fn swap_rows(&mut self, i: usize, j: usize) {
        for k in 0..self.columns {
            self.entries.swap(i * self.columns + k, j * self.columns + k);
        }
    }

    /// Triangular factors of a square matrix; pivots that vanish are replaced by rounding, and counted.
    pub fn factors(mut self) -> Factors {
        let n = self.rows;
        let least = (PIVOT_REL * self.largest()).max(f64::MIN_POSITIVE);
        let mut order = Vec::with_capacity(n);
        let mut pivots = [f64::INFINITY, 0.0_f64];
        for k in 0..n {
            let size = |i: usize, m: &Self| m.entries[i * n + k].abs();
            let pivot = (k..n).fold(k, |best, i| if size(i, &self) > size(best, &self) { i } else { best });
            order.push(pivot);
            if pivot != k {
                self.swap_rows(k, pivot);
            }
            let top = self.entries[k * n + k].abs();
            pivots = [pivots[0].min(top), pivots[1].max(top)];
            if !(top >= least) {
                self.entries[k * n + k] = least;
            }
            let (above, below) = self.entries.split_at_mut((k + 1) * n);
            let upper = &above[k * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / upper[k];
                row[k] = factor;
                if factor != 0.0 {
                    for (x, u) in row[k + 1..].iter_mut().zip(&upper[k + 1..]) {
                        *x -= factor * u;
                    }
                }
            }
        }
        Factors { triangles: self, order, pivots }
    }

    /// The vector x for which the matrix times x is nearest to `right`; a matrix with as many rows as columns at least.
    pub fn least_squares(self, right: &[f64]) -> Vec<f64> {
        self.orthogonal(false, usize::MAX).solve(right)
    }

    /// Householder reflections of the matrix, with `pivoting` its columns in order of what they add, at most so many
    /// steps; see [`Orthogonal`].
    pub(crate) fn orthogonal(self, pivoting: bool, most: usize) -> Orthogonal {
        // Columns are contiguous in the transpose.
        let mut columns = Self::from_fn(self.columns, self.rows, |i, j| self.entries[j * self.columns + i]);
        let steps = self.rows.min(self.columns).min(most);
        let mut order: Vec<usize> = (0..self.columns).collect();
        let mut reflectors = Vec::with_capacity(steps);
        let mut diagonal = Vec::with_capacity(steps);
        for k in 0..steps {
            if pivoting {
                let tail = |j: usize| dot(&columns.row(j)[k..], &columns.row(j)[k..]);
                let best = (k..self.columns)
                    .map(|j| (j, tail(j)))
                    .fold((k, -1.0), |b, c| if c.1 > b.1 { c } else { b });
                if best.0 != k {
                    columns.swap_rows(k, best.0);
                    order.swap(k, best.0);
                }
            }
            let (reflector, top) = reflect(&columns.row(k)[k..]);
            columns.row_mut(k)[k] = top;
            for j in k + 1..self.columns {
                apply(&reflector, &mut columns.row_mut(j)[k..]);
            }
            diagonal.push(top);
            reflectors.push(reflector);
        }
        Orthogonal { rows: self.rows, columns, order, reflectors, diagonal }
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.entries[i * self.columns + j]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.entries[i * self.columns + j]
    }
}

/// Four sums side by side: one alone waits for itself.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    debug_assert_eq!(a.len(), b.len(), "vectors of one length");
    let (fours_a, fours_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = fours_a.remainder().iter().zip(fours_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in fours_a.zip(fours_b) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The unit vector v of the reflection 1 − 2 v vᵀ that turns `x` into a multiple of the first axis, and that multiple.
pub(crate) fn reflect(x: &[f64]) -> (Vec<f64>, f64) {
    let largest = x.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    let mut v = x.to_vec();
    if largest == 0.0 {
        v.fill(0.0);
        return (v, 0.0);
    }
    v.iter_mut().for_each(|c| *c /= largest);
    let length = dot(&v, &v).sqrt();
    let top = -length.copysign(v[0]);
    v[0] -= top;
    let norm = dot(&v, &v).sqrt();
    v.iter_mut().for_each(|c| *c /= norm);
    (v, top * largest)
}

pub(crate) fn apply(reflector: &[f64], x: &mut [f64]) {
    let twice = 2.0 * dot(reflector, x);
    for (c, v) in x.iter_mut().zip(reflector) {
        *c -= twice * v;
    }
}

/// Triangular factors of a square matrix.
#[derive(Clone, Debug)]
pub struct Factors {
    triangles: Matrix,
    order: Vec<usize>,
    pivots: [f64; 2],
}

impl Factors {
    /// Smallest pivot over largest: near zero where the matrix is singular to rounding.
    pub fn ratio(&self) -> f64 {
        if self.pivots[1] > 0.0 { self.pivots[0] / self.pivots[1] } else { 0.0 }
    }

    /// Solves in place.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.triangles.rows;
        for (k, &pivot) in self.order.iter().enumerate() {
            x.swap(k, pivot);
        }
        for i in 0..n {
            x[i] -= dot(&self.triangles.row(i)[..i], &x[..i]);
        }
        for i in (0..n).rev() {
            let row = self.triangles.row(i);
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..])) / row[i];
        }
    }
}

/// Q R P of a matrix, by reflections.
pub(crate) struct Orthogonal {
    rows: usize,
    /// Column j of R in row j.
    columns: Matrix,
    /// The column of the matrix that stands at each place.
    order: Vec<usize>,
    reflectors: Vec<Vec<f64>>,
    pub(crate) diagonal: Vec<f64>,
}

impl Orthogonal {
    /// Smallest over largest pivot if the rank is `rank`.
    pub(crate) fn ratio(&self, rank: usize) -> f64 {
        let at = |k: usize| self.diagonal.get(k).map_or(0.0, |x| x.abs());
        if rank == 0 || at(0) == 0.0 { 0.0 } else { at(rank - 1) / at(0) }
    }

    /// Columns `from` … of Q: with `from` the rank, a basis of what is orthogonal to all columns of the matrix.
    pub(crate) fn rest(&self, from: usize) -> Matrix {
        self.columns_of_q(from, self.rows)
    }

    /// The first columns of Q: a basis of what the matrix spans.
    pub(crate) fn first(&self, count: usize) -> Matrix {
        self.columns_of_q(0, count)
    }

    fn columns_of_q(&self, from: usize, to: usize) -> Matrix {
        let used = if from == 0 { to } else { from };
        let mut basis = Matrix::zero(self.rows, to - from);
        let mut vector = vec![0.0; self.rows];
        for j in from..to {
            vector.fill(0.0);
            vector[j] = 1.0;
            for (k, reflector) in self.reflectors.iter().enumerate().take(used).rev() {
                apply(reflector, &mut vector[k..]);
            }
            for (i, &x) in vector.iter().enumerate() {
                basis[(i, j - from)] = x;
            }
        }
        basis
    }

    /// The least-squares solution for one right-hand side.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let n = self.order.len();
        let mut x = right.to_vec();
        for (k, reflector) in self.reflectors.iter().enumerate() {
            apply(reflector, &mut x[k..]);
        }
        for k in (0..n).rev() {
            x[k] /= self.diagonal[k];
            let top = x[k];
            for (i, r) in self.columns.row(k)[..k].iter().enumerate() {
                x[i] -= top * r;
            }
        }
        let mut solution = vec![0.0; n];
        for (k, &place) in self.order.iter().enumerate() {
            solution[place] = x[k];
        }
        solution
    }
}
