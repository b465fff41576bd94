//! Bounds on how far points of two bodies can have moved towards each other, and the clock that adds
//! them up.
//!
//! Source: the scheduling scheme of 003, whose guess of the time to a collision becomes a bound.
//! For the rotations R and R′ of two frames, R′ − R = (Q − 1) R with Q a rotation by θ. Its largest
//! singular value is 2 sin(θ/2), taken by every vector across the axis, and its squared Frobenius norm
//! is tr (Q − 1)ᵀ(Q − 1) = 6 − 2 tr Q = 8 sin²(θ/2). So |(R′ − R) x| ≤ ‖R′ − R‖/√2 · |x|, without an
//! angle and without its cancellation near 0.
//! Differs: DIFFERS: the stored matrices are rotations only to rounding; what they are off is measured
//! and added, so the bound holds for the maps as stored.
//! Ends because: there are no loops.
//! Cost: about 60 multiplications per body.
//! Not promised: a bound on the way between the frames; only start and end are compared.

use crate::interval::{add_down, add_up};
use crate::{DMat3, DVec3, Pose, tolerance};

/// How far a point within `radius` of `center` (body frame) has moved at most from `before` to
/// `after`; a length, rounded up.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, motion_bound};
/// let turned = Pose::from_axis_angle(DVec3::Z, 60_f64.to_radians(), DVec3::ZERO)?;
/// let bound = motion_bound(&Pose::IDENTITY, &turned, DVec3::ZERO, 2.0);
/// assert!((bound - 2.0).abs() < 1e-12);
/// # Ok::<(), clearance_geometry::PoseError>(())
/// ```
pub fn motion_bound(before: &Pose, after: &Pose, center: DVec3, radius: f64) -> f64 {
    let turn = after.rotation() - before.rotation();
    let shift = after.translation() - before.translation();
    moved(turn, shift, turning_of(turn, before, after), (center, radius))
}

/// [`motion_bound`] for two bodies of which each is seen from the other: B from A and A from B, before and after; and a
/// ball around B and around A, each in the frame of its body. Both turn alike, which is found once: how far the turn alone
/// moves a point at distance 1 of where it turns about comes last.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, motion_bound, motion_bounds};
/// let seen = |degrees: f64| {
///     let pose = Pose::from_axis_angle(DVec3::Z, degrees.to_radians(), DVec3::X * 3.0)?;
///     Ok::<_, clearance_geometry::PoseError>([pose, pose.inverse()])
/// };
/// let (before, after) = (seen(0.0)?, seen(10.0)?);
/// let balls = [(DVec3::ZERO, 1.0), (DVec3::Y, 2.0)];
/// let (both, turn) = motion_bounds(&before, &after, balls);
/// for i in 0..2 {
///     let alone = motion_bound(&before[i], &after[i], balls[i].0, balls[i].1);
///     assert!((both[i] - alone).abs() < 1e-12);
/// }
/// assert!((turn - 2.0 * 5_f64.to_radians().sin()).abs() < 1e-12);
/// # Ok::<(), clearance_geometry::PoseError>(())
/// ```
pub fn motion_bounds(before: &[Pose; 2], after: &[Pose; 2], balls: [(DVec3, f64); 2]) -> ([f64; 2], f64) {
    let turn = after[0].rotation() - before[0].rotation();
    let shift = |i: usize| after[i].translation() - before[i].translation();
    // A matrix and its transpose have the same norm, and are as far off a rotation.
    let turning = turning_of(turn, &before[0], &after[0]);
    let lengths =
        [moved(turn, shift(0), turning, balls[0]), moved(turn.transpose(), shift(1), turning, balls[1])];
    (lengths, rounded_up(turning[1]))
}

/// The Frobenius norm of a difference of rotations, and how far it moves a point of the unit ball at most.
fn turning_of(turn: DMat3, before: &Pose, after: &Pose) -> [f64; 2] {
    let norm = frobenius(&turn.to_cols_array());
    if norm == 0.0 {
        return [0.0; 2];
    }
    let drift = off_rotation(before) + off_rotation(after);
    // ‖R′ − R‖₂ for rotations, and for maps that are off by `drift` altogether.
    [norm, norm * std::f64::consts::FRAC_1_SQRT_2 + 2.0 * drift]
}

/// How far a point of a ball moves at most.
fn moved(turn: DMat3, shift: DVec3, [norm, turning]: [f64; 2], (center, radius): (DVec3, f64)) -> f64 {
    if norm == 0.0 {
        return rounded_up(shift.length());
    }
    let center_moved = (turn * center + shift).length();
    let cancelled = norm * center.length() + shift.length();
    rounded_up(center_moved + turning * radius.max(0.0) + cancelled * tolerance::MOTION_ROUNDING_REL)
}

