//! Planar queries against brute force, on random pairs and on the degenerate catalogue.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod catalogue;
mod generate;
mod oracle;

use clearance_geometry::{DVec2, PlanarPose, Polygon, VertexId};
use clearance_proximity::planar::{self, Tracker};
use clearance_proximity::{Ended, Place, State};
use generate::Random;
use oracle::{ANSWER_REL, Scene, check};

#[test]
fn random_pairs_agree_with_brute_force() {
    let mut random = Random(11);
    let mut states = [0; 5];
    let (mut stalled, mut moved) = (0, 0);
    const PAIRS: usize = 20_000;
    for pair in 0..PAIRS {
        let size = 10f64.powi(random.below(13) as i32 - 6);
        let ratio = random.pick(&[1.0, 1.0, 0.1, 1e-3, 1e-6]);
        let offset = size * random.pick(&[0.0, 0.0, 1.0, 1e4, 1e6]);
        let a = generate::body(&mut random, size, offset);
        let b = generate::body(&mut random, size * ratio, offset);
        let pose = generate::pose(&mut random, &a, &b);
        let answer = planar::distance(&a, &b, &pose);
        check(&a, &b, &pose, &answer, &format!("pair {pair}"));
        check_swapped(&a, &b, &pose, pair);
        states[answer.state as usize] += 1;
        stalled += usize::from(matches!(answer.ended, Ended::Stalled { .. }));
        assert!(answer.ended != Ended::Limit, "pair {pair}: {answer:?}");
        moved += usize::from(answer.work.escapes > 0);
    }
    let shares = states.map(|n| 100 * n / PAIRS);
    let least = [25, 5, 10, 1, 2];
    assert!(shares.iter().zip(least).all(|(share, least)| *share >= least), "the mix is off: {states:?}");
    assert!(stalled * 100 < PAIRS, "{stalled} stalled");
    assert!(moved * 20 < PAIRS, "{moved} started over");
}

fn check_swapped(a: &Polygon, b: &Polygon, pose: &PlanarPose, pair: usize) {
    let answer = planar::distance(a, b, pose);
    let back = pose.inverse();
    let mirror = planar::distance(b, a, &back).swapped(&back);
    let size = Scene::new(a, b, pose).size + pose.translation().length() + b.anchor().length();
    let gap = (answer.signed_distance - mirror.signed_distance).abs();
    assert!(gap <= 4.0 * ANSWER_REL * size, "pair {pair}: swapped {gap:e}\n{answer:?}\n{mirror:?}");
    let sure = answer.signed_distance.abs() > 4.0 * ANSWER_REL * size;
    // Equal bodies lie in each other, and the first is named; else the mirror says the same.
    let [a_outside, b_outside] = Scene::new(a, b, pose).outside();
    let clear = a_outside.abs().min(b_outside.abs()) > 4.0 * ANSWER_REL * size;
    if sure && clear {
        assert_eq!(answer.state, mirror.state, "pair {pair}: {a_outside:e} {b_outside:e}");
    }
}

/// The same answer within rounding; features may differ where several are equally near.
fn assert_same(tracked: &planar::PlanarProximity, fresh: &planar::PlanarProximity, size: f64, what: &str) {
    let gap = (tracked.signed_distance - fresh.signed_distance).abs();
    assert!(gap <= 2.0 * ANSWER_REL * size, "{what}: {gap:e}\n{tracked:?}\n{fresh:?}");
    if tracked.state != fresh.state {
        let near = fresh.signed_distance.abs().max(tracked.signed_distance.abs());
        assert!(near <= 2.0 * ANSWER_REL * size, "{what}\n{tracked:?}\n{fresh:?}");
    }
}

#[test]
fn tracked_equals_one_shot() {
    let mut random = Random(12);
    let mut states = [0; 5];
    let (mut quick, mut frames) = (0, 0);
    for run in 0..300 {
        let size = random.pick(&[1e-6, 1.0, 1e6]);
        let a = generate::body(&mut random, size, 0.0);
        let b = generate::body(&mut random, size, 0.0);
        let mut tracker = Tracker::new();
        let reach = a.radius() + b.radius();
        let (spin, start) = (random.pick(&[0.002, 0.02, 0.2, 1.6]), random.range(0.0, 7.0));
        let wide = random.range(0.3, 1.5);
        for frame in 0..60 {
            let angle = start + spin * f64::from(frame);
            let at = DVec2::from_angle(0.7 * angle) * reach * (wide + 0.5 * (0.9 * angle).sin());
            let pose = PlanarPose::new(angle, at).unwrap();
            let tracked = tracker.update(&a, &b, &pose);
            let fresh = planar::distance(&a, &b, &pose);
            let what = format!("run {run} frame {frame}");
            check(&a, &b, &pose, &tracked, &what);
            assert_same(&tracked, &fresh, Scene::new(&a, &b, &pose).size, &what);
            states[tracked.state as usize] += 1;
            quick += usize::from(tracked.work.iterations <= 1);
            frames += 1;
        }
    }
    assert!(states[0] > 3000 && states[2] > 1000, "the mix is off: {states:?}");
    assert!(2 * quick > frames, "only {quick} of {frames} updates took one round");
}

