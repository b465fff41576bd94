//! Minima of the distance at a pole, where a line of parameters is one point.
//!
//! Source: none. With x near the pole, a pair of points is a local minimum if the distance from x to the other feature is
//! nowhere less than from the pole.
//! Differs: no parameters of a surface are regular at its pole, so that no second derivatives tell; the distance is sampled
//! on small circles about the pole instead, and what they tell holds for all within the largest.
//! Ends because: [`DIRECTIONS`] samples on [`CIRCLES`] circles for each pole and point near it.
//! Cost: as many projections, once.
//! Not promised: minima that are next to a pole, but not at it: they are looked for in ever smaller cells. Waves of a surface
//! that are smaller than the circles.

use super::found::NearPair;
use super::side::{Cell, Side};
use crate::tolerance::{POLE_BEND_REL, POLE_LEAN, POLE_PROBE_REL};
use clearance_geometry::curve::Direction;
use clearance_geometry::pieces::Piece;
use clearance_geometry::surface::ParametricSurface;
use clearance_geometry::tiled::{Face, Side as FaceSide};
use clearance_geometry::{DVec2, DVec3, Pose};
use std::f64::consts::TAU;

/// The share of the largest circle of samples within which cells are those of a pole.
const BESIDE: f64 = 0.5;

/// Samples on a circle, and how many circles there are, each a quarter of the one before.
const DIRECTIONS: usize = 16;
const CIRCLES: usize = 3;

/// What is known of a pole and a point near it.
#[derive(Clone, Copy, Debug)]
pub(super) enum AtPole {
    /// A local minimum.
    Minimum(NearPair),
    /// No minimum.
    Nothing,
    /// There is no pole, or what is there is not isolated, or not at the pole.
    Unknown,
}

/// The poles of two bodies, and what was found about them.
pub(super) struct Poles<'a> {
    all: [Vec<Pole<'a>>; 2],
    /// By pole, the nearest point of the other body next to it.
    known: Vec<([DVec3; 2], AtPole)>,
    /// How large the largest circle is, and the size of both bodies; lengths.
    step: f64,
    size: f64,
}

/// A pole in a piece, with its parameters and its normal; in the frame of A.
struct Pole<'a> {
    piece: u32,
    face: &'a Face,
    pose: Pose,
    direction: Direction,
    at: DVec2,
    local: DVec2,
    point: DVec3,
    normal: DVec3,
}

impl<'a> Poles<'a> {
    pub(super) fn new(sides: [&Side<'a>; 2], size: f64) -> Self {
        let all = sides.map(|side| {
            let pieces = side.tree.leaves().iter().enumerate();
            pieces.flat_map(|(at, piece)| poles_of(side, at as u32, piece)).collect()
        });
        Self { all, known: Vec::new(), step: POLE_PROBE_REL * size, size }
    }

    /// What is at a pole of one of two cells, if both are next to it.
    pub(super) fn at(&mut self, sides: [&Side; 2], cells: [&Cell; 2]) -> AtPole {
        let near = BESIDE * self.step;
        if cells.iter().any(|cell| cell.radius > near) {
            return AtPole::Unknown;
        }
        let is_beside = |point: DVec3, cell: &Cell| point.distance(cell.center) <= cell.radius + near;
        for i in 0..2 {
            let (own, far) = (cells[i], cells[1 - i]);
            let Some(pole) =
                self.all[i].iter().find(|pole| pole.piece == own.piece && is_beside(pole.point, own))
            else {
                continue;
            };
            let is_known =
                |(points, _): &&([DVec3; 2], AtPole)| points[0] == pole.point && is_beside(points[1], far);
            if let Some((_, known)) = self.known.iter().find(is_known) {
                return *known;
            }
            let (point, local) = nearest_on(sides[1 - i], far, pole.point);
            if !is_beside(point, far) {
                continue;
            }
            let found = pole.judged(sides[1 - i], far, (point, local), i, [self.step, self.size]);
            self.known.push(([pole.point, point], found));
            if !matches!(found, AtPole::Unknown) {
                return found;
            }
        }
        AtPole::Unknown
    }
}

/// The poles of a face that are in one of its pieces; those without a normal are vertices.
fn poles_of<'a>(side: &Side<'a>, at: u32, piece: &Piece) -> Vec<Pole<'a>> {
    let Some(face) = side.face(piece) else { return Vec::new() };
    let pose = side.pose_of(piece);
    let pole = |found: clearance_geometry::surface::Pole| {
        let mut middle = piece.span.parameters(DVec2::splat(0.5));
        middle[found.direction as usize] = found.at;
        let local = piece.span.local(middle);
        let within = local.cmpge(DVec2::splat(-POLE_BEND_REL)).all()
            && local.cmple(DVec2::splat(1.0 + POLE_BEND_REL)).all();
        let (point, normal) = (pose.apply(found.point), pose.rotate(found.normal?));
        let local = local.clamp(DVec2::ZERO, DVec2::ONE);
        within.then_some(Pole {
            piece: at,
            face,
            pose,
            direction: found.direction,
            at: middle,
            local,
            point,
            normal,
        })
    };
    face.surface.poles().into_iter().filter_map(pole).collect()
}

