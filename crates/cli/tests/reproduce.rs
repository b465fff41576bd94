//! `clearance reproduce`: every verdict, the figures, and the gallery.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{clearance, folder};
use std::path::{Path, PathBuf};

/// Every row, in the order of the documents, and what comes of it.
const VERDICTS: [(&str, &str); 32] = [
    ("000-figure-6", "agrees"),
    ("000-figure-7", "differs"),
    ("000-figure-8", "source in error"),
    ("000-figure-9", "agrees"),
    ("000-theorem-1", "source in error"),
    ("001-figure-7", "differs"),
    ("001-figure-8", "agrees"),
    ("001-figure-12", "agrees"),
    ("001-figure-16", "agrees"),
    ("001-figure-19", "agrees"),
    ("002-symmetry", "agrees"),
    ("002-trichotomy", "agrees"),
    ("002-figure-2", "agrees"),
    ("002-theorem-2.16", "agrees"),
    ("002-figure-5", "agrees"),
    ("002-figure-10", "agrees"),
    ("002-figure-16", "agrees"),
    ("002-brazil-nut-polyhedra", "agrees"),
    ("002-figure-18", "agrees"),
    ("002-figure-19", "agrees"),
    ("002-figure-20", "agrees"),
    ("002-figure-21", "agrees"),
    ("002-figure-22", "agrees"),
    ("002-figure-23", "differs"),
    ("002-figure-24", "differs"),
    ("002-figure-25", "differs"),
    ("002-figure-26", "agrees"),
    ("003-spheres", "agrees"),
    ("003-cylinders", "agrees"),
    ("003-initialisation", "agrees"),
    ("004-table-1", "source in error"),
    ("004-table-2", "source in error"),
];

#[test]
fn reproduce_runs_by_name_and_knows_its_names() {
    let run = clearance(&["reproduce", "002-figure-10", "002-figure-2"], b"").expect_status(0);
    assert!(run.out.contains("agrees") && run.out.contains("2 of 2"), "{}", run.out);
    assert!(!run.out.contains("gallery"), "a page that nobody asked for");
    let row = &clearance(&["reproduce", "002-figure-5", "--json"], b"").expect_status(0).lines()[0];
    assert_eq!(row["verdict"], "agrees");
    clearance(&["reproduce", "nothing"], b"").expect_error(&["unknown_name", "002-figure-2"]);
}

/// Runs rows with their figures, quickly where they take long: the rows, and where the figures are.
fn reproduced(names: &[&str]) -> (Vec<serde_json::Value>, PathBuf) {
    let place = folder(&format!("reproduced-{}", names[0]));
    let options = ["--quick", "--threads", "2", "--json", "--figures", place.to_str().unwrap()];
    let run = clearance(&[&["reproduce"], names, &options[..]].concat(), b"");
    (run.expect_status(0).lines(), place)
}

/// Each row has the verdict that is expected of it, with a reason unless it agrees.
fn check_verdicts(rows: &[serde_json::Value], names: &[&str]) {
    let is_wanted = |row: &&(&str, &str)| {
        names.iter().any(|name| row.0 == *name || row.0.split('-').next() == Some(*name))
    };
    let expected: Vec<&(&str, &str)> = VERDICTS.iter().filter(is_wanted).collect();
    assert_eq!(rows.len(), expected.len());
    for (row, (name, verdict)) in rows.iter().zip(expected) {
        assert_eq!((row["name"].as_str(), row["verdict"].as_str()), (Some(*name), Some(*verdict)), "{row}");
        assert_eq!(row["because"].as_str().unwrap().is_empty(), *verdict == "agrees");
    }
}

