//! All closest points of two convex bodies, where they are not unique.
//!
//! Source: none. Every closest pair is joined by the same vector, so the pairs are where the two
//! supporting flats along the normal overlap when seen along it.
//! Differs: vertices count as supporting within `SUPPORT_TIE_REL` of the body's size, so that faces which
//! are parallel but for rounding still give an area.
//! Ends because: one pass over the vertices, then one clip per side of the smaller flat.
//! Cost: O(vertices), and O(sides of A · sides of B) for two parallel faces.
//! Not promised: more than a polygon of 64 corners for a round flat face; which of several equally short ways out, when overlapping bodies have several; the locus
//! belongs to the answer's normal.

use crate::Proximity;
use crate::convex::solid::Solid;
use crate::tolerance;
use clearance_geometry::{Body, DVec2, DVec3, Polytope, Pose};

/// Points that stand for the rim of a round flat face.
const CIRCLE_SAMPLES: usize = 64;

/// Points that stand for a sphere.
const SPHERE_SAMPLES: usize = 64;

/// The set of closest pairs of an answer, or of the contact pairs at the end of the penetration vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Locus {
    /// Pairs of points on A and B, in the frame of A: one where the closest points are unique, the two
    /// ends of a segment, or the corners of a convex polygon in order.
    pub pairs: Vec<[DVec3; 2]>,
    /// Dimensions of the supporting flats of A and B along the normal: 0 vertex, 1 edge, 2 face.
    pub dimensions: [usize; 2],
    /// Whether the witnesses lie in the relative interior of both flats; if not, a neighbouring flat is as
    /// near and, when the bodies touch, the normal is not unique.
    pub is_interior: bool,
}

impl Locus {
    /// Whether there is one closest pair only.
    pub fn is_unique(&self) -> bool {
        self.pairs.len() == 1
    }
}

/// Finds the closest pairs that go with an answer for B at `pose_ab`.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Polytope, Pose};
/// use clearance_proximity::{distance, locus};
/// let cube = Body::from(Polytope::cuboid(DVec3::ONE)?);
/// let pose_ab = Pose::from_translation(DVec3::new(3.0, 0.5, 0.0))?;
/// let answer = distance(&cube, &cube, &pose_ab)?;
/// assert_eq!(locus(&cube, &cube, &pose_ab, &answer).pairs.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn locus(a: &Body, b: &Body, pose_ab: &Pose, answer: &Proximity) -> Locus {
    let [start_a, start_b] = answer.witnesses.map(|witness| witness.point);
    let (across, up) = answer.normal.any_orthonormal_pair();
    let flat = |point: DVec3| DVec2::new(across.dot(point), up.dot(point));
    let flat_a = supporting(a, &Pose::IDENTITY, answer.normal)
        .map(|(points, slack)| Flat::of(points.into_iter().map(|p| flat(p - start_a)), slack));
    let flat_b = supporting(b, pose_ab, -answer.normal)
        .map(|(points, slack)| Flat::of(points.into_iter().map(|p| flat(p - start_b)), slack));
    let dimensions =
        [&flat_a, &flat_b].map(|flat| flat.as_ref().map_or(2, |flat| flat.corners.len().clamp(1, 3) - 1));
    let is_interior = [&flat_a, &flat_b].iter().all(|flat| flat.as_ref().is_none_or(Flat::surrounds_origin));
    let common = match (flat_a, flat_b) {
        (Some(a), Some(b)) => a.overlap(&b),
        (Some(one), None) | (None, Some(one)) => one.corners,
        (None, None) => Vec::new(),
    };
    let lift = |corner: DVec2| {
        let shift = across * corner.x + up * corner.y;
        [start_a + shift, start_b + shift]
    };
    let mut pairs: Vec<[DVec3; 2]> = common.into_iter().map(lift).collect();
    if pairs.len() < 2 {
        pairs = vec![[start_a, start_b]];
    }
    Locus { pairs, dimensions, is_interior }
}

