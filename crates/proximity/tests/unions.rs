//! Unions of convex parts, answered part by part, against the search over all of their pieces.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Ended, Precision, Scratch, State, distance, nearest_points};
use clearance_testkit::{Random, check_nearest};

/// A convex part about as large as `size`.
fn part(random: &mut Random, size: f64) -> Part {
    let mut length = || size * random.uniform(0.2, 1.0);
    let (u, v, w) = (length(), length(), length());
    match random.index(6) {
        0 => Part::Polytope(Polytope::cuboid(DVec3::new(u, v, w)).unwrap()),
        1 => {
            let points: Vec<DVec3> = (0..12).map(|_| random.direction() * u).collect();
            Part::Polytope(Polytope::from_points(&points).unwrap())
        }
        2 => Part::Tiled(TiledBody::sphere(u).unwrap()),
        3 => Part::Tiled(TiledBody::cylinder(u, v).unwrap()),
        4 => Part::Tiled(TiledBody::cone(u, v, None).unwrap()),
        _ => Part::Tiled(TiledBody::ellipsoid([u, v, w]).unwrap()),
    }
}

fn pose(random: &mut Random, far: f64) -> Pose {
    Pose::new(random.quaternion(), random.in_ball() * far).unwrap()
}

fn union(random: &mut Random, size: f64) -> Body {
    let count = 1 + random.index(5);
    let parts = (0..count).map(|_| (part(random, size), pose(random, 2.0 * size))).collect();
    PartTree::of_parts(parts).unwrap().into()
}

#[test]
fn parts_agree_with_the_search_over_pieces() {
    let (mut apart, mut met, mut second) = (0, 0, 0);
    for case in 0..300 {
        let mut random = Random::for_case(71, case);
        let size = random.log_uniform(-5.0, 5.0);
        let a = union(&mut random, size);
        let b = if random.chance(0.3) {
            match part(&mut random, size) {
                Part::Tiled(tiled) => tiled.into(),
                Part::Polytope(polytope) => polytope.into(),
                _ => continue,
            }
        } else {
            union(&mut random, size)
        };
        let far = pose(&mut random, 4.0 * size);
        let answer = distance(&a, &b, &far).unwrap();
        let (nearest, _) = nearest_points(&a, &b, &far, &Precision::default()).unwrap();
        if answer.state != State::Separated {
            met += 1;
            continue;
        }
        check_nearest(&a, &b, &far, &answer, 8.0 * size)
            .unwrap_or_else(|error| panic!("case {case}: {error}"));
        let mirrored = distance(&b, &a, &far.inverse()).unwrap();
        assert!(
            (mirrored.distance - answer.distance).abs() <= 1e-12 * size,
            "case {case}: {mirrored:?} {answer:?}"
        );
        let Ended::Certified(proof) = answer.ended else { panic!("case {case}: {answer:?}") };
        let tolerance = 1e-9 * size;
        assert!(
            (answer.distance - nearest.proximity.distance).abs() <= tolerance,
            "case {case}: {answer:?} {nearest:?}"
        );
        // Each lower bound holds for the points of the other.
        assert!(proof.lower <= nearest.proximity.distance && nearest.lower <= answer.distance, "case {case}");
        apart += 1;
        second += usize::from(answer.witnesses.iter().any(|witness| witness.leaf > 0));
    }
    assert!(apart > 150 && met > 20 && second > 80, "{apart} {met} {second}");
}

