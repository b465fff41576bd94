//! Interval operations against exact arithmetic on the bits of their operands.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_geometry::Interval;
use common::Random;
use std::cmp::Ordering;

/// Bits of a fixed-point number that holds any sum of a few products of two f64 exactly:
/// 2⁻²¹⁴⁸ is the lowest bit of a product, 2²⁰⁴⁸ bounds the highest.
const LOWEST: i32 = -2176;
const LIMBS: usize = 136;

/// The sign of Σ one · other in exact arithmetic; all numbers finite.
fn sign_of_sum(products: &[(f64, f64)]) -> Ordering {
    let mut limbs = [0i64; LIMBS];
    for &(one, other) in products {
        let (m, e, negative) = parts(one);
        let (n, f, minus) = parts(other);
        let at = (e + f - LOWEST) as usize;
        let (limb, shift) = (at / 32, at % 32);
        // 106 bits of product shifted by up to 31 reach over five limbs of 32 bits.
        let product = u128::from(m) * u128::from(n);
        let pieces = [product as u64, (product >> 64) as u64];
        let mut carry = 0u128;
        for (i, piece) in
            [pieces[0] as u32, (pieces[0] >> 32) as u32, pieces[1] as u32, (pieces[1] >> 32) as u32, 0]
                .into_iter()
                .enumerate()
        {
            let word = (u128::from(piece) << shift) + carry;
            let digit = (word & 0xFFFF_FFFF) as i64;
            carry = word >> 32;
            limbs[limb + i] += if negative == minus { digit } else { -digit };
        }
    }
    let mut carry = 0i64;
    let mut zero = true;
    for limb in limbs {
        let sum = limb + carry;
        carry = sum >> 32;
        zero &= sum & 0xFFFF_FFFF == 0;
    }
    if carry < 0 {
        Ordering::Less
    } else if zero {
        Ordering::Equal
    } else {
        Ordering::Greater
    }
}

/// Mantissa, exponent and sign.
fn parts(value: f64) -> (u64, i32, bool) {
    assert!(value.is_finite());
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7FF) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let negative = bits >> 63 == 1;
    if exponent == 0 { (fraction, -1074, negative) } else { (fraction | 1 << 52, exponent - 1075, negative) }
}

#[test]
fn exact_checker_knows_simple_sums() {
    assert_eq!(sign_of_sum(&[(1.0, 1.0), (-1.0, 1.0)]), Ordering::Equal);
    assert_eq!(sign_of_sum(&[(1e300, 1e300), (5e-324, -5e-324), (-1e300, 1e300)]), Ordering::Less);
    assert_eq!(sign_of_sum(&[(0.1, 3.0), (-0.3, 1.0)]), Ordering::Greater);
    assert_eq!(sign_of_sum(&[(f64::MAX, f64::MAX), (f64::MIN, f64::MAX)]), Ordering::Equal);
    assert_eq!(sign_of_sum(&[(3.0, 5.0), (-15.0, 1.0), (0.0, -7.0)]), Ordering::Equal);
}

/// Numbers of every size; small whole numbers and powers of two often, for exact cases.
fn number(random: &mut Random) -> f64 {
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    sign * match random.below(10) {
        0 => 0.0,
        1 => random.below(100) as f64,
        2 => 2f64.powi(random.below(2000) as i32 - 1000),
        3 => f64::from_bits(random.bits() & ((1 << 52) - 1)),
        4 => f64::from_bits(0x7FE0_0000_0000_0000 | random.bits() & ((1 << 52) - 1)),
        5 => random.range(0.0, 1.0) * 2f64.powi(random.below(2000) as i32 - 1000),
        _ => random.range(0.5, 2.0),
    }
}

/// An interval and two of its members, ends often.
fn interval(random: &mut Random) -> (Interval, f64) {
    let one = number(random);
    let other = match random.below(4) {
        0 => one,
        1 => one * (1.0 + f64::EPSILON),
        2 => -one,
        _ => number(random),
    };
    let other = if other.is_finite() { other } else { one };
    let whole = Interval::between(one, other);
    let member = match random.below(3) {
        0 => whole.low(),
        1 => whole.high(),
        _ => (0.5 * one + 0.5 * other).clamp(whole.low(), whole.high()),
    };
    (whole, member)
}

