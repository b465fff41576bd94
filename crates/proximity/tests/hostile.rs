//! No number makes a constructor or a query panic, and an answer is a statement about geometry: finite, its
//! witnesses as far apart as it says.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use clearance_geometry::{
    Body, DMat3, DQuat, DVec2, DVec3, EdgeId, FaceId, Feature, HalfSpace, PlanarPose, Polygon, Polytope,
    Pose, PoseError, ShapeError, VertexId,
};
use clearance_proximity::lin_canny::{self, Cells, Options};
use clearance_proximity::{
    PolytopeTracker, Proximity, QueryError, Scratch, Tracker, cast_ray, certify, closer_than, contains_point,
    depth_exact, depth_local, distance, gradient, locate_point, locus, planar, ratio,
};
use clearance_testkit::Random;

/// Numbers that break things.
const NUMBERS: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    1.0 / 3.0,
    f64::MIN_POSITIVE,
    5e-324,
    1e-200,
    1e-20,
    1e-30,
    -1e-16,
    1e-9,
    1e9,
    -1e16,
    1e30,
    1e49,
    1e160,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Mostly harmless, else one of [`NUMBERS`].
fn number(random: &mut Random, wild: f64) -> f64 {
    if random.chance(wild) { *random.pick(&NUMBERS) } else { random.uniform(-2.0, 2.0) }
}

fn vector(random: &mut Random, wild: f64) -> DVec3 {
    DVec3::new(number(random, wild), number(random, wild), number(random, wild))
}

fn flat(random: &mut Random, wild: f64) -> DVec2 {
    DVec2::new(number(random, wild), number(random, wild))
}

fn feature(random: &mut Random) -> Feature {
    let index = *random.pick(&[0, 1, 3, 7, 100, u32::MAX]);
    match random.index(3) {
        0 => Feature::Vertex(VertexId(index)),
        1 => Feature::Edge(EdgeId(index)),
        _ => Feature::Face(FaceId(index)),
    }
}

fn polytope(random: &mut Random, wild: f64) -> Option<Polytope> {
    let scale = if random.chance(wild) { *random.pick(&[1e-19, 1e-12, 1e30, 1e49]) } else { 1.0 };
    let points: Vec<DVec3> = (0..4 + random.index(40)).map(|_| vector(random, wild / 6.0) * scale).collect();
    match random.index(7) {
        0 => Polytope::cuboid(vector(random, wild).abs() * scale).ok(),
        1 => Polytope::segment([points[0], points[1]]).ok(),
        2 => Some(Polytope::point()),
        3 => {
            let planes: Vec<(DVec3, f64)> =
                points.iter().map(|normal| (*normal, number(random, wild).abs())).collect();
            Polytope::from_half_spaces(&planes, vector(random, wild) * 0.1).ok()
        }
        4 => {
            let faces: Vec<Vec<u32>> =
                (0..4 + random.index(4)).map(|_| (0..3).map(|_| random.index(5) as u32).collect()).collect();
            let tetrahedron = vec![vec![0, 2, 1], vec![0, 1, 3], vec![0, 3, 2], vec![1, 2, 3]];
            let faces = if random.chance(0.5) { tetrahedron } else { faces };
            Polytope::from_faces(&points[..4], &faces).ok()
        }
        5 => Polytope::from_points(&points).ok()?.with_center(vector(random, wild) * 0.1).ok(),
        _ => Polytope::from_points(&points).ok(),
    }
}

fn body(random: &mut Random, wild: f64) -> Option<Body> {
    if random.chance(0.15) {
        return HalfSpace::new(vector(random, wild), number(random, wild)).ok().map(Body::from);
    }
    polytope(random, wild).map(Body::from)
}

fn pose(random: &mut Random, wild: f64) -> Option<Pose> {
    let place = vector(random, wild);
    match random.index(4) {
        0 => Pose::from_axis_angle(vector(random, 1.0), number(random, wild), place).ok(),
        1 => {
            let column = |random: &mut Random| vector(random, 1.0);
            Pose::from_matrix(DMat3::from_cols(column(random), column(random), column(random)), place).ok()
        }
        2 => Pose::new(DQuat::from_xyzw(0.0, 0.0, number(random, 1.0), number(random, 1.0)), place).ok(),
        _ => Pose::new(random.quaternion(), place).ok(),
    }
}

/// Within the range that the formats accept, an answer must be sound; whether it was in that range.
fn check(answer: &Proximity, a: &Body, b: &Body, pose_ab: &Pose, case: usize) -> bool {
    let extent = |body: &Body| match body {
        Body::Polytope(polytope) => polytope.reach() + polytope.anchor().abs().max_element(),
        Body::HalfSpace(half_space) => half_space.plane().offset.abs(),
        _ => f64::NAN,
    };
    let size = extent(a) + extent(b) + pose_ab.translation().abs().max_element();
    if size.is_nan() || size > 1e40 {
        return false;
    }
    let [p, q] = answer.witnesses.map(|witness| witness.point);
    assert!(p.is_finite() && q.is_finite() && answer.signed_distance.is_finite(), "case {case}: {answer:?}");
    assert!((answer.normal.length() - 1.0).abs() < 1e-12, "case {case}: {answer:?}");
    let off = (q - p - answer.signed_distance * answer.normal).length();
    assert!(off <= 1e-12 * size, "case {case}: off by {off:e} at size {size:e}: {answer:?}");
    true
}

