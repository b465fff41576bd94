//! A box of a hundred bodies that is shaken; a case is one step of one long run.

use super::Case;
use crate::tally::{Failure, Tally};
use clearance_dynamics::{BodySpec, MassOf, Settings, Shape, World};
use clearance_geometry::{DQuat, DVec3, HalfSpace, Polytope, Pose};
use clearance_testkit::Random;
use std::sync::{Mutex, PoisonError};

/// The side of the box; bodies have a size of about 1.
const SIDE: f64 = 7.0;

/// Bodies in it.
const BODIES: usize = 100;

/// Seconds per step.
const STEP: f64 = 0.005;

/// The infeasibility that no step may reach: one part in twenty of the bodies' size. They move at up to 10 lengths per second,
/// which is as much in a step.
const BOUND: f64 = 0.05;

/// Steps of one run, whichever thread takes them.
pub(super) fn dynamics(seed: u64) -> Box<Case<'static>> {
    let world = Mutex::new(shaken_box(seed));
    Box::new(move |case, tally| {
        // A thread that failed has been counted; the others go on.
        let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
        one(&mut world, case, tally);
    })
}

fn one(world: &mut World, case: u64, tally: &mut Tally) {
    let phase = world.report().frame as f64 * STEP * 12.0;
    let shake = DVec3::new(phase.sin(), (0.7 * phase).cos(), 1.5 * (1.3 * phase).sin()) * 15.0;
    let stepped = world.set_gravity(DVec3::Z * -9.81 + shake).and_then(|()| world.step().cloned());
    tally.case("shaken box".to_string());
    let report = match stepped {
        Ok(report) => report,
        Err(error) => return fail(tally, case, "step", error.to_string()),
    };
    let state = match (report.elastic, report.relaxed) {
        (Some(_), _) => "elastic",
        (None, true) => "relaxed",
        (None, false) => "solved",
    };
    *tally.states.entry(state.to_string()).or_default() += 1;
    tally.measure("infeasibility", report.infeasibility / BOUND, case);
    if !(report.infeasibility < BOUND) {
        fail(tally, case, "infeasibility", format!("{} at frame {}", report.infeasibility, report.frame));
    }
    let lost = world.bodies()[6..].iter().filter(|body| {
        let place = body.position();
        !(place.min_element() > 0.0 && place.max_element() < SIDE)
    });
    let lost = lost.count();
    if lost > 0 {
        fail(tally, case, "lost", format!("{lost} bodies at frame {}", report.frame));
    }
}

fn fail(tally: &mut Tally, case: u64, group: &str, fault: String) {
    let repeat = "the run from its start, by its seed".to_string();
    tally.fail(Failure { case, group: group.to_string(), complexity: case, fault, repeat });
}

fn shaken_box(seed: u64) -> World {
    let mut world = World::new(Settings { step: STEP, ..Settings::default() }).expect("good settings");
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for (normal, offset) in [(axis, 0.0), (-axis, -SIDE)] {
            let wall = Shape::HalfSpace(HalfSpace::new(normal, offset).expect("a plane"));
            world.add_body(BodySpec::new(wall, Pose::IDENTITY, MassOf::Fixed)).expect("a wall");
        }
    }
    let mut random = Random::new(seed);
    for place in 0..BODIES {
        let points: Vec<DVec3> = (0..4 + place % 9).map(|_| random.direction() / 2.0).collect();
        let cuboid = || Polytope::cuboid(DVec3::new(0.5, 0.6, 0.7)).expect("a box");
        let body = if place % 3 == 0 {
            cuboid()
        } else {
            Polytope::from_points(&points).unwrap_or_else(|_| cuboid())
        };
        let spot = DVec3::new((place % 5) as f64, (place / 5 % 5) as f64, (place / 25) as f64) * 1.2;
        let turn = DQuat::from_axis_angle(random.direction(), random.uniform(0.0, 3.0));
        let pose = Pose::new(turn, spot + DVec3::splat(1.0)).expect("a pose");
        let spec = BodySpec::new(Shape::Solid(body), pose, MassOf::Density(1000.0));
        // A flat one has no mass; a box stands in.
        let stands_in = BodySpec::new(Shape::Solid(cuboid()), pose, MassOf::Density(1000.0));
        if world.add_body(spec).is_err() {
            world.add_body(stands_in).expect("a box");
        }
    }
    world
}
