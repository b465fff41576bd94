//! STEP files as shapes: bodies, assemblies, parts, units, refusals, and their descriptions against the reference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[allow(dead_code, reason = "only its lists and the reference are needed here")]
mod step_common;
#[allow(dead_code, reason = "only one of its bodies is needed here")]
mod step_writer;

use clearance_formats::step::StepModel;
use clearance_formats::{AnyBody, Context, Error, Shape, Units};
use clearance_geometry::{Body, DVec3};
use clearance_testkit::data;
use serde_json::Value;
use std::path::{Path, PathBuf};
use step_common::{FILES, MADE, reference};
use step_writer::{Plate, Writer};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn made(name: &str) -> PathBuf {
    folder("step_made").join(format!("{name}.step"))
}

fn millimetres() -> Context {
    Context::new("", Units::Millimetre)
}

fn read(path: &Path) -> Shape {
    Shape::from_file(path, &millimetres()).unwrap()
}

fn facts(shape: &Shape) -> Value {
    serde_json::from_str(&shape.describe(Units::Millimetre).to_json()).unwrap()
}

fn part(file: &str, name: &str) -> Result<Shape, Error> {
    let context = Context::new(folder("step_made"), Units::Millimetre);
    Shape::from_json(&format!(r#"{{"kind":"step","file":"{file}","part":"{name}"}}"#), &context)
}

/// Names of surfaces, as Open CASCADE has them.
fn foreign(name: &str) -> &str {
    match name {
        "plane" => "Plane",
        "cylinder" => "Cylinder",
        "cone" => "Cone",
        "sphere" => "Sphere",
        "torus" => "Torus",
        "nurbs" => "BSplineSurface",
        "revolution" => "SurfaceOfRevolution",
        "extrusion" => "SurfaceOfExtrusion",
        other => other,
    }
}

/// How well Open CASCADE knows areas and volumes where its edges lie elsewhere than ours.
const REFERENCE_REL: f64 = 2e-5;

/// How much wider than Open CASCADE's a box may be.
const BOX_REL: f64 = 1e-3;

#[test]
fn every_file_is_described_as_the_reference_has_it() {
    let test = "every_file_is_described_as_the_reference_has_it";
    let real = FILES
        .into_iter()
        .filter_map(|name| Some((name, data::data_or_skip(test, &format!("step/{name}.step"))?)));
    for (name, path) in real.chain(MADE.into_iter().map(|name| (name, made(name)))) {
        let reference = reference(name);
        let facts = facts(&read(&path));
        assert_eq!(facts["faces"], reference["faces"], "{name}");
        let surfaces = facts["surfaces"].as_object().unwrap();
        let expected = reference["faces_by_surface"].as_object().unwrap();
        assert_eq!(surfaces.len(), expected.len(), "{name}: {surfaces:?}");
        for (surface, count) in surfaces {
            assert_eq!(Some(count), expected.get(foreign(surface)), "{name}: {surface}");
        }
        let solids = reference["solids"].as_u64().unwrap();
        assert_eq!(facts["closed"] == true, solids > 0 || name != "sheet", "{name}");
        for what in ["area", "volume"] {
            let Some(found) = facts.get(what).and_then(Value::as_f64) else {
                assert!(what == "volume" && solids == 0, "{name}: no {what}");
                continue;
            };
            let wanted = reference[what].as_f64().unwrap();
            let error = facts[format!("{what}_error")].as_f64().unwrap();
            let allowed = error + REFERENCE_REL * wanted;
            assert!((found - wanted).abs() <= allowed, "{name}: {what} is {found} ± {error}, not {wanted}");
        }
        for axis in 0..3 {
            let [low, high] = [0, 1].map(|end| reference["box"][end][axis].as_f64().unwrap());
            let size = facts["size"][axis].as_f64().unwrap();
            assert!(size <= (high - low) * (1.0 + BOX_REL) + BOX_REL, "{name}: {size}");
        }
    }
}

#[test]
fn one_instance_is_moved_to_its_place_and_several_are_a_union() {
    let assembly = read(&made("assembly"));
    let AnyBody::Solid(Body::Union(tree)) = &assembly.body else { panic!() };
    let names: Vec<(&[u32], &str)> =
        assembly.parts.iter().map(|part| (part.path.as_slice(), part.name.as_str())).collect();
    assert_eq!(
        names,
        [(&[0][..], "machine/pair/plate"), (&[1], "machine/pair/plate:2"), (&[2], "machine/ball")]
    );
    let ball = part("assembly.step", "ball").unwrap();
    let AnyBody::Solid(Body::Tiled(body)) = &ball.body else { panic!() };
    let there = tree.leaves()[2].pose.translation();
    assert!(there.length() > 1.0 && (body.mass().center - there).length() < 1e-9, "{}", body.mass().center);
    assert_eq!(facts(&ball)["name"], "machine/ball");
    // By the number of its record: both instances.
    let plates = part("assembly.step", "#70").unwrap();
    let AnyBody::Solid(Body::Union(plates)) = &plates.body else { panic!() };
    assert_eq!(plates.leaves().len(), 2);
    assert!((plates.leaves()[0].pose.translation() - DVec3::Z * 10.0).length() < 1e-6);
    let error = part("assembly.step", "wheel").unwrap_err();
    assert_eq!((error.code(), error.key()), ("unknown_name", Some("part")));
}

#[test]
fn lengths_are_converted_and_that_is_said() {
    let path = made("void");
    let small = Shape::from_file(&path, &Context::new("", Units::Metre)).unwrap();
    assert!(small.warnings[0].contains("from millimetre to m"), "{:?}", small.warnings);
    let same = read(&path);
    assert!(same.warnings.is_empty(), "{:?}", same.warnings);
    let volume = |shape: &Shape| facts(shape)["volume"].as_f64().unwrap();
    assert!((volume(&small) * 1e9 / volume(&same) - 1.0).abs() < 1e-12);
    assert_eq!(facts(&same)["shells"], 2, "the hole is a shell of its own");
}

#[test]
fn sheets_have_no_inside() {
    let sheet = read(&made("sheet"));
    assert!(sheet.surface_only);
    let facts = facts(&sheet);
    assert_eq!((facts["surface_only"].clone(), facts.get("volume")), (true.into(), None));
}

#[test]
fn parts_of_files_stand_in_unions() {
    let context = Context::new(folder("step_made"), Units::Millimetre);
    let text = r#"{"kind":"union","parts":[{"shape":{"kind":"box","size":[1,1,1]}},
        {"shape":{"kind":"step","file":"assembly.step"},"pose":{"translation":[0,0,100]}}]}"#;
    let shape = Shape::from_json(text, &context).unwrap();
    let AnyBody::Solid(Body::Union(tree)) = &shape.body else { panic!() };
    assert_eq!(tree.leaves()[3].path, [1, 2]);
    let facts = facts(&shape);
    assert_eq!(facts["parts"][3]["part"], "1/2");
    assert_eq!(facts["parts"][3]["name"], "machine/ball");
}

