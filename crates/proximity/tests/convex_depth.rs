//! Penetration of convex bodies with curved faces against closed forms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod convex_common;

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::{Ended, State, convex};
use clearance_testkit::Random;
use convex_common::{Known, bodies, check, pose, separation};

/// The shortest way out by looking along many directions and improving the best by ever smaller turns.
fn by_sampling(a: &Known, b: &Known, pose: &Pose, random: &mut Random) -> f64 {
    let mut looked: Vec<(f64, DVec3)> = (0..800)
        .map(|_| {
            let n = random.direction();
            (-separation(a, b, pose, n), n)
        })
        .collect();
    looked.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut least = f64::INFINITY;
    for &(depth, n) in looked.iter().take(6) {
        let (mut depth, mut n, mut turn) = (depth, n, 0.1);
        while turn > 1e-9 {
            let next = (n + random.direction() * turn).normalize();
            let there = -separation(a, b, pose, next);
            if there < depth {
                (depth, n) = (there, next);
            } else {
                turn *= 0.93;
            }
        }
        least = least.min(depth);
    }
    least
}

#[test]
fn depths_are_the_least_over_all_directions() {
    let all = bodies(1.0);
    let (mut deep, mut certified) = (0, 0);
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            let mut random = Random::for_case(51, (i * 16 + j) as u64);
            for _ in 0..25 {
                let pose = pose(&mut random, 0.0, 1.8);
                let answer = convex::distance(&a.body, &b.body, &pose).unwrap();
                check(a, b, &pose, &answer).unwrap();
                if answer.signed_distance >= 0.0 {
                    continue;
                }
                deep += 1;
                certified += usize::from(matches!(answer.ended, Ended::Certified(_)));
                let sampled = by_sampling(a, b, &pose, &mut random);
                let depth = -answer.signed_distance;
                assert!(depth <= sampled + 1e-9, "{} {}: {depth} {sampled} {answer:?}", a.name, b.name);
            }
        }
    }
    assert!(deep > 1000 && certified * 100 > deep * 97, "{certified} of {deep}");
}

#[test]
fn bodies_inside_others_are_contained() {
    let ball = |r: f64| Body::from(TiledBody::sphere(r).unwrap());
    let can = |r: f64, h: f64| Body::from(TiledBody::cylinder(r, h).unwrap());
    let cube = |s: f64| Body::from(Polytope::cuboid(DVec3::splat(s)).unwrap());
    let egg = |s: f64| Body::from(TiledBody::ellipsoid([3.0 * s, 2.0 * s, s]).unwrap());
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let cases = [
        (ball(1.0), ball(3.0), at(0.0, 0.0, 0.0), State::AInsideB, 4.0),
        (ball(3.0), ball(1.0), at(0.5, 0.0, 0.0), State::BInsideA, 3.5),
        (can(1.0, 2.0), can(2.0, 6.0), at(0.0, 0.0, 0.0), State::AInsideB, 3.0),
        (can(2.0, 6.0), can(1.0, 2.0), at(0.25, 0.0, 0.0), State::BInsideA, 2.75),
        (cube(1.0), can(2.0, 6.0), at(0.0, 0.0, 0.0), State::AInsideB, 2.0 + 0.5),
        (cube(8.0), egg(1.0), at(0.0, 0.0, 1.0), State::BInsideA, 4.0 - 1.0 + 1.0),
        (egg(1.0), egg(2.0), at(0.0, 0.0, 0.0), State::AInsideB, 3.0),
        (egg(1.0), cube(4.0), at(0.0, 0.0, 0.0), State::Penetrating, 3.0),
        (can(1.0, 4.0), ball(2.1), at(0.0, 0.0, 0.0), State::Penetrating, 3.1),
        (can(1.0, 4.0), ball(2.3), at(0.0, 0.0, 0.0), State::AInsideB, 3.3),
    ];
    for (a, b, pose, state, depth) in cases {
        let answer = convex::distance(&a, &b, &pose).unwrap();
        assert_eq!(answer.state, state, "{answer:?}");
        assert!((answer.signed_distance + depth).abs() < 1e-9, "{depth} {answer:?}");
    }
}

