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
use super::tokens::{Scanner, SyntaxError};
use std::borrow::Cow;

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
        let mut parser = Parser {
            scan: Scanner { bytes, at: 0, line: 1 },
            found,
            stack: Vec::new(),
            open_parts: Vec::new(),
        };
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
    scan: Scanner<'t>,
    found: Records<'t>,
    /// Values of lists that are still open.
    stack: Vec<Value<'t>>,
    /// Parts of the record that is still open.
    open_parts: Vec<Part<'t>>,
}

/// Sections.
impl<'t> Parser<'t> {
    fn file(&mut self) -> Result<(), SyntaxError> {
        self.scan.literal("ISO-10303-21")?;
        self.scan.expect(b';')?;
        self.scan.literal("HEADER")?;
        self.scan.expect(b';')?;
        self.header()?;
        loop {
            self.scan.peek()?;
            if self.scan.begins_with("END-ISO-10303-21") {
                break;
            }
            let line = self.scan.line;
            match &*self.scan.keyword()? {
                "DATA" => self.data()?,
                "REFERENCE" => self.references()?,
                "ANCHOR" => self.pass_section()?,
                "SIGNATURE" => {
                    self.pass_signature()?;
                    self.found.forgiven.push((line, "the signature is not checked"));
                }
                other => return Err(self.scan.error(format!("{other} is no section of a STEP file"))),
            }
        }
        self.scan.literal("END-ISO-10303-21")?;
        self.scan.expect(b';')?;
        self.scan.pass_blanks()?;
        if self.scan.at < self.scan.bytes.len() {
            self.found.forgiven.push((self.scan.line, "what follows the end of the file is not read"));
        }
        Ok(())
    }

    fn header(&mut self) -> Result<(), SyntaxError> {
        while !self.end_of_section()? {
            let kind = self.scan.keyword()?;
            let values = self.list(0)?;
            self.found.header.push(Part { kind, values });
            if self.scan.peek()? == b';' {
                self.scan.at += 1;
            } else {
                self.found.forgiven.push((self.scan.line, "a header record has no semicolon"));
            }
        }
        Ok(())
    }

    fn data(&mut self) -> Result<(), SyntaxError> {
        // Files of several sections name each and its schema.
        if self.scan.peek()? == b'(' {
            self.list(0)?;
        }
        self.scan.expect(b';')?;
        while !self.end_of_section()? {
            self.entity()?;
        }
        Ok(())
    }

    fn entity(&mut self) -> Result<(), SyntaxError> {
        self.scan.peek()?;
        let line = self.scan.line;
        let id = self.scan.reference()?;
        self.scan.expect(b'=')?;
        let complex = self.scan.peek()? == b'(';
        self.scan.at += usize::from(complex);
        // Typed values have parts of their own, which come first.
        loop {
            let kind = self.scan.keyword()?;
            let values = self.list(0)?;
            self.open_parts.push(Part { kind, values });
            if !complex || self.scan.peek()? == b')' {
                break;
            }
        }
        self.scan.at += usize::from(complex);
        self.scan.expect(b';')?;
        let start = self.found.parts.len();
        self.found.parts.append(&mut self.open_parts);
        let parts = self.slice(start, self.found.parts.len())?;
        self.found.entities.push(Entity { id, line, complex, parts });
        Ok(())
    }

    /// Records that stand in other files: `#12=<address>;`.
    fn references(&mut self) -> Result<(), SyntaxError> {
        self.scan.expect(b';')?;
        while !self.end_of_section()? {
            if self.scan.peek()? == b'#' {
                let id = self.scan.reference()?;
                self.scan.expect(b'=')?;
                self.scan.peek()?;
                let start = self.scan.at;
                self.pass_to_semicolon()?;
                let address = String::from_utf8_lossy(&self.scan.bytes[start..self.scan.at - 1]);
                self.found.elsewhere.push((id, address.trim().to_owned()));
            } else {
                self.found.forgiven.push((self.scan.line, "a reference by value is not read"));
                self.pass_to_semicolon()?;
            }
        }
        Ok(())
    }

    fn pass_section(&mut self) -> Result<(), SyntaxError> {
        self.scan.expect(b';')?;
        while !self.end_of_section()? {
            self.pass_to_semicolon()?;
        }
        Ok(())
    }

