//! What `describe` says about curved shapes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_testkit::data;
use common::clearance;
use serde_json::Value;
use std::f64::consts::PI;

fn describe(what: &str) -> Value {
    clearance(&["describe", what, "--json"], b"").expect_status(0).json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Within the error that is stated beside it, and that error is small.
#[track_caller]
fn within_error(facts: &Value, name: &str, wanted: f64) {
    let (found, error) = (number(&facts[name]), number(&facts[format!("{name}_error")]));
    assert!((found - wanted).abs() <= error, "{name} is {found} ± {error}, not {wanted}");
    assert!(error <= 1e-9 * wanted.abs(), "{name}: {error}");
}

#[test]
fn cylinder_has_every_fact() {
    let facts = describe(r#"{"kind": "cylinder", "radius": 1, "height": 2}"#);
    assert_eq!(facts["faces"], 3);
    assert_eq!(facts["surfaces"], serde_json::json!({"plane": 2, "cylinder": 1}));
    assert_eq!(facts["edges"], 2);
    assert_eq!(facts["edge_classes"], serde_json::json!({"convex": 2}));
    assert_eq!(facts["vertices"], 0);
    assert_eq!(facts["shells"], 1);
    assert_eq!(facts["closed"], true);
    assert_eq!(facts["surface_only"], false);
    assert_eq!(facts["convex"], "yes");
    within_error(&facts, "volume", 2.0 * PI);
    within_error(&facts, "area", 6.0 * PI);
    assert!((number(&facts["size"][2]) - 2.0).abs() < 1e-5);
    assert!((number(&facts["inertia"][2]) - PI).abs() <= number(&facts["inertia_error"]));
    assert!(number(&facts["mass_center"][0]).abs() <= number(&facts["mass_center_error"]));
    assert!(facts["nice_patches"].as_u64().unwrap() >= 3);
    assert_eq!(facts["other_patches"], 0);
}

#[test]
fn words_are_short_where_errors_are_larger() {
    let ball = r#"{"kind": "sphere", "radius": 1}"#;
    let text = clearance(&["describe", ball], b"").expect_status(0).out;
    let line = text.lines().find(|line| line.starts_with("volume")).unwrap();
    assert!(line.contains("4.1887902") && line.contains('±'), "{line}");
    for word in text.split(|c: char| !(c.is_ascii_digit() || c == '.')) {
        assert!(word.len() <= 14, "{word} is too long in\n{text}");
    }
}

/// Every error is a bound or said to be none, in words as in JSON.
#[test]
fn errors_that_are_no_bounds_are_called_estimates() {
    let column = r#"{"kind": "cylinder", "radius": 1, "height": 2}"#;
    // Cut slantwise, so that the curve has no closed form.
    let cut = r#"{"kind": "surface", "surface": "torus", "major": 2, "minor": 1,
        "trim": [[[0, 0], [70, 10], [30, 80]]]}"#;
    let both = format!(r#"{{"kind": "union", "parts": [{{"shape": {column}}}, {{"shape": {cut}}}]}}"#);
    for what in [column, cut, &both] {
        let facts = describe(what);
        let [area, mass] = ["area_proven", "mass_proven"].map(|name| facts[name].as_bool().unwrap());
        let text = clearance(&["describe", what], b"").expect_status(0).out;
        for (start, proven) in [("area  ", area), ("mass center  ", mass), ("area center  ", mass)] {
            for line in text.lines().filter(|line| line.starts_with(start)) {
                assert_eq!(line.contains("estimated"), !proven, "{text}");
            }
        }
    }
    let facts = describe(column);
    assert_eq!((&facts["area_proven"], &facts["mass_proven"]), (&true.into(), &true.into()));
    let parts = &describe(&both)["parts"];
    assert_eq!(parts[0]["mass_proven"], true);
    assert!(parts[1]["area_proven"].is_boolean() && parts[1].get("mass_proven").is_none(), "{parts}");
}

/// Corners so far out that the volume is nothing beside its error: the middle of that mass is anywhere.
#[test]
fn what_is_not_known_has_no_number() {
    for far in ["[[1e22, 0, 0], [0, 1, 0]]", "[[0, 0, 0], [0, 1e7, 0]]"] {
        let patch = format!(
            r#"{{"kind": "nurbs", "degree": [1, 1], "knots": [[0, 0, 1, 1], [0, 0, 1, 1]],
                "points": [{far}, [[1, 0, 0], [1, 1, 1]]]}}"#
        );
        let text = clearance(&["describe", &patch], b"").expect_status(0).out;
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        let line = text.lines().find(|line| line.starts_with("mass center")).unwrap();
        assert_eq!(line.split_whitespace().last(), Some("unknown"), "{text}");
        let facts = describe(&patch);
        assert!(facts["mass_center"].is_null() && facts["mass_center_error"].is_null(), "{facts}");
    }
}

