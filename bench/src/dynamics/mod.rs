//! Dynamics: time per step and overlap, beside rapier and MuJoCo, from the same settled start.

pub mod engines;
pub mod gaps;
pub mod mujoco;
pub mod scaling;
pub mod scene;

use clearance_dynamics::Settings;
use engines::{Engine, Ours, Rapier};
use gaps::{Gaps, Ruler};
use scaling::Size;
use scene::{Place, STEP, Scene};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Iterations that rapier is given, besides its default.
const ITERATIONS: usize = 20;

/// The name of MuJoCo's row.
const MUJOCO: &str = "MuJoCo, CG";

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Hulls in the box.
    pub hulls: usize,
    /// Steps from the settled start before the clock runs.
    pub warm: usize,
    /// Steps measured.
    pub steps: usize,
}

impl Plan {
    /// As recorded.
    pub const FULL: Self = Self { hulls: 1000, warm: 50, steps: 100 };
    /// To see that it runs.
    pub const SMOKE: Self = Self { hulls: 40, warm: 5, steps: 10 };
}

/// One engine on one scene.
#[derive(Clone, Debug)]
pub struct Row {
    /// The scene.
    pub scene: &'static str,
    /// The engine.
    pub engine: String,
    /// Median and largest milliseconds per step.
    pub median: f64,
    /// The largest.
    pub worst: f64,
    /// Overlaps, averaged over the frames looked at.
    pub gaps: Gaps,
    /// What the engine says.
    pub note: String,
}

/// Runs scenes whose names contain a word.
pub fn rows(plan: Plan, word: &str, with_mujoco: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for scene in Scene::all(plan.hulls).into_iter().filter(|scene| scene.name.contains(word)) {
        let ruler = Ruler::new(&scene);
        let start = settled(&scene);
        let first = ruler.measure(&scene, &start);
        eprintln!("{}: settled, mean overlap {:.1e}, {} pairs", scene.name, first.mean, first.pairs);
        let mut add = |row: Row| {
            eprintln!(
                "{} {}: {:.2} ms, mean {:.1e}, most {:.1e}, walls {:.1e}, joints {:.1e} {}",
                row.scene,
                row.engine,
                row.median,
                row.gaps.mean,
                row.gaps.most,
                row.gaps.wall_most,
                row.gaps.joint,
                row.note
            );
            rows.push(row);
        };
        for iterations in [4, ITERATIONS] {
            let mut engine = Rapier::new(&scene, &start, iterations);
            add(measured(&scene, format!("rapier, {iterations} iterations"), &mut engine, plan, &ruler));
        }
        for threads in [1, 2] {
            let name =
                if threads == 1 { "clearance".to_owned() } else { format!("clearance, {threads} threads") };
            let mut engine = Ours::new(&scene, &start, Settings::default(), threads);
            add(measured(&scene, name, &mut engine, plan, &ruler));
        }
        if with_mujoco {
            match mujoco::run(&scene, &start, plan.warm, plan.steps, 60.0) {
                Ok(answer) => {
                    let (median, worst) = median_and_worst(answer.times);
                    let gaps = ruler.measure(&scene, &answer.places);
                    let engine = MUJOCO.to_owned();
                    add(Row { scene: scene.name, engine, median, worst, gaps, note: String::new() });
                }
                Err(error) => eprintln!("MuJoCo: {error}"),
            }
        }
    }
    rows
}

/// Where bodies come to rest: by rapier, which settles fastest.
fn settled(scene: &Scene) -> Vec<Place> {
    if !scene.joints.is_empty() {
        return scene.start.clone();
    }
    let mut engine = Rapier::new(scene, &scene.start, ITERATIONS);
    (0..scene.settle).for_each(|_| _ = engine.step());
    engine.places()
}

