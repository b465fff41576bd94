//! The planar bodies of 001: a point on a spiral, figures 8 to 11, and two bodies, figures 12 to 15.

use super::sketch::{Sketch, graph, sheet};
use super::stage::Stage;
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::plot::{Axis, Chart, Figure, PALETTE, Panel, Series};
use crate::terminal::number;
use clearance_geometry::curve::ParametricCurve;
use clearance_geometry::{DVec2, PlanarPose, PlanarTiled, Pose};
use clearance_proximity::QueryError;
use clearance_proximity::planar::{PlanarPrepared, local_minima, nearest};
use clearance_proximity::published::{Automaton, FeatureGraph, Hybrid, Method, OutlineTracker, Settings};

/// Steps per second of the simulations: slow motions.
const RATE: f64 = 100.0;

/// How far a witness may be from the certified distance; motions are of the order of 1.
const CLOSE: f64 = 0.001;

const STATES: &str = "states: curves and corners; arrows: switching times";

fn failed(error: &QueryError) -> Failure {
    Failure::input("unsupported_pair", error.to_string())
}

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

/// What the point on the spiral did.
struct Spiral {
    tracker: OutlineTracker,
    /// Where the point and its witness were, once per second.
    snapshots: Vec<[DVec2; 2]>,
    path: Vec<(f64, f64)>,
    /// When it left the body.
    crossing: f64,
    /// The largest difference from the nearest of all feet.
    worst: f64,
    parameters: [Vec<(f64, f64)>; 3],
}

fn spiral(stage: &Stage, body: &PlanarTiled) -> Result<Spiral, Failure> {
    const DURATION: f64 = 100.0;
    let path = |time: f64| {
        let moment = stage.moment(time);
        let at = moment.pose_ab.translation();
        (at.truncate(), moment.at(at).truncate())
    };
    let settings = Settings { method: Method::Auto, gain: 2.0, rate: RATE, ..Settings::default() };
    let ready = PlanarPrepared::new(&body.clone().into()).map_err(|error| failed(&error))?;
    let mut played = Spiral {
        tracker: OutlineTracker::new(body, settings, &["C1", "C2", "C3"], &["Vc", "Va", "Vb"]),
        snapshots: Vec::new(),
        path: Vec::new(),
        crossing: f64::NAN,
        worst: 0.0,
        parameters: Default::default(),
    };
    for step in 0..(DURATION * RATE) as u32 {
        let inside = played.tracker.is_inside();
        played.tracker.step(&path, f64::from(step) / RATE);
        let now = f64::from(step + 1) / RATE;
        let tracker = &played.tracker;
        if inside && !tracker.is_inside() && step > 0 {
            played.crossing = now;
        }
        for (k, line) in played.parameters.iter_mut().enumerate() {
            line.push((now, if tracker.curve() == k { tracker.parameter(k) } else { f64::NAN }));
        }
        let point = path(now).0;
        played.path.push(pair(point));
        if (step + 1) % RATE as u32 == 0 {
            played.snapshots.push([point, tracker.witness()]);
            let (_, minima) = local_minima(&ready, point).map_err(|error| failed(&error))?;
            let truth = minima.first().map_or(f64::NAN, |minimum| minimum.distance);
            // The start is wrong on purpose, and the gain low, as in the paper.
            if now > 5.0 {
                played.worst = played.worst.max((tracker.signed_distance().abs() - truth).abs());
            }
        }
    }
    Ok(played)
}

