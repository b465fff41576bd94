//! Random bodies: against brute force, the other kernel, the mirrored pair and the tracked walk.

use crate::body::{Body, INTERIOR, SEARCH, check, expect, shift, walk};
use crate::oracle::{Rng, Solid, icosphere, random_solid, truth};
use clearance_geometry::{DMat3, DVec3, Pose};
use clearance_proximity::lin_canny::Relation;
use clearance_proximity::{Ended, distance};

#[derive(Default, Debug)]
struct Tally {
    separated: usize,
    overlapping: usize,
    near: usize,
    failures: Vec<String>,
    stalled: usize,
    pairs: u64,
    escapes: u64,
}

/// One random pair against brute force, from random starts with both escapes.
fn one_random(rng: &mut Rng, tally: &mut Tally) {
    let aspect = [1.0, 10.0, 1e3, 1e6][rng.below(4)];
    let scale = [1e-6, 1.0, 1e6][rng.below(3)];
    let (a, b) = (random_solid(rng, aspect).scaled(DVec3::splat(scale)), random_solid(rng, aspect));
    let b = b.scaled(DVec3::splat(scale * [1.0, 1.0, 0.01, 100.0][rng.below(4)]));
    let reach = a.radius() + b.radius();
    let far = match rng.below(8) {
        0 => rng.range(0.0, 1e6),
        1..4 => rng.range(0.0, 0.3),
        _ => rng.range(0.0, 1.5),
    };
    let offset = rng.direction() * (far * reach);
    let pose = rng.pose(offset);
    let truth = truth(&a, &b, &pose);
    let size = reach + pose.translation().length();
    let slack = 64.0 * f64::EPSILON * size;
    let (a, b) = (Body::of(&a), Body::of(&b));
    // Slivers are given only within their own rounding.
    let slack = slack + 16.0 * (a.defect + b.defect);
    let near = truth.separation.abs() <= slack;
    for options in [SEARCH, INTERIOR] {
        let start = Some([a.feature(rng), b.feature(rng)]);
        let found = walk(&a, &b, &pose, start, options);
        tally.pairs += u64::from(found.work.iterations);
        tally.escapes += u64::from(found.work.escapes);
        let mut fail = |why: String| {
            tally.failures.push(format!(
                "aspect {aspect:e} scale {scale:e} far {far} {options:?}: {why}; defects {:e} {:e}; slack {slack:e}; truth {} {:e}; {found:?}",
                a.defect, b.defect, truth.distance, truth.separation
            ));
        };
        if let Ended::Stalled { .. } = found.ended {
            tally.stalled += 1;
        }
        if let Err(why) = check(&a, &b, &pose, &found, slack) {
            fail(why);
            continue;
        }
        let overlaps = matches!(found.relation, Relation::Overlapping { .. });
        if !near && overlaps != (truth.separation < 0.0) {
            fail("wrong relation".into());
        } else if !near && !overlaps && (found.distance - truth.distance).abs() > slack {
            fail(format!("distance off by {:e}", found.distance - truth.distance));
        }
    }
    match () {
        () if near => tally.near += 1,
        () if truth.separation > 0.0 => tally.separated += 1,
        () => tally.overlapping += 1,
    }
}

fn random_pairs(count: usize, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut rng = Rng(seed);
    for _ in 0..count {
        one_random(&mut rng, &mut tally);
    }
    tally
}

#[test]
fn random_pairs_equal_brute_force() {
    let count = 20_000;
    let tally = random_pairs(count, 3);
    println!(
        "separated {} overlapping {} within rounding {} stalled {} mean pairs {:.2} escapes {:.3} failures {}",
        tally.separated,
        tally.overlapping,
        tally.near,
        tally.stalled,
        tally.pairs as f64 / (2 * count) as f64,
        tally.escapes as f64 / (2 * count) as f64,
        tally.failures.len()
    );
    for line in tally.failures.iter().take(10) {
        println!("{line}");
    }
    assert!(tally.failures.is_empty());
    let share = |n: usize| n as f64 / count as f64;
    assert!((0.3..0.8).contains(&share(tally.separated)), "{}", share(tally.separated));
    assert!((0.2..0.7).contains(&share(tally.overlapping)), "{}", share(tally.overlapping));
    assert!(share(tally.near) < 0.01);
    assert!(tally.stalled < count / 1000, "{} stalled", tally.stalled);
}