/// Pairs of points at the ends of equally short ways out of each other, spread over both surfaces: overlapping balls around one
/// point, one of which may be that point, have one in every direction. `None` for all others.
///
/// ```
/// use clearance_geometry::{Body, DVec3, Pose, tiled::TiledBody};
/// use clearance_proximity::{concentric_balls, distance};
/// let (large, small) = (Body::from(TiledBody::sphere(2.0)?), Body::from(TiledBody::sphere(1.0)?));
/// let answer = distance(&large, &small, &Pose::IDENTITY)?;
/// let pairs = concentric_balls(&large, &small, &Pose::IDENTITY, &answer).unwrap_or_default();
/// assert!(pairs.iter().all(|[p, q]| (p.distance(*q) - 3.0).abs() < 1e-12) && pairs.len() == 64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn concentric_balls(a: &Body, b: &Body, pose_ab: &Pose, answer: &Proximity) -> Option<Vec<[DVec3; 2]>> {
    let (ball_a, ball_b) = (Solid::of(a)?, Solid::of(b)?);
    let (at_a, at_b) = (ball_a.anchor(), pose_ab.apply(ball_b.anchor()));
    let size = ball_a.radius() + ball_b.radius();
    let slack = tolerance::SUPPORT_TIE_REL * size + tolerance::TOUCH_REL * at_a.length().max(at_b.length());
    let is_one = ball_a.reach() == 0.0 && ball_b.reach() == 0.0 && at_a.distance(at_b) <= slack;
    if !is_one || !answer.state.overlaps() {
        return None;
    }
    let pair = |n: DVec3| [at_a + n * ball_a.radius(), at_b - n * ball_b.radius()];
    Some((0..SPHERE_SAMPLES).map(|k| pair(on_sphere(k))).collect())
}

/// Points spread over a sphere along a spiral of the golden angle.
fn on_sphere(k: usize) -> DVec3 {
    let z = 1.0 - (2.0 * k as f64 + 1.0) / SPHERE_SAMPLES as f64;
    let (sin, cos) = (std::f64::consts::PI * (3.0 - 5_f64.sqrt()) * k as f64).sin_cos();
    let radius = (1.0 - z * z).sqrt();
    DVec3::new(radius * cos, radius * sin, z)
}

/// The middle of what two sets of supporting points have in common when seen along `normal`; `None` where that is not
/// more than a point.
pub(crate) fn common_middle(a: &[DVec3], b: &[DVec3], normal: DVec3, slack: f64) -> Option<DVec2> {
    let (across, up) = normal.any_orthonormal_pair();
    let flat = |points: &[DVec3]| {
        Flat::of(points.iter().map(|point| DVec2::new(across.dot(*point), up.dot(*point))), slack)
    };
    let common = flat(a).overlap(&flat(b));
    (common.len() > 1).then(|| common.iter().sum::<DVec2>() / common.len() as f64)
}

/// The vertices farthest along `direction`, in the frame of A, and the slack they were chosen with; none
/// for a half-space, whose whole boundary supports.
fn supporting(body: &Body, pose: &Pose, direction: DVec3) -> Option<(Vec<DVec3>, f64)> {
    let local = pose.rotate_inverse(direction);
    let polytope = match body {
        Body::Polytope(polytope) => polytope,
        Body::Tiled(tiled) => {
            let shape = tiled.convex_shape()?;
            let size = 2.0 * (shape.reach() + shape.radius());
            let offset = pose.translation().length() + shape.anchor().length();
            let slack = tolerance::SUPPORT_TIE_REL * size + tolerance::TOUCH_REL * offset;
            let points = shape.flat(local, slack, CIRCLE_SAMPLES);
            return Some((points.into_iter().map(|p| pose.apply(p + shape.anchor())).collect(), slack));
        }
        _ => return None,
    };
    let slack = slack(polytope, pose);
    let heights: Vec<f64> = polytope.vertices().iter().map(|vertex| local.dot(*vertex)).collect();
    let highest = heights.iter().fold(f64::NEG_INFINITY, |most, height| most.max(*height));
    let points = polytope
        .vertices()
        .iter()
        .zip(heights)
        .filter(|(_, height)| *height >= highest - slack)
        .map(|(vertex, _)| pose.apply(*vertex + polytope.anchor()))
        .collect();
    Some((points, slack))
}

fn slack(polytope: &Polytope, pose: &Pose) -> f64 {
    let offset = pose.translation().length() + polytope.anchor().length();
    tolerance::SUPPORT_TIE_REL * 2.0 * polytope.radius() + tolerance::TOUCH_REL * offset
}

/// A convex set of the plane: a point, a segment or a polygon in counter-clockwise order.
struct Flat {
    corners: Vec<DVec2>,
    slack: f64,
}

