//! Events of two polytopes: corners near faces, edges that cross.

use super::{Event, EventId, EventKind, Limits, PairEvents, tidy};
use crate::tolerance;
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, Polytope, Pose, VertexId};
use clearance_proximity::ratio::{Growth, RatioError, Tracker};

/// The events of two polytopes, in the world.
///
/// # Errors
/// As [`clearance_proximity::ratio::growth`].
///
/// ```
/// use clearance_dynamics::{Limits, solid_events};
/// use clearance_geometry::{DVec3, Polytope, Pose};
/// use clearance_proximity::ratio::Tracker;
/// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
/// let limits = Limits { margin: 0.1, outside: 1e-3, below: 1e-6 };
/// // Turned by 45° the corners of each cube stick out over the edges of the other: eight crossings.
/// let turned = Pose::from_axis_angle(DVec3::Z, 45_f64.to_radians(), DVec3::new(0.0, 0.0, 2.05))?;
/// let pair = solid_events(&cube, &cube, &Pose::IDENTITY, &turned, &limits, &[], &mut Tracker::new())?;
/// assert_eq!(pair.events.len(), 8);
/// assert!(pair.events.iter().all(|event| (event.gap - 0.05).abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solid_events(
    a: &Polytope,
    b: &Polytope,
    pose_a: &Pose,
    pose_b: &Pose,
    limits: &Limits,
    known: &[EventId],
    tracker: &mut Tracker,
) -> Result<PairEvents, RatioError> {
    // In the axes of A and counted from its anchor, so that numbers stay small far from the origin.
    let pose_ab = Pose::between(pose_a, pose_b);
    let growth = tracker.update(a, b, &pose_ab)?;
    let moved = pose_ab.with_translation(pose_ab.apply(b.anchor()) - a.anchor());
    let [placed_a, placed_b] = [Placed::new(a, Pose::IDENTITY), Placed::new(b, moved)];
    let between = placed_b.pose.apply(b.center()) - a.center();
    let normal = growth.normal.try_normalize().unwrap_or(DVec3::Z);
    let rho = growth.rho.unwrap_or(f64::NEG_INFINITY);
    let gap = match growth.rho {
        Some(rho) => rho * normal.dot(between),
        None => -(a.inradius() + b.inradius()),
    };
    let mut pair = PairEvents { gap, rho, events: Vec::new() };
    if !(gap <= limits.margin * tolerance::EVENT_KEEP) {
        return Ok(pair);
    }
    let mut collect = Collect { limits, known, gap, normal, events: &mut pair.events };
    collect.corners(&placed_a, &placed_b, false);
    collect.corners(&placed_b, &placed_a, true);
    collect.edges(&placed_a, &placed_b);
    // Off contact the grown bodies may touch where no feature stands over another yet: then their contact stands in.
    if limits.misses(&pair.events, gap) {
        pair.events.push(of_growth(&growth, a, normal, gap));
    }
    tidy(&mut pair.events, a.radius().min(b.radius()));
    for event in &mut pair.events {
        event.point = pose_a.apply(event.point + a.anchor());
        event.normal = pose_a.rotate(event.normal);
    }
    Ok(pair)
}

/// The contact of the grown bodies as an event: where a corner meets a corner, or edges that are parallel.
fn of_growth(growth: &Growth, a: &Polytope, normal: DVec3, gap: f64) -> Event {
    let corner = Feature::Vertex(VertexId(0));
    let id = EventId::new(EventKind::Growth, growth.features.unwrap_or([corner, corner]));
    Event { id, point: growth.point - a.anchor(), normal, gap }
}

/// A polytope in the frame of A.
struct Placed<'a> {
    polytope: &'a Polytope,
    pose: Pose,
    vertices: Vec<DVec3>,
}

impl<'a> Placed<'a> {
    fn new(polytope: &'a Polytope, pose: Pose) -> Self {
        let vertices = polytope.vertices().iter().map(|&vertex| pose.apply(vertex)).collect();
        Self { polytope, pose, vertices }
    }

