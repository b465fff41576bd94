//! Chores of the repository: `cargo xtask test`, `soak`, `bench`, `book`, `help`.
//!
//! Uses the standard library alone, so that the first chore starts within seconds of a clone.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod bench;
mod run;
mod soak;
mod source;
mod test;
mod viewer;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask COMMAND

  test                                everything a change must pass; under 45 minutes cold on two cores
  soak NAME [--count N] [--seed S]    a long random run, recorded in docs/soak.md and docs/soak/NAME.json
  soak list                           the names
  bench NAME                          ours beside the peers, in one run; writes bench/results/NAME.json
  bench list                          the names
  book                                makes the pages of docs/ that are made: scene reference, support, comparison
  help                                this page

environment
  CLEARANCE_DATA      folder of real meshes for the tests (else ../shared/data, else scenes/)
  CLEARANCE_SKIP_LOG  file that tests without their data append to; set by `cargo xtask test`
";

/// What a chore gives back: nothing, or the reason why it stopped.
type Outcome<T = ()> = Result<T, String>;

/// Makes the pages that tests compare with what they should be.
fn book() -> Outcome {
    let mut test = run::cargo(&["test", "--package", "clearance-cli", "--test", "generated"]);
    test.env("CLEARANCE_WRITE_BOOK", "1");
    run::through(test)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::test(),
        ["soak", rest @ ..] => soak::soak(rest),
        ["bench", rest @ ..] => bench::bench(rest),
        ["book"] => book(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        [other, ..] => Err(format!("no such command or arguments: {other}\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}
