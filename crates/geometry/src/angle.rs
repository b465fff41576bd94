//! The angle of a vector, for parameters of round features.
//!
//! Source: atan x = atan c + atan((x − c) / (1 + c x)), and the series of atan.
//! Differs: five values of c, so that eight terms of the series are all that doubles can tell; the quotient is not taken before it
//! is reduced, so that there is one division.
//! Ends because: there are no loops.
//! Cost: some hundred instructions, two thirds of what the standard library takes, whose angles are right to the last digit.
//! Not promised: the last digit: it may be off by two units.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Lengths beyond this, or below its inverse, are left to the library.
const LONGEST: f64 = 1e100;

/// Where quotients stop being nearest to one of [`CENTERS`].
const ENDS: [f64; 4] = [0.1, 0.3125, 0.53125, 0.8125];

/// Quotients, and their angles.
const CENTERS: [[f64; 2]; 5] = [
    [0.0, 0.0],
    [0.203125, 0.200_398_553_825_878_5],
    [0.421875, 0.399_220_769_575_252_54],
    [0.671875, 0.591_599_710_335_111_4],
    [1.0, FRAC_PI_4],
];

/// The angle in [−π, π] from (1, 0) to (`x`, `y`), as [`f64::atan2`] has it but for the last digit.
///
/// ```
/// use clearance_geometry::angle;
/// assert!((angle(-0.5, -0.5_f64.sqrt() * 1.5_f64.sqrt()) + 150_f64.to_radians()).abs() < 1e-15);
/// ```
#[inline]
pub fn angle(y: f64, x: f64) -> f64 {
    let (across, along) = (y.abs(), x.abs());
    let (least, most) = if across > along { (along, across) } else { (across, along) };
    // Written so that NaN goes to the library.
    if !(most < LONGEST && most > LONGEST.recip()) {
        return y.atan2(x);
    }
    let beyond = |end: f64| usize::from(least > end * most);
    let [center, base] = CENTERS[beyond(ENDS[0]) + beyond(ENDS[1]) + beyond(ENDS[2]) + beyond(ENDS[3])];
    let q = (least - center * most) / (most + center * least);
    let s = q * q;
    let (s2, s4) = (s * s, s * s * (s * s));
    let low = (1.0 / 3.0 - s * (1.0 / 5.0)) + s2 * (1.0 / 7.0 - s * (1.0 / 9.0));
    let high = (1.0 / 11.0 - s * (1.0 / 13.0)) + s2 * (1.0 / 15.0);
    let first = base + (q - q * s * (low + s4 * high));
    let upper = if across > along { FRAC_PI_2 - first } else { first };
    let turned = if x < 0.0 { PI - upper } else { upper };
    turned.copysign(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Within two units of the last digit all around, at every length.
    #[test]
    fn angle_is_that_of_the_library() {
        for length in [1e-90, 1e-3, 1.0, 1e7, 1e120, 1e-120] {
            for step in 0..40_000 {
                let turn = TAU * f64::from(step) / 40_000.0;
                let (y, x) = (length * turn.sin(), length * turn.cos());
                let (found, expected) = (angle(y, x), y.atan2(x));
                let off = (found - expected).abs();
                assert!(off <= 2.0 * f64::EPSILON * expected.abs(), "{turn}: {found} {expected}");
            }
        }
    }

    #[test]
    fn axes_and_zeros_have_the_library_s_angles() {
        let numbers = [0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, f64::INFINITY, f64::NEG_INFINITY];
        for y in numbers {
            for x in numbers {
                let (found, expected) = (angle(y, x), y.atan2(x));
                assert!((found - expected).abs() <= f64::EPSILON * expected.abs(), "{y} {x}: {found}");
                assert_eq!(found.is_sign_negative(), expected.is_sign_negative(), "{y} {x}");
            }
        }
        assert!(angle(f64::NAN, 1.0).is_nan() && angle(1.0, f64::NAN).is_nan());
        for tiny in [1e-20, 1e-200, 5e-324] {
            assert_eq!(angle(tiny, 1.0), tiny);
        }
    }
}
