//! Bodies over a floor of flush boxes, parts of a union or fixed bodies each: as over one.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Settings, Shape, World};
use clearance_geometry::tiled::TiledBody;
use clearance_geometry::{Body, DVec3, Part, PartTree, Polytope, Pose};
use common::{at, body, cuboid, fixed, turned};

/// Boxes beside each other with their tops at z = 0: `long` of them along x, `wide` along y.
fn tiles(long: i32, wide: i32) -> Vec<(Polytope, Pose)> {
    let size = DVec3::new(10.0 / f64::from(long), 10.0 / f64::from(wide), 1.0);
    let tile = |k: i32| {
        let place = DVec3::new(f64::from(k % long) + 0.5, f64::from(k / long) + 0.5, -0.5);
        (Polytope::cuboid(size).unwrap(), at(place * size - DVec3::new(5.0, 5.0, 0.0)))
    };
    (0..long * wide).map(tile).collect()
}

/// The same as one body.
fn joined(tiles: Vec<(Polytope, Pose)>) -> Vec<(Shape, Pose)> {
    let parts = tiles.into_iter().map(|(tile, pose)| (Part::Polytope(tile), pose)).collect();
    vec![(Shape::Body(Body::Union(PartTree::of_parts(parts).unwrap())), Pose::IDENTITY)]
}

/// The same as a body each.
fn apart(tiles: Vec<(Polytope, Pose)>) -> Vec<(Shape, Pose)> {
    tiles.into_iter().map(|(tile, pose)| (Shape::Solid(tile), pose)).collect()
}

/// What moves over it, how it stands, how high its centre is, and whether it rolls.
fn movers() -> [(&'static str, Shape, Pose, f64, bool); 7] {
    let side = turned(DVec3::X, 90.0, DVec3::ZERO);
    let curved = |body: TiledBody| Shape::Body(Body::Tiled(body));
    [
        ("can on its cap", curved(TiledBody::cylinder(0.3, 0.3).unwrap()), Pose::IDENTITY, 0.15, false),
        ("cone on its cap", curved(TiledBody::cone(0.4, 0.5, None).unwrap()), Pose::IDENTITY, 0.0, false),
        ("can on its side", curved(TiledBody::cylinder(0.3, 1.0).unwrap()), side, 0.3, true),
        ("can across", curved(TiledBody::cylinder(0.3, 1.0).unwrap()), side, 0.3, false),
        ("capsule", curved(TiledBody::capsule(0.3, 0.5).unwrap()), side, 0.3, true),
        ("torus", curved(TiledBody::torus(0.3, 0.1).unwrap()), Pose::IDENTITY, 0.1, false),
        ("box", cuboid(DVec3::new(0.5, 0.4, 0.3)), turned(DVec3::Z, 20.0, DVec3::ZERO), 0.15, false),
    ]
}

/// Where a body that starts at `place` along x comes to, and how much its height has changed on the way.
fn run(floor: Vec<(Shape, Pose)>, seams: f64, mover: usize, place: DVec3, speed: f64) -> (DVec3, f64) {
    let mut world = World::new(Settings { friction: 0.1, step: 0.005, ..Settings::default() }).unwrap();
    let turn = turned(DVec3::Z, seams, DVec3::ZERO);
    for (shape, pose) in floor {
        world.add_body(fixed(shape, turn * pose)).unwrap();
    }
    let (_, shape, stand, height, rolls) = movers().into_iter().nth(mover).unwrap();
    let mut spec = body(shape, at(place + DVec3::Z * height) * stand);
    spec.velocity = DVec3::X * speed;
    spec.angular_velocity = if rolls { DVec3::Y * (speed / 0.3) } else { DVec3::ZERO };
    let mover = world.add_body(spec).unwrap();
    let start = world.bodies()[mover].position().z;
    let mut off = 0.0_f64;
    for _ in 0..300 {
        world.step().unwrap();
        off = off.max((world.bodies()[mover].position().z - start).abs());
    }
    (world.bodies()[mover].position(), off)
}

/// Asks for all to come to the same place over boxes as over one, and for nothing to jump.
fn pass_seams(floor: impl Fn(Vec<(Polytope, Pose)>) -> Vec<(Shape, Pose)>) {
    for (mover, (name, ..)) in movers().into_iter().enumerate() {
        for (speed, seams, boxes) in [
            (1.0, 0.0, tiles(10, 1)),
            (2.3, 17.0, tiles(10, 1)),
            (2.3, 45.0, tiles(7, 5)),
            (4.1, 0.0, tiles(10, 10)),
            (4.1, 80.0, tiles(10, 3)),
        ] {
            let place = DVec3::new(-3.1, 0.037 * speed, 0.0);
            let (expected, _) = run(apart(tiles(1, 1)), seams, mover, place, speed);
            let (end, off) = run(floor(boxes), seams, mover, place, speed);
            assert!(end.x > -2.7, "{name} at {speed}: {end}");
            assert!(end.distance(expected) < 1e-4, "{name} at {speed}, {seams}°: {end} not {expected}");
            assert!(off < 1e-5, "{name} at {speed}, {seams}°: {off:e}");
        }
    }
}

#[test]
fn bodies_pass_seams_of_a_union_as_if_there_were_none() {
    pass_seams(joined);
}

#[test]
fn bodies_pass_seams_of_fixed_bodies_as_if_there_were_none() {
    pass_seams(apart);
}

#[test]
fn steps_between_fixed_bodies_stop_what_slides() {
    let mut floor = apart(tiles(10, 1));
    // From x = 0 on the floor is a little higher.
    for (_, pose) in &mut floor[5..] {
        *pose = at(DVec3::Z * 0.02) * *pose;
    }
    let (end, _) = run(floor, 0.0, 6, DVec3::new(-1.0, 0.0, 0.0), 3.0);
    assert!(end.x < 0.0, "{end}");
}
