//! Out of the local minimum beneath a face: the feature of a body nearest to a point, or that the point is inside.
//!
//! Source: 003 section 3.2.3 and `find-closest` of its appendix B (the linear search); the pseudo Voronoi
//! regions of its future work (the interior walk).
//! Differs: both start from the point beneath the face, not from the whole feature that it belongs to
//! (DIFFERS: the point alone already gives a nearer pair, or is a common point). 003 leaves open how the interior
//! walk keeps the distance decreasing; here the caller notices cycles and settles them by the linear search.
//! Ends because: the search looks at each face once. The walk follows a line of sight from the centroid, which
//! never meets a pyramid twice; where rounding breaks that, it is cut off and the search takes over.
//! Cost: search: all sides. Walk: the pyramids between the face and the point, O(√n) on round bodies.
//! Not promised: by the walk, the nearest feature; only one that faces the point.

use super::Escape;
use super::cells::CellId;
use super::nearest;
use super::pair::Pair;
use crate::Work;
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, VertexId};

/// Where a point lies relative to a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Deeper inside than rounding.
    Inside,
    /// Outside or on the boundary: a cell to go on from.
    Outside(CellId),
}

/// Leaves the minimum at `point`, in the frame of side `under`, beneath the face of `cell`.
pub(super) fn escape(
    pair: &Pair,
    by: Escape,
    under: usize,
    cell: CellId,
    point: DVec3,
    work: &mut Work,
) -> Place {
    work.escapes += 1;
    let walked = match by {
        Escape::LinearSearch => None,
        Escape::InteriorWalk => interior_walk(pair, under, cell, point, work),
    };
    walked.unwrap_or_else(|| match search(pair, under, point) {
        None => Place::Inside,
        Some((_, feature)) => Place::Outside(pair.cells[under].root(feature).unwrap_or(cell)),
    })
}

/// The point of side `of` nearest to `point` (in that side's frame), and its feature; `None` when `point` is
/// deeper inside than rounding.
pub(super) fn search(pair: &Pair, of: usize, point: DVec3) -> Option<(DVec3, Feature)> {
    let body = pair.bodies[of];
    if body.face_count() == 0 {
        return Some(if body.edge_count() > 0 {
            nearest::on_edge(body, EdgeId(0), point)
        } else {
            (body.vertex(VertexId(0)), Feature::Vertex(VertexId(0)))
        });
    }
    let mut top = (f64::NEG_INFINITY, FaceId(0));
    let mut best = None;
    let mut least = f64::INFINITY;
    for (number, plane) in body.planes().iter().enumerate() {
        let face = FaceId(number as u32);
        let height = plane.distance(point);
        if height > top.0 {
            top = (height, face);
        }
        // A face is no nearer than its plane, and the nearest face is one that the point is above.
        if height > 0.0 && height < least {
            let found = nearest::on_face(body, face, point);
            let distance = found.0.distance(point);
            if distance < least {
                least = distance;
                best = Some(found);
            }
        }
    }
    if top.0 < -pair.touch() {
        return None;
    }
    Some(best.unwrap_or_else(|| nearest::on_face(body, top.1, point)))
}

/// Through the pyramids between centroid and faces to the one that holds `point`; `None` when rounding leads
/// it in a circle.
fn interior_walk(pair: &Pair, of: usize, start: CellId, point: DVec3, work: &mut Work) -> Option<Place> {
    let cells = pair.cells[of];
    let from_centroid = point - cells.centroid();
    let mut cell = start;
    for _ in 0..cells.count() {
        let mut worst = 0.0;
        let mut next = None;
        for rim in cells.rims(cell) {
            let value = rim.wall.dot(from_centroid);
            if value < worst {
                worst = value;
                next = Some(rim.beyond);
            }
        }
        let Some(next) = next else {
            let Feature::Face(face) = cells.feature(cell) else { return None };
            let inside = pair.height(of, face, point) < -pair.touch();
            return Some(if inside { Place::Inside } else { Place::Outside(cell) });
        };
        work.moves += 1;
        cell = next;
    }
    None
}