    /// How far a point lies outside the outline of a face, seen along the face's normal.
    fn beyond(&self, face: FaceId, point: DVec3) -> f64 {
        let local = self.pose.apply_inverse(point);
        let sides = self.polytope.sides(face);
        sides.iter().map(|side| side.offset - side.inward.dot(local)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// An edge that leans towards the contact.
struct Lean {
    id: EdgeId,
    start: DVec3,
    vector: DVec3,
    inward: [DVec3; 2],
    /// The better aligned normal of its faces, towards the other body.
    face: DVec3,
}

struct Collect<'a> {
    limits: &'a Limits,
    known: &'a [EventId],
    gap: f64,
    /// From A to B.
    normal: DVec3,
    events: &'a mut Vec<Event>,
}

impl Collect<'_> {
    /// Corners of `on` over the faces of `under` that lean towards the contact.
    fn corners(&mut self, under: &Placed<'_>, on: &Placed<'_>, swapped: bool) {
        let normal = if swapped { -self.normal } else { self.normal };
        let least = tolerance::EVENT_LEAN_RAD.cos();
        for (face, plane) in under.polytope.planes().iter().enumerate() {
            let face = FaceId(face as u32);
            let outward = under.pose.rotate(plane.normal);
            if !(outward.dot(normal) >= least) {
                continue;
            }
            let offset = plane.offset + outward.dot(under.pose.translation());
            for (at, &corner) in on.vertices.iter().enumerate() {
                let gap = outward.dot(corner) - offset;
                if !self.limits.holds(gap, self.gap, tolerance::EVENT_KEEP) {
                    continue;
                }
                let vertex = Feature::Vertex(VertexId(at as u32));
                let face_feature = Feature::Face(face);
                let features = if swapped { [vertex, face_feature] } else { [face_feature, vertex] };
                let id = EventId::new(EventKind::CornerFace, features);
                let slack = Limits::slack(self.known, &id);
                if self.limits.holds(gap, self.gap, slack)
                    && under.beyond(face, corner) <= self.limits.outside * slack
                {
                    let sign = if swapped { -1.0 } else { 1.0 };
                    let point = corner - outward * (gap / 2.0);
                    self.events.push(Event { id, point, normal: outward * sign, gap });
                }
            }
        }
    }

    fn edges(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        let [edges_a, edges_b] = [leaning(a, self.normal), leaning(b, -self.normal)];
        for one in &edges_a {
            for two in &edges_b {
                self.crossing(one, two);
            }
        }
    }

    fn crossing(&mut self, one: &Lean, two: &Lean) {
        let cross = one.vector.cross(two.vector);
        let scale = one.vector.length() * two.vector.length();
        let sine = cross.length() / scale;
        if !(sine >= tolerance::EVENT_PARALLEL) {
            return;
        }
        let normal = if sine >= tolerance::EVENT_CROSSING {
            let unit = cross / (sine * scale);
            if unit.dot(self.normal) < 0.0 { -unit } else { unit }
        } else if one.face.dot(self.normal) >= -two.face.dot(self.normal) {
            one.face
        } else {
            -two.face
        };
        // Within reach of the contact's normal, and with both edges highest (but for the lean) along their own.
        let sine_lean = tolerance::EVENT_LEAN_RAD.sin();
        let leans = normal.dot(self.normal) >= tolerance::EVENT_LEAN_RAD.cos()
            && one.inward.iter().all(|inward| inward.dot(normal) <= sine_lean)
            && two.inward.iter().all(|inward| -inward.dot(normal) <= sine_lean);
        if !leans {
            return;
        }
        let Some([s, t]) = crossing_of(one, two, normal) else { return };
        let ends = -tolerance::EVENT_EDGE_REL..=1.0 + tolerance::EVENT_EDGE_REL;
        let [p, q] = [one.start + one.vector * s, two.start + two.vector * t];
        let gap = normal.dot(q - p);
        let id = EventId::new(EventKind::EdgeEdge, [Feature::Edge(one.id), Feature::Edge(two.id)]);
        if ends.contains(&s)
            && ends.contains(&t)
            && self.limits.holds(gap, self.gap, Limits::slack(self.known, &id))
        {
            self.events.push(Event { id, point: (p + q) / 2.0, normal, gap });
        }
    }
}

/// The edges whose faces lie on both sides of `normal`, but for the lean.
fn leaning(placed: &Placed<'_>, normal: DVec3) -> Vec<Lean> {
    let sine = tolerance::EVENT_LEAN_RAD.sin();
    let mut edges = Vec::new();
    for (at, edge) in placed.polytope.edges().iter().enumerate() {
        let vector = placed.pose.rotate(edge.vector);
        let inward = edge.inward.map(|inward| placed.pose.rotate(inward));
        let level = vector.dot(normal).abs() <= sine * vector.length();
        if level && inward.iter().all(|inward| inward.dot(normal) <= 2.0 * sine) {
            let faces = edge.faces.map(|face| placed.pose.rotate(placed.polytope.plane(face).normal));
            let better = usize::from(faces[1].dot(normal) > faces[0].dot(normal));
            let start = placed.vertices[edge.vertices[0].index()];
            edges.push(Lean { id: EdgeId(at as u32), start, vector, inward, face: faces[better] });
        }
    }
    edges
}

/// Where two edges cross, seen along `normal`, as shares of their lengths.
fn crossing_of(one: &Lean, two: &Lean, normal: DVec3) -> Option<[f64; 2]> {
    let between = two.start - one.start;
    let determinant = normal.dot(one.vector.cross(two.vector));
    let s = normal.dot(between.cross(two.vector)) / determinant;
    let t = normal.dot(between.cross(one.vector)) / determinant;
    (s.is_finite() && t.is_finite()).then_some([s, t])
}
