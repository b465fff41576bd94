//! A recording as one page that plays it, without any network.
//!
//! The page is the viewer, built from `viewer/`, followed by parts: elements with deflated, base64-coded content. A header
//! part comes first, then parts of some frames each, then one that says complete. Parts are appended as the run goes on, so
//! that a page that was cut off plays up to its last whole part.

mod frames;

use crate::{Error, ErrorKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use frames::Frames;
use serde_json::Value;
use std::io::{BufRead, Write};

/// The viewer: markup, style and program in one text.
pub const VIEWER: &str = include_str!("viewer.html");

/// Bytes after which a page is too large for browsers: they hold each part as one text and unpack it.
const MOST_BYTES: u64 = 400 << 20;

/// A page being written from the lines of a recording.
#[derive(Debug)]
pub struct Page<W: Write> {
    output: W,
    written: u64,
    header: bool,
    frames: Frames,
    every: u32,
}

impl<W: Write> Page<W> {
    /// Starts a page that shows every so many frames.
    ///
    /// # Errors
    /// `write_failed`.
    pub fn new(output: W, every: u32) -> Result<Self, Error> {
        let mut page =
            Self { output, written: 0, header: false, frames: Frames::default(), every: every.max(1) };
        page.write(VIEWER)?;
        Ok(page)
    }

    /// Adds a line of a recording as `.jsonl`: its header, a row, or its end.
    ///
    /// # Errors
    /// `bad_json`, `bad_value` for a line that is none of these, `too_large` with how to thin it, `write_failed`.
    pub fn line(&mut self, line: &str) -> Result<(), Error> {
        let value: Value = serde_json::from_str(line)
            .map_err(|error| Error::new(ErrorKind::BadJson { reason: error.to_string() }))?;
        if !self.header {
            if value.get("recording").is_none() {
                let reason = "not a recording: its first line is no header".to_owned();
                return Err(Error::new(ErrorKind::BadFile { reason }));
            }
            self.frames.name_bodies(&value);
            self.header = true;
            return self.part("header", line.as_bytes());
        }
        if value.get("complete").is_some() {
            self.flush()?;
            return self.part("end", line.as_bytes());
        }
        let frame = value.get("frame").and_then(Value::as_u64).unwrap_or(0);
        if !frame.is_multiple_of(u64::from(self.every)) {
            return Ok(());
        }
        if self.frames.is_full_before(frame) {
            self.flush()?;
        }
        self.frames.add(frame, value);
        Ok(())
    }

    /// Adds the lines of a recording, one that was cut off included: what is left of its last line is left out. True if all
    /// were read, false if `go_on` said before some line that it is enough.
    ///
    /// # Errors
    /// As [`Page::line`], `bad_file` where not even the header is whole.
    pub fn read(&mut self, input: impl BufRead, mut go_on: impl FnMut() -> bool) -> Result<bool, Error> {
        let unreadable = |error: std::io::Error| Error::new(ErrorKind::BadFile { reason: error.to_string() });
        let mut last: Option<Vec<u8>> = None;
        for line in input.split(b'\n') {
            if let Some(whole) = last.replace(line.map_err(unreadable)?) {
                self.line(String::from_utf8_lossy(&whole).trim_end())?;
            }
            if !go_on() {
                return Ok(false);
            }
        }
        let last = last.unwrap_or_default();
        match self.line(String::from_utf8_lossy(&last).trim_end()) {
            Err(error) if error.code() == "bad_json" && self.header => Ok(true),
            Err(error) if error.code() == "bad_json" => {
                let reason = "not a recording, or cut off before its first frame".to_owned();
                Err(Error::new(ErrorKind::BadFile { reason }))
            }
            done => done.map(|()| true),
        }
    }

    /// Writes the frames that wait.
    ///
    /// # Errors
    /// `write_failed`, `too_large`.
    pub fn flush(&mut self) -> Result<(), Error> {
        if let Some(bytes) = self.frames.take() {
            self.part("frames", &bytes)?;
        }
        self.output.flush().map_err(|error| failed(&error))
    }

    /// What the page went to; the frames that wait go with it.
    ///
    /// # Errors
    /// `write_failed`, `too_large`.
    pub fn into_inner(mut self) -> Result<W, Error> {
        self.flush()?;
        Ok(self.output)
    }

    fn part(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).map_err(|error| failed(&error))?;
        let packed = packed.finish().map_err(|error| failed(&error))?;
        let text = STANDARD.encode(packed);
        self.write(&format!("<script type=\"text/plain\" data-part=\"{name}\">{text}</script>\n"))
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        self.written += text.len() as u64;
        if self.written > MOST_BYTES {
            let what = format!("more than {} MiB as one page", MOST_BYTES >> 20);
            return Err(Error::new(ErrorKind::TooLarge { what }));
        }
        self.output.write_all(text.as_bytes()).map_err(|error| failed(&error))
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::WriteFailed { reason: error.to_string() })
}
