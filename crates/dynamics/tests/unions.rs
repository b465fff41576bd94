//! Bodies of several parts, what they weigh, and bodies that are not convex.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{DynamicsError, MassOf, Settings, Shape, World};
use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Part, PartTree, Polytope, Pose};
use common::{at, body, cuboid, fixed, on_floor, turned};

fn union(parts: Vec<(Part, Pose)>) -> Shape {
    Shape::Body(Body::Union(PartTree::of_parts(parts).unwrap()))
}

fn slab(size: DVec3) -> Part {
    Part::Polytope(Polytope::cuboid(size).unwrap())
}

/// A floor of eight flush boxes with its top at z = 0.
fn tiles() -> Shape {
    let tile = |k: i32| (slab(DVec3::new(1.0, 4.0, 1.0)), at(DVec3::new(f64::from(k) + 0.5, 0.0, -0.5)));
    union((-4..4).map(tile).collect())
}

#[test]
fn box_slides_over_flush_boxes_as_over_one() {
    for turn in [0.0, 7.0, 45.0] {
        let run = |floor: Shape, pose: Pose| {
            let mut world =
                World::new(Settings { friction: 0.2, step: 0.005, ..Settings::default() }).unwrap();
            world.add_body(fixed(floor, pose)).unwrap();
            let start = turned(DVec3::Z, turn, DVec3::new(-2.8, 0.1, 0.25));
            let mut block = body(cuboid(DVec3::new(0.8, 0.6, 0.5)), start);
            block.velocity = DVec3::X * 4.0;
            world.add_body(block).unwrap();
            let mut highest = 0.0_f64;
            for _ in 0..500 {
                world.step().unwrap();
                highest = highest.max((world.bodies()[1].position().z - 0.25).abs());
            }
            (world.bodies()[1].position(), highest)
        };
        let (smooth, _) = run(cuboid(DVec3::new(8.0, 4.0, 1.0)), at(DVec3::new(0.0, 0.0, -0.5)));
        let (tiled, highest) = run(tiles(), Pose::IDENTITY);
        assert!(smooth.x > 1.0, "{smooth}");
        assert!(smooth.distance(tiled) < 1e-3, "{turn}: {smooth} {tiled}");
        assert!(highest < 1e-4, "{turn}: {highest}");
    }
}

#[test]
fn ball_rolls_over_flush_boxes() {
    let mut world = World::new(Settings { step: 0.005, ..Settings::default() }).unwrap();
    world.add_body(fixed(tiles(), Pose::IDENTITY)).unwrap();
    let ball = Shape::Body(Body::Tiled(TiledBody::sphere(0.3).unwrap()));
    let mut ball = body(ball, at(DVec3::new(-3.0, 0.1, 0.3)));
    ball.velocity = DVec3::X * 3.0;
    ball.angular_velocity = DVec3::Y * 10.0;
    world.add_body(ball).unwrap();
    for _ in 0..400 {
        world.step().unwrap();
    }
    let end = world.bodies()[1].position();
    assert!(end.distance(DVec3::new(3.0, 0.1, 0.3)) < 1e-6, "{end}");
}

#[test]
fn box_sits_in_the_corner_of_a_union() {
    let corner = union(vec![
        (slab(DVec3::new(4.0, 4.0, 1.0)), at(DVec3::new(0.0, 0.0, -0.5))),
        (slab(DVec3::new(1.0, 4.0, 2.0)), at(DVec3::new(-1.5, 0.0, 1.0))),
    ]);
    let mut world =
        World::new(Settings { gravity: DVec3::new(-3.0, 0.0, -9.0), friction: 0.0, ..Settings::default() })
            .unwrap();
    world.add_body(fixed(corner, Pose::IDENTITY)).unwrap();
    let rest = DVec3::new(-0.5, 0.0, 0.5);
    world.add_body(body(cuboid(DVec3::ONE), at(rest))).unwrap();
    for _ in 0..200 {
        world.step().unwrap();
    }
    let off = world.bodies()[1].position().distance(rest);
    assert!(off < 1e-9, "{off:e}");
}