/// The control points of one side coincide and those beside it fold over, so that normals turn around there.
#[test]
fn patches_that_are_not_nice_are_counted_apart() {
    let fold = r#"{"kind": "nurbs", "degree": [2, 1], "knots": [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1]],
        "points": [[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]], [[0, 0, 0], [0, 1, 0.001]]]}"#;
    let facts = describe(fold);
    let [nice, other] = ["nice_patches", "other_patches"].map(|name| facts[name].as_u64().unwrap());
    assert!(nice > 0 && other > 0, "{nice} and {other}");
}

#[test]
fn open_patches_name_their_edges_and_gaps() {
    let facts = describe(r#"{"kind": "surface", "surface": "plane", "u": [0, 2], "v": [0, 3]}"#);
    assert_eq!((facts["closed"].clone(), facts["surface_only"].clone()), (false.into(), true.into()));
    let open = facts["open_edges"].as_array().unwrap();
    assert_eq!(open.len(), 4);
    assert_eq!((open[0]["edge"].as_str(), open[0]["face"].as_str()), (Some("edge:0"), Some("face:0")));
    assert!(open.iter().all(|edge| number(&edge["gap"]) > 0.0));
    assert!(facts.get("volume").is_none());
}

#[test]
fn convexity_has_a_counter_example() {
    let ring = describe(r#"{"kind": "torus", "major": 2, "minor": 0.5}"#);
    assert_eq!(ring["convex"], "no");
    assert!(ring["not_convex_at"].as_str().unwrap().starts_with("face:0"), "{ring}");
    let spool = describe(
        r#"{"kind": "revolve", "profile": [{"line": [[0, 0], [2, 0]]}, {"line": [[2, 0], [1, 1]]},
            {"line": [[1, 1], [2, 2]]}, {"line": [[2, 2], [0, 2]]}]}"#,
    );
    assert_eq!(
        (spool["convex"].as_str(), spool["not_convex_at"].as_str()),
        (Some("no"), Some("edge:1 is reflex"))
    );
    assert_eq!(spool["edge_classes"], serde_json::json!({"convex": 2, "reflex": 1}));
}

