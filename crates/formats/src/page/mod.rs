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
use std::io::Write;

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

    /// Whether its header has been written.
    pub const fn has_header(&self) -> bool {
        self.header
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
