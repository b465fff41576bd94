//! First questions about the bodies of STEP files, of which only some faces are cut: the answers are those of the whole bodies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "other tests use the rest")]
mod step_common;

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::global::{Prepared, nearest};
use clearance_proximity::{Ended, Precision, Scratch, State};
use clearance_testkit::Random;
use step_common::files;

/// Poses of each pair of bodies.
const POSES: usize = 60;

/// Asks both ways round; how many are apart.
fn compare(name: &str, part: &Body, other: &Body, poses: &[Pose]) -> usize {
    let [whole, beside] = [part, other].map(|body| Prepared::new(body).unwrap());
    let mut apart = 0;
    for pose in poses {
        let demand = whole.demand(&beside, pose);
        let expected = nearest(&whole, &beside, pose, &demand).proximity;
        if expected.state != State::Separated || !matches!(expected.ended, Ended::Certified(_)) {
            continue;
        }
        for (a, b, pose_ab) in [(part, other, *pose), (other, part, pose.inverse())] {
            let found = Scratch::new().find(a, b, &pose_ab, &Precision::default()).unwrap().proximity;
            if found.state != State::Separated {
                // Inside it, where it has an inside.
                assert!(!part.is_surface_only() && found.state != State::Touching, "{name}: {found:?}");
                continue;
            }
            let off = (found.distance - expected.distance).abs();
            assert!(off <= 2.0 * demand.max_error, "{name} {pose:?}: {found:?} {expected:?}");
            let Ended::Certified(proof) = found.ended else { panic!("{name} {pose:?}: {found:?}") };
            assert!(proof.lower <= expected.distance, "{name} {pose:?}: {found:?} {expected:?}");
            apart += 1;
        }
    }
    apart
}

#[test]
fn first_answers_are_those_of_whole_parts() {
    let mut random = Random::new(47);
    let (mut apart, mut parts) = (0, 0);
    for (name, model, _) in files("first_answers_are_those_of_whole_parts") {
        for body in &model.bodies {
            let Ok(tiled) = body.to_tiled() else { continue };
            let (center, half) = (DVec3::from_array(tiled.aabb().center()), tiled.aabb().half_extents());
            let size = half.length();
            let pin = Body::from(TiledBody::cylinder(0.01 * size, 0.03 * size).unwrap());
            let faces = Body::from(tiled).boundary();
            parts += 1;
            for other in [Body::from(Polytope::point()), pin] {
                let pose = |random: &mut Random| {
                    let at = DVec3::new(
                        random.uniform(-1.2, 1.2),
                        random.uniform(-1.2, 1.2),
                        random.uniform(-1.2, 1.2),
                    );
                    Pose::new(random.quaternion(), center + half * at).unwrap()
                };
                let poses: Vec<Pose> = (0..POSES).map(|_| pose(&mut random)).collect();
                apart += compare(name, &faces, &other, &poses);
            }
        }
    }
    assert!(apart > 200 * parts && parts > 3, "{apart} of {parts} parts");
}
