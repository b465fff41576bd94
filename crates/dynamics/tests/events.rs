//! Events against the enumeration of algorithms 3.14 and 3.15 of 002, and their gradients against differences.
#![allow(clippy::unwrap_used)]

use clearance_dynamics::{
    Event, EventKind, Limits, PairEvents, half_space_events, planar_events, solid_events,
};
use clearance_geometry::{DMat3, DVec2, DVec3, Feature, HalfSpace, PlanarPose, Polygon, Polytope, Pose};
use clearance_proximity::ratio::{PlanarTracker, Tracker, growth};
use clearance_testkit::Random;

/// The half-spaces of a polytope about its centre, in the world: A x ≤ b with x from the centre.
struct Faces {
    center: DVec3,
    planes: Vec<(DVec3, f64)>,
}

fn faces(body: &Polytope, pose: &Pose) -> Faces {
    let center = pose.apply(body.center() + body.anchor());
    let plane =
        |p: &clearance_geometry::Plane| (pose.rotate(p.normal), p.offset - p.normal.dot(body.center()));
    Faces { center, planes: body.planes().iter().map(plane).collect() }
}

/// Solves for the point and ratio at which four scaled planes meet.
fn meet(rows: [(DVec3, f64, DVec3); 4]) -> Option<(DVec3, f64)> {
    // a·(x − c) = t b
    let mut m = [[0.0; 5]; 4];
    for (row, (a, b, c)) in m.iter_mut().zip(rows) {
        *row = [a.x, a.y, a.z, -b, a.dot(c)];
    }
    for k in 0..4 {
        let p = (k..4).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs()))?;
        m.swap(k, p);
        if m[k][k].abs() < 1e-9 {
            return None;
        }
        for i in 0..4 {
            if i != k {
                let f = m[i][k] / m[k][k];
                let from = m[k];
                (k..5).for_each(|j| m[i][j] -= f * from[j]);
            }
        }
    }
    let s: Vec<f64> = (0..4).map(|k| m[k][4] / m[k][k]).collect();
    Some((DVec3::new(s[0], s[1], s[2]), s[3]))
}

/// Algorithm 3.14 with its second condition corrected.
fn compatible(faces: [&Faces; 2], x: DVec3, t: f64, ratio: f64, eps: f64) -> bool {
    let inside = |f: &Faces| f.planes.iter().all(|(a, b)| a.dot(x - f.center) - b * t <= eps);
    inside(faces[0]) && inside(faces[1]) && (t - ratio).abs() <= eps
}

/// Algorithm 3.15 over all facets: the event points of the grown bodies, each once.
fn enumerated(a: &Polytope, b: &Polytope, poses: [&Pose; 2], ratio: f64) -> Vec<DVec3> {
    let all = [faces(a, poses[0]), faces(b, poses[1])];
    let row = |body: usize, face: usize| {
        let (normal, offset) = all[body].planes[face];
        (normal, offset, all[body].center)
    };
    let mut points: Vec<DVec3> = Vec::new();
    let mut offer = |rows| {
        if let Some((x, t)) = meet(rows)
            && compatible([&all[0], &all[1]], x, t, ratio, 1e-7)
            && points.iter().all(|p| p.distance(x) > 1e-5)
        {
            points.push(x);
        }
    };
    let bodies = [a, b];
    for (one, two) in [(0, 1), (1, 0)] {
        for vertex in 0..bodies[two].vertex_count() {
            let ring = bodies[two].ring(clearance_geometry::VertexId(vertex as u32));
            for face in 0..bodies[one].face_count() {
                let corner = [0, 1, 2].map(|i| row(two, ring.faces[i].index()));
                offer([row(one, face), corner[0], corner[1], corner[2]]);
            }
        }
    }
    for one in a.edges() {
        for two in b.edges() {
            offer([
                row(0, one.faces[0].index()),
                row(0, one.faces[1].index()),
                row(1, two.faces[0].index()),
                row(1, two.faces[1].index()),
            ]);
        }
    }
    points
}

fn tight() -> Limits {
    Limits { margin: 1e-7, outside: 1e-7, below: 1e-7 }
}

/// Moves B so that the bodies just touch, along the line of their centres.
fn touching(a: &Polytope, b: &Polytope, pose_b: &Pose) -> Pose {
    let ratio = growth(a, b, pose_b).unwrap().ratio;
    let [from, to] = [a.center() + a.anchor(), pose_b.apply(b.center() + b.anchor())];
    pose_b.with_translation(pose_b.translation() + (to - from) * (1.0 / ratio - 1.0))
}

