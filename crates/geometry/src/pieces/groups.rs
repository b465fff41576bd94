//! A body of many faces before it is cut into pieces: boxes around its faces, each with some of its edges and vertices.
//!
//! Source: a face of straight lines (a plane, a cylinder, a cone) is within the hull of its edges; an arc is no farther from its
//! chord than its middle.
//! Differs: every edge and vertex belongs to one group alone, that of the first face that it bounds. A face is cut with all of its
//! edges and vertices all the same: where a function has a slope all over a face, its extremes are on these, and a search that does
//! not have them would take the slope for a proof.
//! Ends because: loops run over features.
//! Cost: some hundred instructions for each edge; some thousand for each face that is curved both ways.
//! Not promised: tight boxes.

use super::{Piece, PieceTree, PiecesError, of_polytope, of_tiled, tree_of};
use crate::bound::Aabb;
use crate::curve::Curve;
use crate::tiled::{TiledBody, TiledEdge, edge_box, face_box, is_within_edges};
use crate::tolerance::{BLEND_ERROR_REL, CLOSED_FORM_ERROR_REL, HEIGHT_ERROR_REL};
use crate::tree::LeafShape;
use crate::{Body, DVec3, FaceId, Kind, Pose, VertexId};
use std::f64::consts::PI;

/// Least number of faces for which groups are of use.
const LEAST_FACES: usize = 8;

/// No group.
const NONE: u32 = u32::MAX;

/// The features of a body by its faces: a face with the edges and vertices that no face before it has. Of a union, those of
/// all of its parts; a polytope in it is one group.
///
/// ```
/// use clearance_geometry::{Body, DVec3, pieces::FaceGroups, tiled::TiledBody};
/// // A body of few faces is cut as it is.
/// assert!(FaceGroups::of(&Body::from(TiledBody::cylinder(1.0, 2.0)?)).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FaceGroups {
    parts: Vec<Part>,
    boxes: Vec<Aabb<3>>,
    /// A vertex of each group's face, where it has one.
    corners: Vec<Option<DVec3>>,
    whole: Aabb<3>,
}

/// A tiled body or a polytope.
#[derive(Clone, Debug)]
struct Part {
    shape: LeafShape,
    /// Its leaf of a union and where it stands in it.
    place: Option<(u32, Pose)>,
    /// Its first group.
    first: usize,
    /// The face of each edge and of each vertex that they go with.
    edges: Vec<u32>,
    vertices: Vec<u32>,
    /// A box around each edge.
    around: Vec<Around>,
}

impl FaceGroups {
    /// The groups of a tiled body or a union of many faces; `None` for others, and where a feature belongs to
    /// no face or a face has no pieces.
    pub fn of(body: &Body) -> Option<Self> {
        let shapes: Vec<(LeafShape, Option<(u32, Pose)>)> = match body.whole() {
            Body::Tiled(body) => vec![(LeafShape::Tiled(body.clone()), None)],
            Body::Union(tree) => {
                let leaves = tree.leaves().iter().enumerate();
                leaves.map(|(at, leaf)| (leaf.shape.clone(), Some((at as u32, leaf.pose)))).collect()
            }
            _ => return None,
        };
        let count = |(shape, _): &(LeafShape, _)| match shape {
            LeafShape::Tiled(body) => body.face_count(),
            LeafShape::Polytope(_) => 1,
        };
        if shapes.iter().map(count).sum::<usize>() < LEAST_FACES {
            return None;
        }
        let mut groups =
            Self { parts: Vec::new(), boxes: Vec::new(), corners: Vec::new(), whole: Aabb::EMPTY };
        for (shape, place) in shapes {
            groups.add(shape, place)?;
        }
        groups.whole = groups.boxes.iter().fold(Aabb::EMPTY, |all, bound| all.joined(bound));
        let bounded = |bound: &Aabb<3>| bound.half_extents().is_finite();
        groups.boxes.iter().all(bounded).then_some(groups)
    }

