//! parry's closest points and contact between convex polyhedra.

use crate::candidate::{Answer, Candidate};
use crate::shape::Shape;
use crate::stream::{PosePair, Scene};
use clearance_geometry::{DQuat, DVec3, Pose};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::details::{
    closest_points_support_map_support_map_with_params as gjk,
    contact_support_map_support_map_with_params as gjk_and_epa,
};
use parry3d_f64::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d_f64::query::{self, ClosestPoints};
use parry3d_f64::shape::{ConvexPolyhedron, SupportMap};
use std::cell::Cell;
use std::ops::Range;

/// Our numbers as parry's pose.
pub fn parry_pose(rotation: DQuat, translation: DVec3) -> ParryPose {
    let translation = Vector::from_array(translation.to_array());
    let rotation = Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w);
    ParryPose::from_parts(translation, rotation)
}

fn converted(pose: &Pose) -> ParryPose {
    parry_pose(pose.quaternion(), pose.translation())
}

/// A convex polyhedron of parry's with exactly the vertices of `shape`.
pub fn polyhedron(shape: &Shape) -> ConvexPolyhedron {
    let points: Vec<Vector> = shape.points.iter().map(|p| Vector::from_array(p.to_array())).collect();
    let hull = ConvexPolyhedron::from_convex_mesh(points, &shape.triangles());
    hull.unwrap_or_else(|| panic!("parry cannot build {}", shape.name))
}

/// Which of parry's ways in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `query::closest_points`, or `query::contact` when overlapping.
    Query,
    /// Its GJK, and EPA when overlapping, started from the last direction.
    WarmDirection,
}

/// parry on one pair.
pub struct Parry {
    call: Call,
    scene: Scene,
    hull: ConvexPolyhedron,
    poses: Vec<[ParryPose; 2]>,
    direction: Option<Vector>,
}

impl Parry {
    /// Two copies of `shape`.
    pub fn new(shape: &Shape, scene: Scene, call: Call) -> Self {
        Self { call, scene, hull: polyhedron(shape), poses: Vec::new(), direction: None }
    }

    fn closest(&self, [a, b]: &[ParryPose; 2]) -> Answer {
        match query::closest_points(a, &self.hull, b, &self.hull, f64::MAX) {
            Ok(ClosestPoints::WithinMargin(p, q)) => answer((q - p).length(), p, q),
            _ => Answer::default(),
        }
    }

    fn contact(&self, [a, b]: &[ParryPose; 2]) -> Answer {
        match query::contact(a, &self.hull, b, &self.hull, 0.0) {
            Ok(Some(contact)) => answer(contact.dist, contact.point1, contact.point2),
            _ => Answer::default(),
        }
    }

    fn warm(&mut self, [a, b]: &[ParryPose; 2], simplex: &mut VoronoiSimplex) -> Answer {
        let pose_ab = a.inv_mul(b);
        let hull = &self.hull;
        let found = match self.scene {
            Scene::Separated => gjk(&pose_ab, hull, hull, f64::MAX, simplex, self.direction),
            Scene::Overlapping => gjk_and_epa(&pose_ab, hull, hull, 0.0, simplex, self.direction),
        };
        match found {
            GJKResult::ClosestPoints(p, q, normal) => {
                self.direction = Some(normal);
                answer((q - p).dot(normal), a * p, a * q)
            }
            _ => Answer::default(),
        }
    }
}

fn answer(distance: f64, a: Vector, b: Vector) -> Answer {
    Answer { distance, a: a.to_array(), b: b.to_array(), features: 0 }
}

impl Candidate for Parry {
    fn name(&self) -> &'static str {
        match (self.call, self.scene) {
            (Call::WarmDirection, Scene::Separated) => "parry GJK, warm direction",
            (Call::WarmDirection, Scene::Overlapping) => "parry EPA, warm direction",
            (Call::Query, Scene::Separated) => "parry closest_points",
            (Call::Query, Scene::Overlapping) => "parry contact",
        }
    }

    fn load(&mut self, poses: &[PosePair]) {
        self.poses = poses.iter().map(|[a, b]| [converted(a), converted(b)]).collect();
    }

    fn run(&mut self, range: Range<usize>, answers: &mut [Answer]) {
        let mut simplex = VoronoiSimplex::new();
        for (at, answer) in range.zip(answers) {
            let poses = self.poses[at];
            *answer = match (self.call, self.scene) {
                (Call::WarmDirection, _) => self.warm(&poses, &mut simplex),
                (Call::Query, Scene::Separated) => self.closest(&poses),
                (Call::Query, Scene::Overlapping) => self.contact(&poses),
            };
        }
    }
}

/// A support map that climbs from vertex to vertex: parry's kernels at our speed of support, for
/// laying out streams. Not a candidate.
pub struct Climbing<'a> {
    shape: &'a Shape,
    last: Cell<u32>,
}

impl<'a> Climbing<'a> {
    /// Of `shape`.
    pub fn new(shape: &'a Shape) -> Self {
        Self { shape, last: Cell::new(0) }
    }
}

impl SupportMap for Climbing<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let direction = DVec3::from_array(direction.to_array());
        let height = |v: u32| self.shape.points[v as usize].dot(direction);
        let mut at = self.last.get();
        let mut best = height(at);
        loop {
            let start = at;
            for &next in &self.shape.neighbours[start as usize] {
                let level = height(next);
                if level > best {
                    (at, best) = (next, level);
                }
            }
            if at == start {
                break;
            }
        }
        self.last.set(at);
        Vector::from_array(self.shape.points[at as usize].to_array())
    }
}
