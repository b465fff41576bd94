//! Solids whose faces are all NURBS surfaces, as CAD systems hand them over: they answer as the same solids given by formulas do,
//! which other kernels answer for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, TiledBody};
use clearance_geometry::{Body, DMat3, DVec3, Feature, Pose};
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Precision, Proximity, Scratch, State, convex};
use clearance_testkit::Random;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

/// A unit circle: x, y and weight.
const CIRCLE: [[f64; 3]; 9] = [
    [1.0, 0.0, 1.0],
    [1.0, 1.0, FRAC_1_SQRT_2],
    [0.0, 1.0, 1.0],
    [-1.0, 1.0, FRAC_1_SQRT_2],
    [-1.0, 0.0, 1.0],
    [-1.0, -1.0, FRAC_1_SQRT_2],
    [0.0, -1.0, 1.0],
    [1.0, -1.0, FRAC_1_SQRT_2],
    [1.0, 0.0, 1.0],
];

/// Radius, height and weight along a profile turned about z, then stretched.
fn turned(profile: &[[f64; 3]], degree: usize, knots: Vec<f64>, stretch: DVec3) -> Patch {
    let round = vec![0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0];
    let row = |[x, y, _]: &[f64; 3]| {
        profile.iter().map(|[r, z, _]| DVec3::new(r * x, r * y, *z) * stretch).collect()
    };
    let rows: Vec<Vec<DVec3>> = CIRCLE.iter().map(row).collect();
    let weights: Vec<Vec<f64>> =
        CIRCLE.iter().map(|c| profile.iter().map(|p| p[2] * c[2]).collect()).collect();
    Patch::new(NurbsSurface::new([2, degree], [round, knots], &rows, Some(&weights)).unwrap())
}

fn lathe(profile: &[[f64; 2]], scale: f64) -> TiledBody {
    let side = |ends: &[[f64; 2]]| {
        let line = [[ends[0][0], ends[0][1], 1.0], [ends[1][0], ends[1][1], 1.0]];
        turned(&line, 1, vec![0.0, 0.0, 1.0, 1.0], DVec3::splat(scale))
    };
    let patches: Vec<Patch> = profile.windows(2).map(side).collect();
    TiledBody::from_patches(&patches, None).unwrap()
}

/// Pairs of the same solid: as NURBS, and by formulas.
fn twins(scale: f64) -> Vec<(&'static str, Body, Body)> {
    let half: Vec<[f64; 3]> = (0..5).map(|i| CIRCLE[(i + 6) % 8]).collect();
    let knots = vec![0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0];
    let radii = DVec3::new(1.0, 0.6, 0.35) * scale;
    let egg = TiledBody::from_patches(&[turned(&half, 2, knots, radii)], None).unwrap();
    let can = lathe(&[[0.0, -1.0], [0.5, -1.0], [0.5, 1.0], [0.0, 1.0]], scale);
    let cone = lathe(&[[0.0, 0.0], [0.7, 0.0], [0.0, 1.5]], scale);
    let stump = lathe(&[[0.0, 0.0], [0.7, 0.0], [0.2, 1.0], [0.0, 1.0]], scale);
    vec![
        ("egg", egg.into(), TiledBody::ellipsoid(radii.to_array()).unwrap().into()),
        ("can", can.into(), TiledBody::cylinder(0.5 * scale, 2.0 * scale).unwrap().into()),
        ("cone", cone.into(), TiledBody::cone(0.7 * scale, 1.5 * scale, None).unwrap().into()),
        ("stump", stump.into(), TiledBody::cone(0.7 * scale, scale, Some(0.2 * scale)).unwrap().into()),
    ]
}

fn random_pose(random: &mut Random, scale: f64) -> Pose {
    Pose::from_matrix(random.rotation(), random.direction() * random.uniform(0.3, 3.0) * scale).unwrap()
}

/// The distance, or minus the depth, and how far apart its bounds are where it is proven.
fn compared(answer: &Proximity, known: &Proximity, size: f64, what: &str) {
    let off = (answer.signed_distance - known.signed_distance).abs();
    assert!(off <= 2e-9 * size, "{what}: {} {}", answer.signed_distance, known.signed_distance);
    let near = known.signed_distance.abs() < 1e-9 * size;
    assert!(answer.state == known.state || near, "{what}: {:?} {:?}", answer.state, known.state);
}

