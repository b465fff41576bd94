//! The point of a body's surface nearest to a point, from inside as from outside, with the parts of a union each by itself.
//!
//! Source: none; one search for each point.
//! Differs: the error is a share of the distance found, which takes a second search where that is small.
//! Ends because: searches have budgets, and the error has a floor.
//! Cost: a search, mostly one.
//! Not promised: the nearest point of a union as a whole: walls between its parts count.

use super::scene::Scene;
use crate::global::{Demand, Found, NearPair, Prepared, SearchMemory, search};
use crate::tolerance::{CERTIFIED_REL, OVERLAP_ERROR_SHARE};
use clearance_geometry::{Body, DVec3, Pose};

/// Pairs that one search for the nearest point of a surface may look at.
const MOST_PAIRS: u64 = 400;

/// Distances of points from the surfaces of both bodies.
pub(super) struct Gauge<'a> {
    scene: &'a Scene<'a>,
    point: Prepared,
    surfaces: [Body; 2],
    pose_ab: Pose,
    memory: SearchMemory,
}

impl<'a> Gauge<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, pose_ab: Pose, point: Prepared) -> Self {
        let surfaces = scene.bodies.map(|body| body.body().boundary());
        Self { scene, point, surfaces, pose_ab, memory: SearchMemory::default() }
    }

    /// The point of a surface nearest to a point in the frame of A. The error is a share of the distance where that is less:
    /// next to an edge a point of the wrong face is hardly farther away than the edge.
    pub(super) fn nearest(&mut self, side: usize, target: DVec3, max_error: f64) -> Option<NearPair> {
        let mut error = max_error;
        let mut pair = self.search(side, target, error).nearest?;
        while error > (OVERLAP_ERROR_SHARE * pair.distance).max(CERTIFIED_REL * self.scene.size) {
            error = (OVERLAP_ERROR_SHARE * pair.distance).max(CERTIFIED_REL * self.scene.size);
            pair = self.search(side, target, error).nearest?;
        }
        if side == 1 {
            pair.points = pair.points.map(|p| self.pose_ab.apply(p));
        }
        Some(pair)
    }

    /// Proven: no point of a surface is closer to a point in the frame of A.
    pub(super) fn room(&mut self, side: usize, target: DVec3, max_error: f64) -> f64 {
        self.search(side, target, max_error).lower
    }

    fn search(&mut self, side: usize, target: DVec3, max_error: f64) -> Found {
        let local = if side == 0 { target } else { self.pose_ab.apply_inverse(target) };
        let pose = Pose::IDENTITY.with_translation(local);
        let demand = Demand { max_error, contact: 0.0, max_pairs: MOST_PAIRS, proof: None, deadline: None };
        let trees = [self.scene.bodies[side].tree(), self.point.tree()];
        let bodies = [&self.surfaces[side], self.point.body()];
        search(bodies, trees, &pose, demand, &mut self.memory)
    }
}