/// A rim that comes to a ball of a union, as moments before an impact have it: the gap is about the error asked for.
#[test]
fn a_rim_close_to_a_ball_of_a_union_is_proven_at_once() {
    let (radius, half) = (0.32, 0.14);
    let pin = Body::from(TiledBody::cylinder(radius, 2.0 * half).unwrap());
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let parts = vec![
        (Part::Tiled(TiledBody::sphere(0.5).unwrap()), at(1.0)),
        (Part::Polytope(Polytope::cuboid(DVec3::ONE).unwrap()), at(-1.0)),
    ];
    let union = Body::from(PartTree::of_parts(parts).unwrap());
    let normal = DVec3::new(0.8, 0.3, 0.45).normalize();
    let rim = (normal.with_z(0.0).normalize() * radius).with_z(half);
    let axis = DVec3::new(0.2, 0.9, 0.4).normalize();
    for gap in [2.77e-7, 1e-6, 1e-5, 3e-8] {
        let middle = rim + normal * (gap + 0.5);
        let turned = |place: DVec3| Pose::from_axis_angle(axis, 1.1, place).unwrap();
        let pose = turned(middle - turned(DVec3::ZERO).apply(DVec3::X));
        let precision = Precision { max_error: Some(2.5e-7), ..Precision::default() };
        let found = Scratch::new().find(&pin, &union, &pose, &precision).unwrap();
        let lower = found.lower.unwrap();
        assert!((found.proximity.distance - gap).abs() < 1e-13, "{gap}: {found:?}");
        assert!(lower >= gap - 2.6e-7 && lower <= gap + 1e-14, "{gap}: {found:?}");
        assert!(found.proximity.work.iterations < 50, "{gap}: {found:?}");
    }
}

/// Two balls of a union as far from a third: both are told.
#[test]
fn ties_between_parts_are_all_told() {
    let ball = || Part::Tiled(TiledBody::sphere(0.5).unwrap());
    let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0)).unwrap();
    let pair = Body::from(PartTree::of_parts(vec![(ball(), at(-2.0, 0.0)), (ball(), at(2.0, 0.0))]).unwrap());
    let one = Body::from(TiledBody::sphere(0.25).unwrap());
    let found = Scratch::new().find(&pair, &one, &at(0.0, 1.5), &Precision::default()).unwrap();
    assert_eq!(found.ties.len(), 2, "{found:?}");
    let leaves: Vec<u32> = found.ties.iter().map(|tie| tie.witnesses[0].leaf).collect();
    assert!(leaves.contains(&0) && leaves.contains(&1), "{leaves:?}");
    let alone = Scratch::new().find(&pair, &one, &at(0.5, 1.5), &Precision::default()).unwrap();
    assert_eq!((alone.ties.len(), alone.proximity.witnesses[0].leaf), (1, 1), "{alone:?}");
}

/// A small body of many parts beside a large face: the distances of the balls' centres from the ring's circle tell all, and the
/// face is cut before the small body is opened against all of it.
#[test]
fn a_small_union_beside_a_large_ring_takes_few_pairs() {
    let ring = Body::from(TiledBody::torus(1000.0, 300.0).unwrap());
    let place = |k: u32| DVec3::new(f64::from(k % 5), f64::from(k / 5 % 5), f64::from(k / 25)) * 0.5;
    let balls = (0..50)
        .map(|k| (Part::Tiled(TiledBody::sphere(0.2).unwrap()), Pose::from_translation(place(k)).unwrap()));
    let small = Body::from(PartTree::of_parts(balls.collect()).unwrap());
    let mut pairs = 0;
    // In the ring's hole no plane keeps them apart.
    for (turn, off) in [(0.3, 300.0), (1.1, 400.0), (2.0, 600.0), (4.0, 690.0)] {
        let to = DVec3::new(f64::cos(turn), f64::sin(turn), 0.02).normalize() * off;
        let pose_ab = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 0.5).normalize(), turn, to).unwrap();
        let (found, _) = nearest_points(&ring, &small, &pose_ab, &Precision::default()).unwrap();
        let gap = |k: u32| {
            let center = pose_ab.apply(place(k));
            (center.x.hypot(center.y) - 1000.0).hypot(center.z) - 300.2
        };
        let known = (0..50).map(gap).fold(f64::INFINITY, f64::min);
        assert!((found.proximity.distance - known).abs() < 1e-8, "{known} {found:?}");
        assert!(found.lower <= known + 1e-9, "{known} {found:?}");
        pairs += found.work.pairs;
    }
    // 5,238; 22,606 where the small body is opened first.
    assert!(pairs < 8_000, "{pairs}");
}
