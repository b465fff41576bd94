//! The common normal of two edges and where it meets their lines: what `settle`, `walk` and `facet` share.
//!
//! Source: 003, appendix A, for the nearest points of two lines.
//! Differs: the feet come from triple products with the common normal, not from a 2 × 2 system, so that the direction
//! of a tiny gap keeps its digits.
//! Ends because: there is no loop.
//! Cost: one rotation, one point transformation and five products of vectors.
//! Not promised: feet within the edges; digits of the normal beyond the sine that was asked for.

use clearance_geometry::{DVec3, Edge, Polytope, Pose};

/// Directions of an edge of each body and what is perpendicular to both, anchored frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgePair {
    /// Edge of A, head minus tail.
    pub(super) along_a: DVec3,
    /// Edge of B, head minus tail.
    pub(super) along_b: DVec3,
    /// `along_a × along_b`, of any sign.
    pub(super) common: DVec3,
    pub(super) common_sq: f64,
    /// Squared lengths of the edges.
    pub(super) sizes: [f64; 2],
}

impl EdgePair {
    /// `None` where sin² of the angle between the edges is not above `least_sine_sq`.
    #[inline]
    pub(super) fn new(edge_a: &Edge, edge_b: &Edge, pose: &Pose, least_sine_sq: f64) -> Option<Self> {
        let along_a = edge_a.vector;
        let along_b = pose.rotate(edge_b.vector);
        let common = along_a.cross(along_b);
        let common_sq = common.length_squared();
        let sizes = [along_a.length_squared(), along_b.length_squared()];
        (common_sq > least_sine_sq * sizes[0] * sizes[1]).then_some(Self {
            along_a,
            along_b,
            common,
            common_sq,
            sizes,
        })
    }

    /// Where the common normal meets both lines: how far along the edges, times `common_sq`. `between` leads from
    /// the tail of A's edge to that of B's.
    #[inline]
    pub(super) fn feet(&self, between: DVec3) -> [f64; 2] {
        [between.cross(self.along_b).dot(self.common), between.cross(self.along_a).dot(self.common)]
    }

    /// Whether the unit vector along `common` is perpendicular to both edges within `touch`, a length: nearly
    /// parallel edges leave it to rounding.
    #[inline]
    pub(super) fn is_square(&self, unit: DVec3, touch: f64) -> bool {
        unit.dot(self.along_a).abs() <= touch && unit.dot(self.along_b).abs() <= touch
    }
}

/// The tails of both edges, anchored frame of A.
#[inline]
pub(super) fn tails(a: &Polytope, b: &Polytope, pose: &Pose, edge_a: &Edge, edge_b: &Edge) -> [DVec3; 2] {
    [a.vertex(edge_a.vertices[0]), pose.apply(b.vertex(edge_b.vertices[0]))]
}
