//! Where a body turns in a time without torque: Euler's equations solved to rounding.
//!
//! Source: Taylor series of m' = m × J·m and q' = ½·q·(J·m), whose coefficients follow from each other by Cauchy products, since
//! both right sides are quadratic. m is the angular momentum in the body's axes, J its inverse inertia.
//! Differs: DIFFERS from 002, which moves orientations with the velocity at one moment: for a slender body an orientation that is
//! off by little has another axis along the kept angular momentum, and so another energy, by as much as the inertias differ.
//! Ends because: times of a fixed share of a radian, so many at most; series of so many terms at most. They converge like the powers
//! of that share, since their coefficients grow no faster than those of 1/(1 − |ω|t): J·(m × J·m), the change of ω, is at most |ω|² for
//! inertias that a body can have.
//! Cost: the square of the number of terms for each quarter of a radian; a few terms where a body turns slowly.
//! Not promised: more than a turn about the axis at the start where a body turns by more than [`MOST_PARTS`] quarters of a radian in a
//! step.

use crate::tolerance::PART_RAD;
use clearance_geometry::{DMat3, DQuat, DVec3};

/// Parts at most.
const MOST_PARTS: f64 = 4096.0;

/// Terms of a series at most.
const TERMS: usize = 32;

/// Where a body is turned to, and how far a point at unit distance may have moved on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turned {
    pub(crate) orientation: DQuat,
    pub(crate) way: f64,
}

/// Turns freely for a time, from an orientation, with angular momentum in world axes and the inverse inertia in the body's.
pub(crate) fn turn_freely(orientation: DQuat, spin: DVec3, inverse_inertia: &DMat3, time: f64) -> Turned {
    let start = orientation.conjugate() * spin;
    let velocity = *inverse_inertia * start;
    let way = velocity.length() * time;
    if spin == DVec3::ZERO {
        return Turned { orientation, way: 0.0 };
    }
    let torque = start.cross(velocity);
    // About a principal axis it keeps turning as it does; also, unseen, where it turns by many turns in one step.
    let steady = torque.length() <= f64::EPSILON * start.length() * velocity.length();
    if steady || !(way <= MOST_PARTS * PART_RAD) {
        return Turned { orientation: about(orientation, velocity * time), way };
    }
    let (mut at, mut turned, mut left, mut way) = (start, orientation, time, 0.0);
    let mut parts = 0.0;
    while left > 0.0 {
        let velocity = *inverse_inertia * at;
        // Inertias that are rounded may let the velocity change faster than it turns.
        let change = (*inverse_inertia * at.cross(velocity)).length() / velocity.length();
        let speed = velocity.length().max(change);
        parts += 1.0;
        if !(parts <= MOST_PARTS) {
            way += velocity.length() * left;
            turned = about(turned, velocity * left);
            break;
        }
        let part = if speed * left <= PART_RAD { left } else { PART_RAD / speed };
        turned = (turned * series(at, inverse_inertia, part)).normalize();
        // The speed grows by no more than its square times the time.
        way += speed * part / (1.0 - speed * part);
        left = if part < left { left - part } else { 0.0 };
        at = turned.conjugate() * spin;
    }
    Turned { orientation: turned, way }
}

/// A turn by a vector in the body's axes.
fn about(orientation: DQuat, turn: DVec3) -> DQuat {
    (orientation * DQuat::from_scaled_axis(turn)).normalize()
}

