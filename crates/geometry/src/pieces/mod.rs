//! Bodies cut into rational Bézier pieces: what a search over the whole of two bodies works on.
//!
//! Source: the strata of a body (faces, edges and vertices, each without its boundary), every one exactly as rational
//! Bézier patches, curves and points.
//! Differs: flat faces are bilinear patches too; helices are cubics with a slack.
//! Ends because: loops run over features and their spline pieces.
//! Cost: a conversion of every face and edge, once for each body.
//! Not promised: exact control points. Each piece has a slack: its points are that close to those of its feature.

mod direct;
mod groups;
mod motion;
mod net;
mod of_planar;
mod of_polytope;
mod of_tiled;
mod powers;
mod reshape;
mod span;

pub use groups::FaceGroups;
pub use motion::{MotionError, PieceMotion};
pub use net::Net;
pub use of_planar::{of_planar, of_polygon};
pub use powers::Powers;
pub use span::{Pace, Span};

use crate::bound::{Obb, upright_axes};
use crate::curve::ConvertError;
use crate::surface::{SurfaceJet, bernstein_jet};
use crate::tiled::{Face, TiledBody, TiledEdge};
use crate::tolerance::{BLEND_ERROR_REL, HEIGHT_ERROR_REL};
use crate::tree::{BoxTree, LeafShape, PartTree};
use crate::{Body, DMat3, DVec2, DVec3, DVec4, EdgeId, FaceId, Feature, Kind, Pose, VertexId};
use thiserror::Error;

/// A rational Bézier patch, curve or point that is a part of a feature.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The feature.
    pub feature: Feature,
    /// Which leaf of a union the feature belongs to; 0 for other bodies.
    pub leaf: u32,
    /// 2 for a patch, 1 for a curve, 0 for a point.
    pub dimension: usize,
    /// Degrees along u and v; 0 where a parameter does not count.
    pub degrees: [usize; 2],
    /// Control points as (x·w, y·w, z·w, w), row by row; a row runs along v.
    pub net: Net,
    /// How far a point of the feature may be from the piece because of rounding; a length.
    pub slack: f64,
    /// How far an edge is from its faces, or a vertex from its edges: what a bound on the whole body must allow for; a
    /// length.
    pub gap: f64,
    /// Its part of the feature's parameters.
    pub span: Span,
    /// Whether it is a feature of a polytope, which has no parameters.
    pub is_flat: bool,
    /// Whether the face's boundary may cut it.
    pub trimmed: bool,
}

impl Piece {
    /// Point and derivatives at local parameters from 0 to 1.
    pub fn jet(&self, local: DVec2) -> SurfaceJet {
        jet(self.degrees, &self.net, local)
    }

    /// The point at local parameters from 0 to 1.
    pub fn point(&self, local: DVec2) -> DVec3 {
        self.jet(local).point
    }

    /// Control points in space: the piece lies in their convex hull.
    pub fn hull(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.net.iter().map(in_space)
    }

