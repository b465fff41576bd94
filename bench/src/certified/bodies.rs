//! The bodies, as shape objects, and which of them meet.

use super::{Plan, data_folder, nurbs, read, uniform};
use crate::random::Random;
use clearance_geometry::{Body, DVec3};
use clearance_proximity::global::Prepared;
use serde_json::{Value, json};
use std::error::Error;

/// What bodies are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Boxes, balls, cylinders, cones, capsules, tori, ellipsoids.
    Primitives,
    /// Spline patches, and a solid of six of them.
    Splines,
    /// Solids and a patch as CAD systems hand them over.
    Nurbs,
    /// Teapot and teacup.
    Tea,
    /// Files of the data folder.
    Step,
    /// Points on surfaces, the second table.
    Projection,
}

impl Group {
    /// All, in the order of the table.
    pub const ALL: [Self; 6] =
        [Self::Primitives, Self::Splines, Self::Nurbs, Self::Tea, Self::Step, Self::Projection];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Primitives => "primitives",
            Self::Splines => "splines",
            Self::Nurbs => "nurbs",
            Self::Tea => "tea",
            Self::Step => "step",
            Self::Projection => "projection",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

/// A body with its name.
pub struct Named {
    /// What it is called in the table.
    pub name: String,
    /// The group it belongs to.
    pub group: Group,
    /// The shape object.
    pub spec: Value,
    /// The body.
    pub body: Body,
    /// Middle and half the diagonal of a box around it.
    pub extent: (DVec3, f64),
}

/// All bodies of the groups asked for.
///
/// # Errors
/// When one cannot be made; a missing data folder leaves its groups empty.
pub fn all(plan: &Plan) -> Result<Vec<Named>, Box<dyn Error>> {
    let mut specs = primitives();
    specs.extend(splines());
    specs.extend(nurbs::solids().into_iter().map(|(name, spec)| (name.to_owned(), Group::Nurbs, spec)));
    for name in ["teapot", "teacup"] {
        let file = format!("{name}-patches.json");
        if data_folder().join(&file).is_file() {
            specs.push((name.to_owned(), Group::Tea, json!({ "kind": "tiled", "file": file })));
        }
    }
    if plan.wants(Group::Step) {
        specs.extend(step_files());
    }
    let body = |(name, group, spec): (String, Group, Value)| {
        let body = read(&spec).map_err(|error| format!("{name}: {error}"))?;
        let ready = Prepared::new(&body).map_err(|error| format!("{name}: {error}"))?;
        let extent = (ready.tree().root().bound.center, ready.radius());
        Ok(Named { name, group, spec, body, extent })
    };
    specs.into_iter().map(body).collect()
}

fn primitives() -> Vec<(String, Group, Value)> {
    [
        ("sphere", json!({ "kind": "sphere", "radius": 1.0 })),
        ("ellipsoid", json!({ "kind": "ellipsoid", "radii": [1.0, 0.6, 0.35] })),
        ("cylinder", json!({ "kind": "cylinder", "radius": 0.5, "height": 2.0 })),
        ("cone", json!({ "kind": "cone", "radius": 0.7, "height": 1.5 })),
        ("capsule", json!({ "kind": "capsule", "radius": 0.4, "height": 1.2 })),
        ("torus", json!({ "kind": "torus", "major": 1.0, "minor": 0.3 })),
        ("box", json!({ "kind": "box", "size": [1.0, 2.0, 0.5] })),
    ]
    .map(|(name, spec)| (name.to_owned(), Group::Primitives, spec))
    .to_vec()
}

fn splines() -> Vec<(String, Group, Value)> {
    [("patch", patch(false)), ("rational", patch(true)), ("pillow", pillow())]
        .map(|(name, spec)| (name.to_owned(), Group::Splines, spec))
        .to_vec()
}

/// A wavy bicubic patch of 3 × 3 spans, two lengths wide.
pub fn patch(rational: bool) -> Value {
    let mut random = Random::new(11);
    let mut unit = move || uniform(&mut random, -1.0, 1.0);
    let count = 6;
    let at = |i: usize| 2.0 * i as f64 / (count - 1) as f64 - 1.0;
    let rows = |entry: &mut dyn FnMut(usize, usize) -> Value| -> Vec<Vec<Value>> {
        (0..count).map(|i| (0..count).map(|j| entry(i, j)).collect()).collect()
    };
    let points = rows(&mut |i, j| json!([at(i) + 0.1 * unit(), at(j) + 0.1 * unit(), 0.4 * unit()]));
    let weights = rows(&mut |_, _| json!(1.0 + 0.5 * unit()));
    let knots = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0];
    let mut spec = json!({ "kind": "nurbs", "degree": [3, 3], "knots": [knots, knots], "points": points });
    if rational {
        spec["weights"] = json!(weights);
    }
    spec
}

/// A cube of six bicubic patches whose control points are pushed about.
fn pillow() -> Value {
    let grid = [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0];
    // One factor for each place of the grid, so that neighbours share their sides.
    let mut random = Random::new(12);
    let factors: Vec<f64> = (0..64).map(|_| uniform(&mut random, 0.75, 1.25)).collect();
    let place = |at: [usize; 3]| {
        let factor = factors[16 * at[0] + 4 * at[1] + at[2]];
        json!(at.map(|i| grid[i] * factor))
    };
    let mut patches = Vec::new();
    for axis in 0..3 {
        for end in [0, 3] {
            // Seen from outside, u × v points to the viewer.
            let (u, v) =
                if end == 3 { ((axis + 1) % 3, (axis + 2) % 3) } else { ((axis + 2) % 3, (axis + 1) % 3) };
            let entry = |i: usize, j: usize| {
                let mut at = [0; 3];
                (at[axis], at[u], at[v]) = (end, i, j);
                place(at)
            };
            patches.push((0..4).map(|i| (0..4).map(|j| entry(i, j)).collect()).collect::<Vec<Vec<Value>>>());
        }
    }
    json!({ "kind": "tiled", "patches": patches })
}

fn step_files() -> Vec<(String, Group, Value)> {
    let Ok(entries) = std::fs::read_dir(data_folder().join("step")) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".step") || name.ends_with(".stp"))
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let spec = json!({ "kind": "step", "file": format!("step/{name}") });
            (name.trim_end_matches(".step").trim_end_matches(".stp").to_owned(), Group::Step, spec)
        })
        .collect()
}

/// Which bodies meet: all of a group, each with itself and the others; splines with some primitives too.
pub fn pairs<'a>(named: &'a [Named], plan: &Plan) -> Vec<(Group, [&'a str; 2])> {
    let mut pairs = Vec::new();
    for (at, a) in named.iter().enumerate() {
        for b in &named[at..] {
            let group = if a.group == b.group {
                a.group
            } else if a.group == Group::Primitives && b.group == Group::Splines && a.name != "box" {
                Group::Splines
            } else {
                continue;
            };
            if plan.wants(group) && [a, b].map(|body| body.name.as_str()) != ["box", "box"] {
                pairs.push((group, [a.name.as_str(), b.name.as_str()]));
            }
        }
    }
    pairs.sort_by_key(|(group, _)| Group::ALL.iter().position(|known| known == group));
    pairs
}
