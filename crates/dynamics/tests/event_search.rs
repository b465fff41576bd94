//! Events of bodies aimed at trouble against a plain enumeration of all corners and faces, and of all pairs of edges: none is
//! missing, none is a ghost; and motions that all events allow hardly ever lead into overlap by more than second order.
//!
//! The enumeration is that of 002's algorithm 3.15 with the conditions of 3.14, asked of the bodies as they are, seen along the
//! event's normal; two more conditions are ours and documented: the normal leans from the pair's by less than 0.3 rad, and edges
//! that hardly cross are left to corners and faces.
#![allow(clippy::unwrap_used)]

use clearance_dynamics::{
    Event, EventId, EventKind, Limits, PairEvents, planar_events, solid_events, tolerance,
};
use clearance_geometry::{
    DMat3, DQuat, DVec2, DVec3, EdgeId, FaceId, Feature, PlanarPose, Polygon, Polytope, Pose, VertexId,
};
use clearance_proximity::Scratch;
use clearance_proximity::ratio::{PlanarTracker, Tracker, growth, planar_growth};
use clearance_testkit::Random;

/// Flat, long, sharp, boxy, prismatic and random bodies of a size of about 1.
fn any_body(random: &mut Random) -> Polytope {
    let ring = |random: &mut Random, sides: usize, z: f64| -> Vec<DVec3> {
        let turn = random.uniform(0.0, 6.0);
        let corner = |k: usize| turn + k as f64 * std::f64::consts::TAU / sides as f64;
        (0..sides).map(|k| DVec3::new(corner(k).cos(), corner(k).sin(), z) * 0.6).collect()
    };
    let points = match random.index(7) {
        0 => return Polytope::cuboid(DVec3::new(1.0, random.uniform(0.5, 1.5), 0.8)).unwrap(),
        1 => return Polytope::cuboid(DVec3::new(1.4, 1.2, random.uniform(0.02, 0.1))).unwrap(),
        2 => return Polytope::cuboid(DVec3::new(1.6, random.uniform(0.03, 0.1), 0.05)).unwrap(),
        3 => {
            let sides = 3 + random.index(6);
            [ring(random, sides, -0.7), ring(random, sides, 0.7)].concat()
        }
        4 => {
            // A roof: a ridge over a base.
            let [high, low] = [random.uniform(0.2, 0.8), -0.2];
            let mut points = vec![DVec3::new(-0.7, 0.0, high), DVec3::new(0.7, 0.0, high)];
            points.extend([-1.0, 1.0].map(|x| DVec3::new(0.7 * x, 0.5, low)));
            points.extend([-1.0, 1.0].map(|x| DVec3::new(0.7 * x, -0.5, low)));
            points
        }
        5 => (0..4).map(|_| random.direction() * random.uniform(0.4, 1.0)).collect(),
        _ => (0..8 + random.index(12)).map(|_| random.direction() * 0.7).collect(),
    };
    Polytope::from_points(&points).unwrap_or_else(|_| Polytope::cuboid(DVec3::ONE).unwrap())
}

/// A feature of a body with a direction in which nothing of the body lies beyond it, and a direction along it.
struct Foremost {
    point: DVec3,
    normal: DVec3,
    along: DVec3,
}

/// A corner, an edge or a face, with a point of it and a normal between those of its faces.
fn foremost(random: &mut Random, body: &Polytope) -> Foremost {
    let normal_of = |face: FaceId| body.plane(face).normal;
    let place = |vertex: VertexId| body.vertices()[vertex.index()] + body.anchor();
    let edge = body.edge(EdgeId(random.index(body.edge_count()) as u32));
    let (along, share) = (edge.vector.normalize(), random.uniform(0.0, 1.0));
    let middle = place(edge.vertices[0]) + edge.vector * share;
    match random.index(4) {
        0 => {
            let faces = &body.ring(edge.vertices[0]).faces;
            let normal: DVec3 = faces.iter().map(|face| normal_of(*face) * random.uniform(0.1, 1.0)).sum();
            Foremost { point: place(edge.vertices[0]), normal: normal.normalize(), along }
        }
        1 => {
            // Halfway to the edge opposite: a point of the face.
            let face = edge.faces[0];
            let far = body.vertices().iter().map(|v| *v + body.anchor());
            let on_face = far.filter(|v| (*v - middle).dot(normal_of(face)).abs() < 1e-9);
            let (sum, count) = on_face.fold((DVec3::ZERO, 0.0), |(sum, count), v| (sum + v, count + 1.0));
            let point = middle.lerp(sum / count, random.uniform(0.0, 1.0));
            Foremost { point, normal: normal_of(face), along }
        }
        _ => {
            let [one, two] = edge.faces.map(normal_of);
            let normal = one.lerp(two, random.uniform(0.02, 0.98));
            Foremost { point: middle, normal: normal.normalize(), along }
        }
    }
}