    /// The curved face of `body` that it is a part of; `None` for edges, vertices and flat faces.
    pub fn face<'a>(&self, body: &'a Body) -> Option<&'a Face> {
        let Feature::Face(face) = self.feature else { return None };
        self.tiled(body).map(|tiled| tiled.face(face))
    }

    /// The edge of curved faces of `body` that it is a part of; `None` for other features.
    pub fn edge<'a>(&self, body: &'a Body) -> Option<&'a TiledEdge> {
        let Feature::Edge(edge) = self.feature else { return None };
        self.tiled(body).map(|tiled| tiled.edge(edge))
    }

    /// The body with curved faces that it is of.
    pub fn tiled<'a>(&self, body: &'a Body) -> Option<&'a TiledBody> {
        match body.whole() {
            Body::Tiled(body) => Some(body),
            Body::Deforming(body) => Some(body.shape()),
            Body::Union(parts) => match &parts.leaves()[self.leaf as usize].shape {
                LeafShape::Tiled(body) => Some(body),
                LeafShape::Polytope(_) => None,
            },
            _ => None,
        }
    }

    fn moved(mut self, pose: &Pose) -> Self {
        let reach = self.reach() + pose.translation().abs().max_element();
        for p in self.net.to_mut() {
            *p = (pose.rotate(p.truncate()) + pose.translation() * p.w).extend(p.w);
        }
        self.slack += BLEND_ERROR_REL * reach;
        self
    }

    /// The largest coordinate of its control points.
    fn reach(&self) -> f64 {
        self.hull().fold(0.0, |most, p| p.abs().max_element().max(most))
    }

    /// A box along its sides: nearly the directions in which its control points spread, at little cost.
    fn bound(&self) -> Obb {
        let net = &self.net[..];
        let reference = in_space(&net[0]);
        let slack = (self.slack + self.gap) * (1.0 + HEIGHT_ERROR_REL);
        if self.dimension == 0 {
            let lost = POINT_LOST_REL * 2.0 * reference.abs().max_element();
            return Obb { center: reference, axes: DMat3::IDENTITY, half: DVec3::splat(slack + lost) };
        }
        let axes = self.axes(net);
        let (low, high, reach) = extent_along(&axes, net, reference);
        let center = reference + axes * (0.5 * (low + high));
        // Heights and the slabs' leaning, the points and the middle, each a few roundings.
        let far = reach + center.abs().max_element() + reference.abs().max_element();
        Obb { center, axes, half: 0.5 * (high - low) + (slack + POINT_LOST_REL * far) }
    }

    /// Along u, across the sides, and within them.
    fn axes(&self, net: &[DVec4]) -> DMat3 {
        let [p, q] = self.degrees;
        let at = |i: usize, j: usize| in_space(&net[i * (q + 1) + j]);
        let (along, within) = match self.dimension {
            0 => return DMat3::IDENTITY,
            1 => {
                let [start, end] = [at(0, 0), at(p, 0)];
                (end + end - start - start, at(p / 2, 0) - start)
            }
            _ => {
                let corners = [at(0, 0), at(0, q), at(p, 0), at(p, q)];
                let along = corners[2] + corners[3] - corners[0] - corners[1];
                (along, corners[1] + corners[3] - corners[0] - corners[2])
            }
        };
        let Some(along) = along.try_normalize().or_else(|| within.try_normalize()) else {
            return DMat3::IDENTITY;
        };
        upright_axes(along, within)
    }
}

/// What the height of a control point may lose, as a share of all that goes into it.
const POINT_LOST_REL: f64 = 4.0 * HEIGHT_ERROR_REL + BLEND_ERROR_REL;

/// Least and greatest heights of control points over one of them along axes, and the largest sum of coordinates from it.
fn extent_along(axes: &DMat3, net: &[DVec4], reference: DVec3) -> (DVec3, DVec3, f64) {
    let to_axes = axes.transpose();
    // Plain comparisons: a minimum that minds NaN costs six times as much.
    let (mut low, mut high, mut reach) = ([0.0_f64; 3], [0.0_f64; 3], 0.0_f64);
    // The first is the reference itself.
    for p in &net[1..] {
        // A product with the inverse costs a third of three quotients, and one rounding more.
        let from = p.truncate() * (1.0 / p.w) - reference;
        for (k, height) in (to_axes * from).to_array().into_iter().enumerate() {
            low[k] = if height < low[k] { height } else { low[k] };
            high[k] = if height > high[k] { height } else { high[k] };
        }
        let size = from.abs().element_sum();
        reach = if size > reach { size } else { reach };
    }
    (DVec3::from_array(low), DVec3::from_array(high), reach)
}

/// A control point without its weight.
#[inline]
fn in_space(p: &DVec4) -> DVec3 {
    p.truncate() / p.w
}

/// Point and derivatives of a rational Bézier net, row by row, at parameters from 0 to 1.
pub fn jet(degrees: [usize; 2], net: &[DVec4], local: DVec2) -> SurfaceJet {
    bernstein_jet(degrees, net, local.x, local.y).quotient(1.0, 1.0)
}

