//! The ratio metric of polytopes against independent oracles.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

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

#[test]
fn ratio_far_from_the_origin_and_at_long_distance() {
    let mut random = Random(2);
    for case in 0..2000 {
        let scale = [1.0, 1e-6, 1e6][case % 3];
        let offset = random.direction() * (1e6 * scale);
        let a = random_solid(&mut random, 0.5, scale).shifted(offset).hull();
        let b = random_solid(&mut random, 0.5, scale).build();
        let rotation = random.rotation();
        // B beside A, both far from A's origin; and B very far from A.
        let way = random.direction() * scale * [1.0, 3.0, 1e6][case / 3 % 3];
        let pose_ab = Pose::new(rotation, offset + way).unwrap();
        let growth = ratio::growth(&a, &b, &pose_ab).unwrap();
        let expected = oracle_ratio(&a, &b, &pose_ab);
        // The corners were rounded when the body was shifted, so its faces are flat to 1e-10 only.
        assert!((growth.ratio - expected).abs() < 1e-9 * expected, "{case}: {expected} {growth:?}");
        let gap = growth.bounds[1] - growth.bounds[0];
        assert!(gap < 1e-9 * expected, "{growth:?}");
    }
}

#[test]
fn ratio_of_needles_and_plates() {
    let mut random = Random(3);
    let mut stalled = 0;
    for case in 0..2000 {
        let thin = [1e-2, 1e-4, 1e-6][case % 3];
        let body = |random: &mut Random| {
            let by = [DVec3::new(1.0, 1.0, thin), DVec3::new(thin, thin, 1.0), DVec3::new(1.0, 0.1, thin)];
            let by = by[random.below(3)];
            let solid = [cuboid(DVec3::splat(2.0)), prism(7), icosahedron()][random.below(3)].clone();
            solid.stretched(by).turned(random.rotation()).build()
        };
        let (a, b) = (body(&mut random), body(&mut random));
        let pose_ab = random_pose(&mut random, 1.0);
        let growth = ratio::growth(&a, &b, &pose_ab).unwrap();
        let expected = oracle_ratio(&a, &b, &pose_ab);
        // Rounding of the corners moves a thin body's planes by as much as it is thin.
        let max_error = 1e-14 / thin;
        assert!((growth.ratio - expected).abs() < max_error * expected, "{case}: {expected} {growth:?}");
        stalled += u32::from(growth.ended != Ended::Converged);
    }
    assert!(stalled < 20, "{stalled}");
}

#[test]
fn tracked_equals_one_shot() {
    let mut random = Random(4);
    let (mut updates, mut pivots, mut escapes) = (0, 0, 0);
    for degrees in [0.1_f64, 1.0, 10.0, 90.0] {
        for case in 0..24 {
            let solid = |random: &mut Random| match case % 4 {
                0 => icosphere(2),
                1 => prism(100),
                2 => cuboid(DVec3::new(2.0, 1.0, 0.5)),
                _ => random_solid(random, 0.5, 1.0),
            };
            let (a, b) = (solid(&mut random).build(), solid(&mut random).build());
            let mut tracker = ratio::Tracker::new();
            let axis = random.direction();
            let turn = clearance_geometry::DQuat::from_axis_angle(axis, degrees.to_radians());
            let mut rotation = random.rotation();
            let mut place = random.direction() * random.range(0.3, 3.0);
            for _ in 0..100 {
                rotation = (turn * rotation).normalize();
                place = turn.inverse() * place + random.direction() * 0.01;
                let pose_ab = Pose::new(rotation, place).unwrap();
                let tracked = tracker.update(&a, &b, &pose_ab).unwrap();
                let fresh = ratio::growth(&a, &b, &pose_ab).unwrap();
                assert!((tracked.ratio - fresh.ratio).abs() <= 1e-12 * fresh.ratio);
                assert_eq!(tracked.ended, Ended::Converged);
                check(&a, &b, &pose_ab, &tracked, 1e-12);
                if tracked.smoothness == Smoothness::Differentiable {
                    assert!((tracked.point - fresh.point).length() < 1e-9, "{tracked:?} {fresh:?}");
                }
                updates += 1;
                pivots += tracked.work.iterations;
                escapes += tracked.work.escapes;
            }
        }
    }
    println!("{updates} updates, {pivots} pivots, {escapes} to the LP");
    assert!(escapes * 1000 < updates);
}

