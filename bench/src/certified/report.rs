//! Tables, JSON and the plot of proven distances.

use super::Measured;
use super::bodies::Group;
use super::distance::{Row, Verdict};
use super::projection;
use crate::plot::{Chart, Line};
use crate::report::geometric_mean;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Asked of every curved pair, and of projections.
const ASKED: [f64; 2] = [100.0, 20.0];

/// Wrong answers listed one by one.
const LISTED: usize = 40;

const COLORS: [&str; 5] = ["#1b6ca8", "#b5451b", "#c79a1e", "#2e8b57", "#7a4fa3"];

/// Both tables.
pub fn text(measured: &Measured) -> String {
    let mut text = String::from("`cargo xtask bench certified`\n\n");
    for group in Group::ALL {
        let rows: Vec<&Row> = measured.pairs.iter().filter(|row| row.group == group).collect();
        if !rows.is_empty() {
            let _ = write!(text, "### {} apart, cold\n\n{}", title(group), table(&rows));
        }
    }
    text.push_str("![Open CASCADE's time against ours](figures/certified.svg)\n\n");
    text.push_str(&summary(&measured.pairs));
    text.push_str(&wrong(&measured.pairs));
    if !measured.surfaces.is_empty() {
        text.push_str(&projections(&measured.surfaces));
    }
    text
}

const fn title(group: Group) -> &'static str {
    match group {
        Group::Primitives => "Primitives",
        Group::Splines => "Spline patches and solids",
        Group::Nurbs => "NURBS as in CAD files",
        Group::Tea => "Teapot and teacup",
        Group::Step => "STEP files",
        Group::Projection => "Points",
    }
}

fn table(rows: &[&Row]) -> String {
    let mut text = String::from(
        "| bodies | poses | ours | with preparation | OCCT | ratio | with preparation | pairs | Newton | error | OCCT's \
         deviation | OCCT wrong | none |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {}–{} | {} | {} | {} | {} | {} | {} | {:.0} | {:.0} | {:.0e}{} | {:.0e} | {} | {} |",
            row.names[0],
            row.names[1],
            row.samples.len(),
            time(row.ours()),
            time(row.with_preparation),
            time(row.theirs()),
            times(row.ratio()),
            times(row.ratio_with_preparation()),
            row.median(|sample| Some(f64::from(sample.work[0]))),
            row.median(|sample| Some(f64::from(sample.work[1]))),
            row.gap(),
            if row.open() > 0 { format!(" ({} not met)", row.open()) } else { String::new() },
            row.largest(Row::deviation) / row.size,
            row.count(Verdict::TooFar) + row.count(Verdict::TooNear),
            row.count(Verdict::Missing)
        );
    }
    text.push('\n');
    text
}

/// With the unit that suits.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns.is_nan() => "–".to_owned(),
        ns if ns < 1e5 => format!("{:.1} µs", 1e-3 * ns),
        ns if ns < 1e9 => format!("{:.2} ms", 1e-6 * ns),
        ns => format!("{:.2} s", 1e-9 * ns),
    }
}

/// A ratio; none where the peer did not answer.
fn times(ratio: f64) -> String {
    if ratio.is_nan() { "–".to_owned() } else { format!("{ratio:.0}×") }
}

/// One line per group.
fn summary(rows: &[Row]) -> String {
    let mut text = format!(
        "| group | pairs | geometric mean of the ratios | smallest | in | below {0:.0}× | mean with preparation | below \
         {0:.0}× | poses | OCCT too far | too near | none |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        ASKED[0]
    );
    for group in Group::ALL {
        let rows = || rows.iter().filter(move |row| row.group == group);
        let rated = || rows().filter(|row| row.ratio().is_finite());
        let Some(least) = rated().min_by(|a, b| a.ratio().total_cmp(&b.ratio())) else { continue };
        let sum = |count: &dyn Fn(&Row) -> usize| rows().map(count).sum::<usize>();
        let _ = writeln!(
            text,
            "| {} | {} | {:.0}× | {:.1}× | {}–{} | {} | {:.0}× | {} | {} | {} | {} | {} |",
            group.name(),
            rows().count(),
            geometric_mean(rated().map(Row::ratio)),
            least.ratio(),
            least.names[0],
            least.names[1],
            rated().filter(|row| row.ratio() < ASKED[0]).count(),
            geometric_mean(rated().map(Row::ratio_with_preparation)),
            rated().filter(|row| row.ratio_with_preparation() < ASKED[0]).count(),
            sum(&|row| row.samples.len()),
            sum(&|row| row.count(Verdict::TooFar)),
            sum(&|row| row.count(Verdict::TooNear)),
            sum(&|row| row.count(Verdict::Missing))
        );
    }
    text
}

