//! Tables: on the screen, as JSON under `bench/results/`, and as markdown in `docs/benchmarks.md`.

use crate::measure::{Column, Row};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What a benchmark is asked to reach, per pace.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As [`crate::stream::Pace::label`] writes it.
    pub pace: &'static str,
    /// Least geometric mean of the ratios.
    pub mean: f64,
    /// Least single ratio, where one is asked.
    pub least: Option<f64>,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Geometric mean.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / count).exp()
}

fn of_pace<'a>(rows: &'a [Row], pace: &'a str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.pace.label() == pace)
}

/// One line per pace: mean and least ratio, against what is asked.
pub fn summary(rows: &[Row], targets: &[Target]) -> String {
    let mut text = String::from(
        "| per step | geometric mean of the ratios | smallest ratio | in | by least times: mean | smallest | asked |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for target in targets {
        let Some(worst) = of_pace(rows, target.pace).min_by(|a, b| a.ratio().total_cmp(&b.ratio())) else {
            continue;
        };
        let mean = geometric_mean(of_pace(rows, target.pace).map(Row::ratio));
        let mean_of_least = geometric_mean(of_pace(rows, target.pace).map(Row::ratio_of_least));
        let least = of_pace(rows, target.pace).map(Row::ratio_of_least).fold(f64::INFINITY, f64::min);
        let asked = target.least.map_or_else(
            || format!("mean {}×", target.mean),
            |least| format!("mean {}×, each {least}×", target.mean),
        );
        let _ = writeln!(
            text,
            "| {} | {mean:.2}× | {:.2}× | {} | {mean_of_least:.2}× | {least:.2}× | {asked} |",
            target.pace,
            worst.ratio(),
            worst.family
        );
    }
    text
}

/// Time at 10,242 vertices over time at 42, sphere-like hulls.
pub fn growth(rows: &[Row], pace: &str) -> Option<f64> {
    let ours =
        |family: &str| of_pace(rows, pace).find(|row| row.family == family).map(|row| row.columns[0].median);
    Some(ours("ico10242")? / ours("ico42")?)
}

/// The rows of one pace as a markdown table.
pub fn table(rows: &[Row], pace: &str) -> String {
    let Some(first) = of_pace(rows, pace).next() else {
        return String::new();
    };
    let mut text = String::from("| bodies | vertices |");
    for column in &first.columns {
        let _ = write!(text, " {} |", column.name);
    }
    text.push_str(" ratio | iterations | supports | error | worst peer's error | hash |\n|---|---|");
    text.push_str(&"---|".repeat(first.columns.len() + 6));
    text.push('\n');
    for row in of_pace(rows, pace) {
        let _ = write!(text, "| {} | {} |", row.family, row.vertices);
        for column in &row.columns {
            let _ = write!(text, " {:.0} [{:.0}] |", column.median, column.least);
        }
        let peers = row.columns[1..].iter().filter(|column| column.counts);
        let peers_error = peers.fold(0.0_f64, |most, column| most.max(column.error.distance));
        let _ = writeln!(
            text,
            " {:.1} | {:.2} | {:.2} | {:.0e} | {peers_error:.0e} | `{:016x}` |",
            row.ratio(),
            row.work().iterations,
            row.work().supports,
            row.columns[0].error.distance.max(row.columns[0].error.witnesses),
            row.hash
        );
    }
    text
}

/// The rows as JSON.
pub fn json(name: &str, rows: &[Row]) -> Value {
    let column = |column: &Column| {
        json!({
            "name": column.name,
            "ns_median": round(column.median),
            "ns_least": round(column.least),
            "error_distance": column.error.distance,
            "error_witnesses": column.error.witnesses,
        })
    };
    let row = |row: &Row| {
        json!({
            "bodies": row.family,
            "vertices": row.vertices,
            "step": row.pace.label(),
            "ours": column(&row.columns[0]),
            "peers": row.columns[1..].iter().map(column).collect::<Vec<_>>(),
            "peer": row.faster_peer().map(|peer| peer.name),
            "ratio": round(row.ratio()),
            "work": {
                "iterations": round(row.work().iterations),
                "supports": round(row.work().supports),
                "moves": round(row.work().moves),
            },
            "error": row.columns[0].error.distance.max(row.columns[0].error.witnesses),
            "hash": format!("{:016x}", row.hash),
        })
    };
    json!({
        "name": name,
        "command": format!("cargo xtask bench {name}"),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn round(value: f64) -> f64 {
    (value * 1e3).round() * 1e-3
}

/// Writes `bench/results/NAME.json`.
pub fn write_json(name: &str, value: &Value) -> io::Result<PathBuf> {
    let folder = root().join("bench/results");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{name}.json"));
    fs::write(&path, format!("{value:#}\n"))?;
    Ok(path)
}

/// Replaces the part of `docs/benchmarks.md` between the marks of `name`, or appends it.
pub fn write_section(name: &str, text: &str) -> io::Result<PathBuf> {
    let path = root().join("docs/benchmarks.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let (begin, end) = (format!("<!-- begin {name} -->"), format!("<!-- end {name} -->"));
    let section = format!("{begin}\n\n{}\n\n{end}", text.trim());
    let new = match (old.find(&begin), old.find(&end)) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{section}{}", &old[..from], &old[to + end.len()..])
        }
        _ => format!("{}\n\n{section}\n", old.trim_end()),
    };
    fs::create_dir_all(root().join("docs"))?;
    fs::write(&path, new)?;
    Ok(path)
}
