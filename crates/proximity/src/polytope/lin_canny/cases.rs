//! One step of the walk: the six cases of a pair of features.
//!
//! Source: 003 sections 3.3 and 3.4 and the procedures of its appendix B.
//! Differs: an edge (or face) and the prism of a face are intersected first, and the heights of that part decide
//! (DIFFERS: 003 asks for the nearer end point, and sends an edge that dips under the face beside the
//! prism back to the edge it came from). A part that crosses the plane within the prism is a
//! common point of both bodies (DIFFERS: 003 steps on, and cycles when bodies overlap). A distance within
//! rounding of zero ends the walk at once. 003 compares for equality where this file compares within the flare.
//! Ends because: it is one step.
//! Cost: constant, for cells have at most five sides.
//! Not promised: that the step lowers the distance by more than rounding; the caller watches for cycles.

use super::cells::CellId;
use super::nearest::{self, Meeting};
use super::pair::{Near, Pair, Segment, ordered};
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, VertexId};

/// What a look at a pair of cells says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Each nearest point lies in the other's cell, or the features touch.
    Closest(Near),
    /// A nearer pair.
    Move([CellId; 2]),
    /// `point`, of the other side and in the frame of `under`, lies beneath the face of side `under`.
    Beneath { under: usize, point: DVec3 },
    /// A point of both bodies, in the frame of A.
    Common(DVec3),
}

/// Looks at one pair.
pub(super) fn step(pair: &Pair, at: [CellId; 2]) -> Step {
    use Feature::{Edge, Face, Vertex};
    match pair.features(at) {
        [Vertex(a), Vertex(b)] => vertex_vertex(pair, at, a, b),
        [Vertex(v), Edge(e)] => vertex_edge(pair, 0, at, v, e),
        [Edge(e), Vertex(v)] => vertex_edge(pair, 1, at, v, e),
        [Vertex(v), Face(f)] => vertex_face(pair, 0, at, v, f),
        [Face(f), Vertex(v)] => vertex_face(pair, 1, at, v, f),
        [Edge(a), Edge(b)] => edge_edge(pair, at, a, b),
        [Edge(e), Face(f)] => edge_face(pair, 0, at, e, f),
        [Face(f), Edge(e)] => edge_face(pair, 1, at, e, f),
        [Face(a), Face(b)] => face_face(pair, at, a, b),
    }
}

fn vertex_vertex(pair: &Pair, at: [CellId; 2], a: VertexId, b: VertexId) -> Step {
    let (a, b) = (pair.vertex(0, a), pair.vertex(1, b));
    let b_in_a = pair.across(1, b);
    let near = pair.near(0, 0, [a, b_in_a], (b_in_a - a).normalize_or_zero());
    if near.distance <= pair.touch() {
        return Step::Closest(near);
    }
    if let Some(next) = pair.cells[1].point_leaves(at[1], pair.across(0, a), pair.flare()) {
        return Step::Move([at[0], next]);
    }
    if let Some(next) = pair.cells[0].point_leaves(at[0], b_in_a, pair.flare()) {
        return Step::Move([next, at[1]]);
    }
    Step::Closest(near)
}

/// The vertex is on side `of`.
fn vertex_edge(pair: &Pair, of: usize, at: [CellId; 2], vertex: VertexId, edge: EdgeId) -> Step {
    let other = 1 - of;
    let point = pair.across(of, pair.vertex(of, vertex));
    let segment = pair.segment(other, edge);
    let nearest = segment.at(nearest::parameter(segment, point));
    let direction = nearest::perpendicular(nearest - point, segment.vector.normalize_or_zero());
    let near = pair.near(other, of, [point, nearest], direction);
    if near.distance <= pair.touch() {
        return Step::Closest(near);
    }
    if let Some(next) = pair.cells[other].point_leaves(at[other], point, pair.flare()) {
        return Step::Move(ordered(of, at[of], next));
    }
    if let Some(next) = pair.cells[of].point_leaves(at[of], pair.across(other, nearest), pair.flare()) {
        return Step::Move(ordered(of, next, at[other]));
    }
    Step::Closest(near)
}

