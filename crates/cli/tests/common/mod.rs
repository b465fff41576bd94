//! Running the command as a user would.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run left behind.
pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Every line of standard output as JSON.
    pub fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// Standard output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect(&self.out)
    }

    #[track_caller]
    pub fn expect_status(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// A failed run names all of these on standard error, and prints nothing.
    #[track_caller]
    pub fn expect_error(self, parts: &[&str]) -> Self {
        let run = self.expect_status(2);
        assert_eq!(run.out, "", "a failed command prints no result");
        for part in parts {
            assert!(run.err.contains(part), "`{part}` is missing in:\n{}", run.err);
        }
        run
    }
}

/// Runs `clearance` in the root of the repository.
pub fn clearance(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_clearance"))
        .args(arguments)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A command that refuses its arguments does not read.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends");
    Run {
        status: output.status.code().expect("not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A fresh folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A file in a fresh folder.
pub fn file(test: &str, name: &str, content: &str) -> String {
    let path = folder(test).join(name);
    std::fs::write(&path, content).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}
