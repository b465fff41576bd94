//! Events of two polytopes: corners near faces, edges that cross.
//!
//! Features are gone through with some room around the thresholds; while the bodies have moved less than the room since, only
//! those found then are looked at again. Of bodies that use up the room in one step nothing is remembered, and what is gone
//! through is at once asked for its event.

use super::{Event, EventId, EventKind, Limits, PairEvents, tidy};
use crate::tolerance;
use clearance_geometry::{DVec3, EdgeId, FaceId, Feature, Polytope, Pose, Side, VertexId};
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
    let mut memory = SolidMemory { tracker: std::mem::take(tracker), ..SolidMemory::default() };
    let found = followed_events([a, b], [pose_a, pose_b], limits, known, &mut memory);
    *tracker = memory.tracker;
    found
}

/// What is kept of a pair of polytopes from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct SolidMemory {
    tracker: Tracker,
    seen: Option<Seen>,
    /// Where B stood at the last look, in the frame of A.
    pose: Option<Pose>,
}

/// What was near when all features were last gone through.
#[derive(Clone, Debug)]
struct Seen {
    near: Vec<Near>,
    /// The normal then, in the frame of A.
    normal: DVec3,
    /// The largest margin that it is good for.
    margin: f64,
    /// Where B stood then, in the frame of A.
    pose: Pose,
}

/// Features that may carry an event.
#[derive(Clone, Copy, Debug)]
enum Near {
    /// A face of one body and a corner of the other; `swapped` where the face is B's.
    Corner { face: FaceId, vertex: VertexId, swapped: bool },
    /// An edge of A and one of B.
    Edges(EdgeId, EdgeId),
}

/// As [`solid_events`], with what was near in an earlier step.
pub(crate) fn followed_events(
    [a, b]: [&Polytope; 2],
    [pose_a, pose_b]: [&Pose; 2],
    limits: &Limits,
    known: &[EventId],
    memory: &mut SolidMemory,
) -> Result<PairEvents, RatioError> {
    // In the axes of A and counted from its anchor, so that numbers stay small far from the origin.
    let pose_ab = Pose::between(pose_a, pose_b);
    let growth = memory.tracker.update(a, b, &pose_ab)?;
    let moved = pose_ab.with_translation(pose_ab.apply(b.anchor()) - a.anchor());
    let [placed_a, placed_b] =
        [Placed { polytope: a, pose: Pose::IDENTITY }, Placed { polytope: b, pose: moved }];
    let between = placed_b.pose.apply(b.center()) - a.center();
    let normal = growth.normal.try_normalize().unwrap_or(DVec3::Z);
    let rho = growth.rho.unwrap_or(f64::NEG_INFINITY);
    let last = memory.pose.replace(placed_b.pose);
    let gap = match growth.rho {
        Some(rho) => rho * normal.dot(between),
        None => -(a.inradius() + b.inradius()),
    };
    let mut pair = PairEvents { gap, rho, events: Vec::new() };
    if !(gap <= limits.margin * tolerance::EVENT_KEEP) {
        memory.seen = None;
        return Ok(pair);
    }
    let size = a.radius().min(b.radius());
    let look = Look { limits, known, gap, normal, a: &placed_a, b: &placed_b };
    let room = tolerance::EVENT_ROOM_REL * size;
    let fresh = memory.seen.take().filter(|seen| {
        farthest(&seen.pose, &placed_b) <= room / 4.0
            && limits.margin <= seen.margin
            && normal.distance(seen.normal) <= tolerance::EVENT_ROOM_RAD / 2.0
    });
    pair.events.reserve(MANY_EVENTS);
    let creeps = || last.is_some_and(|last| farthest(&last, &placed_b) <= room / 4.0);
    if fresh.is_some() || creeps() {
        let seen = fresh.unwrap_or_else(|| Seen {
            near: look.all(room),
            normal,
            margin: limits.margin + room / 4.0,
            pose: placed_b.pose,
        });
        pair.events.extend(seen.near.iter().filter_map(|near| look.event(near)));
        memory.seen = Some(seen);
    } else {
        look.at_once(&mut pair.events);
    }
    look.drop_doubles(&mut pair.events);
    // Off contact the grown bodies may touch where no feature stands over another yet: then their contact stands in.
    if limits.misses(&pair.events, gap) {
        pair.events.push(of_growth(&growth, a, normal, gap));
    }
    tidy(&mut pair.events, size);
    for event in &mut pair.events {
        event.point = pose_a.apply(event.point + a.anchor());
        event.normal = pose_a.rotate(event.normal);
    }
    Ok(pair)
}

