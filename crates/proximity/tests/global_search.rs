//! The certified search between curved bodies against a blind multistart descent, closed forms, its own mirror image.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, HalfSpace, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Ended, Precision, State, distance, local_minima, nearest_points};
use clearance_testkit::oracle::{Effort, multistart};
use clearance_testkit::{Random, check_nearest};
use std::collections::BTreeMap;

/// A sheet of bicubic waves, open on all sides.
fn waves(scale: f64) -> Body {
    let knots = || vec![0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0];
    let height = |i: usize, j: usize| 0.4 * f64::from((i * 7 + j * 5) as u32 % 4) - 0.5;
    let point =
        |i: usize, j: usize| DVec3::new(0.5 * i as f64 - 1.0, 0.5 * j as f64 - 1.0, height(i, j)) * scale;
    let net: Vec<Vec<DVec3>> = (0..5).map(|i| (0..5).map(|j| point(i, j)).collect()).collect();
    let sheet = NurbsSurface::new([3, 3], [knots(), knots()], &net, None).unwrap();
    TiledBody::from_patches(&[Patch::new(sheet)], None).unwrap().into()
}

/// A bowl with a reflex edge and a foot.
fn bowl(scale: f64) -> Body {
    let p = |r: f64, z: f64| DVec2::new(r, z) * scale;
    let profile = [
        Segment::Line { from: p(0.0, 0.0), to: p(0.5, 0.0) },
        Segment::Line { from: p(0.5, 0.0), to: p(0.4, 0.3) },
        Segment::Line { from: p(0.4, 0.3), to: p(1.2, 1.0) },
        Segment::Line { from: p(1.2, 1.0), to: p(1.0, 1.0) },
        Segment::Line { from: p(1.0, 1.0), to: p(0.0, 0.4) },
    ];
    TiledBody::revolve(&profile).unwrap().into()
}

fn union(scale: f64) -> Body {
    let pin = TiledBody::cylinder(0.2 * scale, 2.0 * scale).unwrap();
    let cube = Polytope::cuboid(DVec3::new(1.0, 0.4, 0.4) * scale).unwrap();
    let at = |x: f64, y: f64| Pose::from_axis_angle(DVec3::X, y, DVec3::X * x * scale).unwrap();
    let inner = Part::Union(vec![(Part::Polytope(cube), at(-0.8, 0.3)), (Part::Tiled(pin), at(0.1, 1.0))]);
    let ball = TiledBody::sphere(0.4 * scale).unwrap();
    PartTree::of_parts(vec![(inner, at(0.0, 0.7)), (Part::Tiled(ball), at(0.9, 0.0))]).unwrap().into()
}

fn kinds(scale: f64) -> Vec<(&'static str, Body)> {
    let tiled = |body: TiledBody| Body::from(body);
    vec![
        ("sphere", tiled(TiledBody::sphere(scale).unwrap())),
        ("ellipsoid", tiled(TiledBody::ellipsoid([scale, 0.6 * scale, 0.3 * scale]).unwrap())),
        ("cylinder", tiled(TiledBody::cylinder(0.5 * scale, 2.0 * scale).unwrap())),
        ("cone", tiled(TiledBody::cone(0.7 * scale, 1.5 * scale, None).unwrap())),
        ("stump", tiled(TiledBody::cone(0.7 * scale, 1.0 * scale, Some(0.3 * scale)).unwrap())),
        ("capsule", tiled(TiledBody::capsule(0.3 * scale, 1.2 * scale).unwrap())),
        ("torus", tiled(TiledBody::torus(scale, 0.3 * scale).unwrap())),
        ("box", Polytope::cuboid(DVec3::new(1.0, 2.0, 0.5) * scale).unwrap().into()),
        ("point", Polytope::point().into()),
        ("segment", Polytope::segment([DVec3::ZERO, DVec3::new(1.0, 0.5, 0.2) * scale]).unwrap().into()),
        ("waves", waves(scale)),
        ("bowl", bowl(scale)),
        ("union", union(scale)),
    ]
}

