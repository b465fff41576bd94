//! Answers about overlaps: regions and their bounds, derivatives that do not exist, ways out in all directions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{numbers, one};
use serde_json::Value;

const RING: &str = r#"{"kind":"torus","major":2,"minor":0.5}"#;
const FLOOR: &str = r#"{"kind":"half_space","normal":[0,0,1],"offset":0}"#;
const BALLS: &str = r#"{"kind":"union","parts":[{"shape":{"kind":"sphere","radius":0.5},"pose":{"translation":[1,0,0]}},
{"shape":{"kind":"sphere","radius":0.5},"pose":{"translation":[-1,0,0]}}]}"#;
const BOXES: &str = r#"{"kind":"union","parts":[{"shape":{"kind":"box","size":[1,1,1]},"pose":{"translation":[1,0,0]}},
{"shape":{"kind":"box","size":[1,1,1]},"pose":{"translation":[-1,0,0]}}]}"#;
const WASHER: &str = r#"{"kind":"revolve","profile":[{"line":[[1,-0.5],[2,-0.5]]},{"line":[[2,-0.5],[2,0.5]]},
{"line":[[2,0.5],[1,0.5]]},{"line":[[1,0.5],[1,-0.5]]}]}"#;
const SHEET: &str = r#"{"kind":"surface","surface":"plane","u":[-1,1],"v":[-1,1]}"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A request on one line.
fn ask(a: &str, b: &str, rest: &str) -> Value {
    one(&format!(r#"{{"a":{a},"b":{b}{rest}}}"#).replace('\n', ""))
}

#[test]
fn what_is_equally_deep_has_no_derivative() {
    let (shift, down) =
        (r#","pose_a":{"translation":[0,0,-0.2]}"#, r#","pose_b":{"translation":[0,0,-0.2]}"#);
    for (body, kind) in
        [(RING, "curve"), (BALLS, "points"), (BOXES, "area"), (WASHER, "area"), (SHEET, "area")]
    {
        // Once with the set, once without; both ways round.
        for (a, b, at) in [(body, FLOOR, shift), (FLOOR, body, down)] {
            let answer = ask(a, b, &format!(r#"{at},"want":["gradient","locus"]"#));
            let alone = ask(a, b, &format!(r#"{at},"want":"gradient""#));
            for answer in [&answer, &alone] {
                assert_eq!(answer["gradient"], Value::Null, "{answer}");
                assert_eq!(answer["gradient_reason"], "several points are equally deep", "{answer}");
            }
            assert_eq!(answer["locus"]["kind"], kind, "{answer}");
            let samples = answer["locus"]["samples"].as_array().unwrap();
            assert!(samples.len() > 1, "{answer}");
            for sample in samples {
                let [p, q] = [0, 1].map(|i| numbers(&sample[i]));
                let (point, plane) = if a == FLOOR { (q, p) } else { (p, q) };
                assert!(plane[2].abs() < 1e-9, "{answer}");
                let depth = -number(&answer["signed_distance"]);
                assert!((point[2] + depth).abs() < 1e-6 && (point[0] - plane[0]).abs() < 1e-6, "{answer}");
            }
        }
    }
    // Tilted, it has one.
    let tilted = ask(RING, FLOOR, r#","pose_a":{"axis_angle":[1,0,0,10]},"want":["gradient","locus"]"#);
    assert!(tilted["gradient"].is_object() && tilted["locus"].is_null(), "{tilted}");
}

#[test]
fn a_point_inside_has_its_region() {
    for (body, depth) in [(RING, 0.276_393_202_250_021), (BALLS, 0.25)] {
        let at = if body == RING { "[2.2,0,0.1]" } else { "[1.25,0,0]" };
        let place = format!(r#"{{"translation":{at}}}"#);
        let point = r#"{"kind":"point"}"#;
        for answer in [
            ask(body, point, &format!(r#","pose_b":{place}"#)),
            ask(point, body, &format!(r#","pose_a":{place}"#)),
        ] {
            assert_eq!((&answer["state"], answer.get("warnings")), (&"containing".into(), None), "{answer}");
            let regions = answer["regions"].as_array().unwrap();
            assert_eq!(regions.len(), 1, "{answer}");
            assert!((number(&regions[0]["depth"]) - depth).abs() < 1e-9, "{answer}");
            assert!((number(&regions[0]["upper_bound"]) - depth).abs() < 1e-8, "{answer}");
        }
    }
}

#[test]
fn bodies_that_coincide_say_why_they_have_no_region() {
    let answer = ask(RING, RING, "");
    assert_eq!((&answer["state"], answer["regions"].as_array().unwrap().len()), (&"penetrating".into(), 0));
    assert!(answer["warnings"][0].as_str().unwrap().contains("faces coincide"), "{answer}");
}

#[test]
fn balls_around_one_point_have_ways_out_all_around() {
    let (large, small) = (r#"{"kind":"sphere","radius":2}"#, r#"{"kind":"sphere","radius":1}"#);
    for (inner, depth) in [(small, 3.0), (r#"{"kind":"point"}"#, 2.0)] {
        let answer = ask(large, inner, r#","want":["gradient","locus"]"#);
        assert_eq!(
            (&answer["locus"]["kind"], &answer["gradient"]),
            (&"area".into(), &Value::Null),
            "{answer}"
        );
        let samples = answer["locus"]["samples"].as_array().unwrap();
        for sample in samples {
            let [p, q] = [0, 1].map(|i| numbers(&sample[i]));
            let square: f64 = p.iter().zip(&q).map(|(p, q)| (p - q) * (p - q)).sum();
            assert!((square.sqrt() - depth).abs() < 1e-9, "{answer}");
        }
    }
    // Off the middle by a tenth there is one way.
    let off = ask(large, small, r#","pose_b":{"translation":[0.1,0,0]},"want":["gradient","locus"]"#);
    assert!(off["locus"].is_null() && off["gradient"].is_object(), "{off}");
}
