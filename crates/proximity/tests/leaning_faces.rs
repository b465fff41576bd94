//! The depth where faces lean from each other by hardly more than rounding, as bodies at rest do: a search over directions has to tell
//! cells apart that are narrower than cosines can.
#![allow(clippy::unwrap_used)]

use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::{Ended, State, convex};

#[test]
fn depth_of_a_can_that_leans_on_a_box_is_found_with_few_halvings() {
    let cube = Body::from(Polytope::cuboid(DVec3::ONE).unwrap());
    let can = Body::from(TiledBody::cylinder(0.6, 0.4).unwrap());
    let axis = DVec3::new(1.0, 0.3, 0.0).normalize();
    let (mut most, mut leaning) = (0, 0);
    for depth in [1e-12, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4, 1e-2] {
        for (x, y) in [(0.0, 0.0), (0.3, 0.2), (0.7, 0.4), (0.9, 0.7), (1.0, 0.0), (1.09, 0.1)] {
            for angle in [0.0, 1e-9, 1e-7] {
                let way = DVec3::new(x, y, 0.7 - depth);
                let pose = Pose::from_axis_angle(axis, angle, way).unwrap();
                let found = convex::distance(&cube, &can, &pose).unwrap();
                if found.state != State::Penetrating {
                    continue;
                }
                let case = format!("{depth:e} at {x}, {y}, leaning by {angle:e}: {found:?}");
                most = most.max(found.work.iterations);
                leaning += usize::from(angle > 0.0);
                // No lower than by what the can's rim comes down, and a way out along z is never shorter than the least.
                let along_z = depth + 0.6 * angle;
                assert!(-found.signed_distance <= along_z + 1e-12, "{case}");
                if let Ended::Stalled { residual } = found.ended {
                    assert!(residual < 4e-10, "{case}");
                }
            }
        }
    }
    // It was the whole budget of 6000 where the lean is 1e-9.
    assert!(most < 1000 && leaning > 60, "{most} {leaning}");
}
