//! Recordings of a run as `.jsonl`, `.csv` or `.html`: a header, one row per frame and pair, a last line that says
//! complete. Rows are written as the run goes on; what a crash or an interrupt leaves lacks the last line alone.

mod simulation;

use crate::answer::write_pose;
use crate::display::write_shape;
use crate::json::{Json, shortest};
use crate::page::Page;
use crate::shape::extension;
use crate::{AnyPose, CouplerRow, Error, ErrorKind, MethodRow, Row, Scene, Track};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Version of the layout of recordings.
pub const RECORDING_VERSION: u32 = 2;

/// Longest time that frames of a page wait to be written: what an interrupt can lose.
const PAGE_WAITS: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    JsonLines,
    Csv,
    Page,
}

#[derive(Debug)]
enum Output {
    /// Nothing has been recorded: a file that was there before is as it was.
    Waiting(File),
    Lines(BufWriter<File>),
    Page(Box<Page<BufWriter<File>>>),
    Closed,
}

/// A recording being written.
///
/// Its file begins with the first row, and holds every whole frame from then on. A recorder that is dropped before its first
/// row leaves things as they were.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    output: Output,
    layout: Layout,
    /// Whether there was a file of this name.
    replaces: bool,
    header: Vec<String>,
    names: Vec<String>,
    rows: u64,
    frame: Option<u64>,
    /// When a page was last made to write what it had.
    flushed: Instant,
}

impl Recorder {
    /// Prepares a recording of `track` on `scene`, laid out by the ending of `path`.
    ///
    /// # Errors
    /// `bad_file` for an ending without a layout, `write_failed`.
    pub fn create(path: &Path, scene: &Scene, track: &Track) -> Result<Self, Error> {
        let header = header(scene, "track", track.frames.into(), track.step, |_| ());
        let planar = scene.bodies.first().is_some_and(|body| body.shape.body.is_planar());
        Self::open(path, scene, header, &csv_columns(planar))
    }

