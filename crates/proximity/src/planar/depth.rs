//! Exact penetration depth of two convex polygons.
//!
//! Source: the separating-axis theorem. In the plane every edge of B − A is an edge of one body, so the
//! shortest way out of an overlap is along the normal of an edge of A or of B.
//! Differs: the corner farthest along each normal is climbed to from the one before, so all normals
//! together cost one turn around either body.
//! Ends because: one pass over the sides of both bodies.
//! Cost: O(n + m).
//! Not promised: which of several equally short ways out.

use crate::{State, Work};
use clearance_geometry::{DVec2, Feature, PlanarPose, Polygon, VertexId};

/// The side along whose normal the bodies are least deep in each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deepest {
    /// Separation along the side's normal: negative in overlap.
    pub(super) separation: f64,
    /// Unit vector from A to B, in the frame of A.
    pub(super) normal: DVec2,
    /// Which body has the side: 0 or 1.
    owner: usize,
    side: usize,
    /// The other body's corner farthest behind the side.
    vertex: VertexId,
}

/// The largest separation along a normal of either body; `None` for two points.
pub(super) fn deepest(a: &Polygon, b: &Polygon, pose: &PlanarPose, work: &mut Work) -> Option<Deepest> {
    let pose_ba = pose.inverse();
    let of_a = over_sides(a, b, pose, work).map(|(separation, side, vertex)| Deepest {
        separation,
        normal: a.sides()[side].normal,
        owner: 0,
        side,
        vertex,
    });
    let of_b = over_sides(b, a, &pose_ba, work).map(|(separation, side, vertex)| Deepest {
        separation,
        normal: -pose.rotate(b.sides()[side].normal),
        owner: 1,
        side,
        vertex,
    });
    match (of_a, of_b) {
        (Some(one), Some(other)) => Some(if other.separation > one.separation { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// The best side of `body`, with the corner of `other` that is farthest behind it.
fn over_sides(
    body: &Polygon,
    other: &Polygon,
    pose: &PlanarPose,
    work: &mut Work,
) -> Option<(f64, usize, VertexId)> {
    let first = body.sides().first()?;
    let mut at = other.support(-pose.rotate_inverse(first.normal));
    let mut best: Option<(f64, usize, VertexId)> = None;
    for (index, side) in body.sides().iter().enumerate() {
        at = other.climb(at, -pose.rotate_inverse(side.normal), 1.0);
        work.supports += 1;
        let separation = side.normal.dot(pose.apply(other.vertex(at))) - side.offset;
        if best.is_none_or(|(most, ..)| separation > most) {
            best = Some((separation, index, at));
        }
    }
    best
}

impl Deepest {
    /// The same depth within `touch`, over the side that the deep corner really stands behind. Where
    /// neighbouring sides are nearly in line, rounding may prefer the one beside it.
    #[must_use]
    pub(super) fn slid(self, a: &Polygon, b: &Polygon, pose: &PlanarPose, touch: f64) -> Self {
        let (owner, other, pose) = if self.owner == 0 { (a, b, *pose) } else { (b, a, pose.inverse()) };
        let count = owner.sides().len();
        let mut best = self;
        for _ in 0..count {
            let beside = beside(owner, best.side, pose.apply(other.vertex(best.vertex)));
            if beside == 0.0 {
                break;
            }
            let side = (best.side + if beside > 0.0 { 1 } else { count - 1 }) % count;
            let normal = owner.sides()[side].normal;
            let vertex = other.climb(best.vertex, -pose.rotate_inverse(normal), 1.0);
            let deep = pose.apply(other.vertex(vertex));
            let separation = normal.dot(deep) - owner.sides()[side].offset;
            let tied = separation >= self.separation - touch;
            if !tied || self::beside(owner, side, deep) * beside < 0.0 {
                break;
            }
            let normal = if self.owner == 0 { normal } else { -pose.rotate_inverse(normal) };
            best = Self { separation, normal, side, vertex, ..best };
        }
        best
    }

    /// The ends of the penetration vector in the anchored frame of A, with their features.
    pub(super) fn witnesses(
        &self,
        a: &Polygon,
        b: &Polygon,
        pose: &PlanarPose,
        touch: f64,
    ) -> ([DVec2; 2], [Feature; 2]) {
        if self.owner == 0 {
            let (deep, features) = foot(a, b, pose, self, touch);
            ([deep - self.normal * self.separation, deep], features)
        } else {
            let (deep, [on_b, on_a]) = foot(b, a, &pose.inverse(), self, touch);
            let deep = pose.apply(deep);
            ([deep, deep + self.normal * self.separation], [on_a, on_b])
        }
    }

    /// Corners next to the witnesses, to start the next search from.
    pub(super) fn vertices(&self, a: &Polygon, b: &Polygon) -> [VertexId; 2] {
        let tail = [a, b][self.owner].sides()[self.side].vertices[0];
        if self.owner == 0 { [tail, self.vertex] } else { [self.vertex, tail] }
    }
}

/// How far along the side a point stands beyond its head, or, negative, before its tail; 0 between.
fn beside(owner: &Polygon, side: usize, point: DVec2) -> f64 {
    let side = &owner.sides()[side];
    let at = side.vector.dot(point - owner.vertex(side.vertices[0])) / side.length;
    at - at.clamp(0.0, side.length)
}

/// The point of `other` deepest behind the side, such that its foot falls on the side, in the frame of
/// the side's owner; with the features of owner and other. Where the corner itself stands beside the
/// side, an edge of `other` is parallel to it within rounding, and the point is on that edge.
fn foot(
    owner: &Polygon,
    other: &Polygon,
    pose: &PlanarPose,
    found: &Deepest,
    touch: f64,
) -> (DVec2, [Feature; 2]) {
    let side = &owner.sides()[found.side];
    let tail = owner.vertex(side.vertices[0]);
    let along = side.vector / side.length;
    let place = |v: VertexId| along.dot(pose.apply(other.vertex(v)) - tail);
    let edge = Feature::Edge(owner.edge_of_side(found.side));
    let corner = Feature::Vertex(found.vertex);
    let deep = pose.apply(other.vertex(found.vertex));
    let at = place(found.vertex);
    let target = at.clamp(0.0, side.length);
    if at == target || other.sides().is_empty() {
        return (deep, [edge, corner]);
    }
    // The neighbour that lies in the direction of the side.
    let (next, previous) = (other.next(found.vertex), other.previous(found.vertex));
    let toward = (target - at).signum();
    let (neighbor, which) = if toward * (place(next) - at) > toward * (place(previous) - at) {
        (next, found.vertex.index())
    } else {
        (previous, previous.index())
    };
    let step = place(neighbor) - at;
    let part = ((target - at) / step).clamp(0.0, 1.0);
    let point = deep + (pose.apply(other.vertex(neighbor)) - deep) * part;
    // Only a parallel edge is as deep; the rise along it is rounding then. NaN keeps the corner.
    let level = side.normal.dot(point - deep).abs() <= touch;
    if !level {
        return (deep, [edge, corner]);
    }
    (point, [edge, Feature::Edge(other.edge_of_side(which))])
}

/// The state of two overlapping bodies.
pub(super) fn overlap_state(a: &Polygon, b: &Polygon, pose: &PlanarPose, depth: f64, touch: f64) -> State {
    // To leave B, A must travel at least its own width, which is twice its inradius or more.
    if depth + touch >= 2.0 * a.inradius() && lies_inside(a, b, &pose.inverse(), touch) {
        State::AInsideB
    } else if depth + touch >= 2.0 * b.inradius() && lies_inside(b, a, pose, touch) {
        State::BInsideA
    } else {
        State::Penetrating
    }
}

/// Whether no corner of `inner` lies beyond a side of `outer`; `pose` is that of `inner` seen from
/// `outer`.
fn lies_inside(inner: &Polygon, outer: &Polygon, pose: &PlanarPose, touch: f64) -> bool {
    let mut at = VertexId(0);
    outer.dimension() == 2
        && outer.sides().iter().all(|side| {
            at = inner.climb(at, pose.rotate_inverse(side.normal), 1.0);
            side.normal.dot(pose.apply(inner.vertex(at))) - side.offset <= touch
        })
}