/// Open CASCADE's wrong answers, one by one, the worst first.
fn wrong(rows: &[Row]) -> String {
    let mut all: Vec<(f64, String)> = Vec::new();
    for row in rows {
        for (at, sample) in row.samples.iter().enumerate() {
            let verdict = row.verdict(sample);
            let (Verdict::TooFar | Verdict::TooNear, Some([_, distance])) = (verdict, sample.occt) else {
                continue;
            };
            let off = Row::deviation(sample).unwrap_or(0.0) / row.size;
            let line = format!(
                "| {}–{} | {at} | {:.9} | {:.9} | {distance:.9} | {off:.1e} |\n",
                row.names[0], row.names[1], sample.lower, sample.upper
            );
            all.push((off, line));
        }
    }
    if all.is_empty() {
        return "\nNo answer of OCCT's is outside our bounds.\n".to_owned();
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lines: String = all.iter().take(LISTED).map(|(_, line)| line.as_str()).collect();
    format!(
        "\nOCCT's wrong answers: {}. The worst:\n\n| bodies | pose | proven lower bound | two points this far apart | OCCT | \
         off by, of the size |\n|---|---|---|---|---|---|\n{lines}",
        all.len()
    )
}

fn projections(rows: &[projection::Row]) -> String {
    let mut text = format!(
        "\n### Points projected onto surfaces\n\nAsked is {:.0}×. Different points in a row, a hundred at a time; *few after others* are the first \
         twenty after the peers have worked, when nothing of ours is in the caches any more. OCCT anew and with the surface \
         prepared, what calls from Python cost taken off; the ratio is of the faster to the faster of ours, the probe or the \
         distance of a point and a body. OCCT gives no answer where no normal meets the point. curvo is asked about every \
         fifth point.\n\n| surface | points | our probe | few after others | as two bodies | OCCT anew | OCCT \
         prepared | curvo | ratio to OCCT | to curvo | error | OCCT's deviation | wrong | none | curvo's deviation | wrong | \
         none |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        ASKED[1]
    );
    for row in rows {
        let [occt, curvo] = row.faults;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.1}× | {:.1}× | {:.0e}{} | {:.0e} | {} | {} | {:.0e} | {} | {} |",
            row.name,
            row.count,
            time(row.ours[0]),
            time(row.after_others),
            time(row.ours[1]),
            time(row.occt[0]),
            time(row.occt[1]),
            time(row.curvo),
            row.ratios()[0],
            row.ratios()[1],
            row.gap,
            if row.open > 0 { format!(" ({} not met)", row.open) } else { String::new() },
            occt.deviation,
            occt.wrong,
            occt.missing,
            curvo.deviation,
            curvo.wrong,
            curvo.missing
        );
    }
    text
}

/// Every number.
pub fn json(measured: &Measured) -> Value {
    let row = |row: &Row| {
        let sample = |(sample, pose): (&super::distance::Sample, &[f64; 7])| {
            json!({
                "pose": pose,
                "ns": sample.ours,
                "upper": sample.upper,
                "lower": sample.lower,
                "proven": sample.proven,
                "pairs": sample.work[0],
                "newton": sample.work[1],
                "occt_ns": sample.occt.map(|occt| occt[0]),
                "occt": sample.occt.map(|occt| occt[1]),
                "late": sample.late,
                "verdict": format!("{:?}", row.verdict(sample)),
            })
        };
        json!({
            "group": row.group.name(),
            "bodies": row.names,
            "size": row.size,
            "occt_tolerance": row.tolerance,
            "ns_median": row.ours(),
            "ns_with_preparation": row.with_preparation,
            "occt_ns_median": row.theirs(),
            "ratio": row.ratio(),
            "samples": row.samples.iter().zip(&row.poses).map(sample).collect::<Vec<_>>(),
        })
    };
    let surface = |row: &projection::Row| {
        let faults = row.faults.map(|faults| {
            json!({ "deviation": faults.deviation, "wrong": faults.wrong, "missing": faults.missing })
        });
        json!({
            "surface": row.name,
            "points": row.count,
            "ns_median": row.ours,
            "ns_after_others": row.after_others,
            "occt_ns_median": row.occt,
            "curvo_ns_median": row.curvo,
            "ratios": row.ratios(),
            "error": row.gap,
            "not_met": row.open,
            "occt": faults[0],
            "curvo": faults[1],
        })
    };
    json!({
        "name": "certified",
        "command": "cargo xtask bench certified",
        "occt": measured.occt,
        "rows": measured.pairs.iter().map(row).collect::<Vec<_>>(),
        "projections": measured.surfaces.iter().map(surface).collect::<Vec<_>>(),
    })
}

/// Their time against ours, one dot per pair.
pub fn svg(measured: &Measured) -> String {
    let mut lines = Vec::new();
    let mut reach = [f64::INFINITY, 0.0];
    for (group, color) in Group::ALL.into_iter().zip(COLORS) {
        let rows = measured.pairs.iter().filter(|row| row.group == group && row.ratio().is_finite());
        let points: Vec<(f64, f64)> = rows.map(|row| (1e-3 * row.ours(), 1e-3 * row.theirs())).collect();
        for &(x, _) in &points {
            reach = [reach[0].min(x), reach[1].max(x)];
        }
        if !points.is_empty() {
            lines.push(Line { name: title(group).to_owned(), color, dashed: false, dots: true, points });
        }
    }
    let points = reach.map(|x| (x, ASKED[0] * x)).to_vec();
    lines.push(Line { name: "100×".to_owned(), color: "#888888", dashed: true, dots: false, points });
    Chart {
        title: "Distance of curved bodies, ours prepared: Open CASCADE against ours".to_owned(),
        x: "ours, with a proof, µs",
        y: "Open CASCADE, µs",
        lines,
    }
    .svg()
}
