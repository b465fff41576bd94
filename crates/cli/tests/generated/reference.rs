//! The page that lists every key of a scene, made from the schemas.

use crate::schema::{HEADINGS, Node, Schemas};
use std::fmt::Write as _;

/// The page.
pub fn page(schemas: &Schemas) -> String {
    let mut text = String::from(
        "# Scene reference\n\n\
         <!-- Made by `cargo xtask book` from crates/cli/src/scene.schema.json and query.schema.json. -->\n\n\
         Every key that a scene takes. [Scenes](scenes.md) says how they work together, [Formats](formats.md) how shapes are \
         numbered\nand what is answered. `clearance schema scene` prints the same for programs; with it, editors check a scene \
         while it\nis written. Names of other files count from the scene's folder. Unknown keys are errors.\n\n\
         ## Scene\n\n",
    );
    table(&mut text, schemas.scene());
    for (name, heading) in HEADINGS {
        let _ = write!(text, "\n## {heading}\n\n");
        match name {
            "shape" => shapes(&mut text, schemas.query_definition(name)),
            "segment" | "curve" | "part" => one(&mut text, schemas.query_definition(name)),
            "pose" => pose(&mut text, schemas.query_definition(name)),
            _ => one(&mut text, schemas.scene_definition(name)),
        }
    }
    text
}

fn one(text: &mut String, node: Node<'_>) {
    let single = node.value["maxProperties"] == 1;
    if single {
        text.push_str("One of these keys.\n\n");
    }
    table(text, node);
}

fn table(text: &mut String, node: Node<'_>) {
    text.push_str("| key | type | needed | meaning |\n|---|---|---|---|\n");
    for (name, field) in node.fields() {
        row(text, node, name, field);
    }
}

fn row(text: &mut String, node: Node<'_>, name: &str, field: Node<'_>) {
    let needed = match (node.needs(name), &field.value["default"]) {
        (true, _) => "yes".to_owned(),
        (false, serde_json::Value::Null) => "no".to_owned(),
        (false, serde_json::Value::String(word)) => format!("`{word}` unless given"),
        (false, value) => format!("{value} unless given"),
    };
    let mut meaning = field.description().to_owned();
    if meaning.is_empty() {
        meaning = field.resolved().description().to_owned();
    }
    let fields = field.resolved().fields();
    // Tables within a table are small enough to stand in its row.
    if field.reference().is_none_or(|name| HEADINGS.iter().all(|(other, _)| *other != name))
        && !fields.is_empty()
    {
        let inner: Vec<String> =
            fields.iter().map(|(name, field)| format!("`{name}`: {}", field.words())).collect();
        meaning = format!("{meaning}{}{}", if meaning.is_empty() { "" } else { "; " }, inner.join(", "));
    }
    let _ = writeln!(text, "| `{name}` | {} | {needed} | {meaning} |", field.words());
}

fn pose(text: &mut String, node: Node<'_>) {
    text.push_str(
        "A translation with at most one rotation, or a matrix alone; in the plane a translation of two numbers and an \
         angle in\ndegrees. Quaternions have their scalar last; `axis_angle` is a unit axis and degrees.\n\n",
    );
    text.push_str("| key | type |\n|---|---|\n");
    for variant in node.variants() {
        for (name, field) in variant.fields() {
            let _ = writeln!(text, "| `{name}` | {} |", field.words());
        }
    }
}

fn shapes(text: &mut String, node: Node<'_>) {
    text.push_str(
        "A table with a `kind`. Every kind takes `surface_only` (true or false): its boundary alone, so that nothing is ever \
         inside.\n\n| kind | keys | body |\n|---|---|---|\n",
    );
    for variant in node.variants() {
        let kind = variant.resolved().value["properties"]["kind"]["const"].as_str().expect("a kind");
        let mut keys = Vec::new();
        // What is needed comes first.
        for needed in [true, false] {
            for (name, field) in variant.fields() {
                if ["kind", "surface_only"].contains(&name) || variant.needs(name) != needed {
                    continue;
                }
                let optional = if needed { "" } else { ", optional" };
                let meaning = field.description();
                let meaning = if meaning.is_empty() { String::new() } else { format!(": {meaning}") };
                keys.push(format!("`{name}` ({}{optional}){meaning}", field.words()));
            }
        }
        let _ = writeln!(text, "| `{kind}` | {} | {} |", keys.join("<br>"), variant.resolved().description());
    }
}
