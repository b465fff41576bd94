//! The parts of both surfaces inside the other body, sampled and put together.
//!
//! Source: none. Neighbouring samples inside belong together, and so do samples and the curve that they are next to.
//! Differs: nothing.
//! Ends because: pieces are cut down to a spacing within the zone that both bodies reach, with a limit on their number.
//! Cost: O(n²) for n samples, and a test for the inside for each.
//! Not promised: the connection through parts narrower than the spacing.

use super::inside::is_inside;
use super::intersection::Intersection;
use super::net::Net;
use super::scene::{Scene, has_inside};
use crate::global::descend::Shape;
use clearance_geometry::{DVec2, DVec3};
use std::collections::VecDeque;

/// A point of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Of A (0) or of B (1).
    pub(super) side: usize,
    pub(super) piece: u32,
    pub(super) local: DVec2,
    pub(super) point: DVec3,
    /// The parameters that it stands for.
    pub(super) step: f64,
}

/// A connected part of the boundary of an overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) spots: Vec<Spot>,
    /// Curves that bound it.
    pub(super) curves: Vec<usize>,
}

/// Most samples of one surface.
const MOST_CELLS: usize = 600;

/// Samples along the zone that both bodies reach.
const ALONG: f64 = 10.0;

/// Points of a curve that are connected to samples.
const CURVE_POINTS: usize = 48;

/// The cosine of the angle between the normals of neighbouring samples, at least; less on the two sides of a thin wall.
const LEAST_COSINE: f64 = -0.5;

/// A sample with the ball that it stands for.
struct Cell {
    spot: Spot,
    radius: f64,
    normal: DVec3,
}

/// Sets that are joined.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// The connected parts of the boundary of the overlap.
pub(super) fn group(scene: &Scene, found: &Intersection) -> Vec<Part> {
    let count = found.curves.len();
    let cells: Vec<Cell> = [0, 1].into_iter().flat_map(|side| cells(scene, side)).collect();
    let mut sets = Sets((0..count + cells.len()).collect());
    for (i, one) in cells.iter().enumerate() {
        for (j, other) in cells.iter().enumerate().take(i) {
            let near = one.spot.point.distance(other.spot.point) <= one.radius + other.radius;
            if one.spot.side == other.spot.side && near && one.normal.dot(other.normal) >= LEAST_COSINE {
                sets.join(count + i, count + j);
            }
        }
    }
    for curve in 0..count {
        join_curve(scene, found, curve, &cells, &mut sets);
    }
    let mut parts: Vec<(usize, Part)> = Vec::new();
    for at in 0..count + cells.len() {
        let root = sets.root(at);
        let place = parts.iter().position(|(known, _)| *known == root).unwrap_or_else(|| {
            parts.push((root, Part::default()));
            parts.len() - 1
        });
        let part = &mut parts[place].1;
        if at < count { part.curves.push(at) } else { part.spots.push(cells[at - count].spot) }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Joins a curve with the samples next to it on both surfaces.
fn join_curve(scene: &Scene, found: &Intersection, curve: usize, cells: &[Cell], sets: &mut Sets) {
    let count = found.curves.len();
    let total = found.curves[curve].points().count();
    let stride = total.div_ceil(CURVE_POINTS).max(1);
    let stretches = &found.curves[curve].stretches;
    let points = stretches.iter().flat_map(|stretch| stretch.points.iter().map(move |p| (stretch, p)));
    for (stretch, point) in points.step_by(stride) {
        let locals = [0, 1].map(|i| {
            let piece = scene.piece(i, stretch.pieces[i]);
            if piece.is_flat { point.parameters[i] } else { piece.span.local(point.parameters[i]) }
        });
        let normals = [0, 1].map(|i| scene.normal(i, stretch.pieces[i], locals[i]));
        let [Some(normal_a), Some(normal_b)] = normals else { continue };
        for (side, [own, other]) in [[normal_a, normal_b], [normal_b, normal_a]].into_iter().enumerate() {
            // On this surface, the inside of the other body is against its normal.
            let inward = -(other - own * other.dot(own));
            let next = cells.iter().enumerate().filter(|(_, cell)| {
                let to = cell.spot.point - point.point;
                cell.spot.side == side && to.length() <= 1.5 * cell.radius && to.dot(inward) >= 0.0
            });
            let apart = |cell: &Cell| cell.spot.point.distance(point.point);
            if let Some((at, _)) = next.min_by(|one, other| apart(one.1).total_cmp(&apart(other.1))) {
                sets.join(curve, count + at);
            }
        }
    }
}

/// Samples of one surface inside the other body.
fn cells(scene: &Scene, side: usize) -> Vec<Cell> {
    let (low, high) = zone(scene);
    let spacing = ((high - low).max(DVec3::ZERO).length() / ALONG).max(scene.size / 512.0);
    let reaches = |net: &Net| {
        let nearest = net.center.clamp(low, high);
        nearest.distance(net.center) <= net.radius
    };
    if !low.cmple(high).all() || !has_inside(scene.bodies[1 - side]) {
        return Vec::new();
    }
    let count = scene.bodies[side].tree().leaves().len() as u32;
    let whole = (0..count).filter(|&at| scene.piece(side, at).dimension == 2);
    let mut waiting: VecDeque<(u32, Net)> = whole.map(|at| (at, scene.net(side, at).clone())).collect();
    let mut found = Vec::new();
    // The largest are cut first; when there are too many, the rest stay as they are.
    while let Some((piece, net)) = waiting.pop_front() {
        if !reaches(&net) {
            continue;
        }
        if net.radius > spacing && waiting.len() + found.len() < MOST_CELLS {
            let (axis, _) = net.longest();
            waiting.extend(net.halves(axis).map(|half| (piece, half)));
            continue;
        }
        let local = net.in_piece(DVec2::splat(0.5));
        let point = net.jet(DVec2::splat(0.5)).point;
        if !scene.holds(side, piece, local) || is_inside(scene, 1 - side, point) != Some(true) {
            continue;
        }
        let step = 0.5 * (net.high - net.low).max_element();
        let normal = scene.normal(side, piece, local).unwrap_or(DVec3::ZERO);
        found.push(Cell { spot: Spot { side, piece, local, point, step }, radius: net.radius, normal });
    }
    found
}

/// The box that both bodies reach.
fn zone(scene: &Scene) -> (DVec3, DVec3) {
    let bounds = |side: usize| {
        let count = scene.bodies[side].tree().leaves().len() as u32;
        (0..count).fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), at| {
            let (l, h) = scene.net(side, at).extent();
            (low.min(l), high.max(h))
        })
    };
    let ((low_a, high_a), (low_b, high_b)) = (bounds(0), bounds(1));
    (low_a.max(low_b), high_a.min(high_b))
}
