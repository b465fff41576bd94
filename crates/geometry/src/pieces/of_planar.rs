//! Planar bodies as rational Bézier curves and points of the plane z = 0.
//!
//! Source: their edges and corners.
//! Differs: a curve of space that stands for its projection loses its third coordinate.
//! Ends because: loops run over edges and corners.
//! Cost: a conversion of every curve.
//! Not promised: anything about the area that they enclose; it has no pieces.

use super::of_tiled::of_curve;
use super::{Piece, PieceTree, PiecesError, Span, tree_of};
use crate::tolerance::{CLOSED_FORM_ERROR_REL, UNIT_ROUNDOFF_REL};
use crate::{DVec2, EdgeId, Feature, Kind, PlanarTiled, Polygon, VertexId};

fn point(feature: Feature, corners: &[DVec2], slack: f64, gap: f64, is_flat: bool) -> Piece {
    Piece {
        feature,
        leaf: 0,
        dimension: feature.dimension(),
        degrees: [corners.len() - 1, 0],
        net: corners.iter().map(|p| p.extend(0.0).extend(1.0)).collect(),
        slack,
        gap,
        span: Span::POINT,
        trimmed: false,
        is_flat,
    }
}

/// The curves and corners of a planar body: edges in their order, each along its own parameter, then corners.
///
/// # Errors
/// When a curve cannot be written as a rational spline.
///
/// ```
/// use clearance_geometry::{DVec2, PlanarTiled, curve::{PlanarCurve, Range}, pieces};
/// let circle = PlanarCurve::circle(DVec2::ZERO, 1.0, 0.0, false)?;
/// let disk = PlanarTiled::new(vec![(circle, Range::new(0.0, std::f64::consts::TAU))])?;
/// let tree = pieces::of_planar(&disk)?;
/// assert!(tree.leaves().iter().all(|piece| piece.dimension < 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_planar(body: &PlanarTiled) -> Result<PieceTree, PiecesError> {
    let mut all = Vec::new();
    for (at, side) in body.sides().iter().enumerate() {
        let feature = Feature::Edge(EdgeId(at as u32));
        of_curve(feature, side.curve.curve(), side.range, 0.0, &mut all)
            .map_err(|cause| PiecesError::Convert { feature, cause })?;
    }
    for p in all.iter_mut().flat_map(|piece| piece.net.to_mut()) {
        p.z = 0.0;
    }
    let count = body.sides().len();
    for (at, corner) in body.corners().iter().enumerate() {
        let before = &body.sides()[(at + count - 1) % count];
        let gap = before.jet(before.ends()[1]).point.distance(corner.point);
        let slack = CLOSED_FORM_ERROR_REL * corner.point.abs().max_element();
        all.push(point(Feature::Vertex(VertexId(at as u32)), &[corner.point], slack, gap, false));
    }
    tree_of(all).ok_or(PiecesError::NoPatches { kind: Kind::Tiled })
}

/// The sides and corners of a polygon, or of a segment or point.
///
/// # Errors
/// None for a polygon that exists.
pub fn of_polygon(body: &Polygon) -> Result<PieceTree, PiecesError> {
    let slack = UNIT_ROUNDOFF_REL * (body.reach() + body.anchor().abs().max_element());
    let at = |vertex: VertexId| body.body_vertex(vertex);
    let edges = (0..body.edge_count() as u32).map(EdgeId);
    let side = |edge: EdgeId| {
        let [tail, head] = body.edge(edge).vertices;
        point(Feature::Edge(edge), &[at(tail), at(head)], slack, 0.0, true)
    };
    let corner = |vertex: VertexId| point(Feature::Vertex(vertex), &[at(vertex)], slack, 0.0, true);
    let corners = (0..body.vertex_count() as u32).map(|vertex| corner(VertexId(vertex)));
    tree_of(edges.map(side).chain(corners).collect()).ok_or(PiecesError::NoPatches { kind: Kind::Polytope })
}
