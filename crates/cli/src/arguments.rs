//! What can be typed after `clearance`.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// How far apart are two bodies, where, between which features, how deep, and how sure is that?
///
/// Without a command it tracks a pen past a bowl, prints a table, and writes a plot and a page that plays the run.
#[derive(Debug, Parser)]
#[command(name = "clearance", version, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 done and clear; 1 a clash, a gap violated, a failed verdict; 2 bad input."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Folder for the plot and the page of the built-in scene
    #[arg(long, value_name = "FOLDER", default_value = "clearance-out")]
    pub(crate) out: PathBuf,
}

/// Flags that every command takes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Record every frame: .jsonl, .csv, or .html to watch (track, simulate, and the built-in scene)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Largest error allowed on a distance, as a length; an answer that cannot prove it ends in `stalled` or `limit`
    #[arg(long, global = true, value_name = "D", value_parser = positive)]
    pub(crate) max_error: Option<f64>,

    /// Write the proof of every answer into this folder, for check-certificate (query, distance)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) certificates: Option<PathBuf>,

    /// Give up after this many seconds; a search that is under way ends with the bounds it has
    #[arg(long, global = true, value_name = "S", value_parser = positive)]
    pub(crate) timeout: Option<f64>,

    /// Threads to use; answers are the same with any number
    #[arg(long, global = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: u16,

    /// Seed of random cases (reproduce)
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Unit of lengths in arguments and lines that name none: m, mm, cm, in
    #[arg(long, global = true, value_name = "U", default_value = "m")]
    pub(crate) units: String,

    /// No progress on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer JSON Lines from standard input on standard output
    Query,
    /// Distance, witnesses, features and depth of two shapes
    Distance(Distance),
    /// Whether all bodies of a scene, or all parts of an assembly, keep a gap; status 1 unless that is proven
    Check(Check),
    /// What a shape or a scene is made of
    Describe {
        /// A mesh, a STEP file, a scene, a shape or patches as .json, or inline JSON; `-` is standard input
        #[arg(value_name = "FILE|SHAPE")]
        what: String,
    },
    /// Whether the proof of a distance in a file holds; status 1 where it does not
    CheckCertificate {
        /// A certificate; `-` is standard input
        file: String,
    },
    /// Follow the pairs of a scene through its motion
    Track(Track),
    /// When the pairs of a scene first touch, if ever; status 1 unless all are proven free
    Impact(Impact),
    /// Let the bodies of a scene fall, touch, slide and rest
    Simulate(Simulate),
    /// Play a recording in the browser: writes one page without need of a network, and opens it
    View(View),
    /// Figures and theorems of the source documents beside what we get
    Reproduce(Reproduce),
    /// JSON Schema of query lines and their answers, or of scenes
    Schema {
        /// What it is of
        #[arg(value_enum, default_value = "query")]
        subject: crate::schema::Subject,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Distance {
    /// First shape: a mesh, a STEP file, a .json file or inline JSON; `-` is standard input
    pub(crate) a: String,
    /// Second shape
    pub(crate) b: String,
    /// Pose of the first, as JSON
    #[arg(long, value_name = "P")]
    pub(crate) pose_a: Option<String>,
    /// Pose of the second, as JSON
    #[arg(long, value_name = "P")]
    pub(crate) pose_b: Option<String>,
    /// Fail (status 1) unless the gap is proven to be at least this
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) min_gap: Option<f64>,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// A scene (.toml) where it stands at time 0, a STEP file, or a union as .json or inline JSON
    #[arg(value_name = "SCENE|FILE|SHAPE")]
    pub(crate) what: String,
    /// The gap that every pair must keep; without one they may touch but not overlap
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) min_gap: Option<f64>,
    /// Most pairs that are listed, the nearest first; JSON has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) list: usize,
}

#[derive(Args, Debug)]
pub(crate) struct Track {
    /// A scene file; `-` is standard input
    pub(crate) scene: String,
    /// Frames per second, instead of the scene's step, over the same time; the scene is then run against the clock too, which
    /// takes twice as long as the scene
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) rate: Option<f64>,
    /// Run a published method beside the certified answers: newton, feedback, switching, auto
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Gain of the method
    #[arg(long, value_name = "K", value_parser = positive)]
    pub(crate) gain: Option<f64>,
    /// Integrator of the method: euler, rk2, rk4
    #[arg(long, value_name = "NAME")]
    pub(crate) integrator: Option<String>,
    /// What the recording is to have of every answer beyond the distance: locus, gradient, all_minima, ratio
    #[arg(long, value_name = "WORD")]
    pub(crate) want: Vec<String>,
    /// Write a plot of distance over time
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Impact {
    /// A scene file with a section `track`; `-` is standard input
    pub(crate) scene: String,
    /// Seconds to look ahead; to the last frame of the scene unless given
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) until: Option<f64>,
    /// How far bodies may move within the interval that holds their first contact, as a length
    #[arg(long, value_name = "D", value_parser = positive)]
    pub(crate) tolerance: Option<f64>,
    /// Most moments at which the distance of a pair may be asked for
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_looks: u32,
}

#[derive(Args, Debug)]
pub(crate) struct Simulate {
    /// A scene file with a section `simulation`; `-` is standard input
    pub(crate) scene: String,
    /// Write a plot of energy, infeasibility and events over time
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct View {
    /// A recording: .jsonl, or .html, which is a page already
    pub(crate) recording: PathBuf,
    /// The page to write; beside the recording unless given
    #[arg(long, value_name = "FILE.html")]
    pub(crate) out: Option<PathBuf>,
    /// Show every so many frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: u32,
    /// Write the page only
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Reproduce {
    /// Names of rows, or of a document (002, 003); everything unless given
    pub(crate) names: Vec<String>,
    /// Folder for the figures
    #[arg(long, value_name = "FOLDER")]
    pub(crate) figures: Option<PathBuf>,
    /// One page with every row and figure; clearance-out/gallery.html where no row is named
    #[arg(long, value_name = "FILE.html")]
    pub(crate) gallery: Option<PathBuf>,
    /// The same as Markdown, with a folder `figures` beside it
    #[arg(long, value_name = "FILE.md")]
    pub(crate) book: Option<PathBuf>,
    /// Fewer starts and steps where a row takes long
    #[arg(long)]
    pub(crate) quick: bool,
}

fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if number.is_finite() { Ok(number) } else { Err(format!("`{text}` is not finite")) }
}

fn positive(text: &str) -> Result<f64, String> {
    let number = finite(text)?;
    if number > 0.0 { Ok(number) } else { Err(format!("`{text}` is not positive")) }
}
