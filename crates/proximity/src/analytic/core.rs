//! Balls, capsules and rings against bodies of any kind, by the search for their cores.
//!
//! Source: such a body is every point within a radius of its core (a point, a segment, a circle); from a point farther off
//! than that, the way to the nearest point of the core passes the boundary, so that distances differ by the radius alone.
//! Differs: the search sees a curve or a point in place of a surface: one or no parameter in place of two.
//! Ends because: searches have a budget.
//! Cost: a ball's is that of a point whose cells are kept; a curve's is a search of curve against surface.
//! Not promised: an answer where the cores are nearer than the radii, or where the search did not end; then there is none.

use super::ball;
use super::ring::Ring;
use crate::Witness;
use crate::convex::solid::Solid;
use crate::curved::{Findings, Precision};
use crate::global::{Demand, NearPair, PointField, Prepared, SearchMemory, search, witness};
use crate::tolerance::{BLEND_ERROR_REL, SUPPORT_ROUNDING_REL};
use clearance_geometry::bound::Obb;
use clearance_geometry::pieces::{Piece, PieceTree, Span};
use clearance_geometry::surface::Surface;
use clearance_geometry::tiled::Face;
use clearance_geometry::{Body, DMat3, DVec2, DVec3, DVec4, EdgeId, Feature, Pose, VertexId};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

/// Pairs that a search for cores may look at.
const MOST_PAIRS: u64 = 100_000;

/// The share of the coordinates that bodies are clearly apart by: others are left to searches that tell contact.
const CLEAR: f64 = 1.0 / (1_u64 << 20) as f64;

/// The core of a body.
#[derive(Clone, Debug)]
pub(super) struct Core {
    radius: f64,
    /// Its pieces, in the name of the body.
    ready: Prepared,
    /// The core itself where it is a point.
    center: Option<DVec3>,
}

impl Core {
    /// `None` for other bodies.
    pub(super) fn of(body: &Body) -> Option<Self> {
        if let Some(ring) = Ring::of(body) {
            let circle = ring.circle();
            let arc = |quarter: u32| {
                let at = |turn: f64| DVec2::from_angle(FRAC_PI_2 * (f64::from(quarter) + turn));
                let (start, end) = (at(0.0), at(1.0));
                // The corner of the tangents at both ends.
                let corner = circle.point(start + end);
                let ends = [circle.point(start), circle.point(end)].map(|p| p.extend(1.0));
                let net = vec![ends[0], (corner * FRAC_1_SQRT_2).extend(FRAC_1_SQRT_2), ends[1]];
                piece(Feature::Edge(EdgeId(0)), net)
            };
            return Self::new(body, ring.radius(), (0..4).map(arc).collect(), None);
        }
        let Body::Tiled(tiled) = body.whole() else { return None };
        // A ball has one face, a capsule three; whether other bodies are convex need not be decided here.
        let is_round = |face: &Face| matches!(face.surface, Surface::Sphere(_) | Surface::Cylinder(_));
        if !(matches!(tiled.face_count(), 1 | 3) && tiled.faces().iter().all(is_round)) {
            return None;
        }
        let shape = tiled.convex_shape().filter(|shape| !shape.is_own_core())?;
        let vertex = |at: u32| {
            let vertex = Feature::Vertex(VertexId(at));
            (vertex, shape.jet(vertex, DVec3::ZERO).point + shape.anchor())
        };
        let single = |at: u32| piece(vertex(at).0, vec![vertex(at).1.extend(1.0)]);
        match shape.counts() {
            [1, ..] => Self::new(body, shape.radius(), vec![single(0)], Some(vertex(0).1)),
            [2, ..] => {
                let ends = [0, 1].map(|at| vertex(at).1.extend(1.0));
                let edge = piece(Feature::Edge(EdgeId(0)), ends.to_vec());
                Self::new(body, shape.radius(), vec![edge, single(0), single(1)], None)
            }
            _ => None,
        }
    }