    fn open(path: &Path, scene: &Scene, header: String, columns: &[String]) -> Result<Self, Error> {
        let layout = match extension(path).as_str() {
            "jsonl" => Layout::JsonLines,
            "csv" => Layout::Csv,
            "html" => Layout::Page,
            _ => {
                let reason = "a recording ends in .jsonl, .csv or .html".to_owned();
                return Err(Error::new(ErrorKind::BadFile { reason }).in_file(path));
            }
        };
        let replaces = path.exists();
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| failed(&error, path))?;
        let header = match layout {
            Layout::JsonLines | Layout::Page => vec![header],
            Layout::Csv => {
                vec![format!("# {header}"), columns.join(",")]
            }
        };
        let names = scene.bodies.iter().map(|body| body.name.clone()).collect();
        let path = path.to_path_buf();
        Ok(Self {
            path,
            output: Output::Waiting(file),
            layout,
            replaces,
            header,
            names,
            rows: 0,
            frame: None,
            flushed: Instant::now(),
        })
    }

    /// Adds a row; the rows of the frame before are on their way to the disk then.
    ///
    /// # Errors
    /// `write_failed`, `too_large` for a page.
    pub fn row(&mut self, row: &Row) -> Result<(), Error> {
        self.begin_frame(row.frame.into())?;
        self.rows += 1;
        let line = match self.layout {
            Layout::JsonLines | Layout::Page => self.json_row(row),
            Layout::Csv => self.csv_row(row),
        };
        self.line(&line)
    }

    /// Writes the last line, which says that the recording is complete.
    ///
    /// # Errors
    /// `write_failed`, `too_large` for a page.
    pub fn finish(mut self) -> Result<(), Error> {
        self.begin()?;
        let mut json = Json::default();
        json.object(|json| {
            json.field("complete", |json| json.bool(true));
            json.field("rows", |json| json.whole(self.rows));
        });
        let last = json.into_text();
        self.line(&if self.layout == Layout::Csv { format!("# {last}") } else { last })?;
        let output = match std::mem::replace(&mut self.output, Output::Closed) {
            Output::Lines(output) => output,
            Output::Page(page) => page.into_inner().map_err(|error| error.in_file(&self.path))?,
            Output::Waiting(_) | Output::Closed => return Ok(()),
        };
        let file = output.into_inner().map_err(|error| failed(error.error(), &self.path))?;
        file.sync_all().map_err(|error| failed(&error, &self.path))
    }

    /// Sends the rows of frames before on their way.
    fn begin_frame(&mut self, frame: u64) -> Result<(), Error> {
        self.begin()?;
        if self.frame != Some(frame) {
            self.frame = Some(frame);
            self.flush()?;
        }
        Ok(())
    }

    /// Empties the file and writes the header, before the first row.
    fn begin(&mut self) -> Result<(), Error> {
        let Output::Waiting(_) = &self.output else { return Ok(()) };
        let Output::Waiting(file) = std::mem::replace(&mut self.output, Output::Closed) else {
            return Ok(());
        };
        file.set_len(0).map_err(|error| failed(&error, &self.path))?;
        let output = BufWriter::new(file);
        self.output = if self.layout == Layout::Page {
            Output::Page(Box::new(Page::new(output, 1).map_err(|error| error.in_file(&self.path))?))
        } else {
            Output::Lines(output)
        };
        for line in std::mem::take(&mut self.header) {
            self.line(&line)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        match &mut self.output {
            Output::Lines(output) => output.flush().map_err(|error| failed(&error, &self.path)),
            // A page packs its frames some at a time, but does not keep them to itself for long.
            Output::Page(page) if self.flushed.elapsed() >= PAGE_WAITS => {
                self.flushed = Instant::now();
                page.flush().map_err(|error| error.in_file(&self.path))
            }
            _ => Ok(()),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), Error> {
        match &mut self.output {
            Output::Lines(output) => writeln!(output, "{line}").map_err(|error| failed(&error, &self.path)),
            Output::Page(page) => page.line(line).map_err(|error| error.in_file(&self.path)),
            Output::Waiting(_) | Output::Closed => Ok(()),
        }
    }

    fn json_row(&self, row: &Row) -> String {
        let mut json = Json::default();
        json.object(|json| {
            json.field("frame", |json| json.whole(row.frame.into()));
            json.field("time", |json| json.number(row.time));
            json.field("pair", |json| {
                json.array(row.pair, |json, body| json.string(&self.names[body]));
            });
            json.field("poses", |json| json.array(&row.poses, write_pose));
            row.answer.write_fields(json);
            if let Some(method) = &row.method {
                json.field("method", |json| write_method(json, method));
            }
            if let Some(coupler) = &row.coupler {
                json.field("device", |json| write_device(json, coupler));
            }
        });
        json.into_text()
    }

    fn csv_row(&self, row: &Row) -> String {
        let answer = &row.answer;
        let (state, inside) = answer.state_words();
        let mut cells = vec![
            row.frame.to_string(),
            shortest(row.time),
            quoted(&self.names[row.pair[0]]),
            quoted(&self.names[row.pair[1]]),
            state.to_owned(),
            inside.unwrap_or_default().to_owned(),
            shortest(answer.distance),
            answer.signed_distance.map_or_else(String::new, shortest),
        ];
        for point in &answer.points {
            cells.extend(point.iter().map(|number| shortest(*number)));
        }
        match &answer.normal {
            Some(normal) => cells.extend(normal.iter().map(|number| shortest(*number))),
            // What is not defined is empty.
            None => cells.extend(answer.points[0].iter().map(|_| String::new())),
        }
        cells.extend(answer.features.iter().map(ToString::to_string));
        cells.push(answer.ended_word().to_owned());
        for pose in &row.poses {
            cells.extend(pose_numbers(pose).into_iter().map(shortest));
        }
        cells.join(",")
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        match &mut self.output {
            Output::Waiting(_) if !self.replaces => {
                let _ = fs::remove_file(&self.path);
            }
            Output::Page(page) => {
                let _ = page.flush();
            }
            _ => {}
        }
    }
}

/// What a published method says.
fn write_method(json: &mut Json, method: &MethodRow) {
    json.object(|json| {
        json.field("distance", |json| json.number(method.distance));
        json.field("features", |json| json.strings(&method.features));
        json.field("singular", |json| json.whole(method.singular.into()));
        json.field("switches", |json| json.whole(method.switches as u64));
    });
}

/// Where a device is and what it feels.
fn write_device(json: &mut Json, coupler: &CouplerRow) {
    let CouplerRow { device, pull, energy } = coupler;
    json.object(|json| {
        json.field("pose", |json| write_pose(json, &AnyPose::Solid(*device)));
        json.field("force", |json| json.numbers(&pull.force.to_array()));
        json.field("torque", |json| json.numbers(&pull.torque.to_array()));
        json.field("contact_force", |json| json.number(pull.contact));
        json.field("energy", |json| json.number(*energy));
    });
}

fn failed(error: &std::io::Error, path: &Path) -> Error {
    Error::new(ErrorKind::WriteFailed { reason: error.to_string() }).in_file(path)
}

fn csv_columns(planar: bool) -> Vec<String> {
    let axes: &[&str] = if planar { &["x", "y"] } else { &["x", "y", "z"] };
    let turns: &[&str] = if planar { &["angle"] } else { &["qx", "qy", "qz", "qw"] };
    let mut columns: Vec<String> =
        ["frame", "time", "a", "b", "state", "inside", "distance", "signed_distance"]
            .map(str::to_owned)
            .to_vec();
    for vector in ["point_a", "point_b", "normal"] {
        columns.extend(axes.iter().map(|axis| format!("{vector}_{axis}")));
    }
    columns.extend(["feature_a", "feature_b", "ended"].map(str::to_owned));
    for pose in ["pose_a", "pose_b"] {
        columns.extend(axes.iter().chain(turns).map(|part| format!("{pose}_{part}")));
    }
    columns
}

fn pose_numbers(pose: &AnyPose) -> Vec<f64> {
    match pose {
        AnyPose::Solid(pose) => {
            [&pose.translation().to_array()[..], &pose.quaternion().to_array()[..]].concat()
        }
        AnyPose::Planar(pose) => {
            [&pose.translation().to_array()[..], &[pose.angle().to_degrees()][..]].concat()
        }
    }
}

/// A CSV cell; quoted where it must be.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.starts_with('#') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The first line: the scene, the run, and what `more` adds.
fn header(scene: &Scene, command: &str, frames: u64, step: f64, more: impl FnOnce(&mut Json)) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.field("clearance", |json| json.string(env!("CARGO_PKG_VERSION")));
        json.field("recording", |json| json.whole(RECORDING_VERSION.into()));
        json.field("command", |json| json.string(command));
        json.field("scene", |json| match (&scene.title, &scene.file) {
            (Some(title), _) => json.string(title),
            (None, Some(file)) => json.string(&file.to_string_lossy()),
            (None, None) => json.null(),
        });
        json.field("units", |json| json.string(scene.units.symbol()));
        let planar = scene.bodies.first().is_some_and(|body| body.shape.body.is_planar());
        json.field("planar", |json| json.bool(planar));
        json.field("frames", |json| json.whole(frames));
        json.field("step", |json| json.number(step));
        json.field("bodies", |json| {
            json.array(&scene.bodies, |json, body| {
                json.object(|json| {
                    json.field("name", |json| json.string(&body.name));
                    json.field("shape", |json| json.string(&body.shape_name));
                    json.field("fixed", |json| json.bool(body.fixed));
                    if let Ok(pose) = body.pose_at(0.0) {
                        json.field("pose", |json| write_pose(json, &pose));
                    }
                });
            });
        });
        json.field("shapes", |json| json.object(|json| write_shapes(json, scene)));
        more(json);
    });
    json.into_text()
}

/// Every shape once, under its name.
fn write_shapes(json: &mut Json, scene: &Scene) {
    let mut written: Vec<&str> = Vec::new();
    for body in &scene.bodies {
        if !written.contains(&body.shape_name.as_str()) {
            written.push(&body.shape_name);
            json.field(&body.shape_name, |json| write_shape(json, &body.shape));
        }
    }
}
