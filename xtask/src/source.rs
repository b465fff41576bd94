//! Checks on the source text: no bare tolerances, no endless files; the longest files and functions.

mod strip;

use crate::{Outcome, run};
use std::path::{Path, PathBuf};

/// Lines of code and documentation, tests not counted, beyond which a file is refused.
const LONGEST_FILE: usize = 1000;

/// A Rust file of a crate, with comments and strings blanked out and its tests cut off.
struct Source {
    /// Path from the root.
    name: String,
    /// What is left, line by line; as many lines as count for the length.
    code: Vec<String>,
}

/// Refuses literals such as `1e-9` outside `tolerance.rs` and tests.
pub(crate) fn no_bare_tolerances() -> Outcome {
    let mut found = Vec::new();
    for source in library_sources()? {
        if source.name.ends_with("/tolerance.rs") {
            continue;
        }
        for (at, line) in source.code.iter().enumerate() {
            if let Some(literal) = small_literal(line) {
                found.push(format!("  {}:{}: {literal}", source.name, at + 1));
            }
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(format!(
        "small literals belong into a file `tolerance.rs`, with a name, a unit and reasons:\n{}",
        found.join("\n")
    ))
}

/// Prints the ten longest files and functions; refuses a file over [`LONGEST_FILE`] lines.
pub(crate) fn lengths() -> Outcome {
    let sources = all_sources()?;
    let mut files: Vec<(usize, String)> = sources.iter().map(|s| (s.code.len(), s.name.clone())).collect();
    let mut functions: Vec<(usize, String)> = sources
        .iter()
        .flat_map(|s| {
            let place = |(name, line, lines)| (lines, format!("{name}  {}:{line}", s.name));
            strip::functions(&s.code).into_iter().map(place).collect::<Vec<_>>()
        })
        .collect();
    for (what, list) in [("files", &mut files), ("functions", &mut functions)] {
        list.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        println!("longest {what} (lines, tests not counted):");
        for (lines, name) in list.iter().take(10) {
            println!("  {lines:5}  {name}");
        }
    }
    match files.first() {
        Some((lines, name)) if *lines > LONGEST_FILE => {
            Err(format!("{name} has {lines} lines; more than {LONGEST_FILE} is a defect"))
        }
        _ => Ok(()),
    }
}

/// The first literal with a negative exponent, or with four zeros after the point, in a line of code.
fn small_literal(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let starts = bytes[at].is_ascii_digit()
            && (at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_'));
        if !starts {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() {
            let sign = bytes[at] == b'-' && matches!(bytes[at - 1], b'e' | b'E');
            if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'.' | b'_') || sign) {
                break;
            }
            at += 1;
        }
        let literal = &line[start..at];
        let hexadecimal = literal.starts_with("0x");
        if !hexadecimal && (literal.contains("e-") || literal.contains("E-") || literal.starts_with("0.0000"))
        {
            return Some(literal);
        }
    }
    None
}

/// The sources of the crates that make up the product; `testkit` is test code.
fn library_sources() -> Outcome<Vec<Source>> {
    Ok(all_sources()?
        .into_iter()
        .filter(|s| s.name.starts_with("crates/") && !s.name.starts_with("crates/testkit/"))
        .collect())
}

fn all_sources() -> Outcome<Vec<Source>> {
    let root = run::root();
    let mut files = Vec::new();
    for package in std::fs::read_dir(root.join("crates")).map_err(|e| e.to_string())?.flatten() {
        rust_files(&package.path().join("src"), &mut files)?;
    }
    rust_files(&root.join("xtask/src"), &mut files)?;
    files.sort();
    files.iter().filter(|path| !is_test_file(path)).map(|path| read(&root, path)).collect()
}

fn read(root: &Path, path: &Path) -> Outcome<Source> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    Ok(Source { name, code: before_tests(&strip::blanked(&text)) })
}

/// The lines before a test module that is written out; one in a file of its own cuts nothing off.
fn before_tests(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_module = |line: &&str| line.trim_start().starts_with("mod ") && line.trim_end().ends_with('{');
    let end = (0..lines.len())
        .find(|&at| lines[at].trim() == "#[cfg(test)]" && lines[at + 1..].iter().take(2).any(is_module))
        .unwrap_or(lines.len());
    lines[..end].iter().map(|line| (*line).to_owned()).collect()
}

fn is_test_file(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_written_out_are_cut_off() {
        let text = "#[cfg(test)]\nmod tests;\nfn f() {}\n#[cfg(test)]\nmod more {\n}\n";
        assert_eq!(before_tests(text).len(), 3);
    }

    #[test]
    fn small_literals_are_found_and_others_let_through() {
        for line in ["let x = 1e-9;", "a < 2.5E-3 * b", "(0.00001)", "f(1_0e-2)"] {
            assert!(small_literal(line).is_some(), "{line}");
        }
        for line in ["let x = 1e9;", "0.001", "x1e - 9", "one - 1", "0xe-1", "1.0-2.0", "a.0-1", "3-e"] {
            assert_eq!(small_literal(line), None, "{line}");
        }
    }
}