#[test]
fn solids_of_nurbs_answer_as_those_of_formulas() {
    let mut random = Random::new(71);
    for scale in [1e-6, 1.0, 1e6] {
        let all = twins(scale);
        let [mut apart, mut overlapping, mut unproven] = [0; 3];
        for (i, (name_a, a, formula_a)) in all.iter().enumerate() {
            assert!(convex::is_convex(a), "{name_a}");
            for (name_b, b, formula_b) in &all[i..] {
                let mut scratch = Scratch::new();
                for k in 0..40 {
                    let pose = random_pose(&mut random, scale);
                    let what = format!("{name_a} {name_b} {scale:e} {k}");
                    let known = convex::distance(formula_a, formula_b, &pose).unwrap();
                    let answer = scratch.find(a, b, &pose, &Precision::default()).unwrap().proximity;
                    compared(&answer, &known, scale, &what);
                    match (answer.state, answer.ended) {
                        (State::Separated, Ended::Certified(proof)) => {
                            apart += 1;
                            assert!(answer.distance - proof.lower <= 4e-9 * scale, "{what}");
                        }
                        (State::Separated, ended) => panic!("{what}: {ended:?}"),
                        (_, Ended::Certified(_)) => overlapping += 1,
                        (_, Ended::Stalled { residual }) => {
                            // Rounding may stop a depth just short of its proof.
                            assert!(residual <= 1e-8 * scale, "{what}: {residual:e}");
                            unproven += 1;
                        }
                        (_, ended) => panic!("{what}: {ended:?}"),
                    }
                }
            }
        }
        assert!(apart > 200 && overlapping > 60 && unproven < 12, "{apart} {overlapping} {unproven}");
    }
}

#[test]
fn heights_of_cones_of_nurbs_are_proven_along_their_rulings() {
    let (_, cone, _) = twins(1.0).swap_remove(2);
    let Body::Tiled(cone) = &cone else { panic!("a tiled body") };
    let shape = cone.convex_shape().unwrap();
    let mut random = Random::new(72);
    for k in 0..400 {
        // Across a ruling, where all of it is as high, then beside that.
        let turn = random.uniform(0.0, std::f64::consts::TAU);
        let lean = [0.0, 1e-12, 1e-6, 0.1][k % 4] * random.uniform(-1.0, 1.0);
        let n = DVec3::new(1.5 * turn.cos(), 1.5 * turn.sin(), 0.7 + lean).normalize();
        let known = (0.7 * n.x.hypot(n.y)).max(1.5 * n.z);
        let (height, above) = (shape.farthest(n).point.dot(n), shape.height_above(n));
        assert!((height - known).abs() < 1e-14, "{n} {height} {known}");
        assert!(above >= known && above - known < 1e-9, "{n} {:e}", above - known);
    }
}

#[test]
fn solids_of_nurbs_are_tracked() {
    let mut random = Random::new(73);
    let all = twins(1.0);
    for (i, (name_a, a, formula_a)) in all.iter().enumerate() {
        for (name_b, b, formula_b) in &all[i..] {
            let mut tracker = CurvedTracker::new(a, b).unwrap();
            let (axis, place) = (random.direction(), random.direction());
            for k in 0..120 {
                let angle = 0.02 * f64::from(k);
                let far = 1.8 + 0.8 * (3.0 * angle).sin();
                let pose = Pose::from_axis_angle(axis, angle, place * far).unwrap();
                let answer = tracker.update(&pose).unwrap();
                let known = convex::distance(formula_a, formula_b, &pose).unwrap();
                compared(&answer, &known, 1.0, &format!("{name_a} {name_b} {k}"));
            }
        }
    }
}

#[test]
fn apexes_of_cones_of_nurbs_are_followed() {
    let all = twins(1.0);
    let (can, cone) = (&all[1], &all[2]);
    let mut tracker = CurvedTracker::new(&can.1, &cone.1).unwrap();
    let [mut apex, mut others, mut searched] = [0; 3];
    for k in 0..800 {
        // The cone points at the can from its side, nods, and goes round it.
        let turn = 0.005 * f64::from(k);
        let lean = 0.9 * (7.0 * turn).sin();
        let rotation = DMat3::from_rotation_z(turn) * DMat3::from_rotation_y(lean - FRAC_PI_2);
        let place = DVec3::new(3.0 * turn.cos(), 3.0 * turn.sin(), 1.1 * (3.0 * turn).sin());
        let pose = Pose::from_matrix(rotation, place).unwrap();
        let answer = tracker.update(&pose).unwrap();
        let known = convex::distance(&can.2, &cone.2, &pose).unwrap();
        compared(&answer, &known, 1.0, &format!("{k}"));
        assert!(
            answer.distance - tracker.lower() < 1e-11 && tracker.lower() <= known.distance + 1e-12,
            "{k}"
        );
        let at_apex = matches!(answer.witnesses[1].feature, Feature::Vertex(_));
        if at_apex {
            apex += 1
        } else {
            others += 1
        }
        searched += usize::from(answer.work.supports != 1);
    }
    assert!(apex > 300 && others > 20 && searched < 40, "{apex} {others} {searched}");
}