#[test]
fn swap_symmetric() {
    // Proposition 2.13 of 002.
    let mut random = Random(5);
    for _ in 0..2000 {
        let a = random_solid(&mut random, 1.0, 1.0).build();
        let b = random_solid(&mut random, 1.0, 1.0).build();
        let pose_ab = random_pose(&mut random, a.radius() + b.radius());
        let one = ratio::growth(&a, &b, &pose_ab).unwrap();
        let other = ratio::growth(&b, &a, &pose_ab.inverse()).unwrap().swapped(&pose_ab.inverse());
        assert!((one.ratio - other.ratio).abs() < 1e-12 * one.ratio);
        assert!((one.point - other.point).length() < 1e-9 * (1.0 + one.ratio), "{one:?} {other:?}");
        assert!((one.normal - other.normal).length() < 1e-9);
        assert_eq!(one.features, other.features);
        for (g, h) in one.gradients.iter().zip(other.gradients) {
            assert!((g.translation - h.translation).length() < 1e-9 * g.translation.length());
            let size = 1e-8 * g.translation.length() * (1.0 + one.ratio);
            assert!((g.rotation - h.rotation).length() < size);
        }
    }
}

#[test]
fn ratio_below_one_means_overlap() {
    // Proposition 2.14 of 002, against the sign of the largest separation over all candidate normals.
    let mut random = Random(6);
    let mut counts = [0; 2];
    for _ in 0..4000 {
        let a = random_solid(&mut random, 0.5, 1.0).build();
        let b = random_solid(&mut random, 0.5, 1.0).build();
        let pose_ab = random_pose(&mut random, 0.6 * (a.radius() + b.radius()));
        let growth = ratio::growth(&a, &b, &pose_ab).unwrap();
        let separation = oracle_separation(&a, &b, &pose_ab);
        if separation.abs() > 1e-12 {
            assert_eq!(growth.ratio < 1.0, separation < 0.0, "{separation} {growth:?}");
            assert_eq!(growth.rho.unwrap() < 0.0, separation < 0.0);
            counts[usize::from(separation < 0.0)] += 1;
        }
    }
    assert!(counts.iter().all(|&n| n > 500), "{counts:?}");
    // And exactly 1 in contact.
    let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
    let touching = Pose::from_translation(DVec3::new(2.0, 0.5, -0.5)).unwrap();
    let growth = ratio::growth(&cube, &cube, &touching).unwrap();
    assert_eq!((growth.ratio, growth.rho), (1.0, Some(0.0)));
}

#[test]
fn poisoned_hint_changes_nothing() {
    use clearance_geometry::{FaceId, VertexId};
    let mut random = Random(7);
    for case in 0..3000 {
        let a = random_solid(&mut random, 0.5, 1.0).build();
        let b = random_solid(&mut random, 0.5, 1.0).build();
        let pose_ab = random_pose(&mut random, a.radius() + b.radius());
        let fresh = ratio::growth(&a, &b, &pose_ab).unwrap();
        let worst = if case % 10 == 0 { u32::MAX } else { a.face_count().max(b.face_count()) as u32 };
        let mut face = || FaceId((random.bits() % u64::from(worst)) as u32);
        let faces = [face(), face(), face(), face()];
        let planes = [0, 1, 2, 3].map(|i| (random.below(2), faces[i]));
        let vertices = [VertexId(random.below(9) as u32), VertexId(random.below(9) as u32)];
        let hint = ratio::Hint { planes, vertices };
        let mut tracker = ratio::Tracker::from_hint(hint);
        let poisoned = tracker.update(&a, &b, &pose_ab).unwrap();
        assert!((poisoned.ratio - fresh.ratio).abs() < 1e-12 * fresh.ratio, "{case} {hint:?}");
        assert!((poisoned.point - fresh.point).length() < 1e-9 * (1.0 + fresh.ratio));
        assert_eq!(poisoned.ended, Ended::Converged);
    }
}

