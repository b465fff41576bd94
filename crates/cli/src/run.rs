//! From arguments to an exit status.

use crate::arguments::{Arguments, Command, Common};
use crate::failure::{Failure, Report};
use crate::{
    check, check_certificate, describe, distance, impact, interrupt, query, reproduce, schema, simulate,
    track, view,
};
use clap::Parser as _;
use clearance_formats::{Context, Units};
use indicatif::{ProgressBar, ProgressStyle};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What a command came to, where nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Done and clear: status 0.
    Clear,
    /// A clash, a gap violated, a failed verdict: status 1.
    Violated,
    /// Some lines of a stream were bad: status 2.
    BadLines,
    /// Stopped by an interrupt, what was done by then kept and said: status 130.
    Interrupted,
}

impl Verdict {
    /// Of a run that may have been stopped, and may have found something bad.
    pub(crate) const fn of_run(stopped: bool, violated: bool) -> Self {
        match (stopped, violated) {
            (true, _) => Self::Interrupted,
            (false, true) => Self::Violated,
            (false, false) => Self::Clear,
        }
    }
}

/// What every command knows.
pub(crate) struct Surroundings {
    pub(crate) common: Common,
    pub(crate) units: Units,
    pub(crate) deadline: Option<Instant>,
}

impl Surroundings {
    fn new(common: Common) -> Result<Self, Failure> {
        let units =
            common.units.parse().map_err(|error| Failure::in_text(&error, "--units", &common.units))?;
        let deadline = common.timeout.map(|seconds| {
            // Longer than a century is for ever.
            Instant::now() + Duration::from_secs_f64(seconds.min(3.0e9))
        });
        Ok(Self { common, units, deadline })
    }

    /// File names count from the working folder.
    pub(crate) fn context(&self) -> Context {
        Context::new("", self.units)
    }

    /// Whether `--timeout` has passed.
    pub(crate) fn expired(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// What to say when it has.
    pub(crate) fn gave_up(&self, done: &str) -> Failure {
        let seconds = self.common.timeout.unwrap_or_default();
        Failure::input("timeout", format!("gave up after {seconds} s: {done}"))
    }

    /// Whether progress may be shown.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.common.quiet && std::io::stderr().is_terminal()
    }

    /// A bar that counts to `length`, hidden where nobody looks.
    pub(crate) fn progress(&self, length: u64, what: &str) -> ProgressBar {
        if !self.shows_progress() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(length);
        if let Ok(style) =
            ProgressStyle::with_template(&format!("{{bar:32}} {{pos}}/{{len}} {what}  {{eta}} left"))
        {
            bar.set_style(style);
        }
        bar
    }
}

/// Runs the command line; the whole of `main`.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers; the rest is bad input.
            let status = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    match dispatch(arguments) {
        Ok(Verdict::Clear) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Ok(Verdict::Violated) => ExitCode::from(1),
        Ok(Verdict::BadLines) => ExitCode::from(2),
        Ok(Verdict::Interrupted) => ExitCode::from(interrupt::STATUS),
        Err(Failure::Input(report)) => {
            show(&report);
            ExitCode::from(2)
        }
    }
}

fn dispatch(arguments: Arguments) -> Result<Verdict, Failure> {
    let surroundings = Surroundings::new(arguments.common)?;
    let records = matches!(arguments.command, None | Some(Command::Track(_) | Command::Simulate(_)));
    if surroundings.common.record.is_some() && !records {
        return Err(Failure::input(
            "bad_value",
            "`--record` goes with `track`, `simulate` and the built-in scene",
        ));
    }
    let proves = matches!(arguments.command, Some(Command::Query | Command::Distance(_)));
    if let Some(folder) = &surroundings.common.certificates {
        if !proves {
            return Err(Failure::input("bad_value", "`--certificates` goes with `query` and `distance`"));
        }
        std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder, &error))?;
    }
    match arguments.command {
        None => track::built_in(&arguments.out, &surroundings),
        Some(Command::Query) => query::query(&surroundings),
        Some(Command::Distance(options)) => distance::distance(&options, &surroundings),
        Some(Command::Check(options)) => check::check(&options, &surroundings),
        Some(Command::Describe { what }) => describe::describe(&what, &surroundings),
        Some(Command::CheckCertificate { file }) => {
            check_certificate::check_certificate(&file, &surroundings)
        }
        Some(Command::Track(options)) => track::track(&options, &surroundings),
        Some(Command::Impact(options)) => impact::impact(&options, &surroundings),
        Some(Command::View(options)) => view::view(&options, &surroundings),
        Some(Command::Simulate(options)) => simulate::simulate(&options, &surroundings),
        Some(Command::Reproduce(options)) => reproduce::reproduce(&options, &surroundings),
        Some(Command::Schema { subject }) => schema::schema(subject),
    }
}

/// Prints a report on standard error, in colour where a person reads it.
fn show(report: &Report) {
    let colored = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let theme = if colored { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    if handler.render_report(&mut text, report).is_err() {
        text = format!("{report}\n");
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}
