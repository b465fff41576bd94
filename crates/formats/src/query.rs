//! The query stream: one JSON object per line in, one per line out.
//!
//! A bad line is answered with its error and never stops the stream. Lines are read whole up to
//! [`MAX_LINE_BYTES`]; the rest of a longer one is skipped without being held.

use crate::fields::At;
use crate::json::Json;
use crate::request::pairs_until;
use crate::value::{json_error, repeated};
use crate::{
    AnyPose, Context, Error, ErrorKind, ImpactAnswer, ImpactRequest, Motion, Request, Shape, Units, Value,
    Wants, answer, impact, pose, write_certificate,
};
use clearance_proximity::impact::ImpactDemand;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::time::Instant;

/// The longest line that is read; a longer one is answered `line_too_long`.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// What a line may say.
const LINE_KEYS: [&str; 13] = [
    "id",
    "a",
    "pose_a",
    "b",
    "pose_b",
    "want",
    "max_error",
    "margin",
    "units",
    "motion_a",
    "motion_b",
    "duration",
    "tolerance",
];

/// How a stream went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Lines answered, failed ones included; blank lines do not count.
    pub answered: usize,
    /// Lines answered with an error.
    pub failed: usize,
}

/// A stream of queries: its named shapes and its line count.
///
/// ```
/// use clearance_formats::{Context, QueryStream};
/// let mut stream = QueryStream::new(Context::default());
/// let input = br#"{"define": "cube", "shape": {"kind": "box", "size": [2, 2, 2]}}
/// {"id": 1, "a": "cube", "b": "cube", "pose_b": {"translation": [5, 0, 0]}}
/// this line is no JSON
/// "#;
/// let mut output = Vec::new();
/// let summary = stream.run(&input[..], &mut output)?;
/// assert_eq!((summary.answered, summary.failed), (3, 1));
/// let text = String::from_utf8(output).unwrap();
/// assert!(text.lines().nth(1).unwrap().starts_with(r#"{"id":1,"state":"separated","distance":3,"#));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct QueryStream {
    context: Context,
    definitions: BTreeMap<String, Definition>,
    summary: Summary,
    line: usize,
    max_line_bytes: usize,
    defaults: Defaults,
    certificates: Option<Certificates>,
}

/// What a line does not say.
#[derive(Clone, Copy, Debug, Default)]
struct Defaults {
    max_error: Option<f64>,
    deadline: Option<Instant>,
}

/// Where certificates go, and the names that are taken.
#[derive(Debug)]
struct Certificates {
    folder: PathBuf,
    taken: BTreeSet<String>,
}

impl Certificates {
    /// A file named after the id of a line, or after its number.
    fn file(&mut self, id: Option<&str>, line: usize) -> PathBuf {
        let mut name = id.map(file_name).filter(|name| !name.is_empty() && name != "null");
        if name.as_ref().is_some_and(|name| self.taken.contains(name)) {
            name = name.map(|name| format!("{name}-line-{line}"));
        }
        let name = name.unwrap_or_else(|| format!("line-{line}"));
        let path = self.folder.join(format!("{name}.json"));
        self.taken.insert(name);
        path
    }
}

/// Longest name that is made of an id.
const LONGEST_NAME: usize = 64;

/// The letters, digits and signs of an id that may stand in the name of a file, the others replaced.
fn file_name(id: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    id.trim_matches('"').chars().take(LONGEST_NAME).map(keep).collect()
}

/// A shape under a name; its text is kept for lines that use another unit.
#[derive(Debug)]
struct Definition {
    text: Box<str>,
    units: Units,
    shape: Shape,
}

impl QueryStream {
    /// A stream without definitions; the context gives the directory of file names and the unit of lines
    /// that state none.
    pub fn new(context: Context) -> Self {
        Self {
            context,
            definitions: BTreeMap::new(),
            summary: Summary::default(),
            line: 0,
            max_line_bytes: MAX_LINE_BYTES,
            defaults: Defaults::default(),
            certificates: None,
        }
    }

    /// The same, with a certificate of every answer that has one in a file of `folder`, which must exist. Files are named
    /// after the id of their line, or its number.
    #[must_use]
    pub fn with_certificates(mut self, folder: impl Into<PathBuf>) -> Self {
        self.certificates = Some(Certificates { folder: folder.into(), taken: BTreeSet::new() });
        self
    }

