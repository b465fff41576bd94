//! Signed distances of points from both bodies of an overlap, each in its own frame.
//!
//! Source: none; [`Probe`] for each body, of which only the parts with an inside are asked.
//! Differs: nothing.
//! Ends because: each question is one of a probe.
//! Cost: that of a probe: closed formulas where there are some, a search and a ray elsewhere.
//! Not promised: the depth in a union where parts overlap; see [`crate::PointDistance`].

use crate::global::Prepared;
use crate::{Place, PointDistance, Probe};
use clearance_geometry::{DVec3, Pose};
use std::time::Instant;

/// Two bodies that are asked about points.
pub(super) struct Field {
    probes: [Option<Probe>; 2],
    pose_ab: Pose,
    /// Half the diagonals of both bodies' boxes.
    pub(super) sizes: [f64; 2],
    /// Questions so far.
    pub(super) asked: usize,
    /// When no more than the questions that cannot be left out are to be asked.
    deadline: Option<Instant>,
    /// Whether that was seen to have passed.
    pub(super) is_late: bool,
}

impl Field {
    pub(super) fn new(bodies: [&Prepared; 2], pose_ab: &Pose, deadline: Option<Instant>) -> Self {
        let probes = bodies.map(|body| Probe::of_solids(body).ok().flatten());
        let sizes = bodies.map(Prepared::radius);
        Self { probes, pose_ab: *pose_ab, sizes, asked: 0, deadline, is_late: false }
    }

    /// Whether it is time to end, or as many questions as were allowed have been asked.
    pub(super) fn is_over(&mut self, last: usize) -> bool {
        self.is_late |= self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_late || self.asked >= last
    }

    /// Whether a body has an inside.
    pub(super) const fn is_solid(&self, side: usize) -> bool {
        self.probes[side].is_some()
    }

    /// Whether a body has several parts with an inside.
    pub(super) fn is_union(&self, side: usize) -> bool {
        self.probes[side].as_ref().is_some_and(|probe| probe.part_count() > 1)
    }

    /// A point of the frame of one body in that of the other.
    pub(super) fn across(&self, side: usize, point: DVec3) -> DVec3 {
        if side == 0 { self.pose_ab.apply_inverse(point) } else { self.pose_ab.apply(point) }
    }

    /// A point of the frame of a body in that of A.
    pub(super) fn in_a(&self, side: usize, point: DVec3) -> DVec3 {
        if side == 0 { point } else { self.pose_ab.apply(point) }
    }

    /// How far a point, in the frame of the body, is from it; `None` where it has no inside or does not tell.
    pub(super) fn at(&mut self, side: usize, point: DVec3, max_error: Option<f64>) -> Option<PointDistance> {
        self.asked += 1;
        self.probes[side].as_mut()?.distance(point, max_error).ok()
    }

    /// How deep a point is inside a body; negative outside.
    pub(super) fn depth(&mut self, side: usize, point: DVec3, max_error: f64) -> f64 {
        match self.at(side, point, Some(max_error)) {
            Some(found) if found.place == Place::Boundary => 0.0,
            Some(found) => -found.signed_distance,
            None => f64::NEG_INFINITY,
        }
    }

    /// How deep a point is inside the parts of a union but one; minus infinity where there are none.
    pub(super) fn depth_beside(&mut self, side: usize, leaf: u32, point: DVec3, max_error: f64) -> f64 {
        self.asked += 1;
        let Some(probe) = &mut self.probes[side] else { return f64::NEG_INFINITY };
        probe.distance_beside(leaf, point, max_error).map_or(f64::NEG_INFINITY, |distance| -distance)
    }

    /// Whether no point of a segment, in the frame of a body, was found outside it, but for shares of it next to its ends that
    /// are left out. Balls within the body cover what is not looked at, and steps where they are smaller.
    pub(super) fn holds_segment(
        &mut self,
        side: usize,
        ends: [DVec3; 2],
        ignored: [f64; 2],
        step: f64,
    ) -> bool {
        let length = ends[0].distance(ends[1]);
        let (mut at, end) = (ignored[0], 1.0 - ignored[1]);
        loop {
            let depth = self.depth(side, ends[0].lerp(ends[1], at), step * length);
            // Written so that NaN ends it.
            if !(depth >= 0.0) {
                return false;
            }
            if at >= end {
                return true;
            }
            if self.is_over(usize::MAX) {
                return false;
            }
            at = (at + step.max(depth / length)).min(end);
        }
    }
}
