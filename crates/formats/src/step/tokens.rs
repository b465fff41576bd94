//! The tokens of STEP files: where the reading stands, and what comes next.
//!
//! Source: ISO 10303-21, clauses 5 and 6.
//! Differs: what is forgiven is said in [`super::syntax`].
//! Ends because: every token takes at least one byte, and the text ends.
//! Cost: O(bytes), each looked at once; text is copied only where it has escapes.
//! Not promised: that names and numbers mean anything; the files beside it see to that.

use super::syntax::Value;
use std::borrow::Cow;
use std::fmt;

/// What keeps a text from being a STEP file.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) line: u32,
    pub(super) message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// A place in a text.
pub(super) struct Scanner<'t> {
    /// The whole text.
    pub(super) bytes: &'t [u8],
    /// The place; the byte here is the next.
    pub(super) at: usize,
    /// The line of the place, counted from 1.
    pub(super) line: u32,
}

impl<'t> Scanner<'t> {
    /// The byte here; 0 past the end, which begins no token.
    pub(super) fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The first byte of the next token.
    pub(super) fn peek(&mut self) -> Result<u8, SyntaxError> {
        let byte = self.byte();
        if (byte > b'/' && byte != b'\\') || matches!(byte, b'#'..=b'.') {
            return Ok(byte);
        }
        self.pass_blanks()?;
        match self.bytes.get(self.at) {
            Some(byte) => Ok(*byte),
            None => Err(self.error("the file ends here; it is cut short".to_owned())),
        }
    }

    /// Past blanks, line ends, comments, and the directives `\N\` and `\F\` to printers.
    pub(super) fn pass_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.byte() {
                b' ' | b'\t' | b'\r' | 0x0c => self.at += 1,
                b'\n' => {
                    self.line = self.line.saturating_add(1);
                    self.at += 1;
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    self.at += 1;
                    loop {
                        self.delimited(b'*', "a comment")?;
                        if self.byte() == b'/' {
                            break;
                        }
                        // The star just passed may be the first of several.
                        self.at -= 1;
                    }
                    self.at += 1;
                }
                b'\\' if matches!(self.bytes.get(self.at + 1..self.at + 3), Some(br"N\" | br"F\")) => {
                    self.at += 3;
                }
                _ => return Ok(()),
            }
        }
    }

    /// From the byte here, whatever it is, past the next `end`.
    pub(super) fn delimited(&mut self, end: u8, what: &str) -> Result<(), SyntaxError> {
        let mut lines = 0;
        for (offset, byte) in self.bytes.iter().enumerate().skip(self.at + 1) {
            lines += u32::from(*byte == b'\n');
            if *byte == end {
                self.line = self.line.saturating_add(lines);
                self.at = offset + 1;
                return Ok(());
            }
        }
        Err(self.error(format!("{what} is cut short")))
    }

    /// Past a byte that must come next.
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), SyntaxError> {
        if self.peek()? != byte {
            return Err(self.unexpected(&format!("'{}'", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    /// Past a word that must come next, in either case.
    pub(super) fn literal(&mut self, text: &str) -> Result<(), SyntaxError> {
        self.peek()?;
        if !self.begins_with(text) {
            return Err(self.unexpected(text));
        }
        self.at += text.len();
        Ok(())
    }

    /// Whether a word stands here, in either case, and nothing that would make it longer.
    pub(super) fn begins_with(&self, text: &str) -> bool {
        let here = self.bytes.get(self.at..self.at + text.len());
        let after = self.bytes.get(self.at + text.len()).copied().unwrap_or(0);
        here.is_some_and(|here| here.eq_ignore_ascii_case(text.as_bytes())) && !is_name(after)
    }

    /// A keyword, in upper case.
    pub(super) fn keyword(&mut self) -> Result<Cow<'t, str>, SyntaxError> {
        self.peek()?;
        let start = self.at;
        // Keywords of a user's own begin with `!`.
        self.at += usize::from(self.byte() == b'!');
        let letters = self.run(is_name);
        if letters == 0 || self.byte().is_ascii_digit() {
            return Err(self.unexpected("a keyword"));
        }
        self.at += letters;
        let text = self.ascii(start, self.at);
        let lower = text.bytes().any(|byte| byte.is_ascii_lowercase());
        Ok(if lower { Cow::Owned(text.to_ascii_uppercase()) } else { Cow::Borrowed(text) })
    }

    /// A whole or real number, from its first byte on.
    pub(super) fn number(&mut self) -> Result<Value<'t>, SyntaxError> {
        let start = self.at;
        self.at += usize::from(matches!(self.bytes[start], b'+' | b'-'));
        self.digits()?;
        let mut real = self.byte() == b'.';
        if real {
            self.at += 1;
            self.at += self.run(|byte| byte.is_ascii_digit());
        }
        if matches!(self.byte(), b'E' | b'e') {
            real = true;
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), b'+' | b'-'));
            self.digits()?;
        }
        let text = self.ascii(start, self.at);
        let value = if real {
            text.parse().ok().filter(|value: &f64| value.is_finite()).map(Value::Real)
        } else {
            text.parse().ok().map(Value::Integer)
        };
        value.ok_or_else(|| self.error(format!("{text} is out of range")))
    }

    /// Past digits, of which there must be one.
    fn digits(&mut self) -> Result<(), SyntaxError> {
        let count = self.run(|byte| byte.is_ascii_digit());
        self.at += count;
        if count == 0 { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    /// The number in `#12`.
    pub(super) fn reference(&mut self) -> Result<u64, SyntaxError> {
        self.expect(b'#')?;
        let start = self.at;
        self.digits()?;
        let text = self.ascii(start, self.at);
        text.parse().map_err(|_| self.error(format!("#{text} is out of range")))
    }

    /// The word in `.WORD.`, from its first dot on.
    pub(super) fn word(&mut self) -> Result<&'t str, SyntaxError> {
        self.at += 1;
        let start = self.at;
        self.at += self.run(is_name);
        let word = self.ascii(start, self.at);
        if word.is_empty() || self.byte() != b'.' {
            return Err(self.unexpected("an enumeration value and its closing dot"));
        }
        self.at += 1;
        Ok(word)
    }

    /// `"0A"`, from its first quote on.
    pub(super) fn binary(&mut self) -> Result<Value<'t>, SyntaxError> {
        self.at += 1;
        self.at += self.run(|byte| byte.is_ascii_hexdigit());
        if self.byte() != b'"' {
            return Err(self.unexpected("hexadecimal digits and a closing quote"));
        }
        self.at += 1;
        Ok(Value::Binary)
    }

    /// How many bytes from here on pass a test.
    fn run(&self, test: impl Fn(u8) -> bool) -> usize {
        self.bytes[self.at..].iter().take_while(|byte| test(**byte)).count()
    }

    /// Bytes that were seen to be ASCII.
    fn ascii(&self, start: usize, end: usize) -> &'t str {
        std::str::from_utf8(&self.bytes[start..end]).unwrap_or_default()
    }

    /// An error that shows what stands here.
    pub(super) fn unexpected(&self, expected: &str) -> SyntaxError {
        let found: String = self.bytes[self.at.min(self.bytes.len())..]
            .iter()
            .take(12)
            .take_while(|byte| !byte.is_ascii_control())
            .map(|byte| char::from(*byte))
            .collect();
        self.error(format!("expected {expected}, found \"{found}\""))
    }

    /// An error on this line.
    pub(super) fn error(&self, message: String) -> SyntaxError {
        SyntaxError { line: self.line, message }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
