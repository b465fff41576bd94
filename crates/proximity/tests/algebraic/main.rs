//! The algebraic route against multistart: nothing that Newton's method finds from many starts is missed, at every
//! scale and far from the origin, and symmetric configurations say that they are.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod contact;
mod oracle;
mod point;
mod surfaces;

use clearance_geometry::{DVec3, Pose};
use clearance_proximity::algebraic::{Critical, CriticalSet};
use clearance_testkit::Random;

/// Scales, and distances from the origin in units of the scale.
const PLACES: [(f64, f64); 5] = [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1.0, 1e4), (1e-6, 1e4)];

/// The random numbers of a case, its scale, and how far from the origin it stands.
pub(crate) fn case_of(seed: u64, case: u64) -> (Random, f64, DVec3) {
    let (scale, away) = PLACES[case as usize % PLACES.len()];
    (Random::for_case(seed, case), scale, DVec3::new(1.0, -2.0, 0.5) * (away * scale))
}

pub(crate) fn pose(random: &mut Random, reach: f64) -> Pose {
    Pose::new(random.quaternion(), random.in_ball() * reach).unwrap()
}

/// Moved by `offset`, exactly the same for both of a pair.
pub(crate) fn placed(pose: Pose, offset: DVec3) -> Pose {
    pose.with_translation(pose.translation() + offset)
}

/// Every pair is what it says, and nothing that the oracle found is missing.
pub(crate) fn check(set: &CriticalSet, found: &[oracle::Found], size: f64, what: &str) {
    for pair in &set.pairs {
        check_pair(pair, size, what);
    }
    assert!(set.pairs.is_sorted_by(|a, b| a.distance <= b.distance), "{what}: not sorted");
    for f in found {
        let near = |pair: &Critical| (0..2).all(|k| (pair.points[k] - f.points[k]).length() < 1e-6 * size);
        assert!(
            set.pairs.iter().any(near),
            "{what}: missed {:?} at {}; found {:?}",
            f.points,
            (f.points[1] - f.points[0]).length(),
            set.pairs.iter().map(|p| (p.distance, p.isolation)).collect::<Vec<_>>()
        );
    }
}

pub(crate) fn check_pair(pair: &Critical, size: f64, what: &str) {
    assert!(pair.residual <= 1e-9 * size, "{what}: {pair:?}");
    let length = (pair.points[1] - pair.points[0]).length();
    assert!((length - pair.distance).abs() <= 1e-11 * (size + pair.points[0].length()), "{what}: {pair:?}");
    assert!((pair.normal.length() - 1.0).abs() < 1e-12, "{what}: {pair:?}");
}