    /// The same with a time after which searches end in `limit`.
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Instant) -> Self {
        self.defaults.deadline = Some(deadline);
        self
    }

    /// The same with a `max_error` for lines that state none; a length.
    #[must_use]
    pub const fn with_max_error(mut self, max_error: f64) -> Self {
        self.defaults.max_error = Some(max_error);
        self
    }

    /// The same with another limit on the length of a line.
    #[must_use]
    pub const fn with_max_line_bytes(mut self, bytes: usize) -> Self {
        self.max_line_bytes = bytes;
        self
    }

    /// How it went so far.
    pub const fn summary(&self) -> Summary {
        self.summary
    }

    /// Answers every line of `input` on `output`, each as soon as it is read.
    ///
    /// # Errors
    /// Only when reading or writing itself fails.
    pub fn run(&mut self, mut input: impl BufRead, mut output: impl Write) -> io::Result<Summary> {
        let mut line = Vec::new();
        loop {
            match read_line(&mut input, &mut line, self.max_line_bytes)? {
                Read::End => return Ok(self.summary),
                Read::Line => {
                    if let Some(answer) = self.answer_line(&line) {
                        writeln!(output, "{answer}")?;
                        output.flush()?;
                    }
                }
                Read::TooLong => {
                    self.line += 1;
                    let limit = self.max_line_bytes;
                    let answer = self.failure(None, Error::new(ErrorKind::LineTooLong { limit }));
                    writeln!(output, "{answer}")?;
                    output.flush()?;
                }
            }
        }
    }

    /// Answers one line, without its line break in and out; nothing on a blank line.
    pub fn answer_line(&mut self, line: &[u8]) -> Option<String> {
        self.line += 1;
        let line = if self.line == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let (id, result) = match parse_line(line) {
            Ok(line) => (line.id(), self.answer(&line)),
            Err(error) => (Ok(None), Err(error)),
        };
        let (id, result) = match id {
            Ok(id) => (id, result),
            Err(error) => (None, Err(error)),
        };
        Some(match result {
            Ok(text) => {
                self.summary.answered += 1;
                text
            }
            Err(error) => self.failure(id, error),
        })
    }

    fn failure(&mut self, id: Option<&str>, error: Error) -> String {
        self.summary.answered += 1;
        self.summary.failed += 1;
        let mut json = Json::default();
        json.object(|json| {
            json.field("id", |json| json.raw(id.unwrap_or("null")));
            json.field("error", |json| {
                json.object(|json| {
                    json.field("code", |json| json.string(error.code()));
                    json.field("message", |json| json.string(&error.message()));
                    json.field("line", |json| json.whole(self.line as u64));
                });
            });
        });
        json.into_text()
    }

    fn answer(&mut self, line: &Line<'_>) -> Result<String, Error> {
        if line.get("define").is_some() { self.define(line) } else { self.compare(line) }
    }

    fn define(&mut self, line: &Line<'_>) -> Result<String, Error> {
        line.check_keys(&["id", "define", "shape", "units"])?;
        let name = line.value("define")?.ok_or_else(|| missing("define"))?;
        let name = At::root(&name, "define").text()?.to_owned();
        let context = self.line_context(line)?;
        let text = line.get("shape").ok_or_else(|| missing("shape"))?;
        let shape = parse_shape(text, "shape", &context)?;
        let mut json = Json::default();
        json.object(|json| {
            if let Ok(Some(id)) = line.id() {
                json.field("id", |json| json.raw(id));
            }
            json.field("define", |json| json.string(&name));
            json.field("ok", |json| json.bool(true));
            json.field("warnings", |json| json.strings(&shape.warnings));
        });
        self.definitions.insert(name, Definition { text: text.into(), units: context.units(), shape });
        Ok(json.into_text())
    }

    fn compare(&mut self, line: &Line<'_>) -> Result<String, Error> {
        line.check_keys(&LINE_KEYS)?;
        let context = self.line_context(line)?;
        let a = self.shape(line, "a", &context)?;
        let b = self.shape(line, "b", &context)?;
        let mut wants = match line.value("want")? {
            Some(value) => Wants::parse(At::root(&value, "want"))?,
            None => Wants::default(),
        };
        wants.certificate |= self.certificates.is_some();
        let max_error = match line.value("max_error")? {
            Some(value) => Some(At::root(&value, "max_error").positive()?),
            None => self.defaults.max_error,
        };
        let request = Request {
            pose_a: pose_of(line, "pose_a", &a, &context)?,
            pose_b: pose_of(line, "pose_b", &b, &context)?,
            a: &a,
            b: &b,
            wants,
            max_error,
            max_pairs: self.defaults.deadline.map(pairs_until),
            margin: line.value("margin")?.map(|value| At::root(&value, "margin").positive()).transpose()?,
            deadline: self.defaults.deadline,
            units: context.units(),
        };
        let mut answer = answer(&request)?;
        if wants.impact {
            answer.impact = Some(self.impact(line, &request, &context)?);
        }
        let id = line.id().ok().flatten();
        if let Some(certificates) = &mut self.certificates {
            write_certificate(&request, &mut answer, &certificates.file(id, self.line))?;
        }
        let mut json = Json::default();
        json.object(|json| {
            json.field("id", |json| json.raw(id.unwrap_or("null")));
            answer.write_fields(json);
        });
        Ok(json.into_text())
    }

    /// When the bodies of a line first touch.
    fn impact(
        &self,
        line: &Line<'_>,
        request: &Request<'_>,
        context: &Context,
    ) -> Result<ImpactAnswer, Error> {
        let positive = |key: &str| -> Result<Option<f64>, Error> {
            line.value(key)?.map(|value| At::root(&value, key).positive()).transpose()
        };
        let motions = |key: &str, shape: &Shape| -> Result<Vec<Motion>, Error> {
            let Some(value) = line.value(key)? else { return Ok(Vec::new()) };
            let at = At::root(&value, key);
            at.items()?.into_iter().map(|item| Motion::parse(item, shape.body.is_planar(), context)).collect()
        };
        let moves = [motions("motion_a", request.a)?, motions("motion_b", request.b)?];
        impact(&ImpactRequest {
            shapes: [request.a, request.b],
            poses: [request.pose_a, request.pose_b],
            motions: [&moves[0], &moves[1]],
            until: positive("duration")?.ok_or_else(|| missing("duration"))?,
            demand: ImpactDemand {
                tolerance: positive("tolerance")?,
                deadline: request.deadline,
                ..ImpactDemand::default()
            },
            units: context.units(),
        })
    }

    /// The surroundings of a line: its own unit where it states one.
    fn line_context(&self, line: &Line<'_>) -> Result<Context, Error> {
        let Some(value) = line.value("units")? else { return Ok(self.context.clone()) };
        let at = At::root(&value, "units");
        let units: Units = at.text()?.parse().map_err(|error| at.place(error))?;
        Ok(self.context.in_units(units))
    }

    /// A shape on the line or under the name that stands there.
    fn shape(&self, line: &Line<'_>, key: &str, context: &Context) -> Result<Shape, Error> {
        let text = line.get(key).ok_or_else(|| missing(key))?;
        if !text.starts_with('"') {
            return parse_shape(text, key, context);
        }
        let value = parse_value(text, key)?;
        let at = At::root(&value, key);
        let name = at.text()?;
        let Some(definition) = self.definitions.get(name) else {
            let kind = ErrorKind::UnknownName { what: "shape".into(), name: name.to_owned() };
            return Err(at.error(kind));
        };
        if definition.units == context.units() {
            return Ok(definition.shape.clone());
        }
        let context = context.in_units(definition.units).with_answers_in(context.units());
        parse_shape(&definition.text, key, &context)
    }
}

