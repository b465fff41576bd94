//! Minima of the distance at a pole, where a line of parameters is one point.
//!
//! Source: none. With x near the pole, a pair of points is a local minimum if the distance from x to the other feature is
//! nowhere less than from the pole.
//! Differs: no parameters of a surface are regular at its pole, so that no second derivatives tell; the distance is sampled
//! on a small circle about the pole instead.
//! Ends because: [`DIRECTIONS`] samples.
//! Cost: as many projections.
//! Not promised: minima that are next to a pole, but not at it; they are said to be missing.

use super::found::NearPair;
use super::side::{Cell, Side};
use crate::tolerance::{POLE_BEND_REL, POLE_LEAN, POLE_PROBE_REL};
use clearance_geometry::curve::Direction;
use clearance_geometry::pieces::Piece;
use clearance_geometry::surface::ParametricSurface;
use clearance_geometry::tiled::{Face, Side as FaceSide};
use clearance_geometry::{DVec2, DVec3, Pose};
use std::f64::consts::TAU;

/// Samples around a pole.
const DIRECTIONS: usize = 16;

/// What is known of a pole and a feature near it.
pub(super) enum AtPole {
    /// A local minimum, the pole's point first.
    Minimum(NearPair),
    /// No minimum.
    Nothing,
    /// There is no pole, or what is there is not isolated, or not at the pole.
    Unknown,
}

/// The pole in a cell, its parameters and its normal; in the frame of A.
struct Place<'a> {
    face: &'a Face,
    pose: Pose,
    direction: Direction,
    at: DVec2,
    local: DVec2,
    point: DVec3,
    normal: DVec3,
}

/// The pole of a cell of one side against a cell of the other; `size` is that of both bodies.
pub(super) fn at_pole(one: &Side, other: &Side, [cell, far]: [&Cell; 2], size: f64) -> AtPole {
    let Some(pole) = pole_in(one, cell) else { return AtPole::Unknown };
    let (point, local) = nearest_on(other, far, pole.point);
    let between = point - pole.point;
    let distance = between.length();
    if pole.normal.cross(between).length() > POLE_LEAN * distance {
        return AtPole::Unknown;
    }
    let mut least = f64::INFINITY;
    let step = POLE_PROBE_REL * size;
    for x in pole.around(step) {
        least = least.min(nearest_on(other, far, x).0.distance(x) - distance);
    }
    let bend = POLE_BEND_REL * step * step / size;
    if least < -bend {
        AtPole::Nothing
    } else if least > bend && least.is_finite() {
        let (points, pieces) = ([pole.point, point], [cell.piece, far.piece]);
        AtPole::Minimum(NearPair { distance, points, pieces, local: [pole.local, local] })
    } else {
        AtPole::Unknown
    }
}

fn pole_in<'a>(side: &Side<'a>, cell: &Cell) -> Option<Place<'a>> {
    let piece = side.piece(cell);
    let (face, pose) = (side.face(piece)?, side.pose_of(piece));
    let mut at = piece.span.parameters(0.5 * (cell.low + cell.high));
    let in_cell = |point: DVec3| pose.apply(point).distance(cell.center) <= cell.radius;
    let pole = face.surface.poles().into_iter().find(|pole| in_cell(pole.point))?;
    at[pole.direction as usize] = pole.at;
    let local = piece.span.local(at).clamp(DVec2::ZERO, DVec2::ONE);
    let (point, normal) = (pose.apply(pole.point), pose.rotate(pole.normal?));
    Some(Place { face, pose, direction: pole.direction, at, local, point, normal })
}

impl Place<'_> {
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
            at[along] += sign * step / speed;
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
    if let Some(face) = side.face(piece) {
        let start = piece.span.parameters(0.5 * (cell.low + cell.high));
        let found = face.surface.locate(own, face.region.bounds(), Some(start));
        return (pose.apply(found.point), local(found.parameters));
    }
    if let Some(edge) = side.edge(piece) {
        let start = piece.span.parameters(0.5 * (cell.low + cell.high)).x;
        let found = edge.curve.locate(own, edge.range, Some(start));
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
