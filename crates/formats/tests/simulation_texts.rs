//! Scenes that simulate, written as text: what they record, and what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use clearance_dynamics::SolverChoice;
use clearance_formats::{Context, Recorder, Scene, Units, run_simulation};
use clearance_geometry::DVec3;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn scene(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    Scene::load(&path, Units::Metre).unwrap()
}

#[test]
fn curved_bodies_are_weighed_and_refused_by_name() {
    let with = |shape: &str, weight: &str| {
        let text =
            format!("[body.thing]\nshape = {{ {shape} }}\n{weight}\n[simulation]\nstep = 0.01\nduration = 1");
        parse(&text)
    };
    let ball = "kind = \"sphere\", radius = 2";
    let mass = |weight: &str| with(ball, weight).unwrap().world.bodies()[0].mass();
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 8.0;
    assert!((mass("density = 3") - 3.0 * volume).abs() < 1e-9);
    assert!((mass("mass = 5") - 5.0).abs() < 1e-12);
    let pipe = "kind = \"surface\", surface = \"cylinder\", radius = 1, v = [0, 4]";
    let deep =
        "kind = \"algebraic\", polynomial = \"x^2 + y^2 + z^2 - 1\", within = [[-2, -2, -2], [2, 2, 2]]";
    let cases = [
        (ball, "", "density"),
        (ball, "density = 0", "positive"),
        (ball, "density = 1\nmas = 2", "mas"),
        (pipe, "density = 1", "open surface"),
        (pipe, "mass = 1", "open surface"),
        (deep, "fixed = true", "algebraic"),
    ];
    for (shape, weight, said) in cases {
        let error = with(shape, weight).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("thing"), "{shape}, {weight}: {error}");
    }
}

#[test]
fn overlap_at_the_start_names_the_bodies() {
    let text = r#"
[body.egg]
shape = { kind = "sphere", radius = 1 }
density = 1
[body.cup]
shape = { kind = "cylinder", radius = 1, height = 1 }
pose = { translation = [0, 0, -1.2] }
density = 1
[simulation]
step = 0.01
duration = 1
"#;
    let warnings = parse(text).unwrap().warnings;
    assert!(warnings.iter().any(|said| said.contains("`egg` and `cup` overlap")), "{warnings:?}");
}

const DOOR: &str = r#"
[shape.door]
kind = "box"
size = [1, 0.1, 2]
[body.door]
shape = "door"
pose = { translation = [0.5, 0, 1] }
density = 700
angular_velocity = [0, 0, 90]
velocity = [0, 0.7853981633974483, 0]
[[joint]]
kind = "hinge"
a = "world"
b = "door"
anchor = [0, 0, 1]
axis = [0, 0, 1]
limits = [-10, 45]
[simulation]
step = 0.01
duration = 1
"#;

fn parse(text: &str) -> Result<clearance_formats::Simulation, clearance_formats::Error> {
    Scene::parse(text, &Context::default()).and_then(|scene| scene.simulation())
}

