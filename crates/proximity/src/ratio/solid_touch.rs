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
use super::touch::Touch;
use crate::tolerance;
use clearance_geometry::{DVec2, DVec3, EdgeId, FaceId, Feature, VertexId};

/// Two polytopes, placed.
pub(super) type SolidPair<'a> = Pair<Centred<'a, Still>, Centred<'a, Turned>>;

/// What is known of a contact before its place.
struct Site {
    features: [Feature; 2],
    /// Support vertices, each from its centre.
    points: [DVec3; 2],
    normal: DVec3,
    t: f64,
    /// A point close to the contact.
    near: DVec3,
    slack: f64,
}

impl SolidPair<'_> {
    /// The answer that an outcome stands for.
    pub(super) fn touch(&self, outcome: &Outcome<DVec3>) -> Touch<DVec3> {
        let (normal, vertices) = self.normal(outcome);
        let mut touch = self.touch_along(normal, vertices, outcome.x);
        self.bound_above(&mut touch, outcome.pierced);
        if !touch.is_converged() {
            // Where rounding hides the touching features, the meeting point of the planes may be better.
            let mut other = touch;
            other.x = outcome.x;
            self.bound_above(&mut other, outcome.pierced);
            if other.upper < touch.upper {
                return other;
            }
        }
        touch
    }

    /// The touch that the vertices prove in doubled precision, for bodies that both grow.
    pub(super) fn careful_touch(&self, vertices: [u32; 2], pierced: [u32; 2]) -> Option<Touch<DVec3>> {
        let proved = self.both_grow.then(|| self.by_vertices(vertices)).flatten()?;
        let mut touch = self.touch_along(proved.normal, proved.vertices, proved.x);
        touch.t = proved.bounds[0];
        self.bound_above(&mut touch, pierced);
        if !touch.is_tight() {
            // Not the middle of the contact, but a point of it.
            touch.x = proved.x;
            touch.upper = proved.bounds[1].max(touch.t);
        }
        Some(touch)
    }

    /// The touch with a given normal and support vertices along it; its bounds are left open.
    pub(super) fn touch_along(&self, normal: DVec3, vertices: [u32; 2], near: DVec3) -> Touch<DVec3> {
        let points = [self.a.vertex(vertices[0]), self.b.vertex(vertices[1])];
        let features =
            [self.a.support_feature(vertices[0], normal), self.b.support_feature(vertices[1], -normal)];
        let mut touch = self.open_touch(normal, vertices, points, features);
        let site = Site { features, points, normal, t: touch.t, near, slack: touch.slack() };
        (touch.x, touch.smoothness) = self.contact(&site);
        touch
    }

    /// The normal of the event and a support vertex of each body along it.
    fn normal(&self, outcome: &Outcome<DVec3>) -> (DVec3, [u32; 2]) {
        let (count_a, planes_a) = outcome.carriers(false);
        let (count_b, planes_b) = outcome.carriers(true);
        let mut normal = self.pull(outcome);
        let mut vertices = outcome.vertices;
        if (count_a, count_b) == (2, 2)
            && let Some(edge_a) = self.a.edge_between(planes_a)
            && let Some(edge_b) = self.b.edge_between(planes_b)
        {
            let [e, f] = [self.a.along(edge_a), self.b.along(edge_b)];
            let across = e.cross(f);
            if across.length() > tolerance::RATIO_PARALLEL_REL * e.length() * f.length() {
                let unit = across.normalize();
                normal = if unit.dot(normal) < 0.0 { -unit } else { unit };
            }
            vertices = [self.a.polytope.edge(edge_a), self.b.polytope.edge(edge_b)].map(|e| e.vertices[0].0);
        }
        (normal, [self.a.support(vertices[0], normal), self.b.support(vertices[1], -normal)])
    }

    /// The touching point, or the middle of the contact, and whether there is a gradient.
    fn contact(&self, site: &Site) -> (DVec3, Smoothness) {
        let Site { features, points, t, slack, .. } = *site;
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
                None => self.spread_contact(site),
            },
            _ => self.spread_contact(site),
        }
    }

    /// As [`Self::contact`], for features with a common direction.
    fn spread_contact(&self, site: &Site) -> (DVec3, Smoothness) {
        let Site { features, t, slack, .. } = *site;
        let (x, spread) = self.middle_of_contact(site);
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
        let crosses = square > parallel * parallel;
        if !crosses {
            return None;
        }
        let way = start_b - start_a;
        let u = way.cross(f).dot(across) / square;
        let v = way.cross(e).dot(across) / square;
        let margin = (u.min(1.0 - u) * e.length()).min(v.min(1.0 - v) * f.length());
        Some((start_a + e * u, margin))
    }

    /// The middle of a contact along a segment or polygon, and whether it is more than a point.
    fn middle_of_contact(&self, site: &Site) -> (DVec3, bool) {
        let Site { features, points, normal, t, near, slack } = *site;
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
            // A spoke carries its length as the slack of a climb.
            let length = f64::from(spoke.slack) / tolerance::CLIMB_REL;
            if -spoke.vector.dot(direction) <= tolerance::RATIO_TIE_REL * length + slack {
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

    /// The edge between two faces, if they are neighbours.
    pub(super) fn edge_between(&self, planes: [Option<PlaneId>; 2]) -> Option<EdgeId> {
        let [one, other] = [FaceId(planes[0]?.face), FaceId(planes[1]?.face)];
        let count = |face| self.polytope.sides(face).len();
        // Looked for among the sides of the smaller face: caps of cylinders have many.
        let (small, large) = if count(one) <= count(other) { (one, other) } else { (other, one) };
        let mut sides = self.polytope.sides(small).iter();
        sides.find(|side| self.behind(small, side) == large).map(|side| side.edge)
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