#[test]
fn local_minima_are_listed_shortest_first() {
    let egg = Body::from(TiledBody::ellipsoid([3.0, 2.0, 1.0]).unwrap());
    let ways =
        convex::depths(&egg, &egg, &Pose::from_translation(DVec3::new(0.0, 0.0, 0.25)).unwrap()).unwrap();
    // Up and down along the short axis; sideways nothing is a minimum.
    assert_eq!(ways.len(), 2, "{ways:?}");
    assert!((ways[0].depth - 1.75).abs() < 1e-12 && ways[0].normal.distance(DVec3::Z) < 1e-7);
    assert!((ways[1].depth - 2.25).abs() < 1e-12 && ways[1].normal.distance(-DVec3::Z) < 1e-7);
    let can = Body::from(TiledBody::cylinder(1.0, 4.0).unwrap());
    let cube = Body::from(Polytope::cuboid(DVec3::splat(1.0)).unwrap());
    let ways =
        convex::depths(&can, &cube, &Pose::from_translation(DVec3::new(0.2, 0.0, 0.5)).unwrap()).unwrap();
    assert!((ways[0].depth - 1.3).abs() < 1e-12, "{ways:?}");
    assert!(ways.iter().any(|way| (way.depth - 2.0).abs() < 1e-12 && way.normal.distance(DVec3::Z) < 1e-7));
    assert!(ways.windows(2).all(|pair| pair[0].depth <= pair[1].depth));
    assert!(
        (convex::distance(&can, &cube, &Pose::from_translation(DVec3::new(0.2, 0.0, 0.5)).unwrap())
            .unwrap()
            .signed_distance
            + ways[0].depth)
            .abs()
            < 1e-12
    );
}

/// A ball in a box has a way out through each face; those through edges are as long as any beside them across the edge, and
/// longer than those to both sides along it.
#[test]
fn ways_out_over_edges_are_saddles() {
    let cube = Body::from(Polytope::cuboid(DVec3::new(2.0, 2.2, 2.4)).unwrap());
    let ball = Body::from(TiledBody::sphere(0.3).unwrap());
    let pose = Pose::from_translation(DVec3::new(0.1, 0.15, 0.2)).unwrap();
    for (a, b, pose) in [(&cube, &ball, pose), (&ball, &cube, pose.inverse())] {
        let ways = convex::depths(a, b, &pose).unwrap();
        let expected = [1.2, 1.25, 1.3, 1.4, 1.55, 1.7];
        assert_eq!(ways.len(), expected.len(), "{ways:?}");
        for (way, expected) in ways.iter().zip(expected) {
            assert!((way.depth - expected).abs() < 1e-12, "{ways:?}");
        }
    }
}

/// The least depth on a circle of directions around one.
fn least_around(depth: &impl Fn(DVec3) -> f64, n: DVec3, angle: f64) -> (f64, DVec3) {
    let (s, t) = n.any_orthonormal_pair();
    let at = |turn: f64| {
        let way = (n + (s * turn.cos() + t * turn.sin()) * angle).normalize();
        (depth(way), turn, way)
    };
    let mut step = std::f64::consts::TAU / 120.0;
    let samples: Vec<_> = (0..120).map(|k| at(step * f64::from(k))).collect();
    let is_low = |k: &usize| samples[*k].0 <= samples[(k + 119) % 120].0.min(samples[(k + 1) % 120].0);
    let mut lows: Vec<_> = (0..120).filter(is_low).map(|k| samples[k]).collect();
    while step * angle > 1e-14 {
        for low in &mut lows {
            let middle = low.1;
            for k in -8..=8 {
                let near = at(middle + step * f64::from(k) / 8.0);
                *low = if near.0 < low.0 { near } else { *low };
            }
        }
        step *= 0.25;
    }
    let least = lows.into_iter().min_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
    (least.0, least.2)
}

#[test]
fn no_way_out_has_a_shorter_one_beside_it() {
    let all = bodies(1.0);
    let mut random = Random::new(54);
    let (mut listed, mut minima, mut missed) = (0, 0, 0);
    for a in &all {
        for b in &all {
            let pose = pose(&mut random, 0.0, 1.0);
            if convex::distance(&a.body, &b.body, &pose).unwrap().signed_distance > -1e-3 {
                continue;
            }
            let depth = |n: DVec3| -separation(a, b, &pose, n);
            let ways = convex::depths(&a.body, &b.body, &pose).unwrap();
            for way in &ways {
                listed += 1;
                for angle in [1e-4, 1e-3] {
                    let (least, _) = least_around(&depth, way.normal, angle);
                    assert!(
                        least >= way.depth - 1e-11,
                        "{} {} {way:?}: {least} is beside it",
                        a.name,
                        b.name
                    );
                }
            }
            // Isolated minima that are found otherwise.
            for _ in 0..10 {
                let (mut n, mut angle) = (random.direction(), 0.05);
                while angle > 1e-5 {
                    let (least, way) = least_around(&depth, n, angle);
                    (n, angle) = if least < depth(n) - 1e-14 { (way, angle) } else { (n, 0.4 * angle) };
                }
                if least_around(&depth, n, 1e-3).0 > depth(n) + 1e-9 {
                    minima += 1;
                    missed += usize::from(ways.iter().all(|way| way.normal.distance(n) > 1e-3));
                }
            }
        }
    }
    assert!(listed > 100 && minima > 200 && 20 * missed < minima, "{listed} {missed} of {minima}");
}