fn random_pose(random: &mut Random, size: f64) -> Pose {
    let away = random.direction() * size * random.uniform(0.5, 1.4);
    Pose::new(random.quaternion(), away).unwrap()
}

/// All kinds against all at one scale, `rounds` poses each; how the answers were mixed.
fn sweep(seed: u64, scale: f64, rounds: usize) -> BTreeMap<&'static str, usize> {
    let mut random = Random::new(seed);
    let bodies = kinds(scale);
    let mut mix = BTreeMap::new();
    for (i, (name_a, a)) in bodies.iter().enumerate() {
        for (name_b, b) in &bodies[i..] {
            if matches!((a, b), (Body::Polytope(_), Body::Polytope(_))) {
                continue;
            }
            for round in 0..rounds {
                let pose_ab = random_pose(&mut random, 2.0 * scale);
                let what = format!("{name_a} {name_b} {round} {pose_ab:?}");
                let (near, _) = nearest_points(a, b, &pose_ab, &Precision::default()).unwrap();
                let p = near.proximity;
                check_nearest(a, b, &pose_ab, &p, 4.0 * scale).unwrap_or_else(|why| panic!("{what}: {why}"));
                assert!(matches!(p.ended, Ended::Certified(_)), "{what}: {p:?}");
                assert!(
                    near.lower <= p.distance && p.distance - near.lower <= 1e-8 * scale,
                    "{what}: {near:?}"
                );
                let found = multistart(a, b, &pose_ab, Effort::QUICK, &mut random);
                assert!(found >= near.lower - 1e-13 * scale, "{what}: multistart {found:e} below {near:?}");
                let swapped = distance(b, a, &pose_ab.inverse()).unwrap();
                assert!((swapped.distance - p.distance).abs() <= 1e-8 * scale, "{what}: {swapped:?} {p:?}");
                let word = match p.state {
                    State::Touching => "contact",
                    _ => ["vertex", "edge", "face"][p.witnesses[0].feature.dimension()],
                };
                *mix.entry(word).or_default() += 1;
            }
        }
    }
    mix
}

#[test]
fn nearest_points_are_never_farther_than_a_multistart_finds() {
    let mix = sweep(1, 1.0, 2);
    for word in ["vertex", "edge", "face", "contact"] {
        assert!(mix.get(word).is_some_and(|count| *count >= 5), "{mix:?}");
    }
}

#[test]
fn nearest_points_hold_for_tiny_and_huge_bodies() {
    for scale in [1e-6, 1e6] {
        sweep(2, scale, 1);
    }
}

#[test]
fn spheres_and_tori_have_their_closed_forms() {
    let mut random = Random::new(3);
    let (ball, ring) = (TiledBody::sphere(0.5).unwrap(), TiledBody::torus(2.0, 0.5).unwrap());
    for _ in 0..50 {
        let center = random.in_ball() * 6.0;
        let (ball, ring) = (Body::from(ball.clone()), Body::from(ring.clone()));
        let pose_ab = Pose::new(random.quaternion(), center).unwrap();
        let circle = DVec2::new(center.truncate().length() - 2.0, center.z).length();
        let expected = if circle < 1.0 { (circle - 1.0).max(0.0) } else { circle - 1.0 };
        let p = distance(&ring, &ball, &pose_ab).unwrap();
        // A ball inside the tube has a boundary of its own distance.
        let inside = (0.5 - circle - 0.5).max(0.0);
        assert!((p.distance - expected.max(inside)).abs() < 1e-9, "{center} {expected} {p:?}");
    }
}

#[test]
fn a_search_without_a_budget_ends_with_honest_bounds() {
    let mut random = Random::new(4);
    let bodies = kinds(1.0);
    for max_pairs in [0, 1, 10, 100] {
        for (_, a) in &bodies {
            let (_, b) = random.pick(&bodies);
            if matches!((a, b), (Body::Polytope(_), Body::Polytope(_))) {
                continue;
            }
            let pose_ab = random_pose(&mut random, 2.0);
            let precision = Precision { max_pairs: Some(max_pairs), ..Precision::default() };
            let (near, _) = nearest_points(a, b, &pose_ab, &precision).unwrap();
            let whole = distance(a, b, &pose_ab).unwrap();
            assert!(near.proximity.distance.is_finite() && near.lower.is_finite());
            assert!(near.lower <= whole.distance + 1e-12 && near.proximity.distance >= whole.distance - 1e-8);
        }
    }
}

