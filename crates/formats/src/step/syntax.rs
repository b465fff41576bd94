//! The syntax of STEP files: from bytes to records, whatever they mean.
//!
//! Source: ISO 10303-21, clauses 5 to 12 (tokens, strings, header, anchor, reference, data and signature sections).
//! Differs: a blank attribute counts as `$`, header records may lack their semicolon, keywords may be in lower case,
//! whole numbers may have an exponent, and what follows the end is passed over; all but the keywords and the exponents
//! are noted. Numbers that double precision cannot hold are refused. Strings are UTF-8 where they can be, else
//! ISO 8859-1.
//! Ends because: every step of every loop consumes at least one byte; values nest [`DEEPEST_VALUE`] deep at most.
//! Cost: one pass over the bytes, and a sort where records are out of order. Values stand in one array, those of a
//! list or record side by side, so that a file takes a handful of allocations and not one per list.
//! Not promised: the contents of anchor and signature sections, and values that refer to anchors.

use super::text::decode;
use std::borrow::Cow;
use std::fmt;

/// Nesting of values; real files stay below five. More would fill the stack.
const DEEPEST_VALUE: usize = 64;

/// The records of a file.
#[derive(Debug, Default)]
pub(super) struct Records<'t> {
    /// The header's.
    pub(super) header: Vec<Part<'t>>,
    /// Those of the data sections, in the order of their numbers.
    pub(super) entities: Vec<Entity>,
    /// Numbers that stand for something in another file, with its address.
    pub(super) elsewhere: Vec<(u64, String)>,
    /// What was forgiven, with the line.
    pub(super) forgiven: Vec<(u32, &'static str)>,
    values: Vec<Value<'t>>,
    parts: Vec<Part<'t>>,
}

/// A record `#id = …;`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entity {
    /// Its number.
    pub(super) id: u64,
    /// The line its number stands on, counted from 1.
    pub(super) line: u32,
    /// Whether it was written as a list of parts.
    pub(super) complex: bool,
    parts: Slice,
}

/// A keyword with its attributes.
#[derive(Debug)]
pub(super) struct Part<'t> {
    /// In upper case.
    pub(super) kind: Cow<'t, str>,
    values: Slice,
}

/// A value in attribute position.
#[derive(Debug)]
pub(super) enum Value<'t> {
    /// `12`
    Integer(i64),
    /// `1.2E3`
    Real(f64),
    /// `'text'`, decoded.
    Text(Cow<'t, str>),
    /// `.WORD.`
    Word(&'t str),
    /// `"0A"`; nothing here asks for what it holds.
    Binary,
    /// `#12`
    Reference(u64),
    /// `$`
    Unset,
    /// `*`
    Derived,
    /// `(…)`
    List(Slice),
    /// `KIND(value)`, by the place of the part.
    Typed(u32),
}

/// Neighbours in one of the arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    start: u32,
    end: u32,
}

