//! A polygon seen from its centre: sides, the side that a ray pierces, support corners, the touch.
//!
//! Source: as for polytopes; in the plane a corner on an edge is the only event (002, remark 3.3).
//! Differs: as for polytopes.
//! Ends because: a step is taken only to a side with a strictly larger a·y/b.
//! Cost: the sides passed.
//! Not promised: which side, when the ray leaves through a corner.

use super::active_set::{Outcome, Pair, Sided};
use super::answer::Smoothness;
use super::space::MOST_PLANES;
use super::touch::Touch;
use crate::tolerance;
use clearance_geometry::{DVec2, Feature, PlanarPose, Polygon, VertexId};

/// A polygon in the axes of A, counted from its centre.
pub(super) struct PlanarCentred<'a> {
    pub(super) polygon: &'a Polygon,
    pub(super) pose: PlanarPose,
}

/// Two polygons, placed.
pub(super) type PlanarPair<'a> = Pair<PlanarCentred<'a>, PlanarCentred<'a>>;

impl PlanarCentred<'_> {
    /// A corner from the centre, in the axes of A.
    pub(super) fn vertex(&self, vertex: VertexId) -> DVec2 {
        self.pose.rotate(self.polygon.vertex(vertex) - self.polygon.center())
    }

    /// a·y/b of a side, y in body axes.
    fn gauge(&self, side: usize, towards: DVec2) -> f64 {
        let side = &self.polygon.sides()[side];
        side.normal.dot(towards) / (side.offset - side.normal.dot(self.polygon.center()))
    }

    /// The corner or edge that lies in the support line along `direction` through a support corner.
    fn support_feature(&self, vertex: u32, direction: DVec2) -> Feature {
        let direction = self.pose.rotate_inverse(direction);
        let vertex = VertexId(vertex);
        let slack = tolerance::COPLANAR_REL * self.polygon.radius();
        // Of the two sides at the corner, the one more nearly in the line.
        let drop = |side: usize| {
            let side = &self.polygon.sides()[side];
            side.vector.dot(direction).abs() - tolerance::RATIO_TIE_REL * side.length
        };
        if self.polygon.sides().is_empty() {
            return Feature::Vertex(vertex);
        }
        let (after, before) = (vertex.index(), self.polygon.previous(vertex).index());
        let side = if drop(before) < drop(after) { before } else { after };
        if drop(side) <= slack {
            Feature::Edge(self.polygon.edge_of_side(side))
        } else {
            Feature::Vertex(vertex)
        }
    }

    /// The ends of an edge, from the centre, in the axes of A.
    fn ends(&self, feature: Feature) -> [DVec2; 2] {
        match feature {
            Feature::Edge(edge) => self.polygon.edge(edge).vertices.map(|vertex| self.vertex(vertex)),
            other => [self.vertex(VertexId(other.number())); 2],
        }
    }
}

impl Sided for PlanarCentred<'_> {
    type Vector = DVec2;

    fn plane(&self, face: u32) -> (DVec2, f64) {
        let side = &self.polygon.sides()[face as usize];
        (self.pose.rotate(side.normal), side.offset - side.normal.dot(self.polygon.center()))
    }

    fn pierced(&self, from: u32, towards: DVec2) -> u32 {
        let towards = self.pose.rotate_inverse(towards);
        let count = self.polygon.sides().len();
        let mut side = from as usize;
        let mut best = self.gauge(side, towards);
        let ahead = best > 0.0;
        if !ahead {
            let start = self.polygon.support(towards).index();
            let value = self.gauge(start, towards);
            if value > best {
                (side, best) = (start, value);
            }
        }
        for step in [1, count - 1] {
            loop {
                let next = (side + step) % count;
                let value = self.gauge(next, towards);
                // Written so that NaN ends the walk.
                if value > best {
                    (side, best) = (next, value);
                } else {
                    break;
                }
            }
        }
        side as u32
    }

    fn support(&self, from: u32, direction: DVec2) -> u32 {
        let direction = self.pose.rotate_inverse(direction);
        self.polygon.climb(VertexId(from), direction, direction.length()).0
    }

    fn cone(&self, vertex: u32, _direction: DVec2) -> [u32; MOST_PLANES - 1] {
        let before = self.polygon.previous(VertexId(vertex)).0;
        [before, vertex, vertex]
    }

    fn start(&self, direction: DVec2) -> (u32, u32) {
        let vertex = self.polygon.support(self.pose.rotate_inverse(direction)).0;
        (vertex, vertex)
    }

    fn face_count(&self) -> u32 {
        self.polygon.sides().len() as u32
    }

    fn vertex_count(&self) -> u32 {
        self.polygon.vertex_count() as u32
    }

    fn radii(&self) -> [f64; 2] {
        [self.polygon.inradius(), self.polygon.radius()]
    }
}

impl PlanarPair<'_> {
    /// The answer that an outcome stands for.
    pub(super) fn touch(&self, outcome: &Outcome<DVec2>) -> Touch<DVec2> {
        let normal = self.pull(outcome);
        let [a, b] = outcome.vertices;
        let vertices = [self.a.support(a, normal), self.b.support(b, -normal)];
        let mut touch = self.touch_along(normal, vertices);
        self.bound_above(&mut touch, outcome.pierced);
        touch
    }

    /// The touch with a given normal and support corners along it; its bounds are left open.
    pub(super) fn touch_along(&self, normal: DVec2, vertices: [u32; 2]) -> Touch<DVec2> {
        let points = [self.a.vertex(VertexId(vertices[0])), self.b.vertex(VertexId(vertices[1]))];
        let features =
            [self.a.support_feature(vertices[0], normal), self.b.support_feature(vertices[1], -normal)];
        let mut touch = self.open_touch(normal, vertices, points, features);
        let (t, slack) = (touch.t, touch.slack());
        // Along the support line, both features are intervals; the contact is what they share.
        let along = normal.perp();
        let sorted = |[p, q]: [f64; 2]| [p.min(q), p.max(q)];
        let own = sorted(self.a.ends(features[0]).map(|end| along.dot(end) * t));
        let other = self.b.ends(features[1]).map(|end| along.dot(self.between + end * self.b_scale(t)));
        let other = sorted(other);
        let (low, high) = (own[0].max(other[0]), own[1].min(other[1]));
        touch.smoothness = match features {
            _ if high - low > slack => Smoothness::PointNotUnique,
            [Feature::Vertex(_), Feature::Edge(_)] if within(own[0], other, slack) => {
                Smoothness::Differentiable
            }
            [Feature::Edge(_), Feature::Vertex(_)] if within(other[0], own, slack) => {
                Smoothness::Differentiable
            }
            _ => Smoothness::NormalNotUnique,
        };
        // A corner is where it is; only an interval has a middle.
        touch.x = match features {
            [Feature::Vertex(_), _] => points[0] * t,
            [_, Feature::Vertex(_)] => self.between + points[1] * self.b_scale(t),
            _ => along * (0.5 * (low + high)) + normal * (normal.dot(points[0]) * t),
        };
        touch
    }
}

fn within(place: f64, [low, high]: [f64; 2], slack: f64) -> bool {
    place - low > slack && high - place > slack
}