    fn add(&mut self, shape: LeafShape, place: Option<(u32, Pose)>) -> Option<()> {
        let first = self.boxes.len();
        let Faces { edges, vertices, around, boxes } = match &shape {
            LeafShape::Polytope(body) => {
                let points = body.vertices().iter().map(|p| *p + body.anchor());
                Faces { boxes: vec![Around::EMPTY.with_all(points)], ..Faces::default() }
            }
            LeafShape::Tiled(body) => of_faces(body)?,
        };
        let pose = place.map_or(Pose::IDENTITY, |(_, pose)| pose);
        self.boxes.extend(boxes.iter().map(|around| around.placed(&pose)));
        match &shape {
            LeafShape::Polytope(body) => {
                self.corners.push(body.vertices().first().map(|p| pose.apply(*p + body.anchor())));
            }
            LeafShape::Tiled(body) => {
                self.corners.extend(body.faces().iter().map(|face| {
                    let edge = body.edge(face.loops.first()?.first()?.edge);
                    Some(pose.apply(body.vertex(edge.vertices?[0])))
                }));
            }
        }
        self.parts.push(Part { shape, place, first, edges, vertices, around });
        Some(())
    }

    /// A box around each group.
    pub fn boxes(&self) -> &[Aabb<3>] {
        &self.boxes
    }

    /// A vertex of each group's face, where it has one, which may belong to another group.
    pub fn corners(&self) -> &[Option<DVec3>] {
        &self.corners
    }

    /// A box around each leaf of a union, or around the one body.
    pub fn leaf_boxes(&self) -> Vec<Aabb<3>> {
        let ends = self.parts.iter().skip(1).map(|part| part.first).chain([self.boxes.len()]);
        let joined = |range: std::ops::Range<usize>| {
            self.boxes[range].iter().fold(Aabb::EMPTY, |all, bound| all.joined(bound))
        };
        self.parts.iter().zip(ends).map(|(part, end)| joined(part.first..end)).collect()
    }

    /// A box around the body.
    pub const fn whole(&self) -> &Aabb<3> {
        &self.whole
    }

    /// No point of a group is higher along a unit direction, rounding included: by the edges of its face where this is within
    /// them, which says more than its box.
    pub fn height(&self, group: usize, along: DVec3) -> f64 {
        let bound = &self.boxes[group];
        let (center, half) = (DVec3::from_array(bound.center()), bound.half_extents());
        let of_box = center.dot(along) + half.dot(along.abs());
        let part = &self.parts[self.parts.partition_point(|part| part.first <= group).saturating_sub(1)];
        let pose = part.place.map_or(Pose::IDENTITY, |(_, pose)| pose);
        let found =
            part.height(group - part.first, pose.rotate_inverse(along)) + pose.translation().dot(along);
        let reach = (center.abs() + half).max_element() + pose.translation().abs().max_element();
        // Points as in boxes; the direction, its product with a point and the move lose some roundings each.
        let lost = (CLOSED_FORM_ERROR_REL + 8.0 * HEIGHT_ERROR_REL) * reach;
        if found < of_box { found + lost } else { of_box + lost }
    }

    /// The pieces of some groups, and those of the edges and vertices of their faces that belong to others.
    ///
    /// # Errors
    /// As [`of_body`](super::of_body), and where none is picked.
    pub fn tree(&self, is_picked: impl Fn(usize) -> bool) -> Result<PieceTree, PiecesError> {
        let mut all = Vec::new();
        for part in &self.parts {
            let pieces = part.pieces(&|at: usize| is_picked(part.first + at))?;
            match &part.place {
                // The only part.
                None => all = pieces,
                Some((leaf, pose)) => {
                    all.extend(pieces.into_iter().map(|piece| Piece { leaf: *leaf, ..piece.moved(pose) }));
                }
            }
        }
        tree_of(all).ok_or(PiecesError::NoPatches { kind: Kind::Tiled })
    }
}

