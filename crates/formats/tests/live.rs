//! Scenes in a loop that allocates nothing, and first contacts by way of scenes and queries.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use clearance_formats::{Context, Live, QueryStream, Scene, Units, impact_of_pair, run_track};
use clearance_proximity::impact::{ImpactDemand, ImpactEnd};
use clearance_testkit::{CountingAllocator, allocations, counts_allocations};
use std::path::Path;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn scene(name: &str) -> Scene {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    Scene::load(&folder.join(name), Units::Metre).unwrap()
}

/// The frames of a scene, at a finer step; how many allocations there were, and the distances at the end.
fn counted(name: &str, frames: u32, step: f64) -> (u64, Vec<f64>) {
    let scene = scene(name);
    let track = scene.track().unwrap();
    let mut live = Live::new(&scene, track).unwrap();
    // The first frames put the memory of the trackers in place.
    for frame in 0..8 {
        live.step(f64::from(frame) * step).unwrap();
    }
    let count = allocations(|| {
        for frame in 8..frames {
            live.step(f64::from(frame) * step).unwrap();
        }
    });
    (count, (0..track.pairs.len()).filter_map(|pair| live.distance(pair)).collect())
}

#[test]
fn live_steps_allocate_nothing() {
    assert!(counts_allocations());
    for (name, frames, step) in [
        ("flat/tumble.toml", 400, 0.01),
        ("003/polytopes.toml", 400, 0.01),
        // Up to where they touch.
        ("004/pen-and-bowl.toml", 1590, 0.005),
        ("004/pen-rotating.toml", 3600, 0.1),
        ("curved/sail.toml", 1000, 0.001),
    ] {
        let (count, distances) = counted(name, frames, step);
        assert_eq!(count, 0, "{name}");
        assert!(!distances.is_empty() && distances.iter().all(|d| d.is_finite()), "{name}: {distances:?}");
    }
}

#[test]
fn live_distances_are_those_of_the_track() {
    for name in ["flat/tumble.toml", "001/figure-12.toml", "curved/sail.toml"] {
        let scene = scene(name);
        let mut track = scene.track().unwrap().clone();
        track.frames = track.frames.min(12);
        let mut live = Live::new(&scene, &track).unwrap();
        let mut compared = 0;
        run_track(&scene, &track, Default::default(), None, |row| {
            if row.pair == track.pairs[0] {
                live.step(row.time).unwrap();
            }
            let at = track.pairs.iter().position(|pair| *pair == row.pair).unwrap();
            let apart = (live.distance(at).unwrap() - row.answer.nearness()).abs();
            assert!(apart < 1e-7, "{name}, frame {}: {apart}", row.frame);
            compared += 1;
            Ok(())
        })
        .unwrap();
        assert!(compared > 0);
    }
}

/// A sail whose cloth leaves the range of numbers: the error says which pair, and when.
#[test]
fn shapes_out_of_range_name_the_pair() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/curved/sail.toml");
    let scene = Scene::load(&folder, Units::Metre).unwrap();
    let mut live = Live::new(&scene, scene.track().unwrap()).unwrap();
    live.step(0.0).unwrap();
    let before = live.distance(0).unwrap();
    let error = live.step(1e200).unwrap_err().to_string();
    assert!(["sail", "stay", "out of range"].iter().all(|word| error.contains(word)), "{error}");
    live.step(0.0).unwrap();
    assert!((live.distance(0).unwrap() - before).abs() < 1e-12);
}

#[test]
fn scene_of_impacts_is_as_it_says() {
    let scene = scene("impact/thrown.toml");
    let track = scene.track().unwrap();
    let ends: Vec<_> = track
        .pairs
        .iter()
        .map(|pair| impact_of_pair(&scene, *pair, 5.0, ImpactDemand::default()).unwrap())
        .map(|found| (found.ended, found))
        .collect();
    let kinds: Vec<ImpactEnd> = ends.iter().map(|(end, _)| *end).collect();
    assert_eq!(kinds[..2], [ImpactEnd::Contact, ImpactEnd::Free], "{ends:?}");
    let brick = &ends[0].1;
    let (before, contact) = (brick.before.as_ref().unwrap(), brick.contact.as_ref().unwrap());
    assert!(brick.contact_by.unwrap() - brick.free_until < 1e-4);
    assert!(before.answer.distance < 1e-4 && contact.answer.distance == 0.0);
    assert_eq!(contact.answer.features[1].to_string(), "face:0");
    // The same by following it in small steps.
    let mut first = None;
    let fine = track.at_rate(2000.0).unwrap();
    let fine = clearance_formats::Track { pairs: vec![track.pairs[0]], ..fine };
    run_track(&scene, &fine, Default::default(), None, |row| {
        if first.is_none() && row.answer.state.overlaps() {
            first = Some(row.time);
        }
        Ok(())
    })
    .unwrap();
    let first = first.unwrap();
    assert!(brick.free_until <= first && first <= brick.contact_by.unwrap() + 1e-3, "{first}");
}

fn ask(line: &str) -> serde_json::Value {
    let mut stream = QueryStream::new(Context::default());
    serde_json::from_str(&stream.answer_line(line.as_bytes()).unwrap()).unwrap()
}

