//! Poses of B in the frame of A that put two bodies apart, near, in contact or into each other.

use super::pool::Member;
use super::trouble::{Trouble, troubled_pair};
use crate::Random;
use clearance_geometry::Pose;
use glam::DVec3;

/// Two bodies and where B stands.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    /// First body.
    pub a: &'a Member,
    /// Second body.
    pub b: &'a Member,
    /// Pose of B in the frame of A.
    pub pose_ab: Pose,
    /// How it was arranged.
    pub arrangement: Arrangement,
}

/// How the pose of a pair was chosen. It is an intention: what the state really is, the answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arrangement {
    /// A tenth to a million diameters apart.
    Apart,
    /// Less than a tenth of a diameter apart, down to rounding.
    Near,
    /// Two corners in the same place.
    Touching,
    /// Overlapping by a part of the smaller extent, from rounding to all of it.
    Overlapping,
    /// Middles close together.
    Deep,
    /// Features aligned to spite an algorithm.
    Troubled(Trouble),
}

/// Shares in which [`arrange`] mixes its arrangements, troubled ones taking the rest.
const SHARES: [(f64, Arrangement); 5] = [
    (0.20, Arrangement::Apart),
    (0.20, Arrangement::Near),
    (0.05, Arrangement::Touching),
    (0.15, Arrangement::Overlapping),
    (0.15, Arrangement::Deep),
];

/// A random pose for two bodies: the mix of the soak runs.
pub fn arrange<'a>(a: &'a Member, b: &'a Member, random: &mut Random) -> Pair<'a> {
    let mut left = random.unit();
    for (share, arrangement) in SHARES {
        if left < share {
            return Pair { a, b, pose_ab: pose(a, b, arrangement, random), arrangement };
        }
        left -= share;
    }
    troubled_pair(a, b, *random.pick(&Trouble::ALL), random)
}

fn pose(a: &Member, b: &Member, arrangement: Arrangement, random: &mut Random) -> Pose {
    let turn = Pose::new(random.quaternion(), DVec3::ZERO).unwrap_or_default();
    let towards = random.direction();
    let size = a.radius + b.radius;
    let smaller = a.radius.min(b.radius);
    let gap = match arrangement {
        Arrangement::Apart => size * random.log_uniform(-1.0, 6.0),
        Arrangement::Near => size * random.log_uniform(-15.0, -1.0),
        Arrangement::Overlapping => -smaller * random.log_uniform(-14.0, 0.3),
        _ => 0.0,
    };
    if arrangement == Arrangement::Deep {
        let shift = smaller * random.log_uniform(-8.0, 0.0) * random.in_ball();
        return turn.with_translation(a.middle - turn.rotate(b.middle) + shift);
    }
    // Supports meet along `towards`; a shift across it, but for exact contact, hides the corners.
    let high = farthest(&a.vertices, towards);
    let low = farthest(&b.vertices, turn.rotate_inverse(-towards));
    let across = if arrangement == Arrangement::Touching || random.chance(0.3) {
        DVec3::ZERO
    } else {
        0.5 * smaller * random.in_ball().reject_from_normalized(towards)
    };
    turn.with_translation(high - turn.rotate(low) + gap * towards + across)
}

/// The corner farthest along a direction.
pub(super) fn farthest(vertices: &[DVec3], direction: DVec3) -> DVec3 {
    // Relative to one corner, so that an offset of the whole body does not hide the order.
    let base = vertices[0];
    let mut best = (0.0, base);
    for &v in vertices {
        let height = (v - base).dot(direction);
        if height > best.0 {
            best = (height, v);
        }
    }
    best.1
}
