//! Bodies of patches: 000 figure 9, a block and a point; 001 figures 16 to 18, a body and a helix; figures 19 and 20,
//! two bodies.

use super::sketch::{Sketch, graph, sheet};
use super::stage::Stage;
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::plot::{Axis, Chart, Figure, PALETTE, Panel, Series};
use crate::terminal::number;
use clearance_geometry::tiled::{TiledBody, TiledEdge};
use clearance_geometry::{DVec3, Pose};
use clearance_proximity::published::{Automaton, FeatureGraph, Hybrid, Method, Settings};

/// Steps per second of the simulations.
const RATE: f64 = 500.0;

/// What a simulation of two bodies did.
struct Played {
    hybrid: Hybrid,
    /// The largest difference from the certified distance after the start, at ten times per second.
    worst: f64,
    /// The witness on A and the one on B, in the frame of A, step by step.
    witnesses: Vec<[DVec3; 2]>,
    /// Parameters of each face of A, then of B, while it or a part of its boundary is active.
    parameters: Vec<Vec<(f64, f64)>>,
}

/// Runs a scene; `faces` says how many faces each body has, `settle` how long the start may take.
fn played(
    stage: &Stage,
    mut hybrid: Hybrid,
    faces: [usize; 2],
    duration: f64,
    settle: f64,
) -> Result<Played, Failure> {
    let moments = |time: f64| stage.moment(time);
    let mut parameters = vec![Vec::new(); 2 * (faces[0] + faces[1])];
    let (mut worst, mut witnesses) = (0.0_f64, Vec::new());
    for step in 0..(duration * RATE) as u32 {
        let time = f64::from(step) / RATE;
        hybrid.step(&moments, time);
        let now = time + 1.0 / RATE;
        let (active, at) = (hybrid.active(), hybrid.parameters());
        for (k, line) in parameters.iter_mut().enumerate() {
            let side = usize::from(k / 2 >= faces[0]);
            let face = k / 2 - side * faces[0];
            line.push((now, if active[side] == face { at[side][k % 2] } else { f64::NAN }));
        }
        let state = hybrid.state(&stage.pose(now));
        witnesses.push(state.points);
        if now > settle && (step + 1) % (RATE as u32 / 10) == 0 {
            worst = worst.max((state.distance() - stage.truth(now)?).abs());
        }
    }
    Ok(Played { hybrid, worst, witnesses, parameters })
}

fn told(automaton: &Automaton) -> String {
    let all: Vec<String> =
        automaton.switches().iter().map(|s| format!("{} to {} at {:.2}", s.from, s.to, s.time)).collect();
    if all.is_empty() { "no switch".to_owned() } else { all.join(", ") }
}

fn figure(title: &str, names: &[&str], played: &Played) -> Figure {
    let mut figure = Figure::new(title, Axis::linear("time (s)"))
        .subtitle("parameters of the faces that become active, while they are");
    for (face, name) in names.iter().enumerate() {
        let line = |k: usize| played.parameters[2 * face + k].clone();
        if line(0).iter().all(|point| point.1.is_nan()) {
            continue;
        }
        let mut chart = Chart::new(Axis::linear(*name).range(0.0, 1.0))
            .with(Series::line(format!("{name} u"), line(0)))
            .with(Series::line(format!("{name} v"), line(1)));
        chart.height = 110.0;
        figure = figure.with(Panel::Chart(chart));
    }
    figure
}

/// The edges of a body seen from above, that is, without z.
fn edges(body: &TiledBody, pose: &Pose) -> Vec<Vec<(f64, f64)>> {
    let place = |edge: &TiledEdge, k: usize| pose.apply(edge.point(edge.range.at(k as f64 / 48.0)));
    let line = |edge: &TiledEdge| (0..=48).map(|k| place(edge, k)).map(|p| (p.x, p.y)).collect();
    body.edges().iter().map(line).collect()
}

