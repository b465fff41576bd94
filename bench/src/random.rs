//! Seeded random numbers: the same streams on every machine.

use clearance_geometry::{DQuat, DVec3};

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// From a name, so that every stream has its own numbers.
    pub fn named(name: &str) -> Self {
        Self::new(name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2.0_f64.powi(-52) - 1.0
    }

    /// Uniform in the unit ball, away from its centre.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let point = DVec3::new(self.signed(), self.signed(), self.signed());
            if (1e-4..1.0).contains(&point.length_squared()) {
                return point;
            }
        }
    }

    /// A random direction.
    pub fn direction(&mut self) -> DVec3 {
        self.in_ball().normalize()
    }

    /// A random orientation.
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let q = DQuat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed());
            if (1e-4..1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }
}
