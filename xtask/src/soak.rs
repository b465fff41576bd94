//! `cargo xtask soak NAME`: long random runs and the record of the last of each.
//!
//! The programs are in `crates/testkit` (`soak NAME --count N --seed S`). Each prints one JSON object on
//! standard output; it goes with the commit and the verdict into `docs/soak/NAME.json`, and `docs/soak.md` is
//! written anew from all of these files.

use crate::{Outcome, run};
use std::fmt::Write as _;
use std::path::Path;

const PAGE_HEAD: &str = "\
# Soak runs

The last long random run of each kind. `cargo xtask soak NAME [--count N] [--seed S]` repeats one and writes
this page; a `+` after a commit says that the tree differed from it. The meaning of each count is in the
documentation of the program, `crates/testkit/src/bin/soak`.

";

/// Runs one soak program and records what it says, whether it passed or not.
pub(crate) fn soak(words: &[&str]) -> Outcome {
    let Some((&name, rest)) = words.split_first() else {
        return Err("soak needs a name; `cargo xtask soak list` prints them".to_owned());
    };
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return Err(format!("{name} is not a name"));
    }
    if name == "reproduce" {
        return reproduce(words, rest);
    }
    // One program for all of them but one: the interior-point solver brings many crates, and only its own run builds it.
    let features = if name == "qp" { "certificates,dynamics,qp" } else { "certificates,dynamics" };
    let mut arguments = vec!["run", "--release", "-p", "clearance-testkit", "--features", features];
    arguments.extend(["--bin", "soak", "--"]);
    if name == "list" {
        // Without a name the program prints what it knows, as a complaint.
        return run::cargo(&arguments).status().map(|_| ()).map_err(|error| error.to_string());
    }
    arguments.push(name);
    arguments.extend(rest);
    let commit = run::commit();
    let mut result = String::new();
    let outcome = run::line_by_line(run::cargo(&arguments), |line| {
        if line.starts_with('{') || !result.is_empty() {
            result += line.trim();
            result.push(' ');
        }
    });
    let result = result.trim();
    if !result.ends_with('}') {
        outcome?;
        return Err("the program ended without a JSON object, so nothing is recorded".to_owned());
    }
    record(words, &commit, result, outcome)
}

/// Runs every row of `clearance reproduce` in full and records their verdicts; fails where one disagrees.
fn reproduce(words: &[&str], rest: &[&str]) -> Outcome {
    let mut arguments = vec!["run", "--release", "-p", "clearance-cli", "--", "reproduce", "--json"];
    arguments.extend(rest);
    let commit = run::commit();
    let mut verdicts: Vec<String> = Vec::new();
    let outcome = run::line_by_line(run::cargo(&arguments), |line| {
        let fields = fields(line);
        let get = |key: &str| fields.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone());
        if let (Some(row), Some(verdict)) = (get("name"), get("verdict")) {
            verdicts.push(format!("\"{row}\": \"{verdict}\""));
        }
    });
    if verdicts.is_empty() {
        outcome?;
        return Err("no row was printed, so nothing is recorded".to_owned());
    }
    let result = format!("{{\"rows\": {}, \"verdicts\": {{{}}}}}", verdicts.len(), verdicts.join(", "));
    record(words, &commit, &result, outcome)
}

/// Writes what a run said into its file and the page.
fn record(words: &[&str], commit: &str, result: &str, outcome: Outcome) -> Outcome {
    let name = words.first().copied().unwrap_or_default();
    let record = format!(
        "{{\n  \"name\": \"{name}\",\n  \"command\": \"cargo xtask soak {}\",\n  \"commit\": \"{commit}\",\n  \
         \"passed\": {},\n  \"result\": {result}\n}}\n",
        words.join(" "),
        outcome.is_ok(),
    );
    let folder = run::root().join("docs/soak");
    write(&folder.join(format!("{name}.json")), &record)?;
    write(&run::root().join("docs/soak.md"), &page(&folder)?)?;
    println!("recorded in docs/soak/{name}.json and docs/soak.md");
    outcome
}

/// The page that lists every record, in the order of their names.
fn page(folder: &Path) -> Outcome<String> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    let mut text = PAGE_HEAD.to_owned();
    for file in files {
        let record =
            std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        text.push_str(&section(&record));
    }
    Ok(text)
}

/// One record as a heading and a table.
fn section(record: &str) -> String {
    let fields = fields(record);
    let get = |key: &str| fields.iter().find(|(k, _)| k == key).map_or("?", |(_, value)| value.as_str());
    let verdict = if get("passed") == "true" { "passed" } else { "**failed**" };
    let mut text = format!(
        "## {}\n\n`{}` at {}: {verdict}.\n\n| what | value |\n|---|---|\n",
        get("name"),
        get("command"),
        get("commit"),
    );
    for (key, value) in self::fields(get("result")) {
        // Bodies and poses of failures fill pages; they stay in the record.
        if key == "simplest_failures" {
            continue;
        }
        // Nested objects and lists read better without their punctuation.
        let value = value.replace(['{', '}', '[', ']', '"'], "").replace('|', "\\|");
        let _ = writeln!(text, "| {} | {value} |", key.replace('_', " "));
    }
    text.push('\n');
    text
}

/// The entries of a JSON object, in order: keys, and values as they are written (strings unquoted).
fn fields(object: &str) -> Vec<(String, String)> {
    let inner = object.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or("");
    let mut entries = Vec::new();
    let (mut depth, mut quoted, mut escaped, mut start) = (0_u32, false, false, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                if let Some((key, value)) = inner[start..at].split_once(':') {
                    entries.push((unquoted(key), unquoted(value)));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    entries
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text).to_owned()
}

fn write(path: &Path, text: &str) -> Outcome {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_order_and_nested_values() {
        let got = fields(r#"{"a": 1, "mix": {"x": [1, 2], "y": "p,q"}, "s": "a\"b,c"}"#);
        let keys: Vec<&str> = got.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["a", "mix", "s"]);
        assert_eq!(got[1].1, r#"{"x": [1, 2], "y": "p,q"}"#);
        assert_eq!(got[2].1, r#"a\"b,c"#);
    }

    #[test]
    fn section_names_seed_count_and_commit() {
        let text = section(
            "{\n\"name\": \"pairs\",\n\"command\": \"cargo xtask soak pairs\",\n\"commit\": \"abc\",\n\
             \"passed\": true,\n\"result\": {\"count\": 5, \"states\": {\"apart\": 7}}\n}",
        );
        for part in ["## pairs", "at abc: passed", "| count | 5 |", "| states | apart: 7 |"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
