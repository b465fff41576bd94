//! What is known about a shape, as data: names and values in a stated order.

use crate::json::{Json, shortest};
use crate::{AnyBody, Shape, Units};
use clearance_geometry::{Body, DVec2, DVec3, HalfSpace, Polygon, Polytope};

/// A value of a [`Description`].
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A word.
    Text(String),
    /// How many.
    Count(usize),
    /// A size.
    Number(f64),
    /// A place, a direction or a tensor.
    Numbers(Vec<f64>),
    /// Several remarks.
    Notes(Vec<String>),
}

/// What is known about a shape.
///
/// ```
/// use clearance_formats::{Context, Fact, Shape, Units};
/// let shape = Shape::from_json(r#"{"kind": "box", "size": [1, 2, 3]}"#, &Context::default())?;
/// let facts = shape.describe(Units::Metre);
/// assert_eq!(facts.get("volume"), Some(&Fact::Number(6.0)));
/// # Ok::<(), clearance_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    facts: Vec<(&'static str, Fact)>,
}

impl Shape {
    /// Kind, counts, extents, volume, mass centre, inertia, inradius and notes; lengths in `units`.
    pub fn describe(&self, units: Units) -> Description {
        let mut facts = Description::default();
        facts.add("kind", Fact::Text(self.kind.to_owned()));
        if let Some(file) = &self.source {
            facts.add("file", Fact::Text(file.display().to_string()));
        }
        facts.add("units", Fact::Text(units.symbol().to_owned()));
        match &self.body {
            AnyBody::Solid(Body::Polytope(polytope)) => facts.add_polytope(polytope),
            AnyBody::Solid(Body::HalfSpace(half_space)) => facts.add_half_space(half_space),
            AnyBody::Planar(polygon) => facts.add_polygon(polygon),
        }
        if !self.warnings.is_empty() {
            facts.add("notes", Fact::Notes(self.warnings.clone()));
        }
        facts
    }
}

impl Description {
    /// All facts in order.
    pub fn facts(&self) -> &[(&'static str, Fact)] {
        &self.facts
    }

    /// A fact by its name.
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|(found, _)| *found == name).map(|(_, fact)| fact)
    }

    fn add(&mut self, name: &'static str, fact: Fact) {
        self.facts.push((name, fact));
    }

    fn vector(&mut self, name: &'static str, entries: &[f64]) {
        self.add(name, Fact::Numbers(entries.to_vec()));
    }

    fn add_polytope(&mut self, polytope: &Polytope) {
        let (anchor, mass) = (polytope.anchor(), polytope.mass());
        let (low, high) =
            polytope.vertices().iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), vertex| {
                (low.min(*vertex), high.max(*vertex))
            });
        self.add("vertices", Fact::Count(polytope.vertex_count()));
        self.add("edges", Fact::Count(polytope.edge_count()));
        self.add("faces", Fact::Count(polytope.face_count()));
        self.vector("lowest", &(low + anchor).to_array());
        self.vector("highest", &(high + anchor).to_array());
        self.vector("size", &(high - low).to_array());
        self.add("volume", Fact::Number(mass.volume));
        self.vector("mass_center", &(mass.center + anchor).to_array());
        let m = mass.inertia;
        // Order of the format: xx, yy, zz, xy, yz, zx.
        self.vector("inertia", &[m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x]);
        self.vector("center", &(polytope.center() + anchor).to_array());
        self.add("inradius", Fact::Number(polytope.inradius()));
        self.add("radius", Fact::Number(polytope.radius()));
    }

    fn add_half_space(&mut self, half_space: &HalfSpace) {
        self.vector("normal", &half_space.plane().normal.to_array());
        self.add("offset", Fact::Number(half_space.plane().offset));
    }

    fn add_polygon(&mut self, polygon: &Polygon) {
        let (anchor, mass) = (polygon.anchor(), polygon.mass());
        let (low, high) =
            polygon.vertices().iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), vertex| {
                (low.min(*vertex), high.max(*vertex))
            });
        self.add("vertices", Fact::Count(polygon.vertex_count()));
        self.add("edges", Fact::Count(polygon.edge_count()));
        self.vector("lowest", &(low + anchor).to_array());
        self.vector("highest", &(high + anchor).to_array());
        self.vector("size", &(high - low).to_array());
        self.add("area", Fact::Number(mass.area));
        self.vector("mass_center", &(mass.center + anchor).to_array());
        self.add("inertia", Fact::Number(mass.second_moment));
        self.vector("center", &(polygon.center() + anchor).to_array());
        self.add("inradius", Fact::Number(polygon.inradius()));
        self.add("radius", Fact::Number(polygon.radius()));
    }

    /// As a JSON object.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| {
            for (name, fact) in &self.facts {
                json.field(name, |json| match fact {
                    Fact::Text(text) => json.string(text),
                    Fact::Count(count) => json.whole(*count as u64),
                    Fact::Number(number) => json.number(*number),
                    Fact::Numbers(numbers) => json.numbers(numbers),
                    Fact::Notes(notes) => json.strings(notes),
                });
            }
        });
        json.into_text()
    }

    /// As lines for a reader: name, value.
    pub fn to_text(&self) -> String {
        let width = self.facts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let mut lines = Vec::new();
        for (name, fact) in &self.facts {
            let values = match fact {
                Fact::Text(text) => vec![text.clone()],
                Fact::Count(count) => vec![count.to_string()],
                Fact::Number(number) => vec![shortest(*number)],
                Fact::Numbers(numbers) => {
                    let words: Vec<String> = numbers.iter().map(|number| shortest(*number)).collect();
                    vec![format!("({})", words.join(", "))]
                }
                Fact::Notes(notes) => notes.clone(),
            };
            let name = name.replace('_', " ");
            lines.extend(values.into_iter().map(|value| format!("{name:width$}  {value}")));
        }
        lines.join("\n")
    }
}
