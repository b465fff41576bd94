//! Starting other programs, from the root of the repository.

use crate::Outcome;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the repository: the checkout this program was started in, which need not be the one it was built in
/// when two share a build folder.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().unwrap_or(&here).to_path_buf()
}

/// The cargo that runs this program, started from the root. What it would keep for building parts again is as large as
/// all the rest of a build, and of use to nobody who runs whole ones.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root()).env("CARGO_TERM_COLOR", "auto");
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// Runs a program to its end, its output passed through.
pub(crate) fn through(mut command: Command) -> Outcome {
    let status = command.status().map_err(|error| format!("cannot start {}: {error}", shown(&command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", shown(&command))) }
}

/// Runs a program to its end, hands each line of its standard output to `each`, and prints it.
pub(crate) fn line_by_line(mut command: Command, mut each: impl FnMut(&str)) -> Outcome {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", shown(&command)))?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            each(line.trim_end());
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", shown(&command))) }
}

/// The commit that is checked out, with `+` where the tree differs from it; `unknown` outside git.
pub(crate) fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(hash) = git(&["rev-parse", "--short=12", "HEAD"]) else { return "unknown".to_owned() };
    // The record this run is about to replace does not count as a change.
    let changed = git(&["status", "--porcelain", "--", ".", ":!docs/soak", ":!docs/soak.md"]);
    if changed.is_none_or(|list| list.is_empty()) { hash } else { format!("{hash}+") }
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let mut words = vec![
        Path::new(command.get_program())
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
    ];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    format!("`{}`", words.join(" "))
}
