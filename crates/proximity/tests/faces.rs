//! Bodies of many faces, asked about once: only the faces that can matter are cut, and the answer is that of the whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_geometry::pieces::{self, FaceGroups};
use clearance_geometry::tiled::{Face, Segment, Side, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Part, PartTree, Polytope, Pose};
use clearance_proximity::{Ended, Precision, Scratch, State, containment, nearest_points};
use clearance_testkit::Random;
use clearance_testkit::generate::{BODY_KINDS, body};
use std::collections::BTreeSet;

/// A hollow shaft with steps, cones and a groove, open at one end.
fn shaft(size: f64) -> TiledBody {
    let p = |r: f64, z: f64| DVec2::new(r, z) * size;
    let corners = [
        p(0.0, -4.0),
        p(1.0, -4.0),
        p(1.2, -3.6),
        p(1.2, -2.0),
        p(2.0, -2.0),
        p(2.0, -1.4),
        p(1.6, -1.0),
        p(2.0, -0.6),
        p(2.0, 1.0),
        p(1.4, 1.0),
        p(1.4, 4.0),
        p(1.0, 4.0),
        p(1.0, 0.0),
        p(0.6, -0.5),
        p(0.0, -0.5),
    ];
    let line = |i: usize| Segment::Line { from: corners[i], to: corners[i + 1] };
    TiledBody::revolve(&(0..corners.len() - 1).map(line).collect::<Vec<Segment>>()).unwrap()
}

/// Two shafts and a box as one body.
fn assembly() -> Body {
    let turned = Pose::from_axis_angle(DVec3::X, 1.3, DVec3::new(5.0, 1.0, 0.5)).unwrap();
    let aside = Pose::from_translation(DVec3::new(-5.0, 0.0, 1.0)).unwrap();
    let parts = vec![
        (Part::Tiled(shaft(1.0)), Pose::IDENTITY),
        (Part::Tiled(shaft(0.7)), turned),
        (Part::Polytope(Polytope::cuboid(DVec3::ONE).unwrap()), aside),
    ];
    Body::from(PartTree::of_parts(parts).unwrap())
}

fn poses(random: &mut Random, reach: f64, count: usize) -> Vec<Pose> {
    let pose = |random: &mut Random| {
        let to = random.direction() * random.uniform(0.0, reach);
        Pose::new(random.quaternion(), to).unwrap()
    };
    (0..count).map(|_| pose(random)).collect()
}

/// Asks about two bodies for the first time and compares with the search over all of them; how many are apart, and how many
/// of these are inside each other.
fn compare(a: &Body, b: &Body, poses: &[Pose]) -> [usize; 2] {
    let (mut apart, mut inside) = (0, 0);
    for pose in poses {
        let found = Scratch::new().find(a, b, pose, &Precision::default()).unwrap();
        let (nearest, ready) = nearest_points(a, b, pose, &Precision::default()).unwrap();
        let error = ready[0].demand(&ready[1], pose).max_error;
        if nearest.proximity.state != State::Separated {
            assert_ne!(found.proximity.state, State::Separated, "{pose:?}");
            continue;
        }
        apart += 1;
        let state = containment(a, b, pose).unwrap().unwrap_or(State::Separated);
        assert_eq!(found.proximity.state, state, "{pose:?}");
        if state != State::Separated {
            inside += 1;
            continue;
        }
        let distance = nearest.proximity.distance;
        assert!((found.proximity.distance - distance).abs() <= 2.0 * error, "{found:?} {nearest:?}");
        let Ended::Certified(proof) = found.proximity.ended else { panic!("{found:?}") };
        assert!(proof.lower <= distance && proof.lower >= distance - 3.0 * error, "{found:?} {nearest:?}");
    }
    [apart, inside]
}

#[test]
fn first_answers_are_those_of_the_whole_body() {
    let mut random = Random::new(41);
    for size in [1e-6, 1.0, 1e6] {
        let many = Body::from(shaft(size));
        assert!(FaceGroups::of(&many).is_some());
        let others: [Body; 4] = [
            TiledBody::sphere(0.3 * size).unwrap().into(),
            TiledBody::cylinder(0.4 * size, 1.5 * size).unwrap().into(),
            TiledBody::torus(size, 0.2 * size).unwrap().into(),
            Polytope::cuboid(DVec3::new(1.0, 0.5, 0.3) * size).unwrap().into(),
        ];
        let (mut apart, mut inside) = (0, 0);
        for other in others {
            let [separate, contained] = compare(&many, &other, &poses(&mut random, 6.0 * size, 20));
            let [back, within] = compare(&other, &many, &poses(&mut random, 6.0 * size, 10));
            (apart, inside) = (apart + separate + back, inside + contained + within);
        }
        assert!(apart > 60 && inside > 0, "{apart} {inside}");
    }
}

#[test]
fn first_answers_of_many_faces_on_both_sides_are_those_of_the_whole() {
    let mut random = Random::new(42);
    let [one, all] = [Body::from(shaft(1.0)), assembly()];
    let [first, _] = compare(&one, &one, &poses(&mut random, 9.0, 12));
    let [second, _] = compare(&all, &one, &poses(&mut random, 12.0, 12));
    assert!(first > 3 && second > 3, "{first} {second}");
}

/// A slope over a face says that its extremes are on its edges, and these may be too far away to be looked at for themselves.
#[test]
fn first_answers_of_trimmed_faces_are_those_of_the_whole() {
    let star = BODY_KINDS.iter().position(|name| *name == "star").unwrap();
    let mut random = Random::new(43);
    for size in [1e-5, 1.0, 1e6] {
        let mut apart = 0;
        for _ in 0..12 {
            let body = body(&mut random, star, size).boundary();
            assert!(FaceGroups::of(&body).is_some());
            for other in
                [Polytope::point().into(), Body::from(TiledBody::cylinder(0.02 * size, 0.04 * size).unwrap())]
            {
                let around = poses(&mut random, 1.2 * size, 25);
                apart += compare(&body, &other, &around)[0];
                let back: Vec<Pose> = around.iter().map(Pose::inverse).collect();
                compare(&other, &body, &back);
            }
        }
        assert!(apart > 400, "{apart}");
    }
}

#[test]
fn groups_hold_every_piece_and_within_their_boxes() {
    for body in [Body::from(shaft(1.0)), assembly()] {
        let groups = FaceGroups::of(&body).unwrap();
        let whole = pieces::of_body(&body).unwrap();
        let mut seen = BTreeSet::new();
        for (at, bound) in groups.boxes().iter().enumerate() {
            let Ok(tree) = groups.tree(|group| group == at) else { continue };
            for piece in tree.leaves() {
                seen.insert(format!("{} {:?} {:?}", piece.leaf, piece.feature, piece.span));
                for k in 0..25 {
                    let local = DVec2::new(f64::from(k % 5), f64::from(k / 5)) / 4.0;
                    let is_on = |face: &Face| face.side(piece.span.parameters(local)) == Side::Inside;
                    if piece.trimmed && !piece.face(&body).is_some_and(is_on) {
                        continue;
                    }
                    assert!(bound.contains(piece.point(local).to_array()), "{at} {piece:?}");
                }
            }
        }
        assert_eq!(seen.len(), whole.leaves().len());
        assert_eq!(groups.tree(|_| true).unwrap().leaves().len(), whole.leaves().len());
    }
}
