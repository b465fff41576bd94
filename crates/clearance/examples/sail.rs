//! A patch that changes its shape: its area and how far it has moved, beside the bound on that.
//!
//!     cargo run --release -p clearance --example sail
#![allow(clippy::print_stdout)]

use clearance::formats::{AnyBody, Scene, Units};
use clearance::geometry::{Body, DVec2, FaceId};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/curved/sail.toml");
    let scene = Scene::load(&file, Units::Metre)?;
    let Some(AnyBody::Solid(Body::Deforming(sail))) = scene.bodies.first().map(|body| &body.shape.body)
    else {
        return Err("the scene has no sail".into());
    };
    let middle = DVec2::splat(0.5);
    let point = |of: &clearance::geometry::DeformingBody| of.shape().face(FaceId(0)).point(middle);
    println!("seconds  area    middle moved  at most");
    for step in 0..=4 {
        let seconds = 0.5 * f64::from(step);
        let now = sail.advance(seconds)?;
        let moved = point(&now).distance(point(sail));
        let area = now.shape().mass().area;
        println!("{seconds:7.1}  {area:6.3}  {moved:12.3}  {:7.3}", sail.motion_bound(seconds));
    }
    Ok(())
}
