//! The two bodies of a query, each in its own anchored frame, and the way between the frames.

use super::cells::{CellId, Cells};
use crate::frame;
use crate::tolerance;
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, Polytope, Pose, Tolerance, VertexId};

/// Both bodies. Sides are numbered 0 (A) and 1 (B), so that each case is written once.
pub(super) struct Pair<'a> {
    pub(super) bodies: [&'a Polytope; 2],
    pub(super) cells: [&'a Cells; 2],
    /// Of B in A, between anchored frames.
    pub(super) pose: Pose,
    pub(super) tolerance: Tolerance,
}

/// Nearest points of two features, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) points: [DVec3; 2],
    /// Unit vector from A to B, or zero where the points leave it undefined.
    pub(super) direction: DVec3,
    pub(super) distance: f64,
}

impl Near {
    /// Whether the vector between the points is `distance` times `direction`, within `slack`.
    pub(super) fn agrees(&self, direction: DVec3, slack: f64) -> bool {
        (self.points[1] - self.points[0] - direction * self.distance).length() <= slack
    }
}

/// A segment: where it starts and what leads to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) tail: DVec3,
    pub(super) vector: DVec3,
}

impl Segment {
    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.tail + self.vector * t
    }
}

impl<'a> Pair<'a> {
    pub(super) fn new(a: (&'a Polytope, &'a Cells), b: (&'a Polytope, &'a Cells), pose_ab: &Pose) -> Self {
        let pose = frame::anchored(a.0, b.0, pose_ab);
        let scale = a.0.reach() + b.0.reach() + pose.translation().length();
        Self { bodies: [a.0, b.0], cells: [a.1, b.1], pose, tolerance: Tolerance::for_size(scale) }
    }

    /// How far constraint planes are displaced outward; a length.
    pub(super) fn flare(&self) -> f64 {
        self.tolerance.scale() * tolerance::FLARE_REL
    }

    /// Distance at or below which features touch; a length.
    pub(super) fn touch(&self) -> f64 {
        self.tolerance.length()
    }

    /// A point of the frame of side `from`, in the frame of the other side.
    pub(super) fn across(&self, from: usize, point: DVec3) -> DVec3 {
        if from == 0 { self.pose.apply_inverse(point) } else { self.pose.apply(point) }
    }

    /// A vector of the frame of side `from`, in the frame of the other side.
    pub(super) fn turned(&self, from: usize, vector: DVec3) -> DVec3 {
        if from == 0 { self.pose.rotate_inverse(vector) } else { self.pose.rotate(vector) }
    }

    /// A point of the frame of side `from`, in the frame of A.
    pub(super) fn in_a(&self, from: usize, point: DVec3) -> DVec3 {
        if from == 0 { point } else { self.pose.apply(point) }
    }

    /// A vector of the frame of side `from`, in the frame of A.
    pub(super) fn turned_to_a(&self, from: usize, vector: DVec3) -> DVec3 {
        if from == 0 { vector } else { self.pose.rotate(vector) }
    }

    pub(super) fn vertex(&self, side: usize, vertex: VertexId) -> DVec3 {
        self.bodies[side].vertex(vertex)
    }

    /// An edge in the frame of its own side.
    pub(super) fn segment(&self, side: usize, edge: EdgeId) -> Segment {
        let edge = self.bodies[side].edge(edge);
        Segment { tail: self.vertex(side, edge.vertices[0]), vector: edge.vector }
    }

    /// The segment between two vertices, in the frame of their own side.
    pub(super) fn between(&self, side: usize, ends: [VertexId; 2]) -> Segment {
        let [tail, head] = ends.map(|v| self.vertex(side, v));
        Segment { tail, vector: head - tail }
    }

    /// A segment of the frame of side `from`, in the frame of the other side.
    pub(super) fn segment_across(&self, from: usize, segment: Segment) -> Segment {
        Segment { tail: self.across(from, segment.tail), vector: self.turned(from, segment.vector) }
    }

    pub(super) fn height(&self, side: usize, face: FaceId, point: DVec3) -> f64 {
        self.bodies[side].plane(face).distance(point)
    }

    pub(super) fn features(&self, at: [CellId; 2]) -> [Feature; 2] {
        [self.cells[0].feature(at[0]), self.cells[1].feature(at[1])]
    }

    /// Any vertex of a feature.
    pub(super) fn corner(&self, side: usize, feature: Feature) -> VertexId {
        match feature {
            Feature::Vertex(v) => v,
            Feature::Edge(e) => self.bodies[side].edge(e).vertices[0],
            Feature::Face(f) => self.bodies[side].sides(f).first().map_or(VertexId(0), |side| side.vertex),
        }
    }

    /// Nearest points given in the frame of side `frame`: one on side `of`, the other on the other side,
    /// and the direction from the first to the second.
    pub(super) fn near(&self, frame: usize, of: usize, points: [DVec3; 2], direction: DVec3) -> Near {
        let distance = points[0].distance(points[1]);
        let [own, other] = points.map(|p| self.in_a(frame, p));
        // A rotation is orthonormal only within rounding.
        let direction = self.turned_to_a(frame, direction).normalize_or_zero();
        if of == 0 {
            Near { points: [own, other], direction, distance }
        } else {
            Near { points: [other, own], direction: -direction, distance }
        }
    }
}

/// `cell` on side `of` and `other` on the other side, in the order A, B.
pub(super) fn ordered(of: usize, cell: CellId, other: CellId) -> [CellId; 2] {
    if of == 0 { [cell, other] } else { [other, cell] }
}
