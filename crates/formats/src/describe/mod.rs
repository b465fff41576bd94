//! What is known about a shape, as data: names and values in a stated order.

mod curved;
mod flat;
mod text;
mod union;

use crate::json::Json;
use crate::{AnyBody, Shape, Units};
use clearance_geometry::{Body, DMat3};

/// A value of a [`Description`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// A word.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// How many.
    Count(usize),
    /// How many of each sort; sorts that do not occur are left out.
    Counts(Vec<(&'static str, usize)>),
    /// A size.
    Number(f64),
    /// A place, a direction or a tensor.
    Numbers(Vec<f64>),
    /// Numbers that were computed; one alone is no list. In words they have nine digits.
    Measured {
        /// The numbers.
        values: Vec<f64>,
        /// The largest number beside which they count; what is nothing beside it is 0 in words.
        scale: f64,
    },
    /// A size and how far it may be off; in JSON the latter has a name of its own, as in `volume_error`.
    Estimate {
        /// The size.
        value: f64,
        /// How far it may be off.
        error: f64,
        /// Whether the error is a bound; where it is not, words call it estimated.
        proven: bool,
    },
    /// A place or a tensor and how far an entry may be off.
    Estimates {
        /// The entries.
        values: Vec<f64>,
        /// How far each may be off.
        error: f64,
        /// Whether the error is a bound; where it is not, words call it estimated.
        proven: bool,
    },
    /// Several remarks.
    Notes(Vec<String>),
    /// Several things of one sort.
    Rows(Vec<Description>),
}

/// What is known about a shape.
///
/// ```
/// use clearance_formats::{Context, Fact, Shape, Units};
/// let shape = Shape::from_json(r#"{"kind": "cylinder", "radius": 1, "height": 2}"#, &Context::default())?;
/// let facts = shape.describe(Units::Metre);
/// assert_eq!(facts.get("edge_classes"), Some(&Fact::Counts(vec![("convex", 2)])));
/// # Ok::<(), clearance_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    facts: Vec<(&'static str, Fact)>,
}

impl Shape {
    /// Kind, counts, extents, area, volume, mass centre, inertia, convexity, open edges, parts and notes, as far as the
    /// kind has them; lengths in `units`.
    pub fn describe(&self, units: Units) -> Description {
        let mut facts = Description::default();
        facts.add("kind", Fact::Text(self.kind.to_owned()));
        if let Some(file) = &self.source {
            facts.add("file", Fact::Text(file.display().to_string()));
        }
        if let [one] = self.parts.as_slice()
            && one.path.is_empty()
        {
            facts.add("name", Fact::Text(one.name.clone()));
            facts.add("entity", Fact::Text(format!("#{}", one.entity)));
        }
        facts.add("units", Fact::Text(units.symbol().to_owned()));
        match &self.body {
            AnyBody::Solid(body) => facts.add_solid(body.whole(), self),
            AnyBody::Planar(polygon) => {
                facts.add_polygon(polygon);
                facts.add_flat_surface(self.surface_only);
            }
            AnyBody::PlanarTiled(body) => facts.add_planar_tiled(body, self.surface_only),
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

    fn with(mut self, name: &'static str, fact: Fact) -> Self {
        self.add(name, fact);
        self
    }

    fn vector(&mut self, name: &'static str, entries: &[f64]) {
        self.add(name, Fact::Numbers(entries.to_vec()));
    }

    fn add_solid(&mut self, body: &Body, shape: &Shape) {
        match body {
            Body::Polytope(polytope) => {
                self.add_polytope(polytope);
                self.add_flat_surface(shape.surface_only);
            }
            Body::HalfSpace(half_space) => {
                self.add_half_space(half_space);
                self.add_flat_surface(shape.surface_only);
            }
            Body::Tiled(body) => self.add_tiled(body, shape.surface_only),
            Body::Deforming(body) => {
                self.add_tiled(body.shape(), shape.surface_only);
                self.add_deforming(body);
            }
            Body::Algebraic(surface) => self.add_algebraic(surface),
            Body::Union(tree) => self.add_union(tree, shape),
            _ => {}
        }
    }

    /// Flat-faced bodies say it only where it is so.
    fn add_flat_surface(&mut self, surface_only: bool) {
        if surface_only {
            self.add("surface_only", Fact::Flag(true));
        }
    }

    /// As a JSON object.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        self.write(&mut json);
        json.into_text()
    }

    fn write(&self, json: &mut Json) {
        json.object(|json| {
            for (name, fact) in &self.facts {
                json.field(name, |json| write_fact(json, fact));
                if let Fact::Estimate { error, .. } | Fact::Estimates { error, .. } = fact {
                    json.field(&format!("{name}_error"), |json| json.number(*error));
                }
            }
        });
    }
}

fn write_fact(json: &mut Json, fact: &Fact) {
    match fact {
        Fact::Text(text) => json.string(text),
        Fact::Flag(flag) => json.bool(*flag),
        Fact::Count(count) => json.whole(*count as u64),
        Fact::Counts(counts) => json.object(|json| {
            for (name, count) in counts {
                json.field(name, |json| json.whole(*count as u64));
            }
        }),
        Fact::Estimate { error, .. } if !error.is_finite() => json.null(),
        Fact::Number(number) | Fact::Estimate { value: number, .. } => json.number(*number),
        Fact::Measured { values, .. } if values.len() == 1 => json.number(values[0]),
        Fact::Estimates { error, .. } if !error.is_finite() => json.null(),
        Fact::Numbers(numbers)
        | Fact::Measured { values: numbers, .. }
        | Fact::Estimates { values: numbers, .. } => json.numbers(numbers),
        Fact::Notes(notes) => json.strings(notes),
        Fact::Rows(rows) => json.array(rows, |json, row| row.write(json)),
    }
}

/// Numbers that were computed, the largest of them being the scale.
fn measured(values: impl Into<Vec<f64>>) -> Fact {
    let values = values.into();
    let scale = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    Fact::Measured { values, scale }
}

/// Numbers that were computed in a body of this size.
fn measured_in(values: impl Into<Vec<f64>>, scale: f64) -> Fact {
    Fact::Measured { values: values.into(), scale }
}

/// The entries of a tensor in the order of the format: xx, yy, zz, xy, yz, zx.
fn tensor(m: DMat3) -> Vec<f64> {
    vec![m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x]
}
