//! `distance`, `describe`, `track`, `schema`, and the command alone.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use common::{clearance, file, folder};

const CUBE: &str = r#"{"kind": "box", "size": [2, 2, 2]}"#;

const SCENE: &str = r#"
title = "Two cubes"
[shape.cube]
kind = "box"
size = [1, 1, 1]
[body.still]
shape = "cube"
fixed = true
[body.moving]
shape = "cube"
pose = { translation = [3, 0, 0] }
motion = [{ velocity = [-1, 0, 0], angular_velocity = [0, 0, 30] }]
[track]
pairs = [["still", "moving"]]
frames = 21
step = 0.05
"#;

#[test]
fn alone_it_tracks_the_built_in_scene() {
    let out = folder("built_in");
    let run = clearance(&["--out", out.to_str().unwrap()], b"").expect_status(0);
    for part in [
        "pen – bowl",
        "least (m)",
        "pen-and-bowl.svg",
        "pen-and-bowl.html",
        "▁",
        "closest",
        "15.40764",
        "15.20593",
    ] {
        assert!(run.out.contains(part), "`{part}` is missing in:\n{}", run.out);
    }
    let svg = std::fs::read_to_string(out.join("pen-and-bowl.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("signed distance (m)") && svg.contains("time (s)"));
    let recording = std::fs::read_to_string(out.join("pen-and-bowl.html")).unwrap();
    assert!(recording.lines().last().unwrap().contains("data-part=\"end\""));
    let lines: Vec<&str> = run.out.lines().filter(|line| line.starts_with('│')).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 125), "the table is too wide");
}

#[test]
fn tumbling_scene_shows_a_contact_and_a_near_miss() {
    let answer = clearance(&["track", "scenes/flat/tumble.toml", "--json"], b"").expect_status(1).json();
    let least = |at: usize| answer["pairs"][at]["min_signed_distance"].as_f64().unwrap();
    assert!(least(0) < 0.0 && least(0) > -0.2, "the pebble grazes the block: {}", least(0));
    assert!(least(1) > 0.0 && least(1) < 0.2, "the needle passes closely: {}", least(1));
    assert_eq!(answer["clear"], false);
}