/// The vertex is on side `of`.
fn vertex_face(pair: &Pair, of: usize, at: [CellId; 2], vertex: VertexId, face: FaceId) -> Step {
    let other = 1 - of;
    let point = pair.across(of, pair.vertex(of, vertex));
    if let Some(next) = pair.cells[other].point_leaves(at[other], point, pair.flare()) {
        return Step::Move(ordered(of, at[of], next));
    }
    let height = pair.height(other, face, point);
    if height < -pair.touch() {
        return Step::Beneath { under: other, point };
    }
    let normal = pair.bodies[other].plane(face).normal;
    let closest = Step::Closest(pair.near(other, of, [point, point - normal * height], -normal));
    if height <= pair.touch() {
        return closest;
    }
    match pair.cells[of].vertex_ray_leaves(at[of], pair.turned(other, -normal)) {
        Some(next) => Step::Move(ordered(of, next, at[other])),
        None => closest,
    }
}

fn edge_edge(pair: &Pair, at: [CellId; 2], a: EdgeId, b: EdgeId) -> Step {
    let found = nearest::segments(pair.segment(0, a), pair.segment_across(1, pair.segment(1, b)));
    let near = pair.near(0, 0, found.points, found.direction);
    if near.distance <= pair.touch() {
        return Step::Closest(near);
    }
    let [on_a, on_b] = found.points;
    let (leaves_b, leaves_a) = if found.meeting == Meeting::End {
        (
            pair.cells[1].point_leaves(at[1], pair.across(0, on_a), pair.flare()),
            pair.cells[0].point_leaves(at[0], on_b, pair.flare()),
        )
    } else {
        (
            pair.cells[1].edge_ray_leaves(at[1], pair.turned(0, -found.direction)),
            pair.cells[0].edge_ray_leaves(at[0], found.direction),
        )
    };
    match (leaves_b, leaves_a) {
        (Some(next), _) => Step::Move([at[0], next]),
        (None, Some(next)) => Step::Move([next, at[1]]),
        (None, None) => Step::Closest(near),
    }
}

/// The edge is on side `of`.
fn edge_face(pair: &Pair, of: usize, at: [CellId; 2], edge: EdgeId, face: FaceId) -> Step {
    let other = 1 - of;
    let segment = pair.segment_across(of, pair.segment(of, edge));
    let Some([first, last]) = pair.cells[other].clip_to_prism(at[other], segment, pair.flare()) else {
        return to_nearest_rim(pair, of, at, segment);
    };
    let normal = pair.bodies[other].plane(face).normal;
    let slope = normal.dot(segment.vector);
    let height = |t: f64| pair.height(other, face, segment.at(t));
    let closest = |t: f64| {
        let point = segment.at(t);
        Step::Closest(pair.near(other, of, [point, point - normal * height(t)], -normal))
    };
    let (low, high) = if slope < 0.0 { (last, first) } else { (first, last) };
    if height(high) < -pair.touch() {
        return Step::Beneath { under: other, point: segment.at(high) };
    }
    if height(low) < -pair.touch() {
        let crossing = low + (high - low) * height(low) / (height(low) - height(high));
        return Step::Common(pair.in_a(other, segment.at(crossing)));
    }
    if height(low) <= pair.touch() {
        return closest(low);
    }
    if slope.abs() <= pair.flare() {
        return match pair.cells[of].edge_ray_leaves(at[of], pair.turned(other, -normal)) {
            Some(next) => Step::Move(ordered(of, next, at[other])),
            None => closest(0.5 * (first + last)),
        };
    }
    // The lowest point is an end of the edge, or lies over the boundary of the face.
    let ends = pair.bodies[of].edge(edge).vertices;
    if low <= 0.0 {
        Step::Move(ordered(of, pair.cells[of].vertex(ends[0]), at[other]))
    } else if low >= 1.0 {
        Step::Move(ordered(of, pair.cells[of].vertex(ends[1]), at[other]))
    } else {
        to_nearest_rim(pair, of, at, segment)
    }
}