#[test]
fn union_weighs_what_its_parts_do() {
    let halves = union(vec![
        (slab(DVec3::new(1.0, 1.0, 2.0)), at(DVec3::X * 3.5)),
        (slab(DVec3::new(1.0, 1.0, 2.0)), at(DVec3::X * 4.5)),
    ]);
    let pose = turned(DVec3::new(0.0, 0.6, 0.8), 40.0, DVec3::new(1.0, 2.0, 3.0));
    let spin = DVec3::new(1.0, 2.0, 3.0);
    let of = |shape: Shape, pose: Pose| {
        let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
        let mut spec = body(shape, pose);
        spec.angular_velocity = spin;
        world.add_body(spec).unwrap();
        (world.bodies()[0].mass(), world.bodies()[0].position(), world.bodies()[0].spin())
    };
    let (mass, center, momentum) = of(halves, pose);
    let (whole, middle, expected) = of(cuboid(DVec3::splat(2.0) - DVec3::Y), pose * at(DVec3::X * 4.0));
    assert!((mass - whole).abs() < 1e-9 && center.distance(middle) < 1e-12);
    assert!(momentum.distance(expected) < 1e-9 * expected.length(), "{momentum} {expected}");
}

#[test]
fn open_and_strange_shapes_are_refused_by_name() {
    let mut world = on_floor(Settings::default());
    let open = TiledBody::revolve(&[Segment::Line { from: DVec2::new(1.0, 0.0), to: DVec2::new(1.0, 1.0) }])
        .unwrap();
    let sheet = Shape::Body(Body::Tiled(open));
    assert_eq!(world.add_body(body(sheet.clone(), Pose::IDENTITY)), Err(DynamicsError::OpenShell));
    assert!(world.add_body(fixed(sheet, Pose::IDENTITY)).is_ok());
    let ball = Body::from(TiledBody::sphere(1.0).unwrap()).boundary();
    let refused = world.add_body(body(Shape::Body(ball), Pose::IDENTITY));
    assert!(matches!(refused, Err(DynamicsError::UnsupportedShape { .. })), "{refused:?}");
    let ball = Shape::Body(Body::from(TiledBody::sphere(1.0).unwrap()));
    let weightless = MassOf::Density(0.0);
    let spec = clearance_dynamics::BodySpec::new(ball, Pose::IDENTITY, weightless);
    assert_eq!(world.add_body(spec), Err(DynamicsError::NoMass));
}

/// A closed solid of six bicubic patches: a box blown up into a pillow, wider in x.
fn pillow() -> TiledBody {
    let bulge = |p: DVec3| p * DVec3::new(0.7, 0.5, 0.25) * (1.0 + 0.35 * (3.0 - p.length_squared()));
    let side = |normal: DVec3| {
        let (u, v) = (DVec3::new(normal.y, normal.z, normal.x), DVec3::new(normal.z, normal.x, normal.y));
        let (u, v) = if normal.dot(u.cross(v)) > 0.0 { (u, v) } else { (v, u) };
        let t = |k: usize| -1.0 + 2.0 * k as f64 / 3.0;
        let net: Vec<Vec<DVec3>> =
            (0..4).map(|i| (0..4).map(|j| bulge(normal + u * t(i) + v * t(j))).collect()).collect();
        let knots = vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        Patch::new(NurbsSurface::new([3, 3], [knots.clone(), knots], &net, None).unwrap())
    };
    let sides = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].map(side);
    TiledBody::from_patches(&sides, None).unwrap()
}

