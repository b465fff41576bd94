//! The angle of a vector of the plane.
//!
//! Source: an arctangent is brought to at most tan(π/8) by |x| ↔ |y| and by a turn of π/4, where a polynomial has it (a
//! Chebyshev fit of degree 12 in the square).
//! Differs: nothing to differ from.
//! Ends because: there are no loops.
//! Cost: one division and some forty operations without a branch, half of what the standard library takes.
//! Not promised: the last bit.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// tan(π/8).
const HALF_TURNED: f64 = 0.414_213_562_373_095_03;

/// What π is more than its double.
const PI_MORE: f64 = 0.551_531_886_830_049_1 * f64::EPSILON;

/// Of (atan(√z)/√z − 1) / z up to the square of tan(π/8).
const SERIES: [f64; 12] = [
    -0.333_333_333_333_333_3,
    0.199_999_999_999_998_04,
    -0.142_857_142_856_598_06,
    0.111_111_111_051_534_29,
    -0.090_909_087_534_004_99,
    0.076_922_963_721_299_64,
    -0.066_664_248_336_135_52,
    0.058_789_283_985_172_32,
    -0.052_304_498_567_092_406,
    0.045_515_730_866_641_91,
    -0.034_570_044_186_095_536,
    0.016_285_183_029_865_667,
];

/// The angle from the first axis to (x, y), from −π to π, as `y.atan2(x)`.
#[inline]
pub(super) fn turn(y: f64, x: f64) -> f64 {
    let (across, along) = (y.abs(), x.abs());
    let (less, more) = if across < along { (across, along) } else { (along, across) };
    // Within the range of normal numbers, and not both infinite.
    if !(more > f64::MIN_POSITIVE / f64::EPSILON && more < f64::MAX * f64::EPSILON) {
        return y.atan2(x);
    }
    let far = less > HALF_TURNED * more;
    let (over, under) = if far { (less - more, less + more) } else { (less, more) };
    let t = over / under;
    let z = t * t;
    let z2 = z * z;
    let z4 = z2 * z2;
    let [a, b, c, d, e, f, g, h, i, j, k, l] = SERIES;
    let low = (a + b * z) + (c + d * z) * z2;
    let middle = (e + f * z) + (g + h * z) * z2;
    let high = (i + j * z) + (k + l * z) * z2;
    let more_than_t = t * z * (low + z4 * (middle + z4 * high));
    // The angle is `whole` plus or minus what the polynomial has, with what `whole` is short of.
    let (whole, short) = if far { (FRAC_PI_4, 0.25 * PI_MORE) } else { (0.0, 0.0) };
    let (whole, short, sign) =
        if across < along { (whole, short, 1.0) } else { (FRAC_PI_2 - whole, 0.5 * PI_MORE - short, -1.0) };
    let (whole, short, sign) =
        if x.is_sign_negative() { (PI - whole, PI_MORE - short, -sign) } else { (whole, short, sign) };
    (whole + sign * (t + (more_than_t + sign * short))).copysign(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    #[test]
    fn turns_are_those_of_the_standard_library() {
        let mut random = Random::new(9);
        let mut worst = 0.0_f64;
        for _ in 0..200_000 {
            let mut side = || {
                let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
                sign * if random.chance(0.5) { random.unit() } else { random.log_uniform(-30.0, 30.0) }
            };
            let (y, x) = (side(), side());
            let known = y.atan2(x);
            worst = worst.max((turn(y, x) - known).abs() / known.abs());
        }
        assert!(worst <= 2.0 * f64::EPSILON, "{worst:e}");
    }

    #[test]
    fn turns_along_axes_and_diagonals_are_exact() {
        let values = [0.0, -0.0, 1.0, -1.0, 1e-310, -1e-310, 1e308, f64::INFINITY, -f64::INFINITY, 3.0];
        for y in values {
            for x in values {
                let (found, known) = (turn(y, x), y.atan2(x));
                assert!(
                    found.to_bits() == known.to_bits() || (found - known).abs() <= 1e-15,
                    "{y} {x}: {found}"
                );
                assert_eq!(found.is_sign_negative(), known.is_sign_negative(), "{y} {x}: {found}");
            }
        }
        assert!(turn(f64::NAN, 1.0).is_nan() && turn(1.0, f64::NAN).is_nan());
    }
}
