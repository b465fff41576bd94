//! Just enough of Rust's lexical rules to tell code from comments and strings.

/// The text with comments, strings and character literals replaced by spaces; lines stay where they are.
pub(super) fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => find(&chars, at, |c| c == '\n'),
            '/' if chars.get(at + 1) == Some(&'*') => block_comment_end(&chars, at),
            '"' => string_end(&chars, at + 1),
            'r' | 'b' if !continues_a_word(&chars, at) => prefixed_literal_end(&chars, at),
            '\'' => character_end(&chars, at),
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// Functions in blanked code: name, line (from 1) and number of lines from `fn` to the closing brace.
pub(super) fn functions(code: &[String]) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (at, line) in code.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let column = line.find("fn ").unwrap_or(0);
        if let Some(lines) = body_lines(&code[at..], column) {
            found.push((name.to_owned(), at + 1, lines));
        }
    }
    found
}

/// The name in a line that starts a function.
fn function_name(line: &str) -> Option<&str> {
    let at = line.find("fn ")?;
    let whole_word = line[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let rest = &line[at + 3..];
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (whole_word && end > 0).then(|| &rest[..end])
}

/// Lines until the body closes; `None` for a declaration without one.
fn body_lines(code: &[String], column: usize) -> Option<usize> {
    let (mut round, mut curly) = (0_i32, 0_i32);
    for (at, line) in code.iter().enumerate() {
        let part = if at == 0 { &line[column..] } else { line.as_str() };
        for c in part.chars() {
            match c {
                '(' | '[' => round += 1,
                ')' | ']' => round -= 1,
                ';' if round == 0 && curly == 0 => return None,
                '{' => curly += 1,
                '}' => {
                    curly -= 1;
                    if curly == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
    }
    None
}

fn find(chars: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    chars[from..].iter().position(|&c| stop(c)).map_or(chars.len(), |n| from + n)
}

fn continues_a_word(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

/// Block comments nest.
fn block_comment_end(chars: &[char], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    chars.len()
}

/// The end of a string whose opening quote stands just before `from`.
fn string_end(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// The end of `r"…"`, `r#"…"#`, `b"…"` or `br"…"` at `from`; `from` where there is none.
fn prefixed_literal_end(chars: &[char], from: usize) -> usize {
    let mut at = from;
    if chars[at] == 'b' {
        at += 1;
        match chars.get(at) {
            Some('"') => return string_end(chars, at + 1),
            Some('\'') => return character_end(chars, at),
            Some('r') => {}
            _ => return from,
        }
    }
    at += 1;
    let hashes = chars[at..].iter().take_while(|&&c| c == '#').count();
    if chars.get(at + hashes) != Some(&'"') {
        return from;
    }
    at += hashes + 1;
    while at < chars.len() {
        if chars[at] == '"' && chars[at + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    chars.len()
}

/// The end of a character literal at `from`; `from` where the quote starts a lifetime.
fn character_end(chars: &[char], from: usize) -> usize {
    match (chars.get(from + 1), chars.get(from + 2)) {
        (Some('\\'), _) => find(chars, from + 3, |c| c == '\'') + 1,
        (Some(_), Some('\'')) => from + 3,
        _ => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanked_hides_comments_and_literals_only() {
        let text = "a // 1e-9\n/* x /* y */ 2 */ b \"1e-9\\\"\" 'c' '\\'' &'a str br#\"q\"w\"# for r in b";
        let got: String = blanked(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(got, "a b &'a str for r in b");
        assert_eq!(blanked(text).lines().count(), text.lines().count());
    }

    #[test]
    fn functions_are_measured_to_their_closing_brace() {
        let code: Vec<String> =
            "fn f(a: [f64; 3]) -> bool {\n  if x {\n }\n}\ntrait T {\n fn g(&self);\n fn h() {}\n}"
                .lines()
                .map(str::to_owned)
                .collect();
        assert_eq!(functions(&code), [("f".to_owned(), 1, 4), ("h".to_owned(), 7, 1)]);
    }
}
