//! A body of many faces before it is cut into pieces: boxes around its faces, each with some of its edges and vertices.
//!
//! Source: a face of straight lines (a plane, a cylinder, a cone) is within the hull of its edges; an arc is no farther from its
//! chord than its middle.
//! Differs: every edge and vertex belongs to one group alone, that of the first face that it bounds.
//! Ends because: loops run over features.
//! Cost: some hundred instructions for each edge; some thousand for each face that is curved both ways.
//! Not promised: tight boxes.

use super::{PieceTree, PiecesError, of_tiled, tree_of};
use crate::bound::Aabb;
use crate::tiled::{TiledBody, edge_box, face_box, is_within_edges};
use crate::{Body, Kind};

/// Least number of faces for which groups are of use.
const LEAST_FACES: usize = 8;

/// No group.
const NONE: u32 = u32::MAX;

/// The features of a body by its faces: a face with the edges and vertices that no face before it has.
///
/// ```
/// use clearance_geometry::{Body, DVec3, pieces::FaceGroups, tiled::TiledBody};
/// // A body of few faces is cut as it is.
/// assert!(FaceGroups::of(&Body::from(TiledBody::cylinder(1.0, 2.0)?)).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FaceGroups {
    body: TiledBody,
    boxes: Vec<Aabb<3>>,
    whole: Aabb<3>,
    /// The group of each edge and of each vertex.
    edges: Vec<u32>,
    vertices: Vec<u32>,
}

impl FaceGroups {
    /// The groups of a tiled body of many faces; `None` for others, and where a feature belongs to no face.
    pub fn of(body: &Body) -> Option<Self> {
        let Body::Tiled(body) = body.whole() else { return None };
        if body.face_count() < LEAST_FACES {
            return None;
        }
        let margin = body.tolerance();
        let mut groups = Self {
            body: body.clone(),
            boxes: vec![Aabb::EMPTY; body.face_count()],
            whole: Aabb::EMPTY,
            edges: vec![NONE; body.edge_count()],
            vertices: vec![NONE; body.vertex_count()],
        };
        let around = |edge| {
            let edge: &crate::tiled::TiledEdge = edge;
            edge_box(edge).inflated(edge.gap + margin)
        };
        let edges: Vec<Aabb<3>> = body.edges().iter().map(around).collect();
        for (at, face) in body.faces().iter().enumerate() {
            let mut bound = if is_within_edges(face) { Aabb::EMPTY } else { face_box(face).inflated(margin) };
            for used in face.loops.iter().flatten() {
                let edge = used.edge.index();
                bound = bound.joined(&edges[edge]);
                claim(&mut groups.edges[edge], at);
                let ends = body.edge(used.edge).vertices;
                ends.into_iter().flatten().for_each(|vertex| claim(&mut groups.vertices[vertex.index()], at));
            }
            for tip in &face.tips {
                bound = bound.joined(&Aabb::from_points([body.vertex(*tip)]).inflated(margin));
                claim(&mut groups.vertices[tip.index()], at);
            }
            groups.boxes[at] = bound;
        }
        groups.add_vertices();
        let known = groups.edges.iter().chain(&groups.vertices).all(|group| *group != NONE);
        let bounded = |bound: &Aabb<3>| bound.half_extents().is_finite();
        groups.whole = groups.boxes.iter().fold(Aabb::EMPTY, |all, bound| all.joined(bound));
        (known && groups.boxes.iter().all(bounded)).then_some(groups)
    }

    /// Widens boxes to hold their vertices with what these stand for: the ends of all of their edges.
    fn add_vertices(&mut self) {
        let body = self.body.clone();
        for edge in body.edges() {
            let Some(ends) = edge.vertices else { continue };
            for (vertex, t) in ends.into_iter().zip([edge.range.low, edge.range.high]) {
                let point = body.vertex(vertex);
                let gap = edge.point(t).distance(point) + edge.gap + body.tolerance();
                if let Some(bound) = self.boxes.get_mut(self.vertices[vertex.index()] as usize) {
                    *bound = bound.joined(&Aabb::from_points([point]).inflated(gap));
                }
            }
        }
    }

    /// A box around each group, by the place of its face.
    pub fn boxes(&self) -> &[Aabb<3>] {
        &self.boxes
    }

    /// A box around the body.
    pub const fn whole(&self) -> &Aabb<3> {
        &self.whole
    }

    /// The pieces of some groups.
    ///
    /// # Errors
    /// As [`of_body`](super::of_body), and where none is picked.
    pub fn tree(&self, is_picked: impl Fn(usize) -> bool) -> Result<PieceTree, PiecesError> {
        let of = |groups: &[u32], at: usize| is_picked(groups[at] as usize);
        let (edges, vertices) = (|at: usize| of(&self.edges, at), |at: usize| of(&self.vertices, at));
        let pieces = of_tiled::pieces_of(&self.body, [&is_picked, &edges, &vertices])?;
        tree_of(pieces).ok_or(PiecesError::NoPatches { kind: Kind::Tiled })
    }
}

fn claim(group: &mut u32, at: usize) {
    if *group == NONE {
        *group = at as u32;
    }
}