/// A pair with features that face each other along a normal of both, and the pose of B at each gap: turned against each other at random, or with
/// edges parallel, or nearly so.
fn pair(random: &mut Random) -> (Polytope, Polytope, impl Fn(f64) -> Pose + use<>) {
    let [a, b] = [any_body(random), any_body(random)];
    let [one, two] = [foremost(random, &a), foremost(random, &b)];
    let facing = DQuat::from_rotation_arc(two.normal, -one.normal);
    let along = facing * two.along;
    let angle = one.normal.dot(along.cross(one.along)).atan2(along.dot(one.along));
    let off = match random.index(4) {
        0 => random.uniform(0.0, 6.0),
        1 => 0.0,
        _ => random.log_uniform(-10.0, -0.5),
    };
    let turn = DQuat::from_axis_angle(one.normal, angle + off) * facing;
    let pose = move |gap: f64| Pose::new(turn, one.point + one.normal * gap - turn * two.point).unwrap();
    (a, b, pose)
}

fn events(a: &Polytope, b: &Polytope, pose: &Pose, limits: &Limits) -> PairEvents {
    solid_events(a, b, &Pose::IDENTITY, pose, limits, &[], &mut Tracker::new()).unwrap()
}

/// A polytope in the world, as plain numbers.
struct Plain<'a> {
    body: &'a Polytope,
    corners: Vec<DVec3>,
    /// Unit normals and offsets.
    planes: Vec<(DVec3, f64)>,
}

impl<'a> Plain<'a> {
    fn new(body: &'a Polytope, pose: &Pose) -> Self {
        let corners: Vec<DVec3> = body.vertices().iter().map(|&v| pose.apply(v + body.anchor())).collect();
        let planes = body.planes().iter().map(|plane| {
            let normal = pose.rotate(plane.normal);
            (normal, corners.iter().map(|corner| normal.dot(*corner)).fold(f64::NEG_INFINITY, f64::max))
        });
        Self { planes: planes.collect(), corners, body }
    }

    /// How far a point lies outside of all its planes, or of all but one.
    fn outside(&self, point: DVec3, but: Option<usize>) -> f64 {
        let others = self.planes.iter().enumerate().filter(|(at, _)| Some(*at) != but);
        others.map(|(_, (normal, offset))| normal.dot(point) - offset).fold(f64::NEG_INFINITY, f64::max)
    }

    fn edge(&self, at: usize) -> (DVec3, DVec3, [DVec3; 2]) {
        let edge = self.body.edge(EdgeId(at as u32));
        let [from, to] = edge.vertices.map(|end| self.corners[end.index()]);
        (from, to - from, edge.faces.map(|face| self.planes[face.index()].0))
    }
}

/// What decides whether features carry an event, each positive where it does not hold, by how much.
struct Candidate {
    id: EventId,
    point: DVec3,
    normal: DVec3,
    /// Lengths: above the margin, below the pair's gap, outside.
    lengths: [f64; 3],
    /// Sines and shares: of the lean, of edges that hardly cross, beyond the ends.
    shares: [f64; 3],
}

impl Candidate {
    /// Whether it holds with all thresholds moved by a length and a share.
    fn holds(&self, by: f64) -> bool {
        self.lengths.iter().chain(&self.shares).all(|off| *off <= by)
    }
}