impl Pole<'_> {
    /// Whether the pole, a point of the body `own`, and a point of a cell of the other are a minimum.
    fn judged(
        &self,
        other: &Side,
        far: &Cell,
        (point, local): (DVec3, DVec2),
        own: usize,
        [step, size]: [f64; 2],
    ) -> AtPole {
        let between = point - self.point;
        let distance = between.length();
        if self.normal.cross(between).length() > POLE_LEAN * distance {
            return AtPole::Unknown;
        }
        let mut step = step;
        for _ in 0..CIRCLES {
            let rise = |x: DVec3| nearest_on(other, far, x).0.distance(x) - distance;
            let least = self.around(step).map(rise).fold(f64::INFINITY, f64::min);
            let bend = POLE_BEND_REL * step * step / size;
            if least < -bend {
                return AtPole::Nothing;
            }
            if !(least > bend && least.is_finite()) {
                return AtPole::Unknown;
            }
            step *= 0.25;
        }
        let mut pair = NearPair {
            distance,
            points: [self.point, point],
            pieces: [self.piece, far.piece],
            local: [self.local, local],
        };
        if own == 1 {
            pair.points.reverse();
            pair.pieces.reverse();
            pair.local.reverse();
        }
        AtPole::Minimum(pair)
    }

    /// Points of the face about so far from the pole, all around it.
    fn around(&self, step: f64) -> impl Iterator<Item = DVec3> {
        let (along, across) = match self.direction {
            Direction::U => (0, 1),
            Direction::V => (1, 0),
        };
        let bounds = self.face.region.bounds();
        let range = [bounds.u, bounds.v][along];
        let jet = self.face.surface.jet(self.at.x, self.at.y);
        let speed = [jet.u, jet.v][along].length().max(f64::MIN_POSITIVE);
        // Into the face.
        let sign = if self.at[along] > range.middle() { -1.0 } else { 1.0 };
        let turn = [bounds.u, bounds.v][across];
        (0..DIRECTIONS).filter_map(move |k| {
            let mut at = self.at;
            at[along] += sign * (step / speed).min(0.5 * range.width());
            at[across] = turn.low + TAU.min(turn.width()) * k as f64 / DIRECTIONS as f64;
            let inside = self.face.side(at) != FaceSide::Outside;
            inside.then(|| self.pose.apply(self.face.point(at)))
        })
    }
}

/// The point of a cell's feature nearest to a point, and its parameters on the cell's piece.
fn nearest_on(side: &Side, cell: &Cell, point: DVec3) -> (DVec3, DVec2) {
    let piece: &Piece = side.piece(cell);
    let pose = side.pose_of(piece);
    let own = pose.apply_inverse(point);
    let local = |at: DVec2| piece.span.local(at).clamp(DVec2::ZERO, DVec2::ONE);
    let start = piece.span.parameters(0.5 * (cell.low + cell.high));
    if let Some(face) = side.face(piece) {
        // Next to its own pole a start may lead astray, and far from it a grid.
        let bounds = face.region.bounds();
        let [one, other] = [Some(start), None].map(|start| face.surface.locate(own, bounds, start));
        let found = if one.distance <= other.distance { one } else { other };
        return (pose.apply(found.point), local(found.parameters));
    }
    if let Some(edge) = side.edge(piece) {
        let found = edge.curve.locate(own, edge.range, Some(start.x));
        return (pose.apply(found.point), local(DVec2::new(found.parameters, 0.0)));
    }
    flat(side, cell, point)
}

/// On a flat piece, or a point.
fn flat(side: &Side, cell: &Cell, point: DVec3) -> (DVec3, DVec2) {
    let root = side.cell(side.root_of(cell));
    let corners = side.points(root);
    let from = corners[0];
    let off = point - from;
    let [p, q] = root.degrees;
    let along = |to: usize| corners[to] - from;
    let (u, v) = (along(p * (q + 1)), along(q));
    let share = |x: DVec3| (off.dot(x) / x.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    match root.dimension {
        0 => (from, DVec2::ZERO),
        1 => (from + u * share(u), DVec2::new(share(u), 0.0)),
        _ => {
            // Patches of flat faces are bilinear; their plane is what matters next to an inner point.
            let normal = u.cross(v).normalize_or_zero();
            (point - normal * normal.dot(off), DVec2::new(share(u), share(v)))
        }
    }
}
