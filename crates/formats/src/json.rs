//! Writing JSON: fields in a stated order, numbers in the shortest form that reads back to the same bits.

use std::fmt::Write as _;

/// A JSON text being written; containers are closed by whoever opened them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Json {
    text: String,
}

impl Json {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Writes `{…}` around what `fill` writes.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.text.push('{');
        fill(self);
        self.close('}');
    }

    /// Writes `[…]` around the items.
    pub(crate) fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Self, T),
    ) {
        self.text.push('[');
        for value in items {
            item(self, value);
            self.text.push(',');
        }
        self.close(']');
    }

    /// Writes a key; the value must follow through `fill`.
    pub(crate) fn field(&mut self, key: &str, fill: impl FnOnce(&mut Self)) {
        self.string(key);
        self.text.push(':');
        fill(self);
        self.text.push(',');
    }

    fn close(&mut self, bracket: char) {
        if self.text.ends_with(',') {
            self.text.pop();
        }
        self.text.push(bracket);
    }

    pub(crate) fn raw(&mut self, json: &str) {
        self.text.push_str(json);
    }

    pub(crate) fn null(&mut self) {
        self.raw("null");
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    pub(crate) fn whole(&mut self, value: u64) {
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{value}");
    }

    /// A number; null where it is not finite.
    pub(crate) fn number(&mut self, value: f64) {
        if value.is_finite() { self.text.push_str(&shortest(value)) } else { self.null() }
    }

    pub(crate) fn numbers(&mut self, values: &[f64]) {
        self.array(values, |json, value| json.number(*value));
    }

    pub(crate) fn string(&mut self, value: &str) {
        self.text.push('"');
        for letter in value.chars() {
            match letter {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                control if control.is_control() => {
                    let mut units = [0; 2];
                    for unit in control.encode_utf16(&mut units) {
                        let _ = write!(self.text, "\\u{unit:04x}");
                    }
                }
                other => self.text.push(other),
            }
        }
        self.text.push('"');
    }

    pub(crate) fn strings<S: AsRef<str>>(&mut self, values: &[S]) {
        self.array(values, |json, value| json.string(value.as_ref()));
    }
}

/// The shortest text that reads back to the same bits; minus zero as `0`.
///
/// ```
/// use clearance_formats::shortest;
/// assert_eq!(shortest(0.1), "0.1");
/// assert_eq!(shortest(-0.0), "0");
/// assert_eq!(shortest(2.5e-9), "2.5e-9");
/// ```
pub fn shortest(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // Both forms have the fewest digits that identify the number; they differ in zeros and exponent.
    let plain = format!("{value}");
    let scientific = format!("{value:e}");
    if scientific.len() < plain.len() { scientific } else { plain }
}
