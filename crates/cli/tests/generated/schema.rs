//! Walking the JSON Schemas of the command.

use serde_json::Value;

/// Both schemas.
pub struct Schemas {
    query: Value,
    scene: Value,
}

/// A place in one of them.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    schemas: &'a Schemas,
    root: &'a Value,
    /// What stands there.
    pub value: &'a Value,
}

impl Schemas {
    pub fn read() -> Self {
        let read = |text: &str| serde_json::from_str(text).expect("a schema");
        Self {
            query: read(include_str!("../../src/query.schema.json")),
            scene: read(include_str!("../../src/scene.schema.json")),
        }
    }

    /// The schema of scenes.
    pub fn scene(&self) -> Node<'_> {
        Node { schemas: self, root: &self.scene, value: &self.scene }
    }

    /// A definition of the schema of scenes.
    pub fn scene_definition(&self, name: &str) -> Node<'_> {
        Node { value: &self.scene["$defs"][name], ..self.scene() }
    }

    /// A definition of the schema of queries.
    pub fn query_definition(&self, name: &str) -> Node<'_> {
        Node { schemas: self, root: &self.query, value: &self.query["$defs"][name] }
    }
}

impl<'a> Node<'a> {
    fn at(self, value: &'a Value) -> Self {
        Self { value, ..self }
    }

    /// What stands under a key of the schema itself.
    pub fn child(self, key: &str) -> Self {
        self.at(&self.value[key])
    }

    /// The name of the definition that stands here.
    pub fn reference(self) -> Option<&'a str> {
        self.value["$ref"].as_str()?.rsplit('/').next()
    }

    /// What a reference leads to, or this.
    pub fn resolved(self) -> Self {
        let Some(reference) = self.value["$ref"].as_str() else { return self };
        let (file, place) = reference.split_once('#').expect("a place");
        let root = if file.is_empty() { self.root } else { &self.schemas.query };
        let value = root.pointer(place).unwrap_or_else(|| panic!("{reference} leads nowhere"));
        Node { schemas: self.schemas, root, value }.resolved()
    }

    /// The variants, or this alone.
    pub fn variants(self) -> Vec<Self> {
        let node = self.resolved();
        match node.value["oneOf"].as_array() {
            Some(list) => list.iter().map(|value| node.at(value).resolved()).collect(),
            None => vec![node],
        }
    }

    /// Fields in the order of the alphabet, with what stands at each.
    pub fn fields(self) -> Vec<(&'a str, Self)> {
        let node = self.resolved();
        let fields = node.value["properties"].as_object().into_iter().flatten();
        fields.map(|(name, value)| (name.as_str(), node.at(value))).collect()
    }

    /// Whether a field must be there.
    pub fn needs(self, field: &str) -> bool {
        let list = self.resolved().value["required"].as_array();
        list.is_some_and(|list| list.iter().any(|name| name == field))
    }

    /// What it says about itself.
    pub fn description(self) -> &'a str {
        self.value["description"].as_str().unwrap_or_default()
    }

    /// The type in words.
    pub fn words(self) -> String {
        if let Some(link) = self.reference().and_then(link) {
            return link;
        }
        // These two are shapes themselves.
        if let Some(name @ ("nurbs" | "surface")) = self.reference() {
            return format!("`{name}`");
        }
        let node = self.resolved();
        let value = node.value;
        if let Some(variants) = value["oneOf"].as_array() {
            let words: Vec<String> = variants.iter().map(|value| node.at(value).words()).collect();
            return words.join(" or ");
        }
        if let Some(word) = value["const"].as_str() {
            return format!("`{word}`");
        }
        if let Some(words) = value["enum"].as_array() {
            let words: Vec<String> =
                words.iter().map(|word| format!("`{}`", word.as_str().unwrap_or("?"))).collect();
            return words.join(", ");
        }
        match value["type"].as_str() {
            Some("boolean") => "true or false".to_owned(),
            Some("string") => "text".to_owned(),
            Some(kind @ ("number" | "integer")) => number(kind, value),
            Some("array") => node.list(),
            Some("object") if value["additionalProperties"].is_object() => {
                format!("table of {}", plural(&node.at(&value["additionalProperties"]).words()))
            }
            Some("object") => "table".to_owned(),
            _ => "anything".to_owned(),
        }
    }

    fn list(self) -> String {
        let items = plural(&self.at(&self.value["items"]).words());
        let [least, most] = ["minItems", "maxItems"].map(|key| self.value[key].as_u64());
        match (least, most) {
            (Some(least), Some(most)) if least == most => format!("{} {items}", count(least)),
            (Some(least), None) if least > 1 => format!("list of {} or more {items}", count(least)),
            _ => format!("list of {items}"),
        }
    }
}

/// Definitions that have a heading of their own.
pub const HEADINGS: [(&str, &str); 13] = [
    ("body", "Body"),
    ("motion", "Motion"),
    ("spin", "Spin"),
    ("pose", "Pose"),
    ("track", "Track"),
    ("simulation", "Simulation"),
    ("joint", "Joint"),
    ("motor", "Motor"),
    ("friction", "Friction of a pair"),
    ("shape", "Shapes"),
    ("segment", "Segment of a profile"),
    ("curve", "Curve"),
    ("part", "Part"),
];

/// A link to the heading of a definition.
fn link(name: &str) -> Option<String> {
    let (_, heading) = HEADINGS.iter().find(|(definition, _)| *definition == name)?;
    Some(format!("[{}](#{})", name, heading.to_lowercase().replace(' ', "-")))
}

fn number(kind: &str, value: &Value) -> String {
    let word = if kind == "integer" { "whole number" } else { "number" };
    let [above, least, most] = ["exclusiveMinimum", "minimum", "maximum"].map(|bound| value[bound].as_f64());
    match (above, least, most) {
        (_, Some(least), Some(most)) => format!("{word} from {least} to {most}"),
        (Some(least), ..) => format!("{word} > {least}"),
        (_, Some(least), _) => format!("{word} ≥ {least}"),
        _ => word.to_owned(),
    }
}

fn count(number: u64) -> String {
    let words = ["no", "one", "two", "three", "four", "five", "six"];
    words.get(number as usize).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

fn plural(words: &str) -> String {
    if let Some(rest) = words.strip_prefix("list of ") {
        return format!("lists of {rest}");
    }
    if words.ends_with(" numbers") || words.ends_with(" texts") {
        return format!("lists of {words}");
    }
    for (one, many) in [("text", "texts"), ("number", "numbers"), ("whole number", "whole numbers")] {
        if words == one || words.starts_with(&format!("{one} ")) {
            return words.replacen(one, many, 1);
        }
    }
    words.to_owned()
}
