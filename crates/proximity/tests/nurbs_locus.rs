//! Sets of nearest points and gradients of solids of NURBS, beside the same solids given by formulas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Pose};
use clearance_proximity::{Locus, State, convex, distance, gradient, locus};
use clearance_testkit::Random;
use clearance_testkit::generate::{nurbs_ellipsoid, nurbs_lathe};
use std::f64::consts::FRAC_PI_2;

const RADII: DVec3 = DVec3::new(1.0, 0.6, 0.4);

/// An ellipsoid, a cylinder and a cone: of NURBS, and by formulas.
fn twins(scale: f64) -> [[Body; 2]; 3] {
    let lathe = |profile: &[[f64; 2]]| {
        let scaled: Vec<[f64; 2]> = profile.iter().map(|p| p.map(|x| x * scale)).collect();
        Body::from(nurbs_lathe(&scaled))
    };
    let can = lathe(&[[0.0, -1.0], [0.5, -1.0], [0.5, 1.0], [0.0, 1.0]]);
    let cone = lathe(&[[0.0, 0.0], [0.7, 0.0], [0.0, 1.5]]);
    let radii = RADII * scale;
    [
        [nurbs_ellipsoid(radii).into(), TiledBody::ellipsoid(radii.to_array()).unwrap().into()],
        [can, TiledBody::cylinder(0.5 * scale, 2.0 * scale).unwrap().into()],
        [cone, TiledBody::cone(0.7 * scale, 1.5 * scale, None).unwrap().into()],
    ]
}

fn found(bodies: [&Body; 2], pose: &Pose) -> Locus {
    let [a, b] = bodies;
    locus(a, b, pose, &distance(a, b, pose).unwrap())
}

#[test]
fn nearest_points_at_random_poses_are_unique_and_have_a_gradient() {
    let mut random = Random::new(83);
    for scale in [1e-6, 1.0, 1e6] {
        let all = twins(scale);
        let mut apart = 0;
        for (i, [a, formula_a]) in all.iter().enumerate() {
            for [b, formula_b] in &all[i..] {
                for _ in 0..30 {
                    let off = random.direction() * random.uniform(1.0, 3.0) * scale;
                    let pose = Pose::from_matrix(random.rotation(), off).unwrap();
                    let answer = distance(a, b, &pose).unwrap();
                    if answer.state != State::Separated {
                        continue;
                    }
                    apart += 1;
                    let set = locus(a, b, &pose, &answer);
                    assert!(set.is_unique(), "{set:?} {answer:?}");
                    let slope = gradient(a, b, &pose, &answer).unwrap().unwrap();
                    let known = convex::distance(formula_a, formula_b, &pose).unwrap();
                    let known = gradient(formula_a, formula_b, &pose, &known).unwrap().unwrap();
                    // Points are as exact as the root of the error of the distance.
                    assert!(slope.velocity_b.distance(known.velocity_b) < 1e-4, "{slope:?} {known:?}");
                    assert!(slope.angular_b.distance(known.angular_b) < 1e-4 * scale, "{slope:?} {known:?}");
                }
            }
        }
        assert!(apart > 100, "{apart}");
    }
}

/// Balls and eggs have one nearest point however they stand.
#[test]
fn round_solids_along_their_axes_have_one_nearest_point() {
    for off in [DVec3::X * 3.0, DVec3::Y * 3.0, DVec3::Z * 3.0, DVec3::ONE * 2.0] {
        for radii in [DVec3::ONE, RADII] {
            let egg = Body::from(nurbs_ellipsoid(radii));
            let set = found([&egg, &egg], &Pose::from_translation(off).unwrap());
            assert!(set.is_unique(), "{off} {radii}: {set:?}");
        }
    }
}

#[test]
fn parallel_cylinders_share_a_line_and_crossed_ones_a_point() {
    let [_, [can, _], _] = twins(1.0);
    for direction in [DVec3::X, DVec3::Y, DVec3::new(0.6, 0.8, 0.0)] {
        let beside = Pose::from_translation(3.0 * direction + 0.5 * DVec3::Z).unwrap();
        let set = found([&can, &can], &beside);
        assert_eq!((set.pairs.len(), set.dimensions), (2, [1, 1]), "{set:?}");
        for [p, _] in &set.pairs {
            assert!((*p - 0.5 * direction).truncate().length() < 1e-7, "{set:?}");
        }
        let mut ends: Vec<f64> = set.pairs.iter().map(|[p, _]| p.z).collect();
        ends.sort_by(f64::total_cmp);
        assert!((ends[0] + 0.5).abs() < 1e-7 && (ends[1] - 1.0).abs() < 1e-7, "{ends:?}");
        let across = Pose::from_axis_angle(direction, FRAC_PI_2, 3.0 * direction).unwrap();
        assert!(found([&can, &can], &across).is_unique());
    }
}

#[test]
fn caps_on_caps_share_a_disc() {
    let [_, [can, _], [cone, _]] = twins(1.0);
    let over = Pose::from_translation(DVec3::Z * 3.0).unwrap();
    for lid in [&can, &cone] {
        let set = found([&can, lid], &over);
        assert!(set.pairs.len() >= 16, "{set:?}");
        let reach = set.pairs.iter().map(|[p, _]| p.truncate().length());
        assert!(reach.clone().all(|r| r < 0.5 + 1e-9) && reach.fold(0.0, f64::max) > 0.49, "{set:?}");
    }
}
