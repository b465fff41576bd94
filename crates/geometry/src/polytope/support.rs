//! The vertex of a polytope farthest in a direction, by climbing over the vertex graph.
//!
//! Source: Cameron (1997), hill climbing for GJK; 003 section 3.2 for the neighbourhoods.
//! Ends because: a step is taken only when its gain exceeds the rounding of the product that shows it,
//! so the true height grows with every step and no vertex is met twice.
//! Cost: the degrees of the vertices passed; O(1) tracked, O(√n) to O(n) after a jump without the table.
//! Not promised: which vertex, when several are equally far within rounding.

use super::{Data, Polytope};
use crate::{DVec3, VertexId};

impl Polytope {
    /// The vertex farthest along `direction`, climbing from `from`; `length` is |direction| or more.
    ///
    /// ```
    /// use clearance_geometry::{DVec3, Polytope, VertexId};
    /// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
    /// let top = cube.climb(VertexId(0), DVec3::ONE, 2.0);
    /// assert_eq!(cube.vertex(top), DVec3::ONE);
    /// # Ok::<(), clearance_geometry::ShapeError>(())
    /// ```
    #[inline]
    pub fn climb(&self, from: VertexId, direction: DVec3, length: f64) -> VertexId {
        self.data.climb(from, direction, length)
    }

    /// The vertex farthest along `direction`, from the start table.
    #[inline]
    pub fn support(&self, direction: DVec3) -> VertexId {
        self.climb(self.start_vertex(direction), direction, direction.length())
    }

    /// The vertex farthest along `direction` by looking at all of them: the slow, independent answer.
    pub fn support_by_scan(&self, direction: DVec3) -> VertexId {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, vertex) in self.vertices().iter().enumerate() {
            let height = vertex.dot(direction);
            if height > best.0 {
                best = (height, index);
            }
        }
        VertexId(best.1 as u32)
    }
}

impl Data {
    #[inline]
    pub(crate) fn climb(&self, from: VertexId, direction: DVec3, length: f64) -> VertexId {
        let mut at = from;
        loop {
            let start = self.ring_starts[at.index()] as usize;
            let end = self.ring_starts[at.index() + 1] as usize;
            // A gain must beat its own rounding, spoke by spoke: short edges have little.
            let mut best = 0.0;
            let mut next = at;
            for spoke in &self.spokes[start..end] {
                let gain = spoke.vector.dot(direction) - f64::from(spoke.slack) * length;
                if gain > best {
                    best = gain;
                    next = spoke.vertex;
                }
            }
            if next == at {
                return at;
            }
            at = next;
        }
    }
}
