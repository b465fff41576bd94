//! What the answers are checked against; it shares no code with any candidate.
//!
//! Apart: along any direction, the width of the empty slab between the bodies bounds their distance
//! from below. It is measured by looking at every vertex, along every direction a candidate came up
//! with, and the widest slab is the reference. Overlapping: the depth is the least overlap over the
//! face normals of both bodies and over the pairs of edges that support each other, all of which are
//! looked at.

use crate::candidate::Answer;
use crate::shape::Shape;
use crate::stream::{PosePair, Scene};
use clearance_geometry::{DVec3, Pose};
use std::collections::BTreeMap;

/// Faces and edges of a body, for checking answers on two copies of it.
pub struct Reference<'a> {
    shape: &'a Shape,
    planes: Vec<(DVec3, f64)>,
    edges: Vec<Edge>,
}

/// Two ends and the normals of the two faces beside.
#[derive(Clone, Copy)]
struct Edge {
    tail: DVec3,
    vector: DVec3,
    normals: [DVec3; 2],
}

/// How far off an answer is; lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Error {
    /// Of the distance or depth.
    pub distance: f64,
    /// Of the witnesses: how far outside its body one lies, or their distance from the one stated.
    pub witnesses: f64,
}

impl Error {
    /// The larger of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { distance: self.distance.max(other.distance), witnesses: self.witnesses.max(other.witnesses) }
    }
}

impl<'a> Reference<'a> {
    /// For two copies of `shape`.
    pub fn new(shape: &'a Shape) -> Self {
        let planes = shape.planes();
        let mut beside = BTreeMap::<[u32; 2], Vec<usize>>::new();
        for (number, face) in shape.faces.iter().enumerate() {
            for (i, &tail) in face.iter().enumerate() {
                let head = face[(i + 1) % face.len()];
                beside.entry([tail.min(head), tail.max(head)]).or_default().push(number);
            }
        }
        let edge = |(ends, faces): (&[u32; 2], &Vec<usize>)| {
            let [tail, head] = ends.map(|v| shape.points[v as usize]);
            let normals = [planes[faces[0]].0, planes[faces[1]].0];
            Edge { tail, vector: head - tail, normals }
        };
        let edges = beside.iter().map(edge).collect();
        Self { shape, planes, edges }
    }

    /// The error of each answer to the same pose.
    pub fn errors(&self, scene: Scene, poses: &PosePair, answers: &[Answer]) -> Vec<Error> {
        let pose_ab = Pose::between(&poses[0], &poses[1]);
        let truth = match scene {
            Scene::Separated => self.widest_slab(poses, &pose_ab, answers),
            Scene::Overlapping => -self.depth(&pose_ab),
        };
        answers.iter().map(|answer| self.error(poses, truth, answer)).collect()
    }

    fn error(&self, poses: &PosePair, truth: f64, answer: &Answer) -> Error {
        let [a, b] = [answer.a, answer.b].map(DVec3::from_array);
        let outside = self.outside(poses[0].apply_inverse(a)).max(self.outside(poses[1].apply_inverse(b)));
        let length = ((b - a).length() - answer.distance.abs()).abs();
        Error { distance: (answer.distance - truth).abs(), witnesses: outside.max(length) }
    }

    /// How far a point in the body's frame lies outside; 0 inside.
    fn outside(&self, point: DVec3) -> f64 {
        self.planes.iter().fold(0.0, |most, (normal, offset)| most.max(point.dot(*normal) - offset))
    }

    fn widest_slab(&self, poses: &PosePair, pose_ab: &Pose, answers: &[Answer]) -> f64 {
        let widths = answers.iter().filter_map(|answer| {
            let between = DVec3::from_array(answer.b) - DVec3::from_array(answer.a);
            let direction = poses[0].rotate_inverse(between.try_normalize()?);
            Some(self.slab(pose_ab, direction))
        });
        widths.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Width of the empty slab across `direction` (unit, in the frame of A); negative when they overlap.
    fn slab(&self, pose_ab: &Pose, direction: DVec3) -> f64 {
        let farthest = |direction: DVec3| {
            self.shape.points.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p.dot(direction)))
        };
        pose_ab.translation().dot(direction)
            - farthest(direction)
            - farthest(-pose_ab.rotate_inverse(direction))
    }

    fn depth(&self, pose_ab: &Pose) -> f64 {
        let center = pose_ab.translation();
        let along_center = center.try_normalize().map_or(f64::INFINITY, |n| -self.slab(pose_ab, n));
        // Across a direction that matters the overlap is no more than that, while the other body reaches
        // at least its inradius beyond its centre. `ahead` is how far that centre lies beyond the plane.
        let least = self.shape.inradius - along_center;
        let matters = |edge: &Edge, ahead: DVec3| {
            let slack = ahead.length() * edge.normals[0].angle_between(edge.normals[1]);
            edge.normals.iter().any(|normal| normal.dot(ahead) + slack >= least)
        };
        let turned = |edge: &Edge| Edge {
            tail: pose_ab.apply(edge.tail),
            vector: pose_ab.rotate(edge.vector),
            normals: edge.normals.map(|normal| -pose_ab.rotate(normal)),
        };
        let edges = self.edges.iter();
        let of_a: Vec<Edge> =
            edges.clone().copied().filter(|edge| matters(edge, center - edge.tail)).collect();
        let of_b: Vec<Edge> = edges.map(turned).filter(|edge| matters(edge, edge.tail)).collect();
        let mut depth = along_center;
        for normal in of_a.iter().chain(&of_b).flat_map(|edge| edge.normals) {
            depth = depth.min(-self.slab(pose_ab, normal));
        }
        for a in &of_a {
            for b in &of_b {
                if arcs_cross(a.normals, b.normals)
                    && let Some(normal) = a.vector.cross(b.vector).try_normalize()
                {
                    // Between the two normals, which may be nearly opposite at a sharp rim.
                    let outward =
                        if normal.dot(a.normals[0] + a.normals[1]) < 0.0 { -normal } else { normal };
                    depth = depth.min(outward.dot(a.tail - b.tail));
                }
            }
        }
        depth
    }
}

/// Whether two arcs on the sphere of directions cross.
fn arcs_cross([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> bool {
    let ab = b.cross(a);
    let cd = d.cross(c);
    let (c_side, d_side, a_side, b_side) = (c.dot(ab), d.dot(ab), a.dot(cd), b.dot(cd));
    c_side * d_side < 0.0 && a_side * b_side < 0.0 && c_side * b_side > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_of_cubes_and_discs_is_the_planted_one() {
        let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.01, -0.002)).expect("finite");
        let cube = Shape::named("cube8").expect("a family");
        let wide = 2.0 / 3.0_f64.sqrt();
        let depth = Reference::new(&cube).depth(&at(wide - 0.1));
        assert!((depth - 0.1).abs() < 1e-15, "{depth}");
        // Rim to rim, a thin body is left across its flat sides; never by more than its thickness.
        let disc = Shape::named("flat100-162").expect("a family");
        let depth = Reference::new(&disc).depth(&at(1.5));
        assert!(depth > 0.0 && depth < 0.02, "{depth}");
    }
}