fn random_body(random: &mut Random) -> Polytope {
    match random.index(4) {
        0 => Polytope::cuboid(DVec3::new(1.0, random.uniform(0.5, 2.0), random.uniform(0.5, 2.0))).unwrap(),
        1 => Polytope::from_points(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        2 => icosahedron(),
        _ => {
            let points: Vec<DVec3> = (0..8).map(|_| random.direction() * random.uniform(0.7, 1.2)).collect();
            Polytope::from_points(&points).unwrap()
        }
    }
}

fn icosahedron() -> Polytope {
    let golden = f64::midpoint(1.0, 5_f64.sqrt());
    let mut points = Vec::new();
    for x in [-1.0, 1.0] {
        for y in [-golden, golden] {
            points.extend([DVec3::new(0.0, x, y), DVec3::new(x, y, 0.0), DVec3::new(y, 0.0, x)]);
        }
    }
    Polytope::from_points(&points).unwrap()
}

fn events(a: &Polytope, b: &Polytope, poses: [&Pose; 2], limits: &Limits) -> PairEvents {
    solid_events(a, b, poses[0], poses[1], limits, &[], &mut Tracker::new()).unwrap()
}

#[test]
fn touching_bodies_have_the_enumerated_events() {
    let (mut several, mut crossings, mut corners) = (0, 0, 0);
    for case in 0..400 {
        let mut random = Random::for_case(611, case);
        let [a, b] = [random_body(&mut random), random_body(&mut random)];
        // Half of the pairs are turned about z alone, so that faces of boxes meet.
        let rotation =
            if case % 2 == 0 { random.rotation() } else { DMat3::from_rotation_z(random.uniform(0.3, 1.2)) };
        let away = if case % 2 == 0 { random.direction() * 4.0 } else { DVec3::new(0.1, 0.2, 4.0) };
        let pose_b = touching(&a, &b, &Pose::from_matrix(rotation, away).unwrap());
        let pair = events(&a, &b, [&Pose::IDENTITY, &pose_b], &tight());
        let expected = enumerated(&a, &b, [&Pose::IDENTITY, &pose_b], 1.0);
        assert!(!expected.is_empty(), "case {case}");
        for point in &expected {
            let near = pair.events.iter().any(|event| event.point.distance(*point) < 1e-4);
            assert!(near, "case {case}: {point} of {expected:?} is not in {:?}", pair.events);
        }
        for event in &pair.events {
            let near = expected.iter().any(|point| event.point.distance(*point) < 1e-4);
            assert!(near, "case {case}: {event:?} is not in {expected:?}");
            assert!(event.gap.abs() < 1e-6);
            crossings += usize::from(event.id.kind == EventKind::EdgeEdge);
            corners += usize::from(event.id.kind == EventKind::CornerFace);
        }
        several += usize::from(expected.len() > 1);
    }
    assert!(several > 40 && crossings > 100 && corners > 100, "{several} {crossings} {corners}");
}

#[test]
fn icosahedron_corner_is_one_event() {
    // Remark 3.11: five facets, ten triples of them, one event.
    let ball = icosahedron();
    let slab = Polytope::cuboid(DVec3::new(20.0, 20.0, 2.0)).unwrap();
    let corner = ball.vertices()[0] + ball.anchor();
    let turn = clearance_geometry::DQuat::from_rotation_arc(corner.normalize(), -DVec3::Z);
    let pose = Pose::new(turn, DVec3::new(0.3, 0.4, 1.0 + corner.length())).unwrap();
    let limits = Limits { margin: 0.05, outside: 1e-3, below: 1e-6 };
    let pair = events(&slab, &ball, [&Pose::IDENTITY, &pose], &limits);
    assert_eq!(pair.events.len(), 1, "{pair:?}");
    assert!(pair.events[0].point.distance(DVec3::new(0.3, 0.4, 1.0)) < 1e-12);
}

/// Moves a pose a little: translation and rotation vector about a point.
fn nudged(pose: &Pose, about: DVec3, shift: DVec3, turn: DVec3) -> Pose {
    let rotation = DMat3::from_quat(clearance_geometry::DQuat::from_scaled_axis(turn));
    let translation = about + shift + rotation * (pose.translation() - about);
    Pose::from_matrix(rotation * pose.rotation(), translation).unwrap()
}

#[test]
fn gradients_are_those_of_differences() {
    let (mut crossings, mut corners) = (0, 0);
    for case in 0..200 {
        let mut random = Random::for_case(612, case);
        let [a, b] = [random_body(&mut random), random_body(&mut random)];
        let start = Pose::from_matrix(random.rotation(), random.direction() * 4.0).unwrap();
        let pose_b = touching(&a, &b, &start);
        let limits = Limits { margin: 0.05, outside: 1e-3, below: 1e-6 };
        let pair = events(&a, &b, [&Pose::IDENTITY, &pose_b], &limits);
        for event in pair.events.iter().filter(|event| event.id.kind != EventKind::Growth) {
            for body in 0..2 {
                let about = if body == 0 { DVec3::ZERO } else { pose_b.translation() };
                let (shift, turn) = (random.in_ball(), random.in_ball());
                let gap = |step: f64| -> Option<f64> {
                    let pose = [Pose::IDENTITY, pose_b][body];
                    let moved = nudged(&pose, about, shift * step, turn * step);
                    let poses = if body == 0 { [&moved, &pose_b] } else { [&Pose::IDENTITY, &moved] };
                    let wide = Limits { margin: 0.1, outside: 0.01, below: 0.01 };
                    let found = events(&a, &b, poses, &wide);
                    Some(found.events.iter().find(|other| other.id == event.id)?.gap)
                };
                let h = 1e-5;
                let (Some(above), Some(below)) = (gap(h), gap(-h)) else { continue };
                let velocity = shift + turn.cross(event.point - about);
                let sign = if body == 0 { -1.0 } else { 1.0 };
                let expected = sign * event.normal.dot(velocity);
                // Edges that hardly cross take the normal of a face, whose crossing moves along the edge.
                let off = ((above - below) / (2.0 * h) - expected).abs();
                assert!(off < 1e-7, "case {case}, body {body}, {event:?}: {off}");
                crossings += usize::from(event.id.kind == EventKind::EdgeEdge);
                corners += usize::from(event.id.kind == EventKind::CornerFace);
            }
        }
    }
    assert!(crossings > 60 && corners > 100, "{crossings} {corners}");
}

#[test]
fn events_do_not_depend_on_scale_or_place() {
    for case in 0..60 {
        let mut random = Random::for_case(613, case);
        let [a, b] = [random_body(&mut random), random_body(&mut random)];
        let start = Pose::from_matrix(random.rotation(), random.direction() * 4.0).unwrap();
        let pose_b = touching(&a, &b, &start);
        let limits = Limits { margin: 0.05, outside: 1e-3, below: 1e-6 };
        let ids = |pair: &PairEvents| pair.events.iter().map(|event| event.id).collect::<Vec<_>>();
        let expected = ids(&events(&a, &b, [&Pose::IDENTITY, &pose_b], &limits));
        for scale in [1e-6, 1e6] {
            let scaled = |body: &Polytope| {
                let points: Vec<DVec3> =
                    body.vertices().iter().map(|v| (*v + body.anchor()) * scale).collect();
                Polytope::from_points(&points).unwrap()
            };
            let limits = Limits {
                margin: limits.margin * scale,
                outside: limits.outside * scale,
                below: limits.below * scale,
            };
            let far = Pose::from_translation(DVec3::splat(1e3 * scale)).unwrap();
            let moved = far * pose_b.with_translation(pose_b.translation() * scale);
            let found = events(&scaled(&a), &scaled(&b), [&far, &moved], &limits);
            assert_eq!(found.events.len(), expected.len(), "case {case} at {scale}");
        }
    }
}

#[test]
fn swapped_bodies_have_mirrored_events() {
    for case in 0..100 {
        let mut random = Random::for_case(614, case);
        let [a, b] = [random_body(&mut random), random_body(&mut random)];
        let start = Pose::from_matrix(random.rotation(), random.direction() * 4.0).unwrap();
        let pose_b = touching(&a, &b, &start);
        let limits = Limits { margin: 0.05, outside: 1e-3, below: 1e-6 };
        let one = events(&a, &b, [&Pose::IDENTITY, &pose_b], &limits);
        let two = events(&b, &a, [&pose_b, &Pose::IDENTITY], &limits);
        assert_eq!(one.events.len(), two.events.len(), "case {case}");
        for event in &one.events {
            let mirrored = |other: &&Event| {
                other.id.kind == event.id.kind
                    && other.id.features == [event.id.features[1], event.id.features[0]]
                    && other.point.distance(event.point) < 1e-9
            };
            let other = two.events.iter().find(mirrored).unwrap();
            assert!((other.gap - event.gap).abs() < 1e-12);
            assert!((other.normal + event.normal).length() < 1e-9);
        }
    }
}

#[test]
fn known_events_stay_a_little_longer() {
    let cube = Polytope::cuboid(DVec3::splat(1.0)).unwrap();
    let limits = Limits { margin: 0.1, outside: 1e-3, below: 1e-6 };
    let near = Pose::from_translation(DVec3::new(0.2, 0.1, 1.09)).unwrap();
    let far = Pose::from_translation(DVec3::new(0.2, 0.1, 1.11)).unwrap();
    let first = events(&cube, &cube, [&Pose::IDENTITY, &near], &limits);
    let known: Vec<_> = first.events.iter().map(|event| event.id).collect();
    assert!(!known.is_empty());
    let mut tracker = Tracker::new();
    let kept = solid_events(&cube, &cube, &Pose::IDENTITY, &far, &limits, &known, &mut tracker).unwrap();
    assert_eq!(kept.events.iter().map(|event| event.id).collect::<Vec<_>>(), known);
    assert!(events(&cube, &cube, [&Pose::IDENTITY, &far], &limits).events.is_empty());
}

#[test]
fn planar_side_on_side_has_its_two_ends() {
    let square = Polygon::rectangle(DVec2::splat(1.0)).unwrap();
    let above = PlanarPose::from_translation(DVec2::new(0.3, 1.02)).unwrap();
    let limits = Limits { margin: 0.1, outside: 1e-3, below: 1e-6 };
    let mut tracker = PlanarTracker::new();
    let pair =
        planar_events(&square, &square, &PlanarPose::IDENTITY, &above, &limits, &[], &mut tracker).unwrap();
    let mut places: Vec<f64> = pair.events.iter().map(|event| event.point.x).collect();
    places.sort_by(f64::total_cmp);
    assert_eq!(places.len(), 2, "{pair:?}");
    assert!((places[0] + 0.2).abs() < 1e-12 && (places[1] - 0.5).abs() < 1e-12);
    assert!(pair.events.iter().all(|event| (event.gap - 0.02).abs() < 1e-12));
}

#[test]
fn half_space_has_the_low_corners() {
    let floor = HalfSpace::new(DVec3::Z, 0.0).unwrap();
    let cube = Polytope::cuboid(DVec3::ONE).unwrap();
    let tilted = Pose::from_axis_angle(DVec3::Y, 0.02, DVec3::new(0.0, 0.0, 0.5)).unwrap();
    let limits = Limits { margin: 0.005, outside: 0.0, below: 0.0 };
    let pair = half_space_events(&floor, &cube, &Pose::IDENTITY, &tilted, &limits, &[]);
    assert_eq!(pair.events.len(), 2);
    assert!(pair.events.iter().all(|event| matches!(event.id.features[1], Feature::Vertex(_))));
}

/// The corners of what two convex polygons have in common: the first cut by the sides of the second, one after the other.
fn clipped(first: &[DVec3], second: &[DVec3]) -> Vec<DVec3> {
    let mut left = first.to_vec();
    for (at, &from) in second.iter().enumerate() {
        let to = second[(at + 1) % second.len()];
        let height = |p: DVec3| (to - from).cross(p - from).z;
        let mut next = Vec::new();
        for (at, &p) in left.iter().enumerate() {
            let q = left[(at + 1) % left.len()];
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                next.push(p);
            }
            if (hp > 0.0) != (hq > 0.0) && hp != hq {
                next.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        left = next;
    }
    left
}

/// A prism between z = 0 and 1 over a polygon about the z axis, and the polygon.
fn prism(random: &mut Random) -> (Polytope, Vec<DVec3>) {
    let sides = 3 + random.index(6);
    let radius = random.uniform(0.5, 1.5);
    let corner = |k: usize| {
        let turn = (k as f64 + random.uniform(-0.2, 0.2)) * std::f64::consts::TAU / sides as f64;
        DVec3::new(turn.cos(), turn.sin(), 0.0) * radius
    };
    let outline: Vec<DVec3> = (0..sides).map(corner).collect();
    let points: Vec<DVec3> = outline.iter().flat_map(|&p| [p, p + DVec3::Z]).collect();
    (Polytope::from_points(&points).unwrap(), outline)
}

#[test]
fn flush_faces_have_the_corners_of_their_clipped_outlines() {
    let limits = Limits { margin: 0.01, outside: 1e-9, below: 1e-6 };
    let (mut crossings, mut corners) = (0, 0);
    for case in 0..400 {
        let mut random = Random::for_case(612, case);
        let [(a, below), (b, above)] = [prism(&mut random), prism(&mut random)];
        let shift = DVec3::new(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 1.002);
        let turn = DMat3::from_rotation_z(random.uniform(0.0, 6.0));
        let pose = Pose::from_matrix(turn, shift).unwrap();
        let above: Vec<DVec3> = above.iter().map(|&p| pose.apply(p) * DVec3::new(1.0, 1.0, 0.0)).collect();
        let expected = clipped(&below, &above);
        let found = events(&a, &b, [&Pose::IDENTITY, &pose], &limits).events;
        assert_eq!(found.len(), expected.len(), "case {case}: {expected:?} {found:?}");
        for event in &found {
            let flat = DVec3::new(event.point.x, event.point.y, 0.0);
            assert!(expected.iter().any(|p| p.distance(flat) < 1e-9), "case {case}: {event:?} {expected:?}");
            assert!((event.gap - 0.002).abs() < 1e-12, "case {case}: {event:?}");
            crossings += usize::from(event.id.kind == EventKind::EdgeEdge);
            corners += usize::from(event.id.kind == EventKind::CornerFace);
        }
    }
    assert!(crossings > 500 && corners > 300, "{crossings} {corners}");
}