/// How the axes have turned after a time, from a momentum in them.
fn series(start: DVec3, inverse_inertia: &DMat3, time: f64) -> DQuat {
    // Terms hold their power of the time.
    let mut m = [DVec3::ZERO; TERMS];
    let mut w = [DVec3::ZERO; TERMS];
    let mut q = [(0.0, DVec3::ZERO); TERMS];
    m[0] = start;
    w[0] = *inverse_inertia * start * time;
    q[0] = (1.0, DVec3::ZERO);
    let mut sum = q[0];
    for k in 0..TERMS - 1 {
        let mut next = DVec3::ZERO;
        let mut turn = (0.0, DVec3::ZERO);
        for j in 0..=k {
            let (by, (real, part)) = (w[k - j], q[j]);
            next += m[j].cross(by);
            turn.0 -= part.dot(by);
            turn.1 += by * real + part.cross(by);
        }
        let share = 1.0 / (k + 1) as f64;
        m[k + 1] = next * share;
        w[k + 1] = *inverse_inertia * m[k + 1] * time;
        q[k + 1] = (turn.0 * share / 2.0, turn.1 * (share / 2.0));
        sum = (sum.0 + q[k + 1].0, sum.1 + q[k + 1].1);
        // Every other term may be zero.
        let counts = |k: usize| {
            w[k].abs().max_element() + q[k].0.abs() + q[k].1.abs().max_element() > f64::EPSILON / 16.0
        };
        if !counts(k) && !counts(k + 1) {
            break;
        }
    }
    let (real, part) = sum;
    DQuat::from_xyzw(part.x, part.y, part.z, real).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_testkit::Random;

    /// By many small steps of Runge and Kutta's method in the world's axes, which shares nothing with the series.
    fn stepped(orientation: DQuat, spin: DVec3, inverse: &DMat3, time: f64, count: usize) -> (DQuat, f64) {
        let velocity = |q: DQuat| q * (*inverse * (q.conjugate() * spin));
        let slope = |q: DQuat| {
            let w = velocity(q.normalize());
            DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * q * 0.5
        };
        let (mut q, h, mut way) = (orientation, time / count as f64, 0.0);
        for _ in 0..count {
            way += velocity(q).length() * h;
            let a = slope(q);
            let b = slope(q + a * (h / 2.0));
            let c = slope(q + b * (h / 2.0));
            let d = slope(q + c * h);
            q = (q + (a + b * 2.0 + c * 2.0 + d) * (h / 6.0)).normalize();
        }
        (q, way)
    }

    /// The inertia of a box in axes that are not its own, inverted.
    fn of_box(size: DVec3, random: &mut Random) -> DMat3 {
        let s = size * size;
        let inertia = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) / 12.0;
        let axes = random.rotation();
        axes * DMat3::from_diagonal(inertia.recip()) * axes.transpose()
    }

    #[test]
    fn turns_as_small_steps_do() {
        let mut random = Random::new(41);
        let mut slender = 0;
        for case in 0..60 {
            let ratio = random.log_uniform(-3.0, 0.0);
            let size = match case % 3 {
                0 => DVec3::new(1.0, ratio, ratio),
                1 => DVec3::new(1.0, random.uniform(0.3, 1.0), ratio),
                _ => DVec3::new(1.0, random.uniform(0.3, 1.0), random.uniform(0.3, 1.0)),
            };
            slender += usize::from(ratio < 0.02);
            let inverse = of_box(size, &mut random);
            let orientation = random.quaternion();
            let velocity = random.direction() * random.log_uniform(-3.0, 0.6);
            let spin = orientation * (inverse.inverse() * velocity);
            let found = turn_freely(orientation, spin, &inverse, 1.0);
            let (expected, way) = stepped(orientation, spin, &inverse, 1.0, 40_000);
            let off = (found.orientation * expected.conjugate()).xyz().length();
            assert!(off < 1e-9, "{off} for {size} at {}", velocity.length());
            assert!(found.way >= way * (1.0 - 1e-3), "{} but {way}", found.way);
            assert!(found.way <= 1.4 * way, "{} but {way}", found.way);
        }
        assert!(slender >= 10, "{slender}");
    }

    #[test]
    fn energy_stays() {
        let mut random = Random::new(42);
        for _ in 0..100 {
            let size = DVec3::new(1.0, random.log_uniform(-3.0, 0.0), random.log_uniform(-3.0, 0.0));
            let inverse = of_box(size, &mut random);
            let start = random.quaternion();
            let spin = start * (inverse.inverse() * random.direction() * random.log_uniform(-2.0, 1.5));
            let energy = |q: DQuat| {
                let local = q.conjugate() * spin;
                local.dot(inverse * local)
            };
            let (mut q, before) = (start, energy(start));
            for _ in 0..50 {
                q = turn_freely(q, spin, &inverse, 0.1).orientation;
            }
            assert!((energy(q) / before - 1.0).abs() < 1e-8, "{size} {}", energy(q) / before - 1.0);
        }
    }

    #[test]
    fn balls_and_principal_axes_turn_as_they_do() {
        let inverse = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let spin = inverse.inverse() * axis * 0.7;
            let turned = turn_freely(DQuat::IDENTITY, spin, &inverse, 2.0);
            assert!(turned.orientation.angle_between(DQuat::from_axis_angle(axis, 1.4)) < 1e-7);
            assert!((turned.way - 1.4).abs() < 1e-15);
        }
        let still = turn_freely(DQuat::IDENTITY, DVec3::ZERO, &inverse, 1.0);
        assert_eq!(still, Turned { orientation: DQuat::IDENTITY, way: 0.0 });
        let lost = turn_freely(DQuat::IDENTITY, DVec3::NAN, &inverse, 1.0);
        assert!(lost.orientation.is_nan() && lost.way.is_nan());
    }
}
