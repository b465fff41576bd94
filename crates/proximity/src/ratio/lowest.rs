//! Where a segment comes lowest in the gauge of a body: the growth at which the body meets it.
//!
//! Source: 002, remark 2.18, for a segment: min over the segment of max over the planes of a·x/b.
//! Differs: DIFFERS from a program over all planes: the function is convex and piecewise linear along the
//! segment, and the meeting point of two tangents of opposite slope is cut away until it lies on it.
//! Ends because: each round replaces a tangent by another one, of a face met for the first time or one
//! that shows the bound to be reached; and rounds are limited.
//! Cost: a face walk per round.
//! Not promised: which point, where the segment runs along a face.

use super::active_set::Sided;
use super::space::Vector;
use crate::tolerance;

/// The gauge at a place of the segment: value, slope and face.
#[derive(Clone, Copy, Debug)]
struct Tangent {
    at: f64,
    value: f64,
    slope: f64,
    face: u32,
}

/// The lowest place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest<V> {
    pub(super) point: V,
    /// The combination of planes a/b that has no slope along the segment, or falls out of its end.
    pub(super) pull: V,
    /// The faces in it and their shares.
    pub(super) shares: [(u32, f64); 2],
    pub(super) rounds: u32,
}

/// The lowest place of the segment between `ends` (from the centre); none if it passes the centre.
pub(super) fn lowest_along<S: Sided>(
    body: &S,
    ends: [S::Vector; 2],
    radius: f64,
) -> Option<Lowest<S::Vector>> {
    let along = ends[1] - ends[0];
    let place = |at: f64| if at == 1.0 { ends[1] } else { ends[0] + along * at };
    let tangent = |at: f64, from: u32| {
        let face = body.pierced(from, place(at));
        let (normal, reach) = body.plane(face);
        Tangent { at, value: normal.dot(place(at)) / reach, slope: normal.dot(along) / reach, face }
    };
    let [mut low, mut high] =
        [(0.0, ends[0]), (1.0, ends[1])].map(|(at, end)| tangent(at, body.start(end).0));
    let mut rounds = 0;
    // At an end that falls outward, or flat, one plane is enough.
    let mut alone = if low.slope >= 0.0 {
        Some(low)
    } else if high.slope <= 0.0 {
        Some(high)
    } else {
        None
    };
    let mut at = low.at;
    while alone.is_none() && rounds < tolerance::RATIO_CUT_LIMIT {
        rounds += 1;
        at = (low.value - high.value + high.slope * high.at - low.slope * low.at) / (high.slope - low.slope);
        // Not `clamp`, which panics where numbers beyond the range of f64 have become NaN.
        at = at.max(low.at).min(high.at);
        let bound = low.value + low.slope * (at - low.at);
        let next = tangent(at, low.face);
        let noise = tolerance::RATIO_ROUNDING_REL * (next.value.abs() + low.value.abs() + high.value.abs());
        if next.value - bound <= noise {
            break;
        }
        match next.slope.total_cmp(&0.0) {
            std::cmp::Ordering::Less => low = next,
            std::cmp::Ordering::Greater => high = next,
            std::cmp::Ordering::Equal => alone = Some(next),
        }
    }
    let point = place(alone.map_or(at, |tangent| tangent.at));
    if point.length() <= tolerance::TOUCH_REL * (ends[0].length() + ends[1].length() + radius) {
        return None;
    }
    let share = high.slope / (high.slope - low.slope);
    let shares = match alone {
        Some(tangent) => [(tangent.face, 1.0), (tangent.face, 0.0)],
        None => [(low.face, share), (high.face, 1.0 - share)],
    };
    let pull = shares.into_iter().fold(S::Vector::ZERO, |sum, (face, share)| {
        let (normal, reach) = body.plane(face);
        sum + normal * (share / reach)
    });
    Some(Lowest { point, pull, shares, rounds })
}