    fn new(body: &Body, radius: f64, pieces: Vec<Piece>, center: Option<DVec3>) -> Option<Self> {
        let with_bound = |piece: Piece| {
            let points: Vec<DVec3> = piece.hull().collect();
            let bound = Obb::around(&points, DMat3::IDENTITY, 2.0 * piece.slack);
            (piece, bound)
        };
        let tree = PieceTree::new(pieces.into_iter().map(with_bound).collect())?;
        Some(Self { radius, ready: Prepared::of_core(body, tree), center })
    }

    /// Middle and half the diagonal of a box around the body.
    fn extent(&self) -> (DVec3, f64) {
        let bound = &self.ready.tree().root().bound;
        (bound.center, (bound.half + self.radius).length())
    }
}

/// A point, a segment or an arc of a circle, by its control points.
fn piece(feature: Feature, net: Vec<DVec4>) -> Piece {
    let reach = net.iter().fold(0.0_f64, |most, p| most.max((p.truncate() / p.w).abs().max_element()));
    Piece {
        feature,
        leaf: 0,
        dimension: net.len().min(2) - 1,
        degrees: [net.len() - 1, 0],
        net: net.into(),
        slack: 2.0 * BLEND_ERROR_REL * reach,
        gap: 0.0,
        span: Span::POINT,
        is_flat: false,
        trimmed: false,
    }
}

/// Middle and radius of a body that is a ball.
pub(crate) fn ball_of(body: &Body) -> Option<(DVec3, f64)> {
    let core = Core::of(body)?;
    core.center.map(|center| (center, core.radius))
}

/// The point of a ball that looks along a unit direction, in the frame of another body; the ball stands there at `pose`.
pub(crate) fn witness_on_ball(
    ball: &Body,
    (center, radius): (DVec3, f64),
    outward: DVec3,
    pose: &Pose,
) -> Witness {
    let point = pose.apply(center) + outward * radius;
    round_witness(ball, Feature::Vertex(VertexId(0)), center, point, pose.rotate_inverse(outward))
}

/// What is kept between queries.
#[derive(Clone, Debug, Default)]
pub(super) struct CoreMemory {
    cores: [Option<(Body, Option<Core>)>; 2],
    /// Whether nearly all features of these bodies have formulas, once it was asked.
    formulas: [Option<bool>; 2],
    search: SearchMemory,
    /// Cells of the other body, for balls.
    field: Option<(Prepared, PointField)>,
}

impl CoreMemory {
    /// Finds the cores of both bodies; whether one has any that is of use.
    pub(super) fn meet(&mut self, bodies: [&Body; 2]) -> bool {
        for ((known, formulas), body) in self.cores.iter_mut().zip(&mut self.formulas).zip(bodies) {
            if !known.as_ref().is_some_and(|(known, _)| known.is_same(body)) {
                *known = Some((body.clone(), Core::of(body)));
                *formulas = None;
            }
        }
        // Convex bodies and rings among themselves have better ways.
        let is_simple = |body: &Body| Ring::of(body).is_some() || Solid::of(body).is_some();
        let any = self.cores.iter().flatten().any(|(_, core)| core.is_some());
        any && !bodies.into_iter().all(is_simple)
    }

    /// The core of one of the bodies that were met last, as what stands for it in a search.
    pub(super) fn stand_in(&self, side: usize) -> Option<&Prepared> {
        self.cores[side].as_ref()?.1.as_ref().map(|core| &core.ready)
    }

    /// The side of the body beside a ball, of two that were met last, where it has no core itself.
    pub(super) fn beside_ball(&self) -> Option<usize> {
        let core = |side: usize| self.cores[side].as_ref().and_then(|(_, core)| core.as_ref());
        match [core(0), core(1)] {
            [Some(ball), None] if ball.center.is_some() => Some(1),
            [None, Some(ball)] if ball.center.is_some() => Some(0),
            _ => None,
        }
    }

