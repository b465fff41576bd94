//! `cargo xtask bench NAME`: ours and the peers in one run.

use clearance_bench::bicubic;
use clearance_bench::certified;
use clearance_bench::counts::{self, COUNTED};
use clearance_bench::figure_003;
use clearance_bench::lineup::{HAS_COAL, lineup};
use clearance_bench::measure::{Plan, Row, measure};
use clearance_bench::report::{self, Target};
use clearance_bench::shape::{FAMILIES, Shape};
use clearance_bench::stream::{Pace, Scene};
use clearance_bench::tracking;
use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "usage: clearance-bench NAME [BODIES…]
  distance     tracked distance with witnesses and features, bodies apart
  cold         one-shot distance, unrelated poses
  depth        exact penetration depth, tracked and one-shot
  counts       instructions per query by callgrind, for some of the cells above
  bicubic      point and derivatives of a bicubic surface, beside curvo and textbook methods
  step         STEP files to checked bodies, beside step-io's parse (needs the feature `step`)
  certified    proven distance of curved bodies and points on surfaces, beside Open CASCADE; takes
               --poses N, --points N, --limit SECONDS, and groups: primitives splines tea step projection
  dynamics     time per step and overlap of boxes, hulls and a chain, beside rapier and MuJoCo (needs the
               feature `dynamics`); takes a word of a scene's name or `scaling`, `--hulls N` and
               `--no-mujoco`
  tracking     tracked updates of curved bodies, in bicubic evaluations; takes --blocks N, --asked N (poses for Open
               CASCADE, none with 0), --limit SECONDS, and names of pairs
  figure-003   time and feature pairs against vertices, with and without initialisation, as SVG
  smoke        all of the above but `step`, `dynamics`, `certified` and `tracking` once, with tiny counts; writes nothing
BODIES limits a run to some families and leaves the recorded results alone.";

const TRACKED: [f64; 4] = [0.1, 1.0, 10.0, 90.0];

/// One benchmark: what it runs and what it is asked to reach.
struct Bench {
    name: &'static str,
    scene: Scene,
    paces: Vec<Pace>,
    targets: Vec<Target>,
}

fn bench(name: &str) -> Option<Bench> {
    let tracked = || TRACKED.map(Pace::Degrees).to_vec();
    let target = |pace, mean, least| Target { pace, mean, least };
    Some(match name {
        "distance" => Bench {
            name: "distance",
            scene: Scene::Separated,
            paces: tracked(),
            targets: vec![
                target("0.1°", 10.0, Some(5.0)),
                target("1°", 10.0, Some(5.0)),
                target("10°", 3.0, None),
                target("90°", 2.0, None),
            ],
        },
        "cold" => Bench {
            name: "cold",
            scene: Scene::Separated,
            paces: vec![Pace::Cold],
            targets: vec![target("cold", 2.0, None)],
        },
        "depth" => Bench {
            name: "depth",
            scene: Scene::Overlapping,
            paces: [tracked(), vec![Pace::Cold]].concat(),
            targets: vec![
                target("0.1°", 10.0, None),
                target("1°", 10.0, None),
                target("10°", 10.0, None),
                target("90°", 10.0, None),
                target("cold", 3.0, None),
            ],
        },
        _ => return None,
    })
}

fn rows(bench: &Bench, families: &[&str], plan: Plan) -> Vec<Row> {
    let mut rows = Vec::new();
    for family in families {
        let shape = Shape::named(family).unwrap_or_else(|| panic!("no bodies are called {family}"));
        for &pace in &bench.paces {
            let row = measure(&shape, bench.scene, pace, lineup(&shape, bench.scene, pace), plan);
            eprintln!(
                "{} {family} {}: {:.0} ns, {:.1}×, error {:.0e}",
                bench.name,
                pace.label(),
                row.columns[0].median,
                row.ratio(),
                row.columns[0].error.distance
            );
            rows.push(row);
        }
    }
    rows
}

fn text(bench: &Bench, rows: &[Row]) -> String {
    let mut text = format!("`cargo xtask bench {}`\n\n", bench.name);
    text.push_str(&report::summary(rows, &bench.targets));
    if let Some(growth) = report::growth(rows, "0.1°") {
        text.push_str(&format!("\nFrom 42 to 10,242 vertices at 0.1° our time grows {growth:.2}×.\n"));
    }
    for &pace in &bench.paces {
        text.push_str(&format!("\n### {} at {}\n\n", bench.name, pace.label()));
        text.push_str(&report::table(rows, &pace.label()));
    }
    text
}

fn run(name: &str, only: &[&str]) -> Result<(), Box<dyn Error>> {
    let bench = bench(name).ok_or(USAGE)?;
    let families = if only.is_empty() { &FAMILIES[..] } else { only };
    let rows = rows(&bench, families, Plan::FULL);
    let text = text(&bench, &rows);
    println!("{text}");
    if only.is_empty() && HAS_COAL {
        println!("wrote {}", report::write_json(name, &report::json(name, &rows))?.display());
        println!("wrote {}", report::write_section(name, &text)?.display());
    }
    Ok(())
}

fn smoke() {
    for name in ["distance", "cold", "depth"] {
        let Some(bench) = bench(name) else { continue };
        let rows = rows(&bench, &["ico42", "cube8", "cylinder32", "long10-162"], Plan::SMOKE);
        println!("{}", text(&bench, &rows));
    }
    println!("{}", bicubic::text(&bicubic::rows(bicubic::Plan::SMOKE)));
    for (name, svg) in figure_003::figures(Plan::SMOKE, 2) {
        println!("{name}: {} bytes", svg.len());
    }
}