/// All corners over all faces of the other body.
fn corner_candidates(
    under: &Plain<'_>,
    on: &Plain<'_>,
    swapped: bool,
    pair: &PairEvents,
    normal: DVec3,
    limits: &Limits,
    found: &mut Vec<Candidate>,
) {
    let sign = if swapped { -1.0 } else { 1.0 };
    for (face, &(outward, offset)) in under.planes.iter().enumerate() {
        for (vertex, &corner) in on.corners.iter().enumerate() {
            let gap = outward.dot(corner) - offset;
            let foot = corner - outward * gap;
            let features = [Feature::Face(FaceId(face as u32)), Feature::Vertex(VertexId(vertex as u32))];
            let features = if swapped { [features[1], features[0]] } else { features };
            found.push(Candidate {
                id: EventId::new(EventKind::CornerFace, features),
                point: (corner + foot) / 2.0,
                normal: outward * sign,
                lengths: [
                    gap - limits.margin,
                    pair.gap - limits.below - gap,
                    under.outside(foot, Some(face)),
                ],
                shares: [tolerance::EVENT_LEAN_RAD.cos() - outward.dot(normal) * sign, -1.0, -1.0],
            });
        }
    }
}

/// All pairs of edges that cross, but those that hardly do.
fn edge_candidates(
    a: &Plain<'_>,
    b: &Plain<'_>,
    pair: &PairEvents,
    normal: DVec3,
    limits: &Limits,
    found: &mut Vec<Candidate>,
) {
    for one in 0..a.body.edge_count() {
        for two in 0..b.body.edge_count() {
            let ((from_a, along_a, faces_a), (from_b, along_b, faces_b)) = (a.edge(one), b.edge(two));
            let cross = along_a.cross(along_b);
            let sine = cross.length() / (along_a.length() * along_b.length());
            if !(sine > 0.0) {
                continue;
            }
            let unit = cross.normalize();
            let unit = if unit.dot(normal) < 0.0 { -unit } else { unit };
            // from_a + s along_a + g unit = from_b + t along_b, by Cramer's rule.
            let system = DMat3::from_cols(along_a, -along_b, unit);
            let [s, t, gap] = (system.inverse() * (from_b - from_a)).to_array();
            let beyond = [-s, s - 1.0, -t, t - 1.0].into_iter().fold(f64::NEG_INFINITY, f64::max);
            // The normal lies between those of the faces of each edge, but for the lean.
            let within = |along: DVec3, faces: [DVec3; 2], normal: DVec3| {
                let sides = [faces[0].cross(along), faces[1].cross(along)].map(DVec3::normalize);
                let inward = [(sides[0], faces[1]), (sides[1], faces[0])]
                    .map(|(side, other)| if side.dot(other) > 0.0 { -side } else { side });
                inward.map(|inward| inward.dot(normal)).into_iter().fold(f64::NEG_INFINITY, f64::max)
            };
            let leans = within(along_a, faces_a, unit).max(within(along_b, faces_b, -unit));
            let lean = (tolerance::EVENT_LEAN_RAD.cos() - unit.dot(normal))
                .max(leans - tolerance::EVENT_LEAN_RAD.sin());
            let features = [Feature::Edge(EdgeId(one as u32)), Feature::Edge(EdgeId(two as u32))];
            found.push(Candidate {
                id: EventId::new(EventKind::EdgeEdge, features),
                point: from_a + along_a * s + unit * (gap / 2.0),
                normal: unit,
                lengths: [gap - limits.margin, pair.gap - limits.below - gap, -1.0],
                shares: [lean, tolerance::EVENT_CROSSING - sine, beyond],
            });
        }
    }
}