/// Why a body has no pieces.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PiecesError {
    /// Bodies of this kind are not bounded by patches: half-spaces and algebraic surfaces.
    #[error("{kind} is not made of patches")]
    NoPatches {
        /// What it is.
        kind: Kind,
    },
    /// A feature cannot be written as a rational spline.
    #[error("{feature} cannot be written as a rational spline: {cause}")]
    Convert {
        /// The feature.
        feature: Feature,
        /// Why.
        cause: ConvertError,
    },
}

/// The pieces of a body in a tree of boxes.
///
/// ```
/// use clearance_geometry::{Body, pieces, tiled::TiledBody};
/// let ball = Body::from(TiledBody::sphere(1.0)?);
/// let tree = pieces::of_body(&ball)?;
/// assert_eq!(tree.leaves().len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PieceTree = BoxTree<Piece>;

/// The pieces of a body.
///
/// # Errors
/// For half-spaces and algebraic surfaces, and for surfaces swept by a helix.
pub fn of_body(body: &Body) -> Result<PieceTree, PiecesError> {
    let none = PiecesError::NoPatches { kind: body.kind() };
    let pieces = match body.whole() {
        Body::Polytope(polytope) => of_polytope::pieces(polytope),
        Body::Tiled(tiled) => of_tiled::pieces(tiled)?,
        Body::Deforming(deforming) => {
            let mut pieces = of_tiled::pieces(deforming.shape())?;
            // They will be changed, without taking memory then.
            pieces.iter_mut().for_each(|piece| _ = piece.net.to_mut());
            pieces
        }
        Body::Union(parts) => of_parts(parts)?,
        Body::HalfSpace(_) | Body::Algebraic(_) | Body::Boundary(_) => return Err(none),
    };
    tree_of(pieces).ok_or(none)
}

/// Pieces in a tree of boxes; `None` where there are none.
fn tree_of(pieces: Vec<Piece>) -> Option<PieceTree> {
    let bounds: Vec<Obb> = pieces.iter().map(Piece::bound).collect();
    BoxTree::with_bounds(pieces, bounds)
}

/// The pieces of some features of a tiled body, or of the tiled parts of a union, by the leaf that they belong to.
///
/// # Errors
/// As [`of_body`], and where none is picked.
pub fn of_features(body: &Body, is_picked: impl Fn(u32, Feature) -> bool) -> Result<PieceTree, PiecesError> {
    let some = |leaf: u32, tiled: &TiledBody| {
        let faces = |at: usize| is_picked(leaf, Feature::Face(FaceId(at as u32)));
        let edges = |at: usize| is_picked(leaf, Feature::Edge(EdgeId(at as u32)));
        let vertices = |at: usize| is_picked(leaf, Feature::Vertex(VertexId(at as u32)));
        of_tiled::pieces_of(tiled, [&faces, &edges, &vertices])
    };
    let mut all = Vec::new();
    match body.whole() {
        Body::Tiled(tiled) => all = some(0, tiled)?,
        Body::Union(parts) => {
            for (at, leaf) in parts.leaves().iter().enumerate() {
                let LeafShape::Tiled(tiled) = &leaf.shape else { continue };
                let pieces = some(at as u32, tiled)?.into_iter();
                all.extend(pieces.map(|piece| Piece { leaf: at as u32, ..piece.moved(&leaf.pose) }));
            }
        }
        _ => {}
    }
    tree_of(all).ok_or(PiecesError::NoPatches { kind: body.kind() })
}

fn of_parts(parts: &PartTree) -> Result<Vec<Piece>, PiecesError> {
    let mut all = Vec::new();
    for (at, leaf) in parts.leaves().iter().enumerate() {
        let pieces = match &leaf.shape {
            LeafShape::Polytope(polytope) => of_polytope::pieces(polytope),
            LeafShape::Tiled(tiled) => of_tiled::pieces(tiled)?,
        };
        all.extend(pieces.into_iter().map(|piece| Piece { leaf: at as u32, ..piece.moved(&leaf.pose) }));
    }
    Ok(all)
}
