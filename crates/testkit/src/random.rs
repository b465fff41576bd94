//! Seeded randomness: one generator, and the few distributions that the tests need.
//!
//! The stream is part of a test's meaning (a failure is reported by its seed), so it is written here
//! and never changes with a dependency.

use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::TAU;

/// A small, fast, seeded generator (SplitMix64): the same seed gives the same bits everywhere.
///
/// ```
/// use clearance_testkit::Random;
/// let mut one = Random::new(7);
/// let mut two = Random::new(7);
/// assert_eq!(one.bits(), two.bits());
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator for this seed; neighbouring seeds give unrelated streams.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed ^ 0x5851_f42d_4c95_7f2d }
    }

    /// A generator for case `index` of the run `seed`, so that any case can be repeated alone.
    pub const fn for_case(seed: u64, index: u64) -> Self {
        let mut first = Self::new(seed);
        Self { state: first.bits() ^ index.wrapping_mul(0xd134_2543_de82_ef95) }
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (f64::EPSILON / 2.0)
    }

    /// Uniform in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// 10ˣ with x uniform in [low, high): equally many of every magnitude.
    pub fn log_uniform(&mut self, low_exponent: f64, high_exponent: f64) -> f64 {
        10.0_f64.powf(self.uniform(low_exponent, high_exponent))
    }

    /// Uniform in 0 … count − 1; 0 for an empty range.
    pub fn index(&mut self, count: usize) -> usize {
        ((self.bits() >> 32).wrapping_mul(count as u64) >> 32) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of the values.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.index(values.len())]
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.uniform(-1.0, 1.0);
        let (sin, cos) = (TAU * self.unit()).sin_cos();
        let r = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(r * cos, r * sin, z).normalize()
    }

    /// Uniform in the unit ball.
    pub fn in_ball(&mut self) -> DVec3 {
        self.direction() * self.unit().cbrt()
    }

    /// A rotation, uniform over all of them (Shoemake's quaternions).
    pub fn quaternion(&mut self) -> DQuat {
        let u = self.unit();
        let (s1, c1) = (TAU * self.unit()).sin_cos();
        let (s2, c2) = (TAU * self.unit()).sin_cos();
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(p * s1, p * c1, q * s2, q * c2).normalize()
    }

    /// The matrix of a uniform rotation.
    pub fn rotation(&mut self) -> DMat3 {
        DMat3::from_quat(self.quaternion())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_no_preferred_side() {
        let mut random = Random::new(1);
        let n = 20_000;
        let mean = (0..n).map(|_| random.direction()).sum::<DVec3>() / f64::from(n);
        let ball = (0..n).map(|_| random.in_ball().length()).sum::<f64>() / f64::from(n);
        assert!(mean.length() < 0.02, "{mean}");
        assert!((ball - 0.75).abs() < 0.01, "{ball}");
    }

    #[test]
    fn rotations_turn_z_uniformly() {
        let mut random = Random::new(2);
        let n = 20_000;
        let mut mean = DVec3::ZERO;
        for _ in 0..n {
            let r = random.rotation();
            assert!((r.determinant() - 1.0).abs() < 1e-14);
            mean += r * DVec3::Z;
        }
        assert!(mean.length() / f64::from(n) < 0.02);
    }

    #[test]
    fn indices_cover_their_range() {
        let mut random = Random::new(3);
        let mut seen = [0; 7];
        for _ in 0..7000 {
            seen[random.index(7)] += 1;
        }
        assert!(seen.iter().all(|&n| n > 800), "{seen:?}");
    }
}