/// Events of a pair that there is room for from the start: most have no more.
const MANY_EVENTS: usize = 12;

/// A bound on how far the points of a polytope are from where they were at another pose.
fn farthest(before: &Pose, now: &Placed<'_>) -> f64 {
    let (one, two) = (before.rotation(), now.pose.rotation());
    let columns = [one.x_axis - two.x_axis, one.y_axis - two.y_axis, one.z_axis - two.z_axis];
    let turned = columns.map(DVec3::length_squared).iter().sum::<f64>().sqrt();
    before.translation().distance(now.pose.translation()) + turned * now.polytope.reach()
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
}

impl Placed<'_> {
    fn vertex(&self, vertex: VertexId) -> DVec3 {
        self.pose.apply(self.polytope.vertices()[vertex.index()])
    }

    /// How far a point lies outside the outline of a face, seen along the face's normal; negative inside.
    fn beyond(&self, face: FaceId, point: DVec3) -> f64 {
        let local = self.pose.apply_inverse(point);
        let sides = self.polytope.sides(face);
        let off = |side: &Side| side.offset - side.inward.dot(local);
        let (mut most, mut outside) = (f64::NEG_INFINITY, 0);
        for off in sides.iter().map(off) {
            most = most.max(off);
            outside += usize::from(off > 0.0);
        }
        if outside < 2 {
            return most;
        }
        // Beyond two sides it may be far from their corner, where that is acute: the distance from the nearest side decides.
        let normal = self.polytope.plane(face).normal;
        let from = |side: &Side| {
            let edge = self.polytope.edge(side.edge);
            let start = local - self.polytope.vertices()[edge.vertices[0].index()];
            let share = (start.dot(edge.vector) / edge.vector.length_squared()).clamp(0.0, 1.0);
            (start - edge.vector * share).reject_from_normalized(normal).length()
        };
        sides.iter().filter(|side| off(side) > 0.0).map(from).fold(f64::INFINITY, f64::min)
    }

    fn edge(&self, id: EdgeId) -> Lean {
        let edge = self.polytope.edge(id);
        Lean {
            id,
            start: self.vertex(edge.vertices[0]),
            vector: self.pose.rotate(edge.vector),
            length: edge.vector.length(),
            inward: edge.inward.map(|inward| self.pose.rotate(inward)),
        }
    }

    /// The normal of that face of an edge which is aligned better.
    fn face(&self, edge: EdgeId, normal: DVec3) -> DVec3 {
        let faces = self.polytope.edge(edge).faces;
        let [one, two] = faces.map(|face| self.pose.rotate(self.polytope.plane(face).normal));
        if two.dot(normal) > one.dot(normal) { two } else { one }
    }
}

/// An edge that leans towards the contact.
struct Lean {
    id: EdgeId,
    start: DVec3,
    vector: DVec3,
    length: f64,
    inward: [DVec3; 2],
}

/// One look at a pair.
struct Look<'a> {
    limits: &'a Limits,
    known: &'a [EventId],
    gap: f64,
    /// From A to B.
    normal: DVec3,
    a: &'a Placed<'a>,
    b: &'a Placed<'a>,
}

/// What of A and of B is near enough to carry an event.
struct Reach {
    corners: [Vec<(VertexId, DVec3)>; 2],
    /// With how far behind the foremost corner they come.
    edges: [Vec<(f64, Lean)>; 2],
    /// How far behind both together may be.
    deepest: f64,
}