/// The body, the point and its witnesses, and the lines between the outer Voronoi regions.
fn spiral_figure(body: &PlanarTiled, played: &Spiral) -> String {
    let mut sketch = Sketch::new("100 snapshots", [-2.8, 2.9, -2.6, 2.2]);
    sketch.line(outline(body, &Pose::IDENTITY), "#222222");
    for [point, witness] in &played.snapshots {
        sketch.line(vec![pair(*point), pair(*witness)], PALETTE[5]);
    }
    sketch.line(played.path.clone(), PALETTE[1]);
    for (k, name) in ["Vc", "Va", "Vb"].iter().enumerate() {
        let side = &body.sides()[k];
        let corner = side.jet(side.ends()[0]).point;
        // The normals of both curves at the corner.
        let before = &body.sides()[(k + 2) % 3];
        let normals = [side.normal(side.ends()[0]), before.normal(before.ends()[1])];
        for normal in normals.into_iter().flatten() {
            sketch.dashes(vec![pair(corner), pair(corner + normal * 0.8)], "#999999");
        }
        sketch.text(pair(corner * 0.9), *name, PALETTE[6]);
        let middle = side.jet(side.range.middle()).point;
        sketch.text(pair(middle * 1.12), format!("C{}", k + 1), PALETTE[6]);
    }
    let subtitle = "orange: the point; blue: to its closest point; dashed: between outer Voronoi regions";
    sheet("A point on a spiral, inside and outside (001, figure 10)", subtitle, &[sketch], 1, (720.0, 620.0))
}

