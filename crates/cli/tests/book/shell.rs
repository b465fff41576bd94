//! Running the commands of a page, in order, in a folder of its own.

use super::blocks::{Block, blocks, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command left behind.
struct Run {
    out: String,
    err: String,
}

/// A folder in which the commands of one page run.
struct Place {
    folder: PathBuf,
    path: String,
}

/// Runs every block of a page that is meant to run; how many commands that were.
pub fn run_page(page: &str) -> usize {
    let place = Place::new(page);
    let mut commands = 0;
    let mut last = None;
    for block in blocks(page) {
        if let Some(name) = block.file() {
            std::fs::write(place.folder.join(name), &block.text).expect("a file");
        }
        match block.language() {
            "sh" if !block.has("no_run") => {
                for command in split(&block.text) {
                    last = Some(place.run(&command, &block));
                    commands += 1;
                }
                continue;
            }
            "json" | "text" if block.has("output") => check_output(&block, last.as_ref()),
            _ => {}
        }
        last = None;
    }
    std::fs::remove_dir_all(&place.folder).expect("the folder goes");
    commands
}

/// The commands of a block: a line each, with the lines that a backslash or a here-document adds to it.
fn split(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    while let Some(line) = lines.next() {
        let mut command = line.to_owned();
        while command.ends_with('\\') {
            command = format!("{command}\n{}", lines.next().unwrap_or_default());
        }
        if command.contains("<<'END'") {
            for line in lines.by_ref() {
                command = format!("{command}\n{line}");
                if line == "END" {
                    break;
                }
            }
        }
        if !command.trim_start().starts_with('#') {
            commands.push(command);
        }
    }
    commands
}

/// The status and the error code that a comment of a command tells: `# status 2: not_convex`.
fn expected(command: &str) -> (i32, Option<&str>) {
    let first = command.lines().next().unwrap_or_default();
    let Some((_, told)) = first.split_once("# status ") else { return (0, None) };
    let (status, rest) = told.split_at(1);
    let code = rest.strip_prefix(": ").and_then(|rest| rest.split_whitespace().next());
    (status.parse().expect("a status"), code)
}

impl Place {
    fn new(page: &str) -> Self {
        let name = page.replace(['/', '.'], "-");
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("book-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("bin")).expect("a folder");
        let link = |from: &Path, to: &str| std::os::unix::fs::symlink(from, folder.join(to)).expect("a link");
        link(&root().join("scenes"), "scenes");
        link(Path::new(env!("CARGO_BIN_EXE_clearance")), "bin/clearance");
        // Nothing is opened on the screen of whoever runs the tests.
        for program in ["xdg-open", "open"] {
            link(Path::new("/bin/true"), &format!("bin/{program}"));
        }
        for (name, content) in FILES {
            std::fs::write(folder.join(name), content).expect("a file");
        }
        for (from, to) in [("vase", "part"), ("vase", "pump"), ("prism", "valve")] {
            let from = root().join(format!("crates/formats/tests/step_made/{from}.step"));
            std::fs::copy(&from, folder.join(format!("{to}.step"))).expect("a STEP file");
        }
        let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
        Self { folder, path }
    }

    fn run(&self, command: &str, block: &Block) -> Run {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&self.folder).env("PATH", &self.path).env("NO_COLOR", "1");
        let output = shell.output().expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let run = Run { out: text(&output.stdout), err: text(&output.stderr) };
        let (status, code) = expected(command);
        let place = block.place();
        assert_eq!(
            output.status.code(),
            Some(status),
            "{place}: {command}\nstdout:\n{}\nstderr:\n{}",
            run.out,
            run.err
        );
        if let Some(code) = code {
            let told = run.err.contains(code) || run.out.contains(&format!("\"code\":\"{code}\""));
            assert!(told, "{place}: {command}\nsays no {code}:\n{}{}", run.err, run.out);
        }
        run
    }
}

/// What a block says that the command before it prints.
fn check_output(block: &Block, run: Option<&Run>) {
    let run = run.unwrap_or_else(|| panic!("{}: no command stands before this output", block.place()));
    if block.language() == "text" {
        let printed = [run.out.as_str(), run.err.as_str()].concat();
        let mut lines = printed.lines();
        for line in block.text.lines().filter(|line| !line.trim().is_empty()) {
            let found = lines.any(|printed| is_like(printed, line));
            assert!(found, "{}: `{line}` is not printed, or not here:\n{printed}", block.place());
        }
        return;
    }
    let told = serde_json::Deserializer::from_str(&block.text).into_iter::<Value>();
    let given = serde_json::Deserializer::from_str(&run.out).into_iter::<Value>();
    let given: Vec<Value> = given.map(|value| value.expect("JSON")).collect();
    for (index, told) in told.enumerate() {
        let told = told.unwrap_or_else(|error| panic!("{}: {error}", block.place()));
        let given = given.get(index).unwrap_or_else(|| panic!("{}: {}", block.place(), run.out));
        assert!(holds(&told, given), "{}: the command prints\n{given}", block.place());
    }
}

/// Whether a line is as told, `…` standing for anything.
fn is_like(line: &str, told: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (line, told) = (squeezed(line), squeezed(told));
    let mut rest = line.as_str();
    for (index, part) in told.split('…').enumerate() {
        match rest.find(part.trim()) {
            Some(at) if index > 0 || at == 0 => rest = &rest[at + part.trim().len()..],
            _ => return false,
        }
    }
    true
}

/// Whether everything told is so; keys that are not told are left out.
fn holds(told: &Value, given: &Value) -> bool {
    match (told, given) {
        (Value::Object(told), Value::Object(given)) => {
            told.iter().all(|(key, told)| given.get(key).is_some_and(|given| holds(told, given)))
        }
        (Value::Array(told), Value::Array(given)) => {
            told.len() == given.len() && told.iter().zip(given).all(|(told, given)| holds(told, given))
        }
        (Value::Number(told), Value::Number(given)) => {
            let [told, given] = [told, given].map(|number| number.as_f64().unwrap_or(f64::NAN));
            (told - given).abs() <= 1e-9 * told.abs().max(1.0)
        }
        _ => told == given,
    }
}

/// Files that commands of the book read and no block of it writes.
const FILES: [(&str, &str); 4] = [
    ("a.json", r#"{"kind": "box", "size": [1, 1, 1]}"#),
    ("b.json", r#"{"kind": "cylinder", "radius": 0.5, "height": 1}"#),
    ("questions.jsonl", "{\"a\": {\"kind\": \"point\"}, \"b\": {\"kind\": \"sphere\", \"radius\": 1}}\n"),
    (
        "part.stl",
        "solid part\n\
         facet normal 0 0 -1\n outer loop\n vertex 0 0 0\n vertex 0 1 0\n vertex 1 0 0\n endloop\nendfacet\n\
         facet normal 0 -1 0\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 0 1\n endloop\nendfacet\n\
         facet normal -1 0 0\n outer loop\n vertex 0 0 0\n vertex 0 0 1\n vertex 0 1 0\n endloop\nendfacet\n\
         facet normal 1 1 1\n outer loop\n vertex 1 0 0\n vertex 0 1 0\n vertex 0 0 1\n endloop\nendfacet\n\
         endsolid part\n",
    ),
];
