//! `clearance simulate SCENE`.

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::json::quoted;
use crate::plot::{Axis, Chart, Figure, Panel, Series};
use crate::run::{Surroundings, Verdict};
use crate::terminal::number;
use crate::track::{check_plot_name, read_scene};
use clearance_formats::{
    Frame, GaveWay, Recorder, Scene, Simulation, SimulationSummary, run_simulation, shortest,
};
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::time::Instant;

/// What the plot shows of one frame.
struct Sample {
    time: f64,
    kinetic: f64,
    potential: f64,
    infeasibility: f64,
    /// Lengths of the momentum and of the angular momentum.
    momentum: [f64; 2],
    residual: f64,
    constraint_work: f64,
    iterations: usize,
    events: usize,
}

/// Runs the simulation of a scene; status 1 if constraints had to give way, were not solved for, or are broken at the end.
pub(crate) fn simulate(
    options: &arguments::Simulate,
    surroundings: &Surroundings,
) -> Result<Verdict, Failure> {
    if let Some(plot) = &options.plot {
        check_plot_name(plot)?;
    }
    let scene = read_scene(&options.scene, surroundings)?;
    let simulation = scene.simulation()?;
    let began = Instant::now();
    let (samples, summary) = run(&scene, &simulation, surroundings)?;
    let took = began.elapsed().as_secs_f64();
    let title = scene.title.clone().unwrap_or_else(|| options.scene.clone());
    if let Some(plot) = &options.plot {
        let svg = figure(&title, scene.units.symbol(), &samples).to_svg();
        std::fs::write(plot, svg).map_err(|error| Failure::write(plot, &error))?;
    }
    let mut text = if surroundings.common.json {
        json(&title, &simulation, &summary)
    } else {
        in_words(&title, scene.units.symbol(), &simulation, &summary, took)
    };
    if !surroundings.common.json {
        let written = [("plot", &options.plot), ("recording", &surroundings.common.record)];
        for (what, path) in written.iter().filter_map(|(what, path)| Some((what, path.as_ref()?))) {
            let _ = writeln!(text, "{what:15}{}", path.display());
        }
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Verdict::of_run(!is_complete(&simulation, &summary), summary.is_broken()))
}