fn check_drawings(place: &Path, names: &[&str]) {
    for name in names {
        let svg = std::fs::read_to_string(place.join(format!("{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
    }
}

/// The names of all rows, from the advice on a wrong one.
fn listed() -> Vec<String> {
    let err = clearance(&["reproduce", "?"], b"").expect_status(2).err;
    // Long lines are broken after hyphens too.
    let words = err.split_whitespace().filter(|word| *word != "│");
    let text = words.fold(
        String::new(),
        |text, word| {
            if text.ends_with('-') { text + word } else { text + " " + word }
        },
    );
    let names = text.split([' ', ',']).filter(|word| word.starts_with("00") && word.len() > 3);
    names.map(str::to_owned).collect()
}

#[test]
fn no_row_is_missing_or_without_a_verdict() {
    assert_eq!(listed(), VERDICTS.map(|row| row.0.to_owned()));
}

#[test]
fn shaken_boxes_run() {
    let names = ["002-figure-16", "002-brazil-nut-polyhedra"];
    let (rows, place) = reproduced(&names);
    check_verdicts(&rows, &names);
    check_drawings(&place, &["002-figure-16", "002-figure-16-frames", "002-brazil-nut-polyhedra"]);
}

#[test]
fn the_book_lists_every_reproduction() {
    let page = std::fs::read_to_string(common::root().join("docs/reproductions.md")).unwrap();
    for (name, _) in VERDICTS {
        assert!(page.contains(&format!("| `{name}` |")), "docs/reproductions.md does not list {name}");
    }
}

#[test]
fn the_gallery_of_the_book_has_every_row_with_its_verdict() {
    let page = std::fs::read_to_string(common::root().join("docs/gallery.md")).unwrap();
    for (name, verdict) in VERDICTS {
        let section =
            page.split(&format!("\n### {name}\n")).nth(1).unwrap_or_else(|| panic!("{name} is missing"));
        let section = section.split("\n### ").next().unwrap();
        assert!(section.contains(&format!("**{verdict}**")), "{name}: {section}");
        for figure in section.split("](figures/").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            assert!(common::root().join("docs/figures").join(figure).exists(), "{figure} is missing");
        }
    }
}

#[test]
fn reproduce_judges_the_switching_controller() {
    let (rows, place) = reproduced(&["000"]);
    check_verdicts(&rows, &["000"]);
    check_drawings(
        &place,
        &["000-figure-3", "000-figure-6", "000-figure-7", "000-figure-8", "000-theorem-1"],
    );
}

#[test]
fn reproduce_judges_feedback_linearisation() {
    let (rows, place) = reproduced(&["001"]);
    check_verdicts(&rows, &["001"]);
    check_drawings(
        &place,
        &["001-figure-9", "001-figure-14", "001-figure-17", "001-figure-19", "001-figure-20"],
    );
    let graph = std::fs::read_to_string(place.join("001-figure-9.dot")).unwrap();
    assert!(graph.starts_with("digraph") && graph.contains("\"C1\" -> \"C2\" [label="));
}

#[test]
fn reproduce_judges_the_ratio_metric() {
    let names = [
        "002-symmetry",
        "002-trichotomy",
        "002-figure-2",
        "002-theorem-2.16",
        "002-figure-5",
        "002-figure-10",
    ];
    let (rows, _) = reproduced(&names);
    check_verdicts(&rows, &names);
}

#[test]
fn reproduce_judges_the_frames_of_chapter_7() {
    let names = ["002-figure-18", "002-figure-21", "002-figure-23", "002-figure-26"];
    let (rows, place) = reproduced(&names);
    check_verdicts(&rows, &names);
    check_drawings(&place, &names);
}

#[test]
fn reproduce_judges_stabilisation() {
    let (rows, place) = reproduced(&["002-figure-19"]);
    check_verdicts(&rows, &["002-figure-19"]);
    check_drawings(&place, &["002-figure-19"]);
}

#[test]
fn reproduce_finds_infeasibility_of_second_order_in_the_plane() {
    let names = ["002-figure-20", "002-figure-22"];
    let (rows, place) = reproduced(&names);
    check_verdicts(&rows, &names);
    check_drawings(&place, &names);
}

#[test]
fn reproduce_finds_next_to_no_infeasibility_in_space() {
    let names = ["002-figure-24", "002-figure-25"];
    let (rows, place) = reproduced(&names);
    check_verdicts(&rows, &names);
    check_drawings(&place, &names);
}

#[test]
fn reproduce_counts_the_moves_of_the_walk() {
    let (rows, place) = reproduced(&["003"]);
    check_verdicts(&rows, &["003"]);
    let svg = std::fs::read_to_string(place.join("003-moves-against-vertices.svg")).unwrap();
    assert!(svg.contains("vertices of both bodies") && svg.contains("cylinders, tracked"));
}

#[test]
fn reproduce_judges_the_pen_and_the_bowl() {
    let (rows, place) = reproduced(&["004"]);
    check_verdicts(&rows, &["004"]);
    check_drawings(&place, &["004-figure-4", "004-figure-5"]);
    // The true distances where the tables are wrong.
    for (row, distance) in [(0, "15.20593"), (1, "0.99442"), (1, "4.22366")] {
        assert!(rows[row]["ours"].as_str().unwrap().contains(distance), "{distance}");
    }
}

#[test]
fn a_folder_in_place_of_the_gallery_is_refused_before_the_work() {
    let folder = folder("gallery-is-a-folder");
    let place = folder.to_str().unwrap();
    for option in ["--gallery", "--book"] {
        clearance(&["reproduce", option, place], b"").expect_error(&["write_failed", place]);
    }
}

#[test]
fn the_gallery_is_one_page_with_every_figure_inside() {
    let place = folder("gallery");
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (page, book) = (path("all.html"), path("all.md"));
    let names = ["002-figure-23", "002-figure-5", "000-theorem-1"];
    let arguments =
        [&["reproduce"], &names[..], &["--seed", "3", "--gallery", &page, "--book", &book]].concat();
    assert!(clearance(&arguments, b"").expect_status(0).out.contains(&page));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    for part in [
        "<article id=\"002-figure-23\">",
        "source in error",
        "clearance reproduce 002-figure-5 --seed 3",
        "clearance simulate scenes/002/dice3.toml --record out.html",
        "prefers-color-scheme: dark",
        "not in this run",
        "a drawing, nothing to compare",
    ] {
        assert!(html.contains(part), "{part} is missing");
    }
    assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
    assert!(html.matches("<svg").count() >= 2);
    for outside in ["src=", "href=\"http", "url(", "@import", "<script"] {
        assert!(!html.contains(outside), "the page needs {outside}");
    }
    let markdown = std::fs::read_to_string(&book).unwrap();
    assert!(markdown.contains("### 002-figure-23") && markdown.contains("](figures/002-figure-23.svg)"));
    assert!(place.join("figures/002-figure-23.svg").exists());
}
