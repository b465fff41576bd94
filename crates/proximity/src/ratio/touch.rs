//! From a basis of planes to the answer: normal, ratio, touching point, features, bounds.
//!
//! Source: 002, sections 2.3 and 3.1–3.3: every event has the value t = n·d / (n·q₁ − n·q₂), with n its
//! normal and qᵢ a point of its feature of body i counted from the centre, and its gradient depends
//! only on the normal and the touching point (envelope theorem, in place of lemma 3.5).
//! Differs: DIFFERS from 002's solution of the basis as a linear system: n is taken from the face, or
//! from the two edges, and t from support vertices, which keeps t a lower bound whatever the rounding
//! of the basis. Parallel faces give the middle of the contact instead of one of its corners.
//! Ends because: there is no loop but over the sides of the touching features.
//! Cost: two climbs and two rings; the product of the numbers of sides where faces are parallel.
//! Not promised: that `Smoothness` tells apart contacts that differ by less than the tolerances.

use super::active_set::{Outcome, Pair, PlaneId, Sided};
use super::answer::Smoothness;
use super::contact::{Outline, middle};
use super::faces::{Centred, Still, Turn, Turned};
use super::space::Vector;
use clearance_geometry::{DVec2, DVec3, EdgeId, FaceId, Feature, VertexId, tolerance};

/// Two polytopes, placed.
pub(super) type SolidPair<'a> = Pair<Centred<'a, Still>, Centred<'a, Turned>>;

/// The touch of the grown bodies, counted from A's centre in A's axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) normal: DVec3,
    /// The gradient's scale: the ratio changes by `per_length` × (motion of B along the normal).
    pub(super) per_length: f64,
    pub(super) t: f64,
    pub(super) rho: f64,
    pub(super) x: DVec3,
    pub(super) features: [Feature; 2],
    pub(super) smoothness: Smoothness,
    pub(super) vertices: [u32; 2],
    pub(super) upper: f64,
    /// Rounding of the upper bound.
    pub(super) noise: f64,
}

impl Touch {
    /// Whether the bounds meet within rounding.
    pub(super) fn is_converged(&self) -> bool {
        // Written so that NaN has not converged.
        self.upper - self.t <= self.noise
    }
}

