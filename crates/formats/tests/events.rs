//! `want: "events"`: what nearly touches, with its features, its gap and the gap's derivative.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_testkit::Random;
use common::{code, numbers, one};
use serde_json::Value;

const CUBE: &str = r#"{"kind":"box","size":[2,2,2]}"#;

/// The events of two shapes, the second moved and turned.
fn events(a: &str, b: &str, pose_b: &str, margin: f64) -> Vec<Value> {
    let line = format!(r#"{{"a":{a},"b":{b},"pose_b":{pose_b},"want":"events","margin":{margin:e}}}"#);
    let answer = one(&line);
    answer["events"].as_array().unwrap_or_else(|| panic!("{line}: {answer}")).clone()
}

fn at(translation: [f64; 3]) -> String {
    format!(r#"{{"translation":{translation:?}}}"#)
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

#[test]
fn events_of_boxes_are_named_as_the_input_has_them() {
    let found = events(CUBE, CUBE, &at([0.5, 0.5, 2.01]), 0.1);
    let expected: [(&str, [&str; 2]); 2] =
        [("corner_face", ["face:5", "vertex:0"]), ("corner_face", ["vertex:7", "face:4"])];
    for (kind, features) in expected {
        let named =
            |event: &&Value| event["kind"] == kind && event["features"] == serde_json::json!(features);
        let event = found.iter().find(named).unwrap_or_else(|| panic!("{features:?} of {found:?}"));
        assert!((event["gap"].as_f64().unwrap() - 0.01).abs() < 1e-12, "{event}");
        assert_eq!(numbers(&event["normal"]), [0.0, 0.0, 1.0]);
    }
    assert_eq!(kinds(&found).iter().filter(|kind| **kind == "edge_edge").count(), 2);
    // Farther than the margin there are none, and the margin is a thousandth of the size unless given.
    assert!(events(CUBE, CUBE, &at([0.5, 0.5, 2.2]), 0.1).is_empty());
    let line =
        |z: f64| format!(r#"{{"a":{CUBE},"b":{CUBE},"pose_b":{},"want":"events"}}"#, at([0.0, 0.0, z]));
    assert_eq!(one(&line(2.01))["events"], serde_json::json!([]));
    assert_eq!(one(&line(2.001))["events"].as_array().unwrap().len(), 4);
}

#[test]
fn events_of_unions_name_the_part() {
    let legs = r#"{"kind":"union","parts":[
        {"shape":{"kind":"box","size":[1,1,1]},"pose":{"translation":[-2,0,0]}},
        {"shape":{"kind":"box","size":[1,1,1]},"pose":{"translation":[2,0,0]}}]}"#
        .replace('\n', "");
    let floor = r#"{"kind":"half_space","normal":[0,0,1],"offset":0}"#;
    let found = events(floor, &legs, &at([0.0, 0.0, 0.501]), 0.1);
    assert_eq!(found.len(), 8);
    let names: Vec<&str> = found.iter().map(|event| event["features"][1].as_str().unwrap()).collect();
    for part in ["0/vertex:", "1/vertex:"] {
        assert_eq!(names.iter().filter(|name| name.starts_with(part)).count(), 4, "{names:?}");
    }
}

#[test]
fn curved_and_planar_bodies_have_events() {
    let floor = r#"{"kind":"half_space","normal":[0,0,1],"offset":0}"#;
    let cylinder = r#"{"kind":"cylinder","radius":1,"height":4}"#;
    let lying = r#"{"translation":[0,0,1.001],"axis_angle":[0,1,0,90]}"#;
    // A line gives at least two events, an area three.
    assert!(events(floor, cylinder, lying, 0.1).len() >= 2);
    assert!(events(floor, cylinder, &at([0.0, 0.0, 2.001]), 0.1).len() >= 3);
    let square = r#"{"kind":"polygon","points":[[-1,-1],[1,-1],[1,1],[-1,1]]}"#;
    let found = events(square, square, r#"{"translation":[0.5,2.01]}"#, 0.1);
    assert_eq!(kinds(&found), ["corner_face"; 2]);
    for event in &found {
        assert_eq!((numbers(&event["point"]).len(), numbers(&event["gradient"]["b"]).len()), (2, 3));
    }
}

/// Bodies that cannot be simulated: their nearest points, where these have a normal.
#[test]
fn nearest_points_are_events_of_what_cannot_be_simulated() {
    let level = r#"{"kind":"algebraic","polynomial":"x^2+y^2+z^2-1","within":[[-2,-2,-2],[2,2,2]]}"#;
    let shell = r#"{"kind":"sphere","radius":1,"surface_only":true}"#;
    let ball = r#"{"kind":"sphere","radius":1}"#;
    let floor = r#"{"kind":"half_space","normal":[0,0,1],"offset":-1}"#;
    for (a, b, place, feature) in [
        (CUBE, r#"{"kind":"point"}"#, [0.5, 0.25, 1.01], "vertex:0"),
        (CUBE, level, [0.5, 0.25, 2.01], "face:0"),
        (level, ball, [0.0, 0.0, 2.01], "face:0"),
        (level, level, [0.0, 0.0, 2.01], "face:0"),
        (CUBE, shell, [0.5, 0.25, 2.01], "face:0"),
        (floor, level, [0.5, 0.25, 0.01], "face:0"),
    ] {
        let found = events(a, b, &at(place), 0.1);
        assert_eq!(kinds(&found), ["witness"], "{a} {b}");
        let event = &found[0];
        assert!((event["gap"].as_f64().unwrap() - 0.01).abs() < 1e-12, "{event}");
        assert_eq!(event["features"][1], feature);
        let [of_a, of_b] = ["a", "b"].map(|side| numbers(&event["gradient"][side]));
        assert!((of_a[2] + 1.0).abs() < 1e-9 && (of_b[2] - 1.0).abs() < 1e-9, "{event}");
        assert!(events(a, b, &at(place), 1e-3).is_empty(), "{a} {b}");
    }
    // They cross, and have no normal.
    assert!(events(CUBE, level, &at([0.5, 0.0, 0.5]), 0.1).is_empty());
    // The usual margin is a thousandth of the only radius.
    let near = |z: f64| {
        let line = format!(
            r#"{{"a":{CUBE},"b":{{"kind":"point"}},"pose_b":{},"want":["events","gradient"]}}"#,
            at([0.0, 0.0, z])
        );
        one(&line)
    };
    assert_eq!(near(1.001)["events"].as_array().unwrap().len(), 1);
    assert_eq!(near(1.001)["events"][0]["gradient"], near(1.001)["gradient"]);
    assert_eq!(near(1.002)["events"], serde_json::json!([]));
    let dot = r#"{"kind":"point","planar":true}"#;
    let square = r#"{"kind":"polygon","points":[[-1,-1],[1,-1],[1,1],[-1,1]]}"#;
    let found = events(square, dot, r#"{"translation":[0.5,1.01]}"#, 0.1);
    assert_eq!((kinds(&found), numbers(&found[0]["gradient"]["b"]).len()), (vec!["witness"], 3));
}

#[test]
fn bad_margins_are_refused() {
    assert_eq!(
        code(&format!(r#"{{"a":{CUBE},"b":{{"kind":"point"}},"want":"events","margin":-1}}"#)),
        "bad_value"
    );
    assert_eq!(code(&format!(r#"{{"a":{CUBE},"b":{CUBE},"want":"events","margin":-1}}"#)), "bad_value");
}

/// Moves a pose by a small twist about its origin.
fn moved(place: [f64; 3], quaternion: [f64; 4], twist: &[f64; 6], step: f64) -> String {
    let [x, y, z, w] = quaternion;
    let [a, b, c] = [twist[3], twist[4], twist[5]].map(|part| part * step / 2.0);
    // The product of the small turn and the quaternion, to the second order of the step.
    let turned = [
        x + a * w + b * z - c * y,
        y + b * w + c * x - a * z,
        z + c * w + a * y - b * x,
        w - a * x - b * y - c * z,
    ];
    let length = turned.iter().map(|part| part * part).sum::<f64>().sqrt();
    let place = [0, 1, 2].map(|axis| place[axis] + step * twist[axis]);
    format!(r#"{{"translation":{place:?},"rotation":{:?}}}"#, turned.map(|part| part / length))
}

#[test]
fn gradients_are_the_slopes_of_the_gaps() {
    let mut random = Random::new(0xE7E27);
    let (mut compared, mut crossings) = (0, 0);
    let prism = r#"{"kind":"polytope","points":[[0,0,-1],[2,0,-1],[0,2,-1],[0,0,1],[2,0,1],[0,2,1]]}"#;
    for case in 0..60 {
        let turn = random.quaternion().to_array();
        let place = (random.direction() * random.uniform(1.5, 2.6)).to_array();
        let twist: [f64; 6] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        let step = 1e-6;
        let [before, here, after] =
            [-step, 0.0, step].map(|by| events(CUBE, prism, &moved(place, turn, &twist, by), 0.5));
        // The gap of grown bodies has this slope in contact only.
        for event in here.iter().filter(|event| event["kind"] != "growth") {
            let same = |others: &[Value]| {
                let found = others.iter().find(|other| other["features"] == event["features"])?;
                found["gap"].as_f64()
            };
            let (Some(low), Some(high)) = (same(&before), same(&after)) else { continue };
            let gradient = numbers(&event["gradient"]["b"]);
            let slope: f64 = gradient.iter().zip(&twist).map(|(part, by)| part * by).sum();
            assert!((slope - (high - low) / (2.0 * step)).abs() < 1e-6, "case {case}: {event}");
            compared += 1;
            crossings += usize::from(event["kind"] == "edge_edge");
        }
    }
    assert!(compared > 60 && crossings > 15, "{compared} events, {crossings} of edges");
}

#[test]
fn events_are_mirrored_under_swap() {
    let mut random = Random::new(0x5A7A9);
    let mut compared = 0;
    for _ in 0..40 {
        let turn = random.quaternion().to_array();
        let place = (random.direction() * random.uniform(1.8, 2.6)).to_array();
        let pose = moved(place, turn, &[0.0; 6], 0.0);
        let ask = |moved: &str| {
            let line = format!(r#"{{"a":{CUBE},"b":{CUBE},"{moved}":{pose},"want":"events","margin":0.3}}"#);
            one(&line)["events"].as_array().unwrap().clone()
        };
        let (one, two) = (ask("pose_b"), ask("pose_a"));
        assert_eq!(one.len(), two.len());
        for event in &one {
            let swapped = [&event["features"][1], &event["features"][0]];
            let mirror = two.iter().find(|other| [&other["features"][0], &other["features"][1]] == swapped);
            let mirror = mirror.unwrap_or_else(|| panic!("{event} has no mirror in {two:?}"));
            let off = event["gap"].as_f64().unwrap() - mirror["gap"].as_f64().unwrap();
            assert!(off.abs() < 1e-12, "{event} {mirror}");
            for (key, other) in [("a", "b"), ("b", "a")] {
                let pairs =
                    numbers(&event["gradient"][key]).into_iter().zip(numbers(&mirror["gradient"][other]));
                assert!(pairs.into_iter().all(|(p, q)| (p - q).abs() < 1e-9), "{event} {mirror}");
            }
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}