impl Look<'_> {
    /// All features that may carry an event while the bodies move by less than a quarter of a length of room.
    fn all(&self, room: f64) -> Vec<Near> {
        let (mut near, keep) = (Vec::new(), tolerance::EVENT_KEEP);
        let Reach { edges, corners, deepest } = self.reach(room, tolerance::EVENT_ROOM_RAD);
        for (swapped, corners) in [(false, &corners[1]), (true, &corners[0])] {
            let under = if swapped { self.b } else { self.a };
            self.corners(room, swapped, corners, |face, vertex, corner| {
                if under.beyond(face, corner) <= self.limits.outside * keep + room {
                    near.push(Near::Corner { face, vertex, swapped });
                }
            });
        }
        for (depth_one, one) in &edges[0] {
            for (depth_two, two) in &edges[1] {
                if depth_one + depth_two <= deepest && self.crossing(one, two, room).is_some() {
                    near.push(Near::Edges(one.id, two.id));
                }
            }
        }
        near
    }

    /// The events of all features.
    fn at_once(&self, events: &mut Vec<Event>) {
        // Room for rounding alone.
        let room = f64::EPSILON.sqrt() * self.size();
        let Reach { mut edges, corners, deepest } = self.reach(room, 0.0);
        for (swapped, corners) in [(false, &corners[1]), (true, &corners[0])] {
            self.corners(room, swapped, corners, |face, vertex, _| {
                events.extend(self.corner(face, vertex, swapped));
            });
        }
        edges[0].retain(|(_, edge)| leans(edge, self.normal, 0.0));
        edges[1].retain(|(_, edge)| leans(edge, -self.normal, 0.0));
        for (depth_one, one) in &edges[0] {
            for (depth_two, two) in &edges[1] {
                if depth_one + depth_two <= deepest {
                    events.extend(self.crossing(one, two, 0.0));
                }
            }
        }
    }

    /// The smaller radius.
    fn size(&self) -> f64 {
        self.a.polytope.radius().min(self.b.polytope.radius())
    }

    /// The corners of A and of B that come near enough to carry an event while the bodies move by less than a quarter of a length of
    /// room and the normal by radians, and their edges that lean towards the contact.
    fn reach(&self, room: f64, turn: f64) -> Reach {
        let [low_a, low_b] = [Heights::of(self.a, self.normal), Heights::of(self.b, -self.normal)];
        // The two points of an event are a gap apart along its normal, and along the contact's the gap of the pair and their
        // depths behind the foremost points.
        let gap = -low_a.most - low_b.most;
        let most = self.limits.margin * tolerance::EVENT_KEEP - gap;
        let deepest = most + self.limits.outside + 2.0 * (room + turn * self.size());
        let [near_a, near_b] = [low_a.near(deepest), low_b.near(deepest)];
        let edges_a = leaning(&low_a, &near_a);
        let edges_b = leaning(&low_b, &near_b);
        Reach { corners: [near_a, near_b], edges: [edges_a, edges_b], deepest }
    }

    /// Those of some corners that are near faces that lean towards the contact: face, corner, and where it stands.
    fn corners(
        &self,
        room: f64,
        swapped: bool,
        corners: &[(VertexId, DVec3)],
        mut found: impl FnMut(FaceId, VertexId, DVec3),
    ) {
        let (under, normal) = if swapped { (self.b, -self.normal) } else { (self.a, self.normal) };
        let local = under.pose.rotate_inverse(normal);
        let least = (tolerance::EVENT_LEAN_RAD + tolerance::EVENT_ROOM_RAD).cos();
        for (at, plane) in under.polytope.planes().iter().enumerate() {
            let face = FaceId(at as u32);
            if !(plane.normal.dot(local) >= least) {
                continue;
            }
            let outward = under.pose.rotate(plane.normal);
            let offset = plane.offset + outward.dot(under.pose.translation());
            for &(vertex, corner) in corners {
                let gap = outward.dot(corner) - offset;
                if self.limits.holds_within(gap, self.gap, tolerance::EVENT_KEEP, room) {
                    found(face, vertex, corner);
                }
            }
        }
    }

    /// The event that features carry, where they do.
    fn event(&self, near: &Near) -> Option<Event> {
        match *near {
            Near::Corner { face, vertex, swapped } => self.corner(face, vertex, swapped),
            Near::Edges(one, two) => {
                let (one, two) = (self.a.edge(one), self.b.edge(two));
                let (leans_one, leans_two) = (leans(&one, self.normal, 0.0), leans(&two, -self.normal, 0.0));
                if leans_one && leans_two { self.crossing(&one, &two, 0.0) } else { None }
            }
        }
    }

    fn corner(&self, face: FaceId, vertex: VertexId, swapped: bool) -> Option<Event> {
        let (under, on, sign) = if swapped { (self.b, self.a, -1.0) } else { (self.a, self.b, 1.0) };
        let plane = under.polytope.plane(face);
        let outward = under.pose.rotate(plane.normal);
        if !(outward.dot(self.normal * sign) >= tolerance::EVENT_LEAN_RAD.cos()) {
            return None;
        }
        let corner = on.vertex(vertex);
        let gap = outward.dot(corner) - plane.offset - outward.dot(under.pose.translation());
        // Before its name is looked for among those known.
        if !self.limits.holds(gap, self.gap, tolerance::EVENT_KEEP) {
            return None;
        }
        let (face_feature, corner_feature) = (Feature::Face(face), Feature::Vertex(vertex));
        let features = if swapped { [corner_feature, face_feature] } else { [face_feature, corner_feature] };
        let id = EventId::new(EventKind::CornerFace, features);
        let beyond = under.beyond(face, corner);
        let holds =
            |slack: f64| self.limits.holds(gap, self.gap, slack) && beyond <= self.limits.outside * slack;
        let holds = holds(1.0) || holds(Limits::slack(self.known, &id));
        holds.then(|| Event { id, point: corner - outward * (gap / 2.0), normal: outward * sign, gap })
    }

    /// Drops crossings beside a corner that stands just outside the outline and is the end of the edge that crosses: they lie between it
    /// and what the edge meets farther on, and hold nothing that these two do not.
    fn drop_doubles(&self, events: &mut Vec<Event>) {
        let outside = |event: &Event| match event.id.features {
            [Feature::Face(face), Feature::Vertex(vertex)] => {
                (self.a.beyond(face, self.b.vertex(vertex)) > 0.0).then_some((1, vertex, *event))
            }
            [Feature::Vertex(vertex), Feature::Face(face)] => {
                (self.b.beyond(face, self.a.vertex(vertex)) > 0.0).then_some((0, vertex, *event))
            }
            _ => None,
        };
        let corners: Vec<(usize, VertexId, Event)> = events.iter().filter_map(outside).collect();
        let near = self.limits.outside * tolerance::EVENT_KEEP;
        events.retain(|event| {
            let [Feature::Edge(one), Feature::Edge(two)] = event.id.features else { return true };
            let edges = [self.a.polytope.edge(one), self.b.polytope.edge(two)];
            let ends_in = |(side, vertex, corner): &(usize, VertexId, Event)| {
                edges[*side].vertices.contains(vertex)
                    && corner.point.distance_squared(event.point) <= near * near
                    && corner.normal.distance_squared(event.normal) <= tolerance::EVENT_FLUSH.powi(2)
            };
            !corners.iter().any(ends_in)
        });
    }

    /// The event of two edges that lean towards the contact; with some room, also where it nearly is one.
    fn crossing(&self, one: &Lean, two: &Lean, room: f64) -> Option<Event> {
        let cross = one.vector.cross(two.vector);
        // Most pairs of edges lean too much, which their product alone tells where they are not nearly parallel.
        let (square, along) = (cross.length_squared(), cross.dot(self.normal));
        let crosses = square >= (tolerance::EVENT_CROSSING * one.length * two.length).powi(2);
        let least = tolerance::EVENT_LEAN_RAD.cos() - tolerance::EVENT_ROOM_RAD / tolerance::EVENT_CROSSING;
        if crosses && along * along < least * least * square {
            return None;
        }
        let scale = one.length * two.length;
        let sine = square.sqrt() / scale;
        if !(sine >= tolerance::EVENT_PARALLEL) {
            return None;
        }
        let normal = if sine >= tolerance::EVENT_CROSSING {
            let unit = cross / (sine * scale);
            if unit.dot(self.normal) < 0.0 { -unit } else { unit }
        } else {
            let (face_one, face_two) = (self.a.face(one.id, self.normal), self.b.face(two.id, -self.normal));
            if face_one.dot(self.normal) >= -face_two.dot(self.normal) { face_one } else { -face_two }
        };
        // Within reach of the contact's normal, and with both edges highest (but for the lean) along their own.
        let turn = if room > 0.0 { tolerance::EVENT_ROOM_RAD / sine } else { 0.0 };
        let sine_lean = tolerance::EVENT_LEAN_RAD.sin() + turn;
        let leans = normal.dot(self.normal) >= tolerance::EVENT_LEAN_RAD.cos() - turn
            && one.inward.iter().all(|inward| inward.dot(normal) <= sine_lean)
            && two.inward.iter().all(|inward| -inward.dot(normal) <= sine_lean);
        if !leans {
            return None;
        }
        let [s, t] = crossing_of(one, two, normal)?;
        let beyond = |length: f64| tolerance::EVENT_EDGE_REL + 2.0 * room / (sine * length);
        let within = |share: f64, length: f64| {
            let beyond = beyond(length);
            share >= -beyond && share <= 1.0 + beyond
        };
        let [p, q] = [one.start + one.vector * s, two.start + two.vector * t];
        let gap = normal.dot(q - p);
        let keep = tolerance::EVENT_KEEP;
        let nearly = within(s, one.length)
            && within(t, two.length)
            && self.limits.holds_within(gap, self.gap, keep, room);
        if !nearly {
            return None;
        }
        let id = EventId::new(EventKind::EdgeEdge, [Feature::Edge(one.id), Feature::Edge(two.id)]);
        let holds = room > 0.0
            || self.limits.holds(gap, self.gap, 1.0)
            || self.limits.holds(gap, self.gap, Limits::slack(self.known, &id));
        holds.then(|| Event { id, point: (p + q) / 2.0, normal, gap })
    }
}

