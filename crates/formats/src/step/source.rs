//! The records of a STEP file with their attributes, and the words for what is wrong with them.

use super::Fault;
use super::syntax::{Entity, Part, Records, Value};
use crate::{Error, ErrorKind};

/// Faults of syntax, and records of other files, that are named one by one. A file may consist of them.
const MOST_NOTES: usize = 100;

/// The records of a file by number.
pub(super) struct Source<'t> {
    records: Records<'t>,
    /// What the reader repaired.
    pub(super) repairs: Vec<Fault>,
    /// The names in `FILE_SCHEMA`.
    pub(super) schema: Vec<String>,
}

/// One record, with the source it refers into.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    source: &'a Source<'a>,
    entity: &'a Entity,
}

/// The attributes of a record, or of one part of a complex record.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    /// Where they stand.
    pub(super) record: Record<'a>,
    attributes: &'a [Value<'a>],
}

impl<'t> Source<'t> {
    /// Reads the records of a file.
    ///
    /// # Errors
    /// `bad_file`, with the line, when the text is not a STEP file.
    pub(super) fn parse(bytes: &'t [u8]) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let records = Records::parse(bytes).map_err(|error| {
            Error::new(ErrorKind::BadFile { reason: format!("not a STEP file: {error}") })
        })?;
        let mut repairs = Vec::new();
        for name in ["FILE_DESCRIPTION", "FILE_NAME", "FILE_SCHEMA"] {
            if !records.header.iter().any(|part| part.kind == name) {
                repairs.push(Fault::of_file(format!("the header lacks {name}")));
            }
        }
        for (line, what) in records.forgiven.iter().take(MOST_NOTES) {
            repairs.push(Fault { entity: None, line: Some(*line), message: (*what).to_owned() });
        }
        if let Some(more) = records.forgiven.len().checked_sub(MOST_NOTES).filter(|more| *more > 0) {
            repairs.push(Fault::of_file(format!("{more} more faults of this kind were forgiven")));
        }
        for (id, address) in records.elsewhere.iter().take(MOST_NOTES) {
            let message = format!("#{id} stands in another file, {address}, which is not read");
            repairs.push(Fault::of_file(message));
        }
        if let Some(more) = records.elsewhere.len().checked_sub(MOST_NOTES).filter(|more| *more > 0) {
            repairs.push(Fault::of_file(format!("{more} more records stand in other files")));
        }
        let schema = schema(&records);
        Ok(Self { records, repairs, schema })
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.records.entities.len()
    }

    /// All records in the order of their numbers.
    pub(super) fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.records.entities.iter().map(|entity| Record { source: self, entity })
    }

    /// All records that are, or contain a part, of a kind.
    pub(super) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Record<'a>> {
        self.records().filter(move |record| record.is(kind))
    }

    /// The record of a number, asked for by `by`.
    pub(super) fn get(&self, id: u64, by: Record<'_>) -> Result<Record<'_>, Fault> {
        match self.records.get(id) {
            Some(entity) => Ok(Record { source: self, entity }),
            None => Err(by.fault(format!("names #{id}, which the file does not have"))),
        }
    }
}

/// The texts in the header's list of schemas.
fn schema(records: &Records<'_>) -> Vec<String> {
    let lists = records.header.iter().filter(|part| part.kind == "FILE_SCHEMA");
    let items = lists.flat_map(|part| records.attributes(part)).flat_map(|value| match value {
        Value::List(list) => records.items(*list),
        _ => &[],
    });
    items
        .filter_map(|item| if let Value::Text(text) = item { Some(text.to_string()) } else { None })
        .collect()
}

impl<'a> Record<'a> {
    /// Its number.
    pub(super) fn id(self) -> u64 {
        self.entity.id
    }

