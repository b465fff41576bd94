//! Two bodies with their pieces in the frame of A.
//!
//! Source: both trees of boxes descended together, the larger box first; boxes are apart along an axis of one of them or
//! the line between their middles.
//! Differs: of the fifteen axes that decide for two boxes those seven are tried; a pair of pieces that is left is told apart
//! by its control points.
//! Ends because: each step opens a node of a tree.
//! Cost: proportional to the pairs of nodes that are near each other.
//! Not promised: that the pieces of a pair are near; none that are is left out.

use super::net::{Net, gap};
use crate::global::evaluation::point_lost;
use crate::global::{NearPair, Prepared};
use crate::tolerance::{CONE_ROUNDING_RAD, HEIGHT_ERROR_REL, JOIN_REL};
use clearance_geometry::bound::{DirectionCone, NormalCone, Obb};
use clearance_geometry::pieces::Piece;
use clearance_geometry::tiled::{Cover, Face, Side};
use clearance_geometry::{Below, Body, DVec2, DVec3, EdgeId, Feature, LeafShape, Pose};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// What rounding may have done to the distance of two points of pieces; a length.
pub(crate) fn lost(bodies: [&Prepared; 2], near: &NearPair, pose_ab: &Pose) -> f64 {
    let of = |side: usize, pose: &Pose| {
        let net = Net::of_piece(&bodies[side].tree().leaves()[near.pieces[side] as usize], pose);
        net.slack + point_lost(net.degrees, net.center.abs().max_element() + net.radius)
    };
    of(0, &Pose::IDENTITY) + of(1, pose_ab)
}

/// Two bodies, B at a pose in the frame of A.
pub(super) struct Scene<'a> {
    pub(super) bodies: [&'a Prepared; 2],
    poses: [Pose; 2],
    nets: [Vec<OnceCell<Net>>; 2],
    /// Half the diagonals of both bodies' boxes together; a length.
    pub(super) size: f64,
    /// The largest coordinate.
    pub(super) reach: f64,
    /// The largest gap between an edge and its faces; a length.
    gap: f64,
    /// The pieces of every edge, by part and edge.
    edges: [BTreeMap<(u32, EdgeId), Vec<u32>>; 2],
}

impl<'a> Scene<'a> {
    pub(super) fn new(a: &'a Prepared, b: &'a Prepared, pose_ab: &Pose) -> Self {
        let bodies = [a, b];
        let nets = bodies.map(|body| body.tree().leaves().iter().map(|_| OnceCell::new()).collect());
        let size = a.radius() + b.radius();
        let centers = [a.tree().root().bound.center, pose_ab.apply(b.tree().root().bound.center)];
        let reach = centers.iter().fold(0.0_f64, |most, c| most.max(c.abs().max_element())) + size;
        let pieces = || bodies.iter().flat_map(|body| body.tree().leaves());
        let gap = pieces().fold(0.0_f64, |most, piece| most.max(piece.gap));
        let edges = bodies.map(edge_pieces);
        Self { bodies, poses: [Pose::IDENTITY, *pose_ab], nets, size, reach, gap, edges }
    }

    /// How far apart points may be that are one; a length.
    pub(super) fn join_distance(&self) -> f64 {
        self.rounding_distance() + 8.0 * self.gap
    }

    /// How far apart points may be that are one but for rounding; a length.
    pub(super) fn rounding_distance(&self) -> f64 {
        JOIN_REL * self.size
    }

    /// The pieces of the edges of a face.
    pub(super) fn edges_of(&self, side: usize, piece: u32) -> Vec<u32> {
        let owner = self.piece(side, piece);
        let Some(face) = self.face(side, owner) else { return Vec::new() };
        let mut edges: Vec<EdgeId> = face.loops.iter().flatten().map(|used| used.edge).collect();
        edges.sort_unstable();
        edges.dedup();
        let pieces = |edge: EdgeId| self.edges[side].get(&(owner.leaf, edge)).into_iter().flatten().copied();
        edges.into_iter().flat_map(pieces).collect()
    }

    /// A ball around a body.
    pub(super) fn ball(&self, side: usize) -> (DVec3, f64) {
        let bound = &self.bodies[side].tree().root().bound;
        (self.poses[side].apply(bound.center), bound.half.length())
    }

