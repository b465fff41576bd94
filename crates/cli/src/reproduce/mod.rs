//! `clearance reproduce`: figures and theorems of the source documents beside what we get.

mod bodies;
mod ratio;
mod walk;

use crate::arguments;
use crate::failure::Failure;
use crate::json::quoted;
use crate::run::{Surroundings, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// One figure, table or theorem.
struct Subject {
    /// What it is called on the command line; starts with the number of its document.
    name: &'static str,
    /// Where it stands in the document.
    place: &'static str,
    /// What is run: a scene file, or bodies made on the spot.
    scene: &'static str,
    /// What the document prints or claims.
    printed: &'static str,
    work: fn(&Bench<'_>) -> Result<Finding, Failure>,
}

/// What we get.
struct Finding {
    ours: String,
    agrees: bool,
}

/// What the work on a subject may use.
struct Bench<'a> {
    seed: u64,
    /// Folder for figures.
    figures: Option<&'a Path>,
}

impl Bench<'_> {
    /// Writes a figure where one is wanted.
    fn write_figure(&self, name: &str, svg: &str) -> Result<(), Failure> {
        let Some(folder) = self.figures else { return Ok(()) };
        let path = folder.join(name);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, svg))
            .map_err(|error| Failure::write(&path, &error))
    }
}

/// Every subject, in the order of the documents.
const SUBJECTS: [Subject; 9] = [
    Subject {
        name: "002-symmetry",
        place: "002, proposition 2.13",
        scene: "random hulls",
        printed: "r(P1, P2) = r(P2, P1)",
        work: ratio::symmetry,
    },
    Subject {
        name: "002-trichotomy",
        place: "002, proposition 2.14",
        scene: "random hulls",
        printed: "r < 1, r = 1, r > 1: overlap, contact, apart",
        work: ratio::trichotomy,
    },
    Subject {
        name: "002-figure-2",
        place: "002, figure 2",
        scene: "scenes/002/figure-2.toml",
        printed: "grown or shrunk by r, two triangles just touch",
        work: ratio::figure_2,
    },
    Subject {
        name: "002-theorem-2.16",
        place: "002, theorem 2.16",
        scene: "random hulls",
        printed: "s/D <= rho <= s/eps apart, mirrored when overlapping",
        work: ratio::theorem_2_16,
    },
    Subject {
        name: "002-figure-5",
        place: "002, figure 5",
        scene: "scenes/002/figure-5.toml",
        printed: "the plane of r need not be that of the shortest way apart",
        work: ratio::figure_5,
    },
    Subject {
        name: "002-figure-10",
        place: "002, figure 10",
        scene: "scenes/002/figure-10.toml",
        printed: "d = y1 - a |sin angle|, not differentiable where level",
        work: ratio::figure_10,
    },
    Subject {
        name: "003-spheres",
        place: "003, chapter 3, time against vertices",
        scene: "spheres, 12 to 2562 vertices, 1 degree per step",
        printed: "steps grow about as the root of n",
        work: walk::spheres,
    },
    Subject {
        name: "003-cylinders",
        place: "003, chapter 3, time against vertices",
        scene: "prisms, 8 to 512 sides, 1 degree per step",
        printed: "steps grow at most linearly in n",
        work: walk::cylinders,
    },
    Subject {
        name: "003-initialisation",
        place: "003, chapter 3, table of CPU times",
        scene: "the same bodies from arbitrary features",
        printed: "with initialisation nearly constant, without at most linear",
        work: walk::initialisation,
    },
];

/// Runs the named subjects, or all; status 1 if one disagrees.
pub(crate) fn reproduce(
    options: &arguments::Reproduce,
    surroundings: &Surroundings,
) -> Result<Verdict, Failure> {
    let chosen = chosen(&options.names)?;
    let figures: Option<PathBuf> = options.figures.clone();
    let bench = Bench { seed: surroundings.common.seed, figures: figures.as_deref() };
    let progress = progress(chosen.len(), surroundings);
    let mut rows = Vec::new();
    for subject in chosen {
        if surroundings.expired() {
            return Err(surroundings.gave_up(&format!("{} subjects are done", rows.len())));
        }
        progress.set_message(subject.name);
        rows.push((subject, (subject.work)(&bench)?));
        progress.inc(1);
    }
    progress.finish_and_clear();
    let agrees = rows.iter().all(|(_, finding)| finding.agrees);
    let text = if surroundings.common.json { json(&rows) } else { in_words(&rows) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(if agrees { Verdict::Clear } else { Verdict::Violated })
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
                .help(format!("names are 002, 003, {}", known.join(", "))));
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
    bar
}

fn in_words(rows: &[(&Subject, Finding)]) -> String {
    let mut text = String::new();
    for (subject, finding) in rows {
        let verdict = if finding.agrees { "agrees" } else { "DISAGREES" };
        text += &format!("{}  ({})\n", subject.name, subject.place);
        text += &format!("  scene    {}\n", subject.scene);
        text += &format!("  printed  {}\n", subject.printed);
        text += &format!("  ours     {}\n", finding.ours.replace('\n', "\n           "));
        text += &format!("  verdict  {verdict}\n\n");
    }
    let agreed = rows.iter().filter(|(_, finding)| finding.agrees).count();
    text + &format!("{agreed} of {} agree\n", rows.len())
}

fn json(rows: &[(&Subject, Finding)]) -> String {
    rows.iter()
        .map(|(subject, finding)| {
            format!(
                "{{\"name\": {}, \"place\": {}, \"scene\": {}, \"printed\": {}, \"ours\": {}, \"verdict\": \"{}\"}}\n",
                quoted(subject.name),
                quoted(subject.place),
                quoted(subject.scene),
                quoted(subject.printed),
                quoted(&finding.ours),
                if finding.agrees { "agrees" } else { "disagrees" }
            )
        })
        .collect()
}