#[test]
fn query_answers_when_bodies_first_touch() {
    let ball = r#"{"kind": "sphere", "radius": 1}"#;
    let line = format!(
        r#"{{"id": 1, "a": {ball}, "b": {ball}, "pose_b": {{"translation": [5, 0, 0]}}, "want": "impact",
            "motion_b": [{{"velocity": [-1, 0, 0], "angular_velocity": [0, 0, 30]}}], "duration": 10, "tolerance": 1e-9}}"#
    );
    let answer = ask(&line);
    assert_eq!(answer["distance"], 3.0);
    let impact = &answer["impact"];
    assert_eq!(impact["ended"], "contact");
    let (from, to) = (impact["free_until"].as_f64().unwrap(), impact["contact_by"].as_f64().unwrap());
    assert!(from <= 3.0 + 1e-12 && to >= 3.0 - 1e-12 && to - from < 1e-8, "{impact}");
    assert_eq!(impact["contact"]["features"][0], "face:0");
    let free = ask(&line.replace("-1, 0, 0", "0, 1, 0"));
    assert_eq!(free["impact"]["ended"], "free");
    assert_eq!(free["impact"]["free_until"].as_f64(), Some(10.0));
    assert!(free["impact"]["contact"].is_null());
    let planar = ask(
        r#"{"a": {"kind": "polygon", "points": [[0,0],[1,0],[1,1],[0,1]]}, "b": {"kind": "point", "planar": true},
            "pose_b": {"translation": [3, 0.5]}, "motion_b": [{"velocity": [-2, 0]}], "duration": 5, "want": ["impact"]}"#,
    );
    let by = planar["impact"]["contact_by"].as_f64().unwrap();
    assert!((by - 1.0).abs() < 1e-5, "{planar}");
}

#[test]
fn query_refuses_what_is_missing_or_bad() {
    let boxes = r#""a": {"kind": "box", "size": [1, 1, 1]}, "b": {"kind": "box", "size": [1, 1, 1]}, "want": "impact""#;
    for (rest, code) in [
        ("", "missing_field"),
        (r#", "duration": -1"#, "bad_value"),
        (r#", "duration": 1, "tolerance": 0"#, "bad_value"),
        (r#", "duration": 1, "motion_a": [{}]"#, "bad_value"),
        (r#", "duration": 1, "motion_a": [{"velocity": [1, 2]}]"#, "dimension_mismatch"),
        (r#", "duration": 1, "motion_c": []"#, "unknown_key"),
    ] {
        let answer = ask(&format!("{{{boxes}{rest}}}"));
        assert_eq!(answer["error"]["code"], code, "{rest}: {answer}");
    }
}

/// A tool that hangs on a device is where `run_track` has it.
#[test]
fn live_steps_honour_the_coupler() {
    let text = r#"
        [body.wall]
        shape = { kind = "box", size = [1, 4, 4] }
        [body.tool]
        shape = { kind = "sphere", radius = 0.5 }
        pose = { translation = [2, 0, 0] }
        motion = [{ velocity = [-1, 0, 0] }]
        [track]
        frames = 1500
        step = 0.001
        [track.coupler]
        body = "tool"
        mass = 0.1
        stiffness = 400
    "#;
    let scene = Scene::parse(text, &Context::default()).unwrap();
    let track = scene.track().unwrap();
    let mut distances = Vec::new();
    run_track(&scene, track, track.wants, None, |row| {
        distances.push(row.answer.nearness());
        Ok(())
    })
    .unwrap();
    let mut live = Live::new(&scene, track).unwrap();
    let free = 1.0 - f64::from(track.frames - 1) * track.step;
    for (frame, expected) in distances.iter().enumerate() {
        let time = frame as f64 * track.step;
        live.step(time).unwrap();
        // The same time again moves nothing.
        live.step(time).unwrap();
        let found = live.distance(0).unwrap();
        assert!((found - expected).abs() < 1e-12, "frame {frame}: {found} and {expected}");
    }
    let last = *distances.last().unwrap();
    assert!(last > free + 0.3, "the wall holds the tool back: {last} against {free}");
}

/// First contacts of a body from a file of text, and of a surface given by a polynomial.
#[test]
fn files_and_polynomials_meet_when_the_formula_says() {
    // The prism of the tests has a top at a height that its box tells.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/step_made");
    let context = Context::new(folder, Units::Millimetre);
    let bodies = [
        r#"{ kind = "step", file = "vase.step" }"#,
        r#"{ kind = "algebraic", polynomial = "x^2 + y^2 + z^2 - 4", within = [[-3, -3, -3], [3, 3, 3]] }"#,
    ];
    for shape in bodies {
        let text = format!(
            "[body.still]\nshape = {shape}\n[body.ball]\nshape = {{ kind = \"sphere\", radius = 0.5 }}\n\
             pose = {{ translation = [400, 0.1, 0.2] }}\nmotion = [{{ velocity = [-100, 0, 0] }}]\n\
             [track]\nframes = 2\nstep = 4\n"
        );
        let scene = Scene::parse(&text, &context).unwrap();
        let track = scene.track().unwrap();
        let found = impact_of_pair(&scene, track.pairs[0], 4.0, ImpactDemand::default()).unwrap();
        assert_eq!(found.ended, ImpactEnd::Contact, "{shape}: {found:?}");
        let (free, by) = (found.free_until, found.contact_by.unwrap());
        assert!(free <= by && by - free < 1e-4, "{shape}: {free} … {by}");
        // Apart just before, in contact at the end: by queries of their own.
        let mut live = Live::new(&scene, track).unwrap();
        live.step(free).unwrap();
        assert!(live.distance(0).unwrap() > 0.0, "{shape}");
        live.step(by).unwrap();
        assert!(live.distance(0).unwrap() <= 1e-6, "{shape}: {:?}", live.distance(0));
        if shape.contains("algebraic") {
            let exact = (400.0 - (2.5_f64 * 2.5 - 0.01 - 0.04).sqrt()) / 100.0;
            assert!(free <= exact + 1e-9 && by >= exact - 1e-9, "{free} … {by} around {exact}");
        }
    }
}
