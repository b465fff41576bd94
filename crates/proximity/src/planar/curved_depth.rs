//! Exact penetration depth of two convex planar bodies of curves.
//!
//! Source: the depth is the least of h(n) = max n·(a − b) over unit vectors n. Support points of A − B make a convex polygon
//! inside it (van den Bergen's expanding polytope, in the plane): its nearest side bounds the depth from below, h along the
//! side's normal from above.
//! Differs: directions are kept with the support points, so that a corner of A − B is closed by its two outermost normals.
//! Ends because: a side is closed or gets a new support point; at most [`ROUNDS`] of them.
//! Cost: one pass over the pieces of both bodies per support point; some tens of them.
//! Not promised: which of several equally short ways out. Support points are found in plain arithmetic.

use super::curved::PlanarPrepared;
use crate::tolerance::{CONTACT_REL, FLAT_PROBE_RAD, SAME_PLACE_REL};
use clearance_geometry::pieces::Piece;
use clearance_geometry::{DVec2, Feature, PlanarPose};

/// Directions at the start.
const DIRECTIONS: usize = 16;

/// Most support points.
const ROUNDS: usize = 1000;

/// Steps to the top of a curve.
const STEPS: usize = 60;

/// The shortest way out of an overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    /// Its length; negative where the direction separates the bodies.
    pub(super) depth: f64,
    /// No way is shorter.
    pub(super) lower: f64,
    /// What counts as no difference between the two; a length.
    pub(super) allowed: f64,
    /// Unit vector along which B moves out, in the frame of A.
    pub(super) normal: DVec2,
    /// The ends of the penetration vector.
    pub(super) points: [DVec2; 2],
    pub(super) features: [Feature; 2],
}

/// A support point of A − B.
#[derive(Clone, Copy, Debug)]
struct Support {
    normal: DVec2,
    point: DVec2,
    height: f64,
}

/// Neighbouring directions, with a lower bound on the height between them.
#[derive(Clone, Copy, Debug)]
struct Arc {
    ends: [Support; 2],
    lower: f64,
    /// The direction that would lower it most; none where the bound is exact.
    between: Option<DVec2>,
}

impl Arc {
    fn new(ends: [Support; 2]) -> Self {
        let [from, to] = ends;
        let closed = Self { ends, lower: from.height.min(to.height), between: None };
        let side = to.point - from.point;
        let across = DVec2::new(side.y, -side.x).normalize_or_zero();
        // Strictly between both directions: else the lowest is at an end.
        if !(from.normal.perp_dot(across) > 0.0 && across.perp_dot(to.normal) > 0.0) {
            return closed;
        }
        let height = across.dot(from.point).min(across.dot(to.point));
        Self { lower: closed.lower.min(height), between: Some(across), ..closed }
    }
}

/// The depth of B at `pose_ab` in A, both convex, within `allowed`.
pub(super) fn depth(a: &PlanarPrepared, b: &PlanarPrepared, pose_ab: &PlanarPose, allowed: f64) -> Depth {
    let support = |normal: DVec2| {
        let top = highest(a, normal).0;
        let bottom = pose_ab.apply(highest(b, -pose_ab.rotate_inverse(normal)).0);
        let point = top - bottom;
        Support { normal, point, height: point.dot(normal) }
    };
    let at = |k: usize| {
        let angle = std::f64::consts::TAU * (k % DIRECTIONS) as f64 / DIRECTIONS as f64;
        support(DVec2::from_angle(angle))
    };
    let mut best = at(0);
    let mut arcs: Vec<Arc> = (0..DIRECTIONS).map(|k| Arc::new([at(k), at(k + 1)])).collect();
    for arc in &arcs {
        if arc.ends[1].height < best.height {
            best = arc.ends[1];
        }
    }
    let least = |arcs: &[Arc]| {
        let lowest = |one: &usize, other: &usize| arcs[*one].lower.total_cmp(&arcs[*other].lower);
        (0..arcs.len()).min_by(lowest).unwrap_or(0)
    };
    for _ in 0..ROUNDS {
        let at = least(&arcs);
        let arc = arcs[at];
        let Some(between) = arc.between.filter(|_| best.height - arc.lower > allowed) else { break };
        let middle = support(between);
        if middle.height < best.height {
            best = middle;
        }
        arcs[at] = Arc::new([arc.ends[0], middle]);
        arcs.push(Arc::new([middle, arc.ends[1]]));
    }
    let lower = arcs[least(&arcs)].lower.min(best.height);
    let (points, features) = ends(a, b, pose_ab, &best);
    Depth { depth: best.height, lower, allowed, normal: best.normal, points, features }
}