#[test]
fn no_number_makes_a_solid_query_panic() {
    let mut random = Random::new(20);
    let mut tracker = Tracker::new();
    let mut scratch = Scratch::new();
    let (mut asked, mut refused, mut checked) = (0, 0, 0);
    for case in 0..40_000 {
        let wild = *random.pick(&[0.0, 0.1, 0.5]);
        let (a, b, pose_ab) = (body(&mut random, wild), body(&mut random, wild), pose(&mut random, wild));
        let (Some(a), Some(b), Some(pose_ab)) = (a, b, pose_ab) else {
            refused += 1;
            continue;
        };
        asked += 1;
        tracker.set_max_iterations(*random.pick(&[0, 1, 2, 1000]));
        let _ = tracker.update(&a, &b, &pose_ab);
        let _ = scratch.distance(&a, &b, &pose_ab);
        let _ = tracker.closer_than(&a, &b, &pose_ab, number(&mut random, 0.8));
        let _ = closer_than(&a, &b, &pose_ab, number(&mut random, 0.8));
        let _ = depth_exact(&a, &b, &pose_ab);
        let _ = depth_local(&a, &b, &pose_ab, vector(&mut random, 0.8));
        let _ = locate_point(&a, vector(&mut random, 0.5));
        let _ = contains_point(&b, vector(&mut random, 0.5));
        let _ = cast_ray(&a, vector(&mut random, 0.3), vector(&mut random, 0.8), number(&mut random, 0.8));
        let _ = ratio::growth_of_bodies(&a, &b, &pose_ab);
        if let Ok(answer) = distance(&a, &b, &pose_ab) {
            checked += usize::from(check(&answer, &a, &b, &pose_ab, case));
            let _ = certify(&a, &b, &pose_ab, &answer);
            let _ = gradient(&a, &b, &pose_ab, &answer);
            let _ = locus(&a, &b, &pose_ab, &answer);
        }
        if let (Body::Polytope(a), Body::Polytope(b)) = (&a, &b) {
            polytopes(&mut random, a, b, &pose_ab);
        }
    }
    assert!(asked > 4_000 && refused > 4_000, "{asked} asked, {refused} refused");
    assert!(2 * checked > asked, "{checked} of {asked} checked");
}

fn polytopes(random: &mut Random, a: &Polytope, b: &Polytope, pose_ab: &Pose) {
    let mut tracker = PolytopeTracker::new();
    tracker.suggest([feature(random), feature(random)]);
    let _ = tracker.update(a, b, pose_ab);
    let (cells_a, cells_b) = (Cells::new(a), Cells::new(b));
    let start = [feature(random), feature(random)];
    let _ =
        lin_canny::closest_features((a, &cells_a), (b, &cells_b), pose_ab, Some(start), Options::default());
    let _ = ratio::growth(a, b, pose_ab);
    let _ = ratio::growth_by_lp(a, b, pose_ab);
    let _ = ratio::growth_against(a, &Body::from(b.clone()), pose_ab);
    let direction = vector(random, 0.8);
    let _ = a.support(direction);
    let _ = a.support_by_scan(direction);
    let _ = a.support_far(direction, direction.length());
    let _ = a.climb(VertexId(0), direction, direction.length());
    let _ = a.start_vertex(direction);
}

fn polygon(random: &mut Random, wild: f64) -> Option<Polygon> {
    let points: Vec<DVec2> = (0..3 + random.index(6)).map(|_| flat(random, wild / 4.0)).collect();
    match random.index(5) {
        0 => Polygon::rectangle(flat(random, wild).abs()).ok(),
        1 => Polygon::segment([points[0], points[1]]).ok(),
        2 => Polygon::from_points(&points).ok(),
        3 => Polygon::hull_of(&points).ok()?.with_center(flat(random, wild) * 0.1).ok(),
        _ => Polygon::hull_of(&points).ok(),
    }
}

fn planar_pose(random: &mut Random, wild: f64) -> Option<PlanarPose> {
    let place = flat(random, wild);
    match random.index(3) {
        0 => PlanarPose::new(number(random, wild), place).ok(),
        1 => PlanarPose::from_degrees(90.0 * number(random, wild), place).ok(),
        _ => PlanarPose::from_cos_sin(number(random, 1.0), number(random, 1.0), place).ok(),
    }
}

