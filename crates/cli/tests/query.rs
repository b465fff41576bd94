//! `clearance query`: answers, every error path, and a stream that never stops.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use common::{Run, clearance};
use serde_json::Value;

const CUBE: &str = r#"{"kind": "box", "size": [2, 2, 2]}"#;

fn query(lines: &str) -> Run {
    clearance(&["query"], lines.as_bytes())
}

/// A line about two cubes, with one piece replaced.
fn line(pieces: &str) -> String {
    format!("{{\"id\": 1, \"a\": {CUBE}, \"b\": {CUBE}{pieces}}}")
}

/// Each bad line, between two good ones, gets its code; the good ones are answered.
#[track_caller]
fn expect_code(bad: &str, code: &str) -> Value {
    let good = line(r#", "pose_b": {"translation": [5, 0, 0]}"#);
    let run = query(&format!("{good}\n{bad}\n{good}\n")).expect_status(2);
    let lines = run.lines();
    assert_eq!(lines.len(), 3, "{}", run.out);
    assert_eq!(lines[1]["error"]["code"], code, "{}", lines[1]);
    assert_eq!(lines[1]["error"]["line"], 2, "{}", lines[1]);
    assert!(!lines[1]["error"]["message"].as_str().unwrap().is_empty());
    for at in [0, 2] {
        assert_eq!(lines[at]["distance"], 3.0);
    }
    lines[1].clone()
}

#[test]
fn separated_cubes_have_every_field() {
    let run = query(&(line(r#", "pose_b": {"translation": [5, 0.5, 0]}"#) + "\n")).expect_status(0);
    let answer = &run.lines()[0];
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["state"], "separated");
    assert_eq!(answer["distance"], 3.0);
    assert_eq!(answer["signed_distance"], 3.0);
    assert_eq!(answer["normal"][0], 1.0);
    assert_eq!(answer["points"][0][0], 1.0);
    assert_eq!(answer["points"][1][0], 4.0);
    for field in ["features", "parameters", "ended", "work"] {
        assert!(!answer[field].is_null(), "{field} is missing in {answer}");
    }
}

#[test]
fn overlap_has_a_depth_and_containment_is_named() {
    let small = r#"{"kind": "box", "size": [0.5, 0.5, 0.5]}"#;
    let input = format!(
        "{}\n{{\"id\": \"in\", \"a\": {CUBE}, \"b\": {small}}}\n",
        line(r#", "pose_b": {"translation": [1.5, 0, 0]}"#)
    );
    let lines = query(&input).expect_status(0).lines();
    assert_eq!(lines[0]["state"], "penetrating");
    assert_eq!(lines[0]["distance"], 0.0);
    assert!((lines[0]["signed_distance"].as_f64().unwrap() + 0.5).abs() < 1e-12);
    assert_eq!(lines[1]["state"], "containing");
    assert_eq!(lines[1]["inside"], "b");
    assert_eq!(lines[1]["id"], "in");
}

#[test]
fn wants_add_ratio_certificate_and_gradient() {
    let wants = r#", "pose_b": {"translation": [5, 0.2, 0.1]}, "want": ["ratio", "certificate", "gradient"]"#;
    let answer = &query(&(line(wants) + "\n")).expect_status(0).lines()[0];
    assert!((answer["ratio"].as_f64().unwrap() - 2.5).abs() < 1e-12, "{answer}");
    assert!((answer["rho"].as_f64().unwrap() - 0.6).abs() < 1e-12);
    let lower = answer["lower_bound"].as_f64().unwrap();
    assert!(lower <= 3.0 && lower > 3.0 - 1e-12, "{lower}");
    assert_eq!(answer["ended"], "certified");
    assert!(answer.get("gradient").is_some(), "{answer}");
}

/// Every wish that says something of algebraic surfaces, on one line: none takes the others' answers away.
#[test]
fn wants_about_algebraic_surfaces_are_answered_together() {
    let level =
        r#"{"kind": "algebraic", "polynomial": "x^2 + y^2 + z^2 - 1", "within": [[-2, -2, -2], [2, 2, 2]]}"#;
    for (b, place) in [(CUBE, 2.0005), (level, 2.0005), (r#"{"kind": "point"}"#, 1.0005)] {
        let input = format!(
            r#"{{"a": {level}, "b": {b}, "pose_b": {{"translation": [{place}, 0, 0]}},
            "want": ["events", "gradient", "certificate", "locus", "all_minima"]}}"#
        );
        let answer = query(&(input.replace('\n', " ") + "\n")).expect_status(0).lines()[0].clone();
        assert_eq!(answer["state"], "separated", "{answer}");
        let events = answer["events"].as_array().unwrap();
        assert_eq!((events.len(), &events[0]["kind"]), (1, &"witness".into()), "{answer}");
        let gap = events[0]["gap"].as_f64().unwrap();
        assert!((gap - 0.0005).abs() < 1e-12, "{answer}");
        assert_eq!(events[0]["gradient"], answer["gradient"], "{answer}");
        for field in ["lower_bound", "all"] {
            assert!(!answer[field].is_null(), "{field} is missing in {answer}");
        }
        assert!(answer.get("locus").is_some(), "{answer}");
    }
}

#[test]
fn definitions_name_shapes_for_later_lines() {
    let input = format!(
        "{{\"define\": \"cube\", \"shape\": {CUBE}}}\n{{\"id\": 2, \"a\": \"cube\", \"b\": \"cube\", \"pose_b\": {{\"translation\": [0, 4, 0]}}}}\n"
    );
    let lines = query(&input).expect_status(0).lines();
    assert_eq!(lines[0]["define"], "cube");
    assert_eq!(lines[0]["ok"], true);
    assert_eq!(lines[1]["distance"], 2.0);
}

#[test]
fn blank_lines_bom_and_crlf_are_accepted() {
    let good = line("");
    let input = format!("\u{feff}{good}\r\n\r\n   \n{good}\r\n");
    assert_eq!(query(&input).expect_status(0).lines().len(), 2);
}

#[test]
fn empty_input_is_no_error() {
    assert_eq!(query("").expect_status(0).out, "");
}

#[test]
fn malformed_json_is_answered() {
    for bad in ["{", "nonsense", "[1, 2]", "42", r#"{"id": 1,}"#, "\"text\"", "{\"id\": 1} trailing"] {
        expect_code(bad, "bad_json");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_answered() {
    let mut input = b"{\"id\": \"\xff\"}\n".to_vec();
    input.extend(line("").bytes());
    let lines = clearance(&["query"], &input).expect_status(2).lines();
    assert_eq!(lines[0]["error"]["code"], "bad_json");
    assert_eq!(lines[1]["id"], 1);
}

#[test]
fn literal_nan_is_bad_json_and_too_large_numbers_are_out_of_range() {
    expect_code(&line(r#", "pose_b": {"translation": [NaN, 0, 0]}"#), "bad_json");
    expect_code(&line(r#", "pose_b": {"translation": [Infinity, 0, 0]}"#), "bad_json");
    let answer = expect_code(&line(r#", "pose_b": {"translation": [1e999, 0, 0]}"#), "number_out_of_range");
    assert_eq!(answer["id"], 1);
}

#[test]
fn unknown_words_are_named() {
    let with = |shape: &str| format!("{{\"id\": 9, \"a\": {shape}, \"b\": {CUBE}}}");
    let cases = [
        (with(r#"{"kind": "cube", "size": [1, 1, 1]}"#), "unknown_kind", "cube"),
        (with(r#"{"kind": "box", "size": [1, 1, 1], "colour": 3}"#), "unknown_key", "colour"),
        (line(r#", "posea": {}"#), "unknown_key", "posea"),
        (line(r#", "pose_a": {"move": [1, 2, 3]}"#), "unknown_key", "move"),
        (with("\"nobody\""), "unknown_name", "nobody"),
        (line(r#", "want": ["everything"]"#), "unknown_want", "everything"),
        (line(r#", "units": "furlong""#), "unknown_units", "furlong"),
    ];
    for (bad, code, word) in cases {
        let answer = expect_code(&bad, code);
        assert!(answer["error"]["message"].as_str().unwrap().contains(word), "{answer}");
    }
}

#[test]
fn missing_and_mistyped_fields_are_named() {
    expect_code(&format!("{{\"id\": 1, \"a\": {CUBE}}}"), "missing_field");
    expect_code(&format!("{{\"a\": {{\"kind\": \"box\"}}, \"b\": {CUBE}}}"), "missing_field");
    expect_code(&format!("{{\"a\": {{\"size\": [1, 1, 1]}}, \"b\": {CUBE}}}"), "missing_field");
    expect_code(
        &format!("{{\"a\": {{\"kind\": \"box\", \"size\": [1, 1]}}, \"b\": {CUBE}}}"),
        "dimension_mismatch",
    );
    expect_code(&format!("{{\"a\": {{\"kind\": \"box\", \"size\": \"big\"}}, \"b\": {CUBE}}}"), "wrong_type");
    expect_code(&format!("{{\"a\": 17, \"b\": {CUBE}}}"), "wrong_type");
}

#[test]
fn empty_and_flat_point_sets_are_flat_polytopes() {
    for points in [
        "[]",
        "[[0, 0, 0]]",
        "[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]",
        "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
        "[[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]",
    ] {
        let shape = format!("{{\"kind\": \"polytope\", \"points\": {points}}}");
        expect_code(&format!("{{\"a\": {shape}, \"b\": {CUBE}}}"), "flat_polytope");
    }
}

#[test]
fn bad_polyhedra_are_told_apart() {
    let tetrahedron = |faces: &str| {
        format!(
            "{{\"a\": {{\"kind\": \"polytope\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"faces\": {faces}}}, \"b\": {CUBE}}}"
        )
    };
    expect_code(&tetrahedron("[[0, 2, 1], [0, 1, 3], [1, 2, 3]]"), "not_manifold");
    expect_code(&tetrahedron("[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 2, 3]]"), "inconsistent_orientation");
    let good = tetrahedron("[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]");
    assert_eq!(query(&good).expect_status(0).lines().len(), 1);
}

#[test]
fn bad_rotations_are_refused() {
    expect_code(&line(r#", "pose_b": {"rotation": [0, 0, 0, 2]}"#), "bad_rotation");
    expect_code(&line(r#", "pose_b": {"rotation": [0, 0, 0, 0]}"#), "bad_rotation");
    expect_code(&line(r#", "pose_b": {"axis_angle": [1, 1, 0, 30]}"#), "bad_rotation");
    let mirrored = r#", "pose_b": {"matrix": [[-1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#;
    expect_code(&line(mirrored), "bad_rotation");
    let both = r#", "pose_b": {"rotation": [0, 0, 0, 1], "axis_angle": [0, 0, 1, 30]}"#;
    expect_code(&line(both), "pose_conflict");
}

#[test]
fn dimensions_and_pairs_that_do_not_meet_are_refused() {
    let triangle = r#"{"kind": "polygon", "points": [[0, 0], [1, 0], [0, 1]]}"#;
    expect_code(&format!("{{\"a\": {triangle}, \"b\": {CUBE}}}"), "dimension_mismatch");
    let half = r#"{"kind": "half_space", "normal": [0, 0, 1], "offset": 0}"#;
    expect_code(&format!("{{\"a\": {half}, \"b\": {half}}}"), "unsupported_pair");
}

#[test]
fn missing_and_broken_files_are_told_apart() {
    expect_code(
        &format!("{{\"a\": {{\"kind\": \"mesh\", \"file\": \"none.obj\"}}, \"b\": {CUBE}}}"),
        "file_not_found",
    );
    let broken = common::file("broken_mesh", "broken.stl", "this is no mesh");
    expect_code(
        &format!("{{\"a\": {{\"kind\": \"mesh\", \"file\": \"{broken}\"}}, \"b\": {CUBE}}}"),
        "bad_file",
    );
}

#[test]
fn an_over_long_line_is_answered_and_the_stream_goes_on() {
    let mut input = line("").into_bytes();
    input.push(b'\n');
    input.resize(input.len() + (64 << 20) + 1, b'x');
    input.push(b'\n');
    input.extend(line("").bytes());
    let lines = clearance(&["query"], &input).expect_status(2).lines();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1]["error"]["code"], "line_too_long");
    assert_eq!(lines[2]["id"], 1);
}

#[test]
fn random_bytes_never_stop_the_stream() {
    let mut state = 7_u64;
    let mut input = Vec::new();
    let mut count = 0;
    for _ in 0..200 {
        let mut row = Vec::new();
        for _ in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let byte = (state >> 56) as u8;
            row.push(if byte == b'\n' { b'{' } else { byte });
        }
        count += 1;
        input.extend(row);
        input.push(b'\n');
    }
    input.extend(line("").bytes());
    let run = clearance(&["query"], &input).expect_status(2);
    let lines = run.lines();
    assert_eq!(lines.len(), count + 1);
    assert_eq!(lines[count]["id"], 1);
}

#[test]
fn units_of_a_line_reach_the_answer() {
    let answer =
        &query(&(line(r#", "pose_b": {"translation": [5, 0, 0]}, "units": "mm""#) + "\n")).lines()[0];
    assert_eq!(answer["units"], "mm");
    assert_eq!(answer["distance"], 3.0);
    let run = clearance(&["query", "--units", "cm"], line("").as_bytes()).expect_status(0);
    assert_eq!(run.lines()[0]["units"], "cm");
}

#[test]
fn a_timeout_that_has_passed_is_said() {
    clearance(&["query", "--timeout", "0.000001"], line("").as_bytes()).expect_error(&["timeout", "gave up"]);
}

/// The deadline holds while the input is open and nothing comes.
#[test]
fn timeout_does_not_wait_for_input() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let began = std::time::Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_clearance"))
        .args(["query", "--timeout", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{}\n", line("")).as_bytes()).unwrap();
    let status = child.wait().unwrap();
    // The pipe stays open until here.
    drop(stdin);
    assert_eq!(status.code(), Some(2));
    assert!(began.elapsed().as_secs() < 30, "it waited");
}

#[test]
fn with_a_timeout_that_does_not_pass_every_line_is_answered() {
    let input = format!("{}\n", line("")).repeat(2000) + &line("");
    let run = clearance(&["query", "--timeout", "600"], input.as_bytes()).expect_status(0);
    assert_eq!(run.lines().len(), 2001);
}
