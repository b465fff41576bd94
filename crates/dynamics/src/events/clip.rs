//! Where two supporting faces lie over each other: the corners of what they have in common, with their gaps.
//!
//! Source: 002, section 3.3: nearly active events from the supporting faces of the grown bodies; Sutherland and Hodgman's
//! clipping of a polygon by a convex one.
//! Differs: DIFFERS: faces are clipped as seen along the normal of the flatter one, each corner keeps its height on both.
//! Lines stand in for round faces.
//! Ends because: one pass over the sides.
//! Cost: the product of the numbers of corners.
//! Not promised: anything where one of them is a point; the nearest points are all there is then.

use super::flat::Flat;
use crate::tolerance::EVENT_CROSSING;
use clearance_geometry::{DVec2, DVec3};

/// Two points over each other, in the frame of the faces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    /// Which corner it is; the same from step to step.
    pub(crate) index: u32,
    /// On A and on B.
    pub(crate) points: [DVec3; 2],
}

/// The normal, from A to B, along which two supporting faces are seen: that of the plane which leans less from `normal`, with its
/// side, or `normal` where there is none.
pub(crate) fn seen_along(a: &Flat, b: &Flat, normal: DVec3) -> (DVec3, Option<usize>) {
    let leans = [a.plane.map(|(n, _)| n.dot(normal)), b.plane.map(|(n, _)| -n.dot(normal))];
    match (a.plane, b.plane) {
        (Some((n, _)), _) if leans[0] >= leans[1] => (n, Some(0)),
        (_, Some((n, _))) => (-n, Some(1)),
        _ => (normal, None),
    }
}

/// The corners of what two supporting faces have in common, seen along a unit normal from A to B. One face may stand out over the
/// outline of the other by `outside`.
pub(crate) fn common(a: &Flat, b: &Flat, seen: DVec3, outside: f64) -> Vec<Over> {
    let view = View::new(seen);
    let corners = match (a.points.len(), b.points.len()) {
        (0, _) => view.corners(b),
        (_, 0) => view.corners(a),
        (1, _) | (_, 1) => return Vec::new(),
        (2, 2) => match view.beside(a, b) {
            Some(corners) => corners,
            None => return Vec::new(),
        },
        (2, _) => view.clipped(view.corners(a), b, outside, false),
        (_, 2) => view.clipped(view.corners(b), a, outside, false),
        _ => view.clipped(view.corners(b), a, outside, true),
    };
    let lift = |corner: Corner| {
        let points = [view.on(a, corner.at)?, view.on(b, corner.at)?];
        Some(Over { index: corner.label, points })
    };
    corners.into_iter().filter_map(lift).collect()
}

/// A corner of a clipped outline and the side that begins there, by numbers that last.
#[derive(Clone, Copy, Debug)]
struct Corner {
    at: DVec2,
    label: u32,
    side: u32,
}

/// Sides of the clipping outline are numbered from here; there are never so many corners.
const CLIPPING: u32 = 1 << 10;

/// Faces seen along a normal.
struct View {
    normal: DVec3,
    across: DVec3,
    up: DVec3,
}

impl View {
    fn new(normal: DVec3) -> Self {
        let (across, up) = normal.any_orthonormal_pair();
        Self { normal, across, up }
    }

    fn flat(&self, point: DVec3) -> DVec2 {
        DVec2::new(self.across.dot(point), self.up.dot(point))
    }

    fn corners(&self, flat: &Flat) -> Vec<Corner> {
        let corner =
            |(k, &point): (usize, &DVec3)| Corner { at: self.flat(point), label: k as u32, side: k as u32 };
        flat.points.iter().enumerate().map(corner).collect()
    }

    /// The point of a face that is seen at a place.
    fn on(&self, flat: &Flat, at: DVec2) -> Option<DVec3> {
        let foot = self.across * at.x + self.up * at.y;
        if let Some((normal, point)) = flat.plane {
            let height = normal.dot(point - foot) / normal.dot(self.normal);
            return height.is_finite().then(|| foot + self.normal * height);
        }
        let &[start, end] = flat.points.as_slice() else { return None };
        let (from, along) = (self.flat(start), self.flat(end) - self.flat(start));
        let share = ((at - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let point = start + (end - start) * share;
        // Beside a line that is not quite parallel, at its height.
        share.is_finite().then(|| foot + self.normal * self.normal.dot(point))
    }

    /// An outline, or a line, cut by the outline of a convex face.
    fn clipped(&self, mut corners: Vec<Corner>, by: &Flat, outside: f64, closed: bool) -> Vec<Corner> {
        let mut sides: Vec<DVec2> = by.points.iter().map(|&point| self.flat(point)).collect();
        let area: f64 = (0..sides.len()).map(|i| sides[i].perp_dot(sides[(i + 1) % sides.len()])).sum();
        if area < 0.0 {
            sides.reverse();
        }
        for i in 0..sides.len() {
            let (start, end) = (sides[i], sides[(i + 1) % sides.len()]);
            let Some(along) = (end - start).try_normalize() else { continue };
            let side = if area < 0.0 { sides.len() - 1 - i } else { i } as u32;
            let height = |at: DVec2| along.perp_dot(at - start) + outside;
            corners = cut(&corners, height, CLIPPING + side, closed);
        }
        corners
    }

    /// The ends of the stretch along which two lines run side by side; `None` where they cross.
    fn beside(&self, a: &Flat, b: &Flat) -> Option<Vec<Corner>> {
        let [a0, a1] = [self.flat(a.points[0]), self.flat(a.points[1])];
        let [b0, b1] = [self.flat(b.points[0]), self.flat(b.points[1])];
        let along = (a1 - a0).try_normalize()?;
        let other = (b1 - b0).try_normalize()?;
        if along.perp_dot(other).abs() > EVENT_CROSSING {
            return None;
        }
        let place = |at: DVec2| along.dot(at - a0);
        let far = [place(b0), place(b1)];
        let low = far[0].min(far[1]).max(0.0);
        let high = far[0].max(far[1]).min(place(a1));
        let middle = a0 + along.perp() * (along.perp_dot(b0 - a0) / 2.0);
        let corner = |label: u32, t: f64| Corner { at: middle + along * t, label, side: label };
        (low < high).then(|| vec![corner(0, low), corner(1, high)])
    }
}

/// The corners at which a height is not negative, with those where it becomes zero.
fn cut(corners: &[Corner], height: impl Fn(DVec2) -> f64, side: u32, closed: bool) -> Vec<Corner> {
    let mut kept = Vec::with_capacity(corners.len() + 2);
    for (at, corner) in corners.iter().enumerate() {
        let here = height(corner.at);
        if here >= 0.0 {
            kept.push(*corner);
        }
        let next = match corners.get(at + 1) {
            Some(next) => next,
            None if closed => &corners[0],
            None => continue,
        };
        let there = height(next.at);
        if (here >= 0.0) != (there >= 0.0) {
            let share = here / (here - there);
            let place = corner.at + (next.at - corner.at) * share;
            let label = side * CLIPPING + corner.side + 1;
            // Where the outline leaves, it goes on along the side that cuts it.
            let along = if here >= 0.0 { side } else { corner.side };
            kept.push(Corner { at: place, label, side: along });
        }
    }
    kept
}