#[test]
fn large_polygons_agree_with_brute_force() {
    let mut random = Random(16);
    let mut tracker = Tracker::new();
    let ring = |count: usize, thin: f64| -> Vec<DVec2> {
        let corner = |i: usize| DVec2::from_angle(std::f64::consts::TAU * i as f64 / count as f64);
        (0..count).map(|i| corner(i) * DVec2::new(1.0, thin)).collect()
    };
    let a = Polygon::from_points(&ring(1000, 0.4)).unwrap();
    let b = Polygon::from_points(&ring(701, 0.9)).unwrap();
    let mut states = [0; 5];
    for step in 0..60 {
        let angle = if step % 3 == 0 { random.range(0.0, 7.0) } else { 0.02 * f64::from(step) };
        let pose = PlanarPose::new(angle, DVec2::from_angle(0.3 * angle) * random.range(0.3, 3.0)).unwrap();
        let tracked = tracker.update(&a, &b, &pose);
        check(&a, &b, &pose, &tracked, &format!("step {step}"));
        check(&a, &b, &pose, &planar::distance(&a, &b, &pose), &format!("step {step} afresh"));
        states[tracked.state as usize] += 1;
        assert!(tracked.work.supports < 600, "{tracked:?}");
    }
    assert!(states[0] > 8 && states[2] > 8, "the mix is off: {states:?}");
}

#[test]
fn poisoned_hint_changes_nothing() {
    let mut random = Random(13);
    for round in 0..3000 {
        let a = generate::body(&mut random, 1.0, 0.0);
        let b = generate::body(&mut random, 1.0, 0.0);
        let pose = generate::pose(&mut random, &a, &b);
        let fresh = planar::distance(&a, &b, &pose);
        let mut tracker = Tracker::new();
        tracker.suggest([VertexId(random.below(60) as u32), VertexId(random.below(60) as u32)]);
        let what = format!("round {round}");
        let poisoned = tracker.update(&a, &b, &pose);
        check(&a, &b, &pose, &poisoned, &what);
        assert_same(&poisoned, &fresh, Scene::new(&a, &b, &pose).size, &what);
        // A tracker that followed other bodies altogether.
        let (c, d) = (generate::body(&mut random, 1.0, 0.0), generate::body(&mut random, 1.0, 0.0));
        tracker.update(&c, &d, &generate::pose(&mut random, &c, &d));
        let stranger = tracker.update(&a, &b, &pose);
        assert_same(&stranger, &fresh, Scene::new(&a, &b, &pose).size, &what);
    }
}

#[test]
fn closer_than_agrees_with_the_distance() {
    let mut random = Random(14);
    let (mut yes, mut early) = (0, 0);
    for _ in 0..5000 {
        let a = generate::body(&mut random, 1.0, 0.0);
        let b = generate::body(&mut random, 1.0, 0.0);
        let pose = generate::pose(&mut random, &a, &b);
        let answer = planar::distance(&a, &b, &pose);
        let margin = random.range(-0.2, 1.0);
        let tol = ANSWER_REL * Scene::new(&a, &b, &pose).size;
        let near = planar::closer_than(&a, &b, &pose, margin).unwrap();
        if (answer.signed_distance - margin).abs() > tol {
            assert_eq!(near.closer, answer.signed_distance < margin, "{answer:?} {margin}");
        }
        assert!(near.lower <= answer.signed_distance + tol);
        yes += usize::from(near.closer);
        early += usize::from(near.lower < answer.signed_distance - tol);
    }
    assert!(yes > 1000 && early > 300, "the mix is off: {yes} {early}");
    let point = Polygon::point();
    assert!(planar::closer_than(&point, &point, &PlanarPose::IDENTITY, f64::NAN).is_err());
}

#[test]
fn batches_answer_in_order() {
    let square = Polygon::rectangle(DVec2::splat(2.0)).unwrap();
    let poses: Vec<_> = (0..20)
        .map(|i| PlanarPose::new(0.1 * f64::from(i), DVec2::new(0.4 * f64::from(i), 0.0)).unwrap())
        .collect();
    let answers = planar::distances(&square, &square, &poses);
    let mut again = answers.clone();
    again.reverse();
    Tracker::new().update_all(&square, &square, &poses, &mut again).unwrap();
    assert_eq!(answers, again);
    for (pose, answer) in poses.iter().zip(&answers) {
        check(&square, &square, pose, answer, "batch");
    }
    assert!(Tracker::new().update_all(&square, &square, &poses, &mut again[1..]).is_err());
}

