//! Recordings of a run as `.jsonl` or `.csv`: a header, one row per frame and pair, a last line that says
//! complete. A recording appears under its name only when it is complete.

mod simulation;

use crate::answer::write_pose;
use crate::json::{Json, shortest};
use crate::shape::extension;
use crate::{AnyBody, AnyPose, Error, ErrorKind, Row, Scene, Shape, Track};
use clearance_geometry::{Body, FaceId};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Version of the layout of recordings.
pub const RECORDING_VERSION: u32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    JsonLines,
    Csv,
}

/// A recording being written.
///
/// Rows go to a file beside the one named; [`Recorder::finish`] gives it its name. A recorder that is dropped
/// before leaves nothing behind.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    partial: PathBuf,
    output: Option<BufWriter<File>>,
    layout: Layout,
    names: Vec<String>,
    rows: u64,
}

impl Recorder {
    /// Starts a recording of `track` on `scene`, laid out by the ending of `path`, and writes its header.
    ///
    /// # Errors
    /// `bad_file` for an ending without a layout, `unsupported_feature` for `.html`, `write_failed`.
    pub fn create(path: &Path, scene: &Scene, track: &Track) -> Result<Self, Error> {
        let mut recorder = Self::open(path, scene)?;
        let header = header(scene, "track", track.frames.into(), track.step);
        let planar = scene.bodies.first().is_some_and(|body| body.shape.body.is_planar());
        recorder.write_header(&header, &csv_columns(planar))?;
        Ok(recorder)
    }

    fn open(path: &Path, scene: &Scene) -> Result<Self, Error> {
        let layout = match extension(path).as_str() {
            "jsonl" => Layout::JsonLines,
            "csv" => Layout::Csv,
            "html" => {
                let what = "a recording as `.html`".to_owned();
                return Err(Error::new(ErrorKind::UnsupportedFeature { what }).in_file(path));
            }
            _ => {
                let reason = "a recording ends in .jsonl or .csv".to_owned();
                return Err(Error::new(ErrorKind::BadFile { reason }).in_file(path));
            }
        };
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let partial = path.with_file_name(name);
        let file = File::create(&partial).map_err(|error| failed(&error, path))?;
        Ok(Self {
            path: path.to_path_buf(),
            partial,
            output: Some(BufWriter::new(file)),
            layout,
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            rows: 0,
        })
    }

    fn write_header(&mut self, header: &str, columns: &[String]) -> Result<(), Error> {
        match self.layout {
            Layout::JsonLines => self.line(header),
            Layout::Csv => {
                self.line(&format!("# {header}"))?;
                self.line(&columns.join(","))
            }
        }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// `write_failed`.
    pub fn row(&mut self, row: &Row) -> Result<(), Error> {
        self.rows += 1;
        let line = match self.layout {
            Layout::JsonLines => self.json_row(row),
            Layout::Csv => self.csv_row(row),
        };
        self.line(&line)
    }

    /// Writes the last line and gives the file its name.
    ///
    /// # Errors
    /// `write_failed`; nothing is left behind then.
    pub fn finish(mut self) -> Result<(), Error> {
        let mut json = Json::default();
        json.object(|json| {
            json.field("complete", |json| json.bool(true));
            json.field("rows", |json| json.whole(self.rows));
        });
        let last = json.into_text();
        self.line(&if self.layout == Layout::Csv { format!("# {last}") } else { last })?;
        let Some(output) = self.output.take() else { return Ok(()) };
        let file = output.into_inner().map_err(|error| failed(error.error(), &self.path))?;
        file.sync_all().map_err(|error| failed(&error, &self.path))?;
        drop(file);
        fs::rename(&self.partial, &self.path).map_err(|error| failed(&error, &self.path))
    }

    fn line(&mut self, line: &str) -> Result<(), Error> {
        let Some(output) = &mut self.output else { return Ok(()) };
        writeln!(output, "{line}").map_err(|error| failed(&error, &self.path))
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
        // After `finish` the file has its name and there is nothing to remove.
        if self.output.take().is_some() || self.partial.exists() {
            let _ = fs::remove_file(&self.partial);
        }
    }
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

fn header(scene: &Scene, command: &str, frames: u64, step: f64) -> String {
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
        json.field("frames", |json| json.whole(frames));
        json.field("step", |json| json.number(step));
        json.field("bodies", |json| {
            json.array(&scene.bodies, |json, body| {
                json.object(|json| {
                    json.field("name", |json| json.string(&body.name));
                    json.field("shape", |json| json.string(&body.shape_name));
                    json.field("fixed", |json| json.bool(body.fixed));
                });
            });
        });
        json.field("shapes", |json| json.object(|json| write_shapes(json, scene)));
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

/// What a viewer needs to draw a shape, in body coordinates.
fn write_shape(json: &mut Json, shape: &Shape) {
    json.object(|json| {
        json.field("kind", |json| json.string(shape.kind));
        match &shape.body {
            AnyBody::Solid(Body::Polytope(polytope)) => {
                json.field("vertices", |json| {
                    json.array(polytope.vertices(), |json, vertex| {
                        json.numbers(&(*vertex + polytope.anchor()).to_array());
                    });
                });
                json.field("faces", |json| {
                    json.array(0..polytope.face_count() as u32, |json, face| {
                        json.array(polytope.sides(FaceId(face)), |json, side| {
                            json.whole(side.vertex.0.into());
                        });
                    });
                });
            }
            AnyBody::Solid(Body::HalfSpace(half_space)) => {
                json.field("normal", |json| json.numbers(&half_space.plane().normal.to_array()));
                json.field("offset", |json| json.number(half_space.plane().offset));
            }
            AnyBody::Planar(polygon) => json.field("points", |json| {
                json.array(polygon.vertices(), |json, vertex| {
                    json.numbers(&(*vertex + polygon.anchor()).to_array());
                });
            }),
            // Of the other kinds a viewer knows the kind alone.
            _ => {}
        }
    });
}
