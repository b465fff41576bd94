//! Strings of JSON.

use std::fmt::Write as _;

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quoted_escapes_what_json_forbids() {
        assert_eq!(quoted("a\"b\\c\nd – e"), "\"a\\\"b\\\\c\\u000ad – e\"");
    }
}
