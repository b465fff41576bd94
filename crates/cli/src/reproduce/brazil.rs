//! Figure 16 of 002, of a work that it cites: 270 bodies in a box that is shaken, the large one rises. The same with polyhedra,
//! which 002's future work asks for.
//!
//! 002 prints neither sizes nor motions. Those here are ours; the scenes with seed 1 stand in `scenes/002`.

use super::bodies::Random;
use super::sketch::{Sketch, sheet};
use super::{Bench, Finding, Judgement};
use crate::failure::Failure;
use crate::plot::{Axis, Chart, Figure, PALETTE, Panel, Series};
use crate::track;
use clearance_formats::run_simulation;
use clearance_geometry::DVec3;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// Bodies in the box, the large one among them.
const BODIES: usize = 270;
/// The side of the box, and the radii of small bodies and of the large one.
const SIDE: f64 = 6.0;
const SMALL: f64 = 0.5;
const LARGE: f64 = 1.5;
/// The planes of the box come first in a scene, then the large body.
const PLANES: usize = 5;
/// Shakes of a run, one per second, and those of a quick one.
const SHAKES: usize = 60;
const QUICK_SHAKES: usize = 1;
/// Starts.
const STARTS: u64 = 3;
/// Steps per shake.
const STEPS: u64 = 50;
/// Part of a shake at which heights are read: the box has come up again and the bed lies on its floor.
const READ_AT: u64 = 15;
/// The share of small bodies below its centre at which the large one has emerged.
const EMERGED: f64 = 0.8;
/// "After about 40 shakes" is taken as some tens.
const TENS: std::ops::RangeInclusive<usize> = 5..=100;

/// What the bodies are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Balls,
    Polyhedra,
}

impl Kind {
    /// A body of the given radius, as a shape of a scene.
    fn shape(self, radius: f64) -> String {
        match self {
            Self::Balls => format!("kind = \"sphere\"\nradius = {radius}\n"),
            Self::Polyhedra => {
                // An icosahedron.
                let golden = (1.0 + 5_f64.sqrt()) / 2.0;
                let scale = radius / golden.hypot(1.0);
                let mut points = Vec::new();
                for one in [-1.0, 1.0] {
                    for two in [-golden, golden] {
                        points.extend([[0.0, one, two], [one, two, 0.0], [two, 0.0, one]]);
                    }
                }
                let text = |p: [f64; 3]| {
                    let [x, y, z] = p.map(|x| format!("{:.6}", x * scale));
                    format!("[{x}, {y}, {z}]")
                };
                let points: Vec<String> = points.into_iter().map(text).collect();
                format!("kind = \"polytope\"\npoints = [{}]\n", points.join(", "))
            }
        }
    }

    const fn file(self) -> &'static str {
        match self {
            Self::Balls => "scenes/002/brazil-nut.toml",
            Self::Polyhedra => "scenes/002/brazil-nut-polyhedra.toml",
        }
    }

    const fn row(self) -> &'static str {
        match self {
            Self::Balls => "002-figure-16",
            Self::Polyhedra => "002-brazil-nut-polyhedra",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Balls => "Brazil nut, balls",
            Self::Polyhedra => "Brazil nut, icosahedra",
        }
    }
}

pub(super) fn balls(bench: &Bench<'_>) -> Result<Finding, Failure> {
    shaken(Kind::Balls, bench)
}

pub(super) fn polyhedra(bench: &Bench<'_>) -> Result<Finding, Failure> {
    shaken(Kind::Polyhedra, bench)
}

/// The scene with a start of its own for every seed.
fn scene_text(kind: Kind, seed: u64) -> String {
    let mut text = format!(
        "# Figure 16 of 002: {BODIES} bodies in a box that is shaken once per second; the large one starts on the floor and rises.\n\
         # Sizes and motion are ours, 002 prints none. Written by `clearance reproduce`'s own maker of starts, seed {seed}.\n\
         title = \"{}\"\n\n[shape.small]\n{}\n[shape.large]\n{}\n",
        kind.title(),
        kind.shape(SMALL),
        kind.shape(LARGE)
    );
    let planes = [
        ("floor", [0, 0, 1], 0.0),
        ("wall-west", [1, 0, 0], 0.0),
        ("wall-east", [-1, 0, 0], -SIDE),
        ("wall-south", [0, 1, 0], 0.0),
        ("wall-north", [0, -1, 0], -SIDE),
    ];
    for (name, normal, offset) in planes {
        let _ = writeln!(
            text,
            "[body.{name}]\nshape = {{ kind = \"half_space\", normal = {normal:?}, offset = {offset} }}\nfixed = true\n"
        );
    }
    let mut random = Random::new(seed);
    for (at, place) in places(&mut random).into_iter().enumerate() {
        let (name, shape) =
            if at == 0 { ("large".to_owned(), "large") } else { (format!("small-{at}"), "small") };
        let [x, y, z] = place.to_array().map(|x| format!("{x:.4}"));
        let axis = random.direction();
        let [a, b, c] = (axis / axis.length()).to_array().map(|x| format!("{x:.8}"));
        let turn = match kind {
            Kind::Balls => String::new(),
            Kind::Polyhedra => format!(", axis_angle = [{a}, {b}, {c}, {:.1}]", 180.0 * random.signed()),
        };
        let _ = writeln!(
            text,
            "[body.{name}]\nshape = \"{shape}\"\npose = {{ translation = [{x}, {y}, {z}]{turn} }}\ndensity = 1000\n"
        );
    }
    let _ = write!(
        text,
        "[simulation]\nstep = {}\nduration = {SHAKES}\nfriction = 0.6\nshake = {{ amplitude = [0, 0, 2], frequency = 1 }}\n",
        1.0 / STEPS as f64
    );
    text
}

