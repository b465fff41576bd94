//! The ratio metric of polytopes against independent oracles.
#![allow(clippy::unwrap_used, clippy::panic)]

mod ratio_common;

use clearance_geometry::{DVec3, Polytope, Pose};
use clearance_proximity::Ended;
use clearance_proximity::ratio::{self, Growth, Smoothness};
use ratio_common::*;

/// The bounds, certificates and geometry that every answer must satisfy, from the corners alone.
fn check(a: &Polytope, b: &Polytope, pose_ab: &Pose, growth: &Growth, max_error: f64) {
    let t = growth.ratio;
    let (p, q) = (centred(a, &Pose::IDENTITY), centred(b, pose_ab));
    let d = between(a, b, pose_ab);
    let n = growth.normal;
    assert!((n.length() - 1.0).abs() < 1e-14);
    // The normal proves the lower bound by a full scan.
    let support = |points: &[DVec3], n: DVec3| points.iter().map(|p| p.dot(n)).fold(f64::MIN, f64::max);
    let reach = support(&p, n) + support(&q, -n);
    let lower = n.dot(d) / reach;
    assert!((t - lower).abs() <= max_error * t, "{t} {lower} {growth:?}");
    // The point lies in both scaled bodies.
    let x = (growth.point - a.anchor()) - a.center();
    let size = d.length() + t * (a.radius() + b.radius()) + growth.point.length();
    for plane in a.planes() {
        let excess = plane.normal.dot(x) + t * plane.distance(a.center());
        assert!(excess <= 1e-13 * size, "A {excess} {size} {growth:?}");
    }
    for plane in b.planes() {
        let excess = pose_ab.rotate(plane.normal).dot(x - d) + t * plane.distance(b.center());
        assert!(excess <= 1e-13 * size, "B {excess} {size} {growth:?}");
    }
    // Forces balance, and the weights are not negative.
    let planes = growth.planes.as_slice();
    let sum: DVec3 = planes
        .iter()
        .map(|plane| {
            let body = [a, b][plane.body];
            let normal = body.plane(plane.face).normal;
            plane.weight * if plane.body == 0 { normal } else { pose_ab.rotate(normal) }
        })
        .sum();
    let total: f64 = planes.iter().map(|plane| plane.weight.abs()).sum();
    assert!(sum.length() <= 1e-12 * total, "{growth:?}");
    assert!(planes.iter().all(|plane| plane.weight >= -1e-12 * total), "{growth:?}");
    let rho = growth.rho.unwrap();
    assert!((rho - (t - 1.0) / t).abs() <= 1e-10 * (1.0 + 1.0 / t), "{rho} {t}");
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let distance = reach * random.range(0.02, 2.0);
    Pose::new(random.rotation(), random.direction() * distance).unwrap()
}

#[test]
fn ratio_agrees_with_lp_and_oracle() {
    let mut random = Random(1);
    let (mut disjoint, mut overlapping, mut pivots, mut escapes) = (0, 0, 0, 0);
    let mut smooth = [0; 4];
    for case in 0..4000 {
        let aspect = [0.0, 0.5, 2.0][case % 3];
        let scale = [1.0, 1e-6, 1e6][case / 3 % 3];
        let a = random_solid(&mut random, aspect, scale).build();
        let b = random_solid(&mut random, aspect, scale).build();
        for _ in 0..6 {
            let pose_ab = random_pose(&mut random, a.radius() + b.radius());
            let growth = ratio::growth(&a, &b, &pose_ab).unwrap();
            let by_lp = ratio::growth_by_lp(&a, &b, &pose_ab).unwrap();
            let expected = oracle_ratio(&a, &b, &pose_ab);
            let error = (growth.ratio - expected).abs() / expected;
            let lp_error = (by_lp.ratio - expected).abs() / expected;
            assert!(error < 1e-11, "{case}: {} {expected} {growth:?}", growth.ratio);
            assert!(lp_error < 1e-11, "{case}: {} {expected} {by_lp:?}", by_lp.ratio);
            assert_eq!(growth.ended, Ended::Converged);
            check(&a, &b, &pose_ab, &growth, 1e-12);
            check(&a, &b, &pose_ab, &by_lp, 1e-12);
            if growth.ratio > 1.0 {
                disjoint += 1
            } else {
                overlapping += 1
            }
            pivots += growth.work.iterations;
            escapes += growth.work.escapes;
            smooth[growth.smoothness as usize] += 1;
        }
    }
    println!(
        "{disjoint} disjoint, {overlapping} overlapping, {pivots} pivots, {escapes} to the LP, {smooth:?}"
    );
    assert!(disjoint > 4000 && overlapping > 4000);
    assert!(smooth[Smoothness::Differentiable as usize] > 20_000);
}
