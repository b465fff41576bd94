//! The degenerate catalogue: one test each, at three scales, near the origin and far from it.

use crate::oracle::check;
use clearance_geometry::{DVec2, Feature, PlanarPose, Polygon};
use clearance_proximity::State;
use clearance_proximity::planar::{self, PlanarProximity};

/// Answers for the pair at every scale, with the bodies modelled at their origins and far from them,
/// divided by the scale.
fn at_all_scales(
    a: &[[f64; 2]],
    b: &[[f64; 2]],
    degrees: f64,
    translation: [f64; 2],
) -> Vec<(PlanarProximity, f64)> {
    let mut answers = Vec::new();
    // Powers of two, so that scaling and shifting do not round.
    for scale in [2f64.powi(-20), 1.0, 2f64.powi(20)] {
        for far in [0.0, 2f64.powi(20)] {
            let shift = DVec2::new(far, -far) * scale;
            let body = |points: &[[f64; 2]]| {
                let points: Vec<DVec2> =
                    points.iter().map(|&p| scale * DVec2::from_array(p) + shift).collect();
                match points[..] {
                    [_] => Polygon::point(),
                    [p, q] => Polygon::segment([p, q]).unwrap(),
                    _ => Polygon::from_points(&points).unwrap(),
                }
            };
            let (a, b) = (body(a), body(b));
            let turn = PlanarPose::from_degrees(degrees, DVec2::ZERO).unwrap();
            let home = |p: &Polygon| if p.dimension() == 0 { DVec2::ZERO } else { shift };
            let at = scale * DVec2::from_array(translation) + home(&a) - turn.rotate(home(&b));
            let pose = turn.with_translation(at);
            let answer = planar::distance(&a, &b, &pose);
            let what = format!("scale {scale} far {far}");
            check(&a, &b, &pose, &answer, &what);
            let back = pose.inverse();
            check(&b, &a, &back, &planar::distance(&b, &a, &back), &format!("{what} swapped"));
            answers.push((answer, scale));
        }
    }
    answers
}

const SQUARE: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

#[test]
fn parallel_edges() {
    for (answer, scale) in at_all_scales(&SQUARE, &SQUARE, 0.0, [3.0, 0.25]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, 1.0));
        assert_eq!(answer.normal, DVec2::X);
    }
    for (answer, scale) in at_all_scales(&SQUARE, &SQUARE, 90.0, [1.5, 0.25]) {
        assert_eq!((answer.state, answer.signed_distance / scale), (State::Penetrating, -0.5));
    }
}

#[test]
fn nearly_parallel_edges() {
    for angle in [1e-15, 1e-12, 1e-9, 1e-6] {
        let pose = PlanarPose::new(angle, DVec2::new(3.0, 0.25)).unwrap();
        let square = Polygon::rectangle(DVec2::splat(2.0)).unwrap();
        check(&square, &square, &pose, &planar::distance(&square, &square, &pose), "nearly parallel");
    }
}

#[test]
fn edges_in_contact() {
    for (answer, _) in at_all_scales(&SQUARE, &SQUARE, 0.0, [2.0, 0.5]) {
        assert_eq!((answer.state, answer.signed_distance), (State::Touching, 0.0));
        assert_eq!(answer.normal, DVec2::X);
    }
}

#[test]
fn vertex_on_edge() {
    let wedge = [[1.0, 0.25], [3.0, -1.0], [3.0, 2.0]];
    for (answer, _) in at_all_scales(&SQUARE, &wedge, 0.0, [0.0, 0.0]) {
        assert_eq!(answer.state, State::Touching);
        assert_eq!(answer.normal, DVec2::X);
        assert!(matches!(answer.witnesses[1].feature, Feature::Vertex(_)), "{answer:?}");
    }
}

#[test]
fn vertex_over_edge() {
    let wedge = [[1.5, 0.25], [3.0, -1.0], [3.0, 2.0]];
    for (answer, scale) in at_all_scales(&SQUARE, &wedge, 0.0, [0.0, 0.0]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, 0.5));
        assert!(matches!(answer.witnesses[0].feature, Feature::Edge(_)), "{answer:?}");
        assert!(matches!(answer.witnesses[1].feature, Feature::Vertex(_)), "{answer:?}");
    }
}

