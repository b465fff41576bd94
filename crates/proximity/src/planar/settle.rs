//! The closest points of two polygons near a pair of corners, in closed form, and how good they are.
//!
//! Source: the corner and edge cases of 003 chapter 3 in the plane.
//! Differs: instead of testing one feature pair for being the closest, the twelve pairs of a corner and
//! an edge around two corners are measured and the nearest is taken; near-parallel edges need no case.
//! Ends because: the walk goes on only to a pair that is nearer, and for a limited number of steps.
//! Cost: twelve point–edge distances per step.
//! Not promised: which of several equally near pairs.

use super::{careful, gjk};
use crate::Work;
use clearance_geometry::{DVec2, Feature, PlanarPose, Polygon, Tolerance, VertexId};

/// Steps to neighbouring corners; the search before leaves two or three.
pub(super) const WALK_STEPS: usize = 64;

/// Two points, one on each body, in the anchored frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) points: [DVec2; 2],
    pub(super) features: [Feature; 2],
    /// Unit vector from A to B.
    pub(super) normal: DVec2,
    pub(super) distance: f64,
    /// Corners that the points are on or next to.
    pub(super) vertices: [VertexId; 2],
}

/// A pair of features.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pair {
    Vertices([VertexId; 2]),
    /// A side of A and a corner of B.
    SideOfA(usize, VertexId),
    /// A corner of A and a side of B.
    SideOfB(VertexId, usize),
}

/// The nearest pair of features around two corners; `touch` is the noise of coordinates, a length.
pub(super) fn around(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    vertices: [VertexId; 2],
    touch: f64,
) -> Settled {
    let [va, vb] = vertices;
    let apart = gjk::difference(a, b, pose, vertices).w;
    let mut best = (apart.length_squared(), Pair::Vertices(vertices));
    let mut offer = |distance_sq: f64, pair: Pair| {
        if distance_sq < best.0 {
            best = (distance_sq, pair);
        }
    };
    for q in [vb, b.previous(vb), b.next(vb)] {
        let point = pose.apply(b.vertex(q));
        for side in sides_at(a, va) {
            let (distance_sq, end) = to_side(a, side, point, touch);
            offer(distance_sq, end.map_or(Pair::SideOfA(side, q), |v| Pair::Vertices([v, q])));
        }
    }
    for p in [va, a.previous(va), a.next(va)] {
        let point = pose.apply_inverse(a.vertex(p));
        for side in sides_at(b, vb) {
            let (distance_sq, end) = to_side(b, side, point, touch);
            offer(distance_sq, end.map_or(Pair::SideOfB(p, side), |v| Pair::Vertices([p, v])));
        }
    }
    settled(a, b, pose, best.1)
}

/// Walks from two corners to ever nearer pairs.
pub(super) fn walk(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    from: [VertexId; 2],
    touch: f64,
    work: &mut Work,
) -> Settled {
    let mut best = around(a, b, pose, from, touch);
    for _ in 0..WALK_STEPS {
        if best.vertices == from {
            break;
        }
        let next = around(a, b, pose, best.vertices, touch);
        if next.distance >= best.distance {
            break;
        }
        work.moves += 1;
        best = next;
    }
    best
}

/// By how much the pair's own normal fails to prove its distance; a length.
#[inline]
pub(super) fn residual(a: &Polygon, b: &Polygon, pose: &PlanarPose, settled: &Settled) -> f64 {
    let vertices = gjk::support(a, b, pose, settled.normal, 1.0, settled.vertices);
    settled.distance - settled.normal.dot(gjk::difference(a, b, pose, vertices).w)
}

/// The pair and its residual, after a walk in doubled precision if its own normal does not prove it.
pub(super) fn proved(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    settled: Settled,
    tol: &Tolerance,
    work: &mut Work,
) -> (Settled, f64) {
    let plain = residual(a, b, pose, &settled);
    if plain <= tol.gap(settled.distance) || settled.distance <= tol.length() {
        return (settled, plain);
    }
    let careful = careful::walk(a, b, pose, settled.vertices, work);
    (careful, residual(a, b, pose, &careful))
}