/// Whether the faces of an edge lie on both sides of `normal`, but for the lean and some radians more.
fn leans(edge: &Lean, normal: DVec3, more: f64) -> bool {
    let sine = tolerance::EVENT_LEAN_RAD.sin() + more;
    let level = edge.vector.dot(normal).abs() <= sine * edge.length;
    level && edge.inward.iter().all(|inward| inward.dot(normal) <= 2.0 * sine)
}

/// How far the corners of a body reach along a direction.
struct Heights<'a> {
    placed: &'a Placed<'a>,
    /// The direction in the body's axes, and the height of their origin.
    local: DVec3,
    start: f64,
    most: f64,
}

impl<'a> Heights<'a> {
    fn of(placed: &'a Placed<'a>, direction: DVec3) -> Self {
        let local = placed.pose.rotate_inverse(direction);
        let start = direction.dot(placed.pose.translation());
        let heights = placed.polytope.vertices().iter().map(|v| start + local.dot(*v));
        Self { placed, local, start, most: heights.fold(f64::NEG_INFINITY, f64::max) }
    }

    /// How far a corner is behind the foremost.
    fn depth(&self, vertex: VertexId) -> f64 {
        self.most - (self.start + self.local.dot(self.placed.polytope.vertices()[vertex.index()]))
    }