#[test]
fn no_event_is_missing_and_none_is_a_ghost() {
    let (mut corners, mut crossings, mut blunt) = (0, 0, 0);
    for case in 0..3000 {
        let mut random = Random::for_case(701, case);
        let margin = random.log_uniform(-3.0, -1.0);
        let gap = random.uniform(-0.3, 1.0) * margin;
        let limits = Limits { margin, outside: 1e-3, below: 1e-6 };
        let (a, b, pose_at) = pair(&mut random);
        let pose = pose_at(gap);
        let found = events(&a, &b, &pose, &limits);
        let normal = growth(&a, &b, &pose).unwrap().normal.normalize();
        let [plain_a, plain_b] = [Plain::new(&a, &Pose::IDENTITY), Plain::new(&b, &pose)];
        let mut all = Vec::new();
        corner_candidates(&plain_a, &plain_b, false, &found, normal, &limits, &mut all);
        corner_candidates(&plain_b, &plain_a, true, &found, normal, &limits, &mut all);
        edge_candidates(&plain_a, &plain_b, &found, normal, &limits, &mut all);
        for candidate in all.iter().filter(|candidate| candidate.holds(-1e-9)) {
            // Events that say the same are kept once.
            let says = |event: &Event| {
                // So are crossings beside the corner in which their edge ends, just outside.
                let ends = candidate.id.kind == EventKind::EdgeEdge && event.id.kind == EventKind::CornerFace;
                let [near, lean] = if ends { [1.5 * limits.outside, 1e-3] } else { [1e-6; 2] };
                event.point.distance(candidate.point) < near && event.normal.distance(candidate.normal) < lean
            };
            let id = candidate.id;
            assert!(
                found.events.iter().any(says),
                "case {case}: {id:?} {:?} is missing in {found:?}",
                candidate.point
            );
            corners += usize::from(id.kind == EventKind::CornerFace);
            crossings += usize::from(id.kind == EventKind::EdgeEdge);
        }
        for event in found.events.iter().filter(|event| event.id.kind != EventKind::Growth) {
            let candidate = all.iter().find(|candidate| candidate.id == event.id);
            if candidate.is_none_or(|candidate| candidate.shares[1] > 0.0) {
                // Edges that hardly cross have the normal of a face.
                let [one, two] = [-0.5, 0.5].map(|side| event.point + event.normal * (event.gap * side));
                let off = plain_a.outside(one, None).max(plain_b.outside(two, None));
                assert!(off <= 2.0 * limits.outside, "case {case}: a ghost: {off} {event:?}");
                assert!(event.gap <= limits.margin && event.gap >= found.gap - limits.below, "case {case}");
                blunt += 1;
                continue;
            }
            let Some(candidate) = candidate else { continue };
            assert!(candidate.holds(limits.outside + 1e-9), "case {case}: a ghost: {event:?}");
            assert!(event.point.distance(candidate.point) < 1e-6, "case {case}: {event:?}");
            assert!(event.normal.distance(candidate.normal) < 1e-7, "case {case}: {event:?}");
        }
    }
    assert!(corners > 1500 && crossings > 1500 && blunt > 20, "{corners} {crossings} {blunt}");
}

/// A pose moved by a velocity and an angular velocity about a point, for a while.
fn moved(pose: &Pose, about: DVec3, velocity: DVec3, angular: DVec3, time: f64) -> Pose {
    let turn = DMat3::from_quat(DQuat::from_scaled_axis(angular * time));
    let translation = about + velocity * time + turn * (pose.translation() - about);
    Pose::from_matrix(turn * pose.rotation(), translation).unwrap()
}

#[test]
fn what_all_events_allow_hardly_ever_leads_into_overlap_by_first_order() {
    let (mut worst, mut many, mut tried) = (0.0_f64, 0, 0);
    for case in 0..20000 {
        let mut random = Random::for_case(702, case);
        let share = random.log_uniform(-3.0, -1.5);
        let room = random.uniform(0.0, 0.5);
        let (a, b, pose_at) = pair(&mut random);
        let thin = a.inradius().min(b.inradius());
        let margin = share * thin;
        let pose = pose_at(room * margin);
        let size = a.radius().min(b.radius());
        let limits = Limits { margin, outside: 1e-3 * size, below: 1e-6 * size };
        let found = events(&a, &b, &pose, &limits);
        let about = pose.apply(b.center() + b.anchor());
        let normal = growth(&a, &b, &pose).unwrap().normal.normalize();
        // A motion of B whose points go no farther than the margin, then as far along the normal as its events demand.
        let angular = random.in_ball() * (margin / 2.0 / b.radius());
        let mut velocity = random.in_ball() * (margin / 2.0);
        let rise = found.events.iter().map(|event| {
            let closes = event.normal.dot(velocity + angular.cross(event.point - about)) + event.gap;
            -closes / event.normal.dot(normal)
        });
        let rise = rise.fold(f64::NEG_INFINITY, f64::max);
        velocity += normal * rise.clamp(-margin, margin);
        if !rise.is_finite() || velocity.length() + angular.length() * b.radius() > margin {
            continue;
        }
        tried += 1;
        let after = moved(&pose, about, velocity, angular, 1.0);
        let depth =
            -Scratch::new().distance(&a.clone().into(), &b.clone().into(), &after).unwrap().signed_distance;
        // Of second order, and a little of the first for events that stand for others nearby.
        let share = depth / (3.0 * margin * margin / thin + 0.03 * margin);
        many += usize::from(share > 1.0);
        worst = worst.max(depth / margin);
    }
    // Where edges lie along each other, or cross within ε_x of an end: a known limit (docs/dynamics.md).
    assert!(tried > 3000 && 60 * many < tried && worst < 0.5, "{many} of {tried}, {worst}");
}