fn measured(scene: &Scene, name: String, engine: &mut dyn Engine, plan: Plan, ruler: &Ruler) -> Row {
    (0..plan.warm).for_each(|_| _ = engine.step());
    let mut times = Vec::with_capacity(plan.steps);
    let mut sum = Gaps::default();
    let every = (plan.steps / 5).max(1);
    let mut frames = 0.0;
    for step in 0..plan.steps {
        times.push(engine.step());
        if (step + 1) % every == 0 {
            let gaps = ruler.measure(scene, &engine.places());
            frames += 1.0;
            sum = Gaps {
                mean: sum.mean + gaps.mean,
                most: sum.most.max(gaps.most),
                pairs: gaps.pairs,
                wall_mean: sum.wall_mean + gaps.wall_mean,
                wall_most: sum.wall_most.max(gaps.wall_most),
                joint: sum.joint.max(gaps.joint),
                lowest: gaps.lowest,
            };
        }
    }
    let (median, worst) = median_and_worst(times);
    let gaps = Gaps { mean: sum.mean / frames, wall_mean: sum.wall_mean / frames, ..sum };
    Row { scene: scene.name, engine: name, median, worst, gaps, note: engine.note() }
}

fn median_and_worst(mut seconds: Vec<f64>) -> (f64, f64) {
    seconds.sort_unstable_by(f64::total_cmp);
    let at = |place: usize| seconds.get(place).map_or(f64::NAN, |s| 1e3 * s);
    (at(seconds.len() / 2), at(seconds.len().saturating_sub(1)))
}

/// The table, and how we stand against rapier.
pub fn text(rows: &[Row]) -> String {
    let mut text = format!(
        "`cargo xtask bench dynamics`: h = {STEP} s, bodies of size 1, all from the same settled start, one thread \
         where no other number is given.\nDepths are measured from poses by our exact distance over pairs closer than 0.01; walls apart.\n\n\
         | scene | engine | ms per step | worst | mean depth | most | walls, mean | walls, most | joints | pairs |\n\
         |---|---|---|---|---|---|---|---|---|---|\n"
    );
    for row in rows {
        let g = &row.gaps;
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {} |",
            row.scene,
            row.engine,
            row.median,
            row.worst,
            g.mean,
            g.most,
            g.wall_mean,
            g.wall_most,
            g.joint,
            g.pairs
        );
    }
    text.push('\n');
    for ours in rows.iter().filter(|row| row.engine == "clearance") {
        let name = format!("rapier, {ITERATIONS} iterations");
        let Some(peer) = rows.iter().find(|row| row.scene == ours.scene && row.engine == name) else {
            continue;
        };
        let less = if peer.gaps.pairs > 0 {
            peer.gaps.mean / ours.gaps.mean
        } else {
            peer.gaps.joint / ours.gaps.joint
        };
        let _ = writeln!(
            text,
            "{}: {:.2} times rapier's time with {ITERATIONS} iterations, {less:.0} times less overlap or opening.",
            ours.scene,
            ours.median / peer.median,
        );
        if let Some(peer) = rows.iter().find(|row| row.scene == ours.scene && row.engine == MUJOCO) {
            let _ = writeln!(text, "{}: {:.2} times MuJoCo's time.", ours.scene, ours.median / peer.median);
        }
    }
    text
}

/// All numbers.
pub fn json(rows: &[Row], sizes: &[Size]) -> Value {
    let row = |row: &Row| {
        let g = &row.gaps;
        json!({
            "scene": row.scene, "engine": row.engine, "median_ms": row.median, "worst_ms": row.worst,
            "mean_depth": g.mean, "most_depth": g.most, "pairs": g.pairs, "wall_mean": g.wall_mean,
            "wall_most": g.wall_most, "joint": g.joint, "lowest": g.lowest, "note": row.note,
        })
    };
    json!({ "name": "dynamics", "step": STEP, "rows": rows.iter().map(row).collect::<Vec<_>>(), "scaling": scaling::json(sizes) })
}