#[test]
fn hinge_stops_at_its_limit_in_degrees() {
    let simulation = parse(DOOR).unwrap();
    let mut angle = 0.0;
    run_simulation(&simulation, |frame| {
        angle = frame.world.bodies()[0].orientation().to_scaled_axis().z.to_degrees();
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    assert!((angle - 45.0).abs() < 1e-6, "{angle}");
}

#[test]
fn recording_says_where_joints_are_held() {
    let scene = Scene::parse(DOOR, &Context::default()).unwrap();
    let simulation = scene.simulation().unwrap();
    let path: PathBuf = std::env::temp_dir().join(format!("clearance-joints-{}.jsonl", std::process::id()));
    Recorder::create_simulation(&path, &scene, &simulation).unwrap().finish().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let joint = &header["joints"][0];
    assert_eq!(joint["kind"], "hinge");
    let at = simulation.world.joint_ends().next().unwrap();
    for (side, body) in at.bodies.into_iter().enumerate() {
        let written: [f64; 3] = serde_json::from_value(joint["points"][side].clone()).unwrap();
        let place =
            body.map_or(written.into(), |body| simulation.world.bodies()[body].pose().apply(written.into()));
        assert!(place.distance(at.points[side]) < 1e-12);
        assert_eq!(joint["bodies"][side].as_str(), body.map(|body| scene.bodies[body].name.as_str()));
    }
}

#[test]
fn what_cannot_run_has_its_code_and_place() {
    for (from, to, code, key) in [
        ("density = 700", "", "missing_field", "body.door"),
        ("density = 700", "density = 0", "bad_value", "body.door.density"),
        ("density = 700", "mass = 3\ninertia = [1, 1, -1, 0, 0, 0]", "bad_value", "body.door.inertia"),
        ("density = 700", "mass = 3\ninertia = [1, 1, 10, 0, 0, 0]", "bad_value", "body.door.inertia"),
        ("density = 700", "density = 3\ninertia = [1, 1, 1, 0, 0, 0]", "bad_value", "body.door.inertia"),
        ("density = 700", "density = 3\nrestitution = 2", "bad_value", "body.door.restitution"),
        ("density = 700", "density = 3\nfriction = 1e7", "bad_value", "body.door.friction"),
        ("density = 700", "density = nan", "not_finite", "body.door.density"),
        ("kind = \"hinge\"", "kind = \"rope\"", "bad_value", "joint[0].kind"),
        ("b = \"door\"", "b = \"window\"", "unknown_name", "joint[0].b"),
        ("b = \"door\"", "b = \"world\"", "bad_value", "joint[0]"),
        ("axis = [0, 0, 1]", "axis = [0, 0, 0]", "bad_value", "joint[0].axis"),
        ("axis = [0, 0, 1]", "", "bad_value", "joint[0]"),
        ("limits = [-10, 45]", "limits = [45, -10]", "bad_value", "joint[0].limits"),
        (
            "limits = [-10, 45]",
            "motor = { velocity = 1, max_force = -1 }",
            "bad_value",
            "joint[0].motor.max_force",
        ),
        ("limits = [-10, 45]", "turn_limits = [-10, 45]", "bad_value", "joint[0].turn_limits"),
        ("duration = 1", "duration = 1\nrestitution = 2", "bad_value", "simulation.restitution"),
        ("duration = 1", "duration = 1\nfriction = 1e7", "bad_value", "simulation.friction"),
        ("duration = 1", "duration = 1\nstabilization = -1", "bad_value", "simulation.stabilization"),
        ("duration = 1", "duration = 1\nsweeps = 0", "bad_value", "simulation.sweeps"),
        ("duration = 1", "duration = 1\ncone = { facets = 3 }", "bad_value", "simulation.cone.facets"),
        ("duration = 1", "duration = 1\nsleep = { after = -1 }", "bad_value", "simulation.sleep.after"),
        ("duration = 1", "duration = 1\nsolver = \"magic\"", "unknown_name", "simulation.solver"),
        ("duration = 1", "duration = 1\nfriction = -1", "bad_value", "simulation.friction"),
        ("duration = 1", "duration = 1\nfricton = 1", "unknown_key", "simulation.fricton"),
        ("step = 0.01", "step = 0", "bad_value", "simulation.step"),
        (
            "kind = \"box\"\nsize = [1, 0.1, 2]",
            "kind = \"algebraic\"\npolynomial = \"x^2 + y^2 + z^2 - 1\"\nwithin = [[-2, -2, -2], [2, 2, 2]]",
            "unsupported_feature",
            "body.door",
        ),
    ] {
        let text = DOOR.replace(from, to);
        assert_ne!(text, DOOR);
        let error = parse(&text).map(|_| ()).expect_err(&text);
        assert_eq!((error.code(), error.key()), (code, Some(key)), "{to}: {error}");
        assert!(error.line().is_some(), "{to}: {error}");
    }
    let error = parse("[body.a]\nshape = { kind = \"point\" }\n").map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "missing_field");
}

#[test]
fn friction_of_a_pair_is_given_once() {
    let body = |name: &str, x: f64| {
        format!(
            "[body.{name}]\nshape = {{ kind = \"box\", size = [1, 1, 1] }}\npose = {{ translation = [{x}, 0, 0] }}\ndensity = 1\n"
        )
    };
    let pair = |a: &str, b: &str| format!("[[friction]]\npair = [\"{a}\", \"{b}\"]\nvalue = 0.1\n");
    let end = "[simulation]\nstep = 0.01\nduration = 0.1\n";
    let bodies = body("one", 0.0) + &body("two", 3.0) + &body("three", 6.0);
    assert!(parse(&(bodies.clone() + &pair("one", "two") + &pair("one", "three") + end)).is_ok());
    for again in [pair("one", "two"), pair("two", "one")] {
        let error = parse(&(bodies.clone() + &pair("one", "two") + &again + end)).map(|_| ()).unwrap_err();
        assert_eq!((error.code(), error.key()), ("bad_value", Some("friction[1].pair")), "{error}");
        assert!(error.line().is_some(), "{error}");
    }
}

#[test]
fn overlapping_start_is_said() {
    let text = DOOR.replace(
        "[[joint]]",
        "[body.other]\nshape = \"door\"\ndensity = 1\npose = { translation = [0.6, 0, 1] }\n[[joint]]",
    );
    let simulation = parse(&text).unwrap();
    assert_eq!(simulation.warnings.len(), 1, "{:?}", simulation.warnings);
}

#[test]
fn recording_has_a_row_per_body_and_one_for_all() {
    let scene = scene("002/dice3.toml");
    let mut simulation = scene.simulation().unwrap();
    simulation.frames = 6;
    for ending in ["jsonl", "csv"] {
        let path: PathBuf =
            std::env::temp_dir().join(format!("clearance-simulation-{}.{ending}", std::process::id()));
        let mut recorder = Recorder::create_simulation(&path, &scene, &simulation).unwrap();
        run_simulation(&simulation, |frame| recorder.frame(frame).map(ControlFlow::Continue)).unwrap();
        recorder.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].contains("\"command\":\"simulate\"") || lines[0].contains("\"command\": \"simulate\"")
        );
        assert!(lines.last().unwrap().contains("complete"));
        // The start has all three bodies, the other five frames the two that move.
        let rows = if ending == "csv" { 2 + 3 + 5 * 2 + 1 } else { 1 + 3 + 5 * 2 + 6 + 1 };
        assert_eq!(lines.len(), rows, "{text}");
        if ending == "jsonl" {
            let last = lines[lines.len() - 2];
            for key in ["kinetic", "infeasibility", "residual", "events", "impulse", "gap", "corner_face"] {
                assert!(last.contains(key), "{key}: {last}");
            }
        }
    }
}

