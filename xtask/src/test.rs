//! `cargo xtask test`: what a change must pass. Stops at the first failure.
//!
//! Quick refusals come first (format, source checks), then lints, documentation, tests. The library tests run
//! a second time optimised and without debug assertions, because that is the code users run. Tests that lack
//! their data folder append a line to the file named by `CLEARANCE_SKIP_LOG`; the lines are counted and shown.

use crate::{Outcome, run, source, viewer};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The whole command promises to stay below this, cold, on two cores.
const BUDGET: Duration = Duration::from_secs(45 * 60);

/// The optimised run is left out, and said so, when less than this is left of the budget.
const RESERVE: Duration = Duration::from_secs(20 * 60);

/// What the test runs added up to.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

/// A run of all steps.
struct Session {
    began: Instant,
    step: usize,
    counts: Counts,
    skip_log: PathBuf,
}

const STEPS: usize = 10;

/// Runs everything; the error names the step that failed.
pub(crate) fn test() -> Outcome {
    let folder = target_folder();
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let skip_log = folder.join("skipped-tests.txt");
    std::fs::write(&skip_log, "").map_err(|error| format!("{}: {error}", skip_log.display()))?;
    let mut session = Session { began: Instant::now(), step: 0, counts: Counts::default(), skip_log };
    let outcome = session.all();
    session.summary(&outcome);
    outcome
}

impl Session {
    fn all(&mut self) -> Outcome {
        self.step("format", |_| run::through(run::cargo(&["fmt", "--all", "--check"])))?;
        self.step("source checks", |_| {
            source::no_bare_tolerances()?;
            source::lengths()?;
            viewer::is_built()
        })?;
        self.step("lints", |_| {
            run::through(run::cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
        })?;
        self.step("documentation", |_| {
            let mut doc =
                run::cargo(&["doc", "--workspace", "--lib", "--no-deps", "--document-private-items"]);
            doc.env("RUSTDOCFLAGS", "-D warnings");
            run::through(doc)
        })?;
        self.step("tests", |s| {
            s.tests(&["test", "--workspace", "--lib", "--bins", "--tests", "--examples"])
        })?;
        self.step("documentation examples", |s| s.tests(&["test", "--workspace", "--doc"]))?;
        self.step("library tests, optimised", |s| {
            if s.began.elapsed() + RESERVE > BUDGET {
                println!("left out: too little of the {} minutes is left", BUDGET.as_secs() / 60);
                return Ok(());
            }
            s.tests(&["test", "--release", "--workspace", "--lib"])
        })?;
        self.step("solvers against Clarabel", |s| {
            if s.began.elapsed() + RESERVE > BUDGET {
                println!("left out: too little of the {} minutes is left", BUDGET.as_secs() / 60);
                return Ok(());
            }
            let features = ["--features", "reference", "--test", "solvers", "--test", "choices"];
            s.tests(&[&["test", "--release", "-p", "clearance-dynamics"], &features[..]].concat())
        })?;
        self.step("first result", |_| {
            let mut show = run::cargo(&["run", "--release", "--quiet", "--", "--out"]);
            show.arg(target_folder().join("first-result"));
            run::through(show)
        })?;
        self.step("page in the browser", |_| viewer::works(&target_folder().join("release/clearance")))
    }

    /// One step with its line before and after.
    fn step(&mut self, name: &str, work: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        self.step += 1;
        println!("\n=== [{}/{STEPS}] {name}   (at {})", self.step, time(self.began.elapsed()));
        let began = Instant::now();
        let outcome = work(self).map_err(|reason| format!("{name}: {reason}"));
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("=== [{}/{STEPS}] {name}: {word} in {}", self.step, time(began.elapsed()));
        outcome
    }

    fn tests(&mut self, arguments: &[&str]) -> Outcome {
        let mut command: Command = run::cargo(arguments);
        command.env("CLEARANCE_SKIP_LOG", &self.skip_log);
        let counts = &mut self.counts;
        run::line_by_line(command, |line| counts.add(line))
    }

    fn summary(&self, outcome: &Outcome) {
        let log = std::fs::read_to_string(&self.skip_log).unwrap_or_default();
        let mut skipped: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
        skipped.sort_unstable();
        skipped.dedup();
        println!();
        for line in &skipped {
            println!("skipped: {}", line.trim_start_matches("SKIPPED "));
        }
        let word = match outcome {
            Ok(()) => "ok".to_owned(),
            Err(_) => format!("FAILED at step {}", self.step),
        };
        let Counts { passed, failed, ignored } = self.counts;
        println!(
            "xtask test result: {word}. {passed} passed; {failed} failed; {ignored} ignored; {} skipped for \
             want of data; finished in {}",
            skipped.len(),
            time(self.began.elapsed())
        );
    }
}

impl Counts {
    /// Adds up lines such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
    fn add(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        for part in rest.split([';', '.']) {
            let mut words = part.split_whitespace();
            let (Some(number), Some(word)) = (words.next(), words.next()) else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

/// Where cargo builds, which git ignores.
fn target_folder() -> PathBuf {
    let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    run::root().join(set.as_deref().unwrap_or(Path::new("target")))
}

fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 60.0 { format!("{seconds:.1} s") } else { format!("{:.1} min", seconds / 60.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_over_result_lines() {
        let mut counts = Counts::default();
        counts.add("running 3 tests");
        counts.add(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        );
        counts.add("test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(counts, Counts { passed: 14, failed: 1, ignored: 1 });
    }
}
