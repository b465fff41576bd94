//! Exact penetration depth of two convex polygons.
//!
//! Source: the separating-axis theorem. In the plane every edge of B − A is an edge of one body, so the
//! shortest way out of an overlap is along the normal of an edge of A or of B.
//! Differs: DIFFERS: the separation along n, min n·w over all w of B − A, changes by at most
//! |n − n′| max |w| between two normals, so a side that is deep by far excludes those turned little from
//! it, and they are skipped. The side that was best in the last frame is measured first.
//! Ends because: one pass over the sides of both bodies.
//! Cost: O(log n) for each side that is looked at: all of few, some tens of a thousand.
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

/// A side that was the best before: its owner and number.
pub(super) type Hint = Option<(usize, usize)>;

/// The largest separation along a normal of either body; `None` for two points. Any `hint` will do.
pub(super) fn deepest(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    hint: Hint,
    work: &mut Work,
) -> Option<Deepest> {
    let pose_ba = pose.inverse();
    let bodies = [(a, b, pose), (b, a, &pose_ba)];
    let reach = (pose.apply(b.center()) - a.center()).length() + a.radius() + b.radius();
    let mut best: Option<Behind> = None;
    if let Some((owner, side)) = hint
        && owner < 2
        && side < bodies[owner].0.sides().len()
    {
        let (body, other, pose) = bodies[owner];
        best = Some(Behind::new(body, other, pose, owner, side, VertexId(0)));
    }
    for (owner, (body, other, pose)) in bodies.into_iter().enumerate() {
        let (mut side, mut at) = (0, VertexId(0));
        while side < body.sides().len() {
            let behind = Behind::new(body, other, pose, owner, side, at);
            work.supports += 1;
            if best.is_none_or(|best| behind.separation > best.separation) {
                best = Some(behind);
            }
            at = behind.vertex;
            let short = best.map_or(0.0, |best| best.separation - behind.separation);
            side = first_beyond(body, side, short / reach);
        }
    }
    best.map(|found| {
        let normal = bodies[found.owner].0.sides()[found.side].normal;
        let normal = if found.owner == 0 { normal } else { -pose.rotate(normal) };
        let Behind { separation, owner, side, vertex } = found;
        Deepest { separation, normal, owner, side, vertex }
    })
}

/// A side and the other body's corner farthest behind it.
#[derive(Clone, Copy, Debug)]
struct Behind {
    separation: f64,
    owner: usize,
    side: usize,
    vertex: VertexId,
}

impl Behind {
    /// Climbs from `from`; `pose` is that of `other` in the frame of `body`.
    fn new(
        body: &Polygon,
        other: &Polygon,
        pose: &PlanarPose,
        owner: usize,
        side: usize,
        from: VertexId,
    ) -> Self {
        let edge = &body.sides()[side];
        let vertex = other.climb(from, -pose.rotate_inverse(edge.normal), 1.0);
        let separation = edge.normal.dot(pose.apply(other.vertex(vertex))) - edge.offset;
        Self { separation, owner, side, vertex }
    }
}

/// The first side after `side` whose normal is farther than `chord` from its normal; the number of
/// sides if there is none.
#[inline]
fn first_beyond(body: &Polygon, side: usize, chord: f64) -> usize {
    let (sides, normal) = (body.sides(), body.sides()[side].normal);
    // Beyond a sixth of a turn the chord says less and less; NaN skips nothing.
    let chord_sq = if chord > 0.0 { chord.min(1.0) * chord.min(1.0) } else { 0.0 };
    let within = |other: DVec2| {
        // The left half of the plane only, or normals a whole turn on would count as near.
        normal.perp_dot(other) >= 0.0 && normal.distance_squared(other) < chord_sq
    };
    // Doubling steps first: most skips are short.
    let (mut known, mut step) = (side, 1);
    while known + step < sides.len() && within(sides[known + step].normal) {
        known += step;
        step *= 2;
    }
    let end = sides.len().min(known + step);
    known + 1 + sides[known + 1..end].partition_point(|side| within(side.normal))
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

    /// The side, for the next search.
    pub(super) fn hint(&self) -> (usize, usize) {
        (self.owner, self.side)
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
