//! Walking a [`Value`] with the path of keys at hand, so that every error says where it stands.

use crate::{Data, Error, ErrorKind, Value};

/// A value and the way to it.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    value: &'a Value,
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    /// The top of a tree; `name` stands first in the paths of errors unless it is empty.
    pub(crate) const fn root(value: &'a Value, name: &'a str) -> Self {
        let step = if name.is_empty() { Step::Root } else { Step::Key(name) };
        Self { value, parent: None, step }
    }

    /// The path from the top, as in `body.pen.motion[2].spin`.
    pub(crate) fn path(&self) -> String {
        let mut path = self.parent.map(Self::path).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            Step::Index(index) => path.push_str(&format!("[{index}]")),
        }
        path
    }

    /// The line that it stands on, or that what it stands in does.
    pub(crate) fn line(&self) -> Option<usize> {
        self.value.line().or_else(|| self.parent.and_then(At::line))
    }

    /// An error that stands here.
    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        self.place(Error::new(kind))
    }

    /// Gives an error this place unless it has a narrower one.
    pub(crate) fn place(&self, error: Error) -> Error {
        let path = self.path();
        let error = if path.is_empty() { error } else { error.at_key(path) };
        match self.line() {
            Some(line) => error.on_line(line),
            None => error,
        }
    }

    fn wrong(&self, expected: impl Into<String>) -> Error {
        self.error(ErrorKind::WrongType { expected: expected.into(), found: self.value.describe() })
    }

    pub(crate) fn text(&self) -> Result<&'a str, Error> {
        match self.value.data() {
            Data::Text(text) => Ok(text),
            _ => Err(self.wrong("text")),
        }
    }

    pub(crate) fn bool(&self) -> Result<bool, Error> {
        match self.value.data() {
            Data::Bool(value) => Ok(*value),
            _ => Err(self.wrong("true or false")),
        }
    }

    pub(crate) fn number(&self) -> Result<f64, Error> {
        match self.value.data() {
            Data::Number(number) if number.is_finite() => Ok(*number),
            Data::Number(number) => Err(self.error(ErrorKind::NotFinite { what: number.to_string() })),
            Data::Huge(number) => Err(self.error(ErrorKind::NumberOutOfRange { number: number.clone() })),
            _ => Err(self.wrong("a number")),
        }
    }

    /// A positive number.
    pub(crate) fn positive(&self) -> Result<f64, Error> {
        let number = self.number()?;
        if number > 0.0 {
            return Ok(number);
        }
        Err(self.error(ErrorKind::BadValue { reason: format!("must be positive, not {number}") }))
    }

    /// A whole number from 0 up to `most`.
    pub(crate) fn count(&self, most: u32) -> Result<u32, Error> {
        let number = self.number()?;
        whole(number, most).ok_or_else(|| {
            let reason = format!("must be a whole number from 0 to {most}, not {number}");
            self.error(ErrorKind::BadValue { reason })
        })
    }

    /// `N` finite numbers.
    pub(crate) fn vector<const N: usize>(&self) -> Result<[f64; N], Error> {
        let numbers = match self.value.data() {
            Data::Numbers(numbers) => numbers,
            Data::List(list) => {
                // Some entry is not a plain number; name it.
                for (index, item) in list.iter().enumerate() {
                    self.item(item, index).number()?;
                }
                return Err(self.wrong(format!("{N} numbers")));
            }
            _ => return Err(self.wrong(format!("a list of {N} numbers"))),
        };
        let Ok(vector) = <[f64; N]>::try_from(numbers.as_slice()) else {
            let reason = format!("expected {N} entries, found {}", numbers.len());
            let swapped = matches!((N, numbers.len()), (2, 3) | (3, 2));
            return Err(self.error(if swapped {
                ErrorKind::DimensionMismatch { reason }
            } else {
                ErrorKind::WrongType {
                    expected: format!("{N} numbers"),
                    found: format!("{} numbers", numbers.len()),
                }
            }));
        };
        match vector.iter().position(|number| !number.is_finite()) {
            None => Ok(vector),
            Some(index) => Err(self.error(ErrorKind::NotFinite { what: format!("entry {index}") })),
        }
    }

    /// Any number of finite numbers.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, Error> {
        let numbers = match self.value.data() {
            Data::Numbers(numbers) => numbers,
            Data::List(list) => {
                // Some entry is not a plain number; name it.
                for (index, item) in list.iter().enumerate() {
                    self.item(item, index).number()?;
                }
                return Err(self.wrong("a list of numbers"));
            }
            _ => return Err(self.wrong("a list of numbers")),
        };
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers.clone()),
            Some(index) => Err(self.error(ErrorKind::NotFinite { what: format!("entry {index}") })),
        }
    }

    /// A list of vectors.
    pub(crate) fn vectors<const N: usize>(&self) -> Result<Vec<[f64; N]>, Error> {
        self.items()?.iter().map(At::vector).collect()
    }

    /// A list of lists of indices.
    pub(crate) fn index_lists(&self) -> Result<Vec<Vec<u32>>, Error> {
        self.items()?.iter().map(At::indices).collect()
    }

    fn indices(&self) -> Result<Vec<u32>, Error> {
        let Data::Numbers(numbers) = self.value.data() else {
            return Err(self.wrong("a list of indices"));
        };
        let bad = |number: &f64| {
            self.error(ErrorKind::BadValue {
                reason: format!("an index must be a whole number, not {number}"),
            })
        };
        numbers.iter().map(|number| whole(*number, u32::MAX - 1).ok_or_else(|| bad(number))).collect()
    }

    /// The entries of a list whose entries are not plain numbers.
    pub(crate) fn items(&'a self) -> Result<Vec<At<'a>>, Error> {
        match self.value.data() {
            Data::List(list) => {
                Ok(list.iter().enumerate().map(|(index, item)| self.item(item, index)).collect())
            }
            Data::Numbers(numbers) if numbers.is_empty() => Ok(Vec::new()),
            Data::Numbers(_) => Err(self.wrong("a list whose entries are no plain numbers")),
            _ => Err(self.wrong("a list")),
        }
    }

    fn item(&'a self, value: &'a Value, index: usize) -> At<'a> {
        At { value, parent: Some(self), step: Step::Index(index) }
    }

    /// The entries of a table under any keys.
    pub(crate) fn entries(&'a self) -> Result<Vec<(&'a str, At<'a>)>, Error> {
        let Data::Table(entries) = self.value.data() else {
            return Err(self.wrong("a table"));
        };
        Ok(entries.iter().map(|(key, value)| (key.as_str(), self.child(key, value))).collect())
    }

    fn child(&'a self, key: &'a str, value: &'a Value) -> At<'a> {
        At { value, parent: Some(self), step: Step::Key(key) }
    }

    /// A field of a table, whatever else stands in it.
    pub(crate) fn get(&'a self, key: &str) -> Option<At<'a>> {
        let Data::Table(entries) = self.value.data() else {
            return None;
        };
        let (key, value) = entries.iter().find(|(name, _)| name == key)?;
        Some(self.child(key, value))
    }

    /// A field that must be there.
    pub(crate) fn need(&'a self, key: &str) -> Result<At<'a>, Error> {
        if !matches!(self.value.data(), Data::Table(_)) {
            return Err(self.wrong("a table"));
        }
        self.get(key).ok_or_else(|| self.error(ErrorKind::MissingField { field: key.to_owned() }))
    }

    /// Refuses what is not a table and any key outside `known`.
    pub(crate) fn check_keys(&'a self, known: &[&str]) -> Result<(), Error> {
        for (key, child) in self.entries()? {
            if !known.contains(&key) {
                let kind = ErrorKind::UnknownKey { key: key.to_owned(), known: known.join(", ") };
                return Err(child.error(kind));
            }
        }
        Ok(())
    }
}

fn whole(number: f64, most: u32) -> Option<u32> {
    (number >= 0.0 && number <= f64::from(most) && number.fract() == 0.0).then_some(number as u32)
}
