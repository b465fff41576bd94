//! The parts of both surfaces inside the other body, and which of them hang together.
//!
//! Source: none. Neighbouring parts inside belong together, and so do parts and the curve that they are next to, and parts
//! that a segment within both bodies connects.
//! Differs: everything is done in the frames of the bodies themselves, so that the same parts are made whichever body is A and
//! wherever both stand.
//! Ends because: pieces are halved down to a spacing, with a limit on their number.
//! Cost: O(n²) for n parts, and two distances of a point from the other body for each.
//! Not promised: the connection through strips narrower than the spacing, where no curve shows it.

use super::cell::{Cell, Surveyor};
use super::intersection::Intersection;
use super::net::gap;
use super::scene::{Scene, has_faces, is_whole};
use super::waiting::Waiting;
use clearance_geometry::DVec3;
use std::collections::BinaryHeap;

/// A connected part of the boundary of an overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) cells: Vec<Cell>,
    /// Curves that bound it.
    pub(super) curves: Vec<usize>,
}

/// Questions about points that the parts of one surface may take.
const MOST_QUESTIONS: usize = 2_400;

/// Parts after which a surface that lies wholly on the other is taken to go on so.
const FLUSH_CELLS: usize = 256;

/// The spacing, as a share of the size of both bodies; that of parts of edges where there are no faces.
const SPACING_REL: f64 = 1.0 / 192.0;
const FINE_SPACING_REL: f64 = 1.0 / 8_192.0;

/// The size from which on parts wholly inside are halved all the same, as a share of the size of both bodies.
const COARSE_REL: f64 = 1.0 / 12.0;

/// Points of a curve that are connected to parts.
const CURVE_POINTS: usize = 64;

/// The share of a segment from a curve to a part that is next to the curve.
const NEXT_TO_CURVE: f64 = 0.1;

/// Groups that are compared with each other, and the parts of each that segments are drawn between.
const MOST_GROUPS: usize = 12;
const MOST_ENDS: usize = 4;

/// The share of such a segment that is left out at each end, where it leaves the surface.
const SKIN: f64 = 0.02;

/// The steps in which segments are looked at, as shares of their length: between neighbours, and across an overlap.
const NEAR_STEP: f64 = 1.0 / 12.0;
const FAR_STEP: f64 = 1.0 / 96.0;

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

/// What the surfaces have inside each other.
pub(super) struct Survey {
    pub(super) parts: Vec<Part>,
    /// Whether something was found on the other surface that is not inside.
    pub(super) flush: bool,
}

/// The connected parts of the boundary of the overlap.
pub(super) fn group(surveyor: &mut Surveyor, found: &Intersection) -> Survey {
    let count = found.curves.len();
    let all = [0, 1].map(|side| cells(surveyor, side));
    let flush = all.iter().flatten().any(|cell| cell.is_real && cell.depth == 0.0);
    let (samples, rest): (Vec<Cell>, Vec<Cell>) = all.into_iter().flatten().partition(Cell::is_sample);
    let mut sets = Sets((0..count + samples.len()).collect());
    for (i, one) in samples.iter().enumerate() {
        for (j, other) in samples[..i].iter().enumerate() {
            if sets.root(count + i) != sets.root(count + j) && are_neighbours(surveyor, one, other) {
                sets.join(count + i, count + j);
            }
        }
    }
    for curve in 0..count {
        join_curve(surveyor, found, curve, &samples, &mut sets);
    }
    join_across(surveyor, &samples, count, &mut sets);
    Survey { parts: gather(surveyor, found, samples, rest, &mut sets), flush }
}

