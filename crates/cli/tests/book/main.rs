//! The book holds: its commands run, its scenes and queries are read, its links lead somewhere, every page is found from the
//! index, and every error code is explained. Rust blocks run as examples of the crate `clearance`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub)]

mod blocks;
#[cfg(unix)]
mod shell;

use blocks::{Block, all_blocks, anchors, blocks, links, pages, root, text};
use clearance_formats::{AnyPose, CODES, Context, QueryStream, Scene, Shape, Units};
use serde_json::Value;
use std::collections::BTreeSet;

/// Blocks of commands that no test runs: they install something, build something, or take minutes.
const NOT_RUN: usize = 2;

#[test]
fn blocks_are_of_languages_that_are_tried() {
    for block in all_blocks() {
        let known = ["rust", "sh", "toml", "json", "text"].contains(&block.language());
        assert!(known, "{}: nothing tries `{}`", block.place(), block.language());
    }
    let left_out =
        all_blocks().iter().filter(|block| block.language() == "sh" && block.has("no_run")).count();
    assert_eq!(left_out, NOT_RUN, "blocks of commands that are not run");
}

/// Rust blocks run because the crate `clearance` includes their pages.
#[test]
fn rust_blocks_are_examples_of_the_crate() {
    let included = text("crates/clearance/src/_documentation.rs");
    for page in pages() {
        let has_rust = blocks(&page).iter().any(|block| block.language() == "rust");
        let name = page.strip_prefix("docs/").unwrap_or(&page);
        let is_included = included.contains(&format!("{name}\""));
        let needed = has_rust || page.starts_with("docs/");
        assert!(!needed || is_included, "{page} is not included in `clearance::_documentation`");
    }
    for block in all_blocks().iter().filter(|block| block.language() == "rust") {
        let skipped = ["ignore", "no_run", "compile_fail"].iter().any(|word| block.has(word));
        assert!(!skipped, "{} does not run", block.place());
    }
}

/// Runs the commands of some pages.
#[cfg(unix)]
fn run(wanted: impl Fn(&str) -> bool) -> usize {
    pages().iter().filter(|page| wanted(page)).map(|page| shell::run_page(page)).sum()
}

#[cfg(unix)]
#[test]
fn commands_of_the_first_pages_run() {
    let commands = run(|page| !page.starts_with("docs/"));
    assert!(commands >= 8, "{commands}");
}

#[cfg(unix)]
#[test]
fn commands_of_the_troubleshooting_page_run() {
    let commands = run(|page| page == "docs/troubleshooting.md");
    assert!(commands >= CODES.len(), "{commands}");
}

#[cfg(unix)]
#[test]
fn commands_of_the_book_run() {
    let commands = run(|page| page.starts_with("docs/") && page != "docs/troubleshooting.md");
    assert!(commands >= 10, "{commands}");
}

/// Bodies that parts of scenes speak of.
const STAGE: &str = r#"
[shape.block]
kind = "box"
size = [1, 1, 1]
[body.die]
shape = "block"
density = 1
[body.door]
shape = "block"
pose = { translation = [0, 0, 5] }
density = 1
[body.floor]
shape = "block"
pose = { translation = [0, 0, -5] }
fixed = true
"#;

#[test]
fn scenes_of_the_book_are_read() {
    let mut read = 0;
    for block in all_blocks().iter().filter(|block| block.language() == "toml") {
        let has_bodies = block.text.lines().any(|line| line.starts_with("[body"));
        let staged = format!("{STAGE}{}", block.text);
        let scene = if has_bodies { &block.text } else { &staged };
        let scene = Scene::parse(scene, &Context::new(root(), Units::Metre));
        let scene = scene.unwrap_or_else(|error| panic!("{}: {error}", block.place()));
        if block.text.lines().any(|line| line == "[simulation]") {
            scene.simulation().unwrap_or_else(|error| panic!("{}: {error}", block.place()));
        } else {
            scene.track().unwrap_or_else(|error| panic!("{}: {error}", block.place()));
        }
        read += 1;
    }
    assert!(read >= 2, "{read}");
}

