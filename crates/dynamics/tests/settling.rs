//! Bodies that are not convex come to rest, and stay there; wheels roll on.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Settings, Shape, World};
use clearance_geometry::surface::NurbsSurface;
use clearance_geometry::tiled::{Patch, Segment, TiledBody};
use clearance_geometry::{Body, DVec2, DVec3, Pose};
use common::{at, body, cuboid, fixed, on_floor, turned};

fn line(from: [f64; 2], to: [f64; 2]) -> Segment {
    Segment::Line { from: from.into(), to: to.into() }
}

/// A quarter of a circle.
fn round(center: [f64; 2], from: [f64; 2], to: [f64; 2], ccw: bool) -> Segment {
    let [center, from, to] = [center, from, to].map(DVec2::from);
    Segment::Arc { center, from, to, ccw }
}

/// A body turned about z, of a profile made larger or smaller.
fn turned_part(profile: &[Segment], scale: f64) -> TiledBody {
    let scaled = |part: &Segment| match *part {
        Segment::Line { from, to } => Segment::Line { from: from * scale, to: to * scale },
        Segment::Arc { center, from, to, ccw } => {
            Segment::Arc { center: center * scale, from: from * scale, to: to * scale, ccw }
        }
        other => other,
    };
    TiledBody::revolve(&profile.iter().map(scaled).collect::<Vec<_>>()).unwrap()
}

/// A bolt as it is drawn: a shank, a fillet, a head with rounded edges; 0.7 long at scale 1.
fn bolt(scale: f64) -> TiledBody {
    let profile = [
        line([0.0, 0.0], [0.1, 0.0]),
        line([0.1, 0.0], [0.1, 0.5]),
        round([0.15, 0.5], [0.1, 0.5], [0.15, 0.55], false),
        line([0.15, 0.55], [0.25, 0.55]),
        round([0.25, 0.6], [0.25, 0.55], [0.3, 0.6], true),
        line([0.3, 0.6], [0.3, 0.65]),
        round([0.25, 0.65], [0.3, 0.65], [0.25, 0.7], true),
        line([0.25, 0.7], [0.0, 0.7]),
    ];
    turned_part(&profile, scale)
}

/// Two wheels with rounded edges on an axle; 1 long at scale 1.
fn wheels(scale: f64) -> TiledBody {
    let wheel = |low: f64| {
        [
            round([0.25, low + 0.05], [0.25, low], [0.3, low + 0.05], true),
            line([0.3, low + 0.05], [0.3, low + 0.15]),
            round([0.25, low + 0.15], [0.3, low + 0.15], [0.25, low + 0.2], true),
        ]
    };
    let mut profile = vec![line([0.0, 0.0], [0.25, 0.0])];
    profile.extend(wheel(0.0));
    profile.extend([
        line([0.25, 0.2], [0.1, 0.2]),
        line([0.1, 0.2], [0.1, 0.8]),
        line([0.1, 0.8], [0.25, 0.8]),
    ]);
    profile.extend(wheel(0.8));
    profile.push(line([0.25, 1.0], [0.0, 1.0]));
    turned_part(&profile, scale)
}

/// A pot of six bicubic patches: a flat foot, a round belly and lid, and a spout along x.
fn pot() -> TiledBody {
    let place = |p: DVec3| {
        let belly = 1.0 + 0.35 * (3.0 - p.length_squared());
        let spout = if p.x == 1.0 && p.y.abs() < 0.9 && p.z.abs() < 0.9 {
            DVec3::new(0.8, 0.0, 0.5)
        } else {
            DVec3::ZERO
        };
        let height = if p.z == -1.0 { 0.0 } else { 0.4 * (1.0 + p.z * belly.min(1.4)) };
        DVec3::new(0.5 * p.x * belly, 0.4 * p.y * belly, height) + spout
    };
    let side = |normal: DVec3| {
        let (u, v) = (DVec3::new(normal.y, normal.z, normal.x), DVec3::new(normal.z, normal.x, normal.y));
        let (u, v) = if normal.dot(u.cross(v)) > 0.0 { (u, v) } else { (v, u) };
        // Ends are exactly ±1, so that patches have their edges in common.
        let t = |k: usize| [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0][k];
        let net: Vec<Vec<DVec3>> =
            (0..4).map(|i| (0..4).map(|j| place(normal + u * t(i) + v * t(j))).collect()).collect();
        let knots = vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        Patch::new(NurbsSurface::new([3, 3], [knots.clone(), knots], &net, None).unwrap())
    };
    let sides = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].map(side);
    TiledBody::from_patches(&sides, None).unwrap()
}