/// Puts together what was joined. A part whose middle is not inside goes with the nearest one that is.
fn gather(
    surveyor: &Surveyor,
    found: &Intersection,
    samples: Vec<Cell>,
    rest: Vec<Cell>,
    sets: &mut Sets,
) -> Vec<Part> {
    let count = found.curves.len();
    let mut parts: Vec<(usize, Part)> = Vec::new();
    let place = |root: usize, parts: &mut Vec<(usize, Part)>| {
        parts.iter().position(|(known, _)| *known == root).unwrap_or_else(|| {
            parts.push((root, Part::default()));
            parts.len() - 1
        })
    };
    let owners: Vec<Option<usize>> = rest.iter().map(|cell| owner(surveyor, found, &samples, cell)).collect();
    for curve in 0..count {
        let at = place(sets.root(curve), &mut parts);
        parts[at].1.curves.push(curve);
    }
    for (i, cell) in samples.into_iter().enumerate() {
        let at = place(sets.root(count + i), &mut parts);
        parts[at].1.cells.push(cell);
    }
    for (cell, owner) in rest.into_iter().zip(owners) {
        if let Some(owner) = owner {
            let at = place(sets.root(owner), &mut parts);
            parts[at].1.cells.push(cell);
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// The nearest sample next to a part, or a curve that passes it.
fn owner(surveyor: &Surveyor, found: &Intersection, samples: &[Cell], cell: &Cell) -> Option<usize> {
    let count = found.curves.len();
    let near = samples.iter().enumerate().filter(|(_, sample)| sample.side == cell.side);
    let near = near.map(|(at, sample)| (sample.middle.distance(cell.middle) - sample.radius, at));
    let nearest = near.min_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((distance, at)) = nearest
        && distance <= cell.radius
    {
        return Some(count + at);
    }
    let middle = surveyor.field.in_a(cell.side, cell.middle);
    (0..count).find(|&at| found.curves[at].points().any(|p| p.point.distance(middle) <= 1.5 * cell.radius))
}

/// Whether two samples are next to each other on one surface, and the way between them is inside.
fn are_neighbours(surveyor: &mut Surveyor, one: &Cell, other: &Cell) -> bool {
    let (side, apart) = (one.side, one.middle.distance(other.middle));
    if side != other.side || apart > one.radius + other.radius {
        return false;
    }
    let touch = if one.piece == other.piece {
        (0..one.net.dimension).all(|axis| {
            one.net.low[axis] <= other.net.high[axis] && other.net.low[axis] <= one.net.high[axis]
        })
    } else {
        let near = surveyor.scene.join_distance();
        gap(&one.net, &other.net, near) <= near
    };
    // Balls inside the other body that meet hold the way.
    touch
        && (apart <= one.depth + other.depth || {
            let ends = [one.middle, other.middle].map(|point| surveyor.field.across(side, point));
            surveyor.field.holds_segment(1 - side, ends, [0.0; 2], NEAR_STEP)
        })
}

/// Joins a curve with the samples next to it on both surfaces.
fn join_curve(
    surveyor: &mut Surveyor,
    found: &Intersection,
    curve: usize,
    samples: &[Cell],
    sets: &mut Sets,
) {
    let count = found.curves.len();
    let total = found.curves[curve].points().count();
    let stride = total.div_ceil(CURVE_POINTS).max(1);
    let stretches = &found.curves[curve].stretches;
    let points = stretches.iter().flat_map(|stretch| stretch.points.iter().map(move |p| (stretch, p)));
    for (stretch, point) in points.step_by(stride) {
        let Some(normals) = normals(surveyor.scene, stretch.pieces, point) else { continue };
        for side in 0..2 {
            let (own, other) = (normals[side], normals[1 - side]);
            // On this surface, the inside of the other body is against its normal.
            let inward = -(other - own * other.dot(own));
            let near = samples.iter().enumerate().filter_map(|(at, cell)| {
                let to = surveyor.field.in_a(cell.side, cell.middle) - point.point;
                let next = cell.side == side && to.length() <= 1.5 * cell.radius && to.dot(inward) >= 0.0;
                next.then_some((to.length(), at))
            });
            let Some((_, at)) = near.min_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
            if sets.root(curve) == sets.root(count + at) {
                continue;
            }
            let end = if side == 0 { surveyor.field.across(0, point.point) } else { point.point };
            let ends = [surveyor.field.across(side, samples[at].middle), end];
            if surveyor.field.holds_segment(1 - side, ends, [0.0, NEXT_TO_CURVE], NEAR_STEP) {
                sets.join(curve, count + at);
            }
        }
    }
}

/// The outward normals of both faces at a point of a curve.
fn normals(scene: &Scene, pieces: [u32; 2], point: &super::CurvePoint) -> Option<[DVec3; 2]> {
    let normal = |i: usize| {
        let piece = scene.piece(i, pieces[i]);
        let at = point.parameters[i];
        let local = if piece.is_flat { at } else { piece.span.local(at) };
        scene.normal(i, pieces[i], local)
    };
    Some([normal(0)?, normal(1)?])
}

/// Joins groups between whose deepest samples a segment is within both bodies.
fn join_across(surveyor: &mut Surveyor, samples: &[Cell], count: usize, sets: &mut Sets) {
    let mut groups: Vec<(usize, Vec<&Cell>)> = Vec::new();
    for (at, cell) in samples.iter().enumerate() {
        let root = sets.root(count + at);
        match groups.iter_mut().find(|(known, _)| *known == root) {
            Some((_, cells)) => cells.push(cell),
            None => groups.push((root, vec![cell])),
        }
    }
    if groups.len() > MOST_GROUPS {
        return;
    }
    for (_, cells) in &mut groups {
        cells.sort_by(|one, other| other.depth.total_cmp(&one.depth));
        // Spread over all of them: the deepest and those between.
        let stride = cells.len().div_ceil(MOST_ENDS).max(1);
        *cells = cells.iter().copied().step_by(stride).collect();
    }
    for (i, (root, ends)) in groups.iter().enumerate() {
        for (other_root, others) in &groups[..i] {
            let mut pairs = ends.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
            if sets.root(*root) != sets.root(*other_root)
                && pairs.any(|(one, other)| are_connected(surveyor, one, other))
            {
                sets.join(*root, *other_root);
            }
        }
    }
}

/// Whether the segment between two samples is within both bodies.
fn are_connected(surveyor: &mut Surveyor, one: &Cell, other: &Cell) -> bool {
    let ends = [one, other].map(|cell| surveyor.field.in_a(cell.side, cell.middle));
    (0..2).all(|side| {
        // A body without an inside is connected by its own points alone.
        let ends = if side == 0 { ends } else { ends.map(|end| surveyor.field.across(0, end)) };
        surveyor.field.is_solid(side) && surveyor.field.holds_segment(side, ends, [SKIN; 2], FAR_STEP)
    })
}

/// The parts of one surface that may be inside the other body: faces, and the edges and vertices on them.
fn cells(surveyor: &mut Surveyor, side: usize) -> Vec<Cell> {
    if !surveyor.field.is_solid(1 - side) {
        return Vec::new();
    }
    let (scene, size) = (surveyor.scene, surveyor.scene.size);
    let body = scene.bodies[side];
    let spacing = |cell: &Cell| {
        let fine = cell.net.dimension == 1 && !has_faces(body);
        if fine { FINE_SPACING_REL * size } else { SPACING_REL * size }
    };
    let leaves = body.tree().leaves();
    let of_solids = (0..leaves.len()).filter(|&at| is_whole(body, &leaves[at]));
    let mut order = 0;
    let mut waiting: BinaryHeap<Waiting> = BinaryHeap::new();
    // Whether all that was seen lies on the other surface.
    let mut is_flush = true;
    for at in of_solids {
        let whole = surveyor.whole(side, at as u32);
        is_flush &= whole.as_ref().is_some_and(Cell::may_be_flush);
        if let Some(cell) = whole {
            order += 1;
            waiting.push(Waiting { key: cell.radius, order, cell });
        }
    }
    let last = surveyor.field.asked + MOST_QUESTIONS;
    let mut found = Vec::new();
    while let Some(Waiting { cell, .. }) = waiting.pop() {
        let is_inside = cell.is_whole && cell.depth >= cell.radius && cell.radius <= COARSE_REL * size;
        if cell.net.dimension == 0
            || is_inside
            || cell.radius <= spacing(&cell)
            || surveyor.field.is_over(last)
            || (is_flush && order >= FLUSH_CELLS)
        {
            found.push(cell);
            continue;
        }
        for half in surveyor.halves(&cell) {
            is_flush &= half.as_ref().is_some_and(Cell::may_be_flush);
            if let Some(cell) = half {
                order += 1;
                waiting.push(Waiting { key: cell.radius, order, cell });
            }
        }
    }
    found
}