/// What keeps a text from being a STEP file.
#[derive(Debug)]
pub(super) struct SyntaxError {
    line: u32,
    message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl Slice {
    fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl<'t> Records<'t> {
    /// The record of a number.
    pub(super) fn get(&self, id: u64) -> Option<&Entity> {
        // Most files number their records without gaps.
        let first = self.entities.first()?.id;
        let guess = usize::try_from(id.checked_sub(first)?).ok()?;
        if let Some(entity) = self.entities.get(guess).filter(|entity| entity.id == id) {
            return Some(entity);
        }
        let at = self.entities.binary_search_by_key(&id, |entity| entity.id).ok()?;
        self.entities.get(at)
    }

    /// The parts of a record; one, unless it is complex.
    pub(super) fn parts(&self, entity: &Entity) -> &[Part<'t>] {
        entity.parts.of(&self.parts)
    }

    /// The attributes of a part.
    pub(super) fn attributes(&self, part: &Part<'t>) -> &[Value<'t>] {
        part.values.of(&self.values)
    }

    /// The items of a list.
    pub(super) fn items(&self, list: Slice) -> &[Value<'t>] {
        list.of(&self.values)
    }

    /// The part in a typed value.
    pub(super) fn typed(&self, at: u32) -> Option<&Part<'t>> {
        self.parts.get(at as usize)
    }

    /// Reads a whole file.
    pub(super) fn parse(bytes: &'t [u8]) -> Result<Self, SyntaxError> {
        let found = Self::default();
        let mut parser = Parser { bytes, at: 0, line: 1, found, stack: Vec::new(), open_parts: Vec::new() };
        parser.file()?;
        let mut found = parser.found;
        let ascending = |pair: &[Entity]| pair[0].id < pair[1].id;
        if !found.entities.windows(2).all(ascending) {
            found.entities.sort_by_key(|entity| entity.id);
            if let Some(pair) = found.entities.windows(2).find(|pair| !ascending(pair)) {
                let message = format!("duplicate entity #{} (first on line {})", pair[0].id, pair[0].line);
                return Err(SyntaxError { line: pair[1].line, message });
            }
        }
        Ok(found)
    }
}

struct Parser<'t> {
    bytes: &'t [u8],
    at: usize,
    line: u32,
    found: Records<'t>,
    /// Values of lists that are still open.
    stack: Vec<Value<'t>>,
    /// Parts of the record that is still open.
    open_parts: Vec<Part<'t>>,
}

/// Sections.
impl<'t> Parser<'t> {
    fn file(&mut self) -> Result<(), SyntaxError> {
        self.literal("ISO-10303-21")?;
        self.expect(b';')?;
        self.literal("HEADER")?;
        self.expect(b';')?;
        self.header()?;
        loop {
            self.peek()?;
            if self.begins_with("END-ISO-10303-21") {
                break;
            }
            let line = self.line;
            match &*self.keyword()? {
                "DATA" => self.data()?,
                "REFERENCE" => self.references()?,
                "ANCHOR" => self.pass_section()?,
                "SIGNATURE" => {
                    self.pass_section()?;
                    self.found.forgiven.push((line, "the signature is not checked"));
                }
                other => return Err(self.error(format!("{other} is no section of a STEP file"))),
            }
        }
        self.literal("END-ISO-10303-21")?;
        self.expect(b';')?;
        self.pass_blanks()?;
        if self.at < self.bytes.len() {
            self.found.forgiven.push((self.line, "what follows the end of the file is not read"));
        }
        Ok(())
    }

    fn header(&mut self) -> Result<(), SyntaxError> {
        while !self.end_of_section()? {
            let kind = self.keyword()?;
            let values = self.list(0)?;
            self.found.header.push(Part { kind, values });
            if self.peek()? == b';' {
                self.at += 1;
            } else {
                self.found.forgiven.push((self.line, "a header record has no semicolon"));
            }
        }
        Ok(())
    }

    fn data(&mut self) -> Result<(), SyntaxError> {
        // Files of several sections name each and its schema.
        if self.peek()? == b'(' {
            self.list(0)?;
        }
        self.expect(b';')?;
        while !self.end_of_section()? {
            self.entity()?;
        }
        Ok(())
    }

    fn entity(&mut self) -> Result<(), SyntaxError> {
        self.peek()?;
        let line = self.line;
        let id = self.reference()?;
        self.expect(b'=')?;
        let complex = self.peek()? == b'(';
        self.at += usize::from(complex);
        // Typed values have parts of their own, which come first.
        loop {
            let kind = self.keyword()?;
            let values = self.list(0)?;
            self.open_parts.push(Part { kind, values });
            if !complex || self.peek()? == b')' {
                break;
            }
        }
        self.at += usize::from(complex);
        self.expect(b';')?;
        let start = self.found.parts.len();
        self.found.parts.append(&mut self.open_parts);
        let parts = self.slice(start, self.found.parts.len())?;
        self.found.entities.push(Entity { id, line, complex, parts });
        Ok(())
    }

