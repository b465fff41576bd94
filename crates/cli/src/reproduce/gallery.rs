//! All rows on one page that needs nothing else: what the source says, what we get, the verdict, the figures, the command.

use super::sources::{DOCUMENTS, Document, Item};
use super::{Drawing, Row, Subject, Watch, report};
use crate::plot::escaped;
use std::fmt::Write as _;

const STYLE: &str = include_str!("gallery.css");

/// The page.
pub(super) fn page(rows: &[Row], seed: u64, quick: bool) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Clearance: reproductions</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>What the sources print, and what we get</h1>\n<p>{}.</p>\n\
         <p class=\"faint\">clearance {version}, seed {seed}{}. Each figure and table of five documents that states something \
         is run again; the verdict is that of the run that wrote this page.</p>\n</header>\n<nav><div>",
        escaped(&report::counts(rows)),
        if quick { ", a quick run with fewer starts and steps" } else { "" },
    );
    let shown: Vec<&Document> = DOCUMENTS.iter().filter(|document| !of(document, rows).is_empty()).collect();
    for document in &shown {
        let _ = write!(text, "<a href=\"#d{0}\">{0}</a> ", document.number);
    }
    text += "</div></nav>\n<main>\n";
    for document in shown {
        let _ = writeln!(
            text,
            "<section id=\"d{0}\">\n<h2>{0}</h2>\n<p class=\"faint\">{1}</p>\n{2}",
            document.number,
            escaped(document.title),
            index(document, rows)
        );
        for row in of(document, rows) {
            text += &article(row, seed, quick);
        }
        text += "</section>\n";
    }
    text + "</main>\n</body>\n</html>\n"
}

/// The rows of a document.
pub(super) fn of<'a>(document: &Document, rows: &'a [Row]) -> Vec<&'a Row> {
    rows.iter().filter(|row| row.subject.name.starts_with(document.number)).collect()
}

/// Every figure and table of a document with its verdict.
fn index(document: &Document, rows: &[Row]) -> String {
    let mut text =
        "<table>\n<thead><tr><th>place</th><th>what it shows</th><th>verdict</th></tr></thead>\n<tbody>\n"
            .to_owned();
    for item in document.items {
        let Item { place, what, rows: names } = item;
        let found: Vec<&Row> = rows.iter().filter(|row| names.contains(&row.subject.name)).collect();
        let place = found.first().map_or_else(
            || escaped(place),
            |row| format!("<a href=\"#{}\">{}</a>", row.subject.name, escaped(place)),
        );
        let verdicts: Vec<String> = found.iter().map(|row| badge(row)).collect();
        let faint = |text: &str| format!("<span class=\"faint\">{text}</span>");
        let verdict = match item.without_row() {
            Some(text) => faint(text),
            None if verdicts.is_empty() => faint("not in this run"),
            None => verdicts.join(" "),
        };
        let _ = writeln!(text, "<tr><td>{place}</td><td>{}</td><td>{verdict}</td></tr>", escaped(what));
    }
    text + "</tbody>\n</table>\n"
}

fn badge(row: &Row) -> String {
    let word = row.finding.verdict.word();
    format!("<span class=\"verdict {}\">{word}</span>", word.replace(' ', "-"))
}

fn article(row: &Row, seed: u64, quick: bool) -> String {
    let Row { subject, finding, drawings } = row;
    let because = finding.verdict.because();
    let mut text = format!(
        "<article id=\"{name}\">\n<div class=\"head\"><h3>{place}</h3>{badge}<code>{name}</code></div>\n\
         <div class=\"pair\"><div><h4>the source</h4><p>{printed}</p></div>\n\
         <div><h4>here</h4>{ours}</div></div>\n",
        name = subject.name,
        place = escaped(subject.place),
        badge = badge(row),
        printed = escaped(subject.printed),
        ours = ours(&finding.ours),
    );
    if !because.is_empty() {
        let _ = writeln!(text, "<p class=\"because\">{}: {}</p>", finding.verdict.word(), escaped(because));
    }
    for drawing in drawings.iter().filter(|drawing| drawing.is_picture()) {
        text += &figure(drawing);
    }
    let _ = writeln!(
        text,
        "<pre class=\"command\">{}</pre>\n</article>",
        escaped(&commands(subject, seed, quick))
    );
    text
}

/// Tables keep their columns; of prose every line is a paragraph.
fn ours(text: &str) -> String {
    if text.lines().any(|line| line.trim_start().contains("  ")) {
        return format!("<pre class=\"ours\">{}</pre>", escaped(text));
    }
    text.lines().map(|line| format!("<p>{}</p>", escaped(line))).collect()
}

/// What a reader types to see a row again.
pub(super) fn commands(subject: &Subject, seed: u64, quick: bool) -> String {
    let quick = if quick { " --quick" } else { "" };
    let mut text = format!("clearance reproduce {} --seed {seed}{quick} --figures out", subject.name);
    let scene = subject.scene.split([',', ' ']).next().unwrap_or(subject.scene);
    match subject.watch {
        Watch::Nothing => {}
        Watch::Track => text += &format!("\nclearance track {scene} --record out.html"),
        Watch::Simulate => text += &format!("\nclearance simulate {scene} --record out.html"),
    }
    text
}

/// A figure inside the page: its own size becomes the most it takes.
fn figure(drawing: &Drawing) -> String {
    let wide = drawing.content.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
    let wide: f64 = wide.and_then(|text| text.parse().ok()).unwrap_or(0.0);
    let class = if wide < 800.0 { " class=\"small\"" } else { "" };
    let label = drawing.name.trim_end_matches(".svg");
    let svg =
        drawing.content.replacen("<svg ", &format!("<svg{class} role=\"img\" aria-label=\"{label}\" "), 1);
    format!("<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escaped(&drawing.name))
}