#[test]
fn closest_points_that_are_not_unique_end_with_a_proven_gap() {
    // A ball in the middle of a ring: a whole circle is nearest.
    let (ball, ring) = (TiledBody::sphere(0.5).unwrap(), TiledBody::torus(2.0, 0.5).unwrap());
    let precision = Precision { max_pairs: Some(20_000), ..Precision::default() };
    let (near, _) = nearest_points(&ring.into(), &ball.into(), &Pose::IDENTITY, &precision).unwrap();
    assert!((near.proximity.distance - 1.0).abs() < 1e-12);
    assert!(near.lower <= 1.0 && near.lower > 0.999, "{}", near.lower);
}

#[test]
fn ties_are_all_found() {
    // Two balls of one body at the same distance from a ball in the middle.
    let ball = || Part::Tiled(TiledBody::sphere(0.5).unwrap());
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let pair = Body::from(PartTree::of_parts(vec![(ball(), at(-2.0)), (ball(), at(2.0))]).unwrap());
    let middle = Body::from(TiledBody::sphere(0.5).unwrap());
    let turned = Pose::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0, DVec3::ZERO).unwrap();
    let (near, _) = nearest_points(&pair, &middle, &turned, &Precision::default()).unwrap();
    assert_eq!(near.ties.len(), 2);
    assert!(near.ties.iter().all(|tie| (tie.distance - 1.0).abs() < 1e-12));
    let leaves: Vec<u32> = near.ties.iter().map(|tie| tie.witnesses[0].leaf).collect();
    assert!(leaves.contains(&0) && leaves.contains(&1));
}

#[test]
fn all_minima_of_a_bowl_and_a_ball_are_found() {
    // Above the middle of an open bowl there is one minimum below, and none on the rim, which is a circle of them.
    let (minima, _) = local_minima(
        &waves(1.0),
        &TiledBody::sphere(0.1).unwrap().into(),
        &Pose::from_translation(DVec3::new(0.1, 0.05, 3.0)).unwrap(),
    )
    .unwrap();
    assert!(!minima.is_empty());
    for pair in minima.windows(2) {
        assert!(pair[0].distance <= pair[1].distance);
    }
    let best = distance(
        &waves(1.0),
        &TiledBody::sphere(0.1).unwrap().into(),
        &Pose::from_translation(DVec3::new(0.1, 0.05, 3.0)).unwrap(),
    )
    .unwrap();
    assert!((minima[0].distance - best.distance).abs() < 1e-9);
}

#[test]
fn apex_far_from_the_origin_is_proven_to_be_nearest() {
    let cone = TiledBody::cone(1.0, 2.0, None).unwrap();
    let ball = Body::from(TiledBody::sphere(0.2).unwrap());
    for far in [DVec3::ZERO, DVec3::new(600.0, -700.0, 400.0)] {
        let parts = vec![(Part::Tiled(cone.clone()), Pose::from_translation(far).unwrap())];
        let cone = Body::from(PartTree::of_parts(parts).unwrap());
        // All around the axis, straight above the apex and next to where a ruling becomes nearest.
        for k in 0..24 {
            let (sin, cos) = (0.3 + f64::from(k)).sin_cos();
            let lean = [0.0, 0.2, 0.44][k as usize % 3];
            let apex = far + DVec3::Z * 2.0;
            let shift = apex + DVec3::new(lean * cos, lean * sin, 1.0);
            let turned = Pose::from_axis_angle(DVec3::new(0.48, 0.6, 0.64), f64::from(k), shift).unwrap();
            let (near, _) = nearest_points(&cone, &ball, &turned, &Precision::default()).unwrap();
            let p = near.proximity;
            assert!(p.witnesses[0].point.distance(apex) < 1e-6, "{k}: {p:?}");
            assert!(matches!(p.ended, Ended::Certified(_)), "{k}: {p:?} {:?}", near.work);
            assert!(near.work.pairs < 5_000, "{k}: {:?}", near.work);
        }
    }
}

