//! Every shape and pose, and every way to get them wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use clearance_formats::{AnyBody, AnyPose, Context, Data, Error, Fact, Shape, Units, Value};
use clearance_geometry::{Body, DVec3, Pose};

fn shape(text: &str) -> Result<Shape, Error> {
    Shape::from_json(text, &Context::default())
}

fn code(text: &str) -> &'static str {
    shape(text).map(|_| ()).expect_err(text).code()
}

fn counts(text: &str) -> [usize; 3] {
    match shape(text).unwrap().body {
        AnyBody::Solid(Body::Polytope(p)) => [p.vertex_count(), p.edge_count(), p.face_count()],
        other => panic!("{other:?}"),
    }
}

fn pose(text: &str) -> Result<Pose, Error> {
    match AnyPose::from_json(text, false, &Context::default())? {
        AnyPose::Solid(pose) => Ok(pose),
        AnyPose::Planar(_) => panic!("a solid pose was asked for"),
    }
}

fn pose_code(text: &str) -> &'static str {
    pose(text).expect_err(text).code()
}

#[test]
fn solid_shapes_are_built() {
    assert_eq!(counts(r#"{"kind":"point"}"#), [1, 0, 0]);
    assert_eq!(counts(r#"{"kind":"segment","points":[[0,0,0],[1,0,0]]}"#), [2, 1, 0]);
    assert_eq!(counts(r#"{"kind":"box","size":[1,2,3]}"#), [8, 12, 6]);
    assert_eq!(
        counts(r#"{"kind":"polytope","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]}"#),
        [4, 6, 4]
    );
    let faces = r#"{"kind":"polytope","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],
        "faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}"#;
    assert_eq!(counts(faces), [4, 6, 4]);
    let planes = r#"{"kind":"polytope","halfspaces":[[1,0,0,1],[-1,0,0,1],[0,1,0,1],[0,-1,0,1],[0,0,1,1],
        [0,0,-1,1]],"center":[0,0,0.5]}"#;
    assert_eq!(counts(planes), [8, 12, 6]);
}

#[test]
fn half_space_is_normalised() {
    let shape = shape(r#"{"kind":"half_space","normal":[0,0,2],"offset":1}"#).unwrap();
    let AnyBody::Solid(Body::HalfSpace(half)) = shape.body else { panic!() };
    assert_eq!((half.plane().normal, half.plane().offset), (DVec3::Z, 0.5));
}

#[test]
fn planar_shapes_are_built() {
    for (text, corners) in [
        (r#"{"kind":"point","planar":true}"#, 1),
        (r#"{"kind":"segment","points":[[0,0],[1,0]],"planar":true}"#, 2),
        (r#"{"kind":"polygon","points":[[0,0],[1,0],[0,1]]}"#, 3),
        (r#"{"kind":"polygon","points":[[0,0],[0,1],[1,0]]}"#, 3),
    ] {
        let AnyBody::Planar(polygon) = shape(text).unwrap().body else { panic!("{text}") };
        assert_eq!(polygon.vertex_count(), corners);
    }
    let clockwise = shape(r#"{"kind":"polygon","points":[[0,0],[0,1],[1,0]]}"#).unwrap();
    assert!(clockwise.warnings[0].contains("turned"), "{:?}", clockwise.warnings);
}

#[test]
fn center_is_taken_for_every_polytope() {
    for text in [
        r#"{"kind":"polytope","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"center":[0.1,0.2,0.3]}"#,
        r#"{"kind":"polytope","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"center":[0.1,0.2,0.3],
            "faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}"#,
        r#"{"kind":"polytope","center":[0.1,0.2,0.3],
            "halfspaces":[[-1,0,0,0],[0,-1,0,0],[0,0,-1,0],[1,1,1,1]]}"#,
    ] {
        let AnyBody::Solid(Body::Polytope(p)) = shape(text).unwrap().body else { panic!("{text}") };
        assert!((p.center() + p.anchor() - DVec3::new(0.1, 0.2, 0.3)).length() < 1e-15, "{text}");
    }
    let outside = r#"{"kind":"polytope","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"center":[9,9,9]}"#;
    assert_eq!(code(outside), "center_outside");
}

#[test]
fn unknown_kinds_are_told_with_the_known_ones() {
    assert_eq!(code(r#"{"kind":"blob"}"#), "unknown_kind");
    assert_eq!(code(r#"{"kind":""}"#), "unknown_kind");
    let message = shape(r#"{"kind":"blob"}"#).unwrap_err().to_string();
    for kind in ["sphere", "step", "revolve", "nurbs", "planar_tiled", "algebraic", "union"] {
        assert!(message.contains(kind), "{message}");
    }
}

#[test]
fn bad_shapes_have_their_codes() {
    for (text, expected) in [
        ("[]", "wrong_type"),
        ("{}", "missing_field"),
        (r#"{"kind":7}"#, "wrong_type"),
        (r#"{"kind":"box"}"#, "missing_field"),
        (r#"{"kind":"box","size":[1,2,3],"colour":"red"}"#, "unknown_key"),
        (r#"{"kind":"box","size":[1,2]}"#, "dimension_mismatch"),
        (r#"{"kind":"box","size":[1,2,3,4]}"#, "wrong_type"),
        (r#"{"kind":"box","size":[1,2,"3"]}"#, "wrong_type"),
        (r#"{"kind":"box","size":3}"#, "wrong_type"),
        (r#"{"kind":"box","size":[1,2,0]}"#, "bad_value"),
        (r#"{"kind":"box","size":[1,2,-3]}"#, "bad_value"),
        (r#"{"kind":"box","size":[1,2,1e999]}"#, "number_out_of_range"),
        (r#"{"kind":"box","size":[1,2,NaN]}"#, "bad_json"),
        (r#"{"kind":"box","size":[1,2,3],"surface_only":1}"#, "wrong_type"),
        (r#"{"kind":"box","size":[1,2,1e100]}"#, "number_out_of_range"),
        (r#"{"kind":"box","size":[1e-100,1e-100,1e-100]}"#, "number_out_of_range"),
        (r#"{"kind":"half_space","normal":[0,0,1],"offset":1e100}"#, "number_out_of_range"),
        (r#"{"kind":"segment","points":[[0,0,0]]}"#, "wrong_type"),
        (r#"{"kind":"segment","points":[[0,0,0],[0,0,0]]}"#, "flat_polytope"),
        (r#"{"kind":"half_space","normal":[0,0,0],"offset":1}"#, "bad_value"),
        (r#"{"kind":"half_space","normal":[0,0,1]}"#, "missing_field"),
        (r#"{"kind":"polytope"}"#, "missing_field"),
        (r#"{"kind":"polytope","points":[]}"#, "flat_polytope"),
        (r#"{"kind":"polytope","points":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}"#, "flat_polytope"),
        (r#"{"kind":"polytope","points":[[0,0,0],[1,0,0]]}"#, "flat_polytope"),
        (r#"{"kind":"polytope","points":[[0,0,0]],"vertices":[[0,0,0]]}"#, "bad_value"),
        (r#"{"kind":"polytope","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}"#, "missing_field"),
        (r#"{"kind":"polytope","halfspaces":[[1,0,0,1]]}"#, "missing_field"),
        (r#"{"kind":"polytope","halfspaces":[[1,0,0,1]],"center":[0,0,0]}"#, "unbounded"),
        (r#"{"kind":"polytope","halfspaces":[[1,0,0,1]],"center":[2,0,0]}"#, "center_outside"),
        (r#"{"kind":"polygon","points":[[0,0],[1,0],[2,0]]}"#, "flat_polytope"),
        (r#"{"kind":"polygon","points":[[0,0],[4,0],[1,1],[0,4]]}"#, "not_convex"),
        (r#"{"kind":"mesh"}"#, "missing_field"),
        (r#"{"kind":"mesh","file":"nowhere.obj"}"#, "file_not_found"),
        (r#"{"kind":"mesh","file":"nowhere.obj","units":"feet"}"#, "unknown_units"),
    ] {
        assert_eq!(code(text), expected, "{text}");
    }
}

#[test]
fn bad_faces_have_their_codes() {
    let with = |faces: &str| {
        code(&format!(
            r#"{{"kind":"polytope","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]],"faces":{faces}}}"#
        ))
    };
    assert_eq!(with("[[0,2,1],[0,1,3],[0,3,2]]"), "not_manifold");
    assert_eq!(with("[[0,1,2],[0,1,3],[0,3,2],[1,2,3]]"), "inconsistent_orientation");
    assert_eq!(with("[[0,2,1],[0,1,3],[0,3,2],[1,2,4],[2,3,4],[3,1,4]]"), "not_convex");
    assert_eq!(with("[[0,2,1],[0,1,3],[0,3,2],[1,2,9]]"), "bad_value");
    assert_eq!(with("[[0,2,1],[0,1,3],[0,3,2],[1,2,-3]]"), "bad_value");
    assert_eq!(with("[[0,2,1],[0,1,3],[0,3,2],[1,2,0.5]]"), "bad_value");
    assert_eq!(with("7"), "wrong_type");
}

#[test]
fn errors_name_the_key() {
    let error = shape(r#"{"kind":"polytope","points":[[0,0,0],[1,0,"x"]]}"#).unwrap_err();
    assert_eq!(error.key(), Some("points[1][2]"));
    let error = shape(r#"{"kind":"box","size":[1,2,3],"colour":"red"}"#).unwrap_err();
    assert_eq!(error.key(), Some("colour"));
    assert!(error.to_string().contains("colour") && error.to_string().contains("size"), "{error}");
}

#[test]
fn dictionaries_may_hold_what_text_cannot() {
    let number = |value: f64| Value::new(Data::Number(value));
    let size = Value::new(Data::List(vec![number(1.0), number(f64::NAN), number(1.0)]));
    let value = Value::new(Data::Table(vec![
        ("kind".to_owned(), Value::new(Data::Text("box".to_owned()))),
        ("size".to_owned(), size),
    ]));
    let error = Shape::from_value(&value, &Context::default()).unwrap_err();
    assert_eq!(error.code(), "not_finite");
}

#[test]
fn lengths_are_converted_between_units() {
    let context = Context::new("", Units::Inch).with_answers_in(Units::Millimetre);
    let shape = Shape::from_json(r#"{"kind":"box","size":[1,2,3]}"#, &context).unwrap();
    let AnyBody::Solid(Body::Polytope(p)) = shape.body else { panic!() };
    assert_eq!(p.body_vertex(clearance_geometry::VertexId(7)), DVec3::new(12.7, 25.4, 38.1));
    let floor = Shape::from_json(r#"{"kind":"half_space","normal":[0,0,1],"offset":10}"#, &context).unwrap();
    let AnyBody::Solid(Body::HalfSpace(half)) = floor.body else { panic!() };
    assert_eq!(half.plane().offset, 254.0);
}

#[test]
fn poses_are_read() {
    assert_eq!(pose("{}").unwrap(), Pose::IDENTITY);
    assert_eq!(pose(r#"{"translation":[1,2,3]}"#).unwrap().translation(), DVec3::new(1.0, 2.0, 3.0));
    let quarter = pose(r#"{"axis_angle":[0,0,1,90]}"#).unwrap();
    assert_eq!(quarter.apply(DVec3::X), DVec3::Y, "quarter turns are exact");
    let same = pose(r#"{"rotation":[0,0,0.7071067811865476,0.7071067811865476]}"#).unwrap();
    assert!((same.apply(DVec3::X) - DVec3::Y).length() < 1e-15);
    let matrix = pose(r#"{"matrix":[[0,-1,0,1],[1,0,0,2],[0,0,1,3],[0,0,0,1]]}"#).unwrap();
    assert_eq!(matrix.apply(DVec3::X), DVec3::new(1.0, 3.0, 3.0));
}

#[test]
fn rotations_are_normalised_within_the_tolerance() {
    let slightly_off = pose(r#"{"rotation":[0,0,0,1.0000005]}"#).unwrap();
    assert_eq!(slightly_off, Pose::IDENTITY);
    let turn = pose(r#"{"axis_angle":[0,0,1.0000005,180]}"#).unwrap();
    assert_eq!(turn.apply(DVec3::X), -DVec3::X);
}

#[test]
fn bad_poses_have_their_codes() {
    for (text, expected) in [
        (r#"{"rotation":[0,0,0,1.1]}"#, "bad_rotation"),
        (r#"{"rotation":[0,0,0,0]}"#, "bad_rotation"),
        (r#"{"rotation":[0,0,1]}"#, "wrong_type"),
        (r#"{"axis_angle":[0,0,2,90]}"#, "bad_rotation"),
        (r#"{"axis_angle":[0,0,0,90]}"#, "bad_rotation"),
        (r#"{"rotation":[0,0,0,1],"axis_angle":[0,0,1,90]}"#, "pose_conflict"),
        (r#"{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"translation":[1,2,3]}"#, "pose_conflict"),
        (r#"{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"rotation":[0,0,0,1]}"#, "pose_conflict"),
        (r#"{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,-1,0],[0,0,0,1]]}"#, "bad_rotation"),
        (r#"{"matrix":[[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#, "bad_rotation"),
        (r#"{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,1,1]]}"#, "bad_rotation"),
        (r#"{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,0]]}"#, "wrong_type"),
        (r#"{"translation":[1,2]}"#, "dimension_mismatch"),
        (r#"{"translation":[1,2,1e999]}"#, "number_out_of_range"),
        (r#"{"angle":90}"#, "dimension_mismatch"),
        (r#"{"turn":90}"#, "unknown_key"),
        ("7", "wrong_type"),
    ] {
        assert_eq!(pose_code(text), expected, "{text}");
    }
}

#[test]
fn planar_poses_are_read() {
    let read = |text: &str| AnyPose::from_json(text, true, &Context::default());
    let AnyPose::Planar(pose) = read(r#"{"translation":[1,2],"angle":90}"#).unwrap() else { panic!() };
    assert_eq!((pose.cos(), pose.sin()), (0.0, 1.0), "quarter turns are exact");
    assert_eq!(read(r#"{"translation":[1,2,3]}"#).unwrap_err().code(), "dimension_mismatch");
    assert_eq!(read(r#"{"rotation":[0,0,0,1]}"#).unwrap_err().code(), "dimension_mismatch");
    assert_eq!(read(r#"{"angles":1}"#).unwrap_err().code(), "unknown_key");
}

#[test]
fn arguments_are_objects_or_files() {
    let context = Context::default();
    assert_eq!(Shape::from_argument(r#" {"kind":"point"}"#, &context).unwrap().kind, "point");
    assert_eq!(Shape::from_argument("nowhere.stl", &context).unwrap_err().code(), "file_not_found");
    assert_eq!(Shape::from_argument("part.step", &context).unwrap_err().code(), "file_not_found");
    assert_eq!(Shape::from_argument("part.doc", &context).unwrap_err().code(), "bad_file");
    let folder = common::Folder::new("arguments");
    let file = folder.write("cube.json", "\u{feff}{\"kind\":\"box\",\r\n\"size\":[1,2,3]}");
    assert_eq!(Shape::from_argument(file.to_str().unwrap(), &context).unwrap().kind, "box");
    let bad = folder.write("bad.json", "{\"kind\":\n\"box\",}");
    let error = Shape::from_file(&bad, &context).unwrap_err();
    assert_eq!((error.code(), error.file()), ("bad_json", Some(bad.as_path())));
    assert!(error.to_string().contains("line 2"), "{error}");
}

#[test]
fn description_has_every_fact() {
    let context = Context::default();
    let facts = shape(r#"{"kind":"box","size":[1,2,3]}"#).unwrap().describe(Units::Metre);
    for (name, fact) in [
        ("kind", Fact::Text("box".to_owned())),
        ("vertices", Fact::Count(8)),
        ("edges", Fact::Count(12)),
        ("faces", Fact::Count(6)),
        ("size", Fact::Numbers(vec![1.0, 2.0, 3.0])),
        ("volume", Fact::Number(6.0)),
        ("mass_center", Fact::Numbers(vec![0.0; 3])),
        ("inradius", Fact::Number(0.5)),
    ] {
        assert_eq!(facts.get(name), Some(&fact), "{name}");
    }
    let Some(Fact::Numbers(inertia)) = facts.get("inertia") else { panic!() };
    let expected = [6.5, 5.0, 2.5, 0.0, 0.0, 0.0];
    assert!(
        inertia.iter().zip(expected).all(|(found, wanted)| (found - wanted).abs() < 1e-14),
        "{inertia:?}"
    );
    let json: serde_json::Value = serde_json::from_str(&facts.to_json()).unwrap();
    assert_eq!(json["volume"], 6);
    assert!(facts.to_text().contains("volume"));
    let flat =
        Shape::from_json(r#"{"kind":"polygon","points":[[0,0],[2,0],[2,2],[0,2]]}"#, &context).unwrap();
    assert_eq!(flat.describe(Units::Metre).get("area"), Some(&Fact::Number(4.0)));
    let floor = shape(r#"{"kind":"half_space","normal":[0,0,1],"offset":2}"#).unwrap();
    assert_eq!(floor.describe(Units::Metre).get("offset"), Some(&Fact::Number(2.0)));
}