/// Rectangles, thin ones, triangles and random polygons.
fn any_polygon(random: &mut Random) -> Polygon {
    match random.index(4) {
        0 => Polygon::rectangle(DVec2::new(1.0, random.uniform(0.5, 1.5))).unwrap(),
        1 => Polygon::rectangle(DVec2::new(1.6, random.uniform(0.02, 0.1))).unwrap(),
        kind => {
            let count = if kind == 2 { 3 } else { 4 + random.index(8) };
            let point = |at: usize| {
                let turn = (at as f64 + random.uniform(-0.3, 0.3)) * std::f64::consts::TAU / count as f64;
                DVec2::from_angle(turn) * 0.7
            };
            Polygon::from_points(&(0..count).map(point).collect::<Vec<_>>()).unwrap()
        }
    }
}

/// Corners of a polygon in the world, and for each side its normal and offset, and where along it starts and ends.
struct PlainPolygon {
    corners: Vec<DVec2>,
    sides: Vec<(DVec2, f64, [f64; 2])>,
}

impl PlainPolygon {
    fn new(polygon: &Polygon, pose: &PlanarPose) -> Self {
        let corners: Vec<DVec2> =
            polygon.vertices().iter().map(|&v| pose.apply(v + polygon.anchor())).collect();
        let side = |edge: &clearance_geometry::PlanarEdge| {
            let [from, to] = edge.vertices.map(|end| corners[end.index()]);
            let normal = pose.rotate(edge.normal);
            let along = (to - from).normalize();
            (normal, normal.dot(from), [along.dot(from), along.dot(to)])
        };
        Self { sides: polygon.sides().iter().map(side).collect(), corners }
    }

    /// The largest height of the other's lowest corner over a side: the gap, or minus the depth.
    fn separation(&self, other: &Self) -> f64 {
        let height = |(normal, offset, _): &(DVec2, f64, [f64; 2])| {
            other.corners.iter().map(|corner| normal.dot(*corner) - offset).fold(f64::INFINITY, f64::min)
        };
        self.sides.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
    }
}

