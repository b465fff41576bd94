//! `clearance reproduce`: figures, tables and theorems of the source documents beside what we get.

mod bodies;
mod book;
mod brazil;
mod feedback;
mod frames;
mod gallery;
mod gamma;
mod outlines;
mod patch;
pub(crate) mod pen;
mod problems;
mod ratio;
mod report;
mod sketch;
mod slopes;
mod sources;
mod spatial;
mod stage;
mod subjects;
mod walk;

use crate::arguments;
use crate::failure::Failure;
use crate::run::{Surroundings, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;
use subjects::SUBJECTS;

/// One figure, table or theorem.
struct Subject {
    /// What it is called on the command line; starts with the number of its document.
    name: &'static str,
    /// Where it stands in the document.
    place: &'static str,
    /// What is run: a scene file, or bodies made on the spot.
    scene: &'static str,
    /// Which command plays the scene in a browser.
    watch: Watch,
    /// What the document prints or claims.
    printed: &'static str,
    work: fn(&Bench<'_>) -> Result<Finding, Failure>,
}

/// Which command records the scene of a subject.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    Nothing,
    Track,
    Simulate,
}

/// What we get.
struct Finding {
    ours: String,
    verdict: Judgement,
}

/// What comes of setting both beside each other.
enum Judgement {
    Agrees,
    /// Ours is right and so is theirs, but they are not the same: why.
    Differs(String),
    /// The document is wrong: how it shows.
    SourceInError(String),
    Disagrees,
}

impl Judgement {
    /// Whether it agrees is all that there is to say.
    fn of(agrees: bool) -> Self {
        if agrees { Self::Agrees } else { Self::Disagrees }
    }

    /// A difference that is understood, provided that it shows as it should.
    fn explained(holds: bool, explained: Self) -> Self {
        if holds { explained } else { Self::Disagrees }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs(_) => "differs",
            Self::SourceInError(_) => "source in error",
            Self::Disagrees => "disagrees",
        }
    }

    fn because(&self) -> &str {
        match self {
            Self::Differs(why) | Self::SourceInError(why) => why,
            _ => "",
        }
    }
}

/// A figure, or a graph in the DOT language, under the name of its file.
struct Drawing {
    name: String,
    content: String,
}

/// A subject with what came of it.
struct Row {
    subject: &'static Subject,
    finding: Finding,
    drawings: Vec<Drawing>,
}

/// What the work on a subject may use.
struct Bench<'a> {
    seed: u64,
    threads: usize,
    /// Whether long rows make do with fewer starts and steps.
    quick: bool,
    /// Folder for figures.
    figures: Option<&'a Path>,
    drawings: RefCell<Vec<Drawing>>,
    progress: ProgressBar,
}

impl Bench<'_> {
    /// Keeps a figure for the gallery, and writes it where figures are wanted.
    fn write_figure(&self, name: &str, content: &str) -> Result<(), Failure> {
        self.drawings.borrow_mut().push(Drawing { name: name.to_owned(), content: content.to_owned() });
        self.figures.map_or(Ok(()), |folder| write(&folder.join(name), content))
    }

    /// Says how far a long row has come.
    fn say(&self, name: &str, what: &str) {
        self.progress.set_message(format!("{name}: {what}"));
    }
}

/// Runs the named subjects, or all; status 1 if one disagrees.
pub(crate) fn reproduce(
    options: &arguments::Reproduce,
    surroundings: &Surroundings,
) -> Result<Verdict, Failure> {
    let chosen = chosen(&options.names)?;
    // Some rows take minutes, which a place that cannot be written must not cost.
    if let Some(path) = options.gallery.iter().chain(&options.book).find(|path| path.is_dir()) {
        return Err(Failure::write(path, &std::io::ErrorKind::IsADirectory.into()));
    }
    let bench = Bench {
        seed: surroundings.common.seed,
        threads: usize::from(surroundings.common.threads),
        quick: options.quick,
        figures: options.figures.as_deref(),
        drawings: RefCell::default(),
        progress: progress(chosen.len(), surroundings),
    };
    let rows = run(&chosen, &bench, surroundings)?;
    let mut text = if surroundings.common.json { report::json(&rows) } else { report::in_words(&rows) };
    let usual = options.names.is_empty().then(|| Path::new("clearance-out/gallery.html"));
    if let Some(path) = options.gallery.as_deref().or(usual) {
        write(path, &gallery::page(&rows, bench.seed, options.quick))?;
        if !surroundings.common.json {
            text += &format!("gallery  {}\n", path.display());
        }
    }
    if let Some(path) = &options.book {
        write(path, &book::page(&rows, bench.seed))?;
        let folder = path.with_file_name("figures");
        for drawing in rows.iter().flat_map(|row| &row.drawings).filter(|drawing| drawing.is_picture()) {
            write(&folder.join(&drawing.name), &drawing.content)?;
        }
    }
    std::io::stdout().write_all(text.as_bytes())?;
    let agrees = rows.iter().all(|row| !matches!(row.finding.verdict, Judgement::Disagrees));
    Ok(if agrees { Verdict::Clear } else { Verdict::Violated })
}

fn run(
    chosen: &[&'static Subject],
    bench: &Bench<'_>,
    surroundings: &Surroundings,
) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for &subject in chosen {
        if surroundings.expired() {
            return Err(surroundings.gave_up(&format!("{} subjects are done", rows.len())));
        }
        bench.progress.set_message(subject.name);
        let finding = (subject.work)(bench)?;
        rows.push(Row { subject, finding, drawings: bench.drawings.take() });
        bench.progress.inc(1);
    }
    bench.progress.finish_and_clear();
    Ok(rows)
}

impl Drawing {
    fn is_picture(&self) -> bool {
        self.name.ends_with(".svg")
    }
}

/// Writes a file, and the folder it is in.
fn write(path: &Path, content: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, content))
        .map_err(|error| Failure::write(path, &error))
}

/// The subjects that the names stand for: a name, or the start of one (`002`).
fn chosen(names: &[String]) -> Result<Vec<&'static Subject>, Failure> {
    if names.is_empty() {
        return Ok(SUBJECTS.iter().collect());
    }
    let mut wanted = Vec::new();
    for name in names {
        let before = wanted.len();
        wanted.extend(SUBJECTS.iter().filter(|s| s.name == name || s.name.split('-').next() == Some(name)));
        if wanted.len() == before {
            let known: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
            return Err(Failure::input("unknown_name", format!("nothing to reproduce is named `{name}`"))
                .help(format!("names are 000 to 004, {}", known.join(", "))));
        }
    }
    Ok(wanted)
}

fn progress(count: usize, surroundings: &Surroundings) -> ProgressBar {
    if !surroundings.shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}  {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
