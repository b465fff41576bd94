//! A box of a hundred bodies that is shaken; a case is one step of one long run.

use super::Case;
use crate::tally::{Failure, Tally};
use clearance_dynamics::{BodySpec, MassOf, Settings, Shape, World};
use clearance_geometry::{Body, Pose};
use clearance_proximity::distance;
use clearance_testkit::generate::ShakenBox;
use std::sync::{Mutex, PoisonError};

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
    let gravity = ShakenBox::gravity(world.report().frame);
    let stepped = world.set_gravity(gravity).and_then(|()| world.step().cloned());
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
    tally.measure("infeasibility", report.infeasibility / ShakenBox::BOUND_ALONG_PLANES, case);
    if !(report.infeasibility < ShakenBox::BOUND_ALONG_PLANES) {
        fail(tally, case, "infeasibility", format!("{} at frame {}", report.infeasibility, report.frame));
    }
    // Overlap along the plane of the ratio metric is no less than the depth.
    let depth = if report.infeasibility < ShakenBox::BOUND { report.infeasibility } else { deepest(world) };
    tally.measure("depth", depth / ShakenBox::BOUND, case);
    if !(depth < ShakenBox::BOUND) {
        fail(tally, case, "depth", format!("{depth} at frame {}", report.frame));
    }
    let lost = world.bodies()[6..].iter().filter(|body| !ShakenBox::holds(body.position())).count();
    if lost > 0 {
        fail(tally, case, "lost", format!("{lost} bodies at frame {}", report.frame));
    }
}

/// The shortest way out of the deepest overlap; infinite where that cannot be told.
fn deepest(world: &World) -> f64 {
    let body = |at: usize| match world.bodies()[at].shape() {
        Shape::Solid(solid) => Some(Body::from(solid.clone())),
        Shape::HalfSpace(wall) => Some(Body::from(*wall)),
        _ => None,
    };
    let mut pairs: Vec<[usize; 2]> =
        world.events().iter().filter(|event| event.event.gap < 0.0).map(|event| event.bodies).collect();
    pairs.dedup();
    let depth = |&[a, b]: &[usize; 2]| {
        let pose = Pose::between(&world.bodies()[a].pose(), &world.bodies()[b].pose());
        let found = distance(&body(a)?, &body(b)?, &pose).ok()?;
        Some(-found.signed_distance)
    };
    pairs.iter().map(|pair| depth(pair).unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
}

fn fail(tally: &mut Tally, case: u64, group: &str, fault: String) {
    let repeat = "the run from its start, by its seed".to_string();
    tally.fail(Failure { case, group: group.to_string(), complexity: case, fault, repeat });
}

fn shaken_box(seed: u64) -> World {
    let scene = ShakenBox::new(seed);
    let settings = Settings { step: ShakenBox::STEP, ..Settings::default() };
    let mut world = World::new(settings).expect("good settings");
    for wall in scene.walls {
        let wall = BodySpec::new(Shape::HalfSpace(wall), Pose::IDENTITY, MassOf::Fixed);
        world.add_body(wall).expect("a wall");
    }
    for (body, pose) in scene.bodies {
        let body = BodySpec::new(Shape::Solid(body), pose, MassOf::Density(1000.0));
        world.add_body(body).expect("a body with a mass");
    }
    world
}
