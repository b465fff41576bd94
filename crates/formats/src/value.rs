//! The neutral tree behind every input: JSON lines, TOML scenes and, through the facade, dictionaries.

use crate::{Error, ErrorKind};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use toml::de::{DeTable, DeValue};

/// A value with the line it stands on.
///
/// ```
/// use clearance_formats::{Data, Value};
/// let value = Value::from_json(r#"{"kind": "box", "size": [1, 2, 3]}"#)?;
/// assert!(matches!(value.data(), Data::Table(entries) if entries.len() == 2));
/// # Ok::<(), clearance_formats::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    data: Data,
    line: Option<usize>,
}

/// What a [`Value`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number; may be NaN or infinite when it does not come from text.
    Number(f64),
    /// A number as written that double precision cannot hold.
    Huge(String),
    /// Text.
    Text(String),
    /// A list of numbers alone, packed because coordinates make up most of every input.
    Numbers(Vec<f64>),
    /// Any other list.
    List(Vec<Value>),
    /// Keys and values in the order of the input, no key twice.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// A value that stands on no line.
    pub const fn new(data: Data) -> Self {
        Self { data, line: None }
    }

    /// What it is.
    pub const fn data(&self) -> &Data {
        &self.data
    }

    /// The line it stands on, counted from 1, where there are lines.
    pub const fn line(&self) -> Option<usize> {
        self.line
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// `bad_json` when it does not parse or names a key twice, `number_out_of_range` on numbers
    /// beyond double precision.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| json_error(&error, text))
    }

    /// Reads a TOML document.
    ///
    /// # Errors
    /// `bad_toml` when it does not parse, `duplicate_name` when a key or table stands twice; with the line.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        let lines = Lines::of(text);
        match DeTable::parse(text) {
            Ok(table) => Ok(Self { data: lines.table(table.get_ref()), line: Some(1) }),
            Err(error) => {
                let reason = error.message().to_owned();
                let at = error.span().map(|span| span.start).unwrap_or_default();
                let kind = if reason.contains("duplicate key") {
                    let name = error.span().and_then(|span| text.get(span)).unwrap_or_default();
                    ErrorKind::DuplicateName { reason: format!("`{name}` is given twice") }
                } else {
                    ErrorKind::BadToml { reason }
                };
                Err(Error::new(kind).on_line(lines.line(at)))
            }
        }
    }

    /// The type in words, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.data {
            Data::Null => "null".to_owned(),
            Data::Bool(value) => value.to_string(),
            Data::Number(value) => value.to_string(),
            Data::Huge(text) => text.clone(),
            Data::Text(text) => {
                let start: String = text.chars().take(SHOWN_CHARS).collect();
                if start.len() < text.len() { format!("\"{start}…\"") } else { format!("\"{start}\"") }
            }
            Data::Numbers(list) => format!("a list of {} numbers", list.len()),
            Data::List(list) => format!("a list of {} entries", list.len()),
            Data::Table(_) => "a table".to_owned(),
        }
    }

    fn from_list(list: Vec<Self>) -> Data {
        let mut numbers = Vec::with_capacity(list.len());
        for value in &list {
            match value.data {
                Data::Number(number) => numbers.push(number),
                _ => return Data::List(list),
            }
        }
        Data::Numbers(numbers)
    }
}

/// How much of a long text a message repeats.
const SHOWN_CHARS: usize = 40;

/// Turns a parser's error into ours; the parser counts lines within one line, so only its column is kept.
pub(crate) fn json_error(error: &serde_json::Error, text: &str) -> Error {
    let full = error.to_string();
    let reason = full.split(" at line ").next().unwrap_or(&full);
    if reason == "number out of range" {
        return Error::new(ErrorKind::NumberOutOfRange { number: number_around(text, error) });
    }
    let place = if text.contains('\n') {
        format!("line {}, column {}", error.line(), error.column())
    } else {
        format!("column {}", error.column())
    };
    Error::new(ErrorKind::BadJson { reason: format!("{reason} at {place}") })
}

/// The number that the parser's column points into.
fn number_around(text: &str, error: &serde_json::Error) -> String {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default().as_bytes();
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    // The column may point at the last character or one beyond it.
    let mut at = error.column().saturating_sub(1).min(line.len().saturating_sub(1));
    if !line.get(at).is_some_and(is_part) {
        at = at.saturating_sub(1);
    }
    let start = line[..at.min(line.len())].iter().rposition(|byte| !is_part(byte)).map_or(0, |i| i + 1);
    let end = line[start..].iter().position(|byte| !is_part(byte)).map_or(line.len(), |i| start + i);
    let shown = end.min(start + SHOWN_CHARS);
    String::from_utf8_lossy(&line[start..shown]).into_owned()
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self::new)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Data, E> {
        Ok(Data::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Data, E> {
        Ok(Data::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Data, E> {
        Ok(Data::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Data, E> {
        Ok(Data::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Data, E> {
        Ok(Data::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Data, E> {
        Ok(Data::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut numbers = Vec::new();
        while let Some(value) = access.next_element::<Value>()? {
            if let Data::Number(number) = value.data {
                numbers.push(number);
                continue;
            }
            let mut list: Vec<Value> =
                numbers.into_iter().map(|number| Value::new(Data::Number(number))).collect();
            list.push(value);
            while let Some(value) = access.next_element()? {
                list.push(value);
            }
            return Ok(Data::List(list));
        }
        Ok(Data::Numbers(numbers))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        if let Some(key) = repeated(entries.iter().map(|(key, _)| key.as_str())) {
            return Err(serde::de::Error::custom(format_args!("the key `{key}` stands twice")));
        }
        Ok(Data::Table(entries))
    }
}

/// A key that occurs twice; by sorting, so that a hostile table costs no quadratic time.
pub(crate) fn repeated<'a>(keys: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut sorted: Vec<&str> = keys.collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Where the lines of a document start.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        Self { starts }
    }

    /// The line of a byte offset, counted from 1.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    fn table(&self, table: &DeTable<'_>) -> Data {
        let mut entries: Vec<_> = table.iter().collect();
        // The parser sorts by name; bodies keep the order of the file.
        entries.sort_by_key(|(key, _)| key.span().start);
        Data::Table(
            entries
                .into_iter()
                .map(|(key, value)| {
                    let line = Some(self.line(key.span().start));
                    (key.get_ref().to_string(), Value { data: self.data(value.get_ref()), line })
                })
                .collect(),
        )
    }

    fn data(&self, value: &DeValue<'_>) -> Data {
        match value {
            DeValue::String(text) => Data::Text(text.to_string()),
            DeValue::Boolean(value) => Data::Bool(*value),
            DeValue::Datetime(when) => Data::Text(when.to_string()),
            DeValue::Float(float) => number(float.as_str(), 10),
            DeValue::Integer(integer) => number(integer.as_str(), integer.radix()),
            DeValue::Array(list) => Value::from_list(
                list.iter()
                    .map(|item| Value {
                        data: self.data(item.get_ref()),
                        line: Some(self.line(item.span().start)),
                    })
                    .collect(),
            ),
            DeValue::Table(table) => self.table(table),
        }
    }
}

/// A TOML number; its text is free of underscores and of a radix prefix.
fn number(text: &str, radix: u32) -> Data {
    if radix != 10 {
        return i128::from_str_radix(text, radix)
            .map_or_else(|_| Data::Huge(text.to_owned()), |whole| Data::Number(whole as f64));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_infinite() && !text.contains("inf") => Data::Huge(text.to_owned()),
        Ok(value) => Data::Number(value),
        Err(_) => Data::Huge(text.to_owned()),
    }
}