/// From an edge of side `of` and a face of the other side to the side of that face nearest to the edge.
fn to_nearest_rim(pair: &Pair, of: usize, at: [CellId; 2], segment: Segment) -> Step {
    let other = 1 - of;
    let cells = pair.cells[other];
    let mut best = Nearest::none(at[other]);
    for (rim, constraint) in cells.rims(at[other]).iter().zip(cells.constraints(at[other])) {
        let found = nearest::segments(segment, pair.between(other, rim.ends));
        let side = constraint.normal.dot(found.points[0]) - constraint.offset;
        best.offer(found.distance(), side, constraint.next, pair.flare());
    }
    Step::Move(ordered(of, at[of], best.next))
}

/// The nearest of several neighbours. Sides that meet in the nearest corner are equally near: then the one
/// behind which the other feature lies is taken, else a cut and the edge beside it are walked in a circle.
struct Nearest<T> {
    distance: f64,
    side: f64,
    next: T,
}

impl<T> Nearest<T> {
    fn none(stay: T) -> Self {
        Self { distance: f64::INFINITY, side: f64::INFINITY, next: stay }
    }

    fn offer(&mut self, distance: f64, side: f64, next: T, equal: f64) {
        let nearer = distance < self.distance - equal;
        if nearer || (distance <= self.distance + equal && side < self.side) {
            *self = Self { distance: distance.min(self.distance), side, next };
        }
    }
}

/// Room for a cell of five corners cut by five planes.
const CLIPPED: usize = 16;

fn face_face(pair: &Pair, at: [CellId; 2], a: FaceId, b: FaceId) -> Step {
    let Some(part) = clip_face(pair, at) else {
        return to_nearest_rims(pair, at);
    };
    let (low, high) = (part.low, part.high);
    if high.0 < -pair.touch() {
        return Step::Beneath { under: 1, point: high.1 };
    }
    if low.0 < -pair.touch() {
        let crossing = low.1 + (high.1 - low.1) * (low.0 / (low.0 - high.0));
        return Step::Common(pair.in_a(1, crossing));
    }
    let [normal_a, normal_b] = [pair.bodies[0].plane(a).normal, pair.bodies[1].plane(b).normal];
    let foot = |point: DVec3| point - normal_b * pair.height(1, b, point);
    if low.0 <= pair.touch() {
        return Step::Closest(pair.near(1, 0, [low.1, foot(low.1)], -normal_b));
    }
    if part.spread <= pair.flare() {
        let under_a = pair.across(1, foot(part.middle));
        if pair.turned(0, normal_a).dot(normal_b) > 0.0 {
            return Step::Beneath { under: 0, point: under_a };
        }
        return Step::Closest(pair.near(1, 0, [part.middle, foot(part.middle)], -normal_b));
    }
    for (of, over) in [(0, b), (1, a)] {
        if let Some(step) = lowest_corner(pair, of, at, over) {
            return step;
        }
    }
    to_nearest_rims(pair, at)
}

/// The part of A's cell over B's cell, in the frame of B.
struct Part {
    /// Heights over B's face and the points that have them.
    low: (f64, DVec3),
    high: (f64, DVec3),
    /// Difference of heights over the whole cell of A.
    spread: f64,
    middle: DVec3,
}

