//! `cargo xtask bench NAME`: the benchmarks against peers, which live in their own workspace.

use crate::{Outcome, run};

/// Runs the program of `bench/` with the given words; it writes `bench/results/NAME.json` itself.
pub(crate) fn bench(words: &[&str]) -> Outcome {
    if words.is_empty() {
        return Err("bench needs a name; `cargo xtask bench list` prints them".to_owned());
    }
    let mut arguments = vec!["run", "--release", "--manifest-path", "bench/Cargo.toml"];
    // Their peers take minutes to build, which the others need not wait for.
    if words[0] == "step" || words[0] == "dynamics" {
        arguments.extend(["--features", words[0]]);
    }
    arguments.push("--");
    arguments.extend(words);
    run::through(run::cargo(&arguments))
}
