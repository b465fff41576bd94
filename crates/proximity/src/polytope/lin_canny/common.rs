//! Bodies at zero distance: do they overlap, or only touch?
//!
//! Source: none in 003, which ends with "collision" in both cases.
//! Differs: DIFFERS, in that overlap is answered only with a point deeper inside both bodies than rounding.
//! From a common point the direction is taken that leaves the nearest planes fastest (the middle of the
//! smallest cap that holds their normals), until another plane is as near; and again from there. When the normals
//! fill a half-sphere the point is as deep as can be.
//! Ends because: rounds and pivots are counted.
//! Cost: all planes of both bodies, times a few.
//! Not promised: the deepest point.

use super::pair::{Pair, Segment};
use clearance_geometry::DVec3;

/// Steps of going inward. Deep overlaps take one or two.
const ROUNDS: usize = 64;

/// Exchanges of supporting normals of a cap; each makes the cap larger.
const PIVOTS: usize = 64;

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

/// Steepest ascent of the least depth under all planes.
fn inward(pair: &Pair, start: DVec3) -> Option<DVec3> {
    let mut point = start;
    for _ in 0..ROUNDS {
        let margin = margin(pair, point);
        if margin > pair.touch() {
            return Some(point);
        }
        let Some((direction, speed)) = way_in(pair, point, margin + pair.flare()) else {
            return (margin > pair.flare()).then_some(point);
        };
        // Until a plane that was deeper becomes the nearest one.
        let mut reach = f64::INFINITY;
        planes_at(pair, point, |normal, height| {
            let closing = speed + normal.dot(direction);
            if -height > margin + pair.flare() && closing > 0.0 {
                reach = reach.min((-height - margin) / closing);
            }
        });
        if !reach.is_finite() {
            return None;
        }
        point += direction * reach;
    }
    (margin(pair, point) > pair.flare()).then_some(point)
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

/// The direction that leaves all planes less than `depth` above `point` fastest, and how fast, if there is
/// one that leaves them all.
fn way_in(pair: &Pair, point: DVec3, depth: f64) -> Option<(DVec3, f64)> {
    let mut cap: Option<Cap> = None;
    for _ in 0..PIVOTS {
        let mut farthest = (f64::INFINITY, DVec3::ZERO);
        planes_at(pair, point, |normal, height| {
            let closeness = cap.map_or(0.0, |cap| normal.dot(cap.center));
            if height >= -depth && closeness < farthest.0 {
                farthest = (closeness, normal);
            }
        });
        // A cap that holds all normals is the smallest one, for each was forced by what it holds.
        if cap.is_some_and(|cap| farthest.0 >= cap.cosine) || farthest.1 == DVec3::ZERO {
            break;
        }
        let next = Cap::around(cap, farthest.1)?;
        if cap.is_some_and(|cap| next.cosine >= cap.cosine) {
            break;
        }
        cap = Some(next);
    }
    cap.map(|cap| (-cap.center, cap.cosine))
}

/// A cap of the unit sphere, smaller than a half-sphere, and the up to three normals on its rim.
#[derive(Clone, Copy)]
struct Cap {
    center: DVec3,
    /// Of its radius.
    cosine: f64,
    rim: [DVec3; 3],
    count: usize,
}

impl Cap {
    /// The smallest cap around the rim of `cap` and one more normal; `None` when it is a half-sphere or more.
    fn around(cap: Option<Self>, normal: DVec3) -> Option<Self> {
        let mut all = [normal; 4];
        let count = 1 + cap.map_or(0, |cap| cap.count);
        if let Some(cap) = cap {
            all[1..count].copy_from_slice(&cap.rim[..cap.count]);
        }
        let all = &all[..count];
        let mut best: Option<Self> = None;
        let mut offer = |center: DVec3, rim: [DVec3; 3], count: usize| {
            let cosine = all.iter().map(|n| n.dot(center)).fold(f64::INFINITY, f64::min);
            if cosine > best.map_or(0.0, |best| best.cosine) {
                best = Some(Self { center, cosine, rim, count });
            }
        };
        // The new normal lay outside, so it is on the rim of the new cap.
        offer(normal, [normal; 3], 1);
        for (i, &b) in all.iter().enumerate().skip(1) {
            offer((normal + b).normalize_or_zero(), [normal, b, b], 2);
            for &c in &all[i + 1..] {
                let pole = (b - normal).cross(c - normal).normalize_or_zero();
                offer(pole, [normal, b, c], 3);
                offer(-pole, [normal, b, c], 3);
            }
        }
        best
    }
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
