//! Worlds that several tests use.
#![allow(dead_code, clippy::unwrap_used)]

use clearance_dynamics::{BodySpec, MassOf, Settings, Shape, World};
use clearance_geometry::{DVec2, DVec3, HalfSpace, Polygon, Polytope, Pose};

pub(crate) fn at(translation: DVec3) -> Pose {
    Pose::from_translation(translation).unwrap()
}

pub(crate) fn turned(axis: DVec3, degrees: f64, translation: DVec3) -> Pose {
    Pose::from_axis_angle(axis, degrees.to_radians(), translation).unwrap()
}

pub(crate) fn cuboid(size: DVec3) -> Shape {
    Shape::Solid(Polytope::cuboid(size).unwrap())
}

pub(crate) fn rectangle(size: DVec2) -> Shape {
    Shape::Planar(Polygon::rectangle(size).unwrap())
}

pub(crate) fn body(shape: Shape, pose: Pose) -> BodySpec {
    BodySpec::new(shape, pose, MassOf::Density(1000.0))
}

pub(crate) fn fixed(shape: Shape, pose: Pose) -> BodySpec {
    BodySpec::new(shape, pose, MassOf::Fixed)
}

/// A world with the half-space z ≤ 0 as body 0.
pub(crate) fn on_floor(settings: Settings) -> World {
    let mut world = World::new(settings).unwrap();
    let floor = Shape::HalfSpace(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    world.add_body(fixed(floor, Pose::IDENTITY)).unwrap();
    world
}

/// A planar world with gravity along −y and a wide floor, its top at y = 0, as body 0.
pub(crate) fn planar_floor(settings: Settings) -> World {
    let mut world = World::new(Settings { gravity: DVec3::new(0.0, -9.81, 0.0), ..settings }).unwrap();
    world.add_body(fixed(rectangle(DVec2::new(40.0, 2.0)), at(DVec3::new(0.0, -1.0, 0.0)))).unwrap();
    world
}
