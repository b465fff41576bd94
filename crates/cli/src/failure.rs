//! Why a command stopped, shown with the file, the line and the key.

use clearance_formats::Error;
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::path::Path;

/// Longest line, in bytes, that is shown with a mistake in it.
const LONGEST_SHOWN: usize = 2000;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is bad: status 2.
    Input(Box<Report>),
    /// Nobody reads the output any more: nothing to say.
    Closed,
}

impl Failure {
    /// Bad input that no file or key stands for.
    pub(crate) fn input(code: &'static str, message: impl Into<String>) -> Self {
        Self::Input(Box::new(Report { code, message: message.into(), help: None, source: None, label: None }))
    }

    /// With advice.
    #[must_use]
    pub(crate) fn help(self, text: impl Into<String>) -> Self {
        match self {
            Self::Input(mut report) => {
                report.help = Some(text.into());
                Self::Input(report)
            }
            Self::Closed => self,
        }
    }

    /// An error of a file that could not be written.
    pub(crate) fn write(path: &Path, error: &std::io::Error) -> Self {
        Self::input("write_failed", format!("{}: cannot write: {error}", path.display()))
    }

    /// An error in a text that was not read from a file: an argument, or standard input.
    pub(crate) fn in_text(error: &Error, name: &str, text: &str) -> Self {
        if error.file().is_some() {
            return Self::from(error.clone());
        }
        Self::Input(Box::new(Report::new(error, Some((name.to_owned(), text.to_owned())))))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        // What is wrong with a mesh stands on no line.
        let is_text = |file: &&Path| file.extension().is_some_and(|end| end == "toml" || end == "json");
        let text = error.file().filter(is_text).and_then(|file| {
            let bytes = std::fs::read(file).ok()?;
            Some((file.display().to_string(), String::from_utf8(bytes).ok()?))
        });
        Self::Input(Box::new(Report::new(&error, text)))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::input("write_failed", format!("standard output: {error}"))
    }
}

/// An error as miette shows it.
pub(crate) struct Report {
    code: &'static str,
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    label: Option<LabeledSpan>,
}

impl Report {
    fn new(error: &Error, text: Option<(String, String)>) -> Self {
        let mut report =
            Self { code: error.code(), message: error.to_string(), help: None, source: None, label: None };
        let Some((name, text)) = text else { return report };
        let Some((start, line)) = line_at(&text, error.line()) else { return report };
        if line.len() > LONGEST_SHOWN {
            return report;
        }
        let indent = line.len() - line.trim_start().len();
        let word = error.key().map_or("here", |key| key);
        let span = start + indent..start + line.trim_end().len().max(indent + 1);
        report.label = Some(LabeledSpan::at(span, word));
        report.source = Some(NamedSource::new(name, text));
        report
    }
}

/// The byte where a line starts, and the line; the only line of a text where no number is known.
fn line_at(text: &str, number: Option<usize>) -> Option<(usize, &str)> {
    let wanted = match number {
        Some(number) => number,
        None if text.trim_end().lines().count() == 1 => 1,
        None => return None,
    };
    let mut start = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if at + 1 == wanted {
            return Some((start, line.trim_end_matches(['\n', '\r'])));
        }
        start += line.len();
    }
    None
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|text| Box::new(text) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.label.clone().map(|label| Box::new(std::iter::once(label)) as Box<dyn Iterator<Item = _>>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_at_finds_lines_with_any_ending() {
        let text = "one\r\ntwo\nthree";
        assert_eq!(line_at(text, Some(1)), Some((0, "one")));
        assert_eq!(line_at(text, Some(2)), Some((5, "two")));
        assert_eq!(line_at(text, Some(3)), Some((9, "three")));
        assert_eq!(line_at(text, Some(4)), None);
        assert_eq!(line_at(text, None), None);
        assert_eq!(line_at("{}", None), Some((0, "{}")));
    }
}