/// How much nearer two bodies can have come from one frame to another: the smallest of three bounds,
/// both bodies in the world, B alone seen from A, and A alone seen from B. Each body lies in a ball
/// (centre in the body frame, radius). A length, rounded up; 0 when nothing moved.
///
/// ```
/// use clearance_geometry::{DVec3, Pose, relative_motion_bound};
/// let start = Pose::IDENTITY;
/// let moved = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?;
/// let ball = (DVec3::ZERO, 1.0);
/// // Carried together, the bodies come no nearer.
/// let together = relative_motion_bound([&start, &start], [&moved, &moved], [ball, ball]);
/// assert!(together < 1e-13);
/// # Ok::<(), clearance_geometry::PoseError>(())
/// ```
pub fn relative_motion_bound(before: [&Pose; 2], after: [&Pose; 2], balls: [(DVec3, f64); 2]) -> f64 {
    if before[0] == after[0] && before[1] == after[1] {
        return 0.0;
    }
    let alone = |body: usize| motion_bound(before[body], after[body], balls[body].0, balls[body].1);
    let seen_from = |other: usize| {
        let body = 1 - other;
        let (center, radius) = balls[body];
        let start = Pose::between(before[other], before[body]);
        let end = Pose::between(after[other], after[body]);
        motion_bound(&start, &end, center, radius)
    };
    let apart = |poses: [&Pose; 2]| poses[0].translation().distance(poses[1].translation());
    // Distances are taken between poses of one body in the frame of the other; what the products and
    // differences behind them round away, in either frame, is part of the bound.
    let sizes: f64 = balls.iter().map(|(center, radius)| center.length() + radius.max(0.0)).sum();
    let rounding = (apart(before) + apart(after) + 2.0 * sizes)
        * (tolerance::MOTION_ROUNDING_REL + poses_off_rotation(before, after));
    let nearest = (alone(0) + alone(1)).min(seen_from(0)).min(seen_from(1));
    rounded_up(nearest + rounding)
}

/// The accumulated motion bound of a pair: it only grows.
///
/// ```
/// use clearance_geometry::Clock;
/// let mut clock = Clock::default();
/// let bound = clock.bound(3.0);
/// clock.advance(1.0);
/// assert_eq!(bound.now(&clock), 2.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Clock {
    motion: f64,
}

impl Clock {
    /// Motion accumulated so far; a length, rounded up.
    #[inline]
    pub const fn motion(&self) -> f64 {
        self.motion
    }

    /// Adds the motion bound of one frame. Negative motion counts as none, NaN as unbounded.
    #[inline]
    pub fn advance(&mut self, motion: f64) {
        let step = if motion.is_nan() { f64::INFINITY } else { motion.max(0.0) };
        self.motion = add_up(self.motion, step);
    }

    /// Files a lower bound on a distance that holds now.
    #[inline]
    pub const fn bound(&self, lower: f64) -> Bound {
        Bound { lower, at_motion: self.motion }
    }
}

/// A lower bound on a distance, proved when the clock stood at `at_motion`. It holds for ever, less
/// what the clock has advanced since.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Lower bound when it was proved; a length.
    pub lower: f64,
    /// Where the clock stood; a length.
    pub at_motion: f64,
}

impl Bound {
    /// Knows nothing.
    pub const NONE: Self = Self { lower: f64::NEG_INFINITY, at_motion: 0.0 };

    /// The clock's reading at which the bound has shrunk to 0, rounded down. It never changes, so it
    /// can order a heap.
    #[inline]
    pub fn expires_at(&self) -> f64 {
        add_down(self.lower, self.at_motion)
    }

    /// The lower bound that is left, rounded down.
    #[inline]
    pub fn now(&self, clock: &Clock) -> f64 {
        let left = add_down(self.expires_at(), -clock.motion);
        // A clock that was advanced without bound leaves nothing, whatever was known.
        if left.is_nan() { f64::NEG_INFINITY } else { left }
    }
}

/// Up by more than the rounding of the few sums, products and roots behind it; infinite for NaN.
fn rounded_up(bound: f64) -> f64 {
    if bound.is_nan() {
        return f64::INFINITY;
    }
    if bound == 0.0 {
        return 0.0;
    }
    (bound * (1.0 + tolerance::MOTION_ROUNDING_REL)).next_up()
}

/// ‖RᵀR − 1‖, at least the distance (in either norm) from the stored matrix to the nearest rotation:
/// with σ its singular values, |σ − 1| ≤ |σ² − 1|. The rounding of this very sum is in the constant.
fn off_rotation(pose: &Pose) -> f64 {
    let r = pose.rotation();
    let lengths = DVec3::new(
        r.x_axis.length_squared() - 1.0,
        r.y_axis.length_squared() - 1.0,
        r.z_axis.length_squared() - 1.0,
    );
    let slants = DVec3::new(r.x_axis.dot(r.y_axis), r.y_axis.dot(r.z_axis), r.z_axis.dot(r.x_axis));
    (lengths.length_squared() + 2.0 * slants.length_squared()).sqrt() + tolerance::MOTION_ROUNDING_REL
}

fn poses_off_rotation(before: [&Pose; 2], after: [&Pose; 2]) -> f64 {
    before.iter().chain(&after).map(|pose| off_rotation(pose)).sum()
}

fn frobenius(entries: &[f64; 9]) -> f64 {
    let square = entries.iter().map(|entry| entry * entry).sum::<f64>();
    // What is lost of entries that are far smaller is less than a rounding.
    if square > f64::MIN_POSITIVE / (f64::EPSILON * f64::EPSILON) {
        return square.sqrt();
    }
    // Scaled by the largest entry: a turn by less than 1e-154 must not vanish.
    let largest = entries.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * entries.iter().map(|entry| (entry / largest) * (entry / largest)).sum::<f64>().sqrt()
}
