//! Figure 19 of 002: infeasibility against the stabilisation γ and the step, and what lies beyond γ = 1.

use super::problems::{BALANCE2, SWEEPS, play};
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::plot::{Axis, Chart, Figure, Panel, Series};
use std::fmt::Write as _;

/// 002's values.
const WITHIN: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// What its future work asks about.
const BEYOND: [f64; 5] = [1.25, 1.5, 1.75, 2.0, 2.25];
/// 002's steps, the longest first.
const STEPS: [f64; 4] = [0.1, 0.05, 0.02, 0.01];
/// Those of a quick run.
const QUICK_STEPS: [f64; 3] = [0.1, 0.05, 0.02];

pub(super) fn figure_19(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let steps: &[f64] = if bench.quick { &QUICK_STEPS } else { &STEPS };
    let scene = BALANCE2.scene()?;
    let mut table: Vec<(f64, Vec<f64>)> = Vec::new();
    for stabilization in WITHIN.into_iter().chain(BEYOND) {
        bench.say("002-figure-19", &format!("stabilisation {stabilization}"));
        let mean = |&step: &f64| {
            let played = play(&scene, &[], None, |settings| {
                (settings.step, settings.stabilization, settings.sweeps) = (step, stabilization, SWEEPS);
            })?;
            Ok(played.summary.infeasibility[0])
        };
        table.push((stabilization, steps.iter().map(mean).collect::<Result<_, Failure>>()?));
    }
    bench.write_figure("002-figure-19.svg", &figure(steps, &table).to_svg())?;
    let falls = |row: &[f64]| row.windows(2).all(|pair| pair[1] < pair[0]);
    let as_printed = table.iter().filter(|row| row.0 <= 1.0).all(|row| falls(&row.1));
    let best = |row: &(f64, Vec<f64>)| row.1.last().copied().unwrap_or(f64::NAN);
    let lowest = table.iter().min_by(|a, b| best(a).total_cmp(&best(b))).map_or(f64::NAN, |row| row.0);
    let mut ours = "mean infeasibility over 12 s as a length, friction iterated\n".to_owned();
    let heads: Vec<String> = steps.iter().map(|step| format!("h = {step:<5}")).collect();
    let _ = writeln!(ours, "stabilisation  {}", heads.join("  "));
    for (stabilization, row) in &table {
        let cells: Vec<String> = row.iter().map(|value| format!("{value:<9.2e}")).collect();
        let _ = writeln!(ours, "{stabilization:<13}  {}", cells.join("  "));
    }
    let _ = write!(ours, "least at the shortest step with a stabilisation of {lowest}");
    let verdict = Judgement::of(as_printed);
    Ok(Finding { ours, verdict })
}

fn figure(steps: &[f64], table: &[(f64, Vec<f64>)]) -> Figure {
    let mut chart = Chart::new(Axis::log("mean infeasibility (length)"));
    for (at, step) in steps.iter().enumerate() {
        let points = table.iter().map(|row| (row.0, row.1[at])).collect();
        chart = chart.with(Series::line(format!("h = {step}"), points).dots());
    }
    Figure::new("Balance2: 002, figure 19", Axis::linear("stabilisation"))
        .subtitle("002 stops at 1; mean over 12 s, friction iterated")
        .with(Panel::Chart(chart))
}
