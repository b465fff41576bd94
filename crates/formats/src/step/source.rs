//! The records of a STEP file: the only module that knows the reader behind them.
//!
//! The reader's syntax layer is used, not its typed model: it keeps every record with its number and line,
//! also of kinds it does not know, so that whatever cannot be understood can be named where it stands.

use super::Fault;
use crate::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::io::Read;
use step_io::parser::{Attribute, Graph, RawEntity, parse};

/// The records of a file by number.
pub(super) struct Source {
    entities: BTreeMap<u64, RawEntity>,
    /// What the reader repaired.
    pub(super) repairs: Vec<Fault>,
    /// The names in `FILE_SCHEMA`.
    pub(super) schema: Vec<String>,
}

/// One record, with the source it refers into.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    source: &'a Source,
    entity: &'a RawEntity,
}

/// The attributes of a record, or of one part of a complex record.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    /// Where they stand.
    pub(super) record: Record<'a>,
    attributes: &'a [Attribute],
}

/// Header records that a file must have and some lack, with what stands in for them.
const HEADER_DEFAULTS: [(&str, &str); 3] = [
    ("FILE_DESCRIPTION", "FILE_DESCRIPTION((''),'2;1');"),
    ("FILE_NAME", "FILE_NAME('','',(''),(''),'','','');"),
    ("FILE_SCHEMA", "FILE_SCHEMA((''));"),
];

impl Source {
    /// Reads the records of a file.
    ///
    /// # Errors
    /// `bad_file`, with the line, when the text is not a STEP file.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut added = String::new();
        let mut lacking = Vec::new();
        let graph = loop {
            match parse_with_header(bytes, &added) {
                Ok(graph) => break graph,
                Err(step_io::Error::MissingHeaderEntity { name }) => {
                    // Each default is added once, so the loop ends after three rounds at most.
                    let default = HEADER_DEFAULTS.iter().find(|(known, _)| *known == name);
                    let Some((_, text)) = default.filter(|_| !lacking.contains(&name)) else {
                        return Err(bad_file(format!("the header lacks {name}")));
                    };
                    added += text;
                    lacking.push(name);
                }
                Err(error) => return Err(bad_file(format!("not a STEP file: {error}"))),
            }
        };
        let mut repairs: Vec<Fault> =
            lacking.iter().map(|name| Fault::of_file(format!("the header lacks {name}"))).collect();
        repairs.extend(graph.warnings.iter().map(|warning| Fault::of_file(warning.to_string())));
        repairs.extend(graph.external_references.iter().map(|(id, target)| {
            Fault::of_file(format!("#{id} stands in another file, {target}, which is not read"))
        }));
        Ok(Self { entities: graph.entities, repairs, schema: graph.schema.raw })
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.entities.len()
    }

    /// All records in the order of their numbers.
    pub(super) fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.entities.values().map(|entity| Record { source: self, entity })
    }

    /// All records that are, or contain a part, of a kind.
    pub(super) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Record<'a>> {
        self.records().filter(move |record| record.is(kind))
    }

    /// The record of a number, asked for by `by`.
    pub(super) fn get(&self, id: u64, by: Record<'_>) -> Result<Record<'_>, Fault> {
        match self.entities.get(&id) {
            Some(entity) => Ok(Record { source: self, entity }),
            None => Err(by.fault(format!("names #{id}, which the file does not have"))),
        }
    }
}

fn bad_file(reason: String) -> Error {
    Error::new(ErrorKind::BadFile { reason })
}

/// Parses with records added right after `HEADER;`, on the same line, so that lines keep their numbers.
fn parse_with_header(bytes: &[u8], added: &str) -> Result<Graph, step_io::Error> {
    const START: &[u8] = b"HEADER;";
    let at = bytes.windows(START.len()).position(|window| window.eq_ignore_ascii_case(START));
    let (before, after) = bytes.split_at(at.map_or(0, |at| at + START.len()));
    if added.is_empty() {
        return parse(bytes);
    }
    parse(before.chain(added.as_bytes()).chain(after))
}

impl<'a> Record<'a> {
    /// Its number.
    pub(super) fn id(self) -> u64 {
        self.entity.id()
    }

    /// The line it begins on.
    pub(super) fn line(self) -> u32 {
        self.entity.span().line
    }