impl Part {
    /// The greatest height of a face with its edges and vertices but for rounding; infinite where it is not within its edges.
    fn height(&self, face: usize, along: DVec3) -> f64 {
        let body = match &self.shape {
            LeafShape::Polytope(body) => {
                let heights = body.vertices().iter().map(|p| (*p + body.anchor()).dot(along));
                return heights.fold(f64::NEG_INFINITY, f64::max);
            }
            LeafShape::Tiled(body) => body,
        };
        let face = body.face(FaceId(face as u32));
        if !is_within_edges(body, face) {
            return f64::INFINITY;
        }
        let margin = body.tolerance();
        let of_vertex = |vertex: VertexId| body.vertex(vertex).dot(along) + body.vertex_gap(vertex) + margin;
        let tips = face.tips.iter().map(|tip| of_vertex(*tip));
        let edges = face.loops.iter().flatten().map(|used| {
            let edge = body.edge(used.edge);
            let ends =
                edge.vertices.map_or(f64::NEG_INFINITY, |[one, other]| of_vertex(one).max(of_vertex(other)));
            let around = &self.around[used.edge.index()];
            let curve = match &edge.curve {
                // Its ends are as near the vertices as these say.
                Curve::Line(_) if edge.vertices.is_some() => edge.gap + ends,
                Curve::Circle(circle) => {
                    let (frame, radius) = (circle.frame(), circle.radius());
                    let rise = radius * along.cross(frame.rotation().z_axis).length();
                    let far = frame.translation().abs().max_element() + radius;
                    let whole = frame.translation().dot(along) + rise + CLOSED_FORM_ERROR_REL * far;
                    around.height(along).min(whole + edge.gap + margin)
                }
                _ => around.height(along),
            };
            curve.max(ends)
        });
        edges.chain(tips).fold(f64::NEG_INFINITY, f64::max)
    }

    fn pieces(&self, is_picked: &dyn Fn(usize) -> bool) -> Result<Vec<Piece>, PiecesError> {
        match &self.shape {
            LeafShape::Polytope(body) if is_picked(0) => Ok(of_polytope::pieces(body)),
            LeafShape::Polytope(_) => Ok(Vec::new()),
            LeafShape::Tiled(body) => {
                let [edges, vertices] = self.bounds_of(body, is_picked);
                of_tiled::pieces_of(body, [is_picked, &|at| edges[at], &|at| vertices[at]])
            }
        }
    }

    /// Which edges and vertices belong to some groups or bound a face of one.
    fn bounds_of(&self, body: &TiledBody, is_picked: &dyn Fn(usize) -> bool) -> [Vec<bool>; 2] {
        let [mut edges, mut vertices] = [&self.edges, &self.vertices]
            .map(|owners| owners.iter().map(|at| is_picked(*at as usize)).collect::<Vec<_>>());
        for (_, face) in body.faces().iter().enumerate().filter(|(at, _)| is_picked(*at)) {
            face.loops.iter().flatten().for_each(|used| edges[used.edge.index()] = true);
            face.tips.iter().for_each(|tip| vertices[tip.index()] = true);
        }
        for (_, edge) in body.edges().iter().enumerate().filter(|(at, _)| edges[*at]) {
            edge.vertices.iter().flatten().for_each(|vertex| vertices[vertex.index()] = true);
        }
        [edges, vertices]
    }
}

/// What is known of the faces of a body.
#[derive(Default)]
struct Faces {
    /// The face that each edge and each vertex goes with.
    edges: Vec<u32>,
    vertices: Vec<u32>,
    /// A box around each edge.
    around: Vec<Around>,
    /// A box around each face with what goes with it.
    boxes: Vec<Around>,
}

