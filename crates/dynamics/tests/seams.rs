//! Bodies with curved faces over a floor of flush boxes: as over one.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Settings, Shape, World};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Part, PartTree, Polytope, Pose};
use common::{at, body, cuboid, fixed, turned};

/// A floor of boxes beside each other, with its top at z = 0: `long` of them along x, `wide` along y.
fn tiles(long: i32, wide: i32) -> Shape {
    let size = DVec3::new(10.0 / f64::from(long), 10.0 / f64::from(wide), 1.0);
    let mut parts = Vec::new();
    for k in 0..long * wide {
        let place = DVec3::new(f64::from(k % long) + 0.5, f64::from(k / long) + 0.5, -0.5);
        let middle = place * size - DVec3::new(5.0, 5.0, 0.0);
        parts.push((Part::Polytope(Polytope::cuboid(size).unwrap()), at(middle)));
    }
    Shape::Body(Body::Union(PartTree::of_parts(parts).unwrap()))
}

/// What moves over it, how it stands, how high its centre is, and whether it rolls.
fn movers() -> [(&'static str, TiledBody, Pose, f64, bool); 5] {
    let side = turned(DVec3::X, 90.0, DVec3::ZERO);
    [
        ("can on its cap", TiledBody::cylinder(0.3, 0.3).unwrap(), Pose::IDENTITY, 0.15, false),
        ("cone on its cap", TiledBody::cone(0.4, 0.5, None).unwrap(), Pose::IDENTITY, 0.0, false),
        ("can on its side", TiledBody::cylinder(0.3, 1.0).unwrap(), side, 0.3, true),
        ("can across", TiledBody::cylinder(0.3, 1.0).unwrap(), side, 0.3, false),
        ("capsule", TiledBody::capsule(0.3, 0.5).unwrap(), side, 0.3, true),
    ]
}

/// Where a body that starts at `place` along x comes to, and how much its height has changed on the way.
fn run(floor: &Shape, seams: f64, mover: usize, place: DVec3, speed: f64) -> (DVec3, f64) {
    let mut world = World::new(Settings { friction: 0.1, step: 0.005, ..Settings::default() }).unwrap();
    let low = if matches!(floor, Shape::Solid(_)) { -0.5 } else { 0.0 };
    world.add_body(fixed(floor.clone(), turned(DVec3::Z, seams, DVec3::Z * low))).unwrap();
    let (_, shape, stand, height, rolls) = movers().into_iter().nth(mover).unwrap();
    let mut spec = body(Shape::Body(Body::Tiled(shape)), at(place + DVec3::Z * height) * stand);
    spec.velocity = DVec3::X * speed;
    spec.angular_velocity = if rolls { DVec3::Y * (speed / 0.3) } else { DVec3::ZERO };
    world.add_body(spec).unwrap();
    let start = world.bodies()[1].position().z;
    let mut off = 0.0_f64;
    for _ in 0..300 {
        world.step().unwrap();
        off = off.max((world.bodies()[1].position().z - start).abs());
    }
    (world.bodies()[1].position(), off)
}

#[test]
fn curved_bodies_pass_seams_of_a_union_as_if_there_were_none() {
    let smooth = cuboid(DVec3::new(10.0, 10.0, 1.0));
    for (mover, (name, ..)) in movers().into_iter().enumerate() {
        for (speed, seams, floor) in [
            (1.0, 0.0, tiles(10, 1)),
            (2.3, 17.0, tiles(10, 1)),
            (2.3, 45.0, tiles(7, 5)),
            (4.1, 0.0, tiles(10, 10)),
            (4.1, 80.0, tiles(10, 3)),
        ] {
            let place = DVec3::new(-3.1, 0.037 * speed, 0.0);
            let (expected, _) = run(&smooth, seams, mover, place, speed);
            let (end, off) = run(&floor, seams, mover, place, speed);
            assert!(end.x > -2.7, "{name} at {speed}: {end}");
            assert!(end.distance(expected) < 1e-5, "{name} at {speed}, {seams}°: {end} not {expected}");
            assert!(off < 1e-6, "{name} at {speed}, {seams}°: {off:e}");
        }
    }
}