    /// Records that stand in other files: `#12=<address>;`.
    fn references(&mut self) -> Result<(), SyntaxError> {
        self.expect(b';')?;
        while !self.end_of_section()? {
            if self.peek()? == b'#' {
                let id = self.reference()?;
                self.expect(b'=')?;
                self.peek()?;
                let start = self.at;
                self.pass_to_semicolon()?;
                let address = String::from_utf8_lossy(&self.bytes[start..self.at - 1]);
                self.found.elsewhere.push((id, address.trim().to_owned()));
            } else {
                self.found.forgiven.push((self.line, "a reference by value is not read"));
                self.pass_to_semicolon()?;
            }
        }
        Ok(())
    }

    fn pass_section(&mut self) -> Result<(), SyntaxError> {
        self.expect(b';')?;
        while !self.end_of_section()? {
            self.pass_to_semicolon()?;
        }
        Ok(())
    }

    /// Whether `ENDSEC;` comes, which is then consumed.
    fn end_of_section(&mut self) -> Result<bool, SyntaxError> {
        self.peek()?;
        let ends = self.begins_with("ENDSEC");
        if ends {
            self.at += "ENDSEC".len();
            self.expect(b';')?;
        }
        Ok(ends)
    }

    /// Past the next semicolon outside strings, addresses and comments.
    fn pass_to_semicolon(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.peek()? {
                b';' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\'' => _ = self.string()?,
                b'<' => self.delimited(b'>', "an address")?,
                _ => self.at += 1,
            }
        }
    }
}

/// Values.
impl<'t> Parser<'t> {
    /// `(…)`; `depth` lists are open around it.
    fn list(&mut self, depth: usize) -> Result<Slice, SyntaxError> {
        self.expect(b'(')?;
        let base = self.stack.len();
        if self.peek()? == b')' {
            self.at += 1;
            return Ok(Slice { start: 0, end: 0 });
        }
        loop {
            let value = self.value(depth)?;
            self.stack.push(value);
            match self.peek()? {
                b',' => self.at += 1,
                b')' => break,
                _ => return Err(self.unexpected("a comma or a closing parenthesis")),
            }
        }
        self.at += 1;
        let start = self.found.values.len();
        self.found.values.extend(self.stack.drain(base..));
        self.slice(start, self.found.values.len())
    }

    fn value(&mut self, depth: usize) -> Result<Value<'t>, SyntaxError> {
        if depth >= DEEPEST_VALUE {
            return Err(self.error(format!("values are nested more than {DEEPEST_VALUE} deep")));
        }
        Ok(match self.peek()? {
            b'#' => Value::Reference(self.reference()?),
            b'0'..=b'9' | b'+' | b'-' => self.number()?,
            b'\'' => self.string()?,
            b'(' => Value::List(self.list(depth + 1)?),
            b'.' => Value::Word(self.word()?),
            b'"' => self.binary()?,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'!' => self.typed(depth)?,
            b',' | b')' => {
                self.found.forgiven.push((self.line, "a blank attribute is read as $"));
                Value::Unset
            }
            b'$' => {
                self.at += 1;
                Value::Unset
            }
            b'*' => {
                self.at += 1;
                Value::Derived
            }
            _ => return Err(self.unexpected("a value")),
        })
    }

    fn typed(&mut self, depth: usize) -> Result<Value<'t>, SyntaxError> {
        let kind = self.keyword()?;
        self.expect(b'(')?;
        let value = self.value(depth + 1)?;
        self.expect(b')')?;
        let start = self.found.values.len();
        self.found.values.push(value);
        let values = self.slice(start, start + 1)?;
        self.found.parts.push(Part { kind, values });
        let at = self.found.parts.len();
        Ok(Value::Typed(self.slice(at - 1, at)?.start))
    }

    fn number(&mut self) -> Result<Value<'t>, SyntaxError> {
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

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let count = self.run(|byte| byte.is_ascii_digit());
        self.at += count;
        if count == 0 { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn reference(&mut self) -> Result<u64, SyntaxError> {
        self.expect(b'#')?;
        let start = self.at;
        self.digits()?;
        let text = self.ascii(start, self.at);
        text.parse().map_err(|_| self.error(format!("#{text} is out of range")))
    }

    fn string(&mut self) -> Result<Value<'t>, SyntaxError> {
        let line = self.line;
        let start = self.at + 1;
        loop {
            self.delimited(b'\'', "a string")?;
            // Two quotes stand for one; the second begins what reads like another string.
            if self.byte() != b'\'' {
                break;
            }
        }
        let (text, malformed) = decode(&self.bytes[start..self.at - 1]);
        if malformed {
            self.found
                .forgiven
                .push((line, "a string has an escape that cannot be decoded; it is kept as written"));
        }
        Ok(Value::Text(text))
    }

    fn word(&mut self) -> Result<&'t str, SyntaxError> {
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

    fn binary(&mut self) -> Result<Value<'t>, SyntaxError> {
        self.at += 1;
        self.at += self.run(|byte| byte.is_ascii_hexdigit());
        if self.byte() != b'"' {
            return Err(self.unexpected("hexadecimal digits and a closing quote"));
        }
        self.at += 1;
        Ok(Value::Binary)
    }
}

