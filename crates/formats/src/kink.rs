//! Whether the distance of curved bodies has a derivative where it is asked for.
//!
//! Source: a distance is the least of the distances of its pairs of nearest points. With one pair it is smooth; with
//! several its second difference along nearly every motion is as large as the motion.
//! Differs: one motion in general position is probed to both sides, with a turn in it.
//! Ends because: three queries.
//! Cost: three queries.
//! Not promised: distances to the last digit where their search takes too long, as beside a curve of nearest points: the
//! points found there are near enough to tell. Nor pairs of nearest points whose normals differ by less than `KINK_REL`, and pairs farther than the probe
//! from being equally near; the former are taken for one.

use clearance_geometry::{Body, DQuat, DVec3, Pose, tolerance};
use clearance_proximity::{Precision, QueryError, Tracker};

/// Directions of no symmetry, of length 1 within rounding.
const WAY: DVec3 = DVec3::new(0.482_963, 0.615_661, 0.622_664);
const AXIS: DVec3 = DVec3::new(0.707_825, -0.413_487, 0.572_741);

/// Pairs of parts that each of the queries may look at.
const PROBE_PAIRS: u64 = 20_000;

/// Whether the distance of B at `pose_ab` has a kink: several pairs of points are nearest. `size` is that of both bodies,
/// `arm` how far points of B are from its frame's origin.
pub(crate) fn has_kink(
    [a, b]: [&Body; 2],
    pose_ab: &Pose,
    distance: f64,
    [size, arm]: [f64; 2],
    max_pairs: Option<u64>,
) -> Result<bool, QueryError> {
    let step = tolerance::KINK_PROBE_REL * distance.min(size);
    let max_pairs = Some(max_pairs.unwrap_or(PROBE_PAIRS).min(PROBE_PAIRS));
    let max_error = Some(tolerance::KINK_ERROR_REL * step);
    let precision = Precision { max_error, max_pairs, ..Precision::default() };
    let mut tracker = Tracker::new();
    let mut at = |step: f64| -> Result<f64, QueryError> {
        let angle = if arm > 0.0 { step / arm } else { 0.0 };
        let rotation = DQuat::from_axis_angle(AXIS.normalize(), angle) * pose_ab.quaternion();
        let moved = Pose::new(rotation.normalize(), pose_ab.translation() + WAY * step);
        let pose = moved.unwrap_or(*pose_ab);
        Ok(tracker.find(a, b, &pose, &precision)?.proximity.distance)
    };
    let bend = at(step)? + at(-step)? - 2.0 * at(0.0)?;
    Ok(bend.abs() > tolerance::KINK_REL * step)
}
