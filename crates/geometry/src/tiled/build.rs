//! From plain data to a checked body.
//!
//! Source: 004 §2 and 001 §IV for the feature graph: every edge between two faces, every loop closed.
//! Differs: faces that look the wrong way are turned, and gaps within a tolerance are kept and measured.
//! Ends because: every face, edge and vertex is visited a fixed number of times.
//! Cost: that of following each edge on each of its faces, see `trace`.
//! Not promised: that faces do not cross each other.

use super::chain::{Bounded, Builder};
use super::classify;
use super::crease;
use super::draft::{Draft, DraftEdge, DraftFace, DraftLoop};
use super::error::TiledError;
use super::mass;
use super::orient::{Use, orient};
use super::region::Region;
use super::{Data, EdgeKind, EdgeUse, Face, TiledBody, TiledEdge, TiledNote};
use crate::bound::{Aabb, ConvexBound};
use crate::surface::ParametricSurface;
use crate::tolerance::{CLOSED_FORM_ERROR_REL, EDGE_OFF_REL, MATCH_REL};
use crate::{DVec3, EdgeId, FaceId, VertexId};
use std::sync::{Arc, OnceLock};

impl TiledBody {
    /// Builds a body from faces whose loops name their edges.
    ///
    /// Faces that look the other way than their neighbours are turned, and a closed body that is inside-out is turned
    /// as a whole; both are noted.
    ///
    /// # Errors
    /// [`TiledError`], naming the face, edge or vertex at fault.
    pub fn from_draft(draft: Draft) -> Result<Self, TiledError> {
        Self::from_draft_noted(draft, Vec::new())
    }

    pub(super) fn from_draft_noted(draft: Draft, mut notes: Vec<TiledNote>) -> Result<Self, TiledError> {
        let (tolerance, diameter) = check(&draft)?;
        let most_off = tolerance.max(EDGE_OFF_REL * diameter);
        let mut edges: Vec<TiledEdge> = draft.edges.iter().map(plain_edge).collect();
        let mut faces = Vec::with_capacity(draft.faces.len());
        let mut loose = Loose { count: 0, gap: 0.0 };
        let mut uses: Vec<Vec<Use>> = vec![Vec::new(); edges.len()];
        let mut unrolled = Vec::new();
        for (at, mut face) in draft.faces.into_iter().enumerate() {
            let id = FaceId(at as u32);
            let builder = Builder::new(id, &face.surface, face.reversed, &draft.edges, [tolerance, most_off]);
            let Bounded { region, off, turned } = builder.region(&face.loops, face.rect)?;
            if turned {
                face.loops.iter_mut().for_each(turn_loop);
                unrolled.push(id);
            }
            for (edge, off) in off {
                edges[edge.index()].gap += off;
                loose.count += usize::from(off > tolerance);
                loose.gap = loose.gap.max(off);
            }
            faces.push(finished(id, face, region, &mut uses));
        }
        if loose.count > 0 {
            notes.push(TiledNote::LooseEdges { count: loose.count, gap: loose.gap });
        }
        if !unrolled.is_empty() {
            notes.push(TiledNote::TurnedLoops { faces: unrolled });
        }
        for (edge, list) in uses.iter().enumerate() {
            let edge = EdgeId(edge as u32);
            match list.len() {
                0 => return Err(TiledError::UnusedEdge { edge }),
                1 | 2 => {}
                faces => return Err(TiledError::NotManifold { edge, faces }),
            }
        }
        let orientation = orient(faces.len(), &uses)?;
        let turned: Vec<FaceId> = ids(&orientation.turn);
        for &face in &turned {
            turn(&mut faces[face.index()]);
        }
        if !turned.is_empty() {
            notes.push(TiledNote::TurnedFaces { faces: turned });
        }
        let closed = uses.iter().all(|list| list.len() == 2);
        if closed && mass::signed_volume(&faces) < 0.0 {
            faces.iter_mut().for_each(turn);
            notes.push(TiledNote::Turned);
        }
        set_faces(&mut edges, &faces);
        let folded: Vec<bool> = faces.iter().map(crease::is_folded).collect();
        if folded.contains(&true) {
            notes.push(TiledNote::FoldedFaces { faces: ids(&folded) });
        }
        let body = assembled(faces, edges, draft.vertices, orientation.shells, notes, tolerance);
        Ok(Self { data: Arc::new(body) })
    }
}

/// Edges that are beyond the tolerance from the surface of a face, and the farthest.
struct Loose {
    count: usize,
    gap: f64,
}

fn plain_edge(edge: &DraftEdge) -> TiledEdge {
    TiledEdge {
        curve: edge.curve.clone(),
        range: edge.range,
        vertices: edge.ends,
        faces: [None; 2],
        kind: EdgeKind::Open,
        angles: [0.0; 2],
        gap: 0.0,
    }
}