/// Drops a body on a floor or a table, and asks for it to be at rest in the last of some seconds; the world then.
fn settle(shape: &TiledBody, drop: Pose, step: f64, table: bool, seconds: f64) -> World {
    let mut world = on_floor(Settings { step, ..Settings::default() });
    if table {
        world = World::new(Settings { step, ..Settings::default() }).unwrap();
        world.add_body(fixed(cuboid(DVec3::new(8.0, 8.0, 1.0)), at(DVec3::Z * -0.5))).unwrap();
    }
    world.add_body(body(Shape::Body(Body::Tiled(shape.clone())), drop)).unwrap();
    world.start();
    let before = world.report().energy();
    let (steps, last) = ((seconds / step).round() as usize, (1.0 / step).round() as usize);
    let mut start = Pose::IDENTITY;
    for k in 0..steps {
        let report = world.step().unwrap();
        let fallen = before - report.energy();
        if k + last >= steps {
            assert!(report.kinetic < 1e-7 * fallen, "step {k} of {step}: {report:?}");
            assert!(report.infeasibility < 1e-9, "step {k} of {step}: {report:?}");
        }
        if k + last == steps {
            start = world.bodies()[1].pose();
        }
    }
    let moved = world.bodies()[1].pose().translation().distance(start.translation());
    // What is round may roll on, ever so slowly: nothing holds it.
    let size = shape.aabb().half_extents().length();
    assert!(moved < 2e-3 * size, "{moved:e} of {size} in a second at {step}");
    world
}

#[test]
fn bolts_come_to_rest_on_head_and_shank_and_on_the_head_alone() {
    assert!(bolt(1.0).is_closed() && bolt(1.0).convex_shape().is_none());
    for (step, scale) in [(0.01, 1.0), (0.005, 1.0), (0.01, 0.02), (0.005, 0.02)] {
        for table in [false, true].into_iter().filter(|table| !table || scale == 1.0) {
            let drop = turned(DVec3::X, 30.0, DVec3::Z * (0.8 * scale));
            let lying = settle(&bolt(scale), drop, step, table, 4.0);
            // It leans from the rim of its head to the end of its shank.
            let up = lying.bodies()[1].pose().rotate(DVec3::Z).z;
            assert!((0.2..0.4).contains(&up), "{up}");
            assert!(lying.events().len() >= 2);
        }
        let drop = turned(DVec3::X, 120.0, DVec3::Z * (0.8 * scale));
        let standing = settle(&bolt(scale), drop, step, false, 4.0);
        let pose = standing.bodies()[1].pose();
        assert!((pose.rotate(DVec3::Z).z + 1.0).abs() < 1e-9, "{pose:?}");
    }
}

#[test]
fn wheels_stand_on_both() {
    // In a step of 0.01 a wheel of 3 mm would fall over a third of its radius.
    for (step, scale) in [(0.01, 1.0), (0.005, 1.0), (0.01, 0.01), (0.005, 0.01)] {
        for degrees in [30.0, 120.0] {
            let drop = turned(DVec3::X, degrees, DVec3::Z * (0.8 * scale));
            let world = settle(&wheels(scale), drop, step, false, 3.0);
            let position = world.bodies()[1].position();
            assert!((position.z - 0.3 * scale).abs() < 1e-6 * scale, "{position}");
            assert!(world.bodies()[1].pose().rotate(DVec3::Z).z.abs() < 1e-6);
        }
    }
}

#[test]
fn wheels_roll_without_loss() {
    for (step, table) in [(0.01, false), (0.005, false), (0.01, true)] {
        let mut world = on_floor(Settings { step, ..Settings::default() });
        if table {
            world = World::new(Settings { step, ..Settings::default() }).unwrap();
            world.add_body(fixed(cuboid(DVec3::new(8.0, 8.0, 1.0)), at(DVec3::Z * -0.5))).unwrap();
        }
        let start = turned(DVec3::X, 90.0, DVec3::new(-2.0, 0.5, 0.3));
        let mut spec = body(Shape::Body(Body::Tiled(wheels(1.0))), start);
        spec.velocity = DVec3::X * 2.0;
        spec.angular_velocity = DVec3::Y * (2.0 / 0.3);
        world.add_body(spec).unwrap();
        world.start();
        let before = world.report().kinetic;
        let place = world.bodies()[1].position();
        for _ in 0..(2.0 / step).round() as usize {
            world.step().unwrap();
        }
        let energy = world.report().kinetic / before - 1.0;
        let off = world.bodies()[1].position().distance(place + DVec3::X * 4.0);
        assert!(energy.abs() < 1e-6 && off < 1e-6, "{energy:e} {off:e} at {step}");
    }
}

#[test]
fn pot_of_splines_settles_on_its_foot() {
    let pot = pot();
    assert!(pot.is_closed() && pot.convex_shape().is_none() && pot.mass().volume > 0.0);
    for step in [0.01, 0.005] {
        for table in [false, true] {
            let drop = turned(DVec3::new(0.8, 0.6, 0.0), 12.0, DVec3::Z * 0.4);
            let world = settle(&pot, drop, step, table, 4.0);
            let pose = world.bodies()[1].pose();
            assert!(pose.rotate(DVec3::Z).z > 1.0 - 1e-9, "{pose:?}");
            assert!(world.events().len() >= 3);
        }
    }
}
