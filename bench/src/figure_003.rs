//! 003's figure of computation time against the total number of vertices, drawn for our kernels.
//!
//! Spheres and cylinders of growing resolution turn by one degree per step. With initialisation a
//! search starts from the last answer, without it from anywhere. A second chart shows the rounds of
//! each search instead of its time: feature pairs for Lin–Canny, GJK iterations for the tracker.

use crate::candidate::Candidate;
use crate::measure::{Column, Plan, measure};
use crate::ours::{OneShot, Tracked};
use crate::plot::{Chart, Line};
use crate::shape::Shape;
use crate::stream::{Pace, Scene};
use crate::walking::{Start, Walking};

/// As many trials per point as 003.
pub const PLAN: Plan = Plan { segment: 1000, rounds: 6, budget_ns: 2e7, samples: 20 };

const SPHERES: [u32; 10] = [12, 42, 92, 162, 362, 642, 1442, 2562, 5762, 10242];
const SIDES: [u32; 9] = [4, 8, 16, 32, 64, 128, 256, 512, 1000];

/// Names and colours of the candidates, in the order they are measured.
const LINES: [(&str, &str); 4] = [
    ("tracker", "#1b6ca8"),
    ("one-shot", "#7fb3d9"),
    ("Lin–Canny", "#b33a2f"),
    ("Lin–Canny, no init", "#e2a08a"),
];

/// Names and contents of the files; `sizes` limits how many sizes are measured.
pub fn figures(plan: Plan, sizes: usize) -> [(&'static str, String); 2] {
    let spheres: Vec<String> = SPHERES.iter().take(sizes).map(|n| format!("ico{n}")).collect();
    let cylinders: Vec<String> = SIDES.iter().take(sizes).map(|n| format!("cylinder{n}")).collect();
    let measured =
        [("spheres", false, points(&spheres, plan)), ("cylinders", true, points(&cylinders, plan))];
    let chart = |title: &str, y, value: &dyn Fn(&Column) -> f64| {
        let mut lines = Vec::new();
        for (who, (name, color)) in LINES.into_iter().enumerate() {
            for (bodies, dashed, points) in &measured {
                let point = |(total, columns): &(f64, Vec<Column>)| (*total, value(&columns[who]));
                let points = points.iter().map(point).collect();
                lines.push(Line {
                    name: format!("{name}: {bodies}"),
                    color,
                    dashed: *dashed,
                    dots: false,
                    points,
                });
            }
        }
        Chart { title: title.to_owned(), x: "total number of vertices", y, lines }.svg()
    };
    let rounds = |column: &Column| column.work.map_or(f64::NAN, |work| work.iterations);
    [
        (
            "figure-003-time.svg",
            chart("Time per query, one degree per step", "microseconds", &|column| 1e-3 * column.median),
        ),
        ("figure-003-rounds.svg", chart("Rounds per query, one degree per step", "rounds", &rounds)),
    ]
}

/// Total vertices and what was measured, per body.
fn points(names: &[String], plan: Plan) -> Vec<(f64, Vec<Column>)> {
    let point = |name: &String| {
        let shape = Shape::named(name).unwrap_or_else(|| panic!("no bodies are called {name}"));
        let candidates: Vec<Box<dyn Candidate>> = vec![
            Box::new(Tracked::new(&shape)),
            Box::new(OneShot::new(&shape)),
            Box::new(Walking::new(&shape, Start::Last)),
            Box::new(Walking::new(&shape, Start::Anywhere)),
        ];
        let row = measure(&shape, Scene::Separated, Pace::Degrees(1.0), candidates, plan);
        for column in &row.columns {
            eprintln!("{name}: {} {:.0} ns, error {:.0e}", column.name, column.median, column.error.distance);
        }
        (2.0 * shape.points.len() as f64, row.columns)
    };
    names.iter().map(point).collect()
}
