//! Bodies at zero distance: do they overlap, or only touch?
//!
//! Source: none in 003, which ends with "collision" in both cases.
//! Differs: DIFFERS, in that overlap is answered only with a point deeper inside both bodies than rounding.
//! From a common point the direction is taken that leaves all planes met there fastest (the middle of the
//! smallest cap that holds their normals), and half of the way to the next plane is gone; again from there, while
//! the point is still within rounding of a plane. When the normals fill a half-sphere there is no such direction.
//! Ends because: rounds and pivots are counted.
//! Cost: all planes of both bodies, times a few.
//! Not promised: the deepest point.

use super::pair::{Pair, Segment};
use clearance_geometry::DVec3;

/// Rounds of going inward. Two suffice unless planes crowd within rounding of each other.
const ROUNDS: usize = 16;

/// Exchanges of supporting normals of a cap; each makes the cap larger.
const PIVOTS: usize = 64;

/// Planes within this many touching distances of the point are met by it.
const MET: f64 = 8.0;

/// A point deeper than rounding inside both bodies (of a point or segment: on it), near `start`, in the frame
/// of A; `None` when they only touch.
pub(super) fn interior_point(pair: &Pair, start: DVec3) -> Option<DVec3> {
    match pair.bodies.map(|body| body.face_count() > 0) {
        [true, true] => inward(pair, start),
        [false, true] => on_thin(pair, 0),
        [true, false] => on_thin(pair, 1),
        [false, false] => None,
    }
}

fn inward(pair: &Pair, start: DVec3) -> Option<DVec3> {
    let mut point = start;
    for _ in 0..ROUNDS {
        if margin(pair, point) > pair.touch() {
            return Some(point);
        }
        let direction = way_in(pair, point)?;
        let mut reach = f64::INFINITY;
        planes_at(pair, point, |normal, height| {
            let speed = normal.dot(direction);
            if speed > 0.0 {
                reach = reach.min(-height / speed);
            }
        });
        if !(reach > 0.0 && reach.is_finite()) {
            return None;
        }
        point += direction * (0.5 * reach);
    }
    None
}

/// Calls back with the normal of each plane of both bodies and the height of `point` over it, in A's frame.
fn planes_at(pair: &Pair, point: DVec3, mut each: impl FnMut(DVec3, f64)) {
    for plane in pair.bodies[0].planes() {
        each(plane.normal, plane.distance(point));
    }
    let in_b = pair.across(0, point);
    for plane in pair.bodies[1].planes() {
        each(pair.pose.rotate(plane.normal), plane.distance(in_b));
    }
}

fn margin(pair: &Pair, point: DVec3) -> f64 {
    let mut least = f64::INFINITY;
    planes_at(pair, point, |_, height| least = least.min(-height));
    least
}

/// The direction that leaves all planes met at `point` fastest, if there is one that leaves them all.
fn way_in(pair: &Pair, point: DVec3) -> Option<DVec3> {
    let band = -MET * pair.touch();
    let mut support: Vec<DVec3> = Vec::new();
    let mut center = DVec3::ZERO;
    let mut closeness = f64::INFINITY;
    for _ in 0..PIVOTS {
        let mut farthest = (closeness, DVec3::ZERO);
        planes_at(pair, point, |normal, height| {
            let closeness = if support.is_empty() { 0.0 } else { normal.dot(center) };
            if height >= band && closeness < farthest.0 {
                farthest = (closeness, normal);
            }
        });
        if farthest.1 == DVec3::ZERO {
            break;
        }
        support.push(farthest.1);
        let (next, best) = smallest_cap(&support)?;
        if !(best < closeness) {
            break;
        }
        (center, closeness) = (next, best);
        // Only the normals on the rim of the cap hold it.
        let rim = best + f64::EPSILON * MET;
        support.retain(|normal| normal.dot(center) <= rim);
    }
    (!support.is_empty()).then_some(-center)
}

/// The middle of the smallest cap that holds up to four unit vectors and the cosine of its radius; `None` when
/// it is a half-sphere or more.
fn smallest_cap(normals: &[DVec3]) -> Option<(DVec3, f64)> {
    let least = |center: DVec3| normals.iter().map(|n| n.dot(center)).fold(f64::INFINITY, f64::min);
    let mut best: Option<(DVec3, f64)> = None;
    let mut offer = |center: DVec3| {
        let closeness = least(center);
        if closeness > best.map_or(0.0, |(_, c)| c) {
            best = Some((center, closeness));
        }
    };
    for (i, &a) in normals.iter().enumerate() {
        offer(a);
        for (j, &b) in normals.iter().enumerate().skip(i + 1) {
            offer((a + b).normalize_or_zero());
            for &c in &normals[j + 1..] {
                let pole = (b - a).cross(c - a).normalize_or_zero();
                offer(pole);
                offer(-pole);
            }
        }
    }
    best
}

/// For a point or segment on side `of`: the middle of its part inside the other body.
fn on_thin(pair: &Pair, of: usize) -> Option<DVec3> {
    let other = 1 - of;
    let vertices = pair.bodies[of].vertices();
    let tail = pair.across(of, *vertices.first()?);
    let head = pair.across(of, *vertices.last()?);
    let segment = Segment { tail, vector: head - tail };
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for plane in pair.bodies[other].planes() {
        let from = -plane.distance(tail) - pair.touch();
        let to = -plane.distance(head) - pair.touch();
        if from <= 0.0 && to <= 0.0 {
            return None;
        }
        if from < 0.0 {
            first = first.max(from / (from - to));
        } else if to < 0.0 {
            last = last.min(from / (from - to));
        }
    }
    (first <= last).then(|| pair.in_a(other, segment.at(0.5 * (first + last))))
}
