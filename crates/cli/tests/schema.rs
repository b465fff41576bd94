//! The schemas that `clearance schema` prints describe the answers to the last field.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use common::clearance;
use serde_json::{Map, Value};

/// Why a value is not what a schema asks for, with the way to it; nothing where it is.
///
/// Knows the words that our schemas use, and none else: an unknown one is an error too.
fn fault(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let Some(words) = schema.as_object() else {
        return (*schema == Value::Bool(false)).then(|| format!("{value} is not allowed"));
    };
    words.iter().find_map(|(word, rule)| match word.as_str() {
        "$ref" => fault(root, referred(root, rule), value),
        "allOf" => rule.as_array().unwrap().iter().find_map(|part| fault(root, part, value)),
        "oneOf" => {
            let faults: Vec<String> =
                rule.as_array().unwrap().iter().filter_map(|part| fault(root, part, value)).collect();
            let fitting = rule.as_array().unwrap().len() - faults.len();
            (fitting != 1).then(|| format!("{fitting} of the choices fit: {}", faults.join("; ")))
        }
        "type" => {
            let types = if rule.is_array() { rule.as_array().unwrap().clone() } else { vec![rule.clone()] };
            let fits = types.iter().any(|name| is_type(name.as_str().unwrap(), value));
            (!fits).then(|| format!("{value} is no {rule}"))
        }
        "enum" => (!rule.as_array().unwrap().contains(value)).then(|| format!("{value} is not in {rule}")),
        "const" => (rule != value).then(|| format!("{value} is not {rule}")),
        "minimum" | "exclusiveMinimum" | "minItems" | "maxItems" => bound(word, rule, value),
        "required" => {
            let lacks = |key: &&Value| value.is_object() && value.get(key.as_str().unwrap()).is_none();
            rule.as_array().unwrap().iter().find(lacks).map(|key| format!("{key} is missing"))
        }
        "properties" | "additionalProperties" | "unevaluatedProperties" => {
            members(root, words, word, rule, value)
        }
        "items" => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            items
                .iter()
                .enumerate()
                .find_map(|(at, item)| fault(root, rule, item).map(|why| format!("[{at}]: {why}")))
        }
        "pattern" | "title" | "description" | "$schema" | "$defs" => None,
        other => Some(format!("this test does not know `{other}`")),
    })
}

fn referred<'a>(root: &'a Value, rule: &Value) -> &'a Value {
    root.pointer(rule.as_str().unwrap().trim_start_matches('#')).expect("a place in the schema")
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn bound(word: &str, rule: &Value, value: &Value) -> Option<String> {
    let limit = rule.as_f64().unwrap();
    let count = value.as_array().map(|items| items.len() as f64);
    let holds = match word {
        "minimum" => value.as_f64().is_none_or(|number| number >= limit),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > limit),
        "minItems" => count.is_none_or(|count| count >= limit),
        _ => count.is_none_or(|count| count <= limit),
    };
    (!holds).then(|| format!("{value} breaks {word} {rule}"))
}

/// The members of an object: those that a schema lists, and what it says of all others.
fn members(
    root: &Value,
    words: &Map<String, Value>,
    word: &str,
    rule: &Value,
    value: &Value,
) -> Option<String> {
    let object = value.as_object()?;
    if word == "properties" {
        let known = object.iter().filter_map(|(key, member)| Some((key, rule.get(key)?, member)));
        return known
            .into_iter()
            .find_map(|(key, rule, member)| fault(root, rule, member).map(|why| format!("{key}: {why}")));
    }
    let others = object.iter().filter(|(key, _)| !is_listed(root, words, key));
    others.into_iter().find_map(|(key, member)| fault(root, rule, member).map(|why| format!("{key}: {why}")))
}

/// Whether a schema, or one that it takes over, lists a key.
fn is_listed(root: &Value, words: &Map<String, Value>, key: &str) -> bool {
    let own = words.get("properties").is_some_and(|properties| properties.get(key).is_some());
    let parts = words.get("allOf").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let taken = |part: &Value| {
        let part = part.get("$ref").map_or(part, |rule| referred(root, rule));
        part.as_object().is_some_and(|words| is_listed(root, words, key))
    };
    own || parts.iter().any(taken)
}

const LINES: &str = r#"
{"a": {"kind": "box", "size": [2, 2, 2]}, "b": {"kind": "box", "size": [2, 2, 2]}, "pose_b": {"translation": [0.1, 0, 3]}, "units": "mm", "margin": 2, "want": ["ratio", "certificate", "gradient", "locus", "all_minima", "events"]}
{"a": {"kind": "box", "size": [2, 2, 2]}, "b": {"kind": "box", "size": [2, 2, 2]}, "pose_b": {"translation": [0.1, 0.2, 1.9]}, "want": ["certificate", "gradient", "locus", "all_minima", "events"]}
{"id": 3, "a": {"kind": "torus", "major": 2, "minor": 0.5}, "b": {"kind": "box", "size": [9, 0.2, 0.2]}, "want": ["certificate", "gradient", "locus", "all_minima", "events"]}
{"id": "four", "a": {"kind": "torus", "major": 2, "minor": 0.5}, "b": {"kind": "sphere", "radius": 0.5}, "want": ["certificate", "gradient", "locus", "all_minima"]}
{"id": [5], "a": {"kind": "sphere", "radius": 1}, "b": {"kind": "sphere", "radius": 1}, "pose_b": {"translation": [5, 0, 0]}, "motion_b": [{"velocity": [-1, 0, 0]}], "duration": 10, "want": "impact"}
{"id": null, "a": {"kind": "polygon", "points": [[-1, -1], [1, -1], [1, 1], [-1, 1]]}, "b": {"kind": "polygon", "points": [[-1, -1], [1, -1], [1, 1], [-1, 1]]}, "pose_b": {"translation": [0.5, 2.0005], "angle": 0}, "want": ["ratio", "certificate", "gradient", "locus", "all_minima", "events"]}
{"a": {"kind": "sphere", "radius": 3}, "b": {"kind": "point"}, "want": ["certificate", "gradient", "locus", "all_minima"]}
{"define": "c", "shape": {"kind": "sphere", "radius": 1}}
nonsense
"#;

#[test]
fn schema_of_queries_describes_lines_and_answers() {
    let schema = clearance(&["schema"], b"").expect_status(0).json();
    let answers = clearance(&["query"], LINES.as_bytes()).expect_status(2).lines();
    let questions: Vec<&str> = LINES.trim().lines().collect();
    assert_eq!(answers.len(), questions.len());
    for (question, answer) in questions.iter().zip(&answers) {
        let name = match () {
            () if answer.get("error").is_some() => "failure",
            () if answer.get("define").is_some() => "defined",
            () => "answer",
        };
        assert_eq!(name == "failure", *question == "nonsense", "{question}\n{answer}");
        assert_eq!(fault(&schema, &schema["$defs"][name], answer), None, "{question}\n{answer}");
        if let Ok(line) = serde_json::from_str(question) {
            assert_eq!(fault(&schema, &schema, &line), None, "{question}");
        }
    }
    // The lines are there to have these answered.
    for key in ["regions", "locus", "events", "impact", "inside", "gradient_reason", "lower_bound", "rho"] {
        assert!(answers.iter().any(|answer| answer.get(key).is_some_and(|value| !value.is_null())), "{key}");
    }
}
