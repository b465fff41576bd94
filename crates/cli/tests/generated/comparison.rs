//! The comparison with peers, from what the benchmarks recorded. A recording keeps its date as long as it is the same; a new one
//! gets that of the day on which the page is made.

use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// What was recorded, and what it is about.
const RECORDED: [(&str, &str); 7] = [
    ("distance", "distance, tracked"),
    ("cold", "distance, asked once"),
    ("depth", "penetration depth"),
    ("counts", "instructions per query"),
    ("bicubic", "a bicubic surface with its derivatives"),
    ("step", "STEP files"),
    ("certified", "proven distances of curved bodies"),
];

/// The page; `there` is the one that there is, for its dates.
pub fn page(root: &Path, there: &str) -> String {
    let texts = RECORDED.map(|(name, _)| {
        let path = root.join(format!("bench/results/{name}.json"));
        std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
            .replace("\r\n", "\n")
    });
    let values: Vec<Value> = texts.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    let mut text = String::from(BEFORE);
    text.push_str("\n## What was run, and when\n\n| what | command | recorded | digest of `bench/results` |\n|---|---|---|---|\n");
    for ((name, about), content) in RECORDED.iter().zip(&texts) {
        let digest = digest(content);
        let date = date_of(there, &digest).unwrap_or_else(today);
        let _ = writeln!(text, "| {about} | `cargo xtask bench {name}` | {date} | `{digest}` |");
    }
    text.push_str("\n## Convex polytopes\n\n");
    text.push_str(
        "The faster of parry and Coal (at a tolerance of 10⁻¹⁰) over ours, by body and by angle per step: above 1 ours is \
         faster.\n21 bodies of 8 to 10,242 vertices. Errors are the largest over all bodies, as lengths on bodies of radius 1.\n\n\
         | question | geometric mean | least, in | most, in | our error | peers' error |\n|---|---|---|---|---|---|\n",
    );
    for (index, (_, about)) in RECORDED.iter().enumerate().take(3) {
        convex(&mut text, about, &values[index]);
    }
    text.push_str("\nInstructions per query, which no other work on the machine changes:\n\n| question | geometric mean | least, in | most, in |\n|---|---|---|---|\n");
    counts(&mut text, &values[3]);
    text.push_str(
        "\n## Curved bodies\n\nOpen CASCADE's time over ours, bodies apart, asked once; ours with a proven bound. Its answer is \
         counted as wrong where it is\nabove the distance of two points that we hold or below the proven bound, by more than 10⁻⁶ \
         of the size and its tolerances.\n\n\
         | bodies | pairs | geometric mean | least, in | most, in | poses | proven by us | wrong by it | none by it |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    certified(&mut text, &values[6]);
    text.push_str("\n## Curved surfaces and STEP files\n\n| what | beside | ours is | bodies, files |\n|---|---|---|---|\n");
    let ratios = ratios(&values[4]);
    let (least, most) = ends(&ratios);
    let _ = writeln!(
        text,
        "| a point of a bicubic surface with all first and second derivatives | the faster of curvo and de Boor's algorithm | \
         {least:.1}× to {most:.1}× faster | {} surfaces |",
        ratios.len()
    );
    let ratios = self::ratios(&values[5]);
    let (least, most) = ends(&ratios);
    let _ = writeln!(
        text,
        "| a STEP file to checked bodies | the parse alone of step-io | {least:.2}× to {most:.2}× of its time | {} files |",
        ratios.len()
    );
    text.push_str(AFTER);
    text
}

/// Rows of one benchmark, by the step.
fn steps(value: &Value) -> Vec<(String, Vec<&Value>)> {
    let mut steps: Vec<(String, Vec<&Value>)> = Vec::new();
    for row in value["rows"].as_array().expect("rows") {
        let step = row["step"].as_str().expect("a step");
        match steps.iter_mut().find(|(name, _)| name == step) {
            Some((_, rows)) => rows.push(row),
            None => steps.push((step.to_owned(), vec![row])),
        }
    }
    steps
}

fn convex(text: &mut String, about: &str, value: &Value) {
    for (step, rows) in steps(value) {
        let mean = geometric_mean(&rows);
        let [least, most] = extremes(&rows);
        let error = |of: &Value| {
            [&of["error_distance"], &of["error_witnesses"]].map(number).into_iter().fold(0.0, f64::max)
        };
        let ours = rows.iter().map(|row| error(&row["ours"])).fold(0.0, f64::max);
        let peers = rows.iter().flat_map(|row| row["peers"].as_array().expect("peers"));
        let exact = peers.filter(|peer| !peer["name"].as_str().unwrap_or_default().contains("default"));
        let peers = exact.map(error).fold(0.0, f64::max);
        let question = match (step.as_str(), about.contains("once")) {
            ("cold", true) => about.to_owned(),
            ("cold", false) => format!("{about}, asked once"),
            _ => format!("{about}, {step}"),
        };
        let _ = writeln!(text, "| {question} | {mean:.1}× | {least} | {most} | {ours:.0e} | {peers:.0e} |");
    }
}

fn counts(text: &mut String, value: &Value) {
    for benchmark in ["distance", "depth"] {
        for (step, rows) in steps(value) {
            let rows: Vec<&Value> = rows.into_iter().filter(|row| row["benchmark"] == benchmark).collect();
            if rows.is_empty() {
                continue;
            }
            let [least, most] = extremes(&rows);
            let _ =
                writeln!(text, "| {benchmark}, {step} | {:.1}× | {least} | {most} |", geometric_mean(&rows));
        }
    }
}

fn certified(text: &mut String, value: &Value) {
    let mut groups: Vec<(&str, Vec<&Value>)> = Vec::new();
    for row in value["rows"].as_array().expect("rows") {
        let group = row["group"].as_str().expect("a group");
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((group, vec![row])),
        }
    }
    for (group, rows) in groups {
        let samples: Vec<&Value> =
            rows.iter().flat_map(|row| row["samples"].as_array().expect("samples")).collect();
        let proven = samples.iter().filter(|sample| sample["proven"] == true).count();
        let verdicts = |word: &str| samples.iter().filter(|sample| sample["verdict"] == word).count();
        let (right, missing) = (verdicts("Right"), verdicts("Missing"));
        let wrong = samples.len() - right - missing;
        // Pairs to which it gave no answer in time have no ratio.
        let rows: Vec<&Value> =
            rows.into_iter().filter(|row| row["ratio"].as_f64().is_some_and(|x| x > 0.0)).collect();
        if rows.is_empty() {
            continue;
        }
        let [least, most] = extremes(&rows);
        let _ = writeln!(
            text,
            "| {group} | {} | {:.0}× | {least} | {most} | {} | {proven} | {wrong} | {missing} |",
            rows.len(),
            geometric_mean(&rows),
            samples.len()
        );
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn ratio(row: &Value) -> f64 {
    number(&row["ratio"])
}

fn geometric_mean(rows: &[&Value]) -> f64 {
    (rows.iter().map(|row| ratio(row).ln()).sum::<f64>() / rows.len() as f64).exp()
}

/// The rows of least and of greatest ratio, each with its body.
fn extremes(rows: &[&Value]) -> [String; 2] {
    let by = |a: &&&Value, b: &&&Value| ratio(a).total_cmp(&ratio(b));
    let bodies = |row: &Value| match &row["bodies"] {
        Value::Array(pair) => pair.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("–"),
        name => name.as_str().unwrap_or("?").to_owned(),
    };
    let shown = |row: &Value| format!("{:.1}×, {}", ratio(row), bodies(row));
    [rows.iter().min_by(by), rows.iter().max_by(by)].map(|row| shown(row.expect("a row")))
}

fn ratios(value: &Value) -> Vec<f64> {
    value["rows"].as_array().expect("rows").iter().map(ratio).collect()
}

fn ends(ratios: &[f64]) -> (f64, f64) {
    ratios.iter().fold((f64::INFINITY, 0.0), |(least, most), ratio| (ratio.min(least), ratio.max(most)))
}

/// FNV-1a.
fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The date that stands beside a digest.
fn date_of(page: &str, digest: &str) -> Option<String> {
    let line = page.lines().find(|line| line.contains(digest))?;
    Some(line.split('|').nth(3)?.trim().to_owned())
}

/// Year, month and day, in Greenwich.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() / 86_400;
    // Years begin in March here, so that the day that leap years add is the last one.
    let since = days + 719_468;
    let era = since / 146_097;
    let day_of_era = since % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + 400 * era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

const BEFORE: &str = "# Beside its peers

<!-- Made by `cargo xtask book` from bench/results/. -->

Numbers are those of [Benchmarks](benchmarks.md), which says how they are measured, in short; nothing here was measured in
another way. The machine was shared with other work while some were recorded: compare ratios, which were taken by turns, not
times. A name after a number is the body that it is from.

| peer | version | asked for |
|---|---|---|
| [parry](https://parry.rs) | parry3d-f64 0.31 | distance and depth of convex polytopes |
| [Coal](https://github.com/coal-library/coal) | 3.0.3, its published wheel | the same |
| curvo | as in `bench/Cargo.toml` | points and derivatives of a spline surface |
| step-io | 0.3 | reading STEP files |
| [Open CASCADE](https://dev.opencascade.org) | 8.0 | distances of curved bodies, through its wheel |
";

const AFTER: &str = "
## What the numbers do not say

| | clearance | others |
|---|---|---|
| meshes that are not convex | refused; their hull, or a union of convex parts | parry and Coal take them as triangles |
| many bodies at once | pairs only | parry and Coal have broad phases |
| curved bodies | as they are: splines, trims, STEP files, with a proven bound | parry and Coal have the usual primitives and tessellate the rest; Open CASCADE has all of them, without a bound |
| features and parameters of witnesses | in every answer | of points of triangle meshes the triangle |
| proof | a lower bound that a separate program checks | none |
| single precision | no | parry has it |

Where ours is hardly faster is in the table above as the least ratio: large cylinders of many sides after jumps of
10° and more, and flat bodies that are asked about once.
";