#[test]
fn small_gaps_between_turned_bodies() {
    // Bodies moved along the closest direction until a planted gap is left.
    let mut rng = Rng(11);
    for round in 0..400 {
        let (a, b) = (random_solid(&mut rng, 3.0), random_solid(&mut rng, 3.0));
        let offset = rng.direction() * 4.0;
        let pose = rng.pose(offset);
        let (body_a, body_b) = (Body::of(&a), Body::of(&b));
        let far = walk(&body_a, &body_b, &pose, None, SEARCH);
        let gap = 10.0_f64.powi(-(round % 13));
        let pose = pose.with_translation(pose.translation() - far.normal * (far.distance - gap));
        let start = [body_a.feature(&mut rng), body_b.feature(&mut rng)];
        expect(&body_a, &body_b, &pose, Some(start), gap, 1e-13);
    }
}

#[test]
fn swapped_bodies_give_the_mirrored_answer() {
    let mut rng = Rng(21);
    let mut apart = 0;
    for _ in 0..2000 {
        let (a, b) = (random_solid(&mut rng, 10.0), random_solid(&mut rng, 10.0));
        let offset = rng.direction() * rng.range(0.0, 3.0);
        let pose = rng.pose(offset);
        let (a, b) = (Body::of(&a), Body::of(&b));
        let start = [a.feature(&mut rng), b.feature(&mut rng)];
        let one = walk(&a, &b, &pose, Some(start), INTERIOR);
        let two = walk(&b, &a, &pose.inverse(), Some([start[1], start[0]]), INTERIOR);
        assert_eq!(one.proximity().is_some(), two.proximity().is_some());
        assert!((one.distance - two.distance).abs() <= 1e-14, "{one:?} {two:?}");
        if let Some(p) = one.proximity() {
            apart += 1;
            let mirrored = p.swapped(&pose);
            assert!((mirrored.normal - two.normal).length() < 1e-9);
        }
    }
    assert!((600..1800).contains(&apart), "{apart} of 2000 apart");
}

#[test]
fn large_bodies_prove_their_answers() {
    // A separated answer is proved by its own normal, an overlap by its common point: no oracle is needed, so
    // that the bodies can be large and the gaps small, of either sign.
    let count = 300;
    let mut rng = Rng(51);
    let (mut apart, mut overlapping, mut pairs, mut failures) = (0, 0, 0, Vec::new());
    for _ in 0..count {
        let bodies = [0, 1].map(|_| {
            let points = 10 + rng.below(300);
            let stretch = 10.0_f64.powf(-rng.range(0.0, 3.0));
            let rotation = DMat3::from_quat(rng.rotation());
            let solid = Solid::hull(&mut rng, points).scaled(DVec3::new(1.0, stretch, rng.range(0.1, 1.0)));
            Body::of(&solid.map(rotation, DVec3::ZERO))
        });
        let [a, b] = &bodies;
        let offset = rng.direction() * 3.0;
        let mut pose = rng.pose(offset);
        for _ in 0..10 {
            let far = walk(a, b, &pose, None, SEARCH);
            let start = Some([a.feature(&mut rng), b.feature(&mut rng)]);
            for options in [SEARCH, INTERIOR] {
                let found = walk(a, b, &pose, start, options);
                pairs += found.work.iterations;
                if let Err(why) = check(a, b, &pose, &found, 1e-13) {
                    failures.push(format!("{why}: {found:?}"));
                }
                if found.proximity().is_some() { apart += 1 } else { overlapping += 1 }
            }
            // Next: a small gap or a small overlap, turned a little.
            let Some(near) = far.proximity() else { break };
            let sign = if rng.below(3) == 0 { -1.0 } else { 1.0 };
            let gap = sign * 10.0_f64.powf(-rng.range(0.0, 13.0));
            pose = pose.with_translation(pose.translation() - near.normal * (near.signed_distance - gap));
        }
    }
    println!("apart {apart}, overlapping {overlapping}, pairs {pairs}, failures {}", failures.len());
    assert!(failures.is_empty(), "{}", failures[..failures.len().min(5)].join("\n"));
    assert!(apart > 2 * count && overlapping > count / 2);
}

