//! The planar bodies of 001: a point on a spiral, figures 8 to 11, and two bodies, figures 12 to 15.

use super::sketch::{Sketch, graph, sheet};
use super::stage::Stage;
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::plot::{Axis, Chart, Figure, PALETTE, Panel, Series};
use crate::terminal::number;
use clearance_geometry::curve::ParametricCurve;
use clearance_geometry::{DVec2, PlanarPose, PlanarTiled, Pose};
use clearance_proximity::planar::{PlanarPrepared, local_minima, nearest};
use clearance_proximity::published::{Automaton, FeatureGraph, Hybrid, Method, OutlineTracker, Settings};

/// Steps per second of the simulations: slow motions.
const RATE: f64 = 100.0;

fn outline(body: &PlanarTiled, pose: &Pose) -> Vec<(f64, f64)> {
    let at = |k: usize| k as f64 / 40.0;
    let side = |k: usize| {
        let side = &body.sides()[k];
        let [from, to] = side.ends();
        (0..=40).map(move |j| side.curve.point(from + (to - from) * at(j)))
    };
    let all = (0..body.sides().len()).flat_map(side);
    all.map(|p| pose.apply(p.extend(0.0))).map(|p| (p.x, p.y)).collect()
}

fn pair(p: DVec2) -> (f64, f64) {
    (p.x, p.y)
}

/// The changes of an automaton in words.
fn told(automaton: &Automaton) -> String {
    let all: Vec<String> =
        automaton.switches().iter().map(|s| format!("{} to {} at {:.2}", s.from, s.to, s.time)).collect();
    all.join(", ")
}

/// Figures 8 to 11.
pub(super) fn figures_8_to_11(bench: &Bench<'_>) -> Result<Finding, Failure> {
    const DURATION: f64 = 100.0;
    let stage = Stage::new(include_str!("../../../../scenes/001/figure-8.toml"), "scenes/001/figure-8.toml")?;
    let body = stage.outline(0)?;
    let path = |time: f64| {
        let moment = stage.moment(time);
        let at = moment.pose_ab.translation();
        (at.truncate(), moment.at(at).truncate())
    };
    let settings = Settings { method: Method::Auto, gain: 2.0, rate: RATE, ..Settings::default() };
    let mut tracker = OutlineTracker::new(&body, settings, &["C1", "C2", "C3"], &["Vc", "Va", "Vb"]);
    let ready = PlanarPrepared::new(&body.clone().into())
        .map_err(|error| Failure::input("unsupported_pair", error.to_string()))?;
    let mut sketch = Sketch::new("100 snapshots", [-2.8, 2.9, -2.6, 2.2]);
    sketch.line(outline(&body, &Pose::IDENTITY), "#222222");
    let mut parameters: [Vec<(f64, f64)>; 3] = Default::default();
    let (mut worst, mut crossing, mut spiral) = (0.0_f64, f64::NAN, Vec::new());
    for step in 0..(DURATION * RATE) as u32 {
        let time = f64::from(step) / RATE;
        let inside = tracker.is_inside();
        tracker.step(&path, time);
        let now = time + 1.0 / RATE;
        if inside && !tracker.is_inside() && step > 0 {
            crossing = now;
        }
        let shown = |k: usize| if tracker.curve() == k { tracker.parameter(k) } else { f64::NAN };
        for (k, line) in parameters.iter_mut().enumerate() {
            line.push((now, shown(k)));
        }
        let point = path(now).0;
        spiral.push(pair(point));
        if (step + 1) % 100 == 0 {
            sketch.line(vec![pair(point), pair(tracker.witness())], PALETTE[5]);
            let (_, minima) = local_minima(&ready, point)
                .map_err(|error| Failure::input("unsupported_pair", error.to_string()))?;
            let truth = minima.first().map_or(f64::NAN, |minimum| minimum.distance);
            // The start is put wrong on purpose.
            if now > 5.0 {
                worst = worst.max((tracker.signed_distance().abs() - truth).abs());
            }
        }
    }
    sketch.line(spiral, PALETTE[1]);
    for (k, name) in ["Vc", "Va", "Vb"].iter().enumerate() {
        let corner = body.sides()[k].jet(body.sides()[k].ends()[0]).point;
        sketch.text(pair(corner * 1.12), *name, PALETTE[6]);
        // The lines between the outer Voronoi regions: the normals of both curves at the corner.
        let before = &body.sides()[(k + 2) % 3];
        let ends = [body.sides()[k].normal(body.sides()[k].ends()[0]), before.normal(before.ends()[1])];
        for normal in ends.into_iter().flatten() {
            sketch.dashes(vec![pair(corner), pair(corner + normal * 0.8)], "#999999");
        }
    }
    let automaton = tracker.automaton();
    let title = "A point on a spiral, inside and outside";
    bench.write_figure(
        "001-figure-10.svg",
        &sheet(
            &format!("{title} (001, figure 10)"),
            "orange: the point; blue: to its closest point",
            &[sketch],
            1,
            (720.0, 620.0),
        ),
    )?;
    bench.write_figure(
        "001-figure-9.svg",
        &graph(
            &format!("{title} (001, figure 9)"),
            "states: curves and corners; arrows: switching times",
            automaton,
        ),
    )?;
    bench.write_figure("001-figure-9.dot", &automaton.to_dot("001-figure-9"))?;
    bench.write_figure(
        "001-figure-11.svg",
        &parameter_figure("Curve parameters (001, figure 11)", &["u1", "u2", "u3"], &parameters).to_svg(),
    )?;
    let order: Vec<&str> = automaton.switches().iter().map(|s| s.to.as_str()).collect();
    let times: Vec<f64> = automaton.switches().iter().map(|s| s.time).collect();
    let near = |at: usize, printed: f64| times.get(at).is_some_and(|t| (t - printed).abs() < 4.0);
    let holds = order == ["C2", "C3", "Vc", "C1"] && near(0, 34.0) && near(2, 87.0) && near(3, 92.0);
    Ok(Finding {
        ours: format!(
            "{}; out of the body at {crossing:.2}, on C3\nlargest difference from the nearest of all feet: {}",
            told(automaton),
            number(worst)
        ),
        verdict: Judgement::of(holds && (crossing - 67.0).abs() < 4.0 && worst < 0.001),
    })
}