/// Figures 8 to 11.
pub(super) fn figures_8_to_11(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let stage = Stage::new(include_str!("../../../../scenes/001/figure-8.toml"), "scenes/001/figure-8.toml")?;
    let body = stage.outline(0)?;
    let played = spiral(&stage, &body)?;
    let automaton = played.tracker.automaton();
    bench.write_figure("001-figure-10.svg", &spiral_figure(&body, &played))?;
    bench.write_figure(
        "001-figure-9.svg",
        &graph("A point on a spiral, inside and outside (001, figure 9)", STATES, automaton),
    )?;
    bench.write_figure("001-figure-9.dot", &automaton.to_dot("001-figure-9"))?;
    let parameters =
        parameter_figure("Curve parameters (001, figure 11)", &["u1", "u2", "u3"], &played.parameters);
    bench.write_figure("001-figure-11.svg", &parameters.to_svg())?;
    let order: Vec<&str> = automaton.switches().iter().map(|s| s.to.as_str()).collect();
    let times: Vec<f64> = automaton.switches().iter().map(|s| s.time).collect();
    let near = |at: usize, printed: f64| times.get(at).is_some_and(|t| (t - printed).abs() < 2.0);
    let holds = order == ["C2", "C3", "Vc", "C1"] && near(0, 34.0) && near(2, 87.0) && near(3, 92.0);
    Ok(Finding {
        ours: format!(
            "{}; out of the body at {:.2}, on C3\nlargest difference from the nearest of all feet: {}",
            told(automaton),
            played.crossing,
            number(played.worst)
        ),
        verdict: Judgement::of(holds && (played.crossing - 67.0).abs() < 2.0 && played.worst < CLOSE),
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

/// When the twelve snapshots are taken, at irregular times as in the paper; seconds.
const SNAPSHOTS: [f64; 12] = [1.0, 3.5, 7.0, 10.0, 13.0, 17.0, 20.0, 24.0, 28.0, 31.0, 35.0, 39.0];

/// What the two bodies did.
struct Dance {
    hybrid: Hybrid,
    sketches: Vec<Sketch>,
    /// The largest difference from the certified distance.
    worst: f64,
    parameters: [Vec<(f64, f64)>; 6],
}

fn dance(stage: &Stage) -> Result<Dance, Failure> {
    const DURATION: f64 = 40.0;
    let bodies = [stage.outline(0)?, stage.outline(1)?];
    let graphs = [
        FeatureGraph::of_outline(&bodies[0]).renamed(&["C1", "C2", "C3", "V1", "V2", "V3"]),
        FeatureGraph::of_outline(&bodies[1]).renamed(&["Ca", "Cb", "Cc", "Va", "Vb", "Vc"]),
    ];
    let settings = Settings { method: Method::Auto, gain: 20.0, rate: RATE, ..Settings::default() };
    let hybrid = Hybrid::new(graphs, [0, 1], settings, [[0.5, 0.0]; 2]);
    let mut dance = Dance { hybrid, sketches: Vec::new(), worst: 0.0, parameters: Default::default() };
    for step in 0..(DURATION * RATE) as u32 {
        dance.hybrid.step(&|time: f64| stage.moment(time), f64::from(step) / RATE);
        let now = f64::from(step + 1) / RATE;
        let (active, at) = (dance.hybrid.active(), dance.hybrid.parameters());
        for (k, line) in dance.parameters.iter_mut().enumerate() {
            let (side, curve) = (k / 3, k % 3);
            line.push((now, if active[side] == curve { at[side][0] } else { f64::NAN }));
        }
        let pose = stage.pose(now);
        let state = dance.hybrid.state(&pose);
        if now > 1.0 && (step + 1) % 20 == 0 {
            dance.worst = dance.worst.max((planar_truth(&bodies, &pose)? - state.distance()).abs());
        }
        if dance.sketches.len() < SNAPSHOTS.len() && now >= SNAPSHOTS[dance.sketches.len()] {
            let [of_a, of_b] = dance.hybrid.names();
            let title = format!("{}: t = {now:.1}, {of_a} {of_b}", dance.sketches.len() + 1);
            let mut sketch = Sketch::new(title, [-5.7, 6.2, -5.6, 6.0]);
            sketch.line(outline(&bodies[0], &Pose::IDENTITY), PALETTE[0]);
            sketch.line(outline(&bodies[1], &pose), PALETTE[1]);
            sketch.line(state.points.iter().map(|p| (p.x, p.y)).collect(), "#222222");
            dance.sketches.push(sketch);
        }
    }
    Ok(dance)
}

/// The certified distance of two planar bodies.
fn planar_truth(bodies: &[PlanarTiled; 2], pose: &Pose) -> Result<f64, Failure> {
    let x = pose.rotation().x_axis;
    let planar = PlanarPose::from_cos_sin(x.x, x.y, pose.translation().truncate())
        .map_err(|error| Failure::input("bad_rotation", error.to_string()))?;
    let found = nearest(&bodies[0].clone().into(), &bodies[1].clone().into(), &planar, None);
    Ok(found.map_err(|error| failed(&error))?.distance)
}

/// Figures 12 to 15.
pub(super) fn figures_12_to_15(bench: &Bench<'_>) -> Result<Finding, Failure> {
    let stage =
        Stage::new(include_str!("../../../../scenes/001/figure-12.toml"), "scenes/001/figure-12.toml")?;
    let dance = dance(&stage)?;
    let [of_a, of_b] = dance.hybrid.automata();
    let subtitle = "the closest points and the active curves or vertices";
    bench.write_figure(
        "001-figure-14.svg",
        &sheet("Two planar bodies (001, figure 14)", subtitle, &dance.sketches, 4, (250.0, 270.0)),
    )?;
    let names = ["u1", "u2", "u3", "ra", "rb", "rc"];
    let parameters = parameter_figure("Curve parameters (001, figure 15)", &names, &dance.parameters);
    bench.write_figure("001-figure-15.svg", &parameters.to_svg())?;
    for (name, automaton) in [("a", of_a), ("b", of_b)] {
        let title = format!("Body {} (001, figure 13)", name.to_uppercase());
        bench.write_figure(&format!("001-figure-13-{name}.svg"), &graph(&title, STATES, automaton))?;
        bench.write_figure(&format!("001-figure-13-{name}.dot"), &automaton.to_dot("001-figure-13"))?;
    }
    let used = |automaton: &Automaton| {
        let entered = |name: &&String| automaton.switches().iter().any(|s| s.to == **name);
        automaton.states().iter().filter(entered).count()
    };
    let complete = dance.sketches.len() == SNAPSHOTS.len();
    Ok(Finding {
        ours: format!(
            "A: {}\nB: {}\nlargest difference from the certified distance: {}",
            told(of_a),
            told(of_b),
            number(dance.worst)
        ),
        verdict: Judgement::of(dance.worst < CLOSE && used(of_a) >= 5 && used(of_b) == 6 && complete),
    })
}
