//! Whether a value is what a schema says: as much of JSON Schema as ours use.

use crate::schema::Node;
use serde_json::Value;

/// What is wrong, each with its place.
pub fn faults(node: Node<'_>, value: &Value, place: &str) -> Vec<String> {
    let node = node.resolved();
    let fault = |text: String| vec![format!("{place}: {text}")];
    if node.value.get("oneOf").is_some() {
        let variants = node.variants();
        let tried: Vec<Vec<String>> = variants.iter().map(|variant| faults(*variant, value, place)).collect();
        return if tried.iter().any(Vec::is_empty) {
            Vec::new()
        } else {
            fault(format!("none of {tried:?}"))
        };
    }
    if let Some(word) = node.value.get("const") {
        return if word == value { Vec::new() } else { fault(format!("not {word}")) };
    }
    if let Some(words) = node.value["enum"].as_array() {
        return if words.contains(value) { Vec::new() } else { fault(format!("none of {words:?}")) };
    }
    match (node.value["type"].as_str(), value) {
        (None, _) | (Some("string"), Value::String(_)) | (Some("boolean"), Value::Bool(_)) => Vec::new(),
        (Some("number"), Value::Number(_)) => range(node, value, place),
        (Some("integer"), Value::Number(number)) if number.as_f64().is_some_and(|x| x.fract() == 0.0) => {
            range(node, value, place)
        }
        (Some("array"), Value::Array(items)) => list(node, items, place),
        (Some("object"), Value::Object(_)) => table(node, value, place),
        (Some(kind), value) => fault(format!("no {kind}: {value}")),
    }
}

fn range(node: Node<'_>, value: &Value, place: &str) -> Vec<String> {
    let number = value.as_f64().unwrap_or(f64::NAN);
    let above = node.value["exclusiveMinimum"].as_f64().is_none_or(|least| number > least);
    let least = node.value["minimum"].as_f64().is_none_or(|least| number >= least);
    let most = node.value["maximum"].as_f64().is_none_or(|most| number <= most);
    if above && least && most { Vec::new() } else { vec![format!("{place}: {number} is out of range")] }
}

fn list(node: Node<'_>, items: &[Value], place: &str) -> Vec<String> {
    let count = items.len() as u64;
    if node.value["minItems"].as_u64().is_some_and(|least| count < least)
        || node.value["maxItems"].as_u64().is_some_and(|most| count > most)
    {
        return vec![format!("{place}: {count} entries")];
    }
    let each = node.child("items");
    let checked =
        items.iter().enumerate().map(|(index, item)| faults(each, item, &format!("{place}[{index}]")));
    checked.flatten().collect()
}

fn table(node: Node<'_>, value: &Value, place: &str) -> Vec<String> {
    let entries = value.as_object().into_iter().flatten();
    let mut found = Vec::new();
    for name in node.value["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{place}: no {name}"));
        }
    }
    for (key, value) in entries {
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        let field = node.fields().into_iter().find(|(name, _)| name == key);
        match field {
            Some((_, field)) => found.extend(faults(field, value, &place)),
            None if node.value["additionalProperties"].is_object() => {
                found.extend(faults(node.child("additionalProperties"), value, &place));
            }
            None if node.value["additionalProperties"] == false => found.push(format!("{place}: unknown")),
            None => {}
        }
    }
    found
}
