//! Ghosts: events at faces and edges that other parts of the same union, or other fixed bodies, cover.
//!
//! Source: none; the normals of a union at a point are those of its own boundary there, which at a seam are fewer than those of
//! its parts.
//! Differs: nothing to differ from.
//! Ends because: loops over parts and their faces.
//! Cost: a product for each face of each other part near the event.
//! Not promised: seams between curved parts.

use super::Limits;
use super::part::{Form, Part};
use crate::tolerance::EVENT_FLUSH;
use clearance_geometry::{DVec3, Pose};

/// How near to a face, in ε_x, a point is on it: events stand out over outlines by ε_x, half as much again once they are known.
const NEAR: f64 = 2.0;

/// How far out of its part, times the above, an event is looked at.
const BEYOND: f64 = 4.0;

/// A part at its place in the world.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) part: &'a Part,
    pub(crate) pose: Pose,
}

impl<'a> Placed<'a> {
    /// The parts of a body at a pose.
    pub(crate) fn all(parts: &'a [Part], pose: &Pose) -> Vec<Self> {
        parts.iter().map(|part| Self { part, pose: *pose * part.pose }).collect()
    }

    /// Whether a point is within its ball, but for some room.
    fn is_near(&self, point: DVec3, room: f64) -> bool {
        self.pose.apply(self.part.center).distance(point) <= self.part.radius + room
    }

    /// The greatest height of a point over the faces of a polytope; negative inside.
    fn highest(&self, point: DVec3) -> f64 {
        let Form::Polytope(polytope) = &self.part.form else { return f64::INFINITY };
        let local = self.pose.apply_inverse(point) - polytope.anchor();
        polytope.planes().iter().map(|plane| plane.distance(local)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The normals of the faces of a polytope within `near` of a point, in the world.
    fn active(&self, point: DVec3, near: f64) -> Vec<DVec3> {
        let Form::Polytope(polytope) = &self.part.form else { return Vec::new() };
        let local = self.pose.apply_inverse(point) - polytope.anchor();
        let close = polytope.planes().iter().filter(|plane| plane.distance(local).abs() <= near);
        close.map(|plane| self.pose.rotate(plane.normal)).collect()
    }
}

/// Whether an event of a part of a body is none of the whole body: `outward` is its normal out of that body, `point` its place
/// on that part, `center` that of what meets it.
pub(crate) fn is_ghost(
    parts: &[Placed<'_>],
    own: usize,
    point: DVec3,
    outward: DVec3,
    center: DVec3,
    limits: &Limits,
) -> bool {
    let near = NEAR * limits.outside;
    let mut others = parts.iter().enumerate().filter(|(at, _)| *at != own).map(|(_, other)| other);
    others.any(|other| {
        other.is_near(point, BEYOND * near)
            // Covered: a step out of the own part leads well into the other.
            && (other.highest(point + outward * (BEYOND * near)) <= -near
                || is_seam(&parts[own], other, point, outward, center, limits))
    })
}

/// Whether two parts have a face in one plane at a point, with what stands over it (`center`), and `outward` is no normal of such a
/// face. A stair whose sides are flush has its steps for what stands on them.
pub(crate) fn is_seam(
    own: &Placed<'_>,
    other: &Placed<'_>,
    point: DVec3,
    outward: DVec3,
    center: DVec3,
    limits: &Limits,
) -> bool {
    let near = NEAR * limits.outside;
    if !other.is_near(point, near) || !(other.highest(point) <= near) {
        return false;
    }
    let normals = other.active(point, near);
    let flush = |one: &DVec3| normals.iter().any(|two| one.distance(*two) <= EVENT_FLUSH);
    let mut shared = own.active(point, near);
    shared.retain(flush);
    shared.retain(|face| face.dot(center - point) > 0.0);
    !shared.is_empty() && !is_between(&shared, outward)
}

/// Whether a direction is one of some normals, or lies between two of them.
fn is_between(normals: &[DVec3], direction: DVec3) -> bool {
    let near = |normal: &DVec3| normal.distance(direction) <= EVENT_FLUSH;
    if normals.iter().any(near) {
        return true;
    }
    for (at, one) in normals.iter().enumerate() {
        for two in &normals[at + 1..] {
            let axis = one.cross(*two).normalize_or_zero();
            let level = axis != DVec3::ZERO && axis.dot(direction).abs() <= EVENT_FLUSH;
            if level && axis.dot(one.cross(direction)) >= 0.0 && axis.dot(direction.cross(*two)) >= 0.0 {
                return true;
            }
        }
    }
    false
}
