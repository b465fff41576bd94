//! What a string in a STEP file says: its escapes decoded.
//!
//! Source: ISO 10303-21, 6.4.3 (strings and their control directives).
//! Differs: hexadecimal digits may be in lower case; an escape that cannot be decoded is kept as written.
//! Ends because: each round consumes an escape or a backslash.
//! Cost: nothing for a string of plain characters, which stays where it is; a copy otherwise.
//! Not promised: `\S\` after `\PB\` to `\PI\`, the pages of ISO 8859 other than the first.

use std::borrow::Cow;

/// The value of a string between its quotes, and whether an escape was kept as written.
pub(super) fn decode(raw: &[u8]) -> (Cow<'_, str>, bool) {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\\' && *byte != b'\'';
    if raw.iter().all(plain)
        && let Ok(text) = std::str::from_utf8(raw)
    {
        return (Cow::Borrowed(text), false);
    }
    let text = match std::str::from_utf8(raw) {
        Ok(text) => text.to_owned(),
        Err(_) => raw.iter().map(|byte| char::from(*byte)).collect(),
    };
    // Long strings are broken into lines, also within escapes.
    let text = text.replace(['\r', '\n'], "").replace("''", "'");
    let mut rest = text.as_str();
    let mut decoded = String::with_capacity(rest.len());
    let (mut malformed, mut latin) = (false, true);
    while let Some(at) = rest.find('\\') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, known) = match escape(rest, &mut latin, &mut decoded) {
            Some(length) => (length, true),
            None => (extent(rest), false),
        };
        if !known {
            malformed = true;
            decoded.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    decoded.push_str(rest);
    (Cow::Owned(decoded), malformed)
}

/// Whether the text begins with a choice of a page of ISO 8859, or a character of one.
fn is_of_page(text: &str) -> bool {
    matches!(text.as_bytes(), [_, b'P', b'A'..=b'I', b'\\', ..] | [_, b'S', b'\\', b' '..=b'~', ..])
}

/// How far an escape goes that cannot be decoded, so that its last backslash is not taken for the first of another.
fn extent(text: &str) -> usize {
    if is_of_page(text) {
        return 4;
    }
    let run = text.starts_with("\\X2\\") || text.starts_with("\\X4\\");
    if run && let Some(end) = text[4..].find("\\X0\\") { end + 8 } else { 1 }
}

/// Decodes the escape that the text begins with; how many bytes it takes.
fn escape(text: &str, latin: &mut bool, decoded: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.get(1)? {
        b'\\' => {
            decoded.push('\\');
            Some(2)
        }
        b'S' if *latin && bytes.get(2) == Some(&b'\\') => {
            let low = bytes.get(3).filter(|byte| matches!(byte, b' '..=b'~'))?;
            decoded.push(char::from(low + 0x80));
            Some(4)
        }
        b'P' if is_of_page(text) => {
            *latin = bytes.get(2) == Some(&b'A');
            latin.then_some(4)
        }
        b'X' => match bytes.get(2)? {
            b'\\' => {
                decoded.push(char::from_u32(hexadecimal(text.get(3..5)?)?)?);
                Some(5)
            }
            b'2' => run(text, 4, decoded),
            b'4' => run(text, 8, decoded),
            _ => None,
        },
        _ => None,
    }
}

/// Decodes `\X2\…\X0\` or `\X4\…\X0\`, each character having some digits.
fn run(text: &str, digits: usize, decoded: &mut String) -> Option<usize> {
    let body = text.get(3..)?.strip_prefix('\\')?;
    let end = body.find("\\X0\\")?;
    let body = &body[..end];
    if body.is_empty() || !body.is_ascii() || body.len() % digits != 0 {
        return None;
    }
    let starts = (0..body.len()).step_by(digits);
    let codes: Vec<u32> = starts.map(|at| hexadecimal(&body[at..at + digits])).collect::<Option<_>>()?;
    let characters: String = if digits == 4 {
        let units: Vec<u16> =
            codes.into_iter().map(|code| u16::try_from(code).ok()).collect::<Option<_>>()?;
        String::from_utf16(&units).ok()?
    } else {
        codes.into_iter().map(char::from_u32).collect::<Option<_>>()?
    };
    decoded.push_str(&characters);
    Some(end + 8)
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        for (written, meant) in [
            ("plain", "plain"),
            ("it''s", "it's"),
            (r"a\\b", r"a\b"),
            (r"\X\E9t\X\C9", "étÉ"),
            (r"\X2\03B103B2\X0\ and \X2\d83dde00\X0\", "αβ and 😀"),
            (r"\X4\0001F600\X0\", "😀"),
            (r"\S\D\S\d", "Ää"),
            (r"\PA\\S\D", "Ä"),
            ("long \r\nline", "long line"),
            ("\\X2\\03\nB1\\X0\\", "α"),
            ("größe", "größe"),
        ] {
            let (text, malformed) = decode(written.as_bytes());
            assert_eq!((&*text, malformed), (meant, false), "{written}");
        }
        // Not UTF-8, so ISO 8859-1.
        assert_eq!(decode(b"gr\xf6\xdfe").0, "größe");
        assert!(matches!(decode(b"plain").0, Cow::Borrowed(_)));
    }

    #[test]
    fn broken_escapes_are_kept_and_told() {
        for written in [
            r"\",
            r"a\b",
            r"\X\G0",
            r"\X\E",
            r"\X2\03B\X0\",
            r"\X2\03B1",
            r"\X2\\X0\",
            r"\X2\D800\X0\",
            r"\X4\00110000\X0\",
            r"\S\",
            r"\PB\\S\D",
            r"\X2\é1\X0\",
        ] {
            let (text, malformed) = decode(written.as_bytes());
            assert!(malformed, "{written}");
            assert_eq!(text, written);
        }
    }
}