#[test]
fn unknown_solver_says_which_there_are() {
    let error =
        parse(&DOOR.replace("duration = 1", "duration = 1\nsolver = \"magic\"")).map(|_| ()).unwrap_err();
    let scenes = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md"));
    let listed = SolverChoice::ALL.map(|(_, name)| format!("\"{name}\"")).join(", ");
    assert!(scenes.unwrap().contains(&listed.replacen(", ", " # or ", 1)), "docs/scenes.md has no {listed}");
    for (solver, name) in SolverChoice::ALL {
        assert!(error.to_string().contains(name), "{error}");
        let facets = if solver == SolverChoice::Lemke { "\ncone = { facets = 8 }" } else { "" };
        let there = solver != SolverChoice::Clarabel || cfg!(feature = "reference");
        let text = DOOR.replace("duration = 1", &format!("duration = 1\nsolver = \"{name}\"{facets}"));
        assert_eq!(parse(&text).is_ok(), there, "{name}");
    }
}

#[test]
fn solver_that_cannot_is_refused_at_its_name() {
    let with = |more: &str| DOOR.replace("duration = 1", &format!("duration = 1\n{more}"));
    let error = parse(&with("solver = \"lemke\"")).map(|_| ()).unwrap_err();
    assert_eq!((error.code(), error.key()), ("bad_value", Some("simulation.solver")), "{error}");
    assert!(error.to_string().contains("facets"), "{error}");
    if !cfg!(feature = "reference") {
        let error = parse(&with("solver = \"clarabel\"")).map(|_| ()).unwrap_err();
        assert_eq!((error.code(), error.key()), ("bad_value", Some("simulation.solver")), "{error}");
        assert!(error.to_string().contains("feature `reference`"), "{error}");
    }
    // Forty boxes in a row on the floor touch each other: too many contacts for one table of pivots.
    let mut text =
        "[body.floor]\nshape = { kind = \"half_space\", normal = [0, 0, 1], offset = 0 }\nfixed = true\n"
            .to_owned();
    for k in 0..40 {
        text += &format!(
            "[body.b{k}]\nshape = {{ kind = \"box\", size = [1, 1, 1] }}\npose = {{ translation = [{k}, 0, 0.5] }}\ndensity = 1\n"
        );
    }
    text += "[simulation]\nstep = 0.01\nduration = 1\nsolver = \"lemke\"\ncone = { facets = 8 }\n";
    let error = run_simulation(&parse(&text).unwrap(), |_| Ok(ControlFlow::Continue(()))).unwrap_err();
    assert_eq!((error.code(), error.key()), ("bad_value", Some("simulation.solver")), "{error}");
    assert!(error.to_string().contains("unknowns"), "{error}");
}