/// Where the bodies start: the large one in the middle of the floor, layers of small ones around and above it, each a little
/// off its place.
fn places(random: &mut Random) -> Vec<DVec3> {
    let large = DVec3::new(SIDE / 2.0, SIDE / 2.0, LARGE + 0.01);
    let mut places = vec![large];
    let per_row = (SIDE / (2.1 * SMALL)).floor() as usize;
    let apart = SIDE / per_row as f64;
    let mut layer = 0;
    while places.len() < BODIES {
        for at in 0..per_row * per_row {
            let (x, y) = ((at % per_row) as f64 + 0.5, (at / per_row) as f64 + 0.5);
            let off = random.vector() * 0.02 + DVec3::Z * 0.03;
            let place = DVec3::new(x * apart, y * apart, SMALL + 2.1 * SMALL * f64::from(layer)) + off;
            if places.len() < BODIES && place.distance(large) > LARGE + SMALL {
                places.push(place);
            }
        }
        layer += 1;
    }
    places
}

/// What a run shows: after every shake, where the large body is, and where all are at four moments.
struct Shown {
    /// Height of its centre, and the share of small bodies below it.
    heights: Vec<(f64, f64)>,
    frames: Vec<(usize, Vec<DVec3>)>,
    overlap: [f64; 2],
    /// Whether all bodies were in the box whenever it was looked at.
    held: bool,
}

impl Shown {
    /// The first shake after which it has emerged.
    fn emerged(&self) -> Option<usize> {
        self.heights.iter().position(|at| at.1 >= EMERGED)
    }
}