#[test]
fn planar_events_are_all_there_and_hold_the_bodies_apart() {
    let (mut corners, mut tried) = (0, 0);
    for case in 0..6000 {
        let mut random = Random::for_case(703, case);
        let [a, b] = [any_polygon(&mut random), any_polygon(&mut random)];
        // Side along side, nearly so, or at random.
        let [one, two] = [&a, &b].map(|polygon| polygon.sides()[random.index(polygon.sides().len())].normal);
        let turn = (-one).to_angle() - two.to_angle()
            + [0.0, random.log_uniform(-9.0, -0.5), random.uniform(0.0, 6.0)][random.index(3)];
        let away = if random.chance(0.5) { one } else { DVec2::from_angle(random.uniform(0.0, 6.0)) };
        let aside = one.perp() * random.uniform(-1.0, 1.0);
        let start = PlanarPose::new(turn, away * 4.0 + aside).unwrap();
        let found = planar_growth(&a, &b, &start).unwrap();
        let normal = found.normal.normalize();
        let [from, to] = [a.center() + a.anchor(), start.apply(b.center() + b.anchor())];
        let thin = a.inradius().min(b.inradius());
        let margin = random.log_uniform(-3.0, -1.0) * thin;
        let shift = (to - from) * (1.0 / found.ratio - 1.0) + normal * (random.uniform(0.0, 0.5) * margin);
        let pose = PlanarPose::new(turn, start.translation() + shift).unwrap();
        let size = a.radius().min(b.radius());
        let limits = Limits { margin, outside: 1e-3 * size, below: 1e-6 * size };
        let origin = PlanarPose::IDENTITY;
        let pair = planar_events(&a, &b, &origin, &pose, &limits, &[], &mut PlanarTracker::new()).unwrap();
        let normal = planar_growth(&a, &b, &pose).unwrap().normal.normalize();
        let plain = [PlainPolygon::new(&a, &origin), PlainPolygon::new(&b, &pose)];
        let mut expected = 0;
        for (under, on, sign) in [(&plain[0], &plain[1], 1.0), (&plain[1], &plain[0], -1.0)] {
            for (outward, offset, ends) in &under.sides {
                for corner in &on.corners {
                    let gap = outward.dot(*corner) - offset;
                    let place = along(*outward, *corner, ends);
                    let lean = outward.dot(normal) * sign - tolerance::EVENT_LEAN_RAD.cos();
                    let holds = |by: f64| {
                        gap <= margin + by
                            && gap >= pair.gap - limits.below - by
                            && place <= by
                            && lean >= -by
                    };
                    let says = |event: &Event| {
                        let point = *corner - *outward * (gap / 2.0);
                        event.point.truncate().distance(point) < 1e-6
                            && event.normal.truncate().distance(*outward * sign) < 1e-6
                    };
                    if holds(-1e-9) {
                        assert!(pair.events.iter().any(says), "case {case}: {corner} is missing in {pair:?}");
                        corners += 1;
                    }
                    if pair.events.iter().any(|event| event.id.kind == EventKind::CornerFace && says(event)) {
                        assert!(holds(limits.outside + 1e-9), "case {case}: a ghost at {corner}: {pair:?}");
                        expected += 1;
                    }
                }
            }
        }
        let found = pair.events.iter().filter(|event| event.id.kind == EventKind::CornerFace).count();
        assert!(expected >= found, "case {case}: {pair:?}");
        tried += usize::from(stays_apart(&mut random, [&a, &b], &pose, &pair, normal, margin, case));
    }
    assert!(corners > 3000 && tried > 3000, "{corners} {tried}");
}

/// How far a corner lies beyond the ends of a side, along it.
fn along(outward: DVec2, corner: DVec2, ends: &[f64; 2]) -> f64 {
    let place = outward.perp().dot(corner);
    (ends[0].min(ends[1]) - place).max(place - ends[0].max(ends[1]))
}

/// Moves B as all events allow, and asserts that it is then apart from A but for second order; false where it would have to move
/// farther than the margin.
fn stays_apart(
    random: &mut Random,
    [a, b]: [&Polygon; 2],
    pose: &PlanarPose,
    pair: &PairEvents,
    normal: DVec2,
    margin: f64,
    case: u64,
) -> bool {
    let about = pose.apply(b.center() + b.anchor());
    let angular = random.uniform(-0.5, 0.5) * margin / b.radius();
    let mut velocity = random.in_ball().truncate() * (margin / 2.0);
    let rise = pair.events.iter().map(|event| {
        let at = velocity + (event.point.truncate() - about).perp() * angular;
        -(event.normal.truncate().dot(at) + event.gap) / event.normal.truncate().dot(normal)
    });
    let rise = rise.fold(f64::NEG_INFINITY, f64::max);
    velocity += normal * rise.clamp(-margin, margin);
    if !rise.is_finite() || velocity.length() + angular.abs() * b.radius() > margin {
        return false;
    }
    let turn = DVec2::from_angle(angular);
    let after = PlanarPose::from_cos_sin(
        turn.rotate(pose.rotate(DVec2::X)).x,
        turn.rotate(pose.rotate(DVec2::X)).y,
        about + velocity + turn.rotate(pose.translation() - about),
    );
    let [one, two] = [PlainPolygon::new(a, &PlanarPose::IDENTITY), PlainPolygon::new(b, &after.unwrap())];
    let depth = -one.separation(&two).max(two.separation(&one));
    let thin = a.inradius().min(b.inradius());
    assert!(depth < 3.0 * margin * margin / thin + 0.03 * margin, "case {case}: {depth} {margin} {pair:?}");
    true
}