/// Whether `low ≤ Σ products ≤ high`, infinite ends included.
fn holds(result: Interval, products: &[(f64, f64)]) -> bool {
    let compare = |end: f64| {
        let mut all = products.to_vec();
        all.push((-end, 1.0));
        sign_of_sum(&all)
    };
    assert!(!result.low().is_nan() && !result.high().is_nan() && result.low() <= result.high());
    (result.low() == f64::NEG_INFINITY || compare(result.low()) != Ordering::Less)
        && (result.high() == f64::INFINITY || compare(result.high()) != Ordering::Greater)
}

/// Whether each end is within two steps of the exact value; an end that overflowed has no such steps.
fn tight(result: Interval, low: &[(f64, f64)], high: &[(f64, f64)]) -> bool {
    let order = |end: f64, sum: &[(f64, f64)]| {
        let mut all = sum.to_vec();
        all.push((-end, 1.0));
        sign_of_sum(&all)
    };
    let (above, below) = (result.low().next_up().next_up(), result.high().next_down().next_down());
    let low_ok = result.low().is_infinite() || above.is_infinite() || order(above, low) != Ordering::Greater;
    let high_ok = result.high().is_infinite() || below.is_infinite() || order(below, high) != Ordering::Less;
    low_ok && high_ok
}

#[test]
fn million_random_operations_contain_the_exact_result() {
    let mut random = Random(1);
    let (mut exact, mut unbounded, mut crossing, mut denormal) = (0, 0, 0, 0);
    const ROUNDS: usize = 125_000;
    for round in 0..ROUNDS {
        let (a, x) = interval(&mut random);
        let (b, y) = interval(&mut random);
        let sum = a + b;
        assert!(holds(sum, &[(x, 1.0), (y, 1.0)]), "{round}: {a:?} + {b:?} = {sum:?} misses {x:e} + {y:e}");
        let difference = a - b;
        assert!(holds(difference, &[(x, 1.0), (-y, 1.0)]), "{round}: {a:?} - {b:?} = {difference:?}");
        let product = a * b;
        assert!(holds(product, &[(x, y)]), "{round}: {a:?} * {b:?} = {product:?} misses {x:e} * {y:e}");
        assert!(holds(a * y, &[(x, y)]), "{round}: {a:?} * {y:e}");
        assert!(holds(a.square(), &[(x, x)]) && a.square().low() >= 0.0, "{round}: {a:?}²");
        check_quotient(a / b, (x, y), b);
        check_root(a.sqrt(), x.max(0.0));
        let dot = Interval::dot(&[a, b, -a], &[b, a, b]);
        assert!(holds(dot, &[(x, y), (y, x), (-x, y)]), "{round}: dot");
        let twice = Interval::sum_of_products(&[x, y, x], &[y, x, 0.5]);
        assert!(holds(twice, &[(x, y), (y, x), (x, 0.5)]), "{round}: {x:e} {y:e} {twice:?}");
        assert!(a.abs().contains(x.abs()) && a.hull(b).contains(x) && a.hull(b).contains(y));
        assert!(a.min(b).contains(x.min(y)) && a.max(b).contains(x.max(y)) && (-a).contains(-x));
        assert!(
            a.width() == f64::INFINITY
                || sign_of_sum(&[(a.width(), 1.0), (a.low(), 1.0), (-a.high(), 1.0)]) != Ordering::Less
        );
        exact += usize::from(a.width() == 0.0 && b.width() == 0.0 && product.width() == 0.0);
        unbounded += usize::from(product.high() == f64::INFINITY || product.low() == f64::NEG_INFINITY);
        crossing += usize::from(a.low() < 0.0 && a.high() > 0.0);
        denormal += usize::from(x != 0.0 && x.abs() < f64::MIN_POSITIVE);
    }
    for (count, least) in [(exact, 100), (unbounded, 5000), (crossing, 10_000), (denormal, 5000)] {
        assert!(count > least, "the mix is off: {exact} {unbounded} {crossing} {denormal}");
    }
}

