//! Bernstein isolation, closed forms and companion eigenvalues: each the other's oracle.
#![allow(clippy::unwrap_used, missing_docs)]

use clearance_roots::{
    Polynomial, Root, RootsError, companion_roots, cubic_roots, quadratic_roots, quartic_roots,
};
use clearance_testkit::Random;

fn with_roots(roots: &[f64], lead: f64) -> Polynomial {
    roots
        .iter()
        .fold(Polynomial::new(vec![lead]).unwrap(), |p, &r| p.times(&Polynomial::new(vec![-r, 1.0]).unwrap()))
}

fn values(roots: &[Root]) -> Vec<f64> {
    roots.iter().map(|r| r.value).collect()
}

#[test]
fn planted_roots_are_found_at_every_scale() {
    for case in 0..400 {
        let mut random = Random::for_case(11, case);
        let scale = [1e-6, 1.0, 1e6][case as usize % 3];
        let count = 1 + random.index(8);
        let mut wanted: Vec<f64> =
            (0..count).map(|k| scale * (k as f64 - 3.0 + random.uniform(-0.3, 0.3))).collect();
        let pairs = random.index(3);
        let mut p = with_roots(&wanted, random.log_uniform(-3.0, 3.0));
        for _ in 0..pairs {
            let (re, im) = (random.uniform(-2.0, 2.0) * scale, random.uniform(0.5, 2.0) * scale);
            p = p.times(&Polynomial::new(vec![re * re + im * im, -2.0 * re, 1.0]).unwrap());
        }
        wanted.sort_by(f64::total_cmp);
        let found = p.real_roots().unwrap();
        assert_eq!(found.len(), count, "case {case}: {wanted:?} {found:?}");
        for (root, w) in found.iter().zip(&wanted) {
            assert_eq!(root.multiplicity, 1);
            assert!((root.value - w).abs() <= 1e-7 * scale, "case {case}: {root:?} {w}");
        }
        let inside: Vec<f64> = wanted.iter().copied().filter(|w| w.abs() < 2.5 * scale).collect();
        assert_eq!(p.roots_in(-2.5 * scale, 2.5 * scale).unwrap().len(), inside.len());
    }
}

#[test]
fn isolation_agrees_with_companion_eigenvalues() {
    let mut real = 0;
    for case in 0..400 {
        let mut random = Random::for_case(12, case);
        let degree = 1 + random.index(16);
        let p = Polynomial::new((0..=degree).map(|_| random.uniform(-1.0, 1.0)).collect()).unwrap();
        let mut other: Vec<f64> =
            companion_roots(&p).unwrap().iter().filter(|c| c.imaginary == 0.0).map(|c| c.real).collect();
        other.sort_by(f64::total_cmp);
        let found = values(&p.real_roots().unwrap());
        assert_eq!(found.len(), other.len(), "case {case}: {found:?} {other:?}");
        real += found.len();
        for (a, b) in found.iter().zip(&other) {
            assert!((a - b).abs() <= 1e-8 * (1.0 + b.abs()), "case {case}: {a} {b}");
        }
    }
    assert!(real > 400);
}

#[test]
fn closed_forms_agree_with_isolation() {
    for case in 0..2000 {
        let mut random = Random::for_case(13, case);
        let c: Vec<f64> = (0..5).map(|_| random.uniform(-1.0, 1.0)).collect();
        let direct = [
            quadratic_roots(c[2], c[1], c[0]),
            cubic_roots([c[0], c[1], c[2], c[3]]),
            quartic_roots([c[0], c[1], c[2], c[3], c[4]]),
        ];
        for (degree, direct) in (2..=4).zip(direct) {
            let found = values(&Polynomial::new(c[..=degree].to_vec()).unwrap().real_roots().unwrap());
            assert_eq!(found.len(), direct.len(), "case {case}: {found:?} {direct:?}");
            for (a, b) in found.iter().zip(&direct) {
                assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "case {case}: {a} {b}");
            }
        }
    }
}

#[test]
fn multiple_roots_are_one_cluster_with_its_count() {
    for scale in [1e-6, 1.0, 1e6] {
        for (roots, wanted) in [
            (vec![0.5, 0.5, -1.25], vec![(-1.25, 1), (0.5, 2)]),
            (vec![0.7, 0.7, 0.7, 0.1], vec![(0.1, 1), (0.7, 3)]),
            (vec![0.3, 0.3, 0.9, 0.9], vec![(0.3, 2), (0.9, 2)]),
            (vec![0.0, 0.0, 2.0], vec![(0.0, 2), (2.0, 1)]),
            (vec![1.0, 1.0, 1.0, 1.0], vec![(1.0, 4)]),
        ] {
            let scaled: Vec<f64> = roots.iter().map(|r| r * scale).collect();
            let found = with_roots(&scaled, 3.0).real_roots().unwrap();
            let seen: Vec<usize> = found.iter().map(|r| r.multiplicity).collect();
            assert_eq!(seen, wanted.iter().map(|w| w.1).collect::<Vec<_>>(), "{roots:?} {found:?}");
            for (root, (w, _)) in found.iter().zip(wanted) {
                assert!((root.value - w * scale).abs() <= 1e-4 * scale, "{root:?} {w}");
                assert!(root.low <= root.value && root.value <= root.high);
            }
        }
    }
}

#[test]
fn roots_at_the_ends_and_in_the_middle_are_found_once() {
    let p = with_roots(&[0.0, 0.5, 1.0], 1.0);
    let found = p.roots_in(0.0, 1.0).unwrap();
    assert_eq!(found.len(), 3, "{found:?}");
    for (root, w) in found.iter().zip([0.0, 0.5, 1.0]) {
        assert!((root.value - w).abs() < 1e-14, "{root:?}");
    }
}

#[test]
fn bad_input_is_an_error() {
    assert_eq!(Polynomial::new(vec![f64::NAN]), Err(RootsError::NotFinite));
    let zero = Polynomial::new(vec![0.0, 0.0]).unwrap();
    assert_eq!(zero.real_roots(), Err(RootsError::Zero));
    let p = Polynomial::new(vec![1.0, 1.0]).unwrap();
    assert!(matches!(p.roots_in(1.0, f64::NAN), Err(RootsError::BadInterval { .. })));
    assert_eq!(Polynomial::new(vec![5.0]).unwrap().real_roots(), Ok(vec![]));
}

#[test]
fn roots_of_very_different_size_keep_their_digits() {
    let wanted = [1e-9, 3e-3, 7.0, 2e8];
    let found = with_roots(&wanted, 1e-5).real_roots().unwrap();
    assert_eq!(found.len(), 4, "{found:?}");
    for (root, w) in found.iter().zip(wanted) {
        assert!((root.value - w).abs() < 1e-9 * w, "{root:?}");
    }
}
