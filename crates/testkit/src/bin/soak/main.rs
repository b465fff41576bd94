//! Long random runs whose every answer is verified: `soak RUN --count N --seed S [--threads T] [--seconds S]`.
//!
//! A run prints progress to stderr and one JSON object to stdout: counts by state and by arrangement, the
//! worst error in units of the tolerance, and of each kind of failure the simplest, with the case that
//! repeats it (`--only CASE`). It exits with 1 when a case failed or the mix of cases was not as stated.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod options;
mod report;
mod runs;
mod tally;

use options::{Options, Run};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tally::Tally;

/// Cases that a thread takes at a time.
const CHUNK: u64 = 32;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    let started = Instant::now();
    let case = match runs::prepare(&options) {
        Ok(case) => case,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::from(2);
        }
    };
    eprintln!("{}: bodies ready after {:.1} s", options.run.name(), started.elapsed().as_secs_f64());
    let tally = if let Some(only) = options.only {
        let mut tally = Tally::default();
        case(only, &mut tally);
        tally
    } else {
        all_cases(&options, &*case, started)
    };
    let complaints = if options.only.is_some() { Vec::new() } else { tally.mix_complaints(&options) };
    println!("{}", report::json(&options, &tally, &complaints, started.elapsed().as_secs_f64()));
    if tally.failures() == 0 && complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn all_cases(options: &Options, case: &runs::Case<'_>, started: Instant) -> Tally {
    let next = AtomicU64::new(0);
    let worker = || {
        let mut tally = Tally::default();
        loop {
            let from = next.fetch_add(CHUNK, Ordering::Relaxed);
            let late = options.seconds.is_some_and(|most| started.elapsed().as_secs() >= most);
            if from >= options.count || late {
                return tally;
            }
            for index in from..(from + CHUNK).min(options.count) {
                case(index, &mut tally);
            }
            progress(options, from, started);
        }
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..options.threads).map(|_| scope.spawn(worker)).collect();
        handles.into_iter().fold(Tally::default(), |sum, handle| match handle.join() {
            Ok(tally) => sum.merged(tally),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

fn progress(options: &Options, from: u64, started: Instant) {
    let twentieth = (options.count / 20).max(1);
    if from / twentieth != (from + CHUNK) / twentieth {
        let part = 100 * (from + CHUNK).min(options.count) / options.count;
        eprintln!("{}: {part} % after {:.0} s", Run::name(options.run), started.elapsed().as_secs_f64());
    }
}
