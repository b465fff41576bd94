//! The applicability tests: does a point, a direction or an edge lie in the Voronoi cell of a feature?
//!
//! Source: 003 section 3.2 (point–vertex, point–edge and point–face criteria, all as "point-cell"
//! tests), section 3.3.2 (edge and prism), `point-cell-checkp` and `E-FPrism` of its appendix B.
//! Differs: where the direction to the other feature is known from a normal or a cross product, the
//! direction is tested instead of a point (DIFFERS: at small distances the difference of two points
//! says little about its direction).
//! Ends because: each constraint is looked at once.
//! Cost: the constraints of one cell, at most five.
//! Not promised: which of two equally violated constraints is named.

use super::cells::{CellId, Cells, Constraint};
use super::pair::Segment;
use crate::tolerance;
use clearance_geometry::DVec3;

/// Constraints of an edge's cell that come from its ends; those of its faces follow.
const EDGE_ENDS: usize = 2;

impl Cells {
    /// Where to go when `point` lies outside the cell: across the most violated constraint.
    pub(super) fn point_leaves(&self, cell: CellId, point: DVec3, flare: f64) -> Option<CellId> {
        most_violated(self.constraints(cell), -flare, |c| c.normal.dot(point) - c.offset)
    }

    /// Where to go when a point far along the unit vector `direction` from the vertex leaves its cell.
    pub(super) fn vertex_ray_leaves(&self, cell: CellId, direction: DVec3) -> Option<CellId> {
        most_violated(self.constraints(cell), -tolerance::FLARE_RAD, |c| c.normal.dot(direction))
    }

    /// Where to go when a point along `direction` from the edge's inside is nearer to one of its faces.
    pub(super) fn edge_ray_leaves(&self, cell: CellId, direction: DVec3) -> Option<CellId> {
        let faces = self.constraints(cell).get(EDGE_ENDS..).unwrap_or(&[]);
        most_violated(faces, -tolerance::FLARE_RAD, |c| c.normal.dot(direction))
    }

    /// The part of a segment within the prism of a face's cell, as parameters; `None` when it misses it.
    pub(super) fn clip_to_prism(&self, cell: CellId, segment: Segment, flare: f64) -> Option<[f64; 2]> {
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for c in self.constraints(cell) {
            let from = c.normal.dot(segment.tail) - c.offset + flare;
            let to = from + c.normal.dot(segment.vector);
            if from < 0.0 && to < 0.0 {
                return None;
            }
            if from < 0.0 {
                first = first.max(from / (from - to));
            } else if to < 0.0 {
                last = last.min(from / (from - to));
            }
        }
        (first <= last).then_some([first, last])
    }
}

fn most_violated(
    constraints: &[Constraint],
    allowed: f64,
    value: impl Fn(&Constraint) -> f64,
) -> Option<CellId> {
    let mut worst = allowed;
    let mut next = None;
    for constraint in constraints {
        let value = value(constraint);
        if value < worst {
            worst = value;
            next = Some(constraint.next);
        }
    }
    next
}
