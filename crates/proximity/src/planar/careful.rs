//! The closest points of two polygons near a pair of corners, in doubled precision.
//!
//! Source: the same twelve pairs of a corner and an edge as in `settle`.
//! Differs: where two corners nearly coincide, plain numbers name a neighbour of the closest pair: the
//! distance is right to rounding, but the direction between points that close is noise, and separates
//! nothing. DIFFERS: differences and their products are formed in `Double`, so that the pair is the closest of
//! the numbers given and its normal has all its digits.
//! Ends because: the walk goes on only to a pair that is nearer, and for a limited number of steps.
//! Cost: twelve point–edge distances per step, some 20 times those of `settle`.
//! Not promised: anything for bodies that overlap.

use super::settle::{Over, Pair, Settled, WALK_STEPS, sides_at};
use crate::Work;
use crate::double::Double;
use clearance_geometry::{DVec2, PlanarPose, Polygon, VertexId};

/// Walks from two corners to ever nearer pairs.
pub(super) fn walk(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    from: [VertexId; 2],
    work: &mut Work,
) -> Settled {
    let near = Near { a, b, pose };
    let mut best = near.around(from);
    for _ in 0..WALK_STEPS {
        let next = near.around(near.settled(best.1).vertices);
        if next.0 >= best.0 {
            break;
        }
        work.moves += 1;
        best = next;
    }
    near.settled(best.1)
}

#[derive(Clone, Copy, Debug)]
struct Double2 {
    x: Double,
    y: Double,
}

impl From<DVec2> for Double2 {
    fn from(v: DVec2) -> Self {
        Self { x: v.x.into(), y: v.y.into() }
    }
}

impl Double2 {
    fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }

    fn dot(self, other: Self) -> Double {
        self.x * other.x + self.y * other.y
    }

    /// Turned by a quarter to the right: from along a side to outward.
    fn outward(self) -> Self {
        Self { x: self.y, y: -self.x }
    }

    fn high(self) -> DVec2 {
        DVec2::new(self.x.high, self.y.high)
    }
}

struct Near<'a> {
    a: &'a Polygon,
    b: &'a Polygon,
    pose: &'a PlanarPose,
}

impl Near<'_> {
    /// A corner of A or, placed, of B.
    fn corner(&self, body: usize, v: VertexId) -> Double2 {
        if body == 0 {
            return self.a.vertex(v).into();
        }
        let [cos, sin] = [self.pose.cos(), self.pose.sin()].map(Double::from);
        let (p, t) = (Double2::from(self.b.vertex(v)), Double2::from(self.pose.translation()));
        Double2 { x: cos * p.x - sin * p.y + t.x, y: sin * p.x + cos * p.y + t.y }
    }

    /// The nearest pair of features around two corners, after the square of its distance.
    fn around(&self, vertices: [VertexId; 2]) -> (Double, Pair) {
        let apart = self.corner(1, vertices[1]).minus(self.corner(0, vertices[0]));
        let mut best = (apart.dot(apart), Pair::Vertices(vertices));
        for owner in [0, 1] {
            let (body, other) = if owner == 0 { (self.a, self.b) } else { (self.b, self.a) };
            let (own, of_other) = (vertices[owner], vertices[1 - owner]);
            for v in [of_other, other.previous(of_other), other.next(of_other)] {
                let point = self.corner(1 - owner, v);
                for side in sides_at(body, own) {
                    let offer = self.to_side(owner, side, v, point);
                    if let Some(offer) = offer
                        && offer.0 < best.0
                    {
                        best = offer;
                    }
                }
            }
        }
        best
    }

    /// A point, corner `v` of the other body, and a side; nothing if it is behind the side, where another
    /// side is nearer.
    fn to_side(&self, owner: usize, side: usize, v: VertexId, point: Double2) -> Option<(Double, Pair)> {
        let body = if owner == 0 { self.a } else { self.b };
        let ends = body.sides()[side].vertices;
        let [tail, head] = ends.map(|end| self.corner(owner, end));
        let (vector, from_tail, from_head) = (head.minus(tail), point.minus(tail), point.minus(head));
        let at_corner = |end: VertexId| Pair::Vertices(if owner == 0 { [end, v] } else { [v, end] });
        if from_tail.dot(vector) <= Double::ZERO {
            return Some((from_tail.dot(from_tail), at_corner(ends[0])));
        }
        if from_head.dot(vector) >= Double::ZERO {
            return Some((from_head.dot(from_head), at_corner(ends[1])));
        }
        let height = vector.outward().dot(from_tail) / vector.dot(vector).sqrt();
        let pair = if owner == 0 { Pair::SideOfA(side, v) } else { Pair::SideOfB(v, side) };
        (height >= Double::ZERO).then_some((height * height, pair))
    }

    fn settled(&self, pair: Pair) -> Settled {
        match pair {
            Pair::Vertices(vertices) => {
                let points = [self.corner(0, vertices[0]), self.corner(1, vertices[1])];
                Settled::at_corners(vertices, points.map(Double2::high), points[1].minus(points[0]).high())
            }
            Pair::SideOfA(side, q) => {
                let point = self.corner(1, q);
                Settled::over_a(self.a, side, q, point.high(), &self.over_side(0, side, point))
            }
            Pair::SideOfB(p, side) => {
                let point = self.corner(0, p);
                Settled::over_b(self.b, p, side, point.high(), &self.over_side(1, side, point))
            }
        }
    }

    fn over_side(&self, owner: usize, side: usize, point: Double2) -> Over {
        let ends = if owner == 0 { self.a } else { self.b }.sides()[side].vertices;
        let [tail, head] = ends.map(|end| self.corner(owner, end));
        let outward = head.minus(tail).outward();
        let offsets = [tail, head].map(|end| point.minus(end));
        let height = outward.dot(offsets[0]).high / outward.dot(outward).sqrt().high;
        let near = usize::from(offsets[1].dot(offsets[1]) < offsets[0].dot(offsets[0]));
        Over { outward: outward.high().normalize_or(DVec2::X), height, near: ends[near] }
    }
}
