//! Every solver that a scene can choose leads to the same motion.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Cone, DynamicsError, JointKind, JointSpec, Motor, Settings, SolverChoice, World};
use clearance_geometry::{DVec2, DVec3, PlanarPose, Pose};
use common::{at, body, cuboid, on_floor, planar_floor, rectangle, turned};

/// Those that this build has.
fn choices() -> impl Iterator<Item = (SolverChoice, &'static str)> {
    let there = |(choice, _): &(SolverChoice, &str)| choice.check(Cone::Exact, true).is_ok();
    SolverChoice::ALL.into_iter().filter(there)
}

/// Two boxes that slide and topple, and a door in the plane that a motor swings against its limit.
fn planar(solver: SolverChoice) -> World {
    let mut world = planar_floor(Settings { solver, friction: 0.3, sweeps: 200, ..Settings::default() });
    let mut sliding = body(rectangle(DVec2::new(0.6, 0.4)), at(DVec3::new(-2.0, 0.2, 0.0)));
    sliding.velocity = DVec3::X * 2.0;
    world.add_body(sliding).unwrap();
    let pose = turned(DVec3::Z, 20.0, DVec3::new(0.5, 0.8, 0.0));
    world.add_body(body(rectangle(DVec2::new(0.3, 1.0)), pose)).unwrap();
    let door = world.add_body(body(rectangle(DVec2::new(1.0, 0.1)), at(DVec3::new(3.0, 2.0, 0.0)))).unwrap();
    let anchor = DVec3::new(2.5, 2.0, 0.0);
    let mut hinge = JointSpec::new(JointKind::Hinge, [Some(door), None]);
    hinge.anchor = Some(anchor);
    hinge.limits = Some([-0.4, 0.5]);
    hinge.motor = Some(Motor { velocity: 2.0, max_force: 600.0 });
    world.add_joint(&hinge).unwrap();
    world
}

fn run(mut world: World, seconds: f64) -> World {
    for _ in 0..(seconds / world.settings().step).round() as usize {
        let report = world.step().unwrap();
        assert!(report.elastic.is_none(), "{report:?}");
    }
    world
}

#[test]
fn all_lead_to_the_same_poses_in_the_plane() {
    let poses = |solver: SolverChoice| -> Vec<PlanarPose> {
        run(planar(solver), 1.5).bodies().iter().map(|body| body.planar_pose()).collect()
    };
    let exact = poses(SolverChoice::ActiveSet);
    let mut count = 0;
    for (choice, name) in choices() {
        for (body, (found, exact)) in poses(choice).iter().zip(&exact).enumerate() {
            let off =
                found.translation().distance(exact.translation()) + (found.angle() - exact.angle()).abs();
            assert!(off < 2e-4, "{name}: body {body} is off by {off:e}");
        }
        count += 1;
    }
    assert_eq!(count, if cfg!(feature = "reference") { 6 } else { 5 });
}

#[test]
fn lemke_and_the_active_set_agree_in_space_with_facets() {
    let poses = |solver: SolverChoice| -> Vec<Pose> {
        let cone = Cone::Facets(8);
        let mut world =
            on_floor(Settings { solver, cone, friction: 0.25, sweeps: 200, ..Settings::default() });
        let mut sliding = body(cuboid(DVec3::new(0.6, 0.5, 0.4)), at(DVec3::new(0.0, 0.0, 0.2)));
        sliding.velocity = DVec3::new(1.5, 0.7, 0.0);
        world.add_body(sliding).unwrap();
        let pose = turned(DVec3::Y, 15.0, DVec3::new(3.0, 0.0, 0.6));
        world.add_body(body(cuboid(DVec3::new(0.3, 0.3, 1.0)), pose)).unwrap();
        run(world, 0.8).bodies().iter().map(|body| body.pose()).collect()
    };
    let [one, two] = [SolverChoice::ActiveSet, SolverChoice::Lemke].map(poses);
    for (body, (one, two)) in one.iter().zip(&two).enumerate() {
        let off = one.translation().distance(two.translation());
        assert!(off < 2e-3, "body {body} is off by {off:e}");
    }
}

#[test]
fn names_are_read_back_and_what_cannot_says_why() {
    for (choice, name) in SolverChoice::ALL {
        assert_eq!((name.parse(), choice.name()), (Ok(choice), name));
    }
    let error = "simplex".parse::<SolverChoice>().unwrap_err();
    assert!(SolverChoice::ALL.iter().all(|(_, name)| error.to_string().contains(name)), "{error}");
    let mut world = World::new(Settings { solver: SolverChoice::Lemke, ..Settings::default() }).unwrap();
    let refused = world.add_body(body(cuboid(DVec3::ONE), at(DVec3::ZERO))).unwrap_err();
    assert!(matches!(refused, DynamicsError::SolverCannot { name: "lemke", .. }), "{refused}");
    let clarabel = World::new(Settings { solver: SolverChoice::Clarabel, ..Settings::default() });
    assert_eq!(clarabel.is_ok(), cfg!(feature = "reference"));
}
