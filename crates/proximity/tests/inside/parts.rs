//! What is inside a part of a union, and what is not.

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Part, PartTree, Pose};
use clearance_proximity::{State, distance};

/// A union of many faces that is asked about for the first time: boxes of its parts and normals at nearest points tell where the
/// other body is, in the hole of a ring, between parts, within one of them.
#[test]
fn union_of_many_faces_holds_what_is_inside_a_part() {
    let ring = || Part::Tiled(TiledBody::torus(2.0, 0.5).unwrap());
    let pin = || Part::Tiled(TiledBody::cylinder(0.4, 3.0).unwrap());
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let parts = || vec![(ring(), at(0.0)), (pin(), at(5.0)), (pin(), at(7.0)), (pin(), at(9.0))];
    let ball = TiledBody::sphere(0.2).unwrap();
    let cases = [
        (0.0, None),
        (2.0, Some(State::BInsideA)),
        (3.5, None),
        (5.0, Some(State::BInsideA)),
        (6.0, None),
        (9.1, Some(State::BInsideA)),
        (12.0, None),
    ];
    for (x, inside) in cases {
        for turn in [0.0, 0.7] {
            // Made anew, so that nothing is known of an earlier question.
            let union = Body::from(PartTree::of_parts(parts()).unwrap());
            let small = Body::from(ball.clone());
            let place = DVec3::new(x, 0.05, 0.03);
            let pose_ab = Pose::from_axis_angle(DVec3::Y, turn, place).unwrap();
            let state = distance(&union, &small, &pose_ab).unwrap().state;
            assert_eq!(state, inside.unwrap_or(State::Separated), "{x}");
            let mirrored = distance(&small, &union, &pose_ab.inverse()).unwrap().state;
            assert_eq!(mirrored, inside.map_or(State::Separated, |_| State::AInsideB), "{x}");
        }
    }
}
