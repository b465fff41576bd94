//! The ratio metric of polygons.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod ratio_common;

use clearance_geometry::{DVec2, EdgeId, Feature, PlanarPose, Polygon, VertexId};
use clearance_proximity::Ended;
use clearance_proximity::ratio::{self, PlanarGrowth, RatioError, Smoothness};
use ratio_common::Random;

fn random_polygon(random: &mut Random, thin: f64, scale: f64) -> Polygon {
    let count = 3 + random.below(10);
    loop {
        let angle = random.range(0.0, 7.0);
        let turn = DVec2::from_angle(angle);
        let mut corner = || {
            let v = DVec2::from_angle(random.range(0.0, std::f64::consts::TAU));
            turn.rotate(DVec2::new(v.x, thin * v.y)) * scale
        };
        let points: Vec<DVec2> = (0..count).map(|_| corner()).collect();
        if let Ok(polygon) = Polygon::hull_of(&points)
            && polygon.dimension() == 2
            && polygon.inradius() > 0.02 * thin * scale
        {
            return polygon;
        }
    }
}

fn between(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose) -> DVec2 {
    (pose_ab.apply(b.anchor()) - a.anchor()) + pose_ab.rotate(b.center()) - a.center()
}

/// max over the normals of all edges of n·d / (h₁(n) + h₂(−n)); of n·(d + q) / h₁(n) if B keeps its size.
fn oracle(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose, both: bool) -> f64 {
    let p: Vec<DVec2> = a.vertices().iter().map(|v| *v - a.center()).collect();
    let q: Vec<DVec2> = b.vertices().iter().map(|v| pose_ab.rotate(*v - b.center())).collect();
    let d = between(a, b, pose_ab);
    let support = |points: &[DVec2], n: DVec2| points.iter().map(|v| v.dot(n)).fold(f64::MIN, f64::max);
    let ratio = |n: DVec2| {
        if both {
            n.dot(d) / (support(&p, n) + support(&q, -n))
        } else {
            (n.dot(d) - support(&q, -n)) / support(&p, n)
        }
    };
    let edges = |points: &[DVec2]| -> Vec<DVec2> {
        (0..points.len())
            .filter(|_| points.len() > 1)
            .map(|i| -(points[(i + 1) % points.len()] - points[i]).perp().normalize())
            .collect()
    };
    let normals = edges(&p).into_iter().chain(edges(&q).into_iter().map(|n| -n));
    normals.map(ratio).fold(0.0, f64::max)
}

/// The point lies in both scaled polygons, the weights balance.
fn check(a: &Polygon, b: &Polygon, pose_ab: &PlanarPose, growth: &PlanarGrowth) {
    let (t, d) = (growth.ratio, between(a, b, pose_ab));
    let x = growth.point - a.anchor() - a.center();
    let size = x.length() + d.length() + t * (a.radius() + b.radius());
    for side in a.sides() {
        assert!(side.normal.dot(x) <= t * (side.offset - side.normal.dot(a.center())) + 1e-13 * size);
    }
    for side in b.sides() {
        let reach = side.offset - side.normal.dot(b.center());
        assert!(pose_ab.rotate(side.normal).dot(x - d) <= t * reach + 1e-13 * size, "{growth:?}");
    }
    let sides = growth.sides.unwrap();
    let sum: DVec2 = sides
        .iter()
        .map(|side| match side.body {
            0 => a.edge(side.edge).normal * side.weight,
            _ => pose_ab.rotate(b.edge(side.edge).normal) * side.weight,
        })
        .sum();
    let total: f64 = sides.iter().map(|side| side.weight.abs()).sum();
    assert!(sum.length() < 1e-12 * total && sides.iter().all(|side| side.weight >= -1e-12 * total));
}

#[test]
fn planar_ratio_agrees_with_lp_and_oracle() {
    let mut random = Random(51);
    let (mut disjoint, mut overlapping, mut escapes) = (0, 0, 0);
    for case in 0..20_000 {
        let thin = [1.0, 0.1, 1e-3][case % 3];
        let scale = [1.0, 1e-6, 1e6][case / 3 % 3];
        let (a, b) = (random_polygon(&mut random, thin, scale), random_polygon(&mut random, thin, scale));
        let place = DVec2::from_angle(random.range(0.0, 7.0)) * scale * random.range(0.02, 3.0);
        let pose_ab = PlanarPose::new(random.range(0.0, 7.0), place).unwrap();
        let growth = ratio::planar_growth(&a, &b, &pose_ab).unwrap();
        let by_lp = ratio::planar_growth_by_lp(&a, &b, &pose_ab).unwrap();
        let expected = oracle(&a, &b, &pose_ab, true);
        let max_error = 1e-13 / thin;
        assert!((growth.ratio - expected).abs() < max_error * expected, "{case} {expected} {growth:?}");
        assert!((by_lp.ratio - expected).abs() < max_error * expected, "{case} {expected} {by_lp:?}");
        assert_eq!(growth.ended, Ended::Converged, "{case} {growth:?}");
        check(&a, &b, &pose_ab, &growth);
        escapes += growth.work.escapes;
        if growth.ratio > 1.0 { disjoint += 1 } else { overlapping += 1 }
    }
    println!("{disjoint} disjoint, {overlapping} overlapping, {escapes} to the LP");
    assert!(disjoint > 4000 && overlapping > 4000);
}

