//! `clearance check`: gaps between all bodies of a scene and all parts of an assembly.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use common::clearance;

const ASSEMBLY: &str = r#"{"kind": "union", "parts": [
    {"shape": {"kind": "cylinder", "radius": 1, "height": 4}},
    {"shape": {"kind": "torus", "major": 2, "minor": 0.5}, "pose": {"translation": [0.25, 0, 0]}},
    {"shape": {"kind": "box", "size": [1, 1, 1]}, "pose": {"translation": [0, 0, 9]}}]}"#;

const SCENE: &str = r#"
title = "A shelf"
[body.floor]
shape = { kind = "half_space", normal = [0, 0, 1], offset = 0 }
[body.ball]
shape = { kind = "sphere", radius = 1 }
pose = { translation = [0, 0, 1] }
[body.cube]
shape = { kind = "box", size = [1, 1, 1] }
pose = { translation = [5, 0, 0.25] }
"#;

#[test]
fn parts_of_an_assembly_keep_a_gap_or_not() {
    let kept = clearance(&["check", ASSEMBLY, "--min-gap", "0.2", "--json"], b"").expect_status(0).json();
    assert_eq!((kept["clear"].as_bool(), kept["pairs"].as_array().map(Vec::len)), (Some(true), Some(3)));
    let nearest = &kept["pairs"][0];
    assert_eq!([&nearest["a"], &nearest["b"], &nearest["gap"]], ["part:0", "part:1", "kept"]);
    assert!((nearest["answer"]["distance"].as_f64().unwrap() - 0.25).abs() < 1e-9, "{nearest}");
    // The box is far from both: its gaps are bounds.
    assert!(kept["pairs"][2]["answer"].is_null() && kept["pairs"][2]["lower_bound"].as_f64().unwrap() > 6.0);
    let words = clearance(&["check", ASSEMBLY, "--min-gap", "0.3"], b"").expect_status(1).out;
    assert!(words.contains("violated") && words.contains("2 kept, 1 violated, 0 undecided"), "{words}");
    let short = clearance(&["check", "-", "--list", "1"], ASSEMBLY.as_bytes()).expect_status(0).out;
    assert!(short.contains("and 2 pairs farther apart") && short.contains("no overlap"), "{short}");
}

#[test]
fn bodies_of_a_scene_are_checked_where_they_stand() {
    let found = clearance(&["check", "-", "--json"], SCENE.as_bytes()).expect_status(1).json();
    let gaps: Vec<_> = found["pairs"].as_array().unwrap().iter().map(|pair| &pair["gap"]).collect();
    assert_eq!(found["title"], "A shelf");
    // The cube is in the floor; the ball touches it.
    assert_eq!(gaps, ["violated", "kept", "kept"], "{found}");
    let ignoring = SCENE.replace("[body.floor]", "ignore = [[\"floor\", \"cube\"]]\n[body.floor]");
    clearance(&["check", "-"], ignoring.as_bytes()).expect_status(0);
    clearance(&["check", "-", "--min-gap", "1e-3"], ignoring.as_bytes()).expect_status(1);
}

#[test]
fn what_has_no_pair_is_an_error() {
    clearance(&["check", r#"{"kind": "sphere", "radius": 1}"#], b"").expect_error(&["one body alone"]);
    clearance(&["check", "-"], b"[body.a]\nshape = 3\n").expect_error(&["standard input"]);
    clearance(&["check", "nothing.step"], b"").expect_error(&["nothing.step"]);
}
