//! How the cost of a step grows with the number of events: heaps of hulls of rising size.

use super::engines::{Engine as _, Ours, Rapier};
use super::median_and_worst;
use super::scene::Scene;
use clearance_dynamics::Settings;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Hulls in each heap: the last have ten thousand events or so.
pub const HEAPS: [usize; 6] = [50, 100, 200, 400, 800, 1600];

/// Steps of a heap that falls, of one that is taken over, and measured.
const STEPS: [usize; 3] = [300, 20, 40];

/// One heap.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Hulls.
    pub hulls: usize,
    /// Events per step, in the mean.
    pub events: f64,
    /// Median milliseconds per step.
    pub median: f64,
}

/// Steps heaps of these sizes on one thread.
pub fn sizes(heaps: &[usize]) -> Vec<Size> {
    let one = |&hulls: &usize| {
        let scene = Scene::hulls(hulls);
        let mut fall = Rapier::new(&scene, &scene.start, 4);
        (0..STEPS[0]).for_each(|_| _ = fall.step());
        let mut engine = Ours::new(&scene, &fall.places(), Settings::default(), 1);
        (0..STEPS[1]).for_each(|_| _ = engine.step());
        let (mut times, mut events) = (Vec::with_capacity(STEPS[2]), 0);
        for _ in 0..STEPS[2] {
            times.push(engine.step());
            events += engine.events();
        }
        let size = Size { hulls, events: events as f64 / STEPS[2] as f64, median: median_and_worst(times).0 };
        eprintln!("{hulls} hulls: {:.0} events, {:.2} ms", size.events, size.median);
        size
    };
    heaps.iter().map(one).collect()
}

/// The slope of the logarithms of time over events, by least squares.
fn exponent(sizes: &[Size]) -> f64 {
    let count = sizes.len() as f64;
    let mean = |of: &dyn Fn(&Size) -> f64| sizes.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|size| size.events.ln()), mean(&|size| size.median.ln()));
    let across = mean(&|size| (size.events.ln() - x) * (size.median.ln() - y));
    across / mean(&|size| (size.events.ln() - x).powi(2))
}

/// The table and the exponent.
pub fn text(sizes: &[Size]) -> String {
    let mut text =
        String::from("\n| hulls | events per step | ms per step | µs per event |\n|---|---|---|---|\n");
    for size in sizes {
        let each = 1e3 * size.median / size.events;
        let _ = writeln!(text, "| {} | {:.0} | {:.2} | {each:.2} |", size.hulls, size.events, size.median);
    }
    let _ = writeln!(
        text,
        "\nHeaps of hulls that still settle, one thread. The time per step grows with the events to the power {:.2}.",
        exponent(sizes)
    );
    text
}

/// All numbers.
pub fn json(sizes: &[Size]) -> Value {
    let one = |size: &Size| json!({"hulls": size.hulls, "events": size.events, "median_ms": size.median});
    json!({"exponent": exponent(sizes), "heaps": sizes.iter().map(one).collect::<Vec<_>>()})
}