#[test]
fn planar_one_sided_ratio_agrees_with_oracle() {
    let mut random = Random(52);
    let mut positive = [0; 3];
    for case in 0..6000 {
        let a = random_polygon(&mut random, 0.3, 1.0);
        let corner = DVec2::from_angle(random.range(0.0, 7.0));
        let fixed = match case % 3 {
            0 => Polygon::point(),
            1 => Polygon::segment([corner, DVec2::from_angle(random.range(0.0, 7.0)) * 2.0]).unwrap(),
            _ => random_polygon(&mut random, 0.3, 1.0),
        };
        let place = DVec2::from_angle(random.range(0.0, 7.0)) * random.range(0.02, 3.0);
        let pose_ab = PlanarPose::new(random.range(0.0, 7.0), place).unwrap();
        let growth = ratio::planar_growth_against(&a, &fixed, &pose_ab).unwrap();
        let expected = oracle(&a, &fixed, &pose_ab, false);
        assert!((growth.ratio - expected).abs() < 1e-11 * (1.0 + expected), "{case} {expected} {growth:?}");
        assert_eq!(growth.ended, Ended::Converged, "{case} {growth:?}");
        positive[case % 3] += u32::from(growth.ratio > 0.0);
    }
    assert!(positive.iter().all(|&n| n > 1000), "{positive:?}");
}

#[test]
fn planar_tracked_equals_one_shot_and_poison_changes_nothing() {
    let mut random = Random(53);
    for case in 0..200 {
        let (a, b) = (random_polygon(&mut random, 0.5, 1.0), random_polygon(&mut random, 0.5, 1.0));
        let mut tracker = ratio::PlanarTracker::new();
        let step = [0.001, 0.02, 0.2, 1.5][case % 4];
        for frame in 0..50 {
            let angle = step * f64::from(frame);
            let place = DVec2::from_angle(0.7 * angle) * (1.0 + 0.5 * angle.sin());
            let pose_ab = PlanarPose::new(angle, place).unwrap();
            let tracked = tracker.update(&a, &b, &pose_ab).unwrap();
            let fresh = ratio::planar_growth(&a, &b, &pose_ab).unwrap();
            assert!((tracked.ratio - fresh.ratio).abs() <= 1e-13 * fresh.ratio);
            let mut side = || (random.below(3), EdgeId(random.below(14) as u32));
            let sides = [side(), side(), side()];
            let hint =
                ratio::PlanarHint { sides, vertices: [VertexId(2), VertexId(u32::MAX >> (frame % 32))] };
            let poisoned = ratio::PlanarTracker::from_hint(hint).update(&a, &b, &pose_ab).unwrap();
            assert!((poisoned.ratio - fresh.ratio).abs() <= 1e-13 * fresh.ratio);
            assert_eq!(poisoned.ended, Ended::Converged);
        }
    }
}

#[test]
fn planar_swap_symmetric() {
    let mut random = Random(54);
    for _ in 0..2000 {
        let (a, b) = (random_polygon(&mut random, 0.5, 1.0), random_polygon(&mut random, 0.5, 1.0));
        let place = DVec2::from_angle(random.range(0.0, 7.0)) * random.range(0.02, 3.0);
        let pose_ab = PlanarPose::new(random.range(0.0, 7.0), place).unwrap();
        let one = ratio::planar_growth(&a, &b, &pose_ab).unwrap();
        let other = ratio::planar_growth(&b, &a, &pose_ab.inverse()).unwrap();
        assert!((one.ratio - other.ratio).abs() < 1e-13 * one.ratio);
        assert!((one.point - pose_ab.apply(other.point)).length() < 1e-12 * (1.0 + one.ratio));
        assert!((one.normal + pose_ab.rotate(other.normal)).length() < 1e-12);
    }
}

#[test]
fn planar_degenerate_contacts() {
    let square = Polygon::rectangle(DVec2::splat(2.0)).unwrap();
    let at = |x: f64, y: f64| PlanarPose::from_translation(DVec2::new(x, y)).unwrap();
    let growth = ratio::planar_growth(&square, &square, &at(4.0, 1.0)).unwrap();
    assert_eq!((growth.ratio, growth.smoothness), (2.0, Smoothness::PointNotUnique));
    assert!((growth.point - DVec2::new(2.0, 0.5)).length() < 1e-15);
    assert!(matches!(growth.features, Some([Feature::Edge(_), Feature::Edge(_)])));
    let growth = ratio::planar_growth(&square, &square, &at(3.0, 3.0)).unwrap();
    assert_eq!((growth.ratio, growth.smoothness), (1.5, Smoothness::NormalNotUnique));
    assert!((growth.point - DVec2::splat(1.5)).length() < 1e-15);
    let growth = ratio::planar_growth(&square, &square, &PlanarPose::IDENTITY).unwrap();
    assert_eq!((growth.ratio, growth.rho, growth.features), (0.0, None, None));
    let refused = ratio::planar_growth(&square, &Polygon::point(), &at(3.0, 0.0));
    assert_eq!(refused, Err(RatioError::NoInterior { body: 1 }));
}