/// Both bodies and the ways of the witnesses, seen from above and from the side; `times` of the snapshots.
fn snapshots(
    title: &str,
    stage: &Stage,
    played: &Played,
    times: &[f64],
    reach: f64,
) -> Result<String, Failure> {
    let mut sketches = Vec::new();
    // From above x and y, from the side x and z.
    for (name, turn) in [("seen from above", false), ("seen from the side", true)] {
        let view = if turn {
            Pose::from_axis_angle(DVec3::X, -std::f64::consts::FRAC_PI_2, DVec3::ZERO)
                .unwrap_or(Pose::IDENTITY)
        } else {
            Pose::IDENTITY
        };
        let seen = |p: DVec3| {
            let p = view.apply(p);
            (p.x, p.y)
        };
        let mut sketch = Sketch::new(name, [-reach, reach, -reach, reach]);
        for line in edges(&stage.tiled(0)?, &view) {
            sketch.line(line, "#222222");
        }
        for side in [0, 1] {
            sketch.line(played.witnesses.iter().map(|pair| seen(pair[side])).collect(), PALETTE[side]);
        }
        for &time in times {
            let at = ((time * RATE) as usize).clamp(1, played.witnesses.len()) - 1;
            if let Ok(body) = stage.tiled(1) {
                let pose = Pose::between(&view.inverse(), &stage.pose(time));
                for line in edges(&body, &pose) {
                    sketch.line(line, "#999999");
                }
            }
            let [of_a, of_b] = played.witnesses[at].map(seen);
            sketch.dashes(vec![of_a, of_b], PALETTE[6]);
            sketch.text((of_b.0 * 1.06, of_b.1 * 1.06), format!("{time}"), PALETTE[6]);
        }
        sketches.push(sketch);
    }
    let subtitle =
        "blue: the witness on A; orange: the one on B, or the point; dashed: snapshots at the times written";
    Ok(sheet(title, subtitle, &sketches, 2, (470.0, 470.0)))
}

fn settings() -> Settings {
    Settings { method: Method::Auto, gain: 100.0, rate: RATE, ..Settings::default() }
}

/// 000, figure 9.
pub(super) fn figure_9_of_000(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let stage = Stage::new(include_str!("../../../../scenes/000/figure-9.toml"), "scenes/000/figure-9.toml")?;
    let body = FeatureGraph::of_body(&stage.tiled(0)?);
    let hybrid =
        Hybrid::new([body, FeatureGraph::of_point(DVec3::ZERO)], [0, 0], settings(), [[0.9, 0.1], [0.0; 2]]);
    let played = played(&stage, hybrid, [6, 0], 1.5, 0.2)?;
    let automaton = &played.hybrid.automata()[0];
    bench.write_figure(
        "000-figure-9.svg",
        &figure(
            "A vaulted block and a point (000, figure 9)",
            &["S1", "S2", "S3", "S4", "S5", "S6"],
            &played,
        )
        .to_svg(),
    )?;
    bench.write_figure(
        "000-figure-3.svg",
        &graph(
            "A vaulted block and a point (000, figure 3 D)",
            "states: faces, edges, vertices; arrows: switching times",
            automaton,
        ),
    )?;
    bench.write_figure("000-figure-3.dot", &automaton.to_dot("000-figure-3"))?;
    let order: Vec<char> = automaton.switches().iter().filter_map(|s| s.to.chars().next()).collect();
    let times: Vec<f64> = automaton.switches().iter().map(|s| s.time).collect();
    let holds = order == ['C', 'S'] && (times[0] - 0.89).abs() < 0.05 && played.worst < 0.001;
    Ok(Finding {
        ours: format!(
            "{}\nlargest difference from the certified distance: {}",
            told(automaton),
            number(played.worst)
        ),
        verdict: Judgement::of(holds),
    })
}

