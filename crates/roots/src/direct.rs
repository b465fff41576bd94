//! Real roots of degree two, three and four in closed form, polished.
//!
//! Source: the quadratic with the sign that does not cancel; Viète's and Cardano's cubic; Ferrari's quartic by way of a
//! real root of its resolvent cubic.
//! Differs: every root takes Newton steps on the equation as given, kept only while they lower its value.
//! Ends because: a fixed number of steps.
//! Cost: some tens of nanoseconds; a few square roots and one arc cosine.
//! Not promised: which of two roots closer than the square root of rounding are real; [`crate::Polynomial::real_roots`]
//! says so instead of deciding.

use crate::Polynomial;
use std::f64::consts::TAU;

/// Newton steps after the closed form.
const POLISH_STEPS: usize = 4;

/// Real roots of a t² + b t + c, ascending; a double one once. Lower degrees where leading coefficients are zero.
///
/// ```
/// assert_eq!(clearance_roots::quadratic_roots(1.0, -3.0, 2.0), vec![1.0, 2.0]);
/// ```
pub fn quadratic_roots(a: f64, b: f64, c: f64) -> Vec<f64> {
    if a == 0.0 {
        return if b == 0.0 { Vec::new() } else { vec![-c / b] };
    }
    let half = -0.5 * b;
    let discriminant = half.mul_add(half, -a * c);
    if !(discriminant >= 0.0) {
        return Vec::new();
    }
    let far = half + discriminant.sqrt().copysign(half);
    if far == 0.0 {
        return vec![0.0];
    }
    sorted(vec![far / a, c / far])
}

/// Real roots of c₀ + c₁ t + c₂ t² + c₃ t³, ascending, each once.
pub fn cubic_roots(c: [f64; 4]) -> Vec<f64> {
    if c[3] == 0.0 {
        return quadratic_roots(c[2], c[1], c[0]);
    }
    let shift = -c[2] / (3.0 * c[3]);
    let (p, q) = (
        c[1] / c[3] - 3.0 * shift * shift,
        ((shift + c[2] / c[3]) * shift + c[1] / c[3]) * shift + c[0] / c[3],
    );
    let (third, half) = (p / 3.0, -0.5 * q);
    let discriminant = half * half + third * third * third;
    let roots = if discriminant > 0.0 {
        let far = (half + discriminant.sqrt().copysign(half)).cbrt();
        vec![shift + if far == 0.0 { 0.0 } else { far - third / far }]
    } else {
        let radius = (-third).max(0.0).sqrt();
        let cosine = if radius > 0.0 { (half / (radius * radius * radius)).clamp(-1.0, 1.0) } else { 0.0 };
        let angle = cosine.acos() / 3.0;
        (0..3).map(|k| shift + 2.0 * radius * (angle + TAU * f64::from(k) / 3.0).cos()).collect()
    };
    polished(&c, roots)
}

/// Real roots of c₀ + … + c₄ t⁴, ascending, each once.
///
/// ```
/// let roots = clearance_roots::quartic_roots([24.0, -50.0, 35.0, -10.0, 1.0]);
/// assert!(roots.iter().zip([1.0, 2.0, 3.0, 4.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-12));
/// ```
pub fn quartic_roots(c: [f64; 5]) -> Vec<f64> {
    if c[4] == 0.0 {
        return cubic_roots([c[0], c[1], c[2], c[3]]);
    }
    let [e, d, b, a] = [c[0] / c[4], c[1] / c[4], c[2] / c[4], c[3] / c[4]];
    let shift = -0.25 * a;
    // s⁴ + p s² + q s + r with t = s + shift.
    let p = b - 0.375 * a * a;
    let q = d + a * (0.125 * a * a - 0.5 * b);
    let r = (((shift + a) * shift + b) * shift + d) * shift + e;
    let resolvent = cubic_roots([-q * q, p * p - 4.0 * r, 2.0 * p, 1.0]);
    let square = resolvent.last().copied().unwrap_or(0.0).max(0.0);
    let w = square.sqrt();
    let roots = if w * w * w == 0.0 {
        // q = 0: a quadratic in s².
        let squares = quadratic_roots(1.0, p, r);
        squares.into_iter().filter(|&s| s >= 0.0).flat_map(|s| [s.sqrt(), -s.sqrt()]).collect::<Vec<_>>()
    } else {
        let (half, tilt) = (0.5 * (p + square), 0.5 * q / w);
        let mut both = quadratic_roots(1.0, w, half - tilt);
        both.extend(quadratic_roots(1.0, -w, half + tilt));
        both
    };
    polished(&c, roots.into_iter().map(|s| s + shift).collect())
}

fn sorted(mut roots: Vec<f64>) -> Vec<f64> {
    roots.sort_by(f64::total_cmp);
    roots.dedup();
    roots
}

fn polished(c: &[f64], roots: Vec<f64>) -> Vec<f64> {
    let Ok(polynomial) = Polynomial::new(c.to_vec()) else { return Vec::new() };
    let polish = |mut t: f64| {
        for _ in 0..POLISH_STEPS {
            let (value, slope, _) = polynomial.jet(t);
            let next = t - value / slope;
            if !(polynomial.value(next).abs() < value.abs()) {
                break;
            }
            t = next;
        }
        t
    };
    sorted(roots.into_iter().map(polish).collect())
}