impl SolidPair<'_> {
    /// The answer that an outcome stands for.
    pub(super) fn touch(&self, outcome: &Outcome<DVec3>) -> Touch {
        let (normal, vertices) = self.normal(outcome);
        let mut touch = self.touch_along(normal, vertices, outcome.x);
        self.bound_above(&mut touch, outcome.pierced);
        touch
    }

    /// The touch with a given normal and support vertices along it; its bounds are left open.
    pub(super) fn touch_along(&self, normal: DVec3, vertices: [u32; 2], near: DVec3) -> Touch {
        let points = [self.a.vertex(vertices[0]), self.b.vertex(vertices[1])];
        let d = self.between;
        let (reach, way) = if self.both_grow {
            (normal.dot(points[0] - points[1]), normal.dot(d))
        } else {
            (normal.dot(points[0]), normal.dot(d + points[1]))
        };
        let t = way / reach;
        let features =
            [self.a.support_feature(vertices[0], normal), self.b.support_feature(vertices[1], -normal)];
        let radii = [self.a.polytope.radius() * t, self.b.polytope.radius() * self.b_scale(t)];
        let size = d.length() + radii[0] + radii[1];
        let slack = tolerance::RATIO_TIE_REL * size;
        let (x, smoothness) = self.contact(features, points, normal, t, near, slack);
        Touch {
            normal,
            per_length: reach.recip(),
            t,
            rho: normal.dot(d + points[1] - points[0]) / way,
            x,
            features,
            smoothness,
            vertices,
            upper: f64::NAN,
            noise: tolerance::RATIO_ROUNDING_REL * (size + x.length()),
        }
    }

    /// By how much B is scaled.
    fn b_scale(&self, t: f64) -> f64 {
        if self.both_grow { t } else { 1.0 }
    }

    /// The normal of the event and a support vertex of each body along it.
    fn normal(&self, outcome: &Outcome<DVec3>) -> (DVec3, [u32; 2]) {
        let heaviest = outcome.weights.iter().fold(0.0_f64, |most, weight| most.max(*weight));
        let carries = |i: &usize| outcome.weights[*i] > tolerance::RATIO_TIE_REL * heaviest;
        let carriers = |of_b: bool| {
            let mut two = [None; 2];
            let mut count = 0;
            for i in (0..DVec3::PLANES).filter(carries).filter(|&i| outcome.basis[i].of_b == of_b) {
                if let Some(slot) = two.get_mut(count) {
                    *slot = Some(outcome.basis[i]);
                }
                count += 1;
            }
            (count, two)
        };
        let ((count_a, planes_a), (count_b, planes_b)) = (carriers(false), carriers(true));
        let normal = match (count_a, planes_a[0], count_b, planes_b[0]) {
            (1, Some(face), ..) => self.row(face).normal,
            (_, _, 1, Some(face)) => -self.row(face).normal,
            _ => self.pull_on_a(outcome),
        };
        let mut vertices = outcome.vertices;
        vertices[0] = self.a.support(vertices[0], normal);
        vertices[1] = self.b.support(vertices[1], -normal);
        if (count_a, count_b) == (2, 2)
            && let Some(edge_a) = self.a.edge_of(vertices[0], planes_a)
            && let Some(edge_b) = self.b.edge_of(vertices[1], planes_b)
        {
            let [e, f] = [self.a.along(edge_a), self.b.along(edge_b)];
            let across = e.cross(f);
            if across.length() > tolerance::RATIO_PARALLEL_REL * e.length() * f.length() {
                let unit = across.normalize();
                return (if unit.dot(normal) < 0.0 { -unit } else { unit }, vertices);
            }
        }
        (normal, vertices)
    }

    /// The sum of the weighted normals of A, as a unit vector.
    fn pull_on_a(&self, outcome: &Outcome<DVec3>) -> DVec3 {
        let of_a = (0..DVec3::PLANES).filter(|&i| !outcome.basis[i].of_b);
        let sum = of_a.map(|i| self.row(outcome.basis[i]).normal * outcome.weights[i]).sum::<DVec3>();
        sum.try_normalize().unwrap_or_else(|| self.between.normalize_or_zero())
    }

    /// The touching point, or the middle of the contact, and whether there is a gradient.
    fn contact(
        &self,
        features: [Feature; 2],
        points: [DVec3; 2],
        normal: DVec3,
        t: f64,
        near: DVec3,
        slack: f64,
    ) -> (DVec3, Smoothness) {
        let scale_b = self.b_scale(t);
        let smooth = |unique| if unique { Smoothness::Differentiable } else { Smoothness::NormalNotUnique };
        match features {
            [Feature::Vertex(_), other] => {
                let x = points[0] * t;
                (x, smooth(matches!(other, Feature::Face(f) if self.is_inside_b(f, x, t, slack))))
            }
            [other, Feature::Vertex(_)] => {
                let x = self.between + points[1] * scale_b;
                (x, smooth(matches!(other, Feature::Face(f) if self.is_inside_a(f, x, t, slack))))
            }
            [Feature::Edge(e), Feature::Edge(f)] => match self.crossing(e, f, t) {
                Some((x, margin)) => (x, smooth(margin > slack)),
                None => self.spread_contact(features, points, normal, t, near, slack),
            },
            _ => self.spread_contact(features, points, normal, t, near, slack),
        }
    }

    /// As [`Self::contact`], for features with a common direction.
    fn spread_contact(
        &self,
        features: [Feature; 2],
        points: [DVec3; 2],
        normal: DVec3,
        t: f64,
        near: DVec3,
        slack: f64,
    ) -> (DVec3, Smoothness) {
        let (x, spread) = self.middle_of_contact(features, points, normal, t, near, slack);
        let unique = match features {
            [Feature::Face(f), _] if self.is_inside_a(f, x, t, slack) => true,
            [_, Feature::Face(f)] => self.is_inside_b(f, x, t, slack),
            _ => false,
        };
        let smoothness = match (unique, spread) {
            (true, false) => Smoothness::Differentiable,
            (false, false) => Smoothness::NormalNotUnique,
            (true, true) => Smoothness::PointNotUnique,
            (false, true) => Smoothness::NeitherUnique,
        };
        (x, smoothness)
    }

    fn is_inside_a(&self, face: FaceId, x: DVec3, t: f64, slack: f64) -> bool {
        self.a.depth_within(face, x / t + self.a.polytope.center()) * t > slack
    }

    fn is_inside_b(&self, face: FaceId, x: DVec3, t: f64, slack: f64) -> bool {
        let scale = self.b_scale(t);
        let at = self.b.turn.back(x - self.between) / scale + self.b.polytope.center();
        self.b.depth_within(face, at) * scale > slack
    }

    /// Where two grown edges cross, and how far from the nearest of their ends; none when parallel.
    fn crossing(&self, edge_a: EdgeId, edge_b: EdgeId, t: f64) -> Option<(DVec3, f64)> {
        let scale_b = self.b_scale(t);
        let (e, f) = (self.a.along(edge_a) * t, self.b.along(edge_b) * scale_b);
        let start_a = self.a.corner(Feature::Edge(edge_a), 0) * t;
        let start_b = self.between + self.b.corner(Feature::Edge(edge_b), 0) * scale_b;
        let across = e.cross(f);
        let square = across.length_squared();
        let parallel = tolerance::RATIO_PARALLEL_REL * e.length() * f.length();
        if !(square > parallel * parallel) {
            return None;
        }
        let way = start_b - start_a;
        let u = way.cross(f).dot(across) / square;
        let v = way.cross(e).dot(across) / square;
        let margin = (u.min(1.0 - u) * e.length()).min(v.min(1.0 - v) * f.length());
        Some((start_a + e * u, margin))
    }

    /// The middle of a contact along a segment or polygon, and whether it is more than a point.
    fn middle_of_contact(
        &self,
        features: [Feature; 2],
        points: [DVec3; 2],
        normal: DVec3,
        t: f64,
        near: DVec3,
        slack: f64,
    ) -> (DVec3, bool) {
        let (u, v) = normal.any_orthonormal_pair();
        let flat = |x: DVec3| DVec2::new(u.dot(x), v.dot(x));
        let scale_b = self.b_scale(t);
        let outline_a = Outline {
            count: self.a.corner_count(features[0]),
            corner: |i| flat(self.a.corner(features[0], i) * t),
        };
        let count = self.b.corner_count(features[1]);
        // B's face looks the other way, so its corners are met in reverse.
        let corner = |i: usize| flat(self.between + self.b.corner(features[1], count - 1 - i) * scale_b);
        let found = middle(&outline_a, &Outline { count, corner }, flat(near), slack);
        let height = normal.dot(points[0]) * t;
        (u * found.point.x + v * found.point.y + normal * height, found.outline > 0.0)
    }

    /// The upper bound that x stands for, with its rounding.
    fn bound_above(&self, touch: &mut Touch, pierced: [u32; 2]) {
        let from_b = touch.x - self.between;
        let (normal_b, reach_b) = self.b.plane(self.b.pierced(pierced[1], from_b));
        let (other, thin) = if self.both_grow {
            (normal_b.dot(from_b) / reach_b, reach_b)
        } else {
            (touch.t + (normal_b.dot(from_b) - reach_b).max(0.0) * touch.per_length, f64::INFINITY)
        };
        self.bound_above_by_a(touch, pierced[0], other, thin);
    }

    /// The upper bound from A and one found elsewhere; `thin` is the other growing body's reach.
    pub(super) fn bound_above_by_a(&self, touch: &mut Touch, pierced: u32, other: f64, thin: f64) {
        let (normal, reach) = self.a.plane(self.a.pierced(pierced, touch.x));
        let grown = normal.dot(touch.x) / reach;
        touch.upper = if grown.is_nan() || other.is_nan() { f64::NAN } else { grown.max(other).max(touch.t) };
        touch.noise = tolerance::GAP_REL * touch.t.abs() + touch.noise / reach.min(thin);
    }
}

