//! No line and no scene makes the crate panic, and every answer is valid JSON without a NaN.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_formats::{CODES, Context, QueryStream, Scene, Shape, Units};
use clearance_testkit::Random;
use serde_json::Value;
use std::collections::BTreeMap;

const LINES: [&str; 8] = [
    r#"{"id":7,"a":{"kind":"box","size":[1,2,3]},"b":{"kind":"box","size":[2,2,2]},"pose_b":{"translation":[1,0.5,2]},"want":["ratio","certificate","gradient","locus","all_minima"],"max_error":1e-9}"#,
    r#"{"id":"x","a":{"kind":"polytope","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1]]},"b":{"kind":"segment","points":[[0,0,0],[1,2,3]]},"pose_a":{"rotation":[0,0,0.6,0.8]}}"#,
    r#"{"a":{"kind":"polytope","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]],"center":[0.2,0.2,0.2]},"b":{"kind":"point"},"want":["gradient","locus"]}"#,
    r#"{"a":{"kind":"polytope","halfspaces":[[1,0,0,1],[-1,0,0,1],[0,1,0,1],[0,-1,0,1],[0,0,1,1],[0,0,-1,1]],"center":[0,0,0]},"b":{"kind":"half_space","normal":[0,0,1],"offset":-3},"units":"mm"}"#,
    r#"{"define":"pen","shape":{"kind":"box","size":[1,1,9]},"units":"cm"}"#,
    r#"{"a":"pen","b":"pen","pose_b":{"matrix":[[0,-1,0,1],[1,0,0,2],[0,0,1,3],[0,0,0,1]]},"want":["locus","gradient"]}"#,
    r#"{"a":{"kind":"polygon","points":[[0,0],[1,0],[1,1],[0,1]]},"b":{"kind":"segment","points":[[0,0],[1,1]],"planar":true},"pose_b":{"translation":[0.5,2],"angle":90},"want":["ratio","gradient","locus","certificate"]}"#,
    r#"{"a":{"kind":"mesh","file":"nowhere.stl","units":"in"},"b":{"kind":"point"},"pose_b":{"axis_angle":[0,0,1,45]}}"#,
];

const CURVED: [&str; 13] = [
    r#"{"kind":"sphere","radius":2,"surface_only":true}"#,
    r#"{"kind":"ellipsoid","radii":[1,2,3]}"#,
    r#"{"kind":"cone","radius":1,"height":3,"top_radius":2}"#,
    r#"{"kind":"capsule","radius":1,"height":2}"#,
    r#"{"kind":"torus","major":2,"minor":1}"#,
    r#"{"kind":"revolve","profile":[{"parabola":{"from":[0,0],"to":[4,4],"focal":1}},{"arc":{"center":[0,7],"from":[4,4],"to":[0,2],"ccw":false}}]}"#,
    r#"{"kind":"nurbs","degree":[2,1],"knots":[[0,0,0,1,1,1],[0,0,1,1]],"points":[[[0,0,0],[0,1,0]],[[1,0,1],[1,1,2]],[[2,0,0],[2,1,0]]],"weights":[[1,1],[2,1],[1,1]],"velocities":[[[0,0,0],[0,1,0]],[[1,0,1],[1,1,2]],[[2,0,0],[2,1,0]]]}"#,
    r#"{"kind":"surface","surface":"cylinder","radius":2,"u":[0,90],"v":[0,3],"trim":[[[10,1],[10,2],[20,2]]],"pose":{"translation":[1,2,3]},"reversed":true}"#,
    r#"{"kind":"surface","surface":"sphere","radius":2,"u":[0,90],"v":[0,90]}"#,
    r#"{"kind":"tiled","patches":[[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]],[[[1,0,0],[1,1,0]],[[2,0,1],[2,1,1]]]],"match":0.1}"#,
    r#"{"kind":"planar_tiled","curves":[{"degree":2,"knots":[0,0,0,1,1,1],"points":[[1,0],[1,1],[0,1]],"weights":[1,0.5,1]},{"degree":1,"knots":[0,0,1,2,2],"points":[[0,1],[0,0],[1,0]]}]}"#,
    r#"{"kind":"algebraic","polynomial":"x^2 + 2y^2 - (z/3)^2 - 1","within":[[-2,-2,-2],[2,2,2]]}"#,
    r#"{"kind":"union","parts":[{"shape":{"kind":"box","size":[1,2,3]}},{"shape":{"kind":"cylinder","radius":1,"height":2},"pose":{"translation":[1,2,3]}}]}"#,
];

