//! Every field of an answer about curved bodies, unions and boundaries.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{Context, QueryStream};
use common::{Folder, code, numbers, one};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

const BALL: &str = r#"{"kind":"sphere","radius":1}"#;
const RING: &str = r#"{"kind":"torus","major":2,"minor":0.5}"#;
const CUBE: &str = r#"{"kind":"box","size":[2,2,2]}"#;
const POINT: &str = r#"{"kind":"point"}"#;
const PIN: &str = r#"{"kind":"cylinder","radius":0.5,"height":2}"#;
const CONE: &str = r#"{"kind":"cone","radius":1,"height":2}"#;

/// A line that asks about B moved by a translation.
fn moved(a: &str, b: &str, by: [f64; 3], rest: &str) -> String {
    let [x, y, z] = by;
    format!(r#"{{"a":{a},"b":{b},"pose_b":{{"translation":[{x},{y},{z}]}}{rest}}}"#)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[track_caller]
fn near(found: &Value, expected: &[f64]) {
    let found = numbers(found);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 1e-5, "{found:?} is not {expected:?}");
    }
}

#[test]
fn parameters_are_those_of_each_surface() {
    // The body, where a point stands, its nearest feature and the parameters there.
    let s = std::f64::consts::FRAC_1_SQRT_2;
    for (shape, at, feature, expected) in [
        (BALL, [3.0, 0.0, 0.0], "face:0", Some(vec![0.0, 0.0])),
        (BALL, [-2.0, -2.0, 0.0], "face:0", Some(vec![225.0, 0.0])),
        (BALL, [0.0, 3.0 * s, 3.0 * s], "face:0", Some(vec![90.0, 45.0])),
        (BALL, [0.0, 0.0, 3.0], "face:0", Some(vec![0.0, 90.0])),
        (BALL, [0.0, 0.0, -3.0], "face:0", Some(vec![0.0, -90.0])),
        (r#"{"kind":"ellipsoid","radii":[1,2,3]}"#, [0.0, -5.0, 0.0], "face:0", Some(vec![270.0, 0.0])),
        (PIN, [0.0, -2.0, 0.25], "face:0", Some(vec![270.0, 0.25])),
        (PIN, [0.1, 0.1, 3.0], "face:2", None),
        (PIN, [-2.0, 0.0, 2.0], "edge:1", Some(vec![180.0])),
        (CONE, [0.0, 0.0, 4.0], "vertex:0", Some(vec![])),
        (CONE, [4.0, 0.0, 3.0], "face:0", Some(vec![0.0, 1.2])),
        (RING, [0.0, 4.0, 0.0], "face:0", Some(vec![90.0, 0.0])),
        (RING, [2.0, 0.0, -3.0], "face:0", Some(vec![0.0, 270.0])),
        (RING, [0.5, 0.0, 0.0], "face:0", Some(vec![0.0, 180.0])),
    ] {
        let answer = one(&moved(shape, POINT, at, ""));
        assert_eq!(answer["features"][0], feature, "{answer}");
        match expected {
            None => assert_eq!(answer["parameters"][0], Value::Null, "{answer}"),
            Some(expected) => {
                // Angles just below a whole turn are near 0.
                let below = |value: f64| if value > 359.999 { value - 360.0 } else { value };
                let found: Vec<f64> = numbers(&answer["parameters"][0]).into_iter().map(below).collect();
                near(&json!(found), &expected);
            }
        }
        assert_eq!(answer["parameters"][1], json!([]), "a point is a vertex");
    }
}

#[test]
fn splines_have_their_own_knots() {
    let sheet = r#"{"kind":"nurbs","degree":[1,1],"knots":[[0,0,4,4],[2,2,3,3]],"points":[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]]}"#;
    let answer = one(&moved(sheet, POINT, [0.25, 0.5, 1.0], ""));
    assert_eq!((&answer["features"][0], number(&answer["distance"])), (&json!("face:0"), 1.0));
    near(&answer["parameters"][0], &[1.0, 2.5]);
    let answer = one(&moved(sheet, POINT, [-1.0, 0.5, 0.0], ""));
    assert!(answer["features"][0].as_str().unwrap().starts_with("edge:"), "{answer}");
    assert_eq!(answer["parameters"][0].as_array().unwrap().len(), 1, "{answer}");
}

#[test]
fn features_of_unions_have_the_path_of_their_part() {
    let hammer = format!(
        r#"{{"kind":"union","parts":[{{"shape":{PIN}}},{{"shape":{{"kind":"union","parts":[
            {{"shape":{CUBE},"pose":{{"translation":[0,0,3]}}}},{{"shape":{BALL},"pose":{{"translation":[9,0,3]}}}}]}}}}]}}"#
    )
    .replace('\n', " ");
    let name = |at: [f64; 3]| one(&moved(&hammer, POINT, at, ""))["features"][0].as_str().unwrap().to_owned();
    assert_eq!(name([0.2, 0.1, 5.0]), "1/0/face:5");
    assert_eq!(name([12.0, 0.0, 3.0]), "1/1/face:0");
    assert_eq!(name([0.1, 0.0, -3.0]), "0/face:1");
    let answer = one(&moved(POINT, &hammer, [-12.0, 1.0, -3.0], ""));
    assert_eq!(answer["features"], json!(["vertex:0", "1/1/face:0"]), "{answer}");
}