/// Numbers that are finite, vertices that exist and lie at the ends of their edges; the tolerance and
/// the diameter of what was looked at.
fn check(draft: &Draft) -> Result<(f64, f64), TiledError> {
    if draft.faces.is_empty() {
        return Err(TiledError::Empty);
    }
    let not_finite = |what, index| TiledError::NotFinite { what, index };
    if let Some(index) = draft.vertices.iter().position(|p| !p.is_finite()) {
        return Err(not_finite("vertex", index));
    }
    let mut around = Aabb::from_points(draft.vertices.iter().copied());
    for (index, edge) in draft.edges.iter().enumerate() {
        let sampled = [0.0, 0.25, 0.5, 0.75, 1.0].map(|s| plain_edge(edge).point(edge.range.at(s)));
        if !plain_edge(edge).covers_range() || sampled.iter().any(|p| !p.is_finite()) {
            return Err(not_finite("edge", index));
        }
        around = around.joined(&Aabb::from_points(sampled));
    }
    let has_edges = |face: &&DraftFace| face.loops.iter().any(|one| matches!(one, DraftLoop::Edges(_)));
    for face in draft.faces.iter().filter(|face| !has_edges(face)) {
        if face.surface.domain().is_bounded() {
            around = around.joined(&face.surface.aabb(face.surface.domain()));
        }
    }
    let diameter = if around.is_empty() { 0.0 } else { 2.0 * around.half_extents().length() };
    if !diameter.is_finite() {
        return Err(not_finite("face", 0));
    }
    let given = draft.tolerance.filter(|tolerance| tolerance.is_finite() && *tolerance > 0.0);
    let tolerance = given.unwrap_or(MATCH_REL * diameter);
    let exists = |vertex: VertexId| {
        draft.vertices.get(vertex.index()).copied().ok_or(TiledError::NoSuchVertex { vertex })
    };
    for (index, edge) in draft.edges.iter().enumerate() {
        let Some(ends) = edge.ends else { continue };
        for (vertex, t) in ends.into_iter().zip([edge.range.low, edge.range.high]) {
            let gap = plain_edge(edge).point(t).distance(exists(vertex)?);
            if gap > tolerance {
                return Err(TiledError::VertexOffEdge { edge: EdgeId(index as u32), vertex, gap });
            }
        }
    }
    for one in draft.faces.iter().flat_map(|face| &face.loops) {
        if let DraftLoop::Vertex(vertex) = one {
            exists(*vertex)?;
        }
    }
    Ok((tolerance, diameter))
}

fn finished(id: FaceId, face: DraftFace, region: Region, uses: &mut [Vec<Use>]) -> Face {
    let mut loops = Vec::new();
    let mut tips = Vec::new();
    for one in face.loops {
        match one {
            DraftLoop::Edges(list) => {
                for used in &list {
                    uses[used.edge.index()].push(Use { face: id, reversed: used.reversed });
                }
                let plain = |used: &super::DraftUse| EdgeUse { edge: used.edge, reversed: used.reversed };
                loops.push(list.iter().map(plain).collect());
            }
            DraftLoop::Vertex(vertex) => tips.push(vertex),
        }
    }
    Face { surface: face.surface, reversed: face.reversed, region, loops, tips }
}

fn ids(marks: &[bool]) -> Vec<FaceId> {
    marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(at, _)| FaceId(at as u32)).collect()
}

fn turn(face: &mut Face) {
    face.reversed = !face.reversed;
    for one in &mut face.loops {
        one.reverse();
        one.iter_mut().for_each(|used| used.reversed = !used.reversed);
    }
}

fn turn_loop(one: &mut DraftLoop) {
    if let DraftLoop::Edges(uses) = one {
        uses.reverse();
        uses.iter_mut().for_each(|used| used.reversed = !used.reversed);
    }
}

fn set_faces(edges: &mut [TiledEdge], faces: &[Face]) {
    for (at, face) in faces.iter().enumerate() {
        for used in face.loops.iter().flatten() {
            edges[used.edge.index()].faces[usize::from(used.reversed)] = Some(FaceId(at as u32));
        }
    }
}

fn assembled(
    faces: Vec<Face>,
    edges: Vec<TiledEdge>,
    vertices: Vec<DVec3>,
    shells: Vec<u32>,
    notes: Vec<TiledNote>,
    tolerance: f64,
) -> Data {
    let mut vertex_edges = vec![Vec::new(); vertices.len()];
    let mut vertex_faces = vec![Vec::new(); vertices.len()];
    for (at, edge) in edges.iter().enumerate() {
        for vertex in edge.vertices.into_iter().flatten() {
            vertex_edges[vertex.index()].push(EdgeId(at as u32));
        }
    }
    for (at, face) in faces.iter().enumerate() {
        for tip in &face.tips {
            vertex_faces[tip.index()].push(FaceId(at as u32));
        }
    }
    let mut data = Data {
        faces,
        edges,
        vertices,
        vertex_edges,
        vertex_faces,
        vertex_gaps: Vec::new(),
        shells,
        open: Vec::new(),
        notes,
        bounds: OnceLock::new(),
        hull: OnceLock::new(),
        tolerance,
        mass: OnceLock::new(),
        convexity: OnceLock::new(),
        nice: OnceLock::new(),
        convex: OnceLock::new(),
    };
    classify::edges(&mut data.edges, &data.faces);
    data.open = classify::open_edges(&data.edges);
    data.vertex_gaps = vertex_gaps(&data.edges, &data.vertices);
    data
}

/// How far the ends of its edges may be from each vertex.
fn vertex_gaps(edges: &[TiledEdge], vertices: &[DVec3]) -> Vec<f64> {
    let mut gaps = vec![0.0_f64; vertices.len()];
    for edge in edges {
        let Some(ends) = edge.vertices else { continue };
        for (vertex, t) in ends.into_iter().zip([edge.range.low, edge.range.high]) {
            let point = edge.point(t);
            // A vertex stands for the ends of its edges, slack and all.
            let rounding = END_ROUNDINGS * CLOSED_FORM_ERROR_REL * point.abs().max_element();
            let gap = &mut gaps[vertex.index()];
            *gap = gap.max(point.distance(vertices[vertex.index()]) + edge.gap + rounding);
        }
    }
    gaps
}

/// What the slack of a curve may be, in units of that of a vertex.
const END_ROUNDINGS: f64 = 8.0;
