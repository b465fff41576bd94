//! Proven distances of curved bodies beside Open CASCADE's, and points projected onto surfaces.
//!
//! Bodies, poses and points are written to one file that both sides read: ours through the shape reader of the product,
//! theirs through `occt/distance.py`, a process that answers one question at a time. Both are asked in blocks, by turns.
//! Every question is cold: nothing is known of an earlier pose. Where the two disagree, the certificate decides.

pub mod bodies;
pub mod distance;
pub mod nurbs;
pub mod occt;
pub mod projection;
pub mod report;

use crate::random::Random;
use bodies::{Group, Named};
use clearance_formats::Units;
use clearance_formats::{AnyBody, Context, Shape};
use clearance_geometry::Body;
use occt::Occt;
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;

/// How much to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Poses of each pair; of a pair from STEP files a quarter of them.
    pub poses: usize,
    /// Points projected onto each surface.
    pub points: usize,
    /// Seconds after which an answer of Open CASCADE is not waited for any longer, and a pair not asked about any more.
    pub limit: f64,
    /// Groups to measure; all where it is empty.
    pub groups: Vec<Group>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { poses: 20, points: 1000, limit: 20.0, groups: Vec::new() }
    }
}

impl Plan {
    /// From the words after the name of the benchmark.
    ///
    /// # Errors
    /// For words that mean nothing here.
    pub fn from_words(words: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut plan = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse::<f64>().ok()).filter(|n| *n >= 1.0);
            match *word {
                "--poses" => plan.poses = number().ok_or("--poses needs a number")? as usize,
                "--points" => plan.points = number().ok_or("--points needs a number")? as usize,
                "--limit" => plan.limit = number().ok_or("--limit needs seconds")?,
                name => {
                    plan.groups.push(Group::named(name).ok_or_else(|| format!("no group is called {name}"))?)
                }
            }
        }
        Ok(plan)
    }

    /// Whether everything is measured.
    pub fn is_whole(&self) -> bool {
        self.groups.is_empty()
    }

    fn wants(&self, group: Group) -> bool {
        self.groups.is_empty() || self.groups.contains(&group)
    }
}

/// Both tables.
pub struct Measured {
    /// Pairs of bodies.
    pub pairs: Vec<distance::Row>,
    /// Points and surfaces.
    pub surfaces: Vec<projection::Row>,
    /// Which version of Open CASCADE, where it took part.
    pub occt: Option<String>,
}

/// The folder of real files.
pub fn data_folder() -> PathBuf {
    let named = std::env::var_os("CLEARANCE_DATA").map(PathBuf::from);
    named.unwrap_or_else(|| crate::report::root().join("../shared/data"))
}

/// A body as the product reads it, anew.
///
/// # Errors
/// When the shape is refused.
pub fn read(spec: &Value) -> Result<Body, Box<dyn Error>> {
    let shape = Shape::from_json(&spec.to_string(), &Context::new(data_folder(), Units::Millimetre))?;
    match shape.body {
        AnyBody::Solid(body) => Ok(body),
        _ => Err("a body of the plane".into()),
    }
}

/// Everything, in one run.
///
/// # Errors
/// When a body cannot be made, or a file of the plan cannot be written.
pub fn measure(plan: &Plan) -> Result<Measured, Box<dyn Error>> {
    let named = bodies::all(plan)?;
    let mut pairs = Vec::new();
    for (group, names) in bodies::pairs(&named, plan) {
        let count = if group == Group::Step { plan.poses.div_ceil(4) } else { plan.poses };
        match distance::Pair::new(&named, group, names, count) {
            Ok(pair) => pairs.push(pair),
            Err(error) => eprintln!("{}–{} is left out: {error}", names[0], names[1]),
        }
    }
    let surfaces =
        if plan.wants(Group::Projection) { projection::surfaces(&named, plan.points)? } else { Vec::new() };
    let file = written(plan, &named, &pairs, &surfaces)?;
    let mut occt = match Occt::start(file) {
        Ok(occt) => Some(occt),
        Err(error) => {
            eprintln!(
                "Open CASCADE is not available here ({error}): its columns are missing, nothing is recorded."
            );
            None
        }
    };
    let mut rows = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let row = pair.measure(number, plan.limit, &mut occt)?;
        eprintln!("{}", row.line());
        rows.push(row);
    }
    let mut projected = Vec::new();
    for (number, surface) in surfaces.iter().enumerate() {
        let row = surface.measure(number, &mut occt)?;
        eprintln!("{}", row.line());
        projected.push(row);
    }
    Ok(Measured { pairs: rows, surfaces: projected, occt: occt.map(|_| occt::WHEEL.to_owned()) })
}

/// Asks one pair at all its poses for a profiler, the counted part inside [`distance::found_region`]; with `fresh`, of bodies
/// that were just read.
///
/// # Errors
/// When there is no such pair, or a query fails.
pub fn region(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let [a, b, rounds, ref rest @ ..] = words[..] else {
        return Err("certified-region A B ROUNDS [fresh]".into());
    };
    let plan = Plan::default();
    let named = bodies::all(&plan)?;
    let (group, names) = bodies::pairs(&named, &plan)
        .into_iter()
        .find(|(_, names)| *names == [a, b])
        .ok_or("no such pair of bodies")?;
    let count = if group == Group::Step { plan.poses.div_ceil(4) } else { plan.poses };
    let pair = distance::Pair::new(&named, group, names, count)?;
    println!("{a}–{b}: {}", pair.repeat(rounds.parse()?, rest == ["fresh"])?);
    Ok(())
}

/// The file that both sides read.
fn written(
    plan: &Plan,
    named: &[Named],
    pairs: &[distance::Pair],
    surfaces: &[projection::Surface],
) -> Result<PathBuf, Box<dyn Error>> {
    let specs: serde_json::Map<String, Value> =
        named.iter().map(|body| (body.name.clone(), body.spec.clone())).collect();
    let value = json!({
        "folder": data_folder(),
        "limit_s": plan.limit,
        "bodies": specs,
        "pairs": pairs.iter().map(distance::Pair::json).collect::<Vec<_>>(),
        "surfaces": surfaces.iter().map(projection::Surface::json).collect::<Vec<_>>(),
    });
    let path = PathBuf::from(env!("OUT_DIR")).join("certified-plan.json");
    std::fs::write(&path, value.to_string())?;
    Ok(path)
}

/// The middle of some values; NaN of none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Uniform between two values.
pub(crate) fn uniform(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * 0.5 * (1.0 + random.signed())
}
