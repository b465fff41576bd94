//! Many bodies: large groups are solved to the stated residual, and threads do not change the bits.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{JointKind, JointSpec, Settings, Shape, SolverChoice, World};
use clearance_geometry::{DQuat, DVec3, HalfSpace, Polytope, Pose};
use clearance_testkit::Random;
use common::{at, body, cuboid, fixed, on_floor};

/// A wall of boxes, the longest row below.
fn wall(rows: usize, settings: Settings) -> World {
    let mut world = on_floor(settings);
    for row in 0..rows {
        for place in 0..rows - row {
            let x = 1.1 * place as f64 + 0.55 * row as f64;
            world.add_body(body(cuboid(DVec3::ONE), at(DVec3::new(x, 0.0, 0.5 + row as f64)))).unwrap();
        }
    }
    world
}

#[test]
fn wall_of_55_boxes_stands() {
    for (solver, settled, still) in [(SolverChoice::Auto, 3e-6, 1e-4), (SolverChoice::Block, 1e-5, 1e-3)] {
        let mut world = wall(10, Settings { solver, ..Settings::default() });
        let before: Vec<DVec3> = world.bodies().iter().map(|body| body.position()).collect();
        for _ in 0..20 {
            let report = world.step().unwrap();
            assert_eq!(report.islands, 1);
            assert!(report.elastic.is_none());
        }
        assert!(world.report().residual < settled, "{solver:?}: {:?}", world.report());
        for (body, before) in world.bodies().iter().zip(before) {
            assert!(body.position().distance(before) < still, "{solver:?}: {:?}", body.position() - before);
        }
    }
}

#[test]
fn wall_at_rest_keeps_its_places_to_the_last_bit_until_it_is_pushed() {
    let mut world = on_floor(Settings::default());
    let rows = 7;
    for row in 0..rows {
        for place in 0..rows - row {
            // Let go a little above each other.
            let (x, z) = (1.1 * place as f64 + 0.55 * row as f64, 0.5 + 1.0001 * (row + 1) as f64 - 1.0);
            world.add_body(body(cuboid(DVec3::ONE), at(DVec3::new(x, 0.0, z)))).unwrap();
        }
    }
    (0..200).for_each(|_| drop(world.step().unwrap().clone()));
    let poses = |world: &World| -> Vec<_> { world.bodies().iter().map(|body| body.pose()).collect() };
    let before = poses(&world);
    for _ in 0..50 {
        let report = world.step().unwrap();
        assert_eq!((report.iterations, report.kinetic), (0, 0.0), "{report:?}");
        assert!(report.infeasibility < 1e-9 && report.residual < 1e-7, "{report:?}");
    }
    assert_eq!(poses(&world), before);
    let weight = 28.0 * 1000.0 * 9.81 * 0.01;
    let on_floor = world.events().iter().filter(|event| event.bodies[0] == 0);
    let held: f64 = on_floor.map(|event| event.impulse[0]).sum();
    assert!((held - weight).abs() < 1e-6 * weight, "{held} for {weight}");
    let top = world.bodies().len() - 1;
    world.push(top, DVec3::X * 1000.0).unwrap();
    (0..100).for_each(|_| drop(world.step().unwrap().clone()));
    // Stopped by friction after v²/2μg.
    let slid = world.bodies()[top].position().x - before[top].translation().x;
    assert!((slid - 1.0 / (2.0 * 0.5 * 9.81)).abs() < 0.01, "{slid}");
}

#[test]
fn wall_that_gravity_hardly_moves_still_slides() {
    // Steeper than friction holds by 1e-4 of the weight.
    let (friction, over) = (0.2_f64, 1e-4);
    let slope = (friction + over).atan();
    let gravity = DVec3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
    let mut world = wall(5, Settings { friction, gravity, ..Settings::default() });
    let start: Vec<DVec3> = world.bodies().iter().map(|body| body.position()).collect();
    (0..200).for_each(|_| drop(world.step().unwrap().clone()));
    let expected = over * slope.cos() * 9.81 * 2.0;
    for (body, start) in world.bodies().iter().zip(start).skip(1) {
        let slid = body.position().x - start.x;
        assert!((slid - expected).abs() < 0.05 * expected, "{slid} for {expected}");
    }
}

#[test]
fn chain_of_many_links_swings_and_holds() {
    let mut world = World::new(Settings { step: 0.005, ..Settings::default() }).unwrap();
    let links = 60;
    for link in 0..links {
        let place = at(DVec3::X * (0.5 + link as f64));
        let link_body = world.add_body(body(cuboid(DVec3::new(1.0, 0.2, 0.2)), place)).unwrap();
        let spec = JointSpec {
            anchor: Some(DVec3::X * link as f64),
            ..JointSpec::new(JointKind::Ball, [link_body.checked_sub(1), Some(link_body)])
        };
        world.add_joint(&spec).unwrap();
    }
    for _ in 0..60 {
        let report = world.step().unwrap();
        assert!(report.elastic.is_none() && !report.relaxed, "{report:?}");
        assert!(report.infeasibility < 2e-3, "{report:?}");
    }
    assert!(world.bodies()[links - 1].position().z < -0.2);
}

