//! Times the reader behind STEP files and the whole load, file by file.
//!
//!     cargo run --release -p clearance-formats --features step --example step_times -- FILE…
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use clearance_formats::{Units, step::StepModel};
use std::time::{Duration, Instant};

/// The fastest of some runs.
fn fastest(mut work: impl FnMut()) -> Duration {
    let run = |_| {
        let began = Instant::now();
        work();
        began.elapsed()
    };
    (0..20).map(run).min().unwrap_or_default()
}

fn main() {
    println!("{:32} {:>9} {:>12} {:>12} {:>6}", "file", "bytes", "parse", "model", "ratio");
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let model = match StepModel::from_bytes(&bytes, Units::Millimetre) {
            Ok(model) => model,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let parse = fastest(|| drop(step_io::parser::parse(&bytes[..])));
        let load = fastest(|| drop(StepModel::from_bytes(&bytes, Units::Millimetre)));
        let name = path.rsplit('/').next().unwrap_or(&path);
        let ratio = load.as_secs_f64() / parse.as_secs_f64();
        println!("{name:32} {:>9} {parse:>12.1?} {load:>12.1?} {ratio:>6.2}", bytes.len());
        let faces: usize = model.bodies.iter().map(|body| body.faces.len()).sum();
        let uses = model.bodies.iter().flat_map(|body| &body.faces).flat_map(|face| &face.loops);
        let (mut edges, mut curves) = (0, 0);
        for bound in uses {
            if let clearance_formats::step::StepCourse::Edges(list) = &bound.course {
                edges += list.len();
                curves += list.iter().filter(|used| used.parameters.is_some()).count();
            }
        }
        println!(
            "    {} bodies, {faces} faces, {edges} edge uses, {curves} with parameter curves, {} instances, {} refused, written in {}",
            model.bodies.len(),
            model.instances.len(),
            model.refused.len(),
            model.bodies[0].written_in
        );
        for refusal in &model.refused {
            println!("    refused #{} {}: {}", refusal.entity, refusal.name, refusal.reason);
        }
        for warning in &model.warnings {
            println!("    {warning}");
        }
    }
}
