//! The vertex of a polytope farthest in a direction: a scan of few vertices, else a climb over the vertex graph.
//!
//! Source: Cameron (1997), hill climbing for GJK; 003 section 3.2 for the neighbourhoods.
//! Differs: steps of rounding are refused; where a spoke is level within rounding at a blunt vertex, the climb also
//! looks beyond its end; it begins at the higher of a given vertex and the table's (`start`).
//! Ends because: a step is taken only when its gain exceeds the rounding of the products that show it,
//! so the true height grows with every step and no vertex is met twice.
//! Cost: the degrees of the vertices passed: a few from the table, O(√n) to O(n) from far away.
//! Not promised: which vertex, when several are equally far within rounding.

use super::{Data, Polytope, Spoke};
use crate::{DVec3, VertexId};
use std::hint::select_unpredictable;

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

    /// The vertex farthest along `direction`.
    #[inline]
    pub fn support(&self, direction: DVec3) -> VertexId {
        self.support_far(direction, direction.length())
    }

    /// The vertex farthest along `direction` without a start: a scan of few vertices, else a climb from
    /// the table. `length` is |direction| or more.
    #[inline]
    pub fn support_far(&self, direction: DVec3, length: f64) -> VertexId {
        if self.is_small() {
            self.support_by_scan(direction)
        } else {
            self.climb(self.start_vertex(direction), direction, length)
        }
    }

    /// Whether the body has so few vertices that looking at all of them is the quickest way.
    #[inline]
    pub fn is_small(&self) -> bool {
        self.vertex_count() <= SCAN_VERTICES
    }

    /// A vertex far along `direction`: the farthest of few vertices, else what the table says.
    #[inline]
    pub fn support_rough(&self, direction: DVec3) -> VertexId {
        if self.is_small() { self.support_by_scan(direction) } else { self.start_vertex(direction) }
    }

    /// As [`Polytope::support`], but climbing from `near` where that is already the higher start.
    #[inline]
    pub fn support_near(&self, near: VertexId, direction: DVec3, length: f64) -> VertexId {
        if self.is_small() {
            return self.support_by_scan(direction);
        }
        let table = self.start_vertex(direction);
        let higher = self.vertex(table).dot(direction) > self.vertex(near).dot(direction);
        self.climb(if higher { table } else { near }, direction, length)
    }

    /// The vertex farthest along `direction` by looking at all of them.
    pub fn support_by_scan(&self, direction: DVec3) -> VertexId {
        let (mut highest, mut best) = (f64::NEG_INFINITY, 0);
        for (index, vertex) in self.vertices().iter().enumerate() {
            let height = vertex.dot(direction);
            best = select_unpredictable(height > highest, index as u32, best);
            highest = if height > highest { height } else { highest };
        }
        VertexId(best)
    }
}

/// Vertices up to which looking at all of them beats a climb with its unpredictable branches.
const SCAN_VERTICES: usize = 20;

impl Data {
    #[inline]
    pub(crate) fn climb_spokes(&self, vertex: VertexId) -> &[Spoke] {
        let start = self.ring_starts[vertex.index()] as usize;
        let end = self.ring_starts[vertex.index() + 1] as usize;
        &self.spokes[start..end]
    }

    #[inline]
    pub(crate) fn climb(&self, from: VertexId, direction: DVec3, length: f64) -> VertexId {
        let mut at = from;
        loop {
            let spokes = self.climb_spokes(at);
            let (mut best, mut steepest) = (f64::NEG_INFINITY, 0);
            for (index, spoke) in spokes.iter().enumerate() {
                let gain = spoke.vector.dot(direction);
                steepest = select_unpredictable(gain > best, index, steepest);
                best = if gain > best { gain } else { best };
            }
            // A single point has no spoke.
            let Some(spoke) = spokes.get(steepest) else { return at };
            let mut next = spoke.vertex;
            // A gain must beat its own rounding; written so that NaN, which beats nothing, ends the climb.
            if !(best > f64::from(spoke.slack) * length) {
                // Where every spoke falls by more than any rounding, this is the top.
                if best <= -self.most_slack * length {
                    return at;
                }
                match self.over_the_brow(at, direction, length) {
                    Some(higher) => next = higher,
                    None => return at,
                }
            }
            at = next;
        }
    }

    /// A neighbour that is higher by more than rounding although another seemed higher still, else a
    /// neighbour's neighbour beyond a spoke that is level within rounding: at blunt corners every spoke
    /// may be level and the far side of the body yet higher. At others it may be so by a few hundred times the
    /// rounding of one product at most, since no way from there leads past the cone of the spokes.
    #[cold]
    fn over_the_brow(&self, at: VertexId, direction: DVec3, length: f64) -> Option<VertexId> {
        let gain = |spoke: &Spoke| spoke.vector.dot(direction);
        let rounding = |spoke: &Spoke| f64::from(spoke.slack) * length;
        let spokes = self.climb_spokes(at);
        if let Some(spoke) = spokes.iter().find(|spoke| gain(spoke) > rounding(spoke)) {
            return Some(spoke.vertex);
        }
        if !self.blunt[at.index()] {
            return None;
        }
        for level in spokes.iter().filter(|spoke| gain(spoke) >= -rounding(spoke)) {
            let beyond = self.climb_spokes(level.vertex);
            let least = rounding(level) - gain(level);
            if let Some(spoke) = beyond.iter().find(|spoke| gain(spoke) > rounding(spoke) + least) {
                return Some(spoke.vertex);
            }
        }
        None
    }
}