fn run(
    scene: &Scene,
    simulation: &Simulation,
    surroundings: &Surroundings,
) -> Result<(Vec<Sample>, SimulationSummary), Failure> {
    let record = surroundings.common.record.as_deref();
    let mut recorder = record.map(|path| Recorder::create_simulation(path, scene, simulation)).transpose()?;
    let mut samples = Vec::new();
    let progress = surroundings.progress(simulation.frames, "frames");
    interrupt::listen();
    let summary = run_simulation(simulation, |frame| {
        samples.push(sample(frame));
        progress.inc(1);
        recorder.as_mut().map_or(Ok(()), |recorder| recorder.frame(frame))?;
        let stop = surroundings.expired() || interrupt::asked();
        Ok(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    progress.finish_and_clear();
    // A recording that is not finished says so itself.
    if is_complete(simulation, &summary) {
        recorder.map_or(Ok(()), Recorder::finish)?;
    } else if !interrupt::asked() {
        return Err(surroundings.gave_up("the simulation was not run to its end"));
    }
    Ok((samples, summary))
}

/// Whether a simulation was run to its end.
const fn is_complete(simulation: &Simulation, summary: &SimulationSummary) -> bool {
    summary.steps + 1 >= simulation.frames
}

fn sample(frame: &Frame<'_>) -> Sample {
    let report = frame.world.report();
    Sample {
        time: frame.time,
        kinetic: report.kinetic,
        potential: report.potential,
        infeasibility: report.infeasibility,
        momentum: [report.momentum.length(), report.angular_momentum.length()],
        residual: report.residual,
        constraint_work: report.constraint_work,
        iterations: report.iterations,
        events: frame.world.events().len(),
    }
}

fn in_words(
    title: &str,
    unit: &str,
    simulation: &Simulation,
    summary: &SimulationSummary,
    took: f64,
) -> String {
    let settings = simulation.world.settings();
    let moving = simulation.world.bodies().iter().filter(|body| body.moves()).count();
    let seconds = summary.steps as f64 * settings.step;
    let mut text = format!(
        "{title}\n{moving} bodies over {seconds:.2} s: {} steps of {} s in {:.1} ms\n\n",
        summary.steps,
        settings.step,
        took * 1000.0
    );
    if !is_complete(simulation, summary) {
        let asked = simulation.frames.saturating_sub(1);
        let _ = writeln!(text, "stopped        after {} of {asked} steps", summary.steps);
    }
    let [mean, most] = summary.infeasibility.map(number);
    let _ = writeln!(text, "infeasibility  {mean} {unit} in the mean, {most} {unit} at most");
    let _ = writeln!(text, "events         {} at most", summary.events);
    let _ = writeln!(text, "residual       {} {unit}/s at most", number(summary.residual));
    let _ = writeln!(text, "at the end     kinetic energy {}", number(summary.kinetic));
    if summary.relaxed > 0 {
        let _ =
            writeln!(text, "relaxed        {} steps hold friction only in its convex form", summary.relaxed);
    }
    let GaveWay { jammed, thrown } = summary.gave_way;
    if jammed > 0 {
        let _ = writeln!(text, "gave way       constraints of {jammed} steps contradict each other");
    }
    if thrown > 0 {
        let _ = writeln!(
            text,
            "gave way       in {thrown} steps, which would have thrown bodies about to push overlaps apart"
        );
    }
    if summary.unsolved > 0 {
        let _ = writeln!(
            text,
            "not solved     {} steps, with residuals above ten times all velocities",
            summary.unsolved
        );
    }
    if summary.capped > 0 {
        let _ =
            writeln!(text, "slowed down    overlaps or joints are made good over {} steps", summary.capped);
    }
    if summary.is_left_broken() {
        let _ = writeln!(
            text,
            "broken         bodies overlap or joints are off by {} of their size at the end",
            number(summary.left)
        );
    }
    for warning in &simulation.warnings {
        let _ = writeln!(text, "warning        {warning}");
    }
    text
}

fn json(title: &str, simulation: &Simulation, summary: &SimulationSummary) -> String {
    let warnings: Vec<String> = simulation.warnings.iter().map(|warning| quoted(warning)).collect();
    let [mean, most] = summary.infeasibility.map(finite);
    format!(
        "{{\"scene\": {}, \"complete\": {}, \"steps\": {}, \"step\": {}, \"infeasibility\": {{\"mean\": {mean}, \"max\": {most}}}, \
         \"kinetic\": {}, \"events\": {}, \"residual\": {}, \"relaxed\": {}, \"elastic\": {}, \"jammed\": {}, \"thrown\": {}, \"unsolved\": {}, \
         \"capped\": {}, \"left\": {}, \"warnings\": [{}]}}\n",
        quoted(title),
        is_complete(simulation, summary),
        summary.steps,
        shortest(simulation.world.settings().step),
        finite(summary.kinetic),
        summary.events,
        finite(summary.residual),
        summary.relaxed,
        summary.elastic,
        summary.gave_way.jammed,
        summary.gave_way.thrown,
        summary.unsolved,
        summary.capped,
        finite(summary.left),
        warnings.join(", ")
    )
}

/// A number as JSON has it: null where it is not finite.
fn finite(value: f64) -> String {
    if value.is_finite() { shortest(value) } else { "null".to_owned() }
}

/// Everything that a step reports, over time.
fn figure(title: &str, unit: &str, samples: &[Sample]) -> Figure {
    let least = samples.iter().map(|s| s.potential).fold(f64::INFINITY, f64::min);
    let line = |value: &dyn Fn(&Sample) -> f64| samples.iter().map(|s| (s.time, value(s))).collect();
    // A logarithmic axis shows what is above zero; the rest is a gap in the line.
    let positive = |value: f64| if value > 0.0 { value } else { f64::NAN };
    Figure::new(title, Axis::linear("time (s)"))
        .subtitle(format!("{} frames", samples.len()))
        .with(Panel::Chart(
            Chart::new(Axis::linear("energy"))
                .with(Series::line("kinetic", line(&|s| s.kinetic)))
                .with(Series::line("potential above its least", line(&|s| s.potential - least)))
                .with(Series::line("sum", line(&|s| s.kinetic + s.potential - least)).dashed()),
        ))
        .with(Panel::Chart(
            Chart::new(Axis::log(format!("infeasibility ({unit})")))
                .with(Series::line("infeasibility", line(&|s| positive(s.infeasibility)))),
        ))
        .with(Panel::Chart(
            Chart::new(Axis::linear("momentum"))
                .with(Series::line("linear", line(&|s| s.momentum[0])))
                .with(Series::line("angular, about the origin", line(&|s| s.momentum[1]))),
        ))
        .with(Panel::Chart(
            Chart::new(Axis::linear("work of constraints"))
                .with(Series::line("work of constraints", line(&|s| s.constraint_work))),
        ))
        .with(Panel::Chart(
            Chart::new(Axis::log(format!("residual ({unit}/s)")))
                .with(Series::line("residual", line(&|s| positive(s.residual)))),
        ))
        .with(Panel::Chart(
            Chart::new(Axis::linear("iterations"))
                .with(Series::line("iterations of the solver", line(&|s| s.iterations as f64))),
        ))
        .with(Panel::Chart(
            Chart::new(Axis::linear("events")).with(Series::line("events", line(&|s| s.events as f64))),
        ))
}
