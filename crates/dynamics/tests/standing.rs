//! What stands goes on standing, and what is jammed ends in a report.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Settings, Shape};
use clearance_geometry::{DVec3, HalfSpace, Pose};
use common::{at, body, cuboid, fixed, on_floor};

#[test]
fn stack_of_ten_boxes_stands_for_a_minute() {
    let mut world = on_floor(Settings { step: 0.02, ..Settings::default() });
    for floor in 0..10 {
        let pose = at(DVec3::new(0.0, 0.0, 0.5 + f64::from(floor)));
        world.add_body(body(cuboid(DVec3::ONE), pose)).unwrap();
    }
    for _ in 0..3000 {
        let report = world.step().unwrap();
        assert!(report.elastic.is_none() && report.infeasibility < 1e-8, "{report:?}");
    }
    for floor in 0..10 {
        let off = world.bodies()[floor + 1].position() - DVec3::new(0.0, 0.0, 0.5 + floor as f64);
        assert!(off.length() < 1e-6, "{floor}: {off}");
    }
}

#[test]
fn jammed_bodies_give_way_and_say_so() {
    // Cubes of side 1 between planes that are 0.9 apart: no velocity makes that good.
    let mut world = on_floor(Settings::default());
    let lid = Shape::HalfSpace(HalfSpace::new(-DVec3::Z, -0.9).unwrap());
    world.add_body(fixed(lid, Pose::IDENTITY)).unwrap();
    for place in 0..3 {
        world.add_body(body(cuboid(DVec3::ONE), at(DVec3::new(2.0 * f64::from(place), 0.0, 0.45)))).unwrap();
    }
    for _ in 0..50 {
        let report = world.step().unwrap();
        assert!(report.elastic.is_some(), "{report:?}");
        assert!(report.kinetic.is_finite() && report.infeasibility < 0.11, "{report:?}");
    }
    for (at, body) in world.bodies()[2..].iter().enumerate() {
        let off = body.position() - DVec3::new(2.0 * at as f64, 0.0, 0.45);
        assert!(off.length() < 0.02, "{at}: {off}");
    }
}