#[test]
fn no_number_makes_a_planar_query_panic() {
    let mut random = Random::new(21);
    let mut tracker = planar::Tracker::new();
    let (mut asked, mut refused) = (0, 0);
    for case in 0..40_000 {
        let wild = *random.pick(&[0.0, 0.1, 0.5]);
        let (a, b) = (polygon(&mut random, wild), polygon(&mut random, wild));
        let (Some(a), Some(b), Some(pose_ab)) = (a, b, planar_pose(&mut random, wild)) else {
            refused += 1;
            continue;
        };
        asked += 1;
        tracker.set_max_iterations(*random.pick(&[0, 1, 2, 1000]));
        tracker.suggest([VertexId(*random.pick(&[0, 5, u32::MAX])), VertexId(1)]);
        let _ = tracker.update(&a, &b, &pose_ab);
        let _ = tracker.closer_than(&a, &b, &pose_ab, number(&mut random, 0.8));
        let _ = planar::locate_point(&a, flat(&mut random, 0.5));
        let _ =
            planar::cast_ray(&a, flat(&mut random, 0.3), flat(&mut random, 0.8), number(&mut random, 0.8));
        let _ = ratio::planar_growth(&a, &b, &pose_ab);
        let _ = ratio::planar_growth_by_lp(&a, &b, &pose_ab);
        let _ = ratio::planar_growth_against(&a, &b, &pose_ab);
        let _ = a.support(flat(&mut random, 0.8));
        let answer = planar::distance(&a, &b, &pose_ab);
        let _ = planar::certify(&a, &b, &pose_ab, &answer);
        let _ = planar::gradient(&a, &b, &pose_ab, &answer);
        let _ = planar::locus(&a, &b, &pose_ab, &answer);
        let extent = |body: &Polygon| body.reach() + body.anchor().abs().max_element();
        let size = extent(&a) + extent(&b) + pose_ab.translation().abs().max_element();
        if size < 1e40 {
            let [p, q] = answer.witnesses.map(|witness| witness.point);
            let off = (q - p - answer.signed_distance * answer.normal).length();
            assert!(off <= 1e-12 * size, "case {case}: off by {off:e} at size {size:e}: {answer:?}");
            assert!((answer.normal.length() - 1.0).abs() < 1e-12, "case {case}: {answer:?}");
        }
    }
    assert!(asked > 4_000 && refused > 4_000, "{asked} asked, {refused} refused");
}

#[test]
fn directions_of_any_length_are_directions() {
    let cube = Body::from(Polytope::cuboid(DVec3::splat(2.0)).unwrap());
    let square = Polygon::rectangle(DVec2::splat(2.0)).unwrap();
    let (origin, overlap) = (DVec3::X * -5.0, Pose::from_translation(DVec3::X * 1.5).unwrap());
    for length in [5e-324, 1e-200, 1.0, 1e200, f64::MAX] {
        let hit = cast_ray(&cube, origin, DVec3::X * length, 100.0).unwrap().unwrap();
        assert_eq!(hit.distance, 4.0, "{length:e}");
        let flat = planar::cast_ray(&square, DVec2::X * -5.0, DVec2::X * length, 100.0).unwrap().unwrap();
        assert_eq!(flat.distance, 4.0, "{length:e}");
        assert_eq!(depth_local(&cube, &cube, &overlap, DVec3::X * length).unwrap().depth, 0.5, "{length:e}");
    }
}

#[test]
fn bad_arguments_are_named() {
    let cube = Body::from(Polytope::cuboid(DVec3::ONE).unwrap());
    let bad = |field| QueryError::BadArgument { field };
    for direction in [DVec3::ZERO, DVec3::NAN, DVec3::X * f64::INFINITY] {
        assert_eq!(cast_ray(&cube, DVec3::ZERO, direction, 1.0), Err(bad("direction")));
        assert_eq!(depth_local(&cube, &cube, &Pose::IDENTITY, direction).unwrap_err(), bad("start"));
    }
    assert_eq!(cast_ray(&cube, DVec3::NAN, DVec3::X, 1.0), Err(bad("origin")));
    assert_eq!(cast_ray(&cube, DVec3::ZERO, DVec3::X, f64::NAN), Err(bad("max_distance")));
    assert_eq!(locate_point(&cube, DVec3::NAN), Err(bad("point")));
    assert_eq!(closer_than(&cube, &cube, &Pose::IDENTITY, f64::NAN), Err(bad("margin")));
}

#[test]
fn a_batch_of_another_length_writes_nothing() {
    let cube = Body::from(Polytope::cuboid(DVec3::ONE).unwrap());
    let mut answers = [distance(&cube, &cube, &Pose::from_translation(DVec3::X * 3.0).unwrap()).unwrap()];
    let before = answers;
    let refused = Tracker::new().update_all(&cube, &cube, &[Pose::IDENTITY; 2], &mut answers);
    assert_eq!((refused, answers), (Err(QueryError::BatchLength { poses: 2, answers: 1 }), before));
}

#[test]
fn rotations_and_normals_that_are_none_are_refused() {
    let mirror = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
    assert_eq!(Pose::from_matrix(mirror, DVec3::ZERO), Err(PoseError::NotRotation { by: 2.0 }));
    let none = HalfSpace::new(DVec3::ZERO, 1.0).unwrap_err();
    assert_eq!(none, ShapeError::NoDirection { field: "normal" });
}