impl<T: Turn> Centred<'_, T> {
    /// The feature that lies in the support plane along `direction` through a support vertex.
    pub(super) fn support_feature(&self, vertex: u32, direction: DVec3) -> Feature {
        let direction = self.turn.back(direction);
        let ring = self.polytope.ring(VertexId(vertex));
        let slack = tolerance::COPLANAR_REL * self.polytope.radius();
        let mut ties = 0;
        let mut edge = None;
        for (spoke, id) in ring.spokes.iter().zip(ring.edges) {
            let drop = -spoke.vector.dot(direction);
            if drop <= tolerance::RATIO_TIE_REL * spoke.vector.length() + slack {
                ties += 1;
                edge = Some(*id);
            }
        }
        let rise = |face: &FaceId| self.polytope.plane(*face).normal.dot(direction);
        match (ties, edge) {
            (1, Some(edge)) => Feature::Edge(edge),
            (0, _) | (_, None) => Feature::Vertex(VertexId(vertex)),
            _ => {
                let face = ring.faces.iter().max_by(|f, g| rise(f).total_cmp(&rise(g)));
                face.map_or(Feature::Vertex(VertexId(vertex)), |face| Feature::Face(*face))
            }
        }
    }

    /// The edge at a vertex between two faces, if it is there.
    fn edge_of(&self, vertex: u32, planes: [Option<PlaneId>; 2]) -> Option<EdgeId> {
        let wanted = [FaceId(planes[0]?.face), FaceId(planes[1]?.face)];
        let ring = self.polytope.ring(VertexId(vertex));
        ring.edges.iter().copied().find(|edge| {
            let [left, right] = self.polytope.edge(*edge).faces;
            wanted == [left, right] || wanted == [right, left]
        })
    }

    /// An edge's vector in the axes of A.
    fn along(&self, edge: EdgeId) -> DVec3 {
        self.turn.out(self.polytope.edge(edge).vector)
    }

    pub(super) fn corner_count(&self, feature: Feature) -> usize {
        match feature {
            Feature::Vertex(_) => 1,
            Feature::Edge(_) => 2,
            Feature::Face(face) => self.polytope.sides(face).len(),
        }
    }

    /// A corner of a feature, from the centre, in the axes of A.
    pub(super) fn corner(&self, feature: Feature, i: usize) -> DVec3 {
        let vertex = match feature {
            Feature::Vertex(vertex) => vertex,
            Feature::Edge(edge) => self.polytope.edge(edge).vertices[i],
            Feature::Face(face) => self.polytope.sides(face)[i].vertex,
        };
        self.vertex(vertex.0)
    }
}
