//! Descriptions for a reader: lines of names and values, tables for lists.

use super::{Description, Fact};
use crate::json::shortest;

/// Digits of computed places in words.
const DIGITS: usize = 9;

/// Most digits of a size whose error is known.
const MOST_DIGITS: usize = 12;

/// Rows of a table that are shown.
const MOST_ROWS: usize = 40;

impl Description {
    /// As lines for a reader: name, value.
    pub fn to_text(&self) -> String {
        let width = self.facts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let mut lines = Vec::new();
        for (name, fact) in &self.facts {
            let name = name.replace('_', " ");
            let values = values(fact);
            let is_table = matches!(fact, Fact::Rows(_));
            for (at, value) in values.into_iter().enumerate() {
                // A table stands under its name, remarks each beside theirs.
                let name = if is_table && at > 0 { "" } else { name.as_str() };
                lines.push(format!("{name:width$}  {value}").trim_end().to_owned());
            }
        }
        lines.join("\n")
    }
}

fn values(fact: &Fact) -> Vec<String> {
    match fact {
        Fact::Notes(notes) => notes.clone(),
        Fact::Rows(rows) => table(rows),
        other => vec![value(other)],
    }
}

/// What stands for a number that is not known, or not to any digit.
const UNKNOWN: &str = "unknown";

/// A fact on one line.
fn value(fact: &Fact) -> String {
    match fact {
        _ if !is_known(fact) => UNKNOWN.to_owned(),
        Fact::Text(text) => text.clone(),
        Fact::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Fact::Count(count) => count.to_string(),
        Fact::Counts(counts) => {
            let words: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            if words.is_empty() { "none".to_owned() } else { words.join(", ") }
        }
        Fact::Number(number) => shortest(*number),
        Fact::Numbers(numbers) => {
            let words: Vec<String> = numbers.iter().map(|number| shortest(*number)).collect();
            format!("({})", words.join(", "))
        }
        Fact::Measured { values, scale } => measured(values, *scale),
        Fact::Estimate { value, error, proven } => {
            format!("{} ± {}", to_error(*value, *error), off_by(*error, *proven))
        }
        Fact::Estimates { values, error, proven } => {
            let words: Vec<String> = values.iter().map(|value| to_error(*value, *error)).collect();
            format!("({}) ± {}", words.join(", "), off_by(*error, *proven))
        }
        Fact::Notes(notes) => notes.join("; "),
        Fact::Rows(rows) => format!("{} rows", rows.len()),
    }
}

/// Whether all of its numbers are finite: what is beyond the largest one was computed from nothing.
fn is_known(fact: &Fact) -> bool {
    let all = |values: &[f64]| values.iter().all(|value| value.is_finite());
    match fact {
        Fact::Number(number) => number.is_finite(),
        Fact::Numbers(values) | Fact::Measured { values, .. } => all(values),
        Fact::Estimate { value, error, .. } => all(&[*value, *error]),
        Fact::Estimates { values, error, .. } => all(values) && error.is_finite(),
        _ => true,
    }
}

/// An error, and whether it is one that nothing bounds.
fn off_by(error: f64, proven: bool) -> String {
    let digits = digits(error, 2);
    if proven { digits } else { format!("{digits} (estimated)") }
}

/// Computed numbers: one bare, several in parentheses.
pub(super) fn measured(values: &[f64], scale: f64) -> String {
    let least = scale * clearance_geometry::tolerance::STRAIGHT_REL;
    let shown = |number: &f64| if number.abs() <= least { "0".to_owned() } else { digits(*number, DIGITS) };
    match values {
        [one] => shown(one),
        several => format!("({})", several.iter().map(shown).collect::<Vec<_>>().join(", ")),
    }
}

/// A number as far as its error lets it be known.
fn to_error(value: f64, error: f64) -> String {
    if value.abs() <= error {
        return "0".to_owned();
    }
    if !(error > 0.0) {
        return digits(value, MOST_DIGITS);
    }
    let known = value.abs().log10().floor() - error.log10().floor() + 1.0;
    digits(value, known.clamp(1.0, MOST_DIGITS as f64) as usize)
}

/// A number with so many significant digits, without zeros at the end; with an exponent only where it is very large or
/// very small.
pub(super) fn digits(value: f64, count: usize) -> String {
    let text = format!("{value:.*e}", count.saturating_sub(1));
    let Ok(rounded) = text.parse::<f64>() else { return text };
    let exponent = text.rsplit('e').next().and_then(|exponent| exponent.parse::<i32>().ok());
    if exponent.is_some_and(|exponent| PLAIN.contains(&exponent)) {
        return format!("{rounded}");
    }
    shortest(rounded)
}

/// Powers of ten that are written out.
const PLAIN: std::ops::Range<i32> = -4..9;

/// Rows under the names of their facts, in columns.
fn table(rows: &[Description]) -> Vec<String> {
    let mut names: Vec<&'static str> = Vec::new();
    for (name, _) in rows.iter().flat_map(Description::facts) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let head: Vec<String> = names.iter().map(|name| name.replace('_', " ")).collect();
    let mut cells = vec![head];
    for row in rows.iter().take(MOST_ROWS) {
        cells.push(names.iter().map(|name| row.get(name).map_or("-".to_owned(), value)).collect());
    }
    let widths: Vec<usize> = (0..names.len())
        .map(|column| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
        .collect();
    let line = |row: &Vec<String>| {
        let padded: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines: Vec<String> = cells.iter().map(line).collect();
    if rows.len() > MOST_ROWS {
        lines.push(format!("… and {} more", rows.len() - MOST_ROWS));
    }
    lines
}