fn clip_face(pair: &Pair, at: [CellId; 2]) -> Option<Part> {
    let Feature::Face(face) = pair.cells[1].feature(at[1]) else { return None };
    let mut points = [DVec3::ZERO; CLIPPED];
    let mut count = 0;
    for rim in pair.cells[0].rims(at[0]) {
        points[count] = pair.across(0, pair.vertex(0, rim.ends[0]));
        count += 1;
    }
    let heights = |points: &[DVec3]| {
        points.iter().fold(
            ((f64::INFINITY, DVec3::ZERO), (f64::NEG_INFINITY, DVec3::ZERO)),
            |(low, high), &p| {
                let h = pair.height(1, face, p);
                (if h < low.0 { (h, p) } else { low }, if h > high.0 { (h, p) } else { high })
            },
        )
    };
    let whole = heights(&points[..count]);
    for constraint in pair.cells[1].constraints(at[1]) {
        let depth = |p: DVec3| constraint.normal.dot(p) - constraint.offset + pair.flare();
        let mut kept = [DVec3::ZERO; CLIPPED];
        let mut number = 0;
        for i in 0..count {
            let (from, to) = (points[i], points[(i + 1) % count]);
            let (inside, next) = (depth(from), depth(to));
            if inside >= 0.0 && number < CLIPPED {
                kept[number] = from;
                number += 1;
            }
            if (inside < 0.0) != (next < 0.0) && number < CLIPPED {
                kept[number] = from + (to - from) * (inside / (inside - next));
                number += 1;
            }
        }
        (points, count) = (kept, number);
    }
    if count == 0 {
        return None;
    }
    let (low, high) = heights(&points[..count]);
    let middle = points[..count].iter().sum::<DVec3>() / count as f64;
    Some(Part { low, high, spread: whole.1.0 - whole.0.0, middle })
}

/// The corner or side of side `of`'s cell lowest over the face `over` of the other side, if it lies in the
/// prism of that face: the next pair.
fn lowest_corner(pair: &Pair, of: usize, at: [CellId; 2], over: FaceId) -> Option<Step> {
    let other = 1 - of;
    let rims = pair.cells[of].rims(at[of]);
    let place = |v: VertexId| pair.across(of, pair.vertex(of, v));
    let height = |v: VertexId| pair.height(other, over, place(v));
    let lowest = rims.iter().map(|rim| rim.ends[0]).min_by(|&a, &b| height(a).total_cmp(&height(b)))?;
    let least = height(lowest);
    for (rim, constraint) in rims.iter().zip(pair.cells[of].constraints(at[of])) {
        if rim.ends.contains(&lowest) && rim.ends.iter().all(|&v| height(v) <= least + pair.flare()) {
            let side = pair.segment_across(of, pair.between(of, rim.ends));
            pair.cells[other].clip_to_prism(at[other], side, pair.flare())?;
            return Some(Step::Move(ordered(of, constraint.next, at[other])));
        }
    }
    if pair.cells[other].point_leaves(at[other], place(lowest), pair.flare()).is_some() {
        return None;
    }
    if least < -pair.touch() {
        return Some(Step::Beneath { under: other, point: place(lowest) });
    }
    Some(Step::Move(ordered(of, pair.cells[of].vertex(lowest), at[other])))
}

/// From two faces to the nearest pair of their sides.
fn to_nearest_rims(pair: &Pair, at: [CellId; 2]) -> Step {
    let mut best = Nearest::none(at);
    for (a, beyond_a) in pair.cells[0].rims(at[0]).iter().zip(pair.cells[0].constraints(at[0])) {
        let side_a = pair.between(0, a.ends);
        for (b, beyond_b) in pair.cells[1].rims(at[1]).iter().zip(pair.cells[1].constraints(at[1])) {
            let side_b = pair.segment_across(1, pair.between(1, b.ends));
            let found = nearest::segments(side_a, side_b);
            let over_a = beyond_a.normal.dot(found.points[1]) - beyond_a.offset;
            let over_b = beyond_b.normal.dot(pair.across(0, found.points[0])) - beyond_b.offset;
            best.offer(found.distance(), over_a + over_b, [beyond_a.next, beyond_b.next], pair.flare());
        }
    }
    Step::Move(best.next)
}