    /// Whether nearly all features of a body that was met last have formulas.
    pub(super) fn has_formulas(&mut self, side: usize) -> bool {
        let body = self.cores[side].as_ref().map(|(body, _)| body);
        *self.formulas[side].get_or_insert_with(|| body.is_some_and(ball::has_formulas))
    }

    /// The nearest points of a ball and another body, of two that were met last, by the feet of its middle on the features of
    /// the other. `None` for other bodies, where they are not clearly apart, and where that takes a longer search.
    pub(super) fn by_feet(&self, pose_ab: &Pose, precision: &Precision) -> Option<Findings> {
        let side = self.beside_ball()?;
        let (body, _) = self.cores[side].as_ref()?;
        let core = self.cores[1 - side].as_ref()?.1.as_ref()?;
        let center = core.center?;
        let local = if side == 0 { pose_ab.apply(center) } else { pose_ab.apply_inverse(center) };
        // No search asks for less than what the ball alone would ask for.
        let usual = Demand::usual([(local, core.radius), (local, core.radius)]);
        let demand = Demand { max_pairs: MOST_PAIRS, ..precision.refined(usual) };
        let foot = ball::nearest(body, local, &demand)?;
        let (on_body, middle) =
            if side == 0 { (foot.witness.point, local) } else { (pose_ab.apply(foot.witness.point), center) };
        let distance = foot.distance - core.radius;
        let size = on_body.abs().max(middle.abs()).max_element() + core.radius;
        let lower = (foot.lower - core.radius - SUPPORT_ROUNDING_REL * size).max(0.0);
        let is_proven = precision.max_error.is_none_or(|error| distance - lower <= error);
        if !(distance > CLEAR * size && is_proven) {
            return None;
        }
        let points = if side == 0 { [on_body, middle] } else { [middle, on_body] };
        let normal = (points[1] - points[0]) / foot.distance;
        let pair = NearPair { distance: foot.distance, points, pieces: [0; 2], local: [DVec2::ZERO; 2] };
        let of_ball = own_witness(&core.ready, Some(core), &pair, 1 - side, normal, pose_ab);
        let of_body = Witness { point: on_body, ..foot.witness };
        let witnesses = if side == 0 { [of_body, of_ball] } else { [of_ball, of_body] };
        super::findings([super::answer(witnesses, normal, distance, lower, 1)].into_iter(), lower)
    }

    /// The nearest points of two bodies, one of which has a core that was met: that of each made ready, or the body where it
    /// has none. `None` where the cores are too near, and where the search did not end.
    pub(super) fn nearest(
        &mut self,
        ready: [&Prepared; 2],
        pose_ab: &Pose,
        precision: &Precision,
    ) -> Option<Findings> {
        let Self { cores, search: memory, field, .. } = self;
        let cores = cores.each_ref().map(|known| known.as_ref().and_then(|(_, core)| core.as_ref()));
        let extent = |i: usize| cores[i].map_or_else(|| ready[i].extent(), Core::extent);
        let (center, radius) = extent(1);
        let asked = precision.refined(Demand::usual([extent(0), (pose_ab.apply(center), radius)]));
        // What takes longer is left to the search over whole bodies.
        let demand = &Demand { max_pairs: asked.max_pairs.min(MOST_PAIRS), ..asked };
        let centers = cores.map(|core| core.and_then(|core| core.center));
        let found = match (centers, cores) {
            ([Some(center), _], [_, None]) => {
                let local = pose_ab.apply_inverse(center);
                let mut found = field_of(field, ready[1]).nearest(ready[1], local, demand)?;
                let near = found.nearest.as_mut()?;
                (near.points, near.pieces, near.local) = (
                    [center, pose_ab.apply(near.points[0])],
                    [0, near.pieces[0]],
                    [DVec2::ZERO, near.local[0]],
                );
                found.ties = vec![*near];
                found
            }
            ([_, Some(center)], [None, _]) => {
                let local = pose_ab.apply(center);
                let mut found = field_of(field, ready[0]).nearest(ready[0], local, demand)?;
                found.ties.extend(found.nearest);
                found
            }
            _ => {
                let trees = ready.map(Prepared::tree);
                search(ready.map(Prepared::body), trees, pose_ab, *demand, memory)
            }
        };
        let radii = cores.map(|core| core.map_or(0.0, |core| core.radius));
        let near = found.nearest?;
        let size = near.points[0].abs().max(near.points[1].abs()).max_element() + radii[0] + radii[1];
        let lower = (found.lower - radii[0] - radii[1] - SUPPORT_ROUNDING_REL * size).max(0.0);
        let distance = near.distance - radii[0] - radii[1];
        if !(found.proven && distance > demand.contact) {
            return None;
        }
        let rounds = u32::try_from(found.work.pairs).unwrap_or(u32::MAX);
        let answer = |pair: &NearPair| {
            let normal = (pair.points[1] - pair.points[0]) / pair.distance;
            let witness = |i: usize| own_witness(ready[i], cores[i], pair, i, normal, pose_ab);
            let distance = pair.distance - radii[0] - radii[1];
            super::answer([witness(0), witness(1)], normal, distance, lower, rounds)
        };
        super::findings(found.ties.iter().map(answer), lower)
    }
}

