//! `distance`, `query` and `track` on curved bodies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_testkit::data;
use common::{clearance, folder};
use serde_json::Value;

const BALL: &str = r#"{"kind": "sphere", "radius": 1}"#;
const RING: &str = r#"{"kind": "torus", "major": 2, "minor": 0.5}"#;
const SHEET: &str = r#"{"kind": "surface", "surface": "plane", "u": [-3, 3], "v": [-3, 3]}"#;

/// Coaxial: their nearest points are an area.
const PIPE: &str = r#"{"kind": "surface", "surface": "cylinder", "radius": 2, "v": [-1, 1]}"#;
const PIN: &str = r#"{"kind": "cylinder", "radius": 0.5, "height": 2}"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn distance_says_what_is_proven() {
    let run = clearance(
        &["distance", BALL, RING, "--pose-b", r#"{"translation": [5, 0, 0]}"#, "--max-error", "1e-6"],
        b"",
    );
    let text = run.expect_status(0).out;
    for part in ["separated", "distance  1.5", "proven (error at most ", "face:0", "certified", "rounds"] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn min_gap_is_decided_by_what_is_proven() {
    let at = |gap: &str, rest: &[&str]| {
        let arguments =
            [&["distance", BALL, RING, "--pose-b", r#"{"translation": [5, 0, 0]}"#, "--min-gap", gap], rest]
                .concat();
        clearance(&arguments, b"")
    };
    assert!(at("1.499", &[]).expect_status(0).out.contains("1.499 m kept"));
    assert!(at("1.501", &[]).expect_status(1).out.contains("VIOLATED"));
    // A coarse bound proves neither.
    let tilted = r#"{"translation": [0.1, 0.05, 0], "axis_angle": [1, 0, 0, 3]}"#;
    let coarse = ["distance", PIPE, PIN, "--pose-b", tilted, "--max-error", "0.1", "--min-gap", "1.357"];
    assert!(clearance(&coarse, b"").expect_status(1).out.contains("UNDECIDED"));
    let crossing =
        |gap: &str| clearance(&["distance", BALL, SHEET, "--min-gap", gap], b"").expect_status(1).out;
    assert!(crossing("0.1").contains("VIOLATED"));
    assert!(crossing("-0.1").contains("UNDECIDED"));
}

#[test]
fn crossing_surfaces_have_no_depth_and_no_normal() {
    let text = clearance(&["distance", BALL, SHEET], b"").expect_status(0).out;
    assert!(text.contains("touching") && text.contains("depth     not defined"), "{text}");
    assert!(!text.contains("normal"), "{text}");
    let answer = clearance(&["distance", BALL, SHEET, "--json"], b"").expect_status(0).json();
    assert_eq!((&answer["signed_distance"], &answer["normal"]), (&Value::Null, &Value::Null));
}

#[test]
fn timeout_ends_a_search_with_bounds() {
    let answer =
        clearance(&["distance", PIPE, PIN, "--timeout", "0.001", "--json"], b"").expect_status(0).json();
    assert_eq!(answer["ended"], "limit", "{answer}");
    assert!(number(&answer["lower_bound"]) <= 1.5 && number(&answer["distance"]) >= 1.5 - 1e-9, "{answer}");
}

#[test]
fn certificates_pass_their_check() {
    let folder = folder("certificates").join("new");
    let name = folder.to_str().unwrap();
    let pose = r#"{"translation": [4, 1, 2], "axis_angle": [1, 0, 0, 30]}"#;
    let text = clearance(&["distance", BALL, RING, "--pose-b", pose, "--certificates", name], b"")
        .expect_status(0)
        .out;
    let file = folder.join("distance.json");
    assert!(text.contains("proof     ") && text.contains("distance.json"), "{text}");
    clearance(&["check-certificate", file.to_str().unwrap()], b"").expect_status(0);
    let line = format!("{{\"id\": \"one\", \"a\": {BALL}, \"b\": {RING}, \"pose_b\": {pose}}}\n");
    let answers = clearance(&["query", "--certificates", name], line.as_bytes()).expect_status(0).lines();
    assert!(answers[0]["certificate"].as_str().unwrap().ends_with("one.json"), "{}", answers[0]);
    assert!(answers[0]["lower_bound"].is_number());
    clearance(&["check-certificate", folder.join("one.json").to_str().unwrap()], b"").expect_status(0);
    clearance(&["schema", "--certificates", name], b"").expect_error(&["--certificates"]);
}

/// Rows of a recording between its header and its last line.
fn rows(file: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines[1..lines.len() - 1].to_vec()
}

#[test]
fn pen_and_bowl_are_as_in_table_1() {
    let folder = folder("pen-and-bowl");
    let (plot, record) = (folder.join("pen.svg"), folder.join("pen.jsonl"));
    let [plot_name, record_name] = [&plot, &record].map(|path| path.to_str().unwrap());
    let scene = "scenes/004/pen-and-bowl.toml";
    clearance(&["track", scene, "--plot", plot_name, "--record", record_name], b"");
    let rows = rows(&record);
    assert_eq!(rows.len(), 221);
    for (y, distance) in [
        (0, 8.0),
        (40, 5.65685),
        (81, 0.04472),
        (88, 0.35777),
        (95, 1.0),
        (148, 6.3),
        (155, 7.01783),
        // Printed as 15.40764, but the printed points are 15.206 apart.
        (220, 15.20593),
    ] {
        assert!((number(&rows[y]["distance"]) - distance).abs() < 1e-5, "frame {y}: {}", rows[y]);
    }
    assert_eq!(number(&rows[80]["distance"]), 0.0, "the tip touches the rim");
    assert!(std::fs::read_to_string(plot).unwrap().contains("<svg"));
}

#[test]
fn deforming_bodies_are_followed_as_they_change() {
    let folder = folder("sail");
    let record = folder.join("sail.jsonl");
    let name = record.to_str().unwrap();
    clearance(&["track", "scenes/curved/sail.toml", "--record", name], b"").expect_status(0);
    let rows = rows(&record);
    assert_eq!(rows.len(), 21);
    assert!(rows.iter().all(|row| row["ended"] == "certified"));
}

#[test]
fn lines_of_undefined_depth_have_a_gap() {
    let scene = format!(
        "[body.ball]\nshape = {{ kind = \"sphere\", radius = 1 }}\npose = {{ translation = [0.1, 0.2, 2] }}\n\
         motion = [{{ velocity = [0, 0, -1] }}]\n[body.sheet]\nshape = {}\n[track]\nframes = 9\nstep = 0.5\n",
        SHEET
            .replace(": ", " = ")
            .replace("\"kind\"", "kind")
            .replace("\"surface\" =", "surface =")
            .replace("\"u\"", "u")
            .replace("\"v\"", "v")
    );
    let folder = folder("gap");
    let (plot, record) = (folder.join("gap.svg"), folder.join("gap.csv"));
    let [plot_name, record_name] = [&plot, &record].map(|path| path.to_str().unwrap());
    let run = clearance(&["track", "-", "--plot", plot_name, "--record", record_name], scene.as_bytes());
    let text = run.expect_status(0).out;
    assert!(text.contains("contact"), "{text}");
    let svg = std::fs::read_to_string(plot).unwrap();
    assert!(!svg.contains("NaN") && svg.matches("<polyline").count() >= 2, "{svg}");
    let csv = std::fs::read_to_string(record).unwrap();
    let crossing: Vec<&str> = csv.lines().filter(|line| line.contains("touching")).collect();
    assert!(!crossing.is_empty(), "{csv}");
    let columns = csv.lines().find(|line| line.starts_with("frame,")).unwrap().split(',').count();
    for row in crossing {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!((cells.len(), cells[6], cells[7]), (columns, "0", ""), "{row}");
    }
    let json = clearance(&["track", "-", "--json"], scene.as_bytes()).expect_status(0).json();
    assert_eq!(json["pairs"][0]["min_signed_distance"], Value::Null, "{json}");
}

#[test]
fn real_files_are_compared() {
    let test = "real_files_are_compared";
    for (a, b, part) in
        [("step/linkrods.step", "step/screw.step", ""), ("teapot-patches.json", "teaspoon-patches.json", "")]
    {
        let (Some(a), Some(b)) = (data::data_or_skip(test, a), data::data_or_skip(test, b)) else { continue };
        let [a, b] = [&a, &b].map(|path| path.to_str().unwrap());
        let pose = r#"{"translation": [400, 300, 500], "axis_angle": [0, 0, 1, 20]}"#;
        let answer = clearance(&["distance", a, b, "--pose-b", pose, "--units", "mm", "--json"], b"")
            .expect_status(0)
            .json();
        assert_eq!(
            (&answer["ended"], &answer["state"]),
            (&"certified".into(), &"separated".into()),
            "{part}"
        );
        let error = number(&answer["distance"]) - number(&answer["lower_bound"]);
        assert!((0.0..1e-5).contains(&error), "{error:e}");
    }
}
