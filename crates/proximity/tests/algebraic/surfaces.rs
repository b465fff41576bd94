use crate::oracle::{self, Part, criticals};
use crate::{case_of, check, placed, pose};
use clearance_geometry::surface::{Cone, Cylinder, Ellipsoid, Paraboloid, Torus};
use clearance_geometry::{DVec3, Pose};
use clearance_proximity::algebraic::{Isolation, Quadric, quadric_quadric, quadric_torus};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_PI_2, TAU};

const ROUND: [f64; 2] = [0.0, TAU];
const LATITUDE: [f64; 2] = [-FRAC_PI_2, FRAC_PI_2];

/// A random quadric, as an equation and with parameters.
fn quadric(random: &mut Random, frame: Pose, scale: f64, kind: usize) -> (Quadric, Part<'static>) {
    let r = [0; 3].map(|_| scale * random.uniform(0.3, 2.0));
    let tall = [-5.0 * scale, 5.0 * scale];
    match kind {
        0 => {
            let s = Ellipsoid::new(frame, r).unwrap();
            (Quadric::from(&s), oracle::surface(s, [ROUND, LATITUDE]))
        }
        1 => {
            let s = Cylinder::new(frame, r[0]).unwrap();
            (Quadric::from(&s), oracle::surface(s, [ROUND, tall]))
        }
        2 => {
            let s = Cone::new(frame, r[0], r[1] / scale).unwrap();
            (Quadric::from(&s), oracle::surface(s, [ROUND, tall]))
        }
        _ => {
            let s = Paraboloid::new(frame, r[0]).unwrap();
            (Quadric::from(&s), oracle::surface(s, [ROUND, [0.0, 5.0 * scale]]))
        }
    }
}

#[test]
fn quadric_quadric_misses_nothing() {
    let (mut found_count, mut most) = (0, 0);
    for case in 0..100 {
        let (mut random, scale, offset) = case_of(51, case);
        let reach = scale * random.uniform(0.0, 4.0);
        let kinds = [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [2, 2], [3, 1], [3, 3], [0, 0]];
        let [k1, k2] = kinds[case as usize % kinds.len()];
        let frames = [0; 2].map(|_| placed(pose(&mut random, reach), offset));
        let (one, part_one) = quadric(&mut random, frames[0], scale, k1);
        let (other, part_other) = quadric(&mut random, frames[1], scale, k2);
        let size = 5.0 * scale;
        let found = criticals([&part_one, &part_other], size, 150, &mut random);
        let set = quadric_quadric(&one, &other).unwrap();
        found_count += found.len();
        most = most.max(set.pairs.len());
        check(&set, &found, size, &format!("case {case}, kinds {k1} {k2}"));
    }
    assert!(found_count > 250, "{found_count}");
    assert!(most >= 8, "{most}");
}

#[test]
fn quadric_torus_misses_nothing() {
    let mut found_count = 0;
    for case in 0..60 {
        let (mut random, scale, offset) = case_of(52, case);
        let reach = scale * random.uniform(0.0, 4.0);
        let kind = case as usize % 4;
        let frames = [0; 2].map(|_| placed(pose(&mut random, reach), offset));
        let (one, part) = quadric(&mut random, frames[0], scale, kind);
        let torus = Torus::new(frames[1], scale * random.uniform(0.8, 2.0), scale * random.uniform(0.1, 0.7))
            .unwrap();
        let size = 5.0 * scale;
        let found = criticals([&part, &oracle::surface(torus, [ROUND, ROUND])], size, 150, &mut random);
        let set = quadric_torus(&one, &torus).unwrap();
        found_count += found.len();
        check(&set, &found, size, &format!("case {case}, kind {kind}"));
    }
    assert!(found_count > 300, "{found_count}");
}

#[test]
fn quadrics_with_common_planes_of_symmetry_miss_nothing() {
    for case in 0..60 {
        let mut random = Random::for_case(53, case);
        let world = Pose::new(random.quaternion(), DVec3::new(3.0, -1.0, 2.0)).unwrap();
        // Axes parallel, centres in a common plane (even) or on a common axis (odd).
        let shift = if case % 2 == 0 {
            DVec3::new(random.uniform(0.5, 4.0), random.uniform(0.5, 4.0), 0.0)
        } else {
            DVec3::new(random.uniform(0.0, 5.0), 0.0, 0.0)
        };
        let r: [f64; 6] = [0; 6].map(|_| random.uniform(0.4, 2.0));
        let one = Ellipsoid::new(world, [r[0], r[1], r[2]]).unwrap();
        let other = Ellipsoid::new(world.with_translation(world.apply(shift)), [r[3], r[4], r[5]]).unwrap();
        let parts = [one, other].map(|s| oracle::surface(s, [ROUND, LATITUDE]));
        let found = criticals([&parts[0], &parts[1]], 5.0, 200, &mut random);
        let set = quadric_quadric(&Quadric::from(&one), &Quadric::from(&other)).unwrap();
        check(&set, &found, 5.0, &format!("case {case}"));
        let torus = Torus::new(*other.frame(), r[3] + 0.3, 0.3).unwrap();
        let found = criticals([&parts[0], &oracle::surface(torus, [ROUND, ROUND])], 5.0, 200, &mut random);
        let set = quadric_torus(&Quadric::from(&one), &torus).unwrap();
        check(&set, &found, 5.0, &format!("torus, case {case}"));
    }
}

