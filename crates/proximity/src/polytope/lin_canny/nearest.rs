//! Nearest points of two features.
//!
//! Source: 003 appendix A; section 3.4 for the middle of the common range of parallel edges.
//! Differs: the crossing point of two edges is found along one edge and across it, not from the determinant of
//! the squared system (DIFFERS: the determinant loses half the digits of a small angle), and where it lies
//! outside an edge the nearest end is searched for instead of truncating both parameters (DIFFERS: the
//! truncated pair need not be the nearest).
//! Ends because: there is no loop beyond the sides of one face.
//! Cost: constant; for a whole face its number of sides.
//! Not promised: which pair, when several are equally near, except for parallel edges.

use super::pair::Segment;
use crate::tolerance;
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, Polytope};

/// How the nearest points of two segments lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// Inside both segments, which are not parallel.
    Crossing,
    /// In the middle of a range common to both.
    Alongside,
    /// At an end of one of them.
    End,
}

/// Nearest points of two segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentsNear {
    pub(super) points: [DVec3; 2],
    /// Unit vector from the first to the second, perpendicular to the segments where it can be; or zero.
    pub(super) direction: DVec3,
    pub(super) meeting: Meeting,
}

impl SegmentsNear {
    pub(super) fn distance(&self) -> f64 {
        self.points[0].distance(self.points[1])
    }
}

/// Parameter of the point of a segment nearest to `point`.
pub(super) fn parameter(segment: Segment, point: DVec3) -> f64 {
    let t = (point - segment.tail).dot(segment.vector) / segment.vector.length_squared();
    t.clamp(0.0, 1.0)
}

/// Nearest points of two segments of one frame.
pub(super) fn segments(a: Segment, b: Segment) -> SegmentsNear {
    let lengths = [a.vector.length(), b.vector.length()];
    let (along_a, along_b) = (a.vector / lengths[0], b.vector / lengths[1]);
    let offset = b.tail - a.tail;
    // The part of b's direction across a: its length is the sine, free of cancellation.
    let across = along_b - along_a * along_b.dot(along_a);
    let sine = across.length();
    if sine > tolerance::PARALLEL_REL {
        let across = across / sine;
        let on_b = -offset.dot(across) / sine;
        let on_a = (offset + along_b * on_b).dot(along_a);
        if (0.0..=lengths[0]).contains(&on_a) && (0.0..=lengths[1]).contains(&on_b) {
            let points = [a.tail + along_a * on_a, b.tail + along_b * on_b];
            let normal = along_a.cross(across).normalize_or_zero();
            let direction = if normal.dot(points[1] - points[0]) < 0.0 { -normal } else { normal };
            return SegmentsNear { points, direction, meeting: Meeting::Crossing };
        }
        return ends(a, b);
    }
    let start = offset.dot(along_a);
    let end = start + lengths[1] * along_b.dot(along_a);
    let (low, high) = (start.min(end).max(0.0), start.max(end).min(lengths[0]));
    if low < high {
        let on_a = a.tail + along_a * (0.5 * (low + high));
        let on_b = b.at(parameter(b, on_a));
        let direction = perpendicular(on_b - on_a, along_a);
        return SegmentsNear { points: [on_a, on_b], direction, meeting: Meeting::Alongside };
    }
    ends(a, b)
}

/// The nearest of the four pairs of an end and a segment.
fn ends(a: Segment, b: Segment) -> SegmentsNear {
    let mut best = [a.tail, b.at(parameter(b, a.tail))];
    let a_end = a.at(1.0);
    for points in [
        [a_end, b.at(parameter(b, a_end))],
        [a.at(parameter(a, b.tail)), b.tail],
        [a.at(parameter(a, b.at(1.0))), b.at(1.0)],
    ] {
        if points[0].distance_squared(points[1]) < best[0].distance_squared(best[1]) {
            best = points;
        }
    }
    SegmentsNear { points: best, direction: (best[1] - best[0]).normalize_or_zero(), meeting: Meeting::End }
}

/// The direction of `vector` without its part along the unit vector `axis`.
pub(super) fn perpendicular(vector: DVec3, axis: DVec3) -> DVec3 {
    let once = (vector - axis * vector.dot(axis)).normalize_or_zero();
    // Twice, for the first time leaves rounding of the size of `vector`.
    (once - axis * once.dot(axis)).normalize_or_zero()
}

/// The point of a closed face nearest to `point`, and the feature it lies on.
pub(super) fn on_face(body: &Polytope, face: FaceId, point: DVec3) -> (DVec3, Feature) {
    let plane = body.plane(face);
    let mut best = (point - plane.normal * plane.distance(point), Feature::Face(face));
    let mut least = f64::INFINITY;
    for side in body.sides(face) {
        if side.inward.dot(point) < side.offset {
            let (nearest, feature) = on_edge(body, side.edge, point);
            let distance = nearest.distance_squared(point);
            if distance < least {
                least = distance;
                best = (nearest, feature);
            }
        }
    }
    best
}

/// The point of a closed edge nearest to `point`, and the feature it lies on.
pub(super) fn on_edge(body: &Polytope, edge: EdgeId, point: DVec3) -> (DVec3, Feature) {
    let [tail, head] = body.edge(edge).vertices;
    let segment = Segment { tail: body.vertex(tail), vector: body.edge(edge).vector };
    let t = parameter(segment, point);
    if t <= 0.0 {
        (body.vertex(tail), Feature::Vertex(tail))
    } else if t >= 1.0 {
        (body.vertex(head), Feature::Vertex(head))
    } else {
        (segment.at(t), Feature::Edge(edge))
    }
}
