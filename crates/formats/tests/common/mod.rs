//! What the tests of this crate share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_formats::{Context, QueryStream, Summary};
use serde_json::Value;
use std::path::PathBuf;

/// Answers lines in one stream.
pub(crate) fn ask(input: &str) -> Vec<Value> {
    ask_in(Context::default(), input).0
}

pub(crate) fn ask_in(context: Context, input: &str) -> (Vec<Value>, Summary) {
    let mut output = Vec::new();
    let summary = QueryStream::new(context).run(input.as_bytes(), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), summary)
}

/// The answer to one line.
pub(crate) fn one(line: &str) -> Value {
    let mut answers = ask(line);
    assert_eq!(answers.len(), 1, "{line}");
    answers.remove(0)
}

/// The error code of one line.
pub(crate) fn code(line: &str) -> String {
    let answer = one(line);
    let code = answer["error"]["code"].as_str();
    code.unwrap_or_else(|| panic!("{line} is answered {answer}")).to_owned()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// A fresh folder that goes when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("clearance-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