#[test]
fn fixed_bodies_are_checked_like_others() {
    let with = |more: &str| {
        let wall = "[body.wall]\nshape = \"door\"\nfixed = true\npose = { translation = [9, 0, 0] }\n";
        parse(&DOOR.replace("[[joint]]", &format!("{wall}{more}\n[[joint]]"))).map(|_| ())
    };
    for more in
        ["", "mass = 3", "density = 3", "velocity = [0, 0, 0]", "mass = 3\ninertia = [1, 1, 1, 0, 0, 0]"]
    {
        assert!(with(more).is_ok(), "{more}");
    }
    let cases = [
        ("velocity = [1, 0, 0]", "body.wall.velocity"),
        ("angular_velocity = [1, 0, 0]", "body.wall.angular_velocity"),
        ("mass = -5", "body.wall.mass"),
        ("density = 0", "body.wall.density"),
    ];
    for (more, key) in cases {
        let error = with(more).unwrap_err();
        assert_eq!((error.code(), error.key()), ("bad_value", Some(key)), "{error}");
    }
}

#[test]
fn boundary_alone_is_refused_by_that_name() {
    let inline = "shape = { kind = \"box\", size = [1, 1, 1], surface_only = true }";
    for (text, key) in [
        (DOOR.replacen("shape = \"door\"", inline, 1), "body.door.shape.surface_only"),
        (DOOR.replace("size = [1, 0.1, 2]", "size = [1, 0.1, 2]\nsurface_only = true"), "body.door.shape"),
    ] {
        let error = parse(&text).map(|_| ()).unwrap_err();
        assert_eq!((error.code(), error.key()), ("unsupported_feature", Some(key)), "{error}");
        assert!(error.to_string().contains("surface_only"), "{error}");
    }
}

/// A disc of four quarters on a wide polygon.
const DISC: &str = r#"
planar = true
[body.floor]
shape = { kind = "polygon", points = [[-9, -1], [9, -1], [9, 0], [-9, 0]] }
fixed = true
[body.disc]
shape = { kind = "planar_tiled", curves = [{ degree = 2, knots = [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], points = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]], weights = [1, 0.7071067811865476, 1, 0.7071067811865476, 1, 0.7071067811865476, 1, 0.7071067811865476, 1] }] }
pose = { translation = [-3, 1] }
density = 2
velocity = [2, 0]
angular_velocity = -114.59155902616465
[simulation]
step = 0.01
duration = 3
"#;

#[test]
fn disc_of_splines_rolls_in_the_plane() {
    let simulation = parse(DISC).unwrap();
    assert!((simulation.world.bodies()[1].mass() - std::f64::consts::TAU).abs() < 1e-12);
    let mut end = DVec3::ZERO;
    let summary = run_simulation(&simulation, |frame| {
        end = frame.world.bodies()[1].position();
        Ok(std::ops::ControlFlow::Continue(()))
    })
    .unwrap();
    assert!(end.distance(DVec3::new(3.0, 1.0, 0.0)) < 1e-9, "{end}");
    assert!((summary.kinetic - 6.0 * std::f64::consts::TAU / 2.0).abs() < 1e-9, "{summary:?}");
    // Mass and inertia of its own: one number in the plane.
    let own = DISC.replace("density = 2", "mass = 3\ninertia = 0.5");
    assert_eq!(parse(&own).unwrap().world.bodies()[1].mass(), 3.0);
}