#[test]
fn apex_beside_a_rim_has_the_foot_of_its_perpendicular() {
    let mut random = Random::new(41);
    let mut rims = 0;
    for _ in 0..200 {
        let scale = *random.pick(&[1e-5, 1.0, 1e4]);
        let cone = Body::from(TiledBody::cone(0.7 * scale, 0.4 * scale, None).unwrap());
        let stud = Body::from(TiledBody::cylinder(0.05 * scale, 0.03 * scale).unwrap());
        let above =
            DVec3::new(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(0.7, 1.2));
        let pose = random_pose(&mut random, 0.0).with_translation(above * scale);
        let (near, bodies) = nearest_points(&cone, &stud, &pose, &Precision::default()).unwrap();
        check_nearest(&cone, &stud, &pose, &near.proximity, bodies[0].radius() + bodies[1].radius()).unwrap();
        rims += usize::from(near.proximity.witnesses[1].feature.dimension() == 1);
    }
    assert!(rims > 50, "{rims}");
}

/// A search that keeps its proof works on pairs of pieces in trees alone. Bodies of few pieces, convex ones kept whole and planes
/// along cylinders must come to the same.
#[test]
fn shortcuts_agree_with_the_search_that_keeps_its_proof() {
    let mut random = Random::new(77);
    let bodies = kinds(1.0);
    let find = |name: &str| &bodies.iter().find(|(known, _)| *known == name).unwrap().1;
    let pairs = [
        ("waves", "waves"),
        ("cone", "waves"),
        ("waves", "cylinder"),
        ("box", "waves"),
        ("ellipsoid", "bowl"),
        ("bowl", "stump"),
        ("bowl", "cylinder"),
        ("waves", "bowl"),
    ];
    let mut apart = 0;
    for (name_a, name_b) in pairs {
        for round in 0..12 {
            let (a, b) = (find(name_a), find(name_b));
            let pose_ab = random_pose(&mut random, 3.0);
            let loose = Precision { max_error: Some(1e-4), ..Precision::default() };
            let kept = Precision { proof: Some(2.0), ..loose };
            let (quick, _) = nearest_points(a, b, &pose_ab, &Precision::default()).unwrap();
            let (slow, _) = nearest_points(a, b, &pose_ab, &kept).unwrap();
            let what = format!("{name_a} {name_b} {round}");
            apart += usize::from(quick.proximity.state == State::Separated);
            assert!(quick.lower <= slow.proximity.distance + 1e-12, "{what}: a bound above two points");
            assert!(slow.lower <= quick.proximity.distance + 1e-12, "{what}: points below a bound");
            assert!(matches!(quick.proximity.ended, Ended::Certified(_)), "{what}");
            assert!(quick.proximity.distance - quick.lower <= 1e-8, "{what}");
        }
    }
    assert!(apart > 60, "{apart}");
}

/// Edges and vertices of sheets have no cells of their own where patches stand for them; those that keep a proof have.
#[test]
fn edges_left_to_their_patches_are_found() {
    let mut random = Random::new(78);
    let (mut rims, mut corners) = (0, 0);
    for scale in [1.0, 1e4] {
        let sheet = waves(scale);
        for round in 0..50 {
            let pose_ab = random_pose(&mut random, 3.0 * scale);
            let precision = Precision { max_error: Some(1e-8 * scale), ..Precision::default() };
            let kept = Precision { max_error: Some(1e-4 * scale), proof: Some(2.0), ..precision };
            let (quick, _) = nearest_points(&sheet, &sheet, &pose_ab, &precision).unwrap();
            let (slow, _) = nearest_points(&sheet, &sheet, &pose_ab, &kept).unwrap();
            let round_off = 1e-12 * scale;
            assert!(quick.lower <= slow.proximity.distance + round_off, "{round}: a bound above two points");
            assert!(slow.lower <= quick.proximity.distance + round_off, "{round}: points below a bound");
            assert!(matches!(quick.proximity.ended, Ended::Certified(_)), "{round}");
            let dimensions = quick.proximity.witnesses.map(|witness| witness.feature.dimension());
            rims += usize::from(dimensions.contains(&1));
            corners += usize::from(dimensions.contains(&0));
        }
    }
    assert!(rims > 30 && corners > 10, "{rims} {corners}");
}

