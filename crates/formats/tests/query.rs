//! Every field of an answer, and the manners of the stream.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{Context, QueryStream, Units};
use common::{ask, ask_in, code, numbers, one};
use serde_json::{Value, json};

const CUBE: &str = r#"{"kind":"box","size":[2,2,2]}"#;

/// Two boxes of side 2, the second at `x` along the x axis and a little aside.
fn boxes(x: f64, more: &str) -> Value {
    one(&format!(r#"{{"id":1,"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[{x},0.5,0]}}{more}}}"#))
}

#[test]
fn separated_answer_has_every_field() {
    let answer = boxes(5.0, "");
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["state"], "separated");
    assert_eq!(answer["distance"], 3);
    assert_eq!(answer["signed_distance"], 3);
    assert_eq!(numbers(&answer["normal"]), [1.0, 0.0, 0.0]);
    let (a, b) = (numbers(&answer["points"][0]), numbers(&answer["points"][1]));
    assert_eq!((a[0], b[0]), (1.0, 4.0));
    assert_eq!(&a[1..], &b[1..]);
    let feature = answer["features"][0].as_str().unwrap();
    assert!(["face:", "edge:", "vertex:"].iter().any(|word| feature.starts_with(word)), "{feature}");
    assert_eq!(answer["ended"], "converged");
    for count in ["iterations", "supports", "moves", "escapes"] {
        assert!(answer["work"][count].is_u64(), "{count}");
    }
    assert_eq!(answer["parameters"].as_array().unwrap().len(), 2);
    for absent in ["inside", "warnings", "units", "ratio", "lower_bound", "gradient", "locus", "all", "error"]
    {
        assert!(answer.get(absent).is_none(), "{absent}");
    }
}

#[test]
fn fields_stand_in_the_stated_order() {
    let line = format!(r#"{{"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[5,0,0]}}}}"#);
    let text = QueryStream::new(Context::default()).answer_line(line.as_bytes()).unwrap();
    let order = [
        "id",
        "state",
        "distance",
        "signed_distance",
        "points",
        "normal",
        "features",
        "parameters",
        "ended",
        "work",
    ];
    let places: Vec<usize> = order.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn penetrating_answer_has_the_depth() {
    let answer = boxes(1.75, "");
    assert_eq!(answer["state"], "penetrating");
    assert_eq!(answer["distance"], 0);
    assert_eq!(answer["signed_distance"], -0.25);
    let (a, b) = (numbers(&answer["points"][0]), numbers(&answer["points"][1]));
    let normal = numbers(&answer["normal"]);
    for axis in 0..3 {
        assert!((b[axis] - a[axis] + 0.25 * normal[axis]).abs() < 1e-15);
    }
}

#[test]
fn touching_answer_is_zero() {
    let answer = boxes(2.0, "");
    assert_eq!((&answer["state"], &answer["distance"]), (&json!("touching"), &json!(0)));
    assert_eq!(answer["signed_distance"], 0);
}

#[test]
fn containing_answer_says_which_is_inside() {
    let small = r#"{"kind":"box","size":[0.5,0.5,0.5]}"#;
    let inner = one(&format!(r#"{{"a":{small},"b":{CUBE},"pose_b":{{"translation":[0.1,0,0]}}}}"#));
    assert_eq!((&inner["state"], &inner["inside"]), (&json!("containing"), &json!("a")));
    let outer = one(&format!(r#"{{"a":{CUBE},"b":{small},"pose_b":{{"translation":[0.1,0,0]}}}}"#));
    assert_eq!((&outer["state"], &outer["inside"]), (&json!("containing"), &json!("b")));
    assert!(outer["signed_distance"].as_f64().unwrap() < 0.0);
}

#[test]
fn parameters_are_empty_on_vertices_and_null_on_flat_features() {
    let answer =
        one(&format!(r#"{{"a":{CUBE},"b":{{"kind":"point"}},"pose_b":{{"translation":[3,0.1,0.2]}}}}"#));
    assert_eq!(answer["features"], json!(["face:1", "vertex:0"]));
    assert_eq!(answer["parameters"], json!([null, []]));
}

#[test]
fn features_carry_input_numbers() {
    // The first vertex is no corner, so the body has fewer vertices than the input.
    let hull = r#"{"kind":"polytope","points":[[0.2,0.2,0.2],[1,0,0],[0,1,0],[0,0,1],[0,0,0]]}"#;
    let answer = one(&format!(r#"{{"a":{hull},"b":{{"kind":"point"}},"pose_b":{{"translation":[0,0,3]}}}}"#));
    assert_eq!(answer["features"][0], "vertex:3");
    assert_eq!(answer["warnings"].as_array().unwrap().len(), 1);
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("a: "));
}

#[test]
fn id_is_echoed_whatever_it_is() {
    for id in ["7", "\"pen\"", "null", "[1,{\"x\":2}]", "12345678901234567890123", "1.50", "true"] {
        let line = format!(r#"{{"id":{id},"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[5,0,0]}}}}"#);
        let text = QueryStream::new(Context::default()).answer_line(line.as_bytes()).unwrap();
        assert!(text.starts_with(&format!("{{\"id\":{id},\"state\"")), "{text}");
    }
    assert_eq!(one(&format!(r#"{{"a":{CUBE},"b":{CUBE}}}"#))["id"], Value::Null);
}

#[test]
fn id_is_echoed_on_failure() {
    let answer = one(r#"{"id":"x","a":{"kind":"box","size":[1,1,1e999]},"b":{"kind":"point"}}"#);
    assert_eq!(answer["id"], "x");
    assert_eq!(answer["error"]["code"], "number_out_of_range");
    assert!(answer["error"]["message"].as_str().unwrap().contains("1e999"), "{answer}");
    assert_eq!(answer["error"]["line"], 1);
    assert_eq!(answer.as_object().unwrap().len(), 2, "nothing but id and error");
}

#[test]
fn names_are_defined_and_used() {
    let answers = ask(&format!(
        "{{\"define\":\"cube\",\"shape\":{CUBE}}}\n\
         {{\"a\":\"cube\",\"b\":\"cube\",\"pose_b\":{{\"translation\":[4,0,0]}}}}\n\
         {{\"a\":\"cube\",\"b\":\"pen\"}}\n"
    ));
    assert_eq!(answers[0], json!({"define": "cube", "ok": true, "warnings": []}));
    assert_eq!(answers[1]["distance"], 2);
    assert_eq!(answers[2]["error"]["code"], "unknown_name");
    assert!(answers[2]["error"]["message"].as_str().unwrap().contains("pen"));
    assert_eq!(answers[2]["error"]["line"], 3);
}

#[test]
fn definitions_carry_warnings() {
    let inside_out = r#"{"kind":"polytope","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],
        "faces":[[0,1,2],[0,3,1],[0,2,3],[1,3,2]]}"#
        .replace('\n', " ");
    let answer = one(&format!(r#"{{"define":"t","shape":{inside_out}}}"#));
    assert!(answer["warnings"][0].as_str().unwrap().contains("turned"), "{answer}");
}

#[test]
fn bad_lines_never_stop_the_stream() {
    let good = format!(r#"{{"id":2,"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[4,0,0]}}}}"#);
    let input = format!("not json\n\n   \n[1,2]\n{{\"a\":1}}\n\u{1}\n{good}\n{{\"a\"");
    let (answers, summary) = ask_in(Context::default(), &input);
    assert_eq!((summary.answered, summary.failed), (6, 5));
    assert_eq!(answers[4]["distance"], 2);
    let lines: Vec<u64> =
        [0, 1, 2, 3, 5].iter().map(|i| answers[*i]["error"]["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 4, 5, 6, 8], "blank lines are skipped but counted");
}

#[test]
fn byte_order_mark_and_windows_line_ends_are_accepted() {
    let line = format!(r#"{{"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[4,0,0]}}}}"#);
    let answers = ask(&format!("\u{feff}{line}\r\n\r\n{line}\r\n"));
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|answer| answer["distance"] == 2));
}

#[test]
fn long_lines_are_answered_without_being_held() {
    let good = format!(r#"{{"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[4,0,0]}}}}"#);
    let input = format!("{}\n{good}\n{}", "x".repeat(5000), "y".repeat(3000));
    let mut output = Vec::new();
    let mut stream = QueryStream::new(Context::default()).with_max_line_bytes(1000);
    // A small buffer, so that the long line comes in many pieces.
    let summary = stream.run(std::io::BufReader::with_capacity(64, input.as_bytes()), &mut output).unwrap();
    assert_eq!((summary.answered, summary.failed), (3, 2));
    let text = String::from_utf8(output).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["error"]["code"], "line_too_long");
    assert_eq!(answers[1]["distance"], 2);
    assert_eq!(
        answers[2]["error"],
        json!({"code": "line_too_long", "message": "the line is longer than 1000 bytes", "line": 3})
    );
}

#[test]
fn ratio_and_rho_are_answered() {
    let answer =
        one(&format!(r#"{{"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[3,0,0]}},"want":["ratio"]}}"#));
    assert_eq!(answer["ratio"], 1.5);
    assert!((answer["rho"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-15);
    let same = one(&format!(r#"{{"a":{CUBE},"b":{CUBE},"want":["ratio"]}}"#));
    assert_eq!((&same["ratio"], &same["rho"]), (&json!(0), &Value::Null));
    assert_eq!(
        code(&format!(r#"{{"a":{CUBE},"b":{{"kind":"point"}},"want":["ratio"]}}"#)),
        "unsupported_pair"
    );
    let floor = r#"{"kind":"half_space","normal":[0,0,1],"offset":0}"#;
    assert_eq!(code(&format!(r#"{{"a":{CUBE},"b":{floor},"want":["ratio"]}}"#)), "unsupported_pair");
}

#[test]
fn certificate_bounds_the_distance_from_below() {
    let answer = boxes(5.0, r#","want":["certificate"]"#);
    let lower = answer["lower_bound"].as_f64().unwrap();
    assert!(lower <= 3.0 && lower > 3.0 - 1e-12, "{lower}");
    assert_eq!(answer["ended"], "certified");
    let deep = boxes(1.75, r#","want":"certificate""#);
    let lower = deep["lower_bound"].as_f64().unwrap();
    assert!(lower <= -0.25 && lower > -0.25 - 1e-12, "{lower}");
    assert_eq!(deep["ended"], "converged", "a lower bound alone does not prove a depth");
}

#[test]
fn max_error_decides_how_an_answer_ended() {
    assert_eq!(boxes(5.0, r#","max_error":1e-9"#)["ended"], "certified");
    assert_eq!(boxes(5.0, r#","max_error":1e-300"#)["ended"], "stalled");
    assert_eq!(boxes(5.0, r#","max_error":0"#)["error"]["code"], "bad_value");
    assert_eq!(boxes(5.0, r#","max_error":"small""#)["error"]["code"], "wrong_type");
}

#[test]
fn gradient_is_a_twist_for_each_body() {
    let answer = one(&format!(
        r#"{{"a":{CUBE},"pose_a":{{"translation":[10,0,0]}},"b":{{"kind":"segment","points":[[0,0,0],[1,1,1]]}},
            "pose_b":{{"translation":[13,0.25,0.5]}},"want":["gradient"]}}"#
    ).replace('\n', " "));
    // The closest points are (11, 0.25, 0.5) and (13, 0.25, 0.5); the normal is x.
    assert_eq!(numbers(&answer["gradient"]["a"]), [-1.0, 0.0, 0.0, 0.0, -0.5, 0.25]);
    assert_eq!(numbers(&answer["gradient"]["b"]), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn gradient_is_null_with_a_reason_where_there_is_none() {
    for (x, word) in [(5.0, "parallel"), (2.0, "parallel")] {
        let answer = boxes(x, r#","want":["gradient"]"#);
        assert_eq!(answer["gradient"], Value::Null);
        assert!(answer["gradient_reason"].as_str().unwrap().contains(word), "{answer}");
    }
}

#[test]
fn locus_is_null_a_curve_or_an_area() {
    let area = boxes(5.0, r#","want":["locus"]"#);
    assert_eq!(area["locus"]["kind"], "area");
    let samples = area["locus"]["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 4);
    for sample in samples {
        let (a, b) = (numbers(&sample[0]), numbers(&sample[1]));
        assert_eq!((a[0], b[0]), (1.0, 4.0));
        assert!((a[1] - b[1]).abs() < 1e-15 && (-0.5..=1.0).contains(&a[1]), "{sample}");
    }
    let rod = r#"{"kind":"segment","points":[[0,0,-9],[0,0,9]]}"#;
    let curve =
        one(&format!(r#"{{"a":{CUBE},"b":{rod},"pose_b":{{"translation":[3,0,0]}},"want":["locus"]}}"#));
    assert_eq!(curve["locus"]["kind"], "curve");
    let mut ends: Vec<f64> =
        curve["locus"]["samples"].as_array().unwrap().iter().map(|pair| numbers(&pair[0])[2]).collect();
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] + 1.0).abs() < 1e-14 && (ends[1] - 1.0).abs() < 1e-14, "{ends:?}");
    let unique = one(&format!(
        r#"{{"a":{CUBE},"b":{{"kind":"point"}},"pose_b":{{"translation":[3,0,0]}},"want":["locus"]}}"#
    ));
    assert_eq!(unique.get("locus"), Some(&Value::Null));
}

#[test]
fn all_minima_of_convex_bodies_is_one_answer() {
    let answer = boxes(5.0, r#","want":["all_minima"]"#);
    let all = answer["all"].as_array().unwrap();
    assert_eq!(all.len(), 1);
    for key in ["state", "distance", "points", "normal", "features"] {
        assert_eq!(all[0][key], answer[key]);
    }
}

#[test]
fn wants_are_checked() {
    assert_eq!(boxes(5.0, r#","want":["mass"]"#)["error"]["code"], "unknown_want");
    assert_eq!(boxes(5.0, r#","want":[7]"#)["error"]["code"], "wrong_type");
    assert_eq!(boxes(5.0, r#","want":[]"#)["distance"], 3);
}

#[test]
fn units_are_echoed_unless_metres() {
    assert_eq!(boxes(5.0, r#","units":"mm""#)["units"], "mm");
    assert!(boxes(5.0, r#","units":"m""#).get("units").is_none());
    assert_eq!(boxes(5.0, r#","units":"ft""#)["error"]["code"], "unknown_units");
    let (answers, _) = ask_in(
        Context::new("", Units::Inch),
        &format!(r#"{{"a":{CUBE},"b":{CUBE},"pose_b":{{"translation":[5,0,0]}}}}"#),
    );
    assert_eq!((&answers[0]["units"], &answers[0]["distance"]), (&json!("in"), &json!(3)));
}

#[test]
fn named_shapes_are_converted_to_the_unit_of_the_line() {
    let answers = ask(&format!(
        "{{\"define\":\"cube\",\"shape\":{CUBE},\"units\":\"cm\"}}\n\
         {{\"a\":\"cube\",\"b\":\"cube\",\"pose_b\":{{\"translation\":[50,0,0]}},\"units\":\"mm\"}}\n\
         {{\"a\":\"cube\",\"b\":\"cube\",\"pose_b\":{{\"translation\":[1,0,0]}}}}\n"
    ));
    assert_eq!((&answers[1]["distance"], &answers[1]["units"]), (&json!(30), &json!("mm")));
    assert_eq!(answers[2]["distance"], 0.98);
}

#[test]
fn planar_bodies_have_planar_answers() {
    let square = r#"{"kind":"polygon","points":[[-1,-1],[1,-1],[1,1],[-1,1]]}"#;
    let answer = one(&format!(
        r#"{{"a":{square},"b":{{"kind":"point","planar":true}},"pose_b":{{"translation":[3,0.5],"angle":30}},
            "want":["gradient","locus","certificate","ratio"]}}"#
    )
    .replace('\n', " ")
    .replace(r#","ratio""#, ""));
    assert_eq!(answer["distance"], 2);
    assert_eq!(numbers(&answer["points"][0]), [1.0, 0.5]);
    assert_eq!(numbers(&answer["normal"]), [1.0, 0.0]);
    assert_eq!(numbers(&answer["gradient"]["a"]), [-1.0, 0.0, 0.5]);
    assert_eq!(numbers(&answer["gradient"]["b"]), [1.0, 0.0, 0.0]);
    assert_eq!(answer["locus"], Value::Null);
    assert!(answer["lower_bound"].as_f64().unwrap() <= 2.0);
    let beside = one(&format!(
        r#"{{"a":{square},"b":{square},"pose_b":{{"translation":[5,1]}},"want":["locus","gradient","ratio"]}}"#
    ));
    assert_eq!(beside["locus"]["kind"], "curve");
    assert_eq!(beside["gradient"], Value::Null);
    assert_eq!(beside["ratio"], 2.5);
}

#[test]
fn planar_and_solid_do_not_mix() {
    let square = r#"{"kind":"polygon","points":[[-1,-1],[1,-1],[1,1],[-1,1]]}"#;
    assert_eq!(code(&format!(r#"{{"a":{square},"b":{CUBE}}}"#)), "dimension_mismatch");
    assert_eq!(code(&format!(r#"{{"a":{square},"b":{{"kind":"point"}}}}"#)), "dimension_mismatch");
    let line = format!(r#"{{"a":{square},"pose_a":{{"rotation":[0,0,0,1]}},"b":{square}}}"#);
    assert_eq!(code(&line), "dimension_mismatch");
    let line = format!(r#"{{"a":{square},"pose_a":{{"translation":[0,0,1]}},"b":{square}}}"#);
    assert_eq!(code(&line), "dimension_mismatch");
    assert_eq!(code(&format!(r#"{{"a":{CUBE},"pose_a":{{"angle":3}},"b":{CUBE}}}"#)), "dimension_mismatch");
}

#[test]
fn half_spaces_have_no_distance_from_each_other() {
    let floor = r#"{"kind":"half_space","normal":[0,0,2],"offset":1}"#;
    assert_eq!(code(&format!(r#"{{"a":{floor},"b":{floor}}}"#)), "unsupported_pair");
    let answer = one(&format!(r#"{{"a":{floor},"b":{CUBE},"pose_b":{{"translation":[0,0,4]}}}}"#));
    assert_eq!((&answer["distance"], &answer["features"][0]), (&json!(2.5), &json!("face:0")));
}

#[test]
fn malformed_lines_have_their_codes() {
    for (line, expected) in [
        ("{", "bad_json"),
        ("[]", "bad_json"),
        ("7", "bad_json"),
        (r#"{"a":NaN}"#, "bad_json"),
        (r#"{"a":1,"a":2}"#, "bad_json"),
        (r#"{"a":{"kind":"box","kind":"box"},"b":1}"#, "bad_json"),
        ("{}", "missing_field"),
        (r#"{"define":"x"}"#, "missing_field"),
        (r#"{"define":7,"shape":{"kind":"point"}}"#, "wrong_type"),
        (r#"{"define":"x","shape":{"kind":"point"},"a":1}"#, "unknown_key"),
        (r#"{"a":{"kind":"point"}}"#, "missing_field"),
        (r#"{"a":7,"b":{"kind":"point"}}"#, "wrong_type"),
        (r#"{"a":{"kind":"point"},"b":{"kind":"point"},"colour":1}"#, "unknown_key"),
        (
            r#"{"a":{"kind":"point"},"b":{"kind":"point"},"pose_b":{"translation":[1e300,0,0]}}"#,
            "number_out_of_range",
        ),
        (r#"{"id":1e999,"a":{"kind":"point"},"b":{"kind":"point"}}"#, "number_out_of_range"),
    ] {
        assert_eq!(code(line), expected, "{line}");
    }
}

#[test]
fn text_that_is_not_utf8_is_bad_json() {
    let answer = QueryStream::new(Context::default()).answer_line(b"{\"a\":\"\xff\"}").unwrap();
    assert!(answer.contains("bad_json"), "{answer}");
}

#[test]
fn numbers_read_back_to_the_same_bits() {
    let (x, y) = (0.1 + 0.2, 1.0 / 3.0 * 1e-7);
    let answer = one(&format!(
        r#"{{"a":{{"kind":"point"}},"b":{{"kind":"point"}},"pose_b":{{"translation":[{x},{y},-0.0]}}}}"#
    ));
    assert_eq!(numbers(&answer["points"][1]), [x, y, 0.0]);
    let text = answer.to_string();
    assert!(!text.contains("-0,") && !text.contains("-0.0") && !text.contains("NaN"), "{text}");
}

#[test]
fn messages_speak_of_a_and_b_in_the_words_of_the_format() {
    let message = |line: &str| one(line)["error"]["message"].as_str().unwrap().to_owned();
    let cube = r#"{"kind":"box","size":[1,1,1]}"#;
    let floor = r#"{"kind":"half_space","normal":[0,0,1],"offset":0}"#;
    let ratio = message(&format!(r#"{{"a":{cube},"b":{{"kind":"point"}},"want":"ratio"}}"#));
    assert!(ratio.contains("b has no interior"), "{ratio}");
    let walls = message(&format!(r#"{{"a":{floor},"b":{floor}}}"#));
    assert!(walls.contains("two half-spaces"), "{walls}");
    let want = message(&format!(r#"{{"a":{cube},"b":{cube},"want":[1]}}"#));
    assert!(want.contains("no plain numbers"), "{want}");
}

/// The slack of a climb is kept in single precision; sizes beyond it were answered wrongly or never.
#[test]
fn sizes_that_cannot_be_computed_with_are_refused() {
    let ball = |size: f64| {
        let points: Vec<String> = (0..60)
            .map(|i| {
                let (height, turn) = (1.0 - (2.0 * f64::from(i) + 1.0) / 60.0, 2.4 * f64::from(i));
                let around = (1.0 - height * height).sqrt();
                format!(
                    "[{:e},{:e},{:e}]",
                    around * turn.cos() * size,
                    around * turn.sin() * size,
                    height * size
                )
            })
            .collect();
        format!(r#"{{"kind":"polytope","points":[{}]}}"#, points.join(","))
    };
    let line = |size: f64| {
        let ball = ball(size);
        format!(r#"{{"a":{ball},"b":{ball},"pose_b":{{"translation":[{:e},0,0]}}}}"#, 3.0 * size)
    };
    let distance = |size: f64| one(&line(size))["distance"].as_f64().unwrap() / size;
    for size in [1e-19, 1e-12, 1e20, 1e49] {
        assert!((distance(size) - distance(1.0)).abs() < 1e-12, "{size:e}");
    }
    for size in [1e-60, 1e-30, 1e60, 1e80] {
        assert_eq!(code(&line(size)), "number_out_of_range", "{size:e}");
    }
}