#[test]
fn round_things_in_the_plane_run() {
    let simulation = scene("dynamics/round-flat.toml").simulation().unwrap();
    assert!(simulation.warnings.is_empty(), "{:?}", simulation.warnings);
    let (mut rod, mut start) = (DVec3::ZERO, 0.0);
    let summary = run_simulation(&simulation, |frame| {
        rod = frame.world.bodies()[9].position();
        if frame.index == 0 {
            start = frame.world.bodies().iter().map(|body| body.position().y * body.mass()).sum();
        }
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    assert_eq!(summary.elastic, 0);
    assert!(summary.infeasibility[0] < 1e-4 && summary.infeasibility[1] < 2e-3, "{summary:?}");
    // Most of what fell is lost; what is smooth all round rocks on.
    assert!(summary.kinetic < 0.02 * 9.81 * start, "{} {start}", summary.kinetic);
    // The rod lies across the bowl, whose lip is at 1.3.
    assert!(rod.x > 3.3 && rod.x < 5.3 && rod.y > 0.3 && rod.y < 1.3, "{rod}");
}

#[test]
fn planar_boundary_alone_and_planar_half_space_are_refused() {
    let text = DISC.replace("kind = \"planar_tiled\",", "kind = \"planar_tiled\", surface_only = true,");
    let error = parse(&text).map(|_| ()).unwrap_err();
    assert_eq!(
        (error.code(), error.key()),
        ("unsupported_feature", Some("body.disc.shape.surface_only")),
        "{error}"
    );
    let plane =
        "shape = { kind = \"half_space\", normal = [0, 1, 0], offset = 0 }\nfixed = true\n[body.disc]";
    let (head, tail) = DISC.split_once("[body.floor]\n").unwrap();
    let (_, tail) = tail.split_once("[body.disc]").unwrap();
    let error = parse(&format!("{head}[body.floor]\n{plane}{tail}")).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "dimension_mismatch", "{error}");
    assert!(error.key().is_some_and(|key| key.starts_with("body.floor")), "{error}");
}

#[test]
fn gravity_is_that_of_the_earth_in_the_units_of_the_scene() {
    let gravity = |head: &str| parse(&format!("{head}{DOOR}")).unwrap().world.settings().gravity.to_array();
    assert_eq!(gravity(""), [0.0, 0.0, -9.81]);
    assert_eq!(gravity("units = \"mm\"\n"), [0.0, 0.0, -9810.0]);
    assert_eq!(gravity("units = \"cm\"\n"), [0.0, 0.0, -981.0]);
    assert!((gravity("units = \"in\"\n")[2] + 9.81 / 0.0254).abs() < 1e-9);
}

#[test]
fn every_pair_that_overlaps_at_the_start_is_named() {
    let other = |name: &str, x: f64| {
        format!("[body.{name}]\nshape = \"door\"\ndensity = 1\npose = {{ translation = [{x}, 5, 1] }}\n")
    };
    let more = format!("{}{}{}[[joint]]", other("one", 0.0), other("two", 0.9), other("three", 1.7));
    let warnings = parse(&DOOR.replace("[[joint]]", &more)).unwrap().warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("`two` and `three`") && warnings[1].contains("`one` and `two`"),
        "{warnings:?}"
    );
}