#[test]
fn damaged_files_are_refused_with_their_name() {
    let text = std::fs::read_to_string(made("prism")).unwrap();
    let folder = common::Folder::new("step-shapes");
    for (name, content) in [
        ("empty.step", ""),
        ("cut.step", &text[..text.len() / 2]),
        ("other.stp", "solid cube\nendsolid\n"),
        ("header.step", &text[..text.find("DATA;").unwrap()]),
    ] {
        let path = folder.write(name, content);
        let error = Shape::from_file(&path, &millimetres()).map(|_| ()).expect_err(name);
        assert_eq!((error.code(), error.file()), ("bad_file", Some(path.as_path())), "{error}");
        let text = format!(r#"{{"kind":"step","file":{:?}}}"#, path.to_str().unwrap());
        let error = Shape::from_json(&text, &millimetres()).map(|_| ()).expect_err(name);
        assert_eq!((error.code(), error.key()), ("bad_file", Some("file")), "{error}");
        assert_eq!(error.named_file(), Some(path.as_path()));
    }
}

/// The two plates and the ball; the radius of the ball's surface is changed, so that nothing fits it any more.
#[test]
fn bodies_that_cannot_be_built_are_left_out_and_named() {
    let text = std::fs::read_to_string(made("assembly")).unwrap();
    let at = text.find("CYLINDRICAL_SURFACE").unwrap();
    let (before, after) = text.split_at(at);
    let end = after.find(");").unwrap();
    let comma = after[..end].rfind(',').unwrap();
    let changed = format!("{before}{},9.5{}", &after[..comma], &after[end..]);
    let folder = common::Folder::new("step-left-out");
    let path = folder.write("off.step", &changed);
    let shape = read(&path);
    let left_out: Vec<&String> = shape.warnings.iter().filter(|line| line.starts_with("left out")).collect();
    assert_eq!(left_out.len(), 1, "{:?}", shape.warnings);
    assert!(left_out[0].contains("#70 plate") && left_out[0].contains("line "), "{left_out:?}");
    let AnyBody::Solid(Body::Union(tree)) = &shape.body else { panic!("{:?}", shape.body) };
    assert_eq!(tree.leaves().len(), 1, "only the ball is left");
}

#[test]
fn parts_that_were_refused_are_not_called_unknown() {
    let text = std::fs::read_to_string(made("assembly")).unwrap();
    let (at, line) = text.lines().enumerate().find(|(_, line)| line.contains("SPHERICAL_SURFACE")).unwrap();
    let surface = line.split('=').next().unwrap().trim();
    let folder = common::Folder::new("step-refused-part");
    let path = folder.write("odd.step", text.replace(line, &format!("{surface}=BLENDED_SURFACE('');")));
    let ask = |name: &str| {
        let text = format!(r#"{{"kind":"step","file":{:?},"part":"{name}"}}"#, path.to_str().unwrap());
        Shape::from_json(&text, &millimetres())
    };
    let ball = StepModel::read(&path, Units::Millimetre).unwrap().refused[0].clone();
    assert_eq!(ball.name, "ball");
    for name in ["ball", &format!("#{}", ball.entity)] {
        let error = ask(name).unwrap_err();
        assert_eq!(error.code(), "bad_file", "{error}");
        let place = format!("line {}: {surface} BLENDED_SURFACE", at + 1);
        assert!(error.to_string().contains(&place), "{error}, not {place}");
    }
    assert_eq!(ask("wheel").unwrap_err().code(), "unknown_name");
    ask("plate").unwrap();
}

/// Every point of a prism is moved in turn; where that cannot be built, the line named is that of the record named.
#[test]
fn faults_name_the_line_of_their_record() {
    let text = std::fs::read_to_string(made("prism")).unwrap();
    let folder = common::Folder::new("step-lines");
    let (mut faces, mut edges) = (0, 0);
    for line in text.lines().filter(|line| line.contains("CARTESIAN_POINT(") && line.contains(");")) {
        let (before, _) = line.split_once(",(").unwrap();
        let moved = text.replace(line, &format!("{before},(77.,-33.,55.));"));
        let path = folder.write("moved.step", &moved);
        let Err(error) = Shape::from_file(&path, &millimetres()) else { continue };
        let message = error.to_string();
        let Some((_, place)) = message.rsplit_once("line ") else { panic!("{message}") };
        let (number, rest) = place.split_once(": #").unwrap();
        let entity: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let record = moved.lines().nth(number.parse::<usize>().unwrap() - 1).unwrap();
        assert!(record.replace(' ', "").starts_with(&format!("#{entity}=")), "{message}\n{record}");
        faces += usize::from(record.contains("FACE"));
        edges += usize::from(record.contains("EDGE_CURVE"));
    }
    assert!(edges > 0, "{faces} faces, {edges} edges");
}

#[test]
fn bodies_out_of_range_are_refused() {
    let folder = common::Folder::new("step-range");
    for scale in [1e-150, 1e-60, 1e-25, 1e55, 1e100, 1e150] {
        let path = folder.write("plate.step", Plate::new(scale).text());
        let error = Shape::from_file(&path, &millimetres()).map(|_| ()).expect_err("out of range");
        assert_eq!(error.code(), "bad_file", "{scale:e}: {error}");
        assert!(error.to_string().contains("is out of range"), "{scale:e}: {error}");
    }
    for scale in [1e-6, 1.0, 1e6] {
        let path = folder.write("plate.step", Plate::new(scale).text());
        Shape::from_file(&path, &millimetres()).unwrap();
    }
}

/// A sheet on a spline surface of two halves, bent by `height` along its middle or flat.
fn bent_sheet(height: f64) -> (String, u64) {
    let mut to = Writer::default();
    let place = |x: u8, y: u8| DVec3::new(f64::from(x), f64::from(y), if x == 1 { height } else { 0.0 });
    let net = [0, 1, 2].map(|x| [0, 1].map(|y| to.point(place(x, y))));
    let rows = net.map(|[a, b]| format!("(#{a},#{b})")).join(",");
    let surface = to.add(&format!(
        "B_SPLINE_SURFACE_WITH_KNOTS('',1,1,({rows}),.UNSPECIFIED.,.F.,.F.,.F.,(2,1,2),(2,2),(0.,1.,2.),(0.,1.),\
         .UNSPECIFIED.)"
    ));
    let ring = [[0, 0], [1, 0], [2, 0], [2, 1], [1, 1], [0, 1]].map(|[x, y]| place(x, y));
    let corners = ring.map(|point| (to.vertex(point), point));
    let edges: Vec<(u64, bool)> = (0..6).map(|i| (to.line(corners[i], corners[(i + 1) % 6]), true)).collect();
    let face = to.face(surface, true, &[edges]);
    let sheet = to.sheet(&[face]);
    (to.file(&[sheet]), face)
}

#[test]
fn trimmed_faces_that_fold_are_named() {
    let folder = common::Folder::new("step-folds");
    for height in [0.5, -0.5, 0.0] {
        let (text, entity) = bent_sheet(height);
        let shape = read(&folder.write("bent.step", &text));
        let about: Vec<&String> = shape.warnings.iter().filter(|line| line.contains("folds")).collect();
        if height == 0.0 {
            assert!(about.is_empty(), "{about:?}");
            continue;
        }
        let line = 1 + text.lines().position(|line| line.starts_with(&format!("#{entity}="))).unwrap();
        let [only] = about.as_slice() else { panic!("{:?}", shape.warnings) };
        assert!(only.contains(&format!("line {line}: #{entity} the face folds along a knot")), "{only}");
        let area = facts(&shape)["area"].as_f64().unwrap();
        assert!((area - 2.0 * 1.25_f64.sqrt()).abs() < 1e-9, "{area}");
    }
}
