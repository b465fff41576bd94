//! A box of a hundred bodies that is shaken: nothing is lost, overlap stays bounded. `cargo xtask soak dynamics` shakes the same
//! box for longer.
#![allow(clippy::unwrap_used)]

mod common;

use clearance_dynamics::{Settings, Shape, World};
use clearance_geometry::Pose;
use clearance_testkit::generate::ShakenBox;
use common::{body, fixed};

const STEPS: u64 = 1000;

fn shaken_box(seed: u64) -> World {
    let scene = ShakenBox::new(seed);
    let mut world = World::new(Settings { step: ShakenBox::STEP, ..Settings::default() }).unwrap();
    for wall in scene.walls {
        world.add_body(fixed(Shape::HalfSpace(wall), Pose::IDENTITY)).unwrap();
    }
    for (shape, pose) in scene.bodies {
        world.add_body(body(Shape::Solid(shape), pose)).unwrap();
    }
    world
}

#[test]
fn shaken_box_loses_no_body() {
    let mut world = shaken_box(17);
    assert_eq!(world.bodies().len(), 6 + ShakenBox::BODIES);
    let mut worst = 0.0_f64;
    for step in 0..STEPS {
        world.set_gravity(ShakenBox::gravity(step)).unwrap();
        let report = world.step().unwrap();
        worst = worst.max(report.infeasibility);
        assert!(report.elastic.is_none(), "{step}: {report:?}");
    }
    assert!(worst < ShakenBox::BOUND, "{worst}");
    for body in &world.bodies()[6..] {
        assert!(ShakenBox::holds(body.position()), "{}", body.position());
    }
}
