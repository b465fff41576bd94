//! The same rows as a page of the book, in Markdown.

use super::gallery::{commands, of};
use super::sources::{DOCUMENTS, Document};
use super::{Row, report};
use std::fmt::Write as _;

/// The page; figures are beside it in `figures/`.
pub(super) fn page(rows: &[Row], seed: u64) -> String {
    let mut text = format!(
        "# Gallery\n\nEvery figure and table of the source documents that states something, run again. Written by \
         `clearance reproduce --book docs/gallery.md`; the same with all figures on one page is what `clearance reproduce` \
         writes. {}; seed {seed}.\n",
        report::counts(rows)
    );
    for document in &DOCUMENTS {
        let mine = of(document, rows);
        if mine.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {}\n\n{}.\n\n{}", document.number, document.title, index(document, rows));
        for row in mine {
            text += &section(row, seed);
        }
    }
    text
}

fn index(document: &Document, rows: &[Row]) -> String {
    let mut text = "| place | what it shows | verdict |\n|---|---|---|\n".to_owned();
    for item in document.items {
        let verdicts: Vec<String> = rows
            .iter()
            .filter(|row| item.rows.contains(&row.subject.name))
            .map(|row| format!("[{}](#{})", row.finding.verdict.word(), anchor(row.subject.name)))
            .collect();
        let verdict = item.without_row().map_or_else(|| verdicts.join(", "), str::to_owned);
        let _ = writeln!(text, "| {} | {} | {verdict} |", item.place, item.what);
    }
    text
}

/// What a heading is linked by.
fn anchor(name: &str) -> String {
    name.replace('.', "")
}

fn section(row: &Row, seed: u64) -> String {
    let Row { subject, finding, drawings } = row;
    let because = finding.verdict.because();
    let because =
        if because.is_empty() { String::new() } else { format!(": {}", because.replace('\n', " ")) };
    let mut text = format!(
        "\n### {}\n\n{}. **{}**{because}\n\nThe source: {}\n\nHere:\n\n```text\n{}\n```\n\n",
        subject.name,
        subject.place,
        finding.verdict.word(),
        subject.printed,
        finding.ours
    );
    for drawing in drawings.iter().filter(|drawing| drawing.is_picture()) {
        let _ = writeln!(text, "![{0}](figures/{0})\n", drawing.name);
    }
    let _ = write!(text, "```text\n{}\n```\n", commands(subject, seed, false));
    text
}
