//! Bodies that touch exactly, and errors below rounding: the search ends after few pairs and says what it knows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::curve::{Range, Rect};
use clearance_geometry::surface::Plane;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Ended, Precision, State, distance, nearest_points};
use clearance_testkit::Random;
use clearance_testkit::generate::{nurbs_ellipsoid, nurbs_lathe, nurbs_net, nurbs_torus};
use std::time::Instant;

/// Far more than any of these takes, and a thousandth of what a search may.
const FEW: u32 = 8_000;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn at_point(place: DVec3) -> Pose {
    Pose::from_translation(place).unwrap()
}

fn cube(size: [f64; 3]) -> Polytope {
    Polytope::cuboid(DVec3::from(size)).unwrap()
}

fn ball(radius: f64) -> Body {
    TiledBody::sphere(radius).unwrap().into()
}

fn ring() -> Body {
    TiledBody::torus(2.0, 0.5).unwrap().into()
}

/// A square of the plane z = 0, four wide.
fn sheet() -> Body {
    let side = Range::new(-2.0, 2.0);
    let patch = Patch::new(Plane::new(Pose::IDENTITY)).over(Rect::new(side, side));
    TiledBody::from_patches(&[patch], None).unwrap().into()
}

fn assert_touching(a: &Body, b: &Body, pose_ab: &Pose, what: &str) {
    for (a, b, pose) in [(a, b, *pose_ab), (b, a, pose_ab.inverse())] {
        let answer = distance(a, b, &pose).unwrap();
        assert_eq!(answer.state, State::Touching, "{what}: {answer:?}");
        assert!(!matches!(answer.ended, Ended::Limit), "{what}: {answer:?}");
        assert!(answer.work.iterations < FEW, "{what}: {answer:?}");
    }
}

#[test]
fn exact_tangency_is_touching_after_few_pairs() {
    assert_touching(&sheet(), &ball(1.0), &at(0.1234, 0.2345, 1.0), "ball on a sheet");
    assert_touching(
        &cube([2.0; 3]).into(),
        &ball(1.0).boundary(),
        &at(0.0, 0.0, 2.0),
        "hollow ball on a box",
    );
    let parts = vec![
        (Part::Polytope(cube([1.0; 3])), at(1.0, 0.0, 0.0)),
        (Part::Polytope(cube([1.0; 3])), at(5.0, 0.0, 0.0)),
    ];
    let union = Body::from(PartTree::of_parts(parts).unwrap());
    assert_touching(&union, &ball(0.5), &Pose::IDENTITY, "ball on one box of two");
    let upright = Pose::from_axis_angle(DVec3::X, 90_f64.to_radians(), DVec3::new(0.0, 0.0, 3.0)).unwrap();
    assert_touching(&cube([8.0, 8.0, 1.0]).into(), &ring(), &upright, "ring standing on a box");
}

/// What touches at a random place does so but for rounding.
#[test]
fn tangency_at_random_poses_ends_after_few_pairs() {
    let mut random = Random::new(11);
    let (sheet, ring) = (sheet(), ring());
    for case in 0..120 {
        let (axis, angle) = (random.direction(), 3.0 * random.unit());
        let [x, y] = [0, 1].map(|_| 3.0 * random.unit() - 1.5);
        let (a, place, b) = match case % 3 {
            0 => (&sheet, DVec3::new(x, y, 1.0), ball(1.0)),
            1 => (&sheet, DVec3::new(x, y, -0.25), ball(0.25)),
            // On the outer equator of the ring.
            _ => (&ring, DVec3::new(x, y, 0.0).normalize_or(DVec3::X) * 3.25, ball(0.75)),
        };
        // Turned about its own centre it is the same ball, touched elsewhere on its patches.
        let pose_ab = Pose::from_axis_angle(axis, angle, place).unwrap();
        assert_touching(a, &b, &pose_ab, &format!("case {case}"));
    }
}

