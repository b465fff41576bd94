//! Every way to get a curved shape wrong has its code and names its key.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{Context, Data, QueryStream, Shape, Value};

/// Fails with this code, at this key.
#[track_caller]
fn fails(text: &str, code: &str, key: &str) {
    let error = Shape::from_json(text, &Context::default()).map(|_| ()).expect_err(text);
    assert_eq!((error.code(), error.key().unwrap_or("")), (code, key), "{text}\n{error}");
}

#[test]
fn sizes_must_be_there_positive_and_in_range() {
    for (text, code, key) in [
        (r#"{"kind":"sphere"}"#, "missing_field", ""),
        (r#"{"kind":"sphere","radius":0}"#, "bad_value", "radius"),
        (r#"{"kind":"sphere","radius":-1}"#, "bad_value", "radius"),
        (r#"{"kind":"sphere","radius":"1"}"#, "wrong_type", "radius"),
        (r#"{"kind":"sphere","radius":1e99}"#, "number_out_of_range", "radius"),
        (r#"{"kind":"sphere","radius":1e-99}"#, "number_out_of_range", "radius"),
        (r#"{"kind":"sphere","radius":1,"height":1}"#, "unknown_key", "height"),
        (r#"{"kind":"ellipsoid","radii":[1,2]}"#, "dimension_mismatch", "radii"),
        (r#"{"kind":"ellipsoid","radii":[1,2,0]}"#, "bad_value", "radii"),
        (r#"{"kind":"ellipsoid","radii":[1,2,1e-99]}"#, "number_out_of_range", "radii"),
        (r#"{"kind":"ellipsoid","radii":[1,1e99,1]}"#, "number_out_of_range", "radii"),
        (r#"{"kind":"cylinder","radius":1}"#, "missing_field", ""),
        (r#"{"kind":"cylinder","radius":1,"height":0}"#, "bad_value", "height"),
        (r#"{"kind":"cone","radius":1,"height":1,"top_radius":-1}"#, "bad_value", "top_radius"),
        (r#"{"kind":"capsule","height":1}"#, "missing_field", ""),
        (r#"{"kind":"torus","major":1,"minor":2}"#, "bad_value", "minor"),
        (r#"{"kind":"torus","major":1,"minor":1}"#, "bad_value", "minor"),
        (r#"{"kind":"torus","major":1,"minor":NaN}"#, "bad_json", ""),
    ] {
        fails(text, code, key);
    }
}

#[test]
fn profiles_must_join_and_agree_with_their_ends() {
    let with = |profile: &str| format!(r#"{{"kind":"revolve","profile":{profile}}}"#);
    for (profile, code, key) in [
        ("[]", "bad_value", "profile"),
        ("7", "wrong_type", "profile"),
        (r#"[{"line":[[0,0],[1,1]]},{"line":[[1,2],[0,2]]}]"#, "inconsistent_profile", "profile[1]"),
        (r#"[{"line":[[0,0],[-1,1]]}]"#, "inconsistent_profile", "profile[0]"),
        (r#"[{"line":[[1,1],[1,1]]}]"#, "inconsistent_profile", "profile[0]"),
        (
            r#"[{"arc":{"center":[0,0],"from":[1,0],"to":[0,2],"ccw":true}}]"#,
            "inconsistent_profile",
            "profile[0]",
        ),
        (
            r#"[{"arc":{"center":[1,0],"from":[3,0],"to":[1,-2],"ccw":true}}]"#,
            "inconsistent_profile",
            "profile[0]",
        ),
        (r#"[{"parabola":{"from":[0,0],"to":[2,1],"focal":2}}]"#, "inconsistent_profile", "profile[0]"),
        (r#"[{"parabola":{"from":[1,0],"to":[1,1]}}]"#, "inconsistent_profile", "profile[0]"),
        (r#"[{"arc":{"center":[0,0],"from":[1,0],"to":[0,1]}}]"#, "missing_field", "profile[0].arc"),
        (r#"[{"arc":{"center":[0,0],"from":[1,0],"to":[0,1],"ccw":1}}]"#, "wrong_type", "profile[0].arc.ccw"),
        (r#"[{"line":[[0,0]]}]"#, "wrong_type", "profile[0].line"),
        (r#"[{"line":[[0,0],[1,2,3]]}]"#, "dimension_mismatch", "profile[0].line[1]"),
        (r#"[{"spline":[]}]"#, "unknown_key", "profile[0].spline"),
        (r#"[{"line":[[0,0],[1,1]],"colour":1}]"#, "unknown_key", "profile[0].colour"),
        ("[{}]", "bad_value", "profile[0]"),
        (r#"[{"line":[[0,0],[1e99,1]]}]"#, "number_out_of_range", "profile[0].line[1]"),
    ] {
        fails(&with(profile), code, key);
    }
}

/// A flat patch with one thing changed.
fn patch(change: &[(&str, &str)]) -> String {
    let mut fields = vec![
        ("degree", "[1,1]"),
        ("knots", "[[0,0,1,1],[0,0,1,1]]"),
        ("points", "[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]]"),
    ];
    for (key, value) in change {
        fields.retain(|(name, _)| name != key);
        if !value.is_empty() {
            fields.push((key, value));
        }
    }
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{\"kind\":\"nurbs\",{}}}", fields.join(","))
}

#[test]
fn splines_name_what_is_wrong_with_them() {
    for (key, value, code, place) in [
        ("degree", "", "missing_field", ""),
        ("degree", "[0,1]", "bad_value", "degree"),
        ("degree", "[1.5,1]", "bad_value", "degree"),
        ("degree", "1", "wrong_type", "degree"),
        ("degree", "[3,1]", "bad_value", "points"),
        ("knots", "[[0,0,1,1]]", "wrong_type", "knots"),
        ("knots", "[[0,0,1,1],[0,0,1]]", "bad_knots", "knots[1]"),
        ("knots", "[[0,0,1,1],[0,0,1,0.5]]", "bad_knots", "knots[1]"),
        ("knots", "[[0,1,0,1],[0,0,1,1]]", "bad_knots", "knots[0]"),
        ("knots", "[[0,0,0,1],[0,0,1,1]]", "bad_knots", "knots[0]"),
        ("knots", "[[0,0,0,0],[0,0,1,1]]", "bad_knots", "knots[0]"),
        ("knots", "[[0,0,1,\"x\"],[0,0,1,1]]", "wrong_type", "knots[0][3]"),
        ("points", "[]", "bad_value", "points"),
        ("points", "[[[0,0,0],[0,1,0]],[[1,0,0]]]", "bad_value", "points[1]"),
        ("points", "[[[0,0,0],[0,1,0]],[[1,0,0],[1,1]]]", "dimension_mismatch", "points[1][1]"),
        ("points", "[[[0,0,0],[0,1,0]],[[1,0,0],[1,1,1e99]]]", "number_out_of_range", "points[1][1]"),
        ("points", "[[[0,0,0],[0,1e-30,0]],[[1e-30,0,0],[1e-30,1e-30,0]]]", "number_out_of_range", "points"),
        ("points", "[[[1,1,1],[1,1,1]],[[1,1,1],[1,1,1]]]", "bad_value", ""),
        ("weights", "[[1,1],[1,0]]", "bad_weight", "weights"),
        ("weights", "[[1,1],[1,-2]]", "bad_weight", "weights"),
        ("weights", "[[1,1]]", "bad_weight", "weights"),
        ("weights", "[1,1,1,1]", "wrong_type", "weights"),
        ("velocities", "[[[0,0,0],[0,0,0]]]", "bad_value", "velocities"),
        ("velocities", "[[[0,0,0],[0,0,0]],[[0,0,0],[0,0]]]", "dimension_mismatch", "velocities[1][1]"),
        ("reversed", "1", "wrong_type", "reversed"),
        ("colour", "1", "unknown_key", "colour"),
    ] {
        fails(&patch(&[(key, value)]), code, place);
    }
}

#[test]
fn dictionaries_with_nan_are_refused() {
    let Data::Table(mut entries) = Value::from_json(&patch(&[])).unwrap().data().clone() else { panic!() };
    let row = |y: f64| {
        let point = |numbers: Vec<f64>| Value::new(Data::Numbers(numbers));
        Value::new(Data::List(vec![point(vec![0.0, y, 0.0]), point(vec![1.0, y, f64::NAN])]))
    };
    entries.retain(|(key, _)| key != "points");
    entries.push(("points".to_owned(), Value::new(Data::List(vec![row(0.0), row(1.0)]))));
    let error = Shape::from_value(&Value::new(Data::Table(entries)), &Context::default()).unwrap_err();
    assert_eq!((error.code(), error.key()), ("not_finite", Some("points[0][1]")));
}

#[test]
fn surfaces_take_their_own_sizes_alone() {
    for (fields, code, key) in [
        ("", "missing_field", ""),
        (r#","surface":"moebius""#, "bad_value", "surface"),
        (r#","surface":"sphere""#, "missing_field", ""),
        (r#","surface":"sphere","radius":1,"major":2"#, "unknown_key", "major"),
        (r#","surface":"plane","u":[0,1]"#, "missing_field", ""),
        (r#","surface":"cylinder","radius":1"#, "missing_field", ""),
        (r#","surface":"plane","u":[1,0],"v":[0,1]"#, "bad_value", "u"),
        (r#","surface":"plane","u":[0,1,2],"v":[0,1]"#, "dimension_mismatch", "u"),
        (r#","surface":"sphere","radius":1,"u":[0,400]"#, "bad_value", "u"),
        (r#","surface":"sphere","radius":1,"v":[0,100]"#, "bad_value", "v"),
        (r#","surface":"paraboloid","focal":1,"v":[-1,1]"#, "bad_value", "v"),
        (r#","surface":"plane","u":[0,1],"v":[0,1],"pose":{"angle":3}"#, "dimension_mismatch", "pose.angle"),
        (
            r#","surface":"plane","u":[0,1],"v":[0,1],"pose":{"translation":[1e99,0,0]}"#,
            "number_out_of_range",
            "pose",
        ),
        (r#","surface":"plane","trim":[]"#, "bad_value", "trim"),
        (r#","surface":"plane","trim":[[[0,0],[1,0]]]"#, "bad_value", "trim[0]"),
        (r#","surface":"plane","trim":[[[0,0],[0,1],[1,0]]]"#, "bad_value", "trim"),
        (r#","surface":"plane","trim":[[[0,0],[1,0],[0,1,2]]]"#, "dimension_mismatch", "trim[0][2]"),
        (r#","surface":"plane","u":[0,1],"v":[0,1],"trim":[[[0,0],[2,0],[0,1]]]"#, "bad_value", "trim"),
    ] {
        fails(&format!(r#"{{"kind":"surface"{fields}}}"#), code, key);
    }
}

#[test]
fn tiled_bodies_name_the_face_at_fault() {
    for (fields, code, key) in [
        ("", "missing_field", ""),
        (r#","faces":[]"#, "bad_value", "faces"),
        (r#","patches":[]"#, "bad_value", "patches"),
        (r#","faces":[],"patches":[]"#, "bad_value", ""),
        (r#","faces":[{"kind":"sphere","radius":1}]"#, "unknown_kind", "faces[0].kind"),
        (r#","faces":[{"kind":"surface","surface":"plane","u":[0,1]}]"#, "missing_field", "faces[0]"),
        (
            r#","faces":[{"kind":"surface","surface":"plane","trim":[[[0,0],[0,1],[1,0]]]}]"#,
            "bad_value",
            "faces[0]",
        ),
        (r#","patches":[[[[0,0,0],[1,0,0]]]]"#, "bad_value", "patches[0]"),
        (r#","patches":[[[[0,0,0],[0,0,0]],[[0,0,0],[0,0,0]]]]"#, "bad_value", "patches[0]"),
        (r#","patches":[[[[0,0,0],[1,0,0]],[[0,1,0],[1,1,0]]]],"match":0"#, "bad_value", "match"),
        (r#","file":"nowhere-patches.json""#, "file_not_found", "file"),
        (r#","file":"nowhere-patches.json","match":-1"#, "bad_value", "match"),
        (
            r#","faces":[{"kind":"surface","surface":"sphere","radius":1,"surface_only":true}]"#,
            "unknown_key",
            "faces[0].surface_only",
        ),
    ] {
        fails(&format!(r#"{{"kind":"tiled"{fields}}}"#), code, key);
    }
    let twice = patch(&[]);
    fails(
        &format!(r#"{{"kind":"tiled","faces":[{twice},{}]}}"#, patch(&[("degree", "[0,1]")])),
        "bad_value",
        "faces[1].degree",
    );
    fails(
        &format!(r#"{{"kind":"tiled","faces":[{}]}}"#, patch(&[("surface_only", "true")])),
        "unknown_key",
        "faces[0].surface_only",
    );
    // Bézier bands with a half twist cannot agree on a side.
    let moebius = r#"{"kind":"tiled","patches":[
        [[[1,0,-1],[1,0,1]],[[-1,2,0],[-1,2,1]]],
        [[[-1,2,0],[-1,2,1]],[[-1,-2,0],[-1,-2,1]]],
        [[[-1,-2,0],[-1,-2,1]],[[1,0,1],[1,0,-1]]]]}"#;
    fails(moebius, "inconsistent_orientation", "patches");
}

#[test]
fn patch_files_name_the_file() {
    let folder = common::Folder::new("patch-errors");
    for (name, text, code) in [
        ("empty.json", "", "bad_json"),
        ("none.json", r#"{"patches":[]}"#, "bad_value"),
        ("cut.json", r#"{"patches":[[[[0,0,0"#, "bad_json"),
        ("key.json", r#"{"patches":[],"colour":1}"#, "unknown_key"),
        ("ragged.json", r#"{"patches":[[[[0,0,0],[1,0,0]],[[0,1,0]]]]}"#, "bad_value"),
    ] {
        let file = folder.write(name, text);
        let error = Shape::from_file(&file, &Context::default()).map(|_| ()).expect_err(name);
        assert_eq!((error.code(), error.file()), (code, Some(file.as_path())), "{error}");
        let text = format!(r#"{{"kind":"tiled","file":{:?}}}"#, file.to_str().unwrap());
        let error = Shape::from_json(&text, &Context::default()).map(|_| ()).expect_err(name);
        assert_eq!((error.key(), error.named_file()), (Some("file"), Some(file.as_path())), "{error}");
    }
}

#[test]
fn outlines_must_close() {
    let line = |points: &str| format!(r#"{{"degree":1,"knots":[0,0,1,1],"points":{points}}}"#);
    let (a, b, c) = (line("[[0,0],[1,0]]"), line("[[1,0],[0,1]]"), line("[[0,1],[0,0]]"));
    for (curves, code, key) in [
        (String::new(), "bad_value", "curves"),
        (format!("{a},{b}"), "bad_value", "curves[0]"),
        (format!("{a},{c},{b}"), "bad_value", "curves[0]"),
        (format!("{a},{}", line("[[1,0],[0,0]]")), "bad_value", "curves"),
        (format!("{a},{b},{}", line("[[0,1],[0,0,0]]")), "dimension_mismatch", "curves[2].points[1]"),
        (r#"{"degree":1,"knots":[0,0,1],"points":[[0,0],[1,0]]}"#.to_owned(), "bad_knots", "curves[0].knots"),
        (
            r#"{"degree":1,"knots":[0,1,0,1],"points":[[0,0],[1,0]]}"#.to_owned(),
            "bad_knots",
            "curves[0].knots",
        ),
        (
            r#"{"degree":1,"knots":[0,0,1,1],"points":[[0,0],[1,0]],"weights":[1,0]}"#.to_owned(),
            "bad_weight",
            "curves[0].weights",
        ),
        (
            r#"{"degree":1,"knots":[0,0,1,1],"points":[[0,0],[1,0]],"u":1}"#.to_owned(),
            "unknown_key",
            "curves[0].u",
        ),
    ] {
        fails(&format!(r#"{{"kind":"planar_tiled","curves":[{curves}]}}"#), code, key);
    }
}

#[test]
fn polynomials_must_be_readable_and_have_a_surface() {
    let with = |polynomial: &str| {
        format!(r#"{{"kind":"algebraic","polynomial":"{polynomial}","within":[[-2,-2,-2],[2,2,2]]}}"#)
    };
    for (polynomial, code) in [
        ("", "bad_polynomial"),
        ("x +", "bad_polynomial"),
        ("x^y", "bad_polynomial"),
        ("sin(x)", "bad_polynomial"),
        ("1/x", "bad_polynomial"),
        ("x^2 + y^2 + 1", "no_surface"),
        ("7", "no_surface"),
        ("x^2 + y^2", "no_surface"),
        ("x^2 + y^2 + z^2 - 100", "no_surface"),
    ] {
        fails(&with(polynomial), code, "polynomial");
    }
    for (within, code, key) in [
        ("[[-2,-2,-2],[2,2,-2]]", "bad_value", "within"),
        ("[[-2,-2,-2]]", "wrong_type", "within"),
        ("[[-2,-2,-2],[2,2]]", "dimension_mismatch", "within[1]"),
        ("[[-2,-2,-2],[2,2,1e99]]", "number_out_of_range", "within[1]"),
    ] {
        fails(&format!(r#"{{"kind":"algebraic","polynomial":"x","within":{within}}}"#), code, key);
    }
}

#[test]
fn unions_name_the_part_at_fault() {
    let with = |parts: &str| format!(r#"{{"kind":"union","parts":{parts}}}"#);
    for (parts, code, key) in [
        ("[]", "bad_value", "parts"),
        ("[{}]", "missing_field", "parts[0]"),
        (r#"[{"shape":{"kind":"point"},"at":1}]"#, "unknown_key", "parts[0].at"),
        (r#"[{"shape":{"kind":"sphere","radius":0}}]"#, "bad_value", "parts[0].shape.radius"),
        (r#"[{"shape":{"kind":"union","parts":[]}}]"#, "bad_value", "parts[0].shape.parts"),
        (
            r#"[{"shape":{"kind":"polygon","points":[[0,0],[1,0],[0,1]]}}]"#,
            "dimension_mismatch",
            "parts[0].shape",
        ),
        (
            r#"[{"shape":{"kind":"half_space","normal":[0,0,1],"offset":0}}]"#,
            "unsupported_feature",
            "parts[0].shape",
        ),
        (
            r#"[{"shape":{"kind":"algebraic","polynomial":"x","within":[[-1,-1,-1],[1,1,1]]}}]"#,
            "unsupported_feature",
            "parts[0].shape",
        ),
        (
            r#"[{"shape":{"kind":"point"},"pose":{"rotation":[0,0,0,2]}}]"#,
            "bad_rotation",
            "parts[0].pose.rotation",
        ),
    ] {
        fails(&with(parts), code, key);
    }
}

#[test]
fn pairs_without_an_answer_are_refused_by_their_kinds_and_the_stream_goes_on() {
    let ball = r#"{"kind":"sphere","radius":1}"#;
    let disk = r#"{"kind":"planar_tiled","curves":[{"degree":1,"knots":[0,0,1,2,3,3],"points":[[0,0],[1,0],[0,1],[0,0]]}]}"#;
    let union = r#"{"kind":"union","parts":[{"shape":{"kind":"point"}}]}"#;
    let cube = r#"{"kind":"box","size":[1,1,1]}"#;
    let hollow = r#"{"kind":"box","size":[1,1,1],"surface_only":true}"#;
    let square = r#"{"kind":"polygon","points":[[0,0],[1,0],[0,1]]}"#;
    let mut stream = QueryStream::new(Context::default());
    let mut ask = |a: &str, b: &str| {
        let line = format!(r#"{{"a":{a},"b":{b},"want":["ratio","certificate","gradient","locus"]}}"#);
        stream.answer_line(line.as_bytes()).unwrap()
    };
    // The ratio metric is what curved bodies, unions and boundaries lack.
    for (a, b, words) in [
        (ball, cube, ["ratio", "a is not"]),
        (cube, ball, ["ratio", "b is not"]),
        (union, cube, ["ratio", "a is not"]),
        (hollow, cube, ["ratio", "a is not"]),
        (disk, square, ["ratio", "no polygon"]),
    ] {
        let answer = ask(a, b);
        assert!(answer.contains("unsupported_pair"), "{answer}");
        assert!(words.iter().all(|word| answer.contains(word)), "{answer}");
    }
    assert!(ask(ball, square).contains("dimension_mismatch"));
    assert!(ask(cube, cube).contains("\"signed_distance\""));
}
