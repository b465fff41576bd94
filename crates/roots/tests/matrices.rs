//! Eigenvalues against planted ones and against their own definition.
#![allow(clippy::unwrap_used, missing_docs)]

use clearance_roots::{Matrix, RootsError, eigenvalues, eigenvector};
use clearance_testkit::Random;

fn random_matrix(random: &mut Random, n: usize) -> Matrix {
    Matrix::from_fn(n, n, |_, _| random.uniform(-1.0, 1.0))
}

#[test]
fn planted_eigenvalues_come_back_with_their_vectors() {
    for case in 0..40 {
        let mut random = Random::for_case(21, case);
        let n = 2 + random.index(40);
        // X D X⁻¹ with a random X: real eigenvalues one apart.
        let x = random_matrix(&mut random, n);
        let factors = x.clone().factors();
        let mut inverse = Matrix::zero(n, n);
        for j in 0..n {
            let mut e = vec![0.0; n];
            e[j] = 1.0;
            factors.solve(&mut e);
            for i in 0..n {
                inverse[(i, j)] = e[i];
            }
        }
        let scaled = Matrix::from_fn(n, n, |i, j| x[(i, j)] * (j as f64 - 5.0));
        let a = scaled.product(&inverse);
        let mut found = eigenvalues(a.clone()).unwrap();
        found.sort_by(|p, q| p.real.total_cmp(&q.real));
        let size = a.largest();
        for (k, value) in found.iter().enumerate() {
            assert!((value.real - (k as f64 - 5.0)).abs() < 1e-9 * size * size, "case {case}: {value:?}");
            let vector = eigenvector(&a, value.real);
            let image = a.times(&vector);
            let off = image.iter().zip(&vector).map(|(p, q)| (p - value.real * q).abs()).fold(0.0, f64::max);
            assert!(off < 1e-11 * size, "case {case}: {off}");
        }
    }
}

#[test]
fn complex_eigenvalues_keep_trace_and_power_sums() {
    for case in 0..60 {
        let mut random = Random::for_case(22, case);
        let n = 1 + random.index(70);
        let a = random_matrix(&mut random, n);
        let found = eigenvalues(a.clone()).unwrap();
        assert_eq!(found.len(), n);
        // Σλ, Σλ², Σλ³ are the traces of the powers.
        let mut power = a.clone();
        for k in 1..=3 {
            let trace: f64 = (0..n).map(|i| power[(i, i)]).sum();
            let sum: f64 = found
                .iter()
                .map(|v| {
                    let (r, i) = (v.real, v.imaginary);
                    [r, r * r - i * i, r * (r * r - 3.0 * i * i)][k - 1]
                })
                .sum();
            assert!((trace - sum).abs() < 1e-10 * (n as f64).powi(2), "case {case}: {trace} {sum}");
            power = power.product(&a);
        }
    }
}

#[test]
fn badly_scaled_matrix_is_balanced_first() {
    let d = |i: usize| 10.0_f64.powi(3 * i as i32 - 6);
    let mut random = Random::new(23);
    let a = random_matrix(&mut random, 6);
    let scaled = Matrix::from_fn(6, 6, |i, j| a[(i, j)] * d(i) / d(j));
    let sorted = |m: Matrix| {
        let mut v = eigenvalues(m).unwrap();
        v.sort_by(|p, q| p.real.total_cmp(&q.real).then(p.imaginary.total_cmp(&q.imaginary)));
        v
    };
    for (p, q) in sorted(a).iter().zip(sorted(scaled)) {
        assert!((p.real - q.real).abs() < 1e-12 && (p.imaginary.abs() - q.imaginary.abs()).abs() < 1e-12);
    }
}

#[test]
fn matrix_that_is_not_finite_is_refused() {
    assert_eq!(eigenvalues(Matrix::from_fn(2, 2, |_, _| f64::NAN)), Err(RootsError::NotFinite));
    assert_eq!(eigenvalues(Matrix::zero(0, 0)), Ok(vec![]));
    assert!(eigenvalues(Matrix::zero(5, 5)).unwrap().iter().all(|v| v.real == 0.0 && v.imaginary == 0.0));
}