#[test]
fn planted_answers_are_found() {
    // Choose normal, touching point and ratio first; then grow bodies behind them.
    let mut random = Random(8);
    for _ in 0..2000 {
        let r = 10.0_f64.powf(random.range(-1.0, 1.0));
        let a = random_solid(&mut random, 0.5, 1.0).build();
        let face = clearance_geometry::FaceId(random.below(a.face_count()) as u32);
        let b = random_solid(&mut random, 0.5, 1.0).build();
        let rotation = random.rotation();
        let turn = Pose::new(rotation, DVec3::ZERO).unwrap();
        let normal = a.plane(face).normal;
        let corner = b.vertex(b.support_by_scan(turn.rotate_inverse(-normal)));
        // A point well inside the face of A grown by r.
        let sides = a.sides(face);
        let middle = sides.iter().map(|s| a.vertex(s.vertex)).sum::<DVec3>() / sides.len() as f64;
        let x = r * (middle - a.center());
        // B's corner, grown by r, sits there.
        let d = x - r * turn.rotate(corner - b.center());
        let pose_ab = Pose::new(rotation, a.center() + d - turn.rotate(b.center())).unwrap();
        let growth = ratio::growth(&a, &b, &pose_ab).unwrap();
        assert!((growth.ratio - r).abs() < 1e-12 * r, "{r} {growth:?}");
        assert!((growth.normal - normal).length() < 1e-12);
        if growth.smoothness == Smoothness::Differentiable {
            assert!((growth.point - (a.center() + x)).length() < 1e-11 * (1.0 + r), "{growth:?}");
            assert_eq!(growth.event(), Some(ratio::EventKind::CornerOnFace));
        }
    }
}

#[test]
fn remark_3_11_of_002_all_facet_triples_give_one_event() {
    // Five faces meet at an icosahedron's corner: ten triples, one event.
    let ball = icosahedron().build();
    let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
    // Turn a corner straight down onto the cube.
    let corner = ball.vertices()[0].normalize();
    let rotation =
        clearance_geometry::DQuat::from_rotation_arc(corner, DVec3::new(0.1, 0.2, -1.0).normalize());
    let pose_ab = Pose::new(rotation, DVec3::new(0.1, -0.2, 3.0)).unwrap();
    let growth = ratio::growth(&cube, &ball, &pose_ab).unwrap();
    assert_eq!(growth.event(), Some(ratio::EventKind::CornerOnFace));
    let n = growth.normal;
    let vertex = clearance_geometry::VertexId(0);
    let faces = ball.ring(vertex).faces;
    assert_eq!(faces.len(), 5);
    let d = between(&cube, &ball, &pose_ab);
    let mut triples = 0;
    for i in 0..5 {
        for j in i + 1..5 {
            for k in j + 1..5 {
                // a·(x − d) = t·b on the three planes of the corner, n·x = t on the cube's face.
                let rows = [i, j, k].map(|f| ball.plane(faces[f]));
                let normals = rows.map(|plane| pose_ab.rotate(plane.normal));
                let reach = rows.map(|plane| -plane.distance(ball.center()));
                let det = normals[0].dot(normals[1].cross(normals[2]));
                let q = (normals[1].cross(normals[2]) * reach[0]
                    + normals[2].cross(normals[0]) * reach[1]
                    + normals[0].cross(normals[1]) * reach[2])
                    / det;
                let t = n.dot(d) / (1.0 - n.dot(q));
                assert!((t - growth.ratio).abs() < 1e-13, "{t}");
                assert!((d + t * q - growth.point).length() < 1e-13);
                triples += 1;
            }
        }
    }
    assert_eq!(triples, 10);
}