fn check_quotient(quotient: Interval, (x, y): (f64, f64), divisor: Interval) {
    if divisor.contains(0.0) {
        assert_eq!(quotient, Interval::ENTIRE);
        return;
    }
    // low ≤ x / y ≤ high, multiplied by y.
    let sign = y.signum();
    let above = |end: f64| sign_of_sum(&[(x, sign), (-end, y.abs())]);
    assert!(quotient.low() <= quotient.high());
    assert!(quotient.low() == f64::NEG_INFINITY || above(quotient.low()) != Ordering::Less, "{x:e} / {y:e}");
    assert!(quotient.high() == f64::INFINITY || above(quotient.high()) != Ordering::Greater, "{x:e} / {y:e}");
}

fn check_root(root: Interval, x: f64) {
    let (low, high) = (root.low(), root.high());
    assert!(low >= 0.0 && low <= high);
    assert!(sign_of_sum(&[(low, low), (-x, 1.0)]) != Ordering::Greater, "√{x:e} = {root:?}");
    assert!(sign_of_sum(&[(high, high), (-x, 1.0)]) != Ordering::Less, "√{x:e} = {root:?}");
}

#[test]
fn sums_and_products_are_at_most_two_steps_wide() {
    let mut random = Random(2);
    for _ in 0..100_000 {
        let (a, b) = (interval(&mut random).0, interval(&mut random).0);
        assert!(tight(a + b, &[(a.low(), 1.0), (b.low(), 1.0)], &[(a.high(), 1.0), (b.high(), 1.0)]));
        assert!(tight(a - b, &[(a.low(), 1.0), (-b.high(), 1.0)], &[(a.high(), 1.0), (-b.low(), 1.0)]));
        let corners = [(a.low(), b.low()), (a.low(), b.high()), (a.high(), b.low()), (a.high(), b.high())];
        let order = |p: &(f64, f64), q: &(f64, f64)| sign_of_sum(&[*p, (-q.0, q.1)]);
        let low = corners.iter().min_by(|p, q| order(p, q)).unwrap();
        let high = corners.iter().max_by(|p, q| order(p, q)).unwrap();
        assert!(tight(a * b, &[*low], &[*high]), "{a:?} * {b:?} = {:?}", a * b);
    }
}

#[test]
fn exact_operations_stay_points() {
    let point = Interval::point;
    assert_eq!(point(3.0) * point(7.0), point(21.0));
    assert_eq!(point(21.0) / point(7.0), point(3.0));
    assert_eq!(point(2.25).sqrt(), point(1.5));
    assert_eq!(point(0.1) - point(0.1), Interval::ZERO);
    assert_eq!(Interval::ZERO * Interval::ENTIRE, Interval::ZERO);
}

#[test]
fn overflow_and_bad_input_stay_containing() {
    let big = Interval::point(f64::MAX);
    assert_eq!((big + big).high(), f64::INFINITY);
    assert_eq!((big + big).low(), f64::MAX);
    assert_eq!((big * -big).low(), f64::NEG_INFINITY);
    assert_eq!((big * -big).high(), f64::MIN);
    assert_eq!((big / Interval::point(0.5)).high(), f64::INFINITY);
    assert_eq!(Interval::point(f64::NAN), Interval::ENTIRE);
    assert_eq!(Interval::point(f64::INFINITY).low(), f64::MAX);
    assert_eq!(Interval::ENTIRE - Interval::ENTIRE, Interval::ENTIRE);
    assert_eq!(Interval::ENTIRE * Interval::ENTIRE, Interval::ENTIRE);
    assert_eq!(Interval::ENTIRE.sqrt(), Interval::between(0.0, f64::INFINITY).hull(Interval::ZERO));
    let ray = Interval::point(1.0) / Interval::between(1.0, f64::INFINITY);
    assert_eq!((ray.low(), ray.high()), (0.0, 1.0));
    assert!(!Interval::ENTIRE.contains(f64::NAN) && !Interval::ENTIRE.contains(f64::INFINITY));
}
