//! `clearance simulate` as a user runs it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::clearance;

#[test]
fn simulate_prints_records_and_plots() {
    let place = std::env::temp_dir().join(format!("clearance-simulate-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (record, plot) = (path("run.jsonl"), path("run.svg"));
    let arguments = ["simulate", "scenes/002/dice3.toml", "--record", &record, "--plot", &plot];
    let run = clearance(&arguments, b"").expect_status(0);
    for part in ["Dice3", "300 steps", "infeasibility", "kinetic energy", "recording"] {
        assert!(run.out.contains(part), "{}", run.out);
    }
    let rows = std::fs::read_to_string(&record).unwrap();
    assert!(rows.lines().last().unwrap().contains("\"complete\":true"));
    assert!(std::fs::read_to_string(&plot).unwrap().contains("<svg"));
    std::fs::remove_dir_all(&place).unwrap();
}

#[test]
fn simulate_says_it_as_json() {
    let answer = clearance(&["simulate", "scenes/002/setup6.toml", "--json"], b"").expect_status(0).json();
    assert_eq!(answer["steps"], 600);
    assert!(answer["infeasibility"]["max"].as_f64().unwrap() < 1e-3);
    assert!(answer["kinetic"].as_f64().unwrap() < 1e-9);
}

#[test]
fn simulate_refuses_a_scene_without_a_simulation() {
    clearance(&["simulate", "scenes/flat/tumble.toml"], b"").expect_error(&["simulation"]);
}