    /// The corners that are no deeper behind the foremost, and where they stand.
    fn near(&self, deepest: f64) -> Vec<(VertexId, DVec3)> {
        let ids = (0..self.placed.polytope.vertices().len() as u32).map(VertexId);
        ids.filter(|&id| self.depth(id) <= deepest).map(|id| (id, self.placed.vertex(id))).collect()
    }
}

/// The edges of corners that are near which nearly lean towards the contact, and how near they come.
fn leaning(heights: &Heights<'_>, near: &[(VertexId, DVec3)]) -> Vec<(f64, Lean)> {
    let (placed, local) = (heights.placed, heights.local);
    let sine = tolerance::EVENT_LEAN_RAD.sin() + tolerance::EVENT_ROOM_RAD;
    let mut edges = Vec::with_capacity(2 * near.len());
    for &(corner, _) in near {
        let ring = placed.polytope.ring(corner);
        for (&id, spoke) in ring.edges.iter().zip(ring.spokes) {
            let edge = placed.polytope.edge(id);
            // Of two near ends the nearer has it, or the first of both.
            let [depth, other] = [corner, spoke.vertex].map(|end| heights.depth(end));
            let leans = (depth < other || depth == other && corner < spoke.vertex)
                && edge.vector.dot(local).powi(2) <= sine * sine * edge.vector.length_squared()
                && edge.inward.iter().all(|inward| inward.dot(local) <= 2.0 * sine);
            if leans {
                edges.push((depth, placed.edge(id)));
            }
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