/// Shapes, poses and query lines; what a command prints is compared where it runs.
fn check_json(block: &Block) {
    let context = Context::new(root(), Units::Metre);
    let mut stream = QueryStream::new(context.clone());
    for line in serde_json::Deserializer::from_str(&block.text).into_iter::<Value>() {
        let line = line.unwrap_or_else(|error| panic!("{}: {error}", block.place()));
        let text = line.to_string();
        let fault = if line.get("a").is_some() || line.get("define").is_some() {
            let answer = stream.answer_line(text.as_bytes()).unwrap();
            answer.contains("\"error\":").then_some(answer)
        } else if line.get("kind").is_some() {
            Shape::from_json(&text, &context).err().map(|error| error.to_string())
        } else {
            AnyPose::from_json(&text, text.contains("\"angle\""), &context)
                .err()
                .map(|error| error.to_string())
        };
        assert_eq!(fault, None, "{}: {text}", block.place());
    }
}

#[test]
fn queries_and_shapes_of_the_book_are_read() {
    let read =
        all_blocks().iter().filter(|b| b.language() == "json" && !b.has("output")).map(check_json).count();
    assert!(read >= 1, "{read}");
}

#[test]
fn links_lead_somewhere() {
    let mut followed = 0;
    for page in pages() {
        let folder = root().join(&page).parent().unwrap().to_owned();
        for (line, target) in links(&page) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) =
                target.split_once('#').map_or((target.as_str(), None), |(f, a)| (f, Some(a)));
            let path = if file.is_empty() { root().join(&page) } else { folder.join(file) };
            assert!(path.exists(), "{page}:{line}: {target} is not there");
            if let Some(anchor) = anchor {
                assert!(
                    anchors(&path).iter().any(|name| name == anchor),
                    "{page}:{line}: no heading {target}"
                );
            }
            followed += 1;
        }
    }
    assert!(followed > 100, "{followed}");
}

#[test]
fn every_page_is_found_from_the_index() {
    let named: BTreeSet<String> = links("docs/README.md").into_iter().map(|(_, target)| target).collect();
    for page in pages() {
        let Some(name) = page.strip_prefix("docs/").filter(|name| *name != "README.md") else { continue };
        assert!(named.contains(name), "docs/README.md does not name {name}");
    }
    assert!(links("README.md").iter().any(|(_, target)| target == "docs/README.md"));
}

/// Codes of the command itself, beside those of the formats.
fn command_codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let mut folders = vec![root().join("crates/cli/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let source = std::fs::read_to_string(&path).unwrap();
                // The code may stand on the line after the parenthesis.
                for call in source.split("Failure::input(").skip(1) {
                    if let Some(code) =
                        call.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next())
                    {
                        codes.insert(code.to_owned());
                    }
                }
            }
        }
    }
    codes
}

#[test]
fn every_error_code_is_explained_with_a_command_that_shows_it() {
    let own = command_codes();
    assert!(own.contains("timeout") && own.contains("bad_value"), "{own:?}");
    let page = text("docs/troubleshooting.md");
    let commands: String = blocks("docs/troubleshooting.md")
        .into_iter()
        .filter(|b| b.language() == "sh")
        .map(|b| b.text)
        .collect();
    let codes: BTreeSet<String> = CODES.into_iter().map(str::to_owned).chain(own).collect();
    let mut without_command = Vec::new();
    for code in &codes {
        assert!(page.contains(&format!("### `{code}`\n")), "docs/troubleshooting.md does not explain {code}");
        if !commands.contains(&format!("status 2: {code}\n")) {
            without_command.push(code.as_str());
        }
    }
    // A line of 64 MiB and a page of 400 MiB are too large to make here, and disks are not filled.
    assert_eq!(without_command, ["line_too_long", "too_large"]);
    for heading in page.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')) {
        assert!(codes.contains(heading), "docs/troubleshooting.md explains {heading}, which does not exist");
    }
}