#[test]
fn poles_are_flagged() {
    let cone = describe(r#"{"kind": "cone", "radius": 1, "height": 2}"#);
    let pole = &cone["poles"][0];
    assert_eq!((pole["face"].as_str(), pole["vertex"].as_str()), (Some("face:0"), Some("vertex:0")));
    assert!(pole.get("normal").is_none(), "an apex has no normal");
    let ball = describe(r#"{"kind": "sphere", "radius": 1}"#);
    assert_eq!(ball["poles"].as_array().unwrap().len(), 2);
    assert!((number(&ball["poles"][1]["at"]) - 90.0).abs() < 1e-12);
    let cap = describe(r#"{"kind": "surface", "surface": "sphere", "radius": 1, "v": [-45, 45]}"#);
    assert!(cap.get("poles").is_none(), "they are not part of it");
}

#[test]
fn algebraic_surfaces_list_their_sheets() {
    let two = describe(
        r#"{"kind": "algebraic", "polynomial": "x^2 - y^2 - z^2 - 1", "within": [[-4, -4, -4], [4, 4, 4]]}"#,
    );
    assert_eq!(two["sheets"], 2);
    assert_eq!(two["points_on_sheets"].as_array().unwrap().len(), 2);
    let cone = describe(
        r#"{"kind": "algebraic", "polynomial": "x^2 + y^2 - z^2", "within": [[-4, -4, -4], [4, 4, 4]]}"#,
    );
    assert!(number(&cone["singular_points"][0]["point"][2]).abs() < 1e-9);
    for (polynomial, words) in [("x^2 + 1", "no zero"), ("x^2 + y^2 + z^2", "gradient vanishes")] {
        let text = format!(
            r#"{{"kind": "algebraic", "polynomial": "{polynomial}", "within": [[-1, -1, -1], [1, 1, 1]]}}"#
        );
        clearance(&["describe", &text], b"").expect_error(&["no_surface", words]);
    }
}

#[test]
fn unions_have_a_line_per_part() {
    let facts = describe(
        r#"{"kind": "union", "parts": [
            {"shape": {"kind": "box", "size": [2, 2, 2]}, "pose": {"translation": [10, 0, 0]}},
            {"shape": {"kind": "union", "parts": [{"shape": {"kind": "cylinder", "radius": 1, "height": 2}}]}}]}"#,
    );
    let parts = facts["parts"].as_array().unwrap();
    let paths: Vec<&str> = parts.iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert_eq!(paths, ["0", "1/0"]);
    assert_eq!((facts["bodies"].as_u64(), facts["faces"].as_u64()), (Some(2), Some(9)));
    assert_eq!(facts["surfaces"], serde_json::json!({"plane": 8, "cylinder": 1}));
    within_error(&facts, "volume", 8.0 + 2.0 * PI);
    let center = 80.0 / (8.0 + 2.0 * PI);
    assert!((number(&facts["mass_center"][0]) - center).abs() <= number(&facts["mass_center_error"]));
    // Each about its own centre, and the two about the common one.
    let apart = 100.0 * 8.0 * 2.0 * PI / (8.0 + 2.0 * PI);
    let zz = 8.0 * 8.0 / 12.0 + PI + apart;
    assert!((number(&facts["inertia"][2]) - zz).abs() <= number(&facts["inertia_error"]));
}

#[test]
fn planar_bodies_have_corners_and_an_area() {
    let facts = describe(
        r#"{"kind": "planar_tiled", "curves": [{"degree": 1, "knots": [0, 0, 1, 2, 3, 4, 4],
            "points": [[0, 0], [4, 0], [1, 1], [0, 4], [0, 0]]}]}"#,
    );
    assert_eq!(facts["not_convex_at"], "vertex:2", "{facts}");
    within_error(&facts, "area", 4.0);
    let square = describe(
        r#"{"kind": "planar_tiled", "curves": [
            {"degree": 1, "knots": [0, 0, 1, 1], "points": [[0, 0], [1, 0]]},
            {"degree": 1, "knots": [0, 0, 1, 1], "points": [[1, 0], [0.9, 0.1]]},
            {"degree": 1, "knots": [0, 0, 1, 1], "points": [[0.9, 0.1], [1, 1]]},
            {"degree": 1, "knots": [0, 0, 1, 1], "points": [[1, 1], [0, 0]]}]}"#,
    );
    assert_eq!(square["corner_classes"], serde_json::json!({"convex": 3, "reflex": 1}));
    assert_eq!(square["not_convex_at"], "vertex:2");
}