/// The ends of the penetration vector along a direction: points of both support sets opposite to each other.
fn ends(
    a: &PlanarPrepared,
    b: &PlanarPrepared,
    pose_ab: &PlanarPose,
    best: &Support,
) -> ([DVec2; 2], [Feature; 2]) {
    let normal = best.normal;
    let across = normal.perp();
    let probe = |sign: f64| DVec2::from_angle(sign * FLAT_PROBE_RAD).rotate(normal);
    let of_a = [-1.0, 1.0].map(|sign| highest(a, probe(sign)));
    let of_b = [-1.0, 1.0].map(|sign| {
        let (point, feature) = highest(b, -pose_ab.rotate_inverse(probe(sign)));
        (pose_ab.apply(point), feature)
    });
    let range = |ends: &[(DVec2, Feature); 2]| {
        let along = ends.map(|(point, _)| point.dot(across));
        [along[0].min(along[1]), along[0].max(along[1])]
    };
    let (one, other) = (range(&of_a), range(&of_b));
    let along = 0.5 * (one[0].max(other[0]) + one[1].min(other[1]));
    let top = of_a[0].0.dot(normal).max(of_a[1].0.dot(normal));
    let size = top.abs() + along.abs();
    let from = normal * top + across * along;
    let feature = |ends: &[(DVec2, Feature); 2], range: [f64; 2]| {
        let near = |k: usize| (ends[k].0.dot(across) - along).abs();
        let one = if near(0) <= near(1) { ends[0].1 } else { ends[1].1 };
        // On a side with a corner at each end, the side; both ends at one corner, the corner.
        let flat = range[1] - range[0] > SAME_PLACE_REL * size;
        let edges = [ends[0].1, ends[1].1].into_iter().find(|f| f.dimension() == 1);
        if flat { edges.unwrap_or(one) } else { one }
    };
    ([from, from - normal * best.height], [feature(&of_a, one), feature(&of_b, other)])
}

/// The point of a convex outline farthest along a direction, and its feature.
fn highest(body: &PlanarPrepared, normal: DVec2) -> (DVec2, Feature) {
    let leaves = body.tree().leaves();
    let mut best = (f64::NEG_INFINITY, DVec2::ZERO, leaves[0].feature);
    // Corners come last and win where an edge ends in one.
    for piece in leaves {
        let hull = piece.hull().fold(f64::NEG_INFINITY, |most, p| most.max(p.truncate().dot(normal)));
        if hull < best.0 {
            continue;
        }
        let point = top(piece, normal);
        let height = point.dot(normal);
        if height > best.0 || (height >= best.0 && piece.dimension == 0) {
            best = (height, point, piece.feature);
        }
    }
    // A point at the end of an edge is a corner.
    if best.2.dimension() == 1 {
        let size = leaves[0].hull().fold(0.0_f64, |most, p| most.max(p.abs().max_element()));
        let corners = leaves.iter().filter(|piece| piece.dimension == 0);
        let near = |piece: &&Piece| {
            piece.point(DVec2::ZERO).truncate().distance(best.1) <= CONTACT_REL * size + piece.gap
        };
        if let Some(corner) = corners.into_iter().find(near) {
            best.2 = corner.feature;
        }
    }
    (best.1, best.2)
}

/// The highest point of a piece that turns by less than half a turn, in one sense: Newton's method on the slope, within a
/// bracket that is halved where a step leaves it.
fn top(piece: &Piece, normal: DVec2) -> DVec2 {
    let jet = |s: f64| {
        let jet = piece.jet(DVec2::new(s, 0.0));
        let along = |v: clearance_geometry::DVec3| v.truncate().dot(normal);
        (jet.point.truncate(), along(jet.u), along(jet.uu))
    };
    let first = jet(0.0);
    if piece.dimension == 0 {
        return first.0;
    }
    let last = jet(1.0);
    let higher = |one: DVec2, other: DVec2| if one.dot(normal) >= other.dot(normal) { one } else { other };
    let mut best = higher(first.0, last.0);
    if !(first.1 > 0.0 && last.1 < 0.0) {
        return best;
    }
    let (mut low, mut high, mut s) = (0.0, 1.0, 0.5);
    for _ in 0..STEPS {
        let (point, slope, bend) = jet(s);
        best = higher(point, best);
        if slope > 0.0 {
            low = s;
        } else {
            high = s;
        }
        let step = s - slope / bend;
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if slope == 0.0 || (next - s).abs() <= f64::EPSILON {
            break;
        }
        s = next;
    }
    best
}