const PIECES: [&str; 24] = [
    "0",
    "-",
    "1e308",
    "1e-320",
    "1e999",
    "-1",
    "null",
    "true",
    "\"a\"",
    "[]",
    "{}",
    ",",
    ":",
    "[",
    "]",
    "{",
    "}",
    "0.5",
    "3",
    "\\u0000",
    "[0,0,0]",
    "\"planar\":true,",
    "é",
    " ",
];

fn mutated(texts: &[&str], random: &mut Random) -> Vec<u8> {
    let mut bytes = texts[random.index(texts.len())].as_bytes().to_vec();
    for _ in 0..=random.index(4) {
        let at = random.index(bytes.len().max(1));
        match random.index(12) {
            0 => bytes[at] = random.bits() as u8,
            1 => {
                let end = (at + 1 + random.index(6)).min(bytes.len());
                bytes.drain(at..end);
            }
            2 => {
                let piece = PIECES[random.index(PIECES.len())].bytes();
                bytes.splice(at..at, piece);
            }
            // Numbers are changed most, so that much of what is tried gets past the parser.
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || b".-e".contains(byte);
                if let Some(digit) = bytes.iter().skip(at).position(u8::is_ascii_digit) {
                    let from = at + digit;
                    let to =
                        bytes.iter().skip(from).position(|byte| !is_part(byte)).map_or(from, |n| from + n);
                    let number = PIECES[[0, 0, 2, 3, 4, 5, 17, 17, 18, 18][random.index(10)]].bytes();
                    bytes.splice(from..to, number);
                }
            }
        }
        if bytes.is_empty() {
            bytes.push(b'{');
        }
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

/// Whether the answer has its numbers (what is not finite would be null) and they agree with each other.
fn is_consistent(answer: &Value) -> bool {
    let vector =
        |value: &Value| -> Option<Vec<f64>> { value.as_array()?.iter().map(Value::as_f64).collect() };
    let all = || -> Option<bool> {
        let (distance, signed) = (answer["distance"].as_f64()?, answer["signed_distance"].as_f64()?);
        let (a, b) = (vector(&answer["points"][0])?, vector(&answer["points"][1])?);
        let normal = vector(&answer["normal"])?;
        let size = a.iter().chain(&b).fold(0.0_f64, |most, number| most.max(number.abs()));
        let joined = (0..normal.len()).all(|i| (b[i] - a[i] - signed * normal[i]).abs() <= 1e-9 * size);
        let unit = (normal.iter().map(|number| number * number).sum::<f64>() - 1.0).abs() < 1e-12;
        Some(joined && unit && distance == signed.max(0.0))
    };
    all().unwrap_or(false)
}

#[test]
fn mutated_lines_are_answered() {
    let mut random = Random::new(7);
    let mut stream = QueryStream::new(Context::default());
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..20_000 {
        let line = mutated(&LINES, &mut random);
        let Some(answer) = stream.answer_line(&line) else { continue };
        let shown = String::from_utf8_lossy(&line);
        let value: Value =
            serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {shown}\n{answer}"));
        assert!(!answer.contains('\n'));
        let word = match value["error"]["code"].as_str() {
            Some(code) => {
                assert!(CODES.contains(&code), "{code}");
                assert!(value["error"]["line"].is_u64() && value["error"]["message"].is_string());
                code
            }
            None if value.get("define").is_some() => "define",
            None => {
                assert!(is_consistent(&value), "{shown}\n{answer}");
                value["state"].as_str().unwrap_or_else(|| panic!("{shown}\n{answer}"))
            }
        };
        *tally.entry(word.to_owned()).or_default() += 1;
    }
    let count = |word: &str| tally.get(word).copied().unwrap_or_default();
    let answered = count("separated") + count("touching") + count("penetrating") + count("containing");
    assert!(answered > 2000 && count("bad_json") > 1000 && count("define") > 100, "{tally:?}");
    for code in [
        "unknown_key",
        "wrong_type",
        "number_out_of_range",
        "dimension_mismatch",
        "bad_rotation",
        "file_not_found",
    ] {
        assert!(count(code) > 0, "{code}: {tally:?}");
    }
}

#[test]
fn mutated_curved_shapes_are_described_or_refused() {
    let mut random = Random::new(11);
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..1500 {
        let text = String::from_utf8_lossy(&mutated(&CURVED, &mut random)).into_owned();
        let word = match Shape::from_json(&text, &Context::default()) {
            Ok(shape) => {
                let facts = shape.describe(Units::Metre);
                let json = facts.to_json();
                serde_json::from_str::<Value>(&json)
                    .unwrap_or_else(|error| panic!("{error}: {text}\n{json}"));
                assert!(!facts.to_text().is_empty());
                "described"
            }
            Err(error) => error.code(),
        };
        assert!(word == "described" || CODES.contains(&word), "{word}");
        *tally.entry(word).or_default() += 1;
    }
    for word in ["described", "bad_value", "number_out_of_range", "bad_knots", "inconsistent_profile"] {
        assert!(tally.contains_key(word), "{word}: {tally:?}");
    }
    assert!(tally["described"] > 200, "{tally:?}");
}

#[test]
fn deep_nesting_is_an_error() {
    let mut stream = QueryStream::new(Context::default());
    for open in ["[", "{\"a\":"] {
        let line = format!("{{\"a\":{}", open.repeat(100_000));
        assert!(stream.answer_line(line.as_bytes()).unwrap().contains("bad_json"));
        let closed = format!("{{\"a\":{}{},\"b\":1}}", "[".repeat(5000), "]".repeat(5000));
        assert!(stream.answer_line(closed.as_bytes()).unwrap().contains("bad_json"));
    }
    let toml = format!("a = {}", "[".repeat(100_000));
    assert_eq!(Scene::parse(&toml, &Context::default()).unwrap_err().code(), "bad_toml");
}

#[test]
fn mutated_scenes_are_read_or_refused() {
    const SCENE: &str = "title = \"t\"\nunits = \"mm\"\nignore = [[\"a\", \"b\"]]\n[shape.cube]\nkind = \"box\"\n\
        size = [1, 2, 3]\n[body.a]\nshape = \"cube\"\nfixed = true\n[body.b]\nshape = \"cube\"\n\
        pose = { translation = [1, 2, 3], axis_angle = [0, 0, 1, 90] }\n\
        motion = [{ velocity = [1, 0, 0], angular_velocity = [0, 0, 9] }, { spin = { axis = [0, 0, 1], pivot = [0, 0, 0], degrees_per_second = 3 }, frame = \"body\" }]\n\
        [track]\nframes = 5\nstep = 0.1\n[simulation]\nstep = 0.01\n";
    let mut random = Random::new(3);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..5000 {
        let mut bytes = SCENE.as_bytes().to_vec();
        for _ in 0..random.index(4) {
            let at = random.index(bytes.len());
            match random.index(3) {
                0 => bytes[at] = b" \n\"[]{}=.,019eaxk#"[random.index(18)],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"0123456789-+.e\"[]{}=, \nax"[random.index(25)]),
            }
        }
        match Scene::parse(&String::from_utf8(bytes).unwrap(), &Context::default()) {
            Ok(scene) => {
                good += 1;
                for body in &scene.bodies {
                    let _ = body.pose_at(0.3);
                }
            }
            Err(error) => {
                bad += 1;
                assert!(error.line().is_some(), "{error}");
            }
        }
    }
    assert!(good > 500 && bad > 500, "{good} good, {bad} bad");
}