#[test]
fn distance_in_words_and_json() {
    let arguments = ["distance", CUBE, CUBE, "--pose-b", r#"{"translation": [5, 0, 0]}"#];
    let run = clearance(&arguments, b"").expect_status(0);
    for part in ["separated", "distance  3 m", "normal", "proven"] {
        assert!(run.out.contains(part), "`{part}` is missing in:\n{}", run.out);
    }
    let json = clearance(&[&arguments[..], &["--json"]].concat(), b"").expect_status(0).json();
    assert_eq!(json["distance"], 3.0);
    assert_eq!(json["ended"], "certified");
}

#[test]
fn distance_status_says_clash_and_gap() {
    let at = |x: &str| format!("{{\"translation\": [{x}, 0, 0]}}");
    let status = |x: &str, more: &[&str]| {
        let pose = at(x);
        let arguments = [&["distance", CUBE, CUBE, "--pose-b", &pose][..], more].concat();
        clearance(&arguments, b"").status
    };
    assert_eq!(status("1.5", &[]), 1, "an overlap is a clash");
    assert_eq!(status("2.5", &[]), 0);
    assert_eq!(status("2.5", &["--min-gap", "0.4"]), 0);
    assert_eq!(status("2.5", &["--min-gap", "0.6"]), 1);
    assert_eq!(status("1.5", &["--min-gap", "-0.6"]), 0, "an overlap of 0.5 is allowed");
}

#[test]
fn distance_reads_standard_input_and_files() {
    let shape = file("distance_file", "cube.json", CUBE);
    let pose = r#"{"translation": [0, 0, 4]}"#;
    let run = clearance(&["distance", "-", &shape, "--pose-b", pose, "--json"], CUBE.as_bytes());
    assert_eq!(run.expect_status(0).json()["distance"], 2.0);
    let can = "scenes/parts/ycb-tomato-soup-can.obj";
    let run = clearance(&["distance", can, CUBE, "--json", "--pose-b", pose], b"");
    assert_eq!(run.expect_status(0).json()["state"], "separated");
}

#[test]
fn distance_errors_show_the_argument_and_the_key() {
    clearance(&["distance", r#"{"kind": "box", "size": [1, 1, 1], "colour": 2}"#, CUBE], b"")
        .expect_error(&["unknown_key", "colour"]);
    clearance(&["distance", "{", CUBE], b"").expect_error(&["bad_json"]);
    clearance(&["distance", "none.obj", CUBE], b"").expect_error(&["file_not_found", "none.obj"]);
    clearance(&["distance", CUBE, CUBE, "--pose-b", r#"{"rotation": [0, 0, 0, 3]}"#], b"")
        .expect_error(&["bad_rotation", "--pose-b"]);
    clearance(&["distance", CUBE, CUBE, "--pose-a", r#"{"translation": [1e999, 0, 0]}"#], b"")
        .expect_error(&["number_out_of_range", "--pose-a"]);
    clearance(&["distance", "-", "-"], b"").expect_error(&["standard input"]);
    clearance(&["distance", CUBE, CUBE, "--min-gap", "NaN"], b"").expect_error(&["not finite"]);
    clearance(&["distance", CUBE, CUBE, "--units", "ell"], b"").expect_error(&["unknown_units", "ell"]);
    clearance(&["distance", CUBE], b"").expect_error(&["<B>"]);
    clearance(&["nonsense"], b"").expect_error(&["nonsense"]);
    let flat = r#"{"kind": "polytope", "points": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}"#;
    clearance(&["distance", flat, CUBE], b"").expect_error(&["flat_polytope"]);
}

#[test]
fn describe_counts_and_measures() {
    let run = clearance(&["describe", CUBE, "--json"], b"").expect_status(0);
    let facts = run.json();
    assert_eq!(facts["vertices"], 8);
    assert_eq!(facts["faces"], 6);
    assert_eq!(facts["volume"], 8.0);
    assert_eq!(facts["inradius"], 1.0);
    let words = clearance(&["describe", CUBE], b"").expect_status(0).out;
    assert!(words.contains("volume") && words.contains("mass center"), "{words}");
    let planar = r#"{"kind": "polygon", "points": [[0, 0], [2, 0], [0, 2]]}"#;
    assert_eq!(clearance(&["describe", planar, "--json"], b"").expect_status(0).json()["area"], 2.0);
    let half = r#"{"kind": "half_space", "normal": [0, 0, 2], "offset": 1}"#;
    assert_eq!(clearance(&["describe", half, "--json"], b"").expect_status(0).json()["offset"], 0.5);
}

#[test]
fn describe_knows_scenes_and_refuses_what_is_not_convex() {
    let scene = clearance(&["describe", "scenes/parts/ycb.toml", "--json"], b"").expect_status(0).json();
    assert!(scene["bodies"]["drill"]["description"]["vertices"].as_u64().unwrap() > 20, "{scene}");
    let words = clearance(&["describe", "scenes/flat/tumble.toml"], b"").expect_status(0).out;
    assert!(words.contains("body pebble"), "{words}");
    let dent = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nv 0.3 0.3 0.3\n\
                f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n";
    let path = file("dented", "dented.obj", dent);
    clearance(&["describe", &path], b"").expect_error(&["not_convex", "dented.obj"]);
}

#[test]
fn track_prints_records_and_plots() {
    let place = folder("track");
    let scene = place.join("cubes.toml");
    std::fs::write(&scene, SCENE).unwrap();
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (record, plot) = (path("run.jsonl"), path("run.svg"));
    let run = clearance(&["track", scene.to_str().unwrap(), "--record", &record, "--plot", &plot], b"")
        .expect_status(0);
    assert!(run.out.contains("still – moving") && run.out.contains("run.svg"), "{}", run.out);
    assert!(std::fs::read_to_string(plot).unwrap().starts_with("<svg"));
    let lines: Vec<serde_json::Value> = std::fs::read_to_string(&record)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 23);
    assert_eq!(lines[1]["signed_distance"], 2.0);
    assert_eq!(lines[22]["complete"], true);
    let csv = path("run.csv");
    clearance(&["track", scene.to_str().unwrap(), "--record", &csv, "--quiet"], b"").expect_status(0);
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 24);
}

#[test]
fn track_overlap_is_status_1_and_rate_resamples() {
    let longer = SCENE.replace("frames = 21", "frames = 61");
    let run = clearance(&["track", "-", "--json"], longer.as_bytes()).expect_status(1);
    let answer = run.json();
    assert_eq!(answer["clear"], false);
    assert_eq!(answer["frames"], 61);
    assert!(answer["pairs"][0]["states"]["penetrating"].as_u64().unwrap() > 0);
    let run = clearance(&["track", "-", "--json", "--rate", "100"], SCENE.as_bytes()).expect_status(0);
    let answer = run.json();
    assert_eq!(answer["frames"], 101);
    // Against the clock, beside an empty loop.
    for of in ["updates", "empty"] {
        let timing = &answer["timing"][of];
        assert_eq!(timing["ticks"], 101);
        let [p50, p99, most] = ["p50", "p99", "max"].map(|name| timing[name].as_f64().unwrap());
        assert!(0.0 < p50 && p50 <= p99 && p99 <= most, "{timing}");
        assert!(timing["missed"].as_u64().is_some());
    }
}

#[test]
fn impact_tells_when_pairs_first_touch() {
    let scene = "scenes/impact/thrown.toml";
    let answer = clearance(&["impact", scene, "--json"], b"").expect_status(1).json();
    assert_eq!(answer["clear"], false);
    let ends: Vec<_> =
        answer["pairs"].as_array().unwrap().iter().map(|pair| &pair["impact"]["ended"]).collect();
    assert_eq!(ends, ["contact", "free", "free", "contact"]);
    let words = clearance(&["impact", scene, "--until", "1"], b"").expect_status(0);
    assert!(words.out.contains("none, proven"), "{}", words.out);
    let tight = clearance(&["impact", scene, "--json", "--tolerance", "1e-9"], b"").expect_status(1).json();
    let brick = &tight["pairs"][0]["impact"];
    let [from, to] = ["free_until", "contact_by"].map(|name| brick[name].as_f64().unwrap());
    assert!(from <= to && to - from < 1e-8, "{brick}");
    clearance(&["impact", "-"], b"[body.a]\nshape = { kind = \"point\" }\n").expect_error(&["missing_field"]);
}

#[test]
fn track_runs_methods_by_name() {
    let scene = r#"
        [body.big]
        shape = { kind = "ellipsoid", radii = [1, 0.8, 2] }
        fixed = true
        [body.small]
        shape = { kind = "sphere", radius = 0.5 }
        pose = { translation = [3, 0, 0] }
        motion = [{ velocity = [0, 0.5, 0.3] }]
        [track]
        frames = 101
        step = 0.001
    "#;
    let run = |arguments: &[&str]| {
        let all = [&["track", "-", "--json"], arguments].concat();
        clearance(&all, scene.as_bytes())
    };
    let answer =
        run(&["--method", "feedback", "--gain", "500", "--integrator", "rk4"]).expect_status(0).json();
    assert!(answer["pairs"][0]["method"]["max_error"].as_f64().unwrap() < 1e-6, "{answer}");
    assert!(run(&[]).expect_status(0).json()["pairs"][0]["method"].is_null());
    run(&["--method", "guess"]).expect_error(&["bad_value", "guess", "switching"]);
    run(&["--gain", "5"]).expect_error(&["--method"]);
    run(&["--want", "wishes"]).expect_error(&["unknown_want"]);
}

#[test]
fn track_has_the_same_bits_with_any_number_of_threads() {
    let place = folder("threads");
    let mut texts = Vec::new();
    for threads in ["1", "2", "5"] {
        let record = place.join(format!("run{threads}.jsonl"));
        let arguments = [
            "track",
            "scenes/003/polytopes.toml",
            "--threads",
            threads,
            "--record",
            record.to_str().unwrap(),
        ];
        clearance(&arguments, b"").expect_status(1);
        texts.push(std::fs::read_to_string(record).unwrap());
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "threads changed the recording");
}

#[test]
fn every_scene_of_the_repository_runs() {
    let mut count = 0;
    for entry in std::fs::read_dir(common::root().join("scenes")).unwrap().flatten() {
        let Ok(files) = std::fs::read_dir(entry.path()) else { continue };
        for scene in files
            .flatten()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        {
            let described = clearance(&["describe", scene.to_str().unwrap(), "--json"], b"").expect_status(0);
            // Curved bodies are described and not yet tracked.
            if !described.json()["track"].is_null() {
                let run = clearance(&["track", scene.to_str().unwrap(), "--json"], b"");
                assert!(run.status <= 1, "{}:\n{}", scene.display(), run.err);
            }
            count += 1;
        }
    }
    assert!(count >= 12, "only {count} scenes found");
}

/// A mistake in a scene shows file, line and key, and leaves nothing behind.
#[test]
fn scene_errors_name_file_line_and_key() {
    let cases = [
        ("size = [1, 1, 1]", "size = [1, 1, 1]\ncolour = 3", "unknown_key", "colour", 6),
        ("shape = \"cube\"\nfixed", "shape = \"ball\"\nfixed", "unknown_name", "ball", 7),
        ("kind = \"box\"", "kind = \"blob\"", "unknown_kind", "blob", 4),
        ("frames = 21", "frames = -1", "bad_value", "frames", 15),
        ("[body.moving]", "[body.still]", "", "still", 9),
        ("step = 0.05", "step = ", "bad_toml", "", 16),
        ("[-1, 0, 0]", "[nan, 0, 0]", "not_finite", "velocity", 12),
        ("\"moving\"]]", "\"nobody\"]]", "unknown_name", "nobody", 14),
    ];
    let place = folder("scene_errors");
    let record = place.join("never.jsonl");
    for (at, (good, bad, code, key, line)) in cases.into_iter().enumerate() {
        let name = format!("scene{at}.toml");
        let text = SCENE.replacen(good, bad, 1);
        assert_ne!(text, SCENE, "case {at} changes nothing");
        std::fs::write(place.join(&name), text).unwrap();
        let scene = place.join(&name);
        let run = clearance(&["track", scene.to_str().unwrap(), "--record", record.to_str().unwrap()], b"")
            .expect_error(&[&name, code, key]);
        assert!(run.err.contains(&format!(":{line}")), "line {line} is not named in:\n{}", run.err);
    }
    assert!(!record.exists(), "a failed run left a recording");
    clearance(&["track", "none.toml"], b"").expect_error(&["file_not_found", "none.toml"]);
}

#[test]
fn track_refuses_what_it_cannot_write() {
    clearance(&["track", "-", "--plot", "plot.png"], SCENE.as_bytes()).expect_error(&[".svg"]);
    clearance(&["track", "-", "--record", "run.xyz"], SCENE.as_bytes())
        .expect_error(&["bad_file", "run.xyz"]);
    clearance(&["track", "-", "--record", "/nowhere/run.csv"], SCENE.as_bytes())
        .expect_error(&["write_failed"]);
    clearance(&["track", "-", "--timeout", "0.0000001"], SCENE.as_bytes()).expect_error(&["timeout"]);
    clearance(&["track", "-", "--rate", "0"], SCENE.as_bytes()).expect_error(&["not positive"]);
}

#[test]
fn schema_is_json_and_lists_the_kinds() {
    let schema = clearance(&["schema"], b"").expect_status(0).json();
    let kinds: Vec<&str> = schema["$defs"]["shape"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|shape| {
            // Patches stand among the definitions, because tiled bodies are made of them.
            let place = shape["$ref"].as_str().map(|place| place.rsplit('/').next().unwrap());
            let shape = place.map_or(shape, |name| &schema["$defs"][name]);
            shape["properties"]["kind"]["const"].as_str().unwrap()
        })
        .collect();
    let told = clearance(&["describe", r#"{"kind": "?"}"#], b"").expect_error(&["unknown_kind"]).err;
    for kind in [
        "point",
        "segment",
        "box",
        "sphere",
        "ellipsoid",
        "cylinder",
        "cone",
        "capsule",
        "torus",
        "half_space",
        "polytope",
        "polygon",
        "mesh",
        "step",
        "revolve",
        "nurbs",
        "surface",
        "tiled",
        "planar_tiled",
        "algebraic",
        "union",
    ] {
        assert!(kinds.contains(&kind), "{kind} is missing");
        assert!(told.contains(kind), "{kind} is missing in {told}");
    }
}

#[test]
fn help_and_version_are_answers() {
    assert!(clearance(&["--help"], b"").expect_status(0).out.contains("Exit status"));
    assert!(clearance(&["--version"], b"").expect_status(0).out.starts_with("clearance "));
}

#[test]
fn the_book_lists_every_error_code() {
    let page = std::fs::read_to_string(common::root().join("docs/formats.md")).unwrap();
    for code in clearance_formats::CODES {
        assert!(page.contains(&format!("| `{code}` |")), "docs/formats.md does not list {code}");
    }
}

#[test]
fn a_missing_file_is_named() {
    clearance(&["distance", CUBE, "nowhere.json"], b"").expect_error(&["file_not_found", "nowhere.json"]);
}

#[test]
fn a_mesh_that_is_refused_shows_no_bytes_and_how_to_take_its_hull() {
    let open = file("open_mesh", "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
    clearance(&["describe", &open], b"").expect_error(&[
        "not_manifold",
        "closed surface",
        "hull",
        "open.obj",
    ]);
    let one_line = file("one_line_mesh", "one.stl", "solid nothing");
    let run = clearance(&["describe", &one_line], b"").expect_error(&["bad_file", "one.stl"]);
    assert!(!run.err.contains("here"), "{}", run.err);
}

#[test]
fn a_scene_without_a_pair_to_follow_is_an_error() {
    let nothing = SCENE.replace("[[\"still\", \"moving\"]]", "[]");
    clearance(&["track", "-"], nothing.as_bytes()).expect_error(&["bad_value", "no pair"]);
    let ignored = format!("ignore = [[\"still\", \"moving\"]]\n{SCENE}");
    clearance(&["track", "-"], ignored.as_bytes()).expect_error(&["bad_value", "no pair"]);
}

#[test]
fn control_characters_in_names_break_neither_table_nor_plot() {
    let place = folder("control_characters");
    let plot = place.join("plot.svg");
    let odd = SCENE
        .replace("[body.moving]", "[body.\"mo\\n\\u0001ving\"]")
        .replace("\"moving\"", "\"mo\\n\\u0001ving\"");
    let run = clearance(&["track", "-", "--plot", plot.to_str().unwrap()], odd.as_bytes()).expect_status(0);
    assert!(
        run.out.lines().any(|line| line.contains("mo\u{fffd}\u{fffd}ving") && line.ends_with('│')),
        "{}",
        run.out
    );
    let svg = std::fs::read_to_string(plot).unwrap();
    assert!(!svg.contains('\u{1}'));
}

#[test]
fn a_depth_is_bounded_from_above() {
    let pose = r#"{"translation": [1.5, 0, 0]}"#;
    let out = clearance(&["distance", CUBE, CUBE, "--pose-b", pose], b"").expect_status(1).out;
    assert!(out.contains("depth     0.5") && out.contains("at most 0.5"), "{out}");
}

#[test]
fn record_is_refused_where_nothing_is_recorded() {
    clearance(&["distance", CUBE, CUBE, "--record", "x.csv"], b"").expect_error(&["--record"]);
}
