//! What any direction proves about two convex point sets, and what rounding may cost an answer.
//!
//! Source: the support-function form of the signed distance, `algorithms.md` section 2:
//! φ = max over unit n of (min over B of n·b − max over A of n·a). So every n proves a lower bound on
//! the signed distance, for separated bodies and for overlapping ones alike.
//! Cost: all vertices, in double-double; no search, no graph.

use super::double_double::{Double, Double3};
use super::placement::Placement;
use glam::DVec3;

/// The gap between two slabs: signed distance of the hull of `b`, placed, beyond the hull of `a`
/// along `normal`; a lower bound on the signed distance of the bodies. NaN for a zero normal.
///
/// ```
/// use clearance_testkit::oracle::{Placement, separation};
/// use glam::DVec3;
/// let (a, b) = ([DVec3::ZERO], [DVec3::X]);
/// let placed = Placement::shift(DVec3::new(2.0, 4.0, 0.0));
/// assert_eq!(separation(&a, &b, &placed, DVec3::new(3.0, 4.0, 0.0)), 5.0);
/// ```
pub fn separation(a: &[DVec3], b: &[DVec3], placement: &Placement, normal: DVec3) -> f64 {
    exact_separation(a, b, placement, normal.into()).value()
}

/// As [`separation`], for a direction with more digits than f64 has.
pub fn exact_separation(a: &[DVec3], b: &[DVec3], placement: &Placement, normal: Double3) -> Double {
    let normal_b = Double3::turned_back(&placement.rotation, normal);
    let high_a = a.iter().map(|&v| normal.dot(v.into())).reduce(Double::max);
    let low_b = b.iter().map(|&v| normal_b.dot(v.into())).reduce(Double::min);
    match (high_a, low_b) {
        (Some(high_a), Some(low_b)) => {
            (normal.dot(placement.translation.into()) + low_b - high_a) / normal.length()
        }
        _ => Double::from(f64::NAN),
    }
}

/// The largest magnitude that enters a subtraction when the bodies are compared in the frame of A:
/// rounding anywhere in a query is this length times a small multiple of the unit roundoff.
pub fn scale(a: &[DVec3], b: &[DVec3], placement: &Placement) -> f64 {
    let farthest = |points: &[DVec3]| points.iter().map(|p| p.length()).fold(0.0, f64::max);
    farthest(a) + farthest(b) + placement.translation.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn no_direction_beats_the_distance_of_points() {
        let mut random = Random::new(21);
        for _ in 0..500 {
            let place = Placement { rotation: random.rotation(), translation: random.in_ball() * 3.0 };
            let (p, q) = (random.in_ball(), random.in_ball());
            let apart = (place.apply(q) - p.into()).value();
            let best = separation(&[p], &[q], &place, apart);
            assert!((best - apart.length()).abs() < 1e-15);
            assert!(separation(&[p], &[q], &place, random.direction()) <= best);
        }
    }
}
