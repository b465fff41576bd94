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
    let picture = std::fs::read_to_string(&plot).unwrap();
    for part in
        ["<svg", "kinetic", "momentum", "angular", "work of constraints", "residual", "iterations", "events"]
    {
        assert!(picture.contains(part), "{part}");
    }
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
fn scenes_of_the_repository_hold() {
    for scene in ["dynamics/torus", "dynamics/walker", "dynamics/cradle", "002/balance2"] {
        clearance(&["simulate", &format!("scenes/{scene}.toml"), "--json"], b"").expect_status(0);
    }
}

/// Starts a simulation that would go on for days, and waits for the first frames in its file.
#[cfg(unix)]
fn endless(record: &std::path::Path) -> std::process::Child {
    const ENDLESS: &str = "[body.die]\nshape = { kind = \"box\", size = [1, 1, 1] }\npose = { translation = [0, 0, 2] }\n\
        density = 1\n[body.floor]\nshape = { kind = \"half_space\", normal = [0, 0, 1], offset = 0 }\nfixed = true\n\
        [simulation]\nstep = 0.01\nduration = 1e6\n";
    let scene = record.with_file_name("endless.toml");
    std::fs::write(&scene, ENDLESS).unwrap();
    // One of an earlier run must not be taken for this one's.
    let _ = std::fs::remove_file(record);
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_clearance"))
        .args(["simulate", scene.to_str().unwrap(), "--record", record.to_str().unwrap()])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let began = std::time::Instant::now();
    while frames(&std::fs::read_to_string(record).unwrap_or_default()) == 0 {
        assert!(began.elapsed().as_secs() < 60, "nothing is recorded in {}", record.display());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child
}

#[cfg(unix)]
fn frames(recorded: &str) -> usize {
    recorded.matches("data-part=\"frames\"").count() + recorded.matches("\n{\"frame\"").count()
}

/// A file without its end, which plays nevertheless.
#[cfg(unix)]
fn expect_cut_off(record: &std::path::Path) {
    let text = std::fs::read_to_string(record).unwrap();
    let ends = text.contains("\"complete\":true") || text.contains("data-part=\"end\"");
    assert!(frames(&text) > 0 && !ends, "{}", record.display());
    clearance(&["view", record.to_str().unwrap(), "--no-open"], b"").expect_status(0);
}

#[cfg(unix)]
#[test]
fn killed_run_leaves_a_recording_that_plays() {
    let place = common::folder("killed");
    for name in ["run.jsonl", "run.html"] {
        let record = place.join(name);
        let mut child = endless(&record);
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        expect_cut_off(&record);
    }
}

#[cfg(unix)]
#[test]
fn interrupted_run_says_what_it_came_to() {
    let place = common::folder("interrupted");
    for name in ["run.jsonl", "run.html"] {
        let record = place.join(name);
        let child = endless(&record);
        let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("stopped") && said.contains("of 100000000 steps"), "{said}");
        expect_cut_off(&record);
    }
}

#[test]
fn simulate_refuses_a_scene_without_a_simulation() {
    clearance(&["simulate", "scenes/flat/tumble.toml"], b"").expect_error(&["simulation"]);
}

const ROD: &str = "[body.rod]\nshape = { kind = \"box\", size = [1, 0.1, 0.1] }\npose = { translation = [0.5, 0, 0] }\n\
    density = 1000\n[[joint]]\nkind = \"hinge\"\na = \"world\"\nb = \"rod\"\nanchor = [0, 0, 0]\naxis = [0, 1, 0]\n";

#[test]
fn run_that_outgrows_numbers_names_file_and_body() {
    let scene = common::folder("outgrown").join("fast.toml");
    let text = format!("{ROD}[simulation]\nstep = 0.01\nduration = 6\ngravity = [0, 0, -1e200]\n");
    std::fs::write(&scene, text).unwrap();
    let run = clearance(&["simulate", scene.to_str().unwrap(), "--json"], b"");
    run.expect_error(&["not_finite", "fast.toml", "body.rod", "frame"]);
}

#[test]
fn broken_constraints_are_a_verdict() {
    // Two joints that cannot both be: one holds the rod, the other wants it elsewhere.
    let scene = common::folder("broken").join("torn.toml");
    let other =
        "[[joint]]\nkind = \"slider\"\na = \"world\"\nb = \"rod\"\naxis = [0, 0, 1]\nlimits = [1, 2]\n";
    std::fs::write(&scene, format!("{ROD}{other}[simulation]\nstep = 0.01\nduration = 1\n")).unwrap();
    let said = clearance(&["simulate", scene.to_str().unwrap()], b"").expect_status(1);
    assert!(said.out.contains("gave way") && said.out.contains("broken"), "{}", said.out);
    let json = clearance(&["simulate", scene.to_str().unwrap(), "--json"], b"").expect_status(1).json();
    assert!(json["left"].as_f64().unwrap() > 0.05 && json["capped"].as_u64().unwrap() > 0, "{json}");
    assert_eq!(json["unsolved"].as_u64().map(|steps| steps <= 100), Some(true), "{json}");
    assert!(said.out.contains("contradict each other") && json["jammed"] == json["elastic"], "{json}");
}

#[test]
fn bodies_that_would_be_thrown_about_are_said_to_be_that() {
    // A ball that overlaps a ring all around: there is a way out, along the axis, at a hundred times the speed.
    let scene = common::folder("thrown").join("ring.toml");
    let text = "[body.ball]\nshape = { kind = \"sphere\", radius = 0.5 }\npose = { translation = [0, 0, 0.6] }\ndensity = 1000\n\
        [body.ring]\nshape = { kind = \"torus\", major = 0.6, minor = 0.2 }\npose = { translation = [0.02, 0.03, 0.65] }\n\
        density = 1000\n[body.table]\nshape = { kind = \"box\", size = [8, 8, 1] }\npose = { translation = [0, 0, -0.5] }\n\
        fixed = true\n[simulation]\nstep = 0.01\nduration = 0.2\n";
    std::fs::write(&scene, text).unwrap();
    let said = clearance(&["simulate", scene.to_str().unwrap()], b"").expect_status(1);
    let json = clearance(&["simulate", scene.to_str().unwrap(), "--json"], b"").expect_status(1).json();
    let [thrown, jammed, all] = ["thrown", "jammed", "elastic"].map(|key| json[key].as_u64().unwrap());
    assert!(thrown > 0 && thrown + jammed >= all, "{json}");
    assert!(
        said.out.contains(&format!("in {thrown} steps, which would have thrown bodies about")),
        "{}",
        said.out
    );
}

#[test]
fn schema_has_the_solvers_that_there_are() {
    let schema = clearance(&["schema", "scene"], b"").expect_status(0).json();
    let text = schema.to_string();
    let names = clearance_dynamics::SolverChoice::ALL.map(|(_, name)| format!("\"{name}\"")).join(",");
    assert!(text.contains(&format!("[{names}]")), "{names}");
}
