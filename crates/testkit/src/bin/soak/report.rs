//! The summary of a run as JSON.

use crate::options::Options;
use crate::tally::Tally;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One object on several lines.
pub(crate) fn json(options: &Options, tally: &Tally, complaints: &[String], seconds: f64) -> String {
    let mut out = String::from("{\n");
    let mut line = |text: String| {
        let _ = writeln!(out, "  {text},");
    };
    line(format!("\"run\": {}", quoted(options.run.name())));
    line(format!("\"seed\": {}", options.seed));
    line(format!("\"cases\": {}", tally.cases));
    line(format!("\"failures\": {}", tally.failures()));
    line(format!("\"seconds\": {seconds:.1}"));
    line(format!("\"states\": {}", counts(&tally.states)));
    line(format!("\"ended\": {}", counts(&tally.ended)));
    if !tally.minima.is_empty() {
        line(format!("\"minima\": {}", counts(&tally.minima)));
    }
    line(format!("\"groups\": {}", counts(&tally.groups)));
    let worst: Vec<String> = tally
        .worst
        .iter()
        .map(|(name, (value, case))| {
            format!("{}: {{\"value\": {value:.4e}, \"case\": {case}}}", quoted(name))
        })
        .collect();
    line(format!("\"worst_in_tolerances\": {{{}}}", worst.join(", ")));
    line(format!("\"failed_groups\": {}", counts(&tally.failed_groups)));
    let cases: Vec<String> = tally.failed.iter().map(u64::to_string).collect();
    line(format!("\"failed_cases\": [{}]", cases.join(", ")));
    let listed: Vec<String> = complaints.iter().map(|text| quoted(text)).collect();
    line(format!("\"mix_complaints\": [{}]", listed.join(", ")));
    let failures: Vec<String> = tally
        .kept
        .values()
        .map(|f| {
            format!(
                "\n    {{\"case\": {}, \"group\": {}, \"fault\": {}, \"repeat\": {}}}",
                f.case,
                quoted(&f.group),
                quoted(&f.fault),
                quoted(&f.repeat)
            )
        })
        .collect();
    let _ = write!(out, "  \"simplest_failures\": [{}]\n}}", failures.join(","));
    out
}

fn counts(map: &BTreeMap<String, u64>) -> String {
    let pairs: Vec<String> = map.iter().map(|(key, count)| format!("{}: {count}", quoted(key))).collect();
    format!("{{{}}}", pairs.join(", "))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
