//! A tiled body as plain data, before it is checked.

use crate::curve::{Curve, ParametricCurve, PlanarCurve, Range, Rect};
use crate::surface::Surface;
use crate::{DVec2, DVec3, EdgeId, VertexId};

/// Faces, edges and vertices that are to become a [`super::TiledBody`]; ids are positions in these lists.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The faces.
    pub faces: Vec<DraftFace>,
    /// The edges; each belongs to one face or to two.
    pub edges: Vec<DraftEdge>,
    /// The vertices.
    pub vertices: Vec<DVec3>,
    /// How far apart points may be that should coincide; a length. [`crate::tolerance::MATCH_REL`] of the diameter
    /// where it is not given.
    pub tolerance: Option<f64>,
}

/// A face: the part of a surface that its loops enclose.
#[derive(Clone, Debug)]
pub struct DraftFace {
    /// The surface, without bounds.
    pub surface: Surface,
    /// Whether the outward normal is against S_u × S_v.
    pub reversed: bool,
    /// The bounds, each with the face on its left seen from outside. None for the whole of a closed surface.
    pub loops: Vec<DraftLoop>,
    /// The rectangle of parameters that the face covers, where it is known to be one: its loop, if it has edges, runs
    /// along the sides as the uses' parameters say. Without edges it must end in poles, and is all of the surface
    /// unless given.
    pub rect: Option<Rect>,
}

/// One bound of a face.
#[derive(Clone, Debug)]
pub enum DraftLoop {
    /// Edges head to tail.
    Edges(Vec<DraftUse>),
    /// One point: a pole or an apex.
    Vertex(VertexId),
}

/// An edge in a loop.
#[derive(Clone, Debug)]
pub struct DraftUse {
    /// The edge.
    pub edge: EdgeId,
    /// Whether the loop runs against the edge.
    pub reversed: bool,
    /// The edge in the parameters of the surface, where it is known. It is a guide: it says on which side of a seam
    /// the edge lies. The edge's own curve says where it is.
    pub parameters: Option<ParameterCurve>,
}

impl DraftUse {
    /// The edge as the loop runs, its parameters unknown.
    pub const fn new(edge: EdgeId, reversed: bool) -> Self {
        Self { edge, reversed, parameters: None }
    }
}

/// An edge in the parameters of a surface. It runs the same way as the edge, not as the loop.
#[derive(Clone, Debug)]
pub struct ParameterCurve {
    /// The curve in (u, v).
    pub curve: PlanarCurve,
    /// Parameters at which the edge begins and ends.
    pub ends: [f64; 2],
}

impl ParameterCurve {
    /// The point at the fraction `s` of the way.
    pub(super) fn at(&self, s: f64) -> DVec2 {
        let [from, to] = self.ends;
        self.curve.point(from + s * (to - from))
    }
}

/// An edge: a piece of a curve.
#[derive(Clone, Debug)]
pub struct DraftEdge {
    /// The curve, without bounds.
    pub curve: Curve,
    /// The piece; on a periodic curve it may leave the domain by up to a period.
    pub range: Range,
    /// Where it begins and ends; none for a closed curve without a vertex.
    pub ends: Option<[VertexId; 2]>,
}