#[test]
fn identical_bodies() {
    for (answer, scale) in at_all_scales(&SQUARE, &SQUARE, 0.0, [0.0, 0.0]) {
        assert_eq!((answer.state, answer.signed_distance / scale), (State::AInsideB, -2.0));
    }
}

#[test]
fn corners_in_contact() {
    for (answer, _) in at_all_scales(&SQUARE, &SQUARE, 0.0, [2.0, 2.0]) {
        assert_eq!(answer.state, State::Touching);
    }
}

#[test]
fn corner_against_corner() {
    for (answer, scale) in at_all_scales(&SQUARE, &SQUARE, 0.0, [5.0, 6.0]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, 5.0));
        assert!((answer.normal - DVec2::new(0.6, 0.8)).length() < 1e-15);
    }
}

#[test]
fn slivers() {
    // As thin as the far frames can still write down.
    const THIN: f64 = 1.0 / (1u64 << 30) as f64;
    let sliver = [[-1.0, 0.0], [1.0, -THIN], [1.0, THIN]];
    for (answer, scale) in at_all_scales(&sliver, &sliver, 180.0, [-3.0, 0.0]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, 1.0));
    }
    for (answer, scale) in at_all_scales(&sliver, &sliver, 90.0, [0.0, 0.0]) {
        assert_eq!(answer.state, State::Penetrating);
        assert!(answer.signed_distance / scale < -0.9);
    }
    // Tip to tip, as close as the slivers are thin.
    for (answer, scale) in at_all_scales(&sliver, &sliver, 180.0, [-2.0 - THIN, 0.0]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, THIN));
    }
}

#[test]
fn one_inside_the_other() {
    let small = SQUARE.map(|p| p.map(|x| 0.25 * x));
    for (answer, scale) in at_all_scales(&SQUARE, &small, 0.0, [0.5, 0.0]) {
        assert_eq!((answer.state, answer.signed_distance / scale), (State::BInsideA, -0.75));
        assert_eq!(answer.normal, DVec2::X);
    }
    for (answer, scale) in at_all_scales(&small, &SQUARE, 0.0, [0.5, 0.0]) {
        assert_eq!((answer.state, answer.signed_distance / scale), (State::AInsideB, -0.75));
    }
}

#[test]
fn crossing_bars_are_not_inside() {
    let bar = [[-4.0, -0.5], [4.0, -0.5], [4.0, 0.5], [-4.0, 0.5]];
    for (answer, scale) in at_all_scales(&bar, &bar, 90.0, [0.0, 0.0]) {
        assert_eq!((answer.state, answer.signed_distance / scale), (State::Penetrating, -4.5));
    }
}

#[test]
fn points_and_segments() {
    let dot = [[0.0, 0.0]];
    let stick = [[0.0, 0.0], [2.0, 0.0]];
    for (answer, scale) in at_all_scales(&dot, &dot, 0.0, [3.0, 4.0]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, 5.0));
    }
    for (answer, _) in at_all_scales(&dot, &dot, 0.0, [0.0, 0.0]) {
        assert_eq!(answer.state, State::Touching);
    }
    for (answer, scale) in at_all_scales(&dot, &SQUARE, 0.0, [0.0, 0.0]) {
        assert_eq!((answer.state, answer.signed_distance / scale), (State::AInsideB, -1.0));
    }
    for (answer, _) in at_all_scales(&dot, &stick, 0.0, [-1.0, 0.0]) {
        assert_eq!(answer.state, State::Touching);
    }
    for (answer, scale) in at_all_scales(&stick, &stick, 90.0, [1.0, -1.0]) {
        assert_eq!((answer.state, answer.signed_distance / scale), (State::Penetrating, -1.0));
    }
    for (answer, _) in at_all_scales(&stick, &stick, 0.0, [1.0, 0.0]) {
        assert_eq!(answer.state, State::Touching);
    }
    for (answer, scale) in at_all_scales(&stick, &stick, 0.0, [3.0, 0.0]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, 1.0));
    }
    for (answer, scale) in at_all_scales(&stick, &SQUARE, 0.0, [0.0, 4.0]) {
        assert_eq!((answer.state, answer.distance / scale), (State::Separated, 3.0));
    }
}