fn missing(field: &str) -> Error {
    Error::new(ErrorKind::MissingField { field: field.to_owned() })
}

fn parse_value(text: &str, key: &str) -> Result<Value, Error> {
    Value::from_json(text).map_err(|error| error.at_key(key))
}

fn parse_shape(text: &str, key: &str, context: &Context) -> Result<Shape, Error> {
    crate::shape::parse(At::root(&parse_value(text, key)?, key), context)
}

fn pose_of(line: &Line<'_>, key: &str, shape: &Shape, context: &Context) -> Result<AnyPose, Error> {
    let planar = shape.body.is_planar();
    match line.value(key)? {
        Some(value) => pose::parse(At::root(&value, key), planar, context),
        None => Ok(AnyPose::identity(planar)),
    }
}

/// The fields of a line, unread: a number that is out of range in one does not hide the `id`.
struct Line<'a> {
    entries: Vec<(String, &'a RawValue)>,
}

impl<'a> Line<'a> {
    fn get(&self, key: &str) -> Option<&'a str> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, raw)| raw.get())
    }

    fn value(&self, key: &str) -> Result<Option<Value>, Error> {
        self.get(key).map(|text| parse_value(text, key)).transpose()
    }

    /// The `id` as it was written, checked to be one that can be read back.
    fn id(&self) -> Result<Option<&'a str>, Error> {
        self.value("id")?;
        Ok(self.get("id"))
    }

    fn check_keys(&self, known: &[&str]) -> Result<(), Error> {
        match self.entries.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => {
                let kind = ErrorKind::UnknownKey { key: key.clone(), known: known.join(", ") };
                Err(Error::new(kind).at_key(key))
            }
        }
    }
}

fn parse_line(line: &[u8]) -> Result<Line<'_>, Error> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let reason = format!("not UTF-8 at byte {}", error.valid_up_to());
        Error::new(ErrorKind::BadJson { reason })
    })?;
    let line: Line<'_> = serde_json::from_str(text).map_err(|error| json_error(&error, text))?;
    match repeated(line.entries.iter().map(|(key, _)| key.as_str())) {
        None => Ok(line),
        Some(key) => {
            let reason = format!("the key `{key}` stands twice");
            Err(Error::new(ErrorKind::BadJson { reason }))
        }
    }
}

impl<'de> Deserialize<'de> for Line<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Line<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry::<String, &'de RawValue>()? {
            entries.push(entry);
        }
        Ok(Line { entries })
    }
}

enum Read {
    Line,
    TooLong,
    End,
}

/// Reads up to the next line break into `line`, which keeps no more than `limit` bytes.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, limit: usize) -> io::Result<Read> {
    line.clear();
    let (mut any, mut too_long) = (false, false);
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            break;
        }
        any = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let piece = &available[..end.unwrap_or(available.len())];
        too_long |= line.len() + piece.len() > limit;
        if too_long {
            *line = Vec::new();
        } else {
            line.extend_from_slice(piece);
        }
        let used = end.map_or(piece.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(if too_long {
        Read::TooLong
    } else if any {
        Read::Line
    } else {
        Read::End
    })
}
