//! Polynomials from text, their derivatives and bounds, and the sheets of their zero sets.
#![allow(clippy::unwrap_used, clippy::panic)]

use clearance_geometry::DVec3;
use clearance_geometry::algebraic::{AlgebraicError, AlgebraicSurface, Polynomial, PolynomialError};
use clearance_geometry::bound::Aabb;
use clearance_testkit::Random;
use clearance_testkit::oracle::{Dual, Number};

fn parse(text: &str) -> Polynomial {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn cube(half: f64) -> Aabb<3> {
    Aabb { low: [-half; 3], high: [half; 3] }
}

#[test]
fn polynomials_mean_what_is_written() {
    let at = DVec3::new(2.0, 3.0, -1.5);
    let (x, y, z) = (at.x, at.y, at.z);
    for (text, value) in [
        ("x^2 + y^2/4 - 1", x * x + y * y / 4.0 - 1.0),
        ("2x", 2.0 * x),
        ("2x y(z-1)", 2.0 * x * y * (z - 1.0)),
        ("-x^2", -x * x),
        ("-(x - y)^3 * -2", 2.0 * (x - y).powi(3)),
        ("1.5e1 z - .5", 15.0 * z - 0.5),
        ("x*-y", -x * y),
        ("x/-2", -x / 2.0),
        ("((x))", x),
        ("x^0", 1.0),
        ("  z ^ 2 ", z * z),
        ("x - - y", x + y),
        ("x/(1+1)", x / 2.0),
    ] {
        assert_eq!(parse(text).value(at), value, "{text}");
    }
    assert_eq!(parse("x - x").constant(), Some(0.0));
}

#[test]
fn polynomial_faults_are_named_with_their_place() {
    let fault = |text: &str| text.parse::<Polynomial>().unwrap_err();
    assert_eq!(fault(""), PolynomialError::Ends);
    assert_eq!(fault("x +"), PolynomialError::Ends);
    assert_eq!(fault("(x"), PolynomialError::Ends);
    assert_eq!(fault("x + q"), PolynomialError::Unexpected { found: 'q', at: 4 });
    assert_eq!(fault("x)"), PolynomialError::Unexpected { found: ')', at: 1 });
    assert_eq!(fault("1.2.3"), PolynomialError::BadNumber { at: 0 });
    assert_eq!(fault("1e999"), PolynomialError::BadNumber { at: 0 });
    assert_eq!(fault("x^-1"), PolynomialError::BadExponent { at: 2, most: 16 });
    assert_eq!(fault("x^1.5"), PolynomialError::BadExponent { at: 2, most: 16 });
    assert_eq!(fault("x^99"), PolynomialError::BadExponent { at: 2, most: 16 });
    assert_eq!(fault("1/x"), PolynomialError::BadDivisor { at: 2 });
    assert_eq!(fault("x/0"), PolynomialError::BadDivisor { at: 2 });
    assert_eq!(fault("x^10 y^10"), PolynomialError::DegreeTooHigh { degree: 20, most: 16 });
    assert_eq!(fault("1e200 * 1e200"), PolynomialError::NotFinite);
    assert!(matches!(fault(&"(".repeat(10_000)), PolynomialError::TooDeep { .. }));
}

const TORUS: &str = "(x^2 + y^2 + z^2 + 3)^2 - 16(x^2 + y^2)";

#[test]
fn polynomial_derivatives_agree_with_automatic_ones() {
    let mut random = Random::new(31);
    let texts = [TORUS, "x^3 y^2 z - 2 x y + z^5 - 1", "x + 2y - 3z"];
    for text in texts {
        let polynomial = parse(text);
        for _ in 0..50 {
            let p = 2.0 * random.in_ball();
            let jet = polynomial.jet(p);
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let mut at = [0, 1, 2].map(|k| Dual::constant(p[k]));
                at[i] = Dual::variable(p[i], 0);
                at[j] = Dual::variable(p[j], 1);
                let power = |k: usize, n: u8| (0..n).fold(Dual::<f64>::of(1.0), |q, _| q * at[k].clone());
                let sum = polynomial.terms().iter().fold(Dual::<f64>::of(0.0), |sum, &(e, c)| {
                    sum + Dual::of(c) * power(0, e[0]) * power(1, e[1]) * power(2, e[2])
                });
                let h = jet.hessian;
                let found =
                    [jet.value, jet.gradient[i], jet.gradient[j], h.col(i)[i], h.col(i)[j], h.col(j)[j]];
                for (k, (found, expected)) in found.iter().zip(&sum.0).enumerate() {
                    assert!((found - expected).abs() < 1e-10, "{text} {k}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn polynomial_ranges_contain_samples_and_tighten() {
    let mut random = Random::new(32);
    for text in [TORUS, "x^3 y^2 z - 2 x y + z^5 - 1", "x", "4"] {
        let polynomial = parse(text);
        for _ in 0..60 {
            let scale = *random.pick(&[1e-3, 1.0, 1e3]);
            let corner = scale * random.in_ball();
            let size = scale * random.log_uniform(-6.0, 0.0);
            let place = Aabb { low: corner.to_array(), high: (corner + DVec3::splat(size)).to_array() };
            let range = polynomial.range(&place);
            for _ in 0..40 {
                let at = corner + size * DVec3::new(random.unit(), random.unit(), random.unit());
                let value = polynomial.value(at.min(DVec3::from_array(place.high)));
                // The value is rounded itself.
                let slack = 1e-13
                    * polynomial.terms().iter().fold(1.0_f64, |most, (_, c)| most.max(c.abs()))
                    * scale.max(1.0).powi(polynomial.degree() as i32);
                assert!(
                    range.low() - slack <= value && value <= range.high() + slack,
                    "{text} {range:?} {value}"
                );
            }
        }
    }
    let wide = parse(TORUS).range(&Aabb { low: [1.0; 3], high: [1.01; 3] });
    assert!(wide.width() < 0.5, "{wide:?}");
}

#[test]
fn sheets_are_found_one_by_one() {
    let cases = [
        ("x^2 + y^2 + z^2 - 1", 1),
        (TORUS, 1),
        ("x^2 - y^2 - z^2 - 1", 2),
        ("((x-2)^2 + y^2 + z^2 - 1)((x+2)^2 + y^2 + z^2 - 1)", 2),
        ("(x-2.9)^2 + (y-2.9)^2 + z^2 - 0.01", 1),
        ("z", 1),
        ("x^2 + y^2 - z^2", 1),
    ];
    for (text, count) in cases {
        let surface = AlgebraicSurface::new(parse(text), cube(3.7)).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(surface.sheets().len(), count, "{text}");
        for sheet in surface.sheets() {
            let jet = surface.polynomial().jet(sheet.point);
            assert!(jet.value.abs() < 1e-12 * jet.gradient.length().max(1.0), "{text}: {sheet:?}");
            assert!((sheet.normal.dot(jet.gradient) / jet.gradient.length() - 1.0).abs() < 1e-12);
            assert!(surface.within().contains(sheet.point.to_array()));
        }
    }
}

#[test]
fn cone_apex_is_reported_as_singular() {
    let cone = AlgebraicSurface::new(parse("x^2 + y^2 - z^2"), cube(3.7)).unwrap();
    assert_eq!(cone.singular_points().len(), 1);
    assert!(cone.singular_points()[0].length() < 1e-8);
    let sphere = AlgebraicSurface::new(parse("x^2 + y^2 + z^2 - 1"), cube(3.7)).unwrap();
    assert!(sphere.singular_points().is_empty() && sphere.undecided_cells() == 0);
}

#[test]
fn empty_and_singular_zero_sets_are_errors() {
    let fault = |text: &str| AlgebraicSurface::new(parse(text), cube(3.0)).unwrap_err();
    assert_eq!(fault("x^2 + y^2 + z^2 + 1"), AlgebraicError::Empty);
    assert_eq!(fault("x^2 + y^2 + z^2 - 100"), AlgebraicError::Empty);
    assert_eq!(fault("1"), AlgebraicError::Empty);
    let AlgebraicError::Singular { at } = fault("x^2 + y^2 + z^2") else { panic!() };
    assert!(DVec3::from_array(at).length() < 1e-8);
    assert!(matches!(fault("(x^2 + y^2 + z^2 - 1)^2"), AlgebraicError::Singular { .. }));
    let flat = Aabb { low: [0.0; 3], high: [1.0, 0.0, 1.0] };
    assert_eq!(AlgebraicSurface::new(parse("x"), flat), Err(AlgebraicError::BadBox { axis: 1 }));
    assert_eq!(AlgebraicSurface::new(parse("x"), cube(f64::NAN)), Err(AlgebraicError::BadBox { axis: 0 }));
}

#[test]
fn refine_reaches_the_surface() {
    let torus = AlgebraicSurface::new(parse(TORUS), cube(3.7)).unwrap();
    let point = torus.refine(DVec3::new(3.3, 0.1, 0.4)).unwrap();
    assert!(torus.polynomial().value(point).abs() < 1e-12);
}