fn of_faces(body: &TiledBody) -> Option<Faces> {
    // What has no pieces has none whichever faces matter.
    if body.faces().iter().any(|face| face.surface.is_swept_by_helix()) {
        return None;
    }
    let margin = body.tolerance();
    let around: Vec<Around> = body.edges().iter().map(|edge| around_edge(body, edge)).collect();
    let (mut edges, mut vertices) = (vec![NONE; body.edge_count()], vec![NONE; body.vertex_count()]);
    let claim = |owner: &mut u32, at: usize| {
        if *owner == NONE {
            *owner = at as u32;
        }
    };
    let mut boxes = Vec::with_capacity(body.face_count());
    for (at, face) in body.faces().iter().enumerate() {
        let mut bound = if is_within_edges(body, face) {
            Around::EMPTY
        } else {
            Around::of(&face_box(face)).widened(margin)
        };
        for one in &face.loops {
            for used in one {
                bound = bound.joined(&around[used.edge.index()]);
                claim(&mut edges[used.edge.index()], at);
                let Some(ends) = body.edge(used.edge).vertices else { continue };
                ends.into_iter().for_each(|vertex| claim(&mut vertices[vertex.index()], at));
            }
        }
        for tip in &face.tips {
            bound = bound.joined(&Around::EMPTY.with(body.vertex(*tip)).widened(margin));
            claim(&mut vertices[tip.index()], at);
        }
        boxes.push(bound);
    }
    if edges.iter().chain(&vertices).any(|owner| *owner == NONE) {
        return None;
    }
    // A vertex stands for the ends of all of its edges.
    for (at, owner) in vertices.iter().enumerate() {
        let vertex = VertexId(at as u32);
        let point = Around::EMPTY.with(body.vertex(vertex)).widened(body.vertex_gap(vertex) + margin);
        let bound = &mut boxes[*owner as usize];
        *bound = bound.joined(&point);
    }
    Some(Faces { edges, vertices, around, boxes })
}

/// How far the middle of an arc is from its chord, rounded up. As r (1 − cos) a short arc would have none.
fn sagitta(radius: f64, angle: f64) -> f64 {
    let sine = (0.25 * angle).sin();
    2.0 * radius * sine * sine * (1.0 + 8.0 * f64::EPSILON)
}

/// A box around an edge. The ends of lines and of arcs are as near their vertices as these say, which need not be evaluated.
fn around_edge(body: &TiledBody, edge: &TiledEdge) -> Around {
    let margin = edge.gap + body.tolerance();
    let rise = match &edge.curve {
        Curve::Line(_) => Some(0.0),
        Curve::Circle(circle) if edge.range.width() <= PI => {
            // An arc is no farther from its chord than its middle is.
            Some(sagitta(circle.radius(), edge.range.width()))
        }
        _ => None,
    };
    match (rise, edge.vertices) {
        (Some(rise), Some([one, other])) => {
            let apart = body.vertex_gap(one).max(body.vertex_gap(other));
            Around::EMPTY.with(body.vertex(one)).with(body.vertex(other)).widened(rise + apart + margin)
        }
        _ => Around::of(&edge_box(edge)).widened(margin),
    }
}

/// A box along the axes, but for rounding, which is made up for once at the end.
#[derive(Clone, Copy, Debug)]
struct Around {
    low: DVec3,
    high: DVec3,
}

impl Around {
    const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    fn of(bound: &Aabb<3>) -> Self {
        Self { low: DVec3::from_array(bound.low), high: DVec3::from_array(bound.high) }
    }

    fn with(self, point: DVec3) -> Self {
        self.joined(&Self { low: point, high: point })
    }

    fn with_all(self, points: impl Iterator<Item = DVec3>) -> Self {
        points.fold(self, Self::with)
    }

    fn joined(&self, other: &Self) -> Self {
        // Plain comparisons: a minimum that minds NaN costs six times as much.
        let (mut low, mut high) = (self.low, self.high);
        for k in 0..3 {
            low[k] = if other.low[k] < low[k] { other.low[k] } else { low[k] };
            high[k] = if other.high[k] > high[k] { other.high[k] } else { high[k] };
        }
        Self { low, high }
    }

