//! Rows as text and as JSON.

use super::{Judgement, Row};
use crate::json::quoted;

/// How many rows came to what, in words.
pub(super) fn counts(rows: &[Row]) -> String {
    let count = |word: &str| rows.iter().filter(|row| row.finding.verdict.word() == word).count();
    let mut parts = vec![format!("{} of {} agree", count("agrees"), rows.len())];
    for (word, plural) in [
        ("differs", "differ for a reason"),
        ("source in error", "are errors of their source"),
        ("disagrees", "DISAGREE"),
    ] {
        if count(word) > 0 {
            parts.push(format!("{} {plural}", count(word)));
        }
    }
    parts.join(", ")
}

pub(super) fn in_words(rows: &[Row]) -> String {
    let mut text = String::new();
    for Row { subject, finding, .. } in rows {
        let verdict = match &finding.verdict {
            Judgement::Disagrees => "DISAGREES".to_owned(),
            other if other.because().is_empty() => other.word().to_owned(),
            other => format!("{}: {}", other.word(), other.because().replace('\n', "\n           ")),
        };
        text += &format!("{}  ({})\n", subject.name, subject.place);
        text += &format!("  scene    {}\n", subject.scene);
        text += &format!("  printed  {}\n", subject.printed);
        text += &format!("  ours     {}\n", finding.ours.replace('\n', "\n           "));
        text += &format!("  verdict  {verdict}\n\n");
    }
    text + &counts(rows) + "\n"
}

pub(super) fn json(rows: &[Row]) -> String {
    rows.iter()
        .map(|Row { subject, finding, .. }| {
            format!(
                "{{\"name\": {}, \"place\": {}, \"scene\": {}, \"printed\": {}, \"ours\": {}, \"verdict\": {}, \"because\": {}}}\n",
                quoted(subject.name),
                quoted(subject.place),
                quoted(subject.scene),
                quoted(subject.printed),
                quoted(&finding.ours),
                quoted(finding.verdict.word()),
                quoted(finding.verdict.because())
            )
        })
        .collect()
}