fn count(only: &[&str]) -> Result<(), Box<dyn Error>> {
    let (value, text) = counts::counts(if only.is_empty() { &COUNTED } else { only })?;
    println!("{text}");
    if only.is_empty() && HAS_COAL {
        println!("wrote {}", report::write_json("counts", &value)?.display());
        println!("wrote {}", report::write_section("counts", &text)?.display());
    }
    Ok(())
}

fn bicubic() -> Result<(), Box<dyn Error>> {
    let rows = bicubic::rows(bicubic::Plan::FULL);
    let text = bicubic::text(&rows);
    println!("{text}");
    println!("wrote {}", report::write_json("bicubic", &bicubic::json(&rows))?.display());
    println!("wrote {}", report::write_section("bicubic", &text)?.display());
    Ok(())
}

fn certify(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let plan = certified::Plan::from_words(words)?;
    let measured = certified::measure(&plan)?;
    let text = certified::report::text(&measured);
    println!("{text}");
    if plan.is_whole() && measured.occt.is_some() {
        let figure = report::root().join("docs/figures/certified.svg");
        std::fs::write(&figure, certified::report::svg(&measured))?;
        println!("wrote {}", figure.display());
        println!("wrote {}", report::write_json("certified", &certified::report::json(&measured))?.display());
        println!("wrote {}", report::write_section("certified", &text)?.display());
    }
    Ok(())
}

fn track(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let plan = tracking::Plan::from_words(words)?;
    let measured = tracking::measure(&plan)?;
    let text = tracking::report::text(&measured);
    println!("{text}");
    if plan.is_whole() && measured.occt.is_some() {
        println!("wrote {}", report::write_json("tracking", &tracking::report::json(&measured))?.display());
        println!("wrote {}", report::write_section("tracking", &text)?.display());
    }
    Ok(())
}

#[cfg(feature = "step")]
fn step() -> Result<(), Box<dyn Error>> {
    let rows = clearance_bench::step::rows()?;
    let text = clearance_bench::step::text(&rows);
    println!("{text}");
    println!("wrote {}", report::write_json("step", &clearance_bench::step::json(&rows))?.display());
    println!("wrote {}", report::write_section("step", &text)?.display());
    Ok(())
}

#[cfg(not(feature = "step"))]
fn step() -> Result<(), Box<dyn Error>> {
    Err("built without the feature `step`; `cargo xtask bench step` builds with it".into())
}

#[cfg(feature = "dynamics")]
fn dynamics(words: &[&str]) -> Result<(), Box<dyn Error>> {
    use clearance_bench::dynamics::{Plan, json, rows, scaling, text};
    let (mut plan, mut scene, mut with_mujoco) = (Plan::FULL, "", true);
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--hulls" => plan.hulls = words.next().ok_or(USAGE)?.parse()?,
            "--smoke" => plan = Plan::SMOKE,
            "--no-mujoco" => with_mujoco = false,
            other => scene = other,
        }
    }
    let rows = rows(plan, scene, with_mujoco);
    let heaps: &[usize] = match scene {
        "" | "scaling" if plan == Plan::FULL => &scaling::HEAPS,
        "" | "scaling" => &scaling::HEAPS[..3],
        _ => &[],
    };
    let sizes = scaling::sizes(heaps);
    let text = text(&rows) + &if sizes.is_empty() { String::new() } else { scaling::text(&sizes) };
    println!("{text}");
    let is_full = |scene: &str| rows.iter().any(|row| row.scene == scene && row.engine.starts_with("MuJoCo"));
    let complete = !rows.is_empty() && rows.iter().all(|row| is_full(row.scene));
    if plan == Plan::FULL && scene.is_empty() && complete {
        println!("wrote {}", report::write_json("dynamics", &json(&rows, &sizes))?.display());
        println!("wrote {}", report::write_section("dynamics", &text)?.display());
    }
    Ok(())
}

#[cfg(not(feature = "dynamics"))]
fn dynamics(_: &[&str]) -> Result<(), Box<dyn Error>> {
    Err("built without the feature `dynamics`; `cargo xtask bench dynamics` builds with it".into())
}

fn figure() -> Result<(), Box<dyn Error>> {
    let folder = report::root().join("docs/figures");
    std::fs::create_dir_all(&folder)?;
    for (name, svg) in figure_003::figures(figure_003::PLAN, usize::MAX) {
        let path = folder.join(name);
        std::fs::write(&path, svg)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if !HAS_COAL {
        eprintln!("Coal is not available here: its columns are missing, and nothing is recorded.");
    }
    let result = match words[..] {
        ["list"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["smoke"] => {
            smoke();
            Ok(())
        }
        ["region", ref rest @ ..] => counts::region(rest),
        ["counts", ref only @ ..] => count(only),
        ["bicubic"] => bicubic(),
        ["step"] => step(),
        ["certified", ref words @ ..] => certify(words),
        ["certified-region", ref words @ ..] => certified::region(words),
        ["dynamics", ref words @ ..] => dynamics(words),
        ["tracking", ref words @ ..] => track(words),
        ["track-region", ref words @ ..] => tracking::region(words),
        ["figure-003"] => figure(),
        [name, ref only @ ..] => run(name, only),
        [] => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
