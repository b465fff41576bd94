//! Slow answers by other means, and the checker that every planar answer goes through.

use clearance_geometry::{DVec2, Feature, Interval, PlanarPose, Polygon, VertexId};
use clearance_proximity::planar::{self, PlanarProximity};
use clearance_proximity::{Ended, State};

/// Corners of both bodies in a frame at A's anchor, moved with twice the precision and rounded once.
pub struct Scene {
    pub a: Vec<DVec2>,
    pub b: Vec<DVec2>,
    /// Outward unit normals of the sides of A and of B, each from the differences of the corners it was
    /// given: moved corners have lost the direction of a short side.
    normals: [Vec<DVec2>; 2],
    /// Size of the coordinates above; a length.
    pub size: f64,
}

impl Scene {
    pub fn new(a: &Polygon, b: &Polygon, pose: &PlanarPose) -> Self {
        let (cos, sin, t, anchor) = (pose.cos(), pose.sin(), pose.translation(), a.anchor());
        let rounded = |left: [f64; 4], right: [f64; 4]| {
            let sum = Interval::sum_of_products(&left, &right);
            0.5 * sum.low() + 0.5 * sum.high()
        };
        let moved = |v: DVec2| {
            let x = rounded([cos, -sin, 1.0, -1.0], [v.x, v.y, t.x, anchor.x]);
            let y = rounded([sin, cos, 1.0, -1.0], [v.x, v.y, t.y, anchor.y]);
            DVec2::new(x, y)
        };
        let corners =
            |p: &Polygon| (0..p.vertex_count()).map(|i| p.body_vertex(VertexId(i as u32))).collect();
        let of_a: Vec<DVec2> = corners(a);
        let of_b: Vec<DVec2> = corners(b);
        let a: Vec<DVec2> = of_a.iter().map(|&v| v - anchor).collect();
        let b: Vec<DVec2> = of_b.iter().map(|&v| moved(v)).collect();
        let normals = |corners: &[DVec2]| -> Vec<DVec2> {
            outline(corners).map(|(p, q)| (q - p) / (q - p).length()).map(|along| -along.perp()).collect()
        };
        let turned = normals(&of_b).into_iter().map(|n| pose.rotate(n)).collect();
        let normals = [normals(&of_a), turned];
        let size = a.iter().chain(&b).map(|v| v.length()).fold(0.0, f64::max);
        Self { a, b, normals, size }
    }

    /// Largest separation along a normal of either outline; nothing for two points.
    pub fn separation(&self) -> Option<f64> {
        let one = self.normals[0].iter().map(|&normal| self.along(normal));
        let other = self.normals[1].iter().map(|&normal| self.along(-normal));
        one.chain(other).reduce(f64::max)
    }

    fn along(&self, normal: DVec2) -> f64 {
        // Heights over a point of A, so that a common offset does not count.
        let heights =
            |points: &[DVec2]| points.iter().map(|p| normal.dot(*p - self.a[0])).collect::<Vec<_>>();
        let lowest = heights(&self.b).into_iter().fold(f64::INFINITY, f64::min);
        let highest = heights(&self.a).into_iter().fold(f64::NEG_INFINITY, f64::max);
        lowest - highest
    }

    /// Smallest distance of a corner of one outline to an edge of the other.
    pub fn outline_distance(&self) -> f64 {
        let one = self.b.iter().map(|&p| point_outline(p, &self.a));
        let other = self.a.iter().map(|&p| point_outline(p, &self.b));
        one.chain(other).fold(f64::INFINITY, f64::min)
    }

    /// Signed distance.
    pub fn signed_distance(&self) -> f64 {
        match self.separation() {
            Some(separation) if separation <= 0.0 => separation,
            _ => self.outline_distance(),
        }
    }

    /// How far the farthest corner of A is outside B, and of B outside A; negative when all are inside.
    pub fn outside(&self) -> [f64; 2] {
        let worst = |inner: &[DVec2], outer: &[DVec2], normals: &[DVec2]| {
            if outer.len() < 3 {
                return f64::INFINITY;
            }
            let over = |p: DVec2| {
                outer.iter().zip(normals).map(|(q, n)| n.dot(p - *q)).fold(f64::NEG_INFINITY, f64::max)
            };
            inner.iter().map(|&p| over(p)).fold(f64::NEG_INFINITY, f64::max)
        };
        [worst(&self.a, &self.b, &self.normals[1]), worst(&self.b, &self.a, &self.normals[0])]
    }
}

fn outline(points: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    let n = if points.len() == 1 { 0 } else { points.len() };
    (0..n).map(move |i| (points[i], points[(i + 1) % points.len()]))
}

