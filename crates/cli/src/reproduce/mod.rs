//! `clearance reproduce`: figures and theorems of the source documents beside what we get.

mod bodies;
mod feedback;
mod outlines;
mod patch;
pub(crate) mod pen;
mod ratio;
mod sketch;
mod spatial;
mod stage;
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
const SUBJECTS: [Subject; 21] = [
    Subject {
        name: "000-figure-6",
        place: "000, figure 6",
        scene: "scenes/000/figure-6.toml",
        printed: "a start runs along a boundary and leaves it: modes 5, 4, 5; the patch is invariant",
        work: patch::figure_6,
    },
    Subject {
        name: "000-figure-7",
        place: "000, figure 7",
        scene: "scenes/000/figure-6.toml, 20 x 20 starts",
        printed: "Newton: a small set; held at the boundary: larger; switching: all starts",
        work: patch::figure_7,
    },
    Subject {
        name: "000-figure-8",
        place: "000, figure 8",
        scene: "scenes/000/figure-8.toml",
        printed: "K = 50 tracks, 1300 chatters (limit 1250), 0.02 converges slowly: lower limit zero",
        work: patch::figure_8,
    },
    Subject {
        name: "000-figure-9",
        place: "000, figure 9",
        scene: "scenes/000/figure-9.toml",
        printed: "S1 to the bounding curve at t = 0.89, to the plane S2 at 1.26",
        work: spatial::figure_9_of_000,
    },
    Subject {
        name: "000-theorem-1",
        place: "000, theorem 1 and Table I",
        scene: "scenes/000/theorem-1.toml",
        printed: "on a nice convex patch every start converges; the patch of Table I is convex",
        work: patch::theorem_1,
    },
    Subject {
        name: "001-figure-7",
        place: "001, figures 6 and 7",
        scene: "scenes/001/figure-6.toml",
        printed: "75 steps at K = 100, 10 at K = 1000; stable for K from 0.5 to 1500",
        work: feedback::figure_7,
    },
    Subject {
        name: "001-figure-8",
        place: "001, figures 8 to 11",
        scene: "scenes/001/figure-8.toml",
        printed: "C1 to C2 at 34, out of the body at 67 on C3, Vc at 87, C1 at 92",
        work: outlines::figures_8_to_11,
    },
    Subject {
        name: "001-figure-12",
        place: "001, figures 12 to 15",
        scene: "scenes/001/figure-12.toml",
        printed: "twelve snapshots; curves and vertices of both bodies in turn",
        work: outlines::figures_12_to_15,
    },
    Subject {
        name: "001-figure-16",
        place: "001, figures 16 to 18",
        scene: "scenes/001/figure-16.toml",
        printed: "patches, curves and vertices in turn; constant 0 or 1 along a curve",
        work: spatial::figures_16_to_18,
    },
    Subject {
        name: "001-figure-19",
        place: "001, figures 19 and 20",
        scene: "scenes/001/figure-19.toml",
        printed: "SA1 to its boundary curve at 2.67, to SA2 at 3.66",
        work: spatial::figures_19_and_20,
    },
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
    Subject {
        name: "004-table-1",
        place: "004, table 1 and figure 4",
        scene: "scenes/004/pen-and-bowl.toml",
        printed: "nine rows, Y = 0 to 22; two or three iterations",
        work: pen::table_1,
    },
    Subject {
        name: "004-table-2",
        place: "004, table 2 and figure 5",
        scene: "scenes/004/pen-rotating.toml",
        printed: "eleven rows, 45 to 293 degrees",
        work: pen::table_2,
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
    let agrees = rows.iter().all(|(_, finding)| !matches!(finding.verdict, Judgement::Disagrees));
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
    bar
}

fn in_words(rows: &[(&Subject, Finding)]) -> String {
    let mut text = String::new();
    for (subject, finding) in rows {
        let verdict = match &finding.verdict {
            Judgement::Disagrees => "DISAGREES".to_owned(),
            other if other.because().is_empty() => other.word().to_owned(),
            other => format!("{}: {}", other.word(), other.because().replace('\n', "\n           ")),
        };
        text += &format!("{}  ({})\n", subject.name, subject.place);
        text += &format!("  scene    {}\n", subject.scene);
        text += &format!("  printed  {}\n", subject.printed);
        text += &format!("  ours     {}\n", finding.ours.replace('\n', "\n           "));
        text += &format!("  verdict  {verdict}\n\n");
    }
    let count = |word: &str| rows.iter().filter(|(_, finding)| finding.verdict.word() == word).count();
    let mut parts = vec![format!("{} of {} agree", count("agrees"), rows.len())];
    for (word, plural) in [
        ("differs", "differ for a reason"),
        ("source in error", "are errors of their source"),
        ("disagrees", "DISAGREE"),
    ] {
        if count(word) > 0 {
            parts.push(format!("{} {plural}", count(word)));
        }
    }
    text + &parts.join(", ") + "\n"
}

fn json(rows: &[(&Subject, Finding)]) -> String {
    rows.iter()
        .map(|(subject, finding)| {
            format!(
                "{{\"name\": {}, \"place\": {}, \"scene\": {}, \"printed\": {}, \"ours\": {}, \"verdict\": {}, \"because\": {}}}\n",
                quoted(subject.name),
                quoted(subject.place),
                quoted(subject.scene),
                quoted(subject.printed),
                quoted(&finding.ours),
                quoted(finding.verdict.word()),
                quoted(finding.verdict.because())
            )
        })
        .collect()
}
