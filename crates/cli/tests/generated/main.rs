//! Pages of the book that are made: the scene reference from the schemas, the support matrix by asking. The pages in `docs/`
//! are compared with what comes out; with `CLEARANCE_WRITE_BOOK` set they are written, which is `cargo xtask book`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub)]

mod comparison;
mod matrix;
mod reference;
mod schema;
mod validate;

use clearance_formats::{Context, Data, Error, ErrorKind, Scene, Shape, Value};
use schema::Schemas;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a page with what it should be, or writes it.
fn compare(name: &str, made: &str) {
    let path = root().join("docs").join(name);
    if std::env::var_os("CLEARANCE_WRITE_BOOK").is_some() {
        std::fs::write(&path, made).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    for (number, (there, made)) in there.lines().zip(made.lines()).enumerate() {
        assert_eq!(there, made, "docs/{name}:{}: `cargo xtask book` makes it anew", number + 1);
    }
    assert_eq!(there.lines().count(), made.lines().count(), "docs/{name}: `cargo xtask book` makes it anew");
}

#[test]
fn scene_reference_is_that_of_the_schemas() {
    compare("scene-reference.md", &reference::page(&Schemas::read()));
}

#[test]
fn support_matrix_is_what_the_engine_answers() {
    compare("support.md", &matrix::page(&root()));
}

#[test]
fn comparison_is_of_what_was_recorded() {
    let there = std::fs::read_to_string(root().join("docs/comparison.md")).unwrap_or_default();
    compare("comparison.md", &comparison::page(&root(), &there));
}

/// The keys that a reader says it knows.
fn known(error: &Error) -> BTreeSet<String> {
    let ErrorKind::UnknownKey { known, .. } = error.kind() else { panic!("{error}") };
    known.split(", ").map(str::to_owned).collect()
}

#[test]
fn schema_has_the_keys_that_shapes_take() {
    let schemas = Schemas::read();
    let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for variant in schemas.query_definition("shape").variants() {
        let fields = variant.fields();
        let kind = variant.value["properties"]["kind"]["const"].as_str().unwrap();
        keys.entry(kind.to_owned()).or_default().extend(fields.iter().map(|(name, _)| (*name).to_owned()));
    }
    let unknown = Shape::from_json(r#"{"kind": "?"}"#, &Context::default()).unwrap_err();
    let ErrorKind::UnknownKind { known: kinds, .. } = unknown.kind() else { panic!("{unknown}") };
    assert_eq!(kinds.split(", ").map(str::to_owned).collect::<BTreeSet<_>>(), keys.keys().cloned().collect());
    for (kind, told) in keys {
        let shape = format!(r#"{{"kind": "{kind}", "?": 0}}"#);
        let error = Shape::from_json(&shape, &Context::default()).unwrap_err();
        assert_eq!(known(&error), told, "{kind}");
    }
}

#[test]
fn schema_has_the_keys_that_scenes_take() {
    let schemas = Schemas::read();
    let body = "[body.a]\nshape = { kind = \"box\", size = [1, 1, 1] }\ndensity = 1\n";
    let simulation = "[simulation]\nstep = 1\nduration = 1\n";
    let joint = "[[joint]]\nkind = \"ball\"\na = \"a\"\nb = \"world\"\nanchor = [0, 0, 0]\n";
    let tables: [(&str, String); 14] = [
        ("", "\"?\" = 1".to_owned()),
        ("body", "[body.a]\n\"?\" = 1".to_owned()),
        ("motion", format!("{body}motion = [{{ \"?\" = 1 }}]")),
        ("spin", format!("{body}motion = [{{ spin = {{ \"?\" = 1 }} }}]")),
        ("track", format!("{body}[track]\n\"?\" = 1")),
        ("coupler", format!("{body}[track]\nframes = 1\nstep = 1\n[track.coupler]\n\"?\" = 1")),
        ("simulation", format!("{body}[simulation]\n\"?\" = 1")),
        ("joint", format!("{body}[[joint]]\n\"?\" = 1")),
        ("friction", format!("{body}[[friction]]\n\"?\" = 1")),
        ("plan", format!("{body}[plan]\n\"?\" = 1")),
        ("facets", format!("{body}{simulation}cone = {{ \"?\" = 1 }}")),
        ("sleep", format!("{body}{simulation}sleep = {{ \"?\" = 1 }}")),
        ("shake", format!("{body}{simulation}shake = {{ \"?\" = 1 }}")),
        ("motor", format!("{body}{simulation}{joint}motor = {{ \"?\" = 1 }}")),
    ];
    for (name, text) in tables {
        let node = if name.is_empty() { schemas.scene() } else { schemas.scene_definition(name) };
        let told: BTreeSet<String> = node.fields().iter().map(|(name, _)| (*name).to_owned()).collect();
        let read = Scene::parse(&text, &Context::default()).and_then(|scene| scene.simulation());
        assert_eq!(known(&read.map(|_| ()).expect_err(&text)), told, "{name}");
    }
}

/// A document as JSON.
fn json(value: &Value) -> serde_json::Value {
    match value.data() {
        Data::Null => serde_json::Value::Null,
        Data::Bool(value) => (*value).into(),
        Data::Number(number) => (*number).into(),
        Data::Huge(text) | Data::Text(text) => text.clone().into(),
        Data::Numbers(list) => list.clone().into(),
        Data::List(list) => list.iter().map(json).collect(),
        Data::Table(entries) => entries.iter().map(|(key, value)| (key.clone(), json(value))).collect(),
    }
}

#[test]
fn every_scene_of_the_repository_is_one_by_the_schema() {
    let schemas = Schemas::read();
    let mut folders = vec![root().join("scenes")];
    let mut scenes = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "toml") {
                let text = std::fs::read_to_string(&path).unwrap();
                let value = json(&Value::from_toml(&text).unwrap());
                let faults = validate::faults(schemas.scene(), &value, "");
                assert_eq!(faults, Vec::<String>::new(), "{}", path.display());
                scenes += 1;
            }
        }
    }
    assert!(scenes >= 20, "{scenes}");
}

#[test]
fn what_is_no_scene_is_none_by_the_schema() {
    let schemas = Schemas::read();
    for (text, place) in [
        ("title = 3\n[body.a]\nshape = \"s\"", "title"),
        ("[shape.s]\nkind = \"box\"", "shape.s"),
        ("[body.a]\nshape = \"s\"\ncolour = 1", "body.a.colour"),
        ("[body.a]\nshape = \"s\"\n[track]\nframes = 3", "track"),
        ("[body.a]\nshape = \"s\"\n[track]\nframes = 0\nstep = 1", "track.frames"),
        ("[body.a]\nshape = \"s\"\n[[joint]]\nkind = \"rope\"\na = \"a\"\nb = \"a\"", "joint[0].kind"),
        ("title = \"t\"", ""),
    ] {
        let value = json(&Value::from_toml(text).unwrap());
        let faults = validate::faults(schemas.scene(), &value, "");
        assert!(faults.iter().any(|fault| fault.starts_with(&format!("{place}: "))), "{text}: {faults:?}");
    }
}
