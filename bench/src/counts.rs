//! Instructions per query, by callgrind: what a noisy clock cannot blur.

use crate::candidate::Answer;
#[cfg(coal)]
use crate::coal::{Exactness, Guess};
use crate::lineup::{Entry, entries};
use crate::measure::measured_region;
use crate::parry::Call;
use crate::report;
use crate::shape::Shape;
use crate::stream::{Pace, Scene, stream};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Write as _;
use std::process::Command;

/// Bodies that stand for the others.
pub const COUNTED: [&str; 8] =
    ["ico42", "ico642", "ico10242", "cube8", "cylinder32", "cylinder1000", "long10-162", "flat100-162"];

/// What is counted: scene, pace and the benchmark whose times stand beside.
const CELLS: [(Scene, Pace, &str); 4] = [
    (Scene::Separated, Pace::Degrees(0.1), "distance"),
    (Scene::Separated, Pace::Degrees(1.0), "distance"),
    (Scene::Overlapping, Pace::Degrees(0.1), "depth"),
    (Scene::Overlapping, Pace::Degrees(1.0), "depth"),
];

/// Queries that warm up, and queries that are counted.
const WARM_UP: usize = 50;
const COUNT: usize = 500;

/// Valgrind counts every byte that `rep stosb` sets as an instruction, which would charge Coal tens of
/// thousands for clearing its lists of visited vertices. With this the C library clears by vectors.
const NO_STRING_INSTRUCTIONS: &str = "glibc.cpu.x86_rep_stosb_threshold=1000000000:\
     glibc.cpu.x86_rep_movsb_threshold=1000000000";

/// Answers a stream once, with the counted part inside [`measured_region`]. Run under callgrind.
pub fn region(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let [family, scene, pace, who] = words[..] else {
        return Err("region BODIES SCENE STEP WHO".into());
    };
    let shape = Shape::named(family).ok_or("no such bodies")?;
    let scene = if scene == "overlapping" { Scene::Overlapping } else { Scene::Separated };
    let pace = Pace::parse(pace).ok_or("not a step")?;
    let mut candidate = entries(scene, pace)[who.parse::<usize>()?].build(&shape, scene);
    candidate.load(&stream(&shape, scene, pace, WARM_UP + COUNT));
    let mut answers = vec![Answer::default(); COUNT];
    candidate.run(0..WARM_UP, &mut answers);
    measured_region(candidate.as_mut(), WARM_UP..WARM_UP + COUNT, &mut answers);
    println!("{}", candidate.name());
    Ok(())
}

/// Numbers of the entries that are counted: ours and each peer's best way of tracking.
fn counted(scene: Scene, pace: Pace) -> Vec<usize> {
    let numbered = entries(scene, pace).into_iter().enumerate();
    let best = numbered.filter(|(_, entry)| match entry {
        Entry::Tracked | Entry::Parry(Call::WarmDirection) => true,
        #[cfg(coal)]
        Entry::Coal(guess, exactness) => *guess == Guess::Cached && *exactness == Exactness::Tight,
        _ => false,
    });
    best.map(|(number, _)| number).collect()
}

/// Name of a candidate and its instructions per query.
fn count(family: &str, scene: Scene, pace: Pace, who: usize) -> Result<(String, f64), Box<dyn Error>> {
    let scene = if scene == Scene::Overlapping { "overlapping" } else { "separated" };
    let output = Command::new("valgrind")
        .env("GLIBC_TUNABLES", NO_STRING_INSTRUCTIONS)
        .args(["--tool=callgrind", "--toggle-collect=*measured_region*", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["region", family, scene, pace.label().trim_end_matches('°'), &who.to_string()])
        .output()
        .map_err(|error| format!("valgrind could not be started: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let collected = told.lines().find_map(|line| line.split("Collected :").nth(1));
    let number = collected.ok_or_else(|| format!("callgrind counted nothing:\n{told}"))?.trim();
    let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((name, number.parse::<f64>()? / COUNT as f64))
}

/// Median time of `name` in the recorded benchmark, if there is one.
fn recorded(results: &Value, family: &str, pace: Pace, name: &str) -> Option<f64> {
    let rows = results["rows"].as_array()?;
    let row = rows.iter().find(|row| row["bodies"] == family && row["step"] == pace.label())?;
    let peers = row["peers"].as_array()?;
    let column = std::iter::once(&row["ours"]).chain(peers).find(|column| column["name"] == name)?;
    column["ns_median"].as_f64()
}

/// Counts everyone on `families`; returns the JSON and the markdown.
pub fn counts(families: &[&str]) -> Result<(Value, String), Box<dyn Error>> {
    let mut text = String::from("`cargo xtask bench counts`\n");
    let mut rows = Vec::new();
    for (scene, pace, bench) in CELLS {
        let results = std::fs::read_to_string(report::root().join(format!("bench/results/{bench}.json")));
        let results: Value =
            results.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let _ = writeln!(text, "\n### instructions per query, {bench} at {} (times beside)\n", pace.label());
        let mut head = String::from("| bodies |");
        let mut body = String::new();
        for (number, family) in families.iter().enumerate() {
            let _ = write!(body, "| {family} |");
            let mut columns = Vec::new();
            for who in counted(scene, pace) {
                let (name, instructions) = count(family, scene, pace, who)?;
                let time = recorded(&results, family, pace, &name);
                let beside = time.map_or_else(|| "–".to_owned(), |ns| format!("{ns:.0} ns"));
                let _ = write!(body, " {instructions:.0} ({beside}) |");
                if number == 0 {
                    let _ = write!(head, " {name} |");
                }
                columns.push(json!({ "name": name, "instructions": instructions, "ns_median": time }));
            }
            let instructions = |column: &Value| column["instructions"].as_f64().unwrap_or(f64::NAN);
            let peers = columns[1..].iter().map(instructions);
            let ratio = peers.fold(f64::INFINITY, f64::min) / instructions(&columns[0]);
            let _ = writeln!(body, " {ratio:.1} |");
            eprintln!(
                "counts {bench} {family} {}: {:.0}, {ratio:.1}×",
                pace.label(),
                instructions(&columns[0])
            );
            rows.push(json!({
                "benchmark": bench, "bodies": family, "step": pace.label(),
                "columns": columns, "ratio": ratio,
            }));
        }
        let _ = write!(text, "{head} ratio |\n|{}\n{body}", "---|".repeat(head.matches('|').count()));
    }
    let value = json!({ "name": "counts", "command": "cargo xtask bench counts", "rows": rows });
    Ok((value, text))
}