#[test]
fn joint_that_starts_outside_its_limits_is_said_and_led_back() {
    let text =
        DOOR.replace("limits = [-10, 45]", "limits = [30, 45]").replace("duration = 1", "duration = 4");
    let still = text
        .replace("angular_velocity = [0, 0, 90]\n", "")
        .replace("velocity = [0, 0.7853981633974483, 0]\n", "");
    let simulation = parse(&still).unwrap();
    assert_eq!(simulation.warnings.len(), 1, "{:?}", simulation.warnings);
    assert!(simulation.warnings[0].contains("`joint[0]`") && simulation.warnings[0].contains("degrees"));
    let mut last = 0.0;
    let summary = run_simulation(&simulation, |frame| {
        last = frame.world.joint_ends().next().unwrap().angle.unwrap().to_degrees();
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    assert!((last - 30.0).abs() < 1e-4 && summary.kinetic < 1e-6, "{last} {summary:?}");
    assert!(summary.capped > 10 && summary.infeasibility[1] > 0.4 && !summary.is_broken(), "{summary:?}");
}

#[test]
fn joints_of_every_kind_read_their_limits_in_degrees_and_lengths() {
    let with = |kind: &str, more: &str| {
        let text = DOOR.replace("kind = \"hinge\"", &format!("kind = \"{kind}\""));
        parse(
            &text
                .replace("limits = [-10, 45]", more)
                .replace("duration = 1", "gravity = [0, 0, 0]\nduration = 3"),
        )
    };
    let end = |simulation: &clearance_formats::Simulation| {
        let mut last = None;
        run_simulation(simulation, |frame| {
            last = frame.world.joint_ends().next();
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
        last.unwrap()
    };
    let hinge = "limits = [-270, 540]\nmotor = { velocity = 360, max_force = 1e6 }";
    let ended = end(&with("hinge", hinge).unwrap()).angle.unwrap();
    assert!((ended.to_degrees() - 540.0).abs() < 1e-3, "{ended}");
    let pivot = "limits = [-1, 0.5]\nmotor = { velocity = 1, max_force = 1e6 }\nturn_limits = [0, 200]\n\
                 turn_motor = { velocity = 180, max_force = 1e6 }";
    let ended = end(&with("pivot", pivot).unwrap());
    assert!((ended.place.unwrap() - 0.5).abs() < 1e-6, "{ended:?}");
    assert!((ended.angle.unwrap().to_degrees() - 200.0).abs() < 1e-3, "{ended:?}");
    let simulation = with("ball", "limits = [0, 20]").unwrap();
    assert!(end(&simulation).angle.unwrap().to_degrees() < 20.0 + 1e-3);
    let error = with("distance", "limits = [-2, -1]").map(|_| ()).unwrap_err();
    assert_eq!(error.key(), Some("joint[0].limits"), "{error}");
}

#[test]
fn recording_has_what_joints_have_turned_by_and_what_was_slowed_down() {
    let scene = Scene::parse(DOOR, &Context::default()).unwrap();
    let simulation = scene.simulation().unwrap();
    let path: PathBuf = std::env::temp_dir().join(format!("clearance-turns-{}.jsonl", std::process::id()));
    let mut recorder = Recorder::create_simulation(&path, &scene, &simulation).unwrap();
    run_simulation(&simulation, |frame| recorder.frame(frame).map(ControlFlow::Continue)).unwrap();
    recorder.finish().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = &rows[rows.len() - 2];
    assert!((last["joints"][0]["angle"].as_f64().unwrap() - 45.0).abs() < 1e-6, "{last}");
    assert_eq!((last["capped"].as_u64(), last["asleep"].as_u64()), (Some(0), Some(0)));
}

#[test]
fn run_that_outgrows_numbers_names_the_body() {
    let text = DOOR.replace("limits = [-10, 45]", "motor = { velocity = 1e170, max_force = 1e300 }");
    let simulation = parse(&text).unwrap();
    assert!(simulation.warnings[0].contains("smaller `step`"), "{:?}", simulation.warnings);
    let error = run_simulation(&simulation, |_| Ok(ControlFlow::Continue(()))).unwrap_err();
    assert_eq!((error.code(), error.key()), ("not_finite", Some("body.door")), "{error}");
    assert!(error.line().is_some() && error.to_string().contains("frame"), "{error}");
}

#[test]
fn sound_runs_are_not_called_broken() {
    // A ring about a peg, whose centre lies within it, and joints that hold with nothing moving.
    let mut ring = scene("dynamics/torus.toml").simulation().unwrap();
    ring.frames = 301;
    let still = DOOR
        .replace("duration = 1", "gravity = [0, 0, 0]\nduration = 1")
        .replace("limits = [-10, 45]", "limits = [-10, 45]\nmotor = { velocity = 90, max_force = 1e4 }");
    for simulation in [ring, parse(&still).unwrap()] {
        let summary = run_simulation(&simulation, |_| Ok(ControlFlow::Continue(()))).unwrap();
        assert!(!summary.is_broken() && summary.left.is_finite(), "{summary:?}");
    }
}