#[test]
fn scenes_describe_curved_and_deforming_bodies() {
    let scene = describe("scenes/curved/sail.toml");
    let sail = &scene["bodies"]["sail"]["description"];
    assert_eq!(sail["moving_faces"], 1);
    assert!((number(&sail["motion_per_second"]) - 1.0).abs() < 1e-12, "the fastest control point");
    let words = clearance(&["describe", "scenes/curved/sail.toml"], b"").expect_status(0).out;
    assert!(words.contains("deforming") && words.contains("motion per second"), "{words}");
    let kinds = describe("scenes/curved/kinds.toml");
    for (body, kind) in
        [("ball", "sphere"), ("pipe", "surface"), ("sheets", "algebraic"), ("hammer", "union")]
    {
        assert_eq!(kinds["bodies"][body]["description"]["kind"], kind);
    }
    let bowl = &describe("scenes/004/pen-and-bowl.toml")["bodies"]["bowl"]["description"];
    within_error(bowl, "volume", 44.0 * PI / 3.0);
}

#[test]
fn surfaces_deform_as_bodies_do() {
    let scene = r#"
        [body.sail]
        shape = { kind = "nurbs", degree = [1, 1], knots = [[0, 0, 1, 1], [0, 0, 1, 1]], surface_only = true, points = [[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]]], velocities = [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 1]]] }
        [body.box]
        shape = { kind = "box", size = [1, 1, 1] }
    "#;
    let path = &common::file("describe-deforming", "sail.toml", scene);
    let bodies = &describe(path)["bodies"];
    assert_eq!((&bodies["sail"]["deforms"], &bodies["sail"]["moves"]), (&true.into(), &false.into()));
    assert_eq!(bodies["box"]["deforms"], false);
    let words = clearance(&["describe", path], b"").expect_status(0).out;
    assert!(
        words.lines().any(|line| line.starts_with("body sail") && line.ends_with(", deforming")),
        "{words}"
    );
}

#[test]
fn newell_bodies_have_their_unmatched_edges() {
    for (name, faces, open, poles) in [("teapot", 32, 16, 8), ("teacup", 26, 12, 0), ("teaspoon", 16, 8, 0)] {
        let file = format!("{name}-patches.json");
        let Some(path) = data::data_or_skip("newell_bodies_have_their_unmatched_edges", &file) else {
            continue;
        };
        let facts = describe(path.to_str().unwrap());
        assert_eq!(facts["surfaces"], serde_json::json!({ "nurbs": faces }), "{name}");
        assert_eq!(facts["edge_classes"]["open"], open, "{name}");
        assert_eq!(facts["open_edges"].as_array().unwrap().len(), open, "{name}");
        assert_eq!(facts["closed"], false, "{name}");
        let found = facts.get("poles").map_or(0, |rows| rows.as_array().unwrap().len());
        assert_eq!(found, poles, "{name}");
        let words = clearance(&["describe", path.to_str().unwrap()], b"").expect_status(0).out;
        assert!(words.contains(&format!("open {open}")), "{words}");
    }
}

#[test]
fn assemblies_have_a_table_of_instances() {
    let file = "crates/formats/tests/step_made/assembly.step";
    let facts = describe(file);
    let names: Vec<&str> =
        facts["parts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["machine/pair/plate", "machine/pair/plate:2", "machine/ball"]);
    assert!(facts["notes"].to_string().contains("from inch to m"), "{facts}");
    let words = clearance(&["describe", file, "--units", "mm"], b"").expect_status(0).out;
    assert!(words.contains("machine/pair/plate:2") && words.contains("#511"), "{words}");
    clearance(&["describe", "crates/formats/tests/step_made/none.step"], b"")
        .expect_error(&["file_not_found"]);
    let cut = std::fs::read_to_string(common::root().join(file)).unwrap();
    let path = common::file("cut_step", "cut.step", &cut[..cut.len() / 2]);
    clearance(&["describe", &path], b"").expect_error(&["bad_file", "cut.step"]);
}