    /// A signature is Base64, which has no semicolons and may contain any letters.
    fn pass_signature(&mut self) -> Result<(), SyntaxError> {
        self.scan.expect(b';')?;
        loop {
            self.scan.peek()?;
            if !self.scan.begins_with("ENDSEC") {
                self.scan.at += 1;
                continue;
            }
            self.scan.at += "ENDSEC".len();
            if self.scan.peek()? == b';' {
                self.scan.at += 1;
                return Ok(());
            }
        }
    }

    /// Whether `ENDSEC;` comes, which is then consumed.
    fn end_of_section(&mut self) -> Result<bool, SyntaxError> {
        self.scan.peek()?;
        let ends = self.scan.begins_with("ENDSEC");
        if ends {
            self.scan.at += "ENDSEC".len();
            self.scan.expect(b';')?;
        }
        Ok(ends)
    }

    /// Past the next semicolon outside strings, addresses and comments.
    fn pass_to_semicolon(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.scan.peek()? {
                b';' => {
                    self.scan.at += 1;
                    return Ok(());
                }
                b'\'' => _ = self.string()?,
                b'<' => self.scan.delimited(b'>', "an address")?,
                _ => self.scan.at += 1,
            }
        }
    }
}

/// Values.
impl<'t> Parser<'t> {
    /// `(…)`; `depth` lists are open around it.
    fn list(&mut self, depth: usize) -> Result<Slice, SyntaxError> {
        self.scan.expect(b'(')?;
        let base = self.stack.len();
        if self.scan.peek()? == b')' {
            self.scan.at += 1;
            return Ok(Slice { start: 0, end: 0 });
        }
        loop {
            let value = self.value(depth)?;
            self.stack.push(value);
            match self.scan.peek()? {
                b',' => self.scan.at += 1,
                b')' => break,
                _ => return Err(self.scan.unexpected("a comma or a closing parenthesis")),
            }
        }
        self.scan.at += 1;
        let start = self.found.values.len();
        self.found.values.extend(self.stack.drain(base..));
        self.slice(start, self.found.values.len())
    }

    fn value(&mut self, depth: usize) -> Result<Value<'t>, SyntaxError> {
        if depth >= DEEPEST_VALUE {
            return Err(self.scan.error(format!("values are nested more than {DEEPEST_VALUE} deep")));
        }
        Ok(match self.scan.peek()? {
            b'#' => Value::Reference(self.scan.reference()?),
            b'0'..=b'9' | b'+' | b'-' => self.scan.number()?,
            b'\'' => self.string()?,
            b'(' => Value::List(self.list(depth + 1)?),
            b'.' => Value::Word(self.scan.word()?),
            b'"' => self.scan.binary()?,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'!' => self.typed(depth)?,
            b',' | b')' => {
                self.found.forgiven.push((self.scan.line, "a blank attribute is read as $"));
                Value::Unset
            }
            b'$' => {
                self.scan.at += 1;
                Value::Unset
            }
            b'*' => {
                self.scan.at += 1;
                Value::Derived
            }
            _ => return Err(self.scan.unexpected("a value")),
        })
    }

    fn typed(&mut self, depth: usize) -> Result<Value<'t>, SyntaxError> {
        let kind = self.scan.keyword()?;
        self.scan.expect(b'(')?;
        let value = self.value(depth + 1)?;
        self.scan.expect(b')')?;
        let start = self.found.values.len();
        self.found.values.push(value);
        let values = self.slice(start, start + 1)?;
        self.found.parts.push(Part { kind, values });
        let at = self.found.parts.len();
        Ok(Value::Typed(self.slice(at - 1, at)?.start))
    }

    fn string(&mut self) -> Result<Value<'t>, SyntaxError> {
        let line = self.scan.line;
        let start = self.scan.at + 1;
        loop {
            self.scan.delimited(b'\'', "a string")?;
            // Two quotes stand for one; the second begins what reads like another string.
            if self.scan.byte() != b'\'' {
                break;
            }
        }
        let (text, malformed) = decode(&self.scan.bytes[start..self.scan.at - 1]);
        if malformed {
            self.found
                .forgiven
                .push((line, "a string has an escape that cannot be decoded; it is kept as written"));
        }
        Ok(Value::Text(text))
    }

    fn slice(&self, start: usize, end: usize) -> Result<Slice, SyntaxError> {
        match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) => Ok(Slice { start, end }),
            _ => Err(self.scan.error("the file has more values than can be counted".to_owned())),
        }
    }
}