#[test]
fn symmetric_solution_sets_are_continua() {
    let frame = Pose::from_axis_angle(DVec3::X, 0.4, DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let near = |d: f64, w: f64| (d - w).abs() < 1e-9;
    // Concentric balls: everything is critical.
    let balls = [1.0, 3.0].map(|r| Quadric::ellipsoid(&frame, [r; 3]).unwrap());
    let set = quadric_quadric(&balls[0], &balls[1]).unwrap();
    let kinds: Vec<_> = set.pairs.iter().map(|p| p.isolation).collect();
    assert!(!kinds.is_empty() && kinds.iter().all(|k| *k == Isolation::Continuum), "{set:?}");
    assert!(near(set.pairs[0].distance, 2.0), "{set:?}");
    // Coaxial ellipsoids of revolution: the poles are isolated, the rest are circles.
    let spun = Quadric::ellipsoid(&frame, [1.0, 1.0, 2.0]).unwrap();
    let other = frame.with_translation(frame.apply(DVec3::new(0.0, 0.0, 5.0)));
    let flat = Quadric::ellipsoid(&other, [1.5, 1.5, 0.5]).unwrap();
    let set = quadric_quadric(&spun, &flat).unwrap();
    assert!(near(set.pairs[0].distance, 2.5), "{set:?}");
    assert_eq!(set.pairs[0].isolation, Isolation::Isolated);
    // Parallel cylinders: lines.
    let beside = frame.with_translation(frame.apply(DVec3::new(5.0, 0.0, 0.0)));
    let cylinders =
        [Quadric::elliptic_cylinder(&frame, [1.0, 1.0]), Quadric::elliptic_cylinder(&beside, [2.0, 2.0])];
    let [one, two] = cylinders.map(Result::unwrap);
    let set = quadric_quadric(&one, &two).unwrap();
    assert!(near(set.pairs[0].distance, 2.0) && set.pairs[0].isolation == Isolation::Continuum, "{set:?}");
    // A torus about the axis of a cylinder: a circle.
    let torus = Torus::new(frame, 3.0, 0.5).unwrap();
    let set = quadric_torus(&one, &torus).unwrap();
    assert!(near(set.pairs[0].distance, 1.5) && set.pairs[0].isolation == Isolation::Continuum, "{set:?}");
}

#[test]
fn touching_and_overlapping_quadrics_keep_their_normals() {
    // Tangential contact is a regular solution.
    let one = Quadric::ellipsoid(&Pose::IDENTITY, [1.0, 2.0, 3.0]).unwrap();
    let tilted = Pose::from_axis_angle(DVec3::X, 0.3, DVec3::new(2.5, 0.0, 0.0)).unwrap();
    let two = Quadric::ellipsoid(&tilted, [1.5, 1.0, 0.8]).unwrap();
    let set = quadric_quadric(&one, &two).unwrap();
    let touch = &set.pairs[0];
    assert!(touch.distance < 1e-12 && (touch.points[0] - DVec3::X).length() < 1e-9, "{set:?}");
    assert_eq!(touch.isolation, Isolation::Isolated);
    assert!((touch.normal.dot(DVec3::X).abs() - 1.0).abs() < 1e-12);
}

#[test]
fn far_apart_and_slender_quadrics_miss_nothing() {
    for case in 0..40 {
        let mut random = Random::for_case(54, case);
        let ratio = [30.0, 100.0, 1000.0, 10.0][case as usize % 4];
        let frames = [0; 2].map(|_| pose(&mut random, 1.0));
        let far = case % 8 < 4;
        let r = |random: &mut Random| {
            if far {
                [0; 3].map(|_| random.uniform(0.5, 1.0))
            } else {
                [random.uniform(0.5, 1.0), 1.0 / ratio, 0.7]
            }
        };
        let shift = random.direction() * if far { ratio } else { 2.5 };
        let one = Ellipsoid::new(frames[0], r(&mut random)).unwrap();
        let other = Ellipsoid::new(placed(frames[1], shift), r(&mut random)).unwrap();
        let parts = [one, other].map(|s| oracle::surface(s, [ROUND, LATITUDE]));
        let found = criticals([&parts[0], &parts[1]], 1.0, 150, &mut random);
        let set = quadric_quadric(&Quadric::from(&one), &Quadric::from(&other)).unwrap();
        check(&set, &found, if far { ratio } else { 1.0 }, &format!("case {case}, ratio {ratio}"));
    }
}