#[test]
fn minima_beside_a_half_space_are_on_its_plane() {
    // The middle of a box around the sheet is beyond the plane although the sheet is not.
    let knots = || vec![0.0, 0.0, 1.0, 1.0];
    let net = vec![
        vec![DVec3::new(-2.0, 1.0, 1.0), DVec3::new(1.0, -2.0, 1.0)],
        vec![DVec3::new(1.0, 1.0, -2.0), DVec3::new(4.0, -2.0, -2.0)],
    ];
    let sheet = NurbsSurface::new([1, 1], [knots(), knots()], &net, None).unwrap();
    let sheet = Body::from(TiledBody::from_patches(&[Patch::new(sheet)], None).unwrap());
    let normal = DVec3::new(1.0, 1.001, 1.002).normalize();
    let wall = Body::from(HalfSpace::new(normal, -0.1).unwrap());
    let apart = distance(&wall, &sheet, &Pose::IDENTITY).unwrap();
    assert!(apart.distance > 0.05);
    let (minima, _) = local_minima(&wall, &sheet, &Pose::IDENTITY).unwrap();
    assert!((minima[0].distance - apart.distance).abs() < 1e-9);
    for pair in &minima {
        assert!((normal.dot(pair.witnesses[0].point) + 0.1).abs() < 1e-9, "{pair:?}");
    }
}

#[test]
fn minima_are_not_seen_through_a_solid() {
    // A point over a flat disk with a washer's hole far off its middle: its lower face is nearest by its slopes alone, too.
    let sheet = |z: f64| {
        let net = vec![
            vec![DVec3::new(-1.0, -1.0, z), DVec3::new(-1.0, 1.0, z)],
            vec![DVec3::new(1.0, -1.0, z), DVec3::new(1.0, 1.0, z)],
        ];
        let knots = || vec![0.0, 0.0, 1.0, 1.0];
        TiledBody::from_patches(
            &[Patch::new(NurbsSurface::new([1, 1], [knots(), knots()], &net, None).unwrap())],
            None,
        )
        .unwrap()
    };
    let disk = TiledBody::cylinder(4.0, 0.5).unwrap();
    let at = |z: f64| Pose::from_translation(DVec3::new(0.7, 0.2, z)).unwrap();
    let corner = waves(0.3);
    let (minima, _) = local_minima(&disk.clone().into(), &corner, &at(2.0)).unwrap();
    assert!(!minima.is_empty());
    for pair in &minima {
        assert!((pair.witnesses[0].point.z - 0.25).abs() < 1e-9, "{pair:?}");
    }
    // An open part of a union with a solid has no inside: it is seen from both sides.
    let parts = vec![
        (Part::Tiled(sheet(0.0)), Pose::IDENTITY),
        (Part::Tiled(TiledBody::sphere(0.2).unwrap()), Pose::from_translation(DVec3::Z * -3.0).unwrap()),
    ];
    let union = Body::from(PartTree::of_parts(parts).unwrap());
    let point = Body::from(Polytope::point());
    for (z, expected) in [(-2.0, [0.8, 2.0]), (-1.2, [1.2, 1.6])] {
        let (minima, complete) =
            local_minima(&union, &point, &Pose::from_translation(DVec3::Z * z).unwrap()).unwrap();
        let found: Vec<f64> = minima.iter().map(|pair| pair.distance).collect();
        assert!(complete && found.len() == 2, "{found:?}");
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9), "{found:?}");
    }
}