    /// The records around it.
    pub(super) fn source(self) -> &'a Source {
        self.source
    }

    /// Its kind; the kinds of its parts joined with `+` for a complex record.
    pub(super) fn kind(self) -> String {
        match self.entity {
            RawEntity::Simple { name, .. } => name.clone(),
            RawEntity::Complex { parts, .. } => {
                parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join("+")
            }
        }
    }

    /// The kind of a simple record; nothing for a complex one.
    pub(super) fn simple_kind(self) -> &'a str {
        match self.entity {
            RawEntity::Simple { name, .. } => name,
            RawEntity::Complex { .. } => "",
        }
    }

    /// Whether it is of a kind, or has a part of it.
    pub(super) fn is(self, kind: &str) -> bool {
        self.has_kind(|name| name == kind)
    }

    /// Whether its kind, or that of one of its parts, passes a test.
    pub(super) fn has_kind(self, test: impl Fn(&str) -> bool) -> bool {
        match self.entity {
            RawEntity::Simple { name, .. } => test(name),
            RawEntity::Complex { parts, .. } => parts.iter().any(|part| test(&part.name)),
        }
    }

    /// Something wrong here.
    pub(super) fn fault(self, message: impl Into<String>) -> Fault {
        Fault {
            entity: Some(self.id()),
            line: Some(self.line()),
            message: format!("{} {}", self.kind(), message.into()),
        }
    }

    /// Something here that this version cannot represent.
    pub(super) fn unsupported(self, what: &str) -> Fault {
        self.fault(format!("cannot be used as {what}"))
    }

    /// All attributes of a simple record.
    pub(super) fn fields(self) -> Fields<'a> {
        let attributes: &'a [Attribute] = match self.entity {
            RawEntity::Simple { attributes, .. } => attributes,
            RawEntity::Complex { .. } => &[],
        };
        Fields { record: self, attributes }
    }

    /// The attributes that one kind of a chain of kinds adds, first ancestor first, each with the number of its
    /// own attributes. A simple record lists those of the whole chain one after the other; a complex one has a
    /// part for each.
    pub(super) fn own(self, kind: &str, chain: &[(&str, usize)]) -> Result<Fields<'a>, Fault> {
        match self.entity {
            RawEntity::Complex { parts, .. } => match parts.iter().find(|part| part.name == kind) {
                Some(part) => Ok(Fields { record: self, attributes: &part.attributes }),
                None => Err(self.fault(format!("has no part {kind}"))),
            },
            RawEntity::Simple { attributes, .. } => {
                let mut start = 0;
                for (name, count) in chain {
                    let end = start + count;
                    if *name == kind {
                        let Some(own) = attributes.get(start..end) else {
                            return Err(self.fault("has too few attributes"));
                        };
                        return Ok(Fields { record: self, attributes: own });
                    }
                    start = end;
                }
                Err(self.fault(format!("has no attributes of {kind}")))
            }
        }
    }
}

impl<'a> Record<'a> {
    /// The attributes of one part of a complex record, all of a simple one.
    pub(super) fn own_or_all(self, kind: &str) -> Fields<'a> {
        self.own(kind, &[]).unwrap_or_else(|_| self.fields())
    }
}

