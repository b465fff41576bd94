//! Solids whose faces are all NURBS surfaces, as CAD systems hand them over: they answer as the same solids given by formulas do,
//! which other kernels answer for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DMat3, DVec3, Feature, Pose};
use clearance_proximity::tracking::CurvedTracker;
use clearance_proximity::{Ended, Parameters, Precision, Proximity, Scratch, State, convex};
use clearance_testkit::Random;
use clearance_testkit::generate::{nurbs_ellipsoid, nurbs_lathe};
use std::f64::consts::FRAC_PI_2;

/// Pairs of the same solid: as NURBS, and by formulas.
fn twins(scale: f64) -> Vec<(&'static str, Body, Body)> {
    let radii = DVec3::new(1.0, 0.6, 0.35) * scale;
    let egg = nurbs_ellipsoid(radii);
    let lathe =
        |profile: &[[f64; 2]]| nurbs_lathe(&profile.iter().map(|p| p.map(|x| x * scale)).collect::<Vec<_>>());
    let can = lathe(&[[0.0, -1.0], [0.5, -1.0], [0.5, 1.0], [0.0, 1.0]]);
    let cone = lathe(&[[0.0, 0.0], [0.7, 0.0], [0.0, 1.5]]);
    let stump = lathe(&[[0.0, 0.0], [0.7, 0.0], [0.2, 1.0], [0.0, 1.0]]);
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
    let [a, b] = answer.witnesses.map(|witness| witness.point);
    let certified = matches!(answer.ended, Ended::Certified(_)) && answer.state == State::Separated;
    assert!(!certified || (a.distance(b) - answer.distance).abs() <= 2e-9 * size, "{what}: {a} {b}");
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
fn apexes_beside_cans_of_nurbs_are_named() {
    let all = twins(1.0);
    let rotation = DMat3::from_cols(
        DVec3::new(-0.259897542715988, -0.5346389761938959, 0.8041233937801671),
        DVec3::new(0.4617994094051563, -0.8001550964108439, -0.38274420591408237),
        DVec3::new(0.8480534020704356, 0.2718694297306989, 0.4548543068001718),
    );
    let place = DVec3::new(-1.5353144992832508, -1.1740483736461036, -0.35236389904590454);
    let pose = Pose::from_matrix(rotation, place).unwrap();
    let answer = convex::distance(&all[1].1, &all[2].1, &pose).unwrap();
    compared(&answer, &convex::distance(&all[1].2, &all[2].2, &pose).unwrap(), 1.0, "beside");
    assert!(matches!(answer.ended, Ended::Certified(_)) && answer.work.iterations < 20, "{answer:?}");
    let features = answer.witnesses.map(|witness| witness.feature);
    assert!(matches!(features, [Feature::Face(_), Feature::Vertex(_)]), "{features:?}");
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
            "{k}: {answer:?} {} {known:?}",
            tracker.lower()
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

/// Poses at which the rim of a can is nearest to the side of a cone, next to its apex.
const BESIDE_APEXES: [[[f64; 3]; 4]; 9] = [
    [
        [0.3108632127340083, -0.8958391423407637, 0.3175473098907563],
        [0.22311853695402212, 0.39354590130177747, 0.8918182225297197],
        [-0.9238951138718007, -0.2063827866338105, 0.3222172620221885],
        [2.7727353194725946, 0.26279248898096186, 1.4100986042488282],
    ],
    [
        [-0.22222021576918394, -0.31938382546027755, 0.9212014696785154],
        [0.0036829906474558916, 0.9445436970238604, 0.3283651016664051],
        [-0.9749895441918279, 0.07636214014062706, -0.20872041651394602],
        [1.8304195147364803, 0.16003307490651683, 1.33109509749166],
    ],
    [
        [-0.9115282266548634, 0.3481689830363276, 0.21884846643942724],
        [0.2273738851998156, 0.8701220376616016, -0.4372513646688407],
        [-0.34266223652538774, -0.34880653495465336, -0.8723053323420344],
        [0.17583720565059066, 0.9435071169851852, 2.240954467648507],
    ],
    [
        [0.6202039915439782, -0.3067315714486094, -0.7219852851336956],
        [-0.7756054786546491, -0.10203336099641769, -0.6229167959885715],
        [0.11740166248315953, 0.9463112259296313, -0.30118418505251743],
        [-0.21929152021514267, -1.9908846960882238, -0.7259164767510531],
    ],
    [
        [0.4736546497749148, -0.7025326002371832, 0.531130133160024],
        [-0.8806674058976116, -0.3718331017319465, 0.29353886394474443],
        [-0.008728856521576567, -0.6067850443611655, -0.7948180401849494],
        [-0.41086287797382315, 0.23245655783290387, 2.413880558117456],
    ],
    [
        [0.5118471863440881, 0.6636325499088893, -0.5455312058288381],
        [0.8230300782100417, -0.19679097316657002, 0.5328177955377686],
        [0.24623961540177317, -0.7217098804793936, -0.6469164553674664],
        [-0.27215183614034294, 0.1636776555186025, 3.242014545113907],
    ],
    [
        [0.5373016196885149, 0.8210930783531912, 0.19264767364434676],
        [-0.45802752838750316, 0.09228232169151651, 0.8841350328668458],
        [0.7081791812241683, -0.5632851229916371, 0.425666674167667],
        [-1.9031459326896238, 1.4209310305770344, 0.7925869780769532],
    ],
    [
        [0.5496114206668915, -0.7006453555733453, -0.45499821097013304],
        [0.16775074990824335, 0.6260978654444991, -0.7614861448451073],
        [0.8184051393886423, 0.3421951907893248, 0.46164432112061593],
        [-0.6706419374964107, -0.5906320790753883, -1.7012697260834855],
    ],
    [
        [0.8618560978694292, 0.24199638501009335, 0.4456925130707578],
        [0.26774599049430103, 0.5292455483546628, -0.8051156650575109],
        [-0.4307158589366156, 0.813226228788041, 0.3913399413191482],
        [0.7797824671431924, -1.606916050881382, -1.9555722675285734],
    ],
];

#[test]
fn sides_of_cones_of_nurbs_next_to_their_apexes_are_named() {
    let all = twins(1.0);
    let (can, cone) = (&all[1], &all[2]);
    for (k, [x, y, z, place]) in BESIDE_APEXES.iter().enumerate() {
        let rotation = DMat3::from_cols_array_2d(&[*x, *y, *z]);
        let pose = Pose::from_matrix(rotation, DVec3::from_array(*place)).unwrap();
        let answer = convex::distance(&can.1, &cone.1, &pose).unwrap();
        compared(&answer, &convex::distance(&can.2, &cone.2, &pose).unwrap(), 1.0, &format!("{k}"));
        assert!(
            matches!(answer.ended, Ended::Certified(_)) && answer.work.iterations < 12,
            "{k}: {answer:?}"
        );
        let [on_a, on_b] = answer.witnesses;
        assert!((on_a.point.distance(on_b.point) - answer.distance).abs() < 1e-12, "{k}: {answer:?}");
        assert!(
            on_witness_feature(&can.1, on_a.feature, on_a.parameters, on_a.point) < 1e-11,
            "{k}: {on_a:?}"
        );
        let local = pose.apply_inverse(on_b.point);
        assert!(on_witness_feature(&cone.1, on_b.feature, on_b.parameters, local) < 1e-11, "{k}: {on_b:?}");
        assert!(matches!(on_b.feature, Feature::Face(_)), "{k}: {on_b:?}");
    }
}

/// How far a witness is from the place on its feature that its parameters name.
fn on_witness_feature(body: &Body, feature: Feature, parameters: Parameters, point: DVec3) -> f64 {
    let Body::Tiled(tiled) = body else { panic!("a tiled body") };
    let shape = tiled.convex_shape().unwrap();
    let state = match (feature, parameters) {
        (Feature::Face(_), Parameters::Surface(at)) => at.extend(0.0),
        (Feature::Edge(edge), Parameters::Curve(t)) => shape.state_of_edge(edge, t),
        _ => DVec3::ZERO,
    };
    (shape.point(feature, state) + shape.anchor()).distance(point)
}
