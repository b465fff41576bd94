//! Cosine, sine and their hyperbolic kin over intervals.
//!
//! Source: monotone pieces between multiples of π (Moore 1966).
//! Differs: a library function's value is widened by what it may be off.
//! Ends because: an interval holds at most three multiples of π; wider ones give −1 … 1.
//! Cost: two calls of the function.
//! Not promised: more than −1 … 1 for angles so large that their reduction says nothing.

use crate::Interval;
use crate::tolerance::{LARGEST_ANGLE_RAD, TRIG_ERROR_REL};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A library function's value with the error that it may have.
fn widened(value: f64) -> Interval {
    let error = value.abs() * TRIG_ERROR_REL + f64::MIN_POSITIVE;
    Interval::between(value - error, value + error).hull(Interval::point(value))
}

fn within_unit(interval: Interval) -> Interval {
    Interval::between(interval.low().max(-1.0), interval.high().min(1.0))
}

/// Cosines of all angles between two, in radians.
pub(crate) fn cos(angles: Interval) -> Interval {
    let (low, high) = (angles.low(), angles.high());
    let far = low.abs().max(high.abs());
    // NaN and infinity land here, and angles whose reduction says nothing.
    if !(far < LARGEST_ANGLE_RAD && high - low < TAU) {
        return Interval::between(-1.0, 1.0);
    }
    let mut range = widened(low.cos()).hull(widened(high.cos()));
    // Extremes at multiples of π; a multiple that rounding puts a little outside still counts.
    let slack = far * TRIG_ERROR_REL + TRIG_ERROR_REL;
    let first = ((low - slack) / PI).ceil();
    let last = ((high + slack) / PI).floor();
    let mut k = first;
    while k <= last {
        range = range.hull(Interval::point(if k.rem_euclid(2.0) == 0.0 { 1.0 } else { -1.0 }));
        k += 1.0;
    }
    within_unit(range)
}

/// Sines of all angles between two, in radians.
pub(crate) fn sin(angles: Interval) -> Interval {
    let (low, high) = (angles.low(), angles.high());
    let far = low.abs().max(high.abs());
    if !(far < LARGEST_ANGLE_RAD && high - low < TAU) {
        return Interval::between(-1.0, 1.0);
    }
    let mut range = widened(low.sin()).hull(widened(high.sin()));
    let slack = far * TRIG_ERROR_REL + TRIG_ERROR_REL;
    let first = ((low - slack - FRAC_PI_2) / PI).ceil();
    let last = ((high + slack - FRAC_PI_2) / PI).floor();
    let mut k = first;
    while k <= last {
        range = range.hull(Interval::point(if k.rem_euclid(2.0) == 0.0 { 1.0 } else { -1.0 }));
        k += 1.0;
    }
    within_unit(range)
}

/// Hyperbolic sines.
pub(crate) fn sinh(t: Interval) -> Interval {
    // Rising everywhere.
    widened(t.low().sinh()).hull(widened(t.high().sinh()))
}

/// Hyperbolic cosines.
pub(crate) fn cosh(t: Interval) -> Interval {
    let ends = widened(t.low().cosh()).hull(widened(t.high().cosh()));
    if t.contains(0.0) { ends.hull(Interval::point(1.0)) } else { ends }
}
