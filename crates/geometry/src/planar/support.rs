//! The corner of a convex polygon farthest in a direction.
//!
//! Source: folklore; the edges of a convex polygon are sorted by angle, so a bisection finds the
//! corner whose two edges enclose the direction.
//! Differs: a warm climb from the last corner comes first, since tracked directions turn little.
//! Ends because: a step is taken only when its gain exceeds the rounding of the product that shows
//! it, so the true height grows with every step; after a fixed number of steps the bisection takes
//! over, and it halves.
//! Cost: O(1) tracked, O(log n) at most.
//! Not promised: which corner, when several are equally far within rounding.

use super::polygon::{PlanarEdge, Polygon};
use crate::{VertexId, tolerance};
use glam::DVec2;

/// Steps after which a climb gives way to the bisection; about what the bisection itself costs.
const CLIMB_STEPS: usize = 8;

impl Polygon {
    /// The corner farthest along `direction`, climbing from `from`; `length` is |direction| or more.
    #[inline]
    pub fn climb(&self, from: VertexId, direction: DVec2, length: f64) -> VertexId {
        let (at, ended) = self.climb_steps(from, direction, length, CLIMB_STEPS);
        if ended { at } else { self.support(direction) }
    }

    /// The corner farthest along `direction`, by bisection over the angles of the edges.
    ///
    /// ```
    /// use clearance_geometry::{DVec2, Polygon};
    /// let square = Polygon::rectangle(DVec2::splat(2.0))?;
    /// assert_eq!(square.vertex(square.support(DVec2::new(-1.0, 0.5))), DVec2::new(-1.0, 1.0));
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    pub fn support(&self, direction: DVec2) -> VertexId {
        let sides = self.sides();
        let Some(first) = sides.first() else {
            return VertexId(0);
        };
        // The edge that would have `direction` as its outward normal, sorted among the edges.
        let along = direction.perp();
        let half = half_turn(first.vector, along);
        let place = sides.partition_point(|side| {
            let this = half_turn(first.vector, side.vector);
            if this == half { side.vector.perp_dot(along) >= 0.0 } else { this }
        });
        let found = VertexId(if place == sides.len() { 0 } else { place as u32 });
        // Bisection compares rounded products; a corner or two may be left to go.
        self.climb_steps(found, direction, direction.length(), sides.len()).0
    }

    /// The corner farthest along `direction` by looking at all of them: the slow, independent answer.
    pub fn support_by_scan(&self, direction: DVec2) -> VertexId {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, vertex) in self.vertices().iter().enumerate() {
            let height = vertex.dot(direction);
            if height > best.0 {
                best = (height, index);
            }
        }
        VertexId(best.1 as u32)
    }

    /// Walks uphill, and whether it arrived within `steps`.
    #[inline]
    fn climb_steps(&self, from: VertexId, direction: DVec2, length: f64, steps: usize) -> (VertexId, bool) {
        let sides = self.sides();
        if sides.is_empty() {
            return (VertexId(0), true);
        }
        let gain = |side: &PlanarEdge, sign: f64| {
            sign * side.vector.dot(direction) - tolerance::CLIMB_REL * side.length * length
        };
        let (mut at, mut left) = (from, steps);
        // A convex outline has one way up from any corner. Comparisons with NaN end the climb.
        while gain(&sides[at.index()], 1.0) > 0.0 {
            if left == 0 {
                return (at, false);
            }
            (at, left) = (self.next(at), left - 1);
        }
        if at != from {
            return (at, true);
        }
        loop {
            let before = self.previous(at);
            let uphill = gain(&sides[before.index()], -1.0) > 0.0;
            if !uphill || left == 0 {
                return (at, !uphill);
            }
            (at, left) = (before, left - 1);
        }
    }
}

/// Whether `other` lies less than half a turn counter-clockwise of `first`, or along it.
#[inline]
fn half_turn(first: DVec2, other: DVec2) -> bool {
    let turn = first.perp_dot(other);
    turn > 0.0 || (turn == 0.0 && first.dot(other) > 0.0)
}