impl Flat {
    /// The convex hull of points, by Andrew's monotone chains; what is thinner than `slack` loses a dimension.
    fn of(points: impl Iterator<Item = DVec2>, slack: f64) -> Self {
        let mut sorted: Vec<DVec2> = points.collect();
        sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
        let mut corners: Vec<DVec2> = half_hull(sorted.iter().copied());
        corners.pop();
        let mut back = half_hull(sorted.iter().rev().copied());
        back.pop();
        corners.append(&mut back);
        if corners.is_empty() {
            corners = sorted.into_iter().take(1).collect();
        }
        Self { corners, slack }.reduced()
    }

    fn reduced(self) -> Self {
        let Self { corners, slack } = self;
        let Some((first, last, length)) = farthest(&corners) else { return Self { corners, slack } };
        if length <= slack {
            return Self { corners: vec![corners[0]], slack };
        }
        let along = (corners[last] - corners[first]) / length;
        let width = corners
            .iter()
            .fold(0.0_f64, |most, corner| most.max(along.perp_dot(*corner - corners[first]).abs()));
        if width <= slack {
            return Self { corners: vec![corners[first], corners[last]], slack };
        }
        Self { corners, slack }
    }

    /// Whether the origin lies in the relative interior, by more than the slack.
    fn surrounds_origin(&self) -> bool {
        match self.corners.as_slice() {
            [] | [_] => true,
            [tail, head] => {
                let along = (*head - *tail).normalize_or_zero();
                -along.dot(*tail) > self.slack && along.dot(*head) > self.slack
            }
            polygon => (0..polygon.len()).all(|i| {
                let side = polygon[(i + 1) % polygon.len()] - polygon[i];
                -side.normalize_or_zero().perp_dot(polygon[i]) > self.slack
            }),
        }
    }

    /// What both have in common; no corner or one where that is a single point.
    fn overlap(self, other: &Self) -> Vec<DVec2> {
        let slack = self.slack.max(other.slack);
        let (clipped, by) = if self.corners.len() >= other.corners.len() {
            (other.corners.clone(), &self)
        } else {
            (self.corners.clone(), other)
        };
        let corners = match by.corners.as_slice() {
            [] | [_] => Vec::new(),
            [tail, head] => common_segment(&clipped, *tail, *head, slack),
            polygon => clip(clipped, polygon),
        };
        Self { corners, slack }.reduced().corners
    }
}

fn half_hull(points: impl Iterator<Item = DVec2>) -> Vec<DVec2> {
    let mut chain: Vec<DVec2> = Vec::new();
    for point in points {
        while let [.., before, last] = chain.as_slice()
            && (*last - *before).perp_dot(point - *before) <= 0.0
        {
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

/// The two corners farthest apart and their distance.
fn farthest(corners: &[DVec2]) -> Option<(usize, usize, f64)> {
    let mut best = None;
    for (i, p) in corners.iter().enumerate() {
        for (j, q) in corners.iter().enumerate().skip(i) {
            let length = p.distance(*q);
            if best.is_none_or(|(_, _, most)| length > most) {
                best = Some((i, j, length));
            }
        }
    }
    best
}

/// The part of a segment (two corners) on another that runs along it.
fn common_segment(clipped: &[DVec2], tail: DVec2, head: DVec2, slack: f64) -> Vec<DVec2> {
    let [p, q] = clipped else { return Vec::new() };
    let length = tail.distance(head);
    let along = (head - tail) / length;
    if [p, q].iter().any(|end| along.perp_dot(**end - tail).abs() > slack) {
        return Vec::new();
    }
    let mut ends = [along.dot(*p - tail), along.dot(*q - tail)];
    ends.sort_by(f64::total_cmp);
    let (from, to) = (ends[0].max(0.0), ends[1].min(length));
    if from < to { vec![tail + along * from, tail + along * to] } else { Vec::new() }
}

/// Cuts a convex set by every side of a counter-clockwise polygon (Sutherland and Hodgman).
fn clip(mut corners: Vec<DVec2>, polygon: &[DVec2]) -> Vec<DVec2> {
    for (at, tail) in polygon.iter().enumerate() {
        let side = polygon[(at + 1) % polygon.len()] - *tail;
        let inside = |corner: DVec2| side.perp_dot(corner - *tail);
        let mut kept = Vec::with_capacity(corners.len() + 1);
        for (i, corner) in corners.iter().enumerate() {
            let next = corners[(i + 1) % corners.len()];
            let (here, there) = (inside(*corner), inside(next));
            if here >= 0.0 {
                kept.push(*corner);
            }
            if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
                kept.push(*corner + (next - *corner) * (here / (here - there)));
            }
        }
        corners = kept;
    }
    corners
}