#[test]
fn an_overlap_or_a_gap_beside_tangency_is_not_called_touching() {
    let upright =
        |z: f64| Pose::from_axis_angle(DVec3::X, 90_f64.to_radians(), DVec3::new(0.0, 0.0, z)).unwrap();
    let plate = Body::from(cube([8.0, 8.0, 1.0]));
    for gap in [1e-3, 1e-6, 1e-9, 1e-11] {
        let apart = distance(&plate, &ring(), &upright(3.0 + gap)).unwrap();
        assert_eq!(apart.state, State::Separated, "{gap}: {apart:?}");
        assert!((apart.distance - gap).abs() < 1e-13, "{gap}: {apart:?}");
        let into = distance(&plate, &ring(), &upright(3.0 - gap)).unwrap();
        assert_eq!(into.state, State::Penetrating, "{gap}: {into:?}");
        assert!(apart.work.iterations < FEW && into.work.iterations < FEW, "{gap}: {apart:?} {into:?}");
    }
}

/// Points and balls off a solid by a few roundings of its points: they touch it or are on the side where they were put, and points
/// use up no budget.
#[test]
fn what_is_within_rounding_of_a_face_touches_it() {
    let mut random = Random::new(23);
    let cup = [[0.0, -1.0], [0.8, -1.0], [1.0, 0.5], [0.6, 0.9], [0.0, 0.7]];
    let solids = [nurbs_torus(2.0, 0.5), nurbs_ellipsoid(DVec3::new(1.0, 0.6, 0.35)), nurbs_lathe(&cup)]
        .map(Body::from);
    let point = Body::from(Polytope::point());
    let mut touching = 0;
    for case in 0..24 {
        let solid = &solids[case % 3];
        let far = at_point(random.direction() * 20.0);
        let foot = distance(solid, &point, &far).unwrap();
        let (place, out) = (foot.witnesses[0].point, foot.normal);
        for roundings in [0.0, 8.0, 32.0, 64.0, 80.0, 100.0, 150.0, 300.0, 1000.0, 5000.0] {
            for sign in [-1.0, 1.0] {
                let off = sign * roundings * f64::EPSILON;
                let what = format!("case {case}, {off:e}");
                let pose = at_point(place + out * off);
                let put = if sign > 0.0 { State::Separated } else { State::BInsideA };
                let seen = |a: &Body, b: &Body, pose: &Pose, put: State| {
                    let answer = distance(a, b, pose).unwrap();
                    let told = answer.state == State::Touching || roundings > 32.0 && answer.state == put;
                    assert!(told, "{what}: {answer:?}");
                    answer
                };
                let answer = seen(solid, &point, &pose, put);
                assert!(answer.ended != Ended::Limit, "{what}: {answer:?}");
                touching += usize::from(answer.state == State::Touching);
                seen(&point, solid, &pose.inverse(), put.swapped());
                // Whether a ball a little deeper overlaps at all takes long to tell.
                if sign > 0.0 || roundings <= 100.0 {
                    let small = at_point(place + out * (0.01 + off));
                    let put = if sign > 0.0 { State::Separated } else { State::Penetrating };
                    seen(solid, &ball(0.01), &small, put);
                }
            }
        }
    }
    assert!((250..430).contains(&touching), "{touching}");
}

/// The same beside an open patch, which has no inside.
#[test]
fn points_within_rounding_of_a_patch_touch_it() {
    let mut random = Random::new(24);
    let (patch, point) = (Body::from(nurbs_net(0.7)), Body::from(Polytope::point()));
    let (mut touching, mut apart) = (0, 0);
    for case in 0..40 {
        let far = at_point(random.direction() * 20.0);
        let foot = distance(&patch, &point, &far).unwrap();
        for roundings in [0.0, 16.0, 32.0, 64.0, 100.0, 200.0, 400.0, 1000.0, 5000.0] {
            for sign in [-1.0, 1.0] {
                let off = sign * roundings * f64::EPSILON;
                let answer =
                    distance(&patch, &point, &at_point(foot.witnesses[0].point + foot.normal * off)).unwrap();
                assert!(answer.ended != Ended::Limit, "case {case}, {off:e}: {answer:?}");
                match answer.state {
                    State::Touching => touching += 1,
                    state => {
                        assert!(
                            state == State::Separated && roundings > 32.0,
                            "case {case}, {off:e}: {answer:?}"
                        );
                        apart += 1;
                    }
                }
            }
        }
    }
    assert!(touching > 300 && apart > 150, "{touching} {apart}");
}