fn played(kind: Kind, seed: u64, shakes: usize) -> Result<Shown, Failure> {
    let scene = track::scene(&scene_text(kind, seed), kind.file())?;
    let mut simulation = scene.simulation()?;
    simulation.frames = shakes as u64 * STEPS + READ_AT + 1;
    let mut shown = Shown { heights: Vec::new(), frames: Vec::new(), overlap: [0.0; 2], held: true };
    let wanted = [0, shakes / 3, 2 * shakes / 3, shakes];
    let summary = run_simulation(&simulation, |frame| {
        if frame.index % STEPS == READ_AT {
            let places: Vec<DVec3> =
                frame.world.bodies()[PLANES..].iter().map(|body| body.position()).collect();
            let below = places[1..].iter().filter(|place| place.z < places[0].z).count();
            let inside = |p: &DVec3| p.min_element() > 0.0 && p.x.max(p.y) < SIDE;
            shown.held &= places.iter().all(inside);
            let shake = shown.heights.len();
            shown.heights.push((places[0].z, below as f64 / (BODIES - 1) as f64));
            if wanted.contains(&shake) {
                shown.frames.push((shake, places));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    shown.overlap = summary.infeasibility;
    Ok(shown)
}

fn shaken(kind: Kind, bench: &Bench<'_>) -> Result<Finding, Failure> {
    let (shakes, starts) = if bench.quick { (QUICK_SHAKES, 1) } else { (SHAKES, STARTS) };
    let mut runs = Vec::new();
    for start in 0..starts {
        bench.say(kind.row(), &format!("start {} of {starts}", start + 1));
        runs.push(played(kind, bench.seed + start, shakes)?);
    }
    bench.write_figure(&format!("{}.svg", kind.row()), &figure(kind, &runs).to_svg())?;
    if kind == Kind::Balls {
        bench.write_figure(&format!("{}-frames.svg", kind.row()), &frames(kind, &runs[0]))?;
    }
    let mut emerged: Vec<usize> = runs.iter().map(|run| run.emerged().unwrap_or(usize::MAX)).collect();
    emerged.sort_unstable();
    let middle = emerged[emerged.len() / 2];
    let said = |shake: &usize| if *shake == usize::MAX { "not".to_owned() } else { shake.to_string() };
    let said: Vec<String> = emerged.iter().map(said).collect();
    let rise =
        |run: &Shown| run.heights.last().map_or(0.0, |at| at.0) - run.heights.first().map_or(0.0, |at| at.0);
    let ours = format!(
        "shakes after which {:.0} % of the small bodies are below the centre of the large one: {} ({starts} starts, at most {shakes} shakes)\n\
         it rose by {} of its radius {LARGE}\noverlap at most {:.1e}, {:.1e} in the mean, of bodies of radius {SMALL}",
        100.0 * EMERGED,
        said.join(", "),
        runs.iter().map(|run| format!("{:.2}", rise(run) / LARGE)).collect::<Vec<_>>().join(", "),
        runs.iter().map(|run| run.overlap[1]).fold(0.0, f64::max),
        runs.iter().map(|run| run.overlap[0]).sum::<f64>() / runs.len() as f64,
    );
    // A quick run is over before anything rises, and says so.
    let ours = if bench.quick { ours + "\na quick run: only that no body is lost is judged" } else { ours };
    let held = runs.iter().all(|run| run.held);
    let verdict = Judgement::of(held && (bench.quick || TENS.contains(&middle)));
    Ok(Finding { ours, verdict })
}

fn figure(kind: Kind, runs: &[Shown]) -> Figure {
    let mut heights = Chart::new(Axis::linear("height of the large body"));
    let mut shares = Chart::new(Axis::linear("share of small bodies below it"));
    for (at, run) in runs.iter().enumerate() {
        let line = |value: &dyn Fn(&(f64, f64)) -> f64| {
            let points =
                run.heights.iter().enumerate().map(|(shake, at)| (shake as f64, value(at))).collect();
            Series::line(format!("start {}", at + 1), points).color(PALETTE[at % PALETTE.len()])
        };
        heights = heights.with(line(&|at| at.0));
        shares = shares.with(line(&|at| at.1));
    }
    Figure::new(format!("{}: 002, figure 16", kind.title()), Axis::linear("shakes"))
        .subtitle(format!("{BODIES} bodies, one of them three times as large; sizes and motion ours"))
        .with(Panel::Chart(heights))
        .with(Panel::Chart(shares))
}

/// A cut through the middle of the box.
fn frames(kind: Kind, run: &Shown) -> String {
    let high = run.frames.iter().flat_map(|frame| &frame.1).map(|place| place.z).fold(SIDE, f64::max) + LARGE;
    let sketches: Vec<Sketch> = run
        .frames
        .iter()
        .map(|(shake, places)| {
            let mut sketch = Sketch::new(format!("{shake} shakes"), [0.0, SIDE, 0.0, high]);
            for (at, place) in places.iter().enumerate() {
                let (radius, color) = if at == 0 { (LARGE, PALETTE[1]) } else { (SMALL, PALETTE[0]) };
                let off = place.y - SIDE / 2.0;
                if off.abs() < radius {
                    let cut = (radius * radius - off * off).sqrt();
                    let around = |k: usize| {
                        let (sin, cos) = (std::f64::consts::TAU * k as f64 / 20.0).sin_cos();
                        (place.x + cut * cos, place.z + cut * sin)
                    };
                    sketch.area((0..20).map(around).collect(), color, 0.6);
                }
            }
            sketch.frame(PALETTE[6]);
            sketch
        })
        .collect();
    let wide = 960.0 / 4.0;
    sheet(
        &format!("{}: 002, figure 16", kind.title()),
        "a cut through the middle of the box",
        &sketches,
        4,
        (wide, wide * high / SIDE + 44.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_those_of_the_first_seed() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for kind in [Kind::Balls, Kind::Polyhedra] {
            let file = root.join(kind.file());
            if std::env::var_os("CLEARANCE_WRITE_BOOK").is_some() {
                std::fs::write(&file, scene_text(kind, 1)).unwrap();
            }
            assert_eq!(std::fs::read_to_string(file).unwrap(), scene_text(kind, 1));
        }
    }

    #[test]
    fn starts_do_not_overlap() {
        for seed in 0..20 {
            let places = places(&mut Random::new(seed));
            assert_eq!(places.len(), BODIES);
            for (at, one) in places.iter().enumerate() {
                let radius = if at == 0 { LARGE } else { SMALL };
                assert!(one.min_element() > radius - 1e-12 && one.x.max(one.y) < SIDE - radius);
                assert!(places[at + 1..].iter().all(|two| one.distance(*two) > radius + SMALL));
            }
        }
    }
}