/// The cells of a body for points, from the last query if it was about the same body.
fn field_of<'a>(known: &'a mut Option<(Prepared, PointField)>, ready: &Prepared) -> &'a mut PointField {
    // The pieces decide: a body may have been cut in part.
    let is_same = |known: &Prepared| std::ptr::eq(known.tree().leaves(), ready.tree().leaves());
    if !known.as_ref().is_some_and(|(known, _)| is_same(known)) {
        *known = None;
    }
    &mut known.get_or_insert_with(|| (ready.clone(), PointField::default())).1
}

/// The witness of one body: on its boundary where a core was searched.
fn own_witness(
    ready: &Prepared,
    core: Option<&Core>,
    pair: &NearPair,
    side: usize,
    normal: DVec3,
    pose_ab: &Pose,
) -> Witness {
    let Some(core) = core else {
        let piece = &ready.tree().leaves()[pair.pieces[side] as usize];
        return witness(piece, pair.local[side], pair.points[side]);
    };
    let (outward, pose) = if side == 0 { (normal, Pose::IDENTITY) } else { (-normal, *pose_ab) };
    let point = pair.points[side] + outward * core.radius;
    if let Some(ring) = Ring::of(ready.body()) {
        return ring.witness(point, &pose);
    }
    let piece = &core.ready.tree().leaves()[pair.pieces[side] as usize];
    // A segment's search may end at its end: all beyond is the ball's around that vertex, not the side's.
    let feature = match pair.local[side].x {
        _ if piece.dimension == 0 => piece.feature,
        ..=0.0 => Feature::Vertex(VertexId(0)),
        1.0.. => Feature::Vertex(VertexId(1)),
        _ => piece.feature,
    };
    // Only balls and capsules have other cores.
    let on_core = pose.apply_inverse(pair.points[side]);
    round_witness(ready.body(), feature, on_core, point, pose.rotate_inverse(outward))
}

/// The witness of a ball or a capsule over a point of a feature of its core, which looks outward so in the body's frame.
fn round_witness(body: &Body, feature: Feature, on_core: DVec3, point: DVec3, outward: DVec3) -> Witness {
    let Some(solid @ Solid::Round(shape)) = Solid::of(body.whole()) else {
        return Witness::flat(point, feature);
    };
    let at = shape.located(feature, on_core - shape.anchor(), outward);
    let (feature, parameters) = solid.witness(feature, at, outward);
    Witness { point, feature, leaf: 0, parameters }
}