#[test]
fn depths_scale_with_the_bodies() {
    for scale in [1e-6, 1e6] {
        let all = bodies(scale);
        let mut random = Random::new(52);
        for a in &all {
            for b in &all {
                for _ in 0..3 {
                    let pose = pose(&mut random, 0.0, scale);
                    let answer = convex::distance(&a.body, &b.body, &pose).unwrap();
                    check(a, b, &pose, &answer).unwrap();
                }
            }
        }
    }
}

#[test]
fn ways_out_across_a_kink_are_settled_on_its_axis() {
    // The depth of a ball on the axis of a cone is the same along all rulings: a circle of directions, each the edge of a
    // valley that is not smooth.
    let cone = Body::from(TiledBody::cone(4.0, 2.0, None).unwrap());
    let ball = Body::from(TiledBody::sphere(3.0).unwrap());
    let round = Body::from(TiledBody::ellipsoid([3.0, 3.0, 3.0]).unwrap());
    let expected = 3.0 + 0.5 * 4.0 / 20.0_f64.sqrt();
    let pose = Pose::from_translation(DVec3::Z * 1.5).unwrap();
    for body in [&ball, &round] {
        for (a, b, pose) in [(&cone, body, pose), (body, &cone, pose.inverse())] {
            let answer = convex::distance(a, b, &pose).unwrap();
            assert!((answer.signed_distance + expected).abs() < 1e-9, "{answer:?}");
            assert!(matches!(answer.ended, Ended::Certified(_)), "{answer:?}");
        }
    }
}

/// The least depth over directions at all angles to a common axis: along z in the frame of A.
fn by_angles(a: &Known, b: &Known, pose: &Pose) -> f64 {
    let count = 4_000;
    let depth = |angle: f64| -separation(a, b, pose, DVec3::new(angle.sin(), 0.0, angle.cos()));
    let step = std::f64::consts::PI / f64::from(count);
    let coarse = (0..=count).map(|k| f64::from(k) * step);
    let least = coarse.min_by(|s, t| depth(*s).total_cmp(&depth(*t))).unwrap();
    let (mut low, mut high) = (least - step, least + step);
    for _ in 0..200 {
        let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if depth(one) < depth(other) {
            high = other;
        } else {
            low = one;
        }
    }
    depth(0.5 * (low + high)).min(depth(least))
}

#[test]
fn depths_about_a_common_axis_are_certified() {
    for scale in [1e-6, 1.0, 1e6] {
        let all = bodies(scale);
        let turned = |known: &&Known| !["ellipsoid", "box"].contains(&known.name);
        let (mut deep, mut round) = (0, 0);
        for (i, a) in all.iter().filter(turned).enumerate() {
            for (j, b) in all.iter().filter(turned).enumerate() {
                let mut random = Random::for_case(53, (i * 16 + j) as u64);
                for case in 0..6 {
                    let to = DVec3::Z * random.uniform(-1.0, 1.0) * scale;
                    let spin = Pose::from_axis_angle(DVec3::Z, random.uniform(0.0, 6.0), to).unwrap();
                    let flip = Pose::from_axis_angle(DVec3::X, std::f64::consts::PI, DVec3::ZERO).unwrap();
                    let pose = if case % 2 == 0 { spin } else { spin * flip };
                    let answer = convex::distance(&a.body, &b.body, &pose).unwrap();
                    check(a, b, &pose, &answer).unwrap();
                    if answer.signed_distance >= 0.0 {
                        continue;
                    }
                    deep += 1;
                    let (depth, least) = (-answer.signed_distance, by_angles(a, b, &pose));
                    let at = format!("{} {} {scale:e} {pose:?}: {least} {answer:?}", a.name, b.name);
                    assert!((depth - least).abs() < 1e-9 * scale, "{at}");
                    let Ended::Certified(proof) = &answer.ended else { panic!("{at}") };
                    assert!(proof.lower <= answer.signed_distance + 1e-12 * scale, "{at}");
                    assert!(answer.work.iterations < 6_000, "{at}");
                    round += usize::from(answer.normal.truncate().length() > 1e-3);
                }
            }
        }
        assert!(deep > 100 && round > 30, "{deep}, {round} of them sideways");
    }
}