#[test]
fn spline_solid_lands_and_rocks_on_floor_and_table() {
    let shape = pillow();
    assert!(shape.is_closed() && shape.mass().volume > 0.0);
    for table in [false, true] {
        let mut world = on_floor(Settings::default());
        if table {
            world.add_body(fixed(cuboid(DVec3::new(4.0, 4.0, 1.0)), at(DVec3::Z * -0.4))).unwrap();
        }
        let drop = turned(DVec3::new(0.8, 0.6, 0.0), 20.0, DVec3::Z * 1.1);
        let solid = world.add_body(body(Shape::Body(Body::Tiled(shape.clone())), drop)).unwrap();
        world.start();
        let (mut deepest, before) = (0.0_f64, world.report().energy());
        let mut landed = before;
        for k in 0..400 {
            let report = world.step().unwrap();
            deepest = deepest.max(report.infeasibility);
            assert!(report.energy() < before + 1e-6 * before.abs(), "{report:?}");
            // It is smooth all round, and so rocks on; but it never gains what landing took.
            if k == 100 {
                landed = report.energy();
            }
            let most = landed + 0.1 * (before - landed);
            assert!(k <= 100 || report.energy() < most, "{k}: {landed} {report:?}");
        }
        assert!(deepest < 0.01, "{deepest}");
        let height = world.bodies()[solid].position().z - if table { 0.1 } else { 0.0 };
        assert!((0.1..0.8).contains(&height), "{height}");
    }
}

/// A bowl with a foot: not convex, turned about z.
fn bowl() -> TiledBody {
    let line = |from: [f64; 2], to: [f64; 2]| Segment::Line { from: from.into(), to: to.into() };
    TiledBody::revolve(&[
        line([0.0, 0.0], [0.3, 0.0]),
        line([0.3, 0.0], [0.3, 0.1]),
        line([0.3, 0.1], [0.6, 0.5]),
        line([0.6, 0.5], [0.5, 0.5]),
        line([0.5, 0.5], [0.0, 0.15]),
    ])
    .unwrap()
}

#[test]
fn bowl_settles_on_its_foot() {
    for table in [false, true] {
        let mut world = on_floor(Settings::default());
        if table {
            world.add_body(fixed(cuboid(DVec3::new(4.0, 4.0, 1.0)), at(DVec3::Z * -0.4))).unwrap();
        }
        let top = if table { 0.1 } else { 0.0 };
        let drop = turned(DVec3::X, 12.0, DVec3::new(0.0, 0.0, top + 0.15));
        let solid = world.add_body(body(Shape::Body(Body::Tiled(bowl())), drop)).unwrap();
        for _ in 0..300 {
            world.step().unwrap();
        }
        let pose = world.bodies()[solid].pose();
        assert!(pose.rotate(DVec3::Z).z > 1.0 - 1e-6, "{pose:?}");
        assert!((pose.translation().z - top).abs() < 1e-5, "{pose:?}");
        assert!(world.events().len() >= 3);
        assert!(world.report().kinetic < 1e-6, "{:?}", world.report());
    }
}

#[test]
fn ball_rolls_down_in_a_bowl() {
    let mut world = on_floor(Settings { friction: 0.6, ..Settings::default() });
    world.add_body(fixed(Shape::Body(Body::Tiled(bowl())), Pose::IDENTITY)).unwrap();
    let ball = Shape::Body(Body::Tiled(TiledBody::sphere(0.1).unwrap()));
    let ball = world.add_body(body(ball, at(DVec3::new(0.25, 0.0, 0.5)))).unwrap();
    // Over the cone at this distance from its axis the ball's centre is as high.
    let slope: f64 = 0.35 / 0.5;
    let lowest = |x: f64| 0.15 + slope * x + 0.1 * slope.hypot(1.0);
    let mut touched = 0;
    for _ in 0..40 {
        world.step().unwrap();
        let place = world.bodies()[ball].position();
        let height = place.z - lowest(place.truncate().length());
        assert!(height > -1e-3, "{place}: {height}");
        touched += usize::from(height < 1e-4);
    }
    assert!(touched > 10, "{touched}");
}