    fn widened(self, by: f64) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }

    /// Its greatest height along a direction.
    fn height(&self, along: DVec3) -> f64 {
        0.5 * ((self.low + self.high).dot(along) + (self.high - self.low).dot(along.abs()))
    }

    /// The box around it where it stands at a pose, larger by all rounding.
    fn placed(&self, pose: &Pose) -> Aabb<3> {
        let (center, half) = (0.5 * (self.low + self.high), 0.5 * (self.high - self.low));
        let (axes, middle) = (pose.rotation(), pose.apply(center));
        let along = (0..3).fold(DVec3::ZERO, |sum, i| sum + axes.col(i).abs() * half[i]);
        let reach = center.abs() + half + pose.translation().abs();
        let lost = (CLOSED_FORM_ERROR_REL + BLEND_ERROR_REL) * reach.max_element();
        let (low, high) = (middle - along - lost, middle + along + lost);
        // Written so that NaN is no box.
        if low.cmple(high).all() { Aabb { low: low.to_array(), high: high.to_array() } } else { Aabb::ENTIRE }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn heights_hold_pieces() {
        let ring = |x: f64| {
            let pose =
                Pose::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7, DVec3::new(x, 2.0, -1.0)).unwrap();
            (crate::Part::Tiled(TiledBody::cylinder(1.0 + 0.1 * x, 3.0).unwrap()), pose)
        };
        let cone = TiledBody::cone(1.5, 2.0, None).unwrap();
        let cube = crate::Polytope::cuboid(DVec3::ONE).unwrap();
        let mut parts = vec![(crate::Part::Tiled(cone), Pose::IDENTITY), ring(0.0), ring(5.0)];
        parts.push((crate::Part::Polytope(cube), Pose::from_translation(DVec3::Y * 4.0).unwrap()));
        let body = Body::Union(crate::PartTree::of_parts(parts).unwrap());
        let groups = FaceGroups::of(&body).unwrap();
        let mut closer = 0;
        for k in 0..60 {
            let (turn, rise) = (0.7 * f64::from(k), -1.0 + f64::from(k) / 30.0);
            let flat = (1.0 - rise * rise).max(0.0).sqrt();
            let along = DVec3::new(flat * turn.cos(), flat * turn.sin(), rise);
            for group in 0..groups.boxes().len() {
                let height = groups.height(group, along);
                let bound = &groups.boxes()[group];
                let (center, half) = (DVec3::from_array(bound.center()), bound.half_extents());
                closer += usize::from(height < center.dot(along) + half.dot(along.abs()) - 0.01);
                for piece in groups.tree(|at| at == group).unwrap().leaves() {
                    for at in 0..25 {
                        let local = crate::DVec2::new(f64::from(at / 5), f64::from(at % 5)) * 0.25;
                        // A trimmed face has all of its patch.
                        let inside = piece.face(&body).is_none_or(|face| {
                            let at = piece.span.parameters(local);
                            face.region.side(at.x, at.y) != crate::tiled::Side::Outside
                        });
                        assert!(!inside || piece.point(local).dot(along) <= height, "{group} {along}");
                    }
                }
            }
        }
        assert!(closer > 100, "{closer}");
    }

    #[test]
    fn short_arcs_rise_over_their_chords() {
        for power in 0..40 {
            let angle = PI * 0.5_f64.powi(power);
            let rise = sagitta(1.0, angle);
            // r θ² / 8 less what follows, and no more than it.
            let most = angle * angle / 8.0;
            assert!(rise <= most * (1.0 + 1e-14) && rise >= most * (1.0 - angle * angle / 48.0), "{angle}");
        }
        assert!((sagitta(3.0, PI) - 3.0).abs() < 1e-14);
    }
}