/// A rim that comes to a ball of a union, as moments before an impact have it: the gap is about the error asked for.
#[test]
fn a_rim_close_to_a_ball_takes_few_pairs() {
    let (radius, half) = (0.32, 0.14);
    let pin = Body::from(TiledBody::cylinder(radius, 2.0 * half).unwrap());
    let parts = vec![
        (Part::Tiled(TiledBody::sphere(0.5).unwrap()), at(1.0, 0.0, 0.0)),
        (Part::Polytope(cube([1.0; 3])), at(-1.0, 0.0, 0.0)),
    ];
    let union = Body::from(PartTree::of_parts(parts).unwrap());
    let normal = DVec3::new(0.8, 0.3, 0.45).normalize();
    let rim = (normal.with_z(0.0).normalize() * radius).with_z(half);
    let axis = DVec3::new(0.2, 0.9, 0.4).normalize();
    for gap in [2.77e-7, 1e-6, 1e-5, 3e-8] {
        let middle = rim + normal * (gap + 0.5);
        let turned = |place: DVec3| Pose::from_axis_angle(axis, 1.1, place).unwrap();
        let pose = turned(middle - turned(DVec3::ZERO).apply(DVec3::X));
        let precision = Precision { max_error: Some(0.5 * gap), ..Precision::default() };
        let (nearest, _) = nearest_points(&pin, &union, &pose, &precision).unwrap();
        assert!((nearest.proximity.distance - gap).abs() < 1e-13, "{gap}: {nearest:?}");
        assert!(nearest.lower >= 0.49 * gap && nearest.lower <= gap + 1e-14, "{gap}: {nearest:?}");
        assert!(nearest.work.pairs < u64::from(2 * FEW), "{gap}: {nearest:?}");
    }
}

#[test]
fn a_ball_inside_a_tube_has_its_distance_by_a_formula() {
    for (radius, off) in [(0.2, DVec3::ZERO), (1e-3, DVec3::ZERO), (0.2, DVec3::new(0.1, 0.0, 0.05))] {
        for turn in [0.0, 0.7] {
            let center =
                Pose::from_axis_angle(DVec3::Z, turn, DVec3::ZERO).unwrap().apply(DVec3::X * 2.0 + off);
            let pose = Pose::from_translation(center).unwrap();
            let answer = distance(&ring(), &ball(radius), &pose).unwrap();
            assert_eq!(answer.state, State::BInsideA, "{answer:?}");
            let [p, q] = answer.witnesses.map(|witness| witness.point);
            let expected = 0.5 - off.length() - radius;
            assert!((p.distance(q) - expected).abs() < 1e-14, "{answer:?}");
            assert!(answer.work.iterations < FEW, "{answer:?}");
        }
    }
}

#[test]
fn an_error_below_rounding_stalls_after_few_pairs() {
    let check = |a: &Body, b: &Body, pose: &Pose, max_error: Option<f64>, expected: f64| {
        let precision = Precision { max_error, ..Precision::default() };
        let (nearest, _) = nearest_points(a, b, pose, &precision).unwrap();
        let answer = nearest.proximity;
        assert!((answer.distance - expected).abs() < 1e-12 * (1.0 + expected), "{answer:?}");
        assert!(nearest.lower <= answer.distance && nearest.lower >= expected * (1.0 - 1e-11), "{nearest:?}");
        assert!(nearest.work.pairs < u64::from(2 * FEW), "{nearest:?}");
        matches!(answer.ended, Ended::Stalled { residual } if residual > 0.0 && residual < 1e-10 * expected)
    };
    assert!(check(&ball(1.0), &ring(), &at(5.0, 0.0, 0.0), Some(1e-300), 1.5));
    assert!(check(&ball(1.0), &ring(), &at(5.0, 0.0, 0.0), Some(1e-15), 1.5));
    // The usual error is a share of the bodies, and their distance is rounded by more.
    let off = |x: f64| (x * x + 1.0_f64).sqrt();
    check(&ring(), &ball(1.0), &at(3e5, 1.0, 0.0), None, off(3e5) - 3.5);
    assert!(check(&ring(), &ring(), &at(1e7, 0.0, 0.0), None, 1e7 - 5.0));
}

#[test]
fn a_search_ends_when_its_time_has_passed() {
    // Two tubes of splines about each other would take long; a deadline that has passed ends the search at its first look.
    let precision =
        Precision { max_error: Some(1e-12), deadline: Some(Instant::now()), ..Precision::default() };
    let (nearest, _) = nearest_points(&ring(), &ring(), &at(0.0, 0.0, 1e-3), &precision).unwrap();
    assert!(nearest.work.pairs <= 64, "{nearest:?}");
    assert!(nearest.lower <= nearest.proximity.distance);
}