#[test]
fn boundaries_have_no_inside() {
    let hollow = r#"{"kind":"box","size":[4,4,4],"surface_only":true}"#;
    let inside = one(&moved(hollow, BALL, [0.5, 0.0, 0.0], r#","want":"certificate""#));
    assert_eq!((&inside["state"], &inside["features"][0]), (&json!("separated"), &json!("face:1")));
    assert!((number(&inside["distance"]) - 0.5).abs() < 1e-9, "{inside}");
    // A sphere through a wall crosses it: no depth, no normal, one point.
    let crossing = one(&moved(hollow, BALL, [2.0, 0.0, 0.0], r#","want":["certificate","gradient"]"#));
    assert_eq!(crossing["state"], "touching", "{crossing}");
    assert_eq!((&crossing["distance"], &crossing["lower_bound"]), (&json!(0), &json!(0)), "{crossing}");
    for key in ["signed_distance", "normal", "gradient"] {
        assert_eq!(crossing[key], Value::Null, "{key} of {crossing}");
    }
    assert!(crossing["gradient_reason"].as_str().unwrap().contains("no signed distance"), "{crossing}");
    near(&crossing["points"][0], &numbers(&crossing["points"][1]));
}

#[test]
fn max_error_is_what_the_search_proves() {
    // Coaxial: a whole surface of nearest points, which is settled in closed form however small the error.
    let pipe = r#"{"kind":"surface","surface":"cylinder","radius":2,"v":[-1,1]}"#;
    let ask = |max_error: f64| {
        one(&moved(pipe, PIN, [0.0; 3], &format!(r#","want":"certificate","max_error":{max_error:e}"#)))
    };
    let (coarse, fine) = (ask(1e-1), ask(1e-11));
    for (answer, error) in [(&coarse, 1e-1), (&fine, 1e-11)] {
        assert_eq!(answer["ended"], "certified", "{answer}");
        assert!(number(&answer["distance"]) - number(&answer["lower_bound"]) <= error, "{answer}");
        assert!((number(&answer["distance"]) - 1.5).abs() <= error, "{answer}");
    }
    assert!(number(&fine["work"]["iterations"]) < 20_000.0, "{fine}");
    let tight = one(&moved(BALL, RING, [6.0, 1.0, 2.0], r#","want":"certificate","max_error":1e-300"#));
    assert_ne!(tight["ended"], "certified", "{tight}");
    assert!(number(&tight["distance"]) - number(&tight["lower_bound"]) < 1e-6, "{tight}");
}

#[test]
fn a_deadline_ends_a_search_with_its_bounds() {
    let pipe = r#"{"kind":"surface","surface":"cylinder","radius":2,"v":[-1,1]}"#;
    let line = moved(pipe, PIN, [0.0; 3], r#","want":["certificate","all_minima"]"#);
    let mut stream = QueryStream::new(Context::default()).with_deadline(Instant::now());
    let answer: Value = serde_json::from_str(&stream.answer_line(line.as_bytes()).unwrap()).unwrap();
    assert_eq!(answer["ended"], "limit", "{answer}");
    assert!(number(&answer["lower_bound"]) <= 1.5 && number(&answer["distance"]) >= 1.5 - 1e-12, "{answer}");
    assert!(answer["warnings"][0].as_str().unwrap().contains("`all`"), "{answer}");
}

#[test]
fn bounds_hold_far_from_the_origin_of_the_world() {
    let far = r#"{"translation":[1e6,-2e6,3e6],"axis_angle":[0,0,1,30]}"#;
    let beside = r#"{"translation":[1000004,-2e6,3e6],"axis_angle":[0,1,0,40]}"#;
    let line = format!(r#"{{"a":{BALL},"pose_a":{far},"b":{BALL},"pose_b":{beside},"want":"certificate"}}"#);
    let answer = one(&line);
    let (distance, lower) = (number(&answer["distance"]), number(&answer["lower_bound"]));
    assert!((distance - 2.0).abs() < 1e-8 && lower <= 2.0 && distance - lower < 1e-6, "{answer}");
}

#[test]
fn all_minima_are_listed_nearest_first() {
    let two = format!(
        r#"{{"kind":"union","parts":[{{"shape":{BALL},"pose":{{"translation":[-3,0,0]}}}},
            {{"shape":{CUBE},"pose":{{"translation":[3.5,0,0]}}}}]}}"#
    )
    .replace('\n', " ");
    let answer = one(&moved(&two, POINT, [0.0, 0.25, 0.5], r#","want":["all_minima","certificate"]"#));
    let all = answer["all"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{answer}");
    assert_eq!((&all[0]["features"][0], &all[1]["features"][0]), (&json!("0/face:0"), &json!("1/face:0")));
    assert_eq!(all[0]["distance"], answer["distance"]);
    assert!((number(&all[1]["distance"]) - 2.5).abs() < 1e-9, "{answer}");
    assert_eq!(answer.get("warnings"), None, "{answer}");
    // In the middle of a ring the nearest points are a circle: not all can be listed.
    let line = moved(RING, POINT, [0.0; 3], r#","want":"all_minima""#);
    let soon = Instant::now() + std::time::Duration::from_millis(100);
    let mut stream = QueryStream::new(Context::default()).with_deadline(soon);
    let middle: Value = serde_json::from_str(&stream.answer_line(line.as_bytes()).unwrap()).unwrap();
    assert!((number(&middle["distance"]) - 1.5).abs() < 1e-9, "{middle}");
    assert!(middle["warnings"][0].as_str().unwrap().contains("`all` may lack"), "{middle}");
}

/// Of minima that are equally near each is listed once, the answer first: which of them that is does not replace another one.
#[test]
fn ties_are_all_minima_once_each() {
    let balls = r#"{"kind":"union","parts":[{"shape":{"kind":"sphere","radius":0.5},"pose":{"translation":[2,0,0]}},{"shape":{"kind":"sphere","radius":0.5},"pose":{"translation":[-2,0,0]}}]}"#;
    let floor = r#"{"kind":"half_space","normal":[0,0,1],"offset":-2}"#;
    let egg = r#"{"kind":"ellipsoid","radii":[1,2,3],"surface_only":true}"#;
    let ring = |major: f64| format!(r#"{{"kind":"torus","major":{major},"minor":0.25}}"#);
    let shell = r#"{"kind":"box","size":[2,2,2],"surface_only":true}"#;
    let crossed = r#""axis_angle":[1,0,0,90]"#;
    let straight = r#""translation":[0,0,0]"#;
    let axes: Vec<[f64; 3]> = (0..6)
        .map(|k| [0, 1, 2].map(|axis| if axis == k / 2 { (k % 2) as f64 * 2.0 - 1.0 } else { 0.0 }))
        .collect();
    // Both bodies, how B lies, and the points of A.
    let cases = [
        (balls.to_owned(), floor.to_owned(), straight, vec![[2.0, 0.0, -0.5], [-2.0, 0.0, -0.5]]),
        (egg.to_owned(), POINT.to_owned(), straight, axes[..2].to_vec()),
        (ring(2.0), ring(1.0), crossed, vec![[1.75, 0.0, 0.0], [-1.75, 0.0, 0.0]]),
        (shell.to_owned(), POINT.to_owned(), straight, axes),
    ];
    let mut moved_first = 0;
    for (a, b, lies, expected) in &cases {
        let answer =
            one(&format!(r#"{{"a":{a},"b":{b},"pose_b":{{{lies}}},"want":["all_minima","locus"]}}"#));
        let all = answer["all"].as_array().unwrap();
        assert_eq!((all.len(), answer.get("warnings")), (expected.len(), None), "{answer}");
        assert_eq!((&all[0]["points"], &all[0]["ended"]), (&answer["points"], &answer["ended"]), "{answer}");
        let listed = |point: &[f64; 3]| {
            let is_at = |entry: &&Value| {
                let own = numbers(&entry["points"][0]);
                own.iter().zip(point).all(|(one, other)| (one - other).abs() < 1e-6)
            };
            all.iter().filter(is_at).count()
        };
        assert!(expected.iter().all(|point| listed(point) == 1), "{answer}");
        assert!(
            all.windows(2).all(|two| number(&two[0]["distance"]) <= number(&two[1]["distance"]) + 1e-12),
            "{answer}"
        );
        moved_first += usize::from(numbers(&all[0]["points"][0])[0] < 0.0);
    }
    assert!(moved_first > 0, "the answer was the first of its list everywhere");
}

#[test]
fn gradient_is_the_slope_of_the_distance() {
    let ask = |at: [f64; 3], rest: &str| one(&moved(RING, CONE, at, rest));
    let at = [4.0, 1.0, 1.5];
    let answer = ask(at, r#","want":"gradient""#);
    let (a, b) = (numbers(&answer["gradient"]["a"]), numbers(&answer["gradient"]["b"]));
    for axis in 0..3 {
        assert!((a[axis] + b[axis]).abs() < 1e-12, "only their difference counts");
        let moved = |by: f64| {
            let mut place = at;
            place[axis] += by;
            number(&ask(place, "")["distance"])
        };
        let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!((slope - b[axis]).abs() < 1e-6, "axis {axis}: {slope} against {answer}");
    }
    // A turn about z of B alone.
    let turned = |degrees: f64| {
        let pose = format!(r#"{{"translation":[4,1,1.5],"axis_angle":[0,1,0,{degrees}]}}"#);
        number(&one(&format!(r#"{{"a":{RING},"b":{CONE},"pose_b":{pose}}}"#))["distance"])
    };
    let slope = (turned(1e-3) - turned(-1e-3)) / 2e-3_f64.to_radians();
    assert!((slope - b[4]).abs() < 1e-5, "{slope} against {answer}");
}

/// A ball in the middle of a ring's tube is as near to it all around.
#[test]
fn a_body_inside_another_has_the_locus_of_its_boundary() {
    let marble = r#"{"kind":"sphere","radius":0.2}"#;
    let inside = one(&moved(RING, marble, [2.0, 0.0, 0.0], r#","want":["locus"]"#));
    assert_eq!(
        (&inside["state"], &inside["locus"]["kind"]),
        (&"containing".into(), &"curve".into()),
        "{inside}"
    );
    for pair in inside["locus"]["samples"].as_array().unwrap() {
        let (p, q) = (numbers(&pair[0]), numbers(&pair[1]));
        let apart = (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt();
        assert!((apart - 0.3).abs() < 1e-6 && p[1].abs() < 1e-6, "{pair}");
    }
    let aside = one(&moved(RING, marble, [2.1, 0.0, 0.0], r#","want":["locus"]"#));
    assert_eq!((&aside["state"], &aside["locus"]), (&"containing".into(), &Value::Null), "{aside}");
}

#[test]
fn ties_have_no_gradient_and_are_a_locus() {
    let two = format!(
        r#"{{"kind":"union","parts":[{{"shape":{BALL},"pose":{{"translation":[-3,0,0]}}}},{{"shape":{BALL},"pose":{{"translation":[3,0,0]}}}}]}}"#
    );
    let tie = one(&moved(&two, POINT, [0.0; 3], r#","want":["gradient","locus"]"#));
    assert_eq!(tie["gradient"], Value::Null, "{tie}");
    assert!(tie["gradient_reason"].as_str().unwrap().contains("not unique"), "{tie}");
    assert_eq!(tie["locus"]["kind"], "points", "{tie}");
    let samples = tie["locus"]["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 2, "{tie}");
    let mut ends: Vec<f64> = samples.iter().map(|pair| numbers(&pair[0])[0]).collect();
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] + 2.0).abs() < 1e-9 && (ends[1] - 2.0).abs() < 1e-9, "{tie}");
    let unique = one(&moved(&two, POINT, [0.1, 0.0, 0.0], r#","want":["gradient","locus"]"#));
    assert_eq!(unique["locus"], Value::Null, "{unique}");
    near(&unique["gradient"]["b"], &[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn pin_in_a_hole_is_proven() {
    let hole = r#"{"kind":"revolve","profile":[{"line":[[0.75,-2],[2,-2]]},{"line":[[2,-2],[2,2]]},
        {"line":[[2,2],[0.75,2]]},{"line":[[0.75,2],[0.75,-2]]}]}"#
        .replace('\n', "");
    let answer = one(&moved(&hole, PIN, [0.0, 0.0, 0.25], r#","want":"certificate""#));
    assert_eq!(answer["ended"], "certified", "{answer}");
    assert!((number(&answer["distance"]) - 0.25).abs() < 1e-12, "{answer}");
    assert!(number(&answer["lower_bound"]) > 0.25 - 1e-8, "{answer}");
}

#[test]
fn ratio_of_curved_bodies_is_refused() {
    for (a, b) in [(BALL, CUBE), (CUBE, RING)] {
        assert_eq!(code(&moved(a, b, [5.0, 0.0, 0.0], r#","want":"ratio""#)), "unsupported_pair");
    }
}

/// The certificates of a stream with a fresh folder for them.
fn certified(folder: &Folder, lines: &[String]) -> Vec<Value> {
    let mut stream = QueryStream::new(Context::default()).with_certificates(&folder.0);
    let answer = |line: &String| serde_json::from_str(&stream.answer_line(line.as_bytes()).unwrap()).unwrap();
    lines.iter().map(answer).collect()
}

#[test]
fn certificates_are_files_that_the_checker_accepts() {
    let folder = Folder::new("certificates");
    let line = |id: &str, a: &str, b: &str| {
        format!(
            r#"{{"id":{id},"a":{a},"b":{b},"pose_b":{{"translation":[4,1,2],"axis_angle":[1,0,0,30]}},"units":"mm"}}"#
        )
    };
    let lines = [
        line("7", BALL, RING),
        line("\"pen / bowl\"", PIN, CUBE),
        line("7", CUBE, CUBE),
        moved(CONE, BALL, [4.0, 0.0, 0.0], ""),
        moved(CUBE, CUBE, [1.0, 0.0, 0.0], ""),
    ];
    let answers = certified(&folder, &lines);
    let names = ["7.json", "line-4.json", "7-line-3.json", "pen___bowl.json"];
    let mut expected = names.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(folder.names(), expected);
    for answer in &answers[..4] {
        let file = answer["certificate"].as_str().unwrap_or_else(|| panic!("{answer}"));
        let verdict = clearance_certificate::check(&std::fs::read(Path::new(file)).unwrap()).unwrap();
        assert!((verdict.distance - number(&answer["distance"])).abs() < 1e-12, "{answer}");
        assert!(number(&answer["lower_bound"]) <= verdict.lower_bound, "{answer}");
        assert!(number(&answer["distance"]) - number(&answer["lower_bound"]) < 1e-7, "{answer}");
        assert_eq!(answer.get("warnings"), None, "{answer}");
    }
    let overlapping = &answers[4];
    assert_eq!(overlapping.get("certificate"), None, "{overlapping}");
    assert!(overlapping["warnings"][0].as_str().unwrap().contains("overlap"), "{overlapping}");
}

#[test]
fn certificates_that_cannot_be_written_are_errors() {
    let folder = Folder::new("no-certificates");
    let mut stream = QueryStream::new(Context::default()).with_certificates(folder.0.join("none"));
    let line = moved(BALL, BALL, [4.0, 0.0, 0.0], "");
    let answer: Value = serde_json::from_str(&stream.answer_line(line.as_bytes()).unwrap()).unwrap();
    assert_eq!(answer["error"]["code"], "write_failed", "{answer}");
}

#[test]
fn overlaps_have_a_depth_where_both_are_convex() {
    let rest = r#","want":["certificate","gradient","locus","all_minima"]"#;
    let deep = one(&moved(BALL, BALL, [1.5, 0.0, 0.0], rest));
    assert_eq!(deep["state"], "penetrating", "{deep}");
    assert!((number(&deep["signed_distance"]) + 0.5).abs() < 1e-9, "{deep}");
    near(&deep["normal"], &[1.0, 0.0, 0.0]);
    near(&deep["gradient"]["b"], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let bead = r#"{"kind":"sphere","radius":0.1}"#;
    let inside = one(&moved(BALL, bead, [0.3, 0.0, 0.0], rest));
    assert_eq!((&inside["state"], &inside["inside"]), (&json!("containing"), &json!("b")), "{inside}");
    assert!((number(&inside["signed_distance"]) + 0.8).abs() < 1e-9, "{inside}");
    // A ring is not convex: the bead in its tube has no depth.
    let inside = one(&moved(RING, bead, [2.0, 0.0, 0.0], rest));
    assert_eq!((&inside["state"], &inside["inside"]), (&json!("containing"), &json!("b")), "{inside}");
    assert_eq!((&inside["signed_distance"], &inside["distance"]), (&Value::Null, &json!(0)), "{inside}");
}

#[test]
fn planar_bodies_of_curves_are_answered() {
    // A unit disk as four rational arcs.
    let arc = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        format!(
            r#"{{"degree":2,"knots":[0,0,0,5,5,5],"points":[{p:?},{q:?},{r:?}],"weights":[1,0.7071067811865476,1]}}"#
        )
    };
    let [e, n, w, s] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    let arcs =
        [arc(e, [1.0, 1.0], n), arc(n, [-1.0, 1.0], w), arc(w, [-1.0, -1.0], s), arc(s, [1.0, -1.0], e)];
    let disk = format!(r#"{{"kind":"planar_tiled","curves":[{}]}}"#, arcs.join(","));
    let square = r#"{"kind":"polygon","points":[[0,0],[2,0],[2,2],[0,2]]}"#;
    let ask = |x: f64, y: f64, want: &str| {
        one(&format!(r#"{{"a":{disk},"b":{square},"pose_b":{{"translation":[{x},{y}]}},"want":[{want}]}}"#))
    };
    let all = r#""certificate","gradient","locus","all_minima""#;
    let apart = ask(3.0, 4.0, all);
    assert!((number(&apart["distance"]) - 4.0).abs() < 1e-9, "{apart}");
    assert_eq!((&apart["ended"], &apart["features"]), (&json!("certified"), &json!(["edge:0", "vertex:0"])));
    assert_eq!(apart["parameters"][0].as_array().unwrap().len(), 1, "{apart}");
    near(&apart["gradient"]["b"], &[0.6, 0.8, 0.0]);
    assert_eq!((&apart["locus"], &apart["all"][0]["distance"]), (&Value::Null, &apart["distance"]));
    let deep = ask(0.9, -1.0, r#""certificate""#);
    assert!((number(&deep["signed_distance"]) + 0.1).abs() < 1e-9, "{deep}");
}

/// A disc of four arcs, and a point that goes through it: what is proven never is above the signed distance, inside as outside.
#[test]
fn lower_bounds_of_points_in_planar_bodies_are_below_their_signed_distance() {
    let corners = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let arcs: Vec<Value> = (0..4)
        .map(|k| {
            let (from, to) = (corners[k], corners[(k + 1) % 4]);
            let middle = [from[0] + to[0], from[1] + to[1]];
            json!({"degree": 2, "knots": [0, 0, 0, 1, 1, 1], "points": [from, middle, to], "weights": [1.0, half, 1.0]})
        })
        .collect();
    let disc = json!({"kind": "planar_tiled", "curves": arcs});
    let (mut inside, mut outside) = (0, 0);
    for step in 0..40 {
        let x = -1.45 + 0.073 * f64::from(step);
        let line = json!({"a": disc, "b": {"kind": "point", "planar": true}, "pose_b": {"translation": [x, 0.2]}, "want": "certificate"});
        let answer = one(&line.to_string());
        let truth = x.hypot(0.2) - 1.0;
        let [signed, lower] = ["signed_distance", "lower_bound"].map(|key| answer[key].as_f64().unwrap());
        assert!((signed - truth).abs() < 1e-12, "{x}: {answer}");
        assert!(lower <= truth + 1e-15 && truth - lower < 1e-8, "{x}: {lower} of {truth}");
        inside += usize::from(truth < 0.0);
        outside += usize::from(truth > 0.0);
    }
    assert!(inside > 20 && outside > 8, "{inside} {outside}");
}

#[test]
fn caps_of_capsules_are_named_beside_open_patches() {
    // A search for the segment of a capsule may end at its end, where the ball begins.
    for (angle, face) in [(0, "face:1"), (180, "face:2"), (30, "face:1"), (150, "face:2")] {
        let line = format!(
            r#"{{"a":{{"kind":"surface","surface":"plane","u":[-9,9],"v":[-9,9]}},
                "b":{{"kind":"capsule","radius":0.7,"height":1}},
                "pose_b":{{"translation":[0.3,0.2,4],"axis_angle":[1,0,0,{angle}]}}}}"#
        );
        let answer = one(&line.replace('\n', " "));
        assert_eq!(answer["features"][1], face, "{answer}");
        let latitude = answer["parameters"][1][1].as_f64().unwrap();
        assert!((latitude.abs() - (90.0 - f64::from(angle.min(180 - angle)))).abs() < 1e-6, "{answer}");
    }
}
