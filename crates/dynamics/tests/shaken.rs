//! A box of bodies that is shaken: nothing is lost, overlap stays bounded. `cargo xtask soak dynamics` shakes a hundred for longer.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Settings, Shape, World};
use clearance_geometry::{DQuat, DVec3, HalfSpace, Polytope, Pose};
use clearance_testkit::Random;
use common::{body, cuboid, fixed};

const SIDE: f64 = 4.0;

/// Bodies of size 1 between six planes.
fn shaken_box(count: usize) -> World {
    let mut world = World::new(Settings { step: 0.005, ..Settings::default() }).unwrap();
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for (normal, offset) in [(axis, 0.0), (-axis, -SIDE)] {
            let wall = Shape::HalfSpace(HalfSpace::new(normal, offset).unwrap());
            world.add_body(fixed(wall, Pose::IDENTITY)).unwrap();
        }
    }
    let mut random = Random::new(17);
    for place in 0..count {
        let points: Vec<DVec3> = (0..4 + place % 9).map(|_| random.direction() / 2.0).collect();
        let shape = match place % 3 {
            0 => cuboid(DVec3::new(0.5, 0.6, 0.7)),
            _ => Polytope::from_points(&points).map_or_else(|_| cuboid(DVec3::splat(0.5)), Shape::Solid),
        };
        let spot = DVec3::new((place % 3) as f64, (place / 3 % 3) as f64, (place / 9) as f64);
        let turn = DQuat::from_axis_angle(random.direction(), random.uniform(0.0, 3.0));
        world.add_body(body(shape, Pose::new(turn, spot * 1.2 + DVec3::splat(1.0)).unwrap())).unwrap();
    }
    world
}

#[test]
fn shaken_box_loses_no_body() {
    let mut world = shaken_box(18);
    let mut worst = 0.0_f64;
    for step in 0..STEPS {
        // In the axes of the box its acceleration is a part of gravity.
        let phase = f64::from(step) * 0.005 * 12.0;
        let shake = DVec3::new(phase.sin(), (0.7 * phase).cos(), 1.5 * (1.3 * phase).sin()) * 15.0;
        world.set_gravity(DVec3::Z * -9.81 + shake).unwrap();
        let report = world.step().unwrap();
        worst = worst.max(report.infeasibility);
        assert!(report.elastic.is_none(), "{step}: {report:?}");
    }
    assert!(worst < 0.05, "{worst}");
    for body in &world.bodies()[6..] {
        let p = body.position();
        assert!(p.min_element() > 0.0 && p.max_element() < SIDE, "{p}");
    }
}

const STEPS: i32 = 1000;