fn parameter_figure(title: &str, names: &[&str], lines: &[Vec<(f64, f64)>]) -> Figure {
    let mut figure =
        Figure::new(title, Axis::linear("time (s)")).subtitle("shown while the feature is active");
    for (name, line) in names.iter().zip(lines) {
        let mut chart =
            Chart::new(Axis::linear(*name).range(0.0, 1.0)).with(Series::line(*name, line.clone()));
        chart.height = 110.0;
        figure = figure.with(Panel::Chart(chart));
    }
    figure
}

/// Figures 12 to 15.
pub(super) fn figures_12_to_15(bench: &Bench<'_>) -> Result<Finding, Failure> {
    const DURATION: f64 = 40.0;
    let stage =
        Stage::new(include_str!("../../../../scenes/001/figure-12.toml"), "scenes/001/figure-12.toml")?;
    let bodies = [stage.outline(0)?, stage.outline(1)?];
    let graphs = [
        FeatureGraph::of_outline(&bodies[0]).renamed(&["C1", "C2", "C3", "V1", "V2", "V3"]),
        FeatureGraph::of_outline(&bodies[1]).renamed(&["Ca", "Cb", "Cc", "Va", "Vb", "Vc"]),
    ];
    let settings = Settings { method: Method::Auto, gain: 20.0, rate: RATE, ..Settings::default() };
    let mut hybrid = Hybrid::new(graphs, [0, 1], settings, [[0.5, 0.0]; 2]);
    let moments = |time: f64| stage.moment(time);
    let mut parameters: [Vec<(f64, f64)>; 6] = Default::default();
    let (mut worst, mut sketches) = (0.0_f64, Vec::new());
    for step in 0..(DURATION * RATE) as u32 {
        let time = f64::from(step) / RATE;
        hybrid.step(&moments, time);
        let now = time + 1.0 / RATE;
        let (active, at) = (hybrid.active(), hybrid.parameters());
        for (k, line) in parameters.iter_mut().enumerate() {
            let (side, curve) = (k / 3, k % 3);
            line.push((now, if active[side] == curve { at[side][0] } else { f64::NAN }));
        }
        let pose = stage.pose(now);
        let state = hybrid.state(&pose);
        if now > 1.0 && (step + 1) % 20 == 0 {
            let (sin, cos) = (pose.rotation().x_axis.y, pose.rotation().x_axis.x);
            let planar = PlanarPose::from_cos_sin(cos, sin, pose.translation().truncate())
                .map_err(|error| Failure::input("bad_rotation", error.to_string()))?;
            let truth = nearest(&bodies[0].clone().into(), &bodies[1].clone().into(), &planar, None)
                .map_err(|error| Failure::input("unsupported_pair", error.to_string()))?;
            worst = worst.max((truth.distance - state.distance()).abs());
        }
        // Twelve snapshots, at irregular times as in the paper.
        if sketches.len() < 12 && now >= SNAPSHOTS[sketches.len()] {
            let title =
                format!("{}: t = {now:.1}, {} {}", sketches.len() + 1, hybrid.names()[0], hybrid.names()[1]);
            let mut sketch = Sketch::new(title, [-5.7, 6.2, -5.6, 6.0]);
            sketch.line(outline(&bodies[0], &Pose::IDENTITY), PALETTE[0]);
            sketch.line(outline(&bodies[1], &pose), PALETTE[1]);
            sketch.line(state.points.iter().map(|p| (p.x, p.y)).collect(), "#222222");
            sketches.push(sketch);
        }
    }
    let [of_a, of_b] = hybrid.automata();
    bench.write_figure(
        "001-figure-14.svg",
        &sheet(
            "Two planar bodies (001, figure 14)",
            "the closest points and the active curves or vertices",
            &sketches,
            4,
            (250.0, 270.0),
        ),
    )?;
    bench.write_figure(
        "001-figure-15.svg",
        &parameter_figure(
            "Curve parameters (001, figure 15)",
            &["u1", "u2", "u3", "ra", "rb", "rc"],
            &parameters,
        )
        .to_svg(),
    )?;
    for (name, automaton) in [("a", of_a), ("b", of_b)] {
        let title = format!("Body {} (001, figure 13)", name.to_uppercase());
        bench.write_figure(
            &format!("001-figure-13-{name}.svg"),
            &graph(&title, "states: curves and corners; arrows: switching times", automaton),
        )?;
        bench.write_figure(&format!("001-figure-13-{name}.dot"), &automaton.to_dot("001-figure-13"))?;
    }
    let used = |automaton: &Automaton| {
        automaton.states().iter().filter(|name| automaton.switches().iter().any(|s| s.to == **name)).count()
    };
    Ok(Finding {
        ours: format!(
            "A: {}\nB: {}\nlargest difference from the certified distance: {}",
            told(of_a),
            told(of_b),
            number(worst)
        ),
        verdict: Judgement::of(worst < 0.001 && used(of_a) >= 5 && used(of_b) == 6 && sketches.len() == 12),
    })
}

/// Seconds.
const SNAPSHOTS: [f64; 12] = [1.0, 3.5, 7.0, 10.0, 13.0, 17.0, 20.0, 24.0, 28.0, 31.0, 35.0, 39.0];