fn point_outline(p: DVec2, points: &[DVec2]) -> f64 {
    outline(points).map(|(from, to)| point_segment(p, from, to)).fold(p.distance(points[0]), f64::min)
}

pub fn point_segment(p: DVec2, from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let t = (p - from).dot(along) / along.length_squared();
    if t <= 0.0 {
        p.distance(from)
    } else if t >= 1.0 {
        p.distance(to)
    } else {
        ((p - from).perp_dot(along) / along.length()).abs()
    }
}

/// Rounding allowed in an answer, per size of the coordinates that made it.
pub const ANSWER_REL: f64 = 40.0 * f64::EPSILON;

/// Asserts everything an answer promises; `what` names the case.
pub fn check(a: &Polygon, b: &Polygon, pose: &PlanarPose, answer: &PlanarProximity, what: &str) {
    let scene = Scene::new(a, b, pose);
    let tol = ANSWER_REL * scene.size;
    let signed = answer.signed_distance;
    let truth = scene.signed_distance();
    let gap = (signed - truth).abs();
    let noise = scene.separation().is_some_and(|s| s.abs() <= tol)
        && (signed - scene.outline_distance()).abs() <= tol;
    assert!(gap <= tol || noise, "{what}: {signed:e} but {truth:e}, off by {gap:e} of {tol:e}\n{answer:?}");
    assert!((answer.normal.length() - 1.0).abs() < 1e-14, "{what}: normal {answer:?}");
    assert_eq!(answer.distance, if answer.state == State::Separated { signed } else { 0.0 }, "{what}");
    check_state(&scene, answer, tol, what);
    // Coordinates of the answer are those of the body's own frame, however far its corners are.
    let far = tol + ANSWER_REL * (a.anchor().length() + scene.size);
    let [wa, wb] = answer.witnesses;
    let across = wb.point - wa.point - signed * answer.normal;
    assert!(across.length() <= far, "{what}: witnesses off by {:e}\n{answer:?}", across.length());
    let off_a = off_feature(a, wa.point, wa.feature);
    assert!(off_a <= far, "{what}: witness of A off its feature by {off_a:e} of {far:e}\n{answer:?}");
    let far_b = far + ANSWER_REL * (b.anchor().length() + pose.translation().length());
    let off_b = off_feature(b, pose.apply_inverse(wb.point), wb.feature);
    assert!(off_b <= far_b, "{what}: witness of B off its feature by {off_b:e} of {far_b:e}\n{answer:?}");
    check_certificate(a, b, pose, answer, tol, what);
}

fn check_state(scene: &Scene, answer: &PlanarProximity, tol: f64, what: &str) {
    let signed = answer.signed_distance;
    match answer.state {
        State::Separated => assert!(signed > 0.0, "{what}: {answer:?}"),
        State::Touching => assert_eq!(signed, 0.0, "{what}"),
        _ => assert!(signed < 0.0, "{what}: {answer:?}"),
    }
    if answer.state.overlaps() {
        let [a_outside, b_outside] = scene.outside();
        let inside = |outside: f64| outside < -tol;
        let crossing = |outside: f64| outside > tol;
        match answer.state {
            State::AInsideB => assert!(!crossing(a_outside), "{what}: A is {a_outside:e} outside"),
            State::BInsideA => assert!(!crossing(b_outside), "{what}: B is {b_outside:e} outside"),
            _ => assert!(!inside(a_outside) && !inside(b_outside), "{what}: {a_outside:e} {b_outside:e}"),
        }
    }
}

fn check_certificate(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    answer: &PlanarProximity,
    tol: f64,
    what: &str,
) {
    let proof = planar::certify(a, b, pose, answer);
    assert!(proof.lower <= answer.signed_distance + tol, "{what}: {proof:?} above {answer:?}");
    let slack = answer.signed_distance - proof.lower;
    if answer.state != State::Touching && !matches!(answer.ended, Ended::Stalled { .. }) {
        assert!(slack <= 2.0 * tol + 1e-12 * answer.distance, "{what}: proof off by {slack:e}\n{answer:?}");
    }
    if let Ended::Stalled { residual } = answer.ended {
        assert!(residual >= 0.0, "{what}: {answer:?}");
    }
}

fn off_feature(body: &Polygon, point: DVec2, feature: Feature) -> f64 {
    match feature {
        Feature::Vertex(v) => point.distance(body.body_vertex(v)),
        Feature::Edge(e) => {
            let [tail, head] = body.edge(e).vertices.map(|v| body.body_vertex(v));
            point_segment(point, tail, head)
        }
        Feature::Face(_) => f64::INFINITY,
    }
}