    fn parts(self) -> &'a [Part<'a>] {
        self.source.records.parts(self.entity)
    }

    /// The line it begins on.
    pub(super) fn line(self) -> u32 {
        self.entity.line
    }

    /// The records around it.
    pub(super) fn source(self) -> &'a Source<'a> {
        self.source
    }

    /// Its kind; the kinds of its parts joined with `+` for a complex record.
    pub(super) fn kind(self) -> String {
        self.parts().iter().map(|part| &*part.kind).collect::<Vec<_>>().join("+")
    }

    /// The kind of a simple record; nothing for a complex one.
    pub(super) fn simple_kind(self) -> &'a str {
        match self.parts() {
            [part] if !self.entity.complex => &part.kind,
            _ => "",
        }
    }

    /// Whether it is of a kind, or has a part of it.
    pub(super) fn is(self, kind: &str) -> bool {
        self.has_kind(|name| name == kind)
    }

    /// Whether its kind, or that of one of its parts, passes a test.
    pub(super) fn has_kind(self, test: impl Fn(&str) -> bool) -> bool {
        self.parts().iter().any(|part| test(&part.kind))
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
        let attributes: &'a [Value<'a>] = match self.parts() {
            [part] if !self.entity.complex => self.source.records.attributes(part),
            _ => &[],
        };
        Fields { record: self, attributes }
    }

    /// The attributes that one kind of a chain of kinds adds, first ancestor first, each with the number of its
    /// own attributes. A simple record lists those of the whole chain one after the other; a complex one has a
    /// part for each.
    pub(super) fn own(self, kind: &str, chain: &[(&str, usize)]) -> Result<Fields<'a>, Fault> {
        if self.entity.complex {
            return match self.parts().iter().find(|part| part.kind == kind) {
                Some(part) => Ok(Fields { record: self, attributes: self.source.records.attributes(part) }),
                None => Err(self.fault(format!("has no part {kind}"))),
            };
        }
        let mut start = 0;
        for (name, count) in chain {
            let end = start + count;
            if *name == kind {
                let Some(own) = self.fields().attributes.get(start..end) else {
                    return Err(self.fault("has too few attributes"));
                };
                return Ok(Fields { record: self, attributes: own });
            }
            start = end;
        }
        Err(self.fault(format!("has no attributes of {kind}")))
    }

    /// The attributes of one part of a complex record, all of a simple one.
    pub(super) fn own_or_all(self, kind: &str) -> Fields<'a> {
        self.own(kind, &[]).unwrap_or_else(|_| self.fields())
    }
}

impl<'a> Fields<'a> {
    fn at(self, index: usize) -> Result<&'a Value<'a>, Fault> {
        match self.attributes.get(index) {
            Some(attribute) => Ok(self.plain(attribute)),
            None => Err(self.record.fault(format!("has no attribute {}", index + 1))),
        }
    }

    /// The value inside wrappings such as `LENGTH_MEASURE(1.)`.
    fn plain(self, mut value: &'a Value<'a>) -> &'a Value<'a> {
        let records = &self.record.source.records;
        while let Value::Typed(at) = value
            && let Some([inner]) = records.typed(*at).map(|part| records.attributes(part))
        {
            value = inner;
        }
        value
    }

    fn wrong(self, index: usize, expected: &str) -> Fault {
        self.record.fault(format!("has something other than {expected} as attribute {}", index + 1))
    }

    /// Whether an attribute is left open (`$` or `*`) or missing.
    pub(super) fn is_unset(self, index: usize) -> bool {
        matches!(self.attributes.get(index), None | Some(Value::Unset | Value::Derived))
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
            Value::Text(text) => Ok(text),
            Value::Unset | Value::Derived => Ok(""),
            _ => Err(self.wrong(index, "a string")),
        }
    }

    /// An enumeration value without its dots.
    pub(super) fn word(self, index: usize) -> Result<&'a str, Fault> {
        match self.at(index)? {
            Value::Word(word) => Ok(word),
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
            .map(|item| {
                self.link_of(self.plain(item)).unwrap_or_else(|| Err(self.wrong(index, "references")))
            })
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
        let read = |item| number(self.plain(item)).ok_or_else(|| self.wrong(index, "finite numbers"));
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
            *slot = number(self.plain(item)).ok_or_else(|| self.wrong(index, "finite numbers"))?;
        }
        Ok(triple)
    }

    /// Whole numbers that are not negative.
    pub(super) fn counts(self, index: usize) -> Result<Vec<usize>, Fault> {
        let read = |item| whole(self.plain(item)).ok_or_else(|| self.wrong(index, "whole numbers"));
        self.list(index)?.iter().map(read).collect()
    }

    /// What a select attribute holds where it is no reference but a value, or a list of either: each reference
    /// and each number in it.
    pub(super) fn mixed(self, index: usize) -> Result<Vec<Mixed<'a>>, Fault> {
        self.list(index)?
            .iter()
            .map(|item| match (self.link_of(self.plain(item)), number(self.plain(item))) {
                (Some(link), _) => link.map(Mixed::Link),
                (None, Some(number)) => Ok(Mixed::Number(number)),
                (None, None) => Err(self.wrong(index, "references and numbers")),
            })
            .collect()
    }

    fn list(self, index: usize) -> Result<&'a [Value<'a>], Fault> {
        match self.at(index)? {
            Value::List(list) => Ok(self.record.source.records.items(*list)),
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

    fn link_of(self, attribute: &Value<'_>) -> Option<Result<Record<'a>, Fault>> {
        match attribute {
            Value::Reference(id) => Some(self.record.source.get(*id, self.record)),
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

fn number(attribute: &Value<'_>) -> Option<f64> {
    match attribute {
        Value::Real(value) => Some(*value).filter(|value| value.is_finite()),
        Value::Integer(value) => Some(*value as f64),
        _ => None,
    }
}

fn whole(attribute: &Value<'_>) -> Option<usize> {
    match attribute {
        Value::Integer(value) => usize::try_from(*value).ok(),
        _ => None,
    }
}
