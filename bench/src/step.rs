//! STEP files: from bytes to checked bodies, ours beside the parse of `step-io`.
//!
//! The peer's parse gives records without a meaning, as our own does; everything after it is ours alone. A checked
//! body has its edges on their surfaces, its faces joined along shared edges, their sides made to agree, closed or open
//! decided, and every edge classed. Boxes come on top; mass properties, convexity and nice patches, which are computed
//! when asked for, are not part of it.

use crate::clock::thread_nanoseconds;
use crate::report::root;
use clearance_formats::Units;
use clearance_formats::step::{StepModel, record_count};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;

/// Times each file is read by each, by turns.
const ROUNDS: usize = 41;

/// What is timed, in order. The first is the peer.
pub const STAGES: [&str; 5] = ["step-io's parse", "our parse", "model", "checked bodies", "with boxes"];

/// Asked of the checked bodies, times the peer's parse.
const MOST: f64 = 3.0;

/// One file.
pub struct Row {
    name: String,
    bytes: usize,
    records: usize,
    faces: usize,
    /// Milliseconds per stage: median and least.
    times: [[f64; 2]; STAGES.len()],
}

impl Row {
    /// Checked bodies over a parse, by medians or by least times.
    fn ratio(&self, parse: usize, which: usize) -> f64 {
        self.times[3][which] / self.times[parse][which]
    }
}

/// All STEP files of the data folder.
fn files() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let named = std::env::var_os("CLEARANCE_DATA").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/data")).join("step");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "step" || ending == "stp"));
    files.sort();
    Ok(files)
}

/// Times every file.
///
/// # Errors
/// When there is no data folder, or a file of it cannot be read by either.
pub fn rows() -> Result<Vec<Row>, Box<dyn Error>> {
    files()?
        .iter()
        .map(|path| {
            let bytes = std::fs::read(path)?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let row = row(name, &bytes)?;
            eprintln!("{}: {:.2} ms, {:.2}×", row.name, row.times[3][0], row.ratio(0, 0));
            Ok(row)
        })
        .collect()
}

fn row(name: String, bytes: &[u8]) -> Result<Row, Box<dyn Error>> {
    let patched = patched(bytes);
    let model = StepModel::from_bytes(bytes, Units::Millimetre)?;
    let mut times: [Vec<f64>; STAGES.len()] = Default::default();
    for round in 0..=ROUNDS {
        for stage in 0..STAGES.len() {
            let took = time(stage, bytes, &patched)?;
            // The first round fetches code and files.
            if round > 0 {
                times[stage].push(took);
            }
        }
    }
    let summary = |mut times: Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        [times[times.len() / 2], times[0]]
    };
    Ok(Row {
        name,
        bytes: bytes.len(),
        records: record_count(bytes)?,
        faces: model.bodies.iter().map(|body| body.faces.len()).sum(),
        times: times.map(summary),
    })
}

/// Milliseconds of one stage. What it made is dropped after the clock has stopped, which favours the peer: its records
/// are many small allocations.
fn time(stage: usize, bytes: &[u8], patched: &[u8]) -> Result<f64, Box<dyn Error>> {
    let began = thread_nanoseconds();
    let took = |_: &dyn std::any::Any| (thread_nanoseconds() - began) * 1e-6;
    Ok(match stage {
        0 => took(black_box(&step_io::parser::parse(patched)?)),
        1 => took(black_box(&record_count(bytes)?)),
        2 => took(black_box(&StepModel::from_bytes(bytes, Units::Millimetre)?)),
        _ => {
            let model = StepModel::from_bytes(bytes, Units::Millimetre)?;
            let bodies = model.bodies.iter().map(|body| body.to_tiled()).collect::<Result<Vec<_>, _>>()?;
            if stage == 4 {
                for body in &bodies {
                    black_box(body.aabb());
                }
            }
            took(black_box(&bodies))
        }
    })
}

/// The peer refuses files without this record; given it, it reads them.
fn patched(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    if text.contains("FILE_NAME") {
        return bytes.to_vec();
    }
    text.replacen("HEADER;", "HEADER;FILE_NAME('','',(''),(''),'','','');", 1).into_bytes()
}

/// The table and what is asked.
pub fn text(rows: &[Row]) -> String {
    let mut text = format!(
        "`cargo xtask bench step`\n\nSTEP files from memory, ms of processor time, by turns: median [least] of {ROUNDS}. \
         \"Checked bodies\" goes from the bytes to bodies whose edges lie on their surfaces, whose faces are \
         joined and agree on their sides, which are known to be closed or open and whose edges are classed; \"with boxes\" \
         adds the box of each. Mass properties, computed when asked for, are not in it. The ratios are of \"checked \
         bodies\" to the parse of step-io, which is asked to be {MOST}× at most, and to our own.\n\n| file | KiB | records | faces |"
    );
    for stage in STAGES {
        let _ = write!(text, " {stage} |");
    }
    text.push_str(" ratio | by least | to our parse |\n|---|---|---|---|");
    text.push_str(&"---|".repeat(STAGES.len() + 3));
    text.push('\n');
    for row in rows {
        let _ = write!(text, "| {} | {} | {} | {} |", row.name, row.bytes / 1024, row.records, row.faces);
        for [median, least] in row.times {
            let _ = write!(text, " {median:.2} [{least:.2}] |");
        }
        let [ratio, least, own] = [row.ratio(0, 0), row.ratio(0, 1), row.ratio(1, 0)];
        let _ = writeln!(text, " {ratio:.2}× | {least:.2}× | {own:.1}× |");
    }
    let worst = |which: usize| rows.iter().map(|row| row.ratio(0, which)).fold(0.0, f64::max);
    let within = rows.iter().filter(|row| row.ratio(0, 0) <= MOST).count();
    let _ = writeln!(
        text,
        "\n{within} of {} files are within {MOST}× of step-io's parse; the worst takes {:.2}× (by least {:.2}×).",
        rows.len(),
        worst(0),
        worst(1)
    );
    text
}

/// The rows as JSON.
pub fn json(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        let stage = |(name, [median, least]): (&&str, [f64; 2])| json!({ "name": name, "ms_median": median, "ms_least": least });
        json!({
            "file": row.name,
            "bytes": row.bytes,
            "records": row.records,
            "faces": row.faces,
            "stages": STAGES.iter().zip(row.times).map(stage).collect::<Vec<_>>(),
            "ratio": row.ratio(0, 0),
            "ratio_of_least": row.ratio(0, 1),
            "ratio_to_our_parse": row.ratio(1, 0),
        })
    };
    json!({
        "name": "step",
        "command": "cargo xtask bench step",
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}