#[test]
fn both_kernels_agree() {
    let mut rng = Rng(61);
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..1500 {
        let bodies = [0, 1].map(|_| {
            let points = 4 + rng.below(100);
            let size = DVec3::new(1.0, rng.range(0.01, 1.0), rng.range(0.1, 1.0));
            Body::of(&Solid::hull(&mut rng, points).scaled(size))
        });
        let [a, b] = &bodies;
        let offset = rng.direction() * rng.range(0.0, 2.5);
        let pose = rng.pose(offset);
        let found = walk(a, b, &pose, Some([a.feature(&mut rng), b.feature(&mut rng)]), INTERIOR);
        let [solid_a, solid_b] = [a, b].map(|body| clearance_geometry::Body::from(body.polytope.clone()));
        let other = distance(&solid_a, &solid_b, &pose).unwrap();
        assert!((found.distance - other.distance).abs() < 1e-13, "{found:?} {other:?}");
        if other.signed_distance.abs() > 1e-12 {
            assert_eq!(found.proximity().is_none(), other.state.overlaps(), "{found:?} {other:?}");
        }
        if found.proximity().is_some() { apart += 1 } else { overlapping += 1 }
    }
    assert!(apart > 300 && overlapping > 300, "{apart} {overlapping}");
}

#[test]
fn tracked_equals_one_shot() {
    let mut rng = Rng(31);
    let (mut separated, mut overlapping) = (0, 0);
    for _ in 0..60 {
        let (a, b) = (random_solid(&mut rng, 5.0), random_solid(&mut rng, 5.0));
        let (a, b) = (Body::of(&a), Body::of(&b));
        let axis = rng.direction();
        let step = Pose::from_axis_angle(axis, 0.05, rng.direction() * 0.02).unwrap();
        let offset = rng.direction() * 0.8;
        let mut pose = rng.pose(offset);
        let mut start = None;
        for _ in 0..100 {
            let tracked = walk(&a, &b, &pose, start, INTERIOR);
            let fresh = walk(&a, &b, &pose, None, SEARCH);
            check(&a, &b, &pose, &tracked, 1e-13).unwrap();
            assert_eq!(tracked.proximity().is_some(), fresh.proximity().is_some());
            assert!((tracked.distance - fresh.distance).abs() <= 1e-14);
            if tracked.proximity().is_some() {
                separated += 1
            } else {
                overlapping += 1
            }
            start = Some(tracked.features);
            pose = (step * pose).renormalized();
        }
    }
    assert!(separated > 1000 && overlapping > 1000, "{separated} {overlapping}");
}

#[test]
fn tracking_cost_does_not_grow_with_the_body() {
    for levels in 1..5 {
        let body = Body::of(&icosphere(levels));
        let other = Body::of(&icosphere(levels).map(DMat3::from_rotation_x(0.3), DVec3::ZERO));
        let step =
            Pose::from_axis_angle(DVec3::new(0.2, 1.0, 0.5).normalize(), 0.1_f64.to_radians(), DVec3::ZERO);
        let step = step.unwrap();
        let mut pose = shift(2.5, 0.3, -0.4);
        let mut start = Some(walk(&body, &other, &pose, None, SEARCH).features);
        let (mut moves, mut pairs, mut escapes) = (0, 0, 0);
        let steps = 2000;
        for _ in 0..steps {
            // B turns in place.
            pose = (pose * step).renormalized();
            let found = walk(&body, &other, &pose, start, SEARCH);
            moves += found.work.moves;
            pairs += found.work.iterations;
            escapes += found.work.escapes;
            start = Some(found.features);
        }
        let mean = |n: u32| f64::from(n) / f64::from(steps);
        println!(
            "{} vertices: {:.3} moves, {:.3} pairs per step, {escapes} escapes",
            body.polytope.vertex_count(),
            mean(moves),
            mean(pairs)
        );
        assert!(mean(moves) < 1.0 && mean(pairs) < 2.0 && escapes == 0);
    }
}
