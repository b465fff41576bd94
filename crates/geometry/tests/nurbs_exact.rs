//! Splines against de Boor's algorithm in exact rational arithmetic, derivatives by numbers that carry them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::DVec3;
use clearance_geometry::curve::ParametricCurve;
use clearance_geometry::surface::ParametricSurface;
use clearance_testkit::Random;
use clearance_testkit::generate::{nurbs_curve, nurbs_surface};
use clearance_testkit::oracle::{Dual, Number, curve_point, difference, surface_point};
use num_rational::BigRational;

type Exact = Dual<BigRational>;

/// A dyadic parameter, so that both sides evaluate at the same number; the ends and knots often.
fn dyadic(random: &mut Random, low: f64, high: f64) -> f64 {
    match random.index(8) {
        0 => low,
        1 => high,
        _ => low + (high - low) * (random.index(1025) as f64 / 1024.0),
    }
}

/// Sizes of each entry's error in units of `unit`.
fn worst(exact: &[Exact; 3], entry: usize, value: DVec3, unit: f64) -> f64 {
    (0..3).map(|i| (difference(&exact[i].0[entry], value[i]) / unit).abs()).fold(0.0, f64::max)
}

/// Largest error of points in ulps of the largest control coordinate, and of derivatives in ulps of the largest
/// control coordinate over the piece's length (squared).
fn curve_errors(random: &mut Random, degree: usize, rational: bool, scale: f64, offset: DVec3) -> [f64; 3] {
    let curve = nurbs_curve(random, degree, rational, scale, offset);
    let (knots, count) = (curve.knots().values().to_vec(), curve.homogeneous_points().len());
    let largest = (0..count).fold(0.0_f64, |m, i| m.max(curve.control_point(i).abs().max_element()));
    let ulp = largest * f64::EPSILON;
    let mut errors = [0.0_f64; 3];
    for _ in 0..4 {
        let domain = curve.domain();
        let t = dyadic(random, domain.low, domain.high);
        let jet = curve.jet(t);
        let at = Dual::variable(BigRational::of(t), 0);
        let exact = curve_point(degree, &knots, curve.homogeneous_points(), t, &at);
        let width = curve.knots().piece(curve.knots().find(t)).width();
        let p = degree as f64;
        errors[0] = errors[0].max(worst(&exact, 0, jet.point, ulp));
        errors[1] = errors[1].max(worst(&exact, 1, jet.first, ulp * p / width));
        errors[2] = errors[2].max(worst(&exact, 3, jet.second, ulp * p * p / (width * width)));
    }
    errors
}

#[test]
fn curve_points_agree_with_exact_arithmetic() {
    let mut random = Random::new(11);
    for degree in [1, 2, 3, 4, 6, 7, 10] {
        for rational in [false, true] {
            let mut most = [0.0_f64; 3];
            for (scale, offset) in
                [(1.0, DVec3::ZERO), (1e-6, DVec3::ZERO), (1e6, DVec3::ZERO), (1.0, DVec3::splat(1e4))]
            {
                for _ in 0..2 {
                    let errors = curve_errors(&mut random, degree, rational, scale, offset);
                    most = [0, 1, 2].map(|i| most[i].max(errors[i]));
                }
            }
            // The largest weight over the smallest is 16, and each derivative divides once more.
            let ratio = if rational { 16.0_f64 } else { 1.0 };
            for (order, most) in most.into_iter().enumerate() {
                let allowed = 8.0 * ratio.powi(order as i32);
                assert!(most <= allowed, "degree {degree}, rational {rational}, {order}: {most} ulps");
            }
        }
    }
}

fn surface_errors(
    random: &mut Random,
    degrees: [usize; 2],
    rational: bool,
    scale: f64,
    offset: DVec3,
) -> [f64; 6] {
    let surface = nurbs_surface(random, degrees, [rational, false], scale, offset);
    let [u, v] = [0, 1].map(|i| surface.knots()[i].values().to_vec());
    let largest = surface.homogeneous_points().iter();
    let largest = largest.fold(0.0_f64, |m, p| m.max((p.truncate() / p.w).abs().max_element()));
    let ulp = largest * f64::EPSILON;
    let mut errors = [0.0_f64; 6];
    for _ in 0..2 {
        let domain = surface.domain();
        let at = [domain.u, domain.v].map(|range| dyadic(random, range.low, range.high));
        let jet = surface.jet(at[0], at[1]);
        let variables = [0, 1].map(|i| Dual::variable(BigRational::of(at[i]), i));
        let exact = surface_point(degrees, [&u, &v], surface.homogeneous_points(), at, &variables);
        let per = [0, 1].map(|i| {
            let knots = &surface.knots()[i];
            degrees[i] as f64 / knots.piece(knots.find(at[i])).width()
        });
        let units = [1.0, per[0], per[1], per[0] * per[0], per[0] * per[1], per[1] * per[1]];
        let found = [jet.point, jet.u, jet.v, jet.uu, jet.uv, jet.vv];
        for i in 0..6 {
            errors[i] = errors[i].max(worst(&exact, i, found[i], ulp * units[i]));
        }
    }
    errors
}

#[test]
fn surface_points_agree_with_exact_arithmetic() {
    let mut random = Random::new(12);
    for degrees in [[1, 1], [2, 1], [2, 2], [3, 3], [3, 5], [6, 4], [7, 2]] {
        for rational in [false, true] {
            let mut most = [0.0_f64; 6];
            for (scale, offset) in [(1.0, DVec3::ZERO), (1e-6, DVec3::ZERO), (1e6, DVec3::splat(1e10))] {
                for _ in 0..2 {
                    let errors = surface_errors(&mut random, degrees, rational, scale, offset);
                    most = [0, 1, 2, 3, 4, 5].map(|i| most[i].max(errors[i]));
                }
            }
            let ratio = if rational { 16.0_f64 } else { 1.0 };
            for (order, most) in [0, 1, 1, 2, 2, 2].into_iter().zip(most) {
                let allowed = 8.0 * ratio.powi(order);
                assert!(most <= allowed, "degrees {degrees:?}, rational {rational}, {order}: {most} ulps");
            }
        }
    }
}
