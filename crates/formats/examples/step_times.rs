//! Times the load of STEP files: the reader's own parse, its typed model (not used here), and the whole load.
//!
//!     cargo run --release -p clearance-formats --features step --example step_times -- FILE…
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use clearance_formats::Units;
use clearance_formats::step::{StepCourse, StepModel};
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
    println!("{:28} {:>9} {:>11} {:>11} {:>11} {:>6}", "file", "bytes", "parse", "typed", "model", "ratio");
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let model = match StepModel::from_bytes(&bytes, Units::Millimetre) {
            Ok(model) => model,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        // The reader refuses files without this record, at once; given it, it reads them.
        let text = String::from_utf8_lossy(&bytes);
        let patched = if text.contains("FILE_NAME") {
            text.into_owned()
        } else {
            text.replacen("HEADER;", "HEADER;FILE_NAME('','',(''),(''),'','','');", 1)
        };
        let parse = fastest(|| drop(step_io::parser::parse(patched.as_bytes())));
        let typed = fastest(|| drop(step_io::read(patched.as_bytes())));
        let load = fastest(|| drop(StepModel::from_bytes(&bytes, Units::Millimetre)));
        let name = path.rsplit('/').next().unwrap_or(&path);
        let ratio = load.as_secs_f64() / parse.as_secs_f64();
        println!("{name:28} {:>9} {parse:>11.1?} {typed:>11.1?} {load:>11.1?} {ratio:>6.2}", bytes.len());
        let faces: usize = model.bodies.iter().map(|body| body.faces.len()).sum();
        let uses = model.bodies.iter().flat_map(|body| &body.faces).flat_map(|face| &face.loops);
        let (mut edges, mut curves) = (0, 0);
        for bound in uses {
            if let StepCourse::Edges(list) = &bound.course {
                edges += list.len();
                curves += list.iter().filter(|used| used.parameters.is_some()).count();
            }
        }
        println!(
            "    {} bodies, {faces} faces, {edges} edge uses, {curves} with parameter curves, {} refused",
            model.bodies.len(),
            model.refused.len()
        );
        for refusal in &model.refused {
            println!("    refused #{} {}: {}", refusal.entity, refusal.name, refusal.reason);
        }
        for warning in &model.warnings {
            println!("    {warning}");
        }
    }
}