impl<'a> Fields<'a> {
    fn at(self, index: usize) -> Result<&'a Attribute, Fault> {
        match self.attributes.get(index) {
            Some(attribute) => Ok(plain(attribute)),
            None => Err(self.record.fault(format!("has no attribute {}", index + 1))),
        }
    }

    fn wrong(self, index: usize, expected: &str) -> Fault {
        self.record.fault(format!("has something other than {expected} as attribute {}", index + 1))
    }

    /// Whether an attribute is left open (`$` or `*`) or missing.
    pub(super) fn is_unset(self, index: usize) -> bool {
        matches!(self.attributes.get(index), None | Some(Attribute::Unset | Attribute::Derived))
    }

    /// A number.
    pub(super) fn real(self, index: usize) -> Result<f64, Fault> {
        number(self.at(index)?).ok_or_else(|| self.wrong(index, "a finite number"))
    }

    /// A whole number that is not negative.
    pub(super) fn count(self, index: usize) -> Result<usize, Fault> {
        whole(self.at(index)?).ok_or_else(|| self.wrong(index, "a whole number"))
    }

    /// A string.
    pub(super) fn text(self, index: usize) -> Result<&'a str, Fault> {
        match self.at(index)? {
            Attribute::String(text) => Ok(text),
            Attribute::Unset | Attribute::Derived => Ok(""),
            _ => Err(self.wrong(index, "a string")),
        }
    }

    /// An enumeration value without its dots.
    pub(super) fn word(self, index: usize) -> Result<&'a str, Fault> {
        match self.at(index)? {
            Attribute::Enum(word) => Ok(word),
            _ => Err(self.wrong(index, "an enumeration value")),
        }
    }

    /// True or false.
    pub(super) fn flag(self, index: usize) -> Result<bool, Fault> {
        match self.word(index)? {
            "T" | "TRUE" => Ok(true),
            "F" | "FALSE" => Ok(false),
            _ => Err(self.wrong(index, ".T. or .F.")),
        }
    }

    /// The record that an attribute names.
    pub(super) fn link(self, index: usize) -> Result<Record<'a>, Fault> {
        self.link_of(self.at(index)?).unwrap_or_else(|| Err(self.wrong(index, "a reference")))
    }

    /// The record that an attribute names, unless it is left open.
    pub(super) fn link_if_set(self, index: usize) -> Result<Option<Record<'a>>, Fault> {
        if self.is_unset(index) { Ok(None) } else { self.link(index).map(Some) }
    }

    /// The records that a list names.
    pub(super) fn links(self, index: usize) -> Result<Vec<Record<'a>>, Fault> {
        self.list(index)?
            .iter()
            .map(|item| self.link_of(plain(item)).unwrap_or_else(|| Err(self.wrong(index, "references"))))
            .collect()
    }

    /// Lists of records, row by row.
    pub(super) fn link_rows(self, index: usize) -> Result<Vec<Vec<Record<'a>>>, Fault> {
        self.rows(index, |fields| fields.links(0))
    }

    /// Lists of numbers, row by row.
    pub(super) fn real_rows(self, index: usize) -> Result<Vec<Vec<f64>>, Fault> {
        self.rows(index, |fields| fields.reals(0))
    }

    /// Numbers.
    pub(super) fn reals(self, index: usize) -> Result<Vec<f64>, Fault> {
        let read = |item| number(plain(item)).ok_or_else(|| self.wrong(index, "finite numbers"));
        self.list(index)?.iter().map(read).collect()
    }

    /// Two or three numbers; a third that is missing is 0.
    pub(super) fn triple(self, index: usize) -> Result<[f64; 3], Fault> {
        let mut triple = [0.0; 3];
        let items = self.list(index)?;
        if items.len() < 2 || items.len() > 3 {
            return Err(self.wrong(index, "two or three numbers"));
        }
        for (slot, item) in triple.iter_mut().zip(items) {
            *slot = number(plain(item)).ok_or_else(|| self.wrong(index, "finite numbers"))?;
        }
        Ok(triple)
    }

    /// Whole numbers that are not negative.
    pub(super) fn counts(self, index: usize) -> Result<Vec<usize>, Fault> {
        let read = |item| whole(plain(item)).ok_or_else(|| self.wrong(index, "whole numbers"));
        self.list(index)?.iter().map(read).collect()
    }

    /// What a select attribute holds where it is no reference but a value, or a list of either: each reference
    /// and each number in it.
    pub(super) fn mixed(self, index: usize) -> Result<Vec<Mixed<'a>>, Fault> {
        self.list(index)?
            .iter()
            .map(|item| match (self.link_of(plain(item)), number(plain(item))) {
                (Some(link), _) => link.map(Mixed::Link),
                (None, Some(number)) => Ok(Mixed::Number(number)),
                (None, None) => Err(self.wrong(index, "references and numbers")),
            })
            .collect()
    }

    fn list(self, index: usize) -> Result<&'a [Attribute], Fault> {
        match self.at(index)? {
            Attribute::List(items) => Ok(items),
            _ => Err(self.wrong(index, "a list")),
        }
    }

    fn rows<T>(
        self,
        index: usize,
        read: impl Fn(Self) -> Result<Vec<T>, Fault>,
    ) -> Result<Vec<Vec<T>>, Fault> {
        let rows = self.list(index)?.iter();
        rows.map(|row| read(Self { record: self.record, attributes: std::slice::from_ref(row) })).collect()
    }

    fn link_of(self, attribute: &Attribute) -> Option<Result<Record<'a>, Fault>> {
        match attribute {
            Attribute::EntityRef(id) => Some(self.record.source.get(*id, self.record)),
            _ => None,
        }
    }
}

/// A reference or a number.
pub(super) enum Mixed<'a> {
    /// A reference.
    Link(Record<'a>),
    /// A number.
    Number(f64),
}

/// The value inside wrappings such as `LENGTH_MEASURE(1.)`.
fn plain(mut attribute: &Attribute) -> &Attribute {
    while let Attribute::Typed { value, .. } = attribute {
        attribute = value;
    }
    attribute
}

fn number(attribute: &Attribute) -> Option<f64> {
    match attribute {
        Attribute::Real(value) => Some(*value).filter(|value| value.is_finite()),
        Attribute::Integer(value) => Some(*value as f64),
        _ => None,
    }
}

fn whole(attribute: &Attribute) -> Option<usize> {
    match attribute {
        Attribute::Integer(value) => usize::try_from(*value).ok(),
        _ => None,
    }
}
