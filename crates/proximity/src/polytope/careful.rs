//! The nearest point of A − B in doubled precision, for pairs whose plain answer fails its own check.
//!
//! Source: GJK as in `gjk`; Johnson's sub-algorithm by trying every subset, as its backup procedure does.
//! Differs: everything but the indices is kept in doubled precision, so that slivers of aspect 1e6, size ratios
//! of 1e9 and gaps of a few roundings keep their direction.
//! Ends because: as `gjk`; rounds are counted.
//! Cost: some tens of microseconds.
//! Not promised: a depth; overlap is only recognised, with a common point.

use super::simplex::{Corner, Simplex};
use crate::Work;
use crate::double::{Double, Double3};
use clearance_geometry::{DVec3, Polytope, Pose, Tolerance, VertexId};

/// The nearest points of two bodies, to the last digit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) simplex: Simplex,
    /// Unit, from A to B.
    pub(crate) normal: DVec3,
    pub(crate) distance: f64,
    /// Witnesses, anchored frame of A.
    pub(crate) points: [DVec3; 2],
    /// Upper minus lower bound; a length.
    pub(crate) gap: f64,
    /// Whether the bodies are no more than the touching distance apart; then the normal says nothing.
    pub(crate) meets: bool,
}

impl Nearest {
    /// Whether the bodies are apart for sure: a gap wider than the distance leaves that open.
    pub(crate) fn is_apart(&self) -> bool {
        !self.meets && self.gap < self.distance
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Point {
    w: Double3,
    a: u32,
    b: u32,
    weight: Double,
}

/// Up to four points, in place.
#[derive(Clone, Copy, Debug, Default)]
struct Points {
    list: [Point; 4],
    len: usize,
}

impl Points {
    fn push(&mut self, point: Point) {
        self.list[self.len] = point;
        self.len += 1;
    }

    fn as_slice(&self) -> &[Point] {
        &self.list[..self.len]
    }
}

/// Rounds after which the search gives up.
const MAX_ROUNDS: u32 = 256;

/// The nearest points; `None` if the rounds do not suffice.
pub(crate) fn nearest(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    start: &Simplex,
    tol: &Tolerance,
    work: &mut Work,
) -> Option<Nearest> {
    let corner = start.corners.first().filter(|_| start.len > 0).copied().unwrap_or_default();
    let mut points = Points::default();
    points.push(point(a, b, pose, corner));
    let mut last = Double::from(f64::INFINITY);
    for _ in 0..MAX_ROUNDS {
        let nearest = reduce(&mut points)?;
        let length = nearest.length();
        if points.len == 4 || !(length.high > tol.length()) {
            return Some(answer(a, b, pose, points.as_slice(), nearest, 0.0, true));
        }
        work.iterations += 1;
        work.supports += 1;
        let far = support(a, b, pose, nearest, points.list[points.len - 1]);
        let gap = (length - nearest.dot(far.w) / length).high;
        let known = points.as_slice().iter().any(|p| p.a == far.a && p.b == far.b);
        // A stop without progress leaves the gap for the caller to judge.
        if gap <= FINE * tol.length() || known || length >= last {
            return Some(answer(a, b, pose, points.as_slice(), nearest, gap, false));
        }
        last = length;
        points.push(far);
    }
    None
}

/// Share of the touching distance at which the doubled search stops; a tuning constant.
const FINE: f64 = 1.0 / 64.0;

fn point(a: &Polytope, b: &Polytope, pose: &Pose, corner: Corner) -> Point {
    let w =
        Double3::from(a.vertex(VertexId(corner.a))) - Double3::from(b.vertex(VertexId(corner.b))).moved(pose);
    Point { w, a: corner.a, b: corner.b, weight: Double::ZERO }
}

/// The corner of A − B least far along `direction`, climbing with doubled products.
fn support(a: &Polytope, b: &Polytope, pose: &Pose, direction: Double3, from: Point) -> Point {
    let vertex_a = climb(a, from.a, -direction);
    let vertex_b = climb(b, from.b, direction.rotated_back(pose));
    point(a, b, pose, Corner { w: DVec3::ZERO, a: vertex_a, b: vertex_b })
}

/// The vertex farthest along a direction, every comparison in doubled precision.
pub(crate) fn climb(body: &Polytope, from: u32, direction: Double3) -> u32 {
    let plain = direction.high();
    // What the doubled products may be off, per unit of a spoke's own plain slack.
    let noise = f64::EPSILON * plain.length();
    let mut at = body.support_near(VertexId(from), plain, plain.length());
    loop {
        let here = Double3::from(body.vertex(at));
        let mut best = (Double::ZERO, at);
        for spoke in body.climb_spokes(at) {
            // From the vertices themselves: the stored spoke is rounded where the two are far apart.
            let gain = (Double3::from(body.vertex(spoke.vertex)) - here).dot(direction);
            if gain > best.0 && gain.high > f64::from(spoke.slack) * noise {
                best = (gain, spoke.vertex);
            }
        }
        if best.1 == at {
            return at.0;
        }
        at = best.1;
    }
}

/// Keeps the points that carry the nearest point of their hull and returns it.
fn reduce(points: &mut Points) -> Option<Double3> {
    let mut best: Option<(Double, Points, Double3)> = None;
    for mask in 1_u32..1 << points.len {
        let mut subset = Points::default();
        for (index, &point) in points.as_slice().iter().enumerate() {
            if mask & (1 << index) != 0 {
                subset.push(point);
            }
        }
        let Some(nearest) = project(&mut subset) else { continue };
        let length_sq = nearest.dot(nearest);
        if best.as_ref().is_none_or(|(least, ..)| length_sq < *least) {
            best = Some((length_sq, subset, nearest));
        }
    }
    let (_, subset, nearest) = best?;
    *points = subset;
    Some(nearest)
}

/// The point of the plane, line or point through the subset nearest to the origin, with its weights, if all of
/// them are positive.
fn project(subset: &mut Points) -> Option<Double3> {
    let base = subset.list[0].w;
    let edge = |i: usize| subset.list[i].w - base;
    let zero = Double::ZERO;
    let rest = match subset.len {
        1 => [zero; 3],
        2 => {
            let e = edge(1);
            [-base.dot(e) / e.dot(e), zero, zero]
        }
        3 => {
            let (e, f) = (edge(1), edge(2));
            let normal = e.cross(f);
            let size = normal.dot(normal);
            [normal.dot(f.cross(base)) / size, normal.dot(base.cross(e)) / size, zero]
        }
        _ => {
            let (e, f, g) = (edge(1), edge(2), edge(3));
            let volume = e.dot(f.cross(g));
            let weight = |u: Double3, v: Double3| -base.dot(u.cross(v)) / volume;
            [weight(f, g), weight(g, e), weight(e, f)]
        }
    };
    let mut first = Double::from(1.0);
    let mut nearest = base;
    for (i, &weight) in rest[..subset.len - 1].iter().enumerate() {
        // Written so that NaN from a degenerate subset drops it.
        if !(weight > Double::ZERO && weight < Double::from(1.0)) {
            return None;
        }
        nearest = nearest + (subset.list[i + 1].w - base).times(weight);
        subset.list[i + 1].weight = weight;
        first = first - weight;
    }
    subset.list[0].weight = first;
    (first > Double::ZERO).then(|| squared(subset, nearest))
}

/// The nearest point made perpendicular to its simplex: summed from far points it may lean by more than a
/// small gap allows, even in doubled precision.
fn squared(subset: &Points, nearest: Double3) -> Double3 {
    let base = subset.list[0].w;
    match subset.len {
        2 => {
            let e = subset.list[1].w - base;
            nearest - e.times(nearest.dot(e) / e.dot(e))
        }
        3 => {
            let normal = (subset.list[1].w - base).cross(subset.list[2].w - base);
            normal.times(normal.dot(base) / normal.dot(normal))
        }
        _ => nearest,
    }
}

fn answer(
    a: &Polytope,
    b: &Polytope,
    pose: &Pose,
    points: &[Point],
    nearest: Double3,
    gap: f64,
    meets: bool,
) -> Nearest {
    let mut simplex = Simplex { len: points.len(), ..Simplex::default() };
    let mut sums = [Double3::default(); 2];
    for (slot, point) in points.iter().enumerate() {
        simplex.corners[slot] = Corner { w: point.w.high(), a: point.a, b: point.b };
        simplex.weights[slot] = point.weight.high;
        sums[0] = sums[0] + Double3::from(a.vertex(VertexId(point.a))).times(point.weight);
        sums[1] = sums[1] + Double3::from(b.vertex(VertexId(point.b))).times(point.weight);
    }
    let length = nearest.length();
    Nearest {
        simplex,
        normal: -nearest.times(Double::from(1.0) / length).high(),
        distance: length.high,
        points: [sums[0].high(), sums[1].moved(pose).high()],
        gap: gap.max(0.0),
        meets,
    }
}
