//! The toys among the scenes show what they are there for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use clearance_dynamics::{Settings, Shape};
use clearance_formats::{Scene, Units, run_simulation};
use clearance_geometry::DVec3;

fn scene(name: &str) -> Scene {
    Scene::load(&common::root().join("scenes/dynamics").join(name), Units::Metre).unwrap()
}

/// How far the farthest body came from where it started.
fn moved(scene: &Scene, change: impl FnOnce(&mut Settings)) -> f64 {
    let simulation = scene.simulation_with(change).unwrap();
    let start: Vec<DVec3> = simulation.world.bodies().iter().map(|body| body.position()).collect();
    let mut farthest = 0.0_f64;
    run_simulation(&simulation, |frame| {
        for (body, start) in frame.world.bodies().iter().zip(&start) {
            farthest = farthest.max(body.position().distance(*start));
        }
        Ok(std::ops::ControlFlow::Continue(()))
    })
    .unwrap();
    farthest
}

#[test]
fn card_house_stands_with_friction_and_falls_without() {
    let scene = scene("cardhouse.toml");
    let stood = moved(&scene, |_| {});
    assert!(stood < 1e-3, "a card moved by {stood}");
    let fell = moved(&scene, |settings| settings.friction = 0.1);
    assert!(fell > 0.3, "no card moved by more than {fell}");
}

/// How fast the walking toy turns at most once it has settled, and how far it came.
fn walked(scene: &Scene, step: f64) -> (f64, f64) {
    let simulation = scene.simulation_with(|settings| settings.step = step).unwrap();
    let (mut fastest, mut way) = (0.0_f64, 0.0);
    run_simulation(&simulation, |frame| {
        let legs = &frame.world.bodies()[1];
        if frame.time > 6.0 {
            fastest = fastest.max(-legs.angular_velocity().z);
        }
        way = legs.position().x;
        Ok(std::ops::ControlFlow::Continue(()))
    })
    .unwrap();
    (fastest, way)
}

#[test]
fn walking_toy_settles_near_the_speed_of_the_closed_form_and_nearer_with_shorter_steps() {
    let scene = scene("walker.toml");
    let (mut mass, mut inertia) = (0.0, 0.0);
    for body in scene.simulation().unwrap().world.bodies().iter().filter(|body| body.moves()) {
        let Shape::Planar(polygon) = body.shape() else { panic!("the toy is planar") };
        mass += polygon.mass().area;
        inertia += polygon.mass().second_moment;
    }
    // Legs of length 1, 45 degrees apart, on a slope of 5 degrees; about a foot.
    let about_foot = inertia + mass;
    let kept = (inertia + mass * 45_f64.to_radians().cos()) / about_foot;
    let gained = 4.0 * mass * 9.81 * 22.5_f64.to_radians().sin() * 5_f64.to_radians().sin() / about_foot;
    let before_impact = (gained / (1.0 - kept * kept)).sqrt();
    let off = |step: f64| {
        let (fastest, way) = walked(&scene, step);
        assert!(way > 8.0, "it walked {way}");
        (fastest / before_impact - 1.0).abs()
    };
    let (long, short) = (off(0.004), off(0.001));
    // Of first order: a quarter of the step, about a quarter of the error.
    assert!(long < 0.04 && short < 0.4 * long, "{long} and {short} off {before_impact}");
}