    pub(super) fn piece(&self, side: usize, piece: u32) -> &'a Piece {
        &self.bodies[side].tree().leaves()[piece as usize]
    }

    /// A piece in the frame of A.
    pub(super) fn net(&self, side: usize, piece: u32) -> &Net {
        let make = || Net::of_piece(self.piece(side, piece), &self.poses[side]);
        self.nets[side][piece as usize].get_or_init(make)
    }

    /// A piece in the frame of its own body.
    pub(super) fn own_net(&self, side: usize, piece: u32) -> Net {
        Net::of_piece(self.piece(side, piece), &Pose::IDENTITY)
    }

    /// Whether a ball in the frame of a body is outside the box of the other.
    pub(super) fn is_off(&self, side: usize, center: DVec3, radius: f64) -> bool {
        let bound = &self.bodies[1 - side].tree().root().bound;
        let moved = if side == 0 { self.poses[1].apply_inverse(center) } else { self.poses[1].apply(center) };
        let off = ((bound.axes.transpose() * (moved - bound.center)).abs() - bound.half).max(DVec3::ZERO);
        off.length() > radius + HEIGHT_ERROR_REL * self.reach
    }

    /// The curved face that a piece is a part of.
    pub(super) fn face(&self, side: usize, piece: &Piece) -> Option<&'a Face> {
        piece.face(self.bodies[side].body())
    }

    /// Whether two pieces belong to parts that are no surfaces alone.
    pub(super) fn are_whole(&self, pieces: [u32; 2]) -> bool {
        (0..2).all(|i| is_whole(self.bodies[i], self.piece(i, pieces[i])))
    }

    /// The connected piece of the surface that a face belongs to; 0 for anything else.
    pub(super) fn shell(&self, side: usize, piece: &Piece) -> usize {
        let Feature::Face(face) = piece.feature else { return 0 };
        match self.bodies[side].body().whole() {
            Body::Tiled(body) => body.shell(face),
            Body::Deforming(body) => body.shape().shell(face),
            Body::Union(parts) => match &parts.leaves()[piece.leaf as usize].shape {
                LeafShape::Tiled(body) => body.shell(face),
                LeafShape::Polytope(_) => 0,
            },
            _ => 0,
        }
    }

    /// The outward normal of a flat face of a polytope, in the frame of A.
    fn flat_normal(&self, side: usize, piece: &Piece) -> Option<DVec3> {
        let Feature::Face(face) = piece.feature else { return None };
        let normal = match self.bodies[side].body().whole() {
            Body::Polytope(body) => body.plane(face).normal,
            Body::Union(parts) => {
                let leaf = &parts.leaves()[piece.leaf as usize];
                match &leaf.shape {
                    LeafShape::Polytope(body) => leaf.pose.rotate(body.plane(face).normal),
                    LeafShape::Tiled(_) => return None,
                }
            }
            _ => return None,
        };
        Some(self.poses[side].rotate(normal))
    }

    /// All outward normals over a part of a piece.
    pub(super) fn normals(&self, side: usize, piece: u32, low: DVec2, high: DVec2) -> DirectionCone {
        let piece = self.piece(side, piece);
        if let Some(normal) = self.flat_normal(side, piece) {
            return DirectionCone::new(normal, CONE_ROUNDING_RAD);
        }
        let Some(face) = self.face(side, piece) else { return DirectionCone::FULL };
        let cone = face.surface.normal_cone(piece.span.part(low, high));
        if cone.is_full() || cone.is_empty() {
            return DirectionCone::FULL;
        }
        let mut axis = if face.reversed { -cone.axis } else { cone.axis };
        if let Body::Union(parts) = self.bodies[side].body().whole() {
            axis = parts.leaves()[piece.leaf as usize].pose.rotate(axis);
        }
        DirectionCone::new(self.poses[side].rotate(axis), cone.angle + CONE_ROUNDING_RAD)
    }

    /// The outward normal at a point of a face; where its patch has none, that of the surface itself.
    pub(super) fn normal(&self, side: usize, piece: u32, local: DVec2) -> Option<DVec3> {
        let owner = self.piece(side, piece);
        if let Some(normal) = self.flat_normal(side, owner) {
            return Some(normal);
        }
        let face = self.face(side, owner)?;
        let local_normal = face.normal(owner.span.parameters(local))?;
        let turned = match self.bodies[side].body().whole() {
            Body::Union(parts) => parts.leaves()[owner.leaf as usize].pose.rotate(local_normal),
            _ => local_normal,
        };
        Some(self.poses[side].rotate(turned))
    }

    /// A point in the frame of the surface that a piece is a part of.
    pub(super) fn leaf_point(&self, side: usize, piece: &Piece, point: DVec3) -> DVec3 {
        let own = self.poses[side].apply_inverse(point);
        match self.bodies[side].body().whole() {
            Body::Union(parts) => parts.leaves()[piece.leaf as usize].pose.apply_inverse(own),
            _ => own,
        }
    }

    /// Whether the face's boundary may cut a piece.
    pub(super) fn is_trimmed(&self, side: usize, piece: u32) -> bool {
        self.piece(side, piece).trimmed
    }

    /// How much of a part of a piece belongs to its face.
    pub(super) fn cover(&self, side: usize, piece: u32, low: DVec2, high: DVec2) -> Cover {
        if !self.is_trimmed(side, piece) {
            return Cover::Inside;
        }
        let piece = self.piece(side, piece);
        let Some(face) = self.face(side, piece) else { return Cover::Inside };
        let part = piece.span.part(low, high);
        face.region.cover(part)
    }

    /// Whether a point of a piece belongs to its face.
    pub(super) fn holds(&self, side: usize, piece: u32, local: DVec2) -> bool {
        if !self.is_trimmed(side, piece) {
            return true;
        }
        let piece = self.piece(side, piece);
        self.face(side, piece).is_none_or(|face| face.side(piece.span.parameters(local)) != Side::Outside)
    }

    /// All pairs of pieces, of faces alone or of all features, that may have points closer than `reach`.
    pub(super) fn pairs(&self, faces_only: bool, reach: f64) -> Vec<[u32; 2]> {
        let trees = [self.bodies[0].tree(), self.bodies[1].tree()];
        let mut found = Vec::new();
        let mut waiting = vec![[0_u32, 0_u32]];
        while let Some(nodes) = waiting.pop() {
            let [a, b] = [0, 1].map(|i| &trees[i].nodes()[nodes[i] as usize]);
            if boxes_apart(&a.bound, &b.bound, &self.poses[1], reach) {
                continue;
            }
            match (a.below, b.below) {
                (Below::Leaf(one), Below::Leaf(other)) => {
                    let fits = !faces_only
                        || (self.piece(0, one).dimension == 2 && self.piece(1, other).dimension == 2);
                    if fits && gap(self.net(0, one), self.net(1, other), reach) <= reach {
                        found.push([one, other]);
                    }
                }
                (Below::Nodes(pair), Below::Leaf(_)) => waiting.extend(pair.map(|n| [n, nodes[1]])),
                (Below::Leaf(_), Below::Nodes(pair)) => waiting.extend(pair.map(|n| [nodes[0], n])),
                (Below::Nodes(first), Below::Nodes(second)) => {
                    if a.bound.half.length() >= b.bound.half.length() {
                        waiting.extend(first.map(|n| [n, nodes[1]]));
                    } else {
                        waiting.extend(second.map(|n| [nodes[0], n]));
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// Whether a body has faces: points and segments have none.
pub(super) fn has_faces(body: &Prepared) -> bool {
    body.tree().leaves().iter().any(|piece| piece.dimension == 2)
}

/// Whether a body has an inside: surfaces have none, nor have points and segments.
pub(crate) fn has_inside(body: &Prepared) -> bool {
    body.tree().leaves().iter().any(|piece| is_wall(body, piece))
}

/// Whether a piece is part of a face of something closed.
pub(super) fn is_wall(body: &Prepared, piece: &Piece) -> bool {
    piece.dimension == 2 && is_whole(body, piece)
}

/// Whether a piece belongs to something that is no surface alone; a union has parts of both kinds.
pub(crate) fn is_whole(body: &Prepared, piece: &Piece) -> bool {
    match body.body() {
        Body::Union(parts) => !parts.leaves()[piece.leaf as usize].is_surface_only(),
        other => !other.is_surface_only(),
    }
}

/// The pieces of every edge of a body.
fn edge_pieces(body: &Prepared) -> BTreeMap<(u32, EdgeId), Vec<u32>> {
    let mut found: BTreeMap<(u32, EdgeId), Vec<u32>> = BTreeMap::new();
    for (at, piece) in body.tree().leaves().iter().enumerate() {
        if let Feature::Edge(edge) = piece.feature {
            found.entry((piece.leaf, edge)).or_default().push(at as u32);
        }
    }
    found
}

/// Whether two boxes are farther apart than `reach` along the line of their middles or an axis of one of them.
fn boxes_apart(a: &Obb, b: &Obb, pose: &Pose, reach: f64) -> bool {
    let center = pose.apply(b.center);
    let between = center - a.center;
    let turned = [b.axes.x_axis, b.axes.y_axis, b.axes.z_axis].map(|axis| pose.rotate(axis));
    let own = [a.axes.x_axis, a.axes.y_axis, a.axes.z_axis];
    let extent = |axes: &[DVec3; 3], half: DVec3, along: DVec3| {
        (0..3).map(|i| half[i] * axes[i].dot(along).abs()).sum::<f64>()
    };
    let size = a.center.abs().max_element() + center.abs().max_element() + a.half.length() + b.half.length();
    let lost = 4.0 * HEIGHT_ERROR_REL * size;
    let apart = |along: DVec3| {
        let room = between.dot(along).abs() - extent(&own, a.half, along) - extent(&turned, b.half, along);
        room > reach + lost
    };
    own.iter().chain(&turned).any(|&axis| apart(axis)) || apart(between.normalize_or_zero())
}