/// 001, figures 16 to 18.
pub(super) fn figures_16_to_18(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let stage =
        Stage::new(include_str!("../../../../scenes/001/figure-16.toml"), "scenes/001/figure-16.toml")?;
    let body = FeatureGraph::of_body(&stage.tiled(0)?);
    let hybrid =
        Hybrid::new([body, FeatureGraph::of_point(DVec3::ZERO)], [0, 0], settings(), [[0.8, 0.3], [0.0; 2]]);
    let played = played(&stage, hybrid, [3, 0], 6.0, 0.2)?;
    let automaton = &played.hybrid.automata()[0];
    bench.write_figure(
        "001-figure-18.svg",
        &figure("Three patches and a helix (001, figure 18)", &["S1", "S2", "S3"], &played).to_svg(),
    )?;
    bench.write_figure(
        "001-figure-17.svg",
        &graph(
            "Three patches and a helix (001, figure 17)",
            "states: faces, edges, vertices; arrows: switching times",
            automaton,
        ),
    )?;
    bench.write_figure("001-figure-17.dot", &automaton.to_dot("001-figure-17"))?;
    let picture = snapshots(
        "Three patches and a helix (001, figure 16)",
        &stage,
        &played,
        &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
        3.2,
    )?;
    bench.write_figure("001-figure-16.svg", &picture)?;
    let faces =
        ["S1", "S2", "S3"].iter().filter(|name| automaton.switches().iter().any(|s| s.to == **name)).count();
    let edges = automaton.switches().iter().filter(|s| s.to.starts_with('C')).count();
    Ok(Finding {
        ours: format!(
            "{}\nlargest difference from the certified distance: {}",
            told(automaton),
            number(played.worst)
        ),
        verdict: Judgement::of(faces == 3 && edges >= 3 && played.worst < 0.001),
    })
}

/// 001, figures 19 and 20.
pub(super) fn figures_19_and_20(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let stage =
        Stage::new(include_str!("../../../../scenes/001/figure-19.toml"), "scenes/001/figure-19.toml")?;
    let graphs = [FeatureGraph::of_body(&stage.tiled(0)?), FeatureGraph::of_body(&stage.tiled(1)?)];
    let names = [
        ["SA1", "SA2", "SA3", "CA1", "CA2", "CA3", "VA1", "VA2"],
        ["SB1", "SB2", "SB3", "CB1", "CB2", "CB3", "VB1", "VB2"],
    ];
    let [a, b] = graphs;
    let graphs = [a.renamed(&names[0]), b.renamed(&names[1])];
    let hybrid = Hybrid::new(graphs, [0, 1], settings(), [[0.5, 0.5], [0.5, 0.5]]);
    let played = played(&stage, hybrid, [3, 3], 5.0, 0.5)?;
    let [of_a, of_b] = played.hybrid.automata();
    let faces = ["SA1", "SA2", "SA3", "SB1", "SB2", "SB3"];
    bench.write_figure(
        "001-figure-20.svg",
        &figure("Two bodies of three patches (001, figure 20)", &faces, &played).to_svg(),
    )?;
    for (name, automaton) in [("a", of_a), ("b", of_b)] {
        let title = format!("Body {} of two bodies (001, figure 19)", name.to_uppercase());
        bench.write_figure(
            &format!("001-figure-19-{name}.svg"),
            &graph(&title, "states: faces, edges, vertices; arrows: switching times", automaton),
        )?;
        bench.write_figure(&format!("001-figure-19-{name}.dot"), &automaton.to_dot("001-figure-19"))?;
    }
    let picture = snapshots(
        "Two bodies of three patches (001, figure 19)",
        &stage,
        &played,
        &[0.5, 1.6, 2.7, 3.7, 4.9],
        5.5,
    )?;
    bench.write_figure("001-figure-19.svg", &picture)?;
    let along: Vec<&str> = of_a.switches().iter().map(|s| s.to.as_str()).collect();
    let through = along.windows(2).any(|pair| pair[0].starts_with("CA") && pair[1].starts_with("SA"));
    Ok(Finding {
        ours: format!(
            "A: {}\nB: {}\nlargest difference from the certified distance: {}",
            told(of_a),
            told(of_b),
            number(played.worst)
        ),
        verdict: Judgement::of(through && played.worst < 0.001),
    })
}
