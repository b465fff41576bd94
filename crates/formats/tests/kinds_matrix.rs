//! Every kind of shape against every other, through a query stream.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{Context, Units};
use common::{ask_in, numbers};
use serde_json::Value;
use std::path::PathBuf;

/// Every kind with a body of about unit size.
const KINDS: [(&str, &str); 21] = [
    ("point", r#"{"kind":"point"}"#),
    ("segment", r#"{"kind":"segment","points":[[-1,0,0],[1,0,0.5]]}"#),
    ("box", r#"{"kind":"box","size":[2,1,1.5]}"#),
    ("sphere", r#"{"kind":"sphere","radius":1}"#),
    ("ellipsoid", r#"{"kind":"ellipsoid","radii":[1,0.7,1.4]}"#),
    ("cylinder", r#"{"kind":"cylinder","radius":0.8,"height":2}"#),
    ("cone", r#"{"kind":"cone","radius":1,"height":2}"#),
    ("capsule", r#"{"kind":"capsule","radius":0.5,"height":1.5}"#),
    ("torus", r#"{"kind":"torus","major":1,"minor":0.3}"#),
    ("half_space", r#"{"kind":"half_space","normal":[0.6,0,-0.8],"offset":-1}"#),
    ("polytope", r#"{"kind":"polytope","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1]]}"#),
    ("polygon", r#"{"kind":"polygon","points":[[0,0],[1,0],[0,1]]}"#),
    ("mesh", r#"{"kind":"mesh","file":"scenes/parts/ycb-tomato-soup-can.obj","units":"m","hull":true}"#),
    ("step", r#"{"kind":"step","file":"crates/formats/tests/step_made/vase.step"}"#),
    ("revolve", r#"{"kind":"revolve","profile":[{"line":[[0,0],[0.5,1]]},{"line":[[0.5,1],[0,1.5]]}]}"#),
    (
        "nurbs",
        r#"{"kind":"nurbs","degree":[2,1],"knots":[[0,0,0,2,2,2],[0,0,3,3]],
            "points":[[[0,0,0],[0,1,0]],[[0.5,0,0.8],[0.5,1,0.6]],[[1,0,0],[1,1,0.2]]]}"#,
    ),
    ("surface", r#"{"kind":"surface","surface":"paraboloid","focal":0.5,"u":[0,200],"v":[0.2,1]}"#),
    (
        "tiled",
        r#"{"kind":"tiled","faces":[{"kind":"surface","surface":"cylinder","radius":1,"v":[0,1]},
            {"kind":"surface","surface":"cone","radius":1,"height":0.5,"pose":{"axis_angle":[1,0,0,180]}}]}"#,
    ),
    (
        "planar_tiled",
        r#"{"kind":"planar_tiled","curves":[{"degree":1,"knots":[0,0,1,2,3,3],"points":[[0,0],[1,0],[0,1],[0,0]]}]}"#,
    ),
    ("algebraic", r#"{"kind":"algebraic","polynomial":"x^2+y^2/4+z^2-1","within":[[-3,-3,-3],[3,3,3]]}"#),
    (
        "union",
        r#"{"kind":"union","parts":[{"shape":{"kind":"sphere","radius":0.5}},
            {"shape":{"kind":"union","parts":[{"shape":{"kind":"box","size":[1,1,1]},"pose":{"translation":[1,0,0]}}]}}]}"#,
    ),
];

fn is_planar(kind: &str) -> bool {
    matches!(kind, "polygon" | "planar_tiled")
}

/// The error of a pair that has no answer.
fn refusal(a: &str, b: &str) -> Option<&'static str> {
    if is_planar(a) != is_planar(b) {
        return Some("dimension_mismatch");
    }
    (a == "half_space" && b == "half_space").then_some("unsupported_pair")
}

/// A stream that defines every kind and compares all of them, apart from each other.
fn lines() -> String {
    let mut text = String::new();
    for (kind, shape) in KINDS {
        let shape = shape.replace('\n', " ");
        text += &format!("{{\"define\":\"{kind}\",\"shape\":{shape}}}\n");
    }
    for (a, _) in KINDS {
        for (b, _) in KINDS {
            let pose = if is_planar(b) {
                r#"{"translation":[7,5],"angle":20}"#
            } else if b == "half_space" {
                r#"{"translation":[-7,-5,6]}"#
            } else {
                r#"{"translation":[7,5,-6],"axis_angle":[0.48,0.6,0.64,77]}"#
            };
            text += &format!(
                "{{\"id\":[\"{a}\",\"{b}\"],\"a\":\"{a}\",\"b\":\"{b}\",\"pose_b\":{pose},\
                 \"want\":[\"certificate\",\"gradient\",\"locus\"]}}\n"
            );
        }
    }
    text
}

fn check_answer(answer: &Value) {
    let number = |key: &str| answer[key].as_f64().unwrap_or_else(|| panic!("{key} of {answer}"));
    assert_eq!(answer["state"], "separated", "{answer}");
    let distance = number("distance");
    assert!(distance > 1.0 && number("signed_distance") == distance, "{answer}");
    let error = distance - number("lower_bound");
    assert!((0.0..1e-7).contains(&error), "{error:e} of {answer}");
    assert_eq!(answer["ended"], "certified", "{answer}");
    let [p, q, normal] = [&answer["points"][0], &answer["points"][1], &answer["normal"]].map(numbers);
    for axis in 0..p.len() {
        assert!((q[axis] - p[axis] - distance * normal[axis]).abs() < 1e-11, "{answer}");
    }
    for side in 0..2 {
        let feature = answer["features"][side].as_str().unwrap();
        let parameters = &answer["parameters"][side];
        let expected = match feature.rsplit('/').next().unwrap().split(':').next().unwrap() {
            "vertex" => Some(0),
            "edge" => parameters.as_array().map(|_| 1),
            _ => parameters.as_array().map(|_| 2),
        };
        assert_eq!(parameters.as_array().map(Vec::len), expected, "{answer}");
    }
    assert!(answer["gradient"].is_object() || answer["gradient_reason"].is_string(), "{answer}");
    assert!(answer.get("locus").is_some(), "{answer}");
}

#[test]
fn every_kind_is_answered_against_every_other() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (answers, _) = ask_in(Context::new(root, Units::Metre), &lines());
    let (defined, answers) = answers.split_at(KINDS.len());
    for line in defined {
        assert_eq!(line["ok"], true, "{line}");
    }
    assert_eq!(answers.len(), KINDS.len() * KINDS.len());
    let mut answered = 0;
    for answer in answers {
        let [a, b] = [0, 1].map(|side| answer["id"][side].as_str().unwrap());
        match (answer["error"]["code"].as_str(), refusal(a, b)) {
            (Some(code), Some(expected)) => assert_eq!(code, expected, "{answer}"),
            (Some(_), None) => panic!("{answer}"),
            (None, Some(expected)) => panic!("not {expected}: {answer}"),
            (None, None) => {
                answered += 1;
                check_answer(answer);
            }
        }
    }
    // 19 solid kinds but for two half-spaces, and 2 planar ones.
    assert_eq!(answered, 19 * 19 - 1 + 2 * 2);
}