#[test]
fn points_and_rays_agree_with_the_distance() {
    let mut random = Random(15);
    let (mut inside, mut hits, mut misses) = (0, 0, 0);
    for _ in 0..5000 {
        let size = random.pick(&[1e-6, 1.0, 1e6]);
        let body = generate::polygon(&mut random, size, DVec2::ZERO);
        let point = random.vector(1.2 * size);
        let at = PlanarPose::from_translation(point).unwrap();
        let answer = planar::distance(&body, &Polygon::point(), &at);
        let expected = match answer.state {
            State::Separated => Place::Outside,
            State::Touching => Place::Boundary,
            _ => Place::Inside,
        };
        assert_eq!(planar::locate_point(&body, point).unwrap(), expected);
        inside += usize::from(expected == Place::Inside);
        let direction = random.vector(1.0);
        let far = 10.0 * size;
        // The ray as a segment meets the body exactly if the ray hits within its length.
        let ends = [point, point + direction.normalize() * far];
        let ray = Polygon::segment(ends).unwrap();
        let reach = planar::distance(&body, &ray, &PlanarPose::IDENTITY);
        let hit = planar::cast_ray(&body, point, direction, far).unwrap();
        if reach.signed_distance.abs() > 1e-12 * far {
            assert_eq!(hit.is_some(), reach.state != State::Separated, "{reach:?} {hit:?}");
        }
        if let Some(hit) = hit {
            let to = PlanarPose::from_translation(hit.point).unwrap();
            let on = planar::distance(&body, &Polygon::point(), &to);
            let tol = 1e-13 * far;
            if hit.feature.is_some() {
                assert!(on.signed_distance.abs() <= tol && hit.normal.dot(direction) < 0.0, "{hit:?} {on:?}");
            } else {
                assert!(on.signed_distance <= tol && hit.distance == 0.0, "{hit:?} {on:?}");
            }
            hits += 1;
        } else {
            misses += 1;
        }
    }
    assert!(inside > 300 && hits > 1000 && misses > 1000, "the mix is off: {inside} {hits} {misses}");
}

#[test]
fn bad_rays_and_points_are_refused() {
    let square = Polygon::rectangle(DVec2::ONE).unwrap();
    assert!(planar::cast_ray(&square, DVec2::NAN, DVec2::X, 1.0).is_err());
    assert!(planar::cast_ray(&square, DVec2::ZERO, DVec2::ZERO, 1.0).is_err());
    assert!(planar::cast_ray(&square, DVec2::ZERO, DVec2::X, f64::NAN).is_err());
    assert!(planar::locate_point(&square, DVec2::NAN).is_err());
    let stick = Polygon::segment([DVec2::new(1.0, -1.0), DVec2::new(1.0, 1.0)]).unwrap();
    assert_eq!(planar::cast_ray(&stick, DVec2::ZERO, DVec2::X, 5.0).unwrap().unwrap().distance, 1.0);
    assert_eq!(planar::cast_ray(&stick, DVec2::ZERO, DVec2::Y, 5.0).unwrap(), None);
    assert_eq!(planar::locate_point(&stick, DVec2::new(1.0, 0.5)).unwrap(), Place::Boundary);
}

/// Pairs of a long random run in which two corners nearly coincide: the direction between them is noise, and
/// the answer's normal has to come from elsewhere.
#[test]
fn nearly_coincident_corners_have_a_normal_that_separates() {
    let v = DVec2::new;
    let around = |anchor: DVec2, corners: &[DVec2]| {
        Polygon::hull_of(&corners.iter().map(|corner| *corner + anchor).collect::<Vec<_>>()).unwrap()
    };
    let pose = |cos: f64, sin: f64, at: DVec2| PlanarPose::from_cos_sin(cos, sin, at).unwrap();
    let segment = Polygon::segment([
        v(0.9917867661061184, -0.12790234781569743),
        v(-0.5522322641452244, 0.8336903060711688),
    ])
    .unwrap();
    let blade = around(
        v(285312.84590723587, 636318.2698151454),
        &[
            v(-0.1002682974212803, 0.2543831947259605),
            v(-0.37517775560263544, 0.2431823939550668),
            v(-0.6762774612288922, 0.13699358294252306),
            v(0.6762774611706845, -0.2543831947259605),
        ],
    );
    let needle = around(
        v(337704.6660082699, 264776.12513667723),
        &[
            v(76.87307730870089, 135.6279626521282),
            v(274.76908472314244, 485.3618263024837),
            v(-217.5222289772355, -383.18524764076574),
            v(-274.76908472320065, -485.3618263024837),
        ],
    );
    let kite = Polygon::hull_of(&[
        v(-86.42964164993579, -996.2579570795225),
        v(59.73693174947695, -5.182434496693216),
        v(86.4296416499358, 996.2579570795225),
        v(-59.736931749476945, 5.182434496693338),
    ])
    .unwrap();
    let cases = [
        (&segment, &blade, pose(1.0, 0.0, v(-285311.75385217235, -636318.652100688))),
        (
            &kite,
            &needle,
            pose(-0.8850759670129891, -0.46544659480548606, v(175551.42685569474, 389976.7414610824)),
        ),
    ];
    for (a, b, pose) in cases {
        let back = pose.inverse();
        for (a, b, pose) in [(a, b, pose), (b, a, back)] {
            let answer = planar::distance(a, b, &pose);
            clearance_testkit::check_planar(a, b, &pose, &answer).unwrap();
            assert_eq!(answer.ended, Ended::Converged);
        }
    }
}