/// Hulls and boxes that fall into a box of planes.
fn heap(count: usize, seed: u64, settings: Settings) -> World {
    let mut random = Random::new(seed);
    let mut world = on_floor(settings);
    let side = 3.0;
    for (normal, offset) in [(DVec3::X, 0.0), (-DVec3::X, -side), (DVec3::Y, 0.0), (-DVec3::Y, -side)] {
        let wall = Shape::HalfSpace(HalfSpace::new(normal, offset).unwrap());
        world.add_body(fixed(wall, Pose::IDENTITY)).unwrap();
    }
    for place in 0..count {
        let points: Vec<DVec3> = (0..12).map(|_| random.direction() / 2.0).collect();
        let shape = if place % 3 == 0 {
            cuboid(DVec3::splat(0.6))
        } else {
            Shape::Solid(Polytope::from_points(&points).unwrap())
        };
        let spot = DVec3::new(
            0.8 + 1.4 * (place % 2) as f64,
            0.8 + 1.4 * (place / 2 % 2) as f64,
            0.8 + 1.1 * (place / 4) as f64,
        );
        let turn = DQuat::from_axis_angle(random.direction(), random.uniform(0.0, 3.0));
        world.add_body(body(shape, Pose::new(turn, spot).unwrap())).unwrap();
    }
    world
}

/// Boxes in a lattice, each turned a little, so that hundreds of pairs are near.
fn lattice(side: usize) -> World {
    let mut random = Random::new(4);
    let mut world = on_floor(Settings::default());
    for place in 0..side * side * side {
        let spot = DVec3::new(
            (place % side) as f64,
            (place / side % side) as f64,
            0.6 + 1.01 * (place / side / side) as f64,
        );
        let turn = DQuat::from_axis_angle(random.direction(), random.uniform(0.0, 0.02));
        let size = DVec3::new(0.97, 0.97, 1.0);
        world.add_body(body(cuboid(size), Pose::new(turn, spot).unwrap())).unwrap();
    }
    world
}

#[test]
fn threads_do_not_change_the_bits() {
    let run = |world: &World, steps: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = world.clone();
            (0..steps).for_each(|_| {
                world.step().unwrap();
            });
            let state: Vec<(DVec3, DQuat, DVec3)> =
                world.bodies().iter().map(|b| (b.position(), b.orientation(), b.spin())).collect();
            (state, world.report().clone())
        })
    };
    for (world, steps, least) in [(heap(32, 3, Settings::default()), 70, 40), (lattice(5), 6, 300)] {
        let one = run(&world, steps, 1);
        assert!(one.1.events > least, "{:?}", one.1);
        for threads in [2, 3, 8] {
            assert_eq!(run(&world, steps, threads), one, "{threads} threads");
        }
    }
}

#[test]
fn falling_heap_stays_in_its_box_and_hardly_overlaps() {
    for solver in [SolverChoice::Auto, SolverChoice::Block] {
        let mut world = heap(24, 9, Settings { solver, ..Settings::default() });
        for _ in 0..200 {
            world.step().unwrap();
        }
        let report = world.report();
        // It still rolls: of second order in the step, at about one length per second.
        assert!(report.infeasibility < 2e-3, "{solver:?}: {report:?}");
        for body in &world.bodies()[5..] {
            let p = body.position();
            assert!(p.x > 0.0 && p.x < 3.0 && p.y > 0.0 && p.y < 3.0 && p.z > 0.0, "{solver:?}: {p}");
        }
    }
}

/// Boxes of all proportions fall into a shaft and come to rest; what is there of energy, by heights and speeds, only falls but for what
/// lifting them out of overlaps takes.
#[test]
fn heaps_of_boxes_gain_no_energy() {
    for seed in 1..=3 {
        let mut random = Random::new(seed);
        let mut world = on_floor(Settings { friction: 0.5, ..Settings::default() });
        for normal in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
            let wall = Shape::HalfSpace(HalfSpace::new(normal, -1.5).unwrap());
            world.add_body(fixed(wall, Pose::IDENTITY)).unwrap();
        }
        let mut weight = 0.0;
        for number in 0..28 {
            let size = DVec3::from_array([0; 3].map(|_| random.uniform(0.35, 0.8)));
            let corner = |bit: u32| if number >> bit & 1 == 0 { -0.75 } else { 0.75 };
            let place = DVec3::new(corner(0), corner(1), 0.75 + 1.25 * f64::from(number / 4));
            let place = place + DVec3::new(random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.0);
            world.add_body(body(cuboid(size), Pose::new(random.quaternion(), place).unwrap())).unwrap();
            weight += 9.81 * 1000.0 * size.x * size.y * size.z;
        }
        let (mut least, mut rise, mut gained) = (f64::INFINITY, 0.0_f64, 0.0);
        let mut last = f64::INFINITY;
        for _ in 0..800 {
            let report = world.step().unwrap();
            let energy = report.kinetic + report.potential;
            (least, rise) = (least.min(energy), rise.max(energy - least));
            gained += (energy - last).max(0.0);
            last = energy;
        }
        // As heights that all of them could be lifted by.
        let (rise, gained, kinetic) = (rise / weight, gained / weight, world.report().kinetic);
        assert!(rise < 5e-4 && gained < 1e-3, "{seed}: {rise:e}, {gained:e} in all");
        assert!(kinetic < 1e-6, "{seed}: {kinetic:e}");
    }
}
