//! Answers about bodies that meet and are not convex: states, regions, places of contact, sets of closest points.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{numbers, one};
use serde_json::{Value, json};

const RING: &str = r#"{"kind":"torus","major":2,"minor":0.5}"#;
const PIN: &str = r#"{"kind":"cylinder","radius":0.25,"height":6}"#;
const ROD: &str = r#"{"kind":"segment","points":[[-4,0,0],[4,0,0]]}"#;
const SHEET: &str = r#"{"kind":"surface","surface":"plane","u":[-1,1],"v":[-1,1]}"#;
const FLOOR: &str = r#"{"kind":"half_space","normal":[0,0,1],"offset":0}"#;
const ALL: &str = r#","want":["certificate","gradient","locus","all_minima"]"#;

/// A line that asks about B moved by a translation.
fn moved(a: &str, b: &str, by: [f64; 3], rest: &str) -> String {
    let [x, y, z] = by;
    format!(r#"{{"a":{a},"b":{b},"pose_b":{{"translation":[{x},{y},{z}]}}{rest}}}"#)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// What all answers have in common for which no signed distance is defined.
#[track_caller]
fn has_no_depth(answer: &Value, state: &str, reason: &str) {
    assert_eq!((&answer["state"], &answer["distance"]), (&json!(state), &json!(0)), "{answer}");
    for key in ["signed_distance", "normal", "gradient"] {
        assert_eq!(answer.get(key), Some(&Value::Null), "{key} of {answer}");
    }
    assert!(answer["gradient_reason"].as_str().unwrap().contains(reason), "{answer}");
    assert_eq!(answer["lower_bound"], 0, "{answer}");
}

#[test]
fn every_region_of_an_overlap_is_listed() {
    let line = format!(r#"{{"a":{RING},"b":{PIN},"pose_b":{{"axis_angle":[0,1,0,90]}}{ALL}}}"#);
    let through = one(&line);
    has_no_depth(&through, "penetrating", "not convex");
    assert_eq!(through["locus"], Value::Null, "{through}");
    let (regions, all) = (through["regions"].as_array().unwrap(), through["all"].as_array().unwrap());
    assert_eq!((regions.len(), all.len()), (2, 2), "{through}");
    for (region, entry) in regions.iter().zip(all) {
        assert_eq!(
            (&entry["state"], &entry["regions"]),
            (&json!("penetrating"), &json!([region])),
            "{entry}"
        );
        assert_eq!(
            (&entry["points"], &entry["signed_distance"]),
            (&region["points"], &Value::Null),
            "{entry}"
        );
        assert!(entry["features"][0].as_str().unwrap().starts_with("face"), "{entry}");
    }
}

#[test]
fn segments_penetrate_and_surfaces_touch() {
    let rod = one(&moved(RING, ROD, [0.0, 0.1, 0.05], ALL));
    has_no_depth(&rod, "penetrating", "not convex");
    let regions = rod["regions"].as_array().unwrap();
    assert_eq!((regions.len(), rod["all"].as_array().unwrap().len()), (2, 2), "{rod}");
    assert!(regions.iter().all(|region| (number(&region["depth"]) - 0.45).abs() < 1e-3), "{rod}");
    // In a convex body a segment has a depth.
    let cube = r#"{"kind":"sphere","radius":1}"#;
    let deep = one(&moved(cube, ROD, [0.0, 0.25, 0.0], ALL));
    assert_eq!(deep["state"], "penetrating", "{deep}");
    assert!((number(&deep["signed_distance"]) + 0.75).abs() < 1e-9, "{deep}");
    let sheet = one(&moved(RING, SHEET, [2.0, 0.0, 0.1], r#","want":["certificate","gradient"]"#));
    has_no_depth(&sheet, "touching", "meet or cross");
    assert_eq!(sheet.get("regions"), None, "{sheet}");
    let [p, q] = [0, 1].map(|i| numbers(&sheet["points"][i]));
    assert!(p.iter().zip(&q).all(|(p, q)| (p - q).abs() < 1e-9), "{sheet}");
    let within = r#"{"kind":"surface","surface":"plane","u":[-0.1,0.1],"v":[-0.1,0.1]}"#;
    let within = one(&moved(RING, within, [2.0, 0.0, 0.1], ALL));
    has_no_depth(&within, "containing", "not convex");
    assert_eq!((&within["inside"], within.get("regions")), (&json!("b"), None), "{within}");
    assert_eq!(within["all"].as_array().unwrap().len(), 1, "{within}");
}

#[test]
fn sets_of_closest_points_are_curves_and_areas() {
    // Two rings on one axis.
    let circle = one(&moved(RING, RING, [0.0, 0.0, 2.0], r#","want":"locus","max_error":1e-3"#));
    assert_eq!(circle["locus"]["kind"], "curve", "{circle}");
    let samples = circle["locus"]["samples"].as_array().unwrap();
    assert!(samples.len() > 6 && circle["locus"].get("sets").is_none(), "{circle}");
    for pair in samples {
        let p = numbers(&pair[0]);
        assert!((p[0].hypot(p[1]) - 2.0).abs() < 1e-6 && (p[2] - 0.5).abs() < 1e-9, "{circle}");
    }
    // A ring on a floor touches it along a circle; so does the half-space that is named second.
    let on_floor = one(&moved(FLOOR, RING, [0.0, 0.0, 0.5], r#","want":["locus","all_minima"]"#));
    assert_eq!(
        (&on_floor["state"], &on_floor["locus"]["kind"]),
        (&json!("touching"), &json!("curve")),
        "{on_floor}"
    );
    assert_eq!(on_floor["all"].as_array().unwrap().len(), 1, "{on_floor}");
    // Two feet on a table.
    let foot = |x: f64| {
        format!(
            r#"{{"shape":{{"kind":"cylinder","radius":0.5,"height":2}},"pose":{{"translation":[{x},0,0]}}}}"#
        )
    };
    let feet = format!(r#"{{"kind":"union","parts":[{},{}]}}"#, foot(-2.0), foot(2.0));
    let table = r#"{"kind":"box","size":[8,8,1]}"#;
    let stands = one(&moved(table, &feet, [0.0, 0.0, 1.5], r#","want":["locus","all_minima","gradient"]"#));
    assert_eq!(
        (&stands["state"], &stands["locus"]["kind"]),
        (&json!("touching"), &json!("area")),
        "{stands}"
    );
    let sets = stands["locus"]["sets"].as_array().unwrap();
    assert!(sets.len() == 2 && sets.iter().all(|set| set["kind"] == "area"), "{stands}");
    let all = stands["all"].as_array().unwrap();
    assert!(all.len() >= 2 && all[..2].iter().all(|entry| entry["state"] == "touching"), "{stands}");
    assert_eq!(stands["gradient"], Value::Null, "{stands}");
}

#[test]
fn minima_over_a_floor_are_listed() {
    // Turned, so that no pole looks down.
    let ball = |x: f64, z: f64| {
        format!(
            r#"{{"shape":{{"kind":"sphere","radius":0.5}},"pose":{{"translation":[{x},0,{z}],"axis_angle":[0.6,0.8,0,50]}}}}"#
        )
    };
    let bell = format!(r#"{{"kind":"union","parts":[{},{}]}}"#, ball(-2.0, 0.0), ball(2.0, 0.25));
    for (a, b, at) in [(FLOOR, bell.as_str(), 2.0), (bell.as_str(), FLOOR, -2.0)] {
        let answer = one(&moved(a, b, [0.0, 0.0, at], r#","want":"all_minima""#));
        let all = answer["all"].as_array().unwrap();
        assert_eq!(all.len(), 2, "{answer}");
        let floor = usize::from(a != FLOOR);
        for (entry, expected) in all.iter().zip([1.5, 1.75]) {
            assert!((number(&entry["distance"]) - expected).abs() < 1e-9, "{answer}");
            assert_eq!(entry["features"][floor], "face:0", "{answer}");
        }
        assert_eq!(answer.get("warnings"), None, "{answer}");
    }
    // Of algebraic surfaces they cannot be listed, which is said.
    let bowl = r#"{"kind":"algebraic","polynomial":"x^2 + y^2 - z","within":[[-1,-1,-1],[1,1,1]]}"#;
    let answer = one(&moved(bowl, RING, [4.0, 0.5, -2.0], r#","want":"all_minima""#));
    assert!(answer["warnings"][0].as_str().unwrap().contains("unsupported_pair"), "{answer}");
    assert_eq!(answer["all"].as_array().unwrap().len(), 1, "{answer}");
}
