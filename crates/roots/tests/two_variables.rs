//! Both resultants against each other and against Newton's method from many starts.
#![allow(clippy::unwrap_used, missing_docs)]

use clearance_roots::{Bivariate, Candidate, RootsError, Shape, solve_hidden, solve_outside, solve_pair};
use clearance_testkit::Random;

fn newton(f: &Bivariate, g: &Bivariate, mut s: f64, mut t: f64) -> Option<[f64; 2]> {
    for _ in 0..60 {
        let ([a, fs, ft], [b, gs, gt]) = (f.jet(s, t), g.jet(s, t));
        let determinant = fs * gt - ft * gs;
        let (ds, dt) = ((a * gt - b * ft) / determinant, (fs * b - gs * a) / determinant);
        (s, t) = (s - ds, t - dt);
        if !(s.abs() < 1e3 && t.abs() < 1e3) {
            return None;
        }
        if ds.abs() + dt.abs() < 1e-13 * (1.0 + s.abs() + t.abs()) {
            return Some([s, t]);
        }
    }
    None
}

fn random(shape: Shape, random: &mut Random) -> Bivariate {
    let c: Vec<f64> = (0..shape.count()).map(|_| random.uniform(-1.0, 1.0)).collect();
    Bivariate::from_fn(shape, |i, j| c[shape.index(i, j)])
}

fn has(found: &[Candidate], zero: [f64; 2], tolerance: f64) -> bool {
    found.iter().any(|c| {
        (c.s[0] / c.s[1] - zero[0]).abs() <= tolerance * (1.0 + zero[0].abs())
            && (c.t[0] / c.t[1] - zero[1]).abs() <= tolerance * (1.0 + zero[1].abs())
    })
}

#[test]
fn resultants_miss_nothing_that_newton_finds() {
    let mut zeros = 0;
    let kinds = [
        [Shape::Total(3), Shape::Total(4)],
        [Shape::Total(6), Shape::Total(6)],
        [Shape::Box(3, 4), Shape::Box(4, 3)],
        [Shape::Box(6, 4), Shape::Box(2, 4)],
        [Shape::Box(1, 2), Shape::Box(2, 1)],
    ];
    for case in 0..60 {
        let mut source = Random::for_case(31, case);
        let [a, b] = kinds[case as usize % kinds.len()];
        let (f, g) = (random(a, &mut source), random(b, &mut source));
        let solved = solve_pair(&f, &g).unwrap();
        let hidden = solve_hidden(&f, &g);
        for _ in 0..300 {
            let start = [source.uniform(-2.0, 2.0), source.uniform(-2.0, 2.0)];
            if let Some(zero) = newton(&f, &g, start[0], start[1]) {
                zeros += 1;
                assert!(has(&solved.candidates, zero, 1e-6), "case {case}: {zero:?} {solved:?}");
                if let Ok(hidden) = &hidden
                    && zero[1].abs() < 10.0
                {
                    assert!(has(hidden, zero, 1e-3), "case {case}: hidden misses {zero:?}");
                }
            }
        }
    }
    assert!(zeros > 1000);
}

#[test]
fn sizes_are_the_bezout_numbers() {
    let mut source = Random::new(32);
    let mut size = |a, b| solve_pair(&random(a, &mut source), &random(b, &mut source)).unwrap().size;
    assert_eq!(size(Shape::Total(6), Shape::Total(6)), 36);
    assert_eq!(size(Shape::Box(3, 4), Shape::Box(4, 3)), 25);
    assert_eq!(size(Shape::Box(5, 6), Shape::Box(6, 5)), 61);
}

#[test]
fn common_factor_is_reported_not_solved() {
    let mut source = Random::new(33);
    let factor = random(Shape::Total(1), &mut source);
    let f = random(Shape::Total(2), &mut source).times(&factor);
    let g = random(Shape::Total(2), &mut source).times(&factor);
    assert_eq!(solve_pair(&f, &g), Err(RootsError::NotIsolated));
    assert_eq!(solve_pair(&f, &Bivariate::zero(Shape::Total(3))), Err(RootsError::NotIsolated));
    assert_eq!(solve_pair(&f, &random(Shape::Box(1, 1), &mut source)), Err(RootsError::BadSystem));
}

#[test]
fn double_zero_is_a_candidate() {
    // A circle and a tangent: one double zero at (0, 1).
    let circle =
        Bivariate::from_fn(Shape::Total(2), |i, j| [[-1.0, 0.0, 1.0], [0.0; 3], [1.0, 0.0, 0.0]][i][j]);
    let line = Bivariate::from_fn(Shape::Total(1), |i, j| [[-1.0, 1.0], [0.0, 0.0]][i][j]);
    let solved = solve_pair(&circle, &line).unwrap();
    assert!(has(&solved.candidates, [0.0, 1.0], 1e-6), "{solved:?}");
}

#[test]
fn zeros_outside_a_base_miss_nothing() {
    let mut zeros = 0;
    for case in 0..30 {
        let mut source = Random::for_case(34, case);
        // Three conics through three points: the minors of a matrix of linear forms.
        let lines: Vec<Bivariate> = (0..6).map(|_| random(Shape::Total(1), &mut source)).collect();
        let minor = |i: usize, j: usize| {
            let mut minor = lines[2 * i].times(&lines[2 * j + 1]);
            minor.add(&lines[2 * i + 1].times(&lines[2 * j]), -1.0);
            minor
        };
        let base = [minor(0, 1), minor(1, 2), minor(2, 0)];
        let sextic = |source: &mut Random| {
            let mut sum = Bivariate::zero(Shape::Total(6));
            for (i, a) in base.iter().enumerate() {
                for b in &base[i..] {
                    sum.add(&random(Shape::Total(2), source).times(&a.times(b)), 1.0);
                }
            }
            sum
        };
        let (f, g) = (sextic(&mut source), sextic(&mut source));
        let solved = solve_outside(&f, &g, &base).unwrap();
        assert_eq!(solved.size, 24);
        for _ in 0..200 {
            let start = [source.uniform(-2.0, 2.0), source.uniform(-2.0, 2.0)];
            let Some(zero) = newton(&f, &g, start[0], start[1]) else { continue };
            // Newton's method also creeps to the base.
            if base.iter().all(|b| b.jet(zero[0], zero[1])[0].abs() < 1e-3) {
                continue;
            }
            zeros += 1;
            assert!(has(&solved.candidates, zero, 1e-5), "case {case}: {zero:?} {solved:?}");
        }
    }
    assert!(zeros > 300, "{zeros}");
}