/// Tokens.
impl<'t> Parser<'t> {
    /// The byte here; 0 past the end, which begins no token.
    fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The first byte of the next token.
    fn peek(&mut self) -> Result<u8, SyntaxError> {
        let byte = self.byte();
        if byte > b'/' || matches!(byte, b'#'..=b'.') {
            return Ok(byte);
        }
        self.pass_blanks()?;
        match self.bytes.get(self.at) {
            Some(byte) => Ok(*byte),
            None => Err(self.error("the file ends here; it is cut short".to_owned())),
        }
    }

    /// Past blanks, line ends and comments.
    fn pass_blanks(&mut self) -> Result<(), SyntaxError> {
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
                _ => return Ok(()),
            }
        }
    }

    /// From the byte here, whatever it is, past the next `end`.
    fn delimited(&mut self, end: u8, what: &str) -> Result<(), SyntaxError> {
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

    fn keyword(&mut self) -> Result<Cow<'t, str>, SyntaxError> {
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

    fn expect(&mut self, byte: u8) -> Result<(), SyntaxError> {
        if self.peek()? != byte {
            return Err(self.unexpected(&format!("'{}'", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    fn literal(&mut self, text: &str) -> Result<(), SyntaxError> {
        self.peek()?;
        if !self.begins_with(text) {
            return Err(self.unexpected(text));
        }
        self.at += text.len();
        Ok(())
    }

    fn begins_with(&self, text: &str) -> bool {
        let here = self.bytes.get(self.at..self.at + text.len());
        let after = self.bytes.get(self.at + text.len()).copied().unwrap_or(0);
        here.is_some_and(|here| here.eq_ignore_ascii_case(text.as_bytes())) && !is_name(after)
    }

    /// How many bytes from here on pass a test.
    fn run(&self, test: impl Fn(u8) -> bool) -> usize {
        self.bytes[self.at..].iter().take_while(|byte| test(**byte)).count()
    }

    /// Bytes that were seen to be ASCII.
    fn ascii(&self, start: usize, end: usize) -> &'t str {
        std::str::from_utf8(&self.bytes[start..end]).unwrap_or_default()
    }

    fn slice(&self, start: usize, end: usize) -> Result<Slice, SyntaxError> {
        match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) => Ok(Slice { start, end }),
            _ => Err(self.error("the file has more values than can be counted".to_owned())),
        }
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let found: String = self.bytes[self.at.min(self.bytes.len())..]
            .iter()
            .take(12)
            .take_while(|byte| !byte.is_ascii_control())
            .map(|byte| char::from(*byte))
            .collect();
        self.error(format!("expected {expected}, found \"{found}\""))
    }

    fn error(&self, message: String) -> SyntaxError {
        SyntaxError { line: self.line, message }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
