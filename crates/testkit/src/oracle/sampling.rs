//! A lower bound on the signed distance by trying many directions and climbing from the best.
//!
//! Source: φ = max over unit n of the separation along n. Concave pieces only: the climb finds a local
//! maximum, so the value can refute an answer and never proves one.
//! Cost: (samples + climbing steps) × vertices.

use super::placement::Placement;
use crate::Random;
use glam::DVec3;

/// Steps of the climb that starts from the best sample; each halves the step where it fails.
const CLIMB_STEPS: usize = 60;

/// The largest separation found over `samples` random directions, their climb, and its direction.
/// Plain f64 about the middle of A: good to a few roundings of the bodies' sizes.
pub fn sampled_separation(
    a: &[DVec3],
    b: &[DVec3],
    placement: &Placement,
    samples: usize,
    random: &mut Random,
) -> (f64, DVec3) {
    let middle = a.iter().sum::<DVec3>() / a.len() as f64;
    let points_a: Vec<DVec3> = a.iter().map(|&p| p - middle).collect();
    let points_b: Vec<DVec3> = b.iter().map(|&p| placement.apply(p).value() - middle).collect();
    let value = |n: DVec3| {
        let high = points_a.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        let low = points_b.iter().map(|p| n.dot(*p)).fold(f64::INFINITY, f64::min);
        low - high
    };
    let mut best = (f64::NEG_INFINITY, DVec3::Z);
    for _ in 0..samples {
        let n = random.direction();
        let found = value(n);
        if found > best.0 {
            best = (found, n);
        }
    }
    let mut step = 1.0;
    for _ in 0..CLIMB_STEPS {
        let n = (best.1 + step * random.in_ball()).normalize_or_zero();
        let found = value(n);
        if n != DVec3::ZERO && found > best.0 {
            best = (found, n);
        } else {
            step *= 0.75;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_comes_close_to_the_slab() {
        let corner = |i: i32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let cube: Vec<DVec3> = (0..8).map(corner).collect();
        let place = Placement::shift(DVec3::new(0.75, 0.125, 0.0));
        let (found, normal) = sampled_separation(&cube, &cube, &place, 500, &mut Random::new(5));
        assert!(found <= -0.25 && found > -0.3, "{found}");
        assert!(normal.x > 0.95);
    }
}
