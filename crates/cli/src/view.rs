//! `clearance view RECORDING`: the page that plays it.

use crate::arguments::View;
use crate::failure::Failure;
use crate::run::{Surroundings, Verdict};
use clearance_formats::Page;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes the page of a recording and opens it.
pub(crate) fn view(options: &View, surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let ending = |ending: &str| options.recording.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    let page = if ending("html") {
        options.recording.clone()
    } else if ending("jsonl") {
        let page = options.out.clone().unwrap_or_else(|| options.recording.with_extension("html"));
        write(options, &page, surroundings)?;
        page
    } else {
        let message = "a recording to view ends in .jsonl or .html".to_owned();
        return Err(Failure::input("bad_file", format!("{}: {message}", options.recording.display())));
    };
    let mut text = format!("page       {}\n", page.display());
    if !options.no_open && !open(&page) {
        text += "nothing here opens pages; open it in a browser\n";
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Verdict::Clear)
}

/// Makes the page beside its place, which it takes only when it is whole.
fn write(options: &View, page: &Path, surroundings: &Surroundings) -> Result<(), Failure> {
    let from = &options.recording;
    let missing =
        |error: std::io::Error| Failure::input("file_not_found", format!("{}: {error}", from.display()));
    let lines = BufReader::new(File::open(from).map_err(missing)?);
    let partial = PathBuf::from(format!("{}.part", page.display()));
    let made = (|| {
        let output = File::create(&partial).map_err(|error| Failure::write(page, &error))?;
        let mut writer = Page::new(BufWriter::new(output), options.every)?;
        if !writer.read(lines, || !surroundings.expired()).map_err(|error| error.in_file(from))? {
            return Err(surroundings.gave_up("the page was not written"));
        }
        let output = writer.into_inner()?.into_inner();
        output.map_err(|error| Failure::write(page, error.error()))?;
        std::fs::rename(&partial, page).map_err(|error| Failure::write(page, &error))
    })();
    if made.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    made
}

/// Opens a page with whatever this system opens pages with.
fn open(page: &Path) -> bool {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(before)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok()
}