/// The sides that meet at a corner; none for a point.
#[inline]
pub(super) fn sides_at(body: &Polygon, vertex: VertexId) -> impl Iterator<Item = usize> {
    let count = if body.sides().is_empty() { 0 } else { 2 };
    [body.previous(vertex).index(), vertex.index()].into_iter().take(count)
}

/// Squared distance of a point from a side, and the corner that is nearest if one is. A point behind
/// the side by more than noise is infinitely far: another side is nearer, or the bodies overlap.
#[inline]
fn to_side(body: &Polygon, side: usize, point: DVec2, touch: f64) -> (f64, Option<VertexId>) {
    let edge = &body.sides()[side];
    let from_tail = point - body.vertex(edge.vertices[0]);
    let along = from_tail.dot(edge.vector);
    if along <= 0.0 {
        return (from_tail.length_squared(), Some(edge.vertices[0]));
    }
    if along >= edge.vector.length_squared() {
        let from_head = point - body.vertex(edge.vertices[1]);
        return (from_head.length_squared(), Some(edge.vertices[1]));
    }
    let height = edge.normal.dot(from_tail);
    if height >= -touch { (height * height, None) } else { (f64::INFINITY, None) }
}

/// A side's outward normal, the height of a point over it (below it by noise at most), and the end of the side that
/// is nearer.
pub(super) struct Over {
    pub(super) outward: DVec2,
    pub(super) height: f64,
    pub(super) near: VertexId,
}

impl Settled {
    /// Between two corners that are `apart`.
    pub(super) fn at_corners(vertices: [VertexId; 2], points: [DVec2; 2], apart: DVec2) -> Self {
        let features = vertices.map(Feature::Vertex);
        Self { points, features, normal: apart.normalize_or(DVec2::X), distance: apart.length(), vertices }
    }

    /// Between a side of A and the corner `q` of B at `point`.
    pub(super) fn over_a(a: &Polygon, side: usize, q: VertexId, point: DVec2, over: &Over) -> Self {
        let Over { outward: normal, height, near } = *over;
        let features = [Feature::Edge(a.edge_of_side(side)), Feature::Vertex(q)];
        let points = [point - normal * height, point];
        Self { points, features, normal, distance: height.abs(), vertices: [near, q] }
    }

    /// Between the corner `p` of A at `point` and a side of B.
    pub(super) fn over_b(b: &Polygon, p: VertexId, side: usize, point: DVec2, over: &Over) -> Self {
        let Over { outward, height, near } = *over;
        let features = [Feature::Vertex(p), Feature::Edge(b.edge_of_side(side))];
        let points = [point, point - outward * height];
        Self { points, features, normal: -outward, distance: height.abs(), vertices: [p, near] }
    }
}

fn settled(a: &Polygon, b: &Polygon, pose: &PlanarPose, pair: Pair) -> Settled {
    match pair {
        Pair::Vertices(vertices) => {
            let points = [a.vertex(vertices[0]), pose.apply(b.vertex(vertices[1]))];
            Settled::at_corners(vertices, points, points[1] - points[0])
        }
        Pair::SideOfA(side, q) => {
            let point = pose.apply(b.vertex(q));
            Settled::over_a(a, side, q, point, &over_side(a, side, point))
        }
        Pair::SideOfB(p, side) => {
            let point = a.vertex(p);
            let over = over_side(b, side, pose.apply_inverse(point));
            let over = Over { outward: pose.rotate(over.outward), ..over };
            Settled::over_b(b, p, side, point, &over)
        }
    }
}

fn over_side(body: &Polygon, side: usize, point: DVec2) -> Over {
    let edge = &body.sides()[side];
    let offsets = edge.vertices.map(|v| point - body.vertex(v));
    // The nearer end has less to lose in the product.
    let end = usize::from(offsets[1].length_squared() < offsets[0].length_squared());
    Over { outward: edge.normal, height: edge.normal.dot(offsets[end]), near: edge.vertices[end] }
}
